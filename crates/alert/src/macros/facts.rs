//! The subject of a message, and the source of facts about it.

use jiff::tz::TimeZone;
use model::content::Severity;
use model::snapshot::Snapshot;
use model::value::Sample;
use model::{EventId, GroupId, HostId, ItemId, Time, TriggerId, UserId};

use crate::event::MessageEvent;

/// The subject of one message or command.
#[derive(Clone, PartialEq, Debug)]
pub struct MessageContext {
    /// The problem (also in messages about its recovery), or the event of a source without recoveries. `None` for a
    /// script that is started for a host.
    pub event: Option<MessageEvent>,
    /// The event that resolved the problem, in messages about the recovery.
    pub recovery: Option<MessageEvent>,
    /// The entry that a message about an update describes. Of services: the severity and when it
    /// changed.
    pub update: Option<Update>,
    /// Id and name of the action; (0, "") where there is none, as for scripts that users start.
    pub action: (u64, String),
    /// The recipient; of a script the user who started it. `NONE` for commands of actions.
    pub user: UserId,
    /// Of a command: the host where it is executed.
    pub target: Option<HostId>,
    /// Of parameters of media types: the message that they are to send.
    pub alert: Option<AlertTexts>,
    /// Whether secret macros are shown: they must be in commands and parameters of webhooks.
    pub secrets: SecretMode,
    /// The input that a user typed for a script: `{MANUALINPUT}`.
    pub manual_input: Option<String>,
}

impl MessageContext {
    /// Of a message about an event, from no action and to nobody.
    #[must_use]
    pub fn of_event(event: MessageEvent) -> Self {
        Self { event: Some(event), ..Self::new() }
    }

    /// Of a script that a user starts for a host.
    #[must_use]
    pub fn of_host(host: HostId, user: UserId) -> Self {
        Self { target: Some(host), user, secrets: SecretMode::Shown, ..Self::new() }
    }

    /// Of a message whose event does not exist: macros about events stay as they are written.
    #[must_use]
    pub fn without_subject() -> Self {
        Self::new()
    }

    fn new() -> Self {
        Self {
            event: None,
            recovery: None,
            update: None,
            action: (0, String::new()),
            user: UserId::NONE,
            target: None,
            alert: None,
            secrets: SecretMode::Masked,
            manual_input: None,
        }
    }

    /// The event that the message is about: the recovery if it is about one.
    #[must_use]
    pub fn current(&self) -> Option<&MessageEvent> {
        self.recovery.as_ref().or(self.event.as_ref())
    }
}

/// How secret macros are replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SecretMode {
    /// By six asterisks: for texts that people read.
    #[default]
    Masked,
    /// Their values: for commands and webhooks.
    Shown,
}

/// `{ALERT.*}`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AlertTexts {
    pub sendto: String,
    pub subject: String,
    pub message: String,
}

/// One entry below a problem: an action of a user on it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Update {
    pub id: u64,
    pub user: UserId,
    /// Seconds since 1970.
    pub clock: i64,
    pub message: String,
    /// Bits of `action` in `event.acknowledge`.
    pub action: u32,
    pub old_severity: u8,
    pub new_severity: u8,
    /// Seconds since 1970; 0: indefinitely.
    pub suppress_until: i64,
}

/// How many events a trigger has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventCounts {
    pub acknowledged: u64,
    pub unacknowledged: u64,
    pub problems_acknowledged: u64,
    pub problems_unacknowledged: u64,
}

/// Objects with a state of their own: a trigger may be unknown, an item not supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateOwner {
    Trigger(TriggerId),
    /// Or a discovery rule.
    Item(ItemId),
}

/// Whether an item is supported, a trigger known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ObjectState {
    pub is_faulty: bool,
    /// The reason; it may be set for an object that works, too.
    pub error: String,
}

/// A message or command sent for a problem before: a line of `{ESC.HISTORY}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EscalationEntry {
    pub step: u32,
    /// Seconds since 1970.
    pub clock: i64,
    pub kind: crate::AlertKind,
    pub status: crate::AlertStatus,
    /// Of messages: the name of the media type.
    pub media_type: String,
    pub sendto: String,
    pub user: UserId,
    /// Of commands: the executed text.
    pub command: String,
    pub error: String,
}

