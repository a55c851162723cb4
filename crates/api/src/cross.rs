//! Which triggers use items of other hosts than their own: a trigger is kept with one of its hosts,
//! and found from the others' items here.

use std::sync::{Arc, Mutex, PoisonError};

use model::map::Map;
use model::snapshot::{HolderKind, Host, Snapshot, TriggerRow};
use model::{ItemId, TriggerId};

/// Triggers by the items of other hosts that they use. Built once for a state of the configuration.
#[derive(Debug, Default)]
pub(crate) struct CrossTriggers {
    by_item: Map<ItemId, Vec<TriggerId>>,
}

impl CrossTriggers {
    pub(crate) fn of(&self, item: ItemId) -> &[TriggerId] {
        self.by_item.get(&item).map_or(&[], Vec::as_slice)
    }

    fn build(snapshot: &Snapshot) -> Self {
        let mut found = Self::default();
        for holder in snapshot.hosts.values().chain(snapshot.templates.values()) {
            for row in holder.triggers.iter().filter(|it| may_cross(holder, it)) {
                found.add(snapshot, holder, row);
            }
        }
        found
    }

    fn add(&mut self, snapshot: &Snapshot, holder: &Host, row: &TriggerRow) {
        for function in &row.content.functions {
            let of = snapshot.item_holder(function.item);
            let is_other = of.is_some_and(|it| it.kind == holder.kind && it.id != holder.id);
            if is_other {
                let triggers = self.by_item.entry(function.item).or_default();
                if triggers.last() != Some(&row.id) {
                    triggers.push(row.id);
                }
            }
        }
    }
}

/// On a host everything that a template's trigger uses is the host's own.
fn may_cross(holder: &Host, row: &TriggerRow) -> bool {
    row.is_live() && (holder.kind == HolderKind::Template || !row.source.is_some())
}

/// The index of the configuration asked last.
#[derive(Debug, Default)]
pub(crate) struct CrossCache(Mutex<Option<(u64, Arc<CrossTriggers>)>>);

impl CrossCache {
    pub(crate) fn get(&self, snapshot: &Snapshot) -> Arc<CrossTriggers> {
        // Held while building: whoever comes meanwhile needs the same.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((epoch, index)) if *epoch == snapshot.epoch => Arc::clone(index),
            _ => {
                let index = Arc::new(CrossTriggers::build(snapshot));
                *kept = Some((snapshot.epoch, Arc::clone(&index)));
                index
            }
        }
    }
}
