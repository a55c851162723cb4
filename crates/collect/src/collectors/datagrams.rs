//! A socket for datagrams, read and written many at a time.
//!
//! Serves UDP and raw ICMP sockets alike. Sending never waits: what the kernel has no room for is
//! tried again by the caller.

use std::io;
use std::net::SocketAddr;

use rt::task::Tasks;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::UdpSocket;

/// Datagrams read before other work gets its turn.
const READ_MAX: usize = 64;
/// Room that is asked for: answers of many devices arrive in one millisecond. The kernel may give
/// less.
const BUFFER_BYTES: usize = 4 << 20;
/// Largest datagram.
const DATAGRAM_MAX: usize = 65_536;

#[derive(Debug)]
pub(super) struct Datagrams {
    socket: UdpSocket,
    /// A datagram over which its reader panics is nobody's answer.
    tasks: Tasks,
}

/// Memory for reading; one for each reader.
#[derive(Debug)]
pub(super) struct Buffer(Box<[u8]>);

impl Default for Buffer {
    fn default() -> Self {
        Self(vec![0; DATAGRAM_MAX].into())
    }
}

impl Datagrams {
    /// Opens a socket bound to no address of its own.
    pub(super) fn open(
        domain: Domain,
        kind: Type,
        protocol: Protocol,
        tasks: &Tasks,
    ) -> io::Result<Self> {
        let socket = Socket::new(domain, kind, Some(protocol))?;
        socket.set_nonblocking(true)?;
        // As much as we may: too little only costs repetitions.
        drop(socket.set_recv_buffer_size(BUFFER_BYTES));
        drop(socket.set_send_buffer_size(BUFFER_BYTES));
        if protocol == Protocol::UDP {
            let any: SocketAddr = if domain == Domain::IPV6 {
                (std::net::Ipv6Addr::UNSPECIFIED, 0).into()
            } else {
                (std::net::Ipv4Addr::UNSPECIFIED, 0).into()
            };
            socket.bind(&any.into())?;
        }
        // Only the functions that any socket has are used of the type.
        Ok(Self { socket: UdpSocket::from_std(socket.into())?, tasks: tasks.clone() })
    }

    /// Waits until there is something to read, and reads some of it. Cancel-safe.
    pub(super) async fn receive(
        &self,
        buffer: &mut Buffer,
        mut take: impl FnMut(SocketAddr, &[u8]),
    ) {
        if self.socket.readable().await.is_err() {
            // The runtime is shutting down.
            return std::future::pending().await;
        }
        for _ in 0..READ_MAX {
            match self.socket.try_recv_from(&mut buffer.0) {
                Ok((len, from)) => {
                    let datagram = buffer.0.get(..len).unwrap_or_default();
                    // Counted and logged there; whoever waits for it is not answered.
                    drop(self.tasks.contain_sync("datagram", from, || take(from, datagram)));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // Errors of earlier sends show up here, one each; they are nobody's answer.
                Err(_of_some_send) => {}
            }
        }
    }

    /// Sends one datagram if the kernel has room.
    pub(super) fn send(&self, to: SocketAddr, datagram: &[u8]) -> io::Result<()> {
        self.socket.try_send_to(datagram, to).map(drop)
    }

    /// Waits until the kernel has room again. Cancel-safe.
    pub(super) async fn writable(&self) {
        if self.socket.writable().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
