//! Hosts that rows make.
//!
//! A host is known by its rule, prototype and technical name. Groups and interfaces are what the
//! prototype says; templates, macros and tags of users stay beside those that discovery gave. Each host is
//! made or changed whole or not at all: what is wrong with one is told by the rule's error.

use std::collections::BTreeSet;
use std::sync::Arc;

use lang::host_name;
use lang::lld::{Object, RowOverrides};
use model::content::{HostMacro, HostPrototypeContent, HostStatus, Interface, InventoryMode, Tag};
use model::map::Set;
use model::snapshot::{Discovered, DiscoveredHost, GivenToHost, Host, HostPrototypeRow, Lost, Snapshot};
use model::{GroupId, HostId, InterfaceId, ItemId};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::apply::{Plan, Run};
use super::{LldReport, LldRow, expand, overrides};
use crate::editor::{Editor, expand_host_parts};
use crate::{ConfigError, ObjectKind};

/// A host as a row wants it: the prototype's content with the row's values.
pub(super) struct WantedHost {
    prototype: HostId,
    rule: ItemId,
    row: LldRow,
    content: HostPrototypeContent,
}

/// What a run does with hosts.
#[derive(Default)]
pub(super) struct HostPlan {
    new: Vec<WantedHost>,
    found: Vec<(HostId, WantedHost)>,
    lost: Vec<(HostId, Lost)>,
}

impl HostPlan {
    pub(super) fn n_new(&self) -> usize {
        self.new.len()
    }

    pub(super) fn lost_ones(&self) -> Vec<HostId> {
        self.lost.iter().map(|it| it.0).collect()
    }
}

impl Plan {
    pub(super) fn plan_hosts(&mut self, run: &Run<'_>, snapshot: &Snapshot) {
        let names: Set<ItemId> = snapshot.item_chain(run.rule).collect();
        let prototypes = run.host.host_prototypes.iter();
        let prototypes: Vec<&HostPrototypeRow> =
            prototypes.filter(|it| names.contains(&it.content.ruleid)).collect();
        if prototypes.is_empty() || run.host.is_discovered() {
            return;
        }
        let existing = snapshot.hosts.values().filter_map(|it| Some((it, it.discovered.as_ref()?)));
        let existing: Vec<(&Arc<Host>, &DiscoveredHost)> =
            existing.filter(|(_, it)| it.by.rule == run.rule.id).map(|(of, it)| (of, &**it)).collect();
        let mut found: BTreeSet<HostId> = BTreeSet::new();
        let mut claimed: BTreeSet<String> = BTreeSet::new();
        for prototype in prototypes {
            for (row, of_row) in run.distinct_rows() {
                let Some(wanted) = wanted(run, prototype, row, of_row) else { continue };
                let host = &wanted.content.host;
                let known = existing.iter().find(|(of, it)| {
                    it.by.prototype == prototype.id.0 && *of.host == **host
                });
                let verb = if known.is_some() { "update" } else { "create" };
                if !host_name::is_valid(host) {
                    self.fail(format_args!("Cannot {verb} host: invalid host name \"{host}\"."));
                    continue;
                }
                let is_taken = known.is_none()
                    && (snapshot.host_named(host).is_some()
                        || snapshot.template_named(host).is_some());
                if !claimed.insert(host.clone()) || is_taken {
                    self.fail(format_args!(
                        "Cannot {verb} host: host with the same name \"{host}\" already exists."
                    ));
                    continue;
                }
                match known {
                    Some((known, _)) => {
                        found.insert(known.id);
                        self.hosts.found.push((known.id, wanted));
                    }
                    None => self.hosts.new.push(wanted),
                }
            }
        }
        for (host, it) in existing.iter().filter(|(it, _)| !found.contains(&it.id)) {
            let is_enabled = host.status == HostStatus::Monitored;
            let old = it.by.lost();
            let lost = run.lifetimes.mark(old, is_enabled, run.now);
            if lost != old {
                self.report_lost(old);
                self.hosts.lost.push((host.id, lost));
            }
        }
    }
}

