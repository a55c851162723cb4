//! Graphs and graph prototypes: their fields, and those of what they show, described once.
//!
//! The API checks and answers by these fields, imports read and exports write by them ([`IN_FILES`], [`ITEM_IN_FILES`]).
//! How a graph is kept follows from its content ([`GraphContent`]), what may differ on inherited ones from its overrides:
//! tests compare both with the description. Rules beyond single fields (items that have to be
//! numeric, ends of axes) are in `editor/graph.rs`.

use model::content::{GraphContent, GraphItem};
use model::content_field::{ContentField, FieldValue};
use model::describe::{Depends, FLAG, Field, FieldType, Rule, When};

use super::in_file::{FileOrder, InFile};
use super::names::{Codes, DISCOVER as DISCOVER_NAMES, NO_YES};
use super::parts;

/// A field of graphs or their prototypes.
pub type GraphField = ContentField<GraphContent>;
/// A field of an item that a graph shows.
pub type GraphItemField = ContentField<GraphItem>;

const ORDER: FieldType = FieldType::Int { min: 0, max: 2_147_483_647 };
const PIXELS: FieldType = FieldType::Int { min: 0, max: 65_535 };
const AXIS: FieldType = FieldType::Code(&[0, 1, 2]);
const AXIS_NAMES: Codes = &[("CALCULATED", 0), ("FIXED", 1), ("ITEM", 2)];
const GRAPH_TYPES: Codes = &[("NORMAL", 0), ("STACKED", 1), ("PIE", 2), ("EXPLODED", 3)];
const FUNCTIONS: Codes = &[("MIN", 1), ("AVG", 2), ("MAX", 4), ("ALL", 7), ("LAST", 9)];
const SIDES: Codes = &[("LEFT", 0), ("RIGHT", 1)];
const ITEM_TYPES: Codes = &[("SIMPLE", 0), ("GRAPH_SUM", 2)];

/// Names of the lines of graphs in files; maps have the names of some of them too.
pub(crate) const DRAW_TYPES: Codes = &[
    ("SINGLE_LINE", 0),
    ("FILLED_REGION", 1),
    ("BOLD_LINE", 2),
    ("DOTTED_LINE", 3),
    ("DASHED_LINE", 4),
    ("GRADIENT_LINE", 5),
];

/// Every graph has one; the message where it is missing differs from kind to kind.
pub const NAME: GraphField = GraphField::new(
    Field::new("name", FieldType::Text { max: 128 }, Rule::Required, "Name"),
    |it| FieldValue::Text(&it.name),
);
pub const WIDTH: GraphField =
    GraphField::new(Field::new("width", PIXELS, Rule::Default("900"), "Pixels"), |it| {
        FieldValue::Number(it.width)
    });
pub const HEIGHT: GraphField =
    GraphField::new(Field::new("height", PIXELS, Rule::Default("200"), "Pixels"), |it| {
        FieldValue::Number(it.height)
    });
