//! Rows of a document reach items of other hosts in the running server, also over a kill.

use std::time::Duration;

use crate::support::peer::Counts;
use crate::support::{Server, TEXT, UNSIGNED, now, wait_until};
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(30);

fn step(kind: u16, params: &str) -> Value {
    json!([{"type": kind, "params": params, "error_handler": 0, "error_handler_params": ""}])
}

fn item(server: &Server, host: &str, key: &str, value_type: u8, steps: &Value) -> String {
    let item = json!({
        "hostid": host, "name": key, "key_": key, "type": 2, "value_type": value_type,
        "preprocessing": steps,
    });
    server.create("item.create", &item).remove(0)
}

fn host_at(server: &Server, name: &str, ip: &str) -> String {
    let group = server.group(&format!("Group of {name}"));
    let interface = json!({"type": 1, "main": 1, "useip": 1, "ip": ip, "dns": "", "port": "10050"});
    let host = json!({"host": name, "groups": [{"groupid": group}], "interfaces": [interface]});
    server.create("host.create", &host).remove(0)
}

/// All values of an item, oldest first.
fn history(server: &Server, item: &str) -> Vec<String> {
    let params = json!({"itemids": [item], "history": 3, "sortfield": "clock", "output": "extend"});
    let rows = server.call("history.get", &params);
    rows.as_array().unwrap().iter().map(|it| it["value"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn rows_go_to_the_hosts_that_they_name_each_once() {
    let mut server = Server::start();
    let source = server.host("source");
    let by_name = item(&server, &source, "rows", TEXT, &step(1003, "name\n$.host\n$.data\nin"));
    item(&server, &source, "rows.ip", TEXT, &step(1003, "ip\n$.ip\n\nin"));
    // Enough hosts that some live in other shards.
    let takers: Vec<String> = (0..8)
        .map(|it| {
            let host = host_at(&server, &format!("taker-{it}"), &format!("10.1.0.{it}"));
            item(&server, &host, "in", UNSIGNED, &step(12, "$.v"))
        })
        .collect();
    let document = |round: usize| {
        let row = |it: usize| json!({"host": format!("taker-{it}"), "v": round * 10 + it});
        let rows: Vec<Value> = (0..8).map(row).chain([json!({"host": "nobody"})]).collect();
        json!({"data": rows}).to_string()
    };
    let base = now() - 1_000;
    assert_eq!(server.send("source", "rows", &document(0), base), Counts(1, 0, 1));
    let address = json!([{"ip": "10.1.0.3", "v": 7}]).to_string();
    assert_eq!(server.send("source", "rows.ip", &address, base + 1), Counts(1, 0, 1));
    wait_until("rows arrive", DEADLINE, || {
        (0..8).all(|it| history(&server, &takers[it]).first() == Some(&it.to_string()))
            && history(&server, &takers[3]) == ["3", "7"]
    });
    assert_eq!(server.last(&by_name).as_deref(), Some(&*document(0)));
    let lost = "rows of a document were not handed on to other hosts";
    assert!(server.process().log().contains(lost));
    assert!(server.process().log().contains("nobody"));

    // Killed right behind the answer: rows are at any place of their way.
    for round in 1..=5 {
        let clock = base + 10 * i64::try_from(round).unwrap();
        assert_eq!(server.send("source", "rows", &document(round), clock), Counts(1, 0, 1));
        server.kill();
        server.start_again();
    }
    let want = |it: usize| -> Vec<String> {
        let rounds = (0..=5).map(|round| (round * 10 + it).to_string());
        let mut values: Vec<String> = rounds.collect();
        if it == 3 {
            values.insert(1, "7".to_owned());
        }
        values
    };
    wait_until("each row is there", DEADLINE, || {
        (0..8).all(|it| history(&server, &takers[it]).len() >= want(it).len())
    });
    for (at, taker) in takers.iter().enumerate() {
        assert_eq!(history(&server, taker), want(at), "taker-{at}");
    }
    server.stop();
}
