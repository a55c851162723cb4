//! The control socket: what the command line tells a running server.
//!
//! `saker.sock` in the data directory, for the owner of the server alone: its mode says so, and the
//! server refuses peers of another user (root may). One request a connection, one JSON object a
//! line, in both directions. There is no network in this: who can write the data directory could
//! change its contents anyway.

use std::fs::{self, File, Permissions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use db::Db;
use history::Feeder;
use nix::unistd::Uid;
use rt::clock::Clock;
use rt::shutdown::Shutdown;
use rt::task::Tasks;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream as Peer};
use tokio::time::timeout;
use tracing::{info, warn};

use crate::backup::BackupReport;
use crate::backup::running::{RunningParts, SharedProgress};
use crate::server::{Cursors, Gap};

const NAME: &str = "saker.sock";

/// Far above the longest request: names and passwords have 255 characters at most.
const REQUEST_BYTES_MAX: u64 = 16_384;
/// For a peer to send its line and take the answer. Requests are served one after another.
const PEER_TIME: Duration = Duration::from_secs(5);
/// For the server to answer; its database may wait 10 s for a lock.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// Between two answers that tell how far a backup is.
const PROGRESS_TIME: Duration = Duration::from_secs(1);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ControlRequest {
    SetPassword {
        username: String,
        password: String,
    },
    /// Readers of the journal go on with what it has.
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
        gaps: Vec<Gap>,
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
fn short_path(dir: &File) -> PathBuf {
    Path::new("/proc/self/fd").join(dir.as_raw_fd().to_string()).join(NAME)
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

/// As [`ask`], of what takes longer: hears each answer until one is the last.
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

/// What requests are about.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) db: Db,
    pub(crate) cursors: Arc<Cursors>,
    /// Of values.
    pub(crate) stores: Feeder,
    pub(crate) backup: RunningParts,
    pub(crate) clock: Clock,
}

/// The socket of a server; gone with it.
#[derive(Debug)]
pub(crate) struct Control {
    listener: UnixListener,
    /// Keeps the short path good.
    dir: File,
}

impl Drop for Control {
    fn drop(&mut self) {
        // What stays is taken away by the next start.
        drop(fs::remove_file(short_path(&self.dir)));
    }
}

impl Control {
    /// Listens, in the place of what an earlier server left. Only the holder of the directory's
    /// lock may do so.
    ///
    /// # Errors
    /// If the file system has no sockets, for instance.
    pub(crate) fn listen(data: &Path) -> io::Result<Self> {
        let dir = File::open(data)?;
        let path = short_path(&dir);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        Ok(Self { listener, dir })
    }

    /// Answers until shutdown.
    pub(crate) async fn serve(self, parts: Parts, tasks: Tasks) {
        loop {
            let accepted = tokio::select! {
                () = tasks.shutdown().cancelled() => return,
                it = self.listener.accept() => it,
            };
            let served = match accepted {
                Ok((peer, _)) => {
                    let answered = answer(peer, &parts, &tasks);
                    let contained = tasks.contain("control request", "its peer", answered);
                    contained.await.unwrap_or_else(|panicked| Err(io::Error::other(panicked)))
                }
                Err(error) => {
                    // Out of descriptors, most likely: it must not turn in circles.
                    parts.clock.sleep(Duration::from_millis(100)).await;
                    Err(error)
                }
            };
            if let Err(error) = served {
                warn!(%error, "a request over the control socket failed");
            }
        }
    }
}

async fn answer(mut peer: Peer, parts: &Parts, tasks: &Tasks) -> io::Result<()> {
    let uid = Uid::from_raw(peer.peer_cred()?.uid());
    if !uid.is_root() && uid != Uid::effective() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("the peer is user {uid}"),
        ));
    }
    let mut line = String::new();
    let mut reader = tokio::io::BufReader::new((&mut peer).take(REQUEST_BYTES_MAX));
    timeout(PEER_TIME, reader.read_line(&mut line)).await??;
    let answer = match serde_json::from_str(&line) {
        Ok(ControlRequest::Backup { dir }) => {
            // It takes long, and others are served meanwhile.
            let (parts, shutdown) = (parts.clone(), tasks.shutdown().clone());
            tasks.spawn_contained("backup", "its peer", async move {
                if let Err(error) = back_up((peer, PathBuf::from(dir)), parts, shutdown).await {
                    warn!(%error, "who asked for a backup does not listen any more");
                }
            });
            return Ok(());
        }
        Ok(request) => carry_out(request, parts.clone()).await,
        Err(error) => {
            ControlAnswer::Refused { reason: format!("the server does not know this: {error}") }
        }
    };
    send(&mut peer, &answer).await
}

