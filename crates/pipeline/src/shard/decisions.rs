//! A trigger has another value: its event is made, or waits for its name, and its state changes.

use std::collections::VecDeque;
use std::sync::Arc;

use lang::macros::FuncEnv;
use model::{EventId, Now, Time, UserId};

use super::Shard;
use super::events::{AwaitingEvent, Draft, closes, decided_open, draft};
use super::functions::{Evaluated, Sources, sources};
use super::open::{Closes, OPEN_MAX, OpenProblem, pairs, pending, unpack};
use crate::effects::{Change, Effects, StepEventKind, StepEventRef};
use crate::event_awaiting_name::{Decision, What};
use crate::input::CloseProblem;

impl Shard {
    /// The trigger has another value from a point in time on: its event is made, or waits for its name.
    pub(super) fn decide(
        &mut self,
        host: u32,
        position: u32,
        (time, is_problem): (Time, bool),
        effects: &mut Effects,
    ) {
        let what = if is_problem { What::Problem } else { What::Recovery };
        let decision = Decision { time, what, is_problem };
        self.carry_out(host, position, decision, effects);
    }

    /// Closes one problem by hand. Unknown triggers and problems are ignored: they are closed.
    pub(super) fn close(&mut self, now: Now, close: &CloseProblem, effects: &mut Effects) {
        let Some((host, position)) = self.hosts.find_trigger(close.trigger) else { return };
        let Some(n_left) = self.n_open_without(host, position, close.event) else { return };
        let Some(trigger) = self.hosts.trigger_mut(&mut self.items, host, position) else { return };
        let was_problem = trigger.is_decided_problem();
        let is_problem = was_problem && n_left != 0;
        let time = if close.time == Time::ZERO { now.wall } else { close.time };
        let what = What::Closing(close.event, close.user);
        let decision = Decision { time, what, is_problem };
        self.carry_out(host, position, decision, effects);
        if was_problem && !is_problem {
            // Each evaluation of multiple generation makes its own event, whatever is open.
            let is_single = self.hosts.trigger_plan(host, position).is_some_and(|it| !it.multiple);
            if is_single {
                self.deferred_evaluations.close((host, position), close.trigger, effects);
            }
        }
    }

    fn carry_out(
        &mut self,
        host: u32,
        position: u32,
        mut decision: Decision,
        effects: &mut Effects,
    ) {
        let Some(mut draft) = self.draft_of(host, position, decision) else {
            return;
        };
        if decision.what == What::Recovery {
            match self.left_open(host, position, &draft) {
                Some(is_problem) => decision.is_problem = is_problem,
                None => return,
            }
        }
        self.find_values(host, position, &mut draft, effects);
        let mut awaiting = self.events_awaiting_names.take(host, position);
        if awaiting.is_empty() && draft.is_whole() {
            self.make(host, position, (draft, decision), effects);
            return;
        }
        let unknown =
            self.events_awaiting_names.wait(&mut awaiting, (draft, decision), self.now, effects);
        self.counters.event_name_macros_unknown += unknown;
        self.release(host, position, awaiting, effects);
    }

    /// Makes the events that have their names, in order; the others go on waiting.
    fn release(
        &mut self,
        host: u32,
        position: u32,
        mut awaiting: VecDeque<AwaitingEvent>,
        effects: &mut Effects,
    ) {
        let mut n = 0;
        let trigger = awaiting.front().map(|it| it.draft().event.trigger).unwrap_or_default();
        while awaiting.front().is_some_and(|it| it.draft().is_whole()) {
            if let Some(it) = awaiting.pop_front() {
                let decision = it.decision();
                self.make(host, position, (it.into_draft(), decision), effects);
                n += 1;
            }
        }
        if n != 0 {
            effects.changes.push(Change::AwaitingNamesLeft { trigger, n });
        }
        self.events_awaiting_names.put(host, position, awaiting);
        self.look_ahead_of(host, position);
    }

    /// The value of a trigger when all its events are made.
    fn look_ahead_of(&mut self, host: u32, position: u32) {
        let ahead = self.events_awaiting_names.ahead(host, position);
        if let Some(trigger) = self.hosts.trigger_mut(&mut self.items, host, position) {
            trigger.ahead = ahead;
        }
    }

