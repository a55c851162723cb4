//! The fields of maps and of their parts.

use model::content::{RoleAction, UiElement};
use model::describe::{
    FLAG, Field, FieldType, Gives, NeededAction, Nouns, Object, Params, Refers, RoleRule, Rule,
    RulesSee, Select, Unknown, Writes,
};
use model::version::Version;

const ICON: Refers = Refers {
    to: "image",
    missing_message: "Icon with ID \"{}\" is not available.",
    used_messages: ["The image is used in map {}.", "The image is used in maps {}."],
};
const BACKGROUND: Refers =
    Refers { missing_message: "Background image with ID \"{}\" is not available.", ..ICON };
const ICON_MAP: Refers = Refers {
    to: "iconmap",
    missing_message: "Icon map with ID \"{}\" is not available.",
    used_messages: [
        "Icon map cannot be deleted. Used in map {}.",
        "Icon map cannot be deleted. Used in maps {}.",
    ],
};

/// Pixels from the left or top.
const PLACE: FieldType = FieldType::Int { min: 0, max: 65_535 };
const SIZE: FieldType = FieldType::Int { min: 1, max: 65_535 };
/// Six hexadecimal digits.
const COLOR: FieldType = FieldType::Text { max: 6 };
const LEVEL: FieldType = FieldType::Int { min: -2_147_483_648, max: 2_147_483_647 };

const fn text(max: usize) -> FieldType {
    FieldType::Text { max }
}

/// An id of a part: kept as long as the part is given by it.
const fn part_id(name: &'static str) -> Field {
    Field::new(name, FieldType::Id, Rule::Optional, "Id").of_part()
}

const fn icon(name: &'static str, doc: &'static str) -> Field {
    Field::new(name, FieldType::Id, Rule::Default("0"), doc).of(ICON)
}

const TARGET: &[Field] = &[
    Field::new("hostid", FieldType::Id, Rule::Optional, "Host"),
    Field::new("sysmapid", FieldType::Id, Rule::Optional, "Map"),
    Field::new("triggerid", FieldType::Id, Rule::Optional, "Trigger"),
    Field::new("groupid", FieldType::Id, Rule::Optional, "Host group"),
];

/// An address of an element.
pub const ELEMENT_URL: &[Field] = &[
    part_id("sysmapelementurlid"),
    Field::new("name", text(255), Rule::Required, "Name"),
    Field::new("url", text(2_048), Rule::Required, "Address; macros are expanded"),
];

pub(crate) const ELEMENT_TAG: &[Field] = &[
    Field::new("tag", text(255), Rule::Required, "Name of the tag"),
    Field::new("value", text(255), Rule::Default(""), "Value"),
    Field::new(
        "operator",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Default("0"),
        "0 contains, 1 equals, 2 does not contain, 3 does not equal, 4 exists, 5 does not exist",
    ),
];

/// An element of a map.
pub const ELEMENT: &[Field] = &[
    part_id("selementid"),
    Field::new(
        "elementtype",
        FieldType::Code(&[0, 1, 2, 3, 4]),
        Rule::Default("0"),
        "0 host, 1 map, 2 trigger, 3 host group, 4 image",
    ),
    Field::new(
        "elements",
        FieldType::List(TARGET),
        Rule::Optional,
        "What it stands for; several triggers, one of anything else",
    ),
    Field::new("iconid_off", FieldType::Id, Rule::Required, "Icon").of(ICON),
    icon("iconid_on", "Icon with problems; 0: `iconid_off`, as for the next two"),
    icon("iconid_disabled", "Icon of what is disabled"),
    icon("iconid_maintenance", "Icon in maintenance"),
    Field::new("label", text(2_048), Rule::Default(""), "Label; macros are expanded"),
    Field::new(
        "label_location",
        FieldType::Code(&[-1, 0, 1, 2, 3]),
        Rule::Default("-1"),
        "-1 as the map says, 0 bottom, 1 left, 2 right, 3 top",
    ),
    SHOW_LABEL,
    Field::new("x", PLACE, Rule::Default("0"), "Pixels from the left"),
    Field::new("y", PLACE, Rule::Default("0"), "Pixels from the top"),
    Field::new(
        "elementsubtype",
        FLAG,
        Rule::Default("0"),
        "Of a host group: 0 one element, 1 each of its hosts",
    ),
    Field::new("areatype", FLAG, Rule::Default("0"), "Of a host group: 0 the whole map, 1 an area"),
    Field::new("width", SIZE, Rule::Default("200"), "Of the area"),
    Field::new("height", SIZE, Rule::Default("200"), "Of the area"),
    Field::new("viewtype", FieldType::Code(&[0]), Rule::Default("0"), "0 hosts stand in a grid"),
    Field::new(
        "use_iconmap",
        FLAG,
        Rule::Default("1"),
        "Of a host: by the icon map, if there is one",
    ),
    Field::new("evaltype", FieldType::Code(&[0, 2]), Rule::Default("0"), "Of tags: 0 and/or, 2 or"),
    Field::new("tags", FieldType::List(ELEMENT_TAG), Rule::Optional, "Problems that count"),
    Field::new("urls", FieldType::List(ELEMENT_URL), Rule::Optional, "Addresses in its menu"),
    Field::new("zindex", LEVEL, Rule::Default("0"), "Higher ones are drawn above"),
    Field::new(
        "permission",
        FieldType::Int { min: -1, max: 3 },
        Rule::Optional,
        "Answered only: -1 the caller may not see it, 2 may read it, 3 may write it",
    ),
];

