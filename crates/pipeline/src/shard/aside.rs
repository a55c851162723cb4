//! Items that are set aside.
//!
//! A value over which a step panics costs the shard a rebuild. If values of one item do so again and
//! again, the owner of the shard sets the item aside: until the process starts again or the
//! configuration of the item's host changes, the item takes no values and is not calculated, as if it
//! were disabled, is not supported, and says why. Nothing of this is looked at for other items: what
//! refuses the values is the flag that refuses those of disabled items.
//!
//! Triggers are set aside by what they say: those of one content, on whichever hosts, are unknown from
//! then on, until the configuration of a host with such a trigger changes.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use directory::HostPlan;
use model::ItemId;
use model::content::TriggerContent;
use model::map::{Map, Set};

use super::Shard;
use super::state::{ASIDE, ENABLED, MIRROR, Slot};
use crate::effects::{Change, Effects};

/// What a step works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtWork {
    /// The item whose value, window or formula is at work; none if it is not one item.
    pub item: ItemId,
    pub program: Option<Program>,
}

/// What was configured once for many items or triggers, as in a template.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Program {
    /// Preprocessing steps, by fingerprint.
    Steps(u64),
    /// Expressions and event name of a trigger, by fingerprint.
    Trigger(u64),
}

/// What is set aside, with what is said of it.
#[derive(Debug, Default)]
pub(super) struct Aside {
    items: Map<ItemId, Arc<str>>,
    /// By [`content_of`].
    triggers: Map<u64, Arc<str>>,
}

impl Aside {
    #[inline]
    pub(super) fn of_trigger(&self, content: &TriggerContent) -> Option<Arc<str>> {
        if self.triggers.is_empty() {
            return None;
        }
        self.triggers.get(&content_of(content)).cloned()
    }
}

/// What is evaluated of a trigger, the same on all hosts of a template.
pub(super) fn content_of(content: &TriggerContent) -> u64 {
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    (&content.expression, &content.recovery_expression, &content.event_name).hash(&mut hasher);
    for function in &content.functions {
        (&function.function, &function.parameter).hash(&mut hasher);
    }
    hasher.finish()
}

impl Shard {
    /// Sets an item aside in the shard that stands in for this one next: see
    /// [`Shard::go_on_for`]. `why` is shown as the item's error.
    pub fn set_aside(&mut self, item: ItemId, why: Arc<str>) {
        self.aside.items.insert(item, why);
    }

    /// As [`Shard::set_aside`], for triggers of a content: see [`Program::Trigger`].
    pub fn set_trigger_aside(&mut self, content: u64, why: Arc<str>) {
        self.aside.triggers.insert(content, why);
    }

    /// Items with these preprocessing steps (see [`Program::Steps`]) that are not aside, `max` of
    /// them at most.
    #[must_use]
    pub fn items_of(&self, steps: u64, max: usize) -> Vec<ItemId> {
        let has_them = |slot: &&Slot| self.steps_of(slot) == Some(steps);
        let slots = self.items.all().map(|it| it.1);
        let items = slots.filter(|it| it.has(ENABLED)).filter(has_them);
        items.map(|it| it.item).filter(|it| !self.is_aside(*it)).take(max).collect()
    }

    fn steps_of(&self, slot: &Slot) -> Option<u64> {
        let item = self.hosts.item_plan(slot)?;
        Some(item.program.as_ref()?.fingerprint())
    }

    /// What was at work when the last step ended, or panicked.
    #[must_use]
    pub fn at_work(&self) -> AtWork {
        let trigger = self.work.trigger(&self.hosts);
        let of_trigger = trigger.map(|it| Program::Trigger(content_of(&it.content)));
        let item = self.work.item();
        let of_item = || {
            let slot = self.items.all().map(|it| it.1).find(|it| it.item == item)?;
            self.steps_of(slot).map(Program::Steps)
        };
        AtWork { item, program: of_trigger.or_else(|| item.is_some().then(of_item).flatten()) }
    }

    /// Whether an item is set aside.
    #[must_use]
    pub fn is_aside(&self, item: ItemId) -> bool {
        !self.aside.items.is_empty() && self.aside.items.contains_key(&item)
    }

    /// What the shard before had set aside stays so.
    pub(super) fn take_over_aside(&mut self, old: &mut Self, effects: &mut Effects) {
        self.aside = std::mem::take(&mut old.aside);
        if self.aside.items.is_empty() {
            return;
        }
        for at in 0..u32::try_from(self.items.n_slots()).unwrap_or(u32::MAX) {
            let item = self.items.get(at).map(|it| it.item).unwrap_or_default();
            let why = self.aside.items.get(&item).cloned();
            if let Some(why) = why.filter(|_| item.is_some()) {
                self.turn_off(at, &why, effects);
            }
        }
    }

    fn turn_off(&mut self, at: u32, why: &Arc<str>, effects: &mut Effects) {
        let Some(slot) = self.items.get_mut(at).filter(|it| it.has(ENABLED)) else {
            return;
        };
        slot.flags = slot.flags & !ENABLED | ASIDE;
        let slot = *slot;
        self.timers.forget(at);
        let is_told = self.items.cell(at).unsupported
            && self.items.texts(at).and_then(|it| it.error.as_ref()) == Some(why);
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
        if !self.aside.triggers.is_empty() {
            for trigger in plans.iter().flat_map(|it| &it.layout.triggers) {
                self.aside.triggers.remove(&content_of(&trigger.content));
            }
        }
        if self.aside.items.is_empty() {
            return;
        }
        let items = plans.iter().flat_map(|plan| {
            let positions = 0..plan.slots.len();
            positions.filter_map(|it| plan.layout.item_id(&plan.host, it))
        });
        let items: Set<ItemId> = items.filter(|it| self.aside.items.contains_key(it)).collect();
        if items.is_empty() {
            return;
        }
        self.aside.items.retain(|item, _| !items.contains(item));
        let slots = self.items.all_mut();
        for slot in slots.filter(|it| it.has(ASIDE) && items.contains(&it.item)) {
            slot.flags = slot.flags & !ASIDE | ENABLED;
        }
    }
}
