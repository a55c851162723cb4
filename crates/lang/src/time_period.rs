//! Weekly periods: `1-5,09:00-18:00;6,10:00-14:00` (days from Monday, end not included).

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::calendar;

/// Parts that one text may have.
const PARTS_MAX: usize = 1_000;
const DAY_S: u32 = 86_400;

/// One part: some days, and the same hours on each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// First day, Monday being 1.
    pub first_day: u8,
    /// Last day.
    pub last_day: u8,
    /// Seconds since midnight of the wall clock.
    pub from_s: u32,
    /// As `from_s`; not included; up to 86,400.
    pub to_s: u32,
}

/// A list of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimePeriod {
    parts: Vec<Part>,
}

impl Part {
    /// Parses one part.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (days, hours) = text.split_once(',')?;
        let (first_day, last_day) = match days.split_once('-') {
            Some((first, last)) => (day(first)?, day(last)?),
            None => (day(days)?, day(days)?),
        };
        let (from, to) = hours.split_once('-')?;
        let (from_s, to_s) = (time_of_day(from)?, time_of_day(to)?);
        (first_day <= last_day && from_s < to_s).then_some(Self {
            first_day,
            last_day,
            from_s,
            to_s,
        })
    }

    /// Does a wall-clock time lie in it?
    #[must_use]
    pub fn contains(&self, wall: DateTime) -> bool {
        (self.first_day..=self.last_day).contains(&weekday(wall))
            && (self.from_s..self.to_s).contains(&second_of_day(wall))
    }
}

/// Day of the week, Monday being 1.
#[must_use]
pub(crate) fn weekday(wall: DateTime) -> u8 {
    u8::try_from(wall.weekday().to_monday_one_offset()).unwrap_or(1)
}

/// Seconds since midnight of the wall clock.
#[must_use]
pub(crate) fn second_of_day(wall: DateTime) -> u32 {
    let part = |it: i8| u32::try_from(it).unwrap_or(0);
    part(wall.hour()) * 3_600 + part(wall.minute()) * 60 + part(wall.second())
}

impl TimePeriod {
    /// Parses parts separated by semicolons.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Option<Vec<Part>> = text.split(';').take(PARTS_MAX).map(Part::parse).collect();
        Some(Self { parts: parts? })
    }

    /// The times of the day at which a part begins or ends, and midnight.
    pub(crate) fn edges_s(&self) -> impl Iterator<Item = u32> {
        let edges = self.parts.iter().flat_map(|it| [it.from_s, it.to_s]);
        edges.chain([0]).collect::<std::collections::BTreeSet<u32>>().into_iter()
    }

    /// Does `clock` (seconds since 1970) lie in it?
    #[must_use]
    pub fn contains(&self, clock: i64, zone: &TimeZone) -> bool {
        calendar::local(clock, zone)
            .is_some_and(|(wall, _)| self.parts.iter().any(|it| it.contains(wall)))
    }
}

fn day(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [digit @ b'1'..=b'7'] => Some(digit - b'0'),
        _ => None,
    }
}

/// `9:00`, `09:00`, `24:00`.
fn time_of_day(text: &str) -> Option<u32> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |it: &str, len_min: usize| {
        let good = (len_min..=2).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_digit());
        if good { it.parse::<u32>().ok() } else { None }
    };
    let (hours, minutes) = (number(hours, 1)?, number(minutes, 2)?);
    let seconds = hours * 3_600 + minutes * 60;
    (minutes < 60 && seconds <= DAY_S).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_ends_before_its_last_minute() {
        let period = TimePeriod::parse("1-5,09:00-18:00").unwrap();
        let monday = 1_734_307_200;
        assert!(period.contains(monday + 9 * 3_600, &TimeZone::UTC));
        assert!(!period.contains(monday + 18 * 3_600, &TimeZone::UTC));
        assert!(!period.contains(monday - 12 * 3_600, &TimeZone::UTC));
    }

    #[test]
    fn malformed_periods_are_refused() {
        for text in
            ["", "8,00:00-01:00", "2-1,00:00-01:00", "1,01:00-01:00", "1,0:0-1:00", "1,23:00-24:01"]
        {
            assert_eq!(TimePeriod::parse(text), None, "{text}");
        }
    }
}
