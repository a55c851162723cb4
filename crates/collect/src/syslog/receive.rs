//! Sockets: datagrams and streams to messages in the queue.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::Time;
use model::map::Map;
use rt::clock::Clock;
use rt::lanes::{Accepted, Lanes};
use rt::metrics::{Counter, Family, Gauge};
use rt::places::owner;
use rt::queue::Sender;
use rt::shutdown::Shutdown;
use rt::task::Tasks;
use socket2::SockRef;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::{debug, warn};
use wire::syslog::{Frame, Frames};

/// A datagram can't be longer.
const DATAGRAM_BYTES_MAX: usize = 65_536;
/// Bytes of datagrams in the kernel: some thousand messages, while the thread handles the last
/// ones. The system may grant less.
const SOCKET_BYTES: usize = 4 << 20;
/// Bytes read from a stream at once.
const READ_BYTES: usize = 16 << 10;
/// A connection that is silent for this long ends; senders connect again for their next message.
const IDLE_MAX: Duration = Duration::from_secs(3_600);
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

rt::metrics! {
    /// Syslog.
    pub(super) struct SyslogMetrics in "saker_syslog", formerly "collect_syslog" {
        /// Messages received, by transport.
        pub(super) received_total: Family<Counter> = "transport",
        /// Messages cut because they are too long.
        pub(super) cut_total: Counter,
        /// Datagrams lost because too many messages waited.
        pub(super) dropped_total: Counter,
        /// Messages dropped because their host sends too many a second.
        pub(super) limited_total: Counter,
        /// Messages of senders that belong to no host.
        pub(super) unknown_total: Counter,
        /// Messages that no item of their host took.
        pub(super) unmatched_total: Counter,
        /// Values made from messages.
        pub(super) values_total: Counter,
        /// Connections open now.
        pub(super) connections_open: Gauge,
        /// Connections refused because their address already has its share.
        pub(super) refused_total: Counter,
        /// Connections ended because of bytes that are no syslog.
        pub(super) frame_errors_total: Counter,
    }
}

/// An address has at most one in this many of all connections, so that none keeps the others out.
const SHARE: usize = 10;
/// Connections that an address has in any case, even if there are few in all.
const SHARE_MIN: usize = 4;

/// Connections by address.
#[derive(Clone, Default)]
pub(super) struct Shares(Arc<Mutex<Map<IpAddr, usize>>>);

/// A connection that is counted while it lives.
pub(super) struct Share {
    of: Shares,
    address: IpAddr,
}

impl Shares {
    /// `None`: the address has its share.
    pub(super) fn take(&self, address: IpAddr, connections_max: usize) -> Option<Share> {
        let address = owner(address);
        let share = (connections_max / SHARE).max(SHARE_MIN);
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let n = counts.entry(address).or_insert(0);
        if share <= *n {
            return None;
        }
        *n += 1;
        Some(Share { of: self.clone(), address })
    }
}

#[cfg(test)]
impl Shares {
    pub(super) fn n_addresses(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut counts = self.of.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = counts.get(&self.address).map_or(0, |it| it.saturating_sub(1));
        // The last connection of an address forgets the address.
        if left == 0 {
            counts.remove(&self.address);
        } else {
            counts.insert(self.address, left);
        }
    }
}

/// A message as received.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) bytes: Vec<u8>,
    pub(super) from: IpAddr,
    pub(super) time: Time,
}

/// The destination of messages.
#[derive(Clone)]
pub(super) struct Into {
    pub(super) queue: Sender<Received>,
    pub(super) clock: Clock,
    pub(super) metrics: SyslogMetrics,
    /// Bytes that are kept of a message.
    pub(super) max: usize,
}

impl Into {
    fn received(&self, bytes: &[u8], is_cut: bool, from: SocketAddr) -> Received {
        let kept = bytes.get(..self.max).unwrap_or(bytes);
        if is_cut || kept.len() < bytes.len() {
            self.metrics.cut_total.inc();
        }
        Received { bytes: kept.to_vec(), from: from.ip().to_canonical(), time: self.clock.wall() }
    }
}

/// Counts a connection as long as it is open, however it ends.
struct Open(Gauge);

