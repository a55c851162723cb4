//! Dashboards of templates: `templatedashboard.*`. Users who may see or change the template may do so with
//! its dashboards.

use db::objects::Stored;
use db::objects::dashboard::TEMPLATE_DASHBOARD;
use model::HostId;
use model::document::Document;
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::Host;
use std::sync::Arc;

use super::widgets;
use crate::error::ApiError;
use crate::json::{Fields, id_of};
use crate::objects::common::document::{DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::shared::Ctx;
use crate::validate::Mode;

const KIND: &str = "templatedashboard";

pub(crate) const SPECIAL: Special = Special {
    may_read: |ctx, it| template(ctx, it).is_some_and(|it| ctx.may_read(it)),
    may_change: |ctx, id| {
        let found = ctx.snapshot.documents.get(KIND, id);
        found.and_then(|it| template(ctx, it)).is_some_and(|it| ctx.may_write(it))
    },
    check,
    candidates,
    ..Special::NOTHING
};

fn template<'a>(ctx: &'a Ctx, row: &Document) -> Option<&'a Arc<Host>> {
    ctx.snapshot.templates.get(&HostId(row.text("templateid").parse().ok()?))
}

fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let templates: Option<Set<u64>> = get.id_set("templateids")?;
    let is_wanted = |it: &Document| {
        template(ctx, it).is_some_and(|of| {
            templates.as_ref().is_none_or(|ids| ids.contains(&of.id.0))
                && (!get.options.editable || ctx.may_write(of))
        })
    };
    let all = ctx.snapshot.documents.of(TEMPLATE_DASHBOARD.object.name);
    Ok(all.filter(|it| is_wanted(it)).cloned().collect())
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    let id = id_of(fields, "dashboardid").unwrap_or_default();
    let old = ctx.snapshot.documents.get(KIND, id);
    let of = match mode {
        Mode::Create => {
            let id = HostId(id_of(fields, "templateid").unwrap_or_default());
            ctx.snapshot.templates.get(&id).filter(|it| ctx.may_write(it))
        }
        Mode::Update => old.and_then(|it| template(ctx, it)),
    };
    let of = of.ok_or_else(ApiError::no_permissions)?;
    widgets::check(ctx, fields, old.map(|it| &**it), Some(of))
}
