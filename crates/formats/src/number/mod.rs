//! Numbers as users write them: plain decimals, size and time suffixes, time suffix durations.
//!
//! Follows Zabbix: no hexadecimal, no `inf`/`nan`, no white space inside, a result that overflows
//! is not a number. Formatting lives in [`format`].

mod format;

pub use format::{format_f64, format_stored, with_stored, write_f64};

/// Two floating point numbers nearer than this are equal in expressions.
pub const EPSILON: f64 = 2.22e-16;

/// Suffixes that may follow a number, with their factors.
const FACTORS: &[(u8, f64)] = &[
    (b'K', 1024.0),
    (b'M', 1_048_576.0),
    (b'G', 1_073_741_824.0),
    (b'T', 1_099_511_627_776.0),
    (b's', 1.0),
    (b'm', 60.0),
    (b'h', 3_600.0),
    (b'd', 86_400.0),
    (b'w', 604_800.0),
];

/// Factor of a size suffix (`K M G T`, powers of 1024) or a time suffix (`s m h d w`).
#[must_use]
pub fn suffix_factor(suffix: u8) -> Option<f64> {
    FACTORS.iter().find(|(it, _)| *it == suffix).map(|(_, factor)| *factor)
}

/// Seconds of one unit of a time suffix (`s m h d w`).
#[must_use]
pub fn time_suffix_s(suffix: u8) -> Option<u64> {
    match suffix {
        b's' => Some(1),
        b'm' => Some(60),
        b'h' => Some(3_600),
        b'd' => Some(86_400),
        b'w' => Some(604_800),
        _ => None,
    }
}

/// Equality of expressions: within [`EPSILON`].
#[must_use]
pub fn same(left: f64, right: f64) -> bool {
    (left - right).abs() <= EPSILON
}

/// Length in bytes of the unsigned decimal number (`1`, `1.`, `.1`, `1.5e-3`) at the start of `text`;
/// 0 if there is none. An exponent without digits is not part of the number.
#[must_use]
pub fn decimal_len(text: &[u8]) -> usize {
    let int = digits_len(text);
    let mut len = int;
    let mut n_digits = int;
    if text.get(len) == Some(&b'.') {
        let fraction = digits_len(&text[len + 1..]);
        n_digits += fraction;
        len += 1 + fraction;
    }
    if n_digits == 0 {
        return 0;
    }
    if matches!(text.get(len), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(len + 1), Some(b'+' | b'-')));
        let exponent = text.get(len + 1 + sign..).map_or(0, digits_len);
        if exponent > 0 {
            len += 1 + sign + exponent;
        }
    }
    len
}

fn digits_len(text: &[u8]) -> usize {
    text.iter().take_while(|it| it.is_ascii_digit()).count()
}

/// A decimal floating point number with optional sign; `None` also if it overflows.
#[must_use]
pub fn parse_f64(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    if decimal_len(&bytes[sign..]) != bytes.len() - sign || bytes.len() == sign {
        return None;
    }
    text.parse::<f64>().ok().filter(|it| it.is_finite())
}

/// A decimal number with optional minus and one optional suffix of `K M G T s m h d w`.
#[must_use]
pub fn parse_suffixed(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let len = sign + decimal_len(&bytes[sign..]);
    if len == sign {
        return None;
    }
    let factor = match bytes.get(len..)? {
        [] => 1.0,
        [suffix] => suffix_factor(*suffix)?,
        _ => return None,
    };
    let number = text.get(..len)?.parse::<f64>().ok()? * factor;
    number.is_finite().then_some(number)
}

/// An unsigned 64-bit number: digits only.
#[must_use]
pub fn parse_u64(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    if bytes.is_empty() || !bytes.iter().all(u8::is_ascii_digit) {
        return None;
    }
    text.parse().ok()
}

/// An unsigned 64-bit number with one optional suffix of `K M G T s m h d w`.
#[must_use]
pub fn parse_u64_suffixed(text: &str) -> Option<u64> {
    let suffix = *text.as_bytes().last()?;
    let Some(factor) = suffix_factor(suffix) else { return parse_u64(text) };
    let digits = text.get(..text.len() - 1)?;
    parse_u64(digits)?.checked_mul(f64_to_u64(factor)?)
}

