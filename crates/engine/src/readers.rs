//! Readers of the journal that carry its results into other stores: events and discovery into the relational
//! one, values into stores of history that are fed from the journal.
//!
//! Each follows the journal from a position that the store keeps in the same transaction as what
//! was applied; after a crash it goes on there, and applying twice changes nothing. The order of
//! the journal is the order of event ids, so events become visible in the order of their ids. A
//! store that is away only makes its reader wait: the journal keeps what the store does not have.
//!
//! A reader ([`EventFeed`], [`DiscoveryFeed`]) does its work in turns, without threads and without
//! waiting, over a sink that stands for the store; [`crate::runner::run_reader`] is the thread
//! around it. No reader ends before the server does: it reports failures at `/health`, and tries
//! again or waits for the operator, as [`journal::ErrorAction`] decides.

pub mod discovery;
pub mod events;
pub mod follower;
mod stores;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rt::metrics::{Counter, Family, Gauge};
use rt::shutdown::Shutdown;
use serde::{Deserialize, Serialize};

pub use discovery::DiscoveryFeed;
pub use events::EventFeed;
pub use follower::{ReaderParts, ReaderWork};
pub use stores::StoreFeed;

/// The most bytes of journal read in one turn.
const STRIDE_BYTES: u64 = 4 << 20;

rt::metrics! {
    /// Readers of the journal.
    pub struct ReaderMetrics in "saker_reader" {
        /// Events handed to the relational store.
        pub events_total: Counter,
        /// Discovery results applied.
        pub discoveries_total: Counter,
        /// Discovery results that can never be applied, by reason: "gone" (the rule was deleted),
        /// "refused" (by the configuration, or by the database for what they hold), "panic" (a bug).
        pub discoveries_failed_total: Family<Counter> = "reason",
        /// Records, and rows of records, that could not be read and were skipped.
        pub damaged_total: Counter,
        /// Times that a reader had to try again later, by reader: journal or database were away.
        pub retries_total: Family<Counter> = "reader",
        /// Times that the operator let a reader go on after a gap, by reader.
        pub gaps_accepted_total: Family<Counter> = "reader",
        /// Bytes of journal between its end and what the relational store has of its events.
        pub events_lag_bytes: Gauge,
        /// Bytes of journal between its end and what was applied of its discovery results.
        pub discovery_lag_bytes: Gauge,
    }
}

/// Wakes a reader: a record holds something for it. A wake-up during a turn, or before there is a
/// thread, causes one more turn.
#[derive(Clone, Debug, Default)]
pub struct ReaderWake(Arc<Mutex<WakeState>>);

#[derive(Debug, Default)]
struct WakeState {
    is_woken: bool,
    /// The handle that the reader's thread waits with.
    thread: Option<Shutdown>,
}

impl ReaderWake {
    pub fn wake(&self) {
        let thread = {
            let mut state = self.lock();
            if std::mem::replace(&mut state.is_woken, true) {
                return;
            }
            state.thread.clone()
        };
        // Without the lock: the thread takes it while it holds its own.
        if let Some(thread) = thread {
            thread.nudge();
        }
    }

    /// From now on it wakes who waits with this token.
    pub(crate) fn reach(&self, thread: &Shutdown) {
        self.lock().thread = Some(thread.clone());
    }

    pub(crate) fn is_woken(&self) -> bool {
        self.lock().is_woken
    }

    /// A turn begins: it sees the changes that woke the reader.
    pub(crate) fn answer(&self) {
        self.lock().is_woken = false;
    }

    fn lock(&self) -> MutexGuard<'_, WakeState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far one reader is.
#[derive(Debug, Default)]
pub struct Progress {
    /// The store has saved everything up to here: the journal keeps later records. 0, which keeps
    /// everything, until the reader has found its place in the journal.
    saved: AtomicU64,
    /// Up to here nothing is left to do, though an idle stretch need not be saved yet.
    done: AtomicU64,
    /// It was at the journal's end with nothing left to do, and waits to be woken: records written
    /// since are not for it.
    is_idle: AtomicBool,
}

impl Progress {
    pub fn saved(&self) -> u64 {
        self.saved.load(Ordering::Relaxed)
    }

    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    fn begin_turn(&self) {
        self.is_idle.store(false, Ordering::Relaxed);
    }

