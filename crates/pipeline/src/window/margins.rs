//! How far answers can move with the next values: see [`Calm`].
//!
//! Sums, averages and counts are sums of what each value weighs; compared with a number they are
//! above or below a threshold. What new values can weigh at most and at least is known from their
//! bounds, and what leaves the window is in the ring. Of extremes it is known which value decides,
//! and when it leaves.

use lang::expression::Op;

use super::calm::{Calm, Side, beside, margin};
use super::fold::{Fold, Span, as_f64};
use super::folds::{Cell, FoldAt};
use super::limits::matches_none;
use super::numbers::Numbers;
use super::ring::ValueRef;
use super::stairs::Stairs;

/// No more values than this are looked ahead: it costs about as much as it saves later.
const N_MAX: u32 = 16;
/// Sums and products of so many doubles are known so well, relative to the greatest of them.
const ROUNDING: f64 = 1e-12;

/// A comparison, with what it gives now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared {
    pub(crate) op: Op,
    pub(crate) right: f64,
    pub(crate) is_true: bool,
}

/// What values weigh in a comparison with 0.
#[derive(Clone, Copy)]
struct Scale {
    fold: Fold,
    right: f64,
    is_unsigned: bool,
}

impl Scale {
    #[inline]
    fn of(&self, bits: u64) -> f64 {
        match self.fold {
            Fold::Count(None) => 1.0,
            Fold::Count(Some(it)) => {
                let value = if self.is_unsigned {
                    ValueRef::Unsigned(bits)
                } else {
                    ValueRef::Float(f64::from_bits(bits))
                };
                f64::from(u8::from(it.matches(value)))
            }
            Fold::Avg => self.number(bits) - self.right,
            _ => self.number(bits),
        }
    }

    #[inline]
    fn number(&self, bits: u64) -> f64 {
        if self.is_unsigned { as_f64(bits) } else { f64::from_bits(bits) }
    }

    /// What values within bounds weigh, at least and at most.
    #[inline]
    fn limits(&self, [low, high]: [f64; 2]) -> [f64; 2] {
        match self.fold {
            Fold::Count(None) => [1.0, 1.0],
            Fold::Count(Some(it)) if matches_none(it, [low, high]) => [0.0, 0.0],
            Fold::Count(Some(_)) => [0.0, 1.0],
            Fold::Avg => [low - self.right, high - self.right],
            _ => [low, high],
        }
    }
}

/// When values will have come that come at the pace of those that are there.
#[derive(Clone, Copy)]
struct Pace {
    end_ms: i64,
    pause_ms: i64,
    by_time: bool,
}

impl Pace {
    fn new(span: Span, end_ms: i64, numbers: &Numbers) -> Self {
        let by_time = matches!(span, Span::Period { .. });
        Self { end_ms, pause_ms: numbers.pause_ms(), by_time }
    }

    /// The time until which no more than so many values are expected.
    #[inline]
    fn until(&self, n: u32) -> i64 {
        if !self.by_time {
            return i64::MAX;
        }
        let pauses = self.pause_ms.saturating_mul(n.into());
        self.end_ms.saturating_add(pauses).saturating_add(self.pause_ms / 2)
    }
}

/// For how long a sum, average or count stays on its side.
pub(super) fn of_sum(
    at: &FoldAt,
    (cell, numbers): (&Cell, &Numbers),
    end_ms: i64,
    (compared, most_values): (Compared, u32),
) -> Calm {
    let Compared { op, right, is_true } = compared;
    let is_sum = matches!(at.fold, Fold::Sum | Fold::Avg);
    let bounds = numbers.bounds();
    let most = bounds[0].abs().max(bounds[1].abs());
    // Sums of whole numbers wrap; of what is not exact it is not known how wrong it is.
    let is_vague = if numbers.is_unsigned {
        1e18 < most * as_f64(numbers.capacity() as u64)
    } else {
        cell.n != 0
    };
    let (Some(side), false) = (Side::of(op, is_true), is_sum && is_vague) else {
        return Calm::NONE;
    };
    let scale = Scale { fold: at.fold, right, is_unsigned: numbers.is_unsigned };
    let len = as_f64(cell.len.into());
    let now = match at.fold {
        Fold::Avg => cell.total(numbers.is_unsigned) - right * len,
        Fold::Count(None) => len - right,
        Fold::Count(Some(_)) => as_f64(cell.n.into()) - right,
        _ => cell.total(numbers.is_unsigned) - right,
    };
    let weights = scale.limits(bounds);
    let distance = Distance {
        now,
        slack: (len + f64::from(N_MAX)) * ROUNDING * (most + right.abs() + 1.0),
        side,
        less: weights[0].min(0.0),
        more: weights[1].max(0.0),
    };
    let pace = Pace::new(at.span, end_ms, numbers);
    let mut leaving = Leaving::new(scale, cell.len, numbers);
    let all = N_MAX.min(most_values);
    if leaving.are_at_most(all, at.span, pace.until(all)) && distance.stays_whatever_leaves(all) {
        return Calm { n_values: all, until_ms: pace.until(all), ..Calm::NONE };
    }
    let mut calm = Calm::NONE;
    for n in 1..=all {
        let until_ms = pace.until(n);
        match at.span {
            Span::Period { ms } => leaving.until(numbers.offset(until_ms).saturating_sub(ms)),
            Span::Count(count) => leaving.all_but(count.saturating_sub(n)),
        }
        if !distance.stays(n, [leaving.least, leaving.most]) {
            break;
        }
        calm = Calm { n_values: n, until_ms, ..Calm::NONE };
    }
    calm
}

