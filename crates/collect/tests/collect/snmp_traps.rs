//! SNMP traps of the real `snmptrap` and `snmpinform`, in every version, on a port of the server,
//! and those that another receiver writes to a file.

use std::fs::{self, File};
use std::io::Write as _;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use crate::support::config::{host, interface, item, snapshot};
use crate::support::{Owner, PATIENCE, Seen, Server, error, settings, text};
use collect::{CollectSettings, SnmpTrapSettings, TrapSources};
use model::content::{InterfaceType, ItemType, SnmpDetails};
use model::snapshot::Host;
use peers::{program, wait_until};
use tempfile::TempDir;
use tokio::task::spawn_blocking;
use wire::snmp::{Oid, Pdu, PduKind, SnmpMessage, Value, Varbind, Version};

const COLD_START: &str = "1.3.6.1.6.3.1.1.5.1";
const LINK_DOWN: &str = "1.3.6.1.6.3.1.1.5.3";

/// A server that receives traps.
struct Receiver {
    server: Server,
    address: SocketAddr,
    folder: TempDir,
}

impl Receiver {
    async fn start(hosts: impl IntoIterator<Item = Host>, said: SnmpTrapSettings) -> Self {
        // Settings are large, and a future holds them several times.
        Box::pin(Self::start_as(hosts, said, settings())).await
    }

    async fn start_as(
        hosts: impl IntoIterator<Item = Host>,
        said: SnmpTrapSettings,
        settings: CollectSettings,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder is made");
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
        let address = socket.local_addr().expect("bound");
        let traps =
            TrapSources { settings: said, socket: Some(socket), folder: folder.path().to_owned() };
        let server = Box::pin(start_as(hosts, traps, settings)).await;
        Self { server, address, folder }
    }

    /// A trap or inform of net-snmp with more of its arguments; `None` if it is not installed.
    async fn send(&self, tool: &str, arguments: &[&str]) -> Option<Output> {
        let mut command = Command::new(program(tool)?);
        command.args(["-r", "1", "-t", "5", "-m", ""]).args(arguments);
        let (to, folder) = (self.address.to_string(), self.folder.path().to_owned());
        let ran = spawn_blocking(move || {
            let command = command.env("SNMP_PERSISTENT_DIR", folder.join("peer")).env("MIBS", "");
            // Address and arguments follow the options.
            let arguments: Vec<String> =
                command.get_args().map(|it| it.to_string_lossy().replace("ADDRESS", &to)).collect();
            let mut command = Command::new(command.get_program());
            command.env("SNMP_PERSISTENT_DIR", folder.join("peer")).env("MIBS", "");
            command.args(arguments).output().expect("it runs")
        });
        Some(ran.await.expect("no panic"))
    }

    fn counted(&self, name: &str) -> u64 {
        counted(&self.server, name)
    }
}

async fn start(hosts: impl IntoIterator<Item = Host>, traps: TrapSources) -> Server {
    start_as(hosts, traps, settings()).await
}

async fn start_as(
    hosts: impl IntoIterator<Item = Host>,
    traps: TrapSources,
    settings: CollectSettings,
) -> Server {
    let owner = Owner { traps: Mutex::new(traps), ..Owner::default() };
    Server::start_as(snapshot(1, hosts), settings, Arc::new(owner)).await
}

fn counted(server: &Server, name: &str) -> u64 {
    let value = server.registry.value(&format!("collect_snmp_traps_{name}_total"), None);
    format!("{:.0}", value.unwrap_or_default()).parse().expect("a number")
}

/// A host with an SNMP interface and items of these keys, whose ids count from ten times its own.
fn device(id: u64, ip: &str, keys: &[&str]) -> Host {
    let mut it = host(id, &format!("device-{id}"));
    it.interfaces.push(interface(id, InterfaceType::Snmp, ip, 161));
    it.items = keys
        .iter()
        .zip(id * 10..)
        .map(|(key, id)| item(id, ItemType::SnmpTrap, key, "0"))
        .collect();
    it
}

fn user(host: &mut Host, name: &str, level: i64) {
    host.interfaces[0].details = Some(SnmpDetails {
        version: 3,
        securityname: name.to_owned(),
        securitylevel: level,
        authprotocol: 3,
        authpassphrase: "authentication".to_owned(),
        privprotocol: 1,
        privpassphrase: "privacy of all".to_owned(),
        ..SnmpDetails::default()
    });
}

