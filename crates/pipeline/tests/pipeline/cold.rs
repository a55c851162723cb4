//! Windows that history has to fill: the requests, and the effects of answers.

use crate::kit::{Config, World, at, item};
use model::batch::RawRef;
use model::{Time, TriggerId, ValueType};
use pipeline::{Fetch, FetchFailed, Fetched, Input};
use window::Samples;

/// A world whose item had values before the trigger came: its window is cold.
fn cold(expression: &str, before: &[(i64, f64)]) -> (World, TriggerId) {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let mut world = World::new(&config);
    for (seconds, value) in before {
        world.value("h", "k", *seconds, *value);
    }
    let trigger = config.trigger(host, expression, |_| {});
    world.reconfigure(&mut config);
    (world, trigger)
}

/// The values of history that the fetch asks for.
fn answer(world: &World, fetch: &Fetch, stored: &[(i64, f64)]) -> Fetched {
    let all: Vec<(Time, f64)> = stored.iter().map(|it| (at(it.0), it.1)).collect();
    let first = all.partition_point(|it| it.0 <= fetch.from);
    let counted = all.partition_point(|it| it.0 <= fetch.count_until);
    let first = first.min(counted.saturating_sub(fetch.count as usize));
    let samples = Samples::Float(all[first..].to_vec());
    Fetched { id: fetch.id, samples: Ok(samples), lsn: Some(world.lsn()) }
}

#[test]
fn a_trigger_waits_for_its_window_and_is_then_judged_at_each_moment_that_passed() {
    let before = [(10, 4.0), (20, 4.0)];
    let (mut world, trigger) = cold("sum(/h/k,1m)>10", &before);
    world.value("h", "k", 30, 3.0);
    let fetch = world.effects.fetches[0];
    assert!(fetch.from < at(0), "the whole window");
    assert_eq!(world.events_of(trigger), []);
    // One question at a time; the evaluations are deferred.
    world.value("h", "k", 40, 1.0);
    world.value("h", "k", 100, 1.0);
    assert!(world.effects.fetches.is_empty());
    assert_eq!(world.shard.sizes().evaluations_deferred, 3);
    let stored = [(10, 4.0), (20, 4.0), (30, 3.0), (40, 1.0), (100, 1.0)];
    let fetched = answer(&world, &fetch, &stored);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(trigger), [(30, true), (100, false)]);
    assert_eq!(world.shard.sizes().evaluations_deferred, 0);
    world.check_replay();
}

#[test]
fn values_that_come_while_history_reads_count_once() {
    let (mut world, trigger) = cold("count(/h/k,1m)=3", &[(10, 1.0)]);
    world.value("h", "k", 20, 1.0);
    let fetch = world.effects.fetches[0];
    // The answer stands for what was written before this value.
    let fetched = answer(&world, &fetch, &[(10, 1.0), (20, 1.0)]);
    world.value("h", "k", 30, 1.0);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(trigger), [(30, true)]);
    // Without a known position equal values of equal time count once.
    let (mut world, trigger) = cold("count(/h/k,1m)=3", &[(10, 1.0)]);
    world.value("h", "k", 20, 1.0);
    let fetch = world.effects.fetches[0];
    world.value("h", "k", 30, 1.0);
    let mut fetched = answer(&world, &fetch, &[(10, 1.0), (20, 1.0), (30, 1.0)]);
    fetched.lsn = None;
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(trigger), [(30, true)]);
}

#[test]
fn windows_by_count_reach_back_as_far_as_there_are_values() {
    const DAY: i64 = 86_400;
    let stored: Vec<(i64, f64)> = (0..40).map(|it| (it * DAY - 40 * DAY, 1.0)).collect();
    let (mut world, trigger) = cold("sum(/h/k,#5)=5", &[(1, 1.0)]);
    let mut stored = [&stored[..], &[(1, 1.0)]].concat();
    world.value("h", "k", 2, 1.0);
    let fetch = world.effects.fetches[0];
    assert!(5 <= fetch.count);
    stored.push((2, 1.0));
    let fetched = answer(&world, &fetch, &stored);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(trigger), [(2, true)]);
    assert!(world.effects.fetches.is_empty(), "the answer was enough");
    // Fewer values than asked for: that is all there is.
    let (mut world, trigger) = cold("sum(/h/k,#50)=2", &[(1, 1.0)]);
    world.value("h", "k", 2, 1.0);
    let fetch = world.effects.fetches[0];
    let fetched = answer(&world, &fetch, &[(1, 1.0), (2, 1.0)]);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(trigger), [(2, true)]);
    world.value("h", "k", 3, 1.0);
    assert_eq!(world.events_of(trigger), [(2, true), (3, false)]);
    assert!(world.effects.fetches.is_empty());
}

