//! The recent values of one item, ascending by time.
//!
//! All windows of an item read one ring. A ring knows how far back it is complete: older values
//! that a window needs have to be fetched from history.
//!
//! Invariants:
//! - Times ascend; of equal times the order of arrival is kept.
//! - Every value of the item with `complete_after < time` that was ever taken is in the ring.
//! - Values have numbers, ascending by one. `version` changes whenever anything but an append at the
//!   end or a removal at the front happens; numbers mean the same while a version lasts.

use std::collections::VecDeque;

use model::{Time, Value};

use super::bits::{MS, to_ms};
use super::numbers::Numbers;
use super::samples::Samples;
use super::stable_until::StableUntil;

/// Values without numbers' short form: texts and logs, whose times have nanoseconds.
type Texts = VecDeque<(i64, Value)>;

#[derive(Clone, Debug)]
enum Column {
    Numbers(Numbers),
    Texts(Box<Texts>),
}

/// A value of a ring, borrowed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ValueRef<'a> {
    Float(f64),
    Unsigned(u64),
    Text(&'a Value),
}

impl ValueRef<'_> {
    pub fn to_value(self) -> Value {
        match self {
            Self::Float(it) => Value::Float(it),
            Self::Unsigned(it) => Value::Unsigned(it),
            Self::Text(it) => it.clone(),
        }
    }
}

/// How much of the past the windows of an item need.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Depth {
    /// Nanoseconds back from the time of evaluation.
    pub period_ns: i64,
    /// At least so many values at or before `count_shift_ns` before the time of evaluation.
    pub count: u32,
    pub count_shift_ns: i64,
}

impl Depth {
    pub fn join(self, other: Self) -> Self {
        Self {
            period_ns: self.period_ns.max(other.period_ns),
            count: self.count.max(other.count),
            count_shift_ns: self.count_shift_ns.max(other.count_shift_ns),
        }
    }

    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Values kept beyond what windows need, for evaluations at the time of late values.
const SLACK_NS: i64 = 60 * model::time::NANOS;

/// A ring never holds more values than this; older ones then count as not loaded. One less than a
/// million-odd, because [`super::monotonic_deque`] keeps the lower 20 bits of their numbers.
pub(crate) const RING_MAX: usize = (1 << 20) - 2;

/// The fields that each value needs are in the first cache line.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Ring {
    column: Column,
    /// Number of the first value in the ring.
    first: u64,
    version: u32,
    /// How many values have come since the bounds of the values were found again.
    bounds_age: u32,
    /// Number after the last value that is taken into the bounds.
    bounds_end: u64,
    complete_after: i64,
}

/// Bounds are found again after as many values as there are, but not more often.
const BOUNDS_AGE_MIN: usize = 16;

impl Ring {
    /// A ring that knows nothing of the past.
    pub fn new(kind: model::ValueType) -> Self {
        use model::ValueType::{Binary, Char, Float, Log, Text, Unsigned};
        let column = match kind {
            Float => Column::Numbers(Numbers::new(false)),
            Unsigned => Column::Numbers(Numbers::new(true)),
            Char | Log | Text | Binary => Column::Texts(Box::default()),
        };
        Self {
            column,
            first: 0,
            version: 0,
            bounds_age: 0,
            bounds_end: 0,
            complete_after: i64::MAX,
        }
    }

    /// Says that there are no values older than those in the ring.
    pub fn set_complete(&mut self) {
        self.complete_after = i64::MIN;
    }

    /// Whether nothing is known of the time before now: history has not been asked.
    pub fn is_unknown(&self) -> bool {
        self.complete_after == i64::MAX
    }

    /// How many triggers stay as they are, if it is known that the newest value changes nothing.
    #[inline]
    pub fn stable_triggers(&self) -> Option<u16> {
        self.numbers()?.stable_triggers()
    }

    /// Whether windows will be needed for a value.
    #[inline]
    pub fn is_due(&self, time: i64, value: Option<f64>) -> bool {
        self.numbers().is_some_and(|it| it.is_due(to_ms(time), value))
    }

