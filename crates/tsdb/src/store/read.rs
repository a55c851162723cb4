//! Reading heads, what is frozen, and segments as one.

use super::{Inner, StoreState};
use crate::head::Handle;
use crate::manifest::SegmentInfo;
use crate::series::{Order, Point, StoredSamples, Wanted};
use crate::{Result, SeriesKey};

impl Inner {
    /// Samples that are in no segment yet, and the position from which on these are complete.
    pub(super) fn query_memory(&self, key: SeriesKey, wanted: Wanted) -> (StoredSamples, u64) {
        let mut found = SeriesSamples::new(key, wanted);
        let state = self.read_state();
        self.read_memory(&state, &mut found);
        (found.finish(), state.cursor)
    }

    pub(super) fn query(&self, key: SeriesKey, wanted: Wanted) -> Result<StoredSamples> {
        // How many of them are parts of one is known when all are there.
        let limit = if key.kind.is_aggregate() { usize::MAX } else { wanted.limit };
        let mut found = SeriesSamples::new(key, wanted);
        let wanted = Wanted { limit, ..wanted };
        let mut slots = {
            let state = self.read_state();
            self.read_memory(&state, &mut found);
            let from = state.deletions.get(&key.id).map_or(0, |it| it.before_number);
            let overlapping = state.segments.iter().filter(|it| {
                it.info.number >= from && wanted.overlaps(it.info.min_ms, it.info.max_ms)
            });
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
            let handles: Vec<_> = head.find(key).collect();
            if !handles.is_empty() {
                n_writers += 1;
                position = Some(head.position());
            }
            // Frozen samples have the handles of their time.
            let part = state.frozen.as_ref().and_then(|it| it.parts.get(part_idx));
            let of_part =
                part.iter().flat_map(|it| it.names.of(key).map(move |n| (it, Handle::from(n))));
            for (part, handle) in of_part {
                let read = |out: &mut StoredSamples| part.data.read(handle, key.kind, wanted, out);
                found.add_memory(usize::MAX - 1, read);
            }
            if key.kind.is_aggregate() {
                if let Some(part) = part {
                    let read =
                        |out: &mut StoredSamples| part.data.aggregates.read(key, wanted, out);
                    found.add_memory(usize::MAX - 1, read);
                }
                let read = |out: &mut StoredSamples| head.data.aggregates.read(key, wanted, out);
                found.add_memory(usize::MAX, read);
            }
            for handle in handles {
                let read = |out: &mut StoredSamples| head.data.read(handle, key.kind, wanted, out);
                found.add_memory(usize::MAX, read);
            }
        }
        found.samples.position = match n_writers {
            // Nothing of it came yet, from any writer.
            0 => least,
            1 => position,
            _ => None,
        };
    }
}

/// Samples of one series from several places, each in order of time.
#[derive(Debug)]
struct SeriesSamples {
    key: SeriesKey,
    wanted: Wanted,
    samples: StoredSamples,
    /// Age of the place (smaller is older) and its points.
    places: Vec<(usize, std::ops::Range<usize>)>,
}

impl SeriesSamples {
    fn new(key: SeriesKey, wanted: Wanted) -> Self {
        Self { key, wanted, samples: StoredSamples::new(key.kind), places: Vec::new() }
    }

    fn add(
        &mut self,
        age: usize,
        read: impl FnOnce(&mut StoredSamples) -> Result<()>,
    ) -> Result<()> {
        let start = self.samples.points.len();
        read(&mut self.samples)?;
        self.places.push((age, start..self.samples.points.len()));
        Ok(())
    }

    fn add_memory(&mut self, age: usize, read: impl FnOnce(&mut StoredSamples)) {
        let start = self.samples.points.len();
        read(&mut self.samples);
        self.places.push((age, start..self.samples.points.len()));
    }

    /// Whether the limit is reached by samples that come before all of a segment.
    fn is_enough_before(&self, segment: &SegmentInfo) -> bool {
        if self.key.kind.is_aggregate() || self.samples.points.len() < self.wanted.limit {
            return false;
        }
        let before = self.samples.points.iter().filter(|it| match self.wanted.order {
            Order::Ascending => it.ms < segment.min_ms,
            Order::Descending => it.ms > segment.max_ms,
        });
        before.count() >= self.wanted.limit
    }

    fn finish(mut self) -> StoredSamples {
        if self.places.len() > 1 {
            self.places.sort_by_key(|(age, _)| *age);
            let all = &self.samples.points;
            let places = self.places.iter();
            let mut points: Vec<Point> = places
                .flat_map(|(_, range)| all.get(range.clone()).unwrap_or_default())
                .copied()
                .collect();
            // Stable: samples that arrived earlier stay first.
            points.sort_by_key(|it| it.ms);
            self.samples.points = points;
        }
        if self.key.kind.is_aggregate() {
            self.samples.add_up(0);
        }
        if self.wanted.order == Order::Descending {
            self.samples.points.reverse();
        }
        self.samples.points.truncate(self.wanted.limit);
        self.samples
    }
}
