//! The embedded store: the journal's values in the engine of `tsdb`.
//!
//! Writing: each shard thread owns a [`HeadWriter`]; its `commit` appends the record to the journal
//! and puts its values into the writer's head. Between the two nobody may freeze the heads, else the
//! cursor would be on the wrong side of a record: that is the writer's *gate*, a mutex that only a
//! flush contends for, and only for the moment of freezing.
//!
//! Flushing: freeze all heads at one position with all gates held, sync the journal up to there (the
//! store must never be ahead of a journal that a power cut shortened), write the segment, switch.
//! [`Flush::flush_once`] does it; the owner calls it when [`Flush::flush_is_due`] and at the end.
//!
//! Retention: values come with the class of their item's period, and the engine keeps a file for
//! each class. See [`retention`]. Parts of trends go the same way, in files of their own.
//!
//! Where another store is history, this one is its [`buffer`].
//!
//! Locks, in this order: `maintenance`, `flush`, gates by number, then the engine's.

mod buffer;
mod fill;
mod maintenance;
mod retention;
mod settings;
mod trends;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use disk::{Disk, FileCopy};
use journal::{Appended, Journal, Lsn, ReadOutcome};
use model::record::{Num, NumberRow, RecordError, RecordView, TextRow, TrendRow};
use model::{ItemId, Now, Retention, Time, ValueType};
use rt::clock::Clock;
use rt::metrics::{Counter, Gauge, Registry};
use tracing::error;
use tsdb::{Handle, Head, Order, PointValue, SeriesKey, Tsdb};

pub use self::fill::{CopyTarget, DayOf};
use self::retention::Maintenance;
pub use self::settings::EmbeddedSettings;
use crate::class::class;
use crate::live::{Flush, FlushedValues, LiveStore, Recent, RecentTrends, Replayed, Writer};
use crate::query::{HistorySamples, RangeQuery, Series, SeriesRows, Trend, TrendQuery};
use crate::store::{Store, unreadable};
use crate::{Error, FileStats, Result, Shares, payload};

const NS_PER_MS: i64 = 1_000_000;
/// How many times the flush distance the store may lag before it refuses values: memory is bounded
/// by it when flushing fails.
const BEHIND_FACTOR: u64 = 4;
/// A part of a trend takes as much memory as so many values in blocks.
const TREND_AS_VALUES: u64 = 20;
/// Files become no larger than such a part of the disk's budget by merging: the oldest goes as a
/// whole when there is no room, and a merge needs room for what it writes.
const BUDGET_PARTS: u64 = 16;
/// The pause between two attempts of a start to read the journal.
const READ_PAUSE: Duration = Duration::from_millis(200);