/// How far from 0 all values together weigh, on which side, and what a value adds at least and at most.
struct Distance {
    now: f64,
    slack: f64,
    side: Side,
    less: f64,
    more: f64,
}

impl Distance {
    /// Whether it stays on its side with so many values more, if those that leave weigh so much
    /// together, at least and at most.
    #[inline]
    fn stays(&self, n: u32, leaving: [f64; 2]) -> bool {
        let n = f64::from(n);
        let is_above = self.slack < self.now + n * self.less - leaving[1];
        let is_below = self.now + n * self.more - leaving[0] < -self.slack;
        match self.side {
            Side::Above => is_above,
            Side::Below => is_below,
            Side::Apart => is_above || is_below,
        }
    }

    /// The same if no more values leave than come.
    #[inline]
    fn stays_whatever_leaves(&self, n: u32) -> bool {
        let n_values = f64::from(n);
        self.stays(n, [n_values * self.less, n_values * self.more])
    }
}

/// Values on their way out of a window, oldest first: what the first so many of them weigh together,
/// at least and at most.
struct Leaving<'a> {
    scale: Scale,
    numbers: &'a Numbers,
    index: usize,
    left: u32,
    sum: f64,
    least: f64,
    most: f64,
}

impl<'a> Leaving<'a> {
    fn new(scale: Scale, len: u32, numbers: &'a Numbers) -> Self {
        let index = numbers.len().saturating_sub(len as usize);
        Self { scale, numbers, index, left: len, sum: 0.0, least: 0.0, most: 0.0 }
    }

    /// Whether no more than so many leave until a time, with as many new values.
    #[inline]
    fn are_at_most(&self, n: u32, span: Span, until_ms: i64) -> bool {
        let Span::Period { ms } = span else { return true };
        let offset = self.numbers.offset(until_ms).saturating_sub(ms);
        self.left <= n || self.numbers.get(self.index + n as usize).is_some_and(|it| offset < it.0)
    }

    /// Those up to a time, as entries have it.
    #[inline]
    fn until(&mut self, offset: i64) {
        while self.left != 0
            && let Some((_, bits)) = self.numbers.get(self.index).filter(|it| it.0 <= offset)
        {
            self.leave(bits);
        }
    }

    /// All but the newest so many.
    #[inline]
    fn all_but(&mut self, count: u32) {
        while count < self.left
            && let Some((_, bits)) = self.numbers.get(self.index)
        {
            self.leave(bits);
        }
    }

    #[inline]
    fn leave(&mut self, bits: u64) {
        self.sum += self.scale.of(bits);
        self.least = self.least.min(self.sum);
        self.most = self.most.max(self.sum);
        self.index += 1;
        self.left -= 1;
    }
}

/// For how long an extreme stays on its side. `end`: time and number behind the last value.
pub(super) fn of_extreme(
    at: &FoldAt,
    (stairs, numbers): (&Stairs, &Numbers),
    (end_ms, high): (i64, u64),
    (compared, most_values): (Compared, u32),
) -> Calm {
    let Compared { op, right, is_true } = compared;
    let number = |bits: u64| if numbers.is_unsigned { as_f64(bits) } else { f64::from_bits(bits) };
    let best = |n: u32, until: i64| stairs.best(at.span, (until, high + u64::from(n))).map(number);
    let side = Side::of(op, is_true);
    let is_held = match at.fold {
        Fold::Max => side == Some(Side::Above),
        _ => side == Some(Side::Below),
    };
    if !is_held {
        // Whatever leaves; only a value on the other side can change it.
        let ordered = matches!(side, Some(Side::Above | Side::Below));
        return match best(0, end_ms).filter(|_| ordered) {
            Some(known) => Calm { bounds: beside(op, is_true, (known, right)), ..Calm::LASTING },
            None => Calm::NONE,
        };
    }
    // Whatever comes; as long as one value of its side is left.
    let pace = Pace::new(at.span, end_ms, numbers);
    let mut n = N_MAX.min(most_values);
    while n != 0 {
        let until_ms = pace.until(n);
        let is_left = best(n, until_ms).is_some_and(|it| match at.fold {
            Fold::Max => right + margin(right) < it,
            _ => it < right - margin(right),
        });
        if is_left {
            return Calm { n_values: n, until_ms, ..Calm::NONE };
        }
        n /= 2;
    }
    Calm::NONE
}
