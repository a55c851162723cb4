//! Engines for scripts of preprocessing: one for each worker, in its thread or in a process of its
//! own, and their requests to the outside.

use std::sync::Arc;
use std::time::Duration;

use rt::metrics::Counter;
use script::{Engine, Host, Limits, Script, Scripts, TIMEOUT};

use super::metrics::JobWorkerMetrics;
use super::outcome::ScriptFailure;
use super::processes::{ProcessRunner, ScriptProcesses};
use super::quarantine::{Quarantine, Ticket, Where};

/// Beyond its time limit a script may take this long until its thread is given up.
pub(super) const GRACE: Duration = Duration::from_secs(3);

/// Makes what the scripts of one thread ask of the world; messages that find no room in the log are
/// counted there.
pub type NewHost = Arc<dyn Fn(&Counter) -> Box<dyn Host> + Send + Sync>;
/// Makes what runs the scripts of one worker, on its thread.
pub type NewScripts = Arc<dyn Fn() -> Result<Box<dyn Scripts>, String> + Send + Sync>;

/// The parts of the engines of workers.
pub struct StepEngines {
    pub limits: Limits,
    pub new_host: NewHost,
    pub metrics: JobWorkerMetrics,
    /// Without any all scripts run in threads.
    pub processes: Option<ScriptProcesses>,
    pub quarantine: Quarantine,
}

opaque_debug!(StepEngines);

/// Script engines for workers.
#[must_use]
pub fn engines(of: StepEngines) -> NewScripts {
    let StepEngines { limits, new_host, metrics, processes, quarantine } = of;
    Arc::new(move || {
        let host = || new_host(&metrics.messages_dropped_total);
        Ok(Box::new(StepScripts {
            engine: Engine::new(limits, host())?,
            runner: processes.as_ref().map(|it| (it.runner(&limits, host()), it.clone())),
            quarantine: quarantine.clone(),
            limits,
            metrics: metrics.clone(),
        }))
    })
}

struct StepScripts {
    engine: Engine,
    runner: Option<(ProcessRunner, ScriptProcesses)>,
    quarantine: Quarantine,
    limits: Limits,
    metrics: JobWorkerMetrics,
}

impl StepScripts {
    fn run_here(
        &mut self,
        ticket: &Ticket,
        script: &Script,
        value: &str,
    ) -> Result<Option<String>, String> {
        let result = self.engine.run(script, value);
        if result.as_ref().is_err_and(|it| it.starts_with(TIMEOUT)) {
            ticket.cut();
        }
        result
    }
}

impl Scripts for StepScripts {
    fn run(&mut self, script: &Script, value: &str) -> Result<Option<String>, String> {
        let time = self.limits.time;
        let lost_after = time.saturating_add(GRACE);
        let Some((runner, processes)) = &mut self.runner else {
            let admitted = self.quarantine.admit_to_thread(script.hash(), lost_after);
            let ticket = admitted.map_err(|why| {
                self.metrics.refused_total.inc();
                why.to_owned()
            })?;
            return self.run_here(&ticket, script, value);
        };
        match self.quarantine.admit(script.hash(), lost_after) {
            Where::Thread(ticket) => self.run_here(&ticket, script, value),
            Where::Process => {
                processes.metrics().steps_total.inc();
                let started_ns = self.quarantine.now_ns();
                let outcome = runner.run(script, value, time);
                let spent_ns = self.quarantine.now_ns().saturating_sub(started_ns);
                // A script that no process ran has proven nothing.
                if !matches!(outcome, Err(ScriptFailure::Environment(_))) {
                    self.quarantine.prove(script.hash(), spent_ns);
                }
                outcome.map_err(ScriptFailure::into_text)
            }
        }
    }
}
