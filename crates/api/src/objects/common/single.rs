//! Objects of which there is exactly one: `settings`, `housekeeping`, `authentication`.
//!
//! Get answers its fields, not a list; update takes them, without an id, and answers their names.

use db::objects::autoregistration::AUTOREGISTRATION;
use db::objects::{SINGLE, Stored};
use model::field_path::FieldPath;
use serde_json::{Map, Value, json};

use crate::describe::{Object, Rule, fields_at};
use crate::error::{ApiError, param};
use crate::method::Verb;
use crate::query::Output;
use crate::shared::Ctx;
use crate::validate;

pub(crate) fn run(
    stored: &'static Stored,
    verb: Verb,
    ctx: &Ctx,
    params: &Value,
) -> Result<Value, ApiError> {
    match verb {
        Verb::Get => get(stored, ctx, params),
        Verb::Update => update(stored, ctx, params),
        Verb::Create | Verb::Delete => Err(ApiError::no_permissions()),
    }
}

fn get(stored: &Stored, ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let none = Map::new();
    let params = match params {
        Value::Object(it) => it,
        // PHP writes an empty object as an empty array.
        Value::Array(it) if it.is_empty() => &none,
        _ => return Err(ApiError::field(FieldPath::root(), "an array is expected")),
    };
    if let Some(name) = params.keys().find(|it| *it != "output") {
        return Err(ApiError::unexpected(FieldPath::root(), name));
    }
    let output = match params.get("output") {
        None | Some(Value::Null) => Output::Extend,
        Some(Value::Array(names)) => {
            unknown(stored, names)?;
            Output::parse(&Value::Array(names.clone()), &param("output"))?
        }
        Some(Value::String(it)) if it == "extend" => Output::Extend,
        Some(_) => {
            return Err(ApiError::field(param("output"), "value must be \"extend\""));
        }
    };
    let document = ctx.snapshot.documents.get(stored.object.name, SINGLE);
    let body = document.map(|it| &it.body).ok_or_else(ApiError::no_permissions)?;
    let names = readable(stored);
    let wanted = names.filter(|it| match &output {
        Output::Fields(names) => names.iter().any(|name| name == it),
        Output::Extend | Output::Count => true,
    });
    let fields: Map<String, Value> =
        wanted.filter_map(|it| Some((it.to_owned(), body.get(it)?.clone()))).collect();
    Ok(Value::Object(fields))
}

/// Names of the fields that get returns.
fn readable(stored: &Stored) -> impl Iterator<Item = &'static str> {
    let fields = stored.object.fields.iter();
    fields.filter(|it| it.rule != Rule::WriteOnly).map(|it| it.name)
}

/// Unknown names are refused, even if no known one is requested.
fn unknown(stored: &Stored, names: &[Value]) -> Result<(), ApiError> {
    for (at, name) in names.iter().enumerate() {
        if name.as_str().is_none_or(|it| !readable(stored).any(|known| known == it)) {
            let known: Vec<String> = readable(stored).map(|it| format!("\"{it}\"")).collect();
            let one_of = if known.len() == 1 { "" } else { "one of " };
            let what = format!("value must be {one_of}{}", known.join(", "));
            return Err(ApiError::field(param("output").element(at), &what));
        }
    }
    Ok(())
}

fn update(stored: &Stored, ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    if matches!(params, Value::Object(it) if it.is_empty())
        || matches!(params, Value::Array(it) if it.is_empty())
    {
        return Err(ApiError::field(FieldPath::root(), "cannot be empty"));
    }
    let old = ctx.snapshot.documents.get(stored.object.name, SINGLE);
    let fields = fields_at(stored.object.fields, ctx.version);
    let mut given = validate::given_at_root(fields, params, old.map(|it| &**it))?;
    let names: Vec<String> = match params {
        Value::Object(it) => it.keys().cloned().collect(),
        _ => Vec::new(),
    };
    ctx.edit(|e| e.update(stored.kind(), SINGLE, std::mem::take(&mut given)))?;
    Ok(if answers_true(&stored.object) { json!(true) } else { json!(names) })
}

/// Whether `update` answers `true`, as Zabbix's `autoregistration.update` does, and not the names of the
/// given fields.
pub(crate) fn answers_true(object: &Object) -> bool {
    object.name == AUTOREGISTRATION.object.name
}
