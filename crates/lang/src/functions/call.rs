//! A function with its parameters parsed.

use model::content::GlobalRegexp;

use super::error::ParamError;
use super::pattern::{Matcher, Values};
use super::period::{Period, Range, Shift};
use super::predict::Prediction;
use super::table::{FunctionInfo, FunctionKind, find};
use super::trends::TrendCall;
use super::{params, pattern};
use crate::global_regexp::{PatternError, TextPattern};
use formats::number;

/// The part of an item's history that an evaluation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// This many newest values before the end of the period.
    Values(usize),
    /// All values of this many seconds before the end of the period.
    Seconds(i64),
}

/// A parsed call.
#[derive(Debug, Clone)]
pub struct Call {
    pub(super) info: &'static FunctionInfo,
    pub(super) period: Period,
    pub(super) args: Args,
}

/// Parameters after the period.
#[derive(Debug, Clone)]
pub(super) enum Args {
    None,
    Match(Box<Matchers>),
    Mask(u64),
    Percentage(f64),
    Mode(Mode),
    Seconds(i64),
    Regexp(Option<TextPattern>),
    Prediction(Prediction),
    Trend(Box<TrendCall>),
}

/// Operator and pattern, compiled for each kind of values that they apply to.
#[derive(Debug, Clone)]
pub(super) struct Matchers {
    pub(super) float: Result<Matcher, String>,
    pub(super) whole: Result<Matcher, String>,
    pub(super) text: Result<Matcher, String>,
}

/// Third parameter of `changecount`, `monoinc`, `monodec`, `nodata`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    All,
    Inc,
    Dec,
    Weak,
    Strict,
}

impl Call {
    /// Parses a function with its parameters after the item (`5m,"gt",3`), macros replaced. No
    /// global regular expression is known.
    ///
    /// # Errors
    /// Which parameter does not fit.
    pub fn parse(name: &str, params: &str) -> Result<Self, ParamError> {
        Self::parse_with(name, params, &[])
    }

    /// As [`Call::parse`]; patterns may name one of `regexps`.
    ///
    /// # Errors
    /// Which parameter does not fit.
    pub fn parse_with(
        name: &str,
        params: &str,
        regexps: &[GlobalRegexp],
    ) -> Result<Self, ParamError> {
        let info = find(name).ok_or_else(|| ParamError::UnknownFunction(name.to_owned()))?;
        let list = params::split(params);
        let values: Vec<String> = list.iter().map(params::Param::value).collect();
        let n_given = if values.len() == 1 && values[0].is_empty() { 0 } else { values.len() };
        if n_given > info.n_params.1 || n_given < info.n_params.0 {
            return Err(ParamError::Count);
        }
        let first = values.first().map_or("", String::as_str);
        let none = Period { range: Range::None, shift: Shift::default() };
        if info.kind == FunctionKind::Trend {
            let args = Args::Trend(Box::new(TrendCall::parse(name, &values)?));
            return Ok(Self { info, period: none, args });
        }
        if info.kind == FunctionKind::Foreach {
            return Err(ParamError::ManyItems(name.to_owned()));
        }
        let period = Period::parse(first).ok_or(ParamError::Invalid { position: 1 })?;
        let period = default_range(name, period)?;
        let rest = values.get(1..).unwrap_or(&[]);
        let args = parse_args(name, &period, rest, regexps)?;
        Ok(Self { info, period, args })
    }

    /// `last` that looks no farther back than its period.
    pub(super) fn newest_within(params: &str) -> Result<Self, ParamError> {
        let info = find("last").ok_or(ParamError::Count)?;
        let period = Period::parse(params)
            .filter(|it| matches!(it.range, Range::Seconds(_)))
            .ok_or(ParamError::Invalid { position: 1 })?;
        Ok(Self { info, period, args: Args::None })
    }

    /// As [`Call::parse`] from the stored form, whose first parameter is `$`.
    ///
    /// # Errors
    /// Which parameter does not fit.
    pub fn parse_stored(name: &str, parameter: &str) -> Result<Self, ParamError> {
        let rest = parameter.strip_prefix('$').unwrap_or(parameter);
        Self::parse(name, rest.strip_prefix(',').unwrap_or(rest))
    }

