//! How many objects an import made, changed and deleted.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::HostId;
use model::content::{Group, ItemFlags, ItemType, WebScenario};
use model::snapshot::{HolderKind, Host, Snapshot};

use crate::configuration::objects;
use crate::configuration::objects::dashboard::TEMPLATE_DASHBOARD;

/// Of one kind of object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImportChanges {
    pub created: usize,
    pub updated: usize,
    pub deleted: usize,
}

type Found = BTreeMap<&'static str, ImportChanges>;

/// Changes of the imported holders and of all groups and documents, by lists of files.
pub(super) fn between(before: &Snapshot, after: &Snapshot, imported: &[HostId]) -> Found {
    let mut found = Found::new();
    let groups = |it: &Snapshot| -> BTreeMap<u64, Arc<Group>> {
        it.host_groups.iter().map(|(id, it)| (id.0, Arc::clone(it))).collect()
    };
    count(&mut found, "host_groups", &groups(before), &groups(after));
    let groups = |it: &Snapshot| -> BTreeMap<u64, Arc<Group>> {
        it.template_groups.iter().map(|(id, it)| (id.0, Arc::clone(it))).collect()
    };
    count(&mut found, "template_groups", &groups(before), &groups(after));
    for id in imported {
        let (old, Some(new)) = (before.holder(*id), after.holder(*id)) else { continue };
        let list = if new.kind == HolderKind::Template { "templates" } else { "hosts" };
        let changes = found.entry(list).or_default();
        match old {
            None => changes.created += 1,
            Some(old) if !has_same_fields(old, new) => changes.updated += 1,
            Some(_) => {}
        }
        rows(&mut found, old.map(|it| &**it), new);
    }
    let tagged = objects::ALL.iter().filter_map(|it| Some((it.tag?, it.object.name)));
    for (list, kind) in tagged.chain([("dashboards", TEMPLATE_DASHBOARD.object.name)]) {
        let of = |it: &Snapshot| {
            it.documents.of(kind).map(|it| (it.id, it.body.clone())).collect::<BTreeMap<_, _>>()
        };
        count(&mut found, list, &of(before), &of(after));
    }
    found.retain(|_, it| *it != ImportChanges::default());
    found
}

/// Whether two states of a host or template differ in their items, triggers and graphs at most.
fn has_same_fields(old: &Host, new: &Host) -> bool {
    old.host == new.host
        && old.name == new.name
        && old.status == new.status
        && old.description == new.description
        && old.uuid == new.uuid
        && old.groups == new.groups
        && old.template_groups == new.template_groups
        && old.templates == new.templates
        && old.interfaces == new.interfaces
        && old.macros == new.macros
        && old.tags == new.tags
        && old.valuemaps == new.valuemaps
        && old.inventory_mode == new.inventory_mode
        && old.vendor == new.vendor
        && old.ipmi == new.ipmi
}

fn count<T: PartialEq>(
    found: &mut Found,
    list: &'static str,
    old: &BTreeMap<u64, T>,
    new: &BTreeMap<u64, T>,
) {
    let mut changes = ImportChanges::default();
    for (id, it) in new {
        match old.get(id) {
            None => changes.created += 1,
            Some(old) if old != it => changes.updated += 1,
            Some(_) => {}
        }
    }
    changes.deleted = old.keys().filter(|it| !new.contains_key(it)).count();
    if changes != ImportChanges::default() {
        let known = found.entry(list).or_default();
        known.created += changes.created;
        known.updated += changes.updated;
        known.deleted += changes.deleted;
    }
}

/// Own items, triggers and graphs of a holder.
fn rows(found: &mut Found, old: Option<&Host>, new: &Host) {
    for list in ["items", "discovery_rules", "discovery_prototypes", "item_prototypes", "httptests"]
    {
        let of = |host: &Host| {
            let own = host.items.iter().filter(|it| {
                let is_web = it.content.kind == ItemType::WebItem;
                let of_list = match it.flags {
                    ItemFlags::Plain if is_web && WebScenario::is_of(&it.content.key_) => {
                        "httptests"
                    }
                    ItemFlags::Plain if !is_web => "items",
                    ItemFlags::Rule => "discovery_rules",
                    ItemFlags::RulePrototype => "discovery_prototypes",
                    ItemFlags::Prototype => "item_prototypes",
                    _ => "",
                };
                it.source.is_none() && of_list == list
            });
            own.map(|it| (it.id.0, Arc::clone(&it.content))).collect::<BTreeMap<_, _>>()
        };
        count(found, list, &old.map(of).unwrap_or_default(), &of(new));
    }
    for (list, flags) in
        [("triggers", ItemFlags::Plain), ("trigger_prototypes", ItemFlags::Prototype)]
    {
        let of = |host: &Host| {
            let own = host.triggers.iter().filter(|it| it.source.is_none() && it.flags == flags);
            own.map(|it| (it.id.0, Arc::clone(&it.content))).collect::<BTreeMap<_, _>>()
        };
        count(found, list, &old.map(of).unwrap_or_default(), &of(new));
    }
    let of = |host: &Host| {
        let own = host.host_prototypes.iter().filter(|it| it.source.is_none());
        own.map(|it| (it.id.0, Arc::clone(&it.content))).collect::<BTreeMap<_, _>>()
    };
    count(found, "host_prototypes", &old.map(of).unwrap_or_default(), &of(new));
    for (list, flags) in [("graphs", ItemFlags::Plain), ("graph_prototypes", ItemFlags::Prototype)]
    {
        let of = |host: &Host| {
            let own = host.graphs.iter().filter(|it| it.source.is_none() && it.flags == flags);
            own.map(|it| (it.id.0, Arc::clone(&it.content))).collect::<BTreeMap<_, _>>()
        };
        count(found, list, &old.map(of).unwrap_or_default(), &of(new));
    }
}
