//! Objects of the configuration: created objects read back, and permissions hold.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn ids(list: &Value, field: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|it| it[field].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_host_reads_back_with_everything_it_was_made_with() {
    let server = Server::start();
    let admin = server.login();
    let template = admin.template("Linux");
    let id = admin.create(
        "host.create",
        json!({
            "host": "web-1",
            "name": "Web 1",
            "groups": [{"groupid": 2}, {"groupid": "4"}],
            "templates": [{"templateid": template}],
            "tags": {"tag": "os", "value": "linux"},
            "macros": [{"macro": "{$PORT}", "value": "80"},
                {"macro": "{$PASSWORD}", "value": "hidden", "type": 1}],
            "interfaces": [
                {"type": 1, "main": 1, "useip": 1, "ip": "192.0.2.1", "dns": "", "port": "10050"},
                {"type": 2, "main": 1, "useip": 0, "ip": "", "dns": "web", "port": 161,
                    "details": {"version": 2, "community": "{$COMMUNITY}"}}],
        }),
    );
    let hosts = admin.call(
        "host.get",
        json!({
            "filter": {"host": ["web-1"]},
            "output": ["host", "name", "status", "tls_connect", "inventory_mode", "flags"],
            "selectInterfaces": ["type", "ip", "dns", "port", "details", "available"],
            "selectHostGroups": ["name"],
            "selectParentTemplates": ["name"],
            "selectTags": "extend",
            "selectMacros": ["macro", "value", "type"],
            "selectItems": "count",
        }),
    );
    let mut host = hosts[0].clone();
    for interface in host["interfaces"].as_array_mut().unwrap() {
        interface.as_object_mut().unwrap().remove("interfaceid");
    }
    let expected = json!({
        "hostid": id, "host": "web-1", "name": "Web 1", "status": "0", "tls_connect": "1",
        "inventory_mode": "-1", "flags": "0",
        "interfaces": [
            {"type": "1", "ip": "192.0.2.1", "dns": "", "port": "10050", "details": [],
                "available": "0"},
            {"type": "2", "ip": "", "dns": "web", "port": "161", "available": "0", "details": {
                "version": "2", "bulk": "1", "max_repetitions": "10",
                "community": "{$COMMUNITY}"}}],
        "hostgroups": [{"groupid": "2", "name": "Linux servers"},
            {"groupid": "4", "name": "Zabbix servers"}],
        "parentTemplates": [{"templateid": template, "name": "Linux"}],
        "tags": [{"tag": "os", "value": "linux", "automatic": "0"}],
        "macros": [{"macro": "{$PORT}", "value": "80", "type": "0"},
            {"macro": "{$PASSWORD}", "type": "1"}],
        "items": "0",
    });
    assert_eq!(host, expected);
    admin.call("host.update", json!({"hostid": id, "status": 1, "tags": []}));
    let params = json!({"hostids": id, "output": ["status"], "selectTags": "extend"});
    assert_eq!(admin.call("host.get", params), json!([{"hostid": id, "status": "1", "tags": []}]));
    assert_eq!(admin.call("host.delete", json!([id])), json!({"hostids": [id]}));
    assert_eq!(admin.call("host.get", json!({})), json!([]));
}

/// Ansible does so.
#[test]
fn interfaces_that_were_read_can_be_written_back() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("a");
    let interface = json!({"type": 1, "main": 1, "useip": 1, "ip": "192.0.2.1", "dns": "",
        "port": "10050", "hostid": host});
    admin.call("host.update", json!({"hostid": host, "interfaces": [interface]}));
    let params = json!({"hostids": host, "output": ["interfaceid", "hostid", "type", "main",
        "useip", "ip", "dns", "port", "details"]});
    let found = admin.call("hostinterface.get", params.clone());
    assert_eq!((&found[0]["ip"], &found[0]["hostid"]), (&json!("192.0.2.1"), &json!(host)));
    admin.call("host.update", json!({"hostid": host, "interfaces": found}));
    assert_eq!(admin.call("hostinterface.get", params), found);
}

