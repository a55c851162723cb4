//! Evaluations of triggers that are deferred when the process is killed are made afterwards, each once.

use std::net::SocketAddr;
use std::time::Duration;

use crate::support::kills::kill_in_loads;
use crate::support::peer;
use crate::support::stores::{self, History};
use crate::support::{Server, now, wait_until};
use model::ValueType;
use model::record::{DeferredEvaluationRow, RecordView};
use serde_json::{Value, json};

const FLOAT: u8 = 0;
const MINUTE: i64 = 60;
const N_ITEMS: usize = 40;
/// Values between two late ones: more than history returns beyond the needs of a window, so that
/// each late value's window is cold.
const BETWEEN: i64 = 20;
/// Values that may come late.
const N_LATE: i64 = 120;
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Items, and for each a trigger: an event for each value over 4, by the values of ten seconds.
fn configure(server: &Server, keys: &[String]) -> (Vec<String>, Vec<String>) {
    let host = server.host("h");
    let item = |key: &String| json!({"hostid": host, "name": key, "key_": key, "type": 2, "value_type": FLOAT});
    let trigger = |key: &String| {
        json!({
            "description": key, "expression": format!("max(/h/{key},10s)>4"), "priority": 2,
            "type": 1, "recovery_mode": 2,
        })
    };
    let items = json!(keys.iter().map(item).collect::<Vec<_>>());
    let triggers = json!(keys.iter().map(trigger).collect::<Vec<_>>());
    (server.create("item.create", &items), server.create("trigger.create", &triggers))
}

/// Every third value is a problem.
fn value(number: i64) -> i64 {
    if number % 3 == 0 { 5 } else { 1 }
}

fn late(base: i64, number: i64) -> i64 {
    base - number * BETWEEN * MINUTE - MINUTE / 2
}

/// By how much a record changes how many evaluations are deferred.
fn waiting(record: &RecordView<'_>) -> i64 {
    let change = |row| match row {
        DeferredEvaluationRow::Waits { .. } => 1,
        DeferredEvaluationRow::Left { n, .. } => -i64::from(n),
        DeferredEvaluationRow::Closed { .. } => panic!("nothing is closed by hand"),
    };
    record.deferred_evaluations().map(|it| change(it.unwrap())).sum()
}

/// A low value of each item each minute, of the time before `base`.
fn fill(server: SocketAddr, keys: &[String], base: i64) {
    for number in (1..BETWEEN * N_LATE).rev() {
        let clock = base - number * MINUTE;
        let rows: Vec<_> = keys.iter().map(|it| peer::row("h", it, "1", clock)).collect();
        // A connection each: a slow one is closed.
        let counts = peer::send(&mut peer::connect(server), &rows).unwrap();
        assert_eq!(counts.0, u64::try_from(rows.len()).unwrap());
    }
}

#[test]
fn deferred_evaluations_that_wait_for_windows_survive_a_kill_each_once() {
    let mut server = Server::start();
    let keys: Vec<String> = (0..N_ITEMS).map(|it| format!("k{it}")).collect();
    let (items, triggers) = configure(&server, &keys);
    let base = now() / MINUTE * MINUTE;
    fill(server.trapper(), &keys, base);
    // New windows are complete; after a start windows reach as far as they must.
    server.kill();
    server.start_again();
    // A late value of each item, each older than the one before.
    let rows = |number: i64| -> Vec<Value> {
        let (value, clock) = (value(number).to_string(), late(base, number));
        keys.iter().map(|it| peer::row("h", it, &value, clock)).collect()
    };
    let next = kill_in_loads(&mut server, &rows, waiting, N_LATE / 2);
    // One more event of each.
    let last = late(base, next + 1);
    let rows: Vec<_> = keys.iter().map(|it| peer::row("h", it, "5", last)).collect();
    let counts = peer::send(&mut peer::connect(server.trapper()), &rows).unwrap();
    assert_eq!(counts.0, u64::try_from(N_ITEMS).unwrap());
    wait_until("no evaluation is deferred", WAIT_MAX, || {
        let text = server.metrics();
        let waiting: Vec<&str> = text
            .lines()
            .filter(|it| it.starts_with("saker_shard_deferred_evaluations_waiting{"))
            .collect();
        assert!(!waiting.is_empty(), "each shard reports its number");
        waiting.iter().all(|it| it.ends_with(" 0"))
    });
    server.stop();

    let history = History::open(&server.data());
    let db = stores::database(&server.data());
    let all = stores::events(&db);
    for (item, trigger) in items.iter().zip(&triggers) {
        let values = history.values(item, ValueType::Float);
        let high = values.iter().filter(|it| it.value.as_f64().is_some_and(|it| 4.0 < it));
        let mut wanted: Vec<i64> = high.map(|it| it.time.clock()).collect();
        let trigger: u64 = trigger.parse().unwrap();
        let of_trigger = all.iter().filter(|it| (it.source, it.objectid) == (0, trigger));
        let mut problems: Vec<i64> = of_trigger.map(|it| it.time.clock()).collect();
        wanted.sort_unstable();
        problems.sort_unstable();
        assert_eq!(problems, wanted, "an event for each high value");
    }
}
