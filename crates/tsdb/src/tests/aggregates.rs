//! Aggregates of numbers over some time: parts that add up.

use super::*;

const FLOATS: SeriesKind = SeriesKind::FLOAT_AGGREGATE;
const WHOLE: SeriesKind = SeriesKind::UNSIGNED_AGGREGATE;
const HOUR_MS: i64 = 3_600_000;
const TRENDS: RetentionClass = RetentionClass(21);

pub(super) fn of(number: u64) -> AggregatePart {
    AggregatePart { count: 1, min: number, max: number, sum: number.into() }
}

/// Parts that stand in a journal, in order of time, as what they come to.
pub(super) fn added_up(
    parts: &[(i64, Vec<u8>, RetentionClass)],
) -> Vec<(i64, Vec<u8>, RetentionClass)> {
    let number = |it: &[u8]| u64::from_le_bytes(*it.first_chunk().expect("eight bytes"));
    let of_one_time = parts.chunk_by(|a, b| a.0 == b.0);
    let whole = of_one_time.map(|of_one_time| {
        let numbers: Vec<u64> = of_one_time.iter().map(|it| number(&it.1)).collect();
        let whole = AggregatePart {
            count: numbers.len() as u64,
            min: *numbers.iter().min().expect("some"),
            max: *numbers.iter().max().expect("some"),
            sum: numbers.iter().map(|it| u128::from(*it)).sum(),
        };
        (of_one_time[0].0, plain(PointValue::Aggregate(whole)), of_one_time[0].2)
    });
    whole.collect()
}

fn add(store: &Tsdb, key: SeriesKey, ms: i64, aggregate: AggregatePart) {
    store.head(0).aggregate(key, TRENDS, (ms, aggregate)).expect("room");
}

fn read(store: &Tsdb, key: SeriesKey) -> Vec<(i64, AggregatePart)> {
    let samples = store.range(key, EVER, usize::MAX, Order::Ascending).expect("reads");
    let aggregates = samples.iter().map(|(ms, value)| match value {
        PointValue::Aggregate(it) => (ms, it),
        other => panic!("{other:?}"),
    });
    aggregates.collect()
}

fn flush(store: &Tsdb) {
    assert!(store.freeze(store.cursor() + 1));
    store.flush().expect("flushes");
}

/// The store of the fixture of version 2 of segments: as that of the manifest's, with aggregates, of which some
/// were merged and some have several parts.
pub(super) fn fixture(disk: &MemDisk) -> Tsdb {
    let store = fixture_2(disk);
    for round in 0..3_i64 {
        for id in 1..=40_u64 {
            let ms = (497_000 + round) * HOUR_MS;
            let (low, high) = (id as f64 / 4.0, id as f64 * 1.1);
            add(
                &store,
                key(id, FLOATS.0),
                ms,
                AggregatePart::of_floats(60, (low, high), high * 30.0),
            );
            let most = u64::MAX - id;
            let sum = u128::from(most) * 17;
            add(&store, key(id, WHOLE.0), ms, AggregatePart { count: 20, min: id, max: most, sum });
            add(&store, key(id, WHOLE.0), ms - HOUR_MS, of(id << 40));
        }
        assert!(store.freeze(store.cursor() + u64::from(round == 2)));
        store.flush().expect("flushes");
    }
    while store.merge_step(100, |_| &[2 * HOUR_MS]).expect("merges") != MergeStep::Idle {}
    store
}

#[test]
fn parts_of_one_time_add_up_wherever_they_lie() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    let (whole, floats) = (key(7, WHOLE.0), key(7, FLOATS.0));
    let beyond = (1 << 53) + 1;
    for part in 0..4 {
        add(&store, whole, HOUR_MS, of(beyond + part));
        add(&store, whole, HOUR_MS * 2, of(u64::MAX));
        add(&store, floats, HOUR_MS, AggregatePart::of_floats(2, (-1.5, part as f64), 0.25));
        match part {
            1 => flush(&store),
            2 => assert!(store.freeze(2)),
            _ => {}
        }
    }
    let sum = u128::from(beyond) * 4 + 6;
    let want = [
        (HOUR_MS, AggregatePart { count: 4, min: beyond, max: beyond + 3, sum }),
        (HOUR_MS * 2, AggregatePart { sum: u128::from(u64::MAX) * 4, count: 4, ..of(u64::MAX) }),
    ];
    assert_eq!(read(&store, whole), want);
    assert_eq!(read(&store, floats), [(HOUR_MS, AggregatePart::of_floats(8, (-1.5, 3.0), 1.0))]);
    store.flush().expect("flushes");
    flush(&store);
    let n_values: u64 = store.segments().iter().map(|it| it.n_values).sum();
    assert_eq!((store.segments().len(), n_values), (3, 9));
    while store.merge_step(1, |_| &[i64::MAX]).expect("merges") != MergeStep::Idle {}
    assert_eq!(read(&store, whole), want);
    assert_eq!(read(&store, key(7, 1)), [], "values of the same id are others");
}

