//! Numbers of items in buckets, for graphs: of stored values, of trends, or of both, joined at an hour.
//!
//! [`sources`] decides which source has which time, [`bins`] puts both onto one grid. The stores are asked
//! for many items at once: first for trends, then for values, also of the times that trends turned out to
//! lack.

mod bins;
mod sources;

use model::record::Hour;
use model::snapshot::{Host, ItemRow};
use model::{ItemId, Time, ValueType};

use self::bins::Bins;
use self::sources::{Part, Periods, Source, Window};
use super::columns::{self, Column};
use super::request::{Params, ids, number};
use crate::error::{ApiError, param};
use crate::objects::common::resolve::{HostMacros, of_row};
use crate::ports::{Bucket, BucketQuery, Trend, TrendQuery};
use crate::shared::Ctx;

/// The most lines of one graph. More are refused.
const ITEMS_MAX: usize = 200;
const BUCKETS: i64 = 500;
/// The most buckets: more than any screen has pixels.
const BUCKETS_MAX: i64 = 10_000;
/// Hours or buckets that are read at once: some 20 MB. More items are read in several rounds.
const ROWS_AT_ONCE: usize = 200_000;

pub(super) fn series(ctx: &Ctx, params: &Params) -> Result<String, ApiError> {
    let now = ctx.now.clock();
    let till = number(params, "to", now, i64::MAX)?;
    let from = number(params, "from", till.saturating_sub(3_600), i64::MAX)?;
    let n_buckets = number(params, "buckets", BUCKETS, BUCKETS_MAX)?.max(1);
    let only = match number(params, "source", 0, 2)? {
        1 => Some(Source::History),
        2 => Some(Source::Trends),
        _ => None,
    };
    let ids = ids(params, "itemids")?.unwrap_or_default();
    if ids.len() > ITEMS_MAX {
        return Err(ApiError::field(param("itemids"), "too many items"));
    }
    if till < from {
        return Err(ApiError::field(param("to"), "value must be at or after \"from\""));
    }
    let (from, till) = (Time::from_clock(from, 0), Time::from_clock(till, 999_999_999));
    let n_buckets = u32::try_from(n_buckets).unwrap_or(u32::MAX);
    let Some(window) = Window::new(from, till, n_buckets) else {
        return Err(ApiError::field(param("from"), "the time is too long"));
    };
    let found = ids.into_iter().filter_map(|id| ctx.snapshot.item(ItemId(id)));
    let found = found.filter(|(holder, _)| ctx.may_read(holder));
    let mut lines: Vec<Series> =
        found.map(|(holder, row)| Series::new(ctx, &window, (&**holder, row), only)).collect();
    let at_once = (ROWS_AT_ONCE / window.n_rows()).max(1);
    let mut list = Vec::with_capacity(lines.len());
    for group in lines.chunks_mut(at_once) {
        add_trends(ctx, group)?;
        add_values(ctx, &window, group)?;
        list.extend(group.iter_mut().map(Series::take_json));
    }
    Ok(format!("{{\"series\":[{}]}}", list.join(",")))
}

/// One item's numbers as they are gathered.
struct Series {
    item: ItemId,
    kind: ValueType,
    /// In order of time.
    parts: Vec<Part>,
    /// The requested source, if one of both was.
    only: Option<Source>,
    bins: Bins,
}

impl Series {
    fn new(
        ctx: &Ctx,
        window: &Window,
        (holder, row): (&Host, &ItemRow),
        only: Option<Source>,
    ) -> Self {
        let (item, kind) = (row.id, row.content.value_type);
        let parts = match only {
            _ if !kind.is_numeric() => Vec::new(),
            Some(source) => vec![sources::whole(window, source)],
            None => sources::parts(window, ctx.now, periods(ctx, holder, row)),
        };
        Self { item, kind, parts, only, bins: Bins::new(window) }
    }

    fn hours(&self, part: &Part) -> TrendQuery {
        let (item, kind) = (self.item, self.kind);
        TrendQuery { item, kind, from: Hour::of(part.from), till: Hour::of(part.till) }
    }

