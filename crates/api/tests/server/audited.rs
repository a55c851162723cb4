//! The changes in the audit log: each field that changed, by its path, with its previous value.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

/// Details of the newest update of an object.
fn details(admin: &Session<'_>, kind: i64, id: &str) -> Value {
    let params = json!({"filter": {"resourceid": id, "action": 1, "resourcetype": kind},
        "output": [], "selectAllDetails": true, "sortfield": "auditid", "sortorder": "DESC", "limit": 1});
    let found = admin.call("auditlog.get", params);
    serde_json::from_str(found[0]["all_details"].as_str().unwrap_or("null")).unwrap()
}

fn numeric(admin: &Session<'_>, host: &str, key: &str) -> String {
    admin.create(
        "item.create",
        json!({"hostid": host, "name": key, "key_": key, "type": 2, "value_type": 3}),
    )
}

#[test]
fn changes_of_graphs_and_prototypes_are_logged() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let (a, b) = (numeric(&admin, &host, "a"), numeric(&admin, &host, "b"));
    let gitem = |id: &str, color: &str| json!({"itemid": id, "color": color});
    let graph = admin.create(
        "graph.create",
        json!({"name": "Load", "gitems": [gitem(&a, "00AA00"), gitem(&b, "0000AA")]}),
    );
    let found =
        admin.call("graph.get", json!({"graphids": graph, "selectGraphItems": ["gitemid"]}));
    let gitems = &found[0]["gitems"];
    let change = json!({"graphid": graph, "name": "Load 2", "width": 900, "height": 200, "gitems": [
        {"gitemid": gitems[0]["gitemid"]}, {"gitemid": gitems[1]["gitemid"], "color": "FF0000"}]});
    admin.call("graph.update", change);
    // The width is unchanged.
    let expected = json!({"graph.name": ["update", "Load 2", "Load"], "graph.gitems[2]": ["update"],
        "graph.gitems[2].color": ["update", "FF0000", "0000AA"]});
    assert_eq!(details(&admin, 6, &graph), expected);
    let less = json!({"graphid": graph, "gitems": [{"gitemid": gitems[0]["gitemid"]}], "percent_left": 95});
    admin.call("graph.update", less);
    let entry = details(&admin, 6, &graph);
    assert_eq!(entry["graph.gitems[2]"], json!(["delete"]), "{entry}");
    assert_eq!(entry["graph.percent_left"], json!(["update", "95", "0"]), "{entry}");
    assert!(entry.get("graph.gitems[1].color").is_none(), "{entry}");
    // A prototype.
    let rule = json!({"hostid": host, "name": "r", "key_": "r", "type": 2});
    let rule = admin.create("discoveryrule.create", rule);
    let prototype = json!({"hostid": host, "ruleid": rule, "name": "i", "key_": "i[{#N}]", "type": 2, "value_type": 3});
    let item = admin.create("itemprototype.create", prototype);
    let graph = admin.create(
        "graphprototype.create",
        json!({"name": "Of {#N}", "gitems": [gitem(&item, "00AA00")]}),
    );
    admin.call("graphprototype.update", json!({"graphid": graph, "discover": 1, "graphtype": 1}));
    let expected = json!({"graphprototype.discover": ["update", "1", "0"],
        "graphprototype.graphtype": ["update", "1", "0"]});
    assert_eq!(details(&admin, 35, &graph), expected);
}

