//! Comparing values of any type.

use std::collections::BTreeSet;

use super::error::FunctionError;
use super::pattern::Matcher;
use super::sample::SampleValue;

pub(super) fn is_match(matcher: &Matcher, value: SampleValue<'_>) -> Result<bool, FunctionError> {
    let result = match value {
        SampleValue::Float(it) => matcher.number(it),
        SampleValue::Unsigned(it) => matcher.uint(it),
        SampleValue::Text(it) => matcher.text(it),
        SampleValue::Log(it) => matcher.text(&it.value),
    };
    result.map_err(FunctionError::Pattern)
}

/// Number of different values; of logs the source counts as well.
pub(super) fn n_unique(values: Vec<SampleValue<'_>>, epsilon: f64) -> u64 {
    let mut floats: Vec<f64> = Vec::new();
    let mut whole: BTreeSet<u64> = BTreeSet::new();
    let mut texts: BTreeSet<(&str, &str)> = BTreeSet::new();
    for value in values {
        match value {
            SampleValue::Float(it) => floats.push(it),
            SampleValue::Unsigned(it) => {
                whole.insert(it);
            }
            SampleValue::Text(it) => {
                texts.insert((it, ""));
            }
            SampleValue::Log(it) => {
                texts.insert((&it.value, &it.source));
            }
        }
    }
    floats.sort_unstable_by(f64::total_cmp);
    floats.dedup_by(|a, b| (*a - *b).abs() <= epsilon);
    (floats.len() + whole.len() + texts.len()) as u64
}
