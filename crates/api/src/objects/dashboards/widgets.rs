//! Objects that widgets refer to: they must exist, and the caller must see them.

use db::objects::dashboard::{
    GRAPH, GRAPH_PROTOTYPE, ITEM, ITEM_PROTOTYPE, reference, widget_fields,
};
use model::content::ItemFlags;
use model::document::Document;
use model::snapshot::Host;
use model::{GraphId, GroupId, HostId, ItemId};

use super::visibility::sees_user;
use crate::error::ApiError;
use crate::json::Fields;
use crate::objects::alerting::action;
use crate::objects::common::graphs;
use crate::objects::common::service_rights::service_rights;
use crate::objects::maps::rights;
use crate::shared::Ctx;

/// Objects of these kinds are documents that all users see.
const DOCUMENTS: &[(i64, &str, &str)] = &[(10, "sla", "SLA"), (13, "mediatype", "Media type")];

/// Checks new references; objects that the dashboard refers to already may have been deleted. Widgets of a
/// template's dashboard show its own items and graphs.
pub(crate) fn check(
    ctx: &Ctx,
    fields: &Fields,
    old: Option<&Document>,
    template: Option<&Host>,
) -> Result<(), ApiError> {
    let known: Vec<(i64, u64)> =
        old.map(|it| widget_fields(&it.body).filter_map(reference).collect()).unwrap_or_default();
    for (kind, id) in widget_fields(fields).filter_map(reference) {
        if known.contains(&(kind, id)) {
            continue;
        }
        if let Err(what) = available(ctx, kind, id, template) {
            return Err(ApiError::params(format!("{what} with ID \"{id}\" is not available.")));
        }
    }
    Ok(())
}

fn available(ctx: &Ctx, kind: i64, id: u64, template: Option<&Host>) -> Result<(), &'static str> {
    let snapshot = &ctx.snapshot;
    let is_own = |it: &Host| template.is_none_or(|of| of.id == it.id);
    let (is_there, what) = match kind {
        2 => {
            let is_there = snapshot.host_groups.contains_key(&GroupId(id))
                && ctx.rights.host_group(GroupId(id)) >= db::Permission::Read;
            (is_there, "Host group")
        }
        3 => (snapshot.hosts.get(&HostId(id)).is_some_and(|it| ctx.may_read(it)), "Host"),
        ITEM | ITEM_PROTOTYPE => {
            let is_there = snapshot.item(ItemId(id)).is_some_and(|(of, it)| {
                let is_kind = match it.flags {
                    ItemFlags::Rule | ItemFlags::RulePrototype | ItemFlags::DiscoveredRule => false,
                    it => (it == ItemFlags::Prototype) == (kind == ITEM_PROTOTYPE),
                };
                is_kind && ctx.may_read(of) && is_own(of)
            });
            (is_there, if kind == ITEM { "Item" } else { "Item prototype" })
        }
        GRAPH | GRAPH_PROTOTYPE => {
            let is_there = snapshot.graph(GraphId(id)).is_some_and(|graph| {
                let is_kind = graph.1.is_live() == (kind == GRAPH);
                is_kind && graphs::is_readable(ctx, graph) && is_own(graph.0)
            });
            (is_there, if kind == GRAPH { "Graph" } else { "Graph prototype" })
        }
        11 => (sees_user(ctx, id), "User"),
        8 => {
            let map = snapshot.documents.get("map", id);
            (map.is_some_and(|it| rights::READ <= rights::permission(ctx, it)), "Map")
        }
        9 => (service_rights(ctx).may_read(id), "Service"),
        12 => {
            let action = snapshot.documents.get("action", id);
            (action.is_some_and(|it| action::may_read(ctx, it)), "Action")
        }
        _ => match DOCUMENTS.iter().find(|it| it.0 == kind) {
            Some((_, name, what)) => (snapshot.documents.get(name, id).is_some(), *what),
            None => (false, "Object"),
        },
    };
    if is_there { Ok(()) } else { Err(what) }
}
