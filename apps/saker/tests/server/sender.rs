//! The real `zabbix_sender` against the real binary.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::support::stores::{self, History};
use crate::support::{FLOAT, Server, TEXT, UNSIGNED, now, program, wait_until};
use model::{Value, ValueType};
use serde_json::json;

const SOON: Duration = Duration::from_secs(20);

/// Sends a file of lines `host key value` and gives the answer with its exit code.
fn send(sender: &Path, server: &Server, arguments: &[&str], lines: &str) -> (String, Option<i32>) {
    let file = server.dir().join("values.txt");
    std::fs::write(&file, lines).unwrap();
    let (address, port) = (server.trapper().ip().to_string(), server.trapper().port().to_string());
    let Output { status, stdout, stderr } = Command::new(sender)
        .args(["-vv", "-z", &address, "-p", &port, "-i"])
        .arg(&file)
        .args(arguments)
        .output()
        .unwrap();
    let text = [stdout, stderr].map(|it| String::from_utf8(it).unwrap()).concat();
    (text, status.code())
}

#[test]
fn values_of_the_real_sender_are_counted_and_kept() {
    let Some(sender) = program("zabbix_sender") else { return };
    let mut server = Server::start();
    let host = server.host("web");
    let load = server.trapper_item(&host, "load", FLOAT);
    let hits = server.trapper_item(&host, "hits[a, \"b c\"]", UNSIGNED);
    let note = server.trapper_item(&host, "note", TEXT);

    let lines = "web load 1.5\nweb \"hits[a, \\\"b c\\\"]\" 18446744073709551615\n\
                 web note \"größer: \\\"quoted\\\" \\\\ and more\"\n\
                 web nothing 1\nnobody load 1\n";
    let (answer, code) = send(&sender, &server, &[], lines);
    assert!(answer.contains("processed: 3; failed: 2; total: 5"), "{answer}");
    assert_eq!(code, Some(2), "the sender reports that some failed: {answer}");
    // The answer says that they are kept, so they can be read at once.
    let (clock, text) = (now(), "größer: \"quoted\" \\ and more");
    assert_eq!(server.last(&load).as_deref(), Some("1.5"));
    assert_eq!(server.last(&hits).as_deref(), Some("18446744073709551615"));
    assert_eq!(server.last(&note).as_deref(), Some(text));
    let taken: i64 = server.item(&note)["lastclock"].as_str().unwrap().parse().unwrap();
    assert!((clock - 30..=clock).contains(&taken), "{taken} is now, {clock}");

    let stamped = format!("web load {} 2.25\nweb load {} 3.5\n", clock - 100, clock - 50);
    let (answer, code) = send(&sender, &server, &["-T"], &stamped);
    assert!(answer.contains("processed: 2; failed: 0; total: 2"), "{answer}");
    assert_eq!(code, Some(0), "{answer}");

    let params = json!({"itemids": [load], "history": 0, "sortfield": "clock", "output": "extend"});
    if let Some(rows) = server.get_if_known("history.get", &params) {
        let values: Vec<f64> =
            rows.iter().map(|it| it["value"].as_str().unwrap().parse().unwrap()).collect();
        assert_eq!(values, [2.25, 3.5, 1.5]);
    }
    server.stop();
    let history = History::open(&server.data());
    let kept: Vec<(i64, Value)> = history
        .values(&load, ValueType::Float)
        .into_iter()
        .map(|it| (it.time.clock(), it.value))
        .collect();
    assert_eq!(kept[..2], [(clock - 100, Value::Float(2.25)), (clock - 50, Value::Float(3.5))]);
    assert_eq!((kept.len(), &kept[2].1), (3, &Value::Float(1.5)));
    assert_eq!(history.values(&note, ValueType::Text)[0].value, Value::Text(text.into()));
}

