//! The inputs of macro functions, and their errors.

use jiff::tz::TimeZone;
use model::Time;
use thiserror::Error;

/// The inputs of macro functions.
#[derive(Debug, Clone, Copy)]
pub struct FuncEnv<'a> {
    /// Zone of `fmttime`.
    pub zone: &'a TimeZone,
    /// A time of day without a date is on this day.
    pub now: Time,
}

static UTC: TimeZone = TimeZone::UTC;

impl<'a> FuncEnv<'a> {
    /// With times in a zone, for texts that hold no times of day.
    #[must_use]
    pub fn new(zone: &'a TimeZone) -> Self {
        Self { zone, now: Time::ZERO }
    }
}

impl FuncEnv<'_> {
    /// With times in UTC.
    #[must_use]
    pub fn utc() -> Self {
        Self::new(&UTC)
    }
}

/// Why a macro function has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FuncError {
    /// No such function.
    #[error("unknown macro function \"{0}\"")]
    Unknown(String),
    /// Wrong number or kind of parameters.
    #[error("invalid parameters of macro function")]
    Parameters,
    /// The macro's value does not fit.
    #[error("macro value does not fit the macro function")]
    Value,
}
