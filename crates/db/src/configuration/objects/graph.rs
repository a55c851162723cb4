//! Graphs and graph prototypes: their fields, described once.
//!
//! The API checks and answers by these fields, imports read and exports write by them ([`IN_FILES`]). How a graph is
//! kept follows from its content ([`GraphContent`]), whose members have the same names and defaults: a test compares
//! them. What no field can say (items that have to be numeric, ends of axes) is in `editor/graph.rs`.
//!
//! [`GraphContent`]: model::content::GraphContent

use model::describe::{FLAG, Field, FieldType, Rule};

const ORDER: FieldType = FieldType::Int { min: 0, max: 2_147_483_647 };
const PIXELS: FieldType = FieldType::Int { min: 0, max: 65_535 };
const AXIS: FieldType = FieldType::Code(&[0, 1, 2]);
const AXIS_NAMES: &[(&str, i64)] = &[("CALCULATED", 0), ("FIXED", 1), ("ITEM", 2)];
const NO_YES: &[(&str, i64)] = &[("NO", 0), ("YES", 1)];
const GRAPH_TYPES: &[(&str, i64)] = &[("NORMAL", 0), ("STACKED", 1), ("PIE", 2), ("EXPLODED", 3)];
const FUNCTIONS: &[(&str, i64)] = &[("MIN", 1), ("AVG", 2), ("MAX", 4), ("ALL", 7), ("LAST", 9)];

/// What files call the lines of graphs; maps have the names of some of them too.
pub(crate) const DRAW_TYPES: &[(&str, i64)] = &[
    ("SINGLE_LINE", 0),
    ("FILLED_REGION", 1),
    ("BOLD_LINE", 2),
    ("DOTTED_LINE", 3),
    ("DASHED_LINE", 4),
    ("GRADIENT_LINE", 5),
];

/// Every graph has one; what is told where it is missing differs from kind to kind.
pub const NAME: Field = Field::new("name", FieldType::Text { max: 128 }, Rule::Required, "Name");
pub const WIDTH: Field = Field::new("width", PIXELS, Rule::Default("900"), "Pixels");
pub const HEIGHT: Field = Field::new("height", PIXELS, Rule::Default("200"), "Pixels");
pub const YAXISMIN: Field =
    Field::new("yaxismin", FieldType::Float, Rule::Default("0"), "Lower end of the axis");
pub const YAXISMAX: Field =
    Field::new("yaxismax", FieldType::Float, Rule::Default("100"), "Upper end of the axis");
pub const SHOW_WORK_PERIOD: Field =
    Field::new("show_work_period", FLAG, Rule::Default("1"), "1: hours of work are shaded");
pub const SHOW_TRIGGERS: Field =
    Field::new("show_triggers", FLAG, Rule::Default("1"), "1: thresholds of triggers");
pub const GRAPHTYPE: Field = Field::new(
    "graphtype",
    FieldType::Code(&[0, 1, 2, 3]),
    Rule::Default("0"),
    "0 normal, 1 stacked, 2 pie, 3 exploded pie",
);
pub const SHOW_LEGEND: Field =
    Field::new("show_legend", FLAG, Rule::Default("1"), "1: with a legend");
pub const SHOW_3D: Field =
    Field::new("show_3d", FLAG, Rule::Default("0"), "1: a pie in three dimensions");
pub const PERCENT_LEFT: Field = Field::new(
    "percent_left",
    FieldType::Float,
    Rule::Default("0"),
    "Percentile line of the left axis; 0: none",
);
pub const PERCENT_RIGHT: Field = Field::new(
    "percent_right",
    FieldType::Float,
    Rule::Default("0"),
    "Percentile line of the right axis; 0: none",
);
pub const YMIN_TYPE: Field = Field::new(
    "ymin_type",
    AXIS,
    Rule::Default("0"),
    "Lower end: 0 calculated, 1 fixed, 2 of an item",
);
pub const YMAX_TYPE: Field = Field::new(
    "ymax_type",
    AXIS,
    Rule::Default("0"),
    "Upper end: 0 calculated, 1 fixed, 2 of an item",
);
pub const YMIN_ITEMID: Field =
    Field::new("ymin_itemid", FieldType::Id, Rule::Default("0"), "With type 2");
pub const YMAX_ITEMID: Field =
    Field::new("ymax_itemid", FieldType::Id, Rule::Default("0"), "With type 2");
pub const UUID: Field =
    Field::new("uuid", FieldType::Uuid, Rule::Default(""), "Identity in exports of templates");
pub const GITEMS: Field = Field::new(
    "gitems",
    FieldType::List(GRAPH_ITEM),
    Rule::Optional,
    "What it shows; one at least",
);
/// Of prototypes.
pub const DISCOVER: Field =
    Field::new("discover", FLAG, Rule::Default("0"), "0: rows make graphs, 1: they don't")
        .overridable();

