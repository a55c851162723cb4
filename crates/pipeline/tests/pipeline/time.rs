//! Effects of time: nodata, calculated items, windows that history fills.

use crate::kit::{Config, World, at, item};
use model::batch::RawRef;
use model::content::ItemType;
use model::{Time, Value, ValueType};
use pipeline::{Effects, FetchFailed, Fetched, Input};
use window::Samples;

fn nodata_world() -> (World, model::TriggerId, Config) {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let trigger = config.trigger(host, "nodata(/h/k,60s)=1", |_| {});
    (World::new(&config), trigger, config)
}

#[test]
fn nodata_is_unknown_until_its_period_has_passed_since_creation() {
    let (mut world, trigger, _) = nodata_world();
    world.pass(50);
    let error = world.trigger(trigger).error.expect("unknown");
    assert_eq!(
        &*error,
        "Cannot evaluate function nodata(/h/k,60s): item does not have enough data after server \
         start or item creation."
    );
    world.pass(95);
    assert!(world.trigger(trigger).is_problem);
    let [(seconds, true)] = world.events_of(trigger)[..] else { panic!("one problem") };
    assert!((60..=90).contains(&seconds), "{seconds}");
    world.value("h", "k", 100, 1.0);
    world.pass(155);
    assert_eq!(world.events_of(trigger)[1..], [(100, false)]);
    world.pass(200);
    assert_eq!(world.events_of(trigger).len(), 3);
    world.check_replay();
}

#[test]
fn nodata_survives_a_restart_without_storm_and_without_hiding() {
    let (mut world, trigger, _) = nodata_world();
    world.value("h", "k", 10, 1.0);
    world.pass(40);
    // The server is away for 1,000 s: the 30 s that were observed count, the absence does not.
    let mut shard = world.replayed(1);
    world.set_time(1_040);
    let mut effects = Effects::default();
    shard.start(world.now, &mut effects);
    world.shard = shard;
    world.pass(1_065);
    assert_eq!(world.events_of(trigger), []);
    assert!(world.trigger(trigger).error.is_some());
    world.pass(1_110);
    let [(seconds, true)] = world.events_of(trigger)[..] else { panic!("one problem") };
    // The last record may be from before second 40: nobody knows of the time after it.
    assert!((1_070..=1_106).contains(&seconds), "{seconds}");
}

#[test]
fn enabling_restarts_the_nodata_period() {
    let (mut world, trigger, mut config) = nodata_world();
    let host = config.snapshot.host_named("h").expect("a host").id;
    let set = |config: &mut Config, status| config.edit(host, |it| it.status = status);
    world.value("h", "k", 10, 1.0);
    set(&mut config, model::content::HostStatus::NotMonitored);
    world.reconfigure(&mut config);
    world.pass(500);
    assert_eq!(world.events_of(trigger), []);
    set(&mut config, model::content::HostStatus::Monitored);
    world.reconfigure(&mut config);
    world.pass(550);
    assert_eq!(world.events_of(trigger), []);
    world.pass(600);
    assert_eq!(world.events_of(trigger).len(), 1);
    world.check_replay();
}

#[test]
fn a_window_without_time_function_never_fires_because_time_passed() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let trigger = config.trigger(host, "count(/h/k,10s)=0", |_| {});
    let mut world = World::new(&config);
    world.value("h", "k", 1, 1.0);
    world.pass(500);
    assert_eq!(world.events_of(trigger), []);
}

#[test]
fn time_functions_are_judged_each_half_minute() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let trigger = config.trigger(host, "last(/h/k)=1 and time()>=000100", |_| {});
    let mut world = World::new(&config);
    world.value("h", "k", 1, 1.0);
    world.pass(55);
    assert_eq!(world.events_of(trigger), []);
    world.pass(100);
    assert_eq!(world.events_of(trigger).len(), 1);
}

#[test]
fn calculated_items_follow_their_interval() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("a", ValueType::Float));
    config.item(host, item("b", ValueType::Unsigned));
    let mut content = item("sum", ValueType::Float);
    content.kind = ItemType::Calculated;
    content.delay = "10s".to_owned();
    content.params = "last(//a)+2*last(/h/b)+avg(//a,1m)".to_owned();
    config.item(host, content);
    let trigger = config.trigger(host, "last(/h/sum)>10", |_| {});
    let mut world = World::new(&config);
    world.pass(12);
    assert_eq!(world.last("h", "sum"), pipeline::Last::default());
    world.value("h", "a", 15, 1.0);
    world.text("h", "b", 16, "5");
    world.pass(30);
    assert_eq!(world.last_value("h", "sum"), Some(Value::Float(12.0)));
    assert_eq!(world.events_of(trigger).len(), 1);
    let time = world.last("h", "sum").last.expect("a value").0;
    world.pass(39);
    let next = world.last("h", "sum").last.expect("a value").0;
    assert!(next.since_ns(time) <= 10 * model::time::NANOS);
    world.check_replay();
}

