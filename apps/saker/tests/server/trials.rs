//! Functions with longer history: in triggers and in tests; names of events; the transcript of a
//! test of a host.

use std::time::Duration;

use crate::support::peer::Counts;
use crate::support::{FLOAT, Server, TEXT, UNSIGNED, now, wait_for, wait_until};
use peers::{AgentKind, Nginx, Snmpd, free_tcp_address, free_udp_address};
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(60);

fn calculated(server: &Server, host: &str, key: &str, formula: &str) -> String {
    let item = json!({
        "hostid": host, "name": key, "key_": key, "type": 15, "value_type": FLOAT,
        "delay": "1d", "params": formula
    });
    server.create("item.create", &item).remove(0)
}

/// Silence, late values and a kill between them: every accepted value of past hours counts.
fn past_hour_is_complete_without_an_end(server: &Server, host: &str) {
    server.trapper_item(host, "silent", UNSIGNED);
    let started = now();
    // Of one of the two last hours, should another one begin meanwhile.
    let last_hour = started - started % 3_600 - 1_800;
    let formula = |name: &str| format!("trend{name}(/a/silent,2h:now/h)");
    let count = calculated(server, host, "n", &formula("count"));
    let sum = calculated(server, host, "hours", &formula("sum"));
    let value = 1_u64 << 40;
    let mut total = 0;
    for n in 1..4_i64 {
        total += value;
        let counts = server.send("a", "silent", &value.to_string(), last_hour + n);
        assert_eq!(counts, Counts(1, 0, 1));
        for (item, expected) in [(&count, n.to_string()), (&sum, total.to_string())] {
            wait_until("the hour is seen", DEADLINE, || {
                server.call("task.create", &json!({"type": 6, "request": {"itemid": item}}));
                server.last(item).and_then(|it| it.parse::<f64>().ok()) == expected.parse().ok()
            });
        }
    }
}

/// As a shard does that judges it.
fn expression_test_sees_hours_without_an_end(server: &Server, host: &str) {
    server.trapper_item(host, "quiet", UNSIGNED);
    let last_hour = now() - now() % 3_600 - 1_800;
    for n in 1..4_i64 {
        assert_eq!(server.send("a", "quiet", "5", last_hour + n), Counts(1, 0, 1));
        let body = json!({"hostid": host, "expression": "trendcount(/a/quiet,2h:now/h)"});
        let tried = server.native("test/expression", &body);
        assert_eq!(tried["expression"]["value"], n.to_string(), "{tried}");
    }
}

#[test]
fn functions_over_many_items_and_trends_count_and_can_be_tried() {
    let server = Server::start();
    let (a, b) = (server.host("a"), server.host("b"));
    server.trapper_item(&a, "load", FLOAT);
    server.trapper_item(&a, "slow", FLOAT);
    // Its values are nowhere but in memory.
    let kept = json!({"hostid": b, "name": "load", "key_": "load", "type": 2, "value_type": FLOAT,
        "history": "0"});
    server.create("item.create", &kept);
    let trigger = server.trigger("slow", "trendmax(/a/slow,1h:now/h)>7");
    let started = now();
    let last_hour = started - started % 3_600 - 1_800;
    for (host, key, value, clock) in [
        ("a", "load", "4", started),
        ("b", "load", "5.5", started),
        // The same, whichever hour it is by now.
        ("a", "slow", "8", last_hour),
        ("a", "slow", "8", started),
    ] {
        assert_eq!(server.send(host, key, value, clock), Counts(1, 0, 1));
    }
    wait_until("the trend is judged", DEADLINE, || server.is_problem(&trigger));
    let sum = "sum(last_foreach(/*/load))";
    let trend = "trendavg(/a/slow,1h:now/h)";
    for (key, formula, expected) in [("sum", sum, "9.5"), ("trend", trend, "8")] {
        let id = calculated(&server, &a, key, formula);
        wait_until("the item is computed", DEADLINE, || {
            server.call("task.create", &json!({"type": 6, "request": {"itemid": id}}));
            server.last(&id).as_deref() == Some(expected)
        });
    }
    past_hour_is_complete_without_an_end(&server, &a);
    let expression = format!("{sum}+{trend}");
    let body = json!({"hostid": a, "expression": expression});
    let tried = server.native("test/expression", &body);
    assert_eq!(tried["expression"]["value"], "17.5", "{tried}");
    expression_test_sees_hours_without_an_end(&server, &a);
    assert_eq!(tried["functions"][0]["n_values"], 2, "{tried}");
    let body = json!({"hostid": a, "expression": "sum(last_foreach(/*/load[))"});
    let refused = server.try_call("item.create", &body);
    assert!(refused.is_err());
    backtests(&server, &a, (last_hour, started));
}

