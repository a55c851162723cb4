//! Why an event exists, the decisions about it, and its recipients: for the pages and for people.
//!
//! Facts that were not stored are computed again, and the answer names their source: functions of the trigger
//! are evaluated over history at the event's time; conditions of actions and correlation rules are checked by
//! today's configuration. Values that history has deleted are null. Permissions are those of the methods that
//! show the same objects: objects that the user may not read are left out.

mod about;
mod actions;
mod correlation;
mod trigger;

use std::sync::Arc;

use db::Problem;
use db::events::{EventQuery, EventRow, object};
use model::EventId;
use serde_json::{Value, json};

use self::about::{About, rows};
use crate::error::ApiError;
use crate::json::{Fields, list_of, number, str_of};
use crate::objects::problems::visibility::is_visible;
use crate::shared::Ctx;

/// Messages of an event that are listed: bounds the answer. `alert.get` has the others.
const ALERTS_MAX: u32 = 500;

/// `GET /api/v1/events/<eventid>/explain`.
pub(super) fn explain(ctx: &Ctx, id: &str) -> Result<Value, ApiError> {
    let id = id.parse().map(EventId).map_err(|_no_id| ApiError::no_permissions())?;
    let row = row_of(ctx, id)?.ok_or_else(ApiError::no_permissions)?;
    let asked = json!({
        "eventids": [id.to_string()], "source": row.source, "object": row.object,
        "output": "extend", "selectSuppressionData": "extend",
    });
    let shown = rows(ctx, "event.get", &asked)?.pop();
    let shown = shown.filter(|_| is_visible(ctx, &row));
    let shown = shown.ok_or_else(ApiError::no_permissions)?;
    let problem = problem_of(ctx, id)?;
    let about = About { ctx, row: &row, problem: problem.as_deref(), shown: &shown };
    let trigger = match row.object {
        object::TRIGGER => trigger::explain(about)?,
        _ => Value::Null,
    };
    Ok(json!({
        "eventid": number(id),
        "source": number(row.source),
        "object": number(row.object),
        "objectid": number(row.objectid),
        "clock": row.time.clock(),
        "ns": row.time.ns(),
        "value": number(row.value),
        "asked_at": ctx.now.clock(),
        "trigger": trigger,
        "cause": cause(about)?,
        "suppression": suppression(about)?,
        "correlation": correlation::explain(about)?,
        "actions": actions::explain(about)?,
        "alerts": alerts(about)?,
    }))
}

fn row_of(ctx: &Ctx, id: EventId) -> Result<Option<EventRow>, ApiError> {
    let query = EventQuery { eventids: Some(vec![id]), limit: 1, ..EventQuery::default() };
    Ok(ctx.db().events().query(&query)?.pop())
}

fn problem_of(ctx: &Ctx, id: EventId) -> Result<Option<Arc<Problem>>, ApiError> {
    if let Some(open) = ctx.db().events().problem(id) {
        return Ok(Some(open));
    }
    Ok(ctx.db().events().fetch_problems(&[id])?.pop().map(Arc::new))
}

/// The problem that this one is a symptom of.
fn cause(about: About<'_>) -> Result<Value, ApiError> {
    let id = about.problem.map_or(EventId::NONE, |it| it.cause);
    if !id.is_some() {
        return Ok(Value::Null);
    }
    let cause = row_of(about.ctx, id)?.filter(|it| is_visible(about.ctx, it));
    let name = cause.map_or_else(String::new, |it| it.name);
    Ok(json!({"eventid": number(id), "name": name}))
}

/// The present suppression of the problem, with the names of maintenances that the user may read.
fn suppression(about: About<'_>) -> Result<Value, ApiError> {
    let ctx = about.ctx;
    let by: Vec<&Fields> = list_of(about.shown, "suppression_data").collect();
    let ids: Vec<&str> =
        by.iter().map(|it| str_of(it, "maintenanceid")).filter(|it| *it != "0").collect();
    let names = match ids.is_empty() {
        true => Vec::new(),
        false => rows(ctx, "maintenance.get", &json!({"maintenanceids": ids, "output": ["name"]}))?,
    };
    let name_of = |id: &str| {
        let found = names.iter().find(|it| str_of(it, "maintenanceid") == id);
        found.map(|it| str_of(it, "name").to_owned())
    };
    let written = by.into_iter().map(|it| {
        json!({
            "maintenanceid": str_of(it, "maintenanceid"),
            "maintenance": name_of(str_of(it, "maintenanceid")),
            "userid": str_of(it, "userid"),
            "suppress_until": str_of(it, "suppress_until"),
        })
    });
    Ok(json!({
        "is_suppressed": str_of(about.shown, "suppressed") == "1",
        "by": written.collect::<Value>(),
    }))
}

/// The messages about it and about its end, with their cause and their status.
fn alerts(about: About<'_>) -> Result<Value, ApiError> {
    let end = str_of(about.shown, "r_eventid");
    let mut ids = vec![about.row.eventid.to_string()];
    ids.extend((!end.is_empty() && end != "0").then(|| end.to_owned()));
    let asked = json!({
        "eventids": ids, "eventsource": about.row.source, "eventobject": about.row.object,
        "output": ["alertid", "actionid", "eventid", "userid", "clock", "sendto", "subject",
            "status", "retries", "error", "esc_step", "alerttype", "digestid", "held_until"],
        "selectMediatypes": ["name"], "selectUsers": ["username", "name", "surname"],
        "sortfield": "alertid", "limit": ALERTS_MAX,
    });
    let found = rows(about.ctx, "alert.get", &asked)?;
    Ok(found.into_iter().map(Value::Object).collect())
}
