//! Reading a record. Nothing here trusts a byte: what can't be read is an error, never a panic.

use std::marker::PhantomData;

use super::builder::{
    DEFERRED_CLOSED, DEFERRED_LEFT, DEFERRED_NOT_CLOSED, DEFERRED_WAITS, HAS_DETAILS, HAS_ERROR,
    HAS_EVENT, HAS_SUBJECT, IS_PROBLEM, TAG_CLASSES, TAG_ERROR, TAG_NOTHING, TAG_TEXT,
};
use varint::Bytes;

use super::delta::undelta;
use super::number::{self, COUNT_MAX};
use super::{
    DeferredEvaluationRow, DiscoveryRow, DispatchedRow, EventAwaitingNameRow, EventKind, EventRef,
    FirstSeenRow, ForwardRow, Hour, IssuedRow, ItemStateRow, LogRef, MaintenanceChange,
    MaintenanceRow, MirroredRow, MirroredState, NumberRow, PASSABLE, PendingRow, ProxyData,
    RecordError, RecordEvent, RecordHead, Section, StepStateRow, Subject, TextRow, TransitionRow,
    TrendRow, VERSION, VERSION_1, Watermark, event_awaiting_name, trend,
};
use crate::batch::RawRef;
use crate::content::Severity;
use crate::value::ValueType;
use crate::{
    Classes, EventId, HostId, ItemId, MaintenanceId, ProxyId, Retention, Time, TriggerId, UserId,
};

#[derive(Clone, Copy, Debug, Default)]
struct SectionBytes<'a> {
    n_rows: u32,
    bytes: &'a [u8],
}

/// A record's payload, opened.
///
/// Opening checks the frame of the sections only; rows are checked as they are read, and a row
/// that can't be read is the last that its iterator gives.
#[derive(Clone, Copy, Debug)]
pub struct RecordView<'a> {
    head: RecordHead,
    n_events: u32,
    parts: [SectionBytes<'a>; Section::ALL.len()],
}

impl<'a> RecordView<'a> {
    /// # Errors
    /// These are not the bytes of a record, or it has another version.
    pub fn parse(payload: &'a [u8]) -> Result<Self, RecordError> {
        let mut bytes = Bytes::new(payload);
        let version = bytes.u8().ok_or(RecordError::Head)?;
        if version != VERSION && version != VERSION_1 {
            return Err(RecordError::Version { version });
        }
        let (head, n_events) = read_head(&mut bytes).ok_or(RecordError::Head)?;
        let mut parts = [SectionBytes::default(); Section::ALL.len()];
        let mut before = 0;
        while let Some(code) = bytes.u8() {
            let section = Section::from_code(code);
            if section.is_none() && (version == VERSION_1 || code < PASSABLE) {
                return Err(RecordError::UnknownSection { code });
            }
            let part = read_part(&mut bytes).ok_or(RecordError::Sections)?;
            if code <= before {
                return Err(RecordError::Sections);
            }
            before = code;
            if let Some(section) = section {
                parts[section.index()] = part;
            }
        }
        Ok(Self { head, n_events, parts })
    }

    #[must_use]
    pub fn head(&self) -> RecordHead {
        self.head
    }

    /// Events in the record: as many ids it took.
    #[must_use]
    pub fn n_events(&self) -> u32 {
        self.n_events
    }

    /// Values of all types.
    #[must_use]
    pub fn n_values(&self) -> u32 {
        let [numbers, texts, ..] = &self.parts;
        numbers.n_rows.saturating_add(texts.n_rows)
    }

