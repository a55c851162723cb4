//! Seasonal-trend decomposition by loess (Cleveland and others, 1990), as `trendstl` uses it.
//!
//! A series is decomposed into a seasonal part that repeats with a known period, a smooth trend, and the
//! remainder; outliers of the remainder are anomalies. Not the robust variant: each value has the same
//! weight.

use super::stat;

/// Passes of the loop that separates season and trend.
const INNER: usize = 2;
/// Smoothers are calculated at each (window / this)-th value; those between are interpolated.
const JUMPS: usize = 10;

/// The parts of a series; each as long as the series, and their sum is the series.
#[derive(Debug, Clone, PartialEq)]
pub struct StlParts {
    /// The part that repeats.
    pub seasonal: Vec<f64>,
    /// The smooth part.
    pub trend: Vec<f64>,
    /// The rest: the value without season and trend.
    pub remainder: Vec<f64>,
}

/// The measure of how far the values of a remainder differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deviation {
    /// Median absolute deviation.
    Mad,
    /// Standard deviation of a population.
    StddevPop,
    /// Standard deviation of a sample.
    StddevSamp,
}

impl Deviation {
    /// Parses `mad`, `stddevpop`, `stddevsamp`; empty is `mad`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "" | "mad" => Self::Mad,
            "stddevpop" => Self::StddevPop,
            "stddevsamp" => Self::StddevSamp,
            _ => return None,
        })
    }

    fn of(self, values: &[f64]) -> Option<f64> {
        match self {
            Self::Mad => stat::mad(values),
            Self::StddevPop => stat::stddev_pop(values),
            Self::StddevSamp => stat::stddev_samp(values),
        }
    }
}

/// Decomposes a series, oldest value first. `season`: values of one period; `s_window`: how many
/// periods the seasonal smoother looks at. `None` if there are not more than two periods.
#[must_use]
pub fn decompose(series: &[f64], season: usize, s_window: usize) -> Option<StlParts> {
    // Zabbix begins at the newest value; where estimates are interpolated that makes a difference.
    let newest_first: Vec<f64> = series.iter().rev().copied().collect();
    let mut parts = decompose_forward(&newest_first, season, s_window)?;
    for part in [&mut parts.seasonal, &mut parts.trend, &mut parts.remainder] {
        part.reverse();
    }
    Some(parts)
}

fn decompose_forward(series: &[f64], season: usize, s_window: usize) -> Option<StlParts> {
    let n = series.len();
    if season < 2 || n <= season.checked_mul(2)? {
        return None;
    }
    let seasonal_window = odd(s_window.max(3));
    let low_window = odd(season);
    let seasonal_smoother = Loess { window: seasonal_window, degree: 0 };
    let low_smoother = Loess { window: low_window, degree: 1 };
    let trend_smoother = Loess { window: trend_window(season, seasonal_window), degree: 1 };

    let mut trend = vec![0.0; n];
    let mut seasonal = vec![0.0; n];
    for _ in 0..INNER {
        let detrended: Vec<f64> = series.iter().zip(&trend).map(|(y, t)| y - t).collect();
        let cycle = cycles(&detrended, season, seasonal_smoother);
        let low = low_smoother.smooth(&low_pass(&cycle, season));
        for (idx, it) in seasonal.iter_mut().enumerate() {
            *it = cycle[season + idx] - low[idx];
        }
        let adjusted: Vec<f64> = series.iter().zip(&seasonal).map(|(y, s)| y - s).collect();
        trend = trend_smoother.smooth(&adjusted);
    }
    let rest = series.iter().zip(seasonal.iter().zip(&trend)).map(|(y, (s, t))| y - s - t);
    Some(StlParts { remainder: rest.collect(), seasonal, trend })
}

/// The share of anomalies among the last `n_detect` values of a remainder: those farther from 0 than
/// `deviations` times the deviation of the whole. `None` without values.
#[must_use]
pub fn deviation_share(
    remainder: &[f64],
    n_detect: usize,
    deviations: f64,
    kind: Deviation,
) -> Option<f64> {
    let limit = kind.of(remainder)? * deviations;
    let detect = remainder.get(remainder.len().saturating_sub(n_detect)..)?;
    if detect.is_empty() {
        return None;
    }
    let count = |it: usize| formats::number::u64_to_f64(it as u64);
    let found = detect.iter().filter(|it| it.abs() > limit).count();
    Some(count(found) / count(detect.len()))
}

fn odd(window: usize) -> usize {
    window | 1
}

/// The least odd window that keeps the season out of the trend.
fn trend_window(season: usize, seasonal_window: usize) -> usize {
    let count = |it: usize| formats::number::u64_to_f64(it as u64);
    let least = (1.5 * count(season) / (1.0 - 1.5 / count(seasonal_window))).ceil();
    let least = formats::number::f64_to_u64(least).and_then(|it| usize::try_from(it).ok());
    odd(least.unwrap_or(season).max(3))
}

/// Smooths each subseries (all first values of the periods, all second ones, …) and extends it by one
/// period at both ends.
fn cycles(series: &[f64], season: usize, smoother: Loess) -> Vec<f64> {
    let mut out = vec![0.0; series.len() + 2 * season];
    for phase in 0..season {
        let part: Vec<f64> = series.iter().skip(phase).step_by(season).copied().collect();
        let smooth = smoother.smooth(&part);
        let n = part.len();
        let window = smoother.window;
        let before = smoother.at(&part, 0, (1, window.min(n))).unwrap_or(smooth[0]);
        let last = (n.saturating_sub(window) + 1).max(1);
        let after = smoother.at(&part, n + 1, (last, n)).unwrap_or(smooth[n - 1]);
        let whole = std::iter::once(before).chain(smooth).chain(std::iter::once(after));
        for (idx, it) in whole.enumerate() {
            out[idx * season + phase] = it;
        }
    }
    out
}

