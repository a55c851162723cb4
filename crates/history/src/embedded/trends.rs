//! Parts of trends as the engine's aggregates: series of kinds of their own, in files of their own classes.

use model::ValueType;
use model::record::{Hour, Num, Sum, TrendRow};
use tsdb::{AggregatePart, Head, PointValue, SeriesKey};

use crate::class::trends_class;
use crate::query::{Trend, TrendQuery};
use crate::{Result, payload};

const HOUR_MS: i64 = 3_600_000;

/// Puts a part into a head.
pub(super) fn take(head: &mut Head, row: &TrendRow) -> Result<()> {
    let count = row.count.into();
    let (kind, aggregate) = match (row.min, row.max, row.sum) {
        (Num::Unsigned(min), Num::Unsigned(max), Sum::Unsigned(sum)) => {
            (ValueType::Unsigned, AggregatePart { count, min, max, sum })
        }
        (Num::Float(min), Num::Float(max), Sum::Float(sum)) => {
            (ValueType::Float, AggregatePart::of_floats(count, (min, max), sum))
        }
        // The record's view gives no such rows.
        _ => return Ok(()),
    };
    let Some(kind) = payload::trend_kind(kind) else { return Ok(()) };
    let key = SeriesKey { id: row.item.0, kind };
    let ms = row.hour.0.saturating_mul(HOUR_MS);
    Ok(head.aggregate(key, trends_class(row.retention), (ms, aggregate))?)
}

/// The engine's aggregate of an hour that begins at a millisecond.
fn trend(kind: ValueType, ms: i64, aggregate: &AggregatePart) -> Trend {
    let AggregatePart { count, min, max, sum } = *aggregate;
    let hour = Hour(ms.div_euclid(HOUR_MS));
    if kind == ValueType::Float {
        let [min, max] = [min, max].map(|it| Num::Float(f64::from_bits(it)));
        Trend { hour, count, min, max, sum: Sum::Float(aggregate.float_sum()) }
    } else {
        let (min, max) = (Num::Unsigned(min), Num::Unsigned(max));
        Trend { hour, count, min, max, sum: Sum::Unsigned(sum) }
    }
}

/// Where the engine has the parts of a series; texts have none.
pub(super) fn wanted(query: &TrendQuery) -> Option<(SeriesKey, (i64, i64))> {
    let key = SeriesKey { id: query.item.0, kind: payload::trend_kind(query.kind)? };
    Some((key, (query.from.0.saturating_mul(HOUR_MS), query.till.0.saturating_mul(HOUR_MS))))
}

pub(super) fn trends_of(kind: ValueType, samples: &tsdb::StoredSamples) -> Vec<Trend> {
    let trends = samples.iter().filter_map(|(ms, value)| match value {
        PointValue::Aggregate(it) => Some(trend(kind, ms, &it)),
        PointValue::Float(_) | PointValue::Unsigned(_) | PointValue::Bytes(_) => None,
    });
    trends.collect()
}
