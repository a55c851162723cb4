//! Curves through values by least squares, for `forecast` and `timeleft`.
//!
//! Times are seconds after a moment just before the oldest value, so that their logarithms exist.

/// Highest degree of a polynomial.
pub const DEGREE_MAX: usize = 6;
/// Coefficients smaller than this share of the largest are noise of the calculation.
const NOISE: f64 = 1e-12;
/// Halvings after which an interval between two floating point numbers can't get smaller.
const HALVINGS_MAX: usize = 2_100;

/// Which curve is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// `x = a0 + a1 t + … + ak t^k`; degree 1 is the straight line.
    Polynomial(usize),
    /// `x = a exp(b t)`
    Exponential,
    /// `x = a + b ln t`
    Logarithmic,
    /// `x = a t^b`
    Power,
}

impl Fit {
    /// Parses `linear`, `polynomial3`, `exponential`, `logarithmic`, `power`; empty is `linear`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "" | "linear" => Self::Polynomial(1),
            "exponential" => Self::Exponential,
            "logarithmic" => Self::Logarithmic,
            "power" => Self::Power,
            _ => {
                let degree: usize = text.strip_prefix("polynomial")?.parse().ok()?;
                let is_plain = text.len() == "polynomial".len() + 1;
                if !is_plain || !(1..=DEGREE_MAX).contains(&degree) {
                    return None;
                }
                Self::Polynomial(degree)
            }
        })
    }
}

/// A fitted curve.
#[derive(Debug, Clone, PartialEq)]
pub enum Curve {
    /// A polynomial of `(t - center) / scale`, lowest coefficient first.
    Polynomial {
        /// Middle of the times.
        center: f64,
        /// Half of their range.
        scale: f64,
        /// Coefficients.
        coefficients: Vec<f64>,
    },
    /// `exp(a + b t)`
    Exponential {
        /// Logarithm of the value at 0.
        a: f64,
        /// Growth.
        b: f64,
    },
    /// `a + b ln t`
    Logarithmic {
        /// Value at 1.
        a: f64,
        /// Growth.
        b: f64,
    },
    /// `exp(a + b ln t)`
    Power {
        /// Logarithm of the value at 1.
        a: f64,
        /// Exponent.
        b: f64,
    },
}

impl Curve {
    /// Fits a curve to points `(t, x)`; `None` if there is none: a logarithm of a number that is not
    /// positive, or all times equal.
    #[must_use]
    pub fn fit(points: &[(f64, f64)], fit: Fit) -> Option<Self> {
        let log = |it: f64| (it > 0.0).then(|| it.ln());
        Some(match fit {
            Fit::Polynomial(degree) => polynomial(points, degree)?,
            Fit::Exponential => {
                let (a, b) = line(points.iter().map(|it| Some((it.0, log(it.1)?))))?;
                Self::Exponential { a, b }
            }
            Fit::Logarithmic => {
                let (a, b) = line(points.iter().map(|it| Some((log(it.0)?, it.1))))?;
                Self::Logarithmic { a, b }
            }
            Fit::Power => {
                let (a, b) = line(points.iter().map(|it| Some((log(it.0)?, log(it.1)?))))?;
                Self::Power { a, b }
            }
        })
    }

    /// Its value at `t`; NaN where it has none.
    #[must_use]
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Self::Polynomial { center, scale, coefficients } => {
                evaluate(coefficients, (t - center) / scale)
            }
            Self::Exponential { a, b } => (a + b * t).exp(),
            Self::Logarithmic { a, b } => a + b * t.ln(),
            Self::Power { a, b } => (a + b * t.ln()).exp(),
        }
    }

    /// Its least and greatest value between `from` and `to`.
    #[must_use]
    pub fn range(&self, from: f64, to: f64) -> (f64, f64) {
        let mut times = vec![from, to];
        if let Self::Polynomial { center, scale, coefficients } = self {
            let (low, high) = ((from.min(to) - center) / scale, (from.max(to) - center) / scale);
            let turns = roots(&derivative(coefficients), low, high);
            times.extend(turns.into_iter().map(|it| it * scale + center));
        }
        let values = times.into_iter().map(|it| self.at(it));
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
            // NaN has to come through: `min` and `max` would drop it.
            if it.is_nan() { (it, it) } else { (low.min(it), high.max(it)) }
        })
    }

    /// Its mean between `from` and `to`.
    #[must_use]
    pub fn mean(&self, from: f64, to: f64) -> f64 {
        let length = to - from;
        if length == 0.0 {
            return self.at(from);
        }
        match self {
            Self::Polynomial { center, scale, coefficients } => {
                let (from, to) = ((from - center) / scale, (to - center) / scale);
                let whole = integral(coefficients);
                (evaluate(&whole, to) - evaluate(&whole, from)) / (to - from)
            }
            Self::Exponential { b: 0.0, .. } => self.at(from),
            Self::Exponential { b, .. } => (self.at(to) - self.at(from)) / b / length,
            Self::Logarithmic { a, b } => {
                a + b * (to * (to.ln() - 1.0) - from * (from.ln() - 1.0)) / length
            }
            Self::Power { a, b: -1.0 } => a.exp() * (to / from).ln() / length,
            Self::Power { a, b } => {
                let rise = b + 1.0;
                a.exp() * (to.powf(rise) - from.powf(rise)) / rise / length
            }
        }
    }

    /// The first time not before `now` at which it has `value`.
    #[must_use]
    pub fn reaches(&self, value: f64, now: f64) -> Option<f64> {
        let present = self.at(now);
        let noise = NOISE * present.abs().max(value.abs());
        if (present - value).abs() <= noise.max(formats::number::EPSILON) {
            return Some(now);
        }
        let time = match self {
            Self::Polynomial { center, scale, coefficients } => {
                let mut shifted = coefficients.clone();
                *shifted.first_mut()? -= value;
                let low = (now - center) / scale;
                let first = roots(&shifted, low, low.abs() + bound(&shifted)).into_iter().next()?;
                first * scale + center
            }
            Self::Exponential { a, b } => (value.ln() - a) / b,
            Self::Logarithmic { a, b } => ((value - a) / b).exp(),
            Self::Power { a, b } => ((value.ln() - a) / b).exp(),
        };
        (time.is_finite() && time >= now).then_some(time)
    }
}

