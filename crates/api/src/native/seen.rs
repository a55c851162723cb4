//! When users were last there: `GET /api/v1/users/seen`, for super admins.

use serde_json::{Value, json};

use crate::error::ApiError;
use crate::shared::Ctx;

/// Of users who were ever active; `session` says whether they may still be.
pub(super) fn seen(ctx: &Ctx) -> Result<Value, ApiError> {
    if !ctx.is_super_admin() {
        return Err(ApiError::no_permissions());
    }
    let uses = ctx.db().last_uses().into_iter();
    let users = uses.map(|(user, it)| {
        json!({"userid": user.to_string(), "lastaccess": it.clock, "session": it.has_session})
    });
    Ok(json!({"clock": ctx.now.clock(), "users": users.collect::<Vec<_>>()}))
}
