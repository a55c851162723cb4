//! Items, discovery rules and item prototypes.

use std::sync::Arc;

use model::content::{InterfaceType, ItemContent, ItemFlags, ItemType};
use model::field_path::FieldPath;
use model::snapshot::{HolderKind, Host, ItemExtra, ItemRow, Lost};
use model::{HostId, InterfaceId, ItemId, ValueType};
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use super::content::{id_field, item_overrides, merge, readonly};
use super::inventory::normalize_inventory_link;
use super::messages::{key_exists, noun};
use crate::configuration::objects::ObjectKind;
use crate::error::{ConfigError, edited};

/// Levels of dependent items below a master, as in Zabbix.
const DEPENDENT_LEVELS_MAX: usize = 3;

/// The rows that a kind of object means.
fn matches(kind: ObjectKind, flags: ItemFlags) -> bool {
    match kind {
        ObjectKind::DiscoveryRule => flags.is_rule(),
        ObjectKind::DiscoveryRulePrototype => flags == ItemFlags::RulePrototype,
        ObjectKind::ItemPrototype => flags == ItemFlags::Prototype,
        _ => matches!(flags, ItemFlags::Plain | ItemFlags::Discovered),
    }
}

fn new_flags(kind: ObjectKind) -> ItemFlags {
    match kind {
        ObjectKind::DiscoveryRule => ItemFlags::Rule,
        ObjectKind::DiscoveryRulePrototype => ItemFlags::RulePrototype,
        ObjectKind::ItemPrototype => ItemFlags::Prototype,
        _ => ItemFlags::Plain,
    }
}

/// The formula of a calculated item, if it is new.
fn check_formula(wanted: &ItemContent, old: Option<&ItemContent>) -> Result<(), ConfigError> {
    let is_new = old.is_none_or(|it| it.params != wanted.params || it.kind != wanted.kind);
    if wanted.kind != ItemType::Calculated || !is_new || wanted.params.is_empty() {
        return Ok(());
    }
    let wrong = |what: &dyn std::fmt::Display| ConfigError::invalid(edited("params"), what);
    let ast = lang::expression::parse(&wanted.params).map_err(|it| wrong(&it))?;
    let usage = lang::expression::Usage::Formula;
    lang::expression::check(&ast, usage).map_err(|it| wrong(&it))
}

impl Editor {
    pub(super) fn create_item(
        &mut self,
        kind: ObjectKind,
        mut fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        let flags = new_flags(kind);
        let holder_id = match id_field(&fields, "hostid") {
            Some(it) => HostId(it),
            None => {
                let rule = id_field(&fields, "ruleid").ok_or_else(ConfigError::no_permissions)?;
                self.item(ItemId(rule))?.0.id
            }
        };
        if flags.has_prototypes() {
            fields.insert("value_type".to_owned(), ValueType::Text.code().to_string().into());
        }
        let mut content: ItemContent = merge(&ItemContent::default(), &fields)?;
        if self.holder(holder_id)?.kind == HolderKind::Host {
            content.uuid.clear();
        }
        require_interface(self.holder(holder_id)?, &content)?;
        check_nested(self.holder(holder_id)?, flags, &content)?;
        check_formula(&content, None)?;
        normalize_inventory_link(&fields, &mut content)?;
        self.check_item(holder_id, ItemId::NONE, flags, &mut content)?;
        self.check_inventory_link(holder_id, (ItemId::NONE, &content.key_), &content, None)?;
        let id = ItemId(self.ids.take());
        let row =
            ItemRow { id, source: ItemId::NONE, content: Arc::new(content), extra: None, flags };
        self.push_items(holder_id, vec![row]);
        self.inherit_items(holder_id, &[id])?;
        Ok(id.0)
    }

    pub(super) fn update_item(
        &mut self,
        kind: ObjectKind,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        let id = ItemId(id);
        let (holder, row) = self.item(id)?;
        if !matches(kind, row.flags) {
            return Err(ConfigError::no_permissions());
        }
        let (holder_id, flags, is_host) = (holder.id, row.flags, holder.kind == HolderKind::Host);
        let old = Arc::clone(&row.content);
        let mut wanted: ItemContent = merge(&*old, &fields)?;
        wanted.uuid = if is_host { old.uuid.clone() } else { wanted.uuid };
        normalize_inventory_link(&fields, &mut wanted)?;
        if row.discovered().is_some() {
            return self.update_discovered_item(holder_id, id, &wanted);
        }
        if row.source.is_some() {
            return self.update_inherited_item(holder_id, id, wanted);
        }
        if flags.is_prototype() {
            wanted.ruleid = old.ruleid;
        }
        if wanted.kind != old.kind {
            require_interface(self.holder(holder_id)?, &wanted)?;
            check_nested(self.holder(holder_id)?, flags, &wanted)?;
        }
        check_formula(&wanted, Some(&old))?;
        self.check_item(holder_id, id, flags, &mut wanted)?;
        self.check_new_inventory_link(holder_id, (id, &wanted.key_), (&old, &wanted), None)?;
        self.set_item_content(holder_id, id, Arc::new(wanted))
    }

