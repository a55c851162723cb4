//! Objects that low-level discovery creates from a rule's results in the running server.

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
fn failed_creation_is_the_error_of_the_rule() {
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
    wait_until("the rule has the error", DEADLINE, || {
        error() == "Cannot create item \"size[sda]\": item with the same key already exists.\n"
    });
    assert_eq!(keys(&server, &host), ["size[sda]"]);
    assert_eq!(server.send("disks", "disks", r#"[{"{#D}":"sda"}]"#, now()), Counts(1, 0, 1));
    wait_until("the error ends", DEADLINE, || error().is_empty());
}

#[test]
fn discovery_results_wait_for_the_database() {
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
        server.health_issue("discovery").is_some_and(|it| it["level"] == "degraded")
    });
    assert!(keys(&server, &host).is_empty());
    rename("_hidden", "");
    wait_until("the item is made", DEADLINE, || keys(&server, &host) == ["size[sda]"]);
}

#[test]
fn discovered_machines_become_monitored_hosts() {
    let server = Server::start();
    let groups = server.call("templategroup.get", &json!({"output": ["groupid"], "limit": 1}));
    let template = json!({"host": "Machine", "groups": [{"groupid": groups[0]["groupid"]}]});
    let template = server.create("template.create", &template).remove(0);
    let item = json!({
        "hostid": template, "name": "Load", "key_": "load", "type": 2, "value_type": 0,
    });
    server.create("item.create", &item);
    server.create(
        "trigger.create",
        &json!({"description": "Busy on {HOST.NAME}", "expression": "last(/Machine/load)>{$BUSY}"}),
    );
    let host = server.host("hypervisor");
    let rule = json!({
        "hostid": host, "name": "Machines", "key_": "machines", "type": 2, "lifetime_type": 1,
        "enabled_lifetime_type": 2,
        "overrides": [{"name": "tests", "step": 1,
            "filter": {"evaltype": 0, "conditions": [{"macro": "{#ROLE}", "operator": 8, "value": "test"}]},
            "operations": [{"operationobject": 3, "operator": 2, "value": "vm-",
                "opdiscover": {"discover": 1}}]}],
    });
    let rule = server.create("discoveryrule.create", &rule).remove(0);
    let groups = server.call("hostgroup.get", &json!({"output": ["groupid"], "limit": 1}));
    let prototype = json!({
        "ruleid": rule, "host": "vm-{#ID}", "name": "Machine {#NAME}",
        "groupLinks": [{"groupid": groups[0]["groupid"]}],
        "groupPrototypes": [{"name": "Cluster {#CLUSTER}"}],
        "templates": [{"templateid": template}],
        "macros": [{"macro": "{$BUSY}", "value": "{#BUSY}"}],
        "tags": [{"tag": "cluster", "value": "{#CLUSTER}"}],
    });
    let prototype = server.create("hostprototype.create", &prototype).remove(0);
    let rows = json!([
        {"{#ID}": "1", "{#NAME}": "web", "{#CLUSTER}": "A", "{#BUSY}": "5", "{#ROLE}": "live"},
        {"{#ID}": "2", "{#NAME}": "try", "{#CLUSTER}": "B", "{#BUSY}": "5", "{#ROLE}": "test"},
    ]);
    let found = server.send("hypervisor", "machines", &rows.to_string(), now());
    assert_eq!(found, Counts(1, 0, 1));
    let machine = json!({
        "filter": {"host": ["vm-1", "vm-2"]}, "output": ["host", "name", "flags"],
        "selectHostGroups": ["name", "flags"], "selectHostDiscovery": ["parent_hostid", "status"],
    });
    let machines = || server.call("host.get", &machine);
    wait_until("the host is made", DEADLINE, || machines().as_array().unwrap().len() == 1);
    let made = machines()[0].clone();
    assert_eq!(
        (&made["host"], &made["name"], &made["flags"]),
        (&json!("vm-1"), &json!("Machine web"), &json!("4"))
    );
    assert_eq!(made["hostDiscovery"], json!({"parent_hostid": prototype, "status": "0"}));
    let clusters: Vec<&serde_json::Value> =
        made["hostgroups"].as_array().unwrap().iter().filter(|it| it["flags"] == "4").collect();
    assert_eq!(clusters.iter().map(|it| &it["name"]).collect::<Vec<_>>(), ["Cluster A"]);
    // The template's items take values and its triggers evaluate them, by the macro of the row.
    wait_until("its values come", DEADLINE, || {
        server.send("vm-1", "load", "7", now()) == Counts(1, 0, 1)
    });
    let problems = || {
        let params = json!({"hostids": [made["hostid"]], "output": ["name"]});
        server.call("problem.get", &params)
    };
    wait_until("the problem is there", DEADLINE, || problems().as_array().unwrap().len() == 1);
    assert_eq!(problems()[0]["name"], "Busy on Machine web");
    // A machine that is gone is disabled; one that is back is watched again.
    let status = || {
        let params = json!({"hostids": [made["hostid"]], "output": ["status"]});
        server.call("host.get", &params)[0]["status"].clone()
    };
    assert_eq!(server.send("hypervisor", "machines", "[]", now()), Counts(1, 0, 1));
    wait_until("the host is disabled", DEADLINE, || status() == "1");
    assert_eq!(server.send("hypervisor", "machines", &rows.to_string(), now()), Counts(1, 0, 1));
    wait_until("the host is watched again", DEADLINE, || status() == "0");
    // With the prototype its hosts and groups go.
    server.call("hostprototype.delete", &json!([prototype]));
    assert_eq!(machines(), json!([]));
    let groups = json!({"filter": {"name": "Cluster A"}, "output": ["groupid"]});
    assert_eq!(server.call("hostgroup.get", &groups), json!([]));
}

