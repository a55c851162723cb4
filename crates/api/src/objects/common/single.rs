//! Objects of which there is exactly one: `settings`, `housekeeping`, `authentication`.
//!
//! Get answers its fields, not a list; update takes them, without an id, and answers their names.

use db::objects::autoregistration::AUTOREGISTRATION;
use db::objects::housekeeping::HOUSEKEEPING;
use db::objects::{SINGLE, Stored};
use model::field_path::FieldPath;
use serde_json::{Map, Value, json};

use crate::describe::{Object, Rule, fields_at};
use crate::error::{ApiError, param};
use crate::method::Verb;
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
    let known: Vec<&str> = readable(stored).collect();
    let wanted = match params.get("output") {
        None => known,
        Some(it) => validate::output(it, &known, &param("output"))?,
    };
    let document = ctx.snapshot.documents.get(stored.object.name, SINGLE);
    let body = document.map(|it| &it.body).ok_or_else(ApiError::no_permissions)?;
    let fields: Map<String, Value> =
        wanted.into_iter().filter_map(|it| Some((it.to_owned(), body.get(it)?.clone()))).collect();
    Ok(Value::Object(fields))
}

/// Names of the fields that get returns.
fn readable(stored: &Stored) -> impl Iterator<Item = &'static str> {
    let fields = stored.object.fields.iter();
    fields.filter(|it| it.rule != Rule::WriteOnly).map(|it| it.name)
}

fn update(stored: &Stored, ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let is_empty = matches!(params, Value::Object(it) if it.is_empty())
        || matches!(params, Value::Array(it) if it.is_empty());
    if is_empty && stored.object.name == HOUSEKEEPING.object.name {
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
