//! Item keys: `name[param,"quoted param",[array,of,params]]`.

use std::fmt;

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
        let bytes = text.as_bytes();
        let name_len = bytes.iter().take_while(|it| is_name_byte(**it)).count();
        let error = |position, what| KeyError { position, what };
        if name_len == 0 {
            return Err(error(0, "a key needs a name"));
        }
        let name = text.get(..name_len).unwrap_or_default().to_owned();
        if name_len == bytes.len() {
            return Ok(Self { name, params: Vec::new(), has_params: false });
        }
        if bytes[name_len] != b'[' {
            return Err(error(name_len, "unexpected character in key name"));
        }
        let mut parser = Parser { text, position: name_len + 1 };
        let params = parser.params()?;
        if parser.position != bytes.len() {
            return Err(error(parser.position, "unexpected text after the closing bracket"));
        }
        Ok(Self { name, params, has_params: true })
    }

    /// Parameter number `index` (from 0), or "" if it is not given.
    #[must_use]
    pub fn param(&self, index: usize) -> &str {
        self.params.get(index).map_or("", KeyParam::as_str)
    }
}

/// Whether a byte may stand in a key's name.
#[must_use]
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

struct Parser<'a> {
    text: &'a str,
    position: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn error(&self, what: &'static str) -> KeyError {
        KeyError { position: self.position, what }
    }

    fn skip_spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.position += 1;
        }
    }

    /// From behind `[` to behind the matching `]`.
    fn params(&mut self) -> Result<Vec<KeyParam>, KeyError> {
        let mut params = Vec::new();
        loop {
            self.skip_spaces();
            params.push(match self.peek() {
                Some(b'"') => KeyParam::Text(self.quoted()?),
                Some(b'[') => KeyParam::Array(self.array()?),
                _ => KeyParam::Text(self.unquoted()),
            });
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

    fn unquoted(&mut self) -> String {
        let start = self.position;
        while self.peek().is_some_and(|it| !matches!(it, b',' | b']')) {
            self.position += 1;
        }
        self.text.get(start..self.position).unwrap_or_default().to_owned()
    }

    fn quoted(&mut self) -> Result<String, KeyError> {
        self.position += 1;
        let start = self.position;
        while let Some(byte) = self.peek() {
            if byte == b'"' && self.text.as_bytes()[self.position - 1] != b'\\' {
                let inner = self.text.get(start..self.position).unwrap_or_default();
                self.position += 1;
                self.skip_spaces();
                return Ok(inner.replace("\\\"", "\""));
            }
            self.position += 1;
        }
        Err(self.error("closing quote is missing"))
    }

    /// One level of array: its inner text as written.
    fn array(&mut self) -> Result<String, KeyError> {
        self.position += 1;
        let start = self.position;
        loop {
            self.skip_spaces();
            match self.peek() {
                Some(b'"') => {
                    self.quoted()?;
                }
                Some(b'[') => return Err(self.error("arrays do not nest")),
                _ => {
                    self.unquoted();
                }
            }
            match self.peek() {
                Some(b',') => self.position += 1,
                Some(b']') => {
                    let inner = self.text.get(start..self.position).unwrap_or_default().to_owned();
                    self.position += 1;
                    self.skip_spaces();
                    return Ok(inner);
                }
                _ => return Err(self.error("closing bracket is missing")),
            }
        }
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
}
