//! A position in JSON text and its steps, of eight bytes at a time where that is faster.

use serde::de::IgnoredAny;

/// Part of the text, in bytes. Starts with [`Span::ARENA`] set lie in the arena of unescaped text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) len: u32,
}

impl Span {
    pub(super) const ARENA: u32 = 1 << 31;
    /// Longest text that a span can address: one bit marks the arena. A longer request is refused.
    pub(super) const TEXT_MAX: usize = (1 << 31) - 1;

    /// Positions are below `TEXT_MAX`, which the parser checks once for the whole text.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "texts over 2^31 bytes are refused before")]
    pub(super) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, len: end.wrapping_sub(start) as u32 }
    }

    #[inline]
    pub(super) fn range(self) -> std::ops::Range<usize> {
        let start = (self.start & !Self::ARENA) as usize;
        start..start + self.len as usize
    }
}

/// Why reading stops, at the cursor's position. One byte, so that results travel in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Syntax,
    NotAnArray,
    TooManyRows,
}

/// A JSON value, as far as rows need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    /// Between the quotes, still escaped if so marked.
    Text {
        span: Span,
        escaped: bool,
    },
    /// The text of a number, and its value if it is a whole one of 0..=10^19-1.
    Number {
        span: Span,
        whole: Option<u64>,
    },
    Bool(Span),
    Null,
    /// An array or object, skipped.
    Compound,
}

#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    pos: usize,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The high bit of each byte of `word` that is zero; bytes above the first zero may be wrong.
#[inline]
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}

/// The high bit of each byte that ends or interrupts a string: quote, backslash, control character.
#[inline]
const fn string_stops(word: u64) -> u64 {
    let quotes = zero_bytes(word ^ (ONES * 0x22));
    let backslashes = zero_bytes(word ^ (ONES * 0x5c));
    let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
    quotes | backslashes | controls
}

