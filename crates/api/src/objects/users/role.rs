//! User roles: what their description does not say.

use db::objects::role::ROLE;
use model::RoleId;
use model::content::User;
use model::document::Document;
use serde_json::{Value, json};

use crate::describe::Select;
use crate::objects::document;
use crate::objects::users::user;
use crate::query::Output;
use crate::shared::Ctx;

/// Super admins see all, others their own.
pub(crate) fn may_read(ctx: &Ctx, role: &Document) -> bool {
    ctx.is_super_admin() || ctx.caller.identity.roleid == RoleId(role.id)
}

pub(crate) fn select(
    ctx: &Ctx,
    role: &Document,
    select: &Select,
    output: &Output,
) -> Option<Value> {
    match select.param {
        "selectRules" => Some(rules(role)),
        "selectUsers" => {
            let users = ctx.snapshot.access.users.values();
            let of_role = users.filter(|it| it.roleid == RoleId(role.id));
            Some(user::related(ctx, of_role, output))
        }
        _ => None,
    }
}

/// All that Zabbix has; of most there is one value yet.
fn rules(role: &Document) -> Value {
    let access = role.body.get("rules").and_then(|it| it.get("api.access"));
    json!({
        "ui": [],
        "ui.default_access": "1",
        "services.read.mode": "1",
        "services.read.list": [],
        "services.read.tag": {"tag": "", "value": ""},
        "services.write.mode": if role.text("type") == "1" { "0" } else { "1" },
        "services.write.list": [],
        "services.write.tag": {"tag": "", "value": ""},
        "modules": [],
        "modules.default_access": "1",
        "api.access": access.unwrap_or(&json!("1")),
        "api.mode": "0",
        "api": [],
        "actions": [],
        "actions.default_access": "1",
    })
}

/// The role of a user.
pub(crate) fn of_user(ctx: &Ctx, user: &User, output: &Output) -> Value {
    document::one(ctx, &ROLE, user.roleid.0, output)
}
