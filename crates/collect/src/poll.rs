//! All polled items of all hosts: one schedule, one table of collectors.

mod polling;
mod queue;
mod refusals;
mod run;
mod targets;
mod trial;

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use model::ItemId;
use model::figures::{CollectorFigures, QUEUE_CLASSES_S};
use model::snapshot::{Delta, Snapshot};
use rt::lanes::Lanes;
use rt::metrics::Registry;
use rt::queue::Sender;
use rt::task::{TaskError, Tasks};
use rt::worker::{GroupContext, GroupHandle};
use tokio::sync::Notify;

use crate::active::{ActiveChecks, ActiveParts};
use crate::collectors::{self, Listening, Overview};
use crate::discovery::{self, DiscoveryResult};
use crate::mibs::Mibs;
use crate::resolve::Resolver;
use crate::snmp_traps::{self, SnmpTraps, TrapParts};

use polling::Polling;
pub use polling::{CollectParts, CollectSettings, ExecuteError};
use refusals::Refusals;
pub use trial::TrialError;

/// The running collectors. A clone shares the state.
#[derive(Clone)]
pub struct Collectors(Arc<CollectorParts>);

struct CollectorParts {
    shared: Arc<collectors::CollectorContext>,
    polling: Arc<Polling>,
    active: Arc<ActiveChecks>,
    refusals: Arc<Refusals>,
    traps: Arc<SnmpTraps>,
    /// Wakes network discovery.
    discovery: Arc<Notify>,
}

impl fmt::Debug for Collectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collectors").finish_non_exhaustive()
    }
}

impl Collectors {
    /// Schedules the present snapshot and starts polling, each collector in its lane. Traps are
    /// received on the runtime of the caller. Workers without blocking work run in `timers`.
    ///
    /// # Errors
    /// The system refuses a thread.
    ///
    /// # Panics
    /// Outside a runtime.
    pub fn start(
        mut parts: CollectParts,
        registry: &Registry,
        (context, timers): (&GroupContext, &GroupHandle),
        lanes: &Lanes,
    ) -> Result<Self, TaskError> {
        let directories = parts.settings.collectors.snmp.mib_directories.clone();
        let open =
            if parts.traps.settings.mib_names { Mibs::open_with_reverse_names } else { Mibs::open };
        let mibs = Arc::new(open(directories));
        let resolver = Resolver::new(parts.zone.clone())
            .with_secrets(Arc::clone(&parts.secrets))
            .with_mibs(Arc::clone(&mibs));
        let resolver = Arc::new(resolver);
        let active = ActiveParts {
            configuration: Arc::clone(&parts.configuration),
            item_states: Arc::clone(&parts.item_states),
            availability: Arc::clone(&parts.availability),
            registrations: Arc::clone(&parts.registrations),
            timeout: parts.settings.timeout,
            zone: parts.zone.clone(),
            clock: parts.clock.clone(),
        };
        let active = Arc::new(ActiveChecks::with_resolver(active, Arc::clone(&resolver)));
        let traps = SnmpTraps::new(&parts.traps, Arc::clone(&resolver), registry);
        let traps = Arc::new(traps);
        let polling = Arc::new(Polling::new(&parts, resolver, registry));
        let snapshot = parts.configuration.snapshot();
        polling.set_hosts(&snapshot, snapshot.hosts.values());
        traps.configure(&snapshot, None);
        let tasks = context.tasks.group("collect");
        let context = GroupContext { tasks: tasks.clone(), ..context.clone() };
        let configuration = Arc::clone(&parts.configuration);
        let listening = Listening { active: Arc::clone(&active), traps: Arc::clone(&traps) };
        let refusals = Refusals::new(configuration, listening, parts.clock.clone());
        let refusals = Arc::new(refusals);
        let sources = mem::take(&mut parts.traps);
        let started = (registry, &tasks, lanes);
        let shared = run::start(&parts, &polling, (&active, &refusals, &mibs), started);
        run::add_workers(&polling, &active, timers);
        let around = TrapParts {
            configuration: Arc::clone(&parts.configuration),
            ingress: parts.ingress.clone(),
            dns: shared.dns.clone(),
            clock: parts.clock.clone(),
            mibs,
            secret: shared.secret,
        };
        snmp_traps::start(&traps, sources, around, (registry, &context))?;
        let discovery = Arc::default();
        Ok(Self(Arc::new(CollectorParts { shared, polling, active, refusals, traps, discovery })))
    }

    /// Applies a change. Costs as much as the changed hosts do; call it in order of epochs, from
    /// where waiting some milliseconds is harmless.
    pub fn configure(&self, snapshot: &Arc<Snapshot>, delta: &Delta) {
        self.0.active.configure(snapshot, delta);
        self.0.traps.configure(snapshot, Some(delta));
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
        self.0.discovery.notify_one();
    }

    /// Makes the rounds of network discovery from now on: at most `connections_max` connections at
    /// once, of all rules together. Results go to `found`, whose free places are waited for.
    pub fn discover(
        &self,
        connections_max: usize,
        found: Sender<DiscoveryResult>,
        (registry, tasks): (&Registry, &Tasks),
    ) {
        let preparer = &self.0.polling.preparer;
        let around = (Arc::clone(&self.0.shared), preparer.resolver.secrets());
        let limits = (preparer.timeout, connections_max);
        let results = (found, Arc::clone(&self.0.discovery));
        discovery::start(around, limits, results, (registry, tasks));
    }

    /// Reads MIB files again, which takes some seconds: call it where that is harmless. Afterwards
    /// names in OIDs have their new meaning.
    pub fn reload_mibs(&self) {
        self.0.shared.mibs.reload();
    }

    /// Polls items as soon as possible, in addition to their interval; for dependent items their
    /// master. One result for each.
    #[must_use]
    pub fn execute_now(&self, items: &[ItemId]) -> Vec<Result<(), ExecuteError>> {
        let snapshot = self.0.polling.configuration.snapshot();
        items.iter().map(|it| self.0.polling.execute_now(&snapshot, *it)).collect()
    }

    /// The part of the trapper port for active agents.
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

    /// Polled items that are late, by collector and by how late: see [`QUEUE_CLASSES_S`].
    #[must_use]
    pub fn overdue_by_collector(&self) -> Vec<(&'static str, [u64; QUEUE_CLASSES_S.len()])> {
        let polling = &self.0.polling;
        let now = polling.clock.wall();
        let mut rows: Vec<_> = collectors::table().iter().map(|it| (it.name, [0; 6])).collect();
        let schedule = polling.lock();
        for (class, from_s) in QUEUE_CLASSES_S.iter().enumerate() {
            let to_s = QUEUE_CLASSES_S.get(class + 1).copied();
            for ((_, row), n) in rows.iter_mut().zip(schedule.n_overdue(*from_s, to_s, now)) {
                row[class] = n;
            }
        }
        drop(schedule);
        rows
    }

    /// Conversations under way, and their limit, for each collector; its other figures are zero.
    #[must_use]
    pub fn jobs(&self) -> Vec<CollectorFigures> {
        let schedule = self.0.polling.lock();
        let jobs = collectors::table().iter().zip(schedule.n_jobs()).zip(schedule.jobs_max());
        jobs.map(|((row, n_jobs), jobs_max)| CollectorFigures {
            name: row.name,
            n_jobs,
            jobs_max,
            ..CollectorFigures::default()
        })
        .collect()
    }

    /// The sum of the update intervals of all polled items, in values per second.
    #[must_use]
    pub fn required_performance(&self) -> f64 {
        self.0.polling.required_performance()
    }
}
