//! What triggers depend on, and which of them `skipDependent` hides.

use std::sync::Arc;

use model::TriggerId;
use model::map::{Map, Set};
use model::snapshot::{Discovered, HolderKind, Host, TriggerRow};

use super::refs::Refs;
use super::{item, scope, trigger};
use crate::shared::Ctx;

/// A trigger with its holder.
type Row<'a> = (&'a Arc<Host>, &'a TriggerRow);

/// The triggers that a trigger depends on, on its own holder where they are inherited with it. A
/// discovered trigger depends on what the same discovered row made of a prototype.
pub(crate) fn masters<'a>(
    ctx: &'a Ctx,
    (holder, row): Row<'a>,
) -> impl Iterator<Item = Row<'a>> + use<'a> {
    row.content.dependencies.iter().filter_map(move |id| {
        let mut own = holder.triggers.iter();
        match own.find(|it| ctx.snapshot.trigger_chain(it).any(|it| it == *id)) {
            Some(found) => Some((holder, meant(holder, found, row.discovered())?)),
            None => ctx.snapshot.trigger(*id),
        }
    })
}

fn meant<'a>(
    holder: &'a Host,
    found: &'a TriggerRow,
    referrer: Option<&Discovered>,
) -> Option<&'a TriggerRow> {
    match referrer {
        Some(wanted) if !found.is_live() => holder.triggers.iter().find(|it| {
            let made = it.discovered();
            made.is_some_and(|it| it.prototype == found.id.0 && it.row == wanted.row)
        }),
        _ => Some(found),
    }
}

/// What is known of a trigger that others depend on.
struct Master {
    is_problem: bool,
    is_disabled: bool,
    masters: Vec<TriggerId>,
}

/// Takes out, as `skipDependent` has it: triggers with a master in problem, however far up, and
/// disabled triggers that others of the list depend on. A disabled master silences nobody, and
/// nothing above it counts by way of it.
pub(crate) fn without_dependent<'a>(ctx: &'a Ctx, rows: Vec<Row<'a>>) -> Vec<Row<'a>> {
    let mut known: Map<TriggerId, Master> = Map::default();
    let mut next: Vec<Row<'a>> = rows.iter().flat_map(|it| masters(ctx, *it)).collect();
    let refs = Refs::new(&ctx.snapshot);
    while let Some(row) = next.pop() {
        if known.contains_key(&row.1.id) {
            continue;
        }
        let above: Vec<Row<'a>> = masters(ctx, row).collect();
        let master = Master {
            is_problem: ctx.ports().live.trigger(row.1.id).is_problem,
            is_disabled: is_disabled(&refs, row),
            masters: above.iter().map(|(_, it)| it.id).collect(),
        };
        known.insert(row.1.id, master);
        next.extend(above);
    }
    let is_hidden = |row: &Row<'a>| {
        known.get(&row.1.id).is_some_and(|it| it.is_disabled)
            || is_silenced(&known, masters(ctx, *row).map(|(_, it)| it.id))
    };
    rows.into_iter().filter(|it| !is_hidden(it)).collect()
}

fn is_silenced(known: &Map<TriggerId, Master>, masters: impl Iterator<Item = TriggerId>) -> bool {
    let mut seen: Set<TriggerId> = Set::default();
    let mut next: Vec<TriggerId> = masters.collect();
    while let Some(id) = next.pop() {
        let Some(master) = known.get(&id).filter(|it| !it.is_disabled) else { continue };
        if !seen.insert(id) {
            continue;
        }
        if master.is_problem {
            return true;
        }
        next.extend(&master.masters);
    }
    false
}

/// Whether the trigger, one of its items or one of their hosts is disabled.
fn is_disabled<'a>(refs: &Refs<'a>, (holder, row): Row<'a>) -> bool {
    let is_off = |host: &Host| host.kind == HolderKind::Host && !scope::is_monitored(host);
    !trigger::is_enabled(row)
        || is_off(holder)
        || refs
            .functions(holder, row)
            .any(|(_, found)| found.is_some_and(|(host, it)| is_off(host) || !item::is_enabled(it)))
}
