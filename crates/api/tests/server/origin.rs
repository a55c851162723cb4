//! Where inherited and discovered objects come from.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn origin(session: &Session<'_>, query: &str) -> Value {
    let bearer = format!("Bearer {}", session.id);
    let path = format!("/api/v1/origin?{query}");
    session.server.get(&path, &[("Authorization", &bearer)]).json()
}

fn id_of(session: &Session<'_>, method: &str, holder: &str, id: &str) -> String {
    let found = session.call(method, json!({"hostids": holder, "output": [id]}));
    found[0][id].as_str().unwrap_or_else(|| panic!("{method}: {found}")).to_owned()
}

#[test]
fn origins_of_inherited_and_discovered_objects_are_returned() {
    let server = Server::start();
    let admin = server.login();
    let (base, top) = (admin.template("Base"), admin.template("Top"));
    let item = admin.trapper(&base, "k");
    let trigger = admin
        .create("trigger.create", json!({"description": "t", "expression": "last(/Base/k)>0"}));
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": base, "name": "Disks", "key_": "r", "type": 2}),
    );
    let prototype = admin.create(
        "itemprototype.create",
        json!({"hostid": base, "ruleid": rule, "name": "p", "key_": "p[{#D}]", "type": 2,
            "value_type": 3}),
    );
    admin.create(
        "triggerprototype.create",
        json!({"description": "tp {#D}", "expression": "last(/Base/p[{#D}])>0"}),
    );
    admin.call("template.update", json!({"templateid": top, "templates": {"templateid": base}}));
    let host = admin.host("h");
    admin.call("host.update", json!({"hostid": host, "templates": {"templateid": top}}));
    let place = |name: &str, kind: &str, holder: &str, method: &str, id: &str, ruled: bool| {
        let rule = id_of(&admin, "discoveryrule.get", holder, "itemid");
        json!({"templateid": holder, "name": name, "kind": kind,
            "id": id_of(&admin, method, holder, id),
            "ruleid": if ruled { rule } else { "0".to_owned() }})
    };
    for (method, id, kind, is_ruled) in [
        ("item.get", "itemid", "item", false),
        ("discoveryrule.get", "itemid", "rule", false),
        ("itemprototype.get", "itemid", "item_prototype", true),
        ("trigger.get", "triggerid", "trigger", false),
        ("triggerprototype.get", "triggerid", "trigger_prototype", true),
    ] {
        let found = origin(&admin, &format!("{id}={}", id_of(&admin, method, &host, id)));
        let expected = [
            place("Top", kind, &top, method, id, is_ruled),
            place("Base", kind, &base, method, id, is_ruled),
        ];
        assert_eq!(found, json!({"templates": expected, "discovered_by": null}), "{method}");
    }
    // An object of the template itself has no origin.
    let own = json!({"templates": [], "discovered_by": null});
    assert_eq!(origin(&admin, &format!("itemid={item}")), own);
    assert_eq!(origin(&admin, &format!("triggerid={trigger}")), own);
    assert_eq!(origin(&admin, &format!("itemid={prototype}")), own);

    let rule = id_of(&admin, "discoveryrule.get", &host, "itemid");
    let ruleid = rule.parse::<u64>().unwrap().into();
    server.db.apply_lld(ruleid, "[{\"{#D}\":\"a\"}]", server.now()).unwrap();
    for (method, prototypes, id) in [
        ("item.get", "itemprototype.get", "itemid"),
        ("trigger.get", "triggerprototype.get", "triggerid"),
    ] {
        let params = json!({"hostids": host, "filter": {"flags": 4}, "output": [id]});
        let found = admin.call(method, params);
        let found = origin(&admin, &format!("{id}={}", found[0][id].as_str().unwrap()));
        let prototype = id_of(&admin, prototypes, &host, id);
        let expected = json!({"templates": [], "discovered_by":
            {"ruleid": rule, "name": "Disks", "prototypeid": prototype}});
        assert_eq!(found, expected, "{method}");
    }
}

#[test]
fn hidden_templates_are_left_out_of_the_origin() {
    let server = Server::start();
    let admin = server.login();
    let template = admin.template("Hidden");
    admin.trapper(&template, "k");
    let host = admin.host("h");
    admin.call("host.update", json!({"hostid": host, "templates": {"templateid": template}}));
    let group = admin.create(
        "usergroup.create",
        json!({"name": "Readers", "hostgroup_rights": [{"id": "2", "permission": 2}]}),
    );
    let user = json!({"username": "reader", "passwd": "a long one 4 all", "roleid": "1",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let reader = server.login_as("reader", "a long one 4 all");
    let item = id_of(&reader, "item.get", &host, "itemid");
    let found = origin(&reader, &format!("itemid={item}"));
    let hidden = json!({"templateid": "0", "name": "", "kind": "item", "id": "0", "ruleid": "0"});
    assert_eq!(found["templates"], json!([hidden]));
    // For objects that the user may not see not even that.
    let other = admin.create("hostgroup.create", json!({"name": "Other"}));
    admin.call("host.update", json!({"hostid": host, "groups": [{"groupid": other}]}));
    let found = origin(&reader, &format!("itemid={item}"));
    assert_eq!(found["templates"], Value::Null, "{found}");
}
