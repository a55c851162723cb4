//! Errors of items, steps, triggers and discovery rules, in the words of Zabbix 7.0.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn with(mut base: Value, more: &Value) -> Value {
    base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    base
}

fn field(path: &str, what: &str) -> String {
    format!("Invalid parameter \"{path}\": {what}.")
}

/// The errors of `method` for `base` with each of these in addition.
fn refuses(admin: &Session<'_>, method: &str, base: &Value, cases: &[(Value, String)]) {
    for (more, expected) in cases {
        let reported = admin.error(method, with(base.clone(), more));
        assert_eq!(reported, *expected, "{method} {more}");
    }
}

fn takes(admin: &Session<'_>, method: &str, base: &Value, cases: &[Value]) {
    for (n, more) in cases.iter().enumerate() {
        let key = base["key_"].as_str().unwrap();
        let key = key.replacen('n', &format!("t{n}"), 1);
        admin.create(method, with(with(base.clone(), &json!({"key_": key})), more));
    }
}

fn trapper(host: &str) -> Value {
    json!({"hostid": host, "name": "n", "key_": "n", "type": 2, "value_type": 0})
}

const STEPS: &str = "/1/preprocessing/1";

fn step(kind: u16, params: &str) -> Value {
    json!({"preprocessing": [{"type": kind, "params": params, "error_handler": 0}]})
}

/// Of a kind that never fails.
fn sure(kind: u16, params: &str) -> Value {
    json!({"preprocessing": [{"type": kind, "params": params}]})
}

