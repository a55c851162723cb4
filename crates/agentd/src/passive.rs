//! Passive checks: a server connects, sends a request, and reads the answer.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rt::clock::Clock;
use rt::log::Limit;
use rt::task::Tasks;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tracing::warn;
use wire::passive::{encode_answers, parse_request};
use wire::zbxd::{self, Decoder, FrameLimits, Plain};

use crate::allowed::Allowed;
use crate::checks::Checks;
use crate::security::Security;

/// Longest request: a key has 2,048 characters; this holds a long list of them. A longer one ends
/// the connection.
const REQUEST_BYTES_MAX: u64 = 256 << 10;
/// Keys of one request.
const CHECKS_MAX: usize = 100;
/// A peer's time for its request, and for taking the answer.
const PEER_MAX: Duration = Duration::from_secs(10);
/// Longest time-out that a request may ask for, as in Zabbix.
const TIME_MAX: Duration = Duration::from_secs(600);
/// After an error of the listener, such as no descriptors left.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// The state shared by connections.
#[derive(Debug)]
pub(crate) struct Passive {
    pub(crate) checks: Checks,
    pub(crate) allowed: Allowed,
    pub(crate) security: Arc<Security>,
    /// For checks whose request has no time-out.
    pub(crate) time: Duration,
    pub(crate) tasks: Tasks,
    pub(crate) clock: Clock,
    /// Connections at once, of all listeners.
    pub(crate) places: Arc<Semaphore>,
    pub(crate) refused: Limit,
}

/// Accepts connections until shutdown.
pub(crate) async fn listen(passive: Arc<Passive>, listener: TcpListener) {
    loop {
        let next = async {
            let place = Arc::clone(&passive.places).acquire_owned().await;
            (place.expect("this semaphore is never closed"), listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = passive.tasks.shutdown().cancelled() => return,
            next = next => next,
        };
        match accepted {
            Ok((stream, peer)) => {
                let of = Arc::clone(&passive);
                passive.tasks.spawn_contained("passive check", peer.ip(), async move {
                    of.serve(stream, peer).await;
                    drop(place);
                });
            }
            Err(error) => {
                if let Some(n_left_out) = passive.refused.admit(passive.clock.mono_ns()) {
                    warn!(%error, n_left_out, "cannot accept a connection");
                }
                sleep(AFTER_ERROR).await;
            }
        }
    }
}

impl Passive {
    async fn serve(&self, stream: TcpStream, peer: SocketAddr) {
        if !self.allowed.admits(peer.ip()).await {
            return self.refuse(peer, "not among passive.servers");
        }
        let secured = timeout(PEER_MAX, self.security.accept(stream)).await;
        let mut stream = match secured {
            Ok(Ok(stream)) => stream,
            Ok(Err(reason)) => return self.refuse(peer, &reason),
            Err(_late) => return,
        };
        // A peer that closes early has its answer, or does not want it.
        drop(self.answer(&mut stream).await);
    }

    fn refuse(&self, peer: SocketAddr, reason: &str) {
        if let Some(n_left_out) = self.refused.admit(self.clock.mono_ns()) {
            let address = peer.ip().to_canonical();
            warn!(%address, reason, n_left_out, "refused a connection");
        }
    }

    async fn answer<S>(&self, stream: &mut S) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let late = |_late| io::Error::from(io::ErrorKind::TimedOut);
        let Some(payload) = timeout(PEER_MAX, receive(stream)).await.map_err(late)?? else {
            return Ok(());
        };
        let request = parse_request(&payload);
        let room = self.checks.room();
        let mut results = Vec::new();
        for check in request.checks.iter().take(CHECKS_MAX) {
            let asked = check.timeout_s.map(|it| Duration::from_secs(it.into()));
            let time = asked.filter(|it| !it.is_zero()).unwrap_or(self.time).min(TIME_MAX);
            results.push(self.checks.get_in(&check.key, time, &room).await);
        }
        let (mut payload, mut packet) = (Vec::new(), Vec::new());
        let said: Vec<Result<&str, &str>> =
            results.iter().map(|it| it.as_deref().map_err(String::as_str)).collect();
        encode_answers(request.form, &said, &mut payload);
        // The room is for two copies.
        drop(results);
        zbxd::encode(&payload, &mut packet);
        drop(payload);
        let sending = async {
            stream.write_all(&packet).await?;
            stream.shutdown().await
        };
        let sent = timeout(PEER_MAX, sending).await.map_err(late)?;
        drop(room);
        sent
    }
}

/// The payload of a request; `None` if the peer sends nothing.
async fn receive<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<Option<Vec<u8>>> {
    let limits = FrameLimits {
        packet_max: REQUEST_BYTES_MAX,
        inflated_max: REQUEST_BYTES_MAX,
        plain: Plain::UntilNewline,
    };
    let mut decoder = Decoder::new(limits);
    let mut chunk = [0; 4096];
    loop {
        if let Some(frame) = decoder.poll().map_err(io::Error::other)? {
            return Ok(Some(frame.payload.to_vec()));
        }
        match stream.read(&mut chunk).await? {
            0 => {
                let frame = decoder.close().map_err(io::Error::other)?;
                return Ok(frame.map(|it| it.payload.to_vec()));
            }
            n => decoder.feed(chunk.get(..n).unwrap_or_default()),
        }
    }
}