/// A rule of databases with a prototype of a rule of the type *Nested* for their tablespaces, and
/// in that one another one for tables. Lost objects are deleted at once.
fn nested_rules(server: &Server, host: &str) {
    let rule = |method: &str, more: serde_json::Value| {
        let mut fields = json!({"hostid": host, "lifetime_type": 2, "enabled_lifetime_type": 2});
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.create(method, &fields).remove(0)
    };
    let part = |path: &str| json!([{"type": 12, "params": path, "error_handler": 0}]);
    let databases = rule(
        "discoveryrule.create",
        json!({"name": "Databases", "key_": "db", "type": 2,
            "lld_macro_paths": [{"lld_macro": "{#DB}", "path": "$.database"}]}),
    );
    let spaces = rule(
        "discoveryruleprototype.create",
        json!({"ruleid": databases, "name": "Tablespaces of {#DB}", "key_": "ts[{#DB}]", "type": 23,
            "preprocessing": part("$.spaces"),
            "lld_macro_paths": [{"lld_macro": "{#TS}", "path": "$.name"}]}),
    );
    let tables = rule(
        "discoveryruleprototype.create",
        json!({"ruleid": spaces, "name": "Tables of {#TS}", "key_": "tables[{#DB},{#TS}]", "type": 23,
            "preprocessing": part("$.tables"),
            "lld_macro_paths": [{"lld_macro": "{#TABLE}", "path": "$.id"}]}),
    );
    for (rule, key) in [(spaces, "size[{#DB},{#TS}]"), (tables, "rows[{#DB},{#TS},{#TABLE}]")] {
        let prototype =
            json!({"ruleid": rule, "name": key, "key_": key, "type": 2, "value_type": 3});
        server.create("itemprototype.create", &prototype);
    }
}

#[test]
fn rules_that_rules_make_find_rows_within_the_rows_around() {
    let server = Server::start();
    let host = server.host("databases");
    nested_rules(&server, &host);
    let send = |rows: &serde_json::Value| {
        assert_eq!(server.send("databases", "db", &rows.to_string(), now()), Counts(1, 0, 1));
    };
    let both = json!([
        {"database": "db1", "spaces": [
            {"name": "a", "tables": [{"id": "t1"}, {"id": "t2"}]}, {"name": "b", "tables": []}]},
        {"database": "db2", "spaces": [{"name": "a", "tables": [{"id": "t1"}]}]},
    ]);
    send(&both);
    let all = [
        "rows[db1,a,t1]",
        "rows[db1,a,t2]",
        "rows[db2,a,t1]",
        "size[db1,a]",
        "size[db1,b]",
        "size[db2,a]",
    ];
    wait_until("all is found", DEADLINE, || keys(&server, &host) == all);
    let rules = || {
        let params = json!({"hostids": [host], "filter": {"flags": "5"}, "sortfield": "key_",
            "output": ["key_", "state", "error"], "selectDiscoveryRule": ["key_"],
            "selectDiscoveryData": ["status"]});
        server.call("discoveryrule.get", &params)
    };
    let made = rules();
    let of = |it: &serde_json::Value| {
        assert_eq!((&it["state"], &it["error"]), (&json!("0"), &json!("")));
        assert_eq!(it["discoveryData"]["status"], "0");
        format!(
            "{} by {}",
            it["key_"].as_str().unwrap(),
            it["discoveryRule"]["key_"].as_str().unwrap()
        )
    };
    assert_eq!(
        made.as_array().unwrap().iter().map(of).collect::<Vec<_>>(),
        [
            "tables[db1,a] by ts[db1]",
            "tables[db1,b] by ts[db1]",
            "tables[db2,a] by ts[db2]",
            "ts[db1] by db",
            "ts[db2] by db",
        ]
    );
    // They take values like any other.
    wait_until("values come", DEADLINE, || {
        server.send("databases", "rows[db1,a,t2]", "5", now()) == Counts(1, 0, 1)
    });
    // Objects that are missing from a row are deleted, and with a row all objects within it.
    send(&json!([{"database": "db1", "spaces": [{"name": "a", "tables": [{"id": "t2"}]}]}]));
    wait_until("what is gone goes", DEADLINE, || {
        keys(&server, &host) == ["rows[db1,a,t2]", "size[db1,a]"]
    });
    // A row without tablespaces is the error of its rule; its discovered objects stay.
    send(&json!([{"database": "db1"}]));
    wait_until("the rule has the error", DEADLINE, || {
        let rules = rules();
        let rule = rules.as_array().unwrap().iter().find(|it| it["key_"] == "ts[db1]").unwrap();
        rule["state"] == "1" && rule["error"].as_str().unwrap().contains("$.spaces")
    });
    assert_eq!(keys(&server, &host), ["rows[db1,a,t2]", "size[db1,a]"]);
    send(&both);
    wait_until("all is found again", DEADLINE, || keys(&server, &host) == all);
    wait_until("the error ends", DEADLINE, || {
        rules().as_array().unwrap().iter().all(|it| it["state"] == "0")
    });
}
