//! Hosts and templates.

use std::collections::BTreeSet;
use std::sync::Arc;

use lang::host_name;
use model::content::{HostStatus, Inventory, InventoryMode, IpmiLogin, Tag, Vendor};
use model::field_path::FieldPath;
use model::snapshot::{HolderKind, Host, Lost};
use model::{GroupId, HostId, TemplateGroupId, TriggerId};
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use super::actions;
use super::content::{ids_field, int_field, objects_field, text_field};
use super::groups::without_group;
use super::maps::GoneFromMaps;
use crate::configuration::objects::ObjectKind;
use crate::error::{ConfigError, edited};
use crate::runtime::parents::circle;

type Fields = JsonMap<String, Json>;

fn holder_kind(kind: ObjectKind) -> HolderKind {
    if kind == ObjectKind::Template { HolderKind::Template } else { HolderKind::Host }
}

fn noun(kind: HolderKind) -> &'static str {
    match kind {
        HolderKind::Host => "host",
        HolderKind::Template => "template",
    }
}

/// A host's login after a change of the fields `ipmi_…`.
fn ipmi_login(old: Option<Arc<IpmiLogin>>, fields: &Fields) -> Option<Arc<IpmiLogin>> {
    let mut login = old.as_deref().cloned().unwrap_or_default();
    if let Some(code) = int_field(fields, "ipmi_authtype") {
        login.authtype = code;
    }
    if let Some(code) = int_field(fields, "ipmi_privilege") {
        login.privilege = code;
    }
    if let Some(text) = text_field(fields, "ipmi_username") {
        text.clone_into(&mut login.username);
    }
    if let Some(text) = text_field(fields, "ipmi_password") {
        text.clone_into(&mut login.password);
    }
    if old.as_deref() == Some(&login) {
        return old;
    }
    (login != IpmiLogin::default()).then(|| Arc::new(login))
}

/// A template's vendor after a change of the fields `vendor_…`.
fn vendor(old: Option<Arc<Vendor>>, fields: &Fields) -> Option<Arc<Vendor>> {
    let mut vendor = old.as_deref().cloned().unwrap_or_default();
    if let Some(text) = text_field(fields, "vendor_name") {
        text.clone_into(&mut vendor.name);
    }
    if let Some(text) = text_field(fields, "vendor_version") {
        text.clone_into(&mut vendor.version);
    }
    if old.as_deref() == Some(&vendor) {
        return old;
    }
    (vendor != Vendor::default()).then(|| Arc::new(vendor))
}

impl Editor {
    pub(super) fn create_holder(
        &mut self,
        kind: ObjectKind,
        fields: Fields,
    ) -> Result<u64, ConfigError> {
        let kind = holder_kind(kind);
        let host: Arc<str> = text_field(&fields, "host").unwrap_or_default().into();
        let name = text_field(&fields, "name").filter(|it| !it.is_empty());
        let name: Arc<str> = name.map_or_else(|| Arc::clone(&host), Into::into);
        self.check_host_name((kind, HostId::NONE), &host)?;
        self.check_visible_name((kind, HostId::NONE), &name)?;
        let id = HostId(self.ids.take());
        let mut holder = Host::new(id, kind, Arc::clone(&host), Arc::clone(&name));
        if kind == HolderKind::Host {
            let mode = InventoryMode::from_code(self.next.globals.settings.inventory_mode);
            holder.inventory_mode = mode.unwrap_or(holder.inventory_mode);
        }
        match kind {
            HolderKind::Host => {
                self.next.host_by_name.insert(host, id);
                self.next.hosts.insert(id, Arc::new(holder));
            }
            HolderKind::Template => {
                self.next.template_by_name.insert(host, id);
                self.next.templates.insert(id, Arc::new(holder));
            }
        }
        self.names().insert(name, id);
        self.touch(id);
        self.set_holder_fields(id, &fields)?;
        let holder = self.holder(id)?;
        if holder.groups.is_empty() && holder.template_groups.is_empty() {
            let group = if kind == HolderKind::Host { "host" } else { "template" };
            return Err(without_group(noun(kind), &holder.host, group));
        }
        Ok(id.0)
    }

