//! `saker backup DIR`: requests a backup from a running server over its control socket, and copies
//! the data of a stopped one ([`backup`]).

use std::io;
use std::path::{Path, PathBuf};

use backup::{BackupError, BackupReport, ProgressLines};
use data_dir::{DataDir, DataDirError};
use thiserror::Error;

use crate::control::protocol::{self, ControlAnswer, ControlError, ControlRequest};
use crate::settings::Settings;
use tools::say;

/// Why `saker backup` fails.
#[derive(Debug, Error)]
pub(crate) enum BackupCommandError {
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Control(#[from] ControlError),
    #[error("{} is no path in UTF-8", path.display())]
    Path { path: PathBuf },
    #[error("{0}")]
    RefusedByServer(String),
    #[error("the backup is complete, but that cannot be printed: {0}")]
    Say(io::Error),
}

/// Makes a backup, with progress on standard error.
///
/// # Errors
/// [`BackupCommandError`], in words for the operator. There is no backup then, but for
/// [`BackupCommandError::Say`].
pub(crate) fn run(settings: &Settings, dir: &Path) -> Result<(), BackupCommandError> {
    let absolute = std::path::absolute(dir)
        .map_err(|source| BackupError::Write { path: dir.to_owned(), source })?;
    let report = match DataDir::open_existing(&settings.data) {
        Ok(data_dir) => {
            let tables = settings.database.url.tables(data_dir.path());
            backup::copy_stopped(&data_dir, &tables, &absolute)?
        }
        Err(DataDirError::InUse { path, pid }) => ask_server((&path, pid), &absolute)?,
        Err(error) => return Err(error.into()),
    };
    let BackupReport { bytes, linked_bytes, has_configuration } = report;
    let mut output = format!("{bytes} bytes are in {}\n", absolute.display());
    if linked_bytes > 0 {
        output.push_str(&format!(
            "{linked_bytes} of them are links to files of history: the same disk has both\n"
        ));
    }
    if !has_configuration {
        output.push_str(
            "The configuration is in PostgreSQL and not among them: it needs a dump of pg_dump, made \
             shortly before\n",
        );
    }
    say(&output).map_err(BackupCommandError::Say)
}

fn ask_server(
    (data, pid): (&Path, Option<u32>),
    dir: &Path,
) -> Result<BackupReport, BackupCommandError> {
    let Some(text) = dir.to_str() else {
        return Err(BackupCommandError::Path { path: dir.to_owned() });
    };
    let request = ControlRequest::Backup { dir: text.to_owned() };
    let mut lines = ProgressLines::new();
    let answer = protocol::follow((data, pid), &request, |answer| match answer {
        ControlAnswer::BackupProgress { bytes, bytes_all } => {
            lines.report(bytes, bytes_all);
            None
        }
        other => Some(other),
    })?;
    match answer {
        ControlAnswer::BackedUp { report } => Ok(report),
        ControlAnswer::Refused { reason } => Err(BackupCommandError::RefusedByServer(reason)),
        _ => {
            Err(BackupCommandError::RefusedByServer("the server answers something else".to_owned()))
        }
    }
}
