//! Peers that may connect: addresses, networks and names.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::parse_ip;

/// An address with the number of bits that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    bits: u32,
}

/// A list of peers that may connect, separated by commas: `10.0.0.0/8,::1,proxy.example.com`.
///
/// An IPv4 address, the same address mapped into IPv6 (`::ffff:10.0.0.1`) and in the older compatible
/// form (`::10.0.0.1`) are one and the same peer. `0.0.0.0/0` is every IPv4 address, `::/0` every
/// address. An entry that is neither an address nor a network is a name: resolving it is the caller's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedPeers {
    networks: Vec<Network>,
    names: Vec<String>,
}

impl AllowedPeers {
    /// Parses a list. Empty entries count for nothing; no text is refused.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut peers = Self::default();
        for entry in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            match Network::parse(entry) {
                Some(it) => peers.networks.push(it),
                None => peers.names.push(entry.to_owned()),
            }
        }
        peers
    }

    /// Is the peer covered by an address or a network of the list?
    #[must_use]
    pub fn covers(&self, peer: IpAddr) -> bool {
        self.networks.iter().any(|it| it.covers(peer))
    }

    /// The names of the list, to be resolved: a peer that has one of their addresses
    /// ([`AllowedPeers::is_same`]) is allowed.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Do two addresses belong to the same peer?
    #[must_use]
    pub fn is_same(left: IpAddr, right: IpAddr) -> bool {
        Network::host(left).covers(right)
    }
}

impl Network {
    fn host(address: IpAddr) -> Self {
        Self { address, bits: if address.is_ipv4() { 32 } else { 128 } }
    }

    fn parse(text: &str) -> Option<Self> {
        let Some((address, bits)) = text.split_once('/') else {
            return parse_ip(text).map(Self::host);
        };
        let whole = Self::host(parse_ip(address)?);
        let bits = if bits.bytes().all(|it| it.is_ascii_digit()) {
            bits.parse().ok()?
        } else {
            return None;
        };
        (bits <= whole.bits).then_some(Self { bits, ..whole })
    }

    fn covers(&self, peer: IpAddr) -> bool {
        match (self.address, peer) {
            (IpAddr::V4(own), IpAddr::V4(peer)) => same_v4(own, peer, self.bits),
            (IpAddr::V6(own), IpAddr::V6(peer)) => same_v6(own, peer, self.bits),
            (IpAddr::V4(own), IpAddr::V6(peer)) => {
                embedded(peer).is_some_and(|it| same_v4(own, it, self.bits))
            }
            (IpAddr::V6(own), IpAddr::V4(peer)) => {
                same_v6(own, peer.to_ipv6_mapped(), self.bits)
                    || same_v6(own, compatible(peer), self.bits)
            }
        }
    }
}

/// The IPv4 address of a mapped or compatible IPv6 address.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    address.to_ipv4_mapped().or_else(|| {
        let bits = u32::try_from(address.to_bits()).ok()?;
        Some(Ipv4Addr::from_bits(bits))
    })
}

/// The older way to write an IPv4 address as one of IPv6: `::10.0.0.1`.
fn compatible(address: Ipv4Addr) -> Ipv6Addr {
    Ipv6Addr::from_bits(u128::from(address.to_bits()))
}

fn same_v4(left: Ipv4Addr, right: Ipv4Addr, bits: u32) -> bool {
    let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
    left.to_bits() & mask == right.to_bits() & mask
}

fn same_v6(left: Ipv6Addr, right: Ipv6Addr, bits: u32) -> bool {
    let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
    left.to_bits() & mask == right.to_bits() & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_networks_cover_peers() {
        for (list, peer, expected) in [
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "::ffff:127.0.0.1", true),
            ("10.0.0.0/8, 192.168.1.1", "10.200.3.4", true),
            ("10.0.0.0/8, 192.168.1.1", "192.168.1.2", false),
            ("0.0.0.0/0", "203.0.113.7", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "2001:db8::1", true),
            ("::/0", "203.0.113.7", true),
            ("::ffff:10.0.0.0/104", "10.1.2.3", true),
            ("::1/96", "10.1.2.3", true),
            ("::1/97", "10.1.2.3", true),
            ("::1/97", "192.168.1.1", false),
            ("::ffff:0:0/96", "10.1.2.3", true),
            ("::fffe:0:0/96", "10.1.2.3", false),
            ("::/64", "10.1.2.3", true),
            ("::", "127.0.0.1", false),
            ("2001:db8::/32", "2001:db9::1", false),
            ("10.0.0.0/33", "10.0.0.1", false),
            ("10.0.0.0/+8", "10.0.0.1", false),
            ("", "127.0.0.1", false),
        ] {
            let peer: IpAddr = peer.parse().unwrap();
            assert_eq!(AllowedPeers::parse(list).covers(peer), expected, "{list} {peer}");
        }
    }

    #[test]
    fn texts_that_are_no_address_are_names() {
        let peers = AllowedPeers::parse("::1, proxy.example.com,,10.0.0.0/33");
        assert_eq!(peers.names(), ["proxy.example.com", "10.0.0.0/33"]);
    }
}
