//! Steps that compare with the value before.

use model::{Time, ValueType};

use super::data::Data;
use super::error::StepError;
use super::run::StepState;
use crate::number;

/// What a comparison gives: a value, or nothing to go on with.
pub(super) type Kept<'a> = Option<Data<'a>>;

fn as_stored(data: &Data<'_>, value_type: ValueType) -> Result<Data<'static>, StepError> {
    let number = data.to_number().ok_or_else(|| {
        StepError::Value("cannot calculate delta: cannot convert value to numeric type".to_owned())
    })?;
    Ok(match (value_type, &number) {
        (ValueType::Float, Data::Unsigned(it)) => Data::Float(number::u64_to_f64(*it)),
        (ValueType::Unsigned, Data::Float(it)) => {
            let whole = number::f64_to_u64(it.trunc()).ok_or_else(|| {
                StepError::Value(
                    "cannot calculate delta: value is negative or too large".to_owned(),
                )
            })?;
            Data::Unsigned(whole)
        }
        _ => number,
    })
}

/// Difference to the value before; a fall and the first value give nothing.
pub(super) fn change<'a>(
    data: &Data<'_>,
    state: &mut StepState,
    time: Time,
    value_type: ValueType,
) -> Result<Kept<'a>, StepError> {
    let value = as_stored(data, value_type)?;
    let before = state.replace(value.clone(), time);
    Ok(before.and_then(|(before, _)| match rise(&value, &before)? {
        Rise::Whole(it) => Some(Data::Unsigned(it)),
        Rise::Float(it) => Some(Data::Float(it)),
    }))
}

/// Rise each second; a fall, the first value and a time that is not later give nothing.
pub(super) fn per_second<'a>(
    data: &Data<'_>,
    state: &mut StepState,
    time: Time,
    value_type: ValueType,
) -> Result<Kept<'a>, StepError> {
    let value = as_stored(data, value_type)?;
    let before = state.replace(value.clone(), time);
    Ok(before.and_then(|(before, before_time)| {
        let seconds = number::i64_to_f64(time.since_ns(before_time)) / 1e9;
        if seconds <= 0.0 {
            return None;
        }
        match rise(&value, &before)? {
            Rise::Whole(it) => {
                // Whole numbers stay whole: items that store fractions have floats here.
                let rate = number::u64_to_f64(it) / seconds;
                number::f64_to_u64(rate.trunc()).map(Data::Unsigned)
            }
            Rise::Float(it) => Some(Data::Float(it / seconds)),
        }
    }))
}

enum Rise {
    Whole(u64),
    Float(f64),
}

fn rise(value: &Data<'_>, before: &Data<'_>) -> Option<Rise> {
    if let (Data::Unsigned(value), Data::Unsigned(before)) = (value, before) {
        return value.checked_sub(*before).map(Rise::Whole);
    }
    let difference = value.to_f64()? - before.to_f64()?;
    (difference >= 0.0).then_some(Rise::Float(difference))
}

/// The value, unless it is the same as the last one that passed (and no heartbeat is due).
pub(super) fn unchanged<'a>(
    data: Data<'a>,
    state: &mut StepState,
    time: Time,
    heartbeat_s: Option<u64>,
) -> Kept<'a> {
    if let Some((before, before_time)) = state.last() {
        // Whole seconds count, as the clock shows them.
        let passed_s = time.clock().saturating_sub(before_time.clock());
        let due = heartbeat_s.is_some_and(|it| i128::from(passed_s) >= i128::from(it));
        if is_same(&data, before) && !due {
            return None;
        }
    }
    state.replace(data.clone().into_owned(), time);
    Some(data)
}

fn is_same(left: &Data<'_>, right: &Data<'_>) -> bool {
    match (left, right) {
        (Data::Float(left), Data::Float(right)) => number::same(*left, *right),
        (Data::Unsigned(left), Data::Unsigned(right)) => left == right,
        (Data::Text(left), Data::Text(right)) => left == right,
        (left, right) => match (left.to_f64(), right.to_f64()) {
            (Some(left), Some(right)) => number::same(left, right),
            _ => false,
        },
    }
}
