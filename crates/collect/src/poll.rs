//! All polled items of all hosts: one schedule, one table of collectors.

mod refusals;
mod run;
mod trial;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use model::content::{HostStatus, ItemStatus, ItemType};
use model::snapshot::{Delta, HolderKind, Host, ItemRow, Snapshot};
use model::{ItemId, limits};
use rt::clock::Clock;
use rt::metrics::{Counter, Family, Gauge, Registry, TimeHistogram};
use rt::task::Tasks;
use thiserror::Error;
use tokio::sync::Notify;

use crate::Configuration;
use crate::active::{ActiveChecks, ActiveParts};
use crate::collectors::{self, CollectorSettings, Overview, Preparer};
use crate::ports::{AvailabilitySink, HttpClient, Internals, ItemStates, LocalAgent, ScriptHost};
use crate::resolve::Resolver;
use crate::schedule::{Schedule, UnreachableTimes, View};
use ingress::Ingress;

use refusals::Refusals;
pub use trial::TrialError;

rt::metrics! {
    /// Polling.
    pub struct PollMetrics in "collect_poll" {
        /// Items that are polled.
        pub items: Gauge,
        /// Checks that are due but not finished for 5 seconds or more, by collector.
        pub overdue: Family<Gauge> = "collector",
        /// Conversations with devices under way, by collector.
        pub jobs_running: Family<Gauge> = "collector",
        /// Checks finished, whatever their result, by collector.
        pub checks_total: Family<Counter> = "collector",
        /// Checks whose item was not supported, by collector.
        pub not_supported_total: Family<Counter> = "collector",
        /// Checks that got no answer from the device, by collector.
        pub network_errors_total: Family<Counter> = "collector",
        /// Checks given up for want of sockets or memory of this machine; they come again.
        pub not_made_total: Family<Counter> = "collector",
        /// From the second in which a check is due until it is started.
        pub lag_seconds: TimeHistogram,
    }
}

/// What the operator sets.
#[derive(Clone, Debug)]
pub struct CollectSettings {
    /// Each collector's own.
    pub collectors: CollectorSettings,
    /// Time for a check whose item has none of its own.
    pub timeout: Duration,
    /// An interface that failed is asked again after this time.
    pub unreachable_delay: Duration,
    /// An interface that has been failing for this long is not available.
    pub unreachable_period: Duration,
    /// An interface that is not available is asked again after this time.
    pub unavailable_delay: Duration,
}

impl Default for CollectSettings {
    /// Zabbix's times.
    fn default() -> Self {
        Self {
            collectors: CollectorSettings::default(),
            timeout: Duration::from_secs(3),
            unreachable_delay: Duration::from_secs(15),
            unreachable_period: Duration::from_secs(45),
            unavailable_delay: Duration::from_secs(60),
        }
    }
}

/// What [`Collectors`] work with.
#[expect(missing_debug_implementations, reason = "holds trait objects; never printed")]
pub struct CollectParts {
    pub settings: CollectSettings,
    pub ingress: Ingress,
    /// Its snapshot at the start is the first that is scheduled.
    pub configuration: Arc<dyn Configuration>,
    pub internals: Arc<dyn Internals>,
    pub local_agent: Arc<dyn LocalAgent>,
    pub http: Arc<dyn HttpClient>,
    pub scripts: Arc<dyn ScriptHost>,
    pub item_states: Arc<dyn ItemStates>,
    pub availability: Arc<dyn AvailabilitySink>,
    /// Zone of flexible and scheduling intervals.
    pub zone: TimeZone,
    pub clock: Clock,
}

/// Why an item is not polled now. The texts are those that users know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ExecuteError {
    #[error("no such item")]
    NoSuchItem,
    #[error("wrong item type")]
    WrongType,
    #[error("wrong master item type")]
    WrongMasterType,
    #[error("item is disabled")]
    ItemDisabled,
    #[error("host is not monitored")]
    HostNotMonitored,
}

/// The running collectors. A clone is the same.
#[derive(Clone)]
pub struct Collectors(Arc<CollectorParts>);

struct CollectorParts {
    shared: Arc<collectors::CollectorContext>,
    polling: Arc<Polling>,
    active: Arc<ActiveChecks>,
    refusals: Arc<Refusals>,
}

