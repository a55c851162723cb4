//! `hostgroup.propagate` and `templategroup.propagate`: the permissions of user groups on a group are set on
//! all groups below it.

use std::collections::BTreeSet;

use db::ObjectKind;
use model::content::{RoleType, UserGroup};
use model::{GroupId, TemplateGroupId};
use serde_json::{Value, json};

use crate::describe::{Field, FieldType, Rule};
use crate::error::ApiError;
use crate::json::{Fields, id_of, list_of};
use crate::method::Method;
use crate::objects::common::access;
use crate::objects::common::crud::answer;
use crate::objects::common::parts::GROUP_REF;
use crate::shared::Ctx;
use crate::validate::object_at_root;

/// Of `hostgroup`.
pub(crate) const HOST_GROUP: Method =
    Method::edit("hostgroup.propagate", of_host_groups).of(RoleType::SuperAdmin);
/// Of `templategroup`.
pub(crate) const TEMPLATE_GROUP: Method =
    Method::edit("templategroup.propagate", of_template_groups).of(RoleType::SuperAdmin);

const GROUPS: Field =
    Field::new("groups", FieldType::List(GROUP_REF), Rule::Required, "Groups above others");
const PERMISSIONS: Field =
    Field::new("permissions", FieldType::Bool, Rule::Optional, "Rights of user groups");
const NEEDED_PERMISSIONS: Field =
    Field::new("permissions", FieldType::Bool, Rule::Required, "Rights of user groups");
const TAG_FILTERS: Field =
    Field::new("tag_filters", FieldType::Bool, Rule::Optional, "Problems that user groups see");

pub(crate) const TO_HOST_GROUPS: &[Field] = &[GROUPS, PERMISSIONS, TAG_FILTERS];
pub(crate) const TO_TEMPLATE_GROUPS: &[Field] = &[GROUPS, NEEDED_PERMISSIONS];

fn is_on(fields: &Fields, flag: &Field) -> bool {
    fields.get(flag.name) == Some(&Value::Bool(true))
}

fn groups_of(fields: &Fields) -> Vec<u64> {
    list_of(fields, GROUPS.name).filter_map(|it| id_of(it, "groupid")).collect()
}

/// A group, and those below it.
struct Above {
    id: u64,
    below: BTreeSet<u64>,
}

/// In the order of names, so that of two groups that are named the lower one has the last word.
fn above<'a>(ids: &[u64], all: impl Iterator<Item = (u64, &'a str)> + Clone) -> Vec<Above> {
    let mut named: Vec<(u64, &str)> = all.clone().filter(|(id, _)| ids.contains(id)).collect();
    named.sort_unstable_by_key(|it| it.1);
    let each = named.into_iter().map(|(id, name)| {
        let prefix = format!("{name}/");
        let below = all.clone().filter(|(_, name)| name.starts_with(&prefix)).map(|it| it.0);
        Above { id, below: below.collect() }
    });
    each.collect()
}

/// The permissions on the groups, by their ids: each group gets those of the one above. `None` if all have
/// them already.
fn handed_down<T: Clone + Ord>(groups: &[Above], had: &[(u64, T)]) -> Option<Vec<(u64, T)>> {
    let mut before = had.to_vec();
    before.sort_unstable();
    let mut had = before.clone();
    for Above { id, below } in groups {
        let own: Vec<T> = had.iter().filter(|it| it.0 == *id).map(|it| it.1.clone()).collect();
        had.retain(|it| !below.contains(&it.0));
        had.extend(below.iter().flat_map(|below| own.iter().map(|it| (*below, it.clone()))));
    }
    had.sort_unstable();
    (had != before).then_some(had)
}

fn rights(groups: &[Above], had: impl Iterator<Item = (u64, i64)>) -> Option<Value> {
    let had: Vec<(u64, i64)> = had.collect();
    let now = handed_down(groups, &had)?.into_iter();
    Some(now.map(|(id, it)| json!({"id": id.to_string(), "permission": it.to_string()})).collect())
}

/// Changes the user groups of which `change` gives something.
fn change_user_groups(
    ctx: &Ctx,
    change: &dyn Fn(&UserGroup) -> Vec<(&'static str, Value)>,
) -> Result<(), ApiError> {
    ctx.edit(|e| {
        for (id, group) in &ctx.snapshot.access.groups {
            let fields: Fields =
                change(group).into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
            if !fields.is_empty() {
                e.update(ObjectKind::UserGroup, id.0, fields)?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

fn of_host_groups(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(TO_HOST_GROUPS, params)?;
    let (permissions, tag_filters) = (is_on(&fields, &PERMISSIONS), is_on(&fields, &TAG_FILTERS));
    if !permissions && !tag_filters {
        let what = "At least one parameter \"permissions\" or \"tag_filters\" must be enabled.";
        return Err(ApiError::params(what));
    }
    let ids = groups_of(&fields);
    if !ids.iter().all(|it| access::may_change_host_group(ctx, *it)) {
        return Err(ApiError::no_permissions());
    }
    let all = ctx.snapshot.host_groups.iter().map(|(id, it): (&GroupId, _)| (id.0, &*it.name));
    let groups = above(&ids, all);
    change_user_groups(ctx, &|it| {
        let mut changed = Vec::new();
        if permissions {
            let had = it.hostgroup_rights.iter().map(|it| (it.id.0, it.permission));
            changed.extend(rights(&groups, had).map(|it| ("hostgroup_rights", it)));
        }
        if tag_filters {
            let had = it.tag_filters.iter().map(|it| (it.groupid.0, (&*it.tag, &*it.value)));
            let had: Vec<(u64, (&str, &str))> = had.collect();
            let now = handed_down(&groups, &had).map(|now| {
                let filter = |(id, (tag, value)): (u64, (&str, &str))| {
                    json!({"groupid": id.to_string(), "tag": tag, "value": value})
                };
                now.into_iter().map(filter).collect()
            });
            changed.extend(now.map(|it| ("tag_filters", it)));
        }
        changed
    })?;
    Ok(answer("groupids", &ids))
}

fn of_template_groups(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(TO_TEMPLATE_GROUPS, params)?;
    if !is_on(&fields, &NEEDED_PERMISSIONS) {
        return Err(ApiError::params("Parameter \"permissions\" must be enabled."));
    }
    let ids = groups_of(&fields);
    if !ids.iter().all(|it| access::may_change_template_group(ctx, *it)) {
        return Err(ApiError::no_permissions());
    }
    let all = ctx.snapshot.template_groups.iter();
    let all = all.map(|(id, it): (&TemplateGroupId, _)| (id.0, &*it.name));
    let groups = above(&ids, all);
    change_user_groups(ctx, &|it| {
        let had = it.templategroup_rights.iter().map(|it| (it.id.0, it.permission));
        rights(&groups, had).map(|it| ("templategroup_rights", it)).into_iter().collect()
    })?;
    Ok(answer("groupids", &ids))
}
