//! Maps: `map.*`. Each has an owner, and is public or shared with some.

use std::sync::Arc;

use db::objects::Stored;
use db::objects::map::{ELEMENT, LINK, LINK_TRIGGER, MAP, list};
use model::document::{Body, Document};
use model::field_path::FieldPath;
use model::map::Set;
use serde_json::{Value, json};

use super::{judge, rights, urls};
use crate::describe::{Field, FieldType, Select, fields_at};
use crate::error::ApiError;
use crate::json::{self, Fields, id_of, number, str_of, text};
use crate::objects::common::document::{self, DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

const KIND: &str = "map";
/// Set on rows of which the addresses are to be complete.
const EXPAND_URLS: &str = "expandUrls";

pub(crate) const SPECIAL: Special = Special {
    may_read: |ctx, it| rights::permission(ctx, it) >= rights::READ,
    may_change: |ctx, id| {
        let found = ctx.snapshot.documents.get(KIND, id);
        found.is_some_and(|it| rights::permission(ctx, it) >= rights::WRITE)
    },
    judge: |ctx, verb, params| {
        let judged = judge::judge(ctx, verb, params)?;
        Ok(judged.map(|it| known_only(MAP.object.at(ctx.version).fields, &it)))
    },
    ids_as_sent: true,
    check,
    candidates,
    field: |_, row, name| {
        (name == "userid").then(|| row.text("userid").parse::<u64>().ok()).flatten().map(number)
    },
    select,
    relate: Some(|ctx, rows, output| {
        let Related::Documents(rows) = rows else { return json!([]) };
        let rows = rows.into_iter().filter(|it| rights::permission(ctx, it) >= rights::READ);
        let of = (&MAP.object, &SPECIAL);
        let written = rows.map(|it| document::related_with(ctx, of, it, output));
        written.map(Value::Object).collect()
    }),
    ..Special::NOTHING
};

/// Unknown members are ignored, as in Zabbix.
fn known_only(fields: &[Field], value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(|it| known_only(fields, it)).collect(),
        Value::Object(given) => {
            let known = given.iter().filter_map(|(name, value)| {
                let field = fields.iter().find(|it| it.name == *name)?;
                let value = match field.kind {
                    FieldType::List(fields) => known_only(fields, value),
                    _ => value.clone(),
                };
                Some((name.clone(), value))
            });
            Value::Object(known.collect())
        }
        other => other.clone(),
    }
}

fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let wanted = if get.options.editable { rights::WRITE } else { rights::READ };
    let owners: Option<Set<u64>> = get.id_set("userids")?;
    let is_wanted = |it: &&Arc<Document>| {
        owners
            .as_ref()
            .is_none_or(|ids| it.text("userid").parse::<u64>().is_ok_and(|it| ids.contains(&it)))
            && rights::permission(ctx, it) >= wanted
    };
    let mut rows: DocumentList =
        ctx.snapshot.documents.of(KIND).filter(is_wanted).cloned().collect();
    if get.flag(EXPAND_URLS) {
        for row in &mut rows {
            Arc::make_mut(row).body.insert(EXPAND_URLS.to_owned(), json!("1"));
        }
    }
    Ok(rows)
}

/// The owner and the objects of a map.
fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    let id = id_of(fields, "sysmapid").unwrap_or_default();
    let old = ctx.snapshot.documents.get(KIND, id);
    let owner = id_of(fields, "userid");
    if fields.contains_key("userid") && owner.is_none() {
        return Err(ApiError::params("Map owner cannot be empty."));
    }
    if mode == Mode::Create && owner.is_none() {
        fields.insert("userid".to_owned(), text(ctx.rights.userid.to_string()));
    }
    // Objects that it showed before may have been hidden from the caller since.
    let known = |it: &Body| {
        let id = str_of(it, "selementid");
        let mut old = old.into_iter().flat_map(|old| list(&old.body, "selements"));
        old.any(|old| {
            !id.is_empty()
                && str_of(old, "selementid") == id
                && (!it.contains_key("elements") || it.get("elements") == old.get("elements"))
        })
    };
    let is_hidden = |it: &&Body| rights::of_element(ctx, it) < rights::READ;
    if list(fields, "selements").filter(is_hidden).any(|it| !known(it)) {
        return Err(ApiError::no_permissions());
    }
    let triggers = list(fields, "links").flat_map(|it| list(it, "linktriggers"));
    let triggers: Vec<u64> = triggers.filter_map(|it| id_of(it, "triggerid")).collect();
    let is_readable = |id: &u64| {
        let found = ctx.snapshot.trigger(model::TriggerId(*id));
        found.is_some_and(|(holder, row)| {
            crate::objects::common::triggers::is_readable(ctx, holder, row)
        })
    };
    let had: Set<u64> =
        old.map(|it| db::objects::map::link_triggers(&it.body).collect()).unwrap_or_default();
    let items = list(fields, "links").filter_map(|it| id_of(it, "itemid"));
    let is_shown = |id: &u64| {
        let found = ctx.snapshot.item(model::ItemId(*id));
        found.is_some_and(|(holder, _)| ctx.may_read(holder))
    };
    let had_items: Set<u64> =
        old.map(|it| db::objects::map::link_items(&it.body).collect()).unwrap_or_default();
    let mut items = items.filter(|it| *it != 0);
    if triggers.iter().all(|it| had.contains(it) || is_readable(it))
        && items.all(|it| had_items.contains(&it) || is_shown(&it))
    {
        return Ok(());
    }
    Err(ApiError::no_permissions())
}

fn select(ctx: &Ctx, row: &Document, select: &Select, output: &Output) -> Option<Value> {
    let part = |it: &&Body, name: &str| it.get(name).cloned();
    match select.property {
        "selements" => {
            Some(json::parts(ELEMENT, list(&row.body, "selements"), output, |it: &&Body, name| {
                match name {
                    "permission" => number(rights::of_element(ctx, it)),
                    "urls" if row.text(EXPAND_URLS) == "1" => expanded_urls(&row.body, it),
                    _ => part(it, name).unwrap_or_else(|| text("")),
                }
            }))
        }
        "links" => {
            Some(json::parts(
                LINK,
                list(&row.body, "links"),
                output,
                |it: &&Body, name| match name {
                    "permission" => number(rights::of_link(ctx, &row.body, it)),
                    "linktriggers" => link_triggers(ctx, it),
                    _ => part(it, name).unwrap_or_else(|| text("")),
                },
            ))
        }
        "iconmap" => {
            let id = row.text("iconmapid").parse().unwrap_or_default();
            let found = ctx.snapshot.documents.get("iconmap", id);
            Some(ctx.related(select, Related::Documents(found.into_iter().collect()), output))
        }
        _ => None,
    }
}

/// Triggers of a link with the fields that the version has.
fn link_triggers(ctx: &Ctx, link: &Body) -> Value {
    let fields = fields_at(LINK_TRIGGER, ctx.version);
    let is_known = |name: &str| fields.iter().any(|it| it.name == name);
    let known = |it: &Body| -> Fields {
        let known = it.iter().filter(|(name, _)| is_known(name));
        known.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    list(link, "linktriggers").map(|it| Value::Object(known(it))).collect()
}

/// With the addresses that the map has for all elements of the kind.
fn expanded_urls(body: &Body, element: &Body) -> Value {
    let all = urls::of_element(body, element, |it| urls::with_ids(element, it));
    all.into_iter().map(|(name, url)| json!({"name": name, "url": url})).collect()
}
