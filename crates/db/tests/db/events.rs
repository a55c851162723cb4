//! The contract of events and problems.

use db::events::{ApplyError, Unacknowledged, action, object, source};
use db::{
    Acknowledgement, AutoregisteredHost, Db, DbSettings, DiscoveredHost, DiscoveredRow,
    DiscoveredService, EventQuery, EventRow, EventSettings, Location, RowsOfEvents,
};
use model::content::{Severity, Tag};
use model::{EventId, HostId, Time, UserId};

use crate::common::{NOW, Store, on_both};

pub(crate) fn problem(id: u64, trigger: u64) -> EventRow {
    EventRow {
        eventid: EventId(id),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: trigger,
        time: Time(NOW.0 + i64::try_from(id).unwrap()),
        value: 1,
        severity: Severity::High,
        name: format!("Problem {id} \"quoted\" \0 ü"),
        opdata: "now 5".to_owned(),
        tags: vec![Tag { tag: "scope".to_owned(), value: "capacity".to_owned() }],
        hosts: vec![HostId(77)],
        recovers: Vec::new(),
        userid: UserId::NONE,
    }
}

pub(crate) fn recovery(id: u64, trigger: u64, of: &[u64]) -> EventRow {
    EventRow {
        value: 0,
        recovers: of.iter().map(|it| EventId(*it)).collect(),
        ..problem(id, trigger)
    }
}

fn ids(events: &[EventRow]) -> Vec<u64> {
    events.iter().map(|it| it.eventid.0).collect()
}

fn open_ids(store: &Store) -> Vec<u64> {
    let problems = store.db.events().problems();
    problems.iter().filter(|it| it.is_open()).map(|it| it.eventid().0).collect()
}

#[test]
fn problems_open_and_close_and_are_found_after_a_restart() {
    on_both(|store| {
        let events = store.db.events();
        events.apply(vec![problem(1, 10), problem(2, 11)], 100).unwrap();
        events.apply(vec![recovery(3, 10, &[1]), problem(4, 10)], 200).unwrap();
        assert_eq!(open_ids(store), [2, 4]);
        assert_eq!(events.n_open(), 2);
        assert_eq!(events.open_of((source::TRIGGER, object::TRIGGER), 10)[0].eventid().0, 4);
        events.flush().unwrap();
        assert_eq!(events.cursor(), 200);
        let before = events.problems();
        store.reopen();
        let events = store.db.events();
        assert_eq!(events.cursor(), 200);
        let strip = |it: &db::Problem| {
            let mut it = it.clone();
            it.version = 0;
            let mut event = EventRow::clone(&it.event);
            // PostgreSQL has no NUL in texts.
            event.name = event.name.replace(['\0', '\u{fffd}'], "");
            it.event = event.into();
            it
        };
        let after = events.problems();
        let [before, after] =
            [before, after].map(|it| it.iter().map(|it| strip(it)).collect::<Vec<_>>());
        assert_eq!(before, after);
        let resolved = events.problem(EventId(1)).unwrap();
        assert_eq!((resolved.r_eventid.0, resolved.r_time), (3, problem(3, 10).time));
    });
}

#[test]
fn a_start_reads_problems_that_are_open_or_ended_lately_or_that_services_have_not_heard_of() {
    on_both(|store| {
        let at = |row: EventRow, seconds: i64| EventRow { time: NOW.plus_secs(seconds), ..row };
        let all = vec![
            at(problem(1, 10), 0),
            at(problem(2, 11), 0),
            at(recovery(3, 11, &[2]), 10),
            at(problem(4, 12), 20),
            at(recovery(5, 12, &[4]), 30),
            at(problem(6, 13), 7_100),
            at(recovery(7, 13, &[6]), 7_200),
        ];
        store.db.events().apply(all, 100).unwrap();
        let request = Acknowledgement {
            eventids: vec![EventId(1), EventId(2), EventId(6)],
            userid: UserId(1),
            action: action::ACKNOWLEDGE,
            ..Acknowledgement::default()
        };
        store.db.events().acknowledge(&request, NOW).unwrap();
        store.db.events().flush().unwrap();
        let known = |store: &Store| -> Vec<(u64, usize)> {
            let problems = store.db.events().problems();
            problems.iter().map(|it| (it.eventid().0, it.acknowledges.len())).collect()
        };
        assert_eq!(known(store), [(1, 1), (2, 1), (4, 0), (6, 1)]);
        store.reopen();
        assert_eq!(known(store), [(1, 1), (6, 1)]);
        store.db.set_cursor("services", 4).unwrap();
        store.reopen();
        assert_eq!(known(store), [(1, 1), (4, 0), (6, 1)]);
    });
}

