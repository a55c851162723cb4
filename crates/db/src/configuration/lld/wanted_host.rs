//! Hosts wanted by rows, and their differences from existing hosts.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::content::{HostMacro, HostPrototypeContent, Interface, InventoryMode, Tag};
use model::snapshot::{Discovered, DiscoveredHost, GivenToHost, Host, Lost};
use model::{GroupId, HostId, InterfaceId, ItemId};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::LldRow;
use super::lifetime::Lifetimes;

/// A host as a row wants it: the prototype's content with the row's values.
pub(super) struct WantedHost {
    pub(super) prototype: HostId,
    pub(super) rule: ItemId,
    pub(super) row: LldRow,
    /// The JSON of the row, for nested rules of the host.
    pub(super) text: Option<String>,
    pub(super) content: HostPrototypeContent,
    /// Groups by name.
    pub(super) groups: Vec<WantedGroup>,
}

/// A name that a group prototype gives a group.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct WantedGroup {
    pub(super) prototype: HostId,
    /// As the prototype has it, with LLD macros.
    pub(super) pattern: String,
    pub(super) name: String,
}

/// The changes of hosts by a run.
#[derive(Default)]
pub(super) struct HostPlan {
    /// The rule, if it has host prototypes.
    pub(super) of: Option<(ItemId, Lifetimes)>,
    pub(super) new: Vec<WantedHost>,
    pub(super) found: Vec<(HostId, WantedHost)>,
    pub(super) lost: Vec<(HostId, Lost)>,
    /// Names that the rows give groups.
    pub(super) groups: BTreeSet<WantedGroup>,
}

impl HostPlan {
    /// Whether all hosts are made, changed and marked.
    pub(super) fn is_carried_out(&self) -> bool {
        self.new.is_empty() && self.found.is_empty() && self.lost.is_empty()
    }
}

impl WantedHost {
    /// The parts that discovery gives it; `host`: the existing host.
    pub(super) fn discovered(&self, host: Option<&Host>) -> DiscoveredHost {
        let by = Discovered::new(self.prototype.0, self.rule, Arc::clone(&self.row));
        let macros = self.content.macros.iter().filter(|it| !is_of_user(host, &it.name));
        let given = GivenToHost {
            templates: self.content.templates.clone(),
            macros: macros.map(|it| it.name.clone()).collect(),
            tags: self.content.tags.clone(),
        };
        DiscoveredHost { by, given }
    }

    /// The fields of a new host.
    pub(super) fn fields(&self, groups: &[GroupId]) -> JsonMap<String, Json> {
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
    pub(super) fn differences(&self, host: &Host, groups: &[GroupId]) -> JsonMap<String, Json> {
        let it = &self.content;
        let given = host.discovered.as_ref().map(|it| it.given.clone()).unwrap_or_default();
        let mut fields = JsonMap::new();
        if *host.name != *it.name {
            fields.insert("name".to_owned(), it.name.clone().into());
        }
        if InventoryMode::from_code(it.inventory_mode).is_some_and(|it| it != host.inventory_mode) {
            fields.insert("inventory_mode".to_owned(), it.inventory_mode.to_string().into());
        }
        let same_groups =
            groups.len() == host.groups.len() && groups.iter().all(|it| host.groups.contains(it));
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
        let wanted = it.macros.iter().filter(|it| !is_of_user(Some(host), &it.name));
        let own = host.macros.iter().filter(|it| is_of_user(Some(host), &it.name));
        let macros: Vec<HostMacro> = wanted.chain(own).cloned().collect();
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

/// Whether a host has a macro that discovery did not give it.
fn is_of_user(host: Option<&Host>, name: &str) -> bool {
    host.is_some_and(|it| it.macros.iter().any(|it| it.name == name) && !it.was_given_macro(name))
}

pub(super) fn object(value: Json) -> JsonMap<String, Json> {
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
    let of = |it: &HostMacro| json!({"macro": it.name, "value": it.value, "description": it.description, "type": it.kind});
    list.iter().map(of).collect()
}
