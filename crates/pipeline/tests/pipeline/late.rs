//! Late values (older than their item's newest) and values from a clock that is ahead: when triggers
//! are judged for them, and by what.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::{Config, World, at, item};
use jiff::tz::TimeZone;
use lang::expression::{Env, Operand, OperandRef, Operands, Program, Value as Computed, parse};
use lang::functions::{Call, FunctionContext, Sample, SampleValue};
use model::batch::RawRef;
use model::content::{Tag, TriggerContent};
use model::{TriggerId, ValueType};
use pipeline::{FetchFailed, Fetched, Input};
use proptest::prelude::*;
use window::Samples;

/// One item with one trigger, and history that answers at once.
struct Late {
    world: World,
    trigger: TriggerId,
    /// The values of history.
    values: Vec<(i64, f64)>,
    answered: BTreeSet<u64>,
}

impl Late {
    fn new(expression: &str, change: impl FnOnce(&mut TriggerContent)) -> Self {
        let mut config = Config::new();
        let host = config.host("h");
        config.item(host, item("k", ValueType::Float));
        let trigger = config.trigger(host, expression, change);
        let mut world = World::new(&config);
        world.set_time(1_000);
        Self { world, trigger, values: Vec::new(), answered: BTreeSet::new() }
    }

    /// All values in one step.
    fn send(&mut self, values: &[(i64, f64)]) {
        let rows: Vec<_> = values.iter().map(|it| ("k", it.0, RawRef::Float(it.1))).collect();
        let (processed, failed) = self.world.send("h", &rows);
        assert_eq!((processed as usize, failed), (values.len(), 0));
        self.values.extend(values);
        self.values.sort_by_key(|it| it.0);
    }

    fn answer(&mut self) {
        let all = std::mem::take(&mut self.world.fetches);
        for fetch in all.into_iter().filter(|it| self.answered.insert(it.id)) {
            let samples = self.values.iter().map(|it| (at(it.0), it.1)).collect();
            let lsn = Some(self.world.lsn());
            let answer = Fetched { id: fetch.id, samples: Ok(Samples::Float(samples)), lsn };
            self.world.input(Input::Fetched(&[answer]));
        }
    }

    fn events(&self) -> Vec<(i64, bool)> {
        self.world.events_of(self.trigger)
    }

    /// One value each step.
    fn one_by_one(&mut self, values: &[(i64, f64)]) {
        for value in values {
            self.send(&[*value]);
            self.answer();
        }
    }
}

/// The item's newest value is 5 at second 100; then these come.
fn behind(expression: &str, values: &[(i64, f64)]) -> Late {
    let mut it = Late::new(expression, |_| {});
    it.send(&[(100, 5.0)]);
    it.answer();
    it.send(values);
    it.answer();
    it.world.check_replay();
    it
}

fn alternating(n: i64) -> Vec<(i64, f64)> {
    (1..=n).map(|it| (it, if it % 2 == 0 { 20.0 } else { 5.0 })).collect()
}

#[test]
fn a_problem_of_a_late_value_is_resolved_by_the_next_late_value() {
    let mut it = behind("last(/h/k)>10", &alternating(50));
    let mut wanted: Vec<(i64, bool)> = (2..=50).map(|it| (it, it % 2 == 0)).collect();
    // The present is judged once, after all of them.
    wanted.push((100, false));
    assert_eq!(it.events(), wanted);
    assert!(!it.world.trigger(it.trigger).is_problem);
    it.send(&[(200, 5.0)]);
    assert_eq!(it.events(), wanted);
}

#[test]
fn late_values_under_an_open_problem_end_and_open_problems_of_their_own() {
    let mut it = Late::new("last(/h/k)>10", |_| {});
    it.send(&[(100, 20.0)]);
    it.send(&alternating(4));
    assert_eq!(it.events(), [(100, true), (1, false), (2, true), (3, false), (4, true)]);
    assert!(it.world.trigger(it.trigger).is_problem, "as the newest value has it");
    it.world.check_replay();
}

