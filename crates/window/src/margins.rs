//! How far answers can move with the next values: see [`StableUntil`].
//!
//! Sums, averages and counts are sums of what each value weighs; compared with a number they are
//! above or below a threshold. The least and greatest weight of new values follows from their
//! bounds, and values that leave the window are in the ring. Where that is not enough for many
//! values, they are bound to what brings the sum no nearer to its threshold, if most are likely to
//! keep to that.

use formats::number;

use super::aggregate::{AggregateRef, CompareOp, WindowFunction, WindowSpan};
use super::bits::as_f64;
use super::compared::Compared;
use super::limits::{matches_none, widened};
use super::numbers::Numbers;
use super::ring::ValueRef;
use super::stable_until::{Side, StableUntil, margin};

/// No more values than this are looked ahead one by one: it costs about as much as it saves later.
const N_MAX: u32 = 16;
/// Nor more than this at all.
const AHEAD_MAX: u32 = 512;
/// How often values are high or low is estimated from this number of the newest ones.
const SAMPLE: usize = 8;
/// The most leaving values that are examined one by one.
const LEAVING_MAX: u32 = 64;
/// Sums and products of so many doubles are known so well, relative to the greatest of them.
const ROUNDING: f64 = 1e-12;

/// The totals of a window: the number of values, and nearly their sum or how many of them match.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowTotal {
    pub(super) len: u32,
    pub(super) total: f64,
    /// It is not known how nearly.
    pub(super) is_vague: bool,
}

/// The weight of values in a comparison with 0. All of a window are below it together.
#[derive(Clone, Copy)]
struct Scale {
    aggregate: WindowFunction,
    right: f64,
    is_unsigned: bool,
    /// They are above it in truth: weights are taken the other way round.
    is_above: bool,
}

impl Scale {
    #[inline]
    fn of(&self, bits: u64) -> f64 {
        let weight = match self.aggregate {
            WindowFunction::Count(None) => 1.0,
            WindowFunction::Count(Some(it)) => {
                let value = if self.is_unsigned {
                    ValueRef::Unsigned(bits)
                } else {
                    ValueRef::Float(f64::from_bits(bits))
                };
                f64::from(u8::from(it.matches(value)))
            }
            WindowFunction::Avg => self.number(bits) - self.right,
            _ => self.number(bits),
        };
        if self.is_above { -weight } else { weight }
    }

    #[inline]
    fn number(&self, bits: u64) -> f64 {
        if self.is_unsigned { as_f64(bits) } else { f64::from_bits(bits) }
    }

    /// The least and greatest weight of values within bounds, and the bounds within which that
    /// holds.
    #[inline]
    fn limits(&self, within: [f64; 2]) -> ([f64; 2], [f64; 2]) {
        let [low, high] = within;
        let any = [f64::NEG_INFINITY, f64::INFINITY];
        let ([less, more], bounds) = match self.aggregate {
            WindowFunction::Count(None) => ([1.0, 1.0], any),
            WindowFunction::Count(Some(it)) if matches_none(it, within) => ([0.0, 0.0], within),
            WindowFunction::Count(Some(_)) => ([0.0, 1.0], any),
            WindowFunction::Avg => ([low - self.right, high - self.right], within),
            _ => (within, within),
        };
        (if self.is_above { [-more, -less] } else { [less, more] }, bounds)
    }

    /// Which values weigh at most `most`, which is not above 0; as far as can be said.
    #[inline]
    fn at_most(&self, most: f64) -> Option<[f64; 2]> {
        let any = [f64::NEG_INFINITY, f64::INFINITY];
        let edge = match self.aggregate {
            WindowFunction::Avg if self.is_above => self.right - most,
            WindowFunction::Avg => self.right + most,
            WindowFunction::Count(Some(it)) if !self.is_above => {
                return match it.op {
                    CompareOp::Gt | CompareOp::Ge => Some([any[0], it.right - margin(it.right)]),
                    CompareOp::Lt | CompareOp::Le => Some([it.right + margin(it.right), any[1]]),
                    CompareOp::Eq | CompareOp::Ne => None,
                };
            }
            WindowFunction::Sum => 0.0,
            _ => return None,
        };
        Some(if self.is_above { [edge, any[1]] } else { [any[0], edge] })
    }
}

/// When values will have come that come at the pace of those that are there.
#[derive(Clone, Copy)]
struct ArrivalRate {
    end_ms: i64,
    pause_ms: i64,
    by_time: bool,
}

impl ArrivalRate {
    fn new(span: WindowSpan, end_ms: i64, pause_ms: i64) -> Self {
        let by_time = matches!(span, WindowSpan::Period { .. });
        Self { end_ms, pause_ms, by_time }
    }

