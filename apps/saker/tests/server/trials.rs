//! Functions that are read elsewhere, where they count and where they are tried out; names of events.

use std::time::Duration;

use crate::support::peer::Counts;
use crate::support::{FLOAT, Server, UNSIGNED, now, wait_for, wait_until};
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(60);

fn calculated(server: &Server, host: &str, key: &str, formula: &str) -> String {
    let item = json!({
        "hostid": host, "name": key, "key_": key, "type": 15, "value_type": FLOAT,
        "delay": "1d", "params": formula
    });
    server.create("item.create", &item).remove(0)
}

/// Silence, late values and a kill between them: whatever was accepted of hours that are over counts.
fn an_hour_that_is_over_is_there_though_nothing_ended_it(server: &Server, host: &str) {
    server.trapper_item(host, "silent", UNSIGNED);
    let started = now();
    // Of one of the two last hours, should another one begin meanwhile.
    let last_hour = started - started % 3_600 - 1_800;
    let formula = |name: &str| format!("trend{name}(/a/silent,2h:now/h)");
    let count = calculated(server, host, "n", &formula("count"));
    let sum = calculated(server, host, "hours", &formula("sum"));
    let value = 1_u64 << 40;
    let mut total = 0;
    for n in 1..4_i64 {
        total += value;
        let counts = server.send("a", "silent", &value.to_string(), last_hour + n);
        assert_eq!(counts, Counts(1, 0, 1));
        for (item, expected) in [(&count, n.to_string()), (&sum, total.to_string())] {
            wait_until("the hour is seen", DEADLINE, || {
                server.call("task.create", &json!({"type": 6, "request": {"itemid": item}}));
                server.last(item).and_then(|it| it.parse::<f64>().ok()) == expected.parse().ok()
            });
        }
    }
}

/// As a shard does that judges it.
fn a_trial_sees_hours_that_nothing_has_ended(server: &Server, host: &str) {
    server.trapper_item(host, "quiet", UNSIGNED);
    let last_hour = now() - now() % 3_600 - 1_800;
    for n in 1..4_i64 {
        assert_eq!(server.send("a", "quiet", "5", last_hour + n), Counts(1, 0, 1));
        let body = json!({"hostid": host, "expression": "trendcount(/a/quiet,2h:now/h)"});
        let tried = server.native("test/expression", &body);
        assert_eq!(tried["expression"]["value"], n.to_string(), "{tried}");
    }
}

#[test]
fn functions_over_many_items_and_trends_count_and_can_be_tried() {
    let server = Server::start();
    let (a, b) = (server.host("a"), server.host("b"));
    server.trapper_item(&a, "load", FLOAT);
    server.trapper_item(&a, "slow", FLOAT);
    // Its values are nowhere but in memory.
    let kept = json!({"hostid": b, "name": "load", "key_": "load", "type": 2, "value_type": FLOAT,
        "history": "0"});
    server.create("item.create", &kept);
    let trigger = server.trigger("slow", "trendmax(/a/slow,1h:now/h)>7");
    let started = now();
    let last_hour = started - started % 3_600 - 1_800;
    for (host, key, value, clock) in [
        ("a", "load", "4", started),
        ("b", "load", "5.5", started),
        // The same, whichever hour it is by now.
        ("a", "slow", "8", last_hour),
        ("a", "slow", "8", started),
    ] {
        assert_eq!(server.send(host, key, value, clock), Counts(1, 0, 1));
    }
    wait_until("the trend is judged", DEADLINE, || server.is_problem(&trigger));
    let sum = "sum(last_foreach(/*/load))";
    let trend = "trendavg(/a/slow,1h:now/h)";
    for (key, formula, expected) in [("sum", sum, "9.5"), ("trend", trend, "8")] {
        let id = calculated(&server, &a, key, formula);
        wait_until("the item is computed", DEADLINE, || {
            server.call("task.create", &json!({"type": 6, "request": {"itemid": id}}));
            server.last(&id).as_deref() == Some(expected)
        });
    }
    an_hour_that_is_over_is_there_though_nothing_ended_it(&server, &a);
    let expression = format!("{sum}+{trend}");
    let body = json!({"hostid": a, "expression": expression});
    let tried = server.native("test/expression", &body);
    assert_eq!(tried["expression"]["value"], "17.5", "{tried}");
    a_trial_sees_hours_that_nothing_has_ended(&server, &a);
    assert_eq!(tried["functions"][0]["n_values"], 2, "{tried}");
    let body = json!({"hostid": a, "expression": "sum(last_foreach(/*/load[))"});
    let refused = server.try_call("item.create", &body);
    assert!(refused.is_err());
    backtests(&server, &a, (last_hour, started));
}

