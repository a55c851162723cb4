//! Web scenarios: accepted parameters, their items, and changes of these.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

impl Session<'_> {
    fn refused(&self, method: &str, params: Value, expected: &str) {
        assert_eq!(self.error(method, params), expected);
    }
}

fn keys(admin: &Session<'_>, host: &str) -> Vec<(String, String)> {
    let asked =
        json!({ "hostids": [host], "webitems": true, "output": ["key_"], "sortfield": "itemid" });
    let items = admin.call("item.get", asked);
    let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    items.as_array().unwrap().iter().map(|it| (text(it, "key_"), text(it, "itemid"))).collect()
}

fn scenario(host: &str) -> Value {
    json!({
        "hostid": host, "name": "Shop", "steps": [
            { "name": "Second", "no": 2, "url": "http://h/b", "posts": "a=b" },
            { "name": "First", "no": 1, "url": "http://h/a", "posts": [{ "name": "a", "value": "b" }] },
        ],
        "http_user": "ann", "http_password": "secret", "authentication": 1,
        "tags": [{ "tag": "t", "value": "v" }],
    })
}

#[test]
fn a_scenario_brings_its_items_and_takes_them_along() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let id = admin.create("httptest.create", scenario(&host));
    let before = keys(&admin, &host);
    let names: Vec<&str> = before.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(
        names,
        [
            "web.test.fail[Shop]",
            "web.test.error[Shop]",
            "web.test.in[Shop,,bps]",
            "web.test.in[Shop,First,bps]",
            "web.test.time[Shop,First,resp]",
            "web.test.rspcode[Shop,First]",
            "web.test.in[Shop,Second,bps]",
            "web.test.time[Shop,Second,resp]",
            "web.test.rspcode[Shop,Second]",
        ]
    );
    // They are no items that one changes by themselves.
    assert_eq!(admin.call("item.get", json!({ "hostids": [host] })), json!([]));
    let item = json!({ "itemid": before[1].1, "name": "x" });
    admin.refused("item.update", item, "No permissions to referred object or it does not exist!");
    let found = admin.call(
        "httptest.get",
        json!({ "httptestids": [id], "selectSteps": "extend", "selectTags": "extend" }),
    );
    let found = &found[0];
    assert_eq!(
        (&found["name"], &found["delay"], &found["retries"]),
        (&json!("Shop"), &json!("1m"), &json!("1"))
    );
    assert_eq!((&found["agent"], &found["http_password"]), (&json!("Zabbix"), &json!("secret")));
    assert_eq!(found["steps"][0]["name"], "First");
    assert_eq!(found["steps"][0]["posts"], json!([{ "name": "a", "value": "b" }]));
    assert_eq!(found["steps"][1]["posts"], "a=b");
    assert_eq!(found["steps"][1]["no"], "2");
    let of_host = json!({ "hostids": [host], "selectHttpTests": ["name"], "output": ["hostid"] });
    let of_host = admin.call("host.get", of_host);
    assert_eq!(of_host[0]["httpTests"], json!([{ "httptestid": id, "name": "Shop" }]));
    let content =
        admin.call("item.get", json!({ "itemids": [id], "output": ["params", "username"] }));
    assert_eq!(content[0]["params"], "", "{content}");

    // A step with its id keeps its items under another name; an omitted one is deleted; a new one is added.
    let second = found["steps"][1]["httpstepid"].clone();
    let change = json!({
        "httptestid": id, "name": "Shop 2", "delay": "30s", "steps": [
            { "httpstepid": second, "name": "Checkout" },
            { "name": "Third", "no": 5, "url": "http://h/c", "timeout": "3s" },
        ],
    });
    admin.call("httptest.update", change);
    let after = keys(&admin, &host);
    let id_of = |rows: &[(String, String)], key: &str| {
        rows.iter().find(|it| it.0 == key).map(|it| it.1.clone())
    };
    for (old, new) in [
        ("web.test.fail[Shop]", "web.test.fail[Shop 2]"),
        ("web.test.rspcode[Shop,Second]", "web.test.rspcode[Shop 2,Checkout]"),
        ("web.test.time[Shop,Second,resp]", "web.test.time[Shop 2,Checkout,resp]"),
    ] {
        assert_eq!(id_of(&after, new), id_of(&before, old), "{after:?}");
        assert!(id_of(&after, new).is_some(), "{new}");
    }
    assert_eq!(after.len(), 9);
    let found = admin.call("httptest.get", json!({ "httptestids": [id], "selectSteps": "extend" }));
    assert_eq!(found[0]["steps"][0]["url"], "http://h/b");
    assert_eq!(found[0]["steps"][1]["timeout"], "3s");
    let delays =
        admin.call("item.get", json!({ "hostids": [host], "webitems": 1, "output": ["delay"] }));
    assert!(delays.as_array().unwrap().iter().all(|it| it["delay"] == "30s"), "{delays}");

    admin.call("httptest.delete", json!([id]));
    assert!(keys(&admin, &host).is_empty());
    assert_eq!(admin.call("httptest.get", json!({ "countOutput": true })), "0");
}

