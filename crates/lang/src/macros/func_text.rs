//! Macro functions over texts.

use super::func::FuncError;

pub(super) fn base64(value: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(value.len().div_ceil(3) * 4);
    for chunk in value.as_bytes().chunks(3) {
        let byte = |idx: usize| u32::from(chunk.get(idx).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for idx in 0..4 {
            if idx > chunk.len() {
                out.push('=');
                continue;
            }
            let digit = usize::try_from(bits >> (18 - 6 * idx) & 63).unwrap_or(0);
            out.push(char::from(DIGITS[digit]));
        }
    }
    out
}

const ENTITIES: &[(char, &str)] =
    &[('&', "&amp;"), ('"', "&quot;"), ('<', "&lt;"), ('>', "&gt;"), ('\'', "&#39;")];

pub(super) fn html_encode(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for char in value.chars() {
        match ENTITIES.iter().find(|(it, _)| *it == char) {
            Some((_, entity)) => out.push_str(entity),
            None => out.push(char),
        }
    }
    out
}

pub(super) fn html_decode(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(pos) = rest.find('&') {
        let (before, after) = rest.split_at(pos);
        out.push_str(before);
        let found = ENTITIES.iter().find(|(_, entity)| after.starts_with(entity));
        let (char, len) = found.map_or(('&', 1), |(char, entity)| (*char, entity.len()));
        out.push(char);
        rest = after.get(len..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

pub(super) fn url_encode(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

pub(super) fn url_decode(value: &str) -> Result<String, FuncError> {
    let mut out = Vec::with_capacity(value.len());
    let mut bytes = value.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let digits = bytes.next().zip(bytes.next()).ok_or(FuncError::Value)?;
                let digit = |it: u8| char::from(it).to_digit(16).ok_or(FuncError::Value);
                let code = digit(digits.0)? * 16 + digit(digits.1)?;
                out.push(u8::try_from(code).map_err(|_never| FuncError::Value)?);
            }
            b'+' => out.push(b' '),
            byte => out.push(byte),
        }
    }
    String::from_utf8(out).map_err(|_invalid| FuncError::Value)
}

/// Translates characters: `tr(from, to)` with ranges and escapes, the last of `to` repeated.
pub(super) fn tr(value: &str, params: &[String]) -> Result<String, FuncError> {
    let [from, to] = params else { return Err(FuncError::Parameters) };
    let (from, to) = (char_list(from)?, char_list(to)?);
    let Some(&last) = to.last() else { return Ok(value.to_owned()) };
    Ok(value
        .chars()
        .map(|char| match from.iter().rposition(|it| *it == char) {
            Some(idx) => to.get(idx).copied().unwrap_or(last),
            None => char,
        })
        .collect())
}

/// Characters that a list may stand for.
const LIST_LEN_MAX: usize = 4_096;

fn char_list(text: &str) -> Result<Vec<char>, FuncError> {
    let mut chars = text.chars().peekable();
    let mut out: Vec<char> = Vec::new();
    while let Some(char) = chars.next() {
        let first = if char == '\\' { escape(&mut chars) } else { char };
        let mut ahead = chars.clone();
        let is_range = ahead.next() == Some('-') && ahead.peek().is_some();
        if !is_range {
            out.push(first);
            continue;
        }
        chars.next();
        let last = match chars.next() {
            Some('\\') => escape(&mut chars),
            Some(it) => it,
            None => return Err(FuncError::Parameters),
        };
        if last < first || !first.is_ascii() || !last.is_ascii() {
            return Err(FuncError::Parameters);
        }
        out.extend(first..=last);
        if out.len() > LIST_LEN_MAX {
            return Err(FuncError::Parameters);
        }
    }
    Ok(out)
}

fn escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> char {
    match chars.next() {
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('a') => '\u{7}',
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('v') => '\u{b}',
        Some(it) => it,
        None => '\\',
    }
}
