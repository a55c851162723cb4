//! Get methods that check all that they are given.
//!
//! Zabbix has two generations of them: the older ones pass over what they do not know, the newer
//! ones refuse it. Which is which is told here.

use serde_json::{Map, Value};

use super::Output;
use crate::describe::Object;
use crate::error::ApiError;
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

const HOST_GROUP: &[&str] = &[
    "groupids",
    "hostids",
    "graphids",
    "triggerids",
    "maintenanceids",
    "monitored_hosts",
    "with_monitored_hosts",
    "real_hosts",
    "with_hosts",
    "with_items",
    "with_item_prototypes",
    "with_simple_graph_items",
    "with_simple_graph_item_prototypes",
    "with_monitored_items",
    "with_triggers",
    "with_monitored_triggers",
    "with_httptests",
    "with_monitored_httptests",
    "with_graphs",
    "with_graph_prototypes",
    "limitSelects",
];

const TEMPLATE_GROUP: &[&str] = &[
    "groupids",
    "templateids",
    "graphids",
    "triggerids",
    "with_templates",
    "with_items",
    "with_item_prototypes",
    "with_simple_graph_items",
    "with_simple_graph_item_prototypes",
    "with_triggers",
    "with_httptests",
    "with_graphs",
    "with_graph_prototypes",
    "limitSelects",
];

/// The parameters that only this object's get method takes, beside its selects; `None`: it passes
/// over what it does not know.
pub(super) fn own_params(object: &Object) -> Option<&'static [&'static str]> {
    Some(match object.name {
        "hostgroup" => HOST_GROUP,
        "templategroup" => TEMPLATE_GROUP,
        "role" => &["roleids"],
        "token" => &["tokenids", "userids", "token", "valid_at", "expired_at"],
        "valuemap" => &["valuemapids", "hostids"],
        "regexp" => &["regexpids"],
        "auditlog" => &["auditids", "userids", "time_from", "time_till"],
        "history" => &["history", "hostids", "itemids", "time_from", "time_till"],
        _ => return None,
    })
}

/// Whether the get method of an object checks what it is given.
pub(crate) fn is_strict(object: &Object) -> bool {
    own_params(object).is_some()
}

/// Refuses what a get method does not know.
pub(super) fn check(object: &Object, params: &Map<String, Value>) -> Result<(), ApiError> {
    let Some(own) = own_params(object) else { return Ok(()) };
    for name in params.keys() {
        let name = name.as_str();
        if !COMMON.contains(&name) && !own.contains(&name) && object.select(name).is_none() {
            return Err(ApiError::field("/", &format!("unexpected parameter \"{name}\"")));
        }
    }
    for part in ["filter", "search"] {
        let Some(Value::Object(fields)) = params.get(part) else { continue };
        for name in fields.keys() {
            if object.output_fields().all(|it| it.name != name) {
                let what = format!("unexpected parameter \"{name}\"");
                return Err(ApiError::field(&format!("/{part}"), &what));
            }
        }
    }
    Ok(())
}

/// The fields that are asked for.
pub(super) fn output(object: &Object, value: &Value) -> Result<Output, ApiError> {
    let Value::Array(names) = value else {
        return match value.as_str() {
            Some("extend") => Ok(Output::Extend),
            Some(_) => Err(ApiError::field("/output", "value must be \"extend\"")),
            None => Err(ApiError::field("/output", "an array or a character string is expected")),
        };
    };
    for (at, name) in names.iter().enumerate() {
        if object.output_fields().all(|it| Some(it.name) != name.as_str()) {
            let known: Vec<String> =
                object.output_fields().map(|it| format!("\"{}\"", it.name)).collect();
            let what = format!("value must be one of {}", known.join(", "));
            return Err(ApiError::field(&format!("/output/{}", at + 1), &what));
        }
    }
    Ok(Output::Fields(names.iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect()))
}

/// How many rows at most.
pub(super) fn limit(value: &Value) -> Result<usize, ApiError> {
    let given = number(value).ok_or_else(|| ApiError::field("/limit", "an integer is expected"))?;
    let in_range = usize::try_from(given).ok().filter(|it| (1..=2_147_483_647).contains(it));
    in_range.ok_or_else(|| ApiError::field("/limit", "value must be one of 1-2147483647"))
}

/// That a field is not one to sort by.
pub(super) fn unsortable(object: &Object, at: usize) -> ApiError {
    let known: Vec<String> = object.sort.iter().map(|it| format!("\"{it}\"")).collect();
    let what = match known.as_slice() {
        [one] => format!("value must be {one}"),
        all => format!("value must be one of {}", all.join(", ")),
    };
    ApiError::field(&format!("/sortfield/{}", at + 1), &what)
}
