//! Live state: what is known of every item right now, read by anybody without asking a shard.
//!
//! A shard thread is the only writer of its slots. Numbers, times and state lie in sequence-locked
//! slots of five atomics (40 bytes an item); texts and reasons lie in one side table a shard, under
//! a mutex that the shard takes once a step, and only if a text changed.
//!
//! Invariants:
//! - A reader never sees halves of two states: it retries while the sequence is odd or moves.
//! - Slots are allocated in chunks that never move; a slot that no chunk holds yet reads as empty.
//! - A slot means nothing by itself: look it up in the directory of the moment.

use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use model::map::Map;
use model::{Time, Value, ValueType};

/// 4,096 slots of 40 bytes: 160 KiB a chunk, so that small installations stay small.
const CHUNK: usize = 4096;
/// Chunks a shard may have: 16 million slots.
const CHUNKS_MAX: usize = 4096;

const STATE_BIT: u64 = 1 << 0;
const COUNT_SHIFT: u32 = 1;
const COUNT_MASK: u64 = 0b11 << COUNT_SHIFT;
const TYPE_SHIFT: u32 = 3;
const TYPE_MASK: u64 = 0b111 << TYPE_SHIFT;
const CHECKED_BIT: u64 = 1 << 6;
const NOTED_BIT: u64 = 1 << 7;
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

/// The state of one item as numbers; bits are of a `f64` or a `u64` by `kind`, 0 for texts.
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

/// What the API shows of an item.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Last {
    /// The newest value and its time.
    pub last: Option<(Time, Value)>,
    /// The one before.
    pub prev: Option<(Time, Value)>,
    /// Why the item is unsupported, if it is.
    pub error: Option<Arc<str>>,
    /// What was wrong with a value that was refused, or with a part of one.
    pub note: Option<Note>,
}

/// The two newest texts of an item, newest first, and the reason of an unsupported one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pub(crate) last: Option<Value>,
    pub(crate) prev: Option<Value>,
    pub(crate) error: Option<Arc<str>>,
    pub(crate) note: Option<Note>,
    /// How far a log has been read: bytes and modification time.
    pub(crate) position: Option<(u64, i64)>,
}

/// Live state of one shard.
#[derive(Debug)]
pub struct LiveShard {
    chunks: Box<[OnceLock<Box<[LiveSlot]>>]>,
    texts: Mutex<Map<u32, Texts>>,
}

impl Default for LiveShard {
    fn default() -> Self {
        Self {
            chunks: (0..CHUNKS_MAX).map(|_| OnceLock::new()).collect(),
            texts: Mutex::new(Map::default()),
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

    /// A software prefetch of slots, no more than `N`; the value returned only keeps the compiler from
    /// dropping the reads.
    #[inline]
    pub(crate) fn prefetch<const N: usize>(&self, slots: impl Iterator<Item = u32>) -> u64 {
        let mut near = [None; N];
        for (near, slot) in near.iter_mut().zip(slots) {
            *near = self.slot(slot);
        }
        let ends =
            |it: &LiveSlot| it.meta.load(Ordering::Relaxed) ^ it.prev_bits.load(Ordering::Relaxed);
        near.into_iter().map_while(|it| it).fold(0, |seen, it| seen ^ ends(it))
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

    /// Replaces texts of slots; `None` forgets a slot.
    pub(crate) fn publish_texts(&self, changed: impl Iterator<Item = (u32, Option<Texts>)>) {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        for (slot, it) in changed {
            match it {
                Some(it) => texts.insert(slot, it),
                None => texts.remove(&slot),
            };
        }
    }

    /// Replaces all texts.
    pub(crate) fn set_texts(&self, texts: Map<u32, Texts>) {
        *self.texts.lock().unwrap_or_else(PoisonError::into_inner) = texts;
    }

    /// The two newest values and the state of a slot.
    #[must_use]
    pub fn last(&self, slot: u32) -> Last {
        let cell = self.cell(slot);
        let kind = ValueType::from_code(i64::from(cell.kind)).unwrap_or(ValueType::Float);
        let is_text = !kind.is_numeric();
        let texts = if is_text || cell.unsupported || cell.noted {
            let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
            texts.get(&slot).cloned().unwrap_or_default()
        } else {
            Texts::default()
        };
        let value = |bits, text: Option<Value>| match kind {
            ValueType::Float => Some(Value::Float(f64::from_bits(bits))),
            ValueType::Unsigned => Some(Value::Unsigned(bits)),
            ValueType::Char | ValueType::Log | ValueType::Text | ValueType::Binary => text,
        };
        let newest = value(cell.bits, texts.last).filter(|_| 1 <= cell.n_values);
        let prev = value(cell.prev_bits, texts.prev).filter(|_| 2 <= cell.n_values);
        Last {
            last: newest.map(|it| (cell.time, it)),
            prev: prev.map(|it| (cell.prev_time, it)),
            error: texts.error.filter(|_| cell.unsupported),
            note: texts.note,
        }
    }

    /// How far a log item has been read: bytes and modification time of the file.
    #[must_use]
    pub fn log_position(&self, slot: u32) -> Option<(u64, i64)> {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.get(&slot).and_then(|it| it.position)
    }
}

#[inline]
fn read(slot: &LiveSlot, meta: u64) -> LiveCell {
    let small = |mask: u64, shift: u32| u8::try_from((meta & mask) >> shift).unwrap_or(0);
    LiveCell {
        n_values: small(COUNT_MASK, COUNT_SHIFT),
        kind: small(TYPE_MASK, TYPE_SHIFT),
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
pub struct Live {
    shards: Arc<[Arc<LiveShard>]>,
}

impl Live {
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
    fn what_is_published_reads_back() {
        let live = Live::new(1);
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
        let texts = Texts { error: Some(Arc::clone(&error)), ..Texts::default() };
        shard.publish_texts([(5, Some(texts))].into_iter());
        let last = live.last(0, 5);
        assert_eq!(last.last, Some((Time(-7), Value::Unsigned(u64::MAX))));
        assert_eq!((last.prev, last.error), (None, Some(error)));
    }

    #[test]
    fn a_reader_never_sees_halves_of_two_states() {
        let live = Live::new(1);
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
