//! Points in time.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A point of wall time: nanoseconds since 1970-01-01 UTC (reaches to the year 2262).
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize,
)]
pub struct Time(pub i64);

pub const NANOS: i64 = 1_000_000_000;

impl Time {
    pub const ZERO: Self = Self(0);
    pub const MAX: Self = Self(i64::MAX);

    /// From Zabbix's pair. `ns` outside 0..=999,999,999 and seconds beyond the range are clamped.
    #[must_use]
    pub fn from_clock(seconds: i64, ns: u32) -> Self {
        Self(seconds.saturating_mul(NANOS).saturating_add(i64::from(ns.min(999_999_999))))
    }

    #[must_use]
    pub fn from_millis(ms: i64) -> Self {
        Self(ms.saturating_mul(1_000_000))
    }

    /// Whole seconds (Zabbix's `clock`).
    #[must_use]
    pub fn clock(self) -> i64 {
        self.0.div_euclid(NANOS)
    }

    /// Nanoseconds within the second (Zabbix's `ns`).
    #[must_use]
    pub fn ns(self) -> u32 {
        u32::try_from(self.0.rem_euclid(NANOS)).unwrap_or(0)
    }

    /// Whole milliseconds: the resolution in which numbers are kept.
    #[must_use]
    pub fn millis(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    #[must_use]
    pub fn plus_secs(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(NANOS)))
    }

    /// `self - earlier` in nanoseconds; negative if `earlier` is later.
    #[must_use]
    pub fn since_ns(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}", self.clock(), self.ns())
    }
}

/// One reading of both clocks. Timers use `mono_ns`; times of values use `wall`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Now {
    pub wall: Time,
    /// Nanoseconds since the start of the process, never going back.
    pub mono_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_and_ns_round_trip_also_before_1970() {
        for (clock, ns) in [(0, 0), (1_700_000_000, 999_999_999), (-1, 5)] {
            let time = Time::from_clock(clock, ns);
            assert_eq!((time.clock(), time.ns()), (clock, ns));
        }
    }

    #[test]
    fn absurd_clocks_are_clamped_without_overflow() {
        assert_eq!(Time::from_clock(i64::MAX, 7), Time::MAX);
    }
}