#[test]
fn ids_of_devices_that_are_forgotten_never_come_again() {
    on_both(|store| {
        let discovered = vec![
            DiscoveredRow::Host(DiscoveredHost { id: 3, ..DiscoveredHost::default() }),
            DiscoveredRow::Service(DiscoveredService {
                id: 9,
                host: 3,
                ..DiscoveredService::default()
            }),
        ];
        let described = RowsOfEvents { discovered, ..RowsOfEvents::default() };
        store.db.events().apply_with(Vec::new(), described, 1).unwrap();
        assert_eq!(store.db.events().last_discovered_ids().unwrap(), (3, 9));
        store.db.events().forget_discovered(&[3], &[9]).unwrap();
        store.reopen();
        assert!(store.db.events().discovered().unwrap().hosts.is_empty());
        assert_eq!(store.db.events().last_discovered_ids().unwrap(), (3, 9));
    });
}

#[test]
fn the_time_of_each_triggers_last_event_is_kept() {
    on_both(|store| {
        let host = store.host("h", &[]);
        store.item(host, "k");
        let [a, b] = ["a", "b"].map(|it| store.trigger(it, "last(/h/k)>5").0);
        let events = store.db.events();
        events.apply(vec![problem(1, a), problem(2, b), problem(9, 999_999)], 100).unwrap();
        let internal = EventRow { source: source::INTERNAL, ..problem(11, a) };
        events.apply(vec![recovery(10, a, &[1]), internal], 200).unwrap();
        events.flush().unwrap();
        // Nothing is published of the deleted trigger.
        let expected = [(a, problem(10, a).time), (b, problem(2, b).time)];
        store.reopen();
        let mut found = store.db.events().last_changes().unwrap();
        found.sort_unstable();
        let found: Vec<(u64, Time)> = found.iter().map(|it| (it.0.0, it.1)).collect();
        assert_eq!(found, expected);
    });
}

#[test]
fn a_replay_from_the_cursor_doubles_nothing() {
    on_both(|store| {
        let batch = || vec![problem(1, 10), recovery(2, 10, &[1]), problem(3, 10)];
        store.db.events().apply(batch(), 100).unwrap();
        store.db.events().flush().unwrap();
        let version = store.db.events().version();
        store.db.events().apply(batch(), 100).unwrap();
        assert_eq!(store.db.events().version(), version);
        store.reopen();
        // The same once more, and what came after it.
        store.db.events().apply(batch(), 100).unwrap();
        store.db.events().apply(vec![recovery(4, 10, &[3])], 150).unwrap();
        let found = store.db.events().query(&EventQuery::default()).unwrap();
        assert_eq!(ids(&found), [1, 2, 3, 4]);
        assert!(open_ids(store).is_empty());
        assert_eq!(store.db.events().cursor(), 150);
    });
}

