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
    // What is due comes before what is delivered, and without any delivery.
    bench.thread.shared.clock.advance(Duration::from_secs(20));
    assert!(matches!(turn(&mut bench), Turn::Idle(_)));
    assert_eq!(bench.stored(6), 1);
    bench.thread.shared.drained.store(true, Ordering::Relaxed);
    assert_eq!(turn(&mut bench), Turn::Ended);
    tasks.shutdown().cancel();
}