#[test]
fn errors_of_scenarios_name_the_path() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    admin.create("httptest.create", scenario(&host));
    admin.refused("httptest.create", scenario(&host), "Web scenario \"Shop\" already exists.");
    let with = |path: &str, value: Value| {
        let mut it = scenario(&host);
        it["name"] = json!("Other");
        *it.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = value;
        it
    };
    let step = "/1/steps/1";
    for (given, expected) in [
        (
            with("/steps/0/no", json!(1)),
            "Invalid parameter \"/1/steps/2\": value (no)=(1) already exists.",
        ),
        (
            with("/steps/0/name", json!("First")),
            "Invalid parameter \"/1/steps/2\": value (name)=(First) already exists.",
        ),
        (
            with("/steps/0/url", json!("")),
            &format!("Invalid parameter \"{step}/url\": cannot be empty."),
        ),
        (
            with("/steps", json!([{ "name": "a", "no": 1 }])),
            &format!("Invalid parameter \"{step}\": the parameter \"url\" is missing."),
        ),
        (with("/steps", json!([])), "Invalid parameter \"/1/steps\": cannot be empty."),
        (
            with("/steps/0", json!({ "name": "a", "no": 3, "url": "u", "timeout": "2h" })),
            &format!("Invalid parameter \"{step}/timeout\": value must be one of 1-3600."),
        ),
        (
            with("/steps/0", json!({ "name": "a", "no": 3, "url": "u", "status_codes": "2x" })),
            "Invalid response code \"2x\".",
        ),
        (
            with(
                "/steps/0",
                json!({ "name": "a", "no": 3, "url": "u", "variables": [{ "name": "x", "value": "" }] }),
            ),
            &format!(
                "Invalid parameter \"{step}/variables/1/name\": is not enclosed in {{}} or is malformed."
            ),
        ),
    ] {
        admin.refused("httptest.create", given, expected);
    }
}

#[test]
fn an_inherited_scenario_has_few_fields_of_its_own() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("templategroup.create", json!({ "name": "T" }));
    let template =
        admin.create("template.create", json!({ "host": "T", "groups": [{ "groupid": group }] }));
    let id = admin.create("httptest.create", scenario(&template));
    let host = admin.host("h");
    admin.call("host.update", json!({ "hostid": host, "templates": [{ "templateid": template }] }));
    let of_host = || {
        admin.call("httptest.get", json!({ "hostids": [host], "selectSteps": ["name"] }))[0].clone()
    };
    let inherited = of_host();
    assert_eq!((&inherited["templateid"], &inherited["name"]), (&json!(id), &json!("Shop")));
    let own = json!({ "httptestid": inherited["httptestid"], "delay": "5m", "retries": 3, "http_user": "bob" });
    admin.call("httptest.update", own);
    let changed = of_host();
    assert_eq!((&changed["delay"], &changed["retries"]), (&json!("5m"), &json!("3")));
    assert_eq!(
        (&changed["http_user"], &changed["http_password"]),
        (&json!("bob"), &json!("secret"))
    );
    let renamed = json!({ "httptestid": inherited["httptestid"], "name": "x" });
    admin.refused(
        "httptest.update",
        renamed,
        "Cannot update a templated web scenario \"x\": unexpected parameter \"name\".",
    );
    let deleted = json!([inherited["httptestid"]]);
    admin.refused("httptest.delete", deleted, "Cannot delete templated web scenario \"Shop\".");
    // A step of the template is one of the host.
    admin.call(
        "httptest.update",
        json!({ "httptestid": id, "steps": [{ "name": "Only", "no": 1, "url": "http://h/" }] }),
    );
    let steps = of_host()["steps"].clone();
    assert_eq!(steps.as_array().unwrap().len(), 1, "{steps}");
    assert_eq!(steps[0]["name"], "Only");
    assert_eq!(keys(&admin, &host).len(), 6);
}

