//! The interface from an engine to its host, and the limits of a run.

use std::time::Duration;

use wire::http::{ConnectionAuth, Response};

/// Limits of one run.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time from the beginning, waiting for requests and sleeping included.
    pub time: Duration,
    /// Heap of everything that the engine keeps, in bytes.
    pub memory_bytes: usize,
    /// Stack of the script, in bytes; the thread must have as much and a megabyte more.
    pub stack_bytes: usize,
    /// Result, in bytes.
    pub result_bytes: usize,
    /// All log messages of a run together, in bytes.
    pub log_bytes: usize,
    /// `HttpRequest` objects of a run.
    pub requests: usize,
    /// Body of an answer, in bytes.
    pub body_bytes: usize,
    /// `Browser` objects of a run.
    pub browsers: usize,
}

impl Default for Limits {
    /// The limits that official scripts assume.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(10),
            memory_bytes: 512 << 20,
            stack_bytes: 512 << 10,
            result_bytes: 64 << 20,
            log_bytes: 8 << 20,
            requests: 10,
            body_bytes: 64 << 20,
            browsers: 4,
        }
    }
}

/// One HTTP exchange: redirects, cookies and digests are done by the engine.
#[derive(Debug, Clone)]
pub struct HostRequest<'a> {
    /// Method, as the script gave it.
    pub method: &'a str,
    /// `http` or `https`.
    pub url: &'a str,
    /// Names and values.
    pub headers: &'a [(String, String)],
    /// `None`: no body at all.
    pub body: Option<&'a [u8]>,
    /// URL of the proxy; empty: none.
    pub proxy: &'a str,
    /// Authentication that is not a header of its own.
    pub auth: Option<&'a ConnectionAuth>,
    /// Time until the whole answer has arrived.
    pub time: Duration,
    /// Longest body of an answer, in bytes; a longer one is an error.
    pub body_bytes_max: usize,
}

/// A program that controls browsers by W3C's WebDriver protocol.
pub trait WebDriver {
    /// Begins a session. An implementation closes a session that opens after the time-out.
    ///
    /// # Errors
    /// Why the driver did not answer, in words for the user.
    fn open(&mut self, capabilities: &str, time: Duration) -> Result<Opened, String>;

    /// Executes a command of a session.
    ///
    /// # Errors
    /// Why the driver did not answer, in words for the user.
    fn call(&mut self, command: &WebDriverCommand<'_>) -> Result<Response, String>;

    /// Ends sessions. Returns within a second, whatever the driver does.
    fn close(&mut self, sessions: Vec<String>);
}

/// A driver's answer to a request for a session.
#[derive(Debug, Clone)]
pub struct Opened {
    /// Id of the session; `None`: there is none, and the answer says why.
    pub session: Option<String>,
    pub answer: Response,
}

/// A command of a session.
#[derive(Debug, Clone)]
pub struct WebDriverCommand<'a> {
    /// Id of the session.
    pub session: &'a str,
    /// `GET` or `POST`.
    pub method: &'a str,
    /// The path after the session's, such as `/url`.
    pub path: &'a str,
    /// JSON; `None`: no body.
    pub body: Option<String>,
    /// Time until the whole answer has arrived.
    pub time: Duration,
    /// Longest body of an answer, in bytes; a longer one is an error.
    pub body_bytes_max: usize,
}

/// The environment of a script.
pub trait Host {
    /// A monotonic clock, in nanoseconds.
    fn now_ns(&self) -> u64;

    /// Whether runs have to end at once, as if their time were over.
    fn is_stopping(&self) -> bool {
        false
    }

    /// Waits.
    fn sleep(&mut self, time: Duration);

    /// A message for the log. `level` is Zabbix's: 0 information, 1 critical, 2 error, 3 warning,
    /// 4 debugging, 5 tracing.
    fn log(&mut self, level: i32, text: &str);

    /// Does one exchange.
    ///
    /// # Errors
    /// The failure, for the user: no answer in time, no connection, a certificate that is not
    /// trusted, a body that is too long.
    fn exchange(&mut self, request: &HostRequest<'_>) -> Result<Response, String>;

    /// RSA signature (PKCS #1 v1.5) of the SHA-256 hash of `data`. `key` is DER: PKCS #1 or PKCS #8.
    ///
    /// # Errors
    /// What is wrong with the key.
    fn sign(&mut self, key: &[u8], data: &[u8]) -> Result<Vec<u8>, String>;

    /// The driver of the browsers of scripts; `None`: they have no `Browser`.
    fn web_driver(&mut self) -> Option<&mut dyn WebDriver> {
        None
    }
}
