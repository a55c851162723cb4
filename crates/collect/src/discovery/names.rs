//! Names of addresses: by the hosts file, else by the domain name system.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use wire::dns::{ptr_answer, ptr_question};

use crate::collectors::CollectorContext;

/// Look-ups under way at once.
const LOOKUPS_MAX: usize = 32;
/// Time for one server to answer.
const TIME: Duration = Duration::from_secs(1);
/// Servers that are asked, one after the other.
const SERVERS_MAX: usize = 2;
const DNS_PORT: u16 = 53;
/// Longest file that is read.
const FILE_BYTES_MAX: usize = 4 << 20;

pub(super) struct Names {
    shared: Arc<CollectorContext>,
    lookups: Semaphore,
}

impl Names {
    pub(super) fn new(shared: Arc<CollectorContext>) -> Self {
        Self { shared, lookups: Semaphore::new(LOOKUPS_MAX) }
    }

    /// The name of an address; "" if it has none.
    pub(super) async fn of(&self, address: IpAddr) -> String {
        let Ok(_place) = self.lookups.acquire().await else { return String::new() };
        let hosts = read("/etc/hosts").await;
        if let Some(name) = in_hosts(&hosts, address) {
            return name.to_owned();
        }
        let settings = read("/etc/resolv.conf").await;
        for server in servers(&settings).into_iter().take(SERVERS_MAX) {
            if let Ok(Ok(Some(name))) = timeout(TIME, self.ask(server, address)).await {
                return name;
            }
        }
        String::new()
    }

    async fn ask(&self, server: IpAddr, address: IpAddr) -> std::io::Result<Option<String>> {
        let own: IpAddr = match server {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let socket = UdpSocket::bind(SocketAddr::new(own, 0)).await?;
        // A connected socket receives only from this address.
        socket.connect(SocketAddr::new(server, DNS_PORT)).await?;
        let mark = self.shared.clock.mono_ns().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let [high, low, ..] = (mark ^ self.shared.secret).to_be_bytes();
        let id = u16::from_be_bytes([high, low]);
        let Some(question) = ptr_question(id, address) else { return Ok(None) };
        socket.send(&question).await?;
        let mut buffer = [0; 1_500];
        loop {
            let n = socket.recv(&mut buffer).await?;
            let bytes = buffer.get(..n).unwrap_or_default();
            if bytes.get(..2) == Some(&id.to_be_bytes()) {
                return Ok(ptr_answer(id, bytes));
            }
        }
    }
}

async fn read(path: &str) -> String {
    let bytes = tokio::fs::read(path).await.unwrap_or_default();
    let bytes = bytes.get(..FILE_BYTES_MAX).unwrap_or(&bytes);
    String::from_utf8_lossy(bytes).into_owned()
}

/// The first name of an address in a hosts file.
fn in_hosts(text: &str, address: IpAddr) -> Option<&str> {
    text.lines().find_map(|line| {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let is_it = words.next()?.parse() == Ok(address);
        words.next().filter(|_| is_it)
    })
}

/// The servers in a settings file of the resolver.
fn servers(text: &str) -> Vec<IpAddr> {
    let lines = text.lines().filter_map(|it| it.trim_start().strip_prefix("nameserver"));
    let named = lines.filter_map(|it| it.split_whitespace().next()?.parse().ok());
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_the_hosts_file_and_servers_in_the_settings() {
        let hosts = "# own\n127.0.0.1\tlocalhost loop\n192.0.2.7 web.example.com web # a server\n::1 six\n192.0.2.8\n";
        let name = |it: &str| in_hosts(hosts, it.parse().expect("an address"));
        assert_eq!(name("127.0.0.1"), Some("localhost"));
        assert_eq!(name("192.0.2.7"), Some("web.example.com"));
        assert_eq!(name("::1"), Some("six"));
        assert_eq!((name("192.0.2.8"), name("192.0.2.9")), (None, None));
        let settings = "search example.com\nnameserver 192.0.2.53\n; nameserver 192.0.2.54\n  nameserver ::1 x\nnameserver y\n";
        let expected: Vec<IpAddr> =
            ["192.0.2.53", "::1"].iter().map(|it| it.parse().expect("an address")).collect();
        assert_eq!(servers(settings), expected);
    }
}
