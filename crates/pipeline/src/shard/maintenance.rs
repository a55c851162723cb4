//! Which hosts are in maintenance without data collection.
//!
//! Whoever knows the calendar tells all such hosts ([`crate::Input::WithoutData`]); what is new of it is in the
//! step's record, so that a replay drops nothing and takes nothing of its own accord. While it lasts, values of
//! the host's items are dropped, except those of internal items; its calculated items are not
//! computed, time-based triggers of nothing but its items are not judged, and `nodata` can't tell.
//! Behind its end the periods of `nodata` begin anew.
//!
//! Mirrors of the host's items are told by the same message, in whatever shard they are: missing values count
//! from the planned end on. That is one change a mirror, and durable as such.
//!
//! Maintenance with data collection changes nothing here. Records may have it, and checkpoints keep it.

use directory::{HostPlan, shard_of};
use lang::functions;
use model::content::ItemType;
use model::map::{Map, Set};
use model::record::{MaintenanceRow, MaintenanceWhat};
use model::{HostId, MaintenanceId, Now, Time, partition_of};

use super::Shard;
use super::codec::{Reader, Writer};
use super::state::{MIRROR, NO_DATA, Slot};
use crate::effects::{Change, Effects};
use crate::input::HostWithoutData;

/// A maintenance under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Maintained {
    pub maintenance: MaintenanceId,
    pub since: Time,
    /// Or no values are taken meanwhile.
    pub with_data: bool,
}

#[derive(Debug, Default)]
pub(super) struct Maintenance {
    /// By host, those of this shard; never empty ones.
    under_way: Map<HostId, Vec<Maintained>>,
    /// Hosts of any shard without data, as told last, and the second in which that is to end.
    planned: Map<HostId, u32>,
}

impl Maintenance {
    pub(super) fn apply(&mut self, row: &MaintenanceRow) {
        let under_way = self.under_way.entry(row.host).or_default();
        under_way.retain(|it| it.maintenance != row.maintenance);
        if let MaintenanceWhat::Begins { with_data } = row.what {
            let (maintenance, since) = (row.maintenance, row.time);
            under_way.push(Maintained { maintenance, since, with_data });
        }
        if under_way.is_empty() {
            self.under_way.remove(&row.host);
        }
    }

    /// False if there is none.
    pub(super) fn put(&self, partition: u8, out: &mut Writer) -> bool {
        let mut hosts: Vec<_> =
            self.under_way.iter().filter(|(host, _)| partition_of(**host) == partition).collect();
        hosts.sort_unstable_by_key(|it| it.0);
        out.number(hosts.iter().map(|it| it.1.len() as u64).sum());
        for (host, under_way) in &hosts {
            for it in *under_way {
                out.number(host.0);
                out.number(it.maintenance.0);
                out.time(it.since);
                out.number(u64::from(it.with_data));
            }
        }
        !hosts.is_empty()
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Vec<(HostId, Maintained)>> {
        let mut read = Vec::new();
        for _ in 0..reader.len()? {
            let host = HostId(reader.number()?);
            let maintenance = MaintenanceId(reader.number()?);
            let since = reader.time()?;
            let with_data = match reader.number()? {
                0 => false,
                1 => true,
                _ => return None,
            };
            read.push((host, Maintained { maintenance, since, with_data }));
        }
        Some(read)
    }

    pub(super) fn restore(&mut self, partition: u8, saved: Vec<(HostId, Maintained)>) {
        for (host, it) in saved.into_iter().filter(|it| partition_of(it.0) == partition) {
            self.under_way.entry(host).or_default().push(it);
        }
    }

    /// When values of a host are not taken any more; `None`: they are.
    fn without_data_since(&self, host: HostId) -> Option<Time> {
        self.of(host).iter().filter(|it| !it.with_data).map(|it| it.since).min()
    }

    /// The flag that an item of a host has because of it.
    pub(super) fn flag_of(&self, host: HostId, kind: ItemType, is_mirror: bool) -> u16 {
        let goes_on = is_mirror || kind == ItemType::Internal;
        if !goes_on && self.without_data_since(host).is_some() { NO_DATA } else { 0 }
    }

    /// From which second on missing values of a new mirror count.
    pub(super) fn mirror_since(&self, host: HostId, now: u32) -> u32 {
        self.planned.get(&host).copied().unwrap_or(0).max(now)
    }

    /// These stand in for others: what they were told.
    pub(super) fn take_over(&mut self, old: &mut Self) {
        self.planned = std::mem::take(&mut old.planned);
    }

    /// What a host is in maintenance for; in the order in which it began.
    pub(super) fn of(&self, host: HostId) -> &[Maintained] {
        self.under_way.get(&host).map_or(&[], Vec::as_slice)
    }
}

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
            let begun = Maintained { maintenance, since, with_data: false };
            if !self.maintenance.of(host).contains(&begun) {
                let what = MaintenanceWhat::Begins { with_data: false };
                rows.push(MaintenanceRow { host, maintenance, time: since, what });
            }
        }
        let named: Set<_> = hosts.iter().map(|it| (it.host, it.maintenance)).collect();
        let goes_on =
            |host: HostId, it: &Maintained| it.with_data || named.contains(&(host, it.maintenance));
        let n_begun = rows.len();
        for (host, under_way) in &self.maintenance.under_way {
            for it in under_way.iter().filter(|it| !goes_on(*host, it)) {
                let (maintenance, what) = (it.maintenance, MaintenanceWhat::Ends);
                rows.push(MaintenanceRow { host: *host, maintenance, time: now.wall, what });
            }
        }
        rows[n_begun..].sort_unstable_by_key(|it| (it.host, it.maintenance));
        for row in rows {
            self.apply_maintenance(&row);
            effects.changes.push(Change::Maintenance(row));
        }
        let until = |it: Time| u32::try_from(it.clock()).unwrap_or(u32::MAX);
        self.maintenance.planned = hosts.iter().map(|it| (it.host, until(it.until))).collect();
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
                let since = match self.maintenance.planned.get(&mirror.host) {
                    Some(until) => (*until).max(now),
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
        if self.maintenance.planned.is_empty() && self.maintenance.under_way.is_empty() {
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
