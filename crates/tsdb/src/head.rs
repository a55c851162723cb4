//! The newest samples, in memory: one head per writer.
//!
//! A series has a handle that stays the same for the life of the process. Its newest samples lie in
//! a tail of eight, as they came; a full tail is sorted, compressed and appended to an arena, where
//! each block knows the one before it of the same series. An idle series costs its tail (128 bytes),
//! its key (16), its place in the index (about 10) and its neighbor (4): 160 bytes, and 4 to 5 bytes
//! a value in blocks.
//!
//! A series whose samples come in several classes of retention has a handle for each of them; they
//! are read as one. Samples of the same time keep their order of arrival within a class.
//!
//! It is not durable. The journal holds the same samples until a segment does.
//!
//! [`Head`] is what the writer keeps: keys and handles, and the current [`HeadData`]. Freezing
//! takes the data out and leaves an empty one; the handles stay. The place of a series that is
//! forgotten goes to the next new one; where most are free, freezing closes the gaps, and only then
//! handles change.

#![expect(clippy::indexing_slicing, reason = "the words of a tail are numbered by constants")]

pub(crate) mod aggregates;
pub(crate) mod names;
mod texts;

use crate::codec;
use crate::series::{
    AggregatePart, BYTES_MAX, Order, Point, RetentionClass, SeriesKind, StoredSamples, Wanted,
};
use crate::{Error, Result, SeriesKey};
use aggregates::Aggregates;
use names::{Name, Names};
use texts::Texts;

/// Samples of a tail. Eight, because a tail is then two cache lines: one with the times and all
/// that is looked at for each sample, one with the values.
const TAIL: usize = 8;
/// Pages of the arena: large enough that the unused end of one is nothing.
const PAGE_BYTES: usize = 1 << 20;

/// A series of a head: valid until a freeze after which series were forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(u32);

impl From<u32> for Handle {
    fn from(n: u32) -> Self {
        Self(n)
    }
}

impl Handle {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The tail of a series, in words so that a million of them come zeroed from the system at once.
///
/// ```text
/// 0  time of the first sample in ms      4..8   times of the others minus that, i32 each
/// 1  last block +1 (low half), flags     8..16  bits of the values
/// 2  largest time so far
/// 3  samples in blocks (low half), samples in the tail (high half)
/// ```
type Tail = [u64; 16];

const BASE: usize = 0;
const LINK: usize = 1;
const NEWEST: usize = 2;
const COUNTS: usize = 3;
const OFFSETS: usize = 4;
const VALUES: usize = 8;
/// Flag in the link word: some sample is older than one that came before it.
const UNORDERED: u64 = 1 << 32;

fn low(word: u64) -> u32 {
    u32::try_from(word & 0xffff_ffff).unwrap_or(0)
}

fn tail_len(tail: &Tail) -> usize {
    usize::try_from(tail[COUNTS] >> 32).unwrap_or(0)
}

fn offset(tail: &Tail, row: usize) -> i64 {
    let half = (tail[OFFSETS + row / 2] >> (row % 2 * 32)) & 0xffff_ffff;
    i64::from(low(half).cast_signed())
}

fn put_offset(tail: &mut Tail, row: usize, offset: i32) {
    let shift = row % 2 * 32;
    let word = &mut tail[OFFSETS + row / 2];
    *word &= !(0xffff_ffff << shift);
    *word |= u64::from(offset.cast_unsigned()) << shift;
}

fn point(tail: &Tail, row: usize) -> Point {
    let ms = tail[BASE].cast_signed().wrapping_add(offset(tail, row));
    Point { ms, bits: tail[VALUES + row] }
}

/// The samples of a head since it was last frozen.
#[derive(Debug, Default)]
pub(crate) struct HeadData {
    tails: Vec<Tail>,
    arena: Arena,
    /// Values that are bytes; a sample's bits are the place here.
    texts: Texts,
    pub(crate) aggregates: Aggregates,
    /// Without aggregates.
    pub(crate) n_values: u64,
}

/// One writer's newest samples, and the keys of all series it ever saw.
#[derive(Debug, Default)]
pub struct Head {
    names: Names,
    /// By handle: the series that came after it the last time.
    after: Vec<u32>,
    /// Handles of forgotten series.
    free: Vec<u32>,
    /// Handles of series that got another class: forgotten when they have no samples any more.
    former: Vec<u32>,
    /// How far into the journal the head reaches.
    position: u64,
    pub(crate) data: HeadData,
    scratch: Vec<u8>,
}

/// The most that the blocks of one sample can take: a full tail of others that it seals.
const SAMPLE_BYTES_MAX: u64 = 256;

/// Below so many free places gaps are not worth closing.
const GAPS_MIN: usize = 4_096;

impl Head {
    /// The handle of a series for samples of a class, new if need be.
    ///
    /// # Errors
    /// There are 2^32 series.
    pub fn series(&mut self, key: SeriesKey, class: RetentionClass) -> Result<Handle> {
        let name = Name::new(key, class);
        if let Some(n) = self.names.find(name) {
            return Ok(Handle(n));
        }
        let n = match self.free.pop() {
            Some(free) => free,
            None => {
                let n = u32::try_from(self.names.len()).map_err(|_too_many| Error::HeadFull)?;
                self.after.push(n.wrapping_add(1));
                n
            }
        };
        self.former.extend(self.names.of(key));
        self.names.put(n, name);
        Ok(Handle(n))
    }

