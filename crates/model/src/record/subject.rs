//! The subject of an event.

use crate::{ItemId, TriggerId};

/// The object of a transition or an event. Zabbix names the same by three numbers: source, object and
/// object id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    /// The value of a trigger.
    Trigger(TriggerId),
    /// A host that network discovery has found.
    DiscoveredHost(u64),
    /// A service of such a host.
    DiscoveredService(u64),
    /// A host that has registered itself.
    Autoregistered(u64),
    /// Whether the value of a trigger is known.
    TriggerState(TriggerId),
    /// Whether an item is supported.
    ItemState(ItemId),
    /// Whether a discovery rule works.
    RuleState(ItemId),
    /// The status of a service.
    Service(u64),
}

impl Subject {
    /// Part of the record's format.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Trigger(_) => 0,
            Self::DiscoveredHost(_) => 1,
            Self::DiscoveredService(_) => 2,
            Self::Autoregistered(_) => 3,
            Self::TriggerState(_) => 4,
            Self::ItemState(_) => 5,
            Self::RuleState(_) => 6,
            Self::Service(_) => 7,
        }
    }

    pub(super) fn from_code(code: u8, id: u64) -> Option<Self> {
        Some(match code {
            0 => Self::Trigger(TriggerId(id)),
            1 => Self::DiscoveredHost(id),
            2 => Self::DiscoveredService(id),
            3 => Self::Autoregistered(id),
            4 => Self::TriggerState(TriggerId(id)),
            5 => Self::ItemState(ItemId(id)),
            6 => Self::RuleState(ItemId(id)),
            7 => Self::Service(id),
            _ => return None,
        })
    }

    /// The id among objects of its kind.
    #[must_use]
    pub fn id(self) -> u64 {
        match self {
            Self::Trigger(TriggerId(id))
            | Self::TriggerState(TriggerId(id))
            | Self::ItemState(ItemId(id))
            | Self::RuleState(ItemId(id))
            | Self::DiscoveredHost(id)
            | Self::DiscoveredService(id)
            | Self::Autoregistered(id)
            | Self::Service(id) => id,
        }
    }

    /// Zabbix's number of the source: trigger, discovery, autoregistration, internal, service.
    #[must_use]
    pub fn source(self) -> u8 {
        match self {
            Self::Trigger(_) => 0,
            Self::DiscoveredHost(_) | Self::DiscoveredService(_) => 1,
            Self::Autoregistered(_) => 2,
            Self::TriggerState(_) | Self::ItemState(_) | Self::RuleState(_) => 3,
            Self::Service(_) => 4,
        }
    }

    /// Zabbix's number of the kind of object.
    #[must_use]
    pub fn object(self) -> u8 {
        match self {
            Self::Trigger(_) | Self::TriggerState(_) => 0,
            Self::DiscoveredHost(_) => 1,
            Self::DiscoveredService(_) => 2,
            Self::Autoregistered(_) => 3,
            Self::ItemState(_) => 4,
            Self::RuleState(_) => 5,
            Self::Service(_) => 6,
        }
    }

    /// The trigger whose value it is about.
    #[must_use]
    pub fn trigger(self) -> Option<TriggerId> {
        match self {
            Self::Trigger(it) => Some(it),
            _ => None,
        }
    }
}
