//! Numbers as they are given: as such, or as texts.

use serde_json::Value;

/// A whole number given as number or text.
#[must_use]
pub fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(it) => it.as_i64(),
        Value::String(it) => it.trim().parse().ok(),
        Value::Bool(it) => Some(i64::from(*it)),
        _ => None,
    }
}

/// A whole number as newer methods take it: no number with a point, no text with more than its digits.
///
/// # Errors
/// Its error, in Zabbix's words.
pub fn integer(value: &Value) -> Result<i64, &'static str> {
    const TOO_LARGE: &str = "a number is too large";
    match value {
        Value::Number(it) if it.is_f64() => Err("an integer is expected"),
        Value::Number(it) => it.as_i64().ok_or(TOO_LARGE),
        Value::String(it) if is_integer(it) => it.parse().map_err(|_error| TOO_LARGE),
        _ => Err("an integer is expected"),
    }
}

/// The last second that a timestamp may name.
const TIMESTAMP_MAX: i64 = 2_147_483_647;

/// Seconds since 1970, as number or text.
///
/// # Errors
/// As [`integer`].
pub fn timestamp(value: &Value) -> Result<i64, &'static str> {
    const TOO_LARGE: &str = "a timestamp is too large";
    match integer(value) {
        Ok(it) if it < 0 => Err("an unsigned integer is expected"),
        Ok(it) if it <= TIMESTAMP_MAX => Ok(it),
        Ok(_) | Err("a number is too large") => Err(TOO_LARGE),
        Err(_) => Err("an unsigned integer is expected"),
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit())
}

/// An id as it is kept: digits without zeros in front.
///
/// # Errors
/// As [`integer`].
pub(crate) fn id(value: &Value) -> Result<String, &'static str> {
    let Some(text) = number_text(value).filter(|it| is_integer(it) && !it.starts_with('-')) else {
        return Err("a number is expected");
    };
    let id = text.parse::<u64>().ok().filter(|it| i64::try_from(*it).is_ok());
    id.map(|it| it.to_string()).ok_or("a number is too large")
}

pub(super) fn number_text(value: &Value) -> Option<String> {
    match value {
        Value::Number(it) => it.as_u64().map(|it| it.to_string()),
        Value::String(it) => Some(it.clone()),
        _ => None,
    }
}

pub(super) fn join(codes: &[i64]) -> String {
    codes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
