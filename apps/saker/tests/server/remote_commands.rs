//! Commands of actions where they are executed: real agents, OpenSSH's and inetutils' servers, OpenIPMI's simulator, and
//! active agents.

use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use crate::autoregistration::ask;
use crate::support::peer::{packet, read_packet};
use crate::support::{FLOAT, Server, now, wait_for, wait_until};
use peers::{AgentKind, IPMI_USER, IpmiSim, Sshd, Telnetd, free_udp_address, with_each_agent};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

/// A host with an agent's interface at an address, and a trapper item `k` with a trigger `too much`.
fn host(server: &Server, at: Option<SocketAddr>) -> String {
    let group = server.group("Commanded");
    let interface = |at: SocketAddr| {
        json!([{"type": 1, "main": 1, "useip": 1, "ip": at.ip().to_string(), "dns": "",
            "port": at.port().to_string()}])
    };
    let host = json!({"host": "h", "groups": [{"groupid": group}],
        "interfaces": at.map_or_else(|| json!([]), interface)});
    let host = server.create("host.create", &host).remove(0);
    server.trapper_item(&host, "k", FLOAT);
    server.trigger("too much", "last(/h/k)>10");
    host
}

/// An action that executes scripts on the host of the problem.
fn action(server: &Server, scripts: &[Value]) -> Vec<String> {
    let make = |script: &Value| {
        let mut script = script.clone();
        script["scope"] = json!("1");
        server.create("script.create", &script).remove(0)
    };
    let ids: Vec<String> = scripts.iter().map(make).collect();
    let operation = |id: &String| {
        json!({"operationtype": "1", "opcommand": {"scriptid": id},
            "opcommand_hst": [{"hostid": "0"}]})
    };
    let operations: Vec<Value> = ids.iter().map(operation).collect();
    let action = json!({"name": "a", "eventsource": "0", "operations": operations});
    server.create("action.create", &action);
    ids
}

/// Status and error of each command, in the order of the operations, once all have an end.
fn outcomes(server: &Server, n: usize) -> Vec<(String, String)> {
    let read = || {
        let params = json!({"output": ["status", "error"], "sortfield": "alertid"});
        let rows = server.call("alert.get", &params);
        let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
        let rows = rows.as_array().unwrap().iter();
        let rows: Vec<_> = rows.map(|it| (text(it, "status"), text(it, "error"))).collect();
        let is_over = rows.len() == n && rows.iter().all(|it| it.0 == "1" || it.0 == "2");
        is_over.then_some(rows)
    };
    wait_for("all outcomes", LIMIT, read)
}

fn done() -> (String, String) {
    ("1".to_owned(), String::new())
}

fn failed(why: &str) -> (String, String) {
    ("2".to_owned(), why.to_owned())
}

with_each_agent!(an_agent_that_allows_it_executes_commands_of_actions);

fn an_agent_that_allows_it_executes_commands_of_actions(kind: AgentKind) {
    let server = Server::start();
    let said = server.dir().join("said");
    let lines = "AllowKey=system.run[echo *]\nDenyKey=system.run[*]\nTimeout=10";
    let Some(agent) = kind.start((server.address, 21_050).into(), lines) else { return };
    host(&server, Some(agent.address));
    let on_agent = |name: &str, command: String| json!({"name": name, "type": "0", "execute_on": "0", "command": command});
    action(
        &server,
        &[
            on_agent(
                "allowed",
                format!("echo \"{{EVENT.NAME}} \\\"{{HOST.HOST}}\\\"\" >> {}", said.display()),
            ),
            on_agent("denied", format!("rm {}", said.display())),
        ],
    );
    server.send("h", "k", "11", now());
    let results = outcomes(&server, 2);
    assert_eq!(results[0], done());
    assert_eq!(results[1].0, "2");
    assert!(!results[1].1.is_empty(), "the agent's own words");
    assert_eq!(std::fs::read_to_string(&said).unwrap(), "too much \"h\"\n");
}

#[test]
fn actions_execute_commands_by_ssh() {
    let Some(sshd) = Sshd::start() else { return };
    let keys = sshd.keys().display().to_string();
    let server = Server::start_with(&[("SAKER_COMMANDS_SSH_KEYS", keys.as_str())]);
    let said = server.dir().join("said");
    host(&server, Some(sshd.address));
    let by_ssh = |name: &str, user: &str| {
        json!({"name": name, "type": "2", "authtype": "1", "username": user, "password": "",
            "publickey": "user.pub", "privatekey": "user", "port": sshd.address.port().to_string(),
            "command": format!("echo {{EVENT.NAME}} >> {}", said.display())})
    };
    action(&server, &[by_ssh("right", &sshd.user), by_ssh("wrong", "nobody-like-that")]);
    server.send("h", "k", "11", now());
    let results = outcomes(&server, 2);
    assert_eq!(results[0], done());
    assert_eq!(results[1].0, "2");
    assert!(!results[1].1.is_empty());
    assert_eq!(std::fs::read_to_string(&said).unwrap(), "too much\n");
}

#[test]
fn actions_execute_commands_by_telnet() {
    let Some(telnetd) = Telnetd::start("ann", "s3cret") else { return };
    let server = Server::start();
    let said = server.dir().join("said");
    host(&server, Some(telnetd.address));
    let by_telnet = |name: &str, password: &str| {
        json!({"name": name, "type": "3", "username": "ann", "password": password,
            "port": telnetd.address.port().to_string(),
            "command": format!("echo {{EVENT.NAME}} >> {}", said.display())})
    };
    action(&server, &[by_telnet("right", "s3cret"), by_telnet("wrong", "other")]);
    server.send("h", "k", "11", now());
    let results = outcomes(&server, 2);
    assert_eq!(results[0], done());
    assert_eq!(results[1].0, "2");
    assert!(!results[1].1.is_empty() && !results[1].1.contains("other"), "{results:?}");
    assert_eq!(std::fs::read_to_string(&said).unwrap(), "too much\n");
}

