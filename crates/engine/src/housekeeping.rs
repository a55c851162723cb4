//! Work outside the path of values: group sync, flushes, merging and expiry of history files,
//! checkpoints, retention of the journal, and state that is saved periodically.
//!
//! All of it is done in turns that wait only for the disk. A checkpoint takes many: while it is
//! under way ([`CheckpointRun`]) the shards answer when they get to it. They may be waiting for
//! room on the disk, which retention makes: so everything else goes on while a checkpoint waits for
//! them.

mod checkpoint_run;
mod parts;

use std::sync::Arc;
use std::time::Duration;

use journal::{Journal, Lsn};
use rt::clock::{Clock, nanos};
use tracing::{info, warn};

use crate::health_issues::{HealthIssues, Work};
use crate::turn::Turn;
use checkpoint_run::{CheckpointRun, Progressed, Unfinished, Written};

pub use parts::{HousekeeperParts, HousekeepingMetrics, JournalHold, PeriodicJobs};

/// Journal between two checkpoints. It bounds the replay of a start to some five seconds; when it
/// is reached, a checkpoint is written.
const CHECKPOINT_BYTES: u64 = 512 << 20;
/// The interval between two checks of due work.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Checks between two runs of the periodic jobs.
const SAVE_EACH_CHECKS: u64 = 60;
/// After a piece of merging history files so many times its time is left to others: it takes a quarter
/// of a core and of the disk at most.
const MAINTENANCE_PAUSE: u64 = 3;
/// Checks that are let go by after a checkpoint or a history file could not be written or merged: a disk that is
/// full is not kept busy with attempts.
const CHECKS_AFTER_FAILURE: u64 = 10;
/// Partitions that each shard is asked for at a time while values come in, so that none stands
/// still for long.
const ASKED_WHILE_VALUES_COME: usize = 1;
/// At a stop, this many values or fewer are still written to a history file; the next start reads more
/// of them back from the journal.
const FLUSHED_AT_STOP: u64 = 1_000_000;

/// Syncs the journal now and then.
#[derive(Clone)]
pub struct JournalSync {
    pub journal: Journal,
    pub clock: Clock,
    pub metrics: HousekeepingMetrics,
    pub issues: Arc<HealthIssues>,
}

opaque_debug!(JournalSync);

impl JournalSync {
    /// One sync.
    pub fn turn(&self) {
        let started_ns = self.clock.mono_ns();
        match self.journal.sync_once() {
            Ok(_lsn) => self.issues.end(Work::Sync),
            Err(error) => self.issues.begin(Work::Sync, &error),
        }
        self.metrics.sync_seconds.observe_ns(self.clock.mono_ns().saturating_sub(started_ns));
    }
}

impl HousekeeperParts {
    /// `false` if it failed.
    fn flush(&self) -> bool {
        match self.history.flush_once() {
            Ok(Some(flushed)) => {
                let (values, bytes) = (flushed.n_values, flushed.file_bytes);
                info!(values, bytes, "wrote a history file");
                self.issues.end(Work::History);
                true
            }
            Ok(None) => true,
            Err(error) => {
                self.issues.begin(Work::History, &error);
                false
            }
        }
    }

    /// A piece of the work that keeps history files in order; whether there is more, or the failure.
    fn maintain(&self) -> history::Result<bool> {
        let maintained = self.history.maintain(self.clock.now());
        match &maintained {
            Ok(_) => self.issues.end(Work::HistoryFiles),
            Err(error) => self.issues.begin(Work::HistoryFiles, error),
        }
        match self.history.shortfall() {
            Some(shortfall) => self.issues.begin(Work::HistoryBudget, &shortfall),
            None => self.issues.end(Work::HistoryBudget),
        }
        maintained
    }

    /// Reports how a checkpoint ended; `false` if there is none.
    fn report(&self, ended: Result<Written, Unfinished>) -> bool {
        match ended {
            Ok(Written { n_bytes, spent_ns }) => {
                self.metrics.checkpoints_total.inc();
                self.metrics.checkpoint_seconds.observe_ns(spent_ns);
                info!(bytes = n_bytes, spent_ms = spent_ns / 1_000_000, "wrote a checkpoint");
                self.issues.end(Work::Checkpoint);
                self.issues.end(Work::FormerCheckpoint);
                true
            }
            Err(error @ (Unfinished::Shards | Unfinished::GivenUp)) => {
                info!(%error, "a checkpoint was given up");
                false
            }
            Err(error) => {
                self.metrics.checkpoint_failures_total.inc();
                self.issues.begin(Work::Checkpoint, &error);
                false
            }
        }
    }

    /// Lets the journal drop records that no reader needs any more.
    fn retain(&self) {
        let needed = [
            self.stores.needed(self.clock.mono_ns()).0,
            self.checkpoints.needed(),
            self.cursors.saved(),
            (self.exports)(self.clock.wall()).0,
        ];
        let oldest = needed.into_iter().min().unwrap_or(0);
        if let Err(error) = self.journal.set_retention(Lsn(oldest)) {
            warn!(%error, "old files of the journal cannot be removed");
        }
    }

