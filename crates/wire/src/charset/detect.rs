//! Detects the encoding of an HTTP body: by the Content-Type header, otherwise a `<meta>` of the
//! page, otherwise a byte order mark, otherwise by a guess.

use std::borrow::Cow;

use super::Charset;

/// The name of the encoding of a body, in capitals. If neither server nor page names one, a body
/// that is not UTF-8 counts as `WINDOWS-1252`.
#[must_use]
pub fn http_charset(content_type: &str, body: &[u8]) -> String {
    if let Some(name) = named_charset(content_type, body) {
        return name;
    }
    let guessed = match body {
        [0xff, 0xfe, ..] => "UTF-16LE",
        [0xfe, 0xff, ..] => "UTF-16BE",
        _ if Charset::of_mark(body).is_some() || std::str::from_utf8(body).is_ok() => "UTF-8",
        _ => "WINDOWS-1252",
    };
    guessed.to_owned()
}

/// The name of the encoding of a body, in capitals, if the server or the page names it.
#[must_use]
pub fn named_charset(content_type: &str, body: &[u8]) -> Option<String> {
    let named = charset_of_header(content_type).or_else(|| charset_of_page(body));
    named.map(|it| it.to_ascii_uppercase())
}

/// The parameter `charset` of `text/html; charset=utf-8`; its value may be quoted. A quote that
/// does not end, or that has an escape of anything but quotes, backslashes and `n`, spoils
/// everything after it: the header then names no encoding.
fn charset_of_header(value: &str) -> Option<String> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        // A parameter without a value: the name follows the last semicolon.
        let name = name.rsplit(';').next().unwrap_or("").trim();
        let (text, next) = parameter_value(after.trim_start())?;
        if name.eq_ignore_ascii_case("charset") && !text.is_empty() {
            return Some(text.into_owned());
        }
        rest = next;
    }
}

/// A value, unquoted, and the text after its semicolon; `None`: its quote is broken.
fn parameter_value(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, rest) = text.split_once(';').unwrap_or((text, ""));
        return Some((Cow::Borrowed(value.trim()), rest));
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    loop {
        match chars.next()? {
            (at, '"') => {
                let rest = quoted.get(at + 1..).unwrap_or("");
                return Some((Cow::Owned(value), rest.split_once(';').map_or("", |it| it.1)));
            }
            (_, '\\') => value.push(match chars.next()?.1 {
                'n' => '\n',
                escaped @ ('"' | '\\') => escaped,
                _ => return None,
            }),
            (_, char) => value.push(char),
        }
    }
}

/// The encoding in `<meta charset=…>` or `<meta http-equiv="Content-Type" content=…>`.
fn charset_of_page(body: &[u8]) -> Option<String> {
    let mut rest = body;
    while let Some(at) = memchr::memchr(b'<', rest) {
        rest = rest.get(at + 1..)?;
        let is_meta = rest.get(..4).is_some_and(|it| it.eq_ignore_ascii_case(b"meta"));
        let has_end = rest.get(4).is_some_and(|it| it.is_ascii_whitespace() || *it == b'/');
        if !is_meta || !has_end {
            continue;
        }
        let mut attributes = Attributes { rest: rest.get(5..)? };
        let found = charset_of_meta(&mut attributes);
        if found.is_some() {
            return found;
        }
        rest = attributes.rest;
    }
    None
}

/// `charset` precedes the encoding in `content`.
fn charset_of_meta(attributes: &mut Attributes<'_>) -> Option<String> {
    let (mut charset, mut content, mut is_content_type) = (None, None, false);
    for (name, value) in attributes {
        let value = String::from_utf8_lossy(value);
        let value = value.trim();
        match name.to_ascii_lowercase().as_slice() {
            b"charset" if charset.is_none() && !value.is_empty() => {
                charset = Some(value.to_owned());
            }
            b"content" if content.is_none() => content = charset_of_header(value),
            b"http-equiv" => is_content_type |= value.eq_ignore_ascii_case("content-type"),
            _ => {}
        }
    }
    charset.or(content.filter(|_| is_content_type))
}