rt::metrics! {
    /// The embedded history store.
    pub struct HistoryMetrics in "saker_history_embedded", formerly "history_embedded" {
        /// Values put into heads.
        pub(crate) values_total: Counter,
        /// Parts of trends put into heads.
        pub(crate) trends_total: Counter,
        /// Values written to segments.
        pub(crate) flushed_values_total: Counter,
        /// Bytes of segments written.
        pub(crate) flushed_bytes_total: Counter,
        /// Flushes that failed; their values stay in memory and in the journal.
        pub(crate) flush_failures_total: Counter,
        /// Records refused because flushing lags too much.
        pub(crate) refused_total: Counter,
        /// Values that history can never hold: too long, or not to be read in their record.
        pub(crate) left_out_total: Counter,
        /// Damaged parts of the journal that were skipped at the start.
        pub(crate) damaged_total: Counter,
        /// Reads that met damage.
        pub(crate) corrupt_reads_total: Counter,
        /// Segment files that were removed because what they hold is past the period of its items.
        pub(crate) expired_files_total: Counter,
        /// Bytes of those files.
        pub(crate) expired_bytes_total: Counter,
        /// Values of those files.
        pub(crate) expired_values_total: Counter,
        /// Hours of trends in those files.
        pub(crate) expired_trends_total: Counter,
        /// Segment files that were removed before their time, to stay within `history.disk_budget_bytes`.
        pub(crate) over_budget_files_total: Counter,
        /// Bytes of those files.
        pub(crate) over_budget_bytes_total: Counter,
        /// Values of those files.
        pub(crate) over_budget_values_total: Counter,
        /// Hours of trends in those files.
        pub(crate) over_budget_trends_total: Counter,
        /// Bytes of all segment files.
        pub(crate) files_bytes: Gauge,
        /// Merges of segment files that are done.
        pub(crate) merges_total: Counter,
        /// Merges that failed; the files that they read stay.
        pub(crate) merge_failures_total: Counter,
        /// Values that merges wrote.
        pub(crate) merged_values_total: Counter,
        /// Bytes of files that merges wrote.
        pub(crate) merged_bytes_total: Counter,
        /// How far the server's clock is ahead of the time by which values expire, in seconds: it
        /// follows a clock that jumps by a day an hour.
        pub(crate) retention_lag_seconds: Gauge,
        /// Bytes of journal that were let go of in memory though the store that is read had not
        /// stored them: until it has, their values cannot be read.
        pub(crate) unread_bytes_total: Counter,
        /// Values in memory.
        pub(crate) memory_values: Gauge,
        /// Bytes of heads and directories in memory.
        pub(crate) memory_bytes: Gauge,
        /// Bytes of journal whose values are not in segments yet.
        pub(crate) lag_bytes: Gauge,
        /// Segment files.
        pub(crate) segments: Gauge,
    }
}

/// The store; clones are the same store.
#[derive(Debug, Clone)]
pub(crate) struct Embedded {
    shared: Arc<EmbeddedParts>,
}

#[derive(Debug)]
struct EmbeddedParts {
    journal: Journal,
    store: Tsdb,
    settings: EmbeddedSettings,
    metrics: HistoryMetrics,
    /// For the log.
    clock: Clock,
    maintenance: Mutex<Maintenance>,
    flush: Mutex<()>,
    /// By writer: the starting point of its guesses by neighbors.
    gates: Vec<Mutex<Gate>>,
    cursor: AtomicU64,
    /// Records before it are in heads or segments.
    applied: AtomicU64,
    values_in_memory: AtomicU64,
    /// A head has no room for more: a flush is due.
    is_full: AtomicBool,
    /// Files were removed before their time.
    is_short: AtomicBool,
    /// Whether files of values, and of trends, go when they are past their period.
    expires_values: AtomicBool,
    expires_trends: AtomicBool,
}

/// Held by a writer from before a record is appended until its values are in the head.
#[derive(Debug)]
struct Gate {
    /// The series of the number before, and of the text before.
    near: Handle,
    near_text: Handle,
    scratch: Vec<u8>,
}

impl Gate {
    fn new() -> Self {
        let near = Head::before_first();
        Self { near, near_text: near, scratch: Vec::new() }
    }
}

/// One shard's way to write.
#[derive(Debug)]
pub(crate) struct HeadWriter {
    shared: Arc<EmbeddedParts>,
    writer: u16,
}

