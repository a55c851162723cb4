//! What low-level discovery makes of a rule's results in the running server.

use std::time::Duration;

use crate::support::peer::Counts;
use crate::support::{Server, now, wait_until};
use serde_json::json;

const DEADLINE: Duration = Duration::from_secs(30);

/// A rule that takes its results from senders, with a prototype of an item.
fn rule(server: &Server, host: &str) -> String {
    let rule = json!({"hostid": host, "name": "Disks", "key_": "disks", "type": 2});
    let rule = server.create("discoveryrule.create", &rule).remove(0);
    let prototype = json!({
        "hostid": host, "ruleid": rule, "name": "Size of {#D}", "key_": "size[{#D}]", "type": 2,
        "value_type": 3,
    });
    server.create("itemprototype.create", &prototype);
    rule
}

fn keys(server: &Server, host: &str) -> Vec<String> {
    let params = json!({"hostids": [host], "output": ["key_"], "sortfield": "key_"});
    let found = server.call("item.get", &params);
    found.as_array().unwrap().iter().map(|it| it["key_"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_could_not_be_made_is_the_error_of_the_rule() {
    let server = Server::start();
    let host = server.host("disks");
    let rule = rule(&server, &host);
    let error = || {
        let params = json!({"itemids": [rule], "output": ["state", "error"]});
        let found = server.call("discoveryrule.get", &params);
        assert_eq!(found[0]["state"], "0");
        found[0]["error"].as_str().unwrap().to_owned()
    };
    assert_eq!(error(), "");
    let twice = r#"[{"{#D}":"sda","{#T}":"ssd"},{"{#D}":"sda","{#T}":"hdd"}]"#;
    assert_eq!(server.send("disks", "disks", twice, now()), Counts(1, 0, 1));
    wait_until("the rule tells", DEADLINE, || {
        error() == "Cannot create item: item with the same key \"size[sda]\" already exists.\n"
    });
    assert_eq!(keys(&server, &host), ["size[sda]"]);
    assert_eq!(server.send("disks", "disks", r#"[{"{#D}":"sda"}]"#, now()), Counts(1, 0, 1));
    wait_until("the error ends", DEADLINE, || error().is_empty());
}

#[test]
fn results_wait_while_the_database_takes_nothing() {
    let server = Server::start();
    let host = server.host("disks");
    rule(&server, &host);
    // Tables that are gone: every write fails, as with a database that is away.
    let database = rusqlite::Connection::open(server.data().join("saker.db")).unwrap();
    database.busy_timeout(DEADLINE).unwrap();
    let rename = |from: &str, to: &str| {
        let statement = |it| format!("alter table {it}{from} rename to {it}{to};");
        database.execute_batch(&["items", "cursors"].map(statement).concat()).unwrap();
    };
    rename("", "_hidden");
    assert_eq!(server.send("disks", "disks", r#"[{"{#D}":"sda"}]"#, now()), Counts(1, 0, 1));
    wait_until("the result waits", DEADLINE, || {
        server.trouble("discovery").is_some_and(|it| it["level"] == "degraded")
    });
    assert!(keys(&server, &host).is_empty());
    rename("_hidden", "");
    wait_until("the item is made", DEADLINE, || keys(&server, &host) == ["size[sda]"]);
}
