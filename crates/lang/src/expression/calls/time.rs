//! Functions of the time of evaluation, in the zone of the server.

use jiff::Timestamp;

use super::super::value::{Env, Val};
use super::args::wrong_number;
use formats::number;

/// Functions whose value changes with time alone.
const TIME_FUNCTIONS: &[&str] = &["date", "dayofmonth", "dayofweek", "now", "time"];

/// Does the function's value change with time alone (`now`, `date`, …)?
#[must_use]
pub fn is_time_function(name: &str) -> bool {
    TIME_FUNCTIONS.contains(&name)
}

pub(super) fn run<'v>(
    name: &'static str,
    args: Vec<Val<'v>>,
    env: &Env<'_>,
) -> Result<Val<'v>, String> {
    if !args.is_empty() {
        return Err(wrong_number());
    }
    let clock = env.now.clock();
    if name == "now" {
        return Ok(Val::Number(number::i64_to_f64(clock)));
    }
    let local = Timestamp::from_second(clock)
        .map_err(|_range| "time is out of range".to_owned())?
        .to_zoned(env.zone.clone());
    let number = match name {
        "date" => {
            i64::from(local.year()) * 10_000
                + i64::from(local.month()) * 100
                + i64::from(local.day())
        }
        "dayofmonth" => i64::from(local.day()),
        "dayofweek" => i64::from(local.weekday().to_monday_one_offset()),
        _ => {
            i64::from(local.hour()) * 10_000
                + i64::from(local.minute()) * 100
                + i64::from(local.second())
        }
    };
    Ok(Val::Number(number::i64_to_f64(number)))
}
