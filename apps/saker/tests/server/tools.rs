//! `saker send` and `saker get`, against our server, a real agent and peers that do not answer.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::{FLOAT, Server, TEXT, UNSIGNED, address, now, program};
use peers::{AgentKind, with_each_agent};

/// Exit code, standard output and error.
fn run(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_saker"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A program that refuses its arguments reads nothing.
    let writer = thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

fn send(server: &Server, arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let to = server.trapper().to_string();
    run(&[&["send", "-z", &to], arguments].concat(), input)
}

#[test]
fn values_are_sent_from_arguments_and_from_lines() {
    let server = Server::start();
    let host = server.host("Linux DB1");
    let load = server.trapper_item(&host, "load", FLOAT);
    let note = server.trapper_item(&host, "note[a b]", TEXT);

    let (code, out, err) = send(&server, &["-s", "Linux DB1", "-k", "load", "-o", "-1.5"], "");
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (Some(0), "sent: 1; skipped: 0; total: 1\n", "")
    );
    assert_eq!(server.last(&load).as_deref(), Some("-1.5"));

    let lines = "- load 2.5\n\n\"Linux DB1\" \"note[a b]\" \"two\\nlines, \\\"quoted\\\"\"\r\n";
    let (code, out, _) = send(&server, &["-s", "Linux DB1", "-v", "-i", "-"], lines);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("\"processed: 2; failed: 0; total: 2; seconds spent: "), "{out}");
    assert_eq!(server.last(&load).as_deref(), Some("2.5"));
    assert_eq!(server.last(&note).as_deref(), Some("two\nlines, \"quoted\""));

    // Some are not processed: said as zabbix_sender says it.
    let (code, out, _) = send(&server, &["-s", "Linux DB1", "-i", "-"], "- load 3\n- no 1\n");
    assert_eq!((code, out.as_str()), (Some(2), "sent: 2; skipped: 0; total: 2\n"));

    // Lines before a line that can't be read are sent.
    let (code, _, err) =
        send(&server, &["-s", "Linux DB1", "-i", "-"], "- load 4\n- load\n- load 5\n");
    assert_eq!(code, Some(1));
    assert!(err.contains("line 2: the value is missing"), "{err}");
    assert_eq!(server.last(&load).as_deref(), Some("4"));
}

#[test]
fn batches_share_a_connection_and_keep_their_times() {
    let server = Server::start();
    let host = server.host("web");
    let hits = server.trapper_item(&host, "hits", TEXT);
    let start = now() - 2_000;
    let lines: String =
        (0..1_001).map(|it| format!("web hits {} 7000000 {it}\n", start + it)).collect();
    let before = server.metric("saker_trapper_connections_total");
    let file = server.dir().join("values.txt");
    std::fs::write(&file, lines).unwrap();
    let path = file.to_str().unwrap();
    let (code, out, err) = send(&server, &["-T", "-N", "-v", "-i", path], "");
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.ends_with("sent: 1001; skipped: 0; total: 1001\n"), "{out}");
    assert_eq!(out.matches("Response from").count(), 5, "{out}");
    let connections = server.metric("saker_trapper_connections_total") - before;
    assert_eq!(connections, 1, "the connection is kept");
    let expected: Vec<String> = (0..1_001).map(|it| it.to_string()).collect();
    assert_eq!(server.history_values(&hits), expected);
}

#[test]
fn values_in_real_time_do_not_wait_for_the_end_of_the_input() {
    let server = Server::start();
    let host = server.host("web");
    let hits = server.trapper_item(&host, "hits", UNSIGNED);
    let mut child = Command::new(env!("CARGO_BIN_EXE_saker"))
        .args(["send", "-z", &server.trapper().to_string(), "-r", "-i", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for value in ["1", "2"] {
        writeln!(stdin, "web hits {value}").unwrap();
        crate::support::wait_until("the value is there", Duration::from_secs(30), || {
            server.last(&hits).as_deref() == Some(value)
        });
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), out.as_str()), (Some(0), "sent: 2; skipped: 0; total: 2\n"));
}

