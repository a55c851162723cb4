//! Dashboards of users and of templates.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn widget(kind: &str, x: i64, fields: Value) -> Value {
    json!({"type": kind, "x": x, "y": 0, "width": 12, "height": 4, "fields": fields})
}

fn user<'s>(
    server: &'s Server,
    admin: &Session<'_>,
    name: &str,
    role: &str,
) -> (Session<'s>, String) {
    let group = admin.create("usergroup.create", json!({"name": format!("of {name}")}));
    let password = "a long one 4 all";
    let request = json!({"username": name, "passwd": password, "roleid": role,
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", request);
    (server.login_as(name, password), group)
}

#[test]
fn a_dashboard_keeps_its_pages_and_widgets_with_their_ids() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let item = admin.trapper(&host, "load");
    let shows = json!([{"type": 4, "name": "itemid.0", "value": item},
        {"type": 0, "name": "show.0", "value": 2}, {"type": 1, "name": "reference", "value": "A"}]);
    let dashboard = admin.create(
        "dashboard.create",
        json!({"name": "D", "auto_start": 0, "pages": [
            {"name": "One", "widgets": [widget("item", 0, shows), widget("clock", 12, json!([]))]},
            {"display_period": 60}]}),
    );
    let get = json!({"dashboardids": dashboard, "selectPages": "extend", "selectUsers": "extend",
        "selectUserGroups": "extend"});
    let found = admin.call("dashboard.get", get.clone());
    let pages = found[0]["pages"].as_array().unwrap();
    let expected = json!([{"dashboardid": dashboard, "name": "D", "userid": "1", "private": "1",
        "display_period": "30", "auto_start": "0", "pages": pages, "users": [], "userGroups": []}]);
    assert_eq!(found, expected);
    let (first, second) = (&pages[0]["widgets"][0], &pages[0]["widgets"][1]);
    let expected = json!({"widgetid": first["widgetid"], "type": "item", "name": "", "view_mode": "0",
        "x": "0", "y": "0", "width": "12", "height": "4", "fields": [
            {"type": "4", "name": "itemid.0", "value": item},
            {"type": "0", "name": "show.0", "value": "2"},
            {"type": "1", "name": "reference", "value": "A"}]});
    assert_eq!(*first, expected);
    assert_eq!((&pages[1]["display_period"], &pages[1]["widgets"]), (&json!("60"), &json!([])));
    // Omitted fields of a page or widget keep their values; a new widget has a new id.
    let page = &pages[0]["dashboard_pageid"];
    admin.call(
        "dashboard.update",
        json!({"dashboardid": dashboard, "pages": [
            {"dashboard_pageid": page, "widgets": [{"widgetid": second["widgetid"], "name": "Time"},
                widget("url", 24, json!([]))]}]}),
    );
    let found = admin.call("dashboard.get", get.clone());
    let pages = found[0]["pages"].as_array().unwrap();
    assert_eq!(
        (pages.len(), &pages[0]["dashboard_pageid"], &pages[0]["name"]),
        (1, page, &json!("One"))
    );
    let widgets = pages[0]["widgets"].as_array().unwrap();
    assert_eq!((widgets.len(), &widgets[0]["widgetid"]), (2, &second["widgetid"]));
    assert_eq!((&widgets[0]["type"], &widgets[0]["name"]), (&json!("clock"), &json!("Time")));
    assert_ne!(widgets[1]["widgetid"], second["widgetid"]);
    admin.call("dashboard.update", json!({"dashboardid": dashboard, "name": "E"}));
    let again = admin.call("dashboard.get", get);
    assert_eq!((&again[0]["name"], &again[0]["pages"]), (&json!("E"), &found[0]["pages"]));
    let foreign = json!({"dashboardid": dashboard, "pages": [{"dashboard_pageid": "1"}]});
    let denied = "No permissions to referred object or it does not exist!";
    assert_eq!(admin.error("dashboard.update", foreign), denied);
}

#[test]
fn dashboards_are_their_owners_and_those_they_are_shared_with() {
    let server = Server::start();
    let admin = server.login();
    let (friend, of_friend) = user(&server, &admin, "friend", "1");
    let (owner, of_owner) = user(&server, &admin, "owner", "1");
    let (other, _) = user(&server, &admin, "other", "1");
    let found = admin.call("user.get", json!({"usrgrpids": of_owner, "output": ["userid"]}));
    let groups = json!([{"usrgrpid": of_owner}, {"usrgrpid": of_friend}]);
    // Users share with groups of their own.
    admin.call("user.update", json!({"userid": found[0]["userid"], "usrgrps": groups}));
    let make = |name: &str, more: Value| {
        let mut request = json!({"name": name, "pages": [{}]});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        owner.create("dashboard.create", request)
    };
    let group = |permission: i64| json!([{"usrgrpid": of_friend, "permission": permission}]);
    let (own, public) = (make("own", json!({})), make("public", json!({"private": 0})));
    let shared = make("shared", json!({"userGroups": group(2)}));
    let edited = make("edited", json!({"userGroups": group(3)}));
    let seen = |session: &Session<'_>, editable: bool| -> Vec<String> {
        let params = json!({"output": ["name"], "editable": editable, "sortfield": "name"});
        let found = session.call("dashboard.get", params);
        let name = |it: &Value| it["name"].as_str().unwrap().to_owned();
        found.as_array().unwrap().iter().map(name).collect()
    };
    assert_eq!(seen(&owner, true), ["edited", "own", "public", "shared"]);
    assert_eq!(seen(&friend, false), ["edited", "public", "shared"]);
    assert_eq!(seen(&friend, true), ["edited"]);
    assert_eq!(seen(&other, false), ["public"]);
    let denied = "No permissions to referred object or it does not exist!";
    for (session, id) in [(&friend, &shared), (&other, &public), (&other, &own)] {
        let update = json!({"dashboardid": id, "name": "mine"});
        assert_eq!(session.error("dashboard.update", update), denied);
        assert_eq!(session.error("dashboard.delete", json!([id])), denied);
    }
    friend.call("dashboard.update", json!({"dashboardid": edited, "private": 0}));
    assert_eq!(seen(&other, false), ["edited", "public"]);
    let error = owner.error("dashboard.update", json!({"dashboardid": own, "userid": "1"}));
    assert_eq!(error, "Only super admins can set dashboard owner.");
    admin.call("dashboard.update", json!({"dashboardid": own, "userid": "1"}));
    assert_eq!(seen(&owner, false), ["edited", "public", "shared"]);
}

