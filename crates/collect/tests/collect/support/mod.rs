//! The collecting side of a server in a test: real sockets, and a shard that records values.
#![allow(dead_code, unreachable_pub, reason = "each file of tests uses a part")]

pub mod config;
pub mod http;
pub mod scripts;
pub mod shells;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use collect::ports::Secrets;
use collect::transcript::LineKind;
use collect::trapper::{
    ActiveAgents, Parts, ReplyFuture, RequestKind, ServerRequests, Trapper, TrapperSettings,
};
use collect::{
    AvailabilitySink, Available, CheckAnswer, CollectParts, CollectSettings, Collectors,
    Configuration, Directory, HostMaintenance, InterfaceState, Internals, ItemStates, LocalAgent,
    LogPosition, Maintenances, PreviousHost, Registration, Registrations, ResolvedItem, Transcript,
    TrapSources, TrialError, not_supported,
};
use ingress::{Deliveries, Ingress, Target};
use model::batch::OwnedRaw;
use model::content::{HostStatus, Interface, ItemStatus};
use model::key::ItemKey;
use model::snapshot::{Delta, Snapshot};
use model::{HostId, InterfaceId, ItemId, Time};
use rt::clock::Clock;
use rt::health::Health;
use rt::lanes::Lanes;
use rt::metrics::Registry;
use rt::reading::Readings;
use rt::task::Tasks;
use rt::worker::{GroupContext, Roster, WorkerGroup, WorkerMetrics};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Longest wait for something that must happen.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// This server gets no such requests.
struct NoRequests;

impl ServerRequests for NoRequests {
    fn answer<'a>(&'a self, _: RequestKind, _: &'a [u8], _: std::net::IpAddr) -> ReplyFuture<'a> {
        Box::pin(async { Vec::new() })
    }
}

/// A value as received by the shard.
#[derive(Clone, PartialEq, Debug)]
pub struct Seen {
    pub item: ItemId,
    pub time: Time,
    pub value: OwnedRaw,
}

/// Slots are item ids.
struct Lookup(Arc<Snapshot>);

impl Directory for Lookup {
    fn epoch(&self) -> u64 {
        self.0.epoch
    }

    fn find(&self, host: &str, key: &str, _: &mut PreviousHost) -> Option<ResolvedItem> {
        let id = self.0.host_named(host)?.item_by_key(key)?.id;
        self.item(id)
    }

    fn item(&self, item: ItemId) -> Option<ResolvedItem> {
        let (host, row) = self.0.item(item)?;
        Some(ResolvedItem {
            target: Target { shard: 0, slot: u32::try_from(item.0).expect("small ids") },
            item,
            host: host.id,
            kind: row.content.kind,
            enabled: host.status == HostStatus::Monitored
                && row.content.status == ItemStatus::Enabled,
            allow_traps: false,
            restricted: host.encryption.is_some(),
        })
    }
}

/// Knows the keys of the hosts of a configuration.
fn acceptor(config: Arc<Config>, tls: &rt::tls::TlsSettings) -> rt::tls::Acceptor {
    let psk_of = move |identity: &str| {
        let snapshot = config.0.load();
        snapshot.psk(identity).and_then(rt::tls::key_of_hex)
    };
    rt::tls::Acceptor::new(tls, Arc::new(psk_of)).expect("files that are there")
}

/// The configuration that a test changes.
pub struct Config(ArcSwap<Snapshot>);

impl Configuration for Config {
    fn directory(&self) -> Arc<dyn Directory> {
        Arc::new(Lookup(self.0.load_full()))
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.0.load_full()
    }
}

