//! Exported data arrives in order, whichever side was unavailable or killed meanwhile.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::support::peer::{self, Counts};
use crate::support::receiver::Receiver;
use crate::support::web::Identity;
use crate::support::{Server, TEXT, UNSIGNED, now, wait_until};
use peers::Prometheus;
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(60);
const FLOAT: u8 = 0;

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

/// The lines of a file and of the one before it, without unfinished lines.
fn file(dir: &Path, name: &str) -> Vec<Value> {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let old = read(&dir.join(format!("{name}.old")));
    let new = read(&dir.join(name));
    let whole = new.rfind('\n').map_or("", |it| new.split_at(it + 1).0);
    lines(&(old + whole))
}

/// The values of an item, in order.
fn values(lines: &[Value], item: &str) -> Vec<i64> {
    let item = number(item);
    let of_item = lines.iter().filter(|it| it["itemid"] == item);
    of_item.map(|it| it["value"].as_i64().unwrap()).collect()
}

/// An id as lines have it.
fn number(id: &str) -> u64 {
    id.parse().unwrap()
}

fn without_repeats(values: &[i64]) -> Vec<i64> {
    let mut seen = Vec::new();
    for it in values {
        if !seen.contains(it) {
            seen.push(*it);
        }
    }
    seen
}

/// Sends values `from..from + n` to two items, each acknowledged.
fn send(server: &Server, base: i64, from: i64, n: i64) {
    let row = |it: i64| ["a", "b"].map(|key| peer::row("h", key, &it.to_string(), base + it));
    let rows: Vec<Value> = (from..from + n).flat_map(row).collect();
    let total = u64::try_from(rows.len()).unwrap();
    let counts = peer::send(&mut server.connect(), &rows).unwrap();
    assert_eq!(counts, Counts(total, 0, total));
}

#[test]
fn values_reach_files_once_and_connectors_in_order_over_kills() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap().to_owned();
    let receiver = Receiver::start();
    let mut server = Server::start_with(&[("SAKER_EXPORT_DIR", &path)]);
    let host = server.host("h");
    let items = ["a", "b"].map(|it| server.trapper_item(&host, it, UNSIGNED));
    let connector = json!({
        "name": "c", "url": receiver.url(), "max_records": 7, "max_senders": 3,
        "authtype": "5", "token": "secret",
    });
    let connector = server.create("connector.create", &connector).remove(0);
    let base = now() - 10_000;
    send(&server, base, 0, 100);
    let is_whole = |n: i64| {
        let expected: Vec<i64> = (0..n).collect();
        let (from_files, sent) =
            (file(dir.path(), "history-history-syncer-1.ndjson"), lines(&receiver.text()));
        items.iter().all(|item| {
            values(&from_files, item) == expected
                && without_repeats(&values(&sent, item)) == expected
        })
    };
    wait_until("values arrive", DEADLINE, || is_whole(100));

    // The receiver is away: nothing is lost, and the files do not wait for it.
    receiver.answer(503);
    send(&server, base, 100, 100);
    let part = format!("export connector {connector}");
    wait_until("its absence is reported", DEADLINE, || server.health_issue(&part).is_some());
    server.kill();
    server.start_again();
    send(&server, base, 200, 50);
    // Killed while lines are written and sent.
    receiver.answer(200);
    server.kill();
    server.start_again();
    for at in 0..4 {
        send(&server, base, 250 + at * 50, 50);
        server.kill();
        server.start_again();
    }
    wait_until("everything arrives", DEADLINE, || is_whole(450));
    let (head, _) = receiver.requests().remove(0);
    let head = head.to_ascii_lowercase();
    for expected in
        ["post /take", "content-type: application/x-ndjson", "authorization: bearer secret"]
    {
        assert!(head.contains(expected), "{head}");
    }
    let bodies = receiver.requests().into_iter().map(|it| it.1);
    for body in bodies {
        assert!(String::from_utf8(body).unwrap().lines().count() <= 7);
    }
    wait_until("the issue is resolved", DEADLINE, || server.health_issue(&part).is_none());

    // A planned stop sends the rest, and nothing again afterwards.
    send(&server, base, 450, 50);
    server.stop();
    let n_sent = lines(&receiver.text()).len();
    server.start_again();
    send(&server, base, 500, 10);
    wait_until("what follows arrives", DEADLINE, || is_whole(510));
    let n_later = lines(&receiver.text()).len();
    assert!(
        n_later - n_sent <= 120,
        "at most what the stop could not send any more: {n_sent} {n_later}"
    );

    // Data from a time while it is disabled is not sent.
    let set = |status: &str| {
        server.call("connector.update", &json!({"connectorid": connector, "status": status}))
    };
    set("0");
    wait_until("it holds nothing", DEADLINE, || {
        server.metric("saker_export_lag_bytes{target=\"connectors\"}") == 0
    });
    let n_before = lines(&receiver.text()).len();
    send(&server, base, 510, 10);
    let has =
        |n| values(&file(dir.path(), "history-history-syncer-1.ndjson"), &items[0]).len() == n;
    wait_until("the files have it", DEADLINE, || has(520));
    assert_eq!(lines(&receiver.text()).len(), n_before);
    server.call("connector.delete", &json!([connector]));
}

