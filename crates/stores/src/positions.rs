//! How far a store is in the journal, for whoever asks while it waits for its server.
//!
//! The server has places: a position and, above it, the number of its journal. Another journal begins at zero
//! again, and so does one that was put back to a former state; each is a number of its own, so that places of rows grow for
//! ever, no two rows have the same, and what is before a position of this journal is one comparison.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use journal::Lsn;

/// Bits of a position: four million gigabytes of one journal. Above them is room for two thousand journals in a signed
/// number of 64 bits.
const POSITION_BITS: u32 = 52;

/// Asked by the housekeeper, which must not wait for a server that hangs; so it is beside the lock that is held
/// during requests. Written under that lock.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    applied: AtomicU64,
    stored: AtomicU64,
    /// Of the journal that both are of.
    journal_identity: AtomicU32,
    /// As the server has it.
    stored_identity: AtomicU32,
    /// The place of this journal's beginning.
    base: AtomicU64,
}

impl Positions {
    /// What the server has: the place, and the journal's identity. Gives the position.
    pub(crate) fn found(&self, place: u64, identity: u32) -> Lsn {
        let position = Lsn(place & ((1 << POSITION_BITS) - 1));
        self.base.store(place - position.0, Ordering::Relaxed);
        self.stored_identity.store(identity, Ordering::Relaxed);
        // What was set since the first contact, and is not stored there yet, stays.
        if self.journal_identity() == 0 {
            self.set_journal_identity(identity);
        }
        self.set(position, position);
        position
    }

    pub(crate) fn set(&self, applied: Lsn, stored: Lsn) {
        self.stored.store(stored.0, Ordering::Relaxed);
        self.applied.store(applied.0, Ordering::Relaxed);
    }

    pub(crate) fn set_journal_identity(&self, identity: u32) {
        self.journal_identity.store(identity, Ordering::Relaxed);
    }

    pub(crate) fn journal_identity(&self) -> u32 {
        self.journal_identity.load(Ordering::Relaxed)
    }

    pub(crate) fn applied(&self) -> Lsn {
        Lsn(self.applied.load(Ordering::Relaxed))
    }

    pub(crate) fn stored(&self) -> Lsn {
        Lsn(self.stored.load(Ordering::Relaxed))
    }

    /// The place of this journal's beginning.
    pub(crate) fn base(&self) -> u64 {
        self.base.load(Ordering::Relaxed)
    }

    /// The place of a position.
    pub(crate) fn place(&self, lsn: Lsn) -> u64 {
        self.base().saturating_add(lsn.0)
    }

    /// The place to go on from at `to`, after a gap: of this journal, if it is the same one and goes on; else
    /// of the next number.
    pub(crate) fn place_behind_gap(&self, to: Lsn) -> u64 {
        let stored = self.stored_identity.load(Ordering::Relaxed);
        let is_next = stored != 0 && stored != self.journal_identity() || to < self.applied();
        let base = self.base().saturating_add(if is_next { 1 << POSITION_BITS } else { 0 });
        base.saturating_add(to.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_grow_whatever_becomes_of_the_journal() {
        let positions = Positions::default();
        assert_eq!(positions.found(0, 0), Lsn(0));
        positions.set_journal_identity(7);
        let mut last = positions.place(Lsn(1_000));
        assert_eq!(positions.found(last, 7), Lsn(1_000));
        // A gap of the same journal, the journal put back, another one.
        for (identity, to) in [(7, 2_000), (7, 10), (8, 20), (8, 15)] {
            positions.set_journal_identity(identity);
            let place = positions.place_behind_gap(Lsn(to));
            assert!(last < place, "{last} {place}");
            assert_eq!(positions.found(place, identity), Lsn(to));
            assert_eq!(positions.place(Lsn(to)), place);
            last = place;
        }
    }
}