    /// How many values are expected until then, and one more.
    #[inline]
    fn n_until(&self, until_ms: i64) -> u32 {
        let n = until_ms.saturating_sub(self.end_ms) / self.pause_ms.max(1);
        u32::try_from(n.max(0)).unwrap_or(u32::MAX).saturating_add(1)
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

/// For how long a sum, average or count stays on its side. `known`: for how long all else is as it is.
pub(super) fn of_sum(
    at: &AggregateRef,
    (window_total, numbers): (WindowTotal, &Numbers),
    (end_ms, pause_ms): (i64, i64),
    (compared, known): (Compared, StableUntil),
) -> StableUntil {
    let Some((scale, distance)) = weigh(at.aggregate, window_total, numbers, compared) else {
        return StableUntil::NONE;
    };
    let rate = ArrivalRate::new(at.span, end_ms, pause_ms);
    let leaving = Leaving::new(scale, window_total.len, numbers);
    let most = known.n_values.min(rate.n_until(known.until_ms));
    let any = StableUntil { bounds: distance.bounds, ..StableUntil::NONE };
    let n_values = distance.n_whatever_leaves(at.span, (rate, &leaving), most.min(AHEAD_MAX));
    let any = if most.min(N_MAX) <= n_values {
        return StableUntil { n_values, until_ms: rate.until(n_values), ..any };
    } else {
        let n_values = distance.n_as_they_leave(at.span, (rate, leaving), most.min(N_MAX));
        StableUntil { n_values, until_ms: rate.until(n_values), ..any }
    };
    match distance.while_light(at.span, (rate, leaving)) {
        Some((stable_until, n_expected)) if any.n_values < n_expected.min(most) => stable_until,
        _ => any,
    }
}

/// The weight of a window's values, and their distance from 0.
fn weigh(
    aggregate: WindowFunction,
    window_total: WindowTotal,
    numbers: &Numbers,
    Compared { op, right, is_true }: Compared,
) -> Option<(Scale, Distance)> {
    let is_unsigned = numbers.is_unsigned;
    let bounds = widened(numbers.bounds(), 1.0 / 16.0);
    let most = bounds[0].abs().max(bounds[1].abs());
    // Sums of whole numbers wrap; of what is not exact it is not known how wrong it is.
    let is_vague = if is_unsigned {
        1e18 < most * as_f64(numbers.capacity() as u64)
    } else {
        window_total.is_vague
    };
    let is_sum = matches!(aggregate, WindowFunction::Sum | WindowFunction::Avg);
    if is_sum && is_vague {
        return None;
    }
    let len = as_f64(window_total.len.into());
    let now =
        window_total.total - if aggregate == WindowFunction::Avg { right * len } else { right };
    let most = if is_sum { most } else { 1.0 };
    let slack = (len + f64::from(AHEAD_MAX)) * ROUNDING * (most + right.abs() + 1.0);
    let is_above = match Side::of(op, is_true)? {
        Side::Below => false,
        Side::Above => true,
        Side::Outside => 0.0 < now,
    };
    let scale = Scale { aggregate, right, is_unsigned, is_above };
    let (weights, bounds) = scale.limits(bounds);
    let now = if is_above { -now } else { now };
    let (less, more) = (weights[0].min(0.0), weights[1].max(0.0));
    let distance = Distance { now, slack, less, more, bounds };
    (now < -slack).then_some((scale, distance))
}

/// How far below 0 all values of a window weigh together, and what a value within the bounds adds at
/// least and at most.
struct Distance {
    now: f64,
    slack: f64,
    less: f64,
    more: f64,
    bounds: [f64; 2],
}

impl Distance {
    /// Whether it stays below with so many values more, if those that leave weigh so much together at
    /// least.
    #[inline]
    fn stays(&self, n: f64, leaving: f64) -> bool {
        self.now + n * self.more - leaving < -self.slack
    }

    /// For how many values it stays below if hardly more of them leave than come, whichever these are.
    #[inline]
    fn n_whatever_leaves(
        &self,
        span: WindowSpan,
        (rate, leaving): (ArrivalRate, &Leaving<'_>),
        most: u32,
    ) -> u32 {
        let swing = self.more - self.less;
        let n = (-self.slack - self.now) / swing.max(f64::MIN_POSITIVE);
        let n = number::f64_to_u64(n.min(f64::from(most))).unwrap_or(0);
        let n = u32::try_from(n).unwrap_or(0);
        let stays = |n: &u32| {
            let n_leaving = f64::from(leaving.n_until(*n, span, rate.until(*n)));
            *n != 0 && self.stays(f64::from(*n), n_leaving * self.less)
        };
        [n, n.saturating_sub(1)].into_iter().find(stays).unwrap_or(0)
    }

    /// For how many values it stays below, going through those that leave.
    fn n_as_they_leave(
        &self,
        span: WindowSpan,
        (rate, mut leaving): (ArrivalRate, Leaving<'_>),
        most: u32,
    ) -> u32 {
        for n in 1..=most {
            match span {
                WindowSpan::Period { ms } => {
                    leaving.until(leaving.numbers.offset(rate.until(n)).saturating_sub(ms));
                }
                WindowSpan::Count(count) => leaving.all_but(count.saturating_sub(n)),
            }
            if !self.stays(f64::from(n), leaving.least) {
                return n - 1;
            }
        }
        most
    }

    /// For how long it stays below while only values come that do not bring it nearer to 0, and for how
    /// many values that is expected to be.
    fn while_light(
        &self,
        span: WindowSpan,
        (rate, leaving): (ArrivalRate, Leaving<'_>),
    ) -> Option<(StableUntil, u32)> {
        // Of an average nothing is left of the distance once all others have left; then new values
        // alone have to be below.
        let is_average = leaving.scale.aggregate == WindowFunction::Avg;
        let most = if is_average { -3.0 * self.slack } else { 0.0 };
        let bounds = leaving.scale.at_most(most)?;
        let n_heavy = leaving.n_newest_above(most);
        // None of them: one of twice as many.
        let n_expected = SAMPLE.checked_div(n_heavy).unwrap_or(2 * SAMPLE);
        let may_stay = if is_average { self.slack } else { -self.slack };
        let stable_until = StableUntil { n_values: AHEAD_MAX, bounds, ..StableUntil::NONE };
        let n_may_leave = match self.less < 0.0 {
            true => leaving.n_that_may_leave(self.now - may_stay),
            false => None,
        };
        let stable_until = match n_may_leave {
            None => stable_until,
            Some(n) => {
                let (offset, _) = leaving.numbers.get(leaving.index + n as usize)?;
                match span {
                    WindowSpan::Period { ms } => {
                        let last_ms = leaving.numbers.time_of(offset).saturating_add(ms) - 1;
                        StableUntil { until_ms: last_ms, ..stable_until }
                    }
                    WindowSpan::Count(count) => {
                        let n_values = (count + n).saturating_sub(leaving.left);
                        StableUntil { n_values: n_values.min(AHEAD_MAX), ..stable_until }
                    }
                }
            }
        };
        let n_expected = u32::try_from(n_expected).unwrap_or(0).min(stable_until.n_values);
        Some((stable_until, n_expected.min(rate.n_until(stable_until.until_ms))))
    }
}

/// Values on their way out of a window, oldest first: the least total weight of the first of them.
#[derive(Clone, Copy)]
struct Leaving<'a> {
    scale: Scale,
    numbers: &'a Numbers,
    index: usize,
    left: u32,
    sum: f64,
    least: f64,
}

impl<'a> Leaving<'a> {
    fn new(scale: Scale, len: u32, numbers: &'a Numbers) -> Self {
        let index = numbers.len().saturating_sub(len as usize);
        Self { scale, numbers, index, left: len, sum: 0.0, least: 0.0 }
    }

    /// How many leave until a time, with so many new values.
    #[inline]
    fn n_until(&self, n: u32, span: WindowSpan, until_ms: i64) -> u32 {
        let WindowSpan::Period { ms } = span else { return n };
        let offset = self.numbers.offset(until_ms).saturating_sub(ms);
        // Mostly as many as come.
        let stays = |n: u32| {
            let it = self.numbers.get(self.index + n as usize);
            self.left <= n || it.is_some_and(|it| offset < it.0)
        };
        if stays(n) {
            return n;
        }
        if stays(n + 1) { n + 1 } else { self.left }
    }

    /// How many may leave at most, if what is left has to stay below 0 with `now`, and more leave than
    /// are looked at; `None`: all may.
    fn n_that_may_leave(&self, now: f64) -> Option<u32> {
        let mut leaving = *self;
        for n in 0..self.left.min(LEAVING_MAX) {
            leaving.all_but(self.left - n - 1);
            if 0.0 < now - leaving.least {
                return Some(n);
            }
        }
        (LEAVING_MAX < self.left).then_some(LEAVING_MAX)
    }

    /// How many of the newest values weigh more than `most`.
    fn n_newest_above(&self, most: f64) -> usize {
        let end = self.numbers.len();
        let newest = end.saturating_sub(SAMPLE)..end;
        newest.filter_map(|it| self.numbers.get(it)).filter(|it| most < self.scale.of(it.1)).count()
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
        self.index += 1;
        self.left -= 1;
    }
}