/// A duration in seconds: digits with one optional suffix of `s m h d w`.
#[must_use]
pub fn parse_duration_s(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    let len = digits_len(bytes);
    let factor = match &bytes[len..] {
        [] => 1,
        [suffix] => time_suffix_s(*suffix)?,
        _ => return None,
    };
    parse_u64(text.get(..len)?)?.checked_mul(factor)
}

/// A signed duration in seconds, `-1d`.
#[must_use]
pub fn parse_signed_duration_s(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(rest) => i64::try_from(parse_duration_s(rest)?).ok().map(|it| -it),
        None => i64::try_from(parse_duration_s(text)?).ok(),
    }
}

/// Text of a number as it arrives from a device: without blanks and line ends around it, one pair of
/// quotes and (integers only) one leading plus.
#[must_use]
pub fn trim_integer(text: &str) -> &str {
    let text = trim_float(text);
    text.strip_prefix('+').unwrap_or(text)
}

/// As [`trim_integer`], but a leading plus stays: a float may have one.
#[must_use]
pub fn trim_float(text: &str) -> &str {
    let text = text.trim_matches([' ', '\n', '\r']);
    text.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(text)
}

/// A number as a device sends it, as an unsigned 64-bit one: `12`, `12.000`, and, as items of whole numbers
/// cut fractions, `5.5`, `.5` and `1e3`. `None` for what is no number, below zero or above 2^64 - 1.
#[must_use]
pub fn read_u64(text: &str) -> Option<u64> {
    let text = without_zero_fraction(trim_integer(text));
    parse_u64(text).or_else(|| f64_to_u64(parse_f64(text)?))
}

/// `12.000` is the whole number 12: all of its digits count, where a float would keep 53 bits.
#[must_use]
pub fn without_zero_fraction(text: &str) -> &str {
    match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|it| it == b'0') => whole,
        _ => text,
    }
}

/// The integer that `value` rounds down to, if an unsigned 64-bit number can hold it; `-0.5` is below zero.
#[must_use]
pub fn f64_to_u64(value: f64) -> Option<u64> {
    // 2^64 as a float: the smallest value that no longer fits.
    if !(0.0..18_446_744_073_709_551_616.0).contains(&value) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "range checked")]
    Some(value as u64)
}

/// The nearest float; integers above 2^53 are rounded.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "expressions calculate in floating point")]
pub fn u64_to_f64(value: u64) -> f64 {
    value as f64
}

/// The nearest float; see [`u64_to_f64`].
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "expressions calculate in floating point")]
pub fn i64_to_f64(value: i64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_multiply() {
        assert_eq!(parse_suffixed("1K"), Some(1024.0));
        assert_eq!(parse_suffixed("-1.5h"), Some(-5400.0));
        assert_eq!(parse_suffixed("+1"), None);
        assert_eq!(parse_suffixed("1y"), None);
        assert_eq!(parse_suffixed("1e+308K"), None);
        assert_eq!(parse_u64_suffixed("2K"), Some(2_048));
        assert_eq!(parse_u64_suffixed("2.0"), None);
        assert_eq!(parse_u64_suffixed("K"), None);
        assert_eq!(parse_u64_suffixed("18446744073709551615K"), None);
    }

    #[test]
    fn durations_are_whole_numbers() {
        assert_eq!(parse_duration_s("5m"), Some(300));
        assert_eq!(parse_duration_s("1.5m"), None);
        assert_eq!(parse_duration_s(""), None);
        assert_eq!(parse_signed_duration_s("-1d"), Some(-86_400));
    }

    #[test]
    fn an_exponent_without_digits_ends_the_number() {
        assert_eq!(decimal_len(b"1e"), 1);
        assert_eq!(decimal_len(b"1e+"), 1);
        assert_eq!(decimal_len(b".e5"), 0);
    }
}
