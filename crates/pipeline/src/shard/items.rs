//! The items of a shard: which slot has which, what is known of each, and what readers see of it.

use std::sync::Arc;

use model::batch::Batch;
use model::map::{Map, Set};
use model::{ItemId, Time, Value, ValueType};
use window::Ring;

use super::state::{ItemState, MIRROR, NONE, Slot};
use crate::live::{Last, LiveCell, LiveShard, Note, Nth, Remarks, TextRef, Two, is_text};

#[derive(Debug)]
pub(super) struct Items {
    slots: Vec<Slot>,
    /// State that only some items need; see [`Slot::state`].
    states: Vec<ItemState>,
    free: Vec<u32>,
    live: Arc<LiveShard>,
    /// Reasons, notes and positions by slot; copied to the live state once a step.
    remarks: Map<u32, Remarks>,
    /// Slots whose remarks have changed in this step.
    dirty: Set<u32>,
    /// Items that the last configurations took away.
    gone: Vec<ItemId>,
}

impl Items {
    pub(super) fn new(live: Arc<LiveShard>) -> Self {
        Self {
            slots: Vec::new(),
            states: Vec::new(),
            free: Vec::new(),
            live,
            remarks: Map::default(),
            dirty: Set::default(),
            gone: Vec::new(),
        }
    }

    /// Makes room for slots below `n`.
    pub(super) fn reserve(&mut self, n: usize) {
        self.live.reserve(n);
        if self.slots.len() < n {
            self.slots.resize(n, Slot::FREE);
        }
    }

    pub(super) fn n_slots(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn n_with_state(&self) -> usize {
        self.states.len() - self.free.len()
    }

    /// All slots with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &Slot)> {
        (0..).zip(&self.slots)
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.slots.iter_mut()
    }

    #[inline]
    pub(super) fn slot(&self, at: u32) -> Option<Slot> {
        self.slots.get(at as usize).copied()
    }

    #[inline]
    pub(super) fn get(&self, at: u32) -> Option<&Slot> {
        self.slots.get(at as usize)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, at: u32) -> Option<&mut Slot> {
        self.slots.get_mut(at as usize)
    }

    /// # Panics
    /// As [`Self::slot_mut`].
    pub(super) fn set(&mut self, at: u32, slot: Slot) {
        *self.slot_mut(at) = slot;
    }

    /// # Panics
    /// If there is no such slot.
    #[inline]
    pub(super) fn slot_mut(&mut self, at: u32) -> &mut Slot {
        &mut self.slots[at as usize]
    }

    /// Whether the slot has this item.
    pub(super) fn has(&self, at: u32, item: ItemId) -> bool {
        self.get(at).is_some_and(|it| it.item == item)
    }

    /// The slot of an item of this shard's own partitions. Looks at all of them.
    pub(super) fn find(&self, item: ItemId) -> Option<&Slot> {
        self.slots.iter().find(|it| it.item == item && !it.has(MIRROR))
    }

    /// Slots of the items of this shard's own partitions.
    pub(super) fn index(&self) -> Map<ItemId, u32> {
        let own = self.all().filter(|(_, it)| it.item.is_some() && !it.has(MIRROR));
        own.map(|(at, it)| (it.item, at)).collect()
    }

    #[inline]
    pub(super) fn state(&self, slot: &Slot) -> Option<&ItemState> {
        // None has the number `NONE`.
        self.states.get(slot.state as usize)
    }

    #[inline]
    pub(super) fn state_mut(&mut self, slot: &Slot) -> Option<&mut ItemState> {
        self.states.get_mut(slot.state as usize)
    }

    /// An item's further state, made if need be.
    ///
    /// # Panics
    /// As [`Self::slot_mut`].
    pub(super) fn make_state(&mut self, at: u32) -> &mut ItemState {
        let slot = &mut self.slots[at as usize];
        if slot.state == NONE {
            slot.state = self.free.pop().unwrap_or_else(|| {
                self.states.push(ItemState::default());
                u32::try_from(self.states.len() - 1).expect("fewer than 2^32 items")
            });
        }
        &mut self.states[slot.state as usize]
    }

    #[inline]
    pub(super) fn ring(&self, slot: &Slot) -> Option<&Ring> {
        self.state(slot)?.ring.as_ref()
    }

    #[inline]
    pub(super) fn ring_mut(&mut self, slot: &Slot) -> Option<&mut Ring> {
        self.state_mut(slot)?.ring.as_mut()
    }

    #[inline]
    pub(super) fn cell(&self, at: u32) -> LiveCell {
        self.live.own(at)
    }

    #[inline]
    pub(super) fn publish(&self, at: u32, cell: &LiveCell) {
        self.live.publish(at, cell);
    }

    /// The live state of an item for readers.
    pub(super) fn last(&self, at: u32) -> Last {
        self.live.last(at)
    }

