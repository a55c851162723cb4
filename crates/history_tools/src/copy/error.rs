//! Why a copy is not complete.

use std::io;
use std::path::PathBuf;

use data_dir::DataDirError;
use stores::Table;
use thiserror::Error;

use crate::stopped::StoppedError;

/// Why a copy is not complete, in words for the operator.
#[derive(Debug, Error)]
pub enum CopyError {
    #[error(transparent)]
    Stopped(#[from] StoppedError),
    #[error(transparent)]
    Journal(#[from] journal::Error),
    #[error("source: {0}; run the same command again to go on")]
    Source(history::Error),
    #[error("target: {0}; run the same command again to go on")]
    Target(history::Error),
    #[error("source and target are the same store")]
    Same,
    #[error("the setting {section}, the address of the store, is missing")]
    NotSet { section: &'static str },
    #[error("{0}")]
    Settings(String),
    #[error(
        "the target holds values already: name an empty database or schema, or empty that one \
         ({n} rows)"
    )]
    Filled { n: u64 },
    #[error("the target is complete and follows this server's journal: there is nothing to copy")]
    Fed,
    #[error(
        "the target is of another journal or of a copy of something else, or the source has changed \
         since the copy began: empty the target and copy again"
    )]
    Other,
    #[error(
        "{} is of a copy of something else, or the source has changed since that copy began: remove \
         it and copy again",
        path.display()
    )]
    OtherFolder { path: PathBuf },
    #[error(
        "{} is damaged, so the source of its folder is unknown: remove a folder history.copy and copy \
         again; in the folder history, remove the file if the folder was copied earlier and is in use",
        path.display()
    )]
    DamagedMark { path: PathBuf },
    #[error(transparent)]
    DataDir(DataDirError),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("the target is at a place where the source has no border: empty it and copy again")]
    NoBorder,
    #[error(
        "the source does not belong to this server's journal, or the journal was cut: the position \
         from which the server would feed the target is unknown"
    )]
    SourcePlace,
    #[error("a record that was just made can't be read: {0}")]
    Record(model::record::RecordError),
    #[error(
        "the counts differ: of {table:?}, day {day} (since 1970), kept for {days} days, {expected} \
         rows were copied and the target has {found}; it is not marked as complete"
    )]
    Counts { table: Table, days: u32, day: i64, expected: u64, found: u64 },
    #[error("the copy is complete, but that cannot be printed: {0}")]
    Say(io::Error),
}
