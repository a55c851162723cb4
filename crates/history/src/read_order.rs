//! Several stores at once: all are fed, and the first of a list that can answer is read.
//!
//! A store fed from the journal lags a second or more. So what is in memory is read first, with the
//! position from which on it is complete, and then the store, without what it has from there on:
//! each value is found once, whenever it moves from one to the other.
//!
//! A store that does not answer is left alone for a while, and the next one of the list is read. A
//! query waits for one time-out at most, and while it is known to be away for none. If no other
//! store has all values the query fails: a window that lacks values would be a wrong answer.

mod backoff;
mod joined;

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use journal::Lsn;
use model::ItemId;
use model::record::{Hour, RecordView};
use rt::clock::{Clock, nanos};
use rt::health::{Health, Level};
use rt::metrics::{Counter, Family, Registry, TimeHistogram};
use tracing::{info, warn};

use self::backoff::Backoff;
use crate::query::{Bucket, BucketQuery, HistorySamples, RangeQuery, Trend, TrendQuery};
use crate::{Error, LiveStore, RemoteStore, Result, Store};

/// Queries that one store is asked at once. Further reads wait for [`ReadOrderSettings::wait_max`].
const READS_MAX: usize = 8;
/// The interval between two checks whether a store has stored the requested values.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// A store gets written values within a second or two, unless it lags.
const WRITTEN_MAX: Duration = Duration::from_secs(10);

rt::metrics! {
    /// Which stores of history are read.
    pub struct ReadOrderMetrics in "saker_history_read", formerly "history_read" {
        /// Queries answered, by store.
        pub(crate) answered_total: Family<Counter> = "store",
        /// Queries that a store could not answer, by store: the next one was asked, if there is one.
        pub(crate) failed_total: Family<Counter> = "store",
        /// Time of a query to a store on another machine, in seconds.
        pub(crate) remote_seconds: TimeHistogram,
    }
}

/// How long to wait.
#[derive(Clone, Copy, Debug)]
pub struct ReadOrderSettings {
    /// For a store to have stored what is no longer in memory, and for room to ask it.
    pub wait_max: Duration,
    /// How long a store that did not answer is left alone, at first and at most.
    pub pause: (Duration, Duration),
}

impl Default for ReadOrderSettings {
    fn default() -> Self {
        Self {
            wait_max: Duration::from_secs(3),
            pause: (Duration::from_secs(1), Duration::from_secs(30)),
        }
    }
}

/// The stores that are read. Values are written to the live one; it need not be among those that are read.
pub struct ReadOrder {
    live: Arc<dyn LiveStore>,
    /// In this order, before the live one.
    remotes: Vec<Remote>,
    /// All that are fed.
    fed: Vec<FedStore>,
    settings: ReadOrderSettings,
    clock: Clock,
    health: Health,
    metrics: ReadOrderMetrics,
}

/// A store elsewhere that is fed.
#[derive(Clone, Debug)]
pub struct FedStore {
    pub name: &'static str,
    pub store: Arc<dyn RemoteStore>,
    /// Else it is a copy: only deletions reach it.
    pub is_read: bool,
}

struct Remote {
    name: &'static str,
    store: Arc<dyn RemoteStore>,
    backoff: Mutex<Backoff>,
    n_reads: Mutex<usize>,
    is_free: Condvar,
}

impl fmt::Debug for ReadOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.remotes.iter().map(|it| it.name).collect();
        f.debug_struct("ReadOrder").field("remotes", &names).finish_non_exhaustive()
    }
}

/// Room for a query, given back when it ends.
struct Room<'a>(&'a Remote);

impl Drop for Room<'_> {
    fn drop(&mut self) {
        *self.0.n_reads.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.is_free.notify_one();
    }
}

impl ReadOrder {
    /// Stores in the order in which they are read; after them the live one, if it holds all values.
    #[must_use]
    pub fn new(
        live: Arc<dyn LiveStore>,
        fed: Vec<FedStore>,
        settings: ReadOrderSettings,
        clock: Clock,
        (registry, health): (&Registry, &Health),
    ) -> Self {
        let remotes = fed.iter().filter(|it| it.is_read).map(|it| Remote {
            name: it.name,
            store: Arc::clone(&it.store),
            backoff: Mutex::default(),
            n_reads: Mutex::default(),
            is_free: Condvar::new(),
        });
        let remotes = remotes.collect();
        let metrics = ReadOrderMetrics::register(registry);
        Self { live, remotes, fed, settings, clock, health: health.clone(), metrics }
    }

