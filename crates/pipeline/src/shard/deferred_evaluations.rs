//! Deferred evaluations: times at which triggers are still to be judged.
//!
//! A trigger whose expressions read a window or a trend that is not in memory can't be judged at once:
//! the evaluation waits until history has answered, later ones of the trigger wait after it, and then
//! they are judged in order of time. Waiting evaluations are journaled and in checkpoints, so that
//! they wait on after a crash; their end is in the record of their effects: each evaluation is made
//! once.
//!
//! A problem may be closed by hand while evaluations wait that come before it. For these the
//! problem was open: the trigger is not taken to fire again there, unless it has been OK in between.

use std::collections::{BTreeMap, VecDeque};

use model::record::{DeferredEvaluationRow, RecordBuilder};
use model::{Time, TriggerId};

use super::state::Says;
use crate::effects::{Change, Effects};

/// The most deferred evaluations of one trigger: a few batches of late values, which may all be of
/// one item. Beyond it the oldest is dropped.
const OF_TRIGGER_MAX: usize = 4_096;
/// The most deferred evaluations of a shard: bounds its memory. When it is reached, further ones
/// are dropped.
const ALL_MAX: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DeferredEvaluation {
    pub(super) time: Time,
    /// The problem that was open then has been closed by hand since.
    pub(super) is_closed: bool,
}

impl DeferredEvaluation {
    pub(super) fn of(time: Time) -> Self {
        Self { time, is_closed: false }
    }
}

/// The result of an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judged {
    Done,
    /// Something has to come from history first.
    Waits,
    /// As [`Self::Done`]; the problem that was closed by hand later would have ended here.
    Ended,
}

/// By host and position, in order of time, of one time in order of arrival; never empty.
#[derive(Debug, Default)]
pub(super) struct DeferredEvaluations {
    waiting: BTreeMap<(u32, u32), VecDeque<DeferredEvaluation>>,
    len: usize,
    /// For triggers with earlier evaluations already made: the trigger's result before these; none
    /// if it is not known any more.
    before: BTreeMap<(u32, u32), Option<Says>>,
    /// After a start or a new configuration: the next timer looks whether some can be judged. The
    /// start itself does not, so that a bug in judging is met by a step, which the shard's owner knows
    /// how to go on after.
    is_due: bool,
}

