//! The process itself, as the API sees it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use api::ports::{Figures, Nvps, Process, ServerState};
use internals::figures::PublishedFigures;
use rt::health::{Health, HealthIssue};
use rt::metrics::Registry;
use rt::worker::{Roster, WorkerState};

/// How far the server is, for `/health`.
#[derive(Debug, Default)]
pub(super) struct StateCell(AtomicU8);

impl StateCell {
    pub(super) fn set(&self, state: ServerState) {
        let code = match state {
            ServerState::Starting => 0,
            ServerState::Replaying => 1,
            ServerState::Running => 2,
            ServerState::Stopping => 3,
        };
        self.0.store(code, Ordering::Relaxed);
    }

    fn get(&self) -> ServerState {
        match self.0.load(Ordering::Relaxed) {
            0 => ServerState::Starting,
            1 => ServerState::Replaying,
            2 => ServerState::Running,
            _ => ServerState::Stopping,
        }
    }
}

/// The process itself.
pub(super) struct ProcessPort {
    pub(super) state: Arc<StateCell>,
    pub(super) health: Health,
    pub(super) figures: Arc<PublishedFigures>,
    pub(super) registry: Registry,
    pub(super) roster: Roster,
}

impl Process for ProcessPort {
    fn version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }

    fn state(&self) -> ServerState {
        self.state.get()
    }

    fn issues(&self) -> Vec<HealthIssue> {
        self.health.issues()
    }

    fn figures(&self) -> Figures {
        Figures::clone(&self.figures.figures())
    }

    fn nvps(&self) -> Nvps {
        self.figures.nvps()
    }

    fn workers(&self) -> Vec<WorkerState> {
        self.roster.workers()
    }

    fn metrics(&self) -> String {
        self.registry.render()
    }
}
