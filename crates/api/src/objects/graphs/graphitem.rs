//! The items of graphs: `graphitem.get`.

use db::objects::graph::GRAPH_ITEM;
use model::map::Set;
use model::{GraphId, ItemId, graph_item_id, graph_of_item_id};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{Gives, Nouns, Object, Params, RoleRule, Select};
use crate::error::ApiError;
use crate::method::{Method, ObjectEntry};
use crate::objects::common::graphs::{self, Graph};
use crate::objects::common::refs::Refs;
use crate::objects::common::scope::{Get, Scope};
use crate::objects::graphs::fields::{GraphItemRow, ITEM_COLUMNS};
use crate::query::{self, Output, Rows, table};
use crate::relation::Related;
use crate::shared::Ctx;

const OBJECT: Object = Object {
    name: "graphitem",
    type_name: "GraphItem",
    nouns: Nouns { one: "an item of a graph", several: "items of graphs" },
    resource: None,
    role: RoleRule::READ_ONLY,
    writes: None,
    id: "gitemid",
    ids: "gitemids",
    fields: GRAPH_ITEM,
    selects: &[Select::new("selectGraphs", "graphs", Gives::Objects("graph"))],
    params: Params::of(&["gitemids", "graphids", "itemids", "type"]),
    sort: &["gitemid"],
    doc: "An item as a graph or graph prototype shows it",
};

pub(crate) const ENTRY: ObjectEntry =
    ObjectEntry::new(&OBJECT, &[Method::get("graphitem.get", get)]);

struct GraphItems<'a> {
    ctx: &'a Ctx,
}

impl<'a> Rows for GraphItems<'a> {
    type Row = GraphItemRow<'a>;

    fn field(&self, row: &Self::Row, name: &str) -> Value {
        table::scalar(&ITEM_COLUMNS, &(), *row, name).value()
    }

    fn select(
        &self,
        (graph, ..): &Self::Row,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        Ok(match select.param {
            "selectGraphs" => self.ctx.related(select, Related::Graphs(vec![*graph]), output),
            _ => json!([]),
        })
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let ids = get.id_set("gitemids")?;
    let of_graphs = get.id_set("graphids")?;
    let items = get.id_set("itemids")?;
    let kind = get.number("type")?;
    let scope = Scope::readable(&get);
    let named = ids.as_ref().map(|it| it.iter().map(|id| graph_of_item_id(*id).0.0).collect());
    let named: Option<Set<u64>> = of_graphs.or(named);
    let refs = Refs::new(&ctx.snapshot);
    let found: Vec<Graph<'_>> = match (&named, &items) {
        (Some(ids), _) => ids.iter().filter_map(|it| ctx.snapshot.graph(GraphId(*it))).collect(),
        (None, Some(items)) => {
            let crossing = ctx.cross_graphs();
            let of = items.iter().filter_map(|it| ctx.snapshot.item_holder(ItemId(*it)));
            let others = items.iter().flat_map(|it| crossing.of(ItemId(*it)));
            let others = others.filter_map(|it| Some(ctx.snapshot.graph(*it)?.0));
            let mut holders: Vec<_> = of.chain(others).collect();
            holders.sort_unstable_by_key(|it| it.id);
            holders.dedup_by_key(|it| it.id);
            let all = holders.into_iter().flat_map(|it| it.graphs.iter().map(move |row| (it, row)));
            all.collect()
        }
        (None, None) => {
            let holders = scope.holders(ctx).into_iter();
            holders.flat_map(|it| it.graphs.iter().map(move |row| (it, row))).collect()
        }
    };
    let found = found
        .into_iter()
        .filter(|(holder, _)| scope.admits(ctx, holder))
        .filter(|it| graphs::is_readable(ctx, *it))
        .flat_map(|graph| {
            let shown: Vec<GraphItemRow<'_>> =
                refs.graph_items(graph).map(|(at, it, item)| (graph, at, it, item.1)).collect();
            shown
        })
        .filter(|((_, graph), at, it, item)| {
            ids.as_ref().is_none_or(|ids| ids.contains(&graph_item_id(graph.id, *at)))
                && items.as_ref().is_none_or(|items| items.contains(&item.id.0))
                && kind.is_none_or(|kind| kind == it.kind)
        });
    query::answer(&OBJECT, &GraphItems { ctx }, found, &get.options)
}
