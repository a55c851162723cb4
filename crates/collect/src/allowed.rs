//! Lists of peers that may push: addresses, networks and names.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether a comma-separated list of addresses, networks (`10.0.0.0/8`) and DNS names covers a
/// peer; `names` says whether a name does. An entry that is none of these covers nobody.
///
/// IPv4 addresses written as IPv6 ones (`::127.0.0.1`, `::ffff:127.0.0.1`) are the IPv4 addresses,
/// on either side.
#[must_use]
pub fn peer_is_allowed(list: &str, peer: IpAddr, names: &mut dyn FnMut(&str) -> bool) -> bool {
    let entries = list.split(',').map(str::trim).filter(|it| !it.is_empty());
    // All of them: names further on are asked for, too.
    0 < entries.filter(|it| covers(it, peer, names)).count()
}

fn covers(entry: &str, peer: IpAddr, names: &mut dyn FnMut(&str) -> bool) -> bool {
    if let Some((network, bits)) = entry.split_once('/') {
        let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
            return false;
        };
        let bits_max = if network.is_ipv4() { 32 } else { 128 };
        return bits <= bits_max && in_network(network, bits, peer);
    }
    match entry.parse::<IpAddr>() {
        Ok(address) => is_same(address, peer),
        Err(_name) => names(entry),
    }
}

/// Whether two addresses name the same machine.
pub(crate) fn is_same(one: IpAddr, other: IpAddr) -> bool {
    match (as_v4(one), as_v4(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one == other,
        _ => false,
    }
}

fn in_network(network: IpAddr, bits: u32, peer: IpAddr) -> bool {
    // As many leading bits of a network of IPv6 are those before an IPv4 address.
    let of_v4 = if network.is_ipv4() { Some(bits) } else { bits.checked_sub(96) };
    if let (Some(bits), Some(network)) = (of_v4, as_v4(network)) {
        let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
        return as_v4(peer).is_some_and(|it| network.to_bits() & mask == it.to_bits() & mask);
    }
    let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
    as_v6(network).to_bits() & mask == as_v6(peer).to_bits() & mask
}

/// The IPv4 address that it is, in whichever way it is written.
fn as_v4(address: IpAddr) -> Option<Ipv4Addr> {
    match address {
        IpAddr::V4(it) => Some(it),
        // Mapped and compatible ones.
        IpAddr::V6(it) => match it.segments() {
            [0, 0, 0, 0, 0, 0 | 0xffff, ..] => {
                let [.., a, b, c, d] = it.octets();
                Some(Ipv4Addr::new(a, b, c, d))
            }
            _ => None,
        },
    }
}

fn as_v6(address: IpAddr) -> Ipv6Addr {
    match address {
        IpAddr::V4(it) => it.to_ipv6_mapped(),
        IpAddr::V6(it) => it,
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
            ("127.0.0.1", "::127.0.0.1", true),
            ("::127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "::fffe:127.0.0.1", false),
            ("127.0.0.1", "::1", false),
            ("::", "::1", false),
            ("::1", "::1", true),
            ("10.0.0.0/8, 192.168.1.1", "10.200.3.4", true),
            ("10.0.0.0/8, 192.168.1.1", "192.168.1.2", false),
            ("0.0.0.0/0", "203.0.113.7", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "2001:db8::1", true),
            ("::/0", "203.0.113.7", true),
            ("::ffff:10.0.0.0/104", "10.1.2.3", true),
            ("::ffff:10.0.0.0/104", "11.1.2.3", false),
            ("::ffff:255.255.255.255/96", "::1", true),
            ("2001:db8::/32", "2001:db8:5::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("10.0.0.0/33", "10.0.0.1", false),
            ("2001:db8::/129", "2001:db8::", false),
            ("known", "127.0.0.1", true),
            ("unknown, known", "127.0.0.1", true),
            ("unknown", "127.0.0.1", false),
            ("", "127.0.0.1", false),
            ("nonsense/", "127.0.0.1", false),
        ] {
            let peer: IpAddr = peer.parse().expect("an address");
            let allowed = peer_is_allowed(list, peer, &mut |it| it == "known");
            assert_eq!(allowed, expected, "{list} {peer}");
        }
    }
}
