//! New connections: addresses, a proxy if there is one, TLS.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Inner;
use super::connection::Connection;
use super::endpoint::Endpoint;
use super::error::Error;
use super::proxy::Proxy;
use super::request::Prepared;
use super::stream::Stream;

/// Longest answer of a proxy to a request for a tunnel. A longer one is an error.
const TUNNEL_HEAD_MAX: usize = 16 << 10;

impl Inner {
    /// A connection on which the request can be made.
    pub(crate) async fn connect(
        &self,
        request: &Prepared,
        deadline_ns: u64,
    ) -> Result<Connection, Error> {
        let (server, verify) = (&request.server, request.verify);
        let stream = match &request.proxy {
            None => self.reach(server, deadline_ns).await?,
            Some(proxy) => {
                self.check_for_proxy(server)?;
                let mut stream = self.reach(&proxy.at, deadline_ns).await?;
                if proxy.at.is_tls {
                    stream =
                        self.connectors.connect(stream, &proxy.at.host, (verify, None)).await?;
                }
                if server.is_tls {
                    tunnel(&mut stream, server, proxy).await?;
                }
                stream
            }
        };
        let stream = if server.is_tls {
            let identity = request.identity.as_ref();
            self.connectors.connect(stream, &server.host, (verify, identity)).await?
        } else {
            stream
        };
        Connection::new(stream).await
    }

    /// A connection to the first admitted address that accepts it: each has an equal share of the
    /// remaining time.
    async fn reach(&self, to: &Endpoint, deadline_ns: u64) -> Result<Stream, Error> {
        let left = || Duration::from_nanos(deadline_ns.saturating_sub(self.clock.mono_ns()));
        let found: Arc<[IpAddr]> = match to.host.parse() {
            Ok(address) => Arc::from([address]),
            Err(_) => self.names.addresses(&to.host, left()).await.ok_or(Error::Unresolved)?,
        };
        let admitted: Vec<_> =
            found.iter().copied().filter(|it| self.destinations.admit(*it)).collect();
        if admitted.is_empty() {
            return Err(Error::Denied);
        }
        let mut failed = io::Error::from(io::ErrorKind::TimedOut);
        let mut n_left = u32::try_from(admitted.len()).unwrap_or(u32::MAX);
        for address in admitted {
            let attempt = TcpStream::connect(SocketAddr::new(address, to.port));
            match timeout(left() / n_left, attempt).await {
                Ok(Ok(stream)) => {
                    stream.set_nodelay(true)?;
                    return Ok(Stream::Plain(stream));
                }
                Ok(Err(error)) => failed = error,
                Err(_elapsed) => failed = io::Error::from(io::ErrorKind::TimedOut),
            }
            n_left = n_left.saturating_sub(1).max(1);
        }
        match failed.kind() {
            io::ErrorKind::TimedOut => Err(Error::Late),
            _ => Err(Error::Connect(failed)),
        }
    }

    /// A proxy resolves names itself; an address can be checked here.
    fn check_for_proxy(&self, to: &Endpoint) -> Result<(), Error> {
        let host = to.host.as_str();
        // Also 0xa9fea9fe and 2852039166: libraries take them for addresses.
        let is_numeric = host.starts_with(|it: char| it.is_ascii_digit() || it == ':')
            && host.chars().all(|it| it.is_ascii_hexdigit() || matches!(it, '.' | ':' | 'x'))
            || host.parse::<IpAddr>().is_ok();
        if !is_numeric {
            return Ok(());
        }
        // Numbers are parsed without a name server.
        let mut addresses = (host, 0).to_socket_addrs().into_iter().flatten();
        if addresses.all(|it| self.destinations.admit(it.ip())) {
            Ok(())
        } else {
            Err(Error::Denied)
        }
    }
}

/// Asks the proxy for a connection to the server, whose bytes follow.
async fn tunnel(stream: &mut Stream, to: &Endpoint, proxy: &Proxy) -> Result<(), Error> {
    let authority = to.authority();
    let authorization = proxy
        .authorization()
        .map(|it| format!("Proxy-Authorization: {it}\r\n"))
        .unwrap_or_default();
    let agent = concat!("Saker/", env!("CARGO_PKG_VERSION"));
    let request = format!(
        "CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: {agent}\r\n\
         {authorization}Proxy-Connection: Keep-Alive\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    stream.flush().await?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        // The server speaks only after the client, so no bytes may follow the head.
        if TUNNEL_HEAD_MAX <= head.len() || head.windows(4).any(|it| it == b"\r\n\r\n") {
            return Err(Error::TunnelAnswer);
        }
        if stream.read_buf(&mut head).await? == 0 {
            return Err(Error::Empty);
        }
        if let Some(status) = status(&head)
            && !(200..300).contains(&status)
        {
            return Err(Error::Tunnel(status));
        }
    }
    status(&head).map(drop).ok_or(Error::TunnelAnswer)
}

/// The status code in the first line of an answer.
fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|it| *it == b'\n').next().filter(|it| it.len() < head.len())?;
    let line = std::str::from_utf8(line).ok()?.strip_prefix("HTTP/1.")?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}
