//! One life of the followers of a server, with the journal and its reader of events.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use collect::discovery::DiscoveryResult;
use collect::ports::{Registration, Registrations as _};
use db::{Db, DbSettings, Location};
use disk::MemDisk;
use engine::mailboxes::{Mailboxes, ShardMessage};
use followers::autoregistration::{self, RegistrationParts, RegistrationPort};
use followers::expiry::{self, ExpiryMetrics, ExpiryRate, ExpiryRounds};
use followers::maintenance::{self, MaintenanceMetrics, MaintenanceParts, MaintenanceTimer};
use followers::network_discovery::{self, NetworkDiscoveryParts};
use followers::ports::EventLog;
use followers::services::{self, ServiceMetrics, ServiceParts, ServiceStatus};
use ingress::Ingress;
use journal::{Journal, Lsn};
use model::Time;
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::queue::{self, Receiver, Sender, WhenFull};
use rt::task::Tasks;
use rt::worker::{GroupContext, Pass, Roster, WorkerGroup, WorkerMetrics};

use super::carrier::{self, Carrier, RefusingLog};
use crate::faults::Faults;

const N_SHARDS: u16 = 2;
/// Messages that wait for one shard at most.
const MAILBOX_MAX: usize = 1;
/// As in the server; a step handles fewer rows.
const EXPIRY: ExpiryRate =
    ExpiryRate { interval: Some(Duration::from_hours(1)), rows_max: 500, busy_percent: 20 };
/// Between two times that the server's housekeeper does its jobs.
const JOBS_NS: u64 = 60_000_000_000;

/// Parts that are started on a database and a journal.
pub(super) struct Process {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) health: Health,
    pub(super) registry: Registry,
    pub(super) journal: Journal,
    /// Of shards: whether each has the message that a host has maintenance without data.
    pub(super) without_data: Vec<bool>,
    mailboxes: Vec<Receiver<ShardMessage>>,
    carrier: Carrier,
    queues: Arc<[Sender<ShardMessage>]>,
    log: Arc<RefusingLog>,
    /// When jobs are done next, on the monotonic clock.
    jobs_ns: u64,
    registrations: RegistrationPort,
    discovered: Sender<DiscoveryResult>,
    groups: [WorkerGroup; 3],
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").finish_non_exhaustive()
    }
}

/// Opens the database.
pub(super) fn open(path: &Path, clock: &Clock, faults: Option<&Faults>) -> Db {
    let settings = DbSettings {
        clock: clock.clone(),
        faults: faults.map(|it| Arc::new(it.clone()) as _),
        ..DbSettings::new(Location::Sqlite(path.to_owned()))
    };
    Db::open(&settings).unwrap_or_else(|error| panic!("the database opens: {error}"))
}

