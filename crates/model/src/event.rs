//! An event, from the journal to the relational store and to its readers there.
//!
//! Shards and [`crate::record::NewEvent`] have events without ids; the bytes of a record are read as
//! [`crate::record::RecordEvent`]. From there on an event is an [`EventRow`], in memory as in the table `events`.

use serde::{Deserialize, Serialize};

use crate::content::{Severity, Tag};
use crate::{EventId, HostId, Time, UserId};

/// The source of an event (`source` of the API).
pub mod source {
    pub const TRIGGER: u8 = 0;
    pub const DISCOVERY: u8 = 1;
    pub const AUTOREGISTRATION: u8 = 2;
    pub const INTERNAL: u8 = 3;
    pub const SERVICE: u8 = 4;
}

/// The kind of object an event is about (`object` of the API).
pub mod object {
    pub const TRIGGER: u8 = 0;
    pub const DISCOVERED_HOST: u8 = 1;
    pub const DISCOVERED_SERVICE: u8 = 2;
    pub const AUTOREGISTERED: u8 = 3;
    pub const ITEM: u8 = 4;
    pub const RULE: u8 = 5;
    pub const SERVICE: u8 = 6;
}

/// An event that has its id. Ids come from one sequencer and grow in journal order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EventRow {
    pub eventid: EventId,
    pub source: u8,
    pub object: u8,
    /// A trigger, item or rule by `object`.
    pub objectid: u64,
    pub time: Time,
    /// 1 is a problem, 0 the end of problems; for internal events 1 is unknown or not supported.
    pub value: u8,
    pub severity: Severity,
    /// Macros expanded.
    pub name: String,
    /// The values that operational data needs from the event's time: see `lang::value::read_values`. Of older
    /// versions the expanded text.
    pub opdata: String,
    pub tags: Vec<Tag>,
    /// The hosts of the object when it happened.
    pub hosts: Vec<HostId>,
    /// Of an event with value 0: the problems that it resolves.
    pub recovers: Vec<EventId>,
    /// The user who closed the problem by hand; 0 otherwise.
    pub userid: UserId,
}

impl EventRow {
    /// Whether it begins a problem: events of discovery and registration never do.
    #[must_use]
    pub fn is_problem(&self) -> bool {
        let can_be = matches!(self.source, source::TRIGGER | source::INTERNAL | source::SERVICE);
        can_be && self.value == 1
    }

    /// Whether it ends all open problems of its object, without naming them.
    #[must_use]
    pub fn ends_all_of_object(&self) -> bool {
        let is_state = matches!(self.source, source::INTERNAL | source::SERVICE);
        is_state && self.value == 0 && self.recovers.is_empty()
    }

    /// Whether it is about a trigger's value, not its state.
    #[must_use]
    pub fn is_of_trigger(&self) -> bool {
        self.source == source::TRIGGER && self.object == object::TRIGGER
    }
}
