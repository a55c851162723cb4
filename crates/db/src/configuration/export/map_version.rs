//! Which version of the format maps need.

use std::collections::BTreeSet;

use model::document::Body;
use model::snapshot::Snapshot;

use crate::configuration::objects::map::{MAP, OF_ITEM, list, text};
use crate::configuration::objects::names::{MAP_SINCE_7_4, PART_SINCE_7_4, SinceV74};

/// Whether maps have what the format has since 7.4 only.
pub(super) fn are_of_7_4(snapshot: &Snapshot, ids: &BTreeSet<u64>) -> bool {
    let all = snapshot.documents.of(MAP.object.name);
    all.filter(|it| ids.contains(&it.id)).any(|it| {
        let is_new = |of: &Body, fields: &[SinceV74]| {
            fields.iter().any(|(name, _, usual)| text(of, name) != *usual)
        };
        is_new(&it.body, MAP_SINCE_7_4)
            || is_scaled(&it.body)
            || list(&it.body, "selements").any(|it| is_new(it, PART_SINCE_7_4))
            || list(&it.body, "links")
                .any(|it| is_new(it, PART_SINCE_7_4) || text(it, "indicator_type") == OF_ITEM)
    })
}

/// A background had its own size before 7.4; without one it does not matter.
fn is_scaled(of: &Body) -> bool {
    text(of, "backgroundid") != "0" && text(of, "background_scale") != "0"
}
