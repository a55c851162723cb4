//! What graphs and graph prototypes have in common.

use model::content::GraphContent;
use model::graph_item_id;
use serde_json::Value;

use crate::describe::{FLAG, Field, FieldType, Rule};
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
        json::parts(GRAPH_ITEM, items, output, |(at, it, item), field| match field {
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

pub(crate) const GRAPH_ITEM: &[Field] = &[
    Field::new("gitemid", FieldType::Id, Rule::ReadOnly, "Id; of the graph and the position"),
    Field::new("graphid", FieldType::Id, Rule::ReadOnly, "Graph"),
    Field::new("itemid", FieldType::Id, Rule::Required, "Item")
        .or_message("Missing \"itemid\" field for item."),
    Field::new(
        "drawtype",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Default("0"),
        "0 line, 1 filled region, 2 bold line, 3 dot, 4 dashed line, 5 gradient line",
    ),
    Field::new("sortorder", ORDER, Rule::Optional, "Place; the position in the list if left out"),
    Field::new("color", FieldType::Text { max: 255 }, Rule::Required, "Hexadecimal, without #")
        .or_empty()
        .or_number()
        .or_message("No \"color\" given for graph."),
    Field::new("yaxisside", FLAG, Rule::Default("0"), "Axis: 0 left, 1 right"),
    Field::new(
        "calc_fnc",
        FieldType::Code(&[1, 2, 4, 7, 9]),
        Rule::Default("2"),
        "Where there are several values: 1 minimum, 2 average, 4 maximum, 7 all; 9 last, of pies",
    ),
    Field::new("type", FieldType::Code(&[0, 2]), Rule::Default("0"), "0 simple, 2 sum of a pie"),
];

const ORDER: FieldType = FieldType::Int { min: 0, max: 2_147_483_647 };
const PIXELS: FieldType = FieldType::Int { min: 0, max: 65_535 };
const AXIS: FieldType = FieldType::Code(&[0, 1, 2]);

fn float(it: f64) -> Scalar<'static> {
    Scalar::Made(it.to_string().into())
}

/// Fields of both, behind their names.
pub(crate) const COMMON: &[GraphColumn] = &[
    GraphColumn::of_row(
        Field::new("graphid", FieldType::Id, Rule::ReadOnly, "Id"),
        |_, (_, row)| Scalar::Id(row.id.0),
    ),
    GraphColumn::of_content(Field::new("width", PIXELS, Rule::Default("900"), "Pixels"), |it| {
        Scalar::Number(it.width)
    }),
    GraphColumn::of_content(Field::new("height", PIXELS, Rule::Default("200"), "Pixels"), |it| {
        Scalar::Number(it.height)
    }),
    GraphColumn::of_content(
        Field::new("yaxismin", FieldType::Float, Rule::Default("0"), "Lower end of the axis"),
        |it| float(it.yaxismin),
    ),
    GraphColumn::of_content(
        Field::new("yaxismax", FieldType::Float, Rule::Default("100"), "Upper end of the axis"),
        |it| float(it.yaxismax),
    ),
    GraphColumn::of_row(
        Field::new(
            "templateid",
            FieldType::Id,
            Rule::ReadOnly,
            "The graph of the directly linked template that it comes from; 0: none",
        ),
        |_, (_, row)| Scalar::Id(row.source.0),
    ),
    GraphColumn::of_content(
        Field::new("show_work_period", FLAG, Rule::Default("1"), "1: hours of work are shaded"),
        |it| Scalar::Flag(it.show_work_period),
    ),
    GraphColumn::of_content(
        Field::new("show_triggers", FLAG, Rule::Default("1"), "1: thresholds of triggers"),
        |it| Scalar::Flag(it.show_triggers),
    ),
    GraphColumn::of_content(
        Field::new(
            "graphtype",
            FieldType::Code(&[0, 1, 2, 3]),
            Rule::Default("0"),
            "0 normal, 1 stacked, 2 pie, 3 exploded pie",
        ),
        |it| Scalar::Number(it.graphtype),
    ),
    GraphColumn::of_content(
        Field::new("show_legend", FLAG, Rule::Default("1"), "1: with a legend"),
        |it| Scalar::Flag(it.show_legend),
    ),
    GraphColumn::of_content(
        Field::new("show_3d", FLAG, Rule::Default("0"), "1: a pie in three dimensions"),
        |it| Scalar::Flag(it.show_3d),
    ),
    GraphColumn::of_content(
        Field::new(
            "percent_left",
            FieldType::Float,
            Rule::Default("0"),
            "Percentile line of the left axis; 0: none",
        ),
        |it| float(it.percent_left),
    ),
    GraphColumn::of_content(
        Field::new(
            "percent_right",
            FieldType::Float,
            Rule::Default("0"),
            "Percentile line of the right axis; 0: none",
        ),
        |it| float(it.percent_right),
    ),
    GraphColumn::of_content(
        Field::new(
            "ymin_type",
            AXIS,
            Rule::Default("0"),
            "Lower end: 0 calculated, 1 fixed, 2 of an item",
        ),
        |it| Scalar::Number(it.ymin_type),
    ),
    GraphColumn::of_content(
        Field::new(
            "ymax_type",
            AXIS,
            Rule::Default("0"),
            "Upper end: 0 calculated, 1 fixed, 2 of an item",
        ),
        |it| Scalar::Number(it.ymax_type),
    ),
    GraphColumn::of_row(
        Field::new("ymin_itemid", FieldType::Id, Rule::Default("0"), "With type 2"),
        |reader, (holder, row)| {
            Scalar::Id(reader.axis_item((holder, row), row.content.ymin_itemid))
        },
    ),
    GraphColumn::of_row(
        Field::new("ymax_itemid", FieldType::Id, Rule::Default("0"), "With type 2"),
        |reader, (holder, row)| {
            Scalar::Id(reader.axis_item((holder, row), row.content.ymax_itemid))
        },
    ),
    GraphColumn::of_row(
        Field::new(
            "flags",
            FieldType::Code(&[0, 2, 4]),
            Rule::ReadOnly,
            "0 plain, 2 prototype, 4 discovered",
        ),
        |_, (_, row)| Scalar::code(row.flags.code()),
    ),
    GraphColumn::of_content(
        Field::new("uuid", FieldType::Uuid, Rule::Default(""), "Identity in exports of templates"),
        |it| Scalar::Text(&it.uuid),
    ),
    GraphColumn::given_only(Field::new(
        "gitems",
        FieldType::List(GRAPH_ITEM),
        Rule::Optional,
        "What it shows; one at least",
    )),
];

/// The name; what is told where it is missing tells the object's kind.
pub(crate) const fn name(missing: &'static str) -> GraphColumn {
    GraphColumn::of_row(
        Field::new("name", NAME_OF_GRAPH, Rule::Required, "Name").or_message(missing),
        |_, (_, row)| Scalar::Made(row.name()),
    )
}

const NAME_OF_GRAPH: FieldType = FieldType::Text { max: 128 };
