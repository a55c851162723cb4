//! The two ways in which a server fails: it may answer later, or waiting does not help.

use history::Error;

pub(crate) fn away(reason: impl Into<String>) -> Error {
    Error::Away { reason: reason.into().into() }
}

pub(crate) fn refused(reason: impl Into<String>) -> Error {
    Error::Refused { reason: reason.into().into() }
}
