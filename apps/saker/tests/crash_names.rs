//! Events that wait for their names when the process is killed are there afterwards, each once.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod support;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use journal::{Journal, Upto};
use model::ValueType;
use model::record::{HeldRow, RecordView};
use serde_json::json;
use support::peer::{self, Counts};
use support::stores::{self, History};
use support::{Server, now, wait_until};

const FLOAT: u8 = 0;
const HOUR: i64 = 3_600;
const N_ITEMS: usize = 20;
const ROUNDS_MAX: usize = 12;
const WAIT_MAX: Duration = Duration::from_secs(60);

/// A trigger that makes an event for each value; its name has a trend, which is not in memory.
fn trigger(server: &Server, key: &str) -> String {
    let trigger = json!({
        "description": key, "expression": format!("last(/h/{key})>=0"), "priority": 2,
        "type": 1, "recovery_mode": 2, "manual_close": 1,
        "event_name": format!("{{?trendavg(//{key},1h:now/h)}} before {{ITEM.VALUE}}"),
    });
    server.create("trigger.create", &trigger).remove(0)
}

/// How many events wait by what the journal says.
fn waiting(data: &Path) -> i64 {
    let disk = Arc::new(disk::OsDisk);
    let settings = journal::Settings::default();
    let (journal, _) = Journal::open(disk, &data.join("journal"), settings).unwrap();
    let mut reader = journal.reader(journal.first_lsn(), Upto::Written).unwrap();
    let mut n = 0;
    while let Some(it) = reader.next().unwrap() {
        for row in RecordView::parse(it.payload).unwrap().held() {
            match row.unwrap() {
                HeldRow::Waits(_) => n += 1,
                HeldRow::Left { n: left, .. } => n -= i64::from(left),
            }
        }
    }
    n
}

/// A value of each item an hour, until the server is gone; the number that it did not answer.
fn load(server: SocketAddr, keys: &[String], base: i64, next: &AtomicI64) -> i64 {
    let mut stream = peer::connect(server);
    loop {
        let number = next.load(Ordering::Relaxed);
        let clock = base + number * HOUR;
        let rows: Vec<_> = keys.iter().map(|it| peer::row("h", it, "1", clock)).collect();
        let Ok(counts) = peer::send(&mut stream, &rows) else { return number };
        let n = u64::try_from(rows.len()).unwrap();
        assert_eq!(counts, Counts(n, 0, n), "every value is processed");
        next.store(number + 1, Ordering::Relaxed);
    }
}

#[test]
fn events_that_wait_for_their_names_survive_a_kill_each_once() {
    let mut server = Server::start();
    let host = server.host("h");
    let keys: Vec<String> = (0..N_ITEMS).map(|it| format!("k{it}")).collect();
    let items: Vec<String> = keys.iter().map(|it| server.trapper_item(&host, it, FLOAT)).collect();
    let triggers: Vec<String> = keys.iter().map(|it| trigger(&server, it)).collect();
    // A value an hour: each event needs another trend.
    let base = (now() - 600 * HOUR) / HOUR * HOUR;
    let mut next = 0;
    let mut n_cut_off = 0;
    for round in 0..ROUNDS_MAX {
        let (address, n_sent) = (server.trapper(), AtomicI64::new(next));
        let load = thread::scope(|scope| {
            let load = scope.spawn(|| load(address, &keys, base, &n_sent));
            // Killed at any point of the load.
            let wanted = next + 3 + 2 * i64::try_from(round).unwrap();
            wait_until("values are taken", WAIT_MAX, || wanted <= n_sent.load(Ordering::Relaxed));
            server.kill();
            load.join().unwrap()
        });
        // Whether the last one was taken is not known: it is not sent again.
        next = load + 1;
        n_cut_off += usize::from(0 < waiting(&server.data()));
        server.start_again();
        if 3 <= n_cut_off || 500 < next {
            break;
        }
    }
    assert_ne!(n_cut_off, 0, "no kill came while an event waited");
    // One more event of each, which waits behind all others.
    for key in &keys {
        assert_eq!(server.send("h", key, "2", base + (next + 1) * HOUR), Counts(1, 0, 1));
    }
    let events = |trigger: &String| {
        let params = json!({"objectids": [trigger], "output": ["eventid", "clock", "name"]});
        server.call("event.get", &params).as_array().unwrap().clone()
    };
    let last = (base + (next + 1) * HOUR).to_string();
    wait_until("the last events are made", WAIT_MAX, || {
        triggers.iter().all(|it| events(it).iter().any(|it| it["clock"] == *last))
    });
    // What is closed by hand is closed once the answer is there.
    let first = events(&triggers[0])[0]["eventid"].as_str().unwrap().to_owned();
    server.call("event.acknowledge", &json!({"eventids": [&first], "action": 1}));
    server.kill();
    server.start_again();
    wait_until("the closing is made", WAIT_MAX, || {
        let params = json!({"eventids": [&first], "output": ["r_eventid"]});
        server.call("event.get", &params)[0]["r_eventid"] != "0"
    });
    server.stop();

    let history = History::open(&server.data());
    let db = stores::database(&server.data());
    let all = stores::events(&db);
    let ids: BTreeSet<_> = all.iter().map(|it| it.eventid).collect();
    assert_eq!(ids.len(), all.len(), "an id is there twice");
    for (item, trigger) in items.iter().zip(&triggers) {
        let values: Vec<i64> =
            history.values(item, ValueType::Float).iter().map(|it| it.time.clock()).collect();
        let trigger: u64 = trigger.parse().unwrap();
        let of_trigger = all.iter().filter(|it| (it.source, it.objectid) == (0, trigger));
        let problems: Vec<i64> =
            of_trigger.filter(|it| it.value == 1).map(|it| it.time.clock()).collect();
        assert_eq!(problems, values, "an event for each value, in order");
    }
    let n_closed = all.iter().filter(|it| (it.source, it.value) == (0, 0)).count();
    assert_eq!(n_closed, 1, "the one that was closed by hand");
}