#[test]
fn changes_of_host_prototypes_are_logged_without_secrets() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let (one, two) = (admin.template("One"), admin.template("Two"));
    let rule = json!({"hostid": host, "name": "r", "key_": "r", "type": 2});
    let rule = admin.create("discoveryrule.create", rule);
    let interface = |community: &str| {
        json!({"type": 2, "main": 1, "useip": 0, "ip": "", "dns": "{#ID}", "port": "161",
            "details": {"version": 2, "community": community}})
    };
    let id = admin.create(
        "hostprototype.create",
        json!({"ruleid": rule, "host": "vm {#ID}", "groupLinks": [{"groupid": "2"}], "custom_interfaces": 1,
            "groupPrototypes": [{"name": "Of {#ID}"}], "templates": [{"templateid": one}],
            "interfaces": [interface("hush1")],
            "macros": [{"macro": "{$A}", "value": "hush2", "type": 1}]}),
    );
    admin.call(
        "hostprototype.update",
        json!({"hostid": id, "status": 1, "discover": 1, "groupPrototypes": [{"name": "By {#ID}"}],
            "groupLinks": [{"groupid": "2"}], "templates": [{"templateid": two}], "interfaces": [interface("hush3")],
            "macros": [{"macro": "{$A}", "value": "hush4", "type": 1}], "tags": [{"tag": "a", "value": "b"}]}),
    );
    let entry = details(&admin, 37, &id);
    for (name, what) in [
        ("status", json!(["update", "1", "0"])),
        ("discover", json!(["update", "1", "0"])),
        (&*format!("templates[{one}]"), json!(["delete"])),
        (&*format!("templates[{two}].templateid"), json!(["add", two])),
    ] {
        assert_eq!(entry[format!("hostprototype.{name}")], what, "{name}: {entry}");
    }
    let has = |end: &str, what: Value| {
        let mut all = entry.as_object().unwrap().iter();
        assert!(all.any(|it| it.0.ends_with(end) && *it.1 == what), "{end}: {entry}");
    };
    has("].name", json!(["add", "By {#ID}"]));
    has(".community", json!(["add", "******"]));
    has("].value", json!(["update", "******", "******"]));
    has("].tag", json!(["add", "a"]));
    assert!(!entry.as_object().unwrap().keys().any(|it| it.contains("groupLinks")), "{entry}");
    assert!(
        !admin.call("auditlog.get", json!({"selectAllDetails": true})).to_string().contains("hush")
    );
}

#[test]
fn changes_of_value_maps_and_medias_are_logged() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let map = admin.create(
        "valuemap.create",
        json!({"hostid": host, "name": "Up", "mappings": [{"value": "0", "newvalue": "down"},
            {"value": "1", "newvalue": "up"}]}),
    );
    admin.call(
        "valuemap.update",
        json!({"valuemapid": map, "name": "State", "mappings": [{"value": "0", "newvalue": "gone"},
            {"value": "1", "newvalue": "up"}, {"type": 5, "newvalue": "?"}]}),
    );
    let entry = details(&admin, 17, &map);
    assert_eq!(entry["valuemap.name"], json!(["update", "State", "Up"]), "{entry}");
    assert_eq!(
        entry["valuemap.mappings[1].newvalue"],
        json!(["update", "gone", "down"]),
        "{entry}"
    );
    assert_eq!(entry["valuemap.mappings[3].newvalue"], json!(["add", "?"]), "{entry}");
    assert!(entry.get("valuemap.mappings[2].newvalue").is_none(), "{entry}");

    let hook = json!({"name": "Hook", "type": "4", "script": "return 1"});
    let kind = admin.create("mediatype.create", hook);
    let of_media = |entry: Value, field: &str| {
        let all = entry.as_object().unwrap();
        let end = format!("].{field}");
        let found = all.iter().find(|it| it.0.starts_with("user.medias[") && it.0.ends_with(&end));
        found.map(|it| it.1.clone()).unwrap_or_default()
    };
    let media = |to: &str, active: u8| json!({"mediatypeid": kind, "sendto": to, "active": active});
    admin.call("user.update", json!({"userid": "1", "medias": [media("a@example.com", 0)]}));
    assert_eq!(of_media(details(&admin, 0, "1"), "sendto"), json!(["add", "a@example.com"]));
    admin.call(
        "user.update",
        json!({"userid": "1", "medias": [media("b@example.com", 1)], "theme": "dark-theme"}),
    );
    let entry = details(&admin, 0, "1");
    assert_eq!(entry["user.theme"], json!(["update", "dark-theme", "default"]), "{entry}");
    assert_eq!(of_media(entry, "sendto")[1], "b@example.com");
    admin.call("user.update", json!({"userid": "1", "medias": []}));
    let entry = details(&admin, 0, "1");
    assert!(entry.as_object().unwrap().values().all(|it| *it == json!(["delete"])), "{entry}");
}

