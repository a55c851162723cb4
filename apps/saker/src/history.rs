//! `saker history …`, by [`history_tools`], as the settings describe the server.

use std::error::Error;

use history_tools::stopped::{Installation, StoreSettings};
use history_tools::{copy, export, stats, verify};
use rt::settings::LoadedSettings;

use crate::cli::history::{HistoryInvocation, HistoryTask};
use crate::server::remote_stores;
use crate::settings::Settings;

/// Runs the command.
///
/// # Errors
/// In words for the operator.
pub(crate) fn run(asked: HistoryInvocation) -> Result<(), Box<dyn Error>> {
    let LoadedSettings { settings, .. } = asked.settings.load()?;
    let data = settings.data.as_path();
    let tables = settings.database.url.tables(data);
    let installation = Installation { data, tables, stores: &settings };
    match asked.task {
        HistoryTask::Verify => verify::verify(data)?,
        HistoryTask::Stats => stats::print_stats(data)?,
        HistoryTask::Copy { from, to, rows_max } => {
            copy::run(&installation, (from, to), rows_max)?;
        }
        HistoryTask::Export(options) => export::run(&installation, &options)?,
    }
    Ok(())
}

impl StoreSettings for Settings {
    fn clickhouse(&self) -> Result<Option<stores::clickhouse::ClickHouseSettings>, String> {
        remote_stores::clickhouse_settings(self).map_err(|error| error.to_string())
    }

    fn postgres(&self) -> Result<Option<stores::postgres::PostgresSettings>, String> {
        remote_stores::postgres_settings(self).map_err(|error| error.to_string())
    }
}
