//! The store that shards write to as they go, and what keeps a store in order.

use std::fmt::Debug;

use journal::{Appended, Lsn};
use model::ItemId;

use crate::{Result, Store};

/// What a start read back from the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replayed {
    pub n_records: u64,
    pub n_values: u64,
    /// Damaged records that were passed over.
    pub lost: Vec<journal::Lost>,
}

/// What a flush stored for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flushed {
    pub cursor: Lsn,
    pub n_values: u64,
    pub file_bytes: u64,
}

/// Keeps a store in order: what it has taken becomes durable, and its cursor moves.
pub trait Flush: Store {
    /// Whether enough has come together, or waits for long enough.
    fn flush_is_due(&self) -> bool;

    /// Stores for good what was taken. `None` if there was nothing new.
    ///
    /// # Errors
    /// Nothing is lost: what was taken is still there, or comes again from [`Store::cursor`] on.
    fn flush_once(&self) -> Result<Option<Flushed>>;

    /// Values that were taken and are not stored for good: what a start reads back from the journal.
    fn n_values_unflushed(&self) -> u64;

    /// Brings the gauges up to date.
    fn observe(&self);
}

/// A store whose values show as soon as their record is in the journal: shards read what they have
/// written. There is one; others are fed behind the journal, see [`Feeder`](crate::Feeder).
pub trait LiveStore: Flush {
    /// Takes the values of the journal from the cursor on. Before anything is written or read.
    ///
    /// # Errors
    /// The journal does not hold what is missing or can't be read, or a newer program wrote it. Damage
    /// is passed over, as by all readers of the journal.
    fn replay(&self) -> Result<Replayed>;

    /// Series of which values are in memory.
    fn n_series_in_memory(&self) -> usize;

    /// A shard's way to write; one for each number below that of the writers.
    fn writer(&self, writer: u16) -> Box<dyn Writer>;
}

/// One shard's way to write.
pub trait Writer: Debug + Send {
    /// Appends a record to the journal, with `n_ids` ids for its events, and shows its values to
    /// readers, in one step that neither a flush nor a crash divides.
    ///
    /// # Errors
    /// Nothing was written. The journal refuses, or the store has no room before the next flush:
    /// [`Error::retry`](crate::Error::retry) says whether to try again later.
    fn commit(&mut self, payload: &[u8], n_ids: u32) -> Result<Appended>;

    /// Gives back what the newest values of items hold that are deleted. What is stored for good
    /// stays there.
    fn forget(&mut self, items: &[ItemId]);
}
