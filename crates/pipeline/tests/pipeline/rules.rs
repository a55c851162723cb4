//! Rules of evaluation, one case each: unknown values, effects of time, recoveries.

use crate::kit::{Config, World, at, item};
use model::batch::RawRef;
use model::content::{ItemType, RecoveryMode, Step};
use model::{EventId, HostId, TriggerId, UserId, Value, ValueType};
use pipeline::{CloseProblem, Input};

fn two_items() -> (Config, HostId) {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("a", ValueType::Float));
    config.item(host, item("b", ValueType::Float));
    (config, host)
}

fn fails(world: &mut World, key: &str, seconds: i64) {
    world.set_time(seconds);
    world.send("h", &[(key, seconds, RawRef::Error("no answer"))]);
}

fn is_unknown(world: &World, trigger: TriggerId) -> bool {
    world.trigger(trigger).error.is_some()
}

#[test]
fn nodata_is_known_of_an_item_that_is_not_supported() {
    let (mut config, host) = two_items();
    let silent = config.trigger(host, "nodata(/h/a,30s)=1", |_| {});
    let last = config.trigger(host, "last(/h/a)=1", |_| {});
    let mut world = World::new(&config);
    world.pass(40);
    world.value("h", "a", 41, 1.0);
    fails(&mut world, "a", 42);
    assert!(is_unknown(&world, last));
    assert!(!is_unknown(&world, silent));
    // The last value stays, and so does the time since it.
    assert_eq!(world.last_value("h", "a"), Some(Value::Float(1.0)));
    world.pass(110);
    assert!(world.trigger(silent).is_problem);
    assert!(world.trigger(last).is_problem && is_unknown(&world, last));
    world.check_replay();
}

#[test]
fn a_trigger_that_comes_while_its_item_fails_is_judged_by_the_same_error_again() {
    let (mut config, host) = two_items();
    let mut world = World::new(&config);
    world.value("h", "a", 1, 1.0);
    fails(&mut world, "a", 2);
    let late = config.trigger(host, "last(/h/a)=1", |_| {});
    world.reconfigure(&mut config);
    fails(&mut world, "a", 3);
    assert!(is_unknown(&world, late));
    world.check_replay();
}

#[test]
fn decided_operand_ignores_the_unknown_other_operand() {
    let (mut config, host) = two_items();
    let or = config.trigger(host, "last(/h/a)>5 or last(/h/b)>5", |_| {});
    let and = config.trigger(host, "last(/h/a)>5 and last(/h/b)>5", |_| {});
    let sum = config.trigger(host, "last(/h/a)+last(/h/b)>5", |_| {});
    let not = config.trigger(host, "not (last(/h/a)>5 and last(/h/b)>5)", |_| {});
    let mut world = World::new(&config);
    world.value("h", "b", 1, 1.0);
    fails(&mut world, "b", 2);
    world.value("h", "a", 3, 9.0);
    let problem = |world: &World, it| world.trigger(it).is_problem;
    assert!(problem(&world, or) && !is_unknown(&world, or));
    assert!(!problem(&world, and) && is_unknown(&world, and));
    assert!(is_unknown(&world, sum) && is_unknown(&world, not));
    world.value("h", "a", 4, 1.0);
    assert!(problem(&world, or) && is_unknown(&world, or));
    assert!(!is_unknown(&world, and));
    assert!(problem(&world, not));
    assert!(is_unknown(&world, sum));
    world.value("h", "b", 5, 7.0);
    assert!([or, and, sum, not].iter().all(|it| !is_unknown(&world, *it)));
    world.check_replay();
}

#[test]
fn an_unknown_recovery_expression_keeps_the_problem() {
    let (mut config, host) = two_items();
    let trigger = config.trigger(host, "last(/h/a)>10", |it| {
        it.recovery_mode = RecoveryMode::RecoveryExpression;
        it.recovery_expression = "last(/h/b)=0".to_owned();
    });
    let mut world = World::new(&config);
    world.value("h", "b", 1, 1.0);
    world.value("h", "a", 2, 11.0);
    fails(&mut world, "b", 3);
    // The problem expression is true: the other one is not looked at.
    assert!(!is_unknown(&world, trigger));
    world.value("h", "a", 4, 1.0);
    assert!(is_unknown(&world, trigger) && world.trigger(trigger).is_problem);
    world.value("h", "b", 5, 0.0);
    assert_eq!(world.events_of(trigger), [(2, true), (5, false)]);
    world.check_replay();
}

