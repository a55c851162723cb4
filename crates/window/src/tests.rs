use lang::functions::Shift;
use model::{Time, Value, ValueType};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::bits::as_f64;
use super::numbers::Numbers;
use super::ring::Arrival;
use super::samples::Samples;
use super::*;

/// Everything an item ever got, in order of arrival.
type Stream = Vec<(i64, f64)>;

fn naive(stream: &Stream, aggregate: WindowFunction, span: WindowSpan, end: i64) -> WindowAnswer {
    let mut sorted = stream.clone();
    sorted.sort_by_key(|it| it.0);
    sorted.retain(|it| it.0 <= end);
    let window: Vec<f64> = match span {
        WindowSpan::Period { ms } => {
            let start = end - ms * 1_000_000;
            sorted.iter().filter(|it| start < it.0).map(|it| it.1).collect()
        }
        WindowSpan::Count(n) => {
            sorted.iter().skip(sorted.len().saturating_sub(n as usize)).map(|it| it.1).collect()
        }
    };
    if let WindowFunction::Count(compare) = aggregate {
        let matches = |it: &&f64| compare.is_none_or(|c| c.matches(ValueRef::Float(**it)));
        return WindowAnswer::Unsigned(window.iter().filter(matches).count() as u64);
    }
    if window.is_empty() {
        return if aggregate == WindowFunction::Sum {
            WindowAnswer::Float(0.0)
        } else {
            WindowAnswer::Empty
        };
    }
    WindowAnswer::Float(match aggregate {
        WindowFunction::Sum => exact_sum(&window),
        WindowFunction::Avg => exact_sum(&window) / as_f64(window.len() as u64),
        WindowFunction::Min => window.iter().copied().fold(f64::INFINITY, f64::min),
        _ => window.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    })
}

/// The streams hold eighths: their sum is exact as a whole number.
#[expect(clippy::cast_possible_truncation, reason = "eighths of small numbers times 1e17 fit")]
fn exact_sum(window: &[f64]) -> f64 {
    window.iter().map(|it| (it * 8.0) as i128).sum::<i128>() as f64 / 8.0
}