#[test]
fn readers_get_what_changed_after_a_version() {
    on_both(|store| {
        let events = store.db.events();
        events.apply(vec![problem(1, 10), problem(2, 11)], 1).unwrap();
        let all = events.changes_since(0);
        assert!(all.is_whole);
        assert_eq!(all.changed.len(), 2);
        events.apply(vec![recovery(3, 10, &[1])], 2).unwrap();
        let changes = events.changes_since(all.version);
        assert!(!changes.is_whole);
        let changed: Vec<u64> = changes.changed.iter().map(|it| it.eventid().0).collect();
        assert_eq!(changed, [1]);
        assert!(events.changes_since(changes.version).changed.is_empty());
        // An hour later the resolved one leaves memory.
        events.expire(NOW.plus_secs(3_601));
        let changes = events.changes_since(changes.version);
        assert_eq!(changes.removed, [EventId(1)]);
        // A reader from before the restart starts again.
        assert!(events.changes_since(changes.version + 1_000).is_whole);
    });
}

#[test]
fn watchers_hear_of_changes() {
    on_both(|store| {
        let (sender, received) = std::sync::mpsc::channel();
        store.db.events().watch(Box::new(move |version| sender.send(version).unwrap()));
        store.db.events().apply(vec![problem(1, 10)], 1).unwrap();
        assert_eq!(received.recv().unwrap(), 1);
    });
}

#[test]
fn acknowledgements_are_kept_and_shown() {
    on_both(|store| {
        let events = store.db.events();
        events.apply(vec![problem(1, 10), problem(2, 11), recovery(3, 11, &[2])], 1).unwrap();
        let request = Acknowledgement {
            eventids: vec![EventId(1), EventId(2), EventId(99)],
            userid: UserId(1),
            action: action::ACKNOWLEDGE | action::MESSAGE | action::SEVERITY | action::CLOSE,
            message: "on it".to_owned(),
            severity: Some(2),
            ..Acknowledgement::default()
        };
        let done = events.acknowledge(&request, NOW).unwrap();
        assert_eq!(done.eventids, [EventId(1), EventId(2)]);
        let close: Vec<u64> = done.close.iter().map(|it| it.eventid().0).collect();
        assert_eq!(close, [1], "only open problems can be closed");
        let suppress = Acknowledgement {
            eventids: vec![EventId(1)],
            userid: UserId(1),
            action: action::SUPPRESS | action::UNACKNOWLEDGE,
            suppress_until: NOW.clock() + 60,
            ..Acknowledgement::default()
        };
        events.acknowledge(&suppress, NOW.plus_secs(1)).unwrap();
        for is_reopened in [false, true] {
            if is_reopened {
                store.reopen();
            }
            let found = store.db.events().problem(EventId(1)).unwrap();
            assert_eq!((found.acknowledged, found.severity), (false, Severity::Warning));
            assert_eq!(found.event.severity, Severity::High, "the event keeps the first one");
            assert!(
                found.is_suppressed(NOW.plus_secs(59)) && !found.is_suppressed(NOW.plus_secs(60))
            );
            let [first, second] = found.acknowledges.as_slice() else { panic!("two entries") };
            assert_eq!(
                (first.message.as_str(), first.old_severity, first.new_severity),
                ("on it", 4, 2)
            );
            assert_eq!((first.userid, first.clock), (UserId(1), NOW.clock()));
            assert!(first.acknowledgeid < second.acknowledgeid);
            let fetched = store.db.events().fetch_problems(&[EventId(1), EventId(2)]).unwrap();
            assert_eq!(fetched[0].acknowledges, found.acknowledges);
            assert!(fetched[1].acknowledged);
        }
        // Also when the problem has left memory.
        store.db.events().expire(NOW.plus_secs(7_200));
        assert!(store.db.events().problem(EventId(2)).is_none());
        // New entries get new ids after a restart.
        let done = store.db.events().acknowledge(&request, NOW).unwrap();
        assert_eq!(done.eventids.len(), 2);
        let fetched = store.db.events().fetch_problems(&[EventId(2)]).unwrap();
        assert_eq!(fetched[0].acknowledges.len(), 2);
    });
}

