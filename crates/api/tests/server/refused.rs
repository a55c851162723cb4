//! Errors of the API, in Zabbix's words.

use serde_json::{Value, json};

use crate::fake::Server;

/// The code and the text of `error`.
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
        let reported = error(server, &admin.id, method, &params);
        assert_eq!(reported, (-32602, expected), "{method} {params}");
    }
}

fn new_host(more: Value) -> Value {
    with(json!({"host": "a", "groups": [{"groupid": "2"}]}), more)
}

fn interface(ip: &str) -> Value {
    json!({"type": 1, "main": 1, "useip": 1, "ip": ip, "dns": "", "port": "10050"})
}

#[test]
fn wrong_addresses_and_macro_names_are_refused() {
    let server = Server::start();
    let host = server.login().host("h");
    let bad_ip = |text: &str| format!("Invalid IP address \"{text}\".");
    let near = |path: &str, rest: &str| field(path, &format!("incorrect syntax near \"{rest}\""));
    let of_host = json!({"interfaces": [interface("300.1.1.1")]});
    let more = json!({"hosts": {"hostid": host}, "interfaces": interface("x")});
    let macros = json!({"macros": [{"macro": "{$A}", "value": ""}, {"macro": "BAD", "value": ""}]});
    let more_macros = json!({"hosts": {"hostid": host}, "macros": {"macro": "{$a}", "value": ""}});
    let template =
        json!({"host": "t", "groups": {"groupid": "1"}, "macros": {"macro": "{$A+", "value": ""}});
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
            ("template.create", template, near("/1/macros/1/macro", "+")),
            ("usermacro.create", own, near("/1/macro", "BAD")),
        ],
    );
}

