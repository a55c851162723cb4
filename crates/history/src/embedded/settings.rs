//! Settings of the embedded store.

use std::sync::Arc;

use crate::store::Store;

/// When it writes, and how much it keeps.
#[derive(Debug, Clone)]
pub struct EmbeddedSettings {
    /// Flush after this much journal.
    pub flush_journal_bytes: u64,
    /// Flush after this many values.
    pub flush_values: u64,
    /// Values of a head are flushed before their blocks take more than this.
    pub head_bytes_max: u64,
    /// Segment files take no more: the oldest go. 0 for as much as there are.
    pub disk_budget_bytes: u64,
    /// Another store, fed from the journal, is history: only values that it has not stored yet are
    /// held, in memory.
    pub buffer_of: Option<Arc<dyn Store>>,
    /// Of a buffer: journal whose values are frozen together.
    pub release_journal_bytes: u64,
}

impl Default for EmbeddedSettings {
    fn default() -> Self {
        Self {
            // Some 64 to 100 million values, of which a start reads 10 million a second.
            flush_journal_bytes: 512 << 20,
            // 300 MB in blocks, a minute of a million values a second.
            flush_values: 60_000_000,
            // As much as a head can address.
            head_bytes_max: u32::MAX.into(),
            disk_budget_bytes: 0,
            buffer_of: None,
            // Two million values, some 20 MB of memory.
            release_journal_bytes: 16 << 20,
        }
    }
}
