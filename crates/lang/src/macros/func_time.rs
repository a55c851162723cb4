//! `fmttime(format[,shift])`: a time as text in another form.

use jiff::civil::{DateTime, Time};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use super::func_env::{FuncEnv, FuncError};
use crate::calendar::{self, Unit};
use formats::number;

pub(super) fn fmttime(
    value: &str,
    params: &[String],
    env: &FuncEnv<'_>,
) -> Result<String, FuncError> {
    let zone = env.zone;
    let (format, shift) = match params {
        [format] => (format.as_str(), ""),
        [format, shift] => (format.as_str(), shift.trim()),
        _ => return Err(FuncError::Parameters),
    };
    let wall = parse_value(value.trim(), env).ok_or(FuncError::Value)?;
    let wall = shifted(wall, shift, zone).ok_or(FuncError::Parameters)?;
    let zoned = zone.to_ambiguous_zoned(wall).compatible().map_err(|_range| FuncError::Value)?;
    strtime::format(format, &zoned).map_err(|_bad_format| FuncError::Parameters)
}

/// Seconds since 1970 (fractions are cut off), or a local date with time (an offset behind it does not
/// count), or a time of the present day.
fn parse_value(value: &str, env: &FuncEnv<'_>) -> Option<DateTime> {
    let value = value.strip_prefix('@').unwrap_or(value);
    let local = |clock: i64| calendar::local(clock, env.zone).map(|(wall, _)| wall);
    let (whole, fraction) = value.split_once('.').unwrap_or((value, "0"));
    if let Some(clock) = number::parse_u64(whole).filter(|_| number::parse_u64(fraction).is_some())
    {
        return local(i64::try_from(clock).ok()?);
    }
    if value.len() >= 19 {
        return value.get(..19)?.replace(' ', "T").parse().ok();
    }
    let time: Time = value.parse().ok()?;
    Some(local(env.now.clock())?.date().to_datetime(time))
}

/// `-1d`, `/M`, `+1M/M-1d`: from left to right on the wall clock.
fn shifted(wall: DateTime, shift: &str, zone: &TimeZone) -> Option<DateTime> {
    let mut clock = calendar::clock_of(wall, zone, jiff::tz::Offset::UTC)?;
    let mut rest = shift;
    while let [sign, tail @ ..] = rest.as_bytes() {
        let len = match sign {
            b'/' => {
                clock = calendar::round_down(clock, unit(*tail.first()?)?, zone)?;
                1
            }
            b'+' | b'-' => {
                let digits = tail.iter().take_while(|it| it.is_ascii_digit()).count();
                let n: i64 = rest.get(1..=digits)?.parse().ok()?;
                let n = if *sign == b'-' { -n } else { n };
                clock = calendar::add(clock, n, unit(*tail.get(digits)?)?, zone)?;
                digits + 1
            }
            _ => return None,
        };
        rest = rest.get(1 + len..)?;
    }
    calendar::local(clock, zone).map(|(wall, _)| wall)
}

fn unit(letter: u8) -> Option<Unit> {
    Unit::from_letter(letter).filter(|it| *it != Unit::IsoYear)
}
