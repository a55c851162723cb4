//! The state of an escalation between its steps.

use model::{EventId, UserId};
use serde::{Deserialize, Serialize};

use crate::{Alert, AlertKind};

/// An action under way for an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Escalation {
    pub id: u64,
    pub action: u64,
    pub event: EventId,
    /// When its next step is due, in seconds since 1970; `i64::MAX`: it sleeps until the recovery.
    pub next_at: i64,
    /// The last one that was made; 0: none.
    pub step: u32,
    /// Recipients of messages, with their media types.
    pub involved: Vec<Involved>,
}

/// A recipient of a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Involved {
    pub user: UserId,
    /// 0: by none, or by all that the user has.
    pub media_type: u64,
}

impl Involved {
    /// The recipient of an alert; commands have none.
    #[must_use]
    pub fn by(alert: &Alert) -> Option<Self> {
        let is_message = alert.kind == AlertKind::Message;
        is_message.then_some(Self { user: alert.user, media_type: alert.media_type })
    }
}

/// Saved in addition to ids and time.
#[derive(Serialize, Deserialize)]
struct Saved {
    step: u32,
    #[serde(default)]
    involved: Vec<Involved>,
}

impl Escalation {
    #[must_use]
    pub const fn new(id: u64, action: u64, event: EventId, now: i64) -> Self {
        Self { id, action, event, next_at: now, step: 0, involved: Vec::new() }
    }

    /// The saved state, without its ids and time, as JSON.
    #[must_use]
    pub fn body(&self) -> String {
        let saved = Saved { step: self.step, involved: self.involved.clone() };
        serde_json::to_string(&saved).expect("numbers are JSON")
    }

    /// As [`Self::body`] wrote it.
    ///
    /// # Errors
    /// If it did not.
    pub fn read(
        (id, action, event): (u64, u64, EventId),
        next_at: i64,
        body: &str,
    ) -> Result<Self, serde_json::Error> {
        let Saved { step, involved } = serde_json::from_str(body)?;
        Ok(Self { id, action, event, next_at, step, involved })
    }
}
