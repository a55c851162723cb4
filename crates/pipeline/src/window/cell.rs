//! One function over one window of one item, answered for a moment in time.
//!
//! For moments that ascend, a cell moves its window along (amortised constant time); for earlier
//! moments, or after the ring was changed in its middle, it starts anew from the ring.
//!
//! Sums of floating point numbers are subtracted from as values leave. They carry what rounding took
//! (Neumaier's way), and are taken anew after as many departures as the window has values, so that
//! neither huge values that have left nor years of rounding stay behind in them.

use std::collections::VecDeque;

use super::ring::{Depth, Ring, ValueRef};

/// Which values a window has, seen from its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Span {
    /// `end - ns < time <= end`
    Period { ns: i64 },
    /// The newest so many at or before the end.
    Count(u32),
}

impl Span {
    pub(crate) fn depth(self, shift_ns: i64) -> Depth {
        match self {
            Self::Period { ns } => {
                Depth { period_ns: ns.saturating_add(shift_ns), ..Depth::default() }
            }
            Self::Count(count) => Depth { period_ns: 0, count, count_shift_ns: shift_ns },
        }
    }

    /// Whether the ring has all that the window ending at `end` needs.
    pub(crate) fn is_covered(self, ring: &Ring, end: i64) -> bool {
        match self {
            Self::Period { ns } => ring.covers(end.saturating_sub(ns)),
            Self::Count(count) => ring.covers_count(count, end),
        }
    }

    /// Number of the window's first value, which is not before `known`: that of a window which ended
    /// no later.
    fn low_after(self, known: u64, ring: &Ring, (end, high): (i64, u64)) -> u64 {
        let mut low = known.max(ring.first());
        match self {
            Self::Period { ns } => {
                let cut = end.saturating_sub(ns);
                while low < high && ring.time(low).is_some_and(|it| it <= cut) {
                    low += 1;
                }
            }
            Self::Count(count) => low = low.max(high.saturating_sub(u64::from(count))),
        }
        low
    }

    /// Numbers of the window's values.
    pub(crate) fn range(self, ring: &Ring, end: i64) -> std::ops::Range<u64> {
        let high = ring.after(end);
        let low = match self {
            Self::Period { ns } => ring.after(end.saturating_sub(ns)),
            Self::Count(count) => high.saturating_sub(u64::from(count)).max(ring.first()),
        };
        low.min(high)..high
    }
}

/// What is computed incrementally.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Fold {
    Sum,
    Avg,
    Min,
    Max,
    /// Values that satisfy the comparison, or all.
    Count(Option<Compare>),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum CompareOp {
    Eq,
    Ne,
    Gt,
    Ge,
    Lt,
    Le,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Compare {
    pub(crate) op: CompareOp,
    pub(crate) right: f64,
}

/// As `lang::number::EPSILON`: numbers nearer than this are equal.
pub(crate) const EPSILON: f64 = f64::EPSILON;

impl Compare {
    pub(crate) fn matches(self, value: ValueRef<'_>) -> bool {
        let left = match value {
            ValueRef::Float(it) => it,
            ValueRef::Unsigned(it) => as_f64(it),
            ValueRef::Text(_) => return false,
        };
        let difference = left - self.right;
        let is_equal = difference.abs() <= EPSILON;
        match self.op {
            CompareOp::Eq => is_equal,
            CompareOp::Ne => !is_equal,
            CompareOp::Gt => !is_equal && 0.0 < difference,
            CompareOp::Ge => is_equal || 0.0 < difference,
            CompareOp::Lt => !is_equal && difference < 0.0,
            CompareOp::Le => is_equal || difference < 0.0,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "Zabbix computes in doubles as well")]
pub(crate) fn as_f64(value: u64) -> f64 {
    value as f64
}

/// A sum with the part that rounding took from it.
#[derive(Clone, Copy, Debug, Default)]
struct Compensated {
    sum: f64,
    rest: f64,
}

impl Compensated {
    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.rest += if value.abs() <= self.sum.abs() {
            (self.sum - sum) + value
        } else {
            (value - sum) + self.sum
        };
        self.sum = sum;
    }

    fn get(self) -> f64 {
        self.sum + self.rest
    }
}

/// The answer of a cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Answer {
    Float(f64),
    Unsigned(u64),
    /// No values where at least one is needed.
    Empty,
}

#[derive(Clone, Debug)]
enum State {
    Float {
        sum: Compensated,
        departures: u32,
    },
    Unsigned {
        sum: u128,
    },
    /// Numbers of values, each better than all later ones... kept so that the best is in front.
    Best(VecDeque<u64>),
    Count(u64),
}

#[derive(Clone, Debug)]
pub(crate) struct FoldCell {
    fold: Fold,
    span: Span,
    low: u64,
    high: u64,
    end: i64,
    version: u32,
    state: State,
}

impl FoldCell {
    pub(crate) fn new(fold: Fold, span: Span) -> Self {
        Self {
            fold,
            span,
            low: 0,
            high: 0,
            end: i64::MIN,
            // Differs from a new ring's, so the first question starts anew.
            version: u32::MAX,
            state: State::Count(0),
        }
    }

    /// The value for the window that ends at `end`. The ring must cover the window.
    pub(crate) fn at(&mut self, ring: &Ring, end: i64) -> Answer {
        let high = ring.after(end);
        let is_ahead = self.end <= end
            && self.version == ring.version()
            && self.high <= high
            && ring.first() <= self.high;
        let low = if is_ahead {
            // Each value leaves once: going there is cheaper than searching.
            self.span.low_after(self.low, ring, (end, high))
        } else {
            self.span.range(ring, end).start
        };
        let range = low..high;
        if !is_ahead || range.start < self.low || self.high < range.start {
            self.restart(ring, range.start);
        }
        self.end = end;
        while self.high < range.end {
            self.enter(ring, self.high);
            self.high += 1;
        }
        while self.low < range.start {
            self.leave(ring, self.low);
            self.low += 1;
        }
        self.mend(ring);
        self.answer(ring)
    }

