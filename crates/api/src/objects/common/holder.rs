//! What hosts and templates have in common.

use std::collections::BTreeSet;
use std::sync::Arc;

use db::Availability;
use model::HostId;
use model::content::{ItemFlags, Tag};
use model::snapshot::{Host, Snapshot};
use serde_json::{Value, json};

use crate::describe::Select;
use crate::error::ApiError;
use crate::json::{Fields, id_of, list_of};
use crate::objects::hosts::template;
use crate::objects::hosts::valuemap;
use crate::objects::items::discoveryrule;
use crate::objects::items::item;
use crate::objects::triggers::trigger;
use crate::query::Output;
use crate::shared::Ctx;

/// Templates that `templates` and `templates_clear` name must be readable.
pub(crate) fn check_templates(ctx: &Ctx, fields: &Fields) -> Result<(), ApiError> {
    for list in ["templates", "templates_clear"] {
        for it in list_of(fields, list) {
            readable_template(ctx, id_of(it, "templateid").unwrap_or_default())?;
        }
    }
    Ok(())
}

pub(crate) fn readable_template(ctx: &Ctx, id: u64) -> Result<HostId, ApiError> {
    let template = ctx.snapshot.templates.get(&HostId(id)).filter(|it| ctx.may_read(it));
    template.map(|it| it.id).ok_or_else(ApiError::no_permissions)
}

/// Selects that hosts and templates answer alike.
pub(crate) fn select(
    ctx: &Ctx,
    holder: &Arc<Host>,
    select: &Select,
    output: &Output,
) -> Result<Value, ApiError> {
    let items = |wanted: fn(ItemFlags) -> bool| {
        let rows = holder.items.iter().filter(move |it| wanted(it.flags));
        rows.map(move |it| (holder, it))
    };
    Ok(match select.param {
        "selectParentTemplates" => {
            let linked = holder.templates.iter();
            let linked = linked.filter_map(|it| ctx.snapshot.templates.get(it));
            template::related(ctx, linked.filter(|it| ctx.may_read(it)), output)
        }
        "selectItems" => item::related(ctx, items(is_item), output),
        "selectDiscoveries" => {
            discoveryrule::related(ctx, items(|it| it == ItemFlags::Rule), output)
        }
        "selectTriggers" => {
            trigger::related(ctx, trigger::live(holder).map(|it| (holder, it)), output)
        }
        "selectValueMaps" => {
            valuemap::related(ctx, holder.valuemaps.iter().map(|it| (holder, it)), output)
        }
        _ if *output == Output::Count => json!("0"),
        _ => json!([]),
    })
}

/// Plain and discovered items: what `item.get` answers.
pub(crate) fn is_item(flags: ItemFlags) -> bool {
    matches!(flags, ItemFlags::Plain | ItemFlags::Discovered)
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

/// 0 unknown, 1 available, 2 not available: an interface that does not answer counts for all.
pub(crate) fn availability(of: &Availability, host: &Host) -> u8 {
    let states = host.interfaces.iter();
    states.map(|it| of.available(it.interfaceid)).max().unwrap_or(0)
}
