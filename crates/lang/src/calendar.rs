//! Calculations with local wall-clock time, as in Zabbix: units are added to the wall clock, hours too, so
//! that a change to summer time in between does not shift the result.
//!
//! A wall time that does not exist takes the offset after the change; of one that exists twice the offset of
//! the starting point applies, else the first. All points are seconds since 1970.

use jiff::civil::{DateTime, ISOWeekDate, Weekday};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Span, Timestamp};

/// A calendar unit of periods and shifts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// `s`
    Second,
    /// `m`
    Minute,
    /// `h`
    Hour,
    /// `d`
    Day,
    /// `w`, beginning on Monday
    Week,
    /// `M`
    Month,
    /// `y`
    Year,
    /// `i`, the year of ISO 8601 weeks (of trend baselines)
    IsoYear,
}

impl Unit {
    /// The unit of a letter.
    #[must_use]
    pub fn from_letter(letter: u8) -> Option<Self> {
        Some(match letter {
            b's' => Self::Second,
            b'm' => Self::Minute,
            b'h' => Self::Hour,
            b'd' => Self::Day,
            b'w' => Self::Week,
            b'M' => Self::Month,
            b'y' => Self::Year,
            b'i' => Self::IsoYear,
            _ => return None,
        })
    }

    /// Seconds of the unit if it always has the same number of them on the wall.
    #[must_use]
    pub fn seconds(self) -> Option<i64> {
        match self {
            Self::Second => Some(1),
            Self::Minute => Some(60),
            Self::Hour => Some(3_600),
            Self::Day => Some(86_400),
            Self::Week => Some(604_800),
            Self::Month | Self::Year | Self::IsoYear => None,
        }
    }
}

/// The wall time at `clock` in `zone`, and its offset.
#[must_use]
pub fn local(clock: i64, zone: &TimeZone) -> Option<(DateTime, Offset)> {
    let timestamp = Timestamp::from_second(clock).ok()?;
    let offset = zone.to_offset(timestamp);
    Some((offset.to_datetime(timestamp), offset))
}

/// The point at which the wall in `zone` shows `local`; `like` decides between two.
#[must_use]
pub fn clock_of(local: DateTime, zone: &TimeZone, like: Offset) -> Option<i64> {
    let offset = match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset,
        AmbiguousOffset::Gap { after, .. } => after,
        AmbiguousOffset::Fold { before, after } => {
            if after == like {
                after
            } else {
                before
            }
        }
    };
    offset.to_timestamp(local).ok().map(Timestamp::as_second)
}

/// `clock` plus (or minus) `n` units.
#[must_use]
pub fn add(clock: i64, n: i64, unit: Unit, zone: &TimeZone) -> Option<i64> {
    let (wall, offset) = local(clock, zone)?;
    let span = Span::new();
    let moved = match unit {
        Unit::Second => wall.checked_add(span.try_seconds(n).ok()?),
        Unit::Minute => wall.checked_add(span.try_minutes(n).ok()?),
        Unit::Hour => wall.checked_add(span.try_hours(n).ok()?),
        Unit::Day => wall.checked_add(span.try_days(n).ok()?),
        Unit::Week => wall.checked_add(span.try_weeks(n).ok()?),
        Unit::Month => wall.checked_add(span.try_months(n).ok()?),
        Unit::Year => wall.checked_add(span.try_years(n).ok()?),
        Unit::IsoYear => {
            let iso = wall.date().iso_week_date();
            let year = i16::try_from(i64::from(iso.year()).checked_add(n)?).ok()?;
            let date = iso_date(year, iso.week(), iso.weekday())?;
            Ok(date.date().to_datetime(wall.time()))
        }
    };
    clock_of(moved.ok()?, zone, offset)
}

/// The same week and day of another ISO year; week 53 becomes 52 where there is none.
fn iso_date(year: i16, week: i8, weekday: Weekday) -> Option<ISOWeekDate> {
    ISOWeekDate::new(year, week, weekday)
        .or_else(|_no_such_week| ISOWeekDate::new(year, 52, weekday))
        .ok()
}

/// Start of the unit in which `clock` lies.
#[must_use]
pub fn round_down(clock: i64, unit: Unit, zone: &TimeZone) -> Option<i64> {
    let (wall, offset) = local(clock, zone)?;
    clock_of(floor(wall, unit)?, zone, offset)
}

