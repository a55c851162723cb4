//! For how long a trigger stays as it is, whatever values come.
//!
//! Most values change nothing at any trigger. Whenever an item's triggers have been looked at and
//! stay as they are, it is found out for how many more values, up to when, and between which bounds
//! of these values none of them can change: the average of an hour does not pass 90 with one value
//! of 100. Until then a value costs three comparisons, and windows are left where they are.

use lang::expression::Op;

use super::bits::round_outward;

/// As long as this holds, new values leave a trigger as it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StableUntil {
    /// So many more values.
    pub n_values: u32,
    /// None of them later.
    pub until_ms: i64,
    /// None of them less or more.
    pub bounds: [f64; 2],
}

impl StableUntil {
    /// The next value may change it.
    pub const NONE: Self =
        Self { n_values: 0, until_ms: i64::MAX, bounds: [f64::NEG_INFINITY, f64::INFINITY] };
    /// No value between the bounds of those that are there changes it.
    pub const UNLIMITED: Self = Self { n_values: u32::MAX, ..Self::NONE };

    /// The limits within which both hold.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self {
            n_values: self.n_values.min(other.n_values),
            until_ms: self.until_ms.min(other.until_ms),
            bounds: [self.bounds[0].max(other.bounds[0]), self.bounds[1].min(other.bounds[1])],
        }
    }
}

/// The region in which a number has to stay so that the result of a comparison does not change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Below,
    Above,
    Outside,
}

impl Side {
    /// `None`: only one number gives this.
    #[inline]
    pub(super) fn of(op: Op, is_true: bool) -> Option<Self> {
        Some(match (op, is_true) {
            (Op::Gt | Op::Ge, true) | (Op::Lt | Op::Le, false) => Self::Above,
            (Op::Gt | Op::Ge, false) | (Op::Lt | Op::Le, true) => Self::Below,
            (Op::Eq, false) | (Op::Ne, true) => Self::Outside,
            _ => return None,
        })
    }
}

/// No nearer to a comparison's right side are numbers taken for being on their side of it.
#[inline]
pub(super) fn margin(right: f64) -> f64 {
    right.abs().max(1.0) * 1e-12
}

/// Which numbers are certainly on the same side of `right` as `known`.
#[inline]
pub fn same_side(op: Op, is_true: bool, (known, right): (f64, f64)) -> [f64; 2] {
    match Side::of(op, is_true) {
        Some(Side::Below) => [f64::NEG_INFINITY, known.max(right - margin(right))],
        Some(Side::Above) => [known.min(right + margin(right)), f64::INFINITY],
        Some(Side::Outside) | None => [known, known],
    }
}

/// More values than the lag of any window.
const LONG: u16 = 1_000;

/// A [`StableUntil`] as a ring keeps it: in 16 bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StabilityCache {
    n_triggers: u16,
    /// One more than the values that may come; 0: it is over.
    left: u16,
    /// As entries have their times.
    until: u32,
    bounds: [f32; 2],
}

impl StabilityCache {
    /// `until`: as entries have their times.
    pub(super) fn new(stable_until: StableUntil, until: i64, n_triggers: u16) -> Self {
        if stable_until.n_values == 0 || until < 0 {
            return Self::default();
        }
        let [low, high] = stable_until.bounds;
        Self {
            n_triggers,
            left: u16::try_from(stable_until.n_values).unwrap_or(u16::MAX).saturating_add(1),
            until: u32::try_from(until).unwrap_or(u32::MAX),
            // Never more than was said.
            bounds: [round_outward(low)[1], round_outward(high)[0]],
        }
    }

    /// Counts a new value; false if it no longer holds.
    #[inline]
    pub(super) fn takes(&mut self, offset: i64, value: f64) -> bool {
        let [low, high] = self.bounds.map(f64::from);
        let is_in = offset <= i64::from(self.until) && low <= value && value <= high;
        self.left = if is_in { self.left.saturating_sub(1) } else { 0 };
        self.left != 0
    }

    #[inline]
    pub(super) fn triggers(&self) -> Option<u16> {
        (self.left != 0).then_some(self.n_triggers)
    }

    /// Whether it will be over with a value, as far as is known.
    #[inline]
    pub(super) fn is_due(&self, offset: i64, value: Option<f64>) -> bool {
        let mut next = *self;
        !next.takes(offset, value.unwrap_or(f64::from(self.bounds[0])))
    }

    #[inline]
    pub(super) fn is_long(&self) -> bool {
        self.until == u32::MAX && LONG <= self.left
    }

    #[inline]
    pub(super) fn end(&mut self) {
        self.left = 0;
    }
}
