//! Memory of all values together, from reading until they have been sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Why there is no value, for users.
pub const NO_ROOM: &str =
    "The value is too large for the free memory: other values take the rest of memory_bytes_max.";
/// Values are copied once on their way, or lie in memory with room for twice as much.
const COPIES: u64 = 2;
/// Values of at most this size find room when larger values find none: a quarter is reserved for
/// them.
const SMALL_BYTES: u64 = 128 << 10;

/// The memory for values is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRoom;

/// The memory; a clone is the same.
#[derive(Clone, Debug)]
pub struct Memory(Arc<Taken>);

#[derive(Debug)]
struct Taken {
    bytes_max: u64,
    bytes: AtomicU64,
}

impl Memory {
    #[must_use]
    pub fn new(bytes_max: u64) -> Self {
        Self(Arc::new(Taken { bytes_max, bytes: AtomicU64::new(0) }))
    }

    /// The memory of a request, without bytes yet.
    #[must_use]
    pub fn room(&self) -> Room {
        let (kept, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        Room(Arc::new(Held { memory: self.clone(), kept, bytes }))
    }

    /// Bytes that are taken.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.0.bytes.load(Relaxed)
    }
}

/// The memory of one request, until its last clone is dropped: a check that hangs keeps one.
#[derive(Clone, Debug)]
pub struct Room(Arc<Held>);

#[derive(Debug)]
struct Held {
    memory: Memory,
    /// Bytes of complete values.
    kept: AtomicU64,
    /// Taken for the request and for the value that is read.
    bytes: AtomicU64,
}

impl Room {
    /// Reserves room for this many bytes of the value that is read.
    ///
    /// # Errors
    /// If there is none.
    pub fn cover(&self, bytes: u64) -> Result<(), NoRoom> {
        let all = self.0.kept.load(Relaxed).saturating_add(bytes);
        let wanted = all.saturating_mul(COPIES);
        let has = self.0.bytes.load(Relaxed);
        if wanted <= has {
            return Ok(());
        }
        let Taken { bytes_max, bytes: taken } = &*self.0.memory.0;
        let max = if all <= SMALL_BYTES { *bytes_max } else { *bytes_max / 4 * 3 };
        let more = wanted - has;
        let grown = |taken: u64| taken.checked_add(more).filter(|it| *it <= max);
        taken.fetch_update(Relaxed, Relaxed, grown).map_err(|_full| NoRoom)?;
        self.0.bytes.fetch_add(more, Relaxed);
        Ok(())
    }

    /// The value is complete and has this many bytes.
    ///
    /// # Errors
    /// If there is no room for it.
    pub fn keep(&self, bytes: u64) -> Result<(), NoRoom> {
        let covered = self.cover(bytes);
        let more = if covered.is_ok() { bytes } else { 0 };
        let kept = self.0.kept.fetch_add(more, Relaxed).saturating_add(more);
        let wanted = kept.saturating_mul(COPIES);
        let has = self.0.bytes.fetch_min(wanted, Relaxed);
        self.0.memory.0.bytes.fetch_sub(has.saturating_sub(wanted), Relaxed);
        covered
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.memory.0.bytes.fetch_sub(self.bytes.load(Relaxed), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn values_have_room_until_their_request_is_done() {
        let memory = Memory::new(8 * MIB);
        let (first, second) = (memory.room(), memory.room());
        first.cover(2 * MIB).expect("room");
        assert_eq!(memory.taken(), 4 * MIB);
        first.keep(MIB).expect("room");
        assert_eq!(memory.taken(), 2 * MIB, "what was read is smaller as a value");
        first.keep(MIB).expect("room");
        assert_eq!(memory.taken(), 4 * MIB, "both values are kept");
        assert_eq!(second.cover(2 * MIB), Err(NoRoom), "a quarter is for small ones");
        assert_eq!(second.keep(2 * MIB), Err(NoRoom));
        assert_eq!(memory.taken(), 4 * MIB);
        second.cover(MIB).expect("room");
        memory.room().cover(SMALL_BYTES).expect("a small value finds room");
        let hangs = first.clone();
        drop((first, second));
        assert_eq!(memory.taken(), 4 * MIB);
        drop(hangs);
        assert_eq!(memory.taken(), 0);
    }
}
