//! How far a backup is.

use std::io::{self, Write as _};

use rt::clock::Clock;

/// The interval between two lines of progress.
const PROGRESS_NS: u64 = 2_000_000_000;

/// How far a backup is, and whether to go on.
pub(crate) trait Progress: Sync {
    /// Adds to what there is to do.
    fn expect(&self, bytes: u64);
    /// Adds to what is done; `false` to give up.
    fn moved(&self, bytes: u64) -> bool;
}

/// Progress on standard error.
#[derive(Debug)]
pub struct ProgressLines {
    clock: Clock,
    reported_ns: u64,
}

impl Default for ProgressLines {
    fn default() -> Self {
        Self::new()
    }
}

impl ProgressLines {
    #[must_use]
    pub fn new() -> Self {
        Self { clock: Clock::real(), reported_ns: 0 }
    }

    /// Says it, if it was not just said.
    pub fn report(&mut self, bytes: u64, bytes_all: u64) {
        let now_ns = self.clock.mono_ns();
        if PROGRESS_NS <= now_ns.saturating_sub(self.reported_ns) {
            self.reported_ns = now_ns;
            // Standard error may be closed: the backup goes on.
            drop(writeln!(io::stderr(), "{bytes} of {bytes_all} bytes"));
        }
    }
}
