//! The embedded store: the journal's values in the engine of `tsdb`.
//!
//! Writing: each shard thread owns a [`HeadWriter`]; its `commit` appends the record to the journal
//! and puts its values into the writer's head. Between the two nobody may freeze the heads, else the
//! cursor would be on the wrong side of a record: that is the writer's *gate*, a mutex that only a
//! flush contends for, and only for the moment of freezing.
//!
//! Flushing: freeze all heads at one position with all gates held, sync the journal up to there (the
//! store must never be ahead of a journal that a power cut shortened), write the segment, switch.
//! [`Embedded::flush_once`] does it; the owner calls it when [`Embedded::flush_is_due`] and at the
//! end.
//!
//! Locks, in this order: `flush`, gates by number, then the engine's.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use disk::Disk;
use journal::{Appended, Journal, Lsn, Upto};
use model::record::{Num, RecordError, RecordView};
use model::{ItemId, Time, ValueType};
use rt::metrics::{Counter, Gauge, Registry};
use tracing::{error, warn};
use tsdb::{Handle, Head, Order, SeriesKey, Tsdb, Value};

use crate::query::{RangeQuery, Rows, Samples};
use crate::store::{Store, unreadable};
use crate::{Error, Result, payload};

const NS_PER_MS: i64 = 1_000_000;
/// How many times the flush distance the store may be behind before it refuses values: memory is
/// bounded by it when flushing fails.
const BEHIND_FACTOR: u64 = 4;

rt::metrics! {
    /// The embedded history store.
    pub struct HistoryMetrics in "history_embedded" {
        /// Values put into heads.
        pub(crate) values_total: Counter,
        /// Values written to segments.
        pub(crate) flushed_values_total: Counter,
        /// Bytes of segments written.
        pub(crate) flushed_bytes_total: Counter,
        /// Flushes that failed; their values stay in memory and in the journal.
        pub(crate) flush_failures_total: Counter,
        /// Records refused because flushing is too far behind.
        pub(crate) refused_total: Counter,
        /// Reads that met damage.
        pub(crate) corrupt_reads_total: Counter,
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

#[derive(Debug, Clone)]
pub struct Settings {
    /// Flush after this much journal.
    pub flush_journal_bytes: u64,
    /// Flush after this many values.
    pub flush_values: u64,
    /// After a start, pass over damaged records of the journal instead of refusing.
    pub pass_over_damage: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            // Some 64 to 100 million values, of which a start reads 10 million a second.
            flush_journal_bytes: 512 << 20,
            // 300 MB in blocks, a minute of a million values a second.
            flush_values: 60_000_000,
            pass_over_damage: false,
        }
    }
}

/// What a start read back from the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replayed {
    pub n_records: u64,
    pub n_values: u64,
    /// Only with [`Settings::pass_over_damage`].
    pub lost: Vec<journal::Lost>,
}

/// What a flush wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flushed {
    pub cursor: Lsn,
    pub n_values: u64,
    pub file_bytes: u64,
}

/// The store; clones are the same store.
#[derive(Debug, Clone)]
pub struct Embedded {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    journal: Journal,
    store: Tsdb,
    settings: Settings,
    metrics: HistoryMetrics,
    flush: Mutex<()>,
    /// By writer: what its neighborly guesses begin with.
    gates: Vec<Mutex<Gate>>,
    cursor: AtomicU64,
    values_in_memory: AtomicU64,
    /// A record went to the journal whose values could not be taken: the cursor must not pass it.
    is_incomplete: AtomicBool,
}

/// Held by a writer from before a record is appended until its values are in the head.
#[derive(Debug)]
struct Gate {
    near: Handle,
    scratch: Vec<u8>,
}

/// One shard's way to write.
#[derive(Debug)]
pub struct HeadWriter {
    shared: Arc<Shared>,
    writer: u16,
}

