//! Quarantine of items and triggers that make steps panic.
//!
//! A value over which a step panics costs the shard a rebuild. If values of one item do so again and
//! again, the owner of the shard puts the item into quarantine: until the process starts again or the
//! configuration of the item's host changes, the item takes no values and is not calculated, as if it
//! were disabled, is not supported, and says why. Other items pay nothing for this: the flag that
//! refuses the values is that of disabled items.
//!
//! Triggers are quarantined by what they say: those of one content, on whichever hosts, are unknown from
//! then on, until the configuration of a host with such a trigger changes.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use directory::HostPlan;
use model::ItemId;
use model::content::TriggerContent;
use model::map::{Map, Set};

use super::items::Items;
use super::state::{ENABLED, QUARANTINED, Slot};

/// Items and triggers in quarantine, with their errors.
#[derive(Debug, Default)]
pub(super) struct Quarantine {
    items: Map<ItemId, Arc<str>>,
    /// By [`content_of`].
    triggers: Map<u64, Arc<str>>,
}

impl Quarantine {
    pub(super) fn has(&self, item: ItemId) -> bool {
        !self.items.is_empty() && self.items.contains_key(&item)
    }

    pub(super) fn put_item(&mut self, item: ItemId, why: Arc<str>) {
        self.items.insert(item, why);
    }

    /// By [`content_of`].
    pub(super) fn put_trigger(&mut self, content: u64, why: Arc<str>) {
        self.triggers.insert(content, why);
    }

    /// Slots with items in quarantine, and why these are.
    pub(super) fn slots(&self, items: &Items) -> Vec<(u32, Arc<str>)> {
        if self.items.is_empty() {
            return Vec::new();
        }
        let of_slot = |(at, it): (u32, &Slot)| Some((at, Arc::clone(self.items.get(&it.item)?)));
        items.all().filter(|it| it.1.item.is_some()).filter_map(of_slot).collect()
    }

    /// The configuration of these hosts changes: their items in quarantine get another try.
    pub(super) fn readmit(&mut self, all: &mut Items, plans: &[Arc<HostPlan>]) {
        if !self.triggers.is_empty() {
            for trigger in plans.iter().flat_map(|it| &it.layout.triggers) {
                self.triggers.remove(&content_of(&trigger.content));
            }
        }
        if self.items.is_empty() {
            return;
        }
        let items = plans.iter().flat_map(|plan| {
            let positions = 0..plan.slots.len();
            positions.filter_map(|it| plan.layout.item_id(&plan.host, it))
        });
        let items: Set<ItemId> = items.filter(|it| self.items.contains_key(it)).collect();
        if items.is_empty() {
            return;
        }
        self.items.retain(|item, _| !items.contains(item));
        let slots = all.all_mut();
        for slot in slots.filter(|it| it.has(QUARANTINED) && items.contains(&it.item)) {
            slot.flags = slot.flags & !QUARANTINED | ENABLED;
        }
    }
    #[inline]
    pub(super) fn of_trigger(&self, content: &TriggerContent) -> Option<Arc<str>> {
        if self.triggers.is_empty() {
            return None;
        }
        self.triggers.get(&content_of(content)).cloned()
    }
}

/// The evaluated content of a trigger, the same on all hosts of a template.
pub(super) fn content_of(content: &TriggerContent) -> u64 {
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    (&content.expression, &content.recovery_expression, &content.event_name).hash(&mut hasher);
    for function in &content.functions {
        (&function.function, &function.parameter).hash(&mut hasher);
    }
    hasher.finish()
}