/// Intercept and slope of the straight line through points.
fn line(points: impl Iterator<Item = Option<(f64, f64)>>) -> Option<(f64, f64)> {
    let points: Vec<(f64, f64)> = points.collect::<Option<_>>()?;
    let n = formats::number::u64_to_f64(points.len() as u64);
    let mean_t = points.iter().map(|it| it.0).sum::<f64>() / n;
    let mean_x = points.iter().map(|it| it.1).sum::<f64>() / n;
    let spread: f64 = points.iter().map(|it| (it.0 - mean_t).powi(2)).sum();
    if spread == 0.0 || !spread.is_finite() {
        return None;
    }
    let joint: f64 = points.iter().map(|it| (it.0 - mean_t) * (it.1 - mean_x)).sum();
    let slope = joint / spread;
    Some((mean_x - slope * mean_t, slope))
}

/// Fits by polynomials that are orthogonal over the times (Forsythe), which stays exact where powers
/// of large times would not. The degree is at most the number of points less one.
fn polynomial(points: &[(f64, f64)], degree: usize) -> Option<Curve> {
    let degree = degree.min(points.len().checked_sub(1)?);
    let first = points.iter().map(|it| it.0).fold(f64::INFINITY, f64::min);
    let last = points.iter().map(|it| it.0).fold(f64::NEG_INFINITY, f64::max);
    let (center, scale) = (f64::midpoint(first, last), (last - first) / 2.0);
    if degree > 0 && !(scale > 0.0 && scale.is_finite()) {
        return None;
    }
    let scale = if degree == 0 { 1.0 } else { scale };
    let times: Vec<f64> = points.iter().map(|it| (it.0 - center) / scale).collect();
    let mut coefficients = vec![0.0; degree + 1];
    // Values of the present and the previous polynomial at the times, and their coefficients.
    let (mut now, mut before) = (vec![1.0; times.len()], vec![0.0; times.len()]);
    let (mut p_now, mut p_before) = (vec![1.0], vec![0.0]);
    let mut norm_before = 1.0;
    for step in 0..=degree {
        let norm: f64 = now.iter().map(|it| it * it).sum();
        if norm <= NOISE * NOISE {
            return None;
        }
        let share = points.iter().zip(&now).map(|(point, p)| point.1 * p).sum::<f64>() / norm;
        for (sum, it) in coefficients.iter_mut().zip(&p_now) {
            *sum += share * it;
        }
        let a = times.iter().zip(&now).map(|(t, p)| t * p * p).sum::<f64>() / norm;
        let b = if step == 0 { 0.0 } else { norm / norm_before };
        let next = times.iter().zip(now.iter().zip(&before)).map(|(t, (p, q))| (t - a) * p - b * q);
        before = next.collect();
        std::mem::swap(&mut now, &mut before);
        let mut p_next = vec![0.0; p_now.len() + 1];
        for (idx, it) in p_now.iter().enumerate() {
            p_next[idx + 1] += it;
            p_next[idx] -= a * it;
        }
        for (idx, it) in p_before.iter().enumerate() {
            p_next[idx] -= b * it;
        }
        p_before = std::mem::replace(&mut p_now, p_next);
        norm_before = norm;
    }
    let largest = coefficients.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
    for it in &mut coefficients {
        if it.abs() <= largest * NOISE {
            *it = 0.0;
        }
    }
    Some(Curve::Polynomial { center, scale, coefficients })
}

fn evaluate(coefficients: &[f64], t: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, it| sum * t + it)
}

fn power_of(idx: usize) -> f64 {
    formats::number::u64_to_f64(idx as u64)
}

fn derivative(coefficients: &[f64]) -> Vec<f64> {
    coefficients.iter().enumerate().skip(1).map(|(idx, it)| it * power_of(idx)).collect()
}