pub const YAXISMIN: GraphField = GraphField::new(
    Field::new("yaxismin", FieldType::Float, Rule::Default("0"), "Lower end of the axis"),
    |it| FieldValue::Float(it.yaxismin),
);
pub const YAXISMAX: GraphField = GraphField::new(
    Field::new("yaxismax", FieldType::Float, Rule::Default("100"), "Upper end of the axis"),
    |it| FieldValue::Float(it.yaxismax),
);
pub const SHOW_WORK_PERIOD: GraphField = GraphField::new(
    Field::new("show_work_period", FLAG, Rule::Default("1"), "1: hours of work are shaded"),
    |it| FieldValue::Flag(it.show_work_period),
);
pub const SHOW_TRIGGERS: GraphField = GraphField::new(
    Field::new("show_triggers", FLAG, Rule::Default("1"), "1: thresholds of triggers"),
    |it| FieldValue::Flag(it.show_triggers),
);
pub const GRAPHTYPE: GraphField = GraphField::new(
    Field::new(
        "graphtype",
        FieldType::Code(&[0, 1, 2, 3]),
        Rule::Default("0"),
        "0 normal, 1 stacked, 2 pie, 3 exploded pie",
    ),
    |it| FieldValue::Number(it.graphtype),
);
pub const SHOW_LEGEND: GraphField = GraphField::new(
    Field::new("show_legend", FLAG, Rule::Default("1"), "1: with a legend"),
    |it| FieldValue::Flag(it.show_legend),
);
pub const SHOW_3D: GraphField = GraphField::new(
    Field::new("show_3d", FLAG, Rule::Default("0"), "1: a pie in three dimensions"),
    |it| FieldValue::Flag(it.show_3d),
);
pub const PERCENT_LEFT: GraphField = GraphField::new(
    Field::new(
        "percent_left",
        FieldType::Float,
        Rule::Default("0"),
        "Percentile line of the left axis; 0: none",
    ),
    |it| FieldValue::Float(it.percent_left),
);
pub const PERCENT_RIGHT: GraphField = GraphField::new(
    Field::new(
        "percent_right",
        FieldType::Float,
        Rule::Default("0"),
        "Percentile line of the right axis; 0: none",
    ),
    |it| FieldValue::Float(it.percent_right),
);
pub const YMIN_TYPE: GraphField = GraphField::new(
    Field::new(
        "ymin_type",
        AXIS,
        Rule::Default("0"),
        "Lower end: 0 calculated, 1 fixed, 2 of an item",
    ),
    |it| FieldValue::Number(it.ymin_type),
);
pub const YMAX_TYPE: GraphField = GraphField::new(
    Field::new(
        "ymax_type",
        AXIS,
        Rule::Default("0"),
        "Upper end: 0 calculated, 1 fixed, 2 of an item",
    ),
    |it| FieldValue::Number(it.ymax_type),
);
/// The content has the id that its own holder knew; the API answers that of the row's holder.
pub const YMIN_ITEMID: GraphField = GraphField::new(
    Field::new("ymin_itemid", FieldType::Id, Rule::Default("0"), "With type 2")
        .depends(&Depends::goes_with(&[When::of("ymin_type", &["2"])])),
    |it| FieldValue::Id(it.ymin_itemid.0),
);
pub const YMAX_ITEMID: GraphField = GraphField::new(
    Field::new("ymax_itemid", FieldType::Id, Rule::Default("0"), "With type 2")
        .depends(&Depends::goes_with(&[When::of("ymax_type", &["2"])])),
    |it| FieldValue::Id(it.ymax_itemid.0),
);
pub const UUID: GraphField = GraphField::new(parts::UUID, |it| FieldValue::Text(&it.uuid));
pub const GITEMS: Field = Field::new(
    "gitems",
    FieldType::List(GRAPH_ITEM),
    Rule::Optional,
    "What it shows; one at least",
);
/// Of prototypes.
pub const DISCOVER: GraphField =
    GraphField::new(parts::discover("0: rows make graphs, 1: they don't"), |it| {
        // The API writes 0 for yes.
        FieldValue::Flag(!it.discover)
    });

/// Fields of the API that stand for themselves, in its order: those before the graph of the template, and after it.
pub const FIRST: [GraphField; 4] = [WIDTH, HEIGHT, YAXISMIN, YAXISMAX];
pub const LAST: [GraphField; 9] = [
    SHOW_WORK_PERIOD,
    SHOW_TRIGGERS,
    GRAPHTYPE,
    SHOW_LEGEND,
    SHOW_3D,
    PERCENT_LEFT,
    PERCENT_RIGHT,
    YMIN_TYPE,
    YMAX_TYPE,
];

/// The content has the id that its own holder knew; the API answers that of the row's holder.
pub const ITEMID: GraphItemField = GraphItemField::new(
    Field::new("itemid", FieldType::Id, Rule::Required, "Item")
        .or_message("Missing \"itemid\" field for item."),
    |it| FieldValue::Id(it.itemid.0),
);
pub const DRAWTYPE: GraphItemField = GraphItemField::new(
    Field::new(
        "drawtype",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Default("0"),
        "0 line, 1 filled region, 2 bold line, 3 dot, 4 dashed line, 5 gradient line",
    ),
    |it| FieldValue::Number(it.drawtype),
);
pub const SORTORDER: GraphItemField = GraphItemField::new(
    Field::new("sortorder", ORDER, Rule::Optional, "Place; the position in the list if left out"),
    |it| FieldValue::Number(it.sortorder),
);
pub const COLOR: GraphItemField = GraphItemField::new(
    Field::new("color", FieldType::Text { max: 255 }, Rule::Required, "Hexadecimal, without #")
        .or_empty()
        .or_number()
        .or_message("No \"color\" given for graph."),
    |it| FieldValue::Text(&it.color),
);
pub const YAXISSIDE: GraphItemField = GraphItemField::new(
    Field::new("yaxisside", FLAG, Rule::Default("0"), "Axis: 0 left, 1 right"),
    |it| FieldValue::Number(it.yaxisside),
);
pub const CALC_FNC: GraphItemField = GraphItemField::new(
    Field::new(
        "calc_fnc",
        FieldType::Code(&[1, 2, 4, 7, 9]),
        Rule::Default("2"),
        "Where there are several values: 1 minimum, 2 average, 4 maximum, 7 all; 9 last, of pies",
    ),
    |it| FieldValue::Number(it.calc_fnc),
);
pub const ITEM_TYPE: GraphItemField = GraphItemField::new(
    Field::new("type", FieldType::Code(&[0, 2]), Rule::Default("0"), "0 simple, 2 sum of a pie"),
    |it| FieldValue::Number(it.kind),
);

