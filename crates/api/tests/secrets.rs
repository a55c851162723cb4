//! Secrets never leave the server: no get method, page, audit record, log line or message shows them. The
//! exceptions are named here: a token, returned once to the user who generated it, and credentials of items,
//! which users who may write the items may read.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "server/fake.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod fake;

use std::collections::BTreeMap;
use std::fmt::{Debug, Write};
use std::sync::{Mutex, Once};

use fake::{Server, Session};
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The begin of every secret; its kind follows.
const MARK: &str = "S3cr3t-";

/// A pre-shared key, which can have no mark.
const PSK: &str = "5ec2e75ec2e75ec2e75ec2e75ec2e75e";

fn secret(of: &str) -> String {
    format!("{MARK}{of}-7fA9")
}

/// The secrets in a text, by their kind.
fn secrets(text: &str) -> Vec<String> {
    let each = text.split(MARK).skip(1).filter_map(|it| it.split_once("-7fA9"));
    let mut found: Vec<String> = each.map(|(of, _)| of.to_owned()).collect();
    found.sort();
    found.dedup();
    found
}

/// All log lines with a secret, on any level. Logs of raw requests by other crates are left out.
struct Log;

static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Sees all that is logged from now on.
fn watch_log() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::subscriber::set_global_default(Log).unwrap();
        tracing::trace!(test = MARK, "it sees what is logged");
        assert_eq!(std::mem::take(&mut *LOGGED.lock().unwrap()).len(), 1);
    });
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _infallible = write!(self.0, " {field}={value:?}");
    }
}

