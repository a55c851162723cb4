//! Stores of history on other machines: made by the settings, fed from the journal by threads of their own.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use engine::readers::{StoreFeed, Wake};
use engine::runner;
use history::Feeder;
use rt::task::Tasks;
use stores::clickhouse;

use super::{Base, ServerError};

/// Starts the feed of each store that the settings name. A store that is away is no error: it is met when it is
/// there.
///
/// # Errors
/// The settings cannot be used, or the system refuses a thread.
pub(super) fn start(base: &Base, feeder: &Feeder, readers: &Tasks) -> Result<(), ServerError> {
    let Some(settings) = clickhouse_settings(base)? else { return Ok(()) };
    let store = clickhouse::ClickHouse::new(settings, base.clock.clone(), &base.registry).map_err(
        |error| ServerError::RemoteStore { name: "clickhouse", reason: error.to_string() },
    )?;
    let feed = StoreFeed(feeder.add("clickhouse", Arc::new(store)));
    let (runtime, shutdown) = (tokio::runtime::Handle::current(), readers.shutdown().clone());
    readers.thread("clickhouse", move || {
        // Nobody wakes it: it looks often enough.
        runner::run_reader(feed, &Wake::default(), &shutdown, &runtime);
    })?;
    Ok(())
}

fn clickhouse_settings(base: &Base) -> Result<Option<clickhouse::Settings>, ServerError> {
    let wanted = &base.settings.clickhouse;
    let Some(url) = &wanted.url else { return Ok(None) };
    let ca_pem = match &wanted.ca_file {
        Some(path) => Some(fs::read_to_string(path).map_err(|error| ServerError::RemoteStore {
            name: "clickhouse",
            reason: format!("clickhouse.ca_file, {}: {error}", path.display()),
        })?),
        None => None,
    };
    Ok(Some(clickhouse::Settings {
        url: url.0.clone(),
        user: wanted.user.clone(),
        password: wanted.password.0.clone(),
        database: wanted.database.clone(),
        cluster: wanted.cluster.clone(),
        ca_pem,
        timeout: Duration::from_millis(wanted.timeout_ms),
        ..clickhouse::Settings::default()
    }))
}
