//! Exports in real time: targets of the settings, and the connectors of users.
//!
//! Each target has a worker with a thread of its own, since it waits for its receiver. That of a
//! connector begins when it is first enabled and ends with the connector; while it is disabled it
//! keeps no place, and data of that time is not sent, as in Zabbix.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use model::snapshot::Snapshot;
use rt::task::TaskError;
use rt::worker::{GroupContext, WorkerGroup, WorkerRow};
use tracing::error;

use crate::connector_document::settings_of;
use crate::feed::{ExportFeed, FeedParts};
use crate::http::DeliveryClient;
use crate::ports::{ExportConfiguration, ExportPlaces, PlaceStore};
use crate::registry::Exports;
use crate::target_worker::{
    CONNECTORS, ELASTICSEARCH, FILES, REMOTE_WRITE, Switch, SwitchState, TargetParts, TargetWorker,
};
use crate::targets::{
    ConnectorTarget, CurrentSettings, Elasticsearch, ElasticsearchSettings, ExportTarget, Files,
    FilesSettings, RemoteWrite, RemoteWriteSettings,
};

/// The object's name in methods, and of its documents.
pub const CONNECTOR: &str = "connector";

/// Common parts of all targets.
#[derive(Clone)]
pub struct RunnerParts {
    pub exports: Exports,
    pub configuration: Arc<dyn ExportConfiguration>,
    pub http: Arc<dyn DeliveryClient>,
    pub places: Arc<dyn ExportPlaces>,
    /// With the tasks of readers of the journal: they stop when they have read it to its end.
    pub workers: GroupContext,
}

impl fmt::Debug for RunnerParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunnerParts").field("exports", &self.exports).finish_non_exhaustive()
    }
}

/// The targets that the operator's settings name.
#[derive(Debug, Default)]
pub struct SetTargets {
    pub files: Option<FilesSettings>,
    pub elasticsearch: Option<ElasticsearchSettings>,
    pub remote_write: Option<RemoteWriteSettings>,
}

/// Starts the targets of the settings, and the present connectors of users. The returned handle has
/// to be called after changes of connectors.
///
/// # Errors
/// The system refuses a thread.
pub fn start(parts: RunnerParts, set: SetTargets) -> Result<Arc<Connectors>, TaskError> {
    let runner = Runner { parts };
    runner.start_files(set.files)?;
    runner.start_elasticsearch(set.elasticsearch)?;
    runner.start_remote_write(set.remote_write)?;
    let connectors = Arc::new(Connectors { runner, slots: Mutex::default() });
    connectors.follow(&connectors.runner.parts.configuration.snapshot());
    Ok(connectors)
}

#[derive(Clone)]
struct Runner {
    parts: RunnerParts,
}

/// Names by which targets are distinguished.
struct Named<'a> {
    /// Of the worker and its thread.
    worker: &'a str,
    row: WorkerRow,
    /// The target's name in metrics.
    kind: &'static str,
    /// The target's name in health, log and its saved place.
    name: &'a str,
}

impl Runner {
    fn place(&self, name: &str) -> Box<dyn PlaceStore> {
        self.parts.places.place(&format!("export {name}"))
    }

    /// Starts the worker of a target. `new_target` creates the target again after a panic.
    fn run(
        &self,
        named: &Named<'_>,
        switch: &Arc<Switch>,
        new_target: impl Fn(&Self) -> Box<dyn ExportTarget> + Send + 'static,
    ) -> Result<(), TaskError> {
        let (runner, kind, name) = (self.clone(), named.kind, named.name.to_owned());
        let new_feed = move || {
            let (exports, clock) =
                (runner.parts.exports.clone(), runner.parts.workers.clock.clone());
            let parts = FeedParts { exports, clock, kind, name: name.clone() };
            ExportFeed::new(parts, new_target(&runner))
        };
        let parts = TargetParts {
            switch: Arc::clone(switch),
            clock: self.parts.workers.clock.clone(),
            new_feed: Box::new(new_feed),
        };
        let journal = self.parts.exports.journal();
        let mut group = WorkerGroup::new(named.worker, &self.parts.workers);
        group.add_named(named.worker, named.row, |wake| TargetWorker::new(parts, journal, wake));
        group.start().inspect_err(|_| self.parts.exports.leave(named.name))
    }

