//! The due times of checks: one schedule for all polled items of all hosts.
//!
//! Purpose: a state machine without clock, sockets or locks. Its inputs are the configuration
//! ([`Schedule::set_host`]), the time ([`Schedule::advance`]) and the results of checks
//! ([`Schedule::finish`]); its outputs are jobs ([`Schedule::take_jobs`]). A job is one
//! conversation with one device.
//!
//! - An item is due on the grid of its interval, moved by its id (or its device's, where a protocol
//!   requests several items at once), and within the second at a place of its device: load is flat.
//! - A device has a bound of jobs at once, a collector one over all devices. Due items wait in
//!   their device, devices queue in turn. Nothing is skipped: an item is due again after its check.
//! - A device that fails gets one probe at a time; its other items are parked until it answers.
//!
//! Invariants: an entry is in exactly one list (see `lists`); a device's `waiting` holds exactly its
//! entries in state `Waiting`; a failing device has no waiting entry but its probe.

mod costs;
mod device;
mod intervals;
mod lists;
mod plan;
mod queue;

use std::collections::VecDeque;
use std::hint::black_box;
use std::ops::BitXor;

use jiff::tz::TimeZone;
use model::map::Map;
use model::time::Now;
use model::{HostId, InterfaceId, ItemId, Time};

pub(crate) use costs::{CostSums, ItemCost, PERIOD_S};
pub(crate) use device::UnreachableTimes;
pub(crate) use plan::{Class, View};
pub(crate) use queue::{DeviceCost, LateCheck};

use self::costs::CostProfile;
use self::device::Device;
use self::intervals::Intervals;
use self::lists::{ALONE, BY_DEVICE, EARLY, Lists, NIL, PARTS, PROBE, ScheduledState};
use crate::ports::{Available, InterfaceState};

/// A device whose job takes longer than this gets no further ones until it answers: if it is dead,
/// that many fewer places are lost to waiting.
const SLOW_NS: u64 = 1_000_000_000;
/// New items are checked first within this time, however long their interval.
const SPREAD_MIN_S: u32 = 60;
/// A wall clock that is this much earlier than the wheel was set back.
const SET_BACK_S: u32 = 5;

/// Entries whose devices are brought into the cache at once: one after the other, the processor
/// would wait for each.
const FIRED_TOGETHER: usize = 64;

/// Bounds of one collector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Jobs at once, over all devices.
    pub(crate) jobs_max: usize,
    /// Jobs at once on one device.
    pub(crate) device_jobs_max: u16,
    /// Checks in one job.
    pub(crate) job_checks_max: usize,
    /// Whether its network errors count against the interface.
    pub(crate) has_availability: bool,
}

/// Identifies a check that was given out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ticket {
    entry: u32,
    serial: u8,
}

impl Ticket {
    /// For a reading outside the schedule.
    pub(crate) const NONE: Self = Self { entry: u32::MAX, serial: 0 };

    /// The place of its item in the schedule, which another item may have later.
    pub(crate) fn place(self) -> Option<usize> {
        (self != Self::NONE).then_some(self.entry as usize)
    }

    #[cfg(test)]
    pub(crate) fn at(entry: u32) -> Self {
        Self { entry, serial: 0 }
    }
}

/// Names a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DeviceRef {
    at: u32,
    serial: u32,
}

impl DeviceRef {
    /// Its place in the schedule, and its generation there.
    pub(crate) fn place(self) -> (u32, u32) {
        (self.at, self.serial)
    }
}

/// An item to check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub(crate) item: ItemId,
    pub(crate) ticket: Ticket,
    /// Its update interval is invalid: that is its result.
    pub(crate) is_broken: bool,
    /// Seconds since 1970.
    pub(crate) due: u32,
}

/// One conversation with one device.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) device: DeviceRef,
    pub(crate) kind: usize,
    pub(crate) host: HostId,
    pub(crate) interface: InterfaceId,
    /// When it was given out, monotonic.
    pub(crate) started_ns: u64,
    pub(crate) checks: Vec<Due>,
}

/// The outcome of a check for the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome<'a> {
    /// The device answered, even if only that the item is not supported.
    Answered,
    /// The item's own time ended too, which says nothing about the device.
    TimedOut,
    /// The device did not answer.
    Failed(&'a str),
    /// The server could not make the check.
    NotMade,
}

