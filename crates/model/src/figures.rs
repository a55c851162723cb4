//! Figures of a server: those that collectors and shards count, and those that the API shows.

use std::time::Duration;

use crate::content::ItemType;
use crate::{HostId, InterfaceId, ItemId, Time};

/// Figures of the whole server.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figures {
    pub uptime_s: u64,
    /// Values processed since the start.
    pub values_total: u64,
    /// Over the last seconds.
    pub values_per_second: f64,
    /// The sum of the update frequencies of all polled items.
    pub required_values_per_second: f64,
    pub items_unsupported: u64,
    pub journal_bytes: u64,
    /// The lag of the slowest reader of the journal.
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

/// Seconds of lateness from which the columns of the queue count, each up to the next.
pub const QUEUE_CLASSES_S: [u32; 6] = [5, 10, 30, 60, 300, 600];

/// The queue at one moment, and the costs of checks. Items of devices that do not answer are left out: they
/// wait for one probe.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct QueueFigures {
    pub time: Time,
    /// Late checks by type of item and class of lateness; types without any are left out.
    pub kinds: Vec<(ItemType, [u64; QUEUE_CLASSES_S.len()])>,
    pub n_late: u64,
    /// The due times of the latest items, the longest waiting first.
    pub latest: Vec<(ItemId, Time)>,
    pub collectors: Vec<CollectorFigures>,
    /// The slowest devices, and the costliest ones, in no order.
    pub devices: Vec<DeviceFigures>,
    /// Items whose checks take most time, costliest first.
    pub items: Vec<ItemFigures>,
    /// Costs are those of this time, at most.
    pub period: Duration,
}

/// A collector at work.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CollectorFigures {
    pub name: &'static str,
    /// Conversations under way, and how many there may be.
    pub n_jobs: usize,
    pub jobs_max: usize,
    pub n_checks: u64,
    pub n_timeouts: u64,
    /// Time of all its conversations.
    pub busy: Duration,
    /// Devices that do not answer now.
    pub n_failing: u64,
}

/// The cost of a collector's exchanges with a device.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DeviceFigures {
    pub host: HostId,
    /// None for checks without interface.
    pub interface: InterfaceId,
    pub collector: &'static str,
    pub is_failing: bool,
    pub n_jobs: u32,
    pub n_checks: u32,
    /// Checks without an answer, and checks that ended by their time-out.
    pub n_failed: u32,
    pub n_timeouts: u32,
    /// Of a conversation.
    pub mean: Duration,
    pub max: Duration,
    /// An item of the longest one.
    pub slowest: ItemId,
    /// Of the time of all conversations, 0 to 1.
    pub share: f64,
}

/// The cost of an item's checks, by samples.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ItemFigures {
    pub item: ItemId,
    /// Of the time of all conversations, 0 to 1.
    pub share: f64,
    pub mean: Duration,
    pub max: Duration,
}
