//! Against the real agents and zabbix_sender, and agents that misbehave.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;

use crate::support::config::{host, interface, item, snapshot};
use crate::support::{Owner, Server, error, settings, text};
use collect::Available;
use model::content::{InterfaceType, ItemType};
use model::snapshot::Host;
use model::{HostId, InterfaceId, ItemId};
use peers::{AgentKind, free_tcp_address, with_each_agent};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn agent_host(id: u64, ip: &str, port: u16, keys: &[&str], delay: &str) -> Host {
    let mut it = host(id, &format!("host-{id}"));
    it.interfaces.push(interface(id, InterfaceType::Agent, ip, port));
    let items = (id * 100..).zip(keys);
    it.items = items.map(|(id, key)| item(id, ItemType::ZabbixAgent, key, delay)).collect();
    it
}

fn state(owner: &Owner, interface: u64) -> Available {
    collect::AvailabilitySink::interface(owner, InterfaceId(interface)).available
}

with_each_agent!(
    async an_old_agent_is_asked_in_the_plain_form,
    hundreds_of_hosts_answer_while_as_many_hang,
    an_active_agent_gets_its_list_sends_values_and_is_known_to_live,
);

async fn an_old_agent_is_asked_in_the_plain_form(kind: AgentKind) {
    let Some(agent) = kind.start(free_tcp_address(), "Hostname=host-1") else { return };
    let keys = ["agent.ping", "agent.hostname", "agent.version", "no.such.key", "vfs.file.size"];
    let host = agent_host(1, "127.0.0.1", agent.address.port(), &keys, "1m");
    let server = Server::start(snapshot(1, [host])).await;
    server.execute(100..105);
    assert_eq!(text(&server.value_of(100).await), "1");
    assert_eq!(text(&server.value_of(101).await), "host-1");
    assert!(text(&server.value_of(102).await).starts_with("6.0."));
    assert_eq!(error(&server.value_of(103).await), kind.unknown_key("no.such.key"));
    let missing = match kind {
        AgentKind::Agentd => "Invalid first parameter.",
        AgentKind::Agent2 => "Invalid number of parameters.",
    };
    assert_eq!(error(&server.value_of(104).await), missing);
    assert_eq!(state(&server.owner, 1), Available::Yes);
}

/// Answers one request a connection with the result of `answer`.
async fn fake_agent(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 4_096];
            let n = stream.read(&mut request).await.unwrap_or(0);
            let payload = String::from_utf8_lossy(request.get(13..n).unwrap_or_default());
            // The peer may have gone.
            drop(stream.write_all(&answer(&payload)).await);
        }
    });
    address
}

fn frame(payload: &str) -> Vec<u8> {
    let mut out = Vec::new();
    wire::zbxd::encode(payload.as_bytes(), &mut out);
    out
}