    #[must_use]
    pub fn numbers(&self) -> Rows<'a, NumberRow> {
        self.rows(Section::Numbers)
    }

    #[must_use]
    pub fn texts(&self) -> Rows<'a, TextRow<'a>> {
        self.rows(Section::Texts)
    }

    #[must_use]
    pub fn item_states(&self) -> Rows<'a, ItemStateRow<'a>> {
        self.rows(Section::ItemStates)
    }

    #[must_use]
    pub fn step_states(&self) -> Rows<'a, StepStateRow<'a>> {
        self.rows(Section::StepStates)
    }

    #[must_use]
    pub fn transitions(&self) -> Rows<'a, TransitionRow<'a>> {
        self.rows(Section::Transitions)
    }

    #[must_use]
    pub fn watermarks(&self) -> Rows<'a, Watermark<'a>> {
        self.rows(Section::Watermarks)
    }

    #[must_use]
    pub fn pending(&self) -> Rows<'a, PendingRow<'a>> {
        self.rows(Section::Pending)
    }

    #[must_use]
    pub fn forwards(&self) -> Rows<'a, ForwardRow> {
        self.rows(Section::Forwards)
    }

    #[must_use]
    pub fn first_seen(&self) -> Rows<'a, FirstSeenRow> {
        self.rows(Section::FirstSeen)
    }

    pub fn mirrored(&self) -> Rows<'a, MirroredRow<'a>> {
        self.rows(Section::Mirrored)
    }

    pub fn discoveries(&self) -> Rows<'a, DiscoveryRow<'a>> {
        self.rows(Section::Discoveries)
    }

    /// Of records of version 1: items whose values in this record are not for history; one may be named
    /// several times. Later versions have it in the class of each value.
    #[must_use]
    pub fn unstored(&self) -> Rows<'a, ItemId> {
        self.rows(Section::Unstored)
    }

    /// Rows of documents on their way to items of other hosts.
    #[must_use]
    pub fn dispatched(&self) -> Rows<'a, DispatchedRow<'a>> {
        self.rows(Section::Dispatched)
    }

    /// Events that wait for their names.
    #[must_use]
    pub fn events_awaiting_names(&self) -> Rows<'a, EventAwaitingNameRow<'a>> {
        self.rows(Section::EventsAwaitingNames)
    }

    /// Deferred evaluations of triggers, and their results.
    #[must_use]
    pub fn deferred_evaluations(&self) -> Rows<'a, DeferredEvaluationRow> {
        self.rows(Section::DeferredEvaluations)
    }

    /// How many parts of trends there may be.
    #[must_use]
    pub fn n_trends(&self) -> u32 {
        self.parts[Section::Trends.index()].n_rows
    }

    /// Parts of trends: see [`TrendRow`].
    #[must_use]
    pub fn trends(&self) -> Rows<'a, TrendRow> {
        self.rows(Section::Trends)
    }

    /// Beginnings and ends of hosts' maintenance.
    #[must_use]
    pub fn maintenances(&self) -> Rows<'a, MaintenanceRow> {
        self.rows(Section::Maintenances)
    }

    fn rows<T>(&self, section: Section) -> Rows<'a, T> {
        let part = self.parts[section.index()];
        Rows {
            section,
            n_rows: part.n_rows,
            row: 0,
            bytes: Bytes::new(part.bytes),
            id: 0,
            time: 0,
            classes: Classes::default(),
            of: PhantomData,
        }
    }
}

fn read_head(bytes: &mut Bytes<'_>) -> Option<(RecordHead, u32)> {
    let head = RecordHead {
        shard: bytes.small()?,
        n_shards: bytes.small()?,
        epoch: bytes.varint()?,
        now: Time::from_millis(bytes.signed()?),
    };
    Some((head, bytes.small()?))
}

fn read_part<'a>(bytes: &mut Bytes<'a>) -> Option<SectionBytes<'a>> {
    let n_rows = bytes.small()?;
    let n_bytes = bytes.small()?;
    Some(SectionBytes { n_rows, bytes: bytes.take(n_bytes)? })
}

/// The rows of a section.
#[derive(Clone, Debug)]
pub struct Rows<'a, T> {
    section: Section,
    n_rows: u32,
    row: u32,
    bytes: Bytes<'a>,
    id: u64,
    time: u64,
    /// Of numbers.
    classes: Classes,
    of: PhantomData<T>,
}

/// A kind of row that can be read.
trait Row<'a>: Sized {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self>;
}

