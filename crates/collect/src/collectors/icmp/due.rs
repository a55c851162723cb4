//! Due times, in order.
//!
//! Almost all series wait for one of a few lengths of time. Series that wait equally long are due
//! in the order in which they began to wait, so each of the commonest lengths has a queue, whose
//! ends cost the same however many wait. Other lengths share a heap.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Lengths of time that have queues: finding the next due series reads the head of each. Other
/// lengths use the heap.
const QUEUES_MAX: usize = 8;

/// The place of a series, with its serial: another series may have the place by now.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Name {
    pub(super) place: u32,
    pub(super) serial: u32,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct DueQueues {
    queues: Vec<DueQueue>,
    others: BinaryHeap<Reverse<(u64, Name)>>,
}

#[derive(Debug)]
struct DueQueue {
    step_ns: u64,
    entries: VecDeque<(u64, Name)>,
}

impl DueQueues {
    /// Makes a series due after a time. `now_ns` never decreases.
    pub(super) fn push(&mut self, (now_ns, step_ns): (u64, u64), name: Name) {
        let entry = (now_ns.saturating_add(step_ns), name);
        if let Some(queue) = self.queue_for(step_ns) {
            queue.entries.push_back(entry);
        } else {
            self.others.push(Reverse(entry));
        }
    }

    fn queue_for(&mut self, step_ns: u64) -> Option<&mut DueQueue> {
        let known = self.queues.iter().position(|it| it.step_ns == step_ns);
        let at = known.or_else(|| self.queues.iter().position(|it| it.entries.is_empty()));
        let at = at.unwrap_or(self.queues.len());
        if at == QUEUES_MAX {
            return None;
        }
        if at == self.queues.len() {
            self.queues.push(DueQueue { step_ns, entries: VecDeque::new() });
        }
        let queue = self.queues.get_mut(at)?;
        queue.step_ns = step_ns;
        Some(queue)
    }

    /// When the next series is due that is still `wanted`; forgets the others before it.
    pub(super) fn next_ns(&mut self, wanted: impl Fn(Name) -> bool) -> Option<u64> {
        for queue in &mut self.queues {
            while queue.entries.pop_front_if(|it| !wanted(it.1)).is_some() {}
        }
        while self.others.peek().is_some_and(|it| !wanted(it.0.1)) {
            self.others.pop();
        }
        let fronts = self.queues.iter().filter_map(|it| it.entries.front());
        fronts.chain(self.others.peek().map(|it| &it.0)).map(|it| it.0).min()
    }

    /// A series that is due by now, the earliest first.
    pub(super) fn pop(&mut self, now_ns: u64) -> Option<Name> {
        let front = |it: &DueQueue| it.entries.front().copied();
        let fronts = self.queues.iter().enumerate().filter_map(|(at, it)| Some((front(it)?, at)));
        let first = fronts.min();
        let other = self.others.peek().map(|it| it.0);
        match (first, other) {
            (Some((entry, at)), other) if other.is_none_or(|it| entry <= it) => {
                if now_ns < entry.0 {
                    return None;
                }
                self.queues.get_mut(at)?.entries.pop_front().map(|it| it.1)
            }
            (_, Some(entry)) if entry.0 <= now_ns => self.others.pop().map(|it| it.0.1),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: u64) -> Name {
        Name { place: u32::try_from(number).expect("small"), serial: 0 }
    }

    /// As a single heap would return them, with few lengths of time and with many.
    #[test]
    fn entries_are_due_in_order_of_time_for_any_lengths() {
        for n_lengths in [1, 3, QUEUES_MAX as u64, 30] {
            let (mut queues, mut heap) = (DueQueues::default(), BinaryHeap::new());
            for now_ns in 0..2_000_u64 {
                let step_ns = now_ns.wrapping_mul(7_919) % n_lengths * 13;
                queues.push((now_ns, step_ns), name(now_ns));
                heap.push(Reverse((now_ns + step_ns, name(now_ns))));
                if now_ns % 3 == 0 {
                    continue;
                }
                while heap.peek().is_some_and(|it| it.0.0 <= now_ns) {
                    assert_eq!(queues.pop(now_ns), heap.pop().map(|it| it.0.1));
                }
                assert_eq!(queues.pop(now_ns), None);
                let next_ns = heap.peek().map(|it| it.0.0);
                assert_eq!(queues.next_ns(|_| true), next_ns);
            }
            assert!(queues.queues.len() <= QUEUES_MAX);
        }
    }

    #[test]
    fn canceled_entry_causes_no_wake_up() {
        let mut queues = DueQueues::default();
        for number in 0..20 {
            queues.push((0, 100 + number), name(number));
        }
        for first in [0, 5, 12, 19] {
            assert_eq!(queues.next_ns(|it| first <= u64::from(it.place)), Some(100 + first));
        }
        assert_eq!(queues.next_ns(|_| false), None);
        assert_eq!(queues.pop(u64::MAX), None);
    }
}
