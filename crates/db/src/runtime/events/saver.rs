//! Events and problems that are not in SQL yet, and the thread that writes them.
//!
//! A batch stays where it is until the database has it: neither an error nor a panic loses one.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, RwLock};
use std::thread;
use std::time::Duration;

use model::EventId;
use model::map::Set;
use rt::health::Level;
use tracing::{error, warn};

use super::live::{AcknowledgeEntry, Live, Touched, revert};
use super::{ApplyError, EventRow, store};
use crate::error::DbError;
use crate::locks::{self, lock, wait_while};
use crate::runtime::autoregistered::AutoregisteredHost;
use crate::runtime::discovered::DiscoveredRow;
use crate::runtime::events::Problem;
use crate::runtime::{autoregistered, discovered};
use crate::sql::{EndWatch, Sql, Workers, panic_text};

/// The name of the thread, and what `/health` calls it.
pub(super) const PART: &str = "db-events";

/// Events written in one transaction at most: some 50 ms of the writer's time, so that edits never
/// wait long.
const SAVE_EVENTS_MAX: usize = 5_000;

/// The pause after the database refused a batch.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// How long readers of events wait for a flush. After that they get the error that events wait.
const FLUSH_MAX: Duration = Duration::from_secs(30);

/// How long the stop waits for batches. Later ones are read from the journal at the next start.
const STOP_MAX: Duration = Duration::from_secs(5);

/// Called after events are in the database. It must be quick and must not call back.
pub(super) type SavedWatcher = Box<dyn Fn() + Send + Sync>;

/// Batches that wait for the database, in order.
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    /// Something waits, or it is time to stop.
    has_work: Condvar,
    /// Something was saved or refused.
    answered: Condvar,
    waiting_max: usize,
    /// Up to where the journal's events are in SQL.
    cursor: AtomicU64,
    is_stopping: Arc<AtomicBool>,
    ended: Condvar,
    /// Called after each commit.
    watchers: RwLock<Vec<SavedWatcher>>,
    workers: Arc<Workers>,
}

#[derive(Default)]
struct Waiting {
    /// With the database now, or refused and to be tried again.
    saving: Option<Arc<Batch>>,
    batches: VecDeque<Batch>,
    n_events: usize,
    /// The position after the last batch.
    lsn: u64,
    /// Batches taken and saved, by number.
    taken: u64,
    saved: u64,
    is_stopped: bool,
    has_ended: bool,
    /// The last try failed.
    failed: bool,
}

/// Rows that events describe, saved together with them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RowsOfEvents {
    /// Agents that registered themselves.
    pub registered: Vec<AutoregisteredHost>,
    /// Rows of network discovery.
    pub discovered: Vec<DiscoveredRow>,
}

/// The rows of one transaction.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) events: Vec<Arc<EventRow>>,
    pub(super) problems: Touched,
    pub(super) rows: RowsOfEvents,
    /// Acknowledgements that were taken back; the database may hold them all the same.
    pub(super) undone: Vec<AcknowledgeEntry>,
    /// Problems whose object is gone: they go too, and later their events.
    pub(super) gone: Vec<EventId>,
    /// Both are given by [`Queue::put`].
    pub(super) lsn: u64,
    pub(super) number: u64,
}

impl Batch {
    /// Whether only the position moves. Named one by one: a new member cannot be forgotten.
    fn is_empty(&self) -> bool {
        let Self { events, problems, rows, undone, gone, lsn: _, number: _ } = self;
        let RowsOfEvents { registered, discovered } = rows;
        events.is_empty()
            && problems.is_empty()
            && registered.is_empty()
            && discovered.is_empty()
            && undone.is_empty()
            && gone.is_empty()
    }
}

impl Queue {
    pub(super) fn new(cursor: u64, waiting_max: usize, workers: Arc<Workers>) -> Self {
        Self {
            waiting: Mutex::new(Waiting { lsn: cursor, ..Waiting::default() }),
            has_work: Condvar::new(),
            answered: Condvar::new(),
            waiting_max,
            cursor: AtomicU64::new(cursor),
            is_stopping: Arc::default(),
            ended: Condvar::new(),
            watchers: RwLock::default(),
            workers,
        }
    }

