//! The server role: opens the parts in order, connects them, stops them in the reverse order.

mod alerting;
mod api_ports;
mod base;
mod bootstrap;
mod collecting;
mod config;
mod encryption;
mod error;
mod exports;
mod figures;
mod http_port;
mod internals;
mod links;
mod open;
mod own_agent;
mod ports;
mod push;
pub(crate) mod remote_stores;
mod series;
mod server_requests;
mod sinks;
mod syslog;
mod trials;
mod workers;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use ::alerting::message_facts::FactSources;
use ::alerting::senders::Senders;
use api::ports::{Ports, ServerState};
use collect::discovery::DiscoveryResult;
use collect::ports::Secrets;
use collect::{CollectParts, CollectSettings, Collectors};
use engine::assembly::{Engine, EngineSettings, EngineSurroundings};
use engine::backup::BackupParts;
use engine::housekeeping::{Housekeeper, HousekeeperParts, LastHousekeeping};
use engine::readers::Cursors;
use engine::readers::discovery::DiscoveryFeed;
use engine::readers::events::EventFeed;
use engine::recovery::{KnownEvents, Opened};
use engine::shard::ShardContext;
use engine::workers::{ScriptIsolation, WorkerMetrics};
use engine::{runner, shard};
use followers::autoregistration::RegistrationPort;
use followers::nested_rules::NestedRules;
use followers::ports::EventLog;
use history::Feeder;
use http_client::Verify;
use ingress::Ingress;
use outgoing::{Outgoing, OutgoingSettings};
use pipeline::Live;
use remote::items::ShellItems;
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::queue::Sender;
use rt::shutdown::Shutdown;
use rt::signal::StopSignals;
use rt::task::Tasks;
use rt::worker::Roster;
use script_host::host::Ends;
use script_host::processes::StepScripts;
use script_host::{host, items, processes, secrets as secret_scripts, web_driver};
use tracing::{error, info, warn};
use vault::{VaultParts, VaultSettings};

use crate::control::serve::{self, Control};
use crate::descriptors;
use crate::settings::Settings;
use backup::RunningParts;
use base::{Base, Groups};
use config::Running;
use data_dir::DataDir;
use error::ServerError;
use open::Stores;
use sinks::{SqlDiscovery, SqlEvents};
use workers::{Followed, Found, Threads};

/// For requests that are being answered, and checks under way, to end.
const INPUT_DEADLINE: Duration = Duration::from_secs(3);
/// For what is still in the runtime's pool at the end.
const RUNTIME_DEADLINE: Duration = Duration::from_millis(100);
/// For the shards to work off what is queued.
const DRAIN_DEADLINE: Duration = Duration::from_secs(3);

