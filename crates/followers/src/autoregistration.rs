//! Active agents that register themselves: asking for their checks they say who they are, and what is new of that
//! becomes an event.
//!
//! An agent is new, or says another metadata or interface than the last time; one without a host here also registers again
//! while actions wait for such events, at most every two minutes, as in Zabbix. The last data of
//! each agent is in memory ([`register`]), made at the start of the table that comes with the
//! events, so that a crash repeats none and loses none that was written. Names come from anybody
//! who reaches the port: an address may make so many registrations, and the names that were not
//! heard for longest are forgotten, with their rows.

mod register;

use std::collections::VecDeque;
use std::error::Error;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use collect::ports::{Registration, Registrations};
use db::{AutoregisteredHost, Db, DbError};
use engine::event_writer::{EventWriteError, OutsideEvent};
use model::content::Severity;
use model::map::Set;
use model::record::{EventKind, Subject};
use model::{Now, Time};
use rt::clock::{Clock, nanos};
use rt::health::{Health, Level};
use rt::metrics::{Counter, Gauge, Registry};
use rt::queue::{self, Receiver, Sender, WhenFull};
use rt::worker::{Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};
use tracing::warn;

use self::register::{Asked, KnownAgent, Register, Sayings, Verdict};
use crate::ports::{EventLog, is_mended_by_time};
use crate::quarantine::Quarantine;

/// In `/health`.
const PART: &str = "autoregistration";
/// The most registrations that wait to be written: 16 MB, if all have the longest metadata. When it
/// is reached, further ones are dropped; agents send them again.
const WAITING_MAX: usize = 2_000;
/// The most events in one record; more take several.
const EVENTS_MAX: usize = 1_000;
/// The most rows deleted in one transaction; more take several.
const ROWS_MAX: usize = 2_000;
/// The pause between two checks whether events of former starts are in the database.
const WAITING_INTERVAL: Duration = Duration::from_millis(50);
/// How long to wait for events that were written before a panic; the wait is repeated later.
const RELOAD_MAX: Duration = Duration::from_secs(1);
/// Until rows that could not be deleted are tried again.
const FORGET_AGAIN: Duration = Duration::from_secs(30);
/// The interval at which agents not heard for long are forgotten, in addition to when others come.
const SWEEP_INTERVAL: Duration = Duration::from_secs(3_600);
/// The most names of agents that are put aside. When it is reached, all are tried again.
const ASIDE_MAX: usize = 1_000;
/// How long `/health` reports that registrations were left out.
const REPORTED_S: i64 = 600;
const NS_PER_MS: u64 = 1_000_000;
const NS_PER_S: u64 = 1_000_000_000;

/// In the list of what runs.
pub const ROW: WorkerRow = WorkerRow {
    name: "registrations",
    job: "makes events of agents that register themselves",
    woken_by: "registrations of agents",
    waits: "registrations of agents wait",
    on_panic: OnPanic::Reload,
};

rt::metrics! {
    /// Active agents that register themselves.
    pub struct AutoregistrationMetrics in "saker_autoregistration" {
        /// Events about agents that are new or say something new of themselves.
        pub events_total: Counter,
        /// Registrations that were left out because too many wait, or that were put aside; agents ask again.
        pub dropped_total: Counter,
        /// Registrations that were left out because their address makes too many; agents ask again.
        pub limited_total: Counter,
        /// Agents that are known.
        pub known: Gauge,
        /// Agents that were forgotten because too many others came after them.
        pub forgotten_total: Counter,
    }
}

#[derive(Default)]
struct Shared {
    /// `None` until it is read from the database.
    register: Option<Register>,
    /// When a registration was left out last, in seconds since 1970.
    left_out_at: Option<i64>,
    /// Names of agents whose registrations were put aside.
    aside: Set<String>,
    /// Of the worker, once there is one.
    wake: Option<Wake>,
}

impl Shared {
    /// A registration was left out: the worker reports the issue, and its end.
    fn leave_out(&mut self, now: i64) {
        if self.left_out_at.replace(now).is_none()
            && let Some(wake) = &self.wake
        {
            wake.wake();
        }
    }
}

/// Where the trapper port reports agents.
pub struct RegistrationPort {
    db: Db,
    clock: Clock,
    shared: Arc<Mutex<Shared>>,
    waiting: Sender<Registration>,
    metrics: AutoregistrationMetrics,
}

opaque_debug!(RegistrationPort);

/// The worker: writes the events.
pub struct Registrar {
    db: Db,
    clock: Clock,
    shared: Arc<Mutex<Shared>>,
    waiting: Receiver<Registration>,
    /// Taken out of the queue and not written yet: the events of one record at most.
    pending: VecDeque<Registration>,
    quarantine: Quarantine<()>,
    events: Arc<dyn EventLog>,
    /// Rows are deleted from then on, on the monotonic clock.
    forget_at_ns: u64,
    health: Health,
    metrics: AutoregistrationMetrics,
}

opaque_debug!(Registrar);

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The parts of the registration worker.
pub struct RegistrationParts {
    pub db: Db,
    pub events: Arc<dyn EventLog>,
    pub clock: Clock,
    pub registry: Registry,
    pub health: Health,
}

