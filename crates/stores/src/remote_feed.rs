//! A store on another machine as the feeder sees it: rows that wait, how far the journal is taken
//! and stored, when rows are worth a request. How rows are stored and read is the [`Backend`]'s.
//!
//! Invariant: positions move under the lock of the feed's state only, so that none is ahead of its rows.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use history::{
    Bucket, BucketQuery, DirectoryRow, Flush, FlushedValues, HistorySamples, NameTable, RangeQuery,
    RemoteStore, Result, SeriesRows, Store, Trend, TrendQuery,
};
use journal::{Journal, Lsn};
use model::ItemId;
use model::record::RecordView;
use rt::clock::Clock;

use crate::batch::Batch;
use crate::error::away;

use crate::positions::Positions;
use crate::ranges;

/// The interval between two checks for expired partitions.
const DROP_INTERVAL_NS: u64 = 3_600_000_000_000;

/// The least rows of a request, however often storing fails.
const FLUSH_ROWS_MIN: usize = 1_000;

/// How many rows wait, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FeedLimits {
    /// Rows that make a request worth its while.
    pub flush_rows: usize,
    /// How long fewer of them wait.
    pub flush_interval: Duration,
    /// Rows in memory; no more are taken while so many cannot be stored.
    pub rows_max: usize,
}

/// The state of a feed: its server and the rows on their way there.
#[derive(Debug, Default)]
pub struct FeedState<C> {
    /// The backend's own part.
    pub(crate) contact: C,
    pub(crate) batch: Batch,
    /// When the first row of the batch came.
    since_ns: u64,
    pub(crate) applied: Lsn,
    pub(crate) stored: Lsn,
    /// When expired partitions were last looked for.
    dropped_ns: Option<u64>,
    /// Rows that make a request worth its while since storing more of them failed; `None`: as the limits say.
    flush_rows: Option<usize>,
}

/// A kind of server that keeps history.
pub trait Backend: Debug + Send + Sync {
    /// Facts of the server since the first contact, and the connection if it has one.
    type Contact: Debug + Default + Send;

    /// Makes contact where there is none; then the positions are [found](Positions::found), and
    /// `state` has them.
    ///
    /// # Errors
    /// The server is away, or cannot be used.
    fn contact(&self, state: &mut FeedState<Self::Contact>, positions: &Positions) -> Result<()>;

    /// Before rows are taken.
    ///
    /// # Errors
    /// Rows can't be taken now.
    fn before_rows(
        &self,
        state: &mut FeedState<Self::Contact>,
        positions: &Positions,
    ) -> Result<()> {
        self.contact(state, positions)
    }

    /// Stores the rows of the batch alone, where that can be done without their position.
    ///
    /// # Errors
    /// They are not all stored; unstored rows stay.
    fn store_rows(&self, _state: &mut FeedState<Self::Contact>) -> Result<()> {
        Ok(())
    }

    /// Stores the rows of the batch and the place in the journal; both positions of `state` are there then.
    ///
    /// # Errors
    /// It is not stored, or the answer was lost: positions are those from which records have to come again.
    fn store(
        &self,
        state: &mut FeedState<Self::Contact>,
        positions: &Positions,
        place: u64,
    ) -> Result<()>;

    /// The greatest place of all journals, which another server may have moved.
    ///
    /// # Errors
    /// The server is away, or refuses.
    fn newest_place(&self, state: &mut FeedState<Self::Contact>) -> Result<u64>;

    /// Counts values that are stored for good.
    fn count_stored(&self, n_values: u64);

    /// Drops partitions whose rows have all expired.
    fn drop_expired(&self, state: &mut FeedState<Self::Contact>);

    /// Deletes the rows of items, those of the batch too.
    ///
    /// # Errors
    /// They are not all gone.
    fn delete_items(
        &self,
        state: &mut FeedState<Self::Contact>,
        positions: &Positions,
        items: &[ItemId],
    ) -> Result<()>;

    /// Values of items before a place, of those that have any. Queries differ in items and times only.
    ///
    /// # Errors
    /// The server is away, or refuses.
    fn values(
        &self,
        queries: &[RangeQuery],
        before: Option<u64>,
    ) -> Result<BTreeMap<ItemId, SeriesRows>>;

    /// Trends of items before a place, of those that have any.
    ///
    /// # Errors
    /// The server is away, or refuses.
    fn trends(
        &self,
        shape: &TrendQuery,
        items: &mut dyn Iterator<Item = ItemId>,
        before: Option<u64>,
    ) -> Result<BTreeMap<ItemId, Vec<Trend>>>;

    /// Buckets of items before a place, of those that have any.
    ///
    /// # Errors
    /// The server is away, or refuses.
    fn buckets(
        &self,
        shape: &BucketQuery,
        items: &mut dyn Iterator<Item = ItemId>,
        before: Option<u64>,
    ) -> Result<BTreeMap<ItemId, Vec<Bucket>>>;

