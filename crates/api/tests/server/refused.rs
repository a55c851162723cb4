//! What the API refuses, in Zabbix's words.

use serde_json::{Value, json};

use crate::fake::Server;

/// As `error` tells it: the code and the text.
fn error(server: &Server, session: &str, method: &str, params: &Value) -> (i64, String) {
    let answer = server.call_as(Some(session), method, params.clone());
    let error = &answer["error"];
    let text = error["data"].as_str().unwrap_or_else(|| panic!("{method} {params}: {answer}"));
    (error["code"].as_i64().unwrap(), text.to_owned())
}

fn with(mut base: Value, more: Value) -> Value {
    base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    base
}

fn field(path: &str, what: &str) -> String {
    format!("Invalid parameter \"{path}\": {what}.")
}

fn check(server: &Server, cases: Vec<(&str, Value, String)>) {
    let admin = server.login();
    for (method, params, expected) in cases {
        let told = error(server, &admin.id, method, &params);
        assert_eq!(told, (-32602, expected), "{method} {params}");
    }
}

fn new_host(more: Value) -> Value {
    with(json!({"host": "a", "groups": [{"groupid": "2"}]}), more)
}

fn interface(ip: &str) -> Value {
    json!({"type": 1, "main": 1, "useip": 1, "ip": ip, "dns": "", "port": "10050"})
}

#[test]
fn addresses_and_names_of_macros_are_refused_where_they_are_wrong() {
    let server = Server::start();
    let host = server.login().host("h");
    let bad_ip = |text: &str| format!("Invalid IP address \"{text}\".");
    let near = |path: &str, rest: &str| field(path, &format!("incorrect syntax near \"{rest}\""));
    let of_host = json!({"interfaces": [interface("300.1.1.1")]});
    let more = json!({"hosts": {"hostid": host}, "interfaces": interface("x")});
    let macros = json!({"macros": [{"macro": "{$A}"}, {"macro": "BAD"}]});
    let more_macros = json!({"hosts": {"hostid": host}, "macros": {"macro": "{$a}"}});
    let template = json!({"host": "t", "groups": {"groupid": "1"}, "macros": {"macro": "{$A"}});
    let own = json!({"hostid": host, "macro": "BAD", "value": ""});
    let alone = with(interface("1.2.3"), json!({"hostid": host}));
    check(
        &server,
        vec![
            ("host.create", new_host(of_host), bad_ip("300.1.1.1")),
            ("hostinterface.create", alone, bad_ip("1.2.3")),
            ("host.massadd", more, bad_ip("x")),
            ("host.create", new_host(macros), near("/1/macros/2/macro", "BAD")),
            ("host.massadd", more_macros, near("/macros/1/macro", "a}")),
            ("template.create", template, near("/1/macros/1/macro", "{$A")),
            ("usermacro.create", own, near("/1/macro", "BAD")),
        ],
    );
}

#[test]
fn periods_steps_tags_and_correlation_are_refused_where_they_are_wrong() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let item = admin.trapper(&host, "k");
    let new_item = |more: Value| {
        let item = json!({"hostid": host, "name": "n", "key_": "n", "type": 2, "value_type": 3});
        with(item, more)
    };
    let step = |kind: u8, params: &str| {
        new_item(json!({"preprocessing": [{"type": kind, "params": params}]}))
    };
    let rule = json!({"hostid": host, "name": "r", "key_": "r", "type": 2, "lifetime": "soon"});
    let new_trigger =
        |more: Value| with(json!({"description": "t", "expression": "last(/h/k)>0"}), more);
    let tag = |value: &str| json!({"tag": "a", "value": value});
    let twice = json!({"tags": [tag("b"), tag(""), tag("b")]});
    let already = field("/1/tags/3", "value (tag, value)=(a, b) already exists");
    let no_unit = |path: &str| field(path, "a time unit is expected");
    let empty = |path: &str| field(path, "cannot be empty");
    let one_of = |path: &str, range: &str| field(path, &format!("value must be one of {range}"));
    let of_item = with(json!({"itemid": item}), twice.clone());
    let params = "/1/preprocessing/1/params";
    check(
        &server,
        vec![
            ("host.create", new_host(twice.clone()), already.clone()),
            ("item.update", of_item, already.clone()),
            ("trigger.create", new_trigger(twice), already),
            ("item.create", new_item(json!({"history": "abc"})), no_unit("/1/history")),
            (
                "item.create",
                new_item(json!({"history": "59m"})),
                one_of("/1/history", "0, 3600-788400000"),
            ),
            (
                "item.update",
                json!({"itemid": item, "trends": "1h"}),
                one_of("/1/trends", "0, 86400-788400000"),
            ),
            ("discoveryrule.create", rule, no_unit("/1/lifetime")),
            ("item.create", step(5, "^a"), empty(&format!("{params}/2"))),
            ("item.create", step(5, ""), empty(&format!("{params}/1"))),
            ("item.create", step(12, ""), empty(&format!("{params}/1"))),
            (
                "trigger.create",
                new_trigger(json!({"correlation_mode": 1})),
                empty("/1/correlation_tag"),
            ),
        ],
    );
}