    /// Starts the thread that saves.
    pub(super) fn start(self: &Arc<Self>, live: &Arc<Mutex<Live>>) -> Result<(), DbError> {
        let (queue, live) = (Arc::clone(self), Arc::clone(live));
        let end = EndWatch::new(PART, &self.is_stopping, &self.workers.watch.health);
        let thread = thread::Builder::new().name(PART.to_owned()).spawn(move || {
            queue.run(&live);
            lock(&queue.waiting).has_ended = true;
            queue.ended.notify_all();
            drop(end);
        });
        thread.map(drop).map_err(|_none| DbError::Stopped)
    }

    /// Room for events? The caller holds the lock of the live problems until it has put them, so
    /// that batches are in the order in which memory took them.
    pub(super) fn has_room(&self, n_events: usize) -> Result<(), ApplyError> {
        let waiting = lock(&self.waiting);
        if waiting.is_stopped {
            return Err(ApplyError::Stopped);
        }
        // A batch that alone is larger than the bound is taken when nothing waits.
        if self.waiting_max < waiting.n_events + n_events && waiting.n_events > 0 {
            return Err(ApplyError::Full { waiting: waiting.n_events });
        }
        Ok(())
    }

    /// Takes a batch; without a position it belongs to the last one.
    pub(super) fn put(&self, mut batch: Batch, lsn: Option<u64>) {
        {
            let mut waiting = lock(&self.waiting);
            waiting.lsn = lsn.unwrap_or(waiting.lsn);
            waiting.taken += 1;
            waiting.n_events += batch.events.len();
            (batch.lsn, batch.number) = (waiting.lsn, waiting.taken);
            match waiting.batches.back_mut() {
                // Only the position moves: however long the database is away, that is one batch.
                Some(last) if batch.is_empty() => {
                    (last.lsn, last.number) = (batch.lsn, batch.number);
                }
                _ => waiting.batches.push_back(batch),
            }
            self.observe(&waiting);
        }
        self.has_work.notify_one();
    }

    #[expect(clippy::cast_precision_loss, reason = "a metric")]
    fn observe(&self, waiting: &Waiting) {
        self.workers.watch.metrics.events_waiting.set(waiting.n_events as f64);
    }

    pub(super) fn cursor(&self) -> u64 {
        self.cursor.load(Ordering::Acquire)
    }

    pub(super) fn n_waiting(&self) -> usize {
        lock(&self.waiting).n_events
    }

    /// Waits until everything taken so far is in SQL, or the database refuses.
    pub(super) fn flush(&self) -> Result<(), DbError> {
        self.flush_within(FLUSH_MAX)
    }

    fn flush_within(&self, time_max: Duration) -> Result<(), DbError> {
        let waiting = lock(&self.waiting);
        let wanted = waiting.taken;
        let waiting = wait_while(&self.answered, waiting, time_max, |it| {
            it.saved < wanted && !it.failed && !it.is_stopped
        });
        if wanted <= waiting.saved {
            return Ok(());
        }
        if waiting.failed || waiting.is_stopped {
            return Err(DbError::Away { waiting: waiting.n_events });
        }
        self.workers.watch.metrics.timeouts_total.inc();
        let error = DbError::TimedOut { what: "save events", seconds: time_max.as_secs() };
        warn!(%error, n_events = waiting.n_events, "events still wait for the database");
        Err(error)
    }

    /// Saves batches until it is stopped. Batches that wait then are tried once more.
    fn run(&self, live: &Arc<Mutex<Live>>) {
        loop {
            let is_last = lock(&self.waiting).is_stopped;
            let turn = catch_unwind(AssertUnwindSafe(|| self.turn(live)));
            let is_saved = match turn {
                Ok(Turn::Saved) => true,
                Ok(Turn::Refused) => false,
                Ok(Turn::Ended) => return,
                Err(panic) => {
                    let message = panic_text(&*panic);
                    self.workers.watch.metrics.panics_total.inc();
                    error!(message, "the thread that saves events panicked and goes on");
                    self.refused(&format!("a panic, which is a bug: {message}"));
                    false
                }
            };
            if is_saved {
                continue;
            }
            if is_last {
                return;
            }
            let waiting = lock(&self.waiting);
            drop(wait_while(&self.has_work, waiting, RETRY_PAUSE, |it| !it.is_stopped));
        }
    }