#[test]
fn wrong_dashboards_are_refused_with_zabbix_errors() {
    let server = Server::start();
    let admin = server.login();
    let field = |kind: i64, value: Value| json!([{"type": kind, "name": "f", "value": value}]);
    let wide = |x: i64| {
        let mut it = widget("clock", x, json!([]));
        it["width"] = json!(72);
        it
    };
    for (widgets, expected) in [
        (
            json!([widget("a", 0, json!([])), widget("b", 11, json!([]))]),
            "Overlapping widgets at X:11, Y:0 on page #1 of dashboard \"D\".",
        ),
        (json!([wide(1)]), "Widget at X:1, Y:0 on page #1 of dashboard \"D\" is out of bounds."),
        (json!([widget("a", 0, field(4, json!("77")))]), "Item with ID \"77\" is not available."),
        (json!([widget("a", 0, field(6, json!("77")))]), "Graph with ID \"77\" is not available."),
        (json!([widget("a", 0, field(8, json!("1")))]), "Map with ID \"1\" is not available."),
        (
            json!([widget("a", 0, field(0, json!("x")))]),
            "Invalid parameter \"/1/pages/1/widgets/1/fields/1/value\": an integer is expected.",
        ),
        (
            json!([{"width": 5}]),
            "Invalid parameter \"/1/pages/1/widgets/1\": the parameter \"type\" is missing.",
        ),
        (
            json!([widget("a", 0, field(14, json!("1")))]),
            "Invalid parameter \"/1/pages/1/widgets/1/fields/1/type\": value must be one of 0, 1, 2, \
             3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13.",
        ),
    ] {
        let request = json!({"name": "D", "pages": [{"widgets": widgets}]});
        assert_eq!(admin.error("dashboard.create", request.clone()), expected, "{request}");
    }
    let error = admin.error("dashboard.create", json!({"name": "D", "pages": []}));
    assert_eq!(error, "Invalid parameter \"/1/pages\": cannot be empty.");
    let many: Vec<Value> = (0..51).map(|_| json!({})).collect();
    let error = admin.error("dashboard.create", json!({"name": "D", "pages": many}));
    let expected = "Invalid parameter \"/1/pages\": maximum number of array elements is 50.";
    assert_eq!(error, expected);
}

