//! The data of a stopped server, opened without starting one.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use data_dir::{DataDir, DataDirError};
use db::{Db, DbSettings, Location};
use disk::{Disk, OsDisk};
use history::{LiveStore, StoreKind};
use journal::{Journal, OnCorruption};
use rt::metrics::Registry;
use thiserror::Error;

/// A stopped server, as the settings describe it.
pub struct Installation<'a> {
    /// Its data directory.
    pub data: &'a Path,
    /// Where its configuration is.
    pub tables: Location,
    pub stores: &'a dyn StoreSettings,
}

impl fmt::Debug for Installation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Installation").field("data", &self.data).finish_non_exhaustive()
    }
}

/// Stores of history on other machines, as the settings describe them. Read when one is needed.
pub trait StoreSettings {
    /// `None`: the settings have no URL.
    ///
    /// # Errors
    /// They can't be used, in words for the operator.
    fn clickhouse(&self) -> Result<Option<stores::clickhouse::ClickHouseSettings>, String>;

    /// `None`: the settings have no URL.
    ///
    /// # Errors
    /// They can't be used, in words for the operator.
    fn postgres(&self) -> Result<Option<stores::postgres::PostgresSettings>, String>;
}

/// Why the data of a stopped server cannot be opened.
#[derive(Debug, Error)]
pub enum StoppedError {
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
pub(crate) struct Stopped {
    pub(crate) data_dir: DataDir,
    pub(crate) journal: Journal,
    /// With all that the journal holds.
    pub(crate) store: Arc<dyn LiveStore>,
}

/// Locks the data directory and opens journal and values, as a start does.
///
/// # Errors
/// A server runs, or something can't be read.
pub(crate) fn open(data: &Path) -> Result<Stopped, StoppedError> {
    let data_dir = DataDir::open_existing(data)?;
    let journal = open_journal(data_dir.path())?;
    let store = open_history(data_dir.path(), &journal)?;
    store.replay(&pause)?;
    Ok(Stopped { data_dir, journal, store })
}

/// The journal of a data directory that is locked.
///
/// # Errors
/// It can't be read.
pub(crate) fn open_journal(data: &Path) -> Result<Journal, StoppedError> {
    let disk: Arc<dyn Disk> = Arc::new(OsDisk);
    let journal_settings = journal::JournalSettings {
        on_corruption: OnCorruption::Isolate,
        identity: getrandom::u32().map_err(StoppedError::Randomness)?.max(1),
        ..journal::JournalSettings::default()
    };
    Ok(Journal::open(disk, &data.join("journal"), journal_settings)?.0)
}

fn open_history(data: &Path, journal: &Journal) -> Result<Arc<dyn LiveStore>, StoppedError> {
    let disk: Arc<dyn Disk> = Arc::new(OsDisk);
    let kind = StoreKind::Embedded(history::EmbeddedSettings::default());
    // One head: the rows of the journal come from one thread.
    let place = (disk, data.join("history"));
    let opened = history::open(kind, (place.0, &place.1), journal.clone(), 1, &Registry::new())?;
    Ok(opened.store)
}

/// The configuration that belongs to a data directory.
///
/// # Errors
/// It can't be opened.
pub(crate) fn open_configuration(tables: &Location) -> Result<Db, StoppedError> {
    let zone = jiff::tz::TimeZone::system();
    Ok(Db::open(&DbSettings { zone, ..DbSettings::new(tables.clone()) })?)
}

/// Between two tries to read the journal. Nothing else is done here meanwhile.
#[expect(clippy::disallowed_methods, reason = "a command's only thread, with nothing else to do")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}
