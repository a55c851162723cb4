//! A store of history is stopped under load: the server continues unaffected, and the store has
//! every value in the end, once and in order.
//!
//! The long form, of a release build, as long and as fast as is said:
//! `SAKER_OUTAGE_S=600 cargo test --release -p saker --test server outages -- --nocapture --test-threads=1`.

#![allow(clippy::disallowed_methods, reason = "outside of the server there is no clock to ask")]
#![allow(clippy::disallowed_macros, clippy::print_stdout, reason = "figures of the long form")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use peers::{ClickHouse, ClickHouseKind, Postgres};
use serde_json::json;

use crate::remote_stores::ask;
use crate::support::peer::{self, Counts};
use crate::support::{Server, UNSIGNED, now, wait_until};

const DEADLINE: Duration = Duration::from_secs(120);
/// Values a second, if the machine can: of the short form, and of the long one.
const RATES: [i64; 2] = [10_000, 50_000];
const N_ITEMS: i64 = 100;
/// Values of a request.
const SENT_AT_ONCE: i64 = 1_000;
/// Values of the load begin here, and each is one above the one before.
const FIRST_VALUE: i64 = 1_000_000;
/// Values that come during an outage at least: more than the journal may keep where its limit is tried.
const N_MISSED: i64 = 150_000;

/// The values in a store that can be stopped, of all values.
trait Stopped {
    const NAME: &str;
    const PART: &str;
    fn stop(&mut self);
    fn go_on(&mut self);
    /// Rows, and different values, of `n` that were sent.
    fn counts(&self, n: i64) -> (i64, i64);
    /// Values that came after a later one of their item.
    fn n_out_of_order(&self) -> i64;
}

impl Stopped for ClickHouse {
    const NAME: &str = "clickhouse";
    const PART: &str = "history store clickhouse";

    fn stop(&mut self) {
        ClickHouse::stop(self);
    }

    fn go_on(&mut self) {
        ClickHouse::go_on(self);
    }

    fn counts(&self, n: i64) -> (i64, i64) {
        // Item by item, which is how rows are sorted: a set of tens of millions of rows at once takes minutes and
        // gigabytes, and a scan for each part of them takes longer still.
        let mut all = (0, 0);
        let mut residues = BTreeSet::new();
        for item in self.items_of_load().lines() {
            let sql = format!(
                "SELECT count(), uniqExact(value), min(value % {N_ITEMS}), max(value % {N_ITEMS}), max(value) FROM \
                 (SELECT DISTINCT clock, ns, seq, value FROM saker.history_uint \
                 WHERE itemid = {item} AND value >= {FIRST_VALUE})"
            );
            let answer = ask(self, &sql);
            let numbers: Vec<i64> =
                answer.split_whitespace().map(|it| it.parse().unwrap()).collect();
            let [rows, values, least, largest, newest] = numbers[..] else { panic!("{answer}") };
            assert_eq!(least, largest, "values of one item alone");
            assert!(residues.insert(least), "each item has its own values");
            assert!(newest < FIRST_VALUE + n, "nobody has sent {newest}");
            all = (all.0 + rows, all.1 + values);
        }
        all
    }

    fn n_out_of_order(&self) -> i64 {
        // Each value stands one above the row before, in the order of places; item by item, which is how rows
        // are sorted.
        let items = self.items_of_load();
        let of_item = |item: &str| {
            let sql = format!(
                "SELECT value FROM saker.history_uint WHERE value >= {FIRST_VALUE} AND itemid = {item} ORDER BY seq"
            );
            let values = ask(self, &sql);
            let values: Vec<i64> = values.lines().map(|it| it.parse().unwrap()).collect();
            assert!(!values.is_empty());
            values.windows(2).filter(|it| it[1] < it[0]).count()
        };
        i64::try_from(items.lines().map(of_item).sum::<usize>()).unwrap()
    }
}

/// Functions of tests of outages only.
trait LoadItems {
    /// The ids of the items of the load, one a line.
    fn items_of_load(&self) -> String;
}

impl LoadItems for ClickHouse {
    fn items_of_load(&self) -> String {
        let sql = format!(
            "SELECT DISTINCT itemid FROM saker.history_uint WHERE value >= {FIRST_VALUE} ORDER BY itemid"
        );
        ask(self, &sql)
    }
}

impl Stopped for Postgres {
    const NAME: &str = "postgres";
    const PART: &str = "history store postgres";

    fn stop(&mut self) {
        Postgres::stop(self);
    }

    fn go_on(&mut self) {
        Postgres::go_on(self);
    }

    fn counts(&self, _n: i64) -> (i64, i64) {
        let mut client = postgres::Client::connect(&self.url(), postgres::NoTls).unwrap();
        let sql = "select count(*), count(distinct value) from saker_history.history_uint \
                   where value >= 1000000";
        let row = client.query_one(sql, &[]).unwrap();
        (row.get(0), row.get(1))
    }

    fn n_out_of_order(&self) -> i64 {
        let mut client = postgres::Client::connect(&self.url(), postgres::NoTls).unwrap();
        let sql = "select count(*) from (select value, lag(value) over (partition by itemid order by seq) \
                   as before from saker_history.history_uint where value >= 1000000) as pairs \
                   where value < before";
        client.query_one(sql, &[]).unwrap().get(0)
    }
}

/// Sends value after value, each with a millisecond of its own, until it is stopped.
struct Load {
    /// Values that were acknowledged.
    n_sent: AtomicI64,
    is_over: AtomicBool,
}

