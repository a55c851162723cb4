//! The contract of the table of alerts.

use alert::digest::{ID_PLACEHOLDER, Past, Recipient};
use alert::{Alert, AlertKind, AlertStatus};
use db::{AlertOutcome, AlertQuery, Db, EscalationTurn, Judged, NewDigest, Unsent};
use model::{EventId, UserId};
use serde_json::json;

use crate::common::{NOW, Store, fields, on_both};
use crate::events::{problem, recovery};

fn alert(event: u64, media_type: u64) -> Alert {
    Alert {
        action: 3,
        event: EventId(event),
        user: UserId(1),
        clock: NOW.clock() + i64::try_from(event).unwrap(),
        media_type,
        sendto: "ops@example.com".to_owned(),
        subject: "Disk ü".to_owned(),
        message: "is full".to_owned(),
        parameters: "{}".to_owned(),
        step: 1,
        ..Alert::default()
    }
}

fn unsent(db: &Db, media_type: Option<u64>, after: u64) -> Vec<u64> {
    let wanted = Unsent { kind: AlertKind::Message, media_type, after, limit: 10 };
    db.alerts().unsent(wanted).unwrap().iter().map(|it| it.id).collect()
}

fn found(store: &Store, query: AlertQuery) -> Vec<u64> {
    store.db.alerts().query(&query).unwrap().iter().map(|it| it.alert.id).collect()
}

#[test]
fn unsent_alerts_are_found_after_a_restart() {
    on_both(|store| {
        let command = Alert { kind: AlertKind::Command, media_type: 0, ..alert(1, 0) };
        let all = vec![alert(1, 5), alert(1, 6), command, alert(2, 5)];
        assert_eq!(store.db.alerts().add(all.clone()).unwrap(), [1, 2, 3, 4]);
        assert_eq!(unsent(&store.db, None, 0), [1, 2, 4]);
        assert_eq!(unsent(&store.db, Some(5), 0), [1, 4]);
        assert_eq!(unsent(&store.db, None, 1), [2, 4]);
        let outcome = |id, status| AlertOutcome {
            id,
            status,
            retries: 2,
            error: "refused".to_owned(),
            next_at: 77,
            is_digest: false,
        };
        let outcomes = vec![
            outcome(1, AlertStatus::Sent),
            outcome(2, AlertStatus::NotSent),
            outcome(4, AlertStatus::Failed),
            outcome(99, AlertStatus::Sent),
        ];
        store.db.alerts().save(outcomes).unwrap();
        store.reopen();
        let wanted = Unsent { kind: AlertKind::Message, media_type: None, after: 0, limit: 10 };
        let expected = Alert {
            id: 2,
            status: AlertStatus::NotSent,
            retries: 2,
            error: "refused".to_owned(),
            next_at: 77,
            ..all[1].clone()
        };
        assert_eq!(store.db.alerts().unsent(wanted).unwrap(), [expected]);
        assert_eq!(store.db.alerts().add(vec![alert(3, 5)]).unwrap(), [5]);
    });
}

#[test]
fn alerts_go_with_their_events_and_no_id_is_given_twice() {
    on_both(|store| {
        let age = |mut it: db::EventRow| {
            it.time = it.time.plus_secs(-400 * 86_400);
            it
        };
        let events = vec![age(problem(1, 10)), age(recovery(2, 10, &[1])), problem(3, 10)];
        store.db.events().apply(events, 100).unwrap();
        store.db.events().flush().unwrap();
        store.db.alerts().add(vec![alert(3, 5), alert(1, 5), alert(2, 5)]).unwrap();
        let kind = db::objects::named("housekeeping").unwrap().kind();
        let on = fields(json!({"hk_events_mode": "1"}));
        store.edit(|e| e.update(kind, 1, on.clone()));
        let mut round = store.db.housekeeping(NOW, 100);
        while round.step().unwrap().is_some() {}
        assert_eq!(found(store, AlertQuery::default()), [1]);
        store.reopen();
        assert_eq!(store.db.alerts().add(vec![alert(3, 5)]).unwrap(), [4]);
    });
}

