//! The interface of every store of values.

use std::fmt::Debug;
use std::sync::Arc;

use journal::{Journal, Lsn};
use model::record::RecordView;
use model::{ItemId, Time, ValueType};

use crate::query::{
    Bucket, BucketQuery, HistorySamples, RangeQuery, SeriesRows, Trend, TrendQuery,
};
use crate::trends::hours_of;
use crate::{Error, Result};

/// Values read at once while a longer range is gone through: 1.6 MB.
const PAGE_VALUES: usize = 100_000;

/// A store of values. Calls may wait for a disk or a network.
pub trait Store: Debug + Send + Sync {
    /// Makes first contact, if there was none: before it, the two positions are not known. Called again and
    /// again.
    ///
    /// # Errors
    /// The store can't be used now.
    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    /// Takes the values of a record, all of them or none. `next_lsn` is the position after it. Records
    /// come in their order, each once, from [`Self::applied`] on.
    ///
    /// # Errors
    /// The store can't take it now, or the record can't be read: nothing of it was taken.
    fn apply(&self, record: &RecordView<'_>, next_lsn: Lsn) -> Result<()>;

    /// Records before this position are taken, for good or not. Values that are not durable may be
    /// lost, with a process or a connection: then this goes back, at most to [`Self::cursor`], and
    /// the records from there come again.
    fn applied(&self) -> Lsn;

    /// Everything before this position of the journal is stored for good, nothing after it is.
    fn cursor(&self) -> Lsn;

    /// Says which journal the store is to be fed from, and which ones that is a copy of. Before
    /// [`Self::prepare`]: a store that was fed from several has a position of each.
    fn expect_journal(&self, _journal: &Journal) {}

    /// [`journal::Journal::identity`] of the journal that the positions are of, known after
    /// [`Self::prepare`]; 0 if none was stored, or if the store is in the directory of its journal.
    /// If it is another than the [expected](Self::expect_journal) one, positions are up to where
    /// both are the same.
    fn journal_identity(&self) -> u32 {
        0
    }

    /// Positions are of this journal from now on: stored with the next one.
    fn set_journal_identity(&self, _identity: u32) {}

    /// Records between here and `to` will never come: somebody has accepted that they are missing.
    /// Values taken before become durable, and both positions move there, also backwards.
    ///
    /// # Errors
    /// The store can't do it now; then nothing has changed.
    fn skip_to(&self, to: Lsn) -> Result<()>;

    /// Values of a series.
    ///
    /// # Errors
    /// The store can't be read where they are.
    fn range(&self, query: &RangeQuery) -> Result<HistorySamples>;

    /// Values of many series, in the order of the queries: for a store elsewhere, in one round trip.
    ///
    /// # Errors
    /// As [`Self::range`]; one that can't be read leaves all without an answer.
    fn ranges(&self, queries: &[RangeQuery]) -> Result<Vec<HistorySamples>> {
        queries.iter().map(|it| self.range(it)).collect()
    }

    /// The newest `n` values at or before `till`, newest first.
    ///
    /// # Errors
    /// As [`Self::range`].
    fn last_n(
        &self,
        item: ItemId,
        kind: ValueType,
        n: usize,
        till: Time,
    ) -> Result<HistorySamples> {
        let from = Time(i64::MIN);
        self.range(&RangeQuery { item, kind, from, till, limit: n, newest_first: true })
    }

    /// The trends of series of numbers, in the order of the queries; hours without values are left
    /// out, the others ascend. A store that keeps trends answers from them, whether the values are still
    /// there or not; here they are made of the values.
    ///
    /// # Errors
    /// As [`Self::ranges`].
    fn trends(&self, queries: &[TrendQuery]) -> Result<Vec<Vec<Trend>>> {
        queries.iter().map(|it| hours_of(it, |range| self.range(range))).collect()
    }

    /// Minimum, average, maximum and last of numbers by buckets of equal length: for graphs. Texts have
    /// none.
    ///
    /// # Errors
    /// As [`Self::range`].
    fn buckets(&self, query: &BucketQuery) -> Result<Vec<Bucket>> {
        let Some(mut sums) = Sums::new(query) else { return Ok(Vec::new()) };
        let mut from = query.from;
        // Values at `from` that were counted already.
        let mut n_seen = 0;
        loop {
            let (item, kind, till) = (query.item, query.kind, query.till);
            let limit = PAGE_VALUES + n_seen;
            let page =
                self.range(&RangeQuery { item, kind, from, till, limit, newest_first: false })?;
            let n_read = page.rows.len();
            let last = sums.add_all(&page.rows, n_seen);
            if n_read < limit {
                return Ok(sums.finish());
            }
            (from, n_seen) = last;
        }
    }

    /// As [`Self::buckets`], of many series, in the order of the queries: for a store elsewhere, in one round
    /// trip.
    ///
    /// # Errors
    /// As [`Self::ranges`].
    fn bucket_series(&self, queries: &[BucketQuery]) -> Result<Vec<Vec<Bucket>>> {
        queries.iter().map(|it| self.buckets(it)).collect()
    }
}

/// A shared store is one.
impl<S: Store + ?Sized> Store for Arc<S> {
    fn prepare(&self) -> Result<()> {
        (**self).prepare()
    }

