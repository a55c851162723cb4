//! Queries and their answers.
//!
//! A row that was sent twice may lie there twice until a merge. Rows come sorted by time and place, so that
//! equal ones are neighbours: the first one counts. Buckets are made by the server, over distinct rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use history::{Bucket, BucketQuery, RangeQuery, Result, SeriesRows, Trend, TrendQuery};
use model::record::{Hour, Num, Sum};
use model::value::{LogEntry, Sample};
use model::{ItemId, Time, Value, ValueType};

use super::row_binary::Answer;
use super::schema::{quoted, table};
use crate::ranges::none;

/// Seconds that a `DateTime` holds.
const CLOCK_MAX: i64 = u32::MAX as i64;

/// Series that are asked in one query: of one type and order, each item once.
#[derive(Debug)]
pub(super) struct RangeRequest {
    queries: Vec<RangeQuery>,
    /// Only rows of places before this one.
    before: Option<u64>,
    /// Rows asked for of each item: more than the limits if rows lie there twice.
    n_rows: usize,
}

/// The values of one item, and how many rows were read for them.
#[derive(Debug)]
pub(super) struct OfItem {
    pub(super) item: ItemId,
    pub(super) rows: SeriesRows,
    n_read: usize,
    limit: usize,
}

impl RangeRequest {
    /// `None` if no value can be the answer.
    pub(super) fn new(queries: &[RangeQuery], before: Option<u64>) -> Option<Self> {
        let can_have_values = |it: &&RangeQuery| {
            0 < it.limit
                && it.from <= it.till
                && 0 <= it.till.clock()
                && it.from.clock() <= CLOCK_MAX
        };
        let queries: Vec<RangeQuery> = queries.iter().filter(can_have_values).copied().collect();
        let n_rows = queries.iter().map(|it| it.limit).max()?;
        Some(Self { queries, before, n_rows })
    }

    pub(super) fn sql(&self, database: &str) -> String {
        let Some(first) = self.queries.first() else { return String::new() };
        let values = match first.kind {
            ValueType::Log => "value, source, timestamp, severity, logeventid",
            _ => "value",
        };
        let order = if first.newest_first { " DESC" } else { "" };
        let items = list(self.queries.iter().map(|it| it.item.0));
        let limit = if self.queries.len() == 1 {
            format!("LIMIT {}", self.n_rows)
        } else {
            format!("LIMIT {} BY itemid", self.n_rows)
        };
        format!(
            "SELECT itemid, clock, ns, seq, {values} FROM {}.{} WHERE itemid IN ({items}) AND {}{} \
             ORDER BY itemid{order}, clock{order}, ns{order}, seq{order} {limit} FORMAT RowBinary",
            quoted(database),
            table(first.kind),
            self.times(first),
            before_sql(self.before),
        )
    }

    /// Each item's own times.
    fn times(&self, first: &RangeQuery) -> String {
        let is_same = |it: &RangeQuery| (it.from, it.till) == (first.from, first.till);
        if self.queries.iter().all(is_same) {
            return within(first.from, first.till);
        }
        let from = self.queries.iter().map(|it| it.from).min().unwrap_or(first.from);
        let till = self.queries.iter().map(|it| it.till).max().unwrap_or(first.till);
        let of = |time: fn(&RangeQuery) -> Time| {
            let times = self.queries.iter().map(|it| {
                let (clock, ns) = stored_time(time(it));
                clock.unsigned_abs() * 1_000_000_000 + u64::from(ns)
            });
            let items = list(self.queries.iter().map(|it| it.item.0));
            format!("transform(itemid, [{items}], [{}], 0)", list(times))
        };
        format!(
            "{} AND {TIME_NS} >= {} AND {TIME_NS} <= {}",
            within(from, till),
            of(|it| it.from),
            of(|it| it.till)
        )
    }

