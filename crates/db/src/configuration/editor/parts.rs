//! Parts of hosts and templates with ids of their own: interfaces, macros, value maps.

use std::collections::BTreeMap;

use lang::macros::UserMacro;
use model::content::{
    HostMacro, Interface, InterfaceType, ItemContent, MacroType, SnmpDetails, ValueMap,
};
use model::map::Set;
use model::snapshot::{HolderKind, Host};
use model::{HostId, HostMacroId, InterfaceId, ItemId, ValueMapId};
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use super::content::{from_object, id_field, int_field, merge, text_field, to_object};
use crate::actor::Actor;
use crate::configuration::objects::valuemap::VALUEMAP;
use crate::error::{ConfigError, edited};

type Fields = JsonMap<String, Json>;

fn interface_type_name(kind: InterfaceType) -> &'static str {
    match kind {
        InterfaceType::Agent => "Agent",
        InterfaceType::Snmp => "SNMP",
        InterfaceType::Ipmi => "IPMI",
        InterfaceType::Jmx => "JMX",
    }
}

fn default_interface() -> Interface {
    Interface {
        interfaceid: InterfaceId::NONE,
        kind: InterfaceType::Agent,
        main: false,
        useip: true,
        ip: String::new(),
        dns: String::new(),
        port: "10050".to_owned(),
        details: None,
    }
}

/// Whether two macros are the same, however their contexts are written.
fn is_same(one: &str, other: &str) -> bool {
    one == other
        || UserMacro::parse_definition(one).is_some_and(|it| {
            UserMacro::parse_definition(other).is_some_and(|other| it.key() == other.key())
        })
}

fn default_macro() -> HostMacro {
    HostMacro {
        hostmacroid: HostMacroId::NONE,
        name: String::new(),
        value: String::new(),
        description: String::new(),
        kind: MacroType::Text,
    }
}

fn merge_interface(base: &Interface, fields: &Fields) -> Result<Interface, ConfigError> {
    let mut fields = fields.clone();
    let details = fields.remove("details");
    let mut interface: Interface = merge(base, &fields)?;
    interface.details = match (interface.kind, details) {
        (InterfaceType::Snmp, Some(Json::Object(details))) => {
            let old = base.details.clone().unwrap_or_default();
            Some(merge::<SnmpDetails>(&old, &details)?)
        }
        (InterfaceType::Snmp, _) => Some(base.details.clone().unwrap_or_default()),
        _ => None,
    };
    Ok(interface)
}

fn same_address(one: &Interface, two: &Interface) -> bool {
    one.kind == two.kind && one.ip == two.ip && one.dns == two.dns && one.port == two.port
}

impl Editor {
    /// The whole list of a host's interfaces: those named by id, or equal to one that is there,
    /// keep it.
    pub(super) fn replace_interfaces(
        &mut self,
        holder: HostId,
        list: &[&Fields],
    ) -> Result<(), ConfigError> {
        let old = self.holder(holder)?.interfaces.clone();
        let mut new: Vec<Interface> = Vec::with_capacity(list.len());
        for fields in list {
            let id = id_field(fields, "interfaceid").map(InterfaceId);
            let mut interface = match id {
                Some(id) => {
                    let base = old.iter().find(|it| it.interfaceid == id);
                    merge_interface(base.ok_or_else(ConfigError::no_permissions)?, fields)?
                }
                None => merge_interface(&default_interface(), fields)?,
            };
            interface.interfaceid = id.unwrap_or_else(|| {
                let known = old.iter().find(|it| {
                    same_address(it, &interface)
                        && new.iter().all(|used| used.interfaceid != it.interfaceid)
                });
                known.map_or(InterfaceId::NONE, |it| it.interfaceid)
            });
            new.push(interface);
        }
        self.set_interfaces(holder, new)
    }

