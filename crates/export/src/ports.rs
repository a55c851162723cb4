//! Needs of feeds and targets from the program around them.

use std::error::Error;
use std::sync::Arc;

use jiff::tz::TimeZone;
use model::snapshot::Snapshot;

/// The present configuration: names of items and triggers.
pub trait ExportConfiguration: Send + Sync {
    fn snapshot(&self) -> Arc<Snapshot>;
    /// The server's, for functions of macros that write times.
    fn zone(&self) -> &TimeZone;

    /// The secret of a vault that a macro names.
    ///
    /// # Errors
    /// Why it is unavailable.
    fn secret(&self, named: &str) -> Result<Arc<str>, String> {
        Err(format!("Cannot get the secret \"{named}\": there is no vault."))
    }
}

/// A position in a journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExportPlace {
    /// [`journal::Journal::identity`].
    pub journal: u32,
    /// Records before this position were delivered.
    pub lsn: u64,
}

/// Why a place was not read or saved.
pub type PlaceError = Box<dyn Error + Send + Sync>;

/// Where the place of a target is kept.
pub trait PlaceStore: Send {
    /// # Errors
    /// Asked again later.
    fn load(&mut self) -> Result<Option<ExportPlace>, PlaceError>;
    /// # Errors
    /// Tried again later: the journal is kept meanwhile.
    fn save(&mut self, place: ExportPlace) -> Result<(), PlaceError>;
    /// The target is gone for good.
    ///
    /// # Errors
    /// Then the row stays; it does no harm.
    fn forget(&mut self) -> Result<(), PlaceError>;
}

/// Where places are kept, by name.
pub trait ExportPlaces: Send + Sync {
    /// The place of a name, which may have none yet.
    fn place(&self, name: &str) -> Box<dyn PlaceStore>;
}