    /// The values of each item that has any, in the order in which they came.
    ///
    /// # Errors
    /// These are not rows of such values.
    pub(super) fn read(&self, answer: &[u8]) -> Result<Vec<OfItem>> {
        let mut answer = Answer::new(answer);
        let mut all: Vec<OfItem> = Vec::new();
        let limits: BTreeMap<_, _> = self.queries.iter().map(|it| (it.item, it.limit)).collect();
        let kind = self.queries.first().map_or(ValueType::Float, |it| it.kind);
        let mut before = None;
        while !answer.is_at_end() {
            let item = ItemId(answer.u64()?);
            let place = (item, answer.time()?, answer.u64()?);
            if all.last().is_none_or(|it| it.item != item) {
                let limit = limits.get(&item).copied().unwrap_or(0);
                all.push(OfItem { item, rows: none(kind), n_read: 0, limit });
            }
            let Some(of_item) = all.last_mut() else { break };
            of_item.n_read += 1;
            let is_new = before.replace(place) != Some(place) && of_item.rows.len() < of_item.limit;
            push(&mut answer, kind, place.1, is_new, &mut of_item.rows)?;
        }
        Ok(all)
    }

    /// Queries that need another request: the answer was full, and some rows were duplicates.
    pub(super) fn unfinished(&self, answers: &[OfItem]) -> Option<Self> {
        let is_short = |it: &&OfItem| it.n_read == self.n_rows && it.rows.len() < it.limit;
        let short: BTreeSet<_> = answers.iter().filter(is_short).map(|it| it.item).collect();
        let queries: Vec<_> =
            self.queries.iter().filter(|it| short.contains(&it.item)).copied().collect();
        let n_rows = self.n_rows.saturating_mul(2);
        (!queries.is_empty()).then_some(Self { queries, before: self.before, n_rows })
    }
}

/// Numbers with commas between them.
fn list(numbers: impl Iterator<Item = u64>) -> String {
    let mut text = String::new();
    for number in numbers {
        let comma = if text.is_empty() { "" } else { "," };
        // Writing to a text does not fail.
        _ = write!(text, "{comma}{number}");
    }
    text
}

fn before_sql(before: Option<u64>) -> String {
    before.map(|it| format!(" AND seq < {it}")).unwrap_or_default()
}

fn push(
    answer: &mut Answer<'_>,
    kind: ValueType,
    time: Time,
    is_new: bool,
    rows: &mut SeriesRows,
) -> Result<()> {
    match rows {
        SeriesRows::Float(rows) => {
            let value = answer.f64()?;
            if is_new {
                rows.push((time, value));
            }
        }
        SeriesRows::Unsigned(rows) => {
            let value = answer.u64()?;
            if is_new {
                rows.push((time, value));
            }
        }
        SeriesRows::Other(rows) => {
            let text = answer.text()?;
            let value = if kind == ValueType::Log {
                let entry = LogEntry {
                    value: text.to_owned(),
                    source: answer.text()?.to_owned(),
                    timestamp: answer.i64()?,
                    severity: answer.i32()?,
                    logeventid: answer.i64()?,
                };
                Value::Log(entry.into())
            } else {
                Value::Text(text.into())
            };
            if is_new {
                rows.push(Sample { time, value });
            }
        }
    }
    Ok(())
}

/// A row's time in nanoseconds.
const TIME_NS: &str = "toInt64(toUInt32(clock)) * 1000000000 + ns";

/// The seconds and nanoseconds that a row may have nearest to a time.
fn stored_time(time: Time) -> (i64, u32) {
    let clock = time.clock().clamp(0, CLOCK_MAX);
    let ns = if clock == time.clock() {
        time.ns()
    } else if clock == 0 {
        0
    } else {
        999_999_999
    };
    (clock, ns)
}

/// Both ends belong to it.
fn within(from: Time, till: Time) -> String {
    let ((from, from_ns), (till, till_ns)) = (stored_time(from), stored_time(till));
    // First by seconds, which the key knows.
    let mut sql =
        format!("clock >= toDateTime({from}, 'UTC') AND clock <= toDateTime({till}, 'UTC')");
    if from_ns > 0 {
        _ = write!(sql, " AND (clock > toDateTime({from}, 'UTC') OR ns >= {from_ns})");
    }
    if till_ns < 999_999_999 {
        _ = write!(sql, " AND (clock < toDateTime({till}, 'UTC') OR ns <= {till_ns})");
    }
    sql
}

