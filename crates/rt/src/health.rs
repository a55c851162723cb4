//! Health issues of the process at this moment, by part: for operators, who read them at `/health`.
//!
//! A part reports an issue with [`Health::set`] and withdraws it with [`Health::clear`]; it may
//! repeat both at any time. A metric counts how often something happened; an issue states the
//! present condition and what to do about it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Work waits, and continues by itself once the cause is resolved. Nothing is lost.
    Degraded,
    /// Something does not work and does not come back by itself.
    Failing,
}

impl Level {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Degraded => "degraded",
            Self::Failing => "failing",
        }
    }
}

/// A health issue of one part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HealthIssue {
    /// As in the names of tasks and threads.
    pub part: String,
    pub level: Level,
    /// In words for the operator: the issue, and its remedy if there is one. It is shown without a
    /// login, so it contains no secrets.
    pub message: String,
}

/// The issues of a process; a clone is the same list.
#[derive(Clone, Default)]
pub struct Health(Arc<Mutex<BTreeMap<String, HealthIssue>>>);

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Health").field(&self.issues()).finish()
    }
}

impl Health {
    /// Reports an issue of a part, in place of its former one.
    pub fn set(&self, part: &str, level: Level, message: impl Into<String>) {
        let issue = HealthIssue { part: part.to_owned(), level, message: message.into() };
        self.lock().insert(part.to_owned(), issue);
    }

    /// A part is well.
    pub fn clear(&self, part: &str) {
        self.lock().remove(part);
    }

    /// By name of the part.
    #[must_use]
    pub fn issues(&self) -> Vec<HealthIssue> {
        self.lock().values().cloned().collect()
    }

    /// The worst there is; `None`: all is well.
    #[must_use]
    pub fn level(&self) -> Option<Level> {
        self.lock().values().map(|it| it.level).max()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, HealthIssue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Health, Level};

    #[test]
    fn the_worst_counts_and_each_part_speaks_for_itself() {
        let health = Health::default();
        assert_eq!(health.level(), None);
        let same = health.clone();
        same.set("journal", Level::Degraded, "the disk is full");
        same.set("events", Level::Failing, "position 5 is gone");
        same.set("journal", Level::Degraded, "the disk is still full");
        assert_eq!(health.level(), Some(Level::Failing));
        let messages: Vec<String> = health.issues().into_iter().map(|it| it.message).collect();
        assert_eq!(messages, ["position 5 is gone", "the disk is still full"]);
        health.clear("events");
        assert_eq!(health.level(), Some(Level::Degraded));
    }
}
