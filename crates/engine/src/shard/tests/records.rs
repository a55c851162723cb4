//! Effects that do not fit into a record, records that the journal does not take, and full disks.

use super::*;

/// Lengths of all records.
fn record_bytes(journal: &Journal) -> Vec<usize> {
    let mut reader = journal.reader(journal::Lsn(0), journal::Upto::Written).expect("all is there");
    std::iter::from_fn(|| reader.next().expect("whole").map(|it| it.payload.len())).collect()
}

#[tokio::test]
async fn effects_of_a_start_go_into_records_that_fit() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench_with(&tasks, &registry, BIRTH_BYTES_MAX / 2);
    let records = record_bytes(&bench.thread.shared.journal);
    assert_eq!(records.len(), 7, "one for each item");
    assert!(records.iter().all(|it| *it <= BIRTH_BYTES_MAX), "{records:?}");
    bench.thread.shared.step_bytes_max = STEP_BYTES_MAX;
    bench.assert_as_the_journal_says();
    assert_eq!(bench.take(&[&[("a", 1.0), ("change", 2.0)]]), [(2, 0)]);
    bench.configure();
    bench.assert_as_the_journal_says();
    assert_eq!(bench.health.issues(), []);
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn a_record_that_the_journal_never_takes_is_left_out_and_the_shard_goes_on() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    // Nobody looks at the size before the journal does.
    let mut bench = bench_with(&tasks, &registry, usize::MAX);
    assert_eq!(bench.take(&[&[("a", 1.0), ("change", 5.0)]]), [(2, 0)]);
    let target = bench.directory.lookup("host", "text").expect("configured");
    let mut batch = Batch::of_epoch(bench.directory.epoch());
    let text = "x".repeat(60_000);
    let n = u32::try_from(journal::RECORD_BYTES_MAX / text.len() + 1).expect("few");
    for at in 0..n {
        let time = Time::from_clock(NOW - 50_000 + i64::from(at), 0);
        batch.push(target.slot, time, RawRef::Text(&text)).expect("room");
    }
    batch.runs.push(Run { end: n });
    bench.thread.delivery(Delivery { batch, ..Delivery::default() });
    let runs = &bench.thread.effects.runs;
    assert_eq!(runs.iter().map(|it| (it.processed, it.failed)).collect::<Vec<_>>(), [(0, n)]);
    assert_eq!(registry.value("saker_shard_skipped_total", None), Some(1.0));
    let [issue] = bench.health.issues().try_into().expect("one");
    assert_eq!((&*issue.part, issue.level), ("shard-0", Level::Failing));
    assert!(issue.message.contains("larger than the limit"), "{}", issue.message);
    bench.assert_as_the_journal_says();
    assert_eq!(bench.take(&[&[("a", 2.0), ("change", 7.0)]]), [(2, 0)]);
    assert_eq!(bench.values(4), [2.0]);
    bench.assert_as_the_journal_says();
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn values_wait_for_a_full_disk_which_is_reported() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    bench.take(&[&[("a", 1.0)]]);
    let (disk, health) = (bench.disk.clone(), bench.health.clone());
    for key in ["b", "c"] {
        disk.set_capacity(disk.used_bytes());
        std::thread::scope(|scope| {
            let taken = scope.spawn(|| bench.take(&[&[(key, 3.0)]]));
            while health.level().is_none() {
                assert!(!taken.is_finished(), "it waits");
                std::thread::yield_now();
            }
            let [issue] = health.issues().try_into().expect("one");
            let message = "values wait for the disk, since 2026-09-21T14:13:20Z: cannot append to \
                           /data/journal/";
            assert!(issue.message.starts_with(message), "{}", issue.message);
            assert_eq!((&*issue.part, issue.level), ("values", Level::Degraded));
            assert_eq!(registry.value("saker_health_issues_values_waiting", None), Some(1.0));
            disk.set_capacity(u64::MAX);
            assert_eq!(taken.join().expect("no panic"), [(1, 0)]);
        });
        assert_eq!(health.issues(), []);
        assert_eq!(registry.value("saker_health_issues_values_waiting", None), Some(0.0));
    }
    bench.assert_as_the_journal_says();
    tasks.shutdown().cancel();
}
