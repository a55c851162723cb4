//! Tests of objects before they are saved: items, expressions, triggers over stored values.

use api::ports::ItemLive;
use model::value::Sample;
use model::{ItemId, Time, Value as ItemValue};
use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn try_out(server: &Server, session: &Session<'_>, path: &str, body: &Value) -> (u16, Value) {
    let bearer = format!("Bearer {}", session.id);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let answer = server.post(&format!("/api/v1/{path}"), &headers, body.to_string().as_bytes());
    (answer.status, answer.json())
}

fn tried(server: &Server, session: &Session<'_>, path: &str, body: &Value) -> Value {
    let (status, answer) = try_out(server, session, path, body);
    assert_eq!(status, 200, "{answer}");
    answer
}

fn refused(server: &Server, session: &Session<'_>, path: &str, body: &Value) -> String {
    let (status, answer) = try_out(server, session, path, body);
    assert_ne!(status, 200, "{answer}");
    answer["error"]["data"].as_str().unwrap().to_owned()
}

fn step(kind: i64, params: &str) -> Value {
    json!({"type": kind, "params": params, "error_handler": 0, "error_handler_params": ""})
}

#[test]
fn steps_are_tried_on_a_value_with_the_macros_of_the_host() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    for (name, value, kind) in [("{$FACTOR}", "8", 0), ("{$SECRET}", "hush", 1)] {
        let params = json!({"hostid": host, "macro": name, "value": value, "type": kind});
        admin.create("usermacro.create", params);
    }
    let body = json!({"hostid": host, "value": "n=5", "value_type": 3,
        "steps": [step(5, "n=([0-9]+)\n\\1"), step(1, "{$FACTOR}")]});
    let answer = tried(&server, &admin, "test/item", &body);
    assert_eq!(answer["result"], "40");
    let steps = answer["steps"].as_array().unwrap();
    assert_eq!(steps[0]["result"], "5");
    assert_eq!((&steps[1]["result"], &steps[1]["params"]), (&json!("40"), &json!("8")));
    // Given values come first, and are used once; discovery macros have no other value.
    let body = json!({"hostid": host, "value": "5", "value_type": 3,
        "macros": [{"macro": "{$FACTOR}", "value": "3"}, {"macro": "{#X}", "value": "{$FACTOR}"}],
        "steps": [step(1, "{$FACTOR}"), step(5, "(.*)\n\\1{{$FACTOR}.fmtnum(0)}"),
            step(5, "(.*)\n{#X}")]});
    let answer = tried(&server, &admin, "test/item", &body);
    let reported: Vec<&Value> =
        answer["steps"].as_array().unwrap().iter().map(|it| &it["result"]).collect();
    assert_eq!(reported, ["15", "153", "{$FACTOR}"]);
    // A failing step ends the run, a handler continues it; secrets are not shown.
    let mut handled = step(5, "y\n\\0{$SECRET}");
    handled["error_handler"] = json!(2);
    handled["error_handler_params"] = json!("{$SECRET}1");
    let body = json!({"hostid": host, "value": "x", "steps": [handled, step(1, "2")]});
    let answer = tried(&server, &admin, "test/item", &body);
    assert_eq!(answer["steps"][0]["action"], 2);
    assert_eq!(answer["steps"][0]["result"], "******1");
    let beginning =
        "Preprocessing failed for: x\n1. Result (set value): ******1\n2. Failed: cannot";
    assert!(answer["error"].as_str().unwrap().starts_with(beginning), "{answer}");
    assert!(!answer.to_string().contains("hush"));
    // Two values for steps that compare them.
    let body = json!({"hostid": host, "value": "700", "value_type": 0, "previous": "100",
        "previous_age_s": 60, "steps": [step(10, "")]});
    assert_eq!(tried(&server, &admin, "test/item", &body)["result"], "10");
    // The error of a check, caught.
    let mut caught = step(26, "-1");
    caught["error_handler"] = json!(3);
    caught["error_handler_params"] = json!("new");
    let body = json!({"hostid": host, "value": "down", "not_supported": 1, "steps": [caught]});
    let answer = tried(&server, &admin, "test/item", &body);
    assert_eq!(answer["steps"][0]["failed"], "new");
    assert_eq!(answer["error"], "new");
}

