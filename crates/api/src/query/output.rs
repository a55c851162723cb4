//! Which properties of an object an answer holds.

use model::field_path::FieldPath;
use serde_json::Value;

use crate::error::ApiError;

/// Which properties an answer holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// All output fields.
    Extend,
    /// The id only, or the fields of a list (unknown names are ignored, as in Zabbix).
    Fields(Vec<String>),
    /// Of selects: the number of objects.
    Count,
}

impl Output {
    /// # Errors
    /// If the value is neither a list of names nor one of the words.
    pub fn parse(value: &Value, path: &FieldPath) -> Result<Self, ApiError> {
        match value {
            Value::String(it) if it == "extend" => Ok(Self::Extend),
            Value::String(it) if it == "count" => Ok(Self::Count),
            // Before "extend" there was "shorten" and "refer": ids only.
            Value::String(it) if it == "shorten" || it == "refer" => Ok(Self::Fields(Vec::new())),
            Value::Array(names) => {
                let names = names.iter().filter_map(|it| it.as_str().map(str::to_owned));
                Ok(Self::Fields(names.collect()))
            }
            _ => {
                Err(ApiError::field(path, "value must be one of \"extend\", \"count\" or an array"))
            }
        }
    }

    /// Of selects that Zabbix does not check: a text names one field, true means all.
    pub(super) fn lenient(value: &Value) -> Self {
        match value {
            Value::Bool(true) => Self::Extend,
            Value::String(it) if it == "extend" => Self::Extend,
            Value::String(it) => Self::Fields(vec![it.clone()]),
            _ => Self::Fields(Vec::new()),
        }
    }

    /// The same and this field.
    #[must_use]
    pub fn with(&self, field: &str) -> Self {
        match self {
            Self::Fields(names) if !self.wants(field) => {
                Self::Fields(names.iter().cloned().chain([field.to_owned()]).collect())
            }
            other => other.clone(),
        }
    }

    #[must_use]
    pub fn wants(&self, field: &str) -> bool {
        match self {
            Self::Extend => true,
            Self::Fields(names) => names.iter().any(|it| it == field),
            Self::Count => false,
        }
    }
}
