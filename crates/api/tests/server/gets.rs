//! Parameters of get methods that few clients use.

use serde_json::{Value, json};

use crate::fake::Server;

fn of<'a>(rows: &'a Value, field: &str) -> Vec<&'a str> {
    rows.as_array().unwrap().iter().map(|it| it[field].as_str().unwrap()).collect()
}

#[test]
fn a_filter_without_values_filters_nothing() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    admin.trapper(&host, "a");
    admin.trapper(&host, "b");
    let keys = |filter: Value| {
        let params = json!({"hostids": host, "output": ["key_"], "filter": filter});
        of(&admin.call("item.get", params), "key_").join(" ")
    };
    assert_eq!(keys(json!({"key_": []})), "a b");
    assert_eq!(keys(json!({"key_": "", "itemid": []})), "a b");
    assert_eq!(keys(json!({"key_": ["b"], "name": []})), "b");
    // One empty text is a value, and hosts without a name are none.
    assert_eq!(keys(json!({"key_": [""]})), "");
    assert_eq!(keys(json!({"host": []})), "");
    let hosts = admin.call("host.get", json!({"hostids": host, "filter": {"host": [], "ip": []}}));
    assert_eq!(of(&hosts, "host"), ["h"]);
}

#[test]
fn hosts_and_templates_are_found_together() {
    let server = Server::start();
    let admin = server.login();
    let (host, template) = (admin.host("h"), admin.template("t"));
    let names = |params: Value| {
        let mut params = params;
        params["sortfield"] = json!("host");
        of(&admin.call("host.get", params), "host").join(" ")
    };
    let ids = json!([host, template]);
    assert_eq!(names(json!({"hostids": ids})), "h");
    assert_eq!(names(json!({"hostids": ids, "templated_hosts": true})), "h t");
    assert_eq!(names(json!({"hostids": ids, "templated_hosts": null})), "h");
    let filter = json!({"host": ["h", "t"]});
    assert_eq!(names(json!({"filter": filter, "templated_hosts": true})), "h t");
    assert_eq!(names(json!({"filter": filter})), "h");
    let both = json!({"hostids": ids, "templated_hosts": true, "monitored_hosts": true});
    assert_eq!(names(both), "h");
}

#[test]
fn triggers_are_found_by_their_functions() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    admin.trapper(&host, "k");
    for (name, expression) in [
        ("l", "last(/h/k)>1"),
        ("m", "max(/h/k,5m)>1 and abs(last(/h/k,#2))>1"),
        ("n", "nodata(/h/k,5m)=1"),
    ] {
        let fields = json!({"description": name, "expression": expression});
        admin.create("trigger.create", fields);
    }
    let found = |functions: Value| {
        let params = json!({"output": ["description"], "functions": functions});
        of(&admin.call("trigger.get", params), "description").join(" ")
    };
    assert_eq!(found(json!("last")), "l m");
    assert_eq!(found(json!(["max", "nodata"])), "m n");
    assert_eq!(found(json!("abs")), "");
    assert_eq!(found(json!([])), "");
    assert_eq!(found(Value::Null), "l m n");
}

#[test]
fn lists_of_http_agents_are_fields() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let fields = json!({"hostid": host, "name": "w", "key_": "w", "type": 19, "value_type": 4,
        "delay": "1h", "url": "http://localhost", "headers": [{"name": "X", "value": "1"}],
        "query_fields": [{"name": "q", "value": "1"}, {"name": "q", "value": "2"}]});
    let id = admin.create("item.create", fields);
    let found = &admin.call("item.get", json!({"itemids": id}))[0];
    assert_eq!(found["headers"], json!([{"name": "X", "value": "1"}]));
    assert_eq!(found["query_fields"][1], json!({"name": "q", "value": "2"}));
    assert_eq!(found["parameters"], json!([]));
    let params = json!({"itemids": id, "output": ["headers"]});
    let expected = json!([{"itemid": id, "headers": [{"name": "X", "value": "1"}]}]);
    assert_eq!(admin.call("item.get", params), expected);
}

#[test]
fn groups_have_an_identity() {
    let server = Server::start();
    let admin = server.login();
    for name in ["hostgroup", "templategroup"] {
        let uuid = |params: Value| {
            let rows = admin.call(&format!("{name}.get"), params);
            rows[0]["uuid"].as_str().unwrap().to_owned()
        };
        let create = format!("{name}.create");
        let (one, other) = (
            admin.create(&create, json!({"name": "1"})),
            admin.create(&create, json!({"name": "2"})),
        );
        let (one, other) = (uuid(json!({"groupids": one})), uuid(json!({"groupids": other})));
        assert_ne!(one, other);
        assert_eq!((one.len(), one.as_bytes()[12]), (32, b'4'), "{one}");
        assert!(matches!(one.as_bytes()[16], b'8' | b'9' | b'a' | b'b'), "{one}");
        // A given one is taken, those from the start are known.
        let given = "61fbb4ab91c04be8a0f0b4d3b3b1e2c1";
        let id = admin.create(&create, json!({"name": "3", "uuid": given}));
        assert_eq!(uuid(json!({"groupids": id})), given);
    }
    let linux = admin.call("hostgroup.get", json!({"groupids": "2", "output": ["uuid"]}));
    assert_eq!(linux[0]["uuid"], "dc579cd7a1a34222933f24f52a68bcd8");
}
