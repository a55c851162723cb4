//! The costs of checks: time of conversations, by device, and a profile of their items.
//!
//! A device has two sums, of the present half hour and of the one before, so that the figures are
//! neither of the last moment nor of a bad day long ago. Items are too many for sums of their own:
//! they are *sampled*, as in a profiler. After each fixed amount of conversation time, the check
//! that is under way is noted, so that an item has as many samples as it has a share of the time,
//! and a cheap item takes no memory. A check costs an addition and a comparison.

use model::ItemId;
use model::map::Map;

/// Figures are of the present period and the one before.
pub(crate) const PERIOD_S: u64 = 1_800;
/// Samples of one period: shares are accurate to some 2 %. With more, half of them are dropped.
const SAMPLES_MAX: usize = 2_048;
/// Initial time of conversations from sample to sample.
const STEP_MIN_US: u64 = 1_000;

/// The period of a moment.
pub(super) fn period(mono_ns: u64) -> u32 {
    u32::try_from(mono_ns / 1_000_000_000 / PERIOD_S).unwrap_or(u32::MAX)
}

/// Sums over conversations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CostSums {
    pub(crate) n_jobs: u32,
    pub(crate) n_checks: u32,
    /// Checks without an answer of the device.
    pub(crate) n_failed: u32,
    /// Checks that ended by their time-out.
    pub(crate) n_timeouts: u32,
    pub(crate) busy_us: u64,
    pub(crate) max_us: u32,
    /// An item of the longest conversation.
    pub(crate) slowest: ItemId,
}

impl CostSums {
    fn add(&mut self, other: &Self) {
        self.n_jobs = self.n_jobs.saturating_add(other.n_jobs);
        self.n_checks = self.n_checks.saturating_add(other.n_checks);
        self.n_failed = self.n_failed.saturating_add(other.n_failed);
        self.n_timeouts = self.n_timeouts.saturating_add(other.n_timeouts);
        self.busy_us = self.busy_us.saturating_add(other.busy_us);
        if self.max_us <= other.max_us {
            (self.max_us, self.slowest) = (other.max_us, other.slowest);
        }
    }

    /// Mean time of a conversation.
    pub(crate) fn mean_us(&self) -> u64 {
        self.busy_us / u64::from(self.n_jobs.max(1))
    }
}

/// The costs of one device.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeviceCosts {
    period: u32,
    present: CostSums,
    former: CostSums,
}

impl DeviceCosts {
    pub(super) fn add(&mut self, period: u32, job: &CostSums) {
        self.turn(period);
        self.present.add(job);
    }

    fn turn(&mut self, period: u32) {
        if self.period == period {
            return;
        }
        let present = std::mem::take(&mut self.present);
        self.former = if self.period + 1 == period { present } else { CostSums::default() };
        self.period = period;
    }

    /// See [`super::device::Device::touch`].
    pub(super) fn touch(&self) -> u64 {
        self.present.busy_us ^ u64::from(self.period)
    }

    pub(super) fn sums(mut self, period: u32) -> CostSums {
        self.turn(period);
        let mut sums = self.former;
        sums.add(&self.present);
        sums
    }
}

/// A check that was under way at the time of a sample.
#[derive(Clone, Copy, Debug)]
struct Sample {
    item: ItemId,
    /// Time of its conversation.
    us: u32,
    /// The time that it represents.
    weight_us: u64,
}

/// The profile of conversation time by item.
#[derive(Debug)]
pub(super) struct CostProfile {
    period: u32,
    step_us: u64,
    /// Time until the next sample.
    left_us: u64,
    /// Time in this period.
    total_us: u64,
    samples: Vec<Sample>,
    former: Vec<Sample>,
    /// State of the generator of steps.
    state: u64,
}

/// An item's part of the profile.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ItemCost {
    pub(crate) item: ItemId,
    /// Share of the time of all conversations, 0 to 1.
    pub(crate) share: f64,
    /// Mean and longest time of the sampled conversations, in which long ones are more frequent.
    pub(crate) mean_us: u64,
    pub(crate) max_us: u32,
}

impl CostProfile {
    pub(super) fn new() -> Self {
        Self {
            period: 0,
            step_us: STEP_MIN_US,
            left_us: STEP_MIN_US,
            total_us: 0,
            samples: Vec::new(),
            former: Vec::new(),
            state: 1,
        }
    }

