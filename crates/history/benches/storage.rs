//! Disk use of stored values, and the cost of reading them: `cargo bench -p history --bench
//! storage`.
//!
//! A month of values in the order in which they come, written as the server writes them (records of the
//! journal, files each hour, merges). The mix: 40 % gauges with noise and two decimals, 30 % counters,
//! 20 % values that change once a day or so, 10 % numbers of no pattern. The figures are of numbers
//! only, so that they compare with VictoriaMetrics
//! (`SAKER_VICTORIA_METRICS=/usr/bin/victoria-metrics`), which gets the same values.
//! `SAKER_STORAGE_ITEMS` and `SAKER_STORAGE_DAYS` make it smaller. `SAKER_STORAGE_BUDGET_MB` is a
//! budget of the disk (`history.disk_budget_bytes`): the run ends with an error if files take more
//! than that once maintenance is through, and prints the most that they took and how many days were
//! left when the oldest were removed.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a benchmark"
)]
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "figures"
)]

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use history::{BucketQuery, LiveStore, RangeQuery};
use journal::Journal;
use model::record::{RecordBuilder, RecordHead};
use model::{Classes, ItemId, Now, Retention, Time, ValueType};
use rt::metrics::Registry;
use rt::process_stat::ProcessStat;

const START_MS: i64 = 1_790_000_000_000;
const MINUTE_MS: i64 = 60_000;
const MINUTES_OF_DAY: i64 = 1_440;
const RECORD_VALUES: u64 = 1_000;

/// The items' values, minute by minute.
struct Source {
    random: u64,
    state: Vec<f64>,
}

impl Source {
    fn new(n_items: u64) -> Self {
        Self {
            random: 0x9e37_79b9_7f4a_7c15,
            state: (0..n_items).map(|it| it as f64 * 7.0).collect(),
        }
    }

    /// Between 0 and 1.
    fn random(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn next(&mut self, item: u64) -> (ValueType, f64) {
        let random = self.random();
        let state = &mut self.state[item as usize];
        match item % 10 {
            0..=3 => {
                *state += (random - 0.5) * 4.0;
                (ValueType::Float, (*state * 100.0).round() / 100.0)
            }
            4..=6 => {
                *state = (*state + random * 100_000.0).floor();
                (ValueType::Unsigned, *state)
            }
            7..=8 => {
                if random < 1.0 / MINUTES_OF_DAY as f64 {
                    *state += 1.0;
                }
                (ValueType::Unsigned, *state)
            }
            _ => (ValueType::Float, random),
        }
    }
}

fn main() {
    let asked = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(usual)
    };
    // As a test of the program itself, a small one.
    let is_test = !std::env::args().any(|it| it == "--bench");
    let n_items = asked("SAKER_STORAGE_ITEMS", if is_test { 100 } else { 2_000 });
    let n_days = asked("SAKER_STORAGE_DAYS", if is_test { 1 } else { 30 }).cast_signed();
    // A test of the program has one that does not hold all.
    let budget_mb = asked("SAKER_STORAGE_BUDGET_MB", 0);
    let budget_bytes = if is_test { 200_000 } else { budget_mb << 20 };
    ours(n_items, n_days, budget_bytes);
    if let Ok(program) = std::env::var("SAKER_VICTORIA_METRICS") {
        theirs(&program, n_items, n_days);
    }
}

/// How a budget of the disk is kept to.
#[derive(Debug, Default)]
struct Kept {
    budget_bytes: u64,
    /// Most that files took between two pieces of maintenance.
    peak_bytes: u64,
    /// How far back values went when it took the oldest, in days: the least.
    days_min: Option<f64>,
}

impl Kept {
    /// Looks at what files take after a piece of maintenance, the last one or not.
    fn look(&mut self, bytes: u64, is_last: bool) {
        self.peak_bytes = self.peak_bytes.max(bytes);
        let is_kept = self.budget_bytes == 0 || !is_last || bytes <= self.budget_bytes;
        assert!(is_kept, "files take {bytes} bytes of {}", self.budget_bytes);
    }

    /// Looks at how many values are left of so many, `n_a_day` of them.
    fn count(&mut self, n_left: u64, n_written: u64, n_a_day: u64) {
        if n_left < n_written {
            let days = n_left as f64 / n_a_day as f64;
            self.days_min = Some(self.days_min.map_or(days, |it| it.min(days)));
        }
    }
}

