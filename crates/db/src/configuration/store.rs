//! The configuration between tables and snapshot: read whole at start, written as differences.

mod applied;
mod contents;
mod load;
pub(crate) mod persist;
mod rows;

pub(crate) use applied::{Applied, Overridden};
pub(crate) use contents::Contents;
pub(crate) use load::load;
pub(crate) use rows::{Identity, RowKind};

use crate::error::DbError;
use crate::sql::schema::CURSORS;
use crate::sql::{Cell, Conflict, Rows, Sql};

/// Kinds of objects that have rows in `content`, `overrides` and `discovered`.
pub(crate) const KIND_ITEM: i64 = 0;
pub(crate) const KIND_TRIGGER: i64 = 1;
pub(crate) const KIND_GRAPH: i64 = 2;
pub(crate) const KIND_HOST_PROTOTYPE: i64 = 3;

pub(crate) fn cursor(sql: &mut dyn Sql, name: &str) -> Result<u64, DbError> {
    let mut lsn = 0;
    sql.query("select lsn from cursors where name = ?1", &[Cell::text(name)], &mut |row| {
        lsn = row.id(0)?;
        Ok(false)
    })?;
    Ok(lsn)
}

/// The only number that a statement finds.
pub(crate) fn max_of(sql: &mut dyn Sql, statement: &str) -> Result<u64, DbError> {
    let mut id = 0;
    sql.query(statement, &[], &mut |row| {
        id = row.id(0)?;
        Ok(false)
    })?;
    Ok(id)
}

/// With the journal that it is of.
pub(crate) fn forget_cursor(sql: &mut dyn Sql, name: &str) -> Result<(), DbError> {
    for name in [name.to_owned(), format!("{name} journal")] {
        sql.execute("delete from cursors where name = ?1", &[Cell::text(name)])?;
    }
    Ok(())
}

pub(crate) fn set_cursor(sql: &mut dyn Sql, name: &str, lsn: u64) -> Result<(), DbError> {
    let mut rows = Rows::new(&CURSORS);
    rows.push([Cell::text(name), Cell::id(lsn)]);
    sql.insert(&rows, Conflict::Update)?;
    Ok(())
}
