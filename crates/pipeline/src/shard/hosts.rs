//! The hosts of a shard, with the state of their triggers.

use directory::{ItemPlan, TriggerPlan};
use model::map::Map;
use model::{HostId, Time, TriggerId};

use super::items::Items;
use super::state::{CachedState, HostState, Says, Slot, TriggerState};

#[derive(Debug, Default)]
pub(super) struct Hosts {
    /// By number; a number that is free is given again.
    hosts: Vec<Option<Box<HostState>>>,
    by_id: Map<HostId, u32>,
    /// Host and position.
    triggers: Map<TriggerId, (u32, u32)>,
}

impl Hosts {
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    #[inline]
    pub(super) fn get(&self, at: u32) -> Option<&HostState> {
        self.hosts.get(at as usize)?.as_deref()
    }

    #[inline]
    pub(super) fn get_mut(&mut self, at: u32) -> Option<&mut HostState> {
        self.hosts.get_mut(at as usize)?.as_deref_mut()
    }

    pub(super) fn by_id(&self, id: HostId) -> Option<&HostState> {
        self.get(*self.by_id.get(&id)?)
    }

    /// All hosts with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &HostState)> {
        (0..).zip(&self.hosts).filter_map(|(at, it)| Some((at, it.as_deref()?)))
    }

    pub(super) fn of_partition(&self, partition: u8) -> impl Iterator<Item = (u32, &HostState)> {
        self.all().filter(move |it| it.1.plan.partition() == partition)
    }

    /// Host and position of a trigger by id. Not for the value path.
    pub(super) fn find_trigger(&self, trigger: TriggerId) -> Option<(u32, u32)> {
        self.triggers.get(&trigger).copied()
    }

    /// All triggers, by host and position, in no order.
    pub(super) fn triggers(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.triggers.values().copied()
    }

    #[inline]
    pub(super) fn trigger(&self, at: u32, position: u32) -> Option<&TriggerState> {
        self.get(at)?.triggers.get(position as usize)
    }

    /// The state of a trigger, to be changed: it has to be evaluated before it may be skipped
    /// again.
    pub(super) fn trigger_mut(
        &mut self,
        items: &mut Items,
        at: u32,
        position: u32,
    ) -> Option<&mut TriggerState> {
        self.invalidate(items, at, position);
        let host = self.get_mut(at)?;
        if let Some(it) = host.cached_states.get_mut(position as usize) {
            *it = CachedState::Unsure;
        }
        host.triggers.get_mut(position as usize)
    }

    /// A trigger changes: its item's next value is judged by all triggers, if it has a short way.
    pub(super) fn invalidate(&self, items: &mut Items, at: u32, position: u32) {
        let Some(host) = self.get(at) else { return };
        let layout = &host.plan.layout;
        let trigger = layout.triggers.get(position as usize).filter(|it| it.is_simple);
        let Some(first) = trigger.and_then(|it| it.items.first().copied()) else { return };
        let Some(item) = layout.item(first) else { return };
        let mut triggers = layout.triggers_of(item).iter().zip(layout.quick_of(item));
        if !triggers.any(|it| *it.0 == position && it.1.is_some()) {
            return;
        }
        let slot = host.plan.slots.get(first).and_then(|it| items.slot(it));
        if let Some(slot) = slot
            && let Some(ring) = items.ring_mut(&slot)
        {
            ring.invalidate();
        }
    }

    /// The current result of a trigger.
    #[inline]
    pub(super) fn says(&self, at: u32, position: u32) -> Says {
        self.trigger(at, position).map_or(Says::NOTHING, TriggerState::says)
    }

    #[inline]
    pub(super) fn trigger_plan(&self, at: u32, position: u32) -> Option<&TriggerPlan> {
        self.get(at)?.plan.layout.triggers.get(position as usize)
    }

    pub(super) fn trigger_id(&self, at: u32, position: u32) -> Option<TriggerId> {
        self.get(at)?.trigger_id(position)
    }

    /// The time of the newest value of a trigger's items.
    pub(super) fn newest(&self, items: &Items, at: u32, position: u32) -> Option<Time> {
        let host = self.get(at)?;
        host.newest(items, host.plan.layout.triggers.get(position as usize)?)
    }

    /// Up to when a trigger may be judged that had to wait: changes after its newest value, while
    /// an item was unsupported, do not concern that value.
    pub(super) fn latest(&self, items: &Items, at: u32, position: u32) -> Option<Time> {
        let is_timer = self.trigger_plan(at, position)?.is_timer;
        if is_timer { None } else { self.newest(items, at, position) }
    }

    /// Whether a trigger is in PROBLEM.
    pub(super) fn is_problem(&self, trigger: TriggerId) -> bool {
        let (at, position) = self.find_trigger(trigger).unzip();
        let state = at.zip(position).and_then(|it| self.trigger(it.0, it.1));
        state.is_some_and(|it| it.is_problem)
    }

    #[inline]
    pub(super) fn item_plan(&self, slot: &Slot) -> Option<&ItemPlan> {
        self.get(slot.host)?.plan.layout.item(slot.position)
    }

    /// Identifies the item's preprocessing steps; 0 if there are none.
    pub(super) fn fingerprint(&self, slot: &Slot) -> u64 {
        let program = self.item_plan(slot).and_then(|it| it.program.as_ref());
        program.map_or(0, |it| it.fingerprint())
    }

    /// The number of a host, a new one if need be.
    pub(super) fn number_of(&mut self, id: HostId) -> u32 {
        if let Some(at) = self.by_id.get(&id) {
            return *at;
        }
        let has_free = self.by_id.len() < self.hosts.len();
        let free = if has_free { self.hosts.iter().position(Option::is_none) } else { None };
        let at = free.unwrap_or_else(|| {
            self.hosts.push(None);
            self.hosts.len() - 1
        });
        let at = u32::try_from(at).expect("fewer than 2^32 hosts");
        self.by_id.insert(id, at);
        at
    }

    /// Takes a host out; its number stays its own.
    pub(super) fn take(&mut self, at: u32) -> Option<Box<HostState>> {
        let host = self.hosts.get_mut(at as usize)?.take()?;
        for (position, _) in (0..).zip(&host.plan.layout.triggers) {
            if let Some(id) = host.trigger_id(position) {
                self.triggers.remove(&id);
            }
        }
        Some(host)
    }

    /// Takes a host out for good.
    pub(super) fn remove(&mut self, id: HostId) -> Option<(u32, Box<HostState>)> {
        let at = self.by_id.remove(&id)?;
        Some((at, self.take(at)?))
    }

    /// # Panics
    /// If the number is not one of [`Self::number_of`].
    pub(super) fn put(&mut self, at: u32, host: HostState) {
        for (position, _) in (0..).zip(&host.plan.layout.triggers) {
            if let Some(id) = host.trigger_id(position) {
                self.triggers.insert(id, (at, position));
            }
        }
        self.hosts[at as usize] = Some(Box::new(host));
    }
}

impl HostState {
    pub(super) fn trigger_id(&self, position: u32) -> Option<TriggerId> {
        let plan = self.plan.layout.triggers.get(position as usize)?;
        self.plan.host().triggers.get(plan.row as usize).map(|it| it.id)
    }

    /// The time of the newest value of a trigger's items.
    #[inline]
    pub(super) fn newest(&self, items: &Items, trigger: &TriggerPlan) -> Option<Time> {
        let newest_of = |it: &u32| self.plan.slots.get(*it).map(|it| items.cell(it).time);
        trigger.items.iter().filter_map(newest_of).max()
    }

    /// A software prefetch of what an item's triggers need; the value returned only keeps the compiler
    /// from dropping the reads.
    pub(super) fn prefetch(&self, position: u32) -> u64 {
        let first = self.plan.layout.item(position).map_or(0, |it| it.triggers.start);
        let position = self.plan.layout.item_triggers.get(first as usize).copied().unwrap_or(0);
        u64::from(self.cached_states.get(position as usize) == Some(&CachedState::Ok))
    }
}
