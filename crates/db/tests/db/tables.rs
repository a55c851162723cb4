//! The contract of the tables: versions, one writer, states that are saved now and then.

use std::sync::{Arc, Mutex};

use db::{
    Actor, ConfigError, Db, DbError, DbSettings, ErrorCode, InterfaceAvailability, Location,
    ObjectKind,
};
use model::{HostId, InterfaceId};

use crate::common::{fields, host_fields, on_both};

#[test]
fn tables_of_a_later_version_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saker.db");
    let settings = DbSettings::new(Location::Sqlite(path.clone()));
    drop(Db::open(&settings).unwrap());
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute("insert into schema_version (version, name) values (9999, 'x')", []).unwrap();
    let error = Db::open(&settings).unwrap_err();
    let DbError::Unusable { cause, .. } = &error else { panic!("{error}") };
    assert!(matches!(**cause, DbError::FromTheFuture { found: 9999, .. }), "{error}");
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saker.db");
    let text =
        "Dear diary, this is no database at all, but quite long enough to be taken for one.\n";
    std::fs::write(&path, text.repeat(50)).unwrap();
    let error = Db::open(&DbSettings::new(Location::Sqlite(path.clone()))).unwrap_err();
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text.repeat(50));
}

#[test]
fn foreign_writes_are_read_before_the_next_edit() {
    on_both(|store| {
        let second = Db::open(&store.settings).unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let of_second = Arc::clone(&heard);
        second.subscribe(Box::new(move |_, delta| {
            of_second.lock().unwrap().extend(delta.hosts_changed.clone());
        }));
        let first_host = store.host("h", &[]);
        let make = |db: &Db, name: &str| {
            db.edit(Actor::System, |e| e.create(ObjectKind::Host, fields(host_fields(name, &[]))))
        };
        let error: ConfigError = make(&second, "other").unwrap_err();
        assert_eq!((error.code, error.retry()), (ErrorCode::System, true));
        let text = "The database was changed by another server. Nothing was changed; try again.";
        assert_eq!(error.text(), text);
        // Now it knows the host, and so do those who follow it.
        assert!(second.snapshot().hosts.contains_key(&first_host));
        assert!(heard.lock().unwrap().contains(&first_host));
        let second_host = HostId(make(&second, "other").unwrap());
        // And the other way round.
        make(&store.db, "h2").unwrap_err();
        make(&store.db, "h2").unwrap();
        assert!(store.db.snapshot().hosts.contains_key(&second_host));
    });
}

#[test]
fn a_damaged_row_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saker.db");
    let settings = DbSettings::new(Location::Sqlite(path.clone()));
    drop(Db::open(&settings).unwrap());
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute("update users set body = '{' where userid = 1", []).unwrap();
    let error = Db::open(&settings).unwrap_err();
    let DbError::DamagedFile { cause, .. } = &error else { panic!("{error}") };
    assert!(matches!(**cause, DbError::Damaged { table: "users", id: 1, .. }), "{error}");
}

#[test]
fn a_refused_write_leaves_memory_as_it_was_and_says_no_sql() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saker.db");
    let db = Db::open(&DbSettings::new(Location::Sqlite(path.clone()))).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("alter table hosts rename to hidden").unwrap();
    let before = db.snapshot();
    let create =
        || db.edit(Actor::System, |e| e.create(ObjectKind::Host, fields(host_fields("h", &[]))));
    let error = create().unwrap_err();
    assert_eq!(error.text(), "The database is not available, nothing was changed.");
    assert!(Arc::ptr_eq(&before, &db.snapshot()));
    other.execute_batch("alter table hidden rename to hosts").unwrap();
    create().unwrap();
}

#[test]
fn states_of_interfaces_are_found_after_a_restart() {
    on_both(|store| {
        let state = InterfaceAvailability {
            available: 2,
            error: "connection refused".to_owned(),
            errors_from: 5,
            disable_until: 60,
        };
        store.db.availability().set(InterfaceId(7), state.clone());
        assert_eq!(store.db.availability().get(InterfaceId(7)), state);
        assert_eq!(store.db.availability().get(InterfaceId(8)).available, 0);
        store.db.flush().unwrap();
        store.reopen();
        assert_eq!(store.db.availability().get(InterfaceId(7)), state);
    });
}

#[test]
fn cursors_are_kept_by_name() {
    on_both(|store| {
        assert_eq!(store.db.cursor("segments").unwrap(), 0);
        store.db.set_cursor("segments", 1 << 40).unwrap();
        store.db.set_cursor("other", 1).unwrap();
        store.reopen();
        assert_eq!(store.db.cursor("segments").unwrap(), 1 << 40);
    });
}
