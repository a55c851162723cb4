//! Hosts in maintenance: computed at the beginning of each minute, as in Zabbix, and at once when
//! maintenances, hosts or groups change. Shards are notified of the hosts whose values are not
//! taken.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use db::{Db, RunningMaintenances};
use engine::mailboxes::{Mailboxes, ShardMessage};
use model::map::Set;
use model::{MaintenanceId, Now, Time};
use pipeline::HostWithoutData;
use rt::clock::Clock;
use rt::metrics::{Gauge, TimeHistogram};
use rt::worker::{Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};

use crate::ports::Maintaining;
use crate::quarantine::Quarantine;

/// The pause until a full mailbox is tried again.
const FULL_PAUSE: Duration = Duration::from_millis(100);

/// In the list of what runs.
pub const ROW: WorkerRow = WorkerRow {
    name: "maintenances",
    job: "finds which hosts are in maintenance, and which problems that suppresses",
    woken_by: "the beginning of a minute, changes of maintenances, hosts and groups",
    waits: "the begin and end of maintenances wait",
    on_panic: OnPanic::Reload,
};

rt::metrics! {
    /// Hosts in maintenance.
    pub struct MaintenanceMetrics in "saker_maintenance" {
        /// Hosts that are in maintenance now.
        pub hosts: Gauge,
        /// Of these, hosts of which no values are taken.
        pub hosts_without_data: Gauge,
        /// Time to find out which hosts are in maintenance and which problems that suppresses, in seconds.
        pub evaluation_seconds: TimeHistogram,
    }
}

/// The parts of [`MaintenanceTimer`].
pub struct MaintenanceParts {
    pub db: Db,
    pub maintaining: Arc<dyn Maintaining>,
    pub clock: Clock,
    pub mailboxes: Mailboxes,
    pub metrics: MaintenanceMetrics,
}

opaque_debug!(MaintenanceParts);

/// The worker.
pub struct MaintenanceTimer {
    maintaining: Arc<dyn Maintaining>,
    clock: Clock,
    metrics: MaintenanceMetrics,
    has_changes: Arc<AtomicBool>,
    /// That was last looked at.
    minute: i64,
    mailboxes: Mailboxes,
    without_data: Arc<[HostWithoutData]>,
    /// Shards that do not know of it yet.
    outdated: Vec<u16>,
    quarantine: Quarantine<MaintenanceId>,
    /// Maintenances that are left out until one of them is changed.
    aside: Set<MaintenanceId>,
    /// Maintenances that have changed since the last look.
    changed: Arc<Mutex<Set<MaintenanceId>>>,
}

opaque_debug!(MaintenanceTimer);

impl MaintenanceTimer {
    /// Finds out for the first time, and hears of changes from now on.
    #[must_use]
    pub fn new(parts: MaintenanceParts, wake: &Wake) -> Self {
        let MaintenanceParts { db, maintaining, clock, mailboxes, metrics } = parts;
        let has_changes: Arc<AtomicBool> = Arc::default();
        let changed: Arc<Mutex<Set<MaintenanceId>>> = Arc::default();
        let (of_db, wake) = (Arc::clone(&has_changes), wake.clone());
        let changed_by_db = Arc::clone(&changed);
        db.subscribe(Box::new(move |snapshot, delta| {
            if RunningMaintenances::depends_on(snapshot, delta) {
                let documents = delta.documents_changed.iter();
                let maintenances = documents.filter(|(kind, _)| *kind == "maintenance");
                lock(&changed_by_db).extend(maintenances.map(|(_, id)| MaintenanceId(*id)));
                of_db.store(true, Ordering::Release);
                wake.wake();
            }
        }));
        let mut timer = Self {
            maintaining,
            clock,
            metrics,
            has_changes,
            minute: 0,
            // The maintenances in their journal may have ended.
            outdated: (0..mailboxes.n_shards()).collect(),
            mailboxes,
            without_data: Arc::default(),
            quarantine: Quarantine::default(),
            aside: Set::default(),
            changed,
        };
        timer.follow(timer.clock.wall());
        timer
    }

    fn follow(&mut self, now: Time) {
        self.look(now);
        let (mailboxes, hosts) = (&self.mailboxes, &self.without_data);
        // A full mailbox is tried again with the next turn.
        self.outdated.retain(|shard| {
            mailboxes.try_send(*shard, ShardMessage::WithoutData(Arc::clone(hosts))).is_err()
        });
    }

    fn look(&mut self, now: Time) {
        let minute = now.clock().div_euclid(60);
        // Changes from here on are seen in the next turn.
        let has_changes = self.has_changes.swap(false, Ordering::AcqRel);
        if minute == self.minute && !has_changes {
            return;
        }
        self.minute = minute;
        let changed = std::mem::take(&mut *lock(&self.changed));
        for changed in changed {
            self.aside.remove(&changed);
        }
        let started_ns = self.clock.mono_ns();
        let (quarantine, aside) = (&mut self.quarantine, &self.aside);
        let maintained = self.maintaining.maintain_by(now, &mut |id| {
            quarantine.begin(id);
            !aside.contains(&id)
        });
        quarantine.passed();
        self.metrics.hosts.set_n(maintained.hosts().count());
        let without_data: Vec<HostWithoutData> = maintained
            .without_data()
            .into_iter()
            .map(|(host, it)| HostWithoutData {
                host,
                maintenance: it.id,
                since: Time::from_clock(it.since, 0),
                until: Time::from_clock(it.until, 0),
            })
            .collect();
        self.metrics.hosts_without_data.set_n(without_data.len());
        if *self.without_data != *without_data {
            self.without_data = without_data.into();
            self.outdated = (0..self.mailboxes.n_shards()).collect();
        }
        let took_ns = self.clock.mono_ns().saturating_sub(started_ns);
        self.metrics.evaluation_seconds.observe_ns(took_ns);
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker for MaintenanceTimer {
    type Error = Infallible;

    fn turn(&mut self, now: Now) -> Result<Next, Infallible> {
        self.follow(now.wall);
        // Each second, since somebody may set the clock.
        let next = Next::at_next_second(now);
        let is_complete = self.outdated.is_empty();
        Ok(if is_complete { next } else { next.or(Next::after(now, FULL_PAUSE)) })
    }

    /// All of it is found again.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        self.has_changes.store(true, Ordering::Release);
        self.outdated = (0..self.mailboxes.n_shards()).collect();
        Ok(())
    }

    /// A maintenance that cannot be judged is left out until it is changed.
    fn put_aside(&mut self) -> Option<String> {
        let id = self.quarantine.culprit()?;
        self.aside.insert(id);
        Some(format!("maintenance {id}"))
    }
}
