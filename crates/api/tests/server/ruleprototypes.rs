//! Prototypes of discovery rules, and the rules that discovery creates from them, as programs see them.

use model::ItemId;
use serde_json::{Value, json};

use crate::fake::{Server, Session};

#[test]
fn a_rule_prototype_is_created_inherited_and_creates_rules() {
    let server = Server::start();
    let admin = server.login();
    let template = admin.template("T");
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": template, "name": "r", "key_": "r", "type": 2}),
    );
    let prototype = admin.create(
        "discoveryruleprototype.create",
        json!({"hostid": template, "ruleid": rule, "name": "Of {#A}", "key_": "n[{#A}]", "type": 23,
            "lld_macro_paths": [{"lld_macro": "{#B}", "path": "$.{#A}"}],
            "preprocessing": [{"type": 12, "params": "$.list", "error_handler": 0}],
            "filter": {"evaltype": 0, "conditions": [{"macro": "{#B}", "value": "^{#A}", "operator": 8}]}}),
    );
    let item = admin.create(
        "itemprototype.create",
        json!({"hostid": template, "ruleid": prototype, "name": "i", "key_": "i[{#A},{#B}]", "type": 2,
            "value_type": 3}),
    );
    let inner = admin.create(
        "discoveryruleprototype.create",
        json!({"hostid": template, "ruleid": prototype, "name": "In", "key_": "m[{#B}]", "type": 2}),
    );
    check_prototypes(&admin, &rule, &prototype, (&item, &inner));

    let host = admin.create(
        "host.create",
        json!({"host": "h", "groups": [{"groupid": "2"}], "templates": [{"templateid": template}]}),
    );
    let rules = admin.call(
        "discoveryrule.get",
        json!({"hostids": host, "selectDiscoveryRulePrototypes": "count"}),
    );
    assert_eq!(
        (&rules[0]["flags"], &rules[0]["discoveryRulePrototypes"]),
        (&json!("1"), &json!("1"))
    );
    let ruleid = ItemId(rules[0]["itemid"].as_str().unwrap().parse().unwrap());
    let rows = json!([{"{#A}": "x", "list": []}]).to_string();
    let report = server.db.apply_lld(ruleid, &rows, server.now()).unwrap();
    assert_eq!((report.n_created, report.error.as_str()), (1, ""));

    // A discovered rule has the row's values in its fields, and its prototype's prototypes.
    let made = admin.call(
        "discoveryrule.get",
        json!({"hostids": host, "filter": {"flags": 5},
        "output": ["itemid", "key_", "name", "templateid"], "selectDiscoveryRule": ["key_"],
        "selectDiscoveryData": ["parent_itemid", "key_", "status"], "selectItems": ["key_"],
        "selectLLDMacroPaths": "extend", "selectFilter": "extend"}),
    );
    let own = admin.call(
        "discoveryruleprototype.get",
        json!({"hostids": host, "inherited": true,
        "output": ["itemid"], "filter": {"key_": "n[{#A}]"}}),
    );
    let (own, id) = (&own[0]["itemid"], made[0]["itemid"].as_str().unwrap());
    assert_eq!((&made[0]["key_"], &made[0]["name"]), (&json!("n[x]"), &json!("Of x")));
    assert_eq!(made[0]["discoveryRule"]["key_"], "r");
    assert_eq!(
        made[0]["discoveryData"],
        json!({"parent_itemid": own, "key_": "n[{#A}]", "status": "0"})
    );
    assert_eq!(made[0]["items"][0]["key_"], "i[{#A},{#B}]");
    assert_eq!(made[0]["lld_macro_paths"][0]["path"], "$.x");
    assert_eq!(made[0]["filter"]["conditions"][0]["value"], "^x");
    let of_made = json!({"discoveryids": id, "countOutput": true});
    for method in ["itemprototype.get", "discoveryruleprototype.get"] {
        assert_eq!(admin.call(method, of_made.clone()), "1", "{method}");
    }

    only_its_status_is_the_users(&admin, &host, (&prototype, own), id);
}

