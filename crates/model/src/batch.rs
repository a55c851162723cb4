//! Values on their way into a shard, in columns.
//!
//! One [`Batch`] carries up to some 1,000 raw values of one shard. Columns are reused; no value owns
//! memory of its own: texts lie in one arena.

use std::ops::Range;

use crate::value::LogEntry;
use crate::{Time, value::Value};

/// The text bytes of most values: what a new batch reserves for each.
const TEXT_BYTES_USUAL: usize = 8;

/// Why a shard did not take a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Refused {
    /// There is no such item any more, or it is disabled.
    NoItem,
    /// It is more than a day ahead of the clock, or older than the item's history is kept.
    Time,
    /// Too much waits for the item's preprocessing.
    Full,
    /// It is longer than values may be.
    TooLong,
    /// It could not be processed or written; the item says why.
    Failed,
}

impl Refused {
    /// As people are shown it.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoItem => "Item is disabled.",
            Self::Time => {
                "Timestamp is more than a day ahead of the server's clock or older than the item's history is kept."
            }
            Self::Full => "Too many values wait for the item's preprocessing.",
            Self::TooLong => "The value is too long.",
            Self::Failed => "The value could not be processed.",
        }
    }

    /// As metrics name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoItem => "no_item",
            Self::Time => "time",
            Self::Full => "full",
            Self::TooLong => "too_long_value",
            Self::Failed => "failed",
        }
    }
}

/// Where the raw value of a row is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Raw {
    /// Text in the arena: byte offset and length.
    Text {
        start: u32,
        len: u32,
    },
    Unsigned(u64),
    Float(f64),
    /// The item is not supported; the reason is in the arena.
    Error {
        start: u32,
        len: u32,
    },
    /// No value: only the log position moves, or the poll gave nothing.
    Nothing,
}

/// A raw value as a collector hands it over.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RawRef<'a> {
    Text(&'a str),
    Unsigned(u64),
    Float(f64),
    Error(&'a str),
    Nothing,
}

impl From<Value> for OwnedRaw {
    fn from(value: Value) -> Self {
        match value {
            Value::Float(it) => Self::Float(it),
            Value::Unsigned(it) => Self::Unsigned(it),
            Value::Text(it) => Self::Text(it.as_ref().to_owned()),
            Value::Log(it) => Self::Text(it.value.clone()),
        }
    }
}

/// As [`RawRef`], owning.
#[derive(Clone, PartialEq, Debug)]
pub enum OwnedRaw {
    Text(String),
    Unsigned(u64),
    Float(f64),
    Error(String),
    Nothing,
}

impl OwnedRaw {
    #[must_use]
    pub fn as_ref(&self) -> RawRef<'_> {
        match self {
            Self::Text(it) => RawRef::Text(it),
            Self::Unsigned(it) => RawRef::Unsigned(*it),
            Self::Float(it) => RawRef::Float(*it),
            Self::Error(it) => RawRef::Error(it),
            Self::Nothing => RawRef::Nothing,
        }
    }
}

/// Fields of log items in addition to the text, and the position that active agents and proxies report.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extra {
    /// The row that this belongs to.
    pub row: u32,
    pub lastlogsize: Option<u64>,
    pub mtime: Option<i64>,
    /// The entry's own fields; `value` stays empty, it is in the arena.
    pub log: Option<LogEntry>,
}

/// Raw values of one shard, in order of arrival.
#[derive(Debug, Default)]
pub struct Batch {
    /// The directory's epoch under which slots were looked up.
    pub epoch: u64,
    pub slots: Vec<u32>,
    pub times: Vec<Time>,
    pub values: Vec<Raw>,
    /// Rare: log fields and positions, ascending by row.
    pub extras: Vec<Extra>,
    /// Runs of rows that belong to one request each, to answer it: see [`Run`].
    pub runs: Vec<Run>,
    arena: String,
}

/// Rows up to (excluding) `end`, from the previous run's end on, belong to one request. The owner of the
/// queue knows the waiting request by the run's position; the pipeline counts per run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    pub end: u32,
}