opaque_debug!(RegistrationParts);

/// Where the trapper port reports agents, and what writes their events.
#[must_use]
pub fn open(parts: RegistrationParts) -> (RegistrationPort, Registrar) {
    let RegistrationParts { db, events, clock, registry, health } = parts;
    let (sender, receiver) =
        queue::bounded("registrations", WAITING_MAX, WhenFull::Refuse, &clock, &registry);
    let metrics = AutoregistrationMetrics::register(&registry);
    let shared: Arc<Mutex<Shared>> = Arc::default();
    let port = RegistrationPort {
        db: db.clone(),
        clock: clock.clone(),
        shared: Arc::clone(&shared),
        waiting: sender,
        metrics: metrics.clone(),
    };
    let registrar = Registrar {
        db,
        clock,
        shared,
        waiting: receiver,
        pending: VecDeque::new(),
        quarantine: Quarantine::default(),
        events,
        forget_at_ns: 0,
        health,
        metrics,
    };
    (port, registrar)
}

impl RegistrationPort {
    /// Whether an action waits for registrations.
    fn has_action(&self) -> bool {
        let snapshot = self.db.snapshot();
        let is_enabled = |it: &&Arc<model::document::Document>| {
            it.text("eventsource") == "2" && it.text("status") == "0"
        };
        snapshot.documents.of("action").any(|it| is_enabled(&it))
    }
}

impl Registrations for RegistrationPort {
    fn asked(&self, said: Registration, from: IpAddr) {
        let now = self.clock.wall().clock();
        let now_ms = self.clock.mono_ns() / NS_PER_MS;
        let is_host = self.db.snapshot().host_named(&said.host).is_some();
        let asked = Asked { from, now, now_ms, is_host };
        let mut shared = lock(&self.shared);
        // New requests cannot be recognized before the known agents are read. Agents ask again
        // soon.
        let Some(register) = &mut shared.register else { return };
        let verdict = register.hear(&said, asked);
        if verdict == Verdict::No || verdict == Verdict::Again && !self.has_action() {
            return;
        }
        if verdict == Verdict::Limited {
            self.metrics.limited_total.inc();
            return shared.leave_out(now);
        }
        if shared.aside.contains(&said.host) {
            return self.metrics.dropped_total.inc();
        }
        if self.waiting.try_send(said.clone()).is_err() {
            self.metrics.dropped_total.inc();
            return shared.leave_out(now);
        }
        if let Some(register) = &mut shared.register {
            register.note(&said, asked);
        }
    }
}

impl Registrar {
    /// Has registrations wake the worker.
    #[must_use]
    pub fn woken_by(self, wake: &Wake) -> Self {
        self.waiting.wakes(wake);
        lock(&self.shared).wake = Some(wake.clone());
        self
    }

    /// Reads what agents said before.
    fn read_known(&self, now: Time) -> Result<(), DbError> {
        let sayings = Sayings::default();
        let of_rows = sayings.clone();
        let rows = self.db.events().autoregistered_as(move |row| {
            let (id, said) = (row.id, said_by(row));
            KnownAgent { id, said: of_rows.of(&said), host: said.host }
        })?;
        let mut register = Register::of_rows(rows, sayings, now.clock());
        // Taken up before a panic: their events are still to be written.
        self.pending.iter().for_each(|it| register.remember(it, now.clock()));
        lock(&self.shared).register = Some(register);
        Ok(())
    }

    /// Writes events of what waits.
    fn write(&mut self, now: Time) -> Result<(), EventWriteError> {
        let room = EVENTS_MAX.saturating_sub(self.pending.len());
        let mut taken = Vec::new();
        self.waiting.drain(room, &mut taken);
        self.pending.extend(taken);
        let n = if self.quarantine.is_single() { 1 } else { EVENTS_MAX };
        let n = self.pending.len().min(n);
        if n == 1 {
            self.quarantine.begin(());
        }
        let events: Vec<OutsideEvent> = {
            let mut shared = lock(&self.shared);
            let Some(register) = &mut shared.register else { return Ok(()) };
            let event =
                |said: &Registration| Some(event_of(register.id_of(&said.host)?, said, now));
            self.pending.iter().take(n).filter_map(event).collect()
        };
        if !events.is_empty() {
            self.events.write(&events)?;
            self.metrics.events_total.add_n(events.len());
        }
        self.pending.drain(..n);
        self.quarantine.passed();
        Ok(())
    }

    /// Forgets agents that were not heard for long, if they have expired or others need the room.
    /// Gives whether there are more.
    fn forget(&mut self, now: Now) -> bool {
        let clock = now.wall.clock();
        let ids = {
            let mut shared = lock(&self.shared);
            let Some(register) = &mut shared.register else { return false };
            let n_forgotten = register.sweep(clock);
            self.metrics.known.set_n(register.len());
            let is_due = self.forget_at_ns <= now.mono_ns;
            let ids = if is_due { register.take_forgotten(ROWS_MAX) } else { Vec::new() };
            if let Some(n @ 1..) = n_forgotten {
                self.metrics.forgotten_total.add_n(n);
                shared.left_out_at = Some(clock);
            }
            ids
        };
        if ids.is_empty() {
            return false;
        }
        let Err(error) = self.db.events().forget_autoregistered(&ids) else { return true };
        // Registrations need no database: they go on.
        warn!(%error, "rows of agents that were forgotten are deleted later");
        if let Some(register) = &mut lock(&self.shared).register {
            register.put_back(ids);
        }
        self.forget_at_ns = now.mono_ns.saturating_add(nanos(FORGET_AGAIN));
        false
    }

