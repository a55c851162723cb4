//! Statistics over numbers. `None` where a value is not defined.

use formats::number::u64_to_f64;

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

/// Median; moves the numbers.
#[must_use]
pub fn median(numbers: &mut [f64]) -> Option<f64> {
    if numbers.is_empty() {
        return None;
    }
    let half = numbers.len() / 2;
    let is_even = numbers.len().is_multiple_of(2);
    let (lower, middle, _) = numbers.select_nth_unstable_by(half, f64::total_cmp);
    let middle = *middle;
    let below = lower.iter().copied().max_by(f64::total_cmp).filter(|_| is_even);
    Some(below.map_or(middle, |it| f64::midpoint(it, middle)))
}

/// Median absolute deviation.
#[must_use]
pub fn mad(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    let median_value = median(&mut sorted)?;
    let mut deviations: Vec<f64> = numbers.iter().map(|it| (it - median_value).abs()).collect();
    median(&mut deviations)
}

/// The smallest number that `percentage` percent of all are not above; moves the numbers.
#[must_use]
pub fn percentile(numbers: &mut [f64], percentage: f64) -> Option<f64> {
    if numbers.is_empty() {
        return None;
    }
    let rank = formats::number::f64_to_u64((len(numbers) * (percentage / 100.0)).ceil())?;
    let idx = usize::try_from(rank).ok()?.max(1) - 1;
    let last = numbers.len() - 1;
    Some(*numbers.select_nth_unstable_by(idx.min(last), f64::total_cmp).1)
}
