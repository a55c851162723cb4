//! Parameters that get methods refuse.
//!
//! Zabbix has two generations of them: the older ones ignore unknown parameters, the newer ones check all
//! that they are given. [`crate::describe::Params`] says which is which.

use model::field_path::FieldPath;
use model::map::Set;
use model::version::Version;
use serde_json::{Map, Value};

use super::given::ids;
use super::output::Output;
use crate::describe::{Gives, Object, Select};
use crate::error::{ApiError, param};
use crate::validate::integer;

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
];

/// Whether the get method of an object checks its parameters.
pub(crate) fn is_strict(object: &Object) -> bool {
    object.params.is_strict
}

/// Refuses parameters that a strict get method does not know, and values of a wrong kind.
pub(super) fn check(
    object: &Object,
    params: &Map<String, Value>,
    version: Version,
) -> Result<(), ApiError> {
    for name in params.keys().filter(|_| object.params.is_strict) {
        let name = name.as_str();
        let is_common = COMMON.contains(&name) && !object.params.untaken.contains(&name);
        let is_known = is_common || object.params.knows(name);
        if !is_known && object.select(name).is_none() {
            return Err(ApiError::unexpected(FieldPath::root(), name));
        }
    }
    for (part, known) in [("filter", object.params.filters), ("search", object.params.searches)] {
        if object.params.checks(part, version) {
            check_fields(object, params, part, known)?;
        }
    }
    if !object.params.is_strict {
        return Ok(());
    }
    booleans(params, object.params.booleans)?;
    booleans(params, &["searchByAny", "searchWildcardsEnabled"])?;
    if let Some(value) = params.get("output").filter(|it| !it.is_null()) {
        output(object, value)?;
    }
    for select in object.selects {
        if let Some(value) = params.get(select.param).filter(|it| !it.is_null()) {
            check_select(object, select, value)?;
        }
    }
    check_sort(object, params)?;
    if let Some(value) = params.get("limit").filter(|it| !it.is_null()) {
        limit(&param("limit"), value)?;
    }
    booleans(params, &["editable", "preservekeys"])
}

/// The content of `filter` and `search`: accepted values by field.
fn check_fields(
    object: &Object,
    params: &Map<String, Value>,
    part: &str,
    known: Option<&[&str]>,
) -> Result<(), ApiError> {
    let Some(Value::Object(fields)) = params.get(part) else { return Ok(()) };
    if known.is_some_and(<[_]>::is_empty) && !fields.is_empty() {
        return Err(ApiError::field(param(part), "should be empty"));
    }
    let knows = |name: &str| match known {
        Some(known) => known.contains(&name),
        None => object.output_fields().any(|it| it.name == name),
    };
    if let Some(name) = fields.keys().find(|it| !knows(it)) {
        return Err(ApiError::unexpected(param(part), name));
    }
    if !object.params.is_strict {
        return Ok(());
    }
    for (name, value) in fields {
        let path = param(part).member(name);
        let list = match value {
            Value::Null | Value::String(_) | Value::Number(_) => continue,
            Value::Array(list) => list,
            Value::Bool(_) | Value::Object(_) => {
                return Err(ApiError::field(path, "an array is expected"));
            }
        };
        if let Some(at) = list.iter().position(|it| !it.is_string() && !it.is_number()) {
            let what = "a character string, integer or floating point value is expected";
            return Err(ApiError::field(path.element(at), what));
        }
    }
    Ok(())
}

fn booleans(params: &Map<String, Value>, names: &[&str]) -> Result<(), ApiError> {
    let is_wrong = |name: &&&str| params.get(**name).is_some_and(|it| !it.is_boolean());
    match names.iter().find(is_wrong) {
        Some(name) => Err(ApiError::field(param(name), "a boolean is expected")),
        None => Ok(()),
    }
}

