//! Periods of trend functions: whole hours, days, weeks, months or years.

use jiff::tz::TimeZone;
use model::Time;

use super::period::{Shift, ShiftStep};
use crate::calendar::{self, Unit};
use formats::number;

const HOUR_S: i64 = 3_600;
/// Longest period: a leap year. Months count as 30 days, years as 365.
const HOURS_MAX: i64 = 366 * 24;
/// After the end of a period trends need some time to be complete.
const READY_AFTER_S: i64 = 600;

/// `1M:now/M-1y`: a number of units and where they end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrendPeriod {
    n: i64,
    unit: Unit,
    shift: Shift,
}

/// First and last hour of a period, each by its start (seconds since 1970).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    /// Start of the first hour.
    pub start: i64,
    /// Start of the last hour.
    pub end: i64,
}

impl TrendPeriod {
    /// Parses period and shift.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (period, shift) = text.split_once(':')?;
        let (n, unit) = split_period(period)?;
        let shift = Shift::parse(shift)?;
        is_allowed(unit, &shift).then_some(Self { n, unit, shift })
    }

    /// Is it no longer than one `season`?
    pub(super) fn fits_into(&self, season: Unit) -> bool {
        self.unit <= season && self.seconds_max() <= longest_s(season)
    }

    /// How long it is at most; `None` if that is out of range.
    pub(super) fn seconds_max(&self) -> Option<i64> {
        longest_s(self.unit)?.checked_mul(self.n)
    }

    /// The hours that it covers at `now` (seconds since 1970).
    #[must_use]
    pub fn hours(&self, now: i64, zone: &TimeZone) -> Option<Hours> {
        self.hours_before(self.end(now, zone)?, zone)
    }

    /// Those that end within the period. Trends begin with whole hours of UTC: where the zone's hours begin at another
    /// minute, an hour that lies in two periods belongs to the later one, so that each is in one, and is over.
    fn hours_before(&self, end: i64, zone: &TimeZone) -> Option<Hours> {
        let start = calendar::add(end, -self.n, self.unit, zone)?;
        let whole = |clock: i64| clock.div_euclid(HOUR_S) * HOUR_S;
        Some(Hours { start: whole(start), end: whole(end - HOUR_S) })
    }

    /// The periods that a baseline compares: this one and the same `n_seasons` earlier, the newest
    /// `skip` left out.
    #[must_use]
    pub fn seasons(
        &self,
        now: i64,
        zone: &TimeZone,
        season: Unit,
        (skip, n_seasons): (i64, i64),
    ) -> Option<Vec<Hours>> {
        let end = self.end(now, zone)?;
        // Weeks keep their number from year to year.
        let by =
            if season == Unit::Year && self.unit == Unit::Week { Unit::IsoYear } else { season };
        (skip..=n_seasons)
            .map(|it| self.hours_before(calendar::add(end, -it, by, zone)?, zone))
            .collect()
    }

    /// When the function is evaluated next after `now`: some time after its period changes.
    #[must_use]
    pub fn next_check(&self, now: i64, zone: &TimeZone) -> Option<i64> {
        let unit = self.shift.steps().iter().filter_map(floor_of).max().unwrap_or(Unit::Hour);
        // Steps after the rounding move the change to either side: begin one unit early.
        let mut start = calendar::add(calendar::round_down(now, unit, zone)?, -1, unit, zone)?;
        for _ in 0..4 {
            let ready = self.change_after(start, zone)? + READY_AFTER_S;
            if ready > now {
                return Some(ready);
            }
            start = calendar::add(start, 1, unit, zone)?;
        }
        None
    }

    /// When the period changes if the first rounding gives `start`. Steps back look at older data,
    /// they don't make the evaluation earlier.
    fn change_after(&self, start: i64, zone: &TimeZone) -> Option<i64> {
        self.shift.steps().iter().try_fold(start, |at, step| match *step {
            ShiftStep::Add(n, _) if n < 0 => Some(at),
            ShiftStep::Add(n, unit) => calendar::add(at, n, unit, zone),
            ShiftStep::Floor(unit) => calendar::round_down(at, unit, zone),
        })
    }

    fn end(&self, now: i64, zone: &TimeZone) -> Option<i64> {
        let end = self.shift.apply(Time::from_clock(now, 0), zone)?.clock();
        calendar::round_down(end, Unit::Hour, zone)
    }
}

/// Seconds of the longest unit of its kind.
fn longest_s(unit: Unit) -> Option<i64> {
    const DAY_S: i64 = 86_400;
    match unit {
        Unit::Month => Some(31 * DAY_S),
        Unit::Year => Some(366 * DAY_S),
        unit => unit.seconds(),
    }
}

fn floor_of(step: &ShiftStep) -> Option<Unit> {
    match step {
        ShiftStep::Floor(unit) => Some(*unit),
        ShiftStep::Add(..) => None,
    }
}

/// A number of units that is at most a year.
fn split_period(text: &str) -> Option<(i64, Unit)> {
    let unit = Unit::from_letter(*text.as_bytes().last()?)?;
    let n = i64::try_from(number::parse_u64(text.get(..text.len() - 1)?)?).ok()?;
    let hours = match unit {
        Unit::Hour => 1,
        Unit::Day => 24,
        Unit::Week => 7 * 24,
        Unit::Month => 30 * 24,
        Unit::Year => 365 * 24,
        Unit::Second | Unit::Minute | Unit::IsoYear => return None,
    };
    (1..=HOURS_MAX / hours).contains(&n).then_some((n, unit))
}

/// No step of a shift is finer than the unit of the period; months and years are whole besides: the
/// end must lie on such a boundary.
fn is_allowed(unit: Unit, shift: &Shift) -> bool {
    let is_whole = shift.steps().iter().any(|it| matches!(it, ShiftStep::Floor(_)));
    let needs_whole = matches!(unit, Unit::Month | Unit::Year);
    (is_whole || !needs_whole)
        && shift.steps().iter().all(|it| match it {
            ShiftStep::Floor(by) | ShiftStep::Add(_, by) => *by >= unit,
        })
}