fn backtests(server: &Server, host: &str, (first, last): (i64, i64)) {
    let run = |expression: &str| {
        let body = json!({"hostid": host, "expression": expression, "from": first - 7_200,
            "to": last + 1});
        server.native("backtest", &body)
    };
    let answer = run("trendmax(/a/slow,1h:now/h)>7");
    assert_eq!(answer["stored_since"], first, "{answer}");
    assert_eq!(answer["ended_early"], Value::Null, "{answer}");
    assert_eq!(answer["dependencies_ignored"], 0, "{answer}");
    assert_eq!(answer["problems"].as_array().unwrap().len(), 1, "{answer}");
    // Nothing can be missing before the first value.
    let answer = run("nodata(/a/slow,5m)=1");
    let from = answer["problems"][0]["from"].as_i64().unwrap_or(last);
    assert!(first + 300 <= from, "{answer}");
}

#[test]
fn a_backtest_ends_at_its_time_with_what_it_has() {
    let server = Server::start_with(&[("SAKER_TRIAL_BACKTEST_S", "0")]);
    let host = server.host("web");
    server.trapper_item(&host, "load", FLOAT);
    let started = now();
    for ago_s in [30, 20, 10] {
        assert_eq!(server.send("web", "load", "7", started - ago_s), Counts(1, 0, 1));
    }
    let body = json!({"hostid": host, "expression": "last(/web/load)>5", "from": started - 60,
        "to": started});
    let answer = server.native("backtest", &body);
    assert_eq!(answer["ended_early"], started - 60, "{answer}");
    assert_eq!(answer["ended_reason"], "it took 0 seconds", "{answer}");
    assert_eq!((&answer["problems"], &answer["values"]), (&json!([]), &json!(0)), "{answer}");
}

#[test]
fn a_changed_formula_is_checked_as_a_new_one_is() {
    let server = Server::start();
    let host = server.host("web");
    let id = calculated(&server, &host, "double", "1+1");
    let error = server
        .try_call("item.update", &json!({"itemid": id, "params": "last(/web/load"}))
        .expect_err("no formula");
    assert!(error["data"].as_str().unwrap().contains("/1/params"), "{error}");
    for code in [0, 31, 500, 1_000, 1_004] {
        let step = json!({"type": code, "params": "", "error_handler": 0,
            "error_handler_params": ""});
        let request = json!({"itemid": id, "preprocessing": [step]});
        let error = server.try_call("item.update", &request).expect_err("no step");
        assert!(error["data"].as_str().unwrap().contains("/preprocessing/1/type"), "{error}");
    }
}

#[test]
fn event_names_have_expressions_over_history() {
    let mut server = Server::start();
    let host = server.host("web");
    server.trapper_item(&host, "load", FLOAT);
    let trigger = json!({
        "description": "High", "expression": "last(/web/load)>10", "priority": 3,
        "event_name": "load {?last(//load)}, mean {{?avg(/web/load,1h)}.fmtnum(2)}, {?last(//no)}"
    });
    let trigger = server.create("trigger.create", &trigger).remove(0);
    let started = now();
    for (value, ago_s) in [("1", 30), ("2", 20)] {
        assert_eq!(server.send("web", "load", value, started - ago_s), Counts(1, 0, 1));
    }
    // No window is in memory after this.
    server.kill();
    server.start_again();
    assert_eq!(server.send("web", "load", "13", started - 10), Counts(1, 0, 1));
    let params = json!({"objectids": [trigger], "output": "extend"});
    let problems = wait_for("the problem", DEADLINE, || {
        let found = server.call("problem.get", &params);
        found.as_array().filter(|it| !it.is_empty()).cloned()
    });
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0]["name"], "load 13, mean 5.33, *UNKNOWN*");
    let events = server.call("event.get", &params);
    assert_eq!(events.as_array().unwrap().len(), 1, "{events}");
    assert_eq!(events[0]["name"], "load 13, mean 5.33, *UNKNOWN*");
}

