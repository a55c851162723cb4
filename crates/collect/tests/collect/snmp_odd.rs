//! Devices that violate the standard: scripted ones.

use std::net::UdpSocket;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::config::{host, interface, item, snapshot};
use crate::support::{Server, error, text};
use model::content::{InterfaceType, ItemType};
use model::snapshot::Host;
use wire::snmp::{Oid, Pdu, PduKind, SnmpMessage, Value, Varbind};

/// At the first second of a month: items that only the test executes.
const SELDOM: &str = "0;md1h0m0s0";

const TABLE: &str = "1.3.6.1.4.1.9.1";

/// An answer: status, error index and bindings.
type AnswerParts = (i32, i32, Vec<(Oid, Value<'static>)>);

/// A request as a device sees it: how often other objects have been asked for, and the objects of
/// this one.
struct Asked {
    n_before: usize,
    kind: PduKind,
    repetitions: usize,
    oids: Vec<Oid>,
}

/// How many objects each request had; a repeated request counts once.
type Sizes = Arc<Mutex<Vec<usize>>>;

/// A device with an answer to each request; `None`: no answer, not even to the repeated request.
fn scripted(
    mut answer: impl FnMut(&Asked) -> Option<AnswerParts> + Send + 'static,
) -> (u16, Sizes) {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let port = socket.local_addr().expect("bound").port();
    socket.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    let sizes = Sizes::default();
    let noted = Arc::clone(&sizes);
    std::thread::spawn(move || {
        let (mut buffer, mut last) = ([0; 65_536], (0, None));
        while let Ok((len, from)) = socket.recv_from(&mut buffer) {
            let Ok(message) = SnmpMessage::decode(&buffer[..len]) else { continue };
            let id = message.pdu.request_id;
            if last.0 != id {
                let oids: Vec<_> =
                    message.pdu.varbinds.flatten().map(|it| it.oid.to_owned()).collect();
                let mut sizes = noted.lock().expect("no panic");
                let asked = Asked {
                    n_before: sizes.len(),
                    kind: message.pdu.kind,
                    repetitions: usize::try_from(message.pdu.second).expect("not negative"),
                    oids,
                };
                sizes.push(asked.oids.len());
                last = (id, answer(&asked));
            }
            let Some((status, index, bound)) = &last.1 else { continue };
            let varbinds: Vec<_> = bound
                .iter()
                .map(|(oid, value)| Varbind { oid: oid.as_ref(), value: *value })
                .collect();
            let pdu = Pdu::new(PduKind::Response, id, *status, *index);
            let mut out = Vec::new();
            SnmpMessage::encode(&SnmpMessage { pdu, ..message }, &varbinds, &mut out);
            drop(socket.send_to(&out, from));
        }
    });
    (port, sizes)
}

fn oid(text: &str) -> Oid {
    Oid::parse(text).expect("valid")
}

/// Values that identify their object: its last number.
fn values(oids: &[Oid]) -> Vec<(Oid, Value<'static>)> {
    let last = |it: &Oid| it.to_string().rsplit('.').next().map(|it| it.parse().expect("small"));
    oids.iter().map(|it| (it.clone(), Value::Integer(last(it).expect("not empty")))).collect()
}

fn device(id: u64, port: u16, oids: &[impl AsRef<str>]) -> Host {
    let mut it = host(id, &format!("device-{id}"));
    it.interfaces.push(interface(id, InterfaceType::Snmp, "127.0.0.1", port));
    let items = (id * 100..).zip(oids);
    it.items = items.map(|(id, oid)| item(id, ItemType::Snmp, oid.as_ref(), SELDOM)).collect();
    it
}

fn n_requests(sizes: &Sizes) -> usize {
    sizes.lock().expect("no panic").len()
}

/// genErr (5) and tooBig (1), with whatever index the device sends.
#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_many_objects_is_of_none_of_them() {
    let oids: Vec<String> = (1..=20).map(|it| format!(".1.3.6.1.4.1.9.{it}")).collect();
    let errors = [(5, 1), (5, 0), (5, 2), (5, 99), (5, -1), (1, 1), (13, 4), (2, 0)];
    let devices: Vec<_> = errors
        .into_iter()
        .map(|(status, index)| {
            scripted(move |asked| {
                let is_much = 3 < asked.oids.len();
                Some(if is_much {
                    (status, index, Vec::new())
                } else {
                    (0, 0, values(&asked.oids))
                })
            })
        })
        .collect();
    let hosts = (1..).zip(&devices).map(|(id, it)| device(id, it.0, &oids));
    let server = Server::start(snapshot(1, hosts)).await;
    for round in 1..=2 {
        server.execute((1..=errors.len() as u64).flat_map(|id| id * 100..id * 100 + 20));
        let seen = server.until("a round", |it| it.len() >= round * errors.len() * 20).await;
        for it in &seen {
            assert_eq!(text(&it.value), (it.item.0 % 100 + 1).to_string(), "{it:?}");
        }
    }
    for ((_, sizes), what) in devices.iter().zip(errors) {
        // The second time at most three at once, with an attempt at four.
        let sizes = sizes.lock().expect("no panic");
        assert!(sizes.len() <= 40, "{what:?}: {sizes:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_an_error_by_itself_costs_the_others_nothing() {
    let bad = oid("1.3.6.1.4.1.9.7");
    let oids: Vec<String> = (1..=20).map(|it| format!(".1.3.6.1.4.1.9.{it}")).collect();
    let (port, sizes) = scripted(move |asked| {
        let is_bad = asked.oids.contains(&bad);
        Some(if is_bad { (5, 1, Vec::new()) } else { (0, 0, values(&asked.oids)) })
    });
    let server = Server::start(snapshot(1, [device(1, port, &oids)])).await;
    server.execute(100..120);
    let seen = server.until("all", |it| it.len() >= 20).await;
    for it in &seen {
        match it.item.0 {
            106 => assert_eq!(error(&it.value), "SNMP error: (genErr) A general failure occured"),
            id => assert_eq!(text(&it.value), (id - 99).to_string()),
        }
    }
    assert!(n_requests(&sizes) <= 12, "a search by halves: {sizes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn values_find_their_objects_by_name_or_by_being_the_only_ones() {
    let oids: Vec<String> = (1..=5)
        .map(|it| format!("1.3.6.1.4.1.9.{it}"))
        .chain(["get[1.3.6.1.4.1.9.6]".into()])
        .collect();
    let turned = scripted(|asked| Some((0, 0, values(&asked.oids).into_iter().rev().collect())));
    // Each has the name of its table, without the index.
    let renamed = scripted(|asked| {
        let short = |(_, value)| (oid("1.3.6.1.4.1.9"), value);
        Some((0, 0, values(&asked.oids).into_iter().map(short).collect()))
    });
    // Only the third has another name.
    let odd = scripted(|asked| {
        let third = oid("1.3.6.1.4.1.9.3");
        let rename =
            |(name, value)| (if name == third { oid("1.3.6.1.4.1.8.3.0") } else { name }, value);
        Some((0, 0, values(&asked.oids).into_iter().map(rename).collect()))
    });
    // No request gets more than two values.
    let short = scripted(|asked| Some((0, 0, values(&asked.oids).into_iter().take(2).collect())));
    let devices = [turned, renamed, odd, short];
    let hosts = (1..).zip(&devices).flat_map(|(id, it)| {
        let bulk = device(id, it.0, &oids);
        let mut single = device(id + 10, it.0, &oids);
        single.interfaces[0].details.as_mut().expect("SNMP").bulk = false;
        let mut v1 = device(id + 20, it.0, &oids);
        v1.interfaces[0].details.as_mut().expect("SNMP").version = 1;
        [bulk, single, v1]
    });
    let server = Server::start(snapshot(1, hosts)).await;
    let ids = || [1_u64, 11, 21].into_iter().flat_map(|it| it..it + 4);
    server.execute(ids().flat_map(|id| id * 100..id * 100 + 6));
    let seen = server.until("all", |it| it.len() >= 4 * 3 * 6).await;
    for it in &seen {
        assert_eq!(text(&it.value), (it.item.0 % 100 + 1).to_string(), "{it:?}");
    }
    assert_eq!(*devices[0].1.lock().expect("no panic").iter().max().expect("some"), 6);
}

/// A device that returns these rows one after the other, whatever the order of their names.
fn table(rows: &'static [u32], ends: bool) -> (u16, Sizes) {
    scripted(move |asked| {
        let root = oid(TABLE);
        if asked.kind == PduKind::Get {
            return Some((0, 0, vec![(asked.oids[0].clone(), Value::NoSuchInstance)]));
        }
        let name = |row: &u32| root.child([*row]).expect("short");
        let at = rows.iter().position(|it| name(it) == asked.oids[0]).map_or(0, |it| it + 1);
        let n = if asked.kind == PduKind::GetBulk { asked.repetitions } else { 1 };
        let next = |it: &u32| (name(it), Value::Integer((*it).into()));
        let mut bound: Vec<_> = rows[at..].iter().take(n).map(next).collect();
        if bound.len() < n {
            let end = if ends { oid("1.3.6.1.4.1.10.1") } else { name(&rows[0]) };
            bound.push((end, Value::Integer(0)));
        }
        Some((0, 0, bound))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_out_of_order_are_walked_to_their_end() {
    const ROWS: &[u32] = &[1, 2, 48, 19, 7, 50, 3, 60, 61, 4, 5, 6];
    let keys = [
        format!("walk[{TABLE}]"),
        format!("discovery[{{#N}},{TABLE}]"),
        format!("{TABLE}[index,{TABLE},3]"),
    ];
    let (port, _) = table(ROWS, true);
    let mut v1 = device(2, port, &keys[..2]);
    v1.interfaces[0].details.as_mut().expect("SNMP").version = 1;
    let server = Server::start(snapshot(1, [device(1, port, &keys), v1])).await;
    server.execute([100, 101, 200, 201]);
    for id in [100, 200] {
        let walked = server.value_of(id).await;
        let lines: Vec<_> =
            ROWS.iter().map(|it| format!(".{TABLE}.{it} = INTEGER: {it}")).collect();
        assert_eq!(text(&walked), lines.join("\n"));
        let found = server.value_of(id + 1).await;
        let rows: Vec<_> = ROWS
            .iter()
            .map(|it| format!("{{\"{{#SNMPINDEX}}\":\"{it}\",\"{{#N}}\":\"{it}\"}}"))
            .collect();
        let found: serde_json::Value = serde_json::from_str(&text(&found)).expect("JSON");
        let rows: serde_json::Value =
            serde_json::from_str(&format!("[{}]", rows.join(","))).expect("JSON");
        assert_eq!(found, rows);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_never_ends_is_noticed() {
    let keys = [format!("walk[{TABLE}]"), format!("discovery[{{#N}},{TABLE}]")];
    let around = table(&[1, 2, 5, 3, 4], false);
    let same = table(&[1, 2, 2, 2], false);
    let hosts = [device(1, around.0, &keys), device(2, same.0, &keys)];
    let server = Server::start(snapshot(1, hosts)).await;
    server.execute([100, 101, 200, 201]);
    let lines = |rows: &[u32]| {
        let lines = rows.iter().map(|it| format!(".{TABLE}.{it} = INTEGER: {it}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(text(&server.value_of(100).await), lines(&[1, 2, 5, 3, 4]));
    assert_eq!(error(&server.value_of(101).await), "OID loop detected or too many OIDs.");
    assert_eq!(text(&server.value_of(200).await), lines(&[1, 2]));
    assert_eq!(error(&server.value_of(201).await), "OID not changing.");
    assert!(n_requests(&around.1) + n_requests(&same.1) < 12, "{around:?} {same:?}");
}

/// Requests that get no answer however often they are sent: the network may lose several packets.
#[tokio::test(flavor = "multi_thread")]
async fn walk_continues_after_lost_requests() {
    let n_rows = 45_u32;
    let key = format!("walk[{TABLE}]");
    let lost = |lost: &'static [usize], rows_max: usize| {
        scripted(move |asked| {
            if lost.contains(&asked.n_before) || rows_max < asked.repetitions {
                return None;
            }
            let root = oid(TABLE);
            let next = (1..=n_rows).map(|it| root.child([it]).expect("short"));
            let bound = next.filter(|it| asked.oids[0] < *it).take(asked.repetitions);
            let mut bound: Vec<_> = bound.map(|it| (it, Value::Integer(1))).collect();
            if bound.len() < asked.repetitions {
                bound.push((oid("1.3.6.1.4.1.10.1"), Value::Integer(0)));
            }
            Some((0, 0, bound))
        })
    };
    let devices = [lost(&[1], 100), lost(&[1, 3], 100), lost(&[2, 3], 100), lost(&[], 3)];
    let hosts = (1..).zip(&devices).map(|(id, it)| device(id, it.0, &[&key]));
    let settings =
        collect::CollectSettings { timeout: Duration::from_secs(1), ..crate::support::settings() };
    let server = Server::start_as(snapshot(1, hosts), settings, Arc::default()).await;
    server.execute([100, 200, 300, 400]);
    for id in [100, 200, 300, 400] {
        let walked = server.value_of(id).await;
        assert_eq!(text(&walked).lines().count(), 45, "{id}: {walked:?}");
    }
    let n = devices.iter().map(|it| n_requests(&it.1)).collect::<Vec<_>>();
    assert!(n[..3].iter().all(|it| *it <= 10), "as many rows at once as before: {n:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn utf_8_is_text_in_get_and_walk() {
    const TEXTS: [&[u8]; 6] = [
        "Скала \"1\"".as_bytes(),
        // As long as a MAC address.
        "три".as_bytes(),
        b"\xd0\xa1\xd0",
        "тихо\u{1}".as_bytes(),
        b"plain",
        "день\nночь".as_bytes(),
    ];
    let (port, _) = scripted(|asked| {
        let root = oid(TABLE);
        let all = (1..)
            .zip(TEXTS)
            .map(|(n, it)| (root.child([n]).expect("short"), Value::OctetString(it)));
        let mut bound: Vec<_> = if asked.kind == PduKind::Get {
            all.filter(|it| asked.oids.contains(&it.0)).collect()
        } else {
            all.filter(|it| asked.oids[0] < it.0).collect()
        };
        if asked.kind == PduKind::GetBulk {
            bound.push((oid("1.3.6.1.4.1.10.1"), Value::Integer(0)));
        }
        Some((0, 0, bound))
    });
    let plain = (1..=6).map(|it| format!("{TABLE}.{it}"));
    let got = (1..=6).map(|it| format!("get[{TABLE}.{it}]"));
    let keys: Vec<_> = plain.chain(got).chain([format!("walk[{TABLE}]")]).collect();
    let server = Server::start(snapshot(1, [device(1, port, &keys)])).await;
    server.execute(100..113);
    let hex = [
        "D0 A1 D0 BA D0 B0 D0 BB D0 B0 20 22 31 22",
        "D1 82 D1 80 D0 B8",
        "D0 A1 D0",
        "D1 82 D0 B8 D1 85 D0 BE 01",
    ];
    for (id, expected) in [
        (100, hex[0]),
        (101, hex[1]),
        (102, hex[2]),
        (103, hex[3]),
        (104, "plain"),
        (106, "Скала \"1\""),
        (107, hex[1]),
        (108, hex[2]),
        (109, hex[3]),
        (110, "plain"),
        (111, "день\nночь"),
    ] {
        assert_eq!(text(&server.value_of(id).await), expected, "{id}");
    }
    let lines = [
        ".1 = STRING: \"Скала \\\"1\\\"\"",
        ".2 = Hex-STRING: D1 82 D1 80 D0 B8 ",
        ".3 = Hex-STRING: D0 A1 D0 ",
        ".4 = Hex-STRING: D1 82 D0 B8 D1 85 D0 BE 01 ",
        ".5 = STRING: \"plain\"",
        ".6 = STRING: \"день\nночь\"",
    ];
    let lines: Vec<_> = lines.iter().map(|it| format!(".{TABLE}{it}")).collect();
    assert_eq!(text(&server.value_of(112).await), lines.join("\n"));
}
