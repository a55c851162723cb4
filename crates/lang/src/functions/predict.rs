//! `forecast` and `timeleft`: extrapolation of a curve through the values.

use model::Time;

use super::error::{FunctionError, ParamError};
use super::fit::{Curve, Fit};
use super::sample::Sample;
use crate::expression::Value;
use formats::number;

/// The answer where there is no forecast.
const NO_ANSWER: f64 = -1.0;
/// Never, and any time that is larger than a number can be.
const NEVER: f64 = f64::MAX;

/// The answer of `forecast` about the time up to its horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Value,
    Max,
    Min,
    Delta,
    Avg,
}

/// Parameters of a prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Prediction {
    Forecast { horizon_s: i64, fit: Fit, mode: Mode },
    TimeLeft { threshold: f64, fit: Fit },
}

impl Prediction {
    /// Parses the parameters after the period.
    pub(super) fn parse(function: &str, rest: &[String]) -> Result<Self, ParamError> {
        let param = |idx: usize| rest.get(idx).map_or("", String::as_str);
        let invalid = |position| ParamError::Invalid { position };
        let fit = Fit::parse(param(1)).ok_or(invalid(3))?;
        if function == "timeleft" {
            let threshold = number::parse_suffixed(param(0)).ok_or(invalid(2))?;
            return Ok(Self::TimeLeft { threshold, fit });
        }
        let horizon_s = number::parse_signed_duration_s(param(0)).ok_or(invalid(2))?;
        let mode = match param(2) {
            "" | "value" => Mode::Value,
            "max" => Mode::Max,
            "min" => Mode::Min,
            "delta" => Mode::Delta,
            "avg" => Mode::Avg,
            _ => return Err(invalid(4)),
        };
        Ok(Self::Forecast { horizon_s, fit, mode })
    }

    /// The answer at `now` from the values of the window. Values without a fit give -1.
    pub(super) fn eval(&self, known: &[Sample<'_>], now: Time) -> Result<Value, FunctionError> {
        let numbers = super::numeric::numbers(known)?;
        let Some(first) = known.first() else { return Ok(Value::Number(NO_ANSWER)) };
        // A moment before the oldest value: its logarithm exists.
        let since = |it: Time| number::i64_to_f64(it.since_ns(first.time).saturating_add(1)) / 1e9;
        let points: Vec<(f64, f64)> =
            known.iter().zip(numbers).map(|(it, x)| (since(it.time), x)).collect();
        let now = since(now);
        let found = match *self {
            Self::Forecast { horizon_s, fit, mode } => {
                forecast(&points, fit, mode, (now, number::i64_to_f64(horizon_s)))
            }
            Self::TimeLeft { threshold, fit } => time_left(&points, fit, threshold, now),
        };
        let found = found.filter(|it| !it.is_nan()).unwrap_or(NO_ANSWER);
        Ok(Value::Number(found.clamp(-NEVER, NEVER)))
    }
}

fn forecast(
    points: &[(f64, f64)],
    fit: Fit,
    mode: Mode,
    (now, horizon): (f64, f64),
) -> Option<f64> {
    if let [(_, only)] = points {
        return Some(if mode == Mode::Delta { 0.0 } else { *only });
    }
    // As Zabbix, which fits a lower degree to so few values for `timeleft` only.
    if matches!(fit, Fit::Polynomial(degree) if points.len() <= degree) {
        return None;
    }
    let curve = Curve::fit(points, fit)?;
    let end = now + horizon;
    Some(match mode {
        Mode::Value => curve.at(end),
        Mode::Max => curve.range(now, end).1,
        Mode::Min => curve.range(now, end).0,
        Mode::Delta => {
            let (low, high) = curve.range(now, end);
            high - low
        }
        Mode::Avg => curve.mean(now, end),
    })
}

fn time_left(points: &[(f64, f64)], fit: Fit, threshold: f64, now: f64) -> Option<f64> {
    if let [(_, only)] = points {
        return Some(if number::same(*only, threshold) { 0.0 } else { NEVER });
    }
    let curve = Curve::fit(points, fit)?;
    if curve.at(now).is_nan() {
        return None;
    }
    Some(curve.reaches(threshold, now).map_or(NEVER, |it| it - now))
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleValue;
    use super::*;

    #[test]
    fn a_forecast_needs_more_values_than_its_polynomial_has_degrees() {
        let at = |it: i64| Time::from_clock(it, 0);
        let of = |function: &str, parameters: &[&str], n: usize| {
            let parameters: Vec<String> = parameters.iter().map(|it| (*it).to_owned()).collect();
            let known = [(10, 5.0), (20, 20.0), (30, 35.0)];
            let known = known.map(|it| Sample { time: at(it.0), value: SampleValue::Float(it.1) });
            let newest = at(i64::try_from(n).expect("few") * 10);
            let prediction = Prediction::parse(function, &parameters).expect("good parameters");
            let Ok(Value::Number(it)) = prediction.eval(&known[..n], newest) else { panic!() };
            format!("{it:.3}")
        };
        for mode in ["value", "max", "min", "avg", "delta"] {
            assert_eq!(of("forecast", &["10s", "polynomial2", mode], 2), "-1.000", "{mode}");
            assert_eq!(of("forecast", &["10s", "polynomial3", mode], 3), "-1.000", "{mode}");
        }
        assert_eq!(of("forecast", &["10s", "polynomial2", "value"], 3), "50.000");
        assert_eq!(of("forecast", &["10s", "polynomial1", "value"], 2), "35.000");
        assert_eq!(of("forecast", &["10s", "polynomial2", "value"], 1), "5.000");
        // The degree is lowered here.
        assert_eq!(of("timeleft", &["50", "polynomial2"], 2), "20.000");
    }
}
