//! The threads on which all SQL runs: one that writes, some that read by indexes, some that scan.
//!
//! Callers hand in a closure and wait for its answer. One thread for all writes keeps order (an
//! acknowledgement is written after the event it belongs to); reads have connections of their own,
//! so that neither writes nor other reads wait for a long one; reads that may go through a whole table have
//! others than those by an index, so that alerting never waits for a search; and the drivers' blocking calls
//! stay off the asynchronous runtime. The queues are bounded: callers wait when they are full.
//!
//! No thread ends before its queue does: a panic in a job is the answer of that job. No wait is
//! without end: see [`Limits`]. While the database is absent ([`Presence`]) every call fails at once, but for
//! those of one more thread, which asks each second whether it is there again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{
    Receiver, RecvTimeoutError as RecvError, SendTimeoutError, Sender, after, bounded, never,
    select, unbounded,
};
use rt::health::{Health, Level};
use rt::shutdown::Shutdown;
use tracing::{debug, error, warn};

use super::connection::{Connection, JobKind, Reach, panic_text};
use super::presence::{Absence, Lane, Presence};
use super::{Interrupter, READ_MAX, Role, Sql};
use crate::error::DbError;
use crate::locks::lock;
use crate::metrics::DbMetrics;
use crate::sql::location::Location;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Jobs waiting at most; each belongs to a waiting caller or to the one thread that saves events.
const QUEUE_JOBS: usize = 64;

/// Reads by an index at once, each on a connection of its own: one is made when it is first needed. Each takes
/// some milliseconds.
const READERS: usize = 3;

/// Scans at once. More than there are cores on the machines that this is for would only make all of them slower.
const SCANNERS: usize = 4;

/// The interval between two probes of an absent database.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);

/// Idle periods between two probes of a server without other requests: its absence is shown before
/// a caller needs it.
const IDLE_PROBES: u32 = 5;

/// Long enough for a burst of changes (discovery on many hosts) to find its pages in the cache.
const SHRINK_AFTER: Duration = Duration::from_secs(5);

/// How long the stop waits for threads to finish. After that they are left alone.
const STOP_MAX: Duration = Duration::from_secs(5);

/// How long callers wait. Far above what a working database takes: a caller that waits longer gets
/// an error instead of a page that never comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) read: Duration,
    /// Linking a template to a hundred thousand hosts writes millions of rows.
    pub(crate) write: Duration,
    /// Reading everything at start.
    pub(crate) load: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Past what the database itself takes for one: then it says why.
            read: READ_MAX + Duration::from_secs(5),
            write: Duration::from_secs(600),
            load: Duration::from_secs(3_600),
        }
    }
}

/// Where the threads report their state.
#[derive(Clone)]
pub(crate) struct Watch {
    pub(crate) health: Health,
    pub(crate) metrics: DbMetrics,
    pub(crate) presence: Arc<Presence>,
}

pub(crate) struct Workers {
    /// Ends before those that it asks.
    _prober: Prober,
    writer: Arc<WorkerPool>,
    readers: Arc<WorkerPool>,
    scanners: WorkerPool,
    limits: Limits,
    pub(crate) watch: Watch,
}

/// Asks an absent database whether it is there again, until it is dropped.
struct Prober {
    stop: Shutdown,
    ended: Receiver<()>,
}

impl Prober {
    fn start(
        (writer, readers): (&Arc<WorkerPool>, &Arc<WorkerPool>),
        watch: &Watch,
        is_server: bool,
    ) -> Result<Self, DbError> {
        let stop = Shutdown::new();
        let (ends, ended) = bounded::<()>(0);
        let presence = Arc::clone(&watch.presence);
        presence.reach(&stop);
        let probing = Probing {
            writer: Arc::clone(writer),
            readers: Arc::clone(readers),
            presence,
            stop: stop.clone(),
        };
        let run = move || {
            probing.run(is_server);
            drop((probing, ends));
        };
        let thread = thread::Builder::new().name("db-probe".to_owned()).spawn(run);
        thread.map_err(|_none| DbError::Stopped)?;
        Ok(Self { stop, ended })
    }
}

