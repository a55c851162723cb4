//! Business services in the real server: problems of triggers become their status and events, whatever ends
//! the process.

use std::time::Duration;

use crate::support::{FLOAT, Server, now, wait_until};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

fn statuses(server: &Server) -> Value {
    let get = json!({"output": ["status"], "sortfield": "name"});
    let rows = server.call("service.get", &get);
    rows.as_array().unwrap().iter().map(|it| it["status"].clone()).collect()
}

/// Values of the events of a service, the oldest first.
fn event_values(server: &Server, service: &str) -> Value {
    let get = json!({"source": 4, "object": 6, "objectids": [service], "sortfield": "eventid",
        "output": ["value"]});
    let rows = server.call("event.get", &get);
    rows.as_array().unwrap().iter().map(|it| it["value"].clone()).collect()
}

#[test]
fn services_follow_problems_and_no_end_of_the_process_loses_or_doubles_an_event() {
    let mut server = Server::start();
    let host = server.host("h");
    server.trapper_item(&host, "k", FLOAT);
    let trigger = json!({"description": "t", "expression": "last(/h/k)>10", "priority": 4,
        "tags": [{"tag": "service", "value": "mail"}]});
    server.create("trigger.create", &trigger);
    let shop = json!({"name": "a shop", "algorithm": 2, "sortorder": 0});
    let shop = server.create("service.create", &shop).remove(0);
    let mail = json!({"name": "mail", "algorithm": 0, "sortorder": 0,
        "parents": [{"serviceid": shop}], "problem_tags": [{"tag": "service", "value": "mail"}]});
    let mail = server.create("service.create", &mail).remove(0);
    let sla = json!({"name": "gold", "period": 0, "slo": 99, "effective_date": 1, "timezone": "UTC",
        "service_tags": [{"tag": "sla"}], "status": 1});
    server.create("sla.create", &sla);
    assert_eq!(statuses(&server), json!(["-1", "-1"]));

    let mut values = Vec::new();
    for (is_orderly, round) in [(true, 0), (false, 1), (true, 2), (false, 3)] {
        let (value, status) = if round % 2 == 0 { ("11", "4") } else { ("9", "-1") };
        server.send("h", "k", value, now());
        values.push(if round % 2 == 0 { "1" } else { "0" });
        wait_until("the status", LIMIT, || statuses(&server) == json!([status, status]));
        wait_until("the event", LIMIT, || event_values(&server, &shop) == json!(values));
        if is_orderly {
            server.stop();
        } else {
            server.kill();
        }
        server.start_again();
        wait_until("the status", LIMIT, || statuses(&server) == json!([status, status]));
        for service in [&shop, &mail] {
            assert_eq!(event_values(&server, service), json!(values), "orderly: {is_orderly}");
        }
    }
    // A kill at once leaves it to the next start.
    server.send("h", "k", "12", now());
    server.kill();
    server.start_again();
    values.push("1");
    wait_until("the event", LIMIT, || event_values(&server, &mail) == json!(values));
    wait_until("the event", LIMIT, || event_values(&server, &shop) == json!(values));
    let open = json!({"source": 4, "object": 6, "countOutput": true});
    assert_eq!(server.call("problem.get", &open), json!("2"));
    let timeline = json!({"serviceids": [mail], "output": [],
        "selectStatusTimeline": [{"period_from": 0, "period_to": 2_000_000_000}]});
    let rows = server.call("service.get", &timeline);
    let alarms = rows[0]["status_timeline"][0]["alarms"].as_array().unwrap().clone();
    let changes: Vec<&Value> = alarms.iter().map(|it| &it["value"]).collect();
    assert_eq!(json!(changes), json!(["4", "-1", "4", "-1", "4"]));
}