#[test]
fn the_order_within_a_step_is_that_of_time() {
    let mut values = alternating(6);
    values.reverse();
    let it = behind("last(/h/k)>10", &values);
    let wanted: Vec<(i64, bool)> =
        (2..=6).map(|it| (it, it % 2 == 0)).chain([(100, false)]).collect();
    assert_eq!(it.events(), wanted);
}

#[test]
fn a_late_window_that_stays_over_its_threshold_is_one_problem() {
    let values: Vec<(i64, f64)> =
        (1..=12).map(|it| (it, if it <= 3 { 30.0 } else { 1.0 })).collect();
    let it = behind("avg(/h/k,10s)>10", &values);
    // 30 … 30, 22.75, 18.4, 15.5, 13.4, 11.9, 10.7, 9.7
    assert_eq!(it.events(), [(1, true), (10, false)]);
}

#[test]
fn each_step_with_late_values_ends_in_the_present() {
    let mut it = Late::new("last(/h/k)>10", |_| {});
    it.send(&[(100, 5.0)]);
    it.one_by_one(&[(1, 5.0), (2, 20.0), (3, 20.0), (4, 5.0)]);
    assert_eq!(it.events(), [(2, true), (100, false), (3, true), (100, false)]);
    it.world.check_replay();
}

#[test]
fn functions_of_the_newest_values_are_judged_for_late_ones() {
    let values = [(1, 5.0), (2, 20.0), (3, 5.0), (4, 5.0)];
    for (expression, wanted) in [
        ("last(/h/k,#2)>10", vec![(3, true), (4, false)]),
        ("change(/h/k)>0", vec![(2, true), (3, false)]),
        ("min(/h/k,#2)>10", vec![]),
        ("max(/h/k,#2)>10", vec![(2, true), (4, false)]),
        ("max(/h/k,#3)>10", vec![(2, true), (100, false)]),
        ("min(/h/k,#1)>10", vec![(2, true), (3, false)]),
        ("sum(/h/k,#2)=25", vec![(2, true), (4, false)]),
        ("avg(/h/k,#2)>12", vec![(2, true), (4, false)]),
        ("count(/h/k,#2,\"gt\",10)=1", vec![(2, true), (4, false)]),
        ("changecount(/h/k,#2)=1", vec![(2, true), (4, false)]),
        ("find(/h/k,#2,\"eq\",\"20\")=1", vec![(2, true), (4, false)]),
        ("abs(change(/h/k))>10 and last(/h/k)<10", vec![(3, true), (4, false)]),
        ("bitand(last(/h/k),16)=16", vec![(2, true), (3, false)]),
        ("last(/h/k)>last(/h/k,#2)", vec![(2, true), (3, false)]),
    ] {
        let it = behind(expression, &values);
        assert_eq!(it.events(), wanted, "{expression}");
        assert_eq!(it.world.shard.counters().deferred_dropped, 0);
        // The same with values that are there before the late ones.
        let mut it = Late::new(expression, |_| {});
        it.send(&[(0, 5.0), (99, 5.0), (100, 5.0)]);
        it.send(&values);
        it.answer();
        assert_eq!(it.events(), wanted, "{expression}, with values around");
        it.world.check_replay();
        // And as if they had not been late.
        let mut live = Late::new(expression, |_| {});
        live.one_by_one(&values);
        let live = live.events();
        assert_eq!(live, wanted[..live.len()], "{expression}, live");
    }
}

#[test]
fn the_first_of_late_values_has_none_before_it() {
    // Unknown at second 100, and at second 1 as well.
    let mut it = Late::new("change(/h/k)>0", |_| {});
    it.send(&[(100, 5.0)]);
    it.send(&[(1, 20.0)]);
    it.answer();
    assert_eq!(it.events(), []);
    assert!(it.world.trigger(it.trigger).error.is_some(), "nothing has changed");
    let of_trigger = it.world.states.iter().filter(|it| it.error.is_some()).count();
    assert_eq!(of_trigger, 1, "without two values at 100 at first, and at 1");
}

