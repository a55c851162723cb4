//! Rows of a store and of memory, as one answer. No value is in both.

use model::{Time, value::Sample};

use crate::query::{Bucket, BucketQuery, HistorySamples, RangeQuery, SeriesRows, Trend};
use crate::store::Sums;

/// In the order that was asked for; of one time, what is in memory came later.
pub(super) fn samples(
    query: &RangeQuery,
    stored: HistorySamples,
    recent: HistorySamples,
) -> HistorySamples {
    let lsn = recent.lsn;
    let newest_first = query.newest_first;
    let limit = query.limit;
    let rows = match (stored.rows, recent.rows) {
        (SeriesRows::Float(a), SeriesRows::Float(b)) => {
            SeriesRows::Float(merged(a, b, newest_first, limit, |it| it.0))
        }
        (SeriesRows::Unsigned(a), SeriesRows::Unsigned(b)) => {
            SeriesRows::Unsigned(merged(a, b, newest_first, limit, |it| it.0))
        }
        (SeriesRows::Other(a), SeriesRows::Other(b)) => {
            SeriesRows::Other(merged(a, b, newest_first, limit, |it: &Sample| it.time))
        }
        // A series has one type.
        (stored, _) => stored,
    };
    HistorySamples { rows, lsn }
}

fn merged<T>(
    stored: Vec<T>,
    recent: Vec<T>,
    newest_first: bool,
    limit: usize,
    time: impl Fn(&T) -> Time,
) -> Vec<T> {
    // Sorting keeps the order of values of one time.
    let mut all;
    if newest_first {
        all = recent;
        all.extend(stored);
        all.sort_by_key(|it| std::cmp::Reverse(time(it)));
    } else {
        all = stored;
        all.extend(recent);
        all.sort_by_key(time);
    }
    all.truncate(limit);
    all
}

/// Hours ascending; parts of the same hour add up.
pub(super) fn trends(mut stored: Vec<Trend>, recent: Vec<Trend>) -> Vec<Trend> {
    for part in recent {
        match stored.binary_search_by_key(&part.hour, |it| it.hour) {
            Ok(at) => {
                let is_added = stored.get_mut(at).is_some_and(|it| it.add(&part));
                debug_assert!(is_added, "a series has one type");
            }
            Err(at) => stored.insert(at, part),
        }
    }
    stored
}

/// The values of buckets.
pub(super) fn range_of(query: &BucketQuery) -> RangeQuery {
    let (item, kind, from, till) = (query.item, query.kind, query.from, query.till);
    // A query about a text has no answer.
    let limit = if query.width().is_some() { usize::MAX } else { 0 };
    RangeQuery { item, kind, from, till, limit, newest_first: false }
}

/// Buckets of a series, with those whose newest value is not known yet.
pub(super) struct Buckets {
    query: BucketQuery,
    all: Vec<Bucket>,
    /// Where they begin, with the time of the newest value in memory.
    doubtful: Vec<(Time, Time)>,
}

pub(super) fn buckets(
    query: &BucketQuery,
    stored: Vec<Bucket>,
    recent: &HistorySamples,
) -> Buckets {
    let mut joined = Buckets { query: *query, all: stored, doubtful: Vec::new() };
    let Some(mut sums) = Sums::new(query) else { return joined };
    sums.add_all(&recent.rows, 0);
    let mut alone = Vec::new();
    for bucket in sums.finish() {
        let stored = joined.all.binary_search_by_key(&bucket.time, |it| it.time);
        match stored.ok().and_then(|it| joined.all.get_mut(it)) {
            Some(stored) => {
                *stored = both(stored, &bucket);
                let newest = newest_in(query, bucket.time, &recent.rows);
                joined.doubtful.extend(newest.map(|it| (bucket.time, it)));
            }
            None => alone.push(bucket),
        }
    }
    joined.all.extend(alone);
    joined.all.sort_by_key(|it| it.time);
    joined
}

/// The last value's is that of memory, for the time being.
#[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 values")]
fn both(stored: &Bucket, recent: &Bucket) -> Bucket {
    let n = stored.n.saturating_add(recent.n);
    let (min, max) = (stored.min.min(recent.min), stored.max.max(recent.max));
    let avg = stored.avg * (stored.n as f64 / n as f64) + recent.avg * (recent.n as f64 / n as f64);
    // Rounding must not take the average out of its bounds.
    let avg = if min <= max { avg.clamp(min, max) } else { avg };
    Bucket { time: stored.time, min, avg, max, last: recent.last, n }
}

/// The time of the newest value in memory of the bucket that begins at a time.
fn newest_in(query: &BucketQuery, begin: Time, rows: &SeriesRows) -> Option<Time> {
    let end = Time(begin.0.saturating_add(query.width()?));
    match rows {
        SeriesRows::Float(rows) => rows.iter().map(|it| it.0).rfind(|it| *it < end),
        SeriesRows::Unsigned(rows) => rows.iter().map(|it| it.0).rfind(|it| *it < end),
        SeriesRows::Other(_) => None,
    }
}

impl Buckets {
    /// For which newest values are to be asked.
    pub(super) fn doubtful(&self) -> impl Iterator<Item = RangeQuery> {
        let width = self.query.width().unwrap_or(1);
        self.doubtful.iter().map(move |(begin, newest)| {
            let end = begin.0.saturating_add(width - 1);
            let (item, kind, till) = (self.query.item, self.query.kind, self.query.till);
            let till = Time(end.min(till.0));
            // Only a later one matters: of one time, what is in memory came later.
            let from = Time(newest.0.saturating_add(1));
            RangeQuery { item, kind, from, till, limit: 1, newest_first: true }
        })
    }

    /// Takes the answers to [`Self::doubtful`], in its order.
    #[expect(clippy::cast_precision_loss, reason = "a graph has fewer pixels")]
    pub(super) fn settle(&mut self, newest: &mut impl Iterator<Item = HistorySamples>) {
        for ((begin, _), found) in self.doubtful.iter().zip(newest) {
            let last = match &found.rows {
                SeriesRows::Float(rows) => rows.first().map(|it| it.1),
                SeriesRows::Unsigned(rows) => rows.first().map(|it| it.1 as f64),
                SeriesRows::Other(_) => None,
            };
            let bucket = self.all.iter_mut().find(|it| it.time == *begin);
            if let (Some(last), Some(bucket)) = (last, bucket) {
                bucket.last = last;
            }
        }
    }

    pub(super) fn finish(self) -> Vec<Bucket> {
        self.all
    }
}
