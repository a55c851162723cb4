//! Where values live, as the engine uses it: the one place that names the store.
//!
//! Queries go through [`history::Store`]; in addition the shards have a [`HeadWriter`] each, and
//! the housekeeping writes out what a [`SharedLiveStore`] has in memory.

use std::sync::Arc;

use history::{LiveStore, Writer};

/// The store that shards write to as they go.
pub type SharedLiveStore = Arc<dyn LiveStore>;
/// One shard's way to write.
pub type HeadWriter = Box<dyn Writer>;
