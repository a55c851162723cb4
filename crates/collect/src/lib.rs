//! Polls devices and receives their values.
//!
//! The meaning of values is not known here: raw values go into column batches by shard (crate
//! `ingress`), looked up through the [`Directory`] that the owner of the process provides.

pub mod active;
pub mod agent_commands;
pub mod allowed;
#[doc(hidden)]
pub mod bench;
mod collectors;
pub mod discovery;
mod dns_cache;
pub mod encryption;
mod mibs;
pub mod poll;
pub mod ports;
mod process;
mod resolve;
mod schedule;
mod secret_texts;
pub mod series;
mod snmp_traps;
pub mod syslog;
pub mod transcript;
pub mod trapper;

#[cfg(test)]
#[path = "../tests/collect/support/config.rs"]
mod fixtures;

use std::sync::Arc;

use model::content::ItemType;
use model::snapshot::Snapshot;
use model::{HostId, ItemId};

pub use active::{ActiveChecks, ActiveParts};
pub use agent_commands::AgentCommands;
pub use collectors::{Chassis, CollectorSettings, ODBC_WORKER_ROLE};
pub use dns_cache::DnsCache;
pub use encryption::Peer;
use ingress::Target;
pub use poll::{CollectParts, CollectSettings, Collectors, ExecuteError, TrialError};
pub use ports::{
    AvailabilitySink, Available, CheckAnswer, HostMaintenance, HttpClient, InterfaceState,
    Internals, ItemStates, LocalAgent, LogPosition, Maintenances, Registration, Registrations,
    ScriptHost, not_supported,
};
pub use snmp_traps::{SnmpTrapSettings, TrapSources};
pub use transcript::Transcript;

/// The properties of an item that the collectors need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResolvedItem {
    pub target: Target,
    pub item: ItemId,
    pub host: HostId,
    pub kind: ItemType,
    /// The item and its host are enabled.
    pub enabled: bool,
    /// An HTTP agent item that also takes pushed values.
    pub allow_traps: bool,
    /// Not every peer may push to it: the item names hosts, or its host accepts more than
    /// unencrypted connections. Check both.
    pub restricted: bool,
}

/// One state of the lookup; immutable, so that all rows of a request see the same.
pub trait Directory: Send + Sync {
    /// The configuration's epoch that the lookup was built for.
    fn epoch(&self) -> u64;
    /// The item of a host (technical name) by its configured key. `previous` is the host found for
    /// the row before: most requests name one host many times.
    fn find(&self, host: &str, key: &str, previous: &mut PreviousHost) -> Option<ResolvedItem>;
    fn item(&self, item: ItemId) -> Option<ResolvedItem>;
    /// As [`Directory::item`], where the host is known.
    fn item_of(&self, host: HostId, item: ItemId) -> Option<ResolvedItem> {
        self.item(item).filter(|it| it.host == host)
    }
}

/// The state of a look-up between rows of a request; opaque to the caller.
#[derive(Clone, Debug, Default)]
pub struct PreviousHost {
    pub name: String,
    pub position: Option<usize>,
}

/// Returns the current configuration.
pub trait Configuration: Send + Sync {
    fn directory(&self) -> Arc<dyn Directory>;
    fn snapshot(&self) -> Arc<Snapshot>;
}