async fn texts(server: &Server, item: u64, n: usize) -> Vec<String> {
    let of = |seen: &[Seen]| -> Vec<String> {
        let of = seen.iter().filter(|it| it.item.0 == item);
        of.map(|it| text(&it.value).into_owned()).collect()
    };
    of(&server.until(&format!("{n} traps at {item}"), |it| of(it).len() >= n).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn traps_of_every_version_reach_the_items_that_match() {
    let keys = ["snmptrap[\"5\\.3$\"]", "snmptrap.fallback", "snmptrap[eth0.*$]"];
    let mut open = device(3, "127.0.0.3", &["snmptrap"]);
    user(&mut open, "open", 0);
    let mut sealed = device(4, "127.0.0.4", &["snmptrap"]);
    user(&mut sealed, "sealed", 2);
    let hosts = [device(1, "127.0.0.1", &keys), open, sealed];
    let it = Receiver::start(hosts, SnmpTrapSettings::default()).await;
    let v1 = ["-v1", "-c", "public", "ADDRESS", "1.3.6.1.4.1.8072", "192.0.2.9", "2", "0", "55"];
    let Some(sent) = it.send("snmptrap", &v1).await else { return };
    assert!(sent.status.success(), "{sent:?}");
    let got = texts(&it.server, 10, 1).await.remove(0);
    assert!(got.contains(" PDU INFO:\n  notificationtype               TRAP\n"), "{got}");
    assert!(got.contains("\n  version                        0\n"), "{got}");
    assert!(got.contains("UDP: [127.0.0.1]:"), "{got}");
    assert!(got.contains(".1.3.6.1.6.3.1.1.4.1.0") && !got.contains("public"), "{got}");
    assert!(got.contains("value=OID: .1.3.6.1.6.3.1.1.5.3\n"), "{got}");
    assert!(got.contains("value=IpAddress: 192.0.2.9\n"), "{got}");

    let v2 = ["-v2c", "-c", "x", "ADDRESS", "77", LINK_DOWN, "1.3.6.1.2.1.2.2.1.2.7", "s", "eth0"];
    it.send("snmptrap", &v2).await;
    let got = texts(&it.server, 12, 1).await.remove(0);
    assert!(
        got.ends_with("\n  .1.3.6.1.2.1.2.2.1.2.7         type=4  value=STRING: \"eth0\""),
        "{got}"
    );
    // A trap that matches nothing goes to the fallback only.
    it.send("snmptrap", &["-v2c", "-c", "x", "ADDRESS", "77", COLD_START]).await;
    let got = texts(&it.server, 11, 1).await;
    assert!(got.len() == 1 && got[0].contains(COLD_START), "{got:?}");
    // The first item took both messages about links, and not this one.
    assert_eq!(texts(&it.server, 10, 2).await.len(), 2);

    let inform = ["-v2c", "-c", "x", "ADDRESS", "77", COLD_START];
    let sent = it.send("snmpinform", &inform).await.expect("it comes with snmptrap");
    assert!(sent.status.success(), "an inform is answered: {sent:?}");
    assert!(texts(&it.server, 11, 2).await[1].contains("INFORM"));

    let open = ["-v3", "-u", "open", "-l", "noAuthNoPriv", "--clientaddr=127.0.0.3"];
    let said = ["ADDRESS", "77", COLD_START];
    it.send("snmptrap", &[&open[..], &said].concat()).await;
    let got = texts(&it.server, 30, 1).await.remove(0);
    assert!(got.contains("\n  version                        3\n"), "{got}");
    assert!(got.contains("\n  securityName                   open\n"), "{got}");
    let keys = ["-a", "SHA-256", "-A", "authentication", "-x", "AES", "-X", "privacy of all"];
    let sealed = ["-v3", "-u", "sealed", "-l", "authPriv", "--clientaddr=127.0.0.4"];
    let engine = ["-e", "0x8000000001020304"];
    it.send("snmptrap", &[&sealed[..], &keys, &engine, &said].concat()).await;
    assert!(texts(&it.server, 40, 1).await[0].contains(COLD_START));
    // The peer asks for the engine's id and clock first.
    for (options, item, n) in [(&open, 30, 2), (&sealed, 40, 2), (&sealed, 40, 3)] {
        let keys = if item == 40 { &keys[..] } else { &[] };
        let sent = it.send("snmpinform", &[&options[..], keys, &said].concat()).await;
        let sent = sent.expect("it comes with snmptrap");
        assert!(sent.status.success(), "an inform is answered: {sent:?}");
        assert!(texts(&it.server, item, n).await[n - 1].contains("INFORM"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_have_the_names_of_mib_files_where_that_is_set() {
    let mibs = tempfile::tempdir().expect("a folder is made");
    let write = |name: &str| {
        let text = format!(
            "ACME-MIB DEFINITIONS ::= BEGIN IMPORTS enterprises FROM SNMPv2-SMI;\n\
             acme OBJECT IDENTIFIER ::= {{ enterprises 99999 }}\n\
             acmeDoor OBJECT-TYPE SYNTAX OCTET STRING ::= {{ acme 1 }}\n\
             {name} NOTIFICATION-TYPE STATUS current ::= {{ acme 0 1 }} END"
        );
        fs::write(mibs.path().join("ACME-MIB.txt"), text).expect("written");
    };
    write("acmeOpened");
    let keys = ["snmptrap[ACME-MIB::acmeOpened$]", "snmptrap.fallback"];
    let mut settings = settings();
    settings.collectors.snmp.mib_directories = vec![mibs.path().to_owned()];
    let named = SnmpTrapSettings { mib_names: true, ..Default::default() };
    let named = Receiver::start_as([device(1, "127.0.0.1", &keys)], named, settings.clone()).await;
    let opened = ["1.3.6.1.4.1.99999.0.1", "1.3.6.1.4.1.99999.1.7", "s", "front"];
    let v2 = ["-v2c", "-c", "x", "ADDRESS", "77"];
    let v2 = [&v2[..], &opened, &["1.3.6.1.2.1.2.2.1.1.3", "i", "3"]].concat();
    if named.send("snmptrap", &v2).await.is_none() {
        return;
    }
    let got = texts(&named.server, 10, 1).await.remove(0);
    let varbinds: Vec<&str> = got.lines().skip_while(|it| *it != "VARBINDS:").skip(1).collect();
    assert_eq!(
        varbinds,
        [
            "  SNMPv2-MIB::sysUpTime.0        type=67 value=Timeticks: (77) 0:00:00.77",
            "  SNMPv2-MIB::snmpTrapOID.0      type=6  value=OID: ACME-MIB::acmeOpened",
            "  ACME-MIB::acmeDoor.7           type=4  value=STRING: \"front\"",
            "  IF-MIB::ifIndex.3              type=2  value=INTEGER: 3",
        ]
    );
    let v1 = ["-v1", "-c", "x", "ADDRESS", "1.3.6.1.4.1.99999", "192.0.2.9", "6", "1", "55"];
    named.send("snmptrap", &v1).await;
    let got = texts(&named.server, 10, 2).await.remove(1);
    assert!(
        got.contains("\n  SNMPv2-SMI::snmpModules.18.1.3.0 type=64 value=IpAddress: "),
        "{got}"
    );
    assert!(got.ends_with(" value=OID: ACME-MIB::acme"), "{got}");

    write("acmeShut");
    named.server.collectors.reload_mibs();
    named.send("snmptrap", &v2).await;
    let got = texts(&named.server, 11, 1).await.remove(0);
    assert!(got.contains(" value=OID: ACME-MIB::acmeShut\n"), "{got}");

    // The same files, but the settings do not ask for names.
    let numbers = SnmpTrapSettings::default();
    let numbers = Receiver::start_as([device(1, "127.0.0.1", &keys)], numbers, settings).await;
    numbers.send("snmptrap", &v2).await;
    let got = texts(&numbers.server, 11, 1).await.remove(0);
    assert!(got.contains(" value=OID: .1.3.6.1.4.1.99999.0.1\n"), "{got}");
    assert!(!got.contains("MIB::"), "{got}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unauthorized_senders_are_refused_and_counted() {
    let mut sealed = device(1, "127.0.0.1", &["snmptrap"]);
    user(&mut sealed, "sealed", 2);
    let communities = String::from("public, other").into();
    let it =
        Receiver::start([sealed], SnmpTrapSettings { communities, ..Default::default() }).await;
    let said = ["ADDRESS", "77", COLD_START];
    let engine = ["-v3", "-e", "0x8000000001020304"];
    let sealed = ["-u", "sealed", "-l", "authPriv", "-a", "SHA-256", "-A", "authentication"];
    let right = ["-x", "AES", "-X", "privacy of all"];
    let refused: &[&[&str]] = &[
        &["-v2c", "-c", "secret"],
        &["-v3", "-e", "0x8000000001020304", "-u", "sealed", "-l", "noAuthNoPriv"],
        &["-v3", "-e", "0x8000000001020304", "-u", "nobody", "-l", "noAuthNoPriv"],
    ];
    for (options, n) in refused.iter().zip(1..) {
        if it.send("snmptrap", &[options, &said[..]].concat()).await.is_none() {
            return;
        }
        wait_until("it is refused", PATIENCE, || it.counted("refused") == n);
    }
    for (changed, n) in [("authentication", 4), ("privacy of all", 5)] {
        let options = [&engine[..], &sealed, &right].concat();
        let options: Vec<_> =
            options.iter().map(|it| it.replace(changed, "something else")).collect();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        it.send("snmptrap", &[&options[..], &said].concat()).await;
        wait_until("it is refused", PATIENCE, || it.counted("refused") == n);
    }
    let wrong = ["-v3", "-u", "nobody", "-l", "noAuthNoPriv"];
    let sent = it.send("snmpinform", &[&wrong[..], &said].concat()).await.expect("it runs");
    let errors = String::from_utf8_lossy(&sent.stderr);
    assert!(!sent.status.success() && errors.contains("nknown user name"), "{errors}");
    assert_eq!(it.counted("received"), 0);
    // The right one is accepted, but not a copy of an older message.
    let old = [&engine[..], &["-Z", "3,1000"], &sealed, &right, &said].concat();
    let new = [&engine[..], &["-Z", "4,1000"], &sealed, &right, &said].concat();
    it.send("snmptrap", &old).await;
    it.send("snmptrap", &new).await;
    assert_eq!(texts(&it.server, 10, 2).await.len(), 2);
    it.send("snmptrap", &old).await;
    wait_until("an old one is refused", PATIENCE, || it.counted("refused") == 6);
    assert_eq!(texts(&it.server, 10, 2).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn users_of_the_file_and_hosts_by_name_are_known() {
    let folder = tempfile::tempdir().expect("a folder is made");
    let users = folder.path().join("users");
    let lines =
        "createUser keeper SHA \"authentication\" AES-256-C \"privacy of all\"\ncreateUser\n";
    fs::write(&users, lines).expect("written");
    let mut named = device(1, "", &["snmptrap"]);
    named.interfaces[0].useip = false;
    "localhost".clone_into(&mut named.interfaces[0].dns);
    let users = SnmpTrapSettings { users: Some(users), ..Default::default() };
    let it = Receiver::start([named], users).await;
    let options = ["-v3", "-u", "keeper", "-l", "authPriv", "-e", "0x8000000001020304"];
    let keys = ["-a", "SHA", "-A", "authentication", "-x", "AES-256-C", "-X", "privacy of all"];
    let mut n_sent = 0;
    while it.counted("values") == 0 {
        // Until the name is resolved the address belongs to no host.
        let said = [&options[..], &keys, &["ADDRESS", "7", COLD_START]].concat();
        if it.send("snmptrap", &said).await.is_none() {
            return;
        }
        n_sent += 1;
        assert!(
            n_sent < 60,
            "refused: {}, unknown: {}",
            it.counted("refused"),
            it.counted("unknown")
        );
        wait_until("it is looked at", PATIENCE, || it.counted("received") == n_sent);
    }
    assert!(texts(&it.server, 10, 1).await[0].contains(COLD_START));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_cut_and_counted_and_traps_go_on() {
    let queue_max = 50.try_into().expect("more than none");
    let hosts = [device(1, "127.0.0.1", &["snmptrap[.1.3.6.1.6.3.1.1.5.1]"])];
    let it = Receiver::start(hosts, SnmpTrapSettings { queue_max, ..Default::default() }).await;
    if program("snmptrap").is_none() {
        return;
    }
    let to = it.address;
    let n = 30_000;
    let flood = spawn_blocking(move || {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
        let trap = link_down();
        let noise = [0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0x02];
        for at in 0..n {
            // Datagrams without room in the kernel are lost as on any network.
            drop(socket.send_to(if at % 3 == 0 { &noise[..] } else { &trap }, to));
        }
    });
    flood.await.expect("no panic");
    let all = || it.counted("received") + it.counted("dropped") + it.counted("refused");
    let mut before = 0;
    wait_until("the flood is over", PATIENCE, || {
        let now = all();
        std::mem::replace(&mut before, now) == now && now > 0
    });
    assert!(
        it.counted("refused") > 0 && it.counted("received") > 0,
        "{}",
        it.server.registry.render()
    );
    assert!(all() <= n, "each is counted once");
    wait_until("each trap that was received is looked up", PATIENCE, || {
        it.counted("unmatched") == it.counted("received")
    });
    let said = ["-v2c", "-c", "x", "ADDRESS", "77", COLD_START];
    let sent = it.send("snmpinform", &said).await.expect("it comes with snmptrap");
    assert!(sent.status.success(), "{sent:?}");
    assert_eq!(texts(&it.server, 10, 1).await.len(), 1);
}

fn link_down() -> Vec<u8> {
    let names = ["1.3.6.1.2.1.1.3.0", "1.3.6.1.6.3.1.1.4.1.0", LINK_DOWN];
    let [uptime, name, link_down] = names.map(|it| Oid::parse(it).expect("a name"));
    let varbinds = [
        Varbind { oid: uptime.as_ref(), value: Value::TimeTicks(7) },
        Varbind { oid: name.as_ref(), value: Value::Oid(link_down.as_ref()) },
    ];
    let pdu = Pdu::new(PduKind::Trap, 1, 0, 0);
    let mut datagram = Vec::new();
    let head = SnmpMessage { version: Version::V2c, community: b"public", pdu };
    SnmpMessage::encode(&head, &varbinds, &mut datagram);
    datagram
}

fn append(path: &Path, text: &str) {
    let file = File::options().create(true).append(true).open(path);
    file.expect("opened").write_all(text.as_bytes()).expect("written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_read_across_rotation_and_restarts() {
    let folder = tempfile::tempdir().expect("a folder is made");
    let path = folder.path().join("traps.log");
    let sources = || TrapSources {
        settings: SnmpTrapSettings { file: Some(path.clone()), ..Default::default() },
        socket: None,
        folder: folder.path().to_owned(),
    };
    let hosts = || [device(1, "192.0.2.7", &["snmptrap[down]", "snmptrap.fallback"])];
    append(&path, "2026-11-25 10:00 ZBXTRAP 192.0.2.7 down before us\n");
    let server = start(hosts(), sources()).await;
    let saved = folder.path().join("snmp_trap_file");
    wait_until("the file is open", PATIENCE, || matches!(saved.try_exists(), Ok(true)));
    append(&path, "2026-11-25 10:01 ZBXTRAP 192.0.2.7 link down\nof two lines\n");
    append(&path, "2026-11-25 10:02 ZBXTRAP 192.0.2.8 down of a stranger\n");
    assert_eq!(texts(&server, 10, 1).await, ["2026-11-25 10:01 link down\nof two lines"]);
    fs::rename(&path, folder.path().join("traps.log.1")).expect("renamed");
    append(&path, "2026-11-25 10:03 ZBXTRAP 192.0.2.7 up\n");
    assert_eq!(texts(&server, 11, 1).await, ["2026-11-25 10:03 up"]);
    assert_eq!(counted(&server, "unknown"), 1);
    let given = fs::metadata(&path).expect("it is there").len().to_string();
    wait_until("its position is kept", PATIENCE, || {
        fs::read_to_string(&saved).is_ok_and(|it| it.trim().ends_with(&format!(" {given}")))
    });
    drop(server);
    append(&path, "2026-11-25 10:04 ZBXTRAP 192.0.2.7 down while nobody looked\n");
    let server = start(hosts(), sources()).await;
    assert_eq!(texts(&server, 10, 1).await, ["2026-11-25 10:04 down while nobody looked"]);
    assert!(server.seen().len() == 1, "nothing twice: {:?}", server.seen());
    fs::write(&path, "").expect("emptied");
    append(&path, "2026-11-25 10:05 ZBXTRAP 192.0.2.7 down again\n");
    assert_eq!(texts(&server, 10, 2).await[1], "2026-11-25 10:05 down again");
}

#[tokio::test(flavor = "multi_thread")]
async fn items_without_traps_have_a_reason() {
    let keys = ["snmptrap[(]", "snmptrap[a,b]", "trap", "snmptrap[@none]", "snmptrap.fallback"];
    let it = Receiver::start([device(1, "127.0.0.1", &keys)], SnmpTrapSettings::default()).await;
    for (id, reason) in [
        (10, "nvalid regular expression"),
        (11, "Too many parameters."),
        (12, "Unsupported item key for this item type."),
        (13, "global regular expression \"none\" does not exist"),
    ] {
        let value = it.server.value_of(id).await;
        assert!(error(&value).contains(reason), "{value:?}");
    }
    assert!(it.server.seen().iter().all(|it| it.item.0 != 14), "it has nothing to say");
}
