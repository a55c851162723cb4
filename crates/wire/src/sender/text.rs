//! Texts: validation, unescaping, escaping.

use std::borrow::Cow;

/// Replaces a byte that is not UTF-8, or half a surrogate pair. One byte, so that texts never grow.
const REPLACEMENT: char = '?';

/// `bytes` as text, each byte outside valid UTF-8 replaced by `?`. Valid input is only checked.
pub(crate) fn to_valid_utf8(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_invalid) => Cow::Owned(replace_invalid(bytes)),
    }
}

#[cold]
fn replace_invalid(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| REPLACEMENT));
    }
    out
}

/// Appends the text of the JSON string body `escaped`. Its escapes were checked before; a damaged
/// one reads as `?`.
pub(super) fn unescape(escaped: &str, out: &mut String) {
    let mut rest = escaped;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let mut chars = after.chars();
        match chars.next() {
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let (character, tail) = unescape_unicode(chars.as_str());
                out.push(character);
                rest = tail;
                continue;
            }
            Some(literal) => out.push(literal),
            None => out.push(REPLACEMENT),
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
}

/// `text` follows `\u`. The character, and the text after its one or two escapes.
fn unescape_unicode(text: &str) -> (char, &str) {
    let Some((first, tail)) = split_hex(text) else { return (REPLACEMENT, text) };
    if (0xd800..0xdc00).contains(&first)
        && let Some((second @ 0xdc00..0xe000, pair_tail)) =
            tail.strip_prefix("\\u").and_then(split_hex)
    {
        let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return (char::from_u32(code).unwrap_or(REPLACEMENT), pair_tail);
    }
    (char::from_u32(first).unwrap_or(REPLACEMENT), tail)
}

fn split_hex(text: &str) -> Option<(u32, &str)> {
    let (digits, tail) = text.split_at_checked(4)?;
    Some((u32::from_str_radix(digits, 16).ok()?, tail))
}

/// Appends `text` as a JSON string, quotes included.
pub(crate) fn write_json_string(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|it| *it < 0x20 || matches!(it, b'"' | b'\\')) {
        let (before, from) = rest.split_at(at);
        out.extend_from_slice(before);
        let Some((&byte, after)) = from.split_first() else { break };
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => {
                out.extend_from_slice(b"\\u00");
                let nibbles = [byte >> 4, byte & 15];
                out.extend(nibbles.iter().filter_map(|it| HEX.get(usize::from(*it))));
            }
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_invalid_byte_becomes_one_question_mark() {
        for (bytes, text) in [
            (b"plain".as_slice(), "plain"),
            (b"a\xffb", "a?b"),
            (b"\xe2\x82", "??"),
            (b"\xe2\x82\xacuro", "\u{20ac}uro"),
            (b"\xed\xa0\x80", "???"),
            (b"\xc0\x80", "??"),
        ] {
            assert_eq!(to_valid_utf8(bytes), text);
        }
    }

    #[test]
    fn escapes_are_undone() {
        for (escaped, text) in [
            (r"a\tb\n\r\b\f", "a\tb\n\r\u{8}\u{c}"),
            (r#"\"\\\/"#, "\"\\/"),
            (r"\u0420\u0435x", "\u{420}\u{435}x"),
            (r"\ud83d\ude00!", "\u{1f600}!"),
            (r"\ud83d!", "?!"),
            (r"\ude00\ud83d", "??"),
            (r"\ud83d\ud83d\ude00", "?\u{1f600}"),
            (r"\u0000", "\0"),
        ] {
            let mut out = String::new();
            unescape(escaped, &mut out);
            assert_eq!(out, text, "{escaped}");
        }
    }

    #[test]
    fn strings_survive_escaping() {
        let text: String = (0..0x300).filter_map(char::from_u32).collect();
        let mut out = Vec::new();
        write_json_string(&text, &mut out);
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
    }
}