#[test]
fn wrong_periods_steps_tags_and_correlation_are_refused() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let item = admin.trapper(&host, "k");
    let new_item = |more: Value| {
        let item = json!({"hostid": host, "name": "n", "key_": "n", "type": 2, "value_type": 3});
        with(item, more)
    };
    let step = |kind: u8, params: &str| {
        new_item(json!({"preprocessing": [{"type": kind, "params": params, "error_handler": 0}]}))
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
            ("item.create", step(5, "^a"), field(params, "the parameter \"2\" is missing")),
            ("item.create", step(5, ""), empty(&format!("{params}/1"))),
            ("item.create", step(12, ""), empty(&format!("{params}/1"))),
            (
                "trigger.create",
                new_trigger(json!({"correlation_mode": 1})),
                "Incorrect value for field \"correlation_tag\": cannot be empty.".to_owned(),
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
            ("event.get", json!({"object": 9}), one_of("/object", "0, 1, 2, 3, 4, 5, 6")),
            ("problem.get", json!({"source": 1}), one_of("/source", "0, 3, 4")),
        ],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn hosts_and_interfaces_are_refused_in_zabbix_older_words() {
    let server = Server::start();
    server.login().host("h");
    let of =
        |change: Value| new_host(json!({"interfaces": [with(interface("192.0.2.1"), change)]}));
    let mut incomplete = interface("192.0.2.1");
    incomplete.as_object_mut().unwrap().remove("dns");
    let reported = str::to_owned;
    check(
        &server,
        vec![
            ("host.create", json!({}), field("/", "cannot be empty")),
            (
                "host.create",
                with(new_host(json!({})), json!({"host": ""})),
                reported("Incorrect characters used for host name \"\"."),
            ),
            (
                "host.create",
                with(new_host(json!({})), json!({"host": " a"})),
                reported("Incorrect characters used for host name \" a\"."),
            ),
            (
                "host.create",
                json!([new_host(json!({})), new_host(json!({"name": "b"}))]),
                reported(
                    "Duplicate host. Host with the same host name \"a\" already exists in data.",
                ),
            ),
            (
                "host.create",
                new_host(json!({"groups": [{"groupid": "2"}, {"groupid": "2"}]})),
                field("/1/groups/2", "value (groupid)=(2) already exists"),
            ),
            (
                "host.create",
                new_host(json!({"interfaces": [incomplete]})),
                reported("Incorrect arguments passed to function."),
            ),
            (
                "host.create",
                of(json!({"ip": ""})),
                reported("IP and DNS cannot be empty for host interface."),
            ),
            (
                "host.create",
                of(json!({"ip": "", "dns": "d"})),
                reported("Interface with DNS \"d\" cannot have empty IP address."),
            ),
            (
                "host.create",
                of(json!({"useip": 0})),
                reported(
                    "Interface with IP \"192.0.2.1\" cannot have empty DNS name while having \"Use \
                      DNS\" property on \"a\".",
                ),
            ),
            (
                "host.create",
                of(json!({"dns": "a b"})),
                reported("Incorrect interface DNS parameter \"a b\" provided."),
            ),
            (
                "host.create",
                of(json!({"port": ""})),
                reported("Port cannot be empty for host interface."),
            ),
            (
                "host.create",
                of(json!({"port": "65536"})),
                reported("Incorrect interface port \"65536\" provided."),
            ),
            (
                "host.create",
                new_host(json!({"macros": [{"macro": "{$A:x}", "value": ""},
                {"macro": "{$A:\"x\"}", "value": ""}]})),
                field("/1/macros/2", "value (macro)=({$A:\"x\"}) already exists"),
            ),
        ],
    );
    let admin = server.login();
    for (change, expected) in [
        (json!({"status": 5}), "Incorrect status for host \"a\"."),
        (
            json!({"inventory_mode": 7}),
            "Incorrect value for field \"inventory_mode\": value must be one of -1, 0, 1.",
        ),
    ] {
        let reported = error(&server, &admin.id, "host.create", &new_host(change));
        assert_eq!(reported, (-32500, expected.to_owned()));
    }
    // Fields that a host does not have are ignored.
    let unknown =
        json!({"more": 1, "interfaces": [with(interface("192.0.2.1"), json!({"more": 1}))]});
    admin.create("host.create", new_host(unknown));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn wrong_texts_names_and_identities_are_refused() {
    let server = Server::start();
    let host = server.login().host("h");
    let of_map = |mappings: Value| json!({"hostid": host, "name": "n", "mappings": mappings});
    let user = |change: Value| {
        let user = json!({"username": "operator", "roleid": "1", "passwd": "long enough",
            "usrgrps": [{"usrgrpid": "7"}]});
        with(user, change)
    };
    let text = |path: &str| field(path, "a character string is expected");
    let group = |change: Value| with(json!({"name": "g"}), change);
    let twice = |what: &str| field("/2", &format!("value {what} already exists"));
    let own = json!({"hostid": host, "macro": "{$M}", "value": "1"});
    check(
        &server,
        vec![
            ("hostgroup.create", group(json!({"name": 5})), text("/1/name")),
            ("hostgroup.create", json!([group(json!({})), group(json!({}))]), twice("(name)=(g)")),
            (
                "hostgroup.create",
                group(json!({"name": "a//b"})),
                field("/1/name", "invalid host group name"),
            ),
            (
                "hostgroup.create",
                group(json!({"uuid": "x"})),
                field("/1/uuid", "must be 32 characters long"),
            ),
            (
                "hostgroup.create",
                group(json!({"uuid": "x".repeat(32)})),
                field("/1/uuid", "UUIDv4 is expected"),
            ),
            ("hostgroup.massadd", json!({}), field("/", "the parameter \"groups\" is missing")),
            (
                "usermacro.create",
                json!({"hostid": host, "macro": "{$M}"}),
                field("/1", "the parameter \"value\" is missing"),
            ),
            (
                "usermacro.create",
                json!([own, own]),
                twice(&format!("(hostid, macro)=({host}, {{$M}})")),
            ),
            ("usermacro.create", with(own, json!({"value": 5})), text("/1/value")),
            (
                "token.create",
                json!({"name": "x".repeat(65)}),
                field("/1/name", "value is too long"),
            ),
            (
                "valuemap.create",
                of_map(json!([{"newvalue": "a"}])),
                field("/1/mappings/1", "the parameter \"value\" is missing"),
            ),
            (
                "valuemap.create",
                of_map(json!([{"value": "1", "newvalue": "a"},
                {"value": "1", "newvalue": "b"}])),
                field("/1/mappings/2", "value (value)=(1) already exists"),
            ),
            (
                "valuemap.create",
                of_map(json!([{"type": 1, "value": "x", "newvalue": "a"}])),
                field("/1/mappings/1/value", "a floating point value is expected"),
            ),
            (
                "valuemap.create",
                of_map(json!([{"type": 3, "value": "5-1", "newvalue": "a"}])),
                field("/1/mappings/1/value", "invalid range expression"),
            ),
            (
                "valuemap.create",
                of_map(json!([{"type": 4, "value": "(", "newvalue": "a"}])),
                field("/1/mappings/1/value", "invalid regular expression"),
            ),
            (
                "valuemap.create",
                of_map(json!([{"type": 5, "value": "x", "newvalue": "a"}])),
                field("/1/mappings/1/value", "should be empty"),
            ),
            (
                "user.create",
                user(json!({"passwd": "Qwerty123"})),
                "Incorrect value for field \"/1/passwd\": must not be one of common or \
                 context-specific passwords."
                    .to_owned(),
            ),
            (
                "user.create",
                user(json!({"theme": "x"})),
                field(
                    "/1/theme",
                    "value must be one of \
                \"default\", \"blue-theme\", \"dark-theme\", \"hc-light\", \"hc-dark\"",
                ),
            ),
            (
                "user.create",
                user(json!({"url": "javascript:x"})),
                field("/1/url", "unacceptable URL"),
            ),
            (
                "user.create",
                user(json!({"autologout": "5"})),
                field("/1/autologout", "value must be one of 0, 90-86400"),
            ),
            (
                "user.create",
                user(json!({"refresh": "x"})),
                field("/1/refresh", "a time unit is expected"),
            ),
            (
                "user.create",
                user(json!({"autologin": 1, "autologout": "90s"})),
                "Auto-login and auto-logout options cannot be enabled together.".to_owned(),
            ),
        ],
    );
    let admin = server.login();
    let mappings =
        json!([{"type": 3, "value": "-5--1,7", "newvalue": "a"}, {"type": 5, "newvalue": "b"}]);
    admin.create("valuemap.create", of_map(mappings));
    admin
        .create("user.create", user(json!({"autologin": 1, "url": "zabbix.php?x", "refresh": 60})));
}

#[test]
fn newer_get_methods_check_parameters_and_older_ones_ignore_them() {
    let server = Server::start();
    check(
        &server,
        vec![
            ("hostgroup.get", json!({"more": 1}), field("/", "unexpected parameter \"more\"")),
            (
                "hostgroup.get",
                json!({"filter": {"more": 1}}),
                field("/filter", "unexpected parameter \"more\""),
            ),
            (
                "hostgroup.get",
                json!({"groupids": ["x"]}),
                field("/groupids/1", "a number is expected"),
            ),
            (
                "hostgroup.get",
                json!({"output": ["more"]}),
                field(
                    "/output/1",
                    "value must be one of \"groupid\", \"name\", \"flags\", \"uuid\"",
                ),
            ),
            (
                "hostgroup.get",
                json!({"output": "bad"}),
                field("/output", "value must be \"extend\""),
            ),
            ("role.get", json!({"limit": 0}), field("/limit", "value must be one of 1-2147483647")),
            ("history.get", json!({"history": "x"}), field("/history", "an integer is expected")),
            ("history.get", json!({"search": {"value": "x"}}), field("/search", "should be empty")),
        ],
    );
    let admin = server.login();
    admin.host("h");
    for params in
        [json!({"more": 1}), json!({"limit": "x"}), json!({"filter": 5}), json!({"output": "bad"})]
    {
        assert_eq!(admin.call("host.get", params).as_array().unwrap().len(), 1);
    }
    assert_eq!(admin.call("host.get", json!({"hostids": "abc"})), json!([]));
    let sorted = error(&server, &admin.id, "host.get", &json!({"sortfield": "more"}));
    assert_eq!(sorted, (-32500, "Sorting by field \"more\" not allowed.".to_owned()));
}

#[test]
fn right_values_that_look_odd_are_taken() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.create(
        "host.create",
        json!({"host": "h", "groups": [{"groupid": "2"}],
            "tags": [{"tag": "a", "value": "b"}, {"tag": "a", "value": "c"}],
            "macros": [{"macro": "{$A:regex:\"^x\"}", "value": "1"}, {"macro": "{$A:\"x y\"}", "value": ""}],
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
        let steps = json!([
            {"type": 5, "params": "^(.*)$\n\\1", "error_handler": 0}, {"type": 10, "error_handler": 1},
            {"type": 13, "params": "\n5", "error_handler": 3, "error_handler_params": "x"},
            {"type": 25, "params": "a\n"}]);
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
    let expected = "Incorrect value for field \"correlation_tag\": cannot be empty.";
    assert_eq!(admin.error("trigger.update", emptied), expected);
    assert_eq!(admin.call("event.get", json!({"source": 3, "object": 4})), json!([]));
}

fn made_script(server: &Server, params: Value) -> String {
    let admin = server.login();
    let answer = server.call_as(Some(&admin.id), "script.create", params);
    answer["result"]["scriptids"][0].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

const EMPTY: &str = "value must be empty";

fn missing(name: &str) -> String {
    format!("the parameter \"{name}\" is missing")
}

/// A field that does not go with the type or the scope has its default, or nothing is given.
#[test]
fn fields_of_scripts_go_with_their_type_and_scope() {
    let server = Server::start();
    let shell = json!({"name": "shell", "type": 0, "scope": 1, "command": "id"});
    let webhook = json!({"name": "hook", "type": 5, "scope": 2, "command": "return 1"});
    let url = json!({"name": "page", "type": 6, "scope": 2, "url": "https://x/"});
    let ssh = json!({"name": "ssh", "type": 2, "scope": 4, "command": "id", "username": "u"});
    let kept = json!({
        "name": "kept", "timeout": "30s", "execute_on": 2, "new_window": "1", "parameters": [], "url": "",
        "host_access": 2, "usrgrpid": 0,
    });
    made_script(&server, with(shell.clone(), kept));
    let create = |base: &Value, more: Value, path: &str, what: &str| {
        ("script.create", with(base.clone(), more), field(&format!("/1{path}"), what))
    };
    let parameter = json!({"parameters": [{"name": "a", "value": ""}]});
    let without_value = json!({"parameters": [{"name": "a"}]});
    let without_scope = json!({"name": "a", "type": 0});
    check(
        &server,
        vec![
            create(&without_scope, json!({}), "", &missing("scope")),
            create(&shell, json!({"url": "https://x/"}), "/url", EMPTY),
            create(&shell, json!({"timeout": ""}), "/timeout", "value must be \"30s\""),
            create(&shell, json!({"timeout": false}), "/timeout", "a character string is expected"),
            create(&shell, json!({"new_window": 0}), "/new_window", "value must be 1"),
            create(&shell, parameter, "/parameters", "should be empty"),
            create(&shell, json!({"menu_path": "a"}), "/menu_path", EMPTY),
            create(&shell, json!({"usrgrpid": 7}), "/usrgrpid", "value must be 0"),
            create(&shell, json!({"manualinput": 1}), "/manualinput", "value must be 0"),
            create(&shell, json!({"command": ""}), "/command", "cannot be empty"),
            create(&shell, json!({"type": 6}), "/type", "value must be one of 0, 1, 2, 3, 5"),
            create(&webhook, json!({"execute_on": 0}), "/execute_on", "value must be 2"),
            create(&webhook, json!({"username": "u"}), "/username", EMPTY),
            create(&webhook, without_value, "/parameters/1", &missing("value")),
            create(&url, json!({"command": "id"}), "/command", EMPTY),
            create(&url, json!({"menu_path": "a//b"}), "/menu_path", "directory cannot be empty"),
            create(&ssh, json!({"publickey": "k"}), "/publickey", EMPTY),
            create(&ssh, json!({"authtype": 1, "publickey": "k"}), "", &missing("privatekey")),
            create(&ssh, json!({"manualinput_prompt": "p"}), "/manualinput_prompt", EMPTY),
            create(&ssh, json!({"manualinput": 1}), "", &missing("manualinput_prompt")),
        ],
    );
}

#[test]
fn a_script_of_a_new_type_needs_its_fields() {
    let server = Server::start();
    let shell = json!({"name": "shell", "type": 0, "scope": 1, "command": "id"});
    let id = made_script(&server, shell);
    let update = |more: Value, path: &str, what: &str| {
        let params = with(json!({"scriptid": id.clone()}), more);
        ("script.update", params, field(&format!("/1{path}"), what))
    };
    check(
        &server,
        vec![
            update(json!({"port": "22"}), "/port", EMPTY),
            update(json!({"authtype": 1}), "/authtype", "value must be 0"),
            update(json!({"confirmation": "?"}), "/confirmation", EMPTY),
            update(json!({"type": 2}), "/username", "cannot be empty"),
            update(json!({"type": 2, "username": ""}), "/username", "cannot be empty"),
        ],
    );
    let more = json!({"scriptid": id, "type": 2, "username": "u", "port": "22"});
    let admin = server.login();
    let answer = server.call_as(Some(&admin.id), "script.update", more);
    assert_eq!(answer["result"]["scriptids"], json!([id]), "{answer}");
}

#[test]
fn scripts_are_unique_by_menu_path() {
    let server = Server::start();
    let at = |path: &str| {
        let page = json!({"name": "page", "type": 6, "scope": 2, "url": "https://x/"});
        with(page, json!({"menu_path": path}))
    };
    let twice = field("/2", "value (name, menu_path)=(page, /a/b/) already exists");
    check(&server, vec![("script.create", json!([at("a/b"), at("/a/b/")]), twice)]);
    made_script(&server, at("/a/b/"));
    let taken = "Script \"page\" already exists.".to_owned();
    check(&server, vec![("script.create", at("a/b"), taken)]);
}