impl Embedded {
    /// Opens the store in `dir`, with a head for each of `n_writers` shard threads. Call
    /// [`LiveStore::replay`] before anything is written or read.
    ///
    /// # Errors
    /// The folder or its manifest can't be read.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        journal: Journal,
        n_writers: u16,
        (settings, registry): (EmbeddedSettings, &Registry),
    ) -> Result<(Self, tsdb::RecoveredStore)> {
        let (store, recovered) = Tsdb::open(disk, dir, n_writers.into())?;
        for damaged in &recovered.damaged {
            error!(%damaged, "a history file is damaged; values that only it has cannot be read");
        }
        if settings.disk_budget_bytes != 0 {
            store.limit_merges(settings.disk_budget_bytes / BUDGET_PARTS);
        }
        let shared = EmbeddedParts {
            journal,
            store,
            settings,
            metrics: HistoryMetrics::register(registry),
            clock: Clock::real(),
            maintenance: Mutex::default(),
            flush: Mutex::new(()),
            gates: (0..n_writers).map(|_| Mutex::new(Gate::new())).collect(),
            cursor: AtomicU64::new(recovered.cursor),
            applied: AtomicU64::new(recovered.cursor),
            values_in_memory: AtomicU64::new(0),
            is_full: AtomicBool::new(false),
            is_short: AtomicBool::new(false),
            expires_values: AtomicBool::new(true),
            expires_trends: AtomicBool::new(true),
        };
        Ok((Self { shared: Arc::new(shared) }, recovered))
    }

    #[cfg(test)]
    pub(crate) fn engine(&self) -> &Tsdb {
        &self.shared.store
    }
}

impl Flush for Embedded {
    fn flush_is_due(&self) -> bool {
        let shared = &*self.shared;
        if let Some(history) = &shared.settings.buffer_of {
            return shared.release_is_due(&**history);
        }
        shared.lag_bytes() >= shared.settings.flush_journal_bytes
            || shared.values_in_memory.load(Ordering::Relaxed) >= shared.settings.flush_values
            || shared.store.is_frozen()
            || shared.is_full.load(Ordering::Relaxed)
    }

    fn flush_once(&self) -> Result<Option<FlushedValues>> {
        let shared = &*self.shared;
        let _one = shared.flush.lock().expect("nobody panics while flushing");
        let result = shared.flush();
        if result.is_err() {
            shared.metrics.flush_failures_total.inc();
        }
        self.observe();
        result
    }

    fn maintain(&self, now: Now) -> Result<bool> {
        self.shared.maintain(now)
    }

    fn shortfall(&self) -> Option<String> {
        self.shared.shortfall()
    }

    fn n_values_unflushed(&self) -> u64 {
        self.shared.store.n_values_in_memory()
    }

    fn observe(&self) {
        let shared = &*self.shared;
        let metrics = &shared.metrics;
        metrics.memory_values.set_n(usize_of(shared.store.n_values_in_memory()));
        metrics.memory_bytes.set_n(usize_of(shared.store.memory_bytes()));
        metrics.lag_bytes.set_n(usize_of(shared.lag_bytes()));
        let segments = shared.store.segments();
        metrics.segments.set_n(segments.len());
        metrics.files_bytes.set_n(usize_of(segments.iter().map(|it| it.file_bytes).sum()));
    }
}

impl LiveStore for Embedded {
    fn replay(&self, pause: &dyn Fn(Duration)) -> Result<Replayed> {
        let shared = &*self.shared;
        if shared.settings.buffer_of.is_some() {
            shared.begin_buffer();
            return Ok(Replayed::default());
        }
        // Parts may have been taken before.
        shared.store.empty_heads();
        shared.values_in_memory.store(0, Ordering::Relaxed);
        let replayed = shared.read_back((true, pause), |record, view| {
            let writer = shared.writer_of(view);
            if !shared.has_room(writer, view) {
                // Nobody else writes yet: the heads hold what is before this record and nothing else.
                if shared.store.freeze(record.lsn.0) {
                    shared.values_in_memory.store(0, Ordering::Relaxed);
                }
                shared.write_frozen()?;
            }
            Ok(Some(shared.take_at_gate(&mut shared.gate(writer), writer, view, record.next_lsn)))
        })?;
        let next = shared.journal.next_lsn();
        (0..shared.store.n_heads()).for_each(|it| shared.store.head(it).set_position(next.0));
        Ok(replayed)
    }

