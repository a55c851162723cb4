//! Update intervals: `30s;10s/1-5,09:00-18:00;wd1-5h9-18m/30`.
//!
//! A simple interval, then flexible ones (another interval in a weekly period) and scheduling ones
//! (points of time by the wall clock). Checks of a simple interval are spread by a seed, so that load
//! is flat.

mod fault;
pub mod report;
mod schedule;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use thiserror::Error;

use crate::calendar;
use crate::macros::{Search, TokenKind, token_at};
use crate::time_period::{Part, second_of_day, weekday};
use formats::number;

pub use fault::{IntervalFault, fault};
pub use schedule::SchedulingInterval;

const DAY_S: i64 = 86_400;
const YEAR_S: i64 = 365 * DAY_S;
/// "Never": 2038-01-01 00:00:00 UTC, the time that Zabbix shows then.
pub const NEVER: i64 = 2_145_916_800;
/// Longest simple interval.
const SIMPLE_MAX_S: u64 = 86_400;
/// Longest flexible interval.
const FLEXIBLE_MAX_S: u64 = 2_147_483_647;
/// The most changes of flexible intervals in one calculation: bounds its time; it ends there.
const CHANGES_MAX: usize = 100_000;

/// Why a text is no update interval.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IntervalError {
    /// A part that can't be read.
    #[error("invalid update interval: \"{0}\"")]
    Part(String),
    /// Nothing would ever be checked.
    #[error(
        "item will not be refreshed: specified update interval requires having at least one either flexible or scheduling interval"
    )]
    Never,
}

/// A flexible interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flexible {
    /// Seconds; 0: no checks.
    pub delay_s: i64,
    /// When it counts.
    pub period: Part,
}

/// A parsed update interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    simple_s: i64,
    flexible: Vec<Flexible>,
    scheduling: Vec<SchedulingInterval>,
}

impl Interval {
    /// Parses a text without macros.
    ///
    /// # Errors
    /// Which part is wrong.
    pub fn parse(text: &str) -> Result<Self, IntervalError> {
        let mut parts = text.split(';');
        let mut interval = Self {
            simple_s: simple(parts.next().unwrap_or(""))?,
            flexible: Vec::new(),
            scheduling: Vec::new(),
        };
        for part in parts {
            match parse_custom(part).ok_or_else(|| wrong(part))? {
                Custom::Flexible(it) => interval.flexible.push(it),
                Custom::Schedule(it) => interval.scheduling.push(it),
            }
        }
        if interval.simple_s == 0 {
            let has_checks = !interval.flexible.is_empty() || !interval.scheduling.is_empty();
            if !has_checks || interval.flexible.iter().any(|it| it.delay_s == 0) {
                return Err(IntervalError::Never);
            }
        }
        Ok(interval)
    }

    /// Parses the simple part of a text and ignores the rest.
    ///
    /// # Errors
    /// If it is wrong or 0.
    pub fn parse_simple(text: &str) -> Result<i64, IntervalError> {
        let first = text.split(';').next().unwrap_or("");
        match simple(first)? {
            0 => Err(IntervalError::Never),
            seconds => Ok(seconds),
        }
    }

    /// The simple interval in seconds; 0: custom ones only.
    #[must_use]
    pub fn simple_s(&self) -> i64 {
        self.simple_s
    }

    /// Has it scheduling parts?
    #[must_use]
    pub fn is_scheduling(&self) -> bool {
        !self.scheduling.is_empty()
    }

    /// The next check after `now` (seconds since 1970). `seed` (the item's id) spreads checks within
    /// the interval. [`NEVER`] if there is none.
    #[must_use]
    pub fn next_check(&self, now: i64, seed: u64, zone: &TimeZone) -> i64 {
        let scheduled = self.next_scheduled(now, zone);
        let mut at = now;
        let mut next = NEVER;
        for attempt in 0..CHANGES_MAX {
            if at >= now + YEAR_S {
                break;
            }
            let delay_s = self.delay_at(at, zone);
            next = if delay_s == 0 { NEVER } else { spread(at, delay_s, seed, attempt == 0) };
            match self.next_change(at, zone) {
                Some(change) if next >= change => at = change,
                _ => break,
            }
        }
        scheduled.map_or(next, |it| it.min(next))
    }

    /// As [`Interval::next_check`] for active agents, which do their own timing: for showing delays.
    #[must_use]
    pub fn next_check_active(&self, now: i64) -> i64 {
        if self.simple_s == 0 { NEVER } else { now + self.simple_s }
    }

    /// The first check of a host that is not asked before `disabled_until`.
    #[must_use]
    pub fn next_check_unreachable(&self, disabled_until: i64, zone: &TimeZone) -> i64 {
        let scheduled = self.next_scheduled(disabled_until, zone);
        let mut at = disabled_until;
        let mut next = NEVER;
        for _ in 0..CHANGES_MAX {
            if at >= disabled_until + YEAR_S {
                break;
            }
            if self.delay_at(at, zone) != 0 {
                next = at;
                break;
            }
            match self.next_change(at, zone) {
                Some(change) => at = change,
                None => break,
            }
        }
        scheduled.map_or(next, |it| it.min(next))
    }

