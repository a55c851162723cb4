//! Which items take a trap.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lang::global_regexp::TextPattern;
use model::Time;
use model::key::ItemKey;
use model::snapshot::{ItemRow, Snapshot};

use crate::resolve::Context;

/// Patterns that are kept compiled; with more, all are compiled again.
const PATTERNS_MAX: usize = 10_000;

/// A trap as items see it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TrapText {
    /// The sender: an address, or in files a name.
    pub(super) from: String,
    pub(super) text: String,
    pub(super) time: Time,
}

/// The traps that an item takes.
#[derive(Clone)]
pub(super) enum Wanted {
    /// Traps that match; `None`: all.
    Matching(Option<Arc<TextPattern>>),
    /// Traps that no other item of the interface takes.
    Rest,
}

#[derive(Default)]
pub(super) struct Matcher {
    patterns: Mutex<BTreeMap<String, Arc<TextPattern>>>,
}

impl Matcher {
    /// Global expressions have changed.
    pub(super) fn forget(&self) {
        self.patterns.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The traps that an item takes.
    ///
    /// # Errors
    /// The mistake in its key, for the user.
    pub(super) fn wanted(
        &self,
        context: &Context<'_>,
        snapshot: &Snapshot,
        row: &ItemRow,
    ) -> Result<Wanted, String> {
        let key = row.key();
        let key = context.key(&key).map_err(|it| format!("{it}."))?;
        let key =
            ItemKey::parse(&key).map_err(|_position| "Invalid item key format.".to_owned())?;
        match (key.name.as_str(), key.params.len()) {
            ("snmptrap.fallback", 0) => Ok(Wanted::Rest),
            ("snmptrap", 0 | 1) => match key.param(0) {
                "" => Ok(Wanted::Matching(None)),
                pattern => self.pattern(pattern, snapshot).map(|it| Wanted::Matching(Some(it))),
            },
            ("snmptrap", _) => Err("Too many parameters.".to_owned()),
            _ => Err("Unsupported item key for this item type.".to_owned()),
        }
    }

    fn pattern(&self, written: &str, snapshot: &Snapshot) -> Result<Arc<TextPattern>, String> {
        let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = patterns.get(written) {
            return Ok(Arc::clone(known));
        }
        let compiled = TextPattern::new(written, &snapshot.globals.regexps);
        let compiled = Arc::new(compiled.map_err(|it| it.to_string())?);
        if PATTERNS_MAX <= patterns.len() {
            patterns.clear();
        }
        patterns.insert(written.to_owned(), Arc::clone(&compiled));
        Ok(compiled)
    }
}