impl Open {
    fn count(metrics: &SyslogMetrics) -> Self {
        metrics.connections_open.add(1.0);
        Self(metrics.connections_open.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.add(-1.0);
    }
}

/// With room for bursts.
fn prepared(socket: std::net::UdpSocket) -> std::io::Result<UdpSocket> {
    if let Err(error) = SockRef::from(&socket).set_recv_buffer_size(SOCKET_BYTES) {
        debug!(%error, "the kernel grants no larger receive buffer for syslog");
    }
    socket.set_nonblocking(true)?;
    UdpSocket::from_std(socket)
}

/// Runs until shutdown.
pub(super) async fn udp(socket: std::net::UdpSocket, into: Into, shutdown: Shutdown) {
    let socket = match prepared(socket) {
        Ok(it) => it,
        Err(error) => {
            warn!(%error, "syslog datagrams are not received");
            return;
        }
    };
    let received = into.metrics.received_total.of("udp");
    let mut buffer = vec![0; DATAGRAM_BYTES_MAX];
    loop {
        let read = tokio::select! {
            () = shutdown.cancelled() => return,
            read = socket.recv_from(&mut buffer) => read,
        };
        match read {
            Ok((n, from)) => {
                received.inc();
                let bytes = buffer.get(..n).unwrap_or_default();
                if into.queue.try_send(into.received(bytes, false, from)).is_err() {
                    into.metrics.dropped_total.inc();
                }
            }
            Err(error) => {
                debug!(%error, "cannot receive a datagram of syslog");
                into.clock.sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Accepts connections until shutdown, in the first lane.
pub(super) async fn tcp(
    listener: TcpListener,
    connections_max: usize,
    into: Into,
    (tasks, lanes): (Tasks, Lanes),
) {
    let slots = Arc::new(Semaphore::new(connections_max.min(Semaphore::MAX_PERMITS)));
    let shares = Shares::default();
    loop {
        let accepted = tokio::select! {
            () = tasks.shutdown().cancelled() => return,
            accepted = accept(&listener, &slots) => accepted,
        };
        match accepted {
            Ok((permit, stream, from)) => {
                let Some(share) = shares.take(from.ip(), connections_max) else {
                    into.metrics.refused_total.inc();
                    continue;
                };
                let (into, shutdown) = (into.clone(), tasks.shutdown().clone());
                let lane = lanes.place();
                let runtime = lane.runtime().clone();
                let stream = Accepted::for_lane(stream, &lane);
                tasks.spawn_contained_on(&runtime, "syslog connection", from, async move {
                    let (_open, _lane) = (Open::count(&into.metrics), lane);
                    let stream = match stream.and_then(Accepted::here) {
                        Ok(it) => it,
                        Err(error) => return debug!(%from, %error, "lost a connection of syslog"),
                    };
                    tokio::select! {
                        () = shutdown.cancelled() => {}
                        () = connection(stream, from, &into) => {}
                    }
                    drop(share);
                    drop(permit);
                });
            }
            Err(error) => {
                warn!(%error, "cannot accept a connection of syslog");
                into.clock.sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> std::io::Result<(tokio::sync::OwnedSemaphorePermit, TcpStream, SocketAddr)> {
    let permit = Arc::clone(slots).acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, from) = listener.accept().await?;
    Ok((permit, stream, from))
}

async fn connection(mut stream: TcpStream, from: SocketAddr, into: &Into) {
    let received = into.metrics.received_total.of("tcp");
    let mut frames = Frames::new(into.max);
    let mut buffer = vec![0; READ_BYTES];
    let message = |it: Frame<'_>| {
        received.inc();
        into.received(it.bytes, it.is_cut, from)
    };
    loop {
        let Ok(Ok(read @ 1..)) = timeout(IDLE_MAX, stream.read(&mut buffer)).await else { break };
        frames.feed(buffer.get(..read).unwrap_or_default());
        loop {
            let next = match frames.next_message() {
                Ok(None) => break,
                Ok(Some(it)) => message(it),
                Err(error) => {
                    into.metrics.frame_errors_total.inc();
                    debug!(%from, %error, "ended a connection of syslog");
                    return;
                }
            };
            if into.queue.send(next).await.is_err() {
                return;
            }
        }
    }
    let last = frames.last().map(message);
    if let Some(last) = last {
        drop(into.queue.send(last).await);
    }
}
