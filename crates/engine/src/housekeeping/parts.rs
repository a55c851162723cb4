//! The parts of housekeeping.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use history::Feeder;
use ingress::Sessions;
use journal::{Journal, Lsn};
use model::Time;
use rt::clock::Clock;
use rt::metrics::{Counter, TimeHistogram};

use crate::checkpoint::Checkpoints;
use crate::health_issues::HealthIssues;
use crate::mailboxes::Mailboxes;
use crate::readers::Cursors;
use crate::values::SharedLiveStore;

rt::metrics! {
    /// Work outside the path of values.
    pub struct HousekeepingMetrics in "saker_journal", formerly "saker_housekeeper" {
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

/// Jobs that the owner of the engine runs periodically, at the given time, for state that it keeps
/// elsewhere.
pub type PeriodicJobs = Arc<dyn Fn(Time) + Send + Sync>;

/// The oldest position of the journal that another reader needs, at the given time.
pub type JournalHold = Arc<dyn Fn(Time) -> Lsn + Send + Sync>;

/// The parts of housekeeping.
#[derive(Clone)]
pub struct HousekeeperParts {
    pub journal: Journal,
    pub history: SharedLiveStore,
    /// All stores of values, that one among them.
    pub stores: Feeder,
    pub mailboxes: Mailboxes,
    pub sessions: Arc<Sessions>,
    pub cursors: Arc<Cursors>,
    /// Of additional readers, which the owner of the engine has.
    pub exports: JournalHold,
    pub checkpoints: Arc<Checkpoints>,
    pub issues: Arc<HealthIssues>,
    /// Grows while a checkpoint is written: a caller that waits for one sees by it that waiting
    /// helps.
    pub progress: Arc<AtomicU64>,
    /// Jobs by which the owner saves periodically.
    pub jobs: PeriodicJobs,
    /// Values are written to files after so long at the latest.
    pub flush_interval: Duration,
    pub clock: Clock,
    pub metrics: HousekeepingMetrics,
}

opaque_debug!(HousekeeperParts);
