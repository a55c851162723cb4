//! Figures of the store: linking, loading, memory an item, events a second.
//!
//! `cargo bench -p db --bench figures -- [HOSTS] [ITEMS] [postgres://…]`
//! (10,000 hosts × 100 items on SQLite by default; a PostgreSQL database must be empty). As part of the tests it runs with
//! 10 hosts × 20 items.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for developers")]
#![allow(clippy::disallowed_methods, reason = "measures time")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use db::events::{object, source};
use db::{Actor, Db, DbSettings, EventRow, Location, ObjectKind};
use model::content::{Severity, Tag};
use model::{EventId, HostId, Time, UserId};
use serde_json::{Map, Value as Json, json};

/// Counts the bytes that are in use.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

#[allow(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: everything is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
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

fn fields(value: Json) -> Map<String, Json> {
    value.as_object().cloned().unwrap()
}

/// Runs and prints the seconds and a rate.
fn timed<T>(what: &str, n: usize, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = run();
    let seconds = start.elapsed().as_secs_f64();
    println!("{what}: {seconds:.2} s ({:.0}/s)", n as f64 / seconds);
    done
}

fn template(db: &Db, n_items: usize) -> HostId {
    db.edit(Actor::System, |e| {
        let request = json!({"host": "Load", "groups": [{"groupid": "1"}]});
        let template = e.create(ObjectKind::Template, fields(request))?;
        for n in 0..n_items {
            let request = json!({
                "hostid": template.to_string(), "name": format!("Item {n}"), "key_": format!("load[{n}]"),
                "type": "2", "value_type": "0", "preprocessing": [{"type": "1", "params": "8"}],
            });
            e.create(ObjectKind::Item, fields(request))?;
        }
        for n in 0..n_items / 5 {
            let request = json!({
                "description": format!("High {n}"), "expression": format!("last(/Load/load[{n}])>90"),
            });
            e.create(ObjectKind::Trigger, fields(request))?;
        }
        Ok(HostId(template))
    })
    .unwrap()
}

fn hosts(db: &Db, n_hosts: usize) -> Vec<HostId> {
    db.edit(Actor::System, |e| {
        let mut hosts = Vec::with_capacity(n_hosts);
        for n in 0..n_hosts {
            let request = json!({
                "host": format!("host{n:05}"), "groups": [{"groupid": "2"}],
                "interfaces": [{
                    "type": "1", "main": "1", "useip": "1", "ip": "127.0.0.1", "dns": "", "port": "10050"
                }],
            });
            hosts.push(HostId(e.create(ObjectKind::Host, fields(request))?));
        }
        Ok(hosts)
    })
    .unwrap()
}

fn events(n: u64) -> Vec<EventRow> {
    let event = |id: u64| EventRow {
        eventid: EventId(id),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: id % 5_000,
        time: Time::from_clock(1_700_000_000, 0),
        value: 1,
        severity: Severity::Average,
        name: format!("Interface {id} is down"),
        opdata: "Current state: down".to_owned(),
        tags: vec![
            Tag { tag: "scope".to_owned(), value: "availability".to_owned() },
            Tag { tag: "component".to_owned(), value: "network".to_owned() },
        ],
        hosts: vec![HostId(10_000 + id % 1_000)],
        recovers: Vec::new(),
        userid: UserId::NONE,
    };
    (1..=n).map(event).collect()
}

fn main() {
    // Cargo says so where it measures.
    let (flags, args): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|it| it.starts_with("--"));
    let is_bench = flags.iter().any(|it| it == "--bench");
    let (n_hosts, n_items, n_events) =
        if is_bench { (10_000, 100, 100_000) } else { (10, 20, 2_000) };
    let mut args = args.into_iter();
    let n_hosts = args.next().map_or(n_hosts, |it| it.parse().unwrap());
    let n_items = args.next().map_or(n_items, |it| it.parse().unwrap());
    let folder = std::env::temp_dir().join(format!("saker-figures-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let location =
        args.next().map_or_else(|| Location::Sqlite(folder.join("saker.db")), Location::Postgres);
    println!("{n_hosts} hosts x {n_items} items, {} triggers on {location}", n_items / 5);
    let settings = DbSettings::new(location);
    let n_rows = n_hosts * n_items;
    let n_triggers = n_hosts * (n_items / 5);

    let db = Db::open(&settings).unwrap();
    let template = template(&db, n_items);
    let hosts = timed("create hosts", n_hosts, || hosts(&db, n_hosts));
    let before = IN_USE.load(Ordering::Relaxed);
    timed("link, rows of items and triggers", n_rows + n_triggers, || {
        db.edit(Actor::System, |e| e.link(&hosts, &[template])).unwrap();
    });
    let linked = IN_USE.load(Ordering::Relaxed);
    println!(
        "snapshot: {:.1} bytes an item (items and triggers of linked hosts)",
        (linked - before) as f64 / n_rows as f64
    );
    let item = db.snapshot().holder(template).unwrap().items[0].id;
    timed("change one template item", n_hosts, || {
        let request = fields(json!({"delay": "7s"}));
        db.edit(Actor::System, |e| e.update(ObjectKind::Item, item.0, request)).unwrap();
    });
    timed("change one host", 1, || {
        let request = fields(json!({"description": "changed"}));
        db.edit(Actor::System, |e| e.update(ObjectKind::Host, hosts[0].0, request)).unwrap();
    });
    drop(db);
    let before = IN_USE.load(Ordering::Relaxed);
    let db = timed("open and load", n_rows + n_triggers, || Db::open(&settings).unwrap());
    let loaded = IN_USE.load(Ordering::Relaxed);
    println!(
        "after loading: {:.1} bytes an item, everything",
        (loaded - before) as f64 / n_rows as f64
    );
    timed("unlink keeping items", n_rows + n_triggers, || {
        db.edit(Actor::System, |e| e.unlink(&hosts, &[template], false)).unwrap();
    });
    timed("link again, adopting", n_rows + n_triggers, || {
        db.edit(Actor::System, |e| e.link(&hosts, &[template])).unwrap();
    });
    timed("unlink and clear", n_rows + n_triggers, || {
        db.edit(Actor::System, |e| e.unlink(&hosts, &[template], true)).unwrap();
    });
    let list = events(n_events);
    timed("events, in batches of 1,000", list.len(), || {
        for (at, batch) in list.chunks(1_000).enumerate() {
            db.events().apply(batch.to_vec(), u64::try_from(at).unwrap() + 1).unwrap();
        }
        db.events().flush().unwrap();
    });
    drop(db);
    std::fs::remove_dir_all(&folder).unwrap();
}
