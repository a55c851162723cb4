//! Passive checks: the server connects to an agent and asks for one key.
//!
//! There are two forms. The plain one (up to 6.4) sends the key and gets the value; the JSON one
//! (since 7.0) also sends the time-out. An agent that does not know JSON takes the request for an
//! unknown key, so its answer is not JSON: [`PassiveAnswer::OldProtocol`]. The caller then repeats the
//! check in the plain form at once, and [`Fallback`] remembers it for an hour.
//!
//! An item that the agent cannot answer is [`PassiveAnswer::NotSupported`]: the item's state. An answer
//! without information about the item (peer not allowed, damaged answer) is a failure of the
//! interface: see [`PassiveAnswer::is_interface_failure`].

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::lenient::{self, Scalar};
use crate::sender::to_valid_utf8;

const NOT_SUPPORTED: &str = "ZBX_NOTSUPPORTED";
const AGENT_ERROR: &str = "ZBX_ERROR";
/// The item's error if the agent gave no reason.
const NOT_SUPPORTED_TEXT: &str = "Not supported by Zabbix Agent";
/// An agent may have been upgraded: after this time JSON is tried again.
const FALLBACK_MS: u64 = 3_600_000;

/// The form of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Plain,
    Json,
}

/// The payload of a request for `key`, appended to `out`; to be framed. Only the JSON form has
/// `timeout_s`.
pub fn encode_request(form: Form, key: &str, timeout_s: u32, out: &mut Vec<u8>) {
    match form {
        Form::Plain => out.extend_from_slice(key.as_bytes()),
        Form::Json => {
            out.extend_from_slice(br#"{"request":"passive checks","data":[{"key":"#);
            crate::sender::write_json_string(key, out);
            out.extend_from_slice(format!(r#","timeout":{timeout_s}}}]}}"#).as_bytes());
        }
    }
}

/// The answer of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassiveAnswer<'a> {
    Value(Cow<'a, str>),
    /// JSON null: nothing to store, no error.
    NoValue,
    /// The item is not supported, with the reason.
    NotSupported(Cow<'a, str>),
    /// An empty answer: the server's address is not in the agent's list.
    AccessDenied,
    /// `ZBX_ERROR`: the agent failed and gives no reason.
    AgentError,
    /// The request as a whole failed, with the agent's reason.
    RequestFailed(Cow<'a, str>),
    /// JSON without the members of an answer.
    Malformed,
    /// The peer does not know the JSON form: ask again in the plain one.
    OldProtocol,
}

impl PassiveAnswer<'_> {
    /// Whether it counts against the interface instead of the item.
    #[must_use]
    pub fn is_interface_failure(&self) -> bool {
        match self {
            Self::Value(_) | Self::NoValue | Self::NotSupported(_) | Self::OldProtocol => false,
            Self::AccessDenied | Self::AgentError | Self::RequestFailed(_) | Self::Malformed => {
                true
            }
        }
    }
}

/// Reads the payload of an answer to a request of this form.
#[must_use]
pub fn parse_answer(form: Form, payload: &[u8]) -> PassiveAnswer<'_> {
    if payload.is_empty() {
        return PassiveAnswer::AccessDenied;
    }
    match form {
        Form::Plain => parse_plain(payload),
        Form::Json => parse_json(payload),
    }
}

fn parse_plain(payload: &[u8]) -> PassiveAnswer<'_> {
    let text = match to_valid_utf8(payload) {
        Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
        Cow::Owned(text) => Cow::Owned(trim(&text).to_owned()),
    };
    if text == AGENT_ERROR {
        return PassiveAnswer::AgentError;
    }
    if text == NOT_SUPPORTED {
        return PassiveAnswer::NotSupported(NOT_SUPPORTED_TEXT.into());
    }
    if let Some(reason) = text.strip_prefix(NOT_SUPPORTED).and_then(|it| it.strip_prefix('\0')) {
        let reason = reason.trim_end_matches('\0');
        return PassiveAnswer::NotSupported(Cow::Owned(reason.to_owned()));
    }
    PassiveAnswer::Value(text)
}

/// Removes the white space that agents put around values.
fn trim(text: &str) -> &str {
    text.trim_end_matches([' ', '\r', '\n']).trim_start_matches(' ')
}

fn parse_json(payload: &[u8]) -> PassiveAnswer<'static> {
    #[derive(Deserialize)]
    struct Shape {
        data: Option<Vec<Row>>,
        #[serde(default, deserialize_with = "lenient::text")]
        error: Option<String>,
    }
    #[derive(Deserialize)]
    struct Row {
        #[serde(default)]
        value: Option<Scalar>,
        #[serde(default, deserialize_with = "lenient::text")]
        error: Option<String>,
    }
    let Ok(shape) = lenient::parse_object::<Shape>(payload) else {
        // A JSON object of another shape comes from a peer that does know JSON.
        let is_object = lenient::parse_object::<IgnoredAny>(payload).is_ok();
        return if is_object { PassiveAnswer::Malformed } else { PassiveAnswer::OldProtocol };
    };
    if let Some(row) = shape.data.into_iter().flatten().next() {
        return match row {
            Row { error: Some(reason), .. } => PassiveAnswer::NotSupported(reason.into()),
            Row { value: Some(Scalar(Some(value))), .. } => PassiveAnswer::Value(value.into()),
            _ => PassiveAnswer::NoValue,
        };
    }
    match shape.error {
        Some(reason) => PassiveAnswer::RequestFailed(reason.into()),
        None => PassiveAnswer::Malformed,
    }
}

/// The form to use with an interface. Times are milliseconds of any monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fallback {
    plain_until_ms: Option<u64>,
}

