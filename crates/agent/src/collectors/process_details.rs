//! All properties of processes, of threads, or of all processes with the same name, as JSON.

use std::collections::BTreeMap;

use nix::unistd::{Gid, Group, Uid, User};
use serde_json::{Map, Value};

use super::key::{Ask, Key};
use super::memory;
use crate::outcome::{Outcome, Refusal, json};
use crate::params::invalid;
use crate::processes::{self, Filter, Process};

pub(crate) const KEYS: &[Key] = &[Key::may_block("proc.get", 4, get)];

/// Rows of one answer: a kernel allows 32,768 processes by default. With more, the item is not
/// supported.
const ROWS_MAX: usize = 100_000;

/// Name and fields of `status`, in bytes.
const SIZES: [(&str, &[&str]); 12] = [
    ("vsize", &["VmSize"]),
    ("rss", &["VmRSS"]),
    ("data", &["VmData"]),
    ("exe", &["VmExe"]),
    ("hwm", &["VmHWM"]),
    ("lck", &["VmLck"]),
    ("lib", &["VmLib"]),
    ("peak", &["VmPeak"]),
    ("pin", &["VmPin"]),
    ("pte", &["VmPTE"]),
    ("size", &["VmExe", "VmData", "VmStk"]),
    ("stk", &["VmStk"]),
];
/// Fields that have no meaning for several processes together.
const OF_ONE: [&str; 2] = ["hwm", "peak"];

fn get(ask: &Ask<'_>) -> Outcome {
    let mode = ask.params.get_or(3, "process");
    if !matches!(mode, "process" | "thread" | "summary") {
        return Err(invalid(3));
    }
    if mode == "thread" && !ask.params.get(2).is_empty() {
        return Err(invalid(2));
    }
    let filter = Filter::new(&ask.params, 2)?;
    let total = memory::total(ask.root)?;
    let mut rows = Vec::new();
    processes::each(ask.root, &filter, |process| {
        if ROWS_MAX < rows.len() {
            return;
        }
        match mode {
            "thread" => rows.extend(threads(process)),
            _ => rows.push(row(process, total)),
        }
    })?;
    if ROWS_MAX < rows.len() {
        return Err(Refusal::from("Too many processes for this check."));
    }
    if mode == "summary" { json(&summary(rows)) } else { json(&rows) }
}

type Row = Map<String, Value>;

fn put(row: &mut Row, name: &str, value: impl Into<Value>) {
    row.insert(name.to_owned(), value.into());
}

fn row(process: &Process<'_>, total: u64) -> Row {
    let mut row = Row::new();
    identify(process, &mut row);
    put(&mut row, "cmdline", process.cmdline());
    owners(process, &mut row);
    for (name, fields) in SIZES {
        let bytes: u64 = fields.iter().filter_map(|it| process.bytes(it)).sum();
        put(&mut row, name, bytes);
        if name == "vsize" {
            put(&mut row, "pmem", percent(process.bytes("VmRSS").unwrap_or(0), total));
        }
    }
    put(&mut row, "swap", process.bytes("VmSwap").unwrap_or(0));
    let folder = format!("/proc/{}", process.pid);
    times(process, &folder, &mut row);
    put(&mut row, "state", state(process));
    put(&mut row, "ctx_switches", switches(process));
    put(&mut row, "threads", number(process, "Threads"));
    put(&mut row, "page_faults", faults(process, &folder));
    put(&mut row, "pss", shared(process));
    row
}

fn identify(process: &Process<'_>, row: &mut Row) {
    put(row, "pid", process.pid.parse::<u64>().unwrap_or(0));
    put(row, "ppid", number(process, "PPid"));
    put(row, "name", process.field("Name").unwrap_or_default());
}

fn owners(process: &Process<'_>, row: &mut Row) {
    let id = |name: &str| {
        let first = process.field(name).and_then(|it| it.split_whitespace().next());
        first.and_then(|it| it.parse::<u32>().ok()).unwrap_or(0)
    };
    let (uid, gid) = (id("Uid"), id("Gid"));
    let user = User::from_uid(Uid::from_raw(uid)).ok().flatten().map(|it| it.name);
    let group = Group::from_gid(Gid::from_raw(gid)).ok().flatten().map(|it| it.name);
    put(row, "user", user.unwrap_or_else(|| uid.to_string()));
    put(row, "group", group.unwrap_or_else(|| gid.to_string()));
    put(row, "uid", uid);
    put(row, "gid", gid);
}

