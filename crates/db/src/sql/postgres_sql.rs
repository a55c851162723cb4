//! PostgreSQL.

use std::fmt::Write;
use std::pin::pin;
use std::time::Duration;

use futures_util::TryStreamExt;
use model::map::Map;
use postgres::Statement;
use postgres::types::ToSql;

use super::postgres_session::Session;
use super::rewrite::to_dollars;
use super::{
    Cell, Conflict, EachRow, NarrowRows, READ_MAX, Role, Row, Rows, Sql, Table, conflict_clause,
};
use crate::error::{DbError, SqlError};

pub(super) struct Postgres {
    session: Session,
    /// By statement as written.
    prepared: Map<String, Statement>,
}

/// The most rows sent with one insert; more take several.
const ROWS_MAX: usize = 20_000;

const PREPARED_MAX: usize = 256;

/// How long an edit waits for a lock of another program. After that it fails.
const LOCK_MAX_MS: u64 = 5_000;

pub(super) fn open(url: &str, role: Role) -> Result<Postgres, SqlError> {
    let mut connector = postgres_tls::Connector::new(url, None)?;
    let config = &mut connector.config;
    config.application_name("saker");
    config.keepalives_idle(Duration::from_secs(30));
    let mut postgres = Postgres { session: Session::open(connector)?, prepared: Map::default() };
    postgres.batch("set client_min_messages = warning")?;
    match role {
        Role::Writer => postgres.batch(&format!("set lock_timeout = {LOCK_MAX_MS}"))?,
        // The server ends statements for which no caller waits any more.
        Role::Reader | Role::Scanner => {
            let ms = READ_MAX.as_millis();
            postgres.batch(&format!("set statement_timeout = {ms}"))?;
        }
    }
    Ok(postgres)
}

impl Row for postgres::Row {
    fn int(&self, column: usize) -> Result<i64, SqlError> {
        Ok(self.try_get(column)?)
    }

    fn text(&self, column: usize) -> Result<&str, SqlError> {
        Ok(self.try_get(column)?)
    }
}

impl Postgres {
    fn prepare(&mut self, statement: &str) -> Result<Statement, SqlError> {
        if let Some(it) = self.prepared.get(statement) {
            return Ok(it.clone());
        }
        // Statements with lists of ids differ each time: forget them before they pile up.
        if self.prepared.len() >= PREPARED_MAX {
            self.prepared.clear();
        }
        let text = to_dollars(statement);
        let prepared =
            self.session.run(async |client, answers| answers.of(client.prepare(&text)).await)?;
        self.prepared.insert(statement.to_owned(), prepared.clone());
        Ok(prepared)
    }

    /// One statement a chunk, each column an array: no limit of parameters, one round trip.
    fn insert_arrays(
        &mut self,
        table: &Table,
        columns: &[Column],
        conflict: Conflict,
    ) -> Result<(), SqlError> {
        let mut arrays = String::new();
        for (position, column) in columns.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            let kind = match column {
                Column::Int(_) => "bigint[]",
                Column::Text(_) => "text[]",
            };
            // Writing to a String cannot fail.
            write!(arrays, "{comma}?{}::{kind}", position + 1).expect("memory takes text");
        }
        let statement = format!(
            "insert into {} ({}) select * from unnest({arrays}){}",
            table.name,
            table.column_list(),
            conflict_clause(table, conflict)
        );
        let statement = self.prepare(&statement)?;
        let params: Vec<&(dyn ToSql + Sync)> = columns.iter().map(Column::param).collect();
        self.execute_prepared(&statement, &params)?;
        Ok(())
    }

    fn execute_prepared(
        &mut self,
        statement: &Statement,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, SqlError> {
        self.session
            .run(async |client, answers| answers.of(client.execute(statement, params)).await)
    }
}

enum Column {
    Int(Vec<i64>),
    Text(Vec<String>),
}

impl Column {
    fn param(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Int(it) => it,
            Self::Text(it) => it,
        }
    }
}

