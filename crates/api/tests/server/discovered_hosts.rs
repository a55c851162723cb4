//! Fields of discovered hosts that users may change, one host and many at once: Zabbix's rules and errors.

use model::ItemId;
use serde_json::{Value, json};

use crate::fake::{Server, Session};

const NOT_THERE: &str = "No permissions to referred object or it does not exist!";

fn interface(kind: u8, main: u8, dns: &str) -> Value {
    json!({"type": kind, "main": main, "useip": 0, "ip": "", "dns": dns, "port": "10050"})
}

fn of(host: &str, mut interface: Value) -> Value {
    interface["hostid"] = json!(host);
    interface
}

/// A host of discovery with an agent interface of its own, and its id.
fn discovered(server: &Server, admin: &Session<'_>) -> String {
    let host = admin.host("hypervisor");
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": host, "name": "r", "key_": "r", "type": 2}),
    );
    admin.create(
        "hostprototype.create",
        json!({"ruleid": rule, "host": "vm {#ID}", "groupLinks": [{"groupid": "2"}], "custom_interfaces": 1,
            "interfaces": [interface(1, 1, "{#ID}.example")]}),
    );
    let rows = json!([{"{#ID}": "7"}]).to_string();
    let report = server.db.apply_lld(ItemId(rule.parse().unwrap()), &rows, server.now()).unwrap();
    assert_eq!((report.n_created, report.error.as_str()), (1, ""));
    let found = admin.call("host.get", json!({"filter": {"host": "vm 7"}, "output": ["hostid"]}));
    found[0]["hostid"].as_str().unwrap().to_owned()
}

