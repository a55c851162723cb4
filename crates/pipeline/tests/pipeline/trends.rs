//! Trends: parts in the records add up to what the values are, whatever comes late, stays silent, or
//! ends the process.

use std::collections::BTreeMap;

use crate::kit::{Config, START, World, at, item};
use model::batch::RawRef;
use model::content::HostStatus;
use model::record::{
    Hour, MaintenanceChange, MaintenanceRow, Num, RecordBuilder, RecordHead, RecordView, Sum,
    TrendRow,
};
use model::{HostId, ItemId, MaintenanceId, Retention, ValueType};
use pipeline::{Input, MaintainedHost};
use proptest::prelude::*;

const HOUR_S: i64 = 3_600;

fn config() -> (Config, HostId, [ItemId; 4]) {
    let mut config = Config::new();
    let host = config.host("h");
    let items = [
        ("float", ValueType::Float, "365d"),
        ("whole", ValueType::Unsigned, "7d"),
        ("none", ValueType::Unsigned, "0"),
        ("text", ValueType::Text, "365d"),
    ];
    let items = items.map(|(key, value_type, trends)| {
        let mut content = item(key, value_type);
        content.trends = trends.to_owned();
        config.item(host, content)
    });
    (config, host, items)
}

/// Parts of all records, by item and hour from the start.
fn parts(world: &World) -> BTreeMap<(ItemId, i64), Vec<TrendRow>> {
    let mut all: BTreeMap<_, Vec<TrendRow>> = BTreeMap::new();
    for it in &world.journal {
        let view = RecordView::parse(&it.payload).expect("a record");
        for row in view.trends().map(|it| it.expect("a row")) {
            let hour = row.hour.0 - Hour::of(at(0)).0;
            all.entry((row.item, hour)).or_default().push(row);
        }
    }
    all
}

fn whole(world: &World, item: ItemId, hour: i64) -> Option<TrendRow> {
    let parts = parts(world).remove(&(item, hour))?;
    parts.into_iter().reduce(|a, b| a.with(&b).expect("one type"))
}

#[test]
fn an_hour_is_published_with_the_first_value_of_the_next() {
    let (config, _, [float, unsigned, none, text]) = config();
    let mut world = World::new(&config);
    for minute in 0..61 {
        let t = minute * 60;
        world.set_time(t);
        let value = f64::from(i32::try_from(minute).expect("small")) - 10.5;
        let rows = [
            ("float", t, RawRef::Float(value)),
            ("whole", t, RawRef::Unsigned(u64::MAX)),
            ("none", t, RawRef::Unsigned(1)),
            ("text", t, RawRef::Text("5")),
        ];
        world.send("h", &rows);
    }
    let row = whole(&world, float, 0).expect("a part");
    assert_eq!((row.count, row.min, row.max), (60, Num::Float(-10.5), Num::Float(48.5)));
    assert_eq!((row.sum, row.retention), (Sum::Float(1_140.0), Retention::Year));
    let row = whole(&world, unsigned, 0).expect("a part");
    assert_eq!(row.sum, Sum::Unsigned(u128::from(u64::MAX) * 60), "to the last digit");
    assert_eq!((row.min, row.max), (Num::Unsigned(u64::MAX), Num::Unsigned(u64::MAX)));
    assert_eq!(row.retention, Retention::Week);
    let all = parts(&world);
    assert!(all.keys().all(|it| it.0 != none && it.0 != text), "they have none");
    assert_eq!(all.len(), 2, "the current hour is not published");
    world.check_replay();
}

#[test]
fn the_hour_of_a_silent_item_ends_all_the_same() {
    let (config, _, [float, ..]) = config();
    let mut world = World::new(&config);
    world.value("h", "float", 1_800, 4.0);
    world.pass(HOUR_S + 119);
    assert_eq!(whole(&world, float, 0), None);
    world.check_replay();
    world.pass(HOUR_S + 125);
    assert_eq!(whole(&world, float, 0).map(|it| it.count), Some(1));
    world.check_replay();
    // Once.
    world.pass(3 * HOUR_S);
    assert_eq!(parts(&world).values().map(Vec::len).sum::<usize>(), 1);
    // Behind it comes a late one, and is a part of its own in time.
    world.value("h", "float", 3 * HOUR_S, 1.0);
    world.send("h", &[("float", 1_801, RawRef::Float(6.0))]);
    let row = whole(&world, float, 0).expect("two parts");
    assert_eq!((row.count, row.sum, row.max), (2, Sum::Float(10.0), Num::Float(6.0)));
    world.check_replay();
}

