//! Requests on their way to shards.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use model::HostId;

use super::*;

fn open(n_shards: u16) -> (Ingress, Vec<Deliveries>) {
    let registry = Registry::new();
    let (ingress, receivers) = Ingress::new(n_shards, &Clock::real(), &registry);
    (ingress, receivers)
}

fn request_of(ingress: &Ingress, n_rows: u32) -> IngressRequest {
    let mut request = ingress.request(1);
    for slot in 0..n_rows {
        let to = Target { shard: 0, slot };
        request.push(to, Time(1), RawRef::Nothing).expect("room");
    }
    request
}

fn settle_all(delivery: Delivery) {
    for (part, rows) in delivery.parts.into_iter().zip(run_lengths(&delivery.batch.runs)) {
        part.settle(Outcome::processed(rows));
    }
}

#[tokio::test]
async fn a_request_is_answered_when_all_its_shards_have_written() {
    let (ingress, receivers) = open(2);
    let mut request = ingress.request(5);
    for row in 0..600_u32 {
        let to = Target { shard: u16::from(row % 3 == 0), slot: row };
        request.push(to, Time(1), RawRef::Text("7")).expect("room");
    }
    request.refuse();
    let submitted = tokio::spawn({
        let ingress = ingress.clone();
        async move { ingress.submit(request).await }
    });
    let large = receivers[0].receive().await.expect("a delivery");
    assert_eq!((large.batch.len(), large.batch.epoch), (400, 5));
    settle_all(large);
    let batched = receivers[1].receive().await.expect("a delivery");
    assert_eq!(batched.batch.len(), 200);
    assert!(!submitted.is_finished());
    settle_all(batched);
    let outcome = submitted.await.expect("no panic").expect("open");
    assert_eq!(outcome, Outcome { processed: 600, failed: 1, ..Outcome::default() });
}

#[tokio::test]
async fn small_requests_share_a_delivery_and_are_answered_separately() {
    let (ingress, receivers) = open(1);
    let submit = |n: u32| {
        let ingress = ingress.clone();
        let request = request_of(&ingress, n);
        tokio::spawn(async move { ingress.submit(request).await })
    };
    let waiting: Vec<_> = (1..=20).map(submit).collect();
    let mut rows = 0;
    while rows < 210 {
        let delivery = receivers[0].receive().await.expect("a delivery");
        rows += delivery.batch.len();
        settle_all(delivery);
    }
    for (n, answer) in (1_u32..).zip(waiting) {
        let outcome = answer.await.expect("no panic").expect("open");
        assert_eq!(outcome, Outcome::processed(n));
    }
}

#[tokio::test]
async fn a_batch_never_mixes_epochs() {
    let (ingress, receivers) = open(1);
    for epoch in [1, 2] {
        let mut request = ingress.request(epoch);
        request.push(Target { shard: 0, slot: 0 }, Time(1), RawRef::Nothing).expect("room");
        ingress.post(request).await.expect("open");
    }
    for epoch in [1, 2] {
        assert_eq!(receivers[0].receive().await.expect("a delivery").batch.epoch, epoch);
    }
}

#[tokio::test]
async fn requests_do_not_wait_for_a_gone_shard() {
    let (ingress, mut receivers) = open(1);
    let submit = || {
        let ingress = ingress.clone();
        tokio::spawn(async move { ingress.submit(request_of(&ingress, 300)).await })
    };
    let waiting = submit();
    let receiver = receivers.remove(0);
    let taken = receiver.receive().await.expect("a delivery");
    // The thread ends meanwhile: the outcome is neither processed nor failed, but unknown.
    drop(taken);
    assert_eq!(waiting.await.expect("no panic"), Err(Closed));
    let waiting = submit();
    while receiver.depth() == 0 {
        tokio::task::yield_now().await;
    }
    drop(receiver);
    assert_eq!(waiting.await.expect("no panic"), Err(Closed), "it was in the queue");
    assert_eq!(submit().await.expect("no panic"), Err(Closed), "there is no queue any more");
}

