//! Windows that history has to fill.
//!
//! A window is loaded when an evaluation finds it cold. While the question is under way, values that
//! arrive are kept beside the ring with the step that they came in, so that the answer, which holds
//! all records up to a position of the journal, is merged without doubles or gaps.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use model::{ItemId, Now, Time, time::NANOS};
use window::Ring;

use super::Shard;
use super::state::{Loading, NONE};
use crate::effects::{Effects, Fetch};
use crate::input::Fetched;

/// Questions under way.
const UNDER_WAY_MAX: usize = 10_000;
/// How long an answer may take.
const EXPIRES_NS: u64 = 60 * NANOS.unsigned_abs();
/// How long after a failure the question is asked again.
const RETRY_NS: u64 = 30 * NANOS.unsigned_abs();
/// Positions of steps in the journal that are remembered.
const COMMITS_MAX: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Fetches {
    next_id: u64,
    /// Slots whose windows are to be loaded, in order.
    waiting: VecDeque<u32>,
    under_way: BTreeMap<u64, u32>,
    /// Slots whose last question failed, and when it is asked again.
    failed: BTreeMap<u64, Vec<u32>>,
    /// Steps and their positions in the journal, while questions are under way.
    commits: VecDeque<(u64, u64)>,
}

impl Fetches {
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

    /// Whether the record of a step lies behind a position of the journal.
    fn is_behind(&self, step: u64, lsn: u64) -> bool {
        let at = self.commits.partition_point(|it| it.0 < step);
        // A step without a remembered position is older than all remembered ones, or not written
        // yet.
        match self.commits.get(at) {
            Some((_, known)) => lsn < *known,
            None => true,
        }
    }

    /// Questions get numbers that the other has not given.
    pub(super) fn number_from(&mut self, other: &Self) {
        self.next_id = other.next_id;
    }

    pub(super) fn n_waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn n_under_way(&self) -> usize {
        self.under_way.len()
    }

    /// When the timer has to look at questions again.
    pub(super) fn next(&self) -> Option<u64> {
        self.failed.first_key_value().map(|it| *it.0)
    }
}

impl Shard {
    /// The item that a question is about, while it is under way.
    #[must_use]
    pub fn asked_for(&self, fetch: u64) -> Option<ItemId> {
        let at = *self.fetches.under_way.get(&fetch)?;
        self.items.get(at).map(|it| it.item)
    }

