//! Inventories of hosts, which Zabbix refuses in words of its own.

use model::content::INVENTORY_FIELDS;
use model::field_path::FieldPath;
use serde_json::{Map, Value};

use crate::error::ApiError;
use crate::query::given;

/// The given fields as texts. Empty values of PHP are empty; the errors are those of
/// Zabbix for columns of tables.
pub(super) fn checked(given: &Value, path: &FieldPath) -> Result<Map<String, Value>, ApiError> {
    let given = match given {
        Value::Object(it) => it,
        Value::Array(it) if !it.is_empty() => {
            return Err(ApiError::params("Incorrect inventory field \"0\"."));
        }
        it if given::is_true(Some(it)) && !it.is_array() => {
            return Err(ApiError::field(path, "an array is expected"));
        }
        _ => return Ok(Map::new()),
    };
    let each = given.iter().map(|(name, value)| {
        let field = INVENTORY_FIELDS
            .iter()
            .find(|it| it.name == name)
            .ok_or_else(|| ApiError::params(format!("Incorrect inventory field \"{name}\".")))?;
        let text = match value {
            Value::Array(_) | Value::Object(_) => {
                let what = "a character string is expected";
                return Err(ApiError::field(path.member(name), what));
            }
            scalar => given::text(scalar),
        };
        let n_chars = text.chars().count();
        if field.max < n_chars {
            return Err(ApiError::params(format!(
                "Value \"{text}\" is too long for field \"{name}\" - {n_chars} characters. \
                 Allowed length is {} characters.",
                field.max
            )));
        }
        Ok((name.clone(), Value::String(text)))
    });
    each.collect()
}