#[test]
fn template_dashboards_show_on_hosts_and_widgets_drop_deleted_objects() {
    let server = Server::start();
    let admin = server.login();
    let template = admin.template("T");
    let host = admin.create(
        "host.create",
        json!({"host": "h", "groups": [{"groupid": "2"}], "templates": [{"templateid": template}]}),
    );
    let item = admin.trapper(&template, "load");
    let graph = admin.create(
        "graph.create",
        json!({"name": "G", "gitems": [{"itemid": item, "color": "000000"}]}),
    );
    let fields = json!([{"type": 6, "name": "graphid.0", "value": graph},
        {"type": 4, "name": "itemid.0", "value": item}, {"type": 0, "name": "rf_rate", "value": 30}]);
    let dashboard = admin.create(
        "templatedashboard.create",
        json!({"name": "D", "templateid": template, "pages": [{"widgets": [widget("graph", 0, fields)]}]}),
    );
    let found = admin.call(
        "host.get",
        json!({"hostids": host, "output": [],
        "selectDashboards": ["name", "templateid"]}),
    );
    let expected = json!([{"dashboardid": dashboard, "name": "D", "templateid": template}]);
    assert_eq!(found[0]["dashboards"], expected);
    let params = json!({"templateids": template, "output": [], "selectDashboards": "count"});
    assert_eq!(admin.call("template.get", params)[0]["dashboards"], "1");
    let get = json!({"templateids": template, "selectPages": "extend"});
    let n_fields = || {
        let found = admin.call("templatedashboard.get", get.clone());
        found[0]["pages"][0]["widgets"][0]["fields"].as_array().unwrap().len()
    };
    assert_eq!(n_fields(), 3);
    // Items and graphs of others are not the template's to show.
    let foreign = admin.trapper(&host, "own");
    let fields = json!([{"type": 4, "name": "itemid.0", "value": foreign}]);
    let error = admin.error(
        "templatedashboard.update",
        json!({"dashboardid": dashboard,
        "pages": [{"widgets": [widget("item", 0, fields)]}]}),
    );
    assert_eq!(error, format!("Item with ID \"{foreign}\" is not available."));
    admin.call("graph.delete", json!([graph]));
    assert_eq!(n_fields(), 2);
    admin.call("item.delete", json!([item]));
    assert_eq!(n_fields(), 1);
    admin.call("template.delete", json!([template]));
    assert_eq!(admin.call("templatedashboard.get", json!({"countOutput": true})), "0");
}

const FILE: &str = r#"
zabbix_export:
  version: '7.0'
  template_groups: [{uuid: b0000000000000000000000000000001, name: Templates/Own}]
  templates:
    - uuid: b0000000000000000000000000000002
      template: T
      groups: [{name: Templates/Own}]
      items: [{uuid: b0000000000000000000000000000003, name: A, type: TRAP, key: a}]
      dashboards:
        - uuid: b0000000000000000000000000000004
          name: One
          display_period: '60'
          auto_start: 'NO'
          pages:
            - name: First
              widgets:
                - type: graph
                  width: '36'
                  height: '5'
                  hide_header: 'YES'
                  fields:
                    - {type: GRAPH, name: graphid.0, value: {host: T, name: G}}
                    - {type: ITEM, name: itemid.0, value: {host: T, key: a}}
                    - {type: INTEGER, name: show, value: '2'}
  graphs:
    - uuid: b0000000000000000000000000000005
      name: G
      graph_items: [{color: 1A7C11, item: {host: T, key: a}}]
"#;

#[test]
fn files_bring_dashboards_of_templates_as_their_rule_says() {
    let server = Server::start();
    let admin = server.login();
    let import = |file: &str, rule: &Value| {
        let all = json!({"createMissing": true, "updateExisting": true});
        let rules = json!({"template_groups": all, "templates": all, "items": all, "graphs": all,
            "templateDashboards": rule});
        let params = json!({"format": "yaml", "source": file, "rules": rules});
        server.call_as(Some(&admin.id), "configuration.import", params)
    };
    assert_eq!(import(FILE, &json!({}))["result"], true);
    let get = json!({"selectPages": "extend"});
    assert_eq!(admin.call("templatedashboard.get", get.clone()), json!([]));
    assert_eq!(import(FILE, &json!({"createMissing": true}))["result"], true);
    let found = admin.call("templatedashboard.get", get.clone());
    let template = admin.call(
        "template.get",
        json!({"filter": {"host": "T"}, "selectItems": [],
        "selectGraphs": []}),
    );
    let (item, graph) = (&template[0]["items"][0]["itemid"], &template[0]["graphs"][0]["graphid"]);
    let page = &found[0]["pages"][0];
    let expected = json!([{"dashboardid": found[0]["dashboardid"], "name": "One",
        "templateid": template[0]["templateid"], "display_period": "60", "auto_start": "0",
        "uuid": "b0000000000000000000000000000004", "pages": [
            {"dashboard_pageid": page["dashboard_pageid"], "name": "First", "display_period": "0",
                "widgets": [{"widgetid": page["widgets"][0]["widgetid"], "type": "graph", "name": "",
                    "view_mode": "1", "x": "0", "y": "0", "width": "36", "height": "5", "fields": [
                        {"type": "6", "name": "graphid.0", "value": graph},
                        {"type": "4", "name": "itemid.0", "value": item},
                        {"type": "0", "name": "show", "value": "2"}]}]}]}]);
    assert_eq!(found, expected);
    let renamed = FILE.replace("name: One", "name: Two");
    assert_eq!(import(&renamed, &json!({"createMissing": true}))["result"], true);
    assert_eq!(admin.call("templatedashboard.get", get.clone())[0]["name"], "One");
    assert_eq!(import(&renamed, &json!({"updateExisting": true}))["result"], true);
    let again = admin.call("templatedashboard.get", get.clone());
    assert_eq!(
        (&again[0]["name"], &again[0]["dashboardid"]),
        (&json!("Two"), &found[0]["dashboardid"])
    );
    let lost = FILE.replace("{host: T, name: G}", "{host: T, name: H}");
    let error = import(&lost, &json!({"updateExisting": true}));
    let expected = "Cannot find graph \"H\" used in dashboard \"One\".";
    assert!(error["error"]["data"].as_str().unwrap().starts_with(expected), "{error}");
    let (start, rest) = FILE.split_once("      dashboards:").unwrap();
    let without = format!("{start}  graphs:{}", rest.split_once("  graphs:").unwrap().1);
    assert_eq!(import(&without, &json!({"deleteMissing": true}))["result"], true);
    assert_eq!(admin.call("templatedashboard.get", get), json!([]));
}

