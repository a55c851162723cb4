//! Common parts of a server, and the groups of its tasks.

use engine::workers::ScriptProcesses;
use outgoing::Outgoing;
use rt::clock::Clock;
use rt::health::Health;
use rt::lanes::Lanes;
use rt::metrics::Registry;
use rt::task::Tasks;
use rt::worker::{GroupContext, Roster, WorkerMetrics};

use super::encryption::Encryption;
use crate::settings::Settings;
use data_dir::DataDir;

/// Common parts of a server.
pub(super) struct Base {
    pub(super) settings: Settings,
    pub(super) data_dir: DataDir,
    pub(super) encryption: Encryption,
    pub(super) n_shards: u16,
    pub(super) clock: Clock,
    pub(super) registry: Registry,
    /// Present health issues, shown at `/health`.
    pub(super) health: Health,
    pub(super) root: Tasks,
    /// The workers that run.
    pub(super) roster: Roster,
    pub(super) outgoing: Outgoing,
    pub(super) script_processes: ScriptProcesses,
    pub(super) lanes: ServerLanes,
}

/// Threads that wait for sockets.
#[derive(Clone)]
pub(super) struct ServerLanes {
    /// Of senders and active agents, and of syslog by TCP.
    pub(super) senders: Lanes,
    /// Of pages, the API and pushes over HTTP.
    pub(super) http: Lanes,
    /// Of collectors, which ask devices.
    pub(super) polls: Lanes,
}

impl Base {
    /// The surroundings of workers that stop with these tasks.
    pub(super) fn worker_context(&self, tasks: &Tasks) -> GroupContext {
        GroupContext {
            tasks: tasks.clone(),
            clock: self.clock.clone(),
            health: self.health.clone(),
            metrics: WorkerMetrics::register(&self.registry),
            roster: self.roster.clone(),
        }
    }
}

/// Groups of tasks by when they stop.
pub(super) struct Groups {
    pub(super) root: Tasks,
    /// Sockets and polls: stop first.
    pub(super) input: Tasks,
    /// Shards and their helpers: they stop after they have drained.
    pub(super) core: Tasks,
    /// Readers of the journal: stop when they have read it to its end.
    pub(super) readers: Tasks,
}
