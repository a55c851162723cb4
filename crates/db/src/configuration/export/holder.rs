//! Templates, and what hosts have as well: macros and value maps.

use std::sync::Arc;

use formats::document::Value;
use model::content::{HostMacro, MacroType, ValueMap, ValueMapping};
use model::snapshot::{HolderKind, Host};
use model::{HostId, ItemId};

use super::document::add_content;
use super::entry::{Entry, OfItems, one, tags};
use super::{Exporter, uuid};
use crate::configuration::objects::names::MACRO_TYPES;
use crate::configuration::objects::template::{
    IN_FILES, TemplateField, TemplatePart, VENDOR_IN_FILES,
};
use crate::configuration::objects::valuemap::MAPPING_TYPES;

impl Exporter<'_> {
    pub(super) fn template(&self, it: &Arc<Host>) -> Value {
        let mut entry = Entry::default();
        let mut triggers = self.triggers_of_items(it);
        let shown = |described: &TemplateField| (described.field, (described.read)(it));
        add_content(&mut entry, IN_FILES, false, &shown, &mut |part, entry| match part {
            TemplatePart::Uuid => {
                entry.text("uuid", uuid::or_made(&it.uuid, &["template", &it.host]));
            }
            TemplatePart::Vendor => {
                let mut vendor = Entry::default();
                add_content(
                    &mut vendor,
                    VENDOR_IN_FILES,
                    false,
                    &shown,
                    &mut |part, _| match *part {},
                );
                entry.child("vendor", vendor);
            }
            TemplatePart::Templates => entry.list("templates", self.linked(&it.templates)),
            TemplatePart::Groups => {
                let groups = it.template_groups.iter();
                let groups = groups.filter_map(|id| self.snapshot.template_groups.get(id));
                entry.list("groups", named(groups.map(|it| it.name.as_str())));
            }
            TemplatePart::Objects => self.objects(it, &mut triggers, entry),
            TemplatePart::Tags => entry.list("tags", tags(&it.tags)),
            TemplatePart::Macros => entry.list("macros", macros(&it.macros)),
            TemplatePart::Dashboards => entry.list("dashboards", self.dashboards(it)),
            TemplatePart::ValueMaps => entry.list("valuemaps", valuemaps(it)),
        });
        entry.into()
    }

    /// Items, rules and web scenarios of a host or template.
    pub(super) fn objects(&self, it: &Arc<Host>, triggers: &mut OfItems, entry: &mut Entry) {
        entry.list("items", self.items(it, ItemId::NONE, triggers));
        entry.list("discovery_rules", self.rules(it, triggers));
        entry.list("httptests", self.web_scenarios(it));
    }

    pub(super) fn linked(&self, templates: &[HostId]) -> Vec<Value> {
        let linked = templates.iter().filter_map(|id| self.snapshot.templates.get(id));
        named(linked.map(|it| &*it.host))
    }
}

/// Objects listed by their names, in their order.
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
