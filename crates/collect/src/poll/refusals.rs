//! Items that are not polled and that get no values as they are configured, such as active ones
//! whose key, update interval or time-out cannot be read ([`collectors::refusal`]). The item shows
//! the error, after the start and whenever the item's host changes.

use std::collections::BTreeSet;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use model::batch::RawRef;
use model::content::{HostStatus, ItemStatus};
use model::snapshot::{Delta, Host, Snapshot};
use model::{HostId, ItemId};
use rt::clock::Clock;
use tokio::sync::Notify;
use tokio::task::yield_now;

use crate::Configuration;
use crate::collectors::{self, Listening};
use ingress::Ingress;
use ingress::{BATCH_ROWS, Closed};

/// Hosts that are checked without letting other tasks run: some 50 µs each where every item is an
/// active one.
const HOSTS_A_TURN: usize = 20;

pub(super) struct Refusals {
    configuration: Arc<dyn Configuration>,
    listening: Listening,
    clock: Clock,
    changed: Mutex<Changed>,
    wake: Notify,
}

/// Hosts to check.
enum Changed {
    All,
    Some(BTreeSet<HostId>),
}

impl Refusals {
    pub(super) fn new(
        configuration: Arc<dyn Configuration>,
        listening: Listening,
        clock: Clock,
    ) -> Self {
        let changed = Mutex::new(Changed::All);
        Self { configuration, listening, clock, changed, wake: Notify::new() }
    }

    /// Takes over a change.
    pub(super) fn configure(&self, delta: &Delta) {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *changed {
            _ if delta.globals_changed => *changed = Changed::All,
            Changed::All => {}
            Changed::Some(hosts) => hosts.extend(&delta.hosts_changed),
        }
        drop(changed);
        self.wake.notify_one();
    }

    /// Posts the errors of items until the receiver of values is gone: then the process is
    /// stopping.
    pub(super) async fn run(self: Arc<Self>, ingress: Ingress) {
        while self.post_changed(&ingress).await.is_ok() {
            self.wake.notified().await;
        }
    }

    async fn post_changed(&self, ingress: &Ingress) -> Result<(), Closed> {
        let snapshot = self.configuration.snapshot();
        for hosts in self.take_changed(&snapshot).chunks(HOSTS_A_TURN) {
            let hosts = hosts.iter().filter_map(|it| snapshot.hosts.get(it));
            let refused: Vec<_> = hosts.flat_map(|it| self.of_host(&snapshot, it)).collect();
            for refused in refused.chunks(BATCH_ROWS) {
                self.post(ingress, refused).await?;
            }
            yield_now().await;
        }
        Ok(())
    }

    fn take_changed(&self, snapshot: &Snapshot) -> Vec<HostId> {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        match mem::replace(&mut *changed, Changed::Some(BTreeSet::new())) {
            Changed::All => snapshot.hosts.keys().copied().collect(),
            Changed::Some(hosts) => hosts.into_iter().collect(),
        }
    }

    fn of_host(&self, snapshot: &Snapshot, host: &Arc<Host>) -> Vec<(ItemId, String)> {
        if host.status != HostStatus::Monitored {
            return Vec::new();
        }
        let rows = host.items.iter();
        let rows = rows.filter(|it| it.is_live() && it.content.status == ItemStatus::Enabled);
        let refused = rows.filter_map(|row| {
            let reason = collectors::refusal(&self.listening, snapshot, host, row)?;
            Some((row.id, reason))
        });
        refused.collect()
    }

    async fn post(&self, ingress: &Ingress, refused: &[(ItemId, String)]) -> Result<(), Closed> {
        let request = {
            let directory = self.configuration.directory();
            let mut request = ingress.request(directory.epoch());
            let now = self.clock.wall();
            for (item, reason) in refused {
                let found = directory.item(*item).filter(|it| it.enabled);
                let pushed = found.map(|it| request.push(it.target, now, RawRef::Error(reason)));
                if !matches!(pushed, Some(Ok(()))) {
                    request.refuse();
                }
            }
            request
        };
        ingress.post(request).await
    }
}
