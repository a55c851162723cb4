//! Taking items, triggers and graphs away, with all that cannot be without them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::content::{ItemFlags, TriggerContent};
use model::map::Set;
use model::snapshot::{Discovered, Host, LldRow};
use model::{GraphId, HostId, ItemId, TriggerId};

use super::Editor;

pub(super) type ByHolder<Id> = BTreeMap<HostId, BTreeSet<Id>>;

/// Objects that are to be deleted.
#[derive(Default)]
pub(crate) struct Removal {
    pub(crate) items: Vec<ItemId>,
    pub(crate) triggers: Vec<TriggerId>,
    pub(crate) graphs: Vec<GraphId>,
    pub(crate) host_prototypes: Vec<HostId>,
}

/// Everything that has to go.
#[derive(Default)]
pub(super) struct Doomed {
    pub(super) items: ByHolder<ItemId>,
    triggers: ByHolder<TriggerId>,
    pub(super) graphs: ByHolder<GraphId>,
    /// Host prototypes; the hosts that they made go, too.
    host_prototypes: ByHolder<HostId>,
    /// Holders whose doomed items were not looked into yet.
    pending: Vec<(HostId, BTreeSet<ItemId>)>,
}

impl Doomed {
    fn add_items(&mut self, holder: HostId, ids: BTreeSet<ItemId>) {
        let known = self.items.entry(holder).or_default();
        let new: BTreeSet<ItemId> = ids.into_iter().filter(|it| known.insert(*it)).collect();
        if !new.is_empty() {
            self.pending.push((holder, new));
        }
    }
}

impl Editor {
    pub(crate) fn remove_items(&mut self, items: Vec<ItemId>) {
        self.remove(Removal { items, ..Removal::default() });
    }

    pub(crate) fn remove_triggers(&mut self, triggers: Vec<TriggerId>) {
        self.remove(Removal { triggers, ..Removal::default() });
    }

    pub(crate) fn remove_graphs(&mut self, graphs: Vec<GraphId>) {
        self.remove(Removal { graphs, ..Removal::default() });
    }

    pub(crate) fn remove_host_prototypes(&mut self, host_prototypes: Vec<HostId>) {
        self.remove(Removal { host_prototypes, ..Removal::default() });
    }

    /// Removes items with their dependent items, prototypes, discovered objects, the triggers
    /// that use any of them, the graphs that show nothing else, and all that was inherited from
    /// these; triggers and graphs with what was discovered by them and inherited from them.
    pub(crate) fn remove(&mut self, removal: Removal) {
        let Removal { items, triggers, graphs, host_prototypes } = removal;
        let mut doomed = Doomed::default();
        let mut by_holder: ByHolder<ItemId> = BTreeMap::new();
        for id in items {
            if let Some(holder) = self.next.item_holder(id) {
                by_holder.entry(holder.id).or_default().insert(id);
            }
        }
        for (holder, ids) in by_holder {
            doomed.add_items(holder, ids);
        }
        while let Some((holder, ids)) = doomed.pending.pop() {
            self.doom_dependents(holder, &ids, &mut doomed);
        }
        let mut by_holder: ByHolder<TriggerId> = BTreeMap::new();
        for id in triggers {
            if let Some((holder, _)) = self.next.trigger(id) {
                by_holder.entry(holder.id).or_default().insert(id);
            }
        }
        for (holder, ids) in by_holder {
            self.doom_triggers(holder, ids, &mut doomed);
        }
        let mut by_holder: ByHolder<GraphId> = BTreeMap::new();
        for id in graphs {
            if let Some((holder, _)) = self.next.graph(id) {
                by_holder.entry(holder.id).or_default().insert(id);
            }
        }
        for (holder, ids) in by_holder {
            self.doom_graphs(holder, ids, &mut doomed);
        }
        for id in host_prototypes {
            if let Some((holder, _)) = self.next.host_prototype(id) {
                let holder = holder.id;
                self.doom_host_prototype(holder, id, &mut doomed);
            }
        }
        let trimmed = self.trim_graphs(&mut doomed);
        let rules = self.discovered_rules(&doomed);
        self.take_out(&doomed);
        self.remove_hosts_of_rules(&rules);
        let gone: BTreeSet<u64> =
            doomed.host_prototypes.values().flatten().map(|it| it.0).collect();
        self.remove_hosts_made_by(&gone);
        for graph in trimmed {
            self.set_trimmed_graph(graph);
        }
    }

