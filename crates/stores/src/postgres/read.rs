//! Queries and their answers.

use std::collections::BTreeMap;

use history::{Bucket, BucketQuery, RangeQuery, Result, SeriesRows, Trend};
use model::record::{Hour, Num, Sum};
use model::value::{LogEntry, Sample};
use model::{ItemId, Time, Value, ValueType};

use super::error::{failure, refused};
use super::schema;
use crate::ranges;

/// Values of items, each with its own times and limit. Parameters are arrays of items, seconds and
/// nanoseconds of both ends, and limits; then the place before which rows count.
pub(super) fn ranges_sql(schema: &str, first: &RangeQuery) -> String {
    let columns = match first.kind {
        ValueType::Log => "value, source, timestamp, severity, logeventid",
        ValueType::Unsigned => "value::text",
        _ => "value",
    };
    let order = if first.newest_first { " desc" } else { "" };
    let table = schema::table(first.kind);
    format!(
        "select i.itemid, extract(epoch from date_trunc('second', v.time))::bigint, \
         extract(microseconds from v.time)::bigint % 1000000, v.ns, {columns} \
         from (select itemid, limits, \
           to_timestamp(from_s) + from_ns / 1000 * interval '1 microsecond' as from_time, \
           (from_ns % 1000)::smallint as from_ns, \
           to_timestamp(till_s) + till_ns / 1000 * interval '1 microsecond' as till_time, \
           (till_ns % 1000)::smallint as till_ns \
           from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) \
           as q(itemid, from_s, from_ns, till_s, till_ns, limits)) i \
         cross join lateral \
         (select * from {schema}.{table} where itemid = i.itemid and seq < $7 \
          and time >= i.from_time and time <= i.till_time \
          and (time, ns) >= (i.from_time, i.from_ns) and (time, ns) <= (i.till_time, i.till_ns) \
          order by time{order}, ns{order}, seq{order} limit i.limits) v \
         order by i.itemid, v.time{order}, v.ns{order}, v.seq{order}"
    )
}

/// The values of each item that has any, in the order in which they came.
///
/// # Errors
/// These are not rows of such values.
pub(super) fn values(
    kind: ValueType,
    rows: &[postgres::Row],
) -> Result<BTreeMap<ItemId, SeriesRows>> {
    let mut found = BTreeMap::new();
    for row in rows {
        let (item, sample) = sample(row, kind)?;
        push(found.entry(item).or_insert_with(|| ranges::none(kind)), sample);
    }
    Ok(found)
}

/// Items as the server numbers them.
pub(super) fn ids(items: impl Iterator<Item = ItemId>) -> Vec<i64> {
    items.filter_map(|it| i64::try_from(it.0).ok()).collect()
}

/// Buckets of items. Parameters are the items, the beginning in nanoseconds, the width, the seconds
/// of both ends, the end in nanoseconds, and the place before which rows count.
pub(super) fn buckets_sql(schema: &str, kind: ValueType) -> String {
    let value = "value::double precision";
    let table = schema::table(kind);
    format!(
        "select itemid, floor((extract(epoch from time) * 1000000000 + ns - $2::text::numeric) \
           / $3::text::numeric)::bigint as bucket, min({value}), avg({value}), max({value}), \
         (array_agg({value} order by time desc, ns desc, seq desc))[1], count(*) \
         from {schema}.{table} where itemid = any($1::bigint[]) and seq < $7 \
         and time >= to_timestamp($4::bigint) and time < to_timestamp($5::bigint + 1) \
         and extract(epoch from time) * 1000000000 + ns between $2::text::numeric and $6::text::numeric \
         group by itemid, bucket order by itemid, bucket"
    )
}

/// # Errors
/// These are not rows of buckets.
pub(super) fn buckets(
    shape: &BucketQuery,
    width: i64,
    rows: &[postgres::Row],
) -> Result<BTreeMap<ItemId, Vec<Bucket>>> {
    let bucket = |row: &postgres::Row| {
        let (item, index, n): (i64, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(6)?);
        let time = Time(shape.from.0.saturating_add(index.saturating_mul(width)));
        let (min, avg, max): (f64, f64, f64) = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
        // Rounding must not take the average out of its bounds.
        let avg = if min <= max { avg.clamp(min, max) } else { avg };
        let bucket = Bucket { time, min, avg, max, last: row.try_get(5)?, n: n.unsigned_abs() };
        Ok((ItemId(item.unsigned_abs()), bucket))
    };
    let mut found: BTreeMap<ItemId, Vec<Bucket>> = BTreeMap::new();
    for row in rows {
        let (item, bucket) = bucket(row).map_err(|it: postgres::Error| failure(&it))?;
        found.entry(item).or_default().push(bucket);
    }
    Ok(found)
}

