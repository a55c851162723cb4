//! Graphs, their prototypes and their items, as programs make and find them.

use model::ItemId;
use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn numeric(session: &Session<'_>, holder: &str, key: &str) -> String {
    session.create(
        "item.create",
        json!({"hostid": holder, "name": key, "key_": key, "type": 2, "value_type": 3}),
    )
}

fn gitems(items: &[&String]) -> Value {
    items.iter().map(|it| json!({"itemid": it, "color": "FF5555"})).collect()
}

/// A template with a rule, an item prototype and a graph prototype, and a host that links it.
fn scene(admin: &Session<'_>) -> (String, String, String) {
    let template = admin.template("T");
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": template, "name": "r", "key_": "r", "type": 2}),
    );
    let prototype = admin.create(
        "itemprototype.create",
        json!({"hostid": template, "ruleid": rule, "name": "in {#N}", "key_": "in[{#N}]", "type": 2,
            "value_type": 3}),
    );
    let graph = admin.create(
        "graphprototype.create",
        json!({"name": "Traffic of {#N}", "gitems": gitems(&[&prototype])}),
    );
    let host = admin.create(
        "host.create",
        json!({"host": "h", "groups": [{"groupid": "2"}], "templates": [{"templateid": template}]}),
    );
    (template, host, graph)
}

#[test]
fn a_graph_is_created_returned_updated_and_deleted() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let (a, b) = (numeric(&admin, &host, "a"), numeric(&admin, &host, "b"));
    let graph = admin.create(
        "graph.create",
        json!({"name": "Load", "width": 600, "height": "340", "yaxismax": 0.5, "ymax_type": 1,
            "ymin_type": 2, "ymin_itemid": b, "gitems": [
                {"itemid": a, "color": "00AA00", "drawtype": 5, "yaxisside": 1},
                {"itemid": b, "color": "3333FF"}]}),
    );
    let get = json!({"graphids": graph, "selectGraphItems": "extend", "selectHosts": ["host"],
        "selectItems": ["key_"], "selectHostGroups": ["name"], "selectGraphDiscovery": "extend",
        "selectDiscoveryRule": "extend", "selectTemplates": "extend"});
    let found = admin.call("graph.get", get.clone());
    let item = |id: &String, n: u64| {
        let id_of_graph: u64 = graph.parse().unwrap();
        json!({"gitemid": ((id_of_graph << 12) + n).to_string(), "graphid": graph, "itemid": id,
            "drawtype": "0", "sortorder": n.to_string(), "color": "3333FF", "yaxisside": "0",
            "calc_fnc": "2", "type": "0"})
    };
    let mut first = item(&a, 0);
    first["color"] = json!("00AA00");
    (first["drawtype"], first["yaxisside"]) = (json!("5"), json!("1"));
    let expected = json!([{"graphid": graph, "name": "Load", "width": "600", "height": "340",
        "yaxismin": "0", "yaxismax": "0.5", "templateid": "0", "show_work_period": "1",
        "show_triggers": "1", "graphtype": "0", "show_legend": "1", "show_3d": "0",
        "percent_left": "0", "percent_right": "0", "ymin_type": "2", "ymax_type": "1",
        "ymin_itemid": b, "ymax_itemid": "0", "flags": "0", "uuid": "",
        "gitems": [first, item(&b, 1)], "hosts": [{"hostid": host, "host": "h"}],
        "items": [{"itemid": a, "key_": "a"}, {"itemid": b, "key_": "b"}],
        "hostgroups": [{"groupid": "2", "name": "Linux servers"}], "graphDiscovery": [],
        "discoveryRule": [], "templates": []}]);
    assert_eq!(found, expected);
    // One of its items by its own id; the other one goes.
    let gitemid = &found[0]["gitems"][1]["gitemid"];
    admin.call(
        "graph.update",
        json!({"graphid": graph, "name": "Load 2", "gitems": [{"gitemid": gitemid, "calc_fnc": 4}]}),
    );
    let found = admin.call("graph.get", get);
    assert_eq!(found[0]["name"], "Load 2");
    let left = found[0]["gitems"].as_array().unwrap();
    assert_eq!((left.len(), &left[0]["itemid"]), (1, &json!(b)));
    assert_eq!((&left[0]["calc_fnc"], &left[0]["color"]), (&json!("4"), &json!("3333FF")));
    let records = admin
        .call("auditlog.get", json!({"filter": {"resourcetype": 6}, "selectAllDetails": true}));
    let of_graph = records.as_array().unwrap().iter().filter(|it| it["resourceid"] == *graph);
    assert_eq!(of_graph.count(), 2, "{records}");
    assert_eq!(admin.call("graph.delete", json!([graph])), json!({"graphids": [graph]}));
    assert_eq!(admin.call("graph.get", json!({"countOutput": true})), "0");
}