    fn turn(&self, live: &Arc<Mutex<Live>>) -> Turn {
        let batch = {
            let mut waiting = lock(&self.waiting);
            loop {
                if waiting.saving.is_none() {
                    waiting.saving = take_batch(&mut waiting.batches).map(Arc::new);
                }
                match &waiting.saving {
                    Some(it) => break Arc::clone(it),
                    None if waiting.is_stopped => return Turn::Ended,
                    None => {
                        let is_idle = |it: &mut Waiting| it.batches.is_empty() && !it.is_stopped;
                        waiting = wait_while(&self.has_work, waiting, FLUSH_MAX, is_idle);
                    }
                }
            }
        };
        let (of_job, live) = (Arc::clone(&batch), Arc::clone(live));
        let save = move |sql: &mut dyn Sql| save(sql, &of_job, &live);
        if let Err(error) = self.workers.write("save events", save) {
            self.refused(&error.to_string());
            return Turn::Refused;
        }
        let mut waiting = lock(&self.waiting);
        waiting.saving = None;
        waiting.n_events -= batch.events.len();
        waiting.saved = batch.number;
        self.cursor.store(batch.lsn, Ordering::Release);
        if std::mem::replace(&mut waiting.failed, false) {
            self.workers.watch.health.clear(PART);
        }
        self.observe(&waiting);
        drop(waiting);
        // A caller that waits for the end of a flush finds the followers already woken.
        self.publish_saved();
        self.answered.notify_all();
        Turn::Saved
    }

    pub(super) fn watch(&self, watcher: SavedWatcher) {
        locks::write(&self.watchers).push(watcher);
    }

    pub(super) fn publish_saved(&self) {
        locks::read(&self.watchers).iter().for_each(|it| it());
    }

    fn refused(&self, reason: &str) {
        let n_events = {
            let mut waiting = lock(&self.waiting);
            waiting.failed = true;
            waiting.n_events
        };
        warn!(reason, n_events, "events wait for the database");
        let message = format!(
            "{n_events} events wait for the database, and the journal keeps them: {reason}"
        );
        self.workers.watch.health.set(PART, Level::Degraded, message);
        self.answered.notify_all();
    }

    /// Ends the thread.
    pub(super) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        lock(&self.waiting).is_stopped = true;
        self.has_work.notify_all();
        self.answered.notify_all();
        let waiting = lock(&self.waiting);
        if !wait_while(&self.ended, waiting, STOP_MAX, |it| !it.has_ended).has_ended {
            warn!("the thread that saves events did not end in time and is left alone");
        }
    }
}

enum Turn {
    Saved,
    Refused,
    Ended,
}

/// Several waiting batches as one.
fn take_batch(batches: &mut VecDeque<Batch>) -> Option<Batch> {
    let mut whole = batches.pop_front()?;
    while let Some(batch) = batches.front() {
        if !whole.events.is_empty() && whole.events.len() + batch.events.len() > SAVE_EVENTS_MAX {
            break;
        }
        let Some(batch) = batches.pop_front() else { break };
        whole.events.extend(batch.events);
        whole.problems.extend(batch.problems);
        whole.rows.registered.extend(batch.rows.registered);
        whole.rows.discovered.extend(batch.rows.discovered);
        whole.undone.extend(batch.undone);
        whole.gone.extend(batch.gone);
        (whole.lsn, whole.number) = (batch.lsn, batch.number);
    }
    Some(whole)
}

fn save(sql: &mut dyn Sql, batch: &Batch, live: &Mutex<Live>) -> Result<(), DbError> {
    // As they are now: a user may have acknowledged since, and that may be saved already.
    let mut newest: Vec<Arc<Problem>> = {
        let live = lock(live);
        let problems = batch.problems.iter();
        problems.map(|it| Arc::clone(live.get(it.eventid()).unwrap_or(it))).collect()
    };
    if !batch.undone.is_empty() {
        store::delete_acknowledges(sql, &batch.undone)?;
        for (id, entry) in &batch.undone {
            // Those in memory are among the problems above.
            if lock(live).get(*id).is_some() {
                continue;
            }
            for mut problem in store::load_problems(sql, &id.to_string())? {
                problem.acknowledges.push(entry.clone());
                revert(&mut problem, entry);
                newest.push(Arc::new(problem));
            }
        }
    }
    if !batch.gone.is_empty() {
        let gone: Set<EventId> = batch.gone.iter().copied().collect();
        newest.retain(|it| !gone.contains(&it.eventid()));
        store::delete_problems(sql, &batch.gone)?;
    }
    autoregistered::save(sql, &batch.rows.registered)?;
    discovered::save(sql, &batch.rows.discovered)?;
    store::save(sql, &batch.events, newest, batch.lsn)
}
