//! The parser: one pass, an explicit stack of at most [`DEPTH_MAX`] open values.

use super::node::{DEPTH_MAX, JsonError, JsonKind, Node};

/// Characters of the text that an error shows.
const NEAR_CHARS: usize = 2_048;

pub(super) fn parse(text: &str) -> Result<Vec<Node>, JsonError> {
    let mut scan =
        Scan { text, bytes: text.as_bytes(), at: 0, nodes: Vec::new(), open: Vec::new() };
    if u32::try_from(text.len()).is_err() {
        return Err(scan.error("text is too long"));
    }
    scan.skip_space();
    if !matches!(scan.peek(), Some(b'{' | b'[')) {
        return Err(scan.error("invalid object format, expected opening character '{' or '['"));
    }
    scan.run()?;
    scan.skip_space();
    if scan.at < text.len() {
        return Err(scan.error("invalid character following JSON object"));
    }
    Ok(scan.nodes)
}

/// A value that is neither object nor array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar<'t> {
    /// Kind.
    pub kind: JsonKind,
    /// As written.
    pub raw: &'t str,
}

/// The scalar at the start of `text`.
#[must_use]
pub fn decode_scalar(text: &str) -> Option<Scalar<'_>> {
    let mut scan =
        Scan { text, bytes: text.as_bytes(), at: 0, nodes: Vec::new(), open: Vec::new() };
    let kind = scan.scalar().ok()?;
    Some(Scalar { kind, raw: text.get(..scan.at)? })
}

struct Scan<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    nodes: Vec<Node>,
    /// Open objects and arrays, with their last child.
    open: Vec<Open>,
}

struct Open {
    node: usize,
    last_child: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn run(&mut self) -> Result<(), JsonError> {
        self.value((0, 0))?;
        while let Some(open) = self.open.last() {
            let (node, is_empty) = (open.node, self.nodes[open.node].n_children == 0);
            let is_object = self.nodes[node].kind == JsonKind::Object;
            self.skip_space();
            let close = if is_object { b'}' } else { b']' };
            match self.peek() {
                Some(byte) if byte == close => {
                    self.at += 1;
                    self.nodes[node].end = self.position();
                    self.open.pop();
                    continue;
                }
                Some(b',') if !is_empty => {
                    self.at += 1;
                    self.skip_space();
                }
                _ if is_empty => {}
                _ if is_object => {
                    return Err(self.error("invalid object format, expected closing character '}'"));
                }
                _ => {
                    return Err(self.error("invalid array format, expected closing character ']'"));
                }
            }
            let name = if is_object { self.name()? } else { (0, 0) };
            self.value(name)?;
        }
        Ok(())
    }

    fn name(&mut self) -> Result<(u32, u32), JsonError> {
        let start = self.position();
        if self.peek() != Some(b'"') {
            return Err(self.error("invalid object name"));
        }
        self.string()?;
        let end = self.position();
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.error("invalid object name/value separator"));
        }
        self.at += 1;
        Ok((start, end))
    }

    fn value(&mut self, (name_start, name_end): (u32, u32)) -> Result<(), JsonError> {
        self.skip_space();
        let start = self.position();
        let idx = self.nodes.len();
        if let Some(parent) = self.open.last_mut() {
            self.nodes[parent.node].n_children += 1;
            if parent.last_child != 0 {
                self.nodes[parent.last_child].next = u32::try_from(idx).unwrap_or(0);
            }
            parent.last_child = idx;
        }
        let kind = match self.peek() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::Array,
            _ => self.scalar()?,
        };
        let is_open = matches!(kind, JsonKind::Object | JsonKind::Array);
        if is_open {
            if self.open.len() >= DEPTH_MAX {
                return Err(self.error("JSON depth exceeds 64"));
            }
            self.at += 1;
            self.open.push(Open { node: idx, last_child: 0 });
        }
        let end = self.position();
        self.nodes.push(Node { start, end, name_start, name_end, next: 0, n_children: 0, kind });
        Ok(())
    }

    fn scalar(&mut self) -> Result<JsonKind, JsonError> {
        match self.peek() {
            Some(b'"') => self.string().map(|()| JsonKind::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| JsonKind::Number),
            Some(b't') => self.literal(b"true", JsonKind::True),
            Some(b'f') => self.literal(b"false", JsonKind::False),
            Some(b'n') => self.literal(b"null", JsonKind::Null),
            None => Err(ended("unexpected end of object value")),
            Some(_) => Err(self.error("invalid JSON object value starting character")),
        }
    }

    fn literal(&mut self, word: &[u8], kind: JsonKind) -> Result<JsonKind, JsonError> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(self.error("invalid literal value"));
        }
        self.at += word.len();
        Ok(kind)
    }

    fn string(&mut self) -> Result<(), JsonError> {
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let plain = rest.iter().position(|it| matches!(it, b'"' | b'\\') || *it < b' ');
            let Some(plain) = plain else {
                return Err(ended("unexpected end of string data"));
            };
            self.at += plain;
            match rest[plain] {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => self.escape()?,
                _ => return Err(self.error("invalid control character in string data")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => {
                let len = match self.unit(self.at) {
                    Some(0xD800..0xDC00) => match self.unit(self.at + 6) {
                        Some(0xDC00..0xE000) => 12,
                        _ => return Err(self.error("invalid escape sequence in string")),
                    },
                    Some(0xDC00..0xE000) | None => {
                        return Err(self.error("invalid escape sequence in string"));
                    }
                    Some(_) => 6,
                };
                self.at += len;
                Ok(())
            }
            Some(_) => Err(self.error("invalid escape sequence in string data")),
            None => Err(self.error("invalid escape sequence in string")),
        }
    }

    /// The UTF-16 unit of the escape sequence `\uXXXX` at byte `at`.
    fn unit(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        let is_hex = digits.bytes().all(|it| it.is_ascii_hexdigit());
        if is_hex { u32::from_str_radix(digits, 16).ok() } else { None }
    }

    fn number(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let starts_with_zero = self.peek() == Some(b'0');
        let int = self.digits();
        if int == 0 || (starts_with_zero && int > 1) {
            self.at = start;
            return Err(self.error("invalid numeric value format"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                self.at = start;
                return Err(self.error("invalid numeric value format"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.peek().is_none() {
                return Err(ended("unexpected end of numeric value"));
            }
            if self.digits() == 0 {
                return Err(self.error("invalid power value of number in E notation"));
            }
        }
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let n = self.bytes[self.at..].iter().take_while(|it| it.is_ascii_digit()).count();
        self.at += n;
        n
    }

    fn position(&self) -> u32 {
        // The text is shorter than 4 GiB: checked at the start.
        u32::try_from(self.at).unwrap_or(u32::MAX)
    }

    fn error(&self, what: &'static str) -> JsonError {
        let mut start = self.at.min(self.text.len());
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        let near = self.text.get(start..).unwrap_or("").chars().take(NEAR_CHARS).collect();
        JsonError { what, near: Some(near) }
    }
}

fn ended(what: &'static str) -> JsonError {
    JsonError { what, near: None }
}
