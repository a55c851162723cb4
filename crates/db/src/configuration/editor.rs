//! One change of the configuration: the interface for a closure given to [`crate::Db::edit`].
//!
//! The editor holds a copy of the snapshot (persistent maps: copying costs nothing) and changes
//! it in memory. Nothing is written here: after the closure, the differences to the snapshot
//! before are written and published in one go.
//!
//! **Fields** of `create` and `update` are named and typed as in Zabbix's API. `api` has checked
//! shape, types, defaults and the user's rights; the editor holds the rules that involve several
//! objects: existence, uniqueness, inheritance, references. Fields that it does not know are
//! ignored; in an update, absent fields stay.
//!
//! | kind | fields in addition to the object's own |
//! |---|---|
//! | `Host` | `groups [{groupid}]`, `templates [{templateid}]` (the whole list), `templates_clear`, `interfaces` (whole list), `macros`, `tags`, `inventory_mode`, `inventory {field: text}` |
//! | `Template` | `groups [{groupid}]` (template groups), `templates`, `templates_clear`, `macros`, `tags` |
//! | `Item`, `DiscoveryRule`, `ItemPrototype`, `DiscoveryRulePrototype` | `hostid` (prototypes may leave it to the rule), `ruleid` of prototypes |
//! | `Trigger`, `TriggerPrototype` | `expression`, `recovery_expression` as users write them, `dependencies [{triggerid}]`, `ruleid` optional |
//! | `Graph`, `GraphPrototype` | `gitems [{itemid, …}]`, with `gitemid` those that are there |
//! | `User` | `passwd`, `usrgrps [{usrgrpid}]` |
//! | `UserGroup` | `hostgroup_rights`, `templategroup_rights [{id, permission}]`, `users [{userid}]` |
//! | `Token` | see also [`Editor::generate_token`] |

mod access;
mod actions;
mod audited;
pub(crate) mod content;
mod core;
mod dashboards;
mod delete;
mod documents;
mod encryption;
mod expression;
mod graph;
mod group_names;
mod groups;
mod holder;
mod hostprototype;
mod inherit;
mod inherited_rows;
mod inventory;
mod item;
mod link;
mod maps;
mod messages;
mod note;
mod parts;
mod services;
mod trigger;
mod trim;
mod unlink;
mod web;

use model::{GroupId, HostId, TemplateGroupId};
use serde_json::{Map as JsonMap, Value as Json};

pub use self::core::Editor;
pub(crate) use self::core::{Crossing, EditBase, Outcome};
pub(crate) use self::delete::Removal;
pub(crate) use self::hostprototype::expand_host_parts;
pub use self::note::NotedAs;
pub use self::web::WebChange;
use crate::configuration::objects::ObjectKind;
use crate::error::ConfigError;

impl Editor {
    /// Makes one object and gives its id.
    ///
    /// # Errors
    /// If a rule forbids it; the text is Zabbix's. After an error the whole edit must be given up.
    pub fn create(
        &mut self,
        kind: ObjectKind,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        if !self.is_noted() {
            return self.create_one(kind, fields);
        }
        let given = fields.clone();
        let id = self.create_one(kind, fields)?;
        self.note_added(kind, id, &given);
        Ok(id)
    }

    fn create_one(
        &mut self,
        kind: ObjectKind,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        match kind {
            ObjectKind::HostGroup => self.create_host_group(&fields),
            ObjectKind::TemplateGroup => self.create_template_group(&fields),
            ObjectKind::Host | ObjectKind::Template => self.create_holder(kind, fields),
            ObjectKind::Item
            | ObjectKind::DiscoveryRule
            | ObjectKind::ItemPrototype
            | ObjectKind::DiscoveryRulePrototype => self.create_item(kind, fields),
            ObjectKind::Trigger | ObjectKind::TriggerPrototype => self.create_trigger(kind, fields),
            ObjectKind::Graph | ObjectKind::GraphPrototype => self.create_graph(kind, fields),
            ObjectKind::HostPrototype => self.create_host_prototype(fields),
            ObjectKind::HostMacro => self.create_host_macro(fields),
            ObjectKind::GlobalMacro => self.create_global_macro(fields),
            ObjectKind::HostInterface => self.create_interface(fields),
            ObjectKind::ValueMap => self.create_valuemap(fields),
            ObjectKind::User => self.create_user(fields),
            ObjectKind::UserGroup => self.create_user_group(fields),
            ObjectKind::Token => self.create_token(fields),
            ObjectKind::Document(kind) => self.create_document(kind, &fields),
        }
    }

    /// Changes the given fields of one object.
    ///
    /// # Errors
    /// As for [`Self::create`]; also if the object does not exist or a field of an inherited or
    /// discovered object is not the user's to change.
    pub fn update(
        &mut self,
        kind: ObjectKind,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        if !self.is_noted() {
            return self.update_one(kind, id, fields);
        }
        let (given, before) = (fields.clone(), self.audited(kind, id));
        self.update_one(kind, id, fields)?;
        self.note_updated((kind, id), before, &given);
        Ok(())
    }