    pub(super) fn update_holder(
        &mut self,
        kind: ObjectKind,
        id: u64,
        fields: Fields,
    ) -> Result<(), ConfigError> {
        let id = HostId(id);
        let holder = Arc::clone(self.holder(id)?);
        if holder.kind != holder_kind(kind) {
            return Err(ConfigError::no_permissions());
        }
        if let Some(host) = text_field(&fields, "host").filter(|it| **it != *holder.host) {
            self.check_host_name((holder.kind, id), host)?;
            let host: Arc<str> = host.into();
            let names = match holder.kind {
                HolderKind::Host => &mut self.next.host_by_name,
                HolderKind::Template => &mut self.next.template_by_name,
            };
            names.remove(&holder.host);
            names.insert(Arc::clone(&host), id);
            self.holder_mut(id).host = host;
        }
        // An empty visible name means the technical one.
        let name = text_field(&fields, "name").map(|name| {
            if name.is_empty() {
                self.next.holder(id).map_or_else(String::new, |it| it.host.to_string())
            } else {
                name.to_owned()
            }
        });
        if let Some(name) = name.filter(|it| **it != *holder.name) {
            self.check_visible_name((holder.kind, id), &name)?;
            let name: Arc<str> = name.into();
            self.names().remove(&holder.name);
            self.names().insert(Arc::clone(&name), id);
            self.holder_mut(id).name = name;
        }
        self.set_holder_fields(id, &fields)
    }

    /// Everything but the names, the same for new and old ones. Templates come last: their items
    /// want interfaces.
    fn set_holder_fields(&mut self, id: HostId, fields: &Fields) -> Result<(), ConfigError> {
        self.set_plain_fields(id, fields)?;
        self.set_groups(id, fields)?;
        if let Some(list) = objects_field(fields, "interfaces") {
            self.replace_interfaces(id, &list)?;
        }
        if let Some(list) = objects_field(fields, "macros") {
            self.replace_macros(id, &list)?;
        }
        if let Some(list) = objects_field(fields, "valuemaps") {
            self.replace_valuemaps(id, &list)?;
        }
        self.set_templates(id, fields)
    }

    fn set_plain_fields(&mut self, id: HostId, fields: &Fields) -> Result<(), ConfigError> {
        let mut changed = Host::clone(self.holder(id)?);
        if let Some(status) = int_field(fields, "status").and_then(HostStatus::from_code) {
            // Whom discovery disabled is the user's from now on.
            if changed.status != status
                && let Some(it) = &mut changed.discovered
            {
                it.by.set_lost(Lost { disable_at: 0, ..it.by.lost() });
            }
            changed.status = status;
        }
        if let Some(text) = text_field(fields, "description") {
            changed.description = text.to_owned();
        }
        if let Some(text) = text_field(fields, "uuid") {
            changed.uuid = text.to_owned();
        }
        if let Some(mode) = self.inventory_mode(id, fields)? {
            changed.inventory_mode = mode;
        }
        if let Some(list) = fields.get("tags") {
            changed.tags = serde_json::from_value::<Vec<Tag>>(list.clone())
                .map_err(|error| ConfigError::invalid(edited("tags"), error))?;
        }
        changed.ipmi = ipmi_login(changed.ipmi, fields);
        if changed.kind == HolderKind::Template {
            changed.vendor = vendor(changed.vendor, fields);
        }
        if let Some(parents) = ids_field(fields, "parents", "hostid") {
            changed.parents = self.parents(&changed, parents)?;
        }
        if changed.kind == HolderKind::Host {
            changed.encryption = Self::encryption(&changed, fields)?;
        }
        let old = Arc::clone(self.holder(id)?);
        let is_same = old.status == changed.status
            && old.description == changed.description
            && old.uuid == changed.uuid
            && old.inventory_mode == changed.inventory_mode
            && old.tags == changed.tags
            && old.parents == changed.parents
            && old.vendor == changed.vendor
            && old.encryption == changed.encryption
            && old.ipmi == changed.ipmi;
        if !is_same {
            self.count_shared_key(old.encryption.as_deref(), changed.encryption.as_deref());
            *self.holder_mut(id) = changed;
        }
        self.set_inventory(id, fields)
    }

    /// The parents that a host is given, each once.
    ///
    /// # Errors
    /// If one is no host, or is a descendant of the host itself.
    fn parents(&mut self, host: &Host, ids: Vec<u64>) -> Result<Vec<HostId>, ConfigError> {
        let ids: BTreeSet<HostId> = ids.into_iter().map(HostId).collect();
        if ids.iter().any(|it| !self.next.hosts.contains_key(it)) {
            return Err(ConfigError::no_permissions());
        }
        let host = Host { parents: ids.into_iter().collect(), ..host.clone() };
        if let Some(way) = circle(&self.next, &host) {
            let way: Vec<String> = way.iter().map(|it| format!("\"{it}\"")).collect();
            let what = format_args!("a host cannot be behind itself: {}", way.join(" is behind "));
            return Err(ConfigError::invalid(edited("parents"), what));
        }
        Ok(host.parents)
    }

