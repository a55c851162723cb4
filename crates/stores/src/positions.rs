//! How far a store is in the journal, for callers that ask while it waits for its server.
//!
//! The server has places: a position and, above it, the number of its journal. Another journal begins at zero
//! again, and so does one that was put back to a former state; each is a number of its own, so that places of rows grow for
//! ever, no two rows have the same, and what is before a position of this journal is one comparison.
//!
//! It has one of each journal that it was ever fed from: a server that was started from a backup and its original may
//! both be feeding it, and neither moves the other's place.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use journal::{Ancestor, Lsn};

/// Bits of a position: four million gigabytes of one journal. Above them is room for two thousand journals in a signed
/// number of 64 bits.
const POSITION_BITS: u32 = 52;

/// Asked by the housekeeper, which must not wait for a server that hangs; so it is outside the lock
/// that is held during requests. Written under that lock.
#[derive(Debug, Default)]
pub struct Positions {
    applied: AtomicU64,
    stored: AtomicU64,
    /// Of the journal that both are of.
    journal_identity: AtomicU32,
    /// As the server has it.
    stored_identity: AtomicU32,
    /// The place of this journal's beginning.
    base: AtomicU64,
    /// The greatest place of all journals.
    newest: AtomicU64,
    expected: Mutex<Expected>,
}

/// The journal that the store is to be fed from, as far as that was said.
#[derive(Debug, Default)]
struct Expected {
    identity: u32,
    /// The oldest first.
    ancestors: Vec<Ancestor>,
}

/// The position that a server has of one journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StoredPlace {
    pub(crate) place: u64,
    pub(crate) identity: u32,
}

impl StoredPlace {
    fn position(self) -> Lsn {
        Lsn(self.place & ((1 << POSITION_BITS) - 1))
    }
}

impl Expected {
    /// The row of the journal; else one that it is a copy of; else the newest of others.
    fn choose(&self, rows: &[StoredPlace], known: u32) -> Option<StoredPlace> {
        let wanted = if self.identity == 0 { known } else { self.identity };
        let of = |identity: u32| rows.iter().find(|it| it.identity == identity).copied();
        let ancestor = || self.ancestors.iter().rev().find_map(|it| of(it.identity));
        let newest = || rows.iter().max_by_key(|it| it.place).copied();
        of(wanted).or_else(ancestor).or_else(newest)
    }

    /// A row's position, as one of this journal: nothing of another one is in it, but for what a copy has in common
    /// with its original.
    fn position(&self, row: StoredPlace) -> Lsn {
        let is_its_own = self.identity == 0 || [0, self.identity].contains(&row.identity);
        if is_its_own {
            return row.position();
        }
        let ancestor = self.ancestors.iter().rev().find(|it| it.identity == row.identity);
        ancestor.map_or(Lsn(0), |it| row.position().min(it.end))
    }
}

impl Positions {
    /// Says which journal the store is to be fed from, before what the server has is [found](Self::found).
    pub(crate) fn expect(&self, identity: u32, ancestors: &[Ancestor]) {
        let mut expected = self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        if expected.identity != identity {
            *expected = Expected { identity, ancestors: ancestors.to_vec() };
        }
    }

    /// The positions that the server has of all journals. Gives the position.
    pub(crate) fn found(&self, rows: &[StoredPlace]) -> Lsn {
        let expected = self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        self.set_newest(rows.iter().map(|it| it.place).max().unwrap_or(0));
        let nothing = StoredPlace { place: 0, identity: 0 };
        let row = expected.choose(rows, self.journal_identity()).unwrap_or(nothing);
        self.base.store(row.place - row.position().0, Ordering::Relaxed);
        self.stored_identity.store(row.identity, Ordering::Relaxed);
        // A position set since the first contact, and not stored there yet, stays.
        if row.identity != 0 {
            self.set_journal_identity(row.identity);
        }
        let position = expected.position(row);
        self.set(position, position);
        position
    }

    /// The greatest place of all journals, which another server may have moved.
    pub(crate) fn set_newest(&self, place: u64) {
        self.newest.store(place, Ordering::Relaxed);
    }

