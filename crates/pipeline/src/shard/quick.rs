//! The short way of values that change nothing: what they need is brought near in time, and triggers
//! that only compare one number are told at a glance to stay as they are.

use std::sync::Arc;

use lang::expression::Comparison;
use lang::number;
use model::{Time, ValueType};

use super::Shard;
use super::state::{ALL_QUICK, HostState, NONE, Settled, Slot, TRIGGERS};
use crate::directory::Quick;
use crate::effects::Effects;
use crate::window::{Answer, Calm, Compared, Folds, FoldsPlan, Ring, beside, decided, limits};

/// Rows looked at ahead: with some 12 lines of memory each they stay in the caches near the core.
pub(super) const AHEAD: usize = 64;

impl Shard {
    /// Reads a little of what the rows will need. Each row's memory is far from that of the others:
    /// read one after the other, as rows are processed, each costs its full way from memory; read in
    /// a tight loop, many are on their way at once. Where to read next is in what was read before,
    /// therefore several loops.
    pub(super) fn look_ahead(&self, slots: &[u32], rows: &[usize]) {
        let mut seen = 0;
        for row in rows {
            seen ^= self.slots.get(slots[*row] as usize).map_or(0, |it| it.item.0);
        }
        for row in rows {
            seen ^= self.live.look(slots[*row]);
        }
        let mut rings: [Option<(&Slot, &Ring)>; AHEAD] = [None; AHEAD];
        let mut n_rings = 0;
        for row in rows {
            let Some(slot) = self.slots.get(slots[*row] as usize) else { continue };
            if slot.has(TRIGGERS) {
                seen ^= self.host(slot.host).map_or(0, |it| it.look(slot.position));
            }
            if slot.state != NONE {
                rings[n_rings] = self.ring(slot).map(|it| (slot, it));
                n_rings += usize::from(rings[n_rings].is_some());
            }
        }
        std::hint::black_box(seen ^ self.look_at_rings(&rings[..n_rings]));
    }

    fn look_at_rings(&self, rings: &[Option<(&Slot, &Ring)>]) -> u64 {
        let mut seen = 0;
        let mut n_due = 0_usize;
        for (_, ring) in rings.iter().flatten() {
            n_due += usize::from(ring.is_due());
            seen ^= ring.first();
        }
        for (_, ring) in rings.iter().flatten() {
            seen ^= ring.look();
        }
        if n_due == 0 {
            return seen;
        }
        let due = || rings.iter().flatten().filter(|it| it.1.is_due());
        for (slot, _) in due() {
            let Some(host) = self.host(slot.host) else { continue };
            let Some(track) = host.plan.layout.item(slot.position).and_then(|it| it.track) else {
                continue;
            };
            seen ^= host.cells.folds.look(&host.plan.layout.folds, track);
        }
        for (slot, ring) in due() {
            let Some(host) = self.host(slot.host) else { continue };
            let Some(track) = host.plan.layout.item(slot.position).and_then(|it| it.track) else {
                continue;
            };
            seen ^= host.cells.folds.look_into(&host.plan.layout.folds, track, ring);
        }
        seen
    }

    #[inline]
    fn ring(&self, slot: &Slot) -> Option<&Ring> {
        self.items.get(slot.state as usize)?.ring.as_ref()
    }

    /// As [`Shard::touch`], for a number that is its item's newest value: triggers from whose value
    /// nothing follows are passed over.
    #[inline]
    pub(super) fn touch_newest(
        &mut self,
        slot: &Slot,
        time: Time,
        bits: u64,
        effects: &mut Effects,
    ) {
        let known = self.ring(slot).and_then(Ring::calm);
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
        is_calm: bool,
        effects: &mut Effects,
    ) {
        let mut round = Round { from: 0, is_calm, calm: Calm::LASTING };
        if !is_calm && let Some(ring) = self.ring_mut(slot) {
            ring.renew_bounds();
        }
        while let Some(moved) = self.first_moved(slot, newest, &mut round) {
            let Some(plan) = self.host(slot.host).map(|it| Arc::clone(&it.plan)) else { return };
            let Some(item) = plan.layout.item(slot.position) else { return };
            if let Some(position) = plan.layout.triggers_of(item).get(moved) {
                self.run_or_queue(&plan.layout, (slot.host, *position), newest.0, effects);
            }
        }
        if !is_calm && let Some(ring) = self.ring_mut(slot) {
            let n_triggers = u16::try_from(round.from).unwrap_or(u16::MAX);
            ring.set_calm(round.calm, n_triggers);
        }
    }

