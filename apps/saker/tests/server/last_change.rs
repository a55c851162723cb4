//! When triggers last changed, and the contents of events, over restarts.

use std::time::Duration;

use crate::support::{FLOAT, Server, now, wait_until};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(30);

struct Scene {
    server: Server,
    quiet: String,
    single: String,
    multiple: String,
    start: i64,
}

fn scene() -> Scene {
    let server = Server::start();
    let host = server.host("h");
    for key in ["quiet", "single", "multiple"] {
        server.trapper_item(&host, key, FLOAT);
    }
    let make = |key: &str, kind: u8| {
        let params = json!({"description": key, "expression": format!("last(/h/{key})>10"),
            "priority": 4, "type": kind, "manual_close": 1});
        server.create("trigger.create", &params).remove(0)
    };
    let [quiet, single, multiple] = [make("quiet", 0), make("single", 0), make("multiple", 1)];
    Scene { quiet, single, multiple, start: now() - 1_000, server }
}

impl Scene {
    /// Sends a value of second `at` and waits until its event shows.
    fn value(&self, key: &str, at: i64, value: &str, n_events: usize) {
        self.server.send("h", key, value, self.start + at);
        wait_until("the event", LIMIT, || {
            let count = self.server.call("event.get", &json!({"countOutput": true}));
            count == json!(n_events.to_string())
        });
    }

    fn changes(&self) -> Value {
        let params =
            json!({"host": "h", "output": ["lastchange", "value"], "sortfield": "triggerid"});
        let triggers = self.server.call("trigger.get", &params);
        let rows = triggers.as_array().unwrap().iter().map(|it| {
            let clock: i64 = it["lastchange"].as_str().unwrap().parse().unwrap();
            json!([if clock == 0 { 0 } else { clock - self.start }, it["value"]])
        });
        rows.collect()
    }
}

#[test]
fn last_changes_survive_restarts() {
    let mut scene = scene();
    scene.value("quiet", 0, "1", 0);
    scene.value("single", 10, "11", 1);
    scene.value("single", 20, "1", 2);
    scene.value("multiple", 30, "11", 3);
    scene.value("multiple", 40, "12", 4);
    let expected = json!([[0, "0"], [20, "0"], [40, "1"]]);
    assert_eq!(scene.changes(), expected, "each event of a trigger moves it");
    for is_orderly in [true, false, false] {
        if is_orderly {
            scene.server.stop();
        } else {
            scene.server.kill();
        }
        scene.server.start_again();
        assert_eq!(scene.changes(), expected, "after a restart: {is_orderly}");
    }
    let ids = |mut params: Value| -> Vec<String> {
        params["host"] = json!("h");
        let found = scene.server.call("trigger.get", &params);
        let id = |it: &Value| it["triggerid"].as_str().unwrap().to_owned();
        found.as_array().unwrap().iter().map(id).collect()
    };
    let (quiet, single, multiple) = (&scene.quiet, &scene.single, &scene.multiple);
    let at = |second: i64| scene.start + second;
    assert_eq!(ids(json!({"lastChangeSince": at(19)})), [single.clone(), multiple.clone()]);
    assert_eq!(ids(json!({"lastChangeSince": at(20)})), std::slice::from_ref(multiple));
    assert_eq!(ids(json!({"lastChangeTill": at(21)})), [quiet.clone(), single.clone()]);
    assert_eq!(ids(json!({"lastChangeTill": at(20)})), std::slice::from_ref(quiet));
    let falling = json!({"sortfield": "lastchange", "sortorder": "DESC"});
    assert_eq!(ids(falling), [multiple.clone(), single.clone(), quiet.clone()]);
    let last =
        json!({"host": "h", "selectLastEvent": ["value", "clock"], "sortfield": "triggerid"});
    let found = scene.server.call("trigger.get", &last);
    assert_eq!(found[0]["lastEvent"], json!([]));
    for (at_row, value, second) in [(1, "0", 20), (2, "1", 40)] {
        let event = &found[at_row]["lastEvent"];
        let shown = (&event["value"], &event["clock"]);
        assert_eq!(shown, (&json!(value), &json!(at(second).to_string())));
        assert!(event["eventid"].is_string(), "{event}");
    }
}

#[test]
fn a_trigger_with_other_open_problems_stays_in_problem() {
    let mut scene = scene();
    scene.value("multiple", 30, "11", 1);
    scene.value("multiple", 40, "12", 2);
    let server = &scene.server;
    let problems = server.call("problem.get", &json!({"sortfield": "eventid"}));
    let first = problems[0]["eventid"].as_str().unwrap();
    server.call("event.acknowledge", &json!({"eventids": [first], "action": 1}));
    wait_until("the event", LIMIT, || {
        server.call("event.get", &json!({"countOutput": true})) == json!("3")
    });
    // The user who closed it is shown at the event that ended it, and the severity at problems
    // only.
    let output = json!({"output": ["userid", "severity", "value"], "sortfield": "eventid"});
    let events = server.call("event.get", &output);
    let shown = |it: &Value| json!([it["value"], it["userid"], it["severity"]]);
    let shown: Vec<Value> = events.as_array().unwrap().iter().map(shown).collect();
    assert_eq!(shown, [json!(["1", "0", "4"]), json!(["1", "0", "4"]), json!(["0", "1", "0"])]);
    let recent = json!({"recent": true, "output": ["userid"], "sortfield": "eventid"});
    assert_eq!(server.call("problem.get", &recent)[0]["userid"], "1");
    assert!(server.is_problem(&scene.multiple), "the second one is open");
    scene.server.kill();
    scene.server.start_again();
    assert!(scene.server.is_problem(&scene.multiple));
}

#[test]
fn events_outlive_their_trigger_and_host() {
    let scene = scene();
    scene.value("single", 10, "11", 1);
    scene.value("single", 20, "1", 2);
    scene.value("multiple", 30, "11", 3);
    let server = &scene.server;
    let events = |trigger: &str| {
        let params = json!({"objectids": [trigger], "output": ["value"], "sortfield": "eventid",
            "selectHosts": ["host"], "selectRelatedObject": ["description"]});
        server.call("event.get", &params)
    };
    let before = events(&scene.single);
    assert_eq!(before[0]["relatedObject"]["description"], "single");
    server.call("trigger.delete", &json!([scene.single]));
    let values = |found: &Value| -> Vec<Value> {
        found.as_array().unwrap().iter().map(|it| it["value"].clone()).collect()
    };
    let after = events(&scene.single);
    assert_eq!(values(&after), ["1", "0"]);
    assert_eq!(after[0]["hosts"], json!([]));
    assert_eq!(after[0]["relatedObject"], json!([]));
    let host = server.call("host.get", &json!({"filter": {"host": "h"}}));
    server.call("host.delete", &json!([host[0]["hostid"]]));
    assert_eq!(values(&events(&scene.multiple)), ["1"]);
}