impl<'a, T: Row<'a>> Iterator for Rows<'a, T> {
    type Item = Result<T, RecordError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.row == self.n_rows {
            // The bytes left cannot be a row: as wrong as a row that is cut off.
            return (!self.bytes.left.is_empty()).then(|| self.fail());
        }
        match T::read(self) {
            Some(row) => {
                self.row += 1;
                Some(Ok(row))
            }
            None => Some(self.fail()),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // Each row has a byte at least, whatever the count says.
        let most = usize::try_from(self.n_rows - self.row).unwrap_or(usize::MAX);
        (0, Some(most.min(self.bytes.left.len()) + 1))
    }
}

impl<T> Rows<'_, T> {
    fn fail<R>(&mut self) -> Result<R, RecordError> {
        self.bytes = Bytes::default();
        let error = RecordError::Row { section: self.section, row: self.row };
        self.row = self.n_rows;
        Err(error)
    }

    fn id_and_time(&mut self) -> Option<(u64, Time)> {
        self.id = undelta(self.bytes.varint()?, self.id);
        self.time = undelta(self.bytes.varint()?, self.time);
        Some((self.id, Time(self.time.cast_signed())))
    }
}

impl<'a> Row<'a> for NumberRow {
    #[inline]
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let mut counts = rows.bytes.u8()?;
        if TAG_CLASSES <= counts >> 4 {
            rows.classes = Classes {
                history: Retention::from_code((counts >> 4) - TAG_CLASSES)?,
                trends: Retention::from_code(counts & 15)?,
            };
            counts = rows.bytes.u8()?;
        }
        let tag = rows.bytes.u8()?;
        let (n_item, n_time) = (counts >> 4, counts & 15);
        if n_item > COUNT_MAX || n_time > COUNT_MAX {
            return None;
        }
        let previous = rows.id.wrapping_add(1);
        rows.id = undelta(rows.bytes.number(n_item.into())?, previous);
        rows.time = undelta(rows.bytes.number(n_time.into())?, rows.time);
        let value = number::read(tag, &mut rows.bytes)?;
        let (item, ms) = (ItemId(rows.id), rows.time.cast_signed());
        Some(Self { item, ms, value, classes: rows.classes })
    }
}

fn read_log<'a>(bytes: &mut Bytes<'a>) -> Option<LogRef<'a>> {
    Some(LogRef {
        source: bytes.text()?,
        timestamp: bytes.signed()?,
        severity: i32::try_from(bytes.signed()?).ok()?,
        logeventid: bytes.signed()?,
    })
}

impl<'a> Row<'a> for TextRow<'a> {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let (id, time) = rows.id_and_time()?;
        let bytes = &mut rows.bytes;
        let code = bytes.u8()?;
        let value_type = ValueType::from_code((code & 15).into())?;
        let retention = match (code >> 4).checked_sub(1) {
            Some(it) => Retention::from_code(it)?,
            // Of version 1.
            None => Retention::default(),
        };
        let text = bytes.text()?;
        let log = match value_type {
            ValueType::Log => read_log(bytes)?,
            ValueType::Char | ValueType::Text | ValueType::Binary => LogRef::default(),
            ValueType::Float | ValueType::Unsigned => return None,
        };
        Some(Self { item: ItemId(id), time, value_type, text, retention, log })
    }
}

impl<'a> Row<'a> for ItemStateRow<'a> {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let (id, time) = rows.id_and_time()?;
        let error = match rows.bytes.u8()? {
            0 => None,
            1 => Some(rows.bytes.text()?),
            _ => return None,
        };
        Some(Self { item: ItemId(id), time, error })
    }
}

impl<'a> Row<'a> for StepStateRow<'a> {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let (id, time) = rows.id_and_time()?;
        let step = rows.bytes.small()?;
        Some(Self { item: ItemId(id), step, time, value: read_raw(&mut rows.bytes)? })
    }
}

