//! How far a store is in the journal, for whoever asks while it waits for its server.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use journal::Lsn;

/// Asked by the housekeeper, which must not wait for a server that hangs; so it is beside the lock that is held
/// during requests. Written under that lock.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    applied: AtomicU64,
    stored: AtomicU64,
    /// Of the journal that both are of.
    journal_identity: AtomicU32,
}

impl Positions {
    pub(crate) fn set(&self, applied: Lsn, stored: Lsn) {
        self.stored.store(stored.0, Ordering::Relaxed);
        self.applied.store(applied.0, Ordering::Relaxed);
    }

    pub(crate) fn set_journal_identity(&self, identity: u32) {
        self.journal_identity.store(identity, Ordering::Relaxed);
    }

    /// What the server has; what was set since the first contact, and is not stored there yet, stays.
    pub(crate) fn found_journal_identity(&self, identity: u32) {
        if self.journal_identity() == 0 {
            self.set_journal_identity(identity);
        }
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
}
