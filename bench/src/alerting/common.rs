//! Arguments, and waiting for conditions.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::client::Client;
use crate::common::{BenchError, Common};
use crate::process::pause;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct AlertingArgs {
    /// One in ten problems has an escalation that continues until its end.
    #[arg(long, default_value_t = 10_000)]
    pub(super) hosts: usize,
    /// Seconds in which all problems begin, and later end; ten for each host.
    #[arg(long, default_value_t = 60)]
    pub(super) seconds: usize,
    /// Values a second of other items meanwhile.
    #[arg(long, default_value_t = 100_000)]
    pub(super) values_per_s: u64,
    /// The server's program, to compare it with another one; the one next to this program by default.
    #[arg(long, value_name = "FILE")]
    pub(super) server: Option<PathBuf>,
    #[command(flatten)]
    pub(super) common: Common,
}

/// Of a host: as many items have a trigger each, and as many others take the load.
pub(super) const TRIGGERS: usize = 10;
const LIMIT: Duration = Duration::from_secs(300);

/// How many problems are open.
pub(crate) fn count(client: &Client) -> Result<u64, BenchError> {
    let answer = client.call("problem.get", &json!({"countOutput": true}))?;
    Ok(answer.as_str().and_then(|it| it.parse().ok()).unwrap_or(0))
}

pub(super) fn until(
    what: &'static str,
    is_so: impl Fn() -> Result<bool, BenchError>,
) -> Result<(), BenchError> {
    let clock = rt::clock::Clock::real();
    let started_ns = clock.mono_ns();
    while !is_so()? {
        if u128::from(clock.mono_ns() - started_ns) > LIMIT.as_nanos() {
            return Err(BenchError::Waited { what, limit: LIMIT });
        }
        pause();
    }
    Ok(())
}
