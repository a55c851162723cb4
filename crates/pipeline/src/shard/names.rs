//! Events whose names wait.
//!
//! An expression macro of an event name (`{?avg(/host/key,1h)}`) may need a window that history has
//! to fill, or a trend. The trigger has its value at once, as far as later moments and triggers that
//! depend on it are concerned; its event and the change of its state are made, in one record, when
//! the name is whole; until then the event is journaled as one that waits (`held.rs`): see `docs/decisions/0014-event-names-that-wait.md`. Everything else of the event
//! (macros, tags, operational data) is as it was at its moment.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use directory::NameMacro;
use formats::number::format_f64;
use lang::expression::Value as Computed;
use lang::macros::{FuncEnv, UNKNOWN, apply};
use model::content::Tag;
use model::time::NANOS;
use model::{EventId, Now, Time, UserId};

use super::Shard;
use super::events::{NAME_MAX, cut};
use super::functions::{Evaluated, Known, Sources};
use super::held::HeldEvent;
use super::open::{Closes, OpenProblem, pairs};
use super::state::unpack;
use super::triggers::{OPEN_MAX, pending};
use crate::effects::{Change, Effects, Event, EventKind, EventRef};
use crate::input::CloseProblem;

/// An event waits so long for its name; then it is made without.
const WAIT_NS: u64 = 10 * NANOS.unsigned_abs();
/// Events of one trigger that wait.
const OF_TRIGGER_MAX: usize = 64;
/// Events of a shard that wait.
const ALL_MAX: usize = 16_384;

/// An event but for its name.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) event: Event,
    pub(super) name: Vec<Part>,
    pub(super) values: Vec<MacroValue>,
}

/// A piece of an event's name.
#[derive(Debug)]
pub(super) enum Part {
    Text(String),
    /// An expression macro: position in [`Draft::values`], a macro function with its parameters.
    Macro(usize, Option<(String, String)>),
}

/// What an expression macro gives at the event's moment.
#[derive(Debug)]
pub(super) struct MacroValue {
    /// As written.
    pub(super) text: Box<str>,
    pub(super) state: MacroState,
}

#[derive(Debug)]
pub(super) enum MacroState {
    /// Its operands, as far as they are known.
    Open(Vec<Option<Known>>),
    Text(String),
    Unknown,
}

impl MacroValue {
    fn is_open(&self) -> bool {
        matches!(self.state, MacroState::Open(_))
    }

    fn find(
        &mut self,
        macros: &[NameMacro],
        mut find: impl FnMut(&directory::Formula, &mut Vec<Option<Known>>) -> Option<Evaluated>,
    ) {
        let MacroState::Open(known) = &mut self.state else { return };
        let formula = macros.iter().find(|it| it.text == self.text).map(|it| &it.formula);
        // Another configuration, or an expression that does not compile.
        let Some(Ok(formula)) = formula else {
            self.state = MacroState::Unknown;
            return;
        };
        match find(formula, known) {
            None => {}
            Some(Evaluated::Value(value)) => {
                self.state = text_of(value).map_or(MacroState::Unknown, MacroState::Text);
            }
            Some(_) => self.state = MacroState::Unknown,
        }
    }
}

pub(super) fn text_of(value: Computed) -> Option<String> {
    match value {
        Computed::Number(it) => Some(format_f64(it)),
        Computed::UInt(it) => Some(it.to_string()),
        Computed::Text(it) => Some(it),
        Computed::Vector(_) => None,
    }
}

impl Draft {
    fn is_whole(&self) -> bool {
        !self.values.iter().any(MacroValue::is_open)
    }

    /// What is not known yet will not be; gives how many macros this leaves without a value.
    fn give_up(&mut self) -> u64 {
        let mut n = 0;
        for it in self.values.iter_mut().filter(|it| it.is_open()) {
            it.state = MacroState::Unknown;
            n += 1;
        }
        n
    }

