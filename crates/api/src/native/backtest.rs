//! When would a trigger have fired? Over stored values, without touching live state.

use std::sync::Arc;

use lang::backtest::FunctionNow;
use lang::expression::{ItemQuery, bind, parse};
use model::content::{CorrelationMode, FunctionRef, ItemFlags, RecoveryMode, Tag, TriggerContent};
use model::snapshot::{Host, TriggerRow};
use model::{EventId, ItemId, Time, TriggerId};
use serde_json::{Value, json};

use super::editable::editable;
use crate::describe::{FLAG, Field, FieldType, Rule};
use crate::error::{ApiError, ErrorClass, param};
use crate::json::{Fields, id_of, item_value, list_of, str_of};
use crate::objects::common::parts::{LONG, NAME, TAG};
use crate::ports::{BacktestOutcome, BacktestQuery, BacktestWatch, TrialError};
use crate::shared::Ctx;
use crate::validate::object_at_root;

/// The parameters of `POST /api/v1/backtest`.
pub(crate) const REQUEST: &[Field] = &[
    Field::new("hostid", FieldType::Id, Rule::Required, "Host of the trigger"),
    Field::new("triggerid", FieldType::Id, Rule::Optional, "The trigger, if it is saved"),
    Field::new("expression", LONG, Rule::Required, "Problem expression, as it is typed"),
    Field::new(
        "recovery_mode",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 expression, 1 recovery expression, 2 none",
    ),
    Field::new("recovery_expression", LONG, Rule::Default(""), "With recovery mode 1"),
    Field::new("type", FLAG, Rule::Default("0"), "1: each problem result creates an event"),
    Field::new(
        "correlation_mode",
        FieldType::Code(&[0, 1]),
        Rule::Optional,
        "0: a recovery closes all problems, 1: those with the same value of a tag; omitted: as saved",
    ),
    Field::new("correlation_tag", NAME, Rule::Optional, "With correlation mode 1"),
    Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags; not given: as saved"),
    Field::new("name", NAME, Rule::Default(""), "Name of the trigger, for names of events"),
    Field::new("from", FieldType::Timestamp, Rule::Required, "Begin of the period"),
    Field::new("to", FieldType::Timestamp, Rule::Required, "End of the period"),
];

/// The longest period: reading more takes minutes. A longer one is refused.
const PERIOD_MAX_S: i64 = 92 * 86_400;

pub(super) fn run(ctx: &Ctx, body: &Value, watch: &Arc<BacktestWatch>) -> Result<Value, ApiError> {
    let fields = object_at_root(REQUEST, body)?;
    let holder = editable(ctx, &fields)?;
    if !ctx.snapshot.hosts.contains_key(&holder.id) {
        return Err(ApiError::field(param("hostid"), "a template has no values"));
    }
    let clock = |name: &str| str_of(&fields, name).parse::<i64>().unwrap_or_default();
    let (from, to) = (clock("from"), clock("to").min(ctx.now.clock()));
    if to <= from {
        return Err(ApiError::field(param("to"), "value must be greater than \"from\""));
    }
    if PERIOD_MAX_S < to - from {
        return Err(ApiError::field(param("from"), "the period is longer than 92 days"));
    }
    let query = BacktestQuery {
        snapshot: Arc::clone(&ctx.snapshot),
        host: holder.id,
        trigger: trigger(ctx, holder, &fields)?,
        from: Time::from_clock(from, 0),
        until: Time::from_clock(to, 0),
        watch: Arc::clone(watch),
    };
    let outcome = ctx.ports().trials.backtest(&query).map_err(|error| match error {
        TrialError::Refused(what) => ApiError::field(param("expression"), &what),
        failed @ TrialError::Failed(_) => ApiError::new(ErrorClass::System, failed.to_string()),
    })?;
    let saved = id_of(&fields, "triggerid").and_then(|it| holder.trigger(TriggerId(it)));
    let mut written = answer(&query, &outcome);
    written["dependencies_ignored"] = json!(saved.map_or(0, |it| it.content.dependencies.len()));
    Ok(written)
}