fn check_select(object: &Object, select: &Select, value: &Value) -> Result<(), ApiError> {
    let path = param(select.param);
    let known: Vec<&str> = match select.gives {
        Gives::Parts(fields) | Gives::Part(fields) => fields.iter().map(|it| it.name).collect(),
        _ if !select.names.is_empty() => select.names.to_vec(),
        Gives::Objects(name) | Gives::Object(name) if name == object.name => outputs(object),
        Gives::Objects(_) | Gives::Object(_) | Gives::Nothing => Vec::new(),
        Gives::Field => return Ok(()),
    };
    match value {
        // another reader judges it
        _ if select.is_lenient || object.params.taken.contains(&select.param) => Ok(()),
        Value::Array(names) => names_of(&path, names, &known),
        Value::String(it) if it == "extend" || (select.countable && it == "count") => Ok(()),
        Value::String(_) if select.countable => {
            Err(ApiError::field(&path, "value must be one of \"extend\", \"count\""))
        }
        Value::String(_) => Err(ApiError::field(&path, "value must be \"extend\"")),
        _ => Err(ApiError::field(&path, "an array or a character string is expected")),
    }
}

/// Known names, each once; any text, where none are known.
fn names_of(path: &FieldPath, names: &[Value], known: &[&str]) -> Result<(), ApiError> {
    let mut seen = Set::default();
    for (at, name) in names.iter().enumerate() {
        let wrong = |what: &str| Err(ApiError::field(path.element(at), what));
        let Some(name) = name.as_str() else { return wrong("a character string is expected") };
        if !known.is_empty() && !known.contains(&name) {
            return wrong(&one_of(known));
        }
        if !seen.insert(name) {
            return wrong(&format!("value ({name}) already exists"));
        }
    }
    Ok(())
}

fn one_of(known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|it| format!("\"{it}\"")).collect();
    match known.as_slice() {
        [one] => format!("value must be {one}"),
        all => format!("value must be one of {}", all.join(", ")),
    }
}

fn check_sort(object: &Object, params: &Map<String, Value>) -> Result<(), ApiError> {
    let path = param("sortfield");
    match params.get("sortfield") {
        None => {}
        Some(one @ Value::String(_)) => {
            names_of(&path, std::slice::from_ref(one), object.sort)?;
        }
        Some(Value::Array(names)) => names_of(&path, names, object.sort)?,
        Some(_) => return Err(ApiError::field(&path, "an array is expected")),
    }
    let path = param("sortorder");
    let is_order = |it: &str| matches!(it, "ASC" | "DESC");
    let what = "value must be one of \"ASC\", \"DESC\"";
    match params.get("sortorder") {
        None => Ok(()),
        Some(Value::String(it)) if is_order(it) => Ok(()),
        Some(Value::String(_)) => Err(ApiError::field(&path, what)),
        Some(Value::Array(list)) => {
            for (at, it) in list.iter().enumerate() {
                match it {
                    Value::String(it) if is_order(it) => {}
                    Value::String(_) => return Err(ApiError::field(path.element(at), what)),
                    _ => {
                        let what = "a character string is expected";
                        return Err(ApiError::field(path.element(at), what));
                    }
                }
            }
            Ok(())
        }
        Some(_) => Err(ApiError::field(&path, "an array or a character string is expected")),
    }
}

/// Whether objects that do not exist here are requested: no row belongs to one. Rows without them have the id
/// 0.
pub(super) fn asks_for_foreign(object: &Object, params: &Map<String, Value>) -> bool {
    object.params.foreign.iter().any(|name| {
        let is_given = !matches!(params.get(*name), None | Some(Value::Null | Value::Bool(false)));
        is_given && {
            let ids = ids(params, name, false).unwrap_or_default();
            !ids.is_some_and(|it| it.contains(&0))
        }
    })
}

/// The requested fields.
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
    names_of(&param("output"), names, &outputs(object))?;
    Ok(Output::Fields(names.iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect()))
}

/// The fields that `output` may name, in the order in which an error names them.
fn outputs(object: &Object) -> Vec<&'static str> {
    match object.params.outputs {
        Some(known) => known.to_vec(),
        None => object.output_fields().map(|it| it.name).collect(),
    }
}

/// The most rows.
pub(super) fn limit(path: &FieldPath, value: &Value) -> Result<usize, ApiError> {
    let given = integer(value).map_err(|what| ApiError::field(path, what))?;
    if i32::try_from(given).is_err() {
        return Err(ApiError::field(path, "a number is too large"));
    }
    let in_range = usize::try_from(given).ok().filter(|it| (1..=2_147_483_647).contains(it));
    in_range.ok_or_else(|| ApiError::field(path, "value must be one of 1-2147483647"))
}
