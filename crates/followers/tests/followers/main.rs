//! Workers on a database. If turns fail at one row, it is put aside and shown, and all others go on.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod poison;
mod registrations;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use db::events::EventRow;
use db::{Actor, Db, DbSettings, Location, ObjectKind};
use engine::event_writer::{EventWriteError, OutsideEvent, Written};
use followers::ports::EventLog;
use journal::Lsn;
use model::{EventId, Time, UserId};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::task::Tasks;
use rt::worker::{GroupContext, Pass, Roster, WorkerGroup, WorkerMetrics};
use serde_json::Value as Json;
use tempfile::TempDir;

/// How an event that cannot be written fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Poison {
    Error,
    Panic,
}

/// A journal that is carried to its end, and takes no record with some event.
struct FakeLog {
    how: Poison,
    is_bad: fn(&OutsideEvent) -> bool,
    written: Mutex<Vec<OutsideEvent>>,
    /// Where it carries what is written, if anywhere.
    db: Option<Db>,
}

impl FakeLog {
    fn new(how: Poison, is_bad: fn(&OutsideEvent) -> bool) -> Arc<Self> {
        Arc::new(Self { how, is_bad, written: Mutex::default(), db: None })
    }

    fn carrying(self: Arc<Self>, db: &Db) -> Arc<Self> {
        let (how, is_bad) = (self.how, self.is_bad);
        Arc::new(Self { how, is_bad, written: Mutex::default(), db: Some(db.clone()) })
    }

    fn written(&self) -> Vec<OutsideEvent> {
        self.written.lock().unwrap().clone()
    }
}

/// Behind those that tests use themselves.
const FIRST_ID: u64 = 100;

fn row(event: &OutsideEvent, id: u64) -> EventRow {
    EventRow {
        eventid: EventId(id),
        source: event.subject.source(),
        object: event.subject.object(),
        objectid: event.subject.id(),
        time: event.time,
        value: event.kind as u8,
        severity: event.severity,
        name: event.name.clone(),
        opdata: String::new(),
        tags: event.tags.clone(),
        hosts: Vec::new(),
        recovers: event.recovers.clone(),
        userid: UserId::NONE,
    }
}

impl EventLog for FakeLog {
    fn start(&self) -> Lsn {
        Lsn(0)
    }

    fn end(&self) -> Lsn {
        Lsn(0)
    }

    fn has_applied(&self, _: Lsn) -> bool {
        true
    }

    fn wait_carried(&self, _: Lsn, _: Duration) -> bool {
        true
    }

    fn write(&self, events: &[OutsideEvent]) -> Result<Written, EventWriteError> {
        let is_bad = events.iter().any(self.is_bad);
        assert!(!is_bad || self.how == Poison::Error, "nobody can write this event");
        if is_bad {
            return Err(EventWriteError::TooMany { n: events.len() });
        }
        let mut written = self.written.lock().unwrap();
        let first = u64::try_from(written.len()).unwrap() + FIRST_ID;
        written.extend(events.iter().cloned());
        if let Some(db) = &self.db {
            let rows = events.iter().zip(first..).map(|(event, id)| row(event, id)).collect();
            db.events().apply(rows, first).unwrap();
            db.events().flush().unwrap();
        }
        Ok(Written { first: EventId(first), lsn: Lsn(0) })
    }
}

/// A database, a clock that a test sets, and a group of workers that it gives turns to.
struct Scene {
    folder: TempDir,
    db: Db,
    clock: Clock,
    registry: Registry,
    health: Health,
    group: WorkerGroup,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("saker.db");
        let db = Db::open(&DbSettings::new(Location::Sqlite(path))).unwrap();
        let clock = Clock::manual(Time::from_clock(1_790_000_000, 0));
        let (registry, health) = (Registry::new(), Health::default());
        let context = GroupContext {
            tasks: Tasks::new("test", &registry),
            clock: clock.clone(),
            health: health.clone(),
            metrics: WorkerMetrics::register(&registry),
            roster: Roster::default(),
        };
        Self { folder, db, clock, registry, health, group: WorkerGroup::new("test", &context) }
    }

    fn create(&self, kind: ObjectKind, fields: &Json) -> u64 {
        let fields = fields.as_object().cloned().unwrap();
        self.db.edit(Actor::System, |e| e.create(kind, fields)).unwrap()
    }

    /// Gives turns until the workers wait for something else than the clock of the next minutes.
    fn run(&mut self) {
        for _ in 0..200 {
            match self.group.pass() {
                Pass::Again => {}
                Pass::At(at) => {
                    let left = at.saturating_sub(self.clock.mono_ns());
                    if Duration::from_secs(50).as_nanos() < u128::from(left) {
                        return;
                    }
                    self.clock.advance(Duration::from_nanos(left));
                }
                Pass::WhenWoken | Pass::Ended => return,
            }
        }
        panic!("the workers do not come to rest: {:?}", self.health);
    }

    /// Gives turns until something holds.
    fn pass_until(&mut self, holds: impl Fn(&Self) -> bool) {
        for _ in 0..500 {
            if holds(self) {
                return;
            }
            match self.group.pass() {
                Pass::At(at) => {
                    let left = at.saturating_sub(self.clock.mono_ns());
                    self.clock.advance(Duration::from_nanos(left));
                }
                Pass::Again => {}
                Pass::WhenWoken | Pass::Ended => break,
            }
        }
        panic!("it does not come: {:?}", self.health);
    }

    fn issue(&self, part: &str) -> Option<String> {
        self.health.issues().into_iter().find(|it| it.part == part).map(|it| it.message)
    }

    /// Rows that a worker has put aside, and what `/health` shows of it.
    fn put_aside(&self, worker: &str) -> (String, String) {
        let n = self.registry.value("saker_worker_put_aside_total", Some(worker)).unwrap();
        assert_eq!(self.issue(worker), None, "it works again");
        let shown = self.issue(&format!("{worker}-put-aside")).unwrap_or_default();
        (n.to_string(), shown)
    }
}