/// With their owners and their own objects.
fn check_prototypes(admin: &Session<'_>, rule: &str, prototype: &str, (item, inner): (&str, &str)) {
    let get = json!({"itemids": prototype, "selectDiscoveryRule": ["key_"], "selectItems": ["key_"],
        "output": ["itemid", "ruleid", "type", "discover", "flags", "lifetime", "status"],
        "selectDiscoveryRulePrototype": ["key_"], "selectDiscoveryRulePrototypes": ["key_"],
        "selectLLDMacroPaths": "extend", "selectPreprocessing": ["params"]});
    let expected = json!([{"itemid": prototype, "ruleid": rule, "type": "23", "discover": "0",
        "flags": "3", "lifetime": "7d", "status": "0",
        "discoveryRule": {"itemid": rule, "key_": "r"}, "discoveryRulePrototype": [],
        "items": [{"itemid": item, "key_": "i[{#A},{#B}]"}],
        "discoveryRulePrototypes": [{"itemid": inner, "key_": "m[{#B}]"}],
        "lld_macro_paths": [{"lld_macro": "{#B}", "path": "$.{#A}"}],
        "preprocessing": [{"params": "$.list"}]}]);
    assert_eq!(admin.call("discoveryruleprototype.get", get), expected);
    let above = json!({"discoveryids": prototype, "output": ["key_"],
        "selectDiscoveryRule": ["key_"], "selectDiscoveryRulePrototype": ["key_"]});
    assert_eq!(
        admin.call("discoveryruleprototype.get", above.clone()),
        json!([{"itemid": inner, "key_": "m[{#B}]", "discoveryRule": [],
            "discoveryRulePrototype": {"itemid": prototype, "key_": "n[{#A}]"}}])
    );
    let items = admin.call("itemprototype.get", above);
    assert_eq!(items[0]["discoveryRulePrototype"]["itemid"], prototype);
    assert_eq!((&items[0]["discoveryRule"], &items[0]["itemid"]), (&json!([]), &json!(item)));
}

/// Of a discovered rule and of an inherited prototype; the prototype takes all with it.
fn only_its_status_is_the_users(
    admin: &Session<'_>,
    host: &str,
    (prototype, own): (&str, &Value),
    id: &str,
) {
    admin.call("discoveryrule.update", json!({"itemid": id, "status": 1}));
    let error =
        admin.error("discoveryrule.update", json!({"itemid": id, "delay": "5m", "type": 0}));
    assert!(error.contains("discovered object"), "{error}");
    let error = admin.error("discoveryruleprototype.update", json!({"itemid": own, "name": "x"}));
    assert!(error.contains("readonly parameter \"name\" of inherited object"), "{error}");
    admin.call("discoveryruleprototype.update", json!({"itemid": own, "discover": 1, "status": 1}));
    let error = admin.error("discoveryruleprototype.delete", json!([own]));
    assert!(error.contains("cannot delete inherited LLD rule prototype"), "{error}");
    admin.call("discoveryruleprototype.delete", json!([prototype]));
    let left = json!({"hostids": host, "countOutput": true});
    assert_eq!(admin.call("discoveryrule.get", left.clone()), "1");
    assert_eq!(admin.call("itemprototype.get", left), "0");
    let records =
        admin.call("auditlog.get", json!({"filter": {"resourcetype": 56}, "countOutput": true}));
    assert_eq!(records, "4");
}

#[test]
fn prototypes_of_rules_need_rights_and_what_rules_need() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": host, "name": "r", "key_": "r", "type": 2}),
    );
    let fields =
        json!({"hostid": host, "ruleid": rule, "name": "n", "key_": "n[{#A}]", "type": 23});
    let prototype = admin.create("discoveryruleprototype.create", fields.clone());
    let group = admin.create("usergroup.create", json!({"name": "none"}));
    let user = json!({"username": "u", "passwd": "a long one 4 all", "roleid": "2",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let user = server.login_as("u", "a long one 4 all");
    assert_eq!(user.call("discoveryruleprototype.get", json!({})), json!([]));
    let denied = "No permissions to referred object or it does not exist!";
    for (method, params) in [
        ("discoveryruleprototype.create", fields),
        ("discoveryruleprototype.update", json!({"itemid": prototype, "status": 1})),
        ("discoveryruleprototype.delete", json!([prototype])),
    ] {
        assert_eq!(user.error(method, params), denied, "{method}");
    }
    for (params, expected) in [
        (
            json!({"hostid": host, "name": "n", "key_": "k[{#A}]", "type": 23}),
            "Invalid parameter \"/1\": the parameter \"ruleid\" is missing.",
        ),
        (
            json!({"hostid": host, "ruleid": "77", "name": "n", "key_": "k[{#A}]", "type": 23}),
            denied,
        ),
        (
            json!({"hostid": host, "ruleid": rule, "name": "n", "key_": "k", "type": 23}),
            "Invalid parameter \"/1/key_\": must contain at least one low-level discovery macro.",
        ),
        (
            json!({"hostid": host, "ruleid": rule, "name": "n", "key_": "k[{#A}]", "type": 23, "delay": "5m"}),
            "Invalid parameter \"/1/delay\": value must be 0.",
        ),
        (
            json!({"hostid": host, "ruleid": rule, "name": "n", "key_": "k[{#A}]", "type": 15}),
            "Invalid parameter \"/1/type\": value must be one of 0, 2, 3, 5, 7, 10, 11, 12, 13, 14, 16, 18, \
             19, 20, 21, 22, 23.",
        ),
    ] {
        let error = admin.error("discoveryruleprototype.create", params.clone());
        assert_eq!(error, expected, "{params}");
    }
    let error = admin.error(
        "discoveryrule.create",
        json!({"hostid": host, "name": "n", "key_": "k", "type": 23}),
    );
    let expected = "cannot have a nested LLD rule on a non-discovered host.";
    assert_eq!(error, format!("Invalid parameter \"/1/type\": {expected}"));
}
