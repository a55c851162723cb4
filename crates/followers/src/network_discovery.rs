//! Network discovery: what addresses answered becomes devices, services and events.
//!
//! One thread keeps everything that rules have found in memory, made at the start of the tables that come with the
//! events ([`db::DiscoveredRow`]), so that a crash repeats none and loses none that was written. What belongs to no rule,
//! check or address any more is forgotten, from the tables as well.

mod known;

use std::time::Duration;

use collect::discovery::{CheckedAddress, DiscoveryResult};
use db::objects::drule::checks;
use db::{Db, DiscoveredRow};
use engine::event_writer::{EventWriter, OutsideEvent};
use lang::net::{IpRanges, PortRanges};
use model::Time;
use model::content::Severity;
use model::document::{Body, Document};
use model::map::{Map, Set};
use model::record::Subject;
use model::snapshot::Snapshot;
use rt::clock::Clock;
use rt::metrics::{Counter, Gauge, Registry};
use rt::queue::{self, Receiver, Sender, WhenFull};
use rt::shutdown::Shutdown;
use tracing::warn;

use self::known::{Known, News};

/// Addresses that wait to be judged.
const WAITING_MAX: usize = 1_000;
/// Addresses that are judged together.
const ADDRESSES_MAX: usize = 500;
/// Events of one record.
const EVENTS_MAX: usize = 2_000;
/// Between two looks for the end of the process, and for rules that are gone.
const IDLE: Duration = Duration::from_millis(500);
/// For events that are on their way to the database.
const CARRIED_MAX: Duration = Duration::from_secs(10);

rt::metrics! {
    /// Network discovery: devices and services.
    struct NetworkDiscoveryMetrics in "saker_network_discovery" {
        /// Events about devices and services.
        events_total: Counter,
        /// Devices that are known.
        devices: Gauge,
        /// Services that are known.
        services: Gauge,
    }
}

/// Keeps what rules have found.
pub struct DiscoveredDevices {
    db: Db,
    events: EventWriter,
    found: Receiver<DiscoveryResult>,
    metrics: NetworkDiscoveryMetrics,
    /// `None` until it is read from the database.
    known: Option<Known>,
    /// The configuration by which what belongs to nothing was forgotten last.
    epoch: u64,
}

opaque_debug!(DiscoveredDevices);

/// What network discovery is made of.
pub struct NetworkDiscoveryParts {
    pub db: Db,
    pub events: EventWriter,
    pub clock: Clock,
    pub registry: Registry,
}

opaque_debug!(NetworkDiscoveryParts);

/// Where the rounds of rules report what they find, and what makes devices of it.
#[must_use]
pub fn open(parts: NetworkDiscoveryParts) -> (Sender<DiscoveryResult>, DiscoveredDevices) {
    let NetworkDiscoveryParts { db, events, clock, registry } = parts;
    let (sender, found) =
        queue::bounded("network-discovery", WAITING_MAX, WhenFull::Block, &clock, &registry);
    let metrics = NetworkDiscoveryMetrics::register(&registry);
    (sender, DiscoveredDevices { db, events, found, metrics, known: None, epoch: 0 })
}

/// What counts of a rule when its addresses are judged.
struct Rule {
    unique: Option<u64>,
    checks: Set<u64>,
}

impl DiscoveredDevices {
    /// Goes on until shutdown. Blocking.
    pub fn run(&mut self, shutdown: &Shutdown) {
        // What a panic has left is read again.
        self.known = None;
        let mut batch = Vec::new();
        while !shutdown.is_cancelled() {
            if self.known.is_none() && !self.read_known() {
                if shutdown.wait(IDLE) {
                    return;
                }
                continue;
            }
            if let Ok(first) = self.found.receive_timeout(IDLE) {
                batch.push(first);
                self.found.drain(ADDRESSES_MAX - 1, &mut batch);
                self.take(&batch);
                batch.clear();
            }
            let snapshot = self.db.snapshot();
            if snapshot.epoch != self.epoch && self.forget_unneeded(&snapshot, None) {
                self.epoch = snapshot.epoch;
            }
        }
    }

    /// Reads what was found before, once all events of that are in the database.
    fn read_known(&mut self) -> bool {
        if !self.events.wait_carried(self.events.end(), IDLE) {
            return false;
        }
        let events = self.db.events();
        let read = events.discovered().and_then(|rows| Ok((rows, events.last_discovered_ids()?)));
        match read {
            Ok((rows, last)) => {
                self.known = Some(Known::new(rows, last));
                true
            }
            Err(error) => {
                warn!(%error, "network discovery waits for the database");
                false
            }
        }
    }

    fn take(&mut self, batch: &[DiscoveryResult]) {
        let snapshot = self.db.snapshot();
        let mut rules: Map<u64, Option<Rule>> = Map::default();
        let mut events = Vec::new();
        for result in batch {
            match result {
                DiscoveryResult::Address(checked) => {
                    let rule = rules.entry(checked.rule).or_insert_with(|| {
                        snapshot.documents.get("drule", checked.rule).map(|it| rule_of(it))
                    });
                    let Some(rule) = rule else { continue };
                    events.append(&mut self.judge(checked, rule));
                    if EVENTS_MAX <= events.len() {
                        self.write(&mut events);
                    }
                }
                DiscoveryResult::RoundEnded { rule, error } => {
                    self.write(&mut events);
                    self.db.discovery_errors().set(*rule, error);
                    self.forget_unneeded(&snapshot, Some(*rule));
                }
            }
        }
        self.write(&mut events);
        if let Some((n_hosts, n_services)) = self.known.as_ref().map(Known::len) {
            self.metrics.devices.set_n(n_hosts);
            self.metrics.services.set_n(n_services);
        }
    }

