//! All that a shard was given, in one: to rebuild it.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::HostId;

use super::delta::{PlanDelta, Routes};
use super::lookup::Directory;
use super::plan::HostPlan;

/// The sum of all plans of a shard.
#[derive(Clone, Debug, Default)]
pub struct FullPlan {
    epoch: u64,
    shard: u16,
    slots_end: u32,
    hosts: BTreeMap<HostId, Arc<HostPlan>>,
    routes: Option<Routes>,
    directory: Option<Arc<Directory>>,
}

impl FullPlan {
    /// The sum after the first plan, which has the whole configuration.
    #[must_use]
    pub fn of(plan: &PlanDelta) -> Self {
        let mut whole = Self::default();
        whole.take(plan);
        whole
    }

    /// Notes a plan that is handed to the shard.
    pub fn take(&mut self, delta: &PlanDelta) {
        (self.epoch, self.shard, self.slots_end) = (delta.epoch, delta.shard, delta.slots_end);
        for host in &delta.removed {
            self.hosts.remove(host);
        }
        self.hosts.extend(delta.set.iter().map(|it| (it.host.id, Arc::clone(it))));
        if delta.routes.is_some() {
            self.routes.clone_from(&delta.routes);
        }
        self.directory.clone_from(&delta.directory);
    }

    /// The plan that gives an empty shard all of it.
    #[must_use]
    pub fn plan(&self) -> PlanDelta {
        PlanDelta {
            epoch: self.epoch,
            shard: self.shard,
            slots_end: self.slots_end,
            set: self.hosts.values().map(Arc::clone).collect(),
            removed: Vec::new(),
            routes: self.routes.clone(),
            directory: self.directory.clone(),
        }
    }
}
