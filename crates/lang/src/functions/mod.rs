//! History functions: their table, parameters, periods, and evaluation over an item's values.
//!
//! A [`Call`] is a function with its parameters parsed, macros already replaced. [`Call::eval`] gets
//! the item's known values, oldest first, and picks its window itself; a caller that keeps windows of
//! its own asks [`Call::period`] and uses the aggregates of [`stat`].
//!
//! Functions over trends are [`TrendCall`]s: the caller supplies hourly rows. Functions over many items
//! (`avg_foreach`, `item_count`, …) are [`Foreach`]s: the caller finds the items that match and supplies
//! the values of each; see there.

mod call;
mod context;
mod error;
mod eval;
mod find_call;
pub mod fit;
mod foreach;
mod numeric;
pub mod params;
pub mod pattern;
mod period;
mod predict;
mod sample;
pub mod stat;
pub mod stl;
mod texts;
mod trend;
mod trends;

pub use call::{Call, Needs};
pub use context::Context;
pub use error::{FunctionError, ParamError, error_text};
pub use find_call::{FindError, FoundCall, find_call};
pub use foreach::{Collected, Foreach, Hosts, Member};
pub use period::{Period, Range, Shift, ShiftStep, Window};
pub use sample::{Sample, SampleValue, select};
pub use trend::{Hours, TrendPeriod};
pub use trends::{TrendCall, TrendRow};

use model::ValueType;

use formats::number;

/// What a function looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionKind {
    /// Values of one item.
    History,
    /// As [`FunctionKind::History`], and its value changes with time alone.
    Timer,
    /// Trends of one item.
    Trend,
    /// Values of many items; in calculated items only.
    Foreach,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// Name.
    pub name: &'static str,
    /// Kind.
    pub kind: FunctionKind,
    /// Fewest and most parameters after the item.
    pub n_params: (usize, usize),
    pub(crate) run: Run,
}

impl Info {
    /// Is it answered from the history of one item?
    #[must_use]
    pub fn is_supported(&self) -> bool {
        matches!(self.kind, FunctionKind::History | FunctionKind::Timer)
    }
}

/// How a function is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// One of a list of numbers to a number.
    Aggregate,
    /// By its own rule, over numbers.
    OfNumbers,
    /// By its own rule, over any values.
    Own,
    /// A field of a log value.
    OfLog,
}

const fn info(name: &'static str, kind: FunctionKind, n_params: (usize, usize), run: Run) -> Info {
    Info { name, kind, n_params, run }
}

