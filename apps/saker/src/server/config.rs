//! From published configuration to what runs: directory, shards' plans, collectors.
//!
//! Called by the configuration's editor while it still holds its lock, so changes arrive one after
//! another and in order, and an edit is answered when it is live: the plans are in the shards'
//! queues before the directory of their epoch is published, and a shard takes plans before values.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arc_swap::ArcSwap;
use collect::{Collectors, Found, PreviousHost};
use db::{Delta, Snapshot};
use model::ItemId;
use pipeline::{Directory, DirectoryBuilder, PlanDelta, Target};

use super::shard::{Internal, Lanes};

/// The running image of the configuration.
pub(super) struct Running {
    builder: Mutex<DirectoryBuilder>,
    directory: ArcSwap<Directory>,
    lanes: Lanes,
    /// Started after the first plan.
    collectors: OnceLock<Collectors>,
}

impl Running {
    /// Builds everything from the first snapshot; gives the shards' first plans.
    pub(super) fn start(
        mut builder: DirectoryBuilder,
        snapshot: &Arc<Snapshot>,
        lanes: Lanes,
    ) -> (Self, Vec<PlanDelta>) {
        let (directory, plans) = builder.apply(snapshot, &Delta::default());
        let running = Self {
            builder: Mutex::new(builder),
            directory: ArcSwap::new(directory),
            lanes,
            collectors: OnceLock::new(),
        };
        (running, plans)
    }

    /// From now on changes reach the collectors too.
    pub(super) fn attach(&self, collectors: Collectors) {
        if self.collectors.set(collectors).is_err() {
            tracing::error!("collectors were attached twice");
        }
    }

    /// Takes over a change.
    pub(super) fn apply(&self, snapshot: &Arc<Snapshot>, delta: &Delta) {
        if delta.is_of_inventories() {
            return;
        }
        let (directory, plans) = {
            let mut builder = self.builder.lock().unwrap_or_else(PoisonError::into_inner);
            builder.apply(snapshot, delta)
        };
        for plan in plans {
            let shard = plan.shard;
            self.lanes.send(shard, Internal::Configure(Box::new(plan)));
        }
        self.directory.store(directory);
        if let Some(collectors) = self.collectors.get() {
            collectors.configure(snapshot, delta);
        }
    }

    pub(super) fn directory(&self) -> Arc<Directory> {
        self.directory.load_full()
    }

    pub(super) fn collectors(&self) -> Option<&Collectors> {
        self.collectors.get()
    }
}

/// The directory as the collectors see it.
struct Lookup(Arc<Directory>);

fn found(target: Target) -> Found {
    Found {
        target: ingress::Target { shard: target.shard, slot: target.slot },
        item: target.item,
        host: target.host,
        kind: target.kind,
        enabled: target.enabled,
        allow_traps: target.allow_traps,
        restricted: target.restricted,
    }
}

impl collect::Directory for Lookup {
    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    fn find(&self, host: &str, key: &str, previous: &mut PreviousHost) -> Option<Found> {
        if previous.name != host {
            host.clone_into(&mut previous.name);
            previous.position = self.0.position(host);
        }
        self.0.host_at(previous.position?)?.item(key).map(found)
    }

    fn item(&self, item: ItemId) -> Option<Found> {
        self.0.by_item(item).map(found)
    }
}

impl collect::Configuration for Running {
    fn directory(&self) -> Arc<dyn collect::Directory> {
        Arc::new(Lookup(Self::directory(self)))
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(self.directory.load().snapshot())
    }
}