    fn update_one(
        &mut self,
        kind: ObjectKind,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        match kind {
            ObjectKind::HostGroup => self.update_host_group(id, &fields),
            ObjectKind::TemplateGroup => self.update_template_group(id, &fields),
            ObjectKind::Host | ObjectKind::Template => self.update_holder(kind, id, fields),
            ObjectKind::Item
            | ObjectKind::DiscoveryRule
            | ObjectKind::ItemPrototype
            | ObjectKind::DiscoveryRulePrototype => self.update_item(kind, id, fields),
            ObjectKind::Trigger | ObjectKind::TriggerPrototype => {
                self.update_trigger(kind, id, fields)
            }
            ObjectKind::Graph | ObjectKind::GraphPrototype => self.update_graph(kind, id, fields),
            ObjectKind::HostPrototype => self.update_host_prototype(id, fields),
            ObjectKind::HostMacro => self.update_host_macro(id, fields),
            ObjectKind::GlobalMacro => self.update_global_macro(id, fields),
            ObjectKind::HostInterface => self.update_interface(id, fields),
            ObjectKind::ValueMap => self.update_valuemap(id, fields),
            ObjectKind::User => self.update_user(id, fields),
            ObjectKind::UserGroup => self.update_user_group(id, fields),
            ObjectKind::Token => self.update_token(id, fields),
            ObjectKind::Document(kind) => self.update_document(kind, id, &fields),
        }
    }

    /// Deletes objects and all that depends on them.
    ///
    /// # Errors
    /// If one does not exist, is inherited, or is needed by something that must stay.
    pub fn delete(&mut self, kind: ObjectKind, ids: &[u64]) -> Result<(), ConfigError> {
        if self.is_noted() {
            ids.iter().for_each(|id| self.note_deleted(kind, *id));
        }
        match kind {
            ObjectKind::HostGroup => self.delete_host_groups(ids),
            ObjectKind::TemplateGroup => self.delete_template_groups(ids),
            ObjectKind::Host | ObjectKind::Template => self.delete_holders(kind, ids),
            ObjectKind::Item
            | ObjectKind::DiscoveryRule
            | ObjectKind::ItemPrototype
            | ObjectKind::DiscoveryRulePrototype => self.delete_items(kind, ids),
            ObjectKind::Trigger | ObjectKind::TriggerPrototype => self.delete_triggers(kind, ids),
            ObjectKind::Graph | ObjectKind::GraphPrototype => self.delete_graphs(kind, ids),
            ObjectKind::HostPrototype => self.delete_host_prototypes(ids),
            ObjectKind::HostMacro => self.delete_host_macros(ids),
            ObjectKind::GlobalMacro => self.delete_global_macros(ids),
            ObjectKind::HostInterface => self.delete_interfaces(ids),
            ObjectKind::ValueMap => self.delete_valuemaps(ids),
            ObjectKind::User => self.delete_users(ids),
            ObjectKind::UserGroup => self.delete_user_groups(ids),
            ObjectKind::Token => self.delete_tokens(ids),
            ObjectKind::Document(kind) => self.delete_documents(kind, ids),
        }
    }

    /// Links templates to hosts or templates, after the templates that are linked already, which
    /// stay.
    ///
    /// # Errors
    /// If keys collide, links would be circular or double, or a trigger needs a template that is
    /// not linked.
    pub fn link(&mut self, holders: &[HostId], templates: &[HostId]) -> Result<(), ConfigError> {
        self.noted_for_each(holders, |e| e.link_templates(holders, templates))
    }

    /// Unlinks templates. Inherited objects stay as the holder's own, with ids and history;
    /// with `clear` they are deleted.
    ///
    /// # Errors
    /// If a trigger uses items of a template that goes and of one that stays.
    pub fn unlink(
        &mut self,
        holders: &[HostId],
        templates: &[HostId],
        clear: bool,
    ) -> Result<(), ConfigError> {
        self.noted_for_each(holders, |e| e.unlink_templates(holders, templates, clear))
    }

    /// Adds hosts to groups; membership that exists stays.
    ///
    /// # Errors
    /// If a host or group does not exist.
    pub fn add_groups(&mut self, hosts: &[HostId], groups: &[GroupId]) -> Result<(), ConfigError> {
        self.noted_for_host_groups((hosts, groups), |e| {
            e.noted_for_each(hosts, |e| e.add_host_groups(hosts, groups))
        })
    }

    /// Removes hosts from groups.
    ///
    /// # Errors
    /// If a host would be left without a group.
    pub fn remove_groups(
        &mut self,
        hosts: &[HostId],
        groups: &[GroupId],
    ) -> Result<(), ConfigError> {
        self.noted_for_host_groups((hosts, groups), |e| {
            e.noted_for_each(hosts, |e| e.remove_host_groups(hosts, groups))
        })
    }

    /// Adds templates to template groups.
    ///
    /// # Errors
    /// If a template or group does not exist.
    pub fn add_template_groups(
        &mut self,
        templates: &[HostId],
        groups: &[TemplateGroupId],
        noted: NotedAs,
    ) -> Result<(), ConfigError> {
        match noted {
            NotedAs::Groups => self.noted_for_template_groups((templates, groups), |e| {
                e.add_groups_of_templates(templates, groups)
            }),
            NotedAs::Holders => {
                self.noted_for_each(templates, |e| e.add_groups_of_templates(templates, groups))
            }
        }
    }

    /// Takes templates out of template groups.
    ///
    /// # Errors
    /// If a template would be left without a group.
    pub fn remove_template_groups(
        &mut self,
        templates: &[HostId],
        groups: &[TemplateGroupId],
        noted: NotedAs,
    ) -> Result<(), ConfigError> {
        match noted {
            NotedAs::Groups => self.noted_for_template_groups((templates, groups), |e| {
                e.remove_groups_of_templates(templates, groups)
            }),
            NotedAs::Holders => {
                self.noted_for_each(templates, |e| e.remove_groups_of_templates(templates, groups))
            }
        }
    }
}