#[test]
fn problems_trends_and_texts_are_lines_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap().to_owned();
    let receiver = Receiver::start();
    let server = Server::start_with(&[("SAKER_EXPORT_DIR", &path)]);
    let host = server.host("h");
    let load = server.trapper_item(&host, "load", FLOAT);
    let text = server.trapper_item(&host, "text", TEXT);
    let trigger = json!({
        "description": "High load", "expression": "last(/h/load)>5", "priority": 4,
        "tags": [{"tag": "scope", "value": "performance"}],
    });
    server.create("trigger.create", &trigger);
    let events = |name: &str, value: &str| {
        json!({"name": name, "url": receiver.url(), "data_type": "1",
               "tags": [{"tag": "scope", "operator": "2", "value": value}]})
    };
    server.create("connector.create", &events("matching", "PERF"));
    server.create("connector.create", &events("other", "security"));
    let hour = (now() - 7_200) / 3_600 * 3_600;
    for (at, value) in [(10, "1"), (20, "9"), (30, "2")] {
        assert_eq!(server.send("h", "load", value, hour + at), Counts(1, 0, 1));
    }
    assert_eq!(server.send("h", "text", "a \"b\"\nc", hour), Counts(1, 0, 1));
    // With the first value of a later hour the trend is known.
    assert_eq!(server.send("h", "load", "1", hour + 3_700), Counts(1, 0, 1));
    let names = ["problems", "history", "trends"].map(|it| format!("{it}-history-syncer-1.ndjson"));
    let [problems, history, trends] = &names;
    wait_until("lines are written", DEADLINE, || {
        file(dir.path(), problems).len() == 2
            && file(dir.path(), history).len() == 5
            && !file(dir.path(), trends).is_empty()
    });
    let groups = || {
        json!([
            server.call("hostgroup.get", &json!({"hostids": [host], "output": ["name"]}))[0]["name"]
        ])
    };
    let of_host = json!({"host": "h", "name": "h"});
    let written = file(dir.path(), problems);
    let problem = &written[0];
    let id = problem["eventid"].clone();
    assert_eq!(
        *problem,
        json!({"clock": hour + 20, "ns": problem["ns"], "value": 1, "eventid": id, "name": "High load",
               "severity": 4, "hosts": [of_host], "groups": groups(),
               "tags": [{"tag": "scope", "value": "performance"}]})
    );
    let recovery = &written[1];
    assert_eq!(
        *recovery,
        json!({"clock": hour + 30, "ns": recovery["ns"], "value": 0, "eventid": recovery["eventid"], "p_eventid": id})
    );
    // Values that come late are parts of their own; together they are the trend of the hour.
    let of_hour = |it: &Value| it["clock"] == hour;
    let whole = |parts: &[Value]| {
        let parts: Vec<&Value> = parts.iter().filter(|it| of_hour(it)).collect();
        let each =
            |name: &str| parts.iter().map(|it| it[name].as_i64().unwrap()).collect::<Vec<_>>();
        (
            each("count").iter().sum::<i64>(),
            each("min").into_iter().min(),
            each("max").into_iter().max(),
        )
    };
    wait_until("the trend is written", DEADLINE, || {
        whole(&file(dir.path(), trends)) == (3, Some(1), Some(9))
    });
    let part = &file(dir.path(), trends)[0];
    assert_eq!(
        *part,
        json!({"host": of_host, "groups": groups(), "item_tags": [], "itemid": number(&load),
               "name": "load", "clock": part["clock"], "count": part["count"], "min": part["min"],
               "avg": part["avg"], "max": part["max"], "type": 0})
    );
    let lines_of_text = file(dir.path(), history);
    let line = lines_of_text.iter().find(|it| it["itemid"] == number(&text)).unwrap();
    assert_eq!((&line["value"], &line["type"]), (&json!("a \"b\"\nc"), &json!(4)));
    // Connectors get the same lines, if their tags match: one of the two.
    wait_until("events are sent", DEADLINE, || lines(&receiver.text()).len() == 2);
    assert_eq!(lines(&receiver.text()), written);
}

