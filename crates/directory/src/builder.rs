//! Builds directories and plans, one delta after the other.

use std::sync::{Arc, Weak};

use jiff::tz::TimeZone;
use model::map::{Map, Set};
use model::snapshot::{Delta, Host, Snapshot};
use model::{HostId, ItemId, TriggerId, partition_of};

use super::compile::{Cache, Compiler};
use super::delta::{PlanDelta, Routes};
use super::fingerprint::{Fingerprint, UsedMacros};
use super::hash::Hasher;
use super::layout::Layout;
use super::lookup::Directory;
use super::macros::{HostMacros, MacroCache};
use super::plan::{HostPlan, shard_of};
use super::slots::{Allocator, Slots};
use super::tag_holders::{TemplatesAbove, others};

/// Fixed for the life of the process.
#[derive(Clone, Debug)]
pub struct BuilderSettings {
    /// At least 1.
    pub n_shards: u16,
    /// Random, so that nobody outside can aim at collisions of names and keys.
    pub hash_seed: u64,
    /// Of the server: for functions of macros that write times.
    pub zone: TimeZone,
}

/// Holds the slots that are in use and what is compiled already.
#[derive(Debug)]
pub struct DirectoryBuilder {
    current: Directory,
    allocators: Vec<Allocator>,
    layouts: Map<Fingerprint, Weak<Layout>>,
    cache: Cache,
    macros: MacroCache,
    used: UsedMacros,
    /// Hosts that read items or triggers of other hosts.
    readers: Set<HostId>,
    /// Readers of an item or trigger: using partitions of each reading host.
    item_readers: Map<ItemId, Vec<HostId>>,
    trigger_readers: Map<TriggerId, Vec<HostId>>,
    /// Hosts with items that hand rows on, and of these, by address.
    n_dispatchers: usize,
    n_by_ip: usize,
}

impl DirectoryBuilder {
    #[must_use]
    pub fn new(settings: BuilderSettings) -> Self {
        let n_shards = settings.n_shards.max(1);
        Self {
            current: Directory::empty(n_shards, Hasher::new(settings.hash_seed)),
            allocators: (0..n_shards).map(|_| Allocator::default()).collect(),
            layouts: Map::default(),
            cache: Cache::default(),
            macros: MacroCache::new(settings.zone),
            used: UsedMacros::default(),
            readers: Set::default(),
            item_readers: Map::default(),
            trigger_readers: Map::default(),
            n_dispatchers: 0,
            n_by_ip: 0,
        }
    }

    /// The next directory and each shard's part of the change, one per shard in order. The first
    /// call builds everything, whatever `delta` says.
    pub fn apply(
        &mut self,
        snapshot: &Arc<Snapshot>,
        delta: &Delta,
    ) -> (Arc<Directory>, Vec<PlanDelta>) {
        let is_first = self.current.by_id.is_empty();
        let mut changed: Vec<HostId> = if is_first || delta.globals_changed {
            snapshot.hosts.keys().copied().collect()
        } else {
            delta.hosts_changed.clone()
        };
        if delta.regexps_changed {
            self.add_users_of_regexps(snapshot, &mut changed);
        }
        self.add_readers(snapshot, delta, &mut changed);
        self.current.epoch = snapshot.epoch;
        self.current.snapshot = Arc::clone(snapshot);
        let mut plans: Vec<PlanDelta> =
            (0..self.current.n_shards).map(|it| PlanDelta::empty(snapshot.epoch, it)).collect();
        let gone = changed.iter().filter(|it| !snapshot.hosts.contains_key(*it));
        for id in delta.hosts_removed.iter().chain(gone) {
            self.remove(*id, &mut plans);
        }
        for id in &changed {
            if let Some(host) = snapshot.hosts.get(id) {
                self.set(host, &mut plans);
            }
        }
        self.route(&mut plans);
        for (plan, allocator) in plans.iter_mut().zip(&self.allocators) {
            plan.slots_end = allocator.end();
        }
        if !delta.templates_changed.is_empty() || 64 < changed.len() {
            self.layouts.retain(|_, it| it.strong_count() != 0);
            self.macros.prune(snapshot);
            self.used.forget();
            self.cache.prune();
        }
        self.current.keep_addresses(0 < self.n_by_ip);
        let directory = Arc::new(self.current.clone());
        if 0 < self.n_dispatchers {
            plans.iter_mut().for_each(|it| it.directory = Some(Arc::clone(&directory)));
        }
        (directory, plans)
    }

