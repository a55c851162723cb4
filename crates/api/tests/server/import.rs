//! Import of templates by programs and by the pages.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

const FILE: &str = r#"
zabbix_export:
  version: '7.0'
  template_groups:
    - {uuid: b0000000000000000000000000000001, name: Templates/Own}
  templates:
    - uuid: b0000000000000000000000000000002
      template: Web page
      groups: [{name: Templates/Own}]
      items:
        - uuid: b0000000000000000000000000000003
          name: Page
          type: TRAP
          key: page
          triggers:
            - {uuid: b0000000000000000000000000000004, name: Large, expression: 'last(/Web page/page)>5'}
        - uuid: b0000000000000000000000000000005
          name: Status
          type: SIMPLE
          key: 'vmware.version[{$URL}]'
      readme: What it is for
"#;

fn rules(names: &[&str]) -> Value {
    let rule = json!({"createMissing": true, "updateExisting": true});
    names.iter().map(|it| ((*it).to_owned(), rule.clone())).collect()
}

fn import(session: &Session<'_>, format: &str, source: &str, rules: &Value) -> Value {
    let params = json!({"format": format, "source": source, "rules": rules});
    session.server.call_as(Some(&session.id), "configuration.import", params)
}

#[test]
fn templates_are_imported_as_the_rules_say() {
    let server = Server::start();
    let admin = server.login();
    let some = rules(&["template_groups", "templates", "graphs", "templateDashboards"]);
    assert_eq!(import(&admin, "yaml", FILE, &some)["result"], true);
    let get = json!({"filter": {"host": "Web page"}, "output": ["host"],
        "selectItems": "count", "selectTriggers": "count"});
    let found = admin.call("template.get", get.clone());
    assert_eq!((&found[0]["items"], &found[0]["triggers"]), (&json!("0"), &json!("0")));
    let all = rules(&["template_groups", "templates", "items", "triggers"]);
    assert_eq!(import(&admin, "yaml", FILE, &all)["result"], true);
    let found = admin.call("template.get", get);
    assert_eq!((&found[0]["items"], &found[0]["triggers"]), (&json!("2"), &json!("1")));
}

/// A requested object is exported completely or refused.
#[test]
fn a_file_of_which_a_part_is_wrong_changes_nothing() {
    let server = Server::start();
    let admin = server.login();
    let map = "{name: m, width: 10, height: 10, selements: [{elementtype: 0, selementid: 1, \
        icon_off: {name: Server_(64)}, elements: [{host: none}]}]}";
    let file = format!("{FILE}  maps: [{map}]\n");
    let all = rules(&["template_groups", "templates", "items", "triggers", "maps"]);
    let answer = import(&admin, "yaml", &file, &all);
    let expected = "Cannot find host \"none\" used in map \"m\".";
    assert_eq!(answer["error"]["data"], expected, "{answer}");
    assert_eq!(answer["error"]["code"], -32500);
    let named = json!({"filter": {"host": "Web page"}});
    assert_eq!(admin.call("template.get", named.clone()), json!([]));
    let some = rules(&["template_groups", "templates", "items", "triggers"]);
    assert_eq!(import(&admin, "yaml", &file, &some)["result"], true);
    assert_eq!(admin.call("template.get", named).as_array().unwrap().len(), 1);
}

