//! The short path of values that change nothing: their state is prefetched, and triggers that only
//! compare one number are left alone while no value within known bounds can change them.

use std::sync::Arc;

use directory::Quick;
use formats::number;
use model::batch::{Batch, RawRef};
use model::{Time, ValueType};
use window::{
    AggregatePlan, Aggregates, Compared, Rescan, Ring, StableUntil, WindowAnswer, no_change_bound,
    same_side,
};

use super::Shard;
use super::state::{ALL_QUICK, CachedState, NONE, Slot, TRIGGERS};
use crate::effects::Effects;

/// Rows looked at ahead: with some 12 lines of memory each they stay in the caches near the core.
pub(super) const AHEAD: usize = 64;

impl Shard {
    /// Reads a little of what the rows will need. Each row's memory is far from that of the others:
    /// read one after the other, as rows are processed, each costs its full way from memory; read in
    /// a tight loop, many are on their way at once. Where to read next is in what was read before,
    /// therefore several loops, which find out where, and then read: the tighter, the more at once.
    pub(super) fn prefetch_rows(&self, batch: &Batch, rows: &[usize]) {
        const NOWHERE: &Slot = &Slot::FREE;
        let mut near = [NOWHERE; AHEAD];
        let near = &mut near[..rows.len()];
        let (mut seen, n_states) = self.items.prefetch::<AHEAD>(batch, rows, near);
        seen ^= rows.iter().fold(0, |seen, it| seen ^ self.trends.prefetch(batch.slots[*it]));
        if n_states != near.len() {
            for slot in near.iter().filter(|it| it.state == NONE && it.has(TRIGGERS)) {
                seen ^= self.hosts.get(slot.host).map_or(0, |it| it.prefetch(slot.position));
            }
        }
        if n_states != 0 {
            seen ^= self.prefetch_rings(batch, rows, near);
        }
        std::hint::black_box(seen);
    }

    fn prefetch_rings(&self, batch: &Batch, rows: &[usize], near: &[&Slot]) -> u64 {
        let rings = || {
            let known = rows.iter().zip(near);
            known.filter_map(|(row, slot)| Some((*row, *slot, self.items.ring(slot)?)))
        };
        let mut places = [&0; AHEAD];
        for (place, (_, _, ring)) in places.iter_mut().zip(rings()) {
            *place = ring.next_place();
        }
        let mut seen = places.iter().fold(0, |seen, it| seen ^ u64::from(**it));
        let mut due: [Option<(&Slot, &Ring)>; AHEAD] = [None; AHEAD];
        let mut n_due = 0;
        for (row, slot, ring) in rings() {
            if is_due(batch, row, slot, ring) {
                due[n_due] = Some((slot, ring));
                n_due += 1;
            } else if ring.is_full() {
                seen ^= self.hosts.get(slot.host).map_or(0, |it| it.prefetch(slot.position))
                    ^ ring.prefetch_front();
            }
        }
        for (slot, ring) in due[..n_due].iter().flatten() {
            seen ^= ring.first() ^ ring.prefetch_newest();
            seen ^= self.hosts.get(slot.host).map_or(0, |it| it.prefetch(slot.position));
        }
        seen
    }

    /// As [`Shard::touch`], for a number that is its item's newest value: triggers that the value
    /// cannot change are skipped.
    #[inline]
    pub(super) fn touch_newest(
        &mut self,
        slot: &Slot,
        time: Time,
        bits: u64,
        effects: &mut Effects,
    ) {
        let known = self.items.ring(slot).and_then(Ring::stable_triggers);
        if let Some(n_triggers) = known
            && slot.has(ALL_QUICK)
        {
            self.counters.evaluations += u64::from(n_triggers);
            return;
        }
        self.touch_one_by_one(slot, (time, bits), known.is_some(), effects);
    }

    fn touch_one_by_one(
        &mut self,
        slot: &Slot,
        newest: (Time, u64),
        is_stable: bool,
        effects: &mut Effects,
    ) {
        let mut round =
            Round { from: 0, is_stable, stable_until: StableUntil::UNLIMITED, n_new: 0 };
        if !is_stable && let Some(ring) = self.items.ring_mut(slot) {
            round.n_new = ring.find_bounds();
        }
        while let Some(moved) = self.first_moved(slot, newest, &mut round) {
            let Some(plan) = self.hosts.get(slot.host).map(|it| Arc::clone(&it.plan)) else {
                return;
            };
            let Some(item) = plan.layout.item(slot.position) else { return };
            if let Some(position) = plan.layout.triggers_of(item).get(moved) {
                self.run_or_queue(&plan.layout, (slot.host, *position), newest.0, effects);
            }
        }
        if !is_stable && let Some(ring) = self.items.ring_mut(slot) {
            let n_triggers = u16::try_from(round.from).unwrap_or(u16::MAX);
            ring.set_stable_until(round.stable_until, n_triggers);
        }
    }

