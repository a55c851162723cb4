//! Changes since the last turn of a manager.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use model::map::Set;

use crate::configuration::objects::service::SERVICE;
use crate::handle::Db;
use crate::locks::lock;

/// Changes since the last turn: services, and whether there are any changes at all. One for all
/// managers of a process: subscriptions to changes never end.
#[derive(Clone, Debug, Default)]
pub struct ServiceChanges {
    /// Services that changed and are not looked at yet.
    pub(super) changed: Arc<Mutex<Set<u64>>>,
    pub(super) has_changes: Arc<AtomicBool>,
}

impl ServiceChanges {
    /// Hears of changes of services and problems from now on, and calls `wake` after each.
    #[must_use]
    pub fn of(db: &Db, wake: impl Fn() + Clone + Send + Sync + 'static) -> Self {
        let changes = Self::default();
        let (of_edits, wake_of_edits) = (changes.clone(), wake.clone());
        db.subscribe(Box::new(move |_, delta| {
            let of_services = delta.documents_changed.iter();
            let ids =
                of_services.filter(|(kind, _)| *kind == SERVICE.object.name).map(|(_, id)| *id);
            if of_edits.take_note(ids) {
                wake_of_edits();
            }
        }));
        let has_changes = Arc::clone(&changes.has_changes);
        db.events().watch(Box::new(move |_| {
            has_changes.store(true, Ordering::Release);
            wake();
        }));
        changes
    }

    /// Whether it is new that one of them has changed.
    fn take_note(&self, services: impl Iterator<Item = u64>) -> bool {
        let mut changed = lock(&self.changed);
        let before = changed.len();
        changed.extend(services);
        let is_new = before != changed.len();
        if is_new {
            self.has_changes.store(true, Ordering::Release);
        }
        is_new
    }
}
