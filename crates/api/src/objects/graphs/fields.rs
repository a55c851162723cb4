//! What graphs and graph prototypes have in common.

use db::objects::graph as described;
use model::content::GraphContent;
use model::graph_item_id;
use serde_json::Value;

use crate::describe::{Field, FieldType, Rule};
use crate::json::{self, Scalar, number, text};
use crate::objects::common::graphs::Graph;
use crate::objects::common::refs::Refs;
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
        let (_, row) = graph;
        let items = self.refs.graph_items(graph);
        json::parts(described::GRAPH_ITEM, items, output, |(at, it, item), field| match field {
            "gitemid" => number(graph_item_id(row.id, *at)),
            "graphid" => number(row.id),
            "itemid" => number(item.1.id),
            "drawtype" => number(it.drawtype),
            "sortorder" => number(it.sortorder),
            "color" => text(it.color.as_str()),
            "yaxisside" => number(it.yaxisside),
            "calc_fnc" => number(it.calc_fnc),
            _ => number(it.kind),
        })
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

fn float(it: f64) -> Scalar<'static> {
    Scalar::Made(it.to_string().into())
}

/// Fields of both, behind their names.
pub(crate) const COMMON: &[GraphColumn] = &[
    GraphColumn::of_row(
        Field::new("graphid", FieldType::Id, Rule::ReadOnly, "Id"),
        |_, (_, row)| Scalar::Id(row.id.0),
    ),
    GraphColumn::of_content(described::WIDTH, |it| Scalar::Number(it.width)),
    GraphColumn::of_content(described::HEIGHT, |it| Scalar::Number(it.height)),
    GraphColumn::of_content(described::YAXISMIN, |it| float(it.yaxismin)),
    GraphColumn::of_content(described::YAXISMAX, |it| float(it.yaxismax)),
    GraphColumn::of_row(
        Field::new(
            "templateid",
            FieldType::Id,
            Rule::ReadOnly,
            "The graph of the directly linked template that it comes from; 0: none",
        ),
        |_, (_, row)| Scalar::Id(row.source.0),
    ),
    GraphColumn::of_content(described::SHOW_WORK_PERIOD, |it| Scalar::Flag(it.show_work_period)),
    GraphColumn::of_content(described::SHOW_TRIGGERS, |it| Scalar::Flag(it.show_triggers)),
    GraphColumn::of_content(described::GRAPHTYPE, |it| Scalar::Number(it.graphtype)),
    GraphColumn::of_content(described::SHOW_LEGEND, |it| Scalar::Flag(it.show_legend)),
    GraphColumn::of_content(described::SHOW_3D, |it| Scalar::Flag(it.show_3d)),
    GraphColumn::of_content(described::PERCENT_LEFT, |it| float(it.percent_left)),
    GraphColumn::of_content(described::PERCENT_RIGHT, |it| float(it.percent_right)),
    GraphColumn::of_content(described::YMIN_TYPE, |it| Scalar::Number(it.ymin_type)),
    GraphColumn::of_content(described::YMAX_TYPE, |it| Scalar::Number(it.ymax_type)),
    GraphColumn::of_row(described::YMIN_ITEMID, |reader, (holder, row)| {
        Scalar::Id(reader.axis_item((holder, row), row.content.ymin_itemid))
    }),
    GraphColumn::of_row(described::YMAX_ITEMID, |reader, (holder, row)| {
        Scalar::Id(reader.axis_item((holder, row), row.content.ymax_itemid))
    }),
    GraphColumn::of_row(
        Field::new(
            "flags",
            FieldType::Code(&[0, 2, 4]),
            Rule::ReadOnly,
            "0 plain, 2 prototype, 4 discovered",
        ),
        |_, (_, row)| Scalar::code(row.flags.code()),
    ),
    GraphColumn::of_content(described::UUID, |it| Scalar::Text(&it.uuid)),
    GraphColumn::given_only(described::GITEMS),
];

/// The name; what is told where it is missing tells the object's kind.
pub(crate) const fn name(missing: &'static str) -> GraphColumn {
    GraphColumn::of_row(described::NAME.or_message(missing), |_, (_, row)| Scalar::Made(row.name()))
}
