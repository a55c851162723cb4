//! Reading the parts of a map.

use model::document::Body;
use serde_json::Value as Json;

/// Schemes that addresses in menus may have.
pub const SCHEMES: &[&str] = &["http", "https", "ftp", "file", "mailto", "tel", "ssh"];

/// Kinds of the object that an element stands for.
pub const HOST: i64 = 0;
pub const SUBMAP: i64 = 1;
pub const TRIGGER: i64 = 2;
pub const HOST_GROUP: i64 = 3;
pub const IMAGE: i64 = 4;

/// Indicators of links (`indicator_type`).
pub const OF_TRIGGERS: &str = "1";
pub const OF_ITEM: &str = "2";

/// The objects of a list in a body or in a part of it.
pub fn list<'a>(of: &'a Body, name: &str) -> impl Iterator<Item = &'a Body> {
    let list = of.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Json::as_object)
}

/// A field that is a text; "" if it is none.
#[must_use]
pub fn text<'a>(of: &'a Body, name: &str) -> &'a str {
    of.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// A field that is a code or a number.
#[must_use]
pub fn number(of: &Body, name: &str) -> i64 {
    text(of, name).parse().unwrap_or_default()
}

/// The field that names what an element of a kind stands for; `None` for images.
#[must_use]
pub fn target_field(kind: i64) -> Option<&'static str> {
    match kind {
        HOST => Some("hostid"),
        SUBMAP => Some("sysmapid"),
        TRIGGER => Some("triggerid"),
        HOST_GROUP => Some("groupid"),
        _ => None,
    }
}

/// The objects of an element: their kind and the ids, of which only triggers have several.
#[must_use]
pub fn targets(element: &Body) -> (i64, Vec<u64>) {
    let kind = number(element, "elementtype");
    let Some(field) = target_field(kind) else { return (kind, Vec::new()) };
    let ids = list(element, "elements").filter_map(|it| text(it, field).parse().ok());
    (kind, ids.collect())
}

/// The same, to change them.
pub(crate) fn parts_mut<'a>(of: &'a mut Body, name: &str) -> impl Iterator<Item = &'a mut Body> {
    let list = of.get_mut(name).and_then(Json::as_array_mut);
    list.into_iter().flatten().filter_map(Json::as_object_mut)
}

/// The items whose values color links.
pub fn link_items(body: &Body) -> impl Iterator<Item = u64> {
    let of_items = list(body, "links").filter(|it| text(it, "indicator_type") == OF_ITEM);
    of_items.filter_map(|it| text(it, "itemid").parse().ok())
}

/// The triggers that color a link.
pub fn link_triggers(body: &Body) -> impl Iterator<Item = u64> {
    let triggers = list(body, "links").flat_map(|it| list(it, "linktriggers"));
    triggers.filter_map(|it| text(it, "triggerid").parse().ok())
}
