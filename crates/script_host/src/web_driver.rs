//! The WebDriver of browser items: a separate program that controls browsers.
//!
//! Each exchange has a thread of its own, so that its caller can leave when the time is over or the
//! process ends, whatever the driver does. The thread closes a session that opens after that, so
//! that only a killed server leaves sessions behind. The address of the driver comes from the
//! settings: `outgoing.denied` does not apply to it.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use outgoing::Exchanger;
use rt::clock::Clock;
use rt::task::Tasks;
use script::{HostRequest, Opened, WebDriver, WebDriverCommand};
use serde_json::Value as Json;
use tracing::warn;
use wire::http::Response;

/// Time after a script to close its sessions.
pub const CLOSING: Duration = Duration::from_secs(1);
/// Longest time to close a session, and for a session to open after its caller has left.
const LATE: Duration = Duration::from_secs(10);
/// How often the end of the process is checked for.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Longest answer to the opening or closing of a session.
const SMALL_BYTES_MAX: usize = 1 << 20;

/// A WebDriver.
#[derive(Clone, Debug)]
pub struct Driver {
    to: Arc<Address>,
    clock: Clock,
    commands: Tasks,
    closings: Tasks,
}

/// The address that it listens on.
#[derive(Debug)]
struct Address {
    url: String,
    exchanger: Exchanger,
}

impl Driver {
    /// `url`: without a path, or up to the common start of commands. Commands are executed in the
    /// first group of tasks, sessions closed in the second.
    #[must_use]
    pub fn new(
        url: &str,
        exchanger: Exchanger,
        clock: Clock,
        commands: Tasks,
        closings: Tasks,
    ) -> Self {
        let to = Address { url: url.trim_end_matches('/').to_owned(), exchanger };
        Self { to: Arc::new(to), clock, commands, closings }
    }

    /// Does the work on a thread; `None`: it takes longer than the time, or the process ends.
    fn within<T: Send + 'static>(
        &self,
        time: Duration,
        work: impl FnOnce(&Self) -> T + Send + 'static,
        late: impl FnOnce(&Self, T) + Send + 'static,
    ) -> Result<T, String> {
        let (to, from) = mpsc::sync_channel(0);
        let of = self.clone();
        let begun = self.commands.thread("web-driver", move || {
            if let Err(mpsc::SendError(done)) = to.send(work(&of)) {
                late(&of, done);
            }
        });
        begun.map_err(|it| it.to_string())?;
        let until_ns = self.clock.mono_ns().saturating_add(nanoseconds(time));
        loop {
            match from.recv_timeout(POLL_INTERVAL) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err("internal error while asking the WebDriver".to_owned());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.closings.shutdown().is_cancelled() {
                return Err("the server is stopping".to_owned());
            }
            if self.clock.mono_ns() >= until_ns {
                return Err("the WebDriver did not answer in time".to_owned());
            }
        }
    }

    fn close_each(&self, sessions: &[String]) {
        for session in sessions {
            if let Err(error) =
                self.to.ask("DELETE", &path(session, ""), None, (LATE, SMALL_BYTES_MAX))
            {
                warn!(error, "a session of a browser was not closed; its browser may keep running");
            }
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn path(session: &str, rest: &str) -> String {
    format!("/session/{session}{rest}")
}

impl Address {
    fn ask(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
        (time, body_bytes_max): (Duration, usize),
    ) -> Result<Response, String> {
        let content = ("Content-Type".to_owned(), "application/json; charset=utf-8".to_owned());
        let answer = self.exchanger.exchange(&HostRequest {
            method,
            url: &format!("{}{path}", self.url),
            headers: &[content],
            body: body.map(str::as_bytes),
            proxy: "",
            auth: None,
            time,
            body_bytes_max,
        });
        answer.map_err(|it| format!("cannot ask the WebDriver: {it}"))
    }
}

/// The id of the session in an answer. Ids are parts of URLs: other characters are refused.
fn session_of(answer: &Response) -> Option<String> {
    let body: Json = serde_json::from_slice(&answer.body).ok()?;
    let id = body["value"]["sessionId"].as_str()?;
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    (!id.is_empty() && id.chars().all(is_plain)).then(|| id.to_owned())
}

impl WebDriver for Driver {
    fn open(&mut self, capabilities: &str, time: Duration) -> Result<Opened, String> {
        let capabilities = capabilities.to_owned();
        let open = move |of: &Self| {
            let limits = (time.saturating_add(LATE), SMALL_BYTES_MAX);
            let answer = of.to.ask("POST", "/session", Some(&capabilities), limits)?;
            Ok(Opened { session: session_of(&answer), answer })
        };
        let late = |of: &Self, opened: Result<Opened, String>| {
            let session = opened.ok().and_then(|it| it.session);
            of.close_each(session.as_slice());
        };
        self.within(time, open, late)?
    }

    fn call(&mut self, command: &WebDriverCommand<'_>) -> Result<Response, String> {
        let WebDriverCommand { time, body_bytes_max, .. } = *command;
        let path = path(command.session, command.path);
        let (method, body) = (command.method.to_owned(), command.body.clone());
        let ask =
            move |of: &Self| of.to.ask(&method, &path, body.as_deref(), (time, body_bytes_max));
        self.within(time, ask, |_, _| ())?
    }

    fn close(&mut self, sessions: Vec<String>) {
        let (to, from) = mpsc::sync_channel(1);
        let of = self.clone();
        let begun = self.closings.thread("browser-closing", move || {
            of.close_each(&sessions);
            // The caller may have left.
            to.send(()).ok();
        });
        match begun {
            Ok(()) => drop(from.recv_timeout(CLOSING)),
            Err(error) => warn!(%error, "sessions of browsers were not closed"),
        }
    }
}
