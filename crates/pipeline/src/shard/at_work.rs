//! The work of a step, and its quarantine: see [`super::quarantine`].

use std::sync::Arc;

use model::ItemId;

use super::Shard;
use super::quarantine::content_of;
use super::state::{ENABLED, MIRROR, QUARANTINED, Slot};
use crate::effects::{Change, Effects};

/// The work of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtWork {
    /// The item whose value, window or formula is at work; none if it is not one item.
    pub item: ItemId,
    pub program: Option<SharedProgram>,
}

/// Content that was configured once for many items or triggers, as in a template.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SharedProgram {
    /// Preprocessing steps, by fingerprint.
    Steps(u64),
    /// Expressions and event name of a trigger, by fingerprint.
    Trigger(u64),
}

impl Shard {
    /// Puts an item into quarantine in the shard that stands in for this one next: see
    /// [`Shard::resume_from`]. `why` is shown as the item's error.
    pub fn quarantine_item(&mut self, item: ItemId, why: Arc<str>) {
        self.quarantine.put_item(item, why);
    }

    /// As [`Shard::quarantine_item`], for triggers of a content: see [`SharedProgram::Trigger`].
    pub fn quarantine_trigger(&mut self, content: u64, why: Arc<str>) {
        self.quarantine.put_trigger(content, why);
    }

    /// Items with these preprocessing steps (see [`SharedProgram::Steps`]) that are not in quarantine, `max` of
    /// them at most.
    #[must_use]
    pub fn items_of(&self, steps: u64, max: usize) -> Vec<ItemId> {
        let has_them = |slot: &&Slot| self.steps_of(slot) == Some(steps);
        let slots = self.items.all().map(|it| it.1);
        let items = slots.filter(|it| it.has(ENABLED)).filter(has_them);
        items.map(|it| it.item).filter(|it| !self.quarantine.has(*it)).take(max).collect()
    }

    fn steps_of(&self, slot: &Slot) -> Option<u64> {
        let item = self.hosts.item_plan(slot)?;
        Some(item.program.as_ref()?.fingerprint())
    }

    /// The work when the last step ended, or panicked.
    #[must_use]
    pub fn at_work(&self) -> AtWork {
        let trigger = self.work.trigger(&self.hosts);
        let of_trigger = trigger.map(|it| SharedProgram::Trigger(content_of(&it.content)));
        let item = self.work.item();
        let of_item = || {
            let slot = self.items.all().map(|it| it.1).find(|it| it.item == item)?;
            self.steps_of(slot).map(SharedProgram::Steps)
        };
        AtWork { item, program: of_trigger.or_else(|| item.is_some().then(of_item).flatten()) }
    }

    /// Whether an item is in quarantine.
    #[must_use]
    pub fn is_quarantined(&self, item: ItemId) -> bool {
        self.quarantine.has(item)
    }

    /// Items in quarantine in the former shard stay there.
    pub(super) fn take_over_quarantine(&mut self, old: &mut Self, effects: &mut Effects) {
        self.quarantine = std::mem::take(&mut old.quarantine);
        for (at, why) in self.quarantine.slots(&self.items) {
            self.turn_off(at, &why, effects);
        }
    }

    fn turn_off(&mut self, at: u32, why: &Arc<str>, effects: &mut Effects) {
        let Some(slot) = self.items.get_mut(at).filter(|it| it.has(ENABLED)) else {
            return;
        };
        slot.flags = slot.flags & !ENABLED | QUARANTINED;
        let slot = *slot;
        self.timers.forget(at);
        let is_reported = self.items.cell(at).unsupported
            && self.items.remarks(at).and_then(|it| it.error.as_ref()) == Some(why);
        if is_reported {
            return;
        }
        if slot.has(MIRROR) {
            let (to, item) = (slot.partition, slot.item);
            let error = Some(Arc::clone(why));
            effects.changes.push(Change::MirroredState { to, item, error });
        }
        self.unsupported(at, &slot, self.now.wall, Arc::clone(why), effects);
    }
}
