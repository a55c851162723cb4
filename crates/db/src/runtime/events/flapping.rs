//! Triggers that change too often.
//!
//! A change is the moment at which a trigger has a problem or has none any more. Where as many changes as the
//! rule names lie within its period, the last of them is *hot*; a trigger is flapping for one period
//! from its last hot change on: until it has been stable for that long, or has changed less often.
//!
//! So it depends on the changes of the last two periods and on the clock, and on nothing else: a start
//! finds the same by the problems in memory.

use std::collections::{BTreeSet, VecDeque};

use model::Time;
use model::map::Map;
use model::settings::FlappingRule;

#[derive(Debug, Default)]
struct Changes {
    /// The newest ones, as many as the rule names at most, in seconds.
    times: VecDeque<i64>,
    /// Of the last hot change, with the period.
    until: i64,
    is_flapping: bool,
}

#[derive(Debug, Default)]
pub(super) struct Flapping {
    rule: FlappingRule,
    /// By trigger; those without a change for long are forgotten.
    changes: Map<u64, Changes>,
    /// When a trigger is looked at next; entries may be stale.
    due: BTreeSet<(i64, u64)>,
}

impl Flapping {
    pub(super) fn new(rule: FlappingRule) -> Self {
        Self { rule, ..Self::default() }
    }

    pub(super) fn rule(&self) -> FlappingRule {
        self.rule
    }

    fn n_changes(&self) -> usize {
        usize::try_from(self.rule.changes).unwrap_or(usize::MAX)
    }

    /// A trigger has a problem from this time on, or none any more.
    pub(super) fn changed(&mut self, trigger: u64, time: Time) {
        let n = self.n_changes();
        if n == 0 {
            return;
        }
        let (now, period_s) = (time.clock(), self.rule.period_s);
        let of = self.changes.entry(trigger).or_default();
        of.times.push_back(now);
        if n < of.times.len() {
            of.times.pop_front();
        }
        let first = of.times.front().copied().unwrap_or(now);
        if of.times.len() == n && now.saturating_sub(first) < period_s {
            of.until = of.until.max(now + period_s);
            of.is_flapping = true;
        }
        self.due.insert((now + period_s, trigger));
    }

    pub(super) fn is_flapping(&self, trigger: u64) -> bool {
        self.changes.get(&trigger).is_some_and(|it| it.is_flapping)
    }

    /// Time passes: gives the triggers that are not flapping any more.
    pub(super) fn pass(&mut self, now: Time) -> Vec<u64> {
        let now = now.clock();
        let mut stable = Vec::new();
        while let Some((due, trigger)) = self.due.first().copied()
            && due <= now
        {
            self.due.pop_first();
            let Some(of) = self.changes.get_mut(&trigger) else { continue };
            if of.is_flapping && of.until <= now {
                of.is_flapping = false;
                stable.push(trigger);
            }
            let last = of.times.back().copied().unwrap_or(now);
            if !of.is_flapping && last + self.rule.period_s <= now {
                self.changes.remove(&trigger);
            } else {
                let next = if of.is_flapping { of.until } else { last + self.rule.period_s };
                self.due.insert((next.max(now + 1), trigger));
            }
        }
        stable
    }
}

#[cfg(test)]
mod tests;
