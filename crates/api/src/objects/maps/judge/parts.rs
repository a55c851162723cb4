//! Elements, links between them, shapes and lines.

use db::objects::map::{
    ELEMENT, ELEMENT_URL, IMAGE, LINE, LINK, LINK_TRIGGER, MAP_URL, SHAPE, TRIGGER, target_field,
};
use model::document::Body;
use model::field_path::FieldPath;
use model::map::Set;
use serde_json::{Value, json};

use super::fields::{address, color};
use super::wanted::{WRONG_ARGUMENTS, Wanted, is_blank, no_permissions, objects};
use crate::describe::{Field, FieldType, Rule};
use crate::error::ApiError;
use crate::json::Fields;
use crate::objects::maps::rights;
use crate::query::given::text;
use crate::shared::Ctx;
use crate::validate::{self, as_columns};

const LABEL_MAX: usize = 2_048;
const IS_LONG: &str = "Incorrect value for field \"label\": value is too long.";
/// Sides of shapes and ends of lines.
const SIZE: &str = "200";
const SHAPE_ID: &str = "sysmap_shapeid";
/// The fields of shapes whose errors come after those of all others.
const CHECKED_LAST: [&str; 3] = ["font_color", "text", "zindex"];

/// The conditions of an element. The operator is a text, or a number as the manual has it.
const TAG: &[Field] = &[
    Field::new("tag", FieldType::Text { max: 255 }, Rule::Required, ""),
    Field::new("value", FieldType::Text { max: 255 }, Rule::Default(""), ""),
    Field::new("operator", FieldType::Text { max: 1 }, Rule::Default("0"), "")
        .words(&["0", "1", "2", "3", "4", "5"])
        .or_number(),
];
const TAGGED: &[Field] = &[
    Field::new("evaltype", FieldType::Code(&[0, 2]), Rule::Default("0"), ""),
    Field::new("tags", FieldType::List(TAG), Rule::Optional, "").unique(&[&["tag", "value"]]),
];

fn wrong<T>(what: impl Into<String>) -> Result<T, ApiError> {
    Err(ApiError::params(what.into()))
}

/// Elements and ends of links, before anything is made.
pub(super) fn of_new_map(ctx: &Ctx, map: &Wanted, at: usize) -> Result<(), ApiError> {
    let elements = map.objects("selements")?;
    for it in &elements {
        may_show(ctx, it)?;
    }
    tags(&elements, at)?;
    ends(map)
}

pub(super) fn of_known_map(map: &Wanted, at: usize) -> Result<(), ApiError> {
    let elements = map.objects("selements")?;
    tags(&elements, at)?;
    ends(map)
}

/// The object of an element exists, and the caller may see it.
fn may_show(ctx: &Ctx, element: &Fields) -> Result<(), ApiError> {
    let kind = element.get("elementtype").map(text).unwrap_or_default();
    let Some(field) = kind.parse().ok().and_then(target_field) else { return Ok(()) };
    let targets = element.get("elements").map_or_else(|| Ok(Vec::new()), objects)?;
    let ids: Option<Vec<u64>> =
        targets.iter().map(|it| it.get(field).and_then(|it| text(it).parse().ok())).collect();
    let ids = ids.filter(|it| !it.is_empty()).ok_or_else(ApiError::no_permissions)?;
    let written: Vec<Value> = ids.iter().map(|it| json!({ field: it.to_string() })).collect();
    let element = Body::from_iter([
        ("elementtype".to_owned(), kind.into()),
        ("elements".to_owned(), Value::Array(written)),
    ]);
    if rights::of_element(ctx, &element) < rights::READ {
        return Err(ApiError::no_permissions());
    }
    Ok(())
}

fn tags(elements: &[&Fields], at: usize) -> Result<(), ApiError> {
    for (n, element) in elements.iter().enumerate() {
        if !element.contains_key("tags") {
            continue;
        }
        let path = FieldPath::object(at).member("selements").element(n);
        let names = ["evaltype", "tags"];
        let given =
            names.iter().filter_map(|it| Some(((*it).to_owned(), element.get(*it)?.clone())));
        validate::part(TAGGED, &Value::Object(given.collect()), &path)?;
    }
    Ok(())
}

/// Links are between elements that are there.
fn ends(map: &Wanted) -> Result<(), ApiError> {
    let elements = map.objects("selements")?;
    let known: Set<String> =
        elements.iter().filter_map(|it| it.get("selementid")).map(text).collect();
    for link in map.objects("links")? {
        for end in ["selementid1", "selementid2"] {
            let id = link.get(end).map(text).unwrap_or_default();
            if !known.contains(&id) {
                return wrong(format!(
                    "Link \"{end}\" field is pointing to a nonexistent map selement ID \"{id}\" for map \"{}\".",
                    map.name()
                ));
            }
        }
    }
    Ok(())
}

