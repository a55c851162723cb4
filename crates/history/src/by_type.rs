//! The embedded store by its type, until all its users go by the traits.

use journal::Appended;
use model::ItemId;

use crate::embedded::{Embedded, HeadWriter};
use crate::{Flush, Flushed, LiveStore, Replayed, Result, Writer};

impl Embedded {
    /// As [`LiveStore::replay`].
    ///
    /// # Errors
    /// As there.
    pub fn replay(&self) -> Result<Replayed> {
        LiveStore::replay(self)
    }

    #[must_use]
    pub fn writer(&self, writer: u16) -> HeadWriter {
        self.head_writer(writer)
    }

    #[must_use]
    pub fn flush_is_due(&self) -> bool {
        Flush::flush_is_due(self)
    }

    /// As [`Flush::flush_once`].
    ///
    /// # Errors
    /// As there.
    pub fn flush_once(&self) -> Result<Option<Flushed>> {
        Flush::flush_once(self)
    }

    #[must_use]
    pub fn n_values_in_memory(&self) -> u64 {
        Flush::n_values_unflushed(self)
    }

    pub fn observe(&self) {
        Flush::observe(self);
    }
}

impl HeadWriter {
    /// As [`Writer::commit`].
    ///
    /// # Errors
    /// As there.
    pub fn commit(&mut self, payload: &[u8], n_ids: u32) -> Result<Appended> {
        Writer::commit(self, payload, n_ids)
    }

    pub fn forget(&mut self, items: &[ItemId]) {
        Writer::forget(self, items);
    }
}
