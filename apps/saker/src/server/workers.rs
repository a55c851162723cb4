//! Threads for steps that take too long for a shard: scripts, and long texts.
//!
//! A fixed number of workers takes jobs from one bounded queue and sends the answers to the shards'
//! internal queues. Each worker has its own script engine. A shard never waits for a worker: a job
//! that finds no room stays with its shard, whose pending values are bounded by the pipeline.
//!
//! A script is stopped by its engine. Should a worker not come back all the same (a loop within the
//! engine itself that asks for nothing), the watcher answers its job, gives the thread up and starts
//! another one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lang::preprocess::{NoScripts, Scripts, StepError};
use lang::script::{Engine, Limits, TIMEOUT};
use pipeline::{HeavyDone, HeavyJob};
use rt::clock::{self, Clock};
use rt::metrics::{Counter, Gauge, TimeHistogram};
use rt::queue::{ReceiveError, Receiver};
use rt::shutdown::Shutdown;
use rt::task::{TaskError, Tasks};
use tracing::error;

use super::script_host::ScriptHost;
use super::shard::{Internal, Lanes};
use crate::settings::Script;

/// Jobs waiting for a worker; shards keep what finds no room.
pub(super) const JOBS_MAX: usize = 1_024;
/// Workers look this often whether the process ends.
const POLL: Duration = Duration::from_millis(200);
/// The watcher looks this often.
const WATCH: Duration = Duration::from_secs(1);
/// Beyond the time limit of its scripts a job may take this long until its thread is given up.
const GRACE: Duration = Duration::from_secs(10);
/// Threads that were given up and still run; with as many, none is replaced any more.
const GIVEN_UP_MAX: usize = 16;

rt::metrics! {
    /// Workers for scripts and long texts.
    pub(crate) struct WorkerMetrics in "saker_worker" {
        /// Workers that have a job.
        pub(crate) busy: Gauge,
        /// Nanoseconds of work of all workers.
        pub(crate) busy_ns_total: Counter,
        /// Jobs done, failed ones included.
        pub(crate) jobs_total: Counter,
        /// Steps that failed in a worker.
        pub(crate) failed_total: Counter,
        /// Scripts that took longer than they may.
        pub(crate) timeouts_total: Counter,
        /// Threads that did not come back and were given up.
        pub(crate) given_up_total: Counter,
        /// Messages of scripts that were too many for the log.
        pub(crate) messages_dropped_total: Counter,
        /// Time of one job, in seconds.
        pub(crate) job_seconds: TimeHistogram,
    }
}

/// Makes an engine for trying out steps, outside of the workers.
pub(super) type EngineMaker = Box<dyn Fn() -> Box<dyn Scripts> + Send + Sync>;

pub(super) fn engines(settings: &Script, clock: &Clock, stop: &Shutdown) -> EngineMaker {
    let (limits, tls_verify) = (settings.limits(), settings.tls_verify);
    let (clock, stop) = (clock.clone(), stop.clone());
    Box::new(move || {
        let host = ScriptHost::new(clock.clone(), stop.clone(), tls_verify, Counter::default());
        match Engine::new(limits, Box::new(host)) {
            Ok(it) => Box::new(it),
            Err(_no_memory) => Box::new(NoScripts),
        }
    })
}

/// What one worker is at.
#[derive(Default)]
struct Slot(Mutex<Option<Current>>);

struct Current {
    shard: u16,
    job: Arc<HeavyJob>,
    /// When the thread is given up.
    until_ns: u64,
}

impl Slot {
    fn begin(&self, current: Current) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(current);
    }

    /// The job, unless somebody answered it already.
    fn end(&self) -> Option<Current> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The job, if it takes too long.
    fn take_over(&self, now_ns: u64) -> Option<Current> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_some_and(|it| it.until_ns < now_ns) { current.take() } else { None }
    }
}

/// Everything that workers share.
#[derive(Clone)]
pub(super) struct Workers {
    pub(super) jobs: Receiver<(u16, HeavyJob)>,
    pub(super) lanes: Lanes,
    pub(super) limits: Limits,
    pub(super) tls_verify: bool,
    pub(super) clock: Clock,
    pub(super) metrics: WorkerMetrics,
    /// Where the threads live; its shutdown ends them.
    pub(super) tasks: Tasks,
    n_given_up: Arc<AtomicUsize>,
}

