//! Dependencies of triggers, and the order in which triggers are evaluated.

use model::TriggerId;
use model::map::Map;
use model::snapshot::{Discovered, HolderKind, Host, LldRow, TriggerRow};

use super::compiler::{Compiler, to_u32};
use crate::layout::{Master, TriggerPlan};

impl<'a> Compiler<'a> {
    pub(super) fn masters(&mut self, live: &[(u32, &'a TriggerRow)], plans: &mut [TriggerPlan]) {
        if live.iter().all(|(_, it)| it.content.dependencies.is_empty()) {
            return;
        }
        let mut by_ref: Map<TriggerId, u32> = Map::default();
        for (row, it) in self.host.triggers.iter().enumerate() {
            for id in self.snapshot.trigger_chain(it) {
                by_ref.insert(id, to_u32(row));
            }
        }
        let own = OwnTriggers::of(self.host, live);
        for (plan, (_, it)) in plans.iter_mut().zip(live) {
            let mut masters = Vec::new();
            for id in &it.content.dependencies {
                let master = match by_ref.get(id) {
                    Some(row) => own.meant(*row, it.discovered()).map(Master::Own),
                    None => self.foreign_master(*id),
                };
                masters.extend(master);
            }
            plan.masters = masters.into();
        }
    }

    fn foreign_master(&mut self, id: TriggerId) -> Option<Master> {
        let (holder, _) = self.snapshot.trigger(id)?;
        if holder.kind != HolderKind::Host {
            return None;
        }
        self.foreign_masters.push((holder.id, id));
        Some(Master::Foreign(id))
    }
}

/// The live triggers of a host, by what a dependency may mean.
struct OwnTriggers<'a> {
    host: &'a Host,
    live: &'a [(u32, &'a TriggerRow)],
    /// By prototype and discovered row. More than one only where a lost trigger exists alongside
    /// its successor.
    made: Map<(TriggerId, &'a LldRow), Vec<u32>>,
}

impl<'a> OwnTriggers<'a> {
    /// `live` in the order of rows.
    fn of(host: &'a Host, live: &'a [(u32, &'a TriggerRow)]) -> Self {
        let mut made: Map<(TriggerId, &LldRow), Vec<u32>> = Map::default();
        for (at, (_, it)) in live.iter().enumerate() {
            if let Some(it) = it.discovered() {
                made.entry((TriggerId(it.prototype), &*it.row)).or_default().push(to_u32(at));
            }
        }
        Self { host, live, made }
    }

    /// The position of the trigger in a row; of a prototype, that of the trigger that the same
    /// discovered row made of it.
    fn meant(&self, row: u32, referrer: Option<&Discovered>) -> Option<u32> {
        if let Ok(found) = self.live.binary_search_by_key(&row, |(it, _)| *it) {
            return Some(to_u32(found));
        }
        let wanted = referrer?;
        let prototype = self.host.triggers.get(row as usize)?.id;
        let made = self.made.get(&(prototype, &*wanted.row))?;
        let was_named = |at: &u32| {
            let (_, it) = self.live[*at as usize];
            it.discovered().is_some_and(|it| it.was_named_with(wanted))
        };
        made.iter().copied().find(was_named)
    }
}

/// Masters get a lower level than their dependants; in a cycle no trigger waits for ever.
pub(super) fn set_levels(plans: &mut [TriggerPlan]) {
    const LEVELS_MAX: u16 = 32;
    for _ in 0..LEVELS_MAX {
        let mut changed = false;
        for at in 0..plans.len() {
            let needed = plans[at].masters.iter().filter_map(|it| match it {
                Master::Own(master) => plans.get(*master as usize).map(|it| it.level + 1),
                Master::Foreign(_) => None,
            });
            let level = needed.max().unwrap_or(0).min(LEVELS_MAX);
            if plans[at].level < level {
                plans[at].level = level;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}
