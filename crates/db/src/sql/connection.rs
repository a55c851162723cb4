//! A connection that is made again after it broke, and transactions on it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rt::health::{Health, Level};
use tracing::{error, info, warn};

use super::{Role, Sql, postgres_sql, sqlite_sql};
use crate::DbError;
use crate::error::SqlError;
use crate::location::Location;
use crate::metrics::DbMetrics;

/// Tells whether the database can be reached, for all connections of one kind.
#[derive(Clone)]
pub(super) struct Reach {
    /// As in the names of threads.
    pub(super) part: &'static str,
    pub(super) health: Health,
    is_told: Arc<AtomicBool>,
}

impl Reach {
    pub(super) fn new(part: &'static str, health: &Health) -> Self {
        Self { part, health: health.clone(), is_told: Arc::default() }
    }

    fn lost(&self, error: &DbError) {
        self.is_told.store(true, Ordering::Relaxed);
        self.health.set(self.part, Level::Degraded, error.to_string());
    }

    fn found(&self) {
        if self.is_told.load(Ordering::Relaxed) && self.is_told.swap(false, Ordering::Relaxed) {
            self.health.clear(self.part);
        }
    }
}

pub(super) struct Connection {
    location: Location,
    role: Role,
    sql: Option<Box<dyn Sql>>,
    /// There was one already.
    is_again: bool,
    reach: Reach,
    metrics: DbMetrics,
}

impl Connection {
    pub(super) fn new(location: &Location, role: Role, reach: Reach, metrics: &DbMetrics) -> Self {
        let (location, metrics) = (location.clone(), metrics.clone());
        Self { location, role, sql: None, is_again: false, reach, metrics }
    }

    #[cfg(test)]
    pub(super) fn of(sql: Box<dyn Sql>) -> Self {
        let location = Location::Sqlite(std::path::PathBuf::new());
        let reach = Reach::new("db-test", &Health::default());
        let metrics = DbMetrics::register(&rt::metrics::Registry::new());
        Self { sql: Some(sql), ..Self::new(&location, Role::Reader, reach, &metrics) }
    }

    pub(super) fn get(&mut self) -> Result<&mut dyn Sql, DbError> {
        let sql = match self.sql.take().filter(|it| !it.is_broken()) {
            Some(it) => it,
            None => {
                let sql = connect(&self.location, self.role);
                let sql = sql.inspect_err(|error| self.reach.lost(error))?;
                if std::mem::replace(&mut self.is_again, true) {
                    info!(location = %self.location, part = self.reach.part, "connected again");
                }
                sql
            }
        };
        Ok(self.sql.insert(sql).as_mut())
    }

    /// What was under way on it is rolled back by the database.
    pub(super) fn close(&mut self) {
        self.sql = None;
    }

    /// Gives back the memory of caches, if there is a connection at all.
    pub(super) fn shrink(&mut self) {
        let shrunk = self.sql.as_mut().filter(|it| !it.is_broken()).map(|it| it.shrink());
        if let Some(Err(error)) = shrunk {
            warn!(%error, "a database connection does not give back its caches");
        }
    }

    /// As [`Self::transaction`]; a panic in the job is an error like any other.
    pub(super) fn attempt<T>(
        &mut self,
        what: &'static str,
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        // Of what the job has touched only the connection is used again, and that is a new one.
        let done = catch_unwind(AssertUnwindSafe(|| self.transaction(what, job)));
        done.unwrap_or_else(|panic| {
            self.close();
            self.metrics.panics_total.inc();
            let message = panic_text(&*panic);
            error!(what, message, "a job of a database thread panicked");
            Err(DbError::Panicked { what, message })
        })
    }

    /// Runs `job` in a transaction: all of it or nothing.
    ///
    /// # Errors
    /// Nothing was done then, except for [`DbError::Unknown`]: nobody knows.
    fn transaction<T>(
        &mut self,
        what: &'static str,
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        let sql_error = |cause| DbError::Sql { what, cause };
        // A connection that broke while nobody used it shows here, and nothing is done yet.
        if self.get()?.batch("begin").is_err() {
            self.close();
            let begun = self.get()?.batch("begin").map_err(sql_error);
            begun.inspect_err(|error| self.reach.lost(error))?;
        }
        let Some(sql) = self.sql.as_mut() else { return Err(DbError::Stopped) };
        let done = match job(sql.as_mut()) {
            Ok(it) => match sql.batch("commit") {
                Ok(()) => Ok(it),
                Err(cause) => return Err(self.not_committed(what, cause)),
            },
            Err(error) => Err(error),
        };
        match &done {
            Ok(_) => self.reach.found(),
            Err(error) => {
                warn!(what, %error, "database transaction failed");
                if let Err(error) = sql.batch("rollback") {
                    // The connection is in an unknown state: the next job gets a new one.
                    warn!(%error, "database rollback failed, connecting again");
                    self.reach.lost(&sql_error(error));
                    self.close();
                }
            }
        }
        done
    }

    /// Whoever still answers has refused the commit. Else it may have been done: the connection may
    /// have ended before it, or just before its answer.
    fn not_committed(&mut self, what: &'static str, cause: SqlError) -> DbError {
        let is_refused = self.sql.as_mut().is_some_and(|it| it.batch("rollback").is_ok());
        if is_refused {
            warn!(what, error = %cause, "the database refused a commit");
            return DbError::Sql { what, cause };
        }
        self.close();
        self.metrics.unknown_outcomes_total.inc();
        let error = DbError::Unknown { what, cause: cause.to_string() };
        warn!(%error, "a commit has no answer");
        self.reach.lost(&error);
        error
    }
}

/// Opens a connection.
pub(crate) fn connect(location: &Location, role: Role) -> Result<Box<dyn Sql>, DbError> {
    let opened: Result<Box<dyn Sql>, SqlError> = match location {
        Location::Sqlite(path) => {
            sqlite_sql::open(path, role).map(|it| Box::new(it) as Box<dyn Sql>)
        }
        Location::Postgres(url) => postgres_sql::open(url).map(|it| Box::new(it) as Box<dyn Sql>),
    };
    opened.map_err(|cause| DbError::Open { location: location.to_string(), cause })
}

pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|it| (*it).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic without a text".to_owned())
}