fn ours(n_items: u64, n_days: i64, budget_bytes: u64) {
    let dir = tempfile::tempdir().expect("a folder");
    let disk = Arc::new(disk::OsDisk);
    let (journal, _) = Journal::open(
        Arc::clone(&disk) as _,
        &dir.path().join("journal"),
        journal::JournalSettings::default(),
    )
    .expect("opens");
    let registry = Registry::default();
    let place = (disk as _, dir.path().join("history"));
    let place = (place.0, place.1.as_path());
    let settings = history::EmbeddedSettings {
        disk_budget_bytes: budget_bytes,
        ..history::EmbeddedSettings::default()
    };
    let kind = history::StoreKind::Embedded(settings);
    let mut kept = Kept { budget_bytes, ..Kept::default() };
    let files = dir.path().join("history");
    let store = history::open(kind, place, journal.clone(), 1, &registry).expect("opens").store;
    let (mut source, mut writer) = (Source::new(n_items), store.writer(0));
    let mut builder = RecordBuilder::new();
    let figure = |name: &str| registry.value(name, None).unwrap_or_default();
    let (mut write_s, mut flush_s, mut merge_s, mut journal_bytes) = (0.0, 0.0, 0.0, 0);
    for minute in 0..n_days * MINUTES_OF_DAY {
        let started = cpu_s(std::process::id());
        let time = Time::from_millis(START_MS + minute * MINUTE_MS);
        for first in (0..n_items).step_by(RECORD_VALUES as usize) {
            builder.start(RecordHead::default());
            builder.classes(Classes { history: Retention::Quarter, ..Classes::default() });
            for item in first..(first + RECORD_VALUES).min(n_items) {
                let id = ItemId(10_000 + item);
                match source.next(item) {
                    (ValueType::Float, value) => builder.float(id, time, value),
                    (_, value) => builder.unsigned(id, time, value as u64),
                }
            }
            let record = builder.finish();
            journal_bytes += record.len();
            writer.commit(record, 0).expect("written");
        }
        write_s += cpu_s(std::process::id()) - started;
        if minute % 60 == 59 {
            let started = cpu_s(std::process::id());
            store.flush_once().expect("flushes");
            flush_s += cpu_s(std::process::id()) - started;
            journal.set_retention(store.cursor()).expect("removes");
            merge_s +=
                merge(&*store, time, &mut |is_last| kept.look(segment_bytes(&files), is_last));
            let n_written = n_items * (minute.cast_unsigned() + 1);
            let n_dropped = figure("saker_history_embedded_over_budget_values_total") as u64;
            kept.count(n_written - n_dropped, n_written, n_items * MINUTES_OF_DAY.cast_unsigned());
        }
    }
    // Half a year later everything may be merged; nothing expires in ours before a quarter.
    let n_values = (n_items.cast_signed() * n_days * MINUTES_OF_DAY) as f64;
    let rest = file_bytes(&dir.path().join("history")) as f64;
    let flushed = figure("saker_history_embedded_flushed_bytes_total");
    let merged = figure("saker_history_embedded_merged_bytes_total");
    println!("values: {n_values}");
    println!("bytes a value at rest: {:.3}", rest / n_values);
    println!("bytes a value in the journal: {:.3}", journal_bytes as f64 / n_values);
    let amplification = (journal_bytes as f64 + flushed + merged) / rest;
    println!("written by bytes at rest, journal included: {amplification:.2}");
    println!("CPU ns a value: record and head {:.1}", write_s * 1e9 / n_values);
    println!("CPU ns a value: files {:.1}", flush_s * 1e9 / n_values);
    println!("CPU ns a value: merges {:.1}", merge_s * 1e9 / n_values);
    if budget_bytes != 0 {
        let days = kept.days_min.unwrap_or(n_days as f64);
        println!(
            "disk budget: {budget_bytes} bytes, at most {} with merges under way",
            kept.peak_bytes
        );
        println!("disk budget: at least {days:.2} days of values left");
        return;
    }
    read(&*store, n_items, n_days);
}

/// All that is due; seconds of CPU. Calls `look` after each piece, with whether it was the last
/// one.
fn merge(store: &dyn LiveStore, wall: Time, look: &mut dyn FnMut(bool)) -> f64 {
    let started = cpu_s(std::process::id());
    let now = Now { wall, mono_ns: (wall.0 as u64).saturating_sub((START_MS as u64) * 1_000_000) };
    loop {
        let goes_on = store.maintain(now).expect("merges");
        look(!goes_on);
        if !goes_on {
            break;
        }
    }
    cpu_s(std::process::id()) - started
}