/// Ansible sends `details` with every interface.
#[test]
fn interfaces_without_snmp_take_empty_details() {
    let server = Server::start();
    let admin = server.login();
    for empty in [json!({}), json!([])] {
        let agent = |ip: &str, main: u8| {
            json!({"type": 1, "main": main, "useip": 1, "ip": ip, "dns": "", "port": "10050",
                "details": empty})
        };
        let id = admin.create(
            "host.create",
            json!({"host": "a", "groups": {"groupid": "2"}, "interfaces": [agent("192.0.2.1", 1)]}),
        );
        admin.call("host.update", json!({"hostid": id, "interfaces": [agent("192.0.2.2", 1)]}));
        let more = json!({"hosts": {"hostid": id}, "interfaces": [agent("192.0.2.3", 0)]});
        admin.call("host.massadd", more);
        let mut other = agent("192.0.2.4", 0);
        other["hostid"] = json!(id);
        let interface = admin.create("hostinterface.create", other);
        admin.call(
            "hostinterface.update",
            json!({"interfaceid": interface, "port": "10051", "details": empty}),
        );
        let params = json!({"hostids": id, "output": ["ip", "port", "details"]});
        let mut found = admin.call("hostinterface.get", params);
        for it in found.as_array_mut().unwrap() {
            it.as_object_mut().unwrap().remove("interfaceid");
        }
        let expected = json!([
            {"ip": "192.0.2.2", "port": "10050", "details": []},
            {"ip": "192.0.2.3", "port": "10050", "details": []},
            {"ip": "192.0.2.4", "port": "10051", "details": []},
        ]);
        assert_eq!(found, expected);
        let replaced = json!({"hosts": {"hostid": id}, "interfaces": [agent("192.0.2.5", 1)]});
        admin.call("host.massupdate", replaced);
        admin.call("host.delete", json!([id]));
    }
    // SNMP cannot do without.
    let host = admin.host("b");
    let snmp = json!({"type": 2, "main": 1, "useip": 1, "ip": "192.0.2.1", "dns": "",
        "port": "161", "details": {}});
    let expected = "Incorrect arguments passed to function.";
    let params = json!({"hosts": {"hostid": host}, "interfaces": snmp});
    assert_eq!(admin.error("host.massadd", params), expected);
    // Those of other types are not looked at.
    let params = json!({"hostid": host, "type": 1, "main": 0, "useip": 1, "ip": "192.0.2.1",
        "dns": "", "port": "10050", "details": {"version": 2, "community": "c"}});
    let made = admin.create("hostinterface.create", params);
    let found =
        admin.call("hostinterface.get", json!({"interfaceids": made, "output": ["details"]}));
    assert_eq!(found[0]["details"], json!([]));
}

#[test]
fn errors_of_create_are_worded_as_clients_expect() {
    let server = Server::start();
    let admin = server.login();
    admin.host("a");
    for (method, params, expected) in [
        (
            "host.create",
            json!({"host": "a", "groups": [{"groupid": "2"}]}),
            "Host with the same name \"a\" already exists.",
        ),
        ("host.create", json!({"groups": [{"groupid": "2"}]}), "Wrong fields for host \"\"."),
        (
            "host.create",
            json!({"host": "b", "groups": []}),
            "Invalid parameter \"/1/groups\": cannot be empty.",
        ),
        (
            "host.create",
            json!({"host": "b", "groups": [{"groupid": "9999"}]}),
            "Invalid parameter \"/1/groups/1\": object does not exist, or you have no permissions to it.",
        ),
        (
            "host.update",
            json!({"hostid": "424242", "name": "x"}),
            "No permissions to referred object or it does not exist!",
        ),
        ("host.delete", json!([]), "Invalid parameter \"/\": cannot be empty."),
        (
            "item.create",
            json!({"hostid": "1", "name": "n", "key_": "k", "type": 2, "value_type": 9}),
            "Invalid parameter \"/1/value_type\": value must be one of 0, 1, 2, 3, 4, 5.",
        ),
        (
            "hostgroup.create",
            json!({"name": "Linux servers"}),
            "Host group \"Linux servers\" already exists.",
        ),
    ] {
        assert_eq!(admin.error(method, params.clone()), expected, "{method} {params}");
    }
}

