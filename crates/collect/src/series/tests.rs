//! The outcome of the values of a request, with a shard that refuses some.

use std::sync::Arc;
use std::time::Duration;

use ingress::{Deliveries, Ingress, Outcome, Target, run_lengths};
use model::batch::{RawRef, Refused};
use model::content::{ItemFlags, ItemType};
use model::snapshot::{Host, ItemRow, Snapshot};
use model::{HostId, ItemId, Time};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::task::Tasks;
use rt::worker::{GroupContext, Pass, Roster, WorkerGroup, WorkerMetrics};

use super::{
    PushedMessage, SeriesJudge, SeriesReceiver, SeriesReport, SeriesSettings, SeriesStore,
};
use super::{ROW, SeriesDiscovery};
use crate::fixtures::{discovered, host, item, snapshot};
use crate::{Configuration, Directory, PreviousHost, ResolvedItem};

/// Items whose values a shard refuses, and items that only named hosts may push to.
const REFUSING: u64 = 11;
const RESTRICTED: u64 = 12;
const GONE: u64 = 13;
const DISABLED: u64 = 14;

struct Fixed(Arc<Snapshot>);

impl Directory for Fixed {
    fn epoch(&self) -> u64 {
        1
    }

    fn find(&self, _: &str, _: &str, _: &mut PreviousHost) -> Option<ResolvedItem> {
        None
    }

    fn item(&self, item: ItemId) -> Option<ResolvedItem> {
        (item != ItemId(GONE)).then(|| ResolvedItem {
            target: Target { shard: 0, slot: u32::try_from(item.0).expect("small") },
            item,
            host: HostId(1),
            kind: ItemType::Trapper,
            enabled: item != ItemId(DISABLED),
            allow_traps: false,
            restricted: item == ItemId(RESTRICTED),
        })
    }
}

impl Configuration for Fixed {
    fn directory(&self) -> Arc<dyn Directory> {
        Arc::new(Self(Arc::clone(&self.0)))
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0)
    }
}

struct NoStore;

impl SeriesStore for NoStore {
    fn discover(&self, _: ItemId, _: &str, _: Time) -> Result<(), String> {
        Ok(())
    }

    fn create_host(&self, _: &str) -> Result<(), String> {
        Err("no".to_owned())
    }
}

struct All;

impl SeriesJudge for All {
    fn may_write(&self, _: &Host) -> bool {
        true
    }

    fn may_create(&self) -> bool {
        false
    }
}

/// Series `m1`, `m2` … with the items of these numbers.
fn web(of_series: &[&[u64]]) -> Arc<Snapshot> {
    let mut web = host(1, "web");
    let mut rule = item(2, ItemType::Trapper, "push.series", "0");
    rule.flags = ItemFlags::Rule;
    web.items = vec![rule];
    for (n, items) in (1..).zip(of_series) {
        let of = |id: &u64| -> ItemRow {
            let row = [("{#SERIES}", format!("m{n}"))];
            let row: Vec<_> = row.iter().map(|(name, it)| (*name, it.as_str())).collect();
            let prototype = item(*id, ItemType::Trapper, "s[{#SERIES}]", "0");
            discovered(prototype, &format!("s[m{n}]"), &row)
        };
        web.items.extend(items.iter().map(of));
    }
    web.items.sort_by_key(|it| it.id);
    snapshot(1, [web])
}

/// Refuses values of 400 and more, and all of one item.
async fn shard(queue: Deliveries) {
    while let Some(delivery) = queue.receive().await {
        let batch = &delivery.batch;
        let lengths: Vec<u32> = run_lengths(&batch.runs).collect();
        let mut start = 0_usize;
        for (part, rows) in delivery.parts.into_iter().zip(lengths) {
            let refusal = |row: u32| {
                let at = start + usize::try_from(row).expect("small");
                match batch.value(at) {
                    _ if u64::from(batch.slots[at]) == REFUSING => Some((row, Refused::NoItem)),
                    RawRef::Float(it) if 400.0 <= it => Some((row, Refused::Time)),
                    _ => None,
                }
            };
            let refused: Vec<_> = (0..rows).filter_map(refusal).collect();
            let failed = u32::try_from(refused.len()).expect("small");
            part.settle_rows(Outcome { failed, ..Outcome::processed(rows - failed) }, &refused);
            start += usize::try_from(rows).expect("small");
        }
    }
}

fn settings() -> SeriesSettings {
    SeriesSettings {
        host_labels: vec!["host".to_owned()],
        new_hosts: false,
        host_series_max: 1_000,
        series_max: 1_000,
        new_series_per_minute: 1_000,
        labels_max: 30,
        label_bytes_max: 200,
        lost_after: Duration::from_secs(3_600),
    }
}

/// Pushes points of metrics by OTLP, and returns the report and the counters of values taken,
/// filtered and refused.
fn push(
    of_series: &[&[u64]],
    points: &[(&str, f64)],
) -> (SeriesReport, [Option<f64>; 2], Registry) {
    push_with(of_series, points, |_, _| {}, false)
}

