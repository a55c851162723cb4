//! The journal record of one shard step: what happened, for ever, in columns.
//!
//! A record holds results, not questions: processed values, the preprocessing state that can't be
//! derived from them, trigger transitions with their events, watermarks of inputs. A reader
//! applies it and never evaluates anything again. Only durable ids appear, no slots.
//!
//! [`RecordBuilder`] is reused for step after step and allocates nothing once warm;
//! [`RecordView`] reads any bytes without panicking. Bytes: `docs/format/record.md`; what a record
//! holds and when it is written: `docs/decisions/0001-journal-records.md`.
//!
//! Event ids do not exist yet when a record is built: events are numbered from 0 within it, and
//! the event's id is the record's `first_id` (which the journal gives) plus that number.

mod builder;
mod delta;
mod event_awaiting_name;
mod number;
mod subject;
mod trend;
mod view;

use crate::batch::RawRef;
use crate::content::Severity;
use crate::value::ValueType;
use crate::{
    Classes, EventId, HostId, ItemId, MaintenanceId, ProxyId, Retention, Time, TriggerId, UserId,
};

pub use builder::RecordBuilder;
pub use subject::Subject;
pub use trend::{Hour, Sum, TrendRow};
pub use view::{Pairs, RecordView, Refs, Rows};

/// The record's format version.
///
/// Version 1, which is read, had no classes, no trends, no subjects but triggers, no maintenance and no
/// sessions of proxies; items without history had a section of their own.
pub const VERSION: u8 = 2;
pub(crate) const VERSION_1: u8 = 1;

/// Sections from this code on may be skipped by programs that do not know them: no state depends
/// on them, and no effect would be missed. Any other unknown section is an error.
pub const PASSABLE: u8 = 128;

/// Where and when a step ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RecordHead {
    /// The shard thread, and the number of shards; 0 for records of other threads. Replay goes by the
    /// partition of each item's host, because the number of threads can change; while it has not, a shard
    /// skips records of others.
    pub shard: u16,
    pub n_shards: u16,
    /// The epoch of the configuration that the step ran under.
    pub epoch: u64,
    /// The step's `now`; kept in milliseconds.
    pub now: Time,
}

/// A number as history keeps it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Num {
    Float(f64),
    Unsigned(u64),
}

/// A numeric value of an item.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NumberRow {
    pub item: ItemId,
    pub ms: i64,
    pub value: Num,
    /// The retention of it and its trends. In version 1 the default.
    pub classes: Classes,
}

/// A character, text, binary or log value of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextRow<'a> {
    pub item: ItemId,
    pub time: Time,
    /// Anything but a number.
    pub value_type: ValueType,
    pub text: &'a str,
    /// Its retention.
    pub retention: Retention,
    /// For log values.
    pub log: LogRef<'a>,
}

/// The fields of a log entry in addition to its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LogRef<'a> {
    pub source: &'a str,
    pub timestamp: i64,
    pub severity: i32,
    pub logeventid: i64,
}

/// An item became unsupported, changed its reason, or is back to normal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItemStateRow<'a> {
    pub item: ItemId,
    pub time: Time,
    /// `None`: back to normal.
    pub error: Option<&'a str>,
}

/// The state that a preprocessing step keeps of an item.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepStateRow<'a> {
    pub item: ItemId,
    /// The step's position in the item, from 0.
    pub step: u16,
    pub time: Time,
    /// [`RawRef::Nothing`]: the step has forgotten.
    pub value: RawRef<'a>,
}

/// An event that is part of the record or an older one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EventRef {
    Id(EventId),
    /// The event with this number in the same record.
    Here(u32),
}

impl EventRef {
    /// The event's id, given the record's first id.
    #[must_use]
    pub fn id(self, first_id: u64) -> EventId {
        match self {
            Self::Id(id) => id,
            Self::Here(number) => EventId(first_id.saturating_add(number.into())),
        }
    }
}

/// The kind of event. The numbers are part of the format, and Zabbix's for an event's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum EventKind {
    /// A recovery; also one made by closing a problem by hand. Of discovery: up. Of internal events:
    /// back to normal.
    Ok = 0,
    /// Of discovery: down. Of internal events: unsupported, unknown, failing.
    Problem = 1,
    Discovered = 2,
    Lost = 3,
}

impl EventKind {
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        [Self::Ok, Self::Problem, Self::Discovered, Self::Lost].get(usize::from(code)).copied()
    }
}

