//! Taking over configuration: which slots have which items, and what moves along.
//!
//! State goes by durable ids: an item keeps its windows and preprocessing memory, a trigger its open
//! problems, wherever they stand in the new plan. Windows move with their item; those that are new
//! start cold.

use std::collections::VecDeque;
use std::sync::Arc;

use directory::{HostPlan, ItemPlan, PlanDelta};
use model::map::{Map, Set};
use model::{HostId, ItemId, Now, Time, TriggerId, ValueType};
use window::{Aggregates, Ring};

use super::Shard;
use super::apply::since;
use super::deferred_evaluations::DeferredEvaluation;
use super::dispatch::Dispatcher;
use super::events::AwaitingEvent;
use super::state::{
    ALL_QUICK, COMPLEX, CachedState, Cells, ENABLED, FORWARDED, HostState, MASTER, MAY_WAIT,
    MIRROR, NONE, PLAIN, QUEUED, QUICK, RULE, Slot, TIED, TRIGGERS, TriggerState, WHOLE,
};
use super::trends::Accumulator;
use crate::effects::Effects;

/// Waiting evaluations and events of triggers.
type Waiting = Map<TriggerId, (VecDeque<DeferredEvaluation>, VecDeque<AwaitingEvent>)>;

impl Shard {
    /// Takes over a new configuration. State that has to be durable is in the effects, as after
    /// [`Shard::step`].
    pub fn configure(&mut self, delta: PlanDelta, now: Now, effects: &mut Effects) {
        self.begin(now);
        let end = delta.slots_end as usize;
        self.items.reserve(end);
        self.admission.begin_epoch(delta.epoch);
        self.dispatcher = Dispatcher::new(delta.directory);
        for host in &delta.removed {
            self.remove_host(*host, effects);
        }
        self.quarantine.readmit(&mut self.items, &delta.set);
        for plan in &delta.set {
            self.set_host(plan, now, effects);
        }
        if let Some(routes) = delta.routes {
            let new = self.forwarding.set_routes(routes, &mut self.items);
            // In replay what is known is not yet known; the start forwards it.
            if self.replay.is_none() {
                new.notify(&self.items, &self.hosts, now.wall, effects);
            }
        }
        // In replay nothing is known for certain yet: the start looks at what waits.
        if self.replay.is_none() && !delta.set.is_empty() {
            self.review_lines(&delta.set, effects);
            self.name_events(effects);
            // The windows being read for them may have gone with the former configuration.
            self.deferred_evaluations.begin();
        }
        self.end(effects);
    }

    /// Items of this shard that are not configured any more since this was last asked.
    pub fn take_gone(&mut self) -> Vec<ItemId> {
        self.items.take_gone()
    }

    fn remove_host(&mut self, id: HostId, effects: &mut Effects) {
        let Some((at, old)) = self.hosts.remove(id) else { return };
        self.forget_triggers(at, &old);
        self.forwarding.remove_mirrors(&old.plan);
        for slot in old.plan.slots.iter() {
            if self.items.get(slot).is_some_and(|it| it.host == at) {
                self.clear_slot(slot, effects);
            }
        }
    }

    /// Takes away the deferred evaluations of a host's triggers, and their events whose
    /// names wait.
    fn forget_triggers(&mut self, at: u32, old: &HostState) -> Waiting {
        let mut waiting = Waiting::default();
        for (position, plan) in (0..).zip(&old.plan.layout.triggers) {
            let Some(id) = old.trigger_id(position) else { continue };
            if plan.is_timer {
                self.timers.remove_trigger(id.0, at, position);
            }
            let times = self.deferred_evaluations.take(at, position);
            let events_awaiting_names = self.events_awaiting_names.take(at, position);
            if !times.is_empty() || !events_awaiting_names.is_empty() {
                waiting.insert(id, (times, events_awaiting_names));
            }
        }
        waiting
    }

    fn clear_slot(&mut self, at: u32, effects: &mut Effects) {
        // An item that is switched off has had its values. In replay they are in records that still come.
        if self.replay.is_none()
            && let Some(slot) = self.items.slot(at)
        {
            self.trends.give_up(at, &slot, effects);
        }
        let n_dropped = self.pending_queues.forget(&mut self.items, at, None);
        self.counters.pending_dropped += n_dropped as u64;
        self.repeats.untie(&mut self.items, at);
        let slot = self.items.clear(at);
        self.pending_queues.forget_class(slot.item);
        self.timers.forget(at);
        self.trends.set(at, Accumulator::default());
    }