const ITEMID: Field = Field::new("itemid", FieldType::Id, Rule::Required, "Item")
    .or_message("Missing \"itemid\" field for item.");
const DRAWTYPE: Field = Field::new(
    "drawtype",
    FieldType::Code(&[0, 1, 2, 3, 4, 5]),
    Rule::Default("0"),
    "0 line, 1 filled region, 2 bold line, 3 dot, 4 dashed line, 5 gradient line",
);
const SORTORDER: Field =
    Field::new("sortorder", ORDER, Rule::Optional, "Place; the position in the list if left out");
const YAXISSIDE: Field = Field::new("yaxisside", FLAG, Rule::Default("0"), "Axis: 0 left, 1 right");
const CALC_FNC: Field = Field::new(
    "calc_fnc",
    FieldType::Code(&[1, 2, 4, 7, 9]),
    Rule::Default("2"),
    "Where there are several values: 1 minimum, 2 average, 4 maximum, 7 all; 9 last, of pies",
);
const ITEM_TYPE: Field =
    Field::new("type", FieldType::Code(&[0, 2]), Rule::Default("0"), "0 simple, 2 sum of a pie");

/// One item that a graph shows.
pub const GRAPH_ITEM: &[Field] = &[
    Field::new("gitemid", FieldType::Id, Rule::ReadOnly, "Id; of the graph and the position"),
    Field::new("graphid", FieldType::Id, Rule::ReadOnly, "Graph"),
    ITEMID,
    DRAWTYPE,
    SORTORDER,
    Field::new("color", FieldType::Text { max: 255 }, Rule::Required, "Hexadecimal, without #")
        .or_empty()
        .or_number()
        .or_message("No \"color\" given for graph."),
    YAXISSIDE,
    CALC_FNC,
    ITEM_TYPE,
];

/// The fields of files, in their order; its name and identity stand before them. An id is written as host and key of
/// the item.
pub(crate) const IN_FILES: &[Field] = &[
    WIDTH,
    HEIGHT,
    YAXISMIN,
    YAXISMAX,
    SHOW_WORK_PERIOD.named(NO_YES),
    SHOW_TRIGGERS.named(NO_YES),
    GRAPHTYPE.tagged("type").named(GRAPH_TYPES),
    SHOW_LEGEND.named(NO_YES),
    SHOW_3D.named(NO_YES),
    PERCENT_LEFT,
    PERCENT_RIGHT,
    YMIN_TYPE.tagged("ymin_type_1").named(AXIS_NAMES),
    YMIN_ITEMID.tagged("ymin_item_1"),
    YMAX_TYPE.tagged("ymax_type_1").named(AXIS_NAMES),
    YMAX_ITEMID.tagged("ymax_item_1"),
];
/// Behind them, of prototypes.
pub(crate) const OF_PROTOTYPES_IN_FILES: &[Field] =
    &[DISCOVER.named(&[("DISCOVER", 0), ("NO_DISCOVER", 1)])];

/// The fields of items of graphs in files. Colors are read and written by themselves: files have some as numbers.
pub(crate) const ITEMS_IN_FILES: &[Field] = &[
    Field { rule: Rule::Default("0"), ..SORTORDER },
    DRAWTYPE.named(DRAW_TYPES),
    YAXISSIDE.named(&[("LEFT", 0), ("RIGHT", 1)]),
    CALC_FNC.named(FUNCTIONS),
    ITEM_TYPE.named(&[("SIMPLE", 0), ("GRAPH_SUM", 2)]),
    ITEMID.tagged("item"),
];

#[cfg(test)]
mod tests {
    use model::content::{GraphContent, GraphItem};
    use serde::Serialize;
    use serde_json::Value as Json;

    use super::*;

    /// Members of a content that no file has under their name: whose it is.
    const OF_PLACE: &[&str] = &["name", "uuid", "ruleid", "gitems", "discover", "color"];

    fn compare(content: &impl Serialize, fields: &[Field]) {
        let Ok(Json::Object(content)) = serde_json::to_value(content) else { panic!("an object") };
        for field in fields {
            let kept = content.get(field.name).unwrap_or_else(|| panic!("{} is kept", field.name));
            if let Rule::Default(default) = field.rule {
                let kept = kept.as_str().map_or_else(|| kept.to_string(), str::to_owned);
                assert_eq!(kept, default, "{}", field.name);
            }
        }
        for name in content.keys().filter(|it| !OF_PLACE.contains(&it.as_str())) {
            assert!(fields.iter().any(|it| it.name == name), "{name} is described");
        }
    }

    #[test]
    fn content_has_the_members_and_defaults_of_the_description() {
        compare(&GraphContent::default(), IN_FILES);
        compare(&GraphItem::default(), ITEMS_IN_FILES);
    }
}
