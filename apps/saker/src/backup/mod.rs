//! `saker backup DIR`: a copy of a data directory from which a server can start.
//!
//! A running server makes it itself, told over its control socket ([`running`]); what stands in the directory of
//! a stopped one is copied as it is ([`stopped`]). Either way it is written beside and gets its name when it is
//! complete ([`target`]).

pub(crate) mod running;
mod stopped;
pub(crate) mod target;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rt::clock::Clock;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::control::{self, ControlAnswer, ControlError, ControlRequest};
use crate::data_dir::{DataDir, DataDirError};
use crate::say;
use crate::settings::Settings;

/// Between two lines of progress.
const PROGRESS_NS: u64 = 2_000_000_000;

#[derive(Debug, Error)]
pub(crate) enum BackupError {
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error(transparent)]
    Control(#[from] ControlError),
    #[error("{} is not empty: name a directory that is not there yet", path.display())]
    NotEmpty { path: PathBuf },
    #[error("{} is there and is no unfinished backup: move it away", path.display())]
    ForeignPartial { path: PathBuf },
    #[error("another backup is being written to {}", path.display())]
    PartialInUse { path: PathBuf },
    #[error("{} lies in the data directory: name another place", path.display())]
    Inside { path: PathBuf },
    #[error("{} is no path in UTF-8", path.display())]
    Path { path: PathBuf },
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
    #[error("{0}")]
    RefusedByServer(String),
    #[error("the backup is complete, but that cannot be printed: {0}")]
    Say(io::Error),
}

/// A backup that is complete.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct BackupReport {
    /// Of all files, those that are shared with the original included.
    pub(crate) bytes: u64,
    /// Bytes of files that are links to those of the original.
    pub(crate) linked_bytes: u64,
    /// Whether the configuration is in it; it is not if it is kept in PostgreSQL.
    pub(crate) has_configuration: bool,
}

/// How far a backup is, and whether to go on.
pub(crate) trait Progress: Sync {
    /// Adds to what there is to do.
    fn expect(&self, bytes: u64);
    /// Adds to what is done; `false` to give up.
    fn moved(&self, bytes: u64) -> bool;
}

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
    let answer = control::follow((data, pid), &request, |answer| match answer {
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

/// Progress on standard error.
struct ProgressLines {
    clock: Clock,
    told_ns: u64,
}

impl ProgressLines {
    fn new() -> Self {
        Self { clock: Clock::real(), told_ns: 0 }
    }

    fn tell(&mut self, bytes: u64, bytes_all: u64) {
        let now_ns = self.clock.mono_ns();
        if PROGRESS_NS <= now_ns.saturating_sub(self.told_ns) {
            self.told_ns = now_ns;
            // Standard error may be closed: the backup goes on.
            drop(writeln!(io::stderr(), "{bytes} of {bytes_all} bytes"));
        }
    }
}
