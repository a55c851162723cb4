//! What the tables promise: versions, one writer, states that are saved now and then.

use db::{
    Actor, ConfigError, Db, DbError, DbSettings, ErrorCode, InterfaceState, Location, ObjectKind,
};
use model::InterfaceId;

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
    assert!(matches!(error, DbError::FromTheFuture { found: 9999, .. }), "{error}");
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
fn a_second_server_on_the_same_tables_is_noticed() {
    on_both(|store| {
        let second = Db::open(&store.settings).unwrap();
        store.host("h", &[]);
        let error = second
            .edit(Actor::System, |e| e.create(ObjectKind::Host, fields(host_fields("other", &[]))));
        let error: ConfigError = error.unwrap_err();
        assert_eq!(error.code, ErrorCode::System);
        assert_eq!(error.text, "The database was changed by another server.");
        // The first goes on.
        store.host("h2", &[]);
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
    assert!(matches!(&error, DbError::Damaged { table: "users", id: 1, .. }), "{error}");
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
    assert_eq!(error.text, "The database is not available, nothing was changed.");
    assert!(std::sync::Arc::ptr_eq(&before, &db.snapshot()));
    other.execute_batch("alter table hidden rename to hosts").unwrap();
    create().unwrap();
}

#[test]
fn states_of_interfaces_are_found_after_a_restart() {
    on_both(|store| {
        let state = InterfaceState {
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
