//! The port on which traps and informs are received.

use std::io;
use std::net::{SocketAddr, UdpSocket as StdSocket};
use std::sync::atomic::{AtomicUsize, Ordering};

use rt::clock::Clock;
use rt::queue::Sender;
use rt::task::Tasks;
use tokio::net::UdpSocket;
use tokio::task::yield_now;
use wire::snmp::{Notification, V3Message, peek_version};

use super::parts::{Trap, TrapMetrics};
use super::settings::Communities;

/// Largest datagram.
const DATAGRAM_MAX: usize = 65_536;
/// Datagrams read before other work gets its turn.
const READ_MAX: usize = 64;
/// Bytes of datagrams that wait: some hundred thousand usual ones. Further ones are dropped and
/// counted.
const WAITING_BYTES_MAX: usize = 64 << 20;
/// The receive buffer requested from the kernel; it may grant less.
const KERNEL_BYTES: usize = 4 << 20;

#[derive(Debug)]
pub(super) struct TrapPort {
    socket: UdpSocket,
    pub(super) own: SocketAddr,
    communities: Communities,
    waiting_bytes: AtomicUsize,
}

/// Whether a datagram has the version of SNMPv3.
pub(super) fn is_v3(datagram: &[u8]) -> bool {
    peek_version(datagram) == Ok(3)
}

impl TrapPort {
    pub(super) fn new(socket: StdSocket, communities: &Communities) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        // Without it the kernel drops datagrams of a storm, uncounted.
        drop(socket2::SockRef::from(&socket).set_recv_buffer_size(KERNEL_BYTES));
        let own = socket.local_addr()?;
        let communities = communities.clone();
        let socket = UdpSocket::from_std(socket)?;
        Ok(Self { socket, own, communities, waiting_bytes: AtomicUsize::new(0) })
    }

    /// Puts received datagrams into the queue, for ever.
    pub(super) async fn receive(
        &self,
        queue: Sender<Trap>,
        metrics: &TrapMetrics,
        clock: &Clock,
        tasks: &Tasks,
    ) {
        let mut buffer = vec![0; DATAGRAM_MAX];
        while self.socket.readable().await.is_ok() {
            for _ in 0..READ_MAX {
                let (len, from) = match self.socket.try_recv_from(&mut buffer) {
                    Ok(it) => it,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    // Errors of earlier answers appear here, one each.
                    Err(_of_some_answer) => continue,
                };
                let datagram = buffer.get(..len).unwrap_or_default();
                let is_taken = || self.is_taken(datagram);
                if !tasks.contain_sync("SNMP trap", from, is_taken).unwrap_or(false) {
                    metrics.refused_total.inc();
                    continue;
                }
                if WAITING_BYTES_MAX < self.waiting_bytes.load(Ordering::Relaxed) + len {
                    metrics.dropped_total.inc();
                    continue;
                }
                let trap = Trap { datagram: datagram.to_vec(), from, time: clock.wall() };
                self.waiting_bytes.fetch_add(len, Ordering::Relaxed);
                if queue.try_send(trap).is_err() {
                    self.waiting_bytes.fetch_sub(len, Ordering::Relaxed);
                    metrics.dropped_total.inc();
                }
            }
            yield_now().await;
        }
    }

    /// Counts a trap that has left the queue.
    pub(super) fn has_left(&self, trap: &Trap) {
        self.waiting_bytes.fetch_sub(trap.datagram.len(), Ordering::Relaxed);
    }

    /// Whether it is worth a place in the queue. Users of v3 are checked after the queue.
    fn is_taken(&self, datagram: &[u8]) -> bool {
        if is_v3(datagram) {
            return V3Message::decode(datagram).is_ok();
        }
        let notification = Notification::decode(datagram);
        notification.is_ok_and(|it| self.communities.is_taken(it.community))
    }

    /// Sends an answer. If that fails, the device asks again.
    pub(super) async fn answer(&self, to: SocketAddr, answer: &[u8]) {
        drop(self.socket.send_to(answer, to).await);
    }
}