#[test]
fn scenarios_are_inherited_from_templates() {
    let server = Server::start();
    let admin = server.login();
    let file = |steps: &str, triggers: &str| {
        format!(
            "zabbix_export:\n  version: '7.0'\n  template_groups:\n    - uuid: 7df96b18c230490a9a0a9e2307226338\n      name: T\n  templates:\n    - uuid: 0c3b4f2a1a5d4b6c8d7e9f0a1b2c3d4e\n      template: Shop\n      name: Shop\n      groups:\n        - name: T\n      httptests:\n        - uuid: 1c3b4f2a1a5d4b6c8d7e9f0a1b2c3d4e\n          name: Log in\n          attempts: '2'\n          authentication: BASIC\n          http_user: ann\n          steps:\n{steps}{triggers}"
        )
    };
    let first = "            - name: Form\n              url: '{$URL}'\n              posts:\n                - name: a\n                  value: b\n              status_codes: '200'\n";
    let second = "            - name: Bye\n              url: '{$URL}/bye'\n              retrieve_mode: HEADERS\n";
    let triggers = "  triggers:\n    - uuid: 2c3b4f2a1a5d4b6c8d7e9f0a1b2c3d4e\n      expression: 'last(/Shop/web.test.fail[Log in])<>0'\n      name: Shop is closed\n";
    let all = json!({ "createMissing": true, "updateExisting": true, "deleteMissing": true });
    let made = json!({ "createMissing": true, "updateExisting": true });
    let import = |source: String| {
        admin.call(
            "configuration.import",
            json!({ "format": "yaml", "source": source, "rules": {
                "template_groups": made, "templates": made, "httptests": all, "items": all, "triggers": all } }),
        )
    };
    assert_eq!(import(file(&format!("{first}{second}"), triggers)), true);
    let get = || {
        admin.call(
            "httptest.get",
            json!({ "selectSteps": "extend", "search": { "name": "Log in" } }),
        )
    };
    let found = get();
    assert_eq!(
        (&found[0]["retries"], &found[0]["authentication"]),
        (&json!("2"), &json!("1")),
        "{found}"
    );
    assert_eq!(found[0]["steps"][0]["posts"], json!([{ "name": "a", "value": "b" }]));
    assert_eq!(found[0]["steps"][1]["retrieve_mode"], "1");
    assert_eq!(
        admin.call(
            "trigger.get",
            json!({ "countOutput": true, "search": { "description": "Shop is" } })
        ),
        "1"
    );
    assert_eq!(import(file(first, triggers)), true);
    let again = get();
    assert_eq!(again[0]["httptestid"], found[0]["httptestid"]);
    assert_eq!(again[0]["steps"].as_array().unwrap().len(), 1);
}

