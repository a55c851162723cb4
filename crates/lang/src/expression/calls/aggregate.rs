//! Functions over several arguments or over the values of many items; membership and ranges.

use super::super::value::{Env, Val, Value};
use super::args::{exactly, number_of, text_of, wrong_number};
use crate::functions::pattern::{Matcher, Values};
use crate::functions::stat;
use formats::number;

type Answer<'v> = Result<Val<'v>, String>;

/// The numbers of the arguments: of one vector, or of the arguments themselves.
pub(super) fn numbers(args: &[Val<'_>]) -> Result<Vec<f64>, String> {
    match args {
        [] => Err(wrong_number()),
        [Val::Vector(values)] => values.iter().map(|it| number_of(&Val::from(it))).collect(),
        args => args.iter().map(number_of).collect(),
    }
}

pub(super) fn run<'v>(name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let numbers = numbers(&args)?;
    if numbers.is_empty() {
        return Err("empty vector argument for function".to_owned());
    }
    let value = match name {
        "min" => numbers.iter().copied().reduce(f64::min),
        "max" => numbers.iter().copied().reduce(f64::max),
        "sum" => Some(numbers.iter().sum()),
        "avg" => stat::mean(&numbers),
        "kurtosis" => stat::kurtosis(&numbers),
        "mad" => stat::mad(&numbers),
        "skewness" => stat::skewness(&numbers),
        "stddevpop" => stat::stddev_pop(&numbers),
        "stddevsamp" => stat::stddev_samp(&numbers),
        "sumofsquares" => Some(stat::sum_of_squares(&numbers)),
        "varpop" => stat::var_pop(&numbers),
        _ => stat::var_samp(&numbers),
    };
    value.map(Val::Number).ok_or_else(|| "not enough data".to_owned())
}

/// Number of values of a vector, all or those that match an operator and pattern.
pub(super) fn count<'v>(_name: &'static str, args: Vec<Val<'v>>, env: &Env<'_>) -> Answer<'v> {
    let mut args = args.into_iter();
    let Some(Val::Vector(values)) = args.next() else {
        return Err("function argument is not a vector".to_owned());
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