#[test]
fn an_acknowledgement_records_what_it_changes_and_nothing_else() {
    on_both(|store| {
        let events = store.db.events();
        events.apply(vec![problem(1, 10)], 1).unwrap();
        let update = |action: u32, severity: Option<u8>| {
            let request = Acknowledgement {
                eventids: vec![EventId(1)],
                userid: UserId(1),
                action,
                message: if action & action::MESSAGE == 0 { "" } else { "seen" }.to_owned(),
                severity,
                ..Acknowledgement::default()
            };
            assert_eq!(events.acknowledge(&request, NOW).unwrap().eventids, [EventId(1)]);
            let found = events.problem(EventId(1)).unwrap();
            let entries = found.acknowledges.iter();
            let received = entries.map(|it| (it.action, it.old_severity, it.new_severity));
            received.collect::<Vec<_>>()
        };
        let mut expected = Vec::new();
        // High to start with, and not acknowledged.
        for (action, severity, entry) in [
            (action::UNACKNOWLEDGE, None, None),
            (action::SEVERITY, Some(4), None),
            (action::ACKNOWLEDGE, None, Some((action::ACKNOWLEDGE, 0, 0))),
            (action::ACKNOWLEDGE, None, None),
            (action::ACKNOWLEDGE | action::MESSAGE, None, Some((action::MESSAGE, 0, 0))),
            (action::ACKNOWLEDGE | action::SEVERITY, Some(0), Some((action::SEVERITY, 4, 0))),
            (action::SEVERITY, Some(0), None),
            (action::SEVERITY | action::MESSAGE, Some(0), Some((action::MESSAGE, 0, 0))),
            (action::UNACKNOWLEDGE, None, Some((action::UNACKNOWLEDGE, 0, 0))),
        ] {
            expected.extend(entry);
            assert_eq!(update(action, severity), expected, "{action} {severity:?}");
        }
        store.reopen();
        let found = store.db.events().problem(EventId(1)).unwrap();
        assert_eq!(found.acknowledges.len(), expected.len());
        assert_eq!((found.acknowledged, found.severity), (false, Severity::NotClassified));
    });
}

#[test]
fn objects_with_unacknowledged_problems_are_found_among_those_asked_for() {
    on_both(|store| {
        let events = store.db.events();
        let list = [problem(1, 10), recovery(2, 10, &[1]), problem(3, 10), problem(4, 11)];
        events.apply(list.to_vec(), 1).unwrap();
        let request = Acknowledgement {
            eventids: vec![EventId(3)],
            userid: UserId(1),
            action: action::ACKNOWLEDGE,
            ..Acknowledgement::default()
        };
        events.acknowledge(&request, NOW).unwrap();
        let kind = (source::TRIGGER, object::TRIGGER);
        let find = |which, ids: &[u64]| {
            let mut found = events.unacknowledged(kind, ids.to_vec(), which).unwrap();
            found.sort_unstable();
            found
        };
        assert_eq!(find(Unacknowledged::Any, &[10, 11, 12]), [10, 11]);
        assert_eq!(find(Unacknowledged::Last, &[10, 11, 12]), [11]);
        assert_eq!(find(Unacknowledged::Any, &[10]), [10]);
        assert_eq!(find(Unacknowledged::Any, &[]), [0_u64; 0]);
    });
}

