//! From configuration to what runs: which shard and slot an item has, and each shard's plan.
//!
//! [`DirectoryBuilder::apply`] turns a snapshot and a delta into the next [`Directory`] (immutable;
//! the owner of the process publishes it) and one [`PlanDelta`] per shard that is touched.
//!
//! Hosts with the same items and triggers share one *layout*: keys, compiled programs, bindings.
//! A host itself is an id, a pointer to its layout and a run of slots, so a template linked to
//! 10,000 hosts is compiled once.
//!
//! Invariants:
//! - The owner hands plans to the shards *before* it publishes the directory, and a shard takes
//!   plans before batches: so no batch is newer than the plan it meets.
//! - A slot is never moved while its item lives; it is born with an epoch, and batches looked up
//!   before that epoch are refused for it.
//! - Lookup is by configured key: LLD macros expanded, user macros not.

mod builder;
mod compile;
mod dispatch;
mod fingerprint;
mod hash;
mod keys;
mod layout;
mod macros;
mod members;
mod quick;
mod slots;
mod spans;
pub mod steps;
mod whole;

use std::sync::Arc;

use imbl::OrdMap;
use lang::functions::error_text;
use lang::macros::{Answer, Search, TokenKind, split_index, substitute};
use model::content::ItemType;
use model::map::Set;
use model::snapshot::{Host, ItemRow, LldRow, Snapshot};
use model::{HostId, ItemId, PARTITIONS, TriggerId, ValueType, partition_of};

pub use builder::{BuilderSettings, DirectoryBuilder};
pub use compile::{event_name, expanded, expression_macros, expressions_of};
use dispatch::Addresses;
pub use dispatch::{NoRoute, Route};
use hash::Hasher;
pub use layout::{
    Bound, Formula, FunctionPlan, ItemPlan, Layout, Master, NameMacro, Quick, RefusedCall,
    TriggerPlan, Way,
};
pub use macros::{HostMacros, host_macro};
pub use members::Member;
use slots::Slots;
pub use spans::span_of;
pub use whole::WholePlan;

/// Buckets of host names: 100,000 hosts make 24 a bucket, and a change of one host copies one
/// bucket and this many pointers (some 20 µs).
const BUCKETS: usize = 4096;

/// Where an item lives and what whoever feeds it has to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    pub shard: u16,
    pub slot: u32,
    pub item: ItemId,
    pub host: HostId,
    pub kind: ItemType,
    pub value_type: ValueType,
    /// The item and its host are enabled.
    pub enabled: bool,
    /// A discovery rule.
    pub is_rule: bool,
    /// An HTTP agent item that also takes pushed values.
    pub allow_traps: bool,
    /// The item names the hosts that may push to it (`trapper_hosts`).
    pub restricted: bool,
}

/// The shard thread that owns a partition.
#[must_use]
pub fn shard_of(partition: u8, n_shards: u16) -> u16 {
    let share = usize::from(partition) * usize::from(n_shards.max(1)) / PARTITIONS;
    u16::try_from(share).unwrap_or(0)
}

/// A host as it runs: shared by the directory and the shard that owns it.
#[derive(Debug)]
pub struct HostPlan {
    pub host: Arc<Host>,
    pub layout: Arc<Layout>,
    pub macros: Arc<HostMacros>,
    /// By position in the layout.
    pub slots: Slots,
    pub shard: u16,
    pub partition: u8,
}

impl HostPlan {
    #[must_use]
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// The user macros that count here.
    #[must_use]
    pub fn macros(&self) -> &Arc<HostMacros> {
        &self.macros
    }

    #[must_use]
    pub fn shard(&self) -> u16 {
        self.shard
    }

    #[must_use]
    pub fn partition(&self) -> u8 {
        self.partition
    }

