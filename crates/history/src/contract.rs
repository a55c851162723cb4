//! The contract of every [`Store`], as tests that run against each of them.
#![allow(
    clippy::missing_panics_doc,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "these are tests, also of other crates"
)]

use model::record::{Hour, LogRef, Num, RecordBuilder, Sum, TrendRow};
use model::value::{LogEntry, Sample};
use model::{Classes, ItemId, Retention, Time, Value, ValueType};

use crate::{BucketQuery, RangeQuery, Store, Trend, TrendQuery};

/// A store under test.
pub trait Harness {
    fn new() -> Self;
    fn store(&self) -> &dyn Store;
    /// Writes a record, as shards do.
    fn write(&mut self, fill: impl Fn(&mut RecordBuilder));
    /// Stores for good what was written.
    fn settle(&mut self);
    /// The process ends without warning and starts again.
    fn restart(&mut self);
}

/// Does the same before and after values are settled and after a restart.
fn always<H: Harness>(harness: &mut H, check: impl Fn(&dyn Store)) {
    check(harness.store());
    harness.restart();
    check(harness.store());
    harness.settle();
    check(harness.store());
    harness.restart();
    check(harness.store());
}

pub const ITEM: ItemId = ItemId(28_001);
/// A time with nanoseconds.
pub const NOW: Time = Time(1_790_000_000_123_456_789);

pub fn ever(item: ItemId, kind: ValueType) -> RangeQuery {
    let (from, till) = (Time(i64::MIN), Time::MAX);
    RangeQuery { item, kind, from, till, limit: 1_000_000, newest_first: false }
}

pub fn read(store: &dyn Store, query: &RangeQuery) -> Vec<Sample> {
    store.range(query).expect("a sound store").into_samples()
}

fn ms(time: Time) -> Time {
    Time::from_millis(time.millis())
}

pub fn values_of_all_types_read_back<H: Harness>() {
    let mut harness = H::new();
    let entry = LogEntry {
        value: "disk full: /var ünï".to_owned(),
        source: "kernel".to_owned(),
        timestamp: 1_789_999_999,
        severity: 4,
        logeventid: 7_036,
    };
    let log = LogRef { source: "kernel", timestamp: 1_789_999_999, severity: 4, logeventid: 7_036 };
    harness.write(|record| {
        record.float(ITEM, NOW, 0.1);
        record.unsigned(ITEM, NOW, u64::MAX);
        record.text(ITEM, NOW, ValueType::Char, "up");
        record.text(ITEM, NOW, ValueType::Text, "");
        record.log(ITEM, NOW, &entry.value, log);
        record.text(ITEM, NOW, ValueType::Binary, "QUJD");
    });
    let text = |it: &str| Value::Text(it.into());
    let want = [
        (ValueType::Float, ms(NOW), Value::Float(0.1)),
        (ValueType::Unsigned, ms(NOW), Value::Unsigned(u64::MAX)),
        (ValueType::Char, NOW, text("up")),
        (ValueType::Text, NOW, text("")),
        (ValueType::Log, NOW, Value::Log(entry.clone().into())),
        (ValueType::Binary, NOW, text("QUJD")),
    ];
    always(&mut harness, |store| {
        for (kind, time, value) in &want {
            let found = read(store, &ever(ITEM, *kind));
            assert_eq!(found, [Sample { time: *time, value: value.clone() }], "{kind:?}");
            assert_eq!(read(store, &ever(ItemId(1), *kind)), []);
        }
    });
}

pub fn ranges_are_limited_from_either_end<H: Harness>() {
    let mut harness = H::new();
    for first in [0_i64, 40] {
        harness.write(|record| {
            for second in first..first + 40 {
                let value = f64::from(i32::try_from(second).expect("small"));
                record.float(ITEM, NOW.plus_secs(second), value);
            }
        });
        if first == 0 {
            harness.settle();
        }
    }
    always(&mut harness, |store| {
        let mut query = ever(ITEM, ValueType::Float);
        query.from = ms(NOW).plus_secs(10);
        query.till = ms(NOW).plus_secs(59);
        let all = read(store, &query);
        assert_eq!((all.len(), all[0].time), (50, query.from));
        query.limit = 7;
        assert_eq!(read(store, &query), all[..7]);
        query.newest_first = true;
        let newest: Vec<Sample> = all.iter().rev().take(7).cloned().collect();
        assert_eq!(read(store, &query), newest);
        let last = store.last_n(ITEM, ValueType::Float, 7, query.till).expect("reads");
        assert_eq!(last.into_samples(), newest);
        // Both ends belong to the range, to the nanosecond.
        query.till = Time(query.till.0 - 1);
        assert_eq!(read(store, &query)[0].time, ms(NOW).plus_secs(58));
        query.newest_first = false;
        query.from = Time(query.from.0 + 1);
        assert_eq!(read(store, &query)[0].time, ms(NOW).plus_secs(11));
    });
}