/// Where an item stands in graphs.
pub const GITEMID: Field =
    Field::new("gitemid", FieldType::Id, Rule::ReadOnly, "Id; of the graph and the position");
pub const GRAPHID: Field = Field::new("graphid", FieldType::Id, Rule::ReadOnly, "Graph");

/// Fields of items in the API, after the item.
pub const OF_ITEM: [GraphItemField; 6] =
    [DRAWTYPE, SORTORDER, COLOR, YAXISSIDE, CALC_FNC, ITEM_TYPE];

/// One item that a graph shows.
pub const GRAPH_ITEM: &[Field] = &[
    GITEMID,
    GRAPHID,
    ITEMID.field,
    DRAWTYPE.field,
    SORTORDER.field,
    COLOR.field,
    YAXISSIDE.field,
    CALC_FNC.field,
    ITEM_TYPE.field,
];

/// Parts that files have in a form of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GraphPart {
    Uuid,
    /// An item, by its host and key.
    Item(&'static GraphField),
    /// The shown items.
    Items,
}

/// Parts of a shown item that files have in a form of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GraphItemPart {
    /// Files have some colors as numbers.
    Color,
    /// By its host and key.
    Item(&'static GraphItemField),
}

const YMIN_ITEM: GraphField = YMIN_ITEMID.tagged("ymin_item_1");
const YMAX_ITEM: GraphField = YMAX_ITEMID.tagged("ymax_item_1");
const ITEM: GraphItemField = ITEMID.tagged("item");

use InFile::{Field as F, OfPrototypes, Part as P};

/// In Zabbix's order.
pub(crate) const IN_FILES: FileOrder<GraphContent, GraphPart> = &[&[
    P(GraphPart::Uuid),
    F(NAME),
    F(WIDTH),
    F(HEIGHT),
    F(YAXISMIN),
    F(YAXISMAX),
    F(SHOW_WORK_PERIOD.named(NO_YES)),
    F(SHOW_TRIGGERS.named(NO_YES)),
    F(GRAPHTYPE.tagged("type").named(GRAPH_TYPES)),
    F(SHOW_LEGEND.named(NO_YES)),
    F(SHOW_3D.named(NO_YES)),
    F(PERCENT_LEFT),
    F(PERCENT_RIGHT),
    F(YMIN_TYPE.tagged("ymin_type_1").named(AXIS_NAMES)),
    P(GraphPart::Item(&YMIN_ITEM)),
    F(YMAX_TYPE.tagged("ymax_type_1").named(AXIS_NAMES)),
    P(GraphPart::Item(&YMAX_ITEM)),
    OfPrototypes(DISCOVER.named(DISCOVER_NAMES)),
    P(GraphPart::Items),
]];

/// In Zabbix's order.
pub(crate) const ITEM_IN_FILES: FileOrder<GraphItem, GraphItemPart> = &[&[
    F(SORTORDER.or("0")),
    F(DRAWTYPE.named(DRAW_TYPES)),
    P(GraphItemPart::Color),
    F(YAXISSIDE.named(SIDES)),
    F(CALC_FNC.named(FUNCTIONS)),
    F(ITEM_TYPE.named(ITEM_TYPES)),
    P(GraphItemPart::Item(&ITEM)),
]];

#[cfg(test)]
mod tests {
    use model::content::GraphOverrides;

    use super::super::description_checks;
    use super::*;

    fn described() -> Vec<GraphField> {
        let alone = [NAME, YMIN_ITEMID, YMAX_ITEMID, UUID, DISCOVER];
        [&alone[..], &FIRST, &LAST].concat()
    }

    fn of_item() -> Vec<GraphItemField> {
        [&[ITEMID], &OF_ITEM[..]].concat()
    }

    #[test]
    fn content_has_the_members_and_defaults_of_the_description() {
        description_checks::of_content(&described(), &["gitems", "ruleid"]);
        description_checks::of_content(&of_item(), &[]);
    }

    #[test]
    fn inherited_graph_fields_match_overrides() {
        description_checks::of_overrides(&described(), &[], GraphOverrides::FIELDS);
    }

    #[test]
    fn files_have_each_field_that_stands_for_itself() {
        let parts = [YMIN_ITEMID, YMAX_ITEMID, UUID].map(|it| it.field.name);
        description_checks::of_files(&described(), &[IN_FILES], &parts);
        let parts = [ITEMID, COLOR].map(|it| it.field.name);
        description_checks::of_files(&of_item(), &[ITEM_IN_FILES], &parts);
    }

    #[test]
    fn the_api_has_each_field_of_shown_items() {
        for it in of_item() {
            let in_api = GRAPH_ITEM.iter().any(|field| field.name == it.field.name);
            assert!(in_api, "{}", it.field.name);
        }
    }
}
