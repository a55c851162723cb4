//! Errors of the store, each with the file that it concerns.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An operating error of the engine.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error("cannot {action} {path}: {source}")]
    Io { action: &'static str, path: PathBuf, source: Arc<io::Error> },

    /// Some bytes of a file are not what was written.
    #[error("{path} is damaged at offset {offset}: {reason}")]
    Corrupt { path: PathBuf, offset: u64, reason: &'static str },

    #[error("{path} has format version {version}, this program reads {known}")]
    Version { path: PathBuf, version: u32, known: u32 },

    #[error("a value of {bytes} bytes is longer than {max}")]
    TooLong { bytes: usize, max: usize },

    /// The head holds as much as it can address; flush before appending more.
    #[error("the head is full")]
    HeadFull,
}

impl Error {
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io { action, path: path.into(), source: Arc::new(source) }
    }

    /// Whether the same call may succeed later without anybody changing the program or its data.
    #[must_use]
    pub fn retry(&self) -> bool {
        matches!(self, Self::Io { .. } | Self::HeadFull)
    }
}
