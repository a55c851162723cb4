//! Unlinking templates: inherited objects stay as the holder's own, or are deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::content::{GraphContent, HostPrototypeContent, ItemContent, TriggerContent, ValueMap};
use model::map::Map;
use model::snapshot::{GraphRow, HolderKind, Host, HostPrototypeRow};
use model::{GraphId, HostId, ItemId, TriggerId, ValueMapId};

use super::Editor;
use super::delete::Removal;
use super::hostprototype::with_rule;
use super::messages::called;
use crate::error::ConfigError;

/// References in content, from the template's words to the holder's own ids.
struct Translation {
    items: Map<ItemId, ItemId>,
    triggers: Map<TriggerId, TriggerId>,
    valuemaps: BTreeMap<ValueMapId, ValueMapId>,
    is_host: bool,
}

impl Editor {
    pub(super) fn unlink_templates(
        &mut self,
        holders: &[HostId],
        templates: &[HostId],
        clear: bool,
    ) -> Result<(), ConfigError> {
        for holder in holders {
            let linked = &self.holder(*holder)?.templates;
            let going: BTreeSet<HostId> =
                templates.iter().filter(|it| linked.contains(it)).copied().collect();
            if going.is_empty() {
                continue;
            }
            self.check_crossing(*holder, &going)?;
            if clear {
                self.check_dependents(*holder, &going)?;
                self.clear_inherited(*holder, &going);
            } else {
                self.make_own(*holder, &going)?;
            }
            self.holder_mut(*holder).templates.retain(|it| !going.contains(it));
        }
        for template in templates {
            let is_still = |it: &HostId| {
                self.next.holder(*it).is_some_and(|it| it.templates.contains(template))
            };
            let left: Vec<HostId> =
                self.children(*template).iter().filter(|it| is_still(it)).copied().collect();
            if left.is_empty() {
                self.next.linked_to.remove(template);
            } else {
                self.next.linked_to.insert(*template, left.into());
            }
        }
        Ok(())
    }

    /// A trigger over several templates holds them together.
    fn check_crossing(&self, holder: HostId, going: &BTreeSet<HostId>) -> Result<(), ConfigError> {
        let linked = self.holder(holder)?;
        for id in &self.cross.triggers {
            let Some((of, row)) = self.next.trigger(*id) else { continue };
            if of.kind != HolderKind::Template {
                continue;
            }
            let used: BTreeSet<HostId> = row
                .content
                .functions
                .iter()
                .filter_map(|it| self.next.item_holder(it.item))
                .map(|it| it.id)
                .collect();
            let goes = used.iter().find(|it| going.contains(it));
            let stays = used.iter().find(|it| !going.contains(it) && linked.templates.contains(it));
            if let (Some(goes), Some(stays)) = (goes, stays) {
                return Err(ConfigError::parameters(format_args!(
                    "Cannot unlink template \"{}\" without template \"{}\" from {} due to \
                     expression of trigger \"{}\".",
                    self.holder(*goes)?.host,
                    self.holder(*stays)?.host,
                    called(linked),
                    row.content.description
                )));
            }
        }
        Ok(())
    }

    /// No trigger of the holder, or of what links it, depends on a trigger that goes with a template.
    fn check_dependents(
        &self,
        holder: HostId,
        going: &BTreeSet<HostId>,
    ) -> Result<(), ConfigError> {
        let from = self.holder(holder)?;
        let gone: BTreeSet<TriggerId> = self.inherited_triggers(from, going).into_iter().collect();
        self.check_dependents_of((from, from), &gone)
    }

