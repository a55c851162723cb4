//! Writing what was frozen to segments, one for each class of retention. Aggregates have segments of their own.
//!
//! Where old samples come in the order of their series, as in a copy of another store, a segment would span all
//! of their times and stay until the newest one is old enough. So a flush can divide a class by time, too.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Frozen, Inner, OpenSegment, SpanOf};
use crate::head::Handle;
use crate::head::aggregates::AggregateRow;
use crate::manifest::segment_path;
use crate::segment::{Segment, SegmentWriter, Totals};
use crate::series::{RetentionClass, StoredSamples, Wanted};
use crate::{Error, Flushed, Result, SegmentInfo, SeriesKey};

/// Where the samples of a series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    class: RetentionClass,
    key: SeriesKey,
    part_idx: usize,
    handle: Handle,
}

/// Segments of one class that are being written, by span.
struct Spread<'a> {
    inner: &'a Inner,
    class: RetentionClass,
    span_of: Option<SpanOf<'a>>,
    writers: BTreeMap<i64, (u64, SegmentWriter)>,
}

impl Spread<'_> {
    /// Adds a series with all its samples, which ascend by time.
    fn series(&mut self, key: SeriesKey, samples: &StoredSamples) -> Result<()> {
        let Some(span_of) = self.span_of else {
            return self.writer(0)?.part_of_series(key, &samples.points, samples);
        };
        let class = self.class;
        for points in samples.points.chunk_by(|a, b| span_of(class, a.ms) == span_of(class, b.ms)) {
            let Some(first) = points.first() else { continue };
            self.writer(span_of(class, first.ms))?.part_of_series(key, points, samples)?;
        }
        Ok(())
    }

    fn writer(&mut self, span: i64) -> Result<&mut SegmentWriter> {
        use std::collections::btree_map::Entry;
        match self.writers.entry(span) {
            Entry::Occupied(it) => Ok(&mut it.into_mut().1),
            Entry::Vacant(it) => {
                let number = self.inner.take_number();
                let path = segment_path(&self.inner.dir, number);
                let writer = SegmentWriter::create(&*self.inner.disk, &path);
                let writer = writer.inspect_err(|_| self.inner.abandon(number))?;
                Ok(&mut it.insert((number, writer)).1)
            }
        }
    }

    /// Ends all of them, and adds them to those that are `written`.
    fn finish(mut self, written: &mut Vec<OpenSegment>) -> Result<()> {
        while let Some((_, (number, writer))) = self.writers.pop_first() {
            let class = self.class;
            let ended = writer.finish().and_then(|(totals, file_bytes)| {
                self.inner.open_written(info(number, (totals, file_bytes), (class, 0)))
            });
            written.push(ended.inspect_err(|_| self.inner.abandon(number))?);
        }
        Ok(())
    }
}

impl Drop for Spread<'_> {
    /// A segment that was not finished is removed.
    fn drop(&mut self) {
        self.writers.values().for_each(|(number, _)| self.inner.abandon(*number));
    }
}

impl Inner {
    pub(super) fn write_frozen(
        &self,
        frozen: &Frozen,
        span_of: Option<SpanOf<'_>>,
    ) -> Result<Flushed> {
        let mut places = Vec::new();
        for (part_idx, part) in frozen.parts.iter().enumerate() {
            places.extend(part.data.handles().filter_map(|handle| {
                let name = part.names.get(handle.index())?;
                Some(Place { class: name.class, key: name.key(), part_idx, handle })
            }));
        }
        places.sort_unstable();
        let aggregates = frozen.parts.iter().flat_map(|it| it.data.aggregates.rows());
        let mut aggregates: Vec<&AggregateRow> = aggregates.collect();
        aggregates.sort_unstable_by_key(|it| (it.name.class, it.name.key(), it.ms));
        let mut written = Vec::new();
        let mut write = |class, fill: &dyn Fn(&mut Spread<'_>) -> Result<()>| {
            let mut spread = Spread { inner: self, class, span_of, writers: BTreeMap::new() };
            let ended = fill(&mut spread).and_then(|()| spread.finish(&mut written));
            ended.inspect_err(|_| {
                written.iter().for_each(|it: &OpenSegment| self.abandon(it.info.number));
            })
        };
        for of_class in places.chunk_by(|a, b| a.class == b.class) {
            let class = of_class.first().map_or(RetentionClass::UNKNOWN, |it| it.class);
            write(class, &|spread| write_values(spread, frozen, of_class))?;
        }
        for of_class in aggregates.chunk_by(|a, b| a.name.class == b.name.class) {
            let class = of_class.first().map_or(RetentionClass::UNKNOWN, |it| it.name.class);
            write(class, &|spread| write_aggregates(spread, of_class))?;
        }
        let segments = written.iter().map(|it| it.info).collect();
        self.switch(Some(frozen.cursor), |all| {
            all.extend(written);
            if let Some(span_of) = span_of {
                // Neighbors are what can be merged. Of equal times those that came first stay first.
                all.sort_by_key(|it| (it.info.class, span_of(it.info.class, it.info.max_ms)));
            }
        })?;
        Ok(Flushed { cursor: frozen.cursor, segments })
    }

    /// Opens a segment that was just written and synced, before a manifest names it.
    pub(super) fn open_written(&self, info: SegmentInfo) -> Result<OpenSegment> {
        // The name must be there before a manifest says so.
        self.disk.sync_dir(&self.dir).map_err(|error| Error::io("sync", &self.dir, error))?;
        let segment = Segment::open(&*self.disk, &segment_path(&self.dir, info.number))?;
        Ok(OpenSegment { info, segment: Ok(Arc::new(segment)) })
    }
}

/// Writes the places of one class.
fn write_values(spread: &mut Spread<'_>, frozen: &Frozen, places: &[Place]) -> Result<()> {
    for same in places.chunk_by(|a, b| a.key == b.key) {
        let Some(Place { key, .. }) = same.first() else { continue };
        let mut samples = StoredSamples::new(key.kind);
        for place in same {
            let Some(part) = frozen.parts.get(place.part_idx) else { continue };
            part.data.read(place.handle, key.kind, Wanted::ALL, &mut samples);
        }
        if same.len() > 1 {
            samples.points.sort_by_key(|it| it.ms);
        }
        spread.series(*key, &samples)?;
    }
    Ok(())
}

/// Writes the aggregates of one class, in order.
fn write_aggregates(spread: &mut Spread<'_>, rows: &[&AggregateRow]) -> Result<()> {
    for same in rows.chunk_by(|a, b| a.name == b.name) {
        let Some(key) = same.first().map(|it| it.name.key()) else { continue };
        let mut samples = StoredSamples::new(key.kind);
        same.iter().for_each(|it| samples.push_aggregate(it.ms, it.aggregate));
        samples.add_up(0);
        spread.series(key, &samples)?;
    }
    Ok(())
}

pub(super) fn info(
    number: u64,
    (totals, file_bytes): (Totals, u64),
    (class, level): (RetentionClass, u8),
) -> SegmentInfo {
    SegmentInfo {
        number,
        file_bytes,
        n_values: totals.n_values,
        n_series: totals.n_series,
        min_ms: totals.min_ms,
        max_ms: totals.max_ms,
        class,
        level,
    }
}