#[test]
fn a_problem_does_not_recover_while_its_expression_is_true() {
    let (mut config, host) = two_items();
    let trigger = config.trigger(host, "last(/h/a)>10", |it| {
        it.recovery_mode = RecoveryMode::RecoveryExpression;
        it.recovery_expression = "last(/h/a)>8".to_owned();
    });
    let mut world = World::new(&config);
    for (seconds, value) in [(1, 12.0), (2, 13.0), (3, 9.0), (4, 9.0)] {
        world.value("h", "a", seconds, value);
    }
    assert_eq!(world.events_of(trigger), [(1, true), (3, false)]);
    world.check_replay();
}

#[test]
fn timers_run_for_recovery_expressions_too() {
    let (mut config, host) = two_items();
    let trigger = config.trigger(host, "last(/h/a)>10", |it| {
        it.recovery_mode = RecoveryMode::RecoveryExpression;
        it.recovery_expression = "nodata(/h/b,60s)=1".to_owned();
    });
    let mut world = World::new(&config);
    world.value("h", "b", 1, 1.0);
    world.value("h", "a", 2, 11.0);
    world.value("h", "a", 3, 1.0);
    assert_eq!(world.events_of(trigger), [(2, true)]);
    world.pass(130);
    let events = world.events_of(trigger);
    assert!(matches!(events[..], [(2, true), (61..=95, false)]), "{events:?}");
    world.check_replay();
}

#[test]
fn a_date_changes_a_trigger_without_a_value() {
    let (mut config, host) = two_items();
    // The world begins at midnight.
    let trigger = config.trigger(host, "last(/h/a)>1 and time()>=000200", |_| {});
    let mut world = World::new(&config);
    world.value("h", "a", 1, 5.0);
    world.pass(100);
    assert_eq!(world.events_of(trigger), []);
    world.pass(160);
    let events = world.events_of(trigger);
    assert!(matches!(events[..], [(120..=150, true)]), "{events:?}");
}

#[test]
fn multiple_generation_makes_an_event_for_each_evaluation_that_is_true() {
    let (mut config, host) = two_items();
    let trigger = config.trigger(host, "last(/h/a)>5 and last(/h/b)>5", |it| {
        it.multiple = true;
    });
    let mut world = World::new(&config);
    world.value("h", "a", 1, 9.0);
    world.value("h", "b", 2, 9.0);
    world.value("h", "a", 3, 9.0);
    world.value("h", "b", 4, 8.0);
    // All open problems recover at once.
    world.value("h", "b", 5, 1.0);
    let want = [(2, true), (3, true), (4, true), (5, false)];
    assert_eq!(world.events_of(trigger), want);
    assert_eq!(world.trigger(trigger).open, []);
    world.check_replay();
}

#[test]
fn a_problem_closed_by_hand_comes_back_with_the_next_value() {
    let (mut config, host) = two_items();
    let trigger = config.trigger(host, "last(/h/a)>5", |it| it.manual_close = true);
    let mut world = World::new(&config);
    world.value("h", "a", 1, 9.0);
    world.set_time(2);
    let close = CloseProblem { trigger, event: EventId(1), user: UserId(3), time: at(2) };
    world.input(Input::Close(&close));
    world.value("h", "a", 3, 9.0);
    assert_eq!(world.events_of(trigger), [(1, true), (2, false), (3, true)]);
    world.check_replay();
}

#[test]
fn the_value_that_throttling_lets_pass_after_an_error_is_judged() {
    let mut config = Config::new();
    let host = config.host("h");
    let mut content = item("a", ValueType::Float);
    content.preprocessing = vec![crate::kit::step(Step::DiscardUnchanged, "")];
    config.item(host, content);
    let trigger = config.trigger(host, "last(/h/a)>5", |_| {});
    let mut world = World::new(&config);
    world.value("h", "a", 1, 9.0);
    fails(&mut world, "a", 2);
    assert!(is_unknown(&world, trigger));
    // The error has cleared what throttling remembered.
    world.value("h", "a", 3, 9.0);
    assert!(!is_unknown(&world, trigger));
    fails(&mut world, "a", 4);
    world.value("h", "a", 5, 1.0);
    assert_eq!(world.events_of(trigger), [(1, true), (5, false)]);
    world.check_replay();
}

