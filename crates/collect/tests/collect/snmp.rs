//! Against the real snmpd, with net-snmp's tools as the oracle, and devices that misbehave.

use std::collections::{BTreeMap, BTreeSet};
use std::net::UdpSocket;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::config::{host, interface, item, snapshot};
use crate::support::{Seen, Server, error, settings, text};
use collect::Available;
use model::batch::OwnedRaw;
use model::content::{InterfaceType, ItemType};
use model::snapshot::Host;
use model::{InterfaceId, ItemId};
use peers::{Snmpd, free_udp_address, program};
use wire::snmp::{Oid, Pdu, PduKind, SnmpMessage, Value, Varbind};

/// At the first second of a month: items that only the test executes.
const SELDOM: &str = "0;md1h0m0s0";

const SYS_DESCR: &str = ".1.3.6.1.2.1.1.1.0";
const SYS_UPTIME: &str = ".1.3.6.1.2.1.1.3.0";
const SYS_CONTACT: &str = ".1.3.6.1.2.1.1.4.0";
const SYS_NAME: &str = ".1.3.6.1.2.1.1.5.0";
const NOT_THERE: &str = ".1.3.6.1.2.1.1.99.0";
const NO_INSTANCE: &str = ".1.3.6.1.2.1.1.5.7";

fn device(id: u64, ip: &str, port: u16, oids: &[&str], delay: &str) -> Host {
    let mut it = host(id, &format!("device-{id}"));
    it.interfaces.push(interface(id, InterfaceType::Snmp, ip, port));
    let items = (id * 100..).zip(oids);
    it.items = items.map(|(id, oid)| item(id, ItemType::Snmp, oid, delay)).collect();
    it
}

fn snmpd() -> Option<Snmpd> {
    let lines = "sysName tested\nsysLocation here \"and\" there\nsysContact me\n";
    Snmpd::start(free_udp_address(), lines)
}