    fn judge(&mut self, checked: &CheckedAddress, rule: &Rule) -> Vec<OutsideEvent> {
        let Some(known) = &mut self.known else { return Vec::new() };
        let is_stale = checked.services.iter().any(|it| !rule.checks.contains(&it.check));
        let news = if is_stale {
            // The rule was changed since: what it asks no more is left out.
            let mut checked = checked.clone();
            checked.services.retain(|it| rule.checks.contains(&it.check));
            known.apply(&checked, rule.unique)
        } else {
            known.apply(checked, rule.unique)
        };
        news.into_iter().map(|it| event_of(it, checked.time)).collect()
    }

    /// Writes events. If that fails, all is read anew: what was told is what is in the journal.
    fn write(&mut self, events: &mut Vec<OutsideEvent>) {
        // An address with very many ports has more than one record takes.
        for some in events.chunks(engine::event_writer::EVENTS_MAX) {
            if let Err(error) = self.events.write(some) {
                warn!(%error, "events of network discovery were not written");
                self.known = None;
                break;
            }
            self.metrics.events_total.add_n(some.len());
        }
        events.clear();
    }

    /// Forgets what belongs to no rule and no check any more; of a rule whose round is over also what its addresses and
    /// ports leave out. Gives whether that was done.
    fn forget_unneeded(&mut self, snapshot: &Snapshot, ended: Option<u64>) -> bool {
        let Some(known) = &mut self.known else { return false };
        let needed: Map<u64, Needed> =
            snapshot.documents.of("drule").map(|it| (it.id, Needed::of(it))).collect();
        let is_gone = |service: &db::DiscoveredService, rule: u64| match needed.get(&rule) {
            None => true,
            Some(needed) => !needed.takes(service, ended == Some(rule)),
        };
        let services: Vec<u64> =
            known.services().filter(|(it, rule)| is_gone(it, *rule)).map(|it| it.0.id).collect();
        let gone: Set<u64> = services.iter().copied().collect();
        let left: Set<u64> = known
            .services()
            .filter(|(it, _)| !gone.contains(&it.id))
            .map(|(it, _)| it.host)
            .collect();
        let hosts: Vec<u64> =
            known.hosts().filter(|it| !left.contains(&it.id)).map(|it| it.id).collect();
        if services.is_empty() && hosts.is_empty() {
            return true;
        }
        // A row that comes with an event on its way would come back.
        if !self.events.wait_carried(self.events.end(), CARRIED_MAX) {
            return false;
        }
        let forgotten = self.db.events().forget_discovered(&hosts, &services);
        match forgotten {
            Ok(()) => {
                known.forget(&hosts, &services);
                true
            }
            Err(error) => {
                warn!(%error, "devices that belong to no rule any more are not forgotten yet");
                false
            }
        }
    }
}

fn text<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(|it| it.as_str()).unwrap_or_default()
}

fn id_of(check: &Body) -> u64 {
    text(check, "dcheckid").parse().unwrap_or_default()
}

fn rule_of(document: &Document) -> Rule {
    let unique = checks(&document.body).find(|it| text(it, "uniq") == "1");
    Rule { unique: unique.map(id_of), checks: checks(&document.body).map(id_of).collect() }
}

/// What a rule looks at.
struct Needed {
    addresses: IpRanges,
    /// Ports by check; `None`: the usual one of the kind.
    ports: Map<u64, Option<PortRanges>>,
}

impl Needed {
    fn of(document: &Document) -> Self {
        let ports = checks(&document.body).map(|it| {
            let given = Some(text(it, "ports")).filter(|it| !matches!(*it, "" | "0"));
            let is_ping = text(it, "type") == "12";
            (id_of(it), given.filter(|_| !is_ping).and_then(PortRanges::parse))
        });
        Self {
            addresses: IpRanges::parse(document.text("iprange")).unwrap_or_default(),
            ports: ports.collect(),
        }
    }

    /// `is_whole`: all addresses have been looked at as the rule is now.
    fn takes(&self, service: &db::DiscoveredService, is_whole: bool) -> bool {
        let Some(ports) = self.ports.get(&service.check) else { return false };
        let has_address = || service.ip.parse().is_ok_and(|it| self.addresses.contains(it));
        let has_port = || ports.as_ref().is_none_or(|it| it.contains(service.port));
        !is_whole || has_address() && has_port()
    }
}

fn event_of(news: News, time: Time) -> OutsideEvent {
    let subject = match &news.row {
        DiscoveredRow::Host(it) => Subject::DiscoveredHost(it.id),
        DiscoveredRow::Service(it) => Subject::DiscoveredService(it.id),
    };
    OutsideEvent {
        subject,
        time,
        kind: news.kind,
        severity: Severity::NotClassified,
        name: String::new(),
        tags: Vec::new(),
        recovers: Vec::new(),
        details: news.row.details(),
    }
}
