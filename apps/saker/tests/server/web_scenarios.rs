//! Web scenarios against a server with a login: steps, cookies, variables, and reports of failures.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Server, wait_up_to, web};

const WAIT_MAX: Duration = Duration::from_secs(90);

fn item_ids(server: &Server, host: &str) -> Vec<(String, String)> {
    let asked = json!({ "hostids": [host], "webitems": true, "output": ["itemid", "key_"] });
    let items = server.call("item.get", &asked);
    let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    items.as_array().unwrap().iter().map(|it| (text(it, "key_"), text(it, "itemid"))).collect()
}

fn id_of(server: &Server, host: &str, key: &str) -> String {
    let items = item_ids(server, host);
    items.iter().find(|it| it.0 == key).unwrap_or_else(|| panic!("no {key}: {items:?}")).1.clone()
}

fn until(server: &Server, item: &str, what: &str, is_so: impl Fn(&str) -> bool) -> String {
    let mut last = None;
    let found = wait_up_to(WAIT_MAX, || {
        last = server.last(item);
        last.as_deref().is_some_and(&is_so)
    });
    assert!(found, "{what}: {last:?}, {}", server.item(item));
    last.unwrap()
}

#[test]
fn a_user_logs_in_with_what_the_page_before_gave() {
    let mut server = Server::start();
    let url = format!("http://127.0.0.1:{}", web::start(None));
    let group = server.create("templategroup.create", &json!({ "name": "Shops" }));
    let template = server.create(
        "template.create",
        &json!({ "host": "Shop", "groups": [{ "groupid": group[0] }],
            "macros": [{ "macro": "{$PASSWORD}", "value": "p&w" }] }),
    );
    let steps = json!([
        { "name": "Form", "no": 1, "url": "{$URL}/login", "status_codes": "200",
            "variables": [{ "name": "{token}", "value": "regex:name=\"token\" value=\"([^\"]+)\"" }] },
        { "name": "Log in", "no": 2, "url": "{$URL}/login", "required": "Welcome, {user}",
            "posts": [{ "name": "token", "value": "{token}" }, { "name": "user", "value": "{user}" },
                { "name": "password", "value": "{$PASSWORD}" }] },
        { "name": "Account", "no": 3, "url": "{$URL}/account", "status_codes": "200-299" },
    ]);
    let scenario = json!({
        "hostid": template[0], "name": "Log in, look", "delay": "1h", "agent": "Probe 1", "steps": steps,
        "variables": [{ "name": "{user}", "value": "ann" }],
        "tags": [{ "tag": "scope", "value": "login" }],
    });
    let on_template = server.create("httptest.create", &scenario);
    let hosts = server.group("Servers");
    let host = server.create(
        "host.create",
        &json!({ "host": "shop1", "groups": [{ "groupid": hosts }],
            "templates": [{ "templateid": template[0] }],
            "macros": [{ "macro": "{$URL}", "value": url }] }),
    );
    let host = &host[0];
    let asked = json!({ "hostids": [host], "selectSteps": "extend", "selectTags": "extend" });
    let found = server.call("httptest.get", &asked);
    assert_eq!(found[0]["templateid"], json!(on_template[0]), "{found}");
    assert_eq!(found[0]["steps"][1]["posts"][2]["name"], "password");
    assert_eq!(found[0]["tags"], json!([{ "tag": "scope", "value": "login" }]));
    let failed = id_of(&server, host, "web.test.fail[\"Log in, look\"]");
    server.call("task.create", &json!([{ "type": 6, "request": { "itemid": failed } }]));
    assert_eq!(until(&server, &failed, "failed step", |_| true), "0");
    for (step, code) in [("Form", "200"), ("Log in", "200"), ("Account", "200")] {
        let id = id_of(&server, host, &format!("web.test.rspcode[\"Log in, look\",{step}]"));
        assert_eq!(until(&server, &id, step, |_| true), code);
        let id = id_of(&server, host, &format!("web.test.time[\"Log in, look\",{step},resp]"));
        until(&server, &id, step, |it| 0.0 < it.parse::<f64>().unwrap());
    }
    let speed = id_of(&server, host, "web.test.in[\"Log in, look\",,bps]");
    until(&server, &speed, "speed", |it| 0.0 < it.parse::<f64>().unwrap());
    let error = id_of(&server, host, "web.test.error[\"Log in, look\"]");
    assert_eq!(server.last(&error), None, "nothing was wrong");

    // With another password the second step fails, and there is no third.
    server.create(
        "usermacro.create",
        &json!({ "hostid": host, "macro": "{$PASSWORD}", "value": "x" }),
    );
    server.call("task.create", &json!([{ "type": 6, "request": { "itemid": failed } }]));
    until(&server, &failed, "failed step", |it| it == "2");
    let why = until(&server, &error, "reason", |_| true);
    assert!(why.starts_with("required pattern \"Welcome, ann\" was not found"), "{why}");
    assert!(why.ends_with("(step \"Log in\")"), "{why}");
    // No item is polled by itself, those of steps that were not reached neither: none is unsupported.
    let asked =
        json!({ "hostids": [host], "webitems": true, "output": ["key_", "state", "error"] });
    let items = server.call("item.get", &asked);
    assert_eq!(items.as_array().map(Vec::len), Some(12), "{items}");
    for it in items.as_array().into_iter().flatten() {
        assert_eq!((&it["state"], &it["error"]), (&json!("0"), &json!("")), "{it}");
    }
    server.stop();
}

