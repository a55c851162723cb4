//! Elasticsearch and remote write, against receivers that read their forms strictly.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::formats::remote_write::tests::read;
use crate::registry::LagLimits;
use crate::rows::Wanted;
use crate::targets::{Elasticsearch, ElasticsearchSettings, RemoteWrite, RemoteWriteSettings};
use crate::testing::{Bench, MemPlace, Receiver, answer, run};
use crate::{ExportConfiguration, ExportTurn};

fn elasticsearch(bench: &Bench, receiver: Arc<Receiver>) -> Box<Elasticsearch> {
    let settings = ElasticsearchSettings {
        url: "http://192.0.2.1:9200/".to_owned(),
        user: String::new(),
        password: String::new(),
        index: "saker".to_owned(),
        wanted: Wanted { values: true, trends: true, events: true, states: false },
        time: Duration::from_secs(5),
        tls_verify: true,
    };
    let configuration = Arc::clone(&bench.configuration) as Arc<dyn ExportConfiguration>;
    let identity = bench.journal.identity();
    let place = Box::new(MemPlace::default());
    Box::new(Elasticsearch::new(settings, identity, configuration, receiver, place))
}

/// Documents by index and id, as a bulk request is read; panics over malformed ones.
fn documents(body: &[u8]) -> Vec<(String, String, serde_json::Value)> {
    let text = std::str::from_utf8(body).expect("text");
    assert!(text.ends_with('\n'), "the last line ends too");
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.chunks(2).map(|pair| {
        let [action, document] = pair else { panic!("an action without its document") };
        let action: serde_json::Value = serde_json::from_str(action).expect("an action");
        let index = action.get("index").expect("an index action");
        let text = |name| index.get(name).and_then(|it| it.as_str()).expect("a text").to_owned();
        (text("_index"), text("_id"), serde_json::from_str(document).expect("a document"))
    });
    pairs.collect()
}

#[test]
fn failed_parts_of_a_bulk_are_sent_again_once() {
    let bench = Bench::new(LagLimits::default());
    let stored: Arc<Mutex<BTreeMap<(String, String), serde_json::Value>>> = Arc::default();
    let (of_receiver, n) = (Arc::clone(&stored), AtomicUsize::new(0));
    let receiver = Receiver::new(move |request| {
        if request.method == "PUT" {
            assert_eq!(request.url, "http://192.0.2.1:9200/_index_template/saker");
            return answer(200, "{\"acknowledged\":true}");
        }
        assert_eq!(request.url, "http://192.0.2.1:9200/_bulk");
        let n = n.fetch_add(1, Ordering::Relaxed);
        match n {
            0 => return answer(429, "busy"),
            1 => return answer(503, "broken"),
            _ => {}
        }
        let mut items = Vec::new();
        for (at, (index, id, document)) in documents(request.body).into_iter().enumerate() {
            let status = match (n, at) {
                (2, 1) => 429,
                (2, 2) => 503,
                _ if document.get("value") == Some(&5.into()) => 400,
                _ => 201,
            };
            if status == 201 {
                of_receiver.lock().expect("sound").insert((index, id), document);
                items.push(serde_json::json!({"index": {"status": 201}}));
            } else {
                let error = serde_json::json!({"type": "x", "reason": "because"});
                items.push(serde_json::json!({"index": {"status": status, "error": error}}));
            }
        }
        // The answer of one is lost: all of it comes again.
        if n == 3 {
            return Err("Timeout was reached".to_owned());
        }
        let errors = items.iter().any(|it| it.pointer("/index/error").is_some());
        answer(200, &serde_json::json!({"errors": errors, "items": items}).to_string())
    });
    let mut feed = bench.feed(elasticsearch(&bench, receiver));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(0..8);
    let mut n_turns = 0;
    while run(&mut feed) != ExportTurn::Idle {
        n_turns += 1;
        assert!(n_turns < 20, "it goes on failing");
    }
    let stored = stored.lock().expect("sound");
    let mut values: Vec<u64> = stored
        .values()
        .filter_map(|it| it.get("value").and_then(serde_json::Value::as_u64))
        .collect();
    values.sort_unstable();
    assert_eq!(values, [0, 1, 2, 3, 4, 6, 7]);
    assert!(stored.keys().all(|it| it.0 == "saker-history-2018.02.22"), "{stored:?}");
    let document = stored.values().next().expect("some");
    for (pointer, expected) in [
        ("/host/host", serde_json::json!("web1")),
        ("/key", serde_json::json!("system.cpu.util[,idle]")),
        ("/itemid", serde_json::json!(7)),
        ("/item_tags/0/value", serde_json::json!("cpu")),
        ("/@timestamp", serde_json::json!("2018-02-22T12:58:05.000000000Z")),
    ] {
        assert_eq!(document.pointer(pointer), Some(&expected), "{pointer}");
    }
    assert_eq!(bench.metric("saker_export_dropped_refused_total"), "1");
    assert_eq!(bench.metric("saker_export_rows_total"), "7");
}

fn remote_write(bench: &Bench, receiver: Arc<Receiver>) -> Box<RemoteWrite> {
    let settings = RemoteWriteSettings {
        url: "http://192.0.2.1/api/v1/write".to_owned(),
        user: "u".to_owned(),
        password: "p".to_owned(),
        prefix: "zabbix_".to_owned(),
        time: Duration::from_secs(5),
        tls_verify: true,
    };
    let configuration = Arc::clone(&bench.configuration) as Arc<dyn ExportConfiguration>;
    Box::new(RemoteWrite::new(settings, configuration, receiver, Box::new(MemPlace::default())))
}

#[test]
fn samples_arrive_in_order_of_time_and_refused_ones_stand_alone() {
    let bench = Bench::new(LagLimits::default());
    let refused = bench.clock.wall().millis() + 3_000;
    let receiver = Receiver::new(move |request| {
        let header =
            |name: &str| request.headers.iter().find(|it| it.0 == name).map(|it| it.1.as_str());
        assert_eq!(header("Content-Encoding"), Some("snappy"));
        assert_eq!(header("Content-Type"), Some("application/x-protobuf"));
        assert_eq!(header("X-Prometheus-Remote-Write-Version"), Some("0.1.0"));
        assert_eq!(header("Authorization"), Some("Basic dTpw"));
        let is_bad = read(request.body)
            .timeseries
            .iter()
            .any(|it| it.samples.iter().any(|it| it.timestamp == refused));
        answer(if is_bad { 400 } else { 204 }, "out of order sample")
    });
    let mut feed = bench.feed(remote_write(&bench, Arc::clone(&receiver)));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    for at in 0..6 {
        bench.append(at..at + 1);
        bench.clock.advance(Duration::from_secs(1));
    }
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    let sent: Vec<(f64, i64)> = receiver
        .bodies()
        .iter()
        .flat_map(|it| read(it).timeseries)
        .flat_map(|it| it.samples)
        .map(|it| (it.value, it.timestamp))
        .collect();
    let values: Vec<f64> = sent.iter().map(|it| it.0).collect();
    assert_eq!(values, [0.0, 1.0, 2.0, 4.0, 5.0]);
    assert!(sent.is_sorted_by_key(|it| it.1));
    assert_eq!(bench.metric("saker_export_dropped_refused_total"), "1");
}
