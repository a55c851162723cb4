//! When a maintenance is in effect.
//!
//! A period begins at a wall-clock time and lasts a number of seconds, however the clock jumps in that time.
//! A start that a change to summer time skips does not happen; of one that happens twice the first applies.

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Span, Timestamp};

use crate::calendar;
use crate::tags::TagFilter;

const DAY_S: i64 = 86_400;
/// Days that are looked back for the latest start; a period is at most 999 days long.
const DAYS_BACK_MAX: i64 = 1_000;

/// When the periods of one kind begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recurrence {
    /// Once, at this second since 1970.
    Once(i64),
    /// Every nth day, counted from the day on which the maintenance becomes active.
    Daily {
        /// 1: each day.
        every: u32,
    },
    /// On some days of every nth week, counted from the week in which it becomes active.
    Weekly {
        /// 1: each week.
        every: u32,
        /// Bit 0 is Monday.
        weekdays: u8,
    },
    /// On a day of some months.
    MonthlyByDay {
        /// Bit 0 is January.
        months: u16,
        /// 1 to 31.
        day: i8,
    },
    /// On the n-th of a day of the week in some months.
    MonthlyByWeekday {
        /// Bit 0 is January.
        months: u16,
        /// Bit 0 is Monday.
        weekdays: u8,
        /// 1 to 4; 5: the last one.
        nth: i8,
    },
}

/// A period of a maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaintenancePeriod {
    /// On which days it begins.
    pub recurrence: Recurrence,
    /// When it begins on these: seconds since midnight. Without meaning for [`Recurrence::Once`].
    pub start_s: i32,
    /// How long it lasts, in seconds.
    pub len_s: i64,
}

/// The conditions by which a maintenance is in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceSchedule {
    /// Seconds since 1970. A repeated period that began before is not in effect.
    pub active_since: i64,
    /// Seconds since 1970, not included.
    pub active_until: i64,
    /// Its periods.
    pub periods: Vec<MaintenancePeriod>,
}

/// Which problems a maintenance suppresses: all without conditions. Of the operators only "equal" and
/// "like" are offered for maintenances.
pub type ProblemTags = TagFilter;

impl MaintenanceSchedule {
    /// The period in effect at `now`: its begin and end in seconds since 1970. Of several the one that ends
    /// last.
    #[must_use]
    pub fn running(&self, now: i64, zone: &TimeZone) -> Option<(i64, i64)> {
        if !(self.active_since..self.active_until).contains(&now) {
            return None;
        }
        let periods = self.periods.iter().filter_map(|it| self.running_period(it, now, zone));
        periods.max_by_key(|it| it.1)
    }

    /// When it is in effect in `from..until`, in seconds since 1970: ascending, not touching each other,
    /// whole where they reach beyond the range.
    #[must_use]
    pub fn between(&self, from: i64, until: i64, zone: &TimeZone) -> Vec<(i64, i64)> {
        let mut found = Vec::new();
        for period in &self.periods {
            match period.recurrence {
                Recurrence::Once(start) => {
                    found.push((start.max(self.active_since), start.saturating_add(period.len_s)));
                }
                _ => self.repeated_between(period, (from, until), zone, &mut found),
            }
        }
        for it in &mut found {
            it.1 = it.1.min(self.active_until);
        }
        found.retain(|it| it.0 < it.1 && it.0 < until && from < it.1);
        found.sort_unstable();
        found.dedup_by(|next, before| {
            let touches = next.0 <= before.1;
            if touches {
                before.1 = before.1.max(next.1);
            }
            touches
        });
        found
    }

    /// Adds each beginning of a repeated period that could reach into the range.
    fn repeated_between(
        &self,
        period: &MaintenancePeriod,
        (from, until): (i64, i64),
        zone: &TimeZone,
        found: &mut Vec<(i64, i64)>,
    ) {
        let day_of = |at: i64| calendar::local(at, zone).map(|it| it.0.date());
        // A day more on either side: days are not all 24 hours long.
        let back_s = (period.len_s.clamp(0, DAYS_BACK_MAX * DAY_S)).saturating_add(DAY_S);
        let earliest = from.saturating_sub(back_s).max(self.active_since);
        let latest = until.min(self.active_until);
        let days = (day_of(self.active_since), day_of(earliest), day_of(latest));
        let (Some(first), Some(mut day), Some(last)) = days else { return };
        while day <= last {
            if period.recurrence.is_on(day, first)
                && let Some(start) = start_on(day, period.start_s, zone)
                && self.active_since <= start
            {
                found.push((start, start.saturating_add(period.len_s)));
            }
            let Ok(next) = day.tomorrow() else { return };
            day = next;
        }
    }

