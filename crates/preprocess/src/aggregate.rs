//! *Aggregate over time*: many values become one a period.
//!
//! Periods begin at multiples of their length since 1970. The value of a period is passed on when
//! the first value of a later one arrives, and has that one's time; a late value counts in the
//! period that is open.

use model::Time;

use super::change::Kept;
use super::data::Data;
use super::error::StepError;
use super::state::StepState;
use formats::number;

/// The function over a period's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Avg,
    Min,
    Max,
    Sum,
    Count,
    First,
    Last,
}

/// A step's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Aggregate {
    period_s: i64,
    function: Function,
}

/// Longest period: rings and windows are made for it. A longer one is refused.
const PERIOD_S_MAX: u64 = 7 * 86_400;

/// The open period.
#[derive(Debug, Clone, Copy)]
struct Open {
    start_s: i64,
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
    first: f64,
    last: f64,
}

impl Aggregate {
    /// Reads period and function, a line each.
    pub(super) fn compile(params: &str) -> Result<Self, StepError> {
        let (period, function) = params.split_once('\n').unwrap_or((params, ""));
        let period_s = number::parse_duration_s(period)
            .filter(|it| (1..=PERIOD_S_MAX).contains(it))
            .and_then(|it| i64::try_from(it).ok())
            .ok_or_else(|| StepError::Parameters(format!("invalid period: {period}")))?;
        let function = match function {
            "avg" => Function::Avg,
            "min" => Function::Min,
            "max" => Function::Max,
            "sum" => Function::Sum,
            "count" => Function::Count,
            "first" => Function::First,
            "last" => Function::Last,
            _ => {
                return Err(StepError::Parameters(format!(
                    "unsupported aggregate function: {function}"
                )));
            }
        };
        Ok(Self { period_s, function })
    }

    /// Takes a value; returns that of the period before, if this is the first of the next.
    pub(super) fn apply<'a>(
        self,
        data: &Data<'_>,
        state: &mut StepState,
        time: Time,
    ) -> Result<Kept<'a>, StepError> {
        let Some(value) = data.to_f64() else {
            return Err(StepError::Value(
                "cannot aggregate: cannot convert value to numeric type".to_owned(),
            ));
        };
        let clock = time.0.div_euclid(model::time::NANOS);
        let start_s = clock - clock.rem_euclid(self.period_s);
        let known = state.last().and_then(|(it, _)| Open::read(&it.as_text()));
        let (open, closed) = match known {
            Some(open) if start_s <= open.start_s => (open.with(value), None),
            Some(open) => (Open::new(start_s, value), Some(open)),
            None => (Open::new(start_s, value), None),
        };
        state.replace(Data::text(open.write()), time);
        Ok(closed.map(|it| self.result(&it)))
    }

    fn result<'a>(self, open: &Open) -> Data<'a> {
        Data::Float(match self.function {
            Function::Avg => open.sum / number::u64_to_f64(open.count.max(1)),
            Function::Min => open.min,
            Function::Max => open.max,
            Function::Sum => open.sum,
            Function::First => open.first,
            Function::Last => open.last,
            Function::Count => return Data::Unsigned(open.count),
        })
    }
}

impl Open {
    fn new(start_s: i64, value: f64) -> Self {
        let (sum, min, max, first, last) = (value, value, value, value, value);
        Self { start_s, count: 1, sum, min, max, first, last }
    }

    fn with(self, value: f64) -> Self {
        Self {
            count: self.count.saturating_add(1),
            sum: self.sum + value,
            min: self.min.min(value),
            max: self.max.max(value),
            last: value,
            ..self
        }
    }

    /// As the step's state, which is a text. The shortest digits that read back as the same number.
    fn write(self) -> String {
        let Self { start_s, count, sum, min, max, first, last } = self;
        format!("{start_s} {count} {sum:e} {min:e} {max:e} {first:e} {last:e}")
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let start_s = parts.next()?.parse().ok()?;
        let count = parts.next()?.parse().ok()?;
        let mut float = || parts.next()?.parse::<f64>().ok();
        Some(Self {
            start_s,
            count,
            sum: float()?,
            min: float()?,
            max: float()?,
            first: float()?,
            last: float()?,
        })
    }
}
