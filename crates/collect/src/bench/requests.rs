//! From jobs to requests: what a check costs before it reaches its collector.

use std::fmt;
use std::sync::Arc;

use jiff::tz::TimeZone;
use model::batch::OwnedRaw;
use model::content::{Interface, InterfaceType, ItemContent, ItemType, SnmpDetails};
use model::key::ItemKey;
use model::snapshot::Snapshot;
use model::{HostId, InterfaceId, ItemId};
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::task::Tasks;

use crate::collectors;
use crate::poll::Polling;
use crate::ports::{
    Answer, AvailabilitySink, Available, InterfaceState, Internals, ItemStates, LocalAgent,
    LogPosition,
};
use crate::resolve::Resolver;
use crate::schedule::{Due, Job};
use crate::{CollectParts, CollectSettings, Configuration, Directory, Ingress};

/// The only host.
const HOST: HostId = HostId(1);
/// Its only interface.
const INTERFACE: InterfaceId = InterfaceId(1);

/// Jobs of one collector on one host.
pub struct Requests {
    polling: Polling,
    snapshot: Arc<Snapshot>,
    job: Job,
}

impl fmt::Debug for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requests").finish_non_exhaustive()
    }
}

impl Requests {
    /// One agent item.
    ///
    /// # Panics
    /// Never: the collector is there.
    #[must_use]
    pub fn agent() -> Self {
        Self::of(ItemType::ZabbixAgent, InterfaceType::Agent, 1)
    }

    /// A request of `n` SNMP objects.
    #[must_use]
    pub fn snmp(n: u64) -> Self {
        Self::of(ItemType::Snmp, InterfaceType::Snmp, n)
    }

    fn of(kind: ItemType, of: InterfaceType, n: u64) -> Self {
        let mut snapshot = super::snapshot(1, n, "1m");
        if let Some(host) = snapshot.hosts.get_mut(&HOST) {
            let host = Arc::make_mut(host);
            host.interfaces.push(interface(of));
            for (row, at) in host.items.iter_mut().zip(1_u32..) {
                let content = ItemContent::clone(&row.content);
                let snmp_oid = format!("1.3.6.1.2.1.2.2.1.10.{at}");
                row.content = Arc::new(ItemContent { kind, snmp_oid, ..content });
            }
        }
        let items: Vec<ItemId> =
            snapshot.hosts.values().flat_map(|it| &it.items).map(|it| it.id).collect();
        let content = snapshot.hosts.values().flat_map(|it| &it.items).next();
        let class = content.and_then(|it| collectors::classify(&it.content));
        let class = class.expect("there is a collector for these items");
        let mut job = Job::trial(class.kind, (HOST, INTERFACE), Due::trial(ItemId(0)));
        job.checks = items.into_iter().map(Due::trial).collect();
        let snapshot = Arc::new(snapshot);
        Self { polling: polling(&snapshot), snapshot, job }
    }

    /// Makes the request, and says how many checks it has.
    #[must_use]
    pub fn make(&self) -> usize {
        self.polling.prepare(&self.snapshot, &self.job).checks.len()
    }
}

fn interface(kind: InterfaceType) -> Interface {
    let details = SnmpDetails { community: "public".to_owned(), ..SnmpDetails::default() };
    Interface {
        interfaceid: INTERFACE,
        kind,
        main: true,
        useip: true,
        ip: "127.0.0.1".to_owned(),
        dns: String::new(),
        port: "10050".to_owned(),
        details: (kind == InterfaceType::Snmp).then_some(details),
    }
}

fn polling(snapshot: &Arc<Snapshot>) -> Polling {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime without drivers needs nothing of the system");
    let _entered = runtime.enter();
    let (clock, registry) = (Clock::real(), Registry::new());
    let tasks = Tasks::new("bench", &registry);
    let (ingress, _queues) = Ingress::open(1, &clock, &registry, &tasks);
    let owner = Arc::new(Owner(Arc::clone(snapshot)));
    let parts = CollectParts {
        settings: CollectSettings::default(),
        ingress,
        configuration: Arc::clone(&owner) as _,
        internals: Arc::clone(&owner) as _,
        local_agent: Arc::clone(&owner) as _,
        item_states: Arc::clone(&owner) as _,
        availability: owner as _,
        zone: TimeZone::UTC,
        clock,
    };
    Polling::new(&parts, Arc::new(Resolver::new(TimeZone::UTC)), &registry)
}

/// The rest of the process: knows nothing.
struct Owner(Arc<Snapshot>);

impl Configuration for Owner {
    fn directory(&self) -> Arc<dyn Directory> {
        unreachable!("no value is looked up")
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0)
    }
}

impl Internals for Owner {
    fn value(&self, _: &ItemKey, _: HostId) -> Answer {
        OwnedRaw::Nothing
    }
}

impl LocalAgent for Owner {
    fn serves(&self, _: HostId, _: &Interface) -> bool {
        false
    }

    fn get(&self, _: &str) -> Answer {
        OwnedRaw::Nothing
    }
}

impl ItemStates for Owner {
    fn log_position(&self, _: ItemId) -> LogPosition {
        LogPosition::default()
    }

    fn n_unsupported(&self, _: HostId) -> u64 {
        0
    }
}

impl AvailabilitySink for Owner {
    fn interface(&self, _: InterfaceId) -> InterfaceState {
        InterfaceState::default()
    }

    fn set_interface(&self, _: InterfaceId, _: InterfaceState) {}

    fn set_active_agent(&self, _: HostId, _: Available) {}
}
