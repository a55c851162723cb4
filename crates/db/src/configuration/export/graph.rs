//! Graphs and graph prototypes.

use std::sync::Arc;

use formats::document::Value;
use model::ItemId;
use model::content::{GraphContent, GraphItem, ItemFlags};
use model::snapshot::{GraphRow, HolderKind, Host};

use super::entry::Entry;
use super::{Exporter, uuid};
use crate::configuration::import::names::{
    AXES, DISCOVER, DRAW_TYPES, GRAPH_FUNCTIONS, GRAPH_ITEM_TYPES, GRAPH_TYPES, SIDES,
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
        let default = GraphContent::default();
        let mut entry = Entry::default();
        if holder.kind == HolderKind::Template {
            entry.text("uuid", uuid::or_made(&it.uuid, &["graph", &holder.host, &it.name]));
        }
        entry.text("name", it.name.as_str());
        entry.number("width", &it.width, &default.width);
        entry.number("height", &it.height, &default.height);
        entry.number("yaxismin", &it.yaxismin, &default.yaxismin);
        entry.number("yaxismax", &it.yaxismax, &default.yaxismax);
        entry.flag("show_work_period", it.show_work_period, true);
        entry.flag("show_triggers", it.show_triggers, true);
        entry.code_unless("type", it.graphtype, GRAPH_TYPES, 0);
        entry.flag("show_legend", it.show_legend, true);
        entry.flag("show_3d", it.show_3d, false);
        entry.number("percent_left", &it.percent_left, &default.percent_left);
        entry.number("percent_right", &it.percent_right, &default.percent_right);
        entry.code_unless("ymin_type_1", it.ymin_type, AXES, 0);
        entry.child("ymin_item_1", self.item_ref(holder, it.ymin_itemid));
        entry.code_unless("ymax_type_1", it.ymax_type, AXES, 0);
        entry.child("ymax_item_1", self.item_ref(holder, it.ymax_itemid));
        if row.flags == ItemFlags::Prototype {
            entry.code_unless("discover", (!it.discover).into(), DISCOVER, 0);
        }
        let mut items: Vec<&GraphItem> = it.gitems.iter().collect();
        items.sort_by_key(|it| it.sortorder);
        let items = items.into_iter().map(|it| self.graph_item(holder, it));
        entry.list("graph_items", items.collect());
        entry.into()
    }

    fn graph_item(&self, holder: &Arc<Host>, it: &GraphItem) -> Value {
        let mut entry = Entry::default();
        entry.number("sortorder", &it.sortorder, &0);
        entry.code_unless("drawtype", it.drawtype, DRAW_TYPES, 0);
        entry.filled("color", &it.color);
        entry.code_unless("yaxisside", it.yaxisside, SIDES, 0);
        entry.code_unless("calc_fnc", it.calc_fnc, GRAPH_FUNCTIONS, 2);
        entry.code_unless("type", it.kind, GRAPH_ITEM_TYPES, 0);
        entry.child("item", self.item_ref(holder, it.itemid));
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
