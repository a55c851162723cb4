//! Encrypted connections with the real agents and zabbix_sender, and with peers that misbehave.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use crate::support::config::{host, interface, item, snapshot};
use crate::support::{Owner, Server, settings, text};
use collect::{AvailabilitySink, Available};
use model::InterfaceId;
use model::content::{InterfaceType, ItemType};
use model::encryption::{CERTIFICATE, Encryption, PSK, UNENCRYPTED};
use model::snapshot::Host;
use peers::{AgentKind, Certificates, free_tcp_address, program, with_each_agent};
use rt::tls::TlsSettings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const OTHER: &str = "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

with_each_agent!(
    async agents_are_asked_by_key,
    agents_are_asked_by_certificate,
    an_active_agent_is_known_by_its_key,
);

fn by_key(key: &str) -> Encryption {
    Encryption {
        connect: PSK,
        accept: PSK,
        psk_identity: "agent of a test".to_owned(),
        psk: key.to_owned(),
        ..Encryption::default()
    }
}

fn agent_host(id: u64, port: u16, encryption: Encryption) -> Host {
    let mut it = host(id, &format!("host-{id}"));
    it.interfaces.push(interface(id, InterfaceType::Agent, "127.0.0.1", port));
    it.items = vec![item(id * 100, ItemType::ZabbixAgent, "agent.ping", "1m")];
    it.encryption = Some(Arc::new(encryption));
    it
}

/// Lines of an agent's settings for its key, with the file.
fn lines_of_key(folder: &Path, key: &str) -> String {
    let file = folder.join("agent.psk");
    std::fs::write(&file, format!("{key}\n")).expect("written");
    format!("TLSPSKIdentity=agent of a test\nTLSPSKFile={}\n", file.display())
}

/// Waits until the interface is not available; returns the reason.
async fn reason(server: &Server, interface: u64) -> String {
    let state = |it: &Owner| AvailabilitySink::interface(it, InterfaceId(interface));
    server.until_owner("failure", |it| state(it).available == Available::No).await;
    state(&server.owner).error
}

/// An agent takes its value by key as this server offers it.
async fn is_asked_without_forward_secrecy(port: u16) {
    let tls = TlsSettings { psk_forward_secrecy: false, ..rt::settings::defaults() };
    let hosts = snapshot(1, [agent_host(1, port, by_key(KEY)), agent_host(2, port, by_key(OTHER))]);
    let server = Server::start_tls(hosts, settings(), Arc::default(), &tls).await;
    server.execute([100, 200]);
    assert_eq!(text(&server.value_of(100).await), "1");
    let shown = reason(&server, 2).await;
    assert!(shown.contains("TLS handshake failed"), "{shown}");
}

async fn agents_are_asked_by_key(kind: AgentKind) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut lines = lines_of_key(folder.path(), KEY);
    lines.push_str("TLSAccept=psk\nTLSConnect=psk\nHostname=x");
    let Some(agent) = kind.start(free_tcp_address(), &lines) else { return };
    let port = agent.address.port();
    let other_identity = Encryption { psk_identity: "nobody".to_owned(), ..by_key(KEY) };
    let server = Server::start(snapshot(
        1,
        [
            agent_host(1, port, by_key(KEY)),
            agent_host(2, port, by_key(OTHER)),
            agent_host(3, port, other_identity),
            agent_host(4, port, Encryption { connect: UNENCRYPTED, ..by_key(KEY) }),
            agent_host(5, port, Encryption { connect: CERTIFICATE, ..Encryption::default() }),
        ],
    ))
    .await;
    server.execute([100, 200, 300, 400, 500]);
    assert_eq!(text(&server.value_of(100).await), "1");
    for id in [2, 3] {
        let shown = reason(&server, id).await;
        let start = format!(
            "Get value from agent failed: TCP successful, cannot establish TLS to \
             [[127.0.0.1]:{port}]: TLS handshake failed: "
        );
        assert!(shown.starts_with(&start), "{shown}");
        assert!(!shown.contains(KEY) && !shown.contains(OTHER), "{shown}");
    }
    // The agent closes an unencrypted connection without an answer.
    let shown = reason(&server, 4).await;
    assert!(shown.starts_with("Received empty response"), "{shown}");
    let shown = reason(&server, 5).await;
    assert!(shown.contains("there is no certificate to connect with: tls.ca_file"), "{shown}");
    is_asked_without_forward_secrecy(port).await;
}

