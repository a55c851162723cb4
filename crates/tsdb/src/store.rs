//! The store: heads, what was frozen, and segments, seen as one.
//!
//! A value is in exactly one of them at any time that a reader can see: freezing and the switch to
//! a new segment happen under the write lock of `state`, and a reader looks at the heads and takes
//! hold of the rest under its read lock. Locks, in this order: `flush`, `state`, one head.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard};

use crate::head::{Handle, Head, HeadData};
use crate::manifest::{self, Manifest, SegmentInfo, segment_path};
use crate::segment::{Segment, SegmentWriter};
use crate::series::{Order, Point, Samples, Wanted};
use crate::{Error, Result, SeriesKey};
use disk::Disk;

/// What [`Tsdb::open`] found.
#[derive(Debug, Clone, Default)]
pub struct Recovered {
    /// Position in the journal from which its records are not in segments yet.
    pub cursor: u64,
    pub n_segments: usize,
    pub n_values: u64,
    /// Segments that can't be opened. Reads of their times fail; the others live.
    pub damaged: Vec<Error>,
    /// Files that no manifest names, left over from a flush that was not finished; now removed.
    pub n_orphans: usize,
}

/// What a flush wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flushed {
    pub cursor: u64,
    /// `None` if there were no values.
    pub segment: Option<SegmentInfo>,
}

/// What has happened since opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    pub flushes: u64,
    pub flush_failures: u64,
    pub flushed_values: u64,
    pub flushed_bytes: u64,
    /// Reads that met damage.
    pub corrupt_reads: u64,
}

#[derive(Debug, Default)]
struct Tally {
    flushes: AtomicU64,
    flush_failures: AtomicU64,
    flushed_values: AtomicU64,
    flushed_bytes: AtomicU64,
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
    state: RwLock<StoreState>,
    tally: Tally,
}

#[derive(Debug)]
struct StoreState {
    manifest: Manifest,
    /// In the order of the manifest.
    segments: Vec<OpenSegment>,
    frozen: Option<Arc<Frozen>>,
}

/// A segment of the manifest, open or not to be opened.
#[derive(Debug, Clone)]
struct OpenSegment {
    info: SegmentInfo,
    segment: Result<Arc<Segment>>,
}

/// What was taken out of all heads at one position of the journal.
#[derive(Debug)]
struct Frozen {
    cursor: u64,
    parts: Vec<FrozenPart>,
}

#[derive(Debug)]
struct FrozenPart {
    /// By handle.
    keys: Vec<SeriesKey>,
    data: HeadData,
}