    fn restart(&mut self, ring: &Ring, low: u64) {
        self.low = low;
        self.high = low;
        self.version = ring.version();
        let is_unsigned = matches!(ring.value(ring.first()), Some(ValueRef::Unsigned(_)));
        self.state = match self.fold {
            Fold::Sum | Fold::Avg if is_unsigned => State::Unsigned { sum: 0 },
            Fold::Sum | Fold::Avg => State::Float { sum: Compensated::default(), departures: 0 },
            Fold::Min | Fold::Max => State::Best(VecDeque::new()),
            Fold::Count(_) => State::Count(0),
        };
    }

    fn enter(&mut self, ring: &Ring, number: u64) {
        let Some(value) = ring.value(number) else { return };
        match (&mut self.state, value) {
            (State::Float { sum, .. }, ValueRef::Float(it)) => sum.add(it),
            (State::Unsigned { sum }, ValueRef::Unsigned(it)) => *sum += u128::from(it),
            (State::Best(best), value) => {
                let wants_less = self.fold == Fold::Min;
                while let Some(last) = best.back().and_then(|it| ring.value(*it)) {
                    if is_better(last, value, wants_less) {
                        break;
                    }
                    best.pop_back();
                }
                best.push_back(number);
            }
            (State::Count(n), value) => *n += u64::from(counts(self.fold, value)),
            _ => {}
        }
    }

    fn leave(&mut self, ring: &Ring, number: u64) {
        match &mut self.state {
            State::Best(best) => {
                if best.front() == Some(&number) {
                    best.pop_front();
                }
            }
            State::Float { sum, departures } => match ring.value(number) {
                Some(ValueRef::Float(it)) => {
                    sum.add(-it);
                    let is_spoiled = !sum.get().is_finite();
                    *departures = if is_spoiled { u32::MAX } else { departures.saturating_add(1) };
                }
                // Already dropped from the ring: the sum can't be corrected, only taken anew.
                _ => *departures = u32::MAX,
            },
            State::Unsigned { sum } => match ring.value(number) {
                Some(ValueRef::Unsigned(it)) => *sum = sum.saturating_sub(u128::from(it)),
                _ => self.version = ring.version().wrapping_sub(1),
            },
            State::Count(n) => match (self.fold, ring.value(number)) {
                (Fold::Count(None), _) => *n = n.saturating_sub(1),
                (fold, Some(value)) => *n = n.saturating_sub(u64::from(counts(fold, value))),
                (_, None) => self.version = ring.version().wrapping_sub(1),
            },
        }
    }

    /// Takes sums anew where leaving values have spoiled them.
    fn mend(&mut self, ring: &Ring) {
        if self.version != ring.version() {
            let (low, high) = (self.low, self.high);
            self.restart(ring, low);
            for number in low..high {
                self.enter(ring, number);
            }
            self.high = high;
        }
        let n = self.high - self.low;
        if let State::Float { sum, departures } = &mut self.state
            && n < u64::from(*departures)
        {
            *departures = 0;
            *sum = Compensated::default();
            for number in self.low..self.high {
                if let Some(ValueRef::Float(it)) = ring.value(number) {
                    sum.add(it);
                }
            }
        }
    }

    fn answer(&self, ring: &Ring) -> Answer {
        let n = self.high - self.low;
        match &self.state {
            State::Count(n) => Answer::Unsigned(*n),
            _ if n == 0 => Answer::Empty,
            State::Best(best) => match best.front().and_then(|it| ring.value(*it)) {
                Some(ValueRef::Float(it)) => Answer::Float(it),
                Some(ValueRef::Unsigned(it)) => Answer::Unsigned(it),
                _ => Answer::Empty,
            },
            State::Float { sum, .. } if self.fold == Fold::Avg => {
                if sum.get().is_finite() {
                    Answer::Float(sum.get() / as_f64(n))
                } else {
                    self.careful_mean(ring, n)
                }
            }
            State::Float { sum, .. } => Answer::Float(sum.get()),
            #[expect(clippy::cast_precision_loss, reason = "an average is a double")]
            State::Unsigned { sum } if self.fold == Fold::Avg => {
                Answer::Float(*sum as f64 / as_f64(n))
            }
            // As Zabbix: the sum of unsigned values is unsigned and wraps.
            State::Unsigned { sum } => {
                Answer::Unsigned(u64::try_from(*sum & u128::from(u64::MAX)).unwrap_or(0))
            }
        }
    }

    /// The mean of values whose sum is out of range.
    fn careful_mean(&self, ring: &Ring, n: u64) -> Answer {
        let values = (self.low..self.high).filter_map(|it| match ring.value(it) {
            Some(ValueRef::Float(it)) => Some(it / as_f64(n)),
            _ => None,
        });
        Answer::Float(values.sum())
    }
}

fn counts(fold: Fold, value: ValueRef<'_>) -> bool {
    match fold {
        Fold::Count(Some(compare)) => compare.matches(value),
        _ => true,
    }
}

/// Whether `old` stays in front of `new`.
fn is_better(old: ValueRef<'_>, new: ValueRef<'_>, wants_less: bool) -> bool {
    match (old, new) {
        (ValueRef::Float(old), ValueRef::Float(new)) => {
            if wants_less {
                old < new
            } else {
                new < old
            }
        }
        (ValueRef::Unsigned(old), ValueRef::Unsigned(new)) => {
            if wants_less {
                old < new
            } else {
                new < old
            }
        }
        _ => false,
    }
}
