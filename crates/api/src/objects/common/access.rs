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

/// An object that is named in a list of references, and does not exist for the user.
pub(crate) fn absent(path: impl Into<FieldPath>) -> ApiError {
    let what = "object does not exist, or you have no permissions to it";
    ApiError::field(path, what).of_class(ErrorClass::Application)
}

/// The templates that `templates` and `templates_clear` of an object name. Linked templates that the user cannot
/// see stay linked.
pub(crate) fn check_templates(
    ctx: &Ctx,
    fields: &mut Fields,
    old: Option<&Host>,
    path: &FieldPath,
) -> Result<(), ApiError> {
    let [linked, cleared] = ["templates", "templates_clear"].map(|list| template_ids(fields, list));
    let [of_linked, of_cleared] = ["templates", "templates_clear"].map(|list| path.member(list));
    check_links(ctx, (&linked, &of_linked), (&cleared, &of_cleared))?;
    if let (Some(old), Some(Value::Array(given))) = (old, fields.get_mut("templates")) {
        let unseen = old.templates.iter().filter(|it| readable_template(ctx, it.0).is_err());
        let unseen = unseen.filter(|it| !linked.contains(&it.0) && !cleared.contains(&it.0));
        given.extend(unseen.map(|it| json!({ "templateid": it.to_string() })));
    }
    Ok(())
}

/// The ids of a list of templates.
pub(crate) fn template_ids(fields: &Fields, list: &str) -> Vec<u64> {
    list_of(fields, list).map(|it| id_of(it, "templateid").unwrap_or_default()).collect()
}

/// Templates to link and templates to clear, each with the path of its list.
pub(crate) fn check_links(
    ctx: &Ctx,
    (linked, of_linked): (&[u64], &FieldPath),
    (cleared, of_cleared): (&[u64], &FieldPath),
) -> Result<(), ApiError> {
    for (at, id) in cleared.iter().enumerate() {
        if let Some(other) = linked.iter().position(|it| it == id) {
            let other = of_linked.element(other).member("templateid");
            let what = format!("cannot be specified the value of parameter \"{other}\"");
            return Err(ApiError::field(of_cleared.element(at).member("templateid"), &what));
        }
    }
    for (ids, path) in [(linked, of_linked), (cleared, of_cleared)] {
        if let Some(at) = ids.iter().position(|it| readable_template(ctx, *it).is_err()) {
            return Err(absent(path.element(at)));
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

/// Groups of one kind, as a user may use them.
pub(crate) struct GroupKind {
    may_read: fn(&Ctx, u64) -> bool,
    may_change: fn(&Ctx, u64) -> bool,
    of: fn(&Host) -> Vec<u64>,
}

pub(crate) const HOST_GROUPS: GroupKind = GroupKind {
    may_read: |ctx, id| Permission::Read <= ctx.rights.host_group(GroupId(id)),
    may_change: may_change_host_group,
    of: |it| it.groups.iter().map(|it| it.0).collect(),
};
pub(crate) const TEMPLATE_GROUPS: GroupKind = GroupKind {
    may_read: |ctx, id| Permission::Read <= ctx.rights.template_group(TemplateGroupId(id)),
    may_change: may_change_template_group,
    of: |it| it.template_groups.iter().map(|it| it.0).collect(),
};

/// The groups that an object is put into. Groups that the user may not change stay.
pub(crate) fn check_groups_of(
    ctx: &Ctx,
    fields: &mut Fields,
    old: Option<&Host>,
    kind: &GroupKind,
    path: &FieldPath,
) -> Result<(), ApiError> {
    let given: Vec<u64> =
        list_of(fields, "groups").map(|it| id_of(it, "groupid").unwrap_or_default()).collect();
    check_groups(ctx, kind, &given, &[old], &path.member("groups"))?;
    if let (Some(old), Some(Value::Array(list))) = (old, fields.get_mut("groups")) {
        let kept = (kind.of)(old).into_iter().filter(|it| !(kind.may_change)(ctx, *it));
        let kept = kept.filter(|it| !given.contains(it));
        list.extend(kept.map(|it| json!({ "groupid": it.to_string() })));
    }
    Ok(())
}

/// Groups that holders get, each by its place in the list: the user may change those that a holder has not yet.
pub(crate) fn check_groups(
    ctx: &Ctx,
    kind: &GroupKind,
    given: &[u64],
    holders: &[Option<&Host>],
    path: &FieldPath,
) -> Result<(), ApiError> {
    let has = |of: &Host, id: u64| (kind.of)(of).contains(&id) && (kind.may_read)(ctx, id);
    let is_admitted = |id: u64| {
        (kind.may_change)(ctx, id) || holders.iter().all(|of| of.is_some_and(|of| has(of, id)))
    };
    match given.iter().position(|it| !is_admitted(*it)) {
        Some(at) => Err(absent(path.element(at))),
        None => Ok(()),
    }
}

/// The groups among these that the user may change.
pub(crate) fn changeable_groups(ctx: &Ctx, kind: &GroupKind, ids: &[u64]) -> Vec<u64> {
    ids.iter().copied().filter(|it| (kind.may_change)(ctx, *it)).collect()
}

/// The holder of a rule that the user may change.
pub(crate) fn holder_of_rule(ctx: &Ctx, rule: u64) -> Result<HostId, ApiError> {
    let found = ctx.snapshot.item(ItemId(rule));
    let found = found.filter(|(it, row)| row.flags.has_prototypes() && ctx.may_write(it));
    found.map(|(holder, _)| holder.id).ok_or_else(ApiError::no_permissions)
}
