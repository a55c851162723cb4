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
mod table;
mod texts;
mod trend;
mod trends;

pub use call::{Call, Needs};
pub use context::FunctionContext;
pub use error::{FunctionError, ParamError, error_text};
pub use find_call::{FindError, FoundCall, find_call};
pub use foreach::{Collected, Foreach, Hosts, Member};
pub use period::{Period, Range, Shift, ShiftStep, Window};
pub use sample::{Sample, SampleValue, select};
pub use table::{FunctionInfo, FunctionKind, find, is_timer, takes};
pub use trend::{Hours, TrendPeriod};
pub use trends::{HourlyTrend, TrendCall};

use formats::number;

/// Next evaluation of time-based functions after `now` (seconds since 1970): each full half minute.
#[must_use]
pub fn timer_next_check(now: i64) -> i64 {
    const EVERY_S: i64 = 30;
    (now.div_euclid(EVERY_S) + 1) * EVERY_S
}

/// Checks parameters as they are written, macros unresolved: their number, and each that holds no macro.
/// `written` is the text after the item and its comma.
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
    use model::ValueType;

    use super::table::TABLE;
    use super::*;

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
            let answer = call.eval(samples, &FunctionContext::new(now, &zone, kind));
            assert_ne!(answer, Err(FunctionError::Unsupported), "{}", info.name);
        }
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
