//! Addresses as users write them: ranges and networks (`10.0.0.1-254`, `10.0.0.0/24`), lists of peers
//! that may connect, lists of ports, addresses of servers (`host:port`).

mod peers;
mod ports;
mod range;
mod server;

use std::net::{IpAddr, Ipv4Addr};

pub use peers::AllowedPeers;
pub use ports::{PortRange, PortRanges};
pub use range::{IpRange, IpRanges, is_in_ranges};
pub use server::ServerAddress;

/// An IPv4 or IPv6 address. Numbers of an IPv4 address may have leading zeros and are decimal all the
/// same.
#[must_use]
pub fn parse_ip(text: &str) -> Option<IpAddr> {
    parse_ip4(text).map(IpAddr::V4).or_else(|| text.parse().ok().map(IpAddr::V6))
}

fn parse_ip4(text: &str) -> Option<Ipv4Addr> {
    let mut octets = [0; 4];
    let mut parts = text.split('.');
    for octet in &mut octets {
        let part = parts.next()?;
        let is_number = (1..=3).contains(&part.len()) && part.bytes().all(|it| it.is_ascii_digit());
        *octet = if is_number { part.parse().ok()? } else { return None };
    }
    parts.next().is_none().then(|| octets.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_both_families() {
        assert_eq!(parse_ip("010.0.0.001"), "10.0.0.1".parse().ok());
        assert_eq!(parse_ip("::ffff:10.0.0.1"), "::ffff:10.0.0.1".parse().ok());
        for text in
            ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.+4", "1::2::3", ":::", "fe80::1%0"]
        {
            assert_eq!(parse_ip(text), None, "{text}");
        }
    }
}
