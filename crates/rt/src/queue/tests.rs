#![allow(clippy::float_cmp, reason = "counters are whole numbers")]

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use model::time::Time;
use proptest::prelude::*;

use super::{QueueSendError, ReceiveError, Receiver, Sender, WhenFull, bounded};
use crate::clock::Clock;
use crate::metrics::Registry;

const LONG: Duration = Duration::from_secs(20);

fn open<T: Send + 'static>(
    bound: usize,
    when_full: WhenFull,
) -> (Sender<T>, Receiver<T>, Registry) {
    let registry = Registry::new();
    let (sender, receiver) = bounded("q", bound, when_full, &Clock::real(), &registry);
    (sender, receiver, registry)
}

fn counted(registry: &Registry, what: &str) -> f64 {
    registry.value(&format!("rt_queue_{what}"), Some("q")).unwrap()
}

#[test]
fn refusing_queue_gives_the_message_back_and_counts() {
    let (sender, receiver, registry) = open(2, WhenFull::Refuse);
    sender.send_blocking(1).unwrap();
    sender.send_blocking(2).unwrap();
    let error = sender.send_blocking(3).unwrap_err();
    assert!(matches!(error, QueueSendError::Full(3)));
    assert_eq!(counted(&registry, "depth"), 2.0);
    assert_eq!(counted(&registry, "bound"), 2.0);
    assert_eq!(receiver.try_receive(), Ok(1));
    assert_eq!(counted(&registry, "refused_total"), 1.0);
    assert_eq!(counted(&registry, "in_total"), 2.0);
    assert_eq!(counted(&registry, "out_total"), 1.0);
}

#[test]
fn dropping_queue_keeps_the_newest_and_counts() {
    let (sender, receiver, registry) = open(2, WhenFull::DropOldest);
    for i in 0..5 {
        sender.send_blocking(i).unwrap();
    }
    let mut got = Vec::new();
    assert_eq!(receiver.drain(10, &mut got), 2);
    assert_eq!(got, [3, 4]);
    assert_eq!(counted(&registry, "dropped_total"), 3.0);
    assert_eq!(counted(&registry, "out_total"), 2.0);
}

#[test]
fn age_is_that_of_the_oldest_waiting_message() {
    let (clock, registry) = (Clock::manual(Time::ZERO), Registry::new());
    let (sender, receiver) = bounded("q", 8, WhenFull::Block, &clock, &registry);
    assert_eq!(counted(&registry, "oldest_age_seconds"), 0.0);
    sender.try_send("a").unwrap();
    clock.advance(Duration::from_secs(3));
    sender.try_send("b").unwrap();
    clock.advance(Duration::from_secs(1));
    assert_eq!(counted(&registry, "oldest_age_seconds"), 4.0);
    assert_eq!(receiver.try_receive(), Ok("a"));
    assert_eq!(counted(&registry, "oldest_age_seconds"), 1.0);
    assert_eq!(receiver.try_receive(), Ok("b"));
    assert_eq!(counted(&registry, "oldest_age_seconds"), 0.0);
}

#[test]
fn readers_get_what_is_left_before_they_learn_of_the_end() {
    let (sender, receiver, _) = open(4, WhenFull::Block);
    let second = sender.clone();
    sender.try_send(1).unwrap();
    drop(sender);
    second.try_send(2).unwrap();
    assert_eq!(receiver.receive_timeout(LONG), Ok(1));
    drop(second);
    assert_eq!(receiver.receive_blocking(), Some(2));
    assert_eq!(receiver.receive_timeout(LONG), Err(ReceiveError::Closed));
    assert_eq!(receiver.receive_blocking(), None);
}

#[test]
fn receive_timeout_without_message_returns_none() {
    let (sender, receiver, _) = open::<u8>(4, WhenFull::Block);
    assert_eq!(receiver.receive_timeout(Duration::from_millis(2)), Err(ReceiveError::Empty));
    drop(sender);
}

#[test]
fn senders_learn_that_nobody_reads_and_the_rest_is_counted() {
    let (sender, receiver, registry) = open(1, WhenFull::Block);
    sender.send_blocking(1).unwrap();
    let blocked = thread::spawn(move || sender.send_blocking(2));
    drop(receiver);
    assert!(matches!(blocked.join().unwrap(), Err(QueueSendError::Closed(2))));
    assert_eq!(counted(&registry, "dropped_total"), 1.0);
    assert_eq!(counted(&registry, "depth"), 0.0);
}