#[test]
fn items_are_created_found_changed_and_deleted() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let master = admin.create(
        "item.create",
        json!({"hostid": host, "name": "Raw", "key_": "raw[{$A},\"b c\"]", "type": 2,
            "value_type": 4, "tags": [{"tag": "component", "value": "raw"}]}),
    );
    let dependent = admin.create(
        "item.create",
        json!({"hostid": host, "name": "Part", "key_": "part", "type": 18, "value_type": 0,
            "master_itemid": master, "units": "B",
            "preprocessing": [{"type": 12, "params": "$.a", "error_handler": 0},
                {"type": "1", "params": "8", "error_handler": "0"}]}),
    );
    let items = admin.call(
        "item.get",
        json!({"hostids": [host], "sortfield": "itemid", "selectPreprocessing": "extend",
            "output": ["key_", "master_itemid", "delay", "trends", "lastvalue", "state"],
            "selectTags": "extend", "selectHosts": ["host"]}),
    );
    assert_eq!(
        items,
        json!([
            {"itemid": master, "key_": "raw[{$A},\"b c\"]", "master_itemid": "0", "delay": "0",
                "trends": "0", "lastvalue": "", "state": "0", "preprocessing": [],
                "tags": [{"tag": "component", "value": "raw"}],
                "hosts": [{"hostid": host, "host": "h"}]},
            {"itemid": dependent, "key_": "part", "master_itemid": master, "delay": "0",
                "trends": "365d", "lastvalue": "0", "state": "0", "tags": [],
                "hosts": [{"hostid": host, "host": "h"}],
                "preprocessing": [
                    {"type": "12", "params": "$.a", "error_handler": "0",
                        "error_handler_params": ""},
                    {"type": "1", "params": "8", "error_handler": "0",
                        "error_handler_params": ""}]},
        ])
    );
    let found = |params: Value| ids(&admin.call("item.get", params), "itemid");
    assert_eq!(found(json!({"search": {"key_": "RAW"}})), [master.as_str()]);
    assert_eq!(found(json!({"filter": {"host": "h", "type": [18]}})), [dependent.as_str()]);
    assert_eq!(found(json!({"tags": [{"tag": "component"}]})), [master.as_str()]);
    assert_eq!(found(json!({"hostids": "1"})), [] as [&str; 0]);
    assert_eq!(admin.call("item.get", json!({"countOutput": true})), "2");
    admin.call("item.update", json!({"itemid": dependent, "name": "Share", "status": 1}));
    let changed =
        admin.call("item.get", json!({"itemids": dependent, "output": ["name", "status"]}));
    assert_eq!(changed, json!([{"itemid": dependent, "name": "Share", "status": "1"}]));
    for (params, expected) in [
        (
            json!({"hostid": host, "name": "x", "key_": "part", "type": 2, "value_type": 3}),
            "An item with key \"part\" already exists on the host \"h\".",
        ),
        (
            json!({"hostid": host, "name": "x", "key_": "a[b", "type": 2, "value_type": 3}),
            "Invalid parameter \"/1/key_\": incorrect syntax near \"\".",
        ),
        (
            json!({"hostid": host, "name": "x", "key_": "y", "type": 0, "value_type": 3}),
            "Invalid parameter \"/1\": the parameter \"delay\" is missing.",
        ),
        (
            json!({"hostid": host, "name": "x", "key_": "y", "type": 15, "value_type": 0,
                "delay": "1m", "params": "sum(last_foreach(/*/k)) + "}),
            "Invalid parameter \"/1/params\": incorrect expression starting from \"\".",
        ),
        (
            json!({"hostid": host, "name": "x", "key_": "y", "type": 15, "value_type": 0,
                "delay": "1m", "params": "last_foreach(/*/k)"}),
            "Invalid parameter \"/1/params\": incorrect usage of function \"last_foreach\".",
        ),
    ] {
        assert_eq!(admin.error("item.create", params.clone()), expected, "{params}");
    }
    admin.call("item.delete", json!([master]));
    assert_eq!(admin.call("item.get", json!({"countOutput": true})), "0", "dependants go as well");
}

#[test]
fn inherited_items_follow_their_template_except_own_fields() {
    let server = Server::start();
    let admin = server.login();
    let template = admin.template("T");
    let source = admin.trapper(&template, "k");
    let host = admin.host("h");
    let link = json!({"hosts": [{"hostid": host}], "templates": [{"templateid": template}]});
    assert_eq!(admin.call("host.massadd", link), json!({"hostids": [host]}));
    let get = json!({"hostids": host, "output": ["key_", "templateid", "history", "name"]});
    let items = admin.call("item.get", get.clone());
    assert_eq!(items[0]["templateid"], source);
    let id = items[0]["itemid"].clone();
    admin.call("item.update", json!({"itemid": id, "history": "7d"}));
    let refused = admin.error("item.update", json!({"itemid": id, "name": "mine"}));
    assert!(refused.contains("inherited"), "{refused}");
    admin.call("item.update", json!({"itemid": source, "name": "renamed"}));
    let items = admin.call("item.get", get);
    assert_eq!(items[0]["history"], "7d");
    assert_eq!(items[0]["name"], "renamed");
    let inherited = json!({"inherited": true, "countOutput": true});
    assert_eq!(admin.call("item.get", inherited), "1");
    assert_eq!(admin.call("item.get", json!({"templated": true, "countOutput": true})), "1");
    let unlink = json!({"hostids": [host], "templateids": [template]});
    admin.call("host.massremove", unlink);
    let items = admin.call("item.get", json!({"hostids": host, "output": ["templateid"]}));
    assert_eq!(items, json!([{"itemid": id, "templateid": "0"}]), "unlinking keeps the item");
}

