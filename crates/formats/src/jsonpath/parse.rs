//! Paths to segments.

use super::ast::{Func, Matcher, Segment};
use super::parse_filter::parse_filter;
use super::result::PathError;

/// The most segments of one path. A longer one is an error.
const SEGMENTS_MAX: usize = 1_000;

pub(super) fn parse_path(text: &str) -> Result<Vec<Segment>, PathError> {
    if !text.starts_with('$') || text.len() == 1 {
        return Err(PathError::Root);
    }
    let mut parser = Parser { text, at: 1 };
    let segments = parser.segments(false)?;
    if parser.at != text.len() {
        return Err(parser.error());
    }
    Ok(segments)
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Parser<'t> {
    pub(super) fn error(&self) -> PathError {
        let mut at = self.at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        match self.text.get(at..) {
            None | Some("") => PathError::Terminated,
            Some(rest) => PathError::Syntax(rest.chars().take(128).collect()),
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), PathError> {
        if self.peek() != Some(byte) {
            return Err(self.error());
        }
        self.at += 1;
        Ok(())
    }

    /// Segments up to what can't be one. Inside filters names end at operators.
    pub(super) fn segments(&mut self, in_filter: bool) -> Result<Vec<Segment>, PathError> {
        let mut segments: Vec<Segment> = Vec::new();
        loop {
            if segments.len() >= SEGMENTS_MAX {
                return Err(self.error());
            }
            let detached = self.rest().starts_with("..");
            let matcher = match self.peek() {
                Some(b'.') => {
                    self.at += if detached { 2 } else { 1 };
                    match self.peek() {
                        Some(b'[') => self.bracket(in_filter)?,
                        _ => self.dot()?,
                    }
                }
                Some(b'[') => self.bracket(in_filter)?,
                Some(b'~') => {
                    self.at += 1;
                    Matcher::Func(Func::Name)
                }
                _ => return Ok(segments),
            };
            let is_func = matches!(matcher, Matcher::Func(_));
            let after_func =
                segments.last().is_some_and(|it| matches!(it.matcher, Matcher::Func(_)));
            if (after_func && !is_func) || (is_func && detached) {
                return Err(self.error());
            }
            segments.push(Segment { matcher, detached });
        }
    }

    fn dot(&mut self) -> Result<Matcher, PathError> {
        if self.peek() == Some(b'*') {
            self.at += 1;
            return Ok(Matcher::All);
        }
        // Other names stand in brackets.
        let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$');
        let rest = self.rest();
        let len = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        let name = rest.get(..len).unwrap_or("");
        if name.is_empty() {
            return Err(self.error());
        }
        if rest.as_bytes().get(len) == Some(&b'(') {
            let func = match name {
                "min" => Func::Min,
                "max" => Func::Max,
                "avg" => Func::Avg,
                "sum" => Func::Sum,
                "length" => Func::Length,
                "first" => Func::First,
                _ => return Err(self.error()),
            };
            self.at += len + 1;
            self.expect(b')')?;
            return Ok(Matcher::Func(func));
        }
        self.at += len;
        Ok(Matcher::Names(vec![name.to_owned()]))
    }

    fn bracket(&mut self, in_filter: bool) -> Result<Matcher, PathError> {
        self.at += 1;
        self.skip_space();
        let matcher = match self.peek() {
            Some(b'*') => {
                self.at += 1;
                Matcher::All
            }
            Some(b'?') if !in_filter => {
                self.at += 1;
                self.skip_space();
                self.expect(b'(')?;
                Matcher::Filter(parse_filter(self)?)
            }
            Some(b'"' | b'\'') => self.names()?,
            _ => self.indexes()?,
        };
        self.skip_space();
        self.expect(b']')?;
        Ok(matcher)
    }

    fn names(&mut self) -> Result<Matcher, PathError> {
        let mut names = Vec::new();
        loop {
            let name = self.quoted(|it, quote| it == quote)?;
            if name.is_empty() {
                return Err(self.error());
            }
            if !names.contains(&name) {
                names.push(name);
            }
            self.skip_space();
            if self.peek() != Some(b',') {
                return Ok(Matcher::Names(names));
            }
            self.at += 1;
            self.skip_space();
        }
    }

    /// A quoted text, in which a backslash escapes itself and the quotes for which `may_escape(it, quote)`.
    pub(super) fn quoted(
        &mut self,
        may_escape: impl Fn(char, char) -> bool,
    ) -> Result<String, PathError> {
        let Some(quote @ (b'"' | b'\'')) = self.peek() else { return Err(self.error()) };
        let mut out = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((pos, char)) = chars.next() {
            if char == char::from(quote) {
                self.at += pos + 1;
                return Ok(out);
            }
            match char {
                '\\' => match chars.next() {
                    Some((_, '\\')) => out.push('\\'),
                    Some((_, it @ ('"' | '\''))) if may_escape(it, char::from(quote)) => {
                        out.push(it);
                    }
                    _ => return Err(self.error()),
                },
                _ => out.push(char),
            }
        }
        Err(self.error())
    }

    fn indexes(&mut self) -> Result<Matcher, PathError> {
        let first = self.index()?;
        self.skip_space();
        if self.peek() == Some(b':') {
            self.at += 1;
            self.skip_space();
            return Ok(Matcher::Slice(first, self.index()?));
        }
        let mut indexes = vec![first.ok_or_else(|| self.error())?];
        while self.peek() == Some(b',') {
            self.at += 1;
            self.skip_space();
            let index = self.index()?.ok_or_else(|| self.error())?;
            if !indexes.contains(&index) {
                indexes.push(index);
            }
            self.skip_space();
        }
        Ok(Matcher::Indexes(indexes))
    }

    fn index(&mut self) -> Result<Option<i64>, PathError> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return if sign == 0 { Ok(None) } else { Err(self.error()) };
        }
        let text = rest.get(..sign + digits).unwrap_or("");
        let index = text.parse().map_err(|_large| self.error())?;
        self.at += sign + digits;
        Ok(Some(index))
    }
}
