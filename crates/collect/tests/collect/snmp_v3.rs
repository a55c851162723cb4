//! SNMPv3 against the real snmpd: every kind of user, engines that change, and refused logins.

use std::fmt::Write as _;

use crate::support::config::{host, interface, item, snapshot};
use crate::support::{Server, error, text};
use collect::Available;
use model::InterfaceId;
use model::content::{InterfaceType, ItemType, SnmpDetails};
use model::snapshot::Host;
use peers::{Snmpd, free_udp_address};

const SYS_NAME: &str = "1.3.6.1.2.1.1.5.0";
const AUTH: [&str; 6] = ["MD5", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"];
const PRIVACY: [&str; 6] = ["DES", "AES", "AES-192", "AES-256", "AES-192-C", "AES-256-C"];
const AUTH_PASS: &str = "authentication";
const PRIV_PASS: &str = "privacy of all";

/// A host whose interface has this user; the test changes more of it.
fn device(id: u64, agent: &Snmpd, user: &str, level: i64) -> Host {
    let mut it = host(id, &format!("device-{id}"));
    let mut interface = interface(id, InterfaceType::Snmp, "127.0.0.1", agent.address.port());
    interface.details = Some(SnmpDetails {
        version: 3,
        securityname: user.to_owned(),
        securitylevel: level,
        authpassphrase: AUTH_PASS.to_owned(),
        privpassphrase: PRIV_PASS.to_owned(),
        ..SnmpDetails::default()
    });
    it.interfaces.push(interface);
    it.items = vec![item(id * 10, ItemType::Snmp, SYS_NAME, "10m")];
    it
}

fn details(host: &mut Host) -> &mut SnmpDetails {
    host.interfaces[0].details.as_mut().expect("an SNMP interface")
}

/// Every kind of user, named by its properties.
fn lines() -> String {
    let mut lines = "sysName tested\ncreateUser open\nrouser open noauth\n".to_owned();
    for (a, auth) in AUTH.iter().enumerate() {
        writeln!(lines, "createUser a{a} {auth} \"{AUTH_PASS}\"\nrouser a{a} auth").expect("text");
        for (p, privacy) in PRIVACY.iter().enumerate() {
            let user = format!("a{a}p{p}");
            writeln!(
                lines,
                "createUser {user} {auth} \"{AUTH_PASS}\" {privacy} \"{PRIV_PASS}\"\nrouser {user} priv"
            )
            .expect("text");
        }
    }
    lines
}

fn snmpd(lines: &str) -> Option<Snmpd> {
    Snmpd::start(free_udp_address(), lines)
}

fn available(owner: &crate::support::Owner, interface: u64) -> Available {
    collect::AvailabilitySink::interface(owner, InterfaceId(interface)).available
}

#[tokio::test(flavor = "multi_thread")]
async fn users_of_every_kind_are_let_in() {
    let Some(agent) = snmpd(&lines()) else { return };
    let mut hosts = vec![device(1, &agent, "open", 0)];
    for (a, code) in (0..6).enumerate() {
        let mut signed = device(100 + a as u64, &agent, &format!("a{a}"), 1);
        details(&mut signed).authprotocol = code;
        hosts.push(signed);
        for (p, privacy) in (0..6).enumerate() {
            let id = 200 + (a * 10 + p) as u64;
            let mut encrypted = device(id, &agent, &format!("a{a}p{p}"), 2);
            details(&mut encrypted).authprotocol = code;
            details(&mut encrypted).privprotocol = privacy;
            hosts.push(encrypted);
        }
    }
    let items: Vec<u64> = hosts.iter().map(|it| it.items[0].id.0).collect();
    assert_eq!(items.len(), 43);
    let server = Server::start(snapshot(1, hosts)).await;
    server.execute(items.clone());
    for item in items {
        assert_eq!(text(&server.value_of(item).await), "tested", "{item}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn walks_and_discovery_are_encrypted_as_well() {
    let Some(agent) = snmpd(&lines()) else { return };
    let mut secret = device(1, &agent, "a3p1", 2);
    details(&mut secret).authprotocol = 3;
    details(&mut secret).privprotocol = 1;
    let columns = "discovery[{#NAME},1.3.6.1.2.1.2.2.1.2]";
    secret.items = ["walk[1.3.6.1.2.1.1]", columns, SYS_NAME]
        .into_iter()
        .zip(10..)
        .map(|(oid, id)| item(id, ItemType::Snmp, oid, "10m"))
        .collect();
    let server = Server::start(snapshot(1, [secret])).await;
    server.execute(10..13);
    let walk = server.value_of(10).await;
    assert!(text(&walk).contains(".1.3.6.1.2.1.1.5.0 = STRING: \"tested\""), "{walk:?}");
    let rows = server.value_of(11).await;
    assert!(text(&rows).contains("\"{#NAME}\":\"lo\""), "{rows:?}");
    assert_eq!(text(&server.value_of(12).await), "tested");
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_login_is_reported_with_its_reason() {
    let Some(agent) = snmpd(&lines()) else { return };
    let stranger = device(1, &agent, "nobody", 1);
    let mut wrong_auth = device(2, &agent, "a1", 1);
    details(&mut wrong_auth).authprotocol = 1;
    details(&mut wrong_auth).authpassphrase = "something else".to_owned();
    let mut too_little = device(3, &agent, "a1p1", 1);
    details(&mut too_little).authprotocol = 1;
    let mut too_much = device(4, &agent, "a1", 2);
    details(&mut too_much).authprotocol = 1;
    details(&mut too_much).privprotocol = 1;
    let mut short = device(5, &agent, "a1", 1);
    details(&mut short).authpassphrase = "short".to_owned();
    let server =
        Server::start(snapshot(1, [stranger, wrong_auth, too_little, too_much, short])).await;
    server.execute((1..6).map(|it| it * 10));
    let error_text = |why: &str| format!("Cannot connect to \"{}\": {why}.", agent.address);
    for (item, why) in [
        (10, error_text("Unknown user name")),
        (20, error_text("Authentication failure (incorrect password, community or key)")),
        (30, "SNMP error: (authorizationError) The device refused the request.".to_owned()),
        (40, error_text("Unsupported security level")),
        (50, "The authentication passphrase is shorter than 8 characters.".to_owned()),
    ] {
        assert_eq!(error(&server.value_of(item).await), why, "{item}");
    }
    // The device is available. The state is noted after the values.
    let are_there =
        |owner: &crate::support::Owner| (1..5).all(|it| available(owner, it) == Available::Yes);
    server.until_owner("availability of all devices", are_there).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_for_privacy_is_no_value() {
    let Some(agent) = snmpd(&lines()) else { return };
    let mut wrong = device(1, &agent, "a1p1", 2);
    details(&mut wrong).authprotocol = 1;
    details(&mut wrong).privprotocol = 1;
    details(&mut wrong).privpassphrase = "something else".to_owned();
    let server = Server::start(snapshot(1, [wrong])).await;
    server.execute([10]);
    // snmpd either reports it or is silent, depending on the decrypted bytes.
    let failed = |owner: &crate::support::Owner| {
        collect::AvailabilitySink::interface(owner, InterfaceId(1)).errors_from.0 != 0
    };
    loop {
        if let Some(seen) = server.seen().first() {
            assert!(error(&seen.value).contains("Decryption error"), "{seen:?}");
            return;
        }
        if failed(&server.owner) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn restarted_engine_is_asked_by_its_new_clock() {
    let Some(agent) = snmpd(&lines()) else { return };
    let user = |id: u64, agent: &Snmpd| {
        let mut it = device(id, agent, "a3p1", 2);
        details(&mut it).authprotocol = 3;
        details(&mut it).privprotocol = 1;
        it
    };
    let server = Server::start(snapshot(1, [user(1, &agent)])).await;
    server.execute([10]);
    assert_eq!(text(&server.value_of(10).await), "tested");
    let agent = agent.restarted();
    // Another item of the same address: its engine is known.
    server.configure(snapshot(2, [user(2, &agent)]));
    server.execute([20]);
    assert_eq!(text(&server.value_of(20).await), "tested");
    // Another engine at the same address.
    let address = agent.address;
    drop(agent);
    let Some(other) = Snmpd::start(address, &lines().replace("tested", "another")) else { return };
    server.configure(snapshot(3, [user(3, &other)]));
    server.execute([30]);
    assert_eq!(text(&server.value_of(30).await), "another");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_is_another_tree() {
    let Some(behind) = snmpd("sysName behind\n") else { return };
    let lines = format!(
        "sysName before\nview all included .1\n\
         createUser inner SHA \"{AUTH_PASS}\"\nrouser inner auth -V all other\n\
         createUser outer SHA \"{AUTH_PASS}\"\nrouser outer auth\n\
         proxy -Cn other -v 2c -c public {} .1.3\n",
        behind.address
    );
    let Some(agent) = snmpd(&lines) else { return };
    let mut inner = device(1, &agent, "inner", 1);
    details(&mut inner).authprotocol = 1;
    details(&mut inner).contextname = "other".to_owned();
    let mut outer = device(2, &agent, "outer", 1);
    details(&mut outer).authprotocol = 1;
    let server = Server::start(snapshot(1, [inner, outer])).await;
    server.execute([10, 20]);
    assert_eq!(text(&server.value_of(10).await), "behind");
    assert_eq!(text(&server.value_of(20).await), "before");
}
