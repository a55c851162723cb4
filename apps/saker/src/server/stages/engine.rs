//! The second stage: stored data is read back, and shards take values.

use std::sync::Arc;
use std::time::Duration;

use collect::ports::Secrets;
use engine::assembly::{Engine, EngineSettings, EngineSurroundings};
use engine::housekeeping::{Housekeeper, HousekeeperParts};
use engine::readers::discovery::DiscoveryFeed;
use engine::readers::events::EventFeed;
use engine::recovery::{KnownEvents, OpenedData};
use engine::shard::ShardContext;
use engine::workers::NewScripts;
use engine::{runner, shard};
use export::Exports;
use followers::event_sink::SqlEvents;
use followers::nested_rules::NestedRules;
use followers::ports::EventLog;
use ingress::Ingress;
use jiff::tz::TimeZone;
use pipeline::LiveTable;
use rt::shutdown::Shutdown;
use rt::task::TaskError;
use script_host::processes::{self, StepScripts};
use script_host::secrets::with_secrets;
use tokio::runtime::Handle;
use vault::{VaultParts, VaultSettings};

use crate::server::base::{Base, Groups};
use crate::server::error::ServerError;
use crate::server::exports;
use crate::server::open::{self, Stores};
use crate::server::sinks::SqlDiscovery;
use server_ports::running::Running;

/// The engine at work.
pub(crate) struct EngineStage {
    pub(crate) ingress: Ingress,
    /// Of the vault.
    pub(crate) secrets: Arc<dyn Secrets>,
    pub(crate) running: Arc<Running>,
    pub(crate) live: LiveTable,
    pub(crate) shared: ShardContext,
    pub(crate) housekeeping: HousekeeperParts,
    /// Where events go that are made outside the shards.
    pub(crate) events: Arc<dyn EventLog>,
    pub(crate) exports: Exports,
    /// Values that are not written by then are given up.
    pub(crate) stop: Shutdown,
}

impl EngineStage {
    /// Reads back the journal, and starts the engine's threads.
    ///
    /// # Errors
    /// Something cannot be read, or the system refuses a thread.
    pub(crate) fn start(
        base: &Base,
        stores: &Stores,
        recovered: OpenedData,
        groups: &Groups,
    ) -> Result<Self, ServerError> {
        let Base { clock, registry, n_shards, .. } = base;
        let (ingress, deliveries) = Ingress::new(*n_shards, clock, registry);
        let (secrets, stop) = (open_vault(base, stores, groups)?, Shutdown::new());
        let new_scripts = with_secrets(step_scripts(base, groups), &secrets, &TimeZone::system());
        let history = Arc::clone(&recovered.history);
        let events = stores.db.events();
        let db = stores.db.clone();
        let around = EngineSurroundings {
            ingress: ingress.clone(),
            deliveries,
            snapshot: stores.db.snapshot(),
            known_events: KnownEvents {
                cursor: events.cursor(),
                last_changes: events.last_changes()?,
            },
            new_scripts,
            jobs: Box::new(move |states| open::jobs(db, history, Arc::clone(states))),
            stop: Arc::new(stop.clone()),
            shutdown: groups.core.shutdown().clone(),
            faults: None,
            clock: clock.clone(),
            registry: registry.clone(),
            health: base.health.clone(),
        };
        let settings = engine_settings(base)?;
        let mut engine = Engine::assemble(&settings, recovered, around, runner::side_by_side)?;
        let exports = exports::open(base, &stores.journal);
        engine.housekeeping.exports = exports::hold(&exports);
        let stage = Self {
            ingress,
            secrets,
            running: Arc::new(Running::new(Arc::clone(&engine.configuration))),
            live: engine.live.clone(),
            shared: engine.context.clone(),
            housekeeping: engine.housekeeping.clone(),
            events: Arc::new(engine.event_writer.clone()),
            exports,
            stop,
        };
        stage.start_threads(engine, base, stores, groups)?;
        Ok(stage)
    }

