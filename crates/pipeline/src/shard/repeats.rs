//! Values that come twice: the second one of the same item, second and nanosecond is dropped, as in
//! Zabbix. The first wins, whatever the second says.
//!
//! Times of numbers are kept in milliseconds (decision 19), but repeats are recognized by
//! nanoseconds: a sender without them has its values of one second numbered 0, 1, 2 …, all of one
//! millisecond, and none of these may be lost. So the slot knows the nanoseconds of its newest
//! value, and where several values share that millisecond a list has them all. Only values of the
//! newest millisecond are compared: an older one that comes twice is stored twice.
//!
//! Nothing of this is journaled. Where it is not known (after a start, for a list that is full) a
//! value counts as new: rather one too many than one lost.

use std::collections::BTreeMap;

use model::Time;

use super::convert::to_millis;
use super::items::Items;
use super::state::{MIRROR, NONE, Slot, TIED};
use crate::live::LiveCell;

/// Values of one millisecond of one item that are distinguished. Further ones are all kept, also
/// repeated ones.
const VALUES_MAX: usize = 1_024;
/// Items whose newest millisecond has several values.
const ITEMS_MAX: usize = 65_536;
const MS: u64 = 1_000_000;

#[derive(Debug, Default)]
pub(super) struct Repeats {
    /// By slot: the nanoseconds of its values within their newest millisecond.
    ties: BTreeMap<u32, Vec<u32>>,
    /// A row of a document is being taken: of several documents of one time all rows count.
    are_taken: bool,
}

impl Repeats {
    /// Whether rows of documents are being taken from now on.
    pub(super) fn take_all(&mut self, are_taken: bool) {
        self.are_taken = are_taken;
    }

    /// Whether a value of this time is stored already, given the item's live cell. Remembers the time if
    /// not.
    #[inline]
    pub(super) fn has(
        &mut self,
        items: &mut Items,
        (at, slot): (u32, &Slot),
        cell: &LiveCell,
        time: Time,
    ) -> bool {
        if slot.has(MIRROR) || self.are_taken {
            // The owner of the item has judged, and what comes from there is in milliseconds.
            return false;
        }
        let is_near = cell.n_values != 0 && time.0.abs_diff(cell.time.0) < MS;
        if is_near && to_millis(cell.time) == to_millis(time) {
            return self.has_near(items, at, ns_of(time));
        }
        if cell.n_values == 0 || cell.time < time {
            if slot.has(TIED) {
                self.untie(items, at);
            }
            items.slot_mut(at).ns = ns_of(time);
        }
        false
    }

    #[cold]
    fn has_near(&mut self, items: &mut Items, at: u32, ns: u32) -> bool {
        let slot = items.slot_mut(at);
        let ties = &mut self.ties;
        let is_known = match ties.get(&at) {
            Some(known) => known.contains(&ns),
            None => slot.ns == ns,
        };
        if is_known {
            return true;
        }
        if ITEMS_MAX <= ties.len() && !slot.has(TIED) {
            slot.ns = ns;
            return false;
        }
        slot.flags |= TIED;
        let first = slot.ns;
        let known = ties.entry(at).or_insert_with(|| vec![first]);
        if known.len() < VALUES_MAX {
            known.push(ns);
        }
        false
    }

    #[cold]
    pub(super) fn untie(&mut self, items: &mut Items, at: u32) {
        self.ties.remove(&at);
        if let Some(slot) = items.get_mut(at) {
            slot.flags &= !TIED;
            slot.ns = NONE;
        }
    }
}

fn ns_of(time: Time) -> u32 {
    u32::try_from(time.0.rem_euclid(1_000_000)).unwrap_or(NONE)
}