async fn send(peer: &mut Peer, answer: &ControlAnswer) -> io::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    timeout(PEER_TIME, peer.write_all(&line)).await?
}

/// Makes a backup and tells how far it is. It ends with the peer, and when the server stops.
async fn back_up(
    (mut peer, dir): (Peer, PathBuf),
    parts: Parts,
    shutdown: Shutdown,
) -> io::Result<()> {
    let progress = Arc::new(SharedProgress::default());
    let of_work = Arc::clone(&progress);
    let mut work = tokio::task::spawn_blocking(move || parts.backup.copy(&dir, &of_work));
    let mut listens = Ok(());
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            () = shutdown.cancelled(), if listens.is_ok() => {
                progress.give_up();
                listens = Err(io::Error::other("the server stops"));
            }
            () = parts.clock.sleep(PROGRESS_TIME), if listens.is_ok() => {
                let (bytes, bytes_all) = progress.get();
                let answer = ControlAnswer::BackupProgress { bytes, bytes_all };
                listens = send(&mut peer, &answer).await;
                if listens.is_err() {
                    progress.give_up();
                }
            }
        }
    };
    let answer = match done {
        Ok(Ok(report)) => ControlAnswer::BackedUp { report },
        Ok(Err(error)) => {
            warn!(%error, "a backup failed");
            ControlAnswer::Refused { reason: error.to_string() }
        }
        Err(error) => ControlAnswer::Refused { reason: error.to_string() },
    };
    send(&mut peer, &answer).await.and(listens)
}

async fn carry_out(request: ControlRequest, parts: Parts) -> ControlAnswer {
    match request {
        ControlRequest::SetPassword { username, password } => {
            set_password((username, password), parts).await
        }
        ControlRequest::Backup { .. } => unreachable!("it has a task of its own"),
        ControlRequest::AcceptGaps => {
            let mut gaps = parts.cursors.accept_gaps();
            gaps.extend(parts.stores.accept_gaps().into_iter().map(|(name, gap)| Gap {
                reader: format!("history store {name}"),
                cursor: gap.cursor.0,
                first: gap.first.0,
                next: gap.next.0,
            }));
            warn!(?gaps, "gaps of the journal were accepted on the command line");
            ControlAnswer::GapsAccepted { gaps }
        }
    }
}

async fn set_password((username, password): (String, String), parts: Parts) -> ControlAnswer {
    let Parts { db, clock, .. } = parts;
    // It waits for the database and computes a hash.
    let set = tokio::task::spawn_blocking(move || {
        let set = db.reset_password(&username, &password, clock.wall());
        (set, username)
    });
    match set.await {
        Ok((Ok(may_log_in), username)) => {
            info!(username, "a password was set on the command line");
            ControlAnswer::PasswordSet { may_log_in }
        }
        Ok((Err(error), _)) => ControlAnswer::Refused { reason: error.to_string() },
        Err(error) => ControlAnswer::Refused { reason: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn deep_directories_have_a_socket_and_a_second_start_takes_it_over() {
        let temp = tempfile::tempdir().unwrap();
        let deep = temp.path().join("d".repeat(120)).join("e".repeat(120));
        fs::create_dir_all(&deep).unwrap();
        // As a crash leaves it.
        std::mem::forget(Control::listen(&deep).unwrap());
        let control = Control::listen(&deep).unwrap();
        let dir = File::open(&deep).unwrap();
        let (connected, accepted) =
            (UnixStream::connect(short_path(&dir)), control.listener.accept().await);
        assert!(connected.is_ok() && accepted.is_ok());
        drop(control);
        assert!(!deep.join(NAME).try_exists().unwrap());
    }
}
