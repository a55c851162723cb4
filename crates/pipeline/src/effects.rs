//! The output of a step.
//!
//! The owner of the shard thread carries effects out in this order: append the record to the
//! journal, notify the shard ([`crate::Shard::committed`]), append `values` to the head, complete
//! the requests of `runs`, hand out `events`, `states`, `discoveries`, `fetches`, `heavy`,
//! `cross_item_queries` and `forwards`. Nothing here may leave before the record is written.

use std::sync::Arc;

use model::batch::Refused;
use model::content::{Severity, Tag};
use model::record::{DeferredEvaluationRow, MaintenanceRow, Subject, TrendRow};
use model::value::LogEntry;
use model::{EventId, HostId, ItemId, Retention, Time, TriggerId, UserId, Value, ValueType};
use preprocess::StepState;

use crate::cross_item::CrossItemQuery;
use crate::event_awaiting_name::UnnamedEvent;
use crate::heavy::HeavyJob;
use crate::input::ForwardBatch;
use crate::pending::Pending;

/// Everything that one step caused. Reused: [`Effects::clear`] keeps the memory.
#[derive(Debug, Default)]
pub struct Effects {
    /// Processed values, to be stored and shown.
    pub values: Values,
    /// Problems and recoveries, in order: event number `k` gets the id `first + k`.
    pub events: Vec<TriggerEvent>,
    /// Items and triggers that became unsupported (unknown) or normal.
    pub states: Vec<StateChange>,
    /// Values of discovery rules.
    pub discoveries: Vec<Discovery>,
    /// Windows that history has to fill.
    pub fetches: Vec<Fetch>,
    /// Steps that are to be run elsewhere; see [`HeavyJob`].
    pub heavy: Vec<HeavyJob>,
    /// Functions over many items and trends, to be read elsewhere.
    pub cross_item_queries: Vec<CrossItemQuery>,
    /// Values for other partitions.
    pub forwards: Vec<ForwardBatch>,
    /// Documents of which some rows had nowhere to go.
    pub lost_rows: Vec<LostRows>,
    /// How the rows of each run of the batch fared, in order of runs.
    pub runs: Vec<RunResult>,
    /// Parts of trends that have ended. Part of the record.
    pub trends: Vec<TrendRow>,
    /// Changes of state that do not follow from values: replay needs them in addition. Part of the
    /// record.
    pub changes: Vec<Change>,
}

impl Effects {
    pub fn clear(&mut self) {
        self.values.clear();
        self.events.clear();
        self.states.clear();
        self.discoveries.clear();
        self.fetches.clear();
        self.heavy.clear();
        self.cross_item_queries.clear();
        self.forwards.clear();
        self.lost_rows.clear();
        self.runs.clear();
        self.trends.clear();
        self.changes.clear();
    }

    /// Whether a record has to be written at all.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        !(self.values.is_empty()
            && self.events.is_empty()
            && self.states.is_empty()
            && self.trends.is_empty()
            && self.changes.is_empty()
            && self.discoveries.is_empty()
            // They are marked with the position of the record.
            && self.forwards.is_empty())
    }

    /// Takes out what may stand in records of its own before the rest: since when items are known, in
    /// parts of so many. With millions of items it is more than one record holds. All else belongs
    /// together.
    #[must_use]
    pub fn split_births(&mut self, n_max: usize) -> Vec<Self> {
        let is_birth =
            |it: &mut Change| matches!(it, Change::Since { .. } | Change::MirroredSince { .. });
        let mut births = self.changes.extract_if(.., is_birth);
        let mut parts = Vec::new();
        loop {
            let changes: Vec<Change> = births.by_ref().take(n_max.max(1)).collect();
            if changes.is_empty() {
                return parts;
            }
            parts.push(Self { changes, ..Self::default() });
        }
    }
}

/// One processed value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OutValue {
    pub item: ItemId,
    pub time: Time,
    pub value: OutBits,
    /// Runtime slot, for readers of the live state.
    pub slot: u32,
    /// Days to keep it, rounded up to a class; see [`Retention`].
    pub retention: Retention,
    /// The same for the item's trends.
    pub trends: Retention,
    pub partition: u8,
    pub kind: ValueType,
}

/// A value without memory of its own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum OutBits {
    Float(f64),
    Unsigned(u64),
    /// Position in [`Values`]' texts: read it by [`Values::text`].
    Text {
        start: u32,
        len: u32,
    },
    /// Position in [`Values::logs`].
    Log(u32),
}

/// Processed values of a step, in the order in which they were processed.
#[derive(Debug, Default)]
pub struct Values {
    pub rows: Vec<OutValue>,
    pub logs: Vec<Arc<LogEntry>>,
    texts: String,
}

impl Values {
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn clear(&mut self) {
        self.rows.clear();
        self.logs.clear();
        self.texts.clear();
    }

    /// The text of a row; "" for numbers.
    #[must_use]
    pub fn text(&self, value: OutBits) -> &str {
        match value {
            OutBits::Text { start, len } => {
                let start = start as usize;
                self.texts.get(start..start + len as usize).unwrap_or_default()
            }
            OutBits::Log(at) => self.logs.get(at as usize).map_or("", |it| &it.value),
            OutBits::Float(_) | OutBits::Unsigned(_) => "",
        }
    }

    /// The value of a row, owning.
    #[must_use]
    pub fn value(&self, row: &OutValue) -> Value {
        match row.value {
            OutBits::Float(it) => Value::Float(it),
            OutBits::Unsigned(it) => Value::Unsigned(it),
            OutBits::Text { .. } => Value::Text(self.text(row.value).into()),
            OutBits::Log(at) => Value::Log(self.logs.get(at as usize).cloned().unwrap_or_default()),
        }
    }