#[test]
fn steps_change_values_and_a_trigger_opens_and_closes_one_problem() {
    let Some(sender) = program("zabbix_sender") else { return };
    let mut server = Server::start();
    let host = server.host("disk");
    let item = json!({
        "hostid": host, "name": "used", "key_": "used", "type": 2, "value_type": FLOAT,
        "preprocessing": [
            {"type": 1, "params": "8", "error_handler": 0, "error_handler_params": ""}
        ],
    });
    let item = server.create("item.create", &item).remove(0);
    let trigger = server.trigger("Too much on {HOST.NAME}", "last(/disk/used)>100");

    send(&sender, &server, &[], "disk used 12\n");
    assert_eq!(server.last(&item).as_deref(), Some("96"));
    assert!(!server.is_problem(&trigger));

    send(&sender, &server, &[], "disk used 13\ndisk used 14\n");
    wait_until("the trigger shows the problem", SOON, || server.is_problem(&trigger));
    let params = json!({"objectids": [trigger], "output": "extend"});
    if server.get_if_known("problem.get", &params).is_some() {
        wait_until("the problem is listed once", SOON, || {
            let rows = server.get_if_known("problem.get", &params).unwrap();
            rows.len() == 1 && rows[0]["name"] == "Too much on disk"
        });
    }

    send(&sender, &server, &[], "disk used 1\n");
    wait_until("the trigger is back", SOON, || !server.is_problem(&trigger));
    if server.get_if_known("problem.get", &params).is_some() {
        wait_until("the problem is gone", SOON, || {
            server.get_if_known("problem.get", &params).unwrap().is_empty()
        });
    }
    server.stop();
    let events = stores::events(&stores::database(&server.data()));
    let seen: Vec<(u8, &str)> = events.iter().map(|it| (it.value, it.name.as_str())).collect();
    assert_eq!(seen, [(1, "Too much on disk"), (0, "Too much on disk")]);
    assert_eq!(events[1].recovers, [events[0].eventid]);
}

#[test]
fn the_answer_and_the_items_say_what_was_not_kept_as_sent() {
    let Some(sender) = program("zabbix_sender") else { return };
    let server = Server::start();
    let host = server.host("web");
    let hits = server.trapper_item(&host, "hits", UNSIGNED);
    let note = server.trapper_item(&host, "note", TEXT);
    let params = json!({
        "hostid": host, "name": "brief", "key_": "brief", "type": 2, "value_type": UNSIGNED,
        "history": "1h",
    });
    let brief = server.create("item.create", &params).remove(0);

    let (fine, code) = send(&sender, &server, &[], "web hits 1\nweb note short\n");
    let end = |answer: &str| {
        let line = answer.lines().find(|it| it.starts_with("Response from")).unwrap().to_owned();
        line.rsplit("seconds spent: ").next().unwrap().trim_end_matches('"').to_owned()
    };
    assert!(end(&fine).parse::<f64>().is_ok(), "no number: {fine}");
    assert_eq!(code, Some(0), "{fine}");

    let long = "x".repeat(70_000);
    let lines = format!("web hits many\nweb note {long}\nweb hits 2\nweb hits -3\n");
    let (answer, code) = send(&sender, &server, &[], &lines);
    assert!(answer.contains("processed: 4; failed: 0; total: 4; seconds spent: "), "{answer}");
    assert!(end(&answer).ends_with("; unsupported: 2; cut: 1"), "{answer}");
    assert_eq!(code, Some(0), "as with Zabbix, they are processed: {answer}");
    let item = server.item(&hits);
    let error = item["error"].as_str().unwrap();
    assert!(item["state"] == "1" && error.contains("Value \"-3\""), "{item}");
    let item = server.item(&note);
    let error = item["error"].as_str().unwrap();
    assert_eq!(item["state"], "0");
    assert!(error.ends_with("was cut from 70000 characters to 65535."), "{error}");

    let hour = 3_600;
    let late = format!("web brief {} 1\nweb brief {} 2\n", now() - hour - 9, now() - hour + 60);
    let (answer, code) = send(&sender, &server, &["-T"], &late);
    assert!(answer.contains("processed: 1; failed: 1; total: 2"), "{answer}");
    assert_eq!(code, Some(2), "{answer}");
    let error = server.item(&brief)["error"].clone();
    assert!(error.as_str().unwrap().contains("older than the item's history is kept"), "{error}");
    assert_eq!(server.last(&brief).as_deref(), Some("2"));
}