    fn set_interfaces(
        &mut self,
        holder: HostId,
        mut new: Vec<Interface>,
    ) -> Result<(), ConfigError> {
        for interface in new.iter_mut().filter(|it| it.interfaceid.is_none()) {
            interface.interfaceid = InterfaceId(self.ids.take());
        }
        let host = self.holder(holder)?;
        if host.interfaces == new {
            return Ok(());
        }
        check_main_interfaces(host, &new)?;
        let gone: Vec<InterfaceId> = host
            .interfaces
            .iter()
            .map(|it| it.interfaceid)
            .filter(|id| new.iter().all(|it| it.interfaceid != *id))
            .collect();
        // Items of one type cannot use an interface of another.
        let of_other_type = |old: &&Interface| {
            new.iter().any(|it| it.interfaceid == old.interfaceid && it.kind != old.kind)
        };
        let retyped = host.interfaces.iter().filter(of_other_type).map(|it| it.interfaceid);
        let lost: Vec<InterfaceId> = gone.iter().copied().chain(retyped).collect();
        check_unused(host, &lost, &new)?;
        for id in gone {
            self.next.interface_owner.remove(&id);
        }
        for interface in &new {
            self.next.interface_owner.insert(interface.interfaceid, holder);
        }
        self.holder_mut(holder).interfaces = new;
        Ok(())
    }

    pub(super) fn create_interface(&mut self, fields: Fields) -> Result<u64, ConfigError> {
        let holder = HostId(id_field(&fields, "hostid").ok_or_else(ConfigError::no_permissions)?);
        let host = self.next.hosts.get(&holder).ok_or_else(ConfigError::no_permissions)?;
        let mut interfaces = host.interfaces.clone();
        let mut interface = merge_interface(&default_interface(), &fields)?;
        interface.interfaceid = InterfaceId(self.ids.take());
        let id = interface.interfaceid.0;
        interfaces.push(interface);
        self.set_interfaces(holder, interfaces)?;
        Ok(id)
    }

    pub(super) fn update_interface(&mut self, id: u64, fields: Fields) -> Result<(), ConfigError> {
        let id = InterfaceId(id);
        let holder = self.next.interface_owner.get(&id).copied();
        let holder = holder.ok_or_else(ConfigError::no_permissions)?;
        let mut interfaces = self.holder(holder)?.interfaces.clone();
        for interface in interfaces.iter_mut().filter(|it| it.interfaceid == id) {
            *interface = merge_interface(interface, &fields)?;
            interface.interfaceid = id;
        }
        self.set_interfaces(holder, interfaces)
    }

    pub(super) fn delete_interfaces(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        let mut by_holder: BTreeMap<HostId, Vec<InterfaceId>> = BTreeMap::new();
        for id in ids {
            let holder = self.next.interface_owner.get(&InterfaceId(*id)).copied();
            let holder = holder.ok_or_else(ConfigError::no_permissions)?;
            by_holder.entry(holder).or_default().push(InterfaceId(*id));
        }
        // Those of a host at once: a default one may go with the last of the others.
        for (holder, gone) in by_holder {
            let mut interfaces = self.holder(holder)?.interfaces.clone();
            interfaces.retain(|it| !gone.contains(&it.interfaceid));
            self.set_interfaces(holder, interfaces)?;
        }
        Ok(())
    }

    // Macros.

    /// The whole list of a holder's macros: those named by id or by name keep it.
    pub(super) fn replace_macros(
        &mut self,
        holder: HostId,
        list: &[&Fields],
    ) -> Result<(), ConfigError> {
        let old = self.holder(holder)?.macros.clone();
        let new = self.merged_macros(&old, list, "hostmacroid")?;
        for (fields, new) in list.iter().zip(&new) {
            if let Some(old) = old.iter().find(|it| it.hostmacroid == new.hostmacroid) {
                self.change_of_automatic(holder, old, new, int_field(fields, "automatic"))?;
            }
        }
        if old != new {
            self.holder_mut(holder).macros = new;
        }
        Ok(())
    }

