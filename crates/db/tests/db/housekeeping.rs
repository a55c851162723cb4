//! Expiry in the database.

use db::audit::AuditAction;
use db::events::{object, source};
use db::{Acknowledgement, Actor, Db, EventQuery, EventRow, HousekeepingPart, ObjectKind, Origin};
use model::{EventId, Time, UserId};
use serde_json::json;

use crate::common::{NOW, Store, fields, on_both};
use crate::events::{problem, recovery};

const DAY: i64 = 86_400;

/// An event of some days ago.
fn aged(event: EventRow, days: i64) -> EventRow {
    EventRow { time: event.time.plus_secs(-days * DAY), ..event }
}

fn internal(id: u64, item: u64, days: i64) -> EventRow {
    let event = EventRow { source: source::INTERNAL, object: object::ITEM, ..problem(id, item) };
    aged(event, days)
}

fn left(db: &Db) -> Vec<u64> {
    let events = db.events().query(&EventQuery::default()).unwrap();
    events.iter().map(|it| it.eventid.0).collect()
}

/// A whole round in steps of some rows; gives what went, by part.
fn keep_house(db: &Db, rows: u32) -> Vec<(HousekeepingPart, u64)> {
    let mut round = db.housekeeping(NOW, rows);
    let mut deleted = Vec::new();
    while let Some(step) = round.step().unwrap() {
        assert!(step.n_deleted <= u64::from(rows), "{step:?}");
        if step.n_deleted > 0 {
            deleted.push((step.part, step.n_deleted));
        }
    }
    deleted
}

fn total(deleted: &[(HousekeepingPart, u64)], part: HousekeepingPart) -> u64 {
    deleted.iter().filter(|(it, _)| *it == part).map(|(_, n)| n).sum()
}

fn set(store: &Store, given: serde_json::Value) {
    let kind = db::objects::named("housekeeping").unwrap().kind();
    store.db.edit(Actor::System, |e| e.update(kind, 1, fields(given.clone()))).unwrap();
}

#[test]
fn old_events_go_with_all_that_became_of_them_and_open_problems_stay() {
    on_both(|store| {
        let host = store.host("h1", &[]);
        store.item(host, "a");
        let triggers: Vec<u64> = (0..5)
            .map(|n| store.trigger(&format!("t{n}"), &format!("last(/h1/a)>{n}")).0)
            .collect();
        let [a, b, c, d, e] = triggers[..] else { panic!("five triggers") };
        let events = store.db.events();
        let all = vec![
            aged(problem(1, a), 400),
            // Open: it stays, whatever its age.
            aged(problem(2, b), 400),
            aged(recovery(3, a, &[1]), 399),
            // Ended lately: both stay.
            aged(problem(4, c), 380),
            aged(recovery(5, c, &[4]), 10),
            // An end that the problem outlives.
            aged(problem(6, d), 366),
            aged(recovery(7, d, &[6]), 364),
            internal(8, 20, 3),
            aged(problem(9, e), 1),
        ];
        events.apply(all, 100).unwrap();
        events.expire(NOW);
        let acknowledgement = Acknowledgement {
            eventids: vec![EventId(1), EventId(2)],
            userid: UserId(1),
            action: 4,
            message: "seen".to_owned(),
            ..Acknowledgement::default()
        };
        events.acknowledge(&acknowledgement, NOW).unwrap();
        for rows in [1, 2, 100] {
            let deleted = keep_house(&store.db, rows);
            let n_deleted = if rows == 1 { 2 } else { 0 };
            assert_eq!(total(&deleted, HousekeepingPart::Events), n_deleted, "{rows}");
            assert_eq!(left(&store.db), [2, 4, 5, 6, 7, 8, 9], "{rows}");
        }
        assert!(store.db.events().fetch_problems(&[EventId(1)]).unwrap().is_empty());
        let kept = store.db.events().fetch_problems(&[EventId(2)]).unwrap();
        assert_eq!(kept[0].acknowledges.len(), 1);
        // The internal event is an open one; with its end both may go, but for the newest event.
        let end = EventRow { value: 0, recovers: vec![EventId(8)], ..internal(10, 20, 2) };
        store.db.events().apply(vec![end, aged(problem(11, e), 0)], 200).unwrap();
        store.db.events().flush().unwrap();
        keep_house(&store.db, 100);
        assert_eq!(left(&store.db), [2, 4, 5, 6, 7, 9, 11]);
    });
}

