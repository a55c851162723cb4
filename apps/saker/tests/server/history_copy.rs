//! `saker history copy`: a store is changed, though the copy is killed in the middle, and the
//! server continues.

#![allow(clippy::disallowed_methods, reason = "outside of the server there is no clock to ask")]
#![allow(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "the state at each kill is printed"
)]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use disk::{Disk, OsDisk};
use history::{LiveStore, Trend};
use journal::Journal;
use model::record::{Hour, Num, RecordBuilder, RecordHead, Sum, TrendRow};
use model::value::Sample;
use model::{ItemId, Retention, Time, ValueType};
use peers::{ClickHouse, ClickHouseKind};
use rt::metrics::Registry;

use crate::crash_matrix::rounds;
use crate::remote_stores::ask;
use crate::support::stores::History;
use crate::support::{FLOAT, Server, TEXT, UNSIGNED, now, wait_until};

const WAIT_MAX: Duration = Duration::from_secs(60);
/// More than targets store at once: so a copy has a middle.
const N_NUMBERS: u64 = 350_000;
/// A kill for each twenty of `CRASH_ROUNDS`, and two at least.
const ROUNDS: u64 = 40;
const N_TEXTS: usize = 3;

fn copy(data: &Path, (from, to): (&str, &str), env: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saker"));
    command
        .args(["history", "copy", "--from", from, "--to", to, "--data"])
        .arg(data)
        .env_remove("SAKER_SETTINGS")
        .env_remove("SAKER_DATA")
        .envs(env.iter().copied());
    command
}

fn refusal(output: &Output) -> String {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    said
}

/// A stopped server with numbers at milliseconds of their own, and some texts; and the item of the numbers.
fn stopped() -> (Server, String, i64) {
    let mut server = Server::start();
    let host = server.host("h");
    let item = server.trapper_item(&host, "u", UNSIGNED);
    server.trapper_item(&host, "f", FLOAT);
    server.trapper_item(&host, "t", TEXT);
    let base = now() - 3_000;
    for text in 0..N_TEXTS {
        server.send("h", "t", &format!("line\n\t\"{text}\""), base);
        server.send("h", "f", "-0.1", base);
    }
    server.stop();
    // As the server writes them.
    let (data, disk): (_, Arc<dyn Disk>) = (server.data(), Arc::new(OsDisk));
    let settings = journal::JournalSettings::default();
    let (journal, _) = Journal::open(Arc::clone(&disk), &data.join("journal"), settings).unwrap();
    let place = (disk, data.join("history"));
    let kind = history::StoreKind::default();
    let opened = history::open(kind, (place.0, &place.1), journal, 1, &Registry::new()).unwrap();
    let store: Arc<dyn LiveStore> = opened.store;
    store.replay(&|_| ()).unwrap();
    let id = ItemId(item.parse().unwrap());
    let mut writer = store.writer(0);
    let mut builder = RecordBuilder::new();
    for record in 0..N_NUMBERS / 1_000 {
        builder.start(RecordHead {
            shard: 0,
            n_shards: 1,
            epoch: 1,
            now: Time::from_clock(base, 0),
        });
        for n in record * 1_000..(record + 1) * 1_000 {
            let ms = base * 1_000 + i64::try_from(n).unwrap();
            builder.unsigned(id, Time::from_millis(ms), u64::MAX - n);
        }
        writer.commit(builder.finish(), 0).unwrap();
    }
    // Of hours whose values are gone; the first one came in two parts.
    builder.start(RecordHead { shard: 0, n_shards: 1, epoch: 1, now: Time::from_clock(base, 0) });
    for (hours_ago, count) in [(5_000, 2), (5_000, 1), (200, 3)] {
        builder.trend(&TrendRow {
            item: id,
            hour: Hour::of(Time::from_clock(base - hours_ago * 3_600, 0)),
            retention: Retention::Year,
            count,
            min: Num::Unsigned(u64::from(count)),
            max: Num::Unsigned(u64::MAX),
            sum: Sum::Unsigned(u128::from(u64::MAX) * u128::from(count)),
        });
    }
    writer.commit(builder.finish(), 0).unwrap();
    store.flush_once().unwrap();
    (server, item, base)
}

