//! Tasks with a result, which is requested later.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// Results that are kept.
const KEPT_MAX: usize = 100;

/// Diagnostic information that was asked for.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) taskid: u64,
    pub(crate) clock: i64,
    pub(crate) request: Value,
    pub(crate) data: Value,
}

/// The last ones, oldest first.
#[derive(Debug, Default)]
pub(crate) struct TaskLog(Mutex<VecDeque<Task>>);

impl TaskLog {
    pub(crate) fn push(&self, task: Task) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT_MAX {
            kept.pop_front();
        }
        kept.push_back(task);
    }

    /// The wanted tasks, each as `show` gives it.
    pub(crate) fn newest_first<T>(
        &self,
        is_wanted: impl Fn(&Task) -> bool,
        show: impl Fn(&Task) -> T,
    ) -> Vec<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().rev().filter(|it| is_wanted(it)).map(show).collect()
    }
}
