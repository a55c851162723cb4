//! Graphs of stored values and trends: each value is in the answer once, wherever it is read.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::peer::{self, Counts};
use crate::support::{Server, UNSIGNED, now, wait_until};

const DEADLINE: Duration = Duration::from_secs(60);
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
/// Each hour has three.
const STEP: i64 = 1_200;

/// Numbers of an answer, by where they come from.
#[derive(Clone, PartialEq, Debug)]
struct Totals {
    sources: Vec<String>,
    n: i64,
    min: f64,
    max: f64,
    mean: f64,
    last: f64,
}

fn ask(server: &Server, item: &str, from: i64, to: i64, buckets: i64) -> Totals {
    let path = format!("series?itemids={item}&from={from}&to={to}&buckets={buckets}");
    let answer = server.native_get(&path);
    let series = &answer["series"][0];
    let numbers = |name: &str| -> Vec<f64> {
        series[name].as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect()
    };
    let counts: Vec<i64> =
        series["count"].as_array().unwrap().iter().map(|it| it.as_i64().unwrap()).collect();
    let n: i64 = counts.iter().sum();
    let weighed = numbers("avg").into_iter().zip(&counts).map(|(avg, n)| avg * *n as f64);
    let parts = series["parts"].as_array().unwrap();
    assert_eq!(parts[0]["from"], from, "{parts:?}");
    assert_eq!(parts.last().unwrap()["to"], to, "{parts:?}");
    let name = |it: &Value| it["source"].as_str().unwrap().to_owned();
    Totals {
        sources: parts.iter().map(name).collect(),
        n,
        min: numbers("min").into_iter().reduce(f64::min).unwrap_or(f64::NAN),
        max: numbers("max").into_iter().reduce(f64::max).unwrap_or(f64::NAN),
        mean: weighed.sum::<f64>() / n as f64,
        last: series["last"].as_f64().unwrap_or(f64::NAN),
    }
}

#[test]
fn graphs_join_trends_and_values_and_count_each_value_once() {
    let mut server = Server::start();
    let host = server.host("h");
    let item = server.trapper_item(&host, "k", UNSIGNED);
    let to = now();
    let base = to / HOUR * HOUR - 20 * DAY;
    let times: Vec<i64> = (0..).map(|it| base + it * STEP).take_while(|it| *it <= to).collect();
    let rows: Vec<_> = times
        .iter()
        .zip(0..)
        .map(|(time, it)| peer::row("h", "k", &format!("{it}"), *time))
        .collect();
    for rows in rows.chunks(500) {
        let n = rows.len() as u64;
        assert_eq!(peer::send(&mut server.connect(), rows).unwrap(), Counts(n, 0, n));
    }
    let n_all = i64::try_from(times.len()).unwrap();
    // Numbers from the `first` on.
    let all_from = |first: i64, sources: &[&str]| Totals {
        sources: sources.iter().map(|it| (*it).to_owned()).collect(),
        n: n_all - first,
        min: first as f64,
        max: (n_all - 1) as f64,
        mean: (first + n_all - 1) as f64 / 2.0,
        last: (n_all - 1) as f64,
    };
    let near = |got: &Totals, expect: &Totals| {
        let (a, b) = (got.mean, expect.mean);
        assert!((a - b).abs() < 1e-6 * b, "{got:?} {expect:?}");
        assert_eq!(got, &Totals { mean: a, ..expect.clone() });
    };
    wait_until("all values are stored", DEADLINE, || {
        ask(&server, &item, base, to, 2_000).n == n_all
    });
    let fine = ask(&server, &item, base, to, 2_000);
    near(&fine, &all_from(0, &["history"]));
    // Buckets of 4.8 hours, then one, then one that is an hour exactly.
    for buckets in [100, 1, (to - base) / HOUR] {
        let coarse = ask(&server, &item, base, to, buckets);
        near(&coarse, &all_from(0, &["trends", "history"]));
    }
    // The same of several items at once.
    let other = server.trapper_item(&host, "other", UNSIGNED);
    let path = format!("series?itemids={other},{item}&from={base}&to={to}&buckets=100");
    let both = server.native_get(&path);
    assert_eq!(both["series"][0]["t"], json!([]), "{both}");
    assert_eq!(both["series"][1]["itemid"], json!(item));

    let update = |what: Value| {
        let mut params = json!({ "itemid": item });
        params.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        server.call("item.update", &params);
    };
    // Three days in small buckets, of which two are older than the item's period.
    let three = to / HOUR * HOUR - 3 * DAY;
    let first = (three - base) / STEP;
    near(&ask(&server, &item, three, to, 500), &all_from(first, &["history"]));
    update(json!({ "history": "1d" }));
    near(&ask(&server, &item, three, to, 500), &all_from(first, &["trends", "history"]));
    // An hour that has begun before the window counts as a whole.
    let odd = ask(&server, &item, three + 1_800, to, 500);
    assert_eq!((odd.n, odd.min), (n_all - first, first as f64));
    // Values are not kept: only trends are.
    update(json!({ "history": "0" }));
    let trends = ask(&server, &item, three, to - 2 * HOUR, 500);
    assert_eq!(trends.sources, ["trends"]);
    let till = (to - 2 * HOUR) / HOUR * HOUR + HOUR;
    let n_till = times.iter().filter(|it| three <= **it && **it < till).count();
    assert_eq!(trends.n, i64::try_from(n_till).unwrap());
    // Trends are not kept: values that are stored.
    update(json!({ "history": "31d", "trends": "0" }));
    near(&ask(&server, &item, base, to, 100), &all_from(0, &["history"]));
    // The override for all items counts in their place.
    update(json!({ "trends": "365d" }));
    server.call("housekeeping.update", &json!({ "hk_history_global": 1, "hk_history": "1d" }));
    near(&ask(&server, &item, three, to, 500), &all_from(first, &["trends", "history"]));
    server.stop();
}