    /// Forgets a series that nobody reads or writes any more, with its samples that are not frozen.
    pub fn forget(&mut self, key: SeriesKey) {
        let found: Vec<u32> = self.names.of(key).collect();
        for n in found {
            self.leave(n);
        }
        self.data.aggregates.clear(key);
    }

    /// Lets go of the samples of a series that are not frozen. Its handles stay.
    pub(crate) fn clear(&mut self, key: SeriesKey) {
        let found: Vec<u32> = self.names.of(key).collect();
        for n in found {
            self.clear_samples(n);
        }
        self.data.aggregates.clear(key);
    }

    fn leave(&mut self, n: u32) {
        self.names.remove(n);
        self.free.push(n);
        self.clear_samples(n);
    }

    fn clear_samples(&mut self, n: u32) {
        if let Some(tail) = self.data.tails.get_mut(n as usize) {
            let n_sealed = low(tail[COUNTS]);
            self.data.n_values -= u64::from(n_sealed) + tail_len(tail) as u64;
            *tail = [0; 16];
        }
    }

    /// Forgets handles of former classes without samples.
    fn forget_former(&mut self, data: &HeadData) {
        let former = std::mem::take(&mut self.former);
        for n in former {
            // Its place may be another's by now.
            let Some(name) = self.names.get(n as usize).filter(|it| *it != Name::NOBODY) else {
                continue;
            };
            if self.names.of(name.key()).nth(1).is_none() {
                continue;
            }
            let is_idle = data.tails.get(n as usize).is_none_or(|tail| tail[COUNTS] == 0);
            if is_idle { self.leave(n) } else { self.former.push(n) }
        }
    }

    /// Gives those series that are left places next to each other.
    fn close_gaps(&mut self) {
        let names = self.names.all();
        let left: Vec<Name> = names.iter().copied().filter(|it| *it != Name::NOBODY).collect();
        *self = Self { position: self.position, ..Self::default() };
        self.names = Names::with_capacity(left.len());
        self.after.reserve_exact(left.len());
        for (name, n) in left.into_iter().zip(0_u32..) {
            self.after.push(n.wrapping_add(1));
            self.former.extend(self.names.of(name.key()));
            self.names.put(n, name);
        }
    }

