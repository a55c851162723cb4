//! Network discovery: rounds over ranges of addresses.
//!
//! Each enabled rule makes rounds of its own, one after the other; a changed rule restarts its
//! round. A round walks its addresses without ever having them all at once; the checks of an
//! address are made one after the other, those of many addresses at the same time. Connections of
//! all rules together are bounded, and pings and SNMP have sockets of their own, so that polling
//! never waits for discovery.
//!
//! Devices, services and events that follow from an answer are not made here: each address goes to
//! the receiver of results, also addresses without any answer, through a queue that blocks when it
//! is full.

mod names;
mod rule;

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use lang::net::IpRange;
use model::Time;
use model::document::Document;
use model::map::Map;
use model::snapshot::Snapshot;
use rt::clock::nanos;
use rt::metrics::{Counter, Gauge, Registry, TimeHistogram};
use rt::queue::{self, Sender, WhenFull};
use rt::task::Tasks;
use tokio::sync::{Notify, Semaphore, oneshot};

use self::names::Names;
use self::rule::{Rule, RuleCheck, What};
use crate::collectors::{
    CollectorContext, EchoRequest, SnmpClient, answer_echoes, is_shortage, is_up_at, value_at,
};
use crate::ports::Secrets;

/// Addresses of one rule that are checked at once, unless the rule says less.
const ADDRESSES_AT_ONCE: usize = 1_000;
/// Pings that wait to be sent.
const PINGS_MAX: usize = 4_096;
/// A rule with a wrong configuration is tried again after this time.
const WRONG_RULE_PAUSE: Duration = Duration::from_secs(60);
/// A machine without free sockets gets this pause; after some pauses the check is not made.
const SHORTAGE_PAUSE: Duration = Duration::from_secs(1);
const SHORTAGE_TRIES: u32 = 10;
/// Why a check is not made at shutdown.
const STOPPING: &str = "The server stops.";
/// Longest value that is kept, in characters; Zabbix's column has no room for more.
const VALUE_CHARS_MAX: usize = 255;

rt::metrics! {
    /// Rounds of network discovery.
    pub(crate) struct DiscoveryMetrics in "saker_network_discovery", formerly "collect_discovery" {
        /// Rounds under way.
        pub(crate) rounds_running: Gauge,
        /// Checks of rounds under way that have not begun.
        pub(crate) checks_waiting: Gauge,
        /// Checked addresses.
        pub(crate) addresses_total: Counter,
        /// Answered checks.
        pub(crate) answered_total: Counter,
        /// Unanswered checks.
        pub(crate) unanswered_total: Counter,
        /// Checks not made because this machine has no free sockets.
        pub(crate) not_made_total: Counter,
        /// Duration of rounds.
        pub(crate) round_seconds: TimeHistogram,
    }
}

/// The results of the checks of one address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedAddress {
    /// The rule.
    pub rule: u64,
    pub address: IpAddr,
    /// The name of the address, if anything answered and it has one.
    pub dns: String,
    pub time: Time,
    pub services: Vec<CheckedService>,
}

/// The result of one check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedService {
    /// The check.
    pub check: u64,
    /// 0 of pings.
    pub port: u16,
    /// `None`: nothing answered. Empty for a check without a value.
    pub value: Option<String>,
}

/// Results of rounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiscoveryResult {
    Address(CheckedAddress),
    /// All addresses of a rule were checked, or the reason why not.
    RoundEnded {
        rule: u64,
        error: String,
    },
}

/// Starts the rounds; `time`: for one check.
pub(crate) fn start(
    (shared, secrets): (Arc<CollectorContext>, Option<Arc<dyn Secrets>>),
    (time, connections_max): (Duration, usize),
    (found, wake): (Sender<DiscoveryResult>, Arc<Notify>),
    (registry, tasks): (&Registry, &Tasks),
) {
    let (pings, requests) =
        queue::bounded("discovery-pings", PINGS_MAX, WhenFull::Block, &shared.clock, registry);
    let until_shutdown = |name: &str, work: Box<dyn Future<Output = ()> + Send>| {
        let (work, shutdown) = (Box::into_pin(work), tasks.shutdown().clone());
        tasks.spawn(name, async move {
            tokio::select! {
                () = work => {}
                () = shutdown.cancelled() => {}
            }
        });
    };
    let snmp = SnmpClient::open(&shared).map(Arc::new).map_err(|it| it.to_string());
    if let Ok(client) = &snmp {
        let client = Arc::clone(client);
        until_shutdown("discovery SNMP", Box::new(async move { client.run().await }));
    }
    until_shutdown("discovery pings", Box::new(answer_echoes(Arc::clone(&shared), requests)));
    let discoverer = Arc::new(Discoverer {
        time,
        connections: Semaphore::new(connections_max.clamp(1, Semaphore::MAX_PERMITS)),
        pings,
        snmp,
        names: Names::new(Arc::clone(&shared)),
        found,
        wake,
        tasks: tasks.clone(),
        metrics: DiscoveryMetrics::register(registry),
        secrets,
        shared,
    });
    until_shutdown("network discovery", Box::new(discoverer.schedule()));
}

