//! From events to messages: which are made, and how they leave the server.
//!
//! [`escalations`] judges new events of the database and walks through the steps of actions,
//! [`delivery`] has messages sent by [`senders`], [`commands`] executes the commands of actions,
//! [`correlation`] has events closed by rules. Their decisions are computed in the crate `alert`,
//! which knows neither database nor sockets, and kept in `db`, in one transaction a turn.
//!
//! Facts about an event and its recipient are here as well, for messages, for commands, and for
//! pages that explain or test them: [`message_facts`], [`judged_event`], [`script_commands`],
//! [`acknowledge_links`].
//!
//! **Limits.** It serves no API and knows no shard: its needs of the running server are the traits
//! of [`ports`].

macro_rules! opaque_debug {
    ($name:ident) => {
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

mod about;
pub mod acknowledge_links;
pub mod commands;
pub mod correlation;
pub mod delivery;
pub mod escalations;
pub mod judged_event;
pub mod message_facts;
mod parameters;
pub mod ports;
pub mod script_commands;
pub mod senders;
mod trial;
