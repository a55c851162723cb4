//! Shifts of a period, for calendars.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Time;

use super::{OnCall, OncallSchedule, moment_of, plus_hours};
use crate::calendar;

const HOUR: i64 = 3_600;

/// A user on call without a break and for one reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OncallShift {
    /// `None`: no user is on call.
    pub who: Option<OnCall>,
    pub from: i64,
    /// Not included.
    pub to: i64,
}

impl OncallSchedule {
    /// The users on call from one time to another: shifts in order, without gaps, cut to the period. No more
    /// than `n_max`: later ones are left out.
    #[must_use]
    pub fn shifts(&self, from: i64, to: i64, n_max: usize) -> Vec<OncallShift> {
        let mut shifts: Vec<OncallShift> = Vec::new();
        if to <= from {
            return shifts;
        }
        let mut points = self.points(from, to);
        points.insert(to);
        let mut begin = from;
        for point in points {
            let who = self.at(begin);
            let n_shifts = shifts.len();
            match shifts.last_mut() {
                Some(last) if last.who == who => last.to = point,
                _ if n_shifts == n_max => break,
                _ => shifts.push(OncallShift { who, from: begin, to: point }),
            }
            begin = point;
        }
        shifts
    }

    /// All moments within the period at which the answer may change.
    fn points(&self, from: i64, to: i64) -> BTreeSet<i64> {
        let mut points = BTreeSet::new();
        let is_within = |it: &i64| from < *it && *it < to;
        points.extend(self.overrides.iter().flat_map(|it| [it.from, it.to]).filter(is_within));
        // Times of the week begin and end by the wall, which changes at these as well.
        if let Ok(start) = Timestamp::from_second(from) {
            let jumps = self.zone.following(start).map(|it| it.timestamp().as_second());
            points.extend(jumps.take_while(|it| *it < to).filter(is_within));
        }
        for rotation in &self.rotations {
            points.extend(Some(rotation.start).filter(is_within));
            let begin = from.max(rotation.start);
            let first = rotation.first(&self.zone);
            if let Some(first) = first.filter(|_| begin < to) {
                let number = rotation.number_at(first, begin, &self.zone);
                let numbers = number.map_or(i64::MAX, |it| it + 1)..i64::MAX;
                let begins = numbers.map_while(|it| rotation.begin(first, it, &self.zone));
                points.extend(begins.take_while(|it| *it < to).filter(is_within));
            }
            for edge in rotation.times.iter().flat_map(|it| it.edges_s()) {
                points.extend(self.daily(edge, from, to).filter(is_within));
            }
        }
        points
    }

    /// The moments at which the wall shows a time of the day, for all days of the period.
    fn daily(&self, second: u32, from: i64, to: i64) -> impl Iterator<Item = i64> {
        let day = calendar::local(from - 24 * HOUR, &self.zone);
        let day = day.map(|(it, _)| it.date().to_datetime(Time::midnight()));
        let step = move |it: &jiff::civil::DateTime| plus_hours(*it, 24);
        let days = std::iter::successors(day, step);
        let at = move |it: jiff::civil::DateTime| {
            let wall = it.checked_add(jiff::Span::new().seconds(i64::from(second))).ok()?;
            let first = moment_of(wall, &self.zone)?;
            // Where the clock is set back the wall shows it once more.
            let again = calendar::clock_of(wall, &self.zone, self.offset_after(first));
            Some([first, again.unwrap_or(first)])
        };
        days.map_while(at).take_while(move |it| it[0] < to).flatten()
    }

    fn offset_after(&self, clock: i64) -> jiff::tz::Offset {
        // No zone sets its clock back by more than a few hours.
        let later = Timestamp::from_second(clock + 6 * HOUR).unwrap_or(Timestamp::MAX);
        self.zone.to_offset(later)
    }
}
