//! Numbers with their times, ascending, in one piece of memory that is used as a circle.
//!
//! An entry is three words: milliseconds since `base_ms` and the two halves of the value's bits. A
//! fourth word holds the upper half of the milliseconds where entries lie more than 49 days apart.
//! Numbers are kept in whole milliseconds everywhere, so nothing of their times is lost.

use super::fold::as_f64;

/// Words of an entry.
const NARROW: usize = 3;
const WIDE: usize = 4;
/// Room for so few entries is not worth less memory.
const CAPACITY_MIN: usize = 8;
/// Bounds are found anew after as many entries as there are, but not more often.
const AGE_MIN: u32 = 16;

pub(super) const MS: i64 = 1_000_000;

/// The whole millisecond in or before which a moment lies.
#[inline]
pub(super) fn to_ms(ns: i64) -> i64 {
    ns.div_euclid(MS)
}

#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    words: Box<[u32]>,
    /// What the times of the entries count from.
    base_ms: i64,
    head: u32,
    len: u32,
    capacity: u32,
    is_wide: bool,
    pub(super) is_unsigned: bool,
    /// No entry is less or more than these.
    bounds: [f64; 2],
    /// Entries that came since the bounds were those of what was there.
    age: u32,
}

impl Numbers {
    pub(super) fn new(is_unsigned: bool) -> Self {
        Self {
            words: Box::default(),
            base_ms: 0,
            head: 0,
            len: 0,
            capacity: 0,
            is_wide: false,
            is_unsigned,
            bounds: [f64::INFINITY, f64::NEG_INFINITY],
            age: 0,
        }
    }

    /// No entry is less or more than these, as doubles.
    #[inline]
    pub(super) fn bounds(&self) -> [f64; 2] {
        self.bounds
    }

    #[inline]
    fn widen(&mut self, bits: u64) {
        let value = if self.is_unsigned { as_f64(bits) } else { f64::from_bits(bits) };
        self.bounds = [self.bounds[0].min(value), self.bounds[1].max(value)];
    }

    /// Finds the bounds anew once all entries may be others, so that what has left is forgotten.
    #[inline]
    fn keep_bounds(&mut self, bits: u64) {
        self.widen(bits);
        self.age += 1;
        if self.len.max(AGE_MIN) <= self.age {
            self.age = 0;
            self.bounds = [f64::INFINITY, f64::NEG_INFINITY];
            for index in 0..self.len() {
                if let Some((_, bits)) = self.get(index) {
                    self.widen(bits);
                }
            }
        }
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
    fn place(&self, index: usize) -> usize {
        let at = self.head as usize + index;
        let capacity = self.capacity as usize;
        let at = if capacity <= at { at - capacity } else { at };
        at * if self.is_wide { WIDE } else { NARROW }
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

    #[inline]
    fn last(&self) -> Option<(i64, u64)> {
        self.get(self.len().checked_sub(1)?)
    }

    /// How many entries are not later than an offset.
    #[inline]
    pub(super) fn after(&self, offset: i64) -> usize {
        // Most questions are about the end.
        if self.last().is_none_or(|it| it.0 <= offset) {
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

    pub(super) fn pop_front(&mut self) {
        if self.len == 0 {
            return;
        }
        self.len -= 1;
        self.head = if self.head + 1 == self.capacity { 0 } else { self.head + 1 };
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new(self.is_unsigned);
    }

    /// Brings an entry near; the number means nothing.
    #[inline]
    pub(super) fn look(&self, index: usize) -> u64 {
        self.words.get(self.place(index)).map_or(0, |it| u64::from(*it))
    }

    /// Whether the next entry needs more memory.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.len == self.capacity
    }

    /// Puts an entry behind those that are not later, and says where. `expected`: how many entries
    /// there may come to be, so that memory does not grow step by step.
    #[inline]
    pub(super) fn add(&mut self, (ms, bits): (i64, u64), expected: usize) -> usize {
        let offset = self.offset(ms);
        let index = self.after(offset);
        if self.is_full() || offset < 0 || !self.is_wide && i64::from(u32::MAX) < offset {
            self.rebuild(ms, expected);
        }
        self.len += 1;
        for at in (index + 1..self.len()).rev() {
            if let Some((offset, bits)) = self.get(at - 1) {
                self.put(at, offset, bits);
            }
        }
        self.put(index, self.offset(ms), bits);
        self.keep_bounds(bits);
        index
    }

    #[inline]
    fn put(&mut self, index: usize, offset: i64, bits: u64) {
        let at = self.place(index);
        let half = |it: u64| u32::try_from(it & u64::from(u32::MAX)).unwrap_or(u32::MAX);
        let offset = offset.unsigned_abs();
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

    /// Gives the entries new memory: with room for more, and for one of a time that did not fit.
    #[cold]
    fn rebuild(&mut self, ms: i64, expected: usize) {
        let len = self.len();
        let capacity = if !self.is_full() {
            self.capacity as usize
        } else {
            // Never by less than an eighth, so that values are copied but a few times.
            expected.clamp(len + len / 8 + 4, len * CAPACITY_MIN + CAPACITY_MIN)
        };
        let oldest = self.time_ms(0).unwrap_or(ms);
        let newest = len.checked_sub(1).and_then(|it| self.time_ms(it)).unwrap_or(ms);
        let base_ms = oldest.min(ms);
        let is_wide = i64::from(u32::MAX) < newest.max(ms) - base_ms;
        *self = self.moved(capacity, base_ms, is_wide);
    }

    /// Gives memory back where much more was needed once.
    #[inline]
    pub(super) fn shrink(&mut self) {
        if 4 * CAPACITY_MIN < self.capacity as usize && self.len < self.capacity / 4 {
            *self = self.moved(self.len() + self.len() / 4 + 4, self.base_ms, self.is_wide);
        }
    }

    fn moved(&self, capacity: usize, base_ms: i64, is_wide: bool) -> Self {
        let mut new = Self {
            words: vec![0; capacity * if is_wide { WIDE } else { NARROW }].into(),
            base_ms,
            head: 0,
            len: self.len,
            capacity: u32::try_from(capacity).unwrap_or(u32::MAX),
            is_wide,
            is_unsigned: self.is_unsigned,
            bounds: self.bounds,
            age: self.age,
        };
        for index in 0..self.len() {
            if let Some((offset, bits)) = self.get(index) {
                new.put(index, new.offset(self.base_ms + offset), bits);
            }
        }
        new
    }
}