/// All interfaces that the owner of the process implements.
#[derive(Default)]
pub struct Owner {
    pub interfaces: Mutex<BTreeMap<InterfaceId, Vec<InterfaceState>>>,
    pub active: Mutex<BTreeMap<HostId, Available>>,
    pub http: Arc<http::Play>,
    pub scripts: Arc<scripts::Play>,
    pub browsers: Mutex<Option<Arc<scripts::Play>>>,
    pub maintained: Mutex<BTreeMap<HostId, HostMaintenance>>,
    /// Values of vault macros.
    pub secrets: Mutex<BTreeMap<String, String>>,
    pub shells: Arc<shells::Play>,
    /// Interfaces that are answered inside the process.
    pub local: Mutex<Vec<InterfaceId>>,
    /// Taken by the first server.
    pub traps: Mutex<TrapSources>,
}

impl Internals for Owner {
    fn value(&self, key: &ItemKey, host: HostId) -> CheckAnswer {
        match key.param(0) {
            "host_id" => OwnedRaw::Unsigned(host.0),
            "bug" => panic!("a bug in a check"),
            _ => not_supported("Unsupported item key."),
        }
    }
}

impl LocalAgent for Owner {
    fn serves(&self, _: HostId, interface: &Interface) -> bool {
        self.local.lock().expect("no panic").contains(&interface.interfaceid)
    }

    fn get(&self, key: &str) -> CheckAnswer {
        OwnedRaw::Text(format!("local {key}"))
    }
}

impl ItemStates for Owner {
    fn log_position(&self, _: ItemId) -> LogPosition {
        LogPosition::default()
    }

    fn n_unsupported(&self, _: HostId) -> u64 {
        3
    }
}

impl Maintenances for Owner {
    fn of(&self, host: HostId) -> HostMaintenance {
        let maintained = self.maintained.lock().unwrap_or_else(PoisonError::into_inner);
        maintained.get(&host).copied().unwrap_or_default()
    }
}

impl Secrets for Owner {
    fn secret(&self, named: &str) -> Result<Arc<str>, String> {
        let secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        secrets.get(named).map(|it| it.as_str().into()).ok_or_else(|| format!("No secret {named}."))
    }
}

impl Registrations for Owner {
    fn asked(&self, _: Registration, _: std::net::IpAddr) {}
}

impl AvailabilitySink for Owner {
    fn interface(&self, interface: InterfaceId) -> InterfaceState {
        let states = self.interfaces.lock().unwrap_or_else(PoisonError::into_inner);
        states.get(&interface).and_then(|it| it.last()).cloned().unwrap_or_default()
    }

    fn set_interface(&self, interface: InterfaceId, state: InterfaceState) {
        let mut states = self.interfaces.lock().unwrap_or_else(PoisonError::into_inner);
        states.entry(interface).or_default().push(state);
    }

    fn set_active_agent(&self, host: HostId, available: Available) {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).insert(host, available);
    }
}

pub struct Server {
    pub collectors: Collectors,
    pub owner: Arc<Owner>,
    pub registry: Registry,
    pub trapper: SocketAddr,
    config: Arc<Config>,
    seen: watch::Receiver<Vec<Seen>>,
    tasks: Tasks,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.tasks.shutdown().cancel();
    }
}

/// Fast enough for tests.
pub fn settings() -> CollectSettings {
    CollectSettings {
        timeout: Duration::from_secs(2),
        unreachable_delay: Duration::from_secs(1),
        unreachable_period: Duration::from_secs(2),
        unavailable_delay: Duration::from_secs(1),
        ..CollectSettings::default()
    }
}

impl Server {
    pub async fn start(snapshot: Arc<Snapshot>) -> Self {
        Self::start_as(snapshot, settings(), Arc::default()).await
    }

    pub async fn start_as(
        snapshot: Arc<Snapshot>,
        settings: CollectSettings,
        owner: Arc<Owner>,
    ) -> Self {
        Self::start_tls(snapshot, settings, owner, &rt::settings::defaults()).await
    }

