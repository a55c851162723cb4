//! The processes that scripts run in: those of preprocessing have their own, so that scripts that wait for servers leave
//! them room.

use std::path::PathBuf;

use engine::workers::{
    NewScripts, ProcessMetrics, ProcessSettings, Quarantine, ScriptProcesses, StepEngines,
    WorkerMetrics, engines,
};
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::task::Tasks;

use super::Base;
use super::script_host::{self, Ends};
use crate::settings::Script;

/// Kept of all kinds while there is nothing to run.
const IDLE_MAX: usize = 4;
/// Workers of preprocessing that may come beside those of the settings: spares, and those in the place of lost ones.
const MORE_WORKERS: usize = 64;

/// For scripts of items, media types and commands, and those that somebody tries out.
pub(super) fn of_scripts(settings: &Script, clock: &Clock, registry: &Registry) -> ScriptProcesses {
    processes(settings.processes_max.get(), clock, registry)
}

fn processes(places: usize, clock: &Clock, registry: &Registry) -> ScriptProcesses {
    // Itself, also when its file was replaced since.
    let program = PathBuf::from("/proc/self/exe");
    let settings = ProcessSettings { places, idle_max: IDLE_MAX };
    ScriptProcesses::new(program, settings, clock.clone(), ProcessMetrics::register(registry))
}

/// What runs the scripts of preprocessing.
pub(super) fn of_steps(base: &Base, tasks: &Tasks) -> NewScripts {
    let Base { settings, clock, registry, outgoing, .. } = base;
    engines(StepEngines {
        limits: settings.script.limits(),
        new_host: script_host::new_host((outgoing, clock), tasks, Ends::AtLimit),
        metrics: WorkerMetrics::register(registry),
        // A place for every worker: nobody waits for one.
        processes: Some(processes(settings.script.workers() + MORE_WORKERS, clock, registry)),
        quarantine: Quarantine::new(clock.clone()),
    })
}
