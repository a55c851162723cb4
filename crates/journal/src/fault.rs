//! Reactions of readers to errors.

use crate::error::Error;

/// The reaction to an error of the journal: the one policy of its readers. Only records known to be
/// damaged are skipped; those that may be good never are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorAction {
    /// It may pass: a disk that does not answer, no descriptors left.
    Retry,
    /// The record can never be read.
    Skip,
    /// The place is not in the journal. The operator has to decide.
    Halt,
}

impl ErrorAction {
    #[must_use]
    pub fn of(error: &Error) -> Self {
        match error {
            Error::Corrupt { .. } => Self::Skip,
            it if it.retry() => Self::Retry,
            _ => Self::Halt,
        }
    }
}
