//! Needs of alerting from the running server: traits that this crate owns and the program
//! implements.
//!
//! All calls are made from threads that may wait a little, except those of [`LiveState`], which answers from memory at once.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use alert::IpmiCommand;
use history::{Bucket, BucketQuery, RangeQuery, Trend, TrendQuery};
use lang::expression::Value as Computed;
use lang::functions::{Call, Foreach};
use model::content::IpmiLogin;
use model::document::Body;
use model::encryption::Encryption;
use model::snapshot::Snapshot;
use model::value::Sample;
use model::{HostId, ItemId, Time, TriggerId, ValueType};
use script::{Host, HostRequest, Script};
use thiserror::Error;
use wire::http::Response;

use crate::acknowledge_links::AcknowledgeLinks;
use crate::senders::outbound::{MessageError, Outbound, Sent, Transcript};

/// Sources of the facts of messages and commands, in addition to the database.
#[derive(Clone)]
pub struct AlertingPorts {
    pub live: Arc<dyn LiveState>,
    pub history: Arc<dyn HistoryReads>,
    pub functions: Arc<dyn FunctionValues>,
    pub commands: Arc<dyn Commands>,
    pub links: Arc<AcknowledgeLinks>,
}

impl fmt::Debug for AlertingPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AlertingPorts")
    }
}

/// The present state of an item.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ItemLive {
    /// The newest value.
    pub last: Option<Sample>,
    /// The one before.
    pub prev: Option<Sample>,
    pub is_unsupported: bool,
    /// Why it is not supported, or the defect of a value that was refused.
    pub error: Option<Arc<str>>,
}

/// The present state of a trigger.
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

    /// All items that are unsupported: mostly few of many.
    fn unsupported(&self) -> Vec<ItemId>;

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

/// A command to execute: macros are replaced, and the result is not expanded again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Of a shell, by a passive agent.
    Agent {
        address: String,
        port: u16,
        /// As the host wants to be connected to; `None`: not encrypted.
        encryption: Option<Arc<Encryption>>,
        command: String,
    },
    /// Of a shell, by a host's active agent, when it asks for its checks.
    ActiveAgent {
        host: HostId,
        command: String,
    },
    /// Of a shell, on the server's own machine.
    Server {
        command: String,
    },
    /// JavaScript. `parameters`: a JSON object, the script's `value`.
    Webhook {
        source: String,
        parameters: String,
        time: Duration,
    },
    Ssh {
        login: CommandLogin,
        key: Option<(String, String)>,
        command: String,
    },
    Telnet {
        login: CommandLogin,
        command: String,
    },
    /// To the controller of a host.
    Ipmi {
        address: String,
        port: u16,
        login: IpmiLogin,
        command: IpmiCommand,
    },
}

/// Where a command is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExecutionPlace {
    /// On the server's own machine.
    Server,
    /// On a host or its controller, by its agent or a login.
    Host,
    /// Within the server: JavaScript.
    Sandbox,
}

impl Command {
    #[must_use]
    pub fn place(&self) -> ExecutionPlace {
        match self {
            Self::Server { .. } => ExecutionPlace::Server,
            Self::Webhook { .. } => ExecutionPlace::Sandbox,
            Self::Agent { .. }
            | Self::ActiveAgent { .. }
            | Self::Ssh { .. }
            | Self::Telnet { .. }
            | Self::Ipmi { .. } => ExecutionPlace::Host,
        }
    }
}

/// The target and the user of commands.
#[derive(Clone, PartialEq, Eq)]
pub struct CommandLogin {
    pub address: String,
    pub port: u16,
    pub username: String,
    /// Of the user, or of the key.
    pub password: String,
}

impl fmt::Debug for CommandLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandLogin")
            .field("address", &self.address)
            .field("port", &self.port)
            .field("username", &self.username)
            .finish_non_exhaustive()
    }
}

/// Executes commands of users and actions. Takes as long as a timeout at most.
pub trait Commands: Send + Sync {
    /// Whether the settings allow commands there. Scripts that cannot be executed are not offered.
    fn allows(&self, _place: ExecutionPlace) -> bool {
        true
    }

    /// The output or the result.
    ///
    /// # Errors
    /// Why it was not executed, or how it ended, for people.
    fn execute(&self, command: &Command) -> Result<String, String>;

    /// The secret that a macro of type *Vault secret* names by its value, for the commands that are executed alone: nobody
    /// is shown it, and nothing keeps it.
    ///
    /// # Errors
    /// Why it is unavailable, for people: no such secret, or no vault.
    fn secret(&self, named: &str) -> Result<Arc<str>, String> {
        Err(format!("Cannot get the secret \"{named}\": there is no vault."))
    }
}

/// Stored values. May wait for the disk. Every [`history::Store`] is one; the program may put one
/// in front that answers [`HistoryError::Starting`] until the store is open.
pub trait HistoryReads: Send + Sync {
    /// # Errors
    /// If the store fails.
    fn range(&self, query: &RangeQuery) -> Result<Vec<Sample>, HistoryError>;

