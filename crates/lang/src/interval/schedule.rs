//! Scheduling intervals: `md1-10wd1-5h9-18m/30s0`, points of time by the wall clock.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::calendar;
use crate::time_period::weekday;
use formats::number;

/// Days that a search looks ahead: a day of the month and a weekday meet within a few years.
const DAYS_MAX: i64 = 12 * 366;

/// A set of small numbers.
type Bits = u64;

/// Which seconds match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchedulingInterval {
    month_days: Bits,
    week_days: Bits,
    hours: Bits,
    minutes: Bits,
    seconds: Bits,
}

/// Letters of the filters, in their order, with their ranges of numbers.
const FILTERS: [(&str, u64, u64); 5] =
    [("md", 1, 31), ("wd", 1, 7), ("h", 0, 23), ("m", 0, 59), ("s", 0, 59)];

impl SchedulingInterval {
    /// Parses one scheduling interval.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let mut sets: [Option<Bits>; 5] = [None; 5];
        for (idx, (letters, from, to)) in FILTERS.iter().enumerate() {
            // `md` begins with the letter of minutes: days come first, so a remaining `m` is minutes.
            let Some(tail) = rest.strip_prefix(letters) else { continue };
            let len = tail.find(|it: char| it.is_ascii_alphabetic()).unwrap_or(tail.len());
            sets[idx] = Some(parse_list(tail.get(..len)?, *from, *to)?);
            rest = tail.get(len..)?;
        }
        if !rest.is_empty() || sets.iter().all(Option::is_none) {
            return None;
        }
        // Units finer than the finest filter are 0, coarser ones match always.
        let finest = sets.iter().rposition(Option::is_some)?;
        let set = |idx: usize| {
            let (_, from, to) = FILTERS[idx];
            sets[idx].unwrap_or_else(|| if idx > finest { 1 } else { range(from, to) })
        };
        Some(Self {
            month_days: sets[0].unwrap_or_else(|| range(1, 31)),
            week_days: sets[1].unwrap_or_else(|| range(1, 7)),
            hours: set(2),
            minutes: set(3),
            seconds: set(4),
        })
    }

    /// The first matching second after `now`.
    #[must_use]
    pub fn next(&self, now: i64, zone: &TimeZone) -> Option<i64> {
        let mut at = now + 1;
        let last = now + DAYS_MAX * 86_400;
        while at < last {
            let (wall, offset) = calendar::local(at, zone)?;
            if !self.is_day(wall) {
                let next_day = wall.date().tomorrow().ok()?.at(0, 0, 0, 0);
                let midnight = calendar::clock_of(next_day, zone, offset)?;
                // A midnight that the clock skips: go on by the hour.
                at = if midnight > at { midnight } else { at + 3_600 - second_of_hour(wall) };
            } else if !has(self.hours, wall.hour()) {
                at += 3_600 - second_of_hour(wall);
            } else if !has(self.minutes, wall.minute()) {
                at += 60 - i64::from(wall.second());
            } else if !has(self.seconds, wall.second()) {
                at += 1;
            } else {
                return Some(at);
            }
        }
        None
    }

    fn is_day(&self, wall: DateTime) -> bool {
        has(self.month_days, wall.day()) && self.week_days >> weekday(wall) & 1 == 1
    }
}

fn has(set: Bits, number: i8) -> bool {
    u32::try_from(number).is_ok_and(|it| set >> it & 1 == 1)
}

fn second_of_hour(wall: DateTime) -> i64 {
    i64::from(wall.minute()) * 60 + i64::from(wall.second())
}

fn range(from: u64, to: u64) -> Bits {
    (from..=to).fold(0, |set, it| set | 1 << it)
}

/// `1,3-5,10-20/2,/15`.
fn parse_list(text: &str, from: u64, to: u64) -> Option<Bits> {
    let mut set = 0;
    // Days of the week are single digits.
    let small = |text: &str| small(text, if to < 10 { 1 } else { 2 });
    for part in text.split(',') {
        let (numbers, step) = match part.split_once('/') {
            Some((numbers, step)) => (numbers, Some(small(step)?)),
            None => (part, None),
        };
        let (first, last) = match numbers.split_once('-') {
            Some((first, last)) => (small(first)?, small(last)?),
            None if numbers.is_empty() && step.is_some() => (from, to),
            None => (small(numbers)?, small(numbers)?),
        };
        let fits = first >= from && last <= to && first <= last;
        // A step is no longer than its range.
        let step_fits = step.is_none_or(|it| it >= 1 && fits && it <= last - first);
        // A step without range has nothing to step over.
        let has_range = step.is_none() || numbers.is_empty() || numbers.contains('-');
        if !fits || !step_fits || !has_range {
            return None;
        }
        let step = usize::try_from(step.unwrap_or(1)).ok()?;
        set = (first..=last).step_by(step).fold(set, |set, it| set | 1 << it);
    }
    Some(set)
}

fn small(text: &str, digits_max: usize) -> Option<u64> {
    (text.len() <= digits_max).then(|| number::parse_u64(text))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finer_units_are_zero() {
        let at = SchedulingInterval::parse("wd1h9").unwrap().next(1_734_307_200, &TimeZone::UTC);
        assert_eq!(at, Some(1_734_307_200 + 9 * 3_600));
    }

    #[test]
    fn malformed_schedules_are_refused() {
        for text in
            ["", "h", "h24", "md0", "wd8", "h9-8", "m/0", "h1wd1", "h9x", "m5/10", "md1-", "h1,,2"]
        {
            assert_eq!(SchedulingInterval::parse(text), None, "{text}");
        }
        for text in ["m/60", "h/24", "md/31", "wd/7", "wd01", "h9-9/1", "h9-12/4"] {
            assert_eq!(SchedulingInterval::parse(text), None, "{text}");
        }
        for text in ["m/59", "h/23", "md/30", "wd/6", "md01", "h9-12/3"] {
            assert!(SchedulingInterval::parse(text).is_some(), "{text}");
        }
    }
}
