//! The load in addition to the devices: pushed values, problems, edits, discovery, old events.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::super::client::Client;
use super::super::load::{Connection, frame};
use super::super::oracle::number;
use super::super::process::Server;
use super::super::settle::wait_for;
use crate::common::BenchError;

/// Values of a request.
const PER_REQUEST: usize = 1_000;
const DAY_S: i64 = 86_400;
/// Rows of discovery.
const ROWS: usize = 20;
/// Devices whose stored values are read.
const READ: usize = 20;

/// Items that values are pushed to, and the two with a trigger.
pub(super) struct LoadTemplate {
    pub(super) id: String,
    /// One of its items.
    item: String,
}

impl LoadTemplate {
    pub(super) fn create(client: &Client, n: usize, texts: bool) -> Result<Self, BenchError> {
        let group = client.ids("templategroup.create", &json!({"name": "Bench load"}))?.remove(0);
        let template = json!({"host": "Bench load", "groups": [{"groupid": group}]});
        let id = client.ids("template.create", &template)?.remove(0);
        let item = |key: String, value_type: u8| json!({"hostid": id, "name": key, "key_": key, "type": 2, "value_type": value_type});
        let is_text = |it: usize| texts && it % 2 == 1;
        let pushed = (0..n).map(|it| item(format!("load[{it}]"), if is_text(it) { 4 } else { 0 }));
        let watched = ["probe", "old"].map(|it| item(it.to_owned(), 3));
        let items: Vec<Value> = pushed.chain(watched).collect();
        let items = client.ids("item.create", &json!(items))?;
        let triggers = [("Probe", "probe"), ("Old", "old")];
        client.create_triggers(triggers.into_iter().map(|(name, key)| {
            json!({"description": name, "priority": 3,
                "expression": format!("last(/Bench load/{key})=1")})
        }))?;
        Ok(Self { id, item: items.first().cloned().unwrap_or_default() })
    }
}

/// Devices whose problem begins and ends: the first, and each so many.
#[derive(Clone, Copy)]
pub(super) struct Probes {
    pub(super) n: usize,
    pub(super) step: usize,
}

impl Probes {
    pub(super) fn send(self, server: &Server, is_problem: bool) -> Result<(), BenchError> {
        let devices: Vec<usize> = (0..self.n).map(|it| it * self.step).collect();
        send(server, &devices, "probe", (u8::from(is_problem), None))
    }
}