    fn replay_of(&self, writer: u16, pause: &dyn Fn(Duration)) -> Result<Option<Replayed>> {
        let shared = &*self.shared;
        if shared.settings.buffer_of.is_some() {
            // Whichever is first or last: nobody writes yet.
            shared.begin_buffer();
            return Ok(Some(Replayed::default()));
        }
        let writer = usize::from(writer);
        let mut has_room = true;
        let replayed = shared.read_back((writer == 0, pause), |record, view| {
            if shared.writer_of(view) != writer || !has_room {
                return Ok(None);
            }
            has_room = shared.has_room(writer, view);
            let take =
                || shared.take_at_gate(&mut shared.gate(writer), writer, view, record.next_lsn);
            Ok(has_room.then(take))
        })?;
        shared.store.head(writer).set_position(shared.journal.next_lsn().0);
        Ok(has_room.then_some(replayed))
    }

    fn n_series_in_memory(&self) -> usize {
        let store = &self.shared.store;
        (0..store.n_heads()).map(|it| store.head(it).n_series()).sum()
    }

    fn series(&self) -> Result<Vec<Series>> {
        let mut series: Vec<_> = self
            .shared
            .store
            .series()?
            .into_iter()
            .filter_map(|it| {
                Some(Series { item: ItemId(it.id), kind: payload::value_type(it.kind)? })
            })
            .collect();
        series.sort_unstable();
        series.dedup();
        Ok(series)
    }

    fn files(&self) -> Vec<FileStats> {
        self.shared.store.segments().iter().map(FileStats::of).collect()
    }

    fn shares(&self, read_max: u64) -> Shares {
        self.shared.store.shares(read_max)
    }

    fn copy_of(&self) -> Vec<FileCopy> {
        self.shared.store.copy_of()
    }

    fn set_expiring(&self, values: bool, trends: bool) {
        self.shared.expires_values.store(values, Ordering::Relaxed);
        self.shared.expires_trends.store(trends, Ordering::Relaxed);
    }

    fn clear(&self, items: &[ItemId]) -> Result<()> {
        self.shared.clear(items)
    }

    fn recent(&self, queries: &[RangeQuery]) -> Result<Recent> {
        self.shared.recent(queries)
    }

    fn recent_trends(&self, queries: &[TrendQuery]) -> Result<RecentTrends> {
        Ok(self.shared.recent_trends(queries))
    }

    fn holds_all(&self) -> bool {
        self.shared.settings.buffer_of.is_none()
    }

    fn writer(&self, writer: u16) -> Box<dyn Writer> {
        assert!(usize::from(writer) < self.shared.gates.len(), "there is no writer {writer}");
        Box::new(HeadWriter { shared: Arc::clone(&self.shared), writer })
    }
}

