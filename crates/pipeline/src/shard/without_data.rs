//! The effect of maintenance without data collection on values and triggers of its hosts.
//!
//! A message ([`crate::Input::WithoutData`]) lists all such hosts; its changes are in the step's
//! record, so that a replay decides by them alone. While it lasts, values of the host's items are
//! dropped, except those of internal items; its calculated items are not computed, time-based
//! triggers of nothing but its items are not judged, and `nodata` is unknown. After its end the
//! periods of `nodata` start from the beginning.
//!
//! Mirrors of the host's items, in any shard, follow the same message: missing values count from
//! the planned end on. That is one change a mirror, and durable as such.
//!
//! Maintenance with data collection changes nothing here. Records may have it, and checkpoints keep it.

use directory::{HostPlan, shard_of};
use lang::functions;
use model::content::ItemType;
use model::map::Set;
use model::record::{MaintenanceChange, MaintenanceRow};
use model::{HostId, Now, Time, partition_of};

use super::Shard;
use super::maintenance::MaintainedHost;
use super::state::{MIRROR, NO_DATA, Slot};
use crate::effects::{Change, Effects};
use crate::input::HostWithoutData;

impl Shard {
    /// Takes over of which hosts no values are taken.
    pub(super) fn set_without_data(
        &mut self,
        now: Now,
        hosts: &[HostWithoutData],
        effects: &mut Effects,
    ) {
        let n_shards = self.settings.n_shards;
        let is_own = |it: &HostId| shard_of(partition_of(*it), n_shards) == self.settings.shard;
        let mut rows = Vec::new();
        for it in hosts.iter().filter(|it| is_own(&it.host)) {
            let HostWithoutData { host, maintenance, since, .. } = *it;
            let begun = MaintainedHost { maintenance, since, with_data: false };
            if !self.maintenance.of(host).contains(&begun) {
                let what = MaintenanceChange::Begins { with_data: false };
                rows.push(MaintenanceRow { host, maintenance, time: since, what });
            }
        }
        let named: Set<_> = hosts.iter().map(|it| (it.host, it.maintenance)).collect();
        let goes_on = |host: HostId, it: &MaintainedHost| {
            it.with_data || named.contains(&(host, it.maintenance))
        };
        let n_begun = rows.len();
        for (host, it) in self.maintenance.all().filter(|(host, it)| !goes_on(*host, it)) {
            let (maintenance, what) = (it.maintenance, MaintenanceChange::Ends);
            rows.push(MaintenanceRow { host, maintenance, time: now.wall, what });
        }
        rows[n_begun..].sort_unstable_by_key(|it| (it.host, it.maintenance));
        for row in rows {
            self.apply_maintenance(&row);
            effects.changes.push(Change::Maintenance(row));
        }
        let until = |it: Time| u32::try_from(it.clock()).unwrap_or(u32::MAX);
        self.maintenance.plan(hosts.iter().map(|it| (it.host, until(it.until))).collect());
        self.move_mirrors(now, effects);
    }

    /// Missing values of mirrors count from the end of their host's maintenance on.
    fn move_mirrors(&mut self, now: Now, effects: &mut Effects) {
        let now = u32::try_from(now.wall.clock()).unwrap_or(0);
        let mut moved = Vec::new();
        for (_, host) in self.hosts.all() {
            for (position, mirror) in (host.plan.layout.n_own..).zip(&host.plan.layout.mirrors) {
                let slot =
                    host.plan.slots.get(position).and_then(|it| Some((it, self.items.get(it)?)));
                let Some((at, slot)) = slot else { continue };
                let since = match self.maintenance.planned_end(mirror.host) {
                    Some(until) => until.max(now),
                    None => slot.since.min(now),
                };
                if since != slot.since {
                    moved.push((at, since));
                }
            }
        }
        for (at, since) in moved {
            let slot = self.items.slot_mut(at);
            slot.since = since;
            let (to, item, time) = (slot.partition, slot.item, Time::from_clock(since.into(), 0));
            effects.changes.push(Change::MirroredSince { to, item, time });
        }
    }

    /// A maintenance begins or ends.
    pub(super) fn apply_maintenance(&mut self, row: &MaintenanceRow) {
        self.maintenance.apply(row);
        let Some(host) = self.hosts.by_id(row.host) else { return };
        let ends = u32::try_from(row.time.clock()).unwrap_or(0);
        for (at, kind) in own_items(&host.plan) {
            let flag = self.maintenance.flag_of(row.host, kind, false);
            let slot = self.items.slot_mut(at);
            if slot.has(NO_DATA) && flag == 0 {
                slot.since = ends;
            }
            slot.flags = slot.flags & !NO_DATA | flag;
        }
    }

    /// Whether a value of an item without data is dropped: it may be from before.
    pub(super) fn is_dropped(&mut self, slot: &Slot, time: Time) -> bool {
        let host = self.hosts.get(slot.host).map(|it| it.plan.host.id).unwrap_or_default();
        let is_dropped = self.maintenance.without_data_since(host).is_some_and(|it| it <= time);
        self.counters.in_maintenance += u64::from(is_dropped);
        is_dropped
    }

    /// Whether a trigger is not to be judged because time passes: nothing is taken of the items of its
    /// functions that depend on the time, or if there are none, of all its items.
    pub(super) fn is_without_data(&self, host: u32, position: u32) -> bool {
        if self.maintenance.is_nobodys() {
            return false;
        }
        let Some(host) = self.hosts.get(host) else { return false };
        let Some(trigger) = host.plan.layout.triggers.get(position as usize) else { return false };
        let functions = trigger.content.functions.iter().zip(&trigger.function_items);
        let timed = functions.filter(|(it, _)| functions::is_timer(&it.function));
        let mut timed = timed.filter_map(|it| *it.1).peekable();
        let is_none_taken = |position: u32| {
            let slot = host.plan.slots.get(position).and_then(|it| self.items.get(it));
            slot.is_some_and(|it| {
                it.has(NO_DATA) || it.has(MIRROR) && self.now.wall.clock() < i64::from(it.since)
            })
        };
        if timed.peek().is_some() {
            return timed.all(is_none_taken);
        }
        !trigger.items.is_empty() && trigger.items.iter().all(|it| is_none_taken(*it))
    }
}

/// Slot and type of each item of a host.
fn own_items(plan: &HostPlan) -> impl Iterator<Item = (u32, ItemType)> + '_ {
    (0..plan.layout.n_own).filter_map(|it| Some((plan.slots.get(it)?, plan.layout.item(it)?.kind)))
}
