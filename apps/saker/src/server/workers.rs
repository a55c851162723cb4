//! The workers of the server: the threads that give them their turns.

use std::sync::Arc;
use std::time::Duration;

use collect::discovery::DiscoveryResult;
use db::Db;
use engine::mailboxes::Mailboxes;
use followers::autoregistration::{self, RegistrationParts, RegistrationPort};
use followers::expiry::{self, ExpiryMetrics, ExpiryRate, ExpiryRounds};
use followers::inventory::{self, FillerParts, InventoryFiller, InventoryMetrics};
use followers::maintenance::{self, MaintenanceMetrics, MaintenanceParts, MaintenanceTimer};
use followers::network_discovery::{self, NetworkDiscoveryParts};
use followers::ports::{EventLog, ShardValues};
use followers::ranks::{self, ProblemRanks};
use followers::services::{self, ServiceMetrics, ServiceParts, ServiceStatus};
use pipeline::LiveTable;
use rt::queue::Sender;
use rt::task::TaskError;
use rt::worker::{GroupHandle, Wake, Worker, WorkerGroup, WorkerRow};

use super::base::{Base, Groups};
use crate::settings::Housekeeping;
use server_ports::running::Running;

const TIMERS: &str = "timers";
const FOLLOWERS: &str = "followers";
const DEVICES: &str = "devices";

/// The threads of workers, until they are started.
pub(super) struct Threads {
    /// Workers that need nothing but memory: they continue while the database is unavailable.
    timers: WorkerGroup,
    /// Of workers that read and write the database.
    followers: WorkerGroup,
    /// Workers that make events of discovered devices and registered agents. Other readers of the
    /// database do not delay them.
    devices: WorkerGroup,
}

/// The sources of followers, and their other needs.
pub(super) struct Followed<'a> {
    pub(super) base: &'a Base,
    pub(super) db: &'a Db,
    pub(super) running: &'a Arc<Running>,
    pub(super) live: &'a LiveTable,
    pub(super) mailboxes: &'a Mailboxes,
    pub(super) events: Arc<dyn EventLog>,
}

impl Threads {
    pub(super) fn new(base: &Base, groups: &Groups) -> Self {
        let context = base.worker_context(&groups.input);
        Self {
            timers: WorkerGroup::new(TIMERS, &context),
            followers: WorkerGroup::new(FOLLOWERS, &context),
            devices: WorkerGroup::new(DEVICES, &context),
        }
    }

    /// Adds followers of configuration, problems, values and the clock.
    pub(super) fn follow(&mut self, followed: Followed<'_>) {
        let Followed { base, db, running, live, mailboxes, events } = followed;
        let (clock, registry) = (&base.clock, &base.registry);
        // First: a new trigger's first problem is ranked.
        self.timers.add(ranks::ROW, |_| ProblemRanks::new(db.clone(), clock));
        let of_db = Arc::clone(running);
        db.subscribe(Box::new(move |snapshot, delta| of_db.apply(snapshot, delta)));
        let parts = FillerParts {
            db: db.clone(),
            values: Arc::new(ShardValues {
                running: Arc::clone(running.engine()),
                live: live.clone(),
            }),
            clock: clock.clone(),
            metrics: InventoryMetrics::register(registry),
        };
        self.followers.add(inventory::ROW, |_| InventoryFiller::new(parts));
        let parts = MaintenanceParts {
            db: db.clone(),
            maintaining: Arc::new(db.clone()),
            clock: clock.clone(),
            mailboxes: mailboxes.clone(),
            metrics: MaintenanceMetrics::register(registry),
        };
        self.timers.add(maintenance::ROW, |wake| MaintenanceTimer::new(parts, wake));
        let rate = rate_of(&base.settings.housekeeping);
        let metrics = ExpiryMetrics::register(registry);
        self.followers
            .add(expiry::ROW, |_| ExpiryRounds::new(db.clone(), clock.clone(), rate, metrics));
        let metrics = ServiceMetrics::register(registry);
        let parts = ServiceParts { db: db.clone(), writer: events, metrics };
        self.followers.add(services::ROW, |wake| ServiceStatus::new(parts, wake));
    }

    /// Adds a worker that needs nothing but memory and a few small files of the system.
    pub(super) fn add_timer<W: Worker>(&mut self, row: WorkerRow, make: impl FnOnce(&Wake) -> W) {
        self.timers.add(row, make);
    }

    /// Where workers are added later that need nothing but memory.
    pub(super) fn timers(&self) -> GroupHandle {
        self.timers.handle()
    }

    /// Adds the workers that make events of agents that register themselves and of devices that are
    /// found.
    pub(super) fn take_found(&mut self, base: &Base, db: &Db, events: &Arc<dyn EventLog>) -> Found {
        let Base { clock, registry, health, .. } = base;
        let (registrations, registrar) = autoregistration::open(RegistrationParts {
            db: db.clone(),
            events: Arc::clone(events),
            clock: clock.clone(),
            registry: registry.clone(),
            health: health.clone(),
        });
        self.devices.add(autoregistration::ROW, |wake| registrar.woken_by(wake));
        let (discovered, devices) = network_discovery::open(NetworkDiscoveryParts {
            db: db.clone(),
            events: Arc::clone(events),
            clock: clock.clone(),
            registry: registry.clone(),
        });
        self.devices.add(network_discovery::ROW, |wake| devices.woken_by(wake));
        Found { registrations: Arc::new(registrations), discovered }
    }

    /// # Errors
    /// When the operating system refuses a thread.
    pub(super) fn start(self) -> Result<(), TaskError> {
        self.timers.start()?;
        self.followers.start()?;
        self.devices.start()
    }
}

fn rate_of(settings: &Housekeeping) -> ExpiryRate {
    ExpiryRate {
        interval: (settings.interval_s != 0).then(|| Duration::from_secs(settings.interval_s)),
        rows_max: settings.rows_max.get(),
        busy_percent: settings.busy_percent,
    }
}

/// Where agents that register themselves and devices that are found are reported.
pub(super) struct Found {
    pub(super) registrations: Arc<RegistrationPort>,
    pub(super) discovered: Sender<DiscoveryResult>,
}