#[test]
fn a_formula_of_a_discovered_item_is_tried_with_the_values_of_its_row() {
    let server = Server::start();
    let host = server.host("cpus");
    let load = server.trapper_item(&host, "load[a]", FLOAT);
    let rule = json!({"hostid": host, "name": "CPUs", "key_": "cpus", "type": 2});
    let rule = server.create("discoveryrule.create", &rule).remove(0);
    let prototype = json!({"hostid": host, "ruleid": rule, "name": "Twice {#CPU}",
        "key_": "twice[{#CPU}]", "type": 15, "value_type": FLOAT, "delay": "1d",
        "params": "last(//load[{#CPU}])*{#N}"});
    let prototype = server.create("itemprototype.create", &prototype).remove(0);
    assert_eq!(server.send("cpus", "load[a]", "4", now()), Counts(1, 0, 1));
    wait_until("the value is there", DEADLINE, || server.last(&load).is_some());
    let row = r##"[{"{#CPU}": "a", "{#N}": "2"}]"##;
    assert_eq!(server.send("cpus", "cpus", row, now()), Counts(1, 0, 1));
    let found = json!({"hostids": [host], "filter": {"key_": "twice[a]"}});
    let found = || server.call("item.get", &found);
    wait_until("the item is made", DEADLINE, || !found().as_array().unwrap().is_empty());
    let made = found()[0]["itemid"].clone();
    let tried = |body: &Value| {
        let mut ask = json!({"hostid": host, "source": "host", "value_type": FLOAT});
        ask.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        server.native("test/item", &ask)["input"]["value"].clone()
    };
    // As it is saved, with another formula, and its prototype as one that another row would make.
    assert_eq!(tried(&json!({"itemid": made})), "8");
    let other = json!({"params": "last(//load[{#CPU}])+{#N}"});
    assert_eq!(tried(&json!({"itemid": made, "item": other})), "6");
    let row = json!([{"macro": "{#CPU}", "value": "a"}, {"macro": "{#N}", "value": "5"}]);
    assert_eq!(tried(&json!({"itemid": prototype, "macros": row})), "20");
}

/// A host with this interface and a secret macro; with the interface's id.
fn host_at(server: &Server, name: &str, interface: &Value, more: &Value) -> (String, String) {
    let mut host = json!({"host": name, "groups": [{"groupid": server.group(&format!("of {name}"))}],
        "interfaces": [interface],
        "macros": [{"macro": "{$SECRET}", "value": "hush hush", "type": 1}]});
    host.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let host = server.create("host.create", &host).remove(0);
    let interfaces = server.call("hostinterface.get", &json!({"hostids": [host]}));
    (host, interfaces[0]["interfaceid"].as_str().unwrap().to_owned())
}

fn agent_at(port: u16) -> Value {
    json!({"type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "",
        "port": port.to_string()})
}

fn device_at(port: u16, details: &Value) -> Value {
    json!({"type": 2, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "",
        "port": port.to_string(), "details": details})
}

fn ask(host: &str, item: &Value) -> Value {
    json!({"hostid": host, "source": "host", "value_type": TEXT, "item": item})
}

/// The exchange, with its authors; none of it is secret.
fn said(exchange: &Value) -> Vec<(String, String)> {
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let lines = exchange.as_array().unwrap_or_else(|| panic!("{exchange}")).iter();
    let lines: Vec<_> = lines.map(|it| (text(&it["by"]), text(&it["text"]))).collect();
    assert!(lines.iter().all(|it| !it.1.contains("hush")), "{lines:?}");
    lines
}

fn has(lines: &[(String, String)], by: &str, text: &str) -> bool {
    lines.iter().any(|it| it.0 == by && it.1 == text)
}

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

