//! Assignment of jobs to workers.
//!
//! Jobs wait in a queue for each [`JobClass`] of their items. Those of items that are slow, or
//! unknown yet, may hold all workers but one, so that the quick ones always find a worker soon;
//! within that the classes take turns, so that none starves. With one worker they take turns only.
//!
//! Quick items may become slow, and many may do so at once. So while a worker is held for longer
//! than a quick job takes and new or quick ones wait, spare workers come, a few, and go again.
//!
//! Threads that do not come back ([`JobQueue::take_overdue`]) are remembered as long as they run, so that
//! the script that holds one does not hold a second, and only so many are held at all.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use pipeline::{HeavyJob, JobClass};
use rt::clock::{self, Clock};
use rt::metrics::Registry;
use rt::priority::ThreadId;
use rt::shutdown::Shutdown;
use script::Script;

use super::metrics::JobWorkerMetrics;

/// The most waiting jobs of one class. When it is reached, shards keep further ones.
const JOBS_MAX: usize = 1_024;
/// The most workers in addition to those of the settings.
const SPARES_MAX: usize = 4;
/// A job that runs longer, or waits this long for a held worker, starts a spare.
const LONG_NS: u64 = 1_000_000_000;
/// How classes are called in metrics.
const NAMES: [&str; JobClass::N] = ["new", "quick", "slow"];

/// Names a thread, spares included.
pub type WorkerId = u64;

/// A worker's kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Base,
    Spare,
}

/// One job under way.
#[derive(Debug)]
pub struct RunningJob {
    pub shard: u16,
    pub job: Arc<HeavyJob>,
    /// If it has one of its own.
    pub thread: Option<ThreadId>,
    pub role: Role,
    started_ns: u64,
    /// When the thread is given up.
    until_ns: u64,
}

impl RunningJob {
    pub fn spent_ns(&self, now_ns: u64) -> u64 {
        now_ns.saturating_sub(self.started_ns)
    }
}

/// The next task of a worker.
#[derive(Debug)]
pub enum Next {
    Work(Arc<HeavyJob>),
    /// There was nothing to do.
    Nothing,
}

struct WaitingJob {
    since_ns: u64,
    shard: u16,
    job: Arc<HeavyJob>,
}

#[derive(Default)]
struct JobQueueState {
    classes: [VecDeque<WaitingJob>; JobClass::N],
    /// The class that was served last.
    last: usize,
    busy: BTreeMap<WorkerId, RunningJob>,
    n_spares: usize,
    /// Threads that were given up.
    stuck: BTreeSet<WorkerId>,
    /// The process ends: no worker waits for a job any more.
    is_closed: bool,
}

/// The waiting jobs and the workers. One for the process.
pub struct JobQueue {
    state: Mutex<JobQueueState>,
    changed: Condvar,
    /// The watch sleeps on it while no job is under way.
    watch: Shutdown,
    n_busy: AtomicUsize,
    n_workers: usize,
    /// Time that one script may take, with what its thread may need to come back.
    script_ns: u64,
    /// Time that other jobs may take.
    other_ns: u64,
    clock: Clock,
    metrics: JobWorkerMetrics,
}

opaque_debug!(JobQueue);

