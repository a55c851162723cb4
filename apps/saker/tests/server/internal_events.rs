//! Internal events: items that are not supported, triggers that are unknown, discovery rules that fail.

use std::time::Duration;

use crate::support::{FLOAT, Server, now, wait_until};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

/// Open problems of an object, and the values of all its events.
fn events_of(server: &Server, object: u8, id: &str) -> (Value, Value) {
    let of = json!({"source": 3, "object": object, "objectids": [id],
        "output": ["name", "severity"], "selectTags": "extend"});
    let problems = server.call("problem.get", &of);
    let of = json!({"source": 3, "object": object, "objectids": [id], "sortfield": "eventid",
        "output": ["value", "name"]});
    let events = server.call("event.get", &of);
    let values = events.as_array().unwrap().iter().map(|it| it["value"].clone()).collect();
    (problems, Value::Array(values))
}

#[test]
fn failures_and_recoveries_of_objects_make_internal_events() {
    let mut server = Server::start();
    let host = server.host("h");
    server.call("host.update", &json!({"hostid": host, "tags": [{"tag": "room", "value": "7"}]}));
    let item = server.trapper_item(&host, "k", FLOAT);
    let params = json!({"description": "t", "expression": "last(/h/k)>10", "priority": 4});
    let trigger = server.create("trigger.create", &params).remove(0);
    let params = json!({"name": "r", "key_": "rule", "hostid": host, "type": 2, "delay": "0"});
    let rule = server.create("discoveryrule.create", &params).remove(0);

    server.send("h", "k", "11", now());
    server.send("h", "k", "what?", now());
    server.send("h", "rule", "no list", now());
    let bad = [(4, &item), (0, &trigger), (5, &rule)];
    for (object, id) in bad {
        wait_until("the problem", LIMIT, || events_of(&server, object, id).1 == json!(["1"]));
    }
    let name = "Value of type \"string\" is not suitable for value type \"Numeric (float)\". \
                Value \"what?\"";
    let (problems, _) = events_of(&server, 4, &item);
    assert_eq!(problems[0]["name"], json!(name));
    assert_eq!(problems[0]["severity"], json!("0"));
    assert_eq!(problems[0]["tags"], json!([{"tag": "room", "value": "7"}]));
    let (problems, _) = events_of(&server, 0, &trigger);
    assert_eq!(
        problems[0]["name"],
        json!("Cannot evaluate function last(/h/k): item is not supported.")
    );
    let (problems, _) = events_of(&server, 5, &rule);
    assert_ne!(problems[0]["name"], json!(""));
    // They are separate from the problems of triggers.
    let of_trigger = json!({"objectids": [trigger], "output": ["name"]});
    assert_eq!(server.call("problem.get", &of_trigger)[0]["name"], json!("t"));
    assert_eq!(server.call("problem.get", &json!({"countOutput": true})), json!("1"));

    // Neither an end of the process nor the same failure again makes another event.
    for is_orderly in [true, false] {
        if is_orderly {
            server.stop();
        } else {
            server.kill();
        }
        server.start_again();
        server.send("h", "k", "and?", now());
        server.send("h", "rule", "still no list", now());
        let named = json!({"itemids": [item], "output": ["error"]});
        wait_until("the other reason", LIMIT, || {
            let error = server.call("item.get", &named)[0]["error"].clone();
            error.as_str().unwrap_or_default().ends_with("Value \"and?\"")
        });
        for (object, id) in bad {
            assert_eq!(events_of(&server, object, id).1, json!(["1"]), "orderly: {is_orderly}");
        }
    }
    server.send("h", "k", "12", now());
    server.send("h", "rule", "[]", now());
    for (object, id) in bad {
        wait_until("the end", LIMIT, || {
            events_of(&server, object, id) == (json!([]), json!(["1", "0"]))
        });
    }
    assert_eq!(server.call("problem.get", &json!({"countOutput": true})), json!("1"));
}
