//! Overrides of discovery rules over the API, down to the discovered objects.

use model::ItemId;
use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn rule(holder: &str, overrides: Value) -> Value {
    json!({"hostid": holder, "name": "Disks", "key_": "disks", "type": 2, "overrides": overrides})
}

fn of_rule(admin: &Session<'_>, params: Value) -> Value {
    let mut params = params;
    params["output"] = json!(["itemid"]);
    params["selectOverrides"] = json!("extend");
    admin.call("discoveryrule.get", params)[0]["overrides"].clone()
}

/// All that an operation on items and triggers can say.
fn two() -> Value {
    json!([
        {"name": "late", "step": 2, "operations": [
            {"operationobject": 1, "operator": 8, "value": "full$", "opseverity": {"severity": 5},
                "opstatus": {"status": 1}, "optag": [{"tag": "scope", "value": "{#DISK}"}]}]},
        {"name": "early", "step": "1", "stop": "1",
            "filter": {"evaltype": "3", "formula": "A and not B", "conditions": [
                {"macro": "{#DISK}", "value": "^sd", "formulaid": "A"},
                {"macro": "{#KIND}", "operator": 12, "formulaid": "B"}]},
            "operations": [
                {"operationobject": "0", "operator": "2", "value": "Free",
                    "opdiscover": {"discover": "1"}},
                {"operationobject": "0", "value": "Size of sda", "opperiod": {"delay": "5m"},
                    "ophistory": {"history": "1d"}, "optrends": {"trends": 0}}]},
    ])
}

#[test]
fn overrides_read_back_in_their_order() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let id = admin.create("discoveryrule.create", rule(&host, two()));
    let read = of_rule(&admin, json!({"itemids": id}));
    let expected = json!([
        {"name": "early", "step": "1", "stop": "1",
            "filter": {"evaltype": "3", "formula": "A and not B", "eval_formula": "A and not B",
                "conditions": [
                    {"macro": "{#DISK}", "value": "^sd", "operator": "8", "formulaid": "A"},
                    {"macro": "{#KIND}", "value": "", "operator": "12", "formulaid": "B"}]},
            "operations": [
                {"operationobject": "0", "operator": "2", "value": "Free",
                    "opdiscover": {"discover": "1"}},
                {"operationobject": "0", "operator": "0", "value": "Size of sda",
                    "opperiod": {"delay": "5m"}, "ophistory": {"history": "1d"},
                    "optrends": {"trends": "0"}}]},
        {"name": "late", "step": "2", "stop": "0",
            "filter": {"evaltype": "0", "formula": "", "eval_formula": "", "conditions": []},
            "operations": [
                {"operationobject": "1", "operator": "8", "value": "full$",
                    "opstatus": {"status": "1"}, "opseverity": {"severity": "5"},
                    "optag": [{"tag": "scope", "value": "{#DISK}"}]}]},
    ]);
    assert_eq!(read, expected);
    // A client may send back the fields that it read; omitted ones keep their values.
    admin.call("discoveryrule.update", json!({"itemid": id, "overrides": read}));
    admin.call("discoveryrule.update", json!({"itemid": id, "name": "Other"}));
    assert_eq!(of_rule(&admin, json!({"itemids": id})), expected);
    admin.call("discoveryrule.update", json!({"itemid": id, "overrides": []}));
    assert_eq!(of_rule(&admin, json!({"itemids": id})), json!([]));
}

