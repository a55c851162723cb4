//! Requests and answers, and how the command line asks.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use backup::BackupReport;
use engine::readers::ReaderGap;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use data_dir::SOCKET;

/// For a peer to send its line and take the answer. Requests are served one after another.
pub(super) const PEER_TIME: Duration = Duration::from_secs(5);
/// For the server to answer; its database may wait 10 s for a lock.
const ANSWER_TIME: Duration = Duration::from_secs(30);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ControlRequest {
    SetPassword {
        username: String,
        password: String,
    },
    /// Readers of the journal continue with the records that are there.
    AcceptGaps,
    /// Copy everything to a directory: an absolute path.
    Backup {
        dir: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ControlAnswer {
    PasswordSet {
        may_log_in: bool,
    },
    GapsAccepted {
        gaps: Vec<ReaderGap>,
    },
    /// Others follow, one a second.
    BackupProgress {
        bytes: u64,
        bytes_all: u64,
    },
    BackedUp {
        report: BackupReport,
    },
    Refused {
        reason: String,
    },
}

#[derive(Debug, Error)]
pub(crate) enum ControlError {
    #[error(
        "the data directory {} is in use by another saker{} that does not answer ({source}): stop \
         it and try again",
        path.display(),
        pid.map(|it| format!(" (process {it})")).unwrap_or_default()
    )]
    Unreachable { path: PathBuf, pid: Option<u32>, source: io::Error },
}

/// A path to the socket that is short enough: the system takes 107 bytes, data directories may be
/// longer. It is good as long as the directory is open.
pub(super) fn short_path(dir: &File) -> PathBuf {
    Path::new("/proc/self/fd").join(dir.as_raw_fd().to_string()).join(SOCKET)
}

/// Sends a request to the server that uses a data directory.
///
/// # Errors
/// If there is no answer.
pub(crate) fn ask(
    data: &Path,
    pid: Option<u32>,
    request: &ControlRequest,
) -> Result<ControlAnswer, ControlError> {
    follow((data, pid), request, Some)
}

/// As [`ask`], for longer requests: passes on each answer until the last one.
///
/// # Errors
/// As [`ask`].
pub(crate) fn follow(
    (data, pid): (&Path, Option<u32>),
    request: &ControlRequest,
    mut last: impl FnMut(ControlAnswer) -> Option<ControlAnswer>,
) -> Result<ControlAnswer, ControlError> {
    let mut exchange = || {
        let dir = File::open(data)?;
        let mut stream = UnixStream::connect(short_path(&dir))?;
        stream.set_read_timeout(Some(ANSWER_TIME))?;
        stream.set_write_timeout(Some(PEER_TIME))?;
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        stream.write_all(&line)?;
        let mut reader = BufReader::new(stream);
        loop {
            let mut answer = String::new();
            if reader.read_line(&mut answer)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Some(last) = last(serde_json::from_str(&answer)?) {
                return Ok(last);
            }
        }
    };
    exchange().map_err(|source| ControlError::Unreachable { path: data.to_owned(), pid, source })
}
