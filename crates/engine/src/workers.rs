//! Threads for steps that take too long for a shard: scripts, and long texts.
//!
//! Workers take jobs from the lines of the [`board`] and send the answers to the shards' internal
//! queues. Each worker has its own script engine. A shard never waits for a worker: a job that finds
//! no room stays with its shard, whose pending values are bounded by the pipeline.
//!
//! A script is stopped by its engine. Should a worker not come back all the same (a loop within the
//! engine itself that asks for nothing), the watcher answers its job, gives the thread up, at the
//! lowest priority, and starts another one.

pub mod apart;
pub mod board;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use pipeline::{HeavyDone, HeavyJob};
use preprocess::StepError;
use rt::clock::Clock;
use rt::metrics::{Counter, Family, Gauge, Registry, TimeHistogram};
use rt::priority::ThreadId;
use rt::task::{TaskError, Tasks};
use script::NoScripts;
use script::{Engine, Host, Limits, TIMEOUT};
use tracing::{error, warn};

pub use apart::{Apart, ApartScripts, Fault};
pub use board::Board;
use board::{Current, Role, Turn, WorkerId};

use crate::mailboxes::{Internal, Mailboxes};

/// Workers look this often whether the process ends.
const POLL: Duration = Duration::from_millis(200);
/// The watcher looks this often.
const WATCH: Duration = Duration::from_millis(200);
/// Beyond its time limit a script may take this long until its thread is given up.
const GRACE: Duration = Duration::from_secs(2);
/// Other jobs have no limit of their own; after this time their thread is given up.
const OTHER: Duration = Duration::from_secs(30);

rt::metrics! {
    /// Workers for scripts and long texts.
    pub struct WorkerMetrics in "saker_worker" {
        /// Workers that have a job.
        pub busy: Gauge,
        /// Nanoseconds of work of all workers.
        pub busy_ns_total: Counter,
        /// Jobs done, failed ones included.
        pub jobs_total: Counter,
        /// Steps that failed in a worker.
        pub failed_total: Counter,
        /// Scripts that took longer than they may.
        pub timeouts_total: Counter,
        /// Threads that did not come back and were given up.
        pub given_up_total: Counter,
        /// Threads of these that still run, at the lowest priority.
        pub stuck: Gauge,
        /// The same for scripts of items, and those that somebody tried out.
        pub stuck_trials: Gauge,
        /// Scripts that were not run because such threads still run them, or were too many.
        pub refused_total: Counter,
        /// Spare workers that came because all others were held.
        pub spares_total: Counter,
        /// Jobs that wait, by line: of items that are quick, slow, or new.
        pub waiting: Family<Gauge> = "line",
        /// How long the oldest job of a line has been waiting, in seconds.
        pub oldest_wait_seconds: Family<Gauge> = "line",
        /// How long jobs waited until a worker took them, in seconds, by line.
        pub wait_seconds: Family<TimeHistogram> = "line",
        /// Messages of scripts that were too many for the log.
        pub messages_dropped_total: Counter,
        /// Time of one job, in seconds.
        pub job_seconds: TimeHistogram,
    }
}

/// Makes what the scripts of one thread ask of the world; messages that find no room in the log are
/// counted there.
pub type NewHost = Arc<dyn Fn(&Counter) -> Box<dyn Host> + Send + Sync>;

/// Everything that workers share.
#[derive(Clone)]
pub struct Workers {
    pub board: Arc<Board>,
    pub mailboxes: Mailboxes,
    pub limits: Limits,
    pub new_host: NewHost,
    pub clock: Clock,
    pub metrics: WorkerMetrics,
    /// Where the threads live; its shutdown ends them.
    pub tasks: Tasks,
}

opaque_debug!(Workers);

/// The lines of `n` workers.
pub fn board(
    n: usize,
    limits: Limits,
    (clock, metrics): (&Clock, &WorkerMetrics),
    registry: &Registry,
) -> Arc<Board> {
    let times = (limits.time.saturating_add(GRACE), OTHER);
    Board::new(n, times, (clock.clone(), metrics.clone()), registry)
}