    /// Items of the directory; there was contact.
    ///
    /// # Errors
    /// The server is away, or refuses.
    fn directory(&self) -> Result<Vec<ItemId>>;

    /// Writes rows of the directory; there was contact. The state is let go of where values need not wait.
    ///
    /// # Errors
    /// The server is away, or refuses.
    fn write_directory(
        &self,
        state: MutexGuard<'_, FeedState<Self::Contact>>,
        rows: &[DirectoryRow],
        gone: &[ItemId],
    ) -> Result<()>;
}

/// A store on another machine.
#[derive(Debug)]
pub struct RemoteFeed<B: Backend> {
    pub(crate) backend: B,
    limits: FeedLimits,
    clock: Clock,
    positions: Positions,
    state: Mutex<FeedState<B::Contact>>,
}

impl<C> FeedState<C> {
    /// Positions and rows of a new contact: rows that were not stored come again from the journal.
    pub(crate) fn start_at(&mut self, position: Lsn) {
        self.batch = Batch::default();
        (self.stored, self.applied) = (position, position);
    }

    /// After storing so many rows succeeded or failed: rows that a server cannot store within its
    /// time come in smaller parts, which grow again while it can.
    fn learn(&mut self, n_rows: usize, is_stored: bool, flush_rows: usize) {
        self.flush_rows = if is_stored {
            self.flush_rows.map(|it| it.saturating_mul(2)).filter(|it| *it < flush_rows)
        } else {
            let before = self.flush_rows.unwrap_or(flush_rows).min(n_rows.max(1));
            Some((before / 2).max(FLUSH_ROWS_MIN)).filter(|it| *it < flush_rows)
        };
    }

    /// Whether it is time to look for expired partitions; then it is for a while no more.
    pub(crate) fn drop_is_due(&mut self, now_ns: u64) -> bool {
        let is_due = self.dropped_ns.is_none_or(|it| DROP_INTERVAL_NS <= now_ns.saturating_sub(it));
        if is_due {
            self.dropped_ns = Some(now_ns);
        }
        is_due
    }
}

impl<B: Backend> RemoteFeed<B> {
    pub(crate) fn of(backend: B, limits: FeedLimits, clock: Clock) -> Self {
        let (positions, state) = (Positions::default(), Mutex::default());
        Self { backend, limits, clock, positions, state }
    }

    fn state(&self) -> MutexGuard<'_, FeedState<B::Contact>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, after contact.
    fn contact(&self) -> Result<MutexGuard<'_, FeedState<B::Contact>>> {
        let mut state = self.state();
        self.backend.contact(&mut state, &self.positions)?;
        Ok(state)
    }
}

impl<B: Backend> Store for RemoteFeed<B> {
    fn prepare(&self) -> Result<()> {
        self.contact().map(drop)
    }

    fn apply(&self, record: &RecordView<'_>, next_lsn: Lsn) -> Result<()> {
        let mut state = self.state();
        self.backend.before_rows(&mut state, &self.positions)?;
        if self.limits.rows_max <= state.batch.n_rows() {
            return Err(away("what was taken before is not stored yet"));
        }
        if state.batch.n_rows() == 0 {
            state.since_ns = self.clock.mono_ns();
        }
        state.batch.take(record, (self.positions.base(), next_lsn))?;
        state.applied = next_lsn;
        self.positions.set(state.applied, state.stored);
        Ok(())
    }

    fn applied(&self) -> Lsn {
        self.positions.applied()
    }

    fn cursor(&self) -> Lsn {
        self.positions.stored()
    }

    fn expect_journal(&self, journal: &Journal) {
        self.positions.expect(journal.identity(), journal.ancestors());
    }

    fn journal_identity(&self) -> u32 {
        self.positions.journal_identity()
    }

    fn set_journal_identity(&self, identity: u32) {
        self.positions.set_journal_identity(identity);
    }

    fn skip_to(&self, to: Lsn) -> Result<()> {
        let mut state = self.state();
        let identity = self.positions.journal_identity();
        self.backend.contact(&mut state, &self.positions)?;
        self.positions.set_journal_identity(identity);
        self.backend.store_rows(&mut state)?;
        // Another server may have stored places since the first contact.
        self.positions.set_newest(self.backend.newest_place(&mut state)?);
        self.backend.store(&mut state, &self.positions, self.positions.place_after_gap(to))
    }

    fn range(&self, query: &RangeQuery) -> Result<HistorySamples> {
        ranges::only(self.ranges_before(&[*query], None)?, query)
    }

    fn ranges(&self, queries: &[RangeQuery]) -> Result<Vec<HistorySamples>> {
        self.ranges_before(queries, None)
    }

    fn trends(&self, queries: &[TrendQuery]) -> Result<Vec<Vec<Trend>>> {
        self.trends_before(queries, None)
    }

    fn buckets(&self, query: &BucketQuery) -> Result<Vec<Bucket>> {
        Ok(self.buckets_before(&[*query], None)?.pop().unwrap_or_default())
    }

