//! `sla.getsli`: how available services were.

use db::objects::sla::agreement;
use db::services::StatusTimeline;
use lang::sla::{Indicator, PeriodRequest, Span, StatusHistory};
use model::field_path::FieldPath;
use model::map::{Map, Set};
use serde_json::{Value, json};

use super::service::{Params, of_agreement};
use super::sla::{given, visible};
use crate::error::{ApiError, param};
use crate::method::{Method, Pool};
use crate::query;
use crate::shared::Ctx;
use crate::validate;

pub(crate) const METHODS: &[Method] = &[Method::read("sla.getsli", getsli).slow(Pool::Stored)];

const TIME_MAX: i64 = 2_147_483_647;

fn integer(params: &Params, name: &str, (min, max): (i64, i64)) -> Result<Option<i64>, ApiError> {
    let Some(it) = given(params, name) else { return Ok(None) };
    let path = param(name);
    let Some(it) = validate::number(it) else {
        return Err(ApiError::field(&path, "an integer is expected"));
    };
    if (min..=max).contains(&it) {
        Ok(Some(it))
    } else {
        Err(ApiError::field(&path, &format!("value must be one of {min}-{max}")))
    }
}

/// Answers with a row a period, in it an indicator a service.
fn getsli(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let Value::Object(params) = params else {
        return Err(ApiError::field(FieldPath::root(), "an array is expected"));
    };
    let known = ["slaid", "period_from", "period_to", "periods", "serviceids"];
    if let Some(name) = params.keys().find(|it| !known.contains(&it.as_str())) {
        return Err(ApiError::unexpected(FieldPath::root(), name));
    }
    let Some(slaid) = given(params, "slaid") else {
        return Err(ApiError::missing(FieldPath::root(), "slaid"));
    };
    let slaid = query::text(slaid).parse();
    let slaid: u64 =
        slaid.map_err(|_no_number| ApiError::field(param("slaid"), "a number is expected"))?;
    let request = PeriodRequest {
        from: integer(params, "period_from", (0, TIME_MAX))?,
        to: integer(params, "period_to", (0, TIME_MAX))?,
        n: integer(params, "periods", (1, 100))?.and_then(|it| usize::try_from(it).ok()),
    };
    let wanted = query::ids(params, "serviceids", true)?;
    let wanted: Option<Set<u64>> = wanted.map(|it| it.into_iter().collect());
    let Some(document) = visible(ctx, slaid) else { return Err(ApiError::no_permissions()) };
    let agreement = agreement(&document.body, ctx.db().zone());
    let now = ctx.now.clock();
    let periods = agreement.periods(&request, now);
    let (Some(first), Some(last)) = (periods.first(), periods.last()) else {
        return Ok(json!({"periods": [], "serviceids": [], "sli": []}));
    };
    let services = of_agreement(ctx, document, wanted.as_ref());
    let timelines = ctx.db().services().timelines(&services, first.from, last.to)?;
    let mut rows = Vec::with_capacity(periods.len());
    for period in periods.iter().filter(|_| !services.is_empty()) {
        let scheduled = agreement.schedule_of(*period);
        let cell = |id: &u64| {
            let created_at = ctx.snapshot.services.get(*id).map_or(0, |it| it.created_at);
            let (was_ok, changes) = history(&timelines, *id, *period);
            let history = StatusHistory { created_at, was_ok, changes: &changes };
            written(&agreement.indicator(&scheduled, history, now))
        };
        rows.push(services.iter().map(cell).collect::<Value>());
    }
    let span = |it: &Span| json!({"period_from": it.from, "period_to": it.to});
    Ok(json!({
        "periods": periods.iter().map(span).collect::<Value>(),
        "serviceids": services,
        "sli": rows,
    }))
}

/// Whether the service was OK when a period began, and what changed in it.
fn history(
    timelines: &Map<u64, StatusTimeline>,
    service: u64,
    period: Span,
) -> (bool, Vec<(i64, bool)>) {
    let Some(whole) = timelines.get(&service) else { return (true, Vec::new()) };
    let part = whole.part(period.from, period.to);
    (part.start.is_none(), part.changes.iter().map(|(at, it)| (*at, it.is_none())).collect())
}

fn written(it: &Indicator) -> Value {
    let excluded = it
        .excluded
        .iter()
        .map(|it| json!({"name": it.name, "period_from": it.span.from, "period_to": it.span.to}));
    json!({
        "uptime": it.uptime,
        "downtime": it.downtime,
        "sli": it.sli.unwrap_or(-1.0),
        "error_budget": it.error_budget,
        "excluded_downtimes": excluded.collect::<Value>(),
    })
}