#[test]
fn late_evaluations_of_busy_items_find_their_values() {
    // Many values after the late one, so that the newest ones alone say nothing of its window.
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let trigger = config.trigger(host, "sum(/h/k,#3)=4", |it| it.multiple = true);
    let mut world = World::new(&config);
    let mut stored = Vec::new();
    for seconds in 1..=400 {
        let seconds = if seconds < 5 { seconds } else { 1_000 + seconds };
        world.value("h", "k", seconds, 1.0);
        stored.push((seconds, 1.0));
    }
    world.send("h", &[("k", 1_002, RawRef::Float(2.0))]);
    stored.insert(4, (1_002, 2.0));
    for _ in 0..3 {
        let Some(fetch) = world.fetches.pop() else { break };
        let fetched = answer(&world, &fetch, &stored);
        world.input(Input::Fetched(&[fetched]));
    }
    assert_eq!(world.events_of(trigger), [(1_002, true)]);
    assert!(world.fetches.is_empty());
}

#[test]
fn a_store_that_cannot_answer_makes_the_trigger_unknown_until_it_can() {
    let (mut world, trigger) = cold("max(/h/k,1m)>3", &[(10, 4.0)]);
    world.value("h", "k", 20, 1.0);
    let fetch = world.effects.fetches[0];
    let failed =
        Fetched { id: fetch.id, samples: Err(FetchFailed::because("the disk is gone")), lsn: None };
    world.input(Input::Fetched(&[failed]));
    let error = world.trigger(trigger).error.expect("unknown");
    assert!(error.contains("the disk is gone"), "{error}");
    assert_eq!(world.events_of(trigger), []);
    // Asked again after half a minute.
    world.pass(45);
    assert_eq!(world.fetches.len(), 1);
    world.pass(55);
    let again = world.fetches[1];
    let fetched = answer(&world, &again, &[(10, 4.0), (20, 1.0)]);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.trigger(trigger).error, None);
    assert_eq!(world.events_of(trigger), [(20, true)]);
    world.check_replay();
}

#[test]
fn a_late_value_before_the_window_that_is_held_is_judged_with_what_history_has() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let trigger = config.trigger(host, "sum(/h/k,10s)=3", |it| it.multiple = true);
    let mut world = World::new(&config);
    let mut stored = Vec::new();
    for seconds in 1..=60 {
        world.value("h", "k", seconds * 10, 1.0);
        stored.push((seconds * 10, 1.0));
    }
    // Ten minutes late: the ring has let go of that time.
    world.send("h", &[("k", 25, RawRef::Float(2.0))]);
    assert_eq!(world.events_of(trigger), []);
    let fetch = world.effects.fetches[0];
    assert!(fetch.from <= at(15));
    stored.insert(2, (25, 2.0));
    let fetched = answer(&world, &fetch, &stored);
    world.input(Input::Fetched(&[fetched]));
    assert_eq!(world.events_of(trigger), [(25, true)]);
}

#[test]
fn a_calculated_item_is_computed_for_its_time_once_its_window_is_loaded() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let mut world = World::new(&config);
    for (seconds, value) in [(10, 4.0), (20, 5.0)] {
        world.value("h", "k", seconds, value);
    }
    let mut content = item("sum", ValueType::Float);
    content.kind = model::content::ItemType::Calculated;
    content.delay = "1d".to_owned();
    content.params = "sum(//k,1h)".to_owned();
    let sum = config.item(host, content);
    world.reconfigure(&mut config);
    // Somebody asks for it now; its window is not there.
    let slot = world.directory.by_item(sum).expect("it is there").slot;
    world.set_time(30);
    world.shard.calculate_soon(slot, sum, world.now);
    world.pass(32);
    let fetch = world.fetches[0];
    assert_eq!(world.last("h", "sum"), pipeline::Last::default());
    // History takes its time; meanwhile the item is computed again.
    world.set_time(50);
    world.shard.calculate_soon(slot, sum, world.now);
    world.pass(52);
    world.set_time(60);
    let fetched = answer(&world, &fetch, &[(10, 4.0), (20, 5.0)]);
    world.input(Input::Fetched(&[fetched]));
    let pipeline::Last { last: Some(last), prev: Some(prev), .. } = world.last("h", "sum") else {
        panic!("both are computed");
    };
    assert_eq!([&last.1, &prev.1], [&model::Value::Float(9.0); 2]);
    assert!((at(30)..=at(32)).contains(&prev.0), "for its own time");
    assert!((at(50)..=at(52)).contains(&last.0), "for its own time");
    world.check_replay();
}
