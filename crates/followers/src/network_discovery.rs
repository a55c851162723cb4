//! Network discovery: answers of addresses become devices, services and events.
//!
//! The worker keeps everything that rules have found in memory, made at the start of the tables that come with the
//! events ([`db::DiscoveredRow`]), so that a crash repeats none and loses none that was written.
//! Devices and services of deleted rules, checks and addresses are forgotten, in the tables as
//! well.

mod known;

use std::collections::VecDeque;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use collect::discovery::{CheckedAddress, DiscoveryResult};
use db::objects::drule::checks;
use db::{Db, DbError, DiscoveredRow};
use engine::event_writer::{EventWriteError, OutsideEvent};
use journal::Lsn;
use lang::net::{IpRanges, PortRanges};
use model::content::Severity;
use model::document::{Body, Document};
use model::map::{Map, Set};
use model::record::Subject;
use model::snapshot::Snapshot;
use model::{Now, Time};
use rt::clock::{Clock, nanos};
use rt::metrics::{Counter, Gauge, Registry};
use rt::queue::{self, Receiver, Sender, WhenFull};
use rt::worker::{Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};
use tracing::warn;

use self::known::{Known, Transition};
use crate::ports::{EventLog, is_mended_by_time};
use crate::quarantine::Quarantine;

/// The most addresses that wait to be processed. When it is reached, checks wait.
const WAITING_MAX: usize = 1_000;
/// The most addresses that are processed together.
const ADDRESSES_MAX: usize = 500;
/// The most events in one record; more take several.
const EVENTS_MAX: usize = 2_000;
/// The pause between two checks whether events are in the database.
const WAITING_INTERVAL: Duration = Duration::from_millis(50);
/// For events that are on their way to the database before something is forgotten. Until then nothing is judged.
const CARRIED_MAX: Duration = Duration::from_secs(10);
/// How long to wait for events that were written before a turn failed; the wait is repeated later.
const RELOAD_MAX: Duration = Duration::from_secs(1);
/// Until what could not be forgotten is tried again.
const FORGET_AGAIN: Duration = Duration::from_secs(30);

/// In the list of what runs.
pub const ROW: WorkerRow = WorkerRow {
    name: "network-discovery",
    job: "makes devices, services and events of what network discovery finds",
    woken_by: "addresses that were looked at, changes of discovery rules",
    waits: "network discovery waits",
    on_panic: OnPanic::Reload,
};

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

/// The worker: keeps what rules have found.
pub struct DiscoveredDevices {
    db: Db,
    events: Arc<dyn EventLog>,
    found: Receiver<DiscoveryResult>,
    metrics: NetworkDiscoveryMetrics,
    /// Taken out of the queue and not judged yet: [`ADDRESSES_MAX`] at most.
    pending: VecDeque<DiscoveryResult>,
    quarantine: Quarantine<()>,
    /// `None` until it is read from the database.
    known: Option<Known>,
    /// It is read at the start when all events before this position are in the database.
    known_after: Lsn,
    /// Rules have changed since what belongs to nothing was forgotten last.
    has_changes: Arc<AtomicBool>,
    /// Until then nothing is forgotten for changes of rules, on the monotonic clock.
    forget_at_ns: u64,
    forgetting: Option<Forgetting>,
}

/// Waits until events are in the database, to forget what belongs to nothing any more.
#[derive(Clone, Copy)]
struct Forgetting {
    /// The rule whose round has ended; `None`: rules have changed.
    ended: Option<u64>,
    /// Rows that come with events before this position would come back.
    after: Lsn,
    /// It is given up then, on the monotonic clock.
    until_ns: u64,
}

opaque_debug!(DiscoveredDevices);

/// The parts of network discovery.
pub struct NetworkDiscoveryParts {
    pub db: Db,
    pub events: Arc<dyn EventLog>,
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
    let devices = DiscoveredDevices {
        known_after: events.end(),
        db,
        events,
        found,
        metrics,
        pending: VecDeque::new(),
        quarantine: Quarantine::default(),
        known: None,
        // Those of the time when no server ran.
        has_changes: Arc::new(AtomicBool::new(true)),
        forget_at_ns: 0,
        forgetting: None,
    };
    (sender, devices)
}

