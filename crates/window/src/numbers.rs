//! Numbers with their times, ascending, in one piece of memory that is used as a circle.
//!
//! An entry is three words: milliseconds since `base_ms` and the two halves of the value's bits. A
//! fourth word holds the upper half of the milliseconds where entries span more than 49 days.
//! Numbers are kept in whole milliseconds everywhere, so nothing of their times is lost.

use super::bits::{as_f64, round_outward};
use super::stable_until::{StabilityCache, StableUntil};

/// Words of an entry.
const NARROW: usize = 3;
const WIDE: usize = 4;
/// The least capacity: giving back less memory is not worth it.
const CAPACITY_MIN: usize = 8;

/// In the order in which a value needs it: bounds are of those only that may change something.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Numbers {
    words: Box<[u32]>,
    /// The origin of the entries' times.
    base_ms: i64,
    /// Place of the oldest entry among the words.
    head: u32,
    len: u32,
    /// Time of the newest entry, where entries are narrow.
    newest: u32,
    is_wide: bool,
    pub(super) is_unsigned: bool,
    stability: StabilityCache,
    /// No entry is less or more than these, but for those that have come since.
    bounds: [f32; 2],
}

const _: () = assert!(size_of::<Numbers>() == 64, "a line of memory with what stands before it");

/// Less and more than any number.
const NO_BOUNDS: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

impl Numbers {
    pub(super) fn new(is_unsigned: bool) -> Self {
        Self {
            words: Box::default(),
            base_ms: 0,
            head: 0,
            len: 0,
            newest: 0,
            is_wide: false,
            is_unsigned,
            stability: StabilityCache::default(),
            bounds: NO_BOUNDS,
        }
    }

    /// No entry is less or more than these, as doubles.
    #[inline]
    pub(super) fn bounds(&self) -> [f64; 2] {
        self.bounds.map(f64::from)
    }

    /// Forgets the bounds, so that those of entries that have left do not stay.
    pub(super) fn forget_bounds(&mut self) {
        self.bounds = NO_BOUNDS;
    }

    /// Takes all entries from one on into the bounds.
    pub(super) fn widen_from(&mut self, index: usize) {
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        let [low, high] = self.fold(index, none, |[low, high], bits| {
            let value = self.number(bits);
            [low.min(value), high.max(value)]
        });
        if low <= high {
            self.widen(low);
            self.widen(high);
        }
    }

    #[inline]
    fn number(&self, bits: u64) -> f64 {
        if self.is_unsigned { as_f64(bits) } else { f64::from_bits(bits) }
    }

    #[inline]
    fn widen(&mut self, value: f64) {
        let [low, high] = round_outward(value);
        self.bounds = [self.bounds[0].min(low), self.bounds[1].max(high)];
    }

    /// How many triggers stay as they are, if the newest entry changes nothing.
    #[inline]
    pub(super) fn stable_triggers(&self) -> Option<u16> {
        self.stability.triggers()
    }

    /// Whether an entry's triggers will have to be looked at, as far as is known.
    #[inline]
    pub(super) fn is_due(&self, ms: i64, value: Option<f64>) -> bool {
        self.stability.is_due(self.offset(ms), value)
    }

    pub(super) fn set_stable_until(&mut self, stable_until: StableUntil, n_triggers: u16) {
        let until = self.offset(stable_until.until_ms);
        self.stability = StabilityCache::new(stable_until, until, n_triggers);
    }

    #[inline]
    pub(super) fn invalidate(&mut self) {
        self.stability.end();
    }

    /// Whether windows will be needed before long, as far as is known.
    #[inline]
    pub(super) fn is_restless(&self) -> bool {
        !self.stability.is_long()
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    #[cfg(test)]
    pub(super) fn n_words(&self) -> usize {
        self.words.len()
    }

    /// A time as entries have it.
    #[inline]
    pub(super) fn offset(&self, ms: i64) -> i64 {
        ms.saturating_sub(self.base_ms)
    }

    #[inline]
    fn width(&self) -> usize {
        if self.is_wide { WIDE } else { NARROW }
    }

    #[inline]
    fn place(&self, index: usize) -> usize {
        let at = self.head as usize + index * self.width();
        let n_words = self.words.len();
        if n_words <= at { at - n_words } else { at }
    }

    /// Time and bits of an entry, the time as [`Self::offset`] has it.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<(i64, u64)> {
        if self.len() <= index {
            return None;
        }
        let at = self.place(index);
        let words = self.words.get(at..at + NARROW)?;
        let high = if self.is_wide { self.words.get(at + NARROW).copied()? } else { 0 };
        let offset = i64::from(words[0]) | i64::from(high) << 32;
        Some((offset, u64::from(words[1]) | u64::from(words[2]) << 32))
    }

