//! The inputs of an evaluation.

use formats::number;
use jiff::tz::TimeZone;
use model::{Time, ValueType};

/// The inputs of an evaluation apart from the values.
#[derive(Debug, Clone, Copy)]
pub struct FunctionContext<'a> {
    /// Time of evaluation: of the value that caused it, or of the timer.
    pub now: Time,
    /// Zone for time shifts.
    pub zone: &'a TimeZone,
    /// Value type of the item.
    pub value_type: ValueType,
    /// `nodata` knows nothing about the time before this: start of the server, creation or
    /// enabling of the item, end of a maintenance without data.
    pub data_since: Time,
    /// How much later than expected data may arrive (a proxy that lags); `nodata` waits as much longer,
    /// unless strict. Seconds.
    pub late_s: i64,
    /// Numbers nearer than this are equal.
    pub epsilon: f64,
}

impl<'a> FunctionContext<'a> {
    /// A context without lateness and with the usual tolerance.
    #[must_use]
    pub fn new(now: Time, zone: &'a TimeZone, value_type: ValueType) -> Self {
        let epsilon = number::EPSILON;
        Self { now, zone, value_type, data_since: Time::ZERO, late_s: 0, epsilon }
    }
}
