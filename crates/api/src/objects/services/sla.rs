//! Service level agreements: their visibility, and their services.

use std::sync::Arc;

use db::objects::Stored;
use db::objects::sla::{check_numbers, has_service};
use model::content::{RoleType, Tag};
use model::document::Document;
use model::field_path::FieldPath;

use crate::error::ApiError;
use crate::json::{self, Fields, str_of};
use crate::objects::common::document::{DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::objects::common::service_rights::service_rights;
use crate::shared::Ctx;
use crate::validate::Mode;

const KIND: &str = "sla";

pub(crate) const SPECIAL: Special = Special { may_read, check, candidates, ..Special::NOTHING };

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    let old = json::id_of(fields, "slaid").filter(|_| mode == Mode::Update);
    let old = old.and_then(|it| ctx.snapshot.documents.get(KIND, it));
    let name = old.map_or_else(|| str_of(fields, "name"), |it| it.text("name")).to_owned();
    let is_new = |it: &&Arc<Document>| {
        it.text("name") == str_of(fields, "name") && old.is_none_or(|old| old.id != it.id)
    };
    if let Some(other) = ctx.snapshot.documents.of(KIND).find(is_new) {
        return Err(ApiError::params(format!("SLA \"{}\" already exists.", other.text("name"))));
    }
    Ok(check_numbers(fields, &name)?)
}

/// Admins manage them; other users see the agreements of services that they see.
pub(super) fn may_read(ctx: &Ctx, agreement: &Document) -> bool {
    let rights = service_rights(ctx);
    if ctx.rights.kind != RoleType::User || rights.reads_all() {
        return true;
    }
    let mut services = ctx.snapshot.services.iter();
    services.any(|(id, it)| has_service(&agreement.body, &it.tags) && rights.may_read(id))
}

fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let services = get.ids("serviceids")?;
    let conditions = get.conditions("service_tags")?;
    let rights = service_rights(ctx);
    let is_wanted = |it: &Document| {
        let of_services = services.as_ref().is_none_or(|ids| {
            let mut known = ids.iter().filter(|id| rights.may_read(**id));
            known.any(|id| {
                let service = ctx.snapshot.services.get(*id);
                service.is_some_and(|of| has_service(&it.body, &of.tags))
            })
        });
        let tags: Vec<Tag> = json::list_of(&it.body, "service_tags")
            .map(|it| Tag {
                tag: str_of(it, "tag").to_owned(),
                value: str_of(it, "value").to_owned(),
            })
            .collect();
        of_services && (conditions.is_empty() || conditions.matches(&tags))
    };
    let all = ctx.snapshot.documents.of(KIND);
    Ok(all.filter(|it| is_wanted(it)).cloned().collect())
}

/// The agreement of this id, if the user sees it.
pub(super) fn visible(ctx: &Ctx, id: u64) -> Option<&Document> {
    ctx.snapshot.documents.get(KIND, id).map(|it| &**it).filter(|it| may_read(ctx, it))
}