/// `{DISCOVERY.*}`: the result of a rule of network discovery.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiscoveryMacros {
    pub rule: String,
    pub ip: String,
    pub dns: String,
    pub is_up: bool,
    /// Seconds since it is up, or down.
    pub since_s: i64,
    /// Of an event about a service: as above.
    pub service: Option<DiscoveredService>,
    /// The proxy that looked; "" for the server.
    pub proxy: String,
    pub proxy_description: String,
}

/// `{DISCOVERY.SERVICE.*}`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiscoveredService {
    /// `HTTP`.
    pub name: String,
    pub port: u16,
    pub is_up: bool,
    pub since_s: i64,
}

/// An active agent that made itself known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Registered {
    pub host: String,
    pub ip: String,
    pub port: String,
    pub metadata: String,
    /// The proxy that it asked; "" for the server.
    pub proxy: String,
    pub proxy_description: String,
}

/// `{SERVICE.*}`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ServiceFacts {
    pub name: String,
    pub description: String,
    /// The problems that explain the status.
    pub root_cause: Vec<MessageEvent>,
}

/// Values of macros. Unknown values are `None` or empty; methods that a source of events does not
/// need have a default body.
pub trait MessageFacts {
    fn context(&self) -> &MessageContext;
    /// The configuration as it is now.
    fn snapshot(&self) -> &Snapshot;
    fn now(&self) -> Time;
    /// In which times are written: the recipient's, else the server's.
    fn zone(&self) -> &TimeZone;

    /// The newest value of an item that is not younger than `until`; of any age if that is `None`.
    fn value(&self, item: ItemId, until: Option<Time>) -> Option<Sample>;

    fn object_state(&self, _of: StateOwner) -> Option<ObjectState> {
        None
    }

    /// The result of a function of a trigger at a time. `position`: of the function in the
    /// trigger's list.
    fn function_value(&self, _of: TriggerId, _position: usize, _at: Time) -> Option<String> {
        None
    }

    /// The result of an expression macro: `avg(/host/key,5m)`, with its hosts written out.
    fn expression_value(&self, _written: &str, _at: Time) -> Option<String> {
        None
    }

    /// Entries below a problem, oldest first.
    fn updates(&self, _of: EventId) -> Vec<Update> {
        Vec::new()
    }

    fn event_counts(&self, _of: TriggerId) -> Option<EventCounts> {
        None
    }

    /// The cause of this problem, and the event that resolved it.
    fn cause(&self, _of: EventId) -> Option<(MessageEvent, Option<MessageEvent>)> {
        None
    }

    /// The problems that are symptoms of this one.
    fn symptoms(&self, _of: EventId) -> Vec<MessageEvent> {
        Vec::new()
    }

    /// By which the recipient acknowledges the problem without logging in; `None`: there are no such links.
    fn acknowledge_url(&self) -> Option<String> {
        None
    }

    /// The history of the escalation so far, oldest first.
    fn escalation(&self) -> Vec<EscalationEntry> {
        Vec::new()
    }

    fn discovered(&self) -> Option<DiscoveryMacros> {
        None
    }

    fn registered(&self) -> Option<Registered> {
        None
    }

    fn service(&self) -> Option<ServiceFacts> {
        None
    }

    /// Whether the recipient may see a host group; commands have no recipient and see all.
    fn may_read(&self, _group: GroupId) -> bool {
        true
    }

    /// As [`Self::may_read`], for a template.
    fn may_read_template(&self, _template: HostId) -> bool {
        true
    }

    /// The value at a path of the vault.
    fn vault(&self, _path: &str) -> Option<String> {
        None
    }

    /// Name of the severity, as the administrator calls it.
    fn severity_name(&self, of: Severity) -> String {
        let names = &self.snapshot().globals.settings.severity_names;
        let name = usize::try_from(of.code()).ok().and_then(|it| names.get(it));
        name.map_or_else(String::new, ToString::to_string)
    }
}