#[test]
fn an_agent_s_configuration_names_servers_of_which_one_is_dead() {
    let server = Server::start();
    let host = server.host("web");
    let hits = server.trapper_item(&host, "hits", UNSIGNED);
    // A port where nobody listens: taken by a listener that is gone again.
    let dead = TcpListener::bind((address(), 0)).unwrap().local_addr().unwrap();
    let file = server.dir().join("agent.conf");
    let write = |servers: String| {
        std::fs::write(&file, format!("Hostname=web\nServerActive={servers}\n")).unwrap();
    };
    let arguments = ["send", "-c", file.to_str().unwrap(), "-k", "hits", "-o"];

    // Nodes of one cluster: the one that lives is enough.
    write(format!("{dead};{}", server.trapper()));
    let (code, out, err) = run(&[&arguments[..], &["1"]].concat(), "");
    assert_eq!((code, out.as_str()), (Some(0), "sent: 1; skipped: 0; total: 1\n"), "{err}");
    assert_eq!(server.last(&hits).as_deref(), Some("1"));

    // Two servers: one of them did not get it.
    write(format!("{dead},{}", server.trapper()));
    let (code, _, err) = run(&[&arguments[..], &["2"]].concat(), "");
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains(&format!("cannot connect to {dead}")), "{err}");
    assert_eq!(server.last(&hits).as_deref(), Some("2"));
}

#[test]
fn silent_peer_is_reported_in_time() {
    let silent = TcpListener::bind((address(), 0)).unwrap();
    let to = silent.local_addr().unwrap();
    let (code, _, err) =
        run(&["send", "-z", &to.to_string(), "-t", "1", "-s", "h", "-k", "k", "-o", "1"], "");
    assert_eq!(code, Some(1));
    assert!(err.contains("timed out"), "{err}");
    let (host, port) = (to.ip().to_string(), to.port().to_string());
    let get = ["get", "-s", &host, "-p", &port, "-t", "1", "-k", "agent.ping"];
    let (code, out, err) = run(&get, "");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("timed out"), "{err}");

    // A peer that speaks another protocol, and one that closes at once.
    for (answer, part) in
        [("HTTP/1.1 400 Bad Request\r\n\r\n", "not follow the protocol"), ("", "allow")]
    {
        let listener = TcpListener::bind((address(), 0)).unwrap();
        let (host, port) = (
            listener.local_addr().unwrap().ip().to_string(),
            listener.local_addr().unwrap().port().to_string(),
        );
        let peer = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            // The request is read first: closing with unread bytes would reset the connection.
            let n = stream.read(&mut [0; 1024]).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            n
        });
        let (code, _, err) = run(&["get", "-s", &host, "-p", &port, "-k", "agent.ping"], "");
        assert!(peer.join().unwrap() > 0);
        assert_eq!(code, Some(1));
        assert!(err.contains(part), "{err}");
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    for line in [
        "send -z h -s h -k k",
        "send -z h -s h -o 1",
        "send -z h",
        "send -z h -k k -o 1 -i f",
        "send -z h -i f -N",
        "send -z h -t 0 -i f",
        "get -s h",
    ] {
        let arguments: Vec<_> = line.split(' ').collect();
        assert_eq!(run(&arguments, "").0, Some(2), "{line}");
    }
    let (code, _, err) = run(&["send", "-k", "k", "-o", "1", "-s", "h"], "");
    assert_eq!(code, Some(1));
    assert!(err.contains("no server: give"), "{err}");
}

with_each_agent!(an_agent_is_asked);

fn an_agent_is_asked(kind: AgentKind) {
    let here = address();
    let lines = format!("Hostname=asked\nSourceIP={here}\nTimeout=3\n");
    let Some(agent) = kind.start((here, 21_051).into(), &lines) else { return };
    let host = here.to_string();
    let get = |key: &str, more: &[&str]| {
        run(&[&["get", "-s", &host, "-p", "21051", "-k", key], more].concat(), "")
    };
    for more in [&[][..], &["-P", "plain"]] {
        let (code, out, err) = get("agent.hostname", more);
        assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "asked\n", ""), "{more:?}");
    }
    let (code, out, err) = get("no.such.key", &[]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.starts_with("saker: ZBX_NOTSUPPORTED: "), "{err}");
    // As the program it stands for says it.
    if let Some(zabbix_get) = program("zabbix_get") {
        let asked = Command::new(zabbix_get)
            .args(["-s", &host, "-p", "21051", "-k", "system.uname"])
            .output()
            .unwrap();
        let (_, out, _) = get("system.uname", &[]);
        assert_eq!(out, String::from_utf8(asked.stdout).unwrap());
    }
    drop(agent);
}
