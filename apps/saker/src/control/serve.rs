//! The server's side of the control socket: requests are served one after another, backups at the
//! same time.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use backup::{RunningParts, SharedProgress};
use db::Db;
use engine::readers::{Cursors, ReaderGap};
use history::Feeder;
use nix::unistd::Uid;
use rt::clock::Clock;
use rt::shutdown::Shutdown;
use rt::task::Tasks;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream as Peer};
use tokio::time::timeout;
use tracing::{info, warn};

use super::protocol::{ControlAnswer, ControlRequest, PEER_TIME, short_path};

/// Far above the longest request: names and passwords have 255 characters at most.
const REQUEST_BYTES_MAX: u64 = 16_384;
/// Between two answers with the progress of a backup.
const PROGRESS_TIME: Duration = Duration::from_secs(1);

/// The subjects of requests.
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
        // A socket that stays is removed by the next start.
        drop(fs::remove_file(short_path(&self.dir)));
    }
}

impl Control {
    /// Listens, in place of the socket of an earlier server. Only the holder of the directory's
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
                    warn!(%error, "the client of a backup has disconnected");
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

/// Makes a backup and reports its progress. It ends with the peer, and when the server stops.
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
            gaps.extend(parts.stores.accept_gaps().into_iter().map(|(name, gap)| ReaderGap {
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
    use std::os::unix::net::UnixStream;

    use super::*;
    use data_dir::SOCKET;

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
        assert!(!deep.join(SOCKET).try_exists().unwrap());
    }
}