    fn apply(&self, record: &RecordView<'_>, next_lsn: Lsn) -> Result<()> {
        (**self).apply(record, next_lsn)
    }

    fn applied(&self) -> Lsn {
        (**self).applied()
    }

    fn cursor(&self) -> Lsn {
        (**self).cursor()
    }

    fn expect_journal(&self, journal: &Journal) {
        (**self).expect_journal(journal);
    }

    fn journal_identity(&self) -> u32 {
        (**self).journal_identity()
    }

    fn set_journal_identity(&self, identity: u32) {
        (**self).set_journal_identity(identity);
    }

    fn skip_to(&self, to: Lsn) -> Result<()> {
        (**self).skip_to(to)
    }

    fn range(&self, query: &RangeQuery) -> Result<HistorySamples> {
        (**self).range(query)
    }

    fn ranges(&self, queries: &[RangeQuery]) -> Result<Vec<HistorySamples>> {
        (**self).ranges(queries)
    }

    fn last_n(
        &self,
        item: ItemId,
        kind: ValueType,
        n: usize,
        till: Time,
    ) -> Result<HistorySamples> {
        (**self).last_n(item, kind, n, till)
    }

    fn trends(&self, queries: &[TrendQuery]) -> Result<Vec<Vec<Trend>>> {
        (**self).trends(queries)
    }

    fn buckets(&self, query: &BucketQuery) -> Result<Vec<Bucket>> {
        (**self).buckets(query)
    }

    fn bucket_series(&self, queries: &[BucketQuery]) -> Result<Vec<Vec<Bucket>>> {
        (**self).bucket_series(queries)
    }
}

/// Buckets that are being filled, in order of time.
#[derive(Debug)]
pub(crate) struct Sums {
    from: i64,
    width: i64,
    buckets: Vec<Bucket>,
    open: Option<(i64, Bucket)>,
}

impl Sums {
    pub(crate) fn new(query: &BucketQuery) -> Option<Self> {
        let width = query.width()?;
        Some(Self { from: query.from.0, width, buckets: Vec::new(), open: None })
    }

    /// Adds a page without its first `n_seen` values. Returns the last time and how many values
    /// have it.
    pub(crate) fn add_all(&mut self, rows: &SeriesRows, n_seen: usize) -> (Time, usize) {
        let mut last = (Time(self.from), 0);
        let mut row = 0;
        let mut add = |time: Time, value: f64| {
            last = if last.0 == time { (time, last.1 + 1) } else { (time, 1) };
            row += 1;
            if row > n_seen {
                self.add(time, value);
            }
        };
        match rows {
            SeriesRows::Float(rows) => rows.iter().for_each(|(time, value)| add(*time, *value)),
            SeriesRows::Unsigned(rows) => {
                #[expect(clippy::cast_precision_loss, reason = "a graph has fewer pixels")]
                rows.iter().for_each(|(time, value)| add(*time, *value as f64));
            }
            SeriesRows::Other(_) => {}
        }
        last
    }

    fn add(&mut self, time: Time, value: f64) {
        let index = time.0.saturating_sub(self.from) / self.width;
        if let Some((open, bucket)) = &mut self.open
            && *open == index
        {
            bucket.min = bucket.min.min(value);
            bucket.max = bucket.max.max(value);
            // The sum until the bucket is closed.
            bucket.avg += value;
            bucket.last = value;
            bucket.n += 1;
            return;
        }
        self.close();
        let time = Time(self.from.saturating_add(index.saturating_mul(self.width)));
        let bucket = Bucket { time, min: value, avg: value, max: value, last: value, n: 1 };
        self.open = Some((index, bucket));
    }

    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 values")]
    fn close(&mut self) {
        if let Some((_, mut bucket)) = self.open.take() {
            // Rounding must not take the average out of its bounds.
            bucket.avg = (bucket.avg / bucket.n as f64).clamp(bucket.min, bucket.max);
            self.buckets.push(bucket);
        }
    }

    pub(crate) fn finish(mut self) -> Vec<Bucket> {
        self.close();
        self.buckets
    }
}

/// A series whose record can't be read.
pub(crate) fn unreadable(lsn: Lsn) -> impl Fn(model::record::RecordError) -> Error {
    move |source| Error::Record { lsn, source }
}
