//! Functions over the numbers of a window.

use model::ValueType;

use super::error::FunctionError;
use super::eval::Context;
use super::sample::{Sample, SampleValue};
use super::stat;
use crate::expression::Value;
use crate::number;

/// The numbers of a window.
pub(super) fn numbers(known: &[Sample<'_>]) -> Result<Vec<f64>, FunctionError> {
    known.iter().map(|it| it.value.number().ok_or(FunctionError::ValueType)).collect()
}

/// `min`, `max`, `sum`, `avg` and the statistics.
pub(super) fn aggregate(
    name: &str,
    known: &[Sample<'_>],
    context: &Context<'_>,
) -> Result<Value, FunctionError> {
    if !context.value_type.is_numeric() {
        return Err(FunctionError::ValueType);
    }
    if known.is_empty() {
        return Err(FunctionError::NotEnoughData);
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

/// What needs no list of the numbers; the inner `None` is a value that is no number.
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

/// What whole numbers give exactly; `None` where that is not possible.
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

/// Rise of a counter each second; a fall means that it began again from 0.
pub(super) fn rate(known: &[Sample<'_>]) -> Result<Value, FunctionError> {
    let numbers = numbers(known)?;
    let ([first, .., last], [from, .., to]) = (known, numbers.as_slice()) else {
        return Err(FunctionError::NotEnoughData);
    };
    let restarts: f64 = numbers.windows(2).filter(|it| it[1] < it[0]).map(|it| it[0]).sum();
    let seconds = number::i64_to_f64(last.time.since_ns(first.time)) / 1e9;
    if seconds <= 0.0 {
        return Err(FunctionError::NotEnoughData);
    }
    Ok(Value::Number((to - from + restarts) / seconds))
}
