//! Steps that extract from structured texts.

use super::data::Data;
use super::error::StepError;
use super::shared::ParsedForms;
use formats::json::Doc;
use formats::jsonpath::{JsonPath, PathError, PathValue};
use formats::regexp::Regexp;

fn query(
    data: &Data<'_>,
    path: &JsonPath,
    shared: Option<&mut ParsedForms<'_>>,
) -> Result<PathValue, PathError> {
    match shared {
        Some(shared) => path.query(shared.json().map_err(|it| PathError::Json(it.clone()))?),
        None => path.query(&Doc::parse(&data.as_text())?),
    }
}

pub(super) fn jsonpath(
    data: &Data<'_>,
    path: &JsonPath,
    text: &str,
    shared: Option<&mut ParsedForms<'_>>,
) -> Result<Data<'static>, StepError> {
    let failed = |why: &dyn std::fmt::Display| {
        StepError::Value(format!("cannot extract value from json by path \"{text}\": {why}"))
    };
    match query(data, path, shared).map(PathValue::into_text) {
        Ok(Some(found)) => Ok(Data::text(found)),
        Ok(None) => Err(failed(&"no data matches the specified path")),
        Err(error) => Err(failed(&error)),
    }
}

/// Fails with the text that the path finds; a text that is no JSON passes.
pub(super) fn check_json(
    data: &Data<'_>,
    path: &JsonPath,
    shared: Option<&mut ParsedForms<'_>>,
) -> Result<(), StepError> {
    match query(data, path, shared) {
        Ok(PathValue::Nothing) | Err(PathError::Json(_)) => Ok(()),
        // The word, as after a JSONPath step.
        Ok(PathValue::Null) => reported("null"),
        Ok(PathValue::Value(found) | PathValue::Values(found)) => reported(&found),
        Err(error) => Err(StepError::Value(error.to_string())),
    }
}

/// Fails with the text made from the match of the pattern.
pub(super) fn check_regex(
    data: &Data<'_>,
    regexp: &Regexp,
    template: &str,
) -> Result<(), StepError> {
    match regexp.extract(&data.as_text(), template) {
        Ok(Some(found)) => reported(&found),
        Ok(None) => Ok(()),
        Err(_) => {
            Err(StepError::Value(format!("invalid regular expression \"{}\"", regexp.pattern())))
        }
    }
}

/// The error that a *check* step found: white space alone is none.
pub(super) fn reported(found: &str) -> Result<(), StepError> {
    match found.trim_ascii() {
        "" => Ok(()),
        text => Err(StepError::Reported(text.to_owned())),
    }
}
