//! Update intervals, each distinct text once.

use jiff::tz::TimeZone;
use lang::interval::Interval;
use model::map::Map;

/// Items whose interval cannot be read report their error at this pace.
const BROKEN_EACH_S: u32 = 60;

#[derive(Debug, Default)]
pub(super) struct Intervals {
    by_text: Map<Box<str>, u32>,
    known: Vec<Known>,
}

#[derive(Debug)]
struct Known {
    rule: Rule,
    /// Entries that use it.
    n_entries: u64,
}

#[derive(Debug)]
enum Rule {
    /// Only seconds.
    Simple(u32),
    /// With flexible or scheduling parts.
    Custom(Box<Interval>),
    Broken,
}

impl Intervals {
    /// The position of a text without macros.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        if let Some(at) = self.by_text.get(text) {
            return *at;
        }
        let rule = match Interval::parse(text) {
            Ok(it) if !text.contains(';') => {
                u32::try_from(it.simple_s()).map_or(Rule::Broken, Rule::Simple)
            }
            Ok(it) => Rule::Custom(Box::new(it)),
            Err(_invalid) => Rule::Broken,
        };
        let at = u32::try_from(self.known.len()).expect("fewer than 2^32 intervals");
        self.known.push(Known { rule, n_entries: 0 });
        self.by_text.insert(text.into(), at);
        at
    }

    pub(super) fn is_broken(&self, at: u32) -> bool {
        matches!(self.known[at as usize].rule, Rule::Broken)
    }

    pub(super) fn count(&mut self, at: u32, up: bool) {
        let n = &mut self.known[at as usize].n_entries;
        *n = if up { *n + 1 } else { n.saturating_sub(1) };
    }

    /// The first check after `now` (seconds since 1970).
    pub(super) fn next(&self, at: u32, now: u32, seed: u64, zone: &TimeZone) -> u32 {
        match &self.known[at as usize].rule {
            Rule::Simple(delay_s) => next_on_grid(now, *delay_s, seed),
            Rule::Broken => next_on_grid(now, BROKEN_EACH_S, seed),
            Rule::Custom(interval) => {
                let next = interval.next_check(i64::from(now), seed, zone);
                u32::try_from(next).unwrap_or(u32::MAX).max(now + 1)
            }
        }
    }

    /// Seconds between checks, if it is a simple interval.
    pub(super) fn simple_s(&self, at: u32) -> Option<u32> {
        match &self.known[at as usize].rule {
            Rule::Simple(delay_s) => Some(*delay_s),
            Rule::Custom(_) | Rule::Broken => None,
        }
    }

    /// Checks per second of all entries together. Of custom intervals the simple part counts.
    pub(super) fn checks_per_second(&self) -> f64 {
        let each = self.known.iter().map(|it| {
            let delay_s = match &it.rule {
                Rule::Simple(delay_s) => f64::from(*delay_s),
                Rule::Custom(interval) => interval.simple_s() as f64,
                Rule::Broken => 0.0,
            };
            if delay_s > 0.0 { it.n_entries as f64 / delay_s } else { 0.0 }
        });
        each.sum()
    }
}

/// The first point after `now` on a grid that is moved by the seed.
fn next_on_grid(now: u32, delay_s: u32, seed: u64) -> u32 {
    let delay_s = delay_s.max(1);
    let offset = u32::try_from(seed % u64::from(delay_s)).unwrap_or(0);
    let next = now - now % delay_s + offset;
    if next <= now { next + delay_s } else { next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_intervals_are_parsed() {
        let mut intervals = Intervals::default();
        for text in ["1s", "30s", "1m", "7m", "1h", "1d"] {
            let at = intervals.intern(text);
            let interval = Interval::parse(text).expect("valid");
            for now in [1_700_000_000_u32, 1_700_000_001, 1_700_003_599, 1_731_628_800] {
                for seed in [0, 1, 59, 60, 12_345_678_901] {
                    let expected = interval.next_check(i64::from(now), seed, &TimeZone::UTC);
                    let next = intervals.next(at, now, seed, &TimeZone::UTC);
                    assert_eq!(i64::from(next), expected, "{text} {now} {seed}");
                }
            }
        }
    }

    #[test]
    fn each_text_is_known_once() {
        let mut intervals = Intervals::default();
        assert_eq!(intervals.intern("1m"), intervals.intern("1m"));
        let broken = intervals.intern("{$NOBODY}");
        assert!(intervals.is_broken(broken));
        assert_eq!(intervals.next(broken, 120, 7, &TimeZone::UTC), 127);
        let minute = intervals.intern("1m");
        intervals.count(minute, true);
        intervals.count(minute, true);
        assert!((intervals.checks_per_second() - 2.0 / 60.0).abs() < 1e-9);
    }
}