fn state(server: &Server, interface: u64) -> Available {
    collect::AvailabilitySink::interface(&*server.owner, InterfaceId(interface)).available
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_share_a_request_and_missing_ones_are_reported() {
    let Some(agent) = snmpd() else { return };
    let oids =
        [SYS_NAME, SYS_UPTIME, NOT_THERE, NO_INSTANCE, "get[.1.3.6.1.2.1.1.4.0]", "nonsense"];
    let mut v1 = device(2, "127.0.0.1", agent.address.port(), &oids, "1m");
    v1.interfaces[0].details.as_mut().expect("SNMP").version = 1;
    let v2 = device(1, "127.0.0.1", agent.address.port(), &oids, "1m");
    let mut alone = device(3, "127.0.0.1", agent.address.port(), &oids, "1m");
    alone.interfaces[0].details.as_mut().expect("SNMP").bulk = false;
    let mut v4 = device(4, "127.0.0.1", agent.address.port(), &[SYS_NAME], "1m");
    v4.interfaces[0].details.as_mut().expect("SNMP").version = 4;
    let server = Server::start(snapshot(1, [v2, v1, alone, v4])).await;
    server.execute((100..106).chain(200..206).chain(300..306).chain([400]));
    for id in [100, 200, 300] {
        assert_eq!(text(&server.value_of(id).await), "tested");
        assert!(text(&server.value_of(id + 1).await).parse::<u32>().is_ok());
        assert_eq!(text(&server.value_of(id + 4).await), "me");
        let value = server.value_of(id + 5).await;
        assert!(error(&value).starts_with("Cannot parse OID \"nonsense\""), "{value:?}");
    }
    for id in [100, 300] {
        let text = "No Such Object available on this agent at this OID";
        assert_eq!(error(&server.value_of(id + 2).await), text);
        let text = "No Such Instance currently exists at this OID";
        assert_eq!(error(&server.value_of(id + 3).await), text);
    }
    let text = "SNMP error: (noSuchName) There is no such variable name in this MIB.";
    assert_eq!(error(&server.value_of(202).await), text);
    assert_eq!(error(&server.value_of(203).await), text);
    assert_eq!(error(&server.value_of(400).await), "Unknown SNMP version 4.");
    // The state is noted after the values.
    let state_of = |owner: &crate::support::Owner, it| {
        collect::AvailabilitySink::interface(owner, InterfaceId(it)).available
    };
    let are_there =
        |owner: &crate::support::Owner| (1..4).all(|it| state_of(owner, it) == Available::Yes);
    server.until_owner("availability of the devices", are_there).await;
    assert_eq!(state(&server, 4), Available::Unknown);
}

/// Names of the RFCs, and those of a MIB file that is changed afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn objects_may_be_written_by_names() {
    let Some(agent) = snmpd() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let write = |arc: u32| {
        let text = format!(
            "ACME-MIB DEFINITIONS ::= BEGIN IMPORTS system FROM SNMPv2-MIB;\n\
             acmeName OBJECT-TYPE SYNTAX INTEGER ::= {{ system {arc} }} END"
        );
        std::fs::write(folder.path().join("ACME-MIB.txt"), text).expect("written");
    };
    write(5);
    let oids = [
        "SNMPv2-MIB::sysName.0",
        ".iso.org.dod.internet.mgmt.mib-2.system.sysContact.0",
        "get[ACME-MIB::acmeName.0]",
        "walk[SNMPv2-MIB::sysName]",
        "discovery[{#DESCR},IF-MIB::ifDescr]",
        "IF-MIB::ifType[\"index\",\"IF-MIB::ifDescr\",\"lo\"]",
        "ACME-MIB::other.0",
    ];
    let mut settings = settings();
    settings.collectors.snmp.mib_directories = vec![folder.path().to_owned()];
    let device = device(1, "127.0.0.1", agent.address.port(), &oids, SELDOM);
    let server = Server::start_as(snapshot(1, [device]), settings, Default::default()).await;
    server.execute(100..107);
    assert_eq!(text(&server.value_of(100).await), "tested");
    assert_eq!(text(&server.value_of(101).await), "me");
    assert_eq!(text(&server.value_of(102).await), "tested");
    let walked = ".1.3.6.1.2.1.1.5.0 = STRING: \"tested\"";
    assert_eq!(text(&server.value_of(103).await), walked);
    assert!(text(&server.value_of(104).await).contains(r#""{#DESCR}":"lo""#));
    // softwareLoopback.
    assert_eq!(text(&server.value_of(105).await), "24");
    let reason = "Cannot parse OID \"ACME-MIB::other.0\": no MIB file has the name \"other\" of \
                the module \"ACME-MIB\".";
    assert_eq!(error(&server.value_of(106).await), reason);
    write(4);
    server.collectors.reload_mibs();
    server.execute([102]);
    let is_other = |it: &Seen| it.item == ItemId(102) && text(&it.value) == "me";
    server.until("the other object's value", |it| it.iter().any(is_other)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn walks_read_as_those_of_net_snmp() {
    let Some(agent) = snmpd() else { return };
    let Some(tool) = program("snmpwalk") else { return };
    // System group, interfaces (with addresses in hexadecimal), one object alone.
    let roots = [".1.3.6.1.2.1.1", ".1.3.6.1.2.1.2.2.1", SYS_DESCR];
    let keys: Vec<_> = roots.iter().map(|it| format!("walk[{it}]")).collect();
    let keys: Vec<_> = keys.iter().map(String::as_str).collect();
    let mut v1 = device(2, "127.0.0.1", agent.address.port(), &keys, "1m");
    v1.interfaces[0].details.as_mut().expect("SNMP").version = 1;
    let server =
        Server::start(snapshot(1, [device(1, "127.0.0.1", agent.address.port(), &keys, "1m"), v1]))
            .await;
    server.execute((100..103).chain(200..203));
    for (n, root) in (0..).zip(roots) {
        let (tool, address) = (tool.clone(), agent.address.to_string());
        let command = move || {
            Command::new(tool)
                .args(["-v2c", "-cpublic", "-Oe", "-Ot", "-On", "-m", "", "-M", ""])
                .args([&address, root])
                .output()
        };
        let output = tokio::task::spawn_blocking(command).await.expect("no panic");
        let stdout = output.expect("it runs").stdout;
        let oracle = String::from_utf8(stdout).expect("text");
        for id in [100, 200] {
            let value = server.value_of(id + n).await;
            assert_same_walk(&text(&value), &oracle);
        }
    }
}

/// Counters and uptime differ between two walks: for numbers the kind is compared.
fn assert_same_walk(ours: &str, oracle: &str) {
    let (ours, oracle): (Vec<_>, Vec<_>) = (ours.lines().collect(), oracle.lines().collect());
    assert_eq!(ours.len(), oracle.len());
    for (a, b) in ours.iter().zip(&oracle) {
        let is_moving = ["Counter32: ", "Counter64: ", "Gauge32: "].iter().any(|it| b.contains(it))
            || !b.contains(": ");
        let end = if is_moving { b.find("= ").map_or(0, |it| it + 2) } else { b.len() };
        assert_eq!(a.get(..end.min(a.len())), b.get(..end), "{a:?} against {b:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_are_discovered_by_their_indexes() {
    let Some(agent) = snmpd() else { return };
    let rule = "discovery[{#IFNAME},.1.3.6.1.2.1.2.2.1.2,{#IFTYPE},.1.3.6.1.2.1.2.2.1.3]";
    let empty = "discovery[{#X},.1.3.6.1.2.1.1.99]";
    let host = device(1, "127.0.0.1", agent.address.port(), &[rule, empty], "1m");
    let server = Server::start(snapshot(1, [host])).await;
    server.execute([100, 101]);
    let rows = server.value_of(100).await;
    let rows: serde_json::Value = serde_json::from_str(&text(&rows)).expect("JSON");
    let lo = rows.as_array().expect("rows").iter().find(|it| it["{#IFNAME}"] == "lo");
    let lo = lo.expect("every machine has it");
    assert_eq!(lo["{#SNMPINDEX}"], "1");
    assert_eq!(lo["{#IFTYPE}"], "24");
    assert_eq!(text(&server.value_of(101).await), "[]");
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_devices_answer_while_as_many_are_dead() {
    let Some(agent) = snmpd() else { return };
    let silent = UdpSocket::bind("0.0.0.0:0").expect("a free port");
    let silent_port = silent.local_addr().expect("bound").port();
    let oids = [SYS_NAME, SYS_UPTIME, SYS_CONTACT];
    let living = (1..=200_u64)
        .map(|id| device(id, &format!("127.2.0.{id}"), agent.address.port(), &oids, "5s"));
    let dead = (201..=400_u64)
        .map(|id| device(id, &format!("127.2.1.{}", id - 200), silent_port, &oids, "5s"));
    let mut settings = settings();
    settings.collectors.snmp.requests_max = 250.try_into().expect("not zero");
    let server = Server::start_as(snapshot(1, living.chain(dead)), settings, Arc::default()).await;
    let seen = server
        .until("three rounds", |seen| {
            (1..=200).all(|id| seen.iter().filter(|it| it.item == ItemId(id * 100)).count() >= 3)
        })
        .await;
    assert!(seen.iter().all(|it| it.item < ItemId(20_100)), "the dead say nothing");
    for id in 1..=200 {
        let own = seen.iter().filter(|it| it.item == ItemId(id * 100));
        let times: Vec<_> = own.map(|it| it.time.clock()).collect();
        assert!(times.windows(2).all(|it| (3..=8).contains(&(it[1] - it[0]))), "{id}: {times:?}");
    }
    server
        .until_owner("dead devices found", |it| {
            (201..=400).all(|id| {
                let state = collect::AvailabilitySink::interface(it, InterfaceId(id));
                state.available == Available::No && state.error.starts_with("Timeout while")
            })
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_found_by_a_text_in_their_table() {
    let Some(agent) = snmpd() else { return };
    let oids = [
        // As in the official template "Linux by SNMP".
        r#"1.3.6.1.4.1.2021.10.1.3["index","1.3.6.1.4.1.2021.10.1.2", "Load-1"]"#,
        ".1.3.6.1.4.1.2021.10.1.2[index,.1.3.6.1.4.1.2021.10.1.2,{$LOAD}]",
        "ifIndex[index,ifDescr,lo]",
        SYS_NAME,
        r#"1.3.6.1.4.1.2021.10.1.3["index","1.3.6.1.4.1.2021.10.1.2","load-1"]"#,
        ".1.3.6.1.4.1.2021.10.1.3[index,.1.3.6.1.4.1.2021.99,Load-1]",
        ".1.3.6.1.4.1.2021.10.1.77[index,.1.3.6.1.4.1.2021.10.1.2,Load-1]",
        "ifIndex[value,ifDescr,lo]",
    ];
    let mut hosts = [1, 2].map(|id| {
        let mut host = device(id, "127.0.0.1", agent.address.port(), &oids, SELDOM);
        host.macros.push(model::content::HostMacro {
            hostmacroid: model::HostMacroId(id),
            name: "{$LOAD}".to_owned(),
            value: "Load-15".to_owned(),
            description: String::new(),
            kind: model::content::MacroType::Text,
        });
        host
    });
    hosts[1].interfaces[0].details.as_mut().expect("SNMP").version = 1;
    let server = Server::start(snapshot(1, hosts)).await;
    // The second time, indexes are known.
    for round in 1..=2 {
        server.execute((100..108).chain(200..208));
        let seen = server.until("a round", |it| it.len() >= round * 16).await;
        for (id, no_object) in [
            (100, "No Such Object available on this agent at this OID"),
            (200, "SNMP error: (noSuchName) There is no such variable name in this MIB."),
        ] {
            let of = |id| &seen.iter().rfind(|it| it.item == ItemId(id)).expect("one each").value;
            assert!(text(of(id)).parse::<f64>().is_ok(), "{:?}", of(id));
            assert_eq!(text(of(id + 1)), "Load-15");
            assert_eq!(text(of(id + 2)), "1");
            assert_eq!(text(of(id + 3)), "tested");
            let missing = "Cannot find index of \"load-1\" in \".1.3.6.1.4.1.2021.10.1.2\".";
            assert_eq!(error(of(id + 4)), missing);
            let missing = "Cannot find index of \"Load-1\" in \".1.3.6.1.4.1.2021.99\".";
            assert_eq!(error(of(id + 5)), missing);
            assert_eq!(error(of(id + 6)), no_object);
            let method = "Unsupported method \"value\" in the OID \"ifIndex[value,ifDescr,lo]\".";
            assert_eq!(error(of(id + 7)), method);
        }
    }
}

/// Index, text and value of each row.
type Rows = Vec<(u32, &'static str, i64)>;

const TEXTS: &str = "1.3.6.1.4.1.9.1";
const VALUES: &str = "1.3.6.1.4.1.9.2";

/// A device with a table that changes, and the requests that began a walk of its texts, by their
/// ids: a request may arrive twice.
fn table_device(rows: Arc<Mutex<Rows>>, walks: Arc<Mutex<BTreeSet<i32>>>) -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let port = socket.local_addr().expect("bound").port();
    socket.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    let [texts, values] = [TEXTS, VALUES].map(|it| Oid::parse(it).expect("valid"));
    std::thread::spawn(move || {
        let mut buffer = [0; 65_536];
        while let Ok((len, from)) = socket.recv_from(&mut buffer) {
            let Ok(message) = SnmpMessage::decode(&buffer[..len]) else { continue };
            let mut objects: BTreeMap<Oid, Value<'_>> = BTreeMap::new();
            for (index, text, value) in rows.lock().expect("no panic").iter() {
                let below = |oid: &Oid| oid.child([*index]).expect("short");
                objects.insert(below(&texts), Value::OctetString(text.as_bytes()));
                objects.insert(below(&values), Value::Integer(*value));
            }
            let asked: Vec<Oid> =
                message.pdu.varbinds.flatten().map(|it| it.oid.to_owned()).collect();
            let answer: Vec<_> = if message.pdu.kind == PduKind::Get {
                let value = |it: &Oid| objects.get(it).copied().unwrap_or(Value::NoSuchInstance);
                asked.iter().map(|it| (it.clone(), value(it))).collect()
            } else {
                if asked[0] == texts {
                    walks.lock().expect("no panic").insert(message.pdu.request_id);
                }
                let behind = objects.iter().filter(|it| asked[0] < *it.0).take(2);
                behind.map(|(oid, value)| (oid.clone(), *value)).collect()
            };
            let varbinds: Vec<_> = answer
                .iter()
                .map(|(oid, value)| Varbind { oid: oid.as_ref(), value: *value })
                .collect();
            let pdu = Pdu::new(PduKind::Response, message.pdu.request_id, 0, 0);
            let mut out = Vec::new();
            SnmpMessage::encode(&SnmpMessage { pdu, ..message }, &varbinds, &mut out);
            drop(socket.send_to(&out, from));
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn remembered_index_is_searched_again_after_table_changes() {
    let rows = Arc::new(Mutex::new(vec![(1, "eth0", 10), (2, "eth1", 11), (7, "wlan0", 12)]));
    let walks = Arc::new(Mutex::new(BTreeSet::new()));
    let port = table_device(Arc::clone(&rows), Arc::clone(&walks));
    let oids = ["eth0", "eth1", "wlan0"].map(|it| format!("{VALUES}[index,{TEXTS},{it}]"));
    let oids: Vec<&str> = oids.iter().map(String::as_str).collect();
    let server = Server::start(snapshot(1, [device(1, "127.0.0.1", port, &oids, SELDOM)])).await;
    let mut n_seen = 0;
    // The value, and how many walks there were up to then.
    let mut ask = async |item| {
        server.execute([item]);
        n_seen += 1;
        let seen = server.until("a value", |it| it.len() >= n_seen).await;
        let n_walks = walks.lock().expect("no panic").len();
        match &seen.last().expect("one at least").value {
            OwnedRaw::Error(it) => (it.clone(), n_walks),
            other => (text(other).into_owned(), n_walks),
        }
    };
    let is = |value: &str, n_walks| (value.to_owned(), n_walks);
    assert_eq!(ask(100).await, is("10", 1));
    assert_eq!(ask(101).await, is("11", 1), "one walk for all");
    assert_eq!(ask(102).await, is("12", 1));
    rows.lock().expect("no panic")[0].2 = 20;
    assert_eq!(ask(100).await, is("20", 1));
    // Two rows change places, one disappears.
    *rows.lock().expect("no panic") = vec![(1, "eth1", 31), (2, "eth0", 30)];
    assert_eq!(ask(100).await, is("30", 2));
    assert_eq!(ask(101).await, is("31", 2));
    let missing = format!("Cannot find index of \"wlan0\" in \".{TEXTS}\".");
    assert_eq!(ask(102).await, is(&missing, 3));
    // A missing text is searched for at each check.
    rows.lock().expect("no panic").push((9, "wlan0", 42));
    assert_eq!(ask(102).await, is("42", 4));
    assert_eq!(ask(102).await, is("42", 4));
}

/// A device that refuses requests of more than `objects_max` objects: by dropping them, or by
/// saying that they are too big.
fn small_device(objects_max: usize, is_silent: bool) -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let port = socket.local_addr().expect("bound").port();
    socket.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    std::thread::spawn(move || {
        let mut buffer = [0; 65_536];
        while let Ok((len, from)) = socket.recv_from(&mut buffer) {
            let Ok(message) = SnmpMessage::decode(&buffer[..len]) else { continue };
            let asked: Vec<_> = message.pdu.varbinds.flatten().collect();
            let is_big = objects_max < asked.len();
            if is_big && is_silent {
                continue;
            }
            let status = i32::from(is_big);
            let pdu = Pdu::new(PduKind::Response, message.pdu.request_id, status, 0);
            let head = SnmpMessage { pdu, ..message };
            let answer: Vec<_> =
                asked.iter().map(|it| Varbind { oid: it.oid, value: Value::Integer(7) }).collect();
            let mut out = Vec::new();
            SnmpMessage::encode(&head, if is_big { &[] } else { &answer }, &mut out);
            drop(socket.send_to(&out, from));
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_that_take_few_objects_at_once_give_them_all() {
    let oids: Vec<String> = (1..=40).map(|it| format!(".1.3.6.1.4.1.9.{it}")).collect();
    let oids: Vec<&str> = oids.iter().map(String::as_str).collect();
    let hosts = [(1, false), (2, true)]
        .map(|(id, is_silent)| device(id, "127.0.0.1", small_device(7, is_silent), &oids, "1m"));
    let server = Server::start(snapshot(1, hosts)).await;
    // The device is known to answer: then all together.
    server.execute([100, 200]);
    server.value_of(100).await;
    server.value_of(200).await;
    server.execute((101..140).chain(201..240));
    let seen = server.until("all objects", |it| it.len() >= 80).await;
    assert!(seen.iter().all(|it| text(&it.value) == "7"), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_strangers_and_nonsense_are_not_taken() {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let port = socket.local_addr().expect("bound").port();
    socket.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    std::thread::spawn(move || {
        let stranger = UdpSocket::bind("127.0.0.77:0").expect("a free port");
        let mut buffer = [0; 65_536];
        while let Ok((len, from)) = socket.recv_from(&mut buffer) {
            let Ok(message) = SnmpMessage::decode(&buffer[..len]) else { continue };
            let asked: Vec<_> = message.pdu.varbinds.flatten().collect();
            let answer = |request_id: i32, number: i64| {
                let pdu = Pdu::new(PduKind::Response, request_id, 0, 0);
                let varbinds: Vec<_> = asked
                    .iter()
                    .map(|it| Varbind { oid: it.oid, value: Value::Integer(number) })
                    .collect();
                let mut out = Vec::new();
                SnmpMessage::encode(&SnmpMessage { pdu, ..message }, &varbinds, &mut out);
                out
            };
            let id = message.pdu.request_id;
            drop(stranger.send_to(&answer(id, 666), from));
            drop(socket.send_to(b"\x30\xff\xff\xff", from));
            drop(socket.send_to(&answer(id ^ 1, 667), from));
            drop(socket.send_to(&answer(id, 1), from));
            drop(socket.send_to(&answer(id, 668), from));
        }
    });
    let host = device(1, "127.0.0.1", port, &[SYS_NAME], "1s");
    let server = Server::start(snapshot(1, [host])).await;
    let seen = server.until("some values", |it| it.len() >= 5).await;
    assert!(seen.iter().all(|it| text(&it.value) == "1"), "{seen:?}");
}

/// A device that answers with the community of the request, and counts the requests by object.
fn parrot(asked: Arc<Mutex<Vec<usize>>>) -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let port = socket.local_addr().expect("bound").port();
    socket.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    std::thread::spawn(move || {
        let (mut buffer, mut last) = ([0; 65_536], 0);
        while let Ok((len, from)) = socket.recv_from(&mut buffer) {
            let Ok(message) = SnmpMessage::decode(&buffer[..len]) else { continue };
            let varbinds: Vec<_> = message.pdu.varbinds.flatten().collect();
            // A request that is sent twice counts once.
            if std::mem::replace(&mut last, message.pdu.request_id) != message.pdu.request_id {
                asked.lock().expect("no panic").push(varbinds.len());
            }
            let value = Value::OctetString(message.community);
            let answer: Vec<_> = varbinds.iter().map(|it| Varbind { oid: it.oid, value }).collect();
            let pdu = Pdu::new(PduKind::Response, message.pdu.request_id, 0, 0);
            let mut out = Vec::new();
            SnmpMessage::encode(&SnmpMessage { pdu, ..message }, &answer, &mut out);
            drop(socket.send_to(&out, from));
        }
    });
    port
}

/// Requests are kept and repeated: their sources may have changed meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn repeated_request_follows_the_present_configuration() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let ports = [(); 2].map(|()| parrot(Arc::clone(&asked)));
    let oids = [SYS_NAME, SYS_CONTACT, SYS_DESCR];
    let with = |community: &str, port: u16| {
        let mut it = device(1, "127.0.0.1", port, &oids, SELDOM);
        let details = it.interfaces[0].details.as_mut().expect("SNMP");
        details.community = community.to_owned();
        it
    };
    let global = |epoch: u64, value: &str, host: &Arc<Host>| {
        let mut it = (*snapshot(epoch, [(**host).clone()])).clone();
        // The same host, as after a change of global macros only.
        it.hosts.insert(host.id, Arc::clone(host));
        it.globals = Arc::new(model::snapshot::Globals {
            macros: vec![model::content::HostMacro {
                hostmacroid: model::HostMacroId(9),
                name: "{$COMMUNITY}".to_owned(),
                value: value.to_owned(),
                description: String::new(),
                kind: model::content::MacroType::Text,
            }],
            ..(*it.globals).clone()
        });
        Arc::new(it)
    };
    let server = Server::start(snapshot(1, [with("one", ports[0])])).await;
    let mut n_seen = 0;
    let mut ask = async |expected: &str| {
        for _round in 0..2 {
            server.execute(100..103);
            n_seen += oids.len();
            let seen = server.until("values", |it| n_seen <= it.len()).await;
            let last = seen.iter().rev().take(oids.len());
            assert!(last.clone().all(|it| text(&it.value) == expected), "{seen:?}");
        }
    };
    ask("one").await;
    server.configure(snapshot(2, [with("two", ports[0])]));
    ask("two").await;
    server.configure(snapshot(3, [with("two", ports[1])]));
    ask("two").await;
    // A snapshot with an unchanged host.
    let plain = server.snapshot();
    let mut other = (*plain).clone();
    other.epoch = 4;
    server.configure_hosts(Arc::new(other), &[]);
    ask("two").await;
    let by_macro = Arc::new(with("{$COMMUNITY}", ports[1]));
    server.configure(global(5, "three", &by_macro));
    ask("three").await;
    server.configure_hosts(global(6, "four", &by_macro), &[1]);
    ask("four").await;
    let asked = asked.lock().expect("no panic");
    assert_eq!(asked.iter().sum::<usize>(), 6 * 2 * oids.len(), "{asked:?}");
}
