//! Lists of peers that may push: addresses, networks and names.

use std::net::IpAddr;

use lang::net::AllowedPeers;

/// Whether a comma-separated list of addresses, networks (`10.0.0.0/8`) and DNS names covers a
/// peer; `names` says whether a name does. An entry of another kind covers no peer.
#[must_use]
pub fn peer_is_allowed(list: &str, peer: IpAddr, names: &mut dyn FnMut(&str) -> bool) -> bool {
    let allowed = AllowedPeers::parse(list);
    // All of them: the remaining names are looked up, too.
    let n_named = allowed.names().iter().filter(|it| names(it)).count();
    n_named > 0 || allowed.covers(peer)
}

/// Whether two addresses name the same machine.
pub(crate) fn is_same(one: IpAddr, other: IpAddr) -> bool {
    AllowedPeers::is_same(one, other)
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
            ("::255.255.255.255/96", "::1", true),
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