struct Probing {
    writer: Arc<WorkerPool>,
    readers: Arc<WorkerPool>,
    presence: Arc<Presence>,
    stop: Shutdown,
}

impl Probing {
    /// Sleeps while nothing is wrong, but for a server: its absence is to be noticed.
    fn run(&self, is_server: bool) {
        let Self { writer, readers, presence, stop } = self;
        let idle = is_server.then(|| PROBE_INTERVAL.saturating_mul(IDLE_PROBES));
        let mut n = 0_u32;
        loop {
            stop.wait_unless(idle, || presence.is_any_lacking());
            let is_lacking = presence.is_any_lacking();
            if stop.is_cancelled() || is_lacking && stop.wait(PROBE_INTERVAL) {
                return;
            }
            n = if is_lacking { n.wrapping_add(1) } else { 0 };
            if presence.is_lacking(Lane::Writes) {
                writer.probe(PROBE_WRITE);
            }
            let is_idle_probe = is_server && n.is_multiple_of(IDLE_PROBES);
            if is_idle_probe || presence.is_lacking(Lane::Reads) {
                readers.probe(PROBE_READ);
            }
        }
    }
}

impl Drop for Prober {
    fn drop(&mut self) {
        self.stop.cancel();
        if self.ended.recv_timeout(STOP_MAX) == Err(RecvError::Timeout) {
            warn!("the thread that probes the database did not end in time and is left alone");
        }
    }
}

/// Changes nothing, and takes what a change takes.
const PROBE_WRITE: &str = "update ids set next = next where name = 'epoch'";
const PROBE_READ: &str = "select 1";

/// Threads with one queue.
struct WorkerPool {
    jobs: Option<Sender<Job>>,
    is_stopping: Arc<AtomicBool>,
    /// Nothing is sent: it closes when the last thread has ended.
    ended: Receiver<()>,
    part: &'static str,
    lane: Lane,
    presence: Arc<Presence>,
    metrics: DbMetrics,
}

/// Says so when a thread ends that should not.
pub(crate) struct EndWatch {
    part: String,
    is_stopping: Arc<AtomicBool>,
    health: Health,
}

impl EndWatch {
    pub(crate) fn new(part: &str, is_stopping: &Arc<AtomicBool>, health: &Health) -> Self {
        let (is_stopping, health) = (Arc::clone(is_stopping), health.clone());
        Self { part: part.to_owned(), is_stopping, health }
    }
}

impl Drop for EndWatch {
    fn drop(&mut self) {
        if !self.is_stopping.load(Ordering::Relaxed) {
            let message =
                format!("the thread {} has ended, which is a bug: restart the server", self.part);
            error!("{message}");
            self.health.set(&self.part, Level::Failing, message);
        }
    }
}

/// Whether a job is still wanted: the caller that gives up and the thread that takes it agree.
#[derive(Default)]
struct Turn(AtomicU8);

impl Turn {
    const WAITING: u8 = 0;
    const BEGUN: u8 = 1;
    const GIVEN_UP: u8 = 2;

    fn begin(&self) -> bool {
        self.go(Self::BEGUN)
    }

    /// False if it has begun.
    fn give_up(&self) -> bool {
        self.go(Self::GIVEN_UP)
    }

    fn go(&self, to: u8) -> bool {
        let order = Ordering::AcqRel;
        self.0.compare_exchange(Self::WAITING, to, order, Ordering::Acquire).is_ok()
    }
}

/// Runs jobs until nobody is left who could send one. Pages that they leave in the driver's cache
/// (64 MB at most) are freed some time after the first of them, and so again and again: pages that
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

/// Works, also after a panic outside of any job.
fn work_on(queue: &Receiver<Job>, connection: &mut Connection, watch: &Watch) {
    // The connection, which alone is used again, is a new one then.
    while let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(queue, connection, SHRINK_AFTER)))
    {
        watch.metrics.panics_total.inc();
        error!(message = panic_text(&*panic), "a database thread panicked and goes on");
        connection.close();
    }
}

