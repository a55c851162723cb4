//! Workers: they follow the configuration, problems, a queue or the clock for as long as the
//! process lives.
//!
//! A [`Worker`] is a state with one function, [`Worker::turn`]: it does a piece of its work and
//! returns when it wants the next turn. It does not wait, has no loop and starts no thread.
//! [`WorkerGroup`] gives turns to the workers that share its thread, and does for each of them:
//!
//! - **Waking.** [`Wake::wake`] is called after a change of the configuration or of problems, or by a queue.
//!   A wake-up during a turn causes another turn. Workers do not poll.
//! - **Failures.** A turn that fails is followed by [`Worker::reload`] and a new turn, after a pause that doubles from
//!   [`BACKOFF_MIN`] to [`BACKOFF_MAX`]. Wake-ups do not shorten the pause. `/health` reports it meanwhile.
//! - **Panics.** [`OnPanic::Reload`] makes a panic a failure like others. [`OnPanic::StopServer`] is for work that the
//!   process depends on: the panic ends the thread, and the supervisor sees it as in [`crate::task`].
//! - **Rows that always fail.** After [`FAILURES_UNTIL_PUT_ASIDE`] failures in a row the worker is asked to
//!   leave out the row at which it fails ([`Worker::put_aside`]). `/health` names it until the process ends.
//! - **Figures.** `saker_worker_*` by worker: turns, failures, panics, wake-ups, how late a turn began.
//!
//! A group is also driven without a thread, by [`WorkerGroup::pass`]: so a simulation runs what ships, on its own clock.

mod group;
mod roster;

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use model::time::Now;

pub use self::group::{GroupContext, GroupHandle, Pass, WorkerGroup, WorkerMetrics};
pub use self::roster::{Roster, WorkerState};
use crate::clock::{Clock, nanos};
use crate::shutdown::Shutdown;

/// The pause after a first failure.
pub const BACKOFF_MIN: Duration = Duration::from_secs(1);
/// The longest pause after failures in a row.
pub const BACKOFF_MAX: Duration = Duration::from_secs(30);
/// After so many failures in a row a worker is asked to put the row aside at which it fails.
pub const FAILURES_UNTIL_PUT_ASIDE: u32 = 3;

/// The result of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// There is more to do at once. Other workers of the group have their turns first.
    More,
    /// Nothing is to do before this time in nanoseconds of [`Clock::mono_ns`], or before it is woken.
    At(u64),
    /// Nothing is to do before it is woken.
    WhenWoken,
    /// It has ended: it gets no further turn, and is shown no more.
    Ended,
}

impl Next {
    /// After this time, counted from the beginning of the turn.
    #[must_use]
    pub fn after(now: Now, time: Duration) -> Self {
        Self::At(now.mono_ns.saturating_add(nanos(time)))
    }

    /// At the beginning of the next second of the wall clock. A worker that follows that clock
    /// checks it this often, since it may be set; and all such workers wake together.
    #[must_use]
    pub fn at_next_second(now: Now) -> Self {
        let into_second = Duration::from_nanos(u64::from(now.wall.ns()));
        Self::after(now, Duration::from_secs(1).saturating_sub(into_second))
    }

    /// The sooner of two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::More, _) | (_, Self::More) => Self::More,
            (Self::At(a), Self::At(b)) => Self::At(a.min(b)),
            (Self::At(at), _) | (_, Self::At(at)) => Self::At(at),
            (Self::WhenWoken, _) | (_, Self::WhenWoken) => Self::WhenWoken,
            (Self::Ended, Self::Ended) => Self::Ended,
        }
    }
}

/// A piece of work of the server that continues until the process ends. See the module.
pub trait Worker: Send + 'static {
    type Error: Display;

    /// Does a piece of the work: some ten milliseconds, since others share the thread.
    ///
    /// # Errors
    /// The work failed. It is done by a later turn: an error loses nothing.
    fn turn(&mut self, now: Now) -> Result<Next, Self::Error>;

    /// Called before the turn that follows an error or a panic. After a panic the state may be half
    /// changed: it is rebuilt from the saved state.
    ///
    /// # Errors
    /// When that cannot be read. It counts as a failed turn.
    fn reload(&mut self, after: WorkerFailure) -> Result<(), Self::Error>;

    /// Leaves out the row at which the last turns failed and gives its name for the operator; `None` where no row is
    /// the cause, as when the database is away. Called before [`Worker::reload`].
    fn put_aside(&mut self) -> Option<String> {
        None
    }

    /// Saves state that a start would otherwise have to rebuild, after a last turn if it needs one.
    /// Called once, when the process stops; after a panic without [`Worker::reload`].
    ///
    /// # Errors
    /// When it could not be saved. The process ends all the same.
    fn stop(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// How the last turn failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkerFailure {
    Error,
    Panic,
}

/// The policy for a panic in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnPanic {
    /// It is a failure: counted, logged, and the worker reloads.
    Reload,
    /// The server stops, because nothing works without this worker.
    StopServer,
}

/// A row of the table of workers: the name, the purpose, and the policy for failures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkerRow {
    /// Label `worker` of the metrics, and the part of `/health`. Workers of which there are several, made while the
    /// process runs, have names of their own ([`WorkerGroup::add_named`]).
    pub name: &'static str,
    /// Its job, for operators.
    pub job: &'static str,
    /// The causes of its turns, for operators.
    pub woken_by: &'static str,
    /// The work that waits while it fails, as in *new problems wait to be correlated*.
    pub waits: &'static str,
    pub on_panic: OnPanic,
}

/// Wakes one worker; a clone wakes the same. It costs an atomic operation where the worker is awake or woken already.
#[derive(Clone, Debug)]
pub struct Wake(Arc<Bell>);

#[derive(Debug)]
struct Bell {
    is_woken: AtomicBool,
    /// When it was first woken since its last turn, in monotonic nanoseconds.
    woken_ns: AtomicU64,
    clock: Clock,
    /// Of the thread that gives the turns.
    thread: Shutdown,
}

impl Wake {
    fn new(clock: Clock, thread: Shutdown) -> Self {
        let (is_woken, woken_ns) = (AtomicBool::new(false), AtomicU64::new(0));
        Self(Arc::new(Bell { is_woken, woken_ns, clock, thread }))
    }

    /// Asks for a turn.
    pub fn wake(&self) {
        let bell = &*self.0;
        if bell.is_woken.load(Ordering::Acquire) {
            return;
        }
        bell.woken_ns.store(bell.clock.mono_ns(), Ordering::Relaxed);
        if !bell.is_woken.swap(true, Ordering::AcqRel) {
            bell.thread.nudge();
        }
    }

    fn is_woken(&self) -> bool {
        self.0.is_woken.load(Ordering::Acquire)
    }

    /// Since when it is woken; from here on it counts as not woken.
    fn take(&self) -> Option<u64> {
        let was_woken = self.0.is_woken.swap(false, Ordering::AcqRel);
        was_woken.then(|| self.0.woken_ns.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests;
