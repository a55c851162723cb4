//! Global settings of the server, which super admins change (`settings`, `housekeeping` of the API), as
//! those parts read them that have to obey them.
//!
//! They are kept as documents; this is made of them at each change.

use std::sync::Arc;

use crate::content::ItemType;
use crate::encryption::Encryption;
use crate::retention::HISTORY_MIN_S;

const DAY: i64 = 86_400;
/// The history period of a new item.
const HISTORY_DEFAULT_S: u64 = 31 * 86_400;
const TRENDS_DEFAULT_S: u64 = 365 * 86_400;

/// Settings of the whole server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalSettings {
    pub housekeeping: Housekeeping,
    pub passwords: PasswordRules,
    /// Names of severities, by code.
    pub severity_names: [Arc<str>; 6],
    /// Seconds for which a resolved problem counts as recent.
    pub ok_period_s: i64,
    /// Timeouts of items without their own, where they were changed; they may contain macros.
    pub timeouts: Vec<(ItemType, Arc<str>)>,
    /// Failed logins in a row after which one has to wait.
    pub login_attempts: u32,
    pub login_block_s: i64,
    /// Whether the audit log is written.
    pub is_audited: bool,
    /// Whether changes by the server itself are audited as well.
    pub is_server_audited: bool,
    /// Schemes that links may have; `None`: any.
    pub uri_schemes: Option<Arc<[Box<str>]>>,
    /// Of hosts that are made without saying one: -1, 0 or 1.
    pub inventory_mode: i64,
    pub flapping: FlappingRule,
    pub digests: DigestRule,
    /// Whether SNMP traps that no item takes are logged.
    pub logs_unmatched_traps: bool,
    /// How agents that register themselves may connect: `accept` and the key.
    pub autoregistration: Arc<Encryption>,
}

/// When messages to a recipient are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DigestRule {
    /// This number of messages within the period is a storm; 0: there is no such rule.
    pub messages: u32,
    /// Seconds.
    pub period_s: i64,
    /// Between two digests, in seconds.
    pub interval_s: i64,
}

impl Default for DigestRule {
    fn default() -> Self {
        Self { messages: 0, period_s: 300, interval_s: 600 }
    }
}

impl DigestRule {
    /// Seconds after a digest until the server checks again whether the storm goes on.
    #[must_use]
    pub const fn recheck_s(&self) -> i64 {
        if self.period_s < self.interval_s { self.interval_s } else { self.period_s }
    }

    /// For how many seconds messages of the past say something of now.
    #[must_use]
    pub const fn memory_s(&self) -> i64 {
        self.recheck_s().saturating_add(self.interval_s)
    }
}

/// When a trigger changes too often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlappingRule {
    /// This number of changes within the period is flapping; 0: there is no such rule.
    pub changes: u32,
    /// Seconds.
    pub period_s: i64,
}

impl Default for FlappingRule {
    fn default() -> Self {
        Self { changes: 0, period_s: 600 }
    }
}

/// The rules of new passwords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PasswordRules {
    /// In characters.
    pub min_length: u32,
    /// A small and a capital Latin letter.
    pub has_both_cases: bool,
    pub has_digit: bool,
    pub has_special: bool,
    /// Neither common nor with one of the user's names in it.
    pub is_hard_to_guess: bool,
}

impl Default for PasswordRules {
    fn default() -> Self {
        Self {
            min_length: 8,
            has_both_cases: false,
            has_digit: false,
            has_special: false,
            is_hard_to_guess: true,
        }
    }
}

/// How long data are kept. Seconds; `None`: for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Housekeeping {
    /// `None`: no event is deleted.
    pub events: Option<EventPeriods>,
    pub audit_s: Option<i64>,
    pub sessions_s: Option<i64>,
    /// Whether values that are past their period are removed.
    pub expires_history: bool,
    pub expires_trends: bool,
    /// In place of the periods of items, of those that keep any.
    pub history_s: Option<i64>,
    pub trends_s: Option<i64>,
}

/// How long events are kept, by their source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventPeriods {
    pub trigger_s: i64,
    pub service_s: i64,
    pub internal_s: i64,
    pub discovery_s: i64,
    pub autoregistration_s: i64,
}

impl Housekeeping {
    /// How many seconds an item keeps values, whose own period is `own_s` (`None`: it is no period); 0: not
    /// at all. As in Zabbix, the period of all items applies only to items that keep any.
    #[must_use]
    pub fn history_of(&self, own_s: Option<u64>) -> u32 {
        match in_force(own_s.unwrap_or(HISTORY_DEFAULT_S), self.history_s) {
            0 => 0,
            it => u32::try_from(it).unwrap_or(u32::MAX).max(HISTORY_MIN_S),
        }
    }

    /// As [`Self::history_of`], for trends. Items without numbers have none, whatever this says.
    #[must_use]
    pub fn trends_of(&self, own_s: Option<u64>) -> i64 {
        let period_s = in_force(own_s.unwrap_or(TRENDS_DEFAULT_S), self.trends_s);
        i64::try_from(period_s).unwrap_or(i64::MAX)
    }
}

fn in_force(own_s: u64, all_s: Option<i64>) -> u64 {
    let all_s = all_s.and_then(|it| u64::try_from(it).ok());
    if own_s == 0 { 0 } else { all_s.unwrap_or(own_s) }
}

impl Default for EventPeriods {
    fn default() -> Self {
        Self {
            trigger_s: 365 * DAY,
            service_s: DAY,
            internal_s: DAY,
            discovery_s: DAY,
            autoregistration_s: DAY,
        }
    }
}

impl Default for Housekeeping {
    fn default() -> Self {
        Self {
            events: Some(EventPeriods::default()),
            audit_s: Some(31 * DAY),
            sessions_s: Some(365 * DAY),
            expires_history: true,
            expires_trends: true,
            history_s: None,
            trends_s: None,
        }
    }
}

impl Default for GlobalSettings {
    fn default() -> Self {
        let names = ["Not classified", "Information", "Warning", "Average", "High", "Disaster"];
        let schemes = ["http", "https", "ftp", "file", "mailto", "tel", "ssh"];
        Self {
            housekeeping: Housekeeping::default(),
            passwords: PasswordRules::default(),
            severity_names: names.map(Arc::from),
            ok_period_s: 300,
            timeouts: Vec::new(),
            login_attempts: 5,
            login_block_s: 30,
            is_audited: true,
            is_server_audited: true,
            uri_schemes: Some(schemes.map(Box::from).into()),
            inventory_mode: -1,
            flapping: FlappingRule::default(),
            digests: DigestRule::default(),
            logs_unmatched_traps: true,
            autoregistration: Arc::default(),
        }
    }
}

impl GlobalSettings {
    /// The time-out of items of a type that have none of their own; `None`: the server's own.
    #[must_use]
    pub fn timeout(&self, kind: ItemType) -> Option<&Arc<str>> {
        self.timeouts.iter().find(|(it, _)| *it == kind).map(|(_, it)| it)
    }
}
