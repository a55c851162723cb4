//! Rows of records, as targets take them.

use journal::Record;
use model::content::Severity;
use model::content::Tag;
use model::record::{EventKind, LogRef, Num, RecordError, RecordView, TransitionRow, TrendRow};
use model::{EventId, ItemId, Time, TriggerId, ValueType};

/// A row to deliver.
#[derive(Clone, Debug)]
pub enum ExportRow<'a> {
    Value {
        item: ItemId,
        time: Time,
        /// Its place in the journal: no other value of this journal has the same.
        seq: u64,
        value: ExportValue<'a>,
    },
    /// A part of a trend: counts and sums of parts of one hour add up.
    Trend {
        row: TrendRow,
        seq: u64,
    },
    Event(ExportedEvent<'a>),
    /// An item gets no values any more, or gets them again: `true` for unsupported.
    State {
        item: ItemId,
        time: Time,
        is_unsupported: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ExportValue<'a> {
    Float(f64),
    Unsigned(u64),
    Text { value_type: ValueType, text: &'a str, log: LogRef<'a> },
}

impl ExportValue<'_> {
    /// Zabbix's number of the type.
    #[must_use]
    pub fn type_code(&self) -> u8 {
        match self {
            Self::Float(_) => 0,
            Self::Unsigned(_) => 3,
            Self::Text { value_type, .. } => match value_type {
                ValueType::Char => 1,
                ValueType::Log => 2,
                ValueType::Binary => 5,
                // The view gives no numbers here.
                ValueType::Text | ValueType::Float | ValueType::Unsigned => 4,
            },
        }
    }
}

/// A problem of a trigger, or the end of problems.
#[derive(Clone, Debug)]
pub struct ExportedEvent<'a> {
    pub trigger: TriggerId,
    pub id: EventId,
    pub time: Time,
    pub is_problem: bool,
    pub severity: Severity,
    pub name: &'a str,
    pub tags: Vec<Tag>,
    /// Problems that it ends.
    pub recovers: Vec<EventId>,
}

/// Which rows a target asks for: others are not even made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    pub values: bool,
    pub trends: bool,
    pub events: bool,
    pub states: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RowKind {
    Events,
    History,
    Trends,
}

impl RowKind {
    pub const ALL: [Self; 3] = [Self::Events, Self::History, Self::Trends];
}

/// The outcome of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowOutcome {
    Yes,
    /// By a filter.
    NotWanted,
    /// Its item or trigger has been deleted: there are no names for it.
    Deleted,
}

/// Why a target has not delivered its rows; it still has them.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct DeliveryError(pub String);

/// Gives the rows of a record that are wanted, in order. A row that can't be read ends its section;
/// the number of such sections is returned at the end.
///
/// # Errors
/// The record is not one.
pub fn each_row(
    record: &Record<'_>,
    view: &RecordView<'_>,
    wanted: Wanted,
    mut take: impl FnMut(ExportRow<'_>),
) -> Result<(), RecordError> {
    if wanted.values {
        let mut seqs = record.next_lsn.0.saturating_sub(view.n_values().into())..;
        for (row, seq) in view.numbers().zip(seqs.by_ref()) {
            let row = row?;
            let value = match row.value {
                Num::Float(it) => ExportValue::Float(it),
                Num::Unsigned(it) => ExportValue::Unsigned(it),
            };
            take(ExportRow::Value { item: row.item, time: Time::from_millis(row.ms), seq, value });
        }
        for (row, seq) in view.texts().zip(seqs) {
            let row = row?;
            let value =
                ExportValue::Text { value_type: row.value_type, text: row.text, log: row.log };
            take(ExportRow::Value { item: row.item, time: row.time, seq, value });
        }
    }
    if wanted.states {
        for row in view.item_states() {
            let row = row?;
            let is_unsupported = row.error.is_some();
            take(ExportRow::State { item: row.item, time: row.time, is_unsupported });
        }
    }
    if wanted.trends {
        for (row, seq) in view.trends().zip(record.lsn.0..) {
            take(ExportRow::Trend { row: row?, seq });
        }
    }
    if wanted.events && record.n_ids != 0 {
        for row in view.transitions() {
            if let Some(event) = event_row(&row?, record.first_id) {
                take(ExportRow::Event(event));
            }
        }
    }
    Ok(())
}

/// Of triggers only, as Zabbix exports them.
fn event_row<'a>(row: &TransitionRow<'a>, first_id: u64) -> Option<ExportedEvent<'a>> {
    let (event, trigger) = (row.event?, row.subject.trigger()?);
    let is_problem = match event.kind {
        EventKind::Problem => true,
        EventKind::Ok => false,
        EventKind::Discovered | EventKind::Lost => return None,
    };
    let tags = event.tags.map(|(tag, value)| Tag { tag: tag.to_owned(), value: value.to_owned() });
    Some(ExportedEvent {
        trigger,
        id: EventId(first_id.saturating_add(event.number.into())),
        time: row.time,
        is_problem,
        severity: event.severity,
        name: event.name,
        tags: tags.collect(),
        recovers: event.recovered.map(|it| it.id(first_id)).collect(),
    })
}