/// All functions with an item as first argument, sorted by name.
static TABLE: &[Info] = &[
    info("avg", FunctionKind::History, (1, 1), Run::Aggregate),
    info("avg_foreach", FunctionKind::Foreach, (1, 1), Run::Own),
    info("baselinedev", FunctionKind::Trend, (3, 3), Run::Own),
    info("baselinewma", FunctionKind::Trend, (3, 3), Run::Own),
    info("bitand", FunctionKind::History, (2, 2), Run::OfNumbers),
    info("bucket_percentile", FunctionKind::Foreach, (2, 2), Run::Own),
    info("bucket_rate_foreach", FunctionKind::Foreach, (1, 2), Run::Own),
    info("change", FunctionKind::History, (0, 0), Run::Own),
    info("changecount", FunctionKind::History, (1, 2), Run::Own),
    info("count", FunctionKind::History, (1, 3), Run::Own),
    info("count_foreach", FunctionKind::Foreach, (1, 3), Run::Own),
    info("countunique", FunctionKind::History, (1, 3), Run::Own),
    info("exists_foreach", FunctionKind::Foreach, (0, 0), Run::Own),
    info("find", FunctionKind::History, (0, 3), Run::Own),
    info("first", FunctionKind::History, (1, 1), Run::Own),
    info("firstclock", FunctionKind::History, (1, 1), Run::Own),
    info("forecast", FunctionKind::History, (2, 4), Run::OfNumbers),
    info("fuzzytime", FunctionKind::Timer, (1, 1), Run::OfNumbers),
    info("item_count", FunctionKind::Foreach, (0, 0), Run::Own),
    info("kurtosis", FunctionKind::History, (1, 1), Run::Aggregate),
    info("last", FunctionKind::History, (0, 1), Run::Own),
    info("last_foreach", FunctionKind::Foreach, (0, 1), Run::Own),
    info("lastclock", FunctionKind::History, (0, 1), Run::Own),
    info("logeventid", FunctionKind::History, (0, 2), Run::OfLog),
    info("logseverity", FunctionKind::History, (0, 1), Run::OfLog),
    info("logsource", FunctionKind::History, (0, 2), Run::OfLog),
    info("logtimestamp", FunctionKind::History, (0, 1), Run::OfLog),
    info("mad", FunctionKind::History, (1, 1), Run::Aggregate),
    info("max", FunctionKind::History, (1, 1), Run::Aggregate),
    info("max_foreach", FunctionKind::Foreach, (1, 1), Run::Own),
    info("min", FunctionKind::History, (1, 1), Run::Aggregate),
    info("min_foreach", FunctionKind::Foreach, (1, 1), Run::Own),
    info("monodec", FunctionKind::History, (1, 2), Run::OfNumbers),
    info("monoinc", FunctionKind::History, (1, 2), Run::OfNumbers),
    info("nodata", FunctionKind::Timer, (1, 2), Run::Own),
    info("percentile", FunctionKind::History, (2, 2), Run::OfNumbers),
    info("rate", FunctionKind::History, (1, 1), Run::OfNumbers),
    info("skewness", FunctionKind::History, (1, 1), Run::Aggregate),
    info("stddevpop", FunctionKind::History, (1, 1), Run::Aggregate),
    info("stddevsamp", FunctionKind::History, (1, 1), Run::Aggregate),
    info("sum", FunctionKind::History, (1, 1), Run::Aggregate),
    info("sum_foreach", FunctionKind::Foreach, (1, 1), Run::Own),
    info("sumofsquares", FunctionKind::History, (1, 1), Run::Aggregate),
    info("timeleft", FunctionKind::History, (2, 3), Run::OfNumbers),
    info("trendavg", FunctionKind::Trend, (1, 1), Run::Own),
    info("trendcount", FunctionKind::Trend, (1, 1), Run::Own),
    info("trendmax", FunctionKind::Trend, (1, 1), Run::Own),
    info("trendmin", FunctionKind::Trend, (1, 1), Run::Own),
    info("trendstl", FunctionKind::Trend, (3, 6), Run::Own),
    info("trendsum", FunctionKind::Trend, (1, 1), Run::Own),
    info("varpop", FunctionKind::History, (1, 1), Run::Aggregate),
    info("varsamp", FunctionKind::History, (1, 1), Run::Aggregate),
];

/// The row of a function.
#[must_use]
pub fn find(name: &str) -> Option<&'static Info> {
    TABLE.binary_search_by(|it| it.name.cmp(name)).ok().map(|idx| &TABLE[idx])
}

/// May a trigger ask it of an item whose values are of this type?
#[must_use]
pub fn takes(info: &Info, values: ValueType) -> bool {
    let is_number = matches!(values, ValueType::Float | ValueType::Unsigned);
    match info.run {
        _ if info.kind == FunctionKind::Trend => is_number,
        Run::Aggregate | Run::OfNumbers => is_number,
        Run::OfLog => values == ValueType::Log,
        Run::Own => true,
    }
}

/// Is it a time-based function (evaluated each 30 s as well)?
#[must_use]
pub fn is_timer(name: &str) -> bool {
    find(name).is_some_and(|it| it.kind == FunctionKind::Timer)
        || crate::expression::is_time_function(name)
}

/// Next evaluation of time-based functions after `now` (seconds since 1970): each full half minute.
#[must_use]
pub fn timer_next_check(now: i64) -> i64 {
    const EVERY_S: i64 = 30;
    (now.div_euclid(EVERY_S) + 1) * EVERY_S
}

