//! Macros of messages and commands.
//!
//! [`expand`] knows the names of Zabbix 7.0, which of them which messages have, and how each is written;
//! what they stand for it asks of [`MessageFacts`]. A name that this message does not have stays as it is; one
//! that it has, but nothing is known of (an item that is gone), becomes `*UNKNOWN*`. What came of a macro is not
//! looked through for macros again.
//!
//! The result is bounded: [`TEXT_BYTES_MAX`].

mod events;
mod expansion;
mod facts;
mod names;
mod objects;
mod rest;
#[cfg(test)]
mod tests;
mod texts;

pub use expansion::TEXT_BYTES_MAX;
pub use facts::{
    AlertTexts, Discovered, DiscoveredService, EscalationEntry, EventCounts, MessageContext,
    MessageFacts, ObjectState, Registered, Secrets, ServiceFacts, StateOwner, Update,
};
pub use texts::expand;
