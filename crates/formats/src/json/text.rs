//! Strings of JSON: decoding and quoting.

use std::borrow::Cow;

use crate::number::format_f64;

/// The value of a valid string as written, quotes included. A NUL ends it, as in Zabbix.
#[must_use]
pub fn decode_string(raw: &str) -> Cow<'_, str> {
    let inner = raw.strip_prefix('"').unwrap_or(raw);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(pos) = rest.find('\\') {
        let (before, escape) = rest.split_at(pos);
        out.push_str(before);
        let Some((char, len)) = escaped(escape) else { break };
        if char == '\0' {
            return Cow::Owned(out);
        }
        out.push(char);
        rest = escape.get(len..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character of the escape sequence at the start of `text`, and the length of the sequence.
fn escaped(text: &str) -> Option<(char, usize)> {
    let char = match text.as_bytes().get(1)? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(text),
        _ => char::from(*text.as_bytes().get(1)?),
    };
    Some((char, 2))
}

fn unicode(text: &str) -> Option<(char, usize)> {
    let unit = |from: usize| u32::from_str_radix(text.get(from..from + 4)?, 16).ok();
    let first = unit(2)?;
    if (0xD800..0xDC00).contains(&first)
        && text.get(6..8) == Some("\\u")
        && let Some(second) = unit(8)
        && (0xDC00..0xE000).contains(&second)
    {
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return Some((char::from_u32(code)?, 12));
    }
    Some((char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 6))
}

/// A valid JSON number as JSONPath gives it: fractions and exponents go through a float, so that
/// `1.50` is `1.5` and `1e3` is `1000`. Whole numbers stay as they are, however long: a float would
/// not hold their last digits.
pub(super) fn number(raw: &str) -> Cow<'_, str> {
    if !raw.contains(['.', 'e', 'E']) {
        return Cow::Borrowed(raw);
    }
    match raw.parse::<f64>() {
        Ok(it) if it.is_finite() => Cow::Owned(format_f64(it)),
        _ => Cow::Borrowed(raw),
    }
}

/// For [`compact`]: numbers stay as they are.
pub(super) fn as_written(number: &str) -> Cow<'_, str> {
    Cow::Borrowed(number)
}

/// A valid JSON text without white space between its parts; strings with escapes are encoded again,
/// numbers as `number` returns them.
pub(super) fn compact(raw: &str, number: impl Fn(&str) -> Cow<'_, str>) -> String {
    let bytes = raw.as_bytes();
    let mut out = String::with_capacity(raw.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            b'"' => {
                let len = string_len(&bytes[at..]);
                let string = raw.get(at..at + len).unwrap_or("");
                if string.contains('\\') {
                    out.push_str(&quote(&decode_string(string)));
                } else {
                    out.push_str(string);
                }
                at += len;
            }
            b'-' | b'0'..=b'9' => {
                let rest = &bytes[at..];
                let is_part =
                    |it: &u8| matches!(it, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let len = rest.iter().take_while(|it| is_part(it)).count();
                out.push_str(&number(raw.get(at..at + len).unwrap_or("")));
                at += len;
            }
            _ => {
                let rest = &bytes[at..];
                let end = |it: &u8| {
                    matches!(it, b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'-' | b'0'..=b'9')
                };
                let len = rest.iter().position(end).unwrap_or(rest.len());
                out.push_str(raw.get(at..at + len).unwrap_or(""));
                at += len;
            }
        }
    }
    out
}

/// Length of the valid string at the start of `text`, with its quotes.
fn string_len(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// `value` as a JSON string with its quotes.
#[must_use]
pub fn quote(value: &str) -> String {
    // Serialising a string cannot fail.
    serde_json::to_string(value).unwrap_or_default()
}