    /// Has the windows of an item loaded.
    pub(super) fn load(&mut self, at: u32) {
        let state = self.items.make_state(at);
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
            self.fetches.waiting.push_back(at);
        }
    }

    /// Why history could not fill an item's windows when it was asked last.
    pub(super) fn load_failed(&self, at: u32) -> Option<Arc<str>> {
        let slot = self.items.get(at)?;
        self.items.state(slot)?.loading.as_ref()?.failed.clone()
    }

    /// Puts waiting questions into the effects, as many as may be under way.
    pub(super) fn ask(&mut self, effects: &mut Effects) {
        while self.fetches.under_way.len() < UNDER_WAY_MAX {
            let Some(at) = self.fetches.waiting.pop_front() else { return };
            let Some(slot) = self.items.slot(at) else { continue };
            let depth = self.hosts.item_plan(&slot);
            let Some(depth) = depth.map(|it| it.depth) else { continue };
            // Evaluations at the time of late values look further back.
            let deferred = self.oldest_moment(slot.host);
            let unnamed = self.unnamed.oldest_of(slot.host);
            let oldest = [deferred, unnamed, Some(self.now.wall)].into_iter().flatten().min();
            let oldest = oldest.unwrap_or(self.now.wall);
            let Some(state) = self.items.state_mut(&slot) else { continue };
            let Some(loading) = &mut state.loading else { continue };
            self.fetches.next_id += 1;
            let reach = depth.period_ns.max(depth.count_shift_ns).saturating_add(SLACK_NS);
            let from = Time(oldest.0.saturating_sub(reach));
            loading.id = self.fetches.next_id;
            loading.from = from;
            loading.count = depth.count.saturating_add(COUNT_SLACK);
            loading.count_until = Time(oldest.0.saturating_sub(depth.count_shift_ns));
            loading.expires = self.now.mono_ns.saturating_add(EXPIRES_NS);
            self.fetches.under_way.insert(loading.id, at);
            self.counters.fetches += 1;
            effects.fetches.push(Fetch {
                id: loading.id,
                item: slot.item,
                kind: slot.value_type(),
                from,
                until: Time::MAX,
                count: loading.count,
                count_until: loading.count_until,
            });
        }
    }

    pub(super) fn fetched(&mut self, now: Now, answers: &[Fetched], effects: &mut Effects) {
        for answer in answers {
            let Some(at) = self.fetches.under_way.remove(&answer.id) else { continue };
            self.answered(now, at, answer, effects);
        }
        self.name_events(effects);
        self.run_deferred(effects);
    }

    fn answered(&mut self, now: Now, at: u32, answer: &Fetched, effects: &mut Effects) {
        let Some(slot) = self.items.slot(at) else { return };
        self.work_on(slot.item);
        if slot.state == NONE {
            return;
        }
        let Some(state) = self.items.state_mut(&slot) else { return };
        let Some(mut loading) = state.loading.take_if(|it| it.id == answer.id) else { return };
        match &answer.samples {
            Ok(samples) => {
                let younger = answer.lsn.map(|lsn| {
                    let mut arrivals = std::mem::take(&mut loading.arrivals);
                    arrivals.retain(|it| self.fetches.is_behind(it.step, lsn));
                    arrivals
                });
                let ring = state.ring.get_or_insert_with(|| Ring::new(slot.value_type()));
                ring.merge(samples, loading.asked(), younger.as_deref());
            }
            Err(error)
                if error.is_too_much
                    && self.drop_late_moments(slot.host, slot.position, effects) => {}
            Err(error) => {
                let Some(state) = self.items.state_mut(&slot) else { return };
                loading.expires = u64::MAX;
                loading.failed = Some(error.to_string().into());
                state.loading = Some(loading);
                let retry = now.mono_ns.saturating_add(RETRY_NS);
                self.fetches.failed.entry(retry).or_default().push(at);
                self.fetch_failed(slot.host, &error.to_string(), effects);
            }
        }
    }

    /// Triggers that wait for windows of a host are unknown until history answers.
    pub(super) fn fetch_failed(&mut self, host: u32, why: &str, effects: &mut Effects) {
        self.counters.fetches_failed += 1;
        for position in self.moments.positions_of(host) {
            let why = format!("Cannot evaluate expression: {why}.");
            self.unknown(host, position, self.now.wall, why, effects);
        }
        self.give_up_names(host, effects);
    }

    /// Asks again where an answer failed or did not come.
    pub(super) fn retry_fetches(&mut self, now: Now, effects: &mut Effects) {
        while let Some(entry) = self.fetches.failed.first_entry() {
            if now.mono_ns < *entry.key() {
                break;
            }
            let slots = entry.remove();
            self.fetches.waiting.extend(slots);
        }
        let expired: Vec<(u64, u32)> = self
            .fetches
            .under_way
            .iter()
            .filter(|(_, at)| {
                let slot = self.items.get(**at);
                let state = slot.and_then(|it| self.items.state(it));
                state
                    .and_then(|it| it.loading.as_deref())
                    .is_none_or(|it| it.expires <= now.mono_ns)
            })
            .map(|(id, at)| (*id, *at))
            .collect();
        for (id, at) in expired {
            self.fetches.under_way.remove(&id);
            self.fetches.waiting.push_back(at);
            if let Some(slot) = self.items.slot(at) {
                self.fetch_failed(slot.host, "history does not answer", effects);
            }
        }
        self.ask(effects);
    }
}

/// Asked for beyond the windows, as rings keep it.
const SLACK_NS: i64 = 120 * NANOS;
/// Values asked for beyond windows by count, for evaluations a little back in time.
const COUNT_SLACK: u32 = 16;
