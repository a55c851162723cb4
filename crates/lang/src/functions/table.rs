//! The table of functions.

use model::ValueType;

/// The input of a function.
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
pub struct FunctionInfo {
    /// Name.
    pub name: &'static str,
    /// Kind.
    pub kind: FunctionKind,
    /// Fewest and most parameters after the item.
    pub n_params: (usize, usize),
    pub(super) run: Run,
}

impl FunctionInfo {
    /// Is it answered from the history of one item?
    #[must_use]
    pub fn is_supported(&self) -> bool {
        matches!(self.kind, FunctionKind::History | FunctionKind::Timer)
    }
}

/// The evaluation of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Run {
    /// One of a list of numbers to a number.
    Aggregate,
    /// By its own rule, over numbers.
    OfNumbers,
    /// By its own rule, over any values.
    Own,
    /// A field of a log value.
    OfLog,
}

const fn info(
    name: &'static str,
    kind: FunctionKind,
    n_params: (usize, usize),
    run: Run,
) -> FunctionInfo {
    FunctionInfo { name, kind, n_params, run }
}

/// All functions with an item as first argument, sorted by name.
pub(super) static TABLE: &[FunctionInfo] = &[
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
pub fn find(name: &str) -> Option<&'static FunctionInfo> {
    TABLE.binary_search_by(|it| it.name.cmp(name)).ok().map(|idx| &TABLE[idx])
}

/// Whether a trigger may use it with an item of this value type.
#[must_use]
pub fn takes(info: &FunctionInfo, values: ValueType) -> bool {
    let is_number = matches!(values, ValueType::Float | ValueType::Unsigned);
    match info.run {
        _ if values == ValueType::Binary => false,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.is_sorted_by(|a, b| a.name < b.name));
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
}
