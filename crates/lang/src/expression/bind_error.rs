//! Why an expression can't be stored.

use thiserror::Error;

use crate::error::ParseError;

/// Why an expression can't be stored.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BindError {
    /// The text is no expression.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// No such item.
    #[error("incorrect item key \"{key}\" provided for trigger expression on \"{host}\"")]
    UnknownItem {
        /// Host as written.
        host: String,
        /// Key as written.
        key: String,
    },
    /// No such function, or not usable on an item's history.
    #[error("unknown function \"{0}\"")]
    UnknownFunction(String),
    /// A function in a wrong place, such as one over many items in a trigger.
    #[error("incorrect usage of function \"{0}\"")]
    Usage(String),
    /// Parameters that the function does not take.
    #[error("{reason} in function \"{function}\"")]
    Parameters {
        /// Name of the function.
        function: String,
        /// The error.
        reason: String,
    },
    /// Nothing that could change.
    #[error("trigger expression must contain at least one /host/key reference")]
    NoItem,
    /// More functions than a trigger may have.
    #[error("more than 256 functions in one trigger")]
    TooManyFunctions,
    /// A stored expression names a function that is not in its list.
    #[error("no function with position {0}")]
    NoFunction(usize),
}