    /// Says for how long so many triggers stay as they are.
    pub fn set_stable_until(&mut self, stable_until: StableUntil, n_triggers: u16) {
        if let Column::Numbers(it) = &mut self.column {
            it.set_stable_until(stable_until, n_triggers);
        }
    }

    /// The next value's triggers are to be looked at.
    #[inline]
    pub fn invalidate(&mut self) {
        if let Column::Numbers(it) = &mut self.column {
            it.invalidate();
        }
    }

    /// Takes new values into the bounds of the values; finds these again once all values may be others.
    /// Says how many are new.
    #[inline]
    pub fn find_bounds(&mut self) -> usize {
        let (first, end) = (self.first, self.end());
        let Column::Numbers(numbers) = &mut self.column else { return 0 };
        let known = usize::try_from(self.bounds_end.saturating_sub(first)).unwrap_or(0);
        let n_new = numbers.len().saturating_sub(known);
        let age = (self.bounds_age as usize).saturating_add(n_new);
        if age < BOUNDS_AGE_MIN.max(numbers.len()) {
            numbers.widen_from(known);
            self.bounds_age = u32::try_from(age).unwrap_or(u32::MAX);
        } else {
            numbers.forget_bounds();
            numbers.widen_from(0);
            self.bounds_age = 0;
        }
        self.bounds_end = end;
        n_new
    }

    /// Where the next value will be.
    #[inline]
    pub fn next_place(&self) -> &u32 {
        self.numbers().map_or(&0, Numbers::next_place)
    }

    /// A software prefetch of what is needed to make room; the value returned only keeps the compiler
    /// from dropping the reads.
    #[inline]
    pub fn prefetch_front(&self) -> u64 {
        self.first ^ self.numbers().map_or(0, Numbers::prefetch_front)
    }

    /// As [`Self::prefetch_front`], for the values that triggers mostly look at.
    #[inline]
    pub fn prefetch_newest(&self) -> u64 {
        const N_MOST: usize = 64;
        self.numbers().map_or(0, |it| it.prefetch_newest(N_MOST))
    }

    #[inline]
    pub(super) fn version(&self) -> u32 {
        self.version
    }