/// A new event, as [`RecordBuilder::transition`] takes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewEvent<'a> {
    pub kind: EventKind,
    pub severity: Severity,
    pub name: &'a str,
    /// Values of items that operational data needs from the event's time, as JSON.
    pub opdata: &'a str,
    pub tags: &'a [(&'a str, &'a str)],
    /// The problems that it resolves.
    pub recovered: &'a [EventRef],
    /// The user who closed the problem by hand; none otherwise.
    pub closed_by: UserId,
    /// The subject's name where its id does not suffice: address, service, host metadata. Names of the pairs
    /// are those of the columns in Zabbix.
    pub details: &'a [(&'a str, &'a str)],
}

/// A subject's change, as [`RecordBuilder::transition`] takes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewTransition<'a> {
    pub subject: Subject,
    pub time: Time,
    /// The value from now on: true is problem.
    pub problem: bool,
    /// Why the value is unknown from now on; `None`: the state is normal.
    pub error: Option<&'a str>,
    pub event: Option<NewEvent<'a>>,
}

/// A subject's change, read back.
#[derive(Clone, Copy, Debug)]
pub struct TransitionRow<'a> {
    pub subject: Subject,
    pub time: Time,
    pub problem: bool,
    pub error: Option<&'a str>,
    pub event: Option<RecordEvent<'a>>,
}

/// An event, read back.
#[derive(Clone, Copy, Debug)]
pub struct RecordEvent<'a> {
    /// Its id is the record's first id plus this.
    pub number: u32,
    pub kind: EventKind,
    pub severity: Severity,
    pub name: &'a str,
    pub opdata: &'a str,
    /// Tag and value.
    pub tags: Pairs<'a>,
    pub recovered: Refs<'a>,
    pub closed_by: UserId,
    /// The subject's name.
    pub details: Pairs<'a>,
}

/// The position up to which an input has been taken over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watermark<'a> {
    /// The last value id of a session of an active agent or sender.
    Session { host: HostId, session: &'a str, last_id: u64 },
    /// The last id of one kind of data in a session of a proxy.
    ProxySession { proxy: ProxyId, data: ProxyData, session: &'a str, last_id: u64 },
    /// How far a log item has been read.
    Log { item: ItemId, lastlogsize: u64, mtime: i64 },
}

/// The inputs that proxies number, each kind for itself. The numbers are part of the format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum ProxyData {
    History = 0,
    Discovery = 1,
    Autoregistration = 2,
}

impl ProxyData {
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        [Self::History, Self::Discovery, Self::Autoregistration].get(usize::from(code)).copied()
    }
}

/// A host's maintenance begins or ends: readers know by it which of the following events are suppressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MaintenanceRow {
    pub host: HostId,
    pub maintenance: MaintenanceId,
    pub time: Time,
    pub what: MaintenanceChange,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MaintenanceChange {
    Begins {
        /// Otherwise values are dropped during the maintenance.
        with_data: bool,
    },
    Ends,
}

/// A value that waits: for a preprocessing step that runs elsewhere, or for an earlier such value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PendingRow<'a> {
    /// It waits from now on. With a known id: it has come further.
    Issued(IssuedRow<'a>),
    /// Its result is in this record, or will never come.
    Done { id: u64, item: ItemId },
}

/// A value that waits, as far as it has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IssuedRow<'a> {
    /// Unique among the item's waiting values; later values have larger ones.
    pub id: u64,
    pub item: ItemId,
    /// The next step of the value, from 0; [`FAN_OUT`]: dependants wait for the item's value, or the item
    /// waits for that of its master.
    pub step: u16,
    /// Fingerprint of the item's steps: a value that has passed some of them is of no use to others. Of a
    /// master's value: the master's id.
    pub steps: u64,
    pub time: Time,
    pub value: RawRef<'a>,
    /// The fields of a log entry in addition to its text.
    pub log: Option<LogRef<'a>>,
}

/// In place of a step: all dependent items for which the value is heavy wait for it. No longer
/// written.
pub const DEPENDENTS: u16 = u16::MAX;

/// In place of a step: a master's value for which dependants wait. Those have a row each of the same
/// id, with nothing as value.
pub const FAN_OUT: u16 = u16::MAX - 1;

/// A message from one partition to another, or its receipt there: the receiver ignores repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForwardRow {
    pub from: u8,
    pub to: u8,
    /// Counts per pair of partitions.
    pub sequence: u64,
    /// Written by the receiver; else by the sender.
    pub received: bool,
}

/// The result of a discovery rule, for the relational store to work off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiscoveryRow<'a> {
    pub rule: ItemId,
    pub time: Time,
    /// The JSON array after preprocessing.
    pub text: &'a str,
}

/// Since when missing values of an item count: its creation or enabling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstSeenRow {
    pub item: ItemId,
    pub time: Time,
}

