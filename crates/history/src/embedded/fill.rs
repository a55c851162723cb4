//! A folder of the embedded store that is filled from another store instead of a journal.
//!
//! Rows come as records, in the order of the source, and with positions that count them. The stored
//! files and the position are one manifest, as always. No server runs at the same time: nothing is
//! merged, expires or is read meanwhile.
//!
//! A source gives series after series, each over all of its time. Files are divided by time all the
//! same, as a server would have written them: a file goes when its newest value is past the period.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use disk::Disk;
use journal::Lsn;
use model::record::RecordView;
use model::{Retention, Time, ValueType};
use tsdb::{RetentionClass, Tsdb};

use super::retention::spans_ms;
use super::{Gate, TREND_AS_VALUES, take_number, take_text, trends};
use crate::class::{StoredKind, kept};
use crate::store::unreadable;
use crate::{Result, payload};

const DAY_MS: i64 = 86_400_000;
/// Spans back from now that have files of their own; older values share files. Ten years of months.
const SPANS_MAX: i64 = 127;

/// Rows of one type in a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DayOf {
    pub stored: StoredKind,
    pub kind: ValueType,
    pub retention: Retention,
    /// Days since 1970, in UTC.
    pub day: i64,
}

/// A store that is being filled.
#[derive(Debug)]
pub struct CopyTarget {
    store: Tsdb,
    rows_max: u64,
    head_bytes_max: u64,
    now_ms: i64,
    state: Mutex<FillState>,
}

#[derive(Debug)]
struct FillState {
    gate: Gate,
    applied: u64,
    /// In memory, trends as many values.
    n_waiting: u64,
}

impl CopyTarget {
    /// Opens or makes the store in `dir`, which nobody else uses. Of values in memory, `rows_max`
    /// are stored together; `now` is the time that files are divided by.
    ///
    /// # Errors
    /// The folder or what lies in it can't be read, or something in it is damaged.
    pub fn open(disk: Arc<dyn Disk>, dir: &Path, rows_max: u64, now: Time) -> Result<Self> {
        let (store, recovered) = Tsdb::open(disk, dir, 1)?;
        if let Some(damaged) = recovered.damaged.into_iter().next() {
            return Err(damaged.into());
        }
        let state = FillState { gate: Gate::new(), applied: recovered.cursor, n_waiting: 0 };
        Ok(Self {
            store,
            rows_max,
            head_bytes_max: u32::MAX.into(),
            now_ms: now.millis(),
            state: Mutex::new(state),
        })
    }

    fn state(&self) -> MutexGuard<'_, FillState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a record whose rows end at a position, and stores what has come together if that is enough.
    ///
    /// # Errors
    /// A row can't be taken, or the disk refuses. The store is to be opened again then.
    pub fn apply(&self, record: &RecordView<'_>, next: Lsn) -> Result<()> {
        let n_rows = u64::from(record.n_values()) + u64::from(record.n_trends());
        if !self.store.head(0).has_room(n_rows, self.head_bytes_max) {
            self.flush()?;
        }
        let mut state = self.state();
        let FillState { gate, applied, n_waiting } = &mut *state;
        let mut head = self.store.head(0);
        let bad = unreadable(next);
        for row in record.numbers() {
            take_number(&mut head, gate, &row.map_err(&bad)?)?;
        }
        for row in record.texts() {
            take_text(&mut head, gate, &row.map_err(&bad)?)?;
        }
        for row in record.trends() {
            trends::take(&mut head, &row.map_err(&bad)?)?;
        }
        *applied = next.0;
        *n_waiting += u64::from(record.n_values()) + u64::from(record.n_trends()) * TREND_AS_VALUES;
        let is_due = self.rows_max <= *n_waiting;
        drop((head, state));
        if is_due { self.flush() } else { Ok(()) }
    }

    /// Rows before this position are stored for good.
    #[must_use]
    pub fn cursor(&self) -> Lsn {
        Lsn(self.store.cursor())
    }

    /// Stores what was taken.
    ///
    /// # Errors
    /// The disk refuses; rows stored before stay.
    pub fn flush(&self) -> Result<()> {
        let applied = self.state().applied;
        if self.store.cursor() == applied && !self.store.is_frozen() {
            return Ok(());
        }
        self.store_up_to(applied)
    }

    /// Ends the copy: a server goes on from `to` in its journal.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn finish(&self, to: Lsn) -> Result<()> {
        self.flush()?;
        self.store_up_to(to.0)
    }

    fn store_up_to(&self, cursor: u64) -> Result<()> {
        let mut state = self.state();
        if self.store.freeze(cursor) {
            state.n_waiting = 0;
            state.gate = Gate::new();
        }
        drop(state);
        self.store.flush_by_span(&|class, ms| self.span_of(class, ms))?;
        Ok(())
    }

    fn span_of(&self, class: RetentionClass, ms: i64) -> i64 {
        let width = spans_ms(class).last().copied().unwrap_or(DAY_MS);
        let now = self.now_ms.div_euclid(width);
        ms.div_euclid(width).clamp(now - SPANS_MAX, now + 1)
    }

    /// Counts what is stored, by reading all of it.
    ///
    /// # Errors
    /// A file can't be read or is damaged.
    pub fn counts(&self) -> Result<BTreeMap<DayOf, u64>> {
        let mut counts = BTreeMap::new();
        self.store.each_sample(|class, key, ms| {
            // It has written no others.
            let Some(kind) = payload::value_type(key.kind) else { return };
            let (stored, retention) = kept(class);
            let day = DayOf { stored, kind, retention, day: ms.div_euclid(DAY_MS) };
            *counts.entry(day).or_default() += 1;
        })?;
        Ok(counts)
    }

    /// Whether nothing is stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.store.segments().is_empty()
    }
}
