//! The items of a shard: which slot has which, what is known of each, and what readers see of it.

use std::sync::Arc;

use model::batch::Batch;
use model::map::{Map, Set};
use model::{ItemId, Time, Value, ValueType};
use window::Ring;

use super::state::{ItemState, MIRROR, NONE, Slot};
use crate::live::{Last, LiveCell, LiveShard, Note, Texts};

#[derive(Debug)]
pub(super) struct Items {
    slots: Vec<Slot>,
    /// What only some items need; see [`Slot::state`].
    states: Vec<ItemState>,
    free: Vec<u32>,
    live: Arc<LiveShard>,
    /// Texts, reasons and positions by slot; copied to the live state once a step.
    texts: Map<u32, Texts>,
    /// Slots whose texts have changed in this step.
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
            texts: Map::default(),
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

    /// What readers are told of an item.
    pub(super) fn last(&self, at: u32) -> Last {
        self.live.last(at)
    }

    pub(super) fn texts(&self, at: u32) -> Option<&Texts> {
        self.texts.get(&at)
    }

    /// Texts that are about to change.
    pub(super) fn texts_mut(&mut self, at: u32) -> &mut Texts {
        self.dirty.insert(at);
        self.texts.entry(at).or_default()
    }

    /// The item is supported again.
    pub(super) fn clear_error(&mut self, at: u32) {
        if let Some(texts) = self.texts.get_mut(&at) {
            texts.error = None;
        }
        self.dirty.insert(at);
    }

    /// Says something at an item, or nothing more.
    pub(super) fn set_note(&mut self, at: u32, note: Option<Note>) {
        let mut cell = self.cell(at);
        cell.noted = note.is_some();
        self.texts_mut(at).note = note;
        self.publish(at, &cell);
    }

    /// Why items are unsupported.
    pub(super) fn errors(&self) -> impl Iterator<Item = (ItemId, Arc<str>)> + '_ {
        self.texts.iter().filter_map(|(at, texts)| {
            let (slot, error) = (self.get(*at)?, texts.error.as_ref()?);
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
            _ => self.texts(at)?.last.clone()?,
        };
        Some((cell.time, value))
    }

    /// The time of an item's newest value at or before a point in time, as far as memory tells.
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
    pub(super) fn publish_texts(&mut self) {
        if !self.dirty.is_empty() {
            let texts = &self.texts;
            let changed = self.dirty.drain().map(|at| (at, texts.get(&at).cloned()));
            self.live.publish_texts(changed);
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
        self.publish(at, &LiveCell::default());
        if self.texts.remove(&at).is_some() {
            self.dirty.insert(at);
        }
        slot
    }

    /// The item has another type: values of the former one say nothing any more.
    pub(super) fn forget_values(&mut self, at: u32) {
        self.publish(at, &LiveCell::default());
        self.texts.remove(&at);
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
                if let Some(note) = old.texts(at).and_then(|it| it.note.clone()) {
                    self.texts.entry(at).or_default().note = Some(note);
                }
            }
            live.publish(at, &cell);
        }
        live.set_texts(self.texts.clone());
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