/// A value of an item of each of the devices, with its clock if it has one.
fn send(
    server: &Server,
    devices: &[usize],
    key: &str,
    (value, clock): (u8, Option<i64>),
) -> Result<(), BenchError> {
    let mut packet = Vec::new();
    let clock = clock.map_or_else(String::new, |it| format!(r#","clock":{it}"#));
    for part in devices.chunks(PER_REQUEST) {
        let mut body = r#"{"request":"sender data","data":["#.to_owned();
        for (at, device) in part.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(
                body,
                r#"{comma}{{"host":"bench-{device}","key":"{key}","value":"{value}"{clock}}}"#
            )
            .expect("writing to a String succeeds");
        }
        body.push_str("]}");
        frame(&body, &mut packet);
        let (processed, _failed) = Connection::open(server.trapper)?.send(&packet)?;
        if processed != part.len() as u64 {
            return Err(BenchError::Lost { sent: part.len() as u64, processed });
        }
    }
    Ok(())
}

/// Problems of two days ago that begin and end until there are enough events; says how many there are.
pub(super) fn send_old_events(
    server: &Server,
    devices: usize,
    n: usize,
) -> Result<u64, BenchError> {
    let all: Vec<usize> = (0..devices).collect();
    let n_pairs = n.div_ceil(2 * devices.max(1));
    let first = rt::clock::Clock::real().wall().clock() - 2 * DAY_S;
    for (half, clock) in (0..2 * n_pairs).zip(first..) {
        send(server, &all, "old", (u8::from(half % 2 == 0), Some(clock)))?;
    }
    Ok((2 * n_pairs * devices) as u64)
}

/// A client that changes one host after the other, and sometimes an item of the template.
pub(super) struct Edits;

impl Edits {
    /// How long each edit took, in nanoseconds.
    pub(super) fn run(
        server: &Server,
        template: &LoadTemplate,
        is_over: &AtomicBool,
    ) -> Result<Vec<u64>, BenchError> {
        let (client, clock) = (Client::login(server)?, rt::clock::Clock::real());
        let get = json!({"output": ["hostid"], "search": {"host": "bench-"}, "startSearch": true});
        let hosts = client.call("host.get", &get)?;
        let hosts = hosts.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut times_ns = Vec::new();
        for (n, host) in hosts.iter().cycle().enumerate() {
            if is_over.load(Ordering::Relaxed) {
                break;
            }
            let text = format!("change {n}");
            let started_ns = clock.mono_ns();
            client.call("host.update", &json!({"hostid": host["hostid"], "description": text}))?;
            times_ns.push(clock.mono_ns() - started_ns);
            if n % 100 == 50 {
                let item = json!({"itemid": template.item, "description": text});
                client.call("item.update", &item)?;
            }
            wait_for(Duration::from_millis(50));
        }
        Ok(times_ns)
    }
}

/// A host whose rows come and go.
pub(super) struct Discovery {
    host: String,
}

impl Discovery {
    pub(super) fn create(client: &Client) -> Result<Self, BenchError> {
        let group = client.ids("hostgroup.create", &json!({"name": "Bench found"}))?.remove(0);
        let host = json!({"host": "found", "groups": [{"groupid": group}]});
        let host = client.ids("host.create", &host)?.remove(0);
        let rule = json!({"hostid": host, "name": "Rows", "key_": "rows", "type": 2,
            "lifetime_type": 2});
        let rule = client.ids("discoveryrule.create", &rule)?.remove(0);
        let item = json!({"hostid": host, "ruleid": rule, "type": 2, "value_type": 3,
            "name": "Row {#ROW}", "key_": "row[{#ROW}]"});
        client.ids("itemprototype.create", &item)?;
        Ok(Self { host })
    }

    /// Other rows each second; the first ones at the end.
    pub(super) fn run(&self, server: &Server, is_over: &AtomicBool) -> Result<(), BenchError> {
        for first in 1.. {
            if is_over.load(Ordering::Relaxed) {
                break;
            }
            Self::send(server, first)?;
            wait_for(Duration::from_secs(1));
        }
        Self::send(server, 0)
    }

    fn send(server: &Server, first: usize) -> Result<(), BenchError> {
        let rows = (first..first + ROWS).map(|it| json!({"{#ROW}": it.to_string()}));
        let value = Value::Array(rows.collect()).to_string();
        let row = json!({"host": "found", "key": "rows", "value": value});
        let mut packet = Vec::new();
        frame(&json!({"request": "sender data", "data": [row]}).to_string(), &mut packet);
        let (processed, _failed) = Connection::open(server.trapper)?.send(&packet)?;
        if processed == 1 { Ok(()) } else { Err(BenchError::Lost { sent: 1, processed }) }
    }

    /// Whether there are the items of the first rows and no others.
    pub(super) fn is_done(&self, client: &Client) -> Result<bool, BenchError> {
        let get = json!({"output": ["key_"], "hostids": [self.host]});
        let items = client.call("item.get", &get)?;
        let key = |it: &Value| it["key_"].as_str().unwrap_or_default().to_owned();
        let mut keys: Vec<String> = items.as_array().into_iter().flatten().map(key).collect();
        let mut due: Vec<String> = (0..ROWS).map(|it| format!("row[{it}]")).collect();
        keys.sort_unstable();
        due.sort_unstable();
        Ok(keys == due)
    }
}

/// Values of the first items of some devices: one a second, none lost, none twice.
pub(super) fn stored_values_faults(
    client: &Client,
    devices: usize,
    texts: bool,
) -> Result<Vec<String>, BenchError> {
    let mut faults = Vec::new();
    for device in (0..devices).step_by(devices.div_ceil(READ).max(1)) {
        let get = json!({"output": ["itemid", "key_", "value_type"], "host": format!("bench-{device}"),
            "filter": {"key_": ["load[0]", "load[1]"]}});
        let items = client.call("item.get", &get)?;
        for item in items.as_array().into_iter().flatten() {
            let key = item["key_"].as_str().unwrap_or_default();
            if texts && key == "load[1]" && item["value_type"] != "4" {
                faults.push(format!("{key} of device {device} takes no texts"));
            }
            let get = json!({"history": item["value_type"], "itemids": [item["itemid"]],
                "output": ["clock"], "sortfield": "clock", "sortorder": "ASC"});
            let rows = client.call("history.get", &get)?;
            let clocks: Vec<u64> =
                rows.as_array().into_iter().flatten().map(|it| number(&it["clock"])).collect();
            let is_whole = clocks.windows(2).all(|it| it[0] + 1 == it[1]);
            if clocks.is_empty() || !is_whole {
                let n = clocks.len();
                faults.push(format!("{key} of device {device}: {n} values, lost or twice"));
            }
        }
    }
    Ok(faults)
}
