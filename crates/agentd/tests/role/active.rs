//! Active checks.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use peers::wait_until;
use serde_json::{Value, json};

use crate::server::FakeServer;
use crate::{LIMIT, Running};

const QUICK: [(&str, &str); 4] = [
    ("passive.enabled", "false"),
    ("hostname", "web"),
    ("active.refresh_s", "1"),
    ("active.send_s", "1"),
];

fn start(servers: &str, more: &[(&str, &str)]) -> Running {
    let mut set = QUICK.to_vec();
    set.push(("active.servers", servers));
    set.extend(more);
    Running::start(&set)
}

fn item(itemid: u64, key: &str) -> Value {
    json!({"key": key, "itemid": itemid, "delay": "1s", "lastlogsize": 0, "mtime": 0, "timeout": "3s"})
}

/// The answer of a server with these items.
fn list(request: &Value, revision: u64, items: &[Value]) -> Value {
    if request["config_revision"] == revision {
        return json!({"response": "success"});
    }
    json!({"response": "success", "config_revision": revision, "data": items})
}

fn success() -> Value {
    json!({"response": "success", "info": "processed: 1; failed: 0; total: 1; seconds spent: 0.000045"})
}

#[test]
fn values_have_all_members_that_a_server_expects() {
    let server = FakeServer::start(Box::new(|request| match request["request"].as_str()? {
        "active checks" => Some(list(
            request,
            7,
            &[item(1, "agent.ping"), item(2, "no.such.key"), item(3, "vfs.file.contents")],
        )),
        "agent data" => Some(success()),
        _ => None,
    }));
    let more = [
        ("host_metadata_item", "agent.variant"),
        ("host_interface_item", "agent.ping"),
        ("active.heartbeat_s", "60"),
    ];
    let agent = start(&server.address, &more);
    wait_until("values come", LIMIT, || server.values(1).len() > 2 && server.values(2).len() > 2);
    agent.stop();
    let asked = server.requests("active checks");
    assert_eq!(asked[0]["host"], "web");
    assert_eq!(asked[0]["version"], "7.0.0");
    assert_eq!((&asked[0]["host_metadata"], &asked[0]["interface"]), (&json!("1"), &json!("1")));
    assert_eq!(
        (&asked[0]["config_revision"], &asked[1]["config_revision"]),
        (&json!(0), &json!(7))
    );
    let heartbeats = server.requests("active check heartbeat");
    assert_eq!(heartbeats[0]["heartbeat_freq"], 60);
    let rows = server.rows();
    let ids: Vec<u64> = rows.iter().map(|it| it["id"].as_u64().expect("an id")).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "each once, in order");
    let of = |itemid: u64| rows.iter().find(|it| it["itemid"] == itemid).expect("a value").clone();
    assert_eq!((&of(1)["value"], &of(1)["state"]), (&json!("1"), &Value::Null));
    assert_eq!((&of(2)["value"], &of(2)["state"]), (&json!("Unsupported item key."), &json!(1)));
    assert_eq!(of(3)["value"], "Invalid first parameter.");
    let data = &server.requests("agent data")[0];
    assert_eq!(data["session"].as_str().map(str::len), Some(32));
    assert_eq!(data["session"], asked[0]["session"]);
}