    /// Gives a host the parents that discovery has found by technical or visible name. Unknown
    /// names and those that would make a cycle are left out; without any other ones everything
    /// stays.
    pub(crate) fn set_found_parents(&mut self, id: HostId, names: &BTreeSet<String>) {
        let Some(host) = self.next.hosts.get(&id).cloned() else { return };
        let mut found = Host { parents: Vec::new(), ..Host::clone(&host) };
        for name in names {
            let by_name = self.next.host_by_name.get(name.as_str()).copied();
            let by_name = by_name.or_else(|| self.names().get(name.as_str()).copied());
            let Some(parent) = by_name.filter(|it| self.next.hosts.contains_key(it)) else {
                continue;
            };
            if !found.parents.contains(&parent) {
                found.parents.push(parent);
                if circle(&self.next, &found).is_some() {
                    found.parents.pop();
                }
            }
        }
        found.parents.sort_unstable();
        if !found.parents.is_empty() && found.parents != host.parents {
            self.holder_mut(id).parents = found.parents;
        }
    }

    fn set_groups(&mut self, id: HostId, fields: &Fields) -> Result<(), ConfigError> {
        let Some(groups) = ids_field(fields, "groups", "groupid") else { return Ok(()) };
        let holder = self.holder(id)?;
        let kind = holder.kind;
        if groups.is_empty() {
            let group = if kind == HolderKind::Host { "host" } else { "template" };
            return Err(without_group(noun(kind), &holder.host, group));
        }
        match kind {
            HolderKind::Host => {
                let groups: Vec<GroupId> = groups.into_iter().map(GroupId).collect();
                self.check_host_groups(&groups)?;
                if self.holder(id)?.groups != groups {
                    self.holder_mut(id).groups = groups;
                }
            }
            HolderKind::Template => {
                let groups: Vec<TemplateGroupId> =
                    groups.into_iter().map(TemplateGroupId).collect();
                self.check_template_groups(&groups)?;
                if self.holder(id)?.template_groups != groups {
                    self.holder_mut(id).template_groups = groups;
                }
            }
        }
        Ok(())
    }

    /// `templates` is the whole list; templates that are not in it are unlinked, or cleared if
    /// `templates_clear` names it.
    fn set_templates(&mut self, id: HostId, fields: &Fields) -> Result<(), ConfigError> {
        let as_ids = |it: Vec<u64>| -> Vec<HostId> { it.into_iter().map(HostId).collect() };
        let cleared = ids_field(fields, "templates_clear", "templateid").map(as_ids);
        let cleared = cleared.unwrap_or_default();
        let wanted = ids_field(fields, "templates", "templateid").map(as_ids);
        if !cleared.is_empty() {
            self.unlink_templates(&[id], &cleared, true)?;
        }
        let Some(wanted) = wanted else { return Ok(()) };
        let gone: Vec<HostId> =
            self.holder(id)?.templates.iter().filter(|it| !wanted.contains(it)).copied().collect();
        if !gone.is_empty() {
            self.unlink_templates(&[id], &gone, false)?;
        }
        self.link_templates(&[id], &wanted)
    }

    fn check_host_name(
        &self,
        (of, id): (HolderKind, HostId),
        host: &str,
    ) -> Result<(), ConfigError> {
        if !host_name::is_valid(host) {
            return Err(ConfigError::invalid(
                FieldPath::object(0).member("host"),
                "invalid host name",
            ));
        }
        let is_other = |it: Option<&HostId>| it.is_some_and(|it| *it != id);
        for (kind, names) in [
            (HolderKind::Host, &self.next.host_by_name),
            (HolderKind::Template, &self.next.template_by_name),
        ] {
            if is_other(names.get(host)) {
                // Zabbix's words for templates are newer.
                let which = if of == HolderKind::Template { "host" } else { "the same" };
                let what = format_args!("with {which} name \"{host}\" already exists.");
                return Err(ConfigError::about(noun(kind), what));
            }
        }
        Ok(())
    }

    fn check_visible_name(
        &mut self,
        (of, id): (HolderKind, HostId),
        name: &str,
    ) -> Result<(), ConfigError> {
        let Some(other) = self.names().get(name).copied().filter(|it| *it != id) else {
            return Ok(());
        };
        let kind = self.holder(other)?.kind;
        let same = if of == HolderKind::Template { "" } else { "the same " };
        let what = format_args!("with {same}visible name \"{name}\" already exists.");
        Err(ConfigError::about(noun(kind), what))
    }