    fn add_hours(&mut self, trends: &[Trend]) {
        let Some(at) = self.parts.iter().position(|it| it.source == Source::Trends) else { return };
        let first = trends.first().map(|it| it.hour);
        trends.iter().for_each(|it| self.bins.add_hour(it));
        // Values from before the first trend are shown all the same.
        if self.only.is_none() {
            sources::fill_in(&mut self.parts, at, first);
        }
    }

    fn add_buckets(&mut self, part: usize, buckets: &[Bucket]) {
        if let Some(part) = self.parts.get_mut(part) {
            part.is_empty &= buckets.is_empty();
        }
        buckets.iter().for_each(|it| self.bins.add_bucket(it));
    }

    fn take_json(&mut self) -> String {
        let [mut t, mut min, mut avg, mut max, mut count] =
            std::array::from_fn(|_| Column::default());
        // The last value in a legend: the average of the last bucket is another number.
        let mut last = "null".to_owned();
        for bucket in std::mem::take(&mut self.bins).finish() {
            t.plain(bucket.time.clock());
            min.float(bucket.min);
            avg.float(bucket.avg);
            max.float(bucket.max);
            count.plain(bucket.n);
            last = columns::float(bucket.last);
        }
        let mut parts = Column::default();
        for part in self.parts.iter().filter(|it| !(it.is_fill_in && it.is_empty)) {
            parts.plain(format_args!(
                "{{\"source\":\"{}\",\"from\":{},\"to\":{}}}",
                part.source.as_str(),
                part.from.clock(),
                part.till.clock()
            ));
        }
        columns::object(&[
            ("itemid", format!("\"{}\"", self.item)),
            ("t", t.finish()),
            ("min", min.finish()),
            ("avg", avg.finish()),
            ("max", max.finish()),
            ("count", count.finish()),
            ("last", last),
            ("parts", parts.finish()),
        ])
    }
}

/// For how long the item keeps values and trends.
fn periods(ctx: &Ctx, holder: &Host, row: &ItemRow) -> Periods {
    let macros = HostMacros::lazy(ctx, holder);
    let own_s = |text: &str| {
        let text = row.discovered().map_or_else(|| text.into(), |it| of_row(ctx, text, it));
        formats::number::parse_duration_s(&macros.text(&text))
    };
    let housekeeping = &ctx.snapshot.globals.settings.housekeeping;
    Periods {
        history_s: housekeeping.history_of(own_s(&row.content.history)).into(),
        trends_s: housekeeping.trends_of(own_s(&row.content.trends)),
    }
}

fn add_trends(ctx: &Ctx, lines: &mut [Series]) -> Result<(), ApiError> {
    let of_line = |(at, line): (usize, &Series)| {
        let part = line.parts.iter().find(|it| it.source == Source::Trends)?;
        Some((at, line.hours(part)))
    };
    let (places, queries): (Vec<usize>, Vec<TrendQuery>) =
        lines.iter().enumerate().filter_map(of_line).unzip();
    if queries.is_empty() {
        return Ok(());
    }
    for (at, trends) in places.into_iter().zip(ctx.ports().history.trends(&queries)?) {
        if let Some(line) = lines.get_mut(at) {
            line.add_hours(&trends);
        }
    }
    Ok(())
}

fn add_values(ctx: &Ctx, window: &Window, lines: &mut [Series]) -> Result<(), ApiError> {
    let mut places = Vec::new();
    let mut queries: Vec<BucketQuery> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        for (part, it) in line.parts.iter().enumerate() {
            if it.source == Source::History {
                let ranges = window.on_grid(it);
                places.extend(ranges.iter().map(|_| (at, part)));
                queries.extend(ranges.iter().map(|it| it.query(line.item, line.kind)));
            }
        }
    }
    if queries.is_empty() {
        return Ok(());
    }
    for ((at, part), buckets) in
        places.into_iter().zip(ctx.ports().history.bucket_series(&queries)?)
    {
        if let Some(line) = lines.get_mut(at) {
            line.add_buckets(part, &buckets);
        }
    }
    Ok(())
}