#[test]
fn a_tested_value_is_stored_or_polled() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    let item = admin.trapper(&host, "load");
    let body = json!({"hostid": host, "itemid": item, "source": "latest", "value_type": 0,
        "steps": [step(1, "2")]});
    assert_eq!(refused(&server, &admin, "test/item", &body), "The item has no value yet.");
    // As long as stored values can be: the received one was longer.
    let notes =
        json!({"hostid": host, "name": "notes", "key_": "notes", "type": 2, "value_type": 4});
    let notes = admin.create("item.create", notes);
    for (length, is_cut) in [(65_534, false), (65_535, true)] {
        let value = ItemValue::Text("é".repeat(length).into());
        let last = Some(Sample { time: server.now(), value });
        let live = ItemLive { last, ..ItemLive::default() };
        server.world.items.lock().unwrap().insert(ItemId(notes.parse().unwrap()), live);
        let body = json!({"hostid": host, "itemid": notes, "source": "latest", "steps": []});
        let answer = tried(&server, &admin, "test/item", &body);
        assert_eq!(answer["input"]["truncated"], is_cut, "{length}");
    }
    let time = Time::from_clock(1_700_000_000, 0);
    let live = ItemLive {
        last: Some(Sample { time, value: ItemValue::Unsigned(21) }),
        ..ItemLive::default()
    };
    server.world.items.lock().unwrap().insert(ItemId(item.parse().unwrap()), live);
    let answer = tried(&server, &admin, "test/item", &body);
    assert_eq!(answer["result"], "42");
    let expected =
        json!({"value": "21", "not_supported": false, "truncated": false, "clock": 1_700_000_000});
    assert_eq!(answer["input"], expected);
    // From the host: as saved, and as edited.
    for (extra, expected) in [
        (json!({"itemid": item}), "load by Trapper"),
        (json!({"itemid": item, "item": {"key_": "disk", "type": 0}}), "disk by ZabbixAgent"),
        (json!({"item": {"key_": "new", "type": 20}}), "new by Snmp"),
    ] {
        let mut body = json!({"hostid": host, "source": "host"});
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        assert_eq!(tried(&server, &admin, "test/item", &body)["result"], expected);
    }
    // All fields of the form count, and omitted ones are as saved.
    let script = json!({"hostid": host, "name": "s", "key_": "parts", "type": 21, "value_type": 4,
        "delay": "1h", "params": "return 1", "timeout": "9s",
        "parameters": [{"name": "a", "value": "1"}]});
    let script = admin.create("item.create", script);
    let pair = json!([{"name": "b", "value": "2"}]);
    for (edited, kept) in [
        (json!({"params": "return 2", "parameters": pair}), json!({"timeout": "9s"})),
        (
            json!({"type": 19, "url": "http://a/", "query_fields": pair, "headers": pair,
                "posts": "{}", "post_type": "2", "request_method": "1", "retrieve_mode": "2",
                "verify_peer": "1", "follow_redirects": "0"}),
            json!({"status_codes": "200"}),
        ),
    ] {
        let body = json!({"hostid": host, "itemid": script, "source": "host", "item": edited});
        let answer = tried(&server, &admin, "test/item", &body);
        let asked: Value = serde_json::from_str(answer["result"].as_str().unwrap()).unwrap();
        for (name, value) in [edited, kept].iter().flat_map(|it| it.as_object().unwrap()) {
            // Codes are numbers where they are kept.
            let found = &asked[name];
            let text = found.to_string();
            let is_same = found == value || value.as_str() == Some(&text);
            assert!(is_same || name == "type", "{name}: {found} for {value}");
        }
    }
    let ask = |key: &str| json!({"hostid": host, "source": "host", "item": {"key_": key}});
    let answer = tried(&server, &admin, "test/item", &ask("odd"));
    assert_eq!(answer["error"], "Unsupported item key.");
    assert_eq!(
        refused(&server, &admin, "test/item", &ask("dead")),
        "Cannot get a value from the host: no answer."
    );
}

