//! Values of items in buckets, for graphs.

use model::{ItemId, Time};

use super::columns::{self, Column};
use super::request::{Params, ids, number};
use crate::error::ApiError;
use crate::ports::BucketQuery;
use crate::shared::Ctx;

/// Lines of one graph.
const ITEMS_MAX: usize = 200;
const BUCKETS: i64 = 500;
/// More than any screen has pixels.
const BUCKETS_MAX: i64 = 10_000;

pub(super) fn series(ctx: &Ctx, params: &Params) -> Result<String, ApiError> {
    let now = ctx.now.clock();
    let till = number(params, "to", now, i64::MAX)?;
    let from = number(params, "from", till - 3_600, i64::MAX)?;
    let n_buckets = number(params, "buckets", BUCKETS, BUCKETS_MAX)?.max(1);
    let ids = ids(params, "itemids")?.unwrap_or_default();
    if ids.len() > ITEMS_MAX {
        return Err(ApiError::field("/itemids", "too many items"));
    }
    if till < from {
        return Err(ApiError::field("/to", "value must be at or after \"from\""));
    }
    let mut list = Vec::with_capacity(ids.len());
    for id in ids {
        let found = ctx.snapshot.item(ItemId(id));
        let Some((_, row)) = found.filter(|(holder, _)| ctx.may_read(holder)) else { continue };
        let query = BucketQuery {
            item: row.id,
            kind: row.content.value_type,
            from: Time::from_clock(from, 0),
            till: Time::from_clock(till, 999_999_999),
            n_buckets: u32::try_from(n_buckets).unwrap_or(u32::MAX),
        };
        list.push(one(ctx, &query)?);
    }
    Ok(format!("{{\"series\":[{}]}}", list.join(",")))
}

fn one(ctx: &Ctx, query: &BucketQuery) -> Result<String, ApiError> {
    let buckets =
        if query.kind.is_numeric() { ctx.ports().history.buckets(query)? } else { Vec::new() };
    // What a legend calls the last value: the average of the last bucket is another number.
    let mut last = "null".to_owned();
    let mut itemid = String::new();
    itemid.push_str(&format!("\"{}\"", query.item));
    let [mut t, mut min, mut avg, mut max, mut count] = std::array::from_fn(|_| Column::default());
    for bucket in buckets {
        t.plain(bucket.time.clock());
        min.float(bucket.min);
        avg.float(bucket.avg);
        max.float(bucket.max);
        count.plain(bucket.n);
        last = columns::float(bucket.last);
    }
    Ok(columns::object(&[
        ("itemid", itemid),
        ("t", t.finish()),
        ("min", min.finish()),
        ("avg", avg.finish()),
        ("max", max.finish()),
        ("count", count.finish()),
        ("last", last),
    ]))
}
