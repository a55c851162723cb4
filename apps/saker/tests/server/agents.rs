//! The real agents against the real binary: values both ways, and their absence.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::time::Duration;

use crate::support::{FLOAT, Server, TEXT, UNSIGNED, now, peer, wait_until};
use peers::{Agent, AgentKind, with_each_agent};
use serde_json::{Value, json};

/// Of a first value: checks are spread over their interval, lists are fetched at the agent's start.
const FIRST: Duration = Duration::from_secs(30);
/// 45 seconds of silence make an interface unavailable, 30 seconds make `nodata` true at one of
/// its rounds.
const NOTICED: Duration = Duration::from_secs(80);
const PORT: u16 = 21_050;

with_each_agent!(
    agent_gives_values_when_asked_and_by_itself,
    absence_of_an_agent_is_noticed_and_its_return_too,
    silence_of_an_active_agent_is_noticed_and_its_return_too,
    global_regular_expressions_reach_agents_and_triggers,
    counts_of_a_log_go_on_where_they_were_after_restarts,
);

/// Starts an agent at the server's address.
fn agent(kind: AgentKind, server: &Server, name: &str) -> Option<Agent> {
    let lines = format!(
        "Hostname={name}\nSourceIP={}\nServerActive={}\nRefreshActiveChecks=60\nTimeout=3\n",
        server.address,
        server.trapper(),
    );
    kind.start((server.address, PORT).into(), &lines)
}

fn host(server: &Server, name: &str) -> (String, String) {
    let group = server.group("Agents");
    let host = json!({
        "host": name, "groups": [{"groupid": group}],
        "interfaces": [{
            "type": 1, "main": 1, "useip": 1, "ip": server.address.to_string(), "dns": "",
            "port": PORT.to_string(),
        }],
    });
    let host = server.create("host.create", &host).remove(0);
    let interfaces = server.call("hostinterface.get", &json!({"hostids": [host]}));
    (host, interfaces[0]["interfaceid"].as_str().unwrap().to_owned())
}

/// A checked item; types: 0 passive agent, 5 internal, 7 active agent.
fn item(
    server: &Server,
    (host, interface): &(String, String),
    kind: u8,
    item: (&str, u8),
) -> String {
    let (key, value_type) = item;
    let mut item = json!({
        "hostid": host, "name": key, "key_": key, "type": kind, "value_type": value_type,
        "delay": "1s",
    });
    if kind == 0 {
        item["interfaceid"] = json!(interface);
    }
    server.create("item.create", &item).remove(0)
}

fn interface(server: &Server, id: &str) -> Value {
    let params = json!({"interfaceids": [id], "output": ["available", "error"]});
    server.call("hostinterface.get", &params)[0].clone()
}

fn agent_gives_values_when_asked_and_by_itself(kind: AgentKind) {
    let server = Server::start();
    let host = host(&server, "linux");
    let passive = [("agent.ping", UNSIGNED), ("agent.hostname", TEXT), ("system.cpu.load", FLOAT)]
        .map(|it| (it.0, item(&server, &host, 0, it)));
    let broken = item(&server, &host, 0, ("no.such.key", TEXT));
    let active = [("agent.version", TEXT), ("vm.memory.size[total]", UNSIGNED)]
        .map(|it| (it.0, item(&server, &host, 7, it)));
    let Some(_agent) = agent(kind, &server, "linux") else { return };
    for (key, id) in passive.iter().chain(&active) {
        wait_until(&format!("{key} has a value"), FIRST, || server.last(id).is_some());
    }
    assert_eq!(server.last(&passive[0].1).as_deref(), Some("1"));
    assert_eq!(server.last(&passive[1].1).as_deref(), Some("linux"));
    let memory: u64 = server.last(&active[1].1).unwrap().parse().unwrap();
    assert!(memory > 1 << 24, "{memory} bytes");
    wait_until("the key that the agent lacks is unsupported", FIRST, || {
        let item = server.item(&broken);
        item["state"] == "1" && item["error"] == kind.unknown_key("no.such.key")
    });
    wait_until("the interface is available", FIRST, || {
        interface(&server, &host.1)["available"] == "1"
    });
}

