//! When stored values are old enough to go.
//!
//! A file holds values of one class and goes as a whole, once its newest value is older than the
//! class keeps any: an item's values are kept for its period at least. Files without a class, from
//! before there were any, stay.
//!
//! A clock that jumps must not empty the store. The clock by which the age of values is judged
//! follows the server's, forwards and backwards, at [`HASTE`] times its pace at most, and never
//! goes ahead of it: one that stands a year ahead by mistake costs a day of history an hour until
//! somebody sees it, and a server that was off for a month needs 30 hours to drop what is due. How
//! far it has come is stored with the files.

use model::{Now, Retention};
use tsdb::{RetentionClass, SegmentInfo};

use crate::class::{StoredKind, kept};

const NS_PER_MS: u64 = 1_000_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// A day in an hour.
const HASTE: i64 = 24;

/// How many values segments hold, and hours of trends.
pub(super) fn counts(segments: &[SegmentInfo]) -> (u64, u64) {
    let of = |stored| {
        let segments = segments.iter().filter(|it| kept(it.class).0 == stored);
        segments.map(|it| it.n_values).sum()
    };
    (of(StoredKind::Values), of(StoredKind::Trends))
}

/// Where there is no room for all, values go before trends: a trend takes the room of a few of the
/// many that it stands for.
pub(super) fn rank(class: RetentionClass) -> u8 {
    match kept(class).0 {
        StoredKind::Values => 0,
        StoredKind::Trends => 1,
    }
}

/// From when on a class keeps values; `None`: for ever.
pub(super) fn keeps_from(class: RetentionClass, now_ms: i64) -> Option<i64> {
    let days = kept(class).1.days()?;
    Some(now_ms.saturating_sub(i64::from(days) * DAY_MS))
}

/// Over which times files of a class are merged: from flushes to hours, to days, and on where values stay
/// for long. A file goes when its newest value does: the longest span is what values may
/// stay too long.
pub(super) fn spans_ms(class: RetentionClass) -> &'static [i64] {
    match kept(class).1 {
        Retention::Day => &[HOUR_MS],
        Retention::Week | Retention::Month => &[HOUR_MS, DAY_MS],
        Retention::Quarter => &[HOUR_MS, DAY_MS, 7 * DAY_MS],
        Retention::Year | Retention::Forever | Retention::Nothing => {
            &[HOUR_MS, DAY_MS, 30 * DAY_MS]
        }
    }
}

/// The state of maintenance between two pieces of its work.
#[derive(Debug, Default)]
pub(super) struct Maintenance {
    pub(super) clock: Option<RetentionClock>,
    /// When files were last removed to keep to the budget.
    pub(super) shrunk_ns: Option<u64>,
    /// The file of the merge under way.
    pub(super) merging_into: Option<u64>,
}

/// The clock of retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RetentionClock {
    at_ms: i64,
    /// When it was moved last.
    mono_ns: u64,
}

impl RetentionClock {
    /// Goes on from where it was stored.
    pub(super) fn resume(stored_ms: Option<i64>, now: Now) -> Self {
        Self { at_ms: stored_ms.unwrap_or(now.wall.millis()), mono_ns: now.mono_ns }
    }

    /// Follows the server's clock.
    pub(super) fn follow(&mut self, now: Now) {
        let spent_ms = now.mono_ns.saturating_sub(self.mono_ns) / NS_PER_MS;
        // Parts of a millisecond count the next time.
        self.mono_ns += spent_ms * NS_PER_MS;
        let most = i64::try_from(spent_ms).unwrap_or(i64::MAX).saturating_mul(HASTE);
        self.at_ms = self.at_ms.saturating_add(self.lag_ms(now).clamp(-most, most));
    }

    /// How far the server's clock is ahead.
    pub(super) fn lag_ms(&self, now: Now) -> i64 {
        now.wall.millis().saturating_sub(self.at_ms)
    }

    /// To be stored.
    pub(super) fn at_ms(&self) -> i64 {
        self.at_ms
    }

    /// The time that values' age is judged by.
    pub(super) fn judged_by_ms(&self, now: Now) -> i64 {
        self.at_ms.min(now.wall.millis())
    }
}

#[cfg(test)]
mod tests {
    use model::Time;

    use super::*;
    use crate::class::{class, trends_class};

    const START: i64 = 1_790_000_000;
    const DAY: i64 = 86_400;

    /// Wall clock and time that has passed, both in seconds.
    fn now(wall: i64, passed: u64) -> Now {
        Now { wall: Time::from_millis(wall * 1_000), mono_ns: passed * 1_000_000_000 }
    }

    #[test]
    fn it_follows_a_clock_that_goes_as_it_should() {
        let mut clock = RetentionClock::resume(None, now(START, 0));
        for second in 1..100_u64 {
            let now = now(START + second.cast_signed(), second);
            clock.follow(now);
            assert_eq!((clock.lag_ms(now), clock.judged_by_ms(now)), (0, now.wall.millis()));
        }
    }

    #[test]
    fn a_clock_that_jumps_ahead_is_followed_a_day_an_hour() {
        let mut clock = RetentionClock::resume(Some(START * 1_000), now(START + 40 * DAY, 0));
        assert_eq!(clock.lag_ms(now(START + 40 * DAY, 0)), 40 * DAY_MS);
        let later = now(START + 40 * DAY + 3_600, 3_600);
        clock.follow(later);
        assert_eq!(clock.judged_by_ms(later), (START + DAY) * 1_000);
        // And back: nothing is judged by a time that is ahead of the clock.
        let back = now(START + 7_200, 7_200);
        assert_eq!(clock.judged_by_ms(back), (START + 7_200) * 1_000);
        clock.follow(back);
        assert_eq!(clock.at_ms(), (START + 7_200) * 1_000);
    }

    #[test]
    fn a_start_with_a_clock_of_1970_costs_little_of_the_way() {
        let mut clock = RetentionClock::resume(Some(START * 1_000), now(0, 0));
        clock.follow(now(60, 60));
        assert_eq!(clock.judged_by_ms(now(60, 60)), 60_000);
        let right = now(START + 120, 120);
        clock.follow(right);
        assert_eq!(clock.judged_by_ms(right), (START + 120).min(START - 24 * 60 + 24 * 60) * 1_000);
        clock.follow(now(START + 180, 180));
        assert_eq!(clock.lag_ms(now(START + 180, 180)), 0);
    }

    #[test]
    fn samples_without_class_stay() {
        assert_eq!(keeps_from(RetentionClass::UNKNOWN, 5), None);
        assert_eq!(keeps_from(class(Retention::Forever), 5), None);
        assert_eq!(keeps_from(RetentionClass(200), 5), None);
        assert_eq!(keeps_from(class(Retention::Week), 7 * DAY_MS), Some(0));
        assert_eq!(keeps_from(trends_class(Retention::Week), 7 * DAY_MS), Some(0));
        assert_eq!(keeps_from(trends_class(Retention::Forever), 5), None);
        assert!(rank(class(Retention::Forever)) < rank(trends_class(Retention::Day)));
    }
}