#[test]
fn triggers_show_expressions_as_asked() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let item = admin.trapper(&host, "cpu");
    let id = admin.create(
        "trigger.create",
        json!({"description": "High on {HOST.NAME}", "priority": 4,
            "expression": "last(/h/cpu)>{$LIMIT} and avg(/h/cpu,5m)>90",
            "tags": [{"tag": "scope", "value": "performance"}]}),
    );
    let number: u64 = id.parse().unwrap();
    let (first, second) = (number << 8, number << 8 | 1);
    let raw = admin.call(
        "trigger.get",
        json!({"hostids": host, "output": ["expression", "description", "value", "priority"],
            "selectFunctions": "extend", "selectHosts": ["host"], "selectItems": ["key_"],
            "selectTags": "extend"}),
    );
    assert_eq!(
        raw,
        json!([{"triggerid": id, "expression": format!("{{{first}}}>{{$LIMIT}} and {{{second}}}>90"),
            "description": "High on {HOST.NAME}", "value": "0", "priority": "4",
            "functions": [
                {"functionid": first.to_string(), "itemid": item, "triggerid": id,
                    "function": "last", "parameter": "$"},
                {"functionid": second.to_string(), "itemid": item, "triggerid": id,
                    "function": "avg", "parameter": "$,5m"}],
            "hosts": [{"hostid": host, "host": "h"}],
            "items": [{"itemid": item, "key_": "cpu"}],
            "tags": [{"tag": "scope", "value": "performance"}]}])
    );
    let shown = admin.call(
        "trigger.get",
        json!({"triggerids": [id], "expandExpression": true, "expandDescription": true,
            "output": ["expression", "description"]}),
    );
    // Without a value a macro stays.
    assert_eq!(shown[0]["expression"], "last(/h/cpu)>{$LIMIT} and avg(/h/cpu,5m)>90");
    assert_eq!(shown[0]["description"], "High on h");
    let limit = json!({"hostid": host, "macro": "{$LIMIT}", "value": "7"});
    admin.call("usermacro.create", limit);
    let mut asked = json!({"triggerids": [id], "expandExpression": true, "output": ["expression"]});
    let shown = admin.call("trigger.get", asked.clone());
    assert_eq!(shown[0]["expression"], "last(/h/cpu)>7 and avg(/h/cpu,5m)>90");
    asked["expandMacros"] = json!(false);
    let shown = admin.call("trigger.get", asked);
    assert_eq!(shown[0]["expression"], "last(/h/cpu)>{$LIMIT} and avg(/h/cpu,5m)>90");
    let of_item = json!({"itemids": [item], "selectTriggers": ["description"], "output": ["key_"]});
    assert_eq!(admin.call("item.get", of_item)[0]["triggers"][0]["triggerid"], id);
    assert_eq!(admin.call("trigger.get", json!({"itemids": item, "countOutput": true})), "1");
    assert_eq!(admin.call("trigger.get", json!({"only_true": true})), json!([]));
    let error =
        admin.error("trigger.create", json!({"description": "x", "expression": "last(/h/none)>0"}));
    assert!(error.contains("none"), "{error}");
    admin.call("trigger.delete", json!([id]));
    assert_eq!(admin.call("trigger.get", json!({"countOutput": true})), "0");
}

fn limited<'a>(server: &'a Server, admin: &Session<'_>, role: u64, permission: u64) -> Session<'a> {
    let rights = json!([{"id": "4", "permission": permission}]);
    let group =
        admin.create("usergroup.create", json!({"name": "operators", "hostgroup_rights": rights}));
    admin.create(
        "user.create",
        json!({"username": "op", "passwd": "secret-1", "roleid": role.to_string(),
            "usrgrps": [{"usrgrpid": group}]}),
    );
    server.login_as("op", "secret-1")
}

