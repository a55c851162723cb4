//! Work behind the path of values: group sync, flushes, checkpoints, retention of the journal,
//! and what is saved now and then.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use history::Feeder;
use ingress::Sessions;
use journal::{Journal, Lsn};
use model::Time;
use pipeline::Checkpoint;
use rt::clock::Clock;
use rt::metrics::{Counter, TimeHistogram};
use rt::shutdown::Shutdown;
use thiserror::Error;
use tokio::sync::oneshot;
use tracing::{info, warn};

use crate::checkpoint::{Blob, CheckpointError, Checkpoints, Kind, Writing};
use crate::mailboxes::{Internal, Mailboxes};
use crate::readers::Cursors;
use crate::replay;
use crate::troubles::{Troubles, Work};
use crate::values::Values;

/// Journal between two checkpoints: what a start has to apply at most, some five seconds of it.
const CHECKPOINT_BYTES: u64 = 512 << 20;
/// Between two looks at what is due.
const LOOK: Duration = Duration::from_secs(1);
/// Between two savings of what is saved now and then.
const SAVE_EACH_S: u64 = 60;
/// Looks that are let go by after a checkpoint or a history file could not be written: a disk that is
/// full is not kept busy with attempts.
const LOOKS_AFTER_FAILURE: u64 = 10;
/// Partitions that each shard is asked for at a time while values come in, so that none stands
/// still for long.
const ASKED_GENTLY: usize = 1;
/// At a stop, this many values or fewer are still written to a history file; the next start reads more
/// of them back from the journal.
const FLUSHED_AT_STOP: u64 = 1_000_000;