#[test]
fn overrides_of_a_template_work_on_its_hosts() {
    let server = Server::start();
    let admin = server.login();
    let template = admin.template("T");
    let source = admin.create("discoveryrule.create", rule(&template, two()));
    for name in ["Size", "Free"] {
        let prototype = json!({"ruleid": source, "hostid": template, "key_": format!("{name}[{{#DISK}}]"),
            "name": format!("{name} of {{#DISK}}"), "type": 2, "value_type": 3});
        admin.create("itemprototype.create", prototype);
    }
    let host = admin.host("h");
    let link = json!({"hosts": [{"hostid": host}], "templates": [{"templateid": template}]});
    admin.call("host.massadd", link);
    let rules = admin.call("discoveryrule.get", json!({"hostids": host, "output": ["itemid"]}));
    let id = rules[0]["itemid"].as_str().unwrap();
    let expected = of_rule(&admin, json!({"itemids": source}));
    assert_eq!(of_rule(&admin, json!({"itemids": id})), expected);
    let refused = admin.error("discoveryrule.update", json!({"itemid": id, "overrides": []}));
    assert!(refused.contains("inherited"), "{refused}");
    let rows = json!([{"{#DISK}": "sda"}, {"{#DISK}": "sdb", "{#KIND}": "ssd"}, {"{#DISK}": "md"}]);
    let rule = ItemId(id.parse().unwrap());
    let report = server.db.apply_lld(rule, &rows.to_string(), server.now()).unwrap();
    assert_eq!(report.error, "");
    let items = admin.call(
        "item.get",
        json!({"hostids": host, "output": ["key_", "history"], "sortfield": "key_"}),
    );
    let made: Vec<(&str, &str)> = items
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["key_"].as_str().unwrap(), it["history"].as_str().unwrap()))
        .collect();
    let expected = [
        ("Free[md]", "31d"),
        ("Free[sdb]", "31d"),
        ("Size[md]", "31d"),
        ("Size[sda]", "1d"),
        ("Size[sdb]", "31d"),
    ];
    assert_eq!(made, expected);
}

fn one(operation: Value) -> Value {
    json!([{"name": "o", "step": 1, "operations": [operation]}])
}

fn object(code: i64, field: &str, value: Value) -> Value {
    let mut operation = json!({"operationobject": code});
    operation[field] = value;
    one(operation)
}

fn at(path: &str, what: &str) -> String {
    format!("Invalid parameter \"/1/overrides/{path}\": {what}.")
}

fn refused(admin: &Session<'_>, rule: &str, overrides: &Value, expected: &str) {
    let params = json!({"itemid": rule, "overrides": overrides});
    assert_eq!(admin.error("discoveryrule.update", params), expected, "{overrides}");
}

#[test]
fn operations_of_all_kinds_are_taken() {
    let server = Server::start();
    let admin = server.login();
    let (host, template) = (admin.host("h"), admin.template("T"));
    let good = [
        json!({"operationobject": 2, "operator": 9, "value": "x", "opdiscover": {"discover": 0}}),
        json!({"operationobject": 3, "operator": 1, "opstatus": {"status": 1},
            "optemplate": [{"templateid": template}], "opinventory": {"inventory_mode": -1},
            "optag": {"tag": "t"}}),
        json!({"operationobject": 0, "operator": 8, "value": "@names",
            "opperiod": {"delay": "{$DELAY};50s/1-5,00:00-24:00"},
            "ophistory": {"history": "{#HISTORY}"}}),
    ];
    let id = admin.create("discoveryrule.create", rule(&host, json!([])));
    for operation in good {
        let params = json!({"itemid": id, "overrides": one(operation.clone())});
        admin.call("discoveryrule.update", params);
        let read = of_rule(&admin, json!({"itemids": id}));
        assert_eq!(read[0]["operations"].as_array().unwrap().len(), 1, "{operation}");
    }
}

#[test]
fn wrong_operations_are_refused() {
    let server = Server::start();
    let admin = server.login();
    let (host, template) = (admin.host("h"), admin.template("T"));
    let id = admin.create("discoveryrule.create", rule(&host, json!([])));
    for (overrides, expected) in [
        (json!([{"step": 1}]), at("1", "the parameter \"name\" is missing")),
        (json!([{"name": "o"}]), at("1", "the parameter \"step\" is missing")),
        (
            json!([{"name": "o", "step": 1}, {"name": "o", "step": 2}]),
            at("2", "value (name)=(o) already exists"),
        ),
        (
            json!([{"name": "o", "step": 1}, {"name": "p", "step": 1}]),
            at("2", "value (step)=(1) already exists"),
        ),
        (
            object(2, "opstatus", json!({"status": 0})),
            at("1/operations/1/opstatus", "should be empty"),
        ),
        (
            object(1, "opperiod", json!({"delay": "1m"})),
            at("1/operations/1/opperiod", "should be empty"),
        ),
        (
            object(0, "opseverity", json!({"severity": 1})),
            at("1/operations/1/opseverity", "should be empty"),
        ),
        (
            object(0, "optemplate", json!([{"templateid": template}])),
            at("1/operations/1/optemplate", "should be empty"),
        ),
        (
            object(1, "opseverity", json!({"severity": 6})),
            at("1/operations/1/opseverity/severity", "value must be one of 0, 1, 2, 3, 4, 5"),
        ),
        (
            object(0, "opstatus", json!({})),
            at("1/operations/1/opstatus", "the parameter \"status\" is missing"),
        ),
        (
            object(0, "ophistory", json!({"history": "long"})),
            at("1/operations/1/ophistory/history", "a time unit is expected"),
        ),
        (
            object(3, "optemplate", json!([{"templateid": 424_242}])),
            at("1/operations/1/optemplate/1/templateid", "a template ID is expected"),
        ),
        (
            one(json!({"operationobject": 0, "operator": 8, "value": "("})),
            at("1/operations/1/value", "invalid regular expression"),
        ),
    ] {
        refused(&admin, &id, &overrides, &expected);
    }
}

