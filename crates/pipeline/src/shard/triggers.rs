//! Triggers: when they run, and what follows from their values.

use std::sync::Arc;

use directory::{Layout, Master, TriggerPlan};
use model::Time;
use model::content::RecoveryMode;
use model::record::Subject;

use super::Shard;
use super::behind::Behind;
use super::deferred_evaluations::{DeferredEvaluation, Judged};
use super::events::{lacks_value, tags_of_trigger};
use super::forward::Forwarding;
use super::functions::{Evaluated, Known, Sources, sources};
use super::state::{CachedState, HostState, Says, Slot, TriggerState};
use crate::effects::{Effects, StateChange, StateEvent, StateOf};

/// The most levels of dependencies that are followed; further ones are ignored.
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
}

impl Shard {
    /// A value or state of the item at `at` has changed: its triggers run now, or with the others
    /// of the same time.
    pub(super) fn touch(&mut self, slot: &Slot, time: Time, effects: &mut Effects) {
        let Some(host) = self.hosts.get(slot.host) else {
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
        let state = self.hosts.trigger_mut(&mut self.items, host, position);
        let Some(state) = state else { return };
        self.group.queue(&mut state.stamp, (level, host, position, time));
    }

    /// Runs what waited for all values of one time; masters first.
    fn run_queued(&mut self, effects: &mut Effects) {
        let queued = self.group.take_triggers();
        for (_, host, position, time) in &queued {
            self.run(*host, *position, *time, effects);
        }
        self.group.give_back(queued);
    }

    /// Evaluates a trigger at a point in time and carries out what follows.
    pub(super) fn run(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        if self.deferred_evaluations.has(host, position) {
            // Earlier points in time have to be judged first.
            self.defer(host, position, time, effects);
            return;
        }
        let before = self.hosts.says(host, position);
        self.judge_or_defer(host, position, time, effects);
        self.note_behind((host, position), time, Some(before));
        self.settle_trigger(host, position);
    }

    /// Notes the state of a trigger for [`Shard::touch_newest`].
    fn settle_trigger(&mut self, host: u32, position: u32) {
        // Nor is it settled while it may yet be judged in the present.
        let is_deferred = self.deferred_evaluations.has(host, position) || !self.behind.is_empty();
        if is_deferred {
            self.hosts.invalidate(&mut self.items, host, position);
        }
        let Some(host) = self.hosts.get_mut(host) else { return };
        let Some(trigger) = host.triggers.get(position as usize) else { return };
        let Some(cached_states) = host.cached_states.get_mut(position as usize) else { return };
        *cached_states = match trigger {
            it if is_deferred || it.error.is_some() || it.ahead.is_some() => CachedState::Unsure,
            it if it.is_problem => CachedState::Problem,
            _ => CachedState::Ok,
        };
    }

    /// Notes a trigger that was judged at a point in time after its newest value, and what else is judged in
    /// the step after that, for [`Shard::judge_presents`]. `before`: its former result. Triggers
    /// that make an event for each value say nothing about the present.
    #[inline]
    pub(super) fn note_behind(
        &mut self,
        (host, position): (u32, u32),
        time: Time,
        before: Option<Says>,
    ) {
        let Some(state) = self.hosts.get(host) else { return };
        let Some(trigger) = state.plan.layout.triggers.get(position as usize) else { return };
        let is_late = || state.newest(&self.items, trigger).is_some_and(|it| time < it);
        if trigger.multiple || self.behind.is_empty() && !is_late() {
            return;
        }
        let is_newest = |it: &u32| {
            let cell = state.plan.slots.get(*it).map(|it| self.items.cell(it));
            cell.is_some_and(|it| it.n_values != 0 && it.time == time)
        };
        // The newest value of an item, older than that of another one: they crossed on their way.
        let before = before.filter(|_| !trigger.items.iter().any(is_newest));
        self.behind.push(Behind { level: trigger.level, host, position, time, before });
    }

    /// Ends a step: triggers that were judged in the past, and say something else since, are judged in
    /// the present, once, else they would stay as they were then; so are those whose items' newest
    /// values have not been judged together. Late values of the step have been judged in order of time,
    /// so that their problems are resolved by the late values that follow; see
    /// `docs/decisions/0018-late-values.md`.
    pub(super) fn judge_presents(&mut self, effects: &mut Effects) {
        if self.behind.is_empty() {
            return;
        }
        let mut behind = std::mem::take(&mut self.behind);
        let place = |it: &Behind| (it.level, it.host, it.position);
        // Masters first. Stable: of each trigger the last entry is the one that was judged last.
        behind.sort_by_key(place);
        for of_trigger in behind.chunk_by(|a, b| place(a) == place(b)) {
            let [.., Behind { host, position, time, .. }] = *of_trigger else { continue };
            let is_sure = of_trigger.iter().all(|it| it.before.is_some());
            let before = of_trigger[0].before.filter(|_| is_sure);
            // Evaluations that wait for history come first; then it is noted again.
            if self.deferred_evaluations.has(host, position) {
                self.deferred_evaluations.set_before(host, position, before);
                continue;
            }
            let is_as_before = before.is_some_and(|it| self.hosts.says(host, position).is_as(it));
            let present = self.present_of(host, position);
            if let Some(present) = present.filter(|it| !is_as_before && time < *it) {
                self.judge_or_defer(host, position, present, effects);
            }
            self.settle_trigger(host, position);
        }
        behind.clear();
        self.behind = behind;
    }

    /// The time that is a trigger's present: of its newest value that is not ahead of the clock, or,
    /// if the trigger is judged because time passes, now.
    fn present_of(&self, host: u32, position: u32) -> Option<Time> {
        let host = self.hosts.get(host)?;
        let trigger = host.plan.layout.triggers.get(position as usize)?;
        let now = self.now.wall;
        if trigger.is_timer {
            return Some(now);
        }
        let newest = trigger.items.iter().filter_map(|it| {
            let at = host.plan.slots.get(*it)?;
            self.items.newest_until(at, now)
        });
        newest.max()
    }

    #[inline]
    fn judge_or_defer(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        if self.judge(host, position, DeferredEvaluation::of(time), effects) == Judged::Waits {
            self.defer(host, position, time, effects);
        }
    }

    pub(super) fn judge(
        &mut self,
        at: u32,
        position: u32,
        evaluation: DeferredEvaluation,
        effects: &mut Effects,
    ) -> Judged {
        let Some(host) = self.hosts.get_mut(at) else { return Judged::Done };
        let Some(trigger) = host.plan.layout.triggers.get(position as usize) else {
            return Judged::Done;
        };
        if !trigger.is_enabled || !host.plan.is_enabled() {
            return Judged::Done;
        }
        if !trigger.masters.is_empty() && has_problem_above(host, trigger, &self.forwarding, 0) {
            return Judged::Done;
        }
        self.work.on_trigger(at, position);
        if let Some(why) = self.quarantine.of_trigger(&trigger.content) {
            let verdict = Verdict::Unknown(why.to_string());
            return self.follow(at, position, (verdict, false, evaluation.time), effects);
        }
        let multiple = trigger.multiple;
        self.counters.evaluations += 1;
        let sources = sources!(self);
        let is_problem =
            host.triggers.get(position as usize).is_some_and(TriggerState::is_decided_problem);
        // It was in PROBLEM at this point in time; that the problem was closed by hand comes later.
        let is_closed = evaluation.is_closed && !is_problem;
        let was_problem = is_problem || is_closed;
        let time = evaluation.time;
        let known = &mut self.scratch.known;
        let mut verdict = verdict(&sources, host, (position, was_problem), known, time);
        if let Verdict::Unknown(why) = &mut verdict
            && let Some(trigger) = host.plan.layout.triggers.get(position as usize)
        {
            *why = trigger.hidden.shown(std::mem::take(why));
        }
        let is_event = match verdict {
            Verdict::Problem => multiple || !was_problem,
            Verdict::Ok => is_problem,
            _ => false,
        };
        if is_event && let Some(slot) = self.lacks_value(at, position, time) {
            self.fetches.load(&mut self.items, slot);
            return Judged::Waits;
        }
        self.follow(at, position, (verdict, is_closed, time), effects)
    }

    /// Carries out what follows from the value of a trigger.
    fn follow(
        &mut self,
        host: u32,
        position: u32,
        (verdict, is_closed, time): (Verdict, bool, Time),
        effects: &mut Effects,
    ) -> Judged {
        match verdict {
            Verdict::Problem if is_closed => self.known(host, position, time, effects),
            Verdict::Ok if is_closed => {
                self.known(host, position, time, effects);
                return Judged::Ended;
            }
            Verdict::Problem => self.problem(host, position, time, effects),
            Verdict::Ok => self.recovery(host, position, time, effects),
            Verdict::Stay => self.known(host, position, time, effects),
            Verdict::Unknown(why) => self.unknown(host, position, time, why, effects),
            Verdict::Cold(slot) => {
                self.fetches.load(&mut self.items, slot);
                return Judged::Waits;
            }
            Verdict::Trend(cell) => {
                let clock = (self.now, &self.settings.zone);
                let which = (host, cell, time);
                self.counters.cross_item_queries +=
                    self.cross_item_queries.ask_trend(&mut self.hosts, which, clock, effects);
                return Judged::Waits;
            }
        }
        Judged::Done
    }

    fn lacks_value(&self, host: u32, position: u32, time: Time) -> Option<u32> {
        lacks_value(sources!(self), (self.hosts.get(host)?, position), time)
    }

    /// An evaluation of a trigger is deferred until history has answered.
    #[cold]
    fn defer(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        let Some(trigger) = self.hosts.trigger_id(host, position) else { return };
        let n_dropped = self.deferred_evaluations.defer((host, position), trigger, time, effects);
        self.counters.deferred_dropped += n_dropped;
    }

    /// Ends the values of one time: runs the triggers that waited for all of them.
    pub(super) fn end_group(&mut self, effects: &mut Effects) {
        if self.group.has_triggers() {
            self.run_queued(effects);
        }
        self.group.end();
    }

    fn problem(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        self.known(host, position, time, effects);
        let Some(state) = self.hosts.get(host) else { return };
        let Some(plan) = state.plan.layout.triggers.get(position as usize) else { return };
        let trigger = state.triggers.get(position as usize);
        if plan.multiple || !trigger.is_some_and(TriggerState::is_decided_problem) {
            self.decide(host, position, (time, true), effects);
        }
    }

    fn recovery(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        self.known(host, position, time, effects);
        let Some(trigger) = self.hosts.trigger_mut(&mut self.items, host, position) else { return };
        if trigger.is_decided_problem() {
            self.decide(host, position, (time, false), effects);
        }
    }

    /// The trigger has a value (again).
    fn known(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        let Some(trigger) = self.hosts.trigger_mut(&mut self.items, host, position) else { return };
        if trigger.error.take().is_some() {
            self.trigger_state(host, position, (time, true), None, effects);
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
        let Some(trigger) = self.hosts.trigger_mut(&mut self.items, host, position) else { return };
        if trigger.error.as_deref() == Some(why.as_str()) {
            return;
        }
        let why: Arc<str> = why.into();
        let was_known = trigger.error.replace(Arc::clone(&why)).is_none();
        self.trigger_state(host, position, (time, was_known), Some(why), effects);
    }

    /// The trigger is unknown from now on, or known again (`is_other`), or has another reason.
    fn trigger_state(
        &mut self,
        host: u32,
        position: u32,
        (time, is_other): (Time, bool),
        error: Option<Arc<str>>,
        effects: &mut Effects,
    ) {
        let Some(host) = self.hosts.get(host) else { return };
        let Some(trigger) = host.trigger_id(position) else { return };
        let event = is_other.then(|| StateEvent {
            subject: Subject::TriggerState(trigger),
            tags: tags_of_trigger(sources!(self), (host, position), time),
        });
        let what = StateOf::Trigger(trigger);
        effects.states.push(StateChange { what, host: host.plan.host().id, time, error, event });
    }
}

fn verdict(
    sources: &Sources<'_>,
    host: &mut HostState,
    (position, is_problem): (u32, bool),
    known: &mut Vec<Known>,
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
        }
    }
}

/// Whether a trigger that this one depends on, at whatever level, is in PROBLEM.
fn has_problem_above(
    host: &HostState,
    trigger: &TriggerPlan,
    foreign: &Forwarding,
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
