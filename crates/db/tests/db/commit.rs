//! The outcome of a change whose commit has no answer.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use db::{Acknowledgement, Actor, ConfigError, Db, DbSettings, ErrorCode, Location, ObjectKind};
use model::{EventId, HostId};
use peers::Lost;
use rt::health::Level;

use crate::common::{NOW, Store, fields, host_fields, on_cut_postgres};
use crate::events::{problem, recovery};

/// As the driver sends it.
const COMMIT: &[u8] = b"commit\0";

fn make(db: &Db, name: &str) -> Result<HostId, ConfigError> {
    let made =
        db.edit(Actor::System, |e| e.create(ObjectKind::Host, fields(host_fields(name, &[]))));
    made.map(HostId)
}

/// Names of hosts in the order in which subscribers heard of them.
fn heard(store: &Store) -> Arc<Mutex<Vec<String>>> {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let of_db = Arc::clone(&heard);
    store.db.subscribe(Box::new(move |snapshot, delta| {
        let hosts = delta.hosts_changed.iter().filter_map(|it| snapshot.hosts.get(it));
        of_db.lock().unwrap().extend(hosts.map(|it| it.host.to_string()));
    }));
    heard
}

#[test]
fn a_change_whose_commit_was_done_is_taken_over() {
    on_cut_postgres(|store, line| {
        let heard = heard(store);
        line.cut_at(COMMIT, Lost::Answer);
        let host = make(&store.db, "a").unwrap();
        assert!(line.has_cut(), "the answer was lost");
        assert!(store.db.snapshot().hosts.contains_key(&host));
        make(&store.db, "b").unwrap();
        assert_eq!(*heard.lock().unwrap(), ["a", "b"]);
        // An inventory alone makes no new epoch.
        line.cut_at(COMMIT, Lost::Answer);
        let inventory = serde_json::json!({
            "inventory_mode": "0", "inventory": {"location": "Riga"}
        });
        store.update(ObjectKind::Host, host.0, inventory);
        line.cut_at(COMMIT, Lost::Answer);
        let inventory = serde_json::json!({"inventory": {"location": "Oslo"}});
        store.update(ObjectKind::Host, host.0, inventory);
        assert!(line.has_cut());
        assert_eq!(store.settings.health.level(), None);
    });
}

#[test]
fn a_change_whose_commit_was_not_done_is_refused_and_the_next_one_works() {
    on_cut_postgres(|store, line| {
        let heard = heard(store);
        let before = store.db.snapshot();
        line.cut_at(COMMIT, Lost::Request);
        let error = make(&store.db, "a").unwrap_err();
        assert!(line.has_cut());
        assert_eq!((error.code, error.retry()), (ErrorCode::System, true));
        assert_eq!(error.text(), "The database is not available, nothing was changed.");
        assert!(Arc::ptr_eq(&before, &store.db.snapshot()));
        make(&store.db, "a").unwrap();
        assert_eq!(*heard.lock().unwrap(), ["a"]);
        assert_eq!(store.settings.health.level(), None);
    });
}

/// The database goes away with the answer, and comes back later.
fn away_meanwhile(lost: Lost) {
    on_cut_postgres(|store, line| {
        let heard = heard(store);
        line.cut_at(COMMIT, lost);
        line.cut_with_it();
        let error = make(&store.db, "a").unwrap_err();
        assert!(error.text().contains("whether the change was saved"), "{error}");
        assert!(error.retry());
        assert_eq!(store.settings.health.level(), Some(Level::Degraded));
        let issues = store.settings.health.issues();
        assert!(issues.iter().any(|it| it.part == "db-edits"), "{issues:?}");
        // As long as that is not known, nothing else is changed.
        make(&store.db, "b").unwrap_err();
        assert!(heard.lock().unwrap().is_empty());
        line.mend();
        // The database is asked each second whether it is back.
        while store.db.absence().is_some() {
            std::thread::yield_now();
        }
        // The periodic flush resolves it.
        store.db.flush().unwrap();
        let is_saved = lost == Lost::Answer;
        assert_eq!(store.db.snapshot().host_by_name.contains_key("a"), is_saved);
        make(&store.db, "b").unwrap();
        let expected: &[&str] = if is_saved { &["a", "b"] } else { &["b"] };
        assert_eq!(*heard.lock().unwrap(), expected);
        assert_eq!(store.settings.health.level(), None);
    });
}

#[test]
fn after_a_lost_answer_a_database_that_comes_back_is_asked() {
    away_meanwhile(Lost::Answer);
}

#[test]
fn after_a_lost_commit_a_database_that_comes_back_is_asked() {
    away_meanwhile(Lost::Request);
}

#[test]
fn an_acknowledgement_whose_commit_has_no_answer_is_there_once() {
    for lost in [Lost::Answer, Lost::Request] {
        on_cut_postgres(|store, line| {
            let events = store.db.events();
            events.apply(vec![problem(1, 10)], 100).unwrap();
            events.flush().unwrap();
            line.cut_at(COMMIT, lost);
            let request = Acknowledgement {
                eventids: vec![EventId(1)],
                action: db::events::action::ACKNOWLEDGE,
                ..Acknowledgement::default()
            };
            events.acknowledge(&request, NOW).unwrap();
            assert!(line.has_cut());
            store.reopen();
            let problem = store.db.events().problem(EventId(1)).unwrap();
            assert!(problem.acknowledged);
            assert_eq!(problem.acknowledges.len(), 1);
        });
    }
}

#[test]
fn a_refused_acknowledgement_leaves_nothing_in_the_tables() {
    on_cut_postgres(|store, line| {
        let events = store.db.events();
        events.apply(vec![problem(1, 10)], 100).unwrap();
        events.flush().unwrap();
        // It is done, its answer is lost, and the database is away from then on.
        line.cut_at(COMMIT, Lost::Answer);
        line.cut_with_it();
        let request = Acknowledgement {
            eventids: vec![EventId(1)],
            action: db::events::action::ACKNOWLEDGE,
            ..Acknowledgement::default()
        };
        events.acknowledge(&request, NOW).unwrap_err();
        assert!(!events.problem(EventId(1)).unwrap().acknowledged);
        events.apply(vec![recovery(2, 10, &[1])], 200).unwrap();
        line.mend();
        peers::wait_until("events are saved", Duration::from_secs(60), || events.flush().is_ok());
        assert_eq!(events.cursor(), 200);
        store.reopen();
        let problem = store.db.events().problem(EventId(1)).unwrap();
        assert!(!problem.is_open() && !problem.acknowledged);
        assert!(problem.acknowledges.is_empty());
    });
}

#[test]
fn an_edit_does_not_wait_for_others_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let settings = DbSettings {
        edit_wait_max: Duration::ZERO,
        ..DbSettings::new(Location::Sqlite(folder.path().join("saker.db")))
    };
    let db = Db::open(&settings).unwrap();
    let error = db.edit(Actor::System, |_| Ok(db.edit(Actor::System, |_| Ok(())))).unwrap();
    let error = error.unwrap_err();
    let text = "Other changes of the configuration take too long. Nothing was changed; try again.";
    assert_eq!((error.code, error.text().as_str()), (ErrorCode::System, text));
    assert!(error.retry());
    let error = db.edit(Actor::System, |_| Ok(db.flush())).unwrap().unwrap_err();
    assert!(matches!(error, db::DbError::Busy { .. }), "{error}");
    db.edit(Actor::System, |_| Ok(())).unwrap();
    db.flush().unwrap();
}
