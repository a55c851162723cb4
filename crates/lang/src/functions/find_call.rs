//! The first function call of an expression: the notation before version 5.4, `last(key,5m)`, in which
//! the item is a parameter like any other.

use std::ops::Range;

use thiserror::Error;

use crate::macros::{Search, token_at};
use formats::number;

/// A call that was found; all ranges are bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCall {
    /// The name.
    pub name: Range<usize>,
    /// The parameters with their parentheses.
    pub params: Range<usize>,
}

/// Why no call was found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FindError {
    /// There is none.
    #[error("Incorrect function expression: {0}")]
    NoCall(String),
    /// The parameter list does not end, or something follows a quoted parameter.
    #[error("Incorrect function '{name}' expression. Check expression part starting from: {near}")]
    Params {
        /// Name of the function.
        name: String,
        /// The text from the parameter on.
        near: String,
    },
}

/// The first call of `text`. Strings, macros and numbers (with suffix) before it are skipped.
///
/// # Errors
/// If there is none, a word is no function, or its parameters are malformed.
pub fn find_call(text: &str) -> Result<FoundCall, FindError> {
    let bytes = text.as_bytes();
    let none = || FindError::NoCall(text.to_owned());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            b'"' => string_len(&bytes[at..]).ok_or_else(none)?,
            b'{' => {
                text.get(at..).and_then(|it| token_at(it, Search::TEXT)).map_or(1, |it| it.span.end)
            }
            b'0'..=b'9' | b'.' => number_len(&bytes[at..]),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let len = bytes[at..].iter().take_while(|it| is_name_byte(**it)).count();
                let is_call = bytes.get(at + len) == Some(&b'(');
                if matches!(&bytes[at..at + len], b"and" | b"or" | b"not") {
                    len
                } else if is_call {
                    return with_params(text, at..at + len);
                } else {
                    return Err(none());
                }
            }
            _ => 1,
        };
    }
    Err(none())
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn string_len(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn number_len(bytes: &[u8]) -> usize {
    let len = number::decimal_len(bytes).max(1);
    let suffix = bytes.get(len).is_some_and(|it| number::suffix_factor(*it).is_some());
    len + usize::from(suffix)
}

fn with_params(text: &str, name: Range<usize>) -> Result<FoundCall, FindError> {
    let bytes = text.as_bytes();
    let open = name.end;
    let mut at = open + 1;
    loop {
        let start = at;
        let end = param_end(bytes, at);
        match end.and_then(|it| Some((it, bytes.get(it)?))) {
            Some((end, b')')) => return Ok(FoundCall { name, params: open..end + 1 }),
            Some((end, b',')) => at = end + 1,
            _ => {
                return Err(FindError::Params {
                    name: text.get(name).unwrap_or("").to_owned(),
                    near: text.get(start..).unwrap_or("").to_owned(),
                });
            }
        }
    }
}

/// Where the parameter at `at` ends: at a comma or parenthesis.
fn param_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let skip_spaces = |mut at: usize| {
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        at
    };
    at = skip_spaces(at);
    if bytes.get(at) != Some(&b'"') {
        return bytes.get(at..)?.iter().position(|it| matches!(it, b',' | b')')).map(|it| at + it);
    }
    // In parameters of that time a backslash hides a quote and nothing else.
    loop {
        at += 1 + bytes.get(at + 1..)?.iter().position(|it| *it == b'"')?;
        if bytes.get(at - 1) != Some(&b'\\') {
            return Some(skip_spaces(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_no_call_are_skipped_or_refused() {
        let found = find_call("5davg(k,10m)*10m").unwrap();
        assert_eq!((found.name, found.params), (2..5, 5..12));
        assert_eq!(find_call("\"a(\" = {$M:\"b()\"} and f()").unwrap().name, 22..23);
        assert!(find_call("m+avg(k)").is_err());
        assert_eq!(
            find_call("f(1,\"a\"x)").unwrap_err().to_string(),
            "Incorrect function 'f' expression. Check expression part starting from: \"a\"x)"
        );
    }
}