    /// Adds the objects that cannot exist without the given items of a holder.
    fn doom_dependents(&self, holder: HostId, ids: &BTreeSet<ItemId>, doomed: &mut Doomed) {
        let Some(host) = self.next.holder(holder) else { return };
        // Every id by which content may mean one of them.
        let mut names: Set<ItemId> = Set::default();
        for row in ids.iter().filter_map(|it| host.item(*it)) {
            names.extend(self.next.item_chain(row));
        }
        let gone_rows = self.discovered_names(host, ids);
        let is_named = |reference: ItemId, by: Option<&Discovered>| {
            names.contains(&reference)
                || by.is_some_and(|by| gone_rows.contains(&(reference, Arc::clone(&by.row))))
        };
        let here = host.items.iter().filter(|it| {
            let by = it.discovered();
            is_named(it.content.master_itemid, by)
                || is_named(it.content.ruleid, None)
                || by
                    .is_some_and(|it| ids.contains(&ItemId(it.prototype)) || ids.contains(&it.rule))
        });
        doomed.add_items(holder, here.map(|it| it.id).collect());
        for child in self.children(holder).iter() {
            let Some(host) = self.next.holder(*child) else { continue };
            let below =
                host.items.iter().filter(|it| it.source.is_some() && ids.contains(&it.source));
            doomed.add_items(*child, below.map(|it| it.id).collect());
        }
        let using: BTreeSet<TriggerId> = host
            .triggers
            .iter()
            .filter(|it| {
                let by = it.discovered();
                it.content.functions.iter().any(|function| is_named(function.item, by))
            })
            .map(|it| it.id)
            .collect();
        self.doom_triggers(holder, using, doomed);
        let prototypes =
            host.host_prototypes.iter().filter(|it| names.contains(&it.content.ruleid));
        for id in prototypes.map(|it| it.id).collect::<Vec<_>>() {
            self.doom_host_prototype(holder, id, doomed);
        }
        for id in &self.cross.triggers {
            let Some((of, row)) = self.next.trigger(*id) else { continue };
            if row.content.functions.iter().any(|it| ids.contains(&it.item)) {
                self.doom_triggers(of.id, BTreeSet::from([*id]), doomed);
            }
        }
    }

    /// Doomed discovered items are meant by references to their prototypes, within their row: each such reference
    /// with its row.
    fn discovered_names(&self, host: &Host, ids: &BTreeSet<ItemId>) -> Set<(ItemId, Arc<LldRow>)> {
        let mut names = Set::default();
        for by in ids.iter().filter_map(|it| host.item(*it)?.discovered()) {
            let Some(prototype) = host.item(ItemId(by.prototype)) else { continue };
            names.extend(self.next.item_chain(prototype).map(|it| (it, Arc::clone(&by.row))));
        }
        names
    }

    /// Triggers of a holder with those that were discovered by them and inherited from them.
    fn doom_triggers(&self, holder: HostId, ids: BTreeSet<TriggerId>, doomed: &mut Doomed) {
        let known = doomed.triggers.entry(holder).or_default();
        let new: BTreeSet<TriggerId> = ids.into_iter().filter(|it| known.insert(*it)).collect();
        let Some(host) = self.next.holder(holder).filter(|_| !new.is_empty()) else { return };
        for row in &host.triggers {
            if row.discovered().is_some_and(|it| new.contains(&TriggerId(it.prototype))) {
                known.insert(row.id);
            }
        }
        for child in self.children(holder).iter() {
            let Some(host) = self.next.holder(*child) else { continue };
            let below = host.triggers.iter().filter(|it| new.contains(&it.source));
            self.doom_triggers(*child, below.map(|it| it.id).collect(), doomed);
        }
    }

    fn doom_host_prototype(&self, holder: HostId, id: HostId, doomed: &mut Doomed) {
        if !doomed.host_prototypes.entry(holder).or_default().insert(id) {
            return;
        }
        for child in self.children(holder).iter() {
            let Some(host) = self.next.holder(*child) else { continue };
            let below = host.host_prototypes.iter().find(|it| it.source == id).map(|it| it.id);
            if let Some(id) = below {
                self.doom_host_prototype(*child, id, doomed);
            }
        }
    }

    /// Deletes the hosts that discovery made of these prototypes.
    pub(super) fn remove_hosts_made_by(&mut self, prototypes: &BTreeSet<u64>) {
        if prototypes.is_empty() {
            return;
        }
        let made = self.next.hosts.values().filter(|it| {
            it.discovered.as_ref().is_some_and(|it| prototypes.contains(&it.by.prototype))
        });
        let made: Vec<HostId> = made.map(|it| it.id).collect();
        self.remove_discovered_hosts(&made);
        self.drop_group_discoveries(|it| prototypes.contains(&it.prototype.0));
    }

    /// The discovered rules that have to go.
    fn discovered_rules(&self, doomed: &Doomed) -> BTreeSet<ItemId> {
        let rows = doomed.items.iter().filter_map(|(holder, ids)| {
            let host = self.next.holder(*holder)?;
            Some(ids.iter().filter_map(|it| host.item(*it)))
        });
        rows.flatten().filter(|it| it.flags == ItemFlags::DiscoveredRule).map(|it| it.id).collect()
    }

