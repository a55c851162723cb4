//! `fmttime(format[,shift])`: a time as text in another form.

use std::ops::RangeInclusive;

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use super::func_env::{FuncEnv, FuncError};
use crate::calendar::{self, Unit};

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

/// A time of the present day, or a local date with time, whatever follows them; else the seconds since 1970
/// at the begin of the text. A text without a number and 0 are no time.
fn parse_value(value: &str, env: &FuncEnv<'_>) -> Option<DateTime> {
    let value = value.strip_prefix('@').unwrap_or(value);
    let local = |clock: i64| calendar::local(clock, env.zone).map(|(wall, _)| wall);
    if let Some((time, seconds)) = (Fields { rest: value.as_bytes() }).time() {
        return at(local(env.now.clock())?.date(), time, seconds);
    }
    if let Some((date, (time, seconds))) = (Fields { rest: value.as_bytes() }).date_time() {
        return at(date, time, seconds);
    }
    local(leading_number(value).filter(|it| *it != 0)?)
}

/// A time with its seconds, which may be leap seconds.
fn at(date: Date, time: Time, seconds: i8) -> Option<DateTime> {
    date.to_datetime(time).checked_add(SignedDuration::from_secs(seconds.into())).ok()
}

/// The whole number at the start, in 32 bits as in C.
fn leading_number(value: &str) -> Option<i64> {
    let text = value.trim_start();
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, text.get(1..)?),
        b'+' => (1, text.get(1..)?),
        _ => (1, text),
    };
    let len = digits.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, most) = (digits.get(..len).filter(|it| !it.is_empty())?, i64::MAX);
    let number =
        digits.parse::<i64>().map_or(if sign < 0 { i64::MIN } else { most }, |it| it * sign);
    let [a, b, c, d, ..] = number.to_le_bytes();
    Some(i32::from_le_bytes([a, b, c, d]).into())
}

/// Numbers of a time, read as C does.
struct Fields<'a> {
    rest: &'a [u8],
}

impl Fields<'_> {
    /// `%H:%M:%S`
    fn time(&mut self) -> Option<(Time, i8)> {
        let hour = self.number(0..=23, 2)?;
        self.sign(b':')?;
        let minute = self.number(0..=59, 2)?;
        self.sign(b':')?;
        let seconds = self.number(0..=61, 2)?;
        let narrow = |it: i16| i8::try_from(it).ok();
        Some((Time::new(narrow(hour)?, narrow(minute)?, 0, 0).ok()?, narrow(seconds)?))
    }

    /// `%Y-%m-%dT%H:%M:%S`
    fn date_time(&mut self) -> Option<(Date, (Time, i8))> {
        let year = self.number(0..=9_999, 4)?;
        self.sign(b'-')?;
        let month = i8::try_from(self.number(1..=12, 2)?).ok()?;
        self.sign(b'-')?;
        let day = self.number(1..=31, 2)?;
        self.sign(b'T')?;
        let date = Date::new(year, month, 1).ok()?;
        // 31 June is 1 July.
        Some((date.checked_add(jiff::Span::new().days(day - 1)).ok()?, self.time()?))
    }

    fn sign(&mut self, sign: u8) -> Option<()> {
        self.rest = self.rest.strip_prefix(&[sign])?;
        Some(())
    }

    /// A number of at most this many digits, with spaces before it.
    fn number(&mut self, range: RangeInclusive<i16>, digits_max: usize) -> Option<i16> {
        let spaces = self.rest.iter().take_while(|it| **it == b' ').count();
        self.rest = self.rest.get(spaces..)?;
        let digits = self.rest.iter().take(digits_max).take_while(|it| it.is_ascii_digit());
        let (mut value, mut len) = (0, 0);
        for digit in digits {
            if *range.end() < value * 10 {
                break;
            }
            value = value * 10 + i16::from(digit - b'0');
            len += 1;
        }
        self.rest = self.rest.get(len..)?;
        (len != 0 && range.contains(&value)).then_some(value)
    }
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