fn trigger(ctx: &Ctx, holder: &Arc<Host>, fields: &Fields) -> Result<TriggerRow, ApiError> {
    let saved = match id_of(fields, "triggerid").map(TriggerId) {
        Some(id) => Some(holder.trigger(id).ok_or_else(ApiError::no_permissions)?),
        None => None,
    };
    let mut functions = Vec::new();
    let expression = bound(ctx, holder, fields, "expression", &mut functions)?;
    let mode = RecoveryMode::from_code(str_of(fields, "recovery_mode").parse().unwrap_or_default());
    let recovery_mode = mode.unwrap_or(RecoveryMode::Expression);
    let recovery_expression = if recovery_mode == RecoveryMode::RecoveryExpression {
        bound(ctx, holder, fields, "recovery_expression", &mut functions)?
    } else {
        String::new()
    };
    let as_saved = saved.map(|it| Arc::clone(&it.content)).unwrap_or_default();
    let content = TriggerContent {
        description: str_of(fields, "name").to_owned(),
        expression,
        recovery_expression,
        functions,
        recovery_mode,
        multiple: str_of(fields, "type") == "1",
        correlation_mode: match fields.get("correlation_mode").and_then(Value::as_str) {
            Some("1") => CorrelationMode::Tag,
            Some(_) => CorrelationMode::All,
            None => as_saved.correlation_mode,
        },
        correlation_tag: match fields.get("correlation_tag").and_then(Value::as_str) {
            Some(tag) => tag.to_owned(),
            None => as_saved.correlation_tag.clone(),
        },
        tags: match fields.get("tags") {
            Some(_) => list_of(fields, "tags").map(tag).collect(),
            None => as_saved.tags.clone(),
        },
        ..TriggerContent::default()
    };
    Ok(TriggerRow {
        id: saved.map_or(TriggerId::NONE, |it| it.id),
        source: TriggerId::NONE,
        content: Arc::new(content),
        extra: None,
        flags: ItemFlags::Plain,
    })
}

fn tag(it: &Fields) -> Tag {
    Tag { tag: str_of(it, "tag").to_owned(), value: str_of(it, "value").to_owned() }
}

fn bound(
    ctx: &Ctx,
    holder: &Arc<Host>,
    fields: &Fields,
    name: &str,
    functions: &mut Vec<FunctionRef>,
) -> Result<String, ApiError> {
    let path = param(name);
    let ast = parse(str_of(fields, name));
    let ast = ast.map_err(|error| ApiError::field(&path, &error.to_string()))?;
    let stored = bind(&ast, functions, &mut |query: &ItemQuery<'_>| -> Option<ItemId> {
        let of = match query.host {
            "" | "{HOST.HOST}" => Some(holder),
            name => ctx.snapshot.host_named(name),
        };
        let of = of.filter(|it| ctx.may_read(it))?;
        of.item_by_key(query.key).map(|it| it.id)
    });
    stored.map_err(|error| ApiError::field(&path, &error.to_string()))
}

/// Periods in problem, from the first to the last point in time of the period asked for.
fn answer(query: &BacktestQuery, outcome: &BacktestOutcome) -> Value {
    let report = &outcome.report;
    let mut periods = Vec::new();
    let mut open: Vec<(EventId, Value)> = Vec::new();
    if report.starts_in_problem {
        let period = json!({"from": query.from.clock(), "name": "", "functions": []});
        open.push((EventId::NONE, period));
    }
    let by_tag = query.trigger.content.correlation_mode == CorrelationMode::Tag;
    for change in &report.transitions {
        let functions: Vec<Value> = change.functions.iter().map(function).collect();
        let clock = change.time.clock();
        if change.is_problem {
            // Problems that end together are shown one after the other.
            if !by_tag {
                periods.extend(open.drain(..).map(|it| ended(it.1, clock, &[], false)));
            }
            let period = json!({"from": clock, "name": change.name, "functions": functions});
            open.push((change.event, period));
        } else {
            let is_over = |it: &mut (EventId, Value)| {
                !change.stays_in_problem || change.closes.contains(&it.0)
            };
            let over = open.extract_if(.., is_over);
            periods.extend(over.map(|it| ended(it.1, clock, &functions, true)));
        }
    }
    let ended_early = report.ended_early.map(|it| it.0);
    let end = ended_early.unwrap_or(query.until).clock();
    periods.extend(open.into_iter().map(|it| ended(it.1, end, &[], false)));
    periods.sort_by_key(|it| it["from"].as_i64());
    let unknown: Vec<Value> = report
        .unknown
        .iter()
        .map(|it| json!({"from": it.from.clock(), "to": it.until.clock(), "error": it.reason}))
        .collect();
    json!({
        "from": query.from.clock(), "to": query.until.clock(),
        "problems": periods, "unknown": unknown,
        "values": report.n_values, "evaluations": report.n_evaluations,
        "ended_early": ended_early.map(Time::clock),
        "ended_reason": outcome.ended_reason,
        "stored_since": outcome.stored_since.map(Time::clock),
    })
}

fn ended(mut period: Value, to: i64, functions: &[Value], recovered: bool) -> Value {
    period["to"] = json!(to);
    period["recovered"] = json!(recovered);
    period["recovery_functions"] = json!(functions);
    period
}

fn function(it: &FunctionNow) -> Value {
    let last = it.last.as_ref();
    json!({
        "itemid": it.item.to_string(), "host": it.host, "key_": it.key,
        "function": it.function, "parameters": it.parameters,
        "value": it.value.as_ref().ok().map(ToString::to_string), "error": it.value.as_ref().err(),
        "last_clock": last.map(|it| it.0.clock()),
        "last_value": last.map(|it| item_value(&it.1)),
    })
}
