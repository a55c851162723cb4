//! Rows of escalations and alerts in the database.

use std::collections::BTreeMap;

use alert::digest::Recipient;
use alert::escalation::{Batch, Escalation};
use alert::{Alert, AlertStatus};
use model::EventId;

/// What the database has of actions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Saved {
    pub(crate) escalations: BTreeMap<u64, Escalation>,
    pub(crate) next_id: u64,
    /// Up to which event all are judged.
    pub(crate) judged: EventId,
    /// In the order in which they were saved: the first has id 1.
    pub(crate) alerts: Vec<Alert>,
}

/// A digest, and the alerts that it tells.
#[derive(Clone, Debug)]
pub(crate) struct Digest {
    pub(crate) alert: Alert,
    pub(crate) members: Vec<u64>,
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
        for alert in batch.alerts {
            self.add(alert);
        }
        (self.next_id, self.judged) = (next_id, judged);
    }

    /// Adds digests; gives their ids.
    pub(crate) fn add_digests(&mut self, digests: &[Digest]) -> Vec<u64> {
        let ids = digests.iter().map(|it| {
            let id = self.add(it.alert.clone());
            self.alerts[at(id)].digest = id;
            id
        });
        ids.collect()
    }

    fn add(&mut self, alert: Alert) -> u64 {
        let id = self.alerts.len() as u64 + 1;
        self.alerts.push(Alert { id, ..alert });
        id
    }

    /// Notes at the members of digests which one tells them.
    pub(crate) fn tell(&mut self, ids: &[u64], digests: &[Digest]) {
        for (id, Digest { alert, members }) in ids.iter().zip(digests) {
            for member in members {
                let it = &mut self.alerts[at(*member)];
                let is_held = it.status == AlertStatus::Held && it.digest == 0;
                assert!(is_held, "{id} tells what does not wait: {it:?}");
                assert!(it.next_at <= alert.clock, "{id} tells too early: {it:?}");
                assert_eq!(Recipient::of(it), Recipient::of(alert), "{id} tells another one's");
                (it.digest, it.next_at) = (*id, 0);
            }
        }
    }
}

/// Where an alert stands.
fn at(id: u64) -> usize {
    usize::try_from(id).expect("few") - 1
}
