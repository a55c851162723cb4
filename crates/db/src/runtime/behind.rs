//! Deferred writes: sessions, failed logins and records of the audit log that no change of the
//! configuration belongs to.
//!
//! Memory has them already, and logins are not refused because a disk is full or a database does
//! not answer. A caller that opens or ends a session waits until that is saved, but only for a
//! moment ([`WAIT_MAX`]), and not at all while the database refuses. Entries are saved in order,
//! all that wait in one transaction; one that can never be saved is dropped. Not kept over the end
//! of the process: users who logged in without a database log in again then.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use tracing::{error, warn};

use crate::error::DbError;
use crate::locks::{lock, wait_while};
use crate::sql::schema::SESSIONS;
use crate::sql::{Cell, Conflict, Rows, Sql, Workers};

/// How long a caller waits for its entry: a login has to be done within a second. After that it
/// goes on, and the entry is saved later.
const WAIT_MAX: Duration = Duration::from_millis(500);

/// Entries that wait at most, some hundred bytes each: the records of an hour at three a second. Later ones are
/// dropped and counted; ends of sessions have as much again, because a session that is not ended comes back.
const WAITING_MAX: usize = 10_000;

/// The most entries saved in one transaction; the rest follow in the next.
const SAVED_MAX: usize = 500;

/// The pause after the database refused an entry.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The interval between two checks of an idle queue.
const IDLE_MAX: Duration = Duration::from_secs(3_600);

/// How long the stop waits for entries. Those not saved by then are lost.
const STOP_MAX: Duration = Duration::from_secs(5);

/// Rows that belong together.
#[derive(Clone, Default, Debug)]
pub(crate) struct Entry {
    pub(crate) rows: Vec<(Rows, Conflict)>,
    /// Hashes of sessions that have ended, in hexadecimal.
    pub(crate) ended: Vec<String>,
}

/// A clone is the same queue.
#[derive(Clone)]
pub(crate) struct Behind(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Something waits, or it is time to stop.
    has_work: Condvar,
    /// Something was saved or refused, or the thread has ended.
    answered: Condvar,
    workers: Arc<Workers>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Entry>,
    /// Entries taken and entries that no longer wait, ever.
    n_taken: u64,
    n_done: u64,
    /// The last try was refused.
    is_failing: bool,
    is_stopped: bool,
    has_ended: bool,
}

impl Behind {
    /// Starts the thread that saves.
    pub(crate) fn start(workers: Arc<Workers>) -> Result<Stopping, DbError> {
        let (has_work, answered) = (Condvar::new(), Condvar::new());
        let behind =
            Self(Arc::new(Shared { state: Mutex::default(), has_work, answered, workers }));
        let of_thread = behind.clone();
        let thread = thread::Builder::new().name("db-behind".to_owned()).spawn(move || {
            of_thread.run();
            lock(&of_thread.0.state).has_ended = true;
            of_thread.0.answered.notify_all();
        });
        thread.map(|_detached| Stopping(behind)).map_err(|_none| DbError::Stopped)
    }

    /// Takes an entry; whether there was room for it. Waits for nothing.
    pub(crate) fn put(&self, entry: Entry) -> bool {
        let n_max = if entry.ended.is_empty() { WAITING_MAX } else { 2 * WAITING_MAX };
        let mut state = lock(&self.0.state);
        if n_max <= state.waiting.len() || state.is_stopped {
            self.0.workers.watch.metrics.behind_dropped_total.inc();
            return false;
        }
        state.waiting.push_back(entry);
        state.n_taken += 1;
        self.observe(&state);
        drop(state);
        self.0.has_work.notify_one();
        true
    }

    /// Waits for a moment until what was taken so far is saved.
    pub(crate) fn flush(&self) {
        let state = lock(&self.0.state);
        let wanted = state.n_taken;
        drop(wait_while(&self.0.answered, state, WAIT_MAX, |it| {
            it.n_done < wanted && !it.is_failing && !it.has_ended
        }));
    }

    fn observe(&self, state: &State) {
        self.0.workers.watch.metrics.behind_waiting.set_n(state.waiting.len());
    }

    fn run(&self) {
        // How many are tried at once: one after the other once a transaction can never be done.
        let mut n_max = SAVED_MAX;
        loop {
            let (entries, is_last) = {
                let is_idle = |it: &mut State| it.waiting.is_empty() && !it.is_stopped;
                let state = lock(&self.0.state);
                let state = wait_while(&self.0.has_work, state, IDLE_MAX, is_idle);
                let entries: Arc<[Entry]> = state.waiting.iter().take(n_max).cloned().collect();
                (entries, state.is_stopped)
            };
            if entries.is_empty() {
                if is_last {
                    return;
                }
                continue;
            }
            let of_job = Arc::clone(&entries);
            let saved = self.0.workers.write("save sessions and audit records", move |sql| {
                of_job.iter().try_for_each(|it| save(sql, it))
            });
            match saved {
                Ok(()) => {
                    self.done(entries.len());
                    n_max = SAVED_MAX;
                }
                Err(error) if error.retry() => {
                    warn!(%error, n = entries.len(), "sessions or audit records wait for the database");
                    if is_last || self.refused() {
                        return self.give_up();
                    }
                }
                Err(_) if n_max != 1 && entries.len() != 1 => n_max = 1,
                Err(error) => {
                    error!(%error, "a session or an audit record can never be saved and is dropped");
                    self.0.workers.watch.metrics.behind_dropped_total.inc();
                    self.done(1);
                }
            }
        }
    }

    fn done(&self, n: usize) {
        let mut state = lock(&self.0.state);
        state.waiting.drain(..n);
        state.n_done += n as u64;
        state.is_failing = false;
        self.observe(&state);
        drop(state);
        self.0.answered.notify_all();
    }

    /// Pauses; whether it is time to stop.
    fn refused(&self) -> bool {
        let mut state = lock(&self.0.state);
        state.is_failing = true;
        self.0.answered.notify_all();
        wait_while(&self.0.has_work, state, RETRY_PAUSE, |it| !it.is_stopped).is_stopped
    }

    fn give_up(&self) {
        let mut state = lock(&self.0.state);
        let n = state.waiting.len();
        state.waiting.clear();
        self.0.workers.watch.metrics.behind_dropped_total.add(n as u64);
        if 0 < n {
            error!(n, "stopped without saving sessions or audit records");
        }
    }
}

/// The queue, whose thread ends when this is dropped.
pub(crate) struct Stopping(pub(crate) Behind);

impl Drop for Stopping {
    fn drop(&mut self) {
        let shared = &self.0.0;
        let mut state = lock(&shared.state);
        state.is_stopped = true;
        shared.has_work.notify_all();
        if !wait_while(&shared.answered, state, STOP_MAX, |it| !it.has_ended).has_ended {
            warn!("the thread that saves sessions did not end in time and is left alone");
        }
    }
}

fn save(sql: &mut dyn Sql, entry: &Entry) -> Result<(), DbError> {
    for (rows, conflict) in &entry.rows {
        sql.insert(rows, *conflict)?;
    }
    for hash in &entry.ended {
        let key = [Cell::Text(hash.clone())];
        sql.execute(&format!("delete from {} where hash = ?1", SESSIONS.name), &key)?;
    }
    Ok(())
}