fn backtests(server: &Server, host: &str, (first, last): (i64, i64)) {
    let run = |expression: &str| {
        let body = json!({"hostid": host, "expression": expression, "from": first - 7_200,
            "to": last + 1});
        server.native("backtest", &body)
    };
    let answer = run("trendmax(/a/slow,1h:now/h)>7");
    assert_eq!(answer["stored_since"], first, "{answer}");
    assert_eq!(answer["ended_early"], Value::Null, "{answer}");
    assert_eq!(answer["dependencies_ignored"], 0, "{answer}");
    assert_eq!(answer["problems"].as_array().unwrap().len(), 1, "{answer}");
    // Nothing can be missing before the first value.
    let answer = run("nodata(/a/slow,5m)=1");
    let from = answer["problems"][0]["from"].as_i64().unwrap_or(last);
    assert!(first + 300 <= from, "{answer}");
}

#[test]
fn a_backtest_ends_at_its_time_with_what_it_has() {
    let server = Server::start_with(&[("SAKER_TRIAL_BACKTEST_S", "0")]);
    let host = server.host("web");
    server.trapper_item(&host, "load", FLOAT);
    let started = now();
    for ago_s in [30, 20, 10] {
        assert_eq!(server.send("web", "load", "7", started - ago_s), Counts(1, 0, 1));
    }
    let body = json!({"hostid": host, "expression": "last(/web/load)>5", "from": started - 60,
        "to": started});
    let answer = server.native("backtest", &body);
    assert_eq!(answer["ended_early"], started - 60, "{answer}");
    assert_eq!(answer["ended_reason"], "it took 0 seconds", "{answer}");
    assert_eq!((&answer["problems"], &answer["values"]), (&json!([]), &json!(0)), "{answer}");
}

#[test]
fn a_changed_formula_is_checked_as_a_new_one_is() {
    let server = Server::start();
    let host = server.host("web");
    let id = calculated(&server, &host, "double", "1+1");
    let error = server
        .try_call("item.update", &json!({"itemid": id, "params": "last(/web/load"}))
        .expect_err("no formula");
    assert!(error["data"].as_str().unwrap().contains("/1/params"), "{error}");
    for code in [0, 31, 500, 1_000, 1_004] {
        let step = json!({"type": code, "params": "", "error_handler": 0,
            "error_handler_params": ""});
        let request = json!({"itemid": id, "preprocessing": [step]});
        let error = server.try_call("item.update", &request).expect_err("no step");
        assert!(error["data"].as_str().unwrap().contains("/preprocessing/1/type"), "{error}");
    }
}

#[test]
fn names_of_events_have_their_expressions_also_if_history_is_asked_for_them() {
    let mut server = Server::start();
    let host = server.host("web");
    server.trapper_item(&host, "load", FLOAT);
    let trigger = json!({
        "description": "High", "expression": "last(/web/load)>10", "priority": 3,
        "event_name": "load {?last(//load)}, mean {{?avg(/web/load,1h)}.fmtnum(2)}, {?last(//no)}"
    });
    let trigger = server.create("trigger.create", &trigger).remove(0);
    let started = now();
    for (value, ago_s) in [("1", 30), ("2", 20)] {
        assert_eq!(server.send("web", "load", value, started - ago_s), Counts(1, 0, 1));
    }
    // No window is in memory after this.
    server.kill();
    server.start_again();
    assert_eq!(server.send("web", "load", "13", started - 10), Counts(1, 0, 1));
    let params = json!({"objectids": [trigger], "output": "extend"});
    let problems = wait_for("the problem", DEADLINE, || {
        let found = server.call("problem.get", &params);
        found.as_array().filter(|it| !it.is_empty()).cloned()
    });
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0]["name"], "load 13, mean 5.33, *UNKNOWN*");
    let events = server.call("event.get", &params);
    assert_eq!(events.as_array().unwrap().len(), 1, "{events}");
    assert_eq!(events[0]["name"], "load 13, mean 5.33, *UNKNOWN*");
}
