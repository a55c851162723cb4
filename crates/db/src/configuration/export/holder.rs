//! Templates, and what hosts have as well: macros and value maps.

use std::sync::Arc;

use formats::document::Value;
use model::HostId;
use model::content::{HostMacro, MacroType, ValueMap, ValueMapping};
use model::snapshot::{HolderKind, Host};

use super::entry::{Entry, one, tags};
use super::{Exporter, uuid};
use crate::configuration::objects::names::MACRO_TYPES;
use crate::configuration::objects::valuemap::MAPPING_TYPES;

impl Exporter<'_> {
    pub(super) fn template(&self, it: &Arc<Host>) -> Value {
        let mut entry = Entry::default();
        entry.text("uuid", uuid::or_made(&it.uuid, &["template", &it.host]));
        entry.text("template", &*it.host);
        entry.text("name", &*it.name);
        entry.filled("description", &it.description);
        if let Some(vendor) = &it.vendor {
            let mut fields = Entry::default();
            fields.filled("name", &vendor.name);
            fields.filled("version", &vendor.version);
            entry.child("vendor", fields);
        }
        entry.list("templates", self.linked(&it.templates));
        let groups =
            it.template_groups.iter().filter_map(|id| self.snapshot.template_groups.get(id));
        entry.list("groups", named(groups.map(|it| it.name.as_str())));
        let mut triggers = self.triggers_of_items(it);
        entry.list("items", self.items(it, model::ItemId::NONE, &mut triggers));
        entry.list("discovery_rules", self.rules(it, &mut triggers));
        entry.list("httptests", self.web_scenarios(it));
        entry.list("tags", tags(&it.tags));
        entry.list("macros", macros(&it.macros));
        entry.list("dashboards", self.dashboards(it));
        entry.list("valuemaps", valuemaps(it));
        entry.into()
    }

    pub(super) fn linked(&self, templates: &[HostId]) -> Vec<Value> {
        let linked = templates.iter().filter_map(|id| self.snapshot.templates.get(id));
        named(linked.map(|it| &*it.host))
    }
}

/// Objects that are told by their names, in their order.
pub(super) fn named<'n>(names: impl Iterator<Item = &'n str>) -> Vec<Value> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.into_iter().map(|it| one("name", it).into()).collect()
}

/// Without values of secrets.
pub(super) fn macros(macros: &[HostMacro]) -> Vec<Value> {
    let mut macros: Vec<&HostMacro> = macros.iter().collect();
    macros.sort_by(|one, two| one.name.cmp(&two.name));
    let entry = |it: &HostMacro| {
        let mut entry = one("macro", &it.name);
        entry.code_unless("type", it.kind.code().into(), MACRO_TYPES, 0);
        if it.kind != MacroType::Secret {
            entry.filled("value", &it.value);
        }
        entry.filled("description", &it.description);
        entry.into()
    };
    macros.into_iter().map(entry).collect()
}

pub(super) fn valuemaps(of: &Host) -> Vec<Value> {
    let mut maps: Vec<&ValueMap> = of.valuemaps.iter().collect();
    maps.sort_by(|one, two| one.name.cmp(&two.name));
    let entry = |it: &ValueMap| {
        let mut entry = Entry::default();
        if of.kind == HolderKind::Template {
            entry.text("uuid", uuid::or_made(&it.uuid, &["valuemap", &of.host, &it.name]));
        }
        entry.text("name", it.name.as_str());
        entry.list("mappings", it.mappings.iter().map(mapping).collect());
        entry.into()
    };
    maps.into_iter().map(entry).collect()
}

fn mapping(it: &ValueMapping) -> Value {
    let mut entry = Entry::default();
    entry.code_unless("type", it.kind, MAPPING_TYPES, 0);
    entry.filled("value", &it.value);
    entry.text("newvalue", it.newvalue.as_str());
    entry.into()
}