fn read(store: &dyn LiveStore, n_items: u64, n_days: i64) {
    let end = START_MS + n_days * MINUTES_OF_DAY * MINUTE_MS;
    let mut item = 0;
    let mut next = || {
        item = (item + 7_919) % n_items;
        let kind = match item % 10 {
            0..=3 | 9 => ValueType::Float,
            _ => ValueType::Unsigned,
        };
        (ItemId(10_000 + item), kind)
    };
    let mut times: Vec<Duration> = (0..2_000)
        .map(|_| {
            let (item, kind) = next();
            let (from, till) = (Time::from_millis(end - 86_400_000), Time::from_millis(end));
            let query =
                RangeQuery { item, kind, from, till, limit: usize::MAX, newest_first: false };
            let started = Instant::now();
            assert_ne!(store.range(&query).expect("reads").rows.len(), 0);
            started.elapsed()
        })
        .collect();
    print("a day of one item", &mut times);
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let (item, kind) = next();
            let (from, till) = (Time::from_millis(START_MS), Time::from_millis(end));
            let query = BucketQuery { item, kind, from, till, n_buckets: 1_000 };
            let started = Instant::now();
            assert_ne!(store.buckets(&query).expect("reads").len(), 0);
            started.elapsed()
        })
        .collect();
    print(&format!("{n_days} days of one item in 1,000 buckets"), &mut times);
}

fn print(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!("{what}: median {:.3} ms, p99 {:.3} ms", at(50), at(99));
}

/// Ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("it ends");
    }
}

fn theirs(program: &str, n_items: u64, n_days: i64) {
    let dir = tempfile::tempdir().expect("a folder");
    let address = "127.9.81.1:18428";
    let server = Command::new(program)
        .args(["-retentionPeriod=100y", "-search.disableCache", "-loggerLevel=ERROR"])
        .arg(format!("-httpListenAddr={address}"))
        .arg(format!("-storageDataPath={}", dir.path().display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("VictoriaMetrics starts");
    let running = Running(server);
    let deadline = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(address).is_err() {
        assert!(Instant::now() < deadline, "VictoriaMetrics listens");
        std::thread::yield_now();
    }
    let mut source = Source::new(n_items);
    let mut body = String::new();
    for minute in 0..n_days * MINUTES_OF_DAY {
        let ms = START_MS + minute * MINUTE_MS;
        for item in 0..n_items {
            let (_, value) = source.next(item);
            writeln!(body, "{item},{value},{ms}").expect("memory");
        }
        if body.len() > 16 << 20 || minute == n_days * MINUTES_OF_DAY - 1 {
            post(
                address,
                "/api/v1/import/csv?format=1:label:item,2:metric:v,3:time:unix_ms",
                &body,
            );
            body.clear();
        }
    }
    post(address, "/internal/force_flush", "");
    let import_s = cpu_s(running.0.id());
    post(address, "/internal/force_merge", "");
    // Merges run in the background: until nothing changes for a while.
    let (mut bytes, mut since) = (0, Instant::now());
    let deadline = Instant::now() + Duration::from_secs(600);
    while since.elapsed() < Duration::from_secs(10) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_secs(1));
        let now = file_bytes(&dir.path().join("data"));
        if now != bytes {
            (bytes, since) = (now, Instant::now());
        }
    }
    let n_values = (n_items.cast_signed() * n_days * MINUTES_OF_DAY) as f64;
    println!("VictoriaMetrics: bytes a value at rest {:.3}", bytes as f64 / n_values);
    println!(
        "VictoriaMetrics: CPU ns a value, parsing CSV included {:.1}",
        import_s * 1e9 / n_values
    );
}

fn post(address: &str, path: &str, body: &str) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body.as_bytes()))
        .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
}

/// Of the files of history, also of one that is being written.
fn segment_bytes(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let segments = entries.filter(|it| it.path().extension().is_some_and(|it| it == "segment"));
    segments.filter_map(|it| it.metadata().ok()).map(|it| it.len()).sum()
}

/// Of all files of a folder, as long as they are there.
fn file_bytes(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let bytes = entries.map(|it| match it.metadata() {
        Ok(of) if of.is_dir() => file_bytes(&it.path()),
        Ok(of) => of.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

/// User and system time that a process has used.
fn cpu_s(process: u32) -> f64 {
    ProcessStat::of(process).expect("Linux").cpu_ns() as f64 * 1e-9
}