#[test]
fn item_test_shows_the_exchange_with_an_agent() {
    let server = Server::start();
    let parameters = "UserParameter=echo[*],echo got $1\n\
        UserParameter=long,head -c 10000 /dev/zero | tr '\\0' x";
    let Some(open) = AgentKind::Agentd.start(free_tcp_address(), parameters) else { return };
    let psk = server.dir().join("agent.psk");
    std::fs::write(&psk, KEY).unwrap();
    let lines =
        format!("TLSAccept=psk\nTLSPSKIdentity=me\nTLSPSKFile={}\n{parameters}", psk.display());
    let Some(closed) = AgentKind::Agentd.start(free_tcp_address(), &lines) else { return };
    let by_key = json!({"tls_connect": 2, "tls_psk_identity": "me", "tls_psk": KEY});
    for (agent, name, more, how) in
        [(&open, "open", json!({}), "unencrypted"), (&closed, "closed", by_key, "TLS with PSK")]
    {
        let at = agent_at(agent.address.port());
        let (host, interface) = host_at(&server, name, &at, &more);
        let item = |key: &str| json!({"type": 0, "key_": key, "interfaceid": interface});
        let answer = server.native("test/item", &ask(&host, &item("echo[{$SECRET}]")));
        assert_eq!(answer["input"]["value"], "got hush hush", "{answer}");
        let lines = said(&answer["exchange"]);
        assert!(has(&lines, "server", "echo[******]"), "{lines:?}");
        assert!(has(&lines, "peer", "got ******"), "{lines:?}");
        let connected = format!("connected to {}, {how}", agent.address);
        assert!(has(&lines, "log", &connected), "{lines:?}");
        assert!(!answer["exchange"].to_string().contains(KEY));
        // Of long texts the beginning is shown, and their length.
        let answer = server.native("test/item", &ask(&host, &item("long")));
        let last = answer["exchange"].as_array().unwrap().last().unwrap();
        let shown = last["text"].as_str().unwrap();
        assert!(shown.len() <= 4_096 && shown.ends_with("xxx"), "{answer}");
        assert_eq!(last["left_out"], 10_000 - shown.len(), "{answer}");
    }
    // Nobody answers: the transcript has no response.
    let gone = agent_at(free_tcp_address().port());
    let (host, interface) = host_at(&server, "gone", &gone, &json!({}));
    let item = json!({"type": 0, "key_": "agent.ping", "interfaceid": interface});
    let (status, answer) = server.try_native("test/item", &ask(&host, &item));
    assert_eq!((status, answer["error"].get("exchange")), (400, None), "{answer}");
    let body = json!({"interface": agent_at(open.address.port())});
    let lines = said(&server.native("test/interface", &body)["exchange"]);
    assert!(has(&lines, "server", "agent.hostname"), "{lines:?}");
}

#[test]
fn item_test_shows_the_exchange_by_snmp() {
    let server = Server::start();
    let lines = "rocommunity public 127.0.0.0/8\nsysName public device\nsysLocation a rack\n\
        createUser me SHA \"authentication\" AES \"hush everybody\"\nrouser me priv\n";
    let Some(snmpd) = Snmpd::start(free_udp_address(), lines) else { return };
    let port = snmpd.address.port();
    let details = |community: &str| json!({"version": 2, "bulk": 1, "community": community});
    let at = device_at(port, &details("{$COMMUNITY}"));
    let more = json!({"macros": [{"macro": "{$COMMUNITY}", "value": "public"}]});
    let (host, interface) = host_at(&server, "device", &at, &more);
    let item = |interface: &str, oid: &str| {
        json!({"type": 20, "key_": "name", "interfaceid": interface, "snmp_oid": oid,
            "timeout": "2s"})
    };
    let name = "1.3.6.1.2.1.1.5.0";
    let answer = server.native("test/item", &ask(&host, &item(&interface, name)));
    assert_eq!(answer["input"]["value"], "public device", "{answer}");
    // The community is masked: a response of the device may contain the same word.
    let of = |by: &str, text: String| (by.to_owned(), text);
    let answered = "RESPONSE\n.1.3.6.1.2.1.1.5.0 = STRING: \"public device\"".to_owned();
    let asked = format!("SNMPv2c to 127.0.0.1:{port}: GET\n.{name}");
    assert_eq!(said(&answer["exchange"]), [of("server", asked), of("peer", answered)]);
    let walk = item(&interface, "walk[1.3.6.1.2.1.1.5]");
    let lines = said(&server.native("test/item", &ask(&host, &walk))["exchange"]);
    let begins = format!("SNMPv2c to 127.0.0.1:{port}: GETBULK, max-repetitions 10\n.1.3.6.");
    assert!(lines[0].1.starts_with(&begins), "{lines:?}");
    // A device that does not let us in says nothing at all.
    let at = device_at(port, &details("hush that is wrong"));
    let (host, interface) = host_at(&server, "closed", &at, &json!({}));
    let (status, answer) = server.try_native("test/item", &ask(&host, &item(&interface, name)));
    assert_eq!(status, 400, "{answer}");
    let lines = said(&answer["error"]["exchange"]);
    assert_eq!(lines.last(), Some(&of("log", "no answer within 2s".to_owned())), "{lines:?}");
    // By version 3: first the identity of the engine, then the request of the user.
    let user = json!({"version": 3, "bulk": 1, "securityname": "me", "securitylevel": 2,
        "authprotocol": 1, "authpassphrase": "authentication", "privprotocol": 1,
        "privpassphrase": "hush everybody"});
    let (host, interface) = host_at(&server, "safe", &device_at(port, &user), &json!({}));
    let location = "1.3.6.1.2.1.1.6.0";
    let answer = server.native("test/item", &ask(&host, &item(&interface, location)));
    let lines = said(&answer["exchange"]);
    let is_asked = lines.iter().any(|(by, text)| {
        let is_me = text.contains("user \"me\", authPriv, engine 0x");
        by == "server" && is_me && text.ends_with(&format!(": GET\n.{location}"))
    });
    assert!(is_asked, "{lines:?}");
    let (by, text) = lines.last().unwrap();
    assert!(by == "peer" && text.ends_with("STRING: \"a rack\""), "{lines:?}");
}