#[test]
fn changes_of_web_scenarios_are_logged() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web");
    let step = |name: &str, no: u8, url: &str| json!({"name": name, "no": no, "url": url});
    let id = admin.create(
        "httptest.create",
        json!({"hostid": host, "name": "Shop", "authentication": 1, "http_user": "ann", "http_password": "hush1",
            "steps": [step("a", 1, "http://h/a"), step("b", 2, "http://h/b")]}),
    );
    let found =
        admin.call("httptest.get", json!({"httptestids": id, "selectSteps": ["httpstepid"]}));
    let steps = &found[0]["steps"];
    admin.call(
        "httptest.update",
        json!({"httptestid": id, "agent": "Probe", "retries": 3, "delay": "5m", "http_password": "hush2",
            "http_user": "bob", "steps": [{"httpstepid": steps[0]["httpstepid"], "no": 1},
            {"httpstepid": steps[1]["httpstepid"], "no": 2, "url": "http://h/c", "status_codes": "200"}]}),
    );
    let expected = json!({"httptest.agent": ["update", "Probe", "Zabbix"], "httptest.retries": ["update", "3", "1"],
        "httptest.delay": ["update", "5m", "1m"], "httptest.http_user": ["update", "bob", "ann"],
        "httptest.http_password": ["update", "******", "******"], "httptest.steps[2]": ["update"],
        "httptest.steps[2].url": ["update", "http://h/c", "http://h/b"],
        "httptest.steps[2].status_codes": ["update", "200", ""]});
    assert_eq!(details(&admin, 22, &id), expected);
    let n = || admin.call("auditlog.get", json!({"countOutput": true, "selectAllDetails": true}));
    let before = n();
    admin.call("httptest.update", json!({"httptestid": id, "agent": "Probe"}));
    assert_eq!(n(), before, "what changes nothing is no change");
    admin.call("httptest.update", json!({"httptestid": id, "name": "Store"}));
    assert_eq!(details(&admin, 22, &id), json!({"httptest.name": ["update", "Store", "Shop"]}));
    assert!(
        !admin.call("auditlog.get", json!({"selectAllDetails": true})).to_string().contains("hush")
    );
}

#[test]
fn changes_of_dashboards_and_maps_are_logged() {
    let server = Server::start();
    let admin = server.login();
    let widget = |name: &str| json!({"type": "clock", "name": name, "x": 0, "y": 0, "width": 4, "height": 4});
    let dashboard = admin.create(
        "dashboard.create",
        json!({"name": "Floor", "pages": [{"name": "one", "widgets": [widget("Time")]}]}),
    );
    let found =
        admin.call("dashboard.get", json!({"dashboardids": dashboard, "selectPages": "extend"}));
    let mut pages = found[0]["pages"].clone();
    pages[0]["widgets"][0]["name"] = json!("Hour");
    admin.call(
        "dashboard.update",
        json!({"dashboardid": dashboard, "display_period": 60, "pages": pages}),
    );
    let page = pages[0]["dashboard_pageid"].as_str().unwrap();
    let widget = pages[0]["widgets"][0]["widgetid"].as_str().unwrap();
    let of_widget = format!("dashboard.pages[{page}].widgets[{widget}]");
    let of_name = format!("{of_widget}.name");
    let expected = json!({"dashboard.display_period": ["update", "60", "30"],
        of_widget: ["update"], of_name: ["update", "Hour", "Time"]});
    assert_eq!(details(&admin, 33, &dashboard), expected);
    let template = admin.template("T");
    let own = admin.create(
        "templatedashboard.create",
        json!({"templateid": template, "name": "Own", "pages": [{"widgets": []}]}),
    );
    admin.call("templatedashboard.update", json!({"dashboardid": own, "name": "Mine"}));
    assert_eq!(
        details(&admin, 43, &own),
        json!({"templatedashboard.name": ["update", "Mine", "Own"]})
    );
    let map = admin.create("map.create", json!({"name": "Site", "width": 600, "height": 400}));
    admin.call(
        "map.update",
        json!({"sysmapid": map, "width": 800, "shapes": [{"type": 0, "text": "Rack"}]}),
    );
    let entry = details(&admin, 19, &map);
    assert_eq!(entry["map.width"], json!(["update", "800", "600"]), "{entry}");
    assert_eq!(entry["map.shapes[1].text"], json!(["add", "Rack"]), "{entry}");
    admin.call("map.update", json!({"sysmapid": map, "shapes": []}));
    assert_eq!(details(&admin, 19, &map)["map.shapes[1]"], json!(["delete"]));
}