/// Name and value of each attribute up to the end of the tag. A value whose quote does not end is
/// no value.
struct Attributes<'a> {
    rest: &'a [u8],
}

impl<'a> Attributes<'a> {
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn take_until(&mut self, is_end: impl Fn(u8) -> bool) -> &'a [u8] {
        let len = self.rest.iter().position(|it| is_end(*it)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(len);
        self.rest = rest;
        taken
    }

    /// The value after `=`; `None`: its quote does not end.
    fn value(&mut self) -> Option<&'a [u8]> {
        self.skip_spaces();
        if let Some((quote @ (b'"' | b'\''), rest)) = self.rest.split_first() {
            self.rest = rest;
            let value = self.take_until(|it| it == *quote);
            self.rest = self.rest.get(1..)?;
            return Some(value);
        }
        Some(self.take_until(|it| it.is_ascii_whitespace() || matches!(it, b'>' | b'"' | b'\'')))
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let _before = self.take_until(|it| !it.is_ascii_whitespace() && it != b'/');
            if matches!(self.rest.first(), None | Some(b'>')) {
                return None;
            }
            let is_end = |it: u8| it.is_ascii_whitespace() || matches!(it, b'=' | b'>' | b'/');
            let name = self.take_until(is_end);
            self.skip_spaces();
            match self.rest.split_first() {
                Some((b'=', rest)) if !name.is_empty() => {
                    self.rest = rest;
                    return self.value().map(|it| (name, it));
                }
                // Neither name nor value: skipped, so that the loop ends.
                _ if name.is_empty() => self.rest = self.rest.get(1..).unwrap_or_default(),
                _ => return Some((name, b"")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::http_charset;

    #[test]
    fn the_header_counts_before_the_page() {
        let page = b"<html><!-- --><meta name=x><META charset='koi8-r'/>";
        assert_eq!(http_charset("text/html; x=y; charset=utf-8", page), "UTF-8");
        assert_eq!(http_charset("text/html; x=\"a;charset=b\"", page), "KOI8-R");
        assert_eq!(http_charset("text/html", b"<metal charset=x> \xff"), "WINDOWS-1252");
        assert_eq!(http_charset("", b"<meta = charset=x>"), "X");
    }

    #[test]
    fn header_with_a_broken_quote_is_ignored() {
        for header in [
            "x; charset=\"koi8-r",
            "x; charset=\"koi8\\-r\"",
            "x; charset=\"koi8-r\\\"",
            "x; charset=\"\\",
        ] {
            assert_eq!(http_charset(header, b"\xd4"), "WINDOWS-1252", "{header}");
            assert_eq!(http_charset(header, b"<meta charset=koi8-u>"), "KOI8-U", "{header}");
        }
        assert_eq!(http_charset("x; charset=\"koi8-r\"", b"\xd4"), "KOI8-R");
        assert_eq!(http_charset("x; charset=\"a\\\"b\"", b""), "A\"B");
    }

    /// Latin-1 is itself, not Windows-1252; byte order marks are removed; a text of wide characters
    /// ends at its first NUL.
    #[test]
    fn bodies_are_read_as_zabbix_reads_them() {
        let read = |header: &str, body: &'static [u8]| {
            crate::charset::to_utf8(&http_charset(header, body), body)
                .expect("it is known")
                .into_owned()
        };
        assert_eq!(read("text/html; charset=ISO-8859-1", b"\x80\xe9"), "\u{80}é");
        assert_eq!(read("text/html", b"\x80\xe9"), "€é");
        assert_eq!(read("text/html; charset=utf-8", b"\xef\xbb\xbfa"), "a");
        assert_eq!(read("", b"\xef\xbb\xbfa"), "a");
        assert_eq!(read("", b"\xff\xfea\0\0\0b\0"), "a");
        assert_eq!(read("text/html; charset=UTF-16BE", b"\0a\0\0\0b"), "a");
    }

    #[test]
    fn broken_pages_end() {
        for page in
            ["<", "<meta", "<meta ", "<meta =", "<meta =\"", "<meta a='", "<meta ///", "<meta a/=b"]
        {
            assert_eq!(http_charset("", page.as_bytes()), "UTF-8", "{page}");
        }
    }
}
