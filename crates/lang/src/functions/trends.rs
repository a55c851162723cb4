//! Trend functions over hourly trends that the caller supplies.
//!
//! [`TrendCall::hours`] says which hours an evaluation reads, [`TrendCall::eval`] gets their rows. Where
//! rows come from is the caller's business: a store of trends, or history by
//! [`HourlyTrend::from_samples`].

use jiff::tz::TimeZone;
use model::Time;

use super::context::FunctionContext;
use super::error::{FunctionError, ParamError};
use super::sample::Sample;
use super::stat;
use super::stl::{self, Deviation};
use super::trend::{Hours, TrendPeriod};
use crate::calendar::Unit;
use crate::expression::Value;
use formats::number;

const HOUR_S: i64 = 3_600;
/// The most seasons of a baseline: hours of more than a year.
const SEASONS_MAX: u64 = 10_000;
/// Widest seasonal window of a decomposition: far beyond ten times the hours of a year.
const S_WINDOW_MAX: usize = 1 << 24;

/// The values of one item in one hour, summed up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HourlyTrend {
    /// Start of the hour, seconds since 1970.
    pub clock: i64,
    /// Least value.
    pub min: f64,
    /// Mean value.
    pub avg: f64,
    /// Greatest value.
    pub max: f64,
    /// Number of values.
    pub num: u64,
}

impl HourlyTrend {
    /// The trends of values, oldest first; texts have none.
    #[must_use]
    pub fn from_samples(samples: &[Sample<'_>]) -> Vec<Self> {
        let mut rows: Vec<Self> = Vec::new();
        for sample in samples {
            let Some(value) = sample.value.number() else { continue };
            let clock = sample.time.clock().div_euclid(HOUR_S) * HOUR_S;
            match rows.last_mut() {
                Some(row) if row.clock == clock => {
                    row.num += 1;
                    row.min = row.min.min(value);
                    row.max = row.max.max(value);
                    row.avg += (value - row.avg) / number::u64_to_f64(row.num);
                }
                _ => rows.push(Self { clock, min: value, avg: value, max: value, num: 1 }),
            }
        }
        rows
    }
}

/// A trend function with its parameters parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct TrendCall {
    period: TrendPeriod,
    what: What,
}

#[derive(Debug, Clone, PartialEq)]
enum What {
    Avg,
    Count,
    Max,
    Min,
    Sum,
    BaselineDev { season: Unit, n_seasons: i64 },
    BaselineWma { season: Unit, n_seasons: i64 },
    Stl(Stl),
}

/// Parameters of `trendstl`.
#[derive(Debug, Clone, PartialEq)]
struct Stl {
    /// Seconds in which anomalies are looked for.
    detect_s: i64,
    /// Hours of a season.
    season: usize,
    deviations: f64,
    kind: Deviation,
    s_window: Option<usize>,
}

impl TrendCall {
    /// Parses a trend function's parameters after the item, macros replaced.
    ///
    /// # Errors
    /// Which parameter does not fit.
    pub(super) fn parse(name: &str, params: &[String]) -> Result<Self, ParamError> {
        let invalid = |position| ParamError::Invalid { position };
        let first = params.first().map_or("", String::as_str);
        let period = TrendPeriod::parse(first).ok_or(invalid(1))?;
        let what = match name {
            "trendavg" => What::Avg,
            "trendcount" => What::Count,
            "trendmax" => What::Max,
            "trendmin" => What::Min,
            "trendsum" => What::Sum,
            "trendstl" => What::Stl(Stl::parse(&period, params)?),
            _ => {
                let (season, n_seasons) = baseline_params(&period, params)?;
                if name == "baselinedev" {
                    What::BaselineDev { season, n_seasons }
                } else {
                    What::BaselineWma { season, n_seasons }
                }
            }
        };
        Ok(Self { period, what })
    }

    /// The period of the function.
    #[must_use]
    pub fn period(&self) -> &TrendPeriod {
        &self.period
    }