#[test]
fn calculated_items_go_on_when_the_clock_is_set_back() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("a", ValueType::Float));
    config.item(host, calculated("twice", "2*last(//a)"));
    let mut world = World::new(&config);
    world.value("h", "a", 1, 1.0);
    world.pass(20_000);
    world.set_clock_back(3_600);
    world.pass_seconds(20);
    let n = world.shard.counters().evaluations;
    world.pass_seconds(100);
    assert_eq!(world.shard.counters().evaluations, n + 10);
    world.check_replay();
}

fn calculated(key: &str, formula: &str) -> model::content::ItemContent {
    let mut content = item(key, ValueType::Float);
    content.kind = ItemType::Calculated;
    content.delay = "10s".to_owned();
    content.params = formula.to_owned();
    content
}

fn error_of(world: &World, key: &str) -> Option<String> {
    world.last("h", key).error.map(|it| it.to_string())
}

/// The item's interval and two minutes.
const PATIENCE_S: i64 = 130;

#[test]
fn a_calculated_item_waits_for_the_first_values_of_what_it_reads() {
    let mut config = Config::new();
    let host = config.host("h");
    for key in ["a", "b", "never"] {
        config.item(host, item(key, ValueType::Float));
    }
    config.item(host, calculated("change", "change(//a)"));
    config.item(host, calculated("share", "100*last(//a)/count(//b,1m)"));
    config.item(host, calculated("late", "last(//never)"));
    let mut world = World::new(&config);
    world.pass(40);
    world.value("h", "a", 41, 1.0);
    world.pass(PATIENCE_S - 1);
    for key in ["change", "share", "late"] {
        assert_eq!(world.last("h", key), pipeline::Last::default(), "{key}");
    }
    assert!(world.states.is_empty(), "{:?}", world.states);
    world.pass(PATIENCE_S + 11);
    for key in ["change", "late"] {
        let error = error_of(&world, key).expect("patience ends");
        assert!(error.contains("not enough data"), "{error}");
    }
    assert!(error_of(&world, "share").expect("patience ends").contains("division by zero"));
    world.value("h", "a", 200, 3.0);
    world.pass(220);
    assert_eq!(world.last_value("h", "change"), Some(Value::Float(2.0)));
    assert_eq!(error_of(&world, "change"), None);
    world.check_replay();
}

#[test]
fn permanent_errors_are_reported_at_once() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("fine", ValueType::Float));
    config.item(host, item("broken", ValueType::Float));
    let mut off = item("off", ValueType::Float);
    off.status = model::content::ItemStatus::Disabled;
    config.item(host, off);
    for (key, formula) in [
        ("on_broken", "last(//fine,#2)+last(//broken)"),
        ("on_off", "last(//off)"),
        ("on_nothing", "last(//fine)+last(//nothing)"),
        ("zero", "last(//fine)/0"),
    ] {
        config.item(host, calculated(key, formula));
    }
    let mut world = World::new(&config);
    world.value("h", "fine", 1, 1.0);
    world.value("h", "fine", 2, 1.0);
    world.text("h", "broken", 3, "no number");
    world.pass(20);
    for key in ["on_broken", "on_off", "on_nothing", "zero"] {
        assert!(error_of(&world, key).is_some(), "{key}");
    }
}

#[test]
fn patience_with_missing_values_counts_from_the_last_birth_and_survives_restarts() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("a", ValueType::Float));
    config.item(host, calculated("old", "last(//a)+last(//b)"));
    let mut world = World::new(&config);
    world.value("h", "a", 1, 1.0);
    world.pass(300);
    let error = error_of(&world, "old").expect("there is no such item");
    assert!(error.contains("does not exist"), "{error}");
    // Now there is: it gets the same time to come.
    config.item(host, item("b", ValueType::Float));
    config.item(host, calculated("new", "last(//b)"));
    world.reconfigure(&mut config);
    world.pass(300 + PATIENCE_S - 1);
    assert_eq!(error_of(&world, "new"), None);
    // The server runs all the time: values that it misses do not count.
    world.value("h", "a", 300 + PATIENCE_S - 1, 2.0);
    world.restart(world.journal.len() / 2);
    world.pass(300 + PATIENCE_S + 11);
    assert!(error_of(&world, "new").expect("patience ends").contains("not enough data"));
}

fn window_world() -> (World, model::TriggerId, Config) {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let mut world = World::new(&config);
    for seconds in [10, 20, 30] {
        world.value("h", "k", seconds, 1.0);
    }
    let trigger = config.trigger(host, "sum(/h/k,1m)>3", |_| {});
    world.reconfigure(&mut config);
    (world, trigger, config)
}