/// Kills copies in the middle, completes one, and lets the server continue with the target.
fn change_store(
    to: &str,
    env: &[(&str, &str)],
    n_rows: &mut dyn FnMut(&str, &str) -> u64,
) -> Server {
    let (mut server, item, base) = stopped();
    let data = server.data();
    let mut n_before = 0;
    let (mut random, mut n_middle) = (fastrand::Rng::with_seed(peers::seeds(&[1])[0]), 0);
    for _ in 0..rounds(ROUNDS).div_ceil(20).max(2) {
        let mut copy = copy(&data, ("embedded", to), env);
        let mut child = copy.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Each second one before it has stored anything, perhaps: at any time of its first seconds.
        let until = Instant::now() + Duration::from_millis(random.u64(..3_000));
        let is_any_time = random.bool() && 0 < n_before;
        wait_until("a part is copied", WAIT_MAX, || {
            let has_ended = child.try_wait().unwrap().is_some();
            has_ended
                || is_any_time && until <= Instant::now()
                || !is_any_time && n_before < n_rows("history_uint", &item)
        });
        child.kill().unwrap();
        child.wait().unwrap();
        n_before = n_rows("history_uint", &item);
        n_middle += usize::from((1..N_NUMBERS).contains(&n_before));
    }
    println!("{n_middle} kills came when a part was copied");
    // A server that is started now does not feed the unfinished copy.
    for (name, value) in env {
        server.set_env(name, value);
    }
    let output = copy(&data, ("embedded", to), env).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() || said.contains("there is nothing to copy"),
        "{said}{}",
        server.dir().display()
    );
    assert_eq!(n_rows("history_uint", &item), N_NUMBERS);
    assert!(
        refusal(&copy(&data, ("embedded", to), env).output().unwrap()).contains("nothing to copy")
    );

    server.start_again();
    for n in 0..10 {
        server.send("h", "u", "7", base + 2_000 + n);
        server.send("h", "t", "behind", base + 2_000 + n);
    }
    let expected = (N_NUMBERS + 10, (N_TEXTS + 10) as u64);
    let item_of_texts = server.call("item.get", &serde_json::json!({"filter": {"key_": "t"}}));
    let texts = item_of_texts[0]["itemid"].as_str().unwrap();
    wait_until("the server feeds the target", WAIT_MAX, || {
        (n_rows("history_uint", &item), n_rows("history_text", texts)) == expected
    });
    server.stop();
    let found = (n_rows("history_uint", &item), n_rows("history_text", texts));
    assert_eq!(found, expected, "and nothing is doubled");
    server
}

/// All that is stored of the items of [`stopped`].
fn everything(server: &Server, items: &[(String, ValueType)]) -> Vec<(Vec<Sample>, Vec<Trend>)> {
    let history = History::open(&server.data());
    let of = |(item, kind): &(String, ValueType)| {
        let trends = if kind.is_numeric() { history.trends(item, *kind) } else { Vec::new() };
        (history.values(item, *kind), trends)
    };
    items.iter().map(of).collect()
}