impl fmt::Debug for Collectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collectors").finish_non_exhaustive()
    }
}

impl Collectors {
    /// Schedules the present snapshot and starts polling, on the runtime of the caller.
    ///
    /// # Panics
    /// Outside a runtime.
    #[must_use]
    pub fn start(parts: CollectParts, registry: &Registry, tasks: &Tasks) -> Self {
        let resolver = Arc::new(Resolver::new(parts.zone.clone()));
        let active = ActiveParts {
            configuration: Arc::clone(&parts.configuration),
            item_states: Arc::clone(&parts.item_states),
            availability: Arc::clone(&parts.availability),
            timeout: parts.settings.timeout,
            zone: parts.zone.clone(),
            clock: parts.clock.clone(),
        };
        let active = Arc::new(ActiveChecks::with_resolver(active, Arc::clone(&resolver)));
        let polling = Arc::new(Polling::new(&parts, resolver, registry));
        let snapshot = parts.configuration.snapshot();
        polling.set_hosts(&snapshot, snapshot.hosts.values());
        let tasks = tasks.group("collect");
        let configuration = Arc::clone(&parts.configuration);
        let refusals = Refusals::new(configuration, Arc::clone(&active), parts.clock.clone());
        let refusals = Arc::new(refusals);
        let shared = run::start(&parts, &polling, (&active, &refusals), (registry, &tasks));
        Self(Arc::new(CollectorParts { shared, polling, active, refusals }))
    }

    /// Takes over a change. Costs what the changed hosts cost; call it in order of epochs, from
    /// where waiting some milliseconds harms nobody.
    pub fn configure(&self, snapshot: &Arc<Snapshot>, delta: &Delta) {
        self.0.active.configure(snapshot, delta);
        let polling = &self.0.polling;
        if delta.globals_changed {
            polling.set_hosts(snapshot, snapshot.hosts.values());
        } else {
            let hosts = delta.hosts_changed.iter().filter_map(|it| snapshot.hosts.get(it));
            polling.set_hosts(snapshot, hosts);
        }
        for host in &delta.hosts_removed {
            polling.lock().remove_host(*host);
        }
        self.0.refusals.configure(delta);
        polling.preparer.resolver.forget_stale();
        polling.wake.notify_one();
    }

    /// Polls items as soon as possible, besides their interval; of dependent items their master.
    /// One result for each.
    #[must_use]
    pub fn execute_now(&self, items: &[ItemId]) -> Vec<Result<(), ExecuteError>> {
        let snapshot = self.0.polling.configuration.snapshot();
        items.iter().map(|it| self.0.polling.execute_now(&snapshot, *it)).collect()
    }

    /// What the trapper port needs for active agents.
    #[must_use]
    pub fn active_agents(&self) -> Arc<ActiveChecks> {
        Arc::clone(&self.0.active)
    }

    /// Polled items that are late by at least `from`, and by less than `to` if there is one.
    #[must_use]
    pub fn n_overdue(&self, from: Duration, to: Option<Duration>) -> u64 {
        let seconds = |it: Duration| u32::try_from(it.as_secs()).unwrap_or(u32::MAX);
        self.0.polling.n_overdue(seconds(from), to.map(seconds))
    }

    /// Polled items that are late, by collector and by how late: see [`LATE_CLASSES_S`].
    #[must_use]
    pub fn overdue_by_collector(&self) -> Vec<(&'static str, [u64; LATE_CLASSES_S.len()])> {
        let polling = &self.0.polling;
        let now = polling.clock.wall();
        let mut rows: Vec<_> = collectors::table().iter().map(|it| (it.name, [0; 6])).collect();
        let schedule = polling.lock();
        for (class, from_s) in LATE_CLASSES_S.iter().enumerate() {
            let to_s = LATE_CLASSES_S.get(class + 1).copied();
            for ((_, row), n) in rows.iter_mut().zip(schedule.n_overdue(*from_s, to_s, now)) {
                row[class] = n;
            }
        }
        drop(schedule);
        rows
    }

    /// What the update intervals of all polled items add up to, in values per second.
    #[must_use]
    pub fn required_performance(&self) -> f64 {
        self.0.polling.required_performance()
    }
}