    /// Stores a text for a row. `None` if 4 GiB are full.
    pub(crate) fn keep_text(&mut self, text: &str) -> Option<OutBits> {
        let start = u32::try_from(self.texts.len()).ok()?;
        let len = u32::try_from(text.len()).ok()?;
        start.checked_add(len)?;
        self.texts.push_str(text);
        Some(OutBits::Text { start, len })
    }

    pub(crate) fn keep_log(&mut self, log: Arc<LogEntry>) -> Option<OutBits> {
        let at = u32::try_from(self.logs.len()).ok()?;
        self.logs.push(log);
        Some(OutBits::Log(at))
    }
}

/// An event that may still lack its id because it is younger than the record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StepEventRef {
    Id(EventId),
    /// Number `k` of the events of the same step.
    Pending(u32),
}

impl StepEventRef {
    /// The id, given that of the step's first event.
    #[must_use]
    pub fn id(self, first: EventId) -> EventId {
        match self {
            Self::Id(it) => it,
            Self::Pending(k) => EventId(first.0 + u64::from(k)),
        }
    }
}

/// A problem or a recovery.
#[derive(Clone, PartialEq, Debug)]
pub struct TriggerEvent {
    pub trigger: TriggerId,
    /// The host that holds the trigger.
    pub host: HostId,
    pub time: Time,
    pub kind: StepEventKind,
    /// Whether the trigger is in PROBLEM from then on: a recovery may leave other problems open.
    pub is_problem: bool,
    pub severity: Severity,
    /// With macros expanded, as are the tags.
    pub name: String,
    /// Values of items that operational data needs of this time.
    pub opdata: String,
    pub tags: Vec<Tag>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StepEventKind {
    Problem,
    /// Closes these problems.
    Recovery {
        closes: Vec<StepEventRef>,
        /// The user who closed it manually; none otherwise.
        user: UserId,
    },
}

/// An item or a trigger changed between normal and unsupported (unknown).
#[derive(Clone, PartialEq, Debug)]
pub struct StateChange {
    pub what: StateOf,
    pub host: HostId,
    pub time: Time,
    /// The reason; `None` = normal again.
    pub error: Option<Arc<str>>,
    /// None if only the reason is another one.
    pub event: Option<StateEvent>,
}

/// An internal event: an item, a discovery rule or a trigger was normal before and is not now, or the other
/// way round. Its name is the reason.
#[derive(Clone, PartialEq, Debug)]
pub struct StateEvent {
    pub subject: Subject,
    pub tags: Vec<Tag>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateOf {
    Item(ItemId),
    Trigger(TriggerId),
}

/// A discovery rule received its data.
#[derive(Clone, PartialEq, Debug)]
pub struct Discovery {
    pub rule: ItemId,
    pub host: HostId,
    pub time: Time,
    /// The JSON text after preprocessing.
    pub json: String,
}

/// A window that only history can fill. Ask for values with `from < time <= until`, and if fewer than
/// `count` of these lie at or before `count_until`, for older ones until `count` do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fetch {
    pub id: u64,
    pub item: ItemId,
    pub kind: ValueType,
    pub from: Time,
    pub until: Time,
    pub count: u32,
    pub count_until: Time,
}

/// Rows of a document that were to go to other hosts and could not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostRows {
    /// The item whose value the document is.
    pub item: ItemId,
    pub n_rows: usize,
    pub n_lost: usize,
    /// The fault of the first of them.
    pub why: String,
}

/// How the rows of a run fared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunResult {
    pub processed: u32,
    pub failed: u32,
    /// Those that failed, by their place in the run, in order.
    pub refused: Vec<(u32, Refused)>,
    /// Of those processed: they left their item unsupported instead of a value. Not counted where
    /// preprocessing runs elsewhere.
    pub unsupported: u32,
    /// Of those processed: texts that were kept in part.
    pub cut: u32,
}

/// A durable change of state that does not follow from the values of the record.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// The state of a preprocessing step for an item, replacing the former one.
    Step {
        item: ItemId,
        step: u16,
        state: StepState,
    },
    /// Since when missing values of an item count.
    Since {
        item: ItemId,
        time: Time,
    },
    /// How far a log item has been read.
    LogPosition {
        item: ItemId,
        lastlogsize: u64,
        mtime: i64,
    },
    /// A value from another partition.
    Mirrored {
        to: u8,
        item: ItemId,
        time: Time,
        value: Value,
    },
    MirroredState {
        to: u8,
        item: ItemId,
        error: Option<Arc<str>>,
    },
    MirroredTrigger {
        to: u8,
        trigger: TriggerId,
        is_problem: bool,
    },
    /// As [`Self::Since`], of an item of another partition.
    MirroredSince {
        to: u8,
        item: ItemId,
        time: Time,
    },
    /// A value waits for a heavy step; with a known id: it has come further.
    Pending(Pending),
    /// A value waits no longer: its result is in the record.
    PendingDone {
        id: u64,
        item: ItemId,
    },
    /// An event waits for its name.
    AwaitsName(Arc<UnnamedEvent>),
    /// So many of a trigger's oldest events do not wait any more.
    AwaitingNamesLeft {
        trigger: TriggerId,
        n: u32,
    },
    /// A maintenance without data collection begins or ends for a host.
    Maintenance(MaintenanceRow),
    /// A deferred evaluation of a trigger, or what became of such ones.
    DeferredEvaluation(DeferredEvaluationRow),
    /// Everything that `from` sent to `to` in records up to `lsn` is applied.
    Mark {
        to: u8,
        from: u8,
        lsn: u64,
    },
}
