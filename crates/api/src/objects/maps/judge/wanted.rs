//! A map as a request changes it, and how its values are read.

use std::sync::Arc;

use db::objects::map::list;
use model::document::{Body, Document};
use serde_json::Value;

use crate::error::ApiError;
use crate::json::Fields;
use crate::query::given::text;
use crate::validate::elements;

pub(super) const WRONG_ARGUMENTS: &str = "Incorrect arguments passed to function.";

/// A map as a request makes it.
pub(super) struct Wanted {
    pub(super) given: Fields,
    pub(super) old: Option<Arc<Document>>,
}

impl Wanted {
    /// The given value, else the previous one.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.given.get(name).or_else(|| self.old.as_ref()?.body.get(name))
    }

    pub(super) fn is_code(&self, name: &str, code: &str) -> bool {
        self.get(name).is_some_and(|it| text(it) == code)
    }

    pub(super) fn name(&self) -> String {
        self.get("name").map(text).unwrap_or_default()
    }

    /// The objects of a list.
    pub(super) fn objects(&self, name: &str) -> Result<Vec<&Fields>, ApiError> {
        self.get(name).map_or_else(|| Ok(Vec::new()), objects)
    }

    pub(super) fn old_parts(&self, name: &str) -> impl Iterator<Item = &Body> {
        let name = name.to_owned();
        self.old.iter().flat_map(move |it| list(&it.body, &name).collect::<Vec<_>>())
    }
}

pub(super) fn objects(value: &Value) -> Result<Vec<&Fields>, ApiError> {
    let wrong = || ApiError::params(WRONG_ARGUMENTS);
    let all = elements(value, false).ok_or_else(wrong)?;
    all.into_iter().map(|it| it.as_object().ok_or_else(wrong)).collect()
}

/// Neither empty nor nothing.
pub(super) fn is_blank(value: &Value) -> bool {
    matches!(value, Value::Null) || value.as_str() == Some("")
}

pub(super) fn no_permissions() -> ApiError {
    ApiError::params("No permissions to referred object or it does not exist!")
}
