//! Errors of the journal, each with the file or position that it concerns.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::lsn::Lsn;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An operating error of the journal.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error("cannot {action} {path}: {source}")]
    Io { action: &'static str, path: PathBuf, source: Arc<io::Error> },

    /// A frame that had been synced can't be read any more.
    #[error("journal file {path} is damaged at offset {offset} (position {lsn}): {reason}")]
    Corrupt { path: PathBuf, offset: u64, lsn: Lsn, reason: &'static str },

    #[error("journal file {path} has format version {version}, this program reads {known}")]
    Version { path: PathBuf, version: u32, known: u32 },

    #[error("{path} is not a journal file: its name is not one of ours")]
    Foreign { path: PathBuf },

    /// The position was dropped by retention.
    #[error("position {lsn} is no longer in the journal, which starts at {first}")]
    Gone { lsn: Lsn, first: Lsn },

    /// The position was never written here: the journal lost its end or is another one.
    #[error("position {lsn} is past the end of the journal at {next}")]
    Ahead { lsn: Lsn, next: Lsn },

    #[error("a record of {bytes} bytes is larger than the limit of {max}")]
    TooLarge { bytes: usize, max: usize },

    /// Nothing is accepted until [`crate::Journal::sync_once`] has brought what was appended since
    /// the last good sync to safety in another file.
    #[error("the journal refuses input, a sync failed and was not repaired yet: {reason}")]
    Refused { reason: Arc<str> },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io { action, path: path.into(), source: Arc::new(source) }
    }

    /// Whether the same call may succeed later without anybody changing the program or its data.
    #[must_use]
    pub fn retry(&self) -> bool {
        matches!(self, Self::Io { .. } | Self::Refused { .. })
    }
}
