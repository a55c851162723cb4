//! Passive checks.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

use peers::{AgentKind, wait_until};

use crate::{LIMIT, Running};

const ANY_PORT: (&str, &str) = ("passive.listen", "127.0.0.1:0");

/// The payload of the answer to a request in a frame.
pub(crate) fn exchange(address: SocketAddr, payload: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(LIMIT)).expect("a time-out");
    let mut frame = Vec::new();
    wire::zbxd::encode(payload.as_bytes(), &mut frame);
    stream.write_all(&frame).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let text = String::from_utf8_lossy(answer.get(13..).unwrap_or_default()).into_owned();
    text.replacen("ZBX_NOTSUPPORTED\0", "ZBX_NOTSUPPORTED: ", 1)
}

#[test]
fn keys_are_answered_in_both_forms() {
    let agent = Running::start(&[ANY_PORT, ("hostname", "one, two")]);
    let ask = |payload: &str| exchange(agent.addresses[0], payload);
    assert_eq!(ask("agent.ping"), "1");
    assert_eq!(ask("agent.hostname"), "one");
    assert_eq!(ask("no.such.key"), "ZBX_NOTSUPPORTED: Unsupported item key.");
    assert_eq!(ask("log[/x]"), "ZBX_NOTSUPPORTED: Accessible only as active check.");
    assert_eq!(ask("system.run[id]"), "ZBX_NOTSUPPORTED: Unsupported item key.");
    let list =
        r#"{"request":"passive checks","data":[{"key":"agent.ping","timeout":3},{"key":"x"}]}"#;
    let answer: serde_json::Value = serde_json::from_str(&ask(list)).expect("JSON");
    assert_eq!(answer["variant"], 1);
    assert_eq!(answer["data"][0]["value"], "1");
    assert_eq!(answer["data"][1]["error"], "Unsupported item key.");
    // A person with telnet.
    let mut stream = TcpStream::connect(agent.addresses[0]).expect("it listens");
    stream.write_all(b"agent.ping\r\n").expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    assert!(answer.ends_with(b"1"), "{answer:?}");
    agent.stop();
}

#[test]
fn values_of_a_request_have_a_bound_in_sum() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text");
    std::fs::write(&path, "x".repeat(4 << 20)).expect("written");
    let agent = Running::start(&[ANY_PORT, ("memory_bytes_max", "33_554_432")]);
    let key = format!("vfs.file.contents[{}]", path.display());
    let list = vec![serde_json::json!({"key": key, "timeout": 3}); 20];
    let request = serde_json::json!({"request": "passive checks", "data": list});
    let answer = exchange(agent.addresses[0], &request.to_string());
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    let of = |what: &str| {
        let found = answer["data"].as_array().expect("a list").iter();
        found.filter_map(|it| it[what].as_str()).map(str::to_owned).collect::<Vec<_>>()
    };
    let (values, errors) = (of("value"), of("error"));
    assert_eq!((values.len(), errors.len()), (2, 18), "each has room for two copies");
    assert!(errors.iter().all(|it| it.ends_with("memory_bytes_max.")), "{errors:?}");
    assert_eq!(exchange(agent.addresses[0], &key).len(), 4 << 20, "the room is given back");
    agent.stop();
}

#[test]
fn unnamed_address_gets_no_answer() {
    let agent = Running::start(&[ANY_PORT, ("passive.servers", "192.0.2.1, 192.0.2.128/25")]);
    let mut stream = TcpStream::connect(agent.addresses[0]).expect("it listens");
    stream.set_read_timeout(Some(LIMIT)).expect("a time-out");
    let mut answer = Vec::new();
    // It may close before it has read the request: a reset, and no answer either way.
    drop(stream.write_all(b"agent.ping\n"));
    drop(stream.read_to_end(&mut answer));
    assert_eq!(answer, b"");
    let named = Running::start(&[ANY_PORT, ("passive.servers", "localhost")]);
    assert_eq!(exchange(named.addresses[0], "agent.ping"), "1");
}

