//! Writing a record, row by row.

use varint::{put_text, put_varint, zigzag};

use super::delta::delta;
use super::number::{Packer, count_of, put_packed};
use super::{
    DeferredEvaluationRow, DiscoveryRow, DispatchedRow, EventAwaitingNameRow, EventRef,
    FirstSeenRow, ForwardRow, ItemStateRow, LogRef, MaintenanceChange, MaintenanceRow, MirroredRow,
    MirroredState, NewEvent, NewTransition, Num, PendingRow, RecordHead, Section, StepStateRow,
    Subject, TextRow, TrendRow, VERSION, Watermark, event_awaiting_name, trend,
};
use crate::batch::RawRef;
use crate::value::{Value, ValueType};
use crate::{Classes, ItemId, Retention, Time};

/// The most bytes that a number row takes: other classes, two tags and three numbers of eight bytes.
const NUMBER_ROW_MAX: usize = 27;

/// Count nibbles of values that are no numbers (see `number`).
pub(super) const TAG_TEXT: u8 = 9;
pub(super) const TAG_ERROR: u8 = 10;
pub(super) const TAG_NOTHING: u8 = 11;

/// In place of a count of bytes, the lowest class of history: the byte gives the classes of the numbers
/// after it.
pub(super) const TAG_CLASSES: u8 = 9;

/// Flags of transitions.
pub(super) const IS_PROBLEM: u8 = 1;
pub(super) const HAS_ERROR: u8 = 2;
pub(super) const HAS_EVENT: u8 = 4;
/// The subject is no trigger's value.
pub(super) const HAS_SUBJECT: u8 = 8;
/// Pairs that name the subject follow the event.
pub(super) const HAS_DETAILS: u8 = 16;

/// Kinds of deferred evaluations.
pub(super) const DEFERRED_WAITS: u8 = 0;
pub(super) const DEFERRED_LEFT: u8 = 1;
pub(super) const DEFERRED_CLOSED: u8 = 2;
pub(super) const DEFERRED_NOT_CLOSED: u8 = 3;

/// The numbers of a record: by far the most rows, so they have a layout of their own.
#[derive(Debug, Default)]
struct Numbers {
    n_rows: u32,
    /// Longer than the used part, so that a row is written without a check of the length each time.
    bytes: Vec<u8>,
    used: usize,
    item: u64,
    ms: u64,
    /// Of the rows so far.
    classes: Classes,
    packer: Packer,
}

impl Numbers {
    #[inline]
    fn push(&mut self, item: ItemId, time: Time, value: Num, classes: Classes) {
        let ms = time.millis().cast_unsigned();
        // The usual neighbor is the next item at the same time: both take no byte then.
        let item_step = delta(item.0, self.item.wrapping_add(1));
        let time_step = delta(ms, self.ms);
        let packed = self.packer.pack(value);
        let (n_item, n_time) = (count_of(item_step), count_of(time_step));
        if self.bytes.len() < self.used + NUMBER_ROW_MAX {
            self.bytes.resize((self.used + NUMBER_ROW_MAX).next_power_of_two().max(16_384), 0);
        }
        if self.classes != classes {
            self.bytes[self.used] =
                (TAG_CLASSES + classes.history as u8) << 4 | classes.trends as u8;
            self.used += 1;
            self.classes = classes;
        }
        if let Some(row) = self.bytes[self.used..].first_chunk_mut::<NUMBER_ROW_MAX>() {
            row[0] = n_item << 4 | n_time;
            row[1] = packed.meaning << 4 | packed.count;
            // Each number is written with all of its eight bytes; the next one overwrites the empty ones.
            let mut at = 2;
            row[at..at + 8].copy_from_slice(&item_step.to_le_bytes());
            at += usize::from(n_item);
            row[at..at + 8].copy_from_slice(&time_step.to_le_bytes());
            at += usize::from(n_time);
            row[at..at + 8].copy_from_slice(&packed.bits.to_le_bytes());
            self.used += at + usize::from(packed.count);
        }
        self.item = item.0;
        self.ms = ms;
        self.n_rows += 1;
    }

    fn clear(&mut self) {
        (self.n_rows, self.used, self.item, self.ms) = (0, 0, 0, 0);
        self.classes = Classes::default();
    }
}

/// The rows of any other section.
#[derive(Debug, Default)]
struct SectionBuffer {
    n_rows: u32,
    bytes: Vec<u8>,
    id: u64,
    time: u64,
}

impl SectionBuffer {
    /// Begins a row.
    fn row(&mut self) -> &mut Vec<u8> {
        self.n_rows += 1;
        &mut self.bytes
    }

    /// Begins a row with an id.
    fn id_row(&mut self, id: u64) -> &mut Vec<u8> {
        put_varint(&mut self.bytes, delta(id, self.id));
        self.id = id;
        self.row()
    }