    fn idle(&self) {
        self.is_idle.store(true, Ordering::Relaxed);
    }

    fn keep_all(&self) {
        self.set(0, 0);
    }

    fn set(&self, saved: u64, done: u64) {
        self.saved.store(saved, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
    }
}

/// How far the readers are, and what they miss.
#[derive(Debug)]
pub struct Cursors {
    readers: BTreeMap<&'static str, Arc<Progress>>,
    gaps: Mutex<BTreeMap<&'static str, GapState>>,
}

/// A reader whose place the journal does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReaderGap {
    pub reader: String,
    /// Where it should go on, and what the journal holds.
    pub cursor: u64,
    pub first: u64,
    pub next: u64,
}

#[derive(Debug)]
struct GapState {
    gap: ReaderGap,
    is_accepted: bool,
}

/// The readers of a server.
pub const NAMES: [&str; 2] = [events::NAME, discovery::NAME];

impl Default for Cursors {
    fn default() -> Self {
        Self::of(&NAMES)
    }
}

impl Cursors {
    /// All readers that will be: the journal keeps everything until each has found its place.
    #[must_use]
    pub fn of(readers: &[&'static str]) -> Self {
        let readers = readers.iter().map(|it| (*it, Arc::default())).collect();
        Self { readers, gaps: Mutex::default() }
    }

    /// One reader's.
    ///
    /// # Panics
    /// If it was not named when this was made: then the journal would not be kept for it.
    #[must_use]
    pub fn reader(&self, name: &str) -> &Arc<Progress> {
        self.readers.get(name).expect("readers are named before they begin")
    }

    /// Records before this are saved by all readers.
    #[must_use]
    pub fn saved(&self) -> u64 {
        self.readers.values().map(|it| it.saved()).min().unwrap_or(u64::MAX)
    }

    /// Before this no reader has anything left to do; records written since its last turn do not
    /// count.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.readers.values().map(|it| it.done()).min().unwrap_or(u64::MAX)
    }

    /// Bytes of journal, which ends at `end`, in which some reader may have something left to do.
    #[must_use]
    pub fn lag_bytes(&self, end: u64) -> u64 {
        let at_work = self.readers.values().filter(|it| !it.is_idle.load(Ordering::Relaxed));
        at_work.map(|it| end.saturating_sub(it.done())).max().unwrap_or(0)
    }

    /// Lets all readers that miss something go on with what the journal has; gives what they missed.
    pub fn accept_gaps(&self) -> Vec<ReaderGap> {
        let mut gaps = self.gaps();
        gaps.values_mut().for_each(|it| it.is_accepted = true);
        gaps.values().map(|it| it.gap.clone()).collect()
    }

    fn record_gap(&self, reader: &'static str, gap: ReaderGap) {
        self.gaps().insert(reader, GapState { gap, is_accepted: false });
    }

    /// Whether the operator lets the reader go on.
    fn is_gap_accepted(&self, reader: &str) -> bool {
        self.gaps().get(reader).is_some_and(|it| it.is_accepted)
    }

    fn closed(&self, reader: &str) {
        self.gaps().remove(reader);
    }

    fn gaps(&self) -> MutexGuard<'_, BTreeMap<&'static str, GapState>> {
        self.gaps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A store's data about the journal of its position.
pub trait JournalOfSink {
    /// [`journal::Journal::identity`]; 0 if none was saved.
    ///
    /// # Errors
    /// Asked again later.
    fn journal_identity(&self) -> Result<u32, SinkError>;
    /// From here on positions are of this journal.
    ///
    /// # Errors
    /// Asked again later.
    fn set_journal_identity(&self, identity: u32) -> Result<(), SinkError>;
}

/// Why a sink did not do what it was asked for.
pub type SinkError = Box<dyn Error + Send + Sync>;

/// The result of a reader's turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReaderTurn {
    /// There is more to do.
    More,
    /// It is at the journal's end and waits to be woken.
    Idle,
    /// It is at the journal's end, and also waits for a condition that does not wake it: it checks
    /// again soon.
    Poll,
    /// The same, but new records do not wake it: they gather.
    Gather,
    /// Something is away: the same again, after a pause.
    Retry,
    /// The same, after this pause.
    RetryAfter(Duration),
    /// Nothing is done before the operator has done something.
    Halted,
}