    /// A macro that discovery gave a host is the user's only when he takes it over.
    fn change_of_automatic(
        &mut self,
        holder: HostId,
        old: &HostMacro,
        new: &HostMacro,
        automatic: Option<i64>,
    ) -> Result<(), ConfigError> {
        let host = self.holder(holder)?;
        if matches!(self.actor, Actor::System | Actor::Discovery)
            || !host.was_given_macro(&old.name)
        {
            return Ok(());
        }
        if automatic == Some(0) {
            if let Some(it) = &mut self.holder_mut(holder).discovered {
                it.given.macros.retain(|it| *it != old.name);
            }
            return Ok(());
        }
        if old == new {
            return Ok(());
        }
        Err(ConfigError::parameters(format_args!(
            "Not allowed to modify automatic user macro \"{}\".",
            old.name
        )))
    }

    pub(super) fn merged_macros(
        &mut self,
        old: &[HostMacro],
        list: &[&Fields],
        id_name: &str,
    ) -> Result<Vec<HostMacro>, ConfigError> {
        let mut new: Vec<HostMacro> = Vec::with_capacity(list.len());
        for (at, fields) in list.iter().enumerate() {
            let id = id_field(fields, id_name).map(HostMacroId);
            let name = text_field(fields, "macro");
            let base = old.iter().find(|it| match id {
                Some(id) => it.hostmacroid == id,
                None => Some(it.name.as_str()) == name,
            });
            if id.is_some() && base.is_none() {
                return Err(ConfigError::no_permissions());
            }
            let mut merged: HostMacro = merge(base.unwrap_or(&default_macro()), fields)?;
            merged.hostmacroid = match base {
                Some(it) => it.hostmacroid,
                None => HostMacroId(self.ids.take()),
            };
            if new.iter().any(|it| is_same(&it.name, &merged.name)) {
                return Err(ConfigError::invalid(
                    edited("macros").element(at),
                    format_args!("value (macro)=({}) already exists", merged.name),
                ));
            }
            new.push(merged);
        }
        Ok(new)
    }

    pub(super) fn create_host_macro(&mut self, fields: Fields) -> Result<u64, ConfigError> {
        let holder = HostId(id_field(&fields, "hostid").ok_or_else(ConfigError::no_permissions)?);
        let mut new: HostMacro = merge(&default_macro(), &fields)?;
        let host = self.holder(holder)?;
        if host.macros.iter().any(|it| is_same(&it.name, &new.name)) {
            return Err(macro_exists(&new.name, &host.host));
        }
        new.hostmacroid = HostMacroId(self.ids.take());
        let id = new.hostmacroid.0;
        self.holder_mut(holder).macros.push(new);
        Ok(id)
    }

    /// Which holder has a macro. Macros are few and asked for seldom: no index.
    pub(super) fn macro_owner(&self, id: HostMacroId) -> Result<HostId, ConfigError> {
        let mut holders = self.next.hosts.values().chain(self.next.templates.values());
        let owner = holders.find(|it| it.macros.iter().any(|it| it.hostmacroid == id));
        owner.map(|it| it.id).ok_or_else(ConfigError::no_permissions)
    }

    pub(super) fn update_host_macro(&mut self, id: u64, fields: Fields) -> Result<(), ConfigError> {
        let id = HostMacroId(id);
        let holder = self.macro_owner(id)?;
        let host = self.holder(holder)?;
        let old = host.macros.iter().find(|it| it.hostmacroid == id);
        let old = old.ok_or_else(ConfigError::no_permissions)?;
        let mut new: HostMacro = merge(old, &fields)?;
        new.hostmacroid = id;
        if host.macros.iter().any(|it| it.hostmacroid != id && is_same(&it.name, &new.name)) {
            return Err(macro_exists(&new.name, &host.host));
        }
        let old = old.clone();
        self.change_of_automatic(holder, &old, &new, int_field(&fields, "automatic"))?;
        if old != new {
            for it in self.holder_mut(holder).macros.iter_mut().filter(|it| it.hostmacroid == id) {
                *it = new.clone();
            }
        }
        Ok(())
    }

    pub(super) fn delete_host_macros(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        for id in ids {
            let id = HostMacroId(*id);
            let holder = self.macro_owner(id)?;
            self.holder_mut(holder).macros.retain(|it| it.hostmacroid != id);
        }
        Ok(())
    }

