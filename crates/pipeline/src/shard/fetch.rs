//! Windows that history has to fill.
//!
//! A window is loaded when an evaluation finds it cold. While the fetch is under way, values that
//! arrive are kept next to the ring with the step that they came in, so that the answer, which
//! holds all records up to a position of the journal, is merged without doubles or gaps.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use directory::{Bound, HostPlan, Way};
use model::map::Map;
use model::{ItemId, Now, Time, time::NANOS};
use window::{Depth, Ring, Samples};

use super::hosts::Hosts;
use super::items::Items;
use super::state::{ENABLED, Loading, Slot};
use crate::effects::{Effects, Fetch};

/// The most pending fetches. When it is reached, further ones wait.
const UNDER_WAY_MAX: usize = 10_000;
/// How long an answer may take. After that the fetch has failed.
const EXPIRES_NS: u64 = 60 * NANOS.unsigned_abs();
/// The time after a failure until the fetch is made again.
const RETRY_NS: u64 = 30 * NANOS.unsigned_abs();
/// The most positions of steps in the journal that are remembered. Beyond it the oldest is dropped.
const COMMITS_MAX: usize = 100_000;
/// The time fetched beyond the windows, as rings keep it.
const SLACK_NS: i64 = 120 * NANOS;
/// The values fetched beyond windows by count, for evaluations a little back in time.
const COUNT_SLACK: u32 = 16;

#[derive(Debug, Default)]
pub(super) struct Fetches {
    next_id: u64,
    /// Slots whose windows are to be loaded, in order.
    waiting: VecDeque<u32>,
    under_way: BTreeMap<u64, u32>,
    /// Slots whose last fetch failed, and when it is asked again.
    failed: BTreeMap<u64, Vec<u32>>,
    /// Steps and their positions in the journal, while fetches are under way.
    commits: VecDeque<(u64, u64)>,
    /// Calculated items that wait for the window of a slot, with the times that they are due for.
    calculations: Map<u32, Vec<(u32, ItemId, Time)>>,
}

/// Values of one calculated item that wait for one window at most: an interval passes rarely while
/// history is read.
const CALCULATIONS_MAX: usize = 8;

impl Fetches {
    /// A calculated item is to be computed for this time once the window of `cold` is there. Its
    /// former entry is left out if too many wait.
    pub(super) fn calculate_then(&mut self, cold: u32, (at, item, time): (u32, ItemId, Time)) {
        let waiting = self.calculations.entry(cold).or_default();
        if waiting.iter().any(|it| (it.0, it.2) == (at, time)) {
            return;
        }
        let own = waiting.iter().filter(|it| it.0 == at).count();
        if CALCULATIONS_MAX <= own
            && let Some(oldest) = waiting.iter().position(|it| it.0 == at)
        {
            waiting.remove(oldest);
        }
        waiting.push((at, item, time));
    }

    /// The evaluations that waited for a window, in order.
    pub(super) fn take_calculations(&mut self, cold: u32) -> Vec<(u32, ItemId, Time)> {
        self.calculations.remove(&cold).unwrap_or_default()
    }

    pub(super) fn committed(&mut self, step: u64, lsn: u64) {
        if self.under_way.is_empty() {
            self.commits.clear();
            return;
        }
        // The last of its records, if it took several.
        if let Some(last) = self.commits.back_mut()
            && last.0 == step
        {
            last.1 = lsn;
            return;
        }
        if self.commits.len() == COMMITS_MAX {
            self.commits.pop_front();
        }
        self.commits.push_back((step, lsn));
    }

    /// Whether the record of a step is after a position of the journal.
    fn is_after(&self, step: u64, lsn: u64) -> bool {
        let at = self.commits.partition_point(|it| it.0 < step);
        // A step without a remembered position is older than all remembered ones, or not written
        // yet.
        match self.commits.get(at) {
            Some((_, known)) => lsn < *known,
            None => true,
        }
    }

    /// Fetches get numbers that the other has not given.
    pub(super) fn number_from(&mut self, other: &Self) {
        self.next_id = other.next_id;
    }

    pub(super) fn n_waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn n_under_way(&self) -> usize {
        self.under_way.len()
    }

    /// When the timer has to look at fetches again.
    pub(super) fn next(&self) -> Option<u64> {
        self.failed.first_key_value().map(|it| *it.0)
    }

    /// The slot that a fetch is about, while it is under way.
    pub(super) fn slot_of(&self, id: u64) -> Option<u32> {
        self.under_way.get(&id).copied()
    }

    /// Has the windows of an item loaded.
    pub(super) fn load(&mut self, items: &mut Items, at: u32) {
        let state = items.make_state(at);
        if state.loading.is_none() {
            state.loading = Some(Box::new(Loading {
                id: 0,
                from: Time::ZERO,
                count: 0,
                count_until: Time::ZERO,
                arrivals: Vec::new(),
                expires: u64::MAX,
                failed: None,
            }));
            self.waiting.push_back(at);
        }
    }

    /// After a start: has the windows loaded that triggers read, so that few evaluations are deferred.
    pub(super) fn load_cold(&mut self, items: &mut Items, hosts: &Hosts) {
        let plans = hosts.all().map(|it| &it.1.plan).filter(|it| it.is_enabled());
        for at in plans.flat_map(|it| windows_of(it)) {
            if is_cold(items, at) {
                self.load(items, at);
            }
        }
    }

    /// The next slot whose fetch may be asked now.
    pub(super) fn next_waiting(&mut self) -> Option<u32> {
        if self.under_way.len() < UNDER_WAY_MAX { self.waiting.pop_front() } else { None }
    }

