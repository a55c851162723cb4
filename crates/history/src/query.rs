//! Queries and answers.

use std::sync::Arc;

use journal::Lsn;
use model::record::{Hour, Num, Sum, TrendRow};
use model::value::Sample;
use model::{ItemId, Time, Value, ValueType};

/// The values of one type that an item has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Series {
    pub item: ItemId,
    pub kind: ValueType,
}

/// Values of one item within a time range, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RangeQuery {
    pub item: ItemId,
    /// A series is (item, value type): after a change of type the old one stays readable.
    pub kind: ValueType,
    pub from: Time,
    pub till: Time,
    pub limit: usize,
    /// The newest `limit` values, newest first; else the oldest, oldest first.
    pub newest_first: bool,
}

/// A time range divided into equal buckets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BucketQuery {
    pub item: ItemId,
    pub kind: ValueType,
    pub from: Time,
    pub till: Time,
    pub n_buckets: u32,
}

impl BucketQuery {
    /// Nanoseconds of a bucket; `None` if there can be none. The end is included, so a bucket is a little longer
    /// than its share.
    #[must_use]
    pub fn width(&self) -> Option<i64> {
        let span = self.till.0.checked_sub(self.from.0).filter(|it| *it >= 0)?;
        let is_possible = self.n_buckets > 0 && self.kind.is_numeric();
        is_possible.then(|| span / i64::from(self.n_buckets) + 1)
    }
}

/// Numbers of one bucket. Buckets without values are left out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bucket {
    /// Where it begins.
    pub time: Time,
    pub min: f64,
    pub avg: f64,
    pub max: f64,
    /// The newest of its values.
    pub last: f64,
    pub n: u64,
}

/// The hours of a series of numbers, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrendQuery {
    pub item: ItemId,
    /// Float or unsigned; others have no trends.
    pub kind: ValueType,
    pub from: Hour,
    pub till: Hour,
}

/// The trend of one hour: all its parts together. Hours without values have none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trend {
    pub hour: Hour,
    pub count: u64,
    /// Of the series' type, as the two that follow.
    pub min: Num,
    pub max: Num,
    pub sum: Sum,
}

impl Trend {
    /// A trend that has one part so far.
    #[must_use]
    pub fn of(part: &TrendRow) -> Self {
        let TrendRow { hour, count, min, max, sum, .. } = *part;
        Self { hour, count: count.into(), min, max, sum }
    }

    /// A number's trend of its hour.
    #[must_use]
    pub fn of_float(time: Time, value: f64) -> Self {
        let value_of = Num::Float(value);
        let sum = Sum::Float(value);
        Self { hour: Hour::of(time), count: 1, min: value_of, max: value_of, sum }
    }

    /// As [`Self::of_float`].
    #[must_use]
    pub fn of_unsigned(time: Time, value: u64) -> Self {
        let value_of = Num::Unsigned(value);
        let sum = Sum::Unsigned(value.into());
        Self { hour: Hour::of(time), count: 1, min: value_of, max: value_of, sum }
    }

    /// The mean of its values.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean is a number with a point")]
    pub fn mean(&self) -> f64 {
        let count = self.count.max(1) as f64;
        let mean = match self.sum {
            Sum::Float(sum) => sum / count,
            Sum::Unsigned(sum) => sum as f64 / count,
        };
        // Rounding must not take it out of its bounds.
        mean.max(self.min.to_f64()).min(self.max.to_f64())
    }

    /// Adds another part of the same hour. One of another type does not belong here and is left out:
    /// `false`.
    pub fn add(&mut self, other: &Self) -> bool {
        let (min, max) = (self.min.least(other.min), self.max.greatest(other.max));
        let (Some(min), Some(max), Some(sum)) = (min, max, self.sum.plus(other.sum)) else {
            return false;
        };
        let count = self.count.saturating_add(other.count);
        *self = Self { hour: self.hour, count, min, max, sum };
        true
    }
}

/// Values of one series, in columns of their type.
#[derive(Clone, PartialEq, Debug)]
pub enum SeriesRows {
    Float(Vec<(Time, f64)>),
    Unsigned(Vec<(Time, u64)>),
    /// Characters, texts, binaries and log entries.
    Other(Vec<Sample>),
}

impl SeriesRows {
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Float(it) => it.len(),
            Self::Unsigned(it) => it.len(),
            Self::Other(it) => it.len(),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An answer.
#[derive(Clone, PartialEq, Debug)]
pub struct HistorySamples {
    pub rows: SeriesRows,
    /// Every value of records before this position of the journal is in the answer, as far as it
    /// was asked for, and none of later records is. `None`: not known.
    pub lsn: Option<Lsn>,
}

impl HistorySamples {
    /// As values of the model, whatever their type.
    #[must_use]
    pub fn into_samples(self) -> Vec<Sample> {
        match self.rows {
            SeriesRows::Float(rows) => rows
                .into_iter()
                .map(|(time, value)| Sample { time, value: Value::Float(value) })
                .collect(),
            SeriesRows::Unsigned(rows) => rows
                .into_iter()
                .map(|(time, value)| Sample { time, value: Value::Unsigned(value) })
                .collect(),
            SeriesRows::Other(rows) => rows,
        }
    }
}

/// A text value, shared.
pub(crate) fn text(text: &str) -> Value {
    Value::Text(Arc::from(text))
}