#[test]
fn failures_are_reported_with_step_and_reason() {
    let mut server = Server::start();
    let url = format!("http://127.0.0.1:{}", web::start(None));
    let host = server.host("h");
    let step = |name: &str, no: u8, path: &str| json!({ "name": name, "no": no, "url": format!("{url}{path}") });
    let with = |mut it: Value, name: &str, value: Value| {
        it[name] = value;
        it
    };
    let first = step("first", 1, "/a");
    let rows = [
        (
            "codes",
            with(step("s", 2, "/missing"), "status_codes", json!("200,300-399")),
            2,
            "response code \"404\" did not match any of the required status codes \"200,300-399\"",
        ),
        ("late", with(step("s", 2, "/silent"), "timeout", json!("1s")), 2, "Timeout was reached"),
        ("round", step("s", 2, "/round"), 2, "Maximum (10) redirects followed"),
        (
            "stays",
            with(
                with(step("s", 2, "/round"), "follow_redirects", json!(0)),
                "status_codes",
                json!("302"),
            ),
            0,
            "",
        ),
        (
            "variable",
            with(
                step("s", 2, "/b"),
                "variables",
                json!([{ "name": "{x}", "value": "jsonpath:$.a" }]),
            ),
            2,
            "cannot extract the value of \"{x}\" from response",
        ),
        (
            "head",
            with(
                with(step("s", 2, "/b"), "retrieve_mode", json!(1)),
                "required",
                json!("Content-Length: \\d+"),
            ),
            0,
            "",
        ),
        (
            "closed",
            json!({ "name": "s", "no": 2, "url": "http://127.0.0.1:1/" }),
            2,
            "Could not connect",
        ),
    ];
    for (name, second, ..) in &rows {
        let scenario = json!({
            "hostid": host, "name": name, "delay": "1h", "retries": 2, "steps": [first, second],
        });
        server.create("httptest.create", &scenario);
        let failed = id_of(&server, &host, &format!("web.test.fail[{name}]"));
        server.call("task.create", &json!([{ "type": 6, "request": { "itemid": failed } }]));
    }
    for (name, _, number, why) in &rows {
        let failed = id_of(&server, &host, &format!("web.test.fail[{name}]"));
        assert_eq!(until(&server, &failed, name, |_| true), number.to_string(), "{name}");
        let error = id_of(&server, &host, &format!("web.test.error[{name}]"));
        if *number == 0 {
            assert_eq!(server.last(&error), None, "{name}");
        } else {
            let shown = until(&server, &error, name, |_| true);
            assert!(shown.contains(why), "{name}: {shown}");
        }
        let code = id_of(&server, &host, &format!("web.test.rspcode[{name},first]"));
        assert_eq!(until(&server, &code, name, |_| true), "200", "{name}");
    }
    server.stop();
}