    /// The next of the item's triggers that has to be judged.
    #[inline]
    fn first_moved(
        &mut self,
        slot: &Slot,
        (time, bits): (Time, u64),
        round: &mut Round,
    ) -> Option<usize> {
        let host = self.hosts.get_mut(slot.host)?;
        let layout = &host.plan.layout;
        let item = layout.item(slot.position)?;
        let ring = self.items.ring(slot);
        let aggregates = &mut host.cells.aggregates;
        let is_stable = round.is_stable;
        let rescan =
            ring.filter(|_| !is_stable).and_then(|it| Rescan::new(it, time.0, round.n_new));
        let mut newest = Newest { slot, time, bits, ring, rescan, aggregates };
        let triggers = layout.triggers_of(item).iter().zip(layout.quick_of(item));
        for (position, way) in triggers.skip(round.from) {
            round.from += 1;
            let Some(way) = way else { return Some(round.from - 1) };
            if !round.is_stable {
                let cached_states =
                    host.cached_states.get(*position as usize).copied().unwrap_or_default();
                let Some(stable_until) =
                    newest.stable_until(way, cached_states, &layout.aggregates, round.stable_until)
                else {
                    round.stable_until = StableUntil::NONE;
                    return Some(round.from - 1);
                };
                round.stable_until = round.stable_until.and(stable_until);
            }
            self.counters.evaluations += 1;
        }
        None
    }
}

/// An item's triggers, one after the other.
struct Round {
    from: usize,
    /// It is known that those with a short way stay as they are.
    is_stable: bool,
    /// For how long they do.
    stable_until: StableUntil,
    /// So many values of the item have come since its triggers were looked at.
    n_new: usize,
}

/// An item's newest value, with what is known of the item.
struct Newest<'a> {
    slot: &'a Slot,
    time: Time,
    bits: u64,
    ring: Option<&'a Ring>,
    rescan: Option<Rescan<'a>>,
    aggregates: &'a mut Aggregates,
}

impl Newest<'_> {
    /// If the value leaves a trigger as it is: for how long others will, if that is shorter than what is
    /// `known`.
    #[inline]
    fn stable_until(
        &mut self,
        way: &Quick,
        cached_states: CachedState,
        plan: &AggregatePlan,
        known: StableUntil,
    ) -> Option<StableUntil> {
        let is_problem = match cached_states {
            CachedState::Unsure => return None,
            CachedState::Ok => false,
            CachedState::Problem => true,
        };
        let compared = Compared { op: way.op, right: way.right, is_true: is_problem };
        let Some(window) = &way.window else {
            let left = if self.slot.value_type() == ValueType::Float {
                f64::from_bits(self.bits)
            } else {
                number::u64_to_f64(self.bits)
            };
            let bounds = same_side(way.op, is_problem, (left, way.right));
            return compared
                .gives(left)
                .then_some(StableUntil { bounds, ..StableUntil::UNLIMITED });
        };
        let end = self.time.0;
        let ring = self.ring.filter(|it| window.span.is_covered(it, end))?;
        let rescan = self.rescan.as_ref();
        let stable_until = no_change_bound(window.aggregate, ring, compared)
            .or_else(|| rescan.and_then(|it| it.stable_until(window, compared, known)));
        if stable_until.is_some() {
            return stable_until;
        }
        let left = match self.aggregates.at(plan, window, ring, end) {
            WindowAnswer::Float(it) => it,
            WindowAnswer::Unsigned(it) => number::u64_to_f64(it),
            WindowAnswer::Empty => return None,
        };
        let aggregates = &self.aggregates;
        compared
            .gives(left)
            .then(|| aggregates.stable_until(plan, (window, ring), (compared, known)))
    }
}

/// Whether more than the value's own place will be needed, as far as the raw value shows.
#[inline]
fn is_due(batch: &Batch, row: usize, slot: &Slot, ring: &Ring) -> bool {
    let value = match batch.value(row) {
        RawRef::Float(it) => Some(it * slot.multiplier),
        RawRef::Unsigned(it) => Some(number::u64_to_f64(it) * slot.multiplier),
        // To read a text twice costs more than to come late now and then.
        RawRef::Text(_) | RawRef::Error(_) | RawRef::Nothing => None,
    };
    ring.is_due(batch.times[row].0, value)
}
