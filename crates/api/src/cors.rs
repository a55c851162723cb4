//! Which pages of other origins may use the API in browsers: none unless the settings name them.

use std::str::FromStr;

use axum::http::{HeaderMap, HeaderValue, header};

/// Origins that may use the API in browsers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Cors {
    #[default]
    None,
    Any,
    /// Such as `https://board.example.org`.
    Listed(Vec<HeaderValue>),
}

/// Why a list of origins is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" is no origin such as https://board.example.org, and not *")]
pub struct NoOrigin(String);

impl FromStr for Cors {
    type Err = NoOrigin;

    fn from_str(text: &str) -> Result<Self, NoOrigin> {
        let names: Vec<&str> = text.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
        match names.as_slice() {
            [] => Ok(Self::None),
            ["*"] => Ok(Self::Any),
            names => names.iter().map(|it| origin(it)).collect::<Result<_, _>>().map(Self::Listed),
        }
    }
}

/// Browsers write origins in lower case, without a slash at the end.
fn origin(text: &str) -> Result<HeaderValue, NoOrigin> {
    let wrong = || NoOrigin(text.to_owned());
    let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
    let is_plain = |it: char| it.is_ascii_graphic() && !matches!(it, '/' | '?' | '#' | '*' | '@');
    let is_origin = !scheme.is_empty() && !rest.is_empty() && rest.chars().all(is_plain);
    let text = text.to_ascii_lowercase();
    if is_origin { HeaderValue::from_str(&text).map_err(|_error| wrong()) } else { Err(wrong()) }
}

impl Cors {
    /// The header for a request of this origin.
    pub(crate) fn allowed(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        match self {
            Self::None => None,
            Self::Any => Some(HeaderValue::from_static("*")),
            Self::Listed(list) => {
                headers.get(header::ORIGIN).filter(|it| list.contains(it)).cloned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_read_and_nothing_else_is_taken_for_one() {
        assert_eq!("".parse(), Ok(Cors::None));
        assert_eq!(" * ".parse(), Ok(Cors::Any));
        let list = ["https://a.example.org", "http://10.0.0.1:8080"];
        let expected = Cors::Listed(list.map(HeaderValue::from_static).to_vec());
        assert_eq!("https://A.example.org, http://10.0.0.1:8080".parse(), Ok(expected));
        for wrong in [
            "a.example.org",
            "https://",
            "https://a/",
            "https://*.example.org",
            "*, x",
            "https://a b",
        ] {
            assert!(wrong.parse::<Cors>().is_err(), "{wrong}");
        }
    }
}
