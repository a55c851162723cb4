//! The look-up of one epoch: hosts by name and id, items by key and id.

use std::net::IpAddr;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};
use model::content::ItemType;
use model::map::Set;
use model::snapshot::Snapshot;
use model::{HostId, ItemId, partition_of};

use super::hash::Hasher;
use super::plan::{HostPlan, ItemTarget, ItemView, shard_of};

/// Buckets of host names: 100,000 hosts make 24 a bucket, and a change of one host copies one
/// bucket and this many pointers (some 20 µs).
const BUCKETS: usize = 4096;

/// Addresses with their hosts, if any item asks by address.
pub(super) type Addresses = Option<OrdSet<(IpAddr, HostId)>>;

/// A found host, to look up several of its keys.
#[derive(Clone, Copy, Debug)]
pub struct HostRef<'a> {
    pub(super) directory: &'a Directory,
    pub plan: &'a Arc<HostPlan>,
}

impl HostRef<'_> {
    /// The live item or rule with this configured key.
    #[inline]
    #[must_use]
    pub fn item(&self, key: &str) -> Option<ItemTarget> {
        let plan = self.plan;
        let layout = &plan.layout;
        let position = layout.find(&self.directory.hasher, &plan.host, key)?;
        plan.target(position)
    }
}

#[derive(Clone, Debug)]
struct Named {
    tag: u32,
    plan: Arc<HostPlan>,
}

/// The lookup of one epoch. Immutable.
#[derive(Clone, Debug)]
pub struct Directory {
    pub(super) epoch: u64,
    pub(super) n_shards: u16,
    pub(super) hasher: Hasher,
    /// Monitored and unmonitored hosts by technical name.
    buckets: Box<[Arc<Vec<Named>>]>,
    pub(super) by_id: OrdMap<HostId, Arc<HostPlan>>,
    /// Only while some item hands rows on by address.
    pub(super) addresses: Addresses,
    pub(super) snapshot: Arc<Snapshot>,
}

fn place(hash: u64) -> (usize, u32) {
    let bucket = usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0) % BUCKETS;
    (bucket, u32::try_from(hash >> 32).unwrap_or(0))
}

impl Directory {
    pub(super) fn empty(n_shards: u16, hasher: Hasher) -> Self {
        let none = Arc::new(Vec::new());
        Self {
            epoch: 0,
            n_shards,
            hasher,
            buckets: (0..BUCKETS).map(|_| Arc::clone(&none)).collect(),
            by_id: OrdMap::new(),
            addresses: None,
            snapshot: Arc::default(),
        }
    }

    /// The configuration's epoch: stamp batches with it.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    #[must_use]
    pub fn n_shards(&self) -> u16 {
        self.n_shards
    }

    /// The configuration that this lookup was built from.
    #[must_use]
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// The shard that owns a host.
    #[must_use]
    pub fn shard_of_host(&self, host: HostId) -> u16 {
        shard_of(partition_of(host), self.n_shards)
    }