impl Tsdb {
    /// Opens the store in `dir`, making both if needed, with a head for each of `n_heads` writers.
    ///
    /// # Errors
    /// The folder can't be read or written, or the manifest is damaged or of another version.
    pub fn open(disk: Arc<dyn Disk>, dir: &Path, n_heads: usize) -> Result<(Self, Recovered)> {
        disk.create_dir_all(dir).map_err(|error| Error::io("create", dir, error))?;
        let manifest = Manifest::load(&*disk, dir)?;
        // Before files are removed that an older manifest might name.
        disk.sync_dir(dir).map_err(|error| Error::io("sync", dir, error))?;
        let n_orphans = remove_orphans(&*disk, dir, &manifest)?;
        let segments: Vec<OpenSegment> =
            manifest.segments.iter().map(|it| open_slot(&*disk, dir, *it)).collect();
        let recovered = Recovered {
            cursor: manifest.cursor,
            n_segments: segments.len(),
            n_values: segments.iter().map(|it| it.info.n_values).sum(),
            damaged: segments.iter().filter_map(|it| it.segment.as_ref().err().cloned()).collect(),
            n_orphans,
        };
        let inner = Inner {
            disk,
            dir: dir.to_owned(),
            heads: (0..n_heads).map(|_| Mutex::default()).collect(),
            flush: Mutex::new(()),
            state: RwLock::new(StoreState { manifest, segments, frozen: None }),
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
        self.inner.read_state().manifest.cursor
    }

    /// Takes what the heads hold aside, to be written by [`Self::flush`]; it stays readable.
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
            let (keys, data) = head.take();
            FrozenPart { keys, data }
        });
        state.frozen = Some(Arc::new(Frozen { cursor, parts: parts.collect() }));
        true
    }

    /// Whether something waits to be flushed.
    #[must_use]
    pub fn is_frozen(&self) -> bool {
        self.inner.read_state().frozen.is_some()
    }

    /// Writes what was frozen to a segment and switches to it. `None` if nothing was frozen.
    ///
    /// Takes as long as the disk does, in the caller's thread; readers and writers go on. The
    /// caller makes sure that the journal is durable up to the position that was given to
    /// [`Self::freeze`]: else a power cut could leave the store ahead of the journal.
    ///
    /// # Errors
    /// Nothing is lost: what was frozen stays, to be flushed by another call.
    pub fn flush(&self) -> Result<Option<Flushed>> {
        let _one = self.inner.flush.lock().expect("nobody panics while flushing");
        let frozen = self.inner.read_state().frozen.clone();
        let Some(frozen) = frozen else { return Ok(None) };
        let result = self.inner.flush(&frozen);
        let tally = &self.inner.tally;
        match &result {
            Ok(flushed) => {
                let info = flushed.segment.as_ref();
                tally.flushes.fetch_add(1, Ordering::Relaxed);
                tally.flushed_values.fetch_add(info.map_or(0, |it| it.n_values), Ordering::Relaxed);
                tally
                    .flushed_bytes
                    .fetch_add(info.map_or(0, |it| it.file_bytes), Ordering::Relaxed);
            }
            Err(_) => {
                tally.flush_failures.fetch_add(1, Ordering::Relaxed);
            }
        }
        result.map(Some)
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
    ) -> Result<Samples> {
        let wanted = Wanted { from: from_ms, to: to_ms, limit, order };
        let result = self.inner.query(key, wanted);
        if matches!(result, Err(Error::Corrupt { .. })) {
            self.inner.tally.corrupt_reads.fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    /// The newest `n` samples of a series at or before `to_ms`, newest first.
    ///
    /// # Errors
    /// As [`Self::range`].
    pub fn last_n(&self, key: SeriesKey, n: usize, to_ms: i64) -> Result<Samples> {
        self.range(key, (i64::MIN, to_ms), n, Order::Descending)
    }

    /// The segments, oldest first.
    #[must_use]
    pub fn segments(&self) -> Vec<SegmentInfo> {
        self.inner.read_state().manifest.segments.clone()
    }

    /// All series that have samples in segments, ascending: for statistics and verification.
    ///
    /// # Errors
    /// A file can't be read or is damaged.
    pub fn stored_series(&self) -> Result<BTreeSet<SeriesKey>> {
        let slots = self.inner.read_state().segments.clone();
        let mut keys = BTreeSet::new();
        for slot in slots {
            keys.extend(slot.segment?.keys()?);
        }
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
            corrupt_reads: tally.corrupt_reads.load(Ordering::Relaxed),
        }
    }

    /// Values that are not in segments yet.
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
    fn read_state(&self) -> RwLockReadGuard<'_, StoreState> {
        self.state.read().expect("nobody panics with the state")
    }

    fn flush(&self, frozen: &Frozen) -> Result<Flushed> {
        let mut next = self.read_state().manifest.clone();
        next.cursor = frozen.cursor;
        let has_values = frozen.parts.iter().any(|it| it.data.n_values > 0);
        let slot = if has_values {
            // Also after a failure the number is not used again.
            let number = {
                let mut state = self.state.write().expect("nobody panics with the state");
                let number = state.manifest.next_number;
                state.manifest.next_number += 1;
                number
            };
            next.next_number = number + 1;
            let slot = self.write_segment(frozen, number)?;
            next.segments.push(slot.info);
            Some(slot)
        } else {
            None
        };
        next.store(&*self.disk, &self.dir)?;
        let segment = slot.as_ref().map(|it| it.info);
        let mut state = self.state.write().expect("nobody panics with the state");
        state.manifest = next;
        state.segments.extend(slot);
        state.frozen = None;
        Ok(Flushed { cursor: frozen.cursor, segment })
    }

    fn write_segment(&self, frozen: &Frozen, number: u64) -> Result<OpenSegment> {
        let path = segment_path(&self.dir, number);
        let mut writer = SegmentWriter::create(&*self.disk, &path)?;
        let mut all: Vec<(SeriesKey, usize, Handle)> = Vec::new();
        for (part_idx, part) in frozen.parts.iter().enumerate() {
            let keyed = part.data.handles().filter_map(|it| Some((part.key(it)?, part_idx, it)));
            all.extend(keyed);
        }
        all.sort_unstable_by_key(|(key, part_idx, _)| (*key, *part_idx));
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            let Some((key, ..)) = same.first() else { continue };
            let mut samples = Samples::new(key.kind);
            for (_, part_idx, handle) in same {
                let Some(part) = frozen.parts.get(*part_idx) else { continue };
                part.data.read(*handle, key.kind, Wanted::ALL, &mut samples);
            }
            if same.len() > 1 {
                samples.points.sort_by_key(|it| it.ms);
            }
            writer.series(*key, &samples)?;
        }
        let (totals, file_bytes) = writer.finish()?;
        // The name must be there before a manifest says so.
        self.disk.sync_dir(&self.dir).map_err(|error| Error::io("sync", &self.dir, error))?;
        let info = SegmentInfo {
            number,
            file_bytes,
            n_values: totals.n_values,
            n_series: totals.n_series,
            min_ms: totals.min_ms,
            max_ms: totals.max_ms,
            class: 0,
            level: 0,
        };
        let segment = Segment::open(&*self.disk, &path)?;
        Ok(OpenSegment { info, segment: Ok(Arc::new(segment)) })
    }

    fn query(&self, key: SeriesKey, wanted: Wanted) -> Result<Samples> {
        let mut found = SeriesSamples::new(key, wanted);
        let mut slots = {
            let state = self.read_state();
            self.read_memory(&state, &mut found);
            let overlapping =
                state.segments.iter().filter(|it| wanted.overlaps(it.info.min_ms, it.info.max_ms));
            overlapping.cloned().enumerate().collect::<Vec<_>>()
        };
        match wanted.order {
            Order::Ascending => slots.sort_by_key(|(_, it)| it.info.min_ms),
            Order::Descending => slots.sort_by_key(|(_, it)| std::cmp::Reverse(it.info.max_ms)),
        }
        for (age, slot) in slots {
            if found.is_enough_before(&slot.info) {
                break;
            }
            let segment = slot.segment?;
            found.add(age, |samples| segment.read(key, wanted, samples))?;
        }
        Ok(found.finish())
    }

    fn read_memory(&self, state: &StoreState, found: &mut SeriesSamples) {
        let (key, wanted) = (found.key, found.wanted);
        let mut n_writers = 0;
        let mut position = None;
        let mut least = None;
        for (part_idx, head) in self.heads.iter().enumerate() {
            let head = head.lock().expect("nobody panics with a head");
            least = Some(least.map_or(head.position(), |it: u64| it.min(head.position())));
            let Some(handle) = head.find(key) else { continue };
            n_writers += 1;
            position = Some(head.position());
            let frozen = state.frozen.as_ref().and_then(|it| it.parts.get(part_idx));
            if let Some(part) = frozen {
                let read = found.add(usize::MAX - 1, |samples| {
                    part.data.read(handle, key.kind, wanted, samples);
                    Ok(())
                });
                debug_assert!(read.is_ok(), "memory can be read");
            }
            let read = found.add(usize::MAX, |samples| {
                head.data.read(handle, key.kind, wanted, samples);
                Ok(())
            });
            debug_assert!(read.is_ok(), "memory can be read");
        }
        found.samples.position = match n_writers {
            // Whoever its writer is: nothing of it came yet.
            0 => least,
            1 => position,
            _ => None,
        };
    }
}