impl Log {
    fn take(meta: &Metadata<'_>, line: Line) {
        if line.0.contains(MARK) {
            LOGGED.lock().unwrap().push(format!("{} {}:{}", meta.level(), meta.target(), line.0));
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, meta: &Metadata<'_>) -> bool {
        let of = meta.target().split("::").next().unwrap_or_default();
        !["hyper", "hyper_util", "h2", "mio", "ureq", "ureq_proto"].contains(&of)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut line = Line(String::new());
        span.record(&mut line);
        Self::take(span.metadata(), line);
        Id::from_u64(1)
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        Self::take(event.metadata(), line);
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Get methods with all their selects, as the reference names them for version 7.0.
fn get_methods() -> BTreeMap<String, Vec<String>> {
    let pages = api::generate::pages();
    let reference = pages.iter().find(|it| it.path.ends_with("api.md")).unwrap();
    let mut methods = BTreeMap::new();
    for section in reference.text.split("\n### ").skip(1) {
        let named = |start: &str| -> Vec<String> {
            let known = section.lines().filter(|it| !it.contains("` (since "));
            let cells = known.filter_map(|it| it.strip_prefix("| `")?.split('`').next());
            cells.filter(|it| it.contains(start)).map(str::to_owned).collect()
        };
        let selects: Vec<String> =
            named("select").into_iter().filter(|it| it.starts_with("select")).collect();
        for method in named(".get").into_iter().filter(|it| it.ends_with(".get")) {
            methods.insert(method, selects.clone());
        }
    }
    assert!(methods.len() > 20, "{methods:?}");
    methods
}

/// The secrets that each get method returns, with all fields and selects; methods that return none are left
/// out.
fn leaks(session: &Session<'_>) -> BTreeMap<String, Vec<String>> {
    let mut found_by_method = BTreeMap::new();
    for (method, selects) in get_methods() {
        let mut params = Map::from_iter([("output".to_owned(), json!("extend"))]);
        let all = |of: &str| match of {
            "selectStatusTimeline" => json!([{"period_from": 0, "period_to": 1}]),
            _ => json!("extend"),
        };
        params.extend(selects.iter().map(|it| (it.clone(), all(it))));
        let variants: &[(&str, Value)] = match method.as_str() {
            "usermacro.get" => &[("globalmacro", json!(false)), ("globalmacro", json!(true))],
            // They take nothing else.
            "settings.get"
            | "housekeeping.get"
            | "authentication.get"
            | "autoregistration.get"
            | "task.get" => &[("output", json!("extend"))],
            _ => &[("output", json!("extend"))],
        };
        for (name, value) in variants {
            params.insert((*name).to_owned(), value.clone());
            let given = Value::Object(params.clone());
            let answer = session.server.call_as(Some(&session.id), &method, given).to_string();
            let refused = "No permissions to call";
            assert!(
                answer.contains("\"result\"") || answer.contains(refused),
                "{method}: {answer}"
            );
            let found = secrets(&answer);
            if !found.is_empty() {
                found_by_method.insert(method.clone(), found);
            }
        }
    }
    found_by_method
}

/// Creates one of each object that has secrets.
fn make(admin: &Session<'_>) -> String {
    let template = admin.template("T");
    let macros = |of: &str| {
        json!([{"macro": "{$PLAIN}", "value": "plain"},
            {"macro": "{$SECRET}", "value": secret(of), "type": 1}])
    };
    admin.call(
        "template.update",
        json!({"templateid": template, "macros": macros("template macro")}),
    );
    let host = admin.create(
        "host.create",
        json!({"host": "h", "groups": [{"groupid": "2"}], "templates": [{"templateid": template}],
            "macros": macros("host macro"), "tls_connect": 2, "tls_accept": 3,
            "tls_psk_identity": secret("identity"), "tls_psk": PSK,
            "ipmi_username": "u", "ipmi_password": secret("ipmi"),
            "interfaces": [{"type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "",
                "port": "10050"}]}),
    );
    admin.call(
        "autoregistration.update",
        json!({"tls_accept": 2, "tls_psk_identity": secret("identity"), "tls_psk": PSK}),
    );
    admin.create(
        "usermacro.create",
        json!({"hostid": host, "macro": "{$MORE}", "value": secret("more macro"), "type": 1}),
    );
    admin.create(
        "usermacro.createglobal",
        json!({"macro": "{$GLOBAL}", "value": secret("global macro"), "type": 1}),
    );
    for (holder, of) in [(&host, "host"), (&template, "template")] {
        let http = |kind: &str| {
            json!({"hostid": holder, "name": kind, "key_": format!("http.{kind}.{of}"), "type": 19,
                "delay": "1h", "url": "http://localhost", "authtype": 1, "username": "u",
                "password": secret(&format!("{kind} password")),
                "ssl_key_password": secret(&format!("{kind} key"))})
        };
        let mut item = http("item");
        item["value_type"] = json!(4);
        admin.create("item.create", item);
        let rule = admin.create("discoveryrule.create", http("rule"));
        let mut prototype = http("prototype");
        prototype["key_"] = json!(format!("p.{of}[{{#N}}]"));
        prototype["value_type"] = json!(4);
        prototype["ruleid"] = json!(rule);
        admin.create("itemprototype.create", prototype);
        let mut nested = http("rule prototype");
        nested["key_"] = json!(format!("r.{of}[{{#N}}]"));
        nested["ruleid"] = json!(rule);
        admin.create("discoveryruleprototype.create", nested);
        admin.create(
            "item.create",
            json!({"hostid": holder, "name": "ssh", "key_": format!("ssh.run[{of}]"), "type": 13,
                "value_type": 4, "delay": "1h", "authtype": 1, "username": "u", "params": "id",
                "password": secret("ssh password"), "publickey": "id.pub",
                "privatekey": secret("ssh key")}),
        );
    }
    // Fields of items show macros, but not secret ones.
    let shows = "{$SECRET} {$MORE} {$GLOBAL}";
    admin.create(
        "item.create",
        json!({"hostid": host, "name": format!("Shows {shows}"), "key_": "shows", "type": 2,
            "value_type": 3, "tags": [{"tag": "t", "value": shows}], "description": shows}),
    );
    admin.create(
        "trigger.create",
        json!({"description": format!("Shows {shows}"), "expression": "last(/h/shows)>5",
            "opdata": shows, "event_name": shows, "comments": shows, "url": "http://a/{$SECRET}"}),
    );
    host
}

/// A user who may read the hosts, and one who may write them, with passwords and tokens.
fn users(admin: &Session<'_>) -> Vec<String> {
    let mut tokens = Vec::new();
    for (name, permission) in [("reader", 2), ("writer", 3)] {
        let group = admin.create(
            "usergroup.create",
            json!({"name": name, "hostgroup_rights": [{"id": "2", "permission": permission}],
                "templategroup_rights": [{"id": "1", "permission": permission}]}),
        );
        let user = admin.create(
            "user.create",
            json!({"username": name, "roleid": "2", "passwd": secret(&format!("user {permission}")),
                "usrgrps": [{"usrgrpid": group}]}),
        );
        let token = admin.create("token.create", json!({"name": name, "userid": user}));
        let made = admin.call("token.generate", json!([token]));
        tokens.push(made[0]["token"].as_str().unwrap().to_owned());
    }
    tokens
}

#[test]
fn secrets_are_never_returned() {
    watch_log();
    let server = Server::start();
    let admin = server.login();
    let host = make(&admin);
    let tokens = users(&admin);
    let (reader, writer) = (
        server.login_as("reader", &secret("user 2")),
        server.login_as("writer", &secret("user 3")),
    );

    // Users who may write an item see the fields of its form, as in Zabbix.
    let credentials = ["item ", "prototype ", "rule ", "ssh "];
    for session in [&admin, &writer] {
        let by_method = leaks(session);
        for (method, found) in &by_method {
            let is_credential = |it: &&String| credentials.iter().any(|of| it.starts_with(of));
            let others: Vec<&String> = found.iter().filter(|it| !is_credential(it)).collect();
            assert!(others.is_empty(), "{method} returns {others:?}");
        }
        let of_items = ["item key", "item password", "ssh key", "ssh password"];
        assert_eq!(by_method["item.get"], of_items);
        let of_both = ["prototype key", "prototype password", "rule key", "rule password"];
        assert_eq!(by_method["itemprototype.get"], of_both);
        assert!(by_method["discoveryruleprototype.get"].contains(&"rule prototype key".to_owned()));
    }
    assert_eq!(leaks(&reader), BTreeMap::new(), "to one who may only read");
    // A filter does not reveal it either.
    let asked = json!({"filter": {"password": secret("item password")}, "countOutput": true});
    assert_eq!(writer.call("item.get", asked.clone()), "3");
    assert_eq!(reader.call("item.get", asked), "0");
    for macros in [json!({"hostids": host}), json!({"globalmacro": true})] {
        let mut params = macros;
        params["search"] = json!({"value": MARK});
        params["countOutput"] = json!(true);
        assert_eq!(admin.call("usermacro.get", params), "0");
    }

    // The text of a token is returned once, and never stored.
    let audit = admin.call("auditlog.get", json!({})).to_string();
    for method in get_methods().into_keys() {
        let answer = server.call_as(Some(&admin.id), &method, json!({"output": "extend"}));
        let answer = answer.to_string();
        assert!(!answer.contains(PSK), "{method} returns a pre-shared key");
        for it in tokens.iter().chain([&admin.id, &reader.id, &writer.id]) {
            assert!(!answer.contains(it.as_str()), "{method} returns a token or session");
        }
    }
    assert!(audit.contains("******"), "{audit}");

    // The pages.
    let bearer = format!("Bearer {}", admin.id);
    for path in ["overview", "latest", "hosts", "hosts/names", "session", "problems"] {
        let page = server.get(&format!("/api/v1/{path}"), &[("Authorization", &bearer)]);
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(secrets(&String::from_utf8_lossy(&page.body)), [""; 0], "{path}");
    }
    assert_eq!(secrets(&server.registry.render()), [""; 0]);
    assert_eq!(*LOGGED.lock().unwrap(), [""; 0]);
}

#[test]
fn errors_do_not_repeat_secrets() {
    watch_log();
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let long = secret(&"x".repeat(3_000));
    for (method, params) in [
        ("user.login", json!({"username": "Admin", "password": long})),
        ("user.create", json!({"username": "u", "passwd": long, "roleid": "99"})),
        ("user.create", json!({"username": long, "passwd": long, "roleid": "2"})),
        ("user.update", json!({"userid": "1", "passwd": long, "current_passwd": long})),
        ("usermacro.create", json!({"hostid": host, "macro": "{$A}", "value": long, "type": 1})),
        ("usermacro.createglobal", json!({"macro": "{$A}", "value": long, "type": 1})),
        (
            "item.create",
            json!({"hostid": host, "name": "i", "key_": "i", "type": 19, "value_type": 4,
                "delay": "1h", "url": "http://a", "authtype": 1, "username": "u",
                "password": long}),
        ),
        (
            "item.create",
            json!({"hostid": host, "name": "i", "key_": "i", "type": 13, "value_type": 4,
                "delay": "1h", "authtype": 1, "params": "x", "privatekey": long}),
        ),
        ("host.update", json!({"hostid": host, "tls_psk": long, "tls_psk_identity": long})),
    ] {
        let answer = server.call_as(Some(&admin.id), method, params);
        assert!(answer.get("error").is_some(), "{method}: {answer}");
        assert!(!answer.to_string().contains(MARK), "{method}: {answer}");
    }
    let refused = server.call_as(Some(&long), "host.get", json!({}));
    assert!(!refused.to_string().contains(MARK), "{refused}");
    assert_eq!(*LOGGED.lock().unwrap(), [""; 0]);
}