#[test]
fn late_deferred_evaluations_survive_crashes() {
    for n_behind in 0..4 {
        let mut it = Late::new("change(/h/k)>0", |_| {});
        it.send(&[(99, 5.0), (100, 5.0)]);
        it.send(&[(1, 5.0), (2, 20.0), (3, 5.0)]);
        it.send(&[(10, 5.0), (11, 6.0)]);
        assert_eq!(it.world.shard.sizes().evaluations_deferred, 5);
        let n = it.world.journal.len().saturating_sub(n_behind);
        it.world.restart(n);
        it.send(&[(200, 7.0)]);
        it.world.pass(1_001);
        it.answer();
        let wanted = [(2, true), (3, false), (11, true)];
        assert_eq!(it.events(), wanted, "{n_behind}");
        it.world.check_replay();
        let n = it.world.journal.len();
        it.world.restart(n);
        it.world.pass(1_100);
        it.answer();
        assert_eq!(it.events(), wanted, "judged is judged");
    }
}

#[test]
fn late_deferred_evaluations_wait_on_over_a_change_of_configuration() {
    for changes_type in [false, true] {
        let mut config = Config::new();
        let host = config.host("h");
        config.item(host, item("k", ValueType::Float));
        let trigger = config.trigger(host, "change(/h/k)>0", |_| {});
        let mut world = World::new(&config);
        world.set_time(1_000);
        let mut it = Late { world, trigger, values: Vec::new(), answered: BTreeSet::new() };
        it.send(&[(99, 5.0), (100, 5.0)]);
        it.send(&[(1, 5.0), (2, 20.0), (3, 5.0)]);
        config.trigger(host, "last(/h/k)>100", |_| {});
        if changes_type {
            config.edit(host, |it| it.items[0].content = item("k", ValueType::Unsigned).into());
        }
        it.world.reconfigure(&mut config);
        if changes_type {
            // Values of the former type say nothing any more, but the evaluations are not deferred for ever.
            it.world.pass(1_010);
            for fetch in std::mem::take(&mut it.world.fetches) {
                let samples = Ok(Samples::Unsigned(Vec::new()));
                let lsn = Some(it.world.lsn());
                it.world.input(Input::Fetched(&[Fetched { id: fetch.id, samples, lsn }]));
            }
        } else {
            it.answer();
            assert_eq!(it.events(), [(2, true), (3, false)]);
        }
        assert_eq!(it.world.shard.sizes().evaluations_deferred, 0, "{changes_type}");
        it.world.check_replay();
    }
}

#[test]
fn late_evaluations_for_which_too_much_would_be_read_are_dropped_and_counted() {
    let mut it = Late::new("change(/h/k)>0", |_| {});
    it.send(&[(98, 5.0), (99, 7.0), (100, 5.0)]);
    it.send(&[(1, 5.0), (2, 20.0)]);
    let fetch = it.world.fetches.pop().expect("asked for");
    it.send(&[(101, 6.0)]);
    let failed = FetchFailed { is_too_much: true, ..FetchFailed::because("too many values") };
    it.world.input(Input::Fetched(&[Fetched { id: fetch.id, samples: Err(failed), lsn: None }]));
    // The evaluations of seconds 1 and 2 are gone; that of 101 was judged.
    assert_eq!(it.world.shard.counters().deferred_dropped, 2);
    assert_eq!(it.world.trigger(it.trigger).error, None);
    assert_eq!(it.events(), [(99, true), (100, false), (101, true)]);
    assert_eq!(it.world.shard.sizes().evaluations_deferred, 0);
    it.world.check_replay();
    it.send(&[(102, 6.0)]);
    assert_eq!(it.events()[3..], [(102, false)]);
}

