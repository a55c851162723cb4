//! Which part of a graph's time comes from values and which from trends.
//!
//! Trends serve where buckets are an hour or longer, and where values are past the item's period or not kept
//! at all; hours that have not ended, or whose trend may not be written yet, come from values. Parts meet at
//! the begin of an hour, so that nothing is counted twice.

use model::record::Hour;
use model::{ItemId, Time, ValueType};

use crate::ports::BucketQuery;

const HOUR_NS: i64 = 3_600_000_000_000;
/// An hour's trend is written two minutes after the hour at the latest, and a store elsewhere has it a little
/// later: until then its values are read.
const WRITTEN_AFTER_S: i64 = 300;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    History,
    Trends,
}

impl Source {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::History => "history",
            Self::Trends => "trends",
        }
    }
}

/// How long an item keeps values and trends; 0: not at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Periods {
    pub(super) history_s: i64,
    pub(super) trends_s: i64,
}

/// A stretch of time, both ends included, and where its numbers come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) source: Source,
    pub(super) from: Time,
    pub(super) till: Time,
    /// Asked for because trends begin later: listed only if there were values.
    pub(super) is_fill_in: bool,
    /// Nothing was found so far.
    pub(super) is_empty: bool,
}

impl Part {
    fn new(source: Source, from: Time, till: Time) -> Self {
        Self { source, from, till, is_fill_in: false, is_empty: true }
    }
}

/// The time of a graph, and its grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    from: Time,
    till: Time,
    n_buckets: u32,
    width: i64,
}

/// Buckets on the window's grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GridRange {
    from: Time,
    till: Time,
    n_buckets: u32,
}

impl GridRange {
    pub(super) fn query(&self, item: ItemId, kind: ValueType) -> BucketQuery {
        let Self { from, till, n_buckets } = *self;
        BucketQuery { item, kind, from, till, n_buckets }
    }
}

impl Window {
    /// `None` if there can be no buckets.
    pub(super) fn new(from: Time, till: Time, n_buckets: u32) -> Option<Self> {
        let whole = GridRange { from, till, n_buckets };
        let width = whole.query(ItemId::NONE, ValueType::Float).width()?;
        Some(Self { from, till, n_buckets, width })
    }

    pub(super) fn from(&self) -> Time {
        self.from
    }

    pub(super) fn width(&self) -> i64 {
        self.width
    }

    /// The most that one item's answer from a store may hold.
    pub(super) fn n_rows(&self) -> usize {
        let n_hours = self.till.0.saturating_sub(self.from.0) / HOUR_NS + 2;
        usize::try_from(n_hours.max(self.n_buckets.into())).unwrap_or(usize::MAX)
    }

    /// A part as ranges of buckets on the grid: the time before its first line is a bucket of its own, and so
    /// is that after the last one, unless it is the window's end.
    pub(super) fn on_grid(&self, part: &Part) -> Vec<GridRange> {
        let before = part.from.0.saturating_sub(self.from.0).max(0);
        let n_before = before / self.width + i64::from(before % self.width != 0);
        let first = self.from.0.saturating_add(n_before.saturating_mul(self.width));
        let mut ranges = Vec::new();
        let mut push = |from: i64, till: i64, n_buckets: i64| {
            if from <= till && n_buckets > 0 {
                let n_buckets = u32::try_from(n_buckets).unwrap_or(u32::MAX);
                ranges.push(GridRange { from: Time(from), till: Time(till), n_buckets });
            }
        };
        push(part.from.0, part.till.0.min(first.saturating_sub(1)), i64::from(n_before > 0));
        if part.till == self.till {
            // Each of these may be a nanosecond shorter than the grid's.
            push(first, part.till.0, i64::from(self.n_buckets) - n_before);
            return ranges;
        }
        let n_whole = (part.till.0.saturating_sub(first).saturating_add(1) / self.width).max(0);
        let last = first.saturating_add(n_whole.saturating_mul(self.width));
        push(first, last.saturating_sub(1), n_whole);
        push(last, part.till.0, 1);
        ranges
    }
}

/// All of the time from one of both, whatever is stored.
pub(super) fn whole(window: &Window, source: Source) -> Part {
    Part::new(source, window.from, window.till)
}