#[tokio::test(flavor = "multi_thread")]
async fn new_agent_gets_json_with_the_timeout() {
    let address = fake_agent(|request| {
        assert!(request.starts_with(r#"{"request":"passive checks""#), "{request}");
        assert!(request.contains(r#""timeout":2"#), "{request}");
        frame(if request.contains("agent.ping") {
            r#"{"version":"7.0.0","variant":2,"data":[{"value":"1"}]}"#
        } else {
            r#"{"version":"7.0.0","variant":2,"data":[{"error":"Unknown metric x"}]}"#
        })
    })
    .await;
    let host = agent_host(1, "127.0.0.1", address.port(), &["agent.ping", "x"], "1m");
    let server = Server::start(snapshot(1, [host])).await;
    server.execute([100, 101]);
    assert_eq!(text(&server.value_of(100).await), "1");
    assert_eq!(error(&server.value_of(101).await), "Unknown metric x");
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_answer_gives_no_value_and_counts_against_the_interface() {
    let answers: [(&'static str, &str); 4] = [
        ("", "Received empty response from Zabbix Agent."),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", ""),
        ("ZBXD\x01\x7f", "Get value from agent failed"),
        ("ZBXD\x03\0\0\0\0\0\0\0\0", "Get value from agent failed"),
    ];
    let mut hosts = Vec::new();
    for (id, (answer, _)) in (1..).zip(answers) {
        let address = fake_agent(move |_| answer.as_bytes().to_vec()).await;
        hosts.push(agent_host(id, "127.0.0.1", address.port(), &["agent.ping"], "1m"));
    }
    // This port is closed.
    hosts.push(agent_host(9, "127.0.0.1", free_tcp_address().port(), &["agent.ping"], "1m"));
    let server = Server::start(snapshot(1, hosts)).await;
    server.execute([100, 300, 400, 900]);
    server
        .until_owner("failures", |it| [1, 3, 4, 9].iter().all(|id| state(it, *id) == Available::No))
        .await;
    for (id, (_, reason)) in (1..).zip(answers).filter(|it| it.0 != 2) {
        let state = collect::AvailabilitySink::interface(&*server.owner, InterfaceId(id));
        assert!(state.error.starts_with(reason), "{id}: {}", state.error);
    }
    let refused = collect::AvailabilitySink::interface(&*server.owner, InterfaceId(9)).error;
    assert!(refused.contains("[111] Connection refused"), "{refused}");
    assert_eq!(server.seen().iter().filter(|it| it.item != ItemId(200)).count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn interface_is_available_after_its_first_success() {
    let port = free_tcp_address().port();
    let server =
        Server::start(snapshot(1, [agent_host(1, "127.0.0.1", port, &["agent.ping"], "1s")])).await;
    server.until_owner("failure", |it| state(it, 1) == Available::No).await;
    let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("still free");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            drop(stream.read(&mut [0; 512]).await);
            drop(stream.write_all(&frame(r#"{"data":[{"value":"1"}]}"#)).await);
        }
    });
    assert_eq!(text(&server.value_of(100).await), "1");
    server.until_owner("recovery", |it| state(it, 1) == Available::Yes).await;
}

async fn hundreds_of_hosts_answer_while_as_many_hang(kind: AgentKind) {
    let Some(agent) = kind.start(free_tcp_address(), "Hostname=x") else { return };
    let port = agent.address.port();
    // Accepts connections by its backlog and never answers.
    let silent = TcpListener::bind("0.0.0.0:0").await.expect("a free port");
    let silent_port = silent.local_addr().expect("bound").port();
    let living = (1..=200_u64)
        .map(|id| agent_host(id, &format!("127.1.0.{id}"), port, &["agent.ping"], "5s"));
    let dead = (201..=400_u64).map(|id| {
        let ip = format!("127.1.1.{}", id - 200);
        agent_host(id, &ip, silent_port, &["agent.ping", "agent.version", "agent.hostname"], "5s")
    });
    let mut settings = settings();
    settings.collectors.agent.checks_max = 150.try_into().expect("not zero");
    let snapshot = snapshot(1, living.chain(dead));
    let server = Server::start_as(snapshot, settings, Arc::default()).await;
    let seen = server
        .until("three rounds", |seen| {
            (1..=200).all(|id| seen.iter().filter(|it| it.item == ItemId(id * 100)).count() >= 3)
        })
        .await;
    assert!(seen.iter().all(|it| it.item < ItemId(20_100)), "the dead say nothing");
    for id in 1..=200 {
        let times: Vec<_> = seen
            .iter()
            .filter(|it| it.item == ItemId(id * 100))
            .map(|it| it.time.clock())
            .collect();
        let gaps = times.windows(2).map(|it| it[1] - it[0]);
        assert!(gaps.clone().all(|it| (3..=8).contains(&it)), "host {id}: {times:?}");
    }
}

async fn an_active_agent_gets_its_list_sends_values_and_is_known_to_live(kind: AgentKind) {
    let mut it = host(1, "active-host");
    it.items = vec![
        item(100, ItemType::ZabbixAgentActive, "agent.ping", "1s"),
        item(101, ItemType::ZabbixAgentActive, "agent.hostname", "1s"),
        item(102, ItemType::ZabbixAgentActive, "no.such.key", "1s"),
        item(103, ItemType::ZabbixAgentActive, "agent.version", "{$EVERY}"),
    ];
    it.macros.push(model::content::HostMacro {
        hostmacroid: model::HostMacroId(1),
        name: "{$EVERY}".to_owned(),
        value: "2s".to_owned(),
        description: String::new(),
        kind: model::content::MacroType::Text,
    });
    let server = Server::start(snapshot(1, [it])).await;
    let lines = format!(
        "Hostname=active-host\nServerActive={}\nRefreshActiveChecks=60\nBufferSend=1",
        server.trapper
    );
    let Some(agent) = kind.start(free_tcp_address(), &lines) else { return };
    assert_eq!(text(&server.value_of(100).await), "1");
    assert_eq!(text(&server.value_of(101).await), "active-host");
    assert_eq!(error(&server.value_of(102).await), kind.unknown_key("no.such.key"));
    assert!(text(&server.value_of(103).await).starts_with("6.0."));
    let requests = |kind| server.registry.value("saker_trapper_requests_total", Some(kind));
    assert!(requests("active checks").is_some_and(|it| it >= 1.0));
    // Agents before 6.2 send no heartbeats: their availability is unknown.
    let available = server.collectors.active_agents().available(HostId(1));
    assert_eq!(available, Available::Unknown);
    drop(agent);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_sender_sees_its_values_processed() {
    let Some(sender) = peers::program("zabbix_sender") else { return };
    let mut it = host(1, "sent");
    it.items = vec![item(100, ItemType::Trapper, "trap[{$A}]", "0")];
    let server = Server::start(snapshot(1, [it])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("values");
    let lines: String = (0..600).map(|n| format!("sent trap[{{$A}}] {n}\n")).collect();
    std::fs::write(&file, lines + "nobody key 1\n").expect("written");
    let (ip, port) = (server.trapper.ip().to_string(), server.trapper.port().to_string());
    let file = file.to_string_lossy().into_owned();
    let output = tokio::task::spawn_blocking(move || {
        Command::new(sender).args(["-vv", "-z", &ip, "-p", &port, "-i", &file]).output()
    });
    let output = output.await.expect("no panic").expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("sent: 601; skipped: 0; total: 601"), "{said}");
    assert_eq!(output.status.code(), Some(2), "some failed: {said}");
    let seen = server.until("600 values", |it| it.len() == 600).await;
    assert_eq!(text(&seen[599].value), "599");
}

#[tokio::test(flavor = "multi_thread")]
async fn interfaces_of_the_own_machine_are_answered_inside() {
    let owner = Arc::new(Owner::default());
    owner.local.lock().expect("no panic").push(InterfaceId(1));
    let host = agent_host(1, "127.0.0.1", free_tcp_address().port(), &["system.uptime"], "1m");
    let server = Server::start_as(snapshot(1, [host]), settings(), owner).await;
    server.execute([100]);
    assert_eq!(text(&server.value_of(100).await), "local system.uptime");
    server.until_owner("availability", |it| state(it, 1) == Available::Yes).await;
}

/// Sends a packet to the trapper port; the payload of the answer, empty if there is none.
async fn say(server: &Server, json: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(server.trapper).await.expect("listening");
    stream.write_all(&frame(json)).await.expect("sent");
    stream.shutdown().await.expect("half closed");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("answered or closed");
    String::from_utf8(answer.get(13..).unwrap_or_default().to_vec()).expect("text")
}

fn checks_request(host: &str, session: &str, revision: u64) -> String {
    format!(
        r#"{{"request":"active checks","host":"{host}","version":"7.0.0","variant":2,
        "session":"{session}","config_revision":{revision}}}"#
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_sent_when_the_agent_does_not_have_it() {
    let (one, two) = ("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210");
    let mut it = host(1, "a");
    it.items = vec![item(100, ItemType::ZabbixAgentActive, "log[/x]", "30s;wd1-5h9")];
    let mut off = host(2, "off");
    off.status = model::content::HostStatus::NotMonitored;
    let server = Server::start(snapshot(5, [it.clone(), off.clone()])).await;
    let list = r#"{"config_revision":5,"data":[{"delay":"30s;wd1-5h9","itemid":100,"key":"log[/x]","lastlogsize":0,"mtime":0,"timeout":"2s"}],"response":"success"}"#;
    let same = |answer: String, expected: &str| {
        let parse = |it: &str| serde_json::from_str::<serde_json::Value>(it).expect("JSON");
        assert_eq!(parse(&answer), parse(expected));
    };
    same(say(&server, &checks_request("a", one, 0)).await, list);
    same(say(&server, &checks_request("a", one, 5)).await, r#"{"response":"success"}"#);
    same(say(&server, &checks_request("a", two, 5)).await, list);
    it.items[0] = item(101, ItemType::ZabbixAgentActive, "agent.ping", "5s");
    server.configure(snapshot(6, [it, off]));
    let answer = say(&server, &checks_request("a", two, 5)).await;
    assert!(answer.contains(r#""config_revision":6"#) && answer.contains("agent.ping"), "{answer}");
    for (name, why) in [("off", "not monitored"), ("nobody", "not found")] {
        let failed = format!(r#"{{"response":"failed","info":"host [{name}] {why}"}}"#);
        same(say(&server, &checks_request(name, one, 0)).await, &failed);
    }
    // An agent of 6.0: no session, no version, numbers for delays.
    let old = say(&server, r#"{"request":"active checks","host":"a"}"#).await;
    same(
        old,
        r#"{"response":"success","data":[{"key":"agent.ping","delay":5,"lastlogsize":0,"mtime":0}]}"#,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_beats_is_available() {
    let server = Server::start(snapshot(1, [host(1, "a"), host(2, "b")])).await;
    let beat = |host: &str, each: u32| {
        format!(r#"{{"request":"active check heartbeat","host":"{host}","heartbeat_freq":{each}}}"#)
    };
    for json in [beat("a", 60), beat("b", 0), beat("nobody", 60)] {
        assert_eq!(say(&server, &json).await, "");
    }
    let available = |id| server.collectors.active_agents().available(HostId(id));
    assert_eq!((available(1), available(2)), (Available::Yes, Available::Unknown));
    assert_eq!(
        server.owner.active.lock().expect("no panic").get(&HostId(1)),
        Some(&Available::Yes)
    );
}