#[test]
fn an_hour_that_is_to_be_read_ends_before() {
    let (config, _, [float, whole_numbers, none, text]) = config();
    let mut world = World::new(&config);
    let targets = |world: &World| {
        let items = [float, whole_numbers, none, text];
        items.map(|it| world.directory.by_item(it).map(|it| (it.slot, it.item)).expect("live"))
    };
    let end = |world: &mut World| {
        let items = targets(world);
        world.input(Input::EndHours(&items));
    };
    for (key, value) in [
        ("float", RawRef::Float(0.5)),
        ("whole", RawRef::Unsigned(u64::MAX)),
        ("none", RawRef::Unsigned(1)),
    ] {
        world.send("h", &[(key, HOUR_S - 5, value), (key, HOUR_S - 4, value)]);
    }
    world.set_time(HOUR_S - 1);
    end(&mut world);
    assert_eq!(parts(&world), BTreeMap::new(), "the hour under way is not over");
    world.set_time(HOUR_S);
    end(&mut world);
    world.check_replay();
    assert_eq!(whole(&world, float, 0).map(|it| it.sum), Some(Sum::Float(1.0)));
    let sum = whole(&world, whole_numbers, 0).map(|it| (it.sum, it.min, it.max));
    let max = Num::Unsigned(u64::MAX);
    assert_eq!(sum, Some((Sum::Unsigned(u128::from(u64::MAX) * 2), max, max)));
    assert_eq!(parts(&world).len(), 2, "where trends are off, and of texts, there are none");
    // Again is no other part; a late number is one, and is there as well when it is read.
    end(&mut world);
    world.send("h", &[("float", 7, RawRef::Float(3.0)), ("float", HOUR_S + 1, RawRef::Float(9.0))]);
    world.send("h", &[("whole", 7, RawRef::Unsigned(1))]);
    end(&mut world);
    world.check_replay();
    let row = whole(&world, float, 0).expect("two parts");
    assert_eq!((row.count, row.sum), (3, Sum::Float(4.0)));
    let row = whole(&world, whole_numbers, 0).expect("two parts");
    assert_eq!((row.count, row.min), (3, Num::Unsigned(1)));
    assert_eq!(whole(&world, float, 1), None);
}

#[test]
fn an_item_that_is_switched_off_has_had_its_values() {
    let (mut config, host, [float, ..]) = config();
    let mut world = World::new(&config);
    world.value("h", "float", 1_800, 4.0);
    config.edit(host, |it| it.status = HostStatus::NotMonitored);
    world.reconfigure(&mut config);
    config.edit(host, |it| it.status = HostStatus::Monitored);
    world.reconfigure(&mut config);
    world.value("h", "float", 1_900, 5.0);
    world.value("h", "float", HOUR_S, 5.0);
    let row = whole(&world, float, 0).expect("two parts");
    assert_eq!((row.count, row.sum), (2, Sum::Float(9.0)));
    world.check_replay();
}

#[test]
fn small_numbers_next_to_large_ones_are_not_lost() {
    let (config, _, [float, ..]) = config();
    let mut world = World::new(&config);
    for (second, value) in [(0, 1e16), (1, 1.0), (2, 1.0), (3, -1e16), (HOUR_S, 0.0)] {
        world.value("h", "float", second, value);
    }
    assert_eq!(whole(&world, float, 0).map(|it| it.sum), Some(Sum::Float(2.0)));
}

