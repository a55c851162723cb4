//! Names of headers in their given spelling.
//!
//! The library writes names in small letters only, and some devices accept only the spelling of
//! browsers and curl. The head of a request therefore gets the given names, and capitals for the
//! others.

/// The end of a head.
const END: &[u8] = b"\r\n\r\n";

/// Capitalizes a name as servers and curl do.
pub(crate) fn capitalize(name: &mut [u8]) {
    let n_capitals = match &*name {
        b"etag" => 2,
        b"www-authenticate" => 3,
        _ => 0,
    };
    let mut is_first = true;
    for (at, byte) in name.iter_mut().enumerate() {
        if is_first || at < n_capitals {
            byte.make_ascii_uppercase();
        }
        is_first = *byte == b'-';
    }
}

/// The head of a request at the start of these bytes, with names in their given spelling, those of
/// equal names in their order. The length stays the same. `None`: the head has no end here.
pub(crate) fn head_as_given(bytes: &[u8], given: &[String]) -> Option<Vec<u8>> {
    let len = bytes.windows(END.len()).position(|it| it == END)? + END.len();
    let mut head = bytes.get(..len)?.to_vec();
    let mut given: Vec<Option<&str>> = given.iter().map(|it| Some(it.as_str())).collect();
    // The first line is the request.
    for line in head.split_mut(|it| *it == b'\n').skip(1) {
        let Some(colon) = line.iter().position(|it| *it == b':') else { continue };
        let (name, _) = line.split_at_mut(colon);
        let is_its =
            |it: &&mut Option<&str>| it.is_some_and(|it| it.as_bytes().eq_ignore_ascii_case(name));
        match given.iter_mut().find(is_its).and_then(Option::take) {
            Some(given) => name.copy_from_slice(given.as_bytes()),
            None => capitalize(name),
        }
    }
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_headers_begin_words_with_capitals() {
        for name in ["Content-Type", "Set-Cookie", "ETag", "WWW-Authenticate", "Host"] {
            let mut written = name.to_ascii_lowercase().into_bytes();
            capitalize(&mut written);
            assert_eq!(written, name.as_bytes());
        }
    }

    #[test]
    fn a_head_has_the_names_that_were_given_in_their_order() {
        let bytes = b"POST /a:b HTTP/1.1\r\nhost: a\r\nx-api-key: x-b: 1\r\nx-b: 1\r\nx-b: 2\r\n\
                      x-b: 3\r\ncontent-length: 4\r\n\r\nx-b: ";
        let given = ["X-API-Key", "x-b", "X-B"].map(str::to_owned);
        let head = head_as_given(bytes, &given).expect("it has an end");
        assert_eq!(
            String::from_utf8(head).expect("a text"),
            "POST /a:b HTTP/1.1\r\nHost: a\r\nX-API-Key: x-b: 1\r\nx-b: 1\r\nX-B: 2\r\n\
             X-B: 3\r\nContent-Length: 4\r\n\r\n"
        );
        assert_eq!(head_as_given(b"GET / HTTP/1.1\r\nhost: a\r\n", &given), None);
    }
}