#[test]
fn graphs_are_found_by_what_they_show_and_where() {
    let server = Server::start();
    let admin = server.login();
    let (one, two) = (admin.host("one"), admin.host("two"));
    let (a, b) = (numeric(&admin, &one, "a"), numeric(&admin, &two, "b"));
    let make = |name: &str, items: &[&String]| {
        admin.create("graph.create", json!({"name": name, "gitems": gitems(items)}))
    };
    let (of_a, of_both) = (make("A", &[&a]), make("Both", &[&a, &b]));
    let ids = |params: Value| -> Vec<String> {
        let found = admin.call("graph.get", params);
        let id = |it: &Value| it["graphid"].as_str().unwrap().to_owned();
        found.as_array().unwrap().iter().map(id).collect()
    };
    assert_eq!(ids(json!({"hostids": one})), [of_a.clone(), of_both.clone()]);
    assert_eq!(ids(json!({"itemids": b})), std::slice::from_ref(&of_both));
    assert_eq!(ids(json!({"itemids": a, "sortfield": "name", "sortorder": "DESC"}))[0], of_both);
    assert_eq!(ids(json!({"filter": {"name": "A"}})), std::slice::from_ref(&of_a));
    assert_eq!(ids(json!({"search": {"name": "ot"}})), std::slice::from_ref(&of_both));
    assert!(
        ids(json!({"templated": true})).is_empty() && ids(json!({"inherited": true})).is_empty()
    );
    assert_eq!(ids(json!({"groupids": 2, "limit": 1})), std::slice::from_ref(&of_a));
    let found = admin.call("item.get", json!({"graphids": of_both, "output": ["key_"]}));
    assert_eq!(found, json!([{"itemid": a, "key_": "a"}, {"itemid": b, "key_": "b"}]));
    let found =
        admin.call("item.get", json!({"itemids": b, "output": [], "selectGraphs": ["name"]}));
    assert_eq!(found[0]["graphs"], json!([{"graphid": of_both, "name": "Both"}]));
    let found = admin.call(
        "host.get",
        json!({"graphids": of_both, "output": ["host"],
        "selectGraphs": "count"}),
    );
    let expected = json!([{"hostid": one, "host": "one", "graphs": "2"},
        {"hostid": two, "host": "two", "graphs": "0"}]);
    assert_eq!(found, expected);
    let with = |method: &str| admin.call(method, json!({"with_graphs": true, "countOutput": true}));
    assert_eq!((with("host.get"), with("hostgroup.get")), (json!("1"), json!("1")));
    assert_eq!(with("template.get"), "0");
    let found = admin.call(
        "graphitem.get",
        json!({"graphids": of_both, "output": ["itemid"],
        "selectGraphs": ["name"]}),
    );
    let shown: Vec<&str> =
        found.as_array().unwrap().iter().map(|it| it["itemid"].as_str().unwrap()).collect();
    assert_eq!(shown, [&*a, &*b]);
    assert_eq!(found[1]["graphs"][0]["name"], "Both");
    let by_item = admin.call("graphitem.get", json!({"itemids": a, "countOutput": true}));
    assert_eq!(by_item, "2");
    let gitemid = &found[1]["gitemid"];
    let found = admin.call("graphitem.get", json!({"gitemids": gitemid, "output": ["itemid"]}));
    assert_eq!(found, json!([{"gitemid": gitemid, "itemid": b}]));
}

