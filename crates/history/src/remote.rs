//! Remote stores that are read first, joined with the values that have not arrived there.

use journal::Lsn;
use model::ItemId;

use crate::Result;
use crate::directory::NameTable;
use crate::live::Flush;
use crate::query::{Bucket, BucketQuery, HistorySamples, RangeQuery, Trend, TrendQuery};

/// A remote store, fed from the journal, that can be read first: another store has the values that
/// are in the journal only.
pub trait RemoteStore: Flush + NameTable {
    /// As [`crate::Store::ranges`]. `before`: only values of records before this position of the
    /// journal that it is fed from, which it has stored; values of other journals are among them.
    ///
    /// # Errors
    /// As [`crate::Store::ranges`].
    fn ranges_before(
        &self,
        queries: &[RangeQuery],
        before: Option<Lsn>,
    ) -> Result<Vec<HistorySamples>>;

    /// As [`crate::Store::trends`].
    ///
    /// # Errors
    /// As [`crate::Store::trends`].
    fn trends_before(&self, queries: &[TrendQuery], before: Option<Lsn>)
    -> Result<Vec<Vec<Trend>>>;

    /// As [`crate::Store::bucket_series`].
    ///
    /// # Errors
    /// As [`crate::Store::bucket_series`].
    fn buckets_before(
        &self,
        queries: &[BucketQuery],
        before: Option<Lsn>,
    ) -> Result<Vec<Vec<Bucket>>>;

    /// Deletes all that it has taken of these items: values and trends. When this returns they are
    /// gone, for good.
    ///
    /// # Errors
    /// It can't do it now. Some may be deleted.
    fn delete(&self, items: &[ItemId]) -> Result<()>;
}