/// The fields of a process, or of a thread below it.
fn stat_fields(process: &Process<'_>, folder: &str) -> Vec<u64> {
    let stat = process.root.read(&format!("{folder}/stat")).unwrap_or_default();
    let rest = stat.rsplit_once(')').map_or("", |it| it.1);
    rest.split_whitespace().map(|it| it.parse().unwrap_or(0)).collect()
}

fn times(process: &Process<'_>, folder: &str, row: &mut Row) {
    let fields = stat_fields(process, folder);
    // In ticks, as the kernel counts them and as Zabbix gives them.
    put(row, "cputime_user", fields.get(11).copied().unwrap_or(0));
    put(row, "cputime_system", fields.get(12).copied().unwrap_or(0));
}

fn faults(process: &Process<'_>, folder: &str) -> u64 {
    stat_fields(process, folder).get(9).copied().unwrap_or(0)
}

fn state(process: &Process<'_>) -> String {
    // `S (sleeping)`
    let field = process.field("State").unwrap_or_default();
    let long = field.split_once('(').map_or(field, |it| it.1);
    long.trim_end_matches(')').to_owned()
}

fn number(process: &Process<'_>, name: &str) -> u64 {
    process.field(name).and_then(|it| it.parse().ok()).unwrap_or(0)
}

fn switches(process: &Process<'_>) -> u64 {
    number(process, "voluntary_ctxt_switches") + number(process, "nonvoluntary_ctxt_switches")
}

/// Memory including its share of pages that several processes use. Root may read all processes,
/// other users their own.
fn shared(process: &Process<'_>) -> u64 {
    let text = process.root.read(&format!("/proc/{}/smaps_rollup", process.pid));
    let text = text.unwrap_or_default();
    let line = text.lines().find_map(|it| it.strip_prefix("Pss:"));
    let kib = line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0).saturating_mul(1024)
}

#[expect(clippy::cast_precision_loss, reason = "a percentage needs no 16th digit")]
fn percent(bytes: u64, total: u64) -> f64 {
    if total == 0 { 0.0 } else { bytes as f64 / total as f64 * 100.0 }
}

fn threads(process: &Process<'_>) -> Vec<Row> {
    let folder = format!("/proc/{}/task", process.pid);
    let ids = process.root.names(&folder).unwrap_or_default();
    let thread = |tid: &String| {
        let status = process.root.read(&format!("{folder}/{tid}/status")).ok()?;
        let own = Process { root: process.root, pid: tid, status };
        let mut row = Row::new();
        identify(process, &mut row);
        owners(process, &mut row);
        put(&mut row, "tid", tid.parse::<u64>().ok()?);
        put(&mut row, "tname", own.field("Name").unwrap_or_default());
        let of = format!("{folder}/{tid}");
        times(process, &of, &mut row);
        put(&mut row, "state", state(&own));
        put(&mut row, "ctx_switches", switches(&own));
        put(&mut row, "page_faults", faults(process, &of));
        Some(row)
    };
    ids.iter().filter_map(thread).collect()
}

/// A row for each name, with the sums of numbers.
fn summary(rows: Vec<Row>) -> Vec<Row> {
    let sums = SIZES.iter().map(|it| it.0).filter(|it| !OF_ONE.contains(it));
    let more =
        ["swap", "cputime_user", "cputime_system", "ctx_switches", "threads", "page_faults", "pss"];
    let sums: Vec<&str> = sums.chain(more).collect();
    let mut by_name: BTreeMap<String, Row> = BTreeMap::new();
    for row in rows {
        let name = row["name"].as_str().unwrap_or_default().to_owned();
        let total = by_name.entry(name.clone()).or_insert_with(|| {
            let mut total = Row::new();
            put(&mut total, "name", name);
            total
        });
        let count = total.get("processes").and_then(Value::as_u64).unwrap_or(0);
        put(total, "processes", count + 1);
        for sum in &sums {
            let number = |it: &Row| it.get(*sum).and_then(Value::as_u64).unwrap_or(0);
            let both = number(total).saturating_add(number(&row));
            put(total, sum, both);
            if *sum == "vsize" {
                let share = |it: &Row| it.get("pmem").and_then(Value::as_f64).unwrap_or(0.0);
                let both = share(total) + share(&row);
                put(total, "pmem", both);
            }
        }
    }
    by_name.into_values().collect()
}