#[test]
fn a_whole_packet_of_late_values_may_wait_for_history() {
    let mut it = Late::new("change(/h/k)>0", |it| it.multiple = true);
    it.world.set_time(5_000);
    it.send(&[(4_000, 5.0)]);
    let values: Vec<(i64, f64)> = (1..=1_000_i32).map(|it| (it.into(), it.into())).collect();
    it.send(&values);
    it.answer();
    assert_eq!(it.world.shard.counters().deferred_dropped, 0);
    let wanted: Vec<(i64, bool)> = (2..=1_000).map(|it| (it, true)).collect();
    assert_eq!(it.events(), wanted);
}

#[test]
fn late_values_that_leave_a_trigger_as_it_was_say_nothing_of_the_present() {
    // The window of second 60 has 20 of second 50 only now: as in Zabbix the next value sees it.
    let mut it = Late::new("sum(/h/k,1m)>20", |_| {});
    it.send(&[(60, 5.0)]);
    it.send(&[(50, 20.0)]);
    assert_eq!(it.events(), []);
    it.send(&[(61, 0.0)]);
    assert_eq!(it.events(), [(61, true)]);
    it.world.check_replay();
}

#[test]
fn multiple_generation_says_nothing_of_the_present() {
    let mut it = Late::new("last(/h/k)>10", |it| it.multiple = true);
    it.send(&[(100, 5.0)]);
    it.send(&[(1, 20.0), (2, 20.0), (3, 5.0), (4, 20.0)]);
    assert_eq!(it.events(), [(1, true), (2, true), (3, false), (4, true)]);
    assert!(it.world.trigger(it.trigger).is_problem);
    it.world.check_replay();
}

#[test]
fn a_value_from_a_clock_that_is_ahead_does_not_blind_a_trigger() {
    for expression in ["last(/h/k)>10", "last(/h/k,#1)>10", "min(/h/k,#1)>10", "avg(/h/k,1s)>10"] {
        let mut it = Late::new(expression, |_| {});
        it.send(&[(1_900, 5.0)]);
        it.answer();
        for (seconds, value) in [(1_001, 20.0), (1_002, 21.0), (1_003, 5.0), (1_004, 30.0)] {
            it.world.set_time(seconds);
            it.send(&[(seconds, value)]);
            it.answer();
        }
        assert_eq!(it.events(), [(1_001, true), (1_003, false), (1_004, true)], "{expression}");
        it.world.check_replay();
        // Once the clock has come there the value is the present.
        it.world.set_time(1_901);
        it.send(&[(1_897, 5.0)]);
        it.send(&[(1_899, 30.0)]);
        it.answer();
        let wanted = [(1_897, false), (1_899, true), (1_900, false)];
        assert_eq!(it.events()[3..], wanted, "{expression}");
    }
}

#[test]
fn values_before_a_clock_that_is_ahead_are_judged_by_those_before_them() {
    for (expression, wanted) in [
        ("last(/h/k,#2)>10", vec![(1_002, true), (1_003, false)]),
        ("change(/h/k)>0", vec![(1_001, true), (1_002, false)]),
    ] {
        let mut it = Late::new(expression, |_| {});
        it.send(&[(999, 5.0), (1_900, 5.0)]);
        it.answer();
        for (seconds, value) in [(1_001, 20.0), (1_002, 5.0), (1_003, 5.0)] {
            it.world.set_time(seconds);
            it.send(&[(seconds, value)]);
            it.answer();
        }
        assert_eq!(it.events(), wanted, "{expression}");
    }
}

#[test]
fn the_present_is_the_newest_value_that_is_not_ahead_of_the_clock() {
    let mut it = Late::new("last(/h/k)>10", |_| {});
    it.send(&[(990, 5.0)]);
    it.send(&[(1_900, 30.0)]);
    assert_eq!(it.events(), [(1_900, true)]);
    it.send(&[(985, 5.0)]);
    it.send(&[(980, 20.0)]);
    it.answer();
    // Judged at 980, then at 990; the value of 1,900 is none of the present.
    assert_eq!(it.events(), [(1_900, true), (985, false), (980, true), (990, false)]);
}

