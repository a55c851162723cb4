//! The state of polling.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use model::content::{HostStatus, ItemStatus, ItemType};
use model::snapshot::{HolderKind, Host, ItemRow, Snapshot};
use model::{ItemId, limits};
use rt::clock::Clock;
use rt::metrics::{Counter, Family, Gauge, Registry, TimeHistogram};
use rt::reading::Readings;
use rt::tls::TlsConnector;
use thiserror::Error;
use tokio::sync::Notify;

use crate::Configuration;
use crate::collectors::{
    self, CheckResult, CollectorSettings, Finished, Overview, Preparer, Reading,
};
use crate::dns_cache::DnsCache;
use crate::ports::{
    AvailabilitySink, HostMaintenance, HttpClient, Internals, ItemStates, LocalAgent, Maintenances,
    Registrations, RemoteShells, ScriptHost, Secrets,
};
use crate::resolve::Resolver;
use crate::schedule::{Due, Job, Schedule, UnreachableTimes, View};
use crate::snmp_traps::TrapSources;
use ingress::Ingress;

rt::metrics! {
    /// Polling.
    pub struct PollMetrics in "saker_poll", formerly "collect_poll" {
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
        /// Checks given up because this machine lacks sockets or memory; they are repeated.
        pub not_made_total: Family<Counter> = "collector",
        /// Checks left out because their host is in maintenance without data collection.
        pub in_maintenance_total: Family<Counter> = "collector",
        /// Time from the second in which a check is due until it is started.
        pub lag_seconds: TimeHistogram,
    }
}

/// The operator's settings.
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

/// The parts that [`Collectors`] work with.
#[expect(missing_debug_implementations, reason = "holds trait objects; never printed")]
pub struct CollectParts {
    pub settings: CollectSettings,
    pub ingress: Ingress,
    /// Its first snapshot is the one that is scheduled.
    pub configuration: Arc<dyn Configuration>,
    pub internals: Arc<dyn Internals>,
    pub local_agent: Arc<dyn LocalAgent>,
    pub http: Arc<dyn HttpClient>,
    /// Memory of received answers.
    pub readings: Readings,
    pub scripts: Arc<dyn ScriptHost>,
    /// Its scripts have browsers; `None`: there is no WebDriver.
    pub browsers: Option<Arc<dyn ScriptHost>>,
    pub shells: Arc<dyn RemoteShells>,
    pub secrets: Arc<dyn Secrets>,
    pub item_states: Arc<dyn ItemStates>,
    pub maintenances: Arc<dyn Maintenances>,
    pub availability: Arc<dyn AvailabilitySink>,
    pub registrations: Arc<dyn Registrations>,
    pub traps: TrapSources,
    /// This program, for other roles; `None`: there are none.
    pub own_program: Option<PathBuf>,
    /// Addresses of names, for all collectors.
    pub dns: DnsCache,
    /// Opens encrypted connections to agents.
    pub tls: TlsConnector,
    /// Time zone of flexible and scheduling intervals.
    pub zone: TimeZone,
    pub clock: Clock,
}

/// Why an item is not polled now. The texts are those of Zabbix.
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

/// The schedule and its surroundings.
pub(super) struct Polling {
    pub(super) schedule: Mutex<Schedule>,
    pub(super) preparer: Preparer,
    pub(super) configuration: Arc<dyn Configuration>,
    pub(super) availability: Arc<dyn AvailabilitySink>,
    maintenances: Arc<dyn Maintenances>,
    pub(super) clock: Clock,
    pub(super) metrics: PollMetrics,
    /// Wakes when another job may be startable.
    pub(super) wake: Notify,
}

impl Polling {
    pub(super) fn new(parts: &CollectParts, resolver: Arc<Resolver>, registry: &Registry) -> Self {
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
            maintenances: Arc::clone(&parts.maintenances),
            clock: parts.clock.clone(),
            metrics: PollMetrics::register(registry),
            wake: Notify::new(),
        }
    }

    /// Never across an await, and alone: no other lock is taken under it except those of the
    /// traits' owners.
    pub(super) fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result of a job that is not made because its host is in maintenance without data
    /// collection.
    pub(super) fn without_data(&self, job: &Job) -> Option<Finished> {
        let goes_on = collectors::table()[job.kind].goes_on_in_maintenance;
        if goes_on || self.maintenances.of(job.host) != HostMaintenance::WithoutData {
            return None;
        }
        let time = self.clock.wall();
        let reading = |due: &Due| Reading {
            ticket: due.ticket,
            item: due.item,
            time,
            result: CheckResult::InMaintenance,
        };
        Some(Finished { job: job.reference(), readings: job.checks.iter().map(reading).collect() })
    }

    /// The lock is taken for each host separately, so that polling continues in between.
    pub(super) fn set_hosts<'a>(
        &self,
        snapshot: &Snapshot,
        hosts: impl Iterator<Item = &'a Arc<Host>>,
    ) {
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

    /// Reports changes of interfaces.
    pub(super) fn report(&self) {
        let changes = self.lock().take_changes();
        for (interface, state) in changes {
            self.availability.set_interface(interface, state);
        }
    }

    pub(super) fn execute_now(
        &self,
        snapshot: &Snapshot,
        item: ItemId,
    ) -> Result<(), ExecuteError> {
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
