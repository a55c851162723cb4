//! The manager over a real database, with a journal that is played: it keeps events, and writes
//! them to the database on request.

use std::cell::{Cell, RefCell};
use std::path::Path;

use model::Time;
use model::content::Severity;
use serde_json::{Value as Json, json};

use super::*;
use crate::actor::Actor;
use crate::handle::{Db, DbSettings};
use crate::runtime::events::{object, source};
use crate::sql::location::Location;
use model::{EventId, UserId};

const NOW: i64 = 1_790_000_000;

fn at(second: i64) -> Time {
    Time::from_clock(NOW + second, 0)
}

fn open(folder: &Path) -> Db {
    Db::open(&DbSettings::new(Location::Sqlite(folder.join("saker.db")))).expect("it opens")
}

#[derive(Default)]
struct Journal {
    events: RefCell<Vec<EventRow>>,
    n_carried: Cell<usize>,
    /// Nothing is written.
    is_full: Cell<bool>,
}

impl Journal {
    fn push(&self, row: EventRow) -> u64 {
        let mut events = self.events.borrow_mut();
        let id = u64::try_from(events.len()).expect("few") + 1;
        events.push(EventRow { eventid: EventId(id), ..row });
        id
    }

    /// Brings the database what it does not have yet.
    fn carry(&self, db: &Db) {
        let events = self.events.borrow();
        let new = events[self.n_carried.get()..].to_vec();
        self.n_carried.set(events.len());
        db.events().apply(new, u64::try_from(events.len()).expect("few")).expect("there is room");
        db.events().flush().expect("the database is there");
    }

    /// A problem of a trigger with the tag `of`, or the end of one.
    fn problem(&self, second: i64, of: &str, severity: Severity) -> u64 {
        self.push(row(second, of, severity, None))
    }

    fn recovery(&self, second: i64, of: u64) -> u64 {
        self.push(row(second, "", Severity::NotClassified, Some(of)))
    }

    /// Those of services: service, second, value.
    fn published(&self) -> Vec<(u64, i64, u8)> {
        let events = self.events.borrow();
        let of_services = events.iter().filter(|it| it.source == source::SERVICE);
        of_services.map(|it| (it.objectid, it.time.clock() - NOW, it.value)).collect()
    }
}

fn row(second: i64, of: &str, severity: Severity, recovers: Option<u64>) -> EventRow {
    EventRow {
        eventid: EventId(0),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: 7,
        time: at(second),
        value: u8::from(recovers.is_none()),
        severity,
        name: "Broken".to_owned(),
        opdata: String::new(),
        tags: vec![Tag { tag: "of".to_owned(), value: of.to_owned() }],
        hosts: Vec::new(),
        recovers: recovers.into_iter().map(EventId).collect(),
        userid: UserId::NONE,
    }
}

impl ServiceEventWriter for Journal {
    fn write(&self, events: &[ServiceEvent]) -> Result<EventId, Box<dyn std::error::Error>> {
        if self.is_full.get() {
            return Err("the journal is full".into());
        }
        let ids = events.iter().map(|it| {
            self.push(EventRow {
                source: source::SERVICE,
                object: object::SERVICE,
                objectid: it.service,
                time: it.time,
                value: u8::from(it.severity.is_some()),
                severity: it.severity.unwrap_or(Severity::NotClassified),
                name: it.name.clone(),
                ..row(0, "", Severity::NotClassified, None)
            })
        });
        let ids: Vec<u64> = ids.collect();
        Ok(EventId(ids[0]))
    }
}

fn create(db: &Db, second: i64, fields: &Json) -> u64 {
    let kind = crate::configuration::objects::service::SERVICE.kind();
    let fields = fields.as_object().expect("fields").clone();
    let made = db.edit(Actor::System, |e| {
        e.set_time(at(second));
        e.create(kind, fields)
    });
    made.expect("it is made")
}

fn leaf(db: &Db, second: i64, of: &str, parents: &[u64]) -> u64 {
    let parents: Json = parents.iter().map(|it| json!({"serviceid": it.to_string()})).collect();
    let fields = json!({"name": of, "algorithm": "0", "sortorder": "0", "parents": parents,
        "problem_tags": [{"tag": "of", "value": of}]});
    create(db, second, &fields)
}

fn changes(db: &Db, service: u64) -> Vec<(i64, Option<Severity>)> {
    let found = db.services().timelines(&[service], 0, i64::MAX).expect("the database is there");
    let changes = found.get(&service).map(|it| it.changes.clone()).unwrap_or_default();
    changes.into_iter().map(|(at, it)| (at - NOW, it)).collect()
}