/// Seconds of lateness that users know as the columns of the queue: from each to the next.
pub const LATE_CLASSES_S: [u32; 6] = [5, 10, 30, 60, 300, 600];

/// The schedule with what it needs around it.
struct Polling {
    schedule: Mutex<Schedule>,
    preparer: Preparer,
    configuration: Arc<dyn Configuration>,
    availability: Arc<dyn AvailabilitySink>,
    clock: Clock,
    metrics: PollMetrics,
    /// Something may be startable that was not before.
    wake: Notify,
}

impl Polling {
    fn new(parts: &CollectParts, resolver: Arc<Resolver>, registry: &Registry) -> Self {
        let settings = &parts.settings;
        let table = collectors::table().iter();
        let limits: Vec<_> = table.map(|it| it.limits(&settings.collectors)).collect();
        let times = UnreachableTimes {
            unreachable_delay: settings.unreachable_delay,
            unreachable_period: settings.unreachable_period,
            unavailable_delay: settings.unavailable_delay,
        };
        let schedule = Schedule::new(&limits, times, parts.zone.clone(), parts.clock.wall());
        Self {
            schedule: Mutex::new(schedule),
            preparer: Preparer {
                resolver,
                local_agent: Arc::clone(&parts.local_agent),
                timeout: settings.timeout,
                clock: parts.clock.clone(),
            },
            configuration: Arc::clone(&parts.configuration),
            availability: Arc::clone(&parts.availability),
            clock: parts.clock.clone(),
            metrics: PollMetrics::register(registry),
            wake: Notify::new(),
        }
    }

    /// Never across an await, and alone: no other lock is taken under it but those of the traits'
    /// owners.
    fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock is taken anew for each host, so that polling goes on in between.
    fn set_hosts<'a>(&self, snapshot: &Snapshot, hosts: impl Iterator<Item = &'a Arc<Host>>) {
        let hosts: Vec<_> = hosts.collect();
        let is_polled =
            |it: &&ItemRow| it.is_enabled_item() && collectors::classify(&it.content).is_some();
        let n_polled = |it: &&Arc<Host>| it.items.iter().filter(is_polled).count();
        self.lock().expect_items(hosts.iter().map(n_polled).sum());
        let saved = |id| self.availability.interface(id);
        let view = View {
            snapshot,
            resolver: &self.preparer.resolver,
            classify: collectors::classify,
            saved: &saved,
        };
        for host in hosts {
            self.lock().set_host(&view, host, self.clock.now());
        }
        self.report();
    }

    /// Passes on what changed of interfaces.
    fn report(&self) {
        let changes = self.lock().take_changes();
        for (interface, state) in changes {
            self.availability.set_interface(interface, state);
        }
    }

    fn execute_now(&self, snapshot: &Snapshot, item: ItemId) -> Result<(), ExecuteError> {
        let (host, row) = snapshot.item(item).ok_or(ExecuteError::NoSuchItem)?;
        if host.kind != HolderKind::Host || !row.is_live() {
            return Err(ExecuteError::NoSuchItem);
        }
        if host.status != HostStatus::Monitored {
            return Err(ExecuteError::HostNotMonitored);
        }
        let is_dependent = row.content.kind == ItemType::Dependent;
        let mut row = row;
        for _level in 0..=limits::DEPENDENT_LEVELS_MAX {
            if row.content.status != ItemStatus::Enabled {
                return Err(ExecuteError::ItemDisabled);
            }
            if row.content.kind != ItemType::Dependent {
                break;
            }
            let master = snapshot.item_by_ref(host, row.content.master_itemid);
            row = master.map(|(_, it)| it).ok_or(ExecuteError::WrongMasterType)?;
        }
        let now = self.clock.now();
        if self.lock().execute_now(host.id, row.id, now) {
            self.wake.notify_one();
            return Ok(());
        }
        Err(if is_dependent { ExecuteError::WrongMasterType } else { ExecuteError::WrongType })
    }
}

impl Overview for Polling {
    fn n_overdue(&self, from_s: u32, to_s: Option<u32>) -> u64 {
        self.lock().n_overdue(from_s, to_s, self.clock.wall()).iter().sum()
    }

    fn required_performance(&self) -> f64 {
        self.lock().checks_per_second()
    }
}
