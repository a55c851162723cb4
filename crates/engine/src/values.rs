//! Where values live, as the engine uses it: the one place that names the store.
//!
//! Queries go through [`history::Store`]; beside it the shards have a [`HeadWriter`] each, and the
//! housekeeping writes out what a [`Values`] has in memory.

pub use history::{Embedded as Values, HeadWriter};
