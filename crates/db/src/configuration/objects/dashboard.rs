//! Dashboards, of users and of templates: pages of widgets on a grid.
//!
//! The type of a widget, which is not known here, decides what it shows: its fields are stored as
//! they are written, each with its type, and referenced objects have to exist then.

use model::content::{RoleAction, RoleType, UiElement};
use model::describe::{
    Depends, FLAG, Field, FieldType, Gives, NeededAction, Nouns, Object, Params, RoleRule, Rule,
    RulesSee, Select, Unknown, When, Writes,
};
use model::document::Body;
use model::snapshot::Snapshot;
use serde_json::Value as Json;

use super::{Edited, Stored};
use crate::error::{ConfigError, edited};

/// Kinds of values of fields of widgets, and what exports call them.
pub const FIELD_TYPES: &[(&str, i64)] = &[
    ("INTEGER", INTEGER),
    ("STRING", STRING),
    ("HOST_GROUP", 2),
    ("HOST", 3),
    ("ITEM", ITEM),
    ("ITEM_PROTOTYPE", ITEM_PROTOTYPE),
    ("GRAPH", GRAPH),
    ("GRAPH_PROTOTYPE", GRAPH_PROTOTYPE),
    ("MAP", 8),
    ("SERVICE", 9),
    ("SLA", 10),
    ("USER", 11),
    ("ACTION", 12),
    ("MEDIA_TYPE", 13),
];
pub const INTEGER: i64 = 0;
pub const STRING: i64 = 1;
pub const ITEM: i64 = 4;
pub const ITEM_PROTOTYPE: i64 = 5;
pub const GRAPH: i64 = 6;
pub const GRAPH_PROTOTYPE: i64 = 7;

const COLUMNS_MAX: i64 = 72;
const ROWS_MAX: i64 = 64;
const PAGES_MAX: usize = 50;

const WIDGET_FIELD: &[Field] = &[
    Field::new(
        "type",
        FieldType::Code(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]),
        Rule::Required,
        "0 number, 1 text, or the id of a 2 host group, 3 host, 4 item, 5 item prototype, 6 graph, 7 graph \
         prototype, 8 map, 9 service, 10 SLA, 11 user, 12 action, 13 media type",
    ),
    Field::new("name", FieldType::Text { max: 255 }, Rule::Default(""), "Name"),
    Field::new("value", FieldType::Text { max: 2_048 }, Rule::Required, "By the type")
        .or_empty()
        .depends(&Depends::kinds(&[
            (
                When::of("type", &["0"]),
                FieldType::Int { min: i32::MIN as i64, max: i32::MAX as i64 },
            ),
            (
                When::of("type", &["2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"]),
                FieldType::Id,
            ),
        ])),
];

const fn grid(max: i64) -> FieldType {
    FieldType::Int { min: 0, max }
}

const WIDGET: &[Field] = &[
    Field::new("widgetid", FieldType::Id, Rule::ReadOnly, "Id"),
    Field::new("type", FieldType::Text { max: 255 }, Rule::Required, "Kind of widget"),
    Field::new("name", FieldType::Text { max: 255 }, Rule::Default(""), "Heading"),
    Field::new("view_mode", FLAG, Rule::Default("0"), "1: without heading"),
    Field::new("x", grid(COLUMNS_MAX - 1), Rule::Default("0"), "Column, of 72"),
    Field::new("y", grid(ROWS_MAX - 1), Rule::Default("0"), "Row, of 64"),
    Field::new("width", FieldType::Int { min: 1, max: COLUMNS_MAX }, Rule::Default("1"), "Columns"),
    Field::new("height", FieldType::Int { min: 1, max: ROWS_MAX }, Rule::Default("2"), "Rows"),
    Field::new("fields", FieldType::List(WIDGET_FIELD), Rule::Optional, "What it shows, and how"),
];

