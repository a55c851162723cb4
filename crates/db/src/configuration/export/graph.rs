//! Graphs and graph prototypes.

use std::sync::Arc;

use formats::document::Value;
use model::ItemId;
use model::content::{GraphItem, ItemFlags};
use model::content_field::{ContentField, FieldValue};
use model::snapshot::{GraphRow, HolderKind, Host};

use super::document::add_content;
use super::entry::Entry;
use super::{Exporter, uuid};
use crate::configuration::objects::graph::{
    GraphField, GraphItemField, GraphItemPart, GraphPart, IN_FILES, ITEM_IN_FILES,
};

impl Exporter<'_> {
    /// Graphs of all exported holders that use exported items alone.
    pub(super) fn graphs(&self) -> Vec<Value> {
        let holders = self.holders.iter().filter_map(|it| self.snapshot.holder(*it));
        let own = holders.flat_map(|holder| {
            let own = holder.graphs.iter().filter(|it| {
                it.source.is_none()
                    && it.flags == ItemFlags::Plain
                    && it.content.items().all(|it| self.is_exported(it))
            });
            own.map(move |it| (holder, it))
        });
        self.written(own.collect())
    }

    /// The graph prototypes of a rule.
    pub(super) fn graphs_of(&self, holder: &Arc<Host>, rule: ItemId) -> Vec<Value> {
        let own = holder.graphs.iter().filter(|it| {
            it.source.is_none() && it.flags == ItemFlags::Prototype && it.content.ruleid == rule
        });
        self.written(own.map(|it| (holder, it)).collect())
    }

    fn written(&self, mut rows: Vec<(&Arc<Host>, &GraphRow)>) -> Vec<Value> {
        let place = |(holder, row): &(&Arc<Host>, &GraphRow)| {
            (row.content.name.clone(), Arc::clone(&holder.host))
        };
        rows.sort_by_cached_key(place);
        rows.into_iter().map(|(holder, it)| self.graph(holder, it)).collect()
    }

    fn graph(&self, holder: &Arc<Host>, row: &GraphRow) -> Value {
        let it = &*row.content;
        let mut entry = Entry::default();
        let shown = |described: &GraphField| (described.field, (described.read)(it));
        let mut part = |part: &GraphPart, entry: &mut Entry| match part {
            GraphPart::Uuid if holder.kind == HolderKind::Template => {
                entry.text("uuid", uuid::or_made(&it.uuid, &["graph", &holder.host, &it.name]));
            }
            GraphPart::Uuid => {}
            GraphPart::Item(described) => {
                entry.child(described.tag(), self.item_ref(holder, item_of(described, it)));
            }
            GraphPart::Items => {
                let mut items: Vec<&GraphItem> = it.gitems.iter().collect();
                items.sort_by_key(|it| it.sortorder);
                let items = items.into_iter().map(|it| self.graph_item(holder, it));
                entry.list("graph_items", items.collect());
            }
        };
        let is_prototype = row.flags == ItemFlags::Prototype;
        add_content(&mut entry, IN_FILES, is_prototype, &shown, &mut part);
        entry.into()
    }

    fn graph_item(&self, holder: &Arc<Host>, it: &GraphItem) -> Value {
        let mut entry = Entry::default();
        let shown = |described: &GraphItemField| (described.field, (described.read)(it));
        let mut part = |part: &GraphItemPart, entry: &mut Entry| match part {
            GraphItemPart::Color => entry.filled("color", &it.color),
            GraphItemPart::Item(described) => {
                entry.child(described.tag(), self.item_ref(holder, item_of(described, it)));
            }
        };
        add_content(&mut entry, ITEM_IN_FILES, false, &shown, &mut part);
        entry.into()
    }

    /// Host and key of an item; nothing for none.
    pub(super) fn item_ref(&self, holder: &Arc<Host>, id: ItemId) -> Entry {
        let mut entry = Entry::default();
        if let Some((of, row)) = id.some().and_then(|it| self.snapshot.item_by_ref(holder, it)) {
            entry.text("host", &*of.host);
            entry.text("key", row.key());
        }
        entry
    }
}

fn item_of<C>(described: &ContentField<C>, content: &C) -> ItemId {
    match (described.read)(content) {
        FieldValue::Id(it) => ItemId(it),
        _ => ItemId::NONE,
    }
}