fn wanted(
    run: &Run<'_>,
    prototype: &HostPrototypeRow,
    row: &LldRow,
    of_row: &RowOverrides<'_>,
) -> Option<WantedHost> {
    let written = &*prototype.content;
    let changes = overrides::changes(of_row, Object::Host, &written.host, row, run.zone);
    if !changes.discover.unwrap_or(written.discover) {
        return None;
    }
    let text = |it: &str| expand::text(it, row, run.zone);
    let mut content = HostPrototypeContent {
        host: expand::name(&written.host, row, run.zone),
        name: expand::name(&written.name, row, run.zone),
        inventory_mode: changes.inventory_mode.unwrap_or(written.inventory_mode),
        ..written.clone()
    };
    if !content.custom_interfaces {
        content.interfaces.clone_from(&run.host.interfaces);
    }
    expand_host_parts(&mut content.macros, &mut content.interfaces, &text);
    content.group_names = written.group_names.iter().map(|it| text(it)).collect();
    for tag in changes.tags {
        if !content.tags.contains(&tag) {
            content.tags.push(tag);
        }
    }
    content.tags = content
        .tags
        .iter()
        .map(|it| Tag { tag: text(&it.tag), value: text(&it.value) })
        .collect();
    for it in changes.templates {
        if !content.templates.contains(&it) {
            content.templates.push(it);
        }
    }
    if let Some(enabled) = changes.enabled {
        content.status =
            if enabled { HostStatus::Monitored } else { HostStatus::NotMonitored };
    }
    Some(WantedHost { prototype: prototype.id, rule: run.rule.id, row: Arc::clone(row), content })
}

impl WantedHost {
    fn given(&self) -> GivenToHost {
        GivenToHost {
            templates: self.content.templates.clone(),
            macros: self.content.macros.iter().map(|it| it.name.clone()).collect(),
            tags: self.content.tags.clone(),
        }
    }

    fn discovered(&self) -> DiscoveredHost {
        let by = Discovered::new(self.prototype.0, self.rule, Arc::clone(&self.row));
        DiscoveredHost { by, given: self.given() }
    }

    /// The fields of a new host.
    fn fields(&self, groups: &[GroupId]) -> JsonMap<String, Json> {
        let it = &self.content;
        object(json!({
            "host": it.host,
            "name": it.name,
            "status": it.status,
            "inventory_mode": it.inventory_mode.to_string(),
            "groups": group_list(groups),
            "interfaces": interface_list(&it.interfaces),
            "macros": macro_list(&it.macros),
            "tags": it.tags,
            "templates": template_list(&it.templates),
        }))
    }

    /// The fields of a host that differ from what is wanted.
    fn differences(&self, host: &Host, groups: &[GroupId]) -> JsonMap<String, Json> {
        let it = &self.content;
        let given = host.discovered.as_ref().map(|it| it.given.clone()).unwrap_or_default();
        let mut fields = JsonMap::new();
        if *host.name != *it.name {
            fields.insert("name".to_owned(), it.name.clone().into());
        }
        if InventoryMode::from_code(it.inventory_mode).is_some_and(|it| it != host.inventory_mode) {
            fields.insert("inventory_mode".to_owned(), it.inventory_mode.to_string().into());
        }
        let same_groups = groups.len() == host.groups.len()
            && groups.iter().all(|it| host.groups.contains(it));
        if !same_groups {
            fields.insert("groups".to_owned(), group_list(groups));
        }
        let without_ids = |list: &[Interface]| -> Vec<Interface> {
            let list = list.iter().cloned();
            list.map(|it| Interface { interfaceid: InterfaceId::NONE, ..it }).collect()
        };
        if without_ids(&host.interfaces) != without_ids(&it.interfaces) {
            fields.insert("interfaces".to_owned(), interface_list(&it.interfaces));
        }
        let mut tags: Vec<Tag> =
            host.tags.iter().filter(|it| !given.tags.contains(it)).cloned().collect();
        tags.retain(|own| !it.tags.contains(own));
        tags.splice(0..0, it.tags.iter().cloned());
        if tags.len() != host.tags.len() || !tags.iter().all(|it| host.tags.contains(it)) {
            fields.insert("tags".to_owned(), json!(tags));
        }
        let is_wanted = |name: &str| it.macros.iter().any(|it| it.name == name);
        let mut macros = it.macros.clone();
        let own = host.macros.iter();
        macros.extend(own.filter(|it| !given.macros.contains(&it.name) && !is_wanted(&it.name)).cloned());
        let same = |one: &HostMacro, other: &HostMacro| {
            (&one.name, &one.value, &one.description, one.kind)
                == (&other.name, &other.value, &other.description, other.kind)
        };
        let same_macros = macros.len() == host.macros.len()
            && macros.iter().all(|it| host.macros.iter().any(|own| same(own, it)));
        if !same_macros {
            fields.insert("macros".to_owned(), macro_list(&macros));
        }
        let mut templates = host.templates.clone();
        templates.retain(|id| !given.templates.contains(id) || it.templates.contains(id));
        let new = it.templates.iter().filter(|id| !host.templates.contains(id));
        templates.extend(new);
        if templates != host.templates {
            fields.insert("templates".to_owned(), template_list(&templates));
        }
        fields
    }
}

