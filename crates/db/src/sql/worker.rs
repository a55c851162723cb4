//! The threads on which all SQL runs: one that writes, one that reads.
//!
//! Callers hand in a closure and wait for its answer. One thread each keeps order (an
//! acknowledgement is written after the event it belongs to), keeps long reads away from writes,
//! and keeps the drivers' blocking calls off the asynchronous runtime. The queues are bounded:
//! callers wait when they are full.

use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, after, bounded, never, select};
use tracing::{info, warn};

use super::{Sql, connect};
use crate::{DbError, Location};

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Jobs waiting at most; each belongs to a waiting caller or to the one thread that saves events.
const QUEUE_JOBS: usize = 64;

/// Long enough for a burst of changes (discovery on many hosts) to find its pages in the cache.
const SHRINK_AFTER: Duration = Duration::from_secs(5);

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

    /// Gives back the memory of caches, if there is a connection at all.
    fn shrink(&mut self) {
        let shrunk = self.sql.as_mut().filter(|it| !it.is_broken()).map(|it| it.shrink());
        if let Some(Err(error)) = shrunk {
            warn!(%error, "a database connection does not give back its caches");
        }
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

/// Runs jobs until nobody is left who could send one. What they leave in the driver's cache (64 MB of
/// pages at most) is given back some time after the first of them, and so again and again: pages that
/// are needed once more come from the machine's own cache, in a few milliseconds for all of them.
fn work(queue: &Receiver<Job>, connection: &mut Connection, shrink_after: Duration) {
    let mut shrink = never();
    let mut is_due = false;
    loop {
        select! {
            recv(queue) -> job => {
                let Ok(job) = job else { return };
                job(connection);
                if !std::mem::replace(&mut is_due, true) {
                    shrink = after(shrink_after);
                }
            }
            recv(shrink) -> _ => {
                (shrink, is_due) = (never(), false);
                connection.shrink();
            }
        }
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
                work(&queue, &mut connection, SHRINK_AFTER);
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::error::SqlError;
    use crate::schema::Table;
    use crate::sql::{Cell, Conflict, EachRow, NarrowRows, Rows};

    /// A connection that tells when it is asked to give back its caches.
    struct Telling(Sender<()>);

    impl Sql for Telling {
        fn batch(&mut self, _: &str) -> Result<(), SqlError> {
            Ok(())
        }
        fn execute(&mut self, _: &str, _: &[Cell]) -> Result<u64, SqlError> {
            Ok(0)
        }
        fn query(&mut self, _: &str, _: &[Cell], _: &mut EachRow<'_>) -> Result<(), DbError> {
            Ok(())
        }
        fn insert(&mut self, _: &Rows, _: Conflict) -> Result<(), SqlError> {
            Ok(())
        }
        fn insert_narrow(&mut self, _: &NarrowRows, _: Conflict) -> Result<(), SqlError> {
            Ok(())
        }
        fn delete(&mut self, _: &Table, _: &str, _: &[i64]) -> Result<(), SqlError> {
            Ok(())
        }
        fn type_names(&self) -> (&'static str, &'static str) {
            ("", "")
        }
        fn shrink(&mut self) -> Result<(), SqlError> {
            self.0.send(()).expect("the test looks");
            Ok(())
        }
        fn is_broken(&self) -> bool {
            false
        }
    }

    #[test]
    fn caches_are_given_back_after_jobs_and_only_then() {
        let (jobs, queue) = bounded::<Job>(QUEUE_JOBS);
        let (shrunk, shrinks) = bounded(QUEUE_JOBS);
        let location = Location::Sqlite(PathBuf::new());
        let mut connection = Connection { location, sql: Some(Box::new(Telling(shrunk))) };
        let worker = thread::spawn(move || work(&queue, &mut connection, Duration::ZERO));
        for _burst in 0..2 {
            let (done, is_done) = bounded(1);
            let job: Job = Box::new(move |_| done.send(()).expect("the test waits"));
            jobs.send(job).expect("it works");
            is_done.recv().expect("it is run");
            shrinks.recv().expect("it gives back");
        }
        drop(jobs);
        worker.join().expect("it ends");
        assert!(shrinks.try_recv().is_err(), "once for each burst");
    }
}
