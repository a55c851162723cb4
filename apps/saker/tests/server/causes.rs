//! Causes and symptoms over the API: allowed ranks, shown ranks, and ranks after a restart.

use std::time::Duration;

use crate::support::{FLOAT, Server, now, wait_until};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

/// Event ids of problems, by the name of their trigger.
fn ids(server: &Server, names: &[&str]) -> Vec<String> {
    let rows = server.call("problem.get", &json!({"output": ["eventid", "name"]}));
    let id = |name: &&str| {
        let row = rows.as_array().unwrap().iter().find(|it| it["name"] == **name).unwrap();
        row["eventid"].as_str().unwrap().to_owned()
    };
    names.iter().map(id).collect()
}

fn causes(server: &Server, method: &str) -> Vec<Value> {
    let params = json!({"output": ["cause_eventid"], "sortfield": "eventid"});
    let rows = server.call(method, &params);
    rows.as_array().unwrap().iter().map(|it| it["cause_eventid"].clone()).collect()
}

#[test]
fn problems_become_symptoms_of_others_and_stay_so() {
    let mut server = Server::start();
    let host = server.host("h");
    for key in ["a", "b", "c"] {
        server.trapper_item(&host, key, FLOAT);
        server.trigger(key, &format!("last(/h/{key})>10"));
        server.send("h", key, "11", now());
        wait_until("the problem", LIMIT, || {
            let rows = server.call("problem.get", &json!({"output": ["name"]}));
            rows.as_array().unwrap().iter().any(|it| it["name"] == key)
        });
    }
    let of = ids(&server, &["a", "b", "c"]);
    let [a, b, c] = [&of[0], &of[1], &of[2]];
    let error = |params: Value| {
        let refused = server.try_call("event.acknowledge", &params).unwrap_err();
        refused["data"].as_str().unwrap().to_owned()
    };
    let missing = "Invalid parameter \"/\": the parameter \"cause_eventid\" is missing.";
    assert_eq!(error(json!({"eventids": a, "action": 256})), missing);
    let unexpected = "Invalid parameter \"/\": unexpected parameter \"cause_eventid\".";
    assert_eq!(error(json!({"eventids": a, "action": 2, "cause_eventid": b})), unexpected);
    let both = json!({"eventids": a, "action": 384, "cause_eventid": b});
    let opposite = "Incorrect value for field \"action\": value must be one of 128, 256.";
    assert_eq!(error(both), opposite);
    let unknown = json!({"eventids": a, "action": 256, "cause_eventid": "999999"});
    assert_eq!(error(unknown), "No permissions to referred object or it does not exist!");

    let symptoms = json!({"eventids": [b, c], "action": 256 | 4, "cause_eventid": a,
        "message": "the same switch"});
    let done = server.call("event.acknowledge", &symptoms);
    assert_eq!(done["eventids"].as_array().unwrap().len(), 2);
    let n_of = |server: &Server, symptom: bool| {
        server.call("problem.get", &json!({"countOutput": true, "symptom": symptom}))
    };
    for is_orderly in [None, Some(true), Some(false)] {
        match is_orderly {
            None => {}
            Some(true) => {
                server.stop();
                server.start_again();
            }
            Some(false) => {
                server.kill();
                server.start_again();
            }
        }
        for method in ["problem.get", "event.get"] {
            let shown = causes(&server, method);
            assert_eq!(shown, [json!("0"), json!(a), json!(a)], "{method}, {is_orderly:?}");
        }
        assert_eq!((n_of(&server, true), n_of(&server, false)), (json!("2"), json!("1")));
    }
    let entries = json!({"eventids": b, "selectAcknowledges": ["action", "message"]});
    let entry = json!({"action": "260", "message": "the same switch"});
    assert_eq!(server.call("problem.get", &entries)[0]["acknowledges"], json!([entry]));
    // A symptom of a symptom has its cause; a problem that becomes a symptom takes its own symptoms
    // along.
    server.call("event.acknowledge", &json!({"eventids": [b], "action": 128}));
    assert_eq!(causes(&server, "problem.get"), [json!("0"), json!("0"), json!(a)]);
    let below = json!({"eventids": [a], "action": 256, "cause_eventid": b});
    server.call("event.acknowledge", &below);
    assert_eq!(causes(&server, "problem.get"), [json!(b), json!("0"), json!(b)]);
    // Ended problems have causes like others.
    server.send("h", "c", "1", now());
    wait_until("the end", LIMIT, || n_of(&server, true) == json!("1"));
    let ended = json!({"eventids": c, "output": ["cause_eventid"], "recent": true});
    assert_eq!(server.call("problem.get", &ended)[0]["cause_eventid"], json!(b));
}

#[test]
fn messages_name_cause_and_symptoms() {
    let server = Server::start_with(&[("SAKER_COMMANDS_ON_SERVER", "true")]);
    let host = server.host("h");
    for key in ["a", "b"] {
        server.trapper_item(&host, key, FLOAT);
        server.trigger(key, &format!("last(/h/{key})>10"));
    }
    let said = server.dir().join("said");
    let text = "{EVENT.NAME}|{EVENT.CAUSE.NAME}|{EVENT.CAUSE.STATUS}|{EVENT.SYMPTOMS}";
    let script = json!({"name": "say", "type": "0", "scope": "1", "execute_on": "1",
        "command": format!("echo '{text}' >> {}", said.display())});
    let script = server.create("script.create", &script).remove(0);
    let say = json!([{"operationtype": "1", "opcommand": {"scriptid": script},
        "opcommand_hst": [{"hostid": "0"}]}]);
    let quiet = json!([{"operationtype": "0", "esc_step_from": "100", "esc_step_to": "100",
        "opmessage": {"default_msg": "1"}, "opmessage_usr": [{"userid": "1"}]}]);
    let action = json!({"name": "a", "eventsource": "0", "pause_symptoms": "0",
        "operations": quiet, "update_operations": say});
    server.create("action.create", &action);
    for key in ["a", "b"] {
        server.send("h", key, "11", now());
    }
    wait_until("both problems", LIMIT, || {
        server.call("problem.get", &json!({"countOutput": true})) == json!("2")
    });
    let of = ids(&server, &["a", "b"]);
    let [a, b] = [&of[0], &of[1]];
    let rank = json!({"eventids": b, "action": 256 | 4, "cause_eventid": a, "message": "m"});
    server.call("event.acknowledge", &rank);
    let lines = |n: usize| {
        let read = || std::fs::read_to_string(&said).unwrap_or_default();
        wait_until("it is said", LIMIT, || read().lines().count() == n);
        read().lines().last().unwrap().to_owned()
    };
    assert_eq!(lines(1), "b|a|PROBLEM|*UNKNOWN*");
    let message = |id: &str| {
        server.call("event.acknowledge", &json!({"eventids": id, "action": 4, "message": "m"}));
    };
    message(a);
    let line = lines(2);
    let (before, symptoms) = line.rsplit_once('|').unwrap();
    assert_eq!(before, "a|*UNKNOWN*|*UNKNOWN*");
    let expected = "Host: \"h\" Problem name: \"b\" Severity: \"Average\" Age: ";
    assert!(symptoms.starts_with(expected), "{symptoms}");
    server.send("h", "a", "1", now() + 1);
    wait_until("the end of the cause", LIMIT, || {
        server.call("problem.get", &json!({"countOutput": true})) == json!("1")
    });
    message(b);
    assert_eq!(lines(3), "b|a|RESOLVED|*UNKNOWN*");
}
