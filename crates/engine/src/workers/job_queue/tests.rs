//! Lines and turns, under a clock of the test.

use std::thread;
use std::time::Duration;

use model::batch::OwnedRaw;
use model::content::{OnFail, PreprocStep, Step};
use model::{ItemId, Time, ValueType};
use pipeline::HeavyTask;
use preprocess::Context;

use super::*;

const LIMIT: Duration = Duration::from_secs(10);

fn job_queue(n_workers: usize) -> (Arc<JobQueue>, Clock) {
    let (clock, registry) = (Clock::manual(Time::from_clock(1_790_000_000, 0)), Registry::new());
    let metrics = JobWorkerMetrics::register(&registry);
    let queue = JobQueue::new(
        n_workers,
        (LIMIT, LIMIT),
        (clock.clone(), metrics),
        (&registry, &Shutdown::new()),
    );
    (queue, clock)
}

fn job(item: u64, class: JobClass, source: &str) -> HeavyJob {
    let step = PreprocStep {
        kind: Step::JavaScript,
        params: source.to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    };
    let steps = [preprocess::Step::compile(&step)].into();
    let context = Context { time: Time::ZERO, value_type: ValueType::Text };
    let tasks = vec![HeavyTask { steps, step: 0, context }];
    let value = Arc::new(OwnedRaw::Text(String::new()));
    HeavyJob { ticket: item, item: ItemId(item), class, value, tasks }
}

fn offer(queue: &JobQueue, item: u64, class: JobClass) {
    queue.offer(0, job(item, class, &format!("return {item}"))).expect("room");
}

/// The item whose job a worker gets.
fn take(queue: &JobQueue, worker: WorkerId, role: Role) -> Option<u64> {
    match queue.take((worker, role, None), Duration::ZERO) {
        Next::Work(job) => Some(job.item.0),
        Next::Nothing => None,
    }
}

fn base(queue: &JobQueue, worker: WorkerId) -> Option<u64> {
    take(queue, worker, Role::Base)
}

#[test]
fn slow_and_new_items_leave_a_worker_to_the_quick() {
    for n in [2, 4] {
        let (queue, _) = job_queue(n);
        for item in 0..20 {
            offer(&queue, item, if item % 2 == 0 { JobClass::Slow } else { JobClass::New });
        }
        let n_taken = (0..9).filter(|it| base(&queue, *it).is_some()).count();
        assert_eq!(n_taken, n - 1);
        for item in 100..110 {
            offer(&queue, item, JobClass::Quick);
            assert_eq!(base(&queue, 10), Some(item), "at once");
            assert_eq!(base(&queue, 11), None, "no more of the slow ones");
            assert!(queue.finish(10).is_some());
        }
        assert!(queue.finish(0).is_some());
        assert!(base(&queue, 0).is_some(), "the slow class goes on");
    }
}

#[test]
fn one_worker_takes_turns() {
    let (queue, _) = job_queue(1);
    for item in 0..6 {
        offer(&queue, item, JobClass::Quick);
        offer(&queue, 100 + item, JobClass::Slow);
    }
    let served: Vec<u64> = (0..12)
        .filter_map(|_| {
            let item = base(&queue, 0);
            queue.finish(0);
            item
        })
        .collect();
    assert_eq!(served, [0, 100, 1, 101, 2, 102, 3, 103, 4, 104, 5, 105]);
}

#[test]
fn slow_items_are_not_starved_by_quick_items() {
    let (queue, _) = job_queue(2);
    (0..5).for_each(|it| offer(&queue, it, JobClass::Slow));
    (5..10).for_each(|it| offer(&queue, it, JobClass::New));
    let mut served = Vec::new();
    for item in 100..160 {
        offer(&queue, item, JobClass::Quick);
        for worker in 0..2 {
            served.extend(base(&queue, worker));
        }
        queue.finish(0);
        queue.finish(1);
    }
    assert!((0..10).all(|it| served.contains(&it)), "{served:?}");
}