    fn set_host(&mut self, plan: &Arc<HostPlan>, now: Now, effects: &mut Effects) {
        let at = self.hosts.number_of(plan.host.id);
        let mut old = self.hosts.take(at);
        let mut waiting = Waiting::default();
        if let Some(old) = &old {
            waiting = self.forget_triggers(at, old);
            self.forwarding.remove_mirrors(&old.plan);
            self.clear_lost_slots((at, old), plan, effects);
        }
        let is_same = old.as_ref().is_some_and(|it| has_same_items(&it.plan, plan));
        let cells = match &mut old {
            Some(old) if is_same => std::mem::take(&mut old.cells),
            _ => new_cells(plan),
        };
        let triggers = self.triggers_of(plan, old.map(|it| *it));
        for (position, it) in (0..).zip(&plan.layout.triggers) {
            let Some(trigger) = plan.host.triggers.get(it.row as usize) else { continue };
            if let Some((deferred_evaluations, events_awaiting_names)) = waiting.remove(&trigger.id)
            {
                self.deferred_evaluations.put(at, position, deferred_evaluations);
                self.events_awaiting_names.put(at, position, events_awaiting_names);
            }
            if it.is_timer && it.is_enabled && plan.is_enabled() {
                self.timers.add_trigger(trigger.id.0, at, position);
            }
        }
        let cached_states = vec![CachedState::Unsure; triggers.len()].into();
        let state = HostState { plan: Arc::clone(plan), triggers, cached_states, cells };
        self.hosts.put(at, state);
        self.put_saved_waiting(at, plan);
        for position in 0..plan.slots.len() {
            self.set_slot(at, position, plan, now, effects);
        }
        self.forwarding.add_mirrors(plan);
    }

    /// Events and evaluations that waited when the checkpoint was made.
    fn put_saved_waiting(&mut self, at: u32, plan: &HostPlan) {
        if self.replay.as_ref().is_none_or(|it| it.waiting.is_empty()) {
            return;
        }
        for (position, it) in (0..).zip(&plan.layout.triggers) {
            let id = plan.host.triggers.get(it.row as usize).map(|it| it.id);
            let saved = id.and_then(|it| self.replay.as_mut()?.waiting.remove(&it));
            let Some(saved) = saved else { continue };
            let place = (at, position, plan.host.id);
            saved
                .awaiting
                .into_iter()
                .for_each(|it| self.events_awaiting_names.put_awaiting(place, it));
            saved
                .deferred_evaluations
                .into_iter()
                .for_each(|it| self.deferred_evaluations.apply(at, position, it));
        }
    }

    fn clear_lost_slots(
        &mut self,
        (at, old): (u32, &HostState),
        plan: &HostPlan,
        effects: &mut Effects,
    ) {
        if old.plan.slots == plan.slots {
            return;
        }
        let kept: Set<u32> = plan.slots.iter().collect();
        for slot in old.plan.slots.iter().filter(|it| !kept.contains(it)) {
            if self.items.get(slot).is_some_and(|it| it.host == at) {
                self.clear_slot(slot, effects);
            }
        }
    }

    fn triggers_of(&mut self, plan: &HostPlan, old: Option<HostState>) -> Vec<TriggerState> {
        let mut known: Map<TriggerId, TriggerState> = Map::default();
        if let Some(mut old) = old {
            let states = std::mem::take(&mut old.triggers);
            for (position, state) in (0..).zip(states) {
                if let Some(id) = old.trigger_id(position) {
                    known.insert(id, state);
                }
            }
        }
        plan.layout
            .triggers
            .iter()
            .map(|it| {
                let id = plan.host.triggers.get(it.row as usize).map(|it| it.id);
                let id = id.unwrap_or_default();
                let saved = self.replay.as_mut().and_then(|it| it.trigger(id));
                known.remove(&id).or(saved).unwrap_or_default()
            })
            .collect()
    }