const PAGE: &[Field] = &[
    Field::new("dashboard_pageid", FieldType::Id, Rule::ReadOnly, "Id"),
    Field::new("name", FieldType::Text { max: 255 }, Rule::Default(""), "Name"),
    Field::new(
        "display_period",
        FieldType::Code(&[0, 10, 30, 60, 120, 600, 1_800, 3_600]),
        Rule::Default("0"),
        "Seconds in a slideshow; 0: as the dashboard says",
    ),
    Field::new("widgets", FieldType::List(WIDGET), Rule::Optional, "Widgets"),
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

const NAME: Field = Field::new("name", FieldType::Text { max: 255 }, Rule::Required, "Name");
const ID: Field = Field::new("dashboardid", FieldType::Id, Rule::ReadOnly, "Id");
const DISPLAY_PERIOD: Field = Field::new(
    "display_period",
    FieldType::Code(&[10, 30, 60, 120, 600, 1_800, 3_600]),
    Rule::Default("30"),
    "Seconds that a page is shown in a slideshow",
);
const AUTO_START: Field =
    Field::new("auto_start", FLAG, Rule::Default("1"), "1: the slideshow starts by itself");
const PAGES: Field =
    Field::new("pages", FieldType::List(PAGE), Rule::Required, "Pages; 50 at most");
const SELECT_PAGES: Select = Select::new("selectPages", "pages", Gives::Parts(PAGE));

const OBJECT: Object = Object {
    name: "dashboard",
    type_name: "Dashboard",
    nouns: Nouns { one: "a dashboard", several: "dashboards" },
    resource: Some(33),
    role: RoleRule::one_of(&[UiElement::Dashboard])
        .needs(NeededAction::ForChanges(RoleAction::EditDashboards)),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "dashboardid",
    ids: "dashboardids",
    fields: &[
        ID,
        NAME,
        Field::new("userid", FieldType::Id, Rule::Optional, "Owner; who makes it if left out"),
        Field::new("private", FLAG, Rule::Default("1"), "0: all users see it"),
        Field::new("users", FieldType::List(USER), Rule::Optional, "Users that it is shared with")
            .unique(&[&["userid"]]),
        Field::new(
            "userGroups",
            FieldType::List(USER_GROUP),
            Rule::Optional,
            "User groups that it is shared with",
        )
        .unique(&[&["usrgrpid"]]),
        DISPLAY_PERIOD,
        AUTO_START,
        PAGES,
    ],
    selects: &[
        SELECT_PAGES,
        Select::new("selectUsers", "users", Gives::Parts(USER)),
        Select::new("selectUserGroups", "userGroups", Gives::Parts(USER_GROUP)),
    ],
    params: Params::of(&["dashboardids"]).strict().found_by(
        &["dashboardid", "name", "userid", "private", "display_period", "auto_start"],
        &["name"],
    ),
    sort: &["dashboardid", "name"],
    doc: "Pages of widgets, of a user",
};

const SAMPLE: &str = r#"{"name": "Servers", "pages": [{"widgets": [
    {"type": "problems", "width": "36", "height": "8", "fields": [
        {"type": "0", "name": "show", "value": "3"}]}]}]}"#;

pub static DASHBOARD: Stored = Stored {
    write: RoleType::User,
    check,
    ..Stored::new(
        OBJECT,
        Edited::AsDashboard,
        &["name"],
        "Dashboard \"{}\" already exists.",
        SAMPLE,
    )
};

/// As errors list them.
const TEMPLATE_OUTPUTS: &[&str] =
    &["dashboardid", "name", "templateid", "display_period", "auto_start", "uuid"];

