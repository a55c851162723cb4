//! Errors of functions without a value.

use thiserror::Error;

/// Parameters that don't fit the function.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParamError {
    /// Too few or too many.
    #[error("invalid number of parameters")]
    Count,
    /// This one (from 1, the item being number 0) can't be read.
    #[error("invalid {} parameter", ordinal(*.position))]
    Invalid {
        /// Position after the item.
        position: usize,
    },
    /// An operator, pattern or mode that does not fit.
    #[error("{0}")]
    Pattern(String),
    /// A function over many items where one over a single item is wanted.
    #[error("incorrect usage of function \"{0}\"")]
    ManyItems(String),
    /// No such function.
    #[error("unknown function \"{0}\"")]
    UnknownFunction(String),
}

/// Parameters count from the item: a period is the second.
fn ordinal(position: usize) -> &'static str {
    const NAMES: [&str; 7] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"];
    NAMES.get(position).copied().unwrap_or("next")
}

/// Why a function has no value now.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FunctionError {
    /// Too few values in the window.
    #[error("not enough data")]
    NotEnoughData,
    /// The function does not take values of the item's type.
    #[error("invalid value type")]
    ValueType,
    /// The item is not supported at present.
    #[error("item is not supported")]
    ItemUnsupported,
    /// Data collection began too recently to know whether data are missing.
    #[error("item does not have enough data after server start or item creation")]
    TooEarly,
    /// A time shift outside the calendar.
    #[error("invalid second parameter")]
    Shift,
    /// A pattern that could not be matched in reasonable time, and the like.
    #[error("{0}")]
    Pattern(String),
    /// This product does not evaluate the function yet.
    #[error("function is not supported yet")]
    Unsupported,
    /// The parameters don't fit.
    #[error(transparent)]
    Parameters(#[from] ParamError),
}

/// The text that users see: `Cannot evaluate function last(/host/key,#2): not enough data.` An empty
/// host or key is not known and shown as `?`.
#[must_use]
pub fn error_text(
    function: &str,
    host: &str,
    key: &str,
    params: &str,
    error: &dyn std::fmt::Display,
) -> String {
    let or_unknown = |it| if str::is_empty(it) { "?" } else { it };
    let (host, key) = (or_unknown(host), or_unknown(key));
    let comma = if params.is_empty() { "" } else { "," };
    let error = error.to_string();
    let colon = if error.is_empty() { "" } else { ": " };
    format!("Cannot evaluate function {function}(/{host}/{key}{comma}{params}){colon}{error}.")
}

#[cfg(test)]
mod tests {
    use super::error_text;

    #[test]
    fn unknown_parts_of_an_error_are_left_out() {
        let text = |host, params, error| error_text("last", host, "k", params, error);
        assert_eq!(
            text("h", "#2", &"not enough data"),
            "Cannot evaluate function last(/h/k,#2): not enough data."
        );
        assert_eq!(text("", "", &""), "Cannot evaluate function last(/?/k).");
    }
}
