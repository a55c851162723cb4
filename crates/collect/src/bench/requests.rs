//! From jobs to requests: the cost of a check before it reaches its collector.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use model::batch::OwnedRaw;
use model::content::{Interface, InterfaceType, ItemContent, ItemType, SnmpDetails};
use model::snapshot::Snapshot;
use model::{HostId, InterfaceId, ItemId};
use rt::clock::Clock;

use crate::collectors::{self, Agent, Collector, Preparer, Snmp};
use crate::ports::{CheckAnswer, LocalAgent};
use crate::resolve::Resolver;
use crate::schedule::{Due, Job};

/// The only host.
const HOST: HostId = HostId(1);
/// Its only interface.
const INTERFACE: InterfaceId = InterfaceId(1);

/// Jobs of one collector on one host.
pub struct Requests {
    preparer: Preparer,
    snapshot: Arc<Snapshot>,
    job: Job,
}

impl fmt::Debug for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requests").finish_non_exhaustive()
    }
}

impl Requests {
    /// An agent item.
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
        let preparer = Preparer {
            resolver: Arc::new(Resolver::new(TimeZone::UTC)),
            local_agent: Arc::new(NoLocalAgent),
            timeout: Duration::from_secs(3),
            clock: Clock::real(),
        };
        Self { preparer, snapshot: Arc::new(snapshot), job }
    }

    /// Makes the request, and returns the number of its checks.
    #[must_use]
    pub fn make_agent(&self) -> usize {
        self.make::<Agent>()
    }

    /// The same for SNMP objects.
    #[must_use]
    pub fn make_snmp(&self) -> usize {
        self.make::<Snmp>()
    }

    fn make<C: Collector>(&self) -> usize {
        self.preparer.request::<C>(&self.snapshot, &self.job).0.checks.len()
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

/// The process serves no interface itself.
struct NoLocalAgent;

impl LocalAgent for NoLocalAgent {
    fn serves(&self, _: HostId, _: &Interface) -> bool {
        false
    }

    fn get(&self, _: &str) -> CheckAnswer {
        OwnedRaw::Nothing
    }
}