    fn start_threads(
        &self,
        engine: Engine,
        base: &Base,
        stores: &Stores,
        groups: &Groups,
    ) -> Result<(), TaskError> {
        let core = &groups.core;
        for (number, shard) in engine.shards.into_iter().enumerate() {
            let stop = self.stop.clone();
            let run = move || runner::run_shard(shard, &stop);
            core.thread(&format!("shard-{number}"), run)?;
        }
        if let Some(interval) = base.settings.journal.sync_interval() {
            let (sync, shutdown) = (engine.sync, core.shutdown().clone());
            let run = move || runner::run_sync(&sync, interval, &shutdown);
            core.thread("journal-sync", run)?;
        }
        let (reader, stop) = (engine.history_fetcher, self.stop.clone());
        core.thread("history-fetches", move || runner::run_history_fetcher(reader, &stop))?;
        let (queries, stop) = (engine.cross_item_queries, self.stop.clone());
        core.thread("cross-item-queries", move || {
            runner::run_cross_item_queries(queries, &stop);
        })?;
        runner::start_workers(&engine.workers, core)?;
        let (housekeeper, shutdown) =
            (Housekeeper::new(engine.housekeeping), groups.input.shutdown().clone());
        // It ends with the input, but nobody waits for a history file that it writes: unfinished, it is as
        // if it had not been begun.
        groups.root.thread("housekeeper", move || {
            runner::run_housekeeper(housekeeper, &shutdown);
        })?;
        let parts = engine.readers;
        let events = EventFeed::new(SqlEvents(stores.db.clone()), parts.clone());
        let nested = NestedRules {
            ingress: self.ingress.clone(),
            running: Arc::clone(self.running.engine()),
            runtime: Handle::current(),
        };
        let results = SqlDiscovery { db: stores.db.clone(), events: engine.event_writer, nested };
        let discovery = DiscoveryFeed::new(results, base.clock.clone(), parts);
        let (wake, shutdown) = (engine.context.events, groups.readers.shutdown().clone());
        groups.readers.thread("events", move || runner::run_reader(events, &wake, &shutdown))?;
        let (wake, shutdown) = (engine.context.discovery, groups.readers.shutdown().clone());
        groups.readers.thread("discovery", move || runner::run_reader(discovery, &wake, &shutdown))
    }
}

/// The processes that run the scripts of preprocessing.
fn step_scripts(base: &Base, groups: &Groups) -> NewScripts {
    processes::of_steps(&StepScripts {
        limits: base.settings.script.limits(),
        n_workers: base.settings.script.workers(),
        outgoing: &base.outgoing,
        clock: &base.clock,
        registry: &base.registry,
        tasks: &groups.core,
    })
}

/// Secrets of macros, read before the first item needs one.
fn open_vault(
    base: &Base,
    stores: &Stores,
    groups: &Groups,
) -> Result<Arc<dyn Secrets>, ServerError> {
    let (wanted, db, changes) = (&base.settings.vault, stores.db.clone(), stores.db.clone());
    let settings = VaultSettings {
        url: wanted.url.as_ref().map(|it| it.0.clone()),
        token_file: wanted.token_file.clone(),
        token: wanted.token.0.clone(),
        prefix: wanted.prefix.clone(),
        refresh: Duration::from_secs(wanted.refresh_s),
        timeout: Duration::from_millis(wanted.timeout_ms),
        tls_verify: wanted.tls_verify,
    };
    let parts = VaultParts {
        settings,
        snapshot: Box::new(move || db.snapshot()),
        woken_by_changes: Box::new(move |wake| {
            changes.subscribe(Box::new(move |_, _| wake.wake()));
        }),
        http: base.outgoing.operated(),
        clock: base.clock.clone(),
    };
    Ok(vault::open(parts, &base.worker_context(&groups.input))?)
}

fn engine_settings(base: &Base) -> Result<EngineSettings, ServerError> {
    let settings = &base.settings;
    Ok(EngineSettings {
        n_shards: base.n_shards,
        hash_seed: getrandom::u64().map_err(ServerError::Randomness)?,
        zone: TimeZone::system(),
        sync_each: settings.journal.sync_interval().is_none(),
        n_workers: settings.script.workers(),
        script_limits: settings.script.limits(),
        step_bytes_max: shard::STEP_BYTES_MAX,
        mailbox_max: engine::mailboxes::MAILBOX_MAX,
        feeder: history::FeederSettings {
            hold_bytes_max: settings.journal.store_lag_bytes_max,
            when_full: settings.journal.when_store_lags,
            ..history::FeederSettings::default()
        },
        flush_interval: Duration::from_secs(settings.history.flush_interval_s),
    })
}
