//! One server of active checks: its addresses, and requests to it.
//!
//! Each request has a connection of its own, as in Zabbix. A cluster is one server that runs on one
//! of several machines: if one is down, the next one is asked. A proxy of a group may redirect to
//! another one; the redirect holds until that one is down, or redirects itself.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rt::tls::Stream;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream, lookup_host};
use tokio::time::timeout;
use wire::sender::Redirect;
use wire::zbxd::{self, Decoder, FrameLimits};

use crate::address::{Address, PORT};
use crate::security::Security;

/// A list of many thousand items has some megabytes. A longer answer is an error.
const ANSWER_BYTES_MAX: u64 = 64 << 20;
/// Time for a request and its answer.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// A server, its machines, and the server that it redirects to.
#[derive(Debug)]
pub(super) struct Server {
    nodes: Vec<Address>,
    node_idx: usize,
    redirect: Option<(u64, Address)>,
    source: Option<IpAddr>,
    connect_max: Duration,
    security: Arc<Security>,
}

impl Server {
    /// # Panics
    /// Without nodes.
    pub(super) fn new(
        nodes: Vec<Address>,
        source: Option<IpAddr>,
        connect_max: Duration,
        security: Arc<Security>,
    ) -> Self {
        assert!(!nodes.is_empty(), "a server has an address");
        Self { nodes, node_idx: 0, redirect: None, source, connect_max, security }
    }

    /// Whom to ask now.
    pub(super) fn address(&self) -> &Address {
        match &self.redirect {
            Some((_, address)) => address,
            None => &self.nodes[self.node_idx],
        }
    }

    /// Sends a payload and returns the payload of the answer.
    ///
    /// # Errors
    /// Why there is none. The next request goes to another machine then, if there is one.
    pub(super) async fn ask(&mut self, payload: &[u8]) -> Result<Vec<u8>, String> {
        let asked = self.exchange(payload, true).await;
        if asked.is_err() {
            self.next();
        }
        asked
    }

    /// Sends a message that has no answer.
    ///
    /// # Errors
    /// If it could not be sent.
    pub(super) async fn send(&self, payload: &[u8]) -> Result<(), String> {
        self.exchange(payload, false).await.map(drop)
    }

    /// Applies the redirect of an answer. Returns whether another server has to be asked now.
    pub(super) fn follow(&mut self, redirect: &Redirect) -> bool {
        if redirect.reset {
            return self.redirect.take().is_some();
        }
        let is_stale = self.redirect.as_ref().is_some_and(|it| redirect.revision < it.0);
        let address = redirect.address.as_deref().map(|it| Address::parse(it, PORT));
        match address {
            Some(Ok(address)) if !is_stale && address != *self.address() => {
                self.redirect = Some((redirect.revision, address));
                true
            }
            _ => false,
        }
    }

    fn next(&mut self) {
        if self.redirect.take().is_none() {
            self.node_idx = (self.node_idx + 1) % self.nodes.len();
        }
    }

    async fn exchange(&self, payload: &[u8], is_answered: bool) -> Result<Vec<u8>, String> {
        let failed = |error: io::Error| error.to_string();
        let stream = timeout(self.connect_max, self.connect()).await;
        let mut stream = stream.map_err(|_late| "timed out while connecting")?.map_err(failed)?;
        let talking = async {
            let mut packet = Vec::with_capacity(payload.len() + 32);
            zbxd::encode(payload, &mut packet);
            stream.write_all(&packet).await?;
            if !is_answered {
                stream.shutdown().await?;
                return Ok(Vec::new());
            }
            receive(&mut stream).await
        };
        let answered = timeout(ANSWER_MAX, talking).await;
        answered.map_err(|_late| "timed out without an answer")?.map_err(failed)
    }

    async fn connect(&self) -> io::Result<Stream> {
        let Address { host, port } = self.address();
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in lookup_host((host.as_str(), *port)).await? {
            match self.connect_to(address).await {
                Ok(stream) => return self.security.connect(stream).await,
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn connect_to(&self, address: SocketAddr) -> io::Result<TcpStream> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        if let Some(source) = self.source.filter(|it| it.is_ipv4() == address.is_ipv4()) {
            socket.bind((source, 0).into())?;
        }
        socket.connect(address).await
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address().fmt(f)
    }
}

async fn receive<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) -> io::Result<Vec<u8>> {
    let mut decoder = Decoder::new(FrameLimits::with_max(ANSWER_BYTES_MAX));
    let mut chunk = vec![0; 16 << 10];
    loop {
        if let Some(frame) = decoder.poll().map_err(io::Error::other)? {
            return Ok(frame.payload.to_vec());
        }
        match stream.read(&mut chunk).await? {
            0 => {
                let frame = decoder.close().map_err(io::Error::other)?;
                let none = || io::Error::other("it closed the connection without an answer");
                return frame.map(|it| it.payload.to_vec()).ok_or_else(none);
            }
            n => decoder.feed(chunk.get(..n).unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(nodes: &[&str]) -> Server {
        let nodes = nodes.iter().map(|it| Address::parse(it, PORT).expect("good")).collect();
        let settings = crate::Settings::default();
        let security = Security::new(&settings.encryption, &settings.tls).expect("none");
        Server::new(nodes, None, Duration::from_secs(1), Arc::new(security))
    }

    fn redirect(revision: u64, address: &str) -> Redirect {
        Redirect { revision, address: Some(address.to_owned()), reset: false }
    }

    #[test]
    fn the_machines_of_a_cluster_take_turns_when_one_is_away() {
        let mut server = server(&["a", "b:5"]);
        assert_eq!(server.to_string(), "a:10051");
        server.next();
        assert_eq!(server.to_string(), "b:5");
        server.next();
        assert_eq!(server.to_string(), "a:10051");
    }

    #[test]
    fn redirects_hold_until_they_are_taken_back_or_lead_nowhere() {
        let mut server = server(&["a"]);
        assert!(server.follow(&redirect(5, "p1")));
        assert_eq!(server.to_string(), "p1:10051");
        assert!(!server.follow(&redirect(4, "p2")), "older than what we know");
        assert!(!server.follow(&redirect(5, "p1")), "that is where we are");
        assert!(server.follow(&redirect(6, "p2:7")));
        assert_eq!(server.to_string(), "p2:7");
        server.next();
        assert_eq!(server.to_string(), "a:10051");
        assert!(server.follow(&redirect(6, "p2:7")));
        assert!(server.follow(&Redirect { reset: true, ..Redirect::default() }));
        assert_eq!(server.to_string(), "a:10051");
        assert!(!server.follow(&redirect(9, "bad:0")));
    }
}