    /// The hours whose rows an evaluation at `now` reads: the newest range first. `None` if the period
    /// leaves the calendar.
    #[must_use]
    pub fn hours(&self, now: Time, zone: &TimeZone) -> Option<Vec<Hours>> {
        let clock = now.clock();
        match self.what {
            What::BaselineDev { season, n_seasons } => {
                self.period.seasons(clock, zone, season, (0, n_seasons))
            }
            What::BaselineWma { season, n_seasons } => {
                self.period.seasons(clock, zone, season, (1, n_seasons))
            }
            _ => self.period.hours(clock, zone).map(|it| vec![it]),
        }
    }

    /// The function's value. `rows`: the trends of the item in [`TrendCall::hours`], by time; more does
    /// no harm.
    ///
    /// # Errors
    /// Why there is no value.
    pub fn eval(
        &self,
        rows: &[HourlyTrend],
        context: &FunctionContext<'_>,
    ) -> Result<Value, FunctionError> {
        if !context.value_type.is_numeric() {
            return Err(FunctionError::ValueType);
        }
        let hours = self.hours(context.now, context.zone).ok_or(FunctionError::Shift)?;
        let first = hours.first().copied().ok_or(FunctionError::Shift)?;
        let found = match &self.what {
            What::Count => {
                return Ok(Value::UInt(within(rows, first).iter().map(|it| it.num).sum()));
            }
            What::Avg => mean(within(rows, first)),
            What::Max => within(rows, first).iter().map(|it| it.max).reduce(f64::max),
            What::Min => within(rows, first).iter().map(|it| it.min).reduce(f64::min),
            // Nothing adds up to nothing, as with the count.
            What::Sum => Some(sum(within(rows, first)).unwrap_or(0.0)),
            What::BaselineDev { .. } => deviation(rows, &hours),
            What::BaselineWma { .. } => weighted(rows, &hours),
            What::Stl(stl) => stl.share(rows, first),
        };
        found.map(Value::Number).ok_or(FunctionError::NotEnoughData)
    }
}

/// Season and number of seasons of a baseline.
fn baseline_params(period: &TrendPeriod, params: &[String]) -> Result<(Unit, i64), ParamError> {
    let param = |idx: usize| params.get(idx).map_or("", String::as_str);
    let season = match param(1).as_bytes() {
        [letter @ (b'h' | b'd' | b'w' | b'M' | b'y')] => Unit::from_letter(*letter),
        _ => None,
    };
    let season =
        season.filter(|it| period.fits_into(*it)).ok_or(ParamError::Invalid { position: 2 })?;
    let n_seasons = number::parse_u64(param(2))
        .filter(|it| (1..=SEASONS_MAX).contains(it))
        .and_then(|it| i64::try_from(it).ok());
    Ok((season, n_seasons.ok_or(ParamError::Invalid { position: 3 })?))
}

/// The rows of these hours.
fn within(rows: &[HourlyTrend], hours: Hours) -> &[HourlyTrend] {
    let from = rows.partition_point(|it| it.clock < hours.start);
    let to = rows.partition_point(|it| it.clock <= hours.end);
    rows.get(from..to).unwrap_or(&[])
}

fn sum(rows: &[HourlyTrend]) -> Option<f64> {
    if rows.is_empty() {
        return None;
    }
    Some(rows.iter().map(|it| it.avg * number::u64_to_f64(it.num)).sum())
}

/// The mean of all values; of means that would leave the range their weighted mean.
fn mean(rows: &[HourlyTrend]) -> Option<f64> {
    let num: u64 = rows.iter().map(|it| it.num).sum();
    if num == 0 {
        return None;
    }
    let num = number::u64_to_f64(num);
    Some(rows.iter().map(|it| it.avg * (number::u64_to_f64(it.num) / num)).sum())
}

/// The distance of the newest period from the mean of all, in standard deviations.
fn deviation(rows: &[HourlyTrend], hours: &[Hours]) -> Option<f64> {
    let (newest, earlier) = hours.split_first()?;
    let newest = mean(within(rows, *newest))?;
    let mut means = vec![newest];
    means.extend(earlier.iter().filter_map(|it| mean(within(rows, *it))));
    let deviation = stat::stddev_pop(&means)?;
    if deviation == 0.0 {
        return Some(0.0);
    }
    Some((newest - stat::mean(&means)?).abs() / deviation)
}

