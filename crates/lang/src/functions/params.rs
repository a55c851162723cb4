//! Parameter lists of functions: comma separated, quoted or not.

use crate::macros::{Search, token_at};

/// The meaning of a backslash in a quoted parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escapes {
    /// It escapes the character after it.
    All,
    /// Up to version 6.4: it hides a quote and is itself before all else.
    Quotes,
}

/// One parameter as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param<'t> {
    /// As written: with quotes, without the white space before it.
    pub written: &'t str,
    /// Its first byte in the list.
    pub start: usize,
    /// Byte after its last.
    pub end: usize,
    /// Whether it is quoted and the closing quote is there.
    pub quoted: bool,
}

impl Param<'_> {
    /// The value: unquoted, `\"` and `\\` unescaped.
    #[must_use]
    pub fn value(&self) -> String {
        if !self.quoted {
            return self.written.to_owned();
        }
        let inner = self.written.get(1..self.written.len() - 1).unwrap_or("");
        let mut out = String::with_capacity(inner.len());
        let mut chars = inner.chars().peekable();
        while let Some(char) = chars.next() {
            match (char, chars.peek()) {
                ('\\', Some(&next @ ('"' | '\\'))) => {
                    out.push(next);
                    chars.next();
                }
                _ => out.push(char),
            }
        }
        out
    }
}

/// The parameters of a whole text; an empty text is one empty parameter. Macros with parameters or
/// contexts of their own are not cut.
#[must_use]
pub fn split(text: &str) -> Vec<Param<'_>> {
    let (params, _) = split_until_parenthesis(text, true, Escapes::All);
    params
}

/// The parameters up to a closing parenthesis or the end, and the byte where they end.
#[must_use]
pub fn split_until_parenthesis(
    text: &str,
    macros: bool,
    escapes: Escapes,
) -> (Vec<Param<'_>>, usize) {
    let bytes = text.as_bytes();
    let mut params = Vec::new();
    let mut at = 0;
    loop {
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        let start = at;
        let is_quoted = bytes.get(at) == Some(&b'"');
        let quoted_end = if is_quoted { closing_quote(bytes, at, escapes) } else { None };
        let is_open = is_quoted && quoted_end.is_none();
        let end = if is_open {
            // Without its closing quote the rest is one parameter.
            at = bytes.len();
            at
        } else if let Some(end) = quoted_end {
            at = end;
            while bytes.get(at) == Some(&b' ') {
                at += 1;
            }
            end
        } else {
            at = unquoted_end(text, at, macros);
            at
        };
        let written = text.get(start..end).unwrap_or("");
        params.push(Param { written, start, end, quoted: quoted_end.is_some() });
        // Text after a closing quote up to the comma is not a parameter.
        while quoted_end.is_some() && !matches!(bytes.get(at), None | Some(b',' | b')')) {
            at += 1;
        }
        if bytes.get(at) != Some(&b',') {
            return (params, at);
        }
        at += 1;
    }
}

/// Byte after the quote that closes the one at `open`.
fn closing_quote(bytes: &[u8], open: usize, escapes: Escapes) -> Option<usize> {
    let mut at = open + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' if escapes == Escapes::All || bytes.get(at + 1) == Some(&b'"') => at += 2,
            _ => at += 1,
        }
    }
}

fn unquoted_end(text: &str, from: usize, macros: bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b',' | b')' => break,
            b'{' if macros => {
                let token = text.get(at..).and_then(|it| token_at(it, Search::BASIC));
                at += token.map_or(1, |it| it.span.end);
            }
            _ => at += 1,
        }
    }
    at
}

/// `value` as a parameter: quoted if it must be (or `force`).
#[must_use]
pub fn quote(value: &str, force: bool) -> String {
    let must = value.starts_with(['"', ' ']) || value.contains([',', ')', '(']);
    if !must && !force {
        return value.to_owned();
    }
    crate::expression::quote_string(value)
}

/// A parameter list with macros replaced (`replace` gets a parameter's value and answers the value
/// with macros replaced, or `None`), quoted where needed. White space before parameters is lost.
#[must_use]
pub fn substitute(text: &str, replace: &mut dyn FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for (idx, param) in split(text).iter().enumerate() {
        if idx > 0 {
            out.push(',');
        }
        match replace(&param.value()) {
            Some(value) => out.push_str(&quote(&value, param.quoted)),
            None => out.push_str(param.written),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_hides_what_its_version_lets_it() {
        let written = |text, escapes| -> Vec<&str> {
            let (params, _) = split_until_parenthesis(text, false, escapes);
            params.iter().map(|it| it.written).collect()
        };
        let text = r#""a\\",b\\"",c"#;
        assert_eq!(written(text, Escapes::All), [r#""a\\""#, r#"b\\"""#, "c"]);
        assert_eq!(written(text, Escapes::Quotes), [r#""a\\",b\\"""#, "c"]);
        assert_eq!(written(r#""a\b\"",c"#, Escapes::Quotes), [r#""a\b\"""#, "c"]);
    }
}
