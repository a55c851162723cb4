//! The parameters of a URL that the driver does not know.

use std::path::PathBuf;

use crate::error::Error;

/// Encryption and checks by mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Disable,
    Prefer,
    VerifyCa,
    VerifyFull,
}

#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Url {
    /// Without the parameters that were read here.
    pub(crate) rest: String,
    pub(crate) mode: Option<Mode>,
    pub(crate) authority: Option<PathBuf>,
}

/// Takes `sslmode` and `sslrootcert` out of a URL; a text that is no URL stays as it is.
///
/// # Errors
/// The mode is none, or a path is no text.
pub(crate) fn parse(url: &str) -> Result<Url, Error> {
    let unchanged = || Url { rest: url.to_owned(), mode: None, authority: None };
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Ok(unchanged());
    }
    // A password may hold a question mark, as the driver reads it: it ends with the first @.
    let (who, place) = url.split_once('@').map_or(("", url), |(who, place)| (who, place));
    let Some((place, query)) = place.split_once('?') else { return Ok(unchanged()) };
    let (mut mode, mut authority, mut others) = (None, None, Vec::new());
    for parameter in query.split('&') {
        match parameter.split_once('=') {
            Some(("sslmode", value)) => {
                mode = Some(match value {
                    "disable" => Mode::Disable,
                    "prefer" => Mode::Prefer,
                    "verify-ca" => Mode::VerifyCa,
                    "require" | "verify-full" => Mode::VerifyFull,
                    _ => return Err(Error::Mode),
                });
            }
            Some(("sslrootcert", value)) => {
                authority = Some(decoded(value).ok_or(Error::Url)?.into());
            }
            _ => others.push(parameter),
        }
    }
    let at = if url.contains('@') { "@" } else { "" };
    let query = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
    Ok(Url { rest: format!("{who}{at}{place}{query}"), mode, authority })
}

/// A text with `%` and two hexadecimal digits for a byte.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let value = digit()? * 16 + digit()?;
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_and_authorities_are_taken_out() {
        let check = |url: &str, rest: &str, mode, authority: Option<&str>| {
            let authority = authority.map(PathBuf::from);
            let expected = Url { rest: rest.to_owned(), mode, authority };
            assert_eq!(parse(url).unwrap(), expected, "{url}");
        };
        check("postgres://a@h/d", "postgres://a@h/d", None, None);
        check("postgres://h?sslmode=disable", "postgres://h", Some(Mode::Disable), None);
        check(
            "postgres://a:p?w@h/d?connect_timeout=3&sslmode=verify-ca&options=-c%20x%3Dy",
            "postgres://a:p?w@h/d?connect_timeout=3&options=-c%20x%3Dy",
            Some(Mode::VerifyCa),
            None,
        );
        let url = "postgresql://a@h/d?sslrootcert=%2Fetc%2fc%C3%A4.pem&sslmode=verify-full";
        check(url, "postgresql://a@h/d", Some(Mode::VerifyFull), Some("/etc/cä.pem"));
        check("host=h sslmode=require", "host=h sslmode=require", None, None);
        for wrong in
            ["sslmode=allow", "sslmode=", "sslrootcert=%2", "sslrootcert=%zz", "sslrootcert=%ff"]
        {
            assert!(parse(&format!("postgres://h?{wrong}")).is_err(), "{wrong}");
        }
    }
}
