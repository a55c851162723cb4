//! Bodies by their description: the given fields become those that are stored, returned and
//! exported.

use std::sync::Arc;

use model::describe::{Field, FieldType, Rule};
use model::document::Body;
use model::field_path::FieldPath;
use serde_json::{Value as Json, json};

use super::Stored;
use crate::error::{ConfigError, edited};

impl Stored {
    /// A new body of what is given.
    pub(crate) fn made_of(&self, given: &Body) -> Result<Body, ConfigError> {
        let mut body = Body::new();
        for (name, value) in self.made_with {
            body.insert((*name).to_owned(), Json::from(*value));
        }
        fill(self.object.fields, given, &mut body)
            .map_err(|error| error.below(&FieldPath::object(0)))?;
        Ok(body)
    }

    /// A body with the given fields in place of its own.
    pub(crate) fn changed_by(&self, old: &Body, given: &Body) -> Result<Body, ConfigError> {
        let mut body = old.clone();
        let fields = self.object.fields.iter();
        for field in fields.filter(|it| it.rule != Rule::ReadOnly && !it.is_constant()) {
            if let Some(value) = given.get(field.name) {
                let value = canonical(field.kind, value)
                    .map_err(|error| error.below(&edited(field.name)))?;
                body.insert(field.name.to_owned(), value);
            }
        }
        Ok(body)
    }

    /// The unique key, as one text.
    pub(crate) fn key_of(&self, body: &Body) -> Arc<str> {
        let value = |name: &&str| {
            let value = body.get(*name).and_then(Json::as_str).unwrap_or_default();
            (self.key_form)(name, value)
        };
        self.unique.iter().map(value).collect::<Vec<_>>().join("\0").into()
    }
}

/// Missing fields get their default. Errors have paths that begin at what is given.
fn fill(fields: &[Field], given: &Body, body: &mut Body) -> Result<(), ConfigError> {
    for field in fields {
        let value = match (given.get(field.name), field.rule) {
            (_, Rule::ReadOnly) => continue,
            (Some(value), _) => canonical(field.kind, value)
                .map_err(|error| error.below(&FieldPath::root().member(field.name)))?,
            (None, Rule::Required) => {
                return Err(ConfigError::missing(FieldPath::root(), field.name));
            }
            (None, rule) => match (field.kind, rule) {
                (FieldType::List(_) | FieldType::Texts { .. }, _) => json!([]),
                (FieldType::Object(inner) | FieldType::Inventory(inner), _) => {
                    Json::Object(unset(inner))
                }
                (_, Rule::Default(it) | Rule::Constant(it)) => Json::from(it),
                // It has no value of its own.
                _ => continue,
            },
        };
        body.insert(field.name.to_owned(), value);
    }
    Ok(())
}

/// An omitted part. A part that is given needs its required fields; in this one they are empty.
fn unset(fields: &[Field]) -> Body {
    let mut body = Body::new();
    for field in fields.iter().filter(|it| it.rule != Rule::ReadOnly) {
        let value = match (field.kind, field.rule) {
            (FieldType::List(_) | FieldType::Texts { .. }, _) => json!([]),
            (FieldType::Object(inner) | FieldType::Inventory(inner), _) => {
                Json::Object(unset(inner))
            }
            (_, Rule::Default(it) | Rule::Constant(it)) => Json::from(it),
            (_, Rule::Required) => Json::from(""),
            _ => continue,
        };
        body.insert(field.name.to_owned(), value);
    }
    body
}

/// As the API writes it: codes, ids and numbers are texts, parts have all their fields.
fn canonical(kind: FieldType, value: &Json) -> Result<Json, ConfigError> {
    let part = |fields: &[Field], given: &Json| {
        let mut body = Body::new();
        let none = Body::new();
        fill(fields, given.as_object().unwrap_or(&none), &mut body)?;
        Ok(Json::Object(body))
    };
    match kind {
        FieldType::Object(fields) | FieldType::Inventory(fields) => part(fields, value),
        FieldType::List(fields) => {
            let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            let placed = |at| move |error: ConfigError| error.below(&FieldPath::root().element(at));
            let each = list.iter().enumerate();
            each.map(|(at, it)| part(fields, it).map_err(placed(at))).collect()
        }
        FieldType::Texts { .. } => {
            let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            Ok(list.iter().map(scalar).collect())
        }
        _ => Ok(scalar(value)),
    }
}

fn scalar(value: &Json) -> Json {
    Json::String(match value {
        Json::String(it) => it.clone(),
        Json::Bool(it) => u8::from(*it).to_string(),
        Json::Null => String::new(),
        other => other.to_string(),
    })
}
