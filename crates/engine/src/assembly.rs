//! An engine put together and not started: the result of a start on an opened data directory, in
//! the server and in a simulation alike. Threads around the parts are in [`crate::runner`]; a
//! simulation gives them their turns itself.

use std::sync::Arc;
use std::time::Duration;

use directory::{BuilderSettings, DirectoryBuilder};
use history::{Feeder, FeederSettings, Store};
use ingress::{Deliveries, Ingress};
use jiff::tz::TimeZone;
use model::snapshot::Snapshot;
use pipeline::cross_item::{CrossItemQuery, CrossItemReader};
use pipeline::{Fetch, LiveTable};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::queue::{self, Receiver, Sender, WhenFull};
use rt::shutdown::Shutdown;
use script::Limits;
use tracing::error;

use crate::EngineError;
use crate::checkpoint::{Checkpoints, Loaded};
use crate::cross_item::{self, CrossItemQueries, CrossItemQueryMetrics};
use crate::event_writer::EventWriter;
use crate::fault_injection::InjectFaults;
use crate::health_issues::{HealthIssueMetrics, HealthIssues, Work};
use crate::history_fetch::{self, HistoryFetchMetrics, HistoryFetcher};
use crate::housekeeping::{HousekeeperParts, HousekeepingMetrics, JournalSync, PeriodicJobs};
use crate::mailboxes::{Mailboxes, Outbox, ShardMessage};
use crate::pause::Pause;
use crate::readers::{self, ReaderMetrics, ReaderWake};
use crate::recovery::{self, KnownEvents, OpenedData, Piece, Restored};
use crate::replay::ReplayContext;
use crate::running::RunningConfiguration;
use crate::shard::{ShardContext, ShardLoop, ShardMetrics, ShardParts};
use crate::states::States;
use crate::values::SharedLiveStore;
use crate::workers::{self, JobWorkerMetrics, NewScripts, WorkerParts};

/// How an engine is to be.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    pub n_shards: u16,
    /// Of the directory.
    pub hash_seed: u64,
    pub zone: TimeZone,
    /// Sync each record before it counts as written.
    pub sync_each: bool,
    pub n_workers: usize,
    pub script_limits: Limits,
    /// [`crate::shard::STEP_BYTES_MAX`] but in tests.
    pub step_bytes_max: usize,
    /// Messages from inside the process that wait for one shard: [`crate::mailboxes::MAILBOX_MAX`]
    /// but in tests.
    pub mailbox_max: usize,
    /// Stores of history that are fed from the journal.
    pub feeder: FeederSettings,
    /// Values are written to files after so long at the latest.
    pub flush_interval: Duration,
}

/// Makes the jobs that go by how triggers and items stand.
pub type NewJobs = Box<dyn FnOnce(&Arc<States>) -> PeriodicJobs>;

/// The surroundings of an engine.
pub struct EngineSurroundings {
    /// The way in, and its ends at the shards.
    pub ingress: Ingress,
    pub deliveries: Vec<Deliveries>,
    /// The configuration to begin with.
    pub snapshot: Arc<Snapshot>,
    pub known_events: KnownEvents,
    pub new_scripts: NewScripts,
    /// Jobs by which the owner periodically saves state other than the engine's own.
    pub jobs: NewJobs,
    /// How time passes where work cannot go on; knows when the hard stop is due.
    pub stop: Arc<dyn Pause>,
    /// Ends the workers.
    pub shutdown: Shutdown,
    /// A server has none.
    pub faults: Option<Arc<dyn InjectFaults>>,
    pub clock: Clock,
    pub registry: Registry,
    pub health: Health,
}

opaque_debug!(EngineSurroundings);

/// The parts of an engine.
pub struct Engine {
    /// By number. [`ShardLoop::begin`] comes before their first turn.
    pub shards: Vec<ShardLoop>,
    pub history_fetcher: HistoryFetcher,
    pub cross_item_queries: CrossItemQueries,
    pub workers: WorkerParts,
    /// Needed unless each record is synced.
    pub sync: JournalSync,
    pub housekeeping: HousekeeperParts,
    /// The parts that readers of the journal get.
    pub readers: readers::ReaderParts,
    /// For events that no shard makes.
    pub event_writer: EventWriter,
    pub configuration: Arc<RunningConfiguration>,
    pub live: LiveTable,
    /// The state that all shards share.
    pub context: ShardContext,
}

opaque_debug!(Engine);