impl Batch {
    /// An empty batch whose slots are looked up under `epoch`.
    #[must_use]
    pub fn of_epoch(epoch: u64) -> Self {
        Self { epoch, ..Self::default() }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Bytes of text held.
    #[must_use]
    pub fn arena_len(&self) -> usize {
        self.arena.len()
    }

    pub fn clear(&mut self) {
        self.slots.clear();
        self.times.clear();
        self.values.clear();
        self.extras.clear();
        self.runs.clear();
        self.arena.clear();
    }

    /// Reserves room for this number of rows of short texts.
    pub fn reserve(&mut self, n_rows: usize) {
        self.slots.reserve(n_rows);
        self.times.reserve(n_rows);
        self.values.reserve(n_rows);
        self.arena.reserve(n_rows.saturating_mul(TEXT_BYTES_USUAL));
    }

    /// Appends a row. Texts are copied into the arena.
    ///
    /// # Errors
    /// Hands back nothing but refuses the row when the arena would pass 4 GiB.
    pub fn push(&mut self, slot: u32, time: Time, value: RawRef<'_>) -> Result<(), ArenaFull> {
        let value = match value {
            RawRef::Text(it) => {
                let (start, len) = self.store(it)?;
                Raw::Text { start, len }
            }
            RawRef::Error(it) => {
                let (start, len) = self.store(it)?;
                Raw::Error { start, len }
            }
            RawRef::Unsigned(it) => Raw::Unsigned(it),
            RawRef::Float(it) => Raw::Float(it),
            RawRef::Nothing => Raw::Nothing,
        };
        self.slots.push(slot);
        self.times.push(time);
        self.values.push(value);
        Ok(())
    }

    /// Appends all rows of `other`, looked up under the same epoch, as one more run.
    ///
    /// # Errors
    /// If the texts of both don't fit into one arena; then nothing is appended.
    pub fn append_run(&mut self, other: &Self) -> Result<(), ArenaFull> {
        debug_assert!(self.is_empty() || self.epoch == other.epoch, "one epoch a batch");
        let base = u32::try_from(self.arena.len()).map_err(|_too_long| ArenaFull)?;
        let added = u32::try_from(other.arena.len()).map_err(|_too_long| ArenaFull)?;
        base.checked_add(added).ok_or(ArenaFull)?;
        let first_row = u32::try_from(self.len()).map_err(|_too_long| ArenaFull)?;
        let rows = u32::try_from(other.len()).map_err(|_too_long| ArenaFull)?;
        let end = first_row.checked_add(rows).ok_or(ArenaFull)?;
        self.epoch = other.epoch;
        self.arena.push_str(&other.arena);
        self.slots.extend_from_slice(&other.slots);
        self.times.extend_from_slice(&other.times);
        self.values.extend(other.values.iter().map(|it| match *it {
            Raw::Text { start, len } => Raw::Text { start: start + base, len },
            Raw::Error { start, len } => Raw::Error { start: start + base, len },
            number => number,
        }));
        self.extras.extend(other.extras.iter().cloned().map(|mut it| {
            it.row += first_row;
            it
        }));
        self.runs.push(Run { end });
        Ok(())
    }

    /// Some rows as a batch of their own, with the matching parts of the runs; empty if there are no such
    /// rows.
    #[must_use]
    pub fn slice(&self, rows: Range<usize>) -> Self {
        let mut slice = Self::of_epoch(self.epoch);
        let rows = rows.start..rows.end.min(self.len());
        for row in rows.clone() {
            let (Some(slot), Some(time)) = (self.slots.get(row), self.times.get(row)) else {
                break;
            };
            // Rows of one arena always fit into another one.
            if slice.push(*slot, *time, self.value(row)).is_err() {
                break;
            }
        }
        let within = |it: u32| rows.contains(&(it as usize));
        let shifted = |it: u32| it - u32::try_from(rows.start).unwrap_or(it);
        let extras = self.extras.iter().filter(|it| within(it.row)).cloned();
        slice.extras.extend(extras.map(|it| Extra { row: shifted(it.row), ..it }));
        let mut start = 0;
        for run in &self.runs {
            let (from, till) = (rows.start.max(start), rows.end.min(run.end as usize));
            if from < till {
                slice.runs.push(Run { end: u32::try_from(till - rows.start).unwrap_or(u32::MAX) });
            }
            start = run.end as usize;
        }
        slice
    }

    /// Bytes of a row's text; of numbers 0.
    #[must_use]
    pub fn text_len(&self, row: usize) -> usize {
        match self.values.get(row) {
            Some(Raw::Text { len, .. } | Raw::Error { len, .. }) => *len as usize,
            _ => 0,
        }
    }

    /// The value of a row; rows beyond the end read as [`RawRef::Nothing`].
    #[must_use]
    pub fn value(&self, row: usize) -> RawRef<'_> {
        match self.values.get(row).copied().unwrap_or(Raw::Nothing) {
            Raw::Text { start, len } => RawRef::Text(self.text(start, len)),
            Raw::Error { start, len } => RawRef::Error(self.text(start, len)),
            Raw::Unsigned(it) => RawRef::Unsigned(it),
            Raw::Float(it) => RawRef::Float(it),
            Raw::Nothing => RawRef::Nothing,
        }
    }

    fn text(&self, start: u32, len: u32) -> &str {
        let start = start as usize;
        self.arena.get(start..start + len as usize).unwrap_or_default()
    }

    fn store(&mut self, text: &str) -> Result<(u32, u32), ArenaFull> {
        let start = u32::try_from(self.arena.len()).map_err(|_too_long| ArenaFull)?;
        let len = u32::try_from(text.len()).map_err(|_too_long| ArenaFull)?;
        start.checked_add(len).ok_or(ArenaFull)?;
        self.arena.push_str(text);
        Ok((start, len))
    }
}

/// A batch holds no more text than 4 GiB.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the batch holds no more text")]
pub struct ArenaFull;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back_as_pushed() {
        let mut batch = Batch::default();
        let rows = [
            RawRef::Text("12.5"),
            RawRef::Unsigned(u64::MAX),
            RawRef::Float(-0.5),
            RawRef::Error("no such file"),
            RawRef::Nothing,
            RawRef::Text(""),
        ];
        for (row, value) in rows.iter().enumerate() {
            batch.push(u32::try_from(row).expect("few rows"), Time(5), *value).expect("room");
        }
        for (row, value) in rows.iter().enumerate() {
            assert_eq!(batch.value(row), *value);
        }
        batch.clear();
        assert_eq!((batch.len(), batch.arena_len()), (0, 0));
    }

    #[test]
    fn appended_runs_keep_their_texts_and_extras() {
        let mut part = Batch { epoch: 3, ..Batch::default() };
        part.push(7, Time(1), RawRef::Text("first")).expect("room");
        part.push(8, Time(2), RawRef::Error("second")).expect("room");
        part.extras.push(Extra { row: 1, mtime: Some(9), ..Extra::default() });
        let mut whole = Batch::default();
        whole.append_run(&part).expect("room");
        whole.append_run(&part).expect("room");
        assert_eq!(whole.epoch, 3);
        assert_eq!(whole.runs, [Run { end: 2 }, Run { end: 4 }]);
        assert_eq!(whole.value(2), RawRef::Text("first"));
        assert_eq!(whole.value(3), RawRef::Error("second"));
        assert_eq!(whole.extras.iter().map(|it| it.row).collect::<Vec<_>>(), [1, 3]);
    }
}
