//! Macros of messages and commands.
//!
//! [`expand`] knows the names of Zabbix 7.0, the messages in which each of them exists, and their
//! forms; their values come from [`MessageFacts`]. A name that does not exist in this message stays
//! as it is; one without a value (a deleted item) becomes `*UNKNOWN*`. Values of macros are not
//! expanded again.
//!
//! The result is bounded: [`TEXT_BYTES_MAX`].

mod events;
mod expansion;
mod facts;
mod misc;
mod names;
mod objects;
#[cfg(test)]
mod tests;
mod texts;

pub use expansion::TEXT_BYTES_MAX;
pub use facts::{
    AlertTexts, DiscoveredService, DiscoveryMacros, EscalationEntry, EventCounts, MessageContext,
    MessageFacts, ObjectState, Registered, SecretMode, ServiceFacts, StateOwner, Update,
};
pub use texts::expand;