impl Fallback {
    #[must_use]
    pub fn form(&self, now_ms: u64) -> Form {
        match self.plain_until_ms {
            Some(until_ms) if now_ms < until_ms => Form::Plain,
            _ => Form::Json,
        }
    }

    /// Notes that the peer answered [`PassiveAnswer::OldProtocol`].
    pub fn note_old_protocol(&mut self, now_ms: u64) {
        self.plain_until_ms = Some(now_ms.saturating_add(FALLBACK_MS));
    }

    /// The interface was changed: another agent may answer.
    pub fn reset(&mut self) {
        self.plain_until_ms = None;
    }
}

/// A server's request to this agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassiveRequest<'a> {
    pub form: Form,
    /// In order; at least one. Present servers send one.
    pub checks: Vec<RequestedCheck<'a>>,
}

/// A requested key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedCheck<'a> {
    pub key: Cow<'a, str>,
    /// Only in the JSON form.
    pub timeout_s: Option<u32>,
}

/// Agent's side. Every payload is a request: one that is not JSON is a key.
#[must_use]
pub fn parse_request(payload: &[u8]) -> PassiveRequest<'_> {
    #[derive(Deserialize)]
    struct Shape {
        request: String,
        data: Vec<Row>,
    }
    #[derive(Deserialize)]
    struct Row {
        key: String,
        #[serde(default, deserialize_with = "lenient::seconds")]
        timeout: Option<u32>,
    }
    if let Ok(Shape { request, data }) = lenient::parse_object(payload)
        && request == "passive checks"
        && !data.is_empty()
    {
        let check = |it: Row| RequestedCheck { key: it.key.into(), timeout_s: it.timeout };
        return PassiveRequest { form: Form::Json, checks: data.into_iter().map(check).collect() };
    }
    let key = match to_valid_utf8(payload) {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_end_matches(['\r', '\n'])),
        Cow::Owned(text) => Cow::Owned(text.trim_end_matches(['\r', '\n']).to_owned()),
    };
    PassiveRequest { form: Form::Plain, checks: vec![RequestedCheck { key, timeout_s: None }] }
}

/// Agent's side: the payload of the answer to one check, appended to `out`; `Err` is the reason why
/// the item is not supported.
pub fn encode_answer(form: Form, result: Result<&str, &str>, out: &mut Vec<u8>) {
    encode_answers(form, &[result], out);
}

/// As [`encode_answer`], for all checks of a request in their order. The plain form has room for the
/// first one only.
pub fn encode_answers(form: Form, results: &[Result<&str, &str>], out: &mut Vec<u8>) {
    match (form, results.first()) {
        (Form::Plain, Some(Ok(value))) => out.extend_from_slice(value.as_bytes()),
        (Form::Plain, Some(Err(reason))) => {
            out.extend_from_slice(NOT_SUPPORTED.as_bytes());
            if !reason.is_empty() {
                out.push(0);
                out.extend_from_slice(reason.as_bytes());
            }
        }
        (Form::Plain, None) => {}
        (Form::Json, _) => {
            let row = |it: &Result<&str, &str>| match it {
                Ok(value) => json!({ "value": value }),
                Err(reason) => json!({ "error": reason }),
            };
            let rows: Vec<_> = results.iter().map(row).collect();
            let version = crate::Version::OURS.to_string();
            let answer = json!({ "version": version, "variant": 1, "data": rows });
            out.extend_from_slice(answer.to_string().as_bytes());
        }
    }
}