    /// Keeps a text as the newest one of an item, or the one before; returns the bits that its live cell has to get.
    #[inline]
    pub(super) fn put_text(&self, at: u32, bits: u64, text: TextRef<'_>, nth: Nth) -> u64 {
        self.live.put_text(at, bits, text, nth)
    }

    /// A text of an item whose live cell has these bits.
    pub(super) fn text(&self, at: u32, bits: u64, nth: Nth) -> Option<Value> {
        self.live.text(at, bits, nth)
    }

    /// The two newest texts of an item, given its live cell.
    pub(super) fn two(&self, at: u32, cell: &LiveCell) -> Two {
        self.live.two(at, cell)
    }

    /// Replaces the state of an item, and its texts.
    pub(super) fn publish_two(&self, at: u32, cell: &LiveCell, two: &Two) {
        self.live.publish_two(at, cell, two);
    }

    /// Says of which type the values of a live cell are. Numbers after texts, or texts after numbers: those before say
    /// nothing any more.
    #[inline]
    pub(super) fn set_kind(&self, at: u32, cell: &mut LiveCell, kind: u8) {
        if cell.n_values != 0 && cell.is_of_text() != is_text(kind) {
            self.forget_newest(at, cell);
        }
        cell.kind = kind;
    }

    #[cold]
    fn forget_newest(&self, at: u32, cell: &mut LiveCell) {
        self.live.forget_texts(at);
        let LiveCell { unsupported, checked, noted, .. } = *cell;
        *cell = LiveCell { unsupported, checked, noted, ..LiveCell::default() };
    }

    pub(super) fn remarks(&self, at: u32) -> Option<&Remarks> {
        self.remarks.get(&at)
    }

    /// Remarks that are about to change.
    pub(super) fn remarks_mut(&mut self, at: u32) -> &mut Remarks {
        self.dirty.insert(at);
        self.remarks.entry(at).or_default()
    }

    /// The item is supported again.
    pub(super) fn clear_error(&mut self, at: u32) {
        if let Some(remarks) = self.remarks.get_mut(&at) {
            remarks.error = None;
        }
        self.dirty.insert(at);
    }

    /// Says something at an item, or nothing more.
    pub(super) fn set_note(&mut self, at: u32, note: Option<Note>) {
        let mut cell = self.cell(at);
        cell.noted = note.is_some();
        self.remarks_mut(at).note = note;
        self.publish(at, &cell);
    }

