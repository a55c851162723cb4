//! The request for the list of checks.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{ActiveMessageError, assumed_version, to_json, version};
use crate::{Version, lenient};

/// The request for checks. Only `host` is always present.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ChecksRequest {
    /// Technical name of the host.
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub host: String,
    #[serde(default = "assumed_version", deserialize_with = "version")]
    pub version: Version,
    /// 1 agent, 2 agent 2; absent before 7.0.
    #[serde(default, deserialize_with = "lenient::whole")]
    pub variant: Option<u64>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub host_metadata: Option<String>,
    /// IP or DNS name for autoregistration.
    #[serde(default, deserialize_with = "lenient::text")]
    pub interface: Option<String>,
    /// The address that the agent listens on; the peer's address if absent.
    #[serde(default, deserialize_with = "lenient::text")]
    pub ip: Option<String>,
    /// The port that the agent listens on; [`super::AGENT_PORT`] if absent or no port.
    #[serde(default, deserialize_with = "port")]
    pub port: Option<u16>,
    /// Revision of the list that the agent has; present since 6.4, with `session`.
    #[serde(default, deserialize_with = "lenient::whole")]
    pub config_revision: Option<u64>,
    /// Token of this run of the agent.
    #[serde(default, deserialize_with = "lenient::text")]
    pub session: Option<String>,
}

fn port<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Option<u16>, D::Error> {
    Ok(lenient::whole(source)?.and_then(|it| u16::try_from(it).ok()).filter(|it| *it > 0))
}

impl ChecksRequest {
    /// A request with nothing but the agent's name.
    #[must_use]
    pub fn new(host: &str, version: Version) -> Self {
        Self {
            host: host.to_owned(),
            version,
            variant: Some(1),
            host_metadata: None,
            interface: None,
            ip: None,
            port: None,
            config_revision: None,
            session: None,
        }
    }

    /// Server's side.
    ///
    /// # Errors
    /// When the payload is no JSON object or names no host.
    pub fn parse(payload: &[u8]) -> Result<Self, ActiveMessageError> {
        let request: Self = lenient::parse_object(payload)?;
        if request.host.is_empty() { Err(ActiveMessageError::NoHost) } else { Ok(request) }
    }

    /// Agent's side.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut object = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            object.extend(value.map(|it| (name.to_owned(), it)));
        };
        put("request", Some("active checks".into()));
        put("host", Some(self.host.as_str().into()));
        put("version", Some(self.version.to_string().into()));
        put("variant", self.variant.map(Value::from));
        put("host_metadata", self.host_metadata.as_deref().map(Value::from));
        put("interface", self.interface.as_deref().map(Value::from));
        put("ip", self.ip.as_deref().map(Value::from));
        put("port", self.port.map(Value::from));
        put("config_revision", self.config_revision.map(Value::from));
        put("session", self.session.as_deref().map(Value::from));
        to_json(&object)
    }
}
