//! What natives and the engine share: the host, and what a run has used.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use wire::http::Jar;

use super::exchange;
use super::host::{Host, Limits};

/// How the error of a run that took too long begins.
pub const TIMEOUT: &str = "RangeError: execution timeout";

/// What natives and the engine share.
pub(super) struct RunContext {
    pub(super) host: RefCell<Box<dyn Host>>,
    run: RefCell<Run>,
    deadline_ns: Cell<u64>,
    pub(super) is_late: Cell<bool>,
    pub(super) is_spoiled: Cell<bool>,
    /// That a run may take.
    pub(super) time: Cell<Duration>,
    pub(super) limits: Limits,
}

/// What a run has used.
#[derive(Default)]
struct Run {
    log_bytes: usize,
    jars: Vec<Jar>,
}

impl RunContext {
    pub(super) fn new(limits: Limits, host: Box<dyn Host>) -> Self {
        Self {
            host: RefCell::new(host),
            run: RefCell::default(),
            deadline_ns: Cell::new(u64::MAX),
            is_late: Cell::new(false),
            is_spoiled: Cell::new(false),
            time: Cell::new(limits.time),
            limits,
        }
    }

    /// The context must not be used again.
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

    /// Asked by the engine every few thousand steps: is the time up?
    pub(super) fn is_over(&self) -> bool {
        let Ok(host) = self.host.try_borrow() else { return false };
        let is_over = host.is_stopping() || host.now_ns() >= self.deadline_ns.get();
        if is_over {
            self.is_late.set(true);
        }
        is_over
    }
}
