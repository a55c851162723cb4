//! `saker history verify`: reads all stored history of a stopped server and reports damage.

use std::io;
use std::path::Path;

use data_dir::{DataDir, DataDirError};
use disk::OsDisk;
use history::VerifyProgress;
use thiserror::Error;
use tools::say;

/// Files between two lines of progress: a line a second or so where they are large.
const PROGRESS_SEGMENTS: usize = 16;

/// Why stored history cannot be verified, or that it is damaged.
#[derive(Debug, Error)]
pub enum HistoryCheckError {
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error(transparent)]
    History(#[from] history::Error),
    #[error("history is damaged in {n} place(s); everything else can be read")]
    Damaged { n: u64 },
    #[error("the result cannot be printed: {0}")]
    Say(io::Error),
}

/// Prints damage, with file and offset, the progress, and a summary.
///
/// # Errors
/// [`HistoryCheckError`], in words for the operator. Nothing was changed.
pub fn verify(data: &Path) -> Result<(), HistoryCheckError> {
    let data_dir = DataDir::open_existing(data)?;
    let mut said = Ok(());
    let mut print = |text: &str| {
        if said.is_ok() {
            said = say(text);
        }
    };
    let found = history::verify(&OsDisk, data_dir.path(), |progress| match progress {
        VerifyProgress::Damaged(error) => print(&format!("{error}\n")),
        VerifyProgress::Segments { n_done, n_all } => {
            if n_done.is_multiple_of(PROGRESS_SEGMENTS) {
                print(&format!("{n_done} of {n_all} files\n"));
            }
        }
    })?;
    print(&format!(
        "{} files, {} bytes, {} values\n",
        found.n_segments, found.n_bytes, found.n_values
    ));
    said.map_err(HistoryCheckError::Say)?;
    match found.n_damaged {
        0 => Ok(()),
        n => Err(HistoryCheckError::Damaged { n }),
    }
}