#[test]
fn unacknowledged_values_are_sent_again_with_their_ids() {
    let n_lost = Arc::new(AtomicU32::new(0));
    let lost = Arc::clone(&n_lost);
    let server = FakeServer::start(Box::new(move |request| match request["request"].as_str()? {
        "active checks" => Some(list(request, 1, &[item(1, "agent.ping")])),
        // The first three are taken, but not acknowledged.
        "agent data" if lost.fetch_add(1, Ordering::Relaxed) < 3 => None,
        "agent data" => Some(success()),
        _ => None,
    }));
    let agent = start(&server.address, &[]);
    wait_until("values come", LIMIT, || n_lost.load(Ordering::Relaxed) > 6);
    agent.stop();
    let requests = server.requests("agent data");
    let first = |it: &Value| it["data"][0]["id"].as_u64().expect("an id");
    assert_eq!([first(&requests[0]), first(&requests[1]), first(&requests[3])], [1, 1, 1]);
    assert_eq!(requests[0]["data"][0], requests[3]["data"][0], "to the letter");
    let mut ids: Vec<u64> = server.rows().iter().map(|it| it["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "none is missing");
}

#[test]
fn allowed_remote_commands_run_and_return_results() {
    let n_lists = Arc::new(AtomicU32::new(0));
    let n = Arc::clone(&n_lists);
    let server = FakeServer::start(Box::new(move |request| match request["request"].as_str()? {
        "active checks" => {
            let mut answer = list(request, 1, &[]);
            if n.fetch_add(1, Ordering::Relaxed) == 0 {
                answer["commands"] = json!([
                    {"id": 5, "command": "echo \"a b\"; echo c >&2", "wait": 1, "timeout": "30s"},
                    {"id": 6, "command": "id", "wait": 1, "timeout": "30s"},
                ]);
            }
            Some(answer)
        }
        "agent data" => Some(success()),
        _ => None,
    }));
    let rules = r#"["allow system.run[\"echo *\",wait]", "deny system.run[*]"]"#;
    let _agent = start(&server.address, &[("keys.rules", rules)]);
    let results = || {
        let requests = server.requests("agent data");
        let rows = |it: &Value| it["commands"].as_array().cloned().unwrap_or_default();
        let mut results: Vec<Value> = requests.iter().flat_map(rows).collect();
        results.sort_by_key(|it| it["id"].as_u64());
        results
    };
    wait_until("both results", LIMIT, || results().len() == 2);
    let expected =
        [json!({"id": 5, "value": "a b\nc"}), json!({"id": 6, "error": "Unsupported item key."})];
    assert_eq!(results(), expected);
}

#[test]
fn redirects_and_cluster_nodes_are_followed() {
    let right = FakeServer::start(Box::new(|request| match request["request"].as_str()? {
        "active checks" => Some(list(request, 1, &[item(1, "agent.ping")])),
        "agent data" => Some(success()),
        _ => None,
    }));
    let address = right.address.clone();
    let wrong = FakeServer::start(Box::new(move |request| match request["request"].as_str()? {
        "active check heartbeat" => None,
        _ => Some(json!({"response": "failed", "redirect": {"revision": 3, "address": address}})),
    }));
    // The first machine of the cluster is down: port 1 is closed.
    let cluster = format!("127.0.0.1:1;{}", wrong.address);
    let _agent = start(&cluster, &[]);
    wait_until("values come to the right one", LIMIT, || right.values(1).len() > 1);
    assert!(wrong.values(1).is_empty() && !wrong.requests("active checks").is_empty());
}

#[test]
fn unknown_host_is_retried() {
    let n = Arc::new(AtomicU32::new(0));
    let server = FakeServer::start(Box::new(move |request| match request["request"].as_str()? {
        "active checks" if n.fetch_add(1, Ordering::Relaxed) < 2 => {
            Some(json!({"response": "failed", "info": "host [web] not found"}))
        }
        "active checks" => Some(list(request, 1, &[item(1, "agent.ping")])),
        "agent data" => Some(success()),
        _ => None,
    }));
    let agent = start(&server.address, &[]);
    wait_until("values come", LIMIT, || !server.values(1).is_empty());
    agent.stop();
}

#[test]
fn log_lines_arrive_once_despite_rotation_and_kills() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let key = format!(r"logrt[{}/^app\.log(\.\d)?$]", folder.path().display());
    let last_position: Arc<std::sync::Mutex<(u64, u64)>> = Arc::default();
    let position = Arc::clone(&last_position);
    let seen: Arc<std::sync::Mutex<Vec<(String, u64)>>> = Arc::default();
    let seen_ids = Arc::clone(&seen);
    let server = FakeServer::start(Box::new(move |request| match request["request"].as_str()? {
        "active checks" => {
            let (lastlogsize, mtime) = *position.lock().expect("no panic");
            let mut item = item(1, &key);
            item["lastlogsize"] = json!(lastlogsize);
            item["mtime"] = json!(mtime);
            Some(list(request, 1, &[item]))
        }
        "agent data" => {
            let session = request["session"].as_str()?.to_owned();
            for row in request["data"].as_array()? {
                let number = |name: &str| row[name].as_u64().expect("a number");
                *position.lock().expect("no panic") = (number("lastlogsize"), number("mtime"));
                seen_ids.lock().expect("no panic").push((session.clone(), number("id")));
            }
            Some(success())
        }
        _ => None,
    }));
    fs::write(path("app.log"), "1\n2\n").expect("written");
    let agent = start(&server.address, &[]);
    wait_until("two lines", LIMIT, || server.values(1) == ["1", "2"]);
    append(&path("app.log"), "3\n");
    wait_until("one more", LIMIT, || server.values(1).len() == 3);
    drop(agent);
    append(&path("app.log"), "4\n");
    fs::rename(path("app.log"), path("app.log.1")).expect("renamed");
    fs::write(path("app.log"), "5\n6\n").expect("written");
    let agent = start(&server.address, &[]);
    wait_until("all of them", LIMIT, || server.values(1).len() >= 6);
    append(&path("app.log"), "7\n");
    wait_until("the last one", LIMIT, || server.values(1).len() >= 7);
    agent.stop();
    assert_eq!(server.values(1), ["1", "2", "3", "4", "5", "6", "7"]);
    let seen = seen.lock().expect("no panic");
    assert!(seen.iter().any(|it| it.0 != seen[0].0), "each run has a session of its own");
    assert_ne!(*last_position.lock().expect("no panic"), (0, 0));
}

fn append(path: &std::path::Path, text: &str) {
    use std::io::Write as _;
    let mut file = fs::OpenOptions::new().append(true).open(path).expect("it is there");
    file.write_all(text.as_bytes()).expect("written");
}
