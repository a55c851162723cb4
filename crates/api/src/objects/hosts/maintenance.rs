//! Maintenances: the rules that their description does not have. A maintenance is visible to users who may
//! read all of its hosts and groups, and changed by users who may write them all.

use std::collections::BTreeSet;

use db::Permission;
use db::objects::Stored;
use db::objects::maintenance::{PERIOD_DEFAULTS, ids_of};
use model::document::Document;
use model::field_path::FieldPath;
use model::map::Set;
use model::version::{Version, Versions};
use model::{GroupId, HostId};
use serde_json::{Value, json};

use crate::describe::{Gives, Select};
use crate::error::ApiError;
use crate::json::{self, Fields, id_of, text};
use crate::objects::common::document::{DocumentList, Special};
use crate::objects::common::scope::{Get, in_groups};
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

pub(crate) const KIND: &str = "maintenance";

pub(crate) const SPECIAL: Special = Special {
    may_read,
    may_change,
    by_new_names,
    finds_first: Some(ApiError::no_permissions),
    ids_as_sent: true,
    check,
    candidates,
    select,
    ..Special::NOTHING
};

/// Versions in which create and update take `hostids` and `groupids`.
const IDS_OF_OLD: Versions = Versions::until(Version::V7_0);

fn has(ctx: &Ctx, of: &Document, permission: Permission) -> bool {
    let host = |it: u64| is_host(ctx, it, permission);
    let group = |it: u64| is_group(ctx, it, permission);
    ids_of(&of.body, "hosts").into_iter().all(host)
        && ids_of(&of.body, "groups").into_iter().all(group)
}

fn is_host(ctx: &Ctx, id: u64, permission: Permission) -> bool {
    let host = ctx.snapshot.hosts.get(&HostId(id));
    host.is_some_and(|it| ctx.is_super_admin() || permission <= ctx.rights.holder(it))
}

fn is_group(ctx: &Ctx, id: u64, permission: Permission) -> bool {
    let id = GroupId(id);
    ctx.snapshot.host_groups.contains_key(&id) && permission <= ctx.rights.host_group(id)
}

pub(crate) fn may_read(ctx: &Ctx, maintenance: &Document) -> bool {
    has(ctx, maintenance, Permission::Read)
}

fn may_change(ctx: &Ctx, id: u64) -> bool {
    let found = ctx.snapshot.documents.get(KIND, id);
    found.is_some_and(|it| has(ctx, it, Permission::Write))
}

/// Older clients give lists of ids: `hostids` and `groupids`. Together with today's lists they are
/// unexpected.
fn by_new_names(params: &Value, version: Version) -> Option<Value> {
    if !IDS_OF_OLD.has(version) {
        return None;
    }
    let mut renamed = params.clone();
    let mut is_renamed = false;
    let objects = match &mut renamed {
        Value::Array(all) => all.as_mut_slice(),
        one => std::slice::from_mut(one),
    };
    for fields in objects.iter_mut().filter_map(Value::as_object_mut) {
        for (older, list, id) in [("hostids", "hosts", "hostid"), ("groupids", "groups", "groupid")]
        {
            if fields.contains_key(list) {
                continue;
            }
            let Some(ids) = fields.remove(older) else { continue };
            let ids = match ids {
                Value::Array(ids) => ids,
                one => vec![one],
            };
            fields.insert(list.to_owned(), ids.into_iter().map(|it| json!({ id: it })).collect());
            is_renamed = true;
        }
    }
    is_renamed.then_some(renamed)
}

