//! Moments at which triggers are still to be judged.
//!
//! A trigger whose expressions read a window or a trend that is not in memory can't be judged at once:
//! the moment waits until history has answered, later moments of the trigger wait behind it, and then
//! they are judged in order of time. What waits is journaled and is in checkpoints, so that it waits on
//! after a crash; that it waits no longer is in the record of what followed from it: each moment is
//! judged once.
//!
//! A problem may be closed by hand while moments wait that came before. At these the problem was open:
//! the trigger is not taken to fire anew there, unless it has been OK in between.

use std::collections::{BTreeMap, VecDeque};

use directory::{Bound, HostPlan, Way};
use model::record::{MomentRow, RecordBuilder};
use model::{Time, TriggerId};

use super::Shard;
use super::state::ENABLED;
use super::triggers::Says;
use crate::effects::{Change, Effects};

/// Moments of one trigger that wait: a few batches of late values, which may all be of one item.
const OF_TRIGGER_MAX: usize = 4_096;
/// Moments of a shard that wait.
const ALL_MAX: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    pub(super) time: Time,
    /// The problem that was open then has been closed by hand since.
    pub(super) is_closed: bool,
}

impl Moment {
    pub(super) fn of(time: Time) -> Self {
        Self { time, is_closed: false }
    }
}

/// What came of a moment.
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
pub(super) struct Moments {
    waiting: BTreeMap<(u32, u32), VecDeque<Moment>>,
    len: usize,
    /// Of those of which earlier moments have been judged: what the trigger said before that; none if
    /// it is not known any more.
    before: BTreeMap<(u32, u32), Option<Says>>,
    /// After a start or a new configuration: the next timer looks whether some can be judged. The
    /// start itself does not, so that a bug in judging is met by a step, which the shard's owner knows
    /// how to go on after.
    is_due: bool,
}

impl Moments {
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

    /// Moments of a trigger wait while others have been judged, before which it said this.
    pub(super) fn set_before(&mut self, host: u32, position: u32, before: Option<Says>) {
        self.before.entry((host, position)).or_insert(before);
    }

    pub(super) fn n_triggers(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn of(&self, host: u32, position: u32) -> impl Iterator<Item = Moment> + '_ {
        self.waiting.get(&(host, position)).into_iter().flatten().copied()
    }

    pub(super) fn take(&mut self, host: u32, position: u32) -> VecDeque<Moment> {
        let moments = self.waiting.remove(&(host, position)).unwrap_or_default();
        self.len -= moments.len();
        moments
    }

    /// What was taken out comes back.
    pub(super) fn put(&mut self, host: u32, position: u32, moments: VecDeque<Moment>) {
        if !moments.is_empty() {
            self.len += moments.len();
            self.waiting.insert((host, position), moments);
        }
    }

    pub(super) fn insert(&mut self, host: u32, position: u32, moment: Moment) {
        let moments = self.waiting.entry((host, position)).or_default();
        let at = moments.partition_point(|it| it.time <= moment.time);
        moments.insert(at, moment);
        self.len += 1;
    }

    /// Whether the moment waits already, with nothing between.
    fn is_known(&self, host: u32, position: u32, moment: Moment) -> bool {
        let moments = self.waiting.get(&(host, position));
        moments.is_some_and(|moments| {
            let at = moments.partition_point(|it| it.time <= moment.time);
            at.checked_sub(1).and_then(|it| moments.get(it)) == Some(&moment)
        })
    }

    fn n_of(&self, host: u32, position: u32) -> usize {
        self.waiting.get(&(host, position)).map_or(0, VecDeque::len)
    }

    /// The oldest of a trigger don't wait any more.
    fn leave(&mut self, host: u32, position: u32, n: usize) {
        let mut moments = self.take(host, position);
        moments.drain(..n.min(moments.len()));
        self.put(host, position, moments);
    }

    /// Says of all moments of a trigger whether the problem that was open then has been closed by hand.
    fn set_closed(&mut self, host: u32, position: u32, is_closed: bool) {
        let moments = self.waiting.get_mut(&(host, position)).into_iter().flatten();
        moments.for_each(|it| it.is_closed = is_closed);
    }

    fn triggers(&self) -> Vec<(u32, u32)> {
        self.waiting.keys().copied().collect()
    }

    /// Triggers of a host that wait.
    pub(super) fn positions_of(&self, host: u32) -> Vec<u32> {
        self.waiting.range((host, 0)..=(host, u32::MAX)).map(|it| it.0.1).collect()
    }

