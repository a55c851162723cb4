//! Late items and costs of checks, for users: read in parts, so that polling continues in between.

use model::{HostId, InterfaceId, ItemId, Time};

use super::costs::{CostSums, ItemCost, period};
use super::lists::ScheduledState;
use super::{Schedule, seconds};

/// A check that is due and not finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LateCheck {
    pub(crate) item: ItemId,
    /// Seconds since 1970.
    pub(crate) due: u32,
}

/// A device with the costs of its checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DeviceCost {
    pub(crate) host: HostId,
    pub(crate) interface: InterfaceId,
    pub(crate) kind: usize,
    /// Does not answer at present.
    pub(crate) is_failing: bool,
    pub(crate) sums: CostSums,
}

impl Schedule {
    /// Adds those among the entries `from..from + n` that are late by `min_s` or more; `false`:
    /// these were the last ones. An entry keeps its position, so that a caller that continues later
    /// sees none twice.
    pub(crate) fn late_among(
        &self,
        (from, n): (usize, usize),
        min_s: u32,
        now: Time,
        late: &mut Vec<LateCheck>,
    ) -> bool {
        let now = seconds(now);
        let (entries, has_more) = self.lists.part(from, n);
        for entry in entries {
            let is_out = matches!(entry.state, ScheduledState::Waiting | ScheduledState::Running);
            if is_out && min_s <= now.saturating_sub(entry.due) {
                late.push(LateCheck { item: entry.item, due: entry.due });
            }
        }
        has_more
    }

    /// Adds those among the devices `from..from + n` that have had a conversation lately; `false`: these
    /// were the last ones.
    pub(crate) fn costs_among(
        &self,
        (from, n): (usize, usize),
        mono_ns: u64,
        costs: &mut Vec<DeviceCost>,
    ) -> bool {
        let period = period(mono_ns);
        let until = from.saturating_add(n).min(self.devices.len());
        for device in self.devices.get(from..until).unwrap_or_default() {
            let sums = device.costs.sums(period);
            if device.n_entries != 0 && sums.n_jobs != 0 {
                costs.push(DeviceCost {
                    host: device.host,
                    interface: device.interface,
                    kind: usize::from(device.kind),
                    is_failing: device.failing.is_some(),
                    sums,
                });
            }
        }
        until < self.devices.len()
    }

    /// The items whose checks take most of the time of conversations.
    pub(crate) fn costliest_items(&self, n_max: usize) -> Vec<ItemCost> {
        self.profile.costliest(n_max)
    }
}
