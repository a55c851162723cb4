//! The kind of a trapper's request, which decides on its reader, or on the answer that it is not
//! supported.

use serde::Deserialize;

use crate::lenient;

/// The requests that Zabbix' components send to a server, by the member `request`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestKind {
    ActiveChecks,
    AgentData,
    ActiveHeartbeat,
    SenderData,
    HistoryPush,
    ProxyConfig,
    ProxyData,
    ProxyHeartbeat,
    ProxyTasks,
    QueueGet,
    StatusGet,
    Command,
    ItemTest,
    PreprocessingTest,
    ExpressionsEvaluate,
    AlertSend,
    ReportTest,
    Stats,
}

/// Every kind once; a new kind needs only a row here.
const NAMES: &[(&str, RequestKind)] = &[
    ("active checks", RequestKind::ActiveChecks),
    ("agent data", RequestKind::AgentData),
    ("active check heartbeat", RequestKind::ActiveHeartbeat),
    ("sender data", RequestKind::SenderData),
    ("history.push", RequestKind::HistoryPush),
    ("proxy config", RequestKind::ProxyConfig),
    ("proxy data", RequestKind::ProxyData),
    ("proxy heartbeat", RequestKind::ProxyHeartbeat),
    ("proxy tasks", RequestKind::ProxyTasks),
    ("queue.get", RequestKind::QueueGet),
    ("status.get", RequestKind::StatusGet),
    ("command", RequestKind::Command),
    ("item.test", RequestKind::ItemTest),
    ("preprocessing.test", RequestKind::PreprocessingTest),
    ("expressions.evaluate", RequestKind::ExpressionsEvaluate),
    ("alert.send", RequestKind::AlertSend),
    ("report.test", RequestKind::ReportTest),
    ("zabbix.stats", RequestKind::Stats),
];

/// Why a payload is no request.
#[derive(Debug, thiserror::Error, Clone, PartialEq, Eq)]
pub enum RequestKindError {
    #[error("request is not a JSON object")]
    NotJson,
    #[error("request has no member \"request\"")]
    Unnamed,
    #[error("unknown request {0:?}")]
    Unknown(String),
}

impl RequestKind {
    /// The value of the member `request`.
    #[must_use]
    pub fn name(self) -> &'static str {
        let entry = NAMES.iter().find(|(_, kind)| *kind == self);
        entry.map(|(name, _)| *name).expect("every kind is in the table")
    }

    /// Recognizes a payload. Its JSON is not checked to the end if the name is its first member.
    ///
    /// # Errors
    /// When the payload does not say, or says something unknown.
    pub fn of(payload: &[u8]) -> Result<Self, RequestKindError> {
        match Self::first_member(payload) {
            Some(kind) => Ok(kind),
            None => Self::search(payload),
        }
    }

    /// Nearly every peer writes the name first.
    fn first_member(payload: &[u8]) -> Option<Self> {
        let rest = payload.strip_prefix(br#"{"request":""#)?;
        let (name, kind) = NAMES.iter().find(|(name, _)| rest.starts_with(name.as_bytes()))?;
        (rest.get(name.len()) == Some(&b'"')).then_some(*kind)
    }

    fn search(payload: &[u8]) -> Result<Self, RequestKindError> {
        #[derive(Deserialize)]
        struct Shape {
            #[serde(default, deserialize_with = "lenient::text")]
            request: Option<String>,
        }
        let shape: Shape =
            lenient::parse_object(payload).map_err(|_cause| RequestKindError::NotJson)?;
        let name = shape.request.ok_or(RequestKindError::Unnamed)?;
        let entry = NAMES.iter().find(|(known, _)| *known == name);
        entry.map(|(_, kind)| *kind).ok_or(RequestKindError::Unknown(name))
    }
}
