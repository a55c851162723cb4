//! Item keys: `name[param,"quoted param",[array,of,params]]`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A parsed item key. Parameters are unquoted; an array parameter keeps its text without the
/// outer brackets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemKey {
    pub name: String,
    pub params: Vec<KeyParam>,
    /// Whether there were brackets at all: `key` and `key[]` differ.
    pub has_params: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyParam {
    Text(String),
    /// The inner text of `[...]`, as written.
    Array(String),
}

impl KeyParam {
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text(it) | Self::Array(it) => it,
        }
    }
}

/// Why a text is no item key, and the byte position where that shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyError {
    pub position: usize,
    pub what: &'static str,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at position {}", self.what, self.position)
    }
}

impl std::error::Error for KeyError {}

impl ItemKey {
    /// Parses a whole text as one key.
    ///
    /// # Errors
    /// If the name is empty or has a character outside `A-Za-z0-9._-`, if a bracket or quote is not
    /// closed, or if text follows the closing bracket.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let spans = KeySpans::scan(text)?;
        if spans.len != text.len() {
            let what = if spans.has_params {
                "unexpected text after the closing bracket"
            } else {
                "unexpected character in key name"
            };
            return Err(KeyError { position: spans.len, what });
        }
        let name = text.get(..spans.name_len).unwrap_or_default().to_owned();
        let params = spans.params.iter().map(|it| it.value(text)).collect();
        Ok(Self { name, params, has_params: spans.has_params })
    }

    /// Parameter number `index` (from 0), or "" if it is not given.
    #[must_use]
    pub fn param(&self, index: usize) -> &str {
        self.params.get(index).map_or("", KeyParam::as_str)
    }
}

/// Whether a byte is allowed in a key's name.
#[must_use]
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

/// The form of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    Unquoted,
    Quoted,
    Array,
}

/// The span of a parameter: quotes and brackets included, white space around it not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParamSpan {
    pub range: Range<usize>,
    pub kind: ParamKind,
    /// Parameters of an array; of others empty.
    pub elements: Vec<ParamSpan>,
}

impl ParamSpan {
    /// The parameter of `text`, unquoted.
    #[must_use]
    pub fn value(&self, text: &str) -> KeyParam {
        let written = text.get(self.range.clone()).unwrap_or_default();
        let inner = || written.get(1..written.len() - 1).unwrap_or_default();
        match self.kind {
            ParamKind::Unquoted => KeyParam::Text(written.to_owned()),
            ParamKind::Quoted => KeyParam::Text(inner().replace("\\\"", "\"")),
            ParamKind::Array => KeyParam::Array(inner().trim_start_matches(' ').to_owned()),
        }
    }
}

/// The parts of the key that begins a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeySpans {
    /// Bytes of the whole key; the text after it is not part of it.
    pub len: usize,
    pub name_len: usize,
    pub has_params: bool,
    pub params: Vec<ParamSpan>,
}

impl KeySpans {
    /// Reads the longest key at the start of `text`.
    ///
    /// # Errors
    /// If there is no name or the parameters are malformed.
    pub fn scan(text: &str) -> Result<Self, KeyError> {
        let bytes = text.as_bytes();
        let name_len = bytes.iter().take_while(|it| is_name_byte(**it)).count();
        if name_len == 0 {
            return Err(KeyError { position: 0, what: "a key needs a name" });
        }
        if bytes.get(name_len) != Some(&b'[') {
            return Ok(Self { len: name_len, name_len, has_params: false, params: Vec::new() });
        }
        let (params, len) = scan_params(text, name_len)?;
        Ok(Self { len, name_len, has_params: true, params })
    }
}

/// Reads the parameters whose opening bracket is at byte `open`, and where the closing one ends.
///
/// # Errors
/// If a quote or bracket is not closed or an array holds an array.
pub fn scan_params(text: &str, open: usize) -> Result<(Vec<ParamSpan>, usize), KeyError> {
    let mut parser = Parser { bytes: text.as_bytes(), position: open + 1 };
    let params = parser.params(false)?;
    Ok((params, parser.position))
}

