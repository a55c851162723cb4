//! Interfaces from the collectors to the rest of the process: each a trait for its owner to
//! implement.
//!
//! All of these are called from tasks of the async runtime: they answer from memory and wait for
//! nothing, except [`LocalAgent::get`], which runs in the pool for blocking work.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use model::batch::OwnedRaw;
use model::content::Interface;
use model::key::ItemKey;
use model::{HostId, InterfaceId, ItemId, Time};
use rt::reading::Reading;
use thiserror::Error;
use wire::http::{ConnectionAuth, Response};

use crate::transcript::Transcript;

/// The result of a check: a value, [`OwnedRaw::Nothing`] for none, or [`OwnedRaw::Error`] with the
/// reason why the item is not supported.
pub type CheckAnswer = OwnedRaw;

/// An item that is not supported, for this reason.
#[must_use]
pub fn not_supported(reason: impl Into<String>) -> CheckAnswer {
    OwnedRaw::Error(reason.into())
}

/// Answers internal items, `zabbix[...]`.
pub trait Internals: Send + Sync {
    /// The value of a key as an item of `host`. Keys about queue, availability and a host's own
    /// items never get here: the collectors know them.
    fn value(&self, key: &ItemKey, host: HostId) -> CheckAnswer;
}

/// Answers agent keys inside the process, instead of an agent across the network.
pub trait LocalAgent: Send + Sync {
    /// Whether checks of this interface are answered here.
    fn serves(&self, host: HostId, interface: &Interface) -> bool;
    /// The value of an expanded key. May block; called in the pool for blocking work, with the
    /// item's time-out.
    fn get(&self, key: &str) -> CheckAnswer;
}

/// An active agent that asks for its checks, as it names itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Registration {
    /// Technical name.
    pub host: String,
    pub metadata: String,
    /// The address that it listens on: the one that it gives, or the one that it connects from.
    pub ip: String,
    /// "" if it names none.
    pub dns: String,
    pub port: u16,
    /// The address that it wants to be reached by: 0 not given, 1 the IP, 2 the DNS name.
    pub flags: u8,
    /// The encryption of its connection: 1 none, 2 by the key of autoregistration.
    pub tls_accepted: u8,
}

/// Receives each active agent that asks for its checks.
pub trait Registrations: Send + Sync {
    /// `from`: the address of the connection.
    fn asked(&self, said: Registration, from: IpAddr);
}

/// Whether a host is in maintenance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HostMaintenance {
    #[default]
    No,
    WithData,
    /// Only internal items are checked.
    WithoutData,
}

impl HostMaintenance {
    /// The code of `zabbix[host,,maintenance]`.
    #[must_use]
    pub fn code(self) -> u64 {
        match self {
            Self::No => 0,
            Self::WithData => 1,
            Self::WithoutData => 2,
        }
    }
}

/// Hosts in maintenance.
pub trait Maintenances: Send + Sync {
    fn of(&self, host: HostId) -> HostMaintenance;
}

/// State of items beyond their configuration.
pub trait ItemStates: Send + Sync {
    /// How far a log item was read.
    fn log_position(&self, item: ItemId) -> LogPosition;
    /// How many items of a host are not supported now.
    fn n_unsupported(&self, host: HostId) -> u64;
}

/// How far a log item was read; the agent continues from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LogPosition {
    /// Bytes of the file.
    pub lastlogsize: u64,
    /// Seconds since 1970.
    pub mtime: i64,
}

/// Whether a device answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Available {
    #[default]
    Unknown,
    Yes,
    No,
}

impl Available {
    /// As in the API: 0 unknown, 1 available, 2 not available.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Unknown => 0,
            Self::Yes => 1,
            Self::No => 2,
        }
    }

    /// The inverse of [`Available::code`]; other codes are unknown.
    #[must_use]
    pub fn from_code(code: u8) -> Self {
        match code {
            1 => Self::Yes,
            2 => Self::No,
            _ => Self::Unknown,
        }
    }
}

/// The availability of an interface, as the API shows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InterfaceState {
    pub available: Available,
    /// Why it does not answer; empty if it does.
    pub error: String,
    /// First of the failures in a row; zero = none.
    pub errors_from: Time,
    /// When it is asked again; zero = it is not failing.
    pub disable_until: Time,
}

/// Stores and shows the availability of hosts.
pub trait AvailabilitySink: Send + Sync {
    /// The last reported state, also from before a restart.
    fn interface(&self, interface: InterfaceId) -> InterfaceState;
    /// The state has changed.
    fn set_interface(&self, interface: InterfaceId, state: InterfaceState);
    /// The active agent of a host appeared or fell silent.
    fn set_active_agent(&self, host: HostId, available: Available);
}

/// Makes single HTTP exchanges. The caller handles redirects, cookies and authentication.
pub trait HttpClient: Send + Sync {
    /// Ends when the request's time is over, which begins with its turn: a server gets as many
    /// requests at once as it keeps up with.
    ///
    /// # Errors
    /// The failure, in the words of curl: no answer in time, no connection, a certificate that is
    /// not trusted, a body that is too long.
    fn exchange(&self, request: HttpRequest) -> HttpAnswer<'_>;
}

