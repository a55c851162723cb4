//! Answers of `select…` parameters: whole objects, as models of clients demand them.

use serde_json::{Value, json};

use crate::fake::Server;

fn names(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn macros_of_hosts_and_templates_name_their_holder() {
    let server = Server::start();
    let admin = server.login();
    let template = admin.template("t");
    let host = admin.create(
        "host.create",
        json!({"host": "h", "groups": {"groupid": "2"}, "templates": {"templateid": template},
            "macros": [{"macro": "{$A}", "value": "1", "description": "d"},
                {"macro": "{$B}", "value": "2", "type": 1}]}),
    );
    let macros = json!([{"macro": "{$C}", "value": "3"}]);
    admin.call("template.update", json!({"templateid": template, "macros": macros}));
    let params = json!({"hostids": host, "selectMacros": "extend"});
    let found = &admin.call("host.get", params)[0]["macros"];
    let ids: Vec<&str> = (0..2).map(|at| found[at]["hostmacroid"].as_str().unwrap()).collect();
    let expected = json!([
        {"hostmacroid": ids[0], "hostid": host, "macro": "{$A}", "value": "1", "type": "0",
            "description": "d", "automatic": "0"},
        {"hostmacroid": ids[1], "hostid": host, "macro": "{$B}", "type": "1", "description": "",
            "automatic": "0"},
    ]);
    assert_eq!(*found, expected);
    let params = json!({"templateids": template, "selectMacros": ["hostid", "macro"]});
    let found = &admin.call("template.get", params)[0]["macros"];
    assert_eq!(*found, json!([{"hostid": template, "macro": "{$C}"}]));
    // It is returned, and cannot be set.
    let moved = json!({"hostid": host, "macros": [{"macro": "{$A}", "hostid": template}]});
    let expected = "Invalid parameter \"/1/macros/1\": unexpected parameter \"hostid\".";
    assert_eq!(admin.error("host.update", moved), expected);
    let params = json!({"hostids": host, "selectParentTemplates": "extend"});
    let found = &admin.call("host.get", params)[0]["parentTemplates"][0];
    assert_eq!((&found["templateid"], &found["link_type"]), (&json!(template), &json!("0")));
    let params = json!({"hostids": host, "selectParentTemplates": ["host"]});
    let found = &admin.call("host.get", params)[0]["parentTemplates"];
    assert_eq!(*found, json!([{"templateid": template, "host": "t"}]));
}

#[test]
fn the_first_global_macro_is_there_for_all_users() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("usergroup.create", json!({"name": "Plain"}));
    let user = json!({"username": "plain", "passwd": "a long one 4 all", "roleid": "1",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let plain = server.login_as("plain", "a long one 4 all");
    let expected = json!([{"globalmacroid": "2", "macro": "{$SNMP_COMMUNITY}", "value": "public",
        "type": "0", "description": ""}]);
    for session in [&admin, &plain] {
        assert_eq!(session.call("usermacro.get", json!({"globalmacro": true})), expected);
    }
    let params = json!({"globalmacro": true, "editable": true});
    assert_eq!(plain.call("usermacro.get", params), json!([]));
}

#[test]
fn discovered_objects_return_their_origin() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": host, "name": "r", "key_": "r", "type": 2, "lifetime_type": 1,
            "enabled_lifetime_type": 2}),
    );
    let prototype = admin.create(
        "itemprototype.create",
        json!({"hostid": host, "ruleid": rule, "name": "i {#D}", "key_": "i[{#D}]", "type": 2,
            "value_type": 3}),
    );
    admin.create(
        "triggerprototype.create",
        json!({"description": "t {#D}", "expression": "last(/h/i[{#D}])>0"}),
    );
    let ruleid = rule.parse::<u64>().unwrap().into();
    server.db.apply_lld(ruleid, "[{\"{#D}\":\"a\"}]", server.now()).unwrap();
    let now = server.now();
    server.db.apply_lld(ruleid, "[]", now).unwrap();
    let params = json!({"hostids": host, "output": ["status"], "selectItemDiscovery": "extend"});
    let item = admin.call("item.get", params)[0].clone();
    let expected = json!({"itemid": item["itemid"], "status": "1", "itemDiscovery": {
        "itemdiscoveryid": item["itemid"], "itemid": item["itemid"], "parent_itemid": prototype,
        "key_": "i[{#D}]", "lastcheck": now.clock().to_string(), "status": "1", "ts_delete": "0",
        "ts_disable": now.clock().to_string(), "disable_source": "1"}});
    assert_eq!(item, expected);
    // A user's word counts from then on.
    let params = |status: &str| json!({"itemid": item["itemid"], "status": status});
    admin.call("item.update", params("0"));
    admin.call("item.update", params("1"));
    let wanted = ["status", "disable_source"];
    let params = json!({"hostids": host, "selectItemDiscovery": wanted, "output": ["status"]});
    let found = &admin.call("item.get", params)[0]["itemDiscovery"];
    assert_eq!(*found, json!({"status": "1", "disable_source": "0"}));
    let params = json!({"hostids": host, "selectTriggerDiscovery": "extend"});
    let found = &admin.call("trigger.get", params)[0]["triggerDiscovery"];
    let expected = [
        "disable_source",
        "lastcheck",
        "parent_triggerid",
        "status",
        "triggerid",
        "ts_delete",
        "ts_disable",
    ];
    assert_eq!(names(found), expected);
    let params = json!({"hostids": host, "selectTriggerDiscovery": wanted});
    let found = &admin.call("trigger.get", params)[0]["triggerDiscovery"];
    assert_eq!(*found, json!({"status": "1", "disable_source": "1"}));
}
