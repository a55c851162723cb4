//! Changes of the configuration are live when the API has answered, and survive a restart.

use crate::support::peer::Counts;
use crate::support::{FLOAT, Server, TEXT, now};
use serde_json::json;

const TAKEN: Counts = Counts(1, 0, 1);
const REFUSED: Counts = Counts(0, 1, 1);

#[test]
fn new_item_takes_the_value_that_follows_its_creation() {
    let server = Server::start();
    let host = server.host("live");
    for number in 0..20 {
        let key = format!("item[{number}]");
        assert_eq!(server.send("live", &key, "1", now()), REFUSED, "{key} does not exist yet");
        let item = server.trapper_item(&host, &key, FLOAT);
        assert_eq!(server.send("live", &key, "7", now()), TAKEN, "{key}");
        assert_eq!(server.last(&item).as_deref(), Some("7"), "{key}");
    }
}

#[test]
fn disabled_renamed_and_deleted_parts_take_values_no_more() {
    let server = Server::start();
    let host = server.host("moving");
    let item = server.trapper_item(&host, "one", FLOAT);
    assert_eq!(server.send("moving", "one", "1", now()), TAKEN);

    server.call("item.update", &json!({"itemid": item, "key_": "two"}));
    assert_eq!(server.send("moving", "one", "2", now()), REFUSED);
    assert_eq!(server.send("moving", "two", "3", now()), TAKEN);

    server.call("item.update", &json!({"itemid": item, "status": 1}));
    assert_eq!(server.send("moving", "two", "4", now()), REFUSED);
    server.call("item.update", &json!({"itemid": item, "status": 0}));
    assert_eq!(server.send("moving", "two", "5", now()), TAKEN);

    server.call("host.update", &json!({"hostid": host, "host": "moved"}));
    assert_eq!(server.send("moving", "two", "6", now()), REFUSED);
    assert_eq!(server.send("moved", "two", "7", now()), TAKEN);
    assert_eq!(server.last(&item).as_deref(), Some("7"));

    server.call("host.update", &json!({"hostid": host, "status": 1}));
    assert_eq!(server.send("moved", "two", "8", now()), REFUSED);
    server.call("host.update", &json!({"hostid": host, "status": 0}));
    server.call("item.delete", &json!([item]));
    assert_eq!(server.send("moved", "two", "9", now()), REFUSED);
}

#[test]
fn trigger_made_live_fires_on_the_next_value() {
    let server = Server::start();
    let host = server.host("watched");
    server.trapper_item(&host, "load", FLOAT);
    server.send("watched", "load", "5", now() - 1);
    let trigger = server.trigger("high", "last(/watched/load)>10");
    assert!(!server.is_problem(&trigger));
    assert_eq!(server.send("watched", "load", "11", now()), TAKEN);
    crate::support::wait_until("the new trigger fires", std::time::Duration::from_secs(30), || {
        server.is_problem(&trigger)
    });
}

#[test]
fn configuration_last_values_and_states_survive_a_restart() {
    let mut server = Server::start();
    let host = server.host("kept");
    let load = server.trapper_item(&host, "load", FLOAT);
    let note = server.trapper_item(&host, "note", TEXT);
    let trigger = server.trigger("high", "last(/kept/load)>10");
    server.send("kept", "load", "12", now());
    server.send("kept", "note", "hello", now());
    for is_orderly in [true, false] {
        if is_orderly {
            server.stop();
        } else {
            server.kill();
        }
        server.start_again();
        assert_eq!(server.last(&load).as_deref(), Some("12"), "{is_orderly}");
        assert_eq!(server.last(&note).as_deref(), Some("hello"), "{is_orderly}");
        assert!(server.is_problem(&trigger), "{is_orderly}");
    }
    assert_eq!(server.send("kept", "load", "1", now()), TAKEN);
    crate::support::wait_until("the problem ends", std::time::Duration::from_secs(30), || {
        !server.is_problem(&trigger)
    });
}