fn absence_of_an_agent_is_noticed_and_its_return_too(kind: AgentKind) {
    let mut server = Server::start();
    let host = host(&server, "frail");
    let ping = item(&server, &host, 0, ("agent.ping", UNSIGNED));
    let available = item(&server, &host, 5, ("zabbix[host,agent,available]", UNSIGNED));
    let gone = server.trigger("gone", "max(/frail/zabbix[host,agent,available],#1)=0");
    let Some(running) = agent(kind, &server, "frail") else { return };
    wait_until("it has a value", FIRST, || server.last(&ping).is_some());
    wait_until("it is available", FIRST, || server.last(&available).as_deref() == Some("1"));
    assert!(!server.is_problem(&gone));

    drop(running);
    wait_until("the interface is not available", NOTICED, || {
        let interface = interface(&server, &host.1);
        interface["available"] == "2" && interface["error"] != ""
    });
    wait_until("the trigger on availability fires", FIRST, || server.is_problem(&gone));

    // A device that is down is checked once a minute. A start of the server keeps the known state,
    // and checks at once.
    server.stop();
    let _agent = agent(kind, &server, "frail");
    server.start_again();
    wait_until("the interface is available", FIRST, || {
        interface(&server, &host.1)["available"] == "1"
    });
    wait_until("availability recovers", FIRST, || !server.is_problem(&gone));
}

#[test]
fn the_set_time_out_counts_where_an_item_has_none() {
    let server = Server::start_with(&[
        ("SAKER_COLLECT_TIMEOUT_MS", "1500"),
        ("SAKER_COLLECT_UNREACHABLE_DELAY_S", "1"),
        ("SAKER_COLLECT_UNREACHABLE_PERIOD_S", "1"),
    ]);
    let host = host(&server, "slow");
    item(&server, &host, 0, ("agent.ping", UNSIGNED));
    let active = item(&server, &host, 7, ("agent.version", TEXT));
    // Takes connections by its backlog and never says a word.
    let _silent = TcpListener::bind((server.address, PORT)).unwrap();
    wait_until("the interface says how long it was waited for", FIRST, || {
        let error = interface(&server, &host.1)["error"].as_str().unwrap().to_owned();
        error.contains("timed out after 1.5 s")
    });
    let request = json!({
        "request": "active checks", "host": "slow", "version": "7.0.0", "variant": 2,
        "session": "0123456789abcdef0123456789abcdef", "config_revision": 0,
    });
    let mut stream = server.connect();
    stream.write_all(&peer::packet(request.to_string().as_bytes())).unwrap();
    let answer = peer::read_packet(&mut stream).unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let check = &answer["data"][0];
    assert_eq!((check["itemid"].to_string(), &check["timeout"]), (active, &json!("2s")));
}

#[test]
fn an_item_that_is_never_polled_says_why_it_gets_no_values() {
    let server = Server::start();
    let host = host(&server, "mistaken");
    let item = item(&server, &host, 7, ("agent.version", TEXT));
    let state = |server: &Server| {
        let item = server.item(&item);
        (item["state"].clone(), item["error"].clone())
    };
    assert_eq!(state(&server), (json!("0"), json!("")));
    server.call("item.update", &json!({"itemid": item, "delay": "{$EACH}"}));
    wait_until("the interval without a value is reported", FIRST, || {
        state(&server) == (json!("1"), json!("Invalid update interval \"{$EACH}\"."))
    });
    server.call(
        "host.update",
        &json!({
            "hostid": host.0, "macros": [{"macro": "{$EACH}", "value": "1s"}],
        }),
    );
    let Some(_agent) = agent(AgentKind::Agentd, &server, "mistaken") else { return };
    wait_until("it has values", FIRST, || state(&server) == (json!("0"), json!("")));
}

fn silence_of_an_active_agent_is_noticed_and_its_return_too(kind: AgentKind) {
    let server = Server::start();
    let host = host(&server, "quiet");
    let active = item(&server, &host, 7, ("agent.version", TEXT));
    let silent = server.trigger("silent", "nodata(/quiet/agent.version,30s)=1");
    let Some(running) = agent(kind, &server, "quiet") else { return };
    wait_until("it has a value", FIRST, || server.last(&active).is_some());
    assert!(!server.is_problem(&silent));

    drop(running);
    wait_until("the trigger fires", NOTICED, || server.is_problem(&silent));
    let _agent = agent(kind, &server, "quiet");
    wait_until("the silence is over", NOTICED, || !server.is_problem(&silent));
}

