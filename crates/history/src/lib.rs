//! Where values live. One trait, [`Store`]; the embedded one ([`open`]) needs nothing else.
//!
//! Values come from records of the journal and from nowhere else. One store takes them as they are
//! written ([`LiveStore`]; [`Writer::commit`] is the one step that writes a record and shows its
//! values), and after a start from its cursor on ([`LiveStore::replay`]); both ways run the same
//! code. Any number of others are fed from the journal ([`Feeder`]). A store that is away has an
//! old cursor, and the journal keeps what it has not taken.
//!
//! A series is (item, value type): after a change of type the old values stay readable. Numbers
//! keep milliseconds, texts and log entries nanoseconds. Rows are read in order of time; values of
//! the same time in the order in which they were written, and none is merged with another.
//!
//! In addition to values there are trends: the aggregates of each hour's numbers. Records have
//! parts of them (`model::record::TrendRow`), which a store keeps and adds up: a trend is there
//! when the values are long gone, and values alone make none.
//!
//! Everything here blocks (memory, then disk): callers on the async runtime use its blocking pool.
//!
//! Which of several stores is read says [`ReadOrder`]; a store elsewhere that can be read first is a
//! [`RemoteStore`].

mod class;
mod directory;
mod embedded;
mod error;
mod feeder;
mod live;
mod open;
mod pages;
mod payload;
mod query;
mod read_order;
mod remote;
mod stats;
mod store;
mod trends;
mod verify;

pub use class::StoredKind;
pub use directory::{DirectoryRow, NameTable};
pub use embedded::{CopyTarget, DayOf, EmbeddedSettings, HistoryMetrics};
pub use error::{Error, Result};
pub use feeder::{Feed, FeedState, FeedStatus, FeedTurn, Feeder, FeederSettings, Gap, LagPolicy};
pub use live::{Flush, FlushedValues, LiveStore, Recent, RecentTrends, Replayed, Writer};
pub use open::{OpenedStore, StoreKind, open};
pub use pages::Pages;
pub use query::{
    Bucket, BucketQuery, HistorySamples, RangeQuery, Series, SeriesRows, Trend, TrendQuery,
};
pub use read_order::{FedStore, ReadOrder, ReadOrderMetrics, ReadOrderSettings};
pub use remote::RemoteStore;
pub use stats::{ClassStats, FileStats, is_empty, stats};
pub use store::Store;
pub use tsdb::Shares;
pub use verify::{Verified, VerifyProgress, verify};

#[doc(hidden)]
pub mod fuzz {
    //! Entries for fuzzing; ordinary tests run them.

    /// Reads any bytes as a stored text or log entry.
    pub fn payload(data: &[u8]) {
        for kind in model::ValueType::ALL {
            let _read = crate::payload::decode(*kind, 5, data);
        }
    }
}

#[cfg(any(test, feature = "contract"))]
pub mod contract;
#[cfg(test)]
mod faulty;
#[cfg(test)]
mod tests;