/// New hosts and groups, and those that are taken out, have to be the user's to write; conditions on
/// tags go with data collection.
fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    let old = match mode {
        Mode::Create => None,
        Mode::Update => {
            let id = id_of(fields, "maintenanceid").unwrap_or_default();
            ctx.snapshot.documents.get(KIND, id)
        }
    };
    let kind = |it: &Fields| it.get("maintenance_type").and_then(Value::as_str).map(str::to_owned);
    let is_without_data = kind(fields).or_else(|| kind(&old?.body)).as_deref() == Some("1");
    if is_without_data && mode == Mode::Update {
        // Those of before go.
        fields.insert("tags_evaltype".to_owned(), text("0"));
        fields.insert("tags".to_owned(), Value::Array(Vec::new()));
    }
    if let Some(Value::Array(periods)) = fields.get_mut("timeperiods") {
        for it in periods.iter_mut().filter_map(Value::as_object_mut) {
            let is_once = it.get("timeperiod_type").is_none_or(|it| it == "0");
            if is_once && !it.contains_key("start_date") {
                it.insert("start_date".to_owned(), text(ctx.now.clock().to_string()));
            }
        }
    }
    let changed = |list: &str| -> BTreeSet<u64> {
        if !fields.contains_key(list) {
            return BTreeSet::new();
        }
        let new: BTreeSet<u64> = ids_of(fields, list).into_iter().collect();
        let old: BTreeSet<u64> = old.into_iter().flat_map(|it| ids_of(&it.body, list)).collect();
        new.symmetric_difference(&old).copied().collect()
    };
    let may_host = changed("hosts").into_iter().all(|it| is_host(ctx, it, Permission::Write));
    let may_group = changed("groups").into_iter().all(|it| is_group(ctx, it, Permission::Write));
    if may_host && may_group { Ok(()) } else { Err(ApiError::no_permissions()) }
}

/// `hostids` and `groupids` select maintenances by their objects; one of a host is also of its groups. As in
/// Zabbix, one of a group is not found by the hosts in it.
fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let (hosts, groups) = (get.id_set("hostids")?, get.id_set("groupids")?);
    let is_wanted = |it: &Document| {
        let own_hosts = ids_of(&it.body, "hosts");
        let by_host =
            hosts.as_ref().is_none_or(|wanted| own_hosts.iter().any(|it| wanted.contains(it)));
        let by_group = groups.as_ref().is_none_or(|wanted| {
            let of_groups = ids_of(&it.body, "groups").iter().any(|it| wanted.contains(it));
            let hosts = || own_hosts.iter().filter_map(|it| ctx.snapshot.hosts.get(&HostId(*it)));
            of_groups || hosts().any(|it| in_groups(it, wanted))
        });
        by_host && by_group && (!get.options.editable || has(ctx, it, Permission::Write))
    };
    let all = ctx.snapshot.documents.of(KIND);
    Ok(all.filter(|it| is_wanted(it)).cloned().collect())
}

/// The hosts or groups (`list`) of the maintenances of `maintenanceids`; `None`: none is requested.
pub(crate) fn named(get: &Get<'_>, list: &str) -> Result<Option<Set<u64>>, ApiError> {
    let Some(ids) = get.ids("maintenanceids")? else { return Ok(None) };
    let documents = &get.ctx.snapshot.documents;
    let found = ids.into_iter().filter_map(|it| documents.get(KIND, it));
    Ok(Some(found.flat_map(|it| ids_of(&it.body, list)).collect()))
}

fn select(ctx: &Ctx, row: &Document, select: &Select, output: &Output) -> Option<Value> {
    match select.property {
        "groups" | "hostgroups" => {
            Some(ctx.related(select, Related::Groups(ids_of(&row.body, "groups")), output))
        }
        "hosts" => {
            let ids = ids_of(&row.body, "hosts");
            let hosts = ids.iter().filter_map(|it| ctx.snapshot.hosts.get(&HostId(*it)));
            Some(ctx.related(select, Related::Holders(hosts.collect()), output))
        }
        "timeperiods" => {
            let Gives::Parts(fields) = select.gives else { return Some(json!([])) };
            let list = json::list_of(&row.body, "timeperiods");
            Some(json::parts(fields, list, output, |it, field| {
                let default = PERIOD_DEFAULTS.iter().find(|(name, _)| *name == field);
                let default = || text(default.map_or("0", |(_, value)| value));
                it.get(field).cloned().unwrap_or_else(default)
            }))
        }
        _ => None,
    }
}