    /// The other way round.
    #[inline]
    pub(super) fn time_of(&self, offset: i64) -> i64 {
        self.base_ms + offset
    }

    #[inline]
    pub(super) fn time_ms(&self, index: usize) -> Option<i64> {
        self.get(index).map(|it| self.time_of(it.0))
    }

    /// From one entry to the next on average.
    pub(super) fn pause_ms(&self) -> i64 {
        let ends = (self.get(0), self.last());
        let (Some(first), Some(last)) = ends else { return 0 };
        (last.0 - first.0) / i64::from(self.len.max(2) - 1)
    }

    #[inline]
    fn last(&self) -> Option<(i64, u64)> {
        self.get(self.len().checked_sub(1)?)
    }

    #[inline]
    fn is_behind_all(&self, offset: i64) -> bool {
        if self.is_wide {
            return self.last().is_none_or(|it| it.0 <= offset);
        }
        self.len == 0 || i64::from(self.newest) <= offset
    }

    /// Goes through the bits of all entries from one on.
    #[inline]
    pub(super) fn fold<T>(&self, start: usize, first: T, step: impl FnMut(T, u64) -> T) -> T {
        let n_words = self.len().saturating_sub(start) * self.width();
        let from = self.place(start);
        let to_end = self.words.len().saturating_sub(from).min(n_words);
        let parts = [self.words.get(from..from + to_end), self.words.get(..n_words - to_end)];
        if self.is_wide {
            fold_entries::<WIDE, T>(parts, first, step)
        } else {
            fold_entries::<NARROW, T>(parts, first, step)
        }
    }