/// The fields of a rule by which its addresses are judged.
struct Rule {
    unique: Option<u64>,
    checks: Set<u64>,
}

impl DiscoveredDevices {
    /// Has what is found, and changes of rules, wake the worker.
    #[must_use]
    pub fn woken_by(self, wake: &Wake) -> Self {
        self.found.wakes(wake);
        let (has_changes, wake) = (Arc::clone(&self.has_changes), wake.clone());
        self.db.subscribe(Box::new(move |_snapshot, delta| {
            if delta.documents_changed.iter().any(|(kind, _)| *kind == "drule") {
                has_changes.store(true, Ordering::Release);
                wake.wake();
            }
        }));
        self
    }

    /// Reads what was found before.
    fn read_known(&mut self) -> Result<(), DbError> {
        let events = self.db.events();
        let rows = events.discovered()?;
        self.known = Some(Known::new(rows, events.last_discovered_ids()?));
        Ok(())
    }

    /// Judges what waits, up to the end of a round.
    fn judge(&mut self, now: Now) -> Result<(), EventWriteError> {
        let room = ADDRESSES_MAX.saturating_sub(self.pending.len());
        let mut taken = Vec::new();
        self.found.drain(room, &mut taken);
        self.pending.extend(taken);
        let snapshot = self.db.snapshot();
        let Some(known) = &mut self.known else { return Ok(()) };
        let n_max = if self.quarantine.is_single() { 1 } else { ADDRESSES_MAX };
        let mut rules: Map<u64, Option<Rule>> = Map::default();
        let (mut events, mut n_judged, mut ended) = (Vec::new(), 0, None);
        for result in self.pending.iter().take(n_max) {
            self.quarantine.begin(());
            n_judged += 1;
            match result {
                DiscoveryResult::Address(checked) => {
                    let rule = rules.entry(checked.rule).or_insert_with(|| {
                        snapshot.documents.get("drule", checked.rule).map(|it| rule_of(it))
                    });
                    let Some(rule) = rule else { continue };
                    events.append(&mut events_of(known, checked, rule));
                }
                DiscoveryResult::RoundEnded { rule, error } => {
                    ended = Some((*rule, error.clone()));
                    break;
                }
            }
            if EVENTS_MAX <= events.len() {
                break;
            }
        }
        if 1 < n_judged {
            self.quarantine.excuse();
        }
        // An address with very many ports has more than one record takes.
        for some in events.chunks(engine::event_writer::EVENTS_MAX) {
            self.events.write(some)?;
            self.metrics.events_total.add_n(some.len());
        }
        self.pending.drain(..n_judged);
        if let Some((rule, error)) = ended {
            self.db.discovery_errors().set(rule, &error);
            self.begin_to_forget(Some(rule), now);
        }
        self.quarantine.passed();
        if let Some((n_hosts, n_services)) = self.known.as_ref().map(Known::len) {
            self.metrics.devices.set_n(n_hosts);
            self.metrics.services.set_n(n_services);
        }
        Ok(())
    }

    /// Waits for the events of devices and services of deleted rules and checks; of a rule whose
    /// round has ended, also of those outside of its addresses and ports. Does nothing if there are
    /// none.
    fn begin_to_forget(&mut self, ended: Option<u64>, now: Now) {
        let (hosts, services) = self.unneeded(ended);
        if !hosts.is_empty() || !services.is_empty() {
            self.forgetting = Some(Forgetting {
                ended,
                after: self.events.end(),
                until_ns: now.mono_ns.saturating_add(nanos(CARRIED_MAX)),
            });
        }
    }

    /// Devices and services that belong to nothing.
    fn unneeded(&self, ended: Option<u64>) -> (Vec<u64>, Vec<u64>) {
        let Some(known) = &self.known else { return Default::default() };
        let snapshot: &Snapshot = &self.db.snapshot();
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
        let hosts = known.hosts().filter(|it| !left.contains(&it.id)).map(|it| it.id).collect();
        (hosts, services)
    }