    /// The server has this place of the journal now. Gives the position.
    pub(crate) fn stored_at(&self, place: u64) -> Lsn {
        let row = StoredPlace { place, identity: self.journal_identity() };
        self.base.store(row.place - row.position().0, Ordering::Relaxed);
        self.stored_identity.store(row.identity, Ordering::Relaxed);
        self.newest.fetch_max(place, Ordering::Relaxed);
        self.set(row.position(), row.position());
        row.position()
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
    /// of the next number, above those of all journals.
    pub(crate) fn place_after_gap(&self, to: Lsn) -> u64 {
        let stored = self.stored_identity.load(Ordering::Relaxed);
        let is_next = stored != 0 && stored != self.journal_identity() || to < self.applied();
        let newest = self.newest.load(Ordering::Relaxed) >> POSITION_BITS << POSITION_BITS;
        let base = if is_next { newest.saturating_add(1 << POSITION_BITS) } else { self.base() };
        base.saturating_add(to.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(place: u64, identity: u32) -> StoredPlace {
        StoredPlace { place, identity }
    }

    #[test]
    fn places_grow_whatever_becomes_of_the_journal() {
        let positions = Positions::default();
        assert_eq!(positions.found(&[]), Lsn(0));
        positions.set_journal_identity(7);
        let mut last = positions.place(Lsn(1_000));
        assert_eq!(positions.stored_at(last), Lsn(1_000));
        // A gap of the same journal, the journal put back, another one.
        for (identity, to) in [(7, 2_000), (7, 10), (8, 20), (8, 15)] {
            positions.set_journal_identity(identity);
            let place = positions.place_after_gap(Lsn(to));
            assert!(last < place, "{last} {place}");
            assert_eq!(positions.stored_at(place), Lsn(to));
            assert_eq!(positions.place(Lsn(to)), place);
            last = place;
        }
    }

    #[test]
    fn of_several_journals_the_expected_one_is_found() {
        let second = 1 << POSITION_BITS;
        let rows = [row(second + 30, 8), row(500, 7), row(2 * second + 10, 9)];
        let found = |identity, ancestors: &[Ancestor]| {
            let positions = Positions::default();
            positions.expect(identity, ancestors);
            let position = positions.found(&rows);
            (positions.journal_identity(), position.0, positions.base() / second)
        };
        assert_eq!(found(8, &[]), (8, 30, 1));
        assert_eq!(found(7, &[]), (7, 500, 0));
        // Nobody said: the newest. Another one: nothing of it is in this journal.
        assert_eq!(found(0, &[]), (9, 10, 2));
        assert_eq!(found(1, &[]), (9, 0, 2));
        // A copy of one that went on, and of one that is past the copy's end.
        let ancestor = |identity, end| Ancestor { identity, end: Lsn(end) };
        assert_eq!(found(1, &[ancestor(7, 100)]), (7, 100, 0));
        assert_eq!(found(1, &[ancestor(7, 900)]), (7, 500, 0));
        assert_eq!(found(1, &[ancestor(7, 100), ancestor(8, 200)]), (8, 30, 1));
        assert_eq!(found(1, &[ancestor(7, 100), ancestor(3, 200)]), (7, 100, 0));
    }

    #[test]
    fn a_copy_goes_on_in_places_that_nobody_has() {
        let (original, copy) = (Positions::default(), Positions::default());
        assert_eq!(original.found(&[]), Lsn(0));
        original.set_journal_identity(7);
        let end = Lsn(100);
        original.stored_at(original.place(Lsn(150)));
        copy.expect(8, &[Ancestor { identity: 7, end }]);
        assert_eq!(copy.found(&[row(150, 7)]), end);
        copy.set_journal_identity(8);
        let place = copy.place_after_gap(end);
        assert_eq!((copy.stored_at(place), place), (end, (1 << POSITION_BITS) + 100));
        // The original's journal is put back: it may not take the places of the copy.
        original.set_newest(place);
        let again = original.place_after_gap(Lsn(10));
        assert_eq!(again, (2 << POSITION_BITS) + 10);
    }
}
