//! Requests of the collectors to the rest of the process.

use std::fmt;
use std::sync::Arc;

use collect::ports::{
    AvailabilitySink, Available, HostMaintenance, InterfaceState, ItemStates, LogPosition,
    Maintenances,
};
use db::Db;
use engine::states::States;
use model::{HostId, InterfaceId, ItemId, Time};
use pipeline::LiveTable;

use crate::running::Running;

/// State of items that is not in their configuration.
pub struct ItemPort {
    pub running: Arc<Running>,
    pub live: LiveTable,
    pub states: Arc<States>,
    pub db: Db,
}

impl fmt::Debug for ItemPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ItemPort")
    }
}

impl ItemStates for ItemPort {
    fn log_position(&self, item: ItemId) -> LogPosition {
        let target = self.running.directory().by_item(item);
        let position = target.and_then(|it| self.live.shard(it.shard)?.log_position(it.slot));
        position.map_or_else(LogPosition::default, |(lastlogsize, mtime)| LogPosition {
            lastlogsize,
            mtime,
        })
    }

    fn n_unsupported(&self, host: HostId) -> u64 {
        let snapshot = self.db.snapshot();
        let Some(host) = snapshot.hosts.get(&host) else { return 0 };
        let items = host.items.iter().filter(|it| it.is_enabled_item());
        self.states.n_unsupported_of(items.map(|it| it.id))
    }
}

/// Hosts in maintenance, as last computed.
pub struct MaintenancePort(pub Db);

impl fmt::Debug for MaintenancePort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MaintenancePort")
    }
}

impl Maintenances for MaintenancePort {
    fn of(&self, host: HostId) -> HostMaintenance {
        match self.0.maintained().of(host) {
            None => HostMaintenance::No,
            Some(it) if it.with_data => HostMaintenance::WithData,
            Some(_) => HostMaintenance::WithoutData,
        }
    }
}

/// Keeps the availability of interfaces in the relational store's memory, which saves it
/// periodically.
pub struct AvailabilityPort(pub Db);

impl fmt::Debug for AvailabilityPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AvailabilityPort")
    }
}

impl AvailabilitySink for AvailabilityPort {
    fn interface(&self, interface: InterfaceId) -> InterfaceState {
        let it = self.0.availability().get(interface);
        InterfaceState {
            available: Available::from_code(it.available),
            error: it.error,
            errors_from: Time::from_clock(it.errors_from, 0),
            disable_until: Time::from_clock(it.disable_until, 0),
        }
    }

    fn set_interface(&self, interface: InterfaceId, state: InterfaceState) {
        let state = db::InterfaceAvailability {
            available: state.available.code(),
            error: state.error,
            errors_from: state.errors_from.clock(),
            disable_until: state.disable_until.clock(),
        };
        self.0.availability().set(interface, state);
    }

    fn set_active_agent(&self, host: HostId, available: Available) {
        self.0.availability().set_active_agent(host, available.code());
    }
}