/// Shapes and lines are within the map.
pub(super) fn shapes(map: &Wanted, at: usize) -> Result<(), ApiError> {
    let side = |name: &str| -> i64 {
        let size = map.get(name).map(text).unwrap_or_default();
        size.split('.').next().and_then(|it| it.parse().ok()).unwrap_or_default()
    };
    let (width, height) = (side("width"), side("height"));
    for (list, name, fields, sized) in
        [("shapes", "shape", SHAPE, ["width", "height"]), ("lines", "line", LINE, ["x2", "y2"])]
    {
        let Some(given) = map.given.get(list) else { continue };
        let known: Set<String> =
            map.old_parts(list).filter_map(|it| it.get(SHAPE_ID)).map(text).collect();
        let path = FieldPath::object(at).member(name);
        for (n, shape) in objects(given)?.into_iter().enumerate() {
            let mut shape = shape.clone();
            for side in sized {
                shape.entry(side).or_insert_with(|| SIZE.into());
            }
            let id = shape.get(SHAPE_ID).map(text);
            let is_known = id.as_ref().is_some_and(|it| known.contains(it));
            if id.is_some() && !is_known && map.old.is_some() {
                return Err(no_permissions());
            }
            let known = fields.iter().filter(|it| is_known || it.name != SHAPE_ID);
            let mut narrowed: Vec<Field> =
                known.map(|it| narrowed(it, width, height, is_known)).collect();
            narrowed.sort_by_key(|it| CHECKED_LAST.iter().position(|name| *name == it.name));
            validate::part(&narrowed, &Value::Object(shape), &path.element(n))?;
        }
    }
    Ok(())
}

/// Within the map.
fn narrowed(field: &Field, width: i64, height: i64, is_known: bool) -> Field {
    let kind = match field.name {
        "x" | "x1" | "x2" => FieldType::Int { min: 0, max: width },
        "y" | "y1" | "y2" => FieldType::Int { min: 0, max: height },
        "width" => FieldType::Int { min: 1, max: width },
        "height" => FieldType::Int { min: 1, max: height },
        _ => field.kind,
    };
    let rule = if field.name == "type" && !is_known { Rule::Required } else { field.rule };
    Field { kind, rule, ..*field }
}

/// Rules for new parts, including those of the columns of their tables.
pub(super) fn finish(ctx: &Ctx, map: &Wanted, made: &mut Fields) -> Result<(), ApiError> {
    replace(made, map, "urls", |it| as_columns(MAP_URL, it))?;
    if map.given.contains_key("selements") {
        let mut elements = Vec::new();
        for it in map.objects("selements")? {
            let id = it.get("selementid").map(text);
            let old = map
                .old_parts("selements")
                .find(|old| id.is_some() && old.get("selementid").map(text) == id);
            elements.push(element(it, old)?);
        }
        for it in &elements {
            may_show(ctx, it)?;
        }
        for it in &mut elements {
            *it = as_columns(ELEMENT, it)?;
            parts_of(it, "urls", |it| as_columns(ELEMENT_URL, it))?;
        }
        let written = elements.into_iter().map(Value::Object).collect();
        made.insert("selements".to_owned(), Value::Array(written));
    }
    replace(made, map, "links", link)?;
    if map.given.contains_key("links") {
        let mut links = Vec::new();
        for it in map.objects("links")? {
            let mut it = as_columns(LINK, it)?;
            parts_of(&mut it, "linktriggers", link_trigger)?;
            links.push(Value::Object(it));
        }
        made.insert("links".to_owned(), Value::Array(links));
    }
    let shapes = [
        ("shapes", &["border_color", "background_color", "font_color"][..]),
        ("lines", &["line_color"]),
    ];
    for (list, names) in shapes {
        if !map.given.contains_key(list) {
            continue;
        }
        for shape in map.objects(list)? {
            let given = names.iter().filter_map(|it| shape.get(*it));
            given.filter(|it| it.as_str() != Some("")).try_for_each(color)?;
        }
    }
    Ok(())
}

/// Checks the objects of a given list, and keeps the results.
fn replace(
    made: &mut Fields,
    map: &Wanted,
    name: &str,
    each: impl Fn(&Fields) -> Result<Fields, ApiError>,
) -> Result<(), ApiError> {
    if !map.given.contains_key(name) {
        return Ok(());
    }
    let mut all = Vec::new();
    for it in map.objects(name)? {
        all.push(Value::Object(each(it)?));
    }
    made.insert(name.to_owned(), Value::Array(all));
    Ok(())
}