fn of(certificates: &Certificates) -> TlsSettings {
    let text = |it: &Path| it.to_str().expect("plain").to_owned();
    TlsSettings {
        ca_file: text(&certificates.authority),
        cert_file: text(&certificates.certificate),
        key_file: text(&certificates.key),
        ..rt::settings::defaults()
    }
}

async fn agents_are_asked_by_certificate(kind: AgentKind) {
    let Some(certificates) = Certificates::of_rsa() else { return };
    let (cert, key) = certificates.another("agent", "/O=Tests, of Saker/CN=agent 1");
    let lines = format!(
        "TLSAccept=cert\nTLSCAFile={}\nTLSCertFile={}\nTLSKeyFile={}\nHostname=x\n\
         TLSServerCertSubject=CN=server of a test",
        certificates.authority.display(),
        cert.display(),
        key.display(),
    );
    let Some(agent) = kind.start(free_tcp_address(), &lines) else { return };
    let port = agent.address.port();
    let by = |issuer: &str, subject: &str| Encryption {
        connect: CERTIFICATE,
        accept: CERTIFICATE,
        issuer: issuer.to_owned(),
        subject: subject.to_owned(),
        ..Encryption::default()
    };
    let (issuer, subject) = ("CN=authority of a test", r"CN=agent 1,O=Tests\, of Saker");
    let hosts = [
        agent_host(1, port, by("", "")),
        agent_host(2, port, by(issuer, subject)),
        agent_host(3, port, by(issuer, "CN=agent 2")),
        agent_host(4, port, by("CN=another", "")),
    ];
    let server =
        Server::start_tls(snapshot(1, hosts), settings(), Arc::default(), &of(&certificates)).await;
    server.execute([100, 200, 300, 400]);
    assert_eq!(text(&server.value_of(100).await), "1");
    assert_eq!(text(&server.value_of(200).await), "1");
    let shown = reason(&server, 3).await;
    assert!(
        shown.ends_with(&format!("certificate subject does not match: it is \"{subject}\"")),
        "{shown}"
    );
    let shown = reason(&server, 4).await;
    assert!(
        shown.ends_with(&format!("certificate issuer does not match: it is \"{issuer}\"")),
        "{shown}"
    );

    // An agent of another authority.
    let Some(foreign) = Certificates::of_rsa() else { return };
    let hosts = [agent_host(1, port, by("", ""))];
    let server =
        Server::start_tls(snapshot(1, hosts), settings(), Arc::default(), &of(&foreign)).await;
    server.execute([100]);
    let shown = reason(&server, 1).await;
    assert!(shown.contains("certificate verify failed"), "{shown}");
}

async fn an_active_agent_is_known_by_its_key(kind: AgentKind) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut host = agent_host(1, 1, by_key(KEY));
    host.items = vec![item(100, ItemType::ZabbixAgentActive, "agent.hostname", "1s")];
    let mut plain = crate::support::config::host(2, "host-2");
    plain.items = vec![item(200, ItemType::ZabbixAgentActive, "agent.hostname", "1s")];
    let server = Server::start(snapshot(1, [host, plain])).await;
    let mut lines = lines_of_key(folder.path(), KEY);
    write!(
        lines,
        "TLSConnect=psk\nTLSAccept=psk\nServerActive={}\nRefreshActiveChecks=60",
        server.trapper
    )
    .expect("to memory");
    let Some(_known) = kind.start(free_tcp_address(), &format!("{lines}\nHostname=host-1")) else {
        return;
    };
    assert_eq!(text(&server.value_of(100).await), "host-1");
    // This key is not one of another host.
    let other = kind.start(free_tcp_address(), &format!("{lines}\nHostname=host-2"));
    let other = other.expect("installed");
    peers::wait_until("the agent is refused", crate::support::PATIENCE, || {
        let log = other.process.log();
        log.contains("connection of type \"TLS with PSK\" is not allowed for host \"host-2\"")
    });
    assert!(!server.seen().iter().any(|it| it.item.0 == 200));
}

/// The answer of zabbix_sender, and its errors.
fn send(server: &Server, host: &str, key: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program("zabbix_sender")?);
    let address = server.trapper;
    command.args(["-vv", "-z", &address.ip().to_string(), "-p", &address.port().to_string()]);
    command.args(["-s", host, "-k", key, "-o", "5"]).args(arguments);
    let Output { stdout, stderr, .. } = command.output().expect("it starts");
    Some([stdout, stderr].map(|it| String::from_utf8_lossy(&it).into_owned()).concat())
}

fn trapper_host(id: u64, encryption: Option<Encryption>) -> Host {
    let mut it = host(id, &format!("host-{id}"));
    it.items = vec![item(id * 100, ItemType::Trapper, "trap", "")];
    it.encryption = encryption.map(Arc::new);
    it
}

