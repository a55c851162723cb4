//! `saker agent` against the server: asked and by itself, log files over rotations and restarts of both, and
//! commands.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use peers::Process;
use serde_json::{Value, json};

use crate::support::{FLOAT, Server, TEXT, UNSIGNED, now, wait_until};

const LIMIT: Duration = Duration::from_secs(60);
const PORT: u16 = 21_050;

/// Our agent at the server's address, which sends at once.
fn agent(server: &Server, more: &[&str]) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saker"));
    let address = server.address.to_string();
    command
        .args(["agent", "--passive-listen", &format!("{address}:{PORT}")])
        .args(["--active-servers", &server.trapper().to_string(), "--active-source", &address])
        .args(["--active-send-s", "1", "--active-refresh-s", "1", "--active-heartbeat-s", "5"])
        .args(more);
    Process::start(&mut command, server.dir().join("agent.log"))
}

fn stop(mut agent: Process) {
    agent.signal(Signal::SIGTERM);
    let status = agent.end(LIMIT);
    assert_eq!(status.code(), Some(0), "{}", agent.log());
}

fn host(server: &Server, name: &str) -> (String, Option<String>) {
    let group = server.group(&format!("Group of {name}"));
    let host = json!({
        "host": name, "groups": [{"groupid": group}],
        "interfaces": [{
            "type": 1, "main": 1, "useip": 1, "ip": server.address.to_string(), "dns": "",
            "port": PORT.to_string(),
        }],
    });
    let host = server.create("host.create", &host).remove(0);
    let interfaces = server.call("hostinterface.get", &json!({"hostids": [host]}));
    let interface = interfaces[0]["interfaceid"].as_str().map(str::to_owned);
    (host, interface)
}

/// Types: 0 passive agent, 7 active agent.
fn item(server: &Server, of: &(String, Option<String>), kind: u8, key: &str, value: u8) -> String {
    let mut item = json!({
        "hostid": of.0, "name": key, "key_": key, "type": kind, "value_type": value, "delay": "1s",
    });
    if kind == 0 {
        item["interfaceid"] = json!(of.1);
    }
    server.create("item.create", &item).remove(0)
}

fn append(path: &Path, lines: &[&str]) {
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    lines.iter().for_each(|it| writeln!(file, "{it}").unwrap());
}

/// All lines of a log item, oldest first.
fn lines(server: &Server, item: &str) -> Vec<String> {
    let params = json!({"itemids": [item], "history": 2, "output": "extend", "sortfield": "clock"});
    let rows = server.call("history.get", &params);
    let rows = rows.as_array().unwrap().iter();
    let mut rows: Vec<(String, String, String)> = rows
        .map(|it| {
            let text = |name: &str| it[name].as_str().unwrap().to_owned();
            (text("clock"), format!("{:0>9}", text("ns")), text("value"))
        })
        .collect();
    rows.sort();
    rows.into_iter().map(|it| it.2).collect()
}

/// Waits until the agent's saved state shows that all files have been read.
fn kept(server: &Server, folder: &Path) {
    let n_bytes = |path: &Path| fs::metadata(path).unwrap().len();
    let files = fs::read_dir(folder).unwrap().map(|it| n_bytes(&it.unwrap().path()));
    let all: u64 = files.sum();
    wait_until("it keeps where it is", LIMIT, || {
        let Ok(kept) = fs::read_dir(server.dir().join("kept")) else { return false };
        let paths = kept.map(|it| it.unwrap().path());
        let texts = paths.filter_map(|it| fs::read_to_string(it).ok());
        let mut states = texts.filter_map(|it| serde_json::from_str::<Value>(&it).ok());
        states.any(|it| {
            let files = it["files"].as_array().unwrap().iter();
            files.map(|it| it["processed"].as_u64().unwrap()).sum::<u64>() == all
        })
    });
}