fn global_regular_expressions_reach_agents_and_triggers(kind: AgentKind) {
    let server = Server::start();
    let host = host(&server, "logs");
    let expression =
        json!({"expression": "ERROR,FATAL", "expression_type": 1, "case_sensitive": 1});
    let regexp = json!({"name": "bad lines, all", "expressions": [expression]});
    let regexp = server.create("regexp.create", &regexp).remove(0);
    let file = server.dir().join("app.log");
    fs::write(&file, "").unwrap();
    let key = format!("log[{},\"@bad lines, all\",,,skip]", file.display());
    let lines = item(&server, &host, 7, (&key, 2));
    let state = server.trapper_item(&host.0, "state", TEXT);
    let found = server.trigger("bad", "find(/logs/state,,\"regexp\",\"@bad lines, all\")=1");
    let Some(_agent) = agent(kind, &server, "logs") else { return };
    // An agent skips the lines of its first check: lines are added until one is taken.
    wait_until("the agent sends the line that fits", FIRST, || {
        let mut log = fs::OpenOptions::new().append(true).open(&file).unwrap();
        writeln!(log, "an error\na FATAL one").unwrap();
        server.last(&lines).is_some()
    });
    assert_eq!(server.last(&lines).as_deref(), Some("a FATAL one"));

    server.send("logs", "state", "an ERROR", now());
    wait_until("the trigger fires", FIRST, || server.is_problem(&found));
    let quiet = json!({"expression": "ERROR", "expression_type": 2});
    server.call("regexp.update", &json!({"regexpid": regexp, "expressions": [quiet]}));
    server.send("logs", "state", "an ERROR again", now());
    wait_until("the changed expression counts", FIRST, || !server.is_problem(&found));
    assert_eq!(server.last(&state).as_deref(), Some("an ERROR again"));
}

fn counts_of_a_log_go_on_where_they_were_after_restarts(kind: AgentKind) {
    let mut server = Server::start();
    let host = host(&server, "counts");
    let file = server.dir().join("app.log");
    let append = |lines: &[&str]| {
        let mut log = fs::OpenOptions::new().create(true).append(true).open(&file).unwrap();
        lines.iter().for_each(|it| writeln!(log, "{it}").unwrap());
    };
    append(&["ERROR one", "fine", "ERROR two", "ERROR three"]);
    let key = format!("log.count[{},ERROR]", file.display());
    let count = item(&server, &host, 7, (&key, UNSIGNED));
    let sum = |server: &Server| -> u64 {
        let params = json!({"itemids": [count], "history": 3, "output": ["value"]});
        let rows = server.call("history.get", &params);
        let values = rows.as_array().unwrap().iter().map(|it| it["value"].as_str().unwrap());
        values.map(|it| it.parse::<u64>().unwrap()).sum()
    };
    let expect = |server: &Server, n: u64, what: &str| {
        wait_until(what, FIRST, || n <= sum(server));
        assert_eq!(sum(server), n, "{what}");
    };
    let Some(running) = agent(kind, &server, "counts") else { return };
    expect(&server, 3, "the file is counted");
    append(&["ERROR four", "ERROR five"]);
    expect(&server, 5, "what is added is counted");

    drop(running);
    append(&["ERROR six"]);
    let running = agent(kind, &server, "counts");
    expect(&server, 6, "the agent goes on where it was");

    drop(running);
    server.stop();
    append(&["ERROR seven"]);
    server.start_again();
    let _agent = agent(kind, &server, "counts");
    expect(&server, 7, "it does so after a restart of the server");
    append(&["ERROR eight"]);
    expect(&server, 8, "and counts on");
}

#[test]
fn availability_of_an_active_agent_is_the_same_everywhere() {
    let server = Server::start();
    let host = host(&server, "beating");
    let available = item(&server, &host, 5, ("zabbix[host,active_agent,available]", UNSIGNED));
    let passive = item(&server, &host, 5, ("zabbix[host,agent,available]", UNSIGNED));
    let is_shown = |value: &str| {
        let params = json!({"hostids": [host.0], "output": ["active_available"]});
        let shown = server.call("host.get", &params)[0]["active_available"].clone();
        server.last(&available).as_deref() == Some(value) && shown == value
    };
    wait_until("nothing is known of it", FIRST, || is_shown("0"));
    let same = || server.last(&passive).as_deref() == Some("2");
    wait_until("it is unknown in the numbers of the other item as well", FIRST, same);
    let beat = json!({"request": "active check heartbeat", "host": "beating", "heartbeat_freq": 1});
    wait_until("it is available", FIRST, || {
        server.connect().write_all(&peer::packet(beat.to_string().as_bytes())).unwrap();
        is_shown("1")
    });
    // Two beats are missed, which is looked for each ten seconds.
    wait_until("it is not available", FIRST, || is_shown("2"));
    server.call("host.update", &json!({"hostid": host.0, "status": 1}));
    server.call("host.update", &json!({"hostid": host.0, "status": 0}));
    wait_until("nothing is known of it any more", FIRST, || is_shown("0"));
}