    /// As [`Self::series`], fast if the series came after `neighbor` the last time as well: values
    /// of a host come in the same order again and again.
    ///
    /// # Errors
    /// As [`Self::series`].
    #[inline]
    pub fn series_after(
        &mut self,
        neighbor: Handle,
        key: SeriesKey,
        class: RetentionClass,
    ) -> Result<Handle> {
        let next = self.after.get(neighbor.index()).copied().unwrap_or(0);
        if self.names.get(next as usize) == Some(Name::new(key, class)) {
            return Ok(Handle(next));
        }
        let handle = self.series(key, class)?;
        if let Some(after) = self.after.get_mut(neighbor.index()) {
            *after = handle.0;
        }
        Ok(handle)
    }

    /// The handles of a series that was seen before.
    pub(crate) fn find(&self, key: SeriesKey) -> impl Iterator<Item = Handle> {
        self.names.of(key).map(Handle)
    }

    /// Whether so many samples, or aggregates, surely find room within so many bytes of blocks and
    /// aggregates, or else in no head at all. Callers that ask before a record is written need not
    /// handle partly stored records.
    #[must_use]
    pub fn has_room(&self, n_samples: u64, bytes_max: u64) -> bool {
        let aggregates = &self.data.aggregates;
        let held = (self.data.arena.pages.len() * PAGE_BYTES) as u64 + aggregates.memory_bytes();
        let wanted = n_samples.saturating_mul(SAMPLE_BYTES_MAX).saturating_add(PAGE_BYTES as u64);
        held + wanted <= bytes_max.min(u32::MAX.into()) || self.data.is_empty()
    }

    /// The first handle there will be, for [`Self::series_after`] to begin with.
    #[must_use]
    pub fn before_first() -> Handle {
        Handle(u32::MAX)
    }

    /// Says that the head holds what the journal has up to here for its writer. Readers get it
    /// with their samples ([`StoredSamples::position`]).
    pub fn set_position(&mut self, position: u64) {
        self.position = position;
    }

    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The series that were seen.
    pub(crate) fn keys(&self) -> impl Iterator<Item = SeriesKey> {
        self.names.keys()
    }

    #[must_use]
    pub fn n_series(&self) -> usize {
        self.names.len() - self.free.len()
    }

    /// Values since the last freeze, without aggregates.
    #[must_use]
    pub fn n_values(&self) -> u64 {
        self.data.n_values
    }

    /// Memory held, about.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        let n_handles = self.after.capacity() + self.free.capacity() + self.former.capacity();
        let handles = n_handles * size_of::<u32>();
        self.data.memory_bytes() + (self.names.memory_bytes() + handles) as u64
    }

    /// Appends a float.
    ///
    /// # Errors
    /// The head is full; nothing was appended.
    #[inline]
    pub fn float(&mut self, handle: Handle, ms: i64, value: f64) -> Result<()> {
        self.append(handle, Point { ms, bits: value.to_bits() })
    }

    /// Appends a whole number.
    ///
    /// # Errors
    /// The head is full; nothing was appended.
    #[inline]
    pub fn unsigned(&mut self, handle: Handle, ms: i64, value: u64) -> Result<()> {
        self.append(handle, Point { ms, bits: value })
    }

    /// Appends a value that is bytes.
    ///
    /// # Errors
    /// The head is full or the value too long; nothing was appended.
    pub fn bytes(&mut self, handle: Handle, ms: i64, value: &[u8]) -> Result<()> {
        if value.len() > BYTES_MAX {
            return Err(Error::TooLong { bytes: value.len(), max: BYTES_MAX });
        }
        let bits = self.data.texts.push(value);
        self.append(handle, Point { ms, bits })
    }

    /// Adds a part of what the numbers of a series come to from a time on; parts of one time add up.
    ///
    /// # Errors
    /// The head is full; nothing was added.
    pub fn aggregate(
        &mut self,
        key: SeriesKey,
        class: RetentionClass,
        (ms, aggregate): (i64, AggregatePart),
    ) -> Result<()> {
        debug_assert!(key.kind.is_aggregate());
        self.data.aggregates.add(Name::new(key, class), (ms, aggregate))
    }