#[test]
fn weak_passwords_and_unknown_sources_are_refused() {
    let server = Server::start();
    let user = |passwd: &str| {
        json!({"username": "operator", "surname": "Smith", "roleid": "1", "passwd": passwd,
            "usrgrps": [{"usrgrpid": "7"}]})
    };
    let weak = |what: &str| format!("Incorrect value for field \"/1/passwd\": {what}.");
    let one_of = |path: &str, list: &str| field(path, &format!("value must be one of {list}"));
    check(
        &server,
        vec![
            ("user.create", user("short"), weak("must be at least 8 characters long")),
            (
                "user.create",
                user("the blacksmith"),
                weak("must not contain user's name, surname or username"),
            ),
            ("event.get", json!({"source": 9}), one_of("/source", "0, 1, 2, 3, 4")),
            ("event.get", json!({"source": 3, "object": 1}), one_of("/object", "0, 4, 5")),
            ("problem.get", json!({"source": 1}), one_of("/source", "0, 3, 4")),
        ],
    );
}

#[test]
fn right_values_that_look_odd_are_taken() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.create(
        "host.create",
        json!({"host": "h", "groups": [{"groupid": "2"}],
            "tags": [{"tag": "a", "value": "b"}, {"tag": "a", "value": "c"}],
            "macros": [{"macro": "{$A:regex:\"^x\"}"}, {"macro": "{$A:\"x y\"}"}],
            "interfaces": [
                {"type": 1, "main": 1, "useip": 1, "ip": "2001:db8::1", "dns": "", "port": "1"},
                {"type": 1, "main": 0, "useip": 1, "ip": "{$IP}", "dns": "", "port": "1"},
                {"type": 1, "main": 0, "useip": 0, "ip": "", "dns": "h", "port": "1"}]}),
    );
    for (n, history, trends) in
        [(1, "0", "0"), (2, "1h", "1d"), (3, "{$H}", "{$T:x}"), (4, "3600", "25y")]
    {
        let trends = if trends == "25y" { "9125d" } else { trends };
        let key = format!("k{n}");
        let steps = json!([{"type": 5, "params": "^(.*)$\n\\1"}, {"type": 10, "params": ""},
            {"type": 13, "params": "\n5"}, {"type": 25, "params": "a\n"}]);
        admin.create(
            "item.create",
            json!({"hostid": host, "name": key, "key_": key, "type": 2, "value_type": 3,
                "history": history, "trends": trends, "preprocessing": steps}),
        );
    }
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "t", "expression": "last(/h/k1)>0", "correlation_mode": 1,
            "correlation_tag": "a"}),
    );
    admin.call("trigger.update", json!({"triggerid": trigger, "correlation_mode": 1}));
    let emptied = json!({"triggerid": trigger, "correlation_tag": ""});
    let expected = "Invalid parameter \"/1/correlation_tag\": cannot be empty.";
    assert_eq!(admin.error("trigger.update", emptied), expected);
    assert_eq!(admin.call("event.get", json!({"source": 3, "object": 4})), json!([]));
}