struct Discoverer {
    shared: Arc<CollectorContext>,
    time: Duration,
    connections: Semaphore,
    pings: Sender<EchoRequest>,
    snmp: Result<Arc<SnmpClient>, String>,
    names: Names,
    found: Sender<DiscoveryResult>,
    /// Wakes when the configuration has changed, or a round has ended.
    wake: Arc<Notify>,
    tasks: Tasks,
    metrics: DiscoveryMetrics,
    secrets: Option<Arc<dyn Secrets>>,
}

/// A rule with its rounds.
struct Scheduled {
    document: Arc<Document>,
    next_ns: u64,
    /// A round is under way, perhaps of an earlier version of the rule.
    is_running: Arc<AtomicBool>,
    /// The round under way is of the present version of the rule.
    is_current: Arc<AtomicBool>,
}

/// Marks a round as ended, however it ends.
struct Running {
    is_running: Arc<AtomicBool>,
    n_running: Gauge,
    wake: Arc<Notify>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.is_running.store(false, Ordering::Release);
        self.n_running.add(-1.0);
        self.wake.notify_one();
    }
}

/// A round with more checks would never end.
const COUNTED_MAX: u64 = 1 << 40;

/// Counts the checks of a round that have not begun.
struct Waiting {
    gauge: Gauge,
    n: AtomicU64,
}

impl Waiting {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    fn of(rule: &Rule, gauge: Gauge) -> Self {
        let n_each: u64 = rule.checks.iter().map(|it| it.ports.iter().count() as u64).sum();
        let n_of = |it: &IpRange| u64::try_from(it.len()).unwrap_or(u64::MAX);
        let n_addresses = rule.addresses.ranges().iter().map(n_of).fold(0, u64::saturating_add);
        let n = n_addresses.saturating_mul(n_each).min(COUNTED_MAX);
        gauge.add(n as f64);
        Self { gauge, n: AtomicU64::new(n) }
    }

    fn begun(&self) {
        let less = |it: u64| it.checked_sub(1);
        if self.n.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok() {
            self.gauge.add(-1.0);
        }
    }
}

impl Drop for Waiting {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    fn drop(&mut self) {
        self.gauge.add(-(*self.n.get_mut() as f64));
    }
}

impl Discoverer {
    /// Begins rounds when they are due, for ever.
    async fn schedule(self: Arc<Self>) {
        let mut rules: Map<u64, Scheduled> = Map::default();
        loop {
            let snapshot = self.shared.configuration.snapshot();
            let now_ns = self.shared.clock.mono_ns();
            take_over(&mut rules, &snapshot, now_ns);
            for rule in rules.values_mut() {
                if rule.next_ns <= now_ns && !rule.is_running.load(Ordering::Acquire) {
                    let pause = self.begin(rule, &snapshot).await;
                    rule.next_ns = now_ns.saturating_add(nanos(pause));
                }
            }
            // A rule whose round is under way is due when that ends, which wakes.
            let waiting = rules.values().filter(|it| !it.is_running.load(Ordering::Acquire));
            let next_ns = waiting.map(|it| it.next_ns).min();
            tokio::select! {
                () = self.shared.clock.sleep_until(next_ns.unwrap_or(0)), if next_ns.is_some() => {}
                () = self.wake.notified() => {}
            }
        }
    }

    /// Begins a round; returns the time to the next one.
    async fn begin(self: &Arc<Self>, scheduled: &mut Scheduled, snapshot: &Snapshot) -> Duration {
        let rule = match Rule::of(&scheduled.document, snapshot, self.secrets.as_deref()) {
            Ok(it) => it,
            Err(error) => {
                let ended = DiscoveryResult::RoundEnded { rule: scheduled.document.id, error };
                // At shutdown the receiver is gone.
                drop(self.found.send(ended).await);
                return WRONG_RULE_PAUSE;
            }
        };
        let delay = rule.delay;
        scheduled.is_running.store(true, Ordering::Release);
        scheduled.is_current = Arc::new(AtomicBool::new(true));
        self.metrics.rounds_running.add(1.0);
        let running = Running {
            is_running: Arc::clone(&scheduled.is_running),
            n_running: self.metrics.rounds_running.clone(),
            wake: Arc::clone(&self.wake),
        };
        let is_current = Arc::clone(&scheduled.is_current);
        let (discoverer, shutdown) = (Arc::clone(self), self.tasks.shutdown().clone());
        self.tasks.spawn_contained("network discovery", rule.id, async move {
            tokio::select! {
                () = discoverer.round(rule, &is_current) => {}
                () = shutdown.cancelled() => {}
            }
            drop(running);
        });
        delay
    }