/// As [`replace`], of a list of a part.
fn parts_of(
    part: &mut Fields,
    name: &str,
    each: impl Fn(&Fields) -> Result<Fields, ApiError>,
) -> Result<(), ApiError> {
    let Some(given) = part.get(name) else { return Ok(()) };
    let mut all = Vec::new();
    for it in objects(given)? {
        all.push(Value::Object(each(it)?));
    }
    part.insert(name.to_owned(), Value::Array(all));
    Ok(())
}

/// An element with its previous fields where they are not given.
fn element(given: &Fields, old: Option<&Body>) -> Result<Fields, ApiError> {
    let mut element = given.clone();
    for name in ["elementtype", "elements"] {
        if let Some(it) = old.and_then(|it| it.get(name)) {
            element.entry(name).or_insert_with(|| it.clone());
        }
    }
    let needed = ["elementtype", "iconid_off"].into_iter();
    let missing: Vec<&str> = needed.filter(|it| !element.contains_key(*it)).collect();
    if old.is_none() && !missing.is_empty() {
        return wrong(format!("Map element is missing parameters: {}", missing.join(", ")));
    }
    if element.get("label").is_some_and(|it| LABEL_MAX < text(it).chars().count()) {
        return wrong(IS_LONG);
    }
    if let Some(urls) = element.get("urls") {
        objects(urls)?.into_iter().try_for_each(address)?;
    }
    let kind = element.get("elementtype").map(text).unwrap_or_default();
    let Some(kind) = kind.parse().ok().filter(|it| (0..=IMAGE).contains(it)) else {
        return wrong(
            "Incorrect value for field \"elementtype\": value must be one of 0, 1, 2, 3, 4.",
        );
    };
    match target_field(kind) {
        None => drop(element.remove("elements")),
        Some(field) => targets(&element, kind, field)?,
    }
    if element.get("iconid_off").is_some_and(|it| text(it) == "0" || is_blank(it)) {
        let label = element.get("label").map(text).unwrap_or_default();
        return wrong(format!("No icon for map element \"\"{label}\"."));
    }
    Ok(element)
}

/// The objects of an element: several triggers, one of any other kind.
fn targets(element: &Fields, kind: i64, field: &str) -> Result<(), ApiError> {
    let missing = |name: &str| wrong(format!("Map element is missing parameters: {name}"));
    let Some(given) = element.get("elements") else { return missing("elements") };
    let Some(all) = validate::elements(given, false) else { return wrong(WRONG_ARGUMENTS) };
    if all.is_empty() {
        return wrong("Incorrect value for field \"elements\": cannot be empty.");
    }
    let n_judged = if kind == TRIGGER { all.len() } else { 1 };
    for target in &all[..n_judged] {
        let Value::Object(target) = target else { return wrong(WRONG_ARGUMENTS) };
        match target.get(field) {
            None => return missing(field),
            Some(Value::Array(_) | Value::Object(_)) => return wrong(WRONG_ARGUMENTS),
            Some(it) if is_blank(it) || *it == json!(false) => {
                return wrong(format!("Incorrect value for field \"{field}\": cannot be empty."));
            }
            Some(_) => {}
        }
    }
    if n_judged < all.len() {
        return wrong("Incorrect value for field \"elements\": incorrect element count.");
    }
    Ok(())
}

fn link(given: &Fields) -> Result<Fields, ApiError> {
    let is_there = |it: &&str| given.get(*it).is_some_and(|it| !it.is_null());
    if !["selementid1", "selementid2"].iter().all(is_there) {
        return wrong("Wrong fields for map link.");
    }
    if let Some(it) = given.get("color").filter(|it| !it.is_null()) {
        color(it)?;
    }
    if given.get("label").is_some_and(|it| LABEL_MAX < text(it).chars().count()) {
        return wrong(IS_LONG);
    }
    Ok(given.clone())
}

fn link_trigger(given: &Fields) -> Result<Fields, ApiError> {
    let is_known = given.get("linktriggerid").is_some_and(|it| !it.is_null());
    if !is_known && given.get("triggerid").is_none_or(Value::is_null) {
        return wrong(WRONG_ARGUMENTS);
    }
    if let Some(it) = given.get("color").filter(|it| !it.is_null()) {
        color(it)?;
    }
    as_columns(LINK_TRIGGER, given)
}
