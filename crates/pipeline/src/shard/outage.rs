//! Times in which the server was not there to receive values.
//!
//! `nodata` counts only time that was observed: neither does a restart start its period again (which
//! would hide outages of devices), nor does the server's own absence count as missing values (which
//! would be a storm after each longer stop).

use std::collections::VecDeque;

use model::Time;

/// Shorter gaps are no outages: a restart takes some seconds, and values come each half minute.
const MIN_NS: i64 = 10 * model::time::NANOS;
/// Outages remembered; older ones are forgotten and count as observed.
const OUTAGES_MAX: usize = 32;

/// The most recent outages, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outages {
    list: VecDeque<(Time, Time)>,
}

impl Outages {
    pub(super) fn add(&mut self, from: Time, until: Time) {
        if until.since_ns(from) < MIN_NS {
            return;
        }
        if self.list.len() == OUTAGES_MAX {
            self.list.pop_front();
        }
        self.list.push_back((from, until));
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (Time, Time)> + '_ {
        self.list.iter().copied()
    }

    /// Nanoseconds between two points in time without those of outages.
    pub(super) fn observed_ns(&self, from: Time, until: Time) -> i64 {
        let absent = self
            .list
            .iter()
            .map(|(start, end)| (*end).min(until).since_ns((*start).max(from)).max(0));
        until.since_ns(from) - absent.sum::<i64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_observed_time_counts() {
        let at = |s| Time::from_clock(s, 0);
        let mut outages = Outages::default();
        outages.add(at(100), at(105));
        outages.add(at(200), at(800));
        assert_eq!(outages.observed_ns(at(0), at(150)), 150 * model::time::NANOS);
        assert_eq!(outages.observed_ns(at(100), at(900)), 200 * model::time::NANOS);
        assert_eq!(outages.observed_ns(at(300), at(700)), 0);
        assert_eq!(outages.observed_ns(at(700), at(850)), 50 * model::time::NANOS);
    }
}
