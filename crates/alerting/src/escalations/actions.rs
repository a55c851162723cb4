//! The actions of the configuration, read when it changes.

use std::sync::Arc;

use alert::action::Action;
use model::document::Document;
use model::snapshot::Snapshot;
use tracing::warn;

/// All actions, by id.
#[derive(Debug, Default)]
pub(super) struct Actions {
    list: Vec<Arc<Action>>,
    read_of: Vec<Arc<Document>>,
    epoch: Option<u64>,
}

impl Actions {
    /// Reads them again if the configuration has changed.
    pub(super) fn renew(&mut self, snapshot: &Snapshot) {
        if self.epoch == Some(snapshot.epoch) {
            return;
        }
        self.epoch = Some(snapshot.epoch);
        let all: Vec<Arc<Document>> = snapshot.documents.of("action").cloned().collect();
        // Patterns of conditions may be global ones.
        let regexps = &snapshot.globals.regexps;
        let read = |it: &Arc<Document>| Arc::new(Action::read(it.id, &it.body, regexps));
        self.list = all.iter().map(read).collect();
        let is_new = |it: &Arc<Action>| {
            let document = all.iter().find(|of| of.id == it.id);
            !self.read_of.iter().any(|of| document.is_some_and(|it| Arc::ptr_eq(it, of)))
        };
        for it in self.list.iter().filter(|it| it.is_enabled && is_new(it)) {
            if let Some(fault) = it.filter.fault() {
                warn!(action = %it.name, %fault, "an action concerns no event");
            }
        }
        self.read_of = all;
    }

    pub(super) fn get(&self, id: u64) -> Option<Arc<Action>> {
        let at = self.list.binary_search_by_key(&id, |it| it.id).ok()?;
        self.list.get(at).cloned()
    }

    pub(super) fn enabled(&self) -> impl Iterator<Item = &Arc<Action>> {
        self.list.iter().filter(|it| it.is_enabled)
    }

    /// Enabled ones with conditions that nothing meets, whatever happens.
    pub(super) fn n_faulty(&self) -> usize {
        self.enabled().filter(|it| it.filter.fault().is_some()).count()
    }
}
