//! SIGTERM and SIGINT: the operator's request to stop. SIGHUP: the request to read files again.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that ask a process to stop, caught from now on.
#[derive(Debug)]
pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// # Errors
    /// When the operating system refuses the handlers.
    pub fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next one and gives its name. Cancel-safe.
    ///
    /// The first asks to drain and stop; a second one, while that lasts, means "at once".
    pub async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

/// SIGHUP: the operator has changed files that are to be read again. Caught from now on.
#[derive(Debug)]
pub struct ReloadSignal(Signal);

impl ReloadSignal {
    /// # Errors
    /// When the operating system refuses the handler.
    pub fn catch() -> io::Result<Self> {
        Ok(Self(signal(SignalKind::hangup())?))
    }

    /// Waits for the next one. Cancel-safe.
    pub async fn next(&mut self) {
        self.0.recv().await;
    }
}

#[cfg(test)]
mod tests {
    use nix::sys::signal::{Signal, raise};

    use super::StopSignals;

    #[tokio::test]
    async fn caught_signal_is_delivered_by_name() {
        let mut signals = StopSignals::catch().unwrap();
        raise(Signal::SIGTERM).unwrap();
        assert_eq!(signals.next().await, "SIGTERM");
        raise(Signal::SIGINT).unwrap();
        assert_eq!(signals.next().await, "SIGINT");
    }
}