#[test]
fn the_newest_event_stays_so_that_ids_go_on() {
    on_both(|store| {
        let events = store.db.events();
        events
            .apply(vec![aged(problem(1, 10), 400), aged(recovery(2, 10, &[1]), 400)], 100)
            .unwrap();
        events.flush().unwrap();
        keep_house(&store.db, 10);
        assert_eq!(left(&store.db), [2]);
    });
}

#[test]
fn periods_and_switches_are_those_of_the_settings() {
    on_both(|store| {
        let events = store.db.events();
        let all = vec![
            aged(problem(1, 10), 20),
            aged(recovery(2, 10, &[1]), 20),
            aged(problem(3, 10), 5),
            aged(problem(4, 10), 1),
        ];
        events.apply(all, 100).unwrap();
        events.flush().unwrap();
        set(store, json!({"hk_events_mode": "0", "hk_events_trigger": "2d"}));
        assert_eq!(keep_house(&store.db, 10), []);
        set(store, json!({"hk_events_mode": "1"}));
        // Trigger 10 does not exist: its resolved problems go.
        let deleted = keep_house(&store.db, 10);
        assert_eq!(total(&deleted, HousekeepingPart::Events), 2);
    });
}

#[test]
fn problems_of_what_is_deleted_go_at_once_and_their_events_with_housekeeping() {
    on_both(|store| {
        let host = store.host("h1", &[]);
        let item = store.item(host, "a");
        let gone = store.trigger("gone", "last(/h1/a)>1");
        let stays = store.trigger("stays", "last(/h1/a)>2");
        let events = store.db.events();
        let of_item = EventRow { objectid: item.0, ..internal(3, 0, 0) };
        let all = vec![problem(1, gone.0), recovery(2, gone.0, &[1]), of_item, problem(4, gone.0)];
        events.apply(all, 100).unwrap();
        events.apply(vec![problem(5, stays.0)], 200).unwrap();
        assert_eq!(events.drop_orphans(&store.db.snapshot()), 0);
        let before = events.version();
        store.db.edit(Actor::System, |e| e.delete(ObjectKind::Trigger, &[gone.0])).unwrap();
        assert_eq!(events.drop_orphans(&store.db.snapshot()), 2);
        assert_eq!(events.n_open(), 2);
        let changes = events.changes_since(before);
        assert_eq!(changes.removed, [EventId(1), EventId(4)]);
        events.flush().unwrap();
        assert!(events.fetch_problems(&[EventId(1), EventId(4)]).unwrap().is_empty());
        assert_eq!(left(&store.db), [1, 2, 3, 4, 5], "until housekeeping");
        let deleted = keep_house(&store.db, 2);
        assert_eq!(total(&deleted, HousekeepingPart::DeletedTriggers), 3);
        assert_eq!(left(&store.db), [3, 5]);
        assert_eq!(keep_house(&store.db, 2), [], "nothing is left to do");
        store.reopen();
        assert_eq!(store.db.events().n_open(), 2);
    });
}

#[test]
fn the_audit_log_and_unused_sessions_expire_by_their_own_periods() {
    on_both(|store| {
        store.db.edit(Actor::System, |e| e.set_password(UserId(1), "secret-1")).unwrap();
        let note = |days: i64| {
            let at = NOW.plus_secs(-days * DAY);
            let from = Origin { user: UserId(1), username: "Admin", ip: "::1" };
            store.db.audit().session(AuditAction::Login, &from, at);
        };
        [40, 35, 20, 1].into_iter().for_each(note);
        let login = |days: i64| {
            let at = NOW.plus_secs(-days * DAY);
            store.db.login(("Admin", None), "secret-1", at).unwrap().sessionid
        };
        let (old, new) = (login(20), login(1));
        set(store, json!({"hk_sessions": "7d"}));
        let deleted = keep_house(&store.db, 10);
        let went = [(HousekeepingPart::Audit, 2), (HousekeepingPart::Sessions, 1)];
        assert_eq!(deleted, went);
        let is_good = |store: &Store, id: &str, now: Time| store.db.authenticate(id, now).is_some();
        assert!(!is_good(store, &old, NOW) && is_good(store, &new, NOW));
        set(store, json!({"hk_audit": "1d", "hk_audit_mode": "0", "hk_sessions_mode": "0"}));
        assert_eq!(keep_house(&store.db, 10), []);
        store.reopen();
        assert!(!is_good(store, &old, NOW) && is_good(store, &new, NOW));
    });
}
