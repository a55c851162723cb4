//! One life of the server: the product, wired as the server wires it, without threads.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use disk::Disk;
use engine::assembly::{Engine, EngineSettings, EngineSurroundings};
use engine::cross_item::CrossItemQueries;
use engine::history_fetch::HistoryFetcher;
use engine::housekeeping::{Housekeeper, HousekeeperParts, JournalSync};
use engine::mailboxes::Mailboxes;
use engine::readers::{Cursors, DiscoveryFeed, EventFeed, ReaderMetrics, StoreFeed};
use engine::recovery::{self, KnownEvents, OpenSettings};
use engine::shard::{STEP_BYTES_MAX, ShardLoop};
use engine::states::States;
use engine::values::SharedLiveStore;
use engine::workers::{JobWorker, NewWorker, WorkerParts, WorkerWatch};
use engine::{EngineError, readers};
use history::{Flush, HistorySamples, RangeQuery, Store};
use ingress::{Deliveries, Ingress};
use jiff::tz::TimeZone;
use journal::{Journal, Lsn};
use model::Time;
use model::record::RecordView;
use model::snapshot::Snapshot;
use pipeline::HeavyJob;
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::{Counter, Registry};
use rt::shutdown::Shutdown;
use script::{Script, Scripts};

use crate::oracle::Archive;
use crate::outside::archive::{self, ArchiveFeed};
use crate::outside::bugs::{Bugs, Injector};
use crate::outside::database::{Database, Events, Results};
use crate::outside::lock;
use crate::outside::machine::Machine;
use crate::outside::remote::Remote;
use crate::outside::senders::Door;
use crate::random::Random;

/// The data directory.
const DATA: &str = "/data";
/// Files of the journal are small, so that they are let go of.
const JOURNAL_FILE_BYTES: u64 = 4_096;
/// Workers for scripts and large documents.
const N_WORKERS: usize = 2;

/// Parts that a process is started with.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    pub(crate) n_shards: u16,
    /// Messages that wait for one shard at most.
    pub(crate) mailbox: usize,
    pub(crate) sync_each: bool,
    pub(crate) hash_seed: u64,
    pub(crate) counts_unsaved: bool,
    pub(crate) wall: Time,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) machine: &'a Machine,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) database: &'a Database,
    pub(crate) remote: &'a Remote,
    pub(crate) archive: &'a Arc<Mutex<Archive>>,
    pub(crate) bugs: &'a Arc<Mutex<Bugs>>,
    pub(crate) flaws: &'a Arc<Mutex<Flaws>>,
}

/// Faults of history for its callers.
#[derive(Debug)]
pub(crate) struct Flaws {
    pub(crate) random: Random,
    pub(crate) is_on: bool,
    pub(crate) n_asked: usize,
    pub(crate) n_failed: usize,
}

/// History, which sometimes can't be read.
#[derive(Debug)]
struct Flawed {
    values: SharedLiveStore,
    flaws: Arc<Mutex<Flaws>>,
}

impl Store for Flawed {
    fn apply(&self, record: &RecordView<'_>, next_lsn: Lsn) -> history::Result<()> {
        self.values.apply(record, next_lsn)
    }

    fn applied(&self) -> Lsn {
        self.values.applied()
    }

    fn cursor(&self) -> Lsn {
        self.values.cursor()
    }

    fn skip_to(&self, to: Lsn) -> history::Result<()> {
        self.values.skip_to(to)
    }

    fn range(&self, query: &RangeQuery) -> history::Result<HistorySamples> {
        let mut flaws = lock(&self.flaws);
        flaws.n_asked += 1;
        if flaws.is_on && flaws.random.once_in(8) {
            flaws.n_failed += 1;
            return Err(history::Error::Away { reason: "the disk is busy".into() });
        }
        drop(flaws);
        self.values.range(query)
    }
}

/// Every script returns its input.
struct Same;

impl Scripts for Same {
    fn run(&mut self, _script: &Script, value: &str) -> Result<Option<String>, String> {
        Ok(Some(value.to_owned()))
    }
}

/// A worker, and its present job.
#[derive(Debug)]
pub(crate) struct Busy {
    pub(crate) worker: JobWorker,
    pub(crate) job: Option<Arc<HeavyJob>>,
}

impl Busy {
    pub(crate) fn new(parts: &WorkerParts, this: NewWorker) -> Self {
        Self { worker: JobWorker::new(parts.clone(), this, None), job: None }
    }
}

/// The parts, each of which takes turns.
pub(crate) struct Process {
    pub(crate) clock: Clock,
    pub(crate) journal: Journal,
    pub(crate) history: SharedLiveStore,
    pub(crate) mailboxes: Mailboxes,
    pub(crate) door: Door,
    pub(crate) shards: Vec<ShardLoop>,
    pub(crate) history_reader: HistoryFetcher,
    pub(crate) cross_item_queries: CrossItemQueries,
    pub(crate) worker_parts: WorkerParts,
    pub(crate) workers: Vec<Busy>,
    pub(crate) worker_watch: WorkerWatch,
    pub(crate) saver: Events,
    pub(crate) events: EventFeed<Events>,
    pub(crate) discovery: DiscoveryFeed<Results>,
    pub(crate) remote: StoreFeed,
    pub(crate) archive: ArchiveFeed,
    pub(crate) housekeeping: HousekeeperParts,
    pub(crate) housekeeper: Housekeeper,
    pub(crate) sync: JournalSync,
    pub(crate) cursors: Arc<Cursors>,
    pub(crate) reader_metrics: ReaderMetrics,
    /// Merges of history files that are done.
    pub(crate) merges: Counter,
    pub(crate) states: Arc<States>,
    pub(crate) health: Health,
    pub(crate) drained: Arc<AtomicBool>,
    /// The end of the journal as it was found.
    pub(crate) found: u64,
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process").finish_non_exhaustive()
    }
}

