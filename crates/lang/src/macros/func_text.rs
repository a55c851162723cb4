//! Macro functions over texts.

use super::func_env::FuncError;

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
        let found = found.map(|(char, entity)| (*char, entity.len()));
        let (char, len) = found.or_else(|| numeric_entity(after)).unwrap_or(('&', 1));
        out.push(char);
        rest = after.get(len..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

/// `&#39;` or `&#x27;` at the beginning: the character and the entity's length.
fn numeric_entity(text: &str) -> Option<(char, usize)> {
    // A code point has at most seven digits; leading zeros are few.
    const DIGITS_MAX: usize = 10;
    let digits = text.strip_prefix("&#")?;
    let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    let len = digits.find(';').filter(|it| (1..=DIGITS_MAX).contains(it))?;
    let digits = digits.get(..len).filter(|it| it.chars().all(|it| it.is_digit(radix)))?;
    let code = u32::from_str_radix(digits, radix).ok().filter(|it| *it != 0)?;
    let prefix = if radix == 16 { 3 } else { 2 };
    Some((char::from_u32(code)?, prefix + len + 1))
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

/// Translates bytes: `tr(from, to)` with ranges and escapes, the last of `to` repeated. Bytes that are no
/// character then become a question mark.
pub(super) fn tr(value: &str, params: &[String]) -> Result<String, FuncError> {
    let [from, to] = params else { return Err(FuncError::Parameters) };
    let (from, to) = (byte_list(from)?, byte_list(to)?);
    let Some(&last) = to.last() else { return Ok(value.to_owned()) };
    let made = value.bytes().map(|byte| match from.iter().rposition(|it| *it == byte) {
        Some(idx) => to.get(idx).copied().unwrap_or(last),
        None => byte,
    });
    Ok(crate::text::repair_utf8(&made.collect::<Vec<u8>>()).into_owned())
}

/// The most bytes of an expanded list, exclusive.
const LIST_LEN_MAX: usize = 512;

fn byte_list(text: &str) -> Result<Vec<u8>, FuncError> {
    let mut rest = text.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    while let Some(first) = next_byte(&mut rest) {
        match rest {
            [b'-', range_end @ ..] if !range_end.is_empty() => {
                rest = range_end;
                let last = next_byte(&mut rest).unwrap_or(first);
                if last < first {
                    return Err(FuncError::Parameters);
                }
                out.extend(first..=last);
            }
            _ => out.push(first),
        }
        if out.len() >= LIST_LEN_MAX {
            return Err(FuncError::Parameters);
        }
    }
    Ok(out)
}

/// The next byte of a list, its escape resolved.
fn next_byte(rest: &mut &[u8]) -> Option<u8> {
    let (&first, behind) = rest.split_first()?;
    *rest = behind;
    if first != b'\\' {
        return Some(first);
    }
    let Some((&escaped, behind)) = behind.split_first() else { return Some(first) };
    *rest = behind;
    Some(match escaped {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'v' => 0x0b,
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::html_decode;

    #[test]
    fn entities_may_be_numbers() {
        assert_eq!(html_decode("&#039;&#39;&#x27;&#X41;&#65;&amp;lt;"), "'''AA&lt;");
        for kept in
            ["&#;", "&#x;", "&#12", "&#1114112;", "&#0;", "&#4x;", "&", "&#000000000000065;"]
        {
            assert_eq!(html_decode(kept), kept);
        }
    }
}