#[test]
fn merges_add_parts_up_and_verify_finds_nothing_wrong() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    let keys = [key(3, WHOLE.0), key(3, FLOATS.0), key(9, WHOLE.0)];
    // Twelve times the same 1,000 hours, more than a chunk holds and than wait to be written.
    for round in 0..12_u64 {
        for hour in 0..3_000_u32 {
            for it in keys {
                add(&store, it, i64::from(hour) * HOUR_MS, of(round + u64::from(hour)));
            }
        }
        flush(&store);
    }
    add(&store, keys[0], 4_000 * HOUR_MS, of(1));
    flush(&store);
    let before: Vec<_> = keys.iter().map(|it| read(&store, *it)).collect();
    assert!(before.iter().all(|it| it[0].1.count == 12));
    let spans: &[i64] = &[500 * HOUR_MS];
    while store.merge_step(500, |_| spans).expect("merges") != MergeStep::Idle {}
    let values: Vec<_> = store.segments().iter().map(|it| it.n_values).collect();
    assert_eq!(values, [9_000, 1]);
    for (key, want) in keys.iter().zip(&before) {
        assert_eq!(read(&store, *key), *want);
    }
    let late = store.range(keys[0], (HOUR_MS, 3 * HOUR_MS), 2, Order::Descending).expect("reads");
    assert_eq!(late.iter().map(|it| it.0).collect::<Vec<_>>(), [3 * HOUR_MS, 2 * HOUR_MS]);
    drop(store);
    let (damages, verified) = verified(&disk);
    assert!(damages.is_empty(), "{damages:?}");
    assert_eq!(verified.n_values, 9_001);
}

#[test]
fn aggregates_are_deleted_and_forgotten_with_their_id() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    let (gone, other) = (key(7, WHOLE.0), key(8, WHOLE.0));
    for it in [gone, other] {
        add(&store, it, HOUR_MS, of(1));
    }
    flush(&store);
    for it in [gone, other] {
        add(&store, it, HOUR_MS, of(2));
        add(&store, it, 2 * HOUR_MS, of(3));
    }
    store.delete(&[7], &[WHOLE, FLOATS], 1).expect("deletes");
    assert_eq!((read(&store, gone).len(), read(&store, other).len()), (0, 2));
    add(&store, gone, 5 * HOUR_MS, of(9));
    assert_eq!(read(&store, gone), [(5 * HOUR_MS, of(9))]);
    store.head(0).forget(gone);
    store.head(0).forget(key(100, WHOLE.0));
    assert_eq!((read(&store, gone).len(), read(&store, other).len()), (0, 2));
    add(&store, gone, 6 * HOUR_MS, of(10));
    flush(&store);
    assert_eq!(read(&store, gone), [(6 * HOUR_MS, of(10))]);
    assert_eq!(store.segments().last().map(|it| it.n_values), Some(3));
}

#[test]
fn values_go_before_aggregates_where_there_is_no_room() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    for round in 0..2 {
        add(&store, key(7, WHOLE.0), round * HOUR_MS, of(1));
        append(&store, 1, key(7, 0), (round + 5) * HOUR_MS, &float(1.5)).expect("room");
        flush(&store);
    }
    let classes =
        |of: &[SegmentInfo]| of.iter().map(|it| (it.class.0, it.max_ms)).collect::<Vec<_>>();
    let gone = store.shrink(0, |class| u8::from(class == TRENDS)).expect("a sound disk");
    assert_eq!(classes(&gone), [(3, 5 * HOUR_MS), (TRENDS.0, 0)]);
    let left = [(3, 6 * HOUR_MS), (TRENDS.0, HOUR_MS)];
    assert_eq!(classes(&store.segments()), left, "the newest of either stay");
}

#[test]
fn a_head_has_no_room_for_more_aggregates_than_it_may_hold() {
    let disk = MemDisk::new(1);
    let (store, _) = open(&disk).expect("opens");
    assert!(store.head(0).has_room(1 << 40, 1 << 20), "an empty one takes whatever comes");
    for hour in 0..20_000 {
        add(&store, key(7, WHOLE.0), hour * HOUR_MS, of(1));
    }
    assert!(!store.head(0).has_room(1, 1 << 20));
    assert_eq!(store.n_values_in_memory(), 0);
    flush(&store);
    assert!(store.head(0).has_room(1, 1 << 20));
}

proptest! {
    /// Parts in any order, at any places, give the same.
    #[test]
    fn parts_in_any_order_give_the_same(
        parts in prop::collection::vec((0..4_i64, any::<u64>(), 0..3_u8), 1..60),
        seed in any::<u64>(),
    ) {
        let of_order = |mut parts: Vec<(i64, u64, u8)>, seed: u64| {
            // A shuffle that the seed says.
            parts.sort_by_key(|it| (it.1 ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15 | seed));
            let disk = MemDisk::new(1);
            let (store, _) = open(&disk).expect("opens");
            for (hour, number, then) in parts {
                add(&store, key(7, WHOLE.0), hour * HOUR_MS, of(number));
                // Floats of few digits: their sums do not depend on the order.
                let value = (number % 1_000) as f64 / 4.0;
                let part = AggregatePart::of_floats(1, (value, value), value);
                add(&store, key(7, FLOATS.0), hour * HOUR_MS, part);
                match then {
                    0 => flush(&store),
                    1 => while store.merge_step(3, |_| SPANS).expect("merges") == MergeStep::Ongoing {},
                    _ => {}
                }
            }
            (read(&store, key(7, WHOLE.0)), read(&store, key(7, FLOATS.0)))
        };
        let n = parts.len() as u64;
        let whole = of_order(parts.clone(), seed);
        prop_assert_eq!(whole.0.iter().map(|it| it.1.count).sum::<u64>(), n);
        prop_assert_eq!(&whole, &of_order(parts, !seed));
    }
}
