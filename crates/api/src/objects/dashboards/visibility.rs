//! Users and groups that the caller may share a dashboard with: those that the caller sees.

use model::{UserGroupId, UserId};

use crate::objects::users::user;
use crate::shared::Ctx;

/// Whether user.get has a user.
pub(super) fn sees_user(ctx: &Ctx, id: u64) -> bool {
    ctx.snapshot.access.users.get(&UserId(id)).is_some_and(|it| user::is_visible(ctx, it))
}

/// Whether usergroup.get has a group.
pub(super) fn sees_group(ctx: &Ctx, id: u64) -> bool {
    let id = UserGroupId(id);
    let access = &ctx.snapshot.access;
    let is_own = || access.users.get(&ctx.rights.userid).is_some_and(|it| it.groups.contains(&id));
    access.groups.contains_key(&id) && (ctx.is_super_admin() || is_own())
}