fn usize_of(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

impl Writer for HeadWriter {
    fn commit(&mut self, payload: &[u8], n_ids: u32) -> Result<Appended> {
        let shared = &*self.shared;
        let max = shared.settings.flush_journal_bytes.saturating_mul(BEHIND_FACTOR);
        let bytes = shared.lag_bytes();
        if bytes > max {
            shared.metrics.refused_total.inc();
            return Err(Error::Behind { bytes, max });
        }
        // Also a proof that what is written can be read.
        let record = RecordView::parse(payload).map_err(unreadable(shared.journal.next_lsn()))?;
        let mut gate = shared.gate(self.writer.into());
        // Before it is in the journal: after that there is no way back.
        if !shared.has_room(self.writer.into(), &record) {
            shared.is_full.store(true, Ordering::Relaxed);
            shared.metrics.refused_total.inc();
            return Err(tsdb::Error::HeadFull.into());
        }
        let appended = shared.journal.append(payload, n_ids)?;
        shared.take_at_gate(&mut gate, self.writer.into(), &record, appended.next_lsn);
        Ok(appended)
    }

    fn forget(&mut self, items: &[ItemId]) {
        let shared = &*self.shared;
        // As a writer does: a flush waits.
        let _gate = shared.gate(self.writer.into());
        let mut head = shared.store.head(self.writer.into());
        for item in items {
            payload::kinds().for_each(|kind| head.forget(SeriesKey { id: item.0, kind }));
        }
    }
}

/// Items whose values history does not keep, as version 1 said it; in any order.
fn unstored(record: &RecordView<'_>) -> std::result::Result<Vec<u64>, RecordError> {
    record.unstored().map(|it| Ok(it?.0)).collect()
}

/// Near the series of the value before.
#[inline]
fn take_number(head: &mut Head, gate: &mut Gate, row: &NumberRow) -> Result<()> {
    let (id, class) = (row.item.0, class(row.classes.history));
    match row.value {
        Num::Float(value) => {
            let key = SeriesKey { id, kind: tsdb::SeriesKind::FLOAT };
            gate.near = head.series_after(gate.near, key, class)?;
            head.float(gate.near, row.ms, value)?;
        }
        Num::Unsigned(value) => {
            let key = SeriesKey { id, kind: tsdb::SeriesKind::UNSIGNED };
            gate.near = head.series_after(gate.near, key, class)?;
            head.unsigned(gate.near, row.ms, value)?;
        }
    }
    Ok(())
}

fn take_text(head: &mut Head, gate: &mut Gate, row: &TextRow<'_>) -> Result<()> {
    let key = SeriesKey { id: row.item.0, kind: payload::kind(row.value_type) };
    gate.near_text = head.series_after(gate.near_text, key, class(row.retention))?;
    payload::encode(row, &mut gate.scratch);
    head.bytes(gate.near_text, row.time.millis(), &gate.scratch)?;
    Ok(())
}

impl EmbeddedParts {
    /// The trends of a series, without a look at its values.
    fn trends(&self, query: &TrendQuery) -> Result<Vec<Trend>> {
        let Some((key, range)) = trends::wanted(query) else { return Ok(Vec::new()) };
        let samples = self.store.range(key, range, usize::MAX, Order::Ascending);
        self.count_damage(&samples);
        Ok(trends::trends_of(query.kind, &samples?))
    }

    /// The trends that are in memory alone.
    fn recent_trends(&self, queries: &[TrendQuery]) -> RecentTrends {
        let (trends, since) = self.of_one_moment(|begins| {
            let read = |query: &TrendQuery| {
                let Some((key, range)) = trends::wanted(query) else { return Vec::new() };
                let found = self.store.range_in_memory(key, range, usize::MAX, Order::Ascending);
                begins.push(found.1);
                trends::trends_of(query.kind, &found.0)
            };
            queries.iter().map(read).collect()
        });
        RecentTrends { trends, since }
    }

    fn gate(&self, writer: usize) -> MutexGuard<'_, Gate> {
        let gate = self.gates.get(writer).expect("a writer has a gate");
        gate.lock().expect("nobody panics at a gate")
    }

    fn lag_bytes(&self) -> u64 {
        let cursor = self.cursor.load(Ordering::Relaxed);
        self.journal.next_lsn().0.saturating_sub(cursor)
    }

    fn writer_of(&self, record: &RecordView<'_>) -> usize {
        usize::from(record.head().shard) % self.gates.len().max(1)
    }

    fn has_room(&self, writer: usize, record: &RecordView<'_>) -> bool {
        let head = self.store.head(writer);
        let n_rows = u64::from(record.n_values()) + u64::from(record.n_trends());
        head.has_room(n_rows, self.settings.head_bytes_max)
    }

    /// Gives `take` the records of the journal from the cursor on; it says how many values it took, if
    /// the record is one of its own. Of several readers of the same records, one `reports`
    /// unreadable ones.
    fn read_back(
        &self,
        (reports, pause): (bool, &dyn Fn(Duration)),
        mut take: impl FnMut(&journal::Record<'_>, &RecordView<'_>) -> Result<Option<u64>>,
    ) -> Result<Replayed> {
        let mut replayed = Replayed::default();
        let cursor = Lsn(self.cursor.load(Ordering::Relaxed));
        let (first, next) = (self.journal.first_lsn(), self.journal.next_lsn());
        if cursor < first || cursor > next {
            return Err(Error::Gap { cursor, first, next });
        }
        self.journal.replay(
            (cursor, next),
            || pause(READ_PAUSE),
            |found| {
                match found {
                    ReadOutcome::Record(record) => match RecordView::parse(record.payload) {
                        Ok(view) => {
                            if let Some(n_values) = take(&record, &view)? {
                                replayed.n_records += 1;
                                replayed.n_values += n_values;
                            }
                        }
                        Err(
                            source @ (RecordError::Version { .. }
                            | RecordError::UnknownSection { .. }),
                        ) => return Err(unreadable(record.lsn)(source)),
                        Err(source) if reports => self.leave_out(&unreadable(record.lsn)(source)),
                        Err(_) => {}
                    },
                    ReadOutcome::Damage { error, lost } if reports => {
                        self.metrics.damaged_total.inc();
                        error!(%error, from = %lost.from, to = %lost.to,
                        "a damaged part of the journal is skipped: its values are lost");
                        replayed.lost.push(lost);
                    }
                    ReadOutcome::Damage { .. } | ReadOutcome::End => {}
                }
                Ok::<(), Error>(())
            },
        )?;
        self.applied.fetch_max(next.0, Ordering::Relaxed);
        Ok(replayed)
    }

    /// Reports that a part of a record is not in history, and never will be.
    fn leave_out(&self, error: &Error) {
        static LIMIT: rt::log::Limit = rt::log::Limit::new(3, Duration::from_secs(60));
        self.metrics.left_out_total.inc();
        if let Some(n_left_out) = LIMIT.admit(self.clock.mono_ns()) {
            error!(%error, n_left_out, "history leaves out values that it can never store");
        }
    }

    /// Puts a record's values into a head; returns how many. The record is in the journal, so that
    /// what is wrong with one value keeps none of the others.
    fn take_at_gate(
        &self,
        gate: &mut Gate,
        writer: usize,
        record: &RecordView<'_>,
        next_lsn: Lsn,
    ) -> u64 {
        let bad = unreadable(next_lsn);
        let mut unstored = unstored(record).unwrap_or_else(|source| {
            self.leave_out(&bad(source));
            Vec::new()
        });
        // Deleted later on: that is known when the journal gives a record back.
        unstored.extend(self.store.deleted_after(next_lsn.0.saturating_sub(1)));
        unstored.sort_unstable();
        let is_stored = |id: u64| unstored.is_empty() || unstored.binary_search(&id).is_err();
        let mut head = self.store.head(writer);
        let mut n = 0;
        for row in record.numbers() {
            let taken = row.map_err(&bad).and_then(|row| {
                if row.classes.history == Retention::Nothing || !is_stored(row.item.0) {
                    return Ok(false);
                }
                take_number(&mut head, gate, &row)?;
                Ok(true)
            });
            match taken {
                Ok(taken) => n += u64::from(taken),
                Err(error) => self.leave_out(&error),
            }
        }
        for row in record.texts() {
            let taken = row.map_err(&bad).and_then(|row| {
                if row.retention == Retention::Nothing || !is_stored(row.item.0) {
                    return Ok(false);
                }
                take_text(&mut head, gate, &row)?;
                Ok(true)
            });
            match taken {
                Ok(taken) => n += u64::from(taken),
                Err(error) => self.leave_out(&error),
            }
        }
        let is_stored = |row: &TrendRow| {
            row.retention != Retention::Nothing && unstored.binary_search(&row.item.0).is_err()
        };
        let mut n_trends = 0;
        for row in record.trends() {
            let row = row.map_err(&bad);
            let taken = match row {
                Ok(row) if !is_stored(&row) => continue,
                row => row.and_then(|it| trends::take(&mut head, &it)),
            };
            match taken {
                Ok(()) => n_trends += 1,
                Err(error) => self.leave_out(&error),
            }
        }
        head.set_position(next_lsn.0);
        drop(head);
        self.applied.fetch_max(next_lsn.0, Ordering::Relaxed);
        self.values_in_memory.fetch_add(n + n_trends * TREND_AS_VALUES, Ordering::Relaxed);
        self.metrics.values_total.add(n);
        self.metrics.trends_total.add(n_trends);
        n
    }

    fn flush(&self) -> Result<Option<FlushedValues>> {
        if let Some(history) = &self.settings.buffer_of {
            return self.release(&**history).map(|()| None);
        }
        if !self.store.is_frozen() && !self.freeze() {
            return Ok(None);
        }
        // Everything that was frozen is before the end of the journal as it is now.
        self.journal.sync_once()?;
        self.write_frozen()
    }

    fn write_frozen(&self) -> Result<Option<FlushedValues>> {
        let Some(flushed) = self.store.flush()? else { return Ok(None) };
        self.cursor.store(flushed.cursor, Ordering::Relaxed);
        let (n_values, _) = retention::counts(&flushed.segments);
        let file_bytes = flushed.file_bytes();
        self.metrics.flushed_values_total.add(n_values);
        self.metrics.flushed_bytes_total.add(file_bytes);
        Ok(Some(FlushedValues { cursor: Lsn(flushed.cursor), n_values, file_bytes }))
    }

    /// Freezes all heads' values at one position; `false` if there is nothing new.
    fn freeze(&self) -> bool {
        let gates: Vec<_> = (0..self.gates.len()).map(|it| self.gate(it)).collect();
        // Of the live store that is the end of the journal: nobody is between journal and head.
        let cursor = self.applied.load(Ordering::Relaxed);
        if cursor == self.cursor.load(Ordering::Relaxed) {
            return false;
        }
        let frozen = self.store.freeze(cursor);
        if frozen {
            self.values_in_memory.store(0, Ordering::Relaxed);
            self.is_full.store(false, Ordering::Relaxed);
        }
        drop(gates);
        frozen
    }

    fn read(&self, query: &RangeQuery, limit: usize) -> Result<tsdb::StoredSamples> {
        let (key, range, order) = wanted(query);
        let samples = self.store.range(key, range, limit, order);
        self.count_damage(&samples);
        Ok(samples?)
    }

    fn count_damage<T>(&self, read: &tsdb::Result<T>) {
        if matches!(read, Err(tsdb::Error::Corrupt { .. })) {
            self.metrics.corrupt_reads_total.inc();
        }
    }
}

