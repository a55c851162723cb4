//! A socket for datagrams, read many at a time.
//!
//! Serves UDP and raw ICMP sockets alike. Sending never waits: the caller repeats a datagram for
//! which the kernel has no room.
//!
//! The runtime watches for received datagrams only: if it watched for room to send as well, the
//! kernel would wake it after each datagram that has left. It watches only while a caller waits for
//! the first datagram. While many requests are under way, answers are read by a clock
//! ([`Datagrams::unwatch`]), because otherwise each datagram would wake a thread of the runtime.

use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::Time;
use nix::sys::socket::sockopt::{RcvBufForce, ReceiveTimestampns};
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, MultiHeaders, RecvMsg, SockaddrStorage, recvmmsg, setsockopt,
};
use rt::task::Tasks;
use socket2::{Domain, Protocol, SockFilter, Socket, Type};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Datagrams read before other work gets its turn.
const READ_MAX: usize = 64;
/// Datagrams read at once after few of them: room for them costs about as much as a call.
const READ_MIN: usize = 4;
/// The receive buffer requested from the kernel: answers of many devices arrive in one millisecond.
/// The kernel may grant less.
const BUFFER_BYTES: usize = 4 << 20;
/// A kernel without room for a datagram is tried again after this time.
pub(super) const RETRY: Duration = Duration::from_millis(1);
/// Largest datagram.
const DATAGRAM_MAX: usize = 65_536;
/// From one datagram's buffer to the next. A power of two would place all of them in the same few
/// lines of the caches.
const DATAGRAM_STRIDE: usize = DATAGRAM_MAX + 320;

#[derive(Debug)]
pub(super) struct Datagrams {
    /// Any socket will do: only functions common to all are used.
    socket: Arc<UdpSocket>,
    /// The registration with the runtime; `None`: it does not watch.
    watch: Mutex<Option<Arc<Watch>>>,
    /// A panic in a reader costs its datagram alone.
    tasks: Tasks,
}

type Watch = AsyncFd<Arc<UdpSocket>>;

/// A datagram as received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Datagram<'a> {
    pub(super) from: SocketAddr,
    pub(super) bytes: &'a [u8],
    /// When the kernel received it, by the wall clock; `None`: unknown, or the socket does not ask
    /// for it.
    pub(super) arrived: Option<Time>,
}