#[test]
fn the_exchange_is_returned_with_the_value() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    let ask = |key: &str| json!({"hostid": host, "source": "host", "item": {"key_": key}});
    let answer = tried(&server, &admin, "test/item", &ask("odd"));
    let asked = |key: &str| json!({"by": "server", "text": key, "left_out": 0});
    let answered = json!({"by": "peer", "text": "42", "left_out": 7});
    assert_eq!(answer["exchange"], json!([asked("odd"), answered]));
    // Without an answer the requests are shown as well. Without a transcript there is no exchange.
    let (status, answer) = try_out(&server, &admin, "test/item", &ask("dead"));
    let failed = (status, &answer["error"]["data"]);
    assert_eq!(failed, (400, &json!("Cannot get a value from the host: no answer.")));
    assert_eq!(answer["error"]["exchange"], json!([asked("dead")]));
    let answer = tried(&server, &admin, "test/item", &ask("other"));
    assert_eq!(answer.get("exchange"), None, "{answer}");
    let interface = json!({"interface": {"type": 1, "main": 1, "useip": 1, "ip": "192.0.2.9",
        "dns": "", "port": "10050"}});
    let answer = tried(&server, &admin, "test/interface", &interface);
    assert_eq!(answer["exchange"], json!([asked("agent.hostname"), answered]));
}

#[test]
fn a_formula_is_computed_with_the_values_of_its_functions() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    let item = admin.trapper(&host, "load");
    let now = server.now();
    let samples = [200, 100].map(|ago_s: i32| Sample {
        time: now.plus_secs(-i64::from(ago_s)),
        value: ItemValue::Float(f64::from(ago_s)),
    });
    server.world.values.lock().unwrap().insert(ItemId(item.parse().unwrap()), samples.to_vec());
    let ask = |formula: &str| {
        json!({"hostid": host, "source": "host", "steps": [step(1, "10")],
        "value_type": 0, "item": {"type": 15, "key_": "sum", "params": formula}})
    };
    let formula = "last(//load)+sum(last_foreach(/*/load))";
    let answer = tried(&server, &admin, "test/item", &ask(formula));
    assert_eq!((&answer["input"]["value"], &answer["result"]), (&json!("109.5"), &json!("1095")));
    let functions: Vec<_> = answer["functions"].as_array().unwrap().iter().collect();
    let function = |at: usize| (functions[at]["text"].as_str(), functions[at]["value"].as_str());
    assert_eq!(function(0), (Some("last(//load)"), Some("100")));
    assert_eq!(function(1).0, Some("last_foreach(/*/load)"));
    // A missing value is the item's error, which steps may take.
    let answer = tried(&server, &admin, "test/item", &ask("last(//none)"));
    assert_eq!(answer["input"]["not_supported"], true);
    assert!(answer["input"]["value"].as_str().unwrap().contains("does not exist"), "{answer}");
    let error = refused(&server, &admin, "test/item", &ask("last(//load"));
    assert!(error.contains("/item/params"), "{error}");
    // As it is saved.
    let saved = json!({"hostid": host, "name": "c", "key_": "c", "type": 15, "value_type": 0,
        "delay": "1h", "params": "last(//load)*2"});
    let saved = admin.create("item.create", saved);
    let body = json!({"hostid": host, "itemid": saved, "source": "host", "value_type": 0});
    assert_eq!(tried(&server, &admin, "test/item", &body)["result"], "200");
}