    async fn round(&self, rule: Rule, is_current: &AtomicBool) {
        let start_ns = self.shared.clock.mono_ns();
        let at_once = rule.concurrency_max.unwrap_or(ADDRESSES_AT_ONCE).max(1);
        let error = Mutex::new(String::new());
        let is_wanted = |_: &IpAddr| {
            let is_wanted = is_current.load(Ordering::Acquire);
            std::future::ready(is_wanted)
        };
        let addresses = stream::iter(rule.addresses.iter()).take_while(is_wanted);
        let waiting = Waiting::of(&rule, self.metrics.checks_waiting.clone());
        let mut checked = std::pin::pin!(
            addresses
                .map(|it| self.address(&rule, it, (&error, &waiting)))
                .buffer_unordered(at_once)
        );
        while let Some(address) = checked.next().await {
            if !is_current.load(Ordering::Acquire) {
                return;
            }
            self.metrics.addresses_total.inc();
            if self.found.send(DiscoveryResult::Address(address)).await.is_err() {
                return;
            }
        }
        let took = self.shared.clock.mono_ns().saturating_sub(start_ns);
        self.metrics.round_seconds.observe(Duration::from_nanos(took));
        let error = error.lock().unwrap_or_else(PoisonError::into_inner).clone();
        drop(self.found.send(DiscoveryResult::RoundEnded { rule: rule.id, error }).await);
    }

    /// Makes the checks of one address.
    async fn address(
        &self,
        rule: &Rule,
        address: IpAddr,
        (error, waiting): (&Mutex<String>, &Waiting),
    ) -> CheckedAddress {
        let mut services = Vec::new();
        for check in &rule.checks {
            for port in check.ports.iter() {
                match self.check(check, (address, port), waiting).await {
                    Ok(value) => services.push(self.service(check.id, port, value)),
                    Err(reason) => {
                        self.metrics.not_made_total.inc();
                        *error.lock().unwrap_or_else(PoisonError::into_inner) = reason;
                    }
                }
            }
        }
        let is_up = services.iter().any(|it| it.value.is_some());
        let dns = if is_up { self.names.of(address).await } else { String::new() };
        CheckedAddress { rule: rule.id, address, dns, time: self.shared.clock.wall(), services }
    }

    fn service(&self, check: u64, port: u16, value: Option<String>) -> CheckedService {
        match &value {
            Some(_) => self.metrics.answered_total.inc(),
            None => self.metrics.unanswered_total.inc(),
        }
        let value = value.map(|it| it.chars().take(VALUE_CHARS_MAX).collect());
        CheckedService { check, port, value }
    }

    /// Makes one check. `None`: nothing answered.
    ///
    /// The reason why it could not be made.
    async fn check(
        &self,
        check: &RuleCheck,
        at: (IpAddr, u16),
        waiting: &Waiting,
    ) -> Result<Option<String>, String> {
        if let What::Ping { takes_redirected } = check.what {
            let (answer, answered) = oneshot::channel();
            let request = EchoRequest { target: at.0, takes_redirected, answer };
            if self.pings.send(request).await.is_err() {
                return Err(STOPPING.to_owned());
            }
            waiting.begun();
            let is_up = answered.await.unwrap_or_else(|_gone| Err(STOPPING.to_owned()))?;
            return Ok(is_up.then(String::new));
        }
        let Ok(_place) = self.connections.acquire().await else {
            return Err(STOPPING.to_owned());
        };
        waiting.begun();
        if let What::Snmp { oid, details } = &check.what {
            let client = self.snmp.as_ref().map_err(Clone::clone)?;
            return Ok(client.get(SocketAddr::from(at), details, (oid, self.time)).await);
        }
        for _ in 0..SHORTAGE_TRIES {
            match self.connect(check, at).await {
                Err(error) if is_shortage(&error) => self.shared.clock.sleep(SHORTAGE_PAUSE).await,
                answered => return Ok(answered.unwrap_or_default()),
            }
        }
        Err("This machine has no sockets left for network discovery.".to_owned())
    }

    async fn connect(
        &self,
        check: &RuleCheck,
        at: (IpAddr, u16),
    ) -> std::io::Result<Option<String>> {
        match &check.what {
            What::Agent { key } => value_at(&self.shared, at, (key, self.time)).await,
            What::Service(service) => {
                let is_up = is_up_at(&self.shared, *service, at, self.time).await?;
                Ok(is_up.then(String::new))
            }
            What::Ping { .. } | What::Snmp { .. } => Ok(None),
        }
    }
}

/// Applies new and changed rules; deleted and disabled ones make no more rounds.
fn take_over(rules: &mut Map<u64, Scheduled>, snapshot: &Snapshot, now_ns: u64) {
    let enabled = |it: &&Arc<Document>| it.text("status") == "0";
    rules.retain(|id, scheduled| {
        let document = snapshot.documents.get("drule", *id).filter(enabled);
        if document.is_none() {
            scheduled.is_current.store(false, Ordering::Release);
        }
        document.is_some()
    });
    for document in snapshot.documents.of("drule").filter(enabled) {
        match rules.get_mut(&document.id) {
            Some(scheduled) if Arc::ptr_eq(&scheduled.document, document) => {}
            Some(scheduled) => {
                scheduled.is_current.store(false, Ordering::Release);
                scheduled.document = Arc::clone(document);
                scheduled.next_ns = now_ns;
            }
            None => {
                let scheduled = Scheduled {
                    document: Arc::clone(document),
                    next_ns: now_ns,
                    is_running: Arc::default(),
                    is_current: Arc::default(),
                };
                rules.insert(document.id, scheduled);
            }
        }
    }
}
