//! How SQLite goes through tables: for tests of statements that must not read all of one.

use super::location::Location;
use super::{Cell, Role, connect, schema};

/// Asserts that the plan of a statement has this in it.
pub(crate) fn assert_plan(statement: &str, params: &[Cell], wanted: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let at = Location::Sqlite(folder.path().join("saker.db"));
    let mut sql = connect(&at, Role::Writer).expect("the database opens");
    schema::migrate(sql.as_mut()).expect("tables");
    let mut plan = String::new();
    let explained = sql.query(&format!("explain query plan {statement}"), params, &mut |row| {
        plan.push_str(row.text(3)?);
        plan.push('\n');
        Ok(true)
    });
    explained.expect("a plan");
    assert!(plan.contains(wanted), "{statement}\nhas this plan:\n{plan}");
}