/// A query in terms of the engine.
fn wanted(query: &RangeQuery) -> (SeriesKey, (i64, i64), Order) {
    let key = SeriesKey { id: query.item.0, kind: payload::kind(query.kind) };
    let order = if query.newest_first { Order::Descending } else { Order::Ascending };
    // Numbers lie at whole milliseconds. Those of texts within the first and last one are
    // looked at again by their nanoseconds.
    let from_ms = if query.kind.is_numeric() {
        query.from.0.div_euclid(NS_PER_MS) + i64::from(query.from.0.rem_euclid(NS_PER_MS) != 0)
    } else {
        query.from.millis()
    };
    (key, (from_ms, query.till.millis()), order)
}

/// The samples of the engine, which `read` returns up to a limit, as values.
fn values_of(
    query: &RangeQuery,
    read: impl FnMut(usize) -> Result<tsdb::StoredSamples>,
) -> Result<HistorySamples> {
    if query.kind.is_numeric() { numbers(query, read) } else { texts(query, read) }
}

fn numbers(
    query: &RangeQuery,
    mut read: impl FnMut(usize) -> Result<tsdb::StoredSamples>,
) -> Result<HistorySamples> {
    let samples = read(query.limit)?;
    let lsn = samples.position().map(Lsn);
    let mut floats = Vec::new();
    let mut whole = Vec::new();
    for (ms, value) in samples.iter() {
        let time = Time::from_millis(ms);
        match value {
            PointValue::Float(value) => floats.push((time, value)),
            PointValue::Unsigned(value) => whole.push((time, value)),
            PointValue::Bytes(_) | PointValue::Aggregate(_) => {}
        }
    }
    let rows = if query.kind == ValueType::Float {
        SeriesRows::Float(floats)
    } else {
        SeriesRows::Unsigned(whole)
    };
    Ok(HistorySamples { rows, lsn })
}

