//! Work behind the path of values: group sync, flushes, checkpoints, retention of the journal,
//! and what is saved now and then.
//!
//! All of it is done in turns that wait for nobody but the disk. A checkpoint takes many: while it is under
//! way ([`CheckpointRun`]) the shards answer when they get to it.

mod checkpoint_run;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use history::Feeder;
use ingress::Sessions;
use journal::{Journal, Lsn};
use model::Time;
use rt::clock::{Clock, nanos};
use rt::metrics::{Counter, TimeHistogram};
use tracing::{info, warn};

use crate::checkpoint::Checkpoints;
use crate::mailboxes::Mailboxes;
use crate::readers::Cursors;
use crate::troubles::{Troubles, Work};
use crate::turn::Turn;
use crate::values::Values;
use checkpoint_run::{CheckpointRun, Progressed, Unfinished, Written};

/// Journal between two checkpoints: what a start has to apply at most, some five seconds of it.
const CHECKPOINT_BYTES: u64 = 512 << 20;
/// Between two checks of what is due.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Checks between two savings of what is saved now and then.
const SAVE_EACH_CHECKS: u64 = 60;
/// Checks that are let go by after a checkpoint or a history file could not be written: a disk that is
/// full is not kept busy with attempts.
const CHECKS_AFTER_FAILURE: u64 = 10;
/// Partitions that each shard is asked for at a time while values come in, so that none stands
/// still for long.
const ASKED_WHILE_VALUES_COME: usize = 1;
/// At a stop, this many values or fewer are still written to a history file; the next start reads more
/// of them back from the journal.
const FLUSHED_AT_STOP: u64 = 1_000_000;

rt::metrics! {
    /// Work behind the path of values.
    pub struct HousekeepingMetrics in "saker_housekeeper" {
        /// Checkpoints written.
        pub checkpoints_total: Counter,
        /// Checkpoints that failed; the journal keeps what they would have held.
        pub checkpoint_failures_total: Counter,
        /// Checkpoints that could not be read at the start; the one before was used.
        pub checkpoints_damaged_total: Counter,
        /// Time of a checkpoint, in seconds.
        pub checkpoint_seconds: TimeHistogram,
        /// Time of a group sync of the journal, in seconds.
        pub sync_seconds: TimeHistogram,
    }
}

/// Syncs the journal now and then.
#[derive(Clone)]
pub struct JournalSync {
    pub journal: Journal,
    pub clock: Clock,
    pub metrics: HousekeepingMetrics,
    pub troubles: Arc<Troubles>,
}

opaque_debug!(JournalSync);

impl JournalSync {
    /// One sync.
    pub fn turn(&self) {
        let started_ns = self.clock.mono_ns();
        match self.journal.sync_once() {
            Ok(_lsn) => self.troubles.end(Work::Sync),
            Err(error) => self.troubles.begin(Work::Sync, &error),
        }
        self.metrics.sync_seconds.observe_ns(self.clock.mono_ns().saturating_sub(started_ns));
    }
}

/// What the owner of the engine does now and then, at the given time: what it keeps elsewhere.
pub type Chores = Arc<dyn Fn(Time) + Send + Sync>;

/// What housekeeping works on.
#[derive(Clone)]
pub struct HousekeeperParts {
    pub journal: Journal,
    pub history: Values,
    /// All stores of values, that one among them.
    pub stores: Feeder,
    pub mailboxes: Mailboxes,
    pub sessions: Arc<Sessions>,
    pub cursors: Arc<Cursors>,
    pub checkpoints: Arc<Checkpoints>,
    pub troubles: Arc<Troubles>,
    /// Grows while a checkpoint is written: who waits for one sees by it that waiting helps.
    pub progress: Arc<AtomicU64>,
    /// What is saved now and then beside this.
    pub chores: Chores,
    pub clock: Clock,
    pub metrics: HousekeepingMetrics,
}

opaque_debug!(HousekeeperParts);

impl HousekeeperParts {
    /// `false` if it failed.
    fn flush(&self) -> bool {
        match self.history.flush_once() {
            Ok(Some(flushed)) => {
                let (values, bytes) = (flushed.n_values, flushed.file_bytes);
                info!(values, bytes, "wrote a history file");
                self.troubles.end(Work::History);
                true
            }
            Ok(None) => true,
            Err(error) => {
                self.troubles.begin(Work::History, &error);
                false
            }
        }
    }

    /// Tells how a checkpoint ended; `false` if there is none.
    fn report(&self, ended: Result<Written, Unfinished>) -> bool {
        match ended {
            Ok(Written { n_bytes, spent_ns }) => {
                self.metrics.checkpoints_total.inc();
                self.metrics.checkpoint_seconds.observe_ns(spent_ns);
                info!(bytes = n_bytes, spent_ms = spent_ns / 1_000_000, "wrote a checkpoint");
                self.troubles.end(Work::Checkpoint);
                self.troubles.end(Work::FormerCheckpoint);
                true
            }
            Err(error @ (Unfinished::Shards | Unfinished::GivenUp)) => {
                info!(%error, "a checkpoint was given up");
                false
            }
            Err(error) => {
                self.metrics.checkpoint_failures_total.inc();
                self.troubles.begin(Work::Checkpoint, &error);
                false
            }
        }
    }

    /// Lets the journal go of what nobody needs any more.
    fn retain(&self) {
        let needed = [self.stores.needed().0, self.checkpoints.needed(), self.cursors.saved()];
        let oldest = needed.into_iter().min().unwrap_or(0);
        if let Err(error) = self.journal.set_retention(Lsn(oldest)) {
            warn!(%error, "old files of the journal cannot be removed");
        }
    }

