//! Builds directories and plans, one delta after the other.

use std::sync::Arc;

use model::content::{ItemFlags, ItemStatus};
use model::map::Map;
use model::snapshot::{Delta, Host, Snapshot};
use model::{HostId, partition_of};

use super::hash::Hasher;
use super::keys::KeyTable;
use super::layout::{ItemPlan, Layout};
use super::slots::{Allocator, Slots};
use super::{Directory, HostPlan, PlanDelta, shard_of};

/// Fixed for the life of the process.
#[derive(Clone, Copy, Debug)]
pub struct BuilderSettings {
    /// At least 1.
    pub n_shards: u16,
    /// Random, so that nobody outside can aim at collisions of names and keys.
    pub hash_seed: u64,
}

/// Holds the slots that are in use and what is compiled already.
#[derive(Debug)]
pub struct DirectoryBuilder {
    current: Directory,
    allocators: Vec<Allocator>,
}

impl DirectoryBuilder {
    #[must_use]
    pub fn new(settings: BuilderSettings) -> Self {
        let n_shards = settings.n_shards.max(1);
        Self {
            current: Directory::empty(n_shards, Hasher::new(settings.hash_seed)),
            allocators: (0..n_shards).map(|_| Allocator::default()).collect(),
        }
    }

    /// The next directory and each shard's part of the change, one per shard in order. The first
    /// call builds everything, whatever `delta` says.
    pub fn apply(
        &mut self,
        snapshot: &Arc<Snapshot>,
        delta: &Delta,
    ) -> (Arc<Directory>, Vec<PlanDelta>) {
        let is_first = self.current.epoch == 0 && self.current.by_id.is_empty();
        let everything = is_first || delta.globals_changed;
        let changed: Vec<HostId> = if everything {
            snapshot.hosts.keys().copied().collect()
        } else {
            delta.hosts_changed.clone()
        };
        self.current.epoch = snapshot.epoch;
        self.current.snapshot = Arc::clone(snapshot);
        let mut plans: Vec<PlanDelta> = (0..self.current.n_shards)
            .map(|shard| PlanDelta {
                epoch: snapshot.epoch,
                shard,
                slots_end: 0,
                set: Vec::new(),
                removed: Vec::new(),
            })
            .collect();
        let gone = changed.iter().filter(|it| !snapshot.hosts.contains_key(*it));
        for id in delta.hosts_removed.iter().chain(gone) {
            self.remove(*id, &mut plans);
        }
        for id in &changed {
            if let Some(host) = snapshot.hosts.get(id) {
                self.set(host, &mut plans);
            }
        }
        for (plan, allocator) in plans.iter_mut().zip(&self.allocators) {
            plan.slots_end = allocator.end();
        }
        (Arc::new(self.current.clone()), plans)
    }

    fn remove(&mut self, id: HostId, plans: &mut [PlanDelta]) {
        let Some(old) = self.current.by_id.get(&id).map(Arc::clone) else { return };
        self.current.remove(&old);
        let shard = usize::from(old.shard);
        for slot in old.slots.iter() {
            self.allocators[shard].give_back(slot, 1);
        }
        plans[shard].removed.push(id);
    }

    fn set(&mut self, host: &Arc<Host>, plans: &mut [PlanDelta]) {
        let layout = Arc::new(self.layout(host));
        let partition = partition_of(host.id);
        let shard = shard_of(partition, self.current.n_shards);
        let old = self.current.by_id.get(&host.id).map(Arc::clone);
        let slots = self.slots(host, &layout, old.as_deref(), usize::from(shard));
        if let Some(old) = old.filter(|it| it.host.host != host.host) {
            self.current.remove_name(&old);
        }
        let plan = Arc::new(HostPlan { host: Arc::clone(host), layout, slots, shard, partition });
        self.current.set(&plan);
        plans[usize::from(shard)].set.push(plan);
    }

    fn layout(&self, host: &Host) -> Layout {
        let live = host.items.iter().enumerate().filter(|(_, it)| it.is_live());
        let items: Box<[ItemPlan]> = live
            .map(|(row, it)| ItemPlan {
                row: u32::try_from(row).expect("a host has fewer than 2^32 items"),
                kind: it.content.kind,
                value_type: it.content.value_type,
                is_enabled: it.content.status == ItemStatus::Enabled,
                is_rule: it.flags == ItemFlags::Rule,
                allow_traps: it.content.allow_traps,
                restricted: !it.content.trapper_hosts.is_empty(),
            })
            .collect();
        let rows: Box<[u32]> = items.iter().map(|it| it.row).collect();
        let keys = rows.iter().map(|it| host.items[*it as usize].key());
        Layout {
            keys: KeyTable::new(&self.current.hasher, keys),
            n_own: u32::try_from(items.len()).expect("a host has fewer than 2^32 items"),
            items,
            rows,
        }
    }

    /// Slots by position: items that stay keep theirs.
    fn slots(
        &mut self,
        host: &Host,
        layout: &Layout,
        old: Option<&HostPlan>,
        shard: usize,
    ) -> Slots {
        let allocator = &mut self.allocators[shard];
        let id_of = |host: &Host, plan: &ItemPlan| host.items[plan.row as usize].id;
        let Some(old) = old else {
            return Slots::Run { first: allocator.take(layout.n_own), len: layout.n_own };
        };
        let same = old.layout.items.len() == layout.items.len()
            && old
                .layout
                .items
                .iter()
                .zip(&layout.items)
                .all(|(a, b)| id_of(&old.host, a) == id_of(host, b));
        if same {
            return old.slots.clone();
        }
        let mut known: Map<_, u32> = old
            .layout
            .items
            .iter()
            .zip(old.slots.iter())
            .map(|(it, slot)| (id_of(&old.host, it), slot))
            .collect();
        let kept: Vec<Option<u32>> =
            layout.items.iter().map(|it| known.remove(&id_of(host, it))).collect();
        let n_new = kept.iter().filter(|it| it.is_none()).count();
        let mut next = allocator.take(u32::try_from(n_new).expect("counted below 2^32"));
        let slots = kept.into_iter().map(|kept| {
            kept.unwrap_or_else(|| {
                next += 1;
                next - 1
            })
        });
        let slots = Slots::List(slots.collect());
        for slot in known.into_values() {
            allocator.give_back(slot, 1);
        }
        slots
    }
}
