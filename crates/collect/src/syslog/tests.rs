use super::*;

#[test]
fn a_time_without_a_year_is_of_the_last_twelve_months() {
    // 2026-01-02T03:04:05Z
    let arrived = Time::from_clock(1_767_323_045, 0);
    let at = |time: &str| time.parse::<jiff::Timestamp>().expect("a time").as_second();
    for (stamp, expected) in [
        (Stamp::Short([1, 2, 3, 4, 5]), Some(at("2026-01-02T03:04:05Z"))),
        (Stamp::Short([1, 3, 0, 0, 0]), Some(at("2026-01-03T00:00:00Z"))),
        (Stamp::Short([12, 31, 23, 59, 60]), Some(at("2025-12-31T23:59:59Z"))),
        (Stamp::Short([2, 30, 0, 0, 0]), None),
        (Stamp::Whole("2026-01-02T03:04:05.5+01:00"), Some(at("2026-01-02T02:04:05Z"))),
        (Stamp::Whole("yesterday"), None),
    ] {
        assert_eq!(seconds(stamp, arrived, &TimeZone::UTC), expected, "{stamp:?}");
    }
}

#[test]
fn an_address_has_its_share_of_connections_and_nothing_is_remembered_of_those_that_are_gone() {
    let shares = receive::Shares::default();
    let of = |n: u32| std::net::IpAddr::V4((0x0a00_0000 + n).into());
    let taken: Vec<_> = (0..1_000).filter_map(|_| shares.take(of(1), 1_000)).collect();
    assert_eq!(taken.len(), 100);
    let mapped = std::net::Ipv4Addr::from(0x0a00_0001).to_ipv6_mapped();
    assert!(shares.take(mapped.into(), 1_000).is_none(), "the same machine");
    assert!(shares.take(of(2), 1_000).is_some(), "another one");
    drop(taken);
    assert_eq!(shares.n_addresses(), 0);
    let few: Vec<_> = (0..10).filter_map(|_| shares.take(of(1), 5)).collect();
    assert_eq!(few.len(), 4);
}
