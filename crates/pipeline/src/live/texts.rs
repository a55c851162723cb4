//! The two newest texts of items, where readers see them.
//!
//! Each item of text that has had a value holds a *pair*, whose number is in its live cell in place of a number's
//! bits. Short texts lie in the pair itself: a value then costs one line of memory and no allocation.
//!
//! Invariants:
//! - A pair never moves. The shard's thread alone gives pairs to slots, takes them back and changes
//!   them; a reader holds the lock of a pair for as long as it takes to copy it.
//! - A pair knows its slot: a reader with a number that belongs to another slot by now gets
//!   nothing.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use model::Value;
use model::value::LogEntry;

/// No slot: the pair is free.
const NOBODY: u32 = u32::MAX;
/// Pairs of the first chunk; each one after it has twice as many as the one before.
const FIRST_CHUNK: usize = 1024;
/// Together they have four billion.
const CHUNKS: usize = 22;
/// Texts up to this length need no memory of their own.
const SHORT_MAX: usize = 22;

/// A text or log value that is about to be kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TextRef<'a> {
    Text(&'a str),
    Log(&'a Arc<LogEntry>),
}

impl<'a> TextRef<'a> {
    /// None of numbers.
    pub(crate) fn of(value: &'a Value) -> Option<Self> {
        match value {
            Value::Text(it) => Some(Self::Text(it)),
            Value::Log(it) => Some(Self::Log(it)),
            Value::Float(_) | Value::Unsigned(_) => None,
        }
    }
}

/// Which of the two newest values a text becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Nth {
    Newest,
    BeforeNewest,
}

#[derive(Debug, Default)]
enum Kept {
    #[default]
    None,
    Short {
        n_bytes: u8,
        bytes: [u8; SHORT_MAX],
    },
    Long(Box<str>),
    Log(Arc<LogEntry>),
}

const _: () = assert!(size_of::<Kept>() == 24, "two of them and a lock are one line of memory");

impl Kept {
    #[inline]
    fn of(value: TextRef<'_>) -> Self {
        match value {
            TextRef::Text(text) => {
                let mut bytes = [0; SHORT_MAX];
                match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
                    (Some(to), Ok(n_bytes)) => {
                        to.copy_from_slice(text.as_bytes());
                        Self::Short { n_bytes, bytes }
                    }
                    _ => Self::Long(text.into()),
                }
            }
            TextRef::Log(entry) => Self::Log(Arc::clone(entry)),
        }
    }

    fn value(&self) -> Option<Value> {
        match self {
            Self::None => None,
            Self::Short { n_bytes, bytes } => {
                let text =
                    bytes.get(..usize::from(*n_bytes)).and_then(|it| str::from_utf8(it).ok());
                Some(Value::Text(text.unwrap_or_default().into()))
            }
            Self::Long(it) => Some(Value::Text(it.as_ref().into())),
            Self::Log(it) => Some(Value::Log(Arc::clone(it))),
        }
    }
}

#[derive(Debug)]
struct Pair {
    slot: u32,
    newest: Kept,
    before: Kept,
}

const _: () = assert!(size_of::<Mutex<Pair>>() == 64, "a pair is one line of memory");

impl Default for Pair {
    fn default() -> Self {
        Self { slot: NOBODY, newest: Kept::None, before: Kept::None }
    }
}

/// Pairs that no slot has.
#[derive(Debug, Default)]
struct Free {
    numbers: Vec<u32>,
    /// From here on nobody has had one.
    next: u32,
}

/// The pairs of one shard.
#[derive(Debug, Default)]
pub(super) struct LiveTexts {
    chunks: [OnceLock<Box<[Mutex<Pair>]>>; CHUNKS],
    free: Mutex<Free>,
}

/// The two newest values, newest first.
pub(crate) type Two = (Option<Value>, Option<Value>);

/// A pair is consistent between any two statements.
fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The chunk and the place there of a pair.
fn place_of(number: usize) -> (usize, usize) {
    let from_first = number / FIRST_CHUNK + 1;
    let chunk = usize::try_from(from_first.ilog2()).unwrap_or(usize::MAX);
    (chunk, number - FIRST_CHUNK * ((1 << chunk) - 1))
}

impl LiveTexts {
    /// `bits` is a pair's number and one; 0 stands for none.
    #[inline]
    fn pair(&self, bits: u64) -> Option<&Mutex<Pair>> {
        let number = usize::try_from(bits.checked_sub(1)?).ok()?;
        let (chunk, at) = place_of(number);
        self.chunks.get(chunk)?.get()?.get(at)
    }

