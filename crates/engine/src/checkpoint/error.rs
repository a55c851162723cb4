//! Why a checkpoint is not written or read.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

#[derive(Debug, Error)]
pub enum CheckpointError {
    #[error("cannot {doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("{} is damaged at offset {offset}: {what}", path.display())]
    Damaged { path: PathBuf, offset: u64, what: &'static str },
    #[error("{} has format version {version}, this program reads {known}", path.display())]
    Version { path: PathBuf, version: u32, known: u32 },
    #[error(
        "the state of triggers and items as of position {needed} is in {}, but the journal begins \
         at {first}: records between are missing", path.display()
    )]
    Gap { path: PathBuf, needed: u64, first: u64 },
}

pub(super) fn io_error(
    doing: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> CheckpointError {
    let path = path.to_owned();
    move |source| CheckpointError::Io { doing, path, source }
}

impl CheckpointError {
    /// Whether another checkpoint may stand in for this one.
    pub(super) fn may_fall_back(&self) -> bool {
        // A checkpoint of a newer program must not be skipped in favor of an older one.
        matches!(self, Self::Io { .. } | Self::Damaged { .. })
    }

    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
