//! Aggregate functions over windows, and the values of a window.

use formats::number::EPSILON;

use super::bits::{MS, as_f64};
use super::ring::{Depth, Ring, ValueRef};

/// So many values cost as much to be added up as one takes to be added to all windows, and to be taken
/// from them.
pub(super) const N_OF_ONE: usize = 32;

/// Which values a window has, seen from its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WindowSpan {
    /// `end - ms < time <= end`
    Period { ms: i64 },
    /// The newest so many at or before the end.
    Count(u32),
}

impl WindowSpan {
    pub fn depth(self, shift_ns: i64) -> Depth {
        match self {
            Self::Period { ms } => Depth {
                period_ns: ms.saturating_mul(MS).saturating_add(shift_ns),
                ..Depth::default()
            },
            Self::Count(count) => Depth { period_ns: 0, count, count_shift_ns: shift_ns },
        }
    }

    /// Whether the ring has all that the window ending at `end` needs.
    #[inline]
    pub fn is_covered(self, ring: &Ring, end: i64) -> bool {
        match self {
            Self::Period { ms } => ring.covers(end.saturating_sub(ms.saturating_mul(MS))),
            Self::Count(count) => ring.covers_count(count, end),
        }
    }

    /// Numbers of the values of a window that ends at `end`, of those that have come up to `until`.
    pub fn range(self, ring: &Ring, (end, until): (i64, i64)) -> std::ops::Range<u64> {
        let high = ring.after(end.min(until));
        let low = match self {
            Self::Period { ms } => ring.after(end.saturating_sub(ms.saturating_mul(MS))),
            Self::Count(count) => high.saturating_sub(u64::from(count)).max(ring.first()),
        };
        low.min(high)..high
    }
}

/// Functions that are computed incrementally.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum WindowFunction {
    Sum,
    Avg,
    Min,
    Max,
    /// Values that satisfy the comparison, or all.
    Count(Option<Compare>),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CompareOp {
    Eq,
    Ne,
    Gt,
    Ge,
    Lt,
    Le,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Compare {
    pub op: CompareOp,
    pub right: f64,
}

impl Compare {
    #[inline]
    pub fn matches(self, value: ValueRef<'_>) -> bool {
        let left = match value {
            ValueRef::Float(it) => it,
            ValueRef::Unsigned(it) => as_f64(it),
            ValueRef::Text(_) => return false,
        };
        let difference = left - self.right;
        match self.op {
            CompareOp::Eq => difference.abs() <= EPSILON,
            CompareOp::Ne => EPSILON < difference.abs(),
            CompareOp::Gt => EPSILON < difference,
            CompareOp::Ge => -EPSILON <= difference,
            CompareOp::Lt => difference < -EPSILON,
            CompareOp::Le => difference <= EPSILON,
        }
    }
}

/// The answer of a cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum WindowAnswer {
    Float(f64),
    Unsigned(u64),
    /// No values where at least one is needed.
    Empty,
}

/// A function over a window: where its answer is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AggregateRef {
    pub aggregate: WindowFunction,
    pub span: WindowSpan,
    pub track: u32,
    /// Within the track: the cell, or the deque of an extreme.
    pub(super) part: u32,
}
