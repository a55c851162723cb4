//! One line of the format, and the pieces that queries have as well.

use std::borrow::Cow;

use crate::number;

/// Characters of a text that an error shows.
const NEAR_CHARS: usize = 2_048;
/// For any fault of a label's name, operator or value.
const BAD_LABEL: &str = "cannot parse label";

/// The fault, and its first byte.
pub(super) type Wrong = (&'static str, usize);

/// A line with a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Line<'t> {
    /// Name of the metric.
    pub name: &'t str,
    /// Labels in their order, values unescaped.
    pub labels: Vec<(&'t str, Cow<'t, str>)>,
    /// The value as written.
    pub value: &'t str,
    /// Bytes up to the end of the value.
    pub len: usize,
}

/// The line at the start of a text.
///
/// # Errors
/// What is wrong, and from which byte on.
pub fn parse_line(text: &str) -> Result<Line<'_>, (&'static str, usize)> {
    let mut cursor = Cursor { text, at: 0 };
    let name = cursor.metric_name()?;
    cursor.skip_space();
    let labels = if cursor.peek() == Some(b'{') { cursor.labels()? } else { Vec::new() };
    let value = cursor.value()?;
    Ok(Line { name, labels, value, len: cursor.at })
}

pub(super) fn near(text: &str, at: usize) -> String {
    let mut start = at.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    text.get(start..).unwrap_or("").chars().take(NEAR_CHARS).collect()
}

/// A place in a text.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn skip_space(&mut self) -> bool {
        let start = self.at;
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        self.at > start
    }

    fn word(&mut self, fits: impl Fn(u8) -> bool, what: &'static str) -> Result<&'t str, Wrong> {
        let rest = self.rest();
        let len = rest.bytes().take_while(|it| fits(*it)).count();
        let word = rest.get(..len).unwrap_or("");
        if word.is_empty() || word.starts_with(|it: char| it.is_ascii_digit()) {
            return Err((what, self.at));
        }
        self.at += len;
        Ok(word)
    }

    pub(super) fn metric_name(&mut self) -> Result<&'t str, Wrong> {
        let fits = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b':');
        self.word(fits, "cannot parse metric name")
    }

    pub(super) fn label_name(&mut self) -> Result<&'t str, Wrong> {
        self.word(|it| it.is_ascii_alphanumeric() || it == b'_', BAD_LABEL)
    }

    /// `"…"` with the escapes `\\`, `\"` and `\n`.
    pub(super) fn label_value(&mut self) -> Result<Cow<'t, str>, Wrong> {
        if self.peek() != Some(b'"') {
            return Err((BAD_LABEL, self.at));
        }
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut end = start;
        let mut is_escaped = false;
        loop {
            let rest = bytes.get(end..).unwrap_or(&[]);
            let Some(len) = memchr::memchr2(b'"', b'\\', rest) else {
                return Err((BAD_LABEL, self.at));
            };
            end += len;
            if bytes[end] == b'"' {
                break;
            }
            is_escaped = true;
            if !matches!(bytes.get(end + 1), Some(b'\\' | b'"' | b'n')) {
                return Err((BAD_LABEL, end));
            }
            end += 2;
        }
        let raw = self.text.get(start..end).unwrap_or("");
        self.at = end + 1;
        Ok(if is_escaped { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) })
    }

    /// `{name="value", …}` of a line.
    pub(super) fn labels(&mut self) -> Result<Vec<(&'t str, Cow<'t, str>)>, Wrong> {
        let mut labels = Vec::new();
        self.at += 1;
        loop {
            self.skip_space();
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(labels);
            }
            let name = self.label_name()?;
            self.skip_space();
            if self.peek() != Some(b'=') {
                return Err((BAD_LABEL, self.at));
            }
            self.at += 1;
            let is_match = self.peek() == Some(b'~');
            self.at += usize::from(is_match);
            self.skip_space();
            let value = self.label_value()?;
            if is_match {
                return Err(("invalid label assignment operator", self.at));
            }
            labels.push((name, value));
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {}
                _ => return Err(("missing label list terminating character \"}\"", self.at)),
            }
        }
    }

    /// White space, then a number up to white space.
    pub(super) fn value(&mut self) -> Result<&'t str, Wrong> {
        let spaced = self.skip_space() || {
            let before = self.at.checked_sub(1).and_then(|it| self.text.as_bytes().get(it));
            matches!(before, Some(b' ' | b'\t'))
        };
        let rest = self.rest();
        let len = rest.find([' ', '\t', '\n', '\r']).unwrap_or(rest.len());
        let value = rest.get(..len).unwrap_or("");
        if !spaced {
            return Err(("cannot parse text", self.at));
        }
        if number_of(value).is_none() {
            return Err(("cannot parse metric value", self.at));
        }
        self.at += len;
        Ok(value)
    }
}

/// A number as the format has them, `nan` and `inf` in any case.
pub(super) fn number_of(text: &str) -> Option<f64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'+' => (1.0, text.get(1..)?),
        b'-' => (-1.0, text.get(1..)?),
        _ => (1.0, text),
    };
    if digits.eq_ignore_ascii_case("nan") {
        return (digits.len() == text.len()).then_some(f64::NAN);
    }
    if digits.eq_ignore_ascii_case("inf") {
        return Some(sign * f64::INFINITY);
    }
    if digits.is_empty() || number::decimal_len(digits.as_bytes()) != digits.len() {
        return None;
    }
    digits.parse::<f64>().ok().map(|it| sign * it)
}

/// Valid escapes replaced.
fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(char) = chars.next() {
        out.push(match char {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    out
}

/// As label values, without quotes; a backslash before anything else is one.
pub(super) fn unescape_help(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(char) = chars.next() {
        let escaped = match (char, chars.peek()) {
            ('\\', Some('n')) => '\n',
            ('\\', Some(it @ ('\\' | '"'))) => *it,
            _ => {
                out.push(char);
                continue;
            }
        };
        chars.next();
        out.push(escaped);
    }
    out
}
