//! Parameters of get methods: no filter that Zabbix documents is ignored, since that would widen the answer.

use db::EventRow;
use db::events::{object, source};
use model::content::Severity;
use model::{EventId, HostId, Time, UserId};
use serde_json::{Value, json};

use crate::fake::Server;

#[test]
fn filters_on_absent_objects_find_nothing() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("web-1");
    admin.trapper(&host, "load");
    for (method, params) in [
        ("host.get", json!({"proxyids": ["5"]})),
        ("host.get", json!({"proxyids": 5})),
        ("host.get", json!({"proxy_groupids": "1"})),
        ("host.get", json!({"with_graphs": true})),
        ("host.get", json!({"httptestids": []})),
        ("item.get", json!({"graphids": ["1"]})),
        ("user.get", json!({"mediaids": ["1"]})),
        ("usergroup.get", json!({"mfaids": ["1"]})),
    ] {
        assert_eq!(admin.call(method, params.clone()), json!([]), "{method} {params}");
        let mut counted = params;
        counted["countOutput"] = json!(true);
        assert_eq!(admin.call(method, counted), "0", "{method}");
    }
    let all = json!([{"hostid": host}]);
    for params in [
        json!({"proxyids": null}),
        json!({"proxyids": "0"}),
        json!({"proxy_groupids": [0, 4]}),
        json!({"with_httptests": false}),
        json!({"templated_hosts": false}),
        json!({"nobody_knows_this": [1]}),
    ] {
        let mut params = params;
        params["output"] = json!([]);
        assert_eq!(admin.call("host.get", params.clone()), all, "{params}");
    }
}

#[test]
fn user_groups_are_found_by_their_absent_second_factor() {
    let server = Server::start();
    let admin = server.login();
    let count = |mut params: Value| {
        params["countOutput"] = json!(true);
        admin.call("usergroup.get", params)
    };
    let all = count(json!({}));
    assert_ne!(all, "0");
    for params in [
        json!({"mfa_status": 0}),
        json!({"mfa_status": [0, 1]}),
        json!({"mfa_status": null}),
        json!({"mfaids": 0}),
        json!({"filter": {"mfa_status": "0"}}),
    ] {
        assert_eq!(count(params.clone()), all, "{params}");
    }
    for params in [json!({"mfa_status": 1}), json!({"mfaids": ["1"]})] {
        assert_eq!(count(params.clone()), "0", "{params}");
    }
}

#[test]
fn get_methods_of_the_older_kind_check_some_parameters() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let fields = "\"usrgrpid\", \"name\", \"gui_access\", \"users_status\", \"debug_mode\", \"userdirectoryid\", \
                  \"mfa_status\", \"mfaid\"";
    for (method, params, expected) in [
        (
            "usergroup.get",
            json!({"output": "bad"}),
            "/output\": value must be \"extend\".".to_owned(),
        ),
        (
            "usergroup.get",
            json!({"output": 5}),
            "/output\": an array or a character string is expected.".to_owned(),
        ),
        (
            "usergroup.get",
            json!({"output": ["name", "nothing"]}),
            format!("/output/2\": value must be one of {fields}."),
        ),
        ("usergroup.get", json!({"filter": "x"}), "/filter\": an array is expected.".to_owned()),
        (
            "usergroup.get",
            json!({"filter": {"nothing": 1}}),
            "/filter\": unexpected parameter \"nothing\".".to_owned(),
        ),
        ("usergroup.get", json!({"search": 5}), "/search\": an array is expected.".to_owned()),
        (
            "usergroup.get",
            json!({"search": {"nothing": "x"}}),
            "/search\": unexpected parameter \"nothing\".".to_owned(),
        ),
        (
            "host.get",
            json!({"limitSelects": "x"}),
            "/limitSelects\": an integer is expected.".to_owned(),
        ),
        (
            "host.get",
            json!({"limitSelects": 0}),
            "/limitSelects\": value must be one of 1-2147483647.".to_owned(),
        ),
    ] {
        let expected = format!("Invalid parameter \"{expected}");
        assert_eq!(admin.error(method, params.clone()), expected, "{method} {params}");
    }
    // The others are ignored.
    for (method, params) in [
        ("usergroup.get", json!({"more": 1, "sortfield": "name", "sortorder": "UP", "limit": "x"})),
        ("host.get", json!({"limitSelects": null, "output": "bad", "filter": "x", "more": 1})),
        ("item.get", json!({"limitSelects": "x"})),
    ] {
        assert!(admin.call(method, params.clone()).is_array(), "{method} {params}");
    }
    // Macros come with their hosts, for any output.
    let id =
        admin.create("usermacro.create", json!({"hostid": host, "macro": "{$M}", "value": "1"}));
    for output in [json!([]), json!(["nothing"]), json!(["hostmacroid"])] {
        let rows = admin.call("usermacro.get", json!({"hostids": host, "output": output}));
        assert_eq!(rows, json!([{"hostmacroid": id, "hostid": host}]));
    }
    let rows = admin.call("usermacro.get", json!({"globalmacro": true, "output": []}));
    assert!(rows.as_array().unwrap().iter().all(|it| it.get("hostid").is_none()), "{rows}");
}

