//! Rows of escalations and alerts in the database.

use std::collections::BTreeMap;

use alert::Alert;
use alert::escalation::{Batch, Escalation};
use model::EventId;

/// What the database has of actions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Saved {
    pub(crate) escalations: BTreeMap<u64, Escalation>,
    pub(crate) next_id: u64,
    /// Up to which event all are judged.
    pub(crate) judged: EventId,
    /// In the order in which they were saved.
    pub(crate) alerts: Vec<Alert>,
}

impl Saved {
    pub(crate) fn save(&mut self, batch: Batch, (next_id, judged): (u64, EventId)) {
        for (id, it) in batch.changed {
            // In the form in which it is saved, which has to hold all of it.
            let ids = (it.id, it.action, it.event);
            let read = Escalation::read(ids, it.next_at, &it.body()).expect("as it was written");
            self.escalations.insert(id, read);
        }
        for id in batch.ended {
            self.escalations.remove(&id);
        }
        self.alerts.extend(batch.alerts);
        (self.next_id, self.judged) = (next_id, judged);
    }
}