#[test]
fn storage_page_counts_existing_files() {
    let mut server = Server::start();
    let host = server.host("h");
    let (large, small) = (
        server.trapper_item(&host, "large", UNSIGNED),
        server.trapper_item(&host, "small", UNSIGNED),
    );
    let to = now();
    let rows: Vec<_> = (0..400)
        .map(|it| {
            peer::row(
                "h",
                "large",
                &format!("{}", (it * 7_919_i64) % 10_007),
                to - 8 * DAY + it * STEP,
            )
        })
        .chain((0..20).map(|it| peer::row("h", "small", "1", to - 1_000 + it)))
        .collect();
    assert_eq!(peer::send(&mut server.connect(), &rows).unwrap(), Counts(420, 0, 420));
    // Files are written at the end.
    server.stop();
    server.start_again();
    let storage = server.native_get("storage");
    assert_eq!(storage["values"]["count"], 420, "{storage}");
    assert_eq!(storage["keeps_history"], true);
    assert_eq!(storage["database"]["kind"], "SQLite");
    assert!(
        storage["database"]["bytes"].as_u64() > Some(0) && storage["disk"]["free_bytes"].is_u64(),
        "{storage}"
    );
    assert_eq!(storage["classes"][0]["days"], 31);
    assert!(storage["classes"][0]["bytes_per_day"].as_u64() > Some(0), "{storage}");
    let largest = server.native_get("storage/largest");
    let ids: Vec<_> = largest["items"].as_array().unwrap().iter().map(|it| &it["itemid"]).collect();
    assert_eq!(ids, [&json!(large), &json!(small)], "{largest}");
    assert_eq!(
        (&largest["is_exact"], &largest["seen_bytes"]),
        (&json!(true), &largest["all_bytes"])
    );
    server.stop();
}

#[test]
fn texts_have_no_trends() {
    let server = Server::start();
    let host = server.host("h");
    let item = server.trapper_item(&host, "text", crate::support::TEXT);
    let to = now();
    let path = format!("series?itemids={item}&from={}&to={to}&buckets=10", to - 300 * DAY);
    let answer = server.native_get(&path);
    assert_eq!(answer["series"][0]["parts"], json!([]), "{answer}");
}
