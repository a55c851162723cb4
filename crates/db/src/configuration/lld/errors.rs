//! Errors of discovery rules: kept in memory, saved periodically.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use model::ItemId;
use model::map::Set;

use super::LldReport;
use crate::Snapshot;
use crate::error::DbError;
use crate::locks;
use crate::sql::schema::RULE_STATES;
use crate::sql::{Cell, Conflict, Rows, Workers, as_int};

/// A rule of a thousand rows may have an error for each; this many characters of them are kept.
const CHARS_MAX: usize = 2_048;

/// The error of the last result of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleError {
    /// It could not be used at all.
    pub is_unsupported: bool,
    pub text: Arc<str>,
}

/// The errors of the rules' last results. A rule whose last result was applied whole has none.
pub struct RuleErrors {
    errors: RwLock<Errors>,
    workers: Arc<Workers>,
}

#[derive(Default)]
struct Errors {
    by_rule: BTreeMap<ItemId, RuleError>,
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
            let all = "select itemid, state, error from rule_states";
            sql.query(all, &[], &mut |row| {
                let error =
                    RuleError { is_unsupported: row.int(1)? != 0, text: row.text(2)?.into() };
                by_rule.insert(ItemId(row.id(0)?), error);
                Ok(true)
            })?;
            Ok(by_rule)
        })?;
        Ok(Self { errors: RwLock::new(Errors { by_rule, unsaved: Set::default() }), workers })
    }

    /// `None` for rules whose last result was applied whole, or that had none yet.
    #[must_use]
    pub fn get(&self, rule: ItemId) -> Option<RuleError> {
        self.read().by_rule.get(&rule).cloned()
    }

    /// Takes over what a rule's last result gave; an empty text is no error.
    pub(crate) fn set(&self, rule: ItemId, report: &LldReport) {
        let error = report.error.as_str();
        let end = error.char_indices().nth(CHARS_MAX).map_or(error.len(), |(at, _)| at);
        let error = error.get(..end).unwrap_or(error);
        let is_unsupported = report.is_unsupported;
        let is_known = |it: &RuleError| it.is_unsupported == is_unsupported && *it.text == *error;
        if self.read().by_rule.get(&rule).map_or(error.is_empty(), is_known) {
            return;
        }
        let mut errors = self.write();
        if error.is_empty() {
            errors.by_rule.remove(&rule);
        } else {
            errors.by_rule.insert(rule, RuleError { is_unsupported, text: error.into() });
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
            sql.delete(&RULE_STATES, "itemid", &gone)?;
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
        let mut rows = Rows::new(&RULE_STATES);
        let mut gone = Vec::new();
        for id in &ids {
            match by_rule.get(id) {
                Some(it) => rows.push([
                    Cell::id(id.0),
                    Cell::Int(it.is_unsupported.into()),
                    Cell::text(&*it.text),
                ]),
                None => gone.push(as_int(id.0)),
            }
        }
        (ids, rows, gone)
    }

    fn read(&self) -> RwLockReadGuard<'_, Errors> {
        locks::read(&self.errors)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Errors> {
        locks::write(&self.errors)
    }
}
