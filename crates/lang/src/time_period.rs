//! Weekly periods: `1-5,09:00-18:00;6,10:00-14:00` (days from Monday, end not included).

use std::collections::BTreeSet;

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::calendar;

/// Parts that one text may have.
const PARTS_MAX: usize = 1_000;
const DAY_S: u32 = 86_400;
/// The range of the search for an end: a period that has none within a week has none at all.
const END_DAYS: i64 = 8;

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
        edges.chain([0]).collect::<BTreeSet<u32>>().into_iter()
    }

    /// Does `clock` (seconds since 1970) lie in it?
    #[must_use]
    pub fn contains(&self, clock: i64, zone: &TimeZone) -> bool {
        calendar::local(clock, zone)
            .is_some_and(|(wall, _)| self.parts.iter().any(|it| it.contains(wall)))
    }
}

impl TimePeriod {
    /// The first moment from `clock` on (seconds since 1970) that does not lie in it; `None`: it lasts for
    /// more than a week.
    #[must_use]
    pub fn end(&self, clock: i64, zone: &TimeZone) -> Option<i64> {
        if !self.contains(clock, zone) {
            return Some(clock);
        }
        let last = clock.saturating_add(END_DAYS * i64::from(DAY_S));
        let near = |it: &i64| clock < *it && *it < last;
        self.edges(clock, zone).into_iter().filter(near).find(|it| !self.contains(*it, zone))
    }

    /// All times around the next days at which the answer may change: edges by the wall clock, each time that
    /// it shows them, and its jumps.
    fn edges(&self, clock: i64, zone: &TimeZone) -> BTreeSet<i64> {
        let mut edges = BTreeSet::new();
        let last = clock.saturating_add(END_DAYS * i64::from(DAY_S));
        if let Ok(start) = Timestamp::from_second(clock) {
            let jumps = zone.following(start).map(|it| it.timestamp().as_second());
            edges.extend(jumps.take_while(|it| *it <= last));
        }
        let Some((wall, _)) = calendar::local(clock, zone) else { return edges };
        let today = wall.date().to_datetime(Time::midnight());
        let seconds: Vec<u32> = self.edges_s().collect();
        for day in 0..=END_DAYS {
            for second in &seconds {
                let span = Span::new().try_seconds(day * i64::from(DAY_S) + i64::from(*second));
                let Some(edge) = span.ok().and_then(|it| today.checked_add(it).ok()) else {
                    continue;
                };
                let moments = zone.to_ambiguous_timestamp(edge);
                let both = [moments.earlier(), moments.later()];
                edges.extend(both.into_iter().flatten().map(Timestamp::as_second));
            }
        }
        edges
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

    /// Zones whose clocks jump north and south of the equator, by half an hour, and not at all.
    const ZONES: [&str; 5] =
        ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"];

    #[test]
    fn a_period_across_midnight_ends_in_the_morning_when_clocks_change() {
        let night = TimePeriod::parse("1-7,22:00-24:00;1-7,00:00-07:00").unwrap();
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        // Saturdays 23:00 before the jumps of 2026, and one in between.
        let at = |text: &str| text.parse::<Timestamp>().unwrap().as_second();
        for (from, to) in [
            ("2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"),
            ("2026-07-04T21:00:00Z", "2026-07-05T05:00:00Z"),
            ("2026-10-24T21:00:00Z", "2026-10-25T06:00:00Z"),
        ] {
            assert_eq!(night.end(at(from), &zone), Some(at(to)), "{from}");
        }
        let noon = at("2026-07-04T10:00:00Z");
        assert_eq!(night.end(noon, &zone), Some(noon), "it is over");
        let always = TimePeriod::parse("1-7,00:00-24:00").unwrap();
        assert_eq!(always.end(noon, &zone), None);
    }

    /// Minute by minute: offsets and edges are whole minutes in our age.
    fn plain_end(period: &TimePeriod, clock: i64, zone: &TimeZone) -> Option<i64> {
        (0..8 * 1_440).map(|it| clock + it * 60).find(|it| !period.contains(*it, zone))
    }

    #[test]
    fn whole_years_of_nights_end_at_the_first_minute_outside() {
        let texts = [
            "1-7,22:00-24:00;1-7,00:00-07:00",
            "1-5,18:30-24:00;1-5,00:00-08:00;6-7,00:00-24:00",
            "7,01:59-02:01;6-7,02:30-03:30",
            "1-7,00:00-02:00;1-7,03:00-24:00",
            "1,00:00-24:00;3-4,12:00-12:01",
        ];
        for name in ZONES {
            let zone = TimeZone::get(name).unwrap();
            let start = Timestamp::from_second(1_735_689_600).unwrap();
            let mut clocks: Vec<i64> = (0..365 * 2).map(|it| 1_735_689_600 + it * 50_460).collect();
            for jump in zone.following(start).take(4).map(|it| it.timestamp().as_second()) {
                // The day around each jump.
                clocks.extend((-60..60).map(|it| jump + it * 1_260));
                clocks.extend((-3..3).map(|it| jump + it * 60));
            }
            for period in texts.map(|it| TimePeriod::parse(it).unwrap()) {
                for clock in &clocks {
                    let plain = plain_end(&period, *clock, &zone);
                    assert_eq!(period.end(*clock, &zone), plain, "{name} {period:?} {clock}");
                }
            }
        }
    }

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
