//! Follows business services: problems and configuration in, status and events out.
//!
//! The database or the journal may be away: the effects of changes wait in the manager, and so do
//! the changes.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use db::Db;
use db::services::{ServiceChanges, ServiceEvent, ServiceEventWriter, ServiceManager};
use engine::event_writer::OutsideEvent;
use model::content::Severity;
use model::map::Set;
use model::record::{EventKind, Subject};
use model::{EventId, Now};
use rt::clock::nanos;
use rt::metrics::Counter;
use rt::worker::{Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};

use crate::ports::{EventLog, is_mended_by_time};
use crate::quarantine::Quarantine;

/// The pause until changes that wait for the journal or for memory are tried again.
const WAITING_INTERVAL: Duration = Duration::from_millis(50);
/// How long to wait for events that were written before a panic; the wait is repeated later.
const RELOAD_MAX: Duration = Duration::from_secs(1);
/// The interval at which the position of the status is saved even without changes.
const FLUSH_INTERVAL: Duration = Duration::from_secs(60);

/// In the list of what runs.
pub const ROW: WorkerRow = WorkerRow {
    name: "services",
    job: "finds the status of business services, and writes their events",
    woken_by: "changes of problems and services",
    waits: "the status of services waits",
    on_panic: OnPanic::Reload,
};

rt::metrics! {
    /// The status of business services.
    pub struct ServiceMetrics in "saker_services" {
        /// Events of services.
        pub events_total: Counter,
    }
}

/// The parts of the worker.
pub struct ServiceParts {
    pub db: Db,
    pub writer: Arc<dyn EventLog>,
    pub metrics: ServiceMetrics,
}

opaque_debug!(ServiceParts);

/// Writes events, and notes which fail.
struct Events {
    log: Arc<dyn EventLog>,
    metrics: ServiceMetrics,
    /// How many events are being written, or could not be for a reason that time does not mend.
    n_unwritten: AtomicUsize,
}

impl ServiceEventWriter for Events {
    fn write(&self, events: &[ServiceEvent]) -> Result<EventId, Box<dyn Error>> {
        self.n_unwritten.store(events.len(), Ordering::Relaxed);
        let events: Vec<OutsideEvent> = events.iter().map(outside).collect();
        let written = self.log.write(&events);
        if written.as_ref().err().is_none_or(is_mended_by_time) {
            self.n_unwritten.store(0, Ordering::Relaxed);
        }
        let first = written?.first;
        self.metrics.events_total.add_n(events.len());
        Ok(first)
    }
}

fn outside(event: &ServiceEvent) -> OutsideEvent {
    OutsideEvent {
        subject: Subject::Service(event.service),
        time: event.time,
        kind: if event.severity.is_some() { EventKind::Problem } else { EventKind::Ok },
        severity: event.severity.unwrap_or(Severity::NotClassified),
        name: event.name.clone(),
        tags: event.tags.clone(),
        // All open problems of the service.
        recovers: Vec::new(),
        details: Vec::new(),
    }
}

/// The worker.
pub struct ServiceStatus {
    db: Db,
    events: Events,
    changes: ServiceChanges,
    /// None before the events of the journal are known, and after a panic.
    manager: Option<ServiceManager>,
    /// When how far it has got is saved, on the monotonic clock.
    flush_at_ns: u64,
    quarantine: Quarantine<u64>,
    /// Changes of status whose events are not written before the next start.
    aside: Set<u64>,
}

opaque_debug!(ServiceStatus);

impl ServiceStatus {
    /// Hears of changes from now on.
    pub fn new(parts: ServiceParts, wake: &Wake) -> Self {
        let wake = wake.clone();
        let ServiceParts { db, writer, metrics } = parts;
        let changes = ServiceChanges::of(&db, move || wake.wake());
        Self {
            events: Events { log: writer, metrics, n_unwritten: AtomicUsize::new(0) },
            db,
            changes,
            manager: None,
            flush_at_ns: 0,
            quarantine: Quarantine::default(),
            aside: Set::default(),
        }
    }
}

impl Worker for ServiceStatus {
    type Error = Box<dyn Error>;

    fn turn(&mut self, now: Now) -> Result<Next, Self::Error> {
        let manager = match &mut self.manager {
            Some(manager) => manager,
            // The database has to know all events that the journal had at the start.
            None if !self.events.log.has_applied(self.events.log.start()) => {
                return Ok(Next::after(now, WAITING_INTERVAL));
            }
            none => {
                let manager = none.insert(ServiceManager::open(&self.db, &self.changes, now.wall)?);
                manager.skip_alarms(&self.aside);
                manager
            }
        };
        if manager.has_work() {
            manager.write_singly(self.quarantine.is_single());
            manager.turn(now.wall, &self.events)?;
            self.quarantine.passed();
        }
        if self.flush_at_ns <= now.mono_ns {
            manager.flush()?;
            self.flush_at_ns = now.mono_ns.saturating_add(nanos(FLUSH_INTERVAL));
        }
        // Changes that wait for the journal or for memory are tried again.
        let pending =
            if manager.has_work() { Next::after(now, WAITING_INTERVAL) } else { Next::WhenWoken };
        Ok(pending.or(Next::At(self.flush_at_ns)))
    }

    /// The effects of changes wait in the manager, unless that is half changed.
    fn reload(&mut self, after: WorkerFailure) -> Result<(), Self::Error> {
        if self.events.n_unwritten.swap(0, Ordering::Relaxed) != 0 {
            self.quarantine.failed();
        }
        if after == WorkerFailure::Panic {
            self.manager = None;
            // Events that the database does not have yet would be written again.
            if !self.events.log.wait_carried(self.events.log.end(), RELOAD_MAX) {
                return Err("the events that were written wait for the database".into());
            }
        }
        Ok(())
    }

    /// An event of a service that cannot be written.
    fn put_aside(&mut self) -> Option<String> {
        if self.events.n_unwritten.load(Ordering::Relaxed) != 1 {
            return None;
        }
        let skipped = self.manager.as_mut()?.skip_event()?;
        self.aside.insert(skipped.id);
        Some(format!("an event of service {}", skipped.service))
    }

    /// Unsaved state is computed again at the next start.
    fn stop(&mut self) -> Result<(), Self::Error> {
        Ok(self.manager.as_mut().map_or(Ok(()), ServiceManager::flush)?)
    }
}
