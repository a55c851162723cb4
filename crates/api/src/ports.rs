//! The API's needs of the running server: traits that this crate owns and the program implements.
//!
//! All calls are made from threads that may wait a little, except those of [`LiveState`] and
//! [`Process`], which answer from memory at once and are also asked on the asynchronous runtime, and
//! pushes, which wait there for the journal.

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

pub use alert::IpmiCommand;
pub use history::{
    Bucket, BucketQuery, FileStats, RangeQuery, Shares, StoredKind, Trend, TrendQuery,
};
use lang::backtest::BacktestReport;
pub use model::figures::{
    CollectorFigures, DeviceFigures, Figures, ItemFigures, Nvps, QUEUE_CLASSES_S, QueueFigures,
    ShardFigures,
};
use model::push::PushedValue;
use model::snapshot::{Host, Snapshot, TriggerRow};
use model::{HostId, ItemId, Time, UserId};
pub use rt::health::HealthIssue;
pub use rt::worker::WorkerState;
use script::Scripts;
use thiserror::Error;

use alerting::acknowledge_links::AcknowledgeLinks;
use alerting::ports::AlertingPorts;
pub use alerting::ports::{
    Command, CommandLogin, Commands, ExecutionPlace, FunctionValues, HistoryError, HistoryReads,
    ItemLive, LiveState, MessageReport, MessageTrial, Messages, TrialError, TrialFunction,
    TrialQuery, TriggerLive,
};

/// The parts of the server that answer.
#[derive(Clone)]
pub struct Ports {
    pub live: Arc<dyn LiveState>,
    pub history: Arc<dyn HistoryReads>,
    pub control: Arc<dyn Control>,
    pub process: Arc<dyn Process>,
    pub trials: Arc<dyn Trials>,
    pub storage: Arc<dyn Storage>,
    pub polling: Arc<dyn Polling>,
    pub commands: Arc<dyn Commands>,
    pub messages: Arc<dyn Messages>,
    pub links: Arc<AcknowledgeLinks>,
    pub push: Arc<dyn Push>,
    pub series: Arc<dyn SeriesPush>,
}

impl Ports {
    /// The values that alerting asks for.
    #[must_use]
    pub fn of_alerting(&self) -> AlertingPorts {
        AlertingPorts {
            live: Arc::clone(&self.live),
            history: Arc::clone(&self.history),
            functions: Arc::clone(&self.trials) as _,
            commands: Arc::clone(&self.commands),
            links: Arc::clone(&self.links),
        }
    }
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ports")
    }
}

/// The stores of history, and their disk use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StorageFigures {
    /// The server's own store keeps history; else it lies in stores elsewhere alone.
    pub keeps_history: bool,
    /// Of the own store.
    pub files: Vec<FileStats>,
    pub journal_bytes: u64,
    /// The name of the database, and its bytes where they are known.
    pub database: (&'static str, Option<u64>),
    /// Free and all bytes of the data directory's file system.
    pub disk: Option<(u64, u64)>,
    /// Of files of history; 0: as much as there is.
    pub budget_bytes: u64,
    /// Stores elsewhere that are fed, and whether they are read.
    pub stores: Vec<(&'static str, bool)>,
}

/// Asked now and then, by super admins.
pub trait Storage: Send + Sync {
    fn figures(&self) -> StorageFigures;

    /// The items' shares of the own store's files, reading at most this many bytes.
    fn shares(&self, read_max: u64) -> Shares;
}

/// The figures of polling, for super admins.
pub trait Polling: Send + Sync {
    /// With at most `n_max` of the latest items; empty until there is polling.
    fn queue(&self, n_max: usize) -> QueueFigures;
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ControlError {
    #[error("the server is too busy for this now, try again")]
    Busy,
    #[error("the server is stopping")]
    Stopping,
    /// Some items can't be polled, each for a reason; the others are.
    #[error("{}", .0.first().map_or("", |it| it.1.as_str()))]
    Items(Vec<(ItemId, String)>),
}

/// Commands of users to the server.
pub trait Control: Send + Sync {
    /// Polls items (or runs rules) as soon as possible, besides their interval.
    ///
    /// # Errors
    /// [`ControlError::Items`] names each item that is not polled, with the reason; the others are. With
    /// other errors none is polled.
    fn execute_now(&self, items: &[ItemId]) -> Result<(), ControlError>;

    /// Deletes all values of items that the server's own store has now.
    ///
    /// # Errors
    /// If the store can't do it now; nothing was deleted then.
    fn clear_history(&self, items: &[ItemId]) -> Result<(), HistoryError>;

    /// Ends a problem by hand: its trigger's shard makes the recovery event.
    ///
    /// # Errors
    /// If the queue for this is full.
    fn close(&self, problem: &db::Problem, user: UserId) -> Result<(), ControlError>;
}

/// The result of a pushed value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PushVerdict {
    /// `None`: there is no such item, or the user may not know of it.
    pub item: Option<ItemId>,
    /// Why it was not taken.
    pub error: Option<String>,
}

/// The user who pushes values, and the data about hosts that the server does not know.
pub struct Pusher<'a> {
    /// Where the request comes from.
    pub peer: Option<IpAddr>,
    /// Whether the user may see a host.
    pub may_read: &'a (dyn Fn(&Host) -> bool + Sync),
    /// Whether no values of this time are taken of a host because of a maintenance.
    pub is_without_data: &'a (dyn Fn(HostId, Time) -> bool + Sync),
}