    pub(super) fn create_global_macro(&mut self, fields: Fields) -> Result<u64, ConfigError> {
        let mut new: HostMacro = merge(&default_macro(), &fields)?;
        if self.next.globals.macros.iter().any(|it| is_same(&it.name, &new.name)) {
            return Err(global_macro_exists(&new.name));
        }
        new.hostmacroid = HostMacroId(self.ids.take());
        let id = new.hostmacroid.0;
        self.globals_mut().macros.push(new);
        Ok(id)
    }

    pub(super) fn update_global_macro(
        &mut self,
        id: u64,
        fields: Fields,
    ) -> Result<(), ConfigError> {
        let id = HostMacroId(id);
        let macros = &self.next.globals.macros;
        let old = macros.iter().find(|it| it.hostmacroid == id);
        let mut new: HostMacro = merge(old.ok_or_else(ConfigError::no_permissions)?, &fields)?;
        new.hostmacroid = id;
        if macros.iter().any(|it| it.hostmacroid != id && is_same(&it.name, &new.name)) {
            return Err(global_macro_exists(&new.name));
        }
        for it in self.globals_mut().macros.iter_mut().filter(|it| it.hostmacroid == id) {
            *it = new.clone();
        }
        Ok(())
    }

    pub(super) fn delete_global_macros(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        let has = |id: u64| self.next.globals.macros.iter().any(|it| it.hostmacroid.0 == id);
        if !ids.iter().all(|it| has(*it)) {
            return Err(ConfigError::no_permissions());
        }
        self.globals_mut().macros.retain(|it| !ids.contains(&it.hostmacroid.0));
        Ok(())
    }

    // Value maps.

    /// The whole list of a holder's value maps: those named by id or by name keep it.
    pub(super) fn replace_valuemaps(
        &mut self,
        holder: HostId,
        list: &[&Fields],
    ) -> Result<(), ConfigError> {
        let old = self.holder(holder)?.valuemaps.clone();
        let mut kept = Vec::new();
        for fields in list {
            let id = id_field(fields, "valuemapid").map(ValueMapId);
            let name = text_field(fields, "name");
            let uuid = text_field(fields, "uuid").filter(|it| !it.is_empty());
            let by_uuid = old.iter().find(|it| id.is_none() && Some(it.uuid.as_str()) == uuid);
            let base = by_uuid.or_else(|| {
                old.iter().find(|it| match id {
                    Some(id) => it.valuemapid == id,
                    None => Some(it.name.as_str()) == name,
                })
            });
            match base {
                Some(it) => {
                    let id = it.valuemapid;
                    self.update_valuemap(id.0, (*fields).clone())?;
                    kept.push(id.0);
                }
                None => {
                    let mut fields = (*fields).clone();
                    fields.insert("hostid".to_owned(), holder.to_string().into());
                    kept.push(self.create_valuemap(fields)?);
                }
            }
        }
        let gone: Vec<u64> =
            old.iter().map(|it| it.valuemapid.0).filter(|it| !kept.contains(it)).collect();
        self.delete_valuemaps(&gone)
    }

    pub(super) fn create_valuemap(&mut self, fields: Fields) -> Result<u64, ConfigError> {
        let holder = HostId(id_field(&fields, "hostid").ok_or_else(ConfigError::no_permissions)?);
        self.holder(holder)?;
        let id = ValueMapId(self.ids.take());
        let body = VALUEMAP.made_of(&fields)?;
        let new = self.checked_valuemap(holder, id, body)?;
        self.next.valuemap_owner.insert(id, holder);
        self.holder_mut(holder).valuemaps.push(new);
        Ok(id.0)
    }

    pub(super) fn update_valuemap(&mut self, id: u64, fields: Fields) -> Result<(), ConfigError> {
        let id = ValueMapId(id);
        let holder = self.next.valuemap_owner.get(&id).copied();
        let holder = holder.ok_or_else(ConfigError::no_permissions)?;
        let old = self.holder(holder)?.valuemaps.iter().find(|it| it.valuemapid == id);
        let old = old.ok_or_else(ConfigError::no_permissions)?.clone();
        let body = VALUEMAP.changed_by(&to_object(&old), &fields)?;
        let new = self.checked_valuemap(holder, id, body)?;
        if old != new {
            let maps = &mut self.holder_mut(holder).valuemaps;
            for it in maps.iter_mut().filter(|it| it.valuemapid == id) {
                *it = new.clone();
            }
        }
        Ok(())
    }

