//! Buckets of a graph that take hours of trends and buckets of values alike.

use super::sources::Window;
use crate::ports::{Bucket, Trend};

/// In order of time, as they are added in any order of parts.
#[derive(Default)]
pub(super) struct Bins {
    from: i64,
    width: i64,
    /// By place on the grid.
    filled: Vec<(i64, Bucket)>,
}

impl Bins {
    pub(super) fn new(window: &Window) -> Self {
        Self { from: window.from().0, width: window.width().max(1), filled: Vec::new() }
    }

    /// An hour counts as a whole where it begins; one that has begun before the window, in the first bucket.
    pub(super) fn add_hour(&mut self, trend: &Trend) {
        let avg = trend.mean();
        let time = model::Time(trend.hour.start().0.max(self.from));
        let (min, max) = (trend.min.to_f64(), trend.max.to_f64());
        // Which one was the last is not known: its average is the newest number of a trend.
        let bucket = Bucket { time, min, avg, max, last: avg, n: trend.count };
        let place = time.0.saturating_sub(self.from) / self.width;
        self.add(place, bucket);
    }

    /// A bucket of the store: it begins at a line of the grid, a few nanoseconds off one, or at the begin of
    /// its part.
    pub(super) fn add_bucket(&mut self, bucket: &Bucket) {
        let offset = bucket.time.0.saturating_sub(self.from).max(0);
        let is_next = self.width - offset % self.width <= SLACK_NS.min(self.width / 2);
        self.add(offset / self.width + i64::from(is_next), *bucket);
    }

    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 values")]
    fn add(&mut self, place: i64, new: Bucket) {
        let at = match self.filled.last() {
            Some((last, _)) if *last < place => Err(self.filled.len()),
            _ => self.filled.binary_search_by_key(&place, |it| it.0),
        };
        match at {
            Err(at) => self.filled.insert(at, (place, new)),
            Ok(at) => {
                let Some((_, known)) = self.filled.get_mut(at) else { return };
                let (min, max) = (known.min.min(new.min), known.max.max(new.max));
                let n = known.n.saturating_add(new.n);
                let share = new.n as f64 / n.max(1) as f64;
                let avg = known.avg + (new.avg - known.avg) * share;
                // Rounding must not take it out of its bounds.
                let avg = avg.max(min).min(max);
                let is_newer = known.time <= new.time;
                let last = if is_newer { new.last } else { known.last };
                let time = known.time.min(new.time);
                *known = Bucket { time, min, avg, max, last, n };
            }
        }
    }

    pub(super) fn finish(self) -> impl Iterator<Item = Bucket> {
        self.filled.into_iter().map(|it| it.1)
    }
}

/// By how much the last of many buckets may begin too early: each is a nanosecond too short at most.
const SLACK_NS: i64 = 10_000;

#[cfg(test)]
mod tests {
    use model::Time;
    use model::record::{Hour, Num, Sum};

    use super::*;

    fn bucket(clock: i64, value: f64, n: u64) -> Bucket {
        let (min, max) = (value - 1.0, value + 1.0);
        Bucket { time: Time::from_clock(clock, 0), min, avg: value, max, last: value + 0.5, n }
    }

    fn hour(clock: i64, value: u64, count: u64) -> Trend {
        let (min, max) = (Num::Unsigned(value - 1), Num::Unsigned(value + 1));
        let hour = Hour::of(Time::from_clock(clock, 0));
        Trend { hour, count, min, max, sum: Sum::Unsigned(u128::from(value * count)) }
    }

    fn bins(from: i64, till: i64, n: u32) -> Bins {
        let (from, till) = (Time::from_clock(from, 0), Time::from_clock(till, 999_999_999));
        Bins::new(&Window::new(from, till, n).unwrap())
    }

    #[test]
    fn hours_and_values_of_a_bucket_are_weighted_by_their_count() {
        let mut bins = bins(0, 4 * 3_600 - 1, 1);
        bins.add_hour(&hour(0, 10, 30));
        bins.add_hour(&hour(3_600, 20, 10));
        bins.add_bucket(&bucket(7_200, 50.0, 10));
        let all: Vec<_> = bins.finish().collect();
        let expect = Bucket { time: Time(0), min: 9.0, avg: 20.0, max: 51.0, last: 50.5, n: 50 };
        assert_eq!(all, [expect]);
    }

    #[test]
    fn an_hour_begun_before_the_window_counts_in_its_first_bucket() {
        let mut bins = bins(5_400, 9_000, 10);
        bins.add_hour(&hour(3_600, 5, 6));
        bins.add_hour(&hour(7_200, 7, 6));
        let times: Vec<_> = bins.finish().map(|it| (it.time.clock(), it.last)).collect();
        assert_eq!(times, [(5_400, 5.0), (7_200, 7.0)]);
    }

    #[test]
    fn a_bucket_nanoseconds_before_its_line_keeps_its_place() {
        let mut bins = bins(0, 99, 10);
        let width = bins.width;
        let at = |ns: i64| Bucket { time: Time(ns), ..bucket(0, 1.0, 1) };
        bins.add_bucket(&at(3 * width - 4));
        bins.add_bucket(&at(2 * width));
        bins.add_bucket(&at(3 * width + 1));
        let places: Vec<_> = bins.filled.iter().map(|it| (it.0, it.1.n)).collect();
        assert_eq!(places, [(2, 1), (3, 2)]);
    }
}