impl Workers {
    pub(super) fn new(
        jobs: Receiver<(u16, HeavyJob)>,
        lanes: Lanes,
        (limits, tls_verify): (Limits, bool),
        (clock, metrics, tasks): (Clock, WorkerMetrics, Tasks),
    ) -> Self {
        let n_given_up = Arc::default();
        Self { jobs, lanes, limits, tls_verify, clock, metrics, tasks, n_given_up }
    }

    /// Starts `n` workers and their watcher.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub(super) fn start(&self, n: usize) -> Result<(), TaskError> {
        let slots = (0..n).map(|it| self.worker(it)).collect::<Result<Vec<_>, _>>()?;
        let watcher = self.clone();
        self.tasks.thread("worker-watch", move || watcher.watch(slots))
    }

    fn worker(&self, number: usize) -> Result<Arc<Slot>, TaskError> {
        let slot: Arc<Slot> = Arc::default();
        let (of, own) = (self.clone(), Arc::clone(&slot));
        self.tasks.thread(&format!("worker-{number}"), move || of.work(&own))?;
        Ok(slot)
    }

    /// Does jobs until the process ends, or this thread is given up.
    fn work(&self, slot: &Slot) {
        let mut engine = None;
        while !self.tasks.shutdown().is_cancelled() {
            let (shard, job) = match self.jobs.receive_timeout(POLL) {
                Ok(it) => it,
                Err(ReceiveError::Empty) => continue,
                Err(ReceiveError::Closed) => return,
            };
            let (job, started_ns) = (Arc::new(job), self.clock.mono_ns());
            let until_ns = started_ns.saturating_add(self.longest_ns(&job));
            slot.begin(Current { shard, job: Arc::clone(&job), until_ns });
            self.metrics.busy.add(1.0);
            let done = self.run(&mut engine, &job);
            self.metrics.busy.add(-1.0);
            if slot.end().is_none() {
                self.n_given_up.fetch_sub(1, Ordering::Relaxed);
                return;
            }
            let spent_ns = self.clock.mono_ns().saturating_sub(started_ns);
            self.metrics.busy_ns_total.add(spent_ns);
            self.metrics.job_seconds.observe_ns(spent_ns);
            // Its waiting may have been cut short. The value is journaled as pending: the next start
            // does the job again.
            if !self.tasks.shutdown().is_cancelled() {
                self.answer(shard, done);
            }
        }
    }

    fn longest_ns(&self, job: &HeavyJob) -> u64 {
        let is_script = |it: &&pipeline::HeavyTask| {
            it.steps.get(it.step).is_some_and(|step| step.script().is_some())
        };
        let n = u64::try_from(job.tasks.iter().filter(is_script).count()).unwrap_or(u64::MAX);
        clock::nanos(self.limits.time).saturating_mul(n).saturating_add(clock::nanos(GRACE))
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
        let host = ScriptHost::new(
            self.clock.clone(),
            self.tasks.shutdown().clone(),
            self.tls_verify,
            self.metrics.messages_dropped_total.clone(),
        );
        match Engine::new(self.limits, Box::new(host)) {
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
        self.lanes.send(shard, Internal::HeavyDone(done));
    }

    /// Replaces threads that don't come back.
    fn watch(&self, mut slots: Vec<Arc<Slot>>) {
        while !self.tasks.shutdown().wait(WATCH) {
            let now_ns = self.clock.mono_ns();
            for (number, slot) in slots.iter_mut().enumerate() {
                let Some(current) = slot.take_over(now_ns) else { continue };
                self.metrics.given_up_total.inc();
                error!(item = current.job.item.0, worker = number, "a worker does not come back");
                self.answer(current.shard, current.job.failed(TIMEOUT));
                if self.n_given_up.fetch_add(1, Ordering::Relaxed) >= GIVEN_UP_MAX {
                    error!(worker = number, "too many workers are stuck: it is not replaced");
                    continue;
                }
                match self.worker(number) {
                    Ok(fresh) => *slot = fresh,
                    Err(error) => error!(%error, "a worker is not replaced"),
                }
            }
        }
    }
}
