//! Waits of runs that an oracle checks.

use std::time::Duration;

use serde_json::json;

use super::client::Client;
use super::oracle::number;
use super::process::pause;
use crate::common::BenchError;

/// Time for repeated messages to arrive, which must not come.
const REPEATS: Duration = Duration::from_secs(2);
/// Between checks of a state.
const LOOKS: Duration = Duration::from_millis(100);

pub(super) fn wait_for(time: Duration) {
    let clock = rt::clock::Clock::real();
    let end_ns = clock.mono_ns() + u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    while clock.mono_ns() < end_ns {
        pause();
    }
}

/// Waits for a state; false if it did not come.
pub(super) fn comes(
    limit_s: u64,
    is_so: impl Fn() -> Result<bool, BenchError>,
) -> Result<bool, BenchError> {
    let clock = rt::clock::Clock::real();
    let end_ns = clock.mono_ns() + limit_s * 1_000_000_000;
    while !is_so()? {
        if end_ns < clock.mono_ns() {
            return Ok(false);
        }
        wait_for(LOOKS);
    }
    Ok(true)
}

/// Waits until no message is on its way, and whether one comes twice.
pub(super) fn all_messages(client: &Client, limit_s: u64) -> Result<(), BenchError> {
    comes(limit_s, || {
        let get = json!({"countOutput": true, "filter": {"status": ["0", "3"]}});
        let unsent = number(&client.call("alert.get", &get)?);
        let running = client.metric("saker_escalations_running")?;
        Ok(unsent + running + client.metric("saker_alerts_waiting")? == 0)
    })?;
    wait_for(REPEATS);
    Ok(())
}