    /// The pair of a slot, if it has one, with its lock.
    #[inline]
    fn of_slot(&self, slot: u32, bits: u64) -> Option<MutexGuard<'_, Pair>> {
        Some(lock(self.pair(bits)?)).filter(|it| it.slot == slot)
    }

    /// Brings a pair near the core, without its lock.
    #[inline]
    pub(super) fn prefetch(&self, bits: u64) -> bool {
        self.pair(bits).is_some_and(Mutex::is_poisoned)
    }

    /// Keeps a text of a slot, whose pair it makes if there is none; returns what its live cell has as bits from then
    /// on: 0 if there is no room for more pairs.
    #[inline]
    pub(super) fn put(&self, slot: u32, bits: u64, value: TextRef<'_>, nth: Nth) -> u64 {
        if let Some(mut pair) = self.of_slot(slot, bits) {
            let pair = &mut *pair;
            match nth {
                Nth::Newest => {
                    std::mem::swap(&mut pair.newest, &mut pair.before);
                    pair.newest = Kept::of(value);
                }
                Nth::BeforeNewest => pair.before = Kept::of(value),
            }
            return bits;
        }
        match nth {
            Nth::Newest => self.begin(slot, Kept::of(value), Kept::None),
            Nth::BeforeNewest => self.begin(slot, Kept::None, Kept::of(value)),
        }
    }

    /// Gives a slot, which has none, a pair with these values; returns the bits of its live cell.
    pub(super) fn put_both(&self, slot: u32, (newest, before): &Two) -> u64 {
        let kept = |it: &Option<Value>| {
            it.as_ref().and_then(TextRef::of).map(Kept::of).unwrap_or_default()
        };
        if newest.is_none() && before.is_none() {
            return 0;
        }
        self.begin(slot, kept(newest), kept(before))
    }

    #[cold]
    fn begin(&self, slot: u32, newest: Kept, before: Kept) -> u64 {
        let mut free = lock(&self.free);
        let number = free.numbers.pop().unwrap_or_else(|| {
            let number = free.next;
            free.next = number.saturating_add(1);
            number
        });
        drop(free);
        let (chunk, at) = place_of(number as usize);
        let Some(chunk) = self.chunks.get(chunk).map(|pairs| {
            pairs.get_or_init(|| (0..FIRST_CHUNK << chunk).map(|_| Mutex::default()).collect())
        }) else {
            return 0;
        };
        let Some(pair) = chunk.get(at) else { return 0 };
        *lock(pair) = Pair { slot, newest, before };
        u64::from(number) + 1
    }

    /// Takes the pair of a slot back, if it has one.
    pub(super) fn release(&self, slot: u32, bits: u64) {
        let Some(mut pair) = self.of_slot(slot, bits) else { return };
        *pair = Pair::default();
        drop(pair);
        if let Some(number) = bits.checked_sub(1).and_then(|it| u32::try_from(it).ok()) {
            lock(&self.free).numbers.push(number);
        }
    }

    /// Both texts of a slot.
    pub(super) fn get(&self, slot: u32, bits: u64) -> Two {
        let pair = self.of_slot(slot, bits);
        pair.map_or((None, None), |it| (it.newest.value(), it.before.value()))
    }

    /// One of them.
    pub(super) fn nth(&self, slot: u32, bits: u64, nth: Nth) -> Option<Value> {
        let pair = self.of_slot(slot, bits)?;
        match nth {
            Nth::Newest => pair.newest.value(),
            Nth::BeforeNewest => pair.before.value(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Option<Value> {
        Some(Value::Text(text.into()))
    }

    #[test]
    fn the_two_newest_texts_of_any_length_are_kept() {
        let texts = LiveTexts::default();
        let log = Arc::new(LogEntry { value: "line".to_owned(), ..LogEntry::default() });
        let long = "x".repeat(SHORT_MAX + 1);
        let longest_short = "é".repeat(SHORT_MAX / 2);
        let mut bits = 0;
        let mut before = None;
        for value in ["up", &long, &longest_short, "", "a"] {
            bits = texts.put(7, bits, TextRef::Text(value), Nth::Newest);
            assert_eq!(texts.get(7, bits), (text(value), before));
            before = text(value);
        }
        texts.put(7, bits, TextRef::Log(&log), Nth::BeforeNewest);
        assert_eq!(texts.get(7, bits), (text("a"), Some(Value::Log(log))));
        assert_eq!(texts.nth(7, bits, Nth::Newest), text("a"));
    }

    #[test]
    fn pairs_are_given_to_others_and_are_read_by_their_own_slot_only() {
        let texts = LiveTexts::default();
        let first = texts.put(1, 0, TextRef::Text("first"), Nth::Newest);
        let second = texts.put_both(2, &(text("second"), text("before")));
        assert_ne!(first, second);
        assert_eq!(texts.get(1, second), (None, None));
        texts.release(1, second);
        assert_eq!(texts.get(2, second), (text("second"), text("before")));
        texts.release(1, first);
        assert_eq!(texts.get(1, first), (None, None));
        let third = texts.put(3, 0, TextRef::Text("third"), Nth::Newest);
        assert_eq!(third, first);
        assert_eq!(texts.get(3, third), (text("third"), None));
        assert_eq!(texts.get(1, first), (None, None));
        // Bits of a number are no pair.
        assert_eq!(texts.get(1, 1.5_f64.to_bits()), (None, None));
        assert_eq!(texts.put_both(4, &(None, None)), 0);
    }

    #[test]
    fn each_pair_has_one_place() {
        let mut next = (0, 0);
        for number in 0..FIRST_CHUNK * 15 {
            assert_eq!(place_of(number), next, "{number}");
            next.1 += 1;
            if next.1 == FIRST_CHUNK << next.0 {
                next = (next.0 + 1, 0);
            }
        }
        let last = place_of(u32::MAX as usize - FIRST_CHUNK);
        assert!(last.0 < CHUNKS, "{last:?}");
    }
}
