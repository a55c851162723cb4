//! Parameters of functions, as they count and as people see them.

use crate::macros::Expand;

/// Parameters of a function, macros replaced.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Parameters {
    pub(super) resolved: String,
    /// For people: values of secret macros are asterisks.
    pub(super) shown: String,
}

impl Parameters {
    pub(super) fn new(expand: &Expand<'_>, written: &str) -> Self {
        Self { resolved: expand.text(written), shown: expand.shown(written) }
    }
}