/// Runs until SIGTERM or SIGINT, drains and returns.
///
/// # Errors
/// When a part cannot start, or fails in a way that the process cannot go on from.
pub(crate) fn run(settings: Settings) -> Result<(), ServerError> {
    let settings = descriptors::fit(&settings);
    let data_dir = DataDir::open(&settings.data)?;
    if data_dir.is_new() {
        info!(path = %data_dir.path().display(), "made a new data directory");
    }
    if data_dir.is_open_to_others() {
        let path = data_dir.path().display();
        warn!("other users may look into the data directory: chmod 700 {path}");
    }
    let n_cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let runtime = rt::task::runtime(n_cores.get())?;
    let n_shards = u16::try_from(settings.n_shards(n_cores)).unwrap_or(256).min(256);
    let (clock, registry, health) = (Clock::real(), Registry::new(), Health::default());
    rt::metrics::observe_process(&registry, &clock);
    let encryption = encryption::Encryption::open(&settings, data_dir.path())?;
    // Both before anything is opened: an occupied port should be told at once.
    let http = runtime.block_on(rt::net::listen_tcp(
        settings.http.listen,
        "web pages and API",
        "http.listen",
    ))?;
    let trapper = runtime.block_on(rt::net::listen_tcp(
        settings.trapper.listen,
        "senders and active agents",
        "trapper.listen",
    ))?;
    let metrics = settings
        .metrics
        .listen
        .map(|address| runtime.block_on(rt::net::listen_tcp(address, "metrics", "metrics.listen")));
    let metrics = metrics.transpose()?;
    let listen_udp = |it| rt::net::listen_udp(it, "SNMP traps", "snmp_traps.listen");
    let traps = settings.snmp_traps.listen.map(listen_udp).transpose()?;
    let syslog = syslog::listen(&settings.syslog, &runtime)?;
    let (stores, opened) =
        open::stores(&settings, &data_dir, n_shards, &clock, (&registry, &health))?;
    let root = Tasks::new("saker", &registry);
    let requests = root.group("outgoing");
    let outgoing = {
        let _inside = runtime.enter();
        Outgoing::new(outgoing_settings(&settings), &registry, &clock, &requests)
    };
    let script_processes = processes::of_scripts(settings.script.processes_max, &clock, &registry);
    let base = Base {
        settings,
        data_dir,
        encryption,
        n_shards,
        clock,
        registry,
        health,
        root,
        roster: Roster::default(),
        outgoing,
        script_processes,
    };
    // Its socket belongs to the runtime.
    let control = runtime.block_on(async { Control::listen(base.data_dir.path()) });
    let control = control.inspect_err(|error| {
        warn!(%error, "no control socket: `saker user password` works only while the server is stopped");
    });
    let listeners = Listeners { http, trapper, traps, syslog, metrics, control: control.ok() };
    let ended = runtime.block_on(serve(base, (stores, opened), listeners));
    requests.shutdown().cancel();
    // Everything that counts has ended. A request that still waits for its answer does not hold up a stop.
    runtime.shutdown_timeout(RUNTIME_DEADLINE);
    ended
}

/// Requests that leave the server, as the settings describe them.
fn outgoing_settings(settings: &Settings) -> OutgoingSettings {
    let is_verified = settings.script.tls_verify;
    let collectors = settings.for_collectors(descriptors::raise()).collectors;
    OutgoingSettings {
        destinations: settings.outgoing.destinations(),
        script_verify: Verify { peer: is_verified, host: is_verified },
        connections_max: collectors.http.requests_max.get(),
        answers_bytes_max: settings.reading.memory_bytes_max,
        certificates: settings.outgoing.ssl_certs.clone(),
        keys: settings.outgoing.ssl_keys.clone(),
        authorities: settings.outgoing.ssl_authorities.clone(),
    }
}

/// Secrets of macros, read before the first item needs one.
fn open_vault(base: &Base, db: &db::Db, tasks: &Tasks) -> Result<Arc<dyn Secrets>, ServerError> {
    let (wanted, db) = (&base.settings.vault, db.clone());
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
        http: base.outgoing.operated(),
        clock: base.clock.clone(),
    };
    Ok(vault::open(parts, tasks)?)
}

struct Listeners {
    http: tokio::net::TcpListener,
    trapper: tokio::net::TcpListener,
    /// None unless it is asked for.
    traps: Option<std::net::UdpSocket>,
    syslog: collect::syslog::SyslogSockets,
    /// None unless it is asked for.
    metrics: Option<tokio::net::TcpListener>,
    /// None where the file system has no sockets.
    control: Option<Control>,
}

/// The running parts that stopping needs.
struct Started {
    groups: Groups,
    housekeeping: HousekeeperParts,
    drained: Arc<AtomicBool>,
    /// What is not written by then is given up.
    stop: Shutdown,
    state: Arc<ports::StateCell>,
}