#[tokio::test]
async fn rows_of_a_session_never_overtake_those_before_them() {
    let (ingress, receivers) = open(1);
    let sessions = Arc::new(Sessions::default());
    let token = "0123456789abcdef0123456789abcdef";
    let claim = Arc::new(sessions.claim(HostId(1), token, Time(5)).await.expect("a token"));
    let mut submission = ingress.submission();
    // Small, large, small: none of them is gathered after another.
    for (ids, last) in [(1..=5_u64, Last::No), (6..=400, Last::No), (401..=403, Last::Yes)] {
        let mut request = ingress.request(1);
        let to = Target { shard: 0, slot: 0 };
        for id in ids {
            request.push(to, Time(1), RawRef::Nothing).expect("room");
            let even = Some(id).filter(|it| it.is_multiple_of(2));
            even.into_iter().for_each(|it| request.mark(to, &claim, it));
        }
        submission.add(request, last).await.expect("open");
    }
    let mut reached = Vec::new();
    for _ in 0..3 {
        let delivery = receivers[0].receive().await.expect("a delivery");
        let rows = u32::try_from(delivery.batch.len()).expect("few");
        let of = |it: Range<u32>| delivery.marks_of(it).map(|(_, id)| id).next();
        reached.push([of(0..1), of(0..2), of(rows - 1..rows), of(rows..rows)]);
        settle_all(delivery);
    }
    assert_eq!(
        reached,
        [
            [None, Some(2), Some(4), None],
            [Some(6), Some(6), Some(400), None],
            [None, Some(402), Some(402), None]
        ]
    );
    assert_eq!(submission.wait().await, Ok(Outcome::processed(403)));
}

/// By a clock that does not advance: nothing waits for a time.
#[test]
fn lone_request_is_delivered_at_once_and_others_join_it() {
    let (clock, registry) = (Clock::manual(Time::from_clock(5, 0)), Registry::new());
    let (ingress, receivers) = Ingress::new(1, &clock, &registry);
    let mut context = Context::from_waker(Waker::noop());
    let mut submitted = pin!(ingress.submit(request_of(&ingress, 3)));
    assert!(submitted.as_mut().poll(&mut context).is_pending());
    assert_eq!(receivers[0].depth(), 1);
    let mut posted = pin!(ingress.post(request_of(&ingress, 2)));
    assert_eq!(posted.as_mut().poll(&mut context), Poll::Ready(Ok(())));
    assert_eq!(receivers[0].depth(), 1, "it has joined the first");
    let delivery = receivers[0].try_receive().expect("a delivery");
    assert_eq!(delivery.batch.len(), 5);
    settle_all(delivery);
    assert_eq!(submitted.as_mut().poll(&mut context), Poll::Ready(Ok(Outcome::processed(3))));
    assert_eq!(receivers[0].try_receive().unwrap_err(), ReceiveError::Empty);
}

#[test]
fn woken_shard_checks_its_other_work_before_later_deliveries() {
    let (clock, registry) = (Clock::manual(Time::from_clock(5, 0)), Registry::new());
    let (ingress, receivers) = Ingress::new(1, &clock, &registry);
    let mut context = Context::from_waker(Waker::noop());
    // A plan is in its mailbox, followed by the first value under it.
    ingress.wake(0);
    let mut posted = pin!(ingress.post(request_of(&ingress, 2)));
    assert_eq!(posted.as_mut().poll(&mut context), Poll::Ready(Ok(())));
    let receive = || receivers[0].receive_timeout(Duration::MAX).map(|it| it.batch.len());
    assert_eq!(receive(), Err(ReceiveError::Empty));
    assert_eq!(receive(), Ok(2));
}

#[test]
fn reused_delivery_has_no_old_content() {
    let (clock, registry) = (Clock::manual(Time::from_clock(5, 0)), Registry::new());
    let (ingress, receivers) = Ingress::new(1, &clock, &registry);
    let mut context = Context::from_waker(Waker::noop());
    let mut first = pin!(ingress.submit(request_of(&ingress, 200)));
    assert!(first.as_mut().poll(&mut context).is_pending());
    let delivery = receivers[0].try_receive().expect("a delivery");
    let memory = delivery.batch.slots.as_ptr();
    receivers[0].recycle(delivery);
    assert_eq!(first.as_mut().poll(&mut context), Poll::Ready(Err(Closed)), "nobody settled it");
    let mut second = pin!(ingress.submit(request_of(&ingress, 2)));
    assert!(second.as_mut().poll(&mut context).is_pending());
    let delivery = receivers[0].try_receive().expect("a delivery");
    assert_eq!((delivery.batch.len(), delivery.batch.runs.len()), (2, 1));
    assert_eq!((delivery.parts.len(), delivery.marks.len()), (1, 0));
    assert_eq!(delivery.batch.slots.as_ptr(), memory);
    settle_all(delivery);
    assert_eq!(second.as_mut().poll(&mut context), Poll::Ready(Ok(Outcome::processed(2))));
}

