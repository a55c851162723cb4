//! Import for the pages: as `configuration.import`, with an answer that says what came of it.

use db::ImportFormat;
use model::content::RoleType;
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::json::str_of;
use crate::objects::administration::configuration::{REQUEST, apply};
use crate::shared::Ctx;
use crate::validate::object_at_root;

pub(super) fn run(ctx: &Ctx, body: &Value) -> Result<Value, ApiError> {
    if ctx.caller.identity.role != RoleType::SuperAdmin {
        return Err(ApiError::no_permissions());
    }
    let fields = object_at_root(REQUEST, body)?;
    let format = ImportFormat::guess(str_of(&fields, "source"));
    let report = apply(ctx, &fields, format)?;
    let uncollected = report.uncollected.iter().map(|it| {
        json!({"type": it.kind.code().to_string(), "items": it.n_items, "templates": it.templates})
    });
    Ok(json!({
        "templates": report.templates,
        "left_out": report.kept_for_later,
        "not_collected": uncollected.collect::<Value>(),
    }))
}