#[test]
fn errors_of_an_import_are_reported() {
    let server = Server::start();
    let admin = server.login();
    let data = |answer: &Value| answer["error"]["data"].as_str().unwrap_or_default().to_owned();
    let none = json!({"templates": {}});
    for (format, source, rules, expected) in [
        (
            "toml",
            FILE,
            &none,
            r#"Invalid parameter "/format": value must be one of "yaml", "xml", "json"."#,
        ),
        ("yaml", "", &none, r#"Cannot read YAML: File is empty."#),
        (
            "yaml",
            FILE,
            &json!({"cats": {}}),
            r#"Invalid parameter "/rules": unexpected parameter "cats"."#,
        ),
        (
            "yaml",
            FILE,
            &json!({"templates": {"deleteMissing": true}}),
            r#"Invalid parameter "/rules/templates": unexpected parameter "deleteMissing"."#,
        ),
        ("yaml", FILE, &rules(&["templates"]), r#"Group "Templates/Own" does not exist."#),
    ] {
        let answer = import(&admin, format, source, rules);
        assert_eq!(data(&answer), expected, "{answer}");
    }
    let answer = import(&admin, "json", FILE, &none);
    assert!(data(&answer).starts_with("Cannot read JSON: "), "{answer}");
    assert_eq!(admin.call("template.get", json!({"filter": {"host": "Web page"}})), json!([]));
}

/// A template with a calculated item and a calculated prototype.
fn calculated(formula: &str, of_prototype: &str) -> String {
    let item = |uuid: u8, key: &str, formula: &str| {
        json!({"uuid": format!("b00000000000000000000000000000{uuid}"), "name": key, "key": key,
            "type": "CALCULATED", "params": formula})
    };
    let rule = json!({"uuid": "b0000000000000000000000000000012", "name": "Parts",
        "key": "parts", "type": "TRAP", "item_prototypes": [item(13, "twice[{#A}]", of_prototype)]});
    let file = json!({"zabbix_export": {
        "version": "7.0",
        "template_groups": [{"uuid": "b0000000000000000000000000000001", "name": "Templates/Own"}],
        "templates": [{
            "uuid": "b0000000000000000000000000000002", "template": "Sums",
            "groups": [{"name": "Templates/Own"}],
            "items": [item(10, "good", "1+1"), item(11, "twice", formula)],
            "discovery_rules": [rule],
        }],
    }});
    file.to_string()
}

#[test]
fn a_bad_formula_is_refused_with_its_place() {
    let server = Server::start();
    let admin = server.login();
    let all = rules(&["template_groups", "templates", "items", "discoveryRules"]);
    let (good, prototype) = ("2*last(//good)", "last(//parts[{#A}])");
    let template = json!({"filter": {"host": "Sums"}});
    for (formula, of_prototype, what, place) in [
        (
            "2*last(//good",
            prototype,
            "incorrect expression",
            "/templates/template(1)/items/item(2)",
        ),
        ("2*nofunction(//good)", prototype, "nofunction", "/templates/template(1)/items/item(2)"),
        (
            good,
            "last(//x",
            "incorrect expression",
            "/templates/template(1)/discovery_rules/discovery_rule(1)/item_prototypes/item_prototype(1)",
        ),
    ] {
        let answer = import(&admin, "json", &calculated(formula, of_prototype), &all);
        let data = answer["error"]["data"].as_str().unwrap_or_default();
        for part in ["/1/params", what, place] {
            assert!(data.contains(part), "no {part} in {answer}");
        }
        assert_eq!(
            admin.call("template.get", template.clone()),
            json!([]),
            "nothing is left of it"
        );
    }
    assert_eq!(import(&admin, "json", &calculated(good, prototype), &all)["result"], true);
    // As an update too; existing objects stay.
    let answer = import(&admin, "json", &calculated("last(", prototype), &all);
    assert!(
        answer["error"]["data"].as_str().unwrap().contains("/templates/template(1)/items/item(2)"),
        "{answer}"
    );
    let items = json!({"filter": {"key_": "twice"}, "output": ["params"], "templated": true});
    assert_eq!(admin.call("item.get", items)[0]["params"], good);
}

#[test]
fn import_reports_left_out_parts_and_needs_a_super_admin() {
    let server = Server::start();
    let admin = server.login();
    let all = rules(&["template_groups", "templates", "items", "triggers"]);
    let body = json!({"source": FILE, "rules": all}).to_string();
    let post = |session: &Session<'_>| {
        let bearer = format!("Bearer {}", session.id);
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        server.post("/api/v1/import", &headers, body.as_bytes())
    };
    let answer = post(&admin);
    let expected = json!({"templates": ["Web page"], "left_out": {"readme": 1},
        "not_collected": [{"type": "3", "items": 1, "templates": ["Web page"]}], "hosts": [],
        "changes": {
            "items": {"created": 2, "updated": 0, "deleted": 0},
            "template_groups": {"created": 1, "updated": 0, "deleted": 0},
            "templates": {"created": 1, "updated": 0, "deleted": 0},
            "triggers": {"created": 1, "updated": 0, "deleted": 0}}});
    assert_eq!(answer.json(), expected);
    // The audit log has the same, from each kind of caller.
    let records = admin
        .call("auditlog.get", json!({"filter": {"resourcetype": 30}, "selectAllDetails": true}));
    let reported = |field: &str| {
        let details =
            records.as_array().unwrap().iter().map(|it| it["all_details"].as_str().unwrap());
        let details = details.map(|it| serde_json::from_str(it).unwrap_or(Value::Null));
        let reported = details.map(|it: Value| it[format!("template.import.{field}")][1].clone());
        reported.collect::<Vec<_>>()
    };
    assert!(reported("left_out.readme").contains(&json!("1")));
    assert!(reported("not_collected.type.3.items").contains(&json!("1")));
    assert!(reported("not_collected.type.3.templates").contains(&json!("Web page")));
    let group = admin.create("usergroup.create", json!({"name": "Half"}));
    let user = json!({"username": "half", "passwd": "a long one 4 all", "roleid": "2",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let half = server.login_as("half", "a long one 4 all");
    assert_ne!(post(&half).status, 200);
    let answer = import(&half, "yaml", FILE, &all);
    let expected = "No permissions to call \"templategroup.create\".";
    assert_eq!(answer["error"]["data"], expected);
}

fn export(session: &Session<'_>, format: &str, options: &Value) -> Value {
    let params = json!({"format": format, "options": options, "prettyprint": true});
    session.server.call_as(Some(&session.id), "configuration.export", params)
}

#[test]
fn imported_objects_are_exported_in_each_format() {
    let server = Server::start();
    let admin = server.login();
    let all = rules(&["template_groups", "templates", "items", "triggers"]);
    assert_eq!(import(&admin, "yaml", FILE, &all)["result"], true);
    let named = json!({"filter": {"host": "Web page"}, "output": ["templateid"]});
    let id = admin.call("template.get", named)[0]["templateid"].clone();
    for (format, start) in [
        (
            "yaml",
            "zabbix_export:\n  version: '7.0'\n  template_groups:\n    - uuid: b0000000000000000000000000000001\n",
        ),
        ("json", "{\n    \"zabbix_export\": {\n        \"version\": \"7.0\","),
        (
            "xml",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<zabbix_export>\n    <version>7.0</version>\n",
        ),
    ] {
        let answer = export(&admin, format, &json!({"templates": [id]}));
        let text = answer["result"].as_str().unwrap();
        assert!(text.starts_with(start), "{text}");
        assert!(
            text.contains("last(/Web page/page)&gt;5") || text.contains("last(/Web page/page)>5")
        );
        // It is the present configuration.
        let params = json!({"format": format, "source": text, "rules": all});
        assert_eq!(admin.call("configuration.importcompare", params), json!([]));
    }
    let raw = export(&admin, "raw", &json!({"templates": [id]}));
    assert_eq!(raw["result"]["zabbix_export"]["templates"][0]["template"], "Web page");
    let nothing = export(&admin, "yaml", &json!({}));
    assert_eq!(nothing["result"], "zabbix_export:\n  version: '7.0'\n");
}

#[test]
fn objects_that_cannot_be_exported_are_reported() {
    let server = Server::start();
    let admin = server.login();
    // Missing objects are left out.
    let nothing = "zabbix_export:\n  version: '7.0'\n";
    for options in [json!({"templates": ["999999"]}), json!({"maps": ["1"]})] {
        assert_eq!(export(&admin, "yaml", &options)["result"], nothing);
    }
    for (format, options, expected) in [
        (
            "yaml",
            json!({"cats": ["1"]}),
            r#"Invalid parameter "/options": unexpected parameter "cats"."#,
        ),
        (
            "toml",
            json!({}),
            r#"Invalid parameter "/format": value must be one of "yaml", "xml", "json", "raw"."#,
        ),
    ] {
        let answer = export(&admin, format, &options);
        assert_eq!(answer["error"]["data"], expected, "{answer}");
    }
    // A user exports readable objects, and no media types.
    let role =
        admin.call("role.get", json!({"filter": {"name": "User role"}}))[0]["roleid"].clone();
    let group = admin.call("usergroup.create", json!({"name": "Readers"}))["usrgrpids"][0].clone();
    let user = json!({"username": "reader", "passwd": "Zabbix-7-reads", "roleid": role, "usrgrps": [{"usrgrpid": group}]});
    admin.call("user.create", user);
    let reader = server.login_as("reader", "Zabbix-7-reads");
    let all = rules(&["template_groups", "templates", "items", "triggers"]);
    assert_eq!(import(&admin, "yaml", FILE, &all)["result"], true);
    let template = admin.call("template.get", json!({"limit": 1}))[0]["templateid"].clone();
    let hook = json!({"name": "Hook", "type": "4", "script": "return 1"});
    let media_type = admin.create("mediatype.create", hook);
    for options in [json!({"templates": [template]}), json!({"mediaTypes": [media_type]})] {
        assert!(export(&admin, "json", &options)["result"].is_string());
        assert_eq!(export(&reader, "yaml", &options)["result"], nothing);
    }
}

#[test]
fn an_import_preview_lists_changes_and_makes_none() {
    let server = Server::start();
    let admin = server.login();
    let all = rules(&["template_groups", "templates", "items", "triggers"]);
    let compare = |source: &str, rules: &Value| {
        let params = json!({"format": "yaml", "source": source, "rules": rules});
        admin.call("configuration.importcompare", params)
    };
    let added = compare(FILE, &all);
    assert_eq!(added["template_groups"]["added"][0]["after"]["name"], "Templates/Own");
    let items = &added["templates"]["added"][0]["items"]["added"];
    assert_eq!((&items[0]["after"]["key"], items.as_array().unwrap().len()), (&json!("page"), 2));
    assert_eq!(items[0]["triggers"]["added"][0]["after"]["name"], "Large");
    let named = json!({"filter": {"host": "Web page"}});
    assert_eq!(admin.call("template.get", named), json!([]));

    assert_eq!(import(&admin, "yaml", FILE, &all)["result"], true);
    let other = FILE.replace("name: Page", "name: Whole page").replace(">5", ">6");
    let changed = compare(&other, &all);
    let item = &changed["templates"]["updated"][0]["items"]["updated"][0];
    assert_eq!(
        (&item["before"]["name"], &item["after"]["name"]),
        (&json!("Page"), &json!("Whole page"))
    );
    let trigger = &item["triggers"]["updated"][0];
    assert_eq!(trigger["after"]["expression"], "last(/Web page/page)>6");
    // Changes that the rules do not allow are not listed.
    let some = json!({"templates": {"updateExisting": true}, "items": {"createMissing": true}});
    assert_eq!(compare(&other, &some), json!([]));
    let gone = json!({"templates": {"updateExisting": true}, "items": {"deleteMissing": true}});
    let short = FILE.split("      items:").next().unwrap();
    let removed = compare(short, &gone);
    assert_eq!(removed["templates"]["updated"][0]["items"]["removed"].as_array().unwrap().len(), 2);
}

/// A template with a rule, a prototype of a rule in it, and one in that, each with prototypes of all kinds.
fn nested(admin: &Session<'_>) -> String {
    let template = admin.template("Nested");
    let of = |more: Value| {
        let mut fields = json!({"hostid": template});
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fields
    };
    let rule =
        admin.create("discoveryrule.create", of(json!({"name": "r", "key_": "r", "type": 2})));
    let outer = admin.create(
        "discoveryruleprototype.create",
        of(json!({"ruleid": rule, "name": "Outer", "key_": "o[{#A}]", "type": 23})),
    );
    let inner = admin.create(
        "discoveryruleprototype.create",
        of(json!({"ruleid": outer, "name": "Inner", "key_": "n[{#B}]", "type": 23})),
    );
    for (rule, key, name) in [(&outer, "i[{#A}]", "{#A}"), (&inner, "j[{#B}]", "{#B}")] {
        let item = admin.create(
            "itemprototype.create",
            of(json!({"ruleid": rule, "name": key, "key_": key, "type": 2, "value_type": 3})),
        );
        admin.create(
            "graphprototype.create",
            json!({"name": format!("Graph {key}"), "gitems": [{"itemid": item, "color": "00AA00"}]}),
        );
        admin.create(
            "triggerprototype.create",
            json!({"description": format!("High {key}"), "expression": format!("last(/Nested/{key})>1")}),
        );
        admin.create(
            "hostprototype.create",
            json!({"ruleid": rule, "host": format!("vm {name}"), "groupLinks": [{"groupid": "2"}]}),
        );
    }
    template
}

/// With rule prototypes and all objects below them.
#[test]
fn an_import_preview_lists_changes_of_nested_rules() {
    let server = Server::start();
    let admin = server.login();
    let template = nested(&admin);
    let everything = rules(&[
        "template_groups",
        "templates",
        "items",
        "discoveryRules",
        "triggers",
        "graphs",
        "host_groups",
    ]);
    let text = export(&admin, "json", &json!({"templates": [template]}))["result"].clone();
    let compare = |source: &Value| {
        let params = json!({"format": "json", "source": source.to_string(), "rules": everything});
        admin.call("configuration.importcompare", params)
    };
    let file: Value = serde_json::from_str(text.as_str().unwrap()).unwrap();
    assert_eq!(compare(&file), json!([]), "it is what is there");

    let mut other = file;
    let list = |of: &mut Value| -> Vec<Value> {
        let found = &of["zabbix_export"]["templates"][0]["discovery_rules"];
        found.as_array().unwrap().clone()
    };
    let mut found = list(&mut other);
    assert_eq!(found.len(), 3, "prototypes stand in the list of rules");
    let place = |found: &[Value], key: &str| found.iter().position(|it| it["key"] == key).unwrap();
    let (at_outer, at_inner) = (place(&found, "o[{#A}]"), place(&found, "n[{#B}]"));
    found[at_outer]["name"] = json!("Outside");
    let below = &mut found[at_inner];
    below["item_prototypes"][0]["name"] = json!("J");
    // Of one item alone, so that it is below it.
    below["item_prototypes"][0]["trigger_prototypes"][0]["name"] = json!("Higher");
    below["graph_prototypes"][0]["width"] = json!("1200");
    below["host_prototypes"][0]["name"] = json!("Machine {#B}");
    let mut new = below.clone();
    new["uuid"] = json!("c0000000000040008000000000000001");
    new["key"] = json!("new[{#C}]");
    new["parent_discovery_rule"] = json!({"key": "n[{#B}]"});
    for list in ["item_prototypes", "graph_prototypes", "host_prototypes"] {
        new.as_object_mut().unwrap().remove(list);
    }
    found.push(new);
    other["zabbix_export"]["templates"][0]["discovery_rules"] = json!(found);
    let changes = compare(&other);
    let of_rules = &changes["templates"]["updated"][0]["discovery_rules"];
    assert_eq!(of_rules["added"][0]["after"]["key"], "new[{#C}]", "{changes}");
    assert_eq!(of_rules["added"][0]["after"]["parent_discovery_rule"], json!({"key": "n[{#B}]"}));
    let updated = of_rules["updated"].as_array().unwrap();
    let named = |key: &str| {
        let found = updated.iter().find(|it| it["after"]["key"] == key);
        found.unwrap_or_else(|| panic!("{key} in {changes}"))
    };
    assert_eq!(updated.len(), 2, "{changes}");
    assert_eq!(named("o[{#A}]")["after"]["name"], "Outside");
    let inner = named("n[{#B}]");
    let item = &inner["item_prototypes"]["updated"][0];
    assert_eq!((&item["before"]["name"], &item["after"]["name"]), (&json!("j[{#B}]"), &json!("J")));
    // It is the same one, by its UUID.
    let trigger = &item["trigger_prototypes"]["updated"][0];
    assert_eq!(trigger["before"]["name"], "High j[{#B}]", "{inner}");
    assert_eq!(trigger["after"]["name"], "Higher");
    assert_eq!(inner["graph_prototypes"]["updated"][0]["after"]["width"], "1200", "{inner}");
    assert_eq!(inner["host_prototypes"]["updated"][0]["after"]["name"], "Machine {#B}", "{inner}");
    assert!(named("o[{#A}]").get("item_prototypes").is_none(), "unchanged objects are not listed");

    // Nothing was done by looking; then it is done, and there is nothing more to do.
    assert_ne!(compare(&other), json!([]));
    assert_eq!(import(&admin, "json", &other.to_string(), &everything)["result"], true);
    assert_eq!(compare(&other), json!([]));
    // An object that the file no longer has is deleted, with the objects below it.
    found.retain(|it| it["key"] == "r");
    other["zabbix_export"]["templates"][0]["discovery_rules"] = json!(found);
    assert_eq!(removed(&admin, &other, &everything), 3);
}

/// The number of rules that an import would delete with `deleteMissing` of discovery rules.
fn removed(admin: &Session<'_>, file: &Value, rules: &Value) -> usize {
    let mut rules = rules.clone();
    rules["discoveryRules"]["deleteMissing"] = json!(true);
    let params = json!({"format": "json", "source": file.to_string(), "rules": rules});
    let changes = admin.call("configuration.importcompare", params);
    let removed = &changes["templates"]["updated"][0]["discovery_rules"]["removed"];
    removed.as_array().unwrap_or_else(|| panic!("{changes}")).len()
}
