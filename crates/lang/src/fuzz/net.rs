//! Addresses and small texts.

use crate::host_name;
use crate::net::{AllowedPeers, IpRanges, PortRanges, ServerAddress};
use crate::text;
use formats::fuzz::utf8;

/// Addresses, peers and ports, names, and how long texts are shown.
pub fn net(bytes: &[u8]) {
    let repaired = text::repair_utf8(bytes);
    let Some(text) = utf8(bytes) else { return };
    assert_eq!(repaired, text);
    if let Some(ranges) = IpRanges::parse(text) {
        let some: Vec<_> = ranges.iter().take(1_000).collect();
        assert!(some.iter().all(|it| ranges.contains(*it)), "what is walked is contained");
        if let [.., last_but_one, last] = some.as_slice() {
            let is_next = ranges.iter_after(0, *last_but_one).take(100_000).any(|it| it == *last);
            assert!(is_next || ranges.ranges().len() > 1, "a walk can be taken up again");
        }
    }
    let _peers = AllowedPeers::parse(text).covers([127, 0, 0, 1].into());
    if let Some(ports) = PortRanges::parse(text) {
        assert!(ports.iter().take(1_000).all(|it| ports.contains(it)));
    }
    let _server = ServerAddress::parse(text, 1);
    assert!(text.is_empty() || host_name::has_allowed_chars(&host_name::make(text)));
    let _prototype = host_name::is_valid_prototype(text);
    for chars_max in [0, 3, 5, 8, 20] {
        let short = text::truncate_key(text, chars_max);
        assert!(short == text || short.chars().count() <= chars_max, "{short}");
    }
}
