//! Live state: the newest values and state of every item, read without asking a shard.
//!
//! A shard thread is the only writer of its slots. Numbers, times and state lie in sequence-locked
//! slots of five atomics (40 bytes an item). Texts lie in pairs, whose numbers the slots have: see
//! `texts`. Reasons, notes and positions lie in one side table a shard, under a mutex that the shard
//! takes once a step, and only if one of them changed.
//!
//! Invariants:
//! - A reader never sees halves of two states: it retries while the sequence is odd or moves. A text
//!   is whole, and may be newer than the time that is read with it by the value that is just stored.
//! - Slots are allocated in chunks that never move; a slot that no chunk holds yet reads as empty.
//! - A slot means nothing by itself: look it up in the directory of the moment.

mod texts;

use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use model::map::Map;
use model::{Time, Value, ValueType};

use texts::LiveTexts;
pub(crate) use texts::{Nth, TextRef, Two};

/// 4,096 slots of 40 bytes: 160 KiB a chunk, so that small installations stay small.
const CHUNK: usize = 4096;
/// The most chunks of a shard: 16 million slots.
const CHUNKS_MAX: usize = 4096;

const STATE_BIT: u64 = 1 << 0;
const COUNT_SHIFT: u32 = 1;
const COUNT_MASK: u64 = 0b11 << COUNT_SHIFT;
const TYPE_SHIFT: u32 = 3;
const TYPE_MASK: u64 = 0b111 << TYPE_SHIFT;
const CHECKED_BIT: u64 = 1 << 6;
const NOTED_BIT: u64 = 1 << 7;
/// Codes of value types.
const FLOAT: u8 = 0;
const UNSIGNED: u8 = 3;
/// Flags live below, the sequence above.
const SEQ_ONE: u64 = 1 << 32;

#[derive(Debug, Default)]
struct LiveSlot {
    meta: AtomicU64,
    time: AtomicU64,
    bits: AtomicU64,
    prev_time: AtomicU64,
    prev_bits: AtomicU64,
}

const _: () = assert!(size_of::<LiveSlot>() == 40, "ten million items");

/// The state of one item as numbers; bits are of a `f64` or a `u64` by `kind`, of texts where both of them are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LiveCell {
    /// How many of the two values there are: 0, 1 or 2.
    pub n_values: u8,
    /// Value type's code.
    pub kind: u8,
    pub unsupported: bool,
    /// Whether anything (also a discarded value or an error) ever arrived.
    pub checked: bool,
    /// A value was refused: [`Last::note`] says why.
    pub noted: bool,
    pub time: Time,
    pub bits: u64,
    pub prev_time: Time,
    pub prev_bits: u64,
}

impl LiveCell {
    /// Takes one more value; values that are older than both kept ones change nothing.
    /// Of equal times the later arrival counts as newer.
    #[inline]
    pub fn push(&mut self, time: Time, bits: u64) {
        if self.n_values == 0 || self.time <= time {
            self.prev_time = self.time;
            self.prev_bits = self.bits;
            self.time = time;
            self.bits = bits;
        } else if self.n_values == 1 || self.prev_time <= time {
            self.prev_time = time;
            self.prev_bits = bits;
        } else {
            return;
        }
        self.n_values = (self.n_values + 1).min(2);
    }

    /// Whether its values are texts.
    #[inline]
    pub(crate) fn is_of_text(&self) -> bool {
        self.n_values != 0 && is_text(self.kind)
    }

    fn flags(&self) -> u64 {
        let flag = |is_set: bool, bit: u64| if is_set { bit } else { 0 };
        flag(self.unsupported, STATE_BIT)
            | flag(self.checked, CHECKED_BIT)
            | flag(self.noted, NOTED_BIT)
            | ((u64::from(self.n_values) << COUNT_SHIFT) & COUNT_MASK)
            | ((u64::from(self.kind) << TYPE_SHIFT) & TYPE_MASK)
    }
}

/// Something to know of an item that is supported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    pub text: Arc<str>,
    /// From when on it is no longer worth telling.
    pub until: Time,
}

/// The live state of an item that the API shows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Last {
    /// The newest value and its time.
    pub last: Option<(Time, Value)>,
    /// The one before.
    pub prev: Option<(Time, Value)>,
    /// Why the item is unsupported, if it is.
    pub error: Option<Arc<str>>,
    /// The fault of a refused value, or of a part of one.
    pub note: Option<Note>,
}

