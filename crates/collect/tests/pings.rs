//! Pings of the loopback network, by raw or datagram sockets, whichever this process may open.
#![allow(clippy::print_stdout, reason = "who reads the output should see what did not run")]

mod support;

use model::ItemId;
use model::batch::OwnedRaw;
use model::content::{InterfaceType, ItemType};
use model::snapshot::Host;
use socket2::{Domain, Protocol, Socket, Type};
use support::config::{host, interface, item, snapshot};
use support::{Server, error};

fn can_ping() -> bool {
    let kinds = [Type::RAW, Type::DGRAM];
    let can = kinds.iter().any(|it| Socket::new(Domain::IPV4, *it, Some(Protocol::ICMPV4)).is_ok());
    if !can {
        peers::left_out("this process may not send pings");
    }
    can
}

fn pinged(id: u64, ip: &str, keys: &[&str], delay: &str) -> Host {
    let mut it = host(id, &format!("host-{id}"));
    it.interfaces.push(interface(id, InterfaceType::Agent, ip, 10050));
    let items = (id * 100..).zip(keys);
    it.items = items.map(|(id, key)| item(id, ItemType::Simple, key, delay)).collect();
    it
}

fn float(value: &OwnedRaw) -> f64 {
    match value {
        OwnedRaw::Float(it) => *it,
        other => panic!("no number: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_living_target_answers_and_items_share_a_series() {
    if !can_ping() {
        return;
    }
    let keys = [
        "icmpping[,4,100]",
        "icmppingloss[,4,100]",
        "icmppingsec[,4,100]",
        "icmppingsec[,4,100,,,min]",
        "icmppingsec[,4,100,,,max]",
        "icmpping[127.3.3.3,2,50,1000,200]",
        "icmpping[localhost,1]",
        "icmpping[,0]",
        "icmpping[255.255.255.255,2,20,,50]",
        "icmppingloss[255.255.255.255,2,20,,50]",
        "icmppingsec[255.255.255.255,2,20,,50]",
        "icmppingretry[,2]",
        "icmppingretry[255.255.255.255,2,2.0,,50]",
    ];
    let server = Server::start(snapshot(1, [pinged(1, "127.3.0.1", &keys, "10m")])).await;
    server.execute(100..113);
    assert_eq!(server.value_of(100).await, OwnedRaw::Unsigned(1));
    assert!(float(&server.value_of(101).await).abs() < 1e-9);
    let [avg, min, max] = [102, 103, 104];
    let (avg, min, max) = (
        float(&server.value_of(avg).await),
        float(&server.value_of(min).await),
        float(&server.value_of(max).await),
    );
    assert!(0.000_1 <= min && min <= avg && avg <= max && max < 0.5, "{min} {avg} {max}");
    assert_eq!(server.value_of(105).await, OwnedRaw::Unsigned(1));
    assert_eq!(server.value_of(106).await, OwnedRaw::Unsigned(1));
    let text = "Number of packets \"0\" is not between 1 and 10000.";
    assert_eq!(error(&server.value_of(107).await), text);
    assert_eq!(server.value_of(108).await, OwnedRaw::Unsigned(0), "cannot even be sent");
    assert!((float(&server.value_of(109).await) - 100.0).abs() < 1e-9);
    assert!(float(&server.value_of(110).await).abs() < 1e-9);
    assert_eq!(server.value_of(111).await, OwnedRaw::Unsigned(1));
    assert_eq!(server.value_of(112).await, OwnedRaw::Unsigned(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn six_answers_over_ipv6() {
    if !can_ping() || std::net::UdpSocket::bind("[::1]:0").is_err() {
        println!("skipped: no IPv6 here");
        return;
    }
    let keys = ["icmpping[,2,50]", "icmppingretry[ip6-localhost]"];
    let server = Server::start(snapshot(1, [pinged(1, "::1", &keys, "10m")])).await;
    server.execute([100, 101]);
    assert_eq!(server.value_of(100).await, OwnedRaw::Unsigned(1));
    // The name stands in Debian's table of hosts.
    let is_known = std::net::ToSocketAddrs::to_socket_addrs("ip6-localhost:0").is_ok();
    let value = server.value_of(101).await;
    assert!(!is_known || value == OwnedRaw::Unsigned(1), "{value:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_hosts_are_pinged_at_once() {
    if !can_ping() {
        return;
    }
    let hosts = (1..=500_u64).map(|id| {
        let ip = format!("127.4.{}.{}", id / 250, id % 250 + 1);
        pinged(id, &ip, &["icmppingloss[,5,20]"], "10m")
    });
    let server = Server::start(snapshot(1, hosts)).await;
    server.execute((1..=500).map(|it| it * 100));
    let seen = server.until("all answers", |it| it.len() >= 500).await;
    for id in 1..=500 {
        let loss = seen.iter().find(|it| it.item == ItemId(id * 100)).map(|it| float(&it.value));
        assert_eq!(loss, Some(0.0), "host {id}");
    }
}
