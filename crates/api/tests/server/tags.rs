//! Objects are found by their tags, discovered ones by their own tags, not by those of their prototypes.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

/// A template with a rule that finds devices, linked to a host; two devices are found.
fn discovered(server: &Server, admin: &Session<'_>) -> String {
    let template = admin.template("t");
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": template, "name": "Devices", "key_": "devices", "type": 2, "overrides": [
            {"name": "b", "step": 1, "filter": {"evaltype": 0, "conditions": [
                {"macro": "{#DEV}", "value": "^sdb$"}]},
            "operations": [{"operationobject": 0, "operator": 2, "value": "",
                "optag": [{"tag": "slow", "value": "{#SIZE}"}]}]}]}),
    );
    for (key, tags) in [
        ("reads", json!([{"tag": "dev", "value": "{#DEV}"}, {"tag": "part", "value": "disk"}])),
        ("{#DEV}", json!([{"tag": "on-{#DEV}", "value": "size {#SIZE}"}])),
    ] {
        admin.create(
            "itemprototype.create",
            json!({"hostid": template, "ruleid": rule, "name": format!("{key} of {{#DEV}}"),
                "key_": format!("{}[{{#DEV}}]", if key == "reads" { key } else { "x" }),
                "type": 2, "value_type": 3, "tags": tags}),
        );
    }
    admin.create(
        "triggerprototype.create",
        json!({"description": "{#DEV} is busy", "expression": "last(/t/reads[{#DEV}])>0",
            "tags": [{"tag": "dev", "value": "{#DEV}"}, {"tag": "scope", "value": "load"}]}),
    );
    let host = admin.host("h");
    admin.call("host.update", json!({"hostid": host, "templates": [{"templateid": template}]}));
    let params = json!({"hostids": host, "output": ["itemid"]});
    let rule = admin.call("discoveryrule.get", params)[0]["itemid"].as_str().unwrap().to_owned();
    let rows = json!([{"{#DEV}": "sda", "{#SIZE}": "10"}, {"{#DEV}": "sdb", "{#SIZE}": "20"}]);
    let ruleid = rule.parse::<u64>().unwrap().into();
    server.db.apply_lld(ruleid, &rows.to_string(), server.now()).unwrap();
    host
}

fn names(list: &Value, field: &str) -> Vec<String> {
    let mut names: Vec<String> =
        list.as_array().unwrap().iter().map(|it| it[field].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn discovered_items_are_found_by_the_tags_that_they_have() {
    let server = Server::start();
    let admin = server.login();
    let host = discovered(&server, &admin);
    let (a, b) = ("reads of sda", "reads of sdb");
    let (xa, xb) = ("sda of sda", "sdb of sdb");
    for (tags, evaltype, expected) in [
        (json!([{"tag": "dev", "value": "sda", "operator": 1}]), 0, vec![a]),
        (json!([{"tag": "dev", "value": "SD"}]), 0, vec![a, b]),
        (json!([{"tag": "dev", "value": "{#DEV}"}]), 0, vec![]),
        (json!([{"tag": "dev", "value": "sda", "operator": 2}]), 0, vec![b, xa, xb]),
        (json!([{"tag": "dev", "value": "sda", "operator": 3}]), 0, vec![b, xa, xb]),
        (json!([{"tag": "dev", "operator": 4}]), 0, vec![a, b]),
        (json!([{"tag": "dev", "operator": 5}]), 0, vec![xa, xb]),
        (json!([{"tag": "part", "value": "disk", "operator": 1}]), 0, vec![a, b]),
        (json!([{"tag": "on-sdb", "operator": 4}]), 0, vec![xb]),
        (json!([{"tag": "on-sdb", "value": "size 20", "operator": 1}]), 0, vec![xb]),
        (json!([{"tag": "on-{#DEV}", "operator": 4}]), 0, vec![]),
        (json!([{"tag": "slow", "value": "20", "operator": 1}]), 0, vec![b, xb]),
        (json!([{"tag": "dev", "value": "sda"}, {"tag": "dev", "value": "sdb"}]), 0, vec![a, b]),
        (json!([{"tag": "dev", "value": "sda"}, {"tag": "slow", "operator": 4}]), 0, vec![]),
        (
            json!([{"tag": "dev", "value": "sda"}, {"tag": "slow", "operator": 4}]),
            2,
            vec![a, b, xb],
        ),
    ] {
        let params = json!({"hostids": host, "tags": tags, "evaltype": evaltype,
            "output": ["name"]});
        assert_eq!(names(&admin.call("item.get", params.clone()), "name"), expected, "{params}");
    }
    // Objects found by tag return the tag.
    let params = json!({"tags": [{"tag": "on-sda", "operator": 4}], "output": [],
        "selectTags": "extend"});
    let expected = json!([{"tag": "on-sda", "value": "size 10"}]);
    assert_eq!(admin.call("item.get", params)[0]["tags"], expected);
    let latest = server.get(
        &format!("/api/v1/latest?hostids={host}"),
        &[("Authorization", &format!("Bearer {}", admin.id))],
    );
    let tags = latest.json()["items"]["tags"]["dict"].clone();
    let expected = json!([["dev", "sda"], ["part", "disk"]]);
    assert!(tags.as_array().unwrap().contains(&expected), "{tags}");
}

#[test]
fn discovered_triggers_are_found_by_the_tags_that_they_have() {
    let server = Server::start();
    let admin = server.login();
    let host = discovered(&server, &admin);
    for (tags, evaltype, expected) in [
        (json!([{"tag": "dev", "value": "sda", "operator": 1}]), 0, vec!["sda is busy"]),
        (json!([{"tag": "dev", "value": "{#DEV}", "operator": 1}]), 0, vec![]),
        (json!([{"tag": "dev", "value": "sda", "operator": 3}]), 0, vec!["sdb is busy"]),
        (
            json!([{"tag": "dev", "value": "sdb"}, {"tag": "scope", "value": "load"}]),
            0,
            vec!["sdb is busy"],
        ),
        (
            json!([{"tag": "dev", "value": "sdb"}, {"tag": "scope", "value": "load"}]),
            2,
            vec!["sda is busy", "sdb is busy"],
        ),
    ] {
        let params = json!({"hostids": host, "tags": tags, "evaltype": evaltype,
            "output": ["description"]});
        let found = admin.call("trigger.get", params.clone());
        assert_eq!(names(&found, "description"), expected, "{params}");
    }
}

/// Prototypes have the tags that are written, on hosts and templates.
#[test]
fn prototypes_are_found_by_the_text_of_their_tags() {
    let server = Server::start();
    let admin = server.login();
    let host = discovered(&server, &admin);
    // `triggerprototype.get` does not know `tags`.
    for (method, value, expected) in [
        ("itemprototype.get", "{#DEV}", 1),
        ("itemprototype.get", "sda", 0),
        ("triggerprototype.get", "{#DEV}", 1),
        ("triggerprototype.get", "sda", 1),
    ] {
        let params =
            json!({"hostids": host, "tags": [{"tag": "dev", "value": value, "operator": 1}]});
        let found = admin.call(method, params);
        assert_eq!(found.as_array().unwrap().len(), expected, "{method} {value}: {found}");
    }
}
