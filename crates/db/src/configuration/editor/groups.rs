//! Host groups and template groups.

use std::sync::Arc;

use model::content::Group;
use model::{GroupId, HostId, TemplateGroupId};
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use super::actions;
use super::content::text_field;
use super::group_names::GroupNames;
use super::maps::GoneFromMaps;
use crate::configuration::objects::correlation;
use crate::error::ConfigError;

fn group_of(fields: &JsonMap<String, Json>, old: &Group) -> Group {
    Group {
        name: text_field(fields, "name").unwrap_or(&old.name).to_owned(),
        uuid: text_field(fields, "uuid").unwrap_or(&old.uuid).to_owned(),
    }
}

/// As [`group_of`], with an identity in exports in any case.
fn new_group(fields: &JsonMap<String, Json>) -> Result<Group, ConfigError> {
    let mut group = group_of(fields, &Group::default());
    if group.uuid.is_empty() {
        group.uuid = crate::configuration::ids::random_uuid()?;
    }
    Ok(group)
}

fn taken(kind: &str, name: &str) -> ConfigError {
    ConfigError::parameters(format_args!("{kind} group \"{name}\" already exists."))
}

impl Editor {
    fn host_group_names(&self) -> &GroupNames {
        self.host_group_names
            .get_or_init(|| GroupNames::of(self.next.host_groups.iter().map(|(id, it)| (id.0, it))))
    }

    fn template_group_names(&self) -> &GroupNames {
        self.template_group_names.get_or_init(|| {
            GroupNames::of(self.next.template_groups.iter().map(|(id, it)| (id.0, it)))
        })
    }

    /// The host group of this name.
    pub(crate) fn host_group_named(&self, name: &str) -> Option<GroupId> {
        let id = GroupId(*self.host_group_names().by_name.get(name)?);
        self.next.host_groups.get(&id).filter(|it| it.name == name).map(|_| id)
    }

    /// The template group of this name.
    pub(crate) fn template_group_named(&self, name: &str) -> Option<TemplateGroupId> {
        let id = TemplateGroupId(*self.template_group_names().by_name.get(name)?);
        self.next.template_groups.get(&id).filter(|it| it.name == name).map(|_| id)
    }

    /// The host group of this UUID; none has an empty one.
    pub(crate) fn host_group_by_uuid(&self, uuid: &str) -> Option<GroupId> {
        let id = GroupId(*self.host_group_names().by_uuid.get(uuid)?);
        self.next.host_groups.get(&id).filter(|it| it.uuid == uuid).map(|_| id)
    }

    /// The template group of this UUID; none has an empty one.
    pub(crate) fn template_group_by_uuid(&self, uuid: &str) -> Option<TemplateGroupId> {
        let id = TemplateGroupId(*self.template_group_names().by_uuid.get(uuid)?);
        self.next.template_groups.get(&id).filter(|it| it.uuid == uuid).map(|_| id)
    }

    pub(super) fn put_host_group(&mut self, id: GroupId, group: Group) {
        if let Some(known) = self.host_group_names.get_mut() {
            known.note(id.0, &group);
        }
        self.next.host_groups.insert(id, Arc::new(group));
        self.groups_changed = true;
    }

    pub(super) fn put_template_group(&mut self, id: TemplateGroupId, group: Group) {
        if let Some(known) = self.template_group_names.get_mut() {
            known.note(id.0, &group);
        }
        self.next.template_groups.insert(id, Arc::new(group));
        self.groups_changed = true;
    }
}

impl Editor {
    pub(super) fn create_host_group(
        &mut self,
        fields: &JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        let group = new_group(fields)?;
        self.check_host_group(GroupId::NONE, &group)?;
        let id = self.ids.take();
        self.put_host_group(GroupId(id), group);
        Ok(id)
    }

    fn check_host_group(&self, id: GroupId, group: &Group) -> Result<(), ConfigError> {
        let same = self.host_group_named(&group.name).filter(|it| *it != id);
        same.map_or(Ok(()), |_| Err(taken("Host", &group.name)))
    }

    pub(super) fn update_host_group(
        &mut self,
        id: u64,
        fields: &JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        let id = GroupId(id);
        let old = self.next.host_groups.get(&id).ok_or_else(ConfigError::no_permissions)?;
        let group = group_of(fields, old);
        if group != **old {
            self.check_host_group(id, &group)?;
            self.put_host_group(id, group);
        }
        Ok(())
    }

    pub(super) fn delete_host_groups(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        let ids: Vec<GroupId> = ids.iter().map(|it| GroupId(*it)).collect();
        for id in &ids {
            let group = self.next.host_groups.get(id).ok_or_else(ConfigError::no_permissions)?;
            if *id == GroupId(5) {
                return Err(ConfigError::parameters(format_args!(
                    "Host group \"{}\" is group for discovered hosts and cannot be deleted.",
                    group.name
                )));
            }
            if self.next.is_group_of_prototype(*id) {
                return Err(ConfigError::parameters(format_args!(
                    "Group \"{}\" cannot be deleted, because it is used by a host prototype.",
                    group.name
                )));
            }
            if correlation::is_named(&self.next, id.0) {
                return Err(ConfigError::parameters(format_args!(
                    "Group \"{}\" cannot be deleted, because it is used in a correlation condition.",
                    group.name
                )));
            }
            self.check_no_action(&actions::HOST_GROUP, id.0, &group.name)?;
        }
        let members: Vec<HostId> = self
            .next
            .hosts
            .values()
            .filter(|it| it.groups.iter().any(|it| ids.contains(it)))
            .map(|it| it.id)
            .collect();
        self.remove_host_groups(&members, &ids)?;
        self.leave_maintenances("groups", &ids.iter().map(|it| it.0).collect::<Vec<_>>())?;
        for id in &ids {
            self.next.host_groups.remove(id);
            self.next.group_discoveries.remove(id);
        }
        let groups = ids.iter().map(|it| it.0).collect();
        self.leave_maps(&GoneFromMaps { groups, ..GoneFromMaps::default() });
        self.groups_changed = true;
        self.drop_group_rights(&ids, &[]);
        Ok(())
    }