    /// Notes a conversation of `us` about an item, or about several that begin with it.
    pub(super) fn add(&mut self, period: u32, us: u32, item: ItemId) {
        self.turn(period);
        let whole_us = u64::from(us);
        self.total_us += whole_us;
        if whole_us < self.left_us {
            self.left_us -= whole_us;
            return;
        }
        let beyond = whole_us - self.left_us;
        let weight_us = (1 + beyond / self.step_us) * self.step_us;
        self.left_us = self.next_step_us();
        if SAMPLES_MAX <= self.samples.len() {
            self.thin();
        }
        self.samples.push(Sample { item, us, weight_us });
    }

    /// A step of half to one and a half times the usual length: schedules are periodic, and even
    /// steps would always find the same items.
    fn next_step_us(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.step_us / 2 + (self.state >> 33) % self.step_us.max(1)
    }

    /// Keeps half of the samples, each for twice the time.
    fn thin(&mut self) {
        let mut at = 0_usize;
        self.samples.retain_mut(|it| {
            at += 1;
            it.weight_us *= 2;
            at.is_multiple_of(2)
        });
        self.step_us *= 2;
    }

    fn turn(&mut self, period: u32) {
        if self.period == period {
            return;
        }
        let present = std::mem::take(&mut self.samples);
        self.former = if self.period + 1 == period { present } else { Vec::new() };
        // As many samples as there is room for, if this period is like the last one.
        self.step_us = (self.total_us / (SAMPLES_MAX as u64 * 3 / 4)).max(STEP_MIN_US);
        self.left_us = self.step_us;
        self.total_us = 0;
        self.period = period;
    }

    /// The items with the largest shares, at most `n_max`.
    pub(super) fn costliest(&self, n_max: usize) -> Vec<ItemCost> {
        let mut sums = Map::<ItemId, (u64, u64, u32, u32)>::default();
        let mut whole_us = 0;
        for sample in self.former.iter().chain(&self.samples) {
            let (weight_us, us, max_us, n) = sums.entry(sample.item).or_default();
            *weight_us += sample.weight_us;
            *us += u64::from(sample.us);
            *max_us = sample.us.max(*max_us);
            *n += 1;
            whole_us += sample.weight_us;
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_unstable_by_key(|(item, (weight_us, ..))| (std::cmp::Reverse(*weight_us), *item));
        sums.truncate(n_max);
        #[expect(clippy::cast_precision_loss, reason = "a share of some hours")]
        let cost = |(item, (weight_us, us, max_us, n)): (ItemId, (u64, u64, u32, u32))| ItemCost {
            item,
            share: weight_us as f64 / whole_us as f64,
            mean_us: us / u64::from(n),
            max_us,
        };
        sums.into_iter().map(cost).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_time() {
        let mut profile = CostProfile::new();
        // A hundred items that take 1 ms, one that takes 100: half of the time is its own.
        for round in 0..10_000_u64 {
            for item in 0..100 {
                profile.add(
                    0,
                    1_000 + u32::try_from((round * 31 + item * 17) % 97).unwrap(),
                    ItemId(item + 1),
                );
            }
            profile.add(0, 100_000, ItemId(1_000));
        }
        let costliest = profile.costliest(3);
        assert_eq!(costliest[0].item, ItemId(1_000));
        assert!((costliest[0].share - 0.49).abs() < 0.03, "{costliest:?}");
        assert_eq!((costliest[0].mean_us, costliest[0].max_us), (100_000, 100_000));
        assert!(costliest[1].share < 0.02, "{costliest:?}");
        assert!(profile.samples.len() <= SAMPLES_MAX);
    }

    #[test]
    fn old_costs_are_forgotten() {
        let mut profile = CostProfile::new();
        let mut device = DeviceCosts::default();
        let job = CostSums {
            n_jobs: 1,
            busy_us: 7,
            max_us: 7,
            slowest: ItemId(1),
            ..CostSums::default()
        };
        profile.add(1, 50_000, ItemId(1));
        device.add(1, &job);
        profile.add(2, 50_000, ItemId(2));
        device.add(2, &CostSums { max_us: 3, slowest: ItemId(2), ..job });
        assert_eq!(profile.costliest(9).len(), 2);
        let sums = device.sums(2);
        assert_eq!((sums.n_jobs, sums.max_us, sums.slowest), (2, 7, ItemId(1)));
        assert_eq!(device.sums(3).slowest, ItemId(2));
        assert_eq!(device.sums(4), CostSums::default());
        profile.add(4, 50_000, ItemId(4));
        assert_eq!(profile.costliest(9).iter().map(|it| it.item).collect::<Vec<_>>(), [ItemId(4)]);
    }
}
