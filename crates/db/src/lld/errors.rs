//! What discovery rules show as their error: kept in memory, saved now and then.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use model::ItemId;
use model::map::Set;

use crate::schema::RULE_ERRORS;
use crate::sql::{Cell, Conflict, Rows, Workers, as_int};
use crate::{DbError, Snapshot};

/// A rule of a thousand rows may have an error for each; this many characters of them are kept.
const CHARS_MAX: usize = 2_048;

/// The errors of the rules' last results. A rule whose last result was applied whole has none.
pub struct RuleErrors {
    errors: RwLock<Errors>,
    workers: Arc<Workers>,
}

#[derive(Default)]
struct Errors {
    by_rule: BTreeMap<ItemId, Arc<str>>,
    unsaved: Set<ItemId>,
}

impl fmt::Debug for RuleErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RuleErrors")
    }
}

impl RuleErrors {
    pub(crate) fn open(workers: Arc<Workers>) -> Result<Self, DbError> {
        let by_rule = workers.read("load errors of rules", |sql| {
            let mut by_rule = BTreeMap::new();
            sql.query("select itemid, error from rule_errors", &[], &mut |row| {
                by_rule.insert(ItemId(row.id(0)?), row.text(1)?.into());
                Ok(true)
            })?;
            Ok(by_rule)
        })?;
        Ok(Self { errors: RwLock::new(Errors { by_rule, unsaved: Set::default() }), workers })
    }

    /// `None` for rules whose last result was applied whole, or that had none yet.
    #[must_use]
    pub fn get(&self, rule: ItemId) -> Option<Arc<str>> {
        self.read().by_rule.get(&rule).cloned()
    }

    /// Takes over what a rule's last result gave; an empty text is no error.
    pub fn set(&self, rule: ItemId, error: &str) {
        let error = error.trim_end();
        let end = error.char_indices().nth(CHARS_MAX).map_or(error.len(), |(at, _)| at);
        let error = error.get(..end).unwrap_or(error);
        if self.read().by_rule.get(&rule).map_or("", |it| it) == error {
            return;
        }
        let mut errors = self.write();
        if error.is_empty() {
            errors.by_rule.remove(&rule);
        } else {
            errors.by_rule.insert(rule, error.into());
        }
        errors.unsaved.insert(rule);
    }

    /// Saves what changed since the last call, and forgets rules that do not exist any more.
    pub(crate) fn flush(&self, snapshot: &Snapshot) -> Result<(), DbError> {
        let (ids, rows, gone) = self.take_unsaved(snapshot);
        if ids.is_empty() {
            return Ok(());
        }
        let saved = self.workers.write("save errors of rules", move |sql| {
            sql.delete(&RULE_ERRORS, "itemid", &gone)?;
            sql.insert(&rows, Conflict::Update)?;
            Ok(())
        });
        if saved.is_err() {
            self.write().unsaved.extend(ids);
        }
        saved
    }

    fn take_unsaved(&self, snapshot: &Snapshot) -> (Vec<ItemId>, Rows, Vec<i64>) {
        let mut errors = self.write();
        let Errors { by_rule, unsaved } = &mut *errors;
        by_rule.retain(|rule, _| {
            let exists = snapshot.item(*rule).is_some();
            if !exists {
                unsaved.insert(*rule);
            }
            exists
        });
        let ids: Vec<ItemId> = unsaved.drain().collect();
        let mut rows = Rows::new(&RULE_ERRORS);
        let mut gone = Vec::new();
        for id in &ids {
            match by_rule.get(id) {
                Some(error) => rows.push([Cell::id(id.0), Cell::text(&**error)]),
                None => gone.push(as_int(id.0)),
            }
        }
        (ids, rows, gone)
    }

    fn read(&self) -> RwLockReadGuard<'_, Errors> {
        self.errors.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Errors> {
        self.errors.write().unwrap_or_else(PoisonError::into_inner)
    }
}