impl<'a> Row<'a> for TransitionRow<'a> {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let (id, time) = rows.id_and_time()?;
        let bytes = &mut rows.bytes;
        let flags = bytes.u8()?;
        let has = |flag: u8| flags & flag != 0;
        if HAS_DETAILS << 1 <= flags || has(HAS_DETAILS) && !has(HAS_EVENT) {
            return None;
        }
        let subject = if has(HAS_SUBJECT) {
            Subject::from_code(bytes.u8()?, id)?
        } else {
            Subject::Trigger(TriggerId(id))
        };
        let error = if has(HAS_ERROR) { Some(bytes.text()?) } else { None };
        let event = if has(HAS_EVENT) { Some(read_event(bytes, has(HAS_DETAILS))?) } else { None };
        Some(Self { subject, time, problem: has(IS_PROBLEM), error, event })
    }
}

impl<'a> Row<'a> for Watermark<'a> {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let bytes = &mut rows.bytes;
        Some(match bytes.u8()? {
            0 => Self::Session {
                host: HostId(bytes.varint()?),
                session: bytes.text()?,
                last_id: bytes.varint()?,
            },
            1 => Self::Log {
                item: ItemId(bytes.varint()?),
                lastlogsize: bytes.varint()?,
                mtime: bytes.signed()?,
            },
            2 => {
                let data = ProxyData::from_code(bytes.u8()?)?;
                let (proxy, session) = (ProxyId(bytes.varint()?), bytes.text()?);
                Self::ProxySession { proxy, data, session, last_id: bytes.varint()? }
            }
            _ => return None,
        })
    }
}

impl<'a> Row<'a> for PendingRow<'a> {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let bytes = &mut rows.bytes;
        Some(match bytes.u8()? {
            kind @ (0 | 2) => Self::Issued(IssuedRow {
                id: bytes.varint()?,
                item: ItemId(bytes.varint()?),
                step: bytes.small()?,
                steps: bytes.number(8)?,
                time: Time(bytes.signed()?),
                value: read_raw(bytes)?,
                log: if kind == 2 { Some(read_log(bytes)?) } else { None },
            }),
            1 => Self::Done { id: bytes.varint()?, item: ItemId(bytes.varint()?) },
            _ => return None,
        })
    }
}

impl<'a> Row<'a> for ForwardRow {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let bytes = &mut rows.bytes;
        let (from, to) = (bytes.u8()?, bytes.u8()?);
        let received = match bytes.u8()? {
            0 => false,
            1 => true,
            _ => return None,
        };
        Some(Self { from, to, sequence: bytes.varint()?, received })
    }
}

impl<'a> Row<'a> for FirstSeenRow {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let (id, time) = rows.id_and_time()?;
        Some(Self { item: ItemId(id), time })
    }
}

impl<'a> Row<'a> for MirroredRow<'a> {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let (id, time) = rows.id_and_time()?;
        let to = rows.bytes.u8()?;
        let what = match rows.bytes.u8()? {
            0 => MirroredState::Value(ItemId(id), read_raw(&mut rows.bytes)?),
            1 => MirroredState::Trigger(TriggerId(id), false),
            2 => MirroredState::Trigger(TriggerId(id), true),
            3 => MirroredState::FirstSeen(ItemId(id)),
            4 => {
                let bytes = &mut rows.bytes;
                MirroredState::Log(ItemId(id), bytes.text()?, read_log(bytes)?)
            }
            _ => return None,
        };
        Some(Self { to, time, what })
    }
}

impl<'a> Row<'a> for DiscoveryRow<'a> {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let (id, time) = rows.id_and_time()?;
        Some(Self { rule: ItemId(id), time, text: rows.bytes.text()? })
    }
}

impl<'a> Row<'a> for DispatchedRow<'a> {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let (id, time) = rows.id_and_time()?;
        let bytes = &mut rows.bytes;
        let (from, host) = (bytes.u8()?, HostId(bytes.varint()?));
        Some(Self { from, host, item: ItemId(id), time, text: bytes.text()? })
    }
}

impl<'a> Row<'a> for EventAwaitingNameRow<'a> {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let (id, time) = rows.id_and_time()?;
        event_awaiting_name::read(&mut rows.bytes, (TriggerId(id), time))
    }
}

