//! When scheduled reports are due.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::calendar;

/// The frequency of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cycle {
    /// Each day.
    Daily,
    /// On some days of the week: bit 0 is Monday.
    Weekly(u8),
    /// On the first of each month.
    Monthly,
    /// On the first of January.
    Yearly,
}

/// The first time after `now` (seconds since 1970) at `start_s` seconds since midnight of a due day.
#[must_use]
pub fn next(cycle: Cycle, start_s: i64, now: i64, zone: &TimeZone) -> Option<i64> {
    let (wall, offset) = calendar::local(now, zone)?;
    let mut day = wall.date();
    // A due day comes within a year; the first may be over already.
    for _ in 0..=367 {
        if is_due(cycle, day) {
            let midnight = day.at(0, 0, 0, 0);
            let at = midnight.checked_add(jiff::Span::new().try_seconds(start_s).ok()?).ok()?;
            let at = calendar::clock_of(at, zone, offset)?;
            if at > now {
                return Some(at);
            }
        }
        day = day.tomorrow().ok()?;
    }
    None
}

fn is_due(cycle: Cycle, day: Date) -> bool {
    match cycle {
        Cycle::Daily => true,
        Cycle::Weekly(days) => days >> day.weekday().to_monday_zero_offset() & 1 == 1,
        Cycle::Monthly => day.day() == 1,
        Cycle::Yearly => day.day() == 1 && day.month() == 1,
    }
}
