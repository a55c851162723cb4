//! The events that a user may see, and the problems that a request names.
//!
//! All that shows or uses an event asks here: its object must be there and readable, and tag filters of the user's
//! groups must let the problem be seen.

use std::sync::Arc;

use db::Problem;
use db::events::{EventQuery, EventRow, object};
use model::content::RoleType;
use model::map::{Map, Set};
use model::snapshot::{Host, TriggerRow};
use model::{EventId, GroupId, ItemId, TriggerId};

use crate::error::ApiError;
use crate::objects::common::service_rights::service_rights;
use crate::objects::common::triggers;
use crate::shared::Ctx;

/// The trigger of an event, if it is still there and the user may see both.
pub(crate) fn visible_trigger<'a>(
    ctx: &'a Ctx,
    event: &EventRow,
) -> Option<(&'a Arc<Host>, &'a TriggerRow)> {
    readable_trigger(ctx, event).filter(|_| passes_filters(ctx, event))
}

fn readable_trigger<'a>(ctx: &'a Ctx, event: &EventRow) -> Option<(&'a Arc<Host>, &'a TriggerRow)> {
    let found = ctx.snapshot.trigger(TriggerId(event.objectid));
    found.filter(|(holder, row)| row.is_live() && triggers::is_readable(ctx, holder, row))
}

/// Whether tag filters of the user's groups admit an event of a trigger. The end of a problem has the tags of
/// the problem.
fn passes_filters(ctx: &Ctx, event: &EventRow) -> bool {
    let scope = ctx.rights.tag_scope();
    if scope.is_all() {
        return true;
    }
    let hosts = triggers::hosts_of(ctx, TriggerId(event.objectid));
    let is_in = |group: GroupId| hosts.iter().any(|it| it.groups.contains(&group));
    // Problems resolved long ago are no longer in memory: ends have the tags that problems had then.
    let mut ended = event.recovers.iter().filter_map(|it| ctx.db().events().problem(*it));
    match ended.next() {
        Some(first) => {
            scope.admits(is_in, &first.event.tags)
                || ended.any(|it| scope.admits(is_in, &it.event.tags))
        }
        None => scope.admits(is_in, &event.tags),
    }
}

/// Whether the object of an event is still there.
pub(crate) fn has_object(ctx: &Ctx, event: &EventRow) -> bool {
    match event.object {
        object::TRIGGER => ctx.snapshot.trigger(TriggerId(event.objectid)).is_some(),
        object::ITEM | object::RULE => ctx.snapshot.item(ItemId(event.objectid)).is_some(),
        object::SERVICE => ctx.snapshot.services.get(event.objectid).is_some(),
        _ => true,
    }
}

/// Whether the user may see an event. Without its object only super admins may.
pub(crate) fn is_visible(ctx: &Ctx, event: &EventRow) -> bool {
    sees_object(ctx, event) && (event.object != object::TRIGGER || passes_filters(ctx, event))
}

/// Whether the user may see the object of an event, regardless of tag filters.
pub(crate) fn sees_object(ctx: &Ctx, event: &EventRow) -> bool {
    ctx.is_super_admin()
        || match event.object {
            object::TRIGGER => readable_trigger(ctx, event).is_some(),
            object::ITEM | object::RULE => {
                let item = ctx.snapshot.item(ItemId(event.objectid));
                item.is_some_and(|(holder, _)| ctx.may_read(holder))
            }
            object::SERVICE => service_rights(ctx).may_read(event.objectid),
            object::DISCOVERED_HOST | object::DISCOVERED_SERVICE => {
                RoleType::Admin <= ctx.caller.identity.role
            }
            _ => false,
        }
}

/// The problem of an event, in memory or in SQL, if the user may see it.
pub(crate) fn readable_problem(ctx: &Ctx, id: EventId) -> Result<Arc<Problem>, ApiError> {
    readable_problems(ctx, &[id])?.pop().ok_or_else(ApiError::no_permissions)
}

/// The problems of events in their order, those of them in SQL that memory has let go. All of them must be there, and
/// the user may see each.
pub(crate) fn readable_problems(ctx: &Ctx, ids: &[EventId]) -> Result<Vec<Arc<Problem>>, ApiError> {
    let events = ctx.db().events();
    let mut found: Map<EventId, Arc<Problem>> =
        ids.iter().filter_map(|it| Some((*it, events.problem(*it)?))).collect();
    let gone: Vec<EventId> = ids.iter().filter(|it| !found.contains_key(*it)).copied().collect();
    if !gone.is_empty() {
        let fetched = events.fetch_problems(&gone)?;
        found.extend(fetched.into_iter().map(|it| (it.eventid(), Arc::new(it))));
    }
    let one = |id: &EventId| {
        let problem = found.get(id).filter(|it| is_visible(ctx, &it.event));
        problem.cloned().ok_or_else(ApiError::no_permissions)
    };
    ids.iter().map(one).collect()
}

/// The events of these that tag filters hide although their triggers may be seen. Callers that check only the
/// object of an event call this as well.
pub(crate) fn hidden_by_filters(ctx: &Ctx, ids: &[EventId]) -> Result<Set<EventId>, ApiError> {
    if ctx.rights.tag_scope().is_all() || ids.is_empty() {
        return Ok(Set::default());
    }
    let mut hidden: Set<EventId> = ids.iter().copied().collect();
    let query = EventQuery { eventids: Some(ids.to_vec()), ..EventQuery::default() };
    for event in ctx.db().events().query(&query)? {
        if event.object != object::TRIGGER || passes_filters(ctx, &event) {
            hidden.remove(&event.eventid);
        }
    }
    Ok(hidden)
}
