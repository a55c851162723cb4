//! Items that are set aside.
//!
//! A value over which a step panics costs the shard a rebuild. If values of one item do so again and
//! again, the owner of the shard sets the item aside: until the process starts again or the
//! configuration of the item's host changes, the item takes no values and is not calculated, as if it
//! were disabled, is not supported, and says why. Nothing of this is looked at for other items: what
//! refuses the values is the flag that refuses those of disabled items.

use std::sync::Arc;

use model::ItemId;
use model::map::{Map, Set};

use super::Shard;
use super::state::{ASIDE, ENABLED, MIRROR};
use crate::directory::HostPlan;
use crate::effects::{Change, Effects};

/// Items with what is said of them.
pub(super) type Aside = Map<ItemId, Arc<str>>;

impl Shard {
    /// Sets an item aside in the shard that stands in for this one next: see
    /// [`Shard::go_on_for`]. `why` is shown as the item's error.
    pub fn set_aside(&mut self, item: ItemId, why: Arc<str>) {
        self.aside.insert(item, why);
    }

    /// Whether an item is set aside.
    #[must_use]
    pub fn is_aside(&self, item: ItemId) -> bool {
        !self.aside.is_empty() && self.aside.contains_key(&item)
    }

    /// What the shard before had set aside stays so.
    pub(super) fn take_over_aside(&mut self, old: &mut Self, effects: &mut Effects) {
        self.aside = std::mem::take(&mut old.aside);
        if self.aside.is_empty() {
            return;
        }
        for at in 0..u32::try_from(self.slots.len()).unwrap_or(u32::MAX) {
            let item = self.slots.get(at as usize).map(|it| it.item).unwrap_or_default();
            let why = self.aside.get(&item).cloned();
            if let Some(why) = why.filter(|_| item.is_some()) {
                self.turn_off(at, &why, effects);
            }
        }
    }

    fn turn_off(&mut self, at: u32, why: &Arc<str>, effects: &mut Effects) {
        let Some(slot) = self.slots.get_mut(at as usize).filter(|it| it.has(ENABLED)) else {
            return;
        };
        slot.flags = slot.flags & !ENABLED | ASIDE;
        let slot = *slot;
        self.timers.forget(at);
        let is_told = self.live.own(at).unsupported
            && self.texts.get(&at).and_then(|it| it.error.as_ref()) == Some(why);
        if is_told {
            return;
        }
        if slot.has(MIRROR) {
            let (to, item) = (slot.partition, slot.item);
            let error = Some(Arc::clone(why));
            effects.changes.push(Change::MirroredState { to, item, error });
        }
        self.unsupported(at, &slot, self.now.wall, Arc::clone(why), effects);
    }

    /// The configuration of these hosts changes: what they read of items set aside gets another try.
    pub(super) fn readmit(&mut self, plans: &[Arc<HostPlan>]) {
        if self.aside.is_empty() {
            return;
        }
        let items = plans.iter().flat_map(|plan| {
            let positions = 0..plan.slots.len();
            positions.filter_map(|it| plan.layout.item_id(&plan.host, it))
        });
        let items: Set<ItemId> = items.filter(|it| self.aside.contains_key(it)).collect();
        if items.is_empty() {
            return;
        }
        self.aside.retain(|item, _| !items.contains(item));
        for slot in self.slots.iter_mut().filter(|it| it.has(ASIDE) && items.contains(&it.item)) {
            slot.flags = slot.flags & !ASIDE | ENABLED;
        }
    }
}