    /// Begins a row with an id and a time in nanoseconds.
    fn timed_row(&mut self, id: u64, time: Time) -> &mut Vec<u8> {
        let time = time.0.cast_unsigned();
        put_varint(&mut self.bytes, delta(id, self.id));
        put_varint(&mut self.bytes, delta(time, self.time));
        (self.id, self.time) = (id, time);
        self.row()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        (self.n_rows, self.id, self.time) = (0, 0, 0);
    }
}

/// Collects the rows of a step and makes the journal's payload of them.
///
/// Rows may come in any order; those of one host next to each other with ascending ids take the
/// least space. Reuse one builder: [`Self::start`] empties it and keeps its memory.
#[derive(Debug, Default)]
pub struct RecordBuilder {
    head: RecordHead,
    numbers: Numbers,
    /// By section; the first, for the numbers, stays empty.
    parts: [SectionBuffer; Section::ALL.len()],
    packer: Packer,
    /// Of the values to come.
    classes: Classes,
    n_events: u32,
    out: Vec<u8>,
}

impl RecordBuilder {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a new record; the previous content is dropped.
    pub fn start(&mut self, head: RecordHead) {
        self.head = head;
        self.numbers.clear();
        self.parts.iter_mut().for_each(SectionBuffer::clear);
        self.classes = Classes::default();
        self.n_events = 0;
    }