fn integral(coefficients: &[f64]) -> Vec<f64> {
    let terms = coefficients.iter().enumerate().map(|(idx, it)| it / power_of(idx + 1));
    std::iter::once(0.0).chain(terms).collect()
}

/// No root lies farther from 0 than this (Cauchy).
fn bound(coefficients: &[f64]) -> f64 {
    let Some(top) = coefficients.iter().rposition(|it| *it != 0.0) else { return 1.0 };
    let lead = coefficients[top].abs();
    1.0 + coefficients[..top].iter().fold(0.0_f64, |most, it| most.max(it.abs() / lead))
}

/// The real roots between `low` and `high`, ascending. Between two turning points there is at most
/// one, so that halving finds it; the turning points are the roots of the derivative.
fn roots(coefficients: &[f64], low: f64, high: f64) -> Vec<f64> {
    let Some(degree) = coefficients.iter().rposition(|it| *it != 0.0) else { return Vec::new() };
    let coefficients = &coefficients[..=degree];
    if degree == 0 {
        return Vec::new();
    }
    if degree == 1 {
        let root = -coefficients[0] / coefficients[1];
        return if (low..=high).contains(&root) { vec![root] } else { Vec::new() };
    }
    let mut marks = vec![low];
    marks.extend(roots(&derivative(coefficients), low, high));
    marks.push(high);
    let mut found: Vec<f64> = Vec::new();
    for pair in marks.windows(2) {
        let (left, right) = (evaluate(coefficients, pair[0]), evaluate(coefficients, pair[1]));
        let root = if left == 0.0 {
            pair[0]
        } else if right == 0.0 {
            pair[1]
        } else if (left < 0.0) != (right < 0.0) {
            halve(coefficients, (pair[0], pair[1]), left < 0.0)
        } else {
            continue;
        };
        if found.last() != Some(&root) {
            found.push(root);
        }
    }
    found
}

fn halve(coefficients: &[f64], (mut low, mut high): (f64, f64), rises: bool) -> f64 {
    for _ in 0..HALVINGS_MAX {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if (evaluate(coefficients, middle) < 0.0) == rises {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(of: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (0..10_u8).map(|it| f64::from(it) * 60.0 + 1.0).map(|t| (t, of(t))).collect()
    }

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() <= wanted.abs() * 1e-9 + 1e-9, "{found} for {wanted}");
    }

    #[test]
    fn a_curve_of_its_kind_is_found_again() {
        let cubic = |t: f64| 3.0 - t + 0.01 * t * t - 1e-5 * t * t * t;
        let curve = Curve::fit(&points(cubic), Fit::Polynomial(3)).unwrap();
        near(curve.at(2_000.0), cubic(2_000.0));
        let curve = Curve::fit(&points(|t| 2.0 * (0.001 * t).exp()), Fit::Exponential).unwrap();
        near(curve.reaches(20.0, 600.0).unwrap(), 10_f64.ln() * 1_000.0);
        let curve = Curve::fit(&points(|t| 5.0 + 2.0 * t.ln()), Fit::Logarithmic).unwrap();
        near(curve.mean(10.0, 10.0), 5.0 + 2.0 * 10_f64.ln());
        let curve = Curve::fit(&points(|t| 4.0 / t), Fit::Power).unwrap();
        near(curve.mean(1.0, std::f64::consts::E), 4.0 / (std::f64::consts::E - 1.0));
    }

    #[test]
    fn polynomials_turn_between_their_ends() {
        let parabola = |t: f64| (t - 800.0) * (t - 900.0);
        let curve = Curve::fit(&points(parabola), Fit::Polynomial(2)).unwrap();
        let (low, high) = curve.range(700.0, 1_000.0);
        assert!((low + 2_500.0).abs() < 1e-3 && (high - 20_000.0).abs() < 1e-3, "{low} {high}");
        near(curve.reaches(0.0, 700.0).unwrap(), 800.0);
        near(curve.reaches(0.0, 850.0).unwrap(), 900.0);
        assert_eq!(curve.reaches(-5_000.0, 700.0), None);
    }

    #[test]
    fn a_threshold_reached_now_is_not_missed_by_rounding() {
        let curve = Curve::fit(&points(|t| 1.0 + t / 7.0), Fit::Polynomial(1)).unwrap();
        for now in [100.0, 541.0, 777.7] {
            for value in [curve.at(now) - 1e-14, 1.0 + now / 7.0, curve.at(now) + 1e-14] {
                assert_eq!(curve.reaches(value, now), Some(now));
            }
        }
    }

    #[test]
    fn values_without_a_fit_give_none() {
        assert_eq!(Curve::fit(&[(1.0, 1.0), (2.0, 0.0)], Fit::Exponential), None);
        assert_eq!(Curve::fit(&[(1.0, 1.0), (1.0, 2.0)], Fit::Polynomial(1)), None);
        assert_eq!(Fit::parse("polynomial7"), None);
        assert_eq!(Fit::parse("polynomial+1"), None);
        assert_eq!(Fit::parse("polynomial6"), Some(Fit::Polynomial(6)));
    }
}