    fn finish(mut self, env: &FuncEnv<'_>) -> Event {
        let mut name = String::new();
        for part in self.name {
            match part {
                Part::Text(it) => name.push_str(&it),
                Part::Macro(at, func) => {
                    let value = match self.values.get(at).map(|it| &it.state) {
                        Some(MacroState::Text(it)) => Some(it.as_str()),
                        _ => None,
                    };
                    let text = value.and_then(|value| match func {
                        Some((func, params)) => apply(&func, &params, value, env).ok(),
                        None => Some(value.to_owned()),
                    });
                    name.push_str(text.as_deref().unwrap_or(UNKNOWN));
                }
            }
        }
        self.event.name = cut(name, NAME_MAX);
        self.event
    }
}

/// What has happened to a trigger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Decision {
    pub(super) time: Time,
    pub(super) what: What,
    /// Whether it is in PROBLEM from then on.
    pub(super) is_problem: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Problem,
    Recovery,
    /// Somebody closes this problem by hand.
    Closing(EventId, UserId),
}

/// An event that waits.
#[derive(Debug)]
pub(super) struct Held {
    draft: Draft,
    /// As it is journaled.
    pub(super) written: Arc<HeldEvent>,
    /// Monotonic nanoseconds.
    expires: u64,
}

impl Held {
    pub(super) fn new(draft: Draft, written: Arc<HeldEvent>, expires: u64) -> Self {
        Self { draft, written, expires }
    }

    pub(super) fn decision(&self) -> Decision {
        self.written.decision
    }

    pub(super) fn tags(&self) -> &[Tag] {
        &self.draft.event.tags
    }
}

/// Events of triggers, by host and position, in order of decision.
#[derive(Debug, Default)]
pub(super) struct Unnamed {
    held: BTreeMap<(u32, u32), VecDeque<Held>>,
    len: usize,
    /// No event expires before.
    earliest: u64,
}

impl Unnamed {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// When the timer has to look at them.
    pub(super) fn next(&self) -> Option<u64> {
        (self.len != 0).then_some(self.earliest)
    }

    /// The oldest moment of a host's events.
    pub(super) fn oldest_of(&self, host: u32) -> Option<Time> {
        let of_host = self.held.range((host, 0)..=(host, u32::MAX));
        of_host.flat_map(|it| it.1).map(|it| it.draft.event.time).min()
    }

    pub(super) fn take(&mut self, host: u32, position: u32) -> VecDeque<Held> {
        let held = self.held.remove(&(host, position)).unwrap_or_default();
        self.len -= held.len();
        held
    }

    pub(super) fn put(&mut self, host: u32, position: u32, held: VecDeque<Held>) {
        if held.is_empty() {
            return;
        }
        for it in &held {
            let is_first = self.len == 0;
            self.earliest = if is_first { it.expires } else { self.earliest.min(it.expires) };
            self.len += 1;
        }
        self.held.entry((host, position)).or_default().extend(held);
    }

    pub(super) fn of(&self, host: u32, position: u32) -> impl DoubleEndedIterator<Item = &Held> {
        self.held.get(&(host, position)).into_iter().flatten()
    }

    fn triggers(&self) -> Vec<(u32, u32)> {
        self.held.keys().copied().collect()
    }

    /// All events wait from now on.
    pub(super) fn begin(&mut self, now: Now) {
        self.earliest = now.mono_ns.saturating_add(WAIT_NS);
        let all = self.held.values_mut().flatten();
        all.for_each(|it| it.expires = self.earliest);
    }
}

