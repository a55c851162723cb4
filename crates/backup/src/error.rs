//! Why there is no backup.

use std::io;
use std::path::PathBuf;

use data_dir::DataDirError;
use thiserror::Error;

/// Why there is no backup, in words for the operator.
#[derive(Debug, Error)]
pub enum BackupError {
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error("{} is not empty: name a directory that is not there yet", path.display())]
    NotEmpty { path: PathBuf },
    #[error("{} is there and is no unfinished backup: move it away", path.display())]
    ForeignPartial { path: PathBuf },
    #[error("another backup is being written to {}", path.display())]
    PartialInUse { path: PathBuf },
    #[error("{} lies in the data directory: name another place", path.display())]
    Inside { path: PathBuf },
    #[error("cannot write {}: {source}; there is no backup", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read {}: {source}; there is no backup", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{0}; there is no backup")]
    Database(#[from] db::DbError),
    #[error("{0}; there is no backup")]
    Engine(#[from] engine::EngineError),
    #[error("it was given up; there is no backup")]
    GivenUp,
    #[error("another backup is under way")]
    UnderWay,
}