#[test]
fn queries_find_by_object_time_severity_and_id() {
    on_both(|store| {
        let events = store.db.events();
        let mut list: Vec<EventRow> = (1..=20).map(|id| problem(id, 10 + id % 2)).collect();
        list[4].severity = Severity::Disaster;
        list[6].time = NOW.plus_secs(100);
        events.apply(list, 1).unwrap();
        let find = |query: EventQuery| ids(&events.query(&query).unwrap());
        let any = EventQuery::default;
        assert_eq!(find(EventQuery { limit: 3, ..any() }), [1, 2, 3]);
        assert_eq!(find(EventQuery { is_descending: true, limit: 2, ..any() }), [20, 19]);
        assert_eq!(find(EventQuery { eventid_from: Some(EventId(19)), ..any() }), [19, 20]);
        assert_eq!(find(EventQuery { severities: vec![5], ..any() }), [5]);
        assert_eq!(find(EventQuery { time_from: Some(NOW.plus_secs(1)), ..any() }), [7]);
        let of_ten =
            EventQuery { objectids: Some(vec![10]), eventid_till: Some(EventId(6)), ..any() };
        assert_eq!(find(of_ten), [2, 4, 6]);
        assert_eq!(
            find(EventQuery { eventids: Some(vec![EventId(3), EventId(77)]), ..any() }),
            [3]
        );
        assert!(find(EventQuery { eventids: Some(Vec::new()), ..any() }).is_empty());
        assert!(find(EventQuery { objectids: Some(Vec::new()), ..any() }).is_empty());
        assert!(find(EventQuery { source: Some(source::INTERNAL), ..any() }).is_empty());
        assert!(find(EventQuery { values: vec![0], ..any() }).is_empty());
        let one = events.query(&EventQuery { eventids: Some(vec![EventId(3)]), ..any() }).unwrap();
        assert_eq!(
            (one[0].tags.clone(), one[0].hosts.clone()),
            (problem(3, 1).tags, vec![HostId(77)])
        );
    });
}

#[test]
fn while_the_database_is_away_events_wait_and_then_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saker.db");
    let settings = DbSettings {
        events: EventSettings { waiting_max: 10, ..EventSettings::default() },
        ..DbSettings::new(Location::Sqlite(path.clone()))
    };
    let db = Db::open(&settings).unwrap();
    // The table is gone: every write fails, as with a database that is away.
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("alter table events rename to hidden").unwrap();
    db.events().apply((1..=8).map(|id| problem(id, 10)).collect(), 100).unwrap();
    assert!(db.events().flush().is_err());
    assert_eq!((db.events().cursor(), db.events().n_waiting()), (0, 8));
    assert_eq!(db.events().n_open(), 8, "memory shows them all the same");
    let full = db.events().apply((9..=12).map(|id| problem(id, 10)).collect(), 200);
    assert_eq!(full, Err(ApplyError::Full { waiting: 8 }));
    assert_eq!(db.events().n_open(), 8, "refused events change nothing");
    // A batch of nothing but rows, after one that waits: it is more than a position.
    db.events().apply(vec![problem(9, 10)], 140).unwrap();
    let agent = AutoregisteredHost {
        id: 1,
        host: "agent".to_owned(),
        listen_ip: "127.0.0.1".to_owned(),
        listen_dns: String::new(),
        listen_port: 10_050,
        host_metadata: String::new(),
        flags: 0,
        tls_accepted: 1,
    };
    let rows = RowsOfEvents { registered: vec![agent.clone()], ..RowsOfEvents::default() };
    db.events().apply_with(Vec::new(), rows, 150).unwrap();
    other.execute_batch("alter table hidden rename to events").unwrap();
    // Its own retry comes within a second.
    while db.events().flush().is_err() {
        std::thread::yield_now();
    }
    assert_eq!((db.events().cursor(), db.events().n_waiting()), (150, 0));
    let found = db.events().query(&EventQuery::default()).unwrap();
    assert_eq!(found.len(), 9);
    assert_eq!(db.events().autoregistered().unwrap(), [agent]);
}