const TEMPLATE_OBJECT: Object = Object {
    name: "templatedashboard",
    type_name: "TemplateDashboard",
    nouns: Nouns { one: "a template dashboard", several: "template dashboards" },
    resource: Some(43),
    role: RoleRule::one_of(&[UiElement::Templates]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    fields: &[
        ID,
        Field::new("uuid", FieldType::Uuid, Rule::Default(""), "Identity in exports"),
        NAME,
        Field::new("templateid", FieldType::Id, Rule::Required, "Template").fixed(),
        DISPLAY_PERIOD,
        AUTO_START,
        PAGES,
    ],
    selects: &[SELECT_PAGES],
    params: Params::of(&["dashboardids", "templateids", "groupCount"])
        .strict()
        .listed_in_order(TEMPLATE_OUTPUTS)
        .found_by(TEMPLATE_OUTPUTS, &["name"]),
    doc: "Pages of widgets, for each host that links the template",
    ..OBJECT
};

const TEMPLATE_SAMPLE: &str = r#"{"name": "Overview", "templateid": "10002", "pages": [
    {"name": "First"}]}"#;

pub static TEMPLATE_DASHBOARD: Stored = Stored {
    write: RoleType::Admin,
    check,
    ..Stored::new(
        TEMPLATE_OBJECT,
        Edited::AsDashboard,
        &["templateid", "name"],
        "Dashboard \"{}\" already exists.",
        TEMPLATE_SAMPLE,
    )
};

/// The objects of a list in a body.
pub fn list<'a>(of: &'a Body, name: &str) -> impl Iterator<Item = &'a Body> {
    let list = of.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Json::as_object)
}

fn text<'a>(of: &'a Body, name: &str) -> &'a str {
    of.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn number(of: &Body, name: &str) -> i64 {
    text(of, name).parse().unwrap_or_default()
}

/// The fields of all widgets.
pub fn widget_fields(body: &Body) -> impl Iterator<Item = &Body> {
    let widgets = list(body, "pages").flat_map(|it| list(it, "widgets"));
    widgets.flat_map(|it| list(it, "fields"))
}

/// The object that a field refers to: its type and the id; `None` for numbers and texts.
#[must_use]
pub fn reference(field: &Body) -> Option<(i64, u64)> {
    let kind = number(field, "type");
    (kind > STRING).then(|| Some((kind, text(field, "value").parse().ok()?))).flatten()
}

fn check(_: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    let name = text(body, "name");
    let n_pages = list(body, "pages").count();
    if n_pages > PAGES_MAX {
        let what = format!("maximum number of array elements is {PAGES_MAX}");
        return Err(ConfigError::invalid(edited("pages"), what));
    }
    for (at, page) in list(body, "pages").enumerate() {
        check_places(name, page, at + 1)?;
        for (of_widget, widget) in list(page, "widgets").enumerate() {
            for (of_field, field) in list(widget, "fields").enumerate() {
                let value = text(field, "value");
                let what = match field.get("type").and_then(Json::as_str) {
                    Some("0") if value.parse::<i32>().is_err() => "an integer is expected",
                    Some("0" | "1") => continue,
                    _ if value.parse::<u64>().is_err() => "a number is expected",
                    _ => continue,
                };
                let path = edited("pages").element(at).member("widgets").element(of_widget);
                let path = path.member("fields").element(of_field).member("value");
                return Err(ConfigError::invalid(path, what));
            }
        }
    }
    Ok(())
}

/// No widget lies over another one or out of the grid.
fn check_places(name: &str, page: &Body, page_number: usize) -> Result<(), ConfigError> {
    let mut placed: Vec<[i64; 4]> = Vec::new();
    for widget in list(page, "widgets") {
        let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(widget, name));
        let (right, bottom) = (x + width, y + height);
        let overlaps = |[left, top, end, under]: &[i64; 4]| {
            x < *end && *left < right && y < *under && *top < bottom
        };
        if placed.iter().any(overlaps) {
            return Err(ConfigError::parameters(format_args!(
                "Overlapping widgets at X:{x}, Y:{y} on page #{page_number} of dashboard \"{name}\"."
            )));
        }
        if right > COLUMNS_MAX || bottom > ROWS_MAX {
            return Err(ConfigError::parameters(format_args!(
                "Widget at X:{x}, Y:{y} on page #{page_number} of dashboard \"{name}\" is out of bounds."
            )));
        }
        placed.push([x, y, right, bottom]);
    }
    Ok(())
}