    fn save(&self) {
        (self.chores)(self.clock.wall());
    }
}

/// Flushes, checkpoints and retention, while values come in.
pub struct Housekeeper {
    parts: HousekeeperParts,
    next_check_ns: u64,
    n_checks: u64,
    /// Not before this check.
    flush_from: u64,
    checkpoint_from: u64,
    checkpoint: Option<Box<CheckpointRun>>,
}

opaque_debug!(Housekeeper);

impl Housekeeper {
    #[must_use]
    pub fn new(parts: HousekeeperParts) -> Self {
        let next_check_ns = parts.clock.mono_ns().saturating_add(nanos(CHECK_INTERVAL));
        let (n_checks, flush_from, checkpoint_from) = (0, 0, 0);
        Self { parts, next_check_ns, n_checks, flush_from, checkpoint_from, checkpoint: None }
    }

    /// Does what is due, or a piece of the checkpoint that is being written: nothing else is done
    /// meanwhile. Waits `wait_max` at most for the answer of a shard.
    pub fn turn(&mut self, wait_max: Duration) -> Turn {
        if let Some(run) = self.checkpoint.take() {
            return match run.turn(&self.parts, wait_max) {
                Ok(Progressed::Ongoing(run, turn)) => {
                    self.checkpoint = Some(run);
                    turn
                }
                Ok(Progressed::Written(written)) => {
                    self.checkpoint_ended(Ok(written));
                    Turn::More
                }
                Err(error) => {
                    self.checkpoint_ended(Err(error));
                    Turn::More
                }
            };
        }
        let now_ns = self.parts.clock.mono_ns();
        if now_ns < self.next_check_ns {
            return Turn::Idle(Duration::from_nanos(self.next_check_ns - now_ns));
        }
        self.check();
        self.next_check_ns = self.parts.clock.mono_ns().saturating_add(nanos(CHECK_INTERVAL));
        Turn::More
    }

    /// The server stops: the checkpoint under way is given up, for the last one to follow.
    pub fn give_up(&mut self) {
        if self.checkpoint.take().is_some() {
            self.parts.report(Err(Unfinished::GivenUp));
        }
    }

    fn check(&mut self) {
        let parts = &self.parts;
        self.n_checks += 1;
        parts.history.observe();
        if parts.history.flush_is_due() && self.flush_from <= self.n_checks && !parts.flush() {
            self.flush_from = self.n_checks + CHECKS_AFTER_FAILURE;
        }
        let written = parts.journal.next_lsn().0;
        if CHECKPOINT_BYTES < written - parts.checkpoints.newest()
            && self.checkpoint_from <= self.n_checks
        {
            self.begin_checkpoint();
        }
        self.parts.retain();
        if self.n_checks.is_multiple_of(SAVE_EACH_CHECKS) {
            self.parts.save();
        }
    }

    /// Begins a checkpoint, whatever the journal holds, unless one is being written.
    pub fn begin_checkpoint(&mut self) {
        if self.checkpoint.is_some() {
            return;
        }
        match CheckpointRun::begin(&self.parts, ASKED_WHILE_VALUES_COME) {
            // Another one is being written: the next check sees.
            Ok(run) => self.checkpoint = run,
            Err(error) => self.checkpoint_ended(Err(error)),
        }
    }

    fn checkpoint_ended(&mut self, ended: Result<Written, Unfinished>) {
        if self.parts.report(ended) {
            self.parts.retain();
        } else {
            self.checkpoint_from = self.n_checks + CHECKS_AFTER_FAILURE;
        }
    }
}

/// The last work of a planned stop, once no values come in any more: what takes a start longer to read
/// back than it takes to save now.
pub struct LastHousekeeping {
    parts: HousekeeperParts,
    checkpoint: Option<Box<CheckpointRun>>,
    is_checkpoint_over: bool,
}

opaque_debug!(LastHousekeeping);

impl LastHousekeeping {
    #[must_use]
    pub fn new(parts: HousekeeperParts) -> Self {
        Self { parts, checkpoint: None, is_checkpoint_over: false }
    }

    /// A piece of it; waits `wait_max` at most for the answer of a shard.
    pub fn turn(&mut self, wait_max: Duration) -> Turn {
        if !self.is_checkpoint_over {
            return match self.write_on(wait_max) {
                Ok(turn) => turn,
                Err(error) => self.checkpoint_ended(Err(error)),
            };
        }
        // Reading values back is several times as fast as writing a file of them.
        if self.parts.history.n_values_unflushed() <= FLUSHED_AT_STOP {
            self.parts.flush();
        }
        self.parts.save();
        self.parts.retain();
        Turn::Ended
    }

    fn write_on(&mut self, wait_max: Duration) -> Result<Turn, Unfinished> {
        let Some(run) = self.checkpoint.take() else {
            // The shards have nothing better to do.
            self.checkpoint = CheckpointRun::begin(&self.parts, usize::from(u8::MAX) + 1)?;
            return Ok(if self.checkpoint.is_some() { Turn::More } else { Turn::Full });
        };
        Ok(match run.turn(&self.parts, wait_max)? {
            Progressed::Ongoing(run, turn) => {
                self.checkpoint = Some(run);
                turn
            }
            Progressed::Written(written) => self.checkpoint_ended(Ok(written)),
        })
    }

    fn checkpoint_ended(&mut self, ended: Result<Written, Unfinished>) -> Turn {
        self.parts.report(ended);
        self.is_checkpoint_over = true;
        Turn::More
    }
}

#[cfg(test)]
mod tests;
