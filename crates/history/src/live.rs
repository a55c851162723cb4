//! The store that shards write to as they go, and what keeps a store in order.

use std::fmt::Debug;
use std::time::Duration;

use disk::FileCopy;
use journal::{Appended, Lsn};
use model::{ItemId, Now};

use crate::query::{HistorySamples, RangeQuery, Trend, TrendQuery};
use crate::{FileStats, Result, Series, Shares, Store};

/// The result of reading back the journal at start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replayed {
    pub n_records: u64,
    pub n_values: u64,
    /// Damaged records that were skipped.
    pub lost: Vec<journal::LostRange>,
}

/// The result of a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlushedValues {
    pub cursor: Lsn,
    pub n_values: u64,
    pub file_bytes: u64,
}

/// Values of the end of the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Recent {
    /// In the order of the queries.
    pub samples: Vec<HistorySamples>,
    /// They are those of records from here on, and none of earlier ones.
    pub since: Lsn,
}

/// As [`Recent`], of trends.
#[derive(Debug, Clone, PartialEq)]
pub struct RecentTrends {
    /// In the order of the queries, hours ascending. Of an hour these may be some of its parts.
    pub trends: Vec<Vec<Trend>>,
    pub since: Lsn,
}

/// Keeps a store in order: taken values become durable, and its cursor moves.
pub trait Flush: Store {
    /// Whether enough has come together, or waits for long enough.
    fn flush_is_due(&self) -> bool;

    /// Stores for good what was taken. `None` if there was nothing new.
    ///
    /// # Errors
    /// Nothing is lost: taken values are still there, or comes again from [`Store::cursor`] on.
    fn flush_once(&self) -> Result<Option<FlushedValues>>;

    /// A piece of the work that keeps stored values in order: expired values are removed, and files
    /// are merged, some milliseconds of it. `true` if there is more to do at once. A store whose
    /// server does that itself has none.
    ///
    /// # Errors
    /// It can't be done now; nothing is lost.
    fn maintain(&self, _now: Now) -> Result<bool> {
        Ok(false)
    }

    /// A text for the operator about missing values, whose files had to be removed before their
    /// time.
    fn shortfall(&self) -> Option<String> {
        None
    }

    /// Values that were taken and are not stored for good: a start reads these back from the
    /// journal.
    fn n_values_unflushed(&self) -> u64;

    /// Brings the gauges up to date.
    fn observe(&self);
}

/// A store whose values show as soon as their record is in the journal: shards read what they have
/// written. There is one; others are fed from the journal, see [`Feeder`](crate::Feeder).
pub trait LiveStore: Flush {
    /// Takes the values of the journal from the cursor on. Before anything is written or read. `pause`
    /// lets time pass between two tries to read.
    ///
    /// # Errors
    /// The journal does not hold what is missing or can't be read, or a newer program wrote it.
    /// Damage is skipped, as by all readers of the journal.
    fn replay(&self, pause: &dyn Fn(Duration)) -> Result<Replayed>;

    /// As [`Self::replay`], the records of one writer alone: those of the others may be taken at the same
    /// time. `None` if there is no room for all of them in memory: then [`Self::replay`] has to
    /// take them, which starts from the beginning and writes what does not fit.
    ///
    /// # Errors
    /// As [`Self::replay`].
    fn replay_of(&self, writer: u16, pause: &dyn Fn(Duration)) -> Result<Option<Replayed>>;

    /// All series that may have values, by ascending item: for those who go through everything.
    ///
    /// # Errors
    /// A file can't be read or is damaged.
    fn series(&self) -> Result<Vec<Series>>;

    /// The files of what is stored for good, oldest first.
    fn files(&self) -> Vec<FileStats>;

    /// How many bytes of these files each item takes, reading at most `read_max` of them: see [`Shares`].
    fn shares(&self, read_max: u64) -> Shares;

    /// Durable values, as files of a copy of the store's folder, as of one moment: its cursor in
    /// there is that of the moment. They stay readable, whatever is removed later.
    fn copy_of(&self) -> Vec<FileCopy>;

    /// Series of which values are in memory.
    fn n_series_in_memory(&self) -> usize;

    /// Whether values, and trends, are removed once they are past their period. Both are at first.
    fn set_expiring(&self, values: bool, trends: bool);

    /// Deletes all values of these items that were written up to now, those of all types. Values that
    /// are written meanwhile may be deleted or not.
    ///
    /// # Errors
    /// The store can't do it now: nothing was deleted.
    fn clear(&self, items: &[ItemId]) -> Result<()>;

    /// As [`Store::ranges`], of the values alone that are in memory; all queries at one moment.
    ///
    /// # Errors
    /// What is in memory can't be read.
    fn recent(&self, queries: &[RangeQuery]) -> Result<Recent>;

    /// As [`Self::recent`], of trends.
    ///
    /// # Errors
    /// As [`Self::recent`].
    fn recent_trends(&self, queries: &[TrendQuery]) -> Result<RecentTrends>;

    /// Whether it keeps values, so that reading it is reading all of them; else it has what another store has
    /// not stored yet.
    fn holds_all(&self) -> bool;

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

    /// Gives back what the newest values of items hold that are deleted. Durable values stay there.
    fn forget(&mut self, items: &[ItemId]);
}