    /// Puts new content in place of a row's and passes it on to all that inherit.
    pub(super) fn set_item_content(
        &mut self,
        holder: HostId,
        id: ItemId,
        content: Arc<ItemContent>,
    ) -> Result<(), ConfigError> {
        let old = Arc::clone(&self.item(id)?.1.content);
        if *old == *content {
            return Ok(());
        }
        self.item_mut(holder, id).content = Arc::clone(&content);
        self.propagate_item(holder, id, &old, &content)
    }

    fn update_inherited_item(
        &mut self,
        holder_id: HostId,
        id: ItemId,
        mut wanted: ItemContent,
    ) -> Result<(), ConfigError> {
        let (holder, row) = self.item(id)?;
        let base = Arc::clone(&self.item(row.source)?.1.content);
        normalize_interface(holder, &mut wanted)?;
        check_formula(&wanted, Some(&row.content))?;
        let overrides = item_overrides(&base, &wanted)?;
        let (overrides, content) = self.applied.of::<ItemRow>(overrides, &base);
        let old = Arc::clone(&row.content);
        if *old == *content {
            return Ok(());
        }
        self.check_new_inventory_link(holder_id, (id, &content.key_), (&old, &content), None)?;
        let row = self.item_mut(holder_id, id);
        row.extra = ItemExtra::of(overrides);
        row.content = Arc::clone(&content);
        self.propagate_item(holder_id, id, &old, &content)
    }

    fn update_discovered_item(
        &mut self,
        holder_id: HostId,
        id: ItemId,
        wanted: &ItemContent,
    ) -> Result<(), ConfigError> {
        let (_, row) = self.item(id)?;
        let allowed = ItemContent { status: wanted.status, ..ItemContent::clone(&row.content) };
        if let Some(field) = super::content::first_difference(wanted, &allowed) {
            return Err(readonly(&field, "discovered"));
        }
        if row.content.status != wanted.status {
            self.set_discovered_item_status(holder_id, id, wanted.status);
            // The user has decided: finding it again does not undo that.
            if let Some(extra) = &mut self.item_mut(holder_id, id).extra
                && let Some(discovered) = &mut extra.discovered
            {
                discovered.set_lost(Lost { disable_at: 0, ..discovered.lost() });
            }
        }
        Ok(())
    }

    /// The rules for own content: interface, master item, value map, key. Brings it to the form in
    /// which it is kept.
    fn check_item(
        &self,
        holder_id: HostId,
        id: ItemId,
        flags: ItemFlags,
        content: &mut ItemContent,
    ) -> Result<(), ConfigError> {
        let holder = self.holder(holder_id)?;
        normalize_interface(holder, content)?;
        if content.kind == ItemType::Dependent {
            self.check_master(holder, id, flags, content)?;
        } else {
            content.master_itemid = ItemId::NONE;
        }
        let valuemap = content.valuemapid;
        if valuemap.is_some() && holder.valuemaps.iter().all(|it| it.valuemapid != valuemap) {
            return Err(invalid_valuemap());
        }
        if flags.is_prototype() {
            let rule = holder.item(content.ruleid).filter(|it| it.flags.has_prototypes());
            rule.ok_or_else(ConfigError::no_permissions)?;
            if !lang::macros::has_lld_macro(&content.key_) {
                return Err(ConfigError::invalid(
                    edited("key_"),
                    "must contain at least one low-level discovery macro",
                ));
            }
        }
        let same_key = holder.item_by_key_where(&content.key_, |it| it.id != id);
        same_key.map_or(Ok(()), |it| Err(key_exists(holder, it)))
    }