    fn checked_valuemap(
        &self,
        holder: HostId,
        id: ValueMapId,
        mut body: Fields,
    ) -> Result<ValueMap, ConfigError> {
        (VALUEMAP.check)(&self.next, &mut body)?;
        body.insert("hostid".to_owned(), holder.to_string().into());
        let key = VALUEMAP.key_of(&body);
        let taken = self.holder(holder)?.valuemaps.iter().any(|it| {
            let mut other = to_object(it);
            other.insert("hostid".to_owned(), holder.to_string().into());
            it.valuemapid != id && VALUEMAP.key_of(&other) == key
        });
        if taken {
            return Err(VALUEMAP.taken(&body));
        }
        body.insert("valuemapid".to_owned(), id.to_string().into());
        from_object(body)
    }

    /// Items that showed their values by such a map show them plain.
    pub(super) fn delete_valuemaps(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        for id in ids {
            let id = ValueMapId(*id);
            let holder = self.next.valuemap_owner.get(&id).copied();
            let holder = holder.ok_or_else(ConfigError::no_permissions)?;
            let rows = self.holder(holder)?.items.iter();
            let using: Vec<ItemId> = rows
                .filter(|it| it.source.is_none() && it.discovered().is_none())
                .filter(|it| it.content.valuemapid == id)
                .map(|it| it.id)
                .collect();
            for item in using {
                let mut content = ItemContent::clone(&self.item(item)?.1.content);
                content.valuemapid = ValueMapId::NONE;
                self.set_item_content(holder, item, content.into())?;
            }
            self.next.valuemap_owner.remove(&id);
            self.holder_mut(holder).valuemaps.retain(|it| it.valuemapid != id);
        }
        Ok(())
    }
}

fn macro_exists(name: &str, host: &str) -> ConfigError {
    ConfigError::parameters(format_args!("Macro \"{name}\" already exists on \"{host}\"."))
}

fn global_macro_exists(name: &str) -> ConfigError {
    ConfigError::parameters(format_args!("Macro \"{name}\" already exists."))
}

/// Exactly one main interface of each type that there is.
fn check_main_interfaces(host: &Host, interfaces: &[Interface]) -> Result<(), ConfigError> {
    if host.kind == HolderKind::Template && !interfaces.is_empty() {
        return Err(ConfigError::no_permissions());
    }
    for kind in InterfaceType::ALL {
        let of_kind = interfaces.iter().filter(|it| it.kind == *kind);
        let n_main = of_kind.clone().filter(|it| it.main).count();
        if n_main > 1 {
            let what = "cannot have more than one default interface of the same type.";
            return Err(ConfigError::about("host", what));
        }
        if n_main == 0 && of_kind.count() > 0 {
            return Err(ConfigError::parameters(format_args!(
                "No default interface for \"{}\" type on \"{}\".",
                interface_type_name(*kind),
                host.name
            )));
        }
    }
    Ok(())
}

/// Interfaces that items need must stay: those named by an item, and the last of a needed type.
fn check_unused(host: &Host, gone: &[InterfaceId], left: &[Interface]) -> Result<(), ConfigError> {
    if gone.is_empty() {
        return Ok(());
    }
    let gone_ids: Set<InterfaceId> = gone.iter().copied().collect();
    let is_left = |kind: InterfaceType| left.iter().any(|it| it.kind == kind);
    let had = |kind: InterfaceType| host.interfaces.iter().any(|it| it.kind == kind);
    let user = host.items.iter().find(|it| {
        let content = &it.content;
        let needed = content.kind.interface();
        gone_ids.contains(&content.interfaceid)
            || content.interfaceid.is_none() && needed.is_some_and(|it| had(it) && !is_left(it))
    });
    user.map_or(Ok(()), |it| {
        Err(ConfigError::parameters(format_args!(
            "Interface is linked to item \"{}\" on \"{}\".",
            it.name(),
            host.name
        )))
    })
}
