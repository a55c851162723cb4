//! Writing what was frozen to segments, one for each class of retention. Aggregates have segments of their own.

use std::sync::Arc;

use super::{Frozen, Inner, OpenSegment};
use crate::head::Handle;
use crate::head::aggregates::AggregateRow;
use crate::manifest::segment_path;
use crate::segment::{Segment, SegmentWriter, Totals};
use crate::series::{Class, Samples, Wanted};
use crate::{Error, Flushed, Result, SegmentInfo, SeriesKey};

/// Where the samples of a series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    class: Class,
    key: SeriesKey,
    part_idx: usize,
    handle: Handle,
}

impl Inner {
    pub(super) fn write_frozen(&self, frozen: &Frozen) -> Result<Flushed> {
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
        let mut write = |class, fill: &dyn Fn(&mut SegmentWriter) -> Result<()>| {
            let number = self.take_number();
            let segment = self.write_segment((number, class), fill);
            written.push(segment.inspect_err(|_| {
                self.abandon(number);
                written.iter().for_each(|it: &OpenSegment| self.abandon(it.info.number));
            })?);
            Ok(())
        };
        for of_class in places.chunk_by(|a, b| a.class == b.class) {
            let class = of_class.first().map_or(Class::UNKNOWN, |it| it.class);
            write(class, &|writer| write_values(writer, frozen, of_class))?;
        }
        for of_class in aggregates.chunk_by(|a, b| a.name.class == b.name.class) {
            let class = of_class.first().map_or(Class::UNKNOWN, |it| it.name.class);
            write(class, &|writer| write_aggregates(writer, of_class))?;
        }
        let segments = written.iter().map(|it| it.info).collect();
        self.switch(Some(frozen.cursor), |all| all.extend(written))?;
        Ok(Flushed { cursor: frozen.cursor, segments })
    }

    fn write_segment(
        &self,
        (number, class): (u64, Class),
        fill: &dyn Fn(&mut SegmentWriter) -> Result<()>,
    ) -> Result<OpenSegment> {
        let path = segment_path(&self.dir, number);
        let mut writer = SegmentWriter::create(&*self.disk, &path)?;
        fill(&mut writer)?;
        let (totals, file_bytes) = writer.finish()?;
        self.open_written(info(number, (totals, file_bytes), (class, 0)))
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
fn write_values(writer: &mut SegmentWriter, frozen: &Frozen, places: &[Place]) -> Result<()> {
    for same in places.chunk_by(|a, b| a.key == b.key) {
        let Some(Place { key, .. }) = same.first() else { continue };
        let mut samples = Samples::new(key.kind);
        for place in same {
            let Some(part) = frozen.parts.get(place.part_idx) else { continue };
            part.data.read(place.handle, key.kind, Wanted::ALL, &mut samples);
        }
        if same.len() > 1 {
            samples.points.sort_by_key(|it| it.ms);
        }
        writer.series(*key, &samples)?;
    }
    Ok(())
}

/// Writes the aggregates of one class, in order.
fn write_aggregates(writer: &mut SegmentWriter, rows: &[&AggregateRow]) -> Result<()> {
    for same in rows.chunk_by(|a, b| a.name == b.name) {
        let Some(key) = same.first().map(|it| it.name.key()) else { continue };
        let mut samples = Samples::new(key.kind);
        same.iter().for_each(|it| samples.push_aggregate(it.ms, it.aggregate));
        samples.add_up(0);
        writer.series(key, &samples)?;
    }
    Ok(())
}

pub(super) fn info(
    number: u64,
    (totals, file_bytes): (Totals, u64),
    (class, level): (Class, u8),
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