/// As [`push`], with `begin` run on the receiver first. `again`: the request is repeated without a
/// discovery thread, since the series are known by then, with the same result.
fn push_with(
    of_series: &[&[u64]],
    points: &[(&str, f64)],
    begin: impl FnOnce(&Arc<SeriesReceiver>, &GroupContext),
    again: bool,
) -> (SeriesReport, [Option<f64>; 2], Registry) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let registry = Registry::new();
    let clock = Clock::real();
    let tasks = {
        let _inside = runtime.enter();
        Tasks::new("test", &registry)
    };
    let (ingress, mut queues) = {
        let _inside = runtime.enter();
        Ingress::new(1, &clock, &registry)
    };
    runtime.spawn(shard(queues.pop().expect("one")));
    let receiver = Arc::new(SeriesReceiver::new(
        settings(),
        (ingress, Arc::new(Fixed(web(of_series)))),
        Arc::new(NoStore),
        (&clock, &registry),
    ));
    let context = GroupContext {
        tasks: tasks.clone(),
        clock: clock.clone(),
        health: Health::default(),
        metrics: WorkerMetrics::register(&registry),
        roster: Roster::default(),
    };
    begin(&receiver, &context);
    let metrics = points.iter().map(|(name, value)| {
        serde_json::json!({"name": name, "gauge": {"dataPoints": [
            {"asDouble": value, "timeUnixNano": clock.wall().0.to_string()}]}})
    });
    let host = serde_json::json!({"key": "host", "value": {"stringValue": "web"}});
    let body = serde_json::json!({"resourceMetrics": [{
        "resource": {"attributes": [host]},
        "scopeMetrics": [{"metrics": metrics.collect::<Vec<_>>()}],
    }]});
    let body = body.to_string();
    let message = PushedMessage::OtlpJson(body.as_bytes());
    // No series is known yet.
    assert!(runtime.block_on(receiver.push_here(&message, &All)).is_none());
    let requests = || registry.value("saker_series_requests_total", Some("otlp_json"));
    assert_eq!(requests(), None, "it is none yet");
    let report = receiver.push(&message, &All, runtime.handle()).expect("written");
    assert_eq!(requests(), Some(1.0));
    let counted = |name: &str| registry.value(name, None);
    let counts = ["saker_series_values_total", "saker_series_filtered_total"].map(counted);
    if again {
        let second = runtime.block_on(receiver.push_here(&message, &All)).expect("all are known");
        assert_eq!(second.expect("written"), report);
        assert_eq!(requests(), Some(2.0));
    }
    tasks.shutdown().cancel();
    (report, counts, registry)
}

#[test]
fn refusals_of_shards_are_reported_and_not_counted_as_taken() {
    let points = [("m1", 1.0), ("m2", 500.0), ("m1", 2.0), ("m2", 600.0)];
    let (report, counts, registry) = push(&[&[10], &[15]], &points);
    assert_eq!((report.n_taken, report.n_refused, report.n_filtered), (2, 2, 0));
    let why = report.refusal.expect("refused");
    assert!(why.starts_with("m2: its time is more than a day ahead"), "{why}");
    assert_eq!(counts, [Some(2.0), Some(0.0)]);
    assert_eq!(registry.value("saker_series_refused_total", Some("time")), Some(2.0));
}

#[test]
fn a_point_is_taken_if_one_of_its_items_takes_it() {
    let (report, counts, _) = push(&[&[10, REFUSING], &[REFUSING]], &[("m1", 1.0), ("m2", 2.0)]);
    assert_eq!((report.n_taken, report.n_refused), (1, 1));
    assert_eq!(report.refusal.as_deref(), Some("m2: its item is disabled"));
    assert_eq!(counts, [Some(1.0), Some(0.0)]);
}

#[test]
fn restricted_and_deleted_items_refuse_and_disabled_ones_filter() {
    let of_series: [&[u64]; 4] = [&[RESTRICTED], &[GONE], &[DISABLED], &[10]];
    let points = [("m1", 1.0), ("m2", 2.0), ("m3", 3.0), ("m4", 4.0)];
    let (report, counts, registry) = push(&of_series, &points);
    assert_eq!((report.n_taken, report.n_refused, report.n_filtered), (1, 2, 1));
    let why = report.refusal.expect("refused");
    assert_eq!(why, "m1: its item takes values of named hosts only");
    assert_eq!(counts, [Some(1.0), Some(1.0)]);
    for reason in ["restricted", "gone"] {
        let counted = registry.value("saker_series_refused_total", Some(reason));
        assert_eq!(counted, Some(1.0), "{reason}");
    }
}

#[test]
fn known_series_are_pushed_without_a_thread_to_the_same_end() {
    let of_series: [&[u64]; 5] = [&[RESTRICTED], &[GONE], &[DISABLED], &[10], &[15]];
    let points = [("m1", 1.0), ("m2", 2.0), ("m3", 3.0), ("m4", 4.0), ("m5", 500.0)];
    // Points that are refused before shards see them, none, and a point that a shard refuses.
    for (points, n_refused) in [(&points[..4], 2), (&points[2..4], 0), (&points[3..], 1)] {
        let (report, counts, registry) = push_with(&of_series, points, |_, _| {}, true);
        assert_eq!((report.n_taken, report.n_refused), (1, n_refused));
        assert_eq!(counts[0], Some(1.0), "of the first push");
        let both = |name: &str| registry.value(name, None);
        assert_eq!(both("saker_series_values_total"), Some(2.0));
        let refused = both("saker_series_refused_total").or(Some(0.0));
        assert_eq!(refused, Some(2.0 * n_refused as f64));
    }
}

#[test]
fn a_new_series_wakes_the_discovery_that_finds_its_items() {
    let begin = |receiver: &Arc<SeriesReceiver>, context: &GroupContext| {
        let mut group = WorkerGroup::new("series", context);
        group.add(ROW, |wake| SeriesDiscovery::new(Arc::clone(receiver), wake));
        assert_eq!(group.pass(), Pass::WhenWoken, "without series it waits for them alone");
        group.start().expect("a thread");
    };
    // The rule has no prototype for it.
    let (report, counts, registry) = push_with(&[], &[("new", 1.0)], begin, false);
    assert_eq!((report.n_taken, report.n_refused, report.n_filtered), (0, 0, 1));
    assert_eq!(counts, [Some(0.0), Some(1.0)]);
    assert_eq!(registry.value("saker_worker_wakeups_total", Some(ROW.name)), Some(1.0));
}