    /// Puts a fetch into the effects, if its slot still needs it. `oldest`: the point in time of the item's
    /// host that is to be judged first.
    pub(super) fn ask(
        &mut self,
        items: &mut Items,
        (at, slot): (u32, &Slot),
        (depth, oldest): (Depth, Time),
        now: Now,
        effects: &mut Effects,
    ) {
        let Some(state) = items.state_mut(slot) else { return };
        let Some(loading) = &mut state.loading else { return };
        self.next_id += 1;
        let reach = depth.period_ns.max(depth.count_shift_ns).saturating_add(SLACK_NS);
        loading.id = self.next_id;
        loading.from = Time(oldest.0.saturating_sub(reach));
        loading.count = depth.count.saturating_add(COUNT_SLACK);
        loading.count_until = Time(oldest.0.saturating_sub(depth.count_shift_ns));
        loading.expires = now.mono_ns.saturating_add(EXPIRES_NS);
        self.under_way.insert(loading.id, at);
        effects.fetches.push(Fetch {
            id: loading.id,
            item: slot.item,
            kind: slot.value_type(),
            from: loading.from,
            until: Time::MAX,
            count: loading.count,
            count_until: loading.count_until,
        });
    }

    /// A fetch has its answer: the slot that it was about.
    pub(super) fn take(&mut self, id: u64) -> Option<u32> {
        self.under_way.remove(&id)
    }

    /// Puts what a store gave into an item's ring. `lsn`: up to where its answer knows the journal.
    pub(super) fn merge(
        &self,
        items: &mut Items,
        slot: &Slot,
        mut loading: Loading,
        (samples, lsn): (&Samples, Option<u64>),
    ) {
        let Some(state) = items.state_mut(slot) else { return };
        let younger = lsn.map(|lsn| {
            let mut arrivals = std::mem::take(&mut loading.arrivals);
            arrivals.retain(|it| self.is_after(it.step, lsn));
            arrivals
        });
        let ring = state.ring.get_or_insert_with(|| Ring::new(slot.value_type()));
        ring.merge(samples, loading.asked(), younger.as_deref());
    }

    /// A fetch could not be answered: it is asked again after a while.
    pub(super) fn failed(
        &mut self,
        items: &mut Items,
        at: u32,
        mut loading: Box<Loading>,
        (why, now): (Arc<str>, Now),
    ) {
        let Some(slot) = items.slot(at) else { return };
        let Some(state) = items.state_mut(&slot) else { return };
        loading.expires = u64::MAX;
        loading.failed = Some(why);
        state.loading = Some(loading);
        let retry = now.mono_ns.saturating_add(RETRY_NS);
        self.failed.entry(retry).or_default().push(at);
    }

    /// Has fetches asked again that failed some time ago, and those that have no answer; gives the
    /// slots of the latter.
    pub(super) fn retry(&mut self, items: &Items, now: Now) -> Vec<u32> {
        while let Some(entry) = self.failed.first_entry() {
            if now.mono_ns < *entry.key() {
                break;
            }
            let slots = entry.remove();
            self.waiting.extend(slots);
        }
        let mut expired = Vec::new();
        self.under_way.retain(|_, at| {
            let state = items.get(*at).and_then(|it| items.state(it));
            let loading = state.and_then(|it| it.loading.as_deref());
            let has_expired = loading.is_none_or(|it| it.expires <= now.mono_ns);
            if has_expired {
                expired.push(*at);
            }
            !has_expired
        });
        self.waiting.extend(&expired);
        expired
    }
}

/// Why history could not fill an item's windows when it was asked last.
pub(super) fn why_not_loaded(items: &Items, at: u32) -> Option<Arc<str>> {
    items.state(items.get(at)?)?.loading.as_ref()?.failed.clone()
}

/// Whether nothing is known of the past of an item that has values.
fn is_cold(items: &Items, at: u32) -> bool {
    let slot = items.get(at).filter(|it| it.has(ENABLED));
    let ring = slot.and_then(|it| items.ring(it));
    ring.is_some_and(Ring::is_unknown) && items.cell(at).n_values != 0
}

/// Slots of items whose windows the triggers of a host read.
fn windows_of(plan: &HostPlan) -> impl Iterator<Item = u32> + '_ {
    let triggers = plan.layout.triggers.iter().filter(|it| it.is_enabled);
    let formulas = triggers.flat_map(|it| {
        let recovery = it.recovery.as_ref().and_then(|it| it.as_ref().ok());
        it.problem.as_ref().ok().into_iter().chain(recovery)
    });
    formulas.flat_map(|it| &it.operands).filter_map(|it| {
        let Bound::Function(at) = it else { return None };
        let function = plan.layout.functions.get(*at as usize)?;
        let reads_window = matches!(function.way, Way::Aggregate(_) | Way::Scan);
        plan.slots.get(function.position).filter(|_| reads_window)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_is_after_a_position_unless_its_record_is_before() {
        let mut fetches = Fetches::default();
        fetches.under_way.insert(1, 0);
        fetches.committed(5, 100);
        // A step of several records: the last one counts.
        fetches.committed(5, 120);
        fetches.committed(7, 200);
        assert!(fetches.is_after(5, 110));
        assert!(!fetches.is_after(5, 120));
        // Step 6 had no record of its own: that of step 7 is the next one.
        assert!(fetches.is_after(6, 150));
        assert!(fetches.is_after(8, 1_000), "not written yet");
    }
}
