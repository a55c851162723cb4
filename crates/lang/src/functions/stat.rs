//! Statistics over numbers. `None` where a value is not defined.

use crate::number::u64_to_f64;

fn len(numbers: &[f64]) -> f64 {
    u64_to_f64(numbers.len() as u64)
}

/// Arithmetic mean.
#[must_use]
pub fn mean(numbers: &[f64]) -> Option<f64> {
    if numbers.is_empty() {
        return None;
    }
    let sum: f64 = numbers.iter().sum();
    if sum.is_finite() {
        return Some(sum / len(numbers));
    }
    // The sum left the range: average step by step instead.
    let mut mean = 0.0;
    let mut n = 0.0;
    for it in numbers {
        n += 1.0;
        mean += (it - mean) / n;
    }
    Some(mean)
}

fn central_moment(numbers: &[f64], power: i32) -> Option<f64> {
    let mean = mean(numbers)?;
    Some(numbers.iter().map(|it| (it - mean).powi(power)).sum::<f64>() / len(numbers))
}

/// Sum of the squares.
#[must_use]
pub fn sum_of_squares(numbers: &[f64]) -> f64 {
    numbers.iter().map(|it| it * it).sum()
}

/// Variance of a population.
#[must_use]
pub fn var_pop(numbers: &[f64]) -> Option<f64> {
    central_moment(numbers, 2)
}

/// Variance of a sample.
#[must_use]
pub fn var_samp(numbers: &[f64]) -> Option<f64> {
    if numbers.len() < 2 {
        return None;
    }
    Some(central_moment(numbers, 2)? * len(numbers) / (len(numbers) - 1.0))
}

/// Standard deviation of a population.
#[must_use]
pub fn stddev_pop(numbers: &[f64]) -> Option<f64> {
    var_pop(numbers).map(f64::sqrt)
}

/// Standard deviation of a sample.
#[must_use]
pub fn stddev_samp(numbers: &[f64]) -> Option<f64> {
    var_samp(numbers).map(f64::sqrt)
}

/// "Tailedness" of a population.
#[must_use]
pub fn kurtosis(numbers: &[f64]) -> Option<f64> {
    let variance = var_pop(numbers).filter(|it| *it != 0.0)?;
    Some(central_moment(numbers, 4)? / (variance * variance))
}

/// Asymmetry of a population.
#[must_use]
pub fn skewness(numbers: &[f64]) -> Option<f64> {
    let deviation = stddev_pop(numbers).filter(|it| *it != 0.0)?;
    Some(central_moment(numbers, 3)? / deviation.powi(3))
}

/// Median.
#[must_use]
pub fn median(numbers: &mut [f64]) -> Option<f64> {
    if numbers.is_empty() {
        return None;
    }
    numbers.sort_unstable_by(f64::total_cmp);
    let half = numbers.len() / 2;
    Some(if numbers.len().is_multiple_of(2) {
        f64::midpoint(numbers[half - 1], numbers[half])
    } else {
        numbers[half]
    })
}

/// Median absolute deviation.
#[must_use]
pub fn mad(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    let median_value = median(&mut sorted)?;
    let mut deviations: Vec<f64> = numbers.iter().map(|it| (it - median_value).abs()).collect();
    median(&mut deviations)
}

/// The smallest number that `percentage` percent of all are not above; sorts `numbers`.
#[must_use]
pub fn percentile(numbers: &mut [f64], percentage: f64) -> Option<f64> {
    if numbers.is_empty() {
        return None;
    }
    numbers.sort_unstable_by(f64::total_cmp);
    let rank = crate::number::f64_to_u64((len(numbers) * percentage / 100.0).ceil())?;
    let idx = usize::try_from(rank).ok()?.max(1) - 1;
    numbers.get(idx.min(numbers.len() - 1)).copied()
}
