//! The processes that scripts run in: those of preprocessing have their own, so that scripts that
//! wait for servers leave them room.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use engine::workers::{
    JobWorkerMetrics, NewScripts, ProcessMetrics, ProcessSettings, Quarantine, ScriptProcesses,
    StepEngines, engines,
};
use outgoing::Outgoing;
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::task::Tasks;
use script::Limits;

use crate::host::{self, Ends};

/// Idle processes kept, of all kinds together.
const IDLE_MAX: usize = 4;
/// Workers of preprocessing in addition to those of the settings: spares, and replacements of lost
/// ones.
const MORE_WORKERS: usize = 64;

/// For scripts of items, media types and commands, and for tests: at most `places` at once.
#[must_use]
pub fn of_scripts(places: NonZeroUsize, clock: &Clock, registry: &Registry) -> ScriptProcesses {
    processes(places.get(), clock, registry)
}

fn processes(places: usize, clock: &Clock, registry: &Registry) -> ScriptProcesses {
    // The running program, even if its file was replaced since.
    let program = PathBuf::from("/proc/self/exe");
    let settings = ProcessSettings { places, idle_max: IDLE_MAX };
    ScriptProcesses::new(program, settings, clock.clone(), ProcessMetrics::register(registry))
}

/// The parts for scripts of preprocessing.
#[derive(Debug)]
pub struct StepScripts<'a> {
    pub limits: Limits,
    pub n_workers: usize,
    pub outgoing: &'a Outgoing,
    pub clock: &'a Clock,
    pub registry: &'a Registry,
    /// They end with these.
    pub tasks: &'a Tasks,
}

/// Runs the scripts of preprocessing.
#[must_use]
pub fn of_steps(of: &StepScripts<'_>) -> NewScripts {
    let StepScripts { clock, registry, .. } = of;
    engines(StepEngines {
        limits: of.limits,
        new_host: host::new_host(of.outgoing, clock, of.tasks, Ends::AtLimit),
        metrics: JobWorkerMetrics::register(registry),
        // A place for every worker: none waits for another.
        processes: Some(processes(of.n_workers + MORE_WORKERS, clock, registry)),
        quarantine: Quarantine::new((*clock).clone()),
    })
}