/// Lists of one collector.
#[derive(Debug)]
struct CollectorQueue {
    limits: Limits,
    /// Devices with waiting entries and room for a job.
    queue: VecDeque<u32>,
    n_jobs: usize,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Schedule {
    times: UnreachableTimes,
    zone: TimeZone,
    lists: Lists,
    intervals: Intervals,
    devices: Vec<Device>,
    free_devices: Vec<u32>,
    hosts: Map<HostId, HostPlan>,
    collectors: Vec<CollectorQueue>,
    /// The second whose list was taken last.
    second: u32,
    /// Parts of that second that were taken.
    parts_done: u32,
    /// First checks are spread over this many seconds.
    spread_s: u32,
    changes: Vec<(InterfaceId, InterfaceState)>,
    profile: CostProfile,
    /// Memory for the entries of a part.
    firing: Vec<u32>,
}

#[derive(Debug, Default)]
struct HostPlan {
    devices: Vec<u32>,
    /// By item id.
    entries: Box<[u32]>,
}

impl Schedule {
    pub(crate) fn new(
        limits: &[Limits],
        times: UnreachableTimes,
        zone: TimeZone,
        now: Time,
    ) -> Self {
        let collector =
            |limits: &Limits| CollectorQueue { limits: *limits, queue: VecDeque::new(), n_jobs: 0 };
        Self {
            times,
            zone,
            lists: Lists::new(),
            intervals: Intervals::default(),
            devices: Vec::new(),
            free_devices: Vec::new(),
            hosts: Map::default(),
            collectors: limits.iter().map(collector).collect(),
            second: seconds(now),
            parts_done: 0,
            spread_s: SPREAD_MIN_S,
            changes: Vec::new(),
            profile: CostProfile::new(),
            firing: Vec::new(),
        }
    }

    /// Takes the entries that are due up to now out of the wheel.
    pub(crate) fn advance(&mut self, now: Now) {
        let second = seconds(now.wall);
        if second.saturating_add(SET_BACK_S) < self.second {
            self.set_back(second);
        }
        // After a long sleep of the machine one turn of the wheel finds everything.
        self.second = self.second.max(second.saturating_sub(Lists::reach()));
        while self.second < second {
            self.take_parts(PARTS);
            self.second += 1;
            self.parts_done = 0;
            let mut list = self.lists.take_second(self.second);
            while let Some(at) = self.lists.take_next(&mut list) {
                self.open(at);
            }
        }
        if self.second == second {
            self.take_parts(now.wall.ns() / (1_000_000_000 / PARTS) + 1);
        }
    }

    /// When [`Schedule::advance`] has something to do again at the earliest: at the next part of
    /// this second that has an item, otherwise at the next second, also without an item, since the
    /// clock may have been set by then.
    pub(crate) fn next_tick(&self, now: Time) -> Time {
        const STEP_NS: i64 = 1_000_000_000 / PARTS as i64;
        let second = seconds(now);
        let part = (self.second == second)
            .then(|| self.lists.next_open(self.parts_done))
            .flatten()
            .map_or(i64::from(PARTS), i64::from);
        Time(now.0.div_euclid(1_000_000_000) * 1_000_000_000 + part * STEP_NS)
    }

    /// Jobs that may start now, at most `n_max`. Devices take turns.
    pub(crate) fn take_jobs(&mut self, n_max: usize, now: Now) -> Vec<Job> {
        let mut jobs = Vec::new();
        for kind in 0..self.collectors.len() {
            while jobs.len() < n_max {
                let collector = &mut self.collectors[kind];
                if collector.limits.jobs_max <= collector.n_jobs {
                    break;
                }
                let Some(device) = collector.queue.pop_front() else { break };
                // Another device may have the place by now, which queues elsewhere.
                if usize::from(self.devices[device as usize].kind) == kind {
                    self.devices[device as usize].is_queued = false;
                    jobs.extend(self.take_job(device, now));
                }
            }
        }
        jobs
    }

    /// Whether [`Schedule::take_jobs`] would find something before anything else is due.
    pub(crate) fn may_start(&self) -> bool {
        self.collectors.iter().any(|it| !it.queue.is_empty() && it.n_jobs < it.limits.jobs_max)
    }