impl Embedded {
    /// Opens the store in `dir`, with a head for each of `n_writers` shard threads. Call
    /// [`Self::replay`] before anything is written or read.
    ///
    /// # Errors
    /// The folder or its manifest can't be read.
    pub fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        journal: Journal,
        n_writers: u16,
        (settings, registry): (Settings, &Registry),
    ) -> Result<(Self, tsdb::Recovered)> {
        let (store, recovered) = Tsdb::open(disk, dir, n_writers.into())?;
        for damaged in &recovered.damaged {
            error!(%damaged, "a history file cannot be opened; values of its time cannot be read");
        }
        let new_gate = |_| Mutex::new(Gate { near: Head::before_first(), scratch: Vec::new() });
        let shared = Shared {
            journal,
            store,
            settings,
            metrics: HistoryMetrics::register(registry),
            flush: Mutex::new(()),
            gates: (0..n_writers).map(new_gate).collect(),
            cursor: AtomicU64::new(recovered.cursor),
            values_in_memory: AtomicU64::new(0),
            is_incomplete: AtomicBool::new(false),
        };
        Ok((Self { shared: Arc::new(shared) }, recovered))
    }

    /// Takes the values of the journal from the cursor on. Nothing may be written meanwhile.
    ///
    /// # Errors
    /// The journal does not hold what is missing, or is damaged (see
    /// [`Settings::pass_over_damage`]).
    pub fn replay(&self) -> Result<Replayed> {
        let shared = &*self.shared;
        let (cursor, first) = (self.cursor(), shared.journal.first_lsn());
        let next = shared.journal.next_lsn();
        if cursor < first || cursor > next {
            return Err(Error::Gap { cursor, first, next });
        }
        let mut reader = shared.journal.reader(cursor, Upto::Written)?;
        let mut replayed = Replayed::default();
        loop {
            match reader.next() {
                Ok(None) => break,
                Ok(Some(record)) => {
                    let view = RecordView::parse(record.payload).map_err(unreadable(record.lsn))?;
                    let n_writers = shared.gates.len().max(1);
                    let writer = usize::from(view.head().shard) % n_writers;
                    let n = shared.take(writer, &view, record.next_lsn)?;
                    replayed.n_records += 1;
                    replayed.n_values += n;
                }
                Err(error @ journal::Error::Corrupt { .. }) if shared.settings.pass_over_damage => {
                    let lost = reader.skip_damage()?;
                    warn!(%error, from = %lost.from, to = %lost.to, "records are passed over");
                    replayed.lost.push(lost);
                }
                Err(error) => return Err(error.into()),
            }
        }
        for writer in 0..shared.store.n_heads() {
            shared.store.head(writer).set_position(next.0);
        }
        Ok(replayed)
    }

    /// A shard's way to write; one for each number below `n_writers`.
    #[must_use]
    pub fn writer(&self, writer: u16) -> HeadWriter {
        assert!(usize::from(writer) < self.shared.gates.len(), "there is no writer {writer}");
        HeadWriter { shared: Arc::clone(&self.shared), writer }
    }

    /// Whether enough has come together for a segment, or one waits to be written.
    #[must_use]
    pub fn flush_is_due(&self) -> bool {
        let shared = &*self.shared;
        shared.lag_bytes() >= shared.settings.flush_journal_bytes
            || shared.values_in_memory.load(Ordering::Relaxed) >= shared.settings.flush_values
            || shared.store.is_frozen()
    }

    /// Writes what is in memory to a segment. `None` if there was nothing new in the journal.
    ///
    /// # Errors
    /// Nothing is lost: the values stay in memory and in the journal.
    pub fn flush_once(&self) -> Result<Option<Flushed>> {
        let shared = &*self.shared;
        let _one = shared.flush.lock().expect("nobody panics while flushing");
        let result = shared.flush();
        if result.is_err() {
            shared.metrics.flush_failures_total.inc();
        }
        self.observe();
        result
    }

    /// Brings the gauges up to date.
    pub fn observe(&self) {
        let shared = &*self.shared;
        let metrics = &shared.metrics;
        metrics.memory_values.set_n(usize_of(shared.store.n_values_in_memory()));
        metrics.memory_bytes.set_n(usize_of(shared.store.memory_bytes()));
        metrics.lag_bytes.set_n(usize_of(shared.lag_bytes()));
        metrics.segments.set_n(shared.store.segments().len());
    }

    /// The engine: for statistics and verification.
    #[must_use]
    pub fn engine(&self) -> &Tsdb {
        &self.shared.store
    }
}

