//! Functions over the numbers of a window.

use model::{Time, ValueType};

use super::context::FunctionContext;
use super::error::FunctionError;
use super::period::Window;
use super::sample::{Sample, SampleValue};
use super::stat;
use crate::expression::Value;
use formats::number;

/// Values that end at most this many of their usual distances before the end of a window reach it.
const GAP_MAX: f64 = 1.1;

/// The numbers of a window.
pub(super) fn numbers(known: &[Sample<'_>]) -> Result<Vec<f64>, FunctionError> {
    known.iter().map(|it| it.value.number().ok_or(FunctionError::ValueType)).collect()
}

/// `min`, `max`, `sum`, `avg` and the statistics.
pub(super) fn aggregate(
    name: &str,
    known: &[Sample<'_>],
    context: &FunctionContext<'_>,
) -> Result<Value, FunctionError> {
    if !context.value_type.is_numeric() {
        return Err(FunctionError::ValueType);
    }
    if known.is_empty() {
        return match name {
            "sum" if context.value_type == ValueType::Unsigned => Ok(Value::UInt(0)),
            "sum" => Ok(Value::Number(0.0)),
            _ => Err(FunctionError::NotEnoughData),
        };
    }
    if context.value_type == ValueType::Unsigned
        && let Some(exact) = unsigned(name, known)
    {
        return Ok(Value::UInt(exact));
    }
    if let Some(folded) = fold(name, known) {
        return folded.map(Value::Number).ok_or(FunctionError::ValueType);
    }
    let numbers = numbers(known)?;
    let value = match name {
        "avg" => stat::mean(&numbers),
        "kurtosis" => stat::kurtosis(&numbers),
        "mad" => stat::mad(&numbers),
        "skewness" => stat::skewness(&numbers),
        "stddevpop" => stat::stddev_pop(&numbers),
        "stddevsamp" => stat::stddev_samp(&numbers),
        "sumofsquares" => Some(stat::sum_of_squares(&numbers)),
        "varpop" => stat::var_pop(&numbers),
        "varsamp" => stat::var_samp(&numbers),
        _ => return Err(FunctionError::Unsupported),
    };
    value.map(Value::Number).ok_or(FunctionError::NotEnoughData)
}

/// Functions that need no list of the numbers; the inner `None` is a value that is no number.
fn fold(name: &str, known: &[Sample<'_>]) -> Option<Option<f64>> {
    let step: fn(f64, f64) -> f64 = match name {
        "min" => f64::min,
        "max" => f64::max,
        "sum" => |sum, it| sum + it,
        _ => return None,
    };
    let mut numbers = known.iter().map(|it| it.value.number());
    let first = numbers.next()??;
    Some(numbers.try_fold(first, |folded, it| Some(step(folded, it?))))
}

/// The exact result of whole numbers; `None` where that is not possible.
fn unsigned(name: &str, known: &[Sample<'_>]) -> Option<u64> {
    let mut values = known.iter().map(|it| match it.value {
        SampleValue::Unsigned(it) => Some(it),
        _ => None,
    });
    match name {
        "min" => values.try_fold(u64::MAX, |least, it| Some(least.min(it?))),
        "max" => values.try_fold(0, |most, it| Some(most.max(it?))),
        "sum" => values.try_fold(0_u64, |sum, it| sum.checked_add(it?)),
        _ => None,
    }
}

/// The rise of a counter each second, as in Prometheus's `rate`: a fall means that the counter began again
/// from 0, and the rise is extrapolated to the ends of the window where the values nearly reach them.
pub(super) fn rate(known: &[Sample<'_>], window: &Window) -> Result<Value, FunctionError> {
    let numbers = numbers(known)?;
    let ([first, .., last], [from, .., to]) = (known, numbers.as_slice()) else {
        return Err(FunctionError::NotEnoughData);
    };
    let start = window.start().unwrap_or(first.time);
    let seconds = |from: Time, to: Time| number::i64_to_f64(to.since_ns(from)) / 1e9;
    let sampled = seconds(first.time, last.time);
    if sampled <= 0.0 {
        return Err(FunctionError::NotEnoughData);
    }
    let restarts: f64 = numbers.windows(2).filter(|it| it[1] < it[0]).map(|it| it[0]).sum();
    let rise = to - from + restarts;
    let between = sampled / number::u64_to_f64(known.len() as u64 - 1);
    let mut before = seconds(start, first.time);
    if rise > 0.0 && *from >= 0.0 {
        // A counter was never below 0.
        before = before.min(sampled * (from / rise));
    }
    let gap = |it: f64| if it < between * GAP_MAX { it } else { between / 2.0 };
    let covered = sampled + gap(before) + gap(seconds(last.time, window.end));
    Ok(Value::Number(rise * (covered / sampled) / seconds(start, window.end)))
}

#[cfg(test)]
mod tests {
    use super::super::period::Range;
    use super::*;

    /// The rate of counter values (second, value) over the last minute before second 60.
    fn rate_of(values: &[(i64, f64)]) -> Option<f64> {
        let at = |it: i64| Time::from_clock(it, 0);
        let sample = |it: &(i64, f64)| Sample { time: at(it.0), value: SampleValue::Float(it.1) };
        let samples: Vec<Sample<'_>> = values.iter().map(sample).collect();
        match rate(&samples, &Window { range: Range::Seconds(60), end: at(60) }) {
            Ok(Value::Number(it)) => Some(it),
            _ => None,
        }
    }

    #[test]
    fn of_no_values_only_the_sum_is_a_number() {
        let zone = jiff::tz::TimeZone::UTC;
        let of = |name, kind| aggregate(name, &[], &FunctionContext::new(Time::ZERO, &zone, kind));
        assert_eq!(of("sum", ValueType::Float), Ok(Value::Number(0.0)));
        assert_eq!(of("sum", ValueType::Unsigned), Ok(Value::UInt(0)));
        assert_eq!(of("sum", ValueType::Text), Err(FunctionError::ValueType));
        for name in ["avg", "min", "max", "sumofsquares", "mad"] {
            assert_eq!(of(name, ValueType::Float), Err(FunctionError::NotEnoughData), "{name}");
        }
    }

    #[test]
    fn rates_are_extrapolated_to_the_ends_of_their_window() {
        // Each ten seconds: the ends are near enough.
        let values =
            [(10, 1e6), (20, 1e6 + 2.0), (30, 1e6 + 3.0), (40, 1e6 + 4.0), (50, 1e6 + 8.0)];
        assert_eq!(rate_of(&values), Some(8.0 / 40.0));
        // Half a distance at the end where the values stop early; no lower than 0 at the beginning.
        assert_eq!(rate_of(&[(5, 5.0), (15, 15.0)]), Some(10.0 / 10.0 * 20.0 / 60.0));
        assert_eq!(rate_of(&[(8, 1.0), (18, 11.0)]), Some(10.0 / 10.0 * 16.0 / 60.0));
        // A restart in between.
        assert_eq!(
            rate_of(&[(20, 100.0), (40, 20.0), (60, 40.0)]),
            Some(40.0 / 40.0 * 60.0 / 60.0)
        );
        assert_eq!(rate_of(&[(5, 5.0)]), None);
    }
}
