//! Room, eviction, fairness.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use model::Time;
use model::time::Now;

use super::*;
use crate::health::Health;
use crate::metrics::Registry;
use crate::task::Tasks;
use crate::worker::{
    GroupContext, Next, OnPanic, Pass, Roster, Worker, WorkerFailure, WorkerGroup, WorkerMetrics,
    WorkerRow,
};

const SECOND: Duration = Duration::from_secs(1);

fn budget(bytes_max: u64, fair_bytes: u64) -> (Budget, Clock) {
    let clock = Clock::manual(Time::from_clock(1_790_000_000, 0));
    let settings =
        BudgetSettings { bytes_max, stall: SECOND, step_bytes: 10, fair_bytes, small_bytes: 3 };
    let metrics = BudgetMetrics { taken: Gauge::default(), evicted: Counter::default() };
    (Budget::new(settings, clock.clone(), metrics), clock)
}

fn address(last: u8) -> Owner {
    Owner::Address([192, 0, 2, last].into())
}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn sum_stays_below_the_maximum_and_is_returned() {
    let (budget, _) = budget(100, 0);
    let (first, second) =
        (budget.hold(address(1), Arc::default()), budget.hold(address(2), Arc::default()));
    assert_eq!(first.try_grow(60), Ok(()));
    assert_eq!(second.try_grow(41), Err(NoRoom));
    assert_eq!(second.try_grow(40), Ok(()));
    first.give(20);
    assert_eq!((first.bytes(), budget.taken()), (40, 80));
    // A hold gives back no more than it has.
    first.give(1_000);
    assert_eq!(budget.taken(), 40);
    // A request for more than the maximum gets all of it.
    drop(second);
    assert_eq!(first.try_grow(1_000), Ok(()));
    assert_eq!((first.bytes(), budget.taken()), (100, 100));
    drop(first);
    assert_eq!(budget.taken(), 0);
}

#[test]
fn zero_means_zero() {
    let (budget, _) = budget(0, 0);
    assert_eq!(budget.hold(address(1), Arc::default()).try_grow(1), Err(NoRoom));
}

#[tokio::test]
async fn stalled_hold_of_the_largest_owner_is_evicted_first() {
    let (budget, clock) = budget(100, 0);
    let of_large: Vec<(Hold, Arc<Notify>)> = (0..3)
        .map(|_| {
            let gone: Arc<Notify> = Arc::default();
            (budget.hold(address(1), Arc::clone(&gone)), gone)
        })
        .collect();
    let small = budget.hold(address(2), Arc::default());
    for hold in of_large.iter().map(|it| &it.0).chain([&small]) {
        assert_eq!(hold.try_grow(25), Ok(()));
        hold.awaits();
    }
    clock.advance(SECOND);
    // The second and third move, the first a little only.
    of_large[0].0.moved(9);
    of_large[1].0.moved(10);
    of_large[2].0.moved(10);
    let asker = budget.hold(address(3), Arc::default());
    let mut grows = pin!(asker.grow(10, SECOND));
    assert!(poll(grows.as_mut()).is_pending());
    assert!(of_large[0].0.is_evicted());
    assert!(!of_large[1].0.is_evicted() && !small.is_evicted(), "one was enough");
    assert_eq!(budget.taken(), 100, "its bytes count until they are given back");
    of_large[0].1.notified().await;
    let mut of_large = of_large;
    drop(of_large.remove(0));
    assert!(matches!(poll(grows.as_mut()), Poll::Ready(Ok(()))));
    assert_eq!(budget.taken(), 85);
}

#[test]
fn hold_in_work_is_never_evicted() {
    let (budget, clock) = budget(100, 0);
    let works = budget.hold(address(1), Arc::default());
    assert_eq!(works.try_grow(100), Ok(()));
    works.awaits();
    works.got();
    clock.advance(SECOND * 100);
    assert_eq!(budget.hold(address(2), Arc::default()).try_grow(1), Err(NoRoom));
    budget.end_stalled(SECOND);
    assert!(!works.is_evicted());
}

#[test]
fn small_owner_evicts_moving_hold_of_large_owner() {
    let (budget, _) = budget(100, 25);
    let rich: Vec<Hold> = (0..4).map(|_| budget.hold(Owner::User(1), Arc::default())).collect();
    for hold in &rich {
        assert_eq!(hold.try_grow(25), Ok(()));
        hold.awaits();
    }
    assert_eq!(budget.hold(Owner::User(1), Arc::default()).try_grow(5), Err(NoRoom));
    assert!(rich.iter().all(|it| !it.is_evicted()), "not for itself");
    assert_eq!(budget.hold(Owner::User(2), Arc::default()).try_grow(5), Err(NoRoom));
    assert_eq!(rich.iter().filter(|it| it.is_evicted()).count(), 1);
}

