//! What the API needs of the running server: traits that this crate owns and the program implements.
//!
//! All calls are made from threads that may wait a little, except those of [`LiveState`] and
//! [`Process`], which answer from memory at once and are also asked on the asynchronous runtime.

use std::fmt;
use std::sync::Arc;

pub use history::{Bucket, BucketQuery, RangeQuery};
use model::value::Sample;
use model::{ItemId, Time, TriggerId, UserId};
use thiserror::Error;

/// The parts of the server that answer.
#[derive(Clone)]
pub struct Ports {
    pub live: Arc<dyn LiveState>,
    pub history: Arc<dyn HistoryReads>,
    pub control: Arc<dyn Control>,
    pub process: Arc<dyn Process>,
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ports")
    }
}

/// What is known of an item right now.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ItemLive {
    /// The newest value.
    pub last: Option<Sample>,
    /// The one before.
    pub prev: Option<Sample>,
    pub is_unsupported: bool,
    /// Why it is unsupported, or what was wrong with a value that was refused.
    pub error: Option<Arc<str>>,
}

/// What is known of a trigger right now.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TriggerLive {
    pub is_problem: bool,
    /// Why its expression cannot be computed; `None`: it can.
    pub error: Option<Arc<str>>,
    /// When it last changed between OK and PROBLEM; zero = never.
    pub last_change: Time,
}

/// The newest values and states. Asked a million times for one answer: a memory access each.
pub trait LiveState: Send + Sync {
    /// The default for items that were never seen or do not exist.
    fn item(&self, id: ItemId) -> ItemLive;

    /// Whether an item is unsupported, without its values.
    fn is_unsupported(&self, id: ItemId) -> bool {
        self.item(id).is_unsupported
    }

    /// The default for triggers that were never computed.
    fn trigger(&self, id: TriggerId) -> TriggerLive;
}

#[derive(Debug, Error)]
pub enum HistoryError {
    #[error(transparent)]
    Store(#[from] history::Error),
    #[error("history is not available yet")]
    Starting,
}

/// Stored values. May wait for the disk. Every [`history::Store`] is one; the program may put one
/// in front that answers [`HistoryError::Starting`] until the store is open.
pub trait HistoryReads: Send + Sync {
    /// # Errors
    /// If the store fails.
    fn range(&self, query: &RangeQuery) -> Result<Vec<Sample>, HistoryError>;

    /// # Errors
    /// If the store fails.
    fn buckets(&self, query: &BucketQuery) -> Result<Vec<Bucket>, HistoryError>;
}

impl<S: history::Store> HistoryReads for S {
    fn range(&self, query: &RangeQuery) -> Result<Vec<Sample>, HistoryError> {
        Ok(history::Store::range(self, query)?.into_samples())
    }

    fn buckets(&self, query: &BucketQuery) -> Result<Vec<Bucket>, HistoryError> {
        Ok(history::Store::buckets(self, query)?)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ControlError {
    #[error("the server is too busy for this now, try again")]
    Busy,
    #[error("the server is stopping")]
    Stopping,
}

/// What users make the server do.
pub trait Control: Send + Sync {
    /// Polls items (or runs rules) as soon as possible, besides their interval. Items that are not
    /// polled are left out.
    ///
    /// # Errors
    /// If the queue for this is full; nothing was taken then.
    fn execute_now(&self, items: &[ItemId]) -> Result<(), ControlError>;

    /// Ends a problem by hand: its trigger's shard makes the recovery event.
    ///
    /// # Errors
    /// If the queue for this is full.
    fn close(&self, problem: &db::Problem, user: UserId) -> Result<(), ControlError>;
}

/// How far the server is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerState {
    Starting,
    /// The journal is read back.
    Replaying,
    /// Values are accepted.
    Running,
    Stopping,
}

impl ServerState {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Replaying => "replaying",
            Self::Running => "running",
            Self::Stopping => "stopping",
        }
    }
}

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

/// The process itself.
pub trait Process: Send + Sync {
    /// Our own version, for people.
    fn version(&self) -> &str;

    fn state(&self) -> ServerState;

    fn figures(&self) -> Figures;

    fn nvps(&self) -> Nvps;

    /// All metrics in Prometheus's text format.
    fn metrics(&self) -> String;
}
