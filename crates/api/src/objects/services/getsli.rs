//! `sla.getsli`: how available services were.

use db::objects::sla::agreement;
use db::services::StatusTimeline;
use lang::sla::{Indicator, PeriodRequest, Span, StatusHistory};
use model::map::{Map, Set};
use serde_json::{Value, json};

use super::service::{Params, of_agreement};
use super::sla::visible;
use crate::describe::{Field, FieldType, Rule};
use crate::error::ApiError;
use crate::json::id_of;
use crate::method::{Method, Pool};
use crate::query;
use crate::shared::Ctx;
use crate::validate;

pub(crate) const METHODS: &[Method] = &[Method::read("sla.getsli", getsli).slow(Pool::Stored)];

const CLOCK: FieldType = FieldType::Int { min: 0, max: 2_147_483_647 };

const SLAID: Field = Field::new("slaid", FieldType::Id, Rule::Required, "The agreement");
/// Fields for which null is the same as nothing.
const MAY_BE_NULL: [Field; 3] = [
    Field::new("period_from", CLOCK, Rule::Optional, "Where periods begin"),
    Field::new("period_to", CLOCK, Rule::Optional, "Where periods end"),
    Field::new("periods", FieldType::Int { min: 1, max: 100 }, Rule::Optional, "How many"),
];
const FIELDS: [Field; 4] = [SLAID, MAY_BE_NULL[0], MAY_BE_NULL[1], MAY_BE_NULL[2]];

/// Answers with a row a period, in it an indicator a service.
fn getsli(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut rest = params.clone();
    let mut wanted = None;
    if let Value::Object(rest) = &mut rest {
        for it in &MAY_BE_NULL {
            if rest.get(it.name).is_some_and(Value::is_null) {
                rest.remove(it.name);
            }
        }
        wanted = rest.remove("serviceids");
    }
    let given = validate::object_at_root(&FIELDS, &rest)?;
    let of = |name: &str| given.get(name).and_then(validate::number);
    let request = PeriodRequest {
        from: of("period_from"),
        to: of("period_to"),
        n: of("periods").and_then(|it| usize::try_from(it).ok()),
    };
    let slaid = id_of(&given, "slaid").unwrap_or_default();
    let wanted = Params::from_iter(wanted.map(|it| ("serviceids".to_owned(), it)));
    let wanted = query::ids(&wanted, "serviceids", true)?;
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

/// Whether the service was OK when a period began, and its changes in the period.
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
