//! Lines and turns, under a clock of the test.

use std::time::Duration;

use model::batch::OwnedRaw;
use model::content::{OnFail, PreprocStep, Step};
use model::{ItemId, Time, ValueType};
use pipeline::HeavyTask;
use preprocess::Context;

use super::*;

const LIMIT: Duration = Duration::from_secs(10);

fn board(n_workers: usize) -> (Arc<Board>, Clock) {
    let (clock, registry) = (Clock::manual(Time::from_clock(1_790_000_000, 0)), Registry::new());
    let metrics = WorkerMetrics::register(&registry);
    let board = Board::new(n_workers, (LIMIT, LIMIT), (clock.clone(), metrics), &registry);
    (board, clock)
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

fn offer(board: &Board, item: u64, class: JobClass) {
    board.offer(0, job(item, class, &format!("return {item}"))).expect("room");
}

/// The item whose job a worker gets.
fn take(board: &Board, worker: WorkerId, role: Role) -> Option<u64> {
    match board.take((worker, role, None), Duration::ZERO) {
        Next::Work(job) => Some(job.item.0),
        Next::Refuse(..) | Next::Nothing => None,
    }
}

fn base(board: &Board, worker: WorkerId) -> Option<u64> {
    take(board, worker, Role::Base)
}

#[test]
fn slow_and_new_items_leave_a_worker_to_the_quick() {
    for n in [2, 4] {
        let (board, _) = board(n);
        for item in 0..20 {
            offer(&board, item, if item % 2 == 0 { JobClass::Slow } else { JobClass::New });
        }
        let n_taken = (0..9).filter(|it| base(&board, *it).is_some()).count();
        assert_eq!(n_taken, n - 1);
        for item in 100..110 {
            offer(&board, item, JobClass::Quick);
            assert_eq!(base(&board, 10), Some(item), "at once");
            assert_eq!(base(&board, 11), None, "no more of the slow ones");
            assert!(board.finish(10).is_some());
        }
        assert!(board.finish(0).is_some());
        assert!(base(&board, 0).is_some(), "the slow line goes on");
    }
}

#[test]
fn one_worker_takes_turns() {
    let (board, _) = board(1);
    for item in 0..6 {
        offer(&board, item, JobClass::Quick);
        offer(&board, 100 + item, JobClass::Slow);
    }
    let served: Vec<u64> = (0..12)
        .filter_map(|_| {
            let item = base(&board, 0);
            board.finish(0);
            item
        })
        .collect();
    assert_eq!(served, [0, 100, 1, 101, 2, 102, 3, 103, 4, 104, 5, 105]);
}

#[test]
fn nothing_starves_beside_quick_items_without_end() {
    let (board, _) = board(2);
    (0..5).for_each(|it| offer(&board, it, JobClass::Slow));
    (5..10).for_each(|it| offer(&board, it, JobClass::New));
    let mut served = Vec::new();
    for item in 100..160 {
        offer(&board, item, JobClass::Quick);
        for worker in 0..2 {
            served.extend(base(&board, worker));
        }
        board.finish(0);
        board.finish(1);
    }
    assert!((0..10).all(|it| served.contains(&it)), "{served:?}");
}

#[test]
fn spares_come_while_workers_are_held_and_others_wait() {
    let (board, clock) = board(2);
    (0..9).for_each(|it| offer(&board, it, JobClass::Quick));
    assert!(base(&board, 0).is_some() && base(&board, 1).is_some());
    assert!(!board.wants_spare(), "nobody waits for long");
    clock.advance(Duration::from_millis(1_500));
    let n = (0..9).filter(|_| board.wants_spare()).count();
    assert_eq!(n, SPARES_MAX);
    offer(&board, 50, JobClass::Slow);
    let spares: Vec<u64> = (10..14).filter_map(|it| take(&board, it, Role::Spare)).collect();
    assert_eq!(spares, [2, 3, 4, 5]);
    for worker in 10..14 {
        board.finish(worker);
    }
    (6..9).for_each(|it| assert_eq!(take(&board, 10, Role::Spare), Some(it)));
    assert_eq!(take(&board, 10, Role::Spare), None, "slow ones are not for spares");
    board.spare_ends();
    assert!(!board.wants_spare(), "nobody waits");
    assert!(base(&board, 2).is_some());
}

#[test]
fn a_slow_line_that_is_full_does_not_fill_the_quick_one() {
    let (board, _) = board(2);
    (0..1_024).for_each(|it| offer(&board, it, JobClass::Slow));
    assert!(board.offer(0, job(1, JobClass::Slow, "")).is_err());
    offer(&board, 7, JobClass::Quick);
}

/// Makes threads hang at jobs of these items.
fn hang(board: &Board, clock: &Clock, jobs: Vec<HeavyJob>) -> usize {
    let n = jobs.len();
    let first = 1_000 * clock.mono_ns();
    for (worker, job) in (first..).zip(jobs) {
        board.offer(0, job).expect("room");
        take(board, worker, Role::Spare);
    }
    clock.advance(LIMIT + Duration::from_millis(1));
    std::iter::from_fn(|| board.take_over()).take(n).count()
}

fn is_refused(board: &Board, job: HeavyJob) -> bool {
    board.offer(0, job).expect("room");
    let turn = board.take((u64::MAX, Role::Base, None), Duration::ZERO);
    board.finish(u64::MAX);
    matches!(turn, Next::Refuse(..))
}

#[test]
fn a_script_that_holds_a_thread_is_not_run_again() {
    let (board, clock) = board(2);
    assert_eq!(hang(&board, &clock, vec![job(1, JobClass::New, "loop")]), 1);
    assert!(is_refused(&board, job(1, JobClass::New, "loop")));
    assert!(!is_refused(&board, job(1, JobClass::New, "mended")), "another one of the same item");
    assert!(!is_refused(&board, job(2, JobClass::New, "loop")), "the same one of another item");
    assert_eq!(hang(&board, &clock, vec![job(2, JobClass::New, "loop")]), 1);
    assert!(is_refused(&board, job(3, JobClass::New, "loop")), "twice is enough");
}

#[test]
fn threads_that_hang_are_bounded_and_may_come_back() {
    let (board, clock) = board(2);
    let start = 1_000 * clock.mono_ns();
    let of = |n: u64| (0..n).map(|it| job(it, JobClass::New, &format!("loop {it}"))).collect();
    let max = u64::try_from(STUCK_MAX).expect("a few");
    assert_eq!(hang(&board, &clock, of(max)), STUCK_MAX);
    assert!(is_refused(&board, job(50, JobClass::New, "new")));
    assert!(is_refused(&board, job(51, JobClass::Slow, "slow")));
    assert!(!is_refused(&board, job(52, JobClass::Quick, "quick")), "these have always ended");
    let quick = (60..60 + max).map(|it| job(it, JobClass::Quick, &format!("loop {it}"))).collect();
    assert_eq!(hang(&board, &clock, quick), STUCK_MAX);
    assert!(is_refused(&board, job(52, JobClass::Quick, "quick")), "now none is run");
    // One comes back, and then all that waits is run.
    assert!(board.finish(start).is_none(), "somebody answered its job");
    assert!(!is_refused(&board, job(52, JobClass::Quick, "quick")));
}