#[test]
fn connectors_respect_denied_networks_and_hide_secrets() {
    let receiver = Receiver::start();
    let server = Server::start_with(&[("SAKER_OUTGOING_DENIED", "127.0.0.0/8")]);
    let host = server.host("h");
    server.trapper_item(&host, "a", UNSIGNED);
    server.trapper_item(&host, "b", UNSIGNED);
    let connector = json!({"name": "c", "url": receiver.url(), "authtype": "1", "username": "u", "password": "hidden7"});
    let id = server.create("connector.create", &connector).remove(0);
    send(&server, now() - 100, 0, 5);
    let part = format!("export connector {id}");
    wait_until("it is refused", DEADLINE, || server.health_issue(&part).is_some());
    let issue = server.health_issue(&part).unwrap().to_string();
    assert!(issue.contains("outgoing.denied") && !issue.contains("hidden7"), "{issue}");
    assert_eq!(receiver.requests().len(), 0);
    let audit =
        server.call("auditlog.get", &json!({"filter": {"resourcetype": 51}, "output": "extend"}));
    assert!(audit[0]["details"].as_str().is_some_and(|it| !it.contains("hidden7")), "{audit}");
}

/// The result of a query to Prometheus: labels, and values with their times.
fn ask(prometheus: &Prometheus, query: &str) -> Vec<Value> {
    let url = format!("{}/api/v1/query", prometheus.url());
    let mut answer = ureq::post(&url).send_form([("query", query)]).unwrap();
    let answer: Value = serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap();
    assert_eq!(answer["status"], "success", "{answer}");
    answer["data"]["result"].as_array().unwrap().clone()
}

