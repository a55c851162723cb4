//! The one small trait that both databases implement.
//!
//! Statements are written once, with `?1`, `?2`, …; PostgreSQL gets them with `$1`, `$2`, ….
//! Values are whole numbers and texts (JSON is text), which both databases bind and return alike.

pub(crate) mod backup;
mod connection;
pub(crate) mod faults;
pub(crate) mod location;
#[cfg(test)]
pub(crate) mod plan;
mod postgres_session;
mod postgres_sql;
mod presence;
mod rewrite;
pub(crate) mod schema;
pub(crate) mod sqlite_damage;
mod sqlite_sql;
mod table;
mod worker;

use std::borrow::Cow;
use std::time::Duration;

#[cfg(test)]
pub(crate) use connection::connect;
pub(crate) use connection::panic_text;
pub use presence::Absence;
pub(crate) use presence::Presence;
pub(crate) use table::{Column, ColumnType, Table};
pub(crate) use worker::{EndWatch, Limits, Watch, Workers};

use crate::error::{DbError, SqlError};

/// A value to bind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    Int(i64),
    Text(String),
}

impl Cell {
    /// Ids and counters stay far below 2^63; one that does not is a bug of the caller.
    pub(crate) fn id(id: u64) -> Self {
        Self::Int(as_int(id))
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

pub(crate) fn as_int(id: u64) -> i64 {
    i64::try_from(id).expect("ids are below 2^63")
}

/// The treatment of a row whose primary key exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Conflict {
    /// The whole transaction fails.
    Fail,
    /// The old row stays.
    Ignore,
    /// The new row replaces it.
    Update,
}

/// Rows of one table, all columns in the order of its description.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) table: &'static Table,
    pub(crate) cells: Vec<Cell>,
}

impl Rows {
    pub(crate) fn new(table: &'static Table) -> Self {
        Self { table, cells: Vec::new() }
    }

    pub(crate) fn push<const N: usize>(&mut self, row: [Cell; N]) {
        debug_assert_eq!(N, self.table.columns.len(), "columns of {}", self.table.name);
        self.cells.extend(row);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
}

/// Rows of a table that has numbers only: a million of them must stay small.
#[derive(Clone, Debug)]
pub(crate) struct NarrowRows {
    pub(crate) table: &'static Table,
    pub(crate) cells: Vec<i64>,
}

impl NarrowRows {
    pub(crate) fn new(table: &'static Table) -> Self {
        Self { table, cells: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
}

/// One row of an answer; columns count from 0.
pub(crate) trait Row {
    fn int(&self, column: usize) -> Result<i64, SqlError>;
    fn text(&self, column: usize) -> Result<&str, SqlError>;

    fn id(&self, column: usize) -> Result<u64, SqlError> {
        self.int(column)?.try_into().map_err(|_negative| SqlError::Type(column))
    }
}

/// Takes one row; `false` ends the query.
pub(crate) type EachRow<'a> = dyn FnMut(&dyn Row) -> Result<bool, DbError> + 'a;

/// Ends the statement that is under way on a connection.
pub(crate) type Interrupter = Box<dyn Fn() + Send>;

/// A connection.
pub(crate) trait Sql: Send {
    /// Runs statements without parameters.
    fn batch(&mut self, statements: &str) -> Result<(), SqlError>;
    /// Gives the number of rows that changed.
    fn execute(&mut self, statement: &str, params: &[Cell]) -> Result<u64, SqlError>;
    fn query(
        &mut self,
        statement: &str,
        params: &[Cell],
        each: &mut EachRow<'_>,
    ) -> Result<(), DbError>;
    fn insert(&mut self, rows: &Rows, conflict: Conflict) -> Result<(), SqlError>;
    fn insert_narrow(&mut self, rows: &NarrowRows, conflict: Conflict) -> Result<(), SqlError>;
    /// Deletes rows by a column of numbers.
    fn delete(&mut self, table: &Table, column: &str, ids: &[i64]) -> Result<(), SqlError>;
    /// The type of a column of whole numbers and of one of texts.
    fn type_names(&self) -> (&'static str, &'static str);
    /// Gives back what reads and writes have left in caches.
    ///
    /// # Errors
    /// The statement failed.
    fn shrink(&mut self) -> Result<(), SqlError> {
        Ok(())
    }
    /// Bounds the wait for each answer; without a bound it is waited as long as the database is there.
    fn set_silent_max(&mut self, _silent_max: Option<Duration>) {}
    /// Ends the statement under way, from another thread.
    fn interrupter(&self) -> Option<Interrupter> {
        None
    }
    /// Whether the connection is beyond repair and a new one may help.
    fn is_broken(&self) -> bool;
}

/// The purpose of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Writer,
    /// One of several, for what is found by an index.
    Reader,
    /// One of several, for what may read whole tables.
    Scanner,
}

/// The longest wait of a read. A caller that waits longer gets an error, and the
/// database ends the statement.
pub(crate) const READ_MAX: Duration = Duration::from_secs(60);

impl From<SqlError> for DbError {
    fn from(cause: SqlError) -> Self {
        Self::Sql { what: "statement failed", cause }
    }
}

/// The clause that does with repeated keys what `conflict` says.
fn conflict_clause(table: &Table, conflict: Conflict) -> Cow<'static, str> {
    match conflict {
        Conflict::Fail => Cow::Borrowed(""),
        Conflict::Ignore => Cow::Borrowed(" on conflict do nothing"),
        Conflict::Update => {
            let sets: Vec<String> = table
                .columns
                .iter()
                .filter(|it| !table.primary_key.contains(&it.name))
                .map(|it| format!("{0} = excluded.{0}", it.name))
                .collect();
            let action = if sets.is_empty() {
                "nothing".to_owned()
            } else {
                format!("update set {}", sets.join(", "))
            };
            Cow::Owned(format!(" on conflict ({}) do {action}", table.primary_key.join(", ")))
        }
    }
}