pub fn late_and_doubled_values_are_kept<H: Harness>() {
    let mut harness = H::new();
    let mut n = 0;
    for second in [5, 3, 5, 1] {
        n += 1;
        harness.write(|record| record.unsigned(ITEM, NOW.plus_secs(second), n));
        if n == 2 {
            harness.settle();
        }
    }
    always(&mut harness, |store| {
        let found = read(store, &ever(ITEM, ValueType::Unsigned));
        let values: Vec<Value> = found.into_iter().map(|it| it.value).collect();
        assert_eq!(values, [4, 2, 1, 3].map(Value::Unsigned));
    });
}

pub fn texts_are_ordered_by_nanoseconds<H: Harness>() {
    let mut harness = H::new();
    let at = |ns: i64| Time(1_790_000_000_000_000_000 + ns);
    for ns in [900, 100, 1_000_100, 500, 100, 2_000_000] {
        harness.write(|record| record.text(ITEM, at(ns), ValueType::Text, &ns.to_string()));
    }
    always(&mut harness, |store| {
        let texts = |query: &RangeQuery| -> Vec<i64> {
            read(store, query).iter().map(|it| it.time.0 - at(0).0).collect()
        };
        let mut query = ever(ITEM, ValueType::Text);
        assert_eq!(texts(&query), [100, 100, 500, 900, 1_000_100, 2_000_000]);
        query.limit = 2;
        assert_eq!(texts(&query), [100, 100]);
        (query.from, query.till) = (at(101), at(1_000_099));
        assert_eq!(texts(&query), [500, 900]);
        query.newest_first = true;
        query.limit = 1;
        assert_eq!(texts(&query), [900]);
        query.till = at(899);
        assert_eq!(texts(&query), [500]);
    });
}

pub fn buckets_hold_every_value_once<H: Harness>() {
    let mut harness = H::new();
    harness.write(|record| {
        for second in 0..100_u32 {
            record.float(ITEM, ms(NOW).plus_secs(second.into()), f64::from(second));
        }
    });
    let query = BucketQuery {
        item: ITEM,
        kind: ValueType::Float,
        from: ms(NOW),
        till: Time(ms(NOW).plus_secs(100).0 - 1),
        n_buckets: 10,
    };
    always(&mut harness, |store| {
        let buckets = store.buckets(&query).expect("reads");
        assert_eq!(buckets.len(), 10);
        for (bucket, n) in buckets.iter().zip(0_u32..) {
            let first = f64::from(n * 10);
            assert_eq!(bucket.time, query.from.plus_secs(i64::from(n) * 10));
            assert_eq!((bucket.min, bucket.avg, bucket.max), (first, first + 4.5, first + 9.0));
            assert_eq!((bucket.last, bucket.n), (first + 9.0, 10));
        }
        let sparse = BucketQuery { till: Time(query.till.0 + 900 * 1_000_000_000), ..query };
        assert_eq!(store.buckets(&sparse).expect("reads").len(), 1);
        for empty in [
            BucketQuery { n_buckets: 0, ..query },
            BucketQuery { till: Time(0), ..query },
            BucketQuery { kind: ValueType::Text, ..query },
            BucketQuery { item: ItemId(5), ..query },
        ] {
            assert_eq!(store.buckets(&empty).expect("reads"), []);
        }
    });
}

pub fn values_of_items_without_history_are_not_kept<H: Harness>() {
    let mut harness = H::new();
    let (other, third) = (ItemId(ITEM.0 + 1), ItemId(ITEM.0 + 2));
    for kept_then in [false, true] {
        harness.write(|record| {
            for item in [third, ITEM, other] {
                let is_kept = kept_then || item == third;
                let history = if is_kept { Retention::Forever } else { Retention::Nothing };
                record.classes(Classes { history, ..Classes::default() });
                record.float(item, NOW, 1.0);
                record.text(item, NOW, ValueType::Text, "text");
            }
        });
    }
    always(&mut harness, |store| {
        for kind in [ValueType::Float, ValueType::Text] {
            let n = |item| read(store, &ever(item, kind)).len();
            assert_eq!((n(ITEM), n(other), n(third)), (1, 1, 2), "{kind:?}");
        }
    });
}

/// An hour, and one so far back that its values would be gone.
const HOUR: Hour = Hour(497_222);
const LONG_AGO: Hour = Hour(HOUR.0 - 20_000);

