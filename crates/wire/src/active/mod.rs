//! Active agents: the agent connects and asks for its checks; [`crate::sender`] reads its values.
//!
//! Both sides are here: the server's ([`ChecksRequest::parse`], [`ChecksAnswer::encode`]) and the
//! agent's ([`ChecksRequest::encode`], [`ChecksAnswer::parse`]). A peer older than
//! [`Version::BY_ITEMID`] gets the old form of the list, without item ids and with the delay as a
//! number. The caller decides which items a host has, and whether its list has to be sent.

mod answer;
mod command;
mod heartbeat;
mod request;
mod shared;

pub use answer::{Check, CheckList, ChecksAnswer, ExpressionKind, Regexp};
pub use command::{Command, CommandResult, encode_command_results, parse_command_results};
pub use heartbeat::Heartbeat;
pub use request::ChecksRequest;
pub use shared::{EncodedList, ListForm, SharedAnswer};

use crate::Version;

/// Longest metadata that an agent may send, in bytes.
pub const HOST_METADATA_BYTES_MAX: usize = 65_535;
/// Default port of agents.
pub const AGENT_PORT: u16 = 10_050;

/// Why a message of this protocol is unreadable.
#[derive(Debug, thiserror::Error)]
pub enum ActiveMessageError {
    #[error("invalid JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("message names no host")]
    NoHost,
    #[error("unknown response {0:?}")]
    UnknownResponse(String),
}

fn version<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Version, D::Error> {
    Ok(Version::parse(crate::lenient::text(source)?.as_deref()))
}

const fn assumed_version() -> Version {
    Version::ASSUMED
}

fn to_json<T: serde::Serialize>(message: &T) -> Vec<u8> {
    serde_json::to_vec(message).expect("these messages hold nothing that JSON can't")
}