#[test]
fn states_and_services_end_their_problems_by_themselves_and_other_sources_have_none() {
    let of = |id, (source, object): (u8, u8), value| EventRow {
        source,
        object,
        value,
        ..problem(id, 10)
    };
    let trigger_state = (source::INTERNAL, object::TRIGGER);
    let (service, found) = ((source::SERVICE, object::SERVICE), (source::DISCOVERY, 1));
    on_both(|store| {
        let events = store.db.events();
        let begun = vec![
            problem(1, 10),
            of(2, trigger_state, 1),
            of(3, service, 1),
            of(4, found, 1),
            of(5, (source::AUTOREGISTRATION, object::AUTOREGISTERED), 1),
        ];
        events.apply(begun, 100).unwrap();
        assert_eq!(open_ids(store), [1, 2, 3]);
        let of_state = events.open_of(trigger_state, 10);
        assert_eq!(of_state.iter().map(|it| it.eventid().0).collect::<Vec<_>>(), [2]);
        // None of them says what it ends, as an event that no shard makes, and twice, as after a crash.
        let ended = vec![of(6, trigger_state, 0), of(7, service, 0), of(8, found, 0)];
        events.apply(ended.clone(), 200).unwrap();
        events.apply(ended, 200).unwrap();
        events.flush().unwrap();
        for _ in 0..2 {
            let events = store.db.events();
            assert_eq!(open_ids(store), [1], "the trigger's problem is another one");
            let found = events.query(&EventQuery::default()).unwrap();
            let recovers: Vec<_> = found.iter().map(|it| it.recovers.clone()).collect();
            let none = Vec::new;
            let expected = [
                none(),
                none(),
                none(),
                none(),
                none(),
                vec![EventId(2)],
                vec![EventId(3)],
                none(),
            ];
            assert_eq!(recovers, expected);
            store.reopen();
        }
    });
}

/// The causes of problems 1 to 5.
fn causes(store: &Store) -> Vec<u64> {
    let cause = |id| store.db.events().problem(EventId(id)).unwrap().cause.0;
    (1..=5).map(cause).collect()
}

#[test]
fn causes_and_symptoms_are_kept_and_go_with_their_cause() {
    on_both(|store| {
        store.db.events().apply((1..=5).map(|id| problem(id, 10 + id)).collect(), 1).unwrap();
        let rank = |store: &Store, ids: &[u64], cause: Option<u64>| {
            let request = Acknowledgement {
                eventids: ids.iter().map(|it| EventId(*it)).collect(),
                userid: UserId(1),
                action: if cause.is_some() {
                    action::RANK_TO_SYMPTOM
                } else {
                    action::RANK_TO_CAUSE
                },
                cause: EventId(cause.unwrap_or(0)),
                ..Acknowledgement::default()
            };
            store.db.events().acknowledge(&request, NOW).unwrap();
            causes(store)
        };
        assert_eq!(rank(store, &[2, 3], Some(1)), [0, 1, 1, 0, 0]);
        assert_eq!(rank(store, &[4], Some(2)), [0, 1, 1, 1, 0], "the cause of a symptom counts");
        assert_eq!(rank(store, &[1], Some(5)), [5, 5, 5, 5, 0], "symptoms go along");
        assert_eq!(rank(store, &[5], Some(3)), [3, 3, 0, 3, 3], "the two change places");
        assert_eq!(rank(store, &[3], Some(3)), [3, 3, 0, 3, 3], "nothing is its own cause");
        assert_eq!(
            rank(store, &[3, 1], Some(99)),
            [3, 3, 0, 3, 3],
            "what is not there is no cause"
        );
        assert_eq!(rank(store, &[1, 2], None), [0, 0, 0, 3, 3]);
        let entries = |store: &Store, id: u64| -> Vec<u32> {
            let problem = store.db.events().problem(EventId(id)).unwrap();
            problem.acknowledges.iter().map(|it| it.action).collect()
        };
        let done = [action::RANK_TO_SYMPTOM, action::RANK_TO_SYMPTOM, action::RANK_TO_CAUSE];
        assert_eq!(entries(store, 1), done[1..], "who was only taken along has no entry");
        store.reopen();
        assert_eq!(causes(store), [0, 0, 0, 3, 3]);
        assert_eq!(entries(store, 3), done[..1]);
        // A cause leaves memory: its symptoms still say whose they are.
        store.db.events().apply(vec![recovery(6, 13, &[3])], 2).unwrap();
        store.db.events().expire(NOW.plus_secs(7_200));
        let problem = |id| store.db.events().problem(EventId(id));
        assert!(problem(3).is_none());
        assert_eq!(problem(4).unwrap().cause, EventId(3));
    });
}
