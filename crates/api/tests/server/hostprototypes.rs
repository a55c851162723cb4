//! Host prototypes, and the hosts that discovery creates from them, as programs see them.

use model::ItemId;
use serde_json::{Value, json};

use crate::fake::{Server, Session};

#[test]
fn a_host_prototype_is_created_inherited_and_creates_hosts() {
    let server = Server::start();
    let admin = server.login();
    let (template, linked) = (admin.template("T"), admin.template("Machine"));
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": template, "name": "r", "key_": "r", "type": 2}),
    );
    let interface = json!({"type": 2, "main": 1, "useip": 0, "ip": "", "dns": "{#ID}.example", "port": "161",
        "details": {"version": 2, "community": "{$C}"}});
    let prototype = admin.create(
        "hostprototype.create",
        json!({"ruleid": rule, "host": "vm {#ID}", "groupLinks": [{"groupid": "2"}],
            "groupPrototypes": [{"name": "Of {#ID}"}], "templates": [{"templateid": linked}],
            "macros": [{"macro": "{$A}", "value": "{#ID}"}, {"macro": "{$S}", "value": "hidden", "type": 1}],
            "tags": [{"tag": "id", "value": "{#ID}"}], "custom_interfaces": 1,
            "interfaces": [interface], "inventory_mode": 1}),
    );
    let get = json!({"hostids": prototype, "selectDiscoveryRule": ["key_"], "selectParentHost": ["host"],
        "selectGroupLinks": "extend", "selectGroupPrototypes": "extend", "selectTemplates": ["host"],
        "selectMacros": "extend", "selectTags": "extend", "selectInterfaces": ["type", "dns"]});
    let found = admin.call("hostprototype.get", get);
    let macros = &found[0]["macros"];
    assert_eq!((&macros[0]["value"], macros[1].get("value")), (&json!("{#ID}"), None));
    let expected = json!([{"hostid": prototype, "ruleid": rule, "host": "vm {#ID}", "name": "vm {#ID}", "status": "0",
        "discover": "0", "inventory_mode": "1", "custom_interfaces": "1", "templateid": "0", "uuid": "",
        "discoveryRule": {"itemid": rule, "key_": "r"}, "parentHost": {"hostid": template, "host": "T"},
        "groupLinks": found[0]["groupLinks"], "groupPrototypes": found[0]["groupPrototypes"],
        "templates": [{"templateid": linked, "host": "Machine"}], "macros": macros,
        "tags": [{"tag": "id", "value": "{#ID}"}], "interfaces": [{"type": "2", "dns": "{#ID}.example"}]}]);
    assert_eq!(found, expected);
    let host = admin.create(
        "host.create",
        json!({"host": "h", "groups": [{"groupid": "2"}], "templates": [{"templateid": template}]}),
    );
    let rules =
        admin.call("discoveryrule.get", json!({"hostids": host, "selectHostPrototypes": ["host"]}));
    let (own_rule, own) = (&rules[0]["itemid"], &rules[0]["hostPrototypes"][0]["hostid"]);
    let found =
        admin.call("hostprototype.get", json!({"discoveryids": own_rule, "inherited": true}));
    assert_eq!((&found[0]["hostid"], &found[0]["templateid"]), (own, &json!(prototype)));
    let error = admin.error("hostprototype.delete", json!([own]));
    assert_eq!(error, "Cannot delete templated host prototype.");

    let ruleid = ItemId(own_rule.as_str().unwrap().parse().unwrap());
    let rows = json!([{"{#ID}": "7"}]).to_string();
    let report = server.db.apply_lld(ruleid, &rows, server.now()).unwrap();
    assert_eq!((report.n_created, report.error.as_str()), (1, ""));
    let found = admin.call("host.get", json!({"filter": {"host": "vm 7"}, "output": ["flags"],
        "selectHostDiscovery": ["parent_hostid", "status"], "selectDiscoveryRule": ["key_"],
        "selectInterfaces": ["dns"], "selectHostGroups": ["name"], "selectMacros": ["macro", "value"]}));
    let made = found[0]["hostid"].as_str().unwrap().to_owned();
    assert_eq!(found[0]["flags"], "4");
    assert_eq!(found[0]["hostDiscovery"], json!({"parent_hostid": own, "status": "0"}));
    assert_eq!(found[0]["discoveryRule"]["key_"], "r");
    assert_eq!(found[0]["interfaces"][0]["dns"], "7.example");
    assert_eq!(found[0]["hostgroups"][1]["name"], "Of 7");
    assert_eq!(found[0]["macros"], json!([{"macro": "{$A}", "value": "7"}, {"macro": "{$S}"}]));
    let error = admin.error("host.update", json!({"hostid": made, "name": "mine"}));
    assert_eq!(error, "Cannot update \"name\" for a discovered host \"vm 7\".");
    admin.call("host.update", json!({"hostid": made, "status": 1, "description": "mine"}));
    admin.call("hostprototype.update", json!({"hostid": own, "discover": 1}));
    let by_discover = json!({"filter": {"discover": 1}, "countOutput": true});
    assert_eq!(admin.call("hostprototype.get", by_discover), "1");
    admin.call("hostprototype.delete", json!([prototype]));
    assert_eq!(admin.call("host.get", json!({"hostids": made})), json!([]));
    let records =
        admin.call("auditlog.get", json!({"filter": {"resourcetype": 37}, "countOutput": true}));
    assert_eq!(records, "3");
}