fn object(value: Json) -> JsonMap<String, Json> {
    match value {
        Json::Object(it) => it,
        _ => JsonMap::new(),
    }
}

fn group_list(ids: &[GroupId]) -> Json {
    ids.iter().map(|it| json!({"groupid": it.to_string()})).collect()
}

fn template_list(ids: &[HostId]) -> Json {
    ids.iter().map(|it| json!({"templateid": it.to_string()})).collect()
}

fn interface_list(list: &[Interface]) -> Json {
    let plain = list.iter().cloned().map(|it| Interface { interfaceid: InterfaceId::NONE, ..it });
    plain.map(|it| json!(it)).collect()
}

fn macro_list(list: &[HostMacro]) -> Json {
    let of = |it: &HostMacro| {
        json!({"macro": it.name, "value": it.value, "description": it.description, "type": it.kind})
    };
    list.iter().map(of).collect()
}

impl Editor {
    /// Makes, changes and marks hosts.
    pub(super) fn carry_out_hosts(&mut self, plan: HostPlan, report: &mut LldReport) {
        for wanted in plan.new {
            let done = self.attempt(|e| {
                let groups = e.groups_of(&wanted.content)?;
                let id = HostId(e.create(ObjectKind::Host, wanted.fields(&groups))?);
                e.set_discovery_of_host(id, wanted.discovered());
                Ok(())
            });
            if let Err(error) = done {
                report.n_created -= 1;
                report.tell(&format!("Cannot create host: {}\n", error.text));
            }
        }
        for (id, wanted) in plan.found {
            match self.attempt(|e| e.bring_host_to(id, &wanted)) {
                Ok(true) => report.n_updated += 1,
                Ok(false) => {}
                Err(error) => report.tell(&format!("Cannot update host: {}\n", error.text)),
            }
        }
        for (id, lost) in plan.lost {
            let known = self.snapshot().hosts.get(&id).and_then(|it| it.discovered.as_deref());
            if let Some(mut it) = known.cloned() {
                it.by.set_lost(lost);
                self.set_discovery_of_host(id, it);
            }
        }
    }

    fn bring_host_to(&mut self, id: HostId, wanted: &WantedHost) -> Result<bool, ConfigError> {
        let groups = self.groups_of(&wanted.content)?;
        let host = self.snapshot().hosts.get(&id).cloned();
        let host = host.ok_or_else(ConfigError::no_permissions)?;
        let mut fields = wanted.differences(&host, &groups);
        let new = wanted.discovered();
        let old = host.discovered.as_deref();
        let was_disabled = old.is_some_and(|it| it.by.lost().disable_at != 0);
        if was_disabled && host.status == HostStatus::NotMonitored {
            fields.insert("status".to_owned(), "0".into());
        }
        let is_same = old.is_some_and(|it| it.by.is_same(&new.by) && it.given == new.given);
        let has_changes = !fields.is_empty();
        if has_changes {
            self.update(ObjectKind::Host, id.0, fields)?;
        }
        if !is_same {
            self.set_discovery_of_host(id, new);
        }
        Ok(has_changes || !is_same)
    }

    /// The groups of a host: those that are there, and those by name, made if need be.
    fn groups_of(&mut self, content: &HostPrototypeContent) -> Result<Vec<GroupId>, ConfigError> {
        let mut groups = content.groups.clone();
        groups.retain(|it| self.snapshot().host_groups.contains_key(it));
        for name in &content.group_names {
            let known = self.snapshot().host_groups.iter().find(|(_, it)| it.name == *name);
            let id = match known {
                Some((id, _)) => *id,
                None => {
                    let fields = object(json!({"name": name}));
                    GroupId(self.create(ObjectKind::HostGroup, fields)?)
                }
            };
            if !groups.contains(&id) {
                groups.push(id);
            }
        }
        Ok(groups)
    }
}
