//! The loop without a thread around it.

use super::*;

#[tokio::test]
async fn a_loop_is_driven_turn_by_turn_until_input_has_ended() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    let turn = |bench: &mut Bench| bench.thread.turn(Duration::ZERO);
    assert!(matches!(turn(&mut bench), Turn::Idle(_)));
    let ingress = bench.thread.shared.mailboxes.ingress.clone();
    let mut request = ingress.request(bench.directory.epoch());
    let found = bench.directory.lookup("host", "a").expect("configured");
    let to = ingress::Target { shard: found.shard, slot: found.slot };
    // So many that they are handed over at once.
    for n in 0..300 {
        let time = Time::from_clock(NOW - 1_000 + n, 0);
        request.push(to, time, RawRef::Float(1.0)).expect("room");
    }
    ingress.post(request).await.expect("open");
    assert_eq!(turn(&mut bench), Turn::More);
    assert_eq!(figure(&registry, "saker_shard_processed_total"), Some(300.0));
    // Due work comes before deliveries, and also without any.
    bench.thread.shared.clock.advance(Duration::from_secs(20));
    assert!(matches!(turn(&mut bench), Turn::Idle(_)));
    assert_eq!(bench.stored(6), 1);
    bench.thread.shared.drained.store(true, Ordering::Relaxed);
    assert_eq!(turn(&mut bench), Turn::Ended);
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn nothing_is_written_after_a_record_that_was_given_up() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    let ingress = bench.thread.shared.mailboxes.ingress.clone();
    let sessions = Arc::clone(&bench.thread.shared.sessions);
    let found = bench.directory.lookup("host", "a").expect("configured");
    let to = ingress::Target { shard: found.shard, slot: found.slot };
    let token = "0123456789abcdef0123456789abcdef";
    let claim = sessions.claim(HostId(7), token, Time(5)).await.expect("a token");
    let claim = Arc::new(claim);
    let mut submission = ingress.submission();
    // Two deliveries, one after the other.
    for id in [1, 2] {
        let mut request = ingress.request(bench.directory.epoch());
        let time = Time::from_clock(NOW - 10 + i64::try_from(id).expect("small"), 0);
        request.push(to, time, RawRef::Float(1.0)).expect("room");
        request.mark(to, &claim, id);
        submission.add(request, ingress::Last::No).await.expect("open");
    }
    let shutdown = rt::shutdown::Shutdown::new();
    shutdown.cancel();
    bench.thread.shared.stop = Arc::new(shutdown);
    bench.disk.set_capacity(bench.disk.used_bytes());
    let before = bench.thread.shared.journal.next_lsn();
    assert_eq!(bench.thread.turn(Duration::ZERO), Turn::Ended);
    // The second one would move the mark over the first one's value.
    bench.disk.set_capacity(u64::MAX);
    assert_eq!(bench.thread.turn(Duration::ZERO), Turn::Ended);
    assert_eq!(bench.thread.shared.journal.next_lsn(), before);
    assert!(sessions.all().is_empty());
    drop(bench);
    assert_eq!(submission.wait().await, Err(ingress::Closed), "nobody knows what is written");
    tasks.shutdown().cancel();
}

#[tokio::test]
async fn rebuilt_shard_waits_for_its_disk() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let mut bench = bench(&tasks, &registry);
    bench.take(&[&[("a", 1.0)]]);
    bench.thread.shared.stop = Arc::new(Mending(bench.disk.clone()));
    // Longer than everybody tries without a pause.
    bench.disk.fail_reads(1_000);
    let runs = bench.take(&[&[("a", 2.0), ("b", POISON)]]);
    assert_eq!(runs, [(1, 1)]);
    assert_eq!((bench.stored(1), bench.health.level()), (2, None));
    bench.assert_as_the_journal_says();
    // With the hard stop nobody waits, and nothing more is written.
    let shutdown = rt::shutdown::Shutdown::new();
    shutdown.cancel();
    bench.thread.shared.stop = Arc::new(shutdown);
    bench.disk.fail_reads(1_000_000);
    bench.take(&[&[("a", 3.0), ("b", POISON)]]);
    assert_eq!((bench.stored(1), bench.thread.turn(Duration::ZERO)), (2, Turn::Ended));
    tasks.shutdown().cancel();
}

/// A disk that is well after a pause.
#[derive(Debug)]
struct Mending(MemDisk);

impl Pause for Mending {
    fn pause(&self, _time: Duration) -> bool {
        self.0.fail_reads(0);
        false
    }
}