    /// The oldest moment that waits of a host, as it will be judged: not behind the `latest` of the
    /// trigger at a position.
    pub(super) fn oldest_of(
        &self,
        host: u32,
        latest: impl Fn(u32) -> Option<Time>,
    ) -> Option<Time> {
        let of_host = self.waiting.range((host, 0)..=(host, u32::MAX));
        let oldest = of_host.filter_map(|((_, position), moments)| {
            let latest = latest(*position).unwrap_or(Time::MAX);
            moments.front().map(|it| it.time.min(latest))
        });
        oldest.min()
    }

    /// The moments of a trigger as rows.
    pub(super) fn save(
        &self,
        (host, position): (u32, u32),
        trigger: TriggerId,
        record: &mut RecordBuilder,
    ) {
        let wait = |record: &mut RecordBuilder, is_closed: bool| {
            let moments = self.of(host, position).filter(|it| it.is_closed == is_closed);
            let times = moments.map(|it| it.time);
            times.for_each(|time| record.moment(&MomentRow::Waits { trigger, time }));
        };
        if self.of(host, position).any(|it| it.is_closed) {
            wait(record, true);
            record.moment(&MomentRow::Closed { trigger, is_closed: true });
        }
        wait(record, false);
    }

    /// What a record or a checkpoint says of a trigger's moments.
    pub(super) fn apply(&mut self, host: u32, position: u32, row: MomentRow) {
        match row {
            MomentRow::Waits { time, .. } => self.insert(host, position, Moment::of(time)),
            MomentRow::Left { n, .. } => {
                self.leave(host, position, usize::try_from(n).unwrap_or(usize::MAX));
            }
            MomentRow::Closed { is_closed, .. } => self.set_closed(host, position, is_closed),
        }
    }
}

/// The trigger that a row is about.
pub(super) fn trigger_of(row: &MomentRow) -> TriggerId {
    match row {
        MomentRow::Waits { trigger, .. }
        | MomentRow::Left { trigger, .. }
        | MomentRow::Closed { trigger, .. } => *trigger,
    }
}

impl Shard {
    /// A trigger is to be judged at a moment once history has answered.
    #[cold]
    pub(super) fn defer(&mut self, host: u32, position: u32, time: Time, effects: &mut Effects) {
        let Some(trigger) = self.hosts.trigger_id(host, position) else { return };
        let moment = Moment::of(time);
        if self.moments.is_known(host, position, moment) {
            return;
        }
        if ALL_MAX <= self.moments.len() {
            self.counters.deferred_dropped += 1;
            return;
        }
        self.moments.insert(host, position, moment);
        effects.changes.push(Change::Moment(MomentRow::Waits { trigger, time }));
        if OF_TRIGGER_MAX < self.moments.n_of(host, position) {
            self.counters.deferred_dropped += 1;
            self.moments.leave(host, position, 1);
            effects.changes.push(Change::Moment(MomentRow::Left { trigger, n: 1 }));
        }
    }

    /// Judges what waits, in order of time, until something is cold again.
    pub(super) fn run_deferred(&mut self, effects: &mut Effects) {
        self.moments.is_due = false;
        for (host, position) in self.moments.triggers() {
            self.run_deferred_of(host, position, effects);
        }
    }

    fn run_deferred_of(&mut self, host: u32, position: u32, effects: &mut Effects) {
        self.works_on(host, position);
        let known = self.moments.before.remove(&(host, position));
        let before = known.unwrap_or_else(|| Some(self.says(host, position)));
        let mut moments = self.moments.take(host, position);
        let n_before = moments.len();
        let latest = self.hosts.latest(&self.items, host, position).unwrap_or(Time::MAX);
        let multiple = self.hosts.trigger_plan(host, position).is_some_and(|it| it.multiple);
        let (mut last, mut has_ended) = (None, false);
        while let Some(moment) = moments.front().copied() {
            // Not one of a value, so that none is due for it.
            let is_passed_over = multiple && latest < moment.time;
            let judged = if is_passed_over {
                Judged::Done
            } else {
                let time = moment.time.min(latest);
                self.judge(host, position, Moment { time, ..moment }, effects)
            };
            match judged {
                Judged::Waits => break,
                Judged::Done => {}
                Judged::Ended => {
                    has_ended = true;
                    moments.iter_mut().for_each(|it| it.is_closed = false);
                }
            }
            moments.pop_front();
            last = Some(moment);
        }
        let n = u32::try_from(n_before - moments.len()).unwrap_or(u32::MAX);
        let is_over = moments.is_empty();
        self.moments.put(host, position, moments);
        if !is_over {
            self.moments.set_before(host, position, before);
        }
        self.note_left(host, position, (n, has_ended && !is_over), effects);
        // While the closed problem was open, the newest moment had its say.
        let last = last.filter(|it| is_over && (has_ended || !it.is_closed));
        if let Some(last) = last {
            self.note_behind((host, position), last.time, before);
        }
    }

