//! Hosts in maintenance: their problems and values that a sender brings, over restarts and kills.

use std::time::Duration;

use crate::support::{FLOAT, Server, now, wait_until};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

fn n_suppressed(server: &Server, is: bool) -> Value {
    server.call("problem.get", &json!({"countOutput": true, "suppressed": is}))
}

#[test]
fn problems_are_suppressed_while_it_lasts_whatever_becomes_of_the_process() {
    let mut server = Server::start();
    let host = server.host("h");
    for key in ["before", "meanwhile"] {
        server.trapper_item(&host, key, FLOAT);
        let params = json!({"description": key, "expression": format!("last(/h/{key})>10"),
            "priority": 4});
        server.create("trigger.create", &params);
    }
    server.send("h", "before", "11", now());
    wait_until("the problem", LIMIT, || n_suppressed(&server, false) == json!("1"));
    let start = now() - 120;
    let params = json!({"name": "m", "active_since": start, "active_till": start + 86_400,
        "hosts": [{"hostid": host}], "timeperiods": [{"start_date": start, "period": 43_200}]});
    let id = server.create("maintenance.create", &params).remove(0);
    wait_until("its suppression", LIMIT, || n_suppressed(&server, true) == json!("1"));
    server.send("h", "meanwhile", "11", now());
    wait_until("the second problem", LIMIT, || n_suppressed(&server, true) == json!("2"));
    for is_orderly in [true, false] {
        if is_orderly {
            server.stop();
        } else {
            server.kill();
        }
        server.start_again();
        // At the first answer, not some time later.
        assert_eq!(n_suppressed(&server, false), json!("0"), "orderly: {is_orderly}");
        assert_eq!(n_suppressed(&server, true), json!("2"), "orderly: {is_orderly}");
    }
    let fields = json!({"hostids": [host], "output": ["maintenance_status", "maintenanceid"]});
    let shown = server.call("host.get", &fields);
    assert_eq!(shown, json!([{"hostid": host, "maintenance_status": "1", "maintenanceid": id}]));
    server.call("maintenance.delete", &json!([id]));
    wait_until("its end", LIMIT, || n_suppressed(&server, false) == json!("2"));
}

#[test]
fn without_data_collection_values_are_dropped_whatever_becomes_of_the_process() {
    let mut server = Server::start();
    let host = server.host("h");
    let item = server.trapper_item(&host, "k", FLOAT);
    let zabbix = json!({"hostid": host, "name": "m", "key_": "zabbix[host,,maintenance]", "type": 5,
        "value_type": 3, "delay": "1s"});
    let shown = server.create("item.create", &zabbix).remove(0);
    let last_of = |server: &Server, item: &str| {
        server.call("item.get", &json!({"itemids": [item], "output": ["lastvalue"]}))[0]
            ["lastvalue"]
            .clone()
    };
    server.send("h", "k", "1", now());
    wait_until("a value", LIMIT, || last_of(&server, &item) == json!("1"));
    let start = now() - 120;
    let params = json!({"name": "m", "maintenance_type": 1, "active_since": start,
        "active_till": start + 86_400, "hosts": [{"hostid": host}],
        "timeperiods": [{"start_date": start, "period": 43_200}]});
    let id = server.create("maintenance.create", &params).remove(0);
    wait_until("its beginning", LIMIT, || last_of(&server, &shown) == json!("2"));
    let dropped = |server: &Server| server.metric("saker_shard_in_maintenance_total");
    // The shards get the maintenance a moment after the pollers.
    wait_until("the first value that is dropped", LIMIT, || {
        server.send("h", "k", "1", now());
        dropped(&server) != 0
    });
    for is_orderly in [true, false] {
        if is_orderly {
            server.stop();
        } else {
            server.kill();
        }
        server.start_again();
        // The very first value after the start.
        server.send("h", "k", "2", now());
        assert_eq!(dropped(&server), 1, "orderly: {is_orderly}");
        assert_eq!(last_of(&server, &item), json!("1"), "orderly: {is_orderly}");
    }
    server.call("maintenance.delete", &json!([id]));
    wait_until("its end", LIMIT, || last_of(&server, &shown) == json!("0"));
    wait_until("values count again", LIMIT, || {
        server.send("h", "k", "3", now());
        last_of(&server, &item) == json!("3")
    });
    let history = json!({"itemids": [item], "history": 0, "output": "extend"});
    let history = server.call("history.get", &history);
    let values: Vec<_> =
        history.as_array().expect("values").iter().map(|it| it["value"].clone()).collect();
    assert!(!values.contains(&json!("2")), "{values:?}");
}