#[test]
fn alerts_are_found_by_each_filter() {
    on_both(|store| {
        store.db.events().apply(vec![problem(1, 10), problem(2, 11)], 100).unwrap();
        store.db.events().flush().unwrap();
        let other = Alert {
            action: 4,
            user: UserId(2),
            status: AlertStatus::Sent,
            kind: AlertKind::Command,
            ..alert(2, 6)
        };
        store.db.alerts().add(vec![alert(1, 5), other]).unwrap();
        let none = AlertQuery::default;
        assert_eq!(found(store, none()), [1, 2]);
        assert_eq!(found(store, AlertQuery { is_descending: true, limit: 1, ..none() }), [2]);
        let second = [
            AlertQuery { alertids: Some(vec![2, 9]), ..none() },
            AlertQuery { actionids: Some(vec![4]), ..none() },
            AlertQuery { eventids: Some(vec![2]), ..none() },
            AlertQuery { mediatypeids: Some(vec![6]), ..none() },
            AlertQuery { userids: Some(vec![2]), ..none() },
            AlertQuery { objectids: Some(vec![11]), about: Some((0, 0)), ..none() },
            AlertQuery { statuses: Some(vec![1]), ..none() },
            AlertQuery { after_clock: Some(NOW.clock() + 1), ..none() },
        ];
        for query in second {
            assert_eq!(found(store, query.clone()), [2], "{query:?}");
        }
        assert_eq!(found(store, AlertQuery { before_clock: Some(NOW.clock() + 2), ..none() }), [1]);
        assert!(found(store, AlertQuery { about: Some((3, 0)), ..none() }).is_empty());
        assert!(found(store, AlertQuery { userids: Some(vec![]), ..none() }).is_empty());
    });
}

#[test]
fn held_messages_survive_restarts_and_go_with_their_digest() {
    on_both(|store| {
        store.db.events().apply(vec![problem(1, 10), problem(2, 11)], 100).unwrap();
        store.db.events().flush().unwrap();
        let held = |event, next_at| Alert { status: AlertStatus::Held, next_at, ..alert(event, 5) };
        let other = Alert { sendto: "else@example.com".to_owned(), ..held(1, 90) };
        let turn = |alerts, digests| EscalationTurn {
            alerts,
            digests,
            judged: Judged { event: EventId(2), acknowledge: 0 },
            ..EscalationTurn::default()
        };
        let all = vec![alert(1, 5), held(1, 80), held(2, 70), other, held(2, 99)];
        store.db.escalations().save(turn(all, Vec::new())).unwrap();
        store.reopen();
        assert_eq!(unsent(&store.db, None, 0), [1], "delivery knows nothing of what is held");
        let recipient = Recipient::of(&alert(1, 5)).unwrap();
        let waiting = store.db.alerts().held(&recipient).unwrap();
        let shown: Vec<_> = waiting.iter().map(|it| (it.id, it.about().0, it.next_at)).collect();
        assert_eq!(shown, [(2, 1, 80), (3, 2, 70), (5, 2, 99)]);
        let clock = NOW.clock();
        let past = store.db.alerts().past(clock).unwrap();
        let expected =
            Past { messages: [(clock + 1, 2), (clock + 2, 2)].into(), digest_at: 0, due: Some(70) };
        assert_eq!(past.get(&recipient), Some(&expected));
        assert_eq!(past.len(), 2);

        let message = format!("see {ID_PLACEHOLDER}");
        let digest = Alert { message, clock: clock + 9, ..alert(2, 5) };
        let digest = NewDigest { alert: digest, members: vec![2, 3] };
        store.db.escalations().save(turn(Vec::new(), vec![digest])).unwrap();
        store.reopen();
        assert_eq!(unsent(&store.db, None, 1), [6]);
        let of = |id| {
            let query = AlertQuery { alertids: Some(vec![id]), ..AlertQuery::default() };
            store.db.alerts().query(&query).unwrap().remove(0).alert
        };
        assert_eq!((of(6).message.as_str(), of(6).digest, of(6).is_digest()), ("see 6", 6, true));
        assert_eq!([2, 3, 4, 5].map(|it| of(it).digest), [6, 6, 0, 0]);
        assert_eq!(of(2).status, AlertStatus::Held, "it is not sent yet");
        let query = AlertQuery { digestids: Some(vec![6]), ..AlertQuery::default() };
        assert_eq!(found(store, query), [2, 3, 6]);
        let past = store.db.alerts().past(clock).unwrap();
        assert_eq!((past[&recipient].digest_at, past[&recipient].due), (clock + 9, Some(99)));

        let outcome = |status| AlertOutcome {
            id: 6,
            status,
            retries: 1,
            error: "refused".to_owned(),
            next_at: 0,
            is_digest: true,
        };
        store.db.alerts().save(vec![outcome(AlertStatus::NotSent)]).unwrap();
        assert_eq!(of(2).status, AlertStatus::Held, "it is tried again");
        store.db.alerts().save(vec![outcome(AlertStatus::Failed)]).unwrap();
        let became = [2, 3, 4, 5].map(|it| (of(it).status, of(it).error));
        let failed = (AlertStatus::Failed, "refused".to_owned());
        let waits = (AlertStatus::Held, String::new());
        assert_eq!(became, [failed.clone(), failed, waits.clone(), waits]);
    });
}
