//! Work that is due by time: time-based triggers each 30 s, calculated items on their intervals,
//! fetches from history that got no answer.
//!
//! Triggers are spread over the half minute by their id, calculated items over their interval by
//! theirs. All waiting is monotonic; wall time only says *at what time* something is judged.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use model::map::Map;
use model::time::NANOS;

/// Time-based triggers are judged this often.
const PERIOD_S: u64 = 30;
#[derive(Debug, Default)]
pub(super) struct Timers {
    /// Second of the half minute, host, position.
    triggers: BTreeSet<(u64, u32, u32)>,
    /// The second (monotonic) up to which triggers have been judged, and how far within it.
    second: u64,
    resume: Option<(u64, u32, u32)>,
    /// Due second (wall) and slot of calculated items; stale entries are skipped.
    calculated: BinaryHeap<Reverse<(i64, u32)>>,
    /// Due second by slot: the valid entries.
    due: Map<u32, i64>,
    /// Entries that the current step has taken from the above, to undo it.
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

    /// The slots of all calculated items that are planned.
    pub(super) fn all_due(&self) -> Vec<u32> {
        self.due.keys().copied().collect()
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

    /// Entries due in the old state stay due. Hosts may have other numbers there, so triggers of an
    /// unfinished second are judged once more.
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
    pub(super) fn pop_due(&mut self, second: i64) -> Option<u32> {
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

    /// The triggers whose turn it is, no more than `left`; the others' turn is the next step's.
    pub(super) fn due_triggers(&mut self, mono_ns: u64, left: usize) -> Vec<(u32, u32)> {
        let current = seconds(mono_ns);
        // After a long pause each trigger is judged once, not once for each half minute missed.
        let first = self.second.max(current.saturating_sub(PERIOD_S));
        let mut second = first + u64::from(self.resume.is_none());
        let mut due = Vec::new();
        while second <= current {
            let slot = second % PERIOD_S;
            let start = self.resume.take().unwrap_or((slot, 0, 0));
            self.second = second;
            for it in self.triggers.range(start..).take_while(|it| it.0 == slot) {
                if due.len() == left {
                    self.resume = Some(*it);
                    return due;
                }
                due.push((it.1, it.2));
            }
            second += 1;
        }
        self.second = self.second.max(current);
        due
    }

    /// When triggers are due next, in nanoseconds of the monotonic clock.
    pub(super) fn next_trigger(&self, mono_ns: u64) -> Option<u64> {
        if self.triggers.is_empty() {
            return None;
        }
        if self.resume.is_some() {
            return Some(mono_ns);
        }
        let from = self.second + 1;
        let has_some = |it: &u64| {
            let slot = *it % PERIOD_S;
            self.triggers.range((slot, 0, 0)..).next().is_some_and(|found| found.0 == slot)
        };
        (from..from + PERIOD_S).find(has_some).map(|it| it * NANOS.unsigned_abs())
    }

    /// When a calculated item may be due next: a second of wall time.
    pub(super) fn next_calculated(&self) -> Option<i64> {
        self.calculated.peek().map(|it| it.0.0)
    }
}

fn seconds(ns: u64) -> u64 {
    ns / NANOS.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = NANOS.unsigned_abs();

    #[test]
    fn each_trigger_has_its_turn_once_in_half_a_minute() {
        let mut timers = Timers::default();
        (0..60).for_each(|id| timers.add_trigger(id, 7, u32::try_from(id).expect("small")));
        let mut all: Vec<(u32, u32)> =
            (1..=30).flat_map(|it| timers.due_triggers(it * SECOND, 256)).collect();
        assert_eq!(all.len(), 60);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 60);
        // After a pause of hours none has it twice.
        assert_eq!(timers.due_triggers(10_000 * SECOND, 256).len(), 60);
    }

    #[test]
    fn timers_over_the_limit_are_left_to_the_next_step() {
        let mut timers = Timers::default();
        (0..10).for_each(|position| timers.add_trigger(5, 1, position));
        timers.begin();
        assert_eq!(timers.due_triggers(5 * SECOND, 4).len(), 4);
        assert_eq!(timers.next_trigger(5 * SECOND), Some(5 * SECOND));
        // The step failed: they are due again.
        timers.undo();
        assert_eq!(timers.due_triggers(5 * SECOND, 4)[0], (1, 0));
        assert_eq!(timers.due_triggers(5 * SECOND, 256).len(), 6);
        assert_eq!(timers.next_trigger(5 * SECOND), Some(35 * SECOND));
    }

    #[test]
    fn an_item_is_due_when_it_was_planned_last() {
        let mut timers = Timers::default();
        timers.set_due(3, 100);
        timers.set_due(3, 50);
        assert_eq!(timers.pop_due(49), None);
        assert_eq!(timers.pop_due(60), Some(3));
        assert_eq!(timers.pop_due(200), None);
    }
}
