//! The cost of a remote store: `cargo bench -p stores --bench feed`.
//!
//! Values of the mix of `cargo bench -p history --bench storage` (40 % gauges with noise and two
//! decimals, 30 % counters, 20 % that change once a day or so, 10 % of no pattern), one item in a
//! hundred with a line of text instead, go from a journal to the real ClickHouse and PostgreSQL:
//! values a second, CPU a value here and there, bytes a value at rest. `SAKER_FEED_VALUES` says how
//! many.
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

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use history::{FeedTurn, Feeder, FeederSettings, Flush};
use journal::Journal;
use model::record::{RecordBuilder, RecordHead};
use model::{Classes, ItemId, Retention, Time, ValueType};
use peers::{ClickHouse, ClickHouseKind, Postgres};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::process_stat::{ProcessStat, TICKS_PER_SECOND};

const N_ITEMS: u64 = 2_000;
const START_MS: i64 = 1_790_000_000_000;

struct Source {
    random: u64,
    state: Vec<f64>,
}

impl Source {
    /// Between 0 and 1.
    fn random(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn next(&mut self, item: u64, time: Time, record: &mut RecordBuilder) {
        let (random, id) = (self.random(), ItemId(10_000 + item));
        let state = &mut self.state[item as usize];
        match item % 10 {
            _ if item % 100 == 99 => {
                let text = format!("GET /api/hosts/{} 200 {random:.6} s", (random * 1e4) as u64);
                record.text(id, time, ValueType::Text, &text);
            }
            0..=3 => {
                *state += (random - 0.5) * 4.0;
                record.float(id, time, (*state * 100.0).round() / 100.0);
            }
            4..=6 => {
                *state = (*state + random * 100_000.0).floor();
                record.unsigned(id, time, *state as u64);
            }
            7..=8 => {
                if random < 1.0 / 1_440.0 {
                    *state += 1.0;
                }
                record.unsigned(id, time, *state as u64);
            }
            _ => record.float(id, time, random),
        }
    }
}

/// A journal with so many values, a minute of all items after the other.
fn journal(dir: &Path, n_values: u64) -> Journal {
    let settings = journal::JournalSettings::default();
    let (journal, _) =
        Journal::open(Arc::new(disk::OsDisk), &dir.join("journal"), settings).expect("opens");
    let mut source = Source {
        random: 0x9e37_79b9_7f4a_7c15,
        state: (0..N_ITEMS).map(|it| it as f64 * 7.0).collect(),
    };
    let mut record = RecordBuilder::new();
    for minute in 0..(n_values / N_ITEMS).cast_signed() {
        record.start(RecordHead::default());
        record.classes(Classes { history: Retention::Forever, ..Classes::default() });
        let time = Time::from_millis(START_MS + minute * 60_000);
        (0..N_ITEMS).for_each(|item| source.next(item, time, &mut record));
        journal.append(record.finish(), 0).expect("written");
    }
    journal.sync_once().expect("synced");
    journal
}

/// Seconds that a process has computed, and, where asked for, those that it has started.
fn cpu_s(id: u32, with_children: bool) -> f64 {
    let processes = fs::read_dir("/proc").expect("there is a /proc");
    let ids = processes.filter_map(|it| it.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let ticks = ids.filter_map(|it| {
        let stat = ProcessStat::of(it)?;
        let is_its = it == id || with_children && stat.parent == id;
        let of_children = if with_children { stat.children_cpu_ticks } else { 0 };
        is_its.then_some(stat.cpu_ticks + of_children)
    });
    ticks.sum::<u64>() as f64 / TICKS_PER_SECOND as f64
}

fn feed(name: &str, store: Arc<dyn Flush>, n_values: u64, id: u32, bytes: impl Fn() -> f64) {
    let dir = tempfile::tempdir().expect("a folder");
    let journal = journal(dir.path(), n_values);
    let feeder =
        Feeder::new(journal, FeederSettings::default(), (&Registry::new(), &Health::default()));
    let mut feed = feeder.add("far", store);
    let (started, ours, theirs) =
        (Instant::now(), cpu_s(std::process::id(), false), cpu_s(id, true));
    loop {
        match feed.turn(true) {
            FeedTurn::More => {}
            FeedTurn::Idle => break,
            other => panic!("{name}: {other:?}"),
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let (ours, theirs) = (cpu_s(std::process::id(), false) - ours, cpu_s(id, true) - theirs);
    let n = n_values as f64;
    println!("{name}: {n_values} values, {:.0} a second", n / seconds);
    println!("{name}: CPU ns a value: ours {:.0}, theirs {:.0}", ours * 1e9 / n, theirs * 1e9 / n);
    println!("{name}: bytes a value at rest: {:.2}", bytes() / n);
}

fn ask(server: &ClickHouse, sql: &str) -> String {
    let mut answer = ureq::post(server.url())
        .header("X-ClickHouse-User", "default")
        .header("X-ClickHouse-Key", ClickHouse::PASSWORD)
        .send(sql)
        .expect("the server answers");
    answer.body_mut().read_to_string().expect("a text")
}

fn clickhouse(name: &str, kind: ClickHouseKind, n_values: u64) {
    let Some(server) = ClickHouse::start(kind) else { return };
    let settings = stores::clickhouse::ClickHouseSettings {
        url: server.url(),
        password: ClickHouse::PASSWORD.to_owned(),
        ..stores::clickhouse::ClickHouseSettings::default()
    };
    let store = stores::ClickHouse::new(settings, Clock::real(), &Registry::new()).expect("sound");
    feed(name, Arc::new(store), n_values, server.id(), || {
        let mut n_rows = 0;
        for table in ["history", "history_uint", "history_text"] {
            let n = ask(&server, &format!("SELECT count() FROM saker.{table}"));
            n_rows += n.trim().parse::<u64>().expect("a number");
            ask(&server, &format!("OPTIMIZE TABLE saker.{table} FINAL"));
        }
        assert_eq!(n_rows, n_values, "all are stored");
        let sql = "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'saker'";
        ask(&server, sql).trim().parse().expect("a number")
    });
}

fn postgres(n_values: u64) {
    let Some(server) = Postgres::start(None) else { return };
    let settings = stores::postgres::PostgresSettings { url: server.url(), ..Default::default() };
    let store = stores::Postgres::new(settings, Clock::real(), &Registry::new()).expect("sound");
    feed("PostgreSQL 15", Arc::new(store), n_values, server.id(), || {
        let mut client =
            ::postgres::Client::connect(&server.url(), ::postgres::NoTls).expect("answers");
        let count = |table: &str, client: &mut ::postgres::Client| -> i64 {
            let sql = format!("select count(*) from saker_history.{table}");
            client.query_one(&sql, &[]).expect("answers").get(0)
        };
        let tables = ["history", "history_uint", "history_text"];
        let n_rows: i64 = tables.iter().map(|it| count(it, &mut client)).sum();
        assert_eq!(n_rows.unsigned_abs(), n_values, "all are stored");
        let sql = "select sum(pg_total_relation_size(c.oid))::float8 from pg_class c \
                   join pg_namespace n on n.oid = c.relnamespace \
                   where n.nspname = 'saker_history' and c.relkind = 'r'";
        client.query_one(sql, &[]).expect("answers").get(0)
    });
}

fn main() {
    // As a test of the program itself, a small one.
    let is_test = !std::env::args().any(|it| it == "--bench");
    let asked = std::env::var("SAKER_FEED_VALUES").ok().and_then(|it| it.parse().ok());
    let n_values = asked.unwrap_or(if is_test { 20_000 } else { 5_000_000 });
    clickhouse("ClickHouse 18.16", ClickHouseKind::Debian, n_values);
    clickhouse("ClickHouse's engine of today", ClickHouseKind::Engine, n_values);
    postgres(n_values);
}
