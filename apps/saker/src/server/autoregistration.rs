//! Active agents that register themselves: asking for their checks they say who they are, and what is new of that
//! becomes an event.
//!
//! An agent is new, or says other things than the last time; one without a host here also registers again while actions
//! wait for such events, at most every two minutes, as in Zabbix. What each said last stands in memory, made at the start of
//! the table that comes with the events, so that a crash repeats none and loses none that was written.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use collect::ports::{Registration, Registrations};
use db::{AutoregisteredHost, Db};
use engine::event_writer::{EventWriter, OutsideEvent};
use model::content::Severity;
use model::map::Map;
use model::record::{EventKind, Subject};
use rt::clock::Clock;
use rt::metrics::{Counter, Registry};
use rt::queue::{self, Receiver, Sender, WhenFull};
use rt::shutdown::Shutdown;
use tracing::warn;

use super::{Base, Groups, ServerError};

/// An agent whose host is not known is told of again after so long.
const AGAIN_S: i64 = 120;
/// Agents known at most: names come from anybody who reaches the port.
const KNOWN_MAX: usize = 200_000;
/// Registrations that wait to be written.
const WAITING_MAX: usize = 10_000;
/// Events of one record.
const EVENTS_MAX: usize = 1_000;
/// Between two looks for the end of the process.
const IDLE: Duration = Duration::from_millis(500);

rt::metrics! {
    /// Active agents that register themselves.
    pub(super) struct AutoregistrationMetrics in "saker_autoregistration" {
        /// Events about agents that are new or say something new of themselves.
        pub(super) events_total: Counter,
        /// Registrations that were left out because too many agents are known or wait; agents ask again.
        pub(super) dropped_total: Counter,
    }
}

/// What an agent said last, and when that was told.
struct Known {
    /// 0 until it is told.
    id: u64,
    said: Registration,
    told_at: i64,
}

#[derive(Default)]
struct Register {
    /// By the host's name; `None` until it is read from the database.
    known: Option<Map<String, Known>>,
    last_id: u64,
}

/// Where the trapper port tells of agents.
pub(super) struct RegistrationPort {
    db: Db,
    clock: Clock,
    register: Arc<Mutex<Register>>,
    waiting: Sender<Registration>,
    metrics: AutoregistrationMetrics,
}

/// Writes the events.
pub(super) struct Registrar {
    db: Db,
    clock: Clock,
    register: Arc<Mutex<Register>>,
    waiting: Receiver<Registration>,
    events: EventWriter,
    metrics: AutoregistrationMetrics,
}

fn lock(register: &Mutex<Register>) -> MutexGuard<'_, Register> {
    register.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the thread that writes events; gives where agents are told of.
pub(super) fn start(
    base: &Base,
    db: &Db,
    groups: &Groups,
    events: EventWriter,
) -> Result<Arc<RegistrationPort>, ServerError> {
    let (port, registrar) = open(db, events, (&base.clock, &base.registry));
    let shutdown = groups.input.shutdown().clone();
    groups.input.thread("registrations", move || registrar.run(&shutdown))?;
    Ok(Arc::new(port))
}

fn open(
    db: &Db,
    events: EventWriter,
    (clock, registry): (&Clock, &Registry),
) -> (RegistrationPort, Registrar) {
    let (sender, receiver) =
        queue::bounded("registrations", WAITING_MAX, WhenFull::Refuse, clock, registry);
    let metrics = AutoregistrationMetrics::register(registry);
    let register: Arc<Mutex<Register>> = Arc::default();
    let port = RegistrationPort {
        db: db.clone(),
        clock: clock.clone(),
        register: Arc::clone(&register),
        waiting: sender,
        metrics: metrics.clone(),
    };
    let registrar = Registrar {
        db: db.clone(),
        clock: clock.clone(),
        register,
        waiting: receiver,
        events,
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
    fn asked(&self, said: Registration) {
        let now = self.clock.wall().clock();
        let is_host = self.db.snapshot().host_named(&said.host).is_some();
        let mut register = lock(&self.register);
        // Until what was told before is known nobody can tell what is new. Agents ask again soon.
        let Some(known) = &mut register.known else { return };
        let is_due = |it: &Known| {
            it.said != said || !is_host && it.told_at + AGAIN_S <= now && self.has_action()
        };
        let before = known.get(&said.host);
        if !before.is_none_or(is_due) {
            return;
        }
        if before.is_none() && KNOWN_MAX <= known.len() {
            self.metrics.dropped_total.inc();
            return;
        }
        let id = before.map_or(0, |it| it.id);
        if self.waiting.try_send(said.clone()).is_err() {
            self.metrics.dropped_total.inc();
            return;
        }
        known.insert(said.host.clone(), Known { id, said, told_at: now });
    }
}

impl Registrar {
    /// Goes on until shutdown. Blocking.
    pub(super) fn run(self, shutdown: &Shutdown) {
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
        }
    }

    /// Reads what agents said before the start, once all events of that are in the database.
    fn read_known(&self) -> bool {
        if !self.events.has_carried(self.events.start()) {
            return false;
        }
        let rows = match self.db.events().autoregistered() {
            Ok(it) => it,
            Err(error) => {
                warn!(%error, "agents cannot register themselves yet");
                return false;
            }
        };
        let mut register = lock(&self.register);
        register.last_id = rows.last().map_or(0, |it| it.id);
        let now = self.clock.wall().clock();
        let known = rows.into_iter().map(|row| {
            let (id, said) = (row.id, said_by(row));
            (said.host.clone(), Known { id, said, told_at: now })
        });
        register.known = Some(known.collect());
        true
    }

    fn write(&self, batch: &[Registration]) {
        let time = self.clock.wall();
        let events: Vec<OutsideEvent> = {
            let mut register = lock(&self.register);
            let Register { known: Some(known), last_id } = &mut *register else { return };
            let event = |said: &Registration| {
                let known = known.get_mut(&said.host)?;
                if known.id == 0 {
                    *last_id += 1;
                    known.id = *last_id;
                }
                Some(event_of(known.id, said, time))
            };
            batch.iter().filter_map(event).collect()
        };
        match self.events.write(&events) {
            Ok(_) => self.metrics.events_total.add_n(events.len()),
            Err(error) => {
                warn!(%error, "registrations of agents were not written");
                self.metrics.dropped_total.add_n(events.len());
                let mut register = lock(&self.register);
                let known = register.known.as_mut();
                // Told the next time that the agents ask.
                if let Some(known) = known {
                    batch.iter().for_each(|it| drop(known.remove(&it.host)));
                }
            }
        }
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
