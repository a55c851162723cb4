//! One life of the followers of a server, with the journal and its reader of events.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use db::{Db, DbSettings, Location};
use disk::MemDisk;
use engine::event_writer::{EventWriter, EventWriterParts};
use engine::mailboxes::{Mailboxes, ShardMessage};
use engine::pause::Pause;
use engine::readers::events::EventFeed;
use engine::readers::{Cursors, Feed as _, ReaderMetrics, ReaderParts, Turn};
use engine::troubles::{TroubleMetrics, Troubles};
use followers::carried_events::SqlEvents;
use followers::maintenance::{self, MaintenanceMetrics, MaintenanceParts, MaintenanceTimer};
use followers::services::{self, ServiceMetrics, ServiceParts, ServiceStatus};
use ingress::Ingress;
use journal::Journal;
use model::Time;
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::queue::{self, Receiver, WhenFull};
use rt::task::Tasks;
use rt::worker::{Group, GroupContext, Pass, Roster, WorkerMetrics};

use crate::faults::Faults;
use crate::outside::lock;

const N_SHARDS: u16 = 2;
/// Messages that wait for one shard at most.
const MAILBOX_MAX: usize = 1;

/// The reader of events, shared with what waits for it.
#[derive(Clone)]
struct Carrier {
    feed: Arc<Mutex<EventFeed<SqlEvents>>>,
    db: Db,
    clock: Clock,
}

impl fmt::Debug for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Carrier").finish_non_exhaustive()
    }
}

impl Carrier {
    /// Whether there was something to carry.
    fn carry(&self) -> bool {
        let turn = lock(&self.feed).turn(false);
        assert_ne!(turn, Turn::Halted, "the reader has lost its place");
        self.db.events().flush().expect("saving events has no faults here");
        // Once more: only now it knows that all is saved.
        let _known = lock(&self.feed).turn(false);
        turn == Turn::More
    }
}

/// Whoever waits for events lets the reader have its turns.
impl Pause for Carrier {
    fn pause(&self, time: Duration) -> bool {
        self.clock.advance(time);
        self.carry();
        false
    }
}

/// What is started on a database and a journal.
pub(super) struct Process {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) health: Health,
    pub(super) registry: Registry,
    pub(super) journal: Journal,
    /// Of shards: whether each knows that no values are taken of a host, as far as it was told.
    pub(super) without_data: Vec<bool>,
    mailboxes: Vec<Receiver<ShardMessage>>,
    carrier: Carrier,
    groups: [Group; 2],
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
        let opened = Journal::open(
            Arc::new(disk.clone()),
            Path::new("/journal"),
            journal::Settings::default(),
        );
        let journal = opened.unwrap_or_else(|error| panic!("the journal opens: {error}")).0;
        let cursors: Arc<Cursors> = Arc::default();
        let readers = ReaderParts {
            journal: journal.clone(),
            cursors: Arc::clone(&cursors),
            metrics: ReaderMetrics::register(&registry),
            health: health.clone(),
        };
        let feed = EventFeed::new(SqlEvents(db.clone()), readers);
        let carrier =
            Carrier { feed: Arc::new(Mutex::new(feed)), db: db.clone(), clock: clock.clone() };
        let troubles =
            Troubles::new(health.clone(), clock.clone(), TroubleMetrics::register(&registry));
        let writer = EventWriter::of(EventWriterParts {
            journal: journal.clone(),
            sync_each: true,
            wake: engine::readers::Wake::default(),
            cursors,
            clock: clock.clone(),
            stop: Arc::new(carrier.clone()),
            troubles: Arc::new(troubles),
        });
        let (queues, mailboxes): (Vec<_>, Vec<_>) = (0..N_SHARDS)
            .map(|shard| {
                let name = format!("shard-{shard}-internal");
                queue::bounded(&name, MAILBOX_MAX, WhenFull::Refuse, &clock, &registry)
            })
            .unzip();
        let ingress = Ingress::new(N_SHARDS, &clock, &registry).0;
        let mut of_services = Group::new("followers", &context);
        let parts = ServiceParts {
            db: db.clone(),
            writer: Arc::new(writer),
            metrics: ServiceMetrics::register(&registry),
        };
        of_services.add(services::ROW, |wake| ServiceStatus::new(parts, wake));
        let mut of_clock = Group::new("timers", &context);
        let parts = MaintenanceParts {
            db: db.clone(),
            maintaining: Arc::new(db.clone()),
            clock: clock.clone(),
            mailboxes: Mailboxes { queues: queues.into(), ingress },
            metrics: MaintenanceMetrics::register(&registry),
        };
        of_clock.add(maintenance::ROW, |wake| MaintenanceTimer::new(parts, wake));
        Self {
            db,
            clock,
            health,
            registry,
            journal,
            without_data: vec![false; usize::from(N_SHARDS)],
            mailboxes,
            carrier,
            groups: [of_services, of_clock],
        }
    }

    pub(super) fn carry(&self) -> bool {
        self.carrier.carry()
    }

    /// Shards take what waits for them.
    pub(super) fn empty_mailboxes(&mut self) {
        for (shard, mailbox) in self.mailboxes.iter().enumerate() {
            while let Ok(message) = mailbox.try_receive() {
                if let ShardMessage::WithoutData(hosts) = message {
                    self.without_data[shard] = !hosts.is_empty();
                }
            }
        }
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
