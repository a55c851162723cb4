//! Which items take a trap.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lang::global_regexp::TextPattern;
use model::batch::RawRef;
use model::content::Interface;
use model::key::ItemKey;
use model::snapshot::{Host, ItemRow, Snapshot};
use model::{ItemId, Time};

use super::hosts::is_trap_item;
use super::{SnmpTraps, TrapParts};
use crate::resolve::Context;
use ingress::Closed;

/// Patterns that are kept compiled; with more, all are compiled anew.
const PATTERNS_MAX: usize = 10_000;

/// A trap as items see it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// Where it comes from: an address, or in files a name.
    pub(super) from: String,
    pub(super) text: String,
    pub(super) time: Time,
}

/// What an item takes.
#[derive(Clone)]
pub(super) enum Wanted {
    /// What matches; `None`: everything.
    Matching(Option<Arc<TextPattern>>),
    /// What no other item of the interface takes.
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

    /// What an item takes.
    ///
    /// # Errors
    /// What is wrong with its key, in words for the user.
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

impl SnmpTraps {
    /// Gives traps to the items that take them, and waits until they are written.
    pub(super) async fn post(&self, said: &[Said], parts: &TrapParts) -> Result<(), Closed> {
        let snapshot = parts.configuration.snapshot();
        let mut left = said.iter();
        loop {
            let request = {
                let directory = parts.configuration.directory();
                let mut request = parts.ingress.request(directory.epoch());
                for trap in left.by_ref() {
                    for item in self.takers(&snapshot, trap) {
                        let found = directory.item(item).filter(|it| it.enabled);
                        let value = RawRef::Text(&trap.text);
                        let pushed = found.map(|it| request.push(it.target, trap.time, value));
                        match pushed {
                            Some(Ok(())) => self.metrics.values_total.inc(),
                            _ => request.refuse(),
                        }
                    }
                    if request.is_full() {
                        break;
                    }
                }
                request
            };
            if request.is_empty() {
                return Ok(());
            }
            parts.ingress.submit(request).await?;
        }
    }

    /// The items that take a trap.
    fn takers(&self, snapshot: &Snapshot, trap: &Said) -> Vec<ItemId> {
        self.metrics.received_total.inc();
        let (mut takers, mut is_known) = (Vec::new(), false);
        for id in self.hosts.at(&trap.from) {
            let Some(host) = snapshot.hosts.get(&id) else { continue };
            for interface in self.hosts.interfaces(snapshot, host, &trap.from) {
                is_known = true;
                takers.extend(self.takers_at(snapshot, host, interface, &trap.text));
            }
        }
        if !is_known {
            self.metrics.unknown_total.inc();
        } else if takers.is_empty() {
            self.metrics.unmatched_total.inc();
        }
        takers
    }

    fn takers_at(
        &self,
        snapshot: &Snapshot,
        host: &Arc<Host>,
        interface: &Interface,
        text: &str,
    ) -> Vec<ItemId> {
        let (mut takers, mut rest) = (Vec::new(), Vec::new());
        for row in host.items.iter().filter(|it| is_trap_item(it)) {
            if host.interface_of(row).map(|it| it.interfaceid) != Some(interface.interfaceid) {
                continue;
            }
            let context = self.hosts.context(snapshot, host, row);
            match self.matcher.wanted(&context, snapshot, row) {
                Ok(Wanted::Matching(None)) => takers.push(row.id),
                // A pattern that takes too long is none that matches.
                Ok(Wanted::Matching(Some(it))) if it.is_match(text).unwrap_or(false) => {
                    takers.push(row.id);
                }
                Ok(Wanted::Rest) => rest.push(row.id),
                // Told already: that is why it takes none.
                Ok(Wanted::Matching(Some(_))) | Err(_) => {}
            }
        }
        if takers.is_empty() { rest } else { takers }
    }
}