impl JobQueue {
    pub fn new(
        n_workers: usize,
        (script, other): (Duration, Duration),
        (clock, metrics): (Clock, JobWorkerMetrics),
        (registry, shutdown): (&Registry, &Shutdown),
    ) -> Arc<Self> {
        let jobs = Arc::new(Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            watch: shutdown.child(),
            n_busy: AtomicUsize::new(0),
            n_workers,
            script_ns: clock::nanos(script),
            other_ns: clock::nanos(other),
            clock,
            metrics,
        });
        let of: Weak<Self> = Arc::downgrade(&jobs);
        registry.add_probe(move || of.upgrade().is_some_and(|it| it.report()));
        jobs
    }

    fn lock(&self) -> MutexGuard<'_, JobQueueState> {
        // Nothing in here panics half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn n_workers(&self) -> usize {
        self.n_workers
    }

    /// Reports how many jobs wait, and for how long.
    fn report(&self) -> bool {
        let (state, now_ns) = (self.lock(), self.clock.mono_ns());
        for (class, name) in state.classes.iter().zip(NAMES) {
            self.metrics.waiting.of(name).set_n(class.len());
            let age_ns = class.front().map_or(0, |it| now_ns.saturating_sub(it.since_ns));
            self.metrics.oldest_wait_seconds.of(name).set(age_ns as f64 * 1e-9);
        }
        true
    }

    /// A job waits for a worker.
    ///
    /// # Errors
    /// The job, if its class is full.
    pub fn offer(&self, shard: u16, job: HeavyJob) -> Result<(), HeavyJob> {
        let mut state = self.lock();
        let class = &mut state.classes[job.class as usize];
        if JOBS_MAX <= class.len() {
            return Err(job);
        }
        class.push_back(WaitingJob { since_ns: self.clock.mono_ns(), shard, job: Arc::new(job) });
        // All: the one who is woken might not be one who may take it.
        self.changed.notify_all();
        Ok(())
    }

    /// The next job for a worker; waits a while for one, unless the process ends.
    pub fn take(&self, worker: (WorkerId, Role, Option<ThreadId>), patience: Duration) -> Next {
        let mut state = self.lock();
        let mut has_waited = false;
        loop {
            if let Some((waiting, class)) = state.next(worker.1, self.n_workers) {
                let job = self.begin(&mut state, worker, waiting, class);
                let is_first = state.busy.len() == 1;
                drop(state);
                if is_first {
                    self.watch.nudge();
                }
                return Next::Work(job);
            }
            if has_waited || state.is_closed {
                return Next::Nothing;
            }
            let woken = self.changed.wait_timeout(state, patience);
            let (kept, timeout) = woken.unwrap_or_else(PoisonError::into_inner);
            (state, has_waited) = (kept, timeout.timed_out());
        }
    }

    fn begin(
        &self,
        state: &mut JobQueueState,
        (id, role, thread): (WorkerId, Role, Option<ThreadId>),
        waiting: WaitingJob,
        class: usize,
    ) -> Arc<HeavyJob> {
        let (now_ns, WaitingJob { since_ns, shard, job }) = (self.clock.mono_ns(), waiting);
        self.metrics.wait_seconds.of(NAMES[class]).observe_ns(now_ns.saturating_sub(since_ns));
        let time_ns = if script_of(&job).is_some() { self.script_ns } else { self.other_ns };
        let until_ns = now_ns.saturating_add(time_ns);
        let job_of = Arc::clone(&job);
        let current = RunningJob { shard, job: job_of, thread, role, started_ns: now_ns, until_ns };
        state.busy.insert(id, current);
        self.busy_changed(state);
        job
    }

    fn busy_changed(&self, state: &JobQueueState) {
        self.n_busy.store(state.busy.len(), Ordering::Release);
        self.metrics.busy.set_n(state.busy.len());
    }

    /// For the watch: waits until a job is under way, or the process ends.
    pub fn wait_for_work(&self) {
        self.watch.wait_unless(None, || self.n_busy.load(Ordering::Acquire) != 0);
    }

    /// The process ends: workers that wait for a job do so no more.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// The worker has returned; `None`: its job was answered already.
    pub fn finish(&self, worker: WorkerId) -> Option<RunningJob> {
        let mut state = self.lock();
        state.stuck.remove(&worker);
        self.metrics.stuck.set_n(state.stuck.len());
        let current = state.busy.remove(&worker)?;
        self.busy_changed(&state);
        // Workers that could not take a slow job now may.
        self.changed.notify_all();
        Some(current)
    }

    /// A worker that does not come back.
    pub fn take_overdue(&self) -> Option<RunningJob> {
        let mut state = self.lock();
        let now_ns = self.clock.mono_ns();
        let (id, _) = state.busy.iter().find(|(_, it)| it.until_ns < now_ns)?;
        let id = *id;
        let current = state.busy.remove(&id)?;
        state.stuck.insert(id);
        self.busy_changed(&state);
        self.metrics.stuck.set_n(state.stuck.len());
        Some(current)
    }

    /// Whether one more worker should come; if so it counts.
    pub fn wants_spare(&self) -> bool {
        let mut state = self.lock();
        let now_ns = self.clock.mono_ns();
        let is_late = |since_ns: u64| LONG_NS < now_ns.saturating_sub(since_ns);
        let waits = |class: JobClass| {
            state.classes[class as usize].front().is_some_and(|it| is_late(it.since_ns))
        };
        let is_held = state.busy.values().any(|it| is_late(it.started_ns));
        let wants = state.n_spares < SPARES_MAX
            && is_held
            && (waits(JobClass::New) || waits(JobClass::Quick));
        if wants {
            state.n_spares += 1;
            self.metrics.spares_total.inc();
        }
        wants
    }

    /// A spare goes.
    pub fn spare_ends(&self) {
        let mut state = self.lock();
        state.n_spares = state.n_spares.saturating_sub(1);
    }
}

impl JobQueueState {
    /// The first of the classes that this worker may serve, in turns.
    fn next(&mut self, role: Role, n_workers: usize) -> Option<(WaitingJob, usize)> {
        let may_hold = n_workers.saturating_sub(1).max(1);
        let is_held = |it: &&RunningJob| it.role == Role::Base && it.job.class != JobClass::Quick;
        let has_room = self.busy.values().filter(is_held).count() < may_hold;
        let may = |class: usize| match role {
            Role::Base => has_room || class == JobClass::Quick as usize,
            Role::Spare => class != JobClass::Slow as usize,
        };
        let mut turns = (1..=JobClass::N).map(|it| (self.last + it) % JobClass::N);
        let class = turns.find(|it| may(*it) && !self.classes[*it].is_empty())?;
        self.last = class;
        Some((self.classes[class].pop_front()?, class))
    }
}

/// The script of a job; there is one at most.
fn script_of(job: &HeavyJob) -> Option<&Script> {
    job.tasks.iter().find_map(|it| Some(it.steps.get(it.step)?.script()?.as_ref()))
}

#[cfg(test)]
mod tests;