    fn save(&self) {
        (self.jobs)(self.clock.wall());
    }
}

/// Flushes, checkpoints and retention, while values come in.
pub struct Housekeeper {
    parts: HousekeeperParts,
    next_check_ns: u64,
    n_checks: u64,
    /// When values were written to a file last, or the server began.
    flushed_ns: u64,
    /// Not before this check.
    flush_from: u64,
    checkpoint_from: u64,
    maintain_from: u64,
    /// When history files are to be worked on next, if work is left.
    maintenance_ns: Option<u64>,
    checkpoint: Option<Box<CheckpointRun>>,
}

opaque_debug!(Housekeeper);

impl Housekeeper {
    #[must_use]
    pub fn new(parts: HousekeeperParts) -> Self {
        let flushed_ns = parts.clock.mono_ns();
        let next_check_ns = flushed_ns.saturating_add(nanos(CHECK_INTERVAL));
        Self {
            parts,
            next_check_ns,
            flushed_ns,
            n_checks: 0,
            flush_from: 0,
            checkpoint_from: 0,
            maintain_from: 0,
            maintenance_ns: None,
            checkpoint: None,
        }
    }

    /// Does a piece of the checkpoint that is being written, or what is due. Waits `wait_max` at most for the
    /// answer of a shard.
    pub fn turn(&mut self, wait_max: Duration) -> Turn {
        let Some(run) = self.checkpoint.take() else { return self.turn_without_checkpoint() };
        match run.turn(&self.parts, wait_max) {
            Ok(Progressed::Ongoing(run, turn)) => {
                self.checkpoint = Some(run);
                if turn == Turn::More {
                    return turn;
                }
                match self.turn_without_checkpoint() {
                    Turn::Idle(_) => turn,
                    other => other,
                }
            }
            Ok(Progressed::Written(written)) => {
                self.checkpoint_ended(Ok(written));
                Turn::More
            }
            Err(error) => {
                self.checkpoint_ended(Err(error));
                Turn::More
            }
        }
    }

    fn turn_without_checkpoint(&mut self) -> Turn {
        let now_ns = self.parts.clock.mono_ns();
        if self.next_check_ns <= now_ns {
            self.check();
            self.next_check_ns = self.parts.clock.mono_ns().saturating_add(nanos(CHECK_INTERVAL));
            return Turn::More;
        }
        if self.maintenance_ns.is_some_and(|it| it <= now_ns) {
            self.maintain();
            return Turn::More;
        }
        let next_ns = self.maintenance_ns.unwrap_or(u64::MAX).min(self.next_check_ns);
        Turn::Idle(Duration::from_nanos(next_ns - now_ns))
    }

    fn maintain(&mut self) {
        let clock = &self.parts.clock;
        let started_ns = clock.mono_ns();
        let maintained = self.parts.maintain();
        let now_ns = clock.mono_ns();
        let pause_ns = now_ns.saturating_sub(started_ns).saturating_mul(MAINTENANCE_PAUSE);
        let goes_on = matches!(maintained, Ok(true));
        self.maintenance_ns = goes_on.then_some(now_ns.saturating_add(pause_ns));
        if maintained.is_err() {
            self.maintain_from = self.n_checks + CHECKS_AFTER_FAILURE;
        }
    }

    /// The server stops: the checkpoint under way is given up, for the last one to follow.
    pub fn give_up(&mut self) {
        if self.checkpoint.take().is_some() {
            self.parts.report(Err(Unfinished::GivenUp));
        }
    }

    /// Whether enough values have come together, or the first of them some time ago.
    fn flush_is_due(&self) -> bool {
        let HousekeeperParts { history, clock, flush_interval, .. } = &self.parts;
        let waited_ns = clock.mono_ns().saturating_sub(self.flushed_ns);
        let is_old = nanos(*flush_interval) <= waited_ns && 0 < history.n_values_unflushed();
        is_old || history.flush_is_due()
    }

    fn check(&mut self) {
        let parts = &self.parts;
        self.n_checks += 1;
        parts.history.observe();
        if self.flush_is_due() && self.flush_from <= self.n_checks {
            // Before the values are taken: those that come meanwhile are the next file's.
            let now_ns = self.parts.clock.mono_ns();
            if self.parts.flush() {
                self.flushed_ns = now_ns;
            } else {
                self.flush_from = self.n_checks + CHECKS_AFTER_FAILURE;
            }
        }
        if self.maintenance_ns.is_none() && self.maintain_from <= self.n_checks {
            self.maintain();
        }
        let parts = &self.parts;
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

/// The last work of a planned stop, once no values come in any more: state that takes a start
/// longer to read back than it takes to save now.
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
