//! Steps that take too long for a shard: scripts, and long texts.
//!
//! Workers take jobs from the [`job_queue`] and send the answers to the shards' mailboxes. Each
//! worker has a thread ([`crate::runner`]) and its own script engine. A shard never waits for a
//! worker: a job that finds no room stays with its shard, whose pending values are bounded by the
//! pipeline.
//!
//! A script is stopped by its engine. A loop within the engine itself asks for nothing, so that
//! scripts run in processes that can be killed until they have shown that they are quick
//! ([`quarantine`]). Should a worker not come back all the same, the watch answers its job, gives
//! the thread up, at the lowest priority, and starts another one.

mod engines;
pub mod isolated;
pub mod job_queue;
mod metrics;
mod outcome;
mod processes;
mod quarantine;
mod script_pool;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use pipeline::{HeavyDone, HeavyJob};
use preprocess::StepError;
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::priority::ThreadId;
use rt::shutdown::Shutdown;
use script::{Limits, NoScripts, Scripts, TIMEOUT};
use tracing::{error, warn};

pub use engines::{NewHost, NewScripts, StepEngines, engines};
pub use isolated::{IsolatedScripts, ScriptIsolation};
pub use job_queue::JobQueue;
pub use metrics::JobWorkerMetrics;
pub use outcome::ScriptFailure;
pub use processes::{
    ProcessMetrics, ProcessRunner, ProcessSettings, SCRIPT_WORKER_ROLE, ScriptProcesses,
};
pub use quarantine::Quarantine;
pub use script_pool::ScriptPool;

use engines::GRACE;
use job_queue::{Next, Role, RunningJob, WorkerId};

use crate::mailboxes::{Mailboxes, Outbox, ShardMessage};
use crate::turn::Turn;

/// The interval between two checks for workers that do not return.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);
/// Other jobs have no limit of their own; after this time their thread is given up.
const OTHER: Duration = Duration::from_secs(30);

/// Everything that workers share.
#[derive(Clone)]
pub struct WorkerParts {
    pub jobs: Arc<JobQueue>,
    pub mailboxes: Mailboxes,
    pub new_scripts: NewScripts,
    pub clock: Clock,
    pub metrics: JobWorkerMetrics,
    /// Ends the workers.
    pub shutdown: Shutdown,
}

opaque_debug!(WorkerParts);

/// The job queue of `n` workers.
pub fn job_queue(
    n: usize,
    limits: Limits,
    (clock, metrics): (&Clock, &JobWorkerMetrics),
    around: (&Registry, &Shutdown),
) -> Arc<JobQueue> {
    let times = (limits.time.saturating_add(GRACE), OTHER);
    JobQueue::new(n, times, (clock.clone(), metrics.clone()), around)
}

/// A worker that is to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewWorker {
    pub id: WorkerId,
    pub role: Role,
}

impl WorkerParts {
    /// The workers of the settings.
    pub fn base_workers(&self) -> impl Iterator<Item = NewWorker> + use<> {
        let n_workers = u64::try_from(self.jobs.n_workers()).unwrap_or(u64::MAX);
        (0..n_workers).map(|id| NewWorker { id, role: Role::Base })
    }

    fn answer(&self, answers: &mut Outbox, shard: u16, done: HeavyDone) {
        self.metrics.jobs_total.inc();
        for error in done.results.iter().filter_map(|it| it.as_ref().err()) {
            self.metrics.failed_total.inc();
            if matches!(error, StepError::Value(text) if text.contains(TIMEOUT)) {
                self.metrics.timeouts_total.inc();
            }
        }
        answers.push(shard, ShardMessage::HeavyDone(done));
    }
}

/// One worker, which takes a job, runs it and answers. It is made on its own thread.
pub struct JobWorker {
    parts: WorkerParts,
    this: NewWorker,
    thread: Option<ThreadId>,
    scripts: Option<Box<dyn Scripts>>,
    answers: Outbox,
}

opaque_debug!(JobWorker);

impl JobWorker {
    /// `thread` is the one to be given up should the worker not come back, if it has one of its own.
    #[must_use]
    pub fn new(parts: WorkerParts, this: NewWorker, thread: Option<ThreadId>) -> Self {
        let answers = Outbox::new(parts.mailboxes.clone());
        Self { parts, this, thread, scripts: None, answers }
    }

    /// Does one job, for which it waits `wait_max` at most, or until [`JobQueue::close`]. It has
    /// ended with the process, once another one is in its place, or as a spare that has nothing to
    /// do.
    pub fn turn(&mut self, wait_max: Duration) -> Turn {
        match self.take(wait_max) {
            Ok(job) => {
                let done = self.run(&job);
                self.answer(done)
            }
            Err(turn) => turn,
        }
    }

    /// Takes a job, for which it waits `wait_max` at most.
    ///
    /// # Errors
    /// There is none to run now: the turn to take instead.
    pub fn take(&mut self, wait_max: Duration) -> Result<Arc<HeavyJob>, Turn> {
        if self.parts.shutdown.is_cancelled() {
            return Err(Turn::Ended);
        }
        if !self.answers.flush() {
            return Err(Turn::Full);
        }
        match self.parts.jobs.take((self.this.id, self.this.role, self.thread), wait_max) {
            Next::Work(job) => Ok(job),
            Next::Nothing if self.this.role == Role::Base => Err(Turn::Idle(wait_max)),
            Next::Nothing => {
                self.parts.jobs.spare_ends();
                Err(Turn::Ended)
            }
        }
    }

