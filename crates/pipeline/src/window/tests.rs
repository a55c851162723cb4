use model::{Time, Value, ValueType};
use proptest::prelude::*;

use super::cell::as_f64;
use super::ring::Arrival;
use super::*;
use crate::input::Samples;

/// Everything an item ever got, in order of arrival.
type Stream = Vec<(i64, f64)>;

fn naive(stream: &Stream, fold: Fold, span: Span, end: i64) -> Answer {
    let mut sorted = stream.clone();
    sorted.sort_by_key(|it| it.0);
    sorted.retain(|it| it.0 <= end);
    let window: Vec<f64> = match span {
        Span::Period { ns } => sorted.iter().filter(|it| end - ns < it.0).map(|it| it.1).collect(),
        Span::Count(n) => {
            sorted.iter().skip(sorted.len().saturating_sub(n as usize)).map(|it| it.1).collect()
        }
    };
    if let Fold::Count(compare) = fold {
        let matches = |it: &&f64| compare.is_none_or(|c| c.matches(ValueRef::Float(**it)));
        return Answer::Unsigned(window.iter().filter(matches).count() as u64);
    }
    if window.is_empty() {
        return Answer::Empty;
    }
    Answer::Float(match fold {
        Fold::Sum => exact_sum(&window),
        Fold::Avg => exact_sum(&window) / as_f64(window.len() as u64),
        Fold::Min => window.iter().copied().fold(f64::INFINITY, f64::min),
        _ => window.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    })
}

/// The streams hold eighths: their sum is exact as a whole number.
#[expect(clippy::cast_possible_truncation, reason = "eighths of small numbers times 1e17 fit")]
fn exact_sum(window: &[f64]) -> f64 {
    window.iter().map(|it| (it * 8.0) as i128).sum::<i128>() as f64 / 8.0
}

fn agree(left: Answer, right: Answer) -> bool {
    match (left, right) {
        (Answer::Float(a), Answer::Float(b)) => {
            (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
        }
        _ => left == right,
    }
}

const FOLDS: [Fold; 6] = [
    Fold::Sum,
    Fold::Avg,
    Fold::Min,
    Fold::Max,
    Fold::Count(None),
    Fold::Count(Some(Compare { op: CompareOp::Gt, right: 10.0 })),
];
const SECOND: i64 = 1_000_000_000;

proptest! {
    #[test]
    fn incremental_windows_equal_a_naive_evaluator(
        steps in prop::collection::vec((0_i64..40, 0_i64..4, -20_i32..40, 0_u8..30), 1..200),
        period in 1_i64..90,
        count in 1_u32..12,
    ) {
        let spans = [Span::Period { ns: period * SECOND }, Span::Count(count)];
        let depth = spans[0].depth(0).join(spans[1].depth(0));
        let mut cells: Vec<FoldCell> = spans
            .iter()
            .flat_map(|span| FOLDS.map(|fold| FoldCell::new(fold, *span)))
            .collect();
        let mut ring = Ring::new(ValueType::Float);
        ring.set_complete();
        let mut stream = Stream::new();
        let mut clock = 0;
        for (late, ahead, value, huge) in steps {
            clock += ahead * SECOND;
            // Mostly in order, sometimes late, often at equal times.
            let time = if late < 8 { clock - late * SECOND } else { clock };
            let value = if huge == 0 { f64::from(value) * 1e17 } else { f64::from(value) / 8.0 };
            stream.push((time, value));
            prop_assert!(ring.push(time, ValueRef::Float(value)));
            ring.trim(clock, depth);
            let mut at = 0;
            for span in spans {
                for fold in FOLDS {
                    let got = cells[at].at(&ring, time);
                    let want = naive(&stream, fold, span, time);
                    prop_assert!(span.is_covered(&ring, time));
                    prop_assert!(agree(got, want), "{fold:?} {span:?}: {got:?}, not {want:?}");
                    at += 1;
                }
            }
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
            ring.push(time, ValueRef::Float(it));
        }
        prop_assert!(!ring.covers(0));
        let in_history = n_stored + n_before + n_seen;
        let answer =
            Samples::Float((0..in_history).map(value).map(|(t, v)| (Time(t), v)).collect());
        let younger: Vec<Arrival> = (in_history..n_stored + n_before + n_during)
            .map(value)
            .map(|(t, v)| Arrival { time: Time(t), value: Value::Float(v), step: 0 })
            .collect();
        ring.merge(&answer, Asked { from: i64::MIN, count: 0, count_until: 0 }, knows_position.then_some(&younger));
        prop_assert_eq!(ring.len(), n_stored + n_before + n_during);
        for at in 0..ring.len() {
            prop_assert_eq!(ring.time(at as u64), Some(value(at).0));
        }
    }
}

#[test]
fn unsigned_sums_are_exact_and_wrap() {
    let mut ring = Ring::new(ValueType::Unsigned);
    ring.set_complete();
    for (time, value) in [(1, u64::MAX), (2, 5), (3, 1)] {
        ring.push(time, ValueRef::Unsigned(value));
    }
    let span = Span::Period { ns: 2 };
    let mut sum = FoldCell::new(Fold::Sum, span);
    assert_eq!(sum.at(&ring, 2), Answer::Unsigned(4));
    assert_eq!(sum.at(&ring, 3), Answer::Unsigned(6));
    let mut max = FoldCell::new(Fold::Max, span);
    assert_eq!(max.at(&ring, 2), Answer::Unsigned(u64::MAX));
}

#[test]
fn a_ring_knows_what_it_no_longer_has() {
    let mut ring = Ring::new(ValueType::Float);
    assert!(!Span::Count(1).is_covered(&ring, 0));
    ring.set_complete();
    for second in 0..1_000 {
        ring.push(second * SECOND, ValueRef::Float(0.0));
    }
    let depth = Span::Period { ns: 100 * SECOND }.depth(0).join(Span::Count(5).depth(0));
    ring.trim(999 * SECOND, depth);
    assert!(ring.len() < 170, "{}", ring.len());
    assert!(Span::Period { ns: 100 * SECOND }.is_covered(&ring, 999 * SECOND));
    assert!(!Span::Period { ns: 300 * SECOND }.is_covered(&ring, 999 * SECOND));
    assert!(Span::Count(160).is_covered(&ring, 999 * SECOND));
    assert!(!Span::Count(200).is_covered(&ring, 999 * SECOND));
}

#[test]
fn count_windows_keep_their_values_however_old() {
    let mut ring = Ring::new(ValueType::Float);
    ring.set_complete();
    let depth = Span::Count(3).depth(0);
    for hour in 0..10 {
        ring.push(hour * 3_600 * SECOND, ValueRef::Float(0.0));
        ring.trim(hour * 3_600 * SECOND, depth);
    }
    assert!(Span::Count(3).is_covered(&ring, 9 * 3_600 * SECOND));
    assert!(ring.len() <= 4);
}