    /// Replay has ended: waiting events go on waiting.
    pub(super) fn go_on_naming(&mut self) {
        self.events_awaiting_names.begin(self.now);
        for (host, position) in self.events_awaiting_names.triggers() {
            self.look_ahead_of(host, position);
        }
    }

    /// History or trends have answered: looks for values once more.
    pub(super) fn name_events(&mut self, effects: &mut Effects) {
        for (host, position) in self.events_awaiting_names.triggers() {
            let mut awaiting = self.events_awaiting_names.take(host, position);
            for it in &mut awaiting {
                self.find_values(host, position, it.draft_mut(), effects);
            }
            self.release(host, position, awaiting, effects);
        }
    }

    /// History can't answer for a host: its events don't wait for that.
    pub(super) fn give_up_names(&mut self, host: u32, effects: &mut Effects) {
        self.give_up(effects, |it, _| it == host);
    }

    /// Makes the events that have waited too long.
    pub(super) fn expire_names(&mut self, now: Now, effects: &mut Effects) {
        if self.events_awaiting_names.next().is_some_and(|it| it <= now.mono_ns) {
            self.give_up(effects, |_, awaiting| awaiting.has_expired(now));
        }
    }

    fn give_up(&mut self, effects: &mut Effects, is_due: impl Fn(u32, &AwaitingEvent) -> bool) {
        for (host, position) in self.events_awaiting_names.triggers() {
            let mut awaiting = self.events_awaiting_names.take(host, position);
            for it in awaiting.iter_mut().filter(|it| is_due(host, it)) {
                self.counters.event_name_macros_unknown += it.draft_mut().give_up();
            }
            self.release(host, position, awaiting, effects);
        }
    }

    /// Looks for what expression macros give at the event's time, and has the rest fetched.
    fn find_values(&mut self, at: u32, position: u32, draft: &mut Draft, effects: &mut Effects) {
        if draft.is_whole() {
            return;
        }
        let time = draft.event.time;
        let mut missing = Vec::new();
        let Some(host) = self.hosts.get_mut(at) else { return };
        let plan = Arc::clone(&host.plan);
        let Some(trigger) = plan.layout.triggers.get(position as usize) else { return };
        let sources = sources!(self);
        for value in &mut draft.values {
            value.find(&trigger.name_macros, |formula, known| {
                let cells = &mut host.cells;
                sources.find_operands(formula, (&plan, cells), known, time, &mut missing)
            });
        }
        for it in missing {
            match it {
                Evaluated::Cold(slot) => self.fetches.load(&mut self.items, slot),
                Evaluated::Trend(cell) => {
                    let clock = (self.now, &self.settings.zone);
                    let which = (at, cell, time);
                    self.counters.cross_item_queries +=
                        self.cross_item_queries.ask_trend(&mut self.hosts, which, clock, effects);
                }
                Evaluated::Value(_) | Evaluated::Unknown(_) => {}
            }
        }
    }

    /// Makes an event whose name is whole and changes the trigger's state with it.
    fn make(
        &mut self,
        host: u32,
        position: u32,
        (draft, decision): (Draft, Decision),
        effects: &mut Effects,
    ) {
        let Decision { time, what, .. } = decision;
        if let What::Closing(event, user) = what {
            self.make_closed(host, position, (draft, (event, user)), effects);
            return;
        }
        let closes = self.closes(host, position, &draft);
        let Some(state) = self.hosts.get_mut(host) else { return };
        let Some(plan) = state.plan.layout.triggers.get(position as usize) else { return };
        let multiple = plan.multiple;
        let Some(trigger) = state.triggers.get_mut(position as usize) else { return };
        let was_problem = trigger.is_problem;
        let kind = if what == What::Problem {
            if was_problem && !multiple {
                return;
            }
            trigger.open.push(OpenProblem::new(pending(effects), pairs(&draft.event.tags)));
            if OPEN_MAX < trigger.open.len() {
                // Multiple generation without recovery: the oldest are closed by hand or never.
                trigger.open.remove(0);
                self.counters.open_dropped += 1;
            }
            trigger.is_problem = true;
            StepEventKind::Problem
        } else {
            let closed: Vec<StepEventRef> = trigger
                .open
                .extract_if(.., |it| closes.has(it))
                .map(|it| unpack(it.event))
                .collect();
            // A user may have closed the problem manually meanwhile.
            if !was_problem || closed.is_empty() && !trigger.open.is_empty() {
                return;
            }
            trigger.is_problem = !trigger.open.is_empty();
            StepEventKind::Recovery { closes: closed, user: UserId::NONE }
        };
        let is_problem = trigger.is_problem;
        self.put_draft(draft, (kind, is_problem), effects);
        if was_problem != is_problem {
            self.forward_trigger(host, position, (time, is_problem), effects);
        }
    }