/// State that only few items have in addition to their values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remarks {
    /// Why the item is unsupported.
    pub(crate) error: Option<Arc<str>>,
    pub(crate) note: Option<Note>,
    /// How far a log has been read: bytes and modification time.
    pub(crate) position: Option<(u64, i64)>,
}

/// Live state of one shard.
#[derive(Debug)]
pub struct LiveShard {
    chunks: Box<[OnceLock<Box<[LiveSlot]>>]>,
    texts: LiveTexts,
    remarks: Mutex<Map<u32, Remarks>>,
}

impl Default for LiveShard {
    fn default() -> Self {
        Self {
            chunks: (0..CHUNKS_MAX).map(|_| OnceLock::new()).collect(),
            texts: LiveTexts::default(),
            remarks: Mutex::new(Map::default()),
        }
    }
}

impl LiveShard {
    fn slot(&self, slot: u32) -> Option<&LiveSlot> {
        let slot = slot as usize;
        self.chunks.get(slot / CHUNK)?.get()?.get(slot % CHUNK)
    }

    /// Makes room for slots below `n`; beyond 16 million they stay without live state.
    pub(crate) fn reserve(&self, n: usize) {
        for chunk in self.chunks.iter().take(n.div_ceil(CHUNK)) {
            chunk.get_or_init(|| (0..CHUNK).map(|_| LiveSlot::default()).collect());
        }
    }

    /// The state of a slot; of a slot never written, the empty one.
    #[must_use]
    pub fn cell(&self, slot: u32) -> LiveCell {
        let Some(slot) = self.slot(slot) else { return LiveCell::default() };
        loop {
            let before = slot.meta.load(Ordering::Acquire);
            let cell = read(slot, before);
            fence(Ordering::Acquire);
            let after = slot.meta.load(Ordering::Relaxed);
            if before == after && before & SEQ_ONE == 0 {
                return cell;
            }
            std::hint::spin_loop();
        }
    }

    /// As [`Self::cell`], for the one thread that writes.
    #[inline]
    pub(crate) fn own(&self, slot: u32) -> LiveCell {
        match self.slot(slot) {
            Some(slot) => read(slot, slot.meta.load(Ordering::Relaxed)),
            None => LiveCell::default(),
        }
    }

    /// A software prefetch of slots, no more than `N`, and of their texts; the value returned only
    /// keeps the compiler from dropping the reads.
    #[inline]
    pub(crate) fn prefetch<const N: usize>(&self, slots: impl Iterator<Item = u32>) -> u64 {
        let mut near = [None; N];
        for (near, slot) in near.iter_mut().zip(slots) {
            *near = self.slot(slot);
        }
        let mut texts = [0; N];
        let mut n_texts = 0;
        let mut seen = 0;
        for it in near.into_iter().map_while(|it| it) {
            let meta = it.meta.load(Ordering::Relaxed);
            seen ^= meta ^ it.prev_bits.load(Ordering::Relaxed);
            if is_text(small(meta, TYPE_MASK, TYPE_SHIFT))
                && let Some(place) = texts.get_mut(n_texts)
            {
                *place = it.bits.load(Ordering::Relaxed);
                n_texts += 1;
            }
        }
        let texts = texts.into_iter().take(n_texts);
        texts.fold(seen, |seen, it| seen ^ u64::from(self.texts.prefetch(it)))
    }

    /// Replaces the state of a slot. For the one thread that writes.
    #[inline]
    pub(crate) fn publish(&self, slot: u32, cell: &LiveCell) {
        let Some(slot) = self.slot(slot) else { return };
        let seq = slot.meta.load(Ordering::Relaxed) & !(SEQ_ONE - 1);
        let odd = seq.wrapping_add(SEQ_ONE);
        slot.meta.store(odd, Ordering::Relaxed);
        fence(Ordering::Release);
        slot.time.store(cell.time.0.cast_unsigned(), Ordering::Relaxed);
        slot.bits.store(cell.bits, Ordering::Relaxed);
        slot.prev_time.store(cell.prev_time.0.cast_unsigned(), Ordering::Relaxed);
        slot.prev_bits.store(cell.prev_bits, Ordering::Relaxed);
        slot.meta.store(odd.wrapping_add(SEQ_ONE) | cell.flags(), Ordering::Release);
    }

