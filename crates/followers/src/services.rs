//! Follows business services: problems and configuration in, status and events out.
//!
//! The database or the journal may be away: what follows from changes waits in the manager, and so do they.

use std::error::Error;
use std::time::Duration;

use db::Db;
use db::services::{ServiceEvent, ServiceEventWriter, ServiceManager, ServiceNews};
use engine::event_writer::{EventWriter, OutsideEvent};
use model::content::Severity;
use model::record::{EventKind, Subject};
use model::{EventId, Now};
use rt::clock::nanos;
use rt::metrics::Counter;
use rt::worker::{Failure, Next, OnPanic, Row, Wake, Worker};

/// Until what waits for the journal or for memory is looked at again.
const WAITING_INTERVAL: Duration = Duration::from_millis(50);
/// How far the status has got is saved so often although nothing follows from it.
const FLUSH_INTERVAL: Duration = Duration::from_secs(60);

/// In the list of what runs.
pub const ROW: Row = Row {
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

/// What the worker is made of.
pub struct ServiceParts {
    pub db: Db,
    pub writer: EventWriter,
    pub metrics: ServiceMetrics,
}

opaque_debug!(ServiceParts);

impl ServiceEventWriter for ServiceParts {
    fn write(&self, events: &[ServiceEvent]) -> Result<EventId, Box<dyn Error>> {
        let events: Vec<OutsideEvent> = events.iter().map(outside).collect();
        let written = self.writer.write(&events)?;
        self.metrics.events_total.add_n(events.len());
        Ok(written.first)
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
        // Whatever is open of the service.
        recovers: Vec::new(),
        details: Vec::new(),
    }
}

/// The worker.
pub struct ServiceStatus {
    parts: ServiceParts,
    news: ServiceNews,
    /// None before the events of the journal are known, and after a panic.
    manager: Option<ServiceManager>,
    /// When how far it has got is saved, on the monotonic clock.
    flush_at_ns: u64,
}

opaque_debug!(ServiceStatus);

impl ServiceStatus {
    /// Hears of changes from now on.
    pub fn new(parts: ServiceParts, wake: &Wake) -> Self {
        let wake = wake.clone();
        let news = ServiceNews::of(&parts.db, move || wake.wake());
        Self { parts, news, manager: None, flush_at_ns: 0 }
    }
}

impl Worker for ServiceStatus {
    type Error = Box<dyn Error>;

    fn turn(&mut self, now: Now) -> Result<Next, Self::Error> {
        let parts = &self.parts;
        let manager = match &mut self.manager {
            Some(manager) => manager,
            // The database has to know all events that the journal had at the start.
            None if !parts.writer.has_carried(parts.writer.start()) => {
                return Ok(Next::after(now, WAITING_INTERVAL));
            }
            none => none.insert(ServiceManager::open(&parts.db, &self.news, now.wall)?),
        };
        if manager.has_work() {
            manager.turn(now.wall, parts)?;
        }
        if self.flush_at_ns <= now.mono_ns {
            manager.flush()?;
            self.flush_at_ns = now.mono_ns.saturating_add(nanos(FLUSH_INTERVAL));
        }
        // What waits for the journal or for memory is looked at again.
        let pending =
            if manager.has_work() { Next::after(now, WAITING_INTERVAL) } else { Next::WhenWoken };
        Ok(pending.or(Next::At(self.flush_at_ns)))
    }

    /// What follows from changes waits in the manager, unless that is half changed.
    fn reload(&mut self, after: Failure) -> Result<(), Self::Error> {
        if after == Failure::Panic {
            self.manager = None;
        }
        Ok(())
    }

    /// What is not saved follows from the next start again.
    fn stop(&mut self) -> Result<(), Self::Error> {
        Ok(self.manager.as_mut().map_or(Ok(()), ServiceManager::flush)?)
    }
}
