//! Traps of the real `snmptrap`, received by the server itself and by the real `snmptrapd` for it.

use std::fs;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use crate::support::{Server, wait_until};
use nix::sys::signal::Signal;
use peers::{Process, free_udp_address, program};
use serde_json::{Value, json};

const LINK_DOWN: &str = "1.3.6.1.6.3.1.1.5.3";
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends a trap of a broken link by v2c, or as more arguments say.
fn send(tool: &str, to: SocketAddr, options: &[&str]) -> bool {
    send_as(tool, to, options, LINK_DOWN)
}

fn send_as(tool: &str, to: SocketAddr, options: &[&str], oid: &str) -> bool {
    let Some(tool) = program(tool) else { return false };
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(tool);
    command.env("MIBS", "").env("SNMP_PERSISTENT_DIR", folder.path());
    command.args(options).args([&to.to_string(), "77", oid]);
    let sent = command.output().unwrap();
    assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    true
}

/// A host at this machine with the details of its SNMP interface, and its two items.
fn device(server: &Server, (useip, dns): (u8, &str), details: &Value) -> [String; 2] {
    let host = json!({
        "host": "switch", "groups": [{"groupid": server.group("SNMP")}],
        "interfaces": [{
            "type": 2, "main": 1, "useip": useip, "ip": "127.0.0.1", "dns": dns, "port": "161",
            "details": details,
        }],
        "macros": [{"macro": "{$WHAT}", "value": "5.3"}, {"macro": "{$USER}", "value": "sealed"}],
    });
    let host = server.create("host.create", &host).remove(0);
    let interface = json!({"hostids": [&host], "output": ["interfaceid"]});
    let interface = server.call("hostinterface.get", &interface)[0]["interfaceid"].clone();
    ["snmptrap[{$WHAT}]", "snmptrap.fallback"].map(|key| {
        let item = json!({
            "hostid": &host, "name": key, "key_": key, "type": 17, "value_type": 4,
            "interfaceid": &interface,
        });
        server.create("item.create", &item).remove(0)
    })
}

#[test]
fn traps_are_received_on_a_port_and_kept_across_a_restart() {
    let address = free_udp_address();
    let mut server = Server::start_with(&[("SAKER_SNMP_TRAPS_LISTEN", &address.to_string())]);
    let details = json!({
        "version": 3, "bulk": 1, "securityname": "{$USER}", "securitylevel": 2,
        "authprotocol": 3, "authpassphrase": "authentication",
        "privprotocol": 1, "privpassphrase": "privacy of all",
    });
    let [matching, fallback] = device(&server, (1, ""), &details);
    let v2 = ["-v2c", "-c", "public"];
    if !send("snmptrap", address, &v2) {
        return;
    }
    let wait = |server: &Server, n: usize| {
        wait_until("traps become values", PATIENCE, || server.history_values(&matching).len() == n);
        server.history_values(&matching)
    };
    let got = wait(&server, 1).remove(0);
    assert!(got.contains("value=OID: .1.3.6.1.6.3.1.1.5.3"), "{got}");
    let keys = ["-a", "SHA-256", "-A", "authentication", "-x", "AES", "-X", "privacy of all"];
    let sealed = [&["-v3", "-u", "sealed", "-l", "authPriv"], &keys[..]].concat();
    assert!(send("snmpinform", address, &sealed), "it comes with snmptrap");
    wait(&server, 2);
    server.stop();
    server.start_again();
    assert!(send("snmpinform", address, &sealed), "its clock is requested again");
    let got = wait(&server, 3);
    assert!(got.iter().any(|it| it.contains("securityName                   sealed")), "{got:?}");
    assert!(server.history_values(&fallback).is_empty());
    assert!(!server.log().contains("authentication"), "no secret is logged");
}

#[test]
fn names_in_traps_are_reloaded_on_sighup() {
    let folder = tempfile::tempdir().unwrap();
    let directories = format!("[\"{}\"]", folder.path().display());
    let address = free_udp_address();
    let mut server = Server::start_with(&[
        ("SAKER_SNMP_TRAPS_LISTEN", &address.to_string()),
        ("SAKER_SNMP_TRAPS_MIB_NAMES", "true"),
        ("SAKER_COLLECTORS_SNMP_MIB_DIRECTORIES", &directories),
    ]);
    let details = json!({"version": 2, "community": "public"});
    let items = device(&server, (1, ""), &details);
    let (v2, opened) = (["-v2c", "-c", "public"], "1.3.6.1.4.1.99999.0.1");
    if !send_as("snmptrap", address, &v2, opened) {
        return;
    }
    // Either may take it: a port's number has any digits.
    let got = |server: &Server| -> Vec<String> {
        items.iter().flat_map(|it| server.history_values(it)).collect()
    };
    wait_until("the trap is a value", PATIENCE, || !got(&server).is_empty());
    let first = got(&server).remove(0);
    assert!(first.contains("value=OID: SNMPv2-SMI::enterprises.99999.0.1"), "{first}");
    let text = "ACME-MIB DEFINITIONS ::= BEGIN IMPORTS enterprises FROM SNMPv2-SMI;\n\
                acmeOpened NOTIFICATION-TYPE ::= { enterprises 99999 0 1 }\nEND\n";
    fs::write(folder.path().join("ACME-MIB.txt"), text).unwrap();
    server.process().signal(Signal::SIGHUP);
    wait_until("the file is read", PATIENCE, || {
        assert!(send_as("snmptrap", address, &v2, opened), "it was there before");
        got(&server).iter().any(|it| it.contains("value=OID: ACME-MIB::acmeOpened"))
    });
    server.assert_lives();
}

#[test]
fn the_file_of_snmptrapd_is_read() {
    let Some(snmptrapd) = program("snmptrapd") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (file, settings) = (folder.path().join("traps"), folder.path().join("settings"));
    fs::write(&file, "").unwrap();
    fs::write(&settings, "disableAuthorization yes\n").unwrap();
    let address = free_udp_address();
    let mut command = Command::new(snmptrapd);
    // As the perl receiver, without perl; the sender by its name.
    command.args(["-f", "-C", "-On", "-F", "%T ZBXTRAP %B\n%v\n", "-Lf"]).arg(&file);
    command.arg("-c").arg(&settings).arg(format!("udp:{address}"));
    command.env("MIBS", "").env("SNMP_PERSISTENT_DIR", folder.path());
    let server = Server::start_with(&[("SAKER_SNMP_TRAPS_FILE", file.to_str().unwrap())]);
    let details = json!({"version": 2, "community": "public"});
    let [matching, fallback] = device(&server, (0, "localhost"), &details);
    let receiver = Process::start(&mut command, folder.path().join("log"));
    let mut n = 0;
    wait_until("traps become values", PATIENCE, || {
        assert!(!receiver.has_ended(), "snmptrapd ended: {}", receiver.log());
        // It may not listen yet; then the trap is lost.
        assert!(send("snmptrap", address, &["-v2c", "-c", "public"]), "it comes with snmptrapd");
        n = server.history_values(&matching).len() + server.history_values(&fallback).len();
        n > 0
    });
    let got = server.history_values(&matching);
    assert!(got.iter().all(|it| it.contains(LINK_DOWN) && !it.contains("ZBXTRAP")), "{got:?}");
    assert!(!got.is_empty(), "{:?}", server.history_values(&fallback));
}