#[test]
fn actions_and_users_switch_machines_by_ipmi() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 2) else { return };
    let server = Server::start();
    let host = host(&server, None);
    let (username, password) = IPMI_USER;
    let mut machine = json!({"hostid": host, "ipmi_username": username, "ipmi_password": "{$BMC}",
        "macros": [{"macro": "{$BMC}", "value": password, "type": "1"}],
        "interfaces": [{"type": 3, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "",
            "port": sim.address.port().to_string()}]});
    server.call("host.update", &machine);
    let by_ipmi =
        |name: &str, command: &str| json!({"name": name, "type": "1", "command": command});
    let mut on_demand = by_ipmi("status", "power status");
    on_demand["scope"] = json!("2");
    let status = server.create("script.create", &on_demand).remove(0);
    let status = || server.call("script.execute", &json!({"scriptid": status, "hostid": host}));
    assert_eq!(status()["value"], "The power is on.");
    action(&server, &[by_ipmi("off", "power off"), by_ipmi("fan", "fan 3")]);
    // A user may read alone.
    server.send("h", "k", "11", now());
    let results = outcomes(&server, 2);
    assert_eq!(results[0].0, "2");
    assert!(results[0].1.contains("has to be Operator or Admin"), "{results:?}");
    let unknown = "IPMI control \"fan\" is not supported: there are \"power\" and \"reset\".";
    assert_eq!(results[1], failed(unknown));
    assert_eq!(status()["value"], "The power is on.");
    machine["ipmi_privilege"] = json!("3");
    server.call("host.update", &machine);
    server.send("h", "k", "1", now() + 1);
    server.send("h", "k", "11", now() + 2);
    assert_eq!(outcomes(&server, 4)[2], done());
    assert_eq!(status()["value"], "The power is off.");
    assert_eq!(sim.commands(), ["power 0"]);
}

/// As an active agent says that it lives.
fn beat(server: &Server, version: &str) {
    let beat = json!({"request": "active check heartbeat", "host": "h", "heartbeat_freq": 60,
        "version": version, "variant": 1});
    server.connect().write_all(&packet(beat.to_string().as_bytes())).unwrap();
    let is_there = || {
        let params = json!({"output": ["active_available"], "filter": {"host": "h"}});
        server.call("host.get", &params)[0]["active_available"] == "1"
    };
    wait_until("the agent is available", LIMIT, is_there);
}

/// As an active agent fetches commands, until there are some.
fn fetched(server: &Server, version: &str, n: usize) -> Vec<Value> {
    let mut all = Vec::new();
    wait_until("the commands", LIMIT, || {
        let answer = ask(server, &json!({"host": "h", "version": version}));
        all.extend(answer["commands"].as_array().cloned().unwrap_or_default());
        all.len() == n
    });
    all
}

fn answer(server: &Server, results: &Value) {
    let data = json!({"request": "agent data", "host": "h", "version": "7.0.0", "variant": 1,
        "session": "0123456789abcdef0123456789abcdef", "commands": results, "data": []});
    let mut stream = server.connect();
    stream.write_all(&packet(data.to_string().as_bytes())).unwrap();
    let answer: Value = serde_json::from_slice(&read_packet(&mut stream).unwrap()).unwrap();
    assert_eq!(answer["response"], "success", "{answer}");
}

#[test]
fn active_agents_take_commands_and_answer_them() {
    let server = Server::start();
    let id = host(&server, None);
    let on_agent = |name: &str, command: &str| json!({"name": name, "type": "0", "execute_on": "0", "command": command});
    action(&server, &[on_agent("first", "echo {EVENT.NAME}"), on_agent("second", "false")]);
    beat(&server, "7.0.0");
    server.send("h", "k", "11", now());
    let mut given = fetched(&server, "7.0.4", 2);
    given.sort_by_key(|it| it["command"].as_str().unwrap().to_owned());
    assert_eq!((&given[0]["command"], &given[0]["wait"]), (&json!("echo too much"), &json!(1)));
    // They are given once.
    assert_eq!(ask(&server, &json!({"host": "h"})).get("commands"), None);
    answer(
        &server,
        &json!([{"id": given[0]["id"], "value": "too much"},
            {"id": given[1]["id"], "error": "Unsupported item key."}]),
    );
    let mut results = outcomes(&server, 2);
    results.sort();
    assert_eq!(results, [done(), failed("Unsupported item key.")]);

    // A user gets the output of the agent.
    let by_hand = json!({"name": "by hand", "type": "0", "execute_on": "0", "command": "uptime",
        "scope": "2"});
    let script = server.create("script.create", &by_hand).remove(0);
    let execute = json!({"scriptid": script, "hostid": id});
    let printed = std::thread::scope(|scope| {
        let asking = scope.spawn(|| server.call("script.execute", &execute));
        let given = fetched(&server, "7.0.4", 1);
        answer(&server, &json!([{"id": given[0]["id"], "value": "up 3 days"}]));
        asking.join().unwrap()
    });
    assert_eq!(printed["value"], "up 3 days");
    // An older agent would pass it over.
    let refused = std::thread::scope(|scope| {
        let asking = scope.spawn(|| server.try_call("script.execute", &execute));
        wait_until("the refusal", LIMIT, || {
            ask(&server, &json!({"host": "h", "version": "6.4.0"}));
            asking.is_finished()
        });
        asking.join().unwrap().unwrap_err()
    });
    assert!(refused["data"].as_str().unwrap().contains("need 7.0 or later"), "{refused}");
}