    fn take_job(&mut self, at: u32, now: Now) -> Option<Job> {
        let device = &mut self.devices[at as usize];
        let collector = &mut self.collectors[usize::from(device.kind)];
        let is_slow = device.started_ns.saturating_add(SLOW_NS) < now.mono_ns;
        if collector.limits.has_availability && 0 < device.n_jobs && is_slow {
            // It queues again when its job has ended.
            return None;
        }
        let mut checks = Vec::new();
        while checks.len() < collector.limits.job_checks_max {
            let Some(entry_at) = device.waiting.first() else { break };
            let entry = self.lists.get_mut(entry_at);
            if entry.has(ALONE) && !checks.is_empty() {
                break;
            }
            device.waiting.pop_front();
            entry.state = ScheduledState::Running;
            checks.push(Due {
                item: entry.item,
                ticket: Ticket { entry: entry_at, serial: entry.serial },
                is_broken: self.intervals.is_broken(entry.interval),
                due: entry.due,
            });
            if entry.has(ALONE) {
                break;
            }
        }
        if checks.is_empty() {
            return None;
        }
        collector.n_jobs += 1;
        device.n_jobs += 1;
        device.started_ns = now.mono_ns;
        let job = Job {
            device: DeviceRef { at, serial: device.serial },
            kind: usize::from(device.kind),
            host: device.host,
            interface: device.interface,
            started_ns: now.mono_ns,
            checks,
        };
        self.enqueue(at);
        Some(job)
    }

    /// Ends a job, with the outcome of each of its checks.
    pub(crate) fn finish<'a>(
        &mut self,
        job: JobRef,
        outcomes: impl IntoIterator<Item = (Ticket, Outcome<'a>)>,
        now: Now,
    ) {
        let collector = &mut self.collectors[job.kind];
        collector.n_jobs = collector.n_jobs.saturating_sub(1);
        let has_availability = collector.limits.has_availability;
        let mut answered = false;
        let mut error = None;
        let mut failed = Vec::new();
        let mut cost = Cost::default();
        for (ticket, outcome) in outcomes {
            cost.count(ticket, outcome);
            match outcome {
                Outcome::Failed(reason) => {
                    error = error.or(Some(reason));
                    failed.push(ticket);
                    continue;
                }
                Outcome::Answered | Outcome::TimedOut => answered = true,
                Outcome::NotMade => {}
            }
            self.settle(job.device, ticket, now);
        }
        let at = job.device.at;
        let is_present = self.is_present(job.device);
        if is_present {
            self.note_costs(job, &cost, now);
        }
        match error.filter(|_| is_present && has_availability && !answered) {
            Some(error) => self.fail(at, &failed, error, now),
            None => failed.into_iter().for_each(|it| self.settle(job.device, it, now)),
        }
        if !is_present {
            return;
        }
        if has_availability && answered {
            self.recover(at);
        } else if has_availability && error.is_none() {
            self.ask_again(at);
        }
        self.enqueue(at);
    }

    /// Whether a device still has its place, and its interface is unchanged.
    fn is_present(&self, device: DeviceRef) -> bool {
        self.devices.get(device.at as usize).is_some_and(|it| it.serial == device.serial)
    }

    /// A job of a device has ended.
    fn note_costs(&mut self, job: JobRef, cost: &Cost, now: Now) {
        let device = &mut self.devices[job.device.at as usize];
        device.n_jobs = device.n_jobs.saturating_sub(1);
        if cost.sums.n_checks == 0 {
            return;
        }
        let us = now.mono_ns.saturating_sub(job.started_ns) / 1_000;
        let us = u32::try_from(us).unwrap_or(u32::MAX);
        let item = cost.asked.and_then(|it| self.lists.check(it.entry, it.serial));
        let slowest = item.map_or(ItemId::default(), |it| it.item);
        let period = costs::period(now.mono_ns);
        let sums = CostSums { n_jobs: 1, busy_us: us.into(), max_us: us, slowest, ..cost.sums };
        device.costs.add(period, &sums);
        self.profile.add(period, us, slowest);
    }