impl Process {
    /// Without threads: nobody but [`Process::pass`] gives the workers their turns.
    pub(super) fn start((path, disk): (&Path, &MemDisk), wall: Time, faults: &Faults) -> Self {
        let clock = Clock::manual(wall);
        let db = open(path, &clock, Some(faults));
        let (health, registry) = (Health::default(), Registry::new());
        let tasks = Tasks::new("sim", &registry);
        let context = GroupContext {
            tasks,
            clock: clock.clone(),
            health: health.clone(),
            metrics: WorkerMetrics::register(&registry),
            roster: Roster::default(),
        };
        let (journal, carrier, log) =
            carrier::open((disk, &db), faults, (&clock, &health, &registry));
        let (queues, mailboxes): (Vec<_>, Vec<_>) = (0..N_SHARDS)
            .map(|shard| {
                let name = format!("shard-{shard}-internal");
                queue::bounded(&name, MAILBOX_MAX, WhenFull::Refuse, &clock, &registry)
            })
            .unzip();
        let queues: Arc<[Sender<ShardMessage>]> = queues.into();
        let events: Arc<dyn EventLog> = Arc::clone(&log) as _;
        let ingress = Ingress::new(N_SHARDS, &clock, &registry).0;
        let mut of_services = WorkerGroup::new("followers", &context);
        let parts = ServiceParts {
            db: db.clone(),
            writer: Arc::clone(&events),
            metrics: ServiceMetrics::register(&registry),
        };
        of_services.add(services::ROW, |wake| ServiceStatus::new(parts, wake));
        let metrics = ExpiryMetrics::register(&registry);
        of_services
            .add(expiry::ROW, |_| ExpiryRounds::new(db.clone(), clock.clone(), EXPIRY, metrics));
        let mut of_clock = WorkerGroup::new("timers", &context);
        let parts = MaintenanceParts {
            db: db.clone(),
            maintaining: Arc::new(db.clone()),
            clock: clock.clone(),
            mailboxes: Mailboxes { queues: Arc::clone(&queues), ingress },
            metrics: MaintenanceMetrics::register(&registry),
        };
        of_clock.add(maintenance::ROW, |wake| MaintenanceTimer::new(parts, wake));
        let mut of_devices = WorkerGroup::new("devices", &context);
        let (registrations, registrar) = autoregistration::open(RegistrationParts {
            db: db.clone(),
            events: Arc::clone(&events),
            clock: clock.clone(),
            registry: registry.clone(),
            health: health.clone(),
        });
        of_devices.add(autoregistration::ROW, |wake| registrar.woken_by(wake));
        let (discovered, devices) = network_discovery::open(NetworkDiscoveryParts {
            db: db.clone(),
            events,
            clock: clock.clone(),
            registry: registry.clone(),
        });
        of_devices.add(network_discovery::ROW, |wake| devices.woken_by(wake));
        Self {
            db,
            clock,
            health,
            registry,
            journal,
            without_data: vec![false; usize::from(N_SHARDS)],
            mailboxes,
            carrier,
            queues,
            log,
            jobs_ns: JOBS_NS,
            registrations,
            discovered,
            groups: [of_services, of_clock, of_devices],
        }
    }

    pub(super) fn carry(&self) -> bool {
        self.carrier.carry()
    }

    /// The journal refuses the next records of followers.
    pub(super) fn refuse_events(&self, n_records: u32) {
        self.log.refuse(n_records);
    }

    /// Results of rounds of network discovery.
    pub(super) fn report(&self, results: Vec<DiscoveryResult>) {
        for result in results {
            self.discovered.try_send(result).expect("there is room");
        }
    }

    /// Whether the earlier registrations of agents have been read.
    pub(super) fn knows_agents(&self) -> bool {
        self.registry.value("saker_autoregistration_known", None).is_some_and(|it| 0.0 < it)
    }

    /// An agent asks for its checks.
    pub(super) fn ask(&self, said: Registration, from: IpAddr) {
        self.registrations.asked(said, from);
    }

    /// Others have filled the mailboxes of shards.
    pub(super) fn fill_mailboxes(&self) {
        for queue in self.queues.iter() {
            // It is full already.
            drop(queue.try_send(ShardMessage::Calculate(Vec::new())));
        }
    }

    /// Shards take the messages that wait for them.
    pub(super) fn empty_mailboxes(&mut self) {
        for (shard, mailbox) in self.mailboxes.iter().enumerate() {
            while let Ok(message) = mailbox.try_receive() {
                if let ShardMessage::WithoutData(hosts) = message {
                    self.without_data[shard] = !hosts.is_empty();
                }
            }
        }
    }

    /// The work of the server's housekeeper, each minute. `read`: up to where the oracle has read
    /// the journal.
    pub(super) fn keep_house(&mut self, read: Lsn) {
        let now_ns = self.clock.mono_ns();
        if now_ns < self.jobs_ns {
            return;
        }
        self.jobs_ns = now_ns + JOBS_NS;
        self.db.events().expire(self.clock.wall());
        let n_dropped = self.db.events().drop_orphans(&self.db.snapshot());
        assert_eq!(n_dropped, 0, "nobody has deleted anything");
        self.carrier.retain(read);
    }

    /// Gives each group a pass. When one is due next, in monotonic nanoseconds; `None`: when a worker is woken.
    pub(super) fn pass(&mut self) -> Option<u64> {
        let mut due: Option<u64> = None;
        for group in &mut self.groups {
            let at = match group.pass() {
                Pass::Again => Some(0),
                Pass::At(at) => Some(at),
                Pass::WhenWoken => None,
                Pass::Ended => panic!("no worker comes to its end"),
            };
            due = [due, at].into_iter().flatten().min();
        }
        due
    }
}