    /// Deletes all values and trends of items that were written up to now, in all stores. A remote
    /// store has to be reachable: it first gets the records that it does not have yet.
    ///
    /// # Errors
    /// A store can't do it now. Those before it in the list may have deleted them, and the live one has not.
    pub fn clear(&self, items: &[ItemId]) -> Result<()> {
        let written = self.live.applied();
        for remote in &self.fed {
            let deleted = self
                .await_written(&*remote.store, written)
                .and_then(|()| remote.store.delete(items));
            deleted.map_err(|error| named(remote.name, error))?;
        }
        self.live.clear(items)
    }

    /// The store that shards write to.
    #[must_use]
    pub fn live(&self) -> &dyn LiveStore {
        &*self.live
    }

    /// The stores elsewhere that are fed, in the order in which they are read; then copies.
    #[must_use]
    pub fn fed(&self) -> &[FedStore] {
        &self.fed
    }

    /// Asks the stores in order until one answers.
    fn first<T>(
        &self,
        of_remote: impl Fn(&Remote) -> Result<T>,
        of_live: impl FnOnce(&dyn LiveStore) -> Result<T>,
    ) -> Result<T> {
        let mut failed = None;
        for remote in &self.remotes {
            match self.ask(remote, &of_remote) {
                Ok(answer) => {
                    self.metrics.answered_total.of(remote.name).inc();
                    return Ok(answer);
                }
                Err(error) => {
                    self.metrics.failed_total.of(remote.name).inc();
                    failed.get_or_insert(named(remote.name, error));
                }
            }
        }
        match failed {
            Some(error) if !self.live.holds_all() => Err(error),
            _ => {
                self.metrics.answered_total.of("embedded").inc();
                of_live(&*self.live)
            }
        }
    }

    fn ask<T>(&self, remote: &Remote, query: impl Fn(&Remote) -> Result<T>) -> Result<T> {
        let now_ns = self.clock.mono_ns();
        let paused = remote.lock().is_paused(now_ns);
        if let Some(error) = paused {
            return Err(error);
        }
        let room = remote.room(self.settings.wait_max)?;
        let answer = query(remote);
        drop(room);
        let ended_ns = self.clock.mono_ns();
        self.metrics.remote_seconds.observe_ns(ended_ns.saturating_sub(now_ns));
        match &answer {
            Ok(_) => self.answers(remote),
            // It will be there in a moment.
            Err(Error::NotStored { .. }) => {}
            Err(error) => self.fails(remote, error, ended_ns),
        }
        answer
    }

    fn answers(&self, remote: &Remote) {
        if remote.lock().succeed() {
            info!(store = remote.name, "history is read from this store again");
            self.health.clear(&part(remote.name));
        }
    }

    fn fails(&self, remote: &Remote, error: &Error, now_ns: u64) {
        let (first, most) = self.settings.pause;
        let is_first = remote.lock().fail(error, now_ns, (nanos(first), nanos(most)));
        if is_first {
            let instead = if self.live.holds_all() || 1 < self.remotes.len() {
                "the next store of history.stores answers instead"
            } else {
                "until it answers, history cannot be read; values are processed and kept"
            };
            warn!(store = remote.name, %error, instead, "a store of history cannot be read");
            let text = format!("it cannot be read, and {instead}: {error}");
            self.health.set(&part(remote.name), Level::Degraded, text);
        }
    }

    /// Makes sure that a store has stored what comes before a position; if no other store has it,
    /// waits for that.
    fn await_stored(&self, store: &dyn RemoteStore, position: Lsn) -> Result<()> {
        // A live store that holds everything answers sooner.
        let wait_max = if self.live.holds_all() { Duration::ZERO } else { self.settings.wait_max };
        wait(store, position, wait_max)
    }

    /// As [`Self::await_stored`], for what has just been written.
    fn await_written(&self, store: &dyn RemoteStore, position: Lsn) -> Result<()> {
        wait(store, position, self.settings.wait_max.max(WRITTEN_MAX))
    }

    fn ranges_of(&self, remote: &Remote, queries: &[RangeQuery]) -> Result<Vec<HistorySamples>> {
        let recent = self.live.recent(queries)?;
        self.await_stored(&*remote.store, recent.since)?;
        let stored = remote.store.ranges_before(queries, Some(recent.since))?;
        let both = queries.iter().zip(stored).zip(recent.samples);
        Ok(both.map(|((query, stored), recent)| joined::samples(query, stored, recent)).collect())
    }