    #[inline]
    fn ring_mut(&mut self, slot: &Slot) -> Option<&mut Ring> {
        self.items.get_mut(slot.state as usize)?.ring.as_mut()
    }

    /// The next of the item's triggers that has to be judged.
    #[inline]
    fn first_moved(
        &mut self,
        slot: &Slot,
        (time, bits): (Time, u64),
        round: &mut Round,
    ) -> Option<usize> {
        let host = self.hosts.get_mut(slot.host as usize)?.as_deref_mut()?;
        let layout = &host.plan.layout;
        let item = layout.item(slot.position)?;
        let ring = self.items.get(slot.state as usize).and_then(|it| it.ring.as_ref());
        let folds = &mut host.cells.folds;
        let mut newest = Newest { slot, time, bits, ring, folds };
        let triggers = layout.triggers_of(item).iter().zip(layout.quick_of(item));
        for (position, way) in triggers.skip(round.from) {
            round.from += 1;
            let Some(way) = way else { return Some(round.from - 1) };
            if !round.is_calm {
                let settled = host.settled.get(*position as usize).copied().unwrap_or_default();
                let most = round.calm.n_values;
                let Some(calm) = newest.calm(way, settled, &layout.folds, most) else {
                    round.calm = Calm::NONE;
                    return Some(round.from - 1);
                };
                round.calm = round.calm.and(calm);
            }
            self.counters.evaluations += 1;
        }
        None
    }

    /// A trigger changes: its item's next value is judged by all triggers, if it has a short way.
    pub(super) fn disturb(&mut self, host: u32, position: u32) {
        let Some(host) = self.host(host) else { return };
        let layout = &host.plan.layout;
        let trigger = layout.triggers.get(position as usize).filter(|it| it.is_simple);
        let Some(at) = trigger.and_then(|it| it.items.first().copied()) else { return };
        let Some(item) = layout.item(at) else { return };
        let mut triggers = layout.triggers_of(item).iter().zip(layout.quick_of(item));
        if !triggers.any(|it| *it.0 == position && it.1.is_some()) {
            return;
        }
        let slot = host.plan.slots.get(at).and_then(|it| self.slots.get(it as usize)).copied();
        if let Some(slot) = slot
            && let Some(ring) = self.ring_mut(&slot)
        {
            ring.disturb();
        }
    }
}

/// An item's triggers, one after the other.
struct Round {
    from: usize,
    /// It is known that those with a short way stay as they are.
    is_calm: bool,
    /// For how long they do.
    calm: Calm,
}

/// An item's newest value, with what is known of the item.
struct Newest<'a> {
    slot: &'a Slot,
    time: Time,
    bits: u64,
    ring: Option<&'a Ring>,
    folds: &'a mut Folds,
}

impl Newest<'_> {
    /// If the value leaves a trigger as it is: for how long others will; more than `most` are of no
    /// interest.
    #[inline]
    fn calm(&mut self, way: &Quick, settled: Settled, plan: &FoldsPlan, most: u32) -> Option<Calm> {
        let is_problem = match settled {
            Settled::Unsure => return None,
            Settled::Ok => false,
            Settled::Problem => true,
        };
        let is_same = |left: f64| Comparison::is_true(way.op, left, way.right) == Some(is_problem);
        let Some(window) = &way.window else {
            let left = if self.slot.value_type() == ValueType::Float {
                f64::from_bits(self.bits)
            } else {
                number::u64_to_f64(self.bits)
            };
            let bounds = beside(way.op, is_problem, (left, way.right));
            return is_same(left).then_some(Calm { bounds, ..Calm::LASTING });
        };
        let end = self.time.0;
        let ring = self.ring.filter(|it| window.span.is_covered(it, end))?;
        let limits = limits(window.fold, ring);
        if limits.and_then(|it| decided(way.op, it, way.right)) == Some(is_problem) {
            return Some(Calm::LASTING);
        }
        let left = match self.folds.at(plan, window, ring, end) {
            Answer::Float(it) => it,
            Answer::Unsigned(it) => number::u64_to_f64(it),
            Answer::Empty => return None,
        };
        let compared = Compared { op: way.op, right: way.right, is_true: is_problem };
        is_same(left).then(|| self.folds.calm(plan, (window, ring), (compared, most)))
    }
}

impl HostState {
    /// Brings near what an item's triggers need; the number means nothing.
    fn look(&self, position: u32) -> u64 {
        let first = self.plan.layout.item(position).map_or(0, |it| it.triggers.start);
        let position = self.plan.layout.item_triggers.get(first as usize).copied().unwrap_or(0);
        u64::from(self.settled.get(position as usize) == Some(&Settled::Ok))
    }
}