    /// Name of the function.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.info.name
    }

    /// Kind of the function.
    #[must_use]
    pub fn kind(&self) -> FunctionKind {
        self.info.kind
    }

    /// Its period, defaults filled in.
    #[must_use]
    pub fn period(&self) -> &Period {
        &self.period
    }

    /// Does [`Call::eval`] answer it from values of history? Trend functions have
    /// [`Call::trend`] instead.
    #[must_use]
    pub fn is_supported(&self) -> bool {
        self.info.is_supported()
    }

    /// The trend function, if it is one.
    #[must_use]
    pub fn trend(&self) -> Option<&TrendCall> {
        match &self.args {
            Args::Trend(it) => Some(it),
            _ => None,
        }
    }

    /// How much history an evaluation reads before the end of the period.
    #[must_use]
    pub fn needs(&self) -> Needs {
        match (self.info.name, self.period.range) {
            ("change", _) => Needs::Values(2),
            // They ask when the newest value came, however old it is.
            ("nodata" | "fuzzytime", _) => Needs::Values(1),
            (_, Range::Seconds(seconds)) => Needs::Seconds(seconds),
            (_, Range::Count(count)) => Needs::Values(count),
            (_, Range::None) => Needs::Values(1),
        }
    }
}

/// Periods with another meaning for a function, or that it does not need.
fn default_range(name: &str, period: Period) -> Result<Period, ParamError> {
    let wrong = ParamError::Invalid { position: 1 };
    let range = match (name, period.range) {
        // The newest value unless a number of values is given.
        (
            "last" | "lastclock" | "logtimestamp" | "logeventid" | "logseverity" | "logsource"
            | "bitand" | "find",
            Range::None,
        ) => Range::Count(1),
        (
            "last" | "lastclock" | "logtimestamp" | "logeventid" | "logseverity" | "logsource",
            Range::Seconds(_),
        ) => Range::Count(1),
        ("bitand", Range::Seconds(_)) => return Err(wrong),
        ("first" | "firstclock" | "rate", Range::Count(_)) => return Err(wrong),
        ("nodata" | "fuzzytime", Range::Count(_)) => return Err(wrong),
        ("change", _) => Range::Count(2),
        (_, Range::None) => return Err(wrong),
        (_, range) => range,
    };
    Ok(Period { range, ..period })
}

fn parse_args(
    name: &str,
    period: &Period,
    rest: &[String],
    regexps: &[GlobalRegexp],
) -> Result<Args, ParamError> {
    let second = rest.first().map_or("", String::as_str);
    let invalid = |position| ParamError::Invalid { position };
    Ok(match name {
        "count" | "find" | "countunique" => {
            let text_pattern = rest.get(1).map(String::as_str);
            if rest.is_empty() {
                return Ok(Args::None);
            }
            if !pattern::is_operator(second) {
                return Err(invalid(2));
            }
            let of = |values| Matcher::new(second, text_pattern, values, regexps);
            let float = of(Values::Numbers);
            if float.as_ref().is_ok_and(Matcher::is_regexp) {
                // The same for all values: compiled once.
                let (whole, text) = (float.clone(), float.clone());
                return Ok(Args::Match(Box::new(Matchers { float, whole, text })));
            }
            let text = of(Values::Texts);
            if let (Err(why), Err(_)) = (&float, &text) {
                return Err(ParamError::Pattern(why.clone()));
            }
            Args::Match(Box::new(Matchers { float, whole: of(Values::Whole), text }))
        }
        "bitand" => Args::Mask(number::parse_u64(second).ok_or(invalid(2))?),
        "percentile" => Args::Percentage(
            number::parse_f64(second).filter(|it| (0.0..=100.0).contains(it)).ok_or(invalid(2))?,
        ),
        "changecount" | "monoinc" | "monodec" | "nodata" => {
            Args::Mode(mode(name, second).ok_or(invalid(2))?)
        }
        "fuzzytime" => match period.range {
            Range::Seconds(seconds) => Args::Seconds(seconds),
            Range::None | Range::Count(_) => return Err(invalid(1)),
        },
        "forecast" | "timeleft" => Args::Prediction(Prediction::parse(name, rest)?),
        "logeventid" | "logsource" if second.is_empty() => Args::Regexp(None),
        "logeventid" | "logsource" => {
            let pattern = TextPattern::new(second, regexps).map_err(|it| match it {
                PatternError::Invalid { error, .. } => error.to_string(),
                missing @ PatternError::Missing(_) => missing.to_string(),
            });
            Args::Regexp(Some(pattern.map_err(ParamError::Pattern)?))
        }
        _ => Args::None,
    })
}

fn mode(function: &str, text: &str) -> Option<Mode> {
    Some(match (function, text) {
        ("changecount", "" | "all") => Mode::All,
        ("changecount", "inc") => Mode::Inc,
        ("changecount", "dec") => Mode::Dec,
        ("monoinc" | "monodec", "" | "weak") => Mode::Weak,
        ("monoinc" | "monodec" | "nodata", "strict") => Mode::Strict,
        ("nodata", "") => Mode::All,
        _ => return None,
    })
}
