//! The growth of files, and the time until there is no more room.
//!
//! Each class of retention grows by the bytes of the last week until it holds as many days as it keeps; then
//! as much is deleted as arrives.

use history::FileStats;
use model::Retention;
use serde_json::{Value, json};

use crate::ports::StorageFigures;

const HOUR_S: i64 = 3_600;
const DAY_S: i64 = 86_400;
/// The days from which growth is estimated.
const LOOK_BACK_DAYS: i64 = 7;

/// Bytes of files that belong to a stretch of time, spread evenly over the time of each file.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part of a number of bytes"
)]
pub(super) fn bytes_between(files: &[&FileStats], from: i64, till: i64) -> u64 {
    let part = |file: &&FileStats| {
        let (oldest, newest) =
            (file.oldest.clock(), file.newest.clock().max(file.oldest.clock()) + 1);
        let overlap = newest.min(till) - oldest.max(from);
        file.n_bytes as f64 * overlap.max(0) as f64 / (newest - oldest) as f64
    };
    files.iter().map(part).sum::<f64>() as u64
}

/// Of the last week, or of the time since the oldest value; `None` if that is less than an hour.
pub(super) fn bytes_per_day(files: &[&FileStats], now: i64) -> Option<u64> {
    let oldest = files.iter().map(|it| it.oldest.clock()).min()?;
    let from = oldest.max(now - LOOK_BACK_DAYS * DAY_S);
    // Values older than a week and none since.
    let seconds = now - from;
    let bytes = u128::from(bytes_between(files, from, now + 1));
    let a_day =
        bytes * u128::from(DAY_S.unsigned_abs()) / u128::from(seconds.unsigned_abs().max(1));
    (HOUR_S <= seconds).then(|| u64::try_from(a_day).unwrap_or(u64::MAX))
}

/// The growth of a class.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Growth {
    /// `None`: not known yet.
    bytes_per_day: Option<u64>,
    /// The days until then; `None`: for ever.
    days: Option<f64>,
}

/// The time that a class's files may hold beyond its period: they are deleted as a whole, and merged ones are
/// this long.
fn span_s(retention: Retention) -> i64 {
    match retention {
        Retention::Nothing | Retention::Day => HOUR_S,
        Retention::Week | Retention::Month => DAY_S,
        Retention::Quarter => 7 * DAY_S,
        Retention::Year | Retention::Forever => 30 * DAY_S,
    }
}