fn steps(list: &[(u16, &str)]) -> Value {
    let steps = list.iter().map(|(kind, params)| match kind {
        26 => json!({"type": 26, "params": params, "error_handler": 1}),
        19 | 20 => json!({"type": kind, "params": params}),
        _ => json!({"type": kind, "params": params, "error_handler": 0}),
    });
    json!({"preprocessing": steps.collect::<Value>()})
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn parameters_of_steps_are_those_of_their_kind() {
    let server = Server::start();
    let admin = server.login();
    let base = trapper(&admin.host("h"));
    let at = |n: usize, what: &str| field(&format!("{STEPS}/params/{n}"), what);
    let whole = |what: &str| field(&format!("{STEPS}/params"), what);
    let missing = |name: &str| format!("the parameter \"{name}\" is missing");
    let float = "a floating point value is expected";
    let cases = [
        (json!({"preprocessing": [{}]}), field(STEPS, &missing("type"))),
        (json!({"preprocessing": [{"type": 12}]}), field(STEPS, &missing("params"))),
        (step(1, ""), at(1, float)),
        (step(1, "1x"), at(1, float)),
        (step(1, "{#N}"), at(1, float)),
        (step(1, "1\n2"), whole("unexpected parameter \"2\"")),
        (sure(2, ""), at(1, "cannot be empty")),
        (step(5, "^a"), whole(&missing("2"))),
        (step(5, "^a\n"), at(2, "cannot be empty")),
        (step(5, "(\n\\1"), at(1, "invalid regular expression")),
        (step(6, "x"), whole("value must be empty")),
        (sure(19, "x"), whole("value must be empty")),
        (step(11, ""), at(1, "cannot be empty")),
        (step(13, "a\n1"), at(1, float)),
        (step(13, "\n"), at(1, float)),
        (step(13, "1"), whole(&missing("2"))),
        (
            step(13, "5\n1"),
            at(
                2,
                &format!(
                    "cannot be less than or equal to the value of parameter \"{STEPS}/params/1\""
                ),
            ),
        ),
        (step(14, "["), at(1, "invalid regular expression")),
        (sure(20, ""), at(1, "cannot be empty")),
        (sure(20, "x"), at(1, "a time unit is expected")),
        (sure(20, "0"), at(1, "value must be one of 1-788400000")),
        (sure(20, "26y"), at(1, "a time unit is expected")),
        (sure(21, ""), at(1, "cannot be empty")),
        (step(22, ""), at(1, "cannot be empty")),
        (step(22, "{\nvalue\n"), at(1, "invalid Prometheus pattern")),
        (step(22, "a"), whole(&missing("2"))),
        (step(22, "a\nb"), at(2, "value must be one of \"value\", \"label\", \"function\"")),
        (step(22, "a\nvalue\nx"), at(3, "value must be empty")),
        (step(22, "a\nlabel\n"), at(3, "cannot be empty")),
        (step(22, "a\nlabel\n1"), at(3, "invalid Prometheus label")),
        (
            step(22, "a\nfunction\nx"),
            at(3, "value must be one of \"sum\", \"min\", \"max\", \"avg\", \"count\""),
        ),
        (step(23, "{"), at(1, "invalid Prometheus pattern")),
        (step(24, ""), whole(&missing("2"))),
        (step(24, ",,\n\"\n1"), at(1, "value is too long")),
        (step(24, ",\n\"\n2"), at(3, "value must be one of 0, 1")),
        (sure(25, "\na"), at(1, "cannot be empty")),
        (step(28, "1.3"), whole(&missing("2"))),
        (step(28, "1.3\n4"), at(2, "value must be one of 0, 1, 2, 3")),
        (step(29, "{#A}\n1.3"), whole(&missing("3"))),
        (step(29, "{#A}\n1.3\n0\n{#B}"), whole(&missing("5"))),
        (step(30, "0"), at(1, "value must be one of 1, 2, 3")),
        (steps(&[(26, "")]), at(1, "an integer is expected")),
        (steps(&[(26, "5")]), at(1, "value must be one of -1, 0, 1")),
        (steps(&[(26, "-1\n1")]), whole("unexpected parameter \"2\"")),
        (steps(&[(26, "0")]), whole(&missing("2"))),
        (steps(&[(26, "0\nab[c")]), at(2, "invalid regular expression")),
    ];
    refuses(&admin, "item.create", &base, &cases);
    let good = [
        step(1, "{$A}"),
        step(1, "-1e3"),
        step(13, "\n5"),
        step(13, "{$A}\n5"),
        step(22, "a{b=\"c\"}==1\nvalue"),
        step(22, "{$P}\nlabel\nx"),
        step(23, ""),
        sure(25, "a"),
        sure(21, "return value;\nnot used"),
        step(24, "\n\n0"),
        step(29, "{#A}\n1.3\n0\n{#B}\n1.4\n1"),
        steps(&[(26, "0\n{$P}"), (26, "0\n{$P}")]),
    ];
    takes(&admin, "item.create", &base, &good);
}

#[test]
fn error_handlers_of_steps_are_given_once_each() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let base = trapper(&host);
    let handler = |kind: u16, params: &str, handler: u8, more: Option<&str>| {
        let mut step = json!({"type": kind, "params": params, "error_handler": handler});
        if let Some(it) = more {
            step["error_handler_params"] = json!(it);
        }
        json!({"preprocessing": [step]})
    };
    let at_handler = |what: &str| field(&format!("{STEPS}/error_handler"), what);
    let at_params = |what: &str| field(&format!("{STEPS}/error_handler_params"), what);
    let missing = |name: &str| field(STEPS, &format!("the parameter \"{name}\" is missing"));
    let one = |group: &str| {
        let what =
            format!("only one object can exist within the combinations of (type)=(({group}))");
        field("/1/preprocessing/2", &what)
    };
    let cases = [
        (sure(12, "$"), missing("error_handler")),
        (handler(12, "$", 2, None), missing("error_handler_params")),
        (handler(12, "$", 3, Some("")), at_params("cannot be empty")),
        (handler(12, "$", 1, Some("x")), at_params("value must be empty")),
        (handler(2, "x", 1, None), at_handler("value must be 0")),
        (handler(20, "1h", 1, None), at_handler("value must be 0")),
        (handler(26, "-1", 0, None), at_handler("value must be one of 1, 2, 3")),
        (steps(&[(9, ""), (10, "")]), one("9, 10")),
        (steps(&[(10, ""), (10, "")]), one("9, 10")),
        (steps(&[(19, ""), (20, "1h")]), one("19, 20")),
        (steps(&[(22, "a\nvalue\n"), (23, "")]), one("22, 23")),
        (
            steps(&[(26, "-1"), (26, "-1")]),
            field("/1/preprocessing/2", "value (type, params)=(26, -1) already exists"),
        ),
    ];
    refuses(&admin, "item.create", &base, &cases);
    let rule = json!({"hostid": host, "name": "r", "key_": "r", "type": 2});
    let kinds =
        "value must be one of 5, 11, 12, 14, 15, 16, 17, 20, 21, 23, 24, 25, 27, 28, 29, 30";
    let of_rule = [(steps(&[(26, "-1")]), field(&format!("{STEPS}/type"), kinds))];
    refuses(&admin, "discoveryrule.create", &rule, &of_rule);

    let sorted = steps(&[(26, "-1"), (12, "$.a"), (26, "0\nb")]);
    let id = admin.create("item.create", with(base, &sorted));
    let params = json!({"itemids": id, "selectPreprocessing": ["params"], "output": ["itemid"]});
    let kept = admin.call("item.get", params);
    let params = [json!({"params": "0\nb"}), json!({"params": "-1"}), json!({"params": "$.a"})];
    assert_eq!(kept[0]["preprocessing"], json!(params));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn fields_are_those_of_the_type_of_check() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let master = admin.trapper(&host, "k");
    let missing = |name: &str| field("/1", &format!("the parameter \"{name}\" is missing"));
    let at = |name: &str, what: &str| field(&format!("/1/{name}"), what);
    let empty = |name: &str| at(name, "value must be empty");
    let base = trapper(&host);
    let unused = [
        (json!({"master_itemid": master}), at("master_itemid", "value must be 0")),
        (json!({"interfaceid": "999999"}), at("interfaceid", "value must be 0")),
        (json!({"snmp_oid": "1.3"}), empty("snmp_oid")),
        (json!({"params": "x"}), empty("params")),
        (json!({"timeout": "3s"}), empty("timeout")),
        (json!({"delay": "1m"}), at("delay", "value must be 0")),
        (json!({"url": "http://h"}), empty("url")),
        (json!({"headers": [{"name": "a", "value": "b"}]}), at("headers", "should be empty")),
        (json!({"parameters": [{"name": "a", "value": "b"}]}), at("parameters", "should be empty")),
        (json!({"status_codes": "404"}), at("status_codes", "value must be 200")),
        (json!({"follow_redirects": 0}), at("follow_redirects", "value must be 1")),
        (json!({"trapper_hosts": "a b"}), at("trapper_hosts", "invalid address range \"a b\"")),
    ];
    refuses(&admin, "item.create", &base, &unused);
    let of = |kind: u8, more: &Value| with(json!({"type": kind, "delay": "1m"}), more);
    let http = |more: Value| of(19, &with(json!({"url": "http://h"}), &more));
    let cases = [
        (json!({"type": 18}), missing("master_itemid")),
        (json!({"type": 18, "master_itemid": "0"}), at("master_itemid", "an item ID is expected")),
        (
            json!({"type": 18, "master_itemid": master, "delay": "1m"}),
            at("delay", "value must be 0"),
        ),
        (json!({"type": 7}), missing("delay")),
        (
            json!({"type": 7, "key_": "mqtt.get[a,b]", "delay": "1m"}),
            at("delay", "value must be 0"),
        ),
        (of(19, &json!({})), missing("url")),
        (of(19, &json!({"url": ""})), at("url", "cannot be empty")),
        (http(json!({"timeout": "0"})), at("timeout", "value must be one of 1-600")),
        (http(json!({"timeout": "x"})), at("timeout", "a time unit is expected")),
        (http(json!({"status_codes": "x"})), at("status_codes", "invalid range expression")),
        (http(json!({"post_type": 2})), missing("posts")),
        (http(json!({"post_type": 2, "posts": "{"})), at("posts", "JSON is expected")),
        (http(json!({"post_type": 3, "posts": "<"})), at("posts", "XML is expected")),
        (http(json!({"username": "u"})), empty("username")),
        (http(json!({"trapper_hosts": "a"})), empty("trapper_hosts")),
        (
            http(json!({"request_method": 3, "retrieve_mode": 0})),
            at("retrieve_mode", "value must be 1"),
        ),
        (
            http(json!({"query_fields": [{"name": "", "value": ""}]})),
            at("query_fields/1/name", "cannot be empty"),
        ),
        (
            http(json!({"headers": [{"name": "a"}]})),
            field("/1/headers/1", "the parameter \"value\" is missing"),
        ),
        (of(15, &json!({})), missing("params")),
        (of(15, &json!({"params": ""})), at("params", "cannot be empty")),
        (
            of(
                21,
                &json!({"params": "x", "parameters": [
                {"name": "a", "value": ""}, {"name": "a", "value": "b"}]}),
            ),
            field("/1/parameters/2", "value (name)=(a) already exists"),
        ),
        (of(13, &json!({"params": "x"})), missing("username")),
        (
            of(13, &json!({"params": "x", "username": "u", "authtype": 2})),
            at("authtype", "value must be one of 0, 1"),
        ),
        (of(13, &json!({"params": "x", "username": "u", "authtype": 1})), missing("publickey")),
        (of(13, &json!({"params": "x", "username": "u", "privatekey": "k"})), empty("privatekey")),
        (of(11, &json!({})), missing("params")),
        (of(3, &json!({"key_": "icmpping", "timeout": "3s"})), empty("timeout")),
        (
            of(16, &json!({"username": "u"})),
            field("/1", "both username and password should be either present or empty"),
        ),
    ];
    refuses(&admin, "item.create", &base, &cases);
    let good = [
        json!({"delay": "", "headers": [], "interfaceid": "0", "timeout": ""}),
        http(
            json!({"post_type": 2, "posts": "{\"a\": {$A}, \"{HOST.HOST}\": [1]}", "timeout": "10m"}),
        ),
        http(json!({"post_type": 3, "posts": "<a b=\"{$C}\"/>", "status_codes": "200-299,{$OK}"})),
        http(json!({"allow_traps": 1, "trapper_hosts": "192.0.2.0/24,{HOST.CONN}"})),
        http(json!({"authtype": 1, "username": "u", "request_method": 3, "retrieve_mode": 1})),
        of(
            13,
            &json!({"params": "x", "username": "u", "authtype": 1, "publickey": "a", "privatekey": "b"}),
        ),
    ];
    takes(&admin, "item.create", &base, &good);

    // Previous values decide where an update omits a field.
    let id = admin.create("item.create", with(base, &http(json!({"key_": "page"}))));
    for (change, expected) in [
        (json!({"url": ""}), at("url", "cannot be empty")),
        (json!({"snmp_oid": "1.3"}), empty("snmp_oid")),
        (json!({"post_type": 2}), at("posts", "cannot be empty")),
        (json!({"type": 15}), at("params", "cannot be empty")),
        (json!({"type": 2, "url": "http://h"}), empty("url")),
    ] {
        let params = with(json!({"itemid": id}), &change);
        assert_eq!(admin.error("item.update", params), expected, "{change}");
    }
    admin.call("item.update", json!({"itemid": id, "timeout": "3s", "posts": "a"}));
    admin.call("item.update", json!({"itemid": id, "type": 2, "delay": "0"}));
}