#[test]
fn the_period_of_an_aggregation_survives_a_restart() {
    let mut config = Config::new();
    let host = config.host("h");
    let mut content = item("a", ValueType::Float);
    content.preprocessing = vec![crate::kit::step(Step::AggregateOverTime, "1m\nsum")];
    config.item(host, content);
    let mut world = World::new(&config);
    for seconds in [1, 2, 30] {
        world.value("h", "a", seconds, 10.0);
    }
    world.check_replay();
    // From a checkpoint in between, and the records after it.
    world.restart(world.journal.len() - 1);
    world.value("h", "a", 40, 10.0);
    assert_eq!(world.last_value("h", "a"), None);
    world.value("h", "a", 61, 7.0);
    assert_eq!(world.last_value("h", "a"), Some(Value::Float(40.0)));
    world.check_replay();
}

#[test]
fn not_enough_values_are_unknown_and_no_problem() {
    let (mut config, host) = two_items();
    let change = config.trigger(host, "change(/h/a)=0", |_| {});
    let second = config.trigger(host, "last(/h/a,#2)=0", |_| {});
    let avg = config.trigger(host, "avg(/h/a,10s:now-1m)=0", |_| {});
    let count = config.trigger(host, "count(/h/a,10s:now-1m)=0", |_| {});
    let mut world = World::new(&config);
    world.value("h", "a", 1, 5.0);
    assert!([change, second, avg].iter().all(|it| is_unknown(&world, *it)));
    // Nothing is something that can be counted.
    assert!(world.trigger(count).is_problem && !is_unknown(&world, count));
    world.value("h", "a", 2, 5.0);
    assert!(world.trigger(change).is_problem);
    assert!(!is_unknown(&world, second));
    world.check_replay();
}

#[test]
fn an_error_of_a_master_reaches_the_triggers_of_its_dependants() {
    let mut config = Config::new();
    let host = config.host("h");
    let master = config.item(host, item("m", ValueType::Text));
    let mut content = item("d", ValueType::Float);
    content.kind = ItemType::Dependent;
    content.master_itemid = master;
    config.item(host, content);
    let trigger = config.trigger(host, "last(/h/d)>5", |_| {});
    let mut world = World::new(&config);
    world.text("h", "m", 1, "9");
    fails(&mut world, "m", 2);
    let error = world.trigger(trigger).error.expect("unknown");
    assert!(error.contains("item is not supported"), "{error}");
    assert!(world.trigger(trigger).is_problem);
    world.text("h", "m", 3, "1");
    assert_eq!(world.events_of(trigger), [(1, true), (3, false)]);
    world.check_replay();
}

#[test]
fn a_dependant_on_another_host_waits_for_its_master_there() {
    let mut config = Config::new();
    let (a, b) = (config.host("a"), config.host("h"));
    config.item(a, item("up", ValueType::Float));
    config.item(b, item("k", ValueType::Float));
    let master = config.trigger(a, "last(/a/up)=0", |_| {});
    let trigger = config.trigger(b, "last(/h/k)>5", |it| it.dependencies = vec![master]);
    let mut world = World::new(&config);
    let mut delivered = 0;
    let mut deliver = |world: &mut World| {
        while delivered < world.forwards.len() {
            let batch = world.forwards[delivered].clone();
            delivered += 1;
            world.input(Input::Forwarded(&batch));
        }
    };
    deliver(&mut world);
    world.value("a", "up", 1, 0.0);
    deliver(&mut world);
    world.value("h", "k", 2, 9.0);
    assert_eq!(world.events_of(trigger), []);
    world.value("a", "up", 3, 1.0);
    deliver(&mut world);
    world.value("h", "k", 4, 9.0);
    assert_eq!(world.events_of(trigger), [(4, true)]);
    world.check_replay();
}
