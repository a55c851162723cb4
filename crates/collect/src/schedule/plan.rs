//! From configuration to schedule, one host at a time.

use std::borrow::Cow;

use model::content::{HostStatus, ItemContent, ItemStatus};
use model::snapshot::{Host, ItemRow, Snapshot};
use model::time::Now;
use model::{HostId, InterfaceId};

use super::device::{Device, WaitingEntries, fingerprint};
use super::lists::{ALONE, BY_DEVICE, NIL, PROBE, ScheduledState};
use super::{HostPlan, SPREAD_MIN_S, Schedule, seconds};
use crate::ports::{Available, InterfaceState};
use crate::resolve::Resolver;

/// First checks a second that are planned at most: one core does as many easily, so that a start
/// with a million items is no storm.
const FIRST_CHECKS_PER_S: usize = 2_000;

/// How an item is scheduled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Class {
    /// Position of its collector in the table.
    pub(crate) kind: usize,
    /// Never together with other checks in one job.
    pub(crate) alone: bool,
    /// Due together with the other items of its device.
    pub(crate) by_device: bool,
    /// Checked through an interface, if the host has one that fits.
    pub(crate) uses_interface: bool,
}

/// The input of a host's plan.
pub(crate) struct View<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) resolver: &'a Resolver,
    /// `None`: not polled.
    pub(crate) classify: fn(&ItemContent) -> Option<Class>,
    /// The earlier state of an interface.
    pub(crate) saved: &'a dyn Fn(InterfaceId) -> InterfaceState,
}

/// The intended state of an item.
#[derive(Clone, Copy)]
struct Wanted {
    device: u32,
    interval: u32,
    flags: u8,
}

impl Schedule {
    /// Announces about how many items follow, which spreads their first checks.
    pub(crate) fn expect_items(&mut self, n: usize) {
        let spread = u32::try_from(n / FIRST_CHECKS_PER_S).unwrap_or(u32::MAX);
        self.spread_s = spread.max(SPREAD_MIN_S);
        if self.hosts.is_empty() {
            self.lists.reserve(n);
        }
    }

    /// Schedules a host as it is now. Unchanged items keep their time.
    pub(crate) fn set_host(&mut self, view: &View<'_>, host: &Host, now: Now) {
        if host.status != HostStatus::Monitored {
            self.remove_host(host.id);
            return;
        }
        let mut plan = self.hosts.remove(&host.id).unwrap_or_default();
        self.check_interfaces(host, &plan, now);
        let before = std::mem::take(&mut plan.entries);
        let mut before = before.iter().copied().peekable();
        let mut entries = Vec::with_capacity(host.items.len());
        for row in &host.items {
            // Both are sorted by id: entries before this row no longer exist.
            while let Some(at) = before.next_if(|it| self.lists.get(*it).item < row.id) {
                self.remove_entry(at);
            }
            let former = before.next_if(|it| self.lists.get(*it).item == row.id);
            let wanted = self.want(view, host, row, &mut plan);
            match (former, wanted) {
                (Some(at), Some(wanted)) if self.lists.get(at).device == wanted.device => {
                    self.change_entry(at, wanted, now);
                    entries.push(at);
                }
                (former, wanted) => {
                    if let Some(at) = former {
                        self.remove_entry(at);
                    }
                    entries.extend(wanted.map(|it| self.add_entry(row, it, now)));
                }
            }
        }
        before.for_each(|it| self.remove_entry(it));
        plan.entries = entries.into();
        self.drop_unused(&mut plan);
        if !plan.entries.is_empty() {
            self.hosts.insert(host.id, plan);
        }
    }

    pub(crate) fn remove_host(&mut self, host: HostId) {
        let Some(mut plan) = self.hosts.remove(&host) else { return };
        for at in plan.entries.iter().copied() {
            self.remove_entry(at);
        }
        self.drop_unused(&mut plan);
    }

    fn want(
        &mut self,
        view: &View<'_>,
        host: &Host,
        row: &ItemRow,
        plan: &mut HostPlan,
    ) -> Option<Wanted> {
        let content = &*row.content;
        if !row.is_live() || content.status != ItemStatus::Enabled {
            return None;
        }
        let class = (view.classify)(content)?;
        let interface = host.interface_of(row).filter(|_| class.uses_interface);
        let id = interface.map_or(InterfaceId::NONE, |it| it.interfaceid);
        let kind = u8::try_from(class.kind).expect("few collectors");
        let known = plan.devices.iter().copied().find(|it| {
            let device = &self.devices[*it as usize];
            device.interface == id && device.kind == kind
        });
        let device = known.unwrap_or_else(|| {
            let mut device = Device::new(host.id, id, kind, 0);
            if let Some(interface) = interface {
                device.fingerprint = fingerprint(interface);
                if self.collectors[class.kind].limits.has_availability {
                    device.restore((view.saved)(id));
                }
            }
            let at = self.add_device(device);
            plan.devices.push(at);
            at
        });
        let delay = if content.delay.contains('{') {
            let holder = view.snapshot.hosts.get(&host.id);
            holder.map_or(Cow::Borrowed(content.delay.as_str()), |it| {
                let context = view.resolver.context(view.snapshot, it, interface);
                context.item_text(row, &content.delay)
            })
        } else {
            Cow::Borrowed(content.delay.as_str())
        };
        let interval = self.intervals.intern(&delay);
        let flags =
            if class.alone { ALONE } else { 0 } | if class.by_device { BY_DEVICE } else { 0 };
        Some(Wanted { device, interval, flags })
    }