impl Shard {
    /// The trigger has another value from a moment on: its event is made, or waits for its name.
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
        let mut open = self.decided_open(host, position);
        let Some(at) = open.iter().position(|it| it.is(close.event)) else { return };
        open.remove(at);
        let Some(trigger) = self.trigger_mut(host, position) else { return };
        let was_problem = trigger.is_decided_problem();
        let is_problem = was_problem && !open.is_empty();
        let time = if close.time == Time::ZERO { now.wall } else { close.time };
        let what = What::Closing(close.event, close.user);
        let decision = Decision { time, what, is_problem };
        self.carry_out(host, position, decision, effects);
        if was_problem && !is_problem {
            self.close_moments(host, position, effects);
        }
    }

    fn carry_out(
        &mut self,
        host: u32,
        position: u32,
        mut decision: Decision,
        effects: &mut Effects,
    ) {
        let Some(mut draft) = self.draft(host, position, decision.time, decision.what) else {
            return;
        };
        if decision.what == What::Recovery {
            match self.left_open(host, position, &draft) {
                Some(is_problem) => decision.is_problem = is_problem,
                None => return,
            }
        }
        self.find_values(host, position, &mut draft, effects);
        let mut held = self.unnamed.take(host, position);
        if held.is_empty() && draft.is_whole() {
            self.make(host, position, (draft, decision), effects);
            return;
        }
        let written = Arc::new(HeldEvent::of(&draft, decision));
        effects.changes.push(Change::Held(Arc::clone(&written)));
        let expires = self.now.mono_ns.saturating_add(WAIT_NS);
        held.push_back(Held { draft, written, expires });
        if OF_TRIGGER_MAX < held.len() || ALL_MAX <= self.unnamed.len() {
            let first = held.front_mut().map_or(0, |it| it.draft.give_up());
            self.counters.names_unknown += first;
        }
        self.release(host, position, held, effects);
    }

    /// Makes the events that have their names, in order; the others go on waiting.
    fn release(
        &mut self,
        host: u32,
        position: u32,
        mut held: VecDeque<Held>,
        effects: &mut Effects,
    ) {
        let mut n = 0;
        let trigger = held.front().map(|it| it.draft.event.trigger).unwrap_or_default();
        while held.front().is_some_and(|it| it.draft.is_whole()) {
            if let Some(it) = held.pop_front() {
                let decision = it.decision();
                self.make(host, position, (it.draft, decision), effects);
                n += 1;
            }
        }
        if n != 0 {
            effects.changes.push(Change::HeldLeft { trigger, n });
        }
        self.unnamed.put(host, position, held);
        self.look_ahead_of(host, position);
    }

    /// What a trigger will be when all its events are made.
    fn look_ahead_of(&mut self, host: u32, position: u32) {
        let ahead = self.unnamed.of(host, position).next_back().map(|it| it.decision().is_problem);
        if let Some(trigger) = self.trigger_mut(host, position) {
            trigger.ahead = ahead;
        }
    }

    /// Replay is over: events that waited go on doing so.
    pub(super) fn go_on_naming(&mut self) {
        self.unnamed.begin(self.now);
        for (host, position) in self.unnamed.triggers() {
            self.look_ahead_of(host, position);
        }
    }

    /// History or trends have answered: looks for values once more.
    pub(super) fn name_events(&mut self, effects: &mut Effects) {
        for (host, position) in self.unnamed.triggers() {
            let mut held = self.unnamed.take(host, position);
            for it in &mut held {
                self.find_values(host, position, &mut it.draft, effects);
            }
            self.release(host, position, held, effects);
        }
    }

    /// History can't answer for a host: its events don't wait for that.
    pub(super) fn give_up_names(&mut self, host: u32, effects: &mut Effects) {
        self.give_up(effects, |it, _| it == host);
    }

    /// Makes the events that have waited too long.
    pub(super) fn expire_names(&mut self, now: Now, effects: &mut Effects) {
        if self.unnamed.next().is_some_and(|it| it <= now.mono_ns) {
            self.give_up(effects, |_, held| held.expires <= now.mono_ns);
        }
    }

    fn give_up(&mut self, effects: &mut Effects, is_due: impl Fn(u32, &Held) -> bool) {
        for (host, position) in self.unnamed.triggers() {
            let mut held = self.unnamed.take(host, position);
            for it in held.iter_mut().filter(|it| is_due(host, it)) {
                self.counters.names_unknown += it.draft.give_up();
            }
            self.release(host, position, held, effects);
        }
    }

    /// Looks for what expression macros give at the event's moment, and has the rest fetched.
    fn find_values(&mut self, at: u32, position: u32, draft: &mut Draft, effects: &mut Effects) {
        if draft.is_whole() {
            return;
        }
        let time = draft.event.time;
        let mut missing = Vec::new();
        let Some(host) = self.hosts.get_mut(at) else { return };
        let plan = Arc::clone(&host.plan);
        let Some(trigger) = plan.layout.triggers.get(position as usize) else { return };
        let sources = Sources {
            items: &self.items,
            group: &self.group,
            outages: &self.outages,
            zone: &self.settings.zone,
            now: self.now.wall,
            many: &[],
        };
        for value in &mut draft.values {
            value.find(&trigger.name_macros, |formula, known| {
                let cells = &mut host.cells;
                sources.find_operands(formula, (&plan, cells), known, time, &mut missing)
            });
        }
        for it in missing {
            match it {
                Evaluated::Cold(slot) => self.fetches.load(&mut self.items, slot),
                Evaluated::Trend(cell) => self.ask_trend(at, cell, time, effects),
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
        let closes = self.closes(host, position, time, &draft.event.tags);
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
            EventKind::Problem
        } else {
            let closed: Vec<EventRef> = trigger
                .open
                .extract_if(.., |it| closes.has(it))
                .map(|it| unpack(it.event))
                .collect();
            // Somebody may have closed the problem by hand meanwhile.
            if !was_problem || closed.is_empty() && !trigger.open.is_empty() {
                return;
            }
            trigger.is_problem = !trigger.open.is_empty();
            EventKind::Recovery { closes: closed, user: UserId::NONE }
        };
        let is_problem = trigger.is_problem;
        self.put_draft(draft, (kind, is_problem), effects);
        if was_problem != is_problem {
            self.forward_trigger(host, position, (time, is_problem), effects);
        }
    }

    /// Whether problems of a trigger stay open at a recovery; `None`: it closes none of them.
    fn left_open(&self, host: u32, position: u32, draft: &Draft) -> Option<bool> {
        let event = &draft.event;
        let closes = self.closes(host, position, event.time, &event.tags);
        if matches!(closes, Closes::All) {
            return Some(false);
        }
        let open = self.decided_open(host, position);
        let n_left = open.iter().filter(|it| !closes.has(it)).count();
        (n_left == 0 || n_left < open.len()).then_some(n_left != 0)
    }

    /// Makes the event of a problem that was closed by hand, unless it ended meanwhile.
    fn make_closed(
        &mut self,
        host: u32,
        position: u32,
        (draft, (event, user)): (Draft, (EventId, UserId)),
        effects: &mut Effects,
    ) {
        let Some(trigger) = self.trigger_mut(host, position) else { return };
        let Some(at) = trigger.open.iter().position(|it| it.is(event)) else { return };
        trigger.open.remove(at);
        let ends = trigger.is_problem && trigger.open.is_empty();
        trigger.is_problem &= !ends;
        let is_problem = trigger.is_problem;
        let time = draft.event.time;
        let kind = EventKind::Recovery { closes: vec![EventRef::Id(event)], user };
        self.put_draft(draft, (kind, is_problem), effects);
        if ends {
            self.forward_trigger(host, position, (time, false), effects);
        }
    }

    /// Tells partitions whose triggers depend on this one.
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
        (kind, is_problem): (EventKind, bool),
        effects: &mut Effects,
    ) {
        draft.event.kind = kind;
        draft.event.is_problem = is_problem;
        effects.events.push(draft.finish(&FuncEnv::new(&self.settings.zone)));
    }
}