#[test]
fn prototypes_are_made_inherited_and_make_graphs() {
    let server = Server::start();
    let admin = server.login();
    let (template, host, graph) = scene(&admin);
    let rule = admin.call("discoveryrule.get", json!({"hostids": host, "selectGraphs": ["name"]}));
    let inherited = rule[0]["graphs"][0]["graphid"].as_str().unwrap().to_owned();
    assert_eq!(rule[0]["graphs"][0]["name"], "Traffic of {#N}");
    let found = admin.call(
        "graphprototype.get",
        json!({"graphids": inherited,
        "output": ["templateid", "discover", "flags"], "selectDiscoveryRule": ["key_"]}),
    );
    let expected = json!([{"graphid": inherited, "templateid": graph, "discover": "0", "flags": "2",
        "discoveryRule": {"itemid": rule[0]["itemid"], "key_": "r"}}]);
    assert_eq!(found, expected);
    let ruleid = ItemId(rule[0]["itemid"].as_str().unwrap().parse().unwrap());
    let rows = json!([{"{#N}": "eth0"}]).to_string();
    server.db.apply_lld(ruleid, &rows, server.now()).unwrap();
    let found = admin.call(
        "graph.get",
        json!({"hostids": host, "selectGraphDiscovery": "extend",
        "selectItems": ["key_"], "output": ["name", "flags"], "selectDiscoveryRule": ["key_"]}),
    );
    let made = &found[0]["graphid"];
    assert_eq!((&found[0]["name"], &found[0]["flags"]), (&json!("Traffic of eth0"), &json!("4")));
    assert_eq!(found[0]["items"][0]["key_"], "in[eth0]");
    assert_eq!(found[0]["discoveryRule"]["key_"], "r");
    let expected = json!({"graphid": made, "parent_graphid": inherited, "lastcheck": "0",
        "status": "0", "ts_delete": "0"});
    assert_eq!(found[0]["graphDiscovery"], expected);
    // The item shows it, the prototypes are not among graphs.
    let found = admin.call("item.get", json!({"hostids": host, "selectGraphs": ["name"]}));
    assert_eq!(found[0]["graphs"], json!([{"graphid": made, "name": "Traffic of eth0"}]));
    assert_eq!(admin.call("graph.get", json!({"hostids": template})), json!([]));
    let error = admin.error("graph.update", json!({"graphid": graph, "name": "x"}));
    assert_eq!(error, "No permissions to referred object or it does not exist!");
    admin.call("graphprototype.update", json!({"graphid": inherited, "discover": 1}));
    let found = admin.call("graphprototype.get", json!({"filter": {"discover": 1}}));
    assert_eq!(found[0]["graphid"], *inherited);
    let error = admin.error("graphprototype.delete", json!([inherited]));
    assert_eq!(error, "Cannot delete templated graph prototype.");
    admin.call("graphprototype.delete", json!([graph]));
    assert_eq!(admin.call("graph.get", json!({"countOutput": true})), "0");
}

