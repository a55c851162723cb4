//! Events and problems: open and recently resolved problems in memory, everything in SQL.
//!
//! **Feeding.** [`Events::apply`] takes events in the order of the journal, with the position
//! after their record. Memory shows them at once; SQL gets them in batches, together with the
//! cursor, and ignores repeats: after a crash the journal is replayed from [`Events::cursor`].
//! While the database is away, batches wait in memory up to a bound; beyond it `apply` refuses,
//! the cursor stays, and the caller feeds again from the journal later.
//!
//! **Reading.** Problems are read from memory, with a version that grows with each change
//! ([`Events::changes_since`]); events from SQL ([`Events::query`]).

mod by_parents;
mod feed;
mod flapping;
mod live;
mod query;
mod saver;
mod store;
mod table;

use std::sync::Arc;

use model::content::Severity;
use model::{EventId, Time, UserId};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::runtime::maintenance::Suppression;

pub use feed::{Correlator, Events, Watcher};
pub use model::event::{EventRow, object, source};
pub use query::{EventQuery, Unacknowledged};
pub use saver::RowsOfEvents;
pub(crate) use store::{EVENT_COLUMNS, SERVICES_CURSOR, read_acknowledge, read_event};
pub use table::{ProblemFacts, ProblemPiece, ProblemView};

/// Why events were not taken.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ApplyError {
    /// The database is away and as many events wait as may. Feed again from [`Events::cursor`].
    #[error("{waiting} events wait for the database already")]
    Full { waiting: usize },
    #[error("events are no longer taken")]
    Stopped,
}

/// Bits of `action` in `event.acknowledge`.
pub mod action {
    pub const CLOSE: u32 = 1;
    pub const ACKNOWLEDGE: u32 = 2;
    pub const MESSAGE: u32 = 4;
    pub const SEVERITY: u32 = 8;
    pub const UNACKNOWLEDGE: u32 = 16;
    pub const SUPPRESS: u32 = 32;
    pub const UNSUPPRESS: u32 = 64;
    pub const RANK_TO_CAUSE: u32 = 128;
    pub const RANK_TO_SYMPTOM: u32 = 256;
}

/// One entry below a problem.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Acknowledge {
    pub acknowledgeid: u64,
    pub userid: UserId,
    pub clock: i64,
    pub message: String,
    /// Bits of [`action`].
    pub action: u32,
    pub old_severity: u8,
    pub new_severity: u8,
    /// Seconds since 1970; 0 = indefinitely.
    pub suppress_until: i64,
}

/// Why global correlation has closed a problem, or is to close it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Correlation {
    pub correlationid: u64,
    /// The new event that made the rule close it.
    pub by: EventId,
}

/// A problem: an event with value 1 and what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub event: Arc<EventRow>,
    /// As changed by users; the event keeps the first one.
    pub severity: Severity,
    pub acknowledged: bool,
    /// The event that ended it; 0 while it is open.
    pub r_eventid: EventId,
    pub r_time: Time,
    /// The user who closed it; 0 otherwise.
    pub userid: UserId,
    /// The problem that this one is a symptom of; 0: it is a cause.
    pub cause: EventId,
    /// The rank set by users: a cause of its own (0), or a symptom. `None`: nothing; then it is a
    /// symptom while the parents of its host are down, see [`crate::Topology`].
    pub ranked: Option<EventId>,
    /// Its trigger changes so often that nothing is sent. Not saved: see `flapping.rs`.
    pub flapping: bool,
    /// The rule that closes it; an open problem is about to be closed.
    pub correlation: Option<Correlation>,
    /// Oldest first.
    pub acknowledges: Vec<Acknowledge>,
    /// Suppressed by a user until this second; 0 = indefinitely, `None` = not suppressed.
    pub suppressed_until: Option<i64>,
    /// Maintenances that suppress it now. Not saved: see [`crate::runtime::maintenance`].
    pub maintenances: Vec<Suppression>,
    /// Of the change that made it look like this.
    pub version: u64,
}

impl Problem {
    #[must_use]
    pub fn eventid(&self) -> EventId {
        self.event.eventid
    }

    #[must_use]
    pub fn is_open(&self) -> bool {
        self.r_eventid.is_none()
    }

    /// The rule that has closed it.
    #[must_use]
    pub fn correlated(&self) -> Option<Correlation> {
        self.correlation.filter(|_| !self.is_open())
    }

    #[must_use]
    pub fn is_symptom(&self) -> bool {
        self.cause.is_some()
    }

    /// Whether it can be suppressed at any time, as it is now: suppressions only end by themselves.
    #[must_use]
    pub fn has_suppression(&self) -> bool {
        self.is_suppressed(Time::ZERO)
    }

    #[must_use]
    pub fn is_suppressed(&self, now: Time) -> bool {
        !self.maintenances.is_empty() || self.is_suppressed_by_user(now)
    }

    #[must_use]
    pub fn is_suppressed_by_user(&self, now: Time) -> bool {
        self.suppressed_until.is_some_and(|it| it == 0 || now.clock() < it)
    }
}

/// Changes of problems after some version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changes {
    /// Ask from here next time.
    pub version: u64,
    /// The version asked from is too old: `changed` holds all problems there are.
    pub is_whole: bool,
    /// By version.
    pub changed: Vec<Arc<Problem>>,
    /// Problems that left memory (resolved long ago).
    pub removed: Vec<EventId>,
}

/// A user's update of problems (`event.acknowledge`).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Acknowledgement {
    pub eventids: Vec<EventId>,
    pub userid: UserId,
    /// Bits of [`action`].
    pub action: u32,
    pub message: String,
    pub severity: Option<u8>,
    /// Seconds since 1970; 0 = indefinitely.
    pub suppress_until: i64,
    /// Of [`action::RANK_TO_SYMPTOM`]: the problem that is to be the cause.
    pub cause: EventId,
}

/// The remaining tasks of the caller of an acknowledgement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Acknowledged {
    pub eventids: Vec<EventId>,
    /// Problems to close: their triggers' shards make the recovery events.
    pub close: Vec<Arc<Problem>>,
}

#[derive(Clone, Debug)]
pub struct EventSettings {
    /// Seconds for which resolved problems stay in memory.
    pub keep_resolved_s: i64,
    /// Resolved problems in memory at most; the oldest leave first.
    pub resolved_max: usize,
    /// Events that may wait for the database.
    pub waiting_max: usize,
}

impl Default for EventSettings {
    fn default() -> Self {
        // 500,000 waiting events are five minutes of the planned storm and some 200 MB.
        Self { keep_resolved_s: 3_600, resolved_max: 100_000, waiting_max: 500_000 }
    }
}
