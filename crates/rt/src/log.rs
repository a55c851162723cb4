//! Logging: set up once by the binary, limited at the source.
//!
//! Everything goes to standard error, as sentences for people or as one JSON object a line. A
//! device's failure is not logged (it is a value); repeated messages pass through a [`Limit`],
//! which reports how many were left out.

use std::backtrace::Backtrace;
use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::panic;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tracing::error;
use tracing_subscriber::filter::{EnvFilter, ParseError};
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

/// How log lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Sentences with fields, colored on a terminal.
    #[default]
    Human,
    /// One JSON object a line.
    Json,
}

#[derive(Debug, Error)]
pub enum LogError {
    #[error("{level:?} is not a log level: {source}")]
    Level { level: String, source: ParseError },
    #[error("logging was set up before: {0}")]
    Twice(TryInitError),
}

/// Checks a level such as `info` or `info,collect=debug` without setting anything up.
///
/// # Errors
/// [`LogError::Level`] names the part that is wrong.
pub fn parse_level(level: &str) -> Result<EnvFilter, LogError> {
    EnvFilter::builder()
        .parse(level)
        .map_err(|source| LogError::Level { level: level.to_owned(), source })
}

/// Starts logging to standard error and sends panics there, with their place and, once for each
/// place, a backtrace.
///
/// # Errors
/// For a wrong level, or if it was called before.
pub fn init(level: &str, format: LogFormat) -> Result<(), LogError> {
    let is_colored = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let builder = tracing_subscriber::fmt()
        .with_env_filter(parse_level(level)?)
        .with_ansi(is_colored)
        // Standard error may be a pipe that nobody reads any more: a line is lost then, but telling
        // so on standard error would end the process.
        .log_internal_errors(false)
        .with_writer(io::stderr);
    match format {
        LogFormat::Human => builder.with_target(false).finish().try_init(),
        LogFormat::Json => builder.json().flatten_event(true).finish().try_init(),
    }
    .map_err(LogError::Twice)?;
    log_panics();
    Ok(())
}

fn log_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Panics that are caught may come again and again: the backtrace of each place is logged
        // once.
        let traced = Mutex::new(BTreeSet::new());
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let thread = std::thread::current().name().unwrap_or("unnamed").to_owned();
            let message = info.payload_as_str().unwrap_or("panic without a text");
            let is_first =
                traced.lock().unwrap_or_else(PoisonError::into_inner).insert(place.clone());
            if is_first && is_backtrace_wanted() {
                let backtrace = Backtrace::force_capture();
                error!(place, thread, backtrace = %format_args!("\n{backtrace}"), "{message}: this is a bug of Saker");
            } else {
                error!(place, thread, "{message}: this is a bug of Saker");
            }
        }));
    });
}

/// Unless the operator has switched them off, as in any program written in Rust. Saker logs them by
/// default: a panic that cannot be repeated is reported only once.
fn is_backtrace_wanted() -> bool {
    std::env::var_os("RUST_BACKTRACE").is_none_or(|it| it != "0")
}

/// Lets a log line through at most `burst` times a period.
///
/// ```
/// # let now_ns = 0;
/// # let limit = rt::log::Limit::new(1, std::time::Duration::from_secs(60));
/// if let Some(n_left_out) = limit.admit(now_ns) {
///     tracing::warn!(n_left_out, "a sender was refused");
/// }
/// ```
#[derive(Debug)]
pub struct Limit {
    burst: u64,
    period_ns: u64,
    state: Mutex<Period>,
}

#[derive(Debug, Default)]
struct Period {
    start_ns: u64,
    n: u64,
    n_left_out: u64,
}

impl Limit {
    #[must_use]
    pub const fn new(burst: u64, period: Duration) -> Self {
        let period_ns = period.as_secs() * 1_000_000_000 + period.subsec_nanos() as u64;
        let state = Mutex::new(Period { start_ns: 0, n: 0, n_left_out: 0 });
        Self { burst, period_ns, state }
    }

    /// Whether to log now: `Some` with the number of lines left out since the last one.
    pub fn admit(&self, mono_ns: u64) -> Option<u64> {
        let mut period = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if self.period_ns <= mono_ns.saturating_sub(period.start_ns) {
            period.start_ns = mono_ns;
            period.n = 0;
        }
        period.n += 1;
        if self.burst < period.n {
            period.n_left_out += 1;
            return None;
        }
        Some(std::mem::take(&mut period.n_left_out))
    }
}

impl Default for Limit {
    /// Three lines a minute: enough to see that the condition lasts.
    fn default() -> Self {
        Self::new(3, Duration::from_secs(60))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Limit, parse_level};

    #[test]
    fn repeated_lines_are_left_out_and_counted() {
        let limit = Limit::new(2, Duration::from_secs(60));
        let at = |seconds: u64| limit.admit(seconds * 1_000_000_000);
        assert_eq!([at(1), at(2), at(3), at(59)], [Some(0), Some(0), None, None]);
        assert_eq!([at(60), at(61), at(62)], [Some(2), Some(0), None]);
        assert_eq!(at(500), Some(1));
    }

    #[test]
    fn wrong_level_is_named() {
        assert!(parse_level("info,collect=debug").is_ok());
        let error = parse_level("collect=loud").unwrap_err().to_string();
        assert!(error.starts_with("\"collect=loud\" is not a log level"), "{error}");
    }
}
