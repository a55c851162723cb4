//! The recent values of one item, ascending by time.
//!
//! All cells of an item read one ring. A ring knows how far back it is complete: what a window needs
//! beyond that has to be fetched from history.
//!
//! Invariants:
//! - Times ascend; of equal times the order of arrival is kept.
//! - Every value of the item with `complete_after < time` that was ever taken is in the ring.
//! - `version` changes whenever anything but an append at the end or a removal at the front happens.

use std::collections::VecDeque;

use model::{Time, Value};

use crate::input::Samples;

/// Values without times.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    Float(VecDeque<f64>),
    Unsigned(VecDeque<u64>),
    Text(VecDeque<Value>),
}

/// A value of a ring, borrowed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ValueRef<'a> {
    Float(f64),
    Unsigned(u64),
    Text(&'a Value),
}

impl ValueRef<'_> {
    pub(crate) fn to_value(self) -> Value {
        match self {
            Self::Float(it) => Value::Float(it),
            Self::Unsigned(it) => Value::Unsigned(it),
            Self::Text(it) => it.clone(),
        }
    }
}

/// How much of the past the cells of an item need.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Depth {
    /// Nanoseconds back from the time of evaluation.
    pub(crate) period_ns: i64,
    /// At least so many values at or before `count_shift_ns` before the time of evaluation.
    pub(crate) count: u32,
    pub(crate) count_shift_ns: i64,
}

impl Depth {
    pub(crate) fn join(self, other: Self) -> Self {
        Self {
            period_ns: self.period_ns.max(other.period_ns),
            count: self.count.max(other.count),
            count_shift_ns: self.count_shift_ns.max(other.count_shift_ns),
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Values kept beyond what windows need, for evaluations at the time of late values.
const SLACK_NS: i64 = 60 * model::time::NANOS;

/// A ring never holds more values than this; older ones then count as not loaded.
pub(crate) const RING_MAX: usize = 1 << 20;

#[derive(Clone, Debug)]
pub(crate) struct Ring {
    times: VecDeque<i64>,
    column: Column,
    /// Number of the first value in the ring: numbers never change while a version lasts.
    first: u64,
    complete_after: i64,
    version: u32,
}

impl Ring {
    /// A ring that knows nothing of the past. `like` tells the kind of values.
    pub(crate) fn new(kind: model::ValueType) -> Self {
        use model::ValueType::{Binary, Char, Float, Log, Text, Unsigned};
        let column = match kind {
            Float => Column::Float(VecDeque::new()),
            Unsigned => Column::Unsigned(VecDeque::new()),
            Char | Log | Text | Binary => Column::Text(VecDeque::new()),
        };
        Self { times: VecDeque::new(), column, first: 0, complete_after: i64::MAX, version: 0 }
    }

    /// Says that there are no values older than those in the ring.
    pub(crate) fn set_complete(&mut self) {
        self.complete_after = i64::MIN;
    }

    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.times.len()
    }

    /// Number of the first value.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// Number behind the last value.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.times.len() as u64
    }

    fn index(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }

    pub(crate) fn time(&self, number: u64) -> Option<i64> {
        self.times.get(self.index(number)?).copied()
    }

    pub(crate) fn value(&self, number: u64) -> Option<ValueRef<'_>> {
        let index = self.index(number)?;
        match &self.column {
            Column::Float(it) => it.get(index).copied().map(ValueRef::Float),
            Column::Unsigned(it) => it.get(index).copied().map(ValueRef::Unsigned),
            Column::Text(it) => it.get(index).map(ValueRef::Text),
        }
    }

    /// Number of the first value that is later than `time`.
    pub(crate) fn after(&self, time: i64) -> u64 {
        // Most questions are about the end.
        if self.times.back().is_none_or(|it| *it <= time) {
            return self.end();
        }
        self.first + self.times.partition_point(|it| *it <= time) as u64
    }

    /// Whether all values with `from < time` are here.
    pub(crate) fn covers(&self, from: i64) -> bool {
        self.complete_after <= from
    }

    /// Whether the newest `count` values at or before `until` are here for certain.
    pub(crate) fn covers_count(&self, count: u32, until: i64) -> bool {
        if self.complete_after == i64::MIN {
            return true;
        }
        if self.complete_after == i64::MAX {
            return false;
        }
        let known = self.after(until).saturating_sub(self.after(self.complete_after));
        u64::from(count) <= known
    }

    /// Takes a value; false if its kind does not fit.
    pub(crate) fn push(&mut self, time: i64, value: ValueRef<'_>) -> bool {
        let at = if self.times.back().is_none_or(|it| *it <= time) {
            self.times.len()
        } else {
            self.times.partition_point(|it| *it <= time)
        };
        match (&mut self.column, value) {
            (Column::Float(column), ValueRef::Float(it)) => column.insert(at, it),
            (Column::Unsigned(column), ValueRef::Unsigned(it)) => column.insert(at, it),
            (Column::Text(column), ValueRef::Text(it)) => column.insert(at, it.clone()),
            _ => return false,
        }
        if at != self.times.len() {
            self.version = self.version.wrapping_add(1);
        }
        self.times.insert(at, time);
        true
    }

    /// Drops what no window needs at `now` and later.
    pub(crate) fn trim(&mut self, now: i64, depth: Depth) {
        let horizon = now.saturating_sub(depth.period_ns).saturating_sub(SLACK_NS);
        let count_until = now.saturating_sub(depth.count_shift_ns).saturating_sub(SLACK_NS);
        let count = depth.count as usize;
        while let Some(&oldest) = self.times.front() {
            let is_needed = horizon < oldest
                || (0 < count && self.times.get(count).is_none_or(|it| count_until < *it));
            if is_needed && self.times.len() <= RING_MAX {
                break;
            }
            self.pop_front(oldest);
        }
    }

    fn pop_front(&mut self, time: i64) {
        self.times.pop_front();
        match &mut self.column {
            Column::Float(it) => drop(it.pop_front()),
            Column::Unsigned(it) => drop(it.pop_front()),
            Column::Text(it) => drop(it.pop_front()),
        }
        self.first += 1;
        if self.complete_after != i64::MAX {
            self.complete_after = self.complete_after.max(time);
        }
    }

    /// Merges what history answered: what was asked for is in `samples`, or already here. `younger`
    /// values arrived while the question was under way and are not in the answer (`None`: not known,
    /// then equal values of equal time count once).
    pub(crate) fn merge(&mut self, samples: &Samples, asked: Asked, younger: Option<&[Arrival]>) {
        let mut rows = rows_of(samples);
        let Asked { from, count, count_until } = asked;
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
        self.times.clear();
        match &mut self.column {
            Column::Float(it) => it.clear(),
            Column::Unsigned(it) => it.clear(),
            Column::Text(it) => it.clear(),
        }
        self.first = 0;
        self.version = self.version.wrapping_add(1);
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

fn rows_of(samples: &Samples) -> Vec<(i64, Value)> {
    match samples {
        Samples::Float(it) => it.iter().map(|it| (it.0.0, Value::Float(it.1))).collect(),
        Samples::Unsigned(it) => it.iter().map(|it| (it.0.0, Value::Unsigned(it.1))).collect(),
        Samples::Text(it) => it.iter().map(|it| (it.0.0, it.1.clone())).collect(),
    }
}

/// What history was asked for: all values later than `from`, and older ones until `count` lie at or
/// before `count_until`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) from: i64,
    pub(crate) count: u32,
    pub(crate) count_until: i64,
}

/// A value that arrived while its ring waited for history.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) time: Time,
    pub(crate) value: Value,
    /// The step that it arrived in.
    pub(crate) step: u64,
}