#[test]
fn prometheus_has_every_number_once_over_kills() {
    let Some(prometheus) = Prometheus::start() else { return };
    let url = format!("{}/api/v1/write", prometheus.url());
    let mut server = Server::start_with(&[("SAKER_REMOTE_WRITE_URL", &url)]);
    let host = server.host("h");
    server.trapper_item(&host, "a", UNSIGNED);
    let item = json!({
        "hostid": host, "name": "b", "key_": "b", "type": 2, "value_type": UNSIGNED,
        "tags": [{"tag": "it's", "value": "x"}, {"tag": "it's", "value": "Größe"}],
    });
    server.create("item.create", &item);
    let base = now() - 600;
    let values = || -> Vec<(i64, i64)> {
        let found = ask(&prometheus, "zabbix_a{host=\"h\",key=\"a\"}[1h]");
        let samples = found.first().and_then(|it| it["values"].as_array().cloned());
        let number = |it: &Value| it[1].as_str().unwrap().parse::<i64>().unwrap();
        let clock = |it: &Value| it[0].as_f64().unwrap().to_string().parse::<i64>().unwrap();
        samples.unwrap_or_default().iter().map(|it| (clock(it), number(it))).collect()
    };
    let mut expected = Vec::new();
    for round in 0..4 {
        send(&server, base, round * 50, 50);
        expected.extend((round * 50..round * 50 + 50).map(|it| (base + it, it)));
        if round == 1 {
            wait_until("numbers arrive", DEADLINE, || values() == expected);
        }
        server.kill();
        server.start_again();
    }
    wait_until("all numbers arrive", DEADLINE, || values() == expected);
    let series = ask(&prometheus, "last_over_time({host=\"h\",__name__=~\"zabbix_.*\"}[1h])");
    let labels: Vec<&Value> = series.iter().map(|it| &it["metric"]["tag_it_s"]).collect();
    assert!(labels.len() == 2 && labels.contains(&&json!("Größe,x")), "{series:?}");

    // A value that comes late is refused alone.
    assert_eq!(server.send("h", "a", "7", base - 5), Counts(1, 0, 1));
    send(&server, base, 200, 10);
    expected.extend((200..210).map(|it| (base + it, it)));
    wait_until("what follows arrives", DEADLINE, || values() == expected);
    let refused = || server.metric("saker_export_dropped_refused_total{target=\"remote_write\"}");
    wait_until("what was late is counted", DEADLINE, || refused() >= 1);
}

#[test]
fn a_connector_checks_the_authority_the_name_both_or_neither() {
    let (trusted, unknown) = (Identity::new(), Identity::new());
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("trusted.pem");
    fs::write(&file, trusted.certificate.to_pem().unwrap()).unwrap();
    let server = Server::start_with(&[("SSL_CERT_FILE", file.to_str().unwrap())]);
    let host = server.host("h");
    for key in ["a", "b"] {
        server.trapper_item(&host, key, UNSIGNED);
    }
    // Both certificates are of the name localhost, and none of an address.
    let cases = [
        (&trusted, "localhost", ("1", "1"), true),
        (&trusted, "127.0.0.1", ("1", "1"), false),
        (&trusted, "127.0.0.1", ("1", "0"), true),
        (&trusted, "127.0.0.1", ("0", "1"), false),
        (&trusted, "127.0.0.1", ("0", "0"), true),
        (&unknown, "localhost", ("1", "1"), false),
        (&unknown, "localhost", ("1", "0"), false),
        (&unknown, "localhost", ("0", "1"), true),
        (&unknown, "127.0.0.1", ("0", "1"), false),
        (&unknown, "127.0.0.1", ("0", "0"), true),
    ];
    let mut n_cases = 0;
    let started = cases.map(|(identity, name, (peer, host), arrives)| {
        n_cases += 1;
        let receiver = Receiver::start_encrypted(identity);
        let url = receiver.url().replace("127.0.0.1", name);
        let case = format!("{n_cases}: {name}, verify_peer {peer}, verify_host {host}");
        let connector = json!({"name": case, "url": url, "verify_peer": peer, "verify_host": host});
        let connector = server.create("connector.create", &connector).remove(0);
        (case, receiver, format!("export connector {connector}"), arrives)
    });
    send(&server, now() - 100, 0, 3);
    for (case, receiver, part, arrives) in &started {
        wait_until(case, DEADLINE, || {
            if *arrives {
                lines(&receiver.text()).len() == 6
            } else {
                server.health_issue(part).is_some()
            }
        });
        assert_eq!(lines(&receiver.text()).len(), if *arrives { 6 } else { 0 }, "{case}");
        if let Some(issue) = server.health_issue(part) {
            assert!(!arrives && issue.to_string().contains("certificate"), "{case}: {issue}");
        }
    }
}
