//! Stores of history on other machines: made by the settings, fed from the journal by threads of their own.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use engine::readers::{StoreFeed, Wake};
use engine::runner;
use history::{Feeder, Flush};
use rt::task::Tasks;
use stores::{clickhouse, postgres};

use super::{Base, ServerError};
use crate::settings::Settings;

/// Starts the feed of each store that the settings name. A store that is away is no error: it is met when it is
/// there.
///
/// # Errors
/// The settings cannot be used, or the system refuses a thread.
pub(super) fn start(base: &Base, feeder: &Feeder, readers: &Tasks) -> Result<(), ServerError> {
    let Base { clock, registry, .. } = base;
    if let Some(settings) = clickhouse_settings(&base.settings)? {
        let store = clickhouse::ClickHouse::new(settings, clock.clone(), registry);
        follow("clickhouse", store.map(Arc::new), feeder, readers)?;
    }
    if let Some(settings) = postgres_settings(&base.settings) {
        let store = postgres::Postgres::new(settings, clock.clone(), registry);
        follow("postgres", store.map(Arc::new), feeder, readers)?;
    }
    Ok(())
}

fn follow<S: Flush + 'static>(
    name: &'static str,
    store: history::Result<Arc<S>>,
    feeder: &Feeder,
    readers: &Tasks,
) -> Result<(), ServerError> {
    let store =
        store.map_err(|error| ServerError::RemoteStore { name, reason: error.to_string() })?;
    let feed = StoreFeed(feeder.add(name, store));
    let (runtime, shutdown) = (tokio::runtime::Handle::current(), readers.shutdown().clone());
    readers.thread(name, move || {
        // Nobody wakes it: it looks often enough.
        runner::run_reader(feed, &Wake::default(), &shutdown, &runtime);
    })?;
    Ok(())
}

pub(crate) fn postgres_settings(settings: &Settings) -> Option<postgres::Settings> {
    let wanted = &settings.postgres;
    Some(postgres::Settings {
        url: wanted.url.as_ref()?.0.clone(),
        schema: wanted.schema.clone(),
        timeout: Duration::from_millis(wanted.timeout_ms),
        ..postgres::Settings::default()
    })
}

pub(crate) fn clickhouse_settings(
    settings: &Settings,
) -> Result<Option<clickhouse::Settings>, ServerError> {
    let wanted = &settings.clickhouse;
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
