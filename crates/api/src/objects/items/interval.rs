//! Update intervals as users write them.

use lang::interval::{IntervalFault, fault, validate};
use model::field_path::FieldPath;

use crate::error::ApiError;
use crate::objects::items::rules::single::Macros;

/// # Errors
/// If the text is no interval. Values of macros are known only at run time.
pub(crate) fn check(delay: &str, macros: Macros, path: &FieldPath) -> Result<(), ApiError> {
    let wrong = |what: &str| Err(ApiError::field(path, what));
    if delay.is_empty() {
        return wrong("cannot be empty");
    }
    if delay.contains("{#") && macros == Macros::User {
        return wrong("a time unit is expected");
    }
    match fault(delay) {
        Some(IntervalFault::Time) => wrong("a time unit is expected"),
        Some(IntervalFault::Part(at)) => {
            let rest = delay.get(at..).unwrap_or_default();
            wrong(&format!("incorrect syntax near \"{rest}\""))
        }
        Some(IntervalFault::TooLong) => wrong("value must be one of 0-86400"),
        Some(IntervalFault::Zero) => wrong("cannot be equal to zero without custom intervals"),
        Some(IntervalFault::OnlyZeros) => wrong("cannot have only zero intervals"),
        Some(IntervalFault::ZeroAllWeek) => {
            wrong("cannot have flexible intervals with zero interval for all times")
        }
        // An interval by which no check would ever run.
        None if validate(delay).is_err() => {
            wrong("must have at least one interval with active period")
        }
        None => Ok(()),
    }
}
