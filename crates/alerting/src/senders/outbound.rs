//! The input of senders, their results, and the transcript of the exchange.

use std::sync::{Arc, Mutex, PoisonError};

use model::document::Body;
use serde_json::Value as Json;

/// Kept of one exchange, in bytes.
const TRANSCRIPT_BYTES_MAX: usize = 256 << 10;

/// A message on its way.
#[derive(Clone, Debug)]
pub struct Outbound {
    /// 0 of a test.
    pub alert: u64,
    /// The problem that the message is about: also of recoveries and updates.
    pub problem: u64,
    /// When it was made, in seconds since 1970.
    pub clock: i64,
    pub media_type: u64,
    /// Addresses of e-mail are separated by commas or line ends.
    pub sendto: String,
    pub subject: String,
    pub message: String,
    /// Of webhooks a JSON object, of scripts a list; empty: those of the media type.
    pub parameters: String,
    /// There is no other attempt: recipients that are accepted get it, though others might be
    /// accepted later.
    pub is_last: bool,
}

/// Why a message was not sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessageError {
    /// It may go the next time.
    Failed(String),
    /// It never will.
    Hopeless(String),
    /// The other side answers, and refuses this message for good.
    Refused(String),
    /// The other side answers, and may take this message later.
    Deferred(String),
}

impl MessageError {
    /// The text for display.
    pub fn into_text(self) -> String {
        match self {
            Self::Failed(it) | Self::Hopeless(it) | Self::Refused(it) | Self::Deferred(it) => it,
        }
    }

    /// The same with another text.
    pub fn map(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Failed(it) => Self::Failed(change(it)),
            Self::Hopeless(it) => Self::Hopeless(change(it)),
            Self::Refused(it) => Self::Refused(change(it)),
            Self::Deferred(it) => Self::Deferred(change(it)),
        }
    }
}

/// The outcome of a message that was sent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sent {
    /// The result of a webhook or a script.
    pub returned: Option<String>,
    /// Which of several recipients did not get it, and why; empty: all got it.
    pub note: String,
}

/// The author of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// This server.
    Us,
    /// The other side.
    Them,
    /// The script, to its log.
    Log,
}

/// The recorded exchange; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Transcript(Arc<Mutex<Lines>>);

#[derive(Debug, Default)]
struct Lines {
    lines: Vec<(Said, String)>,
    n_bytes: usize,
}

impl Transcript {
    pub fn add(&self, said: Said, text: impl Into<String>) {
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
    pub fn take(&self) -> Vec<(Said, String)> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *lines).lines
    }
}

pub(super) fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

impl From<String> for MessageError {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}

pub(super) fn failed(text: impl Into<String>) -> MessageError {
    MessageError::Failed(text.into())
}

/// Replaces the macros of the message itself.
pub(super) fn with_message(text: &str, message: &Outbound) -> String {
    text.replace("{ALERT.SENDTO}", &message.sendto)
        .replace("{ALERT.SUBJECT}", &message.subject)
        .replace("{ALERT.MESSAGE}", &message.message)
}
