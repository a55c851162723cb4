//! How a server is doing, in numbers.

/// Figures of the whole server.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figures {
    pub uptime_s: u64,
    /// Values processed since the start.
    pub values_total: u64,
    /// Over the last seconds.
    pub values_per_second: f64,
    /// What the update intervals of all polled items add up to.
    pub required_values_per_second: f64,
    pub items_unsupported: u64,
    pub journal_bytes: u64,
    /// By how much the slowest reader of the journal is behind.
    pub journal_lag_ms: u64,
    pub shards: Vec<ShardFigures>,
    /// Items whose check is late by more than ten seconds.
    pub queue_overdue: u64,
    pub memory_bytes: u64,
    /// Of one core; more than 100 with several.
    pub cpu_percent: f64,
}

/// Figures of one shard.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ShardFigures {
    pub id: u32,
    pub busy_percent: f64,
    /// Batches that wait.
    pub queue: u64,
}

/// Values per second over the last hour or so, oldest first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Nvps {
    /// Seconds since 1970.
    pub times: Vec<i64>,
    pub values: Vec<f64>,
}