#[test]
fn a_host_shows_dashboards_of_hidden_templates() {
    let server = Server::start();
    let admin = server.login();
    let template = admin.template("T");
    let item = admin.trapper(&template, "load");
    let graph = admin.create(
        "graph.create",
        json!({"name": "G", "gitems": [{"itemid": item, "color": "000000"}]}),
    );
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": template, "name": "r", "key_": "r", "type": 2}),
    );
    let prototype = admin.create(
        "itemprototype.create",
        json!({"hostid": template, "ruleid": rule, "name": "p {#N}", "key_": "p[{#N}]", "type": 2,
            "value_type": 3}),
    );
    let shows = json!([{"type": 4, "name": "itemid.0", "value": item},
        {"type": 6, "name": "graphid.0", "value": graph},
        {"type": 5, "name": "itemid.1", "value": prototype},
        {"type": 0, "name": "show.0", "value": 2}]);
    let dashboard = admin.create(
        "templatedashboard.create",
        json!({"name": "D", "templateid": template, "pages": [{"widgets": [widget("item", 0, shows)]}]}),
    );
    let make_host = |name: &str, templates: Value| {
        admin.create(
            "host.create",
            json!({"host": name, "groups": [{"groupid": "2"}], "templates": templates}),
        )
    };
    let host = make_host("h", json!([{"templateid": template}]));
    let other = make_host("other", json!([]));
    let (reader, group) = user(&server, &admin, "reader", "1");
    let get = |session: &Session<'_>, host: &str| {
        let bearer = format!("Bearer {}", session.id);
        let path = format!("/api/v1/hosts/{host}/dashboards/{dashboard}");
        server.get(&path, &[("Authorization", &bearer)])
    };
    assert_eq!(get(&reader, &host).status, 404, "no rights on the host yet");
    let rights = json!({"usrgrpid": group, "hostgroup_rights": [{"id": "2", "permission": 2}]});
    admin.call("usergroup.update", rights);
    assert_eq!(reader.call("template.get", json!({"countOutput": true})), "0");
    assert_eq!(reader.call("item.get", json!({"itemids": item})), json!([]));
    let listed = reader
        .call("host.get", json!({"hostids": host, "output": [], "selectDashboards": ["name"]}));
    assert_eq!(listed[0]["dashboards"], json!([{"dashboardid": dashboard, "name": "D"}]));
    let shown = get(&reader, &host).json();
    assert_eq!((&shown["name"], &shown["dashboardid"]), (&json!("D"), &json!(dashboard)));
    let params = json!({"hostids": host, "output": [], "selectItems": [], "selectGraphs": []});
    let own = reader.call("host.get", params)[0].clone();
    let prototypes =
        admin.call("itemprototype.get", json!({"hostids": host, "output": ["itemid"]}));
    let expected = json!([
        {"type": "4", "name": "itemid.0", "value": own["items"][0]["itemid"]},
        {"type": "6", "name": "graphid.0", "value": own["graphs"][0]["graphid"]},
        {"type": "5", "name": "itemid.1", "value": prototypes[0]["itemid"]},
        {"type": "0", "name": "show.0", "value": "2"}]);
    let fields = |of: &Value| of["pages"][0]["widgets"][0]["fields"].clone();
    assert_eq!(fields(&shown), expected);
    let item_of_host = json!({"itemids": expected[0]["value"], "output": ["key_"]});
    assert_eq!(reader.call("item.get", item_of_host)[0]["key_"], "load");
    // Only hosts that have the template show it.
    assert_eq!(get(&reader, &other).status, 404);
    assert_eq!(get(&admin, &other).status, 404);
    // Objects that the host lost are left out.
    admin.call("host.update", json!({"hostid": host, "templates": []}));
    assert_eq!(get(&reader, &host).status, 404, "it is not the host's any more");
}