    /// Hosts whose functions might name a global regular expression must be compiled again.
    fn add_users_of_regexps(&mut self, snapshot: &Snapshot, changed: &mut Vec<HostId>) {
        self.layouts.retain(|_, it| it.upgrade().is_some_and(|it| !it.may_use_regexps));
        if changed.len() == snapshot.hosts.len() {
            return;
        }
        let known: Set<HostId> = changed.iter().copied().collect();
        let users = self.current.by_id.values().filter(|it| it.layout.may_use_regexps);
        changed.extend(users.map(|it| it.host.id).filter(|it| !known.contains(it)));
    }

    /// Hosts that read what changed hosts have must be bound again.
    fn add_readers(&self, snapshot: &Snapshot, delta: &Delta, changed: &mut Vec<HostId>) {
        if self.readers.is_empty() || changed.len() == snapshot.hosts.len() {
            return;
        }
        let moved: Set<HostId> = changed.iter().chain(&delta.hosts_removed).copied().collect();
        let name_of = |id: &HostId| {
            let new = snapshot.hosts.get(id).map(|it| Arc::clone(&it.host));
            new.or_else(|| self.current.by_id.get(id).map(|it| Arc::clone(&it.host.host)))
        };
        let names: Set<Arc<str>> = moved.iter().filter_map(name_of).collect();
        for reader in self.readers.iter().filter(|it| !moved.contains(*it)) {
            let Some(plan) = self.current.by_id.get(reader) else { continue };
            let layout = &plan.layout;
            let reads = layout.mirrors.iter().any(|it| moved.contains(&it.host))
                || layout.foreign_masters.iter().any(|it| moved.contains(&it.0))
                || layout.named_hosts.iter().any(|it| names.contains(it));
            if reads {
                changed.push(*reader);
            }
        }
    }

    fn remove(&mut self, id: HostId, plans: &mut [PlanDelta]) {
        let Some(old) = self.current.by_id.get(&id).map(Arc::clone) else { return };
        self.current.remove(&old);
        self.forget_reader(&old);
        self.forget_dispatcher(&old);
        let shard = usize::from(old.shard);
        self.give_back(&old, shard);
        plans[shard].removed.push(id);
    }

    fn give_back(&mut self, old: &HostPlan, shard: usize) {
        match &old.slots {
            Slots::Run { first, len } => self.allocators[shard].give_back(*first, *len),
            Slots::List(list) => {
                list.iter().for_each(|it| self.allocators[shard].give_back(*it, 1));
            }
        }
    }

    fn set(&mut self, host: &Arc<Host>, plans: &mut [PlanDelta]) {
        let snapshot = Arc::clone(&self.current.snapshot);
        let macros = self.macros.of(&snapshot, host);
        let layout = self.layout(&snapshot, host, &macros);
        let partition = partition_of(host.id);
        let shard = shard_of(partition, self.current.n_shards);
        let old = self.current.by_id.get(&host.id).map(Arc::clone);
        if let Some(old) = &old {
            self.forget_reader(old);
            self.forget_dispatcher(old);
            if old.host.host != host.host {
                self.current.remove_name(old);
            }
        }
        let slots = self.slots(host, &layout, old.as_deref(), usize::from(shard));
        let templates = TemplatesAbove::new(&snapshot, host);
        let others = others(&snapshot, &layout, &mut self.macros);
        let host = Arc::clone(host);
        let plan = HostPlan { host, layout, macros, templates, others, slots, shard, partition };
        let plan = Arc::new(plan);
        self.note_reader(&plan);
        self.n_dispatchers += usize::from(plan.layout.dispatches.any);
        self.n_by_ip += usize::from(plan.layout.dispatches.by_ip);
        self.current.set(&plan);
        plans[usize::from(shard)].set.push(plan);
    }

    fn note_reader(&mut self, plan: &HostPlan) {
        let layout = &plan.layout;
        if layout.mirrors.is_empty()
            && layout.foreign_masters.is_empty()
            && layout.named_hosts.is_empty()
        {
            return;
        }
        self.readers.insert(plan.host.id);
        for mirror in &layout.mirrors {
            self.item_readers.entry(mirror.item).or_default().push(plan.host.id);
        }
        for (_, trigger) in &layout.foreign_masters {
            self.trigger_readers.entry(*trigger).or_default().push(plan.host.id);
        }
    }

    fn forget_dispatcher(&mut self, plan: &HostPlan) {
        self.n_dispatchers -= usize::from(plan.layout.dispatches.any);
        self.n_by_ip -= usize::from(plan.layout.dispatches.by_ip);
    }

