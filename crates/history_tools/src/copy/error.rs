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
    #[error("there is no {section} in the settings: they say where the store is")]
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
        "{} is damaged, so it is not known what its folder is a copy of: a folder history.copy can be \
         removed and copied again; of the folder history remove the file, if that was copied earlier and \
         is in use",
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
        "the source is not of this server's journal, or that was cut: it is not known from where on \
         the server would have to feed the target"
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
