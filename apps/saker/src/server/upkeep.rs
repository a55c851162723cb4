//! Work behind the path of values: group sync, flushes, checkpoints, retention of the journal,
//! and what is saved now and then.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use collect::trapper::Sessions;
use db::Db;
use history::{Embedded, Store};
use journal::{Journal, Lsn};
use rt::clock::Clock;
use rt::metrics::{Counter, TimeHistogram};
use rt::shutdown::Shutdown;
use tokio::sync::oneshot;
use tracing::{error, info, warn};

use super::checkpoint::{self, Blob, Kind};
use super::consumers::Cursors;
use super::open;
use super::shard::{Internal, Lanes};
use super::states::States;

/// Journal between two checkpoints: what a start has to apply at most, some five seconds of it.
const CHECKPOINT_BYTES: u64 = 512 << 20;
/// Between two looks at what is due.
const LOOK: Duration = Duration::from_secs(1);
/// Between two savings of what is saved now and then.
const SAVE_EACH_S: u64 = 60;

rt::metrics! {
    /// Work behind the path of values.
    pub(crate) struct UpkeepMetrics in "saker_upkeep" {
        /// Checkpoints written.
        pub(crate) checkpoints_total: Counter,
        /// Checkpoints that failed; the journal keeps what they would have held.
        pub(crate) checkpoint_failures_total: Counter,
        /// Time of a group sync of the journal, in seconds.
        pub(crate) sync_seconds: TimeHistogram,
    }
}

/// Syncs the journal each `interval` until shutdown, and once more then.
pub(super) fn sync_journal(
    journal: &Journal,
    interval: Duration,
    clock: &Clock,
    metrics: &UpkeepMetrics,
    shutdown: &Shutdown,
) {
    loop {
        let stopping = shutdown.wait(interval);
        let started_ns = clock.mono_ns();
        if let Err(error) = journal.sync_once() {
            error!(%error, "the journal cannot be synced; values wait until it can");
        }
        metrics.sync_seconds.observe_ns(clock.mono_ns().saturating_sub(started_ns));
        if stopping {
            return;
        }
    }
}

/// Flushes, checkpoints and retention.
#[derive(Clone)]
pub(super) struct Upkeep {
    pub(super) dir: PathBuf,
    pub(super) db: Db,
    pub(super) journal: Journal,
    pub(super) history: Embedded,
    pub(super) lanes: Lanes,
    pub(super) sessions: Arc<Sessions>,
    pub(super) states: Arc<States>,
    pub(super) cursors: Arc<Cursors>,
    /// The oldest position that the checkpoint on disk needs.
    pub(super) checkpoint_lsn: Arc<AtomicU64>,
    pub(super) clock: Clock,
    pub(super) metrics: UpkeepMetrics,
}

impl Upkeep {
    /// Does what is due until shutdown. Blocking.
    pub(super) fn run(&self, shutdown: &Shutdown) {
        let mut seconds = 0_u64;
        while !shutdown.wait(LOOK) {
            seconds += 1;
            self.history.observe();
            if self.history.flush_is_due() {
                self.flush();
            }
            let written = self.journal.next_lsn().0;
            if CHECKPOINT_BYTES < written - self.checkpoint_lsn.load(Ordering::Relaxed) {
                self.checkpoint();
            }
            self.retain();
            if seconds.is_multiple_of(SAVE_EACH_S) {
                self.save();
            }
        }
    }

    /// The last work: everything that a start would have to read back is saved.
    pub(super) fn finish(&self) {
        self.checkpoint();
        self.flush();
        self.save();
        self.retain();
    }

    fn flush(&self) {
        match self.history.flush_once() {
            Ok(Some(flushed)) => {
                let (values, bytes) = (flushed.n_values, flushed.file_bytes);
                info!(values, bytes, "wrote a history file");
            }
            Ok(None) => {}
            Err(error) => {
                error!(%error, "history cannot be written; its values stay in memory and journal");
            }
        }
    }

    /// Asks the shards for their partitions, one after another, so that none stands still for long.
    pub(super) fn checkpoint(&self) {
        let mut blobs = Vec::with_capacity(257);
        // Taken first: marks of later records are read back from the journal.
        let lsn = self.journal.next_lsn().0;
        let bytes = open::encode_sessions(&self.sessions);
        blobs.push(Blob { kind: Kind::Sessions, key: 0, lsn, bytes });
        if !self.barrier() {
            warn!("a checkpoint was given up: the shards have stopped");
            return;
        }
        for partition in 0..=u8::MAX {
            let (send, receive) = oneshot::channel();
            let shard = pipeline::shard_of(partition, self.lanes.len());
            self.lanes.send(shard, Internal::Checkpoint(partition, send));
            let Ok(state) = receive.blocking_recv() else {
                warn!("a checkpoint was given up: the shards have stopped");
                return;
            };
            let (key, lsn, bytes) = (state.partition, state.lsn, state.bytes);
            blobs.push(Blob { kind: Kind::Partition, key, lsn, bytes });
        }
        let oldest = blobs.iter().map(|it| it.lsn).min().unwrap_or(0);
        // A checkpoint must not know more than a journal that a power cut shortened.
        let written = self
            .journal
            .sync_once()
            .map_err(|error| error.to_string())
            .and_then(|_lsn| checkpoint::write(&self.dir, &blobs).map_err(|it| it.to_string()));
        match written {
            Ok(()) => {
                self.metrics.checkpoints_total.inc();
                self.checkpoint_lsn.store(oldest, Ordering::Relaxed);
            }
            Err(error) => {
                self.metrics.checkpoint_failures_total.inc();
                error!(%error, "the checkpoint cannot be written; the journal keeps its state");
            }
        }
    }

    /// Waits until everything that records so far forwarded is in the queues of its receivers, in
    /// front of what is asked of them next: so the checkpoint holds it, and a start need not look
    /// for it in older records. `false` if the shards have stopped.
    fn barrier(&self) -> bool {
        let answers: Vec<_> = (0..self.lanes.len())
            .map(|shard| {
                let (send, receive) = oneshot::channel();
                self.lanes.send(shard, Internal::Barrier(send));
                receive
            })
            .collect();
        answers.into_iter().all(|it| it.blocking_recv().is_ok())
    }

    /// Lets the journal go of what nobody needs any more.
    fn retain(&self) {
        let needed = [
            self.history.cursor().0,
            self.checkpoint_lsn.load(Ordering::Relaxed),
            self.cursors.events.load(Ordering::Relaxed),
            self.cursors.discovery.load(Ordering::Relaxed),
        ];
        let oldest = needed.into_iter().min().unwrap_or(0);
        if let Err(error) = self.journal.set_retention(Lsn(oldest)) {
            warn!(%error, "old files of the journal cannot be removed");
        }
    }

    fn save(&self) {
        let now = self.clock.wall();
        self.db.events().expire(now);
        if let Err(error) = self.db.lld_sweep(now) {
            warn!(%error, "lost discovered objects cannot be removed");
        }
        if let Err(error) = self.db.audit().expire(now) {
            warn!(%error, "old records of the audit log cannot be removed");
        }
        if let Err(error) = self.db.flush() {
            warn!(%error, "the database cannot be brought up to date");
        }
        let snapshot = self.db.snapshot();
        self.states
            .retain(|item| snapshot.item(item).is_some(), |it| snapshot.trigger(it).is_some());
    }
}
