//! Steps that compare with the value before.

use model::{Time, ValueType};

use super::data::Data;
use super::error::StepError;
use super::numbers;
use super::state::StepState;
use formats::number;

/// The result of a comparison: a value, or nothing to continue with.
pub(super) type Kept<'a> = Option<Data<'a>>;

fn to_calculate(
    data: &Data<'_>,
    value_type: ValueType,
    what: &str,
) -> Result<Data<'static>, StepError> {
    numbers::to_calculate(data, value_type).map_err(|why| {
        let kind = data.kind_name();
        StepError::Value(format!(
            "cannot calculate delta ({what}) for value of type \"{kind}\": {why}"
        ))
    })
}

/// Difference to the value before; a fall and the first value return nothing.
pub(super) fn change<'a>(
    data: &Data<'_>,
    state: &mut StepState,
    time: Time,
    value_type: ValueType,
) -> Result<Kept<'a>, StepError> {
    let value = to_calculate(data, value_type, "simple change")?;
    let before = state.replace(value.clone(), time);
    Ok(before.and_then(|(before, _)| match rise(&value, &before)? {
        Rise::Whole(it) => Some(Data::Unsigned(it)),
        Rise::Float(it) => Some(Data::Float(it)),
    }))
}

/// Rise each second; a fall, the first value and a time that is not later return nothing.
pub(super) fn per_second<'a>(
    data: &Data<'_>,
    state: &mut StepState,
    time: Time,
    value_type: ValueType,
) -> Result<Kept<'a>, StepError> {
    let value = to_calculate(data, value_type, "speed per second")?;
    let before = state.replace(value.clone(), time);
    Ok(before.and_then(|(before, before_time)| {
        let seconds = number::i64_to_f64(time.since_ns(before_time)) / 1e9;
        if seconds <= 0.0 {
            return None;
        }
        match rise(&value, &before)? {
            Rise::Whole(it) => {
                // Whole numbers stay whole: values for items that store fractions are floats here.
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
        if !due && is_same(&data, before) {
            return None;
        }
    }
    state.replace(data.clone().into_owned(), time);
    Some(data)
}

/// Numbers are compared by value, also as texts: `1`, `1.0` and `1e0` are equal. Whole numbers are
/// compared in full, where floats would treat neighbors above 2^53 as equal.
fn is_same(left: &Data<'_>, right: &Data<'_>) -> bool {
    if let (Data::Text(left), Data::Text(right)) = (left, right)
        && left == right
    {
        return true;
    }
    if let (Some(left), Some(right)) = (whole(left), whole(right)) {
        return left == right;
    }
    match (float(left), float(right)) {
        (Some(left), Some(right)) => number::same(left, right),
        _ => left.as_text() == right.as_text(),
    }
}

fn whole(data: &Data<'_>) -> Option<u64> {
    match data {
        Data::Unsigned(it) => Some(*it),
        Data::Text(it) => number::parse_u64(it),
        Data::Float(_) => None,
    }
}

/// Unlike [`Data::to_f64`] a text with anything around the number is no number.
fn float(data: &Data<'_>) -> Option<f64> {
    match data {
        Data::Float(it) => Some(*it),
        Data::Unsigned(it) => Some(number::u64_to_f64(*it)),
        Data::Text(it) => number::parse_f64(it),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_however_they_are_written() {
        let text = |it: &'static str| Data::text(it);
        for (left, right, same) in [
            (text("1"), text("1.0"), true),
            (text("1.000"), text("1e0"), true),
            (text("0.1"), Data::Float(0.1), true),
            (text("-0"), text("0"), true),
            (text("007"), Data::Unsigned(7), true),
            (text("9007199254740992"), text("9007199254740993"), false),
            (text("1"), text(" 1"), false),
            (text("a"), text("A"), false),
            (text("1"), text("one"), false),
            (text(""), text("0"), false),
            (Data::Float(1.0), Data::Unsigned(1), true),
            (Data::Unsigned(1), Data::Unsigned(2), false),
        ] {
            assert_eq!(is_same(&left, &right), same, "{left:?} {right:?}");
            assert_eq!(is_same(&right, &left), same, "{right:?} {left:?}");
        }
    }
}
