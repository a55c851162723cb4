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