    /// Keeps a text of a slot, for the one thread that writes; returns the bits that the slot's
    /// cell has to get, which are `bits` unless it had no text.
    #[inline]
    pub(crate) fn put_text(&self, slot: u32, bits: u64, value: TextRef<'_>, nth: Nth) -> u64 {
        self.texts.put(slot, bits, value, nth)
    }

    /// As [`Self::publish`], with the texts of an item of text; the slot's former texts are gone.
    pub(crate) fn publish_two(&self, slot: u32, cell: &LiveCell, two: &Two) {
        self.forget_texts(slot);
        if cell.is_of_text() {
            let bits = self.texts.put_both(slot, two);
            self.publish(slot, &LiveCell { bits, prev_bits: bits, ..*cell });
        } else {
            self.publish(slot, cell);
        }
    }

    /// Lets go of the texts of a slot, whose cell is to be replaced.
    pub(crate) fn forget_texts(&self, slot: u32) {
        let cell = self.own(slot);
        if cell.is_of_text() {
            self.texts.release(slot, cell.bits);
        }
    }

    /// Both texts of a slot, given its cell.
    pub(crate) fn two(&self, slot: u32, cell: &LiveCell) -> Two {
        if cell.is_of_text() { self.texts.get(slot, cell.bits) } else { (None, None) }
    }

    /// A text of a slot whose cell has these bits.
    pub(crate) fn text(&self, slot: u32, bits: u64, nth: Nth) -> Option<Value> {
        self.texts.nth(slot, bits, nth)
    }

    /// Replaces remarks of slots; `None` forgets a slot.
    pub(crate) fn publish_remarks(&self, changed: impl Iterator<Item = (u32, Option<Remarks>)>) {
        let mut remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        for (slot, it) in changed {
            match it {
                Some(it) => remarks.insert(slot, it),
                None => remarks.remove(&slot),
            };
        }
    }

    /// Replaces all remarks.
    pub(crate) fn set_remarks(&self, remarks: Map<u32, Remarks>) {
        *self.remarks.lock().unwrap_or_else(PoisonError::into_inner) = remarks;
    }

    /// The two newest values and the state of a slot.
    #[must_use]
    pub fn last(&self, slot: u32) -> Last {
        let cell = self.cell(slot);
        let kind = ValueType::from_code(i64::from(cell.kind)).unwrap_or(ValueType::Float);
        let texts = self.two(slot, &cell);
        let remarks = if cell.unsupported || cell.noted {
            let remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
            remarks.get(&slot).cloned().unwrap_or_default()
        } else {
            Remarks::default()
        };
        let value = |bits, text: Option<Value>| match kind {
            ValueType::Float => Some(Value::Float(f64::from_bits(bits))),
            ValueType::Unsigned => Some(Value::Unsigned(bits)),
            ValueType::Char | ValueType::Log | ValueType::Text | ValueType::Binary => text,
        };
        let newest = value(cell.bits, texts.0).filter(|_| 1 <= cell.n_values);
        let prev = value(cell.prev_bits, texts.1).filter(|_| 2 <= cell.n_values);
        Last {
            last: newest.map(|it| (cell.time, it)),
            prev: prev.map(|it| (cell.prev_time, it)),
            error: remarks.error.filter(|_| cell.unsupported),
            note: remarks.note,
        }
    }

    /// How far a log item has been read: bytes and modification time of the file.
    #[must_use]
    pub fn log_position(&self, slot: u32) -> Option<(u64, i64)> {
        let remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        remarks.get(&slot).and_then(|it| it.position)
    }
}

/// By a value type's code.
#[inline]
pub(crate) fn is_text(kind: u8) -> bool {
    kind != FLOAT && kind != UNSIGNED
}

#[inline]
fn small(meta: u64, mask: u64, shift: u32) -> u8 {
    u8::try_from((meta & mask) >> shift).unwrap_or(0)
}

#[inline]
fn read(slot: &LiveSlot, meta: u64) -> LiveCell {
    LiveCell {
        n_values: small(meta, COUNT_MASK, COUNT_SHIFT),
        kind: small(meta, TYPE_MASK, TYPE_SHIFT),
        unsupported: meta & STATE_BIT != 0,
        checked: meta & CHECKED_BIT != 0,
        noted: meta & NOTED_BIT != 0,
        time: Time(slot.time.load(Ordering::Relaxed).cast_signed()),
        bits: slot.bits.load(Ordering::Relaxed),
        prev_time: Time(slot.prev_time.load(Ordering::Relaxed).cast_signed()),
        prev_bits: slot.prev_bits.load(Ordering::Relaxed),
    }
}

