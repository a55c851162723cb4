//! The store: heads, what was frozen, and segments, seen as one.
//!
//! A value is in exactly one of them at any time that a reader can see: freezing and the switch to
//! a new segment happen under the write lock of `state`, and a reader looks at the heads and takes
//! hold of the rest under its read lock. Locks, in this order: `flush`
//! or `merging`, `garbage`, `state`, one head.

mod delete;
mod flush;
mod merge;
mod merge_run;
mod plan;
mod read;
mod shares;
mod switch;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard};

use crate::head::names::Names;
use crate::head::{Head, HeadData};
use crate::manifest::{self, Deletion, Manifest, SegmentInfo, segment_path};
use crate::segment::{Scan, Segment};
use crate::series::{Order, RetentionClass, StoredSamples, Wanted};
use crate::{Error, Result, SeriesKey};
use disk::Disk;
use merge_run::Merging;

pub use merge_run::MergeStep;
pub use shares::Shares;

/// The state that [`Tsdb::open`] found.
#[derive(Debug, Clone, Default)]
pub struct RecoveredStore {
    /// Position in the journal from which its records are not in segments yet.
    pub cursor: u64,
    pub n_segments: usize,
    pub n_values: u64,
    /// Segments that can't be opened. Reads of their times fail; the others live.
    pub damaged: Vec<Error>,
    /// Files that no manifest names, left over from a flush that was not finished; now removed.
    pub n_orphans: usize,
}

/// The result of a flush.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flushed {
    pub cursor: u64,
    /// One for each class that had values.
    pub segments: Vec<SegmentInfo>,
}

impl Flushed {
    #[must_use]
    pub fn n_values(&self) -> u64 {
        self.segments.iter().map(|it| it.n_values).sum()
    }

    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.segments.iter().map(|it| it.file_bytes).sum()
    }
}

/// Counts since opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    pub flushes: u64,
    pub flush_failures: u64,
    pub flushed_values: u64,
    pub flushed_bytes: u64,
    /// Segments, values and bytes that were dropped because of their age.
    pub expired_segments: u64,
    pub expired_values: u64,
    pub expired_bytes: u64,
    /// Merges that are done, and what they wrote.
    pub merges: u64,
    pub merged_values: u64,
    pub merged_bytes: u64,
    /// Reads that met damage.
    pub corrupt_reads: u64,
}

#[derive(Debug, Default)]
struct Tally {
    flushes: AtomicU64,
    flush_failures: AtomicU64,
    flushed_values: AtomicU64,
    flushed_bytes: AtomicU64,
    expired_segments: AtomicU64,
    expired_values: AtomicU64,
    expired_bytes: AtomicU64,
    merges: AtomicU64,
    merged_values: AtomicU64,
    merged_bytes: AtomicU64,
    corrupt_reads: AtomicU64,
}

/// The store; clones are the same store.
#[derive(Debug, Clone)]
pub struct Tsdb {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    heads: Vec<Mutex<Head>>,
    flush: Mutex<()>,
    merging: Mutex<Merging>,
    state: RwLock<StoreState>,
    /// Held while the manifest is replaced: segments whose files are to be removed once one has been
    /// stored that does not name them.
    garbage: Mutex<BTreeSet<u64>>,
    tally: Tally,
}

#[derive(Debug)]
struct StoreState {
    cursor: u64,
    next_number: u64,
    retention_clock_ms: Option<i64>,
    /// In the order of the manifest.
    segments: Vec<OpenSegment>,
    deletions: Deletions,
    frozen: Option<Arc<Frozen>>,
}

/// In which of several segments of a class the samples of a time are. Does not descend with time.
type SpanOf<'a> = &'a dyn Fn(RetentionClass, i64) -> i64;

/// By id.
type Deletions = BTreeMap<u64, Deletion>;

/// A segment of the manifest, open or not to be opened.
#[derive(Debug, Clone)]
struct OpenSegment {
    info: SegmentInfo,
    segment: Result<Arc<Segment>>,
}

/// Samples taken out of all heads at one position of the journal.
#[derive(Debug)]
struct Frozen {
    cursor: u64,
    parts: Vec<FrozenPart>,
}

#[derive(Debug)]
struct FrozenPart {
    names: Names,
    data: HeadData,
}