/// Brings a server's history to another store and back, with killed copies; all values are the
/// same, and the server continues with them.
fn there_and_back(to: &str, env: &[(&str, &str)]) {
    let (mut server, item, base) = stopped();
    let data = server.data();
    server.start_again();
    let items = server.call("item.get", &serde_json::json!({"output": ["key_"]}));
    server.stop();
    let of = |key: &str, kind| {
        let items = items.as_array().unwrap();
        let item = items.iter().find(|it| it["key_"] == key).unwrap();
        (item["itemid"].as_str().unwrap().to_owned(), kind)
    };
    let items = [(item, ValueType::Unsigned), of("f", ValueType::Float), of("t", ValueType::Text)];
    let before = everything(&server, &items);
    assert_eq!(before[0].0.len() as u64, N_NUMBERS);
    assert!(before[0].1.len() >= 2, "{:?}", before[0].1);
    let output = copy(&data, ("embedded", to), env).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let back = || {
        let mut command = copy(&data, (to, "embedded"), env);
        // So that it has a middle.
        command.args(["--rows", "50000"]);
        command
    };
    let filled = data.join("history.copy");
    let n_files = || std::fs::read_dir(&filled).map_or(0, Iterator::count);
    let mut n_before = 0;
    for _ in 0..2 {
        let mut child = back().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_until("a part is copied", WAIT_MAX, || {
            child.try_wait().unwrap().is_some() || n_before + 2 < n_files()
        });
        child.kill().unwrap();
        child.wait().unwrap();
        n_before = n_files();
    }
    // A server that is started meanwhile has its former values.
    assert_eq!(everything(&server, &items), before);
    let output = back().output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || said.contains("there is nothing to copy"), "{said}");
    assert!(refusal(&back().output().unwrap()).contains("nothing to copy"));
    assert!(!filled.try_exists().unwrap() && data.join("history.before-copy").is_dir());
    assert_eq!(everything(&server, &items), before, "there and back");
    let stats = Command::new(env!("CARGO_BIN_EXE_saker"))
        .args(["history", "verify", "--data"])
        .arg(&data)
        .output()
        .unwrap();
    assert!(stats.status.success(), "{}", String::from_utf8_lossy(&stats.stdout));

    server.start_again();
    server.send("h", "u", "7", base + 2_000);
    server.stop();
    let after = everything(&server, &items);
    assert_eq!(after[0].0.len() as u64, N_NUMBERS + 1, "and nothing is doubled");
    assert_eq!(after[0].0[..before[0].0.len()], before[0].0);
    assert_eq!(after[1..], before[1..]);
}

#[test]
fn history_comes_back_from_clickhouse_as_it_went() {
    let Some(clickhouse) = ClickHouse::start(ClickHouseKind::Debian) else { return };
    let url = clickhouse.url();
    let env = [
        ("SAKER_CLICKHOUSE_URL", url.as_str()),
        ("SAKER_CLICKHOUSE_PASSWORD", ClickHouse::PASSWORD),
    ];
    there_and_back("clickhouse", &env);
}

#[test]
fn history_comes_back_from_postgresql_as_it_went() {
    let Ok(url) = std::env::var("SAKER_TEST_POSTGRES") else {
        peers::left_out("SAKER_TEST_POSTGRES is not set");
        return;
    };
    let schema = format!("saker_copy_back_{}", std::process::id());
    there_and_back(
        "postgresql",
        &[("SAKER_POSTGRES_URL", url.as_str()), ("SAKER_POSTGRES_SCHEMA", &schema)],
    );
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    client.batch_execute(&format!("drop schema {schema} cascade")).unwrap();
}

/// The trends of [`stopped`], hour by hour: number, least, largest, sum.
fn old_trends() -> [String; 2] {
    let row = |min: u64| format!("3 {min} {} {}", u64::MAX, u128::from(u64::MAX) * 3);
    [row(1), row(3)]
}

fn trends(client: &mut postgres::Client, schema: &str) -> Vec<String> {
    let sql = format!(
        "select concat_ws(' ', num, value_min, value_max, value_sum) from {schema}.trends_uint \
         where time < now() - interval '1 day' order by time"
    );
    client.query(&sql, &[]).unwrap().iter().map(|it| it.get(0)).collect()
}