    /// Whether problems of a trigger stay open at a recovery; `None`: it closes none of them.
    fn left_open(&self, host: u32, position: u32, draft: &Draft) -> Option<bool> {
        let closes = self.closes(host, position, draft);
        if matches!(closes, Closes::All) {
            return Some(false);
        }
        let judge = |open: &[OpenProblem]| {
            let n_left = open.iter().filter(|it| !closes.has(it)).count();
            (n_left == 0 || n_left < open.len()).then_some(n_left != 0)
        };
        match self.open_now(host, position) {
            Some(open) => judge(open),
            None => judge(&self.decided_open(host, position)),
        }
    }

    /// How many problems of a trigger are open in addition to this one; `None`: this one is not
    /// open.
    fn n_open_without(&self, host: u32, position: u32, event: EventId) -> Option<usize> {
        let n_others = |open: &[OpenProblem]| {
            open.iter().any(|it| it.is(event)).then(|| open.len().saturating_sub(1))
        };
        match self.open_now(host, position) {
            Some(open) => n_others(open),
            None => n_others(&self.decided_open(host, position)),
        }
    }

    /// The open problems of a trigger, if none of its events waits for its name: then nothing has
    /// to be copied, and there may be very many.
    fn open_now(&self, host: u32, position: u32) -> Option<&[OpenProblem]> {
        if self.events_awaiting_names.of(host, position).next().is_some() {
            return None;
        }
        let trigger = self.hosts.get(host)?.triggers.get(position as usize)?;
        Some(&trigger.open)
    }

    /// Makes the event of a problem that was closed by hand, unless it ended meanwhile.
    fn make_closed(
        &mut self,
        host: u32,
        position: u32,
        (draft, (event, user)): (Draft, (EventId, UserId)),
        effects: &mut Effects,
    ) {
        let Some(trigger) = self.hosts.trigger_mut(&mut self.items, host, position) else { return };
        let Some(at) = trigger.open.iter().position(|it| it.is(event)) else { return };
        trigger.open.remove(at);
        let ends = trigger.is_problem && trigger.open.is_empty();
        trigger.is_problem &= !ends;
        let is_problem = trigger.is_problem;
        let time = draft.event.time;
        let kind = StepEventKind::Recovery { closes: vec![StepEventRef::Id(event)], user };
        self.put_draft(draft, (kind, is_problem), effects);
        if ends {
            self.forward_trigger(host, position, (time, false), effects);
        }
    }

    /// Notifies partitions whose triggers depend on this one.
    fn forward_trigger(
        &self,
        host: u32,
        position: u32,
        (time, is_problem): (Time, bool),
        effects: &mut Effects,
    ) {
        let host = self.hosts.get(host);
        if let Some(trigger) =
            host.and_then(|it| Some((it.plan.partition(), it.trigger_id(position)?)))
        {
            self.forwarding.trigger(trigger, time, is_problem, effects);
        }
    }

    fn put_draft(
        &self,
        mut draft: Draft,
        (kind, is_problem): (StepEventKind, bool),
        effects: &mut Effects,
    ) {
        draft.event.kind = kind;
        draft.event.is_problem = is_problem;
        effects.events.push(draft.finish(&FuncEnv::new(&self.settings.zone)));
    }

    fn draft_of(&self, host: u32, position: u32, decision: Decision) -> Option<Draft> {
        let host = self.hosts.get(host)?;
        draft(sources!(self), (host, position), decision.time, decision.what)
    }

    /// The problems of a trigger that a recovery closes.
    fn closes(&self, host: u32, position: u32, draft: &Draft) -> Closes {
        let Some(host) = self.hosts.get(host) else { return Closes::All };
        let event = &draft.event;
        closes(sources!(self), (host, position), event.time, &event.tags)
    }

    fn decided_open(&self, host: u32, position: u32) -> Vec<OpenProblem> {
        let awaiting = self.events_awaiting_names.of(host, position);
        let Some(host) = self.hosts.get(host) else { return Vec::new() };
        decided_open(sources!(self), (host, position), awaiting)
    }
}
