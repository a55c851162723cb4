//! The past that functions need.

use lang::functions::{self, Call, FunctionKind, Needs, ShiftStep};
use model::ValueType;
use model::time::NANOS;
use window::{Compare, CompareOp, Depth, WindowFunction, WindowSpan};

use super::layout::{FunctionPlan, Way};

/// Seconds by which a shift reaches back at most.
fn shift_ns(call: &Call) -> i64 {
    use lang::calendar::Unit;
    let length = |unit: Unit| unit.seconds().unwrap_or(366 * 86_400);
    let seconds = call.period().shift.steps().iter().map(|step| match step {
        ShiftStep::Add(n, unit) => n.saturating_neg().max(0).saturating_mul(length(*unit)),
        ShiftStep::Floor(unit) => length(*unit),
    });
    seconds.fold(0_i64, i64::saturating_add).saturating_mul(NANOS)
}

/// The values that a function looks at, seen from the end of its window.
pub fn span_of(call: &Call) -> WindowSpan {
    match call.needs() {
        Needs::Seconds(seconds) => WindowSpan::Period { ms: seconds.saturating_mul(1_000) },
        Needs::Values(count) => WindowSpan::Count(u32::try_from(count).unwrap_or(u32::MAX)),
    }
}

/// How far back from its evaluation a function looks, in nanoseconds.
pub(super) fn reach_ns(function: &FunctionPlan) -> i64 {
    let depth = depth_of(function);
    let asked = match (function.way, function.call.period().range) {
        (Way::NoData | Way::Latest, functions::Range::Seconds(it)) => it.saturating_mul(NANOS),
        _ => 0,
    };
    depth.period_ns.max(depth.count_shift_ns).max(asked)
}

pub(super) fn depth_of(function: &FunctionPlan) -> Depth {
    match function.way {
        Way::Nth(_) | Way::Change | Way::NoData | Way::Latest | Way::Trend { .. } => {
            Depth::default()
        }
        Way::Aggregate(_) | Way::Scan => {
            if function.call.kind() == FunctionKind::Trend || !function.call.is_supported() {
                return Depth::default();
            }
            span_of(&function.call).depth(shift_ns(&function.call))
        }
    }
}

/// From here on whole numbers are compared in full, which doubles can't: 2^53.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The comparison of `count(…,5m,"gt",3)` if it is one of numbers.
pub(super) fn count_aggregate(parameters: &str, kind: ValueType) -> Option<WindowFunction> {
    let list = functions::params::split(parameters);
    let values: Vec<String> = list.iter().skip(1).map(functions::params::Param::value).collect();
    let [op, pattern] = match values.as_slice() {
        [] => return Some(WindowFunction::Count(None)),
        [op] if op.is_empty() => return Some(WindowFunction::Count(None)),
        [op, pattern] => [op.as_str(), pattern.as_str()],
        _ => return None,
    };
    let op = match op {
        "" | "eq" => CompareOp::Eq,
        "ne" => CompareOp::Ne,
        "gt" => CompareOp::Gt,
        "ge" => CompareOp::Ge,
        "lt" => CompareOp::Lt,
        "le" => CompareOp::Le,
        _ => return None,
    };
    let right = formats::number::parse_suffixed(pattern)?;
    let is_error =
        kind == ValueType::Unsigned && formats::number::parse_u64_suffixed(pattern).is_none();
    if is_error || EXACT_MAX <= right.abs() {
        return None;
    }
    Some(WindowFunction::Count(Some(Compare { op, right })))
}