/// Buckets of numbers of some items; `None` if there can be none.
pub(super) fn buckets_sql(
    shape: &BucketQuery,
    items: impl Iterator<Item = ItemId>,
    before: Option<u64>,
    database: &str,
) -> Option<String> {
    let width = shape.width()?;
    if shape.till.clock() < 0 || CLOCK_MAX < shape.from.clock() {
        return None;
    }
    Some(format!(
        "SELECT itemid, intDiv({TIME_NS} - ({}), {width}) AS bucket, \
         toFloat64(min(value)), toFloat64(avg(value)), toFloat64(max(value)), \
         toFloat64(argMax(value, (clock, ns, seq))), toUInt64(count()) \
         FROM (SELECT DISTINCT itemid, clock, ns, seq, value FROM {}.{} WHERE itemid IN ({}) AND {}{}) \
         GROUP BY itemid, bucket ORDER BY itemid, bucket FORMAT RowBinary",
        shape.from.0,
        quoted(database),
        table(shape.kind),
        list(items.map(|it| it.0)),
        within(shape.from, shape.till),
        before_sql(before),
    ))
}

/// # Errors
/// These are not rows of buckets.
pub(super) fn read_buckets(
    shape: &BucketQuery,
    answer: &[u8],
) -> Result<BTreeMap<ItemId, Vec<Bucket>>> {
    let width = shape.width().unwrap_or(1);
    let mut answer = Answer::new(answer);
    let mut found: BTreeMap<ItemId, Vec<Bucket>> = BTreeMap::new();
    while !answer.is_at_end() {
        let item = ItemId(answer.u64()?);
        let index = answer.i64()?;
        let time = Time(shape.from.0.saturating_add(index.saturating_mul(width)));
        let (min, avg, max) = (answer.f64()?, answer.f64()?, answer.f64()?);
        let (last, n) = (answer.f64()?, answer.u64()?);
        // Rounding must not take the average out of its bounds.
        let avg = if min <= max { avg.clamp(min, max) } else { avg };
        found.entry(item).or_default().push(Bucket { time, min, avg, max, last, n });
    }
    Ok(found)
}

/// Trends of some items, whose parts the server adds up; `None` if there can be none.
pub(super) fn trends_sql(
    shape: &TrendQuery,
    items: impl Iterator<Item = ItemId>,
    before: Option<u64>,
    database: &str,
) -> Option<String> {
    let (from, till) = (shape.from.start(), shape.till.start());
    if till < from || till.clock() < 0 || CLOCK_MAX < from.clock() {
        return None;
    }
    // A sum of halves may be more than 64 bits: in quarters it is not.
    let (columns, table, sums) = match shape.kind {
        ValueType::Float => ("", "trends", "sum(value_sum)"),
        ValueType::Unsigned => (
            ", value_sum_high",
            "trends_uint",
            "toUInt64(sum(value_sum % 4294967296)), \
             toUInt64(sum(intDiv(value_sum, 4294967296))), toUInt64(sum(value_sum_high))",
        ),
        _ => return None,
    };
    Some(format!(
        "SELECT itemid, toUInt32(clock) AS hour, toUInt64(sum(num)), min(value_min), max(value_max), {sums} \
         FROM (SELECT DISTINCT itemid, clock, seq, num, value_min, value_max, value_sum{columns} \
         FROM {}.{table} WHERE itemid IN ({}) AND {}{}) \
         GROUP BY itemid, hour ORDER BY itemid, hour FORMAT RowBinary",
        quoted(database),
        list(items.map(|it| it.0)),
        within(from, till),
        before_sql(before),
    ))
}

/// # Errors
/// These are not rows of trends.
pub(super) fn read_trends(kind: ValueType, answer: &[u8]) -> Result<BTreeMap<ItemId, Vec<Trend>>> {
    let mut answer = Answer::new(answer);
    let mut found: BTreeMap<ItemId, Vec<Trend>> = BTreeMap::new();
    while !answer.is_at_end() {
        let item = ItemId(answer.u64()?);
        let hour = Hour::of(Time::from_clock(answer.u32()?.into(), 0));
        let count = answer.u64()?;
        let (min, max, sum) = if kind == ValueType::Float {
            let (min, max) = (Num::Float(answer.f64()?), Num::Float(answer.f64()?));
            (min, max, Sum::Float(answer.f64()?))
        } else {
            let (min, max) = (Num::Unsigned(answer.u64()?), Num::Unsigned(answer.u64()?));
            let [low, middle, high] = [answer.u64()?, answer.u64()?, answer.u64()?].map(u128::from);
            let sum = low.saturating_add(middle << 32).saturating_add(high << 64);
            (min, max, Sum::Unsigned(sum))
        };
        found.entry(item).or_default().push(Trend { hour, count, min, max, sum });
    }
    Ok(found)
}
