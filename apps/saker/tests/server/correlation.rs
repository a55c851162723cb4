//! Global correlation: new problems close old ones and themselves, each once, whenever the process is killed.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::peer;
use crate::support::{FLOAT, Server, now, wait_until};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);
const N: i64 = 200;

/// A trigger that has a problem for each value, which no value ends.
fn each_value(server: &Server, key: &str, tags: &Value) {
    let params = json!({"description": key, "expression": format!("last(/h/{key})>=0"),
        "type": 1, "recovery_mode": 2, "tags": tags});
    server.create("trigger.create", &params);
}

fn send(server: &Server, key: &str, numbers: std::ops::Range<i64>) {
    let row = |it: i64| peer::row("h", key, &it.to_string(), now() - 1_000 + it);
    let rows: Vec<Value> = numbers.map(row).collect();
    peer::send(&mut peer::connect(server.trapper()), &rows).unwrap();
}

/// A rule by which a new *up* closes the *down* of the same link, and itself.
fn rule(server: &Server) -> String {
    let group = server.group("watched");
    let rule = json!({"name": "r", "operations": [{"type": 1}, {"type": 0}], "filter": {
        "evaltype": 3, "formula": "A and (B or C)", "conditions": [
            {"type": 3, "oldtag": "link", "newtag": "link", "formulaid": "A"},
            {"type": 5, "tag": "state", "value": "up", "formulaid": "B"},
            {"type": 2, "groupid": group, "formulaid": "C"}]}});
    let id = server.create("correlation.create", &rule).remove(0);
    let refused = server.try_call("hostgroup.delete", &json!([group])).unwrap_err();
    let expected =
        "Group \"watched\" cannot be deleted, because it is used in a correlation condition.";
    assert_eq!(refused["data"], expected);
    let shown = server.call(
        "correlation.get",
        &json!({"output": ["name", "status"],
        "selectFilter": ["eval_formula", "evaltype"], "selectOperations": "extend"}),
    );
    assert_eq!(
        shown,
        json!([{"correlationid": id, "name": "r", "status": "0",
            "filter": {"evaltype": "3", "eval_formula": "A and (B or C)"},
            "operations": [{"type": "1"}, {"type": "0"}]}])
    );
    id
}

fn n_open(server: &Server) -> Value {
    server.call("problem.get", &json!({"countOutput": true}))
}