    /// Puts a checked entry back into the wheel. A check of an interface that has been changed
    /// meanwhile is due again at once.
    fn settle(&mut self, asked: DeviceRef, ticket: Ticket, now: Now) {
        let Some(at) = self.running(ticket) else { return };
        self.unlink(at);
        self.lists.get_mut(at).set(PROBE, false);
        if self.is_present(asked) {
            self.reschedule(at, seconds(now.wall));
        } else {
            self.wait(at);
            self.enqueue(self.lists.get(at).device);
        }
    }

    /// The entry that a check was started for, if its result is still awaited.
    fn running(&self, ticket: Ticket) -> Option<u32> {
        let entry = self.lists.check(ticket.entry, ticket.serial)?;
        (entry.state == ScheduledState::Running).then_some(ticket.entry)
    }

    fn recover(&mut self, at: u32) {
        let device = &mut self.devices[at as usize];
        let was_failing = device.failing.take().is_some();
        if !was_failing && device.available == Available::Yes {
            return;
        }
        device.available = Available::Yes;
        self.note_change(at);
        let mut parked = std::mem::replace(&mut self.devices[at as usize].parked, NIL);
        while let Some(entry) = self.lists.take_next(&mut parked) {
            self.wait(entry);
        }
    }

    /// None of a job's checks had an answer: one of them probes the device, the others wait until
    /// it answers, as do all that become due meanwhile.
    fn fail(&mut self, at: u32, failed: &[Ticket], error: &str, now: Now) {
        let failed = failed.iter().filter_map(|it| self.running(*it)).collect::<Vec<_>>();
        let device = &mut self.devices[at as usize];
        let probe = device.failing.as_ref().map_or(NIL, |it| it.probe);
        for entry in failed.iter().copied() {
            self.unlink(entry);
            self.park(entry);
        }
        // Failures of other checks that were under way at the first failure add nothing.
        if probe != NIL && !failed.contains(&probe) {
            return;
        }
        self.devices[at as usize].fail(error, now.wall, &self.times);
        self.note_change(at);
        while let Some(entry) = self.devices[at as usize].waiting.pop_front() {
            self.unlink(entry);
            self.park(entry);
        }
        match failed.first().copied() {
            Some(asked) => {
                self.unlink(asked);
                self.set_probe(at, asked);
            }
            None => self.choose_probe(at),
        }
    }

    /// The probe of a failing device was not made.
    fn ask_again(&mut self, at: u32) {
        if let Some(failing) = &mut self.devices[at as usize].failing {
            failing.probe = NIL;
            self.choose_probe(at);
        }
    }

    /// A parked entry becomes the probe of a failing device that has none; without parked entries,
    /// the next entry that is due becomes the probe.
    fn choose_probe(&mut self, at: u32) {
        let device = &mut self.devices[at as usize];
        let Some(failing) = &mut device.failing else { return };
        failing.probe = NIL;
        let entry = device.parked;
        if entry != NIL {
            self.unlink(entry);
            self.set_probe(at, entry);
        }
    }

    fn note_change(&mut self, at: u32) {
        let device = &self.devices[at as usize];
        if device.interface.is_some() {
            self.changes.push((device.interface, device.state()));
        }
    }

    /// The entry, which is in no list, probes its failing device at its time.
    fn set_probe(&mut self, device: u32, entry: u32) {
        let Some(failing) = &mut self.devices[device as usize].failing else { return };
        failing.probe = entry;
        let due = seconds(failing.disable_until);
        self.lists.get_mut(entry).set(PROBE, true);
        self.lists.put_in_wheel(entry, due, self.second);
    }

    /// Polls an item as soon as possible; `false` if it is not scheduled.
    pub(crate) fn execute_now(&mut self, host: HostId, item: ItemId, now: Now) -> bool {
        let Some(at) = self.find(host, item) else { return false };
        let entry = self.lists.get(at);
        let device_at = entry.device;
        if matches!(entry.state, ScheduledState::Waiting | ScheduledState::Running) {
            return true;
        }
        self.unlink(at);
        self.lists.get_mut(at).due = seconds(now.wall);
        let device = &mut self.devices[device_at as usize];
        if let Some(failing) = &mut device.failing {
            let former = std::mem::replace(&mut failing.probe, at);
            self.lists.get_mut(at).set(PROBE, true);
            if former != NIL && former != at {
                self.demote(former);
            }
        }
        self.wait(at);
        self.enqueue(device_at);
        true
    }

