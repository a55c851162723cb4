//! A message or a remote command that an action made: one row of `alert.get`.

use model::{EventId, HostId, UserId};
use serde::{Deserialize, Serialize};

/// A message or command for an event. It is saved before it is sent. The default is a message to
/// nobody that has not been processed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Alert {
    pub id: u64,
    pub action: u64,
    /// Its subject: the problem, its recovery, or the problem of an update.
    pub event: EventId,
    /// Of a message about a recovery: the problem that it ends. Otherwise 0.
    pub problem: EventId,
    /// Of a message about an update: the entry that it describes. Otherwise 0.
    pub acknowledge: u64,
    /// The recipient; 0 for commands.
    pub user: UserId,
    /// When it was made, in seconds since 1970.
    pub clock: i64,
    /// 0 for commands, and for messages to users without a medium.
    pub media_type: u64,
    /// The address: one, or several separated by commas.
    pub sendto: String,
    pub subject: String,
    /// The text; of a command its target and contents, secrets masked.
    pub message: String,
    /// Of webhooks: names and values as a JSON object; of commands a [`CommandTarget`].
    pub parameters: String,
    pub kind: AlertKind,
    /// Of the action's operation, from 1; 1 for recoveries and updates.
    pub step: u32,
    pub status: AlertStatus,
    /// How often it was tried in vain; of a command 1 as soon as it is begun.
    pub retries: u32,
    /// Of the last try; why there was none.
    pub error: String,
    /// Time of the next attempt, in seconds since 1970; of a held message, when it is to be sent.
    pub next_at: i64,
    /// The digest that contains it; its own id: it is a digest; 0: it is sent by itself, or still
    /// waits. See [`crate::digest`].
    pub digest: u64,
}

/// The kind of a command: saved as an alert's `parameters`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CommandTarget {
    pub script: u64,
    /// Where it is executed; `NONE`: on the host of the event, which may be made by the same action, or of
    /// services on none.
    pub host: HostId,
}

impl CommandTarget {
    #[must_use]
    pub fn to_json(self) -> String {
        serde_json::to_string(&self).expect("numbers are JSON")
    }

    /// As [`Self::to_json`] wrote it.
    #[must_use]
    pub fn read(parameters: &str) -> Option<Self> {
        serde_json::from_str(parameters).ok()
    }
}

impl Alert {
    /// The problem that it is about, also of a message about its recovery.
    #[must_use]
    pub const fn about(&self) -> EventId {
        if self.problem.0 == 0 { self.event } else { self.problem }
    }

    /// Whether it is a digest of other messages.
    #[must_use]
    pub const fn is_digest(&self) -> bool {
        self.digest != 0 && self.digest == self.id
    }
}

/// `alerttype` of Zabbix 7.0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum AlertKind {
    #[default]
    Message,
    Command,
}

impl AlertKind {
    /// As the API and the database have it.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Message => 0,
            Self::Command => 1,
        }
    }

    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Message),
            1 => Some(Self::Command),
            _ => None,
        }
    }
}

/// `status` of Zabbix 7.0's alerts, and one of our own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum AlertStatus {
    /// To be sent (again).
    NotSent,
    /// Sent, or executed.
    Sent,
    /// Given up.
    Failed,
    /// Made, and not yet taken by delivery.
    #[default]
    New,
    /// It waits for a digest, or is in one that is not sent yet.
    Held,
}

impl AlertStatus {
    /// As in the API: a held alert counts as not sent.
    #[must_use]
    pub const fn shown_code(self) -> u8 {
        match self {
            Self::Held => Self::NotSent.code(),
            other => other.code(),
        }
    }

    /// As the database has it.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::NotSent => 0,
            Self::Sent => 1,
            Self::Failed => 2,
            Self::New => 3,
            Self::Held => 4,
        }
    }

    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::NotSent),
            1 => Some(Self::Sent),
            2 => Some(Self::Failed),
            3 => Some(Self::New),
            4 => Some(Self::Held),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_they_are_written() {
        for code in 0..=u8::MAX {
            if let Some(it) = AlertKind::from_code(code) {
                assert_eq!(it.code(), code);
            }
            if let Some(it) = AlertStatus::from_code(code) {
                assert_eq!(it.code(), code);
            }
        }
        assert_eq!((0..=u8::MAX).filter_map(AlertKind::from_code).count(), 2);
        assert_eq!((0..=u8::MAX).filter_map(AlertStatus::from_code).count(), 5);
        let target = CommandTarget { script: 4, host: HostId(7) };
        assert_eq!(CommandTarget::read(&target.to_json()), Some(target));
        assert_eq!(CommandTarget::read(""), None);
    }
}
