//! Heartbeats of agents since 6.2. There is no answer.

use serde::Deserialize;
use serde_json::json;

use super::{ActiveMessageError, assumed_version, to_json, version};
use crate::{Version, lenient};

/// A sign of life. The active checks of a host are unavailable after more than twice
/// `heartbeat_freq_s` without one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Heartbeat {
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub host: String,
    /// Seconds between signs of life, 0..=3600.
    #[serde(rename = "heartbeat_freq", default, deserialize_with = "lenient::whole_or_zero")]
    pub heartbeat_freq_s: u64,
    #[serde(default = "assumed_version", deserialize_with = "version")]
    pub version: Version,
    #[serde(default, deserialize_with = "lenient::whole")]
    pub variant: Option<u64>,
}

impl Heartbeat {
    /// # Errors
    /// When the payload is no JSON object or names no host.
    pub fn parse(payload: &[u8]) -> Result<Self, ActiveMessageError> {
        let heartbeat: Self = lenient::parse_object(payload)?;
        if heartbeat.host.is_empty() { Err(ActiveMessageError::NoHost) } else { Ok(heartbeat) }
    }

    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        to_json(&json!({
            "request": "active check heartbeat",
            "host": self.host,
            "heartbeat_freq": self.heartbeat_freq_s,
            "version": self.version.to_string(),
            "variant": self.variant.unwrap_or(1),
        }))
    }
}
