//! On-call schedules: rotations that hand over at a time of the wall clock, and overrides of them.
//!
//! An override that covers a time applies, the last one in the list first; else the first rotation in the
//! list that has a user at that time. A rotation has a user from its start on, within its times of the week.
//! So there is exactly one answer for each time, and "nobody" only where no rotation is meant to have a user.
//!
//! Shifts are counted by the wall clock: where the clock jumps, one is an hour shorter or longer. A handover
//! at a time that does not exist is at the moment of the jump, at one that exists twice it is at the first. A
//! shift of an hour that the jump skips is empty, and its user's turn has passed.
//!
//! Points are seconds since 1970.

mod shifts;
#[cfg(test)]
mod tests;

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Span, Timestamp};

use crate::calendar;
use crate::time_period::TimePeriod;

pub use shifts::OncallShift;

/// A schedule.
#[derive(Clone, Debug)]
pub struct OncallSchedule {
    /// Of hand-overs and times of the week.
    pub zone: TimeZone,
    /// The first rotation with a user applies.
    pub rotations: Vec<Rotation>,
    /// The last that covers a moment decides, before all rotations.
    pub overrides: Vec<Override>,
}

/// Users who take turns.
#[derive(Clone, Debug)]
pub struct Rotation {
    /// In order of their turns.
    pub users: Vec<u64>,
    /// The shift of this time is the first user's; before it there is no user.
    pub start: i64,
    pub length: ShiftLength,
    /// When one hands over to the next, in seconds since midnight.
    pub handover_s: u32,
    /// Hours in which it has a user; if empty, always.
    pub times: Option<TimePeriod>,
}

/// The length of a shift.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShiftLength {
    /// Hand-overs are counted from the time of day on.
    Hours(u32),
    Days(u32),
    /// With the day on which one hands over, Monday being 1.
    Weeks {
        n: u32,
        weekday: u8,
    },
}

/// One user in place of the scheduled one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Override {
    pub user: u64,
    pub from: i64,
    /// Not included.
    pub to: i64,
}

/// The user on call, and the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnCall {
    pub user: u64,
    /// The rotation's place in the list; `None`: by an override.
    pub rotation: Option<usize>,
}

impl OncallSchedule {
    /// The user on call at a time.
    #[must_use]
    pub fn at(&self, clock: i64) -> Option<OnCall> {
        let covers = |it: &&Override| it.from <= clock && clock < it.to;
        if let Some(it) = self.overrides.iter().rfind(covers) {
            return Some(OnCall { user: it.user, rotation: None });
        }
        self.rotations.iter().enumerate().find_map(|(at, it)| {
            let user = it.at(clock, &self.zone)?;
            Some(OnCall { user, rotation: Some(at) })
        })
    }
}

impl ShiftLength {
    /// On the wall.
    fn hours(self) -> i64 {
        let hours = match self {
            Self::Hours(n) => i64::from(n),
            Self::Days(n) => i64::from(n) * 24,
            Self::Weeks { n, .. } => i64::from(n) * 7 * 24,
        };
        hours.max(1)
    }
}

impl Rotation {
    fn at(&self, clock: i64, zone: &TimeZone) -> Option<u64> {
        if clock < self.start || self.times.as_ref().is_some_and(|it| !it.contains(clock, zone)) {
            return None;
        }
        let n_users = i64::try_from(self.users.len()).ok().filter(|it| *it != 0)?;
        let number = self.shift_at(clock, zone)?;
        let at = usize::try_from(number.rem_euclid(n_users)).ok()?;
        self.users.get(at).copied()
    }

    /// The wall-clock begin of the first shift: the last handover that is not after the start.
    fn first(&self, zone: &TimeZone) -> Option<DateTime> {
        let (wall, _) = calendar::local(self.start, zone)?;
        let midnight = wall.date().to_datetime(jiff::civil::Time::midnight());
        let days_back = match self.length {
            ShiftLength::Hours(_) | ShiftLength::Days(_) => 0,
            ShiftLength::Weeks { weekday, .. } => {
                let today = i64::from(wall.weekday().to_monday_one_offset());
                (today - i64::from(weekday)).rem_euclid(7)
            }
        };
        let first = plus_hours(midnight, -24 * days_back)?;
        let first = first.checked_add(Span::new().seconds(i64::from(self.handover_s))).ok()?;
        if first <= wall {
            return Some(first);
        }
        let back = match self.length {
            ShiftLength::Weeks { .. } => 7 * 24,
            ShiftLength::Hours(_) | ShiftLength::Days(_) => 24,
        };
        plus_hours(first, -back)
    }

    /// When a shift begins.
    fn begin(&self, first: DateTime, number: i64, zone: &TimeZone) -> Option<i64> {
        let hours = number.checked_mul(self.length.hours())?;
        moment_of(plus_hours(first, hours)?, zone)
    }

    /// The number of the shift in which a moment lies, the one with the start being the first of its day.
    fn shift_at(&self, clock: i64, zone: &TimeZone) -> Option<i64> {
        let first = self.first(zone)?;
        let number = self.number_at(first, clock, zone)?;
        // Shifts of hours: several lie between the day's hand-over and the start.
        Some(number - self.number_at(first, self.start, zone)?)
    }

    fn number_at(&self, first: DateTime, clock: i64, zone: &TimeZone) -> Option<i64> {
        let (wall, _) = calendar::local(clock, zone)?;
        let passed = wall.duration_since(first).as_secs();
        let mut number = passed.div_euclid(self.length.hours() * 3_600);
        // The wall is ambiguous around a jump; the moments at which shifts begin are not.
        while clock < self.begin(first, number, zone)? {
            number -= 1;
        }
        while self.begin(first, number + 1, zone)? <= clock {
            number += 1;
        }
        Some(number)
    }
}

fn plus_hours(wall: DateTime, hours: i64) -> Option<DateTime> {
    wall.checked_add(Span::new().try_hours(hours).ok()?).ok()
}

/// When the wall shows a time for the first time, or jumps over it.
fn moment_of(wall: DateTime, zone: &TimeZone) -> Option<i64> {
    let ambiguous = zone.to_ambiguous_timestamp(wall);
    let is_gap = matches!(ambiguous.offset(), AmbiguousOffset::Gap { .. });
    let moment = ambiguous.compatible().ok()?;
    if !is_gap {
        return Some(moment.as_second());
    }
    let after = Timestamp::from_second(moment.as_second() + 1).ok()?;
    let jump = zone.preceding(after).next();
    Some(jump.map_or(moment, |it| it.timestamp()).as_second())
}