#[test]
fn garbage_and_silence_do_not_delay_other_peers() {
    let agent = Running::start(&[ANY_PORT, ("passive.connections_max", "5")]);
    let silent: Vec<TcpStream> =
        (0..4).map(|_| TcpStream::connect(agent.addresses[0]).expect("it listens")).collect();
    for garbage in [&b"ZBXD\x01\xff\xff\xff\xff\0\0\0\0x"[..], b"ZBXD\x80", b"\0\0\0\n", b"{\n"] {
        let mut stream = TcpStream::connect(agent.addresses[0]).expect("it listens");
        drop(stream.write_all(garbage));
        drop(stream.read_to_end(&mut Vec::new()));
        assert_eq!(exchange(agent.addresses[0], "agent.ping"), "1");
    }
    // A fifth of them takes the last place until the first one times out.
    let more: Vec<TcpStream> =
        (0..4).map(|_| TcpStream::connect(agent.addresses[0]).expect("it listens")).collect();
    assert_eq!(exchange(agent.addresses[0], "agent.ping"), "1");
    drop((silent, more));
}

/// Saker's settings and the same for zabbix_agentd.
const PARAMETERS: &[&str] = &[
    "plain,echo plain; echo err >&2",
    "flexible[*],echo \"$1\" \"$2\"; echo $0 | wc -c",
    "empty,true",
    "fails,echo before; exit 3",
    "spaces,printf ' a b \\n\\n'",
    "slow,sleep 30",
    "where,pwd",
];

#[test]
fn user_parameters_commands_and_aliases_do_as_with_zabbix_agentd() {
    let list = |it: &[String]| serde_json::to_string(it).expect("texts");
    let parameters: Vec<String> = PARAMETERS.iter().map(|it| (*it).to_owned()).collect();
    let aliases = ["p:plain", "f[*]:flexible[*]", "g[*]:flexible[x,y]"].map(str::to_owned);
    let rules = [
        "allow system.run[echo *]",
        "allow system.run[echo *,*]",
        "deny system.run[*]",
        "deny vfs.file.*[/etc/shadow]",
    ]
    .map(str::to_owned);
    let agent = Running::start(&[
        ANY_PORT,
        ("keys.user_parameters", &list(&parameters)),
        ("keys.user_parameters_dir", "/usr"),
        ("keys.aliases", &list(&aliases)),
        ("keys.rules", &list(&rules)),
        ("timeout_s", "2"),
    ]);
    let mut lines =
        "UserParameterDir=/usr\nTimeout=2\nDenyKey=vfs.file.*[/etc/shadow]\n".to_owned();
    lines += "AllowKey=system.run[echo *]\nAllowKey=system.run[echo *,*]\n";
    lines += "DenyKey=system.run[*]\n";
    PARAMETERS.iter().for_each(|it| lines += &format!("UserParameter={it}\n"));
    aliases.iter().for_each(|it| lines += &format!("Alias={it}\n"));
    let address =
        ("127.0.77.3".parse::<std::net::IpAddr>().expect("one"), peers::free_tcp_address().port());
    let Some(golden) = AgentKind::Agentd.start(address.into(), &lines) else { return };
    for key in [
        "plain",
        "plain[]",
        "p",
        "flexible[a,b]",
        "flexible[a b]",
        "flexible",
        "flexible[a$b]",
        "flexible[\"a'b\"]",
        "f[1,2]",
        "g[]",
        "empty",
        "fails",
        "spaces",
        "slow",
        "where",
        "system.run[echo a; echo b >&2]",
        "system.run[echo,wait]",
        "system.run[echo a,wait]",
        "system.run[echo a,nowait]",
        "system.run[echo a,later]",
        "system.run[echo a,wait,x]",
        "system.run[id]",
        "system.run[]",
        "system.run",
        "vfs.file.exists[/etc/shadow]",
        "log[/x]",
        "logrt.count[/x]",
        "no[",
        "agent.ping[x]",
    ] {
        let expected = exchange(golden.address, key);
        assert_eq!(exchange(agent.addresses[0], key), expected, "{key}");
    }
}

#[test]
fn zabbix_get_asks_it() {
    let Some(program) = peers::program("zabbix_get") else { return };
    let agent = Running::start(&[ANY_PORT]);
    let port = agent.addresses[0].port().to_string();
    let output = Command::new(program)
        .args(["-s", "127.0.0.1", "-p", &port, "-k", "system.uname"])
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("Linux "), "{text}");
}

#[test]
fn command_without_a_caller_keeps_running() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("done");
    let agent = Running::start(&[ANY_PORT, ("keys.rules", r#"["allow system.run[*]"]"#)]);
    let key = format!("system.run[\"sleep 0.2; echo x > '{}'\",nowait]", file.display());
    assert_eq!(exchange(agent.addresses[0], &key), "1");
    wait_until("the command is done", LIMIT, || file.try_exists().unwrap_or(false));
}