impl WorkerPool {
    /// The first thread connects at once: an error is the caller's.
    fn start(
        part: &'static str,
        role: Role,
        location: &Location,
        watch: &Watch,
    ) -> Result<Self, DbError> {
        let (n_threads, lane) = match role {
            Role::Writer => (1, Lane::Writes),
            Role::Reader => (READERS, Lane::Reads),
            Role::Scanner => (SCANNERS, Lane::Reads),
        };
        let (jobs, queue) = bounded::<Job>(QUEUE_JOBS);
        let (ends, ended) = unbounded();
        let is_stopping = Arc::new(AtomicBool::new(false));
        let reach = Reach::new(part, role, (&watch.health, &watch.presence));
        let mut first = Connection::new(location, role, reach.clone(), &watch.metrics);
        first.get()?;
        let mut first = Some(first);
        for number in 0..n_threads {
            let (queue, ends, watch) = (queue.clone(), ends.clone(), watch.clone());
            let mut connection = first
                .take()
                .unwrap_or_else(|| Connection::new(location, role, reach.clone(), &watch.metrics));
            let name = if n_threads == 1 { part.to_owned() } else { format!("{part}-{number}") };
            let end = EndWatch::new(&name, &is_stopping, &watch.health);
            let thread = thread::Builder::new().name(name).spawn(move || {
                work_on(&queue, &mut connection, &watch);
                connection.close();
                drop((end, ends));
            });
            thread.map_err(|_no_thread| DbError::Stopped)?;
        }
        let (metrics, presence) = (watch.metrics.clone(), Arc::clone(&watch.presence));
        Ok(Self { jobs: Some(jobs), is_stopping, ended, part, lane, presence, metrics })
    }

    fn check_present(&self, what: &'static str) -> Result<(), DbError> {
        match self.presence.absent(self.lane) {
            Some(reason) => Err(DbError::Absent { what, reason }),
            None => Ok(()),
        }
    }

    /// Finds out whether the database works, and publishes the result.
    fn probe(&self, statement: &'static str) {
        let job = move |sql: &mut dyn Sql| Ok(sql.batch(statement)?);
        if let Err(error) = self.run((("probe", JobKind::Probe), STOP_MAX), job) {
            debug!(part = self.part, %error, "the database is still absent");
        }
    }