fn usize_of(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

impl HeadWriter {
    /// Appends a record to the journal, with `n_ids` ids for its events, and shows its values to
    /// readers, in one step that neither a flush nor a crash divides.
    ///
    /// # Errors
    /// Nothing was written. The journal refuses, or flushing is too far behind: try again later.
    pub fn commit(&mut self, payload: &[u8], n_ids: u32) -> Result<Appended> {
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
        let appended = shared.journal.append(payload, n_ids)?;
        let taken = shared.take_at_gate(&mut gate, self.writer.into(), &record, appended.next_lsn);
        drop(gate);
        if let Err(error) = taken {
            // The record is durable, its values come back with the next start.
            shared.is_incomplete.store(true, Ordering::Relaxed);
            error!(%error, lsn = %appended.lsn, "values of a record cannot be shown before a restart");
        }
        Ok(appended)
    }
}

impl HeadWriter {
    /// Gives back what the newest values of items hold that are deleted. What lies in segments
    /// stays there.
    pub fn forget(&mut self, items: &[ItemId]) {
        let shared = &*self.shared;
        // As a writer does: a flush waits.
        let _gate = shared.gate(self.writer.into());
        let mut head = shared.store.head(self.writer.into());
        for item in items {
            for value_type in ValueType::ALL {
                head.forget(SeriesKey { id: item.0, kind: payload::kind(*value_type) });
            }
        }
    }
}

/// Items whose values history does not keep, sorted.
fn unstored(record: &RecordView<'_>) -> std::result::Result<Vec<u64>, RecordError> {
    let mut items =
        record.unstored().map(|it| Ok(it?.0)).collect::<std::result::Result<Vec<_>, _>>()?;
    items.sort_unstable();
    Ok(items)
}

impl Shared {
    fn gate(&self, writer: usize) -> MutexGuard<'_, Gate> {
        let gate = self.gates.get(writer).expect("a writer has a gate");
        gate.lock().expect("nobody panics at a gate")
    }

    fn lag_bytes(&self) -> u64 {
        let cursor = self.cursor.load(Ordering::Relaxed);
        self.journal.next_lsn().0.saturating_sub(cursor)
    }

    fn take(&self, writer: usize, record: &RecordView<'_>, next_lsn: Lsn) -> Result<u64> {
        self.take_at_gate(&mut self.gate(writer), writer, record, next_lsn)
    }

    /// Puts a record's values into a head; returns how many.
    fn take_at_gate(
        &self,
        gate: &mut Gate,
        writer: usize,
        record: &RecordView<'_>,
        next_lsn: Lsn,
    ) -> Result<u64> {
        let bad = unreadable(next_lsn);
        let unstored = unstored(record).map_err(&bad)?;
        let is_stored = |id: u64| unstored.is_empty() || unstored.binary_search(&id).is_err();
        let mut head = self.store.head(writer);
        let mut n = 0;
        for row in record.numbers() {
            let row = row.map_err(&bad)?;
            let id = row.item.0;
            if !is_stored(id) {
                continue;
            }
            match row.value {
                Num::Float(value) => {
                    let key = SeriesKey { id, kind: tsdb::Kind::FLOAT };
                    gate.near = head.series_after(gate.near, key)?;
                    head.float(gate.near, row.ms, value)?;
                }
                Num::Unsigned(value) => {
                    let key = SeriesKey { id, kind: tsdb::Kind::UNSIGNED };
                    gate.near = head.series_after(gate.near, key)?;
                    head.unsigned(gate.near, row.ms, value)?;
                }
            }
            n += 1;
        }
        for row in record.texts() {
            let row = row.map_err(&bad)?;
            if !is_stored(row.item.0) {
                continue;
            }
            let key = SeriesKey { id: row.item.0, kind: payload::kind(row.value_type) };
            let handle = head.series(key)?;
            payload::encode(&row, &mut gate.scratch);
            head.bytes(handle, row.time.millis(), &gate.scratch)?;
            n += 1;
        }
        head.set_position(next_lsn.0);
        drop(head);
        self.values_in_memory.fetch_add(n, Ordering::Relaxed);
        self.metrics.values_total.add(n);
        Ok(n)
    }

    fn flush(&self) -> Result<Option<Flushed>> {
        if !self.store.is_frozen() && !self.freeze() {
            return Ok(None);
        }
        // Everything that was frozen is before the end of the journal as it is now.
        self.journal.sync_once()?;
        let Some(flushed) = self.store.flush()? else { return Ok(None) };
        self.cursor.store(flushed.cursor, Ordering::Relaxed);
        let n_values = flushed.segment.map_or(0, |it| it.n_values);
        let file_bytes = flushed.segment.map_or(0, |it| it.file_bytes);
        self.metrics.flushed_values_total.add(n_values);
        self.metrics.flushed_bytes_total.add(file_bytes);
        Ok(Some(Flushed { cursor: Lsn(flushed.cursor), n_values, file_bytes }))
    }

    /// Takes all heads' values aside at one position; `false` if there is nothing new.
    fn freeze(&self) -> bool {
        let gates: Vec<_> = (0..self.gates.len()).map(|it| self.gate(it)).collect();
        let cursor = self.journal.next_lsn().0;
        if cursor == self.cursor.load(Ordering::Relaxed)
            || self.is_incomplete.load(Ordering::Relaxed)
        {
            return false;
        }
        let frozen = self.store.freeze(cursor);
        if frozen {
            self.values_in_memory.store(0, Ordering::Relaxed);
        }
        drop(gates);
        frozen
    }

    fn read(&self, query: &RangeQuery, limit: usize) -> Result<tsdb::Samples> {
        let key = SeriesKey { id: query.item.0, kind: payload::kind(query.kind) };
        let order = if query.newest_first { Order::Descending } else { Order::Ascending };
        // Numbers lie at whole milliseconds. Those of texts within the first and last one are
        // looked at again by their nanoseconds.
        let from_ms = if query.kind.is_numeric() {
            query.from.0.div_euclid(NS_PER_MS) + i64::from(query.from.0.rem_euclid(NS_PER_MS) != 0)
        } else {
            query.from.millis()
        };
        let samples = self.store.range(key, (from_ms, query.till.millis()), limit, order);
        if matches!(samples, Err(tsdb::Error::Corrupt { .. })) {
            self.metrics.corrupt_reads_total.inc();
        }
        Ok(samples?)
    }

    fn numbers(&self, query: &RangeQuery) -> Result<Samples> {
        let samples = self.read(query, query.limit)?;
        let lsn = samples.position().map(Lsn);
        let mut floats = Vec::new();
        let mut whole = Vec::new();
        for (ms, value) in samples.iter() {
            let time = Time::from_millis(ms);
            match value {
                Value::Float(value) => floats.push((time, value)),
                Value::Unsigned(value) => whole.push((time, value)),
                Value::Bytes(_) => {}
            }
        }
        let rows = if query.kind == ValueType::Float {
            Rows::Float(floats)
        } else {
            Rows::Unsigned(whole)
        };
        Ok(Samples { rows, lsn })
    }

    fn texts(&self, query: &RangeQuery) -> Result<Samples> {
        let mut limit = query.limit;
        loop {
            let samples = self.read(query, limit)?;
            let mut rows = Vec::with_capacity(samples.len());
            for (ms, value) in samples.iter() {
                let Value::Bytes(bytes) = value else { continue };
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
                return Ok(Samples { rows: Rows::Other(rows), lsn });
            }
            limit = limit.saturating_mul(2).saturating_add(16);
        }
    }
}

impl Store for Embedded {
    fn apply(&self, writer: u16, record: &RecordView<'_>, next_lsn: Lsn) -> Result<()> {
        self.shared.take(writer.into(), record, next_lsn).map(|_n| ())
    }

    fn cursor(&self) -> Lsn {
        Lsn(self.shared.cursor.load(Ordering::Relaxed))
    }

    fn range(&self, query: &RangeQuery) -> Result<Samples> {
        if query.kind.is_numeric() { self.shared.numbers(query) } else { self.shared.texts(query) }
    }
}
