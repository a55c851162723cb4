//! Quantiles of histograms given as cumulative buckets, as Prometheus calculates them.

use super::super::value::{Env, Val, Value};
use super::args::{exactly, number_of, wrong_number};

type Answer<'v> = Result<Val<'v>, String>;

/// A bucket: upper bound, and how many observations are at or below it.
type Bucket = (f64, f64);

/// `histogram_quantile(q, bound, count, …)` or `histogram_quantile(q, vector)`.
pub(super) fn quantile<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let Some((first, rest)) = args.split_first() else { return Err(wrong_number()) };
    let quantile = number_of(first)?;
    evaluate(quantile, &buckets(rest)?).map(Val::Number)
}

/// `bucket_percentile(vector, percentage)`.
pub(super) fn percentile<'v>(
    _name: &'static str,
    args: Vec<Val<'v>>,
    _env: &Env<'_>,
) -> Answer<'v> {
    let [values, percentage] = exactly::<2>(args)?;
    let percentage = number_of(&percentage)?;
    evaluate(percentage / 100.0, &buckets(&[values])?).map(Val::Number)
}

/// The quantile (0 to 1) of a vector of bounds and rates: bound, rate, bound, rate, …
///
/// # Errors
/// A sentence about what does not fit.
pub(crate) fn bucket_quantile(quantile: f64, values: &[Value]) -> Result<f64, String> {
    evaluate(quantile, &buckets(&[Val::Vector(values)])?)
}

fn buckets(args: &[Val<'_>]) -> Result<Vec<Bucket>, String> {
    if let [Val::Vector(values)] = args {
        let values: Vec<Val<'_>> = values.iter().map(|it: &Value| Val::from(it)).collect();
        return pairs(&values);
    }
    pairs(args)
}

fn pairs(values: &[Val<'_>]) -> Result<Vec<Bucket>, String> {
    if values.is_empty() || !values.len().is_multiple_of(2) {
        return Err(wrong_number());
    }
    let mut buckets: Vec<Bucket> = Vec::with_capacity(values.len() / 2);
    for pair in values.chunks_exact(2) {
        buckets.push((bound(&pair[0])?, number_of(&pair[1])?));
    }
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(buckets)
}

fn bound(value: &Val<'_>) -> Result<f64, String> {
    match value {
        Val::Text(it) if it.eq_ignore_ascii_case("+inf") || it.eq_ignore_ascii_case("inf") => {
            Ok(f64::INFINITY)
        }
        value => number_of(value),
    }
}

fn evaluate(quantile: f64, buckets: &[Bucket]) -> Result<f64, String> {
    if !(0.0..=1.0).contains(&quantile) {
        return Err("invalid value of quantile for function".to_owned());
    }
    if buckets.len() < 2 || buckets.last().is_none_or(|it| it.0.is_finite()) {
        return Err("invalid last infinity rate buckets".to_owned());
    }
    let merged = merge(buckets);
    let total = merged.last().map_or(0.0, |it| it.1);
    if total <= 0.0 || merged.len() < 2 {
        return Ok(-1.0);
    }
    let rank = quantile * total;
    let last = merged.len() - 1;
    let idx = merged[..last].iter().position(|it| it.1 >= rank).unwrap_or(last);
    if idx == last {
        return Ok(merged[last - 1].0);
    }
    let (upper, count) = merged[idx];
    if idx == 0 && upper <= 0.0 {
        return Ok(upper);
    }
    let (lower, below) = if idx == 0 { (0.0, 0.0) } else { merged[idx - 1] };
    let inside = count - below;
    let share = if inside > 0.0 { (rank - below) / inside } else { 0.0 };
    Ok(lower + (upper - lower) * share)
}

/// Adds up equal bounds and lets counts never fall, as a scrape in the middle of an update may give.
fn merge(buckets: &[Bucket]) -> Vec<Bucket> {
    let mut merged: Vec<Bucket> = Vec::with_capacity(buckets.len());
    for &(bound, count) in buckets {
        match merged.last_mut() {
            Some(last) if last.0.total_cmp(&bound).is_eq() => last.1 += count,
            _ => merged.push((bound, count)),
        }
    }
    let mut highest = f64::MIN;
    for bucket in &mut merged {
        highest = highest.max(bucket.1);
        bucket.1 = highest;
    }
    merged
}