    fn add_device(&mut self, mut device: Device) -> u32 {
        if let Some(at) = self.free_devices.pop() {
            device.serial = self.devices[at as usize].serial.wrapping_add(1);
            self.devices[at as usize] = device;
            return at;
        }
        self.devices.push(device);
        u32::try_from(self.devices.len() - 1).expect("fewer than 2^32 devices")
    }

    fn add_entry(&mut self, row: &ItemRow, wanted: Wanted, now: Now) -> u32 {
        let Wanted { device, interval, flags } = wanted;
        let part = self.devices[device as usize].part();
        let at = self.lists.add(row.id, (device, part), interval, flags);
        self.devices[device as usize].n_entries += 1;
        self.intervals.count(interval, true);
        self.schedule_first(at, now);
        at
    }

    /// The first check of a new item with a long interval is early.
    fn schedule_first(&mut self, at: u32, now: Now) {
        let second = seconds(now.wall);
        let mut due = self.next_due(at, second);
        let entry = self.lists.get(at);
        let has_custom = self.intervals.simple_s(entry.interval).is_none();
        if !has_custom && second + self.spread_s < due {
            let device = &self.devices[entry.device as usize];
            let seed = if entry.has(BY_DEVICE) { device.seed() } else { entry.item.0 };
            let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            let offset = u32::try_from(mixed % u64::from(self.spread_s)).unwrap_or(0);
            due = second + 1 + offset;
        }
        self.lists.put_in_wheel(at, due, self.second);
    }

    fn change_entry(&mut self, at: u32, wanted: Wanted, now: Now) {
        let entry = self.lists.get_mut(at);
        for flag in [ALONE, BY_DEVICE] {
            entry.set(flag, wanted.flags & flag != 0);
        }
        if entry.interval == wanted.interval {
            return;
        }
        let former = std::mem::replace(&mut entry.interval, wanted.interval);
        let is_planned = matches!(entry.state, ScheduledState::Wheel | ScheduledState::Open)
            && !entry.has(PROBE);
        self.intervals.count(former, false);
        self.intervals.count(wanted.interval, true);
        if is_planned {
            self.unlink(at);
            self.schedule_first(at, now);
        }
    }

    fn remove_entry(&mut self, at: u32) {
        self.drop_waiting(at);
        self.unlink(at);
        let entry = self.lists.get(at);
        let (device_at, interval) = (entry.device, entry.interval);
        self.intervals.count(interval, false);
        self.lists.release(at);
        let device = &mut self.devices[device_at as usize];
        device.n_entries = device.n_entries.saturating_sub(1);
        if device.failing.as_ref().is_some_and(|it| it.probe == at) {
            self.choose_probe(device_at);
        }
    }

    fn drop_unused(&mut self, plan: &mut HostPlan) {
        plan.devices.retain(|at| {
            let device = &mut self.devices[*at as usize];
            let is_used = 0 < device.n_entries;
            if !is_used {
                // A late answer of its last job finds another serial.
                device.serial = device.serial.wrapping_add(1);
                device.waiting = WaitingEntries::default();
                self.free_devices.push(*at);
            }
            is_used
        });
    }

    /// Another device may answer after a change of an interface's settings: its state is unknown.
    fn check_interfaces(&mut self, host: &Host, plan: &HostPlan, now: Now) {
        for at in plan.devices.iter().copied() {
            let device = &mut self.devices[at as usize];
            let id = device.interface;
            let Some(interface) = host.interfaces.iter().find(|it| it.interfaceid == id) else {
                continue;
            };
            let present = fingerprint(interface);
            if std::mem::replace(&mut device.fingerprint, present) == present {
                continue;
            }
            let was_known = device.available != Available::Unknown || device.failing.is_some();
            let probe = device.failing.take().map_or(NIL, |it| it.probe);
            device.available = Available::Unknown;
            // Conversations under way use the former settings: their outcome says nothing about
            // this device.
            device.serial = device.serial.wrapping_add(1);
            device.n_jobs = 0;
            if was_known {
                self.note_change(at);
            }
            self.unpark(at, probe, now);
        }
    }

    fn unpark(&mut self, device: u32, probe: u32, now: Now) {
        if probe != NIL
            && matches!(self.lists.get(probe).state, ScheduledState::Wheel | ScheduledState::Open)
        {
            self.unlink(probe);
            self.lists.get_mut(probe).set(PROBE, false);
            self.schedule_first(probe, now);
        }
        let mut parked = std::mem::replace(&mut self.devices[device as usize].parked, NIL);
        while let Some(entry) = self.lists.take_next(&mut parked) {
            self.wait(entry);
        }
        self.enqueue(device);
    }
}