#[test]
fn wrong_filters_are_refused() {
    let server = Server::start();
    let admin = server.login();
    let id = admin.create("discoveryrule.create", rule(&admin.host("h"), json!([])));
    let filter = |filter: Value| json!([{"name": "o", "step": 1, "filter": filter}]);
    let custom = |formula: Option<&str>, letter: &str| {
        let conditions = [json!({"macro": "{#A}", "value": "x", "formulaid": letter})];
        match formula {
            Some(it) => json!({"evaltype": 3, "formula": it, "conditions": conditions}),
            None => json!({"evaltype": 3, "conditions": conditions}),
        }
    };
    let condition = |macro_: &str, value: &str| json!({"evaltype": 0, "conditions": [{"macro": macro_, "value": value}]});
    for (overrides, expected) in [
        (
            filter(condition("DISK", "x")),
            at("1/filter/conditions/1/macro", "a low-level discovery macro is expected"),
        ),
        (
            filter(condition("{#DISK}", "(")),
            at("1/filter/conditions/1/value", "invalid regular expression"),
        ),
        (filter(json!({"evaltype": 0})), at("1/filter", "the parameter \"conditions\" is missing")),
        (
            filter(json!({"evaltype": 1, "formula": "A", "conditions": []})),
            at("1/filter/formula", "value must be empty"),
        ),
        (filter(custom(None, "A")), at("1/filter", "the parameter \"formula\" is missing")),
        (filter(custom(Some(""), "A")), at("1/filter/formula", "cannot be empty")),
        (
            filter(custom(Some("A and"), "A")),
            at("1/filter/formula", "check expression starting from \"d\""),
        ),
        (
            filter(custom(Some("A and A2"), "A")),
            at("1/filter/formula", "check expression starting from \"A2\""),
        ),
        (
            filter(custom(Some("A or B"), "A")),
            at("1/filter/formula", "missing filter condition \"B\""),
        ),
        (
            filter(custom(Some("A"), "a")),
            at("1/filter/conditions/1/formulaid", "uppercase identifier expected"),
        ),
        (
            filter(json!({"evaltype": 3, "formula": "A", "conditions": [
                {"macro": "{#A}", "operator": 12, "formulaid": "A"},
                {"macro": "{#A}", "operator": 13, "formulaid": "B"}]})),
            at("1/filter/conditions/2/formulaid", "an identifier is not defined in the formula"),
        ),
        (
            filter(json!({"evaltype": 3, "formula": "A", "conditions": [
                {"macro": "{#A}", "operator": 12, "formulaid": "A"},
                {"macro": "{#B}", "operator": 12, "formulaid": "A"}]})),
            at("1/filter/conditions/2", "value (formulaid)=(A) already exists"),
        ),
        (
            filter(json!({"evaltype": 0, "conditions": [{"macro": "{#A}"}]})),
            at("1/filter/conditions/1", "the parameter \"value\" is missing"),
        ),
        (
            filter(json!({"evaltype": 0,
                "conditions": [{"macro": "{#A}", "operator": 12, "value": "x"}]})),
            at("1/filter/conditions/1/value", "value must be empty"),
        ),
    ] {
        refused(&admin, &id, &overrides, &expected);
    }
}