impl Load {
    fn run(&self, server: &Server, rate: i64, base: i64) {
        let started = Instant::now();
        let mut n = 0;
        while !self.is_over.load(Ordering::SeqCst) {
            let row = |n: i64| {
                let (key, value) = (format!("load.{}", n % N_ITEMS), FIRST_VALUE + n);
                let mut row = peer::row("h", &key, &value.to_string(), base + n / 1_000);
                row["ns"] = (n % 1_000 * 1_000_000).into();
                row
            };
            let rows: Vec<_> = (n..n + SENT_AT_ONCE).map(row).collect();
            let n_rows = u64::try_from(SENT_AT_ONCE).unwrap();
            // One that was kept would be closed by the server if this machine is slow.
            let counts = peer::send(&mut server.connect(), &rows).unwrap();
            assert_eq!(counts, Counts(n_rows, 0, n_rows), "all are taken, whatever is away");
            n += SENT_AT_ONCE;
            self.n_sent.store(n, Ordering::SeqCst);
            // Not faster than is said; on a slow machine it is less.
            let due = Duration::from_millis(u64::try_from(n * 1_000 / rate).unwrap());
            thread::sleep(due.saturating_sub(started.elapsed()));
        }
    }

    fn n_sent(&self) -> i64 {
        self.n_sent.load(Ordering::SeqCst)
    }
}

/// Ends the load also when the test fails.
struct Ends<'a>(&'a Load);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
    }
}

fn outage<S: Stopped>(store: &mut S, env: &[(&str, &str)], level: &str) {
    let seconds = std::env::var("SAKER_OUTAGE_S").map_or(0, |it| it.parse().unwrap());
    let rate = RATES[usize::from(seconds > 0)];
    let server = Server::start_with(env);
    let host = server.host("h");
    for n in 0..N_ITEMS {
        server.trapper_item(&host, &format!("load.{n}"), UNSIGNED);
    }
    server.trapper_item(&host, "flag", UNSIGNED);
    let trigger = server.trigger("flag is up", "last(/h/flag)=1");
    let polled = json!({
        "hostid": host, "name": "polled", "key_": "zabbix[uptime]", "type": 5, "value_type": UNSIGNED,
        "delay": "1s"
    });
    let polled = server.create("item.create", &polled).remove(0);
    // Far enough back that no value is of a time to come.
    let base = now() - 100_000 - seconds * rate / 1_000;
    let load = Load { n_sent: AtomicI64::new(0), is_over: AtomicBool::new(false) };
    let name = S::NAME;
    let values = format!("history_{name}_values_total");
    let behind = format!("saker_history_store_lag_bytes{{store=\"{name}\"}}");
    thread::scope(|scope| {
        let ends = Ends(&load);
        scope.spawn(|| load.run(&server, rate, base));
        wait_until("the store has values", DEADLINE, || {
            load.n_sent() > 10_000 && server.metric(&values) > 0
        });
        let (started, n_before) = (Instant::now(), load.n_sent());
        store.stop();
        wait_until("it is reported", DEADLINE, || {
            server.health_issue(S::PART).is_some_and(|it| it["level"] == level)
        });
        let n_polled = || {
            let params = json!({"itemids": [polled], "history": UNSIGNED, "countOutput": true});
            server.call("history.get", &params).as_str().unwrap().parse::<u64>().unwrap()
        };
        for value in ["1", "0", "1"] {
            let n_polled_before = n_polled();
            server.send("h", "flag", value, now());
            wait_until("the trigger follows", DEADLINE, || {
                server.is_problem(&trigger) == (value == "1")
            });
            wait_until("items are polled", DEADLINE, || n_polled_before < n_polled());
        }
        wait_until(
            "values come meanwhile",
            DEADLINE * 5 + Duration::from_secs(seconds.unsigned_abs()),
            || {
                n_before + N_MISSED <= load.n_sent()
                    && started.elapsed().as_secs() >= seconds.unsigned_abs()
            },
        );
        assert!(server.health_issue(S::PART).is_some(), "it is away all the time");
        let (away, n_missed) = (started.elapsed(), load.n_sent() - n_before);
        store.go_on();
        let started = Instant::now();
        wait_until("it catches up under load", DEADLINE * 5, || {
            server.health_issue(S::PART).is_none() && server.metric(&behind) < 1_000_000
        });
        println!(
            "{}: away for {away:.1?}, {n_missed} values came; behind again after {:.1?}, with {} values",
            S::PART,
            started.elapsed(),
            load.n_sent()
        );
        drop(ends);
    });
    let n = load.n_sent();
    wait_until("all values are there, once", DEADLINE * 5, || store.counts(n) == (n, n));
    wait_until("all is well", DEADLINE, || server.health_issue(S::PART).is_none());
    assert_eq!(store.n_out_of_order(), 0);
}

#[test]
fn clickhouse_is_stopped_under_load() {
    let Some(mut clickhouse) = ClickHouse::start(ClickHouseKind::Debian) else { return };
    let url = clickhouse.url();
    // It is soon further behind than the journal would wait for, and the setting says to wait all the same.
    let env = [
        ("SAKER_CLICKHOUSE_URL", url.as_str()),
        ("SAKER_CLICKHOUSE_PASSWORD", ClickHouse::PASSWORD),
        ("SAKER_JOURNAL_STORE_LAG_BYTES_MAX", "1500000"),
        ("SAKER_JOURNAL_WHEN_STORE_LAGS", "hold"),
    ];
    outage(&mut clickhouse, &env, "failing");
}

#[test]
fn postgres_is_stopped_under_load() {
    let Some(mut postgres) = Postgres::start(None) else { return };
    let url = postgres.url();
    outage(&mut postgres, &[("SAKER_POSTGRES_URL", &url)], "degraded");
}