#[test]
fn periods_and_intervals_are_what_can_be_computed() {
    let server = Server::start();
    let admin = server.login();
    let base = trapper(&admin.host("h"));
    let at = |name: &str, what: &str| field(&format!("/1/{name}"), what);
    let unit = "a time unit is expected";
    let delay = |text: &str| json!({"type": 5, "key_": "zabbix[uptime]", "delay": text});
    let of = |value_type: u8, more: &Value| with(json!({"value_type": value_type}), more);
    let cases = [
        (json!({"history": ""}), at("history", "cannot be empty")),
        (json!({"history": "{HOST.HOST}"}), at("history", unit)),
        (json!({"history": "{#A}"}), at("history", unit)),
        (json!({"history": "-1"}), at("history", "value must be one of 0, 3600-788400000")),
        (of(4, &json!({"trends": "1d"})), at("trends", "value must be 0")),
        (of(1, &json!({"units": "B"})), at("units", "value must be empty")),
        (json!({"logtimefmt": "x"}), at("logtimefmt", "value must be empty")),
        (of(2, &json!({"inventory_link": 3})), at("inventory_link", "value must be 0")),
        (of(4, &json!({"valuemapid": "7"})), at("valuemapid", "value must be 0")),
        (of(5, &json!({})), at("value_type", "value must be one of 0, 1, 2, 3, 4")),
        (delay(""), at("delay", "cannot be empty")),
        (delay("0"), at("delay", "cannot be equal to zero without custom intervals")),
        (delay("1d1"), at("delay", unit)),
        (delay("86401"), at("delay", "value must be one of 0-86400")),
        (delay("1m;"), at("delay", "incorrect syntax near \";\"")),
        (delay("1m;wd8"), at("delay", "incorrect syntax near \";wd8\"")),
        (delay("0;0/1-7,00:00-24:00"), at("delay", "cannot have only zero intervals")),
        (
            delay("1m;0/1-7,00:00-24:00"),
            at("delay", "cannot have flexible intervals with zero interval for all times"),
        ),
    ];
    refuses(&admin, "item.create", &base, &cases);
    let rule = json!({"hostid": base["hostid"], "name": "r", "key_": "r", "type": 2});
    let none = "value must be \"0\"";
    let of_rule = [
        (
            json!({"type": 15}),
            at(
                "type",
                "value must be one of 0, 2, 3, 5, 7, 10, 11, 12, 13, 14, 16, 18, 19, 20, 21, 22, 23",
            ),
        ),
        (json!({"lifetime": "59m"}), at("lifetime", "value must be one of 0, 3600-788400000")),
        (json!({"lifetime": "{$A"}), at("lifetime", unit)),
        (json!({"lifetime_type": 1, "lifetime": "7d"}), at("lifetime", none)),
        (json!({"enabled_lifetime": "7d"}), at("enabled_lifetime", none)),
        (
            json!({"lifetime_type": 2, "enabled_lifetime_type": 1}),
            at("enabled_lifetime_type", "value must be 2"),
        ),
        (
            json!({"enabled_lifetime_type": 0, "enabled_lifetime": "7d"}),
            at(
                "enabled_lifetime",
                "cannot be greater than or equal to the value of parameter \"/1/lifetime\"",
            ),
        ),
        (
            json!({"lld_macro_paths": [{"lld_macro": "{#a}", "path": "$"}]}),
            at("lld_macro_paths/1/lld_macro", "a low-level discovery macro is expected"),
        ),
        (
            json!({"lld_macro_paths": [{"lld_macro": "{#A}", "path": "$"}, {"lld_macro": "{#A}", "path": "$.b"}]}),
            at("lld_macro_paths/2", "value (lld_macro)=({#A}) already exists"),
        ),
    ];
    refuses(&admin, "discoveryrule.create", &rule, &of_rule);
    let id = admin.create("discoveryrule.create", with(rule, &json!({"lifetime_type": 1})));
    let params = json!({"itemids": id, "output": ["lifetime", "enabled_lifetime"]});
    let kept = json!([{"itemid": id, "lifetime": "0", "enabled_lifetime": "0"}]);
    assert_eq!(admin.call("discoveryrule.get", params), kept);
}