impl Tsdb {
    /// Opens the store in `dir`, making both if needed, with a head for each of `n_heads` writers.
    ///
    /// # Errors
    /// The folder can't be read or written, or the manifest is damaged or of another version.
    pub fn open(disk: Arc<dyn Disk>, dir: &Path, n_heads: usize) -> Result<(Self, RecoveredStore)> {
        disk.create_dir_all(dir).map_err(|error| Error::io("create", dir, error))?;
        let (manifest, damage) = Manifest::load(&*disk, dir)?;
        // Before files are removed that an older manifest might name.
        disk.sync_dir(dir).map_err(|error| Error::io("sync", dir, error))?;
        let n_orphans = remove_orphans(&*disk, dir, &manifest)?;
        let segments: Vec<OpenSegment> =
            manifest.segments.iter().map(|it| open_slot(&*disk, dir, *it)).collect();
        let recovered = RecoveredStore {
            cursor: manifest.cursor,
            n_segments: segments.len(),
            n_values: segments.iter().map(|it| it.info.n_values).sum(),
            damaged: (damage.into_iter())
                .chain(segments.iter().filter_map(|it| it.segment.as_ref().err().cloned()))
                .collect(),
            n_orphans,
        };
        let inner = Inner {
            disk,
            dir: dir.to_owned(),
            heads: (0..n_heads).map(|_| Mutex::default()).collect(),
            flush: Mutex::new(()),
            merging: Mutex::default(),
            state: RwLock::new(StoreState {
                cursor: manifest.cursor,
                next_number: manifest.next_number,
                retention_clock_ms: manifest.retention_clock_ms,
                segments,
                deletions: manifest.deletions.iter().map(|it| (it.id, *it)).collect(),
                frozen: None,
            }),
            garbage: Mutex::default(),
            tally: Tally::default(),
        };
        Ok((Self { inner: Arc::new(inner) }, recovered))
    }