/// `value` as a parameter of a key: quoted if it must be (or `force`), as is otherwise. `None`: it
/// must be quoted but ends with a backslash, which would hide the closing quote.
#[must_use]
pub fn quote_param(value: &str, force: bool) -> Option<Cow<'_, str>> {
    let must = value.starts_with(['"', '[', ' ']) || value.contains([',', ']']);
    if value.ends_with('\\') {
        return (!must).then_some(Cow::Borrowed(value));
    }
    if !must && !force {
        return Some(Cow::Borrowed(value));
    }
    Some(Cow::Owned(format!("\"{}\"", value.replace('"', "\\\""))))
}

struct Parser<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn error(&self, what: &'static str) -> KeyError {
        KeyError { position: self.position, what }
    }

    fn skip_spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.position += 1;
        }
    }

    /// From after `[` to after the matching `]`.
    fn params(&mut self, in_array: bool) -> Result<Vec<ParamSpan>, KeyError> {
        let mut params = Vec::new();
        loop {
            self.skip_spaces();
            let start = self.position;
            let (kind, elements) = match self.peek() {
                Some(b'"') => {
                    self.quoted()?;
                    (ParamKind::Quoted, Vec::new())
                }
                Some(b'[') if in_array => return Err(self.error("arrays do not nest")),
                Some(b'[') => {
                    self.position += 1;
                    (ParamKind::Array, self.params(true)?)
                }
                _ => {
                    self.unquoted();
                    (ParamKind::Unquoted, Vec::new())
                }
            };
            params.push(ParamSpan { range: start..self.position, kind, elements });
            if kind != ParamKind::Unquoted {
                self.skip_spaces();
            }
            match self.peek() {
                Some(b',') => self.position += 1,
                Some(b']') => {
                    self.position += 1;
                    return Ok(params);
                }
                Some(_) => return Err(self.error("expected a comma or a closing bracket")),
                None => return Err(self.error("closing bracket is missing")),
            }
        }
    }

    fn unquoted(&mut self) {
        while self.peek().is_some_and(|it| !matches!(it, b',' | b']')) {
            self.position += 1;
        }
    }

    fn quoted(&mut self) -> Result<(), KeyError> {
        self.position += 1;
        while let Some(byte) = self.peek() {
            self.position += 1;
            if byte == b'"' && self.bytes[self.position - 2] != b'\\' {
                return Ok(());
            }
        }
        Err(self.error("closing quote is missing"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(text: &str) -> Vec<String> {
        let key = ItemKey::parse(text).expect("a good key");
        key.params.iter().map(|it| it.as_str().to_owned()).collect()
    }

    #[test]
    fn parameters_are_unquoted() {
        assert_eq!(
            params(r#"vfs.fs.size[/,"a \"b\"", [x,"y"] ,]"#),
            ["/", "a \"b\"", "x,\"y\"", ""]
        );
        assert_eq!(params("agent.ping"), Vec::<String>::new());
        assert_eq!(params("k[]"), [""]);
    }

    #[test]
    fn bad_keys_name_the_place() {
        for (text, position) in [("", 0), ("a b", 1), ("k[", 2), ("k[a]x", 4), ("k[\"a]", 5)] {
            assert_eq!(ItemKey::parse(text).expect_err("a bad key").position, position, "{text}");
        }
    }

    #[test]
    fn a_value_is_quoted_only_if_it_must_be() {
        assert_eq!(quote_param("a b", false).as_deref(), Some("a b"));
        assert_eq!(quote_param("a,b", false).as_deref(), Some("\"a,b\""));
        assert_eq!(quote_param("a\"b", true).as_deref(), Some("\"a\\\"b\""));
        assert_eq!(quote_param("c:\\", true).as_deref(), Some("c:\\"));
        assert_eq!(quote_param("c],\\", false), None);
    }

    #[test]
    fn a_key_ends_at_its_bracket() {
        let spans = KeySpans::scan("a[b,[c,\"d\"]]]").expect("a good key");
        assert_eq!(spans.len, 12);
        assert_eq!(spans.params[1].elements.len(), 2);
    }
}
