//! Embedded history engine: heads, segments, manifest; knows series, time, value, and nothing of
//! who uses it.
//!
//! Samples go to a [`Head`] in memory, compressed in small blocks. From time to time all heads are
//! frozen at one position of the journal and written to immutable segments, one for each class of
//! retention, sorted by series; the manifest then names them and that position in one step. After a
//! crash the journal's records from there on fill the heads again: nothing is lost and nothing is
//! there twice.
//!
//! [`Tsdb::range`] and [`Tsdb::last_n`] see heads, what is frozen, and segments as one. Samples may
//! come late and out of order, and two of the same time are both kept.
//!
//! Out of scope: it has no journal (its user keeps one), spawns no thread and reads no clock.
//! Damage is reported with path and offset by the read that meets it, and counted; other reads go
//! on. [`verify`] checks all bytes of a store that is not open.
//!
//! How long samples are kept is said by the [`RetentionClass`] that they come with. Segments hold one class
//! each, and whole ones are dropped by [`Tsdb::expire`].
//!
//! Neighboring segments of a class are merged, a piece at a time, by [`Tsdb::merge_step`].
//!
//! [`Tsdb::delete`] deletes single series: reads leave them out at once, merges do not write them again.
//!
//! Hourly aggregates of numbers are stored alongside them, in series of kinds of their own
//! ([`AggregatePart`]): parts of one time add up where they are read, merged and written.
//!
//! Bytes: `docs/format/segment.md`, `docs/format/manifest.md`.
#![warn(clippy::indexing_slicing)]

mod codec;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod head;
mod manifest;
mod segment;
mod series;
mod store;
mod verify;

pub use error::{Error, Result};
pub use head::{Handle, Head};
pub use manifest::SegmentInfo;
pub use series::{
    AggregatePart, BYTES_MAX, Order, PointValue, RetentionClass, SeriesKey, SeriesKind,
    StoredSamples,
};
pub use store::{Counters, Flushed, MergeStep, RecoveredStore, Shares, Tsdb, segments_in};
pub use verify::{Verified, VerifyEvent, verify};

#[cfg(test)]
mod tests;
