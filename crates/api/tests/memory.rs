//! The memory of answers with very many rows while they are made: a few pieces of them, however long they
//! are.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "server/fake.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod fake;

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};

use db::EventRow;
use db::events::{object, source};
use model::content::{Severity, Tag};
use model::value::Sample;
use model::{EventId, HostId, ItemId, Time, UserId, Value as ItemValue};
use serde_json::{Value, json};

/// Counts the bytes that are in use, and the most there were.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[allow(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: everything is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let before = IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        MOST.fetch_max(before + layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract of this same function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PROBLEMS: u64 = 20_000;
const VALUES: i64 = 500_000;
const ITEMS: usize = 5_000;
/// Items whose values are requested in one order.
const MERGED: u64 = 500;

fn problem(eventid: u64, trigger: u64, host: u64) -> EventRow {
    EventRow {
        eventid: EventId(eventid),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: trigger,
        time: Time::from_clock(1_790_000_000, 5),
        value: 1,
        severity: Severity::Average,
        name: "Disk space is low on the second volume".to_owned(),
        opdata: String::new(),
        tags: vec![Tag { tag: "scope".to_owned(), value: "capacity".to_owned() }],
        hosts: vec![HostId(host)],
        recovers: Vec::new(),
        userid: UserId::NONE,
    }
}

/// Calls a method; returns the bytes of its answer's body, and the most bytes in use in addition. The body is
/// dropped as it arrives, so that only the server's own memory is counted.
fn cost(server: &fake::Server, session: &str, method: &str, params: &Value) -> (usize, usize) {
    let call = json!({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}).to_string();
    let mut stream = TcpStream::connect(server.address).unwrap();
    let request = format!(
        "POST /api_jsonrpc.php HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAuthorization: Bearer {session}\r\n\
         Content-Length: {}\r\n\r\n{call}",
        call.len()
    );
    let before = IN_USE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    stream.write_all(request.as_bytes()).unwrap();
    let mut buffer = [0; 1 << 16];
    let mut head = Vec::new();
    let mut n_bytes = 0;
    loop {
        let n = stream.read(&mut buffer).unwrap();
        if n == 0 {
            break;
        }
        if head.is_empty() {
            head.extend_from_slice(&buffer[..n.min(4_096)]);
        }
        n_bytes += n;
    }
    let head = String::from_utf8_lossy(&head);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains("\"result\":[{"), "{method}: {head}");
    assert!(head.contains("transfer-encoding: chunked"), "{head}");
    (n_bytes, MOST.load(Ordering::Relaxed) - before)
}

#[test]
fn an_answer_of_many_rows_holds_a_few_pieces_of_it() {
    let server = fake::Server::start();
    let admin = server.login();
    let hostid = admin.host("web-1");
    let items: Vec<Value> = (0..ITEMS)
        .map(|it| {
            json!({"hostid": hostid, "name": format!("Load {it}"), "key_": format!("load[{it}]"),
                "type": 2, "value_type": 3})
        })
        .collect();
    let created = admin.call("item.create", json!(items));
    let item: u64 = created["itemids"][0].as_str().unwrap().parse().unwrap();
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "High", "expression": "last(/web-1/load[0])>5"}),
    );
    let (host, trigger) = (hostid.parse().unwrap(), trigger.parse().unwrap());
    let problems = (1..=PROBLEMS).map(|it| problem(it, trigger, host)).collect();
    server.db.events().apply(problems, 1).unwrap();
    server.db.events().flush().unwrap();
    let sample = |it: i64| Sample {
        time: Time::from_clock(1_790_000_000 + it, 0),
        value: ItemValue::Unsigned(it.cast_unsigned()),
    };
    let mut values = server.world.values.lock().unwrap();
    values.insert(ItemId(item), (0..VALUES).map(sample).collect());
    let merged: Vec<u64> = (1..=MERGED).map(|it| item + it).collect();
    for id in &merged {
        values.insert(ItemId(*id), (0..VALUES / MERGED.cast_signed()).map(sample).collect());
    }
    drop(values);
    let by_clock = json!({"history": 3, "itemids": merged, "sortfield": "clock",
        "sortorder": "DESC", "limit": VALUES / 2});

    // Memory in addition to the pieces: lists of the objects to write, one page of events or values.
    for (method, params, more) in [
        ("problem.get", json!({"selectTags": "extend"}), 1 << 20),
        ("event.get", json!({"selectTags": "extend"}), 8 << 20),
        ("history.get", json!({"history": 3, "itemids": [item]}), 2 << 20),
        ("history.get", by_clock, 5 << 20),
        ("item.get", json!({"selectHosts": ["name"]}), 1 << 20),
    ] {
        // Once before, for caches that are built once.
        cost(&server, &admin.id, method, &params);
        let (n_bytes, most) = cost(&server, &admin.id, method, &params);
        assert!(3 << 20 < n_bytes, "{method} answered {n_bytes} bytes");
        println!("{method}: {most} bytes held, {n_bytes} sent");
        assert!(most < (2 << 20) + more, "{method}: {most} bytes for {n_bytes}");
    }
}
