//! The way of events from the journal to memory and SQL, and the readers' side of problems.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use model::{EventId, Time, TriggerId};
use thiserror::Error;
use tracing::{info, warn};

use super::live::{Live, Touched};
use super::{
    Acknowledged, Acknowledgement, Changes, EventQuery, EventRow, EventSettings, Problem, action,
    query, store,
};
use crate::sql::{Sql, Workers};
use crate::{ConfigError, DbError};

/// Why events were not taken.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ApplyError {
    /// The database is away and as many events wait as may. Feed again from [`Events::cursor`].
    #[error("{waiting} events wait for the database already")]
    Full { waiting: usize },
    #[error("events are no longer taken")]
    Stopped,
}

/// Called after problems changed, with the new version. It must be quick and must not call back.
pub type Watcher = Box<dyn Fn(u64) + Send + Sync>;

/// Events and problems.
pub struct Events {
    shared: Arc<Shared>,
    saver: Option<JoinHandle<()>>,
}

struct Shared {
    live: Arc<Mutex<Live>>,
    /// Taken after `live` where both are held.
    waiting: Mutex<Waiting>,
    has_work: Condvar,
    saved: Condvar,
    waiting_max: usize,
    next_acknowledgeid: AtomicU64,
    cursor: AtomicU64,
    watchers: RwLock<Vec<Watcher>>,
    workers: Arc<Workers>,
}

/// What is not in SQL yet.
#[derive(Default)]
struct Waiting {
    batches: VecDeque<Batch>,
    n_events: usize,
    /// A batch is with the database now.
    is_saving: bool,
    is_stopped: bool,
    /// Set by a failure, cleared by a success.
    failed: bool,
}

struct Batch {
    events: Vec<Arc<EventRow>>,
    problems: Touched,
    lsn: u64,
}

/// Events written in one transaction at most: some 50 ms of the writer's time, so that edits never
/// wait long.
const SAVE_EVENTS_MAX: usize = 5_000;

/// Problems renewed under one lock: some milliseconds.
const RENEW_MAX: usize = 5_000;

