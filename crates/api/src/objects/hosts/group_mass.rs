//! Changes of the members of many groups at once: `massadd`, `massremove`, `massupdate` of `hostgroup` and
//! `templategroup`.

use db::NotedAs;
use model::snapshot::Host;
use model::{GroupId, TemplateGroupId};
use serde_json::Value;

use crate::describe::{Field, FieldType, Rule};
use crate::error::{ApiError, param};
use crate::method::Method;
use crate::objects::common::access::{self, GroupKind};
use crate::objects::common::crud::answer;
use crate::objects::common::parts::GROUP_REF;
use crate::objects::hosts::mass::{
    HOSTS, TEMPLATES, changeable_hosts, changeable_templates, object, refs, removed, some, to_ids,
};
use crate::objects::hosts::propagate;
use crate::shared::Ctx;
use crate::validate::object_at_root;

/// Of `hostgroup`, in addition to the four.
pub(crate) const HOST_GROUP: &[Method] = &[
    Method::edit("hostgroup.massadd", add_hosts),
    Method::edit("hostgroup.massremove", remove_hosts),
    Method::edit("hostgroup.massupdate", update_hosts),
    propagate::HOST_GROUP,
];
/// Of `templategroup`.
pub(crate) const TEMPLATE_GROUP: &[Method] = &[
    Method::edit("templategroup.massadd", add_templates),
    Method::edit("templategroup.massremove", remove_templates),
    Method::edit("templategroup.massupdate", update_templates),
    propagate::TEMPLATE_GROUP,
];

const GROUPS: Field = Field::new("groups", FieldType::List(GROUP_REF), Rule::Required, "Groups");

/// The groups whose members are replaced, each the user's to change.
fn check_replaced(ctx: &Ctx, kind: &GroupKind, groups: &[u64]) -> Result<(), ApiError> {
    access::check_groups(ctx, kind, groups, &[None], &param("groups"))
}

fn add_hosts(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(&[GROUPS, HOSTS], params)?;
    let (groups, hosts) = (refs(&fields, "groups", "groupid"), refs(&fields, "hosts", "hostid"));
    let found = changeable_hosts(ctx, &hosts, "hosts", Some("groups"))?;
    access::check_groups(ctx, &access::HOST_GROUPS, &groups, &some(&found), &param("groups"))?;
    ctx.edit(|e| e.add_groups(&to_ids(&hosts), &to_ids(&groups)))?;
    Ok(answer("groupids", &groups))
}

/// Groups that are not there, or not the user's, have nothing to lose.
fn remove_hosts(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let [groups, hosts] = removed(object(params)?, ["groupids", "hostids"], 2, &[])?;
    changeable_hosts(ctx, &hosts, "hostids", Some("groups"))?;
    let known = access::changeable_groups(ctx, &access::HOST_GROUPS, &groups);
    ctx.edit(|e| e.remove_groups(&to_ids(&hosts), &to_ids(&known)))?;
    Ok(answer("groupids", &groups))
}

/// The groups have exactly these hosts afterwards, as far as the user may change those that they had.
fn update_hosts(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(&[GROUPS, HOSTS.or_empty()], params)?;
    let (groups, hosts) = (refs(&fields, "groups", "groupid"), refs(&fields, "hosts", "hostid"));
    check_replaced(ctx, &access::HOST_GROUPS, &groups)?;
    changeable_hosts(ctx, &hosts, "hosts", Some("groups"))?;
    let group_ids: Vec<GroupId> = to_ids(&groups);
    // Discovered hosts stay where discovery has put them.
    let is_member = |it: &Host| {
        let is_in = it.groups.iter().any(|it| group_ids.contains(it));
        is_in && !it.is_discovered() && ctx.may_write(it)
    };
    let members = ctx.snapshot.hosts.values().filter(|it| is_member(it));
    let gone: Vec<u64> = members.map(|it| it.id.0).filter(|it| !hosts.contains(it)).collect();
    ctx.edit(|e| {
        if !gone.is_empty() {
            e.remove_groups(&to_ids(&gone), &group_ids)?;
        }
        if hosts.is_empty() { Ok(()) } else { e.add_groups(&to_ids(&hosts), &group_ids) }
    })?;
    Ok(answer("groupids", &groups))
}

fn add_templates(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(&[GROUPS, TEMPLATES], params)?;
    let groups = refs(&fields, "groups", "groupid");
    let templates = refs(&fields, "templates", "templateid");
    let found = changeable_templates(ctx, &templates, "templates")?;
    access::check_groups(ctx, &access::TEMPLATE_GROUPS, &groups, &some(&found), &param("groups"))?;
    ctx.edit(|e| e.add_template_groups(&to_ids(&templates), &to_ids(&groups), NotedAs::Groups))?;
    Ok(answer("groupids", &groups))
}

/// As [`remove_hosts`].
fn remove_templates(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let [groups, templates] = removed(object(params)?, ["groupids", "templateids"], 2, &[])?;
    changeable_templates(ctx, &templates, "templateids")?;
    let known = access::changeable_groups(ctx, &access::TEMPLATE_GROUPS, &groups);
    ctx.edit(|e| e.remove_template_groups(&to_ids(&templates), &to_ids(&known), NotedAs::Groups))?;
    Ok(answer("groupids", &groups))
}

/// The groups have exactly these templates afterwards, as far as the user may change those that they had.
fn update_templates(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(&[GROUPS, TEMPLATES.or_empty()], params)?;
    let groups = refs(&fields, "groups", "groupid");
    let templates = refs(&fields, "templates", "templateid");
    check_replaced(ctx, &access::TEMPLATE_GROUPS, &groups)?;
    changeable_templates(ctx, &templates, "templates")?;
    let group_ids: Vec<TemplateGroupId> = to_ids(&groups);
    let is_member =
        |it: &Host| ctx.may_write(it) && it.template_groups.iter().any(|it| group_ids.contains(it));
    let members = ctx.snapshot.templates.values().filter(|it| is_member(it));
    let gone: Vec<u64> = members.map(|it| it.id.0).filter(|it| !templates.contains(it)).collect();
    ctx.edit(|e| {
        if !gone.is_empty() {
            e.remove_template_groups(&to_ids(&gone), &group_ids, NotedAs::Groups)?;
        }
        if templates.is_empty() {
            Ok(())
        } else {
            e.add_template_groups(&to_ids(&templates), &group_ids, NotedAs::Groups)
        }
    })?;
    Ok(answer("groupids", &groups))
}
