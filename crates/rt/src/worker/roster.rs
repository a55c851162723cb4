//! The running workers: a row for each, with its state.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::Time;

use super::WorkerRow;

/// How a worker is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerState {
    /// Its row's, or one of its own where several are of one row.
    pub name: Arc<str>,
    pub row: WorkerRow,
    /// The thread that gives it turns; several may share one.
    pub thread: String,
    /// Turns since the start.
    pub n_turns: u64,
    /// Of these, turns that failed, panics included.
    pub n_failures: u64,
    /// When the last one ended.
    pub last_turn: Option<Time>,
    /// Since when it fails, and why; `None`: its last turn went well.
    pub failing: Option<(Time, String)>,
    /// Rows that were put aside since the start.
    pub n_put_aside: u64,
}

/// The workers of a process that have not ended; a clone is the same list.
#[derive(Clone, Default, Debug)]
pub struct Roster(Arc<Mutex<BTreeMap<Arc<str>, WorkerState>>>);

impl Roster {
    /// By name.
    #[must_use]
    pub fn workers(&self) -> Vec<WorkerState> {
        self.lock().values().cloned().collect()
    }

    /// # Panics
    /// For a second worker of one name: metrics and `/health` could not distinguish them.
    pub(super) fn add(&self, name: &str, row: WorkerRow, thread: &str) {
        let name: Arc<str> = name.into();
        let state = WorkerState {
            name: Arc::clone(&name),
            row,
            thread: thread.to_owned(),
            n_turns: 0,
            n_failures: 0,
            last_turn: None,
            failing: None,
            n_put_aside: 0,
        };
        let former = self.lock().insert(Arc::clone(&name), state);
        assert!(former.is_none(), "two workers are called {name}");
    }

    pub(super) fn remove(&self, name: &str) {
        self.lock().remove(name);
    }

    pub(super) fn update(&self, name: &str, change: impl FnOnce(&mut WorkerState)) {
        if let Some(state) = self.lock().get_mut(name) {
            change(state);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, WorkerState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
