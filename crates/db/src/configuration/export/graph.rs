//! Graphs and graph prototypes.

use std::sync::Arc;

use formats::document::Value;
use model::ItemId;
use model::content::{GraphItem, ItemFlags};
use model::snapshot::{GraphRow, HolderKind, Host};

use super::document::add_fields;
use super::entry::Entry;
use super::{Exporter, uuid};
use crate::configuration::editor::content::to_object;
use crate::configuration::objects::graph as described;

/// Fields of an item in Zabbix's order.
const ITEM_ORDER: &[&str] =
    &["sortorder", "drawtype", "color", "yaxisside", "calc_fnc", "type", "item"];

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
        let items = |id| self.item_ref(holder, id);
        let mut entry = Entry::default();
        if holder.kind == HolderKind::Template {
            entry.text("uuid", uuid::or_made(&it.uuid, &["graph", &holder.host, &it.name]));
        }
        entry.text("name", it.name.as_str());
        let mut body = to_object(it);
        add_fields(&mut entry, described::IN_FILES, &body, Some(&items));
        if row.flags == ItemFlags::Prototype {
            // The API and files write it the other way round.
            body.insert("discover".to_owned(), u8::from(!it.discover).to_string().into());
            add_fields(&mut entry, described::OF_PROTOTYPES_IN_FILES, &body, None);
        }
        let mut items: Vec<&GraphItem> = it.gitems.iter().collect();
        items.sort_by_key(|it| it.sortorder);
        let items = items.into_iter().map(|it| self.graph_item(holder, it));
        entry.list("graph_items", items.collect());
        entry.into()
    }

    fn graph_item(&self, holder: &Arc<Host>, it: &GraphItem) -> Value {
        let items = |id| self.item_ref(holder, id);
        let mut entry = Entry::default();
        add_fields(&mut entry, described::ITEMS_IN_FILES, &to_object(it), Some(&items));
        entry.filled("color", &it.color);
        entry.sort_by(ITEM_ORDER);
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