/// A trigger that colors a link.
pub const LINK_TRIGGER: &[Field] = &[
    part_id("linktriggerid").until(Version::V7_2),
    Field::new("triggerid", FieldType::Id, Rule::Required, "Trigger"),
    Field::new("color", COLOR, Rule::Default("DD0000"), "While it is a problem"),
    DRAW_TYPE,
];

const DRAW_TYPE: Field = Field::new(
    "drawtype",
    FieldType::Code(&[0, 2, 3, 4]),
    Rule::Default("0"),
    "0 line, 2 bold line, 3 dotted line, 4 dashed line",
);

const SHOW_LABEL: Field = Field::new(
    "show_label",
    FieldType::Code(&[-1, 0, 1]),
    Rule::Default("-1"),
    "-1 as the map says, 0 when pointed at, 1 always",
);

pub(crate) const LINK_THRESHOLD: &[Field] = &[
    Field::new("threshold", text(255), Rule::Required, "Number, with a suffix or without")
        .or_number(),
    Field::new("color", COLOR, Rule::Default("DD0000"), "From this value on"),
    DRAW_TYPE,
];

pub(crate) const LINK_HIGHLIGHT: &[Field] = &[
    Field::new("pattern", text(255), Rule::Required, "Regular expression"),
    Field::new("color", COLOR, Rule::Default("DD0000"), "While the value matches"),
    DRAW_TYPE,
];

/// A link between two elements.
pub const LINK: &[Field] = &[
    part_id("linkid"),
    Field::new("selementid1", FieldType::Id, Rule::Required, "First element"),
    Field::new("selementid2", FieldType::Id, Rule::Required, "Second element"),
    Field::new("color", COLOR, Rule::Default("000000"), "Without problems"),
    DRAW_TYPE,
    Field::new("label", text(2_048), Rule::Default(""), "Label; macros are expanded"),
    SHOW_LABEL,
    Field::new(
        "indicator_type",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "What it looks like by: 0 nothing, 1 triggers, 2 the value of an item; with `linktriggers` alone it is 1",
    ),
    Field::new(
        "linktriggers",
        FieldType::List(LINK_TRIGGER),
        Rule::Optional,
        "Triggers that show on it; the one of the worst problem counts",
    ),
    Field::new("itemid", FieldType::Id, Rule::Default("0"), "The item of indicator 2; 0 none"),
    Field::new(
        "thresholds",
        FieldType::List(LINK_THRESHOLD),
        Rule::Optional,
        "Of a numeric item: the highest that the value has reached counts",
    ),
    Field::new(
        "highlights",
        FieldType::List(LINK_HIGHLIGHT),
        Rule::Optional,
        "Of an item of another type: the first that the value matches counts",
    ),
    Field::new("permission", FieldType::Int { min: -1, max: 3 }, Rule::Optional, "As of elements"),
];

/// An address of all elements of a kind.
pub const MAP_URL: &[Field] = &[
    part_id("sysmapurlid"),
    Field::new("name", text(255), Rule::Required, "Name"),
    Field::new("url", text(2_048), Rule::Required, "Address; macros are expanded"),
    Field::new(
        "elementtype",
        FieldType::Code(&[0, 1, 2, 3, 4]),
        Rule::Default("0"),
        "Elements that have it: 0 hosts, 1 maps, 2 triggers, 3 host groups, 4 images",
    ),
];

const LINE_TYPE: FieldType = FieldType::Code(&[0, 1, 2, 3]);
const LINE_WIDTH: FieldType = FieldType::Int { min: 0, max: 50 };