    pub(super) fn add_host_groups(
        &mut self,
        hosts: &[HostId],
        groups: &[GroupId],
    ) -> Result<(), ConfigError> {
        self.check_host_groups(groups)?;
        for id in hosts {
            let host = self.next.hosts.get(id).ok_or_else(ConfigError::no_permissions)?;
            let new: Vec<GroupId> =
                groups.iter().filter(|it| !host.groups.contains(it)).copied().collect();
            if !new.is_empty() {
                self.holder_mut(*id).groups.extend(new);
            }
        }
        Ok(())
    }

    pub(super) fn check_host_groups(&self, groups: &[GroupId]) -> Result<(), ConfigError> {
        if groups.iter().all(|it| self.next.host_groups.contains_key(it)) {
            Ok(())
        } else {
            Err(ConfigError::no_permissions())
        }
    }

    pub(super) fn remove_host_groups(
        &mut self,
        hosts: &[HostId],
        groups: &[GroupId],
    ) -> Result<(), ConfigError> {
        for id in hosts {
            let host = self.next.hosts.get(id).ok_or_else(ConfigError::no_permissions)?;
            if !host.groups.iter().any(|it| groups.contains(it)) {
                continue;
            }
            if host.groups.iter().all(|it| groups.contains(it)) {
                return Err(without_group("host", &host.host, "host"));
            }
            self.holder_mut(*id).groups.retain(|it| !groups.contains(it));
        }
        Ok(())
    }

    pub(super) fn create_template_group(
        &mut self,
        fields: &JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        let group = new_group(fields)?;
        self.check_template_group(TemplateGroupId::NONE, &group)?;
        let id = self.ids.take();
        self.put_template_group(TemplateGroupId(id), group);
        Ok(id)
    }

    fn check_template_group(&self, id: TemplateGroupId, group: &Group) -> Result<(), ConfigError> {
        let same = self.template_group_named(&group.name).filter(|it| *it != id);
        same.map_or(Ok(()), |_| Err(taken("Template", &group.name)))
    }

    pub(super) fn update_template_group(
        &mut self,
        id: u64,
        fields: &JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        let id = TemplateGroupId(id);
        let old = self.next.template_groups.get(&id).ok_or_else(ConfigError::no_permissions)?;
        let group = group_of(fields, old);
        if group != **old {
            self.check_template_group(id, &group)?;
            self.put_template_group(id, group);
        }
        Ok(())
    }

    pub(super) fn delete_template_groups(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        let ids: Vec<TemplateGroupId> = ids.iter().map(|it| TemplateGroupId(*it)).collect();
        if !ids.iter().all(|it| self.next.template_groups.contains_key(it)) {
            return Err(ConfigError::no_permissions());
        }
        let members: Vec<HostId> = self
            .next
            .templates
            .values()
            .filter(|it| it.template_groups.iter().any(|it| ids.contains(it)))
            .map(|it| it.id)
            .collect();
        self.remove_groups_of_templates(&members, &ids)?;
        for id in &ids {
            self.next.template_groups.remove(id);
        }
        self.groups_changed = true;
        self.drop_group_rights(&[], &ids);
        Ok(())
    }

    pub(super) fn check_template_groups(
        &self,
        groups: &[TemplateGroupId],
    ) -> Result<(), ConfigError> {
        if groups.iter().all(|it| self.next.template_groups.contains_key(it)) {
            Ok(())
        } else {
            Err(ConfigError::no_permissions())
        }
    }

    pub(super) fn add_groups_of_templates(
        &mut self,
        templates: &[HostId],
        groups: &[TemplateGroupId],
    ) -> Result<(), ConfigError> {
        self.check_template_groups(groups)?;
        for id in templates {
            let template = self.next.templates.get(id).ok_or_else(ConfigError::no_permissions)?;
            let has = &template.template_groups;
            let new: Vec<TemplateGroupId> =
                groups.iter().filter(|it| !has.contains(it)).copied().collect();
            if !new.is_empty() {
                self.holder_mut(*id).template_groups.extend(new);
            }
        }
        Ok(())
    }

    pub(super) fn remove_groups_of_templates(
        &mut self,
        templates: &[HostId],
        groups: &[TemplateGroupId],
    ) -> Result<(), ConfigError> {
        for id in templates {
            let template = self.next.templates.get(id).ok_or_else(ConfigError::no_permissions)?;
            if !template.template_groups.iter().any(|it| groups.contains(it)) {
                continue;
            }
            if template.template_groups.iter().all(|it| groups.contains(it)) {
                return Err(without_group("template", &template.host, "template"));
            }
            self.holder_mut(*id).template_groups.retain(|it| !groups.contains(it));
        }
        Ok(())
    }
}

pub(super) fn without_group(kind: &'static str, name: &str, group: &str) -> ConfigError {
    ConfigError::about(kind, format_args!("\"{name}\" cannot be without {group} group."))
}