    /// The shortest interval that counts at a time.
    #[must_use]
    pub fn delay_at(&self, clock: i64, zone: &TimeZone) -> i64 {
        if self.flexible.is_empty() {
            return self.simple_s;
        }
        let Some((wall, _)) = calendar::local(clock, zone) else { return self.simple_s };
        let flexible = self.flexible.iter().filter(|it| it.period.contains(wall));
        flexible.map(|it| it.delay_s).min().unwrap_or(self.simple_s)
    }

    fn next_scheduled(&self, now: i64, zone: &TimeZone) -> Option<i64> {
        self.scheduling.iter().filter_map(|it| it.next(now, zone)).min()
    }

    /// When a flexible interval begins or ends next.
    fn next_change(&self, clock: i64, zone: &TimeZone) -> Option<i64> {
        let (wall, _) = calendar::local(clock, zone)?;
        self.flexible.iter().map(|it| clock + seconds_to_change(&it.period, wall)).min()
    }
}

/// The first point after `at` (or at it) that lies on the interval's grid, moved by the seed.
fn spread(at: i64, delay_s: i64, seed: u64, after: bool) -> i64 {
    let offset = i64::try_from(seed % delay_s.unsigned_abs()).unwrap_or(0);
    let mut next = at.div_euclid(delay_s) * delay_s + offset;
    while next < at || (after && next == at) {
        next += delay_s;
    }
    next
}

/// Seconds of the wall clock until a period begins or ends.
fn seconds_to_change(period: &Part, wall: DateTime) -> i64 {
    let (day, second) = (weekday(wall), second_of_day(wall));
    let is_day = |it: u8| (period.first_day..=period.last_day).contains(&it);
    if is_day(day) {
        if second < period.from_s {
            return i64::from(period.from_s - second);
        }
        if second < period.to_s {
            return i64::from(period.to_s - second);
        }
    }
    let days = (1..=7_u8).find(|it| is_day((day - 1 + it) % 7 + 1)).unwrap_or(7);
    i64::from(days) * DAY_S + i64::from(period.from_s) - i64::from(second)
}

enum Custom {
    Flexible(Flexible),
    Schedule(SchedulingInterval),
}

fn parse_custom(text: &str) -> Option<Custom> {
    if text.starts_with(|it: char| it.is_ascii_digit()) {
        let (delay, period) = text.split_once('/')?;
        let delay_s = number::parse_duration_s(delay).filter(|it| *it <= FLEXIBLE_MAX_S)?;
        let period = Part::parse(period)?;
        return Some(Custom::Flexible(Flexible { delay_s: i64::try_from(delay_s).ok()?, period }));
    }
    SchedulingInterval::parse(text).map(Custom::Schedule)
}

fn simple(text: &str) -> Result<i64, IntervalError> {
    let seconds = number::parse_duration_s(text).filter(|it| *it <= SIMPLE_MAX_S);
    seconds.and_then(|it| i64::try_from(it).ok()).ok_or_else(|| wrong(text))
}

fn wrong(part: &str) -> IntervalError {
    IntervalError::Part(part.to_owned())
}

/// Checks a text that may hold user macros: each may be the simple interval, a whole custom one, or either
/// side of a flexible one.
///
/// # Errors
/// Which part is wrong.
pub fn validate(text: &str) -> Result<(), IntervalError> {
    let parts = split_parts(text, b';');
    let (first, custom) = parts.split_first().ok_or(IntervalError::Never)?;
    let is_zero = if is_macro(first) { false } else { simple(first)? == 0 };
    let mut has_checks = !is_zero;
    for part in custom {
        let delay = validate_custom(part).ok_or_else(|| wrong(part))?;
        if is_zero && delay == Some(0) {
            return Err(IntervalError::Never);
        }
        has_checks = true;
    }
    if has_checks { Ok(()) } else { Err(IntervalError::Never) }
}

/// The interval of a flexible part, if it is known; `None` outside: malformed.
fn validate_custom(part: &str) -> Option<Option<u64>> {
    if is_macro(part) {
        return Some(None);
    }
    if !part.starts_with(|it: char| it.is_ascii_digit() || it == '{') {
        return SchedulingInterval::parse(part).map(|_| None);
    }
    let sides = split_parts(part, b'/');
    let [delay, period] = sides.as_slice() else { return None };
    if !is_macro(period) {
        Part::parse(period)?;
    }
    if is_macro(delay) {
        return Some(None);
    }
    number::parse_duration_s(delay).filter(|it| *it <= FLEXIBLE_MAX_S).map(Some)
}

fn is_macro(text: &str) -> bool {
    token_at(text, Search::BASIC).is_some_and(|it| {
        it.span.end == text.len()
            && matches!(
                it.kind,
                TokenKind::UserMacro
                    | TokenKind::UserFuncMacro
                    | TokenKind::LldMacro
                    | TokenKind::LldFuncMacro
            )
    })
}

/// Splits at `separator` outside of macros.
fn split_parts(text: &str, separator: u8) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == separator {
            parts.push(text.get(start..at).unwrap_or(""));
            start = at + 1;
        }
        at += if byte == b'{' {
            text.get(at..).and_then(|it| token_at(it, Search::BASIC)).map_or(1, |it| it.span.end)
        } else {
            1
        };
    }
    parts.push(text.get(start..).unwrap_or(""));
    parts
}