fn answer(world: &World, lsn: Option<u64>, values: &[(i64, f64)]) -> Vec<Fetched> {
    let fetch = world.effects.fetches[0];
    let samples = values.iter().map(|(seconds, value)| (at(*seconds), *value)).collect();
    vec![Fetched { id: fetch.id, samples: Ok(Samples::Float(samples)), lsn }]
}

#[test]
fn a_cold_window_is_fetched_and_judged_later_in_order() {
    let (mut world, trigger, _) = window_world();
    world.value("h", "k", 40, 1.0);
    let fetch = world.effects.fetches[0];
    assert!(fetch.from <= Time(at(40).0 - 60 * model::time::NANOS) && at(40) <= fetch.until);
    assert_eq!(world.events_of(trigger), []);
    let lsn = world.lsn();
    let stored = [(10, 1.0), (20, 1.0), (30, 1.0), (40, 1.0)];
    let answers = answer(&world, Some(lsn), &stored);
    // Meanwhile values go on arriving; nothing is asked twice.
    world.value("h", "k", 50, 0.0);
    assert!(world.effects.fetches.is_empty());
    world.value("h", "k", 85, 0.0);
    assert_eq!(world.events_of(trigger), []);
    world.input(Input::Fetched(&answers));
    assert_eq!(world.events_of(trigger), [(40, true), (85, false)]);
    assert_eq!(world.shard.sizes().evaluations_deferred, 0);
    world.check_replay();
}

#[test]
fn an_answer_of_unknown_position_merges_without_doubles() {
    let (mut world, trigger, _) = window_world();
    world.value("h", "k", 40, 0.5);
    let stored = [(10, 1.0), (20, 1.0), (30, 1.0), (40, 0.5), (50, 0.4)];
    let answers = answer(&world, None, &stored);
    world.value("h", "k", 50, 0.4);
    world.input(Input::Fetched(&answers));
    assert_eq!(world.events_of(trigger), [(40, true)]);
    // 1 + 1 + 0.5 + 0.4 + 0.1 are not over 3 any more: a value counted twice would keep the
    // problem.
    world.value("h", "k", 75, 0.1);
    assert_eq!(world.events_of(trigger), [(40, true), (75, false)]);
}

#[test]
fn history_that_fails_makes_waiting_triggers_unknown_and_is_asked_again() {
    let (mut world, trigger, _) = window_world();
    world.value("h", "k", 40, 1.0);
    let id = world.effects.fetches[0].id;
    let failed = FetchFailed::because("disk on fire");
    world.input(Input::Fetched(&[Fetched { id, samples: Err(failed), lsn: None }]));
    let error = world.trigger(trigger).error.expect("unknown");
    assert!(error.contains("disk on fire"), "{error}");
    let mut asked = None;
    for seconds in 41..80 {
        world.set_time(seconds);
        world.input(Input::Timer);
        asked = asked.or(world.effects.fetches.first().copied());
        if asked.is_some() {
            break;
        }
    }
    assert_ne!(asked.expect("asked again").id, id);
    let answers = answer(&world, None, &[(10, 1.0), (20, 1.0), (30, 1.0), (40, 1.0)]);
    world.input(Input::Fetched(&answers));
    assert_eq!(world.events_of(trigger), [(40, true)]);
    assert_eq!(world.trigger(trigger).error, None);
}

#[test]
fn a_new_item_needs_no_history() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    config.trigger(host, "sum(/h/k,1h)>3 or avg(/h/k,#10)>5", |_| {});
    let mut world = World::new(&config);
    world.value("h", "k", 10, 9.0);
    assert!(world.effects.fetches.is_empty());
    assert_eq!(world.events.len(), 1);
}

#[test]
fn a_late_value_is_judged_at_its_own_time() {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", ValueType::Float));
    let sum = config.trigger(host, "sum(/h/k,20s)=5", |_| {});
    let last = config.trigger(host, "last(/h/k)=3", |_| {});
    let mut world = World::new(&config);
    world.value("h", "k", 10, 1.0);
    world.value("h", "k", 20, 2.0);
    world.value("h", "k", 40, 7.0);
    world.set_time(41);
    world.send("h", &[("k", 21, RawRef::Float(3.0))]);
    // At second 21 the window held 1 (of second 10), 2 and 3: 6; the value itself is the last one.
    assert_eq!(world.events_of(sum), []);
    // The present is judged again after it.
    assert_eq!(world.events_of(last), [(21, true), (40, false)]);
    world.send("h", &[("k", 30, RawRef::Float(0.0))]);
    assert_eq!(world.events_of(sum), [(30, true), (40, false)]);
    world.check_replay();
}