/// The pause after the database refused.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("version", &self.version()).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Events {
    pub(crate) fn open(settings: EventSettings, workers: Arc<Workers>) -> Result<Self, DbError> {
        let waiting_max = settings.waiting_max;
        let mut live = Live::new(settings.clone());
        let restored = workers.read("load problems", move |sql| store::load(sql, &settings))?;
        info!(n_problems = restored.problems.len(), "problems loaded");
        live.restore(restored.problems, restored.last_eventid);
        let shared = Arc::new(Shared {
            live: Arc::new(Mutex::new(live)),
            waiting: Mutex::default(),
            has_work: Condvar::new(),
            saved: Condvar::new(),
            waiting_max,
            next_acknowledgeid: AtomicU64::new(restored.next_acknowledgeid),
            cursor: AtomicU64::new(restored.lsn),
            watchers: RwLock::default(),
            workers,
        });
        let of_saver = Arc::clone(&shared);
        let saver = thread::Builder::new().name("db-events".to_owned());
        let saver = saver.spawn(move || save_all(&of_saver)).map_err(|_none| DbError::Stopped)?;
        Ok(Self { shared, saver: Some(saver) })
    }

    /// Takes events in journal order; `lsn` is the position behind their record. Problems show
    /// them at once. Events that are known already do nothing. Does not wait for the database.
    ///
    /// # Errors
    /// [`ApplyError::Full`]: nothing was taken.
    pub fn apply(&self, events: Vec<EventRow>, lsn: u64) -> Result<(), ApplyError> {
        let mut touched = Touched::new();
        let version = {
            let mut live = lock(&self.shared.live);
            let mut waiting = lock(&self.shared.waiting);
            if waiting.is_stopped {
                return Err(ApplyError::Stopped);
            }
            // A batch that alone is larger than the bound is taken when nothing waits.
            let is_full = self.shared.waiting_max < waiting.n_events + events.len();
            if is_full && waiting.n_events > 0 {
                return Err(ApplyError::Full { waiting: waiting.n_events });
            }
            let events: Vec<Arc<EventRow>> = events.into_iter().map(Arc::new).collect();
            for event in &events {
                live.apply(event, &mut touched);
            }
            waiting.n_events += events.len();
            waiting.batches.push_back(Batch { events, problems: touched.clone(), lsn });
            live.version()
        };
        self.shared.has_work.notify_one();
        if !touched.is_empty() {
            self.tell(version);
        }
        Ok(())
    }

    fn tell(&self, version: u64) {
        let watchers = self.shared.watchers.read().unwrap_or_else(PoisonError::into_inner);
        for watcher in watchers.iter() {
            watcher(version);
        }
    }

    /// Calls back after each later change of problems.
    pub fn watch(&self, watcher: Watcher) {
        self.shared.watchers.write().unwrap_or_else(PoisonError::into_inner).push(watcher);
    }

    /// Up to where the journal's events are in SQL: feed from here after a start or a refusal.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.shared.cursor.load(Ordering::Acquire)
    }

    /// Events that are not in SQL yet.
    #[must_use]
    pub fn n_waiting(&self) -> usize {
        lock(&self.shared.waiting).n_events
    }

    /// Grows with each change of a problem.
    #[must_use]
    pub fn version(&self) -> u64 {
        lock(&self.shared.live).version()
    }

    /// Problems that changed after `version`; with 0, all that are in memory.
    #[must_use]
    pub fn changes_since(&self, version: u64) -> Changes {
        lock(&self.shared.live).changes_since(version)
    }

    /// Gives problems a new version, for readers who see them differently without a change of theirs: by
    /// the configuration, or because a suppression is over.
    pub fn renew(&self, ids: &[EventId]) {
        // In parts: whoever feeds events waits for the lock.
        for ids in ids.chunks(RENEW_MAX) {
            let version = {
                let mut live = lock(&self.shared.live);
                live.renew(ids);
                live.version()
            };
            self.tell(version);
        }
    }

    /// An open or recently resolved problem.
    #[must_use]
    pub fn problem(&self, id: EventId) -> Option<Arc<Problem>> {
        lock(&self.shared.live).get(id).cloned()
    }

    /// All open and recently resolved problems, by event id.
    #[must_use]
    pub fn problems(&self) -> Vec<Arc<Problem>> {
        lock(&self.shared.live).problems().cloned().collect()
    }

    /// The open problems of a trigger, item or rule.
    #[must_use]
    pub fn open_of(&self, object: u8, objectid: u64) -> Vec<Arc<Problem>> {
        lock(&self.shared.live).open_of(object, objectid)
    }

    #[must_use]
    pub fn n_open(&self) -> usize {
        lock(&self.shared.live).n_open()
    }

    /// Lets problems go that were resolved long ago. Call it each minute.
    pub fn expire(&self, now: Time) {
        let (before, after) = {
            let mut live = lock(&self.shared.live);
            let before = live.version();
            live.expire(now);
            (before, live.version())
        };
        if before != after {
            self.tell(after);
        }
    }

    /// Does to problems what a user wants, and saves it. Ids of no problem are left out; the caller
    /// has checked rights and which actions are allowed.
    ///
    /// # Errors
    /// If the database refuses; nothing has changed then.
    pub fn acknowledge(
        &self,
        wish: &Acknowledgement,
        now: Time,
    ) -> Result<Acknowledged, ConfigError> {
        let n = u64::try_from(wish.eventids.len()).unwrap_or(u64::MAX);
        let first = self.shared.next_acknowledgeid.fetch_add(n, Ordering::Relaxed);
        let is_gone = |it: &&EventId| lock(&self.shared.live).get(**it).is_none();
        let gone: Vec<EventId> = wish.eventids.iter().filter(is_gone).copied().collect();
        let fetched = if gone.is_empty() { Vec::new() } else { self.fetch_problems(&gone)? };
        let (before, done, version) = {
            let mut live = lock(&self.shared.live);
            let before: Vec<Arc<Problem>> =
                wish.eventids.iter().filter_map(|it| live.get(*it).cloned()).collect();
            let done = live.acknowledge(wish, &fetched, first, now.clock());
            (before, done, live.version())
        };
        let entry = |(problem, entry): &(Arc<Problem>, Option<_>)| {
            entry.clone().map(|it| (Arc::clone(problem), it))
        };
        let rows: Vec<_> = done.iter().filter_map(entry).collect();
        let saved = self
            .shared
            .workers
            .write("acknowledge", move |sql| store::save_acknowledges(sql, &rows));
        if let Err(error) = saved {
            lock(&self.shared.live).undo(before);
            return Err(error.into());
        }
        self.tell(version);
        let wants_close = wish.action & action::CLOSE != 0;
        let close = done.iter().map(|(it, _)| it).filter(|it| wants_close && it.is_open());
        Ok(Acknowledged {
            eventids: done.iter().map(|(it, _)| it.eventid()).collect(),
            close: close.cloned().collect(),
        })
    }

    /// Reads events from SQL, newest last unless the query says otherwise. Events that still wait
    /// for the database are written first.
    ///
    /// # Errors
    /// If the database is away.
    pub fn query(&self, query: &EventQuery) -> Result<Vec<EventRow>, DbError> {
        self.flush()?;
        let query = query.clone();
        self.shared.workers.read("read events", move |sql| query::run(sql, &query))
    }

    /// The objects of a source and kind among `objectids` that have unacknowledged problem events.
    ///
    /// # Errors
    /// If the database is away.
    pub fn unacknowledged(
        &self,
        kind: (u8, u8),
        objectids: Vec<u64>,
        which: query::Unacknowledged,
    ) -> Result<Vec<u64>, DbError> {
        self.flush()?;
        let read = move |sql: &mut dyn Sql| query::unacknowledged(sql, kind, &objectids, which);
        self.shared.workers.read("read unacknowledged events", read)
    }

    /// When each trigger last had an event, as SQL has it.
    ///
    /// # Errors
    /// If the database is away.
    pub fn last_changes(&self) -> Result<Vec<(TriggerId, Time)>, DbError> {
        self.shared.workers.read("read last changes", |sql| store::last_changes(sql))
    }

    /// What became of problems by event id, also of those that left memory long ago.
    ///
    /// # Errors
    /// If the database is away.
    pub fn fetch_problems(&self, ids: &[EventId]) -> Result<Vec<Problem>, DbError> {
        self.flush()?;
        let ids = ids.to_vec();
        self.shared.workers.read("read problems", move |sql| query::problems(sql, &ids))
    }

    /// Waits until everything taken so far is in SQL, or the database refuses.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn flush(&self) -> Result<(), DbError> {
        let mut waiting = lock(&self.shared.waiting);
        while !waiting.batches.is_empty() || waiting.is_saving {
            if waiting.failed || waiting.is_stopped {
                return Err(DbError::Away { waiting: waiting.n_events });
            }
            waiting = self.shared.saved.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        lock(&self.shared.waiting).is_stopped = true;
        self.shared.has_work.notify_all();
        if let Some(saver) = self.saver.take()
            && saver.join().is_err()
        {
            warn!("the thread that saves events panicked");
        }
    }
}

