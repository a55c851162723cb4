//! Which services a role lets people read and change: none, all, by id or by tag, with those below.

use serde_json::{Value, json};

use crate::fake::Server;
use crate::rights::restricted;

/// The rules for reading and for writing, the readable services, and the writable ones.
type Case = (Value, Value, &'static [&'static str], &'static [&'static str]);

/// Of a shop with a cart below it, and of mail.
fn cases(shop: &str, cart: &str, mail: &str) -> Vec<Case> {
    let read = |it: &str, mode: u8, list: Value, tag: Value| {
        json!({(format!("services.{it}.mode")): mode, (format!("services.{it}.list")): list,
            (format!("services.{it}.tag")): tag})
    };
    let (none, no_tag) = (json!([]), json!({"tag": "", "value": ""}));
    let tag = |value: &str| json!({"tag": "team", "value": value});
    let all: &'static [&'static str] = &["Cart", "Mail", "Shop"];
    vec![
        (
            read("read", 1, none.clone(), no_tag.clone()),
            json!({"services.write.mode": 0}),
            all,
            &[],
        ),
        (
            read("read", 0, none.clone(), no_tag.clone()),
            json!({"services.write.mode": 0}),
            &[],
            &[],
        ),
        (
            read("read", 0, json!([{"serviceid": cart}]), no_tag.clone()),
            read("write", 0, none.clone(), no_tag.clone()),
            &["Cart"],
            &[],
        ),
        // Services below are included, by tag as by id; an empty value matches any.
        (
            read("read", 0, none.clone(), tag("web")),
            read("write", 0, none.clone(), no_tag.clone()),
            &["Cart", "Shop"],
            &[],
        ),
        (
            read("read", 0, none.clone(), tag("")),
            read("write", 0, none.clone(), no_tag.clone()),
            all,
            &[],
        ),
        // Writable services are readable.
        (
            read("read", 0, none.clone(), no_tag.clone()),
            read("write", 0, none.clone(), tag("post")),
            &["Mail"],
            &["Mail"],
        ),
        (
            read("read", 0, json!([{"serviceid": mail}]), no_tag.clone()),
            read("write", 0, json!([{"serviceid": shop}]), no_tag.clone()),
            all,
            &["Cart", "Shop"],
        ),
        (read("read", 0, none.clone(), no_tag.clone()), read("write", 1, none, no_tag), all, all),
    ]
}

#[test]
fn services_are_read_and_written_as_rules_say() {
    let server = Server::start();
    let admin = server.login();
    let make = |name: &str, parent: Option<&str>, tags: Value| {
        let parents: Vec<Value> = parent.iter().map(|it| json!({"serviceid": it})).collect();
        let service =
            json!({"name": name, "algorithm": 1, "sortorder": 0, "parents": parents, "tags": tags});
        admin.create("service.create", service)
    };
    let shop = make("Shop", None, json!([{"tag": "team", "value": "web"}]));
    let cart = make("Cart", Some(&shop), json!([]));
    let mail = make("Mail", None, json!([{"tag": "team", "value": "post"}]));
    let bob = restricted(&server, &admin, 1, json!({}));
    let roles = json!({"filter": {"name": "restricted"}, "output": ["roleid"]});
    let role = admin.call("role.get", roles)[0]["roleid"].clone();
    let names = [(&shop, "Shop"), (&cart, "Cart"), (&mail, "Mail")];
    for (reads, writes, readable, writable) in cases(&shop, &cart, &mail) {
        let mut rules = reads;
        rules.as_object_mut().unwrap().extend(writes.as_object().unwrap().clone());
        admin.call("role.update", json!({"roleid": role, "rules": rules}));
        let found = bob.call("service.get", json!({"output": ["name"], "sortfield": "name"}));
        let found: Vec<&str> =
            found.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(found, readable, "{rules}");
        for (id, name) in names {
            let update = json!({"serviceid": id, "description": format!("of {name}")});
            let answer = server.call_as(Some(&bob.id), "service.update", update);
            assert_eq!(
                answer["result"].is_object(),
                writable.contains(&name),
                "{name} by {rules}: {answer}"
            );
        }
    }
}
