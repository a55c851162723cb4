//! What runs in the server: the threads that give workers their turns.

use rt::task::TaskError;
use rt::worker::{Group, GroupContext, WorkerMetrics};

use super::base::{Base, Groups};

const TIMERS: &str = "timers";
const FOLLOWERS: &str = "followers";

/// The threads of workers, until they are started.
pub(super) struct Threads {
    /// Of workers that need nothing but memory: they go on while the database is away.
    pub(super) timers: Group,
    /// Of workers that read and write the database.
    pub(super) followers: Group,
}

impl Threads {
    pub(super) fn new(base: &Base, groups: &Groups) -> Self {
        let context = GroupContext {
            tasks: groups.input.clone(),
            clock: base.clock.clone(),
            health: base.health.clone(),
            metrics: WorkerMetrics::register(&base.registry),
            roster: base.roster.clone(),
        };
        Self { timers: Group::new(TIMERS, &context), followers: Group::new(FOLLOWERS, &context) }
    }

    /// # Errors
    /// When the operating system refuses a thread.
    pub(super) fn start(self) -> Result<(), TaskError> {
        self.timers.start()?;
        self.followers.start()
    }
}