    #[inline]
    fn append(&mut self, handle: Handle, point: Point) -> Result<()> {
        let tails = &mut self.data.tails;
        if handle.index() >= tails.len() {
            // To the number of series at once: zeroed memory costs nothing until it is touched.
            let n = self.names.len().max(handle.index() + 1);
            grow(tails, n);
        }
        let Some(tail) = tails.get_mut(handle.index()) else { return Err(Error::HeadFull) };
        let mut len = tail_len(tail);
        let fits = i32::try_from(point.ms.wrapping_sub(tail[BASE].cast_signed()));
        let offset = match fits {
            Ok(offset) if len > 0 && len < TAIL => offset,
            _ => {
                if len > 0 {
                    self.data.arena.seal(tail, kind_of(&self.names, handle), &mut self.scratch)?;
                    len = 0;
                }
                tail[BASE] = point.ms.cast_unsigned();
                0
            }
        };
        put_offset(tail, len, offset);
        tail[VALUES + len] = point.bits;
        let is_first = tail[COUNTS] == 0;
        if is_first || point.ms >= tail[NEWEST].cast_signed() {
            tail[NEWEST] = point.ms.cast_unsigned();
        } else {
            tail[LINK] |= UNORDERED;
        }
        tail[COUNTS] += 1 << 32;
        self.data.n_values += 1;
        Ok(())
    }

    /// Takes the samples out, with their series by handle.
    pub(crate) fn take(&mut self) -> (Names, HeadData) {
        let names = self.names.clone();
        let data = std::mem::take(&mut self.data);
        self.forget_former(&data);
        if GAPS_MIN <= self.free.len() && names.len() <= self.free.len() * 2 {
            self.close_gaps();
        }
        grow(&mut self.data.tails, data.tails.len().min(self.names.len()));
        (names, data)
    }
}

fn grow(tails: &mut Vec<Tail>, n: usize) {
    if tails.is_empty() {
        // Zeroed by the system, page by page when touched.
        *tails = vec![[0; 16]; n];
    } else {
        tails.resize(n, [0; 16]);
    }
}

fn kind_of(names: &Names, handle: Handle) -> SeriesKind {
    names.get(handle.index()).map_or(SeriesKind::UNSIGNED, |it| it.key().kind)
}

impl HeadData {
    pub(crate) fn memory_bytes(&self) -> u64 {
        let tails = self.tails.capacity() * size_of::<Tail>();
        let blocks = (tails + self.arena.pages.len() * PAGE_BYTES) as u64;
        blocks + self.texts.n_bytes() + self.aggregates.memory_bytes()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.n_values == 0 && self.aggregates.is_empty()
    }

    /// Appends the samples of a series with times in `from..=to`, in order of time and, for equal
    /// times, of arrival. May give more than the limit, never fewer.
    pub(crate) fn read(
        &self,
        handle: Handle,
        kind: SeriesKind,
        wanted: Wanted,
        out: &mut StoredSamples,
    ) {
        let Some(tail) = self.tails.get(handle.index()) else { return };
        let start = out.points.len();
        let inside = |it: &Point| it.ms >= wanted.from && it.ms <= wanted.to;
        // Newest first, turned around in the end.
        out.points.extend((0..tail_len(tail)).rev().map(|row| point(tail, row)).filter(inside));
        let ordered = tail[LINK] & UNORDERED == 0;
        let enough = if wanted.order == Order::Descending { wanted.limit } else { usize::MAX };
        let mut link = low(tail[LINK]);
        let mut block = Vec::with_capacity(TAIL);
        while let Some(at) = link.checked_sub(1) {
            if ordered && out.points.len() - start >= enough {
                break;
            }
            block.clear();
            let Some(previous) = self.arena.read(at, kind, &mut block) else {
                debug_assert!(false, "blocks read back");
                break;
            };
            link = previous;
            out.points.extend(block.iter().rev().filter(|it| inside(it)));
            if ordered && block.first().is_some_and(|it| it.ms < wanted.from) {
                break;
            }
        }
        let found = out.points.get_mut(start..).unwrap_or_default();
        found.reverse();
        if !ordered {
            found.sort_by_key(|it| it.ms);
        }
        if !kind.is_number() {
            self.copy_texts(start, out);
        }
    }