    fn running_period(
        &self,
        period: &MaintenancePeriod,
        now: i64,
        zone: &TimeZone,
    ) -> Option<(i64, i64)> {
        let (since, until) = match period.recurrence {
            Recurrence::Once(start) => (start.max(self.active_since), start + period.len_s),
            _ => {
                let start = self.latest_start(period, now, zone)?;
                (start, start + period.len_s)
            }
        };
        let until = until.min(self.active_until);
        (since..until).contains(&now).then_some((since, until))
    }

    /// The latest begin of a repeated period that is not after `now`, as far back as it could still
    /// run.
    fn latest_start(&self, period: &MaintenancePeriod, now: i64, zone: &TimeZone) -> Option<i64> {
        let first_day = calendar::local(self.active_since, zone)?.0.date();
        let today = calendar::local(now, zone)?.0.date();
        let days_back = (period.len_s / DAY_S + 2).min(DAYS_BACK_MAX);
        for back in 0..=days_back {
            let day = today.checked_sub(Span::new().try_days(back).ok()?).ok()?;
            if day < first_day {
                return None;
            }
            if !period.recurrence.is_on(day, first_day) {
                continue;
            }
            match start_on(day, period.start_s, zone) {
                Some(start) if start <= now => {
                    return (start >= self.active_since).then_some(start);
                }
                _ => {}
            }
        }
        None
    }
}

impl Recurrence {
    /// Does a period begin on `day`? `first` is the day on which the maintenance becomes active.
    fn is_on(self, day: Date, first: Date) -> bool {
        match self {
            Self::Once(_) => false,
            Self::Daily { every } => days_between(first, day) % i64::from(every.max(1)) == 0,
            Self::Weekly { every, weekdays } => {
                let weeks = days_between(monday_of(first), monday_of(day)) / 7;
                weeks % i64::from(every.max(1)) == 0 && has_weekday(weekdays, day)
            }
            Self::MonthlyByDay { months, day: wanted } => {
                has_month(months, day) && day.day() == wanted
            }
            Self::MonthlyByWeekday { months, weekdays, nth } => {
                let nth_matches = match nth {
                    5 => day.day() + 7 > day.days_in_month(),
                    nth => (day.day() - 1) / 7 + 1 == nth,
                };
                nth_matches && has_month(months, day) && has_weekday(weekdays, day)
            }
        }
    }
}

fn days_between(from: Date, to: Date) -> i64 {
    from.duration_until(to).as_hours() / 24
}

fn monday_of(day: Date) -> Date {
    let back = i64::from(day.weekday().to_monday_zero_offset());
    // The first days of the calendar have no Monday before them.
    Span::new().try_days(back).ok().and_then(|it| day.checked_sub(it).ok()).unwrap_or(day)
}

fn has_weekday(set: u8, day: Date) -> bool {
    set & 1 << day.weekday().to_monday_zero_offset() != 0
}

fn has_month(set: u16, day: Date) -> bool {
    set & 1 << (day.month() - 1) != 0
}