async fn serve(
    base: Base,
    (stores, opened): (Stores, Opened),
    listeners: Listeners,
) -> Result<(), ServerError> {
    let mut signals = StopSignals::catch().map_err(ServerError::Signals)?;
    let root = base.root.clone();
    let groups = Groups {
        input: root.group("input"),
        core: root.group("core"),
        readers: root.group("readers"),
        root,
    };
    let engine = start(&base, (stores, opened), listeners, groups)?;
    engine.state.set(ServerState::Running);
    info!(
        http = %base.settings.http.listen,
        trapper = %base.settings.trapper.listen,
        shards = base.n_shards,
        "started: values are accepted"
    );
    let failure = tokio::select! {
        signal = signals.next() => {
            info!(signal, "stopping");
            None
        }
        failure = engine.groups.root.next_failure() => {
            error!(task = failure.task, message = failure.message, "a part that the server cannot go on without ended by a bug; the server stops");
            Some(failure)
        }
    };
    stop(engine, &base).await;
    info!("stopped");
    match failure {
        Some(it) => Err(ServerError::Failed { task: it.task, message: it.message }),
        None => Ok(()),
    }
}

fn engine_settings(base: &Base, zone: jiff::tz::TimeZone) -> Result<EngineSettings, ServerError> {
    let settings = &base.settings;
    Ok(EngineSettings {
        n_shards: base.n_shards,
        hash_seed: getrandom::u64().map_err(ServerError::Randomness)?,
        zone,
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

fn start(
    base: &Base,
    (stores, opened): (Stores, Opened),
    listeners: Listeners,
    groups: Groups,
) -> Result<Started, ServerError> {
    let Base { clock, registry, n_shards, .. } = base;
    let (ingress, deliveries) = Ingress::open(*n_shards, clock, registry, &groups.input);
    let (events, stop) = (stores.db.events(), Shutdown::new());
    let secrets = open_vault(base, &stores.db, &groups.input)?;
    let new_scripts = processes::of_steps(&StepScripts {
        limits: base.settings.script.limits(),
        n_workers: base.settings.script.workers(),
        outgoing: &base.outgoing,
        clock,
        registry,
        tasks: &groups.core,
    });
    let (db, history) = (stores.db.clone(), Arc::clone(&opened.history));
    let zone = jiff::tz::TimeZone::system();
    let around = EngineSurroundings {
        ingress: ingress.clone(),
        deliveries,
        snapshot: stores.db.snapshot(),
        known_events: KnownEvents { cursor: events.cursor(), last_changes: events.last_changes()? },
        new_scripts: secret_scripts::with_secrets(new_scripts, &secrets, &zone),
        chores: Box::new(move |states| open::chores(db, history, Arc::clone(states))),
        stop: Arc::new(stop.clone()),
        shutdown: groups.core.shutdown().clone(),
        faults: None,
        clock: clock.clone(),
        registry: registry.clone(),
        health: base.health.clone(),
    };
    let engine_settings = engine_settings(base, zone)?;
    let mut engine = Engine::assemble(&engine_settings, opened, around, runner::side_by_side)?;
    let exports = exports::open(base, &stores.journal);
    engine.housekeeping.exports = exports::hold(&exports);
    let running = Arc::new(Running::new(Arc::clone(&engine.configuration)));
    let (shared, live) = (engine.context.clone(), engine.live.clone());
    let housekeeping = engine.housekeeping.clone();
    let event_log: Arc<dyn EventLog> = Arc::new(engine.event_writer.clone());
    let stores = &stores;
    let mut threads = Threads::new(base, &groups);
    let Found { registrations, discovered } = threads.take_found(base, &stores.db, &event_log);
    start_threads(base, stores, &groups, engine, &stop, (&ingress, &running))?;
    stores.remote.start(base, &stores.db, &housekeeping.stores, &groups.readers)?;
    let followed = Followed {
        base,
        db: &stores.db,
        running: &running,
        live: &live,
        mailboxes: &shared.mailboxes,
        events: event_log,
    };
    threads.follow(followed);
    threads.start()?;
    exports::start(base, (&stores.db, &secrets), &exports, &groups.readers)?;
    let senders = Arc::new(alerting::senders(base, &stores.db, &groups.input));
    let cursors = Arc::clone(&housekeeping.cursors);
    let values = housekeeping.stores.clone();
    let backup = BackupParts {
        journal: housekeeping.journal.clone(),
        history: Arc::clone(&housekeeping.history),
        checkpoints: Arc::clone(&housekeeping.checkpoints),
    };
    let outside = Outside {
        base,
        stores,
        groups: &groups,
        shared: &shared,
        cursors,
        values,
        backup,
        registrations,
        discovered,
        senders,
        secrets,
    };
    let state = outside.start(&running, live, ingress, listeners)?;
    Ok(Started { groups, housekeeping, stop, state, drained: shared.drained })
}

/// Threads of the engine.
fn start_threads(
    base: &Base,
    stores: &Stores,
    groups: &Groups,
    engine: Engine,
    stop: &Shutdown,
    (ingress, running): (&Ingress, &Arc<Running>),
) -> Result<(), ServerError> {
    for (number, shard) in engine.shards.into_iter().enumerate() {
        let stop = stop.clone();
        let run = move || runner::run_shard(shard, &stop);
        groups.core.thread(&format!("shard-{number}"), run)?;
    }
    if let Some(interval) = base.settings.journal.sync_interval() {
        let (sync, shutdown) = (engine.sync, groups.core.shutdown().clone());
        let run = move || runner::run_sync(&sync, interval, &shutdown);
        groups.core.thread("journal-sync", run)?;
    }
    let (reader, of_reader) = (engine.history_fetcher, stop.clone());
    groups
        .core
        .thread("history-fetches", move || runner::run_history_fetcher(reader, &of_reader))?;
    let (cross_item_queries, of_queries) = (engine.cross_item_queries, stop.clone());
    groups.core.thread("cross-item-queries", move || {
        runner::run_cross_item_queries(cross_item_queries, &of_queries);
    })?;
    runner::start_workers(&engine.workers, &groups.core)?;
    let (housekeeper, shutdown) =
        (Housekeeper::new(engine.housekeeping), groups.input.shutdown().clone());
    // It ends with the input, but nobody waits for a history file that it writes: unfinished, it is as
    // if it had not been begun.
    groups.root.thread("housekeeper", move || runner::run_housekeeper(housekeeper, &shutdown))?;

    let (parts, shared) = (engine.readers, engine.context);
    let runtime = tokio::runtime::Handle::current();
    let events = EventFeed::new(SqlEvents(stores.db.clone()), parts.clone());
    let nested = NestedRules {
        ingress: ingress.clone(),
        running: Arc::clone(running.engine()),
        runtime: runtime.clone(),
    };
    let results = SqlDiscovery { db: stores.db.clone(), events: engine.event_writer, nested };
    let discovery = DiscoveryFeed::new(results, base.clock.clone(), parts);
    let (wake, handle) = (shared.events, runtime.clone());
    let shutdown = groups.readers.shutdown().clone();
    let of_events = shutdown.clone();
    groups.readers.thread("events", move || {
        runner::run_reader(events, &wake, &of_events, &handle);
    })?;
    let wake = shared.discovery;
    groups.readers.thread("discovery", move || {
        runner::run_reader(discovery, &wake, &shutdown, &runtime);
    })?;
    Ok(())
}

/// What talks to the outside.
struct Outside<'a> {
    base: &'a Base,
    stores: &'a Stores,
    groups: &'a Groups,
    shared: &'a ShardContext,
    cursors: Arc<Cursors>,
    /// The stores of values.
    values: Feeder,
    backup: BackupParts,
    registrations: Arc<RegistrationPort>,
    discovered: Sender<DiscoveryResult>,
    /// Of messages.
    senders: Arc<Senders>,
    secrets: Arc<dyn Secrets>,
}

impl Outside<'_> {
    fn start(
        &self,
        running: &Arc<Running>,
        live: Live,
        ingress: Ingress,
        listeners: Listeners,
    ) -> Result<Arc<ports::StateCell>, ServerError> {
        let Base { clock, registry, settings, .. } = self.base;
        let input = &self.groups.input;
        let shown: Arc<figures::PublishedFigures> = Arc::default();
        self.figures(running, &shown);
        let internals = (self.base, self.stores, self.shared);
        let internals = Arc::new(internals::ServerInternals::of(internals, running, &shown));
        let secrets = Arc::clone(&self.secrets);
        let of_items = (&internals, &secrets);
        let collectors = self.collectors(running, &live, (&ingress, listeners.traps), of_items);
        let connections_max = settings.collect.discovery_connections_max.get();
        collectors.discover(connections_max, self.discovered.clone(), (registry, input));
        let around = (clock, registry, input);
        syslog::start((&settings.syslog, listeners.syslog), (&ingress, running), around)?;
        let series = series::open(
            (&settings.push, settings.http.body_bytes_max),
            (&self.stores.db, ingress.clone(), Arc::clone(running) as _),
            around,
        )?;
        let requests = (self.base, self.stores, input);
        let requests = server_requests::RequestPort::of(requests, running, internals);
        let trapper = push::trapper(
            &settings.trapper,
            (ingress, Arc::clone(running) as _),
            (collectors.active_agents(), Arc::new(requests), Arc::clone(&self.shared.sessions)),
            self.base.encryption.acceptor(&self.stores.db)?,
            (clock, registry),
        );
        let agent_commands = Arc::clone(collectors.active_agents().commands());
        let has_mibs = !self.base.settings.collectors.snmp.mib_directories.is_empty();
        let with_mibs = has_mibs.then(|| collectors.clone());
        running.attach(collectors);
        input.spawn("trapper", Arc::clone(&trapper).serve(listeners.trapper, input.clone()));

        let state: Arc<ports::StateCell> = Arc::default();
        let seen = (live, shown, Arc::clone(&state));
        let ports = self.ports(running, seen, (agent_commands, secrets), (trapper, series))?;
        self.metrics(&ports, listeners.metrics);
        self.alerting(&ports, running)?;
        input.spawn("http", self.http(ports, self.stores.db.clone(), listeners.http));
        let encryption = &self.base.encryption;
        encryption.reload_on_hangup(with_mibs, input).map_err(ServerError::Signals)?;
        self.control(listeners.control);
        Ok(state)
    }

    /// Takes the server's figures now and then.
    fn figures(&self, running: &Arc<Running>, shown: &Arc<figures::PublishedFigures>) {
        let input = &self.groups.input;
        let taker = figures::FigureTaker {
            clock: self.base.clock.clone(),
            journal: self.stores.journal.clone(),
            mailboxes: self.shared.mailboxes.clone(),
            metrics: self.shared.metrics.clone(),
            states: Arc::clone(&self.shared.states),
            cursors: Arc::clone(&self.cursors),
            running: Arc::clone(running),
            shared: Arc::clone(shown),
        };
        input.spawn("figures", taker.run(input.shutdown().clone()));
    }

    /// Metrics on a port of their own, if the settings name one.
    fn metrics(&self, ports: &Ports, listener: Option<tokio::net::TcpListener>) {
        let Some(listener) = listener else { return };
        let (input, clock) = (self.groups.input.clone(), self.base.clock.clone());
        let router = api::metrics_router(Arc::clone(&ports.process));
        let serving = api::serve(listener, router, http_port::for_metrics(), (input, clock));
        self.groups.input.spawn("metrics", serving);
    }

    fn collectors(
        &self,
        running: &Arc<Running>,
        live: &Live,
        (ingress, traps): (&Ingress, Option<std::net::UdpSocket>),
        (internals, secrets): (&Arc<internals::ServerInternals>, &Arc<dyn Secrets>),
    ) -> Collectors {
        let Base { clock, registry, .. } = self.base;
        let db = &self.stores.db;
        let input = &self.groups.input;
        let agent = Arc::new(own_agent::OwnAgent::new(
            db.clone(),
            clock.clone(),
            self.base.settings.outgoing.destinations(),
        ));
        input.spawn("own agent", Arc::clone(&agent).run(input.clone()));
        let parts = CollectParts {
            settings: self.collect_settings(),
            ingress: ingress.clone(),
            configuration: Arc::clone(running) as Arc<dyn collect::Configuration>,
            internals: Arc::clone(internals) as _,
            local_agent: agent,
            http: Arc::new(self.base.outgoing.items()),
            readings: self.base.outgoing.readings.clone(),
            scripts: Arc::new(items::ScriptItems::new(
                self.script_isolation("script-item", input),
                self.base.settings.collectors.script.scripts_max,
                clock.clone(),
            )),
            browsers: self.browsers(input),
            // Not awaited at a stop: a command may take its time.
            shells: Arc::new(ShellItems {
                tasks: self.groups.root.group("shell items"),
                clock: clock.clone(),
                keys: self.base.settings.commands.ssh_keys.clone(),
                readings: self.base.outgoing.readings.clone(),
            }),
            secrets: Arc::clone(secrets),
            item_states: Arc::new(collecting::ItemPort {
                running: Arc::clone(running),
                live: live.clone(),
                states: Arc::clone(&self.shared.states),
                db: db.clone(),
            }),
            maintenances: Arc::new(collecting::MaintenancePort(db.clone())),
            availability: Arc::new(collecting::AvailabilityPort(db.clone())),
            registrations: Arc::clone(&self.registrations) as Arc<dyn collect::Registrations>,
            // Itself, also when its file was replaced since.
            own_program: Some(PathBuf::from("/proc/self/exe")),
            traps: collect::TrapSources {
                settings: self.base.settings.snmp_traps.clone(),
                socket: traps,
                folder: self.base.data_dir.path().to_owned(),
            },
            tls: self.base.encryption.connector.clone(),
            dns: self.base.outgoing.names.clone(),
            zone: jiff::tz::TimeZone::system(),
            clock: clock.clone(),
        };
        Collectors::start(parts, registry, input)
    }

    /// Runs the scripts of browser items, if there is a WebDriver.
    fn browsers(&self, input: &Tasks) -> Option<Arc<dyn collect::ports::ScriptHost>> {
        let Base { settings, clock, outgoing, .. } = self.base;
        let wanted = &settings.collectors.browser;
        let driver = web_driver::Driver::new(
            wanted.webdriver_url.as_deref()?,
            outgoing.operated(),
            clock.clone(),
            // Commands are not awaited at a stop: a page may take minutes. Sessions are closed.
            self.groups.root.group("browser items"),
            input.clone(),
        );
        let isolation = ScriptIsolation {
            new_host: host::new_host_with_browsers(outgoing, clock, input, driver),
            ..self.script_isolation("browser-item", input)
        };
        let host = items::ScriptItems::new(isolation, wanted.browsers_max, clock.clone());
        Some(Arc::new(host.closing_in(web_driver::CLOSING)))
    }

    fn script_isolation(&self, name: &'static str, tasks: &Tasks) -> ScriptIsolation {
        let Base { settings, clock, registry, outgoing, .. } = self.base;
        ScriptIsolation {
            name,
            limits: settings.script.limits(),
            new_host: host::new_host(outgoing, clock, tasks, Ends::AtStop),
            metrics: WorkerMetrics::register(registry),
            tasks: tasks.clone(),
            n_stuck: Arc::default(),
            processes: Some(self.base.script_processes.clone()),
        }
    }

    fn control(&self, control: Option<Control>) {
        let Some(control) = control else { return };
        let input = &self.groups.input;
        let parts = serve::Parts {
            db: self.stores.db.clone(),
            cursors: Arc::clone(&self.cursors),
            stores: self.values.clone(),
            backup: RunningParts {
                engine: self.backup.clone(),
                db: self.stores.db.clone(),
                data: self.base.data_dir.path().into(),
                one: Arc::default(),
            },
            clock: self.base.clock.clone(),
        };
        input.spawn("control", control.serve(parts, input.clone()));
    }

    fn collect_settings(&self) -> CollectSettings {
        let descriptors_max = descriptors::raise();
        let wanted = &self.base.settings;
        let settings = wanted.for_collectors(descriptors_max);
        let (has, set) = (&settings.collectors, &wanted.collectors);
        descriptors::report(
            descriptors_max,
            "checks at once",
            &[
                ("collectors.agent.checks_max", set.agent.checks_max, has.agent.checks_max),
                ("collectors.http.requests_max", set.http.requests_max, has.http.requests_max),
                ("collectors.service.checks_max", set.service.checks_max, has.service.checks_max),
                ("collectors.web.scenarios_max", set.web.scenarios_max, has.web.scenarios_max),
                ("collectors.ipmi.devices_max", set.ipmi.devices_max, has.ipmi.devices_max),
            ]
            .map(|(name, wanted, has)| (name, wanted.get() as u64, has.get() as u64)),
        );
        settings
    }

    /// Judges events, walks through the steps of actions, executes their commands and sends their messages.
    fn alerting(&self, ports: &Ports, running: &Arc<Running>) -> Result<(), ServerError> {
        let sources = FactSources { db: self.stores.db.clone(), ports: ports.of_alerting() };
        let parts = alerting::AlertingStart {
            base: self.base,
            senders: &self.senders,
            sources: &sources,
            closing: alerting::ShardClosing {
                running: Arc::clone(running),
                mailboxes: self.shared.mailboxes.clone(),
            },
            tasks: &self.groups.input,
        };
        parts.start()
    }

    /// Serves the API and the pages until shutdown.
    fn http(
        &self,
        ports: Ports,
        db: db::Db,
        listener: tokio::net::TcpListener,
    ) -> impl Future<Output = ()> + Send + use<> {
        let Base { clock, registry, settings, encryption, .. } = self.base;
        let tasks = self.groups.input.clone();
        let (serving, of_api) = http_port::settings(&settings.http, encryption, registry);
        let router = api::router(api::ApiParts {
            db,
            clock: clock.clone(),
            ports,
            registry: registry.clone(),
            tasks: tasks.clone(),
            settings: of_api,
        });
        api::serve(listener, router, serving, (tasks, clock.clone()))
    }
}

/// Input first, then the queues, then what a start would have to read back.
async fn stop(engine: Started, base: &Base) {
    engine.state.set(ServerState::Stopping);
    let Groups { root, input, core, readers } = &engine.groups;
    input.shutdown().cancel();
    if let Err(error) = input.join(INPUT_DEADLINE).await {
        warn!(%error, "input did not end in time");
    }
    // The shards still run: they are asked for their state.
    let progress = Arc::clone(&engine.housekeeping.progress);
    let last = LastHousekeeping::new(engine.housekeeping.clone());
    let given_up = engine.stop.clone();
    let finish = move || runner::run_last_housekeeping(last, &given_up);
    let mut finished = tokio::task::spawn_blocking(finish);
    let mut seen = progress.load(Ordering::Relaxed);
    // As long as it gets on.
    while tokio::time::timeout(DRAIN_DEADLINE, &mut finished).await.is_err() {
        let now = progress.load(Ordering::Relaxed);
        if now == seen {
            warn!("the last checkpoint does not get on; the next start reads back the journal");
            break;
        }
        seen = now;
    }
    engine.drained.store(true, Ordering::Relaxed);
    for shard in 0..base.n_shards {
        engine.housekeeping.mailboxes.ingress.wake(shard);
    }
    core.shutdown().cancel();
    if let Err(error) = core.join(DRAIN_DEADLINE).await {
        warn!(%error, "shards did not end in time");
        engine.stop.cancel();
    }
    readers.shutdown().cancel();
    if let Err(error) = readers.join(DRAIN_DEADLINE).await {
        warn!(%error, "readers of the journal did not end in time");
    }
    root.shutdown().cancel();
}