#[expect(clippy::cast_precision_loss, reason = "days")]
pub(super) fn growth(
    files: &[&FileStats],
    retention: Retention,
    expires: bool,
    now: i64,
) -> Growth {
    let age_s = files.iter().map(|it| now - it.oldest.clock()).max().unwrap_or(0);
    let days = retention.days().filter(|_| expires).map(|days| {
        let left_s = i64::from(days) * DAY_S + span_s(retention) - age_s;
        left_s.max(0) as f64 / DAY_S as f64
    });
    Growth { bytes_per_day: bytes_per_day(files, now), days }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Forecast {
    /// There are too few files for a forecast, or history is stored elsewhere.
    Unknown,
    /// Deletion equals growth in the end; until then it grows by this many bytes, for which there is room.
    Steady { bytes: u64 },
    /// After this many days there is no more room.
    Full { days: f64, limit: &'static str },
}

impl Forecast {
    pub(super) fn json(self) -> Value {
        match self {
            Self::Unknown => json!({ "state": "unknown" }),
            Self::Steady { bytes } => json!({ "state": "steady", "growth_bytes": bytes }),
            Self::Full { days, limit } => json!({ "state": "full", "days": days, "limit": limit }),
        }
    }
}

pub(super) fn forecast(growths: &[Growth], figures: &StorageFigures) -> Forecast {
    let used: u64 = figures.files.iter().map(|it| it.n_bytes).sum();
    let of_budget =
        (figures.budget_bytes > 0).then(|| (figures.budget_bytes.saturating_sub(used), "budget"));
    let of_disk = figures.disk.map(|(free, _)| (free, "disk"));
    let room = of_disk.into_iter().chain(of_budget).min_by_key(|it| it.0);
    room.map_or(Forecast::Unknown, |room| within(growths, room))
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "about"
)]
fn within(growths: &[Growth], (room, limit): (u64, &'static str)) -> Forecast {
    let known: Option<Vec<(f64, Option<f64>)>> =
        growths.iter().map(|it| Some((it.bytes_per_day? as f64, it.days))).collect();
    let Some(mut known) = known.filter(|it| !it.is_empty()) else { return Forecast::Unknown };
    // The classes that stop growing first come first.
    let end = |days: Option<f64>| days.unwrap_or(f64::INFINITY);
    known.sort_by(|a, b| end(a.1).total_cmp(&end(b.1)));
    let room = room as f64;
    let (mut at, mut grown) = (0.0, 0.0);
    for place in 0..known.len() {
        let rest = known.get(place..).unwrap_or_default();
        let a_day: f64 = rest.iter().map(|it| it.0).sum();
        let until = rest.first().map_or(f64::INFINITY, |it| end(it.1));
        let by_then = if a_day > 0.0 { grown + a_day * (until - at) } else { grown };
        if room < by_then {
            return Forecast::Full { days: at + (room - grown) / a_day, limit };
        }
        if until.is_infinite() {
            break;
        }
        (at, grown) = (until, by_then);
    }
    Forecast::Steady { bytes: grown as u64 }
}

#[cfg(test)]
mod tests {
    use history::StoredKind;
    use model::Time;

    use super::*;

    const NOW: i64 = 1_795_000_000;

    fn file(retention: Retention, from: i64, till: i64, n_bytes: u64) -> FileStats {
        let (oldest, newest) = (Time::from_clock(from, 0), Time::from_clock(till, 0));
        FileStats { stored: StoredKind::Values, retention, n_bytes, n_values: 1, oldest, newest }
    }

    #[test]
    fn bytes_of_a_file_are_spread_evenly_in_time() {
        let one = file(Retention::Month, 0, 2 * DAY_S - 1, 2_000);
        assert_eq!(bytes_between(&[&one], 0, DAY_S), 1_000);
        assert_eq!(bytes_between(&[&one], DAY_S + DAY_S / 2, 9 * DAY_S), 500);
        assert_eq!(bytes_between(&[&one], 5 * DAY_S, 9 * DAY_S), 0);
        let point = file(Retention::Month, 50, 50, 7);
        assert_eq!(bytes_between(&[&point], 0, 100), 7);
    }

    #[test]
    fn a_day_is_the_mean_of_the_last_week_or_of_what_there_is() {
        let long = file(Retention::Month, NOW - 20 * DAY_S, NOW, 20_000);
        let a_day = bytes_per_day(&[&long], NOW).unwrap();
        assert!((999..=1_001).contains(&a_day), "{a_day}");
        let short = file(Retention::Month, NOW - 6 * HOUR_S, NOW, 500);
        let a_day = bytes_per_day(&[&short], NOW).unwrap();
        assert!((1_999..=2_001).contains(&a_day), "{a_day}");
        let new = file(Retention::Month, NOW - 60, NOW, 500);
        assert_eq!(bytes_per_day(&[&new], NOW), None);
        assert_eq!(bytes_per_day(&[], NOW), None);
    }

    #[test]
    fn a_class_grows_until_it_holds_what_it_keeps() {
        let young = file(Retention::Month, NOW - 10 * DAY_S, NOW, 10_000);
        // A day more: files of a day go as a whole.
        assert_eq!(growth(&[&young], Retention::Month, true, NOW).days, Some(22.0));
        assert_eq!(growth(&[&young], Retention::Month, false, NOW).days, None);
        assert_eq!(growth(&[&young], Retention::Week, true, NOW).days, Some(0.0));
        assert_eq!(growth(&[&young], Retention::Forever, true, NOW).days, None);
    }

    fn check(growths: &[(u64, Option<f64>)], room: u64, expect: Forecast) {
        let growths: Vec<Growth> = growths
            .iter()
            .map(|(n, days)| Growth { bytes_per_day: Some(*n), days: *days })
            .collect();
        assert_eq!(within(&growths, (room, "disk")), expect);
    }

    #[test]
    fn forecast_is_full_or_steady() {
        let full = |days| Forecast::Full { days, limit: "disk" };
        check(&[(100, None)], 1_000, full(10.0));
        check(&[(100, Some(5.0))], 1_000, Forecast::Steady { bytes: 500 });
        check(&[(100, Some(50.0))], 1_000, full(10.0));
        // 5 days of 300, then 100 a day.
        check(&[(100, None), (200, Some(5.0))], 2_000, full(10.0));
        check(&[(0, None), (200, Some(5.0))], 2_000, Forecast::Steady { bytes: 1_000 });
        check(&[(100, Some(0.0))], 0, Forecast::Steady { bytes: 0 });
        check(&[], 1_000, Forecast::Unknown);
        let unknown = Growth { bytes_per_day: None, days: None };
        assert_eq!(within(&[unknown], (1, "disk")), Forecast::Unknown);
    }

    #[test]
    fn the_nearer_of_disk_and_budget_counts() {
        let growths = [Growth { bytes_per_day: Some(10), days: None }];
        let mut figures = StorageFigures {
            files: vec![file(Retention::Forever, 0, 1, 400)],
            disk: Some((1_000, 5_000)),
            budget_bytes: 500,
            ..StorageFigures::default()
        };
        let days = 10.0;
        assert_eq!(forecast(&growths, &figures), Forecast::Full { days, limit: "budget" });
        figures.budget_bytes = 0;
        let days = 100.0;
        assert_eq!(forecast(&growths, &figures), Forecast::Full { days, limit: "disk" });
    }
}