    /// Why items are unsupported.
    pub(super) fn errors(&self) -> impl Iterator<Item = (ItemId, Arc<str>)> + '_ {
        self.remarks.iter().filter_map(|(at, remarks)| {
            let (slot, error) = (self.get(*at)?, remarks.error.as_ref()?);
            self.cell(*at).unsupported.then(|| (slot.item, Arc::clone(error)))
        })
    }

    /// The newest value of a slot.
    pub(super) fn last_value(&self, at: u32) -> Option<(Time, Value)> {
        let cell = self.cell(at);
        if cell.n_values == 0 {
            return None;
        }
        let value = match ValueType::from_code(i64::from(cell.kind)) {
            Some(ValueType::Float) => Value::Float(f64::from_bits(cell.bits)),
            Some(ValueType::Unsigned) => Value::Unsigned(cell.bits),
            _ => self.text(at, cell.bits, Nth::Newest)?,
        };
        Some((cell.time, value))
    }

    /// The time of an item's newest value at or before a point in time, as far as memory has it.
    pub(super) fn newest_until(&self, at: u32, until: Time) -> Option<Time> {
        let cell = self.cell(at);
        let of_cell = [(1, cell.time), (2, cell.prev_time)];
        let known = of_cell.iter().find(|it| it.0 <= cell.n_values && it.1 <= until);
        known.map(|it| it.1).or_else(|| {
            let ring = self.ring(self.get(at)?)?;
            ring.time(ring.after(until.0).checked_sub(1)?).map(Time)
        })
    }

    /// Ends a step: readers see what has changed.
    pub(super) fn publish_remarks(&mut self) {
        if !self.dirty.is_empty() {
            let remarks = &self.remarks;
            let changed = self.dirty.drain().map(|at| (at, remarks.get(&at).cloned()));
            self.live.publish_remarks(changed);
        }
    }

    /// The slot is free from now on; gives what was there.
    pub(super) fn clear(&mut self, at: u32) -> Slot {
        let slot = std::mem::replace(self.slot_mut(at), Slot::FREE);
        if slot.state != NONE {
            self.states[slot.state as usize] = ItemState::default();
            self.free.push(slot.state);
        }
        if slot.item.is_some() && !slot.has(MIRROR) {
            self.gone.push(slot.item);
        }
        self.live.forget_texts(at);
        self.publish(at, &LiveCell::default());
        if self.remarks.remove(&at).is_some() {
            self.dirty.insert(at);
        }
        slot
    }

    /// The item has another type: values of the former one say nothing any more.
    pub(super) fn forget_values(&mut self, at: u32) {
        self.live.forget_texts(at);
        self.publish(at, &LiveCell::default());
        self.remarks.remove(&at);
        self.dirty.insert(at);
        let slot = self.slots[at as usize];
        if let Some(state) = self.state_mut(&slot) {
            *state = ItemState::default();
        }
    }

    /// Behind the last record: items that are new begin, with windows of which nothing has to be
    /// fetched.
    pub(super) fn begin(&mut self, clock: u32, mut is_new: impl FnMut(&Slot)) {
        for slot in self.slots.iter_mut().filter(|it| it.item.is_some() && it.since == 0) {
            slot.since = clock;
            is_new(slot);
            if !slot.has(MIRROR)
                && let Some(state) = self.states.get_mut(slot.state as usize)
                && let Some(ring) = &mut state.ring
            {
                ring.set_complete();
            }
        }
    }

    /// Items that are gone since this was last asked.
    pub(super) fn take_gone(&mut self) -> Vec<ItemId> {
        std::mem::take(&mut self.gone)
    }

    /// These stand in for others with the same plan: batches that were looked up before the last plan
    /// are taken as there, and readers see these from now on.
    pub(super) fn take_over(&mut self, old: &Self) {
        for (slot, before) in self.slots.iter_mut().zip(&old.slots) {
            if slot.item == before.item {
                slot.born = before.born;
            }
        }
        let live = Arc::clone(&old.live);
        for (at, slot) in (0..).zip(&self.slots) {
            let (mut cell, before) = (self.live.own(at), live.own(at));
            if slot.item.is_some() && old.has(at, slot.item) {
                cell.checked |= before.checked;
                cell.noted = before.noted;
                if let Some(note) = old.remarks(at).and_then(|it| it.note.clone()) {
                    self.remarks.entry(at).or_default().note = Some(note);
                }
            }
            live.publish_two(at, &cell, &self.two(at, &cell));
        }
        live.set_remarks(self.remarks.clone());
        self.live = live;
    }

    /// Reads a little of the slots and live states of these rows, and of the states of those that have
    /// one: see `quick.rs`. Gives what was read, and whether all of them and whether any have one.
    #[inline]
    pub(super) fn prefetch<'a, const N: usize>(
        &'a self,
        batch: &Batch,
        rows: &[usize],
        near: &mut [&'a Slot],
    ) -> (u64, usize) {
        const NOWHERE: &Slot = &Slot::FREE;
        for (near, row) in near.iter_mut().zip(rows) {
            *near = self.get(batch.slots[*row]).unwrap_or(NOWHERE);
        }
        let mut seen = near.iter().fold(0, |seen, it| seen ^ it.item.0 ^ u64::from(it.flags));
        seen ^= self.live.prefetch::<N>(rows.iter().map(|it| batch.slots[*it]));
        let mut states = [None; N];
        let mut n_states = 0;
        for slot in near.iter() {
            states[n_states] = self.state(slot);
            n_states += usize::from(states[n_states].is_some());
        }
        for state in states[..n_states].iter().flatten() {
            seen ^= u64::from(state.loading.is_some());
        }
        (seen, n_states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: u8 = 4;
    const FLOAT: u8 = 0;

    #[test]
    fn a_number_after_texts_is_the_only_value() {
        let live = Arc::new(LiveShard::default());
        let mut items = Items::new(Arc::clone(&live));
        items.reserve(2);
        let keep = |at: u32, text: &str, time: i64| {
            let mut cell = items.cell(at);
            items.set_kind(at, &mut cell, TEXT);
            let bits = items.put_text(at, cell.bits, TextRef::Text(text), Nth::Newest);
            cell.push(Time(time), bits);
            items.publish(at, &cell);
            bits
        };
        let bits = keep(0, "up", 1);
        assert_eq!(keep(0, "down", 2), bits);
        assert_eq!(items.last_value(0), Some((Time(2), Value::Text("down".into()))));
        let mut cell = items.cell(0);
        cell.noted = true;
        items.set_kind(0, &mut cell, FLOAT);
        assert_eq!(cell, LiveCell { noted: true, kind: FLOAT, ..LiveCell::default() });
        cell.push(Time(3), 1.5_f64.to_bits());
        items.publish(0, &cell);
        assert_eq!(
            (live.last(0).last, live.last(0).prev),
            (Some((Time(3), Value::Float(1.5))), None)
        );
        // The pair of the texts is another item's now.
        assert_eq!(keep(1, "new", 4), bits);
        assert_eq!(live.last(1).last, Some((Time(4), Value::Text("new".into()))));
        items.set_kind(0, &mut cell, TEXT);
        assert_eq!((cell.n_values, cell.bits), (0, 0));
    }
}