/// The value of eight ASCII digits, the first in the lowest byte; `None` if one is no digit.
#[inline]
const fn eight_digits(word: u64) -> Option<u64> {
    let high = word & (ONES * 0xf0);
    let high_plus_6 = word.wrapping_add(ONES * 0x06) & (ONES * 0xf0);
    if high != ONES * 0x30 || high_plus_6 != ONES * 0x30 {
        return None;
    }
    let digits = word & (ONES * 0x0f);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    Some(low.wrapping_add(high) >> 32)
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, pos: 0 }
    }

    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.pos).copied()
    }

    pub(super) fn slice(&self, span: Span) -> &'a [u8] {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The next eight bytes, little-endian; `None` near the end.
    #[inline]
    pub(super) fn word(&self) -> Option<u64> {
        let chunk = self.text.get(self.pos..)?.first_chunk::<8>()?;
        Some(u64::from_le_bytes(*chunk))
    }

    #[inline]
    pub(super) fn advance(&mut self, n_bytes: usize) {
        self.pos += n_bytes;
    }

    /// The next byte after white space, not consumed.
    #[inline]
    pub(super) fn peek_token(&mut self) -> Option<u8> {
        loop {
            let byte = self.peek()?;
            if byte > b' ' {
                return Some(byte);
            }
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.pos += 1;
        }
    }

    /// Consumes `wanted` after white space.
    #[inline]
    pub(super) fn expect(&mut self, wanted: u8) -> Result<(), Stop> {
        if self.peek_token() != Some(wanted) {
            return Err(Stop::Syntax);
        }
        self.pos += 1;
        Ok(())
    }

    /// Consumes `wanted` after white space if it is there.
    #[inline]
    pub(super) fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek_token() == Some(wanted);
        self.pos += usize::from(found);
        found
    }

    /// After a member or an element: whether another follows (`true`) or this was the end.
    #[inline]
    pub(super) fn next_or_end(&mut self, end: u8) -> Result<bool, Stop> {
        match self.peek_token() {
            Some(b',') => {
                self.pos += 1;
                Ok(true)
            }
            Some(byte) if byte == end => {
                self.pos += 1;
                Ok(false)
            }
            _ => Err(Stop::Syntax),
        }
    }

    /// The rest of a string whose opening quote is consumed: its span and whether it has escapes.
    #[inline]
    pub(super) fn string_rest(&mut self) -> Result<(Span, bool), Stop> {
        let start = self.pos;
        let mut escaped = false;
        loop {
            let stop = self.find_stop()?;
            match stop {
                b'"' => {
                    let span = Span::new(start, self.pos);
                    self.pos += 1;
                    return Ok((span, escaped));
                }
                b'\\' => {
                    escaped = true;
                    self.skip_escape()?;
                }
                _ => return Err(Stop::Syntax),
            }
        }
    }

    /// Moves to the next quote, backslash or control character.
    #[inline]
    fn find_stop(&mut self) -> Result<u8, Stop> {
        while let Some(word) = self.word() {
            let stops = string_stops(word);
            if stops != 0 {
                let shift = stops.trailing_zeros() & !7;
                self.pos += (shift / 8) as usize;
                // The lowest byte of the shifted word, so no information is lost.
                return Ok((word >> shift).to_le_bytes()[0]);
            }
            self.pos += 8;
        }
        while let Some(byte) = self.peek() {
            if byte == b'"' || byte == b'\\' || byte < 0x20 {
                return Ok(byte);
            }
            self.pos += 1;
        }
        Err(Stop::Syntax)
    }

    #[cold]
    fn skip_escape(&mut self) -> Result<(), Stop> {
        let rest = self.text.get(self.pos + 1..).unwrap_or_default();
        let len = match rest {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [b'u', a, b, c, d, ..] if [a, b, c, d].iter().all(|it| it.is_ascii_hexdigit()) => 6,
            _ => return Err(Stop::Syntax),
        };
        self.pos += len;
        Ok(())
    }

    /// A string without escapes after white space; `None`, with nothing consumed, if something else
    /// is there.
    #[inline]
    pub(super) fn plain_text(&mut self) -> Result<Option<Span>, Stop> {
        if self.peek_token() != Some(b'"') {
            return Ok(None);
        }
        let quote = self.pos;
        self.pos += 1;
        if self.find_stop()? == b'"' {
            let span = Span::new(quote + 1, self.pos);
            self.pos += 1;
            return Ok(Some(span));
        }
        self.pos = quote;
        Ok(None)
    }

    /// A whole number of up to 19 digits after white space; `None`, with nothing consumed, if
    /// something else is there.
    #[inline]
    pub(super) fn plain_whole(&mut self) -> Option<u64> {
        let Some(first @ b'0'..=b'9') = self.peek_token() else { return None };
        let start = self.pos;
        let whole = self.leading_digits();
        let n_digits = self.pos - start;
        let ends = !matches!(self.peek(), Some(b'.' | b'e' | b'E'));
        // 19 digits always fit into 64 bits.
        if ends && n_digits <= 19 && (first != b'0' || n_digits == 1) {
            return Some(whole);
        }
        self.pos = start;
        None
    }

    /// Consumes digits; their value, which may have wrapped.
    #[inline]
    fn leading_digits(&mut self) -> u64 {
        let mut whole = 0_u64;
        if let Some(value) = self.word().and_then(eight_digits) {
            whole = value;
            self.pos += 8;
        }
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            whole = whole.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.pos += 1;
        }
        whole
    }

    /// A value after white space.
    #[inline]
    pub(super) fn scalar(&mut self) -> Result<Scalar, Stop> {
        match self.peek_token() {
            Some(b'"') => {
                self.pos += 1;
                let (span, escaped) = self.string_rest()?;
                Ok(Scalar::Text { span, escaped })
            }
            Some(b'0'..=b'9' | b'-') => self.number(),
            _ => self.other_value(),
        }
    }

    fn number(&mut self) -> Result<Scalar, Stop> {
        let start = self.pos;
        match self.plain_whole() {
            Some(whole) => {
                Ok(Scalar::Number { span: Span::new(start, self.pos), whole: Some(whole) })
            }
            None => self.number_slow(),
        }
    }

    fn number_slow(&mut self) -> Result<Scalar, Stop> {
        let start = self.pos;
        self.pos += usize::from(self.peek() == Some(b'-'));
        let int_start = self.pos;
        self.digits()?;
        if self.text.get(int_start) == Some(&b'0') && self.pos - int_start > 1 {
            return Err(Stop::Syntax);
        }
        if self.peek() == Some(b'.') {
            self.pos += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.pos += 1;
            self.pos += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(Scalar::Number { span: Span::new(start, self.pos), whole: None })
    }

    fn digits(&mut self) -> Result<(), Stop> {
        let start = self.pos;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.pos += 1;
        }
        if self.pos == start { Err(Stop::Syntax) } else { Ok(()) }
    }

    #[cold]
    fn other_value(&mut self) -> Result<Scalar, Stop> {
        let rest = self.text.get(self.pos..).unwrap_or_default();
        for (word, is_null) in [(b"null".as_slice(), true), (b"true", false), (b"false", false)] {
            if rest.starts_with(word) {
                let span = Span::new(self.pos, self.pos + word.len());
                self.pos += word.len();
                return Ok(if is_null { Scalar::Null } else { Scalar::Bool(span) });
            }
        }
        match rest.first() {
            Some(b'{' | b'[') => {
                self.skip_compound()?;
                Ok(Scalar::Compound)
            }
            _ => Err(Stop::Syntax),
        }
    }

    /// Skips an array or object, fully checked by `serde_json`, which keeps no stack for ignored
    /// values.
    #[cold]
    pub(super) fn skip_compound(&mut self) -> Result<Span, Stop> {
        let start = self.pos;
        let rest = self.text.get(start..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(IgnoredAny)) => {
                self.pos += values.byte_offset();
                Ok(Span::new(start, self.pos))
            }
            _ => Err(Stop::Syntax),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> u64 {
        u64::from_le_bytes(text.as_bytes().try_into().unwrap())
    }

    #[test]
    fn eight_digits_at_once() {
        assert_eq!(eight_digits(word("12345678")), Some(12_345_678));
        assert_eq!(eight_digits(word("00000000")), Some(0));
        assert_eq!(eight_digits(word("99999999")), Some(99_999_999));
        for no in ["1234567/", "1234567:", ":2345678", "1234 678", "1234567\u{7f}"] {
            assert_eq!(eight_digits(word(no)), None, "{no}");
        }
    }

    #[test]
    fn first_stop_of_a_word_is_exact() {
        for stop in (0..=255_u8).filter(|it| *it < 0x20 || matches!(it, b'"' | b'\\')) {
            for at in 0..8_usize {
                for filler in [b'a', 0x20, 0x21, 0x23, 0x5b, 0x5d, 0x80, 0xff, 0xa2] {
                    let mut bytes = [filler; 8];
                    assert_eq!(string_stops(u64::from_le_bytes(bytes)), 0);
                    bytes[at] = stop;
                    let stops = string_stops(u64::from_le_bytes(bytes));
                    assert_eq!(stops.trailing_zeros() as usize / 8, at, "{stop} {filler}");
                }
            }
        }
    }
}
