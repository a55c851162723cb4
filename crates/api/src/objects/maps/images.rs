//! Images and icon maps: which of them maps are drawn with.

use db::objects::Stored;
use db::objects::map::{list, text};
use model::document::Document;
use model::map::Set;

use super::rights;
use crate::error::ApiError;
use crate::objects::common::document::{DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::shared::Ctx;

pub(crate) const IMAGE: Special = Special { candidates: images, ..Special::NOTHING };
pub(crate) const ICON_MAP: Special = Special { candidates: icon_maps, ..Special::NOTHING };

/// Fields of elements that name images.
const ICONS: [&str; 4] = ["iconid_off", "iconid_on", "iconid_disabled", "iconid_maintenance"];

fn images(ctx: &Ctx, get: &Get<'_>, stored: &Stored) -> Result<DocumentList, ApiError> {
    used(ctx, get, stored, |map, found| {
        found.extend(map.text("backgroundid").parse::<u64>());
        for element in list(&map.body, "selements") {
            found.extend(ICONS.iter().filter_map(|it| text(element, it).parse::<u64>().ok()));
        }
    })
}

fn icon_maps(ctx: &Ctx, get: &Get<'_>, stored: &Stored) -> Result<DocumentList, ApiError> {
    used(ctx, get, stored, |map, found| found.extend(map.text("iconmapid").parse::<u64>()))
}

/// Images that the maps of `sysmapids` use, or all.
fn used(
    ctx: &Ctx,
    get: &Get<'_>,
    stored: &Stored,
    gather: impl Fn(&Document, &mut Set<u64>),
) -> Result<DocumentList, ApiError> {
    let all = ctx.snapshot.documents.of(stored.object.name);
    let Some(maps) = get.ids("sysmapids")? else { return Ok(all.cloned().collect()) };
    let mut found = Set::default();
    for id in maps {
        let map = ctx.snapshot.documents.get("map", id);
        if let Some(map) = map.filter(|it| rights::permission(ctx, it) >= rights::READ) {
            gather(map, &mut found);
        }
    }
    Ok(all.filter(|it| found.contains(&it.id)).cloned().collect())
}