fn part_of(item: ItemId, hour: Hour, values: &[u64]) -> TrendRow {
    TrendRow {
        item,
        hour,
        retention: Retention::Forever,
        count: u32::try_from(values.len()).expect("few"),
        min: Num::Unsigned(*values.iter().min().expect("some")),
        max: Num::Unsigned(*values.iter().max().expect("some")),
        sum: Sum::Unsigned(values.iter().map(|it| u128::from(*it)).sum()),
    }
}

fn float_part_of(item: ItemId, hour: Hour, values: &[f64]) -> TrendRow {
    TrendRow {
        min: Num::Float(values.iter().copied().reduce(f64::min).expect("some")),
        max: Num::Float(values.iter().copied().reduce(f64::max).expect("some")),
        sum: Sum::Float(values.iter().sum()),
        ..part_of(item, hour, &vec![0; values.len()])
    }
}

fn trend_query(item: ItemId, kind: ValueType, (from, till): (Hour, Hour)) -> TrendQuery {
    TrendQuery { item, kind, from, till }
}

fn trends(store: &dyn Store, item: ItemId, kind: ValueType) -> Vec<Trend> {
    let query = trend_query(item, kind, (Hour(0), Hour(HOUR.0 + 1_000)));
    store.trends(&[query]).expect("a sound store").remove(0)
}

/// Of values that all stood in one part.
fn unsigned_trend(hour: Hour, values: &[u64]) -> Trend {
    Trend::of(&part_of(ITEM, hour, values))
}

pub fn parts_of_trends_add_up_whenever_they_come<H: Harness>() {
    let mut harness = H::new();
    let next = Hour(HOUR.0 + 1);
    // The hour, the next one but one, a late value of the first, and of one long ago.
    harness.write(|record| record.trend(&part_of(ITEM, HOUR, &[7, 9])));
    harness.write(|record| record.trend(&part_of(ITEM, Hour(HOUR.0 + 2), &[1])));
    harness.settle();
    harness.write(|record| {
        record.trend(&part_of(ITEM, HOUR, &[3]));
        record.trend(&part_of(ItemId(ITEM.0 + 1), HOUR, &[1_000]));
        record.trend(&part_of(ITEM, HOUR, &[100]));
    });
    harness.write(|record| record.trend(&part_of(ITEM, LONG_AGO, &[5])));
    always(&mut harness, |store| {
        let want = [
            unsigned_trend(LONG_AGO, &[5]),
            unsigned_trend(HOUR, &[3, 7, 9, 100]),
            unsigned_trend(Hour(HOUR.0 + 2), &[1]),
        ];
        assert_eq!(trends(store, ITEM, ValueType::Unsigned), want, "a silent hour is left out");
        assert_eq!(trends(store, ITEM, ValueType::Float), []);
        // Both ends belong to the range; answers come in the order of the queries.
        let of = |item, hours| trend_query(item, ValueType::Unsigned, hours);
        let other = ItemId(ITEM.0 + 1);
        let queries = [
            of(other, (Hour(0), Hour(HOUR.0 + 9))),
            of(ITEM, (HOUR, Hour(HOUR.0 + 2))),
            of(ItemId(1), (HOUR, HOUR)),
            of(ITEM, (next, next)),
            of(ITEM, (LONG_AGO, HOUR)),
            of(ITEM, (next, HOUR)),
        ];
        let found = store.trends(&queries).expect("reads");
        let of_other = Trend::of(&part_of(other, HOUR, &[1_000]));
        assert_eq!(found[0], [of_other]);
        assert_eq!((&found[1][..], &found[4][..]), (&want[1..], &want[..2]));
        assert_eq!((found[2].len(), found[3].len(), found[5].len()), (0, 0, 0));
    });
}

pub fn trends_of_whole_numbers_are_exact<H: Harness>() {
    let mut harness = H::new();
    let beyond = (1 << 53) + 1;
    let many = [u64::MAX; 50];
    harness.write(|record| {
        record.trend(&part_of(ITEM, HOUR, &[beyond]));
        record.trend(&part_of(ITEM, Hour(HOUR.0 + 1), &many));
    });
    harness.settle();
    harness.write(|record| {
        record.trend(&part_of(ITEM, HOUR, &[beyond + 2, 0]));
        record.trend(&part_of(ITEM, Hour(HOUR.0 + 1), &[u64::MAX - 1]));
    });
    always(&mut harness, |store| {
        let found = trends(store, ITEM, ValueType::Unsigned);
        let more: Vec<u64> = many.iter().copied().chain([u64::MAX - 1]).collect();
        let want = [
            unsigned_trend(HOUR, &[0, beyond, beyond + 2]),
            unsigned_trend(Hour(HOUR.0 + 1), &more),
        ];
        assert_eq!(found, want);
    });
}

