//! `saker history …`: what the stored values of a server can be used for beside it.
//!
//! - [`verify`]: all files are read, and damage is told.
//! - [`stats`]: what the files hold.
//! - [`export`]: values or trends with the names of their items, as CSV, NDJSON or Parquet.
//! - [`copy`]: all values and trends go to another store.
//!
//! The command line of these is in [`crate::cli::history`]; [`stopped`] opens what a server has left behind.

pub(crate) mod copy;
pub(crate) mod export;
mod stats;
mod stopped;
mod verify;

use std::error::Error;

use rt::settings::Loaded;

use crate::cli::history::{HistoryInvocation, HistoryTask};

/// Does what was asked for.
///
/// # Errors
/// In words for the operator.
pub(crate) fn run(asked: HistoryInvocation) -> Result<(), Box<dyn Error>> {
    let Loaded { settings, .. } = asked.settings.load()?;
    match asked.task {
        HistoryTask::Verify => verify::verify(&settings)?,
        HistoryTask::Stats => stats::tell(&settings)?,
        HistoryTask::Copy { from, to, rows_max } => copy::run(&settings, (from, to), rows_max)?,
        HistoryTask::Export(options) => export::run(&settings, &options)?,
    }
    Ok(())
}
