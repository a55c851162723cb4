//! Permission to run tests of objects.

use std::sync::Arc;

use model::content::RoleType;
use model::snapshot::Host;

use crate::error::ApiError;
use crate::json::{Fields, id_of};
use crate::objects::common::access;
use crate::shared::Ctx;

/// The holder of an object that is tested: users who may save it may test it.
pub(super) fn editable<'a>(ctx: &'a Ctx, fields: &Fields) -> Result<&'a Arc<Host>, ApiError> {
    if ctx.caller.identity.role < RoleType::Admin {
        return Err(ApiError::no_permissions());
    }
    access::writable(ctx, id_of(fields, "hostid").unwrap_or_default())
}
