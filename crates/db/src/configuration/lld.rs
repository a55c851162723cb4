//! Low-level discovery: from the rows that a rule found to items, triggers, graphs and hosts.
//!
//! **Identity** of a discovered item is (rule, prototype, key expanded with the row), of a
//! discovered trigger or graph (rule, prototype, the items it uses): other macro values may change without
//! changing it. Discovered objects share the content of their prototype; the row hangs on them.
//!
//! **Rules** that rows make of rule prototypes are discovered items of another kind. Their prototypes are those of
//! the rule prototype: nothing is copied. A row of such a rule is what it found itself and, for macros that it did not
//! find, the row that made the rule ([`rows`]).
//!
//! An object that a run does not name follows the rule's lifetime settings: it is marked lost and
//! deleted or disabled at once, later ([`crate::Db::lld_sweep`]), or never. A run that changes
//! nothing writes nothing.

mod apply;
mod carry_out;
mod dependencies;
mod errors;
pub(crate) mod expand;
mod fields;
mod graphs;
mod groups;
mod hosts;
mod lifetime;
mod made;
mod nested;
mod overrides;
mod rows;
mod same_triggers;
mod wanted_host;

use std::sync::Arc;

use model::ItemId;

pub use errors::{RuleError, RuleErrors};

/// `{#MACRO}` and value, sorted by macro.
pub type LldRow = Arc<model::snapshot::LldRow>;

/// The result of a run of a rule.
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
    /// Rules of the type *Nested* that the rows made or made again, and those of hosts that they made, each
    /// with the JSON of its row: where it has its own rows from.
    pub nested: Vec<(ItemId, String)>,
    /// The error that the rule shows: the reason, or the objects that could not be made. Empty if
    /// all went well.
    pub error: String,
}

impl LldReport {
    /// Of a value that the rule can't use.
    fn unsupported(error: String) -> Self {
        Self { is_unsupported: true, error, ..Self::default() }
    }

    /// Adds what was carried out to what was planned.
    fn with(mut self, done: Self) -> Self {
        self.n_created += done.n_created;
        self.n_updated += done.n_updated;
        self.n_lost += done.n_lost;
        self.n_deleted += done.n_deleted;
        self.n_disabled += done.n_disabled;
        self.nested.extend(done.nested);
        self.add_text(&done.error);
        self
    }

    /// Adds to what the rule shows.
    fn add_text(&mut self, what: &str) {
        // The rule shows the first ones; thousands of equal rows must not make megabytes.
        const ERROR_BYTES_MAX: usize = 8_192;
        if self.error.len() < ERROR_BYTES_MAX {
            self.error.push_str(what);
        }
    }
}
