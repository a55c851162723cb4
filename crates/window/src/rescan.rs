//! A rescan: aggregates of an item's newest windows, computed from its ring alone.
//!
//! Keeping the aggregates of windows up to date costs something for each value. Where values have come
//! that no window has been asked about, the aggregates are left behind, and a window is computed from
//! its values if that costs no more than to catch up. The result is as certain as a comparison needs.

use super::aggregate::{AggregateRef, N_OF_ONE, WindowFunction, WindowSpan};
use super::bits::{as_f64, to_ms};
use super::compared::Compared;
use super::extremes::{Decides, decides, while_in_window};
use super::margins::{WindowTotal, of_sum};
use super::numbers::Numbers;
use super::ring::Ring;
use super::stable_until::StableUntil;

/// Longer windows are not added up: so far, rounding stays within what comparisons leave for it.
const N_MAX: usize = 4_096;
/// How far back the deciding value is searched.
const BACK_MAX: usize = 8;

#[derive(Debug)]
pub struct Rescan<'a> {
    numbers: &'a Numbers,
    end: i64,
    end_ms: i64,
    pause_ms: i64,
    n_most: usize,
}

impl<'a> Rescan<'a> {
    /// At the newest value, if it is of this time; `n_new` have come since this was asked last.
    #[inline]
    pub fn new(ring: &'a Ring, time: i64, n_new: usize) -> Option<Self> {
        let numbers = ring.numbers()?;
        let (end, _) = numbers.get(numbers.len().checked_sub(1)?)?;
        let (end_ms, pause_ms) = (numbers.time_of(end), numbers.pause_ms());
        let n_most = n_new.saturating_mul(N_OF_ONE).min(N_MAX);
        (end_ms == to_ms(time)).then_some(Self { numbers, end, end_ms, pause_ms, n_most })
    }

    /// If a comparison certainly gives what it gave: for how long it will.
    #[inline]
    pub fn stable_until(
        &self,
        at: &AggregateRef,
        compared: Compared,
        known: StableUntil,
    ) -> Option<StableUntil> {
        let stable_until = match at.aggregate {
            WindowFunction::Min | WindowFunction::Max => self.of_extreme(at, compared)?,
            WindowFunction::Sum | WindowFunction::Avg | WindowFunction::Count(_) => {
                let window_total = self.window_total(at)?;
                let rate = (self.end_ms, self.pause_ms);
                of_sum(at, (window_total, self.numbers), rate, (compared, known))
            }
        };
        (stable_until.n_values != 0).then_some(stable_until)
    }

    /// The first value of a window, if it has not too many.
    #[inline]
    fn start(&self, span: WindowSpan) -> Option<usize> {
        let len = self.numbers.len();
        let start = match span {
            WindowSpan::Count(count) => len.saturating_sub(count as usize),
            WindowSpan::Period { ms } => {
                let offset = self.end.saturating_sub(ms);
                let is_in = |it: usize| self.numbers.get(it).is_none_or(|it| offset < it.0);
                let n = usize::try_from(ms / self.pause_ms.max(1)).unwrap_or(usize::MAX);
                let start = len.saturating_sub(n);
                let is_start = is_in(start) && start.checked_sub(1).is_none_or(|it| !is_in(it));
                if is_start { start } else { self.numbers.after(offset) }
            }
        };
        (len - start <= self.n_most).then_some(start)
    }

    fn window_total(&self, at: &AggregateRef) -> Option<WindowTotal> {
        let start = self.start(at.span)?;
        let numbers = self.numbers;
        let len = numbers.len() - start;
        let total = match at.aggregate {
            WindowFunction::Count(None) => as_f64(len as u64),
            WindowFunction::Count(Some(it)) if numbers.is_unsigned => {
                let n = numbers.fold(start, 0_u64, |n, bits| {
                    n + u64::from(it.matches(super::ValueRef::Unsigned(bits)))
                });
                as_f64(n)
            }
            WindowFunction::Count(Some(it)) => {
                let n = numbers.fold(start, 0_u64, |n, bits| {
                    n + u64::from(it.matches(super::ValueRef::Float(f64::from_bits(bits))))
                });
                as_f64(n)
            }
            _ if numbers.is_unsigned => sum(numbers, start, as_f64),
            _ => sum(numbers, start, f64::from_bits),
        };
        let is_vague = !total.is_finite();
        Some(WindowTotal { len: u32::try_from(len).ok()?, total, is_vague })
    }

    fn of_extreme(&self, at: &AggregateRef, compared: Compared) -> Option<StableUntil> {
        let numbers = self.numbers;
        match decides(at.aggregate, compared, (None, numbers.is_unsigned)) {
            Some(Decides::One(beyond)) => {
                let len = numbers.len();
                let newest = (len.saturating_sub(BACK_MAX)..len).rev();
                let mut newest = newest.filter_map(|it| Some((it, numbers.get(it)?)));
                let (index, (offset, _)) = newest.find(|it| beyond.has(it.1.1))?;
                let place = (numbers.time_of(offset), (len - index) as u64);
                Some(while_in_window(at.span, place, self.end_ms))
            }
            _ => self.of_all(at, compared),
        }
    }

    fn of_all(&self, at: &AggregateRef, compared: Compared) -> Option<StableUntil> {
        let start = self.start(at.span)?;
        let numbers = self.numbers;
        let number =
            |bits: u64| if numbers.is_unsigned { as_f64(bits) } else { f64::from_bits(bits) };
        let known = match at.aggregate {
            WindowFunction::Max => {
                numbers.fold(start, f64::NEG_INFINITY, |best, it| best.max(number(it)))
            }
            _ => numbers.fold(start, f64::INFINITY, |best, it| best.min(number(it))),
        };
        match decides(at.aggregate, compared, (Some(known), numbers.is_unsigned))? {
            Decides::All(bounds) if compared.gives(known) => {
                Some(StableUntil { bounds, ..StableUntil::UNLIMITED })
            }
            _ => None,
        }
    }
}

/// Four sums in turn, so that an addition need not wait for the one before.
#[inline]
fn sum(numbers: &Numbers, start: usize, number: impl Fn(u64) -> f64) -> f64 {
    let turn = |[a, b, c, d]: [f64; 4], bits| [b, c, d, a + number(bits)];
    numbers.fold(start, [0.0; 4], turn).into_iter().sum()
}
