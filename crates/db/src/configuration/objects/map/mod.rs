//! Maps: elements that stand for hosts, groups, triggers and other maps, links between them, shapes.
//!
//! Each part has an id of its own; those of elements may be given at creation, for links to name
//! them by (see [`crate::configuration::editor`], which numbers them).

mod check;
mod fields;
mod parts;

use model::content::RoleType;
use model::document::Body;
use serde_json::Value as Json;

pub(crate) use self::check::is_in_itself;
use self::fields::OBJECT;
pub use self::fields::{ELEMENT, ELEMENT_URL, LINE, LINK, LINK_TRIGGER, MAP_URL, SHAPE};
pub(crate) use self::fields::{ELEMENT_TAG, LINK_HIGHLIGHT, LINK_THRESHOLD};
pub(crate) use self::parts::parts_mut;
pub use self::parts::{
    HOST, HOST_GROUP, IMAGE, OF_ITEM, OF_TRIGGERS, SCHEMES, SUBMAP, TRIGGER, link_items,
    link_triggers, list, number, target_field, targets, text,
};
use super::{Edited, Stored};

const SAMPLE: &str = r#"{"name": "Network", "width": "800", "height": "600", "selements": [
    {"selementid": "1", "elementtype": "4", "iconid_off": "10001", "label": "Uplink", "x": "100", "y": "50"},
    {"selementid": "2", "elementtype": "4", "iconid_off": "10001", "label": "Office", "x": "400", "y": "50"}],
    "links": [{"selementid1": "1", "selementid2": "2", "label": "1 Gbit/s"}]}"#;

/// Links had triggers or nothing, labels were always there, and a background had its own size.
fn with_indicators(body: &mut Body) {
    let defaults =
        [("background_scale", "0"), ("show_element_label", "1"), ("show_link_label", "1")];
    for (name, value) in defaults {
        body.entry(name).or_insert_with(|| value.into());
    }
    for element in parts_mut(body, "selements") {
        element.entry("show_label").or_insert_with(|| "-1".into());
    }
    for link in parts_mut(body, "links") {
        let has_triggers = list(link, "linktriggers").next().is_some();
        let kind = if has_triggers { "1" } else { "0" };
        for (name, value) in [("show_label", "-1"), ("indicator_type", kind), ("itemid", "0")] {
            link.entry(name).or_insert_with(|| value.into());
        }
        for name in ["thresholds", "highlights"] {
            link.entry(name).or_insert_with(|| Json::Array(Vec::new()));
        }
    }
}

pub static MAP: Stored = Stored {
    tag: Some("maps"),
    write: RoleType::User,
    check: check::check,
    upgrades: &[with_indicators],
    ..Stored::new(OBJECT, Edited::AsMap, &["name"], "Map \"{}\" already exists.", SAMPLE)
};