    /// Templates take what was inherited from them along.
    pub(super) fn delete_holders(
        &mut self,
        kind: ObjectKind,
        ids: &[u64],
    ) -> Result<(), ConfigError> {
        let kind = holder_kind(kind);
        let ids: Vec<HostId> = ids.iter().map(|it| HostId(*it)).collect();
        for id in &ids {
            if self.holder(*id)?.kind != kind {
                return Err(ConfigError::no_permissions());
            }
        }
        let named = match kind {
            HolderKind::Host => &actions::HOST,
            HolderKind::Template => &actions::TEMPLATE,
        };
        for id in &ids {
            self.check_no_action(named, id.0, &self.holder(*id)?.host)?;
        }
        if kind == HolderKind::Template {
            let children: BTreeSet<HostId> =
                ids.iter().flat_map(|it| self.children(*it).to_vec()).collect();
            let children: Vec<HostId> = children.into_iter().collect();
            self.unlink_templates(&children, &ids, true)?;
        }
        if kind == HolderKind::Host {
            self.leave_maintenances("hosts", &ids.iter().map(|it| it.0).collect::<Vec<_>>())?;
            self.leave_children(&ids);
        }
        for id in ids {
            self.delete_holder(id)?;
        }
        Ok(())
    }

    /// Hosts that are to be deleted are no parents any more.
    fn leave_children(&mut self, gone: &[HostId]) {
        let gone: BTreeSet<HostId> = gone.iter().copied().collect();
        let is_child = |it: &&Arc<Host>| it.parents.iter().any(|it| gone.contains(it));
        let children: Vec<HostId> =
            self.next.hosts.values().filter(is_child).map(|it| it.id).collect();
        for id in children {
            self.holder_mut(id).parents.retain(|it| !gone.contains(it));
        }
    }

    fn delete_holder(&mut self, id: HostId) -> Result<(), ConfigError> {
        let holder = Arc::clone(self.holder(id)?);
        let items: BTreeSet<_> = holder.items.iter().map(|it| it.id).collect();
        // Other holders' triggers that use its items go with it.
        let crossing: Vec<TriggerId> = self
            .cross
            .triggers
            .iter()
            .filter(|it| {
                self.next.trigger(**it).is_some_and(|(of, row)| {
                    of.id != id && row.content.functions.iter().any(|it| items.contains(&it.item))
                })
            })
            .copied()
            .collect();
        self.remove_triggers(crossing);
        self.leave_graphs(&holder);
        // Some may have gone to another host.
        let holder = Arc::clone(self.holder(id)?);
        for template in &holder.templates {
            let left: Vec<HostId> =
                self.children(*template).iter().filter(|it| **it != id).copied().collect();
            if left.is_empty() {
                self.next.linked_to.remove(template);
            } else {
                self.next.linked_to.insert(*template, left.into());
            }
        }
        self.names().remove(&holder.name);
        self.touch(id);
        self.put_inventory(id, Inventory::default());
        self.count_shared_key(holder.encryption.as_deref(), None);
        match holder.kind {
            HolderKind::Host => {
                self.next.hosts.remove(&id);
                self.next.host_by_name.remove(&holder.host);
            }
            HolderKind::Template => {
                self.leave_host_prototypes(id)?;
                self.next.templates.remove(&id);
                self.next.template_by_name.remove(&holder.host);
                self.next.linked_to.remove(&id);
            }
        }
        for interface in &holder.interfaces {
            self.next.interface_owner.remove(&interface.interfaceid);
        }
        for valuemap in &holder.valuemaps {
            self.next.valuemap_owner.remove(&valuemap.valuemapid);
        }
        self.forget_runs(&holder);
        self.leave_dashboards_of(&holder);
        let gone: BTreeSet<TriggerId> = holder.triggers.iter().map(|it| it.id).collect();
        for id in &gone {
            self.cross.triggers.remove(id);
        }
        for graph in &holder.graphs {
            self.cross.graphs.remove(&graph.id);
        }
        self.drop_dependencies(&gone);
        let prototypes = holder.host_prototypes.iter().map(|it| it.id.0).collect();
        self.remove_hosts_made_by(&prototypes);
        self.leave_maps(&GoneFromMaps {
            hosts: [id.0].into(),
            triggers: gone.iter().map(|it| it.0).collect(),
            items: holder.items.iter().map(|it| it.id.0).collect(),
            ..GoneFromMaps::default()
        });
        Ok(())
    }
}