    /// Whether no row was added: such a record need not be written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.n_rows == 0 && self.parts.iter().all(|it| it.n_rows == 0)
    }

    /// Values of all types so far.
    #[must_use]
    pub fn n_values(&self) -> u32 {
        self.numbers.n_rows + self.parts[Section::Texts.index()].n_rows
    }

    /// Events so far: as many ids the record needs from the journal.
    #[must_use]
    pub fn n_events(&self) -> u32 {
        self.n_events
    }

    /// Bytes so far, about: a step may want to end before a record gets too long.
    #[must_use]
    pub fn n_bytes(&self) -> usize {
        self.numbers.used + self.parts.iter().map(|it| it.bytes.len()).sum::<usize>()
    }

    /// How long the values that come next are kept, and their trends; until it is said, as those of an
    /// item that says nothing. Of history's class [`Retention::Nothing`] they are not for history.
    #[inline]
    pub fn classes(&mut self, classes: Classes) {
        self.classes = classes;
    }

    /// The time is kept in milliseconds.
    #[inline]
    pub fn float(&mut self, item: ItemId, time: Time, value: f64) {
        self.numbers.push(item, time, Num::Float(value), self.classes);
    }

    /// The time is kept in milliseconds.
    #[inline]
    pub fn unsigned(&mut self, item: ItemId, time: Time, value: u64) {
        self.numbers.push(item, time, Num::Unsigned(value), self.classes);
    }

    /// A character, text or binary value; `value_type` says which.
    pub fn text(&mut self, item: ItemId, time: Time, value_type: ValueType, text: &str) {
        let retention = self.classes.history;
        self.text_row(TextRow { item, time, value_type, text, retention, log: LogRef::default() });
    }

    /// A log value.
    pub fn log(&mut self, item: ItemId, time: Time, text: &str, log: LogRef<'_>) {
        let (value_type, retention) = (ValueType::Log, self.classes.history);
        self.text_row(TextRow { item, time, value_type, text, retention, log });
    }

    /// A value of any type. Texts are stored as `value_type`; numbers by their own type.
    pub fn value(&mut self, item: ItemId, time: Time, value_type: ValueType, value: &Value) {
        match value {
            Value::Float(it) => self.float(item, time, *it),
            Value::Unsigned(it) => self.unsigned(item, time, *it),
            Value::Text(it) => self.text(item, time, value_type, it),
            Value::Log(it) => {
                let log = LogRef {
                    source: &it.source,
                    timestamp: it.timestamp,
                    severity: it.severity,
                    logeventid: it.logeventid,
                };
                self.log(item, time, &it.value, log);
            }
        }
    }

    fn text_row(&mut self, row: TextRow<'_>) {
        let out = self.parts[Section::Texts.index()].timed_row(row.item.0, row.time);
        out.push(retention_bits(row.retention) | row.value_type.code().cast_unsigned());
        put_text(out, row.text);
        if row.value_type == ValueType::Log {
            put_log(out, row.log);
        }
    }

    pub fn item_state(&mut self, row: ItemStateRow<'_>) {
        let out = self.parts[Section::ItemStates.index()].timed_row(row.item.0, row.time);
        put_option(out, row.error);
    }

    pub fn step_state(&mut self, row: StepStateRow<'_>) {
        let out = self.parts[Section::StepStates.index()].timed_row(row.item.0, row.time);
        put_varint(out, row.step.into());
        put_raw(out, &mut self.packer, row.value);
    }

    /// Adds a subject's change; returns the number of its event in this record, if it has one.
    pub fn transition(&mut self, row: &NewTransition<'_>) -> Option<u32> {
        let out = self.parts[Section::Transitions.index()].timed_row(row.subject.id(), row.time);
        let is_other = !matches!(row.subject, Subject::Trigger(_));
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let flags = flag(row.problem, IS_PROBLEM)
            | flag(row.error.is_some(), HAS_ERROR)
            | flag(row.event.is_some(), HAS_EVENT)
            | flag(is_other, HAS_SUBJECT)
            | flag(row.event.is_some_and(|it| !it.details.is_empty()), HAS_DETAILS);
        out.push(flags);
        if is_other {
            out.push(row.subject.code());
        }
        if let Some(error) = row.error {
            put_text(out, error);
        }
        let event = row.event.as_ref()?;
        let number = self.n_events;
        self.n_events += 1;
        put_event(out, number, event);
        Some(number)
    }

    pub fn watermark(&mut self, row: Watermark<'_>) {
        let out = self.parts[Section::Watermarks.index()].row();
        match row {
            Watermark::Session { host, session, last_id } => {
                out.push(0);
                put_varint(out, host.0);
                put_text(out, session);
                put_varint(out, last_id);
            }
            Watermark::Log { item, lastlogsize, mtime } => {
                out.push(1);
                put_varint(out, item.0);
                put_varint(out, lastlogsize);
                put_varint(out, zigzag(mtime));
            }
            Watermark::ProxySession { proxy, data, session, last_id } => {
                out.extend_from_slice(&[2, data as u8]);
                put_varint(out, proxy.0);
                put_text(out, session);
                put_varint(out, last_id);
            }
        }
    }

    pub fn pending(&mut self, row: PendingRow<'_>) {
        let out = self.parts[Section::Pending.index()].row();
        match row {
            PendingRow::Issued(row) => {
                out.push(if row.log.is_some() { 2 } else { 0 });
                put_varint(out, row.id);
                put_varint(out, row.item.0);
                put_varint(out, row.step.into());
                out.extend_from_slice(&row.steps.to_le_bytes());
                put_varint(out, zigzag(row.time.0));
                put_raw(out, &mut self.packer, row.value);
                if let Some(log) = row.log {
                    put_log(out, log);
                }
            }
            PendingRow::Done { id, item } => {
                out.push(1);
                put_varint(out, id);
                put_varint(out, item.0);
            }
        }
    }

    pub fn forward(&mut self, row: ForwardRow) {
        let out = self.parts[Section::Forwards.index()].row();
        out.extend_from_slice(&[row.from, row.to, u8::from(row.received)]);
        put_varint(out, row.sequence);
    }

    pub fn first_seen(&mut self, row: FirstSeenRow) {
        self.parts[Section::FirstSeen.index()].timed_row(row.item.0, row.time);
    }

    pub fn mirrored(&mut self, row: MirroredRow<'_>) {
        let id = match row.what {
            MirroredState::Value(item, _)
            | MirroredState::Log(item, ..)
            | MirroredState::FirstSeen(item) => item.0,
            MirroredState::Trigger(trigger, _) => trigger.0,
        };
        let out = self.parts[Section::Mirrored.index()].timed_row(id, row.time);
        out.push(row.to);
        match row.what {
            MirroredState::Value(_, value) => {
                out.push(0);
                put_raw(out, &mut self.packer, value);
            }
            MirroredState::Trigger(_, is_problem) => out.push(1 + u8::from(is_problem)),
            MirroredState::FirstSeen(_) => out.push(3),
            MirroredState::Log(_, text, log) => {
                out.push(4);
                put_text(out, text);
                put_log(out, log);
            }
        }
    }

    pub fn discovery(&mut self, row: DiscoveryRow<'_>) {
        let out = self.parts[Section::Discoveries.index()].timed_row(row.rule.0, row.time);
        put_text(out, row.text);
    }

    pub fn dispatched(&mut self, row: DispatchedRow<'_>) {
        let out = self.parts[Section::Dispatched.index()].timed_row(row.item.0, row.time);
        out.push(row.from);
        put_varint(out, row.host.0);
        put_text(out, row.text);
    }

    pub fn event_awaiting_name(&mut self, row: &EventAwaitingNameRow<'_>) {
        let (trigger, time) = match row {
            EventAwaitingNameRow::Waits(it) => (it.trigger, it.time),
            EventAwaitingNameRow::Left { trigger, .. } => (*trigger, self.head.now),
        };
        let out = self.parts[Section::EventsAwaitingNames.index()].timed_row(trigger.0, time);
        event_awaiting_name::put(out, row);
    }

    pub fn deferred_evaluation(&mut self, row: &DeferredEvaluationRow) {
        let part = &mut self.parts[Section::DeferredEvaluations.index()];
        match *row {
            DeferredEvaluationRow::Waits { trigger, time } => {
                let time = time.0.cast_unsigned();
                let step = delta(time, part.time);
                part.time = time;
                let out = part.id_row(trigger.0);
                out.push(DEFERRED_WAITS);
                put_varint(out, step);
            }
            DeferredEvaluationRow::Left { trigger, n } => {
                let out = part.id_row(trigger.0);
                out.push(DEFERRED_LEFT);
                put_varint(out, n.into());
            }
            DeferredEvaluationRow::Closed { trigger, is_closed } => {
                let kind = if is_closed { DEFERRED_CLOSED } else { DEFERRED_NOT_CLOSED };
                part.id_row(trigger.0).push(kind);
            }
        }
    }

    pub fn trend(&mut self, row: &TrendRow) {
        let part = &mut self.parts[Section::Trends.index()];
        let hour = row.hour.0.cast_unsigned();
        let step = delta(hour, part.time);
        part.time = hour;
        let out = part.id_row(row.item.0);
        put_varint(out, step);
        trend::put(out, &mut self.packer, row);
    }

    pub fn maintenance(&mut self, row: MaintenanceRow) {
        let out = self.parts[Section::Maintenances.index()].timed_row(row.host.0, row.time);
        out.push(match row.what {
            MaintenanceChange::Ends => 0,
            MaintenanceChange::Begins { with_data: true } => 1,
            MaintenanceChange::Begins { with_data: false } => 2,
        });
        put_varint(out, row.maintenance.0);
    }

    /// The payload for the journal; ask it for [`Self::n_events`] ids.
    pub fn finish(&mut self) -> &[u8] {
        let out = &mut self.out;
        out.clear();
        out.push(VERSION);
        put_varint(out, self.head.shard.into());
        put_varint(out, self.head.n_shards.into());
        put_varint(out, self.head.epoch);
        put_varint(out, zigzag(self.head.now.millis()));
        put_varint(out, self.n_events.into());
        let numbers = (self.numbers.n_rows, &self.numbers.bytes[..self.numbers.used]);
        let others = self.parts.iter().map(|it| (it.n_rows, it.bytes.as_slice())).skip(1);
        let all = std::iter::once(numbers).chain(others);
        for (section, (n_rows, bytes)) in Section::ALL.into_iter().zip(all) {
            if n_rows > 0 {
                out.push(section as u8);
                put_varint(out, n_rows.into());
                put_varint(out, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
        }
        out
    }
}

fn put_option(out: &mut Vec<u8>, text: Option<&str>) {
    out.push(u8::from(text.is_some()));
    if let Some(text) = text {
        put_text(out, text);
    }
}

fn put_raw(out: &mut Vec<u8>, packer: &mut Packer, value: RawRef<'_>) {
    let (tag, text) = match value {
        RawRef::Float(it) => return put_packed(out, packer.pack(Num::Float(it))),
        RawRef::Unsigned(it) => return put_packed(out, packer.pack(Num::Unsigned(it))),
        RawRef::Text(it) => (TAG_TEXT, it),
        RawRef::Error(it) => (TAG_ERROR, it),
        RawRef::Nothing => return out.push(TAG_NOTHING),
    };
    out.push(tag);
    put_text(out, text);
}

fn put_event(out: &mut Vec<u8>, number: u32, event: &NewEvent<'_>) {
    put_varint(out, number.into());
    out.push(event.kind as u8);
    out.push(event.severity.code().cast_unsigned());
    put_text(out, event.name);
    put_text(out, event.opdata);
    put_pairs(out, event.tags);
    put_varint(out, event.recovered.len() as u64);
    for event in event.recovered {
        match event {
            EventRef::Id(id) => {
                out.push(0);
                put_varint(out, id.0);
            }
            EventRef::Here(number) => {
                out.push(1);
                put_varint(out, (*number).into());
            }
        }
    }
    put_varint(out, event.closed_by.0);
    if !event.details.is_empty() {
        put_pairs(out, event.details);
    }
}

fn put_pairs(out: &mut Vec<u8>, pairs: &[(&str, &str)]) {
    put_varint(out, pairs.len() as u64);
    for (name, value) in pairs {
        put_text(out, name);
        put_text(out, value);
    }
}

/// A class together with a value type, in one byte; 0 there is what version 1 wrote.
fn retention_bits(retention: Retention) -> u8 {
    (retention as u8 + 1) << 4
}

fn put_log(out: &mut Vec<u8>, log: LogRef<'_>) {
    put_text(out, log.source);
    put_varint(out, zigzag(log.timestamp));
    put_varint(out, zigzag(log.severity.into()));
    put_varint(out, zigzag(log.logeventid));
}