    fn run<T: Send + 'static>(
        &self,
        ((what, kind), time_max): ((&'static str, JobKind), Duration),
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, DbError> {
        if kind != JobKind::Probe {
            self.check_present(what)?;
        }
        let (answer, answered) = sync_channel(1);
        let turn = Arc::new(Turn::default());
        let of_job = Arc::clone(&turn);
        let reading: Arc<Mutex<Option<Interrupter>>> = Arc::default();
        let of_reading = (self.lane == Lane::Reads).then(|| Arc::clone(&reading));
        let job: Job = Box::new(move |connection| {
            if !of_job.begin() {
                return;
            }
            if let Some(it) = &of_reading {
                *lock(it) = connection.interrupter();
            }
            let done = connection.attempt((what, kind), job);
            if let Some(it) = &of_reading {
                *lock(it) = None;
            }
            // A caller that is gone needs no answer.
            drop(answer.send(done));
        });
        let timed_out = || {
            self.metrics.timeouts_total.inc();
            let error = DbError::TimedOut { what, seconds: time_max.as_secs() };
            warn!(part = self.part, %error, "the database does not answer");
            error
        };
        let jobs = self.jobs.as_ref().ok_or(DbError::Stopped)?;
        match jobs.send_timeout(job, time_max) {
            Ok(()) => {}
            Err(SendTimeoutError::Timeout(_)) => return Err(timed_out()),
            Err(SendTimeoutError::Disconnected(_)) => return Err(DbError::Stopped),
        }
        match answered.recv_timeout(time_max) {
            Ok(it) => it,
            Err(RecvTimeoutError::Disconnected) => Err(DbError::Stopped),
            // It will not be begun any more.
            Err(RecvTimeoutError::Timeout) if turn.give_up() => Err(timed_out()),
            Err(RecvTimeoutError::Timeout) => {
                // The answer may have come just now.
                answered.try_recv().unwrap_or_else(|_none| {
                    if let Some(interrupt) = &*lock(&reading) {
                        interrupt();
                    }
                    let cause = timed_out().to_string();
                    Err(DbError::Unknown { what, cause })
                })
            }
        }
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.jobs = None;
        if self.ended.recv_timeout(STOP_MAX) == Err(crossbeam_channel::RecvTimeoutError::Timeout) {
            warn!(part = self.part, "a database thread did not end in time and is left alone");
        }
    }
}

impl Workers {
    pub(crate) fn start(
        location: &Location,
        limits: Limits,
        watch: Watch,
    ) -> Result<Self, DbError> {
        // The writer first: it makes the file and its journal.
        let writer = Arc::new(WorkerPool::start("db-write", Role::Writer, location, &watch)?);
        let readers = Arc::new(WorkerPool::start("db-read", Role::Reader, location, &watch)?);
        let scanners = WorkerPool::start("db-scan", Role::Scanner, location, &watch)?;
        let is_server = matches!(location, Location::Postgres(_));
        let prober = Prober::start((&writer, &readers), &watch, is_server)?;
        Ok(Self { _prober: prober, writer, readers, scanners, limits, watch })
    }

    /// Runs `job` in a transaction on the writing thread and waits for it.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, DbError> {
        self.writer.run(((what, JobKind::Usual), self.limits.write), job)
    }

    /// As [`Self::write`], for what reads everything.
    pub(crate) fn load<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, DbError> {
        self.writer.run(((what, JobKind::Load), self.limits.load), job)
    }

    /// Runs `job` on a reading thread and waits for it. It sees all earlier writes. For what is found by an
    /// index: see [`Self::scan`].
    pub(crate) fn read<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, DbError> {
        self.readers.run(((what, JobKind::Usual), self.limits.read), job)
    }

    /// As [`Self::read`], for what may go through a whole table: it holds up nothing but others of its kind.
    pub(crate) fn scan<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&mut dyn Sql) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, DbError> {
        self.scanners.run(((what, JobKind::Usual), self.limits.read), job)
    }

    /// # Errors
    /// If a change would fail at once.
    pub(crate) fn check_writable(&self, what: &'static str) -> Result<(), DbError> {
        self.writer.check_present(what)
    }

    /// The current lack of the database, if there is one.
    pub(crate) fn absence(&self) -> Option<Absence> {
        self.watch.presence.absence()
    }
}

#[cfg(test)]
mod tests {
    use rt::metrics::Registry;

    use super::*;
    use crate::error::SqlError;
    use crate::sql::{Cell, Conflict, EachRow, NarrowRows, Rows, Table};

    /// A connection that reports when it is asked to free its caches.
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
        let mut connection = Connection::of(Box::new(Telling(shrunk)));
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

    /// How long tests wait for an expected event.
    const TEST_MAX: Duration = Duration::from_secs(60);

    fn watch() -> (Watch, Health) {
        let (health, metrics) = (Health::default(), DbMetrics::register(&Registry::new()));
        let presence = Presence::of(&rt::clock::Clock::real(), &health, &metrics);
        (Watch { health: health.clone(), metrics, presence }, health)
    }

    fn workers(limits: Limits) -> (Workers, Watch, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a folder is made");
        let location = Location::Sqlite(folder.path().join("saker.db"));
        let (watch, _) = watch();
        (Workers::start(&location, limits, watch.clone()).expect("it opens"), watch, folder)
    }