#[test]
fn hosts_are_found_by_their_problems() {
    let server = Server::start();
    let admin = server.login();
    let [quiet, loud] = ["quiet", "loud"].map(|it| admin.host(it));
    let problem = EventRow {
        eventid: EventId(1),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: 1,
        time: Time::from_clock(1_790_000_000, 0),
        value: 1,
        severity: Severity::High,
        name: "Broken".to_owned(),
        opdata: String::new(),
        tags: Vec::new(),
        hosts: vec![HostId(loud.parse().unwrap())],
        recovers: Vec::new(),
        userid: UserId::NONE,
    };
    server.db.events().apply(vec![problem], 1).unwrap();
    server.db.events().flush().unwrap();
    let found = |params: Value| -> Vec<String> {
        let rows = admin.call("host.get", params);
        let rows = rows.as_array().unwrap().iter();
        rows.map(|it| it["hostid"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found(json!({})), [quiet, loud.clone()]);
    assert_eq!(found(json!({"severities": [4, 5]})), std::slice::from_ref(&loud));
    assert!(found(json!({"severities": 2})).is_empty());
    assert_eq!(found(json!({"withProblemsSuppressed": false})), [loud]);
    assert!(found(json!({"withProblemsSuppressed": true})).is_empty());
}

#[test]
fn groups_by_name_and_a_limit_of_what_is_selected() {
    let server = Server::start();
    let admin = server.login();
    let hosts = ["web-1", "web-2"].map(|it| admin.host(it));
    let items: Vec<String> = hosts.iter().map(|it| admin.trapper(it, "load")).collect();
    let own = admin.create("hostgroup.create", json!({"name": "Own"}));
    admin.call("host.update", json!({"hostid": hosts[1], "groups": [{"groupid": own}]}));
    let of_group = |params: Value| admin.call("item.get", params);
    let expected = json!([{"itemid": items[1]}]);
    assert_eq!(of_group(json!({"group": "Own", "output": []})), expected);
    assert_eq!(of_group(json!({"group": "Own", "groupids": [own], "output": []})), expected);
    assert_eq!(of_group(json!({"group": "Own", "groupids": ["2"]})), json!([]));
    assert_eq!(of_group(json!({"group": "None"})), json!([]));
    admin.trapper(&hosts[1], "more");
    let selected = |limit: Value| {
        let params = json!({"hostids": hosts[1], "selectItems": ["itemid"], "limitSelects": limit});
        admin.call("host.get", params)[0]["items"].as_array().unwrap().len()
    };
    assert_eq!((selected(json!(1)), selected(json!(null))), (1, 2));
}

#[test]
fn limit_selects_gives_the_first_by_name_of_its_selects_only() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let [last, ten, two] = ["Z", "disk 10", "Disk 2"].map(|name| {
        let id = admin.trapper(&host, &format!("key[{name}]"));
        admin.call("item.update", json!({"itemid": id, "name": name}));
        id
    });
    let own = admin.create("hostgroup.create", json!({"name": "Own"}));
    admin.call(
        "host.update",
        json!({"hostid": host, "groups": [{"groupid": own}, {"groupid": "2"}]}),
    );
    let get = |more: Value| {
        let mut params = json!({"hostids": host, "output": ["host"], "limitSelects": 2});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        admin.call("host.get", params)[0].clone()
    };
    let found = get(json!({"selectItems": ["itemid"], "selectHostGroups": ["groupid"]}));
    assert_eq!(found["items"], json!([{"itemid": two}, {"itemid": ten}]));
    assert_eq!(found["hostgroups"].as_array().unwrap().len(), 2);
    let found = get(json!({"selectItems": ["name"], "limitSelects": 3}));
    let expected = json!([{"itemid": two, "name": "Disk 2"}, {"itemid": ten, "name": "disk 10"},
        {"itemid": last, "name": "Z"}]);
    assert_eq!(found["items"], expected);
    assert_eq!(get(json!({"selectItems": "count"}))["items"], "3");
    // Groups are not limited.
    let found = get(json!({"selectHostGroups": ["groupid"], "limitSelects": 1}));
    assert_eq!(found["hostgroups"].as_array().unwrap().len(), 2);
}

#[test]
fn every_get_method_answers_without_parameters() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let map = json!({"hostid": host, "name": "m", "mappings": [{"value": "1", "newvalue": "one"}]});
    admin.create("valuemap.create", map);
    for name in [
        "auditlog",
        "discoveryrule",
        "event",
        "history",
        "host",
        "hostgroup",
        "hostinterface",
        "item",
        "itemprototype",
        "problem",
        "regexp",
        "role",
        "template",
        "templategroup",
        "token",
        "trend",
        "trigger",
        "triggerprototype",
        "user",
        "usergroup",
        "usermacro",
        "valuemap",
    ] {
        assert!(admin.call(&format!("{name}.get"), json!({})).is_array(), "{name}");
        let counted = json!({"countOutput": true});
        assert!(admin.call(&format!("{name}.get"), counted).is_string(), "{name}");
    }
    let params = json!({"hostids": host, "output": ["name"]});
    assert_eq!(admin.call("valuemap.get", params), json!([{"name": "m"}]));
    assert_eq!(admin.call("valuemap.get", json!({"hostids": "1"})), json!([]));
}
