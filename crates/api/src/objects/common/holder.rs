//! Common parts of hosts and templates.

use std::collections::BTreeSet;
use std::sync::Arc;

use db::Availability;
use model::HostId;
use model::content::{ItemFlags, Tag};
use model::document::Document;
use model::snapshot::{HolderKind, Host, Snapshot};
use serde_json::{Value, json};

use crate::describe::Select;
use crate::objects::common::graphs;
use crate::objects::common::items;
use crate::objects::common::triggers;
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;

/// Selects that hosts and templates answer alike.
pub(crate) fn select(ctx: &Ctx, holder: &Arc<Host>, select: &Select, output: &Output) -> Value {
    let items = |wanted: fn(ItemFlags) -> bool| {
        let rows = holder.items.iter().filter(move |it| wanted(it.flags));
        Related::Items(rows.map(|it| (holder, it)).collect())
    };
    let rows = match select.param {
        "selectParentTemplates" => {
            let linked = holder.templates.iter();
            let linked = linked.filter_map(|it| ctx.snapshot.templates.get(it));
            Related::Holders(linked.filter(|it| ctx.may_read(it)).collect())
        }
        "selectItems" => items(items::is_item),
        "selectDiscoveries" | "selectDiscoveryRules" => items(ItemFlags::is_rule),
        "selectHttpTests" => {
            Related::Items(items::web_scenarios(holder).map(|it| (holder, it)).collect())
        }
        "selectTriggers" => {
            Related::Triggers(triggers::live(holder).map(|it| (holder, it)).collect())
        }
        "selectGraphs" => Related::Graphs(graphs::live(holder).map(|it| (holder, it)).collect()),
        "selectDashboards" => Related::Documents(dashboards(ctx, holder)),
        "selectValueMaps" => {
            Related::ValueMaps(holder.valuemaps.iter().map(|it| (holder, it)).collect())
        }
        _ if *output == Output::Count => return json!("0"),
        _ => return json!([]),
    };
    ctx.related(select, rows, output)
}

/// The dashboards of a template; of a host those of all templates that it inherits from.
pub(crate) fn dashboards<'a>(ctx: &'a Ctx, holder: &'a Arc<Host>) -> Vec<&'a Arc<Document>> {
    let of: Vec<String> = match holder.kind {
        HolderKind::Template => vec![holder.id.to_string()],
        HolderKind::Host => {
            let above = templates_above(&ctx.snapshot, holder).into_iter();
            above.map(|it| it.id.to_string()).collect()
        }
    };
    let all = ctx.snapshot.documents.of("templatedashboard");
    all.filter(|it| of.iter().any(|id| it.text("templateid") == id)).collect()
}

/// The host groups of hosts, each once.
pub(crate) fn group_ids(hosts: &[&Arc<Host>]) -> Vec<u64> {
    let ids: BTreeSet<u64> = hosts.iter().flat_map(|it| it.groups.iter().map(|it| it.0)).collect();
    ids.into_iter().collect()
}

/// The template groups of templates, each once.
pub(crate) fn template_group_ids(templates: &[&Arc<Host>]) -> Vec<u64> {
    let ids: BTreeSet<u64> =
        templates.iter().flat_map(|it| it.template_groups.iter().map(|it| it.0)).collect();
    ids.into_iter().collect()
}

/// Tags of the templates above, each once.
pub(crate) fn inherited_tags(ctx: &Ctx, holder: &Host) -> Vec<Tag> {
    let mut found = BTreeSet::new();
    for template in templates_above(&ctx.snapshot, holder) {
        found.extend(template.tags.iter().cloned());
    }
    found.into_iter().collect()
}

/// All templates that a holder inherits from, nearest first.
pub(crate) fn templates_above<'a>(snapshot: &'a Snapshot, holder: &Host) -> Vec<&'a Arc<Host>> {
    let linked = |id: HostId| snapshot.templates.get(&id).map(|it| it.templates.clone());
    let order =
        lang::macros::breadth_first(&holder.templates, &mut |it| linked(it).unwrap_or_default());
    order.iter().filter_map(|it| snapshot.templates.get(it)).collect()
}

/// Whether the active agent of a host is there: 0 unknown, 1 available, 2 not available.
pub(crate) fn active_available(ctx: &Ctx, host: &Host) -> u8 {
    ctx.db().availability().active_agent(host.id)
}

/// 0 unknown, 1 available, 2 not available: of the interfaces and the active agent the worst counts.
pub(crate) fn availability(of: &Availability, host: &Host) -> u8 {
    let interfaces = host.interfaces.iter().map(|it| of.available(it.interfaceid));
    interfaces.chain([of.active_agent(host.id)]).max().unwrap_or(0)
}
