//! What happens because time passes: time-based triggers each 30 s, calculated items on their
//! intervals, questions to history that got no answer.
//!
//! Triggers are spread over the half minute by their id, calculated items over their interval by
//! theirs. All waiting is monotonic; wall time only says *at what moment* something is judged.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;

use directory::steps::raw_of;
use lang::expression::Value as Computed;
use lang::interval::NEVER;
use model::{ItemId, Now, Time, time::NANOS};
use preprocess::Data;

use super::Shard;
use super::convert::to_millis;
use super::fetch::why_not_loaded;
use super::functions::{Evaluated, Sources, sources};
use super::state::ENABLED;
use crate::effects::Effects;

/// Time-based triggers are judged this often.
pub(super) const PERIOD_S: u64 = 30;
/// Evaluations in one step: some 250 µs of work.
const EVALUATIONS_MAX: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Timers {
    /// Second of the half minute, host, position.
    triggers: BTreeSet<(u64, u32, u32)>,
    /// The second (monotonic) up to which triggers have been judged, and how far within it.
    second: u64,
    resume: Option<(u64, u32, u32)>,
    /// Due second (wall) and slot of calculated items; stale entries are passed over.
    calculated: BinaryHeap<Reverse<(i64, u32)>>,
    /// Due second by slot: what counts.
    due: model::map::Map<u32, i64>,
    /// What the step under way has taken from the above, to undo it.
    taken: Vec<(u32, i64)>,
    taken_from: (u64, Option<(u64, u32, u32)>),
}

impl Timers {
    pub(super) fn add_trigger(&mut self, id: u64, host: u32, position: u32) {
        self.triggers.insert((id % PERIOD_S, host, position));
    }

    pub(super) fn remove_trigger(&mut self, id: u64, host: u32, position: u32) {
        self.triggers.remove(&(id % PERIOD_S, host, position));
    }

    pub(super) fn set_due(&mut self, at: u32, second: i64) {
        self.due.insert(at, second);
        self.calculated.push(Reverse((second, at)));
    }

    pub(super) fn forget(&mut self, at: u32) {
        self.due.remove(&at);
    }

    pub(super) fn has_due(&self, at: u32) -> bool {
        self.due.contains_key(&at)
    }

    /// A step begins.
    pub(super) fn begin(&mut self) {
        self.taken.clear();
        self.taken_from = (self.second, self.resume);
    }

    /// Undoes what the step under way has taken: it is due again.
    pub(super) fn undo(&mut self) {
        (self.second, self.resume) = self.taken_from;
        for (at, due) in std::mem::take(&mut self.taken) {
            self.set_due(at, due);
        }
    }

    /// What is due here stays due as it was there. Hosts may have other numbers there, so triggers
    /// of an unfinished second are judged once more.
    pub(super) fn take_over(&mut self, old: &Self) {
        for (at, due) in &old.due {
            if self.has_due(*at) {
                self.set_due(*at, *due);
            }
        }
        self.second = old.second;
        self.resume = old.resume.map(|(slot, ..)| (slot, 0, 0));
    }

    /// The next due calculated item at `second`.
    fn pop_due(&mut self, second: i64) -> Option<u32> {
        while let Some(Reverse((due, at))) = self.calculated.peek().copied() {
            if second < due {
                return None;
            }
            self.calculated.pop();
            if self.due.get(&at) == Some(&due) {
                self.due.remove(&at);
                self.taken.push((at, due));
                return Some(at);
            }
        }
        None
    }
}

fn seconds(ns: u64) -> u64 {
    ns / NANOS.unsigned_abs()
}

impl Shard {
    /// When the next [`crate::Input::Timer`] is due, in nanoseconds of [`Now::mono_ns`].
    #[must_use]
    pub fn next_timer(&self) -> Option<u64> {
        let second_ns = NANOS.unsigned_abs();
        let triggers = if self.timers.triggers.is_empty() {
            None
        } else if self.timers.resume.is_some() {
            Some(self.now.mono_ns)
        } else {
            let from = self.timers.second + 1;
            let slot = |it: u64| (it % PERIOD_S, 0, 0);
            let next = (from..from + PERIOD_S).find(|it| {
                let start = slot(*it);
                self.timers.triggers.range(start..).next().is_some_and(|found| found.0 == start.0)
            });
            next.map(|it| it * second_ns)
        };
        let calculated = self.timers.calculated.peek().map(|it| self.mono_of(it.0.0));
        let under_way =
            (self.fetches.n_under_way() != 0).then(|| self.now.mono_ns + 10 * second_ns);
        let names = self.unnamed.next();
        let moments = self.moments.is_due().then_some(self.now.mono_ns);
        let hours = self.trends.due().map(|due| self.mono_of(due));
        let all = [triggers, calculated, self.fetches.next(), under_way, names, moments, hours];
        all.into_iter().flatten().min()
    }

    /// When a second of wall time comes, on the monotonic clock.
    fn mono_of(&self, second: i64) -> u64 {
        let wait = Time::from_clock(second, 0).since_ns(self.now.wall).max(0);
        self.now.mono_ns.saturating_add(wait.unsigned_abs())
    }

    pub(super) fn timer(&mut self, now: Now, effects: &mut Effects) {
        self.trends.end_hours(&self.items, now.wall, effects);
        self.expire_names(now, effects);
        if self.moments.is_due() {
            self.run_deferred(effects);
        }
        self.retry_fetches(now, effects);
        let mut left = EVALUATIONS_MAX;
        self.timed_triggers(now, &mut left, effects);
        while 0 < left {
            let Some(at) = self.timers.pop_due(now.wall.clock()) else { break };
            self.calculate(now, at, effects);
            left -= 1;
        }
    }

