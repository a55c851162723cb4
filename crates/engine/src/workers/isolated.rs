//! Scripts isolated from the steps of values: those that users test, and those of items. A caller
//! has a thread with an engine for as long.
//!
//! A script that does not return must not block its caller, nor the threads that answer requests.
//! So the engine stands in a process of its own, which is killed ([`super::processes`]), and the
//! thread only does what the script asks of the world. Where there are no processes the engine is
//! in the thread; one that does not come back is given up at the lowest priority, as with the
//! workers, and there are only so many.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use rt::priority::ThreadId;
use rt::task::Tasks;
use script::{Engine, Limits, Script, Scripts, TIMEOUT};
use tracing::{error, warn};

use super::engines::{GRACE, NewHost};
use super::metrics::JobWorkerMetrics;
use super::outcome::{Outcome, ScriptFailure};
use super::processes::{AROUND_MAX, ProcessRunner, ScriptProcesses};

/// The most threads that were given up and still run. When it is reached, scripts are refused.
const STUCK_MAX: usize = 4;
/// The error that users get when there are that many.
pub(super) const TOO_MANY_STUCK: &str = "the script is not run: too many scripts do not end";

/// A script to be run.
struct Job {
    script: Script,
    value: String,
    time: Duration,
}

/// Makes what runs scripts.
#[derive(Clone)]
pub struct ScriptIsolation {
    /// Of the threads.
    pub name: &'static str,
    pub limits: Limits,
    pub new_host: NewHost,
    pub metrics: JobWorkerMetrics,
    /// Where the threads live; its shutdown ends them.
    pub tasks: Tasks,
    pub n_stuck: Arc<AtomicUsize>,
    /// Where the engines are; `None`: in the threads.
    pub processes: Option<ScriptProcesses>,
}

opaque_debug!(ScriptIsolation);

impl ScriptIsolation {
    /// Runs scripts one after the other.
    pub fn scripts(&self) -> IsolatedScripts {
        IsolatedScripts { of: self.clone(), thread: None }
    }

    fn thread(&self) -> Result<Thread, ScriptFailure> {
        let failed = |error: String| ScriptFailure::Environment(error);
        self.admit()?;
        let (to, jobs) = mpsc::sync_channel(1);
        let (outcomes, from) = mpsc::sync_channel(1);
        let (send_id, id) = mpsc::sync_channel(1);
        let (of, is_given_up) = (self.clone(), Arc::new(AtomicBool::new(false)));
        let given_up = Arc::clone(&is_given_up);
        let work = move || {
            // The caller waits for it.
            send_id.send(ThreadId::own()).ok();
            of.work(&jobs, &outcomes);
            if given_up.load(Ordering::Relaxed) {
                of.came_back();
            }
        };
        self.tasks.thread(self.name, work).map_err(|it| failed(it.to_string()))?;
        let id = id.recv().map_err(|it| failed(it.to_string()))?;
        Ok(Thread { to, from, id, is_given_up })
    }

    /// Another thread may begin.
    ///
    /// # Errors
    /// If too many were given up that still run.
    pub(super) fn admit(&self) -> Result<(), ScriptFailure> {
        if STUCK_MAX <= self.n_stuck.load(Ordering::Relaxed) {
            return Err(ScriptFailure::Environment(TOO_MANY_STUCK.to_owned()));
        }
        Ok(())
    }

    /// No caller waits for a thread any more: it gets the processor time that others leave.
    pub(super) fn give_up(&self, thread: ThreadId) {
        error!(thread = self.name, "a script does not return");
        self.n_stuck.fetch_add(1, Ordering::Relaxed);
        self.metrics.stuck_trials.add(1.0);
        self.metrics.given_up_total.inc();
        if let Err(error) = thread.step_back() {
            warn!(%error, "it keeps its priority");
        }
    }

    /// A thread that was given up ends.
    pub(super) fn came_back(&self) {
        self.n_stuck.fetch_sub(1, Ordering::Relaxed);
        self.metrics.stuck_trials.add(-1.0);
    }

    fn work(&self, jobs: &Receiver<Job>, outcomes: &SyncSender<Outcome>) {
        let mut runner = self.runner();
        while let Ok(Job { script, value, time }) = jobs.recv() {
            if outcomes.send(runner.run(&script, &value, time)).is_err() {
                return;
            }
        }
    }

    /// A runner of scripts, for the thread that it is made on.
    pub(super) fn runner(&self) -> Runner {
        let host = (self.new_host)(&self.metrics.messages_dropped_total);
        match &self.processes {
            Some(it) => Runner::Process(it.runner(&self.limits, host)),
            None => Runner::Thread(Engine::new(self.limits, host)),
        }
    }

    /// A script that may take this long has come back by then, or its thread is given up.
    pub(super) fn come_back_within(&self, time: Duration) -> Duration {
        match self.processes {
            // Waiting for a place may take as long again.
            Some(_) => time.saturating_mul(2).saturating_add(AROUND_MAX),
            None => time.saturating_add(GRACE),
        }
    }
}

/// Runs the scripts of one thread.
pub(super) enum Runner {
    Thread(Result<Engine, String>),
    Process(ProcessRunner),
}

impl Runner {
    pub(super) fn run(&mut self, script: &Script, value: &str, time: Duration) -> Outcome {
        match self {
            Self::Process(runner) => runner.run(script, value, time),
            Self::Thread(Ok(engine)) => {
                engine.set_time(time);
                Ok(engine.execute(script, value)?)
            }
            Self::Thread(Err(error)) => Err(ScriptFailure::Environment(error.clone())),
        }
    }
}

struct Thread {
    to: SyncSender<Job>,
    from: Receiver<Outcome>,
    id: ThreadId,
    is_given_up: Arc<AtomicBool>,
}

impl Thread {
    fn run(&self, job: Job, time: Duration) -> Result<Outcome, RecvTimeoutError> {
        self.to.send(job).map_err(|_ended| RecvTimeoutError::Disconnected)?;
        self.from.recv_timeout(time)
    }
}

/// One thread that runs scripts.
pub struct IsolatedScripts {
    of: ScriptIsolation,
    /// Begun with the first script.
    thread: Option<Thread>,
}

opaque_debug!(IsolatedScripts);

impl IsolatedScripts {
    /// As [`Scripts::run`], within this time.
    pub fn run_within(&mut self, script: &Script, value: &str, time: Duration) -> Outcome {
        let thread = match self.thread.take() {
            Some(it) => it,
            None => self.of.thread()?,
        };
        let job = Job { script: script.clone(), value: value.to_owned(), time };
        match thread.run(job, self.of.come_back_within(time)) {
            Ok(outcome) => {
                self.thread = Some(thread);
                outcome
            }
            Err(RecvTimeoutError::Timeout) => {
                thread.is_given_up.store(true, Ordering::Relaxed);
                self.of.give_up(thread.id);
                Err(ScriptFailure::Execute(TIMEOUT.to_owned()))
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(ScriptFailure::Execute("internal error while running the script".to_owned()))
            }
        }
    }
}

impl Scripts for IsolatedScripts {
    fn run(&mut self, script: &Script, value: &str) -> Result<Option<String>, String> {
        self.run_within(script, value, self.of.limits.time).map_err(ScriptFailure::into_text)
    }
}
