//! What get methods refuse.
//!
//! Zabbix has two generations of them: the older ones pass over what they do not know, the newer
//! ones check all that they are given. Which is which is told by [`crate::describe::Params`].

use model::field_path::FieldPath;
use serde_json::{Map, Value};

use super::given::ids;
use super::output::Output;
use crate::describe::Object;
use crate::error::{ApiError, param};
use crate::validate::number;

/// Parameters that all of them take.
const COMMON: &[&str] = &[
    "output",
    "filter",
    "search",
    "searchByAny",
    "searchWildcardsEnabled",
    "startSearch",
    "excludeSearch",
    "countOutput",
    "sortfield",
    "sortorder",
    "limit",
    "preservekeys",
    "editable",
    "nopermissions",
];

/// Whether the get method of an object checks what it is given.
pub(crate) fn is_strict(object: &Object) -> bool {
    object.params.is_strict
}

/// Refuses what a get method does not know, if it is strict, and fields that it does not check.
pub(super) fn check(object: &Object, params: &Map<String, Value>) -> Result<(), ApiError> {
    for name in params.keys().filter(|_| object.params.is_strict) {
        let name = name.as_str();
        let is_known = COMMON.contains(&name) || object.params.knows(name);
        if !is_known && object.select(name).is_none() {
            return Err(ApiError::unexpected(FieldPath::root(), name));
        }
    }
    for part in ["filter", "search"].into_iter().filter(|it| object.params.checks(it)) {
        let Some(Value::Object(fields)) = params.get(part) else { continue };
        for name in fields.keys() {
            if object.output_fields().all(|it| it.name != name) {
                return Err(ApiError::unexpected(param(part), name));
            }
        }
    }
    Ok(())
}

/// Whether something is asked for that belongs to objects which do not exist: nothing does. What has
/// none of them has the id 0.
pub(super) fn asks_for_foreign(object: &Object, params: &Map<String, Value>) -> bool {
    object.params.foreign.iter().any(|name| {
        let is_given = !matches!(params.get(*name), None | Some(Value::Null | Value::Bool(false)));
        is_given && {
            let ids = ids(params, name, false).unwrap_or_default();
            !ids.is_some_and(|it| it.contains(&0))
        }
    })
}

/// The fields that are asked for.
pub(super) fn output(object: &Object, value: &Value) -> Result<Output, ApiError> {
    let Value::Array(names) = value else {
        return match value.as_str() {
            Some("extend") => Ok(Output::Extend),
            Some(_) => Err(ApiError::field(param("output"), "value must be \"extend\"")),
            None => {
                Err(ApiError::field(param("output"), "an array or a character string is expected"))
            }
        };
    };
    for (at, name) in names.iter().enumerate() {
        if object.output_fields().all(|it| Some(it.name) != name.as_str()) {
            let known: Vec<String> =
                object.output_fields().map(|it| format!("\"{}\"", it.name)).collect();
            let what = format!("value must be one of {}", known.join(", "));
            return Err(ApiError::field(param("output").element(at), &what));
        }
    }
    Ok(Output::Fields(names.iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect()))
}

/// How many rows at most.
pub(super) fn limit(path: &FieldPath, value: &Value) -> Result<usize, ApiError> {
    let given = number(value).ok_or_else(|| ApiError::field(path, "an integer is expected"))?;
    let in_range = usize::try_from(given).ok().filter(|it| (1..=2_147_483_647).contains(it));
    in_range.ok_or_else(|| ApiError::field(path, "value must be one of 1-2147483647"))
}

/// That a field is not one to sort by.
pub(super) fn unsortable(object: &Object, at: usize) -> ApiError {
    let known: Vec<String> = object.sort.iter().map(|it| format!("\"{it}\"")).collect();
    let what = match known.as_slice() {
        [one] => format!("value must be {one}"),
        all => format!("value must be one of {}", all.join(", ")),
    };
    ApiError::field(param("sortfield").element(at), &what)
}
