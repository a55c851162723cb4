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
          type: BROWSER
          key: status
          params: return 1
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

/// What a client asks for comes whole or is refused.
#[test]
fn hosts_and_other_kinds_without_a_place_are_refused_by_name() {
    let server = Server::start();
    let admin = server.login();
    let file = format!("{FILE}  hosts: [{{host: a}}, {{host: b}}]\n  maps: [{{name: m}}]\n");
    let all = rules(&["template_groups", "templates", "items", "triggers", "hosts", "maps"]);
    let answer = import(&admin, "yaml", &file, &all);
    let expected = "Cannot import hosts (2), maps (1): not supported yet. Nothing was imported.";
    assert_eq!(answer["error"]["data"], expected, "{answer}");
    assert_eq!(answer["error"]["code"], -32500);
    let named = json!({"filter": {"host": "Web page"}});
    assert_eq!(admin.call("template.get", named.clone()), json!([]));
    let some = rules(&["template_groups", "templates", "items", "triggers"]);
    assert_eq!(import(&admin, "yaml", &file, &some)["result"], true);
    assert_eq!(admin.call("template.get", named).as_array().unwrap().len(), 1);
}

#[test]
fn what_is_wrong_with_an_import_is_told() {
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
    // As an update too; what is there stays.
    let answer = import(&admin, "json", &calculated("last(", prototype), &all);
    assert!(
        answer["error"]["data"].as_str().unwrap().contains("/templates/template(1)/items/item(2)"),
        "{answer}"
    );
    let items = json!({"filter": {"key_": "twice"}, "output": ["params"], "templated": true});
    assert_eq!(admin.call("item.get", items)[0]["params"], good);
}

#[test]
fn the_pages_learn_what_was_left_out_and_only_super_admins_import() {
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
        "not_collected": [{"type": "22", "items": 1, "templates": ["Web page"]}]});
    assert_eq!(answer.json(), expected);
    // The audit log tells the same, whoever imports.
    let records = admin.call("auditlog.get", json!({"filter": {"resourcetype": 30}}));
    let reported = |field: &str| {
        let details = records.as_array().unwrap().iter().map(|it| it["details"].as_str().unwrap());
        let details = details.map(|it| serde_json::from_str(it).unwrap_or(Value::Null));
        let reported = details.map(|it: Value| it[format!("template.import.{field}")][1].clone());
        reported.collect::<Vec<_>>()
    };
    assert!(reported("left_out.readme").contains(&json!("1")));
    assert!(reported("not_collected.type.22.items").contains(&json!("1")));
    assert!(reported("not_collected.type.22.templates").contains(&json!("Web page")));
    let group = admin.create("usergroup.create", json!({"name": "Half"}));
    let user = json!({"username": "half", "passwd": "a long one 4 all", "roleid": "2",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let half = server.login_as("half", "a long one 4 all");
    assert_ne!(post(&half).status, 200);
    let answer = import(&half, "yaml", FILE, &all);
    let expected = "No permissions to call \"configuration.import\".";
    assert_eq!(answer["error"]["data"], expected);
}