#[test]
fn unreadable_objects_do_not_exist_for_users() {
    let server = Server::start();
    let admin = server.login();
    let hidden = admin.host("hidden");
    let hidden_item = admin.trapper(&hidden, "k");
    let group = json!([{"groupid": "4"}]);
    let seen = admin.create("host.create", json!({"host": "seen", "groups": group}));
    admin.trapper(&seen, "k");
    let user = limited(&server, &admin, 1, 2);
    assert_eq!(ids(&user.call("host.get", json!({})), "host"), ["seen"]);
    assert_eq!(user.call("item.get", json!({"countOutput": true})), "1");
    assert_eq!(user.call("item.get", json!({"itemids": hidden_item})), json!([]));
    let groups = user.call("hostgroup.get", json!({"output": ["name"]}));
    assert_eq!(groups, json!([{"groupid": "4", "name": "Zabbix servers"}]));
    assert_eq!(
        user.error("host.update", json!({"hostid": seen, "name": "x"})),
        "No permissions to call \"host.update\"."
    );
    assert_eq!(ids(&user.call("user.get", json!({})), "username"), ["op"]);
}

#[test]
fn admins_write_where_their_groups_may_write() {
    let server = Server::start();
    let admin = server.login();
    let hidden = admin.host("hidden");
    let group = json!([{"groupid": "4"}]);
    let own = admin.create("host.create", json!({"host": "own", "groups": group}));
    let editor = limited(&server, &admin, 2, 3);
    editor.call("host.update", json!({"hostid": own, "name": "Own"}));
    editor.trapper(&own, "k");
    let refused = "No permissions to referred object or it does not exist!";
    assert_eq!(editor.error("host.update", json!({"hostid": hidden, "name": "x"})), refused);
    let params = json!({"hostid": hidden, "name": "x", "key_": "x", "type": 2, "value_type": 3});
    assert_eq!(editor.error("item.create", params), refused);
    let params = json!({"host": "new", "groups": [{"groupid": "2"}]});
    let no_group = "Invalid parameter \"/1/groups/1\": object does not exist, or you have no permissions to it.";
    assert_eq!(editor.error("host.create", params), no_group);
    assert_eq!(
        editor.error("user.create", json!({"username": "x", "passwd": "y", "roleid": "1"})),
        "No permissions to call \"user.create\"."
    );
}

#[test]
fn a_trigger_of_two_hosts_is_found_from_both() {
    let server = Server::start();
    let admin = server.login();
    let (one, two) = (admin.host("one"), admin.host("two"));
    let [first, second] = [&one, &two].map(|host| {
        let item = json!({"hostid": host, "name": "Load", "key_": "load", "type": 2,
            "value_type": 0});
        admin.create("item.create", item)
    });
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "Both", "expression": "last(/one/load)>1 and last(/two/load)>1"}),
    );
    for item in [&first, &second] {
        let params = json!({"itemids": item, "output": ["itemid"],
            "selectTriggers": ["triggerid"]});
        let found = admin.call("item.get", params);
        assert_eq!(found[0]["triggers"], json!([{"triggerid": trigger}]), "{item}");
        let found = admin.call("trigger.get", json!({"itemids": item, "output": ["triggerid"]}));
        assert_eq!(found, json!([{"triggerid": trigger}]), "{item}");
        let found = admin.call(
            "item.get",
            json!({"itemids": item, "with_triggers": true,
            "countOutput": true}),
        );
        assert_eq!(found, "1");
    }
    // Counts by the requested ids: the trigger counts for both hosts.
    let params = json!({"hostids": [one, two], "countOutput": true, "groupCount": true});
    let expected = json!([{"hostid": one, "rowscount": "1"}, {"hostid": two, "rowscount": "1"}]);
    assert_eq!(admin.call("trigger.get", params.clone()), expected);
    assert_eq!(admin.call("item.get", params), expected);
    let params = json!({"groupids": 2, "countOutput": true, "groupCount": true});
    assert_eq!(admin.call("host.get", params), json!([{"groupid": "2", "rowscount": "2"}]));
}

#[test]
fn active_agents_are_shown_at_their_hosts() {
    let server = Server::start();
    let admin = server.login();
    let id = admin.host("active");
    let host = model::HostId(id.parse().unwrap());
    for state in [0_u8, 1, 2] {
        server.db.availability().set_active_agent(host, state);
        let hosts = admin.call("host.get", json!({"output": ["active_available"]}));
        assert_eq!(hosts[0]["active_available"], state.to_string());
    }
}