impl Engine {
    /// Restores an engine from an opened data directory; `spread` does the pieces of reading it back.
    ///
    /// # Errors
    /// The journal cannot be read, or what is restored is no state.
    pub fn assemble(
        settings: &EngineSettings,
        opened: OpenedData,
        mut around: EngineSurroundings,
        spread: impl FnOnce(Vec<Piece<'_>>),
    ) -> Result<Self, EngineError> {
        let OpenedData { journal, history, read, checkpoints, loaded } = opened;
        let deliveries = std::mem::take(&mut around.deliveries);
        let (clock, registry) = (&around.clock, &around.registry);
        let (mailboxes, receivers) = mailboxes(settings, &around);
        let (configuration, plans) = RunningConfiguration::start(
            directory_builder(settings),
            &around.snapshot,
            mailboxes.clone(),
        );
        let (configuration, live) = (Arc::new(configuration), LiveTable::new(settings.n_shards));
        let issues = issues(&around);
        let housekeeping_metrics = HousekeepingMetrics::register(registry);
        report_damaged_checkpoints(&loaded, (&housekeeping_metrics, &issues));
        let replay = ReplayContext {
            journal: &journal,
            history: &history,
            live: &live,
            zone: &settings.zone,
            clock,
            pause: &*around.stop,
        };
        let mut restored = recovery::read_back(replay, loaded, plans, spread)?;
        let workers = worker_parts(settings, &around, mailboxes.clone());
        let (fetches, fetch_queue) =
            refusing("history-fetches", history_fetch::FETCHES_MAX, &around);
        let (queries, query_queue) =
            refusing("cross-item-queries", cross_item::QUERIES_MAX, &around);
        let context = ShardContext {
            journal: journal.clone(),
            sync_each: settings.sync_each,
            mailboxes,
            fetches,
            jobs: Arc::clone(&workers.jobs),
            cross_item_queries: queries,
            sessions: Arc::new(std::mem::take(&mut restored.sessions)),
            events: ReaderWake::default(),
            discovery: ReaderWake::default(),
            clock: clock.clone(),
            metrics: ShardMetrics::register(registry),
            stop: Arc::clone(&around.stop),
            drained: Arc::default(),
            states: Arc::default(),
            issues,
            step_bytes_max: settings.step_bytes_max,
            faults: around.faults.clone(),
        };
        recovery::restore_states(
            &context.states,
            &restored.shards,
            &around.known_events,
            (&journal, &*around.stop),
        )?;
        let of = Of { context: &context, history: &history, read: &read, around: &around };
        let history_fetcher = of.history_fetcher(fetch_queue);
        let cross_item_queries =
            of.cross_item_queries(query_queue, settings, (&configuration, &live));
        let sync = JournalSync {
            journal: journal.clone(),
            clock: clock.clone(),
            metrics: housekeeping_metrics,
            issues: Arc::clone(&context.issues),
        };
        let readers = of.readers();
        let shards = of.shards((&checkpoints, settings.n_shards), restored, receivers, deliveries);
        let housekeeping = of.housekeeping(checkpoints, &readers, settings, sync.metrics.clone());
        let housekeeping =
            HousekeeperParts { jobs: (around.jobs)(&context.states), ..housekeeping };
        Ok(Self {
            shards,
            history_fetcher,
            cross_item_queries,
            workers,
            sync,
            housekeeping,
            event_writer: EventWriter::new(&context, &readers.cursors),
            readers,
            configuration,
            live,
            context,
        })
    }
}

fn directory_builder(settings: &EngineSettings) -> DirectoryBuilder {
    DirectoryBuilder::new(BuilderSettings {
        n_shards: settings.n_shards,
        hash_seed: settings.hash_seed,
        zone: settings.zone.clone(),
    })
}

/// Mailboxes of shards for messages inside the process, and the receiving ends.
fn mailboxes(
    settings: &EngineSettings,
    around: &EngineSurroundings,
) -> (Mailboxes, Vec<Receiver<ShardMessage>>) {
    let (clock, registry) = (&around.clock, &around.registry);
    let (queues, receivers): (Vec<_>, Vec<_>) = (0..settings.n_shards)
        .map(|shard| {
            let name = format!("shard-{shard}-internal");
            queue::bounded(&name, settings.mailbox_max, WhenFull::Block, clock, registry)
        })
        .unzip();
    (Mailboxes { queues: queues.into(), ingress: around.ingress.clone() }, receivers)
}

fn issues(around: &EngineSurroundings) -> Arc<HealthIssues> {
    let metrics = HealthIssueMetrics::register(&around.registry);
    Arc::new(HealthIssues::new(around.health.clone(), around.clock.clone(), metrics))
}

fn report_damaged_checkpoints(
    loaded: &Loaded,
    (metrics, issues): (&HousekeepingMetrics, &HealthIssues),
) {
    for error in &loaded.skipped {
        metrics.checkpoints_damaged_total.inc();
        error!(%error, used = loaded.lsn, "the previous checkpoint and the journal after it are used");
        issues.begin(Work::FormerCheckpoint, error);
    }
}

/// The stores of values: so far the one that shards write to.
fn stores(
    journal: &journal::Journal,
    history: &SharedLiveStore,
    settings: FeederSettings,
    (registry, health): (&Registry, &Health),
) -> Feeder {
    let feeder = Feeder::new(journal.clone(), settings, (registry, health));
    feeder.watch("embedded", Arc::clone(history) as Arc<dyn Store>);
    feeder
}

fn worker_parts(
    settings: &EngineSettings,
    around: &EngineSurroundings,
    mailboxes: Mailboxes,
) -> WorkerParts {
    let EngineSurroundings { clock, registry, new_scripts, shutdown, .. } = around;
    let metrics = JobWorkerMetrics::register(registry);
    let (n, limits) = (settings.n_workers, settings.script_limits);
    WorkerParts {
        jobs: workers::job_queue(n, limits, (clock, &metrics), (registry, shutdown)),
        mailboxes,
        new_scripts: Arc::clone(new_scripts),
        clock: clock.clone(),
        metrics,
        shutdown: shutdown.clone(),
    }
}

/// A queue whose senders keep what finds no room.
fn refusing<T: Send + 'static>(
    name: &str,
    max: usize,
    around: &EngineSurroundings,
) -> (Sender<T>, Receiver<T>) {
    queue::bounded(name, max, WhenFull::Refuse, &around.clock, &around.registry)
}

