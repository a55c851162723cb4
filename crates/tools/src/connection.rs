//! One connection to a server or an agent, for programs that wait for each answer.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use nix::sys::socket;
use rt::clock::{Clock, nanos};
use rt::tls::{BlockingStream, ConnectError};
use thiserror::Error;
use wire::zbxd::{self, Decoder, FrameLimits, ZbxdError};

use super::tls::Tls;

/// Nothing that these programs ask for has a longer answer.
const ANSWER_MAX: u64 = 128 << 20;

#[derive(Debug, Error)]
pub enum ConnectionError {
    #[error("cannot resolve \"{0}\"")]
    Resolve(String),
    #[error("cannot connect to {peer}: {source}")]
    Connect { peer: String, source: io::Error },
    #[error("cannot establish TLS to {peer}: {source}")]
    Tls { peer: String, source: ConnectError },
    #[error("cannot send to {peer}: {source}")]
    Send { peer: String, source: io::Error },
    #[error("no answer from {peer}: {source}")]
    Receive { peer: String, source: io::Error },
    #[error(
        "{peer} closed the connection without an answer; is this address among its allowed ones?"
    )]
    Closed { peer: String },
    #[error("the response of {peer} does not follow the protocol: {source}")]
    Protocol { peer: String, source: ZbxdError },
}

/// The peer, and the way to connect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeerAddress {
    /// Name or address, without brackets.
    pub host: String,
    pub port: u16,
    /// Address of this machine to connect from.
    pub source: Option<IpAddr>,
    /// For the connection, and for each request with its answer.
    pub timeout: Duration,
}

impl PeerAddress {
    /// `host`, `host:port`, an IPv6 address, or one in brackets with a port.
    ///
    /// # Errors
    /// A sentence about the defect.
    pub fn parse(
        text: &str,
        port: u16,
        source: Option<IpAddr>,
        timeout: Duration,
    ) -> Result<Self, String> {
        let (host, port) = match text.strip_prefix('[').and_then(|it| it.split_once(']')) {
            Some((host, "")) => (host, port),
            Some((host, rest)) => (host, port_of(rest.strip_prefix(':'), text)?),
            None => match text.rsplit_once(':') {
                Some((host, digits)) if !host.contains(':') => (host, port_of(Some(digits), text)?),
                _ => (text, port),
            },
        };
        if host.is_empty() {
            return Err(format!("\"{text}\" names no host"));
        }
        Ok(Self { host: host.to_owned(), port, source, timeout })
    }
}

fn port_of(digits: Option<&str>, text: &str) -> Result<u16, String> {
    let port = digits.and_then(|it| it.parse().ok()).filter(|it| *it != 0);
    port.ok_or_else(|| format!("\"{text}\" has no valid port after its colon"))
}

impl std::fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// The stream of a connection.
#[derive(Debug)]
enum Stream {
    Plain,
    Tls(Box<BlockingStream>),
}

/// An open connection.
#[derive(Debug)]
pub struct Connection {
    peer: String,
    socket: TcpStream,
    stream: Stream,
    clock: Clock,
    timeout: Duration,
    decoder: Decoder,
    has_answered: bool,
}

impl Connection {
    /// # Errors
    /// When the name is unknown or nobody answers there in time.
    pub fn open(target: &PeerAddress, tls: &Tls) -> Result<Self, ConnectionError> {
        let peer = target.to_string();
        let clock = Clock::real();
        let until = Deadline::new(&clock, target.timeout);
        let addresses = (target.host.as_str(), target.port)
            .to_socket_addrs()
            .map_err(|_unknown| ConnectionError::Resolve(target.host.clone()))?;
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in addresses {
            match connect(address, target.source, &until) {
                Ok(socket) => {
                    let stream = match encrypt(&socket, tls, &until) {
                        Ok(stream) => stream,
                        Err(source) => return Err(ConnectionError::Tls { peer, source }),
                    };
                    let limits = FrameLimits::with_max(ANSWER_MAX);
                    return Ok(Self {
                        peer,
                        socket,
                        stream,
                        clock: clock.clone(),
                        timeout: target.timeout,
                        decoder: Decoder::new(limits),
                        has_answered: false,
                    });
                }
                Err(error) => last = error,
            }
        }
        Err(ConnectionError::Connect { peer, source: last })
    }

    /// Whether it can carry another request: it has answered one, and the peer has not closed it.
    pub fn is_kept(&self) -> bool {
        use std::os::fd::AsRawFd as _;
        let flags = socket::MsgFlags::MSG_PEEK | socket::MsgFlags::MSG_DONTWAIT;
        self.has_answered
            && socket::recv(self.socket.as_raw_fd(), &mut [0], flags) == Err(nix::Error::EAGAIN)
    }

    /// Whether it has carried a request before, so that the peer may have closed it meanwhile.
    pub fn is_used(&self) -> bool {
        self.has_answered
    }