    /// Whether the host is monitored.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.host.status == model::content::HostStatus::Monitored
    }

    fn target(&self, position: u32) -> Option<Target> {
        let plan = self.layout.items.get(position as usize)?;
        let row = self.host.items.get(plan.row as usize)?;
        Some(Target {
            shard: self.shard,
            slot: self.slots.get(position)?,
            item: row.id,
            host: self.host.id,
            kind: plan.kind,
            value_type: plan.value_type,
            enabled: plan.is_enabled && self.is_enabled(),
            is_rule: plan.is_rule,
            allow_traps: plan.allow_traps,
            restricted: plan.restricted,
        })
    }

    /// The live item or rule with this id.
    #[must_use]
    pub fn by_item(&self, item: ItemId) -> Option<Target> {
        let row = self.host.items.binary_search_by_key(&item, |it| it.id).ok()?;
        let row = u32::try_from(row).ok()?;
        // Positions are in order of rows; mirrors of other hosts' items come last.
        let own = self.layout.items.get(..self.layout.n_own as usize)?;
        let position = own.binary_search_by_key(&row, |it| it.row).ok()?;
        self.target(u32::try_from(position).ok()?)
    }

    /// A text with discovery macros of `row`, user macros and those of the host replaced.
    #[must_use]
    pub fn resolve(&self, text: &str, row: Option<&LldRow>) -> String {
        if !text.contains('{') {
            return text.to_owned();
        }
        self.of_host(&self.macros.expand(text, row))
    }

    /// As [`Self::resolve`], for texts that people read: secret macros are asterisks.
    #[must_use]
    pub fn shown(&self, text: &str, row: Option<&LldRow>) -> String {
        if !text.contains('{') {
            return text.to_owned();
        }
        self.of_host(&self.macros.expand_shown(text, row))
    }

    fn of_host(&self, text: &str) -> String {
        substitute(text, Search::BASIC, &self.macros.env(), &mut |token, inner| match token.kind {
            TokenKind::Macro | TokenKind::FuncMacro => {
                let name = inner.trim_matches(['{', '}']);
                host_macro(&self.host, split_index(name).0).into()
            }
            _ => Answer::Keep,
        })
    }

    /// Host and configured key of an item by position.
    pub fn names(&self, position: u32) -> (Arc<str>, String) {
        let row = self.layout.item(position).and_then(|it| self.host.items.get(it.row as usize));
        match (row, self.layout.mirror(position)) {
            (Some(row), _) => (Arc::clone(&self.host.host), row.key().into_owned()),
            (None, Some(mirror)) => (Arc::clone(&mirror.host_name), mirror.key.to_string()),
            (None, None) => ("".into(), String::new()),
        }
    }

    /// The sentence that users see of a function that does not take its parameters.
    pub fn refusal(&self, call: &RefusedCall) -> String {
        let (host, key) = self.names(call.position);
        error_text(&call.function, &host, &key, &call.parameters, &call.why)
    }

    /// Why an operand never has a value.
    fn never(&self, operand: &Bound) -> Option<Arc<str>> {
        match operand {
            Bound::Unknown(why) => Some(Arc::clone(why)),
            Bound::Refused(call) => Some(self.refusal(call).into()),
            _ => None,
        }
    }

    /// What a trigger of this host reads.
    ///
    /// # Errors
    /// Why it never has a value.
    pub fn reads_of(&self, trigger: TriggerId) -> Result<Reads, Arc<str>> {
        let layout = &self.layout;
        let id_of = |row: u32| self.host.triggers.get(row as usize).map(|it| it.id);
        let mut reads = Reads::default();
        let plan = layout.triggers.iter().find(|it| id_of(it.row) == Some(trigger));
        let Some(plan) = plan else { return Ok(reads) };
        for formula in [Some(&plan.problem), plan.recovery.as_ref()].into_iter().flatten() {
            let formula = formula.as_ref().map_err(Arc::clone)?;
            functions_of(layout, formula).for_each(|it| reads.add(it));
        }
        // An operand without a value leaves it to the others to decide, if there are any.
        if let Ok(problem) = &plan.problem
            && functions_of(layout, problem).next().is_none()
            && let Some(why) = problem.operands.iter().find_map(|it| self.never(it))
        {
            return Err(why);
        }
        let mut positions = plan.items.to_vec();
        for formula in plan.name_macros.iter().filter_map(|it| it.formula.as_ref().ok()) {
            for function in functions_of(layout, formula) {
                reads.add(function);
                if !positions.contains(&function.position) {
                    positions.push(function.position);
                }
            }
        }
        for position in positions {
            if let (Some(item), Some(id)) =
                (layout.item(position), layout.item_id(&self.host, position))
            {
                reads.items.push((id, item.value_type, item.depth.count));
            }
        }
        Ok(reads)
    }

    /// All items and rules that take values, by id.
    pub fn items(&self) -> impl Iterator<Item = ItemView<'_>> {
        (0..self.layout.n_own).filter_map(|position| {
            let target = self.target(position)?;
            let plan = self.layout.items.get(position as usize)?;
            Some(ItemView { plan: self, row: self.host.items.get(plan.row as usize)?, target })
        })
    }
}