    /// Another entry has become the probe.
    fn demote(&mut self, at: u32) {
        self.lists.get_mut(at).set(PROBE, false);
        if self.lists.get(at).state != ScheduledState::Running {
            self.drop_waiting(at);
            self.unlink(at);
            self.park(at);
        }
    }

    /// Polled items that are late by at least `from_s` and by less than `to_s`, by collector.
    pub(crate) fn n_overdue(&self, from_s: u32, to_s: Option<u32>, now: Time) -> Vec<u64> {
        let mut n = vec![0; self.collectors.len()];
        let now = seconds(now);
        for entry in self.lists.out() {
            let late_s = now.saturating_sub(entry.due);
            if from_s <= late_s && to_s.is_none_or(|it| late_s < it) {
                n[usize::from(self.devices[entry.device as usize].kind)] += 1;
            }
        }
        n
    }

    /// The sum of the update intervals of all items.
    pub(crate) fn checks_per_second(&self) -> f64 {
        self.intervals.checks_per_second()
    }

    pub(crate) fn n_items(&self) -> usize {
        self.lists.n_used()
    }

    /// Jobs under way, by collector.
    pub(crate) fn n_jobs(&self) -> impl Iterator<Item = usize> {
        self.collectors.iter().map(|it| it.n_jobs)
    }

    /// As many there may be.
    pub(crate) fn jobs_max(&self) -> impl Iterator<Item = usize> {
        self.collectors.iter().map(|it| it.limits.jobs_max)
    }

    /// The changes of interfaces since the last call.
    pub(crate) fn take_changes(&mut self) -> Vec<(InterfaceId, InterfaceState)> {
        std::mem::take(&mut self.changes)
    }

    /// An entry of the present second waits for its part of it.
    fn open(&mut self, at: u32) {
        if self.lists.get(at).has(EARLY) {
            // It is here because the wheel has no place further ahead.
            let due = self.next_due(at, self.second - 1);
            if self.second < due {
                self.lists.put_in_wheel(at, due, self.second);
                return;
            }
        }
        self.lists.put_open(at);
    }

    fn take_parts(&mut self, up_to: u32) {
        while self.parts_done < up_to.min(PARTS) {
            let mut list = self.lists.take_part(self.parts_done);
            self.parts_done += 1;
            let mut due = std::mem::take(&mut self.firing);
            while let Some(at) = self.lists.take_next(&mut list) {
                due.push(at);
            }
            for some in due.chunks(FIRED_TOGETHER) {
                let touch = |it: &u32| self.devices[self.lists.get(*it).device as usize].touch();
                black_box(some.iter().map(touch).fold(0, BitXor::bitxor));
                some.iter().for_each(|it| self.fire(*it));
            }
            due.clear();
            self.firing = due;
        }
    }

    /// An entry is due.
    fn fire(&mut self, at: u32) {
        let entry = self.lists.get(at);
        let (device_at, is_probe) = (entry.device, entry.has(PROBE));
        let device = &mut self.devices[device_at as usize];
        if let Some(failing) = &device.failing
            && !is_probe
        {
            if failing.probe != NIL {
                self.park(at);
                return;
            }
            if self.second < seconds(failing.disable_until) {
                self.set_probe(device_at, at);
                return;
            }
            self.lists.get_mut(at).set(PROBE, true);
            if let Some(failing) = &mut device.failing {
                failing.probe = at;
            }
        }
        self.wait(at);
        self.enqueue(device_at);
    }

    /// Lets an entry that is in no list wait for its device.
    fn wait(&mut self, at: u32) {
        self.lists.put_out(at, ScheduledState::Waiting);
        let device = self.lists.get(at).device;
        self.devices[device as usize].waiting.push_back(at);
    }

    fn park(&mut self, at: u32) {
        self.lists.get_mut(at).set(PROBE, false);
        let device = &mut self.devices[self.lists.get(at).device as usize];
        self.lists.push(&mut device.parked, at, ScheduledState::Parked);
    }

