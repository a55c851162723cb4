//! The parts of a shard's loop, and the state that it shares with the others.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use directory::FullPlan;
use ingress::{Deliveries, Sessions};
use journal::Journal;
use pipeline::cross_item::CrossItemQuery;
use pipeline::{Fetch, ForwardBatch, Shard};
use rt::clock::Clock;
use rt::queue::{Receiver, Sender};

use super::metrics::ShardMetrics;
use crate::checkpoint::Checkpoints;
use crate::fault_injection::InjectFaults;
use crate::health_issues::HealthIssues;
use crate::mailboxes::{Mailboxes, ShardMessage};
use crate::pause::Pause;
use crate::readers::ReaderWake;
use crate::states::States;
use crate::values::HeadWriter;
use crate::workers::JobQueue;

/// The largest record of a step, without the marks of senders and the frame around it.
pub const STEP_BYTES_MAX: usize = journal::RECORD_BYTES_MAX - (1 << 20);

/// The state that a shard's thread shares with the others.
#[derive(Clone)]
pub struct ShardContext {
    pub journal: Journal,
    /// Sync each record before it counts as written.
    pub sync_each: bool,
    pub mailboxes: Mailboxes,
    pub fetches: Sender<(u16, Fetch)>,
    pub jobs: Arc<JobQueue>,
    pub cross_item_queries: Sender<(u16, CrossItemQuery)>,
    pub sessions: Arc<Sessions>,
    pub events: ReaderWake,
    pub discovery: ReaderWake,
    pub clock: Clock,
    pub metrics: ShardMetrics,
    /// The hard stop: records that can't be written by then are given up.
    pub stop: Arc<dyn Pause>,
    /// Set once external input has ended ([`Self::drain`]), so that the threads may end too.
    pub drained: Arc<AtomicBool>,
    pub states: Arc<States>,
    pub issues: Arc<HealthIssues>,
    /// [`STEP_BYTES_MAX`].
    pub step_bytes_max: usize,
    /// A server has none.
    pub faults: Option<Arc<dyn InjectFaults>>,
}

opaque_debug!(ShardContext);

impl ShardContext {
    /// External input has ended: shards end when nothing is left to do, and those that answer them end at once.
    pub fn drain(&self) {
        self.drained.store(true, Ordering::Relaxed);
        // Wakes the thread if it waits for work.
        self.fetches.interrupt();
        self.cross_item_queries.interrupt();
        (0..self.mailboxes.n_shards()).for_each(|it| self.mailboxes.ingress.wake(it));
    }
}

/// The initial parts of one shard.
pub struct ShardParts {
    pub number: u16,
    pub n_shards: u16,
    pub shard: Shard,
    /// Its configuration.
    pub whole: FullPlan,
    /// Forwarded batches that were not taken.
    pub outbox: VecDeque<ForwardBatch>,
    pub deliveries: Deliveries,
    pub mailbox: Receiver<ShardMessage>,
    pub head: HeadWriter,
    pub checkpoints: Arc<Checkpoints>,
    pub context: ShardContext,
}

opaque_debug!(ShardParts);