    fn copy_texts(&self, start: usize, out: &mut StoredSamples) {
        for row in start..out.points.len() {
            let Some(place) = out.points.get(row).map(|it| it.bits) else { continue };
            let bits = out.keep(self.texts.get(place).unwrap_or_default());
            if let Some(point) = out.points.get_mut(row) {
                point.bits = bits;
            }
        }
    }

    /// Handles with samples.
    pub(crate) fn handles(&self) -> impl Iterator<Item = Handle> {
        let used = self.tails.iter().zip(0_u32..).filter(|(tail, _)| tail[COUNTS] != 0);
        used.map(|(_, index)| Handle(index))
    }
}

/// Blocks of all series, one after the other.
///
/// A block: `previous block +1 u32 · samples u8 · time of the first, zigzag varint · times · values`.
#[derive(Debug, Default)]
struct Arena {
    pages: Vec<Box<[u8]>>,
    /// Bytes of the last page that are in use.
    used: usize,
}

impl Arena {
    /// Moves a tail into a block.
    fn seal(&mut self, tail: &mut Tail, kind: SeriesKind, scratch: &mut Vec<u8>) -> Result<()> {
        let mut points = [Point::default(); TAIL];
        let len = tail_len(tail).min(TAIL);
        let points = points.get_mut(..len).unwrap_or_default();
        for (row, to) in points.iter_mut().enumerate() {
            *to = point(tail, row);
        }
        if tail[LINK] & UNORDERED != 0 {
            // Stable: samples of the same time stay in order of arrival.
            points.sort_by_key(|it| it.ms);
        }
        scratch.clear();
        scratch.extend_from_slice(&low(tail[LINK]).to_le_bytes());
        scratch.push(len.to_le_bytes()[0]);
        let start = points.first().map_or(0, |it| it.ms);
        varint::put_varint(scratch, varint::zigzag(start));
        codec::encode_times(points, scratch);
        codec::encode_values(kind, points, scratch);
        let at = self.push(scratch)?;
        tail[LINK] = (tail[LINK] & UNORDERED) | u64::from(at + 1);
        tail[COUNTS] = (tail[COUNTS] & 0xffff_ffff) + len as u64;
        Ok(())
    }

    fn push(&mut self, block: &[u8]) -> Result<u32> {
        if self.pages.is_empty() || self.used + block.len() > PAGE_BYTES {
            self.pages.push(vec![0; PAGE_BYTES].into());
            self.used = 0;
        }
        let at = (self.pages.len() - 1) * PAGE_BYTES + self.used;
        let at = u32::try_from(at).ok().filter(|it| *it < u32::MAX).ok_or(Error::HeadFull)?;
        let page = self.pages.last_mut().ok_or(Error::HeadFull)?;
        let to = page.get_mut(self.used..self.used + block.len()).ok_or(Error::HeadFull)?;
        to.copy_from_slice(block);
        self.used += block.len();
        Ok(at)
    }

