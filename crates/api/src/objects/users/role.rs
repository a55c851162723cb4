//! User roles: what their description does not say.

use model::RoleId;
use model::content::ServiceAccess;
use model::document::Document;
use serde_json::{Value, json};

use crate::describe::Select;
use crate::json;
use crate::objects::common::document::Special;
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;

pub(crate) const SPECIAL: Special = Special { may_read, select, ..Special::NOTHING };

/// Super admins see all, others their own.
fn may_read(ctx: &Ctx, role: &Document) -> bool {
    ctx.is_super_admin() || ctx.caller.identity.roleid == RoleId(role.id)
}

fn select(ctx: &Ctx, role: &Document, select: &Select, output: &Output) -> Option<Value> {
    match select.param {
        "selectRules" => Some(rules(ctx, role)),
        "selectUsers" => {
            let users = ctx.snapshot.access.users.values();
            let of_role = users.filter(|it| it.roleid == RoleId(role.id));
            Some(ctx.related(select, Related::Users(of_role.collect()), output))
        }
        _ => None,
    }
}

/// All that Zabbix has; of most there is one value yet.
fn rules(ctx: &Ctx, role: &Document) -> Value {
    let access = role.body.get("rules").and_then(|it| it.get("api.access"));
    let of = ctx.snapshot.access.roles.get(&RoleId(role.id));
    let (read, write) =
        of.map(|it| (it.services_read.clone(), it.services_write.clone())).unwrap_or_default();
    json!({
        "ui": [],
        "ui.default_access": "1",
        "services.read.mode": json::flag(read.all),
        "services.read.list": services(&read),
        "services.read.tag": tag(&read),
        "services.write.mode": json::flag(write.all),
        "services.write.list": services(&write),
        "services.write.tag": tag(&write),
        "modules": [],
        "modules.default_access": "1",
        "api.access": access.unwrap_or(&json!("1")),
        "api.mode": "0",
        "api": [],
        "actions": [],
        "actions.default_access": "1",
    })
}

fn services(access: &ServiceAccess) -> Value {
    access.ids.iter().map(|it| json!({"serviceid": it.to_string()})).collect()
}

fn tag(access: &ServiceAccess) -> Value {
    let (tag, value) = access.tag.clone().unwrap_or_default();
    json!({"tag": tag, "value": value})
}
