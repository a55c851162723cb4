//! Service level agreements: who sees them, and which ones are of which services.

use db::objects::Stored;
use db::objects::sla::has_service;
use model::content::{RoleType, Tag};
use model::document::Document;
use serde_json::Value;

use crate::error::ApiError;
use crate::json::{self, str_of};
use crate::objects::common::document::{DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::objects::common::service_rights::service_rights;
use crate::shared::Ctx;

const KIND: &str = "sla";

pub(crate) const SPECIAL: Special = Special { may_read, candidates, ..Special::NOTHING };

/// Admins manage them; others see those of services that they see.
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
    let conditions = get.tags_of("service_tags")?;
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

/// Whether a parameter is given.
pub(super) fn given<'a>(params: &'a super::service::Params, name: &str) -> Option<&'a Value> {
    params.get(name).filter(|it| !it.is_null())
}