    fn set_slot(
        &mut self,
        host: u32,
        position: u32,
        plan: &HostPlan,
        now: Now,
        effects: &mut Effects,
    ) {
        let layout = &plan.layout;
        let (Some(at), Some(item)) = (plan.slots.get(position), layout.item(position)) else {
            return;
        };
        let Some(id) = layout.item_id(&plan.host, position) else { return };
        let kind = item.value_type.code().unsigned_abs();
        let old = *self.items.slot_mut(at);
        let is_known = old.item == id && old.host == host;
        if !is_known {
            self.clear_slot(at, effects);
        } else if old.kind != kind {
            self.items.forget_values(at);
        }
        let old = *self.items.slot_mut(at);
        let is_mirror = position >= layout.n_own;
        let is_enabled = item.is_enabled && plan.is_enabled();
        let mut slot = Slot {
            item: id,
            multiplier: multiplier(item).unwrap_or(1.0),
            host,
            position,
            born: if is_known { old.born } else { self.admission.first_seen_epoch() },
            since: old.since,
            state: old.state,
            ns: old.ns,
            flags: flags_of(plan, item, is_enabled, is_mirror)
                | self.maintenance.flag_of(plan.host.id, item.kind, is_mirror)
                | old.flags & (FORWARDED | QUEUED | TIED),
            kind,
            retention: item.retention as u8,
            trends: item.trends as u8,
            partition: plan.partition,
        };
        let was_enabled = is_known && old.has(ENABLED);
        let is_running = self.replay.is_none();
        let is_new = slot.since == 0;
        if is_running && (is_new || is_enabled && !was_enabled) {
            slot.since = u32::try_from(now.wall.clock()).unwrap_or(0);
            if let Some(mirror) = layout.mirror(position) {
                slot.since = self.maintenance.mirror_since(mirror.host, slot.since);
            }
            effects.changes.push(since(&slot, Time::from_clock(slot.since.into(), 0)));
        }
        self.items.set(at, slot);
        if let Some(saved) =
            self.replay.as_mut().and_then(|it| it.item(plan.partition, id, is_mirror))
        {
            self.put_saved(at, saved);
        }
        self.set_ring(at, item, is_running && is_new && !is_mirror);
        if item.calculation.is_some() && is_enabled {
            if !self.timers.has_due(at) || !was_enabled || !is_known {
                self.plan_calculated(now, at);
            }
        } else {
            self.timers.forget(at);
        }
    }

    /// Makes or drops the item's ring. A new item has no history: nothing has to be fetched.
    fn set_ring(&mut self, at: u32, item: &ItemPlan, is_new: bool) {
        let slot = *self.items.slot_mut(at);
        if item.depth.is_empty() {
            // One that is being loaded is for late values.
            if let Some(state) = self.items.state_mut(&slot).filter(|_| slot.state != NONE)
                && state.loading.is_none()
            {
                state.ring = None;
            }
            return;
        }
        let state = self.items.make_state(at);
        let ring = state.ring.get_or_insert_with(|| Ring::new(item.value_type));
        ring.invalidate();
        if is_new {
            ring.set_complete();
        }
    }
}

/// Whether each position stands for the same item as before, in the same slot: then its windows go on.
fn has_same_items(old: &HostPlan, new: &HostPlan) -> bool {
    let layout = &new.layout;
    Arc::ptr_eq(&old.layout, layout)
        && old.slots == new.slots
        && (0..layout.n_own)
            .all(|it| layout.item_id(&old.host, it) == layout.item_id(&new.host, it))
}

fn new_cells(plan: &HostPlan) -> Cells {
    let layout = &plan.layout;
    let trends = (0..layout.n_trends).map(|_| Default::default()).collect();
    Cells { aggregates: Aggregates::new(&layout.aggregates), trends }
}

fn multiplier(item: &ItemPlan) -> Option<f64> {
    item.program.as_ref()?.multiplier()
}

fn flags_of(plan: &HostPlan, item: &ItemPlan, is_enabled: bool, is_mirror: bool) -> u16 {
    let layout = &plan.layout;
    let triggers = layout.triggers_of(item);
    let is_number = item.value_type.is_numeric();
    let is_plain = item.value_type != ValueType::Log
        && !item.is_rule
        && !is_mirror
        && item.dependents.is_empty()
        && (item.program.is_none() || is_number && multiplier(item).is_some());
    let is_whole = multiplier(item).is_none_or(|it| {
        formats::number::f64_to_u64(it)
            .is_some_and(|whole| formats::number::u64_to_f64(whole).to_bits() == it.to_bits())
    });
    let is_complex =
        triggers.iter().any(|it| layout.triggers.get(*it as usize).is_some_and(|it| !it.is_simple));
    let quick = layout.quick_of(item);
    let is_quick = quick.iter().any(Option::is_some);
    let waits = |it: &ItemPlan| it.program.as_ref().is_some_and(|it| it.may_wait());
    let may_wait = waits(item)
        || layout.dependents_of(item).iter().any(|it| layout.item(*it).is_some_and(waits));
    let flag = |is_set: bool, flag: u16| if is_set { flag } else { 0 };
    flag(is_enabled, ENABLED)
        | flag(is_plain, PLAIN)
        | flag(!triggers.is_empty(), TRIGGERS)
        | flag(is_quick, QUICK)
        | flag(quick.iter().all(Option::is_some), ALL_QUICK)
        | flag(is_complex, COMPLEX)
        | flag(is_mirror, MIRROR)
        | flag(item.is_rule, RULE)
        | flag(!item.dependents.is_empty(), MASTER)
        | flag(is_whole, WHOLE)
        | flag(may_wait, MAY_WAIT)
}
