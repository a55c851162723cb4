//! A connection that is made again after it broke, and transactions on it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rt::health::{Health, Level};
use tracing::{error, info, warn};

use super::faults::TransactionFate;
use super::presence::{Lane, Presence};
use super::{Interrupter, READ_MAX, Role, Sql, postgres_sql, sqlite_sql};
use crate::error::{DbError, SqlError};
use crate::metrics::DbMetrics;
use crate::sql::location::Location;

/// Reports whether the database can be reached, for all connections of one kind.
#[derive(Clone)]
pub(super) struct Reach {
    /// As in the names of threads.
    pub(super) part: &'static str,
    pub(super) health: Health,
    pub(super) presence: Arc<Presence>,
    lane: Lane,
    is_reported: Arc<AtomicBool>,
}

impl Reach {
    pub(super) fn new(
        part: &'static str,
        role: Role,
        (health, presence): (&Health, &Arc<Presence>),
    ) -> Self {
        let lane = if role == Role::Writer { Lane::Writes } else { Lane::Reads };
        let (health, presence) = (health.clone(), Arc::clone(presence));
        Self { part, health, presence, lane, is_reported: Arc::default() }
    }

    /// A job failed.
    fn failed(&self, error: &DbError) {
        if let Some(lack) = error.lack() {
            self.presence.lacks(self.lane, lack, &error.to_string());
        }
    }

    /// A connection is of no use any more.
    fn lost(&self, error: &DbError) {
        self.failed(error);
        self.is_reported.store(true, Ordering::Relaxed);
        self.health.set(self.part, Level::Degraded, error.to_string());
    }

    fn found(&self) {
        self.presence.works(self.lane);
        if self.is_reported.load(Ordering::Relaxed)
            && self.is_reported.swap(false, Ordering::Relaxed)
        {
            self.health.clear(self.part);
        }
    }
}

/// How patient a job is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JobKind {
    /// A caller waits for it.
    Usual,
    /// Reads or changes whole tables at the start.
    Load,
    /// Finds out whether the database works again: begun although it does not.
    Probe,
}

impl JobKind {
    /// The longest wait for one answer of a server that is there: statements are cut so that each takes far
    /// less, but for reads, which the server itself ends.
    fn silent_max(self, role: Role) -> Option<Duration> {
        match (self, role) {
            (Self::Load, _) => None,
            (Self::Probe, _) => Some(PROBE_MAX),
            (Self::Usual, Role::Scanner) => Some(READ_MAX + PROBE_MAX),
            (Self::Usual, Role::Writer | Role::Reader) => Some(SILENT_MAX),
        }
    }
}

/// An edit fails after it at the latest. Twice the wait for a lock, so that the server says why.
const SILENT_MAX: Duration = Duration::from_secs(10);
const PROBE_MAX: Duration = Duration::from_secs(2);

pub(super) struct Connection {
    location: Location,
    role: Role,
    sql: Option<Box<dyn Sql>>,
    /// There was one already.
    is_again: bool,
    /// The longest wait for one answer.
    silent_max: Option<Duration>,
    reach: Reach,
    metrics: DbMetrics,
}

impl Connection {
    pub(super) fn new(location: &Location, role: Role, reach: Reach, metrics: &DbMetrics) -> Self {
        let (location, metrics) = (location.clone(), metrics.clone());
        Self { location, role, sql: None, is_again: false, silent_max: None, reach, metrics }
    }

    #[cfg(test)]
    pub(super) fn of(sql: Box<dyn Sql>) -> Self {
        let location = Location::Sqlite(std::path::PathBuf::new());
        let metrics = DbMetrics::register(&rt::metrics::Registry::new());
        let (health, clock) = (Health::default(), rt::clock::Clock::real());
        let presence = Presence::of(&clock, &health, &metrics);
        let reach = Reach::new("db-test", Role::Reader, (&health, &presence));
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
        let sql = self.sql.insert(sql).as_mut();
        sql.set_silent_max(self.silent_max);
        Ok(sql)
    }

    /// The database rolls back its open transaction.
    pub(super) fn close(&mut self) {
        self.sql = None;
    }

    /// Gives back the memory of caches, if there is a connection at all.
    pub(super) fn shrink(&mut self) {
        let shrunk = self.sql.as_mut().filter(|it| !it.is_broken()).map(|it| it.shrink());
        if let Some(Err(error)) = shrunk {
            warn!(%error, "a database connection does not free its caches");
        }
    }

    /// Ends the statement that is under way.
    pub(super) fn interrupter(&self) -> Option<Interrupter> {
        self.sql.as_ref()?.interrupter()
    }

    /// As [`Self::transaction`]; a panic in the job is an error like any other.
    pub(super) fn attempt<T>(
        &mut self,
        (what, kind): (&'static str, JobKind),
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        // It may have become absent while the job stood in line.
        if kind != JobKind::Probe
            && let Some(reason) = self.reach.presence.absent(self.reach.lane)
        {
            return Err(DbError::Absent { what, reason });
        }
        let fate = self.reach.presence.fate(what);
        if fate == TransactionFate::Away {
            return Err(DbError::Absent { what, reason: "a fault that is wanted".to_owned() });
        }
        self.silent_max = kind.silent_max(self.role);
        // Of what the job has touched only the connection is used again, and that is a new one.
        let done = catch_unwind(AssertUnwindSafe(|| self.transaction(what, job)));
        let done = done.unwrap_or_else(|panic| {
            self.close();
            self.metrics.panics_total.inc();
            let message = panic_text(&*panic);
            error!(what, message, "a job of a database thread panicked");
            Err(DbError::Panicked { what, message })
        });
        if fate == TransactionFate::DoneUnheard && done.is_ok() {
            return Err(DbError::Unknown { what, cause: "a fault that is wanted".to_owned() });
        }
        done
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
        if let Err(cause) = self.get()?.batch("begin") {
            self.close();
            // A server that does not answer is not asked again.
            if matches!(cause, SqlError::Gone) {
                let error = sql_error(cause);
                self.reach.lost(&error);
                return Err(error);
            }
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
                self.reach.failed(error);
                warn!(what, %error, "database transaction failed");
                if let Err(cause) = sql.batch("rollback") {
                    // The connection is in an unknown state: the next job gets a new one.
                    warn!(error = %cause, "database rollback failed, connecting again");
                    self.reach.lost(&sql_error(cause));
                    self.close();
                }
            }
        }
        done
    }

    /// A server that still answers has refused the commit. Else it may have been done: the
    /// connection may have ended before it, or just before its answer.
    fn not_committed(&mut self, what: &'static str, cause: SqlError) -> DbError {
        let is_refused = self.sql.as_mut().is_some_and(|it| it.batch("rollback").is_ok());
        if is_refused {
            warn!(what, error = %cause, "the database refused a commit");
            let error = DbError::Sql { what, cause };
            self.reach.failed(&error);
            return error;
        }
        self.close();
        if let Some(lack) = cause.lack() {
            self.reach.presence.lacks(self.reach.lane, lack, &cause.to_string());
        }
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
        Location::Postgres(url) => {
            postgres_sql::open(url, role).map(|it| Box::new(it) as Box<dyn Sql>)
        }
    };
    opened.map_err(|cause| DbError::Open { location: location.to_string(), cause })
}

pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|it| (*it).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic without a text".to_owned())
}