impl fmt::Debug for Pusher<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pusher").field("peer", &self.peer).finish_non_exhaustive()
    }
}

/// A push on its way to the journal. If it is dropped before its end, it is unknown which values are written.
pub type Pushing<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Takes values that users push.
pub trait Push: Send + Sync {
    /// Ends when the accepted values are written; a verdict for each value, in their order. Some microseconds
    /// a value are not waited but computed.
    ///
    /// # Errors
    /// If it is unknown which of them are written, in words for the user.
    fn push<'a>(
        &'a self,
        values: &'a [PushedValue<'a>],
        pusher: &'a Pusher<'a>,
    ) -> Pushing<'a, Result<Vec<PushVerdict>, String>>;
}

/// Of which protocol a request with series is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeriesProtocol {
    /// Prometheus's remote write 1.0.
    RemoteWrite,
    /// … 2.0.
    RemoteWrite2,
    /// OpenTelemetry's metrics, as protobuf.
    Otlp,
    /// … as JSON.
    OtlpJson,
}

/// The user who pushes series.
pub struct SeriesPusher<'a> {
    /// Whether the user may push values of a host.
    pub may_write: &'a (dyn Fn(&Host) -> bool + Sync),
    /// Whether hosts are made for the user.
    pub may_create: bool,
}

impl fmt::Debug for SeriesPusher<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeriesPusher").field("may_create", &self.may_create).finish_non_exhaustive()
    }
}

/// An answer of HTTP in the words of a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesAnswer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// Takes series of Prometheus and OpenTelemetry.
pub trait SeriesPush: Send + Sync {
    /// As [`Self::push`], of a small body, on a thread that may only wait for the journal. `None`: it would
    /// have to wait for more, such as items of new series, and nothing is done.
    fn push_here<'a>(
        &'a self,
        protocol: SeriesProtocol,
        body: &'a [u8],
        pusher: &'a SeriesPusher<'a>,
    ) -> Pushing<'a, Option<SeriesAnswer>>;

    /// Returns when the accepted samples are written. `body` is as it was sent, but for gzip.
    fn push(
        &self,
        protocol: SeriesProtocol,
        body: &[u8],
        pusher: &SeriesPusher<'_>,
    ) -> SeriesAnswer;
}

/// The needs of tests of the running server. Nothing here changes live state.
pub trait Trials: FunctionValues {
    /// Runs the scripts of one trial on the thread of the caller.
    fn scripts(&self) -> Box<dyn Scripts>;

    /// Asks a host for the value of an item now.
    fn fetch(&self, query: &FetchQuery) -> FetchReport;