#[tokio::test]
async fn small_hold_evicts_large_hold() {
    let (budget, _) = budget(100, 0);
    let (waits, moves) =
        (budget.hold(address(1), Arc::default()), budget.hold(address(1), Arc::default()));
    assert_eq!((waits.try_grow(50), moves.try_grow(50)), (Ok(()), Ok(())));
    moves.awaits();
    let mut grows = pin!(waits.grow(10, SECOND * 100));
    assert!(poll(grows.as_mut()).is_pending());
    let small = budget.hold(address(1), Arc::default());
    assert_eq!(small.try_grow(4), Err(NoRoom));
    assert!(!waits.is_evicted() && !moves.is_evicted(), "that is not little");
    assert_eq!(small.try_grow(3), Err(NoRoom));
    assert!(waits.is_evicted() != moves.is_evicted(), "one is enough");
}

#[test]
fn stalled_holds_end_whether_there_is_room_or_not() {
    let (budget, clock) = budget(100, 0);
    let hold = budget.hold(address(1), Arc::default());
    hold.awaits();
    budget.end_stalled(SECOND);
    assert!(!hold.is_evicted());
    clock.advance(SECOND);
    budget.end_stalled(SECOND);
    assert!(hold.is_evicted());
    assert_eq!(hold.try_grow(1), Err(NoRoom), "it only ends");
}

#[test]
fn when_all_wait_for_one_another_the_last_is_refused_at_once() {
    let (budget, _) = budget(100, 0);
    let runtime = crate::task::runtime(1).unwrap();
    let _entered = runtime.enter();
    let (first, second) =
        (budget.hold(address(1), Arc::default()), budget.hold(address(2), Arc::default()));
    assert_eq!((first.try_grow(50), second.try_grow(50)), (Ok(()), Ok(())));
    let mut waits = pin!(first.grow(10, SECOND));
    assert!(poll(waits.as_mut()).is_pending());
    assert!(matches!(poll(pin!(second.grow(10, SECOND))), Poll::Ready(Err(NoRoom))));
    drop(second);
    assert!(matches!(poll(waits.as_mut()), Poll::Ready(Ok(()))));
}

#[test]
fn when_all_wait_for_one_another_the_owner_with_most_loses_the_hold_that_moved_least_recently() {
    let (budget, clock) = budget(100, 0);
    let runtime = crate::task::runtime(1).unwrap();
    let _entered = runtime.enter();
    let holds = [1, 1, 2].map(|it| budget.hold(address(it), Arc::default()));
    let [older, newer, little] = &holds;
    assert_eq!(
        (older.try_grow(40), newer.try_grow(40), little.try_grow(20)),
        (Ok(()), Ok(()), Ok(()))
    );
    clock.advance(SECOND);
    newer.moved(10);
    let (mut one, mut two) = (pin!(older.grow(10, SECOND)), pin!(newer.grow(10, SECOND)));
    assert!(poll(one.as_mut()).is_pending() && poll(two.as_mut()).is_pending());
    let mut three = pin!(little.grow(30, SECOND));
    assert!(poll(three.as_mut()).is_pending(), "not refused");
    assert!(older.is_evicted() && !newer.is_evicted() && !little.is_evicted());
    assert!(matches!(poll(one.as_mut()), Poll::Ready(Err(NoRoom))));
}

/// Ends holds that stand still for a second.
struct Sweeper(Budget);

impl Worker for Sweeper {
    type Error = Infallible;

    fn turn(&mut self, _: Now) -> Result<Next, Infallible> {
        self.0.end_stalled(SECOND);
        Ok(self.0.first_stall(SECOND).map_or(Next::WhenWoken, Next::At))
    }

    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        Ok(())
    }
}

#[test]
fn evictor_sleeps_until_a_peer_has_to_move() {
    let (budget, clock) = budget(100, 0);
    let (registry, roster) = (Registry::new(), Roster::default());
    let context = GroupContext {
        tasks: Tasks::new("test", &registry),
        clock: clock.clone(),
        health: Health::default(),
        metrics: WorkerMetrics::register(&registry),
        roster: roster.clone(),
    };
    let row = WorkerRow { name: "s", job: "", woken_by: "", waits: "", on_panic: OnPanic::Reload };
    let mut group = WorkerGroup::new("s", &context);
    group.add(row, |wake| {
        budget.wakes(wake);
        Sweeper(budget.clone())
    });
    let ms = |it: u64| Pass::At(it * 1_000_000);
    let n_turns = || roster.workers()[0].n_turns;
    assert_eq!(group.pass(), Pass::WhenWoken);
    let (first, second) =
        (budget.hold(address(1), Arc::default()), budget.hold(address(2), Arc::default()));
    assert_eq!((group.pass(), n_turns()), (Pass::WhenWoken, 1), "both are worked on");
    first.awaits();
    assert_eq!((group.pass(), n_turns()), (ms(1_000), 2));
    second.awaits();
    assert_eq!((group.pass(), n_turns()), (ms(1_000), 2), "it looks then");
    clock.advance(SECOND / 2);
    first.moved(10);
    clock.advance(SECOND / 2);
    assert_eq!(group.pass(), ms(1_500));
    assert_eq!((first.is_evicted(), second.is_evicted()), (false, true));
    first.got();
    clock.advance(SECOND);
    assert_eq!((group.pass(), first.is_evicted()), (Pass::WhenWoken, false));
    first.awaits();
    assert_eq!(group.pass(), ms(3_000));
}