#[test]
fn prototypes_need_rights_on_the_host_and_what_is_named() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": host, "name": "r", "key_": "r", "type": 2}),
    );
    let fields = json!({"ruleid": rule, "host": "vm {#ID}", "groupLinks": [{"groupid": "2"}]});
    let prototype = admin.create("hostprototype.create", fields.clone());
    let group = admin.create("usergroup.create", json!({"name": "none"}));
    let user = json!({"username": "u", "passwd": "a long one 4 all", "roleid": "2",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let user = server.login_as("u", "a long one 4 all");
    assert_eq!(user.call("hostprototype.get", json!({})), json!([]));
    let denied = "No permissions to referred object or it does not exist!";
    for (method, params) in [
        ("hostprototype.create", fields),
        ("hostprototype.update", json!({"hostid": prototype, "status": 1})),
        ("hostprototype.delete", json!([prototype])),
    ] {
        assert_eq!(user.error(method, params), denied, "{method}");
    }
    for (params, expected) in [
        (
            json!({"ruleid": rule, "host": "a"}),
            "Invalid parameter \"/1\": the parameter \"groupLinks\" is missing.",
        ),
        (
            json!({"ruleid": rule, "host": "a", "groupLinks": [{"groupid": "2"}]}),
            "Invalid parameter \"/1/host\": must contain at least one low-level discovery macro.",
        ),
        (json!({"ruleid": "77", "host": "{#A}", "groupLinks": [{"groupid": "2"}]}), denied),
        (
            json!({"ruleid": rule, "host": "{#A}", "groupLinks": [{"groupid": "2"}], "interfaces": [{"type": 1,
                "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "", "port": "1"}]}),
            "Invalid parameter \"/1/interfaces\": should be empty.",
        ),
    ] {
        assert_eq!(admin.error("hostprototype.create", params.clone()), expected, "{params}");
    }
    let _: Value =
        admin.call("hostprototype.update", json!({"hostid": prototype, "name": "N {#ID}"}));
}

#[test]
fn group_prototypes_keep_their_ids_when_renamed() {
    let server = Server::start();
    let admin = server.login();
    let template = admin.template("T");
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": template, "name": "r", "key_": "r", "type": 2}),
    );
    let prototype = admin.create(
        "hostprototype.create",
        json!({"ruleid": rule, "host": "{#N}", "groupLinks": [{"groupid": "2"}, {"groupid": "4"}],
            "groupPrototypes": [{"name": "dc/{#N}"}, {"name": "rack/{#N}"}]}),
    );
    admin.create(
        "host.create",
        json!({"host": "h", "groups": [{"groupid": "2"}], "templates": [{"templateid": template}]}),
    );
    let groups = |inherited: bool| {
        let get = json!({"inherited": inherited, "selectGroupLinks": "extend", "selectGroupPrototypes": "extend"});
        admin.call("hostprototype.get", get)[0].clone()
    };
    let update = |links: Value, names: Value| {
        let params = json!({"hostid": prototype, "groupLinks": links, "groupPrototypes": names});
        admin.call("hostprototype.update", params);
    };
    let (own, inherited) = (groups(false), groups(true));
    for kind in ["groupLinks", "groupPrototypes"] {
        let ids: std::collections::BTreeSet<&str> = [&own, &inherited]
            .into_iter()
            .flat_map(|it| it[kind].as_array().unwrap())
            .map(|it| it["group_prototypeid"].as_str().unwrap())
            .collect();
        assert_eq!(ids.len(), 4, "{own} {inherited}");
        for at in 0..2 {
            assert_eq!(own[kind][at]["templateid"], "0");
            assert_eq!(inherited[kind][at]["templateid"], own[kind][at]["group_prototypeid"]);
        }
    }
    // One is renamed by its id, one stays by its id alone, one is new, under the old name.
    let (dc, rack) = (&own["groupPrototypes"][0], &own["groupPrototypes"][1]);
    let link = &own["groupLinks"][1]["group_prototypeid"];
    update(
        json!([{"group_prototypeid": link}]),
        json!([{"group_prototypeid": dc["group_prototypeid"], "name": "room/{#N}"},
            {"group_prototypeid": rack["group_prototypeid"]}, {"name": "dc/{#N}"}]),
    );
    let (now, inherited_now) = (groups(false), groups(true));
    assert_eq!(now["groupLinks"], json!([own["groupLinks"][1]]));
    assert_eq!(now["groupPrototypes"][0]["group_prototypeid"], dc["group_prototypeid"]);
    assert_eq!(now["groupPrototypes"][0]["name"], "room/{#N}");
    assert_eq!(now["groupPrototypes"][1], *rack);
    assert_eq!(now["groupPrototypes"][2]["name"], "dc/{#N}");
    assert_ne!(now["groupPrototypes"][2]["group_prototypeid"], dc["group_prototypeid"]);
    assert_eq!(
        inherited_now["groupPrototypes"][0]["group_prototypeid"],
        inherited["groupPrototypes"][0]["group_prototypeid"]
    );
    // By name alone each keeps its id, also back under the first name.
    update(json!([{"groupid": "4"}]), json!([{"name": "room/{#N}"}]));
    assert_eq!(groups(false)["groupPrototypes"], json!([now["groupPrototypes"][0]]));
    update(
        json!([{"groupid": "4"}]),
        json!([{"group_prototypeid": dc["group_prototypeid"], "name": "dc/{#N}"}]),
    );
    assert_eq!(groups(false)["groupPrototypes"], json!([dc]));
    groups_are_refused(&admin, &prototype, &rack["group_prototypeid"]);
}

/// `gone`: an id of a group that the prototype no longer has.
fn groups_are_refused(admin: &Session<'_>, prototype: &str, gone: &Value) {
    for (fields, expected) in [
        (
            json!({"groupPrototypes": [{"group_prototypeid": gone, "name": "x/{#N}"}]}),
            "Invalid parameter \"/1/groupPrototypes/1/group_prototypeid\": object does not exist, or you have no \
             permissions to it.",
        ),
        (
            json!({"groupLinks": [{"groupid": "4"}, {"groupid": "4"}]}),
            "Invalid parameter \"/1/groupLinks/2\": value (groupid)=(4) already exists.",
        ),
        (
            json!({"groupPrototypes": [{"name": "{#n}"}]}),
            "Invalid parameter \"/1/groupPrototypes/1/name\": must contain at least one low-level discovery macro.",
        ),
    ] {
        let mut params = json!({"hostid": prototype});
        params.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        assert_eq!(admin.error("hostprototype.update", params), expected);
    }
}