#[test]
fn history_goes_to_clickhouse_and_the_server_goes_on_behind_it() {
    let Some(clickhouse) = ClickHouse::start(ClickHouseKind::Debian) else { return };
    let url = clickhouse.url();
    let env = [
        ("SAKER_CLICKHOUSE_URL", url.as_str()),
        ("SAKER_CLICKHOUSE_PASSWORD", ClickHouse::PASSWORD),
    ];
    let server = change_store("clickhouse", &env, &mut |table, item| {
        // Before the first contact there is no table.
        let tables = format!(
            "SELECT count() FROM system.tables WHERE database = 'saker' AND name = '{table}'"
        );
        if ask(&clickhouse, &tables) == "0\n" {
            return 0;
        }
        let sql = format!("SELECT count() FROM saker.{table} FINAL WHERE itemid = {item}");
        ask(&clickhouse, &sql).trim().parse().unwrap()
    });
    // None is there that nobody has sent, and all are.
    let sql = "SELECT uniqExact(value), max(value) FROM saker.history_uint";
    let expected = format!("{}\t{}\n", N_NUMBERS + 1, u64::MAX);
    assert_eq!(ask(&clickhouse, sql), expected);
    // Parts of an hour are added up.
    let sql = "SELECT num, value_min, value_max, value_sum, value_sum_high FROM saker.trends_uint FINAL \
               WHERE clock < now() - 100000 ORDER BY clock";
    let row = |min: u64| {
        let low = u64::MAX.wrapping_mul(3);
        format!("3\t{min}\t{}\t{low}\t{}\n", u64::MAX, (u128::from(u64::MAX) * 3) >> 64)
    };
    assert_eq!(ask(&clickhouse, sql), format!("{}{}", row(1), row(3)));

    // And from there to another.
    let Ok(url) = std::env::var("SAKER_TEST_POSTGRES") else {
        peers::left_out("SAKER_TEST_POSTGRES is not set");
        return;
    };
    let schema = format!("saker_copy_of_copy_{}", std::process::id());
    let env = [env[0], env[1], ("SAKER_POSTGRES_URL", &url), ("SAKER_POSTGRES_SCHEMA", &schema)];
    let output = copy(&server.data(), ("clickhouse", "postgresql"), &env).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    let sql = format!(
        "select count(*), count(distinct value), (select max(value) from {schema}.history_text) \
         from {schema}.history_uint"
    );
    let row = client.query_one(&sql, &[]).unwrap();
    assert_eq!(trends(&mut client, &schema), old_trends());
    let n = i64::try_from(N_NUMBERS).unwrap();
    assert_eq!((row.get(0), row.get(1)), (n + 10, n + 1));
    assert_eq!(row.get::<_, String>(2), "line\n\t\"2\"");
    client.batch_execute(&format!("drop schema {schema} cascade")).unwrap();
}

#[test]
fn history_goes_to_postgresql_and_the_server_goes_on_behind_it() {
    let Ok(url) = std::env::var("SAKER_TEST_POSTGRES") else {
        peers::left_out("SAKER_TEST_POSTGRES is not set");
        return;
    };
    let schema = format!("saker_copy_{}", std::process::id());
    let env = [("SAKER_POSTGRES_URL", url.as_str()), ("SAKER_POSTGRES_SCHEMA", &schema)];
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    change_store("postgresql", &env, &mut |table, item| {
        let sql = format!("select count(*) from {schema}.{table} where itemid = {item}");
        // Before the first contact there is no table.
        let Ok(row) = client.query_one(&sql, &[]) else { return 0 };
        u64::try_from(row.get::<_, i64>(0)).unwrap()
    });
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    let sql = format!(
        "select count(distinct value)::text, max(value)::text, \
         (select min(value) from {schema}.history_text) from {schema}.history_uint"
    );
    let row = client.query_one(&sql, &[]).unwrap();
    let (n, max): (String, String) = (row.get(0), row.get(1));
    assert_eq!(trends(&mut client, &schema), old_trends());
    assert_eq!((n, max), ((N_NUMBERS + 1).to_string(), u64::MAX.to_string()));
    client.batch_execute(&format!("drop schema {schema} cascade")).unwrap();
}