/// A partition's copy of another one's items and triggers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MirroredRow<'a> {
    /// The partition that took it.
    pub to: u8,
    pub time: Time,
    pub what: MirroredState<'a>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum MirroredState<'a> {
    /// A value; [`RawRef::Error`]: the item became unsupported; [`RawRef::Nothing`]: supported.
    Value(ItemId, RawRef<'a>),
    /// A log entry.
    Log(ItemId, &'a str, LogRef<'a>),
    /// Whether a trigger is in PROBLEM.
    Trigger(TriggerId, bool),
    /// From this time on missing values of the item count there.
    FirstSeen(ItemId),
}

/// Events whose names wait, by trigger in order of decision.
#[derive(Clone, PartialEq, Debug)]
pub enum EventAwaitingNameRow<'a> {
    /// One more waits.
    Waits(EventAwaitingName<'a>),
    /// This number of the oldest do not wait any more: those that were still due are in this record.
    Left { trigger: TriggerId, n: u32 },
}

/// An event but for its name.
#[derive(Clone, PartialEq, Debug)]
pub struct EventAwaitingName<'a> {
    pub trigger: TriggerId,
    pub time: Time,
    /// Whether the trigger is in PROBLEM from then on.
    pub problem: bool,
    pub what: EventDecision,
    pub severity: Severity,
    pub opdata: &'a str,
    pub tags: Vec<(&'a str, &'a str)>,
    pub name: Vec<EventNamePart<'a>>,
}

/// The change of the trigger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventDecision {
    Problem,
    Recovery,
    /// A problem is closed by hand, by this user.
    Closing(EventId, UserId),
}

/// A piece of an event's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventNamePart<'a> {
    Text(&'a str),
    /// An expression macro as written, its value as far as known, a macro function with its parameters.
    Macro(&'a str, EventNameMacro<'a>, Option<(&'a str, &'a str)>),
}

/// The value of an expression macro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventNameMacro<'a> {
    /// It waits for this.
    Open,
    Known(&'a str),
    /// It will have none.
    Unknown,
}

/// A deferred evaluation of a trigger: something that its expressions read has to come
/// from history first. By trigger in order of time; of one time, in order of arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeferredEvaluationRow {
    /// One more waits.
    Waits { trigger: TriggerId, time: Time },
    /// This number of the oldest do not wait any more: their results are in this record.
    Left { trigger: TriggerId, n: u32 },
    /// The problem that was open of the evaluations which are deferred now has been closed by hand (true), or that
    /// counts no longer.
    Closed { trigger: TriggerId, is_closed: bool },
}

/// A row of a document on its way to an item of another host, written by the sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DispatchedRow<'a> {
    /// The partition that sends it.
    pub from: u8,
    /// The receiver, and so the partition.
    pub host: HostId,
    pub item: ItemId,
    pub time: Time,
    pub text: &'a str,
}

/// Parts of a record; the numbers are part of the format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Section {
    Numbers = 1,
    Texts = 2,
    ItemStates = 3,
    StepStates = 4,
    Transitions = 5,
    Watermarks = 6,
    Pending = 7,
    Forwards = 8,
    Discoveries = 9,
    FirstSeen = 10,
    Mirrored = 11,
    /// Of version 1.
    Unstored = 12,
    Dispatched = 13,
    EventsAwaitingNames = 14,
    DeferredEvaluations = 15,
    Trends = 16,
    Maintenances = 17,
}

impl Section {
    pub(crate) const ALL: [Self; 17] = [
        Self::Numbers,
        Self::Texts,
        Self::ItemStates,
        Self::StepStates,
        Self::Transitions,
        Self::Watermarks,
        Self::Pending,
        Self::Forwards,
        Self::Discoveries,
        Self::FirstSeen,
        Self::Mirrored,
        Self::Unstored,
        Self::Dispatched,
        Self::EventsAwaitingNames,
        Self::DeferredEvaluations,
        Self::Trends,
        Self::Maintenances,
    ];

    fn index(self) -> usize {
        usize::from(self as u8) - 1
    }

    fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|it| *it as u8 == code)
    }
}

/// The bytes are not a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    #[error("a record of format version {version}, this program reads {VERSION}")]
    Version { version: u8 },
    #[error("the record's head is cut off")]
    Head,
    #[error("a record with an unknown section {code}")]
    UnknownSection { code: u8 },
    #[error("the record's sections are not whole or not in order")]
    Sections,
    #[error("row {row} of the record's {section:?} can't be read")]
    Row { section: Section, row: u32 },
}

#[cfg(test)]
mod tests;