    fn bucket_series(&self, queries: &[BucketQuery]) -> Result<Vec<Vec<Bucket>>> {
        self.buckets_before(queries, None)
    }
}

impl<B: Backend> RemoteStore for RemoteFeed<B> {
    fn ranges_before(
        &self,
        queries: &[RangeQuery],
        before: Option<Lsn>,
    ) -> Result<Vec<HistorySamples>> {
        let before = before.map(|it| self.positions.place(it));
        let ask = |group: &[RangeQuery]| self.backend.values(group, before);
        ranges::ask_in_groups(queries, self.clock.wall(), ask)
    }

    fn trends_before(
        &self,
        queries: &[TrendQuery],
        before: Option<Lsn>,
    ) -> Result<Vec<Vec<Trend>>> {
        let before = before.map(|it| self.positions.place(it));
        let mut all = vec![Vec::new(); queries.len()];
        for (shape, places) in ranges::alike(queries, |it| TrendQuery { item: ItemId(0), ..*it }) {
            let item_of = |place: usize| queries.get(place).map(|it| it.item);
            let mut items = places.iter().filter_map(|it| item_of(*it));
            let found = self.backend.trends(&shape, &mut items, before)?;
            ranges::spread(&mut all, &places, item_of, &found);
        }
        Ok(all)
    }

    fn buckets_before(
        &self,
        queries: &[BucketQuery],
        before: Option<Lsn>,
    ) -> Result<Vec<Vec<Bucket>>> {
        let before = before.map(|it| self.positions.place(it));
        let mut all = vec![Vec::new(); queries.len()];
        for (shape, places) in ranges::alike(queries, |it| BucketQuery { item: ItemId(0), ..*it }) {
            let item_of = |place: usize| queries.get(place).map(|it| it.item);
            let mut items = places.iter().filter_map(|it| item_of(*it));
            let found = self.backend.buckets(&shape, &mut items, before)?;
            ranges::spread(&mut all, &places, item_of, &found);
        }
        Ok(all)
    }

    fn delete(&self, items: &[ItemId]) -> Result<()> {
        let mut state = self.contact()?;
        self.backend.delete_items(&mut state, &self.positions, items)
    }
}

impl<B: Backend> NameTable for RemoteFeed<B> {
    fn directory(&self) -> Result<Vec<ItemId>> {
        self.contact().map(drop)?;
        self.backend.directory()
    }

    fn write_directory(&self, rows: &[DirectoryRow], gone: &[ItemId]) -> Result<()> {
        self.backend.write_directory(self.contact()?, rows, gone)
    }
}

impl<B: Backend> Flush for RemoteFeed<B> {
    fn flush_is_due(&self) -> bool {
        let state = self.state();
        let n_rows = state.batch.n_rows();
        let waited_ns = self.clock.mono_ns().saturating_sub(state.since_ns);
        let interval_ns = u64::try_from(self.limits.flush_interval.as_nanos()).unwrap_or(u64::MAX);
        state.flush_rows.unwrap_or(self.limits.flush_rows) <= n_rows
            || 0 < n_rows && interval_ns <= waited_ns
    }

    fn flush_once(&self) -> Result<Option<FlushedValues>> {
        let mut state = self.contact()?;
        if state.applied == state.stored {
            return Ok(None);
        }
        let (n_values, cursor) = (state.batch.n_values() as u64, state.applied);
        let n_rows = state.batch.n_rows();
        let stored = self.backend.store(&mut state, &self.positions, self.positions.place(cursor));
        state.learn(n_rows, stored.is_ok(), self.limits.flush_rows);
        stored?;
        self.backend.count_stored(n_values);
        self.backend.drop_expired(&mut state);
        Ok(Some(FlushedValues { cursor, n_values, file_bytes: 0 }))
    }

    fn n_values_unflushed(&self) -> u64 {
        self.state().batch.n_values() as u64
    }

    fn observe(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_a_server_cannot_store_shrink_and_grow_again() {
        let mut state = FeedState::<()>::default();
        let mut sizes = |n_rows, is_stored| {
            state.learn(n_rows, is_stored, 100_000);
            state.flush_rows
        };
        assert_eq!(sizes(100_000, true), None);
        // A record may bring more than was waited for.
        assert_eq!(sizes(130_000, false), Some(50_000));
        assert_eq!(sizes(50_000, false), Some(25_000));
        // A part that the interval ended is small.
        assert_eq!(sizes(7, false), Some(FLUSH_ROWS_MIN));
        assert_eq!(sizes(1_000, false), Some(FLUSH_ROWS_MIN));
        let grown: Vec<_> = (0..7).map(|_| sizes(1_000, true)).collect();
        let expected = [2_000, 4_000, 8_000, 16_000, 32_000, 64_000].map(Some);
        assert_eq!((&grown[..6], grown[6]), (&expected[..], None));
        let mut small = FeedState::<()>::default();
        small.learn(10, false, 500);
        assert_eq!(small.flush_rows, None, "the setting is less than that");
    }
}
