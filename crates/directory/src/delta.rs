//! A change of configuration for one shard.

use std::sync::Arc;

use model::{HostId, ItemId, TriggerId};

use super::lookup::Directory;
use super::plan::HostPlan;

/// The changes by which one shard reaches `epoch`: pass it to `pipeline::Shard::configure`.
#[derive(Clone, Debug)]
pub struct PlanDelta {
    pub epoch: u64,
    pub shard: u16,
    /// All slots are below.
    pub slots_end: u32,
    pub set: Vec<Arc<HostPlan>>,
    pub removed: Vec<HostId>,
    /// All routes of the shard, if any may have changed.
    pub routes: Option<Routes>,
    /// For items that hand rows on to other hosts, if there are any.
    pub directory: Option<Arc<Directory>>,
}

/// Which items and triggers of a shard other partitions use.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    /// Item, its slot, the partitions that use it (none: no longer).
    pub items: Vec<(ItemId, u32, Box<[u8]>)>,
    pub triggers: Vec<(TriggerId, Box<[u8]>)>,
}

impl PlanDelta {
    pub(super) fn empty(epoch: u64, shard: u16) -> Self {
        Self {
            epoch,
            shard,
            slots_end: 0,
            set: Vec::new(),
            removed: Vec::new(),
            routes: None,
            directory: None,
        }
    }

    /// Whether nothing of the shard changes but the epoch. It has to be handed over all the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.removed.is_empty() && self.routes.is_none()
    }
}
