//! Triggers and graphs that use items of other hosts than their own: one is stored with one of its hosts, and
//! found from the others' items here.

use std::sync::{Arc, Mutex, PoisonError};

use model::content::ItemFlags;
use model::map::Map;
use model::snapshot::{HolderKind, Host, Snapshot};
use model::{GraphId, HostId, ItemId, TriggerId};

/// Objects by the items of other hosts that they use. Built once for a state of the configuration.
#[derive(Debug)]
pub(crate) struct CrossIndex<Id> {
    by_item: Map<ItemId, Vec<Id>>,
    by_host: Map<HostId, Vec<Id>>,
}

pub(crate) type CrossTriggers = CrossIndex<TriggerId>;
pub(crate) type CrossGraphs = CrossIndex<GraphId>;

impl<Id> Default for CrossIndex<Id> {
    fn default() -> Self {
        Self { by_item: Map::default(), by_host: Map::default() }
    }
}

impl<Id: Copy + PartialEq> CrossIndex<Id> {
    pub(crate) fn of(&self, item: ItemId) -> &[Id] {
        self.by_item.get(&item).map_or(&[], Vec::as_slice)
    }

    /// Those that use an item of this host, and are stored with another one.
    pub(crate) fn of_host(&self, host: HostId) -> &[Id] {
        self.by_host.get(&host).map_or(&[], Vec::as_slice)
    }

    fn add(
        &mut self,
        snapshot: &Snapshot,
        holder: &Host,
        id: Id,
        items: impl Iterator<Item = ItemId>,
    ) {
        for item in items {
            let of = snapshot.item_holder(item);
            let Some(of) = of.filter(|it| it.kind == holder.kind && it.id != holder.id) else {
                continue;
            };
            let of_item = self.by_item.entry(item).or_default();
            for users in [of_item, self.by_host.entry(of.id).or_default()] {
                if users.last() != Some(&id) {
                    users.push(id);
                }
            }
        }
    }
}

fn holders(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<Host>> {
    snapshot.hosts.values().chain(snapshot.templates.values())
}

impl CrossTriggers {
    fn build(snapshot: &Snapshot) -> Self {
        let mut found = Self::default();
        for holder in holders(snapshot) {
            let rows = holder.triggers.iter();
            for row in rows.filter(|it| may_cross(holder, it.flags, it.source.is_some())) {
                let items = row.content.functions.iter().map(|it| it.item);
                found.add(snapshot, holder, row.id, items);
            }
        }
        found
    }
}

impl CrossGraphs {
    fn build(snapshot: &Snapshot) -> Self {
        let mut found = Self::default();
        for holder in holders(snapshot) {
            let rows = holder.graphs.iter();
            for row in rows.filter(|it| may_cross(holder, it.flags, it.source.is_some())) {
                found.add(snapshot, holder, row.id, row.content.gitems.iter().map(|it| it.itemid));
            }
        }
        found
    }
}

/// On a host everything that a template's trigger or graph uses is the host's own.
fn may_cross(holder: &Host, flags: ItemFlags, is_inherited: bool) -> bool {
    flags != ItemFlags::Prototype && (holder.kind == HolderKind::Template || !is_inherited)
}

/// An index of the configuration asked last.
#[derive(Debug)]
struct CachedIndex<Id>(Mutex<Option<(u64, Arc<CrossIndex<Id>>)>>);

impl<Id> Default for CachedIndex<Id> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Id> CachedIndex<Id> {
    fn get(
        &self,
        snapshot: &Snapshot,
        build: fn(&Snapshot) -> CrossIndex<Id>,
    ) -> Arc<CrossIndex<Id>> {
        // Held while building: callers that arrive meanwhile need the same index.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((epoch, index)) if *epoch == snapshot.epoch => Arc::clone(index),
            _ => {
                let index = Arc::new(build(snapshot));
                *kept = Some((snapshot.epoch, Arc::clone(&index)));
                index
            }
        }
    }
}

/// The indexes of the configuration asked last.
#[derive(Debug, Default)]
pub(crate) struct CrossCache {
    triggers: CachedIndex<TriggerId>,
    graphs: CachedIndex<GraphId>,
}

impl CrossCache {
    pub(crate) fn triggers(&self, snapshot: &Snapshot) -> Arc<CrossTriggers> {
        self.triggers.get(snapshot, CrossTriggers::build)
    }

    pub(crate) fn graphs(&self, snapshot: &Snapshot) -> Arc<CrossGraphs> {
        self.graphs.get(snapshot, CrossGraphs::build)
    }
}
