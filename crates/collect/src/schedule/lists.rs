//! Entries, each in exactly one doubly linked list, and the lists by second.
//!
//! The links are positions in one vector: moving an entry allocates nothing and costs the same
//! whatever is in the lists.

use model::ItemId;

/// No entry.
pub(super) const NIL: u32 = u32::MAX;
/// Seconds that the wheel reaches ahead: 36 hours, more than the longest simple interval. Entries
/// due later are checked again when the wheel has come around.
const SLOTS: u32 = 1 << 17;
/// Parts of a second: items due in one second are spread over it by device.
pub(super) const PARTS: u32 = 16;

/// The list that an entry is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum ScheduledState {
    /// In no list: the place is free.
    Free,
    /// In the wheel, at second `due`.
    Wheel,
    /// Due in this second, in its part of it.
    Open,
    /// Due, but its device or collector has no room.
    Waiting,
    /// Being checked.
    Running,
    /// Its device does not answer; waits for the probe.
    Parked,
}

/// Due beyond the wheel's reach: calculate again at its second.
pub(super) const EARLY: u8 = 1;
/// The single check that a failing device gets.
pub(super) const PROBE: u8 = 2;
/// Never together with others in one job.
pub(super) const ALONE: u8 = 4;
/// Spread by its device instead of by itself, so that items of a device are due together.
pub(super) const BY_DEVICE: u8 = 8;

/// A scheduled item. A million of them are 32 MB: see the assertion.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScheduledItem {
    pub(super) item: ItemId,
    /// Seconds since 1970.
    pub(super) due: u32,
    next: u32,
    prev: u32,
    pub(super) interval: u32,
    pub(super) device: u32,
    pub(super) state: ScheduledState,
    /// The part of a second of its device.
    part: u8,
    pub(super) flags: u8,
    /// Counts the items that used this place: a late answer is not taken for that of another item.
    pub(super) serial: u8,
}

const _: () = assert!(size_of::<ScheduledItem>() == 32);

impl ScheduledItem {
    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(super) fn set(&mut self, flag: u8, on: bool) {
        self.flags = if on { self.flags | flag } else { self.flags & !flag };
    }
}

/// All entries, with the heads of the lists that are not a device's.
#[derive(Debug)]
pub(super) struct Lists {
    entries: Vec<ScheduledItem>,
    free: Vec<u32>,
    wheel: Box<[u32]>,
    open: [u32; PARTS as usize],
    /// Waiting and running entries: those that can be late.
    out: u32,
}

impl Lists {
    pub(super) fn new() -> Self {
        Self {
            entries: Vec::new(),
            free: Vec::new(),
            wheel: vec![NIL; SLOTS as usize].into(),
            open: [NIL; PARTS as usize],
            out: NIL,
        }
    }

