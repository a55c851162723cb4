//! The short way of values that change nothing: what they need is brought near in time, and triggers
//! that only compare one number are told at a glance to stay as they are.

use std::sync::Arc;

use lang::expression::Comparison;
use lang::number;
use model::{Time, ValueType};

use super::Shard;
use super::state::{HostState, NONE, Settled, Slot, TRIGGERS};
use crate::directory::Quick;
use crate::effects::Effects;
use crate::window::{Answer, Folds, FoldsPlan, Ring, decided, limits};

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
        let mut n_busy = 0_usize;
        for (_, ring) in rings.iter().flatten() {
            n_busy += usize::from(ring.is_busy());
            seen ^= ring.first();
        }
        for (_, ring) in rings.iter().flatten() {
            seen ^= ring.look();
        }
        if n_busy == 0 {
            return seen;
        }
        let busy = || rings.iter().flatten().filter(|it| it.1.is_busy());
        for (slot, _) in busy() {
            let Some(host) = self.host(slot.host) else { continue };
            let Some(track) = host.plan.layout.item(slot.position).and_then(|it| it.track) else {
                continue;
            };
            seen ^= host.cells.folds.look(&host.plan.layout.folds, track);
        }
        for (slot, ring) in busy() {
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
        self.items.get(slot.state as usize)?.ring.as_deref()
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
        let mut from = 0;
        while let Some(moved) = self.first_moved(slot, from, time, bits) {
            from = moved + 1;
            let Some(plan) = self.host(slot.host).map(|it| Arc::clone(&it.plan)) else { return };
            let Some(item) = plan.layout.item(slot.position) else { return };
            if let Some(position) = plan.layout.triggers_of(item).get(moved) {
                self.run_or_queue(&plan.layout, (slot.host, *position), time, effects);
            }
        }
    }

    /// The first of the item's triggers, `from` one on, that has to be judged.
    #[inline]
    fn first_moved(&mut self, slot: &Slot, from: usize, time: Time, bits: u64) -> Option<usize> {
        let host = self.hosts.get_mut(slot.host as usize)?.as_deref_mut()?;
        let layout = &host.plan.layout;
        let item = layout.item(slot.position)?;
        let mut ring =
            self.items.get_mut(slot.state as usize).and_then(|it| it.ring.as_deref_mut());
        let folds = &mut host.cells.folds;
        let mut newest =
            Newest { slot, time, bits, ring: ring.as_deref(), folds, has_asked: false };
        let mut moved = None;
        let triggers = layout.triggers_of(item).iter().zip(layout.quick_of(item));
        for (at, (position, way)) in triggers.enumerate().skip(from) {
            let settled = host.settled.get(*position as usize).copied().unwrap_or_default();
            let stays = way.as_ref().is_some_and(|it| newest.stays(it, settled, &layout.folds));
            if !stays {
                moved = Some(at);
                break;
            }
            self.counters.evaluations += 1;
        }
        let is_busy = newest.has_asked;
        if let Some(ring) = &mut ring
            && ring.is_busy() != is_busy
        {
            ring.set_busy(is_busy);
        }
        moved
    }
}

/// An item's newest value, with what is known of the item.
struct Newest<'a> {
    slot: &'a Slot,
    time: Time,
    bits: u64,
    ring: Option<&'a Ring>,
    folds: &'a mut Folds,
    /// The windows were looked at.
    has_asked: bool,
}

impl Newest<'_> {
    /// Whether the value leaves a trigger as it is.
    #[inline]
    fn stays(&mut self, way: &Quick, settled: Settled, plan: &FoldsPlan) -> bool {
        let is_problem = match settled {
            Settled::Unsure => return false,
            Settled::Ok => false,
            Settled::Problem => true,
        };
        let left = match &way.window {
            Some(window) => {
                let end = self.time.0;
                let Some(ring) = self.ring.filter(|it| window.span.is_covered(it, end)) else {
                    return false;
                };
                let limits = limits(window.fold, ring);
                let known = limits.and_then(|it| decided(way.op, it, way.right));
                if known == Some(is_problem) {
                    return true;
                }
                self.has_asked = true;
                match self.folds.at(plan, window, ring, end) {
                    Answer::Float(it) => it,
                    Answer::Unsigned(it) => number::u64_to_f64(it),
                    Answer::Empty => return false,
                }
            }
            None if self.slot.value_type() == ValueType::Float => f64::from_bits(self.bits),
            None => number::u64_to_f64(self.bits),
        };
        Comparison::is_true(way.op, left, way.right) == Some(is_problem)
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
