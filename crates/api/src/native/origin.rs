//! Where an inherited or discovered item, rule, trigger or prototype comes from, for links of the
//! pages.

use std::sync::Arc;

use model::content::ItemFlags;
use model::field_path::FieldPath;
use model::snapshot::{Discovered, Host};
use model::{ItemId, TriggerId};
use serde_json::{Value, json};

use super::request::{Params, number};
use crate::error::ApiError;
use crate::objects::common::items;
use crate::objects::common::triggers;
use crate::shared::Ctx;

/// `?itemid=` (rules and item prototypes too) or `?triggerid=`.
pub(super) fn origin(ctx: &Ctx, params: &Params) -> Result<Value, ApiError> {
    let id =
        |name: &str| number(params, name, 0, i64::MAX).map(|it| u64::try_from(it).unwrap_or(0));
    match (id("itemid")?, id("triggerid")?) {
        (0, 0) => Err(ApiError::missing(FieldPath::root(), "itemid")),
        (0, id) => of_trigger(ctx, TriggerId(id)),
        (id, _) => of_item(ctx, ItemId(id)),
    }
}

fn of_item(ctx: &Ctx, id: ItemId) -> Result<Value, ApiError> {
    let found = ctx.snapshot.item(id).filter(|(holder, _)| ctx.may_read(holder));
    let (holder, row) = found.ok_or_else(ApiError::no_permissions)?;
    let above = ctx.snapshot.item_chain(row).skip(1).filter_map(|it| ctx.snapshot.item(it));
    let templates = above.map(|(template, row)| {
        let kind = match row.flags {
            ItemFlags::Rule | ItemFlags::DiscoveredRule => "rule",
            ItemFlags::RulePrototype => "rule_prototype",
            ItemFlags::Prototype => "item_prototype",
            ItemFlags::Plain | ItemFlags::Discovered => "item",
        };
        place(ctx, template, (kind, row.id.0), row.content.ruleid)
    });
    Ok(answer(templates, row.discovered().map(|it| rule(ctx, holder, it))))
}

fn of_trigger(ctx: &Ctx, id: TriggerId) -> Result<Value, ApiError> {
    let found = ctx.snapshot.trigger(id);
    let found = found.filter(|(holder, row)| triggers::is_readable(ctx, holder, row));
    let (holder, row) = found.ok_or_else(ApiError::no_permissions)?;
    let above = ctx.snapshot.trigger_chain(row).skip(1).filter_map(|it| ctx.snapshot.trigger(it));
    let templates = above.map(|(template, row)| {
        let is_prototype = row.flags == ItemFlags::Prototype;
        let kind = if is_prototype { "trigger_prototype" } else { "trigger" };
        place(ctx, template, (kind, row.id.0), row.content.ruleid)
    });
    Ok(answer(templates, row.discovered().map(|it| rule(ctx, holder, it))))
}

/// The directly linked template first, the one that owns the content last.
fn answer(templates: impl Iterator<Item = Value>, discovered_by: Option<Value>) -> Value {
    json!({"templates": templates.collect::<Vec<_>>(), "discovered_by": discovered_by})
}

/// An object on a template; of a template that the user may not see only that it exists.
fn place(ctx: &Ctx, template: &Arc<Host>, (kind, id): (&str, u64), rule: ItemId) -> Value {
    if !ctx.may_read(template) {
        return json!({"templateid": "0", "name": "", "kind": kind, "id": "0", "ruleid": "0"});
    }
    let rule = items::rule_of(ctx, template, rule).map_or(0, |(_, it)| it.id.0);
    json!({
        "templateid": template.id.to_string(),
        "name": template.name,
        "kind": kind,
        "id": id.to_string(),
        "ruleid": rule.to_string(),
    })
}

fn rule(ctx: &Ctx, holder: &Arc<Host>, found: &Discovered) -> Value {
    let rule = items::rule_of(ctx, holder, found.rule);
    json!({
        "ruleid": found.rule.to_string(),
        "name": rule.map(|(_, it)| it.name()).unwrap_or_default(),
        "prototypeid": found.prototype.to_string(),
    })
}
