//! A monotonic deque serves the minimum, or the maximum, of all windows that end together: each of its
//! values is better than all later ones, so the best of any of these windows is the first one in it.
//!
//! A candidate is its time in milliseconds with the lower 20 bits of its number in one word, and its bits.
//! No ring holds so many values that these bits could be mistaken.

use std::collections::VecDeque;

use super::aggregate::WindowSpan;

const NUMBER_BITS: u32 = 20;
const NUMBER_MASK: u64 = (1 << NUMBER_BITS) - 1;
/// The least capacity: giving back less memory is not worth it.
const ROOM_MIN: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Candidate {
    key: u64,
    bits: u64,
}

impl Candidate {
    fn new((ms, number): (i64, u64), bits: u64) -> Self {
        Self { key: ms.cast_unsigned() << NUMBER_BITS | number & NUMBER_MASK, bits }
    }

    #[inline]
    fn is_in(self, span: WindowSpan, (end_ms, high): (i64, u64)) -> bool {
        match span {
            WindowSpan::Period { ms } => {
                end_ms.saturating_sub(ms) < self.key.cast_signed() >> NUMBER_BITS
            }
            WindowSpan::Count(count) => {
                // From 1 on, the newest value being the first.
                let age = high.wrapping_sub(self.key) & NUMBER_MASK;
                age <= u64::from(count)
            }
        }
    }
}

/// Whether `old` stays in front of `new`.
#[inline]
pub(super) fn is_better(old: u64, new: u64, is_unsigned: bool, wants_less: bool) -> bool {
    let (less, more) = if wants_less { (old, new) } else { (new, old) };
    if is_unsigned { less < more } else { f64::from_bits(less) < f64::from_bits(more) }
}

/// The deques of one item's windows.
#[derive(Clone, Debug, Default)]
pub(super) struct MonotonicDeque {
    candidates: VecDeque<Candidate>,
}

/// Which of two extremes, of which numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wants {
    pub(super) less: bool,
    pub(super) unsigned: bool,
}

impl MonotonicDeque {
    pub(super) fn clear(&mut self) {
        self.candidates.clear();
    }

    #[inline]
    pub(super) fn push(&mut self, place: (i64, u64), bits: u64, wants: Wants) {
        while let Some(last) = self.candidates.back() {
            if is_better(last.bits, bits, wants.unsigned, wants.less) {
                break;
            }
            self.candidates.pop_back();
        }
        self.candidates.push_back(Candidate::new(place, bits));
    }

    /// Forgets what lies in none of the windows that end at `end` (time and number after the last).
    #[inline]
    pub(super) fn forget(&mut self, reach: [WindowSpan; 2], end: (i64, u64)) {
        while let Some(first) = self.candidates.front() {
            if reach.iter().any(|it| first.is_in(*it, end)) {
                return;
            }
            self.candidates.pop_front();
            if ROOM_MIN < self.candidates.capacity()
                && self.candidates.len() < self.candidates.capacity() / 4
            {
                self.candidates.shrink_to(self.candidates.capacity() / 2);
            }
        }
    }

    /// The best value of a window.
    #[inline]
    pub(super) fn best(&self, span: WindowSpan, end: (i64, u64)) -> Option<u64> {
        const NEAR: usize = 8;
        let at = match self.candidates.iter().take(NEAR).position(|it| it.is_in(span, end)) {
            Some(at) => at,
            None => self.candidates.partition_point(|it| !it.is_in(span, end)),
        };
        self.candidates.get(at).map(|it| it.bits)
    }

    /// Of the newest of the best values that are so good: its time, and how many values have come from
    /// it on to the end `high`.
    #[inline]
    pub(super) fn newest(&self, high: u64, is_good: impl Fn(u64) -> bool) -> Option<(i64, u64)> {
        let n_good = self.candidates.partition_point(|it| is_good(it.bits));
        let candidate = self.candidates.get(n_good.checked_sub(1)?)?;
        let n_behind = high.wrapping_sub(candidate.key) & NUMBER_MASK;
        Some((candidate.key.cast_signed() >> NUMBER_BITS, n_behind))
    }
}