/// A shape.
pub const SHAPE: &[Field] = &[
    part_id("sysmap_shapeid"),
    Field::new("type", FieldType::Code(&[0, 1]), Rule::Default("0"), "0 rectangle, 1 ellipse"),
    Field::new("x", PLACE, Rule::Default("0"), "Pixels from the left"),
    Field::new("y", PLACE, Rule::Default("0"), "Pixels from the top"),
    Field::new("width", SIZE, Rule::Default("200"), "Pixels"),
    Field::new("height", SIZE, Rule::Default("200"), "Pixels"),
    Field::new("text", text(65_535), Rule::Default(""), "Text; macros are expanded"),
    Field::new(
        "font",
        FieldType::Int { min: 0, max: 12 },
        Rule::Default("9"),
        "0 to 8 with serifs or of pictures of them, 9 to 11 without serifs, 12 of one width",
    ),
    Field::new("font_size", FieldType::Int { min: 1, max: 250 }, Rule::Default("11"), "Pixels"),
    Field::new("font_color", COLOR, Rule::Default("000000"), "Of the text"),
    Field::new(
        "text_halign",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 center, 1 left, 2 right",
    ),
    Field::new(
        "text_valign",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 middle, 1 top, 2 bottom",
    ),
    Field::new("border_type", LINE_TYPE, Rule::Default("0"), "0 none, 1 line, 2 dotted, 3 dashed"),
    Field::new("border_width", LINE_WIDTH, Rule::Default("0"), "Pixels"),
    Field::new("border_color", COLOR, Rule::Default("000000"), "Of the border"),
    Field::new("background_color", COLOR, Rule::Default(""), "Empty: transparent"),
    Field::new("zindex", LEVEL, Rule::Default("0"), "Higher ones are drawn above"),
];

/// A line.
pub const LINE: &[Field] = &[
    part_id("sysmap_shapeid"),
    Field::new("x1", PLACE, Rule::Default("0"), "Pixels from the left"),
    Field::new("y1", PLACE, Rule::Default("0"), "Pixels from the top"),
    Field::new("x2", PLACE, Rule::Default("200"), "Pixels from the left"),
    Field::new("y2", PLACE, Rule::Default("200"), "Pixels from the top"),
    Field::new("line_type", LINE_TYPE, Rule::Default("0"), "0 none, 1 line, 2 dotted, 3 dashed"),
    Field::new("line_width", LINE_WIDTH, Rule::Default("0"), "Pixels"),
    Field::new("line_color", COLOR, Rule::Default("000000"), "Color"),
    Field::new("zindex", LEVEL, Rule::Default("0"), "Higher ones are drawn above"),
];

const PERMISSION: FieldType = FieldType::Code(&[2, 3]);
const USER: &[Field] = &[
    Field::new("userid", FieldType::Id, Rule::Required, "User"),
    Field::new("permission", PERMISSION, Rule::Required, "2 read, 3 write"),
];
const USER_GROUP: &[Field] = &[
    Field::new("usrgrpid", FieldType::Id, Rule::Required, "User group"),
    Field::new("permission", PERMISSION, Rule::Required, "2 read, 3 write"),
];

const SHOW_LABELS: &str = "0 when pointed at, 1 always";

const fn label_type(name: &'static str, doc: &'static str) -> Field {
    Field::new(name, FieldType::Code(&[0, 1, 2, 3, 4, 5]), Rule::Default("2"), doc)
}

const fn label_string(name: &'static str, doc: &'static str) -> Field {
    Field::new(name, text(255), Rule::Default(""), doc)
}