/// Moving averages over a period twice, then over three values.
fn low_pass(cycle: &[f64], season: usize) -> Vec<f64> {
    moving_average(&moving_average(&moving_average(cycle, season), season), 3)
}

fn moving_average(values: &[f64], length: usize) -> Vec<f64> {
    let n = formats::number::u64_to_f64(length as u64);
    let mut sum: f64 = values[..length].iter().sum();
    let mut out = vec![sum / n];
    for idx in length..values.len() {
        sum += values[idx] - values[idx - length];
        out.push(sum / n);
    }
    out
}

/// A local regression.
#[derive(Debug, Clone, Copy)]
struct Loess {
    /// The number of values of one estimate.
    window: usize,
    /// 0: local mean, 1: local line.
    degree: u8,
}

impl Loess {
    /// The smoothed series: estimated at some positions, interpolated between them.
    fn smooth(self, y: &[f64]) -> Vec<f64> {
        let n = y.len();
        let mut out = y.to_vec();
        if n < 2 {
            return out;
        }
        let jump = self.window.div_ceil(JUMPS).min(n - 1);
        let mut known: Vec<usize> = (1..=n).step_by(jump).collect();
        if known.last() != Some(&n) {
            known.push(n);
        }
        for &x in &known {
            if let Some(it) = self.at(y, x, self.neighbors(x, n)) {
                out[x - 1] = it;
            }
        }
        for pair in known.windows(2) {
            let (left, right) = (pair[0] - 1, pair[1] - 1);
            let count = |it: usize| formats::number::u64_to_f64(it as u64);
            let step = (out[right] - out[left]) / count(right - left);
            for idx in left + 1..right {
                out[idx] = out[left] + step * count(idx - left);
            }
        }
        out
    }

    /// First and last position of the values of the estimate at `x`.
    fn neighbors(self, x: usize, n: usize) -> (usize, usize) {
        if self.window >= n {
            return (1, n);
        }
        let half = self.window.div_ceil(2);
        let left = x.saturating_sub(half).min(n - self.window) + 1;
        (left, left + self.window - 1)
    }

    /// The estimate at position `x` (from 1; one beyond either end as well) from the values at
    /// `left..=right`; `None` if none of them is near.
    fn at(self, y: &[f64], x: usize, (left, right): (usize, usize)) -> Option<f64> {
        let count = |it: usize| formats::number::u64_to_f64(it as u64);
        let mut reach = count(x.abs_diff(left).max(x.abs_diff(right)));
        if self.window > y.len() {
            reach += count((self.window - y.len()) / 2);
        }
        let weight = |at: usize| {
            let distance = count(at.abs_diff(x));
            if distance > 0.999 * reach {
                0.0
            } else if distance <= 0.001 * reach {
                1.0
            } else {
                (1.0 - (distance / reach).powi(3)).powi(3)
            }
        };
        let mut weights: Vec<f64> = (left..=right).map(weight).collect();
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return None;
        }
        for it in &mut weights {
            *it /= total;
        }
        if reach > 0.0 && self.degree > 0 {
            tilt(&mut weights, left, x, count(y.len() - 1));
        }
        Some(weights.iter().zip(y.get(left - 1..right)?).map(|(w, y)| w * y).sum())
    }
}

/// Turns the weights of a local mean into those of a local line.
fn tilt(weights: &mut [f64], left: usize, x: usize, range: f64) {
    let position = |idx: usize| formats::number::u64_to_f64((left + idx) as u64);
    let mean: f64 = weights.iter().enumerate().map(|(idx, w)| w * position(idx)).sum();
    let spread: f64 =
        weights.iter().enumerate().map(|(idx, w)| w * (position(idx) - mean).powi(2)).sum();
    if spread.sqrt() <= 0.001 * range {
        return;
    }
    let slope = (formats::number::u64_to_f64(x as u64) - mean) / spread;
    for (idx, w) in weights.iter_mut().enumerate() {
        *w *= slope * (position(idx) - mean) + 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pure_season_on_a_line_leaves_nothing() {
        let series: Vec<f64> =
            (0..96_u8).map(|it| f64::from(it) * 0.5 + f64::from(it % 24 / 12) * 10.0).collect();
        let parts = decompose(&series, 24, 10 * 96 + 1).unwrap();
        let worst = parts.remainder.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
        assert!(worst < 1.5, "{worst} of an amplitude of 10");
        for (idx, it) in series.iter().enumerate() {
            let sum = parts.seasonal[idx] + parts.trend[idx] + parts.remainder[idx];
            assert!((sum - it).abs() < 1e-9);
        }
    }

    #[test]
    fn two_periods_are_too_few() {
        assert_eq!(decompose(&[1.0; 48], 24, 7), None);
        assert!(decompose(&[1.0; 49], 24, 7).is_some());
        assert_eq!(decompose(&[1.0; 49], 1, 7), None);
    }

    #[test]
    fn the_share_counts_outliers() {
        let rest = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(deviation_share(&rest, 5, 2.1, Deviation::Mad), Some(0.6));
        assert_eq!(deviation_share(&rest, 1, 9.0, Deviation::StddevPop), Some(0.0));
        assert_eq!(deviation_share(&[], 1, 9.0, Deviation::Mad), None);
    }
}
