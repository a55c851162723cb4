//! Simple checks of services: real, silent, wrong and missing ones.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::support::config::{host, interface, item, snapshot};
use crate::support::{Server, error};
use collect::transcript::LineKind;
use model::batch::OwnedRaw;
use model::content::{InterfaceType, ItemType};
use model::snapshot::Host;
use peers::{Chronyd, Slapd, Sshd};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

fn checked(id: u64, keys: &[String]) -> Host {
    let mut it = host(id, &format!("host-{id}"));
    it.interfaces.push(interface(id, InterfaceType::Agent, "127.0.0.1", 10050));
    let items = (id * 100..).zip(keys);
    it.items = items.map(|(id, key)| item(id, ItemType::Simple, key, "10m")).collect();
    it
}

/// A service that greets each client with its words, and the text that it receives after that.
async fn service(words: &'static str) -> (SocketAddr, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let (sender, texts) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let sender = sender.clone();
            tokio::spawn(async move {
                drop(stream.write_all(words.as_bytes()).await);
                let mut text = String::new();
                drop(stream.read_to_string(&mut text).await);
                drop(sender.send(text));
            });
        }
    });
    (address, texts)
}

fn seconds(value: &OwnedRaw) -> f64 {
    match value {
        OwnedRaw::Float(it) => *it,
        other => panic!("no number: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn real_services_are_up_until_they_end() {
    let (Some(ssh), Some(ldap), Some(clock)) = (Sshd::start(), Slapd::start(), Chronyd::start())
    else {
        return;
    };
    let port = |it: SocketAddr| it.port();
    let (ssh_port, ldap_port, ntp) = (port(ssh.address), port(ldap.address), port(clock.address));
    let keys = [
        format!("net.tcp.service[ssh,,{ssh_port}]"),
        format!("net.tcp.service[ldap,localhost,{ldap_port}]"),
        format!("net.udp.service[ntp,,{ntp}]"),
        format!("net.tcp.service[tcp,127.0.0.1,{ssh_port}]"),
        // A service of another kind.
        format!("net.tcp.service[smtp,,{ssh_port}]"),
        format!("net.tcp.service[ldap,,{ssh_port}]"),
        format!("net.tcp.service.perf[ssh,,{ssh_port}]"),
        format!("net.tcp.service.perf[ldap,,{ldap_port}]"),
        format!("net.udp.service.perf[ntp,,{ntp}]"),
    ];
    let server = Server::start(snapshot(1, [checked(1, &keys)])).await;
    server.execute(100..109);
    for item in 100..104 {
        assert_eq!(server.value_of(item).await, OwnedRaw::Unsigned(1), "{item}");
    }
    for item in 104..106 {
        assert_eq!(server.value_of(item).await, OwnedRaw::Unsigned(0), "{item}");
    }
    for item in 106..109 {
        let time = seconds(&server.value_of(item).await);
        assert!(0.0 < time && time < 2.0, "{item}: {time}");
    }
    drop((ssh, ldap, clock));
    let gone = checked(2, &keys);
    server.configure(snapshot(2, [gone]));
    server.execute(200..209);
    for item in 200..206 {
        assert_eq!(server.value_of(item).await, OwnedRaw::Unsigned(0), "{item}");
    }
    for item in 206..209 {
        assert_eq!(server.value_of(item).await, OwnedRaw::Float(0.0), "{item}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn services_are_left_politely() {
    let said = [
        ("smtp", "220-wait\r\n220 mail\r\n", "QUIT\r\n"),
        ("ftp", "220-Welcome\r\n220 files\r\n", "QUIT\r\n"),
        ("pop", "+OK\r\n", "QUIT\r\n"),
        ("nntp", "200 news\r\n", "QUIT\r\n"),
        ("imap", "* OK mail\r\n", "a1 LOGOUT\r\n"),
        ("telnet", "Debian\r\nlogin: ", ""),
        ("http", "", ""),
    ];
    let (mut keys, mut services) = (Vec::new(), Vec::new());
    for (name, words, expected) in said {
        let (address, texts) = service(words).await;
        keys.push(format!("net.tcp.service[{name},,{}]", address.port()));
        services.push((name, texts, expected));
    }
    let server = Server::start(snapshot(1, [checked(1, &keys)])).await;
    server.execute(100..107);
    for item in 100..107 {
        assert_eq!(server.value_of(item).await, OwnedRaw::Unsigned(1), "{item}");
    }
    for (name, mut texts, expected) in services {
        assert_eq!(texts.recv().await.as_deref(), Some(expected), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_or_wrong_service_is_down() {
    let (silent, _hears) = service("").await;
    let (cut, _hears) = service("220-first").await;
    let keys = [
        format!("net.tcp.service[smtp,,{}]", silent.port()),
        format!("net.tcp.service.perf[smtp,,{}]", silent.port()),
        format!("net.tcp.service[smtp,,{}]", cut.port()),
        "net.tcp.service[smtp,no-such-name.invalid]".to_owned(),
        format!("net.udp.service[ntp,,{}]", silent.port()),
        "net.tcp.service[gopher]".to_owned(),
    ];
    let mut alone = host(2, "host-2");
    alone.items = vec![item(200, ItemType::Simple, "net.tcp.service[ssh]", "10m")];
    let server = Server::start(snapshot(1, [checked(1, &keys), alone])).await;
    server.execute((100..106).chain([200]));
    for item in [100, 102, 103, 104] {
        assert_eq!(server.value_of(item).await, OwnedRaw::Unsigned(0), "{item}");
    }
    assert_eq!(server.value_of(101).await, OwnedRaw::Float(0.0));
    assert_eq!(error(&server.value_of(105).await), "Invalid first parameter.");
    let reason = "Simple check must have target or host interface specified.";
    assert_eq!(error(&server.value_of(200).await), reason);
}

#[tokio::test(flavor = "multi_thread")]
async fn web_server_is_checked_by_tls_without_verification() {
    let keys = ["net.tcp.service[https,::1]", "net.tcp.service[https,h,8443]"].map(str::to_owned);
    let server = Server::start(snapshot(1, [checked(1, &keys)])).await;
    let http = &server.owner.http;
    http.answer(500, &[], "");
    server.execute([100]);
    assert_eq!(server.value_of(100).await, OwnedRaw::Unsigned(1));
    http.fail("connection refused");
    server.execute([101]);
    assert_eq!(server.value_of(101).await, OwnedRaw::Unsigned(0));
    let requests = http.requests();
    let urls: Vec<_> = requests.iter().map(|it| (&*it.method, &*it.url)).collect();
    assert_eq!(urls, [("HEAD", "https://[::1]:443/"), ("HEAD", "https://h:8443/")]);
    assert!(requests.iter().all(|it| !it.tls.verify_peer && !it.tls.verify_host));
}

#[tokio::test(flavor = "multi_thread")]
async fn trial_shows_the_exchange_with_a_service() {
    let (Some(ssh), Some(clock)) = (Sshd::start(), Chronyd::start()) else { return };
    let (mail, _hears) = service("220 mail\r\n").await;
    let (silent, _hears) = service("").await;
    let free = peers::free_tcp_address();
    let keys = [
        format!("net.tcp.service[ssh,,{}]", ssh.address.port()),
        format!("net.udp.service.perf[ntp,,{}]", clock.address.port()),
        format!("net.tcp.service[smtp,,{}]", mail.port()),
        format!("net.tcp.service[smtp,,{}]", silent.port()),
        format!("net.tcp.service[tcp,,{}]", free.port()),
        "net.tcp.service[https,h,8443]".to_owned(),
        format!("net.tcp.service[smtp,,{}]", ssh.address.port()),
    ];
    let server = Server::start(snapshot(1, [checked(1, &keys)])).await;
    server.owner.http.answer(500, &[], "");
    let mut transcripts = Vec::new();
    for id in 100..107 {
        let (tried, said) = server.try_item(1, id).await;
        assert!(tried.is_ok(), "{id}: {tried:?}");
        transcripts.push(said);
    }
    let note = |text: String| (LineKind::Note, text);
    let is_note = |it: Option<&(LineKind, String)>, begins: &str| {
        it.is_some_and(|it| it.0 == LineKind::Note && it.1.starts_with(begins))
    };
    assert_eq!(transcripts[0][0], note(format!("connected to {}", ssh.address)));
    assert!(
        transcripts[0][1].0 == LineKind::Received && transcripts[0][1].1.starts_with("SSH-2.0-"),
        "{transcripts:?}"
    );
    assert!(is_note(transcripts[0].last(), "it is up, after "), "{transcripts:?}");
    let [(LineKind::Sent, asked), (LineKind::Received, answered), last] = transcripts[1].as_slice()
    else {
        panic!("{:?}", transcripts[1])
    };
    assert!(asked.starts_with(&format!("to {}: NTP, 48 bytes: ", clock.address)), "{asked}");
    assert!(answered.starts_with("48 bytes: "), "{answered}");
    assert!(is_note(Some(last), "it is up, after "));
    assert_eq!(
        transcripts[2][1..3],
        [(LineKind::Received, "220 mail\r\n".to_owned()), (LineKind::Sent, "QUIT\r\n".to_owned())]
    );
    assert_eq!(
        transcripts[3].last(),
        Some(&note("it is not up: it did not answer within 2s".to_owned()))
    );
    let refused = "it is not up: [111] Connection refused, after ";
    assert!(is_note(transcripts[4].last(), refused), "{:?}", transcripts[4]);
    let https = [
        (LineKind::Sent, "HEAD https://h:8443/".to_owned()),
        (LineKind::Received, "HTTP 500".to_owned()),
    ];
    assert_eq!(transcripts[5][..2], https);
    assert!(
        is_note(transcripts[6].last(), "it is not up: unexpected answer, after "),
        "{:?}",
        transcripts[6]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn how_fast_a_web_server_is_does_not_count_the_wait_for_a_turn() {
    let mut checked = checked(1, &["net.tcp.service.perf[https,h]".to_owned()]);
    Arc::make_mut(&mut checked.items[0].content).timeout = "1s".to_owned();
    let server = Server::start(snapshot(1, [checked])).await;
    let http = &server.owner.http;
    // Longer than the item's own time, which begins with the turn.
    http.wait_for_turns(Duration::from_millis(1_500));
    http.answer(200, &[], "");
    server.execute([100]);
    assert_eq!(server.value_of(100).await, OwnedRaw::Float(0.001));
}
