//! Embedded history engine: heads, segments, manifest; knows series, time, value, and nothing of
//! who uses it.
//!
//! Samples go to a [`Head`] in memory, compressed in small blocks. From time to time all heads are
//! frozen at one position of the journal and written to an immutable segment, sorted by series; the
//! manifest then names the segment and that position in one step. After a crash the journal's
//! records from there on fill the heads again: nothing is lost and nothing is there twice.
//!
//! [`Tsdb::range`] and [`Tsdb::last_n`] see heads, what is frozen, and segments as one. Samples may
//! come late and out of order, and two of the same time are both kept.
//!
//! What it does not do: it has no journal (its user keeps one), spawns no thread and reads no
//! clock. Damage is reported with path and offset by the read that meets it, and counted; other
//! reads go on.
//!
//! Places kept for what comes later: merging of segments (a `level` in the manifest; a merge writes
//! a segment like any other and replaces several entries in one switch), retention (a `class` in
//! the manifest; a segment then holds one class and goes as a whole), trends (series of their own).
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

pub use error::{Error, Result};
pub use head::{Handle, Head};
pub use manifest::SegmentInfo;
pub use series::{BYTES_MAX, Order, Samples, SeriesKey, SeriesKind, Value};
pub use store::{Counters, Flushed, Recovered, Tsdb};

#[cfg(test)]
mod tests;
