//! Which hosts are in maintenance, and what that makes of problems.
//!
//! It follows from the configuration and the clock, so nothing of it is stored: a start finds it
//! again ([`RunningMaintenances::at`]), and so do each minute and each change of what it depends on. As in
//! Zabbix, a problem is suppressed while *all* hosts of its trigger are in maintenance and one of
//! these maintenances has no conditions on tags or such that the problem's tags fulfil.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;
use lang::tags::TagFilter;
use model::content::Tag;
use model::map::Map;
use model::snapshot::{Delta, Snapshot};
use model::{GroupId, HostId, MaintenanceId, Time};

use crate::configuration::objects::maintenance::{self as described, MAINTENANCE};

/// A maintenance in effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunningMaintenance {
    pub id: MaintenanceId,
    /// Or no values are taken meanwhile.
    pub with_data: bool,
    /// Seconds since 1970.
    pub since: i64,
    /// Seconds since 1970, not included.
    pub until: i64,
    filter: TagFilter,
}

/// Why a problem is suppressed: a maintenance, and when that ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suppression {
    pub maintenance: MaintenanceId,
    /// Seconds since 1970.
    pub until: i64,
}

/// The maintenances in effect at some moment, and whose they are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunningMaintenances {
    /// By id.
    running: Vec<RunningMaintenance>,
    /// Positions in `running`, ascending; never empty ones.
    by_host: Map<HostId, Vec<u32>>,
}

impl RunningMaintenances {
    /// The maintenances in effect at `now`.
    #[must_use]
    pub fn at(snapshot: &Snapshot, now: Time, zone: &TimeZone) -> Self {
        Self::by(snapshot, now, zone, &mut |_| true)
    }

    /// As [`Self::at`], by the maintenances that `takes` takes, which is asked before each is looked at.
    pub(crate) fn by(
        snapshot: &Snapshot,
        now: Time,
        zone: &TimeZone,
        takes: &mut dyn FnMut(MaintenanceId) -> bool,
    ) -> Self {
        let mut maintained = Self::default();
        let mut by_group: Map<GroupId, Vec<u32>> = Map::default();
        for document in snapshot.documents.of(MAINTENANCE.object.name) {
            if !takes(MaintenanceId(document.id)) {
                continue;
            }
            let body = &document.body;
            let running = described::schedule(body).running(now.clock(), zone);
            let Some((since, until)) = running else { continue };
            let at = u32::try_from(maintained.running.len()).unwrap_or(u32::MAX);
            maintained.running.push(RunningMaintenance {
                id: MaintenanceId(document.id),
                with_data: document.text("maintenance_type") != "1",
                since,
                until,
                filter: described::filter(body),
            });
            for id in described::ids_of(body, "hosts") {
                maintained.by_host.entry(HostId(id)).or_default().push(at);
            }
            for group in with_subgroups(snapshot, &described::ids_of(body, "groups")) {
                by_group.entry(group).or_default().push(at);
            }
        }
        if !by_group.is_empty() {
            for host in snapshot.hosts.values() {
                for at in host.groups.iter().filter_map(|it| by_group.get(it)).flatten() {
                    maintained.by_host.entry(host.id).or_default().push(*at);
                }
            }
        }
        for running in maintained.by_host.values_mut() {
            running.sort_unstable();
            running.dedup();
        }
        maintained
    }

    /// Whether it can be another one after a change of the configuration.
    #[must_use]
    pub fn depends_on(snapshot: &Snapshot, delta: &Delta) -> bool {
        let name = MAINTENANCE.object.name;
        let has_hosts = delta.groups_changed
            || !delta.hosts_changed.is_empty()
            || !delta.hosts_removed.is_empty();
        delta.documents_changed.iter().any(|(kind, _)| *kind == name)
            || has_hosts && snapshot.documents.of(name).next().is_some()
    }

    fn all_of(&self, host: HostId) -> impl Iterator<Item = &RunningMaintenance> {
        let running = self.by_host.get(&host).into_iter().flatten();
        running.filter_map(|at| self.running.get(usize::try_from(*at).ok()?))
    }

    /// The maintenance of a host. Of several, Zabbix shows the first one without data collection,
    /// else the first one.
    #[must_use]
    pub fn of(&self, host: HostId) -> Option<&RunningMaintenance> {
        self.all_of(host).find(|it| !it.with_data).or_else(|| self.all_of(host).next())
    }

    /// The hosts of which no values are taken, by id, each with the maintenance that is shown of it.
    #[must_use]
    pub fn without_data(&self) -> Vec<(HostId, &RunningMaintenance)> {
        let of = |host: HostId| Some((host, self.of(host).filter(|it| !it.with_data)?));
        let mut hosts: Vec<_> = self.hosts().filter_map(of).collect();
        hosts.sort_unstable_by_key(|it| it.0);
        hosts
    }

    /// All hosts in maintenance.
    pub fn hosts(&self) -> impl Iterator<Item = HostId> {
        self.by_host.keys().copied()
    }

    /// The suppressions of a trigger's problem, by maintenance.
    pub(crate) fn suppressions(&self, hosts: &[HostId], tags: &[Tag]) -> Vec<Suppression> {
        if !hosts.iter().all(|it| self.by_host.contains_key(it)) {
            return Vec::new();
        }
        let mut found: Vec<Suppression> = Vec::new();
        for it in hosts.iter().flat_map(|it| self.all_of(*it)) {
            let suppression = Suppression { maintenance: it.id, until: it.until };
            if !found.contains(&suppression) && it.filter.matches(tags) {
                found.push(suppression);
            }
        }
        found.sort_unstable_by_key(|it| it.maintenance);
        found
    }

    /// Of what suppressed a problem, that which still does. A problem that was resolved is suppressed
    /// by nothing new.
    pub(crate) fn left_of(&self, suppressions: &[Suppression]) -> Vec<Suppression> {
        let still = |it: &&Suppression| self.running.iter().any(|of| of.id == it.maintenance);
        suppressions.iter().filter(still).copied().collect()
    }
}

/// Groups with those below them: `Linux` stands for `Linux/Databases` too.
pub(crate) fn with_subgroups(snapshot: &Snapshot, ids: &[u64]) -> BTreeSet<GroupId> {
    let mut all: BTreeSet<GroupId> = ids.iter().map(|it| GroupId(*it)).collect();
    let named = all.iter().filter_map(|it| snapshot.host_groups.get(it));
    let above: Vec<String> = named.map(|it| format!("{}/", it.name)).collect();
    if !above.is_empty() {
        let is_below = |name: &str| above.iter().any(|it| name.starts_with(it));
        let below = snapshot.host_groups.iter().filter(|(_, it)| is_below(&it.name));
        all.extend(below.map(|(id, _)| *id));
    }
    all
}

#[cfg(test)]
mod tests;
