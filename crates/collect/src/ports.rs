//! What the collectors need from the rest of the process: each a trait for its owner to implement.
//!
//! All of these are called from tasks of the async runtime: they answer from memory and wait for
//! nothing, except [`LocalAgent::get`], which runs in the pool for blocking work.

use model::batch::OwnedRaw;
use model::content::Interface;
use model::key::ItemKey;
use model::{HostId, InterfaceId, ItemId, Time};

/// What a check gave: a value, [`OwnedRaw::Nothing`] for none, or [`OwnedRaw::Error`] with the
/// reason why the item is not supported.
pub type Answer = OwnedRaw;

/// An item that is not supported, for this reason.
#[must_use]
pub fn not_supported(reason: impl Into<String>) -> Answer {
    OwnedRaw::Error(reason.into())
}

/// Answers internal items, `zabbix[...]`.
pub trait Internals: Send + Sync {
    /// The value of a key as an item of `host`. Keys about queue, availability and a host's own
    /// items never come here: the collectors know them.
    fn value(&self, key: &ItemKey, host: HostId) -> Answer;
}

/// Answers agent keys inside the process, instead of an agent across the network.
pub trait LocalAgent: Send + Sync {
    /// Whether checks of this interface are answered here.
    fn serves(&self, host: HostId, interface: &Interface) -> bool;
    /// The value of an expanded key. May block; called in the pool for that, with the item's
    /// time-out.
    fn get(&self, key: &str) -> Answer;
}

/// What is known of items beyond their configuration.
pub trait ItemStates: Send + Sync {
    /// How far a log item was read.
    fn log_position(&self, item: ItemId) -> LogPosition;
    /// How many items of a host are not supported now.
    fn n_unsupported(&self, host: HostId) -> u64;
}

/// How far a log item was read; the agent goes on from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LogPosition {
    /// Bytes of the file.
    pub lastlogsize: u64,
    /// Seconds since 1970.
    pub mtime: i64,
}

/// Whether something answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Available {
    #[default]
    Unknown,
    Yes,
    No,
}

impl Available {
    /// As in the API: 0 unknown, 1 available, 2 not available.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Unknown => 0,
            Self::Yes => 1,
            Self::No => 2,
        }
    }

    /// The inverse of [`Available::code`]; other codes are unknown.
    #[must_use]
    pub fn from_code(code: u8) -> Self {
        match code {
            1 => Self::Yes,
            2 => Self::No,
            _ => Self::Unknown,
        }
    }
}

/// How an interface does, as the API shows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InterfaceState {
    pub available: Available,
    /// Why it does not answer; empty if it does.
    pub error: String,
    /// First of the failures in a row; zero = none.
    pub errors_from: Time,
    /// When it is asked again; zero = it is not waited for.
    pub disable_until: Time,
}

/// Keeps and shows who answers.
pub trait AvailabilitySink: Send + Sync {
    /// The state told last, also before a restart.
    fn interface(&self, interface: InterfaceId) -> InterfaceState;
    /// The state has changed.
    fn set_interface(&self, interface: InterfaceId, state: InterfaceState);
    /// The active agent of a host came or went.
    fn set_active_agent(&self, host: HostId, available: Available);
}