    fn forget_reader(&mut self, plan: &HostPlan) {
        if !self.readers.remove(&plan.host.id) {
            return;
        }
        // Emptied entries stay: they are the routes that have to be taken back.
        for mirror in &plan.layout.mirrors {
            if let Some(readers) = self.item_readers.get_mut(&mirror.item) {
                readers.retain(|it| *it != plan.host.id);
            }
        }
        for (_, trigger) in &plan.layout.foreign_masters {
            if let Some(readers) = self.trigger_readers.get_mut(trigger) {
                readers.retain(|it| *it != plan.host.id);
            }
        }
    }

    /// Passes to each shard which of its items and triggers other partitions use. There are few:
    /// all are passed each time one might have changed.
    fn route(&mut self, plans: &mut [PlanDelta]) {
        if self.item_readers.is_empty() && self.trigger_readers.is_empty() {
            return;
        }
        let mut routes: Vec<Routes> = plans.iter().map(|_| Routes::default()).collect();
        let partitions = |readers: &[HostId]| {
            let mut list: Vec<u8> = readers.iter().map(|it| partition_of(*it)).collect();
            list.sort_unstable();
            list.dedup();
            list.into_boxed_slice()
        };
        for (item, readers) in &self.item_readers {
            if let Some(target) = self.current.by_item(*item) {
                let list = partitions(readers);
                routes[usize::from(target.shard)].items.push((*item, target.slot, list));
            }
        }
        for (trigger, readers) in &self.trigger_readers {
            if let Some((host, _)) = self.current.snapshot.trigger(*trigger) {
                let shard = shard_of(partition_of(host.id), self.current.n_shards);
                routes[usize::from(shard)].triggers.push((*trigger, partitions(readers)));
            }
        }
        self.item_readers.retain(|_, it| !it.is_empty());
        self.trigger_readers.retain(|_, it| !it.is_empty());
        for (plan, mut routes) in plans.iter_mut().zip(routes) {
            routes.items.sort_unstable();
            routes.triggers.sort_unstable();
            plan.routes = Some(routes);
        }
    }

    /// The layout of a host: a known one if all that it is made of is the same.
    fn layout(
        &mut self,
        snapshot: &Snapshot,
        host: &Arc<Host>,
        macros: &HostMacros,
    ) -> Arc<Layout> {
        let fingerprint = self.used.fingerprint(snapshot, host, macros);
        if let Some(known) = fingerprint.and_then(|it| self.layouts.get(&it)?.upgrade()) {
            return known;
        }
        let shared = (&mut self.cache, &self.current.hasher);
        let layout = Arc::new(Compiler::new(snapshot, host, macros, shared).compile());
        let is_shared = layout.mirrors.is_empty()
            && layout.foreign_masters.is_empty()
            && layout.named_hosts.is_empty();
        if let Some(fingerprint) = fingerprint.filter(|_| is_shared) {
            self.layouts.insert(fingerprint, Arc::downgrade(&layout));
        }
        layout
    }

    /// Slots by position: items that stay keep theirs.
    fn slots(
        &mut self,
        host: &Host,
        layout: &Layout,
        old: Option<&HostPlan>,
        shard: usize,
    ) -> Slots {
        let len = u32::try_from(layout.items.len()).expect("a host has fewer than 2^32 items");
        let Some(old) = old else {
            return Slots::Run { first: self.allocators[shard].take(len), len };
        };
        let id_of = |layout: &Layout, host: &Host, at: u32| layout.item_id(host, at);
        let same = old.layout.items.len() == layout.items.len()
            && (0..len).all(|at| id_of(&old.layout, &old.host, at) == id_of(layout, host, at));
        if same {
            return old.slots.clone();
        }
        let allocator = &mut self.allocators[shard];
        let mut known: Map<ItemId, u32> = (0..old.slots.len())
            .filter_map(|at| Some((id_of(&old.layout, &old.host, at)?, old.slots.get(at)?)))
            .collect();
        let kept: Vec<Option<u32>> =
            (0..len).map(|at| known.remove(&id_of(layout, host, at)?)).collect();
        let n_new = kept.iter().filter(|it| it.is_none()).count();
        let mut next = allocator.take(u32::try_from(n_new).expect("counted below 2^32"));
        let slots = kept.into_iter().map(|kept| {
            kept.unwrap_or_else(|| {
                next += 1;
                next - 1
            })
        });
        let slots = Slots::List(slots.collect());
        let mut freed: Vec<u32> = known.into_values().collect();
        freed.sort_unstable();
        freed.into_iter().for_each(|it| allocator.give_back(it, 1));
        slots
    }
}
