//! Devices: an interface (or a host, for checks without one) as one collector sees it.

use std::collections::VecDeque;
use std::time::Duration;

use model::content::Interface;
use model::{HostId, InterfaceId, Time};
use rt::clock::nanos;

use super::costs::DeviceCosts;
use super::lists::{NIL, PARTS};
use crate::ports::{Available, InterfaceState};

/// How failing devices are treated; Zabbix's `Unreachable…` settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnreachableTimes {
    pub(crate) unreachable_delay: Duration,
    pub(crate) unreachable_period: Duration,
    pub(crate) unavailable_delay: Duration,
}

/// A device's checks: waiting ones, running ones, and whether the device answers at all.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) host: HostId,
    /// None for checks without interface.
    pub(super) interface: InterfaceId,
    pub(super) kind: u8,
    /// Items; the device is forgotten when there are none.
    pub(super) n_entries: u32,
    /// Of the interface's settings: another value means that another device may be there.
    pub(super) fingerprint: u64,
    /// Jobs under way.
    pub(super) n_jobs: u16,
    /// Counts the devices that used this place.
    pub(super) serial: u32,
    /// Whether it is in its collector's queue.
    pub(super) is_queued: bool,
    pub(super) available: Available,
    pub(super) failing: Option<Box<Failing>>,
    /// When the last job was started, monotonic.
    pub(super) started_ns: u64,
    pub(super) costs: DeviceCosts,
    pub(super) waiting: WaitingEntries,
    /// Head of the list of parked entries.
    pub(super) parked: u32,
}

/// Due entries, oldest first. The first takes no memory of its own: most devices have at most one
/// at a time.
#[derive(Debug)]
pub(super) struct WaitingEntries {
    /// [`NIL`] if there is none.
    first: u32,
    others: VecDeque<u32>,
}

impl Default for WaitingEntries {
    fn default() -> Self {
        Self { first: NIL, others: VecDeque::new() }
    }
}

impl WaitingEntries {
    pub(super) fn is_empty(&self) -> bool {
        self.first == NIL
    }

    pub(super) fn first(&self) -> Option<u32> {
        (self.first != NIL).then_some(self.first)
    }

    pub(super) fn push_back(&mut self, at: u32) {
        if self.is_empty() {
            self.first = at;
        } else {
            self.others.push_back(at);
        }
    }

    pub(super) fn pop_front(&mut self) -> Option<u32> {
        let first = self.first()?;
        self.first = self.others.pop_front().unwrap_or(NIL);
        Some(first)
    }

    pub(super) fn remove(&mut self, at: u32) {
        self.others.retain(|it| *it != at);
        if self.first == at {
            self.pop_front();
        }
    }
}

/// A device that failed to answer.
#[derive(Clone, Debug)]
pub(super) struct Failing {
    pub(super) errors_from: Time,
    pub(super) disable_until: Time,
    pub(super) error: String,
    /// The entry that asks next; the others are parked.
    pub(super) probe: u32,
}

impl Device {
    pub(super) fn new(host: HostId, interface: InterfaceId, kind: u8, serial: u32) -> Self {
        Self {
            host,
            interface,
            kind,
            n_entries: 0,
            fingerprint: 0,
            n_jobs: 0,
            serial,
            is_queued: false,
            available: Available::Unknown,
            failing: None,
            started_ns: 0,
            costs: DeviceCosts::default(),
            waiting: WaitingEntries::default(),
            parked: NIL,
        }
    }

    /// Its part of each second.
    pub(super) fn part(&self) -> u8 {
        const { assert!(PARTS.is_power_of_two() && PARTS <= 256) };
        let mixed = (self.host.0 ^ self.interface.0.rotate_left(32))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .to_be_bytes()[0];
        // As many low bits as there are parts.
        mixed & (PARTS - 1).to_le_bytes()[0]
    }

    /// Reads the fields that a due entry and the end of a job need; the value returned only keeps
    /// the compiler from dropping the reads.
    pub(super) fn touch(&self) -> u64 {
        self.started_ns ^ u64::from(self.waiting.first ^ self.parked) ^ self.costs.touch()
    }

    /// Spreads its items over their interval together.
    pub(super) fn seed(&self) -> u64 {
        self.interface.some().map_or(self.host.0, |it| it.0)
    }

    /// Restores the state from before a restart. A device that was down is tried once, not with all
    /// its items.
    pub(super) fn restore(&mut self, state: InterfaceState) {
        self.available = state.available;
        if state.available == Available::No {
            self.failing = Some(Box::new(Failing {
                errors_from: state.errors_from,
                disable_until: Time::ZERO,
                error: state.error,
                probe: NIL,
            }));
        }
    }

    /// Notes a failure at `now`; the device is not asked until [`Failing::disable_until`].
    pub(super) fn fail(&mut self, error: &str, now: Time, times: &UnreachableTimes) {
        let plus = |delay| Time(now.0.saturating_add_unsigned(nanos(delay)));
        let Some(failing) = &mut self.failing else {
            self.failing = Some(Box::new(Failing {
                errors_from: now,
                disable_until: plus(times.unreachable_delay),
                error: error.to_owned(),
                probe: NIL,
            }));
            return;
        };
        error.clone_into(&mut failing.error);
        let period_ns = nanos(times.unreachable_period);
        if u64::try_from(now.since_ns(failing.errors_from)).unwrap_or(0) <= period_ns
            && self.available != Available::No
        {
            failing.disable_until = plus(times.unreachable_delay);
        } else {
            failing.disable_until = plus(times.unavailable_delay);
            self.available = Available::No;
        }
    }

    /// The state for users. An error is shown once the interface counts as not available.
    pub(super) fn state(&self) -> InterfaceState {
        let Some(failing) = &self.failing else {
            return InterfaceState { available: self.available, ..InterfaceState::default() };
        };
        let is_down = self.available == Available::No;
        InterfaceState {
            available: self.available,
            error: if is_down { failing.error.clone() } else { String::new() },
            errors_from: failing.errors_from,
            disable_until: failing.disable_until,
        }
    }
}

/// Identifies the settings of an interface.
pub(super) fn fingerprint(interface: &Interface) -> u64 {
    use std::hash::BuildHasher;
    // Debug text has all fields; this runs once per host and change.
    foldhash::fast::FixedState::default().hash_one(format!("{interface:?}"))
}
