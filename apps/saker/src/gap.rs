//! `saker journal accept-gap`: the operator lets a running server continue without records that its
//! journal has lost.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::control::protocol::{self, ControlAnswer, ControlError, ControlRequest};
use crate::settings::Settings;
use data_dir::{DataDir, DataDirError};
use tools::say;

#[derive(Debug, Error)]
pub(crate) enum GapError {
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error(transparent)]
    Control(#[from] ControlError),
    #[error(
        "no server uses {}: start it first; it also runs while a part of its journal is missing",
        path.display()
    )]
    NotRunning { path: PathBuf },
    #[error("nothing is missing; nothing was changed")]
    NoGap,
    #[error("{0}")]
    Refused(String),
    #[error("the gap was accepted, but that cannot be printed: {0}")]
    Say(io::Error),
}

/// Prints the records that are given up.
///
/// # Errors
/// [`GapError`], in words for the operator. Nothing was changed then, but for [`GapError::Say`].
pub(crate) fn accept(settings: &Settings) -> Result<(), GapError> {
    let gaps = match DataDir::open_existing(&settings.data) {
        Ok(data_dir) => {
            return Err(GapError::NotRunning { path: data_dir.path().to_owned() });
        }
        Err(DataDirError::InUse { path, pid }) => {
            match protocol::ask(&path, pid, &ControlRequest::AcceptGaps)? {
                ControlAnswer::GapsAccepted { gaps } => gaps,
                ControlAnswer::Refused { reason } => return Err(GapError::Refused(reason)),
                _ => {
                    return Err(GapError::Refused("the server answers something else".to_owned()));
                }
            }
        }
        Err(error) => return Err(error.into()),
    };
    if gaps.is_empty() {
        return Err(GapError::NoGap);
    }
    let mut output = String::new();
    for gap in gaps {
        // Writing to a String cannot fail.
        writeln!(
            output,
            "{} goes on at position {}; stored is what comes before position {}.",
            gap.reader, gap.first, gap.cursor
        )
        .expect("memory takes text");
    }
    say(&output).map_err(GapError::Say)
}