#[test]
fn hosts_templates_and_groups_are_found_by_scenario_and_prototype() {
    let server = Server::start();
    let admin = server.login();
    let [shop, other] = ["shop", "other"].map(|it| admin.host(it));
    let template = admin.template("T");
    let found = |method: &str, id: &str, params: Value| -> Vec<String> {
        let rows = admin.call(method, params);
        rows.as_array().unwrap().iter().map(|it| it[id].as_str().unwrap().to_owned()).collect()
    };
    let hosts = |params: Value| found("host.get", "hostid", params);
    let groups = |holder: &str, params: Value| {
        let mut params = params;
        params["hostids"] = json!([holder]);
        found("hostgroup.get", "groupid", params).len()
    };
    assert!(hosts(json!({"with_httptests": true})).is_empty());
    let id = admin.create("httptest.create", scenario(&shop));
    for wanted in [
        json!({"with_httptests": true}),
        json!({"with_monitored_httptests": true}),
        json!({"httptestids": [id]}),
    ] {
        assert_eq!(hosts(wanted.clone()), [&*shop], "{wanted}");
    }
    for (name, expected) in [("with_httptests", 1), ("with_monitored_httptests", 1)] {
        assert_eq!(groups(&shop, json!({name: true})), expected, "{name}");
        assert_eq!(groups(&other, json!({name: true})), 0, "{name}");
    }
    admin.call("httptest.update", json!({"httptestid": id, "status": "1"}));
    assert_eq!(hosts(json!({"with_httptests": true})), [&*shop]);
    assert!(hosts(json!({"with_monitored_httptests": true})).is_empty());
    assert_eq!(groups(&shop, json!({"with_httptests": true})), 1);
    assert_eq!(groups(&shop, json!({"with_monitored_httptests": true})), 0);
    let templates = json!({"with_httptests": true});
    assert!(found("template.get", "templateid", templates.clone()).is_empty());
    admin.create("httptest.create", scenario(&template));
    assert_eq!(found("template.get", "templateid", templates.clone()), [&*template]);
    assert_eq!(found("templategroup.get", "groupid", templates).len(), 1);

    // Prototypes: one of text on one host, one of numbers on the other.
    for (host, value_type) in [(&shop, 4), (&other, 3)] {
        let rule = json!({"hostid": host, "name": "r", "key_": "r", "type": 2});
        let rule = admin.create("discoveryrule.create", rule);
        let prototype = json!({"hostid": host, "ruleid": rule, "name": "i {#N}", "key_": "i[{#N}]",
            "type": 2, "value_type": value_type});
        admin.create("itemprototype.create", prototype);
    }
    let plotted = json!({"with_simple_graph_item_prototypes": true});
    assert_eq!(hosts(plotted.clone()), [&*other]);
    assert_eq!(hosts(json!({"with_item_prototypes": true})).len(), 2);
    assert_eq!((groups(&shop, plotted.clone()), groups(&other, plotted)), (0, 1));
    assert_eq!(groups(&shop, json!({"with_item_prototypes": true})), 1);
}

#[test]
fn a_scenario_is_one_entry_in_the_audit_log() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    let id = admin.create("httptest.create", scenario(&host));
    admin.call("httptest.update", json!({"httptestid": id, "agent": "Probe"}));
    admin.call("httptest.delete", json!([id]));
    let of = |resource: &str| {
        admin.call(
            "auditlog.get",
            json!({"filter": {"resourcetype": resource}, "sortfield": "auditid",
                "output": ["action", "resourceid", "resourcename"], "selectAllDetails": true}),
        )
    };
    assert_eq!(of("15"), json!([]), "no items");
    let records = of("22");
    let seen: Vec<(&str, &str, &str)> = records
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let text = |name: &str| it[name].as_str().unwrap();
            (text("action"), text("resourceid"), text("resourcename"))
        })
        .collect();
    assert_eq!(seen, [("0", &*id, "Shop"), ("1", &*id, "Shop"), ("2", &*id, "Shop")]);
    let details: Value = serde_json::from_str(records[0]["all_details"].as_str().unwrap()).unwrap();
    assert_eq!(details["httptest.steps[1].url"], json!(["add", "http://h/a"]), "{details}");
    assert_eq!(details["httptest.http_user"], json!(["add", "ann"]));
    assert_eq!(details["httptest.http_password"], json!(["add", "******"]));
    assert!(!records.to_string().contains("secret"), "{records}");
    let is_of_items = |name: &String| name.ends_with(".key_");
    assert!(!details.as_object().unwrap().keys().any(is_of_items), "{details}");
}