/// Saves batches in order until told to stop. What waits then is saved once more if the database
/// is there; else the journal still has it.
fn save_all(shared: &Shared) {
    loop {
        let (batch, is_last) = {
            let mut waiting = lock(&shared.waiting);
            while waiting.batches.is_empty() && !waiting.is_stopped {
                waiting = shared.has_work.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            if waiting.batches.is_empty() {
                return;
            }
            waiting.is_saving = true;
            (take_batch(&mut waiting), waiting.is_stopped)
        };
        let n_events = batch.events.len();
        let lsn = batch.lsn;
        let batch = Arc::new(batch);
        let of_job = Arc::clone(&batch);
        let live = Arc::clone(&shared.live);
        let saved = shared.workers.write("save events", move |sql| {
            // As they are now: a user may have acknowledged since, and that may be saved already.
            let newest = {
                let live = lock(&live);
                let problems = of_job.problems.iter();
                problems.map(|it| Arc::clone(live.get(it.eventid()).unwrap_or(it))).collect()
            };
            store::save(sql, &of_job.events, newest, of_job.lsn)
        });
        let mut waiting = lock(&shared.waiting);
        waiting.is_saving = false;
        waiting.failed = saved.is_err();
        match saved {
            Ok(()) => {
                waiting.n_events -= n_events;
                shared.cursor.store(lsn, Ordering::Release);
                shared.saved.notify_all();
            }
            Err(error) => {
                warn!(%error, n_events = waiting.n_events, "events wait for the database");
                // The job is over and has dropped its share.
                if let Some(batch) = Arc::into_inner(batch) {
                    waiting.batches.push_front(batch);
                }
                shared.saved.notify_all();
                if is_last {
                    return;
                }
                drop(shared.has_work.wait_timeout(waiting, RETRY_PAUSE));
            }
        }
    }
}

/// Several waiting batches as one.
fn take_batch(waiting: &mut Waiting) -> Batch {
    let mut whole = Batch { events: Vec::new(), problems: Vec::new(), lsn: 0 };
    while let Some(batch) = waiting.batches.front() {
        if !whole.events.is_empty() && whole.events.len() + batch.events.len() > SAVE_EVENTS_MAX {
            break;
        }
        let Some(batch) = waiting.batches.pop_front() else { break };
        whole.events.extend(batch.events);
        whole.problems.extend(batch.problems);
        whole.lsn = batch.lsn;
    }
    whole
}