#[test]
fn a_timer_judges_the_present_and_nothing_ahead_of_it() {
    let mut it = Late::new("last(/h/k)>10 and time()>0", |_| {});
    it.send(&[(995, 20.0)]);
    it.send(&[(1_900, 5.0)]);
    it.world.pass(1_060);
    let events = it.events();
    // The future value resolves at its own time, as Zabbix has it; the next timer sees the present.
    assert_eq!(events[..2], [(995, true), (1_900, false)]);
    assert_eq!(events.len(), 3, "{events:?}");
    assert!((1_000..=1_060).contains(&events[2].0) && events[2].1, "{events:?}");
}

#[test]
fn items_whose_values_cross_on_their_way_are_judged_in_the_present() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("a", ValueType::Float));
    config.item(host, item("b", ValueType::Float));
    let trigger = config.trigger(host, "last(/h/a)>10 and last(/h/b)>10", |_| {});
    let mut world = World::new(&config);
    world.set_time(1_000);
    world.send("h", &[("a", 10, RawRef::Float(20.0))]);
    assert!(world.trigger(trigger).error.is_some(), "b has no value");
    world.send("h", &[("b", 5, RawRef::Float(20.0))]);
    assert_eq!(world.events_of(trigger), [(10, true)]);
    assert_eq!(world.trigger(trigger).error, None);
    world.check_replay();
}

#[test]
fn masters_are_judged_in_the_present_before_their_dependants() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("up", ValueType::Float));
    config.item(host, item("k", ValueType::Float));
    let master = config.trigger(host, "last(/h/up)=0", |_| {});
    let dependant = config.trigger(host, "last(/h/k)>10", |it| it.dependencies = vec![master]);
    let mut world = World::new(&config);
    world.set_time(1_000);
    world.send("h", &[("up", 100, RawRef::Float(1.0)), ("k", 100, RawRef::Float(20.0))]);
    assert_eq!(world.events_of(dependant), [(100, true)]);
    // At second 50 nothing is up, and nothing is said of the dependant; at 100 both are as before.
    world.send("h", &[("k", 50, RawRef::Float(1.0)), ("up", 50, RawRef::Float(0.0))]);
    assert_eq!(world.events_of(master), [(50, true), (100, false)]);
    assert_eq!(world.events_of(dependant), [(100, true)]);
}

#[test]
fn texts_of_late_events_have_the_value_of_their_moment() {
    let named = |it: &mut TriggerContent| {
        it.event_name = "{ITEM.VALUE} {ITEM.LASTVALUE} {?last(//k)}".to_owned();
        it.opdata = "{ITEM.VALUE1}".to_owned();
        it.tags = vec![Tag { tag: "value".to_owned(), value: "{ITEM.VALUE}".to_owned() }];
    };
    for expression in ["last(/h/k)>10", "last(/h/k,#2)<10 and last(/h/k)>10", "avg(/h/k,1s)>10"] {
        let mut it = Late::new(expression, named);
        it.send(&[(40, 7.0), (99, 6.0), (100, 5.0)]);
        it.send(&[(50, 20.0)]);
        it.answer();
        let wanted = [("20 5 20", "[[1,\"20\"]]", "20"), ("5 5 5", "[[1,\"5\"]]", "5")];
        let seen = it.world.events.iter().map(|(_, it)| {
            let tag = it.tags.first().map_or("", |it| it.value.as_str());
            (it.name.as_str(), it.opdata.as_str(), tag)
        });
        assert_eq!(seen.collect::<Vec<_>>(), wanted, "{expression}");
    }
}

