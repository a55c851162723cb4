//! Encryption: zabbix_get by a shared key and by certificates, and connections to a server.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;

use peers::Certificates;
use rt::tls::{Acceptor, ConnectAs, Security, TlsConnector, TlsSettings};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use crate::{LIMIT, Running, passive::exchange};

const ANY_PORT: (&str, &str) = ("passive.listen", "127.0.0.1:0");
const KEY: &str = "af8ced32dfe8714e548694e2d29e1a14ba6fa13f216cb35c19d0feb1084b0429";

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// The output of zabbix_get for `agent.ping`; `Err` with its error, if there is no value.
fn get(address: SocketAddr, more: &[&str]) -> Option<Result<String, String>> {
    let program = peers::program("zabbix_get")?;
    let port = address.port().to_string();
    let mut command = Command::new(program);
    command.args(["-s", "127.0.0.1", "-p", &port, "-k", "agent.ping"]).args(more);
    let output = command.output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let value = text(&output.stdout);
    Some(if value.is_empty() { Err(text(&output.stderr)) } else { Ok(value) })
}

#[test]
fn only_peers_with_the_key_are_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, other) = (text(&folder.path().join("key")), text(&folder.path().join("other")));
    fs::write(&file, format!("{KEY}\n")).expect("written");
    fs::write(&other, KEY.replace('a', "b")).expect("written");
    let psk =
        [("encryption.psk_identity", "agent of a test"), ("encryption.psk_file", file.as_str())];
    let only = Running::start(&[ANY_PORT, ("encryption.accept", "psk"), psk[0], psk[1]]);
    let by_key = |identity: &str, file: &str| {
        let way = ["--tls-connect", "psk", "--tls-psk-identity", identity, "--tls-psk-file", file];
        get(only.addresses[0], &way)
    };
    let Some(answer) = by_key("agent of a test", &file) else { return };
    assert_eq!(answer, Ok("1".to_owned()));
    assert!(by_key("agent of a test", &other).is_some_and(|it| it.is_err()));
    assert!(by_key("somebody", &file).is_some_and(|it| it.is_err()));
    assert!(get(only.addresses[0], &[]).is_some_and(|it| it.is_err()));
    let both =
        Running::start(&[ANY_PORT, ("encryption.accept", "unencrypted,psk"), psk[0], psk[1]]);
    assert_eq!(exchange(both.addresses[0], "agent.ping"), "1");
    let way =
        ["--tls-connect", "psk", "--tls-psk-identity", "agent of a test", "--tls-psk-file", &file];
    assert_eq!(get(both.addresses[0], &way), Some(Ok("1".to_owned())));
}

#[test]
fn certificates_are_accepted_with_the_right_subject() {
    let Some(own) = Certificates::new() else { return };
    let Some(foreign) = Certificates::new() else { return };
    let files = [
        ("tls.ca_file", text(&own.authority)),
        ("tls.cert_file", text(&own.certificate)),
        ("tls.key_file", text(&own.key)),
    ];
    let start = |more: &[(&str, &str)]| {
        let mut set = vec![ANY_PORT, ("encryption.accept", "cert")];
        set.extend(files.iter().map(|it| (it.0, it.1.as_str())));
        set.extend(more);
        Running::start(&set)
    };
    // Debian's zabbix_get takes certificates of RSA only: these requests are made by our own
    // client.
    let by = |agent: &Running, of: &Certificates| -> Option<String> {
        let settings = TlsSettings {
            ca_file: text(&own.authority),
            cert_file: text(&of.certificate),
            key_file: text(&of.key),
            ..rt::settings::defaults()
        };
        let connector = TlsConnector::new(&settings).expect("good files");
        let how = ConnectAs::Certificate { issuer: String::new(), subject: String::new() };
        let stream = TcpStream::connect(agent.addresses[0]).expect("it listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a time-out");
        let mut stream = connector.connect_blocking(&stream, &how).ok()??;
        let mut frame = Vec::new();
        wire::zbxd::encode(b"agent.ping", &mut frame);
        stream.write_all(&frame).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        Some(String::from_utf8_lossy(answer.get(13..)?).into_owned())
    };
    let agent = start(&[("encryption.server_cert_subject", "CN=server of a test")]);
    assert_eq!(by(&agent, &own).as_deref(), Some("1"));
    assert_eq!(by(&agent, &foreign), None);
    let strict = start(&[("encryption.server_cert_subject", "CN=somebody else")]);
    assert_eq!(by(&strict, &own), None);
}