    /// With certificates.
    pub async fn start_tls(
        snapshot: Arc<Snapshot>,
        settings: CollectSettings,
        owner: Arc<Owner>,
        tls: &rt::tls::TlsSettings,
    ) -> Self {
        let registry = Registry::new();
        let tasks = Tasks::new("test", &registry);
        let clock = Clock::real();
        let (ingress, mut queues) = Ingress::new(1, &clock, &registry);
        let (seen_by, seen) = watch::channel(Vec::new());
        tasks.spawn("shard", write_down(queues.pop().expect("one shard"), seen_by));
        let config = Arc::new(Config(ArcSwap::new(snapshot)));
        let parts = CollectParts {
            settings,
            ingress: ingress.clone(),
            configuration: Arc::clone(&config) as _,
            internals: Arc::clone(&owner) as _,
            local_agent: Arc::clone(&owner) as _,
            http: Arc::clone(&owner.http) as _,
            readings: Readings::new(256 << 20, &clock, &registry),
            scripts: Arc::clone(&owner.scripts) as _,
            browsers: {
                let browsers = owner.browsers.lock().unwrap_or_else(PoisonError::into_inner);
                browsers.clone().map(|it| it as _)
            },
            shells: Arc::clone(&owner.shells) as _,
            secrets: Arc::clone(&owner) as _,
            item_states: Arc::clone(&owner) as _,
            maintenances: Arc::clone(&owner) as _,
            availability: Arc::clone(&owner) as _,
            registrations: Arc::clone(&owner) as _,
            own_program: None,
            traps: std::mem::take(&mut *owner.traps.lock().unwrap_or_else(PoisonError::into_inner)),
            dns: collect::DnsCache::new(clock.clone(), tasks.clone()),
            tls: rt::tls::TlsConnector::new(tls).expect("files that are there"),
            zone: jiff::tz::TimeZone::UTC,
            clock: clock.clone(),
        };
        let context = GroupContext {
            tasks: tasks.clone(),
            clock: clock.clone(),
            health: Health::default(),
            metrics: WorkerMetrics::register(&registry),
            roster: Roster::default(),
        };
        let timers = WorkerGroup::new("timers", &context);
        let started =
            Collectors::start(parts, &registry, (&context, &timers.handle()), &Lanes::here());
        let collectors = started.expect("threads");
        timers.start().expect("a thread");
        let parts = Parts {
            ingress,
            configuration: Arc::clone(&config) as _,
            agents: collectors.active_agents() as Arc<dyn ActiveAgents>,
            requests: Arc::new(NoRequests),
            sessions: Arc::default(),
            tls: acceptor(Arc::clone(&config), tls),
            zone: jiff::tz::TimeZone::UTC,
            clock,
        };
        let trapper_settings = TrapperSettings {
            connections_max: 100,
            memory_bytes_max: 64 << 20,
            packet_bytes_max: 1 << 20,
            timeout: Duration::from_secs(5),
        };
        let port = Arc::new(Trapper::new(trapper_settings, parts, &registry));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let trapper = listener.local_addr().expect("bound");
        tasks.spawn("trapper", port.serve(listener, (tasks.clone(), Lanes::here())));
        Self { collectors, owner, registry, trapper, config, seen, tasks }
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.config.0.load_full()
    }

    /// A change of all hosts.
    pub fn configure(&self, snapshot: Arc<Snapshot>) {
        let changed: Vec<_> = snapshot.hosts.keys().map(|it| it.0).collect();
        self.configure_hosts(snapshot, &changed);
    }

    pub fn configure_hosts(&self, snapshot: Arc<Snapshot>, changed: &[u64]) {
        let before = self.config.0.swap(Arc::clone(&snapshot));
        let removed = before.hosts.keys().filter(|it| !snapshot.hosts.contains_key(*it));
        let delta = Delta {
            epoch: snapshot.epoch,
            hosts_changed: changed.iter().copied().map(HostId).collect(),
            hosts_removed: removed.copied().collect(),
            ..Delta::default()
        };
        self.collectors.configure(&snapshot, &delta);
    }