    pub(super) fn n_used(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    pub(super) fn get(&self, at: u32) -> &ScheduledItem {
        &self.entries[at as usize]
    }

    pub(super) fn get_mut(&mut self, at: u32) -> &mut ScheduledItem {
        &mut self.entries[at as usize]
    }

    /// The entry, if it still belongs to the item that a check was started for.
    pub(super) fn check(&self, at: u32, serial: u8) -> Option<&ScheduledItem> {
        self.entries
            .get(at as usize)
            .filter(|it| it.serial == serial && it.state != ScheduledState::Free)
    }

    pub(super) fn reserve(&mut self, n_more: usize) {
        self.entries.reserve(n_more.saturating_sub(self.free.len()));
    }

    /// Adds an entry that is in no list; put it into one at once.
    pub(super) fn add(
        &mut self,
        item: ItemId,
        (device, part): (u32, u8),
        interval: u32,
        flags: u8,
    ) -> u32 {
        let mut entry = ScheduledItem {
            item,
            due: 0,
            next: NIL,
            prev: NIL,
            interval,
            device,
            state: ScheduledState::Free,
            part,
            flags,
            serial: 0,
        };
        if let Some(at) = self.free.pop() {
            entry.serial = self.get(at).serial.wrapping_add(1);
            *self.get_mut(at) = entry;
            return at;
        }
        let at = u32::try_from(self.entries.len()).expect("fewer than 2^32 items");
        self.entries.push(entry);
        at
    }

    /// Frees an entry's place. It must be in no list.
    pub(super) fn release(&mut self, at: u32) {
        self.get_mut(at).state = ScheduledState::Free;
        self.free.push(at);
    }

    /// Puts an entry that is in no list into the wheel. `now` is the current second of the wheel.
    pub(super) fn put_in_wheel(&mut self, at: u32, due: u32, now: u32) {
        // The present second's list was taken out already.
        let second = due.clamp(now + 1, now + SLOTS - 1);
        let entry = self.get_mut(at);
        entry.due = second;
        entry.set(EARLY, second < due);
        let mut head = self.wheel[slot(second)];
        self.push(&mut head, at, ScheduledState::Wheel);
        self.wheel[slot(second)] = head;
    }

    /// Puts an entry in no list among those of its part of the present second.
    pub(super) fn put_open(&mut self, at: u32) {
        let part = usize::from(self.get(at).part);
        let mut head = self.open[part];
        self.push(&mut head, at, ScheduledState::Open);
        self.open[part] = head;
    }

    pub(super) fn put_out(&mut self, at: u32, state: ScheduledState) {
        let mut head = self.out;
        self.push(&mut head, at, state);
        self.out = head;
    }

    /// Puts an entry in no list at the front of a list.
    pub(super) fn push(&mut self, head: &mut u32, at: u32, state: ScheduledState) {
        let next = *head;
        let entry = self.get_mut(at);
        (entry.prev, entry.next, entry.state) = (NIL, next, state);
        if next != NIL {
            self.get_mut(next).prev = at;
        }
        *head = at;
    }

    /// Takes an entry out of its list. `parked` is the head of its device's list of parked ones.
    pub(super) fn unlink(&mut self, at: u32, parked: &mut u32) {
        let ScheduledItem { next, prev, state, due, part, .. } = *self.get(at);
        if next != NIL {
            self.get_mut(next).prev = prev;
        }
        if prev != NIL {
            self.get_mut(prev).next = next;
            return;
        }
        let head = match state {
            ScheduledState::Free => return,
            ScheduledState::Wheel => &mut self.wheel[slot(due)],
            ScheduledState::Open => &mut self.open[usize::from(part)],
            ScheduledState::Waiting | ScheduledState::Running => &mut self.out,
            ScheduledState::Parked => parked,
        };
        *head = next;
    }

    /// Takes the whole list of a second; walk it with [`Lists::take_next`].
    pub(super) fn take_second(&mut self, second: u32) -> u32 {
        std::mem::replace(&mut self.wheel[slot(second)], NIL)
    }

    /// The first part of this second from `part` on that has an entry.
    pub(super) fn next_open(&self, part: u32) -> Option<u32> {
        (part..PARTS).find(|it| self.open[*it as usize] != NIL)
    }

    pub(super) fn take_part(&mut self, part: u32) -> u32 {
        std::mem::replace(&mut self.open[part as usize], NIL)
    }

    /// The first entry of a list that was taken; the rest stays in `list`.
    pub(super) fn take_next(&mut self, list: &mut u32) -> Option<u32> {
        let at = *list;
        if at == NIL {
            return None;
        }
        *list = self.get(at).next;
        if *list != NIL {
            self.get_mut(*list).prev = NIL;
        }
        Some(at)
    }

    /// Entries that are waiting or running.
    pub(super) fn out(&self) -> impl Iterator<Item = &ScheduledItem> {
        let mut at = self.out;
        std::iter::from_fn(move || {
            let entry = self.entries.get(at as usize)?;
            at = entry.next;
            Some(entry)
        })
    }

    /// The entries `from..from + n`, free ones too, and whether there are more after them.
    pub(super) fn part(&self, from: usize, n: usize) -> (&[ScheduledItem], bool) {
        let until = from.saturating_add(n).min(self.entries.len());
        (self.entries.get(from..until).unwrap_or_default(), until < self.entries.len())
    }

    /// Positions of all entries in the wheel or due in this second.
    pub(super) fn in_wheel(&self) -> Vec<u32> {
        let each = (0_u32..).zip(&self.entries);
        each.filter(|(_, it)| matches!(it.state, ScheduledState::Wheel | ScheduledState::Open))
            .map(|(at, _)| at)
            .collect()
    }

    /// How far the wheel reaches.
    pub(super) const fn reach() -> u32 {
        SLOTS
    }
}

fn slot(second: u32) -> usize {
    (second % SLOTS) as usize
}