rt::metrics! {
    /// Work behind the path of values.
    pub struct HousekeepingMetrics in "saker_upkeep" {
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

/// Syncs the journal each `interval` until shutdown, and once more then.
pub fn sync_journal(
    journal: &Journal,
    interval: Duration,
    clock: &Clock,
    (metrics, troubles): (&HousekeepingMetrics, &Troubles),
    shutdown: &Shutdown,
) {
    loop {
        let stopping = shutdown.wait(interval);
        let started_ns = clock.mono_ns();
        match journal.sync_once() {
            Ok(_lsn) => troubles.end(Work::Sync),
            Err(error) => troubles.begin(Work::Sync, &error),
        }
        metrics.sync_seconds.observe_ns(clock.mono_ns().saturating_sub(started_ns));
        if stopping {
            return;
        }
    }
}

/// What the owner of the engine does now and then, at the given time: what it keeps elsewhere.
pub type Chores = Arc<dyn Fn(Time) + Send + Sync>;

/// Flushes, checkpoints and retention.
#[derive(Clone)]
pub struct Housekeeper {
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

opaque_debug!(Housekeeper);

/// Why there is no checkpoint.
#[derive(Debug, Error)]
enum Unfinished {
    #[error(transparent)]
    File(#[from] CheckpointError),
    #[error(transparent)]
    Journal(#[from] journal::Error),
    #[error("the shards have stopped")]
    Shards,
    #[error("the server stops; another one follows")]
    GivenUp,
}

impl Housekeeper {
    /// Does what is due until shutdown. Blocking.
    pub fn run(&self, shutdown: &Shutdown) {
        let mut looks = 0_u64;
        let (mut flush_from, mut checkpoint_from) = (0, 0);
        while !shutdown.wait(LOOK) {
            looks += 1;
            self.history.observe();
            if self.history.flush_is_due() && flush_from <= looks && !self.flush() {
                flush_from = looks + LOOKS_AFTER_FAILURE;
            }
            let written = self.journal.next_lsn().0;
            if CHECKPOINT_BYTES < written - self.checkpoints.newest()
                && checkpoint_from <= looks
                && !self.checkpoint(ASKED_GENTLY, Some(shutdown))
            {
                checkpoint_from = looks + LOOKS_AFTER_FAILURE;
            }
            self.retain();
            if looks.is_multiple_of(SAVE_EACH_S) {
                self.save();
            }
        }
    }

    /// The last work: what takes a start longer to read back than it takes to save now.
    pub fn finish(&self) {
        // No values come any more: the shards have nothing better to do.
        self.checkpoint(usize::from(u8::MAX) + 1, None);
        // Reading values back is several times as fast as writing a file of them.
        if self.history.n_values_unflushed() <= FLUSHED_AT_STOP {
            self.flush();
        }
        self.save();
        self.retain();
    }

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

    /// Writes a checkpoint, after the one that is being written, if any; gives up when `shutdown` is
    /// wished. Each shard is asked for so many partitions at a time. `false` if there is none.
    fn checkpoint(&self, n_asked: usize, shutdown: Option<&Shutdown>) -> bool {
        let started_ns = self.clock.mono_ns();
        let written = self.write_checkpoint(n_asked, shutdown);
        let spent_ns = self.clock.mono_ns().saturating_sub(started_ns);
        match written {
            Ok(bytes) => {
                self.metrics.checkpoints_total.inc();
                self.metrics.checkpoint_seconds.observe_ns(spent_ns);
                info!(bytes, spent_ms = spent_ns / 1_000_000, "wrote a checkpoint");
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

    fn write_checkpoint(
        &self,
        n_asked: usize,
        shutdown: Option<&Shutdown>,
    ) -> Result<usize, Unfinished> {
        let mut writing = self.checkpoints.begin()?;
        // Taken first: marks of later records are read back from the journal.
        let lsn = self.journal.next_lsn().0;
        let bytes = replay::encode_sessions(&self.sessions);
        let mut n_bytes = bytes.len();
        writing.put(&Blob { kind: Kind::Sessions, key: 0, lsn, bytes })?;
        if !self.barrier() {
            return Err(Unfinished::Shards);
        }
        // The shards work side by side, so their partitions take turns.
        let n_shards = self.mailboxes.n_shards();
        let mut by_turn: Vec<(usize, u16, u8)> = Vec::new();
        let mut n_of_shard = vec![0; n_shards.into()];
        for partition in 0..=u8::MAX {
            let shard = pipeline::shard_of(partition, n_shards);
            let Some(turn) = n_of_shard.get_mut(usize::from(shard)) else { continue };
            by_turn.push((*turn, shard, partition));
            *turn += 1;
        }
        by_turn.sort_unstable();
        let n_under_way = n_asked * usize::from(n_shards);
        let mut asked = VecDeque::new();
        for (_, shard, partition) in by_turn {
            if shutdown.is_some_and(Shutdown::is_cancelled) {
                return Err(Unfinished::GivenUp);
            }
            if n_under_way <= asked.len()
                && let Some(oldest) = asked.pop_front()
            {
                n_bytes += self.put_state(&mut writing, oldest)?;
            }
            let (send, receive) = oneshot::channel();
            self.mailboxes.send(shard, Internal::Checkpoint(partition, send));
            asked.push_back(receive);
        }
        for answer in asked {
            n_bytes += self.put_state(&mut writing, answer)?;
        }
        // A checkpoint must not know more than a journal that a power cut shortened.
        self.journal.sync_once()?;
        writing.finish()?;
        Ok(n_bytes)
    }

    /// Writes the state of a partition; how many bytes it has.
    fn put_state(
        &self,
        writing: &mut Writing<'_>,
        answer: oneshot::Receiver<Checkpoint>,
    ) -> Result<usize, Unfinished> {
        let state = answer.blocking_recv().map_err(|_gone| Unfinished::Shards)?;
        let (key, lsn, bytes) = (state.partition, state.lsn, state.bytes);
        let n_bytes = bytes.len();
        writing.put(&Blob { kind: Kind::Partition, key, lsn, bytes })?;
        self.progress.fetch_add(1, Ordering::Relaxed);
        Ok(n_bytes)
    }

    /// Waits until everything that records so far forwarded is in the queues of its receivers, in
    /// front of what is asked of them next: so the checkpoint holds it, and a start need not look
    /// for it in older records. `false` if the shards have stopped.
    fn barrier(&self) -> bool {
        let answers: Vec<_> = (0..self.mailboxes.n_shards())
            .map(|shard| {
                let (send, receive) = oneshot::channel();
                self.mailboxes.send(shard, Internal::Barrier(send));
                receive
            })
            .collect();
        answers.into_iter().all(|it| it.blocking_recv().is_ok())
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
