//! Deferred evaluations of triggers: over crashes, and while problems are closed by hand.

use crate::kit::{Config, World, at, item};
use model::content::TriggerContent;
use model::record::DeferredEvaluationRow;
use model::{Time, TriggerId, UserId, ValueType};
use pipeline::{Change, CloseProblem, Fetch, FetchFailed, Fetched, Input};
use window::Samples;

/// The values of the item, with their times.
struct Stored {
    world: World,
    trigger: TriggerId,
    values: Vec<(i64, f64)>,
}

impl Stored {
    /// A trigger whose window is cold: the item had a value before it came.
    fn new(expression: &str, change: impl FnOnce(&mut TriggerContent)) -> Self {
        let mut config = Config::new();
        let host = config.host("h");
        config.item(host, item("k", ValueType::Float));
        let mut world = World::new(&config);
        world.value("h", "k", 1, 0.0);
        let trigger = config.trigger(host, expression, change);
        world.reconfigure(&mut config);
        Self { world, trigger, values: vec![(1, 0.0)] }
    }

    fn value(&mut self, seconds: i64, value: f64) {
        self.world.value("h", "k", seconds, value);
        self.values.push((seconds, value));
    }

    fn answer(&mut self) {
        let fetch = *self.world.fetches.last().expect("asked for");
        let samples: Vec<(Time, f64)> = self.values.iter().map(|it| (at(it.0), it.1)).collect();
        let lsn = Some(self.world.lsn());
        let fetched = Fetched { id: fetch.id, samples: Ok(Samples::Float(samples)), lsn };
        self.world.input(Input::Fetched(&[fetched]));
    }

    fn fail(&mut self) {
        let Fetch { id, .. } = *self.world.fetches.last().expect("asked for");
        let fetched =
            Fetched { id, samples: Err(FetchFailed::because("the disk is gone")), lsn: None };
        self.world.input(Input::Fetched(&[fetched]));
    }

    /// The process ends and starts again, with a checkpoint so many records before the end.
    fn restart(&mut self, n_behind: usize) {
        let checkpoint_at = self.world.journal.len().saturating_sub(n_behind);
        self.world.restart(checkpoint_at);
    }

    fn close(&mut self) {
        let event = *self.world.trigger(self.trigger).open.first().expect("open");
        let (user, time, trigger) = (UserId(1), Time::ZERO, self.trigger);
        self.world.input(Input::Close(&CloseProblem { trigger, event, user, time }));
    }

    fn events(&self) -> Vec<(i64, bool)> {
        self.world.events_of(self.trigger)
    }

    fn n_waiting(&self) -> usize {
        self.world.shard.sizes().evaluations_deferred
    }
}

const FLAPS: [(i64, f64); 6] = [(30, 5.0), (40, 1.0), (50, 6.0), (60, 7.0), (70, 2.0), (80, 9.0)];

#[test]
fn flaps_that_wait_for_a_window_survive_crashes() {
    for n_behind in 0..7 {
        let mut it = Stored::new("max(/h/k,5s)>4", |_| {});
        for (n, (seconds, value)) in FLAPS.into_iter().enumerate() {
            it.value(seconds, value);
            if n == 1 || n == 4 {
                it.restart(n_behind);
            }
        }
        assert_eq!(it.n_waiting(), FLAPS.len());
        it.world.check_replay();
        it.restart(n_behind);
        assert_eq!((it.events(), it.n_waiting()), (vec![], FLAPS.len()));
        it.answer();
        assert_eq!(it.events(), [(30, true), (40, false), (50, true), (70, false), (80, true)]);
        assert_eq!(it.n_waiting(), 0);
        it.world.check_replay();
        // Judged is judged.
        it.restart(n_behind);
        it.answer();
        assert_eq!(it.events().len(), 5);
    }
}

#[test]
fn each_event_of_multiple_generation_is_made_once() {
    for n_behind in 0..5 {
        let mut it = Stored::new("max(/h/k,5s)>4", |it| it.multiple = true);
        for (seconds, value) in FLAPS {
            it.value(seconds, value);
        }
        it.restart(n_behind);
        it.value(90, 4.5);
        it.answer();
        let wanted: Vec<(i64, bool)> = vec![
            (30, true),
            (40, false),
            (50, true),
            (60, true),
            (70, false),
            (80, true),
            (90, true),
        ];
        assert_eq!(it.events(), wanted);
        it.world.check_replay();
        it.restart(n_behind);
        it.answer();
        assert_eq!(it.events(), wanted);
    }
}

#[test]
fn deferred_evaluations_wait_on_while_history_fails() {
    let mut it = Stored::new("max(/h/k,5s)>4", |_| {});
    it.value(30, 5.0);
    it.value(40, 1.0);
    it.fail();
    assert!(it.world.trigger(it.trigger).error.is_some());
    it.restart(1);
    assert!(it.world.trigger(it.trigger).error.is_some(), "until it is judged");
    it.fail();
    it.restart(0);
    it.answer();
    assert_eq!(it.world.trigger(it.trigger).error, None);
    assert_eq!(it.events(), [(30, true), (40, false)]);
    it.world.check_replay();
}

#[test]
fn the_oldest_of_too_many_deferred_evaluations_are_dropped_and_counted() {
    let mut it = Stored::new("max(/h/k,1s)>4", |it| it.multiple = true);
    for n in 0..4_140 {
        it.value(10 + n * 2, 5.0);
    }
    assert_eq!((it.n_waiting(), it.world.shard.counters().deferred_dropped), (4_096, 44));
    it.world.check_replay();
    it.restart(100);
    assert_eq!(it.n_waiting(), 4_096);
    it.answer();
    let wanted: Vec<(i64, bool)> = (44..4_140).map(|it| (10 + it * 2, true)).collect();
    assert_eq!(it.events(), wanted);
}

