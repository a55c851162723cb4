use model::Time;

use super::*;

const RULE: u64 = 7;
const PING: u64 = 1;
const AGENT: u64 = 2;
const T: i64 = 1_700_000_000;

fn checked(address: &str, clock: i64, services: &[(u64, u16, Option<&str>)]) -> CheckedAddress {
    let service = |(check, port, value): &(u64, u16, Option<&str>)| CheckedService {
        check: *check,
        port: *port,
        value: value.map(str::to_owned),
    };
    CheckedAddress {
        rule: RULE,
        address: address.parse().expect("an address"),
        dns: "web.example.com".to_owned(),
        time: Time::from_clock(clock, 0),
        services: services.iter().map(service).collect(),
    }
}

/// Transitions as text: `s` or `h` with the id, and the kind.
fn shown(transitions: &[Transition]) -> Vec<String> {
    let each = transitions.iter().map(|it| {
        let of = match &it.row {
            DiscoveredRow::Host(it) => format!("h{}", it.id),
            DiscoveredRow::Service(it) => format!("s{}", it.id),
        };
        let kind = match it.kind {
            EventKind::Ok => "up",
            EventKind::Problem => "down",
            EventKind::Discovered => "discovered",
            EventKind::Lost => "lost",
        };
        format!("{of} {kind}")
    });
    each.collect()
}

#[test]
fn a_device_is_discovered_stays_up_is_lost_and_comes_back() {
    let mut known = Known::default();
    let dead = [(PING, 0, None), (AGENT, 10_050, None)];
    assert_eq!(known.apply(&checked("192.0.2.1", T, &dead), None), []);
    assert_eq!(known.len(), (0, 0), "nothing is kept of addresses that never answered");
    let alive = [(PING, 0, Some("")), (AGENT, 10_050, Some("Linux"))];
    let transitions = known.apply(&checked("192.0.2.1", T, &alive), None);
    assert_eq!(
        shown(&transitions),
        ["s1 discovered", "s1 up", "s2 discovered", "s2 up", "h1 discovered", "h1 up"]
    );
    let half = [(PING, 0, Some("")), (AGENT, 10_050, None)];
    let transitions = known.apply(&checked("192.0.2.1", T + 60, &half), None);
    assert_eq!(shown(&transitions), ["s1 up", "s2 lost", "s2 down", "h1 up"]);
    let Some(Transition { row: DiscoveredRow::Service(agent), .. }) = transitions.get(1) else {
        panic!("{transitions:?}")
    };
    assert_eq!((agent.is_up, agent.lastup, agent.lastdown), (false, 0, T + 60));
    assert_eq!(
        (&*agent.value, &*agent.dns),
        ("Linux", "web.example.com"),
        "what it last said is kept"
    );
    let transitions = known.apply(&checked("192.0.2.1", T + 120, &dead), None);
    assert_eq!(shown(&transitions), ["s1 lost", "s1 down", "s2 down", "h1 lost", "h1 down"]);
    let transitions = known.apply(&checked("192.0.2.1", T + 180, &dead), None);
    assert_eq!(shown(&transitions), ["s1 down", "s2 down", "h1 down"]);
    let Some(Transition { row: DiscoveredRow::Host(host), .. }) = transitions.last() else {
        panic!("{transitions:?}")
    };
    assert_eq!((host.is_up, host.lastup, host.lastdown), (false, 0, T + 120));
    let transitions = known.apply(&checked("192.0.2.1", T + 240, &alive), None);
    assert_eq!(
        shown(&transitions),
        ["s1 discovered", "s1 up", "s2 discovered", "s2 up", "h1 discovered", "h1 up"]
    );
}

#[test]
fn addresses_with_one_value_of_the_unique_check_are_one_device() {
    let mut known = Known::default();
    let answer = |value| [(PING, 0, Some("")), (AGENT, 10_050, Some(value))];
    known.apply(&checked("192.0.2.1", T, &answer("router")), Some(AGENT));
    let transitions = known.apply(&checked("192.0.2.2", T, &answer("router")), Some(AGENT));
    assert_eq!(shown(&transitions), ["s3 discovered", "s3 up", "s4 discovered", "s4 up", "h1 up"]);
    known.apply(&checked("192.0.2.3", T, &answer("switch")), Some(AGENT));
    assert_eq!(known.len(), (2, 6));
    // One address of two is dead: the device is up.
    let dead = [(PING, 0, None), (AGENT, 10_050, None)];
    let transitions = known.apply(&checked("192.0.2.2", T + 60, &dead), Some(AGENT));
    assert_eq!(shown(&transitions), ["s3 lost", "s3 down", "s4 lost", "s4 down", "h1 up"]);
    // The address is another device's now.
    let transitions = known.apply(&checked("192.0.2.2", T + 120, &answer("switch")), Some(AGENT));
    assert_eq!(shown(&transitions), ["s3 discovered", "s3 up", "s4 discovered", "s4 up", "h2 up"]);
    // The rule has no unique check any more: each address is a device.
    let transitions = known.apply(&checked("192.0.2.2", T + 180, &answer("switch")), None);
    assert_eq!(shown(&transitions), ["s3 up", "s4 up", "h3 discovered", "h3 up"]);
    let hosts: Set<u64> = known.services().map(|it| it.0.host).collect();
    assert_eq!(hosts, Set::from_iter([1, 2, 3]));
}

#[test]
fn saved_state_continues_and_ids_are_never_reused() {
    let mut known = Known::default();
    let alive = [(PING, 0, Some(""))];
    let transitions = known.apply(&checked("192.0.2.1", T, &alive), None);
    let mut rows = DiscoveredRows::default();
    for it in transitions {
        match it.row {
            DiscoveredRow::Host(it) => rows.hosts = vec![it],
            DiscoveredRow::Service(it) => rows.services = vec![it],
        }
    }
    let mut again = Known::new(rows, (5, 9));
    assert_eq!(
        shown(&again.apply(&checked("192.0.2.1", T + 60, &alive), None)),
        ["s1 up", "h1 up"]
    );
    let transitions = again.apply(&checked("192.0.2.2", T + 60, &alive), None);
    assert_eq!(shown(&transitions), ["s10 discovered", "s10 up", "h6 discovered", "h6 up"]);
    again.forget(&[1], &[1]);
    assert_eq!(again.len(), (1, 1));
    let transitions = again.apply(&checked("192.0.2.1", T + 120, &alive), None);
    assert_eq!(shown(&transitions), ["s11 discovered", "s11 up", "h7 discovered", "h7 up"]);
}