    /// How many entries are not later than an offset.
    #[inline]
    pub(super) fn after(&self, offset: i64) -> usize {
        // Most questions are about the end.
        if self.is_behind_all(offset) {
            return self.len();
        }
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.get(middle).is_some_and(|it| it.0 <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Drops the oldest entries.
    pub(super) fn pop_front(&mut self, n: usize) {
        let n = n.min(self.len());
        self.head = u32::try_from(self.place(n)).unwrap_or(0);
        self.len -= u32::try_from(n).unwrap_or(0);
    }

    /// How many entries are not later than an offset, which are expected to be few.
    #[inline]
    pub(super) fn n_until(&self, offset: i64) -> usize {
        let is_later = |it: &usize| self.get(*it).is_none_or(|it| offset < it.0);
        (0..self.len()).find(is_later).unwrap_or(self.len())
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new(self.is_unsigned);
    }

    /// Reads a word of each cache line of the newest so many entries. A software
    /// prefetch: the value returned only keeps the compiler from dropping the reads.
    #[inline]
    pub(super) fn prefetch_newest(&self, n: usize) -> u64 {
        const WORDS_OF_LINE: usize = 16;
        let n_words = n.min(self.len()) * self.width();
        let end = self.place(self.len());
        let from = end.saturating_sub(n_words);
        let parts =
            [self.words.get(from..end), self.words.get(self.words.len() + end - from - n_words..)];
        let lines = parts.into_iter().flatten().flat_map(|it| it.chunks(WORDS_OF_LINE));
        lines.fold(0, |seen, it| seen ^ u64::from(it.first().copied().unwrap_or(0)))
    }

    /// As [`Self::prefetch_newest`], for the oldest entries, which leave together when there is no room.
    #[inline]
    pub(super) fn prefetch_front(&self) -> u64 {
        const N_LEAVING: usize = 6;
        self.words.get(self.place(N_LEAVING.min(self.len()))).map_or(0, |it| u64::from(*it))
    }

    /// Where the next entry will be; its neighbours are the newest one and the oldest.
    #[inline]
    pub(super) fn next_place(&self) -> &u32 {
        self.words.get(self.place(self.len())).unwrap_or(&0)
    }

    /// Whether the next entry needs more memory.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.len() * self.width() == self.words.len()
    }

    /// How many entries there may be before there is new memory.
    #[inline]
    pub(super) fn capacity(&self) -> usize {
        self.words.len() / self.width()
    }

    /// Makes room for so many entries in all.
    pub(super) fn reserve(&mut self, capacity: usize) {
        if self.capacity() < capacity {
            *self = self.moved(capacity, self.base_ms, self.is_wide);
        }
    }

    /// Whether there is hardly any room.
    pub(super) fn is_tight(&self) -> bool {
        let len = self.len();
        self.capacity() < len + len / 32 + 2
    }

    /// Makes room. `expected`: how many entries there may come to be, so that memory does not grow step
    /// by step.
    pub(super) fn make_room(&mut self, expected: usize) {
        let len = self.len();
        // Never by less than an eighth, so that values are copied but a few times.
        let capacity = expected.clamp(len + len / 8 + 4, len * CAPACITY_MIN + CAPACITY_MIN);
        *self = self.moved(capacity, self.base_ms, self.is_wide);
    }

    /// Puts an entry after those that are not later, and says where.
    #[inline]
    pub(super) fn add(&mut self, (ms, bits): (i64, u64)) -> usize {
        let mut offset = self.offset(ms);
        let index = self.after(offset);
        if self.is_full() || offset < 0 || !self.is_wide && i64::from(u32::MAX) < offset {
            self.rebuild(ms);
            offset = self.offset(ms);
        }
        self.len += 1;
        for at in (index + 1..self.len()).rev() {
            if let Some((offset, bits)) = self.get(at - 1) {
                self.put(at, offset, bits);
            }
        }
        self.put(index, offset, bits);
        let value = self.number(bits);
        if index + 1 == self.len() {
            self.stability.takes(offset, value);
        } else {
            self.stability.end();
            self.widen(value);
        }
        index
    }

    #[inline]
    fn put(&mut self, index: usize, offset: i64, bits: u64) {
        let at = self.place(index);
        let half = |it: u64| u32::try_from(it & u64::from(u32::MAX)).unwrap_or(u32::MAX);
        let offset = offset.unsigned_abs();
        if index + 1 == self.len() {
            self.newest = half(offset);
        }
        if let Some(words) = self.words.get_mut(at..at + NARROW) {
            words[0] = half(offset);
            words[1] = half(bits);
            words[2] = half(bits >> 32);
        }
        if self.is_wide
            && let Some(word) = self.words.get_mut(at + NARROW)
        {
            *word = half(offset >> 32);
        }
    }

    /// Gives the entries new memory: with room for one more, of a time that may not have fitted.
    #[cold]
    fn rebuild(&mut self, ms: i64) {
        let len = self.len();
        let capacity = if self.is_full() { len + len / 8 + 4 } else { self.capacity() };
        let oldest = self.time_ms(0).unwrap_or(ms);
        let newest = len.checked_sub(1).and_then(|it| self.time_ms(it)).unwrap_or(ms);
        let base_ms = oldest.min(ms);
        let is_wide = i64::from(u32::MAX) < newest.max(ms) - base_ms;
        *self = self.moved(capacity, base_ms, is_wide);
    }

    /// Gives memory back where much more was needed once.
    #[inline]
    pub(super) fn shrink(&mut self) {
        if 4 * CAPACITY_MIN < self.capacity() && self.len() < self.capacity() / 4 {
            *self = self.moved(self.len() + self.len() / 4 + 4, self.base_ms, self.is_wide);
        }
    }

    fn moved(&self, capacity: usize, base_ms: i64, is_wide: bool) -> Self {
        let mut new = Self {
            words: vec![0; capacity * if is_wide { WIDE } else { NARROW }].into(),
            base_ms,
            head: 0,
            len: self.len,
            newest: 0,
            is_wide,
            is_unsigned: self.is_unsigned,
            stability: StabilityCache::default(),
            bounds: self.bounds,
        };
        for index in 0..self.len() {
            if let Some((offset, bits)) = self.get(index) {
                new.put(index, new.offset(self.base_ms + offset), bits);
            }
        }
        new
    }
}

#[inline]
fn fold_entries<const WIDTH: usize, T>(
    parts: [Option<&[u32]>; 2],
    first: T,
    mut step: impl FnMut(T, u64) -> T,
) -> T {
    let mut all = first;
    for words in parts.into_iter().flatten() {
        for entry in words.chunks_exact(WIDTH) {
            all = step(all, u64::from(entry[1]) | u64::from(entry[2]) << 32);
        }
    }
    all
}