impl Start<'_> {
    fn settings(&self) -> EngineSettings {
        EngineSettings {
            n_shards: self.n_shards,
            hash_seed: self.hash_seed,
            zone: TimeZone::UTC,
            sync_each: self.sync_each,
            n_workers: N_WORKERS,
            script_limits: script::Limits::default(),
            step_bytes_max: STEP_BYTES_MAX,
            mailbox_max: self.mailbox,
            feeder: history::FeederSettings::default(),
            flush_interval: Duration::from_secs(3_600),
        }
    }

    fn surroundings(
        &self,
        (ingress, deliveries): (Ingress, Vec<Deliveries>),
        clock: &Clock,
        (registry, health): (Registry, &Health),
    ) -> EngineSurroundings {
        EngineSurroundings {
            ingress,
            deliveries,
            snapshot: Arc::clone(&self.snapshot),
            known_events: KnownEvents {
                cursor: self.database.with(|it| it.events_cursor),
                last_changes: self.database.last_changes(),
            },
            new_scripts: Arc::new(|| Ok(Box::new(Same))),
            jobs: Box::new(|_| Arc::new(|_| {})),
            stop: Arc::new(self.machine.clone()),
            shutdown: Shutdown::new(),
            faults: Some(Arc::new(Injector(Arc::clone(self.bugs)))),
            clock: clock.clone(),
            registry,
            health: health.clone(),
        }
    }
}

impl Process {
    /// A start, as the server's.
    pub(crate) fn start(start: &Start<'_>) -> Result<Self, EngineError> {
        let (n_shards, machine) = (start.n_shards, start.machine);
        let (registry, health) = (Registry::new(), Health::default());
        let clock = Clock::manual(start.wall);
        machine.begin(&clock);
        lock(start.bugs).new_process();
        start.remote.disconnect();
        let newest = start.database.with(|it| it.events.last_key_value().map(|it| it.0.0));
        let opened = recovery::open(
            OpenSettings {
                disk: Arc::clone(&start.disk),
                data: Path::new(DATA),
                n_shards,
                next_event_id_min: newest.map_or(1, |it| it + 1),
                journal: journal::JournalSettings {
                    file_bytes: JOURNAL_FILE_BYTES,
                    ..journal::JournalSettings::default()
                },
                store: history::StoreKind::default(),
            },
            &registry,
        )?;
        let (journal, history) = (opened.journal.clone(), Arc::clone(&opened.history));
        let found = journal.next_lsn().0;
        let merges =
            registry.find("saker_history_embedded_merges_total").expect("declared by history");
        let (ingress, deliveries) = Ingress::new(n_shards, &clock, &registry);
        let settings = start.settings();
        let around = start.surroundings((ingress.clone(), deliveries), &clock, (registry, &health));
        let mut engine = Engine::assemble(&settings, opened, around, recovery::one_by_one)?;
        // The journal is kept for the oracle as well.
        let mut names = readers::NAMES.to_vec();
        names.push(archive::NAME);
        let cursors = Arc::new(Cursors::of(&names));
        engine.readers.cursors = Arc::clone(&cursors);
        engine.housekeeping.cursors = Arc::clone(&cursors);
        let remote: Arc<dyn Flush> = Arc::new(start.remote.clone());
        let remote = StoreFeed(engine.housekeeping.stores.add("remote", remote));
        let flawed: Arc<dyn Store> =
            Arc::new(Flawed { values: Arc::clone(&history), flaws: Arc::clone(start.flaws) });
        engine.history_fetcher.history = flawed;
        let saver = Events::open(start.database, start.counts_unsaved);
        let Engine { workers, housekeeping, readers, configuration, context, .. } = engine;
        let database = Results(start.database.clone());
        let sessions = Arc::clone(&context.sessions);
        Ok(Self {
            events: EventFeed::new(saver.clone(), readers.clone()),
            discovery: DiscoveryFeed::new(database, clock.clone(), readers.clone()),
            archive: ArchiveFeed::new(start.archive, readers.clone()),
            door: Door { ingress, sessions, configuration, clock: clock.clone() },
            clock,
            journal,
            history,
            mailboxes: context.mailboxes.clone(),
            shards: engine.shards,
            history_reader: engine.history_fetcher,
            cross_item_queries: engine.cross_item_queries,
            workers: workers.base_workers().map(|it| Busy::new(&workers, it)).collect(),
            worker_watch: WorkerWatch::new(workers.clone()),
            worker_parts: workers,
            saver,
            remote,
            housekeeper: Housekeeper::new(housekeeping.clone()),
            housekeeping,
            sync: engine.sync,
            cursors,
            reader_metrics: readers.metrics,
            merges,
            states: context.states,
            health,
            drained: context.drained,
            found,
        })
    }

    /// Whether every shard has room for a message that can't wait.
    pub(crate) fn has_room(&self) -> bool {
        (0..self.mailboxes.n_shards()).all(|it| self.mailboxes.depth(it) == 0)
    }
}