    /// Of many series at once, in the order of the queries.
    ///
    /// # Errors
    /// If the store fails.
    fn bucket_series(&self, queries: &[BucketQuery]) -> Result<Vec<Vec<Bucket>>, HistoryError>;

    /// # Errors
    /// If the store fails.
    fn trends(&self, queries: &[TrendQuery]) -> Result<Vec<Vec<Trend>>, HistoryError>;
}

impl<S: history::Store> HistoryReads for S {
    fn range(&self, query: &RangeQuery) -> Result<Vec<Sample>, HistoryError> {
        Ok(history::Store::range(self, query)?.into_samples())
    }

    fn bucket_series(&self, queries: &[BucketQuery]) -> Result<Vec<Vec<Bucket>>, HistoryError> {
        Ok(history::Store::bucket_series(self, queries)?)
    }

    fn trends(&self, queries: &[TrendQuery]) -> Result<Vec<Vec<Trend>>, HistoryError> {
        Ok(history::Store::trends(self, queries)?)
    }
}

/// Why something could not be tried out.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TrialError {
    /// The input of the user is invalid.
    #[error("{0}")]
    Refused(String),
    /// The device or a part of the server did not do its work.
    #[error("{0}")]
    Failed(String),
}

/// A function that is read for as a whole, at a point in time.
#[derive(Clone, Debug)]
pub struct TrialQuery {
    pub time: Time,
    pub what: TrialFunction,
}

#[derive(Clone, Debug)]
pub enum TrialFunction {
    /// Over many items, in a formula of this host.
    Many(HostId, Arc<Foreach>),
    /// Over trends of one item.
    Trend(ItemId, ValueType, Call),
}

/// Functions that are read for as a whole, not value by value.
pub trait FunctionValues: Send + Sync {
    /// The result of a function over many items or over trends. The inner error: it has no value,
    /// for this reason.
    ///
    /// # Errors
    /// If history cannot be read.
    fn evaluate(&self, query: &TrialQuery) -> Result<Result<Computed, String>, TrialError>;
}

/// Sends messages of media types.
pub trait Messages: Send + Sync {
    /// Sends one at once, on the thread of the caller.
    fn try_message(&self, trial: &MessageTrial) -> MessageReport;
}

/// A message to try a media type with.
#[derive(Clone, PartialEq, Debug)]
pub struct MessageTrial {
    pub media_type: u64,
    /// Of the media type.
    pub body: Body,
    pub is_script: bool,
    pub sendto: String,
    pub subject: String,
    pub message: String,
    /// Names and values in place of those of the media type.
    pub parameters: Option<Vec<(String, String)>>,
}

/// The result of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageReport {
    /// The result of a webhook or a script, or why nothing was sent.
    pub result: Result<Option<String>, String>,
    /// The exchange, with the author of each text: `server`, `peer` or `log`. Without secrets.
    pub exchange: Vec<(&'static str, String)>,
}

/// Makes a request of HTTP and waits for its answer.
pub trait HttpExchange: Send + Sync {
    /// # Errors
    /// As [`Host::exchange`].
    fn exchange(&self, request: &HostRequest<'_>) -> Result<Response, String>;
}

/// Wraps the host functions of a script, to record their calls.
pub type WrapHost = Arc<dyn Fn(Box<dyn Host>) -> Box<dyn Host> + Send + Sync>;

/// Runs scripts in processes of their own, off the threads of the server.
pub trait ScriptRuns: Send + Sync {
    /// Returns a runner, which runs one script after the other.
    fn begin(&self, wrap: WrapHost) -> Box<dyn ScriptRun>;

    /// Whether the server stops: nothing is kept for later.
    fn is_ending(&self) -> bool;
}

/// Runs one script after the other.
pub trait ScriptRun: Send {
    /// # Errors
    /// Why it has no result.
    fn run(
        &mut self,
        script: &Script,
        value: &str,
        time: Duration,
    ) -> Result<Option<String>, ScriptFault>;
}

/// Why a script has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptFault {
    pub text: String,
    /// Its time was over: it may still run.
    pub is_late: bool,
}

/// Sends messages by media types.
pub trait Mailer: Send + Sync {
    /// Blocking, until its deadline at most.
    ///
    /// # Errors
    /// Why it was not sent, and whether it may be later.
    fn send(
        &self,
        kind: &Body,
        message: &Outbound,
        transcript: &Transcript,
    ) -> Result<Sent, MessageError>;
}

/// Executes blocking work off the thread of a worker.
pub trait Background: Send + Sync {
    /// `work` contains its panics.
    fn begin(&self, name: &'static str, work: Box<dyn FnOnce() + Send>);
}

/// The queue of a shard is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the queue of the shard is full")]
pub struct ShardBusy;

/// Has problems closed by the shards of their triggers.
pub trait ProblemClosing: Send + Sync {
    /// Asks for a problem to be closed, which happens once, however often it is asked for. The
    /// returned receiver gets a message when it is done; `None`: there is nothing to close any
    /// more.
    ///
    /// # Errors
    /// It has to be asked for again.
    fn close(
        &self,
        problem: &db::Problem,
        snapshot: &Snapshot,
        now: Time,
    ) -> Result<Option<Receiver<()>>, ShardBusy>;
}
