//! Functions over several arguments or over the values of many items; membership and ranges.

use super::super::value::{Env, Val, Value};
use super::args::{exactly, number_of, text_of, wrong_number};
use crate::functions::pattern::{Matcher, Values};
use crate::functions::stat;
use formats::number;

type Answer<'v> = Result<Val<'v>, String>;

const NOT_NUMERIC: &str = "input data is not numeric";
const NOT_ENOUGH: &str = "not enough data";

/// Whether a reason is about the values that were found; Zabbix then does not say where in the expression.
pub(in crate::expression) fn is_about_values(reason: &str) -> bool {
    reason == NOT_NUMERIC || reason == NOT_ENOUGH || reason.starts_with("cannot calculate ")
}

/// Sum, mean and extremes: of the arguments, or of one vector.
pub(super) fn over_arguments<'v>(
    name: &'static str,
    args: Vec<Val<'v>>,
    _env: &Env<'_>,
) -> Answer<'v> {
    let numbers: Vec<f64> = match args.as_slice() {
        [] => return Err("no arguments for function".to_owned()),
        [Val::Vector(values)] => vector(values, number_of)?,
        [Val::Vector(_), ..] => return Err("too many arguments for function".to_owned()),
        args => args.iter().map(number_of).collect::<Result<_, _>>()?,
    };
    let value = match name {
        "min" => numbers.iter().copied().reduce(f64::min),
        "max" => numbers.iter().copied().reduce(f64::max),
        "sum" if !numbers.is_empty() => Some(numbers.iter().sum()),
        "sum" => None,
        _ => stat::mean(&numbers),
    };
    value.map(Val::Number).ok_or_else(|| "no input data for function".to_owned())
}

/// Statistics of one vector.
pub(super) fn over_vector<'v>(
    name: &'static str,
    args: Vec<Val<'v>>,
    _env: &Env<'_>,
) -> Answer<'v> {
    let [argument] = exactly::<1>(args)?;
    let Val::Vector(values) = argument else {
        return Err(format!("invalid argument type \"{}\" for function", argument.type_name()));
    };
    if values.is_empty() {
        return Err("empty vector argument for function".to_owned());
    }
    // Other than where arguments are listed, texts with a suffix are no numbers.
    let numbers = vector(values, |value| match value {
        Val::Text(it) => number::parse_f64(number::trim_float(it)).ok_or_else(String::new),
        value => number_of(value),
    })?;
    let value = match name {
        "kurtosis" => stat::kurtosis(&numbers),
        "mad" => stat::mad(&numbers),
        "skewness" => stat::skewness(&numbers),
        "stddevpop" => stat::stddev_pop(&numbers),
        "stddevsamp" => stat::stddev_samp(&numbers),
        "sumofsquares" => Some(stat::sum_of_squares(&numbers)),
        "varpop" => stat::var_pop(&numbers),
        _ => stat::var_samp(&numbers),
    };
    value.map(Val::Number).ok_or_else(|| match (name, numbers.len()) {
        ("stddevsamp" | "varsamp", 0..2) => NOT_ENOUGH.to_owned(),
        _ => format!("cannot calculate {name}() value"),
    })
}

fn vector(
    values: &[Value],
    number: impl Fn(&Val<'_>) -> Result<f64, String>,
) -> Result<Vec<f64>, String> {
    let numbers: Result<Vec<f64>, String> =
        values.iter().map(|it| number(&Val::from(it))).collect();
    numbers.map_err(|_which| NOT_NUMERIC.to_owned())
}

/// Number of values of a vector, all or those that match an operator and pattern.
pub(super) fn count<'v>(_name: &'static str, args: Vec<Val<'v>>, env: &Env<'_>) -> Answer<'v> {
    let mut args = args.into_iter();
    let Some(Val::Vector(values)) = args.next() else {
        return Err("invalid type of argument for function".to_owned());
    };
    let texts =
        args.map(|it| {
            if matches!(it, Val::Null) { Ok(String::new()) } else { text_of(it).map(Into::into) }
        })
        .collect::<Result<Vec<String>, String>>()?;
    let (operator, pattern) = match texts.as_slice() {
        [] => return Ok(Val::UInt(values.len() as u64)),
        [operator] => (operator.as_str(), None),
        [operator, pattern] => (operator.as_str(), Some(pattern.as_str())),
        _ => return Err(wrong_number()),
    };
    let is_numeric = values
        .iter()
        .all(|it| !matches!(it, Value::Text(text) if number::parse_suffixed(text).is_none()));
    let kind = if is_numeric { Values::Numbers } else { Values::Texts };
    let matcher = Matcher::new(operator, pattern, kind, env.regexps)?;
    let matcher = matcher.with_epsilon(env.epsilon);
    let mut found = 0_u64;
    for value in values {
        let is_match = match value {
            Value::Number(it) => matcher.number(*it)?,
            Value::UInt(it) => matcher.uint(*it)?,
            Value::Text(it) if matcher.is_numeric() => {
                matcher.number(number::parse_suffixed(it).unwrap_or(f64::NAN))?
            }
            Value::Text(it) => matcher.text(it)?,
            Value::Vector(_) => false,
        };
        found += u64::from(is_match);
    }
    Ok(Val::UInt(found))
}

pub(super) fn between<'v>(_name: &'static str, args: Vec<Val<'v>>, env: &Env<'_>) -> Answer<'v> {
    let [value, low, high] = exactly::<3>(args)?;
    let (value, low, high) = (number_of(&value)?, number_of(&low)?, number_of(&high)?);
    let is_in = value >= low - env.epsilon && value <= high + env.epsilon;
    Ok(Val::Number(f64::from(u8::from(is_in))))
}

/// Is the first argument among the others? Compared as numbers if all are, else as texts.
pub(super) fn is_in<'v>(_name: &'static str, args: Vec<Val<'v>>, env: &Env<'_>) -> Answer<'v> {
    if args.len() < 2 {
        return Err(wrong_number());
    }
    let found = if let Ok(numbers) = args.iter().map(number_of).collect::<Result<Vec<_>, _>>() {
        numbers[1..].iter().any(|it| (it - numbers[0]).abs() <= env.epsilon)
    } else {
        let texts = args.into_iter().map(text_of).collect::<Result<Vec<_>, _>>()?;
        texts[1..].contains(&texts[0])
    };
    Ok(Val::Number(f64::from(u8::from(found))))
}