#[test]
fn changes_and_logins_are_in_the_audit_log() {
    let server = Server::start();
    let admin = server.login();
    let refused = server.call_as(None, "user.login", json!({"username": "x", "password": "y"}));
    assert!(refused["error"].is_object());
    let id = admin.host("seen");
    admin.call(
        "host.update",
        json!({"hostid": id, "macros": [{"macro": "{$P}", "value": "hush", "type": 1}]}),
    );
    admin.call("host.delete", json!([id]));
    admin.call("user.logout", json!([]));
    let admin = server.login();
    let records =
        admin.call("auditlog.get", json!({"sortfield": "auditid", "selectAllDetails": true}));
    let records = records.as_array().unwrap();
    let reported: Vec<String> = records
        .iter()
        .map(|it| format!("{} {} {}", it["action"], it["resourcetype"], it["resourcename"]))
        .map(|it| it.replace('"', ""))
        .collect();
    let expected = ["8 0 ", "9 0 ", "0 4 seen", "1 4 seen", "2 4 seen", "4 0 ", "8 0 "];
    assert_eq!(reported, expected);
    let who = |it: &Value| (it["username"].clone(), it["ip"].clone());
    assert_eq!(who(&records[1]), (json!("x"), json!("127.0.0.1")));
    assert_eq!(who(&records[2]), (json!("Admin"), json!("127.0.0.1")));
    let details: Value = serde_json::from_str(records[3]["all_details"].as_str().unwrap()).unwrap();
    assert!(details.as_object().unwrap().values().any(|it| *it == json!(["add", "{$P}"])));
    assert!(records.iter().all(|it| !it.to_string().contains("hush")));

    let count = |params: Value| {
        let mut params = params;
        params["countOutput"] = json!(true);
        admin.call("auditlog.get", params)
    };
    for (params, expected) in [
        (json!({}), "6"),
        (json!({"selectAllDetails": true}), "7"),
        (json!({"userids": "1"}), "5"),
        (json!({"filter": {"action": ["0", "2"], "resourceid": id}}), "2"),
        (json!({"search": {"username": "adm"}}), "5"),
        (json!({"auditids": [records[0]["auditid"], "c000000000000000000000000"]}), "1"),
        (json!({"time_from": server.now().clock() + 60}), "0"),
        (json!({"time_till": server.now().clock() + 60}), "6"),
    ] {
        assert_eq!(count(params.clone()), expected, "{params}");
    }
    let newest = json!({"sortfield": "clock", "sortorder": "DESC", "limit": 2, "output": ["ip"]});
    assert_eq!(admin.call("auditlog.get", newest).as_array().unwrap().len(), 2);
}