/// Items, the kind of their values and how many of these a trigger needs at least; and how far back.
#[derive(Debug, Default)]
pub struct Reads {
    pub items: Vec<(ItemId, ValueType, u32)>,
    pub reach_ns: i64,
    pub trends: Vec<lang::functions::TrendCall>,
}

impl Reads {
    fn add(&mut self, function: &FunctionPlan) {
        self.reach_ns = self.reach_ns.max(spans::reach_ns(function));
        self.trends.extend(function.call.trend().cloned());
    }
}

fn functions_of<'a>(
    layout: &'a Layout,
    formula: &'a Formula,
) -> impl Iterator<Item = &'a FunctionPlan> {
    formula.operands.iter().filter_map(|it| match it {
        Bound::Function(at) => layout.functions.get(*at as usize),
        _ => None,
    })
}

/// An item with its host.
#[derive(Clone, Copy, Debug)]
pub struct ItemView<'a> {
    pub plan: &'a HostPlan,
    pub row: &'a ItemRow,
    pub target: Target,
}

impl ItemView<'_> {
    /// A text of the item's content as it counts here: discovery macros, user macros and those of
    /// the host (`{HOST.IP}` and the like) replaced.
    #[must_use]
    pub fn resolve(&self, text: &str) -> String {
        self.plan.resolve(text, self.row.discovered().map(|it| it.row.as_ref()))
    }

    /// The key as devices are asked for it: all macros replaced.
    #[must_use]
    pub fn key(&self) -> String {
        self.resolve(&self.row.key())
    }
}

/// A found host, to look up several of its keys.
#[derive(Clone, Copy, Debug)]
pub struct HostRef<'a> {
    directory: &'a Directory,
    pub plan: &'a Arc<HostPlan>,
}

impl HostRef<'_> {
    /// The live item or rule with this configured key.
    #[inline]
    #[must_use]
    pub fn item(&self, key: &str) -> Option<Target> {
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
    epoch: u64,
    n_shards: u16,
    hasher: Hasher,
    /// Monitored and unmonitored hosts by technical name.
    buckets: Box<[Arc<Vec<Named>>]>,
    by_id: OrdMap<HostId, Arc<HostPlan>>,
    /// Only while some item hands rows on by address.
    addresses: Addresses,
    snapshot: Arc<Snapshot>,
}

fn place(hash: u64) -> (usize, u32) {
    let bucket = usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0) % BUCKETS;
    (bucket, u32::try_from(hash >> 32).unwrap_or(0))
}

impl Directory {
    fn empty(n_shards: u16, hasher: Hasher) -> Self {
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
    pub fn lookup(&self, host: &str, key: &str) -> Option<Target> {
        self.host(host)?.item(key)
    }

    /// As [`Self::lookup`] for many rows; rows of one host next to each other cost least.
    pub fn lookup_batch<'a>(
        &self,
        rows: impl Iterator<Item = (&'a str, &'a str)>,
        out: &mut Vec<Option<Target>>,
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
    pub fn by_item(&self, item: ItemId) -> Option<Target> {
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

    /// How many different layouts its hosts have: what is compiled exists so many times.
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

    fn set(&mut self, plan: &Arc<HostPlan>) {
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

    fn remove(&mut self, plan: &HostPlan) {
        self.remove_name(plan);
        self.remove_addresses(plan);
        self.by_id.remove(&plan.host.id);
    }

    fn remove_name(&mut self, plan: &HostPlan) {
        let (bucket, _) = place(self.hasher.hash(&plan.host.host));
        let hosts = Arc::make_mut(&mut self.buckets[bucket]);
        hosts.retain(|it| it.plan.host.id != plan.host.id);
    }
}

/// What one shard has to take over to be at `epoch`: give it to `pipeline::Shard::configure`.
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
    fn empty(epoch: u64, shard: u16) -> Self {
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