fn texts(
    query: &RangeQuery,
    mut read: impl FnMut(usize) -> Result<tsdb::StoredSamples>,
) -> Result<HistorySamples> {
    let mut limit = query.limit;
    loop {
        let samples = read(limit)?;
        let mut rows = Vec::with_capacity(samples.len());
        for (ms, value) in samples.iter() {
            let PointValue::Bytes(bytes) = value else { continue };
            let sample = payload::decode(query.kind, ms, bytes)
                .ok_or(Error::Payload { item: query.item })?;
            rows.push(sample);
        }
        // By nanoseconds within each millisecond. The engine's order is that of arrival, turned
        // around for the newest first, and sorting keeps it among equals.
        if query.newest_first {
            rows.sort_by_key(|it| std::cmp::Reverse(it.time));
        } else {
            rows.sort_by_key(|it| it.time);
        }
        rows.retain(|it| it.time >= query.from && it.time <= query.till);
        // The end of what was read may cut through a millisecond, whose other values may come
        // before: read more, until what is wanted lies before the last millisecond.
        let is_all = samples.len() < limit;
        let edge = samples.iter().last().map(|(ms, _)| ms);
        let n_sure = rows.iter().take_while(|it| Some(it.time.millis()) != edge).count();
        if is_all || n_sure >= query.limit {
            rows.truncate(query.limit);
            let lsn = samples.position().map(Lsn);
            return Ok(HistorySamples { rows: SeriesRows::Other(rows), lsn });
        }
        limit = limit.saturating_mul(2).saturating_add(16);
    }
}