    /// Deletes the hosts that discovered rules made: their prototypes stay.
    fn remove_hosts_of_rules(&mut self, rules: &BTreeSet<ItemId>) {
        if rules.is_empty() {
            return;
        }
        let made = self
            .next
            .hosts
            .values()
            .filter(|it| it.discovered.as_ref().is_some_and(|it| rules.contains(&it.by.rule)));
        let made: Vec<HostId> = made.map(|it| it.id).collect();
        self.remove_discovered_hosts(&made);
        self.drop_group_discoveries(|it| rules.contains(&it.rule));
    }

    /// Deletes discovered hosts. One that a maintenance can't be without stays.
    pub(crate) fn remove_discovered_hosts(&mut self, hosts: &[HostId]) {
        let kind = crate::ObjectKind::Host;
        let all: Vec<u64> = hosts.iter().map(|it| it.0).collect();
        if all.is_empty() || self.attempt(|e| e.delete_holders(kind, &all)).is_ok() {
            return;
        }
        for id in all {
            drop(self.attempt(|e| e.delete_holders(kind, &[id])));
        }
    }

    /// Deletes the triggers inherited from a trigger, itself not.
    pub(super) fn remove_inherited_triggers(&mut self, holder: HostId, id: TriggerId) {
        let mut doomed = Doomed::default();
        self.doom_triggers(holder, BTreeSet::from([id]), &mut doomed);
        if let Some(ids) = doomed.triggers.get_mut(&holder) {
            ids.remove(&id);
        }
        self.take_out(&doomed);
    }

    pub(super) fn take_out(&mut self, doomed: &Doomed) {
        for (holder, ids) in doomed.items.iter().filter(|(_, ids)| !ids.is_empty()) {
            self.holder_mut(*holder).items.retain(|it| !ids.contains(&it.id));
        }
        let mut gone: BTreeSet<TriggerId> = BTreeSet::new();
        for (holder, ids) in doomed.triggers.iter().filter(|(_, ids)| !ids.is_empty()) {
            self.holder_mut(*holder).triggers.retain(|it| !ids.contains(&it.id));
            gone.extend(ids);
        }
        for id in &gone {
            self.cross.triggers.remove(id);
        }
        self.drop_dependencies(&gone);
        for (holder, ids) in doomed.graphs.iter().filter(|(_, ids)| !ids.is_empty()) {
            self.holder_mut(*holder).graphs.retain(|it| !ids.contains(&it.id));
            for id in ids {
                self.cross.graphs.remove(id);
            }
        }
        for (holder, ids) in doomed.host_prototypes.iter().filter(|(_, ids)| !ids.is_empty()) {
            self.holder_mut(*holder).host_prototypes.retain(|it| !ids.contains(&it.id));
        }
        self.leave_dashboards(doomed);
        let items = doomed.items.values().flatten();
        self.leave_maps_of_parts(gone.iter(), items);
    }

    /// Nothing depends on a trigger that is gone.
    pub(super) fn drop_dependencies(&mut self, gone: &BTreeSet<TriggerId>) {
        if gone.is_empty() {
            return;
        }
        let names_gone = |it: &TriggerContent| it.dependencies.iter().any(|it| gone.contains(it));
        let mut touched: Vec<(HostId, TriggerId)> = Vec::new();
        for host in self.next.hosts.values().chain(self.next.templates.values()) {
            for row in host.triggers.iter().filter(|it| names_gone(&it.content)) {
                touched.push((host.id, row.id));
            }
        }
        // Changed templates include their inherited objects; these are then clean already.
        for (holder, id) in touched {
            let Ok((_, row)) = self.trigger(id) else { continue };
            if !names_gone(&row.content) {
                continue;
            }
            let old = Arc::clone(&row.content);
            let mut content = TriggerContent::clone(&old);
            content.dependencies.retain(|it| !gone.contains(it));
            let content = Arc::new(content);
            let is_own = row.source.is_none() && row.discovered().is_none();
            let row = self.trigger_mut(holder, id);
            if let Some(overrides) = row.extra.as_mut().and_then(|it| it.overrides.as_mut())
                && overrides.dependencies.is_some()
            {
                if let Some(overridden) = &mut Arc::make_mut(overrides).dependencies {
                    overridden.retain(|it| !gone.contains(it));
                }
                row.content = Arc::clone(&content);
            } else if is_own {
                row.content = Arc::clone(&content);
            } else {
                // Its source names the trigger and is changed in its own turn.
                continue;
            }
            // Cannot fail: names and keys stay.
            drop(self.propagate_trigger(holder, id, &old, &content));
        }
    }
}