#[test]
fn gathered_rows_keep_their_place_among_large_ones() {
    let (clock, registry) = (Clock::manual(Time::from_clock(5, 0)), Registry::new());
    let (ingress, receivers) = Ingress::new(1, &clock, &registry);
    let mut context = Context::from_waker(Waker::noop());
    // The second batch begins because the first is full.
    for n_rows in [249, 249, 249, 249, 4, 300, 1, 5] {
        let mut posted = pin!(ingress.post(request_of(&ingress, n_rows)));
        assert_eq!(posted.as_mut().poll(&mut context), Poll::Ready(Ok(())));
    }
    let mut lengths = Vec::new();
    while let Ok(delivery) = receivers[0].try_receive() {
        lengths.push(delivery.batch.len());
    }
    assert_eq!(lengths, [1_000, 300, 6]);
}

#[test]
fn small_requests_wait_for_a_place_in_a_full_queue() {
    let (clock, registry) = (Clock::manual(Time::from_clock(5, 0)), Registry::new());
    let (ingress, receivers) = Ingress::new(1, &clock, &registry);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..QUEUE_BATCHES {
        let mut posted = pin!(ingress.post(request_of(&ingress, 300)));
        assert_eq!(posted.as_mut().poll(&mut context), Poll::Ready(Ok(())));
    }
    let mut waiting: Vec<_> =
        (1..=3).map(|it| Box::pin(ingress.submit(request_of(&ingress, it)))).collect();
    for it in &mut waiting {
        assert!(it.as_mut().poll(&mut context).is_pending());
    }
    // One of them gives up: its rows are not sent.
    drop(waiting.remove(0));
    // With the first place one begins a batch; with the second the other finds it.
    for _ in 0..2 {
        assert_eq!(receivers[0].try_receive().expect("a delivery").batch.len(), 300);
        for it in &mut waiting {
            assert!(it.as_mut().poll(&mut context).is_pending());
        }
    }
    let mut small = None;
    while let Ok(delivery) = receivers[0].try_receive() {
        small = Some(delivery);
    }
    let small = small.expect("more deliveries");
    assert_eq!(small.batch.len(), 5, "both in the one place");
    // The shard ends with these and everything gathered by then.
    drop(small);
    let mut late = pin!(ingress.submit(request_of(&ingress, 7)));
    assert!(late.as_mut().poll(&mut context).is_pending());
    drop(receivers);
    for it in &mut waiting {
        assert_eq!(it.as_mut().poll(&mut context), Poll::Ready(Err(Closed)));
    }
    assert_eq!(late.as_mut().poll(&mut context), Poll::Ready(Err(Closed)));
}

#[test]
fn marks_belong_to_the_runs_of_their_session() {
    let sessions = Arc::new(Sessions::default());
    let claim = |host| {
        let token = "0123456789abcdef0123456789abcdef";
        Arc::new(sessions.try_claim(HostId(host), token, Time(5)).expect("free"))
    };
    let mut batch = Batch::default();
    for end in [3, 5, 9] {
        batch.runs.push(Run { end });
    }
    let mark =
        |run, host, reached: &[u64]| Mark { run, claim: claim(host), reached: reached.to_vec() };
    let marks = vec![mark(0, 1, &[0, 7, 7]), mark(2, 2, &[1, 2, 3, 4])];
    let delivery = Delivery { batch, parts: Vec::new(), marks };
    let of = |rows| delivery.marks_of(rows).map(|(_, id)| id).collect::<Vec<_>>();
    assert_eq!(of(0..9), [7, 4]);
    assert_eq!(of(0..1), [] as [u64; 0]);
    assert_eq!((of(1..2), of(2..6), of(3..5), of(6..8)), (vec![7], vec![7, 1], vec![], vec![3]));
}
