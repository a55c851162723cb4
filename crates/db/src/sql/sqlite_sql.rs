//! SQLite.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::{
    Cell, Conflict, EachRow, Interrupter, NarrowRows, Role, Row, Rows, Sql, Table, conflict_clause,
};
use crate::error::{DbError, SqlError};

pub(super) struct Sqlite {
    connection: Connection,
}

/// Parameters of one insert at most: SQLite's own limit is 32,766, and beyond some hundreds the
/// time a row no longer falls.
const PARAMS_MAX: usize = 600;

/// How long an edit waits while another program has the file locked. After that it fails.
const BUSY_MAX: Duration = Duration::from_secs(5);

pub(super) fn open(path: &Path, role: Role) -> Result<Sqlite, SqlError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_MAX)?;
    // A change that was answered must survive a power cut, hence `full`; with the write-ahead log
    // that is one sync a transaction. 64 MB of page cache hold the whole of a middling database; the
    // readers share as much.
    connection.execute_batch(
        "pragma journal_mode = wal;
         pragma synchronous = full;
         pragma foreign_keys = off;
         pragma temp_store = memory;
         pragma wal_autocheckpoint = 8000;",
    )?;
    connection.execute_batch(match role {
        Role::Writer => "pragma cache_size = -65536",
        Role::Reader | Role::Scanner => "pragma cache_size = -16384",
    })?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(Sqlite { connection })
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Int(it) => ToSqlOutput::Borrowed(ValueRef::Integer(*it)),
            Self::Text(it) => ToSqlOutput::Borrowed(ValueRef::Text(it.as_bytes())),
        })
    }
}

impl Row for rusqlite::Row<'_> {
    fn int(&self, column: usize) -> Result<i64, SqlError> {
        match self.get_ref(column)? {
            ValueRef::Integer(it) => Ok(it),
            _ => Err(SqlError::Type(column)),
        }
    }

    fn text(&self, column: usize) -> Result<&str, SqlError> {
        match self.get_ref(column)? {
            ValueRef::Text(it) => {
                std::str::from_utf8(it).map_err(|_not_utf8| SqlError::Type(column))
            }
            _ => Err(SqlError::Type(column)),
        }
    }
}

impl Sqlite {
    fn insert_chunks<T: ToSql>(
        &mut self,
        table: &Table,
        cells: &[T],
        conflict: Conflict,
    ) -> Result<(), SqlError> {
        let width = table.columns.len();
        let chunk = (PARAMS_MAX / width).max(1) * width;
        for cells in cells.chunks(chunk) {
            let statement = insert_statement(table, cells.len() / width, conflict);
            let mut statement = self.connection.prepare_cached(&statement)?;
            statement.execute(params_from_iter(cells))?;
        }
        Ok(())
    }
}

fn insert_statement(table: &Table, n_rows: usize, conflict: Conflict) -> String {
    let row = format!("({})", vec!["?"; table.columns.len()].join(","));
    format!(
        "insert into {} ({}) values {}{}",
        table.name,
        table.column_list(),
        vec![row; n_rows].join(","),
        conflict_clause(table, conflict)
    )
}

impl Sql for Sqlite {
    fn batch(&mut self, statements: &str) -> Result<(), SqlError> {
        Ok(self.connection.execute_batch(statements)?)
    }

    fn execute(&mut self, statement: &str, params: &[Cell]) -> Result<u64, SqlError> {
        let mut statement = self.connection.prepare_cached(statement)?;
        let n_rows = statement.execute(params_from_iter(params))?;
        Ok(u64::try_from(n_rows).unwrap_or(u64::MAX))
    }

    fn query(
        &mut self,
        statement: &str,
        params: &[Cell],
        each: &mut EachRow<'_>,
    ) -> Result<(), DbError> {
        let mut statement = self.connection.prepare_cached(statement).map_err(SqlError::from)?;
        let mut rows = statement.query(params_from_iter(params)).map_err(SqlError::from)?;
        while let Some(row) = rows.next().map_err(SqlError::from)? {
            if !each(row)? {
                break;
            }
        }
        Ok(())
    }

    fn insert(&mut self, rows: &Rows, conflict: Conflict) -> Result<(), SqlError> {
        self.insert_chunks(rows.table, &rows.cells, conflict)
    }

    fn insert_narrow(&mut self, rows: &NarrowRows, conflict: Conflict) -> Result<(), SqlError> {
        self.insert_chunks(rows.table, &rows.cells, conflict)
    }

    fn delete(&mut self, table: &Table, column: &str, ids: &[i64]) -> Result<(), SqlError> {
        for ids in ids.chunks(PARAMS_MAX) {
            let statement = format!(
                "delete from {} where {column} in ({})",
                table.name,
                vec!["?"; ids.len()].join(",")
            );
            self.connection.prepare_cached(&statement)?.execute(params_from_iter(ids))?;
        }
        Ok(())
    }

    fn shrink(&mut self) -> Result<(), SqlError> {
        self.batch("pragma shrink_memory")
    }

    fn type_names(&self) -> (&'static str, &'static str) {
        ("integer", "text")
    }

    fn interrupter(&self) -> Option<Interrupter> {
        let handle = self.connection.get_interrupt_handle();
        Some(Box::new(move || handle.interrupt()))
    }

    fn is_broken(&self) -> bool {
        false
    }
}