impl<'a> Row<'a> for DeferredEvaluationRow {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        rows.id = undelta(rows.bytes.varint()?, rows.id);
        let trigger = TriggerId(rows.id);
        Some(match rows.bytes.u8()? {
            DEFERRED_WAITS => {
                rows.time = undelta(rows.bytes.varint()?, rows.time);
                Self::Waits { trigger, time: Time(rows.time.cast_signed()) }
            }
            DEFERRED_LEFT => Self::Left { trigger, n: rows.bytes.small()? },
            DEFERRED_CLOSED => Self::Closed { trigger, is_closed: true },
            DEFERRED_NOT_CLOSED => Self::Closed { trigger, is_closed: false },
            _ => return None,
        })
    }
}

impl<'a> Row<'a> for TrendRow {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        rows.id = undelta(rows.bytes.varint()?, rows.id);
        rows.time = undelta(rows.bytes.varint()?, rows.time);
        trend::read(&mut rows.bytes, ItemId(rows.id), Hour(rows.time.cast_signed()))
    }
}

impl<'a> Row<'a> for MaintenanceRow {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        let (id, time) = rows.id_and_time()?;
        let what = match rows.bytes.u8()? {
            0 => MaintenanceChange::Ends,
            1 => MaintenanceChange::Begins { with_data: true },
            2 => MaintenanceChange::Begins { with_data: false },
            _ => return None,
        };
        let maintenance = MaintenanceId(rows.bytes.varint()?);
        Some(Self { host: HostId(id), maintenance, time, what })
    }
}

impl<'a> Row<'a> for ItemId {
    fn read(rows: &mut Rows<'a, Self>) -> Option<Self> {
        rows.id = undelta(rows.bytes.varint()?, rows.id);
        Some(Self(rows.id))
    }
}

fn read_raw<'a>(bytes: &mut Bytes<'a>) -> Option<RawRef<'a>> {
    Some(match bytes.u8()? {
        TAG_TEXT => RawRef::Text(bytes.text()?),
        TAG_ERROR => RawRef::Error(bytes.text()?),
        TAG_NOTHING => RawRef::Nothing,
        tag => match number::read(tag, bytes)? {
            super::Num::Float(it) => RawRef::Float(it),
            super::Num::Unsigned(it) => RawRef::Unsigned(it),
        },
    })
}

fn read_event<'a>(bytes: &mut Bytes<'a>, has_details: bool) -> Option<RecordEvent<'a>> {
    Some(RecordEvent {
        number: bytes.small()?,
        kind: EventKind::from_code(bytes.u8()?)?,
        severity: Severity::from_code(bytes.u8()?.into())?,
        name: bytes.text()?,
        opdata: bytes.text()?,
        tags: Pairs::read(bytes)?,
        recovered: Refs::read(bytes)?,
        closed_by: UserId(bytes.varint()?),
        details: if has_details { Pairs::read(bytes)? } else { Pairs::default() },
    })
}

/// The tags of an event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pairs<'a> {
    left: u32,
    bytes: Bytes<'a>,
}

impl<'a> Pairs<'a> {
    /// Reads all pairs once, so that the iterator needs no errors of its own.
    fn read(bytes: &mut Bytes<'a>) -> Option<Self> {
        let left = bytes.small()?;
        let pairs = Self { left, bytes: *bytes };
        for _ in 0..left {
            bytes.text()?;
            bytes.text()?;
        }
        Some(pairs)
    }
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some((self.bytes.text()?, self.bytes.text()?))
    }
}

/// The problems that an event ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Refs<'a> {
    left: u32,
    bytes: Bytes<'a>,
}

impl<'a> Refs<'a> {
    fn read(bytes: &mut Bytes<'a>) -> Option<Self> {
        let left = bytes.small()?;
        let refs = Self { left, bytes: *bytes };
        for _ in 0..left {
            read_ref(bytes)?;
        }
        Some(refs)
    }
}

impl Iterator for Refs<'_> {
    type Item = EventRef;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        read_ref(&mut self.bytes)
    }
}

fn read_ref(bytes: &mut Bytes<'_>) -> Option<EventRef> {
    Some(match bytes.u8()? {
        0 => EventRef::Id(EventId(bytes.varint()?)),
        1 => EventRef::Here(bytes.small()?),
        _ => return None,
    })
}
