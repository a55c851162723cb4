//! Scripts that somebody tries out, each trial in a thread of its own.
//!
//! A script that does not come back must not keep whoever waits for it, nor the threads that answer
//! requests. As with the workers, the thread is given up at the lowest priority, and there are only so
//! many.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use rt::clock::Clock;
use rt::metrics::Counter;
use rt::priority::ThreadId;
use rt::task::Tasks;
use script::{Engine, Limits, Script, TIMEOUT};
use script::{NoScripts, Scripts};
use tracing::{error, warn};

use super::{GRACE, WorkerMetrics};
use crate::server::script_host::{Outgoing, ScriptHost};

/// Threads that were given up and still run; with as many no script is tried out.
const STUCK_MAX: usize = 4;

type Outcome = Result<Option<String>, String>;

/// Makes what tries scripts out.
#[derive(Clone)]
pub(in crate::server) struct Apart {
    pub(in crate::server) limits: Limits,
    pub(in crate::server) outgoing: Outgoing,
    pub(in crate::server) clock: Clock,
    pub(in crate::server) metrics: WorkerMetrics,
    /// Where the threads live; its shutdown ends them.
    pub(in crate::server) tasks: Tasks,
    pub(in crate::server) n_stuck: Arc<AtomicUsize>,
}

impl Apart {
    /// Runs scripts one after the other.
    pub(in crate::server) fn scripts(&self) -> ApartScripts {
        ApartScripts { of: self.clone(), thread: None }
    }

    fn thread(&self) -> Result<Thread, String> {
        if STUCK_MAX <= self.n_stuck.load(Ordering::Relaxed) {
            return Err("the script is not run: too many scripts do not end".to_owned());
        }
        let (to, jobs) = mpsc::sync_channel(1);
        let (told, from) = mpsc::sync_channel(1);
        let (tell_id, id) = mpsc::sync_channel(1);
        let (of, is_given_up) = (self.clone(), Arc::new(AtomicBool::new(false)));
        let given_up = Arc::clone(&is_given_up);
        let work = move || {
            // Who asks waits for it.
            tell_id.send(ThreadId::own()).ok();
            of.work(&jobs, &told);
            if given_up.load(Ordering::Relaxed) {
                of.n_stuck.fetch_sub(1, Ordering::Relaxed);
                of.metrics.stuck_trials.add(-1.0);
            }
        };
        self.tasks.thread("script-trial", work).map_err(|it| it.to_string())?;
        let id = id.recv().map_err(|it| it.to_string())?;
        Ok(Thread { to, from, id, is_given_up })
    }

    fn work(&self, jobs: &Receiver<(Script, String)>, told: &SyncSender<Outcome>) {
        let (clock, stop) = (self.clock.clone(), self.tasks.shutdown().clone());
        // Of messages that find no room in the log nobody asks: the trial ends with its answer.
        let host = ScriptHost::new(clock, stop, self.outgoing.clone(), Counter::default());
        let mut scripts: Box<dyn Scripts> = match Engine::new(self.limits, Box::new(host)) {
            Ok(engine) => Box::new(engine),
            Err(error) => {
                warn!(error, "a script cannot be tried out");
                Box::new(NoScripts)
            }
        };
        while let Ok((script, value)) = jobs.recv() {
            if told.send(scripts.run(&script, &value)).is_err() {
                return;
            }
        }
    }
}

struct Thread {
    to: SyncSender<(Script, String)>,
    from: Receiver<Outcome>,
    id: ThreadId,
    is_given_up: Arc<AtomicBool>,
}

impl Thread {
    fn run(
        &self,
        script: &Script,
        value: &str,
        time: Duration,
    ) -> Result<Outcome, RecvTimeoutError> {
        let sent = self.to.send((script.clone(), value.to_owned()));
        sent.map_err(|_ended| RecvTimeoutError::Disconnected)?;
        self.from.recv_timeout(time)
    }
}

/// The scripts of one trial.
pub(in crate::server) struct ApartScripts {
    of: Apart,
    /// Begun with the first script.
    thread: Option<Thread>,
}

impl Scripts for ApartScripts {
    fn run(&mut self, script: &Script, value: &str) -> Outcome {
        let thread = match self.thread.take() {
            Some(it) => it,
            None => self.of.thread()?,
        };
        match thread.run(script, value, self.of.limits.time.saturating_add(GRACE)) {
            Ok(outcome) => {
                self.thread = Some(thread);
                outcome
            }
            Err(RecvTimeoutError::Timeout) => {
                error!("a script that is tried out does not come back");
                self.of.n_stuck.fetch_add(1, Ordering::Relaxed);
                self.of.metrics.stuck_trials.add(1.0);
                self.of.metrics.given_up_total.inc();
                thread.is_given_up.store(true, Ordering::Relaxed);
                if let Err(error) = thread.id.step_back() {
                    warn!(%error, "it keeps its priority");
                }
                Err(TIMEOUT.to_owned())
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err("internal error while running the script".to_owned())
            }
        }
    }
}
