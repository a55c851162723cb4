//! The result of a path, or its error.

use thiserror::Error;

use crate::json::JsonError;

/// Why a path can't be used or a query fails.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathError {
    /// The path does not begin at the document, or says nothing more.
    #[error("JSONPath query must start with the root object/element $.")]
    Root,
    /// The path ends in the middle of something.
    #[error("jsonpath was unexpectedly terminated")]
    Terminated,
    /// The path is malformed from here on.
    #[error("unsupported construct in jsonpath starting with: \"{0}\"")]
    Syntax(String),
    /// The text is no JSON document.
    #[error("{}", .0.plain())]
    Json(#[from] JsonError),
    /// A function over what it can't be calculated of.
    #[error("{0}")]
    Function(String),
    /// A filter that can't be calculated.
    #[error("cannot calculate jsonpath filter: {0}")]
    Filter(String),
    /// The query visited more nodes than any sensible one.
    #[error("jsonpath query is too expensive")]
    TooExpensive,
}

/// The result of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathValue {
    /// Nothing.
    Nothing,
    /// A `null`; as text it is that word.
    Null,
    /// The value of a definite path or of a function, as text.
    Value(String),
    /// The matches of an indefinite path: a JSON array.
    Values(String),
}

impl PathValue {
    /// As text; `None` for nothing.
    #[must_use]
    pub fn into_text(self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Null => Some("null".to_owned()),
            Self::Value(it) | Self::Values(it) => Some(it),
        }
    }
}