#[test]
fn maintenance_is_known_behind_a_checkpoint() {
    let (config, host, _) = config();
    let mut world = World::new(&config);
    let write = |world: &mut World, maintenance, time, what| {
        let mut record = RecordBuilder::new();
        record.start(RecordHead::default());
        let maintenance = MaintenanceId(maintenance);
        record.maintenance(MaintenanceRow { host, maintenance, time: at(time), what });
        let (lsn, payload) = (world.lsn() + 1, record.finish().to_vec());
        world.journal.push(crate::kit::Written { lsn, first_event: world.next_event, payload });
    };
    write(&mut world, 7, 10, MaintenanceChange::Begins { with_data: false });
    write(&mut world, 8, 20, MaintenanceChange::Begins { with_data: true });
    write(&mut world, 7, 30, MaintenanceChange::Ends);
    let n = world.journal.len();
    let left = MaintainedHost { maintenance: MaintenanceId(8), since: at(20), with_data: true };
    let first = MaintainedHost { maintenance: MaintenanceId(7), since: at(10), with_data: false };
    for checkpoint_at in 0..=n {
        assert_eq!(world.replayed(checkpoint_at).maintenance_of(host), [left]);
    }
    world.journal.truncate(n - 1);
    assert_eq!(world.replayed(n - 2).maintenance_of(host), [first, left]);
    assert_eq!(world.replayed(0).maintenance_of(HostId(1)), []);
}

#[derive(Clone, Debug)]
enum Act {
    /// Item, minutes before now, value.
    Send(usize, i64, u32),
    Pass(i64),
    Restart(prop::sample::Index),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => (0..2_usize, prop_oneof![4 => Just(0), 1 => 0..200_i64], 0..1_000_000_u32)
            .prop_map(|(item, late, value)| Act::Send(item, late, value)),
        4 => (1..40_i64).prop_map(Act::Pass),
        1 => any::<prop::sample::Index>().prop_map(Act::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn parts_add_up_to_the_values(acts in prop::collection::vec(act(), 0..120)) {
        let (config, _, items) = config();
        let mut world = World::new(&config);
        let mut now = 6 * HOUR_S;
        world.set_time(now);
        let mut expected: BTreeMap<(ItemId, i64), (u32, u32, u32, u64)> = BTreeMap::new();
        let mut n = 0;
        for act in acts {
            match act {
                Act::Send(nth, late, value) => {
                    // No two of one item and time.
                    n += 1;
                    now += 1;
                    world.set_time(now);
                    let (key, raw) = [
                        ("float", RawRef::Float(value.into())),
                        ("whole", RawRef::Unsigned(value.into())),
                    ][nth];
                    let time = now - late * 60 - n % 60;
                    let before = world.shard.counters();
                    world.send("h", &[(key, time, raw)]);
                    let after = world.shard.counters();
                    if before.repeated != after.repeated {
                        continue;
                    }
                    let hour = (START + time).div_euclid(HOUR_S) - START / HOUR_S;
                    let sum = expected.entry((items[nth], hour)).or_insert((0, value, value, 0));
                    *sum = (sum.0 + 1, sum.1.min(value), sum.2.max(value), sum.3 + u64::from(value));
                }
                Act::Pass(minutes) => {
                    now += minutes * 60;
                    world.pass(now);
                }
                Act::Restart(from) => world.restart(from.index(world.journal.len() + 1)),
            }
        }
        world.check_replay();
        // Silence ends what is under way.
        world.pass(now + 2 * HOUR_S);
        world.check_replay();
        let mut found = BTreeMap::new();
        for (key, parts) in parts(&world) {
            let row = parts.into_iter().reduce(|a, b| a.with(&b).expect("one type")).expect("one");
            let number = |it: Num| match it {
                Num::Float(it) => formats::number::f64_to_u64(it).expect("whole"),
                Num::Unsigned(it) => it,
            };
            let sum = match row.sum {
                Sum::Float(it) => formats::number::f64_to_u64(it).expect("whole"),
                Sum::Unsigned(it) => u64::try_from(it).expect("small"),
            };
            let small = |it: u64| u32::try_from(it).expect("small");
            let row = (row.count, small(number(row.min)), small(number(row.max)), sum);
            found.insert(key, row);
        }
        prop_assert_eq!(found, expected);
    }
}