    fn check_master(
        &self,
        holder: &Arc<Host>,
        id: ItemId,
        flags: ItemFlags,
        content: &ItemContent,
    ) -> Result<(), ConfigError> {
        let wrong = |what: &str| ConfigError::invalid(edited("master_itemid"), what);
        let rule_of = |it: &ItemContent| {
            self.next.item_by_ref(holder, it.ruleid).map_or(it.ruleid, |(_, it)| it.id)
        };
        let master = holder.item(content.master_itemid).filter(|it| {
            it.flags == ItemFlags::Plain
                || it.flags == ItemFlags::Prototype
                    && flags.is_prototype()
                    && rule_of(&it.content) == rule_of(content)
        });
        let master = master.ok_or_else(|| {
            let noun = if flags.is_prototype() { "an item/item prototype" } else { "an item" };
            let is_elsewhere = self.next.item(content.master_itemid).is_some_and(|(of, it)| {
                of.id != holder.id && (it.flags == ItemFlags::Plain || it.flags.is_prototype())
            });
            wrong(&if is_elsewhere {
                format!("cannot be {noun} ID from another host or template")
            } else {
                format!("{noun} ID is expected")
            })
        })?;
        let mut levels = 1;
        let mut at = master;
        loop {
            if at.id == id {
                return Err(wrong("circular item dependency is not allowed"));
            }
            if at.content.kind != ItemType::Dependent {
                break;
            }
            levels += 1;
            if levels > DEPENDENT_LEVELS_MAX {
                let what = "allowed count of dependency levels would be exceeded";
                return Err(wrong(what));
            }
            match self.next.item_by_ref(holder, at.content.master_itemid) {
                Some((_, next)) => at = next,
                None => break,
            }
        }
        Ok(())
    }

    pub(super) fn delete_items(
        &mut self,
        kind: ObjectKind,
        ids: &[u64],
    ) -> Result<(), ConfigError> {
        for (at, id) in ids.iter().enumerate() {
            let (_, row) = self.item(ItemId(*id))?;
            if !matches(kind, row.flags) {
                return Err(ConfigError::no_permissions());
            }
            if row.source.is_some() {
                return Err(ConfigError::invalid(
                    FieldPath::object(at),
                    format_args!("cannot delete inherited {}", noun(row.flags)),
                ));
            }
        }
        self.remove_items(ids.iter().map(|it| ItemId(*it)).collect());
        Ok(())
    }
}

fn invalid_valuemap() -> ConfigError {
    ConfigError::invalid(
        edited("valuemapid"),
        "cannot be a value map ID from another host or template",
    )
}

/// The main interface of the needed type is written as 0, so that equal items of many hosts share
/// their content and follow the host when another interface becomes the main one.
fn normalize_interface(holder: &Host, content: &mut ItemContent) -> Result<(), ConfigError> {
    let wrong = |what: &str| ConfigError::invalid(edited("interfaceid"), what);
    if holder.kind == HolderKind::Template {
        content.interfaceid = InterfaceId::NONE;
        return Ok(());
    }
    if content.interfaceid.is_none() {
        return Ok(());
    }
    let needed: Option<InterfaceType> = content.kind.interface();
    let interface = holder.interfaces.iter().find(|it| it.interfaceid == content.interfaceid);
    let interface =
        interface.ok_or_else(|| wrong("cannot be the host interface ID from another host"))?;
    if let Some(kind) = needed {
        if interface.kind != kind {
            let what = format!("the host interface ID of type \"{}\" is expected", type_name(kind));
            return Err(wrong(&what));
        }
        if interface.main {
            content.interfaceid = InterfaceId::NONE;
        }
    }
    Ok(())
}

/// Only what made a discovered host has a row for rules that users gave it.
fn check_nested(holder: &Host, flags: ItemFlags, content: &ItemContent) -> Result<(), ConfigError> {
    let has_row = flags != ItemFlags::Rule || may_have_nested(holder);
    if content.kind != ItemType::Nested || has_row {
        return Ok(());
    }
    let what = "cannot have a nested LLD rule on a non-discovered host";
    Err(ConfigError::invalid(edited("type"), what))
}

/// Whether a rule that is not discovered may be of the type *Nested*.
pub(super) fn may_have_nested(holder: &Host) -> bool {
    holder.kind == HolderKind::Template || holder.is_discovered()
}

/// Own items name the interface that is missing; inherited ones wait for it.
fn require_interface(holder: &Host, content: &ItemContent) -> Result<(), ConfigError> {
    let Some(kind) = content.kind.interface() else { return Ok(()) };
    let has_any = holder.interfaces.iter().any(|it| it.kind == kind);
    if holder.kind == HolderKind::Template || has_any || content.interfaceid.is_some() {
        return Ok(());
    }
    Err(ConfigError::invalid(edited("interfaceid"), "the host interface ID is expected"))
}

fn type_name(kind: InterfaceType) -> &'static str {
    match kind {
        InterfaceType::Agent => "Agent",
        InterfaceType::Snmp => "SNMP",
        InterfaceType::Ipmi => "IPMI",
        InterfaceType::Jmx => "JMX",
    }
}
