//! Triggers: when they run, and what follows from their values.

use std::sync::Arc;

use model::content::RecoveryMode;
use model::{Time, TriggerId};

use super::Shard;
use super::functions::{Evaluated, Sources};
use super::moments::{Judged, Moment};
use super::state::{HostState, Settled, Slot, TriggerState};
use crate::directory::{Layout, Master, TriggerPlan};
use crate::effects::{Effects, EventRef, StateChange, StateOf};

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
        if self.moments.has(host, position) {
            // Earlier moments have to be judged first.
            self.defer(host, position, time, effects);
            return;
        }
        self.judge_or_defer(host, position, time, effects);
        self.judge_present(host, position, time, effects);
        self.settle_trigger(host, position);
    }

    /// Notes the state of a trigger for [`Shard::touch_newest`].
    fn settle_trigger(&mut self, host: u32, position: u32) {
        let is_deferred = self.moments.has(host, position);
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
    pub(super) fn judge_present(
        &mut self,
        host: u32,
        position: u32,
        time: Time,
        effects: &mut Effects,
    ) {
        let Some(state) = self.host(host) else { return };
        let Some(trigger) = state.plan.layout.triggers.get(position as usize) else { return };
        if trigger.multiple {
            return;
        }
        let newest = self.newest_of(state, trigger);
        if let Some(newest) = newest.filter(|it| time < *it) {
            self.judge_or_defer(host, position, newest, effects);
        }
    }

    #[inline]
    fn judge_or_defer(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        if self.judge(host, position, Moment::of(time), effects) == Judged::Waits {
            self.defer(host, position, time, effects);
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
    pub(super) fn latest_of(&self, host: u32, position: u32) -> Option<Time> {
        let host = self.host(host)?;
        let trigger = host.plan.layout.triggers.get(position as usize)?;
        if trigger.is_timer { None } else { self.newest_of(host, trigger) }
    }

    pub(super) fn judge(
        &mut self,
        at: u32,
        position: u32,
        moment: Moment,
        effects: &mut Effects,
    ) -> Judged {
        let Some(Some(host)) = self.hosts.get_mut(at as usize) else { return Judged::Done };
        let Some(trigger) = host.plan.layout.triggers.get(position as usize) else {
            return Judged::Done;
        };
        if !trigger.is_enabled || !host.plan.is_enabled() {
            return Judged::Done;
        }
        if !trigger.masters.is_empty()
            && has_problem_above(host, trigger, &self.foreign_triggers, 0)
        {
            return Judged::Done;
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
        let is_problem =
            host.triggers.get(position as usize).is_some_and(TriggerState::is_decided_problem);
        // It was in PROBLEM at this moment; that the problem was closed by hand comes later.
        let is_closed = moment.is_closed && !is_problem;
        let was_problem = is_problem || is_closed;
        let time = moment.time;
        match verdict(&sources, host, (position, was_problem), &mut self.scratch.known, time) {
            Verdict::Problem if is_closed => self.known(at, position, time, effects),
            Verdict::Ok if is_closed => {
                self.known(at, position, time, effects);
                return Judged::Ended;
            }
            Verdict::Problem => self.problem(at, position, time, effects),
            Verdict::Ok => self.recovery(at, position, time, effects),
            Verdict::Stay => self.known(at, position, time, effects),
            Verdict::Unknown(why) => self.unknown(at, position, time, why, effects),
            Verdict::Cold(slot) => {
                self.load(slot);
                return Judged::Waits;
            }
            Verdict::Trend(cell) => {
                self.ask_trend(at, cell, time, effects);
                return Judged::Waits;
            }
            Verdict::TooLate => self.counters.too_late += 1,
        }
        Judged::Done
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
    (position, is_problem): (u32, bool),
    known: &mut Vec<super::functions::Known>,
    time: Time,
) -> Verdict {
    let HostState { plan, cells, .. } = host;
    let trigger = &plan.layout.triggers[position as usize];
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
