//! How long heavy steps take, item by item, so that slow ones don't hold up the others.
//!
//! The workers have a queue for each [`JobClass`]; here each class has its share of the jobs that
//! may be under way, so that a thousand slow items leave room for the quick ones.

use std::collections::VecDeque;

use model::ItemId;
use model::map::Map;

use crate::heavy::{HeavyTask, JobClass};
use crate::pending::Pending;

/// A run that takes longer is slow.
const SLOW_NS: u64 = 1_000_000_000;
/// An item is slow if one of its last runs was; a bit a run.
const LAST_RUNS: u8 = 0b111;
/// The most pending jobs of a shard, by class.
const UNDER_WAY_MAX: [usize; JobClass::N] = [256, 512, 256];

/// The last runs of items: which of them were slow.
#[derive(Debug, Default)]
pub(super) struct JobClasses(Map<ItemId, u8>);

impl JobClasses {
    pub(super) fn of(&self, item: ItemId) -> JobClass {
        match self.0.get(&item) {
            None => JobClass::New,
            Some(0) => JobClass::Quick,
            Some(_) => JobClass::Slow,
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
pub(super) struct JobQueues {
    /// Not yet sorted.
    unsorted: VecDeque<u32>,
    queues: [VecDeque<u32>; JobClass::N],
    n_under_way: [usize; JobClass::N],
}

impl JobQueues {
    pub(super) fn push_back(&mut self, at: u32) {
        self.unsorted.push_back(at);
    }

    /// One that is to be sorted by [`Self::sort`].
    pub(super) fn next_unsorted(&mut self) -> Option<u32> {
        self.unsorted.pop_front()
    }

    pub(super) fn sort(&mut self, at: u32, class: JobClass) {
        self.queues[class as usize].push_back(at);
    }

    /// One that may have its job now.
    pub(super) fn next(&mut self) -> Option<(u32, JobClass)> {
        let mut classes = JobClass::ALL.into_iter();
        classes.find_map(|class| {
            let has_room = self.n_under_way[class as usize] < UNDER_WAY_MAX[class as usize];
            if has_room { Some((self.queues[class as usize].pop_front()?, class)) } else { None }
        })
    }

    pub(super) fn begin(&mut self, class: JobClass) {
        self.n_under_way[class as usize] += 1;
    }

    pub(super) fn end(&mut self, class: JobClass) {
        self.n_under_way[class as usize] -= 1;
    }
}

/// A job that is under way.
#[derive(Debug)]
pub(super) struct RunningJob {
    pub(super) class: JobClass,
    /// Whose time it takes.
    pub(super) item: ItemId,
    /// The slots that wait for it, in the order of its tasks.
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
        let (mut classes, item) = (JobClasses::default(), ItemId(1));
        let mut after = |spent_ns| {
            classes.note(item, spent_ns);
            classes.of(item)
        };
        assert_eq!(after(1_000_000), JobClass::Quick);
        assert_eq!(after(SLOW_NS + 1), JobClass::Slow);
        assert_eq!(
            [after(1), after(1), after(1)],
            [JobClass::Slow, JobClass::Slow, JobClass::Quick]
        );
        classes.forget(item);
        assert_eq!(classes.of(item), JobClass::New);
    }
}