    /// History would have to read too much for moments that lie behind the newest value of triggers
    /// over an item: they are dropped, so that the present does not wait for them for ever. False if
    /// there are none: then the present itself asks for too much.
    #[cold]
    pub(super) fn drop_late_moments(
        &mut self,
        host: u32,
        item: u32,
        effects: &mut Effects,
    ) -> bool {
        let mut has_dropped = false;
        for position in self.moments.positions_of(host) {
            let Some(trigger) = self.hosts.trigger_plan(host, position) else { continue };
            if !trigger.items.contains(&item) {
                continue;
            }
            let newest = self.hosts.newest(&self.items, host, position).unwrap_or(Time::MAX);
            let late = self.moments.of(host, position).take_while(|it| it.time < newest);
            let (n, last) = late.fold((0, None), |(n, _), it| (n + 1, Some(it.time)));
            let Some(last) = last else { continue };
            self.counters.deferred_dropped += u64::from(n);
            self.moments.leave(host, position, n as usize);
            self.moments.before.remove(&(host, position));
            self.note_left(host, position, (n, false), effects);
            self.note_behind((host, position), last, None);
            has_dropped = true;
        }
        has_dropped
    }

    fn note_left(
        &self,
        host: u32,
        position: u32,
        (n, has_ended): (u32, bool),
        effects: &mut Effects,
    ) {
        let Some(trigger) = self.hosts.trigger_id(host, position) else { return };
        if n != 0 {
            effects.changes.push(Change::Moment(MomentRow::Left { trigger, n }));
        }
        if has_ended {
            let is_closed = false;
            effects.changes.push(Change::Moment(MomentRow::Closed { trigger, is_closed }));
        }
    }

    /// A trigger's problem is closed by hand while moments wait.
    pub(super) fn close_moments(&mut self, host: u32, position: u32, effects: &mut Effects) {
        // Each moment of multiple generation makes its own event, whatever is open.
        let is_single = self.hosts.trigger_plan(host, position).is_some_and(|it| !it.multiple);
        let trigger = self.hosts.trigger_id(host, position);
        if let Some(trigger) = trigger.filter(|_| is_single && self.moments.has(host, position)) {
            self.moments.set_closed(host, position, true);
            effects.changes.push(Change::Moment(MomentRow::Closed { trigger, is_closed: true }));
        }
    }

    /// Notes the first item of a trigger as the one that is at work.
    pub(super) fn works_on(&mut self, host: u32, position: u32) {
        let item = self.hosts.get(host).and_then(|host| {
            let trigger = host.plan.layout.triggers.get(position as usize)?;
            let slot = host.plan.slots.get(*trigger.items.first()?)?;
            self.items.get(slot).map(|it| it.item)
        });
        self.work_on(item.unwrap_or_default());
    }

    /// After a start: has the windows loaded that triggers read, so that few moments have to wait.
    pub(super) fn load_windows(&mut self) {
        let hosts = self.hosts.all().map(|it| &it.1.plan).filter(|it| it.is_enabled());
        let slots: Vec<u32> = hosts.flat_map(|it| windows_of(it)).collect();
        for at in slots.into_iter().filter(|it| self.is_cold(*it)).collect::<Vec<_>>() {
            self.fetches.load(&mut self.items, at);
        }
    }

    /// Whether nothing is known of the past of an item that has values.
    fn is_cold(&self, at: u32) -> bool {
        let slot = self.items.get(at).filter(|it| it.has(ENABLED));
        let ring = slot.and_then(|it| self.items.ring(it));
        let is_unknown = ring.is_some_and(|it| it.is_unknown());
        is_unknown && self.items.cell(at).n_values != 0
    }
}

/// Slots of items whose windows the triggers of a host read.
fn windows_of(plan: &HostPlan) -> impl Iterator<Item = u32> + '_ {
    let triggers = plan.layout.triggers.iter().filter(|it| it.is_enabled);
    let formulas = triggers.flat_map(|it| {
        let recovery = it.recovery.as_ref().and_then(|it| it.as_ref().ok());
        it.problem.as_ref().ok().into_iter().chain(recovery)
    });
    formulas.flat_map(|it| &it.operands).filter_map(|it| {
        let Bound::Function(at) = it else { return None };
        let function = plan.layout.functions.get(*at as usize)?;
        let reads_window = matches!(function.way, Way::Fold(_) | Way::Scan);
        plan.slots.get(function.position).filter(|_| reads_window)
    })
}
