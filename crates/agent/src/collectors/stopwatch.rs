//! Measures how long an operation takes, and how much of its time is left.

use std::io;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct Stopwatch {
    started: Instant,
    time: Duration,
}

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "the time that passes is what is measured")]
    pub(super) fn start(time: Duration) -> Self {
        Self { started: Instant::now(), time }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// # Errors
    /// If the time is over.
    pub(super) fn left(&self) -> io::Result<Duration> {
        let left = self.time.saturating_sub(self.started.elapsed());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}