    /// The address of a host's address or name, if requests of users may go there.
    ///
    /// # Errors
    /// If there is none, or the settings deny it.
    fn address(&self, name: &str) -> Result<IpAddr, TrialError>;

    /// # Errors
    /// If the trigger cannot be evaluated, or history cannot be read.
    fn backtest(&self, query: &BacktestQuery) -> Result<BacktestOutcome, TrialError>;
}

/// An item to poll. The snapshot may hold an item that is not saved.
#[derive(Clone, Debug)]
pub struct FetchQuery {
    pub snapshot: Arc<Snapshot>,
    pub host: HostId,
    pub item: ItemId,
}

/// The result of polling an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FetchReport {
    /// The inner error: the item is not supported, for this reason. The outer one: the host does not answer, or items of the
    /// type cannot be asked for.
    pub value: Result<Result<String, String>, TrialError>,
    /// The exchange, for items of some types; also if there is no value. Without secrets.
    pub exchange: Vec<ExchangeLine>,
}

/// Something that was said while a host was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExchangeLine {
    /// `server`, `peer` or `log`.
    pub by: &'static str,
    pub text: String,
    /// Bytes of it, and of following ones by the same side, that are not shown.
    pub left_out: usize,
}

/// A trigger to evaluate over stored values.
#[derive(Clone, Debug)]
pub struct BacktestQuery {
    pub snapshot: Arc<Snapshot>,
    pub host: HostId,
    /// Need not be saved; then it has no id.
    pub trigger: TriggerRow,
    /// Changes at `from < time <= until` are wanted.
    pub from: Time,
    pub until: Time,
    /// Between the run and its caller.
    pub watch: Arc<BacktestWatch>,
}

/// The progress of a backtest, and whether a client waits for it.
#[derive(Debug, Default)]
pub struct BacktestWatch {
    is_cancelled: AtomicBool,
    /// Thousandths of the tested time; 0 while values are read.
    done: AtomicI64,
    /// The reached point in time, nanoseconds since 1970.
    reached: AtomicI64,
}

impl BacktestWatch {
    /// No client waits for the answer any more: the run ends as soon as it can.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// The run is at `time`; it began at `from` and ends at `until`.
    pub fn reach(&self, time: Time, (from, until): (Time, Time)) {
        let thousandth = (until.since_ns(from) / 1_000).max(1);
        let done = time.since_ns(from) / thousandth;
        self.reached.store(time.0, Ordering::Relaxed);
        self.done.store(done.clamp(1, 1_000), Ordering::Relaxed);
    }

    /// Thousandths that are done and the time reached; `None` while values are read.
    #[must_use]
    pub fn reached(&self) -> Option<(i64, Time)> {
        let done = self.done.load(Ordering::Relaxed);
        (0 < done).then(|| (done, Time(self.reached.load(Ordering::Relaxed))))
    }
}

/// The result of a trigger's run over stored values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BacktestOutcome {
    pub report: BacktestReport,
    /// Why the run ended early, if it did.
    pub ended_reason: Option<String>,
    /// The first stored value of all items: nothing can be missing before.
    pub stored_since: Option<Time>,
}

/// The phase of the server.
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

/// The process itself.
pub trait Process: Send + Sync {
    /// Our own version, for people.
    fn version(&self) -> &str;

    fn state(&self) -> ServerState;

    /// The present issues, for operators.
    fn issues(&self) -> Vec<HealthIssue> {
        Vec::new()
    }

    /// The phase of the server, and once it runs, its health.
    fn said(&self) -> &'static str {
        let worst = self.issues().iter().map(|it| it.level).max();
        match (self.state(), worst) {
            (ServerState::Running, Some(level)) => level.as_str(),
            (state, _) => state.as_str(),
        }
    }

    fn figures(&self) -> Figures;

    fn nvps(&self) -> Nvps;

    /// The workers that run, by name.
    fn workers(&self) -> Vec<WorkerState> {
        Vec::new()
    }

    /// All metrics in Prometheus's text format.
    fn metrics(&self) -> String;
}