    #[test]
    fn a_slow_scan_holds_up_no_other_and_scans_at_once_have_a_bound() {
        let (workers, _watch, _folder) = workers(Limits::default());
        let (begun, begins) = bounded::<()>(SCANNERS + 1);
        let (release, released) = bounded::<()>(0);
        thread::scope(|scope| {
            let slow = || {
                let (begun, released) = (begun.clone(), released.clone());
                let read = workers.scan("slow", move |_| {
                    begun.send(()).expect("the test counts");
                    released.recv().expect("the test lets go");
                    Ok(())
                });
                read.expect("it reads");
            };
            for _ in 1..SCANNERS {
                scope.spawn(slow);
                begins.recv_timeout(TEST_MAX).expect("it is begun");
            }
            // All but one are busy, and what is quick is answered while they are.
            for number in 0..10 {
                assert_eq!(workers.scan("quick", move |_| Ok(number)).expect("it reads"), number);
            }
            // With all of them busy, one more waits for its turn.
            scope.spawn(slow);
            begins.recv_timeout(TEST_MAX).expect("it is begun");
            scope.spawn(slow);
            assert!(begins.try_recv().is_err(), "no thread is left for it");
            // Reads by an index, as those of alerting, do not wait for them.
            assert_eq!(workers.read("by an index", |_| Ok(1)).expect("it reads"), 1);
            for _ in 0..=SCANNERS {
                release.send(()).expect("one goes on");
            }
            begins.recv_timeout(TEST_MAX).expect("then it is begun");
        });
    }

    #[test]
    fn a_panic_is_the_answer_of_its_job_alone() {
        let (workers, watch, _folder) = workers(Limits::default());
        workers.write("make", |sql| Ok(sql.batch("create table t (n integer)")?)).expect("made");
        for n in 1..=3 {
            let panicked: Result<(), DbError> = workers.write("break", |sql| {
                sql.batch("insert into t values (1)")?;
                panic!("on purpose")
            });
            let error = panicked.expect_err("it panics").to_string();
            assert!(error.contains("on purpose"), "{error}");
            assert_eq!(watch.metrics.panics_total.get(), n);
        }
        let read: Result<(), DbError> = workers.read("break", |_| panic!("on purpose"));
        assert!(matches!(read, Err(DbError::Panicked { .. })), "{read:?}");
        // The thread goes on, and nothing of the job is left.
        workers.write("go on", |sql| Ok(sql.batch("insert into t values (2)")?)).expect("written");
        let mut found = Vec::new();
        let found = workers.read("look", move |sql| {
            sql.query("select n from t", &[], &mut |row| {
                found.push(row.int(0)?);
                Ok(true)
            })?;
            Ok(found)
        });
        assert_eq!(found.expect("read"), [2]);
        assert_eq!(watch.health.issues(), []);
    }

    #[test]
    fn a_wait_ends_and_what_was_not_begun_is_never_done() {
        let (workers, watch, _folder) = workers(Limits::default());
        let (release, released) = bounded::<()>(0);
        let (ran, runs) = bounded::<()>(1);
        loop {
            let released = released.clone();
            let hangs = workers.writer.run(
                (("hang", JobKind::Usual), Duration::from_millis(20)),
                move |_| {
                    released.recv().expect("the test lets go");
                    Ok(())
                },
            );
            match hangs {
                // It was not even begun.
                Err(DbError::TimedOut { .. }) => {}
                // It is under way: its outcome is unknown.
                Err(DbError::Unknown { .. }) => break,
                other => panic!("{other:?}"),
            }
        }
        let n_before = watch.metrics.timeouts_total.get();
        let waits = workers.writer.run((("wait", JobKind::Usual), Duration::ZERO), move |_| {
            ran.send(()).expect("the test looks");
            Ok(())
        });
        assert!(matches!(waits, Err(DbError::TimedOut { .. })), "{waits:?}");
        assert_eq!(watch.metrics.timeouts_total.get(), n_before + 1);
        release.send(()).expect("it goes on");
        workers.write("go on", |_| Ok(())).expect("the thread is free again");
        assert!(runs.try_recv().is_err(), "the caller got the error that it was not done");
    }

    #[test]
    fn thread_that_ends_by_itself_is_reported() {
        let (_, health) = watch();
        let is_stopping = Arc::new(AtomicBool::new(false));
        drop(EndWatch::new("db-events", &is_stopping, &health));
        assert_eq!(health.level(), Some(Level::Failing));
        let issues = health.issues();
        assert!(issues[0].message.contains("db-events"), "{issues:?}");
        health.clear("db-events");
        is_stopping.store(true, Ordering::Relaxed);
        drop(EndWatch::new("db-events", &is_stopping, &health));
        assert_eq!(health.level(), None);
    }
}