#[test]
fn a_prototype_is_tested_with_given_discovery_macros() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    let params = json!({"hostid": host, "macro": "{$UNIT}", "value": "bytes"});
    admin.create("usermacro.create", params);
    let rule = json!({"hostid": host, "name": "r", "key_": "r", "type": 2});
    let rule = admin.create("discoveryrule.create", rule);
    let prototype = json!({"hostid": host, "ruleid": rule, "name": "In {#IF}", "type": 0,
        "key_": "net.if.in[{#IF},{$UNIT}]", "value_type": 3, "delay": "1m"});
    let prototype = admin.create("itemprototype.create", prototype);
    let typed = |pairs: &[(&str, &str)]| -> Vec<Value> {
        pairs.iter().map(|it| json!({"macro": it.0, "value": it.1})).collect()
    };
    let ask = |more: &Value, macros: &[(&str, &str)]| {
        let mut body = json!({"hostid": host, "source": "host", "macros": typed(macros)});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tried(&server, &admin, "test/item", &body)["input"]["value"].clone()
    };
    // Saved, edited and new; a value that has to be quoted is.
    let saved = json!({"itemid": prototype});
    assert_eq!(ask(&saved, &[("{#IF}", "eth0")]), "net.if.in[eth0,{$UNIT}] by ZabbixAgent");
    assert_eq!(ask(&saved, &[("{#IF}", "a,b")]), "net.if.in[\"a,b\",{$UNIT}] by ZabbixAgent");
    let edited = json!({"itemid": prototype, "item": {"key_": "net.if.out[{#IF}]"}});
    assert_eq!(ask(&edited, &[("{#IF}", "eth0")]), "net.if.out[eth0] by ZabbixAgent");
    let new = json!({"item": {"key_": "vfs.fs.size[{{#FS}.lowercase()}]", "type": 20}});
    assert_eq!(ask(&new, &[("{#FS}", "/AB")]), "vfs.fs.size[/ab] by Snmp");
    // User macros have the value that is typed in, and the others theirs.
    let shown = json!({"item": {"key_": "macros", "type": 0}});
    let answer = ask(&shown, &[("{$UNIT}", "packets"), ("{$NEW}", "1")]);
    assert_eq!(answer, r#"{"{$NEW}":"1","{$UNIT}":"packets"}"#);
    let macros = admin.call("usermacro.get", json!({"hostids": [host]}));
    assert_eq!(macros.as_array().unwrap().len(), 1, "nothing is saved");
    assert_eq!(macros[0]["value"], "bytes");
    // A formula has them as well.
    let item = admin.trapper(&host, "load[a]");
    let value = Sample { time: server.now(), value: ItemValue::Float(7.0) };
    server.world.values.lock().unwrap().insert(ItemId(item.parse().unwrap()), vec![value]);
    let formula =
        json!({"item": {"type": 15, "key_": "sum[{#CPU}]", "params": "last(//load[{#CPU}])*{$N}"}});
    assert_eq!(ask(&formula, &[("{#CPU}", "a"), ("{$N}", "2")]), "14");
}

#[test]
fn an_expression_is_evaluated_with_all_its_parts() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    let item = admin.create(
        "item.create",
        json!({"hostid": host, "name": "Load", "key_": "load", "type": 2, "value_type": 0}),
    );
    let params = json!({"hostid": host, "macro": "{$MAX}", "value": "1K"});
    admin.create("usermacro.create", params);
    let now = server.now();
    let samples = [300, 200, 100].map(|ago_s: i32| Sample {
        time: now.plus_secs(-i64::from(ago_s)),
        value: ItemValue::Float(1_000.0 + 10.0 * f64::from(ago_s)),
    });
    let id = ItemId(item.parse().unwrap());
    server.world.values.lock().unwrap().insert(id, samples.to_vec());
    let expression = "max(/web/load,1h)>{$MAX} and (last(/web/load)+1)*2=4002";
    let body = json!({"hostid": host, "expression": expression,
        "recovery_expression": "avg(/web/load,150s)<{$MAX} or last(/web/none)=1"});
    let answer = tried(&server, &admin, "test/expression", &body);
    let whole = &answer["expression"];
    assert_eq!((&whole["value"], &whole["is_true"]), (&json!("1"), &json!(true)));
    let parts: Vec<(&str, &str)> = whole["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["text"].as_str().unwrap(), it["value"].as_str().unwrap()))
        .collect();
    let expected = [
        ("max(/web/load,1h)", "4000"),
        ("{$MAX}", "1024"),
        ("max(/web/load,1h)>{$MAX}", "1"),
        ("last(/web/load)", "2000"),
        ("last(/web/load)+1", "2001"),
        ("(last(/web/load)+1)*2", "4002"),
        ("(last(/web/load)+1)*2=4002", "1"),
    ];
    assert_eq!(parts, expected);
    assert_eq!(answer["recovery_expression"]["is_true"], Value::Null);
    let functions = answer["functions"].as_array().unwrap();
    assert_eq!(functions.len(), 4);
    assert_eq!((&functions[0]["name"], &functions[0]["n_values"]), (&json!("Load"), &json!(3)));
    assert_eq!(functions[0]["values"][0]["value"], "2000");
    assert_eq!(functions[2]["value"], "2000");
    assert!(functions[3]["error"].as_str().unwrap().contains("does not exist"));
    let body = json!({"hostid": host, "expression": "last(/web/load"});
    assert!(refused(&server, &admin, "test/expression", &body).contains("/expression"));
}