const HIGH: Option<Severity> = Some(Severity::High);
const WARNING: Option<Severity> = Some(Severity::Warning);

fn manage(db: &Db, clock: i64) -> Result<ServiceManager, DbError> {
    ServiceManager::open(db, &ServiceChanges::of(db, || {}), at(clock))
}

#[test]
fn a_restart_goes_on_where_the_last_one_was_with_the_times_of_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Journal::default();
    let (service, parent);
    {
        let db = open(folder.path());
        parent = create(&db, 0, &json!({"name": "top", "algorithm": "2", "sortorder": "0"}));
        service = leaf(&db, 0, "a", &[parent]);
        let mut manager = manage(&db, 1).expect("the database is there");
        let first = journal.problem(10, "a", Severity::High);
        journal.problem(11, "b", Severity::High);
        journal.carry(&db);
        manager.turn(at(20), &journal).expect("it is saved");
        assert_eq!(db.services().status(parent), HIGH);
        // The manager is gone, and problems go on.
        drop(manager);
        journal.recovery(30, first);
        journal.problem(40, "a", Severity::Warning);
        journal.carry(&db);
    }
    for _ in 0..2 {
        let db = open(folder.path());
        let mut manager = manage(&db, 500).expect("the database is there");
        manager.turn(at(500), &journal).expect("it is saved");
        journal.carry(&db);
        manager.turn(at(501), &journal).expect("nothing is left");
        assert!(!manager.has_work());
        for id in [service, parent] {
            assert_eq!(changes(&db, id), [(10, HIGH), (30, None), (40, WARNING)]);
            assert_eq!(db.services().status(id), WARNING);
        }
    }
    let both = |second, value| [(service, second, value), (parent, second, value)];
    assert_eq!(journal.published(), [both(10, 1), both(30, 0), both(40, 1)].concat());
}

#[test]
fn a_manager_that_follows_one_ended_by_a_panic_knows_what_ended_meanwhile() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Journal::default();
    let db = open(folder.path());
    let service = leaf(&db, 0, "a", &[]);
    let changes = ServiceChanges::of(&db, || {});
    let mut manager = ServiceManager::open(&db, &changes, at(1)).expect("the database is there");
    let first = journal.problem(10, "a", Severity::High);
    journal.carry(&db);
    manager.turn(at(20), &journal).expect("it is saved");
    assert_eq!(db.services().status(service), HIGH);
    drop(manager);
    // The problem is resolved, and nothing of it is left in memory.
    journal.recovery(30, first);
    journal.carry(&db);
    db.events().expire(at(100_000));
    let mut manager =
        ServiceManager::open(&db, &changes, at(100_000)).expect("the database is there");
    manager.turn(at(100_001), &journal).expect("it is saved");
    assert_eq!(db.services().status(service), None);
    // It hears of what changes, too.
    journal.problem(100_010, "a", Severity::Warning);
    journal.carry(&db);
    assert!(manager.has_work());
    manager.turn(at(100_020), &journal).expect("it is saved");
    assert_eq!(db.services().status(service), WARNING);
}

#[test]
fn saved_unpublished_changes_are_published_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Journal::default();
    let service;
    {
        let db = open(folder.path());
        service = leaf(&db, 0, "a", &[]);
        let mut manager = manage(&db, 1).expect("the database is there");
        let id = journal.problem(10, "a", Severity::High);
        journal.recovery(12, id);
        journal.problem(14, "a", Severity::High);
        journal.carry(&db);
        journal.is_full.set(true);
        manager.turn(at(20), &journal).expect_err("the journal is full");
        assert_eq!((changes(&db, service).len(), journal.published().len()), (3, 0));
        assert!(manager.has_work());
    }
    {
        // It is in the journal, and the process ends before the database knows of it.
        let db = open(folder.path());
        let manager = manage(&db, 30).expect("the database is there");
        let alarms: Vec<_> = manager.unwritten().take(2).collect();
        assert_eq!(alarms, [(service, 10), (service, 12)].map(|(id, it)| (id, at(it))));
        journal.is_full.set(false);
        journal.write(&manager.next_events(2)).expect("it is written");
        drop(manager);
        journal.carry(&db);
    }
    let db = open(folder.path());
    let mut manager = manage(&db, 40).expect("the database is there");
    manager.turn(at(40), &journal).expect("it is saved");
    assert_eq!(journal.published(), [(service, 10, 1), (service, 12, 0), (service, 14, 1)]);
    journal.carry(&db);
    let open = db.events().open_of((source::SERVICE, object::SERVICE), service);
    assert_eq!(open.len(), 1);
}