#[test]
fn spares_come_while_workers_are_held_and_others_wait() {
    let (queue, clock) = job_queue(2);
    (0..9).for_each(|it| offer(&queue, it, JobClass::Quick));
    assert!(base(&queue, 0).is_some() && base(&queue, 1).is_some());
    assert!(!queue.wants_spare(), "nobody waits for long");
    clock.advance(Duration::from_millis(1_500));
    let n = (0..9).filter(|_| queue.wants_spare()).count();
    assert_eq!(n, SPARES_MAX);
    offer(&queue, 50, JobClass::Slow);
    let spares: Vec<u64> = (10..14).filter_map(|it| take(&queue, it, Role::Spare)).collect();
    assert_eq!(spares, [2, 3, 4, 5]);
    for worker in 10..14 {
        queue.finish(worker);
    }
    (6..9).for_each(|it| assert_eq!(take(&queue, 10, Role::Spare), Some(it)));
    assert_eq!(take(&queue, 10, Role::Spare), None, "slow ones are not for spares");
    queue.spare_ends();
    assert!(!queue.wants_spare(), "nobody waits");
    assert!(base(&queue, 2).is_some());
}

#[test]
fn a_slow_line_that_is_full_does_not_fill_the_quick_one() {
    let (queue, _) = job_queue(2);
    (0..1_024).for_each(|it| offer(&queue, it, JobClass::Slow));
    assert!(queue.offer(0, job(1, JobClass::Slow, "")).is_err());
    offer(&queue, 7, JobClass::Quick);
}

#[test]
fn threads_that_hang_are_counted_until_they_come_back_and_others_go_on() {
    let (queue, clock) = job_queue(2);
    for item in 0..20 {
        offer(&queue, item, JobClass::New);
        assert_eq!(take(&queue, 100 + item, Role::Spare), Some(item));
    }
    clock.advance(LIMIT + Duration::from_millis(1));
    assert_eq!(std::iter::from_fn(|| queue.take_overdue()).count(), 20);
    let n_stuck = || queue.lock().stuck.len();
    assert_eq!(n_stuck(), 20);
    // Whether its script may have a thread is no matter of the queue.
    for class in [JobClass::New, JobClass::Slow, JobClass::Quick] {
        offer(&queue, 50, class);
        assert_eq!(base(&queue, 0), Some(50));
        assert!(queue.finish(0).is_some());
    }
    assert!(queue.finish(100).is_none(), "somebody answered its job");
    assert_eq!(n_stuck(), 19);
}

#[test]
fn waiting_worker_gets_the_next_job_and_none_at_the_end() {
    let (queue, _) = job_queue(2);
    let wait = |worker: WorkerId| {
        let queue = Arc::clone(&queue);
        thread::spawn(move || queue.take((worker, Role::Base, None), Duration::MAX))
    };
    let first = wait(0);
    offer(&queue, 7, JobClass::Quick);
    assert!(matches!(first.join().unwrap(), Next::Work(job) if job.item.0 == 7));
    let second = wait(1);
    queue.close();
    assert!(matches!(second.join().unwrap(), Next::Nothing));
    assert!(matches!(wait(2).join().unwrap(), Next::Nothing), "who comes later does not wait");
}

#[test]
fn the_watch_sleeps_until_a_job_is_under_way_or_the_process_ends() {
    let registry = Registry::new();
    let (metrics, shutdown) = (JobWorkerMetrics::register(&registry), Shutdown::new());
    let times = (LIMIT, LIMIT);
    let queue = JobQueue::new(1, times, (Clock::real(), metrics), (&registry, &shutdown));
    let watch = || {
        let queue = Arc::clone(&queue);
        thread::spawn(move || {
            queue.wait_for_work();
            queue.lock().busy.len()
        })
    };
    let waiting = watch();
    offer(&queue, 1, JobClass::Quick);
    assert_eq!(base(&queue, 0), Some(1));
    assert_eq!(waiting.join().unwrap(), 1);
    assert_eq!(watch().join().unwrap(), 1, "as long as it is under way");
    queue.finish(0);
    let waiting = watch();
    shutdown.cancel();
    assert_eq!(waiting.join().unwrap(), 0);
}