fn agree(left: WindowAnswer, right: WindowAnswer) -> bool {
    match (left, right) {
        (WindowAnswer::Float(a), WindowAnswer::Float(b)) => {
            (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
        }
        _ => left == right,
    }
}

const FOLDS: [WindowFunction; 6] = [
    WindowFunction::Sum,
    WindowFunction::Avg,
    WindowFunction::Min,
    WindowFunction::Max,
    WindowFunction::Count(None),
    WindowFunction::Count(Some(Compare { op: CompareOp::Gt, right: 10.0 })),
];
const SECOND: i64 = 1_000_000_000;

/// All functions over the windows of one item.
struct Windows {
    plan: AggregatePlan,
    aggregates: Aggregates,
    all: Vec<AggregateRef>,
    depth: Depth,
}

impl Windows {
    fn new(spans: &[WindowSpan]) -> Self {
        let mut builder = AggregatePlanBuilder::default();
        let each = spans.iter().flat_map(|span| FOLDS.map(|aggregate| (aggregate, *span)));
        let all = each.map(|it| builder.add(0, &Shift::default(), it.0, it.1)).collect();
        let plan = builder.finish();
        let aggregates = Aggregates::new(&plan);
        let depth = spans.iter().map(|it| it.depth(0)).fold(Depth::default(), Depth::join);
        Self { plan, aggregates, all, depth }
    }

    fn check(&mut self, ring: &Ring, stream: &Stream, end: i64) -> TestCaseResult {
        for it in &self.all {
            if !it.span.is_covered(ring, end) {
                // Where values of equal times were dropped, a ring is not sure of the others.
                prop_assert!(matches!(it.span, WindowSpan::Count(_)), "{it:?}");
                continue;
            }
            let got = self.aggregates.at(&self.plan, it, ring, end);
            let want = naive(stream, it.aggregate, it.span, end);
            prop_assert!(agree(got, want), "{it:?}: {got:?}, not {want:?}");
        }
        Ok(())
    }
}

proptest! {
    // The naive evaluator sorts everything again for each of 24 functions.
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn incremental_windows_equal_a_naive_evaluator(
        steps in prop::collection::vec((0_i64..40, 0_i64..4, -20_i32..40, 0_u8..30), 1..120),
        periods in (1_i64..90, 1_i64..30),
        counts in (1_u32..12, 1_u32..4),
        pause in prop_oneof![4 => Just(1_i64), 1 => Just(20_000_000_i64)],
    ) {
        let period = |it: i64| WindowSpan::Period { ms: it * 1_000 };
        let mut windows = Windows::new(&[
            period(periods.0),
            period(periods.1),
            WindowSpan::Count(counts.0),
            WindowSpan::Count(counts.1),
        ]);
        let mut ring = Ring::new(ValueType::Float);
        ring.set_complete();
        let mut stream = Stream::new();
        let mut clock = 100 * SECOND;
        for (late, ahead, value, huge) in steps {
            // Now and then months pass, so that times no longer fit into 32 bits.
            clock += ahead * SECOND * if huge == 1 { pause } else { 1 };
            // Mostly in order, sometimes late, often at equal times.
            let time = if late < 8 { clock - late * SECOND } else { clock };
            let value = if huge == 0 { f64::from(value) * 1e17 } else { f64::from(value) / 8.0 };
            stream.push((time, value));
            prop_assert!(ring.take((time, ValueRef::Float(value)), time, windows.depth));
            windows.check(&ring, &stream, time)?;
            // As timers do, and triggers that are judged again in the present.
            if late % 5 == 0 {
                windows.check(&ring, &stream, clock + late * 1_000_000 + 1)?;
            }
        }
    }

    #[test]
    fn sums_are_those_of_the_values_left(
        values in prop::collection::vec(-1_000_000_i32..1_000_000, 2..100),
        digits in 0_i32..9,
        len in 1_u32..20,
    ) {
        let mut windows = Windows::new(&[WindowSpan::Count(len)]);
        let mut ring = Ring::new(ValueType::Float);
        ring.set_complete();
        let numbers: Vec<f64> = values.iter().map(|it| f64::from(*it) / 10_f64.powi(digits)).collect();
        for (at, value) in (1_i64..).zip(&numbers) {
            ring.take((at * SECOND, ValueRef::Float(*value)), at * SECOND, windows.depth);
            let got = windows.aggregates.at(&windows.plan, &windows.all[0], &ring, at * SECOND);
            let mut fresh = Windows::new(&[WindowSpan::Count(len)]);
            let want = fresh.aggregates.at(&fresh.plan, &fresh.all[0], &ring, at * SECOND);
            // To the last bit.
            prop_assert_eq!(got, want);
        }
    }

    #[test]
    fn an_answer_of_history_merges_without_doubles(
        n_stored in 0_usize..20,
        n_before in 0_usize..5,
        n_during in 0_usize..5,
        n_seen in 0_usize..5,
        knows_position in any::<bool>(),
    ) {
        // Values before the question, and during it; history has seen the first `n_seen` of these.
        let n_seen = n_seen.min(n_during);
        let value = |at: usize| (i64::try_from(at).expect("small") * SECOND, at as f64);
        let mut ring = Ring::new(ValueType::Float);
        for at in n_stored..n_stored + n_before + n_during {
            let (time, it) = value(at);
            ring.take((time, ValueRef::Float(it)), time, Depth::default());
        }
        prop_assert!(!ring.covers(0));
        let in_history = n_stored + n_before + n_seen;
        let answer =
            Samples::Float((0..in_history).map(value).map(|(t, v)| (Time(t), v)).collect());
        let younger: Vec<Arrival> = (in_history..n_stored + n_before + n_during)
            .map(value)
            .map(|(t, v)| Arrival { time: Time(t), value: Value::Float(v), step: 0 })
            .collect();
        ring.merge(&answer, HistoryRequest { from: i64::MIN, count: 0, count_until: 0 }, knows_position.then_some(&younger));
        prop_assert_eq!(ring.len(), n_stored + n_before + n_during);
        for at in 0..ring.len() {
            prop_assert_eq!(ring.time(at as u64), Some(value(at).0));
        }
    }
}

#[test]
fn unsigned_sums_are_exact_and_wrap() {
    let span = WindowSpan::Period { ms: 2 };
    let mut windows = Windows::new(&[span]);
    let mut ring = Ring::new(ValueType::Unsigned);
    ring.set_complete();
    for (ms, value) in [(1, u64::MAX), (2, 5), (3, 1)] {
        ring.take((ms * 1_000_000, ValueRef::Unsigned(value)), 0, windows.depth);
    }
    let mut at = |aggregate: WindowFunction, ms: i64| {
        let it = windows.all.iter().find(|it| it.aggregate == aggregate).expect("one of them");
        windows.aggregates.at(&windows.plan, it, &ring, ms * 1_000_000)
    };
    assert_eq!(at(WindowFunction::Sum, 2), WindowAnswer::Unsigned(4));
    assert_eq!(at(WindowFunction::Max, 2), WindowAnswer::Unsigned(u64::MAX));
    assert_eq!(at(WindowFunction::Avg, 2), WindowAnswer::Float(2_f64.powi(63)));
    assert_eq!(at(WindowFunction::Sum, 3), WindowAnswer::Unsigned(6));
    assert_eq!(at(WindowFunction::Min, 3), WindowAnswer::Unsigned(1));
}

#[test]
fn averages_of_numbers_whose_sum_is_out_of_range_are_known() {
    let mut windows = Windows::new(&[WindowSpan::Count(2)]);
    let mut ring = Ring::new(ValueType::Float);
    ring.set_complete();
    let average =
        windows.all.iter().find(|it| it.aggregate == WindowFunction::Avg).copied().expect("one");
    for (ms, value, want) in
        [(1, 1e308, 1e308), (2, 1.5e308, 1.25e308), (3, 4.0, 7.5e307), (4, 2.0, 3.0)]
    {
        ring.take((ms * 1_000_000, ValueRef::Float(value)), 0, windows.depth);
        let got = windows.aggregates.at(&windows.plan, &average, &ring, ms * 1_000_000);
        assert!(agree(got, WindowAnswer::Float(want)), "{got:?}, not {want}");
    }
}

#[test]
fn a_falling_row_of_values_costs_memory_only_while_it_lasts() {
    let mut windows =
        Windows::new(&[WindowSpan::Period { ms: 60_000 }, WindowSpan::Period { ms: 5_000 }]);
    let mut ring = Ring::new(ValueType::Float);
    ring.set_complete();
    let mut stream = Stream::new();
    for second in 0..600 {
        let value = if second < 300 { 1_000 - second } else { second };
        stream.push((second * SECOND, as_f64(value.unsigned_abs())));
        let value = ValueRef::Float(as_f64(value.unsigned_abs()));
        ring.take((second * SECOND, value), second * SECOND, windows.depth);
        windows.check(&ring, &stream, second * SECOND).expect("as all at once");
    }
    let words = ring.numbers().map(Numbers::n_words);
    assert!(words.is_some_and(|it| it <= 3 * 140), "{words:?}");
}

#[test]
fn a_ring_knows_what_it_no_longer_has() {
    let mut ring = Ring::new(ValueType::Float);
    assert!(!WindowSpan::Count(1).is_covered(&ring, 0));
    ring.set_complete();
    let depth = WindowSpan::Period { ms: 100_000 }.depth(0).join(WindowSpan::Count(5).depth(0));
    for second in 0..1_000 {
        ring.take((second * SECOND, ValueRef::Float(0.0)), second * SECOND, depth);
    }
    assert!(ring.len() < 180, "{}", ring.len());
    assert!(WindowSpan::Period { ms: 100_000 }.is_covered(&ring, 999 * SECOND));
    assert!(!WindowSpan::Period { ms: 300_000 }.is_covered(&ring, 999 * SECOND));
    assert!(WindowSpan::Count(160).is_covered(&ring, 999 * SECOND));
    assert!(!WindowSpan::Count(200).is_covered(&ring, 999 * SECOND));
}

#[test]
fn count_windows_keep_their_values_however_old() {
    let mut ring = Ring::new(ValueType::Float);
    ring.set_complete();
    let depth = WindowSpan::Count(3).depth(0);
    for hour in 0..10 {
        ring.take((hour * 3_600 * SECOND, ValueRef::Float(0.0)), hour * 3_600 * SECOND, depth);
        assert!(WindowSpan::Count(3).is_covered(&ring, hour * 3_600 * SECOND));
    }
    assert!(ring.len() <= 16);
}
