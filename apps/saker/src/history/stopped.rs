//! What a server has left behind when it stopped, opened without starting one.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use db::{Db, DbSettings};
use disk::{Disk, OsDisk};
use history::{LiveStore, StoreKind};
use journal::{Journal, OnCorruption};
use rt::metrics::Registry;
use thiserror::Error;

use crate::data_dir::{DataDir, DataDirError};
use crate::settings::Settings;

#[derive(Debug, Error)]
pub(crate) enum StoppedError {
    #[error(transparent)]
    DataDir(DataDirError),
    #[error("{0}; or make a copy by `saker backup`, and name that by --data")]
    Running(DataDirError),
    #[error(transparent)]
    History(#[from] history::Error),
    #[error(transparent)]
    Journal(#[from] journal::Error),
    #[error(transparent)]
    Database(#[from] db::DbError),
    #[error("no randomness from the system: {0}")]
    Randomness(getrandom::Error),
}

impl From<DataDirError> for StoppedError {
    fn from(error: DataDirError) -> Self {
        match error {
            DataDirError::InUse { .. } => Self::Running(error),
            other => Self::DataDir(other),
        }
    }
}

/// A stopped server's data directory, locked.
pub(super) struct Stopped {
    pub(super) data_dir: DataDir,
    pub(super) journal: Journal,
    /// With all that the journal holds.
    pub(super) store: Arc<dyn LiveStore>,
}

/// Locks the data directory and opens journal and values, as a start does.
///
/// # Errors
/// A server runs, or something can't be read.
pub(super) fn open(settings: &Settings) -> Result<Stopped, StoppedError> {
    let data_dir = DataDir::open_existing(&settings.data)?;
    let journal = open_journal(data_dir.path())?;
    let store = open_history(data_dir.path(), &journal)?;
    store.replay(&pause)?;
    Ok(Stopped { data_dir, journal, store })
}

/// The journal of a data directory that is locked.
///
/// # Errors
/// It can't be read.
pub(super) fn open_journal(data: &Path) -> Result<Journal, StoppedError> {
    let disk: Arc<dyn Disk> = Arc::new(OsDisk);
    let journal_settings = journal::Settings {
        on_corruption: OnCorruption::Isolate,
        identity: getrandom::u32().map_err(StoppedError::Randomness)?.max(1),
        ..journal::Settings::default()
    };
    Ok(Journal::open(disk, &data.join("journal"), journal_settings)?.0)
}

fn open_history(data: &Path, journal: &Journal) -> Result<Arc<dyn LiveStore>, StoppedError> {
    let disk: Arc<dyn Disk> = Arc::new(OsDisk);
    let kind = StoreKind::Embedded(history::Settings::default());
    // One head: what the journal holds comes from one thread.
    let place = (disk, data.join("history"));
    let opened = history::open(kind, (place.0, &place.1), journal.clone(), 1, &Registry::new())?;
    Ok(opened.store)
}

/// The configuration that belongs to a data directory.
///
/// # Errors
/// It can't be opened.
pub(super) fn open_configuration(
    settings: &Settings,
    data_dir: &DataDir,
) -> Result<Db, StoppedError> {
    let location = data_dir.tables(&settings.database.url);
    let zone = jiff::tz::TimeZone::system();
    Ok(Db::open(&DbSettings { zone, ..DbSettings::new(location) })?)
}

/// Between two tries to read the journal. Nothing else is done here meanwhile.
#[expect(clippy::disallowed_methods, reason = "a command's only thread, with nothing else to do")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}