/// The mean of earlier periods, newer ones counting more: `n` for the newest of `n`, 1 for the oldest.
fn weighted(rows: &[HourlyTrend], hours: &[Hours]) -> Option<f64> {
    let (mut total, mut weights) = (0.0, 0.0);
    for (idx, it) in hours.iter().enumerate() {
        let Some(mean) = mean(within(rows, *it)) else { continue };
        let weight = number::u64_to_f64((hours.len() - idx) as u64);
        total += mean * weight;
        weights += weight;
    }
    (weights > 0.0).then(|| total / weights)
}

impl Stl {
    fn parse(period: &TrendPeriod, params: &[String]) -> Result<Self, ParamError> {
        let invalid = |position| ParamError::Invalid { position };
        let param = |idx: usize| params.get(idx).map_or("", String::as_str);
        let detect_s = whole_hours(param(1)).ok_or(invalid(2))?;
        let season_s = whole_hours(param(2)).ok_or(invalid(3))?;
        if period.seconds_max().is_none_or(|it| detect_s > it) {
            return Err(invalid(2));
        }
        if period.seconds_max().is_none_or(|it| season_s > it) {
            return Err(invalid(3));
        }
        let season = usize::try_from(season_s / HOUR_S).ok().filter(|it| *it >= 2);
        let season = season.ok_or(invalid(3))?;
        let deviations = match param(3) {
            "" => Some(3.0),
            text => number::parse_f64(text).filter(|it| *it >= 1.0),
        };
        let s_window = match param(5) {
            "" => None,
            text => {
                let window = number::parse_u64(text).and_then(|it| usize::try_from(it).ok());
                Some(window.filter(|it| (1..=S_WINDOW_MAX).contains(it)).ok_or(invalid(6))?)
            }
        };
        Ok(Self {
            detect_s,
            season,
            deviations: deviations.ok_or(invalid(4))?,
            kind: Deviation::parse(param(4)).ok_or(invalid(5))?,
            s_window,
        })
    }

    fn share(&self, rows: &[HourlyTrend], hours: Hours) -> Option<f64> {
        let series = hourly(within(rows, hours));
        let s_window = self.s_window.unwrap_or(10 * series.len() + 1);
        let parts = stl::decompose(&series, self.season, s_window)?;
        let last = within(rows, hours).last()?.clock;
        // Hours up to the end of the period for which there is nothing any more don't count.
        let detect_from = hours.end - self.detect_s;
        let n_detect = usize::try_from((last - detect_from).div_euclid(HOUR_S) + 1).ok()?;
        stl::deviation_share(&parts.remainder, n_detect, self.deviations, self.kind)
    }
}

/// The mean of each hour from the first to the last that has one; hours without are interpolated, so
/// that seasons keep their step.
fn hourly(rows: &[HourlyTrend]) -> Vec<f64> {
    let mut out: Vec<f64> = Vec::with_capacity(rows.len());
    for pair in rows.windows(2) {
        let (left, right) = (&pair[0], &pair[1]);
        let hours = (right.clock - left.clock).div_euclid(HOUR_S).max(1);
        let step = (right.avg - left.avg) / number::i64_to_f64(hours);
        out.extend((0..hours).map(|it| left.avg + step * number::i64_to_f64(it)));
    }
    out.extend(rows.last().map(|it| it.avg));
    out
}

/// A period of whole hours in seconds: a number with a suffix of `h d w`.
fn whole_hours(text: &str) -> Option<i64> {
    let unit = match text.as_bytes().last()? {
        b'h' => 1,
        b'd' => 24,
        b'w' => 7 * 24,
        _ => return None,
    };
    let n = i64::try_from(number::parse_u64(text.get(..text.len() - 1)?)?).ok()?;
    n.checked_mul(unit * HOUR_S).filter(|it| *it > 0)
}

#[cfg(test)]
mod zones;

#[cfg(test)]
mod tests {
    use model::ValueType;

    use super::*;
    use crate::functions::Call;

    /// 2024-01-10 00:00:00 UTC, a Wednesday.
    const NOW: i64 = 1_704_844_800;