    /// The head of a writer, for as long as the guard lives.
    ///
    /// # Panics
    /// There is no such writer.
    pub fn head(&self, writer: usize) -> MutexGuard<'_, Head> {
        let head = self.inner.heads.get(writer).expect("a writer has a head");
        head.lock().expect("nobody panics with a head")
    }

    #[must_use]
    pub fn n_heads(&self) -> usize {
        self.inner.heads.len()
    }

    /// Everything before this position of the journal is in segments, nothing after it.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.inner.read_state().cursor
    }

    /// Freezes what the heads hold, to be written by [`Self::flush`]; it stays readable.
    /// `false` if what was taken before is not written yet.
    ///
    /// The caller makes sure that at this moment the heads hold what the journal has before
    /// `cursor`, all of it and nothing else: no writer may be between journal and head.
    #[must_use]
    pub fn freeze(&self, cursor: u64) -> bool {
        let mut state = self.inner.state.write().expect("nobody panics with the state");
        if state.frozen.is_some() {
            return false;
        }
        let parts = self.inner.heads.iter().map(|head| {
            let mut head = head.lock().expect("nobody panics with a head");
            let (names, data) = head.take();
            FrozenPart { names, data }
        });
        state.frozen = Some(Arc::new(Frozen { cursor, parts: parts.collect() }));
        true
    }

    /// Throws away what the heads hold: it comes once more.
    pub fn empty_heads(&self) {
        for head in &self.inner.heads {
            drop(head.lock().expect("nobody panics with a head").take());
        }
    }

    /// Whether something waits to be flushed.
    #[must_use]
    pub fn is_frozen(&self) -> bool {
        self.inner.read_state().frozen.is_some()
    }

    /// Writes what was frozen to segments, one for each class, and switches to them. `None` if
    /// nothing was frozen.
    ///
    /// Takes as long as the disk does, in the caller's thread; readers and writers go on. The
    /// caller makes sure that the journal is durable up to the position that was given to
    /// [`Self::freeze`]: else a power cut could leave the store ahead of the journal.
    ///
    /// # Errors
    /// Nothing is lost: frozen samples stay, to be flushed by another call.
    pub fn flush(&self) -> Result<Option<Flushed>> {
        self.flush_frozen(None)
    }

    /// As [`Self::flush`], with a segment for each class and span of time: for old samples that come series by
    /// series. `span_of` returns the span of a class and a time (milliseconds since 1970), never
    /// descending with time; as many segments are written at once as there are spans.
    ///
    /// # Errors
    /// As [`Self::flush`].
    pub fn flush_by_span(
        &self,
        span_of: &dyn Fn(RetentionClass, i64) -> i64,
    ) -> Result<Option<Flushed>> {
        self.flush_frozen(Some(span_of))
    }

    fn flush_frozen(&self, span_of: Option<SpanOf<'_>>) -> Result<Option<Flushed>> {
        let _one = self.inner.flush.lock().expect("nobody panics while flushing");
        let frozen = self.inner.read_state().frozen.clone();
        let Some(frozen) = frozen else { return Ok(None) };
        let result = self.inner.write_frozen(&frozen, span_of);
        let tally = &self.inner.tally;
        match &result {
            Ok(flushed) => {
                tally.flushes.fetch_add(1, Ordering::Relaxed);
                tally.flushed_values.fetch_add(flushed.n_values(), Ordering::Relaxed);
                tally.flushed_bytes.fetch_add(flushed.file_bytes(), Ordering::Relaxed);
            }
            Err(_) => {
                tally.flush_failures.fetch_add(1, Ordering::Relaxed);
            }
        }
        result.map(Some)
    }

    /// Drops the segments of a class whose newest value is older than the class keeps values:
    /// `keeps_from` says from when on, `None` for ever. Returns them, oldest first.
    ///
    /// # Errors
    /// The manifest can't be replaced: nothing was dropped.
    pub fn expire(
        &self,
        keeps_from: impl Fn(RetentionClass) -> Option<i64>,
    ) -> Result<Vec<SegmentInfo>> {
        let mut merging = self.inner.merging.lock().expect("nobody panics while merging");
        let is_over = |it: &SegmentInfo| keeps_from(it.class).is_some_and(|from| it.max_ms < from);
        let expired: Vec<_> = self.segments().into_iter().filter(is_over).collect();
        self.inner.drop_segments(&mut merging, &expired)?;
        let tally = &self.inner.tally;
        for segment in &expired {
            tally.expired_segments.fetch_add(1, Ordering::Relaxed);
            tally.expired_values.fetch_add(segment.n_values, Ordering::Relaxed);
            tally.expired_bytes.fetch_add(segment.file_bytes, Ordering::Relaxed);
        }
        Ok(expired)
    }

    /// Drops segments until their files take no more than `bytes_max`: of classes with the lowest
    /// `rank` first, and of those the ones whose newest values are the oldest; of each rank the
    /// newest one stays. Returns them in this order.
    ///
    /// # Errors
    /// The manifest can't be replaced: nothing was dropped.
    pub fn shrink(
        &self,
        bytes_max: u64,
        rank: impl Fn(RetentionClass) -> u8,
    ) -> Result<Vec<SegmentInfo>> {
        let mut merging = self.inner.merging.lock().expect("nobody panics while merging");
        let mut segments = self.segments();
        segments.sort_by_key(|it| (rank(it.class), it.max_ms));
        let mut left: u64 = segments.iter().map(|it| it.file_bytes).sum();
        // Sorted: the newest of a rank has none of its rank after it.
        let ranks: Vec<u8> = segments.iter().map(|it| rank(it.class)).collect();
        let mut of_next = ranks.iter().skip(1).zip(&ranks).map(|(next, own)| next == own);
        segments.retain(|it| {
            let is_dropped = of_next.next() == Some(true) && bytes_max < left;
            left -= if is_dropped { it.file_bytes } else { 0 };
            is_dropped
        });
        self.inner.drop_segments(&mut merging, &segments)?;
        Ok(segments)
    }

    /// How far the clock has come by which its user lets segments expire; `None` if it was never
    /// set.
    #[must_use]
    pub fn retention_clock_ms(&self) -> Option<i64> {
        self.inner.read_state().retention_clock_ms
    }

    /// Sets that clock. It is stored with the next manifest.
    pub fn set_retention_clock_ms(&self, ms: i64) {
        let mut state = self.inner.state.write().expect("nobody panics with the state");
        state.retention_clock_ms = Some(ms);
    }

    /// Samples of a series with times in `from_ms..=to_ms`, at most `limit` from the end that
    /// `order` begins with. Samples of the same time come in order of arrival.
    ///
    /// # Errors
    /// A file can't be read or is damaged where the samples are, or may be.
    pub fn range(
        &self,
        key: SeriesKey,
        (from_ms, to_ms): (i64, i64),
        limit: usize,
        order: Order,
    ) -> Result<StoredSamples> {
        let wanted = Wanted { from: from_ms, to: to_ms, limit, order };
        let result = self.inner.query(key, wanted);
        if matches!(result, Err(Error::Corrupt { .. })) {
            self.inner.tally.corrupt_reads.fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    /// As [`Self::range`], of what is in memory alone: samples of the journal's records from the position on
    /// that comes with them, and of none before.
    #[must_use]
    pub fn range_in_memory(
        &self,
        key: SeriesKey,
        (from_ms, to_ms): (i64, i64),
        limit: usize,
        order: Order,
    ) -> (StoredSamples, u64) {
        self.inner.query_memory(key, Wanted { from: from_ms, to: to_ms, limit, order })
    }

    /// Has the journal's records from `cursor` on in memory, whatever the segments hold: for who keeps nothing
    /// else. Heads are empty.
    pub fn begin_at(&self, cursor: u64) {
        self.empty_heads();
        let mut state = self.inner.state.write().expect("nobody panics with the state");
        state.frozen = None;
        state.cursor = cursor;
    }

    /// Lets go of what was frozen, without a segment: somebody else has it. The position before which
    /// nothing is in memory any more.
    pub fn forget_frozen(&self) -> Option<u64> {
        let mut state = self.inner.state.write().expect("nobody panics with the state");
        let frozen = state.frozen.take()?;
        state.cursor = frozen.cursor;
        Some(frozen.cursor)
    }

    /// The position up to which something is frozen.
    #[must_use]
    pub fn frozen_cursor(&self) -> Option<u64> {
        self.inner.read_state().frozen.as_ref().map(|it| it.cursor)
    }

    /// Stores how far the store is, as a flush does, without a segment.
    ///
    /// # Errors
    /// The manifest can't be replaced.
    pub fn store_cursor(&self) -> Result<()> {
        self.inner.switch(None, |_| {})
    }

    /// The newest `n` samples of a series at or before `to_ms`, newest first.
    ///
    /// # Errors
    /// As [`Self::range`].
    pub fn last_n(&self, key: SeriesKey, n: usize, to_ms: i64) -> Result<StoredSamples> {
        self.range(key, (i64::MIN, to_ms), n, Order::Descending)
    }

    /// The segments, oldest first.
    #[must_use]
    pub fn segments(&self) -> Vec<SegmentInfo> {
        self.inner.read_state().infos()
    }

    /// All series that have samples in segments, ascending: for statistics and verification.
    ///
    /// # Errors
    /// A file can't be read or is damaged.
    pub fn stored_series(&self) -> Result<BTreeSet<SeriesKey>> {
        let slots = self.inner.read_state().segments.clone();
        let mut keys = BTreeSet::new();
        for slot in slots {
            let deleted = self.inner.deleted_in(slot.info.number);
            keys.extend(slot.segment?.keys()?.into_iter().filter(|it| !deleted.contains(&it.id)));
        }
        Ok(keys)
    }

    /// Goes through all samples of segments, each of them decoded: class, series and time (milliseconds).
    ///
    /// # Errors
    /// A file can't be read or is damaged.
    pub fn each_sample(&self, mut each: impl FnMut(RetentionClass, SeriesKey, i64)) -> Result<()> {
        let slots = self.inner.read_state().segments.clone();
        for slot in slots {
            let deleted = self.inner.deleted_in(slot.info.number);
            let mut scan = Scan::new(slot.segment?, deleted)?;
            while let Some((key, _)) = scan.place() {
                let mut samples = StoredSamples::new(key.kind);
                scan.take(i64::MAX, &mut samples)?;
                samples.points.iter().for_each(|it| each(slot.info.class, key, it.ms));
            }
        }
        Ok(())
    }

    /// All series that may have samples, in segments or in memory, ascending.
    ///
    /// # Errors
    /// A file can't be read or is damaged.
    pub fn series(&self) -> Result<BTreeSet<SeriesKey>> {
        let mut keys = BTreeSet::new();
        // Memory first: samples flushed in between are then in a segment.
        let frozen = self.inner.read_state().frozen.clone();
        for part in frozen.iter().flat_map(|it| &it.parts) {
            keys.extend(part.names.keys());
        }
        for head in &self.inner.heads {
            keys.extend(head.lock().expect("nobody panics with a head").keys());
        }
        keys.extend(self.stored_series()?);
        Ok(keys)
    }

    #[must_use]
    pub fn counters(&self) -> Counters {
        let tally = &self.inner.tally;
        Counters {
            flushes: tally.flushes.load(Ordering::Relaxed),
            flush_failures: tally.flush_failures.load(Ordering::Relaxed),
            flushed_values: tally.flushed_values.load(Ordering::Relaxed),
            flushed_bytes: tally.flushed_bytes.load(Ordering::Relaxed),
            expired_segments: tally.expired_segments.load(Ordering::Relaxed),
            expired_values: tally.expired_values.load(Ordering::Relaxed),
            expired_bytes: tally.expired_bytes.load(Ordering::Relaxed),
            merges: tally.merges.load(Ordering::Relaxed),
            merged_values: tally.merged_values.load(Ordering::Relaxed),
            merged_bytes: tally.merged_bytes.load(Ordering::Relaxed),
            corrupt_reads: tally.corrupt_reads.load(Ordering::Relaxed),
        }
    }

    /// Values that are not in segments yet, without aggregates.
    #[must_use]
    pub fn n_values_in_memory(&self) -> u64 {
        let state = self.inner.read_state();
        let frozen = state.frozen.as_ref();
        let frozen = frozen.map_or(0, |it| it.parts.iter().map(|part| part.data.n_values).sum());
        let heads = self.inner.heads.iter();
        let heads: u64 =
            heads.map(|it| it.lock().expect("nobody panics with a head").n_values()).sum();
        frozen + heads
    }

    /// Memory held by heads and directories, about.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        let state = self.inner.read_state();
        let open = state.segments.iter().filter_map(|it| it.segment.as_ref().ok());
        let directories: u64 = open.map(|it| it.memory_bytes()).sum();
        let frozen = state.frozen.as_ref();
        let frozen: u64 =
            frozen.map_or(0, |it| it.parts.iter().map(|part| part.data.memory_bytes()).sum());
        let heads = self.inner.heads.iter();
        let heads: u64 =
            heads.map(|it| it.lock().expect("nobody panics with a head").memory_bytes()).sum();
        directories + frozen + heads
    }
}

