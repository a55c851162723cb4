//! Which images come with maps.

use std::collections::BTreeSet;

use model::document::Body;
use model::snapshot::Snapshot;

use crate::configuration::objects::map::{MAP, list, text};
use crate::configuration::objects::names::MAP_ICONS;

/// The images that maps show: icons of elements and backgrounds.
pub(super) fn images_of(snapshot: &Snapshot, maps: &BTreeSet<u64>) -> BTreeSet<u64> {
    let maps = maps.iter().filter_map(|it| snapshot.documents.get(MAP.object.name, *it));
    let id = |of: &Body, name: &str| text(of, name).parse::<u64>().ok();
    let named = maps.flat_map(|map| {
        let icons = list(&map.body, "selements")
            .flat_map(move |it| MAP_ICONS.iter().filter_map(move |(_, field)| id(it, field)));
        icons.chain(id(&map.body, "backgroundid"))
    });
    named.filter(|it| *it != 0).collect()
}