#[test]
fn a_late_event_waits_for_a_value_that_only_history_has() {
    // Judged without any value of k; its name wants the one of its time.
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    config.item(host, item("other", ValueType::Float));
    let trigger = config.trigger(host, "last(/h/other)>10 and nodata(/h/k,1d)=0", |it| {
        it.event_name = "other {ITEM.VALUE1}, k {ITEM.VALUE2}".to_owned();
    });
    let mut world = World::new(&config);
    world.set_time(1_000);
    let value = RawRef::Float;
    for (seconds, of_k) in [(10, 1.0), (20, 2.0), (30, 3.0), (40, 4.0)] {
        world.send("h", &[("k", seconds, value(of_k))]);
    }
    world.send("h", &[("other", 25, value(20.0))]);
    assert_eq!(world.events_of(trigger), []);
    let fetch = *world.fetches.last().expect("asked for");
    let stored = [(10, 1.0), (20, 2.0), (30, 3.0), (40, 4.0)];
    let samples = stored.iter().map(|it| (at(it.0), it.1)).collect();
    let lsn = Some(world.lsn());
    let answer = Fetched { id: fetch.id, samples: Ok(Samples::Float(samples)), lsn };
    world.input(Input::Fetched(&[answer]));
    assert_eq!(world.events_of(trigger), [(25, true)]);
    assert_eq!(world.events[0].1.name, "other 20, k 2");
    world.check_replay();
}

#[test]
fn late_texts_are_judged_by_themselves() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Log));
    let found = config.trigger(host, "find(/h/k,,\"like\",\"bad\")=1", |it| {
        it.event_name = "{ITEM.VALUE}".to_owned();
    });
    let changed = config.trigger(host, "change(/h/k)=1", |_| {});
    let mut world = World::new(&config);
    world.set_time(1_000);
    world.send("h", &[("k", 99, RawRef::Text("fine")), ("k", 100, RawRef::Text("fine"))]);
    let late = [("k", 10, "bad 1"), ("k", 11, "good"), ("k", 12, "good"), ("k", 13, "bad 2")];
    let rows: Vec<_> = late.iter().map(|it| (it.0, it.1, RawRef::Text(it.2))).collect();
    world.send("h", &rows);
    assert_eq!(world.events_of(found), [(10, true), (11, false), (13, true), (100, false)]);
    assert_eq!(world.events[0].1.name, "bad 1");
    let fetch = *world.fetches.last().expect("asked for");
    let all = late.iter().map(|it| (it.1, it.2)).chain([(99, "fine"), (100, "fine")]);
    let samples = all.map(|it| {
        let entry = model::value::LogEntry { value: it.1.to_owned(), ..Default::default() };
        (at(it.0), model::Value::Log(entry.into()))
    });
    let lsn = Some(world.lsn());
    let samples = Ok(Samples::Text(samples.collect()));
    world.input(Input::Fetched(&[Fetched { id: fetch.id, samples, lsn }]));
    assert_eq!(world.events_of(changed), [(11, true), (12, false), (13, true), (100, false)]);
    world.check_replay();
}

#[test]
fn nodata_is_judged_by_the_clock_and_not_by_late_values() {
    let mut it = Late::new("nodata(/h/k,30s)=1", |_| {});
    it.world.set_time(0);
    it.world.pass(100);
    let [(began, true)] = it.events()[..] else { panic!("{:?}", it.events()) };
    assert!((30..=60).contains(&began), "{began}");
    for seconds in [0, 10, 20, 60] {
        it.send(&[(seconds, 1.0)]);
        it.world.pass(100 + seconds);
        assert_eq!(it.events().len(), 1, "a value from before the period changes nothing");
    }
    it.world.set_time(170);
    it.send(&[(150, 1.0)]);
    assert_eq!(it.events()[1..], [(150, false)]);
    it.world.pass(220);
    assert_eq!(it.events().len(), 3);
    it.world.check_replay();
}

