//! Triggers: when they run, and what follows from their values.

use std::collections::VecDeque;
use std::sync::Arc;

use model::content::RecoveryMode;
use model::{Time, TriggerId};

use super::functions::{Evaluated, Sources};
use super::state::{HostState, Settled, Slot, TriggerState};
use super::{Deferred, Shard};
use crate::directory::{Layout, Master, TriggerPlan};
use crate::effects::{Effects, EventRef, StateChange, StateOf};

/// Evaluation times that a trigger keeps while a window is loaded.
const DEFERRED_MAX: usize = 256;
/// Deferred evaluations of a shard.
const ALL_DEFERRED_MAX: usize = 1 << 20;
/// Levels of dependencies that are followed.
const MASTER_LEVELS_MAX: usize = 32;

/// The value of a trigger's expressions.
enum Verdict {
    Problem,
    Ok,
    /// Neither: the problem expression is false, the recovery expression too.
    Stay,
    Unknown(String),
    Cold(u32),
    Trend(u32),
    TooLate,
}

impl Shard {
    /// A value or state of the item at `at` has changed: its triggers run now, or with the others
    /// of the same time.
    pub(super) fn touch(&mut self, slot: &Slot, time: Time, effects: &mut Effects) {
        let Some(host) = self.hosts.get(slot.host as usize).and_then(Option::as_ref) else {
            return;
        };
        let plan = Arc::clone(&host.plan);
        let Some(item) = plan.layout.item(slot.position) else { return };
        for position in plan.layout.triggers_of(item) {
            self.run_or_queue(&plan.layout, (slot.host, *position), time, effects);
        }
    }

    pub(super) fn run_or_queue(
        &mut self,
        layout: &Layout,
        (host, position): (u32, u32),
        time: Time,
        effects: &mut Effects,
    ) {
        let Some(trigger) = layout.triggers.get(position as usize) else { return };
        if trigger.is_simple {
            self.run(host, position, time, effects);
        } else {
            self.queue(host, position, trigger.level, time);
        }
    }

    fn queue(&mut self, host: u32, position: u32, level: u16, time: Time) {
        let stamp = self.group.stamp;
        let Some(state) = self.trigger_mut(host, position) else { return };
        if state.stamp == stamp {
            return;
        }
        state.stamp = stamp;
        self.group.triggers.push((level, host, position, time));
    }

    pub(super) fn trigger_mut(&mut self, host: u32, position: u32) -> Option<&mut TriggerState> {
        self.disturb(host, position);
        let host = self.hosts.get_mut(host as usize)?.as_mut()?;
        if let Some(it) = host.settled.get_mut(position as usize) {
            *it = Settled::Unsure;
        }
        host.triggers.get_mut(position as usize)
    }

    /// Runs what waited for all values of one time; masters first.
    pub(super) fn run_queued(&mut self, effects: &mut Effects) {
        let mut queued = std::mem::take(&mut self.group.triggers);
        self.group.stamp += 1;
        queued.sort_unstable();
        for (_, host, position, time) in queued.drain(..) {
            self.run(host, position, time, effects);
        }
        self.group.triggers = queued;
    }

    /// Evaluates a trigger at a moment and carries out what follows.
    pub(super) fn run(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        if self.deferred.has(host, position) {
            // Earlier moments have to be judged first.
            self.defer(host, position, time);
            return;
        }
        self.judge(host, position, time, effects);
        self.judge_present(host, position, time, effects);
        self.settle_trigger(host, position);
    }

    /// Notes the state of a trigger for [`Shard::touch_newest`].
    fn settle_trigger(&mut self, host: u32, position: u32) {
        let is_deferred = self.deferred.has(host, position);
        if is_deferred {
            self.disturb(host, position);
        }
        let Some(Some(host)) = self.hosts.get_mut(host as usize) else { return };
        let Some(trigger) = host.triggers.get(position as usize) else { return };
        let Some(settled) = host.settled.get_mut(position as usize) else { return };
        *settled = match trigger {
            it if is_deferred || it.error.is_some() || it.ahead.is_some() => Settled::Unsure,
            it if it.is_problem => Settled::Problem,
            _ => Settled::Ok,
        };
    }

    /// After a late moment was judged, the newest one is judged again: else the trigger would stay as
    /// it was in the past. Triggers that make an event for each value say nothing about the present.
    #[inline]
    fn judge_present(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        let Some(state) = self.host(host) else { return };
        let Some(trigger) = state.plan.layout.triggers.get(position as usize) else { return };
        if trigger.multiple {
            return;
        }
        let newest = self.newest_of(state, trigger);
        if let Some(newest) = newest.filter(|it| time < *it) {
            self.judge(host, position, newest, effects);
        }
    }

