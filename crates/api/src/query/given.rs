//! Values of parameters as Zabbix reads them.

use serde_json::{Map, Value};

use crate::error::{ApiError, param};

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
        let id = match it {
            Value::String(text) => text.parse().ok(),
            Value::Number(number) => number.as_u64(),
            _ => None,
        };
        if id.is_none() && is_strict && is_scalar {
            return Err(ApiError::field(param(name), "an array is expected"));
        }
        if id.is_none() && is_strict {
            let path = param(name).element(at);
            return Err(ApiError::field(&path, "a number is expected"));
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