    /// As [`Self::run`] for a target of the settings.
    fn run_set(
        &self,
        (row, name): (WorkerRow, &'static str),
        new_target: impl Fn(&Self) -> Box<dyn ExportTarget> + Send + 'static,
    ) -> Result<(), TaskError> {
        let named = Named { worker: row.name, row, kind: name, name };
        self.run(&named, &Arc::new(Switch::new()), new_target)
    }

    /// A target was disabled: when it is enabled again it begins with the next records.
    fn forget(&self, name: &str) {
        let mut place = self.place(name);
        let forgotten = match place.load() {
            Ok(None) => Ok(()),
            Ok(Some(_)) => place.forget(),
            Err(error) => Err(error),
        };
        if let Err(error) = forgotten {
            error!(%error, export = name, "the place of an export that was switched off stays");
        }
    }

    fn start_files(&self, settings: Option<FilesSettings>) -> Result<(), TaskError> {
        let Some(settings) = settings else { return Ok(()) };
        self.run_set((FILES, "files"), move |it| {
            let configuration = Arc::clone(&it.parts.configuration);
            Box::new(Files::new(settings.clone(), configuration))
        })
    }

    fn start_elasticsearch(
        &self,
        settings: Option<ElasticsearchSettings>,
    ) -> Result<(), TaskError> {
        const NAME: &str = "elasticsearch";
        let Some(settings) = settings else {
            self.forget(NAME);
            return Ok(());
        };
        self.run_set((ELASTICSEARCH, NAME), move |it| {
            let identity = it.parts.exports.journal().identity();
            let configuration = Arc::clone(&it.parts.configuration);
            let (http, place) = (Arc::clone(&it.parts.http), it.place(NAME));
            Box::new(Elasticsearch::new(settings.clone(), identity, configuration, http, place))
        })
    }

    fn start_remote_write(&self, settings: Option<RemoteWriteSettings>) -> Result<(), TaskError> {
        const NAME: &str = "remote_write";
        let Some(settings) = settings else {
            self.forget(NAME);
            return Ok(());
        };
        self.run_set((REMOTE_WRITE, NAME), move |it| {
            let configuration = Arc::clone(&it.parts.configuration);
            let (http, place) = (Arc::clone(&it.parts.http), it.place(NAME));
            Box::new(RemoteWrite::new(settings.clone(), configuration, http, place))
        })
    }

    fn start_connector(&self, id: u64, slot: &Slot) -> Result<(), TaskError> {
        let (worker, name) = (format!("export-connector-{id}"), format!("connector {id}"));
        let named = Named { worker: &worker, row: CONNECTORS, kind: "connectors", name: &name };
        let (settings, of_target) = (slot.settings.clone(), name.clone());
        self.run(&named, &slot.switch, move |it| {
            Box::new(ConnectorTarget::new(
                settings.clone(),
                Arc::clone(&it.parts.configuration),
                Arc::clone(&it.parts.http),
                it.place(&of_target),
                it.parts.workers.tasks.shutdown().clone(),
            ))
        })
    }
}

/// The connectors that there are.
pub struct Connectors {
    runner: Runner,
    slots: Mutex<BTreeMap<u64, Slot>>,
}

/// The state that the worker of a connector reads.
struct Slot {
    settings: CurrentSettings,
    switch: Arc<Switch>,
}

impl fmt::Debug for Connectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connectors")
    }
}

impl Connectors {
    /// Applies the connectors that users have created, changed and deleted.
    pub fn follow(&self, snapshot: &Snapshot) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|id, slot| {
            let is_there = snapshot.documents.get(CONNECTOR, *id).is_some();
            if !is_there {
                slot.switch.set(SwitchState::Removed);
            }
            is_there
        });
        for document in snapshot.documents.of(CONNECTOR) {
            let is_enabled = document.text("status") == "1";
            if let Some(slot) = slots.get(&document.id) {
                let state = if is_enabled { SwitchState::Enabled } else { SwitchState::Disabled };
                slot.settings.set(settings_of(document));
                slot.switch.set(state);
                continue;
            }
            if !is_enabled {
                continue;
            }
            let settings = CurrentSettings::new(settings_of(document));
            let slot = Slot { settings, switch: Arc::new(Switch::new()) };
            match self.runner.start_connector(document.id, &slot) {
                Ok(()) => _ = slots.insert(document.id, slot),
                Err(error) => error!(%error, connector = document.id, "a connector cannot start"),
            }
        }
    }
}

#[cfg(test)]
mod tests;