impl Workers {
    /// Starts the workers and their watcher.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub fn start(self) -> Result<(), TaskError> {
        for number in 0..self.board.n_workers() {
            self.worker(u64::try_from(number).unwrap_or(u64::MAX), Role::Base)?;
        }
        let tasks = self.tasks.clone();
        tasks.thread("worker-watch", move || self.watch())
    }

    fn worker(&self, id: WorkerId, role: Role) -> Result<(), TaskError> {
        let of = self.clone();
        self.tasks.thread(&format!("worker-{id}"), move || of.work(id, role))
    }

    /// Does jobs until the process ends, this thread is given up, or a spare has nothing to do.
    fn work(&self, id: WorkerId, role: Role) {
        let own = (id, role, ThreadId::own());
        let mut engine = None;
        while !self.tasks.shutdown().is_cancelled() {
            let job = match self.board.take(own, POLL) {
                Turn::Work(it) => it,
                Turn::Refuse(shard, job, why) => {
                    self.answer(shard, job.failed(why));
                    continue;
                }
                Turn::Nothing if role == Role::Base => continue,
                Turn::Nothing => return self.board.spare_ends(),
            };
            let done = self.run(&mut engine, &job);
            // Else somebody has answered it and this thread is replaced.
            let Some(current) = self.board.finish(id) else { return };
            let spent_ns = current.spent_ns(self.clock.mono_ns());
            self.metrics.busy_ns_total.add(spent_ns);
            self.metrics.job_seconds.observe_ns(spent_ns);
            // Its waiting may have been cut short. The value is journaled as pending: the next start
            // does the job again.
            if !self.tasks.shutdown().is_cancelled() {
                self.answer(current.shard, HeavyDone { spent_ns, ..done });
            }
        }
    }

    fn run(&self, engine: &mut Option<Engine>, job: &HeavyJob) -> HeavyDone {
        if engine.is_none() {
            *engine = self.engine();
        }
        let done = catch_unwind(AssertUnwindSafe(|| match engine.as_mut() {
            Some(engine) => job.run(engine),
            None => job.run(&mut NoScripts),
        }));
        done.unwrap_or_else(|_| {
            // Whatever state it is in, nobody looks at it again, not even to drop it.
            std::mem::forget(engine.take());
            job.failed("internal error while processing the value")
        })
    }

    fn engine(&self) -> Option<Engine> {
        match Engine::new(self.limits, (self.new_host)(&self.metrics.messages_dropped_total)) {
            Ok(it) => Some(it),
            Err(error) => {
                error!(error, "a worker has no script engine");
                None
            }
        }
    }

    fn answer(&self, shard: u16, done: HeavyDone) {
        self.metrics.jobs_total.inc();
        for error in done.results.iter().filter_map(|it| it.as_ref().err()) {
            self.metrics.failed_total.inc();
            if matches!(error, StepError::Value(text) if text.contains(TIMEOUT)) {
                self.metrics.timeouts_total.inc();
            }
        }
        self.mailboxes.send(shard, Internal::HeavyDone(done));
    }

    /// Replaces threads that don't come back, and sends spares.
    fn watch(&self) {
        let n_workers = self.board.n_workers();
        let mut next_id = u64::try_from(n_workers).unwrap_or(u64::MAX);
        let (mut n_missing, mut new_id) = (0_usize, || {
            next_id = next_id.wrapping_add(1);
            next_id
        });
        while !self.tasks.shutdown().wait(WATCH) {
            while let Some(current) = self.board.take_over() {
                n_missing += usize::from(current.role == Role::Base);
                self.give_up(&current);
            }
            for _ in 0..std::mem::take(&mut n_missing) {
                if let Err(error) = self.worker(new_id(), Role::Base) {
                    error!(%error, "a worker is not replaced yet");
                    n_missing += 1;
                }
            }
            if self.board.wants_spare()
                && let Err(error) = self.worker(new_id(), Role::Spare)
            {
                error!(%error, "there is no spare worker");
                self.board.spare_ends();
            }
        }
    }

    fn give_up(&self, current: &Current) {
        if current.role == Role::Spare {
            self.board.spare_ends();
        }
        self.metrics.given_up_total.inc();
        error!(item = current.job.item.0, "a worker does not come back");
        if let Err(error) = current.thread.step_back() {
            warn!(%error, "a worker that does not come back keeps its priority");
        }
        let spent_ns = current.spent_ns(self.clock.mono_ns());
        self.answer(current.shard, HeavyDone { spent_ns, ..current.job.failed(TIMEOUT) });
    }
}

/// The next job, for tests.
#[cfg(test)]
pub fn next(board: &Board) -> Option<Arc<HeavyJob>> {
    let worker = (0, Role::Base, ThreadId::own());
    match board.take(worker, Duration::ZERO) {
        Turn::Work(job) => {
            board.finish(worker.0)?;
            Some(job)
        }
        Turn::Refuse(..) | Turn::Nothing => None,
    }
}