/// The second at which the wall shows a time of a day; `None` if it never does.
fn start_on(day: Date, second: i32, zone: &TimeZone) -> Option<i64> {
    let midnight: DateTime = day.at(0, 0, 0, 0);
    let wall = midnight.checked_add(Span::new().try_seconds(second).ok()?).ok()?;
    let offset = match zone.to_ambiguous_timestamp(wall).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset,
        AmbiguousOffset::Fold { before, .. } => before,
        AmbiguousOffset::Gap { .. } => return None,
    };
    offset.to_timestamp(wall).ok().map(Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2024-12-16, a Monday, 00:00 UTC.
    const MONDAY: i64 = 1_734_307_200;
    const HOUR_S: i64 = 3_600;

    fn is_on(recurrence: Recurrence, since: i64, now: i64) -> bool {
        let period = MaintenancePeriod { recurrence, start_s: 23 * 3_600, len_s: 2 * HOUR_S };
        let schedule = MaintenanceSchedule {
            active_since: since,
            active_until: since + 400 * DAY_S,
            periods: vec![period],
        };
        schedule.running(now, &TimeZone::UTC).is_some()
    }

    #[test]
    fn periods_cross_midnight() {
        let daily = Recurrence::Daily { every: 2 };
        assert!(is_on(daily, MONDAY, MONDAY + 23 * HOUR_S));
        assert!(is_on(daily, MONDAY, MONDAY + 25 * HOUR_S - 1));
        assert!(!is_on(daily, MONDAY, MONDAY + 25 * HOUR_S));
        assert!(!is_on(daily, MONDAY, MONDAY + 47 * HOUR_S));
        assert!(is_on(daily, MONDAY, MONDAY + 2 * DAY_S + 23 * HOUR_S));
    }

    #[test]
    fn weeks_are_counted_from_the_first_one() {
        let wednesdays = Recurrence::Weekly { every: 2, weekdays: 0b100 };
        let wednesday = MONDAY + 2 * DAY_S + 23 * HOUR_S;
        assert!(is_on(wednesdays, MONDAY + 1, wednesday));
        assert!(!is_on(wednesdays, MONDAY + 1, wednesday + 7 * DAY_S));
        assert!(is_on(wednesdays, MONDAY + 1, wednesday + 14 * DAY_S));
        assert!(!is_on(wednesdays, wednesday + 1, wednesday + 2));
    }

    #[test]
    fn months_know_their_last_weekday() {
        let december = 1 << 11;
        let last_monday = Recurrence::MonthlyByWeekday { months: december, weekdays: 1, nth: 5 };
        let third_monday = Recurrence::MonthlyByWeekday { months: december, weekdays: 1, nth: 3 };
        let at = |days: i64| MONDAY + days * DAY_S + 23 * HOUR_S;
        assert!(is_on(last_monday, MONDAY, at(14)) && !is_on(last_monday, MONDAY, at(7)));
        assert!(is_on(third_monday, MONDAY, at(0)) && !is_on(third_monday, MONDAY, at(14)));
        let on_17th = Recurrence::MonthlyByDay { months: december, day: 17 };
        assert!(is_on(on_17th, MONDAY, at(1)) && !is_on(on_17th, MONDAY, at(2)));
    }

    /// The list equals the answers of `running`, hour by hour over both changes of the clock of a year.
    #[test]
    fn listed_periods_are_those_in_effect() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let all = (1 << 12) - 1;
        let recurrences = [
            Recurrence::Once(MONDAY + 90 * DAY_S),
            Recurrence::Daily { every: 3 },
            Recurrence::Weekly { every: 2, weekdays: 0b100_0001 },
            Recurrence::MonthlyByDay { months: all, day: 31 },
            Recurrence::MonthlyByWeekday { months: all, weekdays: 0b100_0000, nth: 5 },
        ];
        // 02:30 is skipped on one Sunday, and comes twice on another.
        for (start_s, len_s) in [(9_000, 2 * HOUR_S), (84_600, 30 * HOUR_S), (0, 80 * HOUR_S)] {
            for recurrence in recurrences {
                let schedule = MaintenanceSchedule {
                    active_since: MONDAY + 600,
                    active_until: MONDAY + 350 * DAY_S + 1_800,
                    periods: vec![MaintenancePeriod { recurrence, start_s, len_s }],
                };
                let (from, until) = (MONDAY - DAY_S, MONDAY + 365 * DAY_S);
                let listed = schedule.between(from, until, &zone);
                assert!(!listed.is_empty());
                assert!(listed.windows(2).all(|it| it[0].1 < it[1].0));
                for now in (from..until).step_by(1_800) {
                    let is_listed = listed.iter().any(|it| (it.0..it.1).contains(&now));
                    let is_running = schedule.running(now, &zone).is_some();
                    assert_eq!(is_listed, is_running, "{recurrence:?} from {start_s} at {now}");
                }
                // A short range lists the same as a long one.
                let (from, until) = (MONDAY + 100 * DAY_S, MONDAY + 101 * DAY_S);
                let of_day: Vec<_> =
                    listed.iter().filter(|it| it.0 < until && from < it.1).collect();
                let short = schedule.between(from, until, &zone);
                assert_eq!(short.len(), of_day.len());
            }
        }
    }

    #[test]
    fn far_times_do_not_panic() {
        for now in [i64::MIN, 0, i64::MAX] {
            let period = MaintenancePeriod {
                recurrence: Recurrence::Daily { every: 0 },
                start_s: i32::MAX,
                len_s: 1,
            };
            let schedule = MaintenanceSchedule {
                active_since: i64::MIN,
                active_until: i64::MAX,
                periods: vec![period],
            };
            assert_eq!(schedule.running(now, &TimeZone::UTC), None);
        }
    }
}
