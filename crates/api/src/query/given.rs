//! Values of parameters as Zabbix reads them.

use serde_json::{Map, Value};

use crate::error::{ApiError, param};
use crate::validate::numbers;

/// Zabbix's idea of a set flag: true, a number other than 0, a text other than "" and "0".
#[must_use]
pub fn is_true(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(it)) => *it,
        Some(Value::String(it)) => !it.is_empty() && it != "0",
        Some(Value::Number(it)) => it.as_f64() != Some(0.0),
        Some(_) => true,
    }
}

/// A parameter such as `hostids`: one id or a list. `None`: not given, so not restricted. A value that is no
/// id means no object, unless that is to be refused.
///
/// # Errors
/// If one is no id, and `is_strict`.
pub fn ids(
    params: &Map<String, Value>,
    name: &str,
    is_strict: bool,
) -> Result<Option<Vec<u64>>, ApiError> {
    let is_scalar = params.get(name).is_some_and(|it| !it.is_array() && !it.is_object());
    let list: Vec<&Value> = match params.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(list)) => list.iter().collect(),
        Some(Value::Object(list)) => list.values().collect(),
        Some(one) => vec![one],
    };
    let mut ids = Vec::with_capacity(list.len());
    for (at, it) in list.into_iter().enumerate() {
        let id: Option<u64> = match it {
            Value::String(text) => text.parse().ok(),
            Value::Number(number) => number.as_u64(),
            _ => None,
        };
        if is_strict && let Err(what) = numbers::id(it) {
            let path = param(name);
            return Err(if is_scalar {
                ApiError::field(path, "an array is expected")
            } else {
                ApiError::field(path.element(at), what)
            });
        }
        ids.extend(id);
    }
    Ok(Some(ids))
}

/// A list of scalars, or one alone, as the answers write them.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(list) => list.iter().map(text).collect(),
        one => vec![text(one)],
    }
}

/// A scalar as the answers write it.
#[must_use]
pub fn text(value: &Value) -> String {
    match value {
        Value::String(it) => it.clone(),
        Value::Bool(it) => u8::from(*it).to_string(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