#[tokio::test]
async fn task_waits_for_a_thread_without_losing_anything() {
    let (sender, receiver, _) = open(2, WhenFull::Block);
    let reader = thread::spawn(move || {
        let mut got = Vec::new();
        while let Some(message) = receiver.receive_blocking() {
            got.push(message);
        }
        got
    });
    for i in 0..1000 {
        sender.send(i).await.unwrap();
    }
    drop(sender);
    assert!(reader.join().unwrap().into_iter().eq(0..1000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mixed_senders_and_readers_pass_every_message_once() {
    const EACH: u64 = 2_000;
    let (sender, receiver, registry) = open(3, WhenFull::Block);
    let start = Arc::new(Barrier::new(4));
    let mut threads = Vec::new();
    let mut reading = Vec::new();
    for _ in 0..2 {
        let (sender, thread_start) = (sender.clone(), Arc::clone(&start));
        threads.push(thread::spawn(move || {
            thread_start.wait();
            (0..EACH).for_each(|it| sender.send_blocking(it).unwrap());
        }));
        let (receiver, thread_start) = (receiver.clone(), Arc::clone(&start));
        reading.push(thread::spawn(move || {
            thread_start.wait();
            std::iter::from_fn(|| receiver.receive_blocking()).fold((0, 0), add)
        }));
    }
    let (task_sender, task_receiver) = (sender.clone(), receiver.clone());
    let sending = tokio::spawn(async move {
        for i in 0..EACH {
            task_sender.send(i).await.unwrap();
        }
    });
    let task_reading = tokio::spawn(async move {
        let mut sum = (0, 0);
        while let Some(message) = task_receiver.receive().await {
            sum = add(sum, message);
        }
        sum
    });
    drop((sender, receiver));
    sending.await.unwrap();
    let mut total = task_reading.await.unwrap();
    for reader in reading {
        let (n, sum) = reader.join().unwrap();
        total = (total.0 + n, total.1 + sum);
    }
    threads.into_iter().for_each(|it| it.join().unwrap());
    assert_eq!(total, (3 * EACH, 3 * EACH * (EACH - 1) / 2));
    assert_eq!(counted(&registry, "in_total"), counted(&registry, "out_total"));
}

fn add((n, sum): (u64, u64), message: u64) -> (u64, u64) {
    (n + 1, sum + message)
}

#[tokio::test]
async fn reader_that_gives_up_loses_nothing() {
    let (sender, receiver, _) = open(4, WhenFull::Block);
    for i in 0..4 {
        let impatient = tokio::time::timeout(Duration::ZERO, receiver.receive()).await;
        assert!(impatient.is_err());
        sender.try_send(i).unwrap();
        assert_eq!(receiver.receive().await, Some(i));
    }
}

#[test]
fn interrupted_reader_returns_without_a_message_once() {
    let (sender, receiver, _) = open::<u64>(4, WhenFull::Block);
    // Before it waits: the interruption is not lost.
    sender.interrupt();
    assert_eq!(receiver.receive_timeout(LONG), Err(ReceiveError::Empty));
    // The reader needs the interruption before messages that were sent later.
    sender.interrupt();
    sender.try_send(1).unwrap();
    assert_eq!(receiver.receive_timeout(LONG), Err(ReceiveError::Empty));
    assert_eq!(receiver.receive_timeout(LONG), Ok(1));
    // While it waits.
    let reading = thread::spawn(move || receiver.receive_timeout(Duration::MAX));
    sender.interrupt();
    assert_eq!(reading.join().unwrap(), Err(ReceiveError::Empty));
}

proptest! {
    /// The queue against a plain list, for every policy.
    #[test]
    fn behaves_as_a_list(
        policy in prop_oneof![Just(WhenFull::Block), Just(WhenFull::Refuse), Just(WhenFull::DropOldest)],
        bound in 1usize..5,
        steps in prop::collection::vec(any::<bool>(), 0..60),
    ) {
        let (sender, receiver, registry) = open(bound, policy);
        let mut list = std::collections::VecDeque::new();
        let (mut n_in, mut n_dropped) = (0, 0);
        for (i, is_send) in steps.into_iter().enumerate() {
            if !is_send {
                prop_assert_eq!(receiver.try_receive().ok(), list.pop_front());
                continue;
            }
            let is_full = list.len() == bound;
            let sent = sender.try_send(i);
            prop_assert_eq!(sent.is_ok(), !is_full || policy == WhenFull::DropOldest);
            if sent.is_ok() {
                n_in += 1;
                list.push_back(i);
            }
            if bound < list.len() {
                n_dropped += 1;
                list.pop_front();
            }
        }
        prop_assert_eq!(receiver.depth(), list.len());
        prop_assert_eq!(counted(&registry, "in_total"), f64::from(n_in));
        prop_assert_eq!(counted(&registry, "dropped_total"), f64::from(n_dropped));
    }
}