/// PostgreSQL's texts cannot hold the NUL character.
fn clean(text: &str) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text.to_owned() }
}

fn columns_of(rows: &[Cell], width: usize) -> Vec<Column> {
    let column = |position: usize| {
        let cells = rows.iter().skip(position).step_by(width);
        match rows.get(position) {
            Some(Cell::Text(_)) => Column::Text(
                cells
                    .map(|it| match it {
                        Cell::Text(it) => clean(it),
                        Cell::Int(it) => it.to_string(),
                    })
                    .collect(),
            ),
            _ => Column::Int(
                cells
                    .map(|it| match it {
                        Cell::Int(it) => *it,
                        Cell::Text(_) => 0,
                    })
                    .collect(),
            ),
        }
    };
    (0..width).map(column).collect()
}

impl Sql for Postgres {
    fn batch(&mut self, statements: &str) -> Result<(), SqlError> {
        self.session.run(async |client, answers| answers.of(client.batch_execute(statements)).await)
    }

    fn execute(&mut self, statement: &str, params: &[Cell]) -> Result<u64, SqlError> {
        let statement = self.prepare(statement)?;
        let cleaned: Vec<Param> = params.iter().map(Param::of).collect();
        let params: Vec<&(dyn ToSql + Sync)> = cleaned.iter().map(Param::as_sql).collect();
        self.execute_prepared(&statement, &params)
    }

    fn query(
        &mut self,
        statement: &str,
        params: &[Cell],
        each: &mut EachRow<'_>,
    ) -> Result<(), DbError> {
        let statement = self.prepare(statement)?;
        let cleaned: Vec<Param> = params.iter().map(Param::of).collect();
        self.session.run(async |client, answers| {
            let params = cleaned.iter().map(Param::as_sql);
            let mut rows = pin!(answers.of(client.query_raw(&statement, params)).await?);
            while let Some(row) = answers.of(rows.try_next()).await? {
                if !each(&row)? {
                    break;
                }
            }
            Ok(())
        })
    }

    fn insert(&mut self, rows: &Rows, conflict: Conflict) -> Result<(), SqlError> {
        let width = rows.table.columns.len();
        for cells in rows.cells.chunks(ROWS_MAX * width) {
            self.insert_arrays(rows.table, &columns_of(cells, width), conflict)?;
        }
        Ok(())
    }

    fn insert_narrow(&mut self, rows: &NarrowRows, conflict: Conflict) -> Result<(), SqlError> {
        let width = rows.table.columns.len();
        for cells in rows.cells.chunks(ROWS_MAX * width) {
            let column = |at: usize| cells.iter().skip(at).step_by(width).copied().collect();
            let columns: Vec<Column> = (0..width).map(|at| Column::Int(column(at))).collect();
            self.insert_arrays(rows.table, &columns, conflict)?;
        }
        Ok(())
    }

    fn delete(&mut self, table: &Table, column: &str, ids: &[i64]) -> Result<(), SqlError> {
        let statement = format!("delete from {} where {column} = any(?1::bigint[])", table.name);
        let statement = self.prepare(&statement)?;
        for ids in ids.chunks(ROWS_MAX) {
            self.execute_prepared(&statement, &[&ids])?;
        }
        Ok(())
    }

    fn type_names(&self) -> (&'static str, &'static str) {
        ("bigint", "text")
    }

    fn set_silent_max(&mut self, silent_max: Option<Duration>) {
        self.session.silent_max = silent_max;
    }

    fn is_broken(&self) -> bool {
        self.session.is_broken()
    }
}

/// A bound value without NUL.
#[derive(Debug)]
enum Param {
    Int(i64),
    Text(String),
}

impl Param {
    fn of(cell: &Cell) -> Self {
        match cell {
            Cell::Int(it) => Self::Int(*it),
            Cell::Text(it) => Self::Text(clean(it)),
        }
    }

    fn as_sql(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Int(it) => it,
            Self::Text(it) => it,
        }
    }
}