impl DeferredEvaluations {
    #[inline]
    pub(super) fn has(&self, host: u32, position: u32) -> bool {
        !self.waiting.is_empty() && self.waiting.contains_key(&(host, position))
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether the timer has to look at them.
    pub(super) fn is_due(&self) -> bool {
        self.is_due
    }

    /// The process has started, or goes on with another configuration.
    pub(super) fn begin(&mut self) {
        self.is_due = self.len != 0;
        self.before = self.waiting.keys().map(|it| (*it, None)).collect();
    }

    /// Evaluations of a trigger wait while others have been made, before which it said this.
    pub(super) fn set_before(&mut self, host: u32, position: u32, before: Option<Says>) {
        self.before.entry((host, position)).or_insert(before);
    }

    pub(super) fn n_triggers(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn of(
        &self,
        host: u32,
        position: u32,
    ) -> impl Iterator<Item = DeferredEvaluation> + '_ {
        self.waiting.get(&(host, position)).into_iter().flatten().copied()
    }

    pub(super) fn take(&mut self, host: u32, position: u32) -> VecDeque<DeferredEvaluation> {
        let deferred_evaluations = self.waiting.remove(&(host, position)).unwrap_or_default();
        self.len -= deferred_evaluations.len();
        deferred_evaluations
    }

    /// Puts back evaluations that were taken out.
    pub(super) fn put(
        &mut self,
        host: u32,
        position: u32,
        deferred_evaluations: VecDeque<DeferredEvaluation>,
    ) {
        if !deferred_evaluations.is_empty() {
            self.len += deferred_evaluations.len();
            self.waiting.insert((host, position), deferred_evaluations);
        }
    }

    pub(super) fn insert(&mut self, host: u32, position: u32, evaluation: DeferredEvaluation) {
        let deferred_evaluations = self.waiting.entry((host, position)).or_default();
        let at = deferred_evaluations.partition_point(|it| it.time <= evaluation.time);
        deferred_evaluations.insert(at, evaluation);
        self.len += 1;
    }

    /// A trigger is to be judged at a point in time once history has answered; gives how many evaluations
    /// are dropped for that.
    #[cold]
    pub(super) fn defer(
        &mut self,
        (host, position): (u32, u32),
        trigger: TriggerId,
        time: Time,
        effects: &mut Effects,
    ) -> u64 {
        let evaluation = DeferredEvaluation::of(time);
        if self.is_known(host, position, evaluation) {
            return 0;
        }
        if ALL_MAX <= self.len {
            return 1;
        }
        self.insert(host, position, evaluation);
        effects
            .changes
            .push(Change::DeferredEvaluation(DeferredEvaluationRow::Waits { trigger, time }));
        if self.n_of(host, position) <= OF_TRIGGER_MAX {
            return 0;
        }
        self.leave(host, position, 1);
        effects
            .changes
            .push(Change::DeferredEvaluation(DeferredEvaluationRow::Left { trigger, n: 1 }));
        1
    }

    /// A trigger's problem is closed by hand while evaluations wait.
    pub(super) fn close(
        &mut self,
        (host, position): (u32, u32),
        trigger: TriggerId,
        effects: &mut Effects,
    ) {
        if self.has(host, position) {
            self.set_closed(host, position, true);
            effects.changes.push(Change::DeferredEvaluation(DeferredEvaluationRow::Closed {
                trigger,
                is_closed: true,
            }));
        }
    }

    /// The timer looks at what waits: its triggers.
    pub(super) fn begin_run(&mut self) -> Vec<(u32, u32)> {
        self.is_due = false;
        self.waiting.keys().copied().collect()
    }

    /// The result of a trigger before its evaluations were made, if some were while others wait;
    /// none if it is not known any more.
    pub(super) fn take_before(&mut self, host: u32, position: u32) -> Option<Option<Says>> {
        self.before.remove(&(host, position))
    }

    /// Drops the evaluations of a trigger before this one: how many, and the last of them.
    pub(super) fn drop_before(
        &mut self,
        host: u32,
        position: u32,
        newest: Time,
    ) -> Option<(u32, Time)> {
        let late = self.of(host, position).take_while(|it| it.time < newest);
        let (n, last) = late.fold((0_u32, None), |(n, _), it| (n + 1, Some(it.time)));
        let last = last?;
        self.leave(host, position, n as usize);
        self.before.remove(&(host, position));
        Some((n, last))
    }

    /// Whether the evaluation waits already, with nothing between.
    fn is_known(&self, host: u32, position: u32, evaluation: DeferredEvaluation) -> bool {
        let deferred_evaluations = self.waiting.get(&(host, position));
        deferred_evaluations.is_some_and(|deferred_evaluations| {
            let at = deferred_evaluations.partition_point(|it| it.time <= evaluation.time);
            at.checked_sub(1).and_then(|it| deferred_evaluations.get(it)) == Some(&evaluation)
        })
    }

    fn n_of(&self, host: u32, position: u32) -> usize {
        self.waiting.get(&(host, position)).map_or(0, VecDeque::len)
    }

    /// The oldest of a trigger don't wait any more.
    fn leave(&mut self, host: u32, position: u32, n: usize) {
        let mut deferred_evaluations = self.take(host, position);
        deferred_evaluations.drain(..n.min(deferred_evaluations.len()));
        self.put(host, position, deferred_evaluations);
    }

    /// Says of all evaluations of a trigger whether the problem that was open then has been closed by hand.
    fn set_closed(&mut self, host: u32, position: u32, is_closed: bool) {
        let deferred_evaluations = self.waiting.get_mut(&(host, position)).into_iter().flatten();
        deferred_evaluations.for_each(|it| it.is_closed = is_closed);
    }

    /// Triggers of a host that wait.
    pub(super) fn positions_of(&self, host: u32) -> Vec<u32> {
        self.waiting.range((host, 0)..=(host, u32::MAX)).map(|it| it.0.1).collect()
    }

    /// The time of the oldest evaluation of a host, as it will be judged: not after the `latest` of the
    /// trigger at a position.
    pub(super) fn oldest_of(
        &self,
        host: u32,
        latest: impl Fn(u32) -> Option<Time>,
    ) -> Option<Time> {
        let of_host = self.waiting.range((host, 0)..=(host, u32::MAX));
        let oldest = of_host.filter_map(|((_, position), deferred_evaluations)| {
            let latest = latest(*position).unwrap_or(Time::MAX);
            deferred_evaluations.front().map(|it| it.time.min(latest))
        });
        oldest.min()
    }

    /// The evaluations of a trigger as rows.
    pub(super) fn save(
        &self,
        (host, position): (u32, u32),
        trigger: TriggerId,
        record: &mut RecordBuilder,
    ) {
        let wait = |record: &mut RecordBuilder, is_closed: bool| {
            let deferred_evaluations =
                self.of(host, position).filter(|it| it.is_closed == is_closed);
            let times = deferred_evaluations.map(|it| it.time);
            times.for_each(|time| {
                record.deferred_evaluation(&DeferredEvaluationRow::Waits { trigger, time });
            });
        };
        if self.of(host, position).any(|it| it.is_closed) {
            wait(record, true);
            record.deferred_evaluation(&DeferredEvaluationRow::Closed { trigger, is_closed: true });
        }
        wait(record, false);
    }

    /// Applies a row of a record or a checkpoint about a trigger's evaluations.
    pub(super) fn apply(&mut self, host: u32, position: u32, row: DeferredEvaluationRow) {
        match row {
            DeferredEvaluationRow::Waits { time, .. } => {
                self.insert(host, position, DeferredEvaluation::of(time));
            }
            DeferredEvaluationRow::Left { n, .. } => {
                self.leave(host, position, usize::try_from(n).unwrap_or(usize::MAX));
            }
            DeferredEvaluationRow::Closed { is_closed, .. } => {
                self.set_closed(host, position, is_closed);
            }
        }
    }
}

/// The trigger that a row is about.
pub(super) fn trigger_of(row: &DeferredEvaluationRow) -> TriggerId {
    match row {
        DeferredEvaluationRow::Waits { trigger, .. }
        | DeferredEvaluationRow::Left { trigger, .. }
        | DeferredEvaluationRow::Closed { trigger, .. } => *trigger,
    }
}

/// The journaled row for evaluations that do not wait any more.
pub(super) fn left(trigger: TriggerId, (n, has_ended): (u32, bool), effects: &mut Effects) {
    if n != 0 {
        effects
            .changes
            .push(Change::DeferredEvaluation(DeferredEvaluationRow::Left { trigger, n }));
    }
    if has_ended {
        effects.changes.push(Change::DeferredEvaluation(DeferredEvaluationRow::Closed {
            trigger,
            is_closed: false,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: (u32, u32) = (1, 2);

    fn times(deferred_evaluations: &DeferredEvaluations) -> Vec<i64> {
        deferred_evaluations.of(PLACE.0, PLACE.1).map(|it| it.time.0).collect()
    }

    #[test]
    fn deferred_evaluations_wait_in_order_of_time_each_once() {
        let (mut deferred_evaluations, mut effects) =
            (DeferredEvaluations::default(), Effects::default());
        for time in [30, 10, 30, 20] {
            assert_eq!(
                deferred_evaluations.defer(PLACE, TriggerId(5), Time(time), &mut effects),
                0
            );
        }
        assert_eq!(times(&deferred_evaluations), [10, 20, 30]);
        assert_eq!((deferred_evaluations.len(), effects.changes.len()), (3, 3));
        assert_eq!(
            deferred_evaluations.drop_before(PLACE.0, PLACE.1, Time(25)),
            Some((2, Time(20)))
        );
        assert_eq!((times(&deferred_evaluations), deferred_evaluations.len()), (vec![30], 1));
    }

    #[test]
    fn of_too_many_deferred_evaluations_of_a_trigger_the_oldest_is_dropped() {
        let (mut deferred_evaluations, mut effects) =
            (DeferredEvaluations::default(), Effects::default());
        let max = i64::try_from(OF_TRIGGER_MAX).expect("small");
        let mut n_dropped = 0;
        for time in 0..=max {
            n_dropped += deferred_evaluations.defer(PLACE, TriggerId(5), Time(time), &mut effects);
        }
        assert_eq!((n_dropped, deferred_evaluations.len()), (1, OF_TRIGGER_MAX));
        assert_eq!(times(&deferred_evaluations).first(), Some(&1));
    }

    #[test]
    fn a_deferred_evaluation_after_the_closing_is_not_closed() {
        let (mut deferred_evaluations, mut effects) =
            (DeferredEvaluations::default(), Effects::default());
        deferred_evaluations.defer(PLACE, TriggerId(5), Time(1), &mut effects);
        deferred_evaluations.close(PLACE, TriggerId(5), &mut effects);
        deferred_evaluations.defer(PLACE, TriggerId(5), Time(2), &mut effects);
        let closed: Vec<bool> =
            deferred_evaluations.of(PLACE.0, PLACE.1).map(|it| it.is_closed).collect();
        assert_eq!(closed, [true, false]);
    }
}
