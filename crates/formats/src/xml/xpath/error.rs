//! Why a path finds nothing.

use thiserror::Error;

use crate::xml::XmlError;

/// Why a path can't be used or finds nothing that could be a value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum XPathError {
    /// The text is no XML.
    #[error(transparent)]
    Xml(#[from] XmlError),
    /// The path is malformed from here on.
    #[error("cannot parse xpath: {what} near \"{near}\"")]
    Syntax {
        /// The fault.
        what: &'static str,
        /// The rest of the path, shortened.
        near: String,
    },
    /// An operator or function got what it can't take.
    #[error("cannot evaluate xpath: {0}")]
    Evaluate(&'static str),
    /// The result is not a number or infinite.
    #[error("Invalid numeric value")]
    Number,
    /// The query took more steps than any sensible one.
    #[error("xpath query is too expensive")]
    TooExpensive,
}