    /// The values, if they are numbers.
    #[inline]
    pub(super) fn numbers(&self) -> Option<&Numbers> {
        match &self.column {
            Column::Numbers(it) => Some(it),
            Column::Texts(_) => None,
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        match &self.column {
            Column::Numbers(it) => it.len(),
            Column::Texts(it) => it.len(),
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of the first value.
    #[inline]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Number after the last value.
    #[inline]
    pub fn end(&self) -> u64 {
        self.first + self.len() as u64
    }

    fn index(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }

    pub fn time(&self, number: u64) -> Option<i64> {
        let index = self.index(number)?;
        match &self.column {
            Column::Numbers(it) => it.time_ms(index).map(|it| it.saturating_mul(MS)),
            Column::Texts(it) => it.get(index).map(|it| it.0),
        }
    }

    pub fn value(&self, number: u64) -> Option<ValueRef<'_>> {
        let index = self.index(number)?;
        match &self.column {
            Column::Numbers(it) if it.is_unsigned => {
                it.get(index).map(|it| ValueRef::Unsigned(it.1))
            }
            Column::Numbers(it) => it.get(index).map(|it| ValueRef::Float(f64::from_bits(it.1))),
            Column::Texts(it) => it.get(index).map(|it| ValueRef::Text(&it.1)),
        }
    }

    /// Number of the first value that is later than `time`.
    pub fn after(&self, time: i64) -> u64 {
        let index = match &self.column {
            Column::Numbers(it) => it.after(it.offset(to_ms(time))),
            Column::Texts(it) => texts_after(it, time),
        };
        self.first + index as u64
    }

    /// Whether all values with `from < time` are here.
    #[inline]
    pub fn covers(&self, from: i64) -> bool {
        self.complete_after <= from
    }

    /// Whether the newest `count` values at or before `until` are here for certain.
    pub fn covers_count(&self, count: u32, until: i64) -> bool {
        if self.complete_after == i64::MIN {
            return true;
        }
        if self.complete_after == i64::MAX {
            return false;
        }
        let known = self.after(until).saturating_sub(self.after(self.complete_after));
        u64::from(count) <= known
    }

    /// Takes a value; false if its kind does not fit. Drops what no window needs at `now` and later
    /// where room is needed.
    #[cfg(test)]
    pub fn take(&mut self, (time, value): (i64, ValueRef<'_>), now: i64, depth: Depth) -> bool {
        if self.is_full() {
            self.make_room(now, depth);
        }
        self.push(time, value)
    }

    /// Texts are large: they are not kept longer than they have to be.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.numbers().is_none_or(|it| it.is_full() || RING_MAX <= it.len())
    }

    /// Whether windows will be needed before long, as far as is known.
    pub fn is_restless(&self) -> bool {
        self.numbers().is_some_and(Numbers::is_restless)
    }

    /// Drops what no window needs at `now` and later, and makes room if that gives hardly any.
    pub fn make_room(&mut self, now: i64, depth: Depth) {
        self.trim(now, depth);
        let is_tight = self.numbers().is_some_and(Numbers::is_tight);
        let expected = if is_tight { Some(self.expected(depth)) } else { None };
        if let Column::Numbers(it) = &mut self.column {
            it.shrink();
            if let Some(expected) = expected {
                it.make_room(expected);
            }
        }
    }

    /// How many values there will be at the pace of those that are here, and some more, so that those
    /// that are not needed any more need not be dropped one by one.
    fn expected(&self, depth: Depth) -> usize {
        let Column::Numbers(numbers) = &self.column else { return 0 };
        let oldest = numbers.time_ms(0).unwrap_or(0);
        let newest = numbers.time_ms(numbers.len().saturating_sub(1)).unwrap_or(0);
        let period = to_ms(depth.period_ns.saturating_add(SLACK_NS));
        let pauses = i64::try_from(numbers.len()).unwrap_or(i64::MAX).saturating_sub(1);
        let by_time = period.saturating_mul(pauses) / (newest - oldest).max(1);
        let by_time = usize::try_from(by_time).unwrap_or(0);
        let needed = by_time.max(depth.count as usize);
        needed.saturating_add(needed / 16 + 4).min(RING_MAX + 1)
    }

    /// Takes a value; false if its kind does not fit.
    #[inline]
    pub fn push(&mut self, time: i64, value: ValueRef<'_>) -> bool {
        let len = self.len();
        let at = match (&mut self.column, value) {
            (Column::Numbers(column), ValueRef::Float(it)) if !column.is_unsigned => {
                column.add((to_ms(time), it.to_bits()))
            }
            (Column::Numbers(column), ValueRef::Unsigned(it)) if column.is_unsigned => {
                column.add((to_ms(time), it))
            }
            (Column::Texts(column), ValueRef::Text(it)) => {
                let at = texts_after(column, time);
                column.insert(at, (time, it.clone()));
                at
            }
            _ => return false,
        };
        if at != len {
            self.version = self.version.wrapping_add(1);
        }
        true
    }

    /// Drops what no window needs at `now` and later.
    fn trim(&mut self, now: i64, depth: Depth) {
        let horizon = now.saturating_sub(depth.period_ns).saturating_sub(SLACK_NS);
        if let Column::Numbers(numbers) = &self.column
            && depth.count == 0
            && numbers.len() < RING_MAX
        {
            let n = numbers.n_until(numbers.offset(to_ms(horizon)));
            if let Some(newest) = n.checked_sub(1).and_then(|it| numbers.time_ms(it)) {
                self.pop_front(n, newest.saturating_mul(MS));
            }
            return;
        }
        let count_until = now.saturating_sub(depth.count_shift_ns).saturating_sub(SLACK_NS);
        while let Some(oldest) = self.time(self.first) {
            let is_needed = horizon < oldest
                || 0 < depth.count
                    && self
                        .time(self.first + u64::from(depth.count))
                        .is_none_or(|it| count_until < it);
            if is_needed {
                if self.len() < RING_MAX {
                    break;
                }
                self.invalidate();
            }
            self.pop_front(1, oldest);
        }
    }

    /// Drops the oldest `n` values, the last of them of a time.
    fn pop_front(&mut self, n: usize, time: i64) {
        match &mut self.column {
            Column::Numbers(it) => it.pop_front(n),
            Column::Texts(it) => drop(it.drain(..n.min(it.len()))),
        }
        self.first += n as u64;
        if self.complete_after != i64::MAX {
            self.complete_after = self.complete_after.max(time);
        }
    }

    /// Merges an answer of history: the requested values are in `samples`, or already here.
    /// `younger` values arrived while the question was under way and are not in the answer (`None`:
    /// not known, then equal values of equal time count once).
    pub fn merge(&mut self, samples: &Samples, asked: HistoryRequest, younger: Option<&[Arrival]>) {
        let mut rows = rows_of(samples);
        let HistoryRequest { from, count, count_until } = asked;
        let complete_after = match rows.first() {
            // There is nothing more.
            _ if rows.partition_point(|it| it.0 <= count_until) < count as usize => i64::MIN,
            Some((oldest, _)) => from.min(oldest.saturating_sub(1)),
            None => from,
        };
        match younger {
            Some(arrivals) => {
                rows.extend(arrivals.iter().map(|it| (it.time.0, it.value.clone())));
            }
            None => self.add_missing(&mut rows),
        }
        rows.sort_by_key(|it| it.0);
        // Values between what was dropped for age and the answer stay away.
        match &mut self.column {
            Column::Numbers(it) => it.clear(),
            Column::Texts(it) => it.clear(),
        }
        self.first = 0;
        (self.bounds_end, self.bounds_age) = (0, 0);
        self.version = self.version.wrapping_add(1);
        if let Column::Numbers(it) = &mut self.column {
            it.reserve(rows.len() + rows.len() / 8 + 4);
        }
        for (time, value) in rows {
            let value = match &value {
                Value::Float(it) => ValueRef::Float(*it),
                Value::Unsigned(it) => ValueRef::Unsigned(*it),
                Value::Text(_) | Value::Log(_) => ValueRef::Text(&value),
            };
            self.push(time, value);
        }
        self.complete_after = complete_after;
    }

    /// Adds to `rows` what the ring has more of.
    fn add_missing(&self, rows: &mut Vec<(i64, Value)>) {
        let answered = rows.len();
        let mut used = vec![false; answered];
        for number in self.first..self.end() {
            let (Some(time), Some(value)) = (self.time(number), self.value(number)) else { break };
            let value = value.to_value();
            let start = rows[..answered].partition_point(|it| it.0 < time);
            let twin = (start..answered)
                .take_while(|at| rows[*at].0 == time)
                .find(|at| !used[*at] && rows[*at].1 == value);
            match twin {
                Some(at) => used[at] = true,
                None => rows.push((time, value)),
            }
        }
    }
}

fn texts_after(texts: &Texts, time: i64) -> usize {
    if texts.back().is_none_or(|it| it.0 <= time) {
        return texts.len();
    }
    texts.partition_point(|it| it.0 <= time)
}

fn rows_of(samples: &Samples) -> Vec<(i64, Value)> {
    match samples {
        Samples::Float(it) => it.iter().map(|it| (it.0.0, Value::Float(it.1))).collect(),
        Samples::Unsigned(it) => it.iter().map(|it| (it.0.0, Value::Unsigned(it.1))).collect(),
        Samples::Text(it) => it.iter().map(|it| (it.0.0, it.1.clone())).collect(),
    }
}

/// A request to history: all values later than `from`, and older ones until `count` lie at or
/// before `count_until`.
#[derive(Clone, Copy, Debug)]
pub struct HistoryRequest {
    pub from: i64,
    pub count: u32,
    pub count_until: i64,
}

/// A value that arrived while its ring waited for history.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub time: Time,
    pub value: Value,
    /// The step that it arrived in.
    pub step: u64,
}
