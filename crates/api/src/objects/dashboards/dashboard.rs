//! Dashboards of users: `dashboard.*`. Each has an owner, and is public or shared with some.

use db::objects::Stored;
use db::objects::dashboard::{DASHBOARD, list};
use model::document::{Body, Document};
use model::field_path::FieldPath;
use serde_json::Value;

use super::visibility::{sees_group, sees_user};
use super::widgets;
use crate::describe::{Gives, Select};
use crate::error::ApiError;
use crate::json::{self, Fields, id_of, number, str_of, text};
use crate::objects::common::document::{DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::query::Output;
use crate::shared::Ctx;
use crate::validate::Mode;

pub(crate) const SPECIAL: Special = Special {
    may_read: |ctx, it| permission(ctx, it) >= READ,
    may_change: |ctx, id| {
        let found = ctx.snapshot.documents.get(DASHBOARD.object.name, id);
        found.is_some_and(|it| permission(ctx, it) >= WRITE)
    },
    check,
    candidates,
    select,
    field: |_, row, name| (name == "userid").then(|| owner(row)).flatten().map(number),
    ..Special::NOTHING
};

const NONE: i64 = 0;
const READ: i64 = 2;
const WRITE: i64 = 3;

fn owner(row: &Document) -> Option<u64> {
    row.text("userid").parse().ok()
}

/// The caller's permission on a dashboard.
fn permission(ctx: &Ctx, row: &Document) -> i64 {
    let user = ctx.rights.userid;
    if ctx.is_super_admin() || owner(row) == Some(user.0) {
        return WRITE;
    }
    let groups = ctx.snapshot.access.users.get(&user).map(|it| it.groups.clone());
    let groups = groups.unwrap_or_default();
    let of_user = list(&row.body, "users").filter(|it| id_of(it, "userid") == Some(user.0));
    let of_groups = list(&row.body, "userGroups")
        .filter(|it| groups.iter().any(|group| id_of(it, "usrgrpid") == Some(group.0)));
    let shared = of_user.chain(of_groups).filter_map(|it| str_of(it, "permission").parse().ok());
    let public = if row.text("private") == "0" { READ } else { NONE };
    shared.max().unwrap_or(NONE).max(public)
}

fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let wanted = if get.options.editable { WRITE } else { READ };
    let all = ctx.snapshot.documents.of(DASHBOARD.object.name);
    Ok(all.filter(|it| permission(ctx, it) >= wanted).cloned().collect())
}

/// Its owner, the users that it is shared with, and the objects of its widgets.
fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    let caller = ctx.rights.userid;
    let owner = id_of(fields, "userid");
    if mode == Mode::Create && owner.is_none() {
        fields.insert("userid".to_owned(), text(caller.to_string()));
    }
    let id = id_of(fields, "dashboardid").unwrap_or_default();
    let old = ctx.snapshot.documents.get(DASHBOARD.object.name, id);
    let old_owner = old.map_or(caller.0, |it| self::owner(it).unwrap_or_default());
    if let Some(owner) = owner.filter(|it| *it != old_owner) {
        if !ctx.is_super_admin() && owner != caller.0 {
            return Err(ApiError::params("Only super admins can set dashboard owner."));
        }
        if !sees_user(ctx, owner) {
            return Err(not_available("User", owner));
        }
    }
    let hidden = list(fields, "users").filter_map(|it| id_of(it, "userid"));
    if let Some(id) = hidden.into_iter().find(|it| !sees_user(ctx, *it)) {
        return Err(not_available("User", id));
    }
    let hidden = list(fields, "userGroups").filter_map(|it| id_of(it, "usrgrpid"));
    if let Some(id) = hidden.into_iter().find(|it| !sees_group(ctx, *it)) {
        return Err(not_available("User group", id));
    }
    widgets::check(ctx, fields, old.map(|it| &**it), None)
}

/// The users and groups that it is shared with, as far as the caller sees them.
fn select(ctx: &Ctx, row: &Document, select: &Select, output: &Output) -> Option<Value> {
    let Gives::Parts(fields) = select.gives else { return None };
    let is_shown = |it: &&Body| match select.property {
        "users" => id_of(it, "userid").is_some_and(|id| sees_user(ctx, id)),
        "userGroups" => id_of(it, "usrgrpid").is_some_and(|id| sees_group(ctx, id)),
        _ => true,
    };
    let shown = list(&row.body, select.property).filter(is_shown);
    Some(json::parts(fields, shown, output, |it, field| {
        it.get(field).cloned().unwrap_or_else(|| text(""))
    }))
}

fn not_available(what: &str, id: impl std::fmt::Display) -> ApiError {
    ApiError::params(format!("{what} with ID \"{id}\" is not available."))
}
