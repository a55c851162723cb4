//! Follows business services: problems and configuration in, status and events out.
//!
//! The thread looks whether something has changed, which costs a memory access, and takes a turn then. The
//! database or the journal may be away: what follows from changes waits in the manager, and so do they.

use std::error::Error;
use std::time::Duration;

use db::Db;
use db::services::{ServiceEvent, ServiceEventWriter, ServiceManager};
use engine::event_writer::{EventWriter, OutsideEvent};
use model::EventId;
use model::content::Severity;
use model::record::{EventKind, Subject};
use rt::clock::Clock;
use rt::metrics::{Counter, TimeHistogram};
use rt::shutdown::Shutdown;
use tracing::warn;

/// Between two looks at what has changed.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// After the database or the journal refused.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// How far the status has got is saved so often although nothing follows from it.
const FLUSH_INTERVAL_S: i64 = 60;

rt::metrics! {
    /// The status of business services.
    pub(super) struct ServiceMetrics in "saker_services" {
        /// Time of a turn: what changed is taken, the status that follows is saved, events are written, in seconds.
        pub(super) turn_seconds: TimeHistogram,
        /// Events of services.
        pub(super) events_total: Counter,
        /// Turns that the database or the journal refused.
        pub(super) failures_total: Counter,
    }
}

/// What the thread is made of.
pub(super) struct ServiceParts {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) writer: EventWriter,
    pub(super) metrics: ServiceMetrics,
}

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

/// Goes on until shutdown. Blocking.
pub(super) fn run(parts: &ServiceParts, shutdown: &Shutdown) {
    let Some(mut manager) = open(parts, shutdown) else { return };
    let mut pause = Duration::ZERO;
    let mut flush_at = 0;
    while !shutdown.wait(pause.max(LOOK_INTERVAL)) {
        pause = Duration::ZERO;
        let now = parts.clock.wall();
        let mut done = Ok(());
        if manager.has_work() {
            let started_ns = parts.clock.mono_ns();
            done = manager.turn(now, parts);
            let took_ns = parts.clock.mono_ns().saturating_sub(started_ns);
            parts.metrics.turn_seconds.observe_ns(took_ns);
        }
        if done.is_ok() && flush_at <= now.clock() {
            flush_at = now.clock() + FLUSH_INTERVAL_S;
            done = manager.flush().map_err(Into::into);
        }
        if let Err(error) = done {
            failed(parts, &*error);
            pause = RETRY_PAUSE;
        }
    }
    // What is not saved follows from the next start again.
    if let Err(error) = manager.flush() {
        failed(parts, &error);
    }
}

fn failed(parts: &ServiceParts, error: &dyn Error) {
    static LIMIT: rt::log::Limit = rt::log::Limit::new(1, Duration::from_secs(60));
    parts.metrics.failures_total.inc();
    if let Some(n_left_out) = LIMIT.admit(parts.clock.mono_ns()) {
        warn!(%error, n_left_out, "the status of services waits");
    }
}

/// When the database knows all events that the journal had at the start.
fn open(parts: &ServiceParts, shutdown: &Shutdown) -> Option<ServiceManager> {
    while !parts.writer.has_carried(parts.writer.start()) {
        if shutdown.wait(LOOK_INTERVAL) {
            return None;
        }
    }
    loop {
        match ServiceManager::open(&parts.db, parts.clock.wall()) {
            Ok(manager) => return Some(manager),
            Err(error) => failed(parts, &error),
        }
        if shutdown.wait(RETRY_PAUSE) {
            return None;
        }
    }
}