    fn buckets_of(&self, remote: &Remote, queries: &[BucketQuery]) -> Result<Vec<Vec<Bucket>>> {
        let ranges: Vec<RangeQuery> = queries.iter().map(joined::range_of).collect();
        let recent = self.live.recent(&ranges)?;
        self.await_stored(&*remote.store, recent.since)?;
        let before = Some(recent.since);
        let stored = remote.store.buckets_before(queries, before)?;
        let both = queries.iter().zip(stored).zip(recent.samples);
        let mut joined: Vec<joined::Buckets> =
            both.map(|((query, stored), recent)| joined::buckets(query, stored, &recent)).collect();
        // Where a bucket has values of both, which one is the newest is asked: of most series of one bucket.
        let doubtful: Vec<RangeQuery> = joined.iter().flat_map(joined::Buckets::doubtful).collect();
        if !doubtful.is_empty() {
            let mut newest = remote.store.ranges_before(&doubtful, before)?.into_iter();
            joined.iter_mut().for_each(|it| it.settle(&mut newest));
        }
        Ok(joined.into_iter().map(joined::Buckets::finish).collect())
    }

    fn trends_of(&self, remote: &Remote, queries: &[TrendQuery]) -> Result<Vec<Vec<Trend>>> {
        let recent = self.live.recent_trends(queries)?;
        // An hour's trend is written some minutes after it at the latest. Older ones are not waited
        // for: only late values can be missing.
        let newest = Hour(Hour::of(self.clock.wall()).0 - 2);
        let is_new = queries.iter().any(|it| newest <= it.till);
        if is_new || self.live.holds_all() {
            self.await_stored(&*remote.store, recent.since)?;
        }
        let stored = remote.store.trends_before(queries, Some(recent.since))?;
        Ok(stored.into_iter().zip(recent.trends).map(|it| joined::trends(it.0, it.1)).collect())
    }
}

impl Remote {
    fn lock(&self) -> std::sync::MutexGuard<'_, Backoff> {
        self.backoff.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn room(&self, wait_max: Duration) -> Result<Room<'_>> {
        let n_reads = self.n_reads.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |n: &mut usize| READS_MAX <= *n;
        let waited = self.is_free.wait_timeout_while(n_reads, wait_max, is_full);
        let (mut n_reads, wait) = waited.unwrap_or_else(PoisonError::into_inner);
        if wait.timed_out() {
            let reason = "it is asked too many queries at once".into();
            return Err(Error::Away { reason });
        }
        *n_reads += 1;
        Ok(Room(self))
    }
}

fn wait(store: &dyn RemoteStore, position: Lsn, wait_max: Duration) -> Result<()> {
    let mut waited = Duration::ZERO;
    loop {
        let stored = store.cursor();
        if position <= stored {
            return Ok(());
        }
        if wait_max <= waited {
            return Err(Error::NotStored { bytes: position.0.saturating_sub(stored.0) });
        }
        std::thread::park_timeout(POLL_INTERVAL);
        waited += POLL_INTERVAL;
    }
}

fn part(name: &str) -> String {
    format!("reading history from {name}")
}

fn named(name: &str, error: Error) -> Error {
    match error {
        Error::Away { reason } => Error::Away { reason: format!("{name}: {reason}").into() },
        Error::Refused { reason } => Error::Refused { reason: format!("{name}: {reason}").into() },
        other => other,
    }
}

/// Writes go to the live store; reads are answered by the first store that can.
impl Store for ReadOrder {
    fn prepare(&self) -> Result<()> {
        self.live.prepare()
    }

    fn apply(&self, record: &RecordView<'_>, next_lsn: Lsn) -> Result<()> {
        self.live.apply(record, next_lsn)
    }

    fn applied(&self) -> Lsn {
        self.live.applied()
    }

    fn cursor(&self) -> Lsn {
        self.live.cursor()
    }

    fn skip_to(&self, to: Lsn) -> Result<()> {
        self.live.skip_to(to)
    }

    fn range(&self, query: &RangeQuery) -> Result<HistorySamples> {
        let one = |remote: &Remote| {
            let mut answers = self.ranges_of(remote, std::slice::from_ref(query))?;
            answers.pop().ok_or_else(|| Error::Away { reason: "it gave no answer".into() })
        };
        self.first(one, |live| live.range(query))
    }

    fn ranges(&self, queries: &[RangeQuery]) -> Result<Vec<HistorySamples>> {
        self.first(|remote| self.ranges_of(remote, queries), |live| live.ranges(queries))
    }

    fn trends(&self, queries: &[TrendQuery]) -> Result<Vec<Vec<Trend>>> {
        self.first(|remote| self.trends_of(remote, queries), |live| live.trends(queries))
    }

    fn buckets(&self, query: &BucketQuery) -> Result<Vec<Bucket>> {
        let queries = std::slice::from_ref(query);
        let one = |remote: &Remote| Ok(self.buckets_of(remote, queries)?.pop().unwrap_or_default());
        self.first(one, |live| live.buckets(query))
    }

    fn bucket_series(&self, queries: &[BucketQuery]) -> Result<Vec<Vec<Bucket>>> {
        self.first(|remote| self.buckets_of(remote, queries), |live| live.bucket_series(queries))
    }
}
