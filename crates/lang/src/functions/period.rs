//! The first parameter of history and trend functions: `5m`, `#3`, `1h:now/d-1w`.

use jiff::tz::TimeZone;
use model::Time;

use crate::calendar::{self, Unit};
use formats::number;

/// Steps that one shift may have.
const SHIFT_STEPS_MAX: usize = 32;
/// Longest window: 25 years of 366 days, as long as any history.
const SECONDS_MAX: i64 = 25 * 366 * 86_400;
/// Most values of a window by count.
const COUNT_MAX: u64 = i32::MAX as u64;

/// The length of a window back from its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// Nothing given.
    None,
    /// `5m`: a number of seconds.
    Seconds(i64),
    /// `#3`: a number of values.
    Count(usize),
}

/// One step of a shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShiftStep {
    /// `-1d`, `+2h`, `-60`.
    Add(i64, Unit),
    /// `/w`.
    Floor(Unit),
}

/// `now/d-1h`: where a window ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shift {
    steps: Vec<ShiftStep>,
}

impl Shift {
    /// Parses `now` and the text after it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.strip_prefix("now")?;
        let mut steps = Vec::new();
        while let [sign, tail @ ..] = rest.as_bytes() {
            if steps.len() >= SHIFT_STEPS_MAX {
                return None;
            }
            let (step, len) = match sign {
                b'/' => (ShiftStep::Floor(floor_unit(*tail.first()?)?), 1),
                b'+' | b'-' => {
                    let digits = tail.iter().take_while(|it| it.is_ascii_digit()).count();
                    let n: i64 = rest.get(1..=digits)?.parse().ok()?;
                    // A number alone is of seconds: conversions of old files write `now-0`.
                    let (unit, unit_len) = match tail.get(digits) {
                        None | Some(b'+' | b'-' | b'/') => (Unit::Second, 0),
                        Some(letter) => (floor_unit(*letter)?, 1),
                    };
                    (ShiftStep::Add(if *sign == b'-' { -n } else { n }, unit), digits + unit_len)
                }
                _ => return None,
            };
            steps.push(step);
            rest = rest.get(1 + len..)?;
        }
        Some(Self { steps })
    }

    /// Its steps, in order.
    #[must_use]
    pub fn steps(&self) -> &[ShiftStep] {
        &self.steps
    }

    /// `now`, shifted. The nanoseconds stay.
    #[must_use]
    pub fn apply(&self, now: Time, zone: &TimeZone) -> Option<Time> {
        if self.steps.is_empty() {
            return Some(now);
        }
        let mut clock = now.clock();
        for step in &self.steps {
            clock = match *step {
                ShiftStep::Add(n, unit) => calendar::add(clock, n, unit, zone)?,
                ShiftStep::Floor(unit) => calendar::round_down(clock, unit, zone)?,
            };
        }
        Some(Time::from_clock(clock, now.ns()))
    }
}

/// Units to which a shift may round.
fn floor_unit(letter: u8) -> Option<Unit> {
    Unit::from_letter(letter).filter(|it| *it != Unit::IsoYear)
}

/// A window: how far back, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// How far back.
    pub range: Range,
    /// Where it ends; without shift at the time of evaluation.
    pub shift: Shift,
}

impl Period {
    /// Parses `5m`, `300`, `#3`, ``, each with an optional `:now…`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (range, shift) = match text.split_once(':') {
            Some((range, shift)) => (range, Shift::parse(shift)?),
            None => (text, Shift::default()),
        };
        let range = match range.strip_prefix('#') {
            Some(count) => {
                let count = number::parse_u64(count).filter(|it| (1..=COUNT_MAX).contains(it))?;
                Range::Count(usize::try_from(count).ok()?)
            }
            None if range.is_empty() => Range::None,
            None => {
                let seconds = i64::try_from(number::parse_duration_s(range)?).ok()?;
                if !(1..=SECONDS_MAX).contains(&seconds) {
                    return None;
                }
                Range::Seconds(seconds)
            }
        };
        Some(Self { range, shift })
    }

    /// The values requested at `now`; `None` if the shift leaves the calendar.
    #[must_use]
    pub fn window(&self, now: Time, zone: &TimeZone) -> Option<Window> {
        Some(Window { range: self.range, end: self.shift.apply(now, zone)? })
    }
}

/// A period at one point of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How far back.
    pub range: Range,
    /// The newest value is not after this.
    pub end: Time,
}

impl Window {
    /// Values by time lie after this; `None` for windows by count.
    #[must_use]
    pub fn start(&self) -> Option<Time> {
        match self.range {
            Range::Seconds(seconds) => Some(self.end.plus_secs(-seconds)),
            Range::None | Range::Count(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_end_at_any_unit() {
        let end = |text: &str| {
            let period = Period::parse(text)?;
            Some(period.window(Time::from_clock(90_061, 7), &TimeZone::UTC)?.end)
        };
        let at = |clock| Some(Time::from_clock(clock, 7));
        assert_eq!(end("1m:now/m"), at(90_060));
        assert_eq!(end("1m:now/m-1m"), at(90_000));
        assert_eq!(end("1h:now/h"), at(90_000));
        assert_eq!(end("#3:now/d"), at(86_400));
        assert_eq!(end("1h:now/i"), None);
    }

    #[test]
    fn shifts_without_a_unit_are_seconds() {
        let end = |text: &str| {
            let period = Period::parse(text)?;
            Some(period.window(Time::from_clock(90_061, 7), &TimeZone::UTC)?.end)
        };
        let at = |clock| Some(Time::from_clock(clock, 7));
        assert_eq!(end("#1:now-0"), at(90_061));
        assert_eq!(end("300s:now-60"), at(90_001));
        assert_eq!(end("5m:now+61"), at(90_122));
        assert_eq!(end("5m:now-60/h-1h"), at(86_400));
        assert_eq!(end("5m:now/d-60+1m"), at(86_400));
        for wrong in ["5m:now-", "5m:now-/h", "5m:now--1", "5m:now-1i", "5m:now-1x", "5m:now-1 "] {
            assert_eq!(end(wrong), None, "{wrong}");
        }
    }
}
