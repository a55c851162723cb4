//! Values as the columns of a table take them, which judge them where nothing before did.

use serde_json::{Map, Value};

use crate::describe::{Field, FieldType, Rule};
use crate::error::{ApiError, ErrorClass};
use crate::query::given::text;

/// The members that are columns, as they are kept. Others are left as they are.
///
/// # Errors
/// For a value that its column does not take.
pub fn as_columns(
    fields: &[Field],
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, ApiError> {
    let mut kept = given.clone();
    for field in fields {
        let Some(value) = kept.get_mut(field.name) else { continue };
        if value.is_null() {
            match field.rule {
                Rule::Default(it) | Rule::Constant(it) => *value = it.into(),
                _ => drop(kept.remove(field.name)),
            }
            continue;
        }
        if matches!(value, Value::Array(_) | Value::Object(_)) {
            continue;
        }
        let written = text(value);
        let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
        let kind = match field.kind {
            FieldType::Text { max } => {
                let n_chars = written.chars().count();
                if max < n_chars {
                    return Err(wrong(format!(
                        "Value \"{written}\" is too long for field \"{}\" - {n_chars} characters. \
                         Allowed length is {max} characters.",
                        field.name
                    )));
                }
                None
            }
            FieldType::Id if !is_number(&written) => Some("unsigned int"),
            FieldType::Int { .. } | FieldType::Code(_)
                if !is_number(written.strip_prefix('-').unwrap_or(&written)) =>
            {
                Some("int")
            }
            FieldType::Float if !written.parse::<f64>().is_ok_and(f64::is_finite) => Some("float"),
            _ => None,
        };
        if let Some(kind) = kind {
            return Err(wrong(format!(
                "Incorrect value \"{written}\" for {kind} field \"{}\".",
                field.name
            )));
        }
        *value = Value::String(written);
    }
    Ok(kept)
}

fn wrong(what: String) -> ApiError {
    ApiError::new(ErrorClass::Application, what)
}
