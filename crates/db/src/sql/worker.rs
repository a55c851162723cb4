//! The threads on which all SQL runs: one that writes, one that reads.
//!
//! Callers hand in a closure and wait for its answer. One thread each keeps order (an
//! acknowledgement is written after the event it belongs to), keeps long reads away from writes,
//! and keeps the drivers' blocking calls off the asynchronous runtime. The queues are bounded:
//! callers wait when they are full.

use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Sender, bounded};
use tracing::{info, warn};

use super::{Sql, connect};
use crate::{DbError, Location};

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Jobs waiting at most; each belongs to a waiting caller or to the one thread that saves events.
const QUEUE_JOBS: usize = 64;

pub(crate) struct Workers {
    writer: Worker,
    reader: Worker,
}

struct Worker {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// A connection that is made again after it broke.
struct Connection {
    location: Location,
    sql: Option<Box<dyn Sql>>,
}

impl Connection {
    fn get(&mut self) -> Result<&mut dyn Sql, DbError> {
        let sql = match self.sql.take() {
            Some(it) if !it.is_broken() => it,
            broken => {
                let sql = connect(&self.location)?;
                if broken.is_some() {
                    info!(location = %self.location, "database is back");
                }
                sql
            }
        };
        Ok(self.sql.insert(sql).as_mut())
    }

    /// Runs `job` in a transaction: all of it or nothing.
    fn transaction<T>(
        &mut self,
        what: &'static str,
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        let sql = self.get()?;
        let sql_error = |cause| DbError::Sql { what, cause };
        sql.batch("begin").map_err(sql_error)?;
        let done = job(sql).and_then(|it| sql.batch("commit").map_err(sql_error).map(|()| it));
        if let Err(error) = &done {
            warn!(what, %error, "database transaction failed");
            if let Err(error) = sql.batch("rollback") {
                // The connection is in an unknown state: the next job gets a new one.
                warn!(%error, "database rollback failed, connecting again");
                self.sql = None;
            }
        }
        done
    }
}

impl Worker {
    fn start(name: &str, location: &Location) -> Result<Self, DbError> {
        let (jobs, queue) = bounded::<Job>(QUEUE_JOBS);
        let mut connection = Connection { location: location.clone(), sql: None };
        let (opened, is_open) = sync_channel(1);
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            let first = connection.get().map(|_sql| ());
            let is_ready = first.is_ok();
            if opened.send(first).is_ok() && is_ready {
                for job in queue {
                    job(&mut connection);
                }
            }
        });
        let thread = thread.map_err(|_no_thread| DbError::Stopped)?;
        is_open.recv().map_err(|_gone| DbError::Stopped)??;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    fn run<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, DbError> {
        let (answer, answered) = sync_channel(1);
        let job: Job = Box::new(move |connection| {
            // A caller that is gone needs no answer.
            drop(answer.send(connection.transaction(what, job)));
        });
        let jobs = self.jobs.as_ref().ok_or(DbError::Stopped)?;
        jobs.send(job).map_err(|_gone| DbError::Stopped)?;
        answered.recv().map_err(|_gone| DbError::Stopped)?
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            warn!("a database thread panicked");
        }
    }
}

impl Workers {
    pub(crate) fn start(location: &Location) -> Result<Self, DbError> {
        // The writer first: it makes the file and its journal.
        let writer = Worker::start("db-write", location)?;
        let reader = Worker::start("db-read", location)?;
        Ok(Self { writer, reader })
    }

    /// Runs `job` in a transaction on the writing thread and waits for it.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, DbError> {
        self.writer.run(what, job)
    }

    /// Runs `job` on the reading thread and waits for it. It sees all earlier writes.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, DbError> {
        self.reader.run(what, job)
    }
}