#[test]
fn graphs_need_rights_on_all_their_hosts() {
    let server = Server::start();
    let admin = server.login();
    let groups = ["one", "two"].map(|it| admin.create("hostgroup.create", json!({"name": it})));
    let host = |name: &str, group: &String| {
        admin.create("host.create", json!({"host": name, "groups": [{"groupid": group}]}))
    };
    let (one, two) = (host("one", &groups[0]), host("two", &groups[1]));
    let (a, b) = (numeric(&admin, &one, "a"), numeric(&admin, &two, "b"));
    let make = |name: &str, items: &[&String]| {
        admin.create("graph.create", json!({"name": name, "gitems": gitems(items)}))
    };
    let (of_a, of_both) = (make("A", &[&a]), make("Both", &[&a, &b]));
    let password = "a long one 4 all";
    let group = admin.create(
        "usergroup.create",
        json!({"name": "half", "hostgroup_rights": [{"id": groups[0], "permission": 3},
            {"id": groups[1], "permission": 0}]}),
    );
    let user = json!({"username": "half", "passwd": password, "roleid": "2",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let half = server.login_as("half", password);
    let found = half.call("graph.get", json!({"output": ["name"]}));
    assert_eq!(found, json!([{"graphid": of_a, "name": "A"}]));
    let denied = "No permissions to referred object or it does not exist!";
    for (method, params) in [
        ("graph.update", json!({"graphid": of_both, "name": "mine"})),
        ("graph.delete", json!([of_both])),
        ("graph.create", json!({"name": "new", "gitems": gitems(&[&a, &b])})),
        ("graph.update", json!({"graphid": of_a, "ymin_type": 2, "ymin_itemid": b})),
    ] {
        assert_eq!(half.error(method, params), denied, "{method}");
    }
    half.call("graph.update", json!({"graphid": of_a, "name": "mine"}));
    half.call("graph.delete", json!([of_a]));
}

#[test]
fn missing_fields_of_graphs_are_reported_with_zabbix_errors() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let a = numeric(&admin, &host, "a");
    for (params, expected) in [
        (json!({"gitems": []}), "Missing \"name\" field for graph."),
        (json!({"name": "G"}), "Missing items for graph \"G\"."),
        (
            json!({"name": "G", "gitems": [{"color": "000000"}]}),
            "Missing \"itemid\" field for item.",
        ),
        (json!({"name": "G", "gitems": [{"itemid": a}]}), "No \"color\" given for graph."),
        (json!({"name": "G", "gitems": [{"itemid": a, "color": ""}]}), "Empty color."),
        (
            json!({"name": "G", "gitems": gitems(&[&a]), "graphtype": 4}),
            "Invalid parameter \"/1/graphtype\": value must be one of 0, 1, 2, 3.",
        ),
        (
            json!({"name": "G", "gitems": gitems(&[&a]), "ymin_type": 2}),
            "Invalid parameter \"ymin_itemid\": a number is expected.",
        ),
    ] {
        assert_eq!(admin.error("graph.create", params.clone()), expected, "{params}");
    }
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
      discovery_rules:
        - uuid: b0000000000000000000000000000004
          name: r
          type: TRAP
          key: r
          item_prototypes:
            - {uuid: b0000000000000000000000000000005, name: 'in {#N}', type: TRAP, key: 'in[{#N}]'}
          graph_prototypes:
            - uuid: b0000000000000000000000000000006
              name: 'Of {#N}'
              type: PIE
              discover: NO_DISCOVER
              graph_items:
                - {color: 1A7C11, calc_fnc: LAST, type: GRAPH_SUM, item: {host: T, key: 'in[{#N}]'}}
  graphs:
    - uuid: b0000000000000000000000000000007
      name: One
      ymin_type_1: FIXED
      ymax_type_1: ITEM
      ymax_item_1: {host: T, key: a}
      graph_items:
        - {color: 009900, drawtype: GRADIENT_LINE, sortorder: '3', item: {host: T, key: a}}
"#;

#[test]
fn files_bring_graphs_as_their_rules_say() {
    let server = Server::start();
    let admin = server.login();
    let import = |file: &str, more: &Value| {
        let all = json!({"createMissing": true, "updateExisting": true});
        let mut rules = json!({"template_groups": all, "templates": all, "items": all,
            "discoveryRules": all});
        rules.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let params = json!({"format": "yaml", "source": file, "rules": rules});
        assert_eq!(admin.call("configuration.import", params), true);
    };
    import(FILE, &json!({}));
    let count = |method: &str| admin.call(method, json!({"hostids": null, "countOutput": true}));
    assert_eq!((count("graph.get"), count("graphprototype.get")), (json!("0"), json!("1")));
    import(FILE, &json!({"graphs": {"createMissing": true}}));
    let get = json!({"output": ["name", "ymin_type", "ymax_type", "uuid", "graphtype"],
        "selectGraphItems": ["color", "drawtype", "sortorder"]});
    let found = admin.call("graph.get", get.clone());
    let expected = json!([{"graphid": found[0]["graphid"], "name": "One", "ymin_type": "1",
        "ymax_type": "2", "uuid": "b0000000000000000000000000000007", "graphtype": "0",
        "gitems": [{"color": "009900", "drawtype": "5", "sortorder": "3"}]}]);
    assert_eq!(found, expected);
    let prototype = admin.call("graphprototype.get", json!({"selectGraphItems": "extend"}));
    assert_eq!((&prototype[0]["graphtype"], &prototype[0]["discover"]), (&json!("2"), &json!("1")));
    assert_eq!(prototype[0]["gitems"][0]["calc_fnc"], "9");
    // A new name under the same uuid, only where the rule lets it.
    let renamed = FILE.replace("name: One", "name: Two");
    import(&renamed, &json!({"graphs": {"createMissing": true}}));
    assert_eq!(admin.call("graph.get", get.clone())[0]["name"], "One");
    import(&renamed, &json!({"graphs": {"updateExisting": true}}));
    let found = admin.call("graph.get", get);
    assert_eq!((&found[0]["name"], &found[0]["graphid"]), (&json!("Two"), &expected[0]["graphid"]));
    let (kept, _) = FILE.split_once("  graphs:").unwrap();
    import(kept, &json!({"graphs": {"createMissing": true}}));
    assert_eq!(count("graph.get"), "1");
    import(kept, &json!({"graphs": {"deleteMissing": true}}));
    assert_eq!((count("graph.get"), count("graphprototype.get")), (json!("0"), json!("1")));
    // XML says the same.
    let xml = r#"<?xml version="1.0" encoding="UTF-8"?><zabbix_export><version>7.0</version><graphs>
        <graph><uuid>b0000000000000000000000000000008</uuid><name>X</name><graph_items><graph_item>
        <color>00FF00</color><item><host>T</host><key>a</key></item></graph_item></graph_items>
        </graph></graphs></zabbix_export>"#;
    let rules = json!({"graphs": {"createMissing": true}});
    let params = json!({"format": "xml", "source": xml, "rules": rules});
    assert_eq!(admin.call("configuration.import", params), true);
    assert_eq!(admin.call("graph.get", json!({"output": ["name"]}))[0]["name"], "X");
}