    fn timed_triggers(&mut self, now: Now, left: &mut usize, effects: &mut Effects) {
        let current = seconds(now.mono_ns);
        // After a long pause each trigger is judged once, not once for each half minute missed.
        let first = self.timers.second.max(current.saturating_sub(PERIOD_S));
        let mut second = first + u64::from(self.timers.resume.is_none());
        while second <= current {
            let slot = second % PERIOD_S;
            let start = self.timers.resume.take().unwrap_or((slot, 0, 0));
            let due: Vec<(u64, u32, u32)> = self
                .timers
                .triggers
                .range(start..)
                .take_while(|it| it.0 == slot)
                .take(*left + 1)
                .copied()
                .collect();
            self.timers.second = second;
            for (done, (_, host, position)) in due.iter().enumerate() {
                if done == *left {
                    self.timers.resume = due.get(done).copied();
                    *left = 0;
                    return;
                }
                self.work.on_trigger_of((&self.items, &self.hosts), (*host, *position));
                self.run(*host, *position, now.wall, effects);
            }
            *left -= due.len().min(*left);
            second += 1;
        }
        self.timers.second = self.timers.second.max(current);
    }

    /// Plans the next value of a calculated item.
    pub(super) fn plan_calculated(&mut self, now: Now, at: u32) {
        let Some(slot) = self.items.slot(at) else { return };
        let Some(host) = self.hosts.get(slot.host) else { return };
        let plan = Arc::clone(&host.plan);
        let item = plan.layout.item(slot.position);
        let Some(calculation) = item.and_then(|it| it.calculation.as_ref()) else { return };
        let second = match &calculation.delay {
            Ok(delay) => {
                let next = delay.next_check(now.wall.clock(), slot.item.0, &self.settings.zone);
                Some(next).filter(|it| *it < NEVER)
            }
            // Said at the item each minute.
            Err(_) => Some(now.wall.clock() + 60),
        };
        match second {
            Some(second) if slot.has(ENABLED) => self.timers.set_due(at, second),
            _ => self.timers.forget(at),
        }
    }

    /// Has a calculated item computed with the next timer, besides its interval: somebody asked for
    /// it. An item that is not calculated, not enabled or not in this slot is left alone.
    pub fn calculate_soon(&mut self, at: u32, item: ItemId, now: Now) {
        let is_there = self.items.get(at).is_some_and(|it| it.item == item);
        if is_there && self.timers.has_due(at) {
            self.timers.set_due(at, now.wall.clock());
        }
    }

    fn calculate(&mut self, now: Now, at: u32, effects: &mut Effects) {
        // History and windows of this moment; milliseconds, as all numbers.
        let time = to_millis(now.wall);
        self.compute(at, time, None, effects);
        self.end_group(effects);
        self.plan_calculated(now, at);
    }

    /// Gives a calculated item its value of a moment. `many`: what its functions over many items
    /// gave, if they were asked.
    pub(super) fn compute(
        &mut self,
        at: u32,
        time: Time,
        many: Option<&[Result<Computed, String>]>,
        effects: &mut Effects,
    ) {
        let Some(slot) = self.items.slot(at) else { return };
        self.work.on(slot.item);
        let Some(host) = self.hosts.get_mut(slot.host) else { return };
        let plan = Arc::clone(&host.plan);
        let item = plan.layout.item(slot.position);
        let Some(calculation) = item.and_then(|it| it.calculation.as_ref()) else { return };
        let evaluated = match (&calculation.delay, &calculation.formula) {
            (Err(why), _) => Evaluated::Unknown(why.to_string()),
            (_, Err(why)) => Evaluated::Unknown(why.to_string()),
            (Ok(_), Ok(formula)) if many.is_none() && !formula.many.is_empty() => {
                let whose = (at, slot.item, plan.host().id);
                if self.gathers.ask_many(whose, (formula, time), self.now, effects) {
                    self.counters.gathers += 1;
                } else {
                    self.counters.gathers_skipped += 1;
                }
                return;
            }
            (Ok(_), Ok(formula)) => {
                self.counters.evaluations += 1;
                let sources = sources!(self, many.unwrap_or_default());
                sources.evaluate(formula, &plan, &mut host.cells, &mut self.scratch.known, time)
            }
        };
        match evaluated {
            Evaluated::Value(value) => {
                let data = match value {
                    Computed::Number(it) => Data::Float(it),
                    Computed::UInt(it) => Data::Unsigned(it),
                    Computed::Text(it) => Data::text(it),
                    Computed::Vector(_) => Data::text(""),
                };
                self.process(at, time, raw_of(&data), None, effects);
            }
            Evaluated::Unknown(why) => {
                let early = match (&calculation.formula, &calculation.delay) {
                    (Ok(formula), Ok(delay)) => {
                        let many = many.unwrap_or_default();
                        self.is_in_grace(&slot, &plan, (formula, delay), many, time)
                    }
                    _ => false,
                };
                if !early {
                    self.unsupported(at, &slot, time, why.into(), effects);
                }
            }
            Evaluated::Cold(cold) => {
                // Loaded for the next time.
                self.fetches.load(&mut self.items, cold);
                if let Some(why) = why_not_loaded(&self.items, cold) {
                    let why = format!("Cannot evaluate expression: {why}.");
                    self.unsupported(at, &slot, time, why.into(), effects);
                }
            }
            Evaluated::Trend(cell) => {
                self.gathers.wait_for_trend(at, slot.item, time);
                let clock = (self.now, &self.settings.zone);
                let which = (slot.host, cell, time);
                self.counters.gathers +=
                    self.gathers.ask_trend(&mut self.hosts, which, clock, effects);
            }
        }
    }
}
