//! Permissions of a user on objects that fields and parameters name.

use std::sync::Arc;

use db::Permission;
use model::field_path::FieldPath;
use model::snapshot::Host;
use model::{GroupId, HostId, ItemId, TemplateGroupId};
use serde_json::{Value, json};

use crate::error::{ApiError, ErrorClass};
use crate::json::{Fields, id_of, list_of};
use crate::shared::Ctx;

/// A host or template that the user may change.
pub(crate) fn writable(ctx: &Ctx, id: u64) -> Result<&Arc<Host>, ApiError> {
    let holder = ctx.snapshot.holder(HostId(id)).filter(|it| ctx.may_write(it));
    holder.ok_or_else(ApiError::no_permissions)
}

pub(crate) fn may_change_template(ctx: &Ctx, id: u64) -> bool {
    ctx.snapshot.templates.get(&HostId(id)).is_some_and(|it| ctx.may_write(it))
}

/// Templates that `templates` and `templates_clear` name must be readable.
pub(crate) fn check_templates(ctx: &Ctx, fields: &Fields) -> Result<(), ApiError> {
    for list in ["templates", "templates_clear"] {
        for it in list_of(fields, list) {
            readable_template(ctx, id_of(it, "templateid").unwrap_or_default())?;
        }
    }
    Ok(())
}

/// Hosts that `parents` of a host's fields names must be readable. Parents that the user can't see stay.
pub(crate) fn check_parents(ctx: &Ctx, fields: &mut Fields) -> Result<(), ApiError> {
    let is_readable = |it: HostId| ctx.snapshot.hosts.get(&it).is_some_and(|it| ctx.may_read(it));
    let id = |it: &Fields| HostId(id_of(it, "hostid").unwrap_or_default());
    if !list_of(fields, "parents").all(|it| is_readable(id(it))) {
        return Err(ApiError::no_permissions());
    }
    let Some(host) = ctx.snapshot.hosts.get(&id(fields)) else { return Ok(()) };
    if let Some(Value::Array(given)) = fields.get_mut("parents") {
        let unseen = host.parents.iter().filter(|it| !is_readable(**it));
        given.extend(unseen.map(|it| json!({ "hostid": it })));
    }
    Ok(())
}

pub(crate) fn readable_template(ctx: &Ctx, id: u64) -> Result<HostId, ApiError> {
    let template = ctx.snapshot.templates.get(&HostId(id)).filter(|it| ctx.may_read(it));
    template.map(|it| it.id).ok_or_else(ApiError::no_permissions)
}

pub(crate) fn may_change_host_group(ctx: &Ctx, id: u64) -> bool {
    let id = GroupId(id);
    ctx.snapshot.host_groups.contains_key(&id) && Permission::Write <= ctx.rights.host_group(id)
}

pub(crate) fn may_change_template_group(ctx: &Ctx, id: u64) -> bool {
    let id = TemplateGroupId(id);
    ctx.snapshot.template_groups.contains_key(&id)
        && Permission::Write <= ctx.rights.template_group(id)
}

/// The host groups that fields name have to be the user's to write.
pub(crate) fn check_host_groups<'a>(
    ctx: &Ctx,
    mut groups: impl Iterator<Item = &'a Fields>,
) -> Result<(), ApiError> {
    let may = |it: &Fields| may_change_host_group(ctx, id_of(it, "groupid").unwrap_or_default());
    if groups.all(may) { Ok(()) } else { Err(ApiError::no_permissions()) }
}

/// The groups that a host or template is put into, each by its place.
pub(crate) fn check_groups_of(
    fields: &Fields,
    path: &FieldPath,
    may_change: &dyn Fn(u64) -> bool,
) -> Result<(), ApiError> {
    let mut groups = list_of(fields, "groups");
    match groups.position(|it| !may_change(id_of(it, "groupid").unwrap_or_default())) {
        Some(at) => {
            let what = "object does not exist, or you have no permissions to it";
            let path = path.member("groups").element(at);
            Err(ApiError::field(path, what).of_class(ErrorClass::Application))
        }
        None => Ok(()),
    }
}

/// The holder of a rule that the user may change.
pub(crate) fn holder_of_rule(ctx: &Ctx, rule: u64) -> Result<HostId, ApiError> {
    let found = ctx.snapshot.item(ItemId(rule));
    let found = found.filter(|(it, row)| row.flags.has_prototypes() && ctx.may_write(it));
    found.map(|(holder, _)| holder.id).ok_or_else(ApiError::no_permissions)
}
