//! Trends of the embedded store.

use model::record::{Hour, Num, Sum, TrendRow};
use model::{Classes, Retention};

use super::*;

const HOUR: Hour = Hour(497_222);
const WEEK: Retention = Retention::Week;

fn part(hour: i64, value: u64) -> TrendRow {
    TrendRow {
        item: ITEM,
        hour: Hour(HOUR.0 + hour),
        retention: WEEK,
        count: 1,
        min: Num::Unsigned(value),
        max: Num::Unsigned(value),
        sum: Sum::Unsigned(value.into()),
    }
}

fn query(item: ItemId) -> TrendQuery {
    TrendQuery { item, kind: ValueType::Unsigned, from: Hour(0), till: Hour(i64::MAX) }
}

/// Hours, from [`HOUR`] on, and how many values they have.
fn counts(store: &dyn Store, item: ItemId) -> Vec<(i64, u64)> {
    let trends = store.trends(&[query(item)]).expect("a sound store").remove(0);
    trends.iter().map(|it| (it.hour.0 - HOUR.0, it.count)).collect()
}

fn is_trends(stats: &ClassStats) -> bool {
    stats.stored == StoredKind::Trends
}

#[test]
fn trends_outlive_the_values_and_end_with_their_own_class() {
    let mut harness = OnMemory::new();
    harness.write(|record| {
        record.classes(Classes { history: Retention::Day, trends: WEEK });
        record.unsigned(ITEM, NOW, 1);
        record.trend(&part(0, 1));
    });
    harness.store.maintain(day(0)).expect("a sound disk");
    harness.settle();
    harness.write(|record| record.trend(&TrendRow { retention: Retention::Year, ..part(1, 1) }));
    harness.settle();
    for (day_n, n_values, want) in
        [(0, 1, vec![(0, 1), (1, 1)]), (2, 0, vec![(0, 1), (1, 1)]), (9, 0, vec![(1, 1)])]
    {
        harness.store.maintain(day(day_n)).expect("a sound disk");
        assert_eq!(counts(&harness.store, ITEM), want, "after {day_n} days");
        assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Unsigned)).len(), n_values);
    }
    harness.store.maintain(day(370)).expect("a sound disk");
    harness.restart();
    assert_eq!(counts(&harness.store, ITEM), []);
}

#[test]
fn parts_of_an_hour_become_one_when_files_are_merged() {
    let mut harness = OnMemory::new();
    for round in 0..40 {
        harness.write(|record| record.trend(&part(round / 10, 5)));
        harness.settle();
    }
    // Late ones of the first hour, which has been merged by then.
    while harness.store.maintain(day(0)).expect("a sound disk") {}
    harness.write(|record| record.trend(&part(0, 9)));
    let want = [(0, 11), (1, 10), (2, 10), (3, 10)];
    assert_eq!(counts(&harness.store, ITEM), want);
    let n_parts = |harness: &OnMemory| {
        let segments = harness.store.engine().segments();
        segments.iter().map(|it| it.n_values).sum::<u64>()
    };
    assert_eq!(n_parts(&harness), 3 + 10, "those of the last hour wait for the next");
    harness.restart();
    assert_eq!(counts(&harness.store, ITEM), want);
    harness.settle();
    harness.write(|record| record.trend(&part(60, 9)));
    harness.settle();
    while harness.store.maintain(day(4)).expect("a sound disk") {}
    assert_eq!((n_parts(&harness), counts(&harness.store, ITEM).len()), (5, 5));
    let found = stats(&harness.store_disk, Path::new("/")).expect("a manifest");
    let counted: Vec<_> =
        found.iter().map(|it| (is_trends(it), it.retention, it.n_values)).collect();
    assert_eq!(counted, [(true, WEEK, 5)]);
    drop(harness.store);
    let mut damages = Vec::new();
    let verified = verify(&harness.store_disk, Path::new("/"), |it| {
        if let VerifyProgress::Damaged(error) = it {
            damages.push(error);
        }
    });
    assert_eq!((verified.expect("readable").n_values, damages.len()), (5, 0));
}

