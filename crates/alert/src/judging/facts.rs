//! Facts of an event that conditions use.

use std::net::IpAddr;

use model::content::{Severity, Tag};

use crate::EventSource;

/// Facts that each event has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventFacts {
    pub source: EventSource,
    pub name: String,
    pub severity: Severity,
    pub tags: Vec<Tag>,
    pub is_suppressed: bool,
    /// Of internal events.
    pub internal: Option<InternalKind>,
    /// Of services: their name.
    pub service: Option<String>,
    pub discovery: Option<DiscoveryFacts>,
    pub autoregistration: Option<AutoregistrationFacts>,
}

impl EventFacts {
    /// Of a source, with nothing else known.
    #[must_use]
    pub const fn new(source: EventSource) -> Self {
        Self {
            source,
            name: String::new(),
            severity: Severity::NotClassified,
            tags: Vec::new(),
            is_suppressed: false,
            internal: None,
            service: None,
            discovery: None,
            autoregistration: None,
        }
    }
}

/// The subject of an internal event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InternalKind {
    ItemNotSupported,
    RuleNotSupported,
    TriggerUnknown,
}

impl InternalKind {
    /// As conditions of the API name it.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::ItemNotSupported => 0,
            Self::RuleNotSupported => 2,
            Self::TriggerUnknown => 4,
        }
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ItemNotSupported => "item not supported",
            Self::RuleNotSupported => "discovery rule not supported",
            Self::TriggerUnknown => "trigger unknown",
        }
    }
}

/// Of a host or service that network discovery found. Codes are those of the API.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiscoveryFacts {
    /// `object` of the event: 1 a host, 2 a service.
    pub object: u8,
    /// 0 up, 1 down, 2 discovered, 3 lost.
    pub status: u8,
    /// All addresses of the host.
    pub addresses: Vec<IpAddr>,
    /// Seconds for which it has been up or down.
    pub lasts_s: i64,
    /// Of a service; a host has none.
    pub service_types: Vec<u8>,
    pub ports: Vec<u16>,
    /// Values that the checks got.
    pub values: Vec<String>,
}

/// Of an agent that registers itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AutoregistrationFacts {
    pub host: String,
    pub metadata: String,
}

/// How an event is linked with an object that a condition names by its id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectLink {
    /// A host of the event is in it, or in a group below it.
    HostGroup,
    /// A host of the event.
    Host,
    /// The event's trigger, or the trigger that it was inherited from.
    Trigger,
    /// The event's trigger or item was inherited from it, directly or not.
    Template,
    Proxy,
    DiscoveryRule,
    DiscoveryCheck,
    /// It is the event's service, or one above it.
    Service,
}

impl ObjectLink {
    /// As a sentence about a missing one begins.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::HostGroup => "host group",
            Self::Host => "host",
            Self::Trigger => "trigger",
            Self::Template => "template",
            Self::Proxy => "proxy",
            Self::DiscoveryRule => "discovery rule",
            Self::DiscoveryCheck => "discovery check",
            Self::Service => "service",
        }
    }
}

/// The facts of one event.
pub trait ConditionFacts {
    fn event(&self) -> &EventFacts;

    /// Whether the event is linked with an object; `None`: there is no such object.
    fn is_linked(&self, link: ObjectLink, id: u64) -> Option<bool>;

    /// Whether the event happened within times of the week, in which macros may stand; `None`: that
    /// is none.
    fn is_within(&self, period: &str) -> Option<bool>;
}