    /// Says in `/health` whether registrations were left out lately; gives when to look again.
    fn report(&self, now: Now) -> Next {
        let clock = now.wall.clock();
        let left_out_at = {
            let mut shared = lock(&self.shared);
            // A clock that was set back counts from then on.
            let left_out_at = shared.left_out_at.map(|it| it.min(clock));
            shared.left_out_at = left_out_at.filter(|it| clock < it.saturating_add(REPORTED_S));
            shared.left_out_at
        };
        let Some(left_out_at) = left_out_at else {
            self.health.clear(PART);
            return Next::WhenWoken;
        };
        let is_new = self.health.issues().iter().all(|it| it.part != PART);
        if is_new {
            warn!(
                limited = self.metrics.limited_total.get(),
                dropped = self.metrics.dropped_total.get(),
                forgotten = self.metrics.forgotten_total.get(),
                "too many agents register themselves: some wait, or others were forgotten"
            );
        }
        self.health.set(
            PART,
            Level::Degraded,
            "Too many agents register themselves, or a client invents names of agents: registrations of an \
             address that makes too many wait, and agents not heard for long may be forgotten. See \
             saker_autoregistration_limited_total and check which clients reach the trapper port.",
        );
        let left_s = left_out_at.saturating_add(REPORTED_S).saturating_sub(clock);
        let left_s = u64::try_from(left_s).unwrap_or_default();
        Next::At(now.mono_ns.saturating_add(left_s.saturating_mul(NS_PER_S)))
    }
}

impl Worker for Registrar {
    type Error = Box<dyn Error>;

    fn turn(&mut self, now: Now) -> Result<Next, Self::Error> {
        if lock(&self.shared).register.is_none() {
            if !self.events.wait_carried(self.events.start(), Duration::ZERO) {
                return Ok(Next::after(now, WAITING_INTERVAL));
            }
            self.read_known(now.wall)?;
        }
        if let Err(error) = self.write(now.wall) {
            if is_mended_by_time(&error) {
                self.quarantine.excuse();
            }
            return Err(error.into());
        }
        let is_more = self.forget(now) || !self.pending.is_empty() || 0 < self.waiting.depth();
        let next = if is_more { Next::More } else { Next::after(now, SWEEP_INTERVAL) };
        let has_failed = now.mono_ns < self.forget_at_ns;
        let again = if has_failed { Next::At(self.forget_at_ns) } else { Next::WhenWoken };
        Ok(next.or(again).or(self.report(now)))
    }

    /// The state after a panic is read again.
    fn reload(&mut self, after: WorkerFailure) -> Result<(), Self::Error> {
        self.quarantine.failed();
        if after == WorkerFailure::Error {
            return Ok(());
        }
        lock(&self.shared).register = None;
        if !self.events.wait_carried(self.events.end(), RELOAD_MAX) {
            self.quarantine.excuse();
            return Err("the events that were written wait for the database".into());
        }
        if let Err(error) = self.read_known(self.clock.wall()) {
            self.quarantine.excuse();
            return Err(error.into());
        }
        Ok(())
    }

    /// A registration of which no event can be written.
    fn put_aside(&mut self) -> Option<String> {
        self.quarantine.culprit()?;
        let host = self.pending.pop_front()?.host;
        self.metrics.dropped_total.inc();
        let mut shared = lock(&self.shared);
        if ASIDE_MAX <= shared.aside.len() {
            shared.aside.clear();
        }
        shared.aside.insert(host.clone());
        Some(format!("the registration of agent \"{host}\""))
    }
}

fn event_of(id: u64, said: &Registration, time: Time) -> OutsideEvent {
    let row = AutoregisteredHost {
        id,
        host: said.host.clone(),
        listen_ip: said.ip.clone(),
        listen_dns: said.dns.clone(),
        listen_port: said.port,
        host_metadata: said.metadata.clone(),
        flags: said.flags,
        tls_accepted: said.tls_accepted,
    };
    OutsideEvent {
        subject: Subject::Autoregistered(id),
        time,
        kind: EventKind::Problem,
        severity: Severity::NotClassified,
        name: String::new(),
        tags: Vec::new(),
        recovers: Vec::new(),
        details: row.details(),
    }
}

fn said_by(row: AutoregisteredHost) -> Registration {
    Registration {
        host: row.host,
        metadata: row.host_metadata,
        ip: row.listen_ip,
        dns: row.listen_dns,
        port: row.listen_port,
        flags: row.flags,
        tls_accepted: row.tls_accepted,
    }
}