    fn check_dependents_of(
        &self,
        (from, at): (&Arc<Host>, &Arc<Host>),
        gone: &BTreeSet<TriggerId>,
    ) -> Result<(), ConfigError> {
        if gone.is_empty() {
            return Ok(());
        }
        for row in at.triggers.iter().filter(|it| !gone.contains(&it.id)) {
            let masters = row.content.dependencies.iter();
            let mut masters = masters.filter_map(|it| self.trigger_by_ref(at, *it));
            let Some((_, master)) = masters.find(|(_, it)| gone.contains(&it.id)) else { continue };
            let source = self.next.trigger_chain(master).find_map(|it| {
                let (of, _) = self.next.trigger(it)?;
                from.templates.contains(&of.id).then_some(of)
            });
            let on = if at.id == from.id { String::new() } else { format!(" on {}", called(at)) };
            return Err(ConfigError::parameters(format_args!(
                "Cannot unlink template \"{}\" from {} due to dependency of trigger \"{}\"{on}.",
                source.map_or("", |it| &*it.host),
                called(from),
                row.name()
            )));
        }
        for child in self.children(at.id).iter() {
            let child = self.holder(*child)?;
            let inherited = child.triggers.iter().filter(|it| gone.contains(&it.source));
            let inherited: BTreeSet<TriggerId> = inherited.map(|it| it.id).collect();
            self.check_dependents_of((from, child), &inherited)?;
        }
        Ok(())
    }

    fn inherited_items(&self, host: &Host, from: &BTreeSet<HostId>) -> Vec<ItemId> {
        let rows = host.items.iter().filter(|it| {
            it.source.is_some()
                && self.next.item_holder(it.source).is_some_and(|it| from.contains(&it.id))
        });
        rows.map(|it| it.id).collect()
    }

    fn inherited_triggers(&self, host: &Host, from: &BTreeSet<HostId>) -> Vec<TriggerId> {
        let rows = host.triggers.iter().filter(|it| {
            it.source.is_some()
                && self.next.trigger(it.source).is_some_and(|(it, _)| from.contains(&it.id))
        });
        rows.map(|it| it.id).collect()
    }

    fn clear_inherited(&mut self, holder: HostId, going: &BTreeSet<HostId>) {
        let Ok(host) = self.holder(holder) else { return };
        let items = self.inherited_items(host, going);
        let triggers = self.inherited_triggers(host, going);
        let graphs = self.inherited_rows::<GraphRow>(host, going).into_iter().map(GraphId);
        let graphs = graphs.collect();
        let host_prototypes = self.inherited_rows::<HostPrototypeRow>(host, going);
        let host_prototypes = host_prototypes.into_iter().map(HostId).collect();
        self.remove(Removal { items, triggers, graphs, host_prototypes });
    }

    /// Rows keep ids and effective content. Where content names other rows of the template, or
    /// its value maps, it is rewritten to the holder's own; all other content stays shared.
    fn make_own(&mut self, holder: HostId, going: &BTreeSet<HostId>) -> Result<(), ConfigError> {
        let host = Arc::clone(self.holder(holder)?);
        let items = self.inherited_items(&host, going);
        let triggers = self.inherited_triggers(&host, going);
        let graphs = self.inherited_rows::<GraphRow>(&host, going);
        let host_prototypes = self.inherited_rows::<HostPrototypeRow>(&host, going);
        let translation = self.translation(&host, &items);
        let mut changed_items = Vec::new();
        for id in items {
            let row = self.item_mut(holder, id);
            let old = Arc::clone(&row.content);
            row.source = ItemId::NONE;
            row.extra = None;
            row.content = translation.item(&old);
            changed_items.push((id, old, Arc::clone(&row.content)));
        }
        let mut changed_triggers = Vec::new();
        for id in triggers {
            let row = self.trigger_mut(holder, id);
            let old = Arc::clone(&row.content);
            row.source = TriggerId::NONE;
            row.extra = None;
            row.content = translation.trigger(&old);
            changed_triggers.push((id, old, Arc::clone(&row.content)));
        }
        // Prototypes have discovered objects, templates have inherited objects: both share the
        // content.
        for (id, old, new) in changed_items.iter().filter(|(_, old, new)| !Arc::ptr_eq(old, new)) {
            self.propagate_item(holder, *id, old, new)?;
        }
        for (id, old, new) in changed_triggers.iter().filter(|(_, old, new)| !Arc::ptr_eq(old, new))
        {
            self.propagate_trigger(holder, *id, old, new)?;
        }
        self.make_rows_own::<GraphRow>(holder, graphs, |it| translation.graph(it))?;
        let own = |it: &HostPrototypeContent| {
            let rule = translation.items.get(&it.ruleid).copied().unwrap_or(it.ruleid);
            let uuid = if translation.is_host { String::new() } else { it.uuid.clone() };
            HostPrototypeContent { uuid, ..with_rule(it, rule) }
        };
        self.make_rows_own::<HostPrototypeRow>(holder, host_prototypes, own)
    }