#[test]
fn values_come_both_ways_and_lines_of_logs_once_over_rotations_and_restarts() {
    let mut server = Server::start();
    let host = host(&server, "linux");
    let folder = server.dir().join("logs");
    fs::create_dir(&folder).unwrap();
    let path = |name: &str| folder.join(name);
    append(&path("app.log"), &["1", "skip this", "2"]);
    let passive = item(&server, &host, 0, "agent.variant", UNSIGNED);
    let active = item(&server, &host, 7, "system.cpu.load", FLOAT);
    let broken = item(&server, &host, 7, "no.such.key", TEXT);
    // Rotations within a second are distinguished by the state that the agent keeps of each file.
    let key = format!(
        r#"logrt["{}/^app\.log(\.[0-9])?$","^[0-9]+$",,,,,,,{}]"#,
        folder.display(),
        server.dir().join("kept").display(),
    );
    let log = item(&server, &host, 7, &key, 2);
    let expect = |server: &Server, n: u32| {
        let expected: Vec<String> = (1..=n).map(|it| it.to_string()).collect();
        wait_until(&format!("{n} lines"), LIMIT, || lines(server, &log).len() >= n as usize);
        assert_eq!(lines(server, &log), expected);
    };
    let running = agent(&server, &["--hostname", "linux"]);
    expect(&server, 2);
    wait_until("it is asked", LIMIT, || server.last(&passive).as_deref() == Some("1"));
    wait_until("it sends", LIMIT, || server.last(&active).is_some());
    wait_until("it says what it does not know", LIMIT, || {
        server.item(&broken)["error"] == "Unsupported item key."
    });
    wait_until("both ways are available", LIMIT, || {
        let params = json!({"hostids": [host.0], "output": ["active_available"],
            "selectInterfaces": ["available"]});
        let row = server.call("host.get", &params)[0].clone();
        row["active_available"] == "1" && row["interfaces"][0]["available"] == "1"
    });

    // Rotated while it looks.
    append(&path("app.log"), &["3"]);
    fs::rename(path("app.log"), path("app.log.1")).unwrap();
    append(&path("app.log"), &["4"]);
    expect(&server, 4);
    kept(&server, &folder);

    // Rotated while it is away.
    stop(running);
    append(&path("app.log"), &["5"]);
    fs::rename(path("app.log.1"), path("app.log.2")).unwrap();
    fs::rename(path("app.log"), path("app.log.1")).unwrap();
    append(&path("app.log"), &["6"]);
    let mut running = agent(&server, &["--hostname", "linux"]);
    expect(&server, 6);
    kept(&server, &folder);

    // Written while the server is away; the agent is killed before it could send them.
    server.stop();
    append(&path("app.log"), &["7"]);
    running.signal(Signal::SIGKILL);
    running.end(LIMIT);
    append(&path("app.log"), &["8"]);
    let running = agent(&server, &["--hostname", "linux"]);
    append(&path("app.log"), &["9"]);
    server.start_again();
    expect(&server, 9);
    append(&path("app.log"), &["10"]);
    expect(&server, 10);
    stop(running);
}

#[test]
fn commands_of_actions_run_as_its_rules_allow_both_ways() {
    for is_active in [false, true] {
        let server = Server::start();
        let said = server.dir().join("said");
        let host = host(&server, "h");
        if is_active {
            server.call("hostinterface.delete", &json!([host.1]));
        }
        server.trapper_item(&host.0, "k", FLOAT);
        server.trigger("too much", "last(/h/k)>10");
        let script = |name: &str, command: String| {
            let script = json!({"name": name, "type": "0", "execute_on": "0", "scope": "1",
                "command": command});
            let id = server.create("script.create", &script).remove(0);
            json!({"operationtype": "1", "opcommand": {"scriptid": id},
                "opcommand_hst": [{"hostid": "0"}]})
        };
        let operations = [
            script("allowed", format!("echo \"{{EVENT.NAME}} $HOME\" >> {}", said.display())),
            script("denied", format!("rm {}", said.display())),
        ];
        let action = json!({"name": "a", "eventsource": "0", "operations": operations});
        server.create("action.create", &action);
        let rules = r#"["allow system.run[\"echo *\",*]", "allow system.run[\"echo *\"]"]"#;
        let running = agent(&server, &["--hostname", "h", "--keys-rules", rules]);
        wait_until("it is there", LIMIT, || {
            let params = json!({"hostids": [host.0], "output": ["active_available"]});
            server.call("host.get", &params)[0]["active_available"] == "1"
        });
        server.send("h", "k", "11", now());
        let outcomes = || {
            let params = json!({"output": ["status", "error"], "sortfield": "alertid"});
            server.call("alert.get", &params).as_array().cloned().unwrap()
        };
        wait_until("both have an end", LIMIT, || {
            let rows = outcomes();
            rows.len() == 2 && rows.iter().all(|it| it["status"] == "1" || it["status"] == "2")
        });
        let rows: Vec<Value> = outcomes();
        assert_eq!((&rows[0]["status"], &rows[1]["status"]), (&json!("1"), &json!("2")));
        let error = rows[1]["error"].as_str().unwrap();
        assert!(error.contains("Unsupported item key."), "{error}");
        let text = fs::read_to_string(&said).unwrap();
        assert!(text.starts_with("too much /"), "{text}");
        stop(running);
    }
}
