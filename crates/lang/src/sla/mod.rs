//! Service level agreements: for which times services answer, and how much of them they were there.
//!
//! Points are seconds since 1970. A week of a schedule begins on Sunday and is of the wall clock: where that
//! jumps, a working day is an hour shorter or longer and begins by the wall clock. A wall time that does not
//! exist is the moment of the jump, of one that exists twice the first applies; so neighboring rows of a
//! schedule neither overlap nor leave a gap.

mod indicator;
mod periods;

use jiff::tz::TimeZone;

pub use indicator::{Indicator, Scheduled, StatusHistory};
pub use periods::PeriodRequest;

const DAY: i64 = 86_400;
const WEEK: i64 = 7 * DAY;

/// From one point to another, which is not included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The first second.
    pub from: i64,
    /// Behind the last second.
    pub to: i64,
}

impl Span {
    /// Whether it has no second.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.to <= self.from
    }

    /// Seconds in it.
    #[must_use]
    pub fn seconds(self) -> i64 {
        (self.to - self.from).max(0)
    }

    /// The intersection; may be empty.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { from: self.from.max(other.from), to: self.to.min(other.to) }
    }
}

/// The length of a report's period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlaPeriod {
    /// From midnight to midnight.
    Day,
    /// From Sunday on.
    Week,
    /// A calendar month.
    Month,
    /// Three of them, from January on.
    Quarter,
    /// A calendar year.
    Year,
}

impl SlaPeriod {
    /// By Zabbix's code.
    #[must_use]
    pub fn from_code(code: i64) -> Option<Self> {
        Some(match code {
            0 => Self::Day,
            1 => Self::Week,
            2 => Self::Month,
            3 => Self::Quarter,
            4 => Self::Year,
            _ => return None,
        })
    }
}

/// A time that does not count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Downtime {
    /// The name in reports.
    pub name: String,
    /// When it is.
    pub span: Span,
}

/// An agreement.
#[derive(Clone, Debug)]
pub struct Sla {
    /// Of reports.
    pub period: SlaPeriod,
    /// The objective, in percent.
    pub slo: f64,
    /// Periods before that are none of it.
    pub effective_from: i64,
    /// Of periods and schedule.
    pub zone: TimeZone,
    /// Seconds of the week, as [`week`] gives them; without any, always.
    pub schedule: Vec<Span>,
    /// Times that do not count, in any order.
    pub excluded: Vec<Downtime>,
}

/// Rows of a weekly schedule in order, those that touch joined; a whole week is none.
#[must_use]
pub fn week(rows: impl Iterator<Item = Span>) -> Vec<Span> {
    let joined = joined(rows.collect());
    if joined == [Span { from: 0, to: WEEK }] { Vec::new() } else { joined }
}

/// Spans in order, those that touch as one, without empty ones.
fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|it| !it.is_empty());
    spans.sort_unstable();
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.from <= last.to => last.to = last.to.max(span.to),
            _ => joined.push(span),
        }
    }
    joined
}

#[cfg(test)]
mod tests;
