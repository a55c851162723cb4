//! Trends that are made of values: of stores that keep none.

use model::Time;
use model::record::Hour;

use crate::Result;
use crate::query::{HistorySamples, RangeQuery, SeriesRows, Trend, TrendQuery};

/// A series' trends, made of its values, an hour at a time.
pub(crate) fn hours_of(
    query: &TrendQuery,
    range: impl Fn(&RangeQuery) -> Result<HistorySamples>,
) -> Result<Vec<Trend>> {
    let mut trends: Vec<Trend> = Vec::new();
    let end = Time(Hour(query.till.0.saturating_add(1)).start().0.saturating_sub(1));
    let (item, kind) = (query.item, query.kind);
    let mut from = query.from.start();
    while from <= end {
        let first = RangeQuery { item, kind, from, till: end, limit: 1, newest_first: false };
        let Some(hour) = first_hour(&range(&first)?.rows) else { break };
        let next = Hour(hour.0.saturating_add(1)).start();
        let whole = RangeQuery {
            from: hour.start(),
            till: Time(next.0.saturating_sub(1)),
            limit: usize::MAX,
            ..first
        };
        let parts: Vec<Trend> = match range(&whole)?.rows {
            SeriesRows::Float(rows) => rows.iter().map(|it| Trend::of_float(it.0, it.1)).collect(),
            SeriesRows::Unsigned(rows) => {
                rows.iter().map(|it| Trend::of_unsigned(it.0, it.1)).collect()
            }
            SeriesRows::Other(_) => Vec::new(),
        };
        trends.extend(parts.into_iter().reduce(|mut all, it| {
            let is_added = all.add(&it);
            debug_assert!(is_added, "a series has one type");
            all
        }));
        if next <= from {
            break;
        }
        from = next;
    }
    Ok(trends)
}

fn first_hour(rows: &SeriesRows) -> Option<Hour> {
    let time = match rows {
        SeriesRows::Float(rows) => rows.first()?.0,
        SeriesRows::Unsigned(rows) => rows.first()?.0,
        SeriesRows::Other(_) => return None,
    };
    Some(Hour::of(time))
}
