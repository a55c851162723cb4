//! Pings of the loopback network, by raw or datagram sockets, whichever this process may open.
#![allow(clippy::print_stdout, reason = "who reads the output should see what did not run")]

use crate::support::config::{host, interface, item, snapshot};
use crate::support::{Server, error};
use collect::transcript::LineKind;
use model::ItemId;
use model::batch::OwnedRaw;
use model::content::{InterfaceType, ItemType};
use model::snapshot::Host;
use socket2::{Domain, Protocol, Socket, Type};

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
        // so slow that all five come while their series goes on, on a busy machine too
        "icmpping[,4,1000]",
        "icmppingloss[,4,1000]",
        "icmppingsec[,4,1000]",
        "icmppingsec[,4,1000,,,min]",
        "icmppingsec[,4,1000,,,max]",
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
    // Debian's table of hosts has the name.
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

#[tokio::test(flavor = "multi_thread")]
async fn trial_shows_each_answer() {
    if !can_ping() {
        return;
    }
    let keys = [
        "icmppingsec[,2,20]",
        "icmppingloss[255.255.255.255,2,20,,50]",
        "icmppingretry[,2,1.5,100,80]",
    ];
    let server = Server::start(snapshot(1, [pinged(1, "127.3.0.1", &keys, "10m")])).await;
    let (tried, said) = server.try_item(1, 100).await;
    assert!(0.0 < float(&tried.expect("a value")));
    let asked = "ICMP to 127.3.0.1: at most 2 echo requests of 56 bytes, one each 20 ms, 500 ms for an answer";
    assert_eq!(said[0], (LineKind::Sent, asked.to_owned()));
    for (n, (by, answer)) in said[1..3].iter().enumerate() {
        let begins = format!("answer {} from 127.3.0.1 after ", n + 1);
        assert!(*by == LineKind::Received && answer.starts_with(&begins), "{said:?}");
        assert!(answer.ends_with(" ms"), "{said:?}");
    }
    assert_eq!(said[3..], [(LineKind::Note, "2 sent, 2 answered, 0 lost".to_owned())]);
    let (_, said) = server.try_item(1, 101).await;
    assert_eq!(said[1..], [(LineKind::Note, "2 sent, 0 answered, 2 lost".to_owned())]);
    let (_, said) = server.try_item(1, 102).await;
    let asked = "ICMP to 127.3.0.1: at most 3 echo requests of 100 bytes, the next one if none is answered, \
                 with 1.5 times the time, 80 ms for an answer";
    assert_eq!(said[0], (LineKind::Sent, asked.to_owned()));
    assert_eq!(said.last(), Some(&(LineKind::Note, "1 sent, 1 answered, 0 lost".to_owned())));
}
