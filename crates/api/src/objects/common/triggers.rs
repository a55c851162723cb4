//! The fields of rows of triggers, the same for all callers.

use std::sync::Arc;

use model::content::{ItemFlags, ItemStatus, TriggerStatus};
use model::map::Set;
use model::snapshot::{Host, ItemRow, TriggerRow};
use model::{ItemId, TriggerId};

use super::refs::{Item, Refs};
use crate::shared::Ctx;

/// Triggers of a holder that are no prototypes.
pub(crate) fn live(holder: &Host) -> impl Iterator<Item = &TriggerRow> {
    holder.triggers.iter().filter(|it| it.is_live())
}

pub(crate) fn is_enabled(row: &TriggerRow) -> bool {
    row.content.status == TriggerStatus::Enabled
}

/// Whether a trigger is judged: it, its items and their hosts are enabled. Problems of others are kept,
/// but pages do not show them, as in Zabbix.
pub(crate) fn is_monitored<'a>(
    refs: &Refs<'a>,
    holder: &'a Arc<Host>,
    row: &'a TriggerRow,
) -> bool {
    is_enabled(row)
        && holder.is_monitored()
        && refs.functions(holder, row).all(|(_, item)| {
            item.is_none_or(|(of, it)| {
                of.is_monitored() && it.content.status == ItemStatus::Enabled
            })
        })
}

/// The hosts of a trigger, each once.
pub(crate) fn hosts<'a>(
    ctx: &'a Ctx,
    holder: &'a Arc<Host>,
    row: &'a TriggerRow,
) -> Vec<&'a Arc<Host>> {
    Refs::new(&ctx.snapshot).hosts(holder, row)
}

/// The hosts of a trigger by id, for users who may see all of them.
pub(crate) fn hosts_of(ctx: &Ctx, id: TriggerId) -> Vec<&Arc<Host>> {
    let Some((holder, row)) = ctx.snapshot.trigger(id) else { return Vec::new() };
    hosts(ctx, holder, row)
}

/// A trigger over several hosts is visible to users who see all of them.
pub(crate) fn is_readable(ctx: &Ctx, holder: &Arc<Host>, row: &TriggerRow) -> bool {
    ctx.is_super_admin() || hosts(ctx, holder, row).iter().all(|it| ctx.may_read(it))
}

/// The items of a trigger, each once; none if there is no such trigger.
pub(crate) fn items_of(ctx: &Ctx, id: TriggerId) -> Vec<Item<'_>> {
    let Some((holder, row)) = ctx.snapshot.trigger(id) else { return Vec::new() };
    Refs::new(&ctx.snapshot).items(holder, row)
}

/// Whether one of the triggers is of this host.
pub(crate) fn are_of_host(ctx: &Ctx, host: &Host, ids: &Set<u64>) -> bool {
    ids.iter().any(|id| {
        let found = ctx.snapshot.trigger(TriggerId(*id));
        found.is_some_and(|(holder, row)| hosts(ctx, holder, row).iter().any(|it| it.id == host.id))
    })
}

/// The triggers that use an item, also those of other hosts.
pub(crate) fn of_item<'a>(
    ctx: &'a Ctx,
    holder: &'a Arc<Host>,
    item: &ItemRow,
) -> Vec<(&'a Arc<Host>, &'a TriggerRow)> {
    let chain: Vec<ItemId> = ctx.snapshot.item_chain(item).collect();
    let refs = Refs::new(&ctx.snapshot);
    let mut found = Vec::new();
    for row in holder.triggers.iter().filter(|it| it.is_live()) {
        let names_it = row.content.functions.iter().any(|it| chain.contains(&it.item));
        // Discovered triggers name the prototype.
        let may_mean_it = item.discovered().is_some() && row.discovered().is_some();
        let means_it = |(_, it): (_, Option<Item<'_>>)| it.is_some_and(|it| it.1.id == item.id);
        if names_it || may_mean_it && refs.functions(holder, row).any(means_it) {
            found.push((holder, row));
        }
    }
    let others = ctx.cross_triggers();
    let others = others.of(item.id).iter().filter_map(|it| ctx.snapshot.trigger(*it));
    found.extend(others.filter(|(of, row)| is_readable(ctx, of, row)));
    found
}

fn prototypes(holder: &Host) -> impl Iterator<Item = &TriggerRow> {
    holder.triggers.iter().filter(|it| it.flags == ItemFlags::Prototype)
}

/// The trigger prototypes of a rule on its holder.
pub(crate) fn prototypes_of_rule<'a>(
    ctx: &Ctx,
    holder: &'a Arc<Host>,
    rule: &ItemRow,
) -> Vec<(&'a Arc<Host>, &'a TriggerRow)> {
    let chain = ctx.snapshot.names_of_rule(holder, rule);
    let of_it = prototypes(holder).filter(|it| chain.contains(&it.content.ruleid));
    of_it.map(|it| (holder, it)).collect()
}

/// The trigger prototypes that use an item prototype.
pub(crate) fn prototypes_of_item<'a>(
    ctx: &Ctx,
    holder: &'a Arc<Host>,
    item: &ItemRow,
) -> Vec<(&'a Arc<Host>, &'a TriggerRow)> {
    let chain: Vec<ItemId> = ctx.snapshot.item_chain(item).collect();
    let uses = |it: &&TriggerRow| it.content.functions.iter().any(|it| chain.contains(&it.item));
    prototypes(holder).filter(uses).map(|it| (holder, it)).collect()
}