fn hour_before(time: Time, seconds: i64) -> i64 {
    Hour::of(time.plus_secs(seconds.saturating_neg())).start().0
}

/// The parts of an item of numbers, in order of time: together they are the window.
pub(super) fn parts(window: &Window, now: Time, periods: Periods) -> Vec<Part> {
    let Periods { history_s, trends_s } = periods;
    if trends_s == 0 {
        return vec![Part::new(Source::History, window.from, window.till)];
    }
    let open = hour_before(now, WRITTEN_AFTER_S);
    let is_coarse = HOUR_NS <= window.width;
    // Trends are read from here …
    let since =
        if is_coarse && trends_s < history_s { hour_before(now, trends_s) } else { i64::MIN };
    // … to here.
    let until = if history_s == 0 {
        i64::MAX
    } else if is_coarse {
        open
    } else {
        // The first hour of which all values are kept.
        hour_before(now, history_s).saturating_add(HOUR_NS).min(open)
    };
    let (from, till) = (window.from.0, window.till.0);
    let mut parts = Vec::new();
    let mut push = |source, from: i64, till: i64| {
        if from <= till {
            parts.push(Part::new(source, Time(from), Time(till)));
        }
    };
    push(Source::History, from, till.min(since.saturating_sub(1)));
    push(Source::Trends, from.max(since), till.min(until.saturating_sub(1)));
    push(Source::History, from.max(until), till);
    parts
}