#[test]
fn nodata_does_not_take_a_value_ahead_of_the_clock_for_data() {
    let mut it = Late::new("nodata(/h/k,30s)=1", |_| {});
    it.world.set_time(0);
    it.send(&[(10_000, 1.0), (10_001, 1.0)]);
    it.answer();
    it.world.pass(100);
    it.answer();
    let events = it.events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(events[0].1 && (30..=60).contains(&events[0].0), "{events:?}");
}

#[test]
fn the_sum_of_no_values_is_nothing() {
    let mut it = Late::new("sum(/h/k,4s:now-100s)=0", |_| {});
    it.send(&[(999, 5.0)]);
    it.answer();
    assert_eq!(it.events(), [(999, true)]);
    let mut it = Late::new("sum(/h/k,4s:now-100s)=0 and max(/h/k,1s)>1", |_| {});
    it.send(&[(990, 5.0)]);
    it.send(&[(500, 5.0)]);
    it.answer();
    assert_eq!(it.events(), [(990, true)]);
}

#[test]
fn a_window_that_reaches_ahead_has_no_values_of_later_moments() {
    let expression = "avg(/h/k,1h:now/h+1h)>10";
    let values = [(10, 1.0), (20, 1.0), (30, 40.0), (40, 100.0)];
    let mut live = Late::new(expression, |_| {});
    live.one_by_one(&values);
    assert_eq!(live.events(), [(30, true)]);
    // All are there when the first one is judged, because its window had to be read.
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let mut world = World::new(&config);
    world.value("h", "k", 1, 1.0);
    let trigger = config.trigger(host, expression, |_| {});
    world.reconfigure(&mut config);
    world.set_time(1_000);
    let (values, answered) = ([(1, 1.0)].iter().chain(&values).copied(), BTreeSet::new());
    let mut waits = Late { world, trigger, values: vec![(1, 1.0)], answered };
    waits.send(&values.skip(1).collect::<Vec<_>>());
    assert_eq!(waits.events(), []);
    waits.answer();
    assert_eq!(waits.events(), [(30, true)]);
}

/// The behavior of a trigger over one item by the rule: each value is judged at its own time, those
/// of a step in order of time, by all values up to then; if late ones leave it other than it was,
/// the present is.
struct Model {
    expression: String,
    multiple: bool,
    values: BTreeMap<i64, f64>,
    is_problem: bool,
    is_unknown: bool,
    events: Vec<(i64, bool)>,
}

struct Naive(Vec<Result<Computed, String>>);

impl Operands for Naive {
    fn operand(&self, idx: usize) -> Operand<'_> {
        match &self.0[idx] {
            Ok(Computed::Number(it)) => Operand::Number(*it),
            Ok(Computed::UInt(it)) => Operand::UInt(*it),
            Ok(it) => panic!("{it:?} is no number"),
            Err(why) => Operand::Unknown(why),
        }
    }
}

impl Model {
    fn judge(&mut self, seconds: i64) {
        let ast = parse(&self.expression).expect("a good expression");
        let program = Program::compile(&ast).expect("a good expression");
        let values = self.values.range(..=seconds);
        let samples: Vec<Sample<'_>> =
            values.map(|it| Sample { time: at(*it.0), value: SampleValue::Float(*it.1) }).collect();
        let zone = TimeZone::UTC;
        let context = FunctionContext::new(at(seconds), &zone, ValueType::Float);
        let functions = program.operands().iter().map(|it| {
            let OperandRef::HistoryCall(it) = it else { panic!("{it:?}") };
            let call = &ast.history_calls()[*it];
            let parameters = ast.call_args(call).collect::<Vec<_>>().join(",");
            let call = Call::parse(ast.call_name(call), &parameters).expect("a good call");
            call.eval(&samples, &context).map_err(|it| it.to_string())
        });
        let env = Env::new(at(seconds), &zone);
        let verdict = program.eval_truth(&Naive(functions.collect()), &env);
        self.is_unknown = verdict.is_err();
        let Ok(verdict) = verdict else { return };
        if verdict != self.is_problem || verdict && self.multiple {
            self.is_problem = verdict;
            self.events.push((seconds, verdict));
        }
    }

