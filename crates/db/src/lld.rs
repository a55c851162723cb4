//! Low-level discovery: from the rows that a rule found to items, triggers, graphs and hosts.
//!
//! **Identity** of a discovered item is (rule, prototype, key expanded with the row), of a
//! discovered trigger or graph (rule, prototype, the items it uses): other macro values may change without
//! changing it. Discovered objects share the content of their prototype; the row hangs on them.
//!
//! What happens to an object that a run does not name follows the rule's lifetime settings: it is
//! marked lost and deleted or disabled at once, later ([`crate::Db::lld_sweep`]), or never. A run
//! that changes nothing writes nothing.

mod apply;
mod dependencies;
mod errors;
pub(crate) mod expand;
mod fields;
mod graphs;
mod hosts;
mod lifetime;
mod overrides;
mod rows;
mod wanted_host;

use std::sync::Arc;

pub use errors::{RuleError, RuleErrors};

/// `{#MACRO}` and value, sorted by macro.
pub type LldRow = Arc<model::snapshot::LldRow>;

/// What a run of a rule did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LldReport {
    pub n_created: usize,
    pub n_updated: usize,
    /// Newly lost.
    pub n_lost: usize,
    pub n_deleted: usize,
    pub n_disabled: usize,
    /// The value could not be used at all: the rule is not supported.
    pub is_unsupported: bool,
    /// What the rule shows as its error: why, or which objects could not be made. Empty if all went
    /// well.
    pub error: String,
}

impl LldReport {
    /// Of a value that the rule can't use.
    fn unsupported(error: String) -> Self {
        Self { is_unsupported: true, error, ..Self::default() }
    }

    /// Adds to what the rule shows.
    fn tell(&mut self, what: &str) {
        // The rule shows the first ones; thousands of equal rows must not make megabytes.
        const ERROR_BYTES_MAX: usize = 8_192;
        if self.error.len() < ERROR_BYTES_MAX {
            self.error.push_str(what);
        }
    }
}
