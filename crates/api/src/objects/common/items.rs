//! The fields of rows of items, prototypes and discovery rules, the same for all callers.

use std::sync::Arc;

use model::ItemId;
use model::content::{ItemFlags, ItemStatus, ItemType, ValueMap, WebScenario};
use model::map::Set;
use model::snapshot::{Discovered, Host, ItemRow};
use serde_json::Value;

use crate::json::{flag, number};
use crate::shared::Ctx;

/// Plain and discovered items: those that `item.get` returns.
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

/// The rule that an object or prototype belongs to, if it is one; else nothing.
pub(crate) fn rule_above<'a>(
    ctx: &'a Ctx,
    holder: &'a Arc<Host>,
    rule: ItemId,
) -> Vec<(&'a Arc<Host>, &'a ItemRow)> {
    rule_of(ctx, holder, rule).into_iter().filter(|(_, it)| it.flags.is_rule()).collect()
}

/// The rule prototype that a prototype belongs to; none if it belongs to a rule.
pub(crate) fn rule_prototype_above<'a>(
    ctx: &'a Ctx,
    holder: &'a Arc<Host>,
    rule: ItemId,
) -> Vec<(&'a Arc<Host>, &'a ItemRow)> {
    let found = rule_of(ctx, holder, rule).into_iter();
    found.filter(|(_, it)| it.flags == ItemFlags::RulePrototype).collect()
}

/// The rule prototypes of a rule.
pub(crate) fn rule_prototypes_of_rule<'a>(
    ctx: &Ctx,
    holder: &'a Arc<Host>,
    rule: &ItemRow,
) -> Vec<(&'a Arc<Host>, &'a ItemRow)> {
    let chain = ctx.snapshot.names_of_rule(holder, rule);
    let of_it = holder
        .items
        .iter()
        .filter(|it| it.flags == ItemFlags::RulePrototype && chain.contains(&it.content.ruleid));
    of_it.map(|it| (holder, it)).collect()
}

/// Rules by id, as `discoveryids` names them, in the ids that prototypes name: the prototypes of a discovered
/// rule are those of its own prototype.
pub(crate) fn rules_with_prototypes(ctx: &Ctx, ids: Set<u64>) -> Set<u64> {
    let own = |id: u64| match ctx.snapshot.item(ItemId(id)) {
        Some((_, row)) if row.flags == ItemFlags::DiscoveredRule => {
            row.discovered().map_or(id, |it| it.prototype)
        }
        _ => id,
    };
    ids.into_iter().map(own).collect()
}

/// The prototypes of a rule on its holder.
pub(crate) fn prototypes_of_rule<'a>(
    ctx: &Ctx,
    holder: &'a Arc<Host>,
    rule: &ItemRow,
) -> Vec<(&'a Arc<Host>, &'a ItemRow)> {
    let chain = ctx.snapshot.names_of_rule(holder, rule);
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

/// The fields of discovery that discovered items and triggers share.
pub(crate) fn discovered_field(found: &Discovered, is_enabled: bool, field: &str) -> Value {
    let lost = found.lost();
    match field {
        "lastcheck" => number(lost.since),
        "status" => flag(lost.since != 0),
        "ts_delete" => number(lost.delete_at),
        "ts_disable" => number(lost.disable_at),
        // An item disabled by a user has no such time.
        "disable_source" => flag(lost.disable_at != 0 && !is_enabled),
        _ => Value::Null,
    }
}

/// Whether an item, rule or prototype of this kind is there and on a host or template of the user's.
pub(crate) fn may_change(ctx: &Ctx, id: u64, is_kind: fn(ItemFlags) -> bool) -> bool {
    let found = ctx.snapshot.item(ItemId(id));
    found.is_some_and(|(holder, row)| is_kind(row.flags) && ctx.may_write(holder))
}

/// Whether an item is a web scenario: the one that the others belong to.
pub(crate) fn is_web_scenario(row: &ItemRow) -> bool {
    row.content.kind == ItemType::WebItem && row.is_live() && WebScenario::is_of(&row.content.key_)
}

/// Whether a host or template has item prototypes.
pub(crate) fn has_prototypes(holder: &Host) -> bool {
    holder.items.iter().any(|it| it.flags == ItemFlags::Prototype)
}

/// Whether it has prototypes of numeric items that will be enabled.
pub(crate) fn has_plotted_prototypes(holder: &Host) -> bool {
    let mut prototypes = holder.items.iter().filter(|it| it.flags == ItemFlags::Prototype);
    prototypes.any(|it| it.content.value_type.is_numeric() && is_enabled(it))
}

/// Web scenarios of a host or template.
pub(crate) fn web_scenarios(holder: &Host) -> impl Iterator<Item = &ItemRow> {
    holder.items.iter().filter(|it| is_web_scenario(it))
}