#[test]
fn cleared_trends_stay_cleared_and_new_ones_count() {
    let mut harness = OnMemory::new();
    let other = ItemId(ITEM.0 + 1);
    let both = |record: &mut RecordBuilder| {
        for item in [ITEM, other] {
            record.trend(&TrendRow { item, ..part(0, 1) });
        }
    };
    harness.write(both);
    harness.settle();
    harness.write(both);
    harness.store.clear(&[ITEM]).expect("a sound disk");
    assert_eq!(
        (counts(&harness.store, ITEM), counts(&harness.store, other)),
        (vec![], vec![(0, 2)])
    );
    harness.write(both);
    for _ in 0..2 {
        harness.restart();
        assert_eq!(counts(&harness.store, ITEM), [(0, 1)]);
        assert_eq!(counts(&harness.store, other), [(0, 3)]);
        harness.settle();
    }
    let both = [
        Series { item: ITEM, kind: ValueType::Unsigned },
        Series { item: other, kind: ValueType::Unsigned },
    ];
    assert_eq!(harness.store.series().expect("reads"), both);
    // The item is gone: its parts not yet stored go with it.
    harness.write(|record| record.trend(&part(3, 1)));
    harness.store.writer(0).forget(&[ITEM]);
    harness.store.writer(1).forget(&[ITEM]);
    assert_eq!(counts(&harness.store, ITEM), [(0, 1)]);
}

#[test]
fn a_budget_of_the_disk_takes_values_before_trends() {
    let settings = EmbeddedSettings { disk_budget_bytes: 1_500, ..EmbeddedSettings::default() };
    let mut harness = OnMemory::with(1, settings);
    for hour in 0..10 {
        write_as(&mut harness, Retention::Forever, NOW.plus_secs(hour * 3_600));
        if hour < 3 {
            harness.write(|record| record.trend(&part(hour, 1)));
        }
        harness.settle();
    }
    while harness.store.maintain(day(1)).expect("a sound disk") {}
    assert_eq!(counts(&harness.store, ITEM), [(0, 1), (1, 1), (2, 1)]);
    let left = read(&harness.store, &ever(ITEM, ValueType::Unsigned));
    assert!(!left.is_empty() && left.len() < 10, "{}", left.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Parts come in any order, between flushes, merges and crashes: each counts once.
    #[test]
    fn parts_count_once_whatever_happens(
        parts in proptest::collection::vec((0..5_i64, 0..1_000_u64, 0..8_u8, 0..30_u64), 1..80),
        seed: u64,
    ) {
        let mut harness = OnMemory::with(seed, EmbeddedSettings::default());
        let mut want = std::collections::BTreeMap::<i64, Trend>::new();
        for (hour, value, then, ops) in parts {
            let row = part(hour, value);
            harness.write(|record| record.trend(&row));
            want.entry(hour)
                .and_modify(|it| prop_assert_is_added(it.add(&Trend::of(&row))))
                .or_insert_with(|| Trend::of(&row));
            match then {
                0 => harness.settle(),
                1 => drop(harness.store.maintain(day(0)).expect("a sound disk")),
                2 => harness.restart(),
                3 => {
                    harness.store_disk.cut_power_after(ops);
                    drop(harness.store.flush_once());
                    while harness.store.maintain(day(0)).unwrap_or(false) {}
                    harness.store_disk.restart_after_power_cut();
                    harness.journal_disk.restart_after_kill();
                    harness.reopen();
                }
                _ => {}
            }
        }
        let found = harness.store.trends(&[query(ITEM)]).expect("a sound store").remove(0);
        prop_assert_eq!(found, want.into_values().collect::<Vec<_>>());
    }
}

fn prop_assert_is_added(is_added: bool) {
    assert!(is_added, "of one type");
}
