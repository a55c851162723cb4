//! The trigger of an event: its expressions with the values that caused it, and the triggers that it depends
//! on.

use alert::macros::{MessageContext, MessageFacts, expand};
use db::events::{EventQuery, object, source};
use lang::expression::{Ast, HistoryCall, parse};
use model::Time;
use serde_json::{Value, json};

use super::about::{About, rows};
use crate::error::ApiError;
use crate::json::{Fields, item_value, list_of, number, str_of};
use alerting::message_facts::{AlertFacts, FactSources, event_of};

/// Triggers that a trigger depends on, with their state at the time: bounds the answer.
const MASTERS_MAX: usize = 100;

pub(super) fn explain(about: About<'_>) -> Result<Value, ApiError> {
    let ctx = about.ctx;
    let asked = json!({
        "triggerids": [about.row.objectid.to_string()],
        "output": ["triggerid", "description", "expression", "recovery_mode",
            "recovery_expression", "correlation_mode", "correlation_tag"],
        "expandExpression": true,
        "selectDependencies": ["triggerid", "description", "value"],
    });
    let Some(trigger) = rows(ctx, "trigger.get", &asked)?.pop() else { return Ok(Value::Null) };
    let sources = FactSources { db: ctx.db().clone(), ports: ctx.ports().of_alerting() };
    let Some(event) = event_of(about.row, about.problem) else { return Ok(Value::Null) };
    let context = MessageContext { user: ctx.rights.userid, ..MessageContext::of_event(event) };
    let facts = AlertFacts::new(&sources, context, ctx.now);
    let at = about.row.time;
    let mut expressions = Vec::new();
    for (kind, field, explained) in [
        ("problem", "expression", "{TRIGGER.EXPRESSION.EXPLAIN}"),
        ("recovery", "recovery_expression", "{TRIGGER.EXPRESSION.RECOVERY.EXPLAIN}"),
    ] {
        let text = str_of(&trigger, field);
        if text.is_empty() {
            continue;
        }
        expressions.push(json!({
            "kind": kind,
            "text": text,
            "explained": known(expand(explained, &facts)),
            "value": facts.expression_value(text, at),
            "functions": functions(&facts, text, at),
        }));
    }
    Ok(json!({
        "triggerid": str_of(&trigger, "triggerid"),
        "name": str_of(&trigger, "description"),
        "expressions": expressions,
        "recovery_mode": str_of(&trigger, "recovery_mode"),
        "correlation_mode": str_of(&trigger, "correlation_mode"),
        "correlation_tag": str_of(&trigger, "correlation_tag"),
        "dependencies": masters(about, &trigger)?,
    }))
}

/// A macro without value is `*UNKNOWN*` in messages.
fn known(text: String) -> Option<String> {
    (text != "*UNKNOWN*").then_some(text)
}

/// Each function once, from left to right, with its value and the item's newest value at that time.
fn functions(facts: &AlertFacts<'_>, text: &str, at: Time) -> Vec<Value> {
    let Ok(ast) = parse(text) else { return Vec::new() };
    let mut calls: Vec<&HistoryCall> = ast.history_calls().iter().collect();
    calls.sort_by_key(|it| it.span.start);
    let mut seen = std::collections::BTreeSet::new();
    let each = calls.into_iter().filter_map(|call| {
        let written = text.get(call.span.clone())?;
        seen.insert(written).then(|| function(facts, (&ast, call), written, at))
    });
    each.collect()
}

fn function(
    facts: &AlertFacts<'_>,
    (ast, call): (&Ast, &HistoryCall),
    written: &str,
    at: Time,
) -> Value {
    let snapshot = facts.snapshot();
    let item = ast.query(call).and_then(|query| {
        let host = snapshot.host_named(query.host)?;
        host.item_by_key(query.key)
    });
    let value = facts.expression_value(written, at);
    // Users who may not read the item get no value of it either.
    let newest = item.filter(|_| value.is_some()).and_then(|it| facts.value(it.id, Some(at)));
    json!({
        "text": written,
        "value": value,
        "itemid": item.map(|it| number(it.id)),
        "item": item.map(|it| it.name().into_owned()),
        "item_value": newest.as_ref().map(|it| item_value(&it.value)),
        "item_clock": newest.map(|it| it.time.clock()),
    })
}

/// The triggers that keep this one from beginning while they have a problem, and whether they had one.
fn masters(about: About<'_>, trigger: &Fields) -> Result<Vec<Value>, ApiError> {
    let mut rows = Vec::new();
    for master in list_of(trigger, "dependencies").take(MASTERS_MAX) {
        let id = str_of(master, "triggerid");
        let query = EventQuery {
            objectids: Some(id.parse().ok().into_iter().collect()),
            source: Some(source::TRIGGER),
            object: Some(object::TRIGGER),
            time_till: Some(about.row.time),
            is_descending: true,
            limit: 1,
            ..EventQuery::default()
        };
        let before = about.ctx.db().events().query(&query)?.pop();
        rows.push(json!({
            "triggerid": id,
            "name": str_of(master, "description"),
            "had_problem": before.is_some_and(|it| it.value == 1),
            "has_problem": str_of(master, "value") == "1",
        }));
    }
    Ok(rows)
}