/// The segments of a store, oldest first, as its manifest names them now: also of one that somebody has open.
///
/// # Errors
/// The manifest can't be read.
pub fn segments_in(disk: &dyn Disk, dir: &Path) -> Result<Vec<SegmentInfo>> {
    Ok(Manifest::load(disk, dir)?.0.segments)
}

fn remove_orphans(disk: &dyn Disk, dir: &Path, manifest: &Manifest) -> Result<usize> {
    let known: BTreeSet<u64> = manifest.segments.iter().map(|it| it.number).collect();
    let mut n_orphans = 0;
    for name in disk.list(dir).map_err(|error| Error::io("list", dir, error))? {
        let orphan = manifest::segment_number(&name).is_some_and(|it| !known.contains(&it));
        if orphan {
            let path = dir.join(name);
            disk.remove(&path).map_err(|error| Error::io("remove", path, error))?;
            n_orphans += 1;
        }
    }
    Ok(n_orphans)
}

fn open_slot(disk: &dyn Disk, dir: &Path, info: SegmentInfo) -> OpenSegment {
    let path = segment_path(dir, info.number);
    let segment = Segment::open(disk, &path).and_then(|segment| {
        let totals = segment.totals();
        if (totals.n_values, totals.n_series) == (info.n_values, info.n_series) {
            Ok(Arc::new(segment))
        } else {
            let reason = "the manifest says something else of it";
            Err(Error::Corrupt { path, offset: 0, reason })
        }
    });
    OpenSegment { info, segment }
}

impl Inner {
    fn drop_segments(&self, merging: &mut Merging, dropped: &[SegmentInfo]) -> Result<()> {
        if dropped.is_empty() {
            return Ok(());
        }
        if let Some(number) = merging.give_up(dropped) {
            self.abandon(number);
        }
        self.switch(None, |all| all.retain(|it| !dropped.contains(&it.info)))
    }

    fn read_state(&self) -> RwLockReadGuard<'_, StoreState> {
        self.state.read().expect("nobody panics with the state")
    }
}
