//! Which services the caller may read and write.

use db::ServiceRights;

use crate::shared::Ctx;

/// The permissions by the rules of the caller's role.
pub(crate) fn service_rights(ctx: &Ctx) -> ServiceRights<'_> {
    ServiceRights::of_role(&ctx.snapshot, ctx.caller.identity.roleid)
}