#[test]
fn the_audit_log_says_what_was_before_and_never_a_secret() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("hostgroup.create", json!({"name": "Floor"}));
    let host = admin.host("h");
    let item = admin.trapper(&host, "k");
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "high", "expression": "last(/h/k)>1", "priority": 2}),
    );
    let action = admin.create(
        "regexp.create",
        json!({"name": "R", "expressions": [{"expression": "a", "expression_type": 0}]}),
    );
    let macros = admin.create(
        "usermacro.create",
        json!({"hostid": host, "macro": "{$S}", "value": "hush1", "type": 1}),
    );
    let details = |id: &str| -> Value {
        let params = json!({"filter": {"resourceid": id, "action": 1}, "output": [], "selectAllDetails": true,
            "sortfield": "auditid", "sortorder": "DESC", "limit": 1});
        let found = admin.call("auditlog.get", params);
        let text = found[0]["all_details"].as_str().unwrap_or("null");
        serde_json::from_str(text).unwrap()
    };
    admin.call("hostgroup.update", json!({"groupid": group, "name": "Roof"}));
    assert_eq!(details(&group), json!({"hostgroup.name": ["update", "Roof", "Floor"]}));
    let tags = |value: &str| json!([{"tag": "a", "value": value}, {"tag": "b"}]);
    admin.call("host.update", json!({"hostid": host, "tags": tags("1"), "name": "h"}));
    let said = |details: &Value| {
        let details = details.as_object().unwrap().iter().filter(|it| !it.0.ends_with("id"));
        let mut said: Vec<String> = details.map(|it| it.1.to_string()).collect();
        said.sort();
        said
    };
    let (add, delete) = (r#"["add"]"#, r#"["delete"]"#);
    let added = [add, add, r#"["add","1"]"#, r#"["add","a"]"#, r#"["add","b"]"#];
    let mut expected = added.map(str::to_owned);
    expected.sort();
    assert_eq!(said(&details(&host)), expected, "the name is as before");
    admin.call("host.update", json!({"hostid": host, "tags": tags("2"), "status": 1}));
    let mut expected = [add, r#"["add","2"]"#, r#"["add","a"]"#, delete, r#"["update","1","0"]"#]
        .map(str::to_owned);
    expected.sort();
    assert_eq!(said(&details(&host)), expected);
    admin.call("host.update", json!({"hostid": host, "tags": [{"tag": "a", "value": "2"}]}));
    assert_eq!(said(&details(&host)), [delete]);
    let n = || admin.call("auditlog.get", json!({"countOutput": true, "selectAllDetails": true}));
    let before = n();
    admin.call("host.update", json!({"hostid": host, "status": 1, "name": "h"}));
    assert_eq!(n(), before, "what changes nothing is no change");
    admin.call("item.update", json!({"itemid": item, "name": "Load", "units": "B"}));
    assert_eq!(
        details(&item),
        json!({"item.name": ["update", "Load", "k"], "item.units": ["update", "B", ""]})
    );
    admin.call("trigger.update", json!({"triggerid": trigger, "expression": "last(/h/k)>2"}));
    let expression = json!(["update", "last(/h/k)>2", "last(/h/k)>1"]);
    assert_eq!(details(&trigger), json!({"trigger.expression": expression}));
    admin.call("regexp.update", json!({"regexpid": action, "name": "S"}));
    assert_eq!(details(&action), json!({"regexp.name": ["update", "S", "R"]}));
    admin.call("usermacro.update", json!({"hostmacroid": macros, "value": "hush2"}));
    let masked = json!({"usermacro.value": ["update", "******", "******"]});
    assert_eq!(details(&macros), masked);
    admin.call(
        "host.update",
        json!({"hostid": host, "macros": [
        {"hostmacroid": macros, "macro": "{$S}", "value": "hush3", "type": 1}]}),
    );
    admin.call("user.update", json!({"userid": "1", "name": "Ann"}));
    assert_eq!(details("1")["user.name"], json!(["update", "Ann", "Saker"]));
    let all = admin.call("auditlog.get", json!({})).to_string();
    assert!(!all.contains("hush"), "{all}");
}

#[test]
fn interfaces_stay_on_their_host_and_are_found_by_triggers() {
    let server = Server::start();
    let admin = server.login();
    let interface = |ip: &str, main: u8| json!({"type": 1, "main": main, "useip": 1, "ip": ip, "dns": "", "port": "10050"});
    let make = |name: &str, list: Value| {
        let host = json!({"host": name, "groups": {"groupid": "2"}, "interfaces": list});
        admin.create("host.create", host)
    };
    let host = make("a", json!([interface("192.0.2.1", 1), interface("192.0.2.2", 0)]));
    let other = make("b", json!([interface("192.0.2.3", 1)]));
    let params = json!({"hostids": host, "output": ["interfaceid"], "sortfield": "ip"});
    let found = admin.call("hostinterface.get", params);
    let second = found[1]["interfaceid"].clone();
    let update = |hostid: &str| json!({"interfaceid": second, "hostid": hostid, "port": "10051"});
    let refused = admin.error("hostinterface.update", update(&other));
    assert_eq!(refused, "Cannot switch host for interface.");
    admin.call("hostinterface.update", update(&host));
    admin.create(
        "item.create",
        json!({"hostid": host, "name": "k", "key_": "k", "type": 0, "value_type": 0,
            "delay": "1m", "interfaceid": second}),
    );
    let trigger = json!({"description": "t", "expression": "last(/a/k)>0"});
    let trigger = admin.create("trigger.create", trigger);
    let params = json!({"triggerids": trigger, "output": ["ip", "port"]});
    // All those of the host, not the item's alone.
    let expected = json!([
        {"interfaceid": found[0]["interfaceid"], "ip": "192.0.2.1", "port": "10050"},
        {"interfaceid": second, "ip": "192.0.2.2", "port": "10051"},
    ]);
    assert_eq!(admin.call("hostinterface.get", params), expected);
    assert_eq!(admin.call("hostinterface.get", json!({"triggerids": "999999"})), json!([]));
}

#[test]
fn no_macro_of_a_host_is_inherited() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    admin.create("usermacro.create", json!({"hostid": host, "macro": "{$M}", "value": "1"}));
    let count = |inherited| {
        let params = json!({"hostids": host, "inherited": inherited, "countOutput": true});
        admin.call("usermacro.get", params)
    };
    assert_eq!((count(true), count(false)), (json!("0"), json!("1")));
}

#[test]
fn users_are_not_found_by_what_they_do_not_have() {
    let server = Server::start();
    let admin = server.login();
    let error = |params| admin.error("user.get", params);
    let unknown = "Invalid parameter \"/\": unexpected parameter \"nameids\".";
    assert_eq!(error(json!({"nameids": ["1"]})), unknown);
    let unknown = "Invalid parameter \"/filter\": unexpected parameter \"nothing\".";
    assert_eq!(error(json!({"filter": {"nothing": "1"}})), unknown);
    assert!(error(json!({"sortfield": "nothing"})).contains("/sortfield"));
    assert!(error(json!({"sortorder": "UP"})).contains("/sortorder"));
}

#[test]
fn a_user_may_be_without_a_role_and_has_no_access() {
    let server = Server::start();
    let admin = server.login();
    let password = "Long enough 1";
    for (name, more) in [("none", json!({})), ("zero", json!({"roleid": 0}))] {
        let mut user =
            json!({"username": name, "passwd": password, "usrgrps": [{"usrgrpid": "11"}]});
        user.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let id = admin.create("user.create", user);
        let found = admin
            .call("user.get", json!({"userids": id, "output": ["roleid"], "selectRole": "extend"}));
        assert_eq!(found, json!([{"userid": id, "roleid": "0", "role": []}]));
        let login =
            server.call_as(None, "user.login", json!({"username": name, "password": password}));
        assert_eq!(login["error"]["data"], "No permissions for system access.");
        admin.call("user.update", json!({"userid": id, "roleid": "1"}));
        let session =
            server.call_as(None, "user.login", json!({"username": name, "password": password}));
        assert!(session["result"].is_string(), "{session}");
        admin.call("user.update", json!({"userid": id, "roleid": "0"}));
        let login =
            server.call_as(None, "user.login", json!({"username": name, "password": password}));
        assert_eq!(login["error"]["data"], "No permissions for system access.");
    }
}

#[test]
fn keys_of_item_prototypes_have_a_discovery_macro() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": host, "name": "r", "key_": "r", "type": 2}),
    );
    let prototype = |key: &str| json!({"hostid": host, "ruleid": rule, "name": key, "key_": key, "type": 2, "value_type": 0});
    for key in ["k", "k[{#n}]", "k[{#}]", "k[{#N]", "k[{$M}]"] {
        assert_eq!(
            admin.error("itemprototype.create", prototype(key)),
            "Invalid parameter \"/1/key_\": must contain at least one low-level discovery macro.",
            "{key}"
        );
    }
    for key in ["k[{#N}]", "k[{{#N}.lowercase()}]", "k[{$M:\"{#N.1}\"}]"] {
        let id = admin.create("itemprototype.create", prototype(key));
        let update = json!({"itemid": id, "key_": "j"});
        assert!(admin.error("itemprototype.update", update).contains("discovery macro"));
    }
}

#[test]
fn replaced_interfaces_belong_to_the_host_of_the_call() {
    let server = Server::start();
    let admin = server.login();
    let [host, other] = ["a", "b"].map(|it| admin.host(it));
    let interface = |hostid: &str, port: &str| {
        json!({"hostid": hostid, "type": 1, "main": 1, "useip": 1, "ip": "192.0.2.1", "dns": "",
            "port": port})
    };
    let replace = |list: Value| {
        let params = json!({"hostid": host, "interfaces": list});
        admin.call("hostinterface.replacehostinterfaces", params)["interfaceids"].clone()
    };
    let of = |hostid: &str| {
        admin.call("hostinterface.get", json!({"hostids": hostid, "output": ["hostid", "port"]}))
    };
    let of_other = of(&other);
    let own = replace(json!([interface(&other, "10050")]));
    let mut again = interface(&other, "10051");
    again["interfaceid"] = own[0].clone();
    assert_eq!(replace(json!([again])), own);
    assert_eq!(of(&host), json!([{"interfaceid": own[0], "hostid": host, "port": "10051"}]));
    assert_eq!(of(&other), of_other);
}