    fn eval(function: &str, params: &str, rows: &[HourlyTrend]) -> Result<Value, FunctionError> {
        let zone = TimeZone::UTC;
        let context = FunctionContext::new(Time::from_clock(NOW, 0), &zone, ValueType::Float);
        Call::parse(function, params).unwrap().trend().unwrap().eval(rows, &context)
    }

    /// An hourly row that ends `back` hours ago.
    fn row(back: i64, avg: f64, num: u64) -> HourlyTrend {
        HourlyTrend { clock: NOW - back * HOUR_S, min: avg - 1.0, avg, max: avg + 1.0, num }
    }

    #[test]
    fn simple_functions_weigh_by_number_of_values() {
        let rows = [row(3, 100.0, 1), row(2, 10.0, 1), row(1, 20.0, 3)];
        assert_eq!(eval("trendavg", "2h:now/h", &rows), Ok(Value::Number(17.5)));
        assert_eq!(eval("trendsum", "2h:now/h", &rows), Ok(Value::Number(70.0)));
        assert_eq!(eval("trendcount", "3h:now/h", &rows), Ok(Value::UInt(5)));
        assert_eq!(eval("trendmax", "2h:now/h", &rows), Ok(Value::Number(21.0)));
        assert_eq!(eval("trendmin", "2h:now/h", &rows), Ok(Value::Number(9.0)));
        assert_eq!(eval("trendavg", "1h:now/h-1d", &rows), Err(FunctionError::NotEnoughData));
        assert_eq!(eval("trendcount", "1h:now/h-1d", &rows), Ok(Value::UInt(0)));
        assert_eq!(eval("trendsum", "1h:now/h-1d", &rows), Ok(Value::Number(0.0)));
    }

    #[test]
    fn baselines_look_at_earlier_seasons() {
        let rows = [row(49, 10.0, 1), row(25, 20.0, 1), row(1, 60.0, 1)];
        let wma = eval("baselinewma", "1h:now/h,\"d\",2", &rows);
        assert_eq!(wma, Ok(Value::Number((20.0 * 2.0 + 10.0) / 3.0)));
        let Ok(Value::Number(dev)) = eval("baselinedev", "1h:now/h,\"d\",2", &rows) else {
            panic!("no value")
        };
        assert!((dev - 30.0 / (1_400.0_f64 / 3.0).sqrt()).abs() < 1e-12, "{dev}");
        assert_eq!(
            eval("baselinedev", "1h:now/h-1h,\"d\",2", &rows),
            Err(FunctionError::NotEnoughData)
        );
        assert!(Call::parse("baselinewma", "2d:now/d,\"h\",2").is_err());
        assert!(Call::parse("baselinewma", "1h:now/h,\"d\",0").is_err());
    }

    #[test]
    fn a_spike_in_a_steady_day_is_an_anomaly() {
        let mut rows: Vec<HourlyTrend> = (0..240_i64)
            .map(|it| {
                row(240 - it, number::i64_to_f64(it % 24) + 0.01 * number::i64_to_f64(it % 7), 60)
            })
            .collect();
        let quiet = eval("trendstl", "240h:now/h,4h,24h,9", &rows);
        rows[239].avg += 50.0;
        let spike = eval("trendstl", "240h:now/h,4h,24h,9", &rows);
        assert_eq!(quiet, Ok(Value::Number(0.0)));
        assert!(matches!(spike, Ok(Value::Number(it)) if it >= 0.2), "{spike:?}");
        assert!(Call::parse("trendstl", "240h:now/h,4h,24h,3,\"mean\"").is_err());
        assert!(Call::parse("trendstl", "240h:now/h,4h,1h").is_err());
    }

    #[test]
    fn history_gives_trends() {
        let sample = |seconds: i64, value: f64| Sample {
            time: Time::from_clock(NOW + seconds, 0),
            value: super::super::SampleValue::Float(value),
        };
        let rows =
            HourlyTrend::from_samples(&[sample(0, 1.0), sample(10, 3.0), sample(3_600, 5.0)]);
        assert_eq!(
            rows,
            [
                HourlyTrend { clock: NOW, min: 1.0, avg: 2.0, max: 3.0, num: 2 },
                HourlyTrend { clock: NOW + HOUR_S, min: 5.0, avg: 5.0, max: 5.0, num: 1 },
            ]
        );
    }
}