/// The result of [`HttpClient::exchange`].
pub type HttpAnswer<'a> = Pin<Box<dyn Future<Output = Result<HttpExchange, String>> + Send + 'a>>;

/// A finished exchange.
#[derive(Debug)]
pub struct HttpExchange {
    pub answer: Response,
    /// The time that it took from its turn on.
    pub time: Duration,
    /// The memory of the answer's body, until it is dropped.
    pub reading: Option<Reading>,
}

/// One HTTP exchange.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    pub method: String,
    /// `http` or `https`.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// `None`: no body at all.
    pub body: Option<Vec<u8>>,
    /// URL of the proxy; empty: none.
    pub proxy: String,
    pub tls: HttpTls,
    /// Authentication that is not a header of its own.
    pub auth: Option<ConnectionAuth>,
    /// Time from its turn until the whole answer has arrived.
    pub time: Duration,
    /// Longest body of an answer.
    pub body_bytes_max: usize,
}

/// How the server is verified, and the client's certificate.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HttpTls {
    /// Whether the server's certificate is checked.
    pub verify_peer: bool,
    /// Whether the name of the server is checked.
    pub verify_host: bool,
    /// The client's certificate; empty: none.
    pub cert_file: String,
    pub key_file: String,
    pub key_password: String,
}

/// Values of macros of type *Vault secret*.
pub trait Secrets: Send + Sync {
    /// The secret that a macro's value names, `path:key`.
    ///
    /// # Errors
    /// Why there is none, for the users of the item: never with the secret's text.
    fn secret(&self, named: &str) -> Result<Arc<str>, String>;
}

/// Runs scripts of items.
pub trait ScriptHost: Send + Sync {
    /// The result; `None`: the script returned null. Ends soon after the request's time, whatever
    /// the script does.
    ///
    /// # Errors
    /// The error of the script, or the reason why it cannot be run.
    fn run(&self, request: ScriptRequest) -> ScriptAnswer<'_>;

    /// As [`ScriptHost::run`], for a script that is tested: its log, requests and answers go to the
    /// transcript.
    ///
    /// # Errors
    /// As [`ScriptHost::run`].
    fn run_with_transcript(
        &self,
        request: ScriptRequest,
        transcript: &Transcript,
    ) -> ScriptAnswer<'_>;
}

/// The result of [`ScriptHost::run`].
pub type ScriptAnswer<'a> =
    Pin<Box<dyn Future<Output = Result<Option<String>, ScriptError>> + Send + 'a>>;

/// A script and its input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptRequest {
    /// The body of a function of `value`.
    pub source: String,
    pub value: String,
    /// Its time, including requests and waiting.
    pub time: Duration,
}

/// Why a script has no result, in the words of Zabbix.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ScriptError {
    #[error("Cannot initialize scripting environment: {0}")]
    Environment(String),
    #[error("Cannot compile script: {0}")]
    Compile(String),
    #[error("Cannot execute script: {0}")]
    Execute(String),
}

/// Runs commands of items on other machines.
pub trait RemoteShells: Send + Sync {
    /// The output of the command. Ends soon after its time.
    ///
    /// # Errors
    /// Why there is nothing, in words for the user.
    fn run(&self, command: ShellCommand) -> ShellAnswer<'_>;

    /// As [`RemoteShells::run`], for an item that is tested: the login, the command, its output and
    /// its end go to the transcript, which hides the password already.
    ///
    /// # Errors
    /// As [`RemoteShells::run`].
    fn run_with_transcript(
        &self,
        command: ShellCommand,
        transcript: &Transcript,
    ) -> ShellAnswer<'_>;
}

/// The result of [`RemoteShells::run`].
pub type ShellAnswer<'a> = Pin<Box<dyn Future<Output = Result<Printed, String>> + Send + 'a>>;

/// The output of a command.
#[derive(Debug)]
pub struct Printed {
    pub bytes: Vec<u8>,
    /// Memory of the answer, until the value is handed over.
    pub room: Option<Reading>,
}

/// A command, and its machine.
#[derive(Clone, PartialEq, Eq)]
pub struct ShellCommand {
    pub way: ShellWay,
    pub address: IpAddr,
    pub port: u16,
    pub username: String,
    /// The password of the user, or of the key.
    pub password: String,
    /// Lines end as on Unix.
    pub command: String,
    pub time: Duration,
}

impl std::fmt::Debug for ShellCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShellCommand")
            .field("way", &self.way)
            .field("address", &self.address)
            .field("port", &self.port)
            .field("username", &self.username)
            .finish_non_exhaustive()
    }
}

/// How a command is transported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShellWay {
    Ssh {
        /// Names of the files of the public and the private key; `None`: with the password.
        key: Option<(String, String)>,
        /// `KexAlgorithms=…;Ciphers=…`
        options: String,
        /// Used instead of a shell; empty: none.
        subsystem: String,
    },
    Telnet,
}
