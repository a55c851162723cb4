//! How long heavy steps take, item by item, so that slow ones don't hold up the others.
//!
//! Who runs the jobs has a line for each [`Pace`]; here each pace has its share of the jobs that may
//! be under way, so that a thousand slow items leave room for the quick ones.

use std::collections::VecDeque;

use model::ItemId;
use model::map::Map;

use crate::heavy::{HeavyTask, Pace};
use crate::pending::Pending;

/// A run that takes longer is slow.
const SLOW_NS: u64 = 1_000_000_000;
/// An item is slow if one of its last runs was; a bit a run.
const LAST_RUNS: u8 = 0b111;
/// Jobs of a shard that are under way, by pace.
const UNDER_WAY_MAX: [usize; Pace::N] = [256, 512, 256];

/// The last runs of items: which of them were slow.
#[derive(Debug, Default)]
pub(super) struct Paces(Map<ItemId, u8>);

impl Paces {
    pub(super) fn of(&self, item: ItemId) -> Pace {
        match self.0.get(&item) {
            None => Pace::New,
            Some(0) => Pace::Quick,
            Some(_) => Pace::Slow,
        }
    }

    pub(super) fn note(&mut self, item: ItemId, spent_ns: u64) {
        let runs = self.0.entry(item).or_default();
        *runs = (*runs << 1 | u8::from(SLOW_NS < spent_ns)) & LAST_RUNS;
    }

    pub(super) fn forget(&mut self, item: ItemId) {
        self.0.remove(&item);
    }
}

/// Slots whose first value needs a job.
#[derive(Debug, Default)]
pub(super) struct Ready {
    /// Not yet sorted.
    came: VecDeque<u32>,
    lines: [VecDeque<u32>; Pace::N],
    n_under_way: [usize; Pace::N],
}

impl Ready {
    pub(super) fn push_back(&mut self, at: u32) {
        self.came.push_back(at);
    }

    /// One that is to be sorted by [`Self::sort`].
    pub(super) fn next_unsorted(&mut self) -> Option<u32> {
        self.came.pop_front()
    }

    pub(super) fn sort(&mut self, at: u32, pace: Pace) {
        self.lines[pace as usize].push_back(at);
    }

    /// One that may have its job now.
    pub(super) fn next(&mut self) -> Option<(u32, Pace)> {
        let mut paces = Pace::ALL.into_iter();
        paces.find_map(|pace| {
            let has_room = self.n_under_way[pace as usize] < UNDER_WAY_MAX[pace as usize];
            if has_room { Some((self.lines[pace as usize].pop_front()?, pace)) } else { None }
        })
    }

    pub(super) fn begin(&mut self, pace: Pace) {
        self.n_under_way[pace as usize] += 1;
    }

    pub(super) fn end(&mut self, pace: Pace) {
        self.n_under_way[pace as usize] -= 1;
    }
}

/// A job that is under way.
#[derive(Debug)]
pub(super) struct UnderWay {
    pub(super) pace: Pace,
    /// Whose time it takes.
    pub(super) item: ItemId,
    /// Who waits for it, in the order of its tasks.
    pub(super) slots: Vec<u32>,
}

/// Whose time a job takes: tasks that share the parsed form of a master's value are one job of it.
pub(super) fn item_of(first: &Pending, task: &HeavyTask) -> ItemId {
    if first.from.is_some() && task.shares_form() { first.from } else { first.item }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_slow_until_three_runs_were_quick() {
        let (mut paces, item) = (Paces::default(), ItemId(1));
        let mut after = |spent_ns| {
            paces.note(item, spent_ns);
            paces.of(item)
        };
        assert_eq!(after(1_000_000), Pace::Quick);
        assert_eq!(after(SLOW_NS + 1), Pace::Slow);
        assert_eq!([after(1), after(1), after(1)], [Pace::Slow, Pace::Slow, Pace::Quick]);
        paces.forget(item);
        assert_eq!(paces.of(item), Pace::New);
    }
}
