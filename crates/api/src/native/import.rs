//! Import for the pages: as `configuration.import`, with an answer that reports the result.

use db::{ImportFormat, ImportReport};
use model::content::RoleType;
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::json::str_of;
use crate::objects::administration::configuration::{REQUEST, apply, comparison};
use crate::shared::Ctx;
use crate::validate::object_at_root;

pub(super) fn run(ctx: &Ctx, body: &Value) -> Result<Value, ApiError> {
    if ctx.caller.identity.role != RoleType::SuperAdmin {
        return Err(ApiError::no_permissions());
    }
    let fields = object_at_root(REQUEST, body)?;
    let format = ImportFormat::guess(str_of(&fields, "source"));
    let report = apply(ctx, &fields, format)?;
    Ok(report_body(&report))
}

/// The changes of an import, object by object, and its result.
pub(super) fn preview(ctx: &Ctx, body: &Value) -> Result<Value, ApiError> {
    if ctx.caller.identity.role != RoleType::SuperAdmin {
        return Err(ApiError::no_permissions());
    }
    let fields = object_at_root(REQUEST, body)?;
    let format = ImportFormat::guess(str_of(&fields, "source"));
    let comparison = comparison(ctx, &fields, format)?;
    let mut answer = report_body(&comparison.report);
    answer["diff"] = Value::Object(comparison.changes);
    Ok(answer)
}

fn report_body(report: &ImportReport) -> Value {
    let uncollected = report.uncollected.iter().map(|it| {
        json!({"type": it.kind.code().to_string(), "items": it.n_items, "templates": it.templates})
    });
    let changes = report.changes.iter().map(|(list, it)| {
        let counts = json!({"created": it.created, "updated": it.updated, "deleted": it.deleted});
        ((*list).to_owned(), counts)
    });
    json!({
        "templates": report.templates,
        "hosts": report.hosts,
        "changes": changes.collect::<Value>(),
        "left_out": report.kept_for_later,
        "not_collected": uncollected.collect::<Value>(),
    })
}
