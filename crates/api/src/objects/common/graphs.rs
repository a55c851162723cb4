//! The fields of rows of graphs, the same for all callers.

use std::sync::Arc;

use model::content::ItemFlags;
use model::map::Set;
use model::snapshot::{GraphRow, Host, ItemRow};
use model::{GraphId, ItemId};

use super::refs::Refs;
use crate::shared::Ctx;

/// A graph or prototype with its holder.
pub(crate) type Graph<'a> = (&'a Arc<Host>, &'a GraphRow);

/// Graphs of a holder that are no prototypes.
pub(crate) fn live(holder: &Host) -> impl Iterator<Item = &GraphRow> {
    holder.graphs.iter().filter(|it| it.is_live())
}

pub(crate) fn has_prototypes(holder: &Host) -> bool {
    holder.graphs.iter().any(|it| !it.is_live())
}

/// The hosts of a graph, each once.
pub(crate) fn hosts<'a>(ctx: &'a Ctx, graph: Graph<'a>) -> Vec<&'a Arc<Host>> {
    Refs::new(&ctx.snapshot).graph_hosts(graph)
}

/// A graph over several hosts is visible to users who see all of them.
pub(crate) fn is_readable(ctx: &Ctx, graph: Graph<'_>) -> bool {
    ctx.is_super_admin() || hosts(ctx, graph).iter().all(|it| ctx.may_read(it))
}

/// Whether one of the graphs is of this host.
pub(crate) fn are_of_host(ctx: &Ctx, host: &Host, ids: &Set<u64>) -> bool {
    ids.iter().any(|id| {
        let found = ctx.snapshot.graph(GraphId(*id));
        found.is_some_and(|graph| hosts(ctx, graph).iter().any(|it| it.id == host.id))
    })
}

/// Whether a graph shows one of these items.
pub(crate) fn shows_any(ctx: &Ctx, graph: Graph<'_>, items: &Set<u64>) -> bool {
    let refs = Refs::new(&ctx.snapshot);
    refs.graph_items(graph).any(|(_, _, (_, it))| items.contains(&it.id.0))
}

/// The items that a graph shows, each once; none if there is no such graph.
pub(crate) fn items_of(ctx: &Ctx, id: GraphId) -> Vec<ItemId> {
    let Some(graph) = ctx.snapshot.graph(id) else { return Vec::new() };
    Refs::new(&ctx.snapshot).graph_items(graph).map(|(_, _, (_, it))| it.id).collect()
}

/// The graphs that show an item, also those of other hosts.
pub(crate) fn of_item<'a>(ctx: &'a Ctx, holder: &'a Arc<Host>, item: &ItemRow) -> Vec<Graph<'a>> {
    let wanted: Set<u64> = std::iter::once(item.id.0).collect();
    let of_host = live(holder).map(|it| (holder, it));
    let mut found: Vec<Graph<'a>> = of_host.filter(|it| shows_any(ctx, *it, &wanted)).collect();
    let others = ctx.cross_graphs();
    let others = others.of(item.id).iter().filter_map(|it| ctx.snapshot.graph(*it));
    found.extend(others.filter(|it| it.0.id != holder.id && is_readable(ctx, *it)));
    found
}

/// The graph prototypes of a rule on its holder.
pub(crate) fn prototypes_of_rule<'a>(
    ctx: &Ctx,
    holder: &'a Arc<Host>,
    rule: &ItemRow,
) -> Vec<Graph<'a>> {
    let chain = ctx.snapshot.names_of_rule(holder, rule);
    let is_of_it =
        |it: &&GraphRow| it.flags == ItemFlags::Prototype && chain.contains(&it.content.ruleid);
    holder.graphs.iter().filter(is_of_it).map(|it| (holder, it)).collect()
}

/// The graph prototypes that show an item or item prototype.
pub(crate) fn prototypes_of_item<'a>(
    ctx: &Ctx,
    holder: &'a Arc<Host>,
    item: &ItemRow,
) -> Vec<Graph<'a>> {
    let chain: Vec<ItemId> = ctx.snapshot.item_chain(item).collect();
    let shows_it = |it: &&GraphRow| {
        it.flags == ItemFlags::Prototype
            && it.content.gitems.iter().any(|it| chain.contains(&it.itemid))
    };
    holder.graphs.iter().filter(shows_it).map(|it| (holder, it)).collect()
}
