//! A copy of what stands in the data directory of a running engine, from which another one can start.
//!
//! It is as the directory would be had the process been killed at one moment, the copy's *end*: journal up to
//! there, and files whose positions in it are not above. So the order matters:
//!
//! 1. the journal's files are held, from where it begins now: files dropped later stay readable;
//! 2. checkpoints and files of history are opened: their positions lie between;
//! 3. the relational store is pinned, and the end is the journal's position while nobody can edit
//!    it: no value in the copy is of an item that the configuration in the copy does not know yet.
//!
//! The journal of the copy becomes one of its own when it is first opened
//! ([`journal::Journal::shared_with`]): both may go on from here.
//!
//! All that takes milliseconds; only then are bytes copied, while the engine goes on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::{Disk, FileCopy};
use journal::{Journal, Lsn};

use crate::EngineError;
use crate::checkpoint::Checkpoints;
use crate::recovery::{HISTORY, JOURNAL};
use crate::values::SharedLiveStore;

/// The parts that are copied.
#[derive(Clone)]
pub struct BackupParts {
    pub journal: Journal,
    pub history: SharedLiveStore,
    pub checkpoints: Arc<Checkpoints>,
}

opaque_debug!(BackupParts);

/// A copy to be written.
#[derive(Debug)]
pub struct Backup {
    /// Files of the data directory.
    pub files: Vec<FileCopy>,
    /// The journal is copied up to here.
    pub end: Lsn,
}

impl BackupParts {
    /// Opens all that is to be copied. `pin` does the third step: it calls what it is given once the
    /// relational store is pinned and while nobody can edit it.
    ///
    /// # Errors
    /// A file can't be opened, or `pin` fails.
    pub fn open<T, E: From<EngineError>>(
        &self,
        pin: impl FnOnce(&mut dyn FnMut()) -> Result<T, E>,
    ) -> Result<(Backup, T), E> {
        let held = self.journal.hold();
        let mut files = self.checkpoints.copy_of().map_err(EngineError::from)?;
        files.extend(in_folder(HISTORY, self.history.copy_of()));
        let mut end = None;
        let pinned = pin(&mut || end = Some(self.journal.next_lsn()))?;
        let end = end.unwrap_or_else(|| self.journal.next_lsn());
        let journal = self.journal.copy_of(&held, end).map_err(EngineError::from)?;
        files.extend(in_folder(JOURNAL, journal));
        Ok((Backup { files, end }, pinned))
    }
}

fn in_folder(folder: &str, files: Vec<FileCopy>) -> impl Iterator<Item = FileCopy> {
    let folder = PathBuf::from(folder);
    files.into_iter().map(move |it| FileCopy { name: folder.join(&it.name), ..it })
}

/// The file that replaces the one of that name in the copy of a stopped engine's data directory: by
/// it the copy's journal gets an identity of its own.
///
/// # Errors
/// The journal can't be read.
pub fn lineage_of_copy(disk: &dyn Disk, data: &Path) -> Result<FileCopy, EngineError> {
    let lineage = journal::lineage_of_copy(disk, &data.join(JOURNAL))?;
    Ok(FileCopy { name: Path::new(JOURNAL).join(&lineage.name), ..lineage })
}

/// Folders of a copy, below the data directory.
#[must_use]
pub fn folders() -> [&'static Path; 3] {
    [JOURNAL, HISTORY, crate::checkpoint::FOLDER].map(Path::new)
}

#[cfg(test)]
mod tests;
