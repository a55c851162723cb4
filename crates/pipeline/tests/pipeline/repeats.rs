//! A second value of the same nanosecond is dropped; values of one millisecond are all kept.

use crate::kit::{Config, World, at, item, step};
use model::batch::{Batch, RawRef, Run};
use model::content::Step;
use model::{HostId, Time, ValueType};
use pipeline::Input;

/// Times in nanoseconds from the start.
fn send(world: &mut World, key: &str, rows: &[(i64, &str)]) -> (u32, u32) {
    let mut batch = Batch::of_epoch(world.directory.epoch());
    for (ns, text) in rows {
        let target = world.directory.lookup("h", key).expect("a known item");
        batch.push(target.slot, Time(at(0).0 + ns), RawRef::Text(text)).expect("room");
    }
    batch.runs.push(Run { end: u32::try_from(rows.len()).expect("few") });
    world.input(Input::Batch(&batch));
    (world.effects.runs[0].processed, world.effects.runs[0].failed)
}

fn one(value_type: ValueType) -> (Config, HostId) {
    let mut config = Config::new();
    let host = config.host("h");
    config.item(host, item("k", value_type));
    (config, host)
}

fn kept(world: &World) -> usize {
    world.effects.values.len()
}

const S: i64 = 1_000_000_000;

#[test]
fn the_first_of_a_nanosecond_wins_and_makes_the_only_event() {
    for value_type in [ValueType::Float, ValueType::Unsigned, ValueType::Text, ValueType::Log] {
        let (mut config, host) = one(value_type);
        let trigger = config.trigger(host, "last(/h/k)<>\"3\"", |it| it.multiple = true);
        let mut world = World::new(&config);
        world.set_time(10);
        let rows = [(5 * S + 7, "1"), (5 * S + 7, "2"), (5 * S + 8, "3"), (5 * S + 9, "4")];
        assert_eq!(send(&mut world, "k", &rows), (4, 0));
        assert_eq!(kept(&world), 3, "{value_type:?}");
        // All of it once more, and one more of that second.
        assert_eq!(send(&mut world, "k", &rows), (4, 0));
        assert_eq!(kept(&world), 0, "{value_type:?}");
        assert_eq!(send(&mut world, "k", &[(5 * S, "5"), (5 * S + 9, "6")]), (2, 0));
        assert_eq!(kept(&world), 1, "{value_type:?}");
        assert_eq!(world.shard.counters().repeated, 6);
        // A problem, its end, two more values in PROBLEM.
        let events = world.events_of(trigger);
        assert_eq!(events, [(5, true), (5, false), (5, true), (5, true)], "{value_type:?}");
        // The next second has its own.
        assert_eq!(send(&mut world, "k", &[(6 * S + 7, "7"), (6 * S + 7, "8")]), (2, 0));
        assert_eq!(kept(&world), 1);
        world.check_replay();
    }
}

#[test]
fn unknown_series_count_as_new() {
    let (config, _) = one(ValueType::Float);
    let mut world = World::new(&config);
    world.set_time(10);
    send(&mut world, "k", &[(5 * S + 7, "1"), (9 * S, "2")]);
    // Older than the newest one.
    send(&mut world, "k", &[(5 * S + 7, "3")]);
    assert_eq!(kept(&world), 1);
    // The nanoseconds are not in the journal.
    world.restart(0);
    send(&mut world, "k", &[(9 * S, "4")]);
    assert_eq!(kept(&world), 1);
    send(&mut world, "k", &[(9 * S, "5")]);
    assert_eq!(kept(&world), 0);
    // More of one millisecond than are distinguished: all are kept.
    let many: Vec<(i64, &str)> = (0..2_000).map(|it| (11 * S + it, "1")).collect();
    send(&mut world, "k", &many);
    assert_eq!(kept(&world), 2_000);
    send(&mut world, "k", &many);
    assert_eq!(kept(&world), 2_000 - 1_024);
    world.check_replay();
}

#[test]
fn a_repeat_is_processed_and_its_item_is_normal() {
    let mut config = Config::new();
    let host = config.host("h");
    let mut content = item("k", ValueType::Float);
    content.preprocessing = vec![step(Step::Multiplier, "2")];
    config.item(host, content);
    let mut world = World::new(&config);
    world.set_time(10);
    send(&mut world, "k", &[(5 * S, "1"), (6 * S, "x")]);
    assert!(world.last("h", "k").error.is_some());
    assert_eq!(send(&mut world, "k", &[(5 * S, "7")]), (1, 0));
    assert_eq!(kept(&world), 0);
    assert_eq!(world.last("h", "k").error, None);
    assert_eq!(world.last_value("h", "k"), Some(model::Value::Float(2.0)));
    world.check_replay();
}