pub(super) const OBJECT: Object = Object {
    name: "map",
    type_name: "NetworkMap",
    nouns: Nouns { one: "a map", several: "maps" },
    resource: Some(19),
    role: RoleRule::one_of(&[UiElement::Maps])
        .needs(NeededAction::ForChanges(RoleAction::EditMaps)),
    writes: Some(Writes { unknown: Unknown::PassedOver, rules_see: RulesSee::Filled, unique: &[] }),
    id: "sysmapid",
    ids: "sysmapids",
    fields: &[
        Field::new("sysmapid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", text(128), Rule::Required, "Name").or_empty(),
        Field::new("width", SIZE, Rule::Required, "Pixels"),
        Field::new("height", SIZE, Rule::Required, "Pixels"),
        Field::new("backgroundid", FieldType::Id, Rule::Default("0"), "Background image; 0 none")
            .of(BACKGROUND),
        Field::new(
            "background_scale",
            FLAG,
            // Clients of 7.0 know no other size than the image's own.
            Rule::Default("0"),
            "0 the image has its own size, 1 it covers the map",
        ),
        Field::new(
            "label_type",
            FieldType::Code(&[0, 1, 2, 3, 4]),
            Rule::Default("2"),
            "What labels show: 0 the label, 1 the address, 2 the name, 3 the status alone, 4 nothing",
        ),
        Field::new(
            "label_location",
            FieldType::Code(&[0, 1, 2, 3]),
            Rule::Default("0"),
            "0 bottom, 1 left, 2 right, 3 top",
        ),
        Field::new("show_element_label", FLAG, Rule::Default("1"), SHOW_LABELS),
        Field::new("show_link_label", FLAG, Rule::Default("1"), SHOW_LABELS),
        Field::new("highlight", FLAG, Rule::Default("1"), "1: what has problems is highlighted"),
        Field::new(
            "expandproblem",
            FieldType::Code(&[0, 1, 2]),
            Rule::Default("1"),
            "0 the number of problems, 1 the problem's name if there is one, 2 the number and the worst one",
        ),
        Field::new("markelements", FLAG, Rule::Default("0"), "1: what changed lately is marked"),
        Field::new(
            "show_unack",
            FieldType::Code(&[0, 1, 2]),
            Rule::Default("0"),
            "Problems that labels count: 0 all, 1 unacknowledged ones, 2 both, separately",
        ),
        Field::new(
            "grid_size",
            FieldType::Code(&[20, 40, 50, 75, 100]),
            Rule::Default("50"),
            "Pixels",
        ),
        Field::new("grid_show", FLAG, Rule::Default("1"), "1: the editor shows the grid"),
        Field::new("grid_align", FLAG, Rule::Default("1"), "1: the editor aligns elements to it"),
        Field::new(
            "label_format",
            FLAG,
            Rule::Default("0"),
            "1: the next five say what labels show, kind by kind",
        ),
        label_type("label_type_host", "As `label_type`, or 5: a text, of host elements"),
        label_type("label_type_hostgroup", "Of host group elements; no address"),
        label_type("label_type_trigger", "Of trigger elements; no address"),
        label_type("label_type_map", "Of map elements; no address"),
        label_type("label_type_image", "Of images; no address, no status"),
        label_string("label_string_host", "The text, of host elements"),
        label_string("label_string_hostgroup", "The text, of host group elements"),
        label_string("label_string_trigger", "The text, of trigger elements"),
        label_string("label_string_map", "The text, of map elements"),
        label_string("label_string_image", "The text, of images"),
        Field::new("iconmapid", FieldType::Id, Rule::Default("0"), "Icon map; 0 none").of(ICON_MAP),
        Field::new("expand_macros", FLAG, Rule::Default("0"), "1: the editor expands macros"),
        Field::new(
            "severity_min",
            FieldType::Code(&[0, 1, 2, 3, 4, 5]),
            Rule::Default("0"),
            "The least severity of problems that count",
        ),
        Field::new("userid", FieldType::Id, Rule::Optional, "Owner; who makes it if left out"),
        Field::new("private", FLAG, Rule::Default("1"), "0: all users see it"),
        Field::new(
            "show_suppressed",
            FLAG,
            Rule::Default("0"),
            "1: suppressed problems count, too",
        ),
        Field::new("selements", FieldType::List(ELEMENT), Rule::Optional, "Elements"),
        Field::new("links", FieldType::List(LINK), Rule::Optional, "Links between elements"),
        Field::new("shapes", FieldType::List(SHAPE), Rule::Optional, "Shapes"),
        Field::new("lines", FieldType::List(LINE), Rule::Optional, "Lines"),
        Field::new(
            "urls",
            FieldType::List(MAP_URL),
            Rule::Optional,
            "Addresses in elements' menus",
        ),
        Field::new("users", FieldType::List(USER), Rule::Optional, "Users that it is shared with"),
        Field::new(
            "userGroups",
            FieldType::List(USER_GROUP),
            Rule::Optional,
            "User groups that it is shared with",
        ),
    ],
    selects: &[
        Select::new("selectSelements", "selements", Gives::Parts(ELEMENT)),
        Select::new("selectLinks", "links", Gives::Parts(LINK)),
        Select::new("selectShapes", "shapes", Gives::Parts(SHAPE)),
        Select::new("selectLines", "lines", Gives::Parts(LINE)),
        Select::new("selectUrls", "urls", Gives::Parts(MAP_URL)),
        Select::new("selectUsers", "users", Gives::Parts(USER)),
        Select::new("selectUserGroups", "userGroups", Gives::Parts(USER_GROUP)),
        Select::new("selectIconMap", "iconmap", Gives::Object("iconmap")),
    ],
    params: Params::of(&["sysmapids", "userids", "expandUrls"]),
    sort: &["sysmapid", "name", "width", "height"],
    doc: "Elements for hosts, groups, triggers and maps, with the links between them",
};