    /// Sends a payload and waits for the payload of the answer.
    ///
    /// # Errors
    /// [`ConnectionError`]; the connection is of no more use then.
    pub fn exchange(&mut self, payload: &[u8]) -> Result<Vec<u8>, ConnectionError> {
        let clock = self.clock.clone();
        let until = Deadline::new(&clock, self.timeout);
        let mut packet = Vec::with_capacity(payload.len() + 32);
        zbxd::encode(payload, &mut packet);
        self.send(&packet, &until).map_err(|source| self.sending_failed(source))?;
        let answer = self.receive(&until)?;
        self.has_answered = true;
        Ok(answer)
    }

    fn sending_failed(&self, source: io::Error) -> ConnectionError {
        ConnectionError::Send { peer: self.peer.clone(), source }
    }

    fn send(&mut self, mut packet: &[u8], until: &Deadline<'_>) -> io::Result<()> {
        while !packet.is_empty() {
            self.socket.set_write_timeout(Some(until.left()?))?;
            let written = match &mut self.stream {
                Stream::Plain => self.socket.write(packet),
                Stream::Tls(stream) => stream.write(packet),
            };
            match written {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => packet = &packet[n..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(in_words(error)),
            }
        }
        Ok(())
    }

    fn receive(&mut self, until: &Deadline<'_>) -> Result<Vec<u8>, ConnectionError> {
        let peer = self.peer.clone();
        self.decoder.reset();
        loop {
            let refused = |source| ConnectionError::Protocol { peer: peer.clone(), source };
            if let Some(frame) = self.decoder.poll().map_err(refused)? {
                return Ok(frame.payload.to_vec());
            }
            let failed = |source| ConnectionError::Receive { peer: peer.clone(), source };
            let mut chunk = [0; 64 * 1024];
            self.socket.set_read_timeout(Some(until.left().map_err(failed)?)).map_err(failed)?;
            let read = match &mut self.stream {
                Stream::Plain => self.socket.read(&mut chunk),
                Stream::Tls(stream) => stream.read(&mut chunk),
            };
            match read {
                Ok(0) => {
                    return match self.decoder.close().map_err(refused)? {
                        Some(frame) => Ok(frame.payload.to_vec()),
                        None => Err(ConnectionError::Closed { peer }),
                    };
                }
                Ok(n) => self.decoder.feed(&chunk[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(in_words(error))),
            }
        }
    }
}

/// Within the time for the connection. Each read of the handshake has the rest of it.
fn encrypt(socket: &TcpStream, tls: &Tls, until: &Deadline<'_>) -> Result<Stream, ConnectError> {
    let left = until.left().map_err(ConnectError::Stream)?;
    socket.set_read_timeout(Some(left)).map_err(ConnectError::Stream)?;
    socket.set_write_timeout(Some(left)).map_err(ConnectError::Stream)?;
    let stream = tls.connector.connect_blocking(socket, &tls.how)?;
    Ok(stream.map_or(Stream::Plain, |it| Stream::Tls(Box::new(it))))
}

fn connect(
    address: SocketAddr,
    source: Option<IpAddr>,
    until: &Deadline<'_>,
) -> io::Result<TcpStream> {
    let Some(source) = source else {
        return TcpStream::connect_timeout(&address, until.left()?).map_err(in_words);
    };
    let domain = socket2::Domain::for_address(address);
    let unconnected = socket2::Socket::new(domain, socket2::Type::STREAM, None)?;
    unconnected.bind(&SocketAddr::new(source, 0).into())?;
    unconnected.connect_timeout(&address.into(), until.left()?).map_err(in_words)?;
    Ok(unconnected.into())
}

/// Until when something is waited for.
struct Deadline<'a> {
    clock: &'a Clock,
    at_ns: u64,
}

impl<'a> Deadline<'a> {
    fn new(clock: &'a Clock, time: Duration) -> Self {
        Self { clock, at_ns: clock.mono_ns().saturating_add(nanos(time)) }
    }

    /// # Errors
    /// The time has passed.
    fn left(&self) -> io::Result<Duration> {
        let left = self.at_ns.saturating_sub(self.clock.mono_ns());
        if left == 0 { Err(timed_out()) } else { Ok(Duration::from_nanos(left)) }
    }
}

/// Time-outs of sockets read as "resource temporarily unavailable" otherwise.
fn in_words(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => timed_out(),
        _ => error,
    }
}

fn timed_out() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "timed out")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::PeerAddress;

    #[test]
    fn targets_are_names_addresses_and_ports() {
        let parse = |text| PeerAddress::parse(text, 10051, None, Duration::from_secs(1));
        for (text, host, port) in [
            ("zabbix.example", "zabbix.example", 10051),
            ("zabbix.example:20051", "zabbix.example", 20051),
            ("127.0.0.1:1", "127.0.0.1", 1),
            ("::1", "::1", 10051),
            ("[::1]", "::1", 10051),
            ("[fe80::1]:7", "fe80::1", 7),
        ] {
            let target = parse(text).unwrap();
            assert_eq!((target.host.as_str(), target.port), (host, port), "{text}");
        }
        for text in ["", ":5", "a:", "a:0", "a:70000", "[::1]x", "[]:5"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
