//! From published configuration to what runs: the directory and the shards' plans.
//!
//! Called by the configuration's editor while it still holds its lock, so changes arrive one after
//! another and in order, and an edit is answered when it is live: the plans are in the shards'
//! mailboxes before the directory of their epoch is published, and a shard takes plans before values.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use directory::{Directory, DirectoryBuilder, PlanDelta};
use model::snapshot::{Delta, Snapshot};

use crate::mailboxes::{Mailboxes, ShardMessage};

/// The configuration that shards work with.
#[derive(Debug)]
pub struct RunningConfiguration {
    builder: Mutex<DirectoryBuilder>,
    directory: ArcSwap<Directory>,
    mailboxes: Mailboxes,
}

impl RunningConfiguration {
    /// Builds everything from the first snapshot; gives the shards' first plans.
    #[must_use]
    pub fn start(
        mut builder: DirectoryBuilder,
        snapshot: &Arc<Snapshot>,
        mailboxes: Mailboxes,
    ) -> (Self, Vec<PlanDelta>) {
        let (directory, plans) = builder.apply(snapshot, &Delta::default());
        let builder = Mutex::new(builder);
        (Self { builder, directory: ArcSwap::new(directory), mailboxes }, plans)
    }

    /// Takes over a change; waits for room in the mailboxes.
    pub fn apply(&self, snapshot: &Arc<Snapshot>, delta: &Delta) {
        let (directory, plans) = {
            let mut builder = self.builder.lock().unwrap_or_else(PoisonError::into_inner);
            builder.apply(snapshot, delta)
        };
        for plan in plans {
            let shard = plan.shard;
            self.mailboxes.send(shard, ShardMessage::Configure(Box::new(plan)));
        }
        self.directory.store(directory);
    }

    #[must_use]
    pub fn directory(&self) -> Arc<Directory> {
        self.directory.load_full()
    }

    /// The snapshot that the directory was built from.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(self.directory.load().snapshot())
    }
}
