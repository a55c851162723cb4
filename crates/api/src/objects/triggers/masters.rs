//! The triggers that triggers depend on, and those that `skipDependent` hides.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use model::TriggerId;
use model::map::{Map, Set};
use model::snapshot::{Discovered, HolderKind, Host, LldRow, Snapshot, TriggerRow};

use crate::objects::common::items;
use crate::objects::common::refs::Refs;
use crate::objects::common::scope;
use crate::objects::common::triggers;
use crate::shared::Ctx;

/// A trigger with its holder.
type TriggerOfHolder<'a> = (&'a Arc<Host>, &'a TriggerRow);

/// Look-ups of one call. The index of the holder asked last is kept: rows come holder by holder.
pub(crate) struct Masters<'a> {
    snapshot: &'a Snapshot,
    last: RefCell<Option<Rc<Index<'a>>>>,
}

/// Positions of the triggers of a holder.
struct Index<'a> {
    holder: &'a Arc<Host>,
    /// By the ids that content names them by.
    by_ref: Map<TriggerId, usize>,
    /// Of discovered ones, by prototype and row.
    made: Map<(u64, &'a LldRow), usize>,
}

impl<'a> Masters<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, last: RefCell::new(None) }
    }

    /// The triggers that a trigger depends on, on its own holder where they are inherited with it. A
    /// discovered trigger depends on the trigger that the same discovered row created from a prototype.
    pub(crate) fn of(&self, (holder, row): TriggerOfHolder<'a>) -> Vec<TriggerOfHolder<'a>> {
        if row.content.dependencies.is_empty() {
            return Vec::new();
        }
        let index = self.index(holder);
        let dependencies = row.content.dependencies.iter();
        let masters = dependencies.filter_map(|id| match index.by_ref.get(id) {
            Some(at) => {
                let found = holder.triggers.get(*at)?;
                Some((holder, index.meant(found, row.discovered())?))
            }
            None => self.snapshot.trigger(*id),
        });
        masters.collect()
    }

    fn index(&self, holder: &'a Arc<Host>) -> Rc<Index<'a>> {
        let mut last = self.last.borrow_mut();
        match &*last {
            Some(known) if Arc::ptr_eq(known.holder, holder) => Rc::clone(known),
            _ => {
                let index = Rc::new(Index::of(self.snapshot, holder));
                *last = Some(Rc::clone(&index));
                index
            }
        }
    }
}

impl<'a> Index<'a> {
    fn of(snapshot: &Snapshot, holder: &'a Arc<Host>) -> Self {
        let mut by_ref = Map::default();
        let mut made = Map::default();
        for (at, row) in holder.triggers.iter().enumerate() {
            match row.discovered() {
                Some(found) => {
                    made.insert((found.prototype, &*found.row), at);
                    by_ref.insert(row.id, at);
                }
                None => by_ref.extend(snapshot.trigger_chain(row).map(|id| (id, at))),
            }
        }
        Self { holder, by_ref, made }
    }

    fn meant(
        &self,
        found: &'a TriggerRow,
        referrer: Option<&'a Discovered>,
    ) -> Option<&'a TriggerRow> {
        let Some(wanted) = referrer.filter(|_| !found.is_live()) else { return Some(found) };
        let at = *self.made.get(&(found.id.0, &*wanted.row))?;
        let made = self.holder.triggers.get(at)?;
        made.discovered().is_some_and(|it| it.was_named_with(wanted)).then_some(made)
    }
}

/// The state of a trigger that others depend on.
struct Master {
    is_problem: bool,
    is_disabled: bool,
    masters: Vec<TriggerId>,
}

/// Removes, for `skipDependent`, triggers with a master in problem, however far up, and disabled triggers
/// that others of the list depend on. A disabled master hides no trigger, and neither do the ones above it
/// through it.
pub(crate) fn without_dependent<'a>(
    ctx: &'a Ctx,
    rows: Vec<TriggerOfHolder<'a>>,
) -> Vec<TriggerOfHolder<'a>> {
    let mut known: Map<TriggerId, Master> = Map::default();
    let masters = Masters::new(&ctx.snapshot);
    let mut next: Vec<TriggerOfHolder<'a>> = rows.iter().flat_map(|it| masters.of(*it)).collect();
    let refs = Refs::new(&ctx.snapshot);
    while let Some(row) = next.pop() {
        if known.contains_key(&row.1.id) {
            continue;
        }
        let above = masters.of(row);
        let master = Master {
            is_problem: ctx.ports().live.trigger(row.1.id).is_problem,
            is_disabled: is_disabled(&refs, row),
            masters: above.iter().map(|(_, it)| it.id).collect(),
        };
        known.insert(row.1.id, master);
        next.extend(above);
    }
    let is_hidden = |row: &TriggerOfHolder<'a>| {
        known.get(&row.1.id).is_some_and(|it| it.is_disabled)
            || is_silenced(&known, masters.of(*row).iter().map(|(_, it)| it.id))
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
fn is_disabled<'a>(refs: &Refs<'a>, (holder, row): TriggerOfHolder<'a>) -> bool {
    let is_off = |host: &Host| host.kind == HolderKind::Host && !scope::is_monitored(host);
    !triggers::is_enabled(row)
        || is_off(holder)
        || refs.functions(holder, row).any(|(_, found)| {
            found.is_some_and(|(host, it)| is_off(host) || !items::is_enabled(it))
        })
}