/// Memory for reading; one for each reader. Pages without datagrams take no memory.
#[derive(Debug)]
pub(super) struct Buffer {
    bytes: Box<[u8]>,
    /// Datagrams of the last read: the next one has room for as many, and some more.
    n_last: usize,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { bytes: vec![0; DATAGRAM_STRIDE * READ_MAX].into(), n_last: 0 }
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
        // As much as permitted: too little only costs repetitions. With CAP_NET_ADMIN the machine's
        // limit does not apply.
        if setsockopt(&socket, RcvBufForce, &BUFFER_BYTES).is_err() {
            drop(socket.set_recv_buffer_size(BUFFER_BYTES));
        }
        drop(socket.set_send_buffer_size(BUFFER_BYTES));
        if protocol == Protocol::UDP {
            let any: SocketAddr = if domain == Domain::IPV6 {
                (Ipv6Addr::UNSPECIFIED, 0).into()
            } else {
                (Ipv4Addr::UNSPECIFIED, 0).into()
            };
            socket.bind(&any.into())?;
        }
        let socket = Arc::new(socket.into());
        Ok(Self { socket, watch: Mutex::default(), tasks: tasks.clone() })
    }

    /// Lets the kernel note the time of arrival of each datagram. Without it times are those of
    /// reading.
    pub(super) fn with_times(self) -> Self {
        setsockopt(&*self.socket, ReceiveTimestampns, &true).ok();
        self
    }

    /// Lets the kernel drop the datagrams that these instructions refuse: it saves a wake-up and a
    /// copy each. Where it cannot, all datagrams arrive.
    pub(super) fn with_filter(self, filter: &[SockFilter]) -> Self {
        drop(socket2::SockRef::from(&*self.socket).attach_filter(filter));
        self
    }

    /// Waits until there is something to read, and reads some of it; returns how many datagrams.
    /// Cancel-safe.
    pub(super) async fn receive(
        &self,
        buffer: &mut Buffer,
        take: impl FnMut(&Datagram<'_>),
    ) -> usize {
        let Ok(watch) = self.watched() else {
            // The runtime is shutting down, or the machine has no memory for the watch: a reader by
            // a clock still gets the datagrams.
            return std::future::pending().await;
        };
        let Ok(mut ready) = watch.readable().await else { return std::future::pending().await };
        let (n, is_all) = self.read_many(buffer, take);
        if is_all {
            // Datagrams that arrived after the last read are another event, which stays.
            ready.clear_ready();
        }
        n
    }

    /// Stops the runtime's watch until a caller waits for a datagram again.
    pub(super) fn unwatch(&self) {
        *self.watch() = None;
    }

    fn watched(&self) -> io::Result<Arc<Watch>> {
        let mut place = self.watch();
        if let Some(watch) = &*place {
            return Ok(Arc::clone(watch));
        }
        #[expect(
            deprecated,
            reason = "what its unsafe successor asks for is so: the socket keeps its descriptor"
        )]
        let watch = AsyncFd::with_interest(Arc::clone(&self.socket), Interest::READABLE)?;
        Ok(Arc::clone(place.insert(Arc::new(watch))))
    }

    fn watch(&self) -> MutexGuard<'_, Option<Arc<Watch>>> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads waiting datagrams, at most [`READ_MAX`]; returns how many.
    pub(super) fn read(&self, buffer: &mut Buffer, take: impl FnMut(&Datagram<'_>)) -> usize {
        self.read_many(buffer, take).0
    }

    /// As [`Datagrams::read`], and whether nothing is left.
    fn read_many(&self, buffer: &mut Buffer, mut take: impl FnMut(&Datagram<'_>)) -> (usize, bool) {
        let (mut n_read, mut n_datagrams) = (0, 0);
        while n_read < READ_MAX {
            let n = (buffer.n_last * 2).max(READ_MIN).min(READ_MAX - n_read);
            let read = self.read_some(&mut buffer.bytes, n, &mut take);
            let n_got = *read.as_ref().unwrap_or(&0);
            buffer.n_last = n_got;
            n_read += n_got.max(1);
            n_datagrams += n_got;
            match read {
                // Less than there was room for: nothing is left, and another call to the kernel is
                // not needed.
                Ok(n_got) if n_got < n => return (n_datagrams, true),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return (n_datagrams, true);
                }
                // Errors of earlier sends appear here, one each; they are no answers.
                Ok(_) | Err(_) => {}
            }
        }
        (n_datagrams, false)
    }

    fn read_some(
        &self,
        bytes: &mut [u8],
        n: usize,
        take: &mut impl FnMut(&Datagram<'_>),
    ) -> io::Result<usize> {
        let mut slots: Vec<[IoSliceMut<'_>; 1]> = bytes
            .chunks_exact_mut(DATAGRAM_STRIDE)
            .take(n)
            .map(|it| [IoSliceMut::new(it)])
            .collect();
        let space = nix::cmsg_space!(nix::sys::time::TimeSpec);
        let mut headers = MultiHeaders::<SockaddrStorage>::preallocate(n, Some(space));
        let fd = self.socket.as_raw_fd();
        let read = recvmmsg(fd, &mut headers, slots.iter_mut(), MsgFlags::MSG_DONTWAIT, None)?;
        let mut n_read = 0;
        for message in read {
            n_read += 1;
            let Some(from) = message.address.as_ref().and_then(address) else { continue };
            let datagram = Datagram {
                from,
                bytes: message.iovs().next().unwrap_or_default(),
                arrived: arrived(&message),
            };
            // Counted and logged there; the request gets no answer.
            drop(self.tasks.contain_sync("datagram", from, || take(&datagram)));
        }
        Ok(n_read)
    }

    /// Sends one datagram if the kernel has room.
    pub(super) fn send(&self, to: SocketAddr, datagram: &[u8]) -> io::Result<()> {
        self.socket.send_to(datagram, to).map(drop)
    }
}

fn address(of: &SockaddrStorage) -> Option<SocketAddr> {
    if let Some(it) = of.as_sockaddr_in() {
        return Some(SocketAddr::V4((*it).into()));
    }
    of.as_sockaddr_in6().map(|it| SocketAddr::V6((*it).into()))
}

fn arrived(message: &RecvMsg<'_, '_, SockaddrStorage>) -> Option<Time> {
    message.cmsgs().ok()?.find_map(|it| match it {
        ControlMessageOwned::ScmTimestampns(at) => {
            let ns = u32::try_from(at.tv_nsec()).ok()?;
            Some(Time::from_clock(at.tv_sec(), ns))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use rt::clock::Clock;
    use rt::metrics::Registry;

    use super::*;

    fn open(domain: Domain) -> Datagrams {
        let tasks = Tasks::new("test", &Registry::new());
        Datagrams::open(domain, Type::DGRAM, Protocol::UDP, &tasks).expect("a socket")
    }

    #[tokio::test]
    async fn datagrams_are_whole_and_in_order_with_arrival_times() {
        let clock = Clock::real();
        let reader = open(Domain::IPV4).with_times();
        let port = reader.socket.local_addr().expect("bound").port();
        let sender = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let from = sender.local_addr().expect("bound");
        let mut buffer = Buffer::default();
        let mut number = 0_usize;
        // One, some, more than are read at once, and few after many.
        for n in (1..=2 * READ_MAX + 2).chain([3, READ_MAX - 2, 1, READ_MAX + 1]) {
            let sent_at = clock.wall();
            let all: Vec<Vec<u8>> = (number..number + n)
                .map(|it| {
                    (0..it * 97 % 900)
                        .map(|at| u8::try_from((it + at) % 251).unwrap_or(0))
                        .collect()
                })
                .collect();
            for it in &all {
                sender.send_to(it, ("127.0.0.1", port)).expect("sent");
            }
            let mut got = Vec::new();
            while got.len() < n {
                reader
                    .receive(&mut buffer, |it| got.push((it.from, it.bytes.to_vec(), it.arrived)))
                    .await;
            }
            let until = clock.wall();
            assert!(got.iter().all(|it| it.0 == from));
            let in_time = |at: Time| 0 <= at.since_ns(sent_at) && 0 <= until.since_ns(at);
            assert!(got.iter().all(|it| it.2.is_some_and(in_time)), "{:?}", got.first());
            assert_eq!(got.into_iter().map(|it| it.1).collect::<Vec<_>>(), all);
            number += n;
        }
        let longest = vec![7; 65_507];
        sender.send_to(&longest, ("127.0.0.1", port)).expect("sent");
        let mut got = Vec::new();
        reader.receive(&mut buffer, |it| got.push(it.bytes.to_vec())).await;
        assert_eq!(got, [longest]);
    }

    fn forget(_: &Datagram<'_>) {}

    #[tokio::test]
    async fn datagrams_of_an_unwatched_time_are_read_later() {
        let reader = open(Domain::IPV4);
        let port = reader.socket.local_addr().expect("bound").port();
        let sender = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let send = |n: u8| {
            let mut sent = (0..n).map(|it| sender.send_to(&[it], ("127.0.0.1", port)));
            assert!(sent.all(|it| it.is_ok()));
        };
        let mut buffer = Buffer::default();
        for round in 0..20_u8 {
            // Datagrams of an earlier watch, of none, and some that were read by a clock first.
            send(round);
            reader.unwatch();
            send(3);
            let mut got = if round % 2 == 0 { reader.read(&mut buffer, forget) } else { 0 };
            send(2);
            while got < usize::from(round) + 5 {
                got += reader.receive(&mut buffer, forget).await;
            }
            assert_eq!(got, usize::from(round) + 5);
        }
    }

    #[tokio::test]
    async fn ipv6_addresses_are_read_and_times_only_on_request() {
        let Ok(sender) = UdpSocket::bind("[::1]:0") else {
            return;
        };
        let reader = open(Domain::IPV6);
        let port = reader.socket.local_addr().expect("bound").port();
        sender.send_to(b"hello", ("::1", port)).expect("sent");
        let mut got = Vec::new();
        let mut buffer = Buffer::default();
        while got.is_empty() {
            reader.receive(&mut buffer, |it| got.push((it.from, it.arrived))).await;
        }
        assert_eq!(got, [(sender.local_addr().expect("bound"), None)]);
    }
}