    /// The time of the newest value of a trigger's items.
    #[inline]
    fn newest_of(&self, host: &HostState, trigger: &TriggerPlan) -> Option<Time> {
        let newest_of = |it: &u32| host.plan.slots.get(*it).map(|it| self.live.own(it).time);
        trigger.items.iter().filter_map(newest_of).max()
    }

    /// Up to when a trigger may be judged that had to wait: what happened after its newest value,
    /// when an item was unsupported for a while, says nothing about that value.
    fn latest_of(&self, host: u32, position: u32) -> Option<Time> {
        let host = self.host(host)?;
        let trigger = host.plan.layout.triggers.get(position as usize)?;
        if trigger.is_timer { None } else { self.newest_of(host, trigger) }
    }

    fn judge(&mut self, at: u32, position: u32, time: Time, effects: &mut Effects) {
        let Some(Some(host)) = self.hosts.get_mut(at as usize) else { return };
        let Some(trigger) = host.plan.layout.triggers.get(position as usize) else { return };
        if !trigger.is_enabled || !host.plan.is_enabled() {
            return;
        }
        if !trigger.masters.is_empty()
            && has_problem_above(host, trigger, &self.foreign_triggers, 0)
        {
            return;
        }
        self.counters.evaluations += 1;
        let sources = Sources {
            slots: &self.slots,
            items: &self.items,
            live: &self.live,
            texts: &self.texts,
            group: &self.group,
            outages: &self.outages,
            zone: &self.settings.zone,
            many: &[],
        };
        let verdict = verdict(&sources, host, position, &mut self.scratch.known, time);
        match verdict {
            Verdict::Problem => self.problem(at, position, time, effects),
            Verdict::Ok => self.recovery(at, position, time, effects),
            Verdict::Stay => self.known(at, position, time, effects),
            Verdict::Unknown(why) => self.unknown(at, position, time, why, effects),
            Verdict::Cold(slot) => {
                self.defer(at, position, time);
                self.load(slot);
            }
            Verdict::Trend(cell) => {
                self.defer(at, position, time);
                self.ask_trend(at, cell, time, effects);
            }
            Verdict::TooLate => self.counters.too_late += 1,
        }
    }

    fn problem(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        self.known(host, position, time, effects);
        let Some(state) = self.host(host) else { return };
        let Some(plan) = state.plan.layout.triggers.get(position as usize) else { return };
        let trigger = state.triggers.get(position as usize);
        if plan.multiple || !trigger.is_some_and(TriggerState::is_decided_problem) {
            self.decide(host, position, (time, true), effects);
        }
    }

    fn recovery(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        self.known(host, position, time, effects);
        let Some(trigger) = self.trigger_mut(host, position) else { return };
        if trigger.is_decided_problem() {
            self.decide(host, position, (time, false), effects);
        }
    }

    /// The trigger has a value (again).
    fn known(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        let Some(trigger) = self.trigger_mut(host, position) else { return };
        if trigger.error.take().is_some() {
            self.trigger_state(host, position, time, None, effects);
        }
    }

    pub(super) fn unknown(
        &mut self,
        host: u32,
        position: u32,
        time: Time,
        why: String,
        effects: &mut Effects,
    ) {
        let Some(trigger) = self.trigger_mut(host, position) else { return };
        if trigger.error.as_deref() == Some(why.as_str()) {
            return;
        }
        let why: Arc<str> = why.into();
        trigger.error = Some(Arc::clone(&why));
        self.trigger_state(host, position, time, Some(why), effects);
    }

    fn trigger_state(
        &mut self,
        host: u32,
        position: u32,
        time: Time,
        error: Option<Arc<str>>,
        effects: &mut Effects,
    ) {
        let Some(Some(host)) = self.hosts.get(host as usize) else { return };
        let Some(trigger) = host.trigger_id(position) else { return };
        let what = StateOf::Trigger(trigger);
        effects.states.push(StateChange { what, host: host.plan.host().id, time, error });
    }

    /// Host and position of a trigger by id. Not for the value path.
    pub(super) fn find_trigger(&self, trigger: TriggerId) -> Option<(u32, u32)> {
        self.trigger_hosts.get(&trigger).copied()
    }

    fn defer(&mut self, host: u32, position: u32, time: Time) {
        if !self.deferred.push(host, position, time) {
            self.counters.deferred_dropped += 1;
        }
    }

    /// Judges what waited, in order of time, until something is cold again.
    pub(super) fn run_deferred(&mut self, effects: &mut Effects) {
        for (host, position) in self.deferred.triggers() {
            let mut times = self.deferred.take(host, position);
            times.make_contiguous().sort();
            let last = times.back().copied();
            let latest = self.latest_of(host, position).unwrap_or(Time::MAX);
            while let Some(time) = times.pop_front() {
                let time = time.min(latest);
                let before = self.deferred.len();
                self.judge(host, position, time, effects);
                if before < self.deferred.len() {
                    times.drain(..).for_each(|time| self.defer(host, position, time));
                }
            }
            if let Some(last) = last.filter(|_| !self.deferred.has(host, position)) {
                self.judge_present(host, position, last, effects);
            }
        }
    }
}

