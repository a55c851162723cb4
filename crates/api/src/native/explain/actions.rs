//! Each action of the event's source: whether it matches the event, and the result of each of its conditions.

use alert::action::Action;
use alert::judging::{Condition, ConditionFacts as _, ConditionKind, FilterVerdict, ObjectLink};
use alert::{EventObject, EventSource};
use model::content::Severity;
use model::{GroupId, HostId, TriggerId};
use serde_json::{Value, json};

use super::about::{About, rows};
use crate::error::ApiError;
use crate::json::{Fields, number, str_of};
use crate::shared::Ctx;
use alerting::judged_event::{FoundObject, JudgedEvent};

pub(super) fn explain(about: About<'_>) -> Result<Vec<Value>, ApiError> {
    let ctx = about.ctx;
    let source = EventSource::from_code(about.row.source);
    if source.is_none_or(|it| it.has_problems() && about.row.value == 0) {
        // Actions match events that begin a problem; recipients of its end are those of its begin.
        return Ok(Vec::new());
    }
    let asked = json!({
        "output": ["actionid", "name", "eventsource", "status"],
        "filter": {"eventsource": about.row.source.to_string()},
        "selectFilter": ["evaltype", "eval_formula"], "sortfield": "name",
    });
    let shown = rows(ctx, "action.get", &asked)?;
    let events = ctx.db().events();
    let registered = match about.row.object == EventObject::Autoregistration.code() {
        true => events.autoregistered_of(&[about.row.objectid])?.pop(),
        false => None,
    };
    let device = match source == Some(EventSource::Discovery) {
        true => events.discovered_device(about.row.object, about.row.objectid)?,
        false => None,
    };
    let found = match (&registered, &device) {
        (Some(it), _) => FoundObject::Agent(it),
        (_, Some(it)) => FoundObject::Device(it),
        _ => FoundObject::Nothing,
    };
    let of = (&*ctx.snapshot, ctx.db().zone(), ctx.now);
    let facts = JudgedEvent::new(of, about.row, about.problem, found);
    let judged = shown.iter().filter_map(|it| {
        let id = str_of(it, "actionid").parse().ok()?;
        let document = ctx.snapshot.documents.get("action", id)?;
        let action = Action::read(id, &document.body, &ctx.snapshot.globals.regexps);
        let verdict = action.filter.judge(&facts);
        let is_suppressed = facts.event().is_suppressed;
        Some(judged(about, it, (&action, &verdict), is_suppressed))
    });
    Ok(judged.collect())
}

fn judged(
    about: About<'_>,
    shown: &Fields,
    (action, verdict): (&Action, &FilterVerdict),
    is_suppressed: bool,
) -> Value {
    let conditions = action.filter.conditions();
    let results = verdict.conditions.iter().zip(conditions).map(|((letters, said), (_, it))| {
        json!({
            "formulaid": letters,
            "conditiontype": number(it.kind.code()),
            "text": condition_text(about.ctx, it),
            "is_met": said.is_met,
            "found": found_text(about.ctx, it, &said.value),
        })
    });
    let is_symptom = about.problem.is_some_and(db::Problem::is_symptom);
    let is_flapping = about.problem.is_some_and(|it| it.flapping);
    let waits = match () {
        () if is_flapping => Some("flapping"),
        () if action.pauses_suppressed && is_suppressed => Some("suppressed"),
        () if action.pauses_symptoms && is_symptom => Some("symptom"),
        () => None,
    };
    let formula = shown.get("filter").and_then(Value::as_object);
    json!({
        "actionid": str_of(shown, "actionid"),
        "name": str_of(shown, "name"),
        "is_enabled": action.is_enabled,
        "is_met": verdict.is_met,
        "fault": verdict.fault.as_ref().map(ToString::to_string),
        "formula": formula.map(|it| str_of(it, "eval_formula")),
        "conditions": results.collect::<Value>(),
        "waits_while": waits,
    })
}

/// `host group equals Linux servers`. The user may read the action, and so the names in it.
fn condition_text(ctx: &Ctx, it: &Condition) -> String {
    let (kind, operator) = (it.kind.name(), it.operator.name());
    match it.kind {
        ConditionKind::Suppressed => {
            let is = if it.operator.is_negation() { "is not" } else { "is" };
            format!("problem {is} suppressed")
        }
        ConditionKind::EventType => {
            let name = match it.value.as_str() {
                "0" => "item not supported",
                "2" => "discovery rule not supported",
                _ => "trigger unknown",
            };
            format!("{kind} {operator} {name}")
        }
        ConditionKind::TagValue => format!("tag {} {operator} {}", it.tag, quoted(&it.value)),
        ConditionKind::Severity => {
            format!("{kind} {operator} {}", severity_shown(ctx, &it.value))
        }
        _ => {
            let name = it.kind.link().and_then(|link| name_of(ctx, link, &it.value));
            let value = name.unwrap_or_else(|| quoted(&it.value));
            format!("{kind} {operator} {value}")
        }
    }
}

/// The event's value of a condition that does not hold.
fn found_text(ctx: &Ctx, of: &Condition, found: &str) -> String {
    match of.kind {
        ConditionKind::Severity => severity_shown(ctx, found),
        _ => found.to_owned(),
    }
}

/// As the administrator calls it.
fn severity_shown(ctx: &Ctx, code: &str) -> String {
    let severity = code.parse().ok().and_then(Severity::from_code);
    let names = &ctx.snapshot.globals.settings.severity_names;
    let name = severity.and_then(|it| names.get(usize::try_from(it.code()).ok()?));
    name.map_or_else(|| code.to_owned(), |it| it.to_string())
}

fn quoted(value: &str) -> String {
    format!("\u{201c}{value}\u{201d}")
}

fn name_of(ctx: &Ctx, link: ObjectLink, id: &str) -> Option<String> {
    let id: u64 = id.parse().ok()?;
    let snapshot = &ctx.snapshot;
    Some(match link {
        ObjectLink::HostGroup => snapshot.host_groups.get(&GroupId(id))?.name.to_string(),
        ObjectLink::Host => snapshot.hosts.get(&HostId(id))?.name.to_string(),
        ObjectLink::Template => snapshot.templates.get(&HostId(id))?.name.to_string(),
        ObjectLink::Trigger => snapshot.trigger(TriggerId(id))?.1.name().into_owned(),
        ObjectLink::Service => snapshot.services.get(id)?.name.clone(),
        ObjectLink::Proxy | ObjectLink::DiscoveryRule | ObjectLink::DiscoveryCheck => return None,
    })
}