#[test]
fn item_test_shows_requests_of_http_and_scripts() {
    let server = Server::start();
    let page = "location / { add_header Set-Cookie 'id=1'; add_header X-Kind test; \
        return 200 'as $http_authorization: $http_x_plain'; }";
    let Some(nginx) = Nginx::start("", page) else { return };
    let (host, _) = host_at(&server, "web", &agent_at(10_050), &json!({}));
    let url = format!("http://{}/a", nginx.address);
    let item = json!({"type": 19, "key_": "page", "url": url, "request_method": 1,
        "query_fields": [{"name": "k", "value": "{$SECRET}"}],
        "headers": [{"name": "X-Plain", "value": "{{$SECRET}.regsub(\"(h.*)\", \"<\\1>\")}"}],
        "posts": "p={$SECRET}", "authtype": 1, "username": "me", "password": "hush"});
    let answer = server.native("test/item", &ask(&host, &item));
    assert_eq!(answer["input"]["value"], "as Basic bWU6aHVzaA==: <hush hush>", "{answer}");
    let lines = said(&answer["exchange"]);
    let asked = format!(
        "POST {url}?k=******\nX-Plain: ******\nContent-Type: application/x-www-form-urlencoded\n\
         Authorization: ******\n\np=******"
    );
    assert_eq!(lines[0], ("server".to_owned(), asked));
    let (by, text) = &lines[1];
    assert!(by == "peer" && text.starts_with("HTTP 200\n"), "{text}");
    let text = text.to_lowercase();
    assert!(text.contains("\nset-cookie: ******") && text.contains("\nx-kind: test"), "{text}");
    assert!(text.ends_with("\n\nas basic ******: ******"), "{text}");
    assert_eq!(lines.len(), 2, "{lines:?}");
    let source = format!(
        "var r = new HttpRequest(); r.addHeader('X-Plain: ' + JSON.parse(value).p); \
         Zabbix.log(4, 'seen ' + value); return r.get('{url}')"
    );
    let item = json!({"type": 21, "key_": "script", "params": source,
        "parameters": [{"name": "p", "value": "{$SECRET}"}]});
    let answer = server.native("test/item", &ask(&host, &item));
    assert_eq!(answer["input"]["value"], "as : hush hush", "{answer}");
    let lines = said(&answer["exchange"]);
    assert!(has(&lines, "log", r#"value = {"p":"******"}"#), "{lines:?}");
    assert!(has(&lines, "log", r#"log: seen {"p":"******"}"#), "{lines:?}");
    let asked = lines.iter().find(|it| it.0 == "server").unwrap();
    assert!(asked.1.starts_with(&format!("GET {url}\n")), "{asked:?}");
    let answered = lines.last().unwrap();
    assert!(answered.0 == "peer" && answered.1.ends_with("\n\nas : ******"), "{answered:?}");
}