pub fn trends_of_floats_and_of_both_types_are_separate<H: Harness>() {
    let mut harness = H::new();
    harness.write(|record| {
        record.trend(&float_part_of(ITEM, HOUR, &[0.25, -7.5]));
        record.trend(&part_of(ITEM, HOUR, &[4]));
        record.trend(&float_part_of(ITEM, Hour(HOUR.0 + 1), &[0.1, 1e300]));
    });
    harness.write(|record| record.trend(&float_part_of(ITEM, HOUR, &[-0.5, 1e6])));
    always(&mut harness, |store| {
        let found = trends(store, ITEM, ValueType::Float);
        let whole = float_part_of(ITEM, HOUR, &[0.25, -7.5, -0.5, 1e6]);
        let later = float_part_of(ITEM, Hour(HOUR.0 + 1), &[0.1, 1e300]);
        assert_eq!(found, [Trend::of(&whole), Trend::of(&later)]);
        assert_eq!(trends(store, ITEM, ValueType::Unsigned), [unsigned_trend(HOUR, &[4])]);
    });
}

pub fn parts_of_several_classes_are_one_trend<H: Harness>() {
    let mut harness = H::new();
    // Of a time that no class has dropped yet.
    for (retention, value) in [(Retention::Forever, 5), (Retention::Nothing, 6)] {
        harness.write(|record| {
            record.trend(&TrendRow { retention, ..part_of(ITEM, HOUR, &[value]) });
        });
    }
    harness.write(|record| {
        record.trend(&TrendRow { retention: Retention::Year, ..part_of(ITEM, HOUR, &[8]) });
    });
    always(&mut harness, |store| {
        assert_eq!(trends(store, ITEM, ValueType::Unsigned), [unsigned_trend(HOUR, &[5, 8])]);
    });
}

pub fn values_alone_make_no_trend<H: Harness>() {
    let mut harness = H::new();
    let classes = Classes { history: Retention::Forever, trends: Retention::Nothing };
    let late = ItemId(ITEM.0 + 1);
    harness.write(|record| {
        record.classes(classes);
        record.unsigned(ITEM, HOUR.start(), 5);
        record.unsigned(late, HOUR.start(), 5);
        record.trend(&part_of(late, HOUR, &[5, 6]));
    });
    always(&mut harness, |store| {
        assert_eq!(trends(store, ITEM, ValueType::Unsigned), [], "they are switched off");
        assert_eq!(trends(store, late, ValueType::Unsigned), [unsigned_trend(HOUR, &[5, 6])]);
        assert_eq!(read(store, &ever(ITEM, ValueType::Unsigned)).len(), 1);
    });
}

/// The contract of stores that keep trends, in addition to [`promises`].
#[must_use]
pub fn trend_promises<H: Harness>() -> Vec<fn()> {
    vec![
        parts_of_trends_add_up_whenever_they_come::<H>,
        trends_of_whole_numbers_are_exact::<H>,
        trends_of_floats_and_of_both_types_are_separate::<H>,
        parts_of_several_classes_are_one_trend::<H>,
        values_alone_make_no_trend::<H>,
    ]
}

/// All promises: for a store whose tests share a server. Whichever is broken panics with its name in the
/// trace.
#[must_use]
pub fn promises<H: Harness>() -> Vec<fn()> {
    vec![
        values_of_all_types_read_back::<H>,
        ranges_are_limited_from_either_end::<H>,
        late_and_doubled_values_are_kept::<H>,
        texts_are_ordered_by_nanoseconds::<H>,
        buckets_hold_every_value_once::<H>,
        values_of_items_without_history_are_not_kept::<H>,
    ]
}

/// One test for each promise.
#[cfg(test)]
macro_rules! contract {
    ($harness:ty: $($promise:ident),* $(,)?) => {$(
        #[test]
        fn $promise() {
            $crate::contract::$promise::<$harness>();
        }
    )*};
    ($harness:ty) => {
        contract!($harness:
            values_of_all_types_read_back,
            ranges_are_limited_from_either_end,
            late_and_doubled_values_are_kept,
            texts_are_ordered_by_nanoseconds,
            buckets_hold_every_value_once,
            values_of_items_without_history_are_not_kept,
            parts_of_trends_add_up_whenever_they_come,
            trends_of_whole_numbers_are_exact,
            trends_of_floats_and_of_both_types_are_separate,
            parts_of_several_classes_are_one_trend,
            values_alone_make_no_trend,
        );
    };
}
#[cfg(test)]
pub(crate) use contract;