    fn step(&mut self, now: i64, values: &[(i64, f64)]) {
        let mut values = values.to_vec();
        values.sort_by_key(|it| it.0);
        let (mut is_behind, mut last, mut before) = (false, 0, (false, false));
        for (seconds, value) in values {
            if !is_behind {
                before = (self.is_problem, self.is_unknown);
            }
            self.values.insert(seconds, value);
            self.judge(seconds);
            last = seconds;
            is_behind |= self.values.last_key_value().is_some_and(|it| seconds < *it.0);
        }
        let is_as_before = before.0 == self.is_problem && (before.1 || !self.is_unknown);
        let present = self.values.range(..=now).next_back().map(|it| *it.0);
        if let Some(present) = present
            && is_behind
            && !is_as_before
            && last < present
            && !self.multiple
        {
            self.judge(present);
        }
    }
}

const EXPRESSIONS: [&str; 16] = [
    "last(/h/k)>5",
    "last(/h/k,#2)>5",
    "change(/h/k)>1",
    "abs(change(/h/k))>3 or last(/h/k)=7",
    "min(/h/k,#2)>3",
    "max(/h/k,#3)<7",
    "avg(/h/k,#4)>4",
    "avg(/h/k,30s)>4",
    "sum(/h/k,10s:now-5s)=0",
    "count(/h/k,20s,\"gt\",3)>2",
    "count(/h/k,#2,\"gt\",3)=1",
    "changecount(/h/k,#3)=2",
    "percentile(/h/k,#3,50)>4",
    "last(/h/k)>last(/h/k,#2) and last(/h/k)>3",
    "last(/h/k,#3)>5",
    "avg(/h/k,1m)>last(/h/k)",
];

/// Steps of (seconds to wait, [(seconds before now, value)]); ahead of the clock where negative.
fn steps() -> impl Strategy<Value = Vec<(i64, Vec<(i64, u8)>)>> {
    let back = prop_oneof![6 => Just(0_i64), 4 => 1_i64..30, 2 => 100_i64..400, 1 => -40_i64..0];
    let rows = prop::collection::vec((back, 0_u8..10), 1..6);
    prop::collection::vec((1_i64..20, rows), 1..30)
}

proptest! {
    #[test]
    fn late_and_early_values_give_the_events_of_the_rule(
        expression in prop::sample::select(&EXPRESSIONS[..]),
        multiple in any::<bool>(),
        steps in steps(),
    ) {
        let mut shard = Late::new(expression, |it| it.multiple = multiple);
        let mut model = Model {
            expression: expression.to_owned(),
            multiple,
            values: BTreeMap::new(),
            is_problem: false,
            is_unknown: false,
            events: Vec::new(),
        };
        let mut now = 1_000;
        for (wait, rows) in steps {
            now += wait;
            shard.world.set_time(now);
            // One value a second: of several the first one.
            let mut values: BTreeMap<i64, f64> = BTreeMap::new();
            for (back, value) in rows {
                // One ahead of the clock at a time: with more, memory does not have those before
                // them.
                let n_ahead = model.values.keys().chain(values.keys()).filter(|it| now < **it);
                let is_ahead = back < 0 && n_ahead.count() != 0;
                if !is_ahead && !model.values.contains_key(&(now - back)) {
                    values.entry(now - back).or_insert(value.into());
                }
            }
            if values.is_empty() {
                continue;
            }
            // From new to old, to be put in order by the shard.
            let values: Vec<(i64, f64)> = values.into_iter().rev().collect();
            shard.send(&values);
            shard.answer();
            model.step(now, &values);
            prop_assert_eq!(shard.events(), &model.events[..]);
        }
        shard.world.check_replay();
    }
}
