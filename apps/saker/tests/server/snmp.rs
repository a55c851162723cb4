//! The real `snmpd`, and pings, by the bundled templates.

use std::time::Duration;

use crate::support::{Server, wait_for, wait_until, wait_up_to};
use nix::sys::signal::Signal;
use peers::Snmpd;
use serde_json::{Value, json};

/// First checks are spread over their interval, a minute at most.
const FIRST: Duration = Duration::from_secs(75);
const PORT: u16 = 21_161;

fn template(server: &Server, name: &str) -> String {
    let params = json!({"filter": {"host": [name]}, "output": ["templateid"]});
    let found = server.call("template.get", &params);
    found[0]["templateid"].as_str().expect("it is bundled").to_owned()
}

/// Sets the interval of everything that a template checks of a kind.
fn hasten(server: &Server, template: &str, object: &str, id: &str) {
    let params = json!({"templateids": [template], "output": [id, "delay"]});
    let rows = server.call(&format!("{object}.get"), &params);
    for row in rows.as_array().unwrap() {
        if row["delay"] != "0" {
            let change = json!({id: row[id], "delay": "1s"});
            server.call(&format!("{object}.update"), &change);
        }
    }
}

fn items(server: &Server, host: &str) -> Vec<Value> {
    let params = json!({
        "hostids": [host],
        "output": ["itemid", "key_", "lastvalue", "lastclock", "state", "error", "flags"]
    });
    server.call("item.get", &params).as_array().unwrap().clone()
}

#[test]
fn generic_snmp_discovers_interfaces_with_values() {
    let server = Server::start();
    let address = (server.address, PORT).into();
    let lines = "rocommunity secret 127.0.0.0/8\nsysName the-device\n";
    let Some(_snmpd) = Snmpd::start(address, lines) else { return };
    let template = template(&server, "Generic SNMP");
    hasten(&server, &template, "item", "itemid");
    hasten(&server, &template, "discoveryrule", "itemid");
    hasten(&server, &template, "itemprototype", "itemid");
    let host = json!({
        "host": "switch", "groups": [{"groupid": server.group("SNMP")}],
        "templates": [{"templateid": template}],
        "interfaces": [{
            "type": 2, "main": 1, "useip": 1, "ip": server.address.to_string(), "dns": "",
            "port": PORT.to_string(),
            "details": {"version": 2, "bulk": 1, "community": "secret"},
        }],
        // The loopback interface is there everywhere.
        "macros": [
            {"macro": "{$NET.IF.NAME.NOT_MATCHES}", "value": "^no such$"},
            {"macro": "{$NET.IF.TYPE.NOT_MATCHES}", "value": "^no such$"},
        ],
    });
    let host = server.create("host.create", &host).remove(0);
    wait_until("the device's name is read", FIRST, || {
        let items = items(&server, &host);
        items.iter().any(|it| it["key_"] == "snmp.system.name" && it["lastvalue"] == "the-device")
    });
    let found = wait_for("interfaces are discovered", FIRST, || {
        let items = items(&server, &host);
        let found: Vec<Value> = items.into_iter().filter(|it| it["flags"] == "4").collect();
        (!found.is_empty()).then_some(found)
    });
    let has = |key: &str| found.iter().any(|it| it["key_"].as_str().unwrap().starts_with(key));
    assert!(has("snmp.if.status[") && has("snmp.if.in["), "{found:?}");
    let of = ["snmp.if.status[", "snmp.if.in[", "snmp.if.out["];
    let mut missing = Vec::new();
    let has_all = wait_up_to(FIRST, || {
        let key_is = |it: &Value| of.iter().any(|of| it["key_"].as_str().unwrap().starts_with(of));
        missing = items(&server, &host);
        missing.retain(|it| it["flags"] == "4" && key_is(it));
        missing.retain(|it| it["lastclock"] == "0" || it["state"] != "0");
        missing.is_empty()
    });
    assert!(has_all, "discovered items without a value: {missing:#?}");
}

#[test]
fn ping_of_this_machine_is_answered() {
    let server = Server::start();
    let template = template(&server, "Generic ICMP");
    hasten(&server, &template, "item", "itemid");
    let host = json!({
        "host": "pinged", "groups": [{"groupid": server.group("Pings")}],
        "templates": [{"templateid": template}],
        "interfaces": [{
            "type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "", "port": "10050",
        }],
    });
    let host = server.create("host.create", &host).remove(0);
    let wanted = ["icmpping", "icmppingloss", "icmppingsec"];
    wait_until("pings have values", FIRST, || {
        let items = items(&server, &host);
        let all_of = |item: &Value| {
            item["lastclock"] != "0" || {
                let error = item["error"].as_str().unwrap();
                assert!(error.is_empty(), "{error}");
                false
            }
        };
        items.len() >= wanted.len() && items.iter().all(all_of)
    });
    let items = items(&server, &host);
    let of = |key: &str| {
        let found = items.iter().find(|it| it["key_"].as_str().unwrap().starts_with(key)).unwrap();
        found["lastvalue"].as_str().unwrap().parse::<f64>().unwrap()
    };
    assert_eq!((of("icmpping"), of("icmppingloss")), (1.0, 0.0));
    let seconds = of("icmppingsec");
    assert!(seconds > 0.0 && seconds < 1.0, "{seconds}");
}

#[test]
fn mib_files_are_reloaded_on_sighup() {
    let folder = tempfile::tempdir().unwrap();
    let directories = format!("[\"{}\"]", folder.path().display());
    let mut server = Server::start_with(&[("SAKER_COLLECTORS_SNMP_MIB_DIRECTORIES", &directories)]);
    let address = (server.address, PORT).into();
    let lines = "rocommunity public 127.0.0.0/8\nsysName the-device\n";
    let Some(_snmpd) = Snmpd::start(address, lines) else { return };
    let host = json!({
        "host": "switch", "groups": [{"groupid": server.group("SNMP")}],
        "interfaces": [{
            "type": 2, "main": 1, "useip": 1, "ip": server.address.to_string(), "dns": "",
            "port": PORT.to_string(), "details": {"version": 2, "community": "public"},
        }],
    });
    let host = server.create("host.create", &host).remove(0);
    let interface = json!({"hostids": [&host], "output": ["interfaceid"]});
    let interface = server.call("hostinterface.get", &interface)[0]["interfaceid"].clone();
    let item = json!({"hostid": &host, "name": "name", "key_": "name", "type": 20, "value_type": 4,
        "delay": "1h", "interfaceid": interface, "snmp_oid": "ACME-MIB::acmeName.0"});
    let item = server.create("item.create", &item).remove(0);
    let execute = |server: &Server| {
        server.call("task.create", &json!([{"type": 6, "request": {"itemid": &item}}]));
    };
    execute(&server);
    wait_until("the name is not known", FIRST, || {
        let error = server.item(&item)["error"].as_str().unwrap_or_default().to_owned();
        error.contains("no MIB file has the name \"acmeName\"")
    });
    let text = "ACME-MIB DEFINITIONS ::= BEGIN IMPORTS system FROM SNMPv2-MIB;\n\
                acmeName OBJECT IDENTIFIER ::= { system 5 }\nEND\n";
    std::fs::write(folder.path().join("ACME-MIB.txt"), text).unwrap();
    server.process().signal(Signal::SIGHUP);
    wait_until("the file is read", FIRST, || {
        execute(&server);
        server.last(&item).as_deref() == Some("the-device")
    });
    server.assert_lives();
}
