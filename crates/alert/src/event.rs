//! Events as they are described in messages.

use model::content::{Severity, Tag};
use model::{EventId, HostId, Time};

/// An event with its present state, as far as messages need it: a [`model::event::EventRow`] has
/// its state at the time, and codes that a newer version may have written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageEvent {
    pub id: EventId,
    pub source: EventSource,
    pub object: EventObject,
    /// A trigger, item, service, … by `object`.
    pub object_id: u64,
    pub time: Time,
    /// `value` of the API: of triggers and services 1 is a problem and 0 its end; of internal events 1 is unknown
    /// or not supported; of discovery 0 up, 1 down, 2 discovered, 3 lost.
    pub value: u8,
    /// As it is now: users change that of problems.
    pub severity: Severity,
    pub is_acknowledged: bool,
    /// Macros expanded.
    pub name: String,
    pub tags: Vec<Tag>,
    /// The hosts of the object when it happened.
    pub hosts: Vec<HostId>,
}

/// `source` of the API.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EventSource {
    Trigger,
    Discovery,
    Autoregistration,
    Internal,
    Service,
}

impl EventSource {
    pub const ALL: [Self; 5] =
        [Self::Trigger, Self::Discovery, Self::Autoregistration, Self::Internal, Self::Service];

    /// As the API and the database have it.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Trigger => 0,
            Self::Discovery => 1,
            Self::Autoregistration => 2,
            Self::Internal => 3,
            Self::Service => 4,
        }
    }

    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.code() == code)
    }

    /// Whether its events end: a problem and its recovery. The others happen, and that is all.
    #[must_use]
    pub const fn has_problems(self) -> bool {
        matches!(self, Self::Trigger | Self::Internal | Self::Service)
    }

    /// Whether users say something of its events, so that there are operations for updates.
    #[must_use]
    pub const fn has_updates(self) -> bool {
        matches!(self, Self::Trigger | Self::Service)
    }
}

/// `object` of the API: the type of an event's object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EventObject {
    Trigger,
    DiscoveredHost,
    DiscoveredService,
    Autoregistration,
    Item,
    DiscoveryRule,
    Service,
}

impl EventObject {
    pub const ALL: [Self; 7] = [
        Self::Trigger,
        Self::DiscoveredHost,
        Self::DiscoveredService,
        Self::Autoregistration,
        Self::Item,
        Self::DiscoveryRule,
        Self::Service,
    ];

    /// As the API and the database have it.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Trigger => 0,
            Self::DiscoveredHost => 1,
            Self::DiscoveredService => 2,
            Self::Autoregistration => 3,
            Self::Item => 4,
            Self::DiscoveryRule => 5,
            Self::Service => 6,
        }
    }

    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_they_are_written() {
        let sources: Vec<_> = (0..=u8::MAX).filter_map(EventSource::from_code).collect();
        assert_eq!(sources, EventSource::ALL);
        let objects: Vec<_> = (0..=u8::MAX).filter_map(EventObject::from_code).collect();
        assert_eq!(objects, EventObject::ALL);
    }
}
