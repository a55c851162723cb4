//! The parts of the first three stages, for those that connect them with the outside.

use std::sync::Arc;

use engine::workers::{JobWorkerMetrics, ScriptIsolation};
use rt::task::Tasks;
use script_host::host::{self, Ends};

use super::engine::EngineStage;
use super::workers::WorkerStage;
use crate::server::base::{Base, Groups};
use crate::server::open::Stores;

#[derive(Clone, Copy)]
pub(crate) struct Inside<'a> {
    pub(crate) base: &'a Base,
    pub(crate) stores: &'a Stores,
    pub(crate) groups: &'a Groups,
    pub(crate) engine: &'a EngineStage,
    pub(crate) workers: &'a WorkerStage,
}

impl Inside<'_> {
    /// Where scripts of one kind run.
    pub(crate) fn script_isolation(&self, name: &'static str, tasks: &Tasks) -> ScriptIsolation {
        let Base { settings, clock, registry, outgoing, .. } = self.base;
        ScriptIsolation {
            name,
            limits: settings.script.limits(),
            new_host: host::new_host(outgoing, clock, tasks, Ends::AtStop),
            metrics: JobWorkerMetrics::register(registry),
            tasks: tasks.clone(),
            n_stuck: Arc::default(),
            processes: Some(self.base.script_processes.clone()),
        }
    }
}
