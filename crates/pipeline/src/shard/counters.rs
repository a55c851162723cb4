//! Counters of a shard.

/// Counters of a shard, all since start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Rows taken in by batches.
    pub values: u64,
    /// Of these, refused: unknown or older slot, disabled item, impossible time.
    pub refused: u64,
    /// Of these, for their time.
    pub refused_times: u64,
    /// Values dropped because their host is in maintenance without data collection.
    pub in_maintenance: u64,
    /// Values dropped because their item had one of the same nanosecond.
    pub repeated: u64,
    /// Texts of which only the beginning was kept.
    pub texts_cut: u64,
    /// Values that left their item unsupported, or kept it so.
    pub unsupported: u64,
    /// Evaluations of triggers and calculated items.
    pub evaluations: u64,
    /// Evaluation times dropped because too many waited for history.
    pub deferred_dropped: u64,
    /// Open problems forgotten: more than 10,000 of one trigger.
    pub open_dropped: u64,
    /// Values skipped because dependants were nested too deep.
    pub too_deep: u64,
    /// Texts dropped because one step held 4 GiB.
    pub texts_dropped: u64,
    /// Steps that were run elsewhere, and answers that came too late.
    pub heavy_jobs: u64,
    pub heavy_ignored: u64,
    /// Values refused because too many of their item, or of the shard, waited for such steps.
    pub pending_refused: u64,
    /// Values dropped while they waited: their item was disabled or deleted, or its steps changed.
    pub pending_dropped: u64,
    /// Fetches from history, and of these, expired or failed.
    pub fetches: u64,
    pub fetches_failed: u64,
    /// Queries for many items or trends, and calculated values left out because the fetch
    /// before had no answer yet.
    pub cross_item_queries: u64,
    pub cross_item_queries_skipped: u64,
    /// Expression macros of event names that history did not answer in time for.
    pub event_name_macros_unknown: u64,
    /// Forwarded batches dropped as repeats.
    pub forwards_repeated: u64,
    pub rows: RowCounters,
}

/// Results of rows of documents for other hosts, all since start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RowCounters {
    /// On their way to an item.
    pub sent: u64,
    /// Taken by an item of this shard.
    pub taken: u64,
    /// They name no host.
    pub nameless: u64,
    pub unknown_host: u64,
    /// The host has no such item.
    pub unknown_item: u64,
    /// The item takes no rows: it does not take pushed values, or from certain hosts only, is
    /// disabled, or hands rows on itself.
    pub not_taking: u64,
    /// Several hosts with the address have such an item.
    pub ambiguous: u64,
    /// Sent, but the item was deleted or disabled meanwhile, its time impossible, or too many of its
    /// values waited.
    pub refused: u64,
}

/// Sizes of queues and tables right now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    pub hosts: usize,
    pub slots: usize,
    pub items_with_state: usize,
    pub triggers_deferred: usize,
    pub evaluations_deferred: usize,
    pub fetches_waiting: usize,
    pub fetches_under_way: usize,
    /// Items with values that wait for steps run elsewhere, these values, and their bytes.
    pub items_pending: usize,
    pub values_pending: usize,
    pub bytes_pending: usize,
    pub heavy_under_way: usize,
    pub cross_item_queries_under_way: usize,
    /// Events that wait for their names.
    pub events_awaiting_names: usize,
}
