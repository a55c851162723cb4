//! What triggers depend on, and the order in which they are judged.

use model::TriggerId;
use model::map::Map;
use model::snapshot::{Discovered, HolderKind, Host, TriggerRow};

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
        for (plan, (_, it)) in plans.iter_mut().zip(live) {
            let mut masters = Vec::new();
            for id in &it.content.dependencies {
                let master = match by_ref.get(id) {
                    Some(row) => {
                        own_master(self.host, live, *row, it.discovered()).map(Master::Own)
                    }
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

/// The position of the trigger in a row; of a prototype, that of the trigger that the same
/// discovered row made of it.
fn own_master(
    host: &Host,
    live: &[(u32, &TriggerRow)],
    row: u32,
    referrer: Option<&Discovered>,
) -> Option<u32> {
    let found = live.iter().position(|(it, _)| *it == row);
    let found = found.or_else(|| {
        let wanted = referrer?;
        let prototype = host.triggers.get(row as usize)?.id;
        live.iter().position(|(_, it)| {
            let made = it.discovered();
            made.is_some_and(|it| it.prototype == prototype.0 && it.was_named_with(wanted))
        })
    })?;
    Some(to_u32(found))
}

/// Masters get a lower level than their dependants; in a cycle nobody waits for ever.
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
