//! The state shared by natives and the engine: the host, and the use of limits by a run.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use wire::http::{Jar, Response};

use super::exchange;
use super::host::{Host, Limits, WebDriverCommand};

/// Start of the error of a run that took too long.
pub const TIMEOUT: &str = "RangeError: execution timeout";

/// Unreachable for scripts: without a driver they have no `Browser`.
const NO_DRIVER: &str = "there is no WebDriver";

/// The state shared by natives and the engine.
pub(super) struct RunContext {
    pub(super) host: RefCell<Box<dyn Host>>,
    run: RefCell<Run>,
    deadline_ns: Cell<u64>,
    pub(super) is_late: Cell<bool>,
    pub(super) is_spoiled: Cell<bool>,
    /// The time of a run.
    pub(super) time: Cell<Duration>,
    pub(super) limits: Limits,
    /// Scripts have the object `Browser`.
    pub(super) drives_browsers: bool,
}

/// The use of limits by a run.
#[derive(Default)]
struct Run {
    log_bytes: usize,
    jars: Vec<Jar>,
    /// Ids of open sessions of browsers.
    sessions: Vec<String>,
}

/// The result of opening a browser.
pub(super) struct OpenedBrowser {
    /// Its place among those of the run; -1: there is none.
    pub(super) place: i32,
    pub(super) answer: Response,
    /// The time left.
    pub(super) left: Duration,
}

impl RunContext {
    pub(super) fn new(limits: Limits, mut host: Box<dyn Host>) -> Self {
        Self {
            drives_browsers: host.web_driver().is_some(),
            host: RefCell::new(host),
            run: RefCell::default(),
            deadline_ns: Cell::new(u64::MAX),
            is_late: Cell::new(false),
            is_spoiled: Cell::new(false),
            time: Cell::new(limits.time),
            limits,
        }
    }

    /// Marks the context as unusable.
    pub(super) fn spoil(&self) {
        self.is_spoiled.set(true);
    }

    pub(super) fn log(&self, level: i32, text: &str) -> Result<(), String> {
        let max = self.limits.log_bytes;
        let mut run = self.run.borrow_mut();
        run.log_bytes = run.log_bytes.saturating_add(text.len());
        if run.log_bytes > max {
            return Err(format!("log exceeds the maximum size of {max} bytes."));
        }
        self.host.borrow_mut().log(level, text);
        Ok(())
    }

    fn left(&self) -> Duration {
        let now_ns = self.host.borrow().now_ns();
        Duration::from_nanos(self.deadline_ns.get().saturating_sub(now_ns))
    }

    pub(super) fn sleep(&self, time: Duration) -> Result<(), String> {
        let left = self.left();
        self.host.borrow_mut().sleep(time.min(left));
        if time < left { Ok(()) } else { Err(TIMEOUT.to_owned()) }
    }

    /// The number of a new request object; -1: there are too many.
    pub(super) fn new_request(&self) -> i32 {
        let mut run = self.run.borrow_mut();
        if run.jars.len() >= self.limits.requests {
            return -1;
        }
        run.jars.push(Jar::default());
        i32::try_from(run.jars.len() - 1).unwrap_or(-1)
    }

    pub(super) fn with_exchange<R>(
        &self,
        work: impl FnOnce(&mut dyn Host, &mut [Jar], exchange::Left) -> R,
    ) -> R {
        let left = exchange::Left {
            deadline_ns: self.deadline_ns.get(),
            body_bytes: self.limits.body_bytes,
        };
        work(&mut **self.host.borrow_mut(), &mut self.run.borrow_mut().jars, left)
    }

    /// A new session of a browser; the driver's answer may be a refusal.
    pub(super) fn open_browser(&self, capabilities: &str) -> Result<OpenedBrowser, String> {
        let left = self.left();
        let mut run = self.run.borrow_mut();
        if run.sessions.len() >= self.limits.browsers {
            return Err("maximum count of Browser objects was reached".to_owned());
        }
        if left.is_zero() {
            return Err(TIMEOUT.to_owned());
        }
        let mut host = self.host.borrow_mut();
        let driver = host.web_driver().ok_or(NO_DRIVER)?;
        let opened = driver.open(capabilities, left)?;
        let mut place = -1;
        if let Some(session) = opened.session {
            place = i32::try_from(run.sessions.len()).unwrap_or(-1);
            run.sessions.push(session);
        }
        drop(host);
        Ok(OpenedBrowser { place, answer: opened.answer, left: self.left() })
    }

    /// A command of a browser's session.
    pub(super) fn drive(
        &self,
        place: i32,
        (method, path): (&str, &str),
        body: Option<String>,
    ) -> Result<Response, String> {
        let time = self.left();
        if time.is_zero() {
            return Err(TIMEOUT.to_owned());
        }
        let run = self.run.borrow();
        let session = usize::try_from(place).ok().and_then(|it| run.sessions.get(it));
        let session = session.ok_or("the browser has no session")?;
        // Dots would lead to the sessions of others.
        if path.split('/').any(|it| it == ".." || it == ".") {
            return Err(format!("invalid path of a command: {path}"));
        }
        let body_bytes_max = self.limits.body_bytes;
        let command = WebDriverCommand { session, method, path, body, time, body_bytes_max };
        let mut host = self.host.borrow_mut();
        host.web_driver().ok_or(NO_DRIVER)?.call(&command)
    }

    /// Ends the sessions of browsers that the run has opened, however it ended.
    pub(super) fn close_browsers(&self) {
        let sessions = std::mem::take(&mut self.run.borrow_mut().sessions);
        if sessions.is_empty() {
            return;
        }
        if let Some(driver) = self.host.borrow_mut().web_driver() {
            driver.close(sessions);
        }
    }

    pub(super) fn sign(&self, key: &[u8], data: &[u8]) -> Result<Vec<u8>, String> {
        self.host.borrow_mut().sign(key, data)
    }

    pub(super) fn begin(&self) -> u64 {
        *self.run.borrow_mut() = Run::default();
        self.is_late.set(false);
        self.is_spoiled.set(false);
        let now_ns = self.host.borrow().now_ns();
        let time_ns = u64::try_from(self.time.get().as_nanos()).unwrap_or(u64::MAX);
        self.deadline_ns.set(now_ns.saturating_add(time_ns));
        now_ns
    }

    /// Whether the time is over; the engine asks every few thousand steps.
    pub(super) fn is_over(&self) -> bool {
        let Ok(host) = self.host.try_borrow() else { return false };
        let is_over = host.is_stopping() || host.now_ns() >= self.deadline_ns.get();
        if is_over {
            self.is_late.set(true);
        }
        is_over
    }
}