fn floor(wall: DateTime, unit: Unit) -> Option<DateTime> {
    let (date, time) = (wall.date(), wall.time());
    let at = |hour, minute, second| date.at(hour, minute, second, 0);
    let midnight = at(0, 0, 0);
    Some(match unit {
        Unit::Second => at(time.hour(), time.minute(), time.second()),
        Unit::Minute => at(time.hour(), time.minute(), 0),
        Unit::Hour => at(time.hour(), 0, 0),
        Unit::Day => midnight,
        Unit::Week => {
            let back = i64::from(date.weekday().to_monday_zero_offset());
            midnight.checked_sub(Span::new().try_days(back).ok()?).ok()?
        }
        Unit::Month => date.first_of_month().at(0, 0, 0, 0),
        Unit::Year => date.first_of_year().at(0, 0, 0, 0),
        Unit::IsoYear => {
            let first = ISOWeekDate::new(date.iso_week_date().year(), 1, Weekday::Monday).ok()?;
            first.date().at(0, 0, 0, 0)
        }
    })
}

/// Start of the first unit that does not begin before `clock`.
#[must_use]
pub fn round_up(clock: i64, unit: Unit, zone: &TimeZone) -> Option<i64> {
    let down = round_down(clock, unit, zone)?;
    if down == clock { Some(clock) } else { add(down, 1, unit, zone) }
}

/// ISO 8601 week number of the local date.
#[must_use]
pub fn week_number(clock: i64, zone: &TimeZone) -> Option<i8> {
    local(clock, zone).map(|(wall, _)| wall.date().iso_week_date().week())
}

/// Parses `2022-09-12T14:46:15.123+04:00` (also with a blank instead of `T`, a blank before the
/// offset, and without offset, which means `zone`). Seconds since 1970.
#[must_use]
pub fn parse_iso8601(text: &str, zone: &TimeZone) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() < 19 || !matches!(bytes[10], b'T' | b' ') {
        return None;
    }
    let wall: DateTime = text.get(..19)?.replace(' ', "T").parse().ok()?;
    let mut rest = text.get(19..)?;
    if let Some(fraction) = rest.strip_prefix('.') {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        rest = fraction.get(digits..)?;
    }
    let rest = rest.trim_start_matches(' ');
    match rest.as_bytes() {
        [] => clock_of(wall, zone, Offset::UTC),
        [b'Z'] => Offset::UTC.to_timestamp(wall).ok().map(Timestamp::as_second),
        [sign @ (b'+' | b'-'), digits @ ..] => {
            let seconds = offset_seconds(digits)?;
            let offset =
                Offset::from_seconds(if *sign == b'-' { -seconds } else { seconds }).ok()?;
            offset.to_timestamp(wall).ok().map(Timestamp::as_second)
        }
        _ => None,
    }
}

/// `HH`, `HHMM` or `HH:MM`.
fn offset_seconds(digits: &[u8]) -> Option<i32> {
    let two = |it: &[u8]| match it {
        [a @ b'0'..=b'9', b @ b'0'..=b'9'] => Some(i32::from(a - b'0') * 10 + i32::from(b - b'0')),
        _ => None,
    };
    let minutes = match digits.len() {
        2 => 0,
        4 => two(&digits[2..])?,
        5 if digits[2] == b':' => two(&digits[3..])?,
        _ => return None,
    };
    let hours = two(&digits[..2])?;
    (hours < 24 && minutes < 60).then_some(hours * 3_600 + minutes * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_end_where_they_must() {
        let january_31 = 1_548_892_800;
        assert_eq!(add(january_31, 1, Unit::Month, &TimeZone::UTC), Some(1_551_312_000));
    }

    #[test]
    fn offsets_are_times_of_a_day() {
        let parse =
            |offset: &str| parse_iso8601(&format!("2024-01-02T03:04:05{offset}"), &TimeZone::UTC);
        assert_eq!(parse("+03:04"), parse("Z").map(|it| it - 3 * 3_600 - 4 * 60));
        assert_eq!(parse(" -23"), parse("").map(|it| it + 23 * 3_600));
        for offset in ["+24:00", "+03:60", "+3", "+3:00", "z", "+03:00Z"] {
            assert_eq!(parse(offset), None, "{offset}");
        }
    }

    #[test]
    fn far_times_do_not_panic() {
        for clock in [i64::MIN, -1, 0, 253_402_207_200, i64::MAX] {
            for n in [i64::MIN, -1, 1, i64::MAX] {
                for unit in [Unit::Second, Unit::Month, Unit::IsoYear] {
                    let _moved = add(clock, n, unit, &TimeZone::UTC);
                    let _up = round_up(clock, unit, &TimeZone::UTC);
                }
            }
        }
    }
}
