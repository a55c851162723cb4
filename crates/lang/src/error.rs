//! Errors of texts that users write.

use thiserror::Error;

/// A text that does not parse.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The text does not follow the grammar from byte `position` on.
    #[error("incorrect expression starting from \"{near}\"")]
    Syntax {
        /// Byte offset.
        position: usize,
        /// Beginning of the rest of the text from there.
        near: String,
    },
    /// A number that does not fit.
    #[error("number is out of range starting from \"{near}\"")]
    NumberRange {
        /// Byte offset.
        position: usize,
        /// Beginning of the rest of the text from there.
        near: String,
    },
    /// Parentheses or calls are nested too deeply.
    #[error("nesting level is too deep starting from \"{near}\"")]
    TooDeep {
        /// Byte offset.
        position: usize,
        /// Beginning of the rest of the text from there.
        near: String,
    },
    /// The text is longer than any the product accepts.
    #[error("text is longer than {bytes_max} bytes")]
    TooLong {
        /// The limit.
        bytes_max: usize,
    },
}

/// Characters of the rest of a text that an error shows.
const NEAR_CHARS: usize = 255;

impl ParseError {
    /// A syntax error at byte `position` of `text`.
    #[must_use]
    pub fn syntax(text: &str, position: usize) -> Self {
        Self::Syntax { position, near: near(text, position) }
    }

    pub(crate) fn number(text: &str, position: usize) -> Self {
        Self::NumberRange { position, near: near(text, position) }
    }

    pub(crate) fn too_deep(text: &str, position: usize) -> Self {
        Self::TooDeep { position, near: near(text, position) }
    }

    /// Byte offset of the error, where it has one.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        match self {
            Self::Syntax { position, .. }
            | Self::NumberRange { position, .. }
            | Self::TooDeep { position, .. } => Some(*position),
            Self::TooLong { .. } => None,
        }
    }
}

fn near(text: &str, position: usize) -> String {
    let mut start = position.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    text.get(start..).unwrap_or("").chars().take(NEAR_CHARS).collect()
}