/// Trends of items, whose parts the server adds up. Parameters are the items, the seconds of both
/// ends, and the place before which rows count. `None`: of this type there are none.
pub(super) fn trends_sql(schema: &str, kind: ValueType) -> Option<String> {
    let table = match kind {
        ValueType::Float => schema::TRENDS,
        ValueType::Unsigned => schema::TRENDS_UINT,
        _ => return None,
    };
    // Texts keep all digits of a sum of 128 bits.
    let text = if kind == ValueType::Unsigned { "::text" } else { "" };
    Some(format!(
        "select itemid, extract(epoch from time)::bigint as hour, sum(num)::bigint, \
         min(value_min){text}, max(value_max){text}, sum(value_sum){text} \
         from {schema}.{table} where itemid = any($1::bigint[]) and seq < $4 \
         and time >= to_timestamp($2::bigint) and time <= to_timestamp($3::bigint) \
         group by itemid, time order by itemid, time"
    ))
}

/// # Errors
/// These are not rows of trends.
pub(super) fn trends(
    kind: ValueType,
    rows: &[postgres::Row],
) -> Result<BTreeMap<ItemId, Vec<Trend>>> {
    let mut found: BTreeMap<ItemId, Vec<Trend>> = BTreeMap::new();
    for row in rows {
        let (item, trend) = trend(kind, row)?;
        found.entry(item).or_default().push(trend);
    }
    Ok(found)
}

fn trend(kind: ValueType, row: &postgres::Row) -> Result<(ItemId, Trend)> {
    let number = |column| row.try_get::<_, i64>(column).map_err(|it| failure(&it));
    let float = |column| row.try_get::<_, f64>(column).map_err(|it| failure(&it));
    let text = |column| row.try_get::<_, &str>(column).map_err(|it| failure(&it));
    let no_number = |_wrong| refused("a trend is no number");
    let hour = Hour::of(Time::from_clock(number(1)?, 0));
    let count = number(2)?.unsigned_abs();
    let (min, max, sum) = if kind == ValueType::Float {
        (Num::Float(float(3)?), Num::Float(float(4)?), Sum::Float(float(5)?))
    } else {
        let whole = |column| text(column)?.parse().map(Num::Unsigned).map_err(no_number);
        (whole(3)?, whole(4)?, Sum::Unsigned(text(5)?.parse().map_err(no_number)?))
    };
    Ok((ItemId(number(0)?.unsigned_abs()), Trend { hour, count, min, max, sum }))
}

fn sample(row: &postgres::Row, kind: ValueType) -> Result<(ItemId, Sample)> {
    let read = || {
        let item: i64 = row.try_get(0)?;
        let (clock, micros, ns): (i64, i64, i16) =
            (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
        let ns = u32::try_from(micros * 1_000 + i64::from(ns)).unwrap_or(0);
        let value = match kind {
            ValueType::Float => Value::Float(row.try_get(4)?),
            ValueType::Unsigned => {
                let digits: &str = row.try_get(4)?;
                Value::Unsigned(digits.parse().unwrap_or(0))
            }
            ValueType::Log => {
                let entry = LogEntry {
                    value: row.try_get(4)?,
                    source: row.try_get(5)?,
                    timestamp: row.try_get(6)?,
                    severity: row.try_get(7)?,
                    logeventid: row.try_get(8)?,
                };
                Value::Log(entry.into())
            }
            ValueType::Char | ValueType::Text | ValueType::Binary => {
                let text: &str = row.try_get(4)?;
                Value::Text(text.into())
            }
        };
        let sample = Sample { time: Time::from_clock(clock, ns), value };
        Ok((ItemId(item.unsigned_abs()), sample))
    };
    read().map_err(|it: postgres::Error| failure(&it))
}

/// Adds a value to those of its type.
fn push(rows: &mut SeriesRows, sample: Sample) {
    match (rows, sample.value) {
        (SeriesRows::Float(rows), Value::Float(value)) => rows.push((sample.time, value)),
        (SeriesRows::Unsigned(rows), Value::Unsigned(value)) => rows.push((sample.time, value)),
        (SeriesRows::Other(rows), value) => rows.push(Sample { time: sample.time, value }),
        // A table holds one type.
        (SeriesRows::Float(_) | SeriesRows::Unsigned(_), _) => {}
    }
}