#[tokio::test(flavor = "multi_thread")]
async fn senders_are_known_by_key_and_by_certificate() {
    let Some(certificates) = Certificates::of_rsa() else { return };
    let (cert, key) = certificates.another("sender", "/CN=sender");
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        path.to_str().expect("plain").to_owned()
    };
    let (good, bad) = (file("good.psk", KEY), file("bad.psk", OTHER));
    let hosts = [
        trapper_host(1, Some(by_key(KEY))),
        trapper_host(2, None),
        trapper_host(
            3,
            Some(Encryption {
                accept: CERTIFICATE,
                subject: "CN=sender".to_owned(),
                ..Encryption::default()
            }),
        ),
        trapper_host(
            4,
            Some(Encryption {
                accept: CERTIFICATE,
                subject: "CN=another".to_owned(),
                ..Encryption::default()
            }),
        ),
    ];
    let server =
        Server::start_tls(snapshot(1, hosts), settings(), Arc::default(), &of(&certificates)).await;
    let psk = |file: &str, host: &str| {
        let identity = "agent of a test";
        send(
            &server,
            host,
            "trap",
            &["--tls-connect", "psk", "--tls-psk-identity", identity, "--tls-psk-file", file],
        )
    };
    let Some(answer) = psk(&good, "host-1") else { return };
    assert!(answer.contains("processed: 1; failed: 0"), "{answer}");
    // Not for a host that requires something else, nor with a wrong key, nor without.
    let answer = psk(&good, "host-2").expect("installed");
    assert!(answer.contains("processed: 0; failed: 1"), "{answer}");
    let answer = psk(&bad, "host-1").expect("installed");
    assert!(answer.contains("TLS"), "{answer}");
    let answer = send(&server, "host-1", "trap", &[]).expect("installed");
    assert!(answer.contains("processed: 0; failed: 1"), "{answer}");
    let answer = send(&server, "host-2", "trap", &[]).expect("installed");
    assert!(answer.contains("processed: 1; failed: 0"), "{answer}");

    let text = |it: &Path| it.to_str().expect("plain").to_owned();
    let (authority, cert, key) = (text(&certificates.authority), text(&cert), text(&key));
    let by_certificate = |host: &str, subject: &str| {
        let connect = ["--tls-connect", "cert", "--tls-ca-file", &authority];
        let own = ["--tls-cert-file", &cert, "--tls-key-file", &key];
        let server_is = ["--tls-server-cert-subject", subject];
        send(&server, host, "trap", &[&connect[..], &own, &server_is].concat()).expect("installed")
    };
    for (host, processed) in [("host-3", 1), ("host-4", 0), ("host-1", 0)] {
        let answer = by_certificate(host, "CN=server of a test");
        assert!(answer.contains(&format!("processed: {processed};")), "{host}: {answer}");
    }
    let answer = by_certificate("host-3", "CN=another");
    assert!(answer.contains("subject"), "{answer}");
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn handshakes_that_go_nowhere_end() {
    let server = Server::start(snapshot(1, [trapper_host(1, Some(by_key(KEY)))])).await;
    let connect = async |bytes: &[u8]| {
        let mut stream = TcpStream::connect(server.trapper).await.expect("listening");
        stream.write_all(bytes).await.expect("sent");
        stream
    };
    // A client that sends no more.
    let mut silent = connect(&[0x16, 3, 1]).await;
    // Nonsense with the right first byte; a handshake that is too long.
    for bytes in [&[0x16; 600][..], &[0x16, 3, 1, 0xff, 0xff, 1, 0, 0, 5]] {
        let mut stream = connect(bytes).await;
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer).await);
    }
    drop(silent.read_to_end(&mut Vec::new()).await);
    let rejected = |reason: &str| {
        let name = format!("saker_trapper_rejected_total{{reason=\"{reason}\"}}");
        let text = server.registry.render();
        let line = text.lines().find_map(|it| it.strip_prefix(&name).map(str::trim));
        line.and_then(|it| it.parse::<u64>().ok()).unwrap_or(0)
    };
    peers::wait_until("all are counted", crate::support::PATIENCE, || {
        (rejected("tls"), rejected("timeout")) == (2, 1)
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_stalled_in_the_handshake_costs_only_its_own_check() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            kept.push(stream);
        }
    });
    let server = Server::start(snapshot(1, [agent_host(1, port, by_key(KEY))])).await;
    server.execute([100]);
    let shown = reason(&server, 1).await;
    assert!(shown.contains("timed out after"), "{shown}");
}
