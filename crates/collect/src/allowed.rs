//! Lists of peers that may push: addresses, networks and names.

use std::net::{IpAddr, ToSocketAddrs};

/// Whether a comma-separated list of addresses, networks (`10.0.0.0/8`) and DNS names covers a
/// peer. An entry that is none of these covers nobody.
#[must_use]
pub fn peer_is_allowed(list: &str, peer: IpAddr) -> bool {
    let peer = canonical(peer);
    list.split(',').map(str::trim).filter(|it| !it.is_empty()).any(|it| covers(it, peer))
}

fn covers(entry: &str, peer: IpAddr) -> bool {
    if let Some((network, bits)) = entry.split_once('/') {
        let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
            return false;
        };
        return in_network(canonical(network), bits, peer);
    }
    match entry.parse::<IpAddr>() {
        Ok(address) => canonical(address) == peer,
        // Names are for small lists; the resolver's own cache and time-out bound the wait.
        Err(_name) => (entry, 0)
            .to_socket_addrs()
            .is_ok_and(|mut it| it.any(|address| canonical(address.ip()) == peer)),
    }
}

/// IPv4 addresses mapped into IPv6 are the IPv4 addresses.
fn canonical(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

fn in_network(network: IpAddr, bits: u32, peer: IpAddr) -> bool {
    match (network, peer) {
        (IpAddr::V4(network), IpAddr::V4(peer)) if bits <= 32 => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            network.to_bits() & mask == peer.to_bits() & mask
        }
        (IpAddr::V6(network), IpAddr::V6(peer)) if bits <= 128 => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            network.to_bits() & mask == peer.to_bits() & mask
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_networks_and_names_cover_peers() {
        for (list, peer, expected) in [
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "::ffff:127.0.0.1", true),
            ("10.0.0.0/8, 192.168.1.1", "10.200.3.4", true),
            ("10.0.0.0/8, 192.168.1.1", "192.168.1.2", false),
            ("0.0.0.0/0", "203.0.113.7", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "2001:db8::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("10.0.0.0/33", "10.0.0.1", false),
            ("localhost", "127.0.0.1", true),
            ("", "127.0.0.1", false),
            ("nonsense/", "127.0.0.1", false),
        ] {
            let peer: IpAddr = peer.parse().expect("an address");
            assert_eq!(peer_is_allowed(list, peer), expected, "{list} {peer}");
        }
    }
}