impl Store for Embedded {
    fn apply(&self, record: &RecordView<'_>, next_lsn: Lsn) -> Result<()> {
        let shared = &*self.shared;
        // A journal may have been written with another number of shards.
        let writer = usize::from(record.head().shard) % shared.gates.len().max(1);
        let mut gate = shared.gate(writer);
        if !shared.has_room(writer, record) {
            shared.is_full.store(true, Ordering::Relaxed);
            return Err(tsdb::Error::HeadFull.into());
        }
        shared.take_at_gate(&mut gate, writer, record, next_lsn);
        Ok(())
    }

    fn applied(&self) -> Lsn {
        Lsn(self.shared.applied.load(Ordering::Relaxed))
    }

    fn cursor(&self) -> Lsn {
        Lsn(self.shared.cursor.load(Ordering::Relaxed))
    }

    fn skip_to(&self, to: Lsn) -> Result<()> {
        let shared = &*self.shared;
        let _one = shared.flush.lock().expect("nobody panics while flushing");
        // Samples frozen before have a position of their own.
        shared.write_frozen()?;
        let gates: Vec<_> = (0..shared.gates.len()).map(|it| shared.gate(it)).collect();
        if shared.store.freeze(to.0) {
            shared.values_in_memory.store(0, Ordering::Relaxed);
        }
        shared.applied.store(to.0, Ordering::Relaxed);
        drop(gates);
        shared.write_frozen().map(drop)
    }

    fn trends(&self, queries: &[TrendQuery]) -> Result<Vec<Vec<Trend>>> {
        queries.iter().map(|it| self.shared.trends(it)).collect()
    }

    fn range(&self, query: &RangeQuery) -> Result<HistorySamples> {
        values_of(query, |limit| self.shared.read(query, limit))
    }
}
