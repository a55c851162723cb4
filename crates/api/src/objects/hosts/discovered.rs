//! Discovered hosts: their origin, and their fields that belong to discovery.

use std::sync::Arc;

use model::HostId;
use model::content::{HostStatus, Interface};
use model::snapshot::Host;
use serde_json::{Value, json};

use crate::describe::{Field, FieldType, Rule, joined};
use crate::error::ApiError;
use crate::json::{self, Fields, id_of, list_of, number, str_of};
use crate::objects::common::parts::LOST_AND_DISABLED;
use crate::query::Output;
use crate::shared::Ctx;

/// Where a discovered host comes from.
pub(crate) const DISCOVERY: &[Field] = &joined::<_, 9>(
    &[
        Field::new("hostid", FieldType::Id, Rule::ReadOnly, "The host"),
        Field::new("host", FieldType::Text { max: 128 }, Rule::ReadOnly, "Technical name"),
        Field::new("parent_hostid", FieldType::Id, Rule::ReadOnly, "The prototype"),
        Field::new("parent_itemid", FieldType::Id, Rule::ReadOnly, "The discovery rule"),
    ],
    &LOST_AND_DISABLED,
);

/// Fields of a discovered host that users may change. Parents are Saker's own.
const ALLOWED: &[&str] = &[
    "hostid",
    "status",
    "description",
    "tags",
    "macros",
    "inventory",
    "templates",
    "templates_clear",
    "parents",
];

/// The fields of a discovered host that belong to discovery. They may be given unchanged: clients send back
/// what they got. `shown` gives a field of a host as answers have it.
pub(crate) fn check(
    ctx: &Ctx,
    fields: &Fields,
    shown: fn(&Ctx, &Arc<Host>, &str) -> Option<String>,
) -> Result<(), ApiError> {
    let id = id_of(fields, "hostid").unwrap_or_default();
    let host = ctx.snapshot.hosts.get(&HostId(id)).filter(|it| it.is_discovered());
    let Some(host) = host else { return Ok(()) };
    let is_same = |name: &str| match name {
        "groups" => has_same_groups(host, fields),
        "interfaces" => has_same_interfaces(host, fields),
        _ => shown(ctx, host, name).is_some_and(|it| it == str_of(fields, name)),
    };
    let mut changed = fields.keys().filter(|it| !ALLOWED.contains(&it.as_str()) && !is_same(it));
    match changed.next() {
        None => Ok(()),
        Some(name) => Err(ApiError::params(format!(
            "Cannot update \"{name}\" for a discovered host \"{}\".",
            host.host
        ))),
    }
}

/// An error if one of some hosts was discovered: `what` and its name.
pub(crate) fn refuse(ctx: &Ctx, hosts: &[u64], what: &str) -> Result<(), ApiError> {
    let mut found = hosts.iter().filter_map(|it| ctx.snapshot.hosts.get(&HostId(*it)));
    match found.find(|it| it.is_discovered()) {
        None => Ok(()),
        Some(it) => Err(ApiError::params(format!("{what} \"{}\".", it.host))),
    }
}

fn has_same_groups(host: &Host, fields: &Fields) -> bool {
    let groups: Vec<u64> =
        list_of(fields, "groups").filter_map(|it| id_of(it, "groupid")).collect();
    groups.len() == host.groups.len() && host.groups.iter().all(|it| groups.contains(&it.0))
}

fn has_same_interfaces(host: &Host, fields: &Fields) -> bool {
    let given: Vec<&Fields> = list_of(fields, "interfaces").collect();
    let is_same = |it: &Interface, given: &Fields| {
        [
            ("type", it.kind.code().to_string()),
            ("main", i64::from(it.main).to_string()),
            ("useip", i64::from(it.useip).to_string()),
            ("ip", it.ip.clone()),
            ("dns", it.dns.clone()),
            ("port", it.port.clone()),
        ]
        .iter()
        .all(|(name, own)| !given.contains_key(*name) || str_of(given, name) == own)
    };
    let is_there = |it: &Interface| given.iter().any(|given| is_same(it, given));
    given.len() == host.interfaces.len() && host.interfaces.iter().all(is_there)
}

/// The answer of `selectHostDiscovery`.
pub(crate) fn related(host: &Host, output: &Output) -> Value {
    let Some(found) = &host.discovered else { return json!([]) };
    let lost = found.by.lost();
    json::part(DISCOVERY, output, |field| match field {
        "hostid" => number(host.id),
        "parent_hostid" => number(found.by.prototype),
        "parent_itemid" => number(found.by.rule),
        "host" => json::text(&*host.host),
        "lastcheck" => number(lost.since),
        "status" => json::flag(lost.since != 0),
        "ts_delete" => number(lost.delete_at),
        "ts_disable" => number(lost.disable_at),
        _ => json::flag(lost.disable_at != 0 && host.status == HostStatus::NotMonitored),
    })
}