/// The inputs of several parts.
struct Of<'a> {
    context: &'a ShardContext,
    history: &'a SharedLiveStore,
    read: &'a Arc<dyn Store>,
    around: &'a EngineSurroundings,
}

impl Of<'_> {
    fn history_fetcher(&self, fetches: Receiver<(u16, Fetch)>) -> HistoryFetcher {
        HistoryFetcher {
            fetches,
            history: Arc::clone(self.read),
            answers: Outbox::new(self.context.mailboxes.clone()),
            metrics: HistoryFetchMetrics::register(&self.around.registry),
            clock: self.around.clock.clone(),
            drained: Arc::clone(&self.context.drained),
        }
    }

    fn cross_item_queries(
        &self,
        queries: Receiver<(u16, CrossItemQuery)>,
        settings: &EngineSettings,
        (configuration, live): (&Arc<RunningConfiguration>, &LiveTable),
    ) -> CrossItemQueries {
        CrossItemQueries {
            queries,
            reader: CrossItemReader::new(settings.zone.clone()),
            history: Arc::clone(self.read),
            running: Arc::clone(configuration),
            live: live.clone(),
            answers: Outbox::new(self.context.mailboxes.clone()),
            metrics: CrossItemQueryMetrics::register(&self.around.registry),
            clock: self.around.clock.clone(),
            drained: Arc::clone(&self.context.drained),
        }
    }

    /// Without jobs.
    fn housekeeping(
        &self,
        checkpoints: Arc<Checkpoints>,
        readers: &readers::ReaderParts,
        settings: &EngineSettings,
        metrics: HousekeepingMetrics,
    ) -> HousekeeperParts {
        let (context, around) = (self.context, self.around);
        let around_stores = (&around.registry, &around.health);
        let stores = stores(&context.journal, self.history, settings.feeder, around_stores);
        HousekeeperParts {
            journal: context.journal.clone(),
            history: Arc::clone(self.history),
            stores,
            mailboxes: context.mailboxes.clone(),
            sessions: Arc::clone(&context.sessions),
            cursors: Arc::clone(&readers.cursors),
            exports: Arc::new(|_| journal::Lsn(u64::MAX)),
            checkpoints,
            issues: Arc::clone(&context.issues),
            progress: Arc::default(),
            jobs: Arc::new(|_| {}),
            flush_interval: settings.flush_interval,
            clock: around.clock.clone(),
            metrics,
        }
    }

    fn readers(&self) -> readers::ReaderParts {
        readers::ReaderParts {
            journal: self.context.journal.clone(),
            cursors: Arc::default(),
            metrics: ReaderMetrics::register(&self.around.registry),
            health: self.around.health.clone(),
        }
    }

    fn shards(
        &self,
        (checkpoints, n_shards): (&Arc<Checkpoints>, u16),
        restored: Restored,
        receivers: Vec<Receiver<ShardMessage>>,
        deliveries: Vec<Deliveries>,
    ) -> Vec<ShardLoop> {
        let parts = restored.shards.into_iter().zip(restored.outboxes).zip(restored.wholes);
        let parts = (0..).zip(parts.zip(deliveries).zip(receivers));
        let shards = parts.map(|(number, ((((shard, outbox), whole), deliveries), mailbox))| {
            ShardLoop::new(ShardParts {
                number,
                n_shards,
                shard,
                whole,
                outbox,
                deliveries,
                mailbox,
                head: self.history.writer(number),
                checkpoints: Arc::clone(checkpoints),
                context: self.context.clone(),
            })
        });
        shards.collect()
    }
}
