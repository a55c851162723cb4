//! The port on which traps and informs are received.

use std::io;
use std::net::{SocketAddr, UdpSocket as StdSocket};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rt::clock::Clock;
use rt::queue::Sender;
use rt::task::Tasks;
use tokio::net::UdpSocket;
use tokio::task::yield_now;
use wire::snmp::Notification;

use super::matching::Said;
use super::{Trap, TrapMetrics};

/// Largest datagram.
const DATAGRAM_MAX: usize = 65_536;
/// Datagrams read before other work gets its turn.
const READ_MAX: usize = 64;

#[derive(Debug)]
pub(super) struct TrapPort {
    socket: UdpSocket,
    own: SocketAddr,
    /// Empty: any.
    communities: Vec<String>,
}

impl TrapPort {
    pub(super) fn new(socket: StdSocket, communities: &str) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        let own = socket.local_addr()?;
        let communities = communities.split(',').map(str::trim).filter(|it| !it.is_empty());
        let communities = communities.map(str::to_owned).collect();
        Ok(Self { socket: UdpSocket::from_std(socket)?, own, communities })
    }

    /// Puts what arrives into the queue, for ever.
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
                    // Errors of earlier answers show up here, one each.
                    Err(_of_some_answer) => continue,
                };
                let datagram = buffer.get(..len).unwrap_or_default();
                let is_taken = || self.is_taken(datagram);
                if !tasks.contain_sync("SNMP trap", from, is_taken).unwrap_or(false) {
                    metrics.refused_total.inc();
                    continue;
                }
                let trap = Trap { datagram: datagram.to_vec(), from, time: clock.wall() };
                if queue.try_send(trap).is_err() {
                    metrics.dropped_total.inc();
                }
            }
            yield_now().await;
        }
    }

    fn is_taken(&self, datagram: &[u8]) -> bool {
        let Ok(it) = Notification::decode(datagram) else { return false };
        let is_it = |known: &String| known.as_bytes() == it.community;
        self.communities.is_empty() || self.communities.iter().any(is_it)
    }

    /// A trap as items see it.
    pub(super) fn text(&self, trap: &Trap) -> Option<Said> {
        let notification = Notification::decode(&trap.datagram).ok()?;
        let mut text = String::with_capacity(trap.datagram.len() * 4);
        let time = Timestamp::from_second(trap.time.clock()).unwrap_or_default();
        let zoned = time.to_zoned(TimeZone::system());
        text.push_str(&zoned.strftime("%Y-%m-%dT%H:%M:%S%z ").to_string());
        notification.write_text(trap.from, self.own, &mut text);
        let text = text.trim_end().to_owned();
        Some(Said { from: trap.from.ip().to_string(), text, time: trap.time })
    }

    /// Answers an inform.
    pub(super) async fn answer(&self, trap: &Trap) {
        let Ok(notification) = Notification::decode(&trap.datagram) else { return };
        if notification.is_inform {
            let mut answer = Vec::new();
            notification.write_answer(&mut answer);
            // Where it cannot be sent, the device asks again.
            drop(self.socket.send_to(&answer, trap.from).await);
        }
    }
}