    /// Polls items now; all must be accepted.
    pub fn execute(&self, items: impl IntoIterator<Item = u64>) {
        let items: Vec<_> = items.into_iter().map(ItemId).collect();
        for (item, result) in items.iter().zip(self.collectors.execute_now(&items)) {
            assert_eq!(result, Ok(()), "{item}");
        }
    }

    /// Waits until the seen values satisfy a condition.
    pub async fn until(
        &self,
        what: &str,
        is_enough: impl FnMut(&Vec<Seen>) -> bool + Send,
    ) -> Vec<Seen> {
        let mut seen = self.seen.clone();
        let enough = tokio::time::timeout(PATIENCE, seen.wait_for(is_enough)).await;
        match enough {
            Ok(Ok(seen)) => seen.clone(),
            Ok(Err(_)) => panic!("the shard ended while waiting for {what}"),
            Err(_) => panic!("no {what} within {PATIENCE:?}; seen: {:?}", self.seen.borrow()),
        }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.borrow().clone()
    }

    /// Tests an item; returns its value and the transcript.
    pub async fn try_item(
        &self,
        host: u64,
        item: u64,
    ) -> (Result<OwnedRaw, TrialError>, Vec<(LineKind, String)>) {
        let transcript = Transcript::default();
        let (host, item) = (HostId(host), ItemId(item));
        let tried = self.collectors.try_item(&self.snapshot(), host, item, &transcript).await;
        (tried, transcript.take().into_iter().map(|it| (it.kind, it.text)).collect())
    }

    /// The first value of an item.
    pub async fn value_of(&self, item: u64) -> OwnedRaw {
        let item = ItemId(item);
        let seen =
            self.until(&format!("value of {item}"), |it| it.iter().any(|it| it.item == item)).await;
        seen.into_iter().find(|it| it.item == item).expect("waited for").value
    }

    /// Waits until the owner's state satisfies a condition.
    pub async fn until_owner(&self, what: &str, is_so: impl Fn(&Owner) -> bool + Send + Sync) {
        let poll = async {
            while !is_so(&self.owner) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        assert!(tokio::time::timeout(PATIENCE, poll).await.is_ok(), "no {what}");
    }
}

/// As an item of text has it.
pub fn text(value: &OwnedRaw) -> Cow<'_, str> {
    match value {
        OwnedRaw::Text(it) => Cow::Borrowed(it),
        OwnedRaw::Unsigned(it) => Cow::Owned(it.to_string()),
        other => panic!("no text: {other:?}"),
    }
}

pub fn error(value: &OwnedRaw) -> &str {
    match value {
        OwnedRaw::Error(it) => it,
        other => panic!("no error: {other:?}"),
    }
}

async fn write_down(queue: Deliveries, seen: watch::Sender<Vec<Seen>>) {
    while let Some(delivery) = queue.receive().await {
        let batch = &delivery.batch;
        seen.send_modify(|seen| {
            for row in 0..batch.len() {
                let value = match batch.value(row) {
                    model::batch::RawRef::Text(it) => OwnedRaw::Text(it.to_owned()),
                    model::batch::RawRef::Error(it) => OwnedRaw::Error(it.to_owned()),
                    model::batch::RawRef::Unsigned(it) => OwnedRaw::Unsigned(it),
                    model::batch::RawRef::Float(it) => OwnedRaw::Float(it),
                    model::batch::RawRef::Nothing => OwnedRaw::Nothing,
                };
                let item = ItemId(batch.slots[row].into());
                seen.push(Seen { item, time: batch.times[row], value });
            }
        });
        let mut start = 0;
        let runs = batch.runs.clone();
        for (claim, last_id) in delivery.marks_of(0..u32::MAX) {
            claim.written(last_id);
        }
        for (part, run) in delivery.parts.into_iter().zip(&runs) {
            part.settle(ingress::Outcome::processed(run.end - start));
            start = run.end;
        }
    }
}