/// Trends were found from the hour `first` on: the hours before are read from values.
pub(super) fn fill_in(parts: &mut Vec<Part>, at: usize, first: Option<Hour>) {
    let Some(part) = parts.get_mut(at) else { return };
    let whole = *part;
    part.is_empty = first.is_none();
    let Some(first) = first else {
        part.is_fill_in = true;
        parts.insert(
            at,
            Part { is_fill_in: true, ..Part::new(Source::History, whole.from, whole.till) },
        );
        return;
    };
    let begin = first.start();
    if whole.from < begin {
        part.from = begin;
        let before = Part::new(Source::History, whole.from, Time(begin.0.saturating_sub(1)));
        parts.insert(at, Part { is_fill_in: true, ..before });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;
    /// 2026-11-20 12:30 UTC.
    const NOW: i64 = 1_795_178_600 / 3_600 * 3_600 + 1_800;
    const PERIODS: Periods = Periods { history_s: 31 * DAY, trends_s: 365 * DAY };

    fn window(from: i64, till: i64, n_buckets: u32) -> Window {
        Window::new(Time::from_clock(from, 0), Time::from_clock(till, 999_999_999), n_buckets)
            .unwrap()
    }

    /// Source and both ends in seconds; they are checked to meet without a gap.
    fn spans(window: &Window, parts: &[Part]) -> Vec<(&'static str, i64, i64)> {
        assert_eq!(parts.first().map(|it| it.from), Some(window.from));
        assert_eq!(parts.last().map(|it| it.till), Some(window.till));
        for pair in parts.windows(2) {
            assert_eq!(pair[0].till.0 + 1, pair[1].from.0, "{parts:?}");
            assert_eq!(pair[1].from.0 % HOUR_NS, 0, "they meet at an hour: {parts:?}");
        }
        parts.iter().map(|it| (it.source.as_str(), it.from.clock(), it.till.clock())).collect()
    }

    fn check(from: i64, till: i64, n: u32, periods: Periods, expect: &[(&'static str, i64, i64)]) {
        let window = window(from, till, n);
        assert_eq!(spans(&window, &parts(&window, Time::from_clock(NOW, 0), periods)), expect);
    }

    #[test]
    fn fine_and_recent_is_read_from_values() {
        check(NOW - DAY, NOW, 500, PERIODS, &[("history", NOW - DAY, NOW)]);
        // Half an hour a bucket.
        check(NOW - 10 * DAY, NOW, 480, PERIODS, &[("history", NOW - 10 * DAY, NOW)]);
    }

    #[test]
    fn buckets_of_hours_are_read_from_trends_and_the_current_hour_from_values() {
        let hour = NOW - 1_800;
        let expect = [("trends", NOW - 20 * DAY, hour - 1), ("history", hour, NOW)];
        check(NOW - 20 * DAY, NOW, 480, PERIODS, &expect);
        // The trend of the hour before may not be written yet.
        let window = window(hour - 20 * DAY, hour, 10);
        let parts = parts(&window, Time::from_clock(hour + 60, 0), PERIODS);
        let expect = [("trends", hour - 20 * DAY, hour - 3_601), ("history", hour - 3_600, hour)];
        assert_eq!(spans(&window, &parts), expect);
    }

    #[test]
    fn values_older_than_the_period_are_read_from_trends() {
        let old = NOW - 60 * DAY;
        check(old, old + DAY, 500, PERIODS, &[("trends", old, old + DAY)]);
        // 2 days across the end of the period, in small buckets: joined at the first hour that is whole.
        let edge = NOW - 31 * DAY + 1_800;
        let expect = [("trends", edge - DAY, edge - 1), ("history", edge, edge + DAY)];
        check(edge - DAY, edge + DAY, 500, PERIODS, &expect);
        let hour = Periods { history_s: 3_600, ..PERIODS };
        let expect = [("trends", NOW - DAY, NOW - 1_801), ("history", NOW - 1_800, NOW)];
        check(NOW - DAY, NOW, 500, hour, &expect);
    }

    #[test]
    fn items_that_keep_one_of_both_are_read_from_it() {
        let none = Periods { history_s: 0, ..PERIODS };
        check(NOW - DAY, NOW, 500, none, &[("trends", NOW - DAY, NOW)]);
        let none = Periods { trends_s: 0, ..PERIODS };
        let year = NOW - 365 * DAY;
        check(year, NOW, 500, none, &[("history", year, NOW)]);
        let short = Periods { trends_s: 7 * DAY, ..PERIODS };
        let (hour, week) = (NOW - 1_800, NOW - 1_800 - 7 * DAY);
        let month = NOW - 30 * DAY;
        let expect =
            [("history", month, week - 1), ("trends", week, hour - 1), ("history", hour, NOW)];
        check(month, NOW, 100, short, &expect);
    }

    #[test]
    fn hours_before_the_first_trend_are_read_from_values() {
        let window = window(NOW - 20 * DAY, NOW, 100);
        let first = Hour::of(Time::from_clock(NOW - 5 * DAY, 0));
        let mut all = parts(&window, Time::from_clock(NOW, 0), PERIODS);
        fill_in(&mut all, 0, Some(first));
        let begin = first.start().clock();
        let hour = NOW - 1_800;
        let expect = [
            ("history", NOW - 20 * DAY, begin - 1),
            ("trends", begin, hour - 1),
            ("history", hour, NOW),
        ];
        assert_eq!(spans(&window, &all), expect);
        // Trends have all of it.
        let mut all = parts(&window, Time::from_clock(NOW, 0), PERIODS);
        fill_in(&mut all, 0, Some(Hour::of(window.from)));
        assert_eq!(all.len(), 2);
        // Without any trend.
        fill_in(&mut all, 0, None);
        let sources: Vec<_> = all.iter().map(|it| (it.source, it.is_fill_in)).collect();
        let (history, trends) = (Source::History, Source::Trends);
        assert_eq!(sources, [(history, true), (trends, true), (history, false)]);
    }

    #[test]
    fn ranges_lie_on_the_grid_and_have_each_time_once() {
        let window = window(1_000, 100_999, 7);
        let width = window.width;
        for (from, till) in [(0, 1_000), (3_600, 7_199), (7_200, 64_799), (36_000, 100_999)] {
            let from = Time::from_clock(from.max(1_000), 0);
            let till = Time::from_clock(till, 999_999_999);
            let part = Part::new(Source::History, from, till);
            let ranges = window.on_grid(&part);
            assert_eq!(ranges.first().map(|it| it.from), Some(from));
            assert_eq!(ranges.last().map(|it| it.till), Some(till));
            for pair in ranges.windows(2) {
                assert_eq!(pair[0].till.0 + 1, pair[1].from.0);
            }
            for range in ranges {
                let query = range.query(ItemId(1), ValueType::Float);
                let made = query.width().unwrap();
                if range.n_buckets == 1 {
                    assert!(made <= width, "{range:?}");
                } else {
                    assert_eq!((range.from.0 - window.from.0) % width, 0, "{range:?}");
                    assert!((width - 1..=width).contains(&made), "{range:?}");
                }
            }
        }
    }
}
