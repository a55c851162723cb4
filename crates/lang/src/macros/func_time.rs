//! `fmttime(format[,shift])`: a time as text in another form.

use jiff::civil::{DateTime, Time};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use super::func::FuncError;
use crate::calendar::{self, Unit};
use crate::number;

/// A time of day without date is read as on this day.
const DAY: jiff::civil::Date = jiff::civil::date(1970, 1, 1);

pub(super) fn fmttime(
    value: &str,
    params: &[String],
    zone: &TimeZone,
) -> Result<String, FuncError> {
    let (format, shift) = match params {
        [format] => (format.as_str(), ""),
        [format, shift] => (format.as_str(), shift.trim()),
        _ => return Err(FuncError::Parameters),
    };
    let wall = parse_value(value.trim(), zone).ok_or(FuncError::Value)?;
    let wall = shifted(wall, shift, zone).ok_or(FuncError::Parameters)?;
    let zoned = zone.to_ambiguous_zoned(wall).compatible().map_err(|_range| FuncError::Value)?;
    strtime::format(format, &zoned).map_err(|_bad_format| FuncError::Parameters)
}

/// Seconds since 1970, or a local date with time (an offset behind it does not count), or a time.
fn parse_value(value: &str, zone: &TimeZone) -> Option<DateTime> {
    let value = value.strip_prefix('@').unwrap_or(value);
    if let Some(clock) = number::parse_u64(value) {
        return calendar::local(i64::try_from(clock).ok()?, zone).map(|(wall, _)| wall);
    }
    if value.len() >= 19 {
        return value.get(..19)?.replace(' ', "T").parse().ok();
    }
    let time: Time = value.parse().ok()?;
    Some(DAY.to_datetime(time))
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
