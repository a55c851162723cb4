//! Events that wait for their names when the process is killed are there afterwards, each once.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::kills::kill_in_loads;
use crate::support::peer::{self, Counts};
use crate::support::stores::{self, History};
use crate::support::{Server, now, wait_until};
use model::ValueType;
use model::record::{EventAwaitingNameRow, RecordView};
use serde_json::{Value, json};

const FLOAT: u8 = 0;
const HOUR: i64 = 3_600;
const N_ITEMS: usize = 20;
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

/// By how much a record changes how many events wait.
fn waiting(record: &RecordView<'_>) -> i64 {
    let change = |row| match row {
        EventAwaitingNameRow::Waits(_) => 1,
        EventAwaitingNameRow::Left { n, .. } => -i64::from(n),
    };
    record.events_awaiting_names().map(|it| change(it.unwrap())).sum()
}

#[test]
fn events_without_names_survive_a_kill_once() {
    let mut server = Server::start();
    let host = server.host("h");
    let keys: Vec<String> = (0..N_ITEMS).map(|it| format!("k{it}")).collect();
    let items: Vec<String> = keys.iter().map(|it| server.trapper_item(&host, it, FLOAT)).collect();
    let triggers: Vec<String> = keys.iter().map(|it| trigger(&server, it)).collect();
    // A value an hour: each event needs another trend.
    let base = (now() - 600 * HOUR) / HOUR * HOUR;
    let rows = |number: i64| -> Vec<Value> {
        keys.iter().map(|it| peer::row("h", it, "1", base + number * HOUR)).collect()
    };
    let next = kill_in_loads(&mut server, &rows, waiting, 500);
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
    // A problem is closed by hand before the response.
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