    /// Forgets, once the events before are in the database; gives when to look again while they are not.
    fn forget(&mut self, now: Now) -> Option<Next> {
        let forgetting = self.forgetting?;
        let is_carried = self.events.wait_carried(forgetting.after, Duration::ZERO);
        if !is_carried && now.mono_ns < forgetting.until_ns {
            return Some(Next::after(now, WAITING_INTERVAL));
        }
        self.forgetting = None;
        let (hosts, services) = self.unneeded(forgetting.ended);
        let forgotten = if is_carried {
            let forgotten = self.db.events().forget_discovered(&hosts, &services);
            forgotten.map_err(|it| it.to_string())
        } else {
            Err("their events are not in the database yet".to_owned())
        };
        match forgotten {
            Ok(()) => {
                if let Some(known) = &mut self.known {
                    known.forget(&hosts, &services);
                }
            }
            Err(error) => {
                warn!(%error, "devices of deleted rules are not deleted yet");
                if forgetting.ended.is_none() {
                    self.has_changes.store(true, Ordering::Release);
                    self.forget_at_ns = now.mono_ns.saturating_add(nanos(FORGET_AGAIN));
                }
            }
        }
        None
    }
}

impl Worker for DiscoveredDevices {
    type Error = Box<dyn Error>;

    fn turn(&mut self, now: Now) -> Result<Next, Self::Error> {
        if self.known.is_none() {
            if !self.events.wait_carried(self.known_after, Duration::ZERO) {
                return Ok(Next::after(now, WAITING_INTERVAL));
            }
            self.read_known()?;
        }
        if let Some(later) = self.forget(now) {
            return Ok(later);
        }
        let mut again = Next::WhenWoken;
        if self.has_changes.load(Ordering::Acquire) {
            if self.forget_at_ns <= now.mono_ns {
                // Changes from here on are seen in the next turn.
                self.has_changes.store(false, Ordering::Release);
                self.begin_to_forget(None, now);
            } else {
                again = Next::At(self.forget_at_ns);
            }
        }
        if self.forgetting.is_some() {
            return Ok(Next::More);
        }
        if let Err(error) = self.judge(now) {
            if is_mended_by_time(&error) {
                self.quarantine.excuse();
            }
            return Err(error.into());
        }
        let is_more =
            self.forgetting.is_some() || !self.pending.is_empty() || 0 < self.found.depth();
        Ok(if is_more { Next::More } else { again })
    }

    /// All is read again: the journal has all results.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Self::Error> {
        self.quarantine.failed();
        (self.known, self.forgetting) = (None, None);
        if !self.events.wait_carried(self.events.end(), RELOAD_MAX) {
            self.quarantine.excuse();
            return Err("the events that were written wait for the database".into());
        }
        if let Err(error) = self.read_known() {
            self.quarantine.excuse();
            return Err(error.into());
        }
        Ok(())
    }

    /// The results of an address, if no events can be made of them.
    fn put_aside(&mut self) -> Option<String> {
        self.quarantine.culprit()?;
        Some(match self.pending.pop_front()? {
            DiscoveryResult::Address(it) => {
                format!("address {} of discovery rule {}", it.address, it.rule)
            }
            DiscoveryResult::RoundEnded { rule, .. } => {
                format!("the end of a round of discovery rule {rule}")
            }
        })
    }
}

/// The changes by the checks of an address.
fn events_of(known: &mut Known, checked: &CheckedAddress, rule: &Rule) -> Vec<OutsideEvent> {
    let is_stale = checked.services.iter().any(|it| !rule.checks.contains(&it.check));
    let transitions = if is_stale {
        // The rule was changed since: checks that it no longer has are left out.
        let mut checked = checked.clone();
        checked.services.retain(|it| rule.checks.contains(&it.check));
        known.apply(&checked, rule.unique)
    } else {
        known.apply(checked, rule.unique)
    };
    transitions.into_iter().map(|it| event_of(it, checked.time)).collect()
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

/// The addresses and checks of a rule.
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

fn event_of(transition: Transition, time: Time) -> OutsideEvent {
    let subject = match &transition.row {
        DiscoveredRow::Host(it) => Subject::DiscoveredHost(it.id),
        DiscoveredRow::Service(it) => Subject::DiscoveredService(it.id),
    };
    OutsideEvent {
        subject,
        time,
        kind: transition.kind,
        severity: Severity::NotClassified,
        name: String::new(),
        tags: Vec::new(),
        recovers: Vec::new(),
        details: transition.row.details(),
    }
}