    /// Puts a device into its collector's queue, if it has work and room.
    fn enqueue(&mut self, at: u32) {
        let device = &mut self.devices[at as usize];
        let collector = &mut self.collectors[usize::from(device.kind)];
        // A device that has never answered, or does not answer, gets one request at a time.
        let trusted = !collector.limits.has_availability
            || (device.available == Available::Yes && device.failing.is_none());
        let jobs_max = if trusted { collector.limits.device_jobs_max } else { 1 };
        if !device.is_queued && !device.waiting.is_empty() && device.n_jobs < jobs_max {
            device.is_queued = true;
            collector.queue.push_back(at);
        }
    }

    /// Takes an entry out of its list.
    fn unlink(&mut self, at: u32) {
        let device = &mut self.devices[self.lists.get(at).device as usize];
        self.lists.unlink(at, &mut device.parked);
    }

    /// Takes an entry in state `Waiting` out of its device's queue.
    fn drop_waiting(&mut self, at: u32) {
        let entry = self.lists.get(at);
        if entry.state == ScheduledState::Waiting {
            self.devices[entry.device as usize].waiting.remove(at);
        }
    }

    /// Puts an entry in no list into the wheel for its next time after `second`.
    fn reschedule(&mut self, at: u32, second: u32) {
        let due = self.next_due(at, second);
        self.lists.put_in_wheel(at, due, self.second);
    }

    fn next_due(&self, at: u32, second: u32) -> u32 {
        let entry = self.lists.get(at);
        let device = &self.devices[entry.device as usize];
        let seed = if entry.has(BY_DEVICE) { device.seed() } else { entry.item.0 };
        self.intervals.next(entry.interval, second, seed, &self.zone)
    }

    fn find(&self, host: HostId, item: ItemId) -> Option<u32> {
        let entries = &self.hosts.get(&host)?.entries;
        let found = entries.binary_search_by_key(&item, |it| self.lists.get(*it).item).ok()?;
        entries.get(found).copied()
    }

    /// The wall clock was set back: computes everything by the new time.
    #[cold]
    fn set_back(&mut self, second: u32) {
        let all = self.lists.in_wheel();
        for at in &all {
            self.unlink(*at);
        }
        self.second = second;
        self.parts_done = PARTS;
        for at in all {
            if self.lists.get(at).has(PROBE) {
                self.lists.put_in_wheel(at, second + 1, second);
            } else {
                self.reschedule(at, second);
            }
        }
    }
}

/// Identifies a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobRef {
    pub(crate) device: DeviceRef,
    pub(crate) kind: usize,
    pub(crate) host: HostId,
    pub(crate) started_ns: u64,
}

/// The cost of a job that has ended, of the checks that were made.
#[derive(Default)]
struct Cost {
    sums: CostSums,
    asked: Option<Ticket>,
}

impl Cost {
    fn count(&mut self, ticket: Ticket, outcome: Outcome<'_>) {
        let (is_failed, is_late) = match outcome {
            Outcome::NotMade => return,
            Outcome::Answered => (false, false),
            Outcome::TimedOut => (false, true),
            Outcome::Failed(error) => (true, is_timeout(error)),
        };
        self.sums.n_checks += 1;
        self.sums.n_failed += u32::from(is_failed);
        self.sums.n_timeouts += u32::from(is_late);
        self.asked = self.asked.or(Some(ticket));
    }
}

/// Whether a reason says that the time was over, in the words of collectors and curl.
pub(crate) fn is_timeout(reason: &str) -> bool {
    reason.contains("imeout") || reason.contains("timed out")
}

impl Due {
    /// A check outside the schedule.
    pub(crate) fn trial(item: ItemId) -> Self {
        Self { item, ticket: Ticket::NONE, is_broken: false, due: 0 }
    }
}

impl Job {
    /// A job outside the schedule.
    pub(crate) fn trial(kind: usize, (host, interface): (HostId, InterfaceId), due: Due) -> Self {
        let device = DeviceRef { at: u32::MAX, serial: 0 };
        Self { device, kind, host, interface, started_ns: 0, checks: vec![due] }
    }

    pub(crate) fn reference(&self) -> JobRef {
        let Self { device, kind, host, started_ns, .. } = *self;
        JobRef { device, kind, host, started_ns }
    }
}

/// Whole seconds since 1970; clamped to the range of the wheel.
fn seconds(time: Time) -> u32 {
    u32::try_from(time.clock().max(0)).unwrap_or(u32::MAX / 2)
}

#[cfg(test)]
mod tests;