    /// A host by technical name.
    #[inline]
    #[must_use]
    pub fn host(&self, name: &str) -> Option<HostRef<'_>> {
        self.position(name).and_then(|it| self.host_at(it))
    }

    /// As [`Self::host`], as a number that is valid for this directory only; for callers that can't
    /// hold a reference.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        let (bucket, tag) = place(self.hasher.hash(name));
        let in_bucket = self.buckets.get(bucket)?;
        let at =
            in_bucket.iter().position(|it| it.tag == tag && it.plan.host.host.as_ref() == name)?;
        Some(at * BUCKETS + bucket)
    }

    /// The host at a position that [`Self::position`] gave.
    #[must_use]
    pub fn host_at(&self, position: usize) -> Option<HostRef<'_>> {
        let named = self.buckets.get(position % BUCKETS)?.get(position / BUCKETS)?;
        Some(HostRef { directory: self, plan: &named.plan })
    }

    /// An item or rule by host name and configured key.
    #[must_use]
    pub fn lookup(&self, host: &str, key: &str) -> Option<ItemTarget> {
        self.host(host)?.item(key)
    }

    /// As [`Self::lookup`] for many rows; rows of one host next to each other cost least.
    pub fn lookup_batch<'a>(
        &self,
        rows: impl Iterator<Item = (&'a str, &'a str)>,
        out: &mut Vec<Option<ItemTarget>>,
    ) {
        let mut previous: Option<(&str, Option<HostRef<'_>>)> = None;
        for (name, key) in rows {
            let found = match previous {
                Some((known, found)) if known == name => found,
                _ => self.host(name),
            };
            previous = Some((name, found));
            out.push(found.and_then(|it| it.item(key)));
        }
    }

    /// A host by id.
    #[must_use]
    pub fn by_host(&self, host: HostId) -> Option<&Arc<HostPlan>> {
        self.by_id.get(&host)
    }

    /// A live item or rule by id.
    #[must_use]
    pub fn by_item(&self, item: ItemId) -> Option<ItemTarget> {
        let (_, (last, holder)) = self.snapshot.item_runs.range(..=item).next_back()?;
        if *last < item {
            return None;
        }
        self.by_id.get(holder)?.by_item(item)
    }

    /// All hosts, by id.
    pub fn hosts(&self) -> impl Iterator<Item = &Arc<HostPlan>> {
        self.by_id.values()
    }

    /// How many different layouts its hosts have: compiled parts exist so many times.
    #[must_use]
    pub fn n_layouts(&self) -> usize {
        let layouts: Set<usize> =
            self.by_id.values().map(|it| Arc::as_ptr(&it.layout).addr()).collect();
        layouts.len()
    }

    /// How many triggers are judged: enabled ones of monitored hosts, all of whose items are enabled
    /// on monitored hosts.
    #[must_use]
    pub fn n_enabled_triggers(&self) -> usize {
        let monitored = self.by_id.values().filter(|it| it.is_enabled());
        let of_host = monitored.map(|plan| {
            let triggers = plan.layout.triggers.iter().filter(|it| it.is_enabled);
            triggers.filter(|it| it.items.iter().all(|at| self.is_collected(plan, *at))).count()
        });
        of_host.sum()
    }

    /// Whether an item of a monitored host, by position, is enabled where it is collected.
    fn is_collected(&self, plan: &HostPlan, position: u32) -> bool {
        match plan.layout.mirror(position) {
            Some(mirror) => self.by_item(mirror.item).is_some_and(|it| it.enabled),
            None => plan.layout.item(position).is_some_and(|it| it.is_enabled),
        }
    }

    /// The enabled active-agent items of a host; none if the host is not monitored or unknown.
    pub fn active_items(&self, host: &str) -> impl Iterator<Item = ItemView<'_>> {
        let plan = self.host(host).map(|it| it.plan);
        plan.into_iter()
            .flat_map(|it| it.items())
            .filter(|it| it.target.enabled && it.target.kind == ItemType::ZabbixAgentActive)
    }

    /// All enabled items that the scheduler asks for; calculated items are the shards' own work.
    pub fn polled(&self) -> impl Iterator<Item = ItemView<'_>> {
        let is_polled = |it: &ItemType| it.is_polled() && !matches!(it, ItemType::Calculated);
        self.hosts()
            .filter(|it| it.is_enabled())
            .flat_map(|it| it.items())
            .filter(move |it| it.target.enabled && is_polled(&it.target.kind))
    }

    pub(super) fn set(&mut self, plan: &Arc<HostPlan>) {
        let (bucket, tag) = place(self.hasher.hash(&plan.host.host));
        let named = Named { tag, plan: Arc::clone(plan) };
        if let Some(old) = self.by_id.get(&plan.host.id).map(Arc::clone) {
            self.remove_addresses(&old);
        }
        self.add_addresses(plan);
        let hosts = Arc::make_mut(&mut self.buckets[bucket]);
        match hosts.iter_mut().find(|it| it.plan.host.id == plan.host.id) {
            Some(it) => *it = named,
            None => hosts.push(named),
        }
        self.by_id.insert(plan.host.id, Arc::clone(plan));
    }

    pub(super) fn remove(&mut self, plan: &HostPlan) {
        self.remove_name(plan);
        self.remove_addresses(plan);
        self.by_id.remove(&plan.host.id);
    }

    pub(super) fn remove_name(&mut self, plan: &HostPlan) {
        let (bucket, _) = place(self.hasher.hash(&plan.host.host));
        let hosts = Arc::make_mut(&mut self.buckets[bucket]);
        hosts.retain(|it| it.plan.host.id != plan.host.id);
    }
}
