//! Common parts of graphs and graph prototypes.

use db::objects::graph as described;
use model::content::{GraphContent, GraphItem};
use model::graph_item_id;
use model::snapshot::ItemRow;
use serde_json::Value;

use crate::describe::{Field, FieldType, Rule, count, flattened, joined};
use crate::json::Scalar;
use crate::objects::common::graphs::Graph;
use crate::objects::common::parts::FLAGS;
use crate::objects::common::refs::Refs;
use crate::query::table;
use crate::query::{Column, Output, RowFamily};
use crate::shared::Ctx;

/// Graphs and graph prototypes, each with its holder.
pub(crate) struct GraphFamily;

pub(crate) type GraphColumn = Column<GraphFamily>;

/// Reads fields of graph rows.
pub(crate) struct Reader<'a> {
    pub(crate) ctx: &'a Ctx,
    pub(crate) refs: Refs<'a>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(ctx: &'a Ctx) -> Self {
        Self { ctx, refs: Refs::new(&ctx.snapshot) }
    }

    /// An item at an end of the axis; 0: none.
    fn axis_item(&self, (holder, row): Graph<'a>, reference: model::ItemId) -> u64 {
        let item = reference.some().and_then(|it| self.refs.item(holder, it, row.discovered()));
        item.map_or(0, |(_, it)| it.id.0)
    }

    /// `gitems` of `selectGraphItems`.
    pub(crate) fn graph_items(&self, graph: Graph<'a>, output: &Output) -> Value {
        let items = self.refs.graph_items(graph).map(|(at, it, item)| (graph, at, it, item.1));
        table::parts(&ITEM_COLUMNS, &(), items, output)
    }
}

impl RowFamily for GraphFamily {
    type Reader<'a> = Reader<'a>;
    type Row<'a> = Graph<'a>;
    type Content = GraphContent;

    fn content<'a>((_, row): Self::Row<'a>) -> &'a GraphContent {
        &row.content
    }
}

const ABOUT: &[GraphColumn] = &[GraphColumn::of_row(
    Field::new("graphid", FieldType::Id, Rule::ReadOnly, "Id"),
    |_, (_, row)| Scalar::Id(row.id.0),
)];
const FIRST: [GraphColumn; described::FIRST.len()] = table::described(&described::FIRST);
const TEMPLATE: GraphColumn = GraphColumn::of_row(
    Field::new(
        "templateid",
        FieldType::Id,
        Rule::ReadOnly,
        "The graph of the directly linked template that it comes from; 0: none",
    ),
    |_, (_, row)| Scalar::Id(row.source.0),
);
const LAST: [GraphColumn; described::LAST.len()] = table::described(&described::LAST);
const FURTHER: &[GraphColumn] = &[
    GraphColumn::of_row(described::YMIN_ITEMID.field, |reader, (holder, row)| {
        Scalar::Id(reader.axis_item((holder, row), row.content.ymin_itemid))
    }),
    GraphColumn::of_row(described::YMAX_ITEMID.field, |reader, (holder, row)| {
        Scalar::Id(reader.axis_item((holder, row), row.content.ymax_itemid))
    }),
    GraphColumn::of_row(FLAGS, |_, (_, row)| Scalar::code(row.flags.code())),
    GraphColumn::described(described::UUID),
    GraphColumn::given_only(described::GITEMS),
];
const LISTS: &[&[GraphColumn]] = &[ABOUT, &FIRST, &[TEMPLATE], &LAST, FURTHER];
/// Fields of both, after their names.
pub(crate) const COMMON: [GraphColumn; count(LISTS)] = flattened(LISTS);

/// The name; the message where it is missing says the object's kind.
pub(crate) const fn name(missing: &'static str) -> GraphColumn {
    GraphColumn::of_row(described::NAME.field.or_message(missing), |_, (_, row)| {
        Scalar::Made(row.name())
    })
}

/// Items that graphs show.
pub(crate) struct GraphItemFamily;

pub(crate) type GraphItemColumn = Column<GraphItemFamily>;
/// A graph, the position, and the item there.
pub(crate) type GraphItemRow<'a> = (Graph<'a>, usize, &'a GraphItem, &'a ItemRow);

impl RowFamily for GraphItemFamily {
    type Reader<'a> = ();
    type Row<'a> = GraphItemRow<'a>;
    type Content = GraphItem;

    fn content<'a>((_, _, it, _): Self::Row<'a>) -> &'a GraphItem {
        it
    }
}

const PLACE: &[GraphItemColumn] = &[
    GraphItemColumn::of_row(described::GITEMID, |(), ((_, graph), at, ..)| {
        Scalar::Id(graph_item_id(graph.id, at))
    }),
    GraphItemColumn::of_row(described::GRAPHID, |(), ((_, graph), ..)| Scalar::Id(graph.id.0)),
    GraphItemColumn::of_row(described::ITEMID.field, |(), (.., item)| Scalar::Id(item.id.0)),
];
const OF_ITEM: [GraphItemColumn; described::OF_ITEM.len()] = table::described(&described::OF_ITEM);
pub(crate) const ITEM_COLUMNS: [GraphItemColumn; PLACE.len() + OF_ITEM.len()] =
    joined(PLACE, &OF_ITEM);