/// A problem since second 30 that was closed at second 45, while the evaluations at `values` were deferred.
fn closed_behind(values: &[(i64, f64)], n_behind: Option<usize>) -> Stored {
    let mut it = Stored::new("max(/h/k,5s)>4", |it| it.manual_close = true);
    it.value(30, 5.0);
    it.answer();
    assert_eq!(it.events(), [(30, true)]);
    // Windows are cold after a start.
    it.restart(0);
    for (seconds, value) in values {
        it.value(*seconds, *value);
    }
    assert_eq!(it.n_waiting(), values.len());
    it.world.set_time(45);
    it.close();
    it.world.check_replay();
    if let Some(n_behind) = n_behind {
        it.restart(n_behind);
    }
    it
}

#[test]
fn a_problem_closed_by_hand_is_not_opened_again_by_deferred_evaluations_from_before() {
    for n_behind in [None, Some(0), Some(1), Some(2)] {
        let mut it = closed_behind(&[(35, 6.0), (40, 7.0)], n_behind);
        it.answer();
        assert_eq!(it.events(), [(30, true), (45, false)], "{n_behind:?}");
        it.restart(0);
        it.answer();
        assert_eq!(it.events(), [(30, true), (45, false)], "{n_behind:?}");
        it.value(50, 6.0);
        assert_eq!(it.events(), [(30, true), (45, false), (50, true)], "{n_behind:?}");
        it.world.check_replay();
    }
}

#[test]
fn a_trigger_that_was_ok_in_between_fires_again() {
    for n_behind in [None, Some(0), Some(1), Some(3)] {
        let mut it = closed_behind(&[(33, 6.0), (40, 1.0), (42, 7.0)], n_behind);
        it.answer();
        // At 40 the problem would have ended; it has by now.
        assert_eq!(it.events(), [(30, true), (45, false), (42, true)], "{n_behind:?}");
        it.world.check_replay();
    }
}

#[test]
fn a_value_behind_the_closing_opens_a_new_problem() {
    let mut it = closed_behind(&[(40, 6.0)], None);
    it.value(50, 8.0);
    it.world.check_replay();
    it.restart(1);
    it.answer();
    assert_eq!(it.events(), [(30, true), (45, false), (50, true)]);
}

#[test]
fn start_evaluates_no_trigger_again() {
    for n_behind in [0, 1, 3] {
        let mut it = Stored::new("max(/h/k,1m)>4", |it| it.manual_close = true);
        it.value(30, 5.0);
        it.answer();
        it.world.set_time(35);
        it.close();
        it.restart(n_behind);
        assert_eq!(it.n_waiting(), 0);
        it.answer();
        it.world.set_time(60);
        it.world.pass(100);
        assert_eq!(it.events(), [(30, true), (35, false)]);
        // The window is there: the next value is judged at once.
        it.value(101, 5.0);
        assert_eq!(it.events(), [(30, true), (35, false), (101, true)]);
        it.world.check_replay();
    }
}

#[test]
fn a_deferred_evaluation_is_journaled_once_however_often_history_is_asked() {
    let mut it = Stored::new("max(/h/k,5s)>4", |_| {});
    it.value(30, 5.0);
    let is_deferral = |it: &Change| matches!(it, Change::DeferredEvaluation(_));
    let deferred_evaluations =
        |it: &World| it.effects.changes.iter().filter(|it| is_deferral(it)).count();
    assert_eq!(deferred_evaluations(&it.world), 1);
    it.fail();
    assert_eq!(deferred_evaluations(&it.world), 0);
    it.world.pass(100);
    assert_eq!(deferred_evaluations(&it.world), 0);
    it.restart(0);
    assert_eq!(deferred_evaluations(&it.world), 0);
    it.answer();
    let left =
        Change::DeferredEvaluation(DeferredEvaluationRow::Left { trigger: it.trigger, n: 1 });
    assert_eq!(it.world.effects.changes, [left]);
}

#[test]
fn deferred_evaluations_move_with_their_trigger_and_go_with_it() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let mut world = World::new(&config);
    world.value("h", "k", 1, 0.0);
    let trigger = config.trigger(host, "max(/h/k,5s)>4", |_| {});
    world.reconfigure(&mut config);
    world.value("h", "k", 30, 5.0);
    // Another trigger in front of it.
    config.trigger(host, "last(/h/k)>100", |_| {});
    config.edit(host, |it| it.triggers.reverse());
    world.reconfigure(&mut config);
    world.value("h", "k", 40, 1.0);
    assert_eq!(world.shard.sizes().evaluations_deferred, 2);
    world.check_replay();
    let journal = world.journal.len();
    world.restart(journal - 1);
    let mut it = Stored { world, trigger, values: vec![(1, 0.0), (30, 5.0), (40, 1.0)] };
    it.answer();
    assert_eq!(it.events(), [(30, true), (40, false)]);
    // After a start all is cold again.
    it.restart(0);
    it.value(50, 9.0);
    assert_eq!(it.n_waiting(), 1);
    config.edit(host, |it| it.triggers.retain(|it| it.id != trigger));
    it.world.reconfigure(&mut config);
    assert_eq!(it.n_waiting(), 0);
    it.world.check_replay();
    it.restart(2);
    assert_eq!(it.n_waiting(), 0);
}