#[test]
fn triggers_have_what_their_modes_use() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    admin.trapper(&host, "k");
    let text = json!({"hostid": host, "name": "t", "key_": "t", "type": 2, "value_type": 4});
    admin.create("item.create", text);
    let base = json!({"description": "n", "expression": "last(/h/k)>1"});
    let own = "last(/h/k)<1";
    let wrong = |name: &str, what: &str| format!("Incorrect value for field \"{name}\": {what}.");
    let values = |kind: &str, name: &str| {
        format!("Incorrect item value type \"{kind}\" provided for trigger function \"{name}\".")
    };
    let expression = |text: &str| json!({"expression": text});
    let cases = [
        (json!({"recovery_expression": own}), wrong("recovery_expression", "should be empty")),
        (
            json!({"recovery_mode": 2, "recovery_expression": own}),
            wrong("recovery_expression", "should be empty"),
        ),
        (json!({"recovery_mode": 1}), wrong("recovery_expression", "cannot be empty")),
        (json!({"correlation_tag": "x"}), wrong("correlation_tag", "should be empty")),
        (json!({"correlation_mode": 1}), wrong("correlation_tag", "cannot be empty")),
        (
            json!({"recovery_mode": 2, "correlation_mode": 1, "correlation_tag": "x"}),
            wrong("correlation_mode", "unexpected value \"1\""),
        ),
        (json!({"url": "javascript:x"}), field("/1/url", "unacceptable URL")),
        (expression("avg(/h/t,1m)>1"), values("Text", "avg")),
        (expression("logseverity(/h/t)>1"), values("Text", "logseverity")),
        (
            expression("last(/h/k)>{#A}"),
            field("/1/expression", "incorrect expression starting from \"{#A}\""),
        ),
    ];
    refuses(&admin, "trigger.create", &base, &cases);
    let more = json!({"recovery_mode": 1, "recovery_expression": own, "correlation_mode": 1,
        "correlation_tag": "x", "url": "{$URL}/x"});
    let id = admin.create("trigger.create", with(base, &more));
    let update = |change: Value| with(json!({"triggerid": id}), &change);
    let reported = admin.error("trigger.update", update(json!({"recovery_expression": ""})));
    assert_eq!(reported, wrong("recovery_expression", "cannot be empty"));
    // Fields that the new mode does not use are reset.
    admin.call("trigger.update", update(json!({"recovery_mode": 2})));
    let params = json!({"triggerids": id,
        "output": ["recovery_expression", "correlation_mode", "correlation_tag"]});
    let kept = json!([{"triggerid": id, "recovery_expression": "", "correlation_mode": "0",
        "correlation_tag": ""}]);
    assert_eq!(admin.call("trigger.get", params), kept);
}
