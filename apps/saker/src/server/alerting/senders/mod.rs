//! How a message leaves: one file for each kind of media type. A sender waits no longer than until its
//! deadline, keeps no more than a bounded part of what the other side says, and writes down what was
//! said in a [`Transcript`], without secrets.

mod email;
mod oauth;
mod script;
mod smtp;
mod webhook;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use db::Db;
use db::objects::mediatype;
use model::document::Body;
use model::networks::Destinations;
use rt::clock::Clock;
use rt::shutdown::Shutdown;
use serde_json::Value as Json;

pub(super) use self::script::ScriptFolder;
pub(super) use self::webhook::Webhooks;
use crate::server::outgoing::Exchanger;

/// Kept of one exchange, in bytes.
const TRANSCRIPT_BYTES_MAX: usize = 256 << 10;

/// A message on its way.
#[derive(Clone, Debug)]
pub(in crate::server) struct Outbound {
    /// 0 of a test.
    pub(in crate::server) alert: u64,
    /// That it tells of: of recoveries and updates the problem.
    pub(in crate::server) problem: u64,
    /// When it was made, in seconds since 1970.
    pub(in crate::server) clock: i64,
    pub(in crate::server) media_type: u64,
    /// Addresses of e-mail are separated by commas or line ends.
    pub(in crate::server) sendto: String,
    pub(in crate::server) subject: String,
    pub(in crate::server) message: String,
    /// Of webhooks a JSON object, of scripts a list; empty: those of the media type.
    pub(in crate::server) parameters: String,
    /// There is no other attempt: who would take it gets it, though others might have later.
    pub(in crate::server) is_last: bool,
}

/// Why a message was not sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::server) enum SendError {
    /// It may go the next time.
    Failed(String),
    /// It never will.
    Hopeless(String),
    /// The other side answers, and refuses this message for good.
    Refused(String),
    /// The other side answers, and may take this message later.
    Deferred(String),
}

impl SendError {
    /// What is shown of it.
    pub(in crate::server) fn into_text(self) -> String {
        match self {
            Self::Failed(it) | Self::Hopeless(it) | Self::Refused(it) | Self::Deferred(it) => it,
        }
    }

    /// The same with another text.
    pub(in crate::server) fn map(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Failed(it) => Self::Failed(change(it)),
            Self::Hopeless(it) => Self::Hopeless(change(it)),
            Self::Refused(it) => Self::Refused(change(it)),
            Self::Deferred(it) => Self::Deferred(change(it)),
        }
    }
}

/// What came of a message that was sent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::server) struct Sent {
    /// What a webhook or a script returned.
    pub(in crate::server) returned: Option<String>,
    /// Which of several recipients did not get it, and why; empty: all got it.
    pub(in crate::server) note: String,
}

/// Who said a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::server) enum Said {
    /// This server.
    Us,
    /// The other side.
    Them,
    /// The script, to its log.
    Log,
}

/// What was said; clones share it.
#[derive(Clone, Debug, Default)]
pub(in crate::server) struct Transcript(Arc<Mutex<Lines>>);

#[derive(Debug, Default)]
struct Lines {
    lines: Vec<(Said, String)>,
    n_bytes: usize,
}

impl Transcript {
    pub(in crate::server) fn add(&self, said: Said, text: impl Into<String>) {
        let text = text.into();
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = TRANSCRIPT_BYTES_MAX.saturating_sub(lines.n_bytes);
        if room == 0 {
            return;
        }
        let text = match text.char_indices().find(|(at, _)| room <= *at) {
            Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
            None => text,
        };
        lines.n_bytes += text.len().max(1);
        lines.lines.push((said, text));
    }

    /// All of it, which is forgotten.
    pub(in crate::server) fn take(&self) -> Vec<(Said, String)> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *lines).lines
    }
}

/// What senders need of the server.
pub(in crate::server) struct Senders {
    pub(in crate::server) db: Db,
    pub(in crate::server) clock: Clock,
    /// Ends waiting.
    pub(in crate::server) stop: Shutdown,
    pub(in crate::server) destinations: Destinations,
    pub(in crate::server) webhooks: Webhooks,
    pub(in crate::server) scripts: ScriptFolder,
    /// For tokens.
    pub(in crate::server) http: Exchanger,
    /// For one e-mail.
    pub(in crate::server) smtp_time: Duration,
}

impl Senders {
    /// Sends a message by a media type.
    pub(in crate::server) fn send(
        &self,
        kind: &Body,
        message: &Outbound,
        transcript: &Transcript,
    ) -> Result<Sent, SendError> {
        let returned = |it| Sent { returned: it, note: String::new() };
        match text_of(kind, "type") {
            mediatype::EMAIL => {
                let note = email::send(self, kind, message, transcript)?;
                Ok(Sent { returned: None, note })
            }
            mediatype::SCRIPT => {
                self.scripts.send(kind, message, &self.stop, transcript).map(returned)
            }
            mediatype::WEBHOOK => {
                self.webhooks.send(kind, message, transcript).map(|it| returned(Some(it)))
            }
            _ => Err(SendError::Hopeless(
                "SMS is not supported: there is nothing here that sends it by a modem. Use a \
                 webhook of a provider"
                    .to_owned(),
            )),
        }
    }
}

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

impl From<String> for SendError {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}

fn failed(text: impl Into<String>) -> SendError {
    SendError::Failed(text.into())
}

/// What the macros of the message itself stand for.
fn with_message(text: &str, message: &Outbound) -> String {
    text.replace("{ALERT.SENDTO}", &message.sendto)
        .replace("{ALERT.SUBJECT}", &message.subject)
        .replace("{ALERT.MESSAGE}", &message.message)
}
