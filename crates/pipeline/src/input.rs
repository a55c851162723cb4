//! The input of a shard.

use std::sync::Arc;

use model::batch::Batch;
use model::{EventId, HostId, ItemId, MaintenanceId, Time, TriggerId, UserId, Value};
use window::Samples;

use crate::cross_item::{CrossItemAnswer, FetchFailed};
use crate::heavy::HeavyDone;

/// One input of [`crate::Shard::step`].
#[derive(Debug)]
pub enum Input<'a> {
    /// Raw values of items of this shard.
    Batch(&'a Batch),
    /// Time has passed: due calculated items, time-based triggers, expired fetches.
    /// Give one when [`crate::Shard::next_timer`] is reached.
    Timer,
    /// Answers to [`crate::Fetch`] requests.
    Fetched(&'a [Fetched]),
    /// Values and states of items and triggers that live in other partitions.
    Forwarded(&'a ForwardBatch),
    /// One row of such a batch, by its position: after a panic rows come one by one, and last the
    /// batch without rows.
    ForwardedRow(&'a ForwardBatch, usize),
    /// Answers to [`HeavyJob`](crate::HeavyJob)s.
    HeavyDone(&'a [HeavyDone]),
    /// Answers to cross-item queries.
    CrossItemAnswers(&'a [CrossItemAnswer]),
    /// Items, by slot, whose trends are about to be read: past hours end now, and are in this
    /// step's record. See [`crate::cross_item::CrossItemQuery::is_written`].
    EndHours(&'a [(u32, ItemId)]),
    /// A user closes a problem manually.
    Close(&'a CloseProblem),
    /// All hosts of which no values are taken from now on; of others some are.
    WithoutData(&'a [HostWithoutData]),
}

/// A host in a maintenance without data collection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostWithoutData {
    pub host: HostId,
    pub maintenance: MaintenanceId,
    /// Values of this time or later are not taken.
    pub since: Time,
    /// When it ends, as it is planned now.
    pub until: Time,
}

/// The answer to one [`crate::Fetch`].
#[derive(Clone, Debug)]
pub struct Fetched {
    pub id: u64,
    /// Stored values of the asked range, ascending by time; an error means that the store can't
    /// answer now: the shard asks again later.
    pub samples: Result<Samples, FetchFailed>,
    /// Every value of records before this position of the journal is in `samples`, none of later
    /// records is. `None`: not known; then equal values of equal time count once.
    pub lsn: Option<u64>,
}

/// Values that one partition has processed and another uses, in order, with the mark that makes
/// repeats harmless: a receiver drops batches whose `lsn` it has applied already.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ForwardBatch {
    /// Partition that owns the items.
    pub from: u8,
    /// Partition that uses them.
    pub to: u8,
    /// Position in the journal after the record that the rows were processed in. 0 in the effects
    /// of a step; [`crate::Shard::committed`] sets it.
    pub lsn: u64,
    pub rows: Vec<ForwardedValue>,
}

impl ForwardBatch {
    /// Rows of documents in it. Only they are counted one by one: they alone become values of their
    /// own. Of the rest a state taken twice changes nothing, and a value is judged twice, which
    /// shows where each one makes an event.
    #[must_use]
    pub fn n_rows(&self) -> u64 {
        self.rows.iter().filter(|it| it.is_row()).count() as u64
    }
}

/// One forwarded value or state.
#[derive(Clone, PartialEq, Debug)]
pub struct ForwardedValue {
    pub time: Time,
    pub what: Forwarded,
}

impl ForwardedValue {
    /// Whether it is a row of a document.
    #[must_use]
    pub fn is_row(&self) -> bool {
        matches!(self.what, Forwarded::Row(..))
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum Forwarded {
    /// A processed value.
    Value(ItemId, Value),
    /// A value from before: taken only if it is newer than what is known.
    Known(ItemId, Value),
    /// The item became unsupported, or (None) supported without a value.
    State(ItemId, Option<Arc<str>>),
    /// A row of a document, as a raw value of the item of this host.
    Row(HostId, ItemId, Box<str>),
    /// A trigger that others depend on is in PROBLEM (true) or not.
    Trigger(TriggerId, bool),
}

/// A user closes an open problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CloseProblem {
    pub trigger: TriggerId,
    pub event: EventId,
    pub user: UserId,
    pub time: Time,
}