/// Live state of all shards, shared by shards and readers.
#[derive(Clone, Debug)]
pub struct LiveTable {
    shards: Arc<[Arc<LiveShard>]>,
}

impl LiveTable {
    #[must_use]
    pub fn new(n_shards: u16) -> Self {
        Self { shards: (0..n_shards).map(|_| Arc::default()).collect() }
    }

    #[must_use]
    pub fn shard(&self, shard: u16) -> Option<&Arc<LiveShard>> {
        self.shards.get(usize::from(shard))
    }

    /// The two newest values and the state of an item's slot; empty for what does not exist.
    #[must_use]
    pub fn last(&self, shard: u16, slot: u32) -> Last {
        self.shard(shard).map(|it| it.last(slot)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_newest_values_stay_whatever_the_order_of_arrival() {
        let mut cell = LiveCell::default();
        for (time, bits) in [(10, 1), (30, 3), (20, 2), (5, 0), (30, 4)] {
            cell.push(Time(time), bits);
        }
        assert_eq!((cell.time, cell.bits), (Time(30), 4));
        assert_eq!((cell.prev_time, cell.prev_bits), (Time(30), 3));
    }

    #[test]
    fn published_cells_read_back() {
        let live = LiveTable::new(1);
        let shard = live.shard(0).expect("one shard");
        assert_eq!(live.last(0, 5), Last::default());
        shard.reserve(6);
        let mut cell =
            LiveCell { kind: 3, unsupported: true, checked: true, ..LiveCell::default() };
        cell.push(Time(-7), u64::MAX);
        shard.publish(5, &cell);
        assert_eq!(shard.cell(5), cell);
        assert_eq!(shard.own(5), cell);
        let error: Arc<str> = "broken".into();
        let remarks = Remarks { error: Some(Arc::clone(&error)), ..Remarks::default() };
        shard.publish_remarks([(5, Some(remarks))].into_iter());
        let last = live.last(0, 5);
        assert_eq!(last.last, Some((Time(-7), Value::Unsigned(u64::MAX))));
        assert_eq!((last.prev, last.error), (None, Some(error)));
    }

    #[test]
    fn texts_are_read_with_the_times_of_their_cell() {
        let live = LiveTable::new(1);
        let shard = live.shard(0).expect("one shard");
        shard.reserve(6);
        let mut cell = LiveCell { kind: 4, checked: true, ..LiveCell::default() };
        let bits = shard.put_text(5, cell.bits, TextRef::Text("up"), Nth::Newest);
        cell.push(Time(7), bits);
        shard.publish(5, &cell);
        let text = |text: &str| Value::Text(text.into());
        let last = live.last(0, 5);
        assert_eq!((last.last, last.prev), (Some((Time(7), text("up"))), None));
        let bits = shard.put_text(5, cell.bits, TextRef::Text("down"), Nth::Newest);
        cell.push(Time(8), bits);
        shard.publish(5, &cell);
        let last = live.last(0, 5);
        assert_eq!(last.last, Some((Time(8), text("down"))));
        assert_eq!(last.prev, Some((Time(7), text("up"))));
        let two = (Some(text("new")), None);
        shard.publish_two(5, &LiveCell { n_values: 1, kind: 4, time: Time(9), ..cell }, &two);
        assert_eq!(live.last(0, 5).last, Some((Time(9), text("new"))));
        shard.forget_texts(5);
        shard.publish(5, &LiveCell::default());
        assert_eq!(live.last(0, 5), Last::default());
    }

    #[test]
    fn a_reader_never_sees_halves_of_two_states() {
        let live = LiveTable::new(1);
        let shard = Arc::clone(live.shard(0).expect("one shard"));
        shard.reserve(1);
        let reader = {
            let shard = Arc::clone(&shard);
            std::thread::spawn(move || {
                for _ in 0..20_000 {
                    let it = shard.cell(0);
                    assert_eq!(it.time.0.cast_unsigned(), it.bits);
                    assert_eq!(it.prev_time.0.cast_unsigned(), it.prev_bits);
                }
            })
        };
        let mut cell = LiveCell::default();
        for i in 0..20_000_i64 {
            cell.push(Time(i), i.cast_unsigned());
            shard.publish(0, &cell);
        }
        reader.join().expect("no torn read");
    }
}