/// Checks parameters as they are written, macros unresolved: their number, and each that holds no
/// macro. `written` is what follows the item and its comma.
///
/// # Errors
/// Which parameter is wrong.
pub fn check_parameters(name: &str, written: &str) -> Result<(), ParamError> {
    let info = find(name).ok_or_else(|| ParamError::UnknownFunction(name.to_owned()))?;
    let params = params::split(written);
    let n_given = if let [only] = params.as_slice() {
        usize::from(!only.written.is_empty())
    } else {
        params.len()
    };
    if n_given < info.n_params.0 || n_given > info.n_params.1 {
        return Err(ParamError::Count);
    }
    let first = params.first().map_or("", |it| it.written);
    if !first.contains('{') && !first.is_empty() {
        let is_period = match info.kind {
            FunctionKind::Trend => TrendPeriod::parse(first).is_some(),
            _ if name == "fuzzytime" => number::parse_duration_s(first).is_some(),
            _ => Period::parse(first).is_some(),
        };
        if !is_period {
            return Err(ParamError::Invalid { position: 1 });
        }
    }
    if params.iter().any(|it| it.written.contains('{')) {
        return Ok(());
    }
    let result = match info.kind {
        FunctionKind::Foreach => foreach::check(name, written),
        _ => Call::parse(name, written).map(|_| ()),
    };
    match result {
        // Found out at run time, as in Zabbix: a regular expression that does not compile.
        Err(ParamError::Pattern(_)) => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.is_sorted_by(|a, b| a.name < b.name));
    }

    /// Parameters that fit each function: a forgotten rule shows.
    #[test]
    fn every_function_of_history_is_evaluated() {
        let zone = jiff::tz::TimeZone::UTC;
        let now = model::Time::from_clock(1_700_000_000, 0);
        let log = model::value::LogEntry::default();
        let of_log = [Sample { time: now, value: SampleValue::Log(&log) }];
        let numbers: Vec<Sample<'_>> = (0..9)
            .map(|it| Sample { time: now.plus_secs(it - 9), value: SampleValue::Unsigned(7) })
            .collect();
        for info in TABLE.iter().filter(|it| it.is_supported()) {
            let written = ["", "1m", "1m,50", "1m,1m", "#3,50"];
            let mut calls = written.iter().filter_map(|it| Call::parse(info.name, it).ok());
            let call = calls.next().expect(info.name);
            let is_log = takes(info, ValueType::Log) && !takes(info, ValueType::Float);
            let (samples, kind) = if is_log {
                (of_log.as_slice(), ValueType::Log)
            } else {
                (numbers.as_slice(), ValueType::Unsigned)
            };
            let answer = call.eval(samples, &Context::new(now, &zone, kind));
            assert_ne!(answer, Err(FunctionError::Unsupported), "{}", info.name);
        }
    }

    #[test]
    fn functions_take_values_that_they_can_use() {
        let takes = |name: &str, values| takes(find(name).unwrap(), values);
        for name in ["avg", "trendavg", "forecast", "bitand", "logseverity"] {
            assert!(!takes(name, ValueType::Text), "{name}");
        }
        for name in ["last", "find", "count", "countunique", "change", "nodata", "first"] {
            assert!(takes(name, ValueType::Text) && takes(name, ValueType::Float), "{name}");
        }
        assert!(takes("avg", ValueType::Float) && takes("max", ValueType::Unsigned));
        assert!(takes("logseverity", ValueType::Log) && !takes("logsource", ValueType::Text));
    }

    #[test]
    fn parameters_are_checked_as_written() {
        assert_eq!(check_parameters("avg", "5m"), Ok(()));
        assert_eq!(check_parameters("avg", "{$P}"), Ok(()));
        assert_eq!(check_parameters("avg", ""), Err(ParamError::Count));
        assert_eq!(check_parameters("avg", "5q"), Err(ParamError::Invalid { position: 1 }));
        assert_eq!(check_parameters("count", "#5,\"gt\",\"1,2\""), Ok(()));
        assert_eq!(
            check_parameters("count", "#5,\"g\",1"),
            Err(ParamError::Invalid { position: 2 })
        );
        assert_eq!(check_parameters("find", ",\"regexp\",\"[\""), Ok(()));
        assert_eq!(check_parameters("last_foreach", ""), Ok(()));
        assert_eq!(
            check_parameters("bucket_percentile", "5m,101"),
            Err(ParamError::Invalid { position: 2 })
        );
    }
}