    /// Runs the job that it took.
    pub fn run(&mut self, job: &HeavyJob) -> HeavyDone {
        if self.scripts.is_none() {
            self.scripts = self.new_scripts();
        }
        let done = catch_unwind(AssertUnwindSafe(|| match self.scripts.as_deref_mut() {
            Some(scripts) => job.run(scripts),
            None => job.run(&mut NoScripts),
        }));
        done.unwrap_or_else(|_| {
            // Its state may be inconsistent: it is not used again, not even to drop it.
            std::mem::forget(self.scripts.take());
            job.failed("internal error while processing the value")
        })
    }

    /// Answers the job that it took.
    pub fn answer(&mut self, done: HeavyDone) -> Turn {
        // Else it was answered already and this worker is replaced.
        let Some(current) = self.parts.jobs.finish(self.this.id) else { return Turn::Ended };
        let spent_ns = current.spent_ns(self.parts.clock.mono_ns());
        self.parts.metrics.busy_ns_total.add(spent_ns);
        self.parts.metrics.job_seconds.observe_ns(spent_ns);
        // Its waiting may have been cut short. The value is journaled as pending: the next start
        // does the job again.
        if self.parts.shutdown.is_cancelled() {
            return Turn::Ended;
        }
        let done = HeavyDone { spent_ns, ..done };
        self.parts.answer(&mut self.answers, current.shard, done);
        if self.answers.flush() { Turn::More } else { Turn::Full }
    }

    fn new_scripts(&self) -> Option<Box<dyn Scripts>> {
        match (self.parts.new_scripts)() {
            Ok(it) => Some(it),
            Err(error) => {
                error!(error, "a worker has no script engine");
                None
            }
        }
    }
}

/// Replaces workers that do not come back, and sends spares.
pub struct WorkerWatch {
    parts: WorkerParts,
    next_id: WorkerId,
    n_missing: usize,
    answers: Outbox,
}

opaque_debug!(WorkerWatch);

impl WorkerWatch {
    #[must_use]
    pub fn new(parts: WorkerParts) -> Self {
        let next_id = u64::try_from(parts.jobs.n_workers()).unwrap_or(u64::MAX);
        let answers = Outbox::new(parts.mailboxes.clone());
        Self { parts, next_id, n_missing: 0, answers }
    }

    /// One check; `start` is called with each worker to be started.
    pub fn turn<E: Display>(&mut self, start: impl Fn(NewWorker) -> Result<(), E>) -> Turn {
        if self.parts.shutdown.is_cancelled() {
            self.parts.jobs.close();
            return Turn::Ended;
        }
        while let Some(current) = self.parts.jobs.take_overdue() {
            self.n_missing += usize::from(current.role == Role::Base);
            self.give_up(&current);
        }
        for _ in 0..std::mem::take(&mut self.n_missing) {
            let next = self.next(Role::Base);
            if let Err(error) = start(next) {
                error!(%error, "a worker is not replaced yet");
                self.n_missing += 1;
            }
        }
        if self.parts.jobs.wants_spare() {
            let next = self.next(Role::Spare);
            if let Err(error) = start(next) {
                error!(%error, "there is no spare worker");
                self.parts.jobs.spare_ends();
            }
        }
        if self.answers.flush() { Turn::Idle(WATCH_INTERVAL) } else { Turn::Full }
    }

    /// Until the next turn, which is after this time. While no job is under way there is nothing to see.
    pub fn wait(&self, time: Duration) {
        if self.n_missing == 0 {
            self.parts.jobs.wait_for_work();
        }
        // The next turn sees the shutdown.
        _ = self.parts.shutdown.wait(time);
    }

    fn next(&mut self, role: Role) -> NewWorker {
        self.next_id = self.next_id.wrapping_add(1);
        NewWorker { id: self.next_id, role }
    }

    fn give_up(&mut self, current: &RunningJob) {
        if current.role == Role::Spare {
            self.parts.jobs.spare_ends();
        }
        self.parts.metrics.given_up_total.inc();
        error!(item = current.job.item.0, "a worker does not return");
        if let Some(Err(error)) = current.thread.map(ThreadId::step_back) {
            warn!(%error, "a worker that does not return keeps its priority");
        }
        let spent_ns = current.spent_ns(self.parts.clock.mono_ns());
        let done = HeavyDone { spent_ns, ..current.job.failed(TIMEOUT) };
        self.parts.answer(&mut self.answers, current.shard, done);
    }
}

/// The next job, for tests.
#[cfg(test)]
pub fn next(jobs: &JobQueue) -> Option<Arc<HeavyJob>> {
    let worker = (0, Role::Base, None);
    match jobs.take(worker, Duration::ZERO) {
        Next::Work(job) => {
            jobs.finish(worker.0)?;
            Some(job)
        }
        Next::Nothing => None,
    }
}

#[cfg(test)]
mod tests;
