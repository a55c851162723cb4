//! Active agents that register themselves: asking for their checks they say who they are, and what is new of that
//! becomes an event.
//!
//! An agent is new, or says another metadata or interface than the last time; one without a host here also registers again
//! while actions wait for such events, at most every two minutes, as in Zabbix. What each said last stands in memory
//! ([`register`]), made at the start of the table that comes with the events, so that a crash repeats none and loses none
//! that was written. Names come from anybody who reaches the port: an address may make so many registrations, and the
//! names that were not heard for longest are forgotten, with their rows.

mod register;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use collect::ports::{Registration, Registrations};
use db::{AutoregisteredHost, Db};
use engine::event_writer::{EventWriter, OutsideEvent};
use model::content::Severity;
use model::record::{EventKind, Subject};
use rt::clock::Clock;
use rt::health::{Health, Level};
use rt::metrics::{Counter, Gauge, Registry};
use rt::queue::{self, Receiver, Sender, WhenFull};
use rt::shutdown::Shutdown;
use tracing::warn;

use self::register::{Asked, News, Register, Row, Sayings};

/// In `/health`.
const PART: &str = "autoregistration";
/// Registrations that wait to be written: 16 MB, if all have the longest metadata.
const WAITING_MAX: usize = 2_000;
/// Events of one record.
const EVENTS_MAX: usize = 1_000;
/// Rows deleted in one transaction.
const ROWS_MAX: usize = 2_000;
/// Between two looks for the end of the process.
const IDLE: Duration = Duration::from_millis(500);
/// `/health` says for so long that registrations were left out.
const TROUBLE_S: i64 = 600;
const NS_PER_MS: u64 = 1_000_000;

rt::metrics! {
    /// Active agents that register themselves.
    pub struct AutoregistrationMetrics in "saker_autoregistration" {
        /// Events about agents that are new or say something new of themselves.
        pub events_total: Counter,
        /// Registrations that were left out because too many wait or could not be written; agents ask again.
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
}

/// Where the trapper port tells of agents.
pub struct RegistrationPort {
    db: Db,
    clock: Clock,
    shared: Arc<Mutex<Shared>>,
    waiting: Sender<Registration>,
    metrics: AutoregistrationMetrics,
}

opaque_debug!(RegistrationPort);

/// Writes the events.
pub struct Registrar {
    db: Db,
    clock: Clock,
    shared: Arc<Mutex<Shared>>,
    waiting: Receiver<Registration>,
    events: EventWriter,
    health: Health,
    metrics: AutoregistrationMetrics,
}

opaque_debug!(Registrar);

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What registrations are made of.
pub struct RegistrationParts {
    pub db: Db,
    pub events: EventWriter,
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
    let registrar = Registrar { db, clock, shared, waiting: receiver, events, health, metrics };
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
        // Until what was told before is known nobody can tell what is new. Agents ask again soon.
        let Some(register) = &mut shared.register else { return };
        let news = register.hear(&said, asked);
        if news == News::No || news == News::Again && !self.has_action() {
            return;
        }
        if news == News::Limited {
            self.metrics.limited_total.inc();
            shared.left_out_at = Some(now);
            return;
        }
        if self.waiting.try_send(said.clone()).is_err() {
            self.metrics.dropped_total.inc();
            shared.left_out_at = Some(now);
            return;
        }
        register.note(&said, asked);
    }
}

impl Registrar {
    /// Goes on until shutdown. Blocking.
    pub fn run(&self, shutdown: &Shutdown) {
        // What a panic has left is read again.
        lock(&self.shared).register = None;
        while !self.read_known() {
            if shutdown.wait(IDLE) {
                return;
            }
        }
        let mut batch = Vec::new();
        while !shutdown.is_cancelled() {
            if let Ok(first) = self.waiting.receive_timeout(IDLE) {
                batch.push(first);
                self.waiting.drain(EVENTS_MAX - 1, &mut batch);
                self.write(&batch);
                batch.clear();
            }
            self.forget();
            self.report();
        }
    }

    /// Reads what agents said before the start, once all events of that are in the database.
    fn read_known(&self) -> bool {
        if !self.events.has_carried(self.events.start()) {
            return false;
        }
        let sayings = Sayings::default();
        let of_rows = sayings.clone();
        let rows = self.db.events().autoregistered_as(move |row| {
            let (id, said) = (row.id, said_by(row));
            Row { id, said: of_rows.of(&said), host: said.host }
        });
        let rows = match rows {
            Ok(it) => it,
            Err(error) => {
                warn!(%error, "agents cannot register themselves yet");
                return false;
            }
        };
        let now = self.clock.wall().clock();
        lock(&self.shared).register = Some(Register::of_rows(rows, sayings, now));
        true
    }

    fn write(&self, batch: &[Registration]) {
        let time = self.clock.wall();
        let events: Vec<OutsideEvent> = {
            let mut shared = lock(&self.shared);
            let Some(register) = &mut shared.register else { return };
            let event =
                |said: &Registration| Some(event_of(register.id_of(&said.host)?, said, time));
            batch.iter().filter_map(event).collect()
        };
        match self.events.write(&events) {
            Ok(_) => self.metrics.events_total.add_n(events.len()),
            Err(error) => {
                warn!(%error, "registrations of agents were not written");
                self.metrics.dropped_total.add_n(events.len());
                let mut shared = lock(&self.shared);
                // Told the next time that the agents ask.
                if let Some(register) = &mut shared.register {
                    batch.iter().for_each(|it| register.take_back(&it.host));
                }
            }
        }
    }

    /// Forgets agents that were not heard for long, if their time is over or others need the room.
    fn forget(&self) {
        let now = self.clock.wall().clock();
        let ids = {
            let mut shared = lock(&self.shared);
            let Some(register) = &mut shared.register else { return };
            let n_forgotten = register.sweep(now);
            self.metrics.known.set_n(register.len());
            let ids = register.take_forgotten(ROWS_MAX);
            if let Some(n @ 1..) = n_forgotten {
                self.metrics.forgotten_total.add_n(n);
                shared.left_out_at = Some(now);
            }
            ids
        };
        if ids.is_empty() {
            return;
        }
        if let Err(error) = self.db.events().forget_autoregistered(&ids) {
            warn!(%error, "rows of agents that were forgotten are deleted later");
            if let Some(register) = &mut lock(&self.shared).register {
                register.put_back(ids);
            }
        }
    }

    /// Says in `/health` whether registrations were left out lately.
    fn report(&self) {
        let now = self.clock.wall().clock();
        let is_trouble = {
            let mut shared = lock(&self.shared);
            shared.left_out_at = shared.left_out_at.filter(|it| now < it.saturating_add(TROUBLE_S));
            shared.left_out_at.is_some()
        };
        if !is_trouble {
            return self.health.clear(PART);
        }
        let is_new = self.health.troubles().iter().all(|it| it.part != PART);
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
            "Too many agents register themselves, or somebody makes up names of agents: registrations of an \
             address that makes too many wait, and agents not heard for long may be forgotten. See \
             saker_autoregistration_limited_total and who reaches the trapper port.",
        );
    }
}

fn event_of(id: u64, said: &Registration, time: model::Time) -> OutsideEvent {
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