#[test]
fn problems_closed_by_rules_close_once_over_kills() {
    let mut server = Server::start();
    let host = server.host("h");
    let link = json!({"tag": "link", "value": "{ITEM.VALUE}"});
    for (key, tags) in
        [("down", json!([link])), ("up", json!([link, {"tag": "state", "value": "up"}]))]
    {
        server.trapper_item(&host, key, FLOAT);
        each_value(&server, key, &tags);
    }
    let id = rule(&server);
    send(&server, "down", 0..N);
    wait_until("all are open", LIMIT, || n_open(&server) == json!(N.to_string()));
    // Killed at different points between a new event and the end of the events that it closes.
    for part in 0..4 {
        // Asked before: all may be over when the next question is answered.
        let before = n_open(&server);
        send(&server, "up", part * N / 4..(part + 1) * N / 4);
        if part == 3 {
            wait_until("some are closed", LIMIT, || n_open(&server) != before);
        }
        server.kill();
        server.start_again();
    }
    let all = json!({"output": ["eventid", "value", "name", "r_eventid", "c_eventid",
        "correlationid"], "selectTags": "extend", "sortfield": "eventid", "source": 0});
    let ended = |server: &Server| {
        let params = json!({"countOutput": true, "value": 0});
        server.call("event.get", &params)
    };
    wait_until("all are closed", LIMIT, || ended(&server) == json!((2 * N).to_string()));
    assert_eq!(n_open(&server), json!("0"));
    let events = server.call("event.get", &all);
    let events = events.as_array().unwrap();
    let problems: Vec<&Value> = events.iter().filter(|it| it["value"] == "1").collect();
    let (begun, n) = (problems.len(), usize::try_from(N).unwrap());
    assert_eq!((begun, events.len()), (2 * n, 4 * n));
    let ends: BTreeSet<&str> =
        problems.iter().map(|it| it["r_eventid"].as_str().unwrap()).collect();
    assert_eq!(ends.len(), problems.len(), "each has an end of its own");
    let link_of = |it: &Value| {
        let tags = it["tags"].as_array().unwrap().iter();
        tags.clone().find(|it| it["tag"] == "link").unwrap()["value"].clone()
    };
    for problem in &problems {
        assert_eq!(problem["correlationid"], *id);
        let by = problems.iter().find(|it| it["eventid"] == problem["c_eventid"]).unwrap();
        assert_eq!((&by["name"], link_of(by)), (&json!("up"), link_of(problem)));
    }
    // A rule that is disabled closes nothing.
    let in_effect = |n| server.metric("saker_correlation_rules") == n;
    server.call("correlation.update", &json!({"correlationid": id, "status": 1}));
    wait_until("the rule is out of effect", LIMIT, || in_effect(0));
    for key in ["down", "up"] {
        send(&server, key, N..N + 1);
    }
    wait_until("both are open", LIMIT, || n_open(&server) == json!("2"));
    // A problem from before a rule is an old event for it, never a new one.
    server.call("correlation.update", &json!({"correlationid": id, "status": 0}));
    wait_until("the rule is in effect again", LIMIT, || in_effect(1));
    server.trapper_item(&host, "last", FLOAT);
    each_value(&server, "last", &json!([{"tag": "link", "value": "none"}]));
    send(&server, "last", 0..1);
    wait_until("the last one is open", LIMIT, || n_open(&server) == json!("3"));
    server.stop();
    server.start_again();
    assert_eq!(n_open(&server), json!("3"));
}

#[test]
fn actions_are_silent_about_what_a_rule_closes_at_once() {
    let server = Server::start_with(&[("SAKER_COMMANDS_ON_SERVER", "true")]);
    let host = server.host("h");
    for (key, tags) in [("up", json!([{"tag": "state", "value": "up"}])), ("other", json!([]))] {
        server.trapper_item(&host, key, FLOAT);
        each_value(&server, key, &tags);
    }
    let rule = json!({"name": "r", "operations": [{"type": 1}], "filter": {"evaltype": 0,
        "conditions": [{"type": 5, "tag": "state", "value": "up"}]}});
    server.create("correlation.create", &rule);
    let said = server.dir().join("said");
    let script = json!({"name": "say", "type": "0", "scope": "1", "execute_on": "1",
        "command": format!("echo '{{EVENT.NAME}} {{EVENT.VALUE}}' >> {}", said.display())});
    let script = server.create("script.create", &script).remove(0);
    let say = json!([{"operationtype": "1", "opcommand": {"scriptid": script},
        "opcommand_hst": [{"hostid": "0"}]}]);
    let action =
        json!({"name": "a", "eventsource": "0", "operations": say, "recovery_operations": say});
    server.create("action.create", &action);
    // A problem from before the rule is in effect is no new event for it.
    wait_until("the rule is in effect", LIMIT, || server.metric("saker_correlation_rules") == 1);
    send(&server, "up", 0..N);
    wait_until("all are open", LIMIT, || {
        let of = json!({"countOutput": true, "source": 0, "value": 1});
        server.call("event.get", &of) == json!(N.to_string())
    });
    send(&server, "other", 0..1);
    // Events are judged in order: messages of the others would be sent before.
    let lines = || std::fs::read_to_string(&said).unwrap_or_default();
    wait_until("the last message", LIMIT, || lines().contains("other 1"));
    wait_until("the others are closed", LIMIT, || n_open(&server) == json!("1"));
    assert_eq!(lines(), "other 1\n");
    let alerts = server.call("alert.get", &json!({"output": ["message"]}));
    assert_eq!(alerts.as_array().unwrap().len(), 1, "{alerts}");
}