#[test]
fn functions_of_many_items_and_of_trends_are_evaluated() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    admin.trapper(&host, "load");
    let expression = "sum(last_foreach(/*/load[*]?[group=\"Web\"]))+trendavg(/web/load,1h:now/h)";
    let body = json!({"hostid": host, "expression": expression,
        "recovery_expression": "max(avg_foreach(//load,5m))"});
    let answer = tried(&server, &admin, "test/expression", &body);
    assert_eq!(answer["expression"]["value"], "21.5");
    let functions = answer["functions"].as_array().unwrap();
    assert_eq!(
        (&functions[0]["value"], &functions[0]["n_values"]),
        (&json!("[4, 5.5]"), &json!(2))
    );
    assert_eq!((&functions[0]["itemid"], &functions[1]["value"]), (&Value::Null, &json!("12")));
    let error = functions[2]["error"].as_str().unwrap();
    assert_eq!(error, "Cannot evaluate function avg_foreach(): no avg_foreach.");
    assert_eq!(answer["recovery_expression"]["value"], Value::Null);
}

#[test]
fn a_backtest_returns_problem_periods_and_their_functions() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    admin.trapper(&host, "load");
    let till = server.now().clock();
    let from = till - 3_600;
    let body = |expression: &str, from: i64| json!({"hostid": host, "name": "High", "expression": expression, "from": from, "to": till});
    let answer = tried(&server, &admin, "backtest", &body("last(/web/load)>5", from));
    let problems = answer["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 2);
    let span = |at: usize| {
        let it = &problems[at];
        (it["from"].as_i64(), it["to"].as_i64(), it["recovered"].as_bool())
    };
    assert_eq!(span(0), (Some(from), Some(from + 10), Some(true)));
    assert_eq!(span(1), (Some(from + 20), Some(till), Some(false)));
    assert_eq!(problems[0]["recovery_functions"][0]["value"], "1");
    assert_eq!(problems[1]["functions"][0]["value"], "9");
    assert_eq!(problems[1]["name"], "High");
    assert_eq!((&answer["values"], &answer["ended_early"]), (&json!(5), &Value::Null));
    for (body, expected) in [
        (body("last(/web/load)>7", from), "not this one"),
        (body("last(/web/none)>5", from), "none"),
        (body("last(/web/load)>5", till), "greater than"),
        (body("last(/web/load)>5", till - 100 * 86_400), "92 days"),
    ] {
        let error = refused(&server, &admin, "backtest", &body);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn only_users_who_may_change_a_host_run_tests_on_it() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    let group = |name: &str, permission: u8| {
        let rights = json!([{"id": "2", "permission": permission}]);
        admin.create("usergroup.create", json!({"name": name, "hostgroup_rights": rights}))
    };
    let (readers, editors) = (group("readers", 2), group("editors", 3));
    for (name, role, group, allowed) in [
        ("reader", 2, &readers, false),
        ("editor", 2, &editors, true),
        ("user", 1, &editors, false),
    ] {
        admin.create(
            "user.create",
            json!({"username": name, "passwd": "Long enough 1", "roleid": role,
                "usrgrps": [{"usrgrpid": group}]}),
        );
        let session = server.login_as(name, "Long enough 1");
        let body = json!({"hostid": host, "value": "1", "steps": [], "expression": "1=1"});
        let body = |names: &[&str]| {
            let fields = names.iter().map(|it| ((*it).to_owned(), body[*it].clone()));
            Value::Object(fields.collect())
        };
        for (path, fields) in [
            ("test/item", &["hostid", "value", "steps"][..]),
            ("test/expression", &["hostid", "expression"]),
        ] {
            let (status, answer) = try_out(&server, &session, path, &body(fields));
            assert_eq!(status == 200, allowed, "{name} {path}: {answer}");
        }
    }
    let answer = server.post("/api/v1/test/item", &[], b"{}");
    assert_eq!(answer.status, 401);
}

fn snmp_at(dns: &str, community: &str) -> Value {
    json!({"type": 2, "main": 1, "useip": 0, "ip": "", "dns": dns, "port": "161",
        "details": {"version": 2, "bulk": 1, "community": community}})
}

#[test]
fn an_interface_is_tried_before_it_or_its_host_is_saved() {
    let server = Server::start();
    let admin = server.login();
    let path = "test/interface";
    let given = |answer: &Value| -> Value {
        serde_json::from_str(answer["value"].as_str().unwrap()).unwrap()
    };
    // An unsaved host, with a macro that only the form has.
    let body = json!({"interface": snmp_at("{$NAME}", "{$COMMUNITY}"), "macros": [
        {"macro": "{$NAME}", "value": "router"}, {"macro": "{$COMMUNITY}", "value": "hush"}]});
    let answer = tried(&server, &admin, path, &body);
    assert_eq!(answer["not_supported"], false);
    let asked = given(&answer);
    assert_eq!(asked["at"]["details"]["community"], "{$COMMUNITY}");
    assert_eq!(asked["macros"]["{$COMMUNITY}"], "hush");
    // The admitted address is the one that is polled.
    assert_eq!((&asked["at"]["ip"], &asked["at"]["useip"]), (&json!("192.0.2.7"), &json!("1")));
    // An edited interface of a host; the saved one is unchanged.
    let host = admin.host("web");
    admin.create("usermacro.create", json!({"hostid": host, "macro": "{$A}", "value": "1"}));
    let saved = admin.call("hostinterface.get", json!({"hostids": host}))[0].clone();
    let n_audit = admin.call("auditlog.get", json!({"countOutput": true}));
    let body = json!({"hostid": host,
        "interface": {"interfaceid": saved["interfaceid"], "type": 1, "main": 1, "useip": 1,
            "ip": "192.0.2.9", "dns": "", "port": "10051"},
        "tls_connect": 2, "tls_psk_identity": "me", "tls_psk": "0123456789abcdef0123456789ABCDEF"});
    let asked = given(&tried(&server, &admin, path, &body));
    assert_eq!((&asked["at"]["ip"], &asked["at"]["port"]), (&json!("192.0.2.9"), &json!("10051")));
    assert_eq!((&asked["identity"], &asked["macros"]["{$A}"]), (&json!("me"), &json!("1")));
    assert_eq!(admin.call("hostinterface.get", json!({"hostids": host}))[0], saved);
    assert_eq!(admin.call("auditlog.get", json!({"countOutput": true})), n_audit);
}

#[test]
fn interfaces_are_tested_by_users_who_may_save_them() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    let path = "test/interface";
    let body = json!({"interface": snmp_at("denied", "public")});
    let error = refused(&server, &admin, path, &body);
    assert_eq!(error, "Cannot get a value from the host: it is denied.");
    let mut ipmi = snmp_at("router", "public");
    ipmi["type"] = json!(3);
    ipmi.as_object_mut().unwrap().remove("details");
    let error = refused(&server, &admin, path, &json!({"interface": ipmi}));
    assert!(error.contains("not polled"), "{error}");
    let error = refused(&server, &admin, path, &json!({"interface": snmp_at("", "public")}));
    assert_eq!(error, "IP and DNS cannot be empty for host interface.");
    let body = json!({"interface": snmp_at("router", "public"), "tls_connect": 2});
    let error = refused(&server, &admin, path, &body);
    assert!(error.contains("tls_psk"), "{error}");
    // An admin without any group creates no hosts; with a readable group, changes none.
    let group = admin.create("usergroup.create", json!({"name": "readers"}));
    let role = json!({"username": "reader", "passwd": "Long-enough-1", "roleid": "2",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", role);
    let reader = server.login_as("reader", "Long-enough-1");
    let body = json!({"interface": snmp_at("router", "public")});
    assert!(refused(&server, &reader, path, &body).contains("No permissions"));
    let body = json!({"hostid": host, "interface": snmp_at("router", "public")});
    assert!(refused(&server, &reader, path, &body).contains("No permissions"));
}