    fn translation(&mut self, host: &Arc<Host>, items: &[ItemId]) -> Translation {
        let positions = self.next.item_refs(host);
        let items_by_ref = positions
            .into_iter()
            .filter_map(|(id, at)| {
                let row = host.items.get(usize::try_from(at).ok()?)?;
                Some((id, row.id))
            })
            .collect();
        let mut triggers = Map::default();
        for row in &host.triggers {
            triggers.extend(self.next.trigger_chain(row).map(|id| (id, row.id)));
        }
        let used: BTreeSet<ValueMapId> = items
            .iter()
            .filter_map(|it| host.item(*it))
            .map(|it| it.content.valuemapid)
            .filter(|it| it.is_some())
            .collect();
        let valuemaps = used.into_iter().map(|it| (it, self.own_valuemap(host.id, it))).collect();
        Translation {
            items: items_by_ref,
            triggers,
            valuemaps,
            is_host: host.kind == HolderKind::Host,
        }
    }

    /// The holder's value map of the same name, made if need be.
    fn own_valuemap(&mut self, holder: HostId, id: ValueMapId) -> ValueMapId {
        let owner = self.next.valuemap_owner.get(&id).copied();
        if owner == Some(holder) {
            return id;
        }
        let of = owner.and_then(|it| self.next.holder(it));
        let found = of.and_then(|it| it.valuemaps.iter().find(|it| it.valuemapid == id)).cloned();
        let Some(valuemap) = found else { return ValueMapId::NONE };
        let own = self.next.holder(holder).map(|it| it.valuemaps.as_slice()).unwrap_or_default();
        if let Some(it) = own.iter().find(|it| it.name == valuemap.name) {
            return it.valuemapid;
        }
        let new = ValueMapId(self.ids.take());
        self.next.valuemap_owner.insert(new, holder);
        let copy = ValueMap { valuemapid: new, uuid: String::new(), ..valuemap };
        self.holder_mut(holder).valuemaps.push(copy);
        new
    }
}

impl Translation {
    fn item(&self, old: &Arc<ItemContent>) -> Arc<ItemContent> {
        let own = |it: ItemId| self.items.get(&it).copied().unwrap_or(it);
        let has_own_uuid = self.is_host && !old.uuid.is_empty();
        let names_others =
            old.master_itemid.is_some() || old.ruleid.is_some() || old.valuemapid.is_some();
        if !has_own_uuid && !names_others {
            return Arc::clone(old);
        }
        let mut new = ItemContent::clone(old);
        if self.is_host {
            new.uuid.clear();
        }
        new.master_itemid = own(old.master_itemid);
        new.ruleid = own(old.ruleid);
        new.valuemapid = self.valuemaps.get(&old.valuemapid).copied().unwrap_or(old.valuemapid);
        Arc::new(new)
    }

    fn trigger(&self, old: &Arc<TriggerContent>) -> Arc<TriggerContent> {
        let mut new = TriggerContent::clone(old);
        if self.is_host {
            new.uuid.clear();
        }
        for function in &mut new.functions {
            function.item = self.items.get(&function.item).copied().unwrap_or(function.item);
        }
        for dependency in &mut new.dependencies {
            *dependency = self.triggers.get(dependency).copied().unwrap_or(*dependency);
        }
        new.ruleid = self.items.get(&old.ruleid).copied().unwrap_or(old.ruleid);
        Arc::new(new)
    }

    fn graph(&self, old: &GraphContent) -> GraphContent {
        let own = |it: ItemId| self.items.get(&it).copied().unwrap_or(it);
        let mut new = old.clone();
        if self.is_host {
            new.uuid.clear();
        }
        for item in &mut new.gitems {
            item.itemid = own(item.itemid);
        }
        new.ymin_itemid = own(old.ymin_itemid);
        new.ymax_itemid = own(old.ymax_itemid);
        new.ruleid = own(old.ruleid);
        new
    }
}