fn dns_of(admin: &Session<'_>, host: &str) -> Vec<String> {
    let found = admin.call("hostinterface.get", json!({"hostids": host, "output": ["dns"]}));
    let rows = found.as_array().unwrap();
    rows.iter().map(|it| it["dns"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn mass_changes_leave_what_is_discoverys() {
    let server = Server::start();
    let admin = server.login();
    let plain = admin.host("plain");
    let made = discovered(&server, &admin);
    let group = admin.create("hostgroup.create", json!({"name": "More"}));
    let readonly = |list: &str, at: u8, name: &str| {
        format!(
            "Invalid parameter \"/{list}/{at}\": cannot update readonly parameter \"{name}\" of discovered object."
        )
    };
    let hosts = json!([{"hostid": plain}, {"hostid": made}]);
    let more = interface(4, 1, "jmx.example");
    let no_permissions = "No permissions to referred object or it does not exist!".to_owned();
    let no_interface = "Cannot update interface for discovered host \"vm 7\".".to_owned();
    let missing =
        "Invalid parameter \"/hosts/2\": object does not exist, or you have no permissions to it."
            .to_owned();
    for (method, params, expected) in [
        (
            "host.massadd",
            json!({"hosts": hosts, "groups": [{"groupid": group}]}),
            readonly("hosts", 2, "groups"),
        ),
        (
            "host.massadd",
            json!({"hosts": hosts, "interfaces": [more]}),
            readonly("hosts", 2, "interfaces"),
        ),
        (
            "host.massadd",
            json!({"hosts": [{"hostid": made}], "interfaces": [more], "groups": [{"groupid": group}]}),
            readonly("hosts", 1, "groups"),
        ),
        ("host.massadd", json!({"hosts": [{"hostid": plain}, {"hostid": "777"}]}), missing),
        (
            "host.massremove",
            json!({"hostids": [plain, made], "groupids": ["2"]}),
            readonly("hostids", 2, "groups"),
        ),
        (
            "host.massremove",
            json!({"hostids": [made], "interfaces": {"ip": "", "dns": "7.example", "port": "10050"}}),
            readonly("hostids", 1, "interfaces"),
        ),
        (
            "host.massupdate",
            json!({"hosts": hosts, "groups": [{"groupid": "2"}]}),
            readonly("hosts", 2, "groups"),
        ),
        ("host.massupdate", json!({"hosts": hosts, "interfaces": [more]}), no_interface),
        (
            "host.massupdate",
            json!({"hosts": [{"hostid": plain}, {"hostid": "777"}], "status": 1}),
            no_permissions,
        ),
        (
            "hostgroup.massadd",
            json!({"groups": [{"groupid": group}], "hosts": hosts}),
            readonly("hosts", 2, "groups"),
        ),
        (
            "hostgroup.massremove",
            json!({"groupids": ["2"], "hostids": [made]}),
            readonly("hostids", 1, "groups"),
        ),
        (
            "hostgroup.massupdate",
            json!({"groups": [{"groupid": group}], "hosts": hosts}),
            readonly("hosts", 2, "groups"),
        ),
    ] {
        assert_eq!(admin.error(method, params.clone()), expected, "{method} {params}");
    }
}

#[test]
fn mass_changes_reach_what_is_peoples_on_hosts_of_both_kinds() {
    let server = Server::start();
    let admin = server.login();
    let plain = admin.host("plain");
    let made = discovered(&server, &admin);
    let group = admin.create("hostgroup.create", json!({"name": "More"}));
    let template = admin.template("T");
    let hosts = json!([{"hostid": plain}, {"hostid": made}]);
    let add = json!({"hosts": hosts, "templates": [{"templateid": template}],
        "macros": [{"macro": "{$A}", "value": "1"}], "groups": [], "interfaces": []});
    admin.call("host.massadd", add);
    admin.call(
        "host.massupdate",
        json!({"hosts": hosts, "status": 1, "description": "all", "inventory_mode": 1}),
    );
    let updated = admin.call(
        "host.get",
        json!({"hostids": made, "output": ["status", "description", "inventory_mode"],
            "selectMacros": ["macro"], "selectParentTemplates": ["host"]}),
    );
    let expected = json!([{"hostid": made, "status": "1", "description": "all", "inventory_mode": "1",
        "macros": [{"macro": "{$A}"}], "parentTemplates": [{"templateid": template, "host": "T"}]}]);
    assert_eq!(updated, expected);
    admin.call(
        "host.massremove",
        json!({"hostids": [plain, made], "templateids_clear": [template], "macros": ["{$A}"]}),
    );
    let get = json!({"hostids": made, "output": [], "selectMacros": "count", "selectParentTemplates": "count"});
    let updated = admin.call("host.get", get);
    assert_eq!((&updated[0]["macros"], &updated[0]["parentTemplates"]), (&json!("0"), &json!("0")));
    // A group gets exactly these hosts; discovered ones stay where discovery put them.
    let found =
        admin.call("host.get", json!({"output": [], "filter": {"host": ["plain", "hypervisor"]}}));
    admin.call(
        "hostgroup.massadd",
        json!({"groups": [{"groupid": group}], "hosts": [{"hostid": plain}]}),
    );
    admin.call("hostgroup.massupdate", json!({"groups": [{"groupid": group}], "hosts": found}));
    admin.call("hostgroup.massupdate", json!({"groups": [{"groupid": "2"}], "hosts": []}));
    let updated = admin
        .call("host.get", json!({"hostids": made, "output": [], "selectHostGroups": ["groupid"]}));
    assert_eq!(updated[0]["hostgroups"], json!([{"groupid": "2"}]));
}

#[test]
fn changed_fields_of_discovery_are_named_by_the_error() {
    let server = Server::start();
    let admin = server.login();
    let made = discovered(&server, &admin);
    for (name, value) in [
        ("host", json!("x")),
        ("name", json!("x")),
        ("groups", json!([{"groupid": "1"}])),
        ("interfaces", json!([])),
        ("inventory_mode", json!(1)),
        ("ipmi_username", json!("x")),
        ("ipmi_password", json!("x")),
        ("tls_connect", json!(4)),
        ("tls_psk_identity", json!("x")),
    ] {
        let mut params = json!({"hostid": made});
        params[name] = value;
        let expected = format!("Cannot update \"{name}\" for a discovered host \"vm 7\".");
        assert_eq!(admin.error("host.update", params), expected);
    }
    // Unchanged fields may be sent back with the others.
    let same = json!({"hostid": made, "host": "vm 7", "tls_connect": "1", "inventory_mode": "-1",
        "status": 1, "description": "mine", "tags": [{"tag": "a"}]});
    admin.call("host.update", same);
}

#[test]
fn interfaces_of_discovered_hosts_are_not_changed() {
    let server = Server::start();
    let admin = server.login();
    let plain = admin.host("plain");
    let made = discovered(&server, &admin);
    let found =
        admin.call("hostinterface.get", json!({"hostids": made, "output": ["interfaceid"]}));
    let own = found[0]["interfaceid"].clone();
    let update = "Cannot update interface for discovered host \"vm 7\".";
    let delete = "Cannot delete interface for discovered host \"vm 7\".";
    let more = interface(1, 0, "more.example");
    let hosts = json!([{"hostid": plain}, {"hostid": made}]);
    let address = json!({"ip": "", "dns": "7.example", "port": "10050"});
    for (method, params, expected) in [
        ("hostinterface.create", of(&made, more.clone()), update),
        ("hostinterface.update", json!({"interfaceid": own, "port": "1"}), update),
        ("hostinterface.massadd", json!({"hosts": hosts, "interfaces": more}), update),
        (
            "hostinterface.massremove",
            json!({"hostids": [plain, made], "interfaces": address}),
            delete,
        ),
        (
            "hostinterface.replacehostinterfaces",
            json!({"hostid": made, "interfaces": [interface(1, 1, "x")]}),
            update,
        ),
        (
            "hostinterface.replacehostinterfaces",
            json!({"hostid": made, "interfaces": [{"interfaceid": own, "port": "1"}]}),
            update,
        ),
    ] {
        assert_eq!(admin.error(method, params.clone()), expected, "{method} {params}");
    }
    assert_eq!(dns_of(&admin, &made), ["7.example"]);
    // To delete them is not refused in Zabbix either.
    assert_eq!(admin.call("hostinterface.delete", json!([own])), json!({"interfaceids": [own]}));
    assert_eq!(dns_of(&admin, &made).len(), 0);
}

#[test]
fn interfaces_of_several_hosts_are_added_removed_and_replaced() {
    let server = Server::start();
    let admin = server.login();
    let [a, b] = ["a", "b"]
        .map(|it| admin.create("host.create", json!({"host": it, "groups": [{"groupid": "2"}]})));
    let hosts = json!([{"hostid": a}, {"hostid": b}]);
    let add =
        json!({"hosts": hosts, "interfaces": [interface(1, 1, "one"), interface(1, 0, "two")]});
    let made = admin.call("hostinterface.massadd", add);
    assert_eq!(made["interfaceids"].as_array().unwrap().len(), 4);
    assert_eq!(
        (dns_of(&admin, &a), dns_of(&admin, &b)),
        (vec!["one".into(), "two".into()], vec!["one".into(), "two".into()])
    );
    refused(&admin, &a, &b);
    let address = |dns: &str| json!({"ip": "", "dns": dns, "port": "10050"});
    // The default one goes with the last of the others.
    let gone = json!({"hostids": [a], "interfaces": [address("one"), address("two")]});
    let gone = admin.call("hostinterface.massremove", gone);
    assert_eq!(gone["interfaceids"].as_array().unwrap().len(), 2);
    let found = admin.call(
        "hostinterface.get",
        json!({"hostids": b, "output": ["interfaceid"], "filter": {"dns": "one"}}),
    );
    let known = &found[0]["interfaceid"];
    let replace = json!({"hostid": b, "interfaces": [{"interfaceid": known, "port": "1"}, interface(4, 1, "jmx")]});
    let own = admin.call("hostinterface.replacehostinterfaces", replace);
    assert_eq!(
        (own["interfaceids"].as_array().unwrap().len(), &own["interfaceids"][0]),
        (2, known)
    );
    let interfaces = admin.call(
        "hostinterface.get",
        json!({"hostids": b, "output": ["dns", "port"], "sortfield": "interfaceid"}),
    );
    let ports: Vec<_> = interfaces
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["dns"].clone(), it["port"].clone()))
        .collect();
    assert_eq!(ports, [(json!("one"), json!("1")), (json!("jmx"), json!("10050"))]);
    assert_eq!(
        admin.call("hostinterface.replacehostinterfaces", json!({"hostid": b})),
        json!({"interfaceids": []})
    );
}

/// A refused call changes nothing.
fn refused(admin: &Session<'_>, a: &str, b: &str) {
    let hosts = json!([{"hostid": a}, {"hostid": b}]);
    let address = |dns: &str| json!({"ip": "", "dns": dns, "port": "10050"});
    for (method, params, expected) in [
        (
            "hostinterface.massadd",
            json!({"hosts": hosts}),
            "Incorrect arguments passed to function.",
        ),
        (
            "hostinterface.massadd",
            json!({"hosts": {"hostid": "777"}, "interfaces": interface(2, 1, "x")}),
            NOT_THERE,
        ),
        ("hostinterface.massremove", json!({"hostids": [a]}), "Incorrect input parameters."),
        (
            "hostinterface.massremove",
            json!({"hostids": [], "interfaces": address("two")}),
            "Empty input parameter.",
        ),
        (
            "hostinterface.massremove",
            json!({"hostids": [a], "interfaces": {"dns": "two"}}),
            "Incorrect arguments passed to function.",
        ),
        (
            "hostinterface.massremove",
            json!({"hostids": ["777"], "interfaces": address("two")}),
            NOT_THERE,
        ),
        (
            "hostinterface.massremove",
            json!({"hostids": [a, b], "interfaces": address("one")}),
            "No default interface for \"Agent\" type on \"a\".",
        ),
        (
            "hostinterface.replacehostinterfaces",
            json!({"hostid": a, "interfaces": interface(1, 0, "three")}),
            "No default interface for \"Agent\" type on \"a\".",
        ),
    ] {
        assert_eq!(admin.error(method, params.clone()), expected, "{method} {params}");
    }
}
