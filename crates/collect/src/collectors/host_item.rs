//! An item as a collector reads it to prepare a check.

use std::borrow::Cow;

use lang::lld::EscapeTarget;
use model::content::ItemContent;
use model::snapshot::ItemRow;

use super::request::CheckResult;
use crate::resolve::Context;

/// An item, with the values of the macros in its texts on its host.
pub(crate) struct HostItem<'a> {
    pub(crate) row: &'a ItemRow,
    pub(crate) context: &'a Context<'a>,
}

impl HostItem<'_> {
    pub(crate) fn content(&self) -> &ItemContent {
        &self.row.content
    }

    /// A text of a request: user macros, those of host and item, and of discovered items those of
    /// their row, each value written as `target` takes it.
    pub(crate) fn text(&self, text: &str, target: EscapeTarget) -> String {
        self.context.request_text(self.row, text, target)
    }

    /// A text that contains code: only user macros are replaced, and in discovered items the values
    /// of their row.
    pub(crate) fn code(&self, text: &str) -> String {
        self.context.code_text(self.row, text)
    }

    /// The enabled item of the same host with this configured key.
    pub(crate) fn sibling(&self, key: &str) -> Option<model::ItemId> {
        self.context.sibling(key)
    }

    /// The key with the macros in its parameters replaced.
    ///
    /// # Errors
    /// The result of a check whose key cannot be read.
    pub(crate) fn key(&self) -> Result<Cow<'_, str>, CheckResult> {
        let key = match self.row.key() {
            Cow::Borrowed(key) => self.context.key(key),
            Cow::Owned(key) => self.context.key(&key).map(Cow::into_owned).map(Cow::Owned),
        };
        key.map_err(|error| CheckResult::Refused(format!("{error}.")))
    }
}
