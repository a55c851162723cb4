//! A server without work sleeps, and the list of its threads is the one of the architecture.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use serde_json::json;

use crate::support::{Server, wait_until};

/// For values of the own host's items: first checks are spread over a minute.
const FIRST: Duration = Duration::from_secs(120);
/// For which wake-ups are counted.
const WINDOW: Duration = Duration::from_secs(20);
/// Twice the figure measured over a minute (20.3), for a machine that is busy. A thread that polls
/// ten times a second exceeds it together with one other.
const SWITCHES_PER_S_MAX: u64 = 40;
const LIST: &str = include_str!("../../../../docs/architecture/workers.md");

/// How often each thread went to sleep, by its id, with its name.
fn switches(process: u32) -> BTreeMap<String, (String, u64)> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let of_task = |task: fs::DirEntry| {
        // A thread may end meanwhile.
        let name = fs::read_to_string(task.path().join("comm")).ok()?;
        let status = fs::read_to_string(task.path().join("status")).ok()?;
        let count = status.lines().find_map(|it| it.strip_prefix("voluntary_ctxt_switches:"));
        let count = count.unwrap().trim().parse().unwrap();
        Some((task.file_name().into_string().unwrap(), (name.trim().to_owned(), count)))
    };
    tasks.filter_map(|it| of_task(it.unwrap())).collect()
}

#[test]
fn idle_server_sleeps() {
    let mut server = Server::start_with_own_host();
    let params =
        json!({"filter": {"key_": "system.uptime"}, "output": ["itemid"], "monitored": true});
    let item = server.call("item.get", &params)[0]["itemid"].as_str().unwrap().to_owned();
    // From then on it is in its normal state.
    wait_until("its own host has values", FIRST, || server.last(&item).is_some());
    let process = server.process().id();
    let (before, clock) = (switches(process), rt::clock::Clock::real());
    let passed = || Duration::from_nanos(clock.mono_ns());
    wait_until("the window is over", 2 * WINDOW, || WINDOW <= passed());
    let (after, seconds) = (switches(process), passed().as_secs());
    let grown = after
        .iter()
        .map(|(id, (name, count))| (name.as_str(), count - before.get(id).map_or(0, |it| it.1)));
    let grown: Vec<_> = grown.filter(|it| it.1 != 0).collect();
    let all: u64 = grown.iter().map(|it| it.1).sum();
    assert!(0 < all, "nothing was counted");
    assert!(all <= SWITCHES_PER_S_MAX * seconds, "{all} in {seconds} s: {grown:?}");
}

/// The first two columns of a list's rows: a worker's name and its thread, without conditions.
fn listed() -> BTreeMap<String, String> {
    let list = LIST.split("## The workers").nth(1).unwrap().split("\n## ").next().unwrap();
    let code = |text: &str| text.split('`').nth(1).map(str::to_owned);
    let row = |line: &str| {
        let mut columns = line.strip_prefix("| `")?.split('|');
        let name = columns.next()?.trim().trim_end_matches('`').to_owned();
        Some((name, code(columns.next()?)?))
    };
    list.lines().filter_map(row).collect()
}

#[test]
fn the_list_of_workers_names_what_runs_with_all_settings() {
    let expected = listed();
    assert!(expected.contains_key("escalations"), "{expected:?}");
    // None of them is there, and each is met when it is.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    let mut server = Server::start_with(&[
        ("SAKER_EXPORT_DIR", path),
        ("SAKER_ELASTICSEARCH_URL", "http://127.0.0.1:1"),
        ("SAKER_REMOTE_WRITE_URL", "http://127.0.0.1:1"),
        ("SAKER_SNMP_TRAPS_FILE", &format!("{path}/traps")),
        ("SAKER_VAULT_URL", "http://127.0.0.1:1"),
        ("SAKER_SYSLOG_LISTEN_UDP", "127.0.0.1:0"),
        ("SAKER_CLICKHOUSE_URL", "http://127.0.0.1:1"),
        ("SAKER_POSTGRES_URL", "postgres://nobody@127.0.0.1:1/none"),
    ]);
    let process = server.process().id();
    let connector = json!({"name": "c", "url": "http://127.0.0.1:1"});
    let connector = server.create("connector.create", &connector).remove(0);
    let of_connector = format!("export-connector-{connector}");
    let running = || -> BTreeMap<String, String> {
        let answer = server.native_get("workers");
        let rows = answer["workers"].as_array().unwrap().iter().map(|it| {
            let text = |field: &str| {
                it[field].as_str().unwrap().replace(&of_connector, "export-connector-ID")
            };
            (text("name"), text("thread"))
        });
        rows.collect()
    };
    // Their threads are there, by the first 15 letters of the names that they take when they run.
    let missing = || -> Vec<&String> {
        let threads: BTreeSet<String> = switches(process).into_values().map(|it| it.0).collect();
        let is_there = |it: &&String| threads.contains(it.get(..15).unwrap_or(it));
        expected.values().filter(|it| !is_there(it)).collect()
    };
    wait_until("the workers of the list are there, each in its thread", FIRST, || {
        running() == expected && missing().is_empty()
    });
    server.call("connector.delete", &json!([connector]));
    wait_until("the worker of the connector has ended", FIRST, || {
        !running().contains_key("export-connector-ID")
    });
}