impl FrozenPart {
    fn key(&self, handle: Handle) -> Option<SeriesKey> {
        self.keys.get(handle.index()).copied()
    }
}

/// Samples of one series from several places, each in order of time.
#[derive(Debug)]
struct SeriesSamples {
    key: SeriesKey,
    wanted: Wanted,
    samples: Samples,
    /// Age of the place (smaller is older) and its points.
    places: Vec<(usize, std::ops::Range<usize>)>,
}

impl SeriesSamples {
    fn new(key: SeriesKey, wanted: Wanted) -> Self {
        Self { key, wanted, samples: Samples::new(key.kind), places: Vec::new() }
    }

    fn add(&mut self, age: usize, read: impl FnOnce(&mut Samples) -> Result<()>) -> Result<()> {
        let start = self.samples.points.len();
        read(&mut self.samples)?;
        self.places.push((age, start..self.samples.points.len()));
        Ok(())
    }

    /// Whether the limit is reached by samples that come before all of a segment.
    fn is_enough_before(&self, segment: &SegmentInfo) -> bool {
        if self.samples.points.len() < self.wanted.limit {
            return false;
        }
        let before = self.samples.points.iter().filter(|it| match self.wanted.order {
            Order::Ascending => it.ms < segment.min_ms,
            Order::Descending => it.ms > segment.max_ms,
        });
        before.count() >= self.wanted.limit
    }

    fn finish(mut self) -> Samples {
        if self.places.len() > 1 {
            self.places.sort_by_key(|(age, _)| *age);
            let all = &self.samples.points;
            let places = self.places.iter();
            let mut points: Vec<Point> = places
                .flat_map(|(_, range)| all.get(range.clone()).unwrap_or_default())
                .copied()
                .collect();
            // Stable: what arrived earlier stays first.
            points.sort_by_key(|it| it.ms);
            self.samples.points = points;
        }
        if self.wanted.order == Order::Descending {
            self.samples.points.reverse();
        }
        self.samples.points.truncate(self.wanted.limit);
        self.samples
    }
}
