//! Questions and answers.
//!
//! A row that was sent twice may lie there twice until a merge. Rows come sorted by time and place, so that
//! equal ones are neighbours: the first one counts. Buckets are made by the server, over distinct rows.

use std::fmt::Write as _;

use history::{Bucket, BucketQuery, RangeQuery, Result, Rows};
use model::value::{LogEntry, Sample};
use model::{ItemId, Time, Value, ValueType};

use super::row_binary::Answer;
use super::schema::{quoted, table};
use crate::ranges::none;

/// Seconds that a `DateTime` holds.
const CLOCK_MAX: i64 = u32::MAX as i64;

/// Series that are asked in one query: all but the item is alike.
#[derive(Debug)]
pub(super) struct Question {
    query: RangeQuery,
    items: Vec<ItemId>,
    /// Rows asked for of each item: more than the limit if rows lie there twice.
    n_rows: usize,
}

/// The values of one item, and whether more lie there than were asked for.
#[derive(Debug)]
pub(super) struct OfItem {
    pub(super) item: ItemId,
    pub(super) rows: Rows,
    n_read: usize,
}

impl Question {
    pub(super) fn new(query: RangeQuery, items: Vec<ItemId>) -> Self {
        Self { query, items, n_rows: query.limit }
    }

    /// Whether no value can be the answer.
    pub(super) fn is_empty(&self) -> bool {
        let RangeQuery { from, till, limit, .. } = self.query;
        limit == 0 || till < from || till.clock() < 0 || CLOCK_MAX < from.clock()
    }

    pub(super) fn sql(&self, database: &str) -> String {
        let values = match self.query.kind {
            ValueType::Log => "value, source, timestamp, severity, logeventid",
            _ => "value",
        };
        let order = if self.query.newest_first { " DESC" } else { "" };
        let mut items = String::new();
        for item in &self.items {
            let comma = if items.is_empty() { "" } else { "," };
            // Writing to a text does not fail.
            _ = write!(items, "{comma}{}", item.0);
        }
        let limit = if self.items.len() == 1 {
            format!("LIMIT {}", self.n_rows)
        } else {
            format!("LIMIT {} BY itemid", self.n_rows)
        };
        format!(
            "SELECT itemid, clock, ns, seq, {values} FROM {}.{} WHERE itemid IN ({items}) AND {} \
             ORDER BY itemid{order}, clock{order}, ns{order}, seq{order} {limit} FORMAT RowBinary",
            quoted(database),
            table(self.query.kind),
            within(self.query.from, self.query.till),
        )
    }

    /// The values of each item that has any, in the order in which they came.
    ///
    /// # Errors
    /// These are not rows of such values.
    pub(super) fn read(&self, answer: &[u8]) -> Result<Vec<OfItem>> {
        let mut answer = Answer::new(answer);
        let mut all: Vec<OfItem> = Vec::new();
        let mut before = None;
        while !answer.is_at_end() {
            let item = ItemId(answer.u64()?);
            let place = (item, answer.time()?, answer.u64()?);
            if all.last().is_none_or(|it| it.item != item) {
                all.push(OfItem { item, rows: none(self.query.kind), n_read: 0 });
            }
            let Some(of_item) = all.last_mut() else { break };
            of_item.n_read += 1;
            let is_new =
                before.replace(place) != Some(place) && of_item.rows.len() < self.query.limit;
            push(&mut answer, self.query.kind, place.1, is_new, &mut of_item.rows)?;
        }
        Ok(all)
    }

    /// Those of which more has to be asked for: what was read was full, and some rows were doubles.
    pub(super) fn unfinished(&self, answers: &[OfItem]) -> Option<Self> {
        let is_short = |it: &&OfItem| it.n_read == self.n_rows && it.rows.len() < self.query.limit;
        let items: Vec<ItemId> = answers.iter().filter(is_short).map(|it| it.item).collect();
        let n_rows = self.n_rows.saturating_mul(2);
        (!items.is_empty()).then_some(Self { query: self.query, items, n_rows })
    }
}

fn push(
    answer: &mut Answer<'_>,
    kind: ValueType,
    time: Time,
    is_new: bool,
    rows: &mut Rows,
) -> Result<()> {
    match rows {
        Rows::Float(rows) => {
            let value = answer.f64()?;
            if is_new {
                rows.push((time, value));
            }
        }
        Rows::Unsigned(rows) => {
            let value = answer.u64()?;
            if is_new {
                rows.push((time, value));
            }
        }
        Rows::Other(rows) => {
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

/// Both ends belong to it.
fn within(from: Time, till: Time) -> String {
    let of = |time: Time| {
        let clock = time.clock().clamp(0, CLOCK_MAX);
        let ns = if clock == time.clock() {
            time.ns()
        } else if clock == 0 {
            0
        } else {
            999_999_999
        };
        (clock, ns)
    };
    let ((from, from_ns), (till, till_ns)) = (of(from), of(till));
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

/// Buckets of numbers; `None` if there can be none.
pub(super) fn buckets_sql(query: &BucketQuery, width: i64, database: &str) -> Option<String> {
    if query.till.clock() < 0 || CLOCK_MAX < query.from.clock() {
        return None;
    }
    let from = query.from.0;
    Some(format!(
        "SELECT intDiv(toInt64(toUInt32(clock)) * 1000000000 + ns - ({from}), {width}) AS bucket, \
         toFloat64(min(value)), toFloat64(avg(value)), toFloat64(max(value)), \
         toFloat64(argMax(value, (clock, ns, seq))), toUInt64(count()) \
         FROM (SELECT DISTINCT clock, ns, seq, value FROM {}.{} WHERE itemid = {} AND {}) \
         GROUP BY bucket ORDER BY bucket FORMAT RowBinary",
        quoted(database),
        table(query.kind),
        query.item.0,
        within(query.from, query.till),
    ))
}

/// # Errors
/// These are not rows of buckets.
pub(super) fn read_buckets(query: &BucketQuery, width: i64, answer: &[u8]) -> Result<Vec<Bucket>> {
    let mut answer = Answer::new(answer);
    let mut buckets = Vec::new();
    while !answer.is_at_end() {
        let index = answer.i64()?;
        let time = Time(query.from.0.saturating_add(index.saturating_mul(width)));
        let (min, avg, max) = (answer.f64()?, answer.f64()?, answer.f64()?);
        let (last, n) = (answer.f64()?, answer.u64()?);
        // Rounding must not take the average out of its bounds.
        let avg = if min <= max { avg.clamp(min, max) } else { avg };
        buckets.push(Bucket { time, min, avg, max, last, n });
    }
    Ok(buckets)
}
