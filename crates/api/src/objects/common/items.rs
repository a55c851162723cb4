//! What rows of items, prototypes and discovery rules tell, whoever asks.

use std::sync::Arc;

use model::ItemId;
use model::content::{ItemFlags, ItemStatus, ItemType, ValueMap, WebScenario};
use model::snapshot::{Discovered, Host, ItemRow};
use serde_json::Value;

use crate::json::{flag, number};
use crate::shared::Ctx;

/// Plain and discovered items: what `item.get` answers.
pub(crate) fn is_item(flags: ItemFlags) -> bool {
    matches!(flags, ItemFlags::Plain | ItemFlags::Discovered)
}

pub(crate) fn is_enabled(row: &ItemRow) -> bool {
    row.content.status == ItemStatus::Enabled
}

/// The rule of a prototype on the same holder.
pub(crate) fn rule_of<'a>(
    ctx: &'a Ctx,
    holder: &'a Arc<Host>,
    rule: ItemId,
) -> Option<(&'a Arc<Host>, &'a ItemRow)> {
    ctx.snapshot.item_by_ref(holder, rule.some()?)
}

/// The prototypes of a rule on its holder.
pub(crate) fn prototypes_of_rule<'a>(
    ctx: &Ctx,
    holder: &'a Arc<Host>,
    rule: &ItemRow,
) -> Vec<(&'a Arc<Host>, &'a ItemRow)> {
    let chain: Vec<ItemId> = ctx.snapshot.item_chain(rule).collect();
    let of_it = holder
        .items
        .iter()
        .filter(|it| it.flags == ItemFlags::Prototype && chain.contains(&it.content.ruleid));
    of_it.map(|it| (holder, it)).collect()
}

/// The value map of an item: a map of the holder of its content, found from any row that shares it.
pub(crate) fn valuemap_of<'a>(
    ctx: &'a Ctx,
    holder: &'a Arc<Host>,
    row: &ItemRow,
) -> Option<&'a ValueMap> {
    ctx.snapshot.value_map(holder, row)
}

/// What discovered items and triggers tell alike of their discovery.
pub(crate) fn discovered_field(found: &Discovered, is_enabled: bool, field: &str) -> Value {
    let lost = found.lost();
    match field {
        "lastcheck" => number(lost.since),
        "status" => flag(lost.since != 0),
        "ts_delete" => number(lost.delete_at),
        "ts_disable" => number(lost.disable_at),
        // What a user disables has no such time.
        "disable_source" => flag(lost.disable_at != 0 && !is_enabled),
        _ => Value::Null,
    }
}

/// Whether an item, rule or prototype of this kind is there and on a host or template of the user's.
pub(crate) fn may_change(ctx: &Ctx, id: u64, is_kind: fn(ItemFlags) -> bool) -> bool {
    let found = ctx.snapshot.item(ItemId(id));
    found.is_some_and(|(holder, row)| is_kind(row.flags) && ctx.may_write(holder))
}

/// Whether an item is a web scenario: the one that brings the others.
pub(crate) fn is_web_scenario(row: &ItemRow) -> bool {
    row.content.kind == ItemType::WebItem && row.is_live() && WebScenario::is_of(&row.content.key_)
}

/// Web scenarios of a host or template.
pub(crate) fn web_scenarios(holder: &Host) -> impl Iterator<Item = &ItemRow> {
    holder.items.iter().filter(|it| is_web_scenario(it))
}