/// Problems that one trigger may have open at a time.
pub(super) const OPEN_MAX: usize = 10_000;

pub(super) fn pending(effects: &Effects) -> EventRef {
    EventRef::Pending(u32::try_from(effects.events.len()).unwrap_or(u32::MAX))
}

impl HostState {
    pub(super) fn trigger_id(&self, position: u32) -> Option<TriggerId> {
        let plan = self.plan.layout.triggers.get(position as usize)?;
        self.plan.host().triggers.get(plan.row as usize).map(|it| it.id)
    }
}

fn verdict(
    sources: &Sources<'_>,
    host: &mut HostState,
    position: u32,
    known: &mut Vec<super::functions::Known>,
    time: Time,
) -> Verdict {
    let HostState { plan, triggers, cells, .. } = host;
    let trigger = &plan.layout.triggers[position as usize];
    let is_problem = triggers.get(position as usize).is_some_and(TriggerState::is_decided_problem);
    let problem = match &trigger.problem {
        Ok(it) => it,
        Err(why) => return Verdict::Unknown(why.to_string()),
    };
    match sources.evaluate_truth(problem, plan, cells, known, time) {
        Ok(true) => return Verdict::Problem,
        Ok(false) => {}
        Err(it) => return it.into(),
    }
    match (trigger.recovery_mode, &trigger.recovery) {
        _ if !is_problem => Verdict::Stay,
        (RecoveryMode::None, _) => Verdict::Stay,
        (RecoveryMode::Expression, _) | (RecoveryMode::RecoveryExpression, None) => Verdict::Ok,
        (RecoveryMode::RecoveryExpression, Some(Err(why))) => Verdict::Unknown(why.to_string()),
        (RecoveryMode::RecoveryExpression, Some(Ok(recovery))) => {
            match sources.evaluate_truth(recovery, plan, cells, known, time) {
                Ok(true) => Verdict::Ok,
                Ok(false) => Verdict::Stay,
                Err(it) => it.into(),
            }
        }
    }
}

impl From<Evaluated> for Verdict {
    fn from(it: Evaluated) -> Self {
        match it {
            Evaluated::Value(_) => Self::Stay,
            Evaluated::Unknown(why) => Self::Unknown(why),
            Evaluated::Cold(slot) => Self::Cold(slot),
            Evaluated::Trend(cell) => Self::Trend(cell),
            Evaluated::TooLate => Self::TooLate,
        }
    }
}

/// Whether a trigger that this one depends on, at whatever level, is in PROBLEM.
fn has_problem_above(
    host: &HostState,
    trigger: &TriggerPlan,
    foreign: &super::forward::ForeignTriggers,
    level: usize,
) -> bool {
    if MASTER_LEVELS_MAX <= level {
        return false;
    }
    trigger.masters.iter().any(|master| match master {
        Master::Foreign(id) => foreign.is_problem(host.plan.partition(), *id),
        Master::Own(position) => {
            let is_problem = TriggerState::is_decided_problem;
            let above = host.plan.layout.triggers.get(*position as usize);
            above.is_some_and(|above| {
                above.is_enabled
                    && (host.triggers.get(*position as usize).is_some_and(is_problem)
                        || has_problem_above(host, above, foreign, level + 1))
            })
        }
    })
}

impl Deferred {
    fn has(&self, host: u32, position: u32) -> bool {
        !self.times.is_empty() && self.times.contains_key(&(host, position))
    }

    /// False if something had to be dropped.
    pub(super) fn push(&mut self, host: u32, position: u32, time: Time) -> bool {
        if ALL_DEFERRED_MAX <= self.len {
            return false;
        }
        let times = self.times.entry((host, position)).or_default();
        if times.back() == Some(&time) {
            return true;
        }
        times.push_back(time);
        self.len += 1;
        if DEFERRED_MAX < times.len() {
            times.pop_front();
            self.len -= 1;
            return false;
        }
        true
    }

    fn triggers(&self) -> Vec<(u32, u32)> {
        self.times.keys().copied().collect()
    }

    pub(super) fn take(&mut self, host: u32, position: u32) -> VecDeque<Time> {
        let times = self.times.remove(&(host, position)).unwrap_or_default();
        self.len -= times.len();
        times
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Triggers of a host that wait.
    pub(super) fn positions_of(&self, host: u32) -> Vec<u32> {
        self.times.range((host, 0)..=(host, u32::MAX)).map(|it| it.0.1).collect()
    }

    /// The oldest moment that waits of a host.
    pub(super) fn oldest_of(&self, host: u32) -> Option<Time> {
        let of_host = self.times.range((host, 0)..=(host, u32::MAX));
        of_host.flat_map(|it| it.1).min().copied()
    }
}
