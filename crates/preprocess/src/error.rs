//! Errors of steps, in the words that users of Zabbix know.

use thiserror::Error;

/// Characters of an error that an item keeps. The rest is cut.
pub(super) const ERROR_CHARS_MAX: usize = 2_048;

/// Why a step has no result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StepError {
    /// The step cannot be used as it is configured.
    #[error("{0}")]
    Parameters(String),
    /// A step of a kind that this product does not run yet.
    #[error("preprocessing step of type {0} is not supported")]
    Unsupported(i16),
    /// The value does not fit the step.
    #[error("{0}")]
    Value(String),
    /// The value contains an error (the *check* steps).
    #[error("{0}")]
    Reported(String),
}

/// Why a value cannot be stored.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConvertError {
    /// No item stores such a large number.
    #[error("Value {0} is too small or too large.")]
    OutOfRange(String),
    /// It is no number.
    #[error(
        "Value of type \"{kind}\" is not suitable for value type \"{wanted}\". Value \"{value}\""
    )]
    Unsuitable {
        /// Kind of the value.
        kind: &'static str,
        /// The type that the item stores.
        wanted: &'static str,
        /// The value, perhaps cut.
        value: String,
    },
}

/// The first `n` characters.
pub(super) fn head(text: &str, n: usize) -> &str {
    if text.len() <= n {
        return text;
    }
    let end = text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or("")
}
