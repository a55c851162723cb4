//! Value maps: they belong to hosts and templates, and so do the rights on them.

use std::sync::Arc;

use db::objects::Stored;
use db::objects::valuemap::VALUEMAP;
use model::content::ValueMap;
use model::document::Document;
use model::field_path::{FieldPath, PathSegment};
use model::snapshot::Host;
use model::{HostId, ValueMapId};
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::json::{Fields, id_of, number, str_of};
use crate::method::Verb;
use crate::objects::common::access;
use crate::objects::common::document::{self, DocumentList, Special};
use crate::objects::common::scope::{Get, Scope};
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::{self, Mode};

pub(crate) const SPECIAL: Special = Special {
    may_change,
    judge: |_, verb, params| {
        Ok(matches!(verb, Verb::Create | Verb::Update).then(|| with_texts(params)))
    },
    check,
    candidates,
    relate: Some(|ctx, rows, output| {
        let Related::ValueMaps(rows) = rows else { return json!([]) };
        rows.into_iter().map(|(host, map)| written(ctx, host, map, output)).collect()
    }),
    ..Special::NOTHING
};

/// The parameters with the limits of mappings as texts. Limits (types 1 and 2) are numbers or texts, and what is
/// neither is no number: an empty text, which the rules refuse as one.
fn with_texts(params: &Value) -> Value {
    let mut params = params.clone();
    let is_one = params.get("mappings").is_some();
    let maps: Vec<&mut Value> = match &mut params {
        one if is_one => vec![one],
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(list) => list.values_mut().collect(),
        _ => Vec::new(),
    };
    let mappings = maps.into_iter().filter_map(|it| it.get_mut("mappings")?.as_array_mut());
    for mapping in mappings.flatten().filter_map(Value::as_object_mut) {
        let kind = mapping.get("type").and_then(|it| validate::integer(it).ok());
        if let Some(value) = mapping.get_mut("value").filter(|_| matches!(kind, Some(1 | 2))) {
            match value {
                Value::String(_) => {}
                Value::Number(it) => *value = it.to_string().into(),
                _ => *value = "".into(),
            }
        }
    }
    params
}

fn may_change(ctx: &Ctx, id: u64) -> bool {
    let owner = ctx.snapshot.valuemap_owner.get(&ValueMapId(id));
    owner.and_then(|it| ctx.snapshot.holder(*it)).is_some_and(|it| ctx.may_write(it))
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    // Errors of the mappings come before those of the host.
    let position = match path.segments() {
        [PathSegment::Position(it), ..] => *it,
        _ => 1,
    };
    (VALUEMAP.check)(&ctx.snapshot, fields).map_err(|error| error.in_object(position))?;
    let own = id_of(fields, "valuemapid").map(ValueMapId).filter(|_| mode == Mode::Update);
    let holder = match own {
        Some(own) => ctx.snapshot.valuemap_owner.get(&own).copied(),
        None => id_of(fields, "hostid").map(HostId),
    };
    if mode == Mode::Create {
        access::writable(ctx, holder.unwrap_or_default().0)?;
    }
    check_uuid(ctx, str_of(fields, "uuid"), (own, holder), path)
}

/// Maps of templates have an identity, which no other map has.
fn check_uuid(
    ctx: &Ctx,
    uuid: &str,
    (own, holder): (Option<ValueMapId>, Option<HostId>),
    path: &FieldPath,
) -> Result<(), ApiError> {
    if uuid.is_empty() {
        return Ok(());
    }
    if holder.is_some_and(|it| ctx.snapshot.hosts.contains_key(&it)) {
        return Err(ApiError::field(path.member("uuid"), "value must be empty"));
    }
    let mut maps = ctx.snapshot.templates.values().flat_map(|it| it.valuemaps.iter());
    if maps.any(|it| Some(it.valuemapid) != own && it.uuid == uuid) {
        return Err(ApiError::field(path, "value map with the same UUID already exists"));
    }
    Ok(())
}

fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let holders = Scope::of_ids(get)?.holders(ctx).into_iter();
    Ok(holders.flat_map(|it| it.valuemaps.iter().map(|map| row(it, map))).collect())
}

/// As a row of its get method.
fn row(host: &Host, map: &ValueMap) -> Arc<Document> {
    let mut body = match serde_json::to_value(map) {
        Ok(Value::Object(it)) => it,
        _ => Fields::new(),
    };
    body.insert("hostid".to_owned(), number(host.id));
    Arc::new(Document { id: map.valuemapid.0, key: Arc::default(), body })
}

fn written(ctx: &Ctx, host: &Host, map: &ValueMap, output: &Output) -> Value {
    let row = row(host, map);
    let mut fields = document::related(ctx, &VALUEMAP.object, &row, output);
    if output.wants("mappings") {
        let mappings = document::parts(&VALUEMAP.object, &row, "mappings", &Output::Extend);
        fields.insert("mappings".to_owned(), mappings);
    }
    Value::Object(fields)
}