#[test]
fn a_service_sees_the_problems_that_are_there_when_it_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, journal) = (open(folder.path()), Journal::default());
    let mut manager = manage(&db, 1).expect("the database is there");
    let id = journal.problem(10, "a", Severity::High);
    let over = journal.problem(11, "c", Severity::High);
    journal.recovery(12, over);
    journal.carry(&db);
    manager.turn(at(15), &journal).expect("it is saved");
    let service = leaf(&db, 100, "a", &[]);
    let other = leaf(&db, 100, "c", &[]);
    manager.turn(at(101), &journal).expect("it is saved");
    assert_eq!(changes(&db, service), [(101, HIGH)]);
    // A late recovery is not earlier than what is known, and a later start looks at nothing twice.
    journal.recovery(50, id);
    journal.carry(&db);
    manager.turn(at(102), &journal).expect("it is saved");
    drop(manager);
    let mut manager = manage(&db, 200).expect("the database is there");
    manager.turn(at(200), &journal).expect("it is saved");
    assert_eq!(changes(&db, service), [(101, HIGH), (101, None)]);
    assert_eq!(changes(&db, other), []);
    // With the service everything goes that was known of it.
    let kind = crate::configuration::objects::service::SERVICE.kind();
    db.edit(Actor::System, |e| e.delete(kind, &[service])).expect("it is deleted");
    manager.turn(at(201), &journal).expect("it is saved");
    assert_eq!(changes(&db, service), []);
    db.events().drop_orphans(&db.snapshot());
}

#[test]
fn the_severity_of_a_problem_changes_without_an_event() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, journal) = (open(folder.path()), Journal::default());
    let service = leaf(&db, 0, "a", &[]);
    let mut manager = manage(&db, 1).expect("the database is there");
    journal.problem(10, "a", Severity::Warning);
    journal.problem(11, "a", Severity::High);
    journal.carry(&db);
    manager.turn(at(20), &journal).expect("it is saved");
    // Its problem is not in memory before the journal has brought it.
    assert!(manager.has_work());
    journal.carry(&db);
    manager.turn(at(21), &journal).expect("it is saved");
    let open = db.events().open_of((source::SERVICE, object::SERVICE), service);
    assert_eq!(open.iter().map(|it| it.severity).collect::<Vec<_>>(), [Severity::High]);
    assert_eq!(changes(&db, service), [(10, WARNING), (11, HIGH)]);
    assert_eq!(journal.published(), [(service, 10, 1)]);
}

#[test]
fn a_severity_that_changed_before_the_event_was_written_is_that_of_the_problem_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Journal::default();
    let service;
    {
        let db = open(folder.path());
        service = leaf(&db, 0, "a", &[]);
        let mut manager = manage(&db, 1).expect("the database is there");
        journal.problem(10, "a", Severity::Warning);
        journal.problem(11, "a", Severity::High);
        journal.carry(&db);
        journal.is_full.set(true);
        manager.turn(at(20), &journal).expect_err("the journal is full");
    }
    journal.is_full.set(false);
    let db = open(folder.path());
    let mut manager = manage(&db, 30).expect("the database is there");
    manager.turn(at(30), &journal).expect("it is saved");
    journal.carry(&db);
    manager.turn(at(31), &journal).expect("it is saved");
    let open = db.events().open_of((source::SERVICE, object::SERVICE), service);
    assert_eq!(open.iter().map(|it| it.severity).collect::<Vec<_>>(), [Severity::High]);
}

#[test]
fn a_severity_that_changes_is_that_of_the_last_problem_and_not_of_one_that_memory_still_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, journal) = (open(folder.path()), Journal::default());
    let service = leaf(&db, 0, "a", &[]);
    let mut manager = manage(&db, 1).expect("the database is there");
    let first = journal.problem(10, "a", Severity::Warning);
    journal.carry(&db);
    manager.turn(at(20), &journal).expect("it is saved");
    journal.carry(&db);
    journal.recovery(21, first);
    journal.problem(22, "a", Severity::Warning);
    journal.problem(23, "a", Severity::High);
    journal.carry(&db);
    // Memory has the first problem of the service alone, when the second one becomes worse.
    manager.turn(at(24), &journal).expect("it is saved");
    journal.carry(&db);
    manager.turn(at(25), &journal).expect("it is saved");
    let open = db.events().open_of((source::SERVICE, object::SERVICE), service);
    assert_eq!(open.iter().map(|it| it.severity).collect::<Vec<_>>(), [Severity::High]);
}
