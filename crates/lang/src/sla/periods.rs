//! Periods of reports, and the times of a schedule within them.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Span as Calendar, Timestamp, ToSpan};

use super::{DAY, Sla, SlaPeriod, Span, joined};

/// Periods returned where the request gives no number.
const DEFAULT_PERIODS: usize = 20;
/// The most periods returned: bounds the answer; a larger number is reduced to it.
const PERIODS_MAX: usize = 100;
/// The last second that requests may name.
const TIME_MAX: i64 = 2_147_483_647;

/// Which periods are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PeriodRequest {
    /// The period of this second, and later ones.
    pub from: Option<i64>,
    /// The period of this second, and earlier ones.
    pub to: Option<i64>,
    /// The most periods.
    pub n: Option<usize>,
}

impl SlaPeriod {
    fn step(self) -> Calendar {
        match self {
            Self::Day => 1.day(),
            Self::Week => 1.week(),
            Self::Month => 1.month(),
            Self::Quarter => 3.months(),
            Self::Year => 1.year(),
        }
    }

    /// The first day of the period that a day is in.
    fn first_day(self, day: Date) -> Date {
        match self {
            Self::Day => day,
            Self::Week => {
                day.saturating_sub(i64::from(day.weekday().to_sunday_zero_offset()).days())
            }
            Self::Month => day.first_of_month(),
            Self::Quarter => {
                let months = (day.month() - 1) % 3;
                day.first_of_month().saturating_sub(i64::from(months).months())
            }
            Self::Year => day.first_of_year(),
        }
    }
}

/// The day on the wall.
fn day_of(second: i64, zone: &TimeZone) -> Date {
    let second = Timestamp::from_second(second).unwrap_or(Timestamp::MAX);
    zone.to_datetime(second).date()
}

/// When the wall shows a time first, or jumps over it.
fn second_of(wall: DateTime, zone: &TimeZone) -> i64 {
    let ambiguous = zone.to_ambiguous_timestamp(wall);
    let is_gap = matches!(ambiguous.offset(), AmbiguousOffset::Gap { .. });
    let Ok(second) = ambiguous.compatible().map(Timestamp::as_second) else { return TIME_MAX };
    if !is_gap {
        return second;
    }
    // Within a gap it is as long after the jump as the wall time is after the wall time before it.
    let after = Timestamp::from_second(second + 1).unwrap_or(Timestamp::MAX);
    zone.preceding(after).next().map_or(second, |it| it.timestamp().as_second())
}

fn midnight(day: Date, zone: &TimeZone) -> i64 {
    second_of(day.to_datetime(Time::midnight()), zone)
}

impl Sla {
    /// The wanted periods, the earliest first: none before that of the effective date, none after the present
    /// one.
    #[must_use]
    pub fn periods(&self, request: &PeriodRequest, now: i64) -> Vec<Span> {
        let first = |second: i64| self.period.first_day(day_of(second, &self.zone));
        let (earliest, latest) = (first(self.effective_from), first(now));
        let from = request.from.map_or(earliest, |it| first(it).max(earliest));
        let to = request.to.map_or(latest, |it| first(it).min(latest));
        let is_range = request.from.is_some() && request.to.is_some();
        let n_max = if is_range { PERIODS_MAX } else { DEFAULT_PERIODS };
        let n_max = request.n.unwrap_or(n_max).min(PERIODS_MAX);
        let step = self.period.step();
        let mut days = Vec::new();
        if request.from.is_some() && request.to.is_none() {
            let mut day = from;
            while day <= to && days.len() < n_max {
                days.push(day);
                day = day.saturating_add(step);
            }
        } else {
            let mut day = to;
            while from <= day && days.len() < n_max {
                days.push(day);
                day = day.saturating_sub(step);
            }
            days.reverse();
        }
        let span = |day: Date| Span {
            from: midnight(day, &self.zone),
            to: midnight(day.saturating_add(step), &self.zone),
        };
        days.into_iter().map(span).filter(|it| 0 <= it.from && it.to <= TIME_MAX).collect()
    }

    /// When services have to be there, of a period.
    pub(super) fn scheduled(&self, period: Span) -> Vec<Span> {
        if self.schedule.is_empty() {
            return vec![period];
        }
        let mut spans = Vec::new();
        let mut sunday = SlaPeriod::Week.first_day(day_of(period.from, &self.zone));
        while midnight(sunday, &self.zone) < period.to {
            let second = |of_week: i64| {
                let day = sunday.saturating_add((of_week / DAY).days());
                let of_day = i32::try_from(of_week % DAY).unwrap_or(0);
                let clock = Time::midnight().saturating_add(i64::from(of_day).seconds());
                second_of(day.to_datetime(clock), &self.zone)
            };
            let rows = self.schedule.iter();
            let rows = rows.map(|row| Span { from: second(row.from), to: second(row.to) });
            spans.extend(rows.map(|it| it.and(period)));
            sunday = sunday.saturating_add(1.week());
        }
        joined(spans)
    }
}