/// SIGHUP is for the whole process: all agents of these tests then read their files.
#[test]
fn zabbix_get_is_refused_after_a_reload_with_its_certificate_revoked() {
    let Some(own) = Certificates::of_rsa() else { return };
    let (certificate, key) = own.another("peer", "/O=Tests/CN=server 2");
    let (ca, list) = (text(&own.authority), own.revoke(&[]));
    let folder = tempfile::tempdir().expect("a folder");
    let (list, psk) = (text(&list), text(&folder.path().join("key")));
    fs::write(&psk, KEY).expect("written");
    let agent = Running::start(&[
        ANY_PORT,
        ("encryption.accept", "cert,psk"),
        ("encryption.psk_identity", "a"),
        ("encryption.psk_file", &psk),
        ("tls.ca_file", &ca),
        ("tls.crl_file", &list),
        ("tls.cert_file", &text(&own.certificate)),
        ("tls.key_file", &text(&own.key)),
    ]);
    let (certificate_file, key_file) = (text(&certificate), text(&key));
    let by_certificate = || {
        let files = ["--tls-cert-file", &certificate_file, "--tls-key-file", &key_file];
        let who = ["--tls-agent-cert-subject", "CN=server of a test"];
        let way = ["--tls-connect", "cert", "--tls-ca-file", &ca];
        get(agent.addresses[0], &[&way[..], &files, &who].concat())
    };
    let by_key = |file: &str| {
        let way = ["--tls-connect", "psk", "--tls-psk-identity", "a", "--tls-psk-file", file];
        get(agent.addresses[0], &way)
    };
    let Some(answer) = by_certificate() else { return };
    assert_eq!(answer, Ok("1".to_owned()));
    assert_eq!(by_key(&psk), Some(Ok("1".to_owned())));
    // Both files change under the same names; nothing is read before the reload.
    let other = text(&folder.path().join("other"));
    fs::write(&other, KEY.replace('a', "b")).expect("written");
    fs::copy(&other, &psk).expect("written");
    assert_eq!(text(&own.revoke(&[&certificate])), list);
    assert_eq!(by_certificate(), Some(Ok("1".to_owned())));
    nix::sys::signal::raise(nix::sys::signal::Signal::SIGHUP).expect("to ourselves");
    peers::wait_until("the revoked one is refused", LIMIT, || {
        by_certificate().is_some_and(|it| it.is_err())
    });
    peers::wait_until("the new key is taken", LIMIT, || {
        by_key(&other).is_some_and(|it| it == Ok("1".to_owned()))
    });
    // A broken file changes nothing.
    fs::write(&psk, "nonsense").expect("written");
    nix::sys::signal::raise(nix::sys::signal::Signal::SIGHUP).expect("to ourselves");
    assert_eq!(by_key(&other), Some(Ok("1".to_owned())));
}

#[test]
fn agent_connects_to_servers_by_the_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = text(&folder.path().join("key"));
    fs::write(&file, KEY).expect("written");
    let runtime = rt::task::runtime(1).expect("threads");
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let address = listener.local_addr().expect("bound").to_string();
    let (sender, requests) = mpsc::channel();
    let digit = |it: &u8| char::from(*it).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let digits: Vec<u8> = KEY.as_bytes().iter().filter_map(digit).collect();
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|it| it[0] << 4 | it[1]).collect();
    runtime.spawn(async move {
        let key = move |identity: &str| (identity == "web").then(|| bytes.clone());
        let settings: TlsSettings = rt::settings::defaults();
        let acceptor = Acceptor::new(&settings, std::sync::Arc::new(key)).expect("set up");
        while let Ok((stream, _)) = listener.accept().await {
            let (mut stream, security) = acceptor.accept(stream).await.expect("a handshake");
            let mut bytes = vec![0; 40];
            stream.read_exact(&mut bytes).await.expect("a request");
            drop(sender.send((security, String::from_utf8_lossy(&bytes).into_owned())));
        }
    });
    let _agent = Running::start(&[
        ("passive.enabled", "false"),
        ("hostname", "web"),
        ("active.servers", &address),
        ("encryption.connect", "psk"),
        ("encryption.psk_identity", "web"),
        ("encryption.psk_file", &file),
    ]);
    let (security, request) = requests.recv_timeout(LIMIT).expect("a request comes");
    assert_eq!(security, Security::Psk { identity: "web".to_owned() });
    assert!(request.contains("config_revision"), "{request}");
}

#[test]
fn missing_encryption_settings_are_reported_at_the_start() {
    let start = |set: &[(&str, &str)]| {
        let tasks = rt::task::Tasks::new("agent", &rt::metrics::Registry::new());
        let runtime = rt::task::runtime(1).expect("threads");
        let clock = rt::clock::Clock::real();
        let settings = crate::settings(set);
        let started = runtime.block_on(agentd::Role::start(settings, &tasks, &clock));
        started.expect_err("refused").to_string()
    };
    let message = start(&[ANY_PORT, ("encryption.connect", "psk")]);
    assert_eq!(message, "encryption by psk needs encryption.psk_identity and encryption.psk_file");
    let message = start(&[ANY_PORT, ("encryption.accept", "cert")]);
    assert_eq!(message, "encryption by cert needs tls.ca_file, tls.cert_file and tls.key_file");
    let folder = tempfile::tempdir().expect("a folder");
    let file = text(&folder.path().join("key"));
    fs::write(&file, "abc").expect("written");
    let psk = [("encryption.psk_identity", "x"), ("encryption.psk_file", file.as_str())];
    let message = start(&[ANY_PORT, ("encryption.accept", "psk"), psk[0], psk[1]]);
    assert!(message.contains("hexadecimal digits") && !message.contains("abc"), "{message}");
}