    /// Appends the points of the block at `at`; returns the link to the one before it.
    fn read(&self, at: u32, kind: SeriesKind, out: &mut Vec<Point>) -> Option<u32> {
        let at = at as usize;
        let page = self.pages.get(at / PAGE_BYTES)?;
        let mut bytes = varint::Bytes::new(page.get(at % PAGE_BYTES..)?);
        let previous = bytes.u32()?;
        let n = bytes.u8()?;
        let start = bytes.signed()?;
        codec::decode(kind, &mut bytes, (n.into(), start), out)?;
        Some(previous)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: Wanted = Wanted::ALL;
    const CLASS: RetentionClass = RetentionClass(3);

    fn key(id: u64, kind: SeriesKind) -> SeriesKey {
        SeriesKey { id, kind }
    }

    fn read(head: &Head, key: SeriesKey, wanted: Wanted) -> Vec<(i64, u64)> {
        let mut out = StoredSamples::new(key.kind);
        let handle = head.find(key).next().expect("a known series");
        head.data.read(handle, key.kind, wanted, &mut out);
        out.points.iter().map(|it| (it.ms, it.bits)).collect()
    }

    #[test]
    fn an_idle_series_costs_at_most_180_bytes() {
        let mut head = Head::default();
        for id in 0..100_000 {
            let handle = head.series(key(id, SeriesKind::FLOAT), CLASS).expect("room");
            head.float(handle, 5, 1.0).expect("room");
        }
        // Vectors grow by doubling: the sum over a million series counts.
        let idle = size_of::<Tail>() + size_of::<SeriesKey>() + size_of::<u32>() + 5 * 8 / 7 * 2;
        assert!(idle <= 180, "{idle}");
        let held = head.memory_bytes() / 100_000;
        assert!(held <= 360, "{held}");
    }

    #[test]
    fn handles_survive_freezing() {
        let mut head = Head::default();
        let a = head.series(key(1, SeriesKind::UNSIGNED), CLASS).expect("room");
        let b = head.series_after(a, key(2, SeriesKind::UNSIGNED), CLASS).expect("room");
        head.unsigned(a, 1, 10).expect("room");
        let (_, frozen) = head.take();
        head.unsigned(a, 2, 20).expect("room");
        head.unsigned(b, 3, 30).expect("room");
        assert_eq!(head.series(key(1, SeriesKind::UNSIGNED), CLASS).expect("known"), a);
        assert_eq!(head.series_after(a, key(2, SeriesKind::UNSIGNED), CLASS).expect("known"), b);
        assert_eq!(read(&head, key(1, SeriesKind::UNSIGNED), ALL), [(2, 20)]);
        assert_eq!((frozen.handles().count(), head.n_values()), (1, 2));
        let mut out = StoredSamples::new(SeriesKind::UNSIGNED);
        frozen.read(a, SeriesKind::UNSIGNED, ALL, &mut out);
        assert_eq!(out.points, [Point { ms: 1, bits: 10 }]);
    }

    #[test]
    fn series_that_come_and_go_take_no_more_room_than_those_there_are() {
        let mut head = Head::default();
        let mut held = 0;
        for round in 0..20_u64 {
            let ids = round * 10_000 + 1..=(round + 1) * 10_000;
            for id in ids.clone() {
                let handle = head.series(key(id, SeriesKind::FLOAT), CLASS).expect("room");
                (0..5).for_each(|n| head.float(handle, n, 1.0).expect("room"));
            }
            assert_eq!((head.n_series(), head.n_values()), (10_000, 50_000));
            if round == 0 {
                held = head.memory_bytes();
            }
            ids.for_each(|id| head.forget(key(id, SeriesKind::FLOAT)));
            assert_eq!((head.n_series(), head.n_values()), (0, 0));
        }
        assert!(head.memory_bytes() < held * 3 / 2, "{} after {held}", head.memory_bytes());
        head.take();
        assert!(head.memory_bytes() < held / 10, "{}", head.memory_bytes());
    }

    #[test]
    fn remaining_series_stay_when_others_are_forgotten() {
        let mut head = Head::default();
        let n = 2 * GAPS_MIN as u64;
        for id in 1..=n {
            let handle = head.series(key(id, SeriesKind::UNSIGNED), CLASS).expect("room");
            (0..10).for_each(|ms| head.unsigned(handle, ms, id).expect("room"));
        }
        let is_left = |id: &u64| id.is_multiple_of(3);
        (1..=n).filter(|it| !is_left(it)).for_each(|it| head.forget(key(it, SeriesKind::UNSIGNED)));
        head.forget(key(1, SeriesKind::UNSIGNED));
        head.forget(key(n + 1, SeriesKind::UNSIGNED));
        let values = |id: u64| (0..10).map(|ms| (ms, id)).collect::<Vec<_>>();
        for id in (1..=n).filter(is_left) {
            assert_eq!(read(&head, key(id, SeriesKind::UNSIGNED), ALL), values(id));
        }
        assert_eq!(head.find(key(1, SeriesKind::UNSIGNED)).next(), None);
        let again = head.series(key(1, SeriesKind::UNSIGNED), CLASS).expect("room");
        assert_eq!(read(&head, key(1, SeriesKind::UNSIGNED), ALL), []);
        head.unsigned(again, 7, 8).expect("room");
        let (names, frozen) = head.take();
        for handle in frozen.handles() {
            let mut out = StoredSamples::new(SeriesKind::UNSIGNED);
            frozen.read(handle, SeriesKind::UNSIGNED, ALL, &mut out);
            let id = names.get(handle.index()).expect("a name").key().id;
            let found: Vec<_> = out.points.iter().map(|it| (it.ms, it.bits)).collect();
            assert_eq!(found, if id == 1 { vec![(7, 8)] } else { values(id) });
        }
        assert_eq!(frozen.handles().count(), head.n_series());
        for id in (1..=n).filter(is_left) {
            let handle = head.series(key(id, SeriesKind::UNSIGNED), CLASS).expect("room");
            head.unsigned(handle, 20, id).expect("room");
            assert_eq!(read(&head, key(id, SeriesKind::UNSIGNED), ALL), [(20, id)]);
        }
    }

    #[test]
    fn the_newest_are_found_without_reading_all() {
        let mut head = Head::default();
        let handle = head.series(key(1, SeriesKind::UNSIGNED), CLASS).expect("room");
        for n in 0..1_000 {
            head.unsigned(handle, n, n.cast_unsigned()).expect("room");
        }
        let found = read(
            &head,
            key(1, SeriesKind::UNSIGNED),
            Wanted { limit: 3, order: Order::Descending, ..ALL },
        );
        assert!(found.len() >= 3 && found.len() <= 16, "{}", found.len());
        assert_eq!(found.last(), Some(&(999, 999)));
        let found = read(&head, key(1, SeriesKind::UNSIGNED), Wanted { from: 10, to: 12, ..ALL });
        assert_eq!(found, [(10, 10), (11, 11), (12, 12)]);
    }

    #[test]
    fn bytes_read_back() {
        let mut head = Head::default();
        let text = key(7, SeriesKind(3));
        let handle = head.series(text, CLASS).expect("room");
        for n in 0..20_u8 {
            head.bytes(handle, i64::from(20 - n), &vec![n; n.into()]).expect("room");
        }
        let mut out = StoredSamples::new(text.kind);
        head.data.read(handle, text.kind, ALL, &mut out);
        for ((ms, value), n) in out.iter().zip((0..20_u8).rev()) {
            assert_eq!(
                (ms, value),
                (i64::from(20 - n), crate::PointValue::Bytes(&vec![n; n.into()]))
            );
        }
    }

    proptest! {
        /// Late samples, doubled times and far jumps included.
        #[test]
        fn samples_read_back_in_order_of_time_and_arrival(
            rows in prop::collection::vec((0..3_u64, prop_oneof![
                0..50_i64, any::<i64>(), 1_790_000_000_000..1_790_000_090_000_i64,
            ], any::<u64>()), 0..200),
        ) {
            let mut head = Head::default();
            let mut model = std::collections::BTreeMap::<u64, Vec<(i64, u64)>>::new();
            for (id, ms, bits) in rows {
                let handle = head.series(key(id, SeriesKind::UNSIGNED), CLASS).expect("room");
                head.unsigned(handle, ms, bits).expect("room");
                model.entry(id).or_default().push((ms, bits));
            }
            for (id, mut want) in model {
                want.sort_by_key(|it| it.0);
                prop_assert_eq!(read(&head, key(id, SeriesKind::UNSIGNED), ALL), want);
            }
        }
    }
}
