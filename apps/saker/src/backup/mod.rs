//! `saker backup DIR`: a copy of a data directory from which a server can start.
//!
//! A running server makes it itself, told over its control socket ([`running`]); what stands in the directory of
//! a stopped one is copied as it is ([`stopped`]). Either way it is written beside and gets its name when it is
//! complete ([`target`]).

mod error;
mod progress;
pub(crate) mod running;
mod stopped;
mod target;

use std::path::Path;

use self::error::BackupError;
use self::progress::ProgressLines;
use crate::control::protocol::{self, BackupReport, ControlAnswer, ControlRequest};
use crate::data_dir::{DataDir, DataDirError};
use crate::settings::Settings;
use tools::say;

/// Makes a backup, with progress on standard error.
///
/// # Errors
/// [`BackupError`], in words for the operator. There is no backup then, but for [`BackupError::Say`].
pub(crate) fn run(settings: &Settings, dir: &Path) -> Result<(), BackupError> {
    let absolute = std::path::absolute(dir)
        .map_err(|source| BackupError::Write { path: dir.to_owned(), source })?;
    let report = match DataDir::open_existing(&settings.data) {
        Ok(data_dir) => stopped::copy(settings, &data_dir, &absolute)?,
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
    say(&output).map_err(BackupError::Say)
}

fn ask_server((data, pid): (&Path, Option<u32>), dir: &Path) -> Result<BackupReport, BackupError> {
    let Some(text) = dir.to_str() else {
        return Err(BackupError::Path { path: dir.to_owned() });
    };
    let request = ControlRequest::Backup { dir: text.to_owned() };
    let mut lines = ProgressLines::new();
    let answer = protocol::follow((data, pid), &request, |answer| match answer {
        ControlAnswer::BackupProgress { bytes, bytes_all } => {
            lines.tell(bytes, bytes_all);
            None
        }
        other => Some(other),
    })?;
    match answer {
        ControlAnswer::BackedUp { report } => Ok(report),
        ControlAnswer::Refused { reason } => Err(BackupError::RefusedByServer(reason)),
        _ => Err(BackupError::RefusedByServer("the server answers something else".to_owned())),
    }
}
