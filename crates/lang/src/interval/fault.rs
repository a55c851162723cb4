//! The exact error of an update interval that is to be saved.

use super::{
    DAY_S, SIMPLE_MAX_S, SchedulingInterval, is_macro, number, split_parts, validate_custom,
};
use crate::time_period::Part;

/// The error of a text that may hold macros, finer than that of [`super::validate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntervalFault {
    /// The only part is no time.
    Time,
    /// The part that begins at this byte, with its semicolon, can't be read.
    Part(usize),
    /// The simple interval is longer than a day.
    TooLong,
    /// Zero, and nothing else.
    Zero,
    /// Zero, and flexible intervals of zero.
    OnlyZeros,
    /// Flexible intervals of zero all week.
    ZeroAllWeek,
}

/// The first fault of an update interval.
#[must_use]
pub fn fault(text: &str) -> Option<IntervalFault> {
    let parts = split_parts(text, b';');
    let (first, custom) = parts.split_first()?;
    let simple_s = number::parse_duration_s(first);
    if simple_s.is_none() && !is_macro(first) {
        return Some(if custom.is_empty() { IntervalFault::Time } else { IntervalFault::Part(0) });
    }
    let mut at = first.len();
    let mut delays = Vec::with_capacity(custom.len());
    for part in custom {
        let Some(delay) = validate_custom(part) else { return Some(IntervalFault::Part(at)) };
        delays.push((*part, delay));
        at += 1 + part.len();
    }
    if simple_s.is_some_and(|it| it > SIMPLE_MAX_S) {
        return Some(IntervalFault::TooLong);
    }
    if simple_s == Some(0) && delays.iter().all(|(_, delay)| *delay == Some(0)) {
        return Some(if delays.is_empty() {
            IntervalFault::Zero
        } else {
            IntervalFault::OnlyZeros
        });
    }
    if custom.iter().any(|it| SchedulingInterval::parse(it).is_some()) {
        return None;
    }
    let zeros = delays.iter().filter(|(_, delay)| *delay == Some(0));
    let periods: Vec<Part> = zeros.filter_map(|(part, _)| period_of(part)).collect();
    (1..=7).all(|day| is_covered(day, &periods)).then_some(IntervalFault::ZeroAllWeek)
}

/// The period of a flexible part, if it is no macro.
fn period_of(part: &str) -> Option<Part> {
    let sides = split_parts(part, b'/');
    let [_, period] = sides.as_slice() else { return None };
    Part::parse(period)
}

/// Do the periods leave nothing of a day (1 Monday … 7 Sunday)?
fn is_covered(day: u8, periods: &[Part]) -> bool {
    let of_day = periods.iter().filter(|it| (it.first_day..=it.last_day).contains(&day));
    let mut spans: Vec<(u32, u32)> = of_day.map(|it| (it.from_s, it.to_s)).collect();
    spans.sort_unstable();
    let reached =
        spans.into_iter().fold(
            0,
            |reached, (from_s, to_s)| {
                if from_s <= reached { reached.max(to_s) } else { reached }
            },
        );
    i64::from(reached) >= DAY_S
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_say_where() {
        for (text, expected) in [
            ("1m", None),
            ("{$A}", None),
            ("{$A};{$B}/{$C};wd1h9", None),
            ("0;1m/1-5,09:00-18:00", None),
            ("0;wd1-5h9", None),
            ("1m;0/1-5,00:00-24:00", None),
            ("1m;0/1-7,00:00-24:00;h9", None),
            ("abc", Some(IntervalFault::Time)),
            ("1d1", Some(IntervalFault::Time)),
            ("-1", Some(IntervalFault::Time)),
            ("{HOST.HOST}", Some(IntervalFault::Time)),
            ("x;1m/1-7,00:00-24:00", Some(IntervalFault::Part(0))),
            ("1m;", Some(IntervalFault::Part(2))),
            ("1m;h9;x/1-7,00:00-24:00", Some(IntervalFault::Part(5))),
            ("25h", Some(IntervalFault::TooLong)),
            ("86401", Some(IntervalFault::TooLong)),
            ("0", Some(IntervalFault::Zero)),
            ("0s", Some(IntervalFault::Zero)),
            ("0;0/1-7,00:00-24:00", Some(IntervalFault::OnlyZeros)),
            (
                "1m;0/1-5,00:00-24:00;0/6-7,00:00-12:00;0/6-7,12:00-24:00",
                Some(IntervalFault::ZeroAllWeek),
            ),
        ] {
            assert_eq!(fault(text), expected, "{text}");
        }
    }
}
