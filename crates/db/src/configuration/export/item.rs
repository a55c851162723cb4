//! Items, discovery rules and the prototypes of both, by their description.

use std::sync::Arc;

use formats::document::Value;
use model::ItemId;
use model::content::{INVENTORY_FIELDS, ItemFlags, ItemType, OnFail, PreprocStep, Step};
use model::snapshot::{HolderKind, Host, ItemRow};

use super::document::add_content;
use super::entry::{Entry, OfItems, one, tags};
use super::{Exporter, rule, uuid};
use crate::configuration::objects::item::ItemField;
use crate::configuration::objects::item::files::{self, FilePart};
use crate::configuration::objects::names::{ON_FAIL, STEPS};

impl Exporter<'_> {
    /// The own items of a holder (`rule` is 0) or the prototypes of a rule, by key.
    pub(super) fn items(
        &self,
        holder: &Arc<Host>,
        rule: ItemId,
        triggers: &mut OfItems,
    ) -> Vec<Value> {
        let flags = if rule.is_some() { ItemFlags::Prototype } else { ItemFlags::Plain };
        let own = holder.items.iter().filter(|it| {
            it.source.is_none()
                && it.flags == flags
                && it.content.ruleid == rule
                && it.content.kind != ItemType::WebItem
        });
        let mut own: Vec<&ItemRow> = own.collect();
        own.sort_by(|one, two| one.content.key_.cmp(&two.content.key_));
        own.into_iter().map(|it| self.item(holder, it, triggers)).collect()
    }

    /// An item, rule or prototype, in the order of files.
    pub(super) fn item(&self, holder: &Arc<Host>, row: &ItemRow, triggers: &mut OfItems) -> Value {
        let it = &*row.content;
        let is_numeric = it.value_type.is_numeric();
        let order = if row.flags.has_prototypes() { files::RULE } else { files::ITEM };
        let mut entry = Entry::default();
        let shown = |described: &ItemField| {
            let field = files::of_kind(&described.field, it.kind, is_numeric);
            let value = self.shown_of(holder, described, it);
            (field, value)
        };
        add_content(&mut entry, order, row.flags.is_prototype(), &shown, &mut |part, entry| {
            self.part(*part, holder, row, triggers, entry);
        });
        entry.into()
    }

    fn part(
        &self,
        part: FilePart,
        holder: &Arc<Host>,
        row: &ItemRow,
        triggers: &mut OfItems,
        entry: &mut Entry,
    ) {
        let it = &*row.content;
        match part {
            FilePart::Uuid => {
                if holder.kind == HolderKind::Template {
                    entry.text("uuid", uuid::or_made(&it.uuid, &["item", &holder.host, &it.key_]));
                }
            }
            FilePart::InventoryLink => {
                let at = usize::try_from(it.inventory_link - 1).ok();
                if let Some(field) = at.and_then(|at| INVENTORY_FIELDS.get(at)) {
                    entry.text("inventory_link", field.name.to_ascii_uppercase());
                }
            }
            FilePart::ValueMap => {
                if let Some(map) = self.snapshot.value_map(holder, row) {
                    entry.child("valuemap", one("name", &map.name));
                }
            }
            FilePart::Preprocessing => entry.list("preprocessing", steps(&it.preprocessing)),
            FilePart::Interface => {
                let mut interfaces = holder.interfaces.iter();
                let at = interfaces.position(|other| other.interfaceid == it.interfaceid);
                if let Some(at) = at.filter(|_| it.interfaceid.is_some()) {
                    entry.text("interface_ref", format!("if{}", at + 1));
                }
            }
            FilePart::Master => {
                if let Some(master) = it.master_itemid.some()
                    && let Some((_, master)) = self.snapshot.item_by_ref(holder, master)
                {
                    entry.child("master_item", one("key", &master.content.key_));
                }
            }
            FilePart::Tags => entry.list("tags", tags(&it.tags)),
            FilePart::Triggers => {
                let below = triggers.remove(&row.id).unwrap_or_default();
                let is_prototype = row.flags.is_prototype();
                entry.list(if is_prototype { "trigger_prototypes" } else { "triggers" }, below);
            }
            FilePart::Filter => entry.child("filter", rule::filter(&it.filter)),
            FilePart::Prototypes => {
                entry.list("item_prototypes", self.items(holder, row.id, triggers));
                entry.list("trigger_prototypes", self.prototypes_of_several(holder, row.id));
                entry.list("graph_prototypes", self.graphs_of(holder, row.id));
                entry.list("host_prototypes", self.host_prototypes(holder, row.id));
            }
            FilePart::ParentRule => {
                if row.flags == ItemFlags::RulePrototype
                    && let Some((_, parent)) = self.snapshot.item_by_ref(holder, it.ruleid)
                {
                    entry.child("parent_discovery_rule", one("key", &parent.content.key_));
                }
            }
            FilePart::MacroPaths => entry.list("lld_macro_paths", rule::macro_paths(it)),
            FilePart::Overrides => entry.list("overrides", self.overrides_of(it)),
        }
    }
}

fn steps(steps: &[PreprocStep]) -> Vec<Value> {
    let entry = |it: &PreprocStep| {
        let mut entry = Entry::default();
        entry.code("type", it.kind.code().into(), STEPS);
        // A script is one parameter, whatever lines it has.
        let parameters: Vec<Value> = if it.kind == Step::JavaScript {
            vec![it.params.as_str().into()]
        } else {
            it.params.split('\n').map(Value::from).collect()
        };
        if !it.params.is_empty() {
            entry.list("parameters", parameters);
        }
        // A check for errors discards the value unless it says something else; leaving the error as it
        // is would be no check.
        let is_default = match it.kind {
            Step::CheckNotSupported => {
                matches!(it.error_handler, OnFail::Default | OnFail::Discard)
            }
            _ => it.error_handler == OnFail::Default,
        };
        if !is_default {
            entry.code("error_handler", it.error_handler.code().into(), ON_FAIL);
        }
        entry.filled("error_handler_params", &it.error_handler_params);
        entry.into()
    };
    steps.iter().map(entry).collect()
}
