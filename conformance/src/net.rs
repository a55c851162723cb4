//! Addresses, peers, ports.

use std::net::IpAddr;

use lang::net::{self, AllowedPeers, IpRange, IpRanges, PortRanges, ServerAddress};
use serde_json::json;

use crate::case::{Answer, Case, Topics};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("net/allowed_peers", allowed_peers),
    ("net/ip_in_list", ip_in_list),
    ("net/is_ip", is_ip),
    ("net/port_list", port_list),
    ("net/range_list", range_list),
    ("net/range_parse", range_parse),
    ("net/range_resume", range_resume),
    ("net/range_size", range_size),
    ("net/reverse_ip", reverse_ip),
    ("net/server_address", server_address),
];

/// The cases write IPv6 addresses without `::`.
fn written(address: IpAddr) -> String {
    match address {
        IpAddr::V4(it) => it.to_string(),
        IpAddr::V6(it) => it.segments().map(|it| format!("{it:x}")).join(":"),
    }
}

fn allowed_peers(case: &Case<'_>) -> Answer {
    let peers = AllowedPeers::parse(case.text("allowed_peers"));
    Answer::Out(json!({"ok": peers.covers(case.text("peer").parse().unwrap())}))
}

fn ip_in_list(case: &Case<'_>) -> Answer {
    let ip = net::parse_ip(case.text("ip"));
    let ok = ip.is_some_and(|it| net::is_in_ranges(case.text("list"), it));
    Answer::Out(json!({"ok": ok}))
}

fn is_ip(case: &Case<'_>) -> Answer {
    Answer::Out(json!({"ok": net::parse_ip(case.text("string")).is_some()}))
}

/// The first `num` of two members, as one list.
fn joined(case: &Case<'_>, first: &str, second: &str) -> String {
    match case.int("num") {
        2 => format!("{},{}", case.text(first), case.text(second)),
        _ => case.text(first).to_owned(),
    }
}

fn port_list(case: &Case<'_>) -> Answer {
    let ports = PortRanges::parse(&joined(case, "range", "range1")).unwrap();
    let ports: Vec<String> = ports.iter().map(|it| it.to_string()).collect();
    Answer::Out(json!({"port": ports}))
}

fn range_list(case: &Case<'_>) -> Answer {
    let ranges = IpRanges::parse(&joined(case, "first_range", "second_range")).unwrap();
    let list: Vec<String> = ranges.iter().map(written).collect();
    // The cases walk with the family of the first range.
    let is_one_family = ranges.ranges().windows(2).all(|it| it[0].is_v6() == it[1].is_v6());
    Answer::Out(json!({"ok": is_one_family, "ip": list}))
}

fn range_parse(case: &Case<'_>) -> Answer {
    Answer::Out(json!({"ok": IpRange::parse(case.text("address")).is_some()}))
}

fn range_resume(case: &Case<'_>) -> Answer {
    let ranges = IpRanges::parse(&joined(case, "range1", "range2")).unwrap();
    let idx = usize::try_from(case.int("idx")).unwrap();
    let after = ranges.iter_after(idx, net::parse_ip(case.text("address")).unwrap());
    Answer::Out(json!({"ip": after.map(written).collect::<Vec<_>>()}))
}

fn range_size(case: &Case<'_>) -> Answer {
    let len = IpRange::parse(case.text("address")).unwrap().len();
    Answer::Out(json!({"return": u64::try_from(len).unwrap()}))
}

fn reverse_ip(case: &Case<'_>) -> Answer {
    Answer::Out(match wire::dns::reverse_name(case.text("ip")) {
        Ok(name) => json!({"ok": true, "ip": name}),
        Err(error) => json!({"ok": false, "error": error}),
    })
}

fn server_address(case: &Case<'_>) -> Answer {
    let text = case.text("str");
    Answer::Out(match ServerAddress::parse(text, 80) {
        Some(it) => json!({"ok": true, "host": it.host, "port": it.port}),
        // The placeholder stayed as it was.
        None => json!({"ok": false, "host": text, "port": 80}),
    })
}
